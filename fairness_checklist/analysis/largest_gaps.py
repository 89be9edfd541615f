"""Which primary values are beyond chance, which one is largest, and how a constant model and a placebo compare."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

from fairness_checklist.analysis.run_view import MetricKey, Row, View, attribute_view, neutral_value, signed
from fairness_checklist.core.tasks import TASKS
from fairness_checklist.tables.run_folder import Results

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


PLACEBO = "placebo"


def constant_class(view: View) -> str:
    """The class that every text gets; "" where there are several."""
    if view.tagging or "predicted" not in view.examples.columns or len(view.examples) < 2:
        return ""
    classes = list(view.examples["predicted"].astype("str").unique())
    return str(classes[0]) if len(classes) == 1 else ""


def predicts_no_entities(view: View) -> bool:
    """Whether a tagger finds no term at all, so that no group can be missed more than another."""
    rates = [view.score("true_positive_rate", label, "*")[0] for label in view.gold_classes(view.place)]
    return view.tagging and bool(rates) and max(rates) == 0


def constant_baseline(view: View) -> tuple[str, float] | None:
    """The largest gold class and its share, where the model's share of right decisions is not above it; else None.

    This is unknown for texts of a single gold class.
    """
    accuracy, n = view.score("accuracy", "*", "*")
    if math.isnan(accuracy) or not n or "label" not in view.examples.columns:
        return None
    rows = view.examples[(view.examples["group"] != "unmarked") & view.examples["label"].isin(view.classes)]
    weight = rows["weight"].astype("float64") if "weight" in rows.columns else rows["label"].map(lambda _: 1.0)
    sums = weight.groupby(rows["label"].astype("str")).sum()
    if len(sums) < 2 or not sums.sum() > 0:
        return None
    share = float(sums.max() / sums.sum())
    return (str(sums.idxmax()), share) if accuracy <= share + 1e-9 else None


def is_placebo(attribute: str) -> bool:
    return attribute.partition(".")[0] == PLACEBO


@dataclass(frozen=True)
class Multiple:
    """A value and the largest one of the placebo, of the same metric, options and class.

    Attributes:
        row: the value's row.
        placebo: the size of the placebo's largest total, for a total, else of its largest value of a group or pair.
        multiple: how many times as large the value is; NaN where the placebo's is nothing.
    """

    row: Row
    placebo: float
    multiple: float


def placebo_of(results: Results) -> str:
    """The placebo attribute of a run; "" without one."""
    return next((name for name in results.attributes if is_placebo(name)), "")


def multiples(results: Results, view: View) -> list[Multiple]:
    """The findings of an attribute and each primary metric's largest value of a class, with the placebo's.

    Returns:
        Metric by metric; nothing without a placebo, and of the placebo itself.
    """
    name = placebo_of(results)
    if not name or is_placebo(view.attribute):
        return []
    other, found = attribute_view(results, name), findings(view)
    listed = []
    for key in view.primary:
        rows = [row for row in found if (row["metric"], row["options"]) == key]
        for label in view.labels(key):
            if label in (*view.shown_classes, "*"):
                best = _furthest(view, key, label)
                rows += [row for row in (view.total(key, label), best) if row is not None and row not in rows]
        for row in rows:
            theirs = _placebo_size(other, key, row)
            if not (math.isnan(row["value"]) or math.isnan(theirs)):
                here = distance(row)
                listed.append(Multiple(row, theirs, here / theirs if theirs >= NOTHING else math.nan))
    return listed


def distance(row: Row) -> float:
    """The distance of a value from equal treatment."""
    return abs(float(row["value"]) - neutral_value(row["metric"]))


def _contrasts(view: View, key: MetricKey, label: str) -> list[Row]:
    """The defined values of groups and pairs, totals and means over pairs left out."""
    return [
        row
        for (*head, of, left, right), row in view.cells.items()
        if tuple(head) == key and of == label and left != "*" and right != "others" and not math.isnan(row["value"])
    ]


def _furthest(view: View, key: MetricKey, label: str) -> Row | None:
    return max(_contrasts(view, key, label), key=distance, default=None)


def _placebo_size(other: View, key: MetricKey, row: Row) -> float:
    """The placebo's figure for a row: its total for a total, else its largest; NaN without one."""
    if row["left"] == "*":
        total = other.total(key, str(row["class"]))
        return math.nan if total is None else distance(total)
    best = _furthest(other, key, str(row["class"]))
    return math.nan if best is None else distance(best)
