"""By how much a metric comes out too large because its groups have few terms.

The Wasserstein distance between eight and eight scores is larger than between eighty and eighty, and an area under a
curve compares a term with itself too often. With half of the terms the bias is larger; the difference shows how much is
too much: the step itself where the surplus falls with the number of terms, 2.4 times the step where it falls with the
root of that number (the half-sample of Quenouille 1949).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fairness_checklist.core.arrays import BoolArray, FloatArray, IntArray
from fairness_checklist.metrics import comparisons, scores
from fairness_checklist.statistics.clusters import Clusters
from fairness_checklist.statistics.subsets import Computed, values_of_subsets

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


def small_sample_bias(computed: Computed, clusters: Clusters, seed: int) -> SmallSampleBias:
    """The bias of a metric of distributions or of areas due to a small number of terms."""
    value, kind = computed.result.value, scores.about(computed.metric.score).kind
    shifted = kind == "ranking" or (kind == "set" and not comparisons.about(computed.metric.compare).signed)
    sizes = np.bincount(clusters.term_group) if clusters.n_terms else np.zeros(0, dtype=np.int64)
    if not shifted or not clusters.named or not (sizes >= _LEAST_TERMS).any():
        return SmallSampleBias(np.zeros(value.shape), 1.0)
    random, of_row = np.random.default_rng([seed, 2]), clusters.term[clusters.cell]
    draws = int(np.clip(_ROWS // max(1, len(of_row)), 4, 8))
    halves = np.array([np.append(_random_half(clusters.term_group, random), True) for _ in range(draws)])
    step = values_of_subsets(computed, of_row, halves).mean(axis=0) - value
    step = np.where(np.isfinite(step), step, 0.0)
    if kind == "ranking":
        return SmallSampleBias(step, 1.0)
    return SmallSampleBias(_STEPS * np.maximum(step, 0.0), _INFLATION)


def _random_half(group: IntArray, random: np.random.Generator) -> BoolArray:
    """(T,) whether a term is drawn: half of the terms of each group that has enough."""
    kept = np.ones(len(group), dtype=np.bool_)
    for code in np.unique(group):
        inside = np.flatnonzero(group == code)
        if len(inside) >= _LEAST_TERMS:
            kept[inside] = False
            kept[random.choice(inside, len(inside) // 2, replace=False)] = True
    return kept
