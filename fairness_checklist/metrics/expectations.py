"""Expectations over the product of the groups' terms, or distances, of a whole source, in closed form.

`CLOSED_FORMS` files them by comparison, so that one's own comparison may have one too; what has none is looked at pair
by pair, or row by row of the product.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from fairness_checklist.core.arrays import FloatArray, IntArray
from fairness_checklist.core.outcomes import Outcomes
from fairness_checklist.metrics import closed_forms, comparisons
from fairness_checklist.metrics.closed_forms import CellDistributions
from fairness_checklist.metrics.contrasts import observations
from fairness_checklist.metrics.scores import Score
from fairness_checklist.metrics.term_product import mean_by_source


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
            made = closed_forms.sort_cells(self.values[scored, k], self.cell[scored], group, weight, n_cells, n_columns)
            self.of_all[k] = row, made
        row, cells = self.of_all[k]
        group, weight = outcomes.group[row], outcomes.weight[row]
        grouped = group >= 0
        if grouped.all():
            return cells.weighed(group, weight)
        return closed_forms.sort_cells(
            cells.value[grouped], cells.cell[grouped], group[grouped], weight[grouped], n_cells, n_columns
        )

    def by_source(self, values: FloatArray) -> FloatArray:
        """(S, ...) means over each source's cells of (S * width, ...) values, the undefined ones left out."""
        if self.width == 1:
            return values
        return mean_by_source(values, np.arange(len(values)) // self.width, self.n_sources)


@dataclass(frozen=True, eq=False)
class ContrastSides:
    """The two sides of P contrasts, as a closed form gets them.

    Attributes:
        family: of the metric; of a background metric d gets the background first.
        left: (P,) the groups.
        right: (P,) the groups that they are compared with, G for the control; -1 where a background is no single group.
        beta: (P, G + 1) the backgrounds.
        n_groups: G.
    """

    family: str
    left: IntArray
    right: IntArray
    beta: FloatArray
    n_groups: int

    @property
    def single(self) -> bool:
        """Whether every contrast is one of two groups, or of a group and the control."""
        return self.family != "multigroup" and bool((self.right >= 0).all())


ClosedForm = Callable[[CellDistributions, ContrastSides], FloatArray | None]


def _distance(cells: CellDistributions, sides: ContrastSides) -> FloatArray | None:
    return closed_forms.expected_distance(cells, sides.left, sides.right) if sides.single else None


def _difference(cells: CellDistributions, sides: ContrastSides) -> FloatArray | None:
    if not sides.single:
        return None
    mean = closed_forms.means(cells)
    distance = mean[:, sides.left] - mean[:, sides.right]
    return distance if sides.family == "pairwise" else -distance


def _only_in_background(cells: CellDistributions, sides: ContrastSides) -> FloatArray | None:
    """E[b (1 - g)] of the decisions of the group and its background, which is the mean over one draw from each of its
    groups."""
    if sides.family != "background":
        return None
    mean = closed_forms.means(cells)
    defined = ~np.isnan(mean)
    size = defined @ sides.beta.T
    summed = np.where(defined, mean, 0.0) @ sides.beta.T
    behind = np.divide(summed, size, out=np.full(size.shape, np.nan), where=size > 0)
    return np.asarray(behind * (1 - mean[:, sides.left]))


def _range(cells: CellDistributions, sides: ContrastSides) -> FloatArray | None:
    return closed_forms.expected_range(cells, sides.n_groups)[:, None]


def _variance(cells: CellDistributions, sides: ContrastSides) -> FloatArray | None:
    return closed_forms.expected_variance(cells, sides.n_groups)[:, None]


def _deviation(cells: CellDistributions, sides: ContrastSides) -> FloatArray | None:
    """Of two scores the deviation is half of their distance; of more there is no closed form."""
    if (cells.present[:, : sides.n_groups].sum(axis=1) > 2).any():
        return None
    return closed_forms.expected_range(cells, sides.n_groups)[:, None] / 2


def _distance_of_sets(cells: CellDistributions, sides: ContrastSides) -> FloatArray | None:
    if sides.family != "pairwise":
        return None
    return closed_forms.wasserstein_distance(cells, sides.left, sides.right)


CLOSED_FORMS: dict[comparisons.Comparison, ClosedForm] = {
    comparisons.abs_diff: _distance,
    comparisons.difference: _difference,
    comparisons.only_in_background: _only_in_background,
    comparisons.score_range: _range,
    comparisons.score_variance: _variance,
    comparisons.score_deviation: _deviation,
    comparisons.wasserstein_1: _distance_of_sets,
}
"""Expectations over the product of the groups' terms, or distances, of each cell, (Q, P); None from a form that does
not hold for these sides. One's own comparison may have one too."""
