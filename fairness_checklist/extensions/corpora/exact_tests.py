"""Exact tests of two shares; vectorised."""

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import hypergeom

from fairness_checklist.core.arrays import FloatArray, IntArray


def contingency_cells(k: ArrayLike, n: ArrayLike, k_all: int, n_all: int) -> IntArray:
    """The four cells (4, ...) of k of n texts: positive and others among the n, positive and others among the rest."""
    hits, size = np.asarray(k, dtype=np.int64), np.asarray(n, dtype=np.int64)
    return np.array([hits, size - hits, k_all - hits, n_all - size - k_all + hits])


def skew_p_values(k: ArrayLike, n: ArrayLike, k_all: int, n_all: int) -> FloatArray:
    """Exact two-sided p that k of n texts with a term are positive where k_all of all n_all are.

    Twice the smaller tail of the hypergeometric distribution (Fisher's exact test, central form), at most 1. It takes
    the texts as independent.
    """
    hits, size = np.asarray(k, dtype=np.int64), np.asarray(n, dtype=np.int64)
    margins = (n_all, k_all, size)
    return np.asarray(np.fmin(1.0, 2 * np.minimum(hypergeom.cdf(hits, *margins), hypergeom.sf(hits - 1, *margins))))


def smallest_p_values(n: ArrayLike, k_all: int, n_all: int) -> FloatArray:
    """The smallest p of `skew_p_values` that n texts can reach, whatever their labels.

    >>> smallest_p_values([1, 5], 50, 100).round(3).tolist()
    [1.0, 0.056]
    """
    size = np.asarray(n, dtype=np.int64)
    fewest, most = np.maximum(0, size - (n_all - k_all)), np.minimum(size, k_all)
    return np.minimum(*(skew_p_values(k, size, k_all, n_all) for k in (fewest, most)))
