"""Design effects: by how much clusters, such as the texts of one author, raise the variance of shares (Kish 1965)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fairness_checklist.core.arrays import FloatArray, IntArray, divide
from fairness_checklist.metrics.weights import indicator

__all__ = ["design_effects", "intraclass_correlation"]


def intraclass_correlation(outcome: ArrayLike, cluster: IntArray) -> float:
    """The correlation of an outcome (n,) within clusters (n,) from 0 to 1: the estimator of the analysis of variance.

    0 where each cluster has one member.

    >>> intraclass_correlation([1, 1, 0, 0], np.array([0, 0, 1, 1]))
    1.0
    """
    values, size = np.asarray(outcome, dtype=np.float64), np.bincount(cluster)
    mean = np.bincount(cluster, weights=values) / size
    n, k = len(values), len(size)
    if n == k or k < 2:
        return 0.0
    between = float(size @ (mean - values.mean()) ** 2) / (k - 1)
    within = float(((values - mean[cluster]) ** 2).sum()) / (n - k)
    usual = (n - float(size @ size) / n) / (k - 1)
    whole = between + (usual - 1) * within
    return max(0.0, (between - within) / whole) if whole > 0 else 0.0


def design_effects(member: Any, cluster: IntArray, correlation: float = 1.0, *, compared: bool = True) -> FloatArray:
    """(T,) by how much the variance of a share exceeds that of independent texts; at least 1, infinite for one cluster.

    Args:
        member: (n, T) true where a text is of set t; an array, or a sparse one.
        cluster: (n,) the cluster of each text, of A.
        correlation: of the outcome within clusters; 1 for the share of the texts that are of a set.
        compared: of the difference between the texts of the set and all others, to which texts of one cluster on both
            sides add nothing; else of the share of the set's texts that have the outcome.

    The factor for few clusters is that of Korn and Graubard (1998): squared quantiles of Student's t with A - 1 and
    n - 1 degrees of freedom.

    >>> cluster = np.array([0, 0, 1, 1, 2, 3])
    >>> design_effects(np.array([[1], [1], [1], [1], [0], [0]]), cluster, compared=False).round(2).tolist()
    [3.07]
    """
    from scipy.sparse import csr_array
    from scipy.stats import t

    size = np.bincount(cluster).astype(np.float64)
    n = len(cluster)
    by = indicator(cluster, len(size)) @ csr_array(member, dtype=np.float64)
    texts: FloatArray = np.asarray(by.sum(axis=0))
    squares: FloatArray = np.asarray(by.multiply(by).sum(axis=0))
    if compared:
        share = texts / n
        squares = squares - 2 * share * (size @ by) + share**2 * (size @ size)
        texts = texts * (1 - share)
    few = (t.ppf(0.975, max(len(size) - 1, 1)) / t.ppf(0.975, max(n - 1, 1))) ** 2 if len(size) >= min(2, n) else np.inf
    return np.maximum(1.0, 1 - correlation + correlation * divide(squares, texts, fill=1.0)) * few
