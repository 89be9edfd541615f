"""Influence on group metrics of distributions and of rankings: of each cell, by the levels that its scores are on.

What a little mass on each level does to d is known for whole distributions: from one pass over the levels, where
changing them in turn would take as many passes as there are scores. Of d of few levels, and of areas, it comes from
small changes of the arguments.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from scipy.sparse import csr_array

from fairness_checklist.core.arrays import BoolArray, FloatArray, IntArray
from fairness_checklist.core.outcomes import Outcomes
from fairness_checklist.metrics import comparisons, scores
from fairness_checklist.metrics.contrasts import contrasts_of, observations
from fairness_checklist.metrics.metric_forms import Metric
from fairness_checklist.metrics.weights import indicator
from fairness_checklist.statistics.clusters import Clusters
from fairness_checklist.statistics.influence_scores import (
    InfluencePart,
    chunks,
    derivatives,
    finite,
    sides_of_contrasts,
)

_FEW = 64  # distinct values of a distribution, each of which is changed in turn
_STEP = 1e-7

Moved = tuple[FloatArray, FloatArray]  # (F, p) how d moves with mass on each level of the first, and the second set


class _Levels:
    """The scores of one class on F levels; of a ranking first those of other gold classes, then those of this one.

    Attributes:
        value: the u distinct scores, ascending.
        cells: (Q, F) the weight of each cell on each level.
        mass: (F, G + 1) that of each group.
    """

    def __init__(
        self, column: FloatArray, row: IntArray, gold: BoolArray | None, outcomes: Outcomes, clusters: Clusters
    ) -> None:
        self.value, level = np.unique(column, return_inverse=True)
        size = len(self.value) * (1 if gold is None else 2)
        level = level if gold is None else level + gold * len(self.value)
        self.cells = csr_array((outcomes.weight[row], (clusters.cell[row], level)), shape=(clusters.n_cells, size))
        self.mass = np.asarray((indicator(clusters.group, len(outcomes.groups) + 1) @ self.cells).todense()).T


def has_level_parts(metric: Metric, outcomes: Outcomes) -> bool:
    """Whether the influence on a metric of rankings or distributions is known, or cheap by small changes."""
    kind = scores.about(metric.score).kind
    if kind == "ranking":
        return metric.family != "multigroup"
    if kind != "set" or metric.background_score is not None:
        return False
    if metric.compare in _MOVED:
        return True
    values = observations(metric.score, outcomes)[0]
    return scores.about(metric.score).of_decisions and len(np.unique(values[~np.isnan(values)])) <= _FEW


def level_parts(metric: Metric, outcomes: Outcomes, clusters: Clusters) -> Iterator[InfluencePart]:
    """The influence of each cell on the contrasts of a metric of rankings or distributions, some at a time."""
    ranking = scores.about(metric.score).kind == "ranking"
    values, row, _ = observations(metric.score, outcomes)
    by_class = []
    for k, column in enumerate(values.T):
        fine = ~np.isnan(column) & (outcomes.weight[row] > 0)
        gold = None
        if ranking and outcomes.units is not None:
            fine &= outcomes.units.label >= 0
            gold = outcomes.units.label[fine] == k
        by_class.append(_Levels(column[fine], row[fine], gold, outcomes, clusters))
    first, second = sides_of_contrasts(metric, outcomes, contrasts_of(metric, outcomes))
    widest = max((len(scored.mass) for scored in by_class), default=1)
    for some in chunks(len(first), 6 * widest + clusters.n_cells * len(by_class)):
        moved = _by_areas if ranking else _MOVED.get(metric.compare, _by_steps)
        each = [_influence(metric, moved, scored, (first[some], second[some]), clusters) for scored in by_class]
        cell = np.stack(each, axis=2)
        yield InfluencePart(some, cell, clusters.in_templates(cell))


@np.errstate(divide="ignore", invalid="ignore")
def _influence(
    metric: Metric,
    moved: Callable[[Metric, FloatArray, FloatArray, FloatArray], Moved],
    scored: _Levels,
    sides: tuple[FloatArray, FloatArray],
    clusters: Clusters,
) -> FloatArray:
    """(Q, p) the influence of each cell on contrasts whose sides hold so much of each group: (p, G + 1) each."""
    masses = [scored.mass @ side.T for side in sides]
    x, y = (mass / mass.sum(axis=0) for mass in masses)
    cell = np.zeros((clusters.n_cells, len(sides[0])))
    for side, mass, share, by_level in zip(sides, masses, (x, y), moved(metric, scored.value, x, y), strict=True):
        slope = (by_level - (share * by_level).sum(axis=0)) / mass.sum(axis=0)
        cell += np.asarray(scored.cells @ finite(slope)) * side[:, clusters.group].T
    return cell


def _by_areas(metric: Metric, levels: FloatArray, x: FloatArray, y: FloatArray) -> Moved:
    """Of d of the wins between both sides' positives and negatives, and their shares."""
    up, down = [side[len(levels) :] for side in (x, y)], [side[: len(levels)] for side in (x, y)]
    below = [np.cumsum(d, axis=0) - d / 2 for d in down]
    above = [u.sum(axis=0) - np.cumsum(u, axis=0) + u / 2 for u in up]
    wins = np.array([(up[i] * below[j]).sum(axis=0) for i in (0, 1) for j in (0, 1)])
    wins *= 1 + 1e-6 * np.arange(4)[:, None]  # off ties
    shares = np.array([side.sum(axis=0) for side in (*up, *down)])

    def compared(arguments: FloatArray) -> FloatArray:
        """d of (n, 8, p): wins of each side's positives over each side's negatives, positives and negatives."""
        several = np.moveaxis(arguments, 1, -1)
        return np.array([metric.compare(one[:, :4].reshape(-1, 2, 2), one[:, 4:6], one[:, 6:]) for one in several])

    slope = derivatives(compared, np.concatenate([wins, shares]), _STEP)
    slope_wins, positive, negative = slope[:4].reshape(2, 2, -1), slope[4:6], slope[6:]
    first, second = (
        np.concatenate(
            [
                negative[i] + sum(slope_wins[j, i] * above[j] for j in (0, 1)),
                positive[i] + sum(slope_wins[i, j] * below[j] for j in (0, 1)),
            ]
        )
        for i in (0, 1)
    )
    return first, second


def _by_distribution_functions(metric: Metric, levels: FloatArray, x: FloatArray, y: FloatArray) -> Moved:
    """Of W1 = int |F - G|: mass moves F from its level on."""
    distance = np.cumsum(x - y, axis=0)
    sign = np.sign(np.where(np.abs(distance) < 1e-12, 0.0, distance)) * np.append(np.diff(levels), 0.0)[:, None]
    slope = np.cumsum(sign[::-1], axis=0)[::-1]
    return slope, -slope


def _by_wins(metric: Metric, levels: FloatArray, x: FloatArray, y: FloatArray) -> Moved:
    """Of 1/2 - P(first above second), ties half."""
    return y / 2 - np.cumsum(y, axis=0), np.cumsum(x, axis=0) - x.sum(axis=0) - x / 2


_MOVED = {
    comparisons.wasserstein_1: _by_distribution_functions,
    comparisons.average_equality_gap: _by_wins,
}


def _by_steps(metric: Metric, levels: FloatArray, x: FloatArray, y: FloatArray) -> Moved:
    """Of any d of few levels, by a small change at each; levels that a set does not have stay out."""
    here, sides = metric.compare(levels, x, y), (x, y)
    result = np.zeros((2, *x.shape))
    for which, u in np.ndindex(2, len(levels)):
        moved = [side.copy() for side in sides]
        moved[which][u] += _STEP
        moved[which] /= moved[which].sum(axis=0)
        result[which, u] = finite((metric.compare(levels, *moved) - here) / _STEP)
    return result[0], result[1]
