"""Rates and means of groups, what each cell adds to them, and its influence on the metrics that compare them.

`InfluencePart` and the small functions at the head serve the other influence modules as well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from fairness_checklist.core.arrays import FloatArray, IntArray, divide
from fairness_checklist.core.outcomes import Outcomes
from fairness_checklist.metrics import comparisons, scores
from fairness_checklist.metrics.contrasts import Contrasts, cached, contrasts_of, entered_rows, group_weights, missing
from fairness_checklist.metrics.group_kernels import score_of_sums, sums_of_parts
from fairness_checklist.metrics.metric_forms import Metric
from fairness_checklist.metrics.weights import Weights
from fairness_checklist.statistics.clusters import Clusters

_CELLS = 2_000_000
_STEP = 1e-7  # rounding and curvature are both far below a millionth of the derivative


@dataclass(frozen=True, eq=False)
class InfluencePart:
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


def finite(values: FloatArray) -> FloatArray:
    """The values, 0 for those that are not finite: a derivative that does not exist moves nothing."""
    return np.where(np.isfinite(values), values, 0.0)


@np.errstate(divide="ignore", invalid="ignore")
def derivatives(function: Callable[[FloatArray], FloatArray], arguments: FloatArray, step: float) -> FloatArray:
    """(N, ...) how a function, which takes (n, N, ...) at once, moves with each of N arguments: central differences."""
    slopes = []
    for some in chunks(len(arguments), arguments.size):
        by = np.zeros((len(some), *arguments.shape))
        by[np.arange(len(some)), some] = step
        slopes.append((function(arguments + by) - function(arguments - by)) / (2 * step))
    return finite(np.concatenate(slopes))


@dataclass(frozen=True, eq=False)
class Pooled:
    """A rate or mean of B sets of groups, and how each cell moves it.

    Attributes:
        value: (B, K), NaN where undefined.
        member: (B, L) which groups make up each set.
        gradient: (B, F, K) of the value by the F sums of a cell.
        sums: (Q, F) of each cell.
        group: (Q,) the group of each cell.
        templates: (B, K) how many templates enter.
    """

    value: FloatArray
    member: FloatArray
    gradient: FloatArray
    sums: FloatArray
    group: IntArray
    templates: IntArray
    rate: bool

    def cells(self, sets: IntArray) -> FloatArray:
        """(Q, b, K) the influence of each cell on some of the sets."""
        inside = self.member[sets][:, self.group]
        influence = np.empty((self.gradient.shape[2], *inside.shape))
        for k, plane in enumerate(influence):
            slope = self.gradient[sets, :, k]
            used = np.flatnonzero(slope.any(axis=0))  # a rate of one class rests on few of the sums
            np.multiply(slope[:, used] @ self.sums[:, used].T, inside, out=plane)
        return influence.transpose(2, 1, 0)

    @property
    def margin(self) -> FloatArray:
        """(B, K) how far a rate of 0 (up) or 1 (down) might truly be off, exact over templates; else 0."""
        reach = 1 - 0.025 ** (1 / np.maximum(self.templates, 1))
        direction = np.where(np.abs(self.value) < 1e-12, 1.0, np.where(np.abs(self.value - 1) < 1e-12, -1.0, 0.0))
        return np.where((self.templates > 0) & self.rate, direction * reach, 0.0)


@np.errstate(divide="ignore", invalid="ignore")
def pooled(
    score: scores.Score, outcomes: Outcomes, clusters: Clusters, member: FloatArray, group: IntArray | None = None
) -> Pooled:
    """A rate or mean of sets of groups, with its influence.

    Shapes: member (B, L); group (Q,).
    """
    group = clusters.group if group is None else group
    cells = cached(outcomes, "cells", lambda: clusters.as_parts(outcomes))
    sums = sums_of_parts(score, cells, Weights(np.empty(0)))
    whole = member @ np.stack([np.bincount(group, weights=f, minlength=member.shape[1]) for f in sums.T], axis=1)
    value, rate = score_of_sums(score, whole), scores.about(score).kind == "rate"
    if rate:
        scale = np.maximum(np.nanmax(np.abs(whole), axis=1, initial=1.0), 1.0)[:, None]
        slopes = derivatives(
            lambda shares: score_of_sums(score, np.swapaxes(shares, -1, -2) * scale), (whole / scale).T, 1e-4
        )
        gradient = np.ascontiguousarray(np.moveaxis(slopes, 0, 1)) / scale[:, None]
    else:  # a mean of sums, which come first, and weights
        inverse = divide(np.ones(value.shape), whole[:, value.shape[1] :], fill=0.0)[:, None] * np.eye(value.shape[1])
        gradient = np.concatenate([inverse, -inverse * np.nan_to_num(value)[:, None]], axis=1)
    entered = _templates(score, outcomes, clusters, member, group, value.shape[1])
    return Pooled(value, member, gradient, np.nan_to_num(sums), group, entered, rate)


def _templates(
    score: scores.Score, outcomes: Outcomes, clusters: Clusters, member: FloatArray, group: IntArray, size: int
) -> IntArray:
    """(B, K) how many templates have a row that the score counts in each set."""
    rows = entered_rows(score, outcomes, size)
    result = np.zeros((len(member), size), dtype=np.int64)
    for k in range(size):
        counted = np.bincount(clusters.cell[rows[:, k]], minlength=clusters.n_cells) > 0
        there = np.zeros((clusters.n_templates, member.shape[1]), dtype=np.float32)
        there[clusters.template[counted], group[counted]] = 1
        result[:, k] = (there @ (member > 0).astype(np.float32).T > 0).sum(axis=0)
    return result


def _joined(a: Pooled, b: Pooled) -> Pooled:
    """Two pools as one: the sums of both are side by side, unless they are the same."""
    value, member, templates = (
        np.concatenate([getattr(pool, name) for pool in (a, b)]) for name in ("value", "member", "templates")
    )
    if a.sums is b.sums:
        return Pooled(value, member, np.concatenate([a.gradient, b.gradient]), a.sums, a.group, templates, a.rate)
    width = a.sums.shape[1]
    gradient = np.zeros((len(value), width + b.sums.shape[1], value.shape[1]))
    gradient[: len(a.value), :width] = a.gradient
    gradient[len(a.value) :, width:] = b.gradient
    sums = np.concatenate([a.sums, b.sums], axis=1)
    return Pooled(value, member, gradient, sums, a.group, templates, a.rate)


@dataclass(frozen=True, eq=False)
class ScoreSides:
    """The arguments of d in the contrasts of a group metric of single numbers: sets of one pool of B sets.

    Attributes:
        metric: the metric.
        pool: the scores of the sets.
        sets: (N, P) the sets that d gets in each contrast, in its order: two, or all groups (of equalized odds twice).
    """

    metric: Metric
    pool: Pooled
    sets: IntArray

    def contrasts(self, value: FloatArray) -> FloatArray:
        """The contrasts (..., P, K) of scores (..., B, K) of the sets."""
        return self._compared(value[..., self.sets, :])

    def _compared(self, arguments: FloatArray) -> FloatArray:
        """(..., P, K) d of arguments (..., N, P, K)."""
        if self.metric.family != "multigroup":
            return self.metric.compare(arguments[..., 0, :, :], arguments[..., 1, :, :])
        return comparisons.worse(self.metric.compare, *self._by_score(arguments))

    def _by_score(self, arguments: FloatArray) -> tuple[FloatArray, FloatArray]:
        """(..., P, K) d of all groups, by the first and by the second score; twice the same where there is one."""
        by_score = np.split(arguments, 1 if self.metric.also is None else 2, axis=-3)
        values = [comparisons.of_present(self.metric.compare, np.moveaxis(phi, -3, -1)) for phi in by_score]
        return values[0], values[-1]

    def slopes(self) -> FloatArray:
        """(N, P, K) the derivatives of d by its arguments; at ties, where d has none, slightly off them."""
        arguments, size = self.pool.value[self.sets], len(self.sets)
        nudge = np.arange(size) if self.metric.family == "multigroup" else np.array([1, 0])
        tied = (np.diff(np.sort(arguments, axis=0), axis=0) < 2 * _STEP).any(axis=0)
        if self.metric.also is not None:  # of two values of d that are equal the first leads
            nudge = np.concatenate([2 * nudge[: size // 2], nudge[: size // 2]])
            tied |= np.abs(np.subtract(*self._by_score(arguments))) < 2 * _STEP
        return derivatives(self._compared, arguments + 3 * _STEP * tied * nudge[:, None, None], _STEP)

    def parts(self, clusters: Clusters) -> Iterator[InfluencePart]:
        """The influence of each cell on the contrasts, some contrasts at a time."""
        slopes = self.slopes()
        for some in chunks(self.sets.shape[1], clusters.n_cells * slopes.shape[2]):
            each = zip(self.sets, slopes, strict=True)
            cell = np.asarray(sum(self.pool.cells(sets[some]) * slope[some] for sets, slope in each))
            yield InfluencePart(some, cell, clusters.in_templates(cell))


def sides_of_contrasts(metric: Metric, outcomes: Outcomes, contrasts: Contrasts) -> tuple[FloatArray, FloatArray]:
    """The weight of each group on both sides (P, G + 1) of each contrast, in the order of the arguments of d."""
    own = np.eye(len(outcomes.groups), len(outcomes.groups) + 1)
    if metric.family == "pairwise":
        return own[contrasts.left], own[contrasts.right]
    return metric.membership(outcomes.groups, group_weights(outcomes))[contrasts.left], own[contrasts.left]


def sides_of(metric: Metric, outcomes: Outcomes, clusters: Clusters) -> ScoreSides | None:
    """The groups' single numbers behind a group metric; None where it has none."""
    used = [score for score in (metric.score, metric.background_score, metric.also) if score is not None]
    if metric.level != "group" or scores.about(metric.score).kind not in ("rate", "mean"):
        return None
    if any(missing(score, outcomes) for score in used):
        return None
    contrasts, own = contrasts_of(metric, outcomes), np.eye(len(outcomes.groups), len(outcomes.groups) + 1)
    if metric.family == "background":
        behind, groups = sides_of_contrasts(metric, outcomes, contrasts)
        front = pooled(metric.score, outcomes, clusters, groups)
        back = pooled(metric.background_score or metric.score, outcomes, clusters, behind)
        at = np.arange(len(contrasts.left))
        return ScoreSides(metric, _joined(front, back), np.stack([at + len(at), at]))
    pool = pooled(metric.score, outcomes, clusters, own)
    if metric.family == "pairwise":
        return ScoreSides(metric, pool, np.stack([contrasts.left, contrasts.right]))
    if metric.also is not None:
        pool = _joined(pool, pooled(metric.also, outcomes, clusters, own))
    return ScoreSides(metric, pool, np.arange(len(pool.value))[:, None])
