"""The rule of what may be claimed, once: see `docs/findings.md`."""

from __future__ import annotations

import math
from dataclasses import dataclass

from fairness_checklist.core.errors import count
from fairness_checklist.findings.family import MIN_LEXEMES, MIN_SOURCES
from fairness_checklist.findings.placebo_null import PERCENTILE
from fairness_checklist.statistics.multiplicity import significant

STATUSES = ("clear", "suspected", "none found", "too few to say")
SUSPECTED = 0.2
"""The adjusted p up to which a gap is suspected."""
NEARLY = 80.0
"""In how many of 100 draws placebo words must show less for a gap to be suspected."""
SMALLEST_SUSPECTED = 0.005
"""A gap of less than half a point is not worth a suspicion: it is clear, or none is found."""


@dataclass(frozen=True)
class Evidence:
    """What the status of a cell rests on.

    Attributes:
        scope: "group", "words" or "rows"; "term" of a single term.
        gap: the group's figure less the others', positive where the group is treated worse; NaN where undefined.
        low: the lower end of the simultaneous interval; NaN without one.
        p_adjusted: over the family.
        placebo: in how many of 100 draws of placebo words the largest is smaller, or of a single term
            how many of 100 such words show less; NaN without a placebo.
        sources: families of sources.
        lexemes: of the group.
        names: whether the terms are names or places, of which more could be drawn.
        high: the upper end of the simultaneous interval.
        beside: a group that is treated better and without which the interval holds 0, or "".
    """

    scope: str
    gap: float
    low: float
    p_adjusted: float
    placebo: float
    sources: int
    lexemes: int
    names: bool = False
    high: float = math.nan
    beside: str = ""


def status(evidence: Evidence) -> tuple[str, str]:
    """The status of a cell, and the reason where it is not plain.

    - too few to say: fewer than 10 families of sources, fewer than 5 names or places, or no interval.
    - clear: the simultaneous interval lies above 0 (adjusted p at most .05), and placebo words show less
      in 95 of 100 draws.
    - suspected: the adjusted p is at most .2, placebo words show less in 80 of 100 draws, and the gap is half a point
      or more.
    - none found: everything else, and gaps that are there only beside a group that is treated better.

    Without a placebo the adjusted p decides alone about a group or rows; about words a gap is suspected at most.

    >>> status(Evidence("group", 0.12, 0.03, 0.01, 98.0, 40, 9))
    ('clear', '')
    >>> status(Evidence("group", 0.12, 0.03, 0.01, 91.0, 40, 9))
    ('suspected', 'placebo words lie as far apart in 9 of 100 draws')
    >>> status(Evidence("words", 0.12, 0.03, 0.01, float("nan"), 40, 1))
    ('suspected', 'few words, and no placebo to compare them with')
    >>> status(Evidence("group", 0.12, -0.03, 0.4, 98.0, 6, 9))
    ('too few to say', '6 independent sentences, fewer than 10')
    """
    decided, why = _by_evidence(evidence)
    if decided == "suspected" and evidence.gap < SMALLEST_SUSPECTED:
        return "none found", "less than half a point"
    return decided, why


def _by_evidence(evidence: Evidence) -> tuple[str, str]:
    if evidence.sources < MIN_SOURCES:
        unit = "row" if evidence.scope == "rows" else "independent sentence"
        return "too few to say", f"{count(evidence.sources, unit)}, fewer than {MIN_SOURCES}"
    if evidence.names and evidence.lexemes < MIN_LEXEMES:
        return "too few to say", f"{evidence.lexemes} names or places, fewer than {MIN_LEXEMES}"
    if math.isnan(evidence.gap) or math.isnan(evidence.low) or math.isnan(evidence.p_adjusted):
        return "too few to say", "no interval"
    if evidence.gap <= 0:
        return "none found", "treated better than the others" if evidence.high < 0 else ""
    by_test = status_of_test(evidence.p_adjusted)
    if by_test == "none found":
        return by_test, ""
    if evidence.beside:
        return "none found", f"only beside {evidence.beside}, which is treated better"
    no_placebo = math.isnan(evidence.placebo)
    if not no_placebo and evidence.placebo < NEARLY:
        return "none found", _placebo_reason(evidence)
    if by_test == "suspected":
        return by_test, f"adjusted p {evidence.p_adjusted:.2f}".replace("0.", ".")
    if no_placebo:
        few = evidence.scope in ("words", "term")
        return ("suspected", "few words, and no placebo to compare them with") if few else ("clear", "")
    return ("clear", "") if evidence.placebo >= PERCENTILE else ("suspected", _placebo_reason(evidence))


def _placebo_reason(evidence: Evidence) -> str:
    others = 100 - math.floor(evidence.placebo)
    if evidence.scope == "term":
        return f"{others} of 100 placebo words show as much"
    return f"placebo words lie as far apart in {others} of 100 draws"


def status_of_test(p_adjusted: float, *, enough: bool = True, decisive: bool = True, most: str = "clear") -> str:
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
        return "too few to say"
    if significant(p_adjusted):
        return most
    if significant(p_adjusted, SUSPECTED):
        return "suspected"
    return "none found" if decisive else "too few to say"
