"""Betting intervals: by their definition on a grid, coverage, order and units, sequences, edges, whole errors."""

from __future__ import annotations

import math

import numpy as np
import pytest

from fairness_checklist.arrays import FloatArray
from fairness_checklist.errors import InputError, OptionError
from fairness_checklist.statistics.intervals import (
    betting_difference,
    betting_mean,
    betting_sequence,
    empirical_bernstein_mean,
    hoeffding_mean,
)


def plain_capital(values: FloatArray, m: float, level: float, for_ever: bool) -> float:
    """The greatest hedged capital at the candidate m, one value after the other."""
    up = down = best = 1.0
    total, squares = 0.5, 0.25
    n = len(values)
    for i, x in enumerate(values, start=1):
        variance = squares / i
        stake = math.sqrt(2 * math.log(2 / (1 - level)) / (variance * (i * math.log(i + 1) if for_ever else n)))
        up *= 1 + min(stake, 0.5 / m) * (x - m)
        down *= 1 - min(stake, 0.5 / (1 - m)) * (x - m)
        best = max(best, up / 2, down / 2)
        total += x
        squares += (x - total / (i + 1)) ** 2
    return best


@pytest.mark.parametrize("for_ever", [False, True])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_ends_are_where_the_hedged_capital_reaches_its_limit(seed: int, for_ever: bool) -> None:
    generator = np.random.default_rng(seed)
    values = generator.beta(1 + seed, 3, size=80)
    if for_ever:
        sequence = betting_sequence(values, level=0.9, at=[80])
        low, high = float(sequence.low[0]), float(sequence.high[0])
    else:
        interval = betting_mean(values, level=0.9, seed=None)
        low, high = interval.low, interval.high
    for m in np.linspace(0.005, 0.995, 199):
        rejected = plain_capital(values, float(m), 0.9, for_ever) >= 10
        assert rejected == (not low < m < high)
    for inside, outside in ((low + 1e-6, low - 1e-6), (high - 1e-6, high + 1e-6)):
        assert plain_capital(values, inside, 0.9, for_ever) < 10 <= plain_capital(values, outside, 0.9, for_ever)


def test_covers_at_least_as_often_as_it_says_and_is_narrower() -> None:
    generator = np.random.default_rng(4)
    covered, widths = 0, np.zeros(3)
    for _ in range(200):
        values = (generator.random(200) < 0.1).astype(float)
        betting = betting_mean(values, level=0.8, seed=None)
        covered += betting.low <= 0.1 <= betting.high
        widths += [
            betting.width,
            hoeffding_mean(values, level=0.8).width,
            empirical_bernstein_mean(values, level=0.8).width,
        ]
    assert 0.8 <= covered / 200 < 1.0
    assert widths[0] < 0.8 * widths[1:].min()


def test_a_sequence_holds_at_all_times_together() -> None:
    generator = np.random.default_rng(9)
    misses = 0
    for _ in range(40):
        sequence = betting_sequence(generator.random(128) < 0.3, level=0.8, at=range(8, 129, 15))
        misses += bool(((sequence.low > 0.3) | (sequence.high < 0.3)).any())
        assert (np.diff(sequence.low) >= -1e-12).all()
        assert (np.diff(sequence.high) <= 1e-12).all()
    assert misses / 40 <= 0.2


def test_a_difference_is_two_intervals_at_half_the_error() -> None:
    generator = np.random.default_rng(3)
    first, second = generator.random(50), generator.random(70)
    left, right = betting_mean(first, level=0.975, seed=5), betting_mean(second, level=0.975, seed=5)
    difference = betting_difference(first, second, seed=5)
    assert (difference.low, difference.high) == pytest.approx((left.low - right.high, left.high - right.low), abs=1e-14)
    assert (difference.method, difference.n) == ("betting union", 120)
    turned = betting_difference(second, first, seed=5)
    assert (turned.low, turned.high) == pytest.approx((-difference.high, -difference.low), abs=1e-14)


def test_other_units_and_the_mirror() -> None:
    values = np.random.default_rng(6).random(90)
    unit = betting_mean(values)
    scaled, mirrored = betting_mean(4 * values - 2, bounds=(-2, 2)), betting_mean(1 - values)
    assert (scaled.low, scaled.high) == pytest.approx((4 * unit.low - 2, 4 * unit.high - 2), abs=1e-9)
    assert (mirrored.low, mirrored.high) == pytest.approx((1 - unit.high, 1 - unit.low), abs=1e-9)


def test_the_seed_shuffles() -> None:
    values = np.repeat([0.0, 1.0], [80, 20])
    assert betting_mean(values, seed=1) == betting_mean(values, seed=1)
    assert betting_mean(values, seed=1).low != betting_mean(values, seed=2).low
    assert betting_mean(values, seed=1).note == "rows shuffled with seed 1"
    assert betting_mean(values, seed=None).note == "rows in the order given"


def test_edges() -> None:
    for empty in (betting_mean([]), betting_difference([], [0.5]), betting_difference([0.5], [])):
        assert math.isnan(empty.low)
        assert math.isnan(empty.high)
    assert betting_mean([]).note == "there are no rows"
    assert betting_difference([], [0.5]).note == "one of the two groups has no rows"
    one = betting_mean([1.0])
    assert (one.low, one.high) == (0.0, 1.0)
    zeros, ones = betting_mean([0.0] * 100), betting_mean([1.0] * 100)
    assert zeros.low == 0.0
    assert 0 < zeros.high < 0.1
    assert ones.high == 1.0
    assert ones.low == pytest.approx(1 - zeros.high, abs=1e-9)
    none = betting_sequence([])
    assert (none.times.tolist(), none.low.tolist(), none.high.tolist()) == ([], [], [])
    assert none.note == "there are no rows"
    assert betting_sequence([0.5] * 9).times.tolist() == [1, 2, 4, 8, 9]


def test_errors() -> None:
    with pytest.raises(InputError) as outside:
        betting_mean([0.5, -0.5])
    assert str(outside.value) == (
        "the value of row 2 is -0.5, expected 0.0 to 1.0.\n    Give what the values could be as bounds=(low, high)."
    )
    with pytest.raises(OptionError) as seed:
        betting_mean([0.5], seed=-1)
    assert str(seed.value) == "seed is -1, expected a whole number from 0 on."
    for at in ([], [0, 1], [2, 1], [1, 3]):
        with pytest.raises(OptionError) as times:
            betting_sequence([0.5, 0.5], at=at)
        assert str(times.value) == f"at is {at}, expected rising numbers from 1 to 2, the number of rows."
    with pytest.raises(OptionError) as level:
        betting_difference([0.5], [0.5], level=0)
    assert str(level.value) == "level is 0, expected a number above 0 and below 1.\n    For 95 percent give 0.95."
