"""The closed forms against brute force over the whole product."""

from __future__ import annotations

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
quick = settings(max_examples=40, deadline=None, derandomize=True)


def sorted_cells(cells: list[Cell], weights: list[list[list[float]]] | None = None) -> closed_forms.CellDistributions:
    rows = [
        (value, q, g, 1.0 if weights is None else weights[q][g][i])
        for q, cell in enumerate(cells)
        for g, scores in enumerate(cell)
        for i, value in enumerate(scores)
    ]
    rows = [rows[i] for i in np.random.default_rng(0).permutation(len(rows))]
    value, cell, arm, weight = (np.array([row[i] for row in rows]) for i in range(4))
    return closed_forms.sort_cells(
        value, cell.astype(np.int64), arm.astype(np.int64), weight, len(cells), len(cells[0])
    )


def brute(cell: Cell, of_row: Callable[[np.ndarray], float]) -> float:
    """The mean of a function over the product of the groups that have scores; NaN below two."""
    there = [scores for scores in cell if scores]
    if len(there) < 2:
        return np.nan
    return float(np.mean([of_row(np.array(row)) for row in itertools.product(*there)]))


@quick
@given(some_cells)
def test_the_expected_distance_of_each_pair(cells: list[Cell]) -> None:
    left, right = (side.astype(np.int64) for side in np.triu_indices(len(cells[0]), k=1))
    found = closed_forms.expected_distance(sorted_cells(cells), left, right)
    for q, cell in enumerate(cells):
        expected = [brute([cell[i], cell[j]], np.ptp) for i, j in zip(left, right, strict=True)]
        np.testing.assert_allclose(found[q], expected, atol=1e-12)


@quick
@given(some_cells)
def test_w1_of_each_pair_is_that_of_scipy(cells: list[Cell]) -> None:
    left, right = (side.astype(np.int64) for side in np.triu_indices(len(cells[0]), k=1))
    found = closed_forms.wasserstein_distance(sorted_cells(cells), left, right)
    for q, cell in enumerate(cells):
        pairs = [(cell[i], cell[j]) for i, j in zip(left, right, strict=True)]
        expected = [wasserstein_distance(x, y) if x and y else np.nan for x, y in pairs]
        np.testing.assert_allclose(found[q], expected, atol=1e-12)


@quick
@given(some_cells)
def test_the_expected_range(cells: list[Cell]) -> None:
    found = closed_forms.expected_range(sorted_cells(cells), len(cells[0]))
    np.testing.assert_allclose(found, [brute(cell, np.ptp) for cell in cells], atol=1e-12)


@quick
@given(some_cells)
def test_the_expected_variance(cells: list[Cell]) -> None:
    found = closed_forms.expected_variance(sorted_cells(cells), len(cells[0]))
    np.testing.assert_allclose(found, [brute(cell, np.var) for cell in cells], atol=1e-12)


def test_arms_beyond_the_groups_take_no_part_in_a_range() -> None:
    cells = sorted_cells([[[0.0], [0.5], [1.0]]])
    assert closed_forms.expected_range(cells, 2) == pytest.approx([0.5])
    assert closed_forms.expected_variance(cells, 2) == pytest.approx([0.0625])


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
