"""Many contrasts looked at together: adjusted p-values from the same draws."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fairness_checklist.core.arrays import FloatArray
from fairness_checklist.statistics.permutation import Assignments


def max_t(given: Sequence[FloatArray], drawn: Sequence[FloatArray], assignments: Assignments) -> list[FloatArray]:
    """Adjusted p-values of a family of contrasts (Westfall and Young 1993), from shared draws.

    Each contrast is measured in standard deviations of its own draws above their mean; the largest of the family in
    each draw is what a contrast is compared with. The chance that any is called by mistake is held.

    Args:
        given: for each metric the distances from equal treatment (P, K), NaN where undefined.
        drawn: the same in each assignment, (D, P, K).
        assignments: the D assignments, the same for all.

    Returns:
        for each metric (P, K), NaN where undefined.

    >>> assignments = Assignments(np.zeros((4, 1), dtype=np.int64), True, 4)
    >>> max_t([np.array([[3.0]])], [np.array([[[3.0]], [[1.0]], [[2.0]], [[0.0]]])], assignments)
    [array([[0.25]])]
    """
    standard = [_standardised(one, many) for one, many in zip(given, drawn, strict=True)]
    if not standard:
        return []
    flat = [np.where(np.isnan(many), -np.inf, many).reshape(len(many), -1) for _one, many in standard]
    largest = np.concatenate(flat, axis=1).max(axis=1)
    found = []
    for one, _many in standard:
        adjusted = np.full(one.shape, np.nan)
        for at in np.argwhere(~np.isnan(one)):
            adjusted[tuple(at)] = assignments.p_value(float(one[tuple(at)]), largest)
        found.append(adjusted)
    return found


def _standardised(given: FloatArray, drawn: FloatArray) -> tuple[FloatArray, FloatArray]:
    fine = ~np.isnan(drawn)
    count = np.maximum(fine.sum(axis=0), 1)
    mean = np.where(fine, drawn, 0.0).sum(axis=0) / count
    spread = np.sqrt(np.where(fine, (drawn - mean) ** 2, 0.0).sum(axis=0) / count)
    unit = np.where(spread > 1e-15, spread, 1.0)
    return (given - mean) / unit, np.where(np.isnan(given), np.nan, (drawn - mean) / unit)


def holm(p: FloatArray) -> FloatArray:
    """Holm's adjusted p-values (1979): the chance of any mistake is held. NaN stay out.

    >>> holm(np.array([0.01, 0.04, 0.03, np.nan]))
    array([0.03, 0.06, 0.06,  nan])
    """
    return _stepwise(p, downwards=True)


def benjamini_hochberg(p: FloatArray) -> FloatArray:
    """Adjusted p-values of Benjamini and Hochberg (1995): the false discovery rate is controlled.

    >>> benjamini_hochberg(np.array([0.01, 0.04, 0.03, np.nan]))
    array([0.03, 0.04, 0.04,  nan])
    """
    return _stepwise(p, downwards=False)


def _stepwise(p: FloatArray, *, downwards: bool) -> FloatArray:
    values = np.asarray(p, dtype=np.float64)
    there = np.flatnonzero(~np.isnan(values))
    order = there[np.argsort(values[there], kind="stable")]
    rank = np.arange(len(order))
    times = (len(order) - rank) if downwards else len(order) / (rank + 1)
    scaled = values[order] * times
    steps = np.maximum.accumulate(scaled) if downwards else np.minimum.accumulate(scaled[::-1])[::-1]
    adjusted = np.full(values.shape, np.nan)
    adjusted[order] = np.minimum(steps, 1.0)
    return adjusted
