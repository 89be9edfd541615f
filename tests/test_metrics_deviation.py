"""The expected standard deviation against brute force over the whole product: enumeration and quadrature."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairness_checklist.metrics import closed_forms
from fairness_checklist.metrics import expectations as deviation

Cell = Sequence[Sequence[float]]
quick = settings(max_examples=30, deadline=None, derandomize=True)
tenths = st.integers(0, 10).map(lambda k: k / 10)
close = st.integers(0, 9).map(lambda k: 0.5 + k * 1e-6)
score = st.one_of(tenths, close, st.floats(0, 1))


def some_cells(most_groups: int, most_terms: int) -> st.SearchStrategy[list[list[list[float]]]]:
    group = st.lists(score, max_size=most_terms)
    return st.integers(2, most_groups).flatmap(
        lambda arms: st.lists(st.lists(group, min_size=arms, max_size=arms), min_size=1, max_size=3)
    )


def distributions(cells: Sequence[Cell], weights: Sequence[Cell] | None = None) -> closed_forms.CellDistributions:
    rows = [
        (value, q, g, 1.0 if weights is None else weights[q][g][i])
        for q, cell in enumerate(cells)
        for g, scores in enumerate(cell)
        for i, value in enumerate(scores)
    ]
    value, cell, arm, weight = (np.array([row[i] for row in rows]) for i in range(4))
    return closed_forms.sort_cells(
        value, cell.astype(np.int64), arm.astype(np.int64), weight, len(cells), len(cells[0])
    )


def brute(cell: Cell, weights: Cell | None = None) -> float:
    """The mean deviation over the product of the groups that have scores; NaN below two."""
    there = [g for g, scores in enumerate(cell) if len(scores)]
    if len(there) < 2:
        return np.nan
    rows = np.array(list(itertools.product(*(cell[g] for g in there))))
    mass = [weights[g] if weights is not None else np.ones(len(cell[g])) for g in there]
    return float(np.average(rows.std(axis=1), weights=[np.prod(row) for row in itertools.product(*mass)]))


def of_any_size(monkeypatch: pytest.MonkeyPatch, rows: int) -> None:
    """Enumerate products of so many rows at most."""
    monkeypatch.setattr(deviation, "_ENUMERATED", (rows,) * 3)


@quick
@given(some_cells(4, 4))
def test_small_products_are_enumerated(cells: list[Cell]) -> None:
    if not any(len(scores) for cell in cells for scores in cell):
        return
    value, error = deviation.expected_deviation(distributions(cells), len(cells[0]))
    np.testing.assert_allclose(value, [brute(cell) for cell in cells], atol=1e-12)
    assert (error == 0).all()
    assert deviation.quadrature_note([(value, error)]) == ""


@quick
@given(cells=some_cells(5, 4))
def test_the_quadrature_is_right_within_the_error_that_it_reports(cells: list[Cell]) -> None:
    if not any(len(scores) for cell in cells for scores in cell):
        return
    with pytest.MonkeyPatch.context() as patch:
        of_any_size(patch, 0)
        value, error = deviation.expected_deviation(distributions(cells), len(cells[0]))
    expected = np.array([brute(cell) for cell in cells])
    np.testing.assert_array_equal(np.isnan(value), np.isnan(expected))
    fine = ~np.isnan(expected)
    apart = np.abs(value - expected)[fine]
    assert (apart <= error[fine] + 2e-7 * expected[fine] + 1e-15).all(), (apart, error, expected)


@pytest.mark.parametrize(
    ("name", "spread"),
    [
        ("uniform", lambda r: r.random(4)),
        ("all equal", lambda r: np.full(4, 0.3)),
        ("two values", lambda r: r.integers(0, 2, 4).astype(float)),
        ("1e-6 apart", lambda r: 0.5 + 1e-6 * r.random(4)),
        ("near two values", lambda r: r.integers(0, 2, 4) + 1e-3 * r.random(4)),
        ("one score far off", lambda r: np.append(1e-2 * r.random(3), 1.0)),
        ("a model that is sure", lambda r: 1 / (1 + np.exp(8 * r.normal(size=4)))),
    ],
)
class TestProductsOfMiddleSize:
    """7 groups of 4 terms: 16,384 rows, by quadrature."""

    def cells(self, spread: object, first: Sequence[float] | None = None) -> list[Cell]:
        generator = np.random.default_rng(1)
        cells = [[spread(generator) for _ in range(7)] for _ in range(2)]  # type: ignore[operator]
        return [[first, *cell[1:]] if first is not None else cell for cell in cells]

    def test_is_that_of_brute_force(self, name: str, spread: object) -> None:
        cells = self.cells(spread)
        value, error = deviation.expected_deviation(distributions(cells), 7)
        np.testing.assert_allclose(value, [brute(cell) for cell in cells], rtol=1e-7)
        assert (error <= 1e-6 * value).all()

    def test_one_group_constant(self, name: str, spread: object) -> None:
        cells = self.cells(spread, first=[0.3] * 4)
        value, _ = deviation.expected_deviation(distributions(cells), 7)
        np.testing.assert_allclose(value, [brute(cell) for cell in cells], rtol=1e-7)

    def test_a_group_that_is_lacking(self, name: str, spread: object) -> None:
        cells = [[*cell, []] for cell in self.cells(spread)]
        value, _ = deviation.expected_deviation(distributions(cells), 8)
        np.testing.assert_allclose(value, [brute(cell) for cell in cells], rtol=1e-7)

    def test_weights(self, name: str, spread: object) -> None:
        cells = self.cells(spread)
        weights = [[[1.0, 2.0, 0.5, float(1 + g)] for g in range(7)] for _ in cells]
        value, _ = deviation.expected_deviation(distributions(cells, weights), 7)
        np.testing.assert_allclose(value, [brute(c, w) for c, w in zip(cells, weights, strict=True)], rtol=1e-7)

    def test_scale_and_place_carry_over(self, name: str, spread: object) -> None:
        cells = self.cells(spread)
        moved = [[[3 - 1000 * float(x) for x in scores] for scores in cell] for cell in cells]
        value, _ = deviation.expected_deviation(distributions(cells), 7)
        other, _ = deviation.expected_deviation(distributions(moved), 7)
        np.testing.assert_allclose(other, 1000 * value, rtol=1e-6)


def test_cells_of_different_sizes_in_one_call() -> None:
    generator = np.random.default_rng(2)
    cells = [[generator.random(int(generator.integers(1, 9))).tolist() for _ in range(6)] for _ in range(9)]
    value, error = deviation.expected_deviation(distributions(cells), 6)
    np.testing.assert_allclose(value, [brute(cell) for cell in cells], rtol=1e-7)
    assert 0 < (error > 0).sum() < 9


def test_weights_of_small_products_are_repeated_scores() -> None:
    cells, weights = [[[0.1, 0.9], [0.2, 0.4, 0.7], [0.3]]], [[[2.0, 1.0], [1.0, 3.0, 0.0], [2.0]]]
    repeated = [[[0.1, 0.1, 0.9], [0.2, 0.4, 0.4, 0.4], [0.3, 0.3]]]
    value, _ = deviation.expected_deviation(distributions(cells, weights), 3)
    assert value == pytest.approx([brute(repeated[0])], abs=1e-14)


def test_what_the_quadrature_leaves_out_is_in_the_bound_and_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    """Scores on two scales far apart, and too few nodes to see the smaller one."""
    generator = np.random.default_rng(3)
    cells = [[(generator.integers(0, 2, 4) + 1e-3 * generator.random(4)).tolist() for _ in range(7)]]
    expected = brute(cells[0])
    monkeypatch.setattr(deviation, "_PANELS", 4)
    value, error = deviation.expected_deviation(distributions(cells), 7)
    assert 1e-6 * expected < abs(value[0] - expected) <= error[0]
    reported = deviation.quadrature_note([(value, error)])
    assert reported == f"by quadrature where a product has many rows, relative error at most {error[0] / value[0]:.1g}"


def test_nothing_at_all_is_undefined_and_no_error() -> None:
    nothing = closed_forms.sort_cells(np.empty(0), np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0), 2, 3)
    value, error = deviation.expected_deviation(nothing, 3)
    assert np.isnan(value).all()
    assert error.tolist() == [0, 0]


def test_scores_put_on_the_m_near_them_give_the_sum_over_all_m(monkeypatch: pytest.MonkeyPatch) -> None:
    generator = np.random.default_rng(4)
    cells = [[1 / (1 + np.exp(8 * generator.normal(size=9))) for _ in range(7)] for _ in range(5)]
    cells[0][1] = np.empty(0)
    found = []
    for sparse in (0, 1_000_000):
        monkeypatch.setattr(deviation, "_SPARSE", sparse)
        found.append(deviation.expected_deviation(distributions(cells), 7))
    np.testing.assert_allclose(found[0][0], found[1][0], rtol=0, atol=1e-11)
    np.testing.assert_allclose(found[0][1], found[1][1], rtol=0, atol=1e-11)
