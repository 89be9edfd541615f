"""Draws behind the intervals and p-values of metrics of decisions: units resampled, groups exchanged.

A unit is what is independent of the rest: a row, or all rows of a source (the same sentence for two groups).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from fairness_checklist.core.arrays import FloatArray, IntArray
from fairness_checklist.core.progress import followed

EXCHANGES = 999
"""Of the tests. Those of one kind share them, so that the largest of all metrics in each is known."""
_Z = 1.959963984540054
Statistic = Callable[[IntArray, FloatArray], FloatArray]
"""The metrics (m,) of the groups (n,) and weights (n,) of the rows."""


@dataclass(frozen=True, eq=False)
class Drawn:
    """Metrics of n rows as they are and as they are drawn."""

    values: FloatArray  # (m,) as they are
    resampled: FloatArray  # (D, m) units drawn with repetition
    exchanged: FloatArray  # (`EXCHANGES`, m) groups exchanged


def drawn_values(
    statistic: Statistic, group: IntArray, unit: IntArray, strata: IntArray, *, draws: int, seed: int
) -> Drawn:
    """Metrics with all rows of a unit (n,) drawn together, and with groups exchanged within each stratum (n,)."""
    n, units = len(group), int(unit.max()) + 1
    rng = np.random.default_rng(seed)
    resampled = []
    for _ in followed(range(draws), "intervals", "draws"):
        times = np.bincount(rng.integers(units, size=units), minlength=units)[unit]
        resampled.append(statistic(group, times.astype(np.float64)))
    rng, ones = np.random.default_rng(seed), np.ones(n)
    place = np.argsort(strata, kind="stable")
    exchanged = []
    for _ in followed(range(EXCHANGES), "permutations of groups", "draws"):
        moved = np.empty_like(group)
        moved[place] = group[np.lexsort((rng.random(n), strata))]
        exchanged.append(statistic(moved, ones))
    return Drawn(statistic(group, ones), np.array(resampled), np.array(exchanged))


def exchange_strata(group: Sequence[str], label: Sequence[str], source: Sequence[str] | None = None) -> IntArray:
    """Within which rows groups can be exchanged: those of a source that has several groups, else those of a label."""
    units = [""] * len(group) if source is None else source
    groups_of_source: dict[str, set[str]] = {}
    for unit, name in zip(units, group, strict=True):
        groups_of_source.setdefault(unit, set()).add(name)
    keys = [
        ("source", unit) if source is not None and len(groups_of_source[unit]) > 1 else ("label", row_label)
        for unit, row_label in zip(units, label, strict=True)
    ]
    return unit_numbers(keys, sorted(set(keys)))


def unit_numbers(names: Sequence[object], order: Sequence[object] = ()) -> IntArray:
    """(n,) the number of each name, by default in the order in which they first occur."""
    number = {name: position for position, name in enumerate(order or dict.fromkeys(names))}
    return np.array([number[name] for name in names], dtype=np.int64)


def corrected_interval(
    value: float, draws: ArrayLike, low: float = -np.inf, high: float = np.inf
) -> tuple[float, float]:
    """The 95 % interval of a value from its bootstrap draws, reflected at the value, within [low, high].

    A sum of absolute gaps or a divergence is too large by noise, and its bootstrap draws are too large by as much
    again. The reflection takes this off; it is exact for no statistic. NaN where more than half of the draws is
    undefined.
    """
    drawn = np.asarray(draws, dtype=np.float64)
    defined = drawn[np.isfinite(drawn)]
    if not np.isfinite(value) or 2 * len(defined) < len(drawn) or not len(defined):
        return float("nan"), float("nan")
    ends = np.clip(2 * value - np.quantile(defined, [0.975, 0.025]), low, high)
    return min(float(ends[0]), value), max(float(ends[1]), value)


def wilson_interval(share: ArrayLike, n: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Wilson's 95 % limits of proportions (K,) of n units each; NaN without units."""
    p, m = np.asarray(share, dtype=np.float64), np.asarray(n, dtype=np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        centre = (p + _Z**2 / (2 * m)) / (1 + _Z**2 / m)
        half = _Z / (1 + _Z**2 / m) * np.sqrt(p * (1 - p) / m + _Z**2 / (4 * m**2))
    return np.asarray(centre - half), np.asarray(centre + half)
