"""Exact tests of two shares, and those of Mantel and Haenszel over several sets; vectorised."""

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import chi2, hypergeom, norm

from fairness_checklist.core.arrays import FloatArray, IntArray


def contingency_cells(k: ArrayLike, n: ArrayLike, k_all: int | IntArray, n_all: int | IntArray) -> IntArray:
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


def pooled_odds_ratios(k: IntArray, n: IntArray, k_all: IntArray, n_all: IntArray) -> FloatArray:
    """Mantel and Haenszel's over sets, k (T, S) of n with a term: (4, T) ratio, low, high (Robins et al. 1986), p."""
    a, b, c, d = contingency_cells(k, n, k_all, n_all).astype(np.float64)
    p, q, r, s = (a + d) / n_all, (b + c) / n_all, a * d / n_all, b * c / n_all
    over, under = r.sum(axis=1), s.sum(axis=1)
    variance = n * (n_all - n) * k_all * (n_all - k_all) / (n_all**2 * np.maximum(n_all - 1.0, 1))
    with np.errstate(divide="ignore", invalid="ignore"):
        of_log = (p * r).sum(axis=1) / over**2 + (p * s + q * r).sum(axis=1) / (over * under)
        factor = np.exp(norm.ppf(0.975) * np.sqrt((of_log + (q * s).sum(axis=1) / under**2) / 2))
        ratio = over / under
        test = chi2.sf((k - n * k_all / n_all).sum(axis=1) ** 2 / variance.sum(axis=1), 1)
    one_sided, ends = (over == 0) != (under == 0), ((ratio / factor, 0.0), (ratio * factor, np.inf))
    return np.array([ratio, *(np.where(one_sided, end, known) for known, end in ends), np.nan_to_num(test, nan=1.0)])
