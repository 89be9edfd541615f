"""The two intervals of every value of a metric: *these terms*, and *terms like these*."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from fairness_checklist.core.arrays import BoolArray, FloatArray
from fairness_checklist.core.outcomes import Outcomes
from fairness_checklist.metrics import comparisons, scores
from fairness_checklist.metrics.definitions import of_contrast, of_total
from fairness_checklist.metrics.metric_forms import Metric
from fairness_checklist.metrics.metric_result import MetricResult, totals
from fairness_checklist.metrics.weights import indicator
from fairness_checklist.statistics.clusters import Clusters, clusters_of, summed
from fairness_checklist.statistics.influence import influence_parts
from fairness_checklist.statistics.influence_scores import Pooled, ScoreSides, pooled, sides_of
from fairness_checklist.statistics.small_sample_bias import small_sample_bias
from fairness_checklist.statistics.subsets import Computed, plain_options
from fairness_checklist.statistics.variance import draw_within, spread_of

Ends = Mapping[tuple[str, str, str], dict[str, float]]
COLUMNS = ("ci_low", "ci_high", "ci_low_terms", "ci_high_terms")
_SIGNS = np.array([-1.0, 1.0, -1.0, 1.0])[:, None, None]
_BIAS_DRAWS = 200
_MANY = 2_000  # with more templates, Student's t replaces the draws


@dataclass(frozen=True, eq=False)
class Resamples:
    """Shared by all metrics of the same outcomes: their clusters, and the draws of templates and of terms."""

    outcomes: Outcomes
    clusters: Clusters
    draws: FloatArray | None
    terms: FloatArray
    seed: int


def resamples_of(outcomes: Outcomes, *, draws: int = 999, seed: int = 0) -> Resamples:
    """Draw the resamples once; they serve every metric of these outcomes. With too many templates there are none."""
    clusters = clusters_of(outcomes)
    drawn = draws and clusters.n_templates <= _MANY
    templates = draw_within(clusters.stratum, draws, np.random.default_rng(seed)) if drawn else None
    terms = draw_within(clusters.term_group, _BIAS_DRAWS, np.random.default_rng([seed, 1])) - 1.0
    return Resamples(outcomes, clusters, templates, terms, seed)


def intervals_of(result: MetricResult, resamples: Resamples) -> Ends:
    """{(class, left, right): {low, high, low_terms, high_terms}} for every row of a metric's result.

    Returns 95 % intervals; NaN where a value is undefined, where there is one template only, and for *terms like these*
    where a group has one term only, rows name no term, or terms are pairs of two attributes' terms.
    """
    outcomes, metric, clusters = resamples.outcomes, result.metric, resamples.clusters
    computed = Computed(metric, outcomes, plain_options(result.options), result)
    weights, sides = _combinations(result), sides_of(metric, outcomes, clusters)
    spreads: list[FloatArray] = []
    whole_cell = whole_template = np.zeros(())
    for part in influence_parts(computed, clusters, sides):
        spreads.append(spread_of(part.template, part.cell, clusters, resamples.draws))
        whole_cell = whole_cell + np.einsum("qpk,rpk->qrk", part.cell, weights[:, part.at])
        whole_template = whole_template + np.einsum("jpk,rpk->jrk", part.template, weights[:, part.at])
    if not spreads:
        return {}
    few = small_sample_bias(computed, clusters, resamples.seed)
    one_term, single = _rests_on_one_term(result, outcomes, clusters), _rests_on_one_template(result, sides, clusters)
    margins, combined_few = _margins(sides, weights), np.einsum("rpk,pk->rk", weights, few.bias)
    ends: dict[tuple[str, str, str], dict[str, float]] = {}
    if metric.family != "multigroup":
        spread = _widened(np.concatenate(spreads, axis=1), few.inflation, margins[0], few.bias, one_term)
        rows = _Rows(tuple(zip(result.left, result.right, strict=True)), np.where(single, np.nan, result.value))
        bias = np.stack([np.zeros(result.value.shape), few.bias])
        ends |= rows.ends(spread, bias, _limits(metric, len(result.value), outcomes, combined=False), result.classes)
    if len(weights):
        spread = spread_of(whole_template, whole_cell, clusters, resamples.draws)
        lone = (weights[:, one_term] != 0).any(axis=(1, 2))
        spread = _widened(spread, few.inflation, margins[1], combined_few, lone)
        bias = _biases(sides, weights, result, resamples)
        bias[1] += combined_few
        rows = _combined_rows(result, weights, single)
        ends |= rows.ends(spread, bias, _limits(metric, len(weights), outcomes, combined=True), result.classes)
    return ends


def _widened(
    spread: FloatArray, inflation: float, margin: FloatArray, few: FloatArray, one_term: BoolArray
) -> FloatArray:
    """The spread (4, R, K) with the margin (2, R, K) of rates; half of the correction for few terms is uncertain too.

    Shapes: few (R, K), the correction; one_term (R,), where the variance over terms is unknown.
    """
    times = np.array([1.0, 1.0, inflation, inflation])[:, None, None]
    wider: FloatArray = np.hypot(spread * times, np.concatenate([margin, np.hypot(margin, np.abs(few) / 2)]))
    wider[2:, one_term] = np.nan
    return wider


def _rests_on_one_term(result: MetricResult, outcomes: Outcomes, clusters: Clusters) -> BoolArray:
    """(P,) whether a group that a contrast compares has one term only: the variance over terms is then unknown."""
    count = np.bincount(clusters.term_group, minlength=len(outcomes.groups))
    if outcomes.crossed:  # pairs of terms share words, so that they are not independent
        return np.ones(len(result.value), dtype=np.bool_)
    one_term = {name for name, n in zip(outcomes.groups, count, strict=True) if n == 1}
    if result.metric.family == "multigroup":
        return np.full(len(result.value), bool(one_term))
    return np.array([bool(one_term & {a, b}) for a, b in zip(result.left, result.right, strict=True)], dtype=np.bool_)


def _rests_on_one_template(result: MetricResult, sides: ScoreSides | None, clusters: Clusters) -> BoolArray:
    """(P, K) whether a contrast rests on a single template: no variance over templates is known; exact bounds stay."""
    if result.by_source is not None:
        matrix = indicator(clusters.of_source, clusters.n_templates)
        there = summed(matrix, (~np.isnan(result.by_source)).astype(np.float64)) > 0
        return np.asarray(there.sum(axis=0) <= 1)
    if sides is None:
        return np.asarray(result.n <= 1)
    single = (sides.pool.templates == 1) & (sides.pool.margin == 0)
    return np.asarray(single[sides.sets].any(axis=0))


def _combinations(result: MetricResult) -> FloatArray:
    """(R, P, K) how the total and each group's mean over its pairs are made of the contrasts."""
    defined = ~np.isnan(result.value)
    if result.metric.family == "multigroup":
        return defined[None].astype(np.float64)
    rows = []
    if result.total is not None:
        n_groups = len(result.groups)
        number = {name: g for g, name in enumerate(result.groups)}
        left = np.array([number[name] for name in result.left])
        right = np.array([number.get(name, -1) if result.metric.family == "pairwise" else -1 for name in result.right])
        ones = totals(result.metric, n_groups, left, right, np.where(defined, 1.0, np.nan))
        count = defined.sum(axis=0)
        each = np.divide(ones if ones is not None else count, count, out=np.zeros(len(count)), where=count > 0)
        rows.append(np.where(defined, each, 0.0))
        if result.metric.family == "pairwise" and n_groups > 2:
            for g in range(n_groups):
                inside = defined & ((left == g) | (right == g))[:, None]
                rows.append(np.where(inside, 1 / np.maximum(inside.sum(axis=0), 1), 0.0))
    return np.array(rows).reshape(len(rows), *result.value.shape)


@dataclass(frozen=True, eq=False)
class _Rows:
    """R rows of a result: both sides of each, and the values (R, K), NaN where there is no interval."""

    sides: tuple[tuple[str, str], ...]
    value: FloatArray

    @np.errstate(invalid="ignore")
    def ends(
        self, spread: FloatArray, bias: FloatArray, limits: tuple[FloatArray, FloatArray], classes: tuple[str, ...]
    ) -> dict[tuple[str, str, str], dict[str, float]]:
        """`COLUMNS` of each row from spreads (4, R, K), corrections of both intervals (2, R, K) and limits (R,)."""
        correction = np.repeat(bias, 2, axis=0)
        reach = np.maximum(spread, np.abs(correction))  # the value itself stays inside
        ends = np.clip(self.value - correction + _SIGNS * reach, limits[0][:, None], limits[1][:, None])
        return {
            (label, left, right): dict(zip(COLUMNS, ends[:, r, k].tolist(), strict=True))
            for k, label in enumerate(classes)
            for r, (left, right) in enumerate(self.sides)
        }


def _combined_rows(result: MetricResult, weights: FloatArray, single: BoolArray) -> _Rows:
    sides = (("*", ""), *((group, "others") for group in result.groups))[: len(weights)]
    values = (weights * np.nan_to_num(result.value)).sum(axis=1)
    used = weights != 0
    return _Rows(sides, np.where(used.any(axis=1) & ~(used & single).any(axis=1), values, np.nan))


def _limits(metric: Metric, rows: int, outcomes: Outcomes, *, combined: bool) -> tuple[FloatArray, FloatArray]:
    """(R,) the least and the greatest value that can come out; a total, where there is one, comes first."""
    tagger, about = outcomes.decisions is not None, comparisons.about(metric.compare)
    ranges = [of_contrast(metric, tagger=tagger)] * rows
    if combined and rows:
        ranges[0] = of_total(metric, tagger=tagger) or ranges[0]
    least = 0.0 if not about.signed and about.no_bias == 0 else -np.inf
    ends = [bounds.of(len(outcomes.groups)) if bounds.known else (least, np.inf) for bounds in ranges]
    low, high = np.array(ends, dtype=np.float64).reshape(-1, 2).T
    return low, high


def _margins(sides: ScoreSides | None, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
    """How far contrasts and their combinations (2, R, K) move, down and up, with a rate without (or only) errors."""
    n_combined, n_contrasts, n_classes = weights.shape
    if sides is None:
        return np.zeros((2, n_contrasts, n_classes)), np.zeros((2, n_combined, n_classes))
    moved = sides.slopes() * sides.pool.margin[sides.sets]
    combined = np.zeros((n_combined, *sides.pool.value.shape))
    for by_set, weight in zip(combined, weights, strict=True):
        np.add.at(by_set, sides.sets, weight * moved)
    return _by_direction(np.swapaxes(moved, 0, 1)), _by_direction(combined)


def _by_direction(moved: FloatArray) -> FloatArray:
    """(2, R, K) the root of the sum of squares over (R, B, K), down and up."""
    return np.stack(
        [np.sqrt((np.minimum(moved, 0) ** 2).sum(axis=1)), np.sqrt((np.maximum(moved, 0) ** 2).sum(axis=1))]
    )


@np.errstate(invalid="ignore", divide="ignore")
def _biases(sides: ScoreSides | None, weights: FloatArray, result: MetricResult, resamples: Resamples) -> FloatArray:
    """(2, R, K) by how much sums of distances and ranges come out too large by chance, in both designs."""
    biases = np.zeros((2, weights.shape[0], weights.shape[2]))
    if sides is None or comparisons.about(result.metric.compare).signed or resamples.draws is None or not len(weights):
        return biases
    clusters, times = resamples.clusters, resamples.draws[:_BIAS_DRAWS] - 1.0
    cells = sides.pool.cells(np.arange(len(sides.pool.value)))
    by_template = sides.pool.value + np.tensordot(times, clusters.in_templates(cells), axes=1)
    by_terms = np.tensordot(resamples.terms[: len(times)], clusters.in_terms(cells), axes=1)
    for design, values in enumerate((by_template, by_template + by_terms)):
        again = sides.contrasts(values)
        distance = np.where(np.isfinite(again), again, result.value) - result.value
        biases[design] = np.einsum("rpk,pk->rk", weights, np.nan_to_num(distance.mean(axis=0)))
    return biases


_MOST = 5_000_000  # templates times terms times classes


def score_intervals(score: scores.Score, outcomes: Outcomes, resamples: Resamples) -> tuple[FloatArray, FloatArray]:
    """95 % intervals of a score, as `COLUMNS` in the last place.

    Returns (G + 2, K, 4) overall, by group and of the unmarked control; (T, K, 4) by term in ``outcomes.terms``, *these
    terms* only. A rate of 0 or 1 has an exact binomial bound over the templates that enter (Clopper and Pearson 1934).
    """
    size = len(outcomes.groups)
    member = np.eye(size + 2, size + 1, k=-1)
    member[0, :size] = 1
    pool = pooled(score, outcomes, resamples.clusters, member)
    cells = pool.cells(np.arange(size + 2))
    spread = spread_of(resamples.clusters.in_templates(cells), cells, resamples.clusters, resamples.draws)
    of_groups = _score_ends(score, pool, spread)
    return of_groups, _by_term(score, outcomes, resamples, of_groups.shape[1])


def _score_ends(score: scores.Score, pool: Pooled, spread: FloatArray) -> FloatArray:
    """(B, K, 4) the ends of the intervals, inside [0, 1] for rates that are shares and means of probabilities."""
    margin = np.array([np.maximum(-pool.margin, 0.0), np.maximum(pool.margin, 0.0)] * 2)
    ends = np.moveaxis(pool.value + _SIGNS * np.hypot(spread, margin), 0, 2)
    of_shares = score in (scores.mean_probability, scores.mean_target_probability)
    if pool.rate or of_shares:
        ends = np.clip(ends, 0.0, 1.0 if of_shares or np.nan_to_num(pool.value).max(initial=0.0) <= 1 else np.inf)
    single = (pool.templates == 1) & (pool.margin == 0)  # with one template the variance over templates is unknown
    return np.where((np.isnan(pool.value) | single)[..., None], np.nan, ends)


def _by_term(score: scores.Score, outcomes: Outcomes, resamples: Resamples, n_classes: int) -> FloatArray:
    clusters = resamples.clusters
    result = np.full((len(outcomes.terms), n_classes, 4), np.nan)
    if not clusters.n_terms or clusters.n_templates * clusters.n_terms * n_classes > _MOST:
        return result
    own_set = np.eye(clusters.n_terms, clusters.n_terms + 1)
    pool = pooled(score, outcomes, clusters, own_set, clusters.term)
    code = np.where(clusters.term < clusters.n_terms, clusters.template * clusters.n_terms + clusters.term, -1)
    own = np.einsum("qf,qfk->qk", pool.sums, pool.gradient[np.minimum(clusters.term, clusters.n_terms - 1)])
    inside = code >= 0
    sums = summed(indicator(code[inside], clusters.n_templates * clusters.n_terms), own[inside])
    template = sums.reshape(clusters.n_templates, clusters.n_terms, -1)
    result[clusters.terms] = _score_ends(score, pool, spread_of(template, None, clusters, resamples.draws))
    return result
