"""Figures 1 and 2 of Ethayarajh 2020: figure 1 on a synthetic population with the means of the paper's table 1.

The paper's population is the development set of MNLI with its five annotators a row. Here it is drawn: costs are shares
of five annotators who disagree, with the mean of table 1 in each genre. Only the means are the paper's.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from ethayarajh2020_bounds import Variance, bernstein_rows, bernstein_unfairness

from fairness_checklist.core.arrays import FloatArray
from fairness_checklist.core.errors import OptionError

TABLE_1: dict[str, tuple[float, float]] = {
    "facetoface": (0.116, 0.128), "fiction": (0.122, 0.128), "government": (0.154, 0.124), "letters": (0.105, 0.130),
    "nineeleven": (0.115, 0.129), "oup": (0.132, 0.127), "slate": (0.147, 0.125), "telephone": (0.125, 0.127),
    "travel": (0.111, 0.129), "verbatim": (0.146, 0.125),
}  # fmt: skip
"""Mean cost in and outside each genre of MNLI, as printed."""
PER_GENRE = 2_000
SIZES = (50, 100, 200, 500, 1_000, 2_000)
SHARES = (0.1, 0.2, 0.3, 0.4, 0.5)


@dataclass(frozen=True)
class SampledInterval:
    """What sampling n rows gives, as a mean over runs."""

    n: int  # rows sampled
    gamma: float  # the share of the protected group among them
    truth: float  # the disparity of the whole population
    estimate: float  # estimate, low, high: of the first run, as the figure shows one run
    low: float
    high: float
    width: float  # mean over runs
    coverage: float  # the share of runs whose interval holds the truth


def population(genre: str, *, seed: int = 0) -> tuple[FloatArray, FloatArray]:
    """Synthetic costs inside a genre (2,000,) and outside it (18,000,), with the means of table 1.

    A cost is the share of five annotators who disagree with the gold label: 0, .2 or .4, as three of five have to
    agree. Costs are dealt so that the mean is exact to one fifth of a row.
    """
    if genre not in TABLE_1:
        raise OptionError(f"genre is {genre!r}, expected one of {', '.join(TABLE_1)}.")
    random = np.random.default_rng(seed)
    first, second = TABLE_1[genre]
    return _costs(random, PER_GENRE, first), _costs(random, PER_GENRE * 9, second)


def _costs(random: np.random.Generator, n: int, mean: float) -> FloatArray:
    votes = random.binomial(2, mean / 0.4, size=n)
    missing = round(mean * 5 * n) - int(votes.sum())
    step = int(math.copysign(1, missing))
    room = np.flatnonzero(votes < 2 if step > 0 else votes > 0)
    votes[random.choice(room, size=abs(missing), replace=False)] += step
    costs: FloatArray = votes / 5
    return costs


def figure_1(
    genre: str = "government",
    *,
    costs: tuple[FloatArray, FloatArray] | None = None,
    runs: int = 20,
    variance: Variance = "sample",
    seed: int = 0,
) -> tuple[SampledInterval, ...]:
    """Figure 1: the interval by sample size at gamma = .1 (left), and by gamma at 500 rows (right).

    ``costs`` inside and outside the genre, in place of the synthetic population; points with more rows than one of the
    two has are left out. The widths of the printed figure are those of the sample's variance; with the greatest
    variance, of section 3.3, they would be 4 to 11 times as large.
    """
    inside, outside = population(genre, seed=seed) if costs is None else costs
    random = np.random.default_rng(seed + 1)
    truth = float(inside.mean() - outside.mean())
    points = [(n, 0.1) for n in SIZES] + [(500, gamma) for gamma in SHARES]
    return tuple(
        _sampled(inside, outside, truth, n, gamma, runs, variance, random)
        for n, gamma in points
        if round(n * gamma) <= len(inside) and n - round(n * gamma) <= len(outside)
    )


def _sampled(
    inside: FloatArray,
    outside: FloatArray,
    truth: float,
    n: int,
    gamma: float,
    runs: int,
    variance: Variance,
    random: np.random.Generator,
) -> SampledInterval:
    own = round(n * gamma)
    sides = np.repeat([1, -1], [own, n - own])
    intervals = []
    for _ in range(runs):
        chosen = random.choice(inside, own, replace=False), random.choice(outside, n - own, replace=False)
        intervals.append(bernstein_unfairness(np.concatenate(chosen), sides, variance=variance))
    held = [interval.low <= truth <= interval.high for interval in intervals]
    low, high = intervals[0].low, intervals[0].high
    width = float(np.mean([interval.width for interval in intervals]))
    return SampledInterval(n, gamma, truth, (low + high) / 2, low, high, width, float(np.mean(held)))


def figure_2(*, confidence: float = 0.95, gamma: float = 0.5, cost: float = 1.0) -> tuple[tuple[float, float], ...]:
    """Figure 2: the disparity that is estimated, and the examples that formula (4) asks for, .01 to .2."""
    grid = [round(0.005 * step, 3) for step in range(2, 41)]
    return tuple((gap, bernstein_rows(gap, confidence=confidence, gamma=gamma, cost=cost)) for gap in grid)
