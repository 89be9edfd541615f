"""Sizes of suites of templates: what shows a gap, and the smallest gap that a suite shows. Records, without words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

from fairness_checklist.core.errors import OptionError
from fairness_checklist.core.keywords import checks_keywords
from fairness_checklist.core.outcomes import Outcomes
from fairness_checklist.core.tasks import Harm, get_task
from fairness_checklist.extensions.plan.pilot import effects_of, layout_of, layout_of_examples
from fairness_checklist.extensions.plan.plan_findings import reach_findings, suite_finding
from fairness_checklist.extensions.plan.power_search import (
    FACTOR,
    MOST_SOURCES,
    gap_for,
    probit,
    sources_at,
    sources_for,
)
from fairness_checklist.extensions.plan.power_simulation import REPETITIONS, Layout, SimulatedPower, crossed_layout
from fairness_checklist.extensions.plan.random_effects import Effects
from fairness_checklist.findings.family import MIN_LEXEMES, MIN_SOURCES
from fairness_checklist.findings.finding import Finding
from fairness_checklist.suites.parts import Part

TERMS = (5, 8, 10, 15, 20, 30, 40, 60, 80, 120)
"""Terms of each group that are tried."""
POWER = 0.8


@dataclass(frozen=True)
class SizeOption:
    """A size of a suite of templates.

    Attributes:
        simulated: whether the power is simulated; else it follows from that of the chosen size by the standard error.
    """

    terms: int  # of each group
    sentences: int | None  # that count for an error, each with all terms; None where no number of sentences is enough
    texts: int | None  # sentences x groups x terms
    power: float  # with which the gap is found
    simulated: bool


@dataclass(frozen=True)
class SuitePlan:
    """Sizes of suites that show a gap.

    Attributes:
        gap, power: what is wanted.
        groups, harms: of the family that is tested.
        effects: what sentences, words and texts add.
        options: a size for each number of terms.
        chosen: the one of fewest texts; None where no option is enough.
        exaggeration: the mean of a found gap as a multiple of the true one, at the chosen size.
        findings: the answer as one record.
    """

    gap: float
    power: float
    groups: int
    harms: int
    effects: Effects
    options: tuple[SizeOption, ...]
    chosen: SizeOption | None
    exaggeration: float

    @property
    def findings(self) -> tuple[Finding, ...]:
        return (suite_finding(self),)


@dataclass(frozen=True)
class Reach:
    """The smallest gap of one group in one harm that a suite shows.

    Attributes:
        attribute, group, harm: which.
        terms: lexemes of the group.
        sentences: that count for the harm.
        gap: the smallest true gap that is found with this power; None where there is none.
        power: simulated at the gap, in this group or in another one of as many terms; the wanted one without a gap.
        simulated: whether the gap was simulated.
        reason: why there is no gap.
        findings: the answer as one record.
    """

    attribute: str
    group: str
    harm: str
    terms: int
    sentences: int
    gap: float | None
    power: float
    simulated: bool
    reason: str

    @property
    def findings(self) -> tuple[Finding, ...]:
        return reach_findings((self,), self.power)


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
        power: the share of suites in which it is found.
        groups: G of the attribute, with equally many terms each.
        harms: H that are tested together.
        terms: of each group; None: those of fewest texts.
        effects: of a pilot run (`effects_of`), or the default ones.
        repetitions, seed: of the simulation.

    Raises:
        OptionError: an argument out of its range.

    >>> found = plan_suite(0.08, terms=20, repetitions=200)
    >>> found.chosen.terms, 10 <= found.chosen.sentences <= 20, 0.7 < found.chosen.power < 0.95
    (20, True, True)
    """
    effects = Effects() if effects is None else effects
    if groups < 2:
        raise OptionError(f"groups is {groups}, expected 2 at least.")
    if terms is not None and terms < MIN_LEXEMES:
        raise OptionError(f"terms is {terms}, expected {MIN_LEXEMES} at least: fewer allow no statement about a group.")
    if not gap > 0:
        raise OptionError(f"gap is {gap}, expected a number above 0.")
    effects.shift(gap)
    tried = TERMS if terms is None else (terms,)
    factor = FACTOR + NormalDist().inv_cdf(power)
    rough = {n: sources_at(factor, gap, (n,) * groups, effects) for n in tried}
    order = sorted((n for n in tried if rough[n] <= MOST_SOURCES), key=lambda n: (n * rough[n], n))
    solved = None
    for n in order or ([terms] if terms is not None else []):
        solved = sources_for(gap, (n,) * groups, effects, power, harms=harms, repetitions=repetitions, seed=seed)
        if solved is not None:
            break
    if solved is None:
        options = tuple(SizeOption(n, None, None, math.nan, False) for n in tried)
        return SuitePlan(gap, power, groups, harms, effects, options, None, math.nan)
    count, simulated = solved
    chosen = SizeOption(n, count, count * n * groups, simulated.power, True)
    of_chosen = gap / effects.error((n,) * groups, count, gap=gap) - probit(simulated.power)
    factor = of_chosen + NormalDist().inv_cdf(power)
    options = tuple(
        chosen if size == n else _option(size, sources_at(factor, gap, (size,) * groups, effects), groups, power)
        for size in tried
    )
    return SuitePlan(gap, power, groups, harms, effects, options, chosen, simulated.estimated_gap / gap)


def _option(terms: int, sentences: float, groups: int, power: float) -> SizeOption:
    if sentences > MOST_SOURCES:
        return SizeOption(terms, None, None, math.nan, False)
    return SizeOption(terms, int(sentences), int(sentences) * terms * groups, power, False)


@checks_keywords
def reach_of_layout(
    layout: Layout,
    harms: Sequence[str],
    *,
    attribute: str = "",
    power: float = POWER,
    effects: Sequence[Effects] | None = None,
    repetitions: int = REPETITIONS,
    seed: int = 0,
) -> tuple[Reach, ...]:
    """The smallest gap that a suite shows, of each group in each harm, with the effects of each harm.

    In each harm one group of each number of terms is simulated; others with as many terms have the same gap.
    """
    sizes, records = layout.sizes, []
    total = sum(sizes)
    fine = [g for g, n in enumerate(sizes) if n >= MIN_LEXEMES and total - n >= MIN_LEXEMES]
    for h, name in enumerate(harms):
        of_harm = Effects() if effects is None else effects[h]
        sentences = layout.harms[h].sources
        simulated: dict[int, SimulatedPower | None] = {}
        start = None
        for g in sorted(fine, key=lambda g: (sizes[g], g)) if sentences >= MIN_SOURCES else []:
            if sizes[g] in simulated:
                continue
            least = gap_for(layout, of_harm, power, group=g, harm=h, start=start, repetitions=repetitions, seed=seed)
            simulated[sizes[g]] = least
            if least is not None:
                error = of_harm.error(sizes, sentences, group=g, gap=least.gap)
                start = least.gap / error - probit(least.power)
        for g, group in enumerate(layout.groups):
            least = simulated.get(sizes[g]) if g in fine else None
            reason = ""
            if g not in fine:
                reason = f"fewer than {MIN_LEXEMES} terms: nothing about the group can be found"
            elif sentences < MIN_SOURCES:
                reason = f"fewer than {MIN_SOURCES} sentences"
            elif least is None:
                reason = "not even the largest possible gap is found"
            gap, at_power = (None, power) if least is None else (least.gap, least.power)
            records.append(Reach(attribute, group, name, sizes[g], sentences, gap, at_power, least is not None, reason))
    return tuple(records)


def reach_of_part(part: Part, *, effects: Effects | None = None, **options: Any) -> tuple[Reach, ...]:
    """The smallest gaps of one attribute of a suite that no model has seen; harms are those of the task."""
    layout, harms = layout_of_examples(part.examples, get_task(part.task).harms)
    given = None if effects is None else [effects] * len(harms)
    return reach_of_layout(layout, [harm.name for harm in harms], attribute=part.attribute, effects=given, **options)


def reach_of_run(
    outcomes: Outcomes, harms: Sequence[Harm], **options: Any
) -> tuple[tuple[Reach, ...], tuple[Effects, ...]]:
    """The smallest gaps of one attribute of a run with the run's own sizes of effects; and these, one a harm."""
    layout, kept = layout_of(outcomes, harms)
    sizes = tuple(effects_of(outcomes, harm) for harm in kept)
    names = [harm.name for harm in kept]
    return reach_of_layout(layout, names, attribute=outcomes.attribute, effects=sizes, **options), sizes


@checks_keywords
def smallest_suite_gap(
    terms: int,
    sentences: int,
    *,
    groups: int = 6,
    harms: int = 1,
    power: float = POWER,
    effects: Effects | None = None,
    repetitions: int = REPETITIONS,
    seed: int = 0,
) -> Reach:
    """The smallest gap that a suite of equally large groups shows: the reverse of `plan_suite`.

    Args:
        terms: of each group.
        sentences: that count for each error, each with all terms.
        groups, harms: G and H, of the family that is tested.
        power: the share of suites in which the gap is found.
        effects: what sentences, words and texts add; None: the default ones.
        repetitions, seed: of the simulation.

    Returns:
        The gap as a difference of mean figures, in (0, 1); None with a reason where there is none.

    Raises:
        OptionError: fewer than two groups, a number below 1, or a power that is none.

    >>> found = smallest_suite_gap(8, 20, repetitions=200)
    >>> 0.07 < found.gap < 0.11
    True
    """
    layout = crossed_layout((terms,) * groups, (sentences,) * harms)
    given = None if effects is None else [effects]
    [reach, *_] = reach_of_layout(
        layout, ["" if harms == 1 else "each error"], power=power, effects=given, repetitions=repetitions, seed=seed
    )
    return reach
