"""The interaction of two attributes: what a pair of identities does beyond what either does alone.

For a source and a pair of terms it is ``p(ab) - p(a) - p(b) + p(unmarked)``; 0 where the effects of the two add up.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy import stats

from fairness_checklist.arrays import FloatArray, IntArray

__all__ = ["Cells", "Interaction", "contrast", "interaction", "logit"]

_CLOSE = 1e-9


@dataclass(frozen=True)
class Cells:
    """Values of one class, by source and terms; NaN where a sentence is not there.

    Attributes:
        joint: (S, A, B) of the pairs of A and B terms.
        first: (S, A) of the first attribute alone, or with a placebo in the place of the second.
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
class Interaction:
    """The interaction of one pair of groups.

    Attributes:
        joint, first, second, neither: the means, over the sources and terms that have all four.
        value: the interaction.
        low, high: 95 %, were there other sentences: the clusters are resampled, the terms are these very ones.
        low_terms, high_terms: 95 %, were there other sentences and other terms like these; NaN with one term of either.
        p_value: two-sided, of the wider interval's statistic, else of the narrower one's; NaN without an interval.
        n: sources that entered.
        pairs: pairs of terms that entered.
    """

    joint: float
    first: float
    second: float
    neither: float
    value: float
    low: float
    high: float
    low_terms: float
    high_terms: float
    p_value: float
    n: int
    pairs: int


def logit(probability: FloatArray) -> FloatArray:
    """log(p / (1 - p)), p kept 1e-9 away from 0 and 1.

    >>> logit(np.array([0.5, 0.75])).round(4).tolist()
    [0.0, 1.0986]
    """
    kept = np.clip(probability, _CLOSE, 1 - _CLOSE)
    return np.asarray(np.log(kept) - np.log1p(-kept))


def contrast(cells: Cells) -> FloatArray:
    """(S, A, B) p(ab) - p(a) - p(b) + p(neither); NaN where one of the four is missing.

    >>> one = np.array([[0.5]])
    >>> contrast(Cells(np.array([[[0.9]]]), one, one, np.array([0.4]), np.array([0]))).round(4).tolist()
    [[[0.3]]]
    """
    return np.asarray(
        cells.joint - cells.first[:, :, None] - cells.second[:, None, :] + cells.neither[:, None, None]
    )


def interaction(cells: Cells) -> Interaction:
    """The interaction of the pair of groups that these cells are of.

    Each cluster of sources weighs as many sources as it has, each pair of terms of a source the same. The interval over
    these terms is Student's over the means of the clusters. The one over terms like these adds the variances of the
    means of clusters, of the first attribute's terms and of the second's, which counts what is left over three times:
    it is rather too wide than too narrow. Its degrees of freedom are Satterthwaite's.

    Args:
        cells: of one pair of groups and one class.

    Returns:
        NaN in place of what cannot be told: without a whole cell everything, with one cluster every interval.
    """
    whole = contrast(cells)
    there = ~np.isnan(whole)
    kept = there.any(axis=(1, 2))
    if not kept.any():
        nothing = float("nan")
        return Interaction(*[nothing] * 10, 0, 0)
    parts: Mapping[str, FloatArray] = {
        "joint": cells.joint,
        "first": np.broadcast_to(cells.first[:, :, None], whole.shape),
        "second": np.broadcast_to(cells.second[:, None, :], whole.shape),
        "neither": np.broadcast_to(cells.neither[:, None, None], whole.shape),
    }
    means = {name: float(_mean(np.where(there, part, np.nan), (1, 2))[kept].mean()) for name, part in parts.items()}
    by_source = _mean(whole, (1, 2))
    value = float(by_source[kept].mean())
    clusters = _of_clusters(by_source[kept], cells.cluster[kept], value)
    terms = [_of_terms(_mean(whole, axes)) for axes in ((0, 2), (0, 1))]
    low, high, p = _student(value, [clusters])
    low_terms, high_terms, p_terms = _student(value, [clusters, *terms])
    pairs = int(there.any(axis=0).sum())
    p = p if np.isnan(p_terms) else p_terms
    return Interaction(**means, value=value, low=low, high=high, low_terms=low_terms, high_terms=high_terms, p_value=p,
                       n=int(kept.sum()), pairs=pairs)


def _mean(values: FloatArray, axes: tuple[int, ...]) -> FloatArray:
    """The mean of what is there, NaN where nothing is."""
    there = ~np.isnan(values)
    count = there.sum(axis=axes)
    total = np.where(there, values, 0.0).sum(axis=axes)
    return np.divide(total, count, out=np.full(count.shape, np.nan), where=count > 0)


def _of_clusters(values: FloatArray, cluster: IntArray, mean: float) -> tuple[float, int]:
    """The variance of the mean over sources, which vary together inside a cluster, and its degrees of freedom."""
    _, code = np.unique(cluster, return_inverse=True)
    off = np.bincount(code, weights=values - mean)
    m = len(off)
    if m < 2:
        return float("nan"), 0
    return float((off**2).sum()) / len(values) ** 2 * m / (m - 1), m - 1


def _of_terms(means: FloatArray) -> tuple[float, int]:
    """The variance of the mean over terms, and its degrees of freedom."""
    means = means[~np.isnan(means)]
    if len(means) < 2:
        return float("nan"), 0
    return float(means.var(ddof=1)) / len(means), len(means) - 1


def _student(value: float, variances: list[tuple[float, int]]) -> tuple[float, float, float]:
    """Both ends of the 95 % interval and the two-sided p, from variances that add up."""
    total = sum(variance for variance, _df in variances)
    if np.isnan(total):
        return float("nan"), float("nan"), float("nan")
    if total == 0:
        return value, value, 1.0 if value == 0 else 0.0
    df = total**2 / sum(variance**2 / df for variance, df in variances if variance > 0)
    reach = float(stats.t.ppf(0.975, df)) * total**0.5
    return value - reach, value + reach, float(2 * stats.t.sf(abs(value) / total**0.5, df))
