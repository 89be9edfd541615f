"""CheckList's rules to the last tie: what a case is compared with, and when it fails."""

from __future__ import annotations

import numpy as np

from fairness_checklist.arrays import BoolArray, FloatArray, IntArray
from fairness_checklist.outcomes import Outcomes

__all__ = ["asymmetric_note", "decisions", "fails_against", "reference_note", "references"]


def references(outcomes: Outcomes) -> IntArray:
    """(S,) the row of each source's reference: the unmarked control, else the first group's first term; -1: none.

    The first term is that of the first row: rows stand in declared order, also when they were read from a table. A
    sentence whose words around the term are not those of its source is no reference.
    """
    rows = np.flatnonzero(outcomes.source >= 0)
    if outcomes.aligned is not None:
        rows = rows[outcomes.aligned[rows]]
    control = outcomes.group[rows] == len(outcomes.groups)
    order = np.lexsort((rows, outcomes.group[rows], ~control, outcomes.source[rows]))
    rows = rows[order]
    found, first = np.unique(outcomes.source[rows], return_index=True)
    result = np.full(len(outcomes.sources), -1, dtype=np.int64)
    result[found] = rows[first]
    return result


def decisions(outcomes: Outcomes) -> tuple[IntArray, FloatArray]:
    """The decisions (n, W) and probabilities (n, W, K), W = 1 for a classifier and a place a word for a tagger.

    A place that a row does not have is -1. Where no probabilities are known the decision itself stands in; a term that
    was found in part is a decision of its own, the last of the K.
    """
    units, decided = outcomes.units, outcomes.decided
    if decided is None:
        predicted = outcomes.predicted.argmax(axis=1)[:, None]
        if units is None or len(units.row) != len(outcomes):
            return predicted, outcomes.predicted[:, None, :]
        return predicted, units.probability[np.argsort(units.row)][:, None, :]
    placed = decided.position >= 0
    at = decided.row[placed], decided.position[placed]
    shape = (len(outcomes), int(decided.position.max(initial=0)) + 1)
    predicted = np.full(shape, -1, dtype=np.int64)
    predicted[at] = decided.value[placed]
    size = len(outcomes.classes) + 1
    probability = np.zeros((*shape, size))
    if units is None:
        probability[at] = np.eye(size)[decided.value[placed]]
    else:
        probability[(*at, slice(0, size - 1))] = units.probability[placed]
        probability[(*at, size - 1)] = decided.value[placed] == size - 1
    return predicted, probability


def fails_against(outcomes: Outcomes, reference: IntArray, example: IntArray, tolerance: float) -> BoolArray:
    """Whether each example row fails against its reference row: CheckList's rule, in float64.

    A tagger's sentence fails where one of its words does, the term being one word.
    """
    predicted, probability = decisions(outcomes)
    failed = np.zeros(len(example), dtype=np.bool_)
    for place in range(predicted.shape[1]):
        given, own = predicted[reference, place], predicted[example, place]
        moved = np.abs(probability[example, place, given] - probability[reference, place, given])
        failed |= (own != given) & (own >= 0) & (given >= 0) & ~(moved <= tolerance)
    return failed


def reference_note(outcomes: Outcomes, case: IntArray, failed: BoolArray) -> str:
    """What the sources ``case`` are compared with, and how many of the pairs with the reference fail."""
    reference = references(outcomes)[case]
    n_marked = int((outcomes.group[reference] < len(outcomes.groups)).sum())
    note = f"reference: the unmarked control in {len(case) - n_marked:,} of {len(case):,} cases"
    if n_marked:
        note += ", else the first term of the first group"
    return f"{note}; {int(failed.sum()):,} of {len(failed):,} pairs with it fail"


def asymmetric_note(outcomes: Outcomes) -> str:
    """How many sources are left out because they are not symmetric; "" where all are."""
    left_out = len(outcomes.sources) - int(outcomes.symmetric.sum())
    if not left_out:
        return ""
    if left_out == 1:
        return "1 source that is not symmetric is left out"
    return f"{left_out:,} sources that are not symmetric are left out"
