"""Guaranteed intervals of means of bounded values: Hoeffding's and Maurer and Pontil's empirical Bernstein bound."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq

from fairness_checklist.errors import OptionError
from fairness_checklist.statistics.intervals.interval import (
    Interval,
    around,
    check_bounds,
    check_level,
    check_positive,
    none_for,
    within,
)
from fairness_checklist.statistics.intervals.proportions import NO_ROWS, ONE_EMPTY

__all__ = [
    "empirical_bernstein_difference",
    "empirical_bernstein_mean",
    "empirical_bernstein_radius",
    "empirical_bernstein_rows",
    "hoeffding_difference",
    "hoeffding_mean",
    "hoeffding_rows",
]


def hoeffding_mean(values: ArrayLike, *, level: float = 0.95, bounds: Sequence[float] = (0.0, 1.0)) -> Interval:
    """Hoeffding's interval of a mean: -/+ (b - a) sqrt(log(2/(1 - level)) / 2n), cut to the bounds. Hoeffding 1963.

    Holds for every n and every distribution of independent values inside the bounds; does not look at their spread.

    Args:
        values: (n,) inside the bounds.
        level: guaranteed coverage.
        bounds: (a, b), the least and the greatest value that could occur, known before the data.

    Raises:
        InputError: a value is outside the bounds or no number.
        OptionError: level or bounds cannot be.

    >>> hoeffding_mean([0.5] * 100).width
    0.271620303148124
    """
    least, greatest = check_bounds(bounds)
    rows = within(values, (least, greatest))
    check_level(level)
    if not len(rows):
        return none_for("hoeffding", 0, NO_ROWS)
    radius = (greatest - least) * math.sqrt(math.log(2 / (1 - level)) / (2 * len(rows)))
    return around(float(rows.mean()), radius, (least, greatest), "hoeffding", len(rows))


def hoeffding_difference(
    first: ArrayLike, second: ArrayLike, *, level: float = 0.95, bounds: Sequence[float] = (0.0, 1.0)
) -> Interval:
    """Hoeffding's interval of mean(first) - mean(second): -/+ (b - a) sqrt((1/n1 + 1/n2) log(2/(1 - level)) / 2).

    Hoeffding 1963, inequality 2.7: tighter than two intervals of a mean each. Arguments and errors as of
    `hoeffding_mean`; undefined where a group has no rows.

    >>> interval = hoeffding_difference([1.0] * 38 + [0.0] * 212, [1.0] * 25 + [0.0] * 225)
    >>> round(interval.low, 4), round(interval.high, 4)
    (-0.0695, 0.1735)
    """
    least, greatest = check_bounds(bounds)
    left, right = within(first, (least, greatest)), within(second, (least, greatest))
    check_level(level)
    n, m = len(left), len(right)
    if not (n and m):
        return none_for("hoeffding", n + m, ONE_EMPTY)
    size = greatest - least
    radius = size * math.sqrt((1 / n + 1 / m) * math.log(2 / (1 - level)) / 2)
    return around(float(left.mean() - right.mean()), radius, (-size, size), "hoeffding", n + m)


def hoeffding_rows(t: float, *, level: float = 0.95, size: float = 1.0, groups: int = 2) -> float:
    """How many rows make Hoeffding's half-width t (a real number, to be rounded up); of both groups, halves each.

    2 size^2 log(2/(1 - level)) / t^2 for a difference (groups=2), a quarter of it for one mean (groups=1).

    Args:
        t: the half-width, in units of the values.
        level: guaranteed coverage.
        size: b - a, the width of the bounds.
        groups: 1 for a mean, 2 for a difference.

    >>> round(hoeffding_rows(0.05), 2)
    2951.1
    """
    check_level(level)
    ratio = check_positive("size", size) / check_positive("t", t)
    if groups not in (1, 2):
        raise OptionError(f"groups is {groups}, expected 1 for a mean or 2 for a difference.")
    return groups**2 / 2 * ratio**2 * math.log(2 / (1 - level))


def empirical_bernstein_radius(variance: float, n: int, *, level: float = 0.95, size: float = 1.0) -> float:
    """sqrt(2 V log(4/(1 - level))/n) + 7 size log(4/(1 - level))/(3(n - 1)); NaN below two rows.

    Maurer and Pontil 2009, theorem 4, both sides. V is the *sample* variance, divisor n - 1.

    >>> round(empirical_bernstein_radius(0.25, 1000), 4)
    0.057
    """
    if n < 2:
        return math.nan
    logarithm = math.log(4 / (1 - check_level(level)))
    return math.sqrt(2 * variance * logarithm / n) + 7 * size * logarithm / (3 * (n - 1))


def empirical_bernstein_mean(
    values: ArrayLike, *, level: float = 0.95, bounds: Sequence[float] = (0.0, 1.0)
) -> Interval:
    """Maurer and Pontil's interval of a mean (`empirical_bernstein_radius`), cut to the bounds.

    Holds for every n and every distribution of independent, identically distributed values inside the bounds although
    it uses the variance of the sample: the valid form of what "Bernstein with the sample's variance" wants to be.
    Narrower than Hoeffding's where the spread is small and n is some hundreds or more. One row: all that is possible.
    Arguments and errors as of `hoeffding_mean`.

    >>> interval = empirical_bernstein_mean([0.0] * 990 + [1.0] * 10)
    >>> round(interval.low, 4), round(interval.high, 4)
    (0.0, 0.0296)
    """
    least, greatest = check_bounds(bounds)
    rows = within(values, (least, greatest))
    check_level(level)
    if not len(rows):
        return none_for("empirical bernstein", 0, NO_ROWS)
    n = len(rows)
    variance = float(rows.var(ddof=1)) if n > 1 else math.nan
    radius = empirical_bernstein_radius(variance, n, level=level, size=greatest - least)
    note = "" if n > 1 else "one row: everything possible"
    return around(float(rows.mean()), radius, (least, greatest), "empirical bernstein", n, note)


def empirical_bernstein_difference(
    first: ArrayLike, second: ArrayLike, *, level: float = 0.95, bounds: Sequence[float] = (0.0, 1.0)
) -> Interval:
    """mean(first) - mean(second) from two such intervals, each at (1 + level)/2 (union bound), ends subtracted.

    Each group's interval is taken before it is cut to the bounds; the difference is cut to what is possible. Arguments
    and errors as of `hoeffding_mean`; undefined where a group has no rows.

    >>> interval = empirical_bernstein_difference([1.0] * 38 + [0.0] * 212, [1.0] * 25 + [0.0] * 225)
    >>> round(interval.low, 4), round(interval.high, 4)
    (-0.1762, 0.2802)
    """
    least, greatest = check_bounds(bounds)
    groups = [within(values, (least, greatest)) for values in (first, second)]
    share = (1 + check_level(level)) / 2
    method, n = "empirical bernstein union", sum(len(rows) for rows in groups)
    if not min(len(rows) for rows in groups):
        return none_for(method, n, ONE_EMPTY)
    size = greatest - least
    radius = sum(
        empirical_bernstein_radius(float(np.var(rows, ddof=min(1, len(rows) - 1))), len(rows), level=share, size=size)
        for rows in groups
    )
    note = "" if not math.isnan(radius) else "one row in a group: everything possible"
    return around(float(groups[0].mean() - groups[1].mean()), radius, (-size, size), method, n, note)


def empirical_bernstein_rows(t: float, *, variance: float, level: float = 0.95, size: float = 1.0) -> float:
    """How many rows make the half-width t of a mean if the sample's variance turns out as given; to be rounded up.

    The n at which `empirical_bernstein_radius` is t. Arguments as there; t and size in units of the values.

    >>> round(empirical_bernstein_rows(0.05, variance=0.25), 1)
    1252.3
    """
    logarithm = math.log(4 / (1 - check_level(level)))
    check_positive("t", t)
    check_positive("size", size)
    if not 0 <= variance <= size**2 / 2:
        raise OptionError(f"variance is {variance}, expected 0 to {size**2 / 2} for values {size} apart at most.")

    def too_wide(n: float) -> float:
        return math.sqrt(2 * variance * logarithm / n) + 7 * size * logarithm / (3 * (n - 1)) - t

    # half of t for each part is enough rows
    enough = 2 + 8 * variance * logarithm / t**2 + 14 * size * logarithm / (3 * t)
    return float(brentq(too_wide, 1 + 1e-9, enough, xtol=1e-9, rtol=1e-14))
