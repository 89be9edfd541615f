"""Closed forms: expectations over the whole product of the groups' terms, without sampling.

A *cell* is one source (a tagger: one word of a source). In each cell group t has scores with the empirical distribution
F_t; a row of the product draws once from each group. With the merged sorted values v_1 <= v_2 <= ... of a cell and
d_i = v_(i+1) - v_i every expectation is a sum over i. "Exact" removes sampling noise and nothing else.

Cells are sorted and accumulated in blocks of bounded size, so that memory does not grow with their number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np

from fairness_checklist.core.arrays import BoolArray, FloatArray, IntArray, divide
from fairness_checklist.core.outcomes import Outcomes
from fairness_checklist.metrics import comparisons
from fairness_checklist.metrics.contrasts import observations
from fairness_checklist.metrics.scores import Score
from fairness_checklist.metrics.term_product import mean_by_source

_CHUNK = 500_000  # numbers of a block's largest array


@dataclass(frozen=True, eq=False)
class Block:
    """Some cells, each sorted and filled up to N scores with its last one; what fills up has share and step 0."""

    cells: IntArray  # (c,) which cells
    value: FloatArray  # (c, N) the scores in rising order
    group: IntArray  # (c, N) their groups
    step: FloatArray  # (c, N) d_i, 0 at the last score
    count: IntArray  # (c,) scores of each cell
    at: IntArray  # (c, N) which score it is
    share: FloatArray  # (c, N) weight of the score in its group's distribution in the cell
    padded: bool  # whether any cell has fewer than N scores

    def shares(self, n_columns: int) -> FloatArray:
        """(c, L, N) the share of each score in each group."""
        wide = np.zeros((len(self.value), n_columns, self.value.shape[1]))
        np.put_along_axis(wide, self.group[:, None, :], self.share[:, None, :], axis=1)
        return wide

    def cumulative(self, n_columns: int) -> FloatArray:
        """(c, L, N) F_t at each score."""
        wide = self.shares(n_columns)
        return np.cumsum(wide, axis=2, out=wide)


@dataclass(frozen=True, eq=False)
class CellDistributions:
    """The scores of Q cells and L groups, m scores in all, in the order of the cells."""

    value: FloatArray  # (m,)
    cell: IntArray  # (m,) ascending in [0, Q)
    group: IntArray  # (m,) in [0, L)
    share: FloatArray  # (m,) weight of the score in its group's distribution in the cell; sums to 1 a cell and group
    start: IntArray  # start, count: first score and number of scores of each cell that has any
    count: IntArray
    occupied: IntArray  # those cells
    mass: FloatArray  # (Q, L) weight of the group's scores in the cell
    # by width the order of the scores inside their cells; it serves all weights and groups
    sorted_blocks: dict[int, list[Block]] = field(default_factory=dict, repr=False, compare=False)

    def weighed(self, group: IntArray, weight: FloatArray) -> CellDistributions:
        """The same scores in other groups (m,) and with other weights (m,): nothing is sorted again."""
        n_cells, n_columns = self.mass.shape
        share, mass = _shares(self.cell, group, weight, n_cells, n_columns)
        return replace(self, group=group, share=share, mass=mass)

    @property
    def present(self) -> BoolArray:
        """(Q, L) whether the group has a score in the cell."""
        return self.mass > 0

    def by_group(self, terms: FloatArray) -> FloatArray:
        """Sum of (m,) over each cell and group: (Q, L)."""
        code = self.cell * self.mass.shape[1] + self.group
        return np.bincount(code, weights=terms, minlength=self.mass.size).astype(np.float64).reshape(self.mass.shape)

    def blocks(self, width: int) -> Iterator[Block]:
        """All occupied cells, sorted, in blocks of cells of about one size."""
        if width not in self.sorted_blocks:
            self.sorted_blocks[width] = list(self._sorted_blocks(width))
        for block in self.sorted_blocks[width]:
            share = self.share[block.at]
            if block.padded:
                share *= np.arange(share.shape[1]) < block.count[:, None]
            yield replace(block, group=self.group[block.at], share=share)

    def _sorted_blocks(self, width: int) -> Iterator[Block]:
        order = np.argsort(self.count, kind="stable")
        # Cells of similar size share a block: at most a quarter of a block is padding.
        rank = np.floor(np.log(np.maximum(self.count[order], 1)) / np.log(1.25)).astype(np.int64)
        bounds = np.append(np.flatnonzero(np.diff(rank, prepend=-1)), len(order))
        for first, last in pairwise(bounds.tolist()):
            most = int(self.count[order[last - 1]])
            step = max(1, _CHUNK // max(1, most * width))
            for begin in range(first, last, step):
                yield self._block(order[begin : min(begin + step, last)])

    def _block(self, some: IntArray) -> Block:
        count = self.count[some]
        there = np.arange(int(count.max()))
        inside = there < count[:, None]
        at = np.where(inside, self.start[some][:, None] + there, 0)
        value = np.where(inside, self.value[at], np.inf)
        order = np.argsort(value, axis=1)
        at, value = np.take_along_axis(at, order, axis=1), np.take_along_axis(value, order, axis=1)
        padded = not inside.all()
        if padded:
            value = np.where(inside, value, np.take_along_axis(value, count[:, None] - 1, axis=1))
        step = np.zeros(value.shape)
        np.subtract(value[:, 1:], value[:, :-1], out=step[:, :-1])
        return Block(self.occupied[some], value, at, step, count, at, value, padded)


def _shares(
    cell: IntArray, group: IntArray, weight: FloatArray, n_cells: int, n_columns: int
) -> tuple[FloatArray, FloatArray]:
    """The share (m,) of each score in its group's distribution in the cell, and the groups' weights there (Q, L)."""
    code = cell * n_columns + group
    mass = np.bincount(code, weights=weight, minlength=n_cells * n_columns).astype(np.float64)
    return divide(weight, mass[code], fill=0.0), mass.reshape(n_cells, n_columns)


def sort_cells(
    value: FloatArray, cell: IntArray, group: IntArray, weight: FloatArray, n_cells: int, n_columns: int
) -> CellDistributions:
    """Put m scores in the order of their cells, with the share of each in its group's distribution there."""
    if (cell[1:] < cell[:-1]).any():
        order = np.argsort(cell, kind="stable")
        value, cell, group, weight = value[order], cell[order], group[order], weight[order]
    share, mass = _shares(cell, group, weight, n_cells, n_columns)
    count = np.bincount(cell, minlength=n_cells)
    occupied = np.flatnonzero(count)
    start = (np.cumsum(count) - count)[occupied]
    return CellDistributions(value, cell, group, share, start, count[occupied], occupied, mass)


def _where_both(cells: CellDistributions, left: IntArray, right: IntArray, result: FloatArray) -> FloatArray:
    present = cells.present
    result[~(present[:, left] & present[:, right])] = np.nan
    return result


def expected_distance(cells: CellDistributions, left: IntArray, right: IntArray) -> FloatArray:
    """E|X - Y| for P pairs of groups, independent draws: (Q, P); NaN where a group has no score in the cell.

    sum_i d_i (F (1 - G) + G (1 - F)), for all pairs of a cell one matrix product: the exact expectation of metrics 17
    and 18 of Table 2 (Czarnowska et al. 2021) over the product of the two groups' terms.
    """
    n_columns = cells.mass.shape[1]
    result = np.zeros((len(cells.mass), len(left)))
    for block in cells.blocks(n_columns):
        f = block.cumulative(n_columns)
        above = np.ascontiguousarray(np.swapaxes(1.0 - f, 1, 2))
        f *= block.step[:, None, :]
        one_way = f @ above
        result[block.cells] = one_way[:, left, right] + one_way[:, right, left]
    return _where_both(cells, left, right, result)


def wasserstein_distance(cells: CellDistributions, left: IntArray, right: IntArray) -> FloatArray:
    """W1 between the groups' scores in each cell: (Q, P); metric 21 of Table 2."""
    n_columns = cells.mass.shape[1]
    result = np.zeros((len(cells.mass), len(left)))
    for block in cells.blocks(max(n_columns, len(left))):
        f = block.cumulative(n_columns)
        distance = f[:, left]
        distance -= f[:, right]
        np.abs(distance, out=distance)
        result[block.cells] = (distance @ block.step[:, :, None])[:, :, 0]
    return _where_both(cells, left, right, result)


def expected_range(cells: CellDistributions, n_groups: int) -> FloatArray:
    """E[max - min] over the first ``n_groups`` groups: (Q,); NaN where fewer than two have a score.

    sum_i d_i (1 - prod_t F_t - prod_t (1 - F_t)): metric 20 of Table 2 (Prabhakaran et al. 2019).
    """
    n_columns = cells.mass.shape[1]
    present = cells.present[:, :n_groups]
    result = np.full(len(present), np.nan)
    for block in cells.blocks(n_columns):
        f = block.cumulative(n_columns)[:, :n_groups]
        lacking = ~present[block.cells][:, :, None]
        np.copyto(f, 1.0, where=lacking)
        all_below = f.prod(axis=1)
        np.subtract(1.0, f, out=f)
        np.copyto(f, 1.0, where=lacking)
        result[block.cells] = (block.step * (1 - all_below - f.prod(axis=1))).sum(axis=1)
    return np.where(present.sum(axis=1) >= 2, result, np.nan)


def means(cells: CellDistributions) -> FloatArray:
    """The mean score of each group in each cell: (Q, L); NaN where it has none."""
    return np.where(cells.present, cells.by_group(cells.share * cells.value), np.nan)


def expected_variance(cells: CellDistributions, n_groups: int) -> FloatArray:
    """E[Var] (divisor T) over the first groups: (Q,), Var_t(mean_t) + (T - 1)/T mean_t(var_t); NaN below two."""
    defined = cells.present[:, :n_groups]
    size = defined.sum(axis=1)
    enough = size >= 2
    mean = np.where(cells.present, cells.by_group(cells.share * cells.value), 0.0)
    within = cells.by_group(cells.share * (cells.value - mean[cells.cell, cells.group]) ** 2)[:, :n_groups]
    mean = np.where(defined, mean[:, :n_groups], 0.0)
    divisor = np.maximum(size, 1)
    centre = mean.sum(axis=1) / divisor
    between = np.where(defined, (mean - centre[:, None]) ** 2, 0.0).sum(axis=1) / divisor
    return np.where(enough, between + (divisor - 1) / divisor * within.sum(axis=1) / divisor, np.nan)


class ScoreCells:
    """The scores of the symmetric sources, one class at a time; sorted once for all groups and weights.

    A cell is a source (``pooled``: set scores) or one word of a source (single scores).
    """

    def __init__(self, score: Score, outcomes: Outcomes, *, pooled: bool) -> None:
        self.values, row, position = observations(score, outcomes)
        source = outcomes.source[row]
        enters = (source >= 0) & outcomes.symmetric[source]
        inside = np.flatnonzero(enters if pooled else enters & (position >= 0))
        if len(inside) < len(row):
            self.values, row, source, position = self.values[inside], row[inside], source[inside], position[inside]
        self.width = 1 if pooled else int(position.max(initial=0)) + 1
        self.cell, self.row = source if self.width == 1 else source * self.width + position, row
        self.n_sources = len(outcomes.sources)
        self.of_all: dict[int, tuple[IntArray, CellDistributions]] = {}

    def of_class(self, k: int, outcomes: Outcomes) -> CellDistributions:
        """The sorted scores of class k in each cell, with the groups and the weights of these outcomes."""
        n_columns, n_cells = len(outcomes.groups) + 1, self.n_sources * self.width
        if k not in self.of_all:
            scored = np.flatnonzero(~np.isnan(self.values[:, k]))
            if (self.cell[scored[1:]] < self.cell[scored[:-1]]).any():
                scored = scored[np.argsort(self.cell[scored], kind="stable")]
            row = self.row[scored]
            group, weight = np.maximum(outcomes.group[row], 0), outcomes.weight[row]
            made = sort_cells(self.values[scored, k], self.cell[scored], group, weight, n_cells, n_columns)
            self.of_all[k] = row, made
        row, cells = self.of_all[k]
        group, weight = outcomes.group[row], outcomes.weight[row]
        grouped = group >= 0
        if grouped.all():
            return cells.weighed(group, weight)
        return sort_cells(
            cells.value[grouped], cells.cell[grouped], group[grouped], weight[grouped], n_cells, n_columns
        )

    def by_source(self, values: FloatArray) -> FloatArray:
        """(S, ...) means over each source's cells of (S * width, ...) values, the undefined ones left out."""
        if self.width == 1:
            return values
        return mean_by_source(values, np.arange(len(values)) // self.width, self.n_sources)


@dataclass(frozen=True, eq=False)
class ContrastSides:
    """The two sides of P contrasts, as a closed form gets them."""

    family: str  # of the metric; of a background metric d gets the background first
    left: IntArray  # (P,) the groups
    right: IntArray  # (P,) the groups that they are compared with, G for the control; -1 for no single group
    beta: FloatArray  # (P, G + 1) the backgrounds
    n_groups: int  # G

    @property
    def single(self) -> bool:
        """Whether every contrast is one of two groups, or of a group and the control."""
        return self.family != "multigroup" and bool((self.right >= 0).all())


ClosedForm = Callable[[CellDistributions, ContrastSides], FloatArray | None]


def _distance(cells: CellDistributions, sides: ContrastSides) -> FloatArray | None:
    return expected_distance(cells, sides.left, sides.right) if sides.single else None


def _difference(cells: CellDistributions, sides: ContrastSides) -> FloatArray | None:
    if not sides.single:
        return None
    mean = means(cells)
    distance = mean[:, sides.left] - mean[:, sides.right]
    return distance if sides.family == "pairwise" else -distance


def _only_in_background(cells: CellDistributions, sides: ContrastSides) -> FloatArray | None:
    """E[b (1 - g)] of the group's and its background's decision, the mean over a draw from each of its groups."""
    if sides.family != "background":
        return None
    mean = means(cells)
    defined = ~np.isnan(mean)
    size = defined @ sides.beta.T
    summed = np.where(defined, mean, 0.0) @ sides.beta.T
    behind = np.divide(summed, size, out=np.full(size.shape, np.nan), where=size > 0)
    return np.asarray(behind * (1 - mean[:, sides.left]))


def _deviation(cells: CellDistributions, sides: ContrastSides) -> FloatArray | None:
    """Of two scores the deviation is half of their distance; of more there is no closed form."""
    if (cells.present[:, : sides.n_groups].sum(axis=1) > 2).any():
        return None
    return expected_range(cells, sides.n_groups)[:, None] / 2


def _distance_of_sets(cells: CellDistributions, sides: ContrastSides) -> FloatArray | None:
    return wasserstein_distance(cells, sides.left, sides.right) if sides.family == "pairwise" else None


CLOSED_FORMS: dict[comparisons.Comparison, ClosedForm] = {
    comparisons.abs_diff: _distance,
    comparisons.difference: _difference,
    comparisons.only_in_background: _only_in_background,
    comparisons.score_range: lambda cells, sides: expected_range(cells, sides.n_groups)[:, None],
    comparisons.score_variance: lambda cells, sides: expected_variance(cells, sides.n_groups)[:, None],
    comparisons.score_deviation: _deviation,
    comparisons.wasserstein_1: _distance_of_sets,
}
"""Expectations over the product of the groups' terms, or distances, of each cell, (Q, P); None from a form that does
not hold for these sides. One's own comparison may have one too."""
