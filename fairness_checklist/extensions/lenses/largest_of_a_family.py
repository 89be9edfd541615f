"""Adjusted p-values from the largest statistic of a family, and the shares of several families in the level."""

import numpy as np
from numpy.typing import ArrayLike

from fairness_checklist.core.arrays import FloatArray
from fairness_checklist.statistics.multiplicity import ALPHA

_ROUNDING = 1e-12


def max_t(given: FloatArray, drawn: FloatArray) -> FloatArray:
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
    adjusted[used] = (reached + 1) / (len(draws) + 1)
    return adjusted


def level_shares(sizes: ArrayLike, draws: int) -> FloatArray:
    """The shares (K,) of parts of a family in its level, by their numbers of tests (K,).

    Each part has at least twice the share that its smallest p, 1 / (draws + 1), needs, where there are enough draws.
    """
    tests = np.asarray(sizes, dtype=np.float64)
    share = np.where(tests > 0, np.maximum(tests / tests.sum(), min(1.0, 2 / (ALPHA * (draws + 1)))), 0.0)
    shares: FloatArray = share / share.sum()
    return shares
