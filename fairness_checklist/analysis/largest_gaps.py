"""Which primary values are beyond chance, and which one leads."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import combinations

from fairness_checklist.analysis.run_view import MetricKey, Row, View, neutral_value, signed
from fairness_checklist.core.tasks import TASKS

ALPHA = 0.05


BEYOND, WITHIN, INCONCLUSIVE = "beyond chance", "within chance", "inconclusive"


def adjusted_p(view: View, row: Row) -> float:
    """A row's adjusted p; NaN where nothing was tested.

    Of a total, or of a group's mean over pairs, without one of its own: the smallest of its contrasts, each of which is
    adjusted for all the others, but no less than its own p.
    """
    own, p = float(row["p_adjusted"]), float(row["p_value"])
    if not math.isnan(own) or math.isnan(p):
        return own
    found = [float(part["p_adjusted"]) for part in _parts(view, row)]
    least = min((one for one in found if not math.isnan(one)), default=math.nan)
    return least if math.isnan(least) else max(least, p)


def _parts(view: View, row: Row) -> Iterator[Row]:
    """The contrasts that a total or a mean over pairs is made of."""
    key = (str(row["metric"]), str(row["options"]))
    sides = list(combinations(view.groups, 2)) + list(combinations(view.groups[::-1], 2))
    if row["left"] == "*":
        sides += [(group, view.backgrounds.get(key, "")) for group in view.groups]
    elif row["right"] == "others":
        sides = [pair for pair in sides if row["left"] in pair]
    else:
        return
    for left, right in sides:
        part = view.cells.get((*key, str(row["class"]), left, right))
        if part is not None:
            yield part


def status(view: View, row: Row) -> str:
    """Whether a value is `BEYOND` what chance gives, `WITHIN` it, or `INCONCLUSIVE`; "" where that was not tested.

    A value is beyond chance if its adjusted p is at most 0.05 and, if it is signed, its interval over terms like
    these holds only one side of equal treatment. A total of which parts are undefined is inconclusive.
    """
    if math.isnan(row["value"]):
        return ""
    if row["left"] == "*" and int(row["n_undefined"]):
        return INCONCLUSIVE
    p = adjusted_p(view, row)
    if math.isnan(p):
        return ""
    low, high, zero = float(row["ci_low_terms"]), float(row["ci_high_terms"]), neutral_value(row["metric"])
    over = signed(row["metric"]) and not (math.isnan(low) or math.isnan(high)) and low <= zero <= high
    return WITHIN if p > ALPHA or over else BEYOND


def is_beyond_null(view: View, row: Row) -> bool:
    """Whether a value is a finding."""
    return status(view, row) == BEYOND


def tested_values(view: View) -> list[Row]:
    """The primary values with an adjusted p of their own, of the classes that the verdict is about."""
    return [
        row
        for (metric, options, label, _, _), row in view.cells.items()
        if (metric, options) in view.primary and label in (*view.shown_classes, "*")
        if not math.isnan(row["p_adjusted"]) and not math.isnan(row["value"])
    ]


def findings(view: View) -> list[Row]:
    """The primary values that are beyond chance: metric by metric, the furthest from equal treatment first."""
    rows = [row for row in tested_values(view) if is_beyond_null(view, row)]
    order = [name for name, _ in view.primary]
    return sorted(rows, key=lambda r: (order.index(r["metric"]), -abs(r["value"] - neutral_value(r["metric"]))))


NOTHING = 5e-4


ERRORS = {"fnr_gap": "false_negative_rate", "fpr_gap": "false_positive_rate"}


def leading_error(view: View) -> MetricKey | None:
    """Of the primary gaps of errors the one with the largest value, in either direction; first those beyond chance.

    Of two classes the same errors are misses of one and false calls of the other: about toxicity they are told as what
    is falsely called toxic, or as toxic sentences that are missed.
    """
    sizes = {
        key: max(map(abs, values)) for key in view.primary if key[0] in ERRORS and (values := _of_groups(view, key))
    }

    def rank(key: MetricKey) -> tuple[bool, float, bool]:
        row = largest(view, key)
        about = view.task == "toxicity" and row is not None and row["class"] == positive_class(view)
        return row is not None and is_beyond_null(view, row), round(sizes[key], 9), about

    return max(sizes, key=rank, default=None)


def classes_of(view: View, key: MetricKey) -> tuple[str, ...]:
    """The classes of a metric that the verdict is about; all, where it is about none of them."""
    labels = view.labels(key)
    return tuple(label for label in labels if label in (*view.shown_classes, "*")) or labels


def _of_groups(view: View, key: MetricKey) -> list[float]:
    rows = [view.of_group(key, label, group) for label in classes_of(view, key) for group in view.groups]
    return [row["value"] for row in rows if row is not None and not math.isnan(row["value"])]


def largest(view: View, key: MetricKey) -> Row | None:
    """The defined row that is furthest from equal treatment; of a metric with a total, the class's largest total.

    Rows that are beyond chance come before those that are not.
    Of a gap of errors it is the furthest on the side of more errors. Of two that are equally far the lower avg_eg comes
    first, and of two classes the later one, which is the positive one.
    """
    labels = classes_of(view, key)[::-1]
    totals = [row for label in labels if (row := view.total(key, label)) is not None]
    rows = totals or [row for label in labels for g in view.groups if (row := view.of_group(key, label, g)) is not None]
    rows = [row for row in rows if not math.isnan(row["value"])]
    rows = [row for row in rows if is_beyond_null(view, row)] or rows
    if key[0] in ERRORS:
        return max(rows, key=lambda r: round(r["value"], 9), default=None)
    zero = neutral_value(key[0])
    return max(rows, key=lambda r: (round(abs(r["value"] - zero), 9), zero - r["value"]), default=None)


def leading_class(view: View) -> str:
    """The class of the largest primary gap of errors, else of the largest other primary value.

    The last class, which is the positive one, where no primary value is of a class; "*" without any class.
    """
    keys = [key for key in (leading_error(view), *view.primary) if key is not None]
    found = [row["class"] for key in keys if (row := largest(view, key)) is not None and row["class"] != "*"]
    return str(found[0]) if found else (view.classes[-1] if view.classes else "*")


def positive_class(view: View) -> str:
    """The class that "positive" means: the task's, else the last; "" without any."""
    named = TASKS[view.task].positive if view.task in TASKS else ""
    return named if named in view.classes else (view.classes[-1] if view.classes else "")
