"""The exact interval of a share, and the sign test."""

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betaincinv

from fairness_checklist.core.arrays import FloatArray


def share_interval(k: ArrayLike, n: ArrayLike, confidence: float = 0.95) -> tuple[FloatArray, FloatArray]:
    """The exact binomial interval of k of n (Clopper and Pearson 1934); NaN where n is 0."""
    hits, size = np.asarray(k, dtype=np.float64), np.asarray(n, dtype=np.float64)
    tail = (1 - confidence) / 2
    with np.errstate(invalid="ignore"):
        low = np.where(hits > 0, betaincinv(np.where(hits > 0, hits, 1), np.maximum(size - hits, 0) + 1, tail), 0.0)
        high = np.where(hits < size, betaincinv(hits + 1, np.where(hits < size, size - hits, 1), 1 - tail), 1.0)
    return np.where(size > 0, low, np.nan), np.where(size > 0, high, np.nan)


def sign_test(difference: FloatArray) -> float:
    """The exact two-sided p-value of the sign test of differences (n,), ties left out; 1 where all are ties."""
    more, less = int((difference > 0).sum()), int((difference < 0).sum())
    from scipy.stats import binomtest  # slow to import

    return float(binomtest(more, more + less).pvalue) if more + less else 1.0
