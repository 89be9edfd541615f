"""A metric on many subsets of its rows at once: without a template, without a term, on one half of the sources.

The rows stand in blocks, and a subset is a choice of blocks. Rates and means are sums of blocks; a counterfactual
metric on some of its sources is a mean of what is known by source. What has no such form is computed again, subset by
subset.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from fairness_checklist import comparisons, scores
from fairness_checklist.arrays import BoolArray, FloatArray, IntArray
from fairness_checklist.metrics.catalogue import compute
from fairness_checklist.metrics.contrasts import contrasts_of, missing, observations
from fairness_checklist.metrics.metric import Metric, Options
from fairness_checklist.metrics.result import MetricResult
from fairness_checklist.outcomes import Outcomes
from fairness_checklist.outcomes.by_term import by_term
from fairness_checklist.outcomes.record import only_rows
from fairness_checklist.statistics.subset_pairs import pairs_of_subsets
from fairness_checklist.statistics.subset_wins import gaps_without_blocks

__all__ = ["Computed", "as_computed", "quick_values", "values_of_subsets"]


@dataclass(frozen=True)
class Computed:
    """A metric with the rows that it looked at, its options applied to both.

    Attributes:
        line: the metric, with its options' background.
        outcomes: the rows, seen and grouped as the options say.
        options: what is left of the options.
        result: what the metric gives for all rows.
    """

    line: Metric
    outcomes: Outcomes
    options: Options
    result: MetricResult

    @property
    def signed(self) -> bool:
        """Whether the metric tells a direction."""
        return comparisons.about(self.line.compare).signed

    @property
    def no_bias(self) -> float:
        """Its value where groups are treated alike."""
        return comparisons.about(self.line.compare).no_bias


def as_computed(result: MetricResult, outcomes: Outcomes) -> Computed:
    """The metric of a result, and the rows that it looked at.

    Args:
        result: of `compute`.
        outcomes: what it was computed from.
    """
    options = result.options
    seen = outcomes.view(options.where)
    if options.by == "term":
        seen = by_term(seen)
    left = replace(options, where="", by="", background="", undefined="report")
    return Computed(result.metric.with_options(options), replace(seen, views={}), left, result)


def values_of_subsets(computed: Computed, block: IntArray, kept: BoolArray) -> FloatArray:
    """The contrasts of a metric in D subsets of its rows: (D, P, K), NaN where undefined.

    Args:
        computed: the metric and its n rows.
        block: (n,) in [0, B): the block of each row; -1 for rows that are in every subset.
        kept: (D, B) which blocks make up each subset.

    Returns:
        what `compute` gives for the rows of each subset; where the product of the terms is sampled, the draws of the
        whole set stand for those of the subset.
    """
    found = quick_values(computed, block, kept)
    return _slow_values(computed, block, _shares(kept)) if found is None else found


@np.errstate(divide="ignore", invalid="ignore")
def quick_values(computed: Computed, block: IntArray, kept: BoolArray) -> FloatArray | None:
    """`values_of_subsets` where sums and means by block give them; None where each subset takes a look at its rows."""
    line, outcomes = computed.line, computed.outcomes
    if missing(line.score, outcomes) or missing(line.background_score or line.score, outcomes):
        return np.full((len(kept), *computed.result.value.shape), np.nan)
    share, found = _shares(kept), None
    kind = scores.about(line.score).kind
    if line.level == "counterfactual":
        found = _of_sources(computed, block, share)
        found = pairs_of_subsets(line, outcomes, computed.options, computed.result.value, block, share, found)
    elif kind in ("rate", "mean") and (line.also is None or not missing(line.also, outcomes)):
        found = _of_scalars(line, outcomes, block, share)
    elif kind == "set":
        found = gaps_without_blocks(line, outcomes, block, share)
    return None if found is None else _finite(found)


def _shares(kept: BoolArray) -> FloatArray:
    """(D, 1 + B) what each subset keeps; the first column is of rows that are in every one."""
    return np.hstack([np.ones((len(kept), 1)), kept.astype(np.float64)])


@np.errstate(divide="ignore", invalid="ignore")
def _slow_values(computed: Computed, block: IntArray, share: FloatArray) -> FloatArray:
    line = computed.line
    if line.level == "group" and scores.about(line.score).kind == "set" and line.background_score is None:
        return _finite(_of_sets(line, computed.outcomes, block, share))
    return _one_by_one(computed, block, share)


def _one_by_one(computed: Computed, block: IntArray, share: FloatArray) -> FloatArray:
    """The metric computed again for each subset."""
    found = [
        compute(computed.line, only_rows(computed.outcomes, one[block + 1] > 0), computed.options).value
        for one in share
    ]
    return np.array(found).reshape(len(share), *computed.result.value.shape)


def _of_scalars(line: Metric, outcomes: Outcomes, block: IntArray, share: FloatArray) -> FloatArray:
    """Rates and means: sums by block and lane."""
    contrasts, lanes = contrasts_of(line, outcomes), len(outcomes.groups) + 1
    mass = _pooled(outcomes.weight, (block + 1) * lanes + outcomes.group, share, lanes)
    own = _scored(line.score, outcomes, block, share, None)
    if line.family == "multigroup":
        both = [own] if line.also is None else [own, _scored(line.also, outcomes, block, share, None)]
        found = [comparisons.of_present(line.compare, np.moveaxis(phi[:, :-1], 1, -1)) for phi in both]
        return comparisons.worse(line.compare, _finite(found[0]), _finite(found[-1]))[:, None, :]
    if line.family == "pairwise":
        return line.compare(own[:, contrasts.left], own[:, contrasts.right])
    beta = line.membership(outcomes.groups, mass)[..., contrasts.left, :]
    behind = _scored(line.background_score or line.score, outcomes, block, share, beta)
    return line.compare(behind, own[:, contrasts.left])


def _pooled(values: FloatArray, code: IntArray, share: FloatArray, lanes: int) -> FloatArray:
    """(D, lanes) sums of the values by lane in each subset; ``code`` is block times lanes plus lane."""
    summed = np.bincount(code, weights=values, minlength=share.shape[1] * lanes).reshape(share.shape[1], lanes)
    pooled: FloatArray = share @ summed
    return pooled


def _scored(
    score: scores.Score, outcomes: Outcomes, block: IntArray, share: FloatArray, beta: FloatArray | None
) -> FloatArray:
    """A rate or mean in each subset of each lane (D, L, K), or of sets pooled from them by beta (..., P, L)."""
    lanes = len(outcomes.groups) + 1
    mixed: Callable[[FloatArray], FloatArray] = (lambda values: values) if beta is None else (lambda v: beta @ v)
    code = (block + 1) * lanes + outcomes.group
    if scores.about(score).kind == "rate":
        counts = outcomes.counts(code, share.shape[1] * lanes)
        return _finite(score(counts.each(lambda v: mixed(_chosen(v, share, lanes)))))
    values, row, _ = observations(score, outcomes)
    planes = []
    for column in values.T:
        fine = ~np.isnan(column)
        weight, at = outcomes.weight[row[fine]], code[row[fine]]
        mass, part = (
            mixed(_pooled(numbers, at, share, lanes)[..., None])[..., 0] for numbers in (weight, weight * column[fine])
        )
        planes.append(np.divide(part, mass, out=np.full(mass.shape, np.nan), where=mass > 0))
    return np.stack(planes, axis=-1)


def _chosen(values: FloatArray, share: FloatArray, lanes: int) -> FloatArray:
    """(D, lanes, C) sums over the blocks of each subset of values (blocks * lanes, C)."""
    flat: FloatArray = share @ values.reshape(share.shape[1], -1)
    return flat.reshape(len(share), lanes, -1)


def _finite(values: FloatArray) -> FloatArray:
    return np.where(np.isfinite(values), values, np.nan)


def _of_sets(line: Metric, outcomes: Outcomes, block: IntArray, share: FloatArray) -> FloatArray:
    """Comparisons of distributions: the scores are sorted once, and weighed anew for each subset."""
    contrasts, lanes = contrasts_of(line, outcomes), len(outcomes.groups) + 1
    values, row, _ = observations(line.score, outcomes)
    mass = _pooled(outcomes.weight, (block + 1) * lanes + outcomes.group, share, lanes)
    beta = np.broadcast_to(line.membership(outcomes.groups, mass), (len(share), lanes - 1, lanes))
    result = np.full((len(share), len(contrasts.left), values.shape[1]), np.nan)
    for k, column in enumerate(values.T):
        fine = ~np.isnan(column)
        levels, at = np.unique(column[fine], return_inverse=True)
        code, weight, part = at * lanes + outcomes.group[row[fine]], outcomes.weight[row[fine]], block[row[fine]] + 1
        for d, one in enumerate(share):
            on = np.bincount(code, weights=weight * one[part], minlength=len(levels) * lanes).reshape(-1, lanes)
            x = on[:, contrasts.left]
            y = on[:, contrasts.right] if line.family == "pairwise" else on @ beta[d, contrasts.left].T
            first, second = (x, y) if line.family == "pairwise" else (y, x)
            whole = first.sum(axis=0), second.sum(axis=0)
            both = np.flatnonzero((whole[0] > 0) & (whole[1] > 0))
            if len(both):
                result[d, both, k] = line.compare(
                    levels, first[:, both] / whole[0][both], second[:, both] / whole[1][both]
                )
    return result


def _of_sources(computed: Computed, block: IntArray, share: FloatArray) -> FloatArray | None:
    """A counterfactual metric on some of its sources; None where a block cuts through sources."""
    line, outcomes, result = computed.line, computed.outcomes, computed.result
    if result.by_source is None or result.source_weight is None:
        return None
    size = len(outcomes.sources)
    inside = outcomes.source >= 0
    least, most = np.full(size, share.shape[1]), np.full(size, -1)
    np.minimum.at(least, outcomes.source[inside], block[inside])
    np.maximum.at(most, outcomes.source[inside], block[inside])
    if (least < most).any() or _looks_at_mass(line, outcomes):
        return None
    weight = share[:, most + 1] * result.source_weight
    fine = ~np.isnan(result.by_source)
    shape = result.by_source.shape
    part = weight @ np.where(fine, result.by_source, 0.0).reshape(size, -1)
    mass = weight @ fine.reshape(size, -1).astype(np.float64)
    if computed.options.denominator == "all_sources":
        mass = np.where(mass > 0, weight.sum(axis=1, keepdims=True), 0.0)
    value: FloatArray = np.divide(part, mass, out=np.full(part.shape, np.nan), where=mass > 0)
    return value.reshape(len(share), *shape[1:])


def _looks_at_mass(line: Metric, outcomes: Outcomes) -> bool:
    """Whether a background depends on how many rows the groups have."""
    mass = np.arange(1.0, len(outcomes.groups) + 2)
    return not np.array_equal(line.membership(outcomes.groups, mass), line.membership(outcomes.groups, 2 * mass[::-1]))
