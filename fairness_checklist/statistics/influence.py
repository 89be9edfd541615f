"""The influence of each template and each term on a metric, from which intervals are computed.

The influence of a template is the derivative of the metric by how often the template counts. Sums and squares of
influences give variances (the infinitesimal jackknife, Jaeckel 1972; Efron 1982). Of group metrics it comes from what
each cell adds to the groups (`influence_scores`, `influence_levels`). Of counterfactual ones the engine computes each
source's value with a term counting a little more, and a little less (Hájek's projection, where d is an expectation over
the product of the groups' terms). What has no derivative is computed without some templates or terms.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from fairness_checklist.core.arrays import FloatArray, IntArray
from fairness_checklist.metrics import comparisons
from fairness_checklist.metrics.contrasts import Contrasts, contrasts_of, missing
from fairness_checklist.metrics.expectations import root_of_variance
from fairness_checklist.metrics.source_kernels import Inside
from fairness_checklist.metrics.weights import Weights, as_declared, by_term, indicator
from fairness_checklist.statistics.clusters import Clusters, summed
from fairness_checklist.statistics.influence_levels import has_level_parts, level_parts
from fairness_checklist.statistics.influence_scores import InfluencePart, ScoreSides, chunks, finite
from fairness_checklist.statistics.subsets import Computed, values_without

_STEP = 1e-6  # of a term's weight: central differences are then off by about 1e-10, mostly by rounding


def influence_parts(computed: Computed, clusters: Clusters, sides: ScoreSides | None = None) -> Iterator[InfluencePart]:
    """The influence on all contrasts of a metric, some at a time; nothing where it is undefined."""
    metric, outcomes = computed.metric, computed.outcomes
    if missing(metric.score, outcomes):
        return iter(())
    if computed.result.by_source is not None:
        return source_parts(computed, clusters)
    if sides is not None:
        return sides.parts(clusters)
    if metric.level == "group" and has_level_parts(metric, outcomes):
        return level_parts(metric, outcomes, clusters)
    return left_out_parts(computed, clusters)


def source_parts(computed: Computed, clusters: Clusters) -> Iterator[InfluencePart]:
    """The influence on a counterfactual metric: templates by their sources' values, terms by the change of these."""
    result, contrasts = computed.result, contrasts_of(computed.metric, computed.outcomes)
    if result.by_source is None or result.source_weight is None:
        raise ValueError("a group metric has no values by source")
    fine = ~np.isnan(result.by_source)
    weight = np.broadcast_to(result.source_weight[:, None, None], fine.shape)
    if computed.options.denominator == "true_class":
        weight = np.where(fine, weight, 0.0)
    whole = weight.sum(axis=0)
    share = np.divide(weight, whole, out=np.zeros(fine.shape), where=whole > 0)
    distance = np.where(fine, result.by_source, 0.0) - np.nan_to_num(result.value)
    matrix = indicator(clusters.of_source, clusters.n_templates)
    template = summed(matrix, np.where(weight > 0, distance * share, 0.0))
    n_contrasts, n_classes = result.value.shape
    for some in chunks(n_contrasts, clusters.n_cells * n_classes):
        fewer = contrasts
        if computed.metric.family != "multigroup":
            fewer = replace(contrasts, left=contrasts.left[some], right=contrasts.right[some])
        yield InfluencePart(some, _cells_of_terms(computed, fewer, share[:, some], clusters), template[:, some])


def _cells_of_terms(computed: Computed, contrasts: Contrasts, share: FloatArray, clusters: Clusters) -> FloatArray:
    """(Q, p, K) how the mean over sources moves with each term in each template; alone in its group a term moves none.

    Shapes: share (S, p, K), of each source in the mean.
    """
    metric, outcomes = computed.metric, computed.outcomes
    cell = np.zeros((clusters.n_cells, *share.shape[1:]))
    size = np.bincount(clusters.term_group, minlength=1)
    if outcomes.crossed or not clusters.named or size.max() < 2:
        return cell
    parts = by_term(outcomes)
    kernel, declared = Inside(metric, parts, contrasts, computed.options), as_declared(parts)
    if metric.compare is comparisons.score_deviation:
        kernel.form = root_of_variance  # within a few percent of the derivative, which would take an integral each
    for part in np.flatnonzero(size[outcomes.term_group[parts.terms]] > 1):
        both = []
        for times in (1 + _STEP, 1 - _STEP):
            member = declared.copy()
            member[:, :, part] *= times
            both.append(kernel.by_changed_source(Weights(member)).values)
        rows = np.flatnonzero((parts.code == part) & (outcomes.source >= 0))
        sources, first = np.unique(outcomes.source[rows], return_index=True)
        slope = (both[0][sources] - both[1][sources]) / (2 * _STEP)
        np.add.at(cell, clusters.cell[rows[first]], finite(slope) * share[sources])
    return cell


_BLOCKS = 12  # of templates within a gold class, or of terms of a group, that are left out together


def left_out_parts(computed: Computed, clusters: Clusters) -> Iterator[InfluencePart]:
    """The jackknife's influence, of some templates or terms together where there are many."""
    value = computed.result.value
    template = _jackknife(computed, clusters.template[clusters.cell], clusters.stratum)
    term = _jackknife(computed, clusters.term[clusters.cell], clusters.term_group)
    count = np.bincount(clusters.term, minlength=clusters.n_terms + 1)
    # spread evenly over the term's cells: none has a part of its own that would be taken off again
    cell = np.concatenate([term, np.zeros((1, *value.shape))])[clusters.term] / count[clusters.term][:, None, None]
    yield InfluencePart(np.arange(len(value)), cell, template)


def _jackknife(computed: Computed, code: IntArray, stratum: IntArray) -> FloatArray:
    """(J, P, K): the mean of the values without some of a stratum - the value without these, weighed as a jackknife.

    The influence of a set that is left out together is assigned to its first member; the sum of squares is the same.
    """
    value = computed.result.value
    moved = np.zeros((len(stratum), *value.shape))
    inside = [np.flatnonzero(stratum == number) for number in np.unique(stratum)]
    split = [np.array_split(members, min(_BLOCKS, len(members))) for members in inside]
    block = np.full(len(stratum) + 1, -1, dtype=np.int64)  # the last: rows without a term, which always stay
    for number, part in enumerate(part for parts in split for part in parts):
        block[part] = number
    ends = np.cumsum([len(parts) for parts in split], dtype=np.int64)
    left_out = np.split(values_without(computed, block[code], np.arange(ends[-1] if len(ends) else 0)), ends)
    for members, parts, values in zip(inside, split, left_out, strict=False):
        n, without = len(members), np.where(np.isnan(values), value, values)
        times = np.sqrt((len(parts) - 1) * (n - 1) / (len(parts) * n))
        moved[[part[0] for part in parts]] = (without.mean(axis=0) - without) * times
    return np.nan_to_num(moved)
