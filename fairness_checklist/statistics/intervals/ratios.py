"""Intervals for the ratio of two independent proportions, from counts."""

from __future__ import annotations

import math

from scipy.optimize import brentq

from fairness_checklist.statistics.intervals.interval import Interval, check_count, check_level, none_for
from fairness_checklist.statistics.intervals.proportions import ONE_EMPTY, critical

__all__ = ["katz", "koopman"]


def katz(first_hits: int, first_rows: int, second_hits: int, second_rows: int, *, level: float = 0.95) -> Interval:
    """Katz's log interval for the ratio p1/p2 of two independent proportions, above 0.

    (p1/p2) exp(-/+ z sqrt(1/k1 - 1/n1 + 1/k2 - 1/n2)). Katz et al. 1978, method C. Approximate: needs several hits in
    both groups; undefined without a hit in one of them (`koopman` is not).

    Args:
        first_hits, first_rows: of the group above the line.
        second_hits, second_rows: of the group below it.
        level: nominal coverage.

    Raises:
        InputError: the counts are no counts.
        OptionError: the level is not between 0 and 1.

    >>> interval = katz(38, 250, 25, 250)
    >>> round(interval.low, 3), round(interval.high, 3)
    (0.947, 2.44)
    """
    k, n = check_count(first_hits, first_rows)
    j, m = check_count(second_hits, second_rows)
    z = critical(level)
    if not (n and m):
        return none_for("katz", n + m, ONE_EMPTY)
    if not (k and j):
        return none_for("katz", n + m, "one of the two groups has no hits: use koopman")
    half = z * math.sqrt(max(0.0, 1 / k - 1 / n + 1 / j - 1 / m))
    ratio = (k / n) / (j / m)
    note = "" if half > 0 else "no width: use koopman"
    return Interval(ratio * math.exp(-half), ratio * math.exp(half), "katz", n + m, note)


def koopman(first_hits: int, first_rows: int, second_hits: int, second_rows: int, *, level: float = 0.95) -> Interval:
    """Koopman's score interval for the ratio p1/p2 of two independent proportions, in [0, inf].

    All ratios r with (k1 - n1 p1)^2/(n1 p1 (1-p1)) + (k2 - n2 p2)^2/(n2 p2 (1-p2)) <= z^2, where p1 = r p2 are the most
    likely proportions of that ratio. Koopman 1984. Defined without hits in one of the groups: it then starts at 0 or
    has no upper end. Arguments and errors as of `katz`; undefined without a hit in either group.

    >>> interval = koopman(38, 250, 25, 250)
    >>> round(interval.low, 3), round(interval.high, 3)
    (0.952, 2.434)
    >>> koopman(3, 50, 0, 50).high
    inf
    """
    k, n = check_count(first_hits, first_rows)
    j, m = check_count(second_hits, second_rows)
    limit = critical(level) ** 2
    check_level(level)
    if not (n and m):
        return none_for("koopman", n + m, ONE_EMPTY)
    if not (k or j):
        return none_for("koopman", n + m, "neither group has a hit: any ratio is possible")
    low = _end(k, n, j, m, limit) if k else 0.0
    high = 1 / _end(j, m, k, n, limit) if j else math.inf
    return Interval(low, high, "koopman", n + m)


def _distance(log_ratio: float, k: int, n: int, j: int, m: int) -> float:
    """Pearson's distance of the counts from the most likely proportions (p1, p2) with p1 = ratio p2."""
    ratio = math.exp(log_ratio)
    # the smaller root of N r p2^2 - (r (n + j) + k + m) p2 + (k + j) = 0, in the form that does not cancel
    b = ratio * (n + j) + k + m
    q = 2 * (k + j) / (b + math.sqrt(max(0.0, b * b - 4 * (n + m) * ratio * (k + j))))
    total = 0.0
    for hits, rows, p in ((k, n, ratio * q), (j, m, q)):
        spread = rows * p * (1 - p)
        apart = hits - rows * p
        total += apart * apart / spread if spread > 0 else 0.0
    return total


def _end(k: int, n: int, j: int, m: int, limit: float) -> float:
    """The lower end of the ratio: the distance reaches the limit below the observed ratio."""
    start = math.log((k / n) / (j / m)) if j else math.log(n + m) + 10
    step = 1.0
    while _distance(start - step, k, n, j, m) < limit:
        step *= 2
    return math.exp(float(brentq(lambda at: _distance(at, k, n, j, m) - limit, start - step, start, xtol=1e-13)))
