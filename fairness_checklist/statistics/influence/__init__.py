"""How much each template and each term moves a metric: what intervals are made of.

The influence of a template is the derivative of the metric by how often the template counts. Sums and squares of
influences give variances (the infinitesimal jackknife, Jaeckel 1972; Efron 1982).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from fairness_checklist.core.outcomes import Outcomes
from fairness_checklist.metrics import scores
from fairness_checklist.metrics.contrasts import contrasts_of, missing
from fairness_checklist.metrics.metric import Metric, Options
from fairness_checklist.metrics.result import MetricResult
from fairness_checklist.statistics.clusters import Clusters
from fairness_checklist.statistics.influence.distributions import distribution_parts, has_distribution_parts
from fairness_checklist.statistics.influence.left_out import left_out_parts
from fairness_checklist.statistics.influence.part import Part
from fairness_checklist.statistics.influence.rankings import ranking_parts
from fairness_checklist.statistics.influence.scalars import Sides, scalar_parts, scalar_sides
from fairness_checklist.statistics.influence.sources import has_source_parts, source_parts, template_influence

__all__ = ["Part", "Sides", "influence_parts", "sides_of"]


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
    """The influence on all contrasts of a metric, some at a time; no part where it cannot be had.

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
    arms = contrasts.right
    if metric.family == "background" and metric.background is not None:
        beta = metric.membership(outcomes.groups)[contrasts.left]
        arms = np.where((beta > 0).sum(axis=1) == 1, beta.argmax(axis=1), -1)
    plain = options.groupings is None and not getattr(options, "matching", "")
    if plain and has_source_parts(metric, arms):
        return source_parts(metric, outcomes, contrasts, arms, result, clusters)
    return left_out_parts(metric, outcomes, options, result, clusters, template_influence(result, clusters))
