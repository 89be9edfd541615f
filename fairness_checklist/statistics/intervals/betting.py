"""Betting intervals of means of bounded values: the hedged capital of Waudby-Smith and Ramdas 2024.

For a candidate mean m two gamblers bet on each value in turn that the mean is above m, or below it, with stakes chosen
from the values before. If m is true neither's capital is likely to grow; the interval is all m at which neither reached
2/(1 - level). Capital is monotone in m, so that each end is found by halving, without a grid.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from fairness_checklist.arrays import FloatArray, IntArray
from fairness_checklist.errors import OptionError
from fairness_checklist.statistics.intervals.interval import Interval, check_bounds, check_level, none_for, within
from fairness_checklist.statistics.intervals.proportions import NO_ROWS, ONE_EMPTY

__all__ = ["ConfidenceSequence", "betting_difference", "betting_mean", "betting_sequence"]

_HALVINGS = 50
_TRUNCATION = 0.5


@dataclass(frozen=True, eq=False)
class ConfidenceSequence:
    """Intervals after some numbers of rows, which hold *together*: one may look at any time, and stop.

    Attributes:
        times: (A,) rows seen.
        low, high: (A,) ends, each no wider than the one before.
        method: what made it.
        note: what to keep in mind.
    """

    times: IntArray
    low: FloatArray
    high: FloatArray
    method: str
    note: str


def betting_mean(
    values: ArrayLike, *, level: float = 0.95, bounds: Sequence[float] = (0.0, 1.0), seed: int | None = 0
) -> Interval:
    """The betting interval of a mean of n independent values (hedged capital, stakes for a fixed n).

    Stakes sqrt(2 log(2/(1 - level)) / (n s^2)) with s^2 = (1/4 + sum (x - mean)^2)/(i + 1) of the i values before (each
    less the running mean of its time), truncated at 1/2 of what could be lost. Waudby-Smith and Ramdas 2024, theorem 3
    and remark 3. Holds for every n and every distribution inside the bounds, and is as a rule the narrowest of the
    guaranteed intervals.

    Args:
        values: (n,) inside the bounds.
        level: guaranteed coverage.
        bounds: (a, b), the least and the greatest value that could occur, known before the data.
        seed: rows are shuffled by it first, as the ends depend on the order a little; None: in the order given, which
            then must not come from the values (never sorted).

    Returns:
        In units of the values, inside the bounds; undefined without rows.

    Raises:
        InputError: a value is outside the bounds or no number.
        OptionError: level or bounds cannot be.

    >>> interval = betting_mean([0.0] * 990 + [1.0] * 10)
    >>> interval.low > 0.0, interval.high < 0.0295
    (True, True)
    """
    least, greatest = check_bounds(bounds)
    rows = within(values, (least, greatest))
    check_level(level)
    if not len(rows):
        return none_for("betting", 0, NO_ROWS)
    low, high = _ends(_shuffled(rows, seed), level, least, greatest)
    return Interval(low, high, "betting", len(rows), _order(seed))


def betting_difference(
    first: ArrayLike,
    second: ArrayLike,
    *,
    level: float = 0.95,
    bounds: Sequence[float] = (0.0, 1.0),
    seed: int | None = 0,
) -> Interval:
    """mean(first) - mean(second) from two betting intervals, each at (1 + level)/2 (union bound), ends subtracted.

    Arguments and errors as of `betting_mean`; undefined where a group has no rows.

    >>> interval = betting_difference([1.0] * 38 + [0.0] * 212, [1.0] * 25 + [0.0] * 225)
    >>> -0.09 < interval.low < -0.05 and 0.16 < interval.high < 0.20
    True
    """
    least, greatest = check_bounds(bounds)
    left, right = within(first, (least, greatest)), within(second, (least, greatest))
    share = (1 + check_level(level)) / 2
    n = len(left) + len(right)
    if not (len(left) and len(right)):
        return none_for("betting union", n, ONE_EMPTY)
    low, high = _ends(_shuffled(left, seed), share, least, greatest)
    other_low, other_high = _ends(_shuffled(right, seed), share, least, greatest)
    return Interval(low - other_high, high - other_low, "betting union", n, _order(seed))


def betting_sequence(
    values: ArrayLike,
    *,
    level: float = 0.95,
    bounds: Sequence[float] = (0.0, 1.0),
    at: Sequence[int] | None = None,
    seed: int | None = None,
) -> ConfidenceSequence:
    """The betting confidence sequence: intervals that hold at all times together, however often one looks.

    As `betting_mean`, with stakes sqrt(2 log(2/(1 - level)) / (s^2 i log(i + 1))) at row i. Waudby-Smith and Ramdas
    2024, theorem 3. For annotating until the answer is clear; at a fixed n `betting_mean` is narrower.

    Args:
        values, level, bounds: as in `betting_mean`.
        at: (A,) rising numbers of rows to tell the interval for; None: 1, 2, 4, ... and all.
        seed: as in `betting_mean`, but in the order given by default.

    Raises:
        InputError, OptionError: as in `betting_mean`; `at` is not rising or beyond the rows.

    >>> sequence = betting_sequence([0.0, 1.0] * 512, at=[16, 1024])
    >>> (sequence.high > 0.5).all(), sequence.high[1] < sequence.high[0]
    (np.True_, np.True_)
    """
    least, greatest = check_bounds(bounds)
    rows = _shuffled(within(values, (least, greatest)), seed)
    check_level(level)
    n = len(rows)
    times = np.asarray(_doubling(n) if at is None else at, dtype=np.int64)
    if n and not (len(times) and times[0] >= 1 and times[-1] <= n and (np.diff(times) > 0).all()):
        raise OptionError(f"at is {times.tolist()}, expected rising numbers from 1 to {n}, the number of rows.")
    ends = [_ends(rows[:time], level, least, greatest, stakes_for_ever=True) for time in (times if n else [])]
    low, high = np.array(ends).reshape(-1, 2).T
    return ConfidenceSequence(times[: len(ends)], low, high, "betting sequence", NO_ROWS if not n else _order(seed))


def _doubling(n: int) -> list[int]:
    powers = [2**power for power in range(n.bit_length()) if 2**power < n]
    return [*powers, n] if n else []


def _order(seed: int | None) -> str:
    return "rows in the order given" if seed is None else f"rows shuffled with seed {seed}"


def _shuffled(rows: FloatArray, seed: int | None) -> FloatArray:
    if seed is None:
        return rows
    if seed < 0:
        raise OptionError(f"seed is {seed}, expected a whole number from 0 on.")
    return np.random.default_rng(seed).permutation(rows)


def _stakes(x: FloatArray, level: float, for_ever: bool) -> FloatArray:
    """(n,) lambda: each from the values before it."""
    n = len(x)
    times = np.arange(1, n + 1)
    means = (0.5 + np.cumsum(x)) / (times + 1)
    variances = (0.25 + np.cumsum((x - means) ** 2)) / (times + 1)
    before = np.concatenate([[0.25], variances[:-1]])
    budget: FloatArray = times * np.log(times + 1.0) if for_ever else np.full(n, float(n))
    stakes: FloatArray = np.sqrt(2 * math.log(2 / (1 - level)) / (before * budget))
    return stakes


def _ends(
    rows: FloatArray, level: float, least: float, greatest: float, *, stakes_for_ever: bool = False
) -> tuple[float, float]:
    """Both ends for the rows in their order, in their units."""
    x = (rows - least) / (greatest - least)
    stakes = _stakes(x, level, stakes_for_ever)
    low = _lower_end(x, stakes, level)
    high = 1 - _lower_end(1 - x, stakes, level)
    return least + (greatest - least) * low, least + (greatest - least) * high


def _lower_end(x: FloatArray, stakes: FloatArray, level: float) -> float:
    """The greatest m that the capital of the gambler on "above m" rejects, by halving, or 0.

    1/2 prod (1 + lambda (x - m)), lambda at most 1/(2m), falls in m at every time, and so does its greatest
    value so far.
    """
    target = math.log(2 / (1 - level))
    low, high = 0.0, 1.0
    for _ in range(_HALVINGS):
        m = (low + high) / 2
        gains = np.log1p(np.minimum(stakes, _TRUNCATION / m) * (x - m))
        if float(np.cumsum(gains).max()) >= target:
            low = m
        else:
            high = m
    return low
