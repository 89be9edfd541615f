"""The influence of each template and each term on a metric, from which intervals are computed.

The influence of a template is the derivative of the metric by how often the template counts. Sums and squares of
influences give variances (the infinitesimal jackknife, Jaeckel 1972; Efron 1982).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from fairness_checklist.core.arrays import BoolArray, FloatArray, IntArray, divide
from fairness_checklist.core.outcomes import Outcomes
from fairness_checklist.metrics import comparisons, scores
from fairness_checklist.metrics.contrasts import (
    Contrasts,
    cached,
    contrasts_of,
    entered_rows,
    missing,
)
from fairness_checklist.metrics.group_kernels import score_of_sums, sums_of_parts
from fairness_checklist.metrics.metric_forms import Metric, Options
from fairness_checklist.metrics.metric_result import MetricResult
from fairness_checklist.metrics.weights import Weights
from fairness_checklist.statistics.clusters import Clusters
from fairness_checklist.statistics.influence_distributions import (
    Part,
    chunks,
    distribution_parts,
    finite,
    has_distribution_parts,
    ranking_parts,
    sides_of_contrasts,
)
from fairness_checklist.statistics.influence_sources import source_parts
from fairness_checklist.statistics.subsets import Computed, values_without

__all__ = ["Part", "Sides", "influence_parts", "sides_of"]

_NUDGE = 1e-7
_STEP = 1e-8


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
        found = np.empty((self.gradient.shape[2], *inside.shape))
        for k, plane in enumerate(found):
            slope = self.gradient[sets, :, k]
            used = np.flatnonzero(slope.any(axis=0))  # a rate of one class rests on few of the sums
            np.multiply(slope[:, used] @ self.sums[:, used].T, inside, out=plane)
        return found.transpose(2, 1, 0)

    @property
    def margin(self) -> FloatArray:
        """(B, K) how far a rate of 0 (up) or 1 (down) might truly be off, exact over templates; else 0."""
        fine = self.templates > 0
        reach = 1 - 0.025 ** (1 / np.maximum(self.templates, 1))
        direction = np.where(np.abs(self.value) < 1e-12, 1.0, np.where(np.abs(self.value - 1) < 1e-12, -1.0, 0.0))
        return np.where(fine & self.rate, direction * reach, 0.0)


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
    value = score_of_sums(score, whole)
    gradient = (_gradient_of_rate if scores.about(score).kind == "rate" else _gradient_of_mean)(score, whole, value)
    entered = _templates(score, outcomes, clusters, member, group, value.shape[1])
    return Pooled(value, member, gradient, np.nan_to_num(sums), group, entered, scores.about(score).kind == "rate")


def _gradient_of_rate(score: scores.Score, whole: FloatArray, value: FloatArray) -> FloatArray:
    """(B, F, K) the derivatives of a rate of sums (B, F), by central differences."""
    step = 1e-4 * np.maximum(np.nanmax(np.abs(whole), axis=1, initial=1.0), 1.0)
    gradient = np.zeros((*whole.shape, value.shape[1]))
    for f in range(whole.shape[1]):
        up, down = whole.copy(), whole.copy()
        up[:, f] += step
        down[:, f] -= step
        gradient[:, f] = (score_of_sums(score, up) - score_of_sums(score, down)) / (2 * step[:, None])
    return finite(gradient)


def _gradient_of_mean(score: scores.Score, whole: FloatArray, value: FloatArray) -> FloatArray:
    """(B, 2 K, K) the derivatives of a mean by its sums, which come first, and by its weights."""
    inverse = divide(np.ones(value.shape), whole[:, value.shape[1] :], fill=0.0)[:, None] * np.eye(value.shape[1])
    return np.concatenate([inverse, -inverse * np.nan_to_num(value)[:, None]], axis=1)


def _templates(
    score: scores.Score, outcomes: Outcomes, clusters: Clusters, member: FloatArray, group: IntArray, size: int
) -> IntArray:
    """(B, K) how many templates have a row that the score counts in each set."""
    rows = entered_rows(score, outcomes, size)
    n_columns = member.shape[1]
    result = np.zeros((len(member), size), dtype=np.int64)
    for k in range(rows.shape[1]):
        counted = np.zeros(clusters.n_cells, dtype=np.bool_)
        counted[clusters.cell[rows[:, k]]] = True
        there = np.zeros((clusters.n_templates, n_columns), dtype=np.float32)
        there[clusters.template[counted], group[counted]] = 1
        result[:, k] = (there @ (member > 0).astype(np.float32).T > 0).sum(axis=0)
    return result


@dataclass(frozen=True, eq=False)
class Sides:
    """The inputs of the contrasts of a metric: d of the sets ``first`` and ``second`` of one pool of B sets.

    Attributes:
        pool: the scores of the sets.
        first, second: (P,) the sets that d gets, in its order; empty for a metric of all groups.
        also: a second pool of the same sets (equalized odds).
    """

    pool: Pooled
    first: IntArray
    second: IntArray
    also: Pooled | None = None


def scalar_sides(metric: Metric, outcomes: Outcomes, contrasts: Contrasts, clusters: Clusters) -> Sides:
    """The sets behind a group metric of single numbers."""
    own = np.eye(len(outcomes.groups), len(outcomes.groups) + 1)
    if metric.family == "pairwise":
        return Sides(pooled(metric.score, outcomes, clusters, own), contrasts.left, contrasts.right)
    if metric.family == "multigroup":
        also = None if metric.also is None else pooled(metric.also, outcomes, clusters, own)
        nothing = np.zeros(0, dtype=np.int64)
        return Sides(pooled(metric.score, outcomes, clusters, own), nothing, nothing, also)
    backgrounds, groups = sides_of_contrasts(metric, outcomes, contrasts)
    front = pooled(metric.score, outcomes, clusters, groups)
    behind = pooled(metric.background_score or metric.score, outcomes, clusters, backgrounds)
    at = np.arange(len(contrasts.left))
    return Sides(_joined(front, behind), at + len(at), at)


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


def contrasts_from(metric: Metric, sides: Sides, value: FloatArray, also: FloatArray | None = None) -> FloatArray:
    """The contrasts (..., P, K) of scores (..., B, K) of the sets."""
    if metric.family == "multigroup":
        found = comparisons.of_present(metric.compare, np.moveaxis(value, -2, -1))
        if also is not None:
            second = comparisons.of_present(metric.compare, np.moveaxis(also, -2, -1))
            found = comparisons.worse(metric.compare, found, second)
        return found[..., None, :]
    return metric.compare(value[..., sides.first, :], value[..., sides.second, :])


@np.errstate(divide="ignore", invalid="ignore")
def slopes(metric: Metric, sides: Sides) -> tuple[FloatArray, FloatArray]:
    """The derivatives of the contrasts by what they are made of.

    Pairs of sets: (P, K) by the first and by the second. All groups: (B, K) by each, and by the second score of each.
    Evaluated slightly off ties, where d is not differentiable.
    """
    if metric.family == "multigroup":
        both = []
        pools = [sides.pool] if sides.also is None else [sides.pool, sides.also]
        leading = [contrasts_from(metric, sides, pool.value)[0] for pool in pools]
        for i, pool in enumerate(pools):
            at = pool.value + _NUDGE * np.arange(len(pool.value))[:, None]
            here = contrasts_from(metric, sides, at)[0]
            slope = np.zeros(at.shape)
            for b in range(len(at)):
                moved = at.copy()
                moved[b] += _STEP
                slope[b] = (contrasts_from(metric, sides, moved)[0] - here) / _STEP
            first: BoolArray = leading[0] == comparisons.worse(metric.compare, leading[0], leading[-1])
            ahead = first if i == 0 else ~first
            both.append(np.where(np.isfinite(slope) & ahead, slope, 0.0))
        return both[0], both[-1]
    x, y = sides.pool.value[sides.first] + _NUDGE, sides.pool.value[sides.second]
    here = metric.compare(x, y)
    found = (metric.compare(x + _STEP, y) - here) / _STEP, (metric.compare(x, y + _STEP) - here) / _STEP
    return finite(found[0]), finite(found[1])


def scalar_parts(metric: Metric, sides: Sides, clusters: Clusters) -> Iterator[Part]:
    """The influence of each cell on the contrasts, some contrasts at a time."""
    one, two = slopes(metric, sides)
    if metric.family == "multigroup":
        every = np.arange(len(sides.pool.value))
        cell = (sides.pool.cells(every) * one).sum(axis=1, keepdims=True)
        if sides.also is not None:
            cell = cell + (sides.also.cells(every) * two).sum(axis=1, keepdims=True)
        yield Part(np.zeros(1, dtype=np.int64), cell, clusters.in_templates(cell))
        return
    for some in chunks(len(sides.first), clusters.n_cells * one.shape[1]):
        cell = sides.pool.cells(sides.first[some]) * one[some] + sides.pool.cells(sides.second[some]) * two[some]
        yield Part(some, cell, clusters.in_templates(cell))


_BLOCKS = 12  # of templates within a gold class, or of terms of a group, that are left out together


def left_out_parts(
    metric: Metric,
    outcomes: Outcomes,
    options: Options,
    result: MetricResult,
    clusters: Clusters,
) -> Iterator[Part]:
    """The jackknife's influence, of some templates or terms together where there are many."""
    options = replace(options, where="", by="", background="", undefined="report", groupings=None)
    of_row = clusters.template[clusters.cell]
    template = _jackknife(metric, outcomes, options, result, of_row, clusters.stratum)
    term = _jackknife(metric, outcomes, options, result, clusters.term[clusters.cell], clusters.term_group)
    none = np.zeros((1, *result.value.shape))
    count = np.bincount(clusters.term, minlength=clusters.n_terms + 1)
    # spread evenly over the term's cells: none has a part of its own that would be taken off again
    cell = np.concatenate([term, none])[clusters.term] / count[clusters.term][:, None, None]
    yield Part(np.arange(len(result.value)), cell, template)


def _jackknife(
    metric: Metric, outcomes: Outcomes, options: Options, result: MetricResult, code: IntArray, stratum: IntArray
) -> FloatArray:
    """(J, P, K): the mean of the values without some of a stratum - the value without these, weighed as a jackknife.

    The influence of a set that is left out together is assigned to its first member; the sum of squares is the same.
    """
    moved = np.zeros((len(stratum), *result.value.shape))
    split = [
        np.array_split(inside, min(_BLOCKS, len(inside)))
        for inside in (np.flatnonzero(stratum == one) for one in np.unique(stratum))
    ]
    block = np.full(len(stratum) + 1, -1, dtype=np.int64)  # the last: rows without a term, which always stay
    for number, part in enumerate(part for parts in split for part in parts):
        block[part] = number
    size, at = sum(len(parts) for parts in split), 0
    found = values_without(Computed(metric, outcomes, options, result), block[code], np.arange(size))
    for parts in split:
        n, some = sum(len(part) for part in parts), found[at : at + len(parts)]
        without = np.where(np.isnan(some), result.value, some)
        times = np.sqrt((len(parts) - 1) * (n - 1) / (len(parts) * n))
        moved[[part[0] for part in parts]] = (without.mean(axis=0) - without) * times
        at += len(parts)
    return np.nan_to_num(moved)


def sides_of(metric: Metric, outcomes: Outcomes, clusters: Clusters) -> Sides | None:
    """The groups' single numbers behind a group metric; None where it has none."""
    if metric.level != "group" or scores.about(metric.score).kind not in ("rate", "mean"):
        return None
    if any(
        missing(score, outcomes) for score in (metric.score, metric.background_score, metric.also) if score is not None
    ):
        return None
    return scalar_sides(metric, outcomes, contrasts_of(metric, outcomes), clusters)


def influence_parts(
    metric: Metric,
    outcomes: Outcomes,
    options: Options,
    result: MetricResult,
    clusters: Clusters,
    sides: Sides | None = None,
) -> Iterator[Part]:
    """The influence on all contrasts of a metric, some at a time; nothing where it is undefined."""
    if missing(metric.score, outcomes):
        return iter(())
    contrasts = contrasts_of(metric, outcomes)
    if metric.level == "group" or result.by_source is None:
        if sides is not None:
            return scalar_parts(metric, sides, clusters)
        kind = scores.about(metric.score).kind
        if kind == "ranking" and metric.family != "multigroup":
            return ranking_parts(metric, outcomes, contrasts, clusters)
        if kind == "set" and has_distribution_parts(metric, outcomes):
            return distribution_parts(metric, outcomes, contrasts, clusters)
        return left_out_parts(metric, outcomes, options, result, clusters)
    kept = replace(options, where="", by="", background="", undefined="report")
    return source_parts(metric, outcomes, contrasts, kept, result, clusters)
