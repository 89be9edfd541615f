"""Trimming before weighting: which values of which property to drop, so that no row carries too much weight."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fairness_checklist.core.errors import OptionError
from fairness_checklist.core.keywords import checks_keywords
from fairness_checklist.extensions.balance.weighting import Balance, Drop, Properties, balance, value_name

LARGEST_WEIGHT = 4.0
"""The paper leaves weights above 4 out of its Figure 1 as outliers."""


@dataclass(frozen=True)
class Trimmed:
    """A value that is dropped."""

    property: str  # property, value: which one
    value: str
    rows: int  # the rows that are dropped with it
    reason: str  # why, as a phrase


@checks_keywords
def suggest_trimming(
    groups: ArrayLike,
    properties: Properties,
    *,
    largest_weight: float = LARGEST_WEIGHT,
    between: Any = None,
    drop: Drop | None = None,
) -> tuple[list[Trimmed], Balance]:
    """Values to drop until no weight is above a limit, and the weights of what is left.

    Values that a group lacks come first: their rows have the weight 0 in any case. Then, step by step, the row with the
    largest weight is found, and of its values the one with the fewest rows is dropped. At the end each value that need
    not be dropped is taken back, those with the most rows first. What is left can still be fewer rows than the most
    that are possible: see the user guide.

    Args:
        groups, properties, between, drop: as in `balance`; ``drop`` is applied first.
        largest_weight: the limit, above 1; the mean weight is 1.

    Raises:
        OptionError: a limit of 1 or less, one that no trimming reaches, or as `balance`.

    >>> groups = ["a"] * 21 + ["b"] * 21
    >>> lengths = [1] * 16 + [2] * 5 + [1] * 18 + [2] * 2 + [3]
    >>> found, weights = suggest_trimming(groups, {"length": lengths}, largest_weight=1.5)
    >>> [(one.property, one.value, one.rows, one.reason) for one in found]
    [('length', '3', 1, 'a has none'), ('length', '2', 7, 'a row has the weight 2.4')]
    >>> weights.rows.tolist(), float(weights.weight.max().round(2))
    ([16, 18], 1.06)
    """
    if isinstance(largest_weight, str) or not largest_weight > 1:
        raise OptionError(f"largest_weight={largest_weight!r} is no number above 1, the mean weight.")
    trimmed: list[Trimmed] = []

    def solved(values: list[Trimmed]) -> Balance:
        return balance(groups, properties, between=between, drop=_joined(drop or {}, as_drop(values)))

    whole = current = solved([])
    smallest = np.inf
    while True:
        alone = current.one_sided
        for name, value, lacking in alone:
            trimmed.append(Trimmed(name, value, current.rows_with(name, value), f"{', '.join(lacking)} has none"))
        if not alone:
            at = int(np.argmax(current.cell_weight))
            weight = float(current.cell_weight[at])
            if weight <= largest_weight:
                return _without_needless(whole, trimmed, current, largest_weight, solved)
            named = [(name, current.values[p][current.cells.value[at, p]]) for p, name in enumerate(current.properties)]
            name, value = min(named, key=lambda value: current.rows_with(*value))
            trimmed.append(Trimmed(name, value, current.rows_with(name, value), f"a row has the weight {weight:.1f}"))
        smallest = min(smallest, float(current.cell_weight.max()))
        try:
            current = solved(trimmed)
        except OptionError as error:
            raise OptionError(
                f"no trimming was found that leaves every weight at {largest_weight:g} or below.",
                remedy=f"Give largest_weight= of {smallest:.3g} or more, or balance fewer properties.",
            ) from error


def _without_needless(
    whole: Balance, trimmed: list[Trimmed], current: Balance, limit: float, solved: Callable[[list[Trimmed]], Balance]
) -> tuple[list[Trimmed], Balance]:
    """The values without those that can be taken back: no weight above the limit then, and no value of one group only.

    ``whole`` are the weights before any value was dropped, ``current`` those without them all.
    """
    has = {(rule.property, rule.value): whole.cells_with(rule.property, rule.value) for rule in trimmed}
    changed = True
    while changed:
        changed = False
        for candidate in sorted(trimmed, key=lambda value: -value.rows):
            fewer = [other for other in trimmed if other is not candidate]
            back = has[candidate.property, candidate.value].copy()
            for other in fewer:
                back &= ~has[other.property, other.value]
            if not back.any():  # all its rows have another value that is dropped
                trimmed, changed = fewer, True
                continue
            if len(np.unique(whole.cells.group[back])) < len(whole.groups):
                continue
            try:
                again = solved(fewer)
            except OptionError:
                continue
            if float(again.cell_weight.max()) <= limit and not again.one_sided:
                trimmed, current, changed = fewer, again, True
    return trimmed, current


def as_drop(found: list[Trimmed]) -> dict[str, list[str]]:
    """The values as ``drop=`` of `balance`."""
    rules: dict[str, list[str]] = {}
    for rule in found:
        rules.setdefault(rule.property, []).append(rule.value)
    return rules


def _joined(given: Drop, rules: dict[str, list[str]]) -> dict[str, Any]:
    """The rules of the user together with those that were found."""

    def either(rule: Any, values: list[str]) -> Any:
        if callable(rule):
            return lambda value: bool(rule(value)) or value_name(value) in values
        return [*([rule] if isinstance(rule, str) else rule), *values]

    return {**given, **{name: either(given.get(name, ()), values) for name, values in rules.items()}}
