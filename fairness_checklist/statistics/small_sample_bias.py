"""By how much a metric comes out too large because its groups have few terms.

The Wasserstein distance between eight and eight scores is larger than between eighty and eighty, and an area under a
curve compares a term with itself too often. With half of the terms the bias is larger; the difference shows how much is
too much: the step itself where the surplus falls with the number of terms, 2.4 times the step where it falls with the
root of that number (the half-sample of Quenouille 1949).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from fairness_checklist.core.arrays import BoolArray, FloatArray, IntArray
from fairness_checklist.core.outcomes import Outcomes, select_rows
from fairness_checklist.core.terms_as_groups import by_term
from fairness_checklist.metrics import comparisons, scores
from fairness_checklist.metrics.catalogue import compute
from fairness_checklist.metrics.contrasts import cached, contrasts_of, observations
from fairness_checklist.metrics.engine import shares_sums
from fairness_checklist.metrics.group_kernels import finite, pooled_scores
from fairness_checklist.metrics.item_sets import item_distances
from fairness_checklist.metrics.metric_forms import Metric, Options
from fairness_checklist.metrics.metric_result import MetricResult
from fairness_checklist.metrics.pair_tables import means_between, pair_tables
from fairness_checklist.metrics.scores import Score
from fairness_checklist.metrics.weights import Parts, Weights, as_declared
from fairness_checklist.statistics.clusters import Clusters

_LEAST_TERMS = 4  # terms that a group needs to be halved
_STEPS = 1.4  # between 1 and 2.4; simulations with effects of terms and of sentences need 1.3 to 1.5
_INFLATION = 1.2  # the correction varies too: standard deviations after it are a fifth larger in the same simulations
_ROWS = 500_000


@dataclass(frozen=True, eq=False)
class SmallSampleBias:
    """The small-sample bias of P contrasts.

    Attributes:
        bias: (P, K) the correction to subtract; 0 for metrics without this bias.
        inflation: how many times as wide the interval is to be for that.
    """

    bias: FloatArray
    inflation: float


def small_sample_bias(
    metric: Metric, outcomes: Outcomes, options: Options, result: MetricResult, clusters: Clusters, seed: int
) -> SmallSampleBias:
    """The bias of a metric of distributions or of areas due to a small number of terms."""
    kind, about = scores.about(metric.score).kind, comparisons.about(metric.compare)
    shifted = kind == "ranking" or (kind == "set" and not about.signed)
    sizes = np.bincount(clusters.term_group) if clusters.n_terms else np.zeros(0, dtype=np.int64)
    if not shifted or not clusters.named or not (sizes >= _LEAST_TERMS).any():
        return SmallSampleBias(np.zeros(result.value.shape), 1.0)
    options = replace(options, where="", by="", background="", undefined="report")
    step = _half_sample(metric, outcomes, options, clusters, seed) - result.value
    step = np.where(np.isfinite(step), step, 0.0)
    return (
        SmallSampleBias(step, 1.0) if kind == "ranking" else SmallSampleBias(_STEPS * np.maximum(step, 0.0), _INFLATION)
    )


def _half_sample(metric: Metric, outcomes: Outcomes, options: Options, clusters: Clusters, seed: int) -> FloatArray:
    """(P, K) the mean of the contrasts with half of each group's terms, drawn some times."""
    halves = cached(outcomes, ("halves of the terms", seed), lambda: _halves(outcomes, clusters, seed))
    mean: FloatArray = np.mean([compute(metric, half, options).value for half in halves], axis=0)
    return mean


def _halves(outcomes: Outcomes, clusters: Clusters, seed: int) -> list[Outcomes]:
    """The rows of half of each group's terms, drawn some times; they serve all metrics."""
    random, of_row = np.random.default_rng([seed, 2]), clusters.term[clusters.cell]
    times = int(np.clip(_ROWS // max(1, len(outcomes)), 4, 8))
    drawn = [np.append(_random_half(clusters.term_group, random), True) for _ in range(times)]
    return [select_rows(outcomes, kept[of_row]) for kept in drawn]


def _random_half(group: IntArray, random: np.random.Generator) -> BoolArray:
    """(T,) whether a term is drawn: half of the terms of each group that has enough."""
    kept = np.ones(len(group), dtype=np.bool_)
    for one in np.unique(group):
        inside = np.flatnonzero(group == one)
        if len(inside) >= _LEAST_TERMS:
            kept[inside] = False
            kept[random.choice(inside, len(inside) // 2, replace=False)] = True
    return kept


_CHUNK = 2_000_000
_MOST = 300_000_000  # numbers that a metric with every term as a group of its own may cost


def has_excess(metric: Metric) -> bool:
    """Whether a metric compares pairs of groups by an unsigned comparison."""
    info = comparisons.about(metric.compare)
    return metric.family == "pairwise" and info.commutative and not info.signed


def excess(metric: Metric, parts: Parts, options: Options | None = None) -> FloatArray | None:
    """The excess of each pair of groups, (P, K): NaN where a group has no term with a score.

    Terms without a score are left out, and so are pairs of terms that have no source in common.

    Returns None where every term as a group of its own would take too long, and where terms are matched by concept.
    """
    if options is not None and options.matching:
        return None
    distance = term_distances(metric, parts, options or Options())
    if distance is None:
        return None
    contrasts, group = contrasts_of(metric, parts.outcomes), parts.outcomes.term_group[parts.terms]
    member = (group == np.arange(len(parts.outcomes.groups))[:, None]).astype(np.float64)
    by_class = []
    for plane in np.moveaxis(distance, -1, 0):
        fine = ~np.isnan(plane)
        count = member @ fine @ member.T
        summed = member @ np.where(fine, plane, 0.0) @ member.T
        mean = np.divide(summed, count, out=np.full(count.shape, np.nan), where=count > 0)
        inside = np.diagonal(mean) / 2
        by_class.append(mean[contrasts.left, contrasts.right] - inside[contrasts.left] - inside[contrasts.right])
    return np.stack(by_class, axis=-1)


def term_distances(metric: Metric, parts: Parts, options: Options) -> FloatArray | None:
    """The metric between single terms (T, T, K), of a term with itself on the diagonal; NaN where undefined."""
    kind, size = scores.about(metric.score).kind, len(parts.terms)
    if metric.level == "group" and kind in ("rate", "mean"):
        own = np.eye(size, parts.size)[None]
        phi = pooled_scores(metric.score, parts, own, Weights(as_declared(parts)))[0]
        with np.errstate(divide="ignore", invalid="ignore"):
            return finite(metric.compare(phi[:, None], phi[None]))
    if kind == "single" and shares_sums(metric, options):
        tables = pair_tables(metric, parts, of_cells=True, with_control=False)
        if tables is not None:
            left, right = (side.ravel() for side in np.indices((size, size)))
            distance: FloatArray = means_between(tables, np.eye(size, parts.size)[None], left, right)[0]
            return distance.reshape(size, size, -1)
    if kind == "items" and shares_sums(metric, options):
        return np.moveaxis(item_distances(metric, parts)[:, :size, :size], 0, -1)
    if kind == "set" and metric.level != "group" and shares_sums(metric, options):
        found = parts.cached(("terms apart", metric.score), lambda: _sets_inside_sources(metric.score, parts))
        if found is not None:
            return found
    return _each_term_a_group(metric, parts, options)


def _each_term_a_group(metric: Metric, parts: Parts, options: Options) -> FloatArray | None:
    outcomes, size = parts.outcomes, len(parts.terms)
    units = len(outcomes) if outcomes.units is None else len(outcomes.units.row)
    if size * (size - 1) / 2 * units * max(1, len(outcomes.classes)) > _MOST:
        return None
    again = by_term(outcomes)
    found = compute(metric, again, Options(options.denominator, options.weight, options.max_groupings, options.seed))
    whole = len(again.groups)
    distance = np.full((whole, whole, found.value.shape[1]), np.nan)
    left, right = np.triu_indices(whole, k=1)
    distance[left, right] = distance[right, left] = found.value
    there = ~np.isnan(distance).all(axis=1)
    distance[np.arange(whole), np.arange(whole)] = np.where(there, comparisons.about(metric.compare).no_bias, np.nan)
    at = np.searchsorted(np.flatnonzero(outcomes.term_group >= 0), parts.terms)
    return distance[at[:, None], at]


def _sets_inside_sources(score: Score, parts: Parts) -> FloatArray | None:
    """W1 between the terms' scores in each source, averaged over sources; None where a term's rows differ in weight."""
    values, row, _ = observations(score, parts.outcomes)
    outcomes, size = parts.outcomes, len(parts.terms)
    term, source, weight = parts.code[row], outcomes.source[row], outcomes.weight[row]
    inside = (source >= 0) & outcomes.symmetric[source] & (term >= 0) & (term < size) & (weight > 0)
    by_class = []
    for column in values.T:
        kept = np.flatnonzero(inside & ~np.isnan(column))
        cell = source[kept] * size + term[kept]
        order = np.lexsort((column[kept], cell))
        kept, cell = kept[order], cell[order]
        start = np.flatnonzero(np.append(True, cell[1:] != cell[:-1])) if len(cell) else cell
        length = np.diff(np.append(start, len(cell)))
        if (weight[kept] != np.repeat(weight[kept[start]], length)).any():
            return None
        part, whole = np.zeros((2, size, size))
        sets = [_of_length(column[kept], start, cell, length == v, int(v), size) for v in np.unique(length)]
        for one, two in product(sets, sets):
            _add(part, whole, one, two)
        by_class.append(np.divide(part, whole, out=np.full(part.shape, np.nan), where=whole > 0))
    return np.stack(by_class, axis=-1)


Sets = tuple[IntArray, FloatArray]


def _of_length(value: FloatArray, start: IntArray, cell: IntArray, kept: IntArray, length: int, size: int) -> Sets:
    """The sources with sets of so many scores, and these sorted: (S,) and (V, S, T), NaN where a term has none."""
    where = start[kept]
    sources, at = np.unique(cell[where] // size, return_inverse=True)
    table = np.full((length, len(sources), size), np.nan)
    table[:, at, cell[where] % size] = value[where + np.arange(length)[:, None]]
    return sources, table


def _add(part: FloatArray, whole: FloatArray, one: Sets, two: Sets) -> None:
    """Add W1 between sets of two sizes, the area between their quantile functions, and count the sources."""
    common, i, j = np.intersect1d(one[0], two[0], assume_unique=True, return_indices=True)
    first, second = one[1], two[1]
    edges = np.union1d(np.arange(len(first) + 1) / len(first), np.arange(len(second) + 1) / len(second))
    edges = edges[np.append(True, np.diff(edges) > 1e-12)]
    middle, width = (edges[1:] + edges[:-1]) / 2, np.diff(edges)
    a, b = ((middle * len(side)).astype(np.int64) for side in (first, second))
    step = max(1, _CHUNK // max(1, part.size))
    for at in range(0, len(common), step):
        left, right = first[:, i[at : at + step]], second[:, j[at : at + step]]
        distance = sum(
            w * np.abs(left[p][:, :, None] - right[q][:, None, :]) for p, q, w in zip(a, b, width, strict=True)
        )
        fine = ~np.isnan(distance)
        part += np.where(fine, distance, 0.0).sum(axis=0)
        whole += fine.sum(axis=0)
