"""The closed forms against brute force over the whole product."""

import itertools
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import wasserstein_distance

from fairness_checklist.metrics import closed_forms

tenths = st.integers(0, 10).map(lambda k: k / 10)
Cell = list[list[float]]
one_group = st.lists(st.one_of(tenths, st.floats(0, 1)), max_size=4)
some_cells = st.integers(2, 4).flatmap(
    lambda arms: st.lists(st.lists(one_group, min_size=arms, max_size=arms), min_size=1, max_size=3)
)


def sorted_cells(cells: list[Cell]) -> closed_forms.CellDistributions:
    rows = [(value, q, g) for q, cell in enumerate(cells) for g, scores in enumerate(cell) for value in scores]
    rows = [rows[i] for i in np.random.default_rng(0).permutation(len(rows))]
    value, cell, arm = (np.array([row[i] for row in rows], dtype) for i, dtype in enumerate((float, int, int)))
    return closed_forms.sort_cells(value, cell, arm, np.ones(len(rows)), len(cells), len(cells[0]))


def brute(cell: Cell, of_row: Callable[[np.ndarray], float]) -> float:
    """The mean of a function over the product of the groups that have scores; NaN below two."""
    there = [scores for scores in cell if scores]
    if len(there) < 2:
        return np.nan
    return float(np.mean([of_row(np.array(row)) for row in itertools.product(*there)]))


@settings(max_examples=40, deadline=None, derandomize=True)
@given(some_cells)
def test_distances_ranges_and_variances_are_those_of_the_whole_product(cells: list[Cell]) -> None:
    made, arms = sorted_cells(cells), len(cells[0])
    left, right = (side.astype(np.int64) for side in np.triu_indices(arms, k=1))
    distance, w1 = (of(made, left, right) for of in (closed_forms.expected_distance, closed_forms.wasserstein_distance))
    for q, cell in enumerate(cells):
        pairs = [(cell[i], cell[j]) for i, j in zip(left, right, strict=True)]
        np.testing.assert_allclose(distance[q], [brute([x, y], np.ptp) for x, y in pairs], atol=1e-12)
        by_scipy = [wasserstein_distance(x, y) if x and y else np.nan for x, y in pairs]
        np.testing.assert_allclose(w1[q], by_scipy, atol=1e-12)
    np.testing.assert_allclose(
        closed_forms.expected_range(made, arms), [brute(one, np.ptp) for one in cells], atol=1e-12
    )
    variances = closed_forms.expected_variance(made, arms)
    np.testing.assert_allclose(variances, [brute(one, np.var) for one in cells], atol=1e-12)


def test_nothing_at_all_is_undefined_and_no_error() -> None:
    nothing = closed_forms.sort_cells(np.empty(0), np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0), 2, 2)
    pair = np.array([0]), np.array([1])
    assert np.isnan(closed_forms.expected_distance(nothing, *pair)).all()
    assert np.isnan(closed_forms.wasserstein_distance(nothing, *pair)).all()
    assert np.isnan(closed_forms.expected_range(nothing, 2)).all()
    assert np.isnan(closed_forms.expected_variance(nothing, 2)).all()
    assert np.isnan(closed_forms.means(nothing)).all()


def test_many_cells_keep_their_digits() -> None:
    """The running sums of one long array may not wear off the digits of its last cells."""
    generator = np.random.default_rng(1)
    cells = [[generator.random(3).tolist() for _ in range(3)] for _ in range(2000)]
    found = closed_forms.expected_range(sorted_cells(cells), 3)
    for q in (0, 999, 1999):
        assert found[q] == pytest.approx(brute(cells[q], np.ptp), abs=1e-12)
