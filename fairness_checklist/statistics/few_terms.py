"""By how much a metric comes out too large because its groups have few terms.

The Wasserstein distance between eight and eight scores is larger than between eighty and eighty, and an area under a
curve compares a term with itself too often. With half of the terms it is larger still, and that step tells how much is
too much: the step itself where the surplus falls with the number of terms, 2.4 times the step where it falls with the
root of that number (the half-sample of Quenouille 1949).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from fairness_checklist import comparisons, scores
from fairness_checklist.arrays import BoolArray, FloatArray, IntArray
from fairness_checklist.metrics.catalogue import compute
from fairness_checklist.metrics.metric import Metric, Options
from fairness_checklist.metrics.result import MetricResult
from fairness_checklist.outcomes import Outcomes
from fairness_checklist.outcomes.record import only_rows
from fairness_checklist.statistics.clusters import Clusters

__all__ = ["SmallSampleBias", "small_sample_bias"]

_LEAST_TERMS = 4  # terms that a group needs to be halved
_STEPS = 1.4  # between 1 and 2.4; simulations with effects of terms and of sentences need 1.3 to 1.5
_INFLATION = (
    1.2  # what is taken off varies too: standard deviations of the rest are a fifth larger in the same simulations
)
_ROWS = 500_000


@dataclass(frozen=True, eq=False)
class SmallSampleBias:
    """What few terms do to P contrasts.

    Attributes:
        bias: (P, K) what is to be taken off; 0 for metrics that few terms do not shift.
        inflation: how many times as wide the interval is to be for that.
    """

    bias: FloatArray
    inflation: float


def small_sample_bias(
    metric: Metric, outcomes: Outcomes, options: Options, result: MetricResult, clusters: Clusters, seed: int
) -> SmallSampleBias:
    """What the small number of terms adds to a metric of distributions or of areas.

    Args:
        metric: the metric, with its options' background.
        outcomes: the rows that it was computed from.
        options: how.
        result: what it gave.
        clusters: the terms.
        seed: of the choice of terms.
    """
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
    random = np.random.default_rng([seed, 2])
    of_row = clusters.term[clusters.cell]
    found = []
    for _ in range(int(np.clip(_ROWS // max(1, len(outcomes)), 4, 8))):
        kept = np.append(_random_half(clusters.term_group, random), True)
        found.append(compute(metric, only_rows(outcomes, kept[of_row]), options).value)
    mean: FloatArray = np.mean(found, axis=0)
    return mean


def _random_half(group: IntArray, random: np.random.Generator) -> BoolArray:
    """(T,) whether a term is drawn: half of the terms of each group that has enough."""
    kept = np.ones(len(group), dtype=np.bool_)
    for one in np.unique(group):
        inside = np.flatnonzero(group == one)
        if len(inside) >= _LEAST_TERMS:
            kept[inside] = False
            kept[random.choice(inside, len(inside) // 2, replace=False)] = True
    return kept
