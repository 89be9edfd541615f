"""Variances of means over sources and over terms, and Student's interval from their sum."""

from collections.abc import Sequence

import numpy as np
from scipy.special import stdtr, stdtrit

from fairness_checklist.core.arrays import FloatArray, IntArray

_ROUNDING = 1e-12  # a spread below it is that of floating-point numbers


def variance_of_clusters(values: FloatArray, cluster: IntArray) -> tuple[float, int]:
    """The variance of a mean over sources, which vary together inside a cluster, and its degrees of freedom.

    Shapes: values (S,); cluster (S,).
    Returns NaN and 0 with fewer than two clusters.
    """
    _, code = np.unique(cluster, return_inverse=True)
    m = int(code.max(initial=-1)) + 1
    if m < 2:
        return float("nan"), 0
    off = np.bincount(code, weights=values - values.mean())
    return float((off**2).sum()) / len(values) ** 2 * m / (m - 1), m - 1


def variance_of_terms(means: FloatArray) -> tuple[float, int]:
    """The variance of a mean over terms that are not NaN, and its degrees of freedom."""
    means = means[~np.isnan(means)]
    return (float(means.var(ddof=1)) / len(means), len(means) - 1) if len(means) > 1 else (float("nan"), 0)


def student_interval(value: float, variances: Sequence[tuple[float, int]]) -> tuple[float, float, float]:
    """Both ends of the 95 % interval and the two-sided p for "it is 0", from variances that add up.

    The degrees of freedom of the sum are Satterthwaite's.

    >>> low, high, p = student_interval(0.5, [(0.25, 1)])
    >>> round(low, 2), round(high, 2), round(p, 2)
    (-5.85, 6.85, 0.5)
    """
    total = sum(variance for variance, _df in variances)
    if np.isnan(total):
        return float("nan"), float("nan"), float("nan")
    if total < _ROUNDING**2:
        return value, value, 1.0 if abs(value) < _ROUNDING else 0.0
    df = total**2 / sum(variance**2 / df for variance, df in variances if variance > 0)
    reach = float(stdtrit(df, 0.975)) * total**0.5
    return value - reach, value + reach, float(2 * stdtr(df, -abs(value) / total**0.5))
