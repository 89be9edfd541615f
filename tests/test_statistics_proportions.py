"""Intervals from counts: against scipy, by their definitions, at the edges, by coverage over all outcomes."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import binom, binomtest
from scipy.stats.contingency import relative_risk

from fairness_checklist.errors import InputError, OptionError
from fairness_checklist.statistics.intervals import (
    Interval,
    agresti_caffo,
    clopper_pearson,
    clopper_pearson_bounds,
    clopper_pearson_difference,
    katz,
    koopman,
    newcombe,
    newcombe_bounds,
    proportion,
    wald,
    wilson,
    wilson_bounds,
)

COUNTS = [(0, 1), (1, 1), (0, 7), (7, 7), (1, 7), (3, 7), (38, 250), (249, 250), (500, 100_000)]
FOUR = [(38, 250, 25, 250), (3, 10, 7, 80), (1, 4, 3, 3), (90, 100, 10, 100)]


@pytest.mark.parametrize(("hits", "rows"), COUNTS)
@pytest.mark.parametrize("level", [0.8, 0.95, 0.999])
def test_one_proportion_is_scipys(hits: int, rows: int, level: float) -> None:
    test = binomtest(hits, rows)
    for ours, theirs in (
        (wilson, test.proportion_ci(level, method="wilson")),
        (clopper_pearson, test.proportion_ci(level, method="exact")),
    ):
        interval = ours(hits, rows, level=level)
        assert interval.low == pytest.approx(theirs.low, abs=1e-11)
        assert interval.high == pytest.approx(theirs.high, abs=1e-11)


@pytest.mark.parametrize(("hits", "rows"), COUNTS)
def test_proportion_is_exact_at_the_edges_and_wilson_elsewhere(hits: int, rows: int) -> None:
    interval = proportion(hits, rows)
    expected = clopper_pearson(hits, rows) if hits in (0, rows) else wilson(hits, rows)
    assert (interval.low, interval.high, interval.method) == (expected.low, expected.high, expected.method)
    assert bool(interval.note) == (hits in (0, rows))


def test_no_hits_and_only_hits_have_the_closed_form() -> None:
    none, only = proportion(0, 60), proportion(60, 60)
    assert none == Interval(0.0, none.high, "clopper-pearson", 60, "no hits: exact binomial bound")
    assert only == Interval(only.low, 1.0, "clopper-pearson", 60, "only hits: exact binomial bound")
    assert none.high == pytest.approx(1 - 0.025 ** (1 / 60), abs=1e-12)
    assert only.low == pytest.approx(0.025 ** (1 / 60), abs=1e-12)


def test_many_at_once_are_the_single_ones_and_nan_without_rows() -> None:
    hits, rows = np.array([0, 3, 5, 0]), np.array([5, 5, 5, 0])
    for many, one in ((wilson_bounds, wilson), (clopper_pearson_bounds, clopper_pearson)):
        low, high = many(hits, rows)
        single = [one(int(k), int(n)) for k, n in zip(hits, rows, strict=True)]
        np.testing.assert_array_equal(low, [interval.low for interval in single])
        np.testing.assert_array_equal(high, [interval.high for interval in single])
    low, high = newcombe_bounds(hits, rows, hits[::-1], rows[::-1])
    assert np.isnan(low).tolist() == np.isnan(high).tolist() == [True, False, False, True]
    assert (low[1], high[1]) == (newcombe(3, 5, 5, 5).low, newcombe(3, 5, 5, 5).high)


def test_newcombe_is_his_published_example() -> None:
    """Table II of Newcombe 1998 (interval estimation for the difference), method 10: 56/70 - 48/80 and 10/10 - 0/20."""
    first, second = newcombe(56, 70, 48, 80), newcombe(10, 10, 0, 20)
    assert (round(first.low, 4), round(first.high, 4)) == (0.0524, 0.3339)
    assert (round(second.low, 4), round(second.high, 4)) == (0.6791, 1.0)


@pytest.mark.parametrize("four", FOUR)
def test_differences_turn_round_with_the_groups(four: tuple[int, int, int, int]) -> None:
    k, n, j, m = four
    for method in (newcombe, agresti_caffo, wald, clopper_pearson_difference):
        one, other = method(k, n, j, m), method(j, m, k, n)
        assert (one.low, one.high) == pytest.approx((-other.high, -other.low), abs=1e-14)
        assert one.low <= k / n - j / m <= one.high
    assert clopper_pearson_difference(k, n, j, m).width > newcombe(k, n, j, m).width


@pytest.mark.parametrize("four", FOUR)
def test_ratios(four: tuple[int, int, int, int]) -> None:
    k, n, j, m = four
    theirs = relative_risk(k, n, j, m).confidence_interval(0.95)
    interval = katz(k, n, j, m)
    assert (interval.low, interval.high) == pytest.approx((theirs.low, theirs.high), rel=1e-12)
    for method in (katz, koopman):
        one, other = method(k, n, j, m), method(j, m, k, n)
        assert (one.low, one.high) == pytest.approx((1 / other.high, 1 / other.low), rel=1e-10)


@pytest.mark.parametrize("four", [*FOUR, (3, 50, 0, 50), (7, 7, 9, 9)])
def test_koopmans_ends_are_where_the_distance_reaches_the_limit(four: tuple[int, int, int, int]) -> None:
    """The distance with the likeliest proportions sought on a fine grid, not by the formula of the root."""
    k, n, j, m = four
    interval = koopman(k, n, j, m)
    for end in (interval.low, interval.high):
        if not math.isfinite(end):
            continue
        q = np.linspace(0, min(1.0, 1 / end), 2_000_001)[1:-1]
        p = end * q
        likelihood = k * np.log(p) + (n - k) * np.log1p(-p) + j * np.log(q) + (m - j) * np.log1p(-q)
        best = int(likelihood.argmax())
        p0, q0 = p[best], q[best]
        distance = (k - n * p0) ** 2 / (n * p0 * (1 - p0)) + (j - m * q0) ** 2 / (m * q0 * (1 - q0))
        assert distance == pytest.approx(1.959963984540054**2, rel=1e-3)


def test_coverage_over_all_outcomes() -> None:
    """Summed over the binomial distribution, no simulation: exact never below, Wilson's about the level on average."""
    n = 40
    hits = np.arange(n + 1)
    exact, score = clopper_pearson_bounds(hits, n), wilson_bounds(hits, n)
    grid = np.linspace(0.01, 0.99, 197)
    weights = binom.pmf(hits[:, None], n, grid)
    covered = [
        (weights * ((low[:, None] <= grid) & (grid <= high[:, None]))).sum(axis=0) for low, high in (exact, score)
    ]
    assert covered[0].min() >= 0.95
    assert 0.945 < covered[1].mean() < 0.96
    assert covered[1].min() > 0.85


@pytest.mark.parametrize(("p", "q", "n", "m"), [(0.15, 0.10, 60, 60), (0.03, 0.01, 100, 100), (0.5, 0.5, 20, 45)])
def test_coverage_of_differences_over_all_outcomes(p: float, q: float, n: int, m: int) -> None:
    k, j = np.meshgrid(np.arange(n + 1), np.arange(m + 1), indexing="ij")
    weights = binom.pmf(k, n, p) * binom.pmf(j, m, q)
    low, high = newcombe_bounds(k, n, j, m)
    assert 0.93 < weights[(low <= p - q) & (p - q <= high)].sum() < 0.99


def test_undefined_without_rows() -> None:
    for method in (wilson, clopper_pearson, proportion):
        interval = method(0, 0)
        assert math.isnan(interval.low)
        assert math.isnan(interval.high)
        assert (interval.n, interval.note) == (0, "there are no rows")
    for difference in (newcombe, agresti_caffo, wald, clopper_pearson_difference, katz, koopman):
        interval = difference(3, 5, 0, 0)
        assert math.isnan(interval.low)
        assert math.isnan(interval.high)
        assert (interval.n, interval.note) == (5, "one of the two groups has no rows")


def test_ratios_without_hits() -> None:
    assert koopman(0, 20, 3, 20).low == 0.0
    assert koopman(3, 20, 0, 20).high == math.inf
    assert koopman(0, 20, 0, 20).note == "neither group has a hit: any ratio is possible"
    assert katz(0, 20, 3, 20).note == "one of the two groups has no hits: use koopman"
    assert katz(20, 20, 20, 20) == Interval(1.0, 1.0, "katz", 40, "no width: use koopman")


@pytest.mark.parametrize("counts", [(-1, 5), (6, 5), (2.5, 5), (1, 5.5), (0, math.nan), (math.nan, 3), (1, math.inf)])
def test_counts_that_are_none(counts: tuple[float, float]) -> None:
    hits, rows = counts
    expected = f"{hits} of {rows} rows: expected two whole numbers, the first from 0 to the second."
    for method in (wilson, clopper_pearson, proportion):
        with pytest.raises(InputError) as caught:
            method(hits, rows)  # type: ignore[arg-type]
        assert str(caught.value) == expected
    for difference in (newcombe, agresti_caffo, wald, clopper_pearson_difference, katz, koopman):
        with pytest.raises(InputError) as caught:
            difference(1, 2, hits, rows)  # type: ignore[arg-type]
        assert str(caught.value) == expected


def test_levels_that_are_none() -> None:
    expected = "level is 95, expected a number above 0 and below 1.\n    For 95 percent give 0.95."
    for method in (wilson, clopper_pearson, proportion):
        with pytest.raises(OptionError) as caught:
            method(1, 2, level=95)
        assert str(caught.value) == expected
    for difference in (newcombe, agresti_caffo, wald, clopper_pearson_difference, katz, koopman):
        with pytest.raises(OptionError) as caught:
            difference(1, 2, 0, 3, level=95)
        assert str(caught.value) == expected
