"""Influence on group metrics of distributions and of rankings: of each cell, and of each template.

`Part` and the small functions at the head serve the other influence modules as well.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fairness_checklist.core.arrays import BoolArray, FloatArray, IntArray
from fairness_checklist.core.outcomes import Outcomes
from fairness_checklist.metrics import comparisons, scores
from fairness_checklist.metrics.contrasts import Contrasts, group_weights, observations
from fairness_checklist.metrics.metric_forms import Metric
from fairness_checklist.metrics.weights import indicator
from fairness_checklist.statistics.clusters import Clusters, summed

_CELLS = 2_000_000
_FEW = 64  # distinct values of a distribution, each of which is changed in turn
_STEP = 1e-7


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


def sides_of_contrasts(metric: Metric, outcomes: Outcomes, contrasts: Contrasts) -> tuple[FloatArray, FloatArray]:
    """The weight of each group on both sides (P, G + 1) of each contrast, in the order of the arguments of d."""
    own = np.eye(len(outcomes.groups), len(outcomes.groups) + 1)
    if metric.family == "pairwise":
        return own[contrasts.left], own[contrasts.right]
    return metric.membership(outcomes.groups, group_weights(outcomes))[contrasts.left], own[contrasts.left]


def finite(values: FloatArray) -> FloatArray:
    """The values, 0 for those that are not finite: a derivative that does not exist moves nothing."""
    return np.where(np.isfinite(values), values, 0.0)


def distance_slope(left: FloatArray, right: FloatArray, step: FloatArray) -> FloatArray:
    """How W1 = int |F - G| moves with mass on each level, (..., u, p): mass moves F from its level on.

    Shapes: left, right (..., u, p); step (..., u, 1).
    """
    distance = np.cumsum(left - right, axis=-2)
    sign = np.sign(np.where(np.abs(distance) < 1e-12, 0.0, distance)) * step
    slope: FloatArray = np.cumsum(sign[..., ::-1, :], axis=-2)[..., ::-1, :]
    return slope


class _ClassScores:
    """The scores of one class: u distinct levels, and the m observations on them.

    Attributes:
        levels: (u,) ascending.
        at: (m,) the level of each observation.
        group, weight: (m,) of each observation.
        cells: the matrix (Q, m) that sums over the observations of each cell.
    """

    def __init__(self, column: FloatArray, row: IntArray, outcomes: Outcomes, clusters: Clusters) -> None:
        self.levels, self.at = np.unique(column, return_inverse=True)
        self.group, self.weight = outcomes.group[row], outcomes.weight[row]
        self.n_columns = len(outcomes.groups) + 1
        self.cells = indicator(clusters.cell[row], clusters.n_cells)

    def mass(self, some: BoolArray | slice = slice(None)) -> FloatArray:
        """(u, G + 1) the weight of some observations by level and group."""
        code, size = self.at[some] * self.n_columns + self.group[some], len(self.levels) * self.n_columns
        mass = np.bincount(code, weights=self.weight[some], minlength=size)
        return mass.reshape(len(self.levels), self.n_columns).astype(np.float64)

    def influence(self, metric: Metric, first: FloatArray, second: FloatArray) -> FloatArray:
        """(Q, p) of each cell on contrasts whose sides hold so much of each group: (p, G + 1) each."""
        raise NotImplementedError


def _parts(
    by_class: Sequence[_ClassScores],
    metric: Metric,
    first: FloatArray,
    second: FloatArray,
    clusters: Clusters,
    size: int,
) -> Iterator[Part]:
    """The influence of the cells on the contrasts of all classes, some contrasts at a time."""
    for some in chunks(len(first), size):
        cell = np.stack([one.influence(metric, first[some], second[some]) for one in by_class], axis=2)
        yield Part(some, cell, clusters.in_templates(cell))


def ranking_parts(metric: Metric, outcomes: Outcomes, contrasts: Contrasts, clusters: Clusters) -> Iterator[Part]:
    """The influence of each cell on the contrasts of a group metric of kind ranking, some contrasts at a time."""
    units = outcomes.units
    if units is None:
        raise ValueError("a ranking needs probabilities")
    first, second = sides_of_contrasts(metric, outcomes, contrasts)
    values = metric.score(units)
    by_class = []
    for k, column in enumerate(values.T):
        fine = (units.label >= 0) & ~np.isnan(column) & (outcomes.weight[units.row] > 0)
        by_class.append(_RankedClass(column[fine], units.label[fine] == k, units.row[fine], outcomes, clusters))
    widest = max((len(plane.group) for plane in by_class), default=1)
    return _parts(by_class, metric, first, second, clusters, 12 * widest)


class _RankedClass(_ClassScores):
    """The units of one class, some of which have it as their gold class."""

    def __init__(
        self, column: FloatArray, gold: BoolArray, row: IntArray, outcomes: Outcomes, clusters: Clusters
    ) -> None:
        super().__init__(column, row, outcomes, clusters)
        self.gold = gold
        self.of_gold, self.of_others = self.mass(gold), self.mass(~gold)

    @np.errstate(divide="ignore", invalid="ignore")
    def influence(self, metric: Metric, first: FloatArray, second: FloatArray) -> FloatArray:
        sides = (first, second)
        whole = [side @ (self.of_gold + self.of_others).sum(axis=0) for side in sides]
        up = [self.of_gold @ side.T / size for side, size in zip(sides, whole, strict=True)]
        down = [self.of_others @ side.T / size for side, size in zip(sides, whole, strict=True)]
        below = [np.cumsum(d, axis=0) - d / 2 for d in down]
        above = [u.sum(axis=0) - np.cumsum(u, axis=0) + u / 2 for u in up]
        wins = np.array([[(up[i] * below[j]).sum(axis=0) for j in (0, 1)] for i in (0, 1)])
        positive = np.array([u.sum(axis=0) for u in up])
        negative = np.array([d.sum(axis=0) for d in down])
        slope_wins, slope_positive, slope_negative = _slopes(metric, wins, positive, negative)
        found = np.zeros((len(self.group), len(first)))
        gold = self.gold[:, None]
        for i in (0, 1):
            moved = -(slope_positive[i] * positive[i] + slope_negative[i] * negative[i])
            moved = moved + np.where(gold, slope_positive[i], slope_negative[i])
            for j in (0, 1):
                moved = moved + slope_wins[i, j] * (np.where(gold, below[j][self.at], 0.0) - wins[i, j])
                moved = moved + slope_wins[j, i] * (np.where(gold, 0.0, above[j][self.at]) - wins[j, i])
            found += sides[i][:, self.group].T * self.weight[:, None] / whole[i] * moved
        return summed(self.cells, finite(found))


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
            moved[which][at] += _STEP
            slope[at] = finite((of(*moved) - here) / _STEP)
    return found[0], found[1], found[2]


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
    first, second = sides_of_contrasts(metric, outcomes, contrasts)
    by_class = []
    for column in values.T:
        fine = ~np.isnan(column) & (outcomes.weight[row] > 0)
        by_class.append(_Distributed(column[fine], row[fine], outcomes, clusters))
    widest = max((len(plane.levels) + len(plane.group) for plane in by_class), default=1)
    return _parts(by_class, metric, first, second, clusters, 4 * widest + clusters.n_cells * len(by_class))


class _Distributed(_ClassScores):
    """The observations of one class as distributions."""

    @cached_property
    def by_level(self) -> FloatArray:
        """(u, G + 1) the weight of the observations."""
        return self.mass()

    def influence(self, metric: Metric, first: FloatArray, second: FloatArray) -> FloatArray:
        whole = self.by_level.sum(axis=0)
        masses = first @ whole, second @ whole
        fine = (masses[0] > 0) & (masses[1] > 0)
        shares = [
            np.divide(self.by_level @ side.T, mass, out=np.zeros((len(self.levels), len(side))), where=fine)
            for side, mass in zip((first, second), masses, strict=True)
        ]
        found = np.zeros((len(self.group), len(first)))
        moved = _moved(metric, self.levels, *shares)
        for side, mass, share, by_level in zip((first, second), masses, shares, moved, strict=True):
            centred = by_level - (share * by_level).sum(axis=0)
            part = side[:, self.group].T * self.weight[:, None] * centred[self.at]
            found += np.divide(part, mass, out=np.zeros_like(part), where=fine & (mass > 0))
        return summed(self.cells, found)


def _moved(metric: Metric, levels: FloatArray, x: FloatArray, y: FloatArray) -> tuple[FloatArray, FloatArray]:
    """(u, p) how d moves when a little of the first, and of the second set is put on each level."""
    if metric.compare is comparisons.wasserstein_1:
        slope = distance_slope(x, y, np.append(np.diff(levels), 0.0)[:, None])
        return slope, -slope
    if metric.compare is comparisons.average_equality_gap:  # 1/2 - P(first above second), ties half
        below, above = np.cumsum(y, axis=0) - y / 2, x.sum(axis=0) - np.cumsum(x, axis=0) + x / 2
        return -below, -above
    return _by_steps(metric, levels, x, y, 0), _by_steps(metric, levels, x, y, 1)


def _by_steps(metric: Metric, levels: FloatArray, x: FloatArray, y: FloatArray, which: int) -> FloatArray:
    """The same by a small change at each of few levels; levels that a set does not have stay out."""
    here = metric.compare(levels, x, y)
    result = np.zeros(x.shape)
    for u in range(len(levels)):
        sides = [x.copy(), y.copy()]
        side = sides[which]
        side[u] += _STEP
        side /= side.sum(axis=0)
        result[u] = finite((metric.compare(levels, *sides) - here) / _STEP)
    return result
