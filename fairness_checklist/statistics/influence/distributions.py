"""Influence on group metrics of distributions: Wasserstein distances, equality gaps, and d of few distinct values."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from fairness_checklist.core.arrays import FloatArray, IntArray
from fairness_checklist.core.outcomes import Outcomes
from fairness_checklist.metrics import comparisons, scores
from fairness_checklist.metrics.contrasts import Contrasts, arm_weights, observations
from fairness_checklist.metrics.metric import Metric
from fairness_checklist.statistics.clusters import Clusters, indicator, summed
from fairness_checklist.statistics.influence.part import Part, chunks


_FEW = 64
_STEP = 1e-7


def has_distribution_parts(metric: Metric, outcomes: Outcomes) -> bool:
    """Whether the influence on a metric of distributions is known in closed form, or cheap by small changes."""
    if metric.background_score is not None:
        return False
    if metric.compare in (comparisons.wasserstein_1, comparisons.average_equality_gap):
        return True
    values = observations(metric.score, outcomes)[0]
    return scores.about(metric.score).of_decisions and len(np.unique(values[~np.isnan(values)])) <= _FEW


def distribution_parts(metric: Metric, outcomes: Outcomes, contrasts: Contrasts, clusters: Clusters) -> Iterator[Part]:
    """The influence of each cell on the contrasts of a group metric of kind set, some contrasts at a time."""
    values, row, _ = observations(metric.score, outcomes)
    size, arms = len(outcomes.groups), len(outcomes.groups) + 1
    own = np.eye(size, arms)
    if metric.family == "pairwise":
        first, second = own[contrasts.left], own[contrasts.right]
    else:
        first, second = metric.membership(outcomes.groups, arm_weights(outcomes))[contrasts.left], own[contrasts.left]
    by_class = [_Plane(values[:, k], row, outcomes, clusters) for k in range(values.shape[1])]
    widest = max((len(plane.levels) + len(plane.arm) for plane in by_class), default=1)
    for some in chunks(len(first), 4 * widest + clusters.n_cells * len(by_class)):
        cell = np.stack([plane.influence(metric, first[some], second[some]) for plane in by_class], axis=2)
        yield Part(some, cell, clusters.in_templates(cell))


class _Plane:
    """The values of one class: distinct levels (u,), and the m observations on them."""

    def __init__(self, column: FloatArray, row: IntArray, outcomes: Outcomes, clusters: Clusters) -> None:
        fine = ~np.isnan(column) & (outcomes.weight[row] > 0)
        self.levels, self.at = np.unique(column[fine], return_inverse=True)
        self.weight, self.arm = outcomes.weight[row[fine]], outcomes.group[row[fine]]
        self.cells = indicator(clusters.cell[row[fine]], clusters.n_cells)
        arms = len(outcomes.groups) + 1
        code = self.at * arms + self.arm
        mass = np.bincount(code, weights=self.weight, minlength=len(self.levels) * arms)
        self.mass = mass.reshape(len(self.levels), arms).astype(np.float64)

    def influence(self, metric: Metric, first: FloatArray, second: FloatArray) -> FloatArray:
        """(Q, p) of each cell, for members (p, L) of both sets."""
        whole = self.mass.sum(axis=0)
        masses = first @ whole, second @ whole
        fine = (masses[0] > 0) & (masses[1] > 0)
        shares = [
            np.divide(self.mass @ side.T, mass, out=np.zeros((len(self.levels), len(side))), where=fine)
            for side, mass in zip((first, second), masses, strict=True)
        ]
        found = np.zeros((len(self.arm), len(first)))
        moved = _moved(metric, self.levels, *shares)
        for side, mass, share, by_level in zip((first, second), masses, shares, moved, strict=True):
            centred = by_level - (share * by_level).sum(axis=0)
            part = side[:, self.arm].T * self.weight[:, None] * centred[self.at]
            found += np.divide(part, mass, out=np.zeros_like(part), where=fine & (mass > 0))
        return summed(self.cells, found)


def _moved(metric: Metric, levels: FloatArray, x: FloatArray, y: FloatArray) -> tuple[FloatArray, FloatArray]:
    """(u, p) how d moves when a little of the first, and of the second set is put on each level."""
    if metric.compare is comparisons.wasserstein_1:
        return _of_distance(levels, x, y)
    if metric.compare is comparisons.average_equality_gap:  # 1/2 - P(first above second), ties half
        below, above = np.cumsum(y, axis=0) - y / 2, x.sum(axis=0) - np.cumsum(x, axis=0) + x / 2
        return -below, -above
    return _by_steps(metric, levels, x, y, 0), _by_steps(metric, levels, x, y, 1)


def _of_distance(levels: FloatArray, x: FloatArray, y: FloatArray) -> tuple[FloatArray, FloatArray]:
    """W1 = int |F - G|: mass on a level moves F at all values from there on."""
    distance = np.cumsum(x - y, axis=0)
    sign = np.sign(np.where(np.abs(distance) < 1e-12, 0.0, distance))
    step = np.append(np.diff(levels), 0.0)[:, None]
    from_here = np.cumsum((sign * step)[::-1], axis=0)[::-1]
    return from_here, -from_here


def _by_steps(metric: Metric, levels: FloatArray, x: FloatArray, y: FloatArray, which: int) -> FloatArray:
    """The same by a small change at each of few levels; levels that a set does not have stay out."""
    here = metric.compare(levels, x, y)
    result = np.zeros(x.shape)
    for u in range(len(levels)):
        sides = [x.copy(), y.copy()]
        side = sides[which]
        side[u] += _STEP
        side /= side.sum(axis=0)
        moved = (metric.compare(levels, *sides) - here) / _STEP
        result[u] = np.where(np.isfinite(moved), moved, 0.0)
    return result
