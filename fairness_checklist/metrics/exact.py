"""Closed forms: expectations over the whole product of the groups' terms, without sampling.

A *cell* is one source (a tagger: one word of a source). In each cell group t has scores with the empirical distribution
F_t; a row of the product draws once from each group. With the merged sorted values v_1 <= v_2 <= ... of a cell and
d_i = v_(i+1) - v_i every expectation is a sum over i. "Exact" removes sampling noise and nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fairness_checklist.arrays import BoolArray, FloatArray, IntArray

__all__ = [
    "CellDistributions",
    "expected_distance",
    "expected_range",
    "expected_variance",
    "means",
    "sort_cells",
    "wasserstein_distance",
]

_CHUNK = 2_000_000


@dataclass(frozen=True)
class CellDistributions:
    """The merged sorted scores of Q cells and L groups (lanes), m scores in all.

    Attributes:
        value: (m,) sorted within each cell.
        cell: (m,) in [0, Q), ascending.
        share: (m, L) weight of the score in its group's distribution in the cell; sums to 1 a cell and group.
        cumulative: (m, L) F_t at the score.
        step: (m,) d_i; 0 at the last score of a cell.
        start: first score of each cell that has any; ``occupied`` are those cells.
        mass: (Q, L) weight of the group's scores in the cell.
    """

    value: FloatArray
    cell: IntArray
    share: FloatArray
    cumulative: FloatArray
    step: FloatArray
    start: IntArray
    occupied: IntArray
    mass: FloatArray

    @property
    def present(self) -> BoolArray:
        """(Q, L) whether the group has a score in the cell."""
        return self.mass > 0

    def total(self, terms: FloatArray) -> FloatArray:
        """Sum (m, ...) over each cell: (Q, ...)."""
        summed = np.zeros((len(self.present), *terms.shape[1:]))
        if len(self.start):
            summed[self.occupied] = np.add.reduceat(terms, self.start, axis=0)
        return summed


def sort_cells(
    value: FloatArray, cell: IntArray, lane: IntArray, weight: FloatArray, n_cells: int, n_lanes: int
) -> CellDistributions:
    """Sort m scores by cell and value and accumulate each group's distribution."""
    order = np.lexsort((value, cell))
    value, cell, lane, weight = value[order], cell[order], lane[order], weight[order]
    m = len(value)
    mass = np.bincount(cell * n_lanes + lane, weights=weight, minlength=n_cells * n_lanes).astype(np.float64)
    mass = mass.reshape(n_cells, n_lanes)
    share = np.zeros((m, n_lanes))
    whole = mass[cell, lane]
    share[np.arange(m), lane] = np.divide(weight, whole, out=np.zeros(m), where=whole > 0)
    occupied, start = np.unique(cell, return_index=True)
    running = np.cumsum(share, axis=0)
    before = np.zeros((n_cells, n_lanes))
    if m:
        before[occupied[1:]] = running[start[1:] - 1]
    step = np.zeros(m)
    step[:-1] = np.where(cell[1:] == cell[:-1], np.diff(value), 0.0)
    return CellDistributions(value, cell, share, running - before[cell], step, start, occupied, mass)


def _pairs(cells: CellDistributions, left: IntArray, right: IntArray, absolute: bool) -> FloatArray:
    result = np.empty((len(cells.present), len(left)))
    width = max(1, _CHUNK // max(1, len(cells.value)))
    step = cells.step[:, None]
    for i in range(0, len(left), width):
        f, g = cells.cumulative[:, left[i : i + width]], cells.cumulative[:, right[i : i + width]]
        terms = np.abs(f - g) if absolute else f * (1 - g) + g * (1 - f)
        result[:, i : i + width] = cells.total(step * terms)
    both = cells.present[:, left] & cells.present[:, right]
    return np.where(both, result, np.nan)


def expected_distance(cells: CellDistributions, left: IntArray, right: IntArray) -> FloatArray:
    """E|X - Y| for P pairs of groups, independent draws: (Q, P); NaN where a group has no score in the cell.

    sum_i d_i (F (1 - G) + G (1 - F)): the exact expectation of metrics 17 and 18 of Table 2 (Czarnowska et al. 2021)
    over the product of the two groups' terms.

    >>> cells = sort_cells(np.array([0.0, 1.0, 0.5]), np.zeros(3, int), np.array([0, 0, 1]), np.ones(3), 1, 2)
    >>> expected_distance(cells, np.array([0]), np.array([1]))
    array([[0.5]])
    """
    return _pairs(cells, left, right, absolute=False)


def wasserstein_distance(cells: CellDistributions, left: IntArray, right: IntArray) -> FloatArray:
    """W1 between the groups' scores in each cell: (Q, P); metric 21 of Table 2."""
    return _pairs(cells, left, right, absolute=True)


def expected_range(cells: CellDistributions, lanes: int) -> FloatArray:
    """E[max - min] over the first ``lanes`` groups: (Q,); NaN where fewer than two have a score.

    sum_i d_i (1 - prod_t F_t - prod_t (1 - F_t)): metric 20 of Table 2 (Prabhakaran et al. 2019).

    >>> cells = sort_cells(np.array([0.0, 1.0, 0.5]), np.zeros(3, int), np.array([0, 0, 1]), np.ones(3), 1, 2)
    >>> expected_range(cells, 2)
    array([0.5])
    """
    there = cells.present[cells.cell, :lanes]
    f = cells.cumulative[:, :lanes]
    all_below = np.where(there, f, 1.0).prod(axis=1)
    all_above = np.where(there, 1 - f, 1.0).prod(axis=1)
    result = cells.total(cells.step * (1 - all_below - all_above))
    return np.where(cells.present[:, :lanes].sum(axis=1) >= 2, result, np.nan)


def means(cells: CellDistributions) -> FloatArray:
    """The mean score of each group in each cell: (Q, L); NaN where it has none."""
    return np.where(cells.present, cells.total(cells.share * cells.value[:, None]), np.nan)


def expected_variance(cells: CellDistributions, lanes: int) -> FloatArray:
    """E[Var] (divisor T) over the first ``lanes`` groups, one draw from each: (Q,); NaN below two groups.

    Var_t(mean_t) + (T - 1)/T mean_t(var_t).
    """
    there = cells.present[:, :lanes]
    size = there.sum(axis=1)
    enough = size >= 2
    mean = np.where(there, means(cells)[:, :lanes], 0.0)
    square = cells.total(cells.share[:, :lanes] * cells.value[:, None] ** 2)
    within = np.where(there, square - mean**2, 0.0)
    divisor = np.maximum(size, 1)
    centre = mean.sum(axis=1) / divisor
    between = np.where(there, (mean - centre[:, None]) ** 2, 0.0).sum(axis=1) / divisor
    result = between + (divisor - 1) / divisor * within.sum(axis=1) / divisor
    return np.where(enough, result, np.nan)
