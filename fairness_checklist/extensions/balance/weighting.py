"""Weights for the rows of a test set, so that groups differ in no named property: Kocijan et al. (2021).

A gap between groups can come from properties that the groups' texts happen to differ in, such as their length. The
weights give every value of every property the same sum in all groups, and move each group's accuracy as little as
possible in the worst case (Theorem 2.1).
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from fairness_checklist.core.arrays import FloatArray, IntArray, by_value, divide
from fairness_checklist.core.did_you_mean import did_you_mean
from fairness_checklist.core.errors import AlignmentError, OptionError, count, first_ten
from fairness_checklist.core.formatting import join_names
from fairness_checklist.core.keywords import checks_keywords
from fairness_checklist.extensions.balance.weighting_program import (
    WeightedCells,
    cells_of,
    one_sided_values,
    optimal_weights,
)

MISSING = "(missing)"  # the value of a property where a cell is empty; it is balanced as any other value
MOST_CELLS = 800  # cells of one group beyond which the program takes minutes; the time grows with their square

Properties = Mapping[str, ArrayLike] | pd.DataFrame


@by_value
@dataclass(frozen=True, eq=False)
class Balance:
    """Weights of n rows that balance G groups in P properties; their sum in each group is m / G, of m rows in all."""

    groups: tuple[str, ...]  # the G groups' names; the first two are the two sides of a ratio
    properties: tuple[str, ...]  # the P properties' names
    values: tuple[tuple[str, ...], ...]  # of each property the names of its values, in order
    cells: WeightedCells  # the K cells
    cell: IntArray  # (n,) the cell of each row; -1 for rows that take no part
    weight: FloatArray  # (n,) not negative; 0 for rows that take no part
    cell_weight: FloatArray  # (K,) the same, of each row of a cell

    def __len__(self) -> int:
        return len(self.weight)

    def __repr__(self) -> str:
        named = join_names(list(self.properties))
        size = ", ".join(f"{g}: {e:,.0f}" for g, e in zip(self.groups, self.effective_size, strict=True))
        return f"<Balance of {' and '.join(self.groups)} in {named}: {self.n:,} rows, effective size {size}>"

    @property
    def n(self) -> int:
        """The rows that take part."""
        return int(self.cells.count.sum())

    @cached_property
    def group(self) -> IntArray:
        """(n,) the group of each row; -1 for rows that take no part."""
        return np.where(self.cell < 0, -1, self.cells.group[self.cell])

    @property
    def rows(self) -> IntArray:
        """(G,) the rows of each group that take part."""
        return self._by_group(self.cells.count).astype(np.int64)

    @property
    def largest_weight(self) -> FloatArray:
        """(G,) the largest weight in each group; 1 would be the mean over all groups."""
        return np.array([self.cell_weight[self.cells.group == g].max(initial=0.0) for g in range(len(self.groups))])

    @property
    def zero_rows(self) -> IntArray:
        """(G,) rows whose weight is 0: they do not count."""
        return self._by_group(np.where(self.cell_weight < 1e-9, self.cells.count, 0.0)).astype(np.int64)

    @property
    def effective_size(self) -> FloatArray:
        """(G,) Kish's effective size, (sum w)^2 / sum w^2: as many rows of equal weight give the same precision."""
        w, n = self.cell_weight, self.cells.count
        return divide(self._by_group(w * n) ** 2, self._by_group(w**2 * n))

    @property
    def bound(self) -> FloatArray:
        """(G,) the greatest change of a group's accuracy by the weights: half of sum |w_i / sum w - 1 / n_g|."""
        w, n, g = self.cell_weight, self.cells.count, self.cells.group
        rows, total = self._by_group(n), self._by_group(w * n)
        return self._by_group(n * np.abs(w / total[g] - 1 / rows[g])) / 2

    @property
    def one_sided(self) -> tuple[tuple[str, str, tuple[str, ...]], ...]:
        """The values that some group lacks: property, value, and those groups. All rows with them have the weight 0."""
        return tuple(
            (self.properties[p], self.values[p][v], tuple(self.groups[g] for g in lacking))
            for p, v, lacking in one_sided_values(self.cells)
        )

    def counts(self, name: str) -> tuple[FloatArray, FloatArray]:
        """The histograms of Appendix B of one property: (G, V) rows, and (G, V) sums of weights."""
        p = self.properties.index(name)
        return self.cells.table(p, self.cells.count), self.cells.table(p, self.cells.count * self.cell_weight)

    def _by_group(self, amount: FloatArray) -> FloatArray:
        return np.bincount(self.cells.group, weights=amount, minlength=len(self.groups)).astype(np.float64)


@checks_keywords
def balance(
    groups: ArrayLike | Sequence[Any], properties: Properties, *, between: Sequence[Hashable] | None = None
) -> Balance:
    """Weights that give every value of every property the same sum in all groups (Kocijan et al. 2021, section 2).

    An optimum of the linear program of section 2.2: among all such weights those with the least worst-case change of
    the groups' accuracies.

    Args:
        groups: (n,) the group of each row; rows without one take no part.
        properties: of each property its value in each row (n,): a DataFrame or a mapping. Numbers count as categories:
            group continuous ones first. Sets that overlap are properties of their own with the values yes and no.
        between: the groups that are compared, in order; by default all, in order of appearance. With more than two
            groups all are balanced jointly; name two of them for a pair on its own, as in the paper.

    Returns:
        The weights (``.weight``), and what they cost: effective size, bound, one-sided values.

    Raises:
        OptionError: fewer than two groups, no property, or no weights that balance them: the message names the values
            that one group lacks.
        AlignmentError: a property of another length than the groups.

    >>> weights = balance(["a", "a", "a", "b", "b"], {"long": [0, 0, 1, 0, 1]})
    >>> weights.weight.round(3).tolist()
    [0.833, 0.833, 0.833, 1.667, 0.833]
    >>> weights.effective_size.round(2).tolist(), weights.bound.round(3).tolist()
    ([3.0, 1.8], [0.0, 0.167])
    """
    named, code = _groups(groups, between)
    columns = _values(properties, len(code))
    inside = np.flatnonzero(code >= 0)
    value = np.stack([column[inside] for _, column in columns.values()], axis=1)
    names = tuple(value_names for value_names, _ in columns.values())
    cells, cell_of_row = cells_of(code[inside], value, len(named), [len(value_names) for value_names in names])
    most = int(np.bincount(cells.group).max())
    if most > MOST_CELLS:
        p = int(np.argmax(list(map(len, names))))
        raise OptionError(
            f"the properties make {most:,} cells in one group; at most {MOST_CELLS:,} can be balanced.",
            remedy=f"Group the values of {list(columns)[p]} ({len(names[p]):,} values), or balance fewer properties.",
        )
    cell_weight = optimal_weights(cells)
    if cell_weight is None:
        alone = [f"{list(columns)[p]} {names[p][v]}" for p, v, _ in one_sided_values(cells)]
        remedy = "Give up a property, or group its values."
        if alone:
            remedy += f"\nIn one group only, so that their rows cannot count: {first_ten(alone)}."
        raise OptionError(f"no weights balance the groups in {join_names(list(columns))}.", remedy=remedy)
    cell = np.full(len(code), -1, dtype=np.int64)
    cell[inside] = cell_of_row
    return Balance(named, tuple(columns), names, cells, cell, np.where(cell < 0, 0.0, cell_weight[cell]), cell_weight)


def _names(values: Any) -> list[str]:
    """Values as names: whole numbers without their decimals; "" for missing ones."""
    series = pd.Series(np.asarray(values, dtype=object) if not isinstance(values, pd.Series) else values)
    return ["" if gone else _name(value) for value, gone in zip(series.tolist(), series.isna(), strict=True)]


def _name(value: Any) -> str:
    if isinstance(value, (float, np.floating)) and float(value).is_integer():
        value = int(value)
    return str(value).strip()


def _groups(groups: Any, between: Sequence[Hashable] | None) -> tuple[tuple[str, ...], IntArray]:
    names = _names(groups)
    present = [name for name in dict.fromkeys(names) if name]
    if isinstance(between, str):
        raise OptionError(f"between={between!r} is one name.", remedy='Write between=["first", "second"].')
    chosen = present if between is None else list(dict.fromkeys(_name(group) for group in between))
    for name in chosen:
        if name not in present:
            raise OptionError(
                f"there is no group {name!r}.", remedy=f"Groups: {first_ten(present)}.{did_you_mean(name, present)}"
            )
    if len(chosen) < 2:
        raise OptionError(
            f"{count(len(chosen), 'group')} ({', '.join(chosen)}) cannot be balanced; expected two or more."
            if chosen
            else "no row has a group; expected two groups or more."
        )
    code = {name: g for g, name in enumerate(chosen)}
    return tuple(chosen), np.array([code.get(name, -1) for name in names], dtype=np.int64)


def _values(properties: Properties, n: int) -> dict[str, tuple[tuple[str, ...], IntArray]]:
    """Of each property its values' names in order, and the value of each row by its position among them."""
    if not isinstance(properties, (Mapping, pd.DataFrame)) or not len(list(properties)):
        raise OptionError(
            "properties= is not a table with a column a property.", remedy='Write properties={"length": [...]}.'
        )
    table: Any = properties
    columns = {}
    for name in table:
        names = _names(table[name])
        if len(names) != n:
            raise AlignmentError(f"the property {name} has {count(len(names), 'value')} for {count(n, 'row')}.")
        order = _in_order(names)
        code = {value: position for position, value in enumerate(order)}
        columns[str(name)] = (tuple(value or MISSING for value in order), np.array([code[value] for value in names]))
    return columns


def _in_order(values: Sequence[str]) -> list[str]:
    """The different values: numbers by size, then words; missing values last."""

    def order(value: str) -> tuple[bool, float, str]:
        try:
            return (not value, float(value), value)
        except ValueError:
            return (not value, float("inf"), value)

    return sorted(dict.fromkeys(values), key=order)
