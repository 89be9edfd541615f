"""Comparisons against scipy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import mannwhitneyu, wasserstein_distance

from fairness_checklist.metrics import comparisons as d

tenths = st.integers(0, 10).map(lambda k: k / 10)
sets = st.lists(st.one_of(tenths, st.floats(0, 1)), min_size=1, max_size=7)
weights = st.lists(st.integers(1, 5), min_size=7, max_size=7)
quick = settings(max_examples=40, deadline=None, derandomize=True)


def on_common_levels(x: list[float], y: list[float], u: Any = None, v: Any = None) -> tuple[Any, Any, Any]:
    """Sorted distinct values and the share of each set on them, as a distribution comparison gets them."""
    levels = np.unique(x + y)
    shares = []
    for values, weight in ((x, u), (y, v)):
        weight = np.ones(len(values)) if weight is None else np.array(weight, dtype=float)
        share = np.array([weight[np.array(values) == level].sum() for level in levels])
        shares.append((share / share.sum())[:, None])
    return levels, shares[0], shares[1]


@quick
@given(sets, sets, weights, weights)
def test_w1_with_weights_is_that_of_scipy(x: list[float], y: list[float], u: list[int], v: list[int]) -> None:
    u, v = u[: len(x)], v[: len(y)]
    found = d.wasserstein_1(*on_common_levels(x, y, u, v))[0]
    assert found == pytest.approx(wasserstein_distance(x, y, u, v), abs=1e-12)


@quick
@given(sets, sets)
def test_the_equality_gap_is_one_half_less_mann_and_whitneys_share(x: list[float], y: list[float]) -> None:
    u = (
        mannwhitneyu(x, y, method="asymptotic", use_continuity=False).statistic
        if len({*x, *y}) > 1
        else (
            len(x)
            * len(y)
            / 2  # scipy warns of a p-value without a variance when all are equal; U is half of all pairs
        )
    )
    found = d.average_equality_gap(*on_common_levels(x, y))[0]
    assert found == pytest.approx(0.5 - u / (len(x) * len(y)), abs=1e-12)


@quick
@given(sets, sets, weights, weights)
def test_whole_weights_are_repeated_scores(x: list[float], y: list[float], u: list[int], v: list[int]) -> None:
    u, v = u[: len(x)], v[: len(y)]
    by_weight = on_common_levels(x, y, u, v)
    by_repeating = on_common_levels(np.repeat(x, u).tolist(), np.repeat(y, v).tolist())
    for compare in (d.wasserstein_1, d.average_equality_gap):
        np.testing.assert_allclose(compare(*by_weight), compare(*by_repeating), atol=1e-12)


def test_several_pairs_at_once_are_each_pair_alone() -> None:
    generator = np.random.default_rng(0)
    levels = np.sort(generator.random(6))
    x, y = (generator.dirichlet(np.ones(6), size=4).T for _ in range(2))
    for compare in (d.wasserstein_1, d.average_equality_gap):
        alone = [compare(levels, x[:, [p]], y[:, [p]])[0] for p in range(4)]
        np.testing.assert_allclose(compare(levels, x, y), alone, rtol=1e-14)
        assert compare(levels, x, y).shape == (4,)


def test_the_direction_of_the_signed_ones() -> None:
    first, second = np.array([0.75]), np.array([0.25])
    assert d.difference(first, second) == 0.5
    assert d.excess_over_background(first, second) == -0.5
    assert d.ratio(first, second) == 3
    assert d.ratio_to_background(first, second) == pytest.approx(1 / 3)
    low, high = on_common_levels([0.1, 0.2], [0.3, 0.4])[1:]
    levels = np.array([0.1, 0.2, 0.3, 0.4])
    assert d.average_equality_gap(levels, low, high)[0] == 0.5
    assert d.average_equality_gap(levels, high, low)[0] == -0.5


def test_a_ratio_over_0_is_nan_without_a_warning() -> None:
    np.testing.assert_array_equal(d.ratio(np.array([0.5, 0.0]), np.array([0.0, 0.0])), [np.nan, np.nan])
    np.testing.assert_array_equal(d.ratio_to_background(np.array(0.0), np.array([0.5])), [np.nan])
    assert np.isnan(d.ratio(np.array(np.nan), np.array(0.5)))


def test_the_comparisons_of_all_groups() -> None:
    scores = np.array([[0.25, 0.5, 1.0], [0.5, 0.5, 0.5]])
    np.testing.assert_array_equal(d.score_range(scores), [0.75, 0.0])
    np.testing.assert_allclose(d.score_deviation(scores), [np.std([0.25, 0.5, 1.0]), 0.0])
