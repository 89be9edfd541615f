"""Sizes of suites whose simulated power is the wanted one: the smallest gap, or the fewest sources.

The two-way standard error of a size is known (`Effects.error`). A gap of so many standard errors is simulated, and the
factor is corrected by the power that was found.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist

from fairness_checklist.core.errors import OptionError
from fairness_checklist.extensions.plan.power_simulation import (
    REPETITIONS,
    Layout,
    SimulatedPower,
    crossed_layout,
    simulate_power,
)
from fairness_checklist.extensions.plan.random_effects import Effects
from fairness_checklist.findings.family import MIN_SOURCES

__all__ = ["FACTOR", "MOST_SOURCES", "gap_for", "sources_at", "sources_for"]

FACTOR = 2.8
"""A usual critical value, where the search starts."""
MOST_SOURCES = 2000
_POINTS = 0.01
"""How near the power is brought to the wanted one."""
_FAR = 0.03
_ROUGH, _STEPS = 2, 5


def gap_for(
    layout: Layout,
    effects: Effects,
    power: float = 0.8,
    *,
    group: int = 0,
    harm: int = 0,
    start: float | None = None,
    repetitions: int = REPETITIONS,
    seed: int = 0,
) -> SimulatedPower | None:
    """The smallest gap that a suite shows with this power; None where even the largest possible one is not found.

    Args:
        layout, effects, group, harm, repetitions, seed: as in `simulate_power`.
        power: wanted, above 0 and below 1.
        start: the critical value to start from, where that of a similar gap is known.

    Returns:
        The gap, and the power simulated at it.
    """
    wanted = _checked_power(power)
    clusters = layout.harms[harm].sources
    most = 0.98 * (1 - effects.rate)
    tried: dict[float, SimulatedPower] = {}
    critical = FACTOR if start is None else start
    for step in range(_STEPS):
        at = _gap_at(critical + wanted, layout.sizes, clusters, effects, group, most)
        if at in tried:
            break
        fast = step < (_ROUGH if start is None else 0)
        found = simulate_power(
            layout, effects, at, group=group, harm=harm, repetitions=_few(repetitions, fast), seed=seed + (not fast)
        )
        if not fast:
            tried[at] = found
            if abs(found.power - power) <= _POINTS:
                break
        critical = at / effects.error(layout.sizes, clusters, group=group, gap=at) - _probit(found.power)
    best = min(tried.values(), key=lambda one: abs(one.power - power))
    return best if best.power >= power - max(_FAR, 2 * best.standard_error) else None


def _gap_at(factor: float, sizes: Sequence[int], sources: int, effects: Effects, group: int, most: float) -> float:
    """The gap that is so many standard errors large; the error grows with the gap."""
    at = 0.0
    for _ in range(30):
        at = min(factor * effects.error(sizes, sources, group=group, gap=at), most)
    return at


def sources_for(
    gap: float,
    sizes: Sequence[int],
    effects: Effects,
    power: float = 0.8,
    *,
    harms: int = 1,
    most: int = MOST_SOURCES,
    repetitions: int = REPETITIONS,
    seed: int = 0,
) -> tuple[int, SimulatedPower] | None:
    """The smallest number of sources in which a gap of the first group is found with this power.

    Args:
        gap: the true gap.
        sizes: lexemes of each group.
        effects: as in `simulate_power`.
        power: wanted.
        harms: H; each has as many sources.
        most: more sources are not tried.
        repetitions, seed: as in `simulate_power`.

    Returns:
        Sources, and the power simulated with them; None where `most` are too few. With few words the gap stays unsure
        however many sources there are.
    """
    wanted = _checked_power(power)
    critical = FACTOR
    tried: dict[int, SimulatedPower] = {}
    if sources_at(critical + wanted - 0.3, gap, sizes, effects) > most:
        return None
    for step in range(_STEPS):
        count = int(min(sources_at(critical + wanted, gap, sizes, effects), most))
        if count in tried:
            break
        fast = step < _ROUGH
        layout = crossed_layout(sizes, (count,) * harms)
        found = simulate_power(layout, effects, gap, repetitions=_few(repetitions, fast), seed=seed + (not fast))
        if not fast:
            tried[count] = found
            if abs(found.power - power) <= _POINTS:
                break
        critical = gap / effects.error(sizes, count, gap=gap) - _probit(found.power)
    best = min(tried, key=lambda one: abs(tried[one].power - power))
    return None if tried[best].power < power - _FAR else (best, tried[best])


def sources_at(factor: float, gap: float, sizes: Sequence[int], effects: Effects) -> float:
    """The sources, `MIN_SOURCES` at least, with which a gap is ``factor`` standard errors large; may be infinite."""
    words = effects.error(sizes, math.inf, gap=gap) ** 2
    of_one = effects.error(sizes, 1, gap=gap) ** 2 - words
    left = (gap / factor) ** 2 - words
    return math.inf if left <= 0 else max(MIN_SOURCES, math.ceil(of_one / left))


def _few(repetitions: int, fast: bool) -> int:
    return max(50, repetitions // 4) if fast else repetitions


def _probit(share: float) -> float:
    return NormalDist().inv_cdf(min(max(share, 0.002), 0.998))


def _checked_power(power: float) -> float:
    if not 0 < power < 1:
        raise OptionError(
            f"power is {power}, expected a number above 0 and below 1.", remedy="For 80 percent give 0.8."
        )
    return NormalDist().inv_cdf(power)
