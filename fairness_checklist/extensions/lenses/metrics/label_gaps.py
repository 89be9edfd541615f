"""Gaps in performance by label, by stereotype and between two groups (Orgad and Belinkov 2022, appendices A.1, C.1)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from fairness_checklist.core.arrays import FloatArray, by_value, divide
from fairness_checklist.core.errors import InputError, OptionError
from fairness_checklist.core.keywords import checks_keywords
from fairness_checklist.core.option_defaults import choice
from fairness_checklist.extensions.lenses.metrics.decision_cells import DecisionCells, two_groups


def _true_positives(counts: FloatArray) -> FloatArray:
    hits: FloatArray = np.einsum("gcc->gc", counts)
    return hits


def _fpr(counts: FloatArray) -> FloatArray:
    false = counts.sum(axis=1) - _true_positives(counts)
    return divide(false, counts.sum(axis=(1, 2))[:, None] - counts.sum(axis=2))


RATES: Mapping[str, Callable[[FloatArray], FloatArray]] = {
    "tpr": lambda counts: divide(_true_positives(counts), counts.sum(axis=2)),
    "fpr": _fpr,
    "precision": lambda counts: divide(_true_positives(counts), counts.sum(axis=1)),
    "f1": lambda counts: divide(2 * _true_positives(counts), counts.sum(axis=1) + counts.sum(axis=2)),
    "precision_released": lambda counts: divide(_true_positives(counts), counts.sum()),
}
"""Rates of each class by group, (G, C, C) -> (G, C). ``precision_released`` is what the authors' code calls precision:
true positives of the group over *all* rows."""


@by_value
@dataclass(frozen=True, eq=False)
class LabelGaps:
    """The gap of one rate between two groups, for each of C labels."""

    rate: str  # its id, see `RATES`
    left: str  # left, right: the groups; a gap is left less right
    right: str
    classes: tuple[str, ...]  # the C labels
    gap: FloatArray  # (C,) in [-1, 1]; NaN where one of the groups has no rows for the rate
    n_left: FloatArray  # n_left, n_right: (C,) rows with this gold label
    n_right: FloatArray
    share: FloatArray  # (C,) the left group's share of each label, in training if it was given; else in these rows

    @property
    def n_defined(self) -> int:
        """Labels with a gap; the sums are over these."""
        return int((~np.isnan(self.gap)).sum())

    @property
    def sum_signed(self) -> float:
        """The sum of the gaps; NaN without any."""
        return float(np.nansum(self.gap)) if self.n_defined else float("nan")

    @property
    def sum_abs(self) -> float:
        """The sum of their absolute values; NaN without any."""
        return float(np.nansum(np.abs(self.gap))) if self.n_defined else float("nan")

    @property
    def mean_abs(self) -> float:
        """The mean of their absolute values; NaN without any."""
        return self.sum_abs / self.n_defined if self.n_defined else float("nan")

    @property
    def pearson(self) -> float:
        """Their correlation with `share`, in [-1, 1]: how much of the gap follows the training set."""
        return correlation(self.gap, self.share)


@checks_keywords
def label_gaps(
    cells: DecisionCells,
    rate: str = "tpr",
    *,
    left: str = "",
    right: str = "",
    shares: Mapping[str, float] | None = None,
) -> LabelGaps:
    """The gap of a rate (one of `RATES`) between two groups for each label, left less right: the paper's "Gap (Label)".

    By default of the two groups that there are, with the left group's share of each label in these rows as its share.
    """
    choice("rate", rate, RATES)
    first, second = two_groups(cells.groups, left, right)
    rates = RATES[rate](cells.counts)
    rows = cells.counts.sum(axis=2)
    share = divide(rows[first], rows[first] + rows[second])
    if shares is not None:
        missing = [name for name in cells.classes if name not in shares]
        if missing:
            raise OptionError(
                f"shares has no entry for {missing[0]!r}.",
                remedy="Give the left group's share of each label in the training set, from 0 to 1.",
            )
        share = np.array([shares[name] for name in cells.classes], dtype=np.float64)
    names = cells.groups[first], cells.groups[second]
    return LabelGaps(rate, *names, cells.classes, rates[first] - rates[second], rows[first], rows[second], share)


def group_gap(cells: DecisionCells, *, left: str = "", right: str = "") -> float:
    """The gap in accuracy, left less right, between two groups over all labels ("Gap (Gender)"); NaN without rows."""
    first, second = two_groups(cells.groups, left, right)
    right_answers = divide(_true_positives(cells.counts).sum(axis=1), cells.counts.sum(axis=(1, 2)))
    return float(right_answers[first] - right_answers[second])


class CountedFigure(NamedTuple):
    """A figure, NaN where there is nothing, and the rows or pairs that it rests on."""

    value: float
    n: int


def stereotype_gap(correct: ArrayLike, stereotype: Sequence[str] | ArrayLike) -> CountedFigure:
    """The gap in accuracy between the rows (n,) that are ``pro`` and ``anti``; neutral rows ("") are left out."""
    right = np.asarray(correct, dtype=bool)
    side = np.array([str(value) for value in np.asarray(stereotype, dtype=object).ravel()], dtype=object)
    if right.shape != side.shape:
        raise InputError(f"{right.size:,} answers and {side.size:,} stereotype sides, expected one a row.")
    wrong = [row for row, value in enumerate(side) if value not in ("pro", "anti", "")]
    if wrong:
        raise InputError(f"the stereotype of row {wrong[0] + 1} is {side[wrong[0]]!r}, expected pro, anti or nothing.")
    pro, anti = right[side == "pro"], right[side == "anti"]
    gap = float(pro.mean()) - float(anti.mean()) if pro.size and anti.size else float("nan")
    return CountedFigure(gap, len(pro) + len(anti))


def correlation(values: FloatArray, other: FloatArray) -> float:
    """Pearson's r over the places where both are defined; NaN with fewer than three or without variation."""
    there = ~(np.isnan(values) | np.isnan(other))
    if there.sum() < 3:
        return float("nan")
    x, y = values[there] - values[there].mean(), other[there] - other[there].mean()
    size = float(np.sqrt((x**2).sum() * (y**2).sum()))
    return float(np.clip((x * y).sum() / size, -1, 1)) if size > 0 else float("nan")
