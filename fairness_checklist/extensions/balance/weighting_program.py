"""The linear program of Kocijan et al. (2021, section 2.2) in its exact small form.

A *cell* is what a group and the values of all properties have in common. The objective is convex and treats the rows of
a cell alike, so that an optimum gives them the same weight: K cells take the place of n rows. The dual of the small
program has one constraint a cell and one bounded variable for each two cells of a group; `scipy.optimize.linprog`
solves that form, and the weights are its marginals.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse
from scipy.optimize import linprog

from fairness_checklist.core.arrays import FloatArray, IntArray, by_value

_TOLERANCE = 1e-7
_linprog: Callable[..., Any] = linprog  # its stubs know no sparse arrays and no array of bounds
_OPTIMAL = 0


@by_value
@dataclass(frozen=True, eq=False)
class WeightedCells:
    """K cells of G groups and P properties, in an order that does not depend on the order of the rows."""

    group: IntArray  # (K,) in [0, G)
    value: IntArray  # (K, P) the position of each property's value
    count: FloatArray  # (K,) rows; 0 is allowed and takes the cell out
    n_groups: int  # G
    n_values: tuple[int, ...]  # (P,) how many values each property has

    def __len__(self) -> int:
        return len(self.group)

    def table(self, property_: int, amount: FloatArray) -> FloatArray:
        """(G, V) the sums of an amount a cell (K,) by group and value of one property."""
        width = self.n_values[property_]
        code = self.group * width + self.value[:, property_]
        summed = np.bincount(code, weights=amount, minlength=self.n_groups * width).astype(np.float64)
        return summed.reshape(self.n_groups, width)

    def sums(self) -> sparse.csr_array:
        """The constraints (R, K) that all groups have the same sum in each value."""
        rows, columns, signs, number = [], [], [], 0
        for p, width in enumerate(self.n_values):
            for v in range(width):
                inside = np.flatnonzero(self.value[:, p] == v)
                first = inside[self.group[inside] == 0]
                for g in range(1, self.n_groups):
                    others = inside[self.group[inside] == g]
                    columns += [others, first]
                    rows.append(np.full(len(others) + len(first), number))
                    signs.append(np.repeat([1.0, -1.0], [len(others), len(first)]))
                    number += 1
        places = (np.concatenate(rows), np.concatenate(columns))
        return sparse.csr_array((np.concatenate(signs), places), shape=(number, len(self)))

    def totals(self) -> sparse.csr_array:
        """(G, K) the coefficients of the sum of each group."""
        return sparse.csr_array((np.ones(len(self)), (self.group, np.arange(len(self)))), (self.n_groups, len(self)))


def optimal_weights(cells: WeightedCells) -> FloatArray | None:
    """(K,) the weight of each row of a cell that minimises the objective; None where no weights balance the groups."""
    filled = cells.count > 0
    if not filled.all():
        inside = replace(cells, group=cells.group[filled], value=cells.value[filled], count=cells.count[filled])
        solved = optimal_weights(inside) if len(np.unique(inside.group)) == cells.n_groups else None
        if solved is None:
            return None
        weight = np.zeros(len(cells))
        weight[filled] = solved
        return weight
    count, n = cells.count, float(cells.count.sum())
    share = count / n
    left, right = _pairs_within_groups(cells.group)
    limit = share[left] * share[right]
    # max(w_i, w_j) = w_i + (w_j - w_i)+, so that a pair needs one auxiliary variable and one constraint
    cost = share * (count - 1) / (2 * n) + np.bincount(left, weights=limit, minlength=len(cells))
    pairs = np.arange(len(left))
    flow = sparse.csc_array(
        (np.repeat([1.0, -1.0], len(left)), (np.concatenate([left, right]), np.concatenate([pairs, pairs]))),
        shape=(len(cells), len(left)),
    )
    equal = cells.sums()
    constraints = sparse.vstack([cells.totals(), equal]) @ sparse.diags_array(share)
    target = np.concatenate([np.full(cells.n_groups, 1 / cells.n_groups), np.zeros(equal.shape[0])])
    scale = 1 / max(float(cost.max()), 1e-300)
    answer: Any = _linprog(
        np.concatenate([-target, np.zeros(len(left))]),
        A_ub=sparse.hstack([constraints.T, flow]).tocsc(),
        b_ub=cost * scale,
        bounds=np.concatenate(
            [np.tile([-np.inf, np.inf], (len(target), 1)), np.stack([np.zeros(len(left)), limit * scale], axis=1)]
        ),
        method="highs-ipm",
    )
    if answer.status != _OPTIMAL:
        return None
    weight = np.maximum(-answer.ineqlin.marginals, 0.0)
    return weight if np.abs(constraints @ weight - target).max() <= _TOLERANCE else None


def one_sided_values(cells: WeightedCells) -> list[tuple[int, int, tuple[int, ...]]]:
    """The values of properties that some group lacks: property, value, groups. Their rows get the weight 0."""
    lacking = []
    for p, width in enumerate(cells.n_values):
        present = cells.table(p, cells.count) > 0
        for v in range(width):
            if present[:, v].any() and not present[:, v].all():
                lacking.append((p, v, tuple(np.flatnonzero(~present[:, v]).tolist())))
    return lacking


def cells_of(
    group: IntArray, value: IntArray, n_groups: int, n_values: Sequence[int]
) -> tuple[WeightedCells, IntArray]:
    """The cells of n rows with a group and P values each, and the cell of each row."""
    rows = np.concatenate([group[:, None], value], axis=1)
    different, code, count = np.unique(rows, axis=0, return_inverse=True, return_counts=True)
    cells = WeightedCells(different[:, 0], different[:, 1:], count.astype(np.float64), n_groups, tuple(n_values))
    return cells, code.reshape(-1)


def _pairs_within_groups(group: IntArray) -> tuple[IntArray, IntArray]:
    members = [np.flatnonzero(group == g) for g in np.unique(group)]
    left, right = np.hstack([cells[np.stack(np.triu_indices(len(cells), 1))] for cells in members])
    return left, right
