"""The two intervals of every value of a metric: *these terms*, and *terms like these*."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from fairness_checklist.core.arrays import BoolArray, FloatArray, IntArray
from fairness_checklist.core.outcomes import Outcomes
from fairness_checklist.metrics import comparisons, scores
from fairness_checklist.metrics.definitions import of_contrast, of_total
from fairness_checklist.metrics.metric_forms import Metric
from fairness_checklist.metrics.metric_result import MetricResult, totals
from fairness_checklist.metrics.weights import indicator
from fairness_checklist.statistics.clusters import Clusters, clusters_of, summed
from fairness_checklist.statistics.influence import influence_parts
from fairness_checklist.statistics.influence_scores import Pooled, Sides, pooled, sides_of
from fairness_checklist.statistics.small_sample_bias import SmallSampleBias, small_sample_bias
from fairness_checklist.statistics.subsets import Computed, plain_options
from fairness_checklist.statistics.variance import Spread, draw_templates, spread_of

Ends = Mapping[tuple[str, str, str], dict[str, float]]
_BIAS_DRAWS = 200


@dataclass(frozen=True, eq=False)
class Resamples:
    """Shared by all metrics of the same outcomes: their clusters, and the draws of templates and of terms."""

    outcomes: Outcomes
    clusters: Clusters
    draws: FloatArray | None
    terms: FloatArray
    seed: int


def resamples_of(outcomes: Outcomes, *, draws: int = 999, seed: int = 0) -> Resamples:
    """Draw the resamples once; they serve every metric of these outcomes."""
    clusters = clusters_of(outcomes)
    random = np.random.default_rng([seed, 1])
    terms = np.zeros((_BIAS_DRAWS, clusters.n_terms))
    for group in np.unique(clusters.term_group):
        inside = np.flatnonzero(clusters.term_group == group)
        terms[:, inside] = (
            random.multinomial(len(inside), np.full(len(inside), 1 / len(inside)), size=_BIAS_DRAWS) - 1.0
        )
    return Resamples(outcomes, clusters, draw_templates(clusters, draws, seed), terms, seed)


def intervals_of(result: MetricResult, resamples: Resamples) -> Ends:
    """{(class, left, right): {low, high, low_terms, high_terms}} for every row of a metric's result.

    Returns 95 % intervals; NaN where a value is undefined, where there is one template only, and for *terms like these*
    where a group has one term only, rows name no term, or terms are pairs of two attributes' terms.
    """
    outcomes, metric = resamples.outcomes, result.metric
    computed = Computed(metric, outcomes, plain_options(result.options), result)
    weights = _combinations(result)
    sides = sides_of(metric, outcomes, resamples.clusters)
    spreads: list[tuple[IntArray, Spread]] = []
    single = _of_one_template(result, sides, resamples.clusters)
    whole_cell = whole_template = 0.0
    for part in influence_parts(computed, resamples.clusters, sides):
        spreads.append((part.at, spread_of(part.template, part.cell, resamples.clusters, resamples.draws)))
        for_these = weights[:, part.at]
        whole_cell = whole_cell + np.einsum("qpk,rpk->qrk", part.cell, for_these)
        whole_template = whole_template + np.einsum("jpk,rpk->jrk", part.template, for_these)
    if not spreads:
        return {}
    combined = None
    if len(weights):
        combined = spread_of(np.asarray(whole_template), np.asarray(whole_cell), resamples.clusters, resamples.draws)
    bias = _biases(sides, weights, result, resamples)
    small_sample = small_sample_bias(computed, resamples.clusters, resamples.seed)
    combined_few = replace(small_sample, bias=np.einsum("rpk,pk->rk", weights, small_sample.bias))
    bias[1] += combined_few.bias
    one_term = _of_one_term(result, outcomes, resamples.clusters)
    margins = _margins(sides, weights)
    ends: dict[tuple[str, str, str], dict[str, float]] = {}
    if metric.family != "multigroup":
        keys = list(zip(result.left, result.right, strict=True))
        unbiased = np.stack([np.zeros(result.value.shape), small_sample.bias])
        every, limits = (
            _inflated(_in_order(spreads), small_sample),
            _limits(metric, len(keys), outcomes, combined=False),
        )
        wider = _with_bias_margin(margins[0], small_sample)
        ends |= _ends(_Rows(keys, result.value, every, wider, unbiased, one_term, limits, single), result.classes)
    if combined is not None:
        keys, values = _combined_rows(result, weights)
        one_template = (weights[:, one_term] != 0).any(axis=(1, 2))
        every, limits = _inflated(combined, small_sample), _limits(metric, len(keys), outcomes, combined=True)
        rests = ((weights != 0) & single).any(axis=1)
        both = _with_bias_margin(margins[1], combined_few)
        ends |= _ends(_Rows(keys, values, every, both, bias, one_template, limits, rests), result.classes)
    return ends


def _in_order(spreads: list[tuple[IntArray, Spread]]) -> Spread:
    """The spreads of all contrasts, in their order."""
    order = np.argsort(np.concatenate([at for at, _spread in spreads]))
    names = Spread.__dataclass_fields__
    return Spread(*(np.concatenate([getattr(spread, name) for _at, spread in spreads])[order] for name in names))


def _inflated(spread: Spread, bias: SmallSampleBias) -> Spread:
    return replace(
        spread, below_terms=spread.below_terms * bias.inflation, above_terms=spread.above_terms * bias.inflation
    )


def _with_bias_margin(margin: FloatArray, bias: SmallSampleBias) -> FloatArray:
    """(4, R, K) widths added to both intervals below and above: half of the correction for few terms is uncertain."""
    return np.concatenate([margin, np.hypot(margin, np.abs(bias.bias) / 2)])


def _of_one_term(result: MetricResult, outcomes: Outcomes, clusters: Clusters) -> BoolArray:
    """(P,) whether a group that a contrast compares has one term only: the variance over terms is then unknown."""
    count = np.bincount(clusters.term_group, minlength=len(outcomes.groups))
    if outcomes.crossed:  # pairs of terms share words, so that they are not independent
        return np.ones(len(result.value), dtype=np.bool_)
    one_term = {name for name, n in zip(outcomes.groups, count, strict=True) if n == 1}
    if result.metric.family == "multigroup":
        return np.full(len(result.value), bool(one_term))
    return np.array([bool(one_term & {a, b}) for a, b in zip(result.left, result.right, strict=True)], dtype=np.bool_)


def _of_one_template(result: MetricResult, sides: Sides | None, clusters: Clusters) -> BoolArray:
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


def _combined_rows(result: MetricResult, weights: FloatArray) -> tuple[list[tuple[str, str]], FloatArray]:
    keys = [("*", ""), *((group, "others") for group in result.groups)][: len(weights)]
    values = (weights * np.nan_to_num(result.value)).sum(axis=1)
    return keys, np.where((weights != 0).any(axis=1), values, np.nan)


@dataclass(frozen=True, eq=False)
class _Rows:
    """The components of the intervals of R rows of a result; arrays (R, K) and (2 or 4, R, K).

    Attributes:
        keys: both sides of each row.
        value: the values.
        spread: how far they may be off.
        margin: what widens both intervals, down and up.
        bias: the correction that is subtracted from each of them.
        single_term: (R,) whether the interval over terms like these is undefined.
        limits: the values that can come out at all.
        single_template: (R, K) whether a value rests on one template.
    """

    keys: list[tuple[str, str]]
    value: FloatArray
    spread: Spread
    margin: FloatArray
    bias: FloatArray
    single_term: BoolArray
    limits: tuple[FloatArray, FloatArray]
    single_template: BoolArray


@np.errstate(invalid="ignore")
def _ends(rows: _Rows, classes: tuple[str, ...]) -> dict[tuple[str, str, str], dict[str, float]]:
    value, spread = rows.value, rows.spread
    below_terms, above_terms = (
        np.where(rows.single_term[:, None], np.nan, end) for end in (spread.below_terms, spread.above_terms)
    )
    reach = [
        np.maximum(np.hypot(end, rows.margin[at]), np.abs(rows.bias[at // 2]))  # the value itself stays inside
        for at, end in enumerate((spread.below, spread.above, below_terms, above_terms))
    ]
    found = {
        "ci_low": value - rows.bias[0] - reach[0],
        "ci_high": value - rows.bias[0] + reach[1],
        "ci_low_terms": value - rows.bias[1] - reach[2],
        "ci_high_terms": value - rows.bias[1] + reach[3],
    }
    least, most = (end[:, None] for end in rows.limits)
    nothing = np.isnan(value) | rows.single_template
    found = {name: np.where(nothing, np.nan, np.clip(end, least, most)) for name, end in found.items()}
    return {
        (label, left, right): {name: float(end[r, k]) for name, end in found.items()}
        for k, label in enumerate(classes)
        for r, (left, right) in enumerate(rows.keys)
    }


def _limits(metric: Metric, rows: int, outcomes: Outcomes, *, combined: bool) -> tuple[FloatArray, FloatArray]:
    """(R,) the least and the greatest value that can come out; a total, where there is one, comes first."""
    tagger, about = outcomes.decisions is not None, comparisons.about(metric.compare)
    ranges = [of_contrast(metric, tagger=tagger)] * rows
    if combined and rows:
        ranges[0] = of_total(metric, tagger=tagger) or ranges[0]
    least = 0.0 if not about.signed and about.no_bias == 0 else -np.inf
    ends = [one.of(len(outcomes.groups)) if one.known else (least, np.inf) for one in ranges]
    low, high = np.array(ends, dtype=np.float64).reshape(-1, 2).T
    return low, high


def _margins(sides: Sides | None, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
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
def _biases(sides: Sides | None, weights: FloatArray, result: MetricResult, resamples: Resamples) -> FloatArray:
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


COLUMNS = ("ci_low", "ci_high", "ci_low_terms", "ci_high_terms")
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
    of_groups = _score_ends(pool, spread, _shares(score))
    return of_groups, _by_term(score, outcomes, resamples, of_groups.shape[1])


def _shares(score: scores.Score) -> bool:
    """Whether a mean is one of probabilities."""
    return score in (scores.mean_probability, scores.mean_target_probability)


def _score_ends(pool: Pooled, spread: Spread, of_shares: bool) -> FloatArray:
    """(B, K, 4) the ends of the intervals, inside [0, 1] for rates that are shares."""
    down, up = np.maximum(-pool.margin, 0.0), np.maximum(pool.margin, 0.0)
    ends = np.stack(
        [
            pool.value - np.hypot(spread.below, down),
            pool.value + np.hypot(spread.above, up),
            pool.value - np.hypot(spread.below_terms, down),
            pool.value + np.hypot(spread.above_terms, up),
        ],
        axis=2,
    )
    shares = np.nan_to_num(pool.value).max(initial=0.0) <= 1
    ends = np.clip(ends, 0.0, 1.0 if shares else np.inf) if pool.rate else ends
    ends = np.clip(ends, 0.0, 1.0) if of_shares else ends
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
    found = summed(indicator(code[inside], clusters.n_templates * clusters.n_terms), own[inside])
    template = found.reshape(clusters.n_templates, clusters.n_terms, -1)
    result[clusters.terms] = _score_ends(pool, spread_of(template, None, clusters, resamples.draws), _shares(score))
    return result
