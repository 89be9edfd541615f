"""Influence on counterfactual metrics: of a source through its own value, of a term through the values of its sources.

The engine computes each source's value with a term counting a little more, and a little less: the difference is the
derivative (Hájek's projection, where d is an expectation over the product of the groups' terms).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from fairness_checklist.core.arrays import FloatArray
from fairness_checklist.core.outcomes import Outcomes
from fairness_checklist.metrics import comparisons
from fairness_checklist.metrics.contrasts import Contrasts
from fairness_checklist.metrics.expectations import root_of_variance
from fairness_checklist.metrics.group_kernels import finite
from fairness_checklist.metrics.metric_forms import Metric, Options
from fairness_checklist.metrics.metric_result import MetricResult
from fairness_checklist.metrics.source_kernels import Inside
from fairness_checklist.metrics.weights import Weights, as_declared, by_term, indicator
from fairness_checklist.statistics.clusters import Clusters, summed
from fairness_checklist.statistics.influence_distributions import Part, chunks

_STEP = 1e-6  # of a term's weight: central differences are then off by about 1e-10, mostly by rounding


def source_parts(
    metric: Metric,
    outcomes: Outcomes,
    contrasts: Contrasts,
    options: Options,
    result: MetricResult,
    clusters: Clusters,
) -> Iterator[Part]:
    """The influence on a counterfactual metric: templates by their sources' values, terms by the change of these."""
    if result.by_source is None or result.source_weight is None:
        raise ValueError("a group metric has no values by source")
    fine = ~np.isnan(result.by_source)
    weight = np.broadcast_to(result.source_weight[:, None, None], fine.shape)
    if options.denominator == "true_class":
        weight = np.where(fine, weight, 0.0)
    whole = weight.sum(axis=0)
    share = np.divide(weight, whole, out=np.zeros(fine.shape), where=whole > 0)
    distance = np.where(fine, result.by_source, 0.0) - np.nan_to_num(result.value)
    matrix = indicator(clusters.of_source, clusters.n_templates)
    template = summed(matrix, np.where(weight > 0, distance * share, 0.0))
    n_contrasts, n_classes = result.value.shape
    for some in chunks(n_contrasts, clusters.n_cells * n_classes):
        fewer = contrasts
        if metric.family != "multigroup":
            fewer = replace(contrasts, left=contrasts.left[some], right=contrasts.right[some])
        cell = np.zeros((clusters.n_cells, len(some), n_classes))
        _add_terms(cell, metric, outcomes, fewer, options, share[:, some], clusters)
        yield Part(some, cell, template[:, some])


def _add_terms(
    cell: FloatArray,
    metric: Metric,
    outcomes: Outcomes,
    contrasts: Contrasts,
    options: Options,
    share: FloatArray,
    clusters: Clusters,
) -> None:
    """Fill in how the mean over sources moves with each term in each template; alone in its group a term moves none."""
    size = np.bincount(clusters.term_group, minlength=1)
    if outcomes.crossed or not clusters.named or size.max() < 2:
        return
    parts = by_term(outcomes)
    kernel, declared = Inside(metric, parts, contrasts, options), as_declared(parts)
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
        np.add.at(cell, clusters.cell[rows[first]], np.nan_to_num(finite(slope)) * share[sources])
