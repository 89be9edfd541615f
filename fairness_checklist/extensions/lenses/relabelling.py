"""Units assigned to two groups in all ways, or in a random sample of them: the reference of permutation tests."""

from itertools import combinations
from math import comb

import numpy as np

from fairness_checklist.core.arrays import BoolArray, FloatArray
from fairness_checklist.core.option_defaults import whole_number

EXACT_LIMIT = 20_000  # so many assignments are enumerated at most; beyond it they are sampled
_TIE = 1e-12


def relabelled(
    first: BoolArray, *, limit: int = EXACT_LIMIT, draws: int = 9_999, seed: int = 0
) -> tuple[BoolArray, bool]:
    """(A, n) which units are in the first group, in all ways where there are at most ``limit``, else in a sample."""
    n, size = len(first), int(first.sum())
    ways = comb(n, size)
    if ways <= limit:
        chosen = np.array(list(combinations(range(n), size)), dtype=np.int64).reshape(ways, size)
        assignments = np.zeros((ways, n), dtype=np.bool_)
        np.put_along_axis(assignments, chosen, values=True, axis=1)
        return assignments, True
    rng = np.random.default_rng(seed)
    return rng.permuted(np.tile(first, (whole_number("draws", draws), 1)), axis=1), False


def p_value(observed: float, permuted: FloatArray, *, exact: bool) -> float:
    """The share of assignments whose value is at least the observed one, ties included.

    A sample counts the observed assignment as one more, so that p is never 0 and the test keeps its level (Phipson and
    Smyth 2010).
    """
    if np.isnan(observed):
        return float("nan")
    above = int((permuted >= observed - _TIE * max(1.0, abs(observed))).sum())
    return above / len(permuted) if exact else (above + 1) / (len(permuted) + 1)
