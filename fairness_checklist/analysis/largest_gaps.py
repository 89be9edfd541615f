"""The largest primary value and its class, and whether a model gives the same answer to all texts."""

from __future__ import annotations

import math

from fairness_checklist.analysis.run_view import MetricKey, Row, View, neutral_value
from fairness_checklist.core.tasks import TASKS

ERRORS = {"fnr_gap": "false_negative_rate", "fpr_gap": "false_positive_rate"}


def leading_error(view: View) -> MetricKey | None:
    """Of the primary gaps of errors the one with the largest value, in either direction.

    Of two classes the same errors are misses of one and false calls of the other: about toxicity the class is toxic.
    """
    sizes = {
        key: max(map(abs, values)) for key in view.primary if key[0] in ERRORS and (values := _of_groups(view, key))
    }

    def rank(key: MetricKey) -> tuple[float, bool]:
        row = largest(view, key)
        about = view.task == "toxicity" and row is not None and row["class"] == positive_class(view)
        return round(sizes[key], 9), about

    return max(sizes, key=rank, default=None)


def classes_of(view: View, key: MetricKey) -> tuple[str, ...]:
    """The classes of a metric that the tables show; all, where they show none of them."""
    labels = view.labels(key)
    return tuple(label for label in labels if label in (*view.shown_classes, "*")) or labels


def _of_groups(view: View, key: MetricKey) -> list[float]:
    rows = [view.of_group(key, label, group) for label in classes_of(view, key) for group in view.groups]
    return [row["value"] for row in rows if row is not None and not math.isnan(row["value"])]


def largest(view: View, key: MetricKey) -> Row | None:
    """The defined row that is furthest from equal treatment; of a metric with a total, the class's largest total.

    Of a gap of errors it is the furthest on the side of more errors. Of two that are equally far the lower avg_eg comes
    first, and of two classes the later one, which is the positive one.
    """
    labels = classes_of(view, key)[::-1]
    totals = [row for label in labels if (row := view.total(key, label)) is not None]
    rows = totals or [row for label in labels for g in view.groups if (row := view.of_group(key, label, g)) is not None]
    rows = [row for row in rows if not math.isnan(row["value"])]
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


def constant_class(view: View) -> str:
    """The class that every text gets; "" where there are several."""
    if view.tagging or "predicted" not in view.examples.columns or len(view.examples) < 2:
        return ""
    classes = list(view.examples["predicted"].astype("str").unique())
    return str(classes[0]) if len(classes) == 1 else ""


def only_gold_class(view: View) -> str:
    """The gold class of all labelled texts; "" where there are several, or none."""
    classes = {name for name in view.examples.get("label", ()) if isinstance(name, str) and name}
    return classes.pop() if len(classes) == 1 and not view.tagging else ""


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
