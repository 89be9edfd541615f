"""Demographic parity, equal opportunity and equalized odds as disparities of costs, with Bernstein's interval.

A measure is a cost of each row and an annotation of each row: 1 for the protected group, -1 for the unprotected one, 0
for rows that are not looked at (Ethayarajh 2020, section 2, "Standard Fairness Measures").
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from fairness_checklist.core.arrays import BoolArray, FloatArray, IntArray
from fairness_checklist.core.errors import InputError, OptionError, TableError, did_you_mean
from fairness_checklist.core.keywords import checks_keywords
from fairness_checklist.extensions.plan.bernstein import bernstein_unfairness, check_confidence
from fairness_checklist.extensions.plan.power import MEASURES

AS_PRINTED = "as printed"


@dataclass(frozen=True)
class Disparity:
    """The difference in mean cost between two groups, with its interval."""

    measure: str  # the fairness measure
    part: str  # "all", "y=1", "y=0", or "as printed": the paper's recipe of equalized odds
    cost: str  # the cost in words
    protected: float  # protected, unprotected: the mean cost of each group
    unprotected: float
    value: float  # protected less unprotected, in [-1, 1]
    low: float  # low, high: with the cost centred, half the width; NaN where a group has no rows
    high: float
    printed_low: float  # printed_low, printed_high: formula (3) as the paper prints it
    printed_high: float
    confidence: float  # of each of these intervals
    gamma: float  # the smaller share of the rows that count
    n_protected: int  # n_protected, n_unprotected: rows of each group with the part's label
    n_unprotected: int
    n: int  # rows that the interval counts
    note: str  # what to keep in mind, or ""


@checks_keywords
def disparities(
    measure: str,
    label: ArrayLike | None,
    predicted: ArrayLike,
    sides: ArrayLike,
    *,
    confidence: float = 0.95,
    as_printed: bool = False,
) -> tuple[Disparity, ...]:
    """The disparities of a fairness measure: one, or two of equalized odds.

    Of equalized odds, y = 1 and y = 0 each have their own gamma and half of the error probability (Bonferroni). Labels
    and decisions (n,) are 0 or 1 (the good outcome), sides (n,) 1 for the protected group, -1 for the unprotected one,
    0 for neither. ``as_printed`` adds the paper's recipe of equalized odds: zero-one loss with the annotation f(x)
    y(x). Among rows with y = 1 the zero-one loss is a miss, and no other row is annotated: false alarms do not enter.

    >>> label, predicted = [1, 1, 1, 1, 0, 0, 0, 0], [1, 0, 1, 1, 1, 1, 0, 0]
    >>> found = disparities("equalized_odds", label, predicted, [1, 1, -1, -1, 1, 1, -1, -1])
    >>> [(one.part, one.cost, one.value, one.confidence, one.n) for one in found]
    [('y=1', 'missed', 0.5, 0.975, 4), ('y=0', 'false alarm', 1.0, 0.975, 4)]
    """
    if measure not in MEASURES:
        raise OptionError(f"measure is {measure!r}, expected one of {', '.join(MEASURES)}.")
    check_confidence(confidence)
    if label is None and measure != "demographic_parity":
        raise OptionError(f"{measure} needs gold labels.", remedy="Give label=, or take demographic_parity.")
    rejected = 1.0 - _binary("predicted", predicted)
    side = np.asarray(sides)
    gold = rejected if label is None else _binary("label", label)
    for name, column in (("predicted", rejected), ("labels", gold)):
        if column.shape != side.shape:
            raise InputError(f"{len(column):,} {name} and {len(side):,} sides, expected one of each a row.")
    every = np.ones(len(side), dtype=np.bool_)
    kept = {
        "demographic_parity": (("all", "not predicted", rejected, every),),
        "equal_opportunity": (("y=1", "missed", rejected, gold == 1),),
        "equalized_odds": (("y=1", "missed", rejected, gold == 1), ("y=0", "false alarm", 1 - rejected, gold == 0)),
    }[measure]
    each = round(1 - (1 - confidence) / len(kept), 12)
    parts = [
        _disparity(measure, part, cost, values[rows], side[rows].astype(np.int64), each)
        for part, cost, values, rows in kept
    ]
    if as_printed and measure == "equalized_odds":
        loss, qualified = np.abs(gold + rejected - 1), (side * gold).astype(np.int64)
        parts.append(_disparity(measure, AS_PRINTED, "wrong", loss, qualified, confidence))
    return tuple(parts)


def _disparity(measure: str, part: str, cost: str, costs: FloatArray, sides: IntArray, confidence: float) -> Disparity:
    printed, interval = (
        bernstein_unfairness(costs, sides, confidence=confidence, centred=centred) for centred in (False, True)
    )
    first, second = sides > 0, sides < 0
    means = [_mean(costs, side) for side in (first, second)]
    gamma = min(first.sum(), second.sum()) / max(1, len(sides))
    return Disparity(
        measure=measure,
        part=part,
        cost=cost,
        protected=means[0],
        unprotected=means[1],
        value=means[0] - means[1],
        low=interval.low,
        high=interval.high,
        printed_low=printed.low,
        printed_high=printed.high,
        confidence=confidence,
        gamma=float(gamma),
        n_protected=int(first.sum()),
        n_unprotected=int(second.sum()),
        n=interval.n,
        note=interval.note,
    )


def _mean(costs: FloatArray, rows: BoolArray) -> float:
    return float(costs[rows].mean()) if rows.any() else math.nan


def _binary(name: str, values: ArrayLike) -> FloatArray:
    """(n,) zeros and ones."""
    array: FloatArray = np.asarray(values, dtype=np.float64)
    if array.ndim != 1:
        raise InputError(f"{name} has the shape {array.shape}, expected one value per row.")
    wrong = ~np.isin(array, (0.0, 1.0))
    if wrong.any():
        row = int(wrong.argmax())
        raise InputError(f"{name} of row {row + 1} is {array[row]:g}, expected 0 or 1.")
    return array


def disparities_of_table(
    table: pd.DataFrame, *, protected: str, positive: str, confidence: float = 0.95
) -> tuple[Disparity, ...]:
    """The fairness measures of a table of decisions in which some rows are annotated with their group.

    Columns ``group`` (empty: not annotated), ``predicted`` and, for all measures but demographic parity, ``label``. One
    record a disparity, of the protected group and all others; of equalized odds two, and the paper's recipe as printed.
    """
    for name in ("group", "predicted"):
        if name not in table.columns:
            raise TableError(f"there is no column {name}.", remedy="Needed: group, predicted; label for most measures.")
    rows = table[table["group"].notna() & (table["group"].astype(str) != "")]
    group = rows["group"].astype(str).to_numpy()
    if protected not in group:
        groups = sorted(set(group))
        raise OptionError(
            f"no row has the group {protected!r}.",
            remedy=f"{did_you_mean(protected, groups)} Groups: {', '.join(groups)}.",
        )
    has_labels = "label" in rows.columns and bool(rows["label"].notna().all())
    outcomes = {name: rows[name].astype(str).to_numpy() for name in ("predicted", *(["label"] if has_labels else []))}
    if not any((column == positive).any() for column in outcomes.values()):
        seen = sorted({str(value) for column in outcomes.values() for value in column})[:10]
        raise OptionError(f"no row has the outcome {positive!r}.", remedy=f"Outcomes: {', '.join(seen)}.")
    sides = np.where(group == protected, 1, -1)
    gold = (outcomes["label"] == positive).astype(float) if has_labels else None
    decided = (outcomes["predicted"] == positive).astype(float)
    return tuple(
        disparity
        for measure in (MEASURES if has_labels else MEASURES[:1])
        for disparity in disparities(measure, gold, decided, sides, confidence=confidence, as_printed=True)
    )
