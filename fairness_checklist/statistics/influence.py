"""The influence of each template and each term on a metric, from which intervals are computed.

The influence of a template is the derivative of the metric by how often the template counts. Sums and squares of
influences give variances (the infinitesimal jackknife, Jaeckel 1972; Efron 1982).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from fairness_checklist.core.arrays import FloatArray, IntArray
from fairness_checklist.core.outcomes import Outcomes
from fairness_checklist.metrics import scores
from fairness_checklist.metrics.contrasts import contrasts_of, missing
from fairness_checklist.metrics.metric import Metric, Options
from fairness_checklist.metrics.metric_result import MetricResult
from fairness_checklist.statistics.clusters import Clusters
from fairness_checklist.statistics.influence_distributions import (
    Part,
    distribution_parts,
    has_distribution_parts,
    ranking_parts,
)
from fairness_checklist.statistics.influence_scalars import Sides, scalar_parts, scalar_sides
from fairness_checklist.statistics.influence_sources import has_source_parts, source_parts, template_influence
from fairness_checklist.statistics.subsets import Computed, values_without

__all__ = ["Part", "Sides", "influence_parts", "sides_of"]

_BLOCKS = 12  # of templates within a gold class, or of terms of a group, that are left out together


def left_out_parts(
    metric: Metric,
    outcomes: Outcomes,
    options: Options,
    result: MetricResult,
    clusters: Clusters,
    template: FloatArray | None = None,
) -> Iterator[Part]:
    """The jackknife's influence, of some templates or terms together where there are many.

    Args:
        template: (J, P, K) where it is known already.
    """
    options = replace(options, where="", by="", background="", undefined="report", groupings=None)
    of_row = clusters.template[clusters.cell]
    if template is None:
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
    """The influence on all contrasts of a metric, some at a time; nothing where it is undefined.

    Args:
        metric: the metric, with its options' background.
        outcomes: the rows that it was computed from.
        options: how.
        result: what it gave.
        clusters: their templates, terms and cells.
        sides: what `sides_of` gives.
    """
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
    right = contrasts.right
    if metric.family == "background" and metric.background is not None:
        beta = metric.membership(outcomes.groups)[contrasts.left]
        right = np.where((beta > 0).sum(axis=1) == 1, beta.argmax(axis=1), -1)
    plain = options.groupings is None and not getattr(options, "matching", "")
    if plain and has_source_parts(metric, right):
        return source_parts(metric, outcomes, contrasts, right, result, clusters)
    return left_out_parts(metric, outcomes, options, result, clusters, template_influence(result, clusters))
