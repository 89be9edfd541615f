"""The rule of what may be claimed, once: see `docs/findings.md`."""

from __future__ import annotations

import math
from dataclasses import dataclass

from fairness_checklist.core.errors import count
from fairness_checklist.core.formatting import points
from fairness_checklist.core.option_defaults import RELEVANT
from fairness_checklist.findings.family import MIN_LEXEMES, MIN_SOURCES
from fairness_checklist.findings.placebo_null import PERCENTILE
from fairness_checklist.statistics.multiplicity import significant

CLEAR, SUSPECTED, NONE_FOUND, TOO_FEW = "clear", "suspected", "none found", "too few to say"
SHOWN_SMALL, CLEAR_SMALL = "shown to be small", "clear but small"
STATUSES = (CLEAR, SUSPECTED, NONE_FOUND, TOO_FEW, CLEAR_SMALL, SHOWN_SMALL)
"""In the order in which records are shown."""
FOUND = (CLEAR, SUSPECTED)
"""The statuses that a reader must act on."""
MOST_P_SUSPECTED = 0.2
"""The adjusted p up to which a gap is suspected."""
NEARLY = 80.0
"""In how many of 100 draws placebo words must show less for a gap to be suspected."""


@dataclass(frozen=True)
class Evidence:
    """What the status of a cell rests on.

    Attributes:
        scope: "group", "words" or "rows"; "term" of a single term.
        gap: the group's mean probability less the others', positive where the group is treated worse; NaN where
            undefined.
        low, high: its simultaneous bounds; NaN without them.
        p_adjusted: over the family.
        placebo: in how many of 100 draws of groups of placebo words the largest is smaller, or of a single term
            the same of as many placebo words as terms are tested; NaN without a placebo.
        sources: families of sources.
        lexemes: of the group.
        names: whether the terms are names or places, of which more could be drawn.
        rate_gap, rate_low, rate_high: the same in decisions; NaN where they are not looked at.
        placebo_rate_gap: the gap in decisions that placebo words reach; NaN without a placebo.
        beside: a group that is treated better and without which the bound is not above 0, or "".
        relevant: the smallest relevant gap.
        form: the form of the group's words that no other word has, such as "phrases", or "".
    """

    scope: str
    gap: float
    low: float
    high: float
    p_adjusted: float
    placebo: float
    sources: int
    lexemes: int
    names: bool = False
    rate_gap: float = math.nan
    rate_low: float = math.nan
    rate_high: float = math.nan
    placebo_rate_gap: float = math.nan
    beside: str = ""
    relevant: float = RELEVANT
    form: str = ""

    @property
    def small(self) -> bool:
        """Whether the whole interval lies inside plus or minus the smallest relevant gap, in both units."""
        ends = [self.low, self.high, *(end for end in (self.rate_low, self.rate_high) if not math.isnan(end))]
        return all(abs(end) < self.relevant for end in ends)

    @property
    def size(self) -> float:
        """The gap; in decisions where it is larger there, its bound is above 0, and placebo words show less."""
        decisions = self.rate_low > 0 and not self.rate_gap <= self.placebo_rate_gap
        return max(self.gap, self.rate_gap) if decisions else self.gap


def status(evidence: Evidence) -> tuple[str, str]:
    """The status of a cell, and the reason where it is not plain.

    - too few to say: fewer than 10 families of sources, fewer than 5 names or places, or no interval.
    - clear: the lower bound is above 0 (adjusted p at most .05), placebo words show less in 95 of 100 draws, and
      the gap is at least the smallest relevant one, in probability or in decisions.
    - clear but small: the same with a smaller gap, or an interval inside plus or minus the smallest relevant gap.
    - shown to be small: the interval lies inside plus or minus the smallest relevant gap, in both units.
    - suspected: the adjusted p is at most .2, placebo words show less in 80 of 100 draws, and the gap is at least the
      smallest relevant one.
    - none found: everything else, and gaps that are there only beside a group that is treated better.

    Without a placebo the adjusted p decides alone about a group or rows; about words a gap is suspected at most.

    >>> from dataclasses import replace
    >>> sure = Evidence("group", 0.12, 0.03, 0.21, 0.01, 98.0, 40, 9)
    >>> status(sure), status(replace(sure, gap=0.01, low=0.003, high=0.017))
    (('clear', ''), ('clear but small', 'less than 2 points'))
    >>> status(replace(sure, placebo=91.0))
    ('suspected', 'placebo words lie as far apart in 9 of 100 draws')
    >>> status(replace(sure, gap=0.001, low=-0.011, high=0.013, p_adjusted=0.9))
    ('shown to be small', '')
    >>> status(replace(sure, sources=6))
    ('too few to say', '6 independent sentences, fewer than 10')
    """
    if evidence.sources < MIN_SOURCES:
        unit = "row" if evidence.scope == "rows" else "independent sentence"
        return TOO_FEW, f"{count(evidence.sources, unit)}, fewer than {MIN_SOURCES}"
    if evidence.names and evidence.lexemes < MIN_LEXEMES:
        return TOO_FEW, f"{evidence.lexemes} names or places, fewer than {MIN_LEXEMES}"
    if math.isnan(evidence.gap) or math.isnan(evidence.low) or math.isnan(evidence.p_adjusted):
        return TOO_FEW, "no interval"
    decided, why = _by_evidence(evidence)
    few = f"less than {points(evidence.relevant)}"
    if decided == CLEAR and (evidence.small or evidence.size < evidence.relevant):
        return CLEAR_SMALL, few
    if evidence.small:
        return SHOWN_SMALL, ""
    return (NONE_FOUND, few) if decided == SUSPECTED and evidence.size < evidence.relevant else (decided, why)


def _by_evidence(evidence: Evidence) -> tuple[str, str]:
    """The status by test and placebo, whatever the size."""
    if evidence.gap <= 0:
        return NONE_FOUND, "treated better than the others" if evidence.high < 0 else ""
    by_test = status_of_test(evidence.p_adjusted)
    if by_test == NONE_FOUND:
        return by_test, ""
    if evidence.beside:
        return NONE_FOUND, f"only beside {evidence.beside}, which is treated better"
    no_placebo = math.isnan(evidence.placebo)
    if not no_placebo and evidence.placebo < NEARLY and evidence.scope != "term":
        return NONE_FOUND, _placebo_reason(evidence)
    if by_test == SUSPECTED:
        return by_test, f"adjusted p {evidence.p_adjusted:.2f}".replace("0.", ".")
    if evidence.form:
        return SUSPECTED, f"not separable from the form of its words: no other group has {evidence.form}"
    if no_placebo:
        few = evidence.scope in ("words", "term")
        return (SUSPECTED, "few words, and no placebo to compare them with") if few else (CLEAR, "")
    return (CLEAR, "") if evidence.placebo >= PERCENTILE else (SUSPECTED, _placebo_reason(evidence))


def _placebo_reason(evidence: Evidence) -> str:
    others = 100 - math.floor(evidence.placebo)
    if evidence.scope == "term":
        return f"so large a gap is found among as many placebo words in {others} of 100 draws"
    return f"placebo words lie as far apart in {others} of 100 draws"


def status_of_test(p_adjusted: float, *, enough: bool = True, decisive: bool = True, most: str = CLEAR) -> str:
    """The status that an adjusted p gives: the rule of every verb, which `status` narrows for groups and words.

    Args:
        p_adjusted: over all tests of the family; NaN where there is none.
        enough: whether there are as many units as the verb asks for; without them nothing is claimed.
        decisive: whether data of this size could give a significant p; else a difference that is not seen says nothing.
        most: the strongest status that the figure allows, "clear" or "suspected".

    Returns:
        too few to say: no p, or not enough. clear: p is at most .05. suspected: at most .2. none found: everything
        else, or too few to say where the data are not decisive.

    >>> [status_of_test(p) for p in (0.05, 0.2, 0.5, math.nan)]
    ['clear', 'suspected', 'none found', 'too few to say']
    >>> status_of_test(0.01, enough=False), status_of_test(0.5, decisive=False), status_of_test(0.01, most="suspected")
    ('too few to say', 'too few to say', 'suspected')
    """
    if not enough or math.isnan(p_adjusted):
        return TOO_FEW
    if significant(p_adjusted):
        return most
    if significant(p_adjusted, MOST_P_SUSPECTED):
        return SUSPECTED
    return NONE_FOUND if decisive else TOO_FEW
