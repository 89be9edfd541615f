"""The rule of what may be claimed, once: see `docs/findings.md`. Reasons are codes; `reports` puts them into words."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum

from fairness_checklist.core.options import RELEVANT
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


class Reason(StrEnum):
    """Why a record has its status, where bounds and size alone do not say it."""

    NONE = ""
    FEW_SOURCES = "few sources"
    FEW_NAMES = "few names"
    NO_INTERVAL = "no interval"
    NOT_RELEVANT = "not relevant"
    BETTER = "better"
    ONLY_BESIDE = "only beside"
    AS_PLACEBO = "as placebo"
    MAY_BE_CHANCE = "may be chance"
    FORM = "form not separable"
    NO_PLACEBO = "no placebo"


@dataclass(frozen=True)
class Evidence:
    """What the status of a cell rests on.

    ``scope`` is "group", "words", "rows", or "term" of a single term; a gap above 0 is worse treatment;
    ``placebo`` is in how many of 100 draws placebo words show less. Figures are NaN where they are not known.

    Attributes:
        names: whether the terms are names or places, of which more could be drawn.
        placebo_rate_gap: the gap in decisions that placebo words reach.
        beside: whether the test decides only beside a group that is treated better.
        form: whether the group's words have a form that no other word has.
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
    beside: bool = False
    relevant: float = RELEVANT
    form: bool = False

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


def status(evidence: Evidence) -> tuple[str, Reason]:
    """The status of a cell, and the code of the reason where it is not plain; the rule stands in `docs/findings.md`.

    >>> from dataclasses import replace
    >>> sure = Evidence("group", 0.12, 0.03, 0.21, 0.01, 98.0, 40, 9)
    >>> [tuple(map(str, status(one))) for one in (sure, replace(sure, gap=0.01, low=0.003, high=0.017))]
    [('clear', ''), ('clear but small', 'not relevant')]
    >>> [str(code) for code in status(replace(sure, placebo=91.0))]
    ['suspected', 'as placebo']
    >>> [str(code) for code in status(replace(sure, sources=6))]
    ['too few to say', 'few sources']
    """
    if evidence.sources < MIN_SOURCES:
        return TOO_FEW, Reason.FEW_SOURCES
    if evidence.names and evidence.lexemes < MIN_LEXEMES:
        return TOO_FEW, Reason.FEW_NAMES
    if math.isnan(evidence.gap) or math.isnan(evidence.low) or math.isnan(evidence.p_adjusted):
        return TOO_FEW, Reason.NO_INTERVAL
    decided, reason = _by_evidence(evidence)
    if decided == CLEAR and (evidence.small or evidence.size < evidence.relevant):
        return CLEAR_SMALL, Reason.NOT_RELEVANT
    if evidence.small:
        return SHOWN_SMALL, Reason.NONE
    if decided == SUSPECTED and evidence.size < evidence.relevant:
        return NONE_FOUND, Reason.NOT_RELEVANT
    return decided, reason


def _by_evidence(evidence: Evidence) -> tuple[str, Reason]:
    """The status by test and placebo, whatever the size."""
    if evidence.gap <= 0:
        return NONE_FOUND, Reason.BETTER if evidence.high < 0 else Reason.NONE
    by_test = status_of_test(evidence.p_adjusted)
    if by_test == NONE_FOUND:
        return by_test, Reason.NONE
    if evidence.beside:
        return NONE_FOUND, Reason.ONLY_BESIDE
    if evidence.placebo < NEARLY and evidence.scope != "term":
        return NONE_FOUND, Reason.AS_PLACEBO
    if by_test == SUSPECTED:
        return by_test, Reason.MAY_BE_CHANCE
    if evidence.form:
        return SUSPECTED, Reason.FORM
    if math.isnan(evidence.placebo) and evidence.scope in ("words", "term"):
        return SUSPECTED, Reason.NO_PLACEBO
    return (SUSPECTED, Reason.AS_PLACEBO) if evidence.placebo < PERCENTILE else (CLEAR, Reason.NONE)


def status_of_test(p_adjusted: float, *, enough: bool = True, decisive: bool = True, most: str = CLEAR) -> str:
    """The status that an adjusted p gives: the rule of every verb, which `status` narrows for groups and words.

    Args:
        p_adjusted: over all tests of the family; NaN where there is none.
        enough: whether there are as many units as the verb asks for; without them nothing is claimed.
        decisive: whether data of this size could give a significant p; else a difference that is not seen says nothing.
        most: the strongest status that the figure allows, "clear" or "suspected".

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
