"""Sizes of sets of independent examples, and the disparities of an annotated table. Records, without words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from fairness_checklist.core.errors import OptionError, TableError, did_you_mean
from fairness_checklist.core.keywords import checks_keywords
from fairness_checklist.extensions.plan.bernstein import Variance
from fairness_checklist.extensions.plan.disparities import Disparity, disparities
from fairness_checklist.extensions.plan.power import MEASURES, METHODS, Method, examples_needed, smallest_gap

__all__ = ["ExamplesPlan", "curve", "disparities_of_table", "plan_examples", "reach_of_examples"]

POWER = 0.8


@dataclass(frozen=True)
class ExamplesPlan:
    """Independent examples by one method."""

    method: Method  # one of `METHODS`
    guaranteed: bool  # whether the number is enough for every distribution of costs
    gap: float  # shown, or to be shown
    power: float | None  # None: the gap is the estimated one, as in formula (4)
    examples: int  # of both groups together


@checks_keywords
def plan_examples(
    gap: float,
    *,
    power: float = POWER,
    confidence: float = 0.95,
    gamma: float = 0.5,
    cost_range: float = 1.0,
    rate: float = 0.2,
) -> tuple[ExamplesPlan, ...]:
    """How many independent annotated examples show a gap: each method, with the power and as the paper counts.

    Args:
        gap: between two groups, in units of the cost.
        power, confidence, gamma, cost_range: as in `statistics.power.examples_needed`.
        rate: of cost 1 in the other group, for the method "normal"; the smaller group has rate + gap.

    >>> [(one.method, one.power, one.examples) for one in plan_examples(0.05, rate=0.2)][-2:]
    [('hoeffding', 0.8, 8138), ('normal', 0.8, 2182)]
    """
    share = _share(gap, cost_range, rate)
    found = []
    for wanted in (None, power):
        for method in METHODS:
            rates = (rate + share, rate) if method == "normal" else None
            n = examples_needed(
                gap,
                confidence=confidence,
                power=wanted,
                gamma=gamma,
                cost_range=cost_range,
                rates=rates,
                method=method,
            )
            found.append(ExamplesPlan(method, method != "normal", gap, wanted, n))
    return tuple(found)


@checks_keywords
def reach_of_examples(
    n: int,
    *,
    power: float = POWER,
    confidence: float = 0.95,
    gamma: float = 0.5,
    cost_range: float = 1.0,
    rate: float = 0.2,
) -> tuple[ExamplesPlan, ...]:
    """The smallest gap that n independent examples show; the reverse of `plan_examples`.

    Args:
        n: annotated examples of both groups together.
        power, confidence, gamma, cost_range: as in `statistics.power.smallest_gap`.
        rate: in both groups, for the method "normal".

    >>> [(one.method, round(one.gap, 4)) for one in reach_of_examples(3160)][:2]
    [('bernstein', 0.0974), ('centred', 0.0487)]
    """
    _share(0.0, cost_range, rate)
    found = []
    for wanted in (None, power):
        for method in METHODS:
            rates = (rate, rate) if method == "normal" else None
            gap = smallest_gap(
                n,
                confidence=confidence,
                power=wanted,
                gamma=gamma,
                cost_range=cost_range,
                rates=rates,
                method=method,
            )
            found.append(ExamplesPlan(method, method != "normal", gap, wanted, n))
    return tuple(found)


def _share(gap: float, cost_range: float, rate: float) -> float:
    """The gap as a difference of rates."""
    share = gap / cost_range
    if not 0 < rate < 1 or rate + share > 1:
        raise OptionError(f"rate is {rate} and the gap {gap}, expected a rate above 0 and a sum of at most 1.")
    return share


def curve(
    gaps: Sequence[float], *, method: Method, confidence: float, gamma: float, cost_range: float, rate: float
) -> list[tuple[float, int]]:
    """The examples that each gap asks for, as figure 2 of the paper: the gap is the estimated one."""
    found = []
    for gap in gaps:
        rates = (min(1.0, rate + gap / cost_range), rate) if method == "normal" else None
        n = examples_needed(gap, confidence=confidence, gamma=gamma, cost_range=cost_range, rates=rates, method=method)
        found.append((float(np.round(gap, 10)), n))
    return found


@checks_keywords
def disparities_of_table(
    table: pd.DataFrame,
    *,
    protected: str,
    positive: str,
    unprotected: str | None = None,
    measures: Sequence[str] = MEASURES,
    confidence: float = 0.95,
    variance: Variance = "maximal",
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
    for name in filter(None, (protected, unprotected)):
        if name not in group:
            near = did_you_mean(name, sorted(set(group)))
            raise OptionError(
                f"no row has the group {name!r}.", remedy=f"{near} Groups: {', '.join(sorted(set(group)))}."
            )
    has_labels = "label" in rows.columns and bool(rows["label"].notna().all())
    outcomes = {name: rows[name].astype(str).to_numpy() for name in ("predicted", *(["label"] if has_labels else []))}
    if not any((column == positive).any() for column in outcomes.values()):
        seen = sorted({str(value) for column in outcomes.values() for value in column})[:10]
        raise OptionError(f"no row has the outcome {positive!r}.", remedy=f"Outcomes: {', '.join(seen)}.")
    others = group == unprotected if unprotected is not None else group != protected
    sides = np.select([group == protected, others], [1, -1], 0)
    gold = (outcomes["label"] == positive).astype(float) if has_labels else None
    decided = (outcomes["predicted"] == positive).astype(float)
    found: list[Disparity] = []
    for measure in measures:
        if gold is None and measure in MEASURES[1:]:
            continue
        found += disparities(measure, gold, decided, sides, confidence=confidence, variance=variance, as_printed=True)
    return tuple(found)
