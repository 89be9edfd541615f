"""Sizes of suites of templates: what shows a gap, and the smallest gap that a suite shows.

The two-way standard error of a size is known (`Effects.error`). A gap of so many standard errors is simulated, and the
factor is corrected by the power that was found.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import TypeVar

from fairness_checklist.core.errors import OptionError
from fairness_checklist.core.keywords import checks_keywords
from fairness_checklist.extensions.plan.power import check_share
from fairness_checklist.extensions.plan.power_simulation import (
    REPETITIONS,
    Layout,
    SimulatedPower,
    crossed_layout,
    simulate_power,
)
from fairness_checklist.extensions.plan.random_effects import Effects
from fairness_checklist.findings.family import MIN_SOURCES

TERMS = (3, 5, 8, 10, 15, 20, 30, 40, 60, 80, 120)
"""Terms of each group that are tried."""
POWER = 0.8
MOST_SOURCES = 2000
_FACTOR = 2.8  # a usual critical value, where the search starts
_NEAR, _FAR = 0.01, 0.03  # how near the power is brought to the wanted one, and how far it may stay below
_STEPS = 5  # simulations, the first of few repetitions
Size = TypeVar("Size", int, float)


@dataclass(frozen=True)
class SizeOption:
    """A size of a suite of templates."""

    terms: int  # of each group
    sentences: int  # that count for an error, each with all terms
    texts: int  # sentences x groups x terms
    power: float  # with which the gap is found, simulated
    small: float  # the share of groups without a gap that are shown to be small, simulated


@dataclass(frozen=True)
class SuitePlan:
    """The size of a suite that shows a gap."""

    gap: float  # gap, power: what is wanted
    power: float
    groups: int  # groups, harms: of the family that is tested
    harms: int
    effects: Effects  # what sentences, words and texts add
    most_terms: int  # of each group that were tried
    chosen: SizeOption | None  # the size of fewest texts; None where no number of sentences is enough


@dataclass(frozen=True)
class Reach:
    """The smallest gap of one group in one harm that a suite shows."""

    attribute: str
    group: str
    harm: str
    terms: int  # lexemes of the group
    sentences: int  # that count for the harm
    gap: float | None  # the smallest true gap that is found with this power; None where there is none
    power: float  # simulated at the gap, in this group or another of as many terms; the wanted one without a gap
    small: float | None  # the share of suites in which the group is shown to be small where it has no gap
    reason: str  # why there is no gap


@checks_keywords
def plan_suite(
    gap: float,
    *,
    power: float = POWER,
    groups: int = 6,
    harms: int = 1,
    terms: int | None = None,
    effects: Effects | None = None,
    repetitions: int = REPETITIONS,
    seed: int = 0,
) -> SuitePlan:
    """How many sentences and terms show a gap of one group against all others, as `findings` tests it.

    Args:
        gap: true difference of mean figures, above 0.
        power: the share of suites in which the group is *worse*.
        groups: G of the attribute, with equally many terms each.
        harms: H that are tested together.
        terms: of each group; None: those of fewest texts.
        effects: of a pilot run (`effects_of`), or the default ones.
        repetitions, seed: of the simulation.

    Raises:
        OptionError: an argument out of its range.

    >>> found = plan_suite(0.08, terms=20, repetitions=60)
    >>> found.chosen.terms, 10 <= found.chosen.sentences <= 30, 0.6 < found.chosen.power < 0.95
    (20, True, True)
    """
    effects = Effects() if effects is None else effects
    if groups < 2:
        raise OptionError(f"groups is {groups}, expected 2 at least.")
    if terms is not None and terms < 2:
        raise OptionError(f"terms is {terms}, expected 2 at least: one word allows no statement about a group.")
    if not gap > 0:
        raise OptionError(f"gap is {gap}, expected a number above 0.")
    effects.shift(gap)
    wanted = NormalDist().inv_cdf(check_share("power", power))
    sizes = TERMS if terms is None else (terms,)
    rough = {size: sources_at(_FACTOR + wanted, gap, (size,) * groups, effects) for size in sizes}
    order = sorted((size for size in sizes if rough[size] <= MOST_SOURCES), key=lambda size: (size * rough[size], size))
    chosen = None
    for size in order if order or terms is None else [terms]:
        solved = sources_for(gap, (size,) * groups, effects, power, harms=harms, repetitions=repetitions, seed=seed)
        if solved is not None:
            sentences, found = solved
            layout = crossed_layout((size,) * groups, (sentences,) * harms)
            small = simulate_power(layout, effects, 0.0, repetitions=repetitions, seed=seed).small
            chosen = SizeOption(size, sentences, sentences * size * groups, found.power, small)
            break
    return SuitePlan(gap, power, groups, harms, effects, sizes[-1], chosen)


def reach_of_layout(
    layout: Layout,
    harms: Sequence[str],
    effects: Sequence[Effects],
    *,
    attribute: str = "",
    power: float = POWER,
    repetitions: int = REPETITIONS,
    seed: int = 0,
) -> tuple[Reach, ...]:
    """The smallest gap that a suite shows, of each group in each harm, with the effects of each harm.

    In each harm one group of each number of terms is simulated; others with as many terms have the same gap.
    """
    sizes, records = layout.sizes, []
    for harm, (name, of_harm) in enumerate(zip(harms, effects, strict=True)):
        sentences = layout.harms[harm].sources
        simulated: dict[int, tuple[SimulatedPower | None, float | None]] = {}
        for group, group_name in enumerate(layout.groups):
            size, found, small, reason = sizes[group], None, None, ""
            if sentences < MIN_SOURCES:
                reason = f"fewer than {MIN_SOURCES} sentences"
            elif min(size, sum(sizes) - size) < 2:
                reason = "one term: nothing about the group can be found"
            else:
                if size not in simulated:
                    where, how = {"group": group, "harm": harm}, {"repetitions": repetitions, "seed": seed}
                    without = simulate_power(layout, of_harm, 0.0, **where, **how).small
                    simulated[size] = gap_for(layout, of_harm, power, **where, **how), without
                found, small = simulated[size]
                reason = "" if found is not None else "not even the largest possible gap is found"
            gap, of_gap = (None, power) if found is None else (found.gap, found.power)
            records.append(Reach(attribute, group_name, name, size, sentences, gap, of_gap, small, reason))
    return tuple(records)


def gap_for(
    layout: Layout,
    effects: Effects,
    power: float = POWER,
    *,
    group: int = 0,
    harm: int = 0,
    repetitions: int = REPETITIONS,
    seed: int = 0,
) -> SimulatedPower | None:
    """The smallest gap that a suite shows with this power, and the power simulated at it.

    None where even the largest possible gap is not found.
    """
    clusters, most = layout.harms[harm].sources, 0.98 * (1 - effects.rate)

    def gap_at(factor: float) -> float:
        """The gap that is so many standard errors large; the error grows with the gap."""
        gap = 0.0
        for _ in range(30):
            gap = min(max(factor, 0.1) * effects.error(layout.sizes, clusters, group=group, gap=gap), most)
        return gap

    def simulated(gap: float, draws: int) -> SimulatedPower:
        return simulate_power(layout, effects, gap, group=group, harm=harm, repetitions=draws, seed=seed)

    def factor_of(gap: float) -> float:
        return gap / effects.error(layout.sizes, clusters, group=group, gap=gap)

    powers = _simulated_near(power, gap_at, simulated, factor_of, repetitions)
    best = min(powers.values(), key=lambda found: abs(found.power - power))
    return best if best.power >= power - max(_FAR, 2 * best.standard_error) else None


def sources_for(
    gap: float,
    sizes: Sequence[int],
    effects: Effects,
    power: float = POWER,
    *,
    harms: int = 1,
    repetitions: int = REPETITIONS,
    seed: int = 0,
) -> tuple[int, SimulatedPower] | None:
    """The smallest number of sources in which a gap of the first group is found, and the power simulated with them.

    None where `MOST_SOURCES` are too few. With few words the gap stays unsure however many sources there are.
    """
    wanted = NormalDist().inv_cdf(check_share("power", power))
    if sources_at(_FACTOR + wanted - 0.3, gap, sizes, effects) > MOST_SOURCES:
        return None

    def sources(factor: float) -> int:
        return int(min(sources_at(factor, gap, sizes, effects), MOST_SOURCES))

    def simulated(count: int, draws: int) -> SimulatedPower:
        return simulate_power(crossed_layout(sizes, (count,) * harms), effects, gap, repetitions=draws, seed=seed)

    def factor_of(count: int) -> float:
        return gap / effects.error(sizes, count, gap=gap)

    powers = _simulated_near(power, sources, simulated, factor_of, repetitions)
    best = min(powers, key=lambda count: abs(powers[count].power - power))
    return None if powers[best].power < power - _FAR else (best, powers[best])


def _simulated_near(
    power: float,
    size_at: Callable[[float], Size],
    simulated: Callable[[Size, int], SimulatedPower],
    factor_of: Callable[[Size], float],
    repetitions: int,
) -> dict[Size, SimulatedPower]:
    """Sizes near the one with the power: each power found corrects the critical value, at first by few repetitions."""
    wanted, critical = NormalDist().inv_cdf(check_share("power", power)), _FACTOR
    powers: dict[Size, SimulatedPower] = {}
    for step in range(_STEPS):
        size = size_at(critical + wanted)
        if size in powers:
            break
        found = simulated(size, repetitions if step else max(50, repetitions // 4))
        if step:
            powers[size] = found
            if abs(found.power - power) <= _NEAR:
                break
        critical = factor_of(size) - NormalDist().inv_cdf(min(max(found.power, 0.01), 0.99))
    return powers


def sources_at(factor: float, gap: float, sizes: Sequence[int], effects: Effects) -> float:
    """The sources, `MIN_SOURCES` at least, with which a gap is ``factor`` standard errors large; may be infinite."""
    words = effects.error(sizes, math.inf, gap=gap) ** 2
    of_one = effects.error(sizes, 1, gap=gap) ** 2 - words
    left = (gap / factor) ** 2 - words
    return math.inf if left <= 0 else max(MIN_SOURCES, math.ceil(of_one / left))
