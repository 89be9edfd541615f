"""Influence on areas under ROC curves: placement values (DeLong et al. 1988), for any comparison of two sides."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from fairness_checklist.core.arrays import BoolArray, FloatArray, IntArray
from fairness_checklist.core.outcomes import Outcomes
from fairness_checklist.metrics.contrasts import Contrasts, arm_weights
from fairness_checklist.metrics.metric import Metric
from fairness_checklist.statistics.clusters import Clusters, indicator, summed
from fairness_checklist.statistics.influence.part import Part, chunks


_STEP = 1e-7


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
        by_class.append(_Plane(column[fine], units.label[fine] == k, units.row[fine], outcomes, clusters))
    widest = max((len(plane.arm) for plane in by_class), default=1)
    for some in chunks(len(first), 12 * widest):
        cell = np.stack([plane.influence(metric, first[some], second[some]) for plane in by_class], axis=2)
        yield Part(some, cell, clusters.in_templates(cell))


class _Plane:
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
            moved[which][at] += _STEP
            change = (of(*moved) - here) / _STEP
            slope[at] = np.where(np.isfinite(change), change, 0.0)
    return found[0], found[1], found[2]
