"""Adjusted p-values: Holm, Benjamini and Hochberg, the maximum of a family, and the one level of all tests."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from fairness_checklist.core.arrays import BoolArray, FloatArray

ALPHA = 0.05
"""The level of all tests: an adjusted p of .05 is significant, everywhere."""
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


def max_t(given: FloatArray, drawn: FloatArray, *, complete: bool = False) -> FloatArray:
    """Adjusted p-values of a family from shared draws (Westfall and Young 1993): the chance of any mistake is held.

    Shapes: given (m,); drawn (D, m). Returns (m,); NaN where undefined. Each statistic is measured in standard
    deviations of its own draws above their mean; the largest of the family in each draw is what it is compared with.
    """
    adjusted = np.full(len(given), np.nan)
    used = ~np.isnan(given)
    if not used.any():
        return adjusted
    own, draws = given[used], drawn[:, used]
    there = np.isfinite(draws)  # an infinite draw is beyond every finite one, an undefined one beyond none
    count = np.maximum(there.sum(axis=0), 1)
    mean = np.where(there, draws, 0.0).sum(axis=0) / count
    spread = np.sqrt(np.where(there, (draws - mean) ** 2, 0.0).sum(axis=0) / count)
    unit = np.where(spread > 1e-15, spread, 1.0)
    t = (own - mean) / unit
    with np.errstate(invalid="ignore"):
        largest = np.where(there, (draws - mean) / unit, np.where(draws == np.inf, np.inf, -np.inf)).max(axis=1)
    reached = (largest[:, None] >= t - _ROUNDING * np.clip(np.abs(t), 1.0, 1e300)).sum(axis=0)
    adjusted[used] = reached / len(draws) if complete else (reached + 1) / (len(draws) + 1)
    return adjusted


def level_shares(sizes: ArrayLike, draws: int) -> FloatArray:
    """The shares (K,) of parts of a family in its level, by their numbers of tests (K,).

    Each part has at least twice the share that its smallest p, 1 / (draws + 1), needs, where there are enough draws.
    """
    tests = np.asarray(sizes, dtype=np.float64)
    share = np.where(tests > 0, np.maximum(tests / tests.sum(), min(1.0, 2 / (ALPHA * (draws + 1)))), 0.0)
    shares: FloatArray = share / share.sum()
    return shares


def draws_to_decide(tests: int, least: int) -> int:
    """How many draws let any one of several tests be significant after Holm's adjustment; at least ``least``.

    >>> draws_to_decide(8, 999), draws_to_decide(1000, 999)
    (999, 40000)
    """
    return max(least, math.ceil(2 * tests / ALPHA))
