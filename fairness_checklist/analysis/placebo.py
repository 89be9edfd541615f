"""What the figures must be compared with: a model that always says one class, and words that should not matter."""

from __future__ import annotations

import math
from dataclasses import dataclass

from fairness_checklist.analysis.largest_gaps import findings
from fairness_checklist.analysis.run_view import MetricKey, Row, View, attribute_view, neutral_value
from fairness_checklist.content.term_files import PLACEBO as PLACEBO
from fairness_checklist.content.term_files import is_placebo as is_placebo
from fairness_checklist.tables.run_folder import Results

_NOTHING = 5e-4


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

    Texts of one gold class only say nothing about this.
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


@dataclass(frozen=True)
class Multiple:
    """A value beside the largest one of the placebo, of the same metric, options and class.

    Attributes:
        row: the value's row.
        placebo: the size of the placebo's largest total, for a total, else of its largest value of a group or pair.
        multiple: how many times as large the value is; NaN where the placebo's is nothing.
    """

    row: Row
    placebo: float
    multiple: float


def placebo_of(results: Results) -> str:
    """The attribute of a run whose words should not matter; "" without one."""
    return next((name for name in results.attributes if is_placebo(name)), "")


def multiples(results: Results, view: View) -> list[Multiple]:
    """The findings of an attribute and each primary metric's largest value of a class, beside the placebo's.

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
                listed.append(Multiple(row, theirs, here / theirs if theirs >= _NOTHING else math.nan))
    return listed


def distance(row: Row) -> float:
    """How far a value is from equal treatment."""
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
