"""The interaction of two attributes: what a pair of identities does beyond what either does alone.

For a source and a pair of terms it is ``p(ab) - p(a) - p(b) + p(unmarked)``; 0 where the effects of the two add up.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from fairness_checklist.core.arrays import FloatArray, IntArray, divide
from fairness_checklist.statistics.variance import student_interval as student
from fairness_checklist.statistics.variance import variance_of_clusters, variance_of_terms

_CLOSE = 1e-9


@dataclass(frozen=True, eq=False)
class ValuesByTerms:
    """Values of one class, by source and terms; NaN where a sentence is not there.

    Attributes:
        joint: (S, A, B) of the pairs of A and B terms.
        first: (S, A) of the first attribute alone, or with a placebo instead of the second.
        second: (S, B) of the second alone, or with a placebo.
        neither: (S,) of neither.
        cluster: (S,) the family of paraphrases of each source.
    """

    joint: FloatArray
    first: FloatArray
    second: FloatArray
    neither: FloatArray
    cluster: IntArray


@dataclass(frozen=True)
class Estimate:
    """A difference of probabilities, or of their logits.

    Attributes:
        value: the mean over sources, each weighing the same, and over the terms of each.
        ci_low, ci_high: 95 % interval over other sentences; the terms are fixed.
        ci_low_terms, ci_high_terms: 95 %, were there other sentences and other terms like these; NaN with one term.
        p_value: two-sided, of the wider interval's statistic, else of the narrower one's; NaN without an interval.
    """

    value: float = math.nan
    ci_low: float = math.nan
    ci_high: float = math.nan
    ci_low_terms: float = math.nan
    ci_high_terms: float = math.nan
    p_value: float = math.nan


@dataclass(frozen=True)
class Interaction:
    """The effects of a pair of groups: levels, effects against neither, and the interaction.

    Attributes:
        levels: the means of joint, first, second and neither, over the sources and terms that have all four.
        first, second, joint: the effects ``p(a) - p(neither)``, ``p(b) - p(neither)``, ``p(ab) - p(neither)``.
        interaction: ``p(ab) - p(a) - p(b) + p(neither)``.
        n: sources that entered.
        pairs: pairs of terms that entered.
    """

    levels: tuple[float, ...]
    first: Estimate
    second: Estimate
    joint: Estimate
    interaction: Estimate
    n: int
    pairs: int


def logit(probability: FloatArray) -> FloatArray:
    """log(p / (1 - p)), p at least 1e-9 away from 0 and 1."""
    clipped = np.clip(probability, _CLOSE, 1 - _CLOSE)
    return np.asarray(np.log(clipped) - np.log1p(-clipped))


def interaction(cells: ValuesByTerms) -> Interaction:
    """The effects and the interaction of the pair of groups that these cells are of.

    The interval over these terms is Student's over the means of the clusters. The one over terms like these adds the
    variances of the means of clusters, of the first attribute's terms and of the second's, which counts what is left
    over more than once: it is rather too wide than too narrow. Its degrees of freedom are Satterthwaite's.

    Returns NaN for undefined values: all of them without a complete cell, every interval with one cluster.
    """
    alone = cells.first[:, :, None], cells.second[:, None, :], cells.neither[:, None, None]
    sides = np.broadcast_arrays(cells.joint, *alone)
    complete = ~np.isnan(np.sum(sides, axis=0))
    used = complete.any(axis=(1, 2))
    joint, first, second, neither = (np.where(complete, side, np.nan)[used] for side in sides)
    cluster = cells.cluster[used]
    means = (_mean(side, (1, 2)) for side in (joint, first, second, neither))
    return Interaction(
        tuple(float(mean.mean()) if len(mean) else float("nan") for mean in means),
        first=_estimate(first - neither, cluster, (0, 2)),
        second=_estimate(second - neither, cluster, (0, 1)),
        joint=_estimate(joint - neither, cluster, (0, 2), (0, 1)),
        interaction=_estimate(joint - first - second + neither, cluster, (0, 2), (0, 1)),
        n=int(used.sum()),
        pairs=int(complete.any(axis=0).sum()),
    )


def _estimate(values: FloatArray, cluster: IntArray, *terms: tuple[int, int]) -> Estimate:
    """The mean of (S, A, B) differences with its intervals; ``terms`` are the axes that leave the terms of a kind."""
    if not len(values):
        return Estimate()
    by_source = _mean(values, (1, 2))
    value = float(by_source.mean())
    clusters = variance_of_clusters(by_source, cluster)
    of_terms = [variance_of_terms(_mean(values, axes)) for axes in terms]
    low, high, p = student(value, [clusters])
    low_terms, high_terms, p_terms = student(value, [clusters, *of_terms])
    return Estimate(
        value=value,
        ci_low=low,
        ci_high=high,
        ci_low_terms=low_terms,
        ci_high_terms=high_terms,
        p_value=p if np.isnan(p_terms) else p_terms,
    )


def _mean(values: FloatArray, axes: tuple[int, ...]) -> FloatArray:
    """The mean of the defined values, NaN without any."""
    there = ~np.isnan(values)
    return divide(np.where(there, values, 0.0).sum(axis=axes), there.sum(axis=axes))
