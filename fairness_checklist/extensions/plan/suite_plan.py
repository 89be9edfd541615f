"""Sizes of suites of templates: what shows a gap, and the smallest gap that a suite shows.

The two-way standard error of a size is known (`Effects.error`). A gap of so many standard errors is simulated, twice at
most, and the factor is corrected by the power that was found.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np

from fairness_checklist.core.errors import OptionError
from fairness_checklist.core.keywords import checks_keywords
from fairness_checklist.core.option_defaults import MARGIN
from fairness_checklist.extensions.plan.power import check_share
from fairness_checklist.extensions.plan.power_simulation import (
    REPETITIONS,
    Layout,
    crossed_layout,
    simulate_power,
    small_shares,
)
from fairness_checklist.extensions.plan.random_effects import Effects
from fairness_checklist.findings.family import MIN_SOURCES

TERMS = (3, 5, 8, 10, 15, 20, 30, 40, 60, 80, 120)  # terms of each group that are tried
POWER = 0.8
MOST_SOURCES = 2000
_FACTOR = 2.8  # a usual critical value, where the search starts
_ROUGH = 4  # a fraction of the repetitions is enough for a first guess


@dataclass(frozen=True)
class SizeOption:
    """A size of a suite of templates."""

    terms: int  # of each group
    sentences: int  # that count for an error, each with all terms
    texts: int  # sentences x groups x terms
    power: float  # with which the gap is found, simulated
    small: float  # the share of groups without a gap that are shown to be small, of the usual margin or this gap


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
    gap: float | None  # the smallest true gap that is found with the wanted power; None where there is none
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
        effects: the sizes of random effects.
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
    of_simulation: dict[str, Any] = {"repetitions": repetitions, "seed": seed}
    chosen = None
    for size in order:
        count = sources_for(gap, (size,) * groups, effects, power, harms=harms, **of_simulation)
        if count is not None:
            layout = crossed_layout((size,) * groups, (count,) * harms)
            found = simulate_power(layout, effects, gap, **of_simulation)
            small = float(np.mean(small_shares(layout, effects, margin=min(MARGIN, gap), **of_simulation)))
            chosen = SizeOption(size, count, count * size * groups, found.power, small)
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
) -> tuple[Reach, ...]:
    """The smallest gap that a suite shows, of each group in each harm; groups of as many terms have the same."""
    sizes, records = layout.sizes, []
    for harm, (name, of_harm) in enumerate(zip(harms, effects, strict=True)):
        sentences = layout.harms[harm].sources
        gaps: dict[int, float | None] = {}
        enough = [min(size, sum(sizes) - size) > 1 and sentences >= MIN_SOURCES for size in sizes]
        critical = None
        for group in sorted(np.flatnonzero(enough).tolist(), key=lambda g: -sizes[g]):
            if sizes[group] not in gaps:
                where: dict[str, Any] = {"group": group, "harm": harm, "critical": critical}
                gaps[sizes[group]] = gap = gap_for(layout, of_harm, power, **where, repetitions=repetitions)
                if gap is not None:
                    critical = gap / of_harm.error(sizes, sentences, group=group, gap=gap) - NormalDist().inv_cdf(power)
        small = small_shares(layout, of_harm, harm=harm, repetitions=repetitions) if any(enough) else ()
        for group, group_name in enumerate(layout.groups):
            gap = gaps.get(sizes[group]) if enough[group] else None
            reason = "" if gap is not None else "not even the largest possible gap is found"
            if sentences < MIN_SOURCES:
                reason = f"fewer than {MIN_SOURCES} sentences"
            elif not enough[group]:
                reason = "one term: nothing about the group can be found"
            share = small[group] if enough[group] else None
            records.append(Reach(attribute, group_name, name, sizes[group], sentences, gap, share, reason))
    return tuple(records)


def gap_for(
    layout: Layout,
    effects: Effects,
    power: float = POWER,
    *,
    group: int = 0,
    harm: int = 0,
    critical: float | None = None,  # the critical value, in standard errors, of a similar gap
    repetitions: int = REPETITIONS,
    seed: int = 0,
) -> float | None:
    """The smallest gap that a suite shows with this power; None where even the largest possible one is not found."""
    clusters, most = layout.harms[harm].sources, 0.98 * (1 - effects.rate)
    wanted = NormalDist().inv_cdf(check_share("power", power))

    def gap_at(factor: float) -> float:
        """The gap that is so many standard errors large; the error grows with the gap."""
        gap = 0.0
        for _ in range(30):
            gap = min(max(factor, 0.1) * effects.error(layout.sizes, clusters, group=group, gap=gap), most)
        return gap

    factor = wanted + (_FACTOR if critical is None else critical)
    for draws in (*((repetitions // _ROUGH,) if critical is None else ()), repetitions):
        gap = gap_at(factor)
        found = simulate_power(layout, effects, gap, group=group, harm=harm, repetitions=draws, seed=seed)
        if gap == most and found.power < power:
            return None
        factor = gap / effects.error(layout.sizes, clusters, group=group, gap=gap) + wanted - _probit(found.power)
    return gap_at(factor)


def sources_for(
    gap: float,
    sizes: Sequence[int],
    effects: Effects,
    power: float = POWER,
    *,
    harms: int = 1,
    repetitions: int = REPETITIONS,
    seed: int = 0,
) -> int | None:
    """The smallest number of sources in which a gap of the first group is found; None above `MOST_SOURCES`."""
    wanted = NormalDist().inv_cdf(check_share("power", power))
    count = sources_at(_FACTOR + wanted, gap, sizes, effects)
    for draws in (repetitions // _ROUGH, repetitions):
        if count > MOST_SOURCES:
            return None
        found = simulate_power(crossed_layout(sizes, (int(count),) * harms), effects, gap, repetitions=draws, seed=seed)
        factor = gap / effects.error(sizes, count, gap=gap) + wanted - _probit(found.power)
        count = sources_at(factor, gap, sizes, effects)
    return None if count > MOST_SOURCES else int(count)


def sources_at(factor: float, gap: float, sizes: Sequence[int], effects: Effects) -> float:
    """The sources, `MIN_SOURCES` at least, with which a gap is ``factor`` standard errors large; may be infinite."""
    words = effects.error(sizes, math.inf, gap=gap) ** 2
    of_one = effects.error(sizes, 1, gap=gap) ** 2 - words
    left = (gap / max(factor, 0.1)) ** 2 - words
    return math.inf if left <= 0 else max(MIN_SOURCES, math.ceil(of_one / left))


def _probit(share: float) -> float:
    """The normal quantile of a simulated share, which is kept away from 0 and 1."""
    return NormalDist().inv_cdf(min(max(share, 0.02), 0.98))
