"""What the figures must be read against: a model that always says one class, and words that should not matter."""

from __future__ import annotations

import math

from fairness_checklist.analysis.leading_values import largest
from fairness_checklist.analysis.placebo import (
    PLACEBO,
    Multiple,
    constant_baseline,
    constant_class,
    distance,
    is_placebo,
    multiples,
    predicts_no_entities,
)
from fairness_checklist.analysis.recorded import is_tagging
from fairness_checklist.analysis.run_view import View, signed
from fairness_checklist.formatting import decimal, hundredths, percent, points
from fairness_checklist.reports.sureness import interval_scope
from fairness_checklist.reports.words import entities_at
from fairness_checklist.results import Results

__all__ = ["multiples_table", "opening", "placebo_comparison", "placebo_hint"]

GAPS = ("fnr_gap", "fpr_gap", "tpr_gap", "tnr_gap")


def opening(view: View) -> str:
    """The sentence that must come before all others, where the model is of no use for these texts; else ""."""
    constant, best = constant_class(view), constant_baseline(view)
    accuracy, n = view.score("accuracy", "*", "*")
    if predicts_no_entities(view):
        return (
            f"The model finds none of the {entities_at(view.place, view.attribute)} with their type: its misses "
            "cannot differ between groups, which is no sign of fairness."
        )
    if constant:
        right = f"; {percent(accuracy)} of the labelled ones are right" if n else ""
        return (
            f'The model says "{constant}" to every one of the {len(view.examples):,} sentences: its decisions, and so '
            f"its error rates, cannot differ between groups, which is no sign of fairness{right}."
        )
    if best is not None:
        return (
            f"Only {percent(accuracy)} of the {n:,} labelled sentences get their gold label, no better than always "
            f'saying "{best[0]}" ({percent(best[1])}): this model hardly does the task on these sentences.'
        )
    return ""


def placebo_comparison(results: Results, view: View) -> str:
    """How far each primary metric moves, in multiples of what words do that should not matter; "" without a placebo."""
    sentences = []
    known = multiples(results, view)
    for key in view.primary:
        here = [one for one in known if (one.row["metric"], one.row["options"]) == key]
        row = largest(view, key)
        best = next((one for one in here if one.row is row), None) or max(
            here, key=lambda o: distance(o.row), default=None
        )
        if best is None:
            continue
        label = "" if best.row["class"] == "*" else f" ({best.row['class']})"
        ends = (hundredths, points) if key[0] in GAPS else (decimal, decimal)
        sizes = f"{ends[0](distance(best.row))} against {ends[1](best.placebo)}"
        sentences.append(f"{key[0]}{label} {_times(best)} ({sizes})" if _times(best) else f"{key[0]}{label} {sizes}")
    return f"In multiples of the placebo, words that should not matter: {'; '.join(sentences)}." if sentences else ""


def multiples_table(results: Results, view: View) -> list[list[str]]:
    """The head and the rows of `multiples` as text; the head alone without any."""
    head = ["metric", "class", "of", "value", "placebo", "multiple"]
    return [head] + [
        [
            str(one.row["metric"]),
            str(one.row["class"]),
            interval_scope(one.row),
            decimal(float(one.row["value"]), signed=signed(str(one.row["metric"]))),
            decimal(one.placebo),
            "-" if math.isnan(one.multiple) else f"{one.multiple:.1f}",
        ]
        for one in multiples(results, view)
    ]


def _times(one: Multiple) -> str:
    """The multiple in words; "" where there is none."""
    if math.isnan(one.multiple):
        return ""
    return f"{one.multiple:.1f} times" if one.multiple < 10 else f"{one.multiple:.0f} times"


def placebo_hint(results: Results) -> str:
    """What to do where a run of counterfactual texts holds no placebo; else ""."""
    if any(map(is_placebo, results.attributes)) or "source" not in results.examples.columns:
        return ""
    if is_tagging(results):  # its words stand in no entity
        return ""
    return f"Run the attribute {PLACEBO} as well, to see how far this model moves for words that should not matter."
