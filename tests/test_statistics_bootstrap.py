"""Bootstrap intervals: scipy's on the same resamples, sources kept together, edges, whole errors."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from fairness_checklist.arrays import FloatArray
from fairness_checklist.errors import InputError, OptionError
from fairness_checklist.statistics.intervals import (
    Interval,
    bca_difference,
    bca_mean,
    percentile_difference,
    percentile_mean,
    welch_difference,
)

GENERATOR = np.random.default_rng(11)
SKEWED: FloatArray = GENERATOR.exponential(size=45)
OTHER: FloatArray = GENERATOR.random(30)


def mean_difference(first: FloatArray, second: FloatArray, axis: int = -1) -> FloatArray:
    result: FloatArray = first.mean(axis=axis) - second.mean(axis=axis)
    return result


@pytest.mark.parametrize("level", [0.8, 0.95])
def test_bca_of_a_mean_is_scipys_on_the_same_resamples(level: float) -> None:
    theirs = stats.bootstrap(
        (SKEWED,), np.mean, n_resamples=2_000, confidence_level=level, method="BCa", rng=np.random.default_rng(3)
    ).confidence_interval
    ours = bca_mean(SKEWED, level=level, draws=2_000, seed=3)
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=1e-10)
    assert (ours.method, ours.n, ours.note) == ("bca", 45, "2000 draws, seed 3")


def test_bca_of_a_difference_is_scipys_on_the_same_resamples() -> None:
    theirs = stats.bootstrap(
        (SKEWED, OTHER), mean_difference, n_resamples=2_000, method="BCa", rng=np.random.default_rng(3)
    ).confidence_interval
    ours = bca_difference(SKEWED, OTHER, draws=2_000, seed=3)
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=1e-10)


def test_percentile_of_a_difference_is_scipys_on_the_same_resamples() -> None:
    theirs = stats.bootstrap(
        (SKEWED, OTHER), mean_difference, n_resamples=2_000, method="percentile", rng=np.random.default_rng(3)
    ).confidence_interval
    ours = percentile_difference(SKEWED, OTHER, draws=2_000, seed=3)
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=1e-12)


@pytest.mark.parametrize(("k", "j"), [(38, 25), (8, 2), (128, 100)])
def test_ties_count_half_as_scipys_do_where_its_arithmetic_is_exact(k: int, j: int) -> None:
    """256 rows a group: means are exact in binary, so that draws that tie are equal to the last bit."""
    first, second = np.repeat([1.0, 0.0], [k, 256 - k]), np.repeat([1.0, 0.0], [j, 256 - j])
    theirs = stats.bootstrap(
        (first, second), mean_difference, method="BCa", n_resamples=5_000, rng=np.random.default_rng(1)
    ).confidence_interval
    ours = bca_difference(first, second, draws=40_000)
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=1 / 256 + 1e-9)


def test_blocks_do_not_change_the_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    rows, sources = bca_mean(SKEWED, draws=500), percentile_mean(SKEWED, list(range(45)), draws=500)
    monkeypatch.setattr("fairness_checklist.statistics.intervals.bootstrap._CELLS", 1_000)
    assert bca_mean(SKEWED, draws=500) == rows
    again = percentile_mean(SKEWED, list(range(45)), draws=500)
    assert (again.low, again.high) == pytest.approx((sources.low, sources.high), abs=1e-14)


def test_sources_are_drawn_whole() -> None:
    """By the plain loop: whole sources pooled, rows of both groups with them."""
    generator = np.random.default_rng(4)
    first, second = generator.random(40), generator.random(60)
    first_sources, second_sources = [f"s{i % 7}" for i in range(40)], [f"s{i % 5}" for i in range(60)]
    ours = percentile_difference(first, second, first_sources, second_sources, draws=400, seed=9)
    names = list(dict.fromkeys(first_sources))
    of_first = {name: first[[s == name for s in first_sources]] for name in names}
    of_second = {name: second[[s == name for s in second_sources]] for name in names}
    drawn = []
    for taken in np.random.default_rng(9).integers(0, 7, (400, 7)):
        left = np.concatenate([of_first[names[i]] for i in taken])
        right = np.concatenate([of_second[names[i]] for i in taken])
        if len(right):
            drawn.append(left.mean() - right.mean())
    assert (ours.low, ours.high) == pytest.approx(tuple(np.quantile(drawn, [0.025, 0.975])), abs=1e-12)
    assert ours.note.startswith("400 draws of 7 sources, seed 9")


def test_draws_without_a_group_are_left_out_and_counted() -> None:
    interval = percentile_difference([0.0, 1.0, 1.0], [1.0, 0.0], ["a", "b", "c"], ["a", "a"], draws=1_000)
    assert interval.note.startswith("1000 draws of 3 sources, seed 0; ")
    assert 200 < int(interval.note.split("; ")[1].split()[0]) < 400  # (2/3)^3 of them have no "a"
    assert not math.isnan(interval.low)


def test_clustered_rows_are_covered_only_with_their_sources() -> None:
    generator = np.random.default_rng(6)
    hits = {"rows": 0, "sources": 0}
    for seed in range(150):
        values = np.repeat(generator.normal(size=40), 5) + 0.3 * generator.normal(size=200)
        for name, sources in (("rows", None), ("sources", list(np.repeat(np.arange(40), 5)))):
            interval = percentile_mean(values, sources, draws=400, seed=seed)
            hits[name] += interval.low <= 0 <= interval.high
    assert hits["sources"] / 150 > 0.88
    assert hits["rows"] / 150 < 0.75


def test_bca_covers_about_as_often_as_it_says() -> None:
    generator = np.random.default_rng(8)
    covered = 0
    for seed in range(300):
        interval = bca_difference(generator.random(60) < 0.4, generator.random(60) < 0.3, draws=500, seed=seed)
        covered += interval.low <= 0.1 <= interval.high
    assert 0.91 < covered / 300 < 0.985


def test_welch_is_scipys() -> None:
    theirs = stats.ttest_ind(SKEWED, OTHER, equal_var=False).confidence_interval(0.9)
    ours = welch_difference(SKEWED, OTHER, level=0.9)
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=1e-12)


def test_the_seed_decides() -> None:
    assert bca_mean(SKEWED, seed=1) == bca_mean(SKEWED, seed=1)
    assert bca_mean(SKEWED, seed=1).low != bca_mean(SKEWED, seed=2).low


@pytest.mark.parametrize("n", [0, 1])
def test_too_few_rows(n: int) -> None:
    few, note = [0.5] * n, "a group needs two rows or more"
    for interval in (bca_mean(few), bca_difference(few, OTHER), percentile_difference(OTHER, few)):
        assert math.isnan(interval.low)
        assert math.isnan(interval.high)
        assert interval.note == note
    assert welch_difference(few, OTHER).note == note
    assert percentile_mean(few).note == ("there are no rows" if n == 0 else "needs two sources or more")
    assert math.isnan(percentile_mean(few).low)
    assert percentile_difference(OTHER, [], ["a"] * 30, []).note == "one of the two groups has no rows"


def test_no_spread() -> None:
    note = "no spread inside the groups: no width"
    assert bca_mean([0.5] * 3) == Interval(0.5, 0.5, "bca", 3, note)
    assert bca_difference([1.0] * 3, [0.0] * 4) == Interval(1.0, 1.0, "bca", 7, note)
    assert welch_difference([1.0] * 3, [0.0] * 4) == Interval(1.0, 1.0, "welch", 7, note)
    assert bca_difference([1.0] * 3, [0.0, 0.5, 0.7]).width > 0


@pytest.mark.parametrize(
    ("call", "kind", "text"),
    [
        (lambda: bca_mean(SKEWED, draws=50), OptionError, "draws is 50, expected 100 or more."),
        (lambda: bca_mean(SKEWED, seed=-1), OptionError, "seed is -1, expected a whole number from 0 on."),
        (
            lambda: percentile_mean(SKEWED, level=0),
            OptionError,
            "level is 0, expected a number above 0 and below 1.\n    For 95 percent give 0.95.",
        ),
        (
            lambda: bca_mean([0.5, math.inf]),
            InputError,
            "the value of row 2 is inf, expected a finite number.\n    Leave such rows out, and say how many.",
        ),
        (lambda: bca_mean([[0.5]]), InputError, "values of shape (1, 1), expected one value a row."),
        (lambda: percentile_mean(OTHER, ["a"]), InputError, "1 sources for 30 values, expected one a row."),
        (
            lambda: percentile_difference(OTHER, OTHER, ["a"] * 30),
            InputError,
            "sources are given for one of the two groups, expected both or neither.",
        ),
    ],
)
def test_errors(call: object, kind: type[Exception], text: str) -> None:
    assert callable(call)
    with pytest.raises(kind) as caught:
        call()
    assert str(caught.value) == text
