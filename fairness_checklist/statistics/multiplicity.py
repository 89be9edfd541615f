"""Adjusted p-values: Holm, Benjamini and Hochberg, and the one level of all tests."""

import math

import numpy as np
from numpy.typing import ArrayLike

from fairness_checklist.core.arrays import BoolArray, FloatArray

ALPHA = 0.05  # the level of all tests: an adjusted p of .05 is significant, everywhere
_ROUNDING = 1e-12


def significant(p: ArrayLike, level: float = ALPHA) -> BoolArray:
    """Whether p-values are at most the level; NaN are not."""
    return np.asarray(np.asarray(p, dtype=np.float64) <= level + _ROUNDING)


def holm(p: ArrayLike) -> FloatArray:
    """Holm's adjusted p-values (1979): the chance of any mistake is held. NaN stay out."""
    return _stepwise(p, downwards=True)


def benjamini_hochberg(p: ArrayLike) -> FloatArray:
    """Adjusted p-values of Benjamini and Hochberg (1995): the false discovery rate is controlled."""
    return _stepwise(p, downwards=False)


def _stepwise(p: ArrayLike, *, downwards: bool) -> FloatArray:
    values = np.asarray(p, dtype=np.float64)
    there = np.flatnonzero(~np.isnan(values))
    order = there[np.argsort(values[there], kind="stable")]
    rank = np.arange(len(order))
    times = (len(order) - rank) if downwards else len(order) / (rank + 1)
    scaled = values[order] * times
    steps = np.maximum.accumulate(scaled) if downwards else np.minimum.accumulate(scaled[::-1])[::-1]
    adjusted = np.full(values.shape, np.nan)
    adjusted[order] = np.minimum(steps, 1.0)
    return adjusted


def draws_to_decide(tests: int, least: int) -> int:
    """How many draws let any one of several tests be significant after Holm's adjustment; at least ``least``.

    >>> draws_to_decide(8, 999), draws_to_decide(1000, 999)
    (999, 40000)
    """
    return max(least, math.ceil(2 * tests / ALPHA))
