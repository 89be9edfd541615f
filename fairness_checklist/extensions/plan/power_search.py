"""Sizes of suites whose simulated power is the wanted one: the smallest gap, or the fewest sources.

The two-way standard error of a size is known (`Effects.error`). A gap of so many standard errors is simulated, and the
factor is corrected by the power that was found.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from statistics import NormalDist
from typing import TypeVar

from fairness_checklist.extensions.plan.bernstein import check_power
from fairness_checklist.extensions.plan.power_simulation import (
    REPETITIONS,
    Layout,
    SimulatedPower,
    crossed_layout,
    simulate_power,
)
from fairness_checklist.extensions.plan.random_effects import Effects
from fairness_checklist.findings.family import MIN_SOURCES

Size = TypeVar("Size", int, float)
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
    """The smallest gap that a suite shows with this power, and the power simulated at it.

    None where even the largest possible gap is not found. ``start`` is the critical value of a similar gap, if known.
    """
    clusters, most = layout.harms[harm].sources, 0.98 * (1 - effects.rate)

    def gap_at(factor: float) -> float:
        """The gap that is so many standard errors large; the error grows with the gap."""
        gap = 0.0
        for _ in range(30):
            gap = min(factor * effects.error(layout.sizes, clusters, group=group, gap=gap), most)
        return gap

    tried = _tried(
        power,
        gap_at,
        lambda gap, draws, fast: simulate_power(
            layout, effects, gap, group=group, harm=harm, repetitions=draws, seed=seed + (not fast)
        ),
        lambda gap: gap / effects.error(layout.sizes, clusters, group=group, gap=gap),
        repetitions,
        start,
    )
    best = min(tried.values(), key=lambda simulated: abs(simulated.power - power))
    return best if best.power >= power - max(_FAR, 2 * best.standard_error) else None


def sources_for(
    gap: float,
    sizes: Sequence[int],
    effects: Effects,
    power: float = 0.8,
    *,
    harms: int = 1,
    repetitions: int = REPETITIONS,
    seed: int = 0,
) -> tuple[int, SimulatedPower] | None:
    """The smallest number of sources in which a gap of the first group is found, and the power simulated with them.

    None where `MOST_SOURCES` are too few. With few words the gap stays unsure however many sources there are.
    """
    if sources_at(FACTOR + NormalDist().inv_cdf(check_power(power)) - 0.3, gap, sizes, effects) > MOST_SOURCES:
        return None
    tried = _tried(
        power,
        lambda factor: int(min(sources_at(factor, gap, sizes, effects), MOST_SOURCES)),
        lambda count, draws, fast: simulate_power(
            crossed_layout(sizes, (count,) * harms), effects, gap, repetitions=draws, seed=seed + (not fast)
        ),
        lambda count: gap / effects.error(sizes, count, gap=gap),
        repetitions,
    )
    best = min(tried, key=lambda count: abs(tried[count].power - power))
    return None if tried[best].power < power - _FAR else (best, tried[best])


def _tried(
    power: float,
    size_at: Callable[[float], Size],
    simulated: Callable[[Size, int, bool], SimulatedPower],
    factor_of: Callable[[Size], float],
    repetitions: int,
    start: float | None = None,
) -> dict[Size, SimulatedPower]:
    """Sizes near the one with the power: each power found corrects the critical value, at first by few repetitions."""
    wanted, critical = NormalDist().inv_cdf(check_power(power)), FACTOR if start is None else start
    tried: dict[Size, SimulatedPower] = {}
    for step in range(_STEPS):
        size = size_at(critical + wanted)
        if size in tried:
            break
        fast = start is None and step < _ROUGH
        simulation = simulated(size, max(50, repetitions // 4) if fast else repetitions, fast)
        if not fast:
            tried[size] = simulation
            if abs(simulation.power - power) <= _POINTS:
                break
        critical = factor_of(size) - probit(simulation.power)
    return tried


def sources_at(factor: float, gap: float, sizes: Sequence[int], effects: Effects) -> float:
    """The sources, `MIN_SOURCES` at least, with which a gap is ``factor`` standard errors large; may be infinite."""
    words = effects.error(sizes, math.inf, gap=gap) ** 2
    of_one = effects.error(sizes, 1, gap=gap) ** 2 - words
    left = (gap / factor) ** 2 - words
    return math.inf if left <= 0 else max(MIN_SOURCES, math.ceil(of_one / left))


def probit(share: float) -> float:
    """The normal quantile of a simulated share, which is kept away from 0 and 1."""
    return NormalDist().inv_cdf(min(max(share, 0.002), 0.998))
