"""`Part`: how much each template and each cell moves some of a metric's contrasts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from fairness_checklist.core.arrays import BoolArray, FloatArray, IntArray
from fairness_checklist.core.outcomes import Outcomes
from fairness_checklist.metrics import comparisons, scores
from fairness_checklist.metrics.contrasts import Contrasts, arm_weights, observations
from fairness_checklist.metrics.metric import Metric
from fairness_checklist.statistics.clusters import Clusters, indicator, summed

_CELLS = 2_000_000


@dataclass(frozen=True, eq=False)
class Part:
    """The influence on p of a metric's contrasts, K classes.

    Counting a template once more moves a contrast by its influence, to first order; so does counting a term once more
    by the sum over its cells.

    Attributes:
        at: (p,) which contrasts.
        cell: (Q, p, K) of each cell, as part of its term.
        template: (J, p, K) of each template.
    """

    at: IntArray
    cell: FloatArray
    template: FloatArray


def chunks(n_contrasts: int, size: int) -> Iterator[IntArray]:
    """The contrasts, so many at a time that arrays of ``size`` each stay small."""
    step = max(1, _CELLS // max(1, size))
    for start in range(0, n_contrasts, step):
        yield np.arange(start, min(start + step, n_contrasts))


_RANK_STEP = 1e-7


def ranking_parts(metric: Metric, outcomes: Outcomes, contrasts: Contrasts, clusters: Clusters) -> Iterator[Part]:
    """The influence of each cell on the contrasts of a group metric of kind ranking, some contrasts at a time."""
    units = outcomes.units
    if units is None:
        raise ValueError("a ranking needs probabilities")
    size = len(outcomes.groups)
    own = np.eye(size, size + 1)
    beta = metric.membership(outcomes.groups, arm_weights(outcomes))
    if metric.family == "pairwise":
        first, second = own[contrasts.left], own[contrasts.right]
    else:
        first, second = beta[contrasts.left], own[contrasts.left]
    values = metric.score(units)
    by_class = []
    for k, column in enumerate(values.T):
        fine = (units.label >= 0) & ~np.isnan(column) & (outcomes.weight[units.row] > 0)
        by_class.append(_RankedClass(column[fine], units.label[fine] == k, units.row[fine], outcomes, clusters))
    widest = max((len(plane.arm) for plane in by_class), default=1)
    for some in chunks(len(first), 12 * widest):
        cell = np.stack([plane.influence(metric, first[some], second[some]) for plane in by_class], axis=2)
        yield Part(some, cell, clusters.in_templates(cell))


class _RankedClass:
    """The ranked units of one class: m of them, u distinct values."""

    def __init__(
        self, value: FloatArray, gold: BoolArray, row: IntArray, outcomes: Outcomes, clusters: Clusters
    ) -> None:
        levels, self.at = np.unique(value, return_inverse=True)
        self.gold, self.arm, self.weight = gold, outcomes.group[row], outcomes.weight[row]
        self.cells = indicator(clusters.cell[row], clusters.n_cells)
        self.size, arms = len(levels), len(outcomes.groups) + 1
        self.mass = [
            np.bincount(
                self.at[part] * arms + self.arm[part], weights=self.weight[part], minlength=self.size * arms
            ).reshape(self.size, arms)
            for part in (gold, ~gold)
        ]

    @np.errstate(divide="ignore", invalid="ignore")
    def influence(self, metric: Metric, first: FloatArray, second: FloatArray) -> FloatArray:
        """(Q, p) of each cell, for members (p, L) of both sides."""
        sides = (first, second)
        whole = [side @ (self.mass[0] + self.mass[1]).sum(axis=0) for side in sides]
        up = [self.mass[0] @ side.T / size for side, size in zip(sides, whole, strict=True)]
        down = [self.mass[1] @ side.T / size for side, size in zip(sides, whole, strict=True)]
        below = [np.cumsum(d, axis=0) - d / 2 for d in down]
        above = [u.sum(axis=0) - np.cumsum(u, axis=0) + u / 2 for u in up]
        wins = np.array([[(up[i] * below[j]).sum(axis=0) for j in (0, 1)] for i in (0, 1)])
        positive = np.array([u.sum(axis=0) for u in up])
        negative = np.array([d.sum(axis=0) for d in down])
        slope_wins, slope_positive, slope_negative = _slopes(metric, wins, positive, negative)
        found = np.zeros((len(self.arm), len(first)))
        gold = self.gold[:, None]
        for i in (0, 1):
            moved = -(slope_positive[i] * positive[i] + slope_negative[i] * negative[i])
            moved = moved + np.where(gold, slope_positive[i], slope_negative[i])
            for j in (0, 1):
                moved = moved + slope_wins[i, j] * (np.where(gold, below[j][self.at], 0.0) - wins[i, j])
                moved = moved + slope_wins[j, i] * (np.where(gold, 0.0, above[j][self.at]) - wins[j, i])
            found += sides[i][:, self.arm].T * self.weight[:, None] / whole[i] * moved
        return summed(self.cells, np.where(np.isfinite(found), found, 0.0))


def _slopes(
    metric: Metric, wins: FloatArray, positive: FloatArray, negative: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """The derivatives of d by its arguments: wins (2, 2, p), positive and negative (2, p)."""

    def of(w: FloatArray, a: FloatArray, b: FloatArray) -> FloatArray:
        return metric.compare(np.moveaxis(w, -1, 0), np.moveaxis(a, -1, 0), np.moveaxis(b, -1, 0))

    nudged = wins * (1 + 1e-6 * np.arange(4).reshape(2, 2, 1))
    here = of(nudged, positive, negative)
    found = [np.zeros_like(wins), np.zeros_like(positive), np.zeros_like(negative)]
    for which, slope in enumerate(found):
        for at in np.ndindex(slope.shape[:-1]):
            moved = [nudged.copy(), positive.copy(), negative.copy()]
            moved[which][at] += _RANK_STEP
            change = (of(*moved) - here) / _RANK_STEP
            slope[at] = np.where(np.isfinite(change), change, 0.0)
    return found[0], found[1], found[2]


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
    by_class = [_ClassScores(values[:, k], row, outcomes, clusters) for k in range(values.shape[1])]
    widest = max((len(plane.levels) + len(plane.arm) for plane in by_class), default=1)
    for some in chunks(len(first), 4 * widest + clusters.n_cells * len(by_class)):
        cell = np.stack([plane.influence(metric, first[some], second[some]) for plane in by_class], axis=2)
        yield Part(some, cell, clusters.in_templates(cell))


class _ClassScores:
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
