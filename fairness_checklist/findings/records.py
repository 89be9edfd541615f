"""The records of what may be claimed: `findings.csv`, one row an attribute x group x harm, and `term_findings.csv`."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import expit

from fairness_checklist.core.arrays import BoolArray, FloatArray, IntArray, divide
from fairness_checklist.core.formatting import join_names
from fairness_checklist.core.option_defaults import RELEVANT
from fairness_checklist.core.outcomes import Outcomes
from fairness_checklist.core.tasks import Harm
from fairness_checklist.findings.family import (
    NULL_DRAWS,
    SCOPES,
    DecidedGaps,
    GroupFamily,
    HarmFit,
    group_family,
    without_better_groups,
    without_each_lexeme,
)
from fairness_checklist.findings.harm_cells import clipped_logit, harm_rows
from fairness_checklist.findings.placebo_null import PlaceboNull, placebo_null
from fairness_checklist.findings.status import CLEAR_SMALL, FOUND, NONE_FOUND, STATUSES, SUSPECTED, Evidence, status
from fairness_checklist.findings.word_family import word_family
from fairness_checklist.findings.word_form import not_separable
from fairness_checklist.statistics.two_way import group_contrasts
from fairness_checklist.tables.run_folder import (
    FINDING_COLUMNS,
    LIST_SEPARATOR,
    TERM_FINDING_COLUMNS,
    TERM_SEPARATOR,
    typed_findings,
)

DECISIVE = 0.1
"""A gap that a suite should be able to show."""
POWER = 1.05  # in standard errors beyond the critical value: simulated, see `benchmarks/findings.py`
_SHOWN = 5  # sources that show a finding
_HALF = 0.5
_CLAIMED = (*FOUND, CLEAR_SMALL)


@dataclass(frozen=True, eq=False)
class Findings:
    """The two tables of an attribute, with what they rest on.

    Attributes:
        attribute: whose.
        groups: the columns `FINDING_COLUMNS`, the strongest first.
        terms: the columns `TERM_FINDING_COLUMNS`.
        info: for ``run.json``: harms that are left out, those of them with the figures of another, and the placebo.
    """

    attribute: str
    groups: pd.DataFrame
    terms: pd.DataFrame
    info: dict[str, Any]


def find(
    outcomes: Outcomes,
    harms: Sequence[Harm],
    *,
    placebo: Outcomes | PlaceboNull | None = None,
    available: Mapping[str, int] | None = None,
    relevant: float = RELEVANT,
    draws: int = NULL_DRAWS,
    seed: int = 0,
) -> Findings:
    """What may be claimed of one attribute; ``relevant`` is the smallest relevant gap, in both units."""
    if draws < 1 or len(outcomes.groups) < 2:
        reason = "draws=0" if draws < 1 else "there is one group only"
        empty = _frame([], FINDING_COLUMNS), _frame([], TERM_FINDING_COLUMNS)
        return Findings(outcomes.attribute, *empty, {"left_out": {"*": reason}})
    family = group_family(
        outcomes,
        harms,
        placebo=placebo if isinstance(placebo, Outcomes) else None,
        of_forms=placebo.of_forms if isinstance(placebo, PlaceboNull) else None,
        draws=draws,
        seed=seed,
    )
    null = placebo_null(family, placebo, harms, seed=seed) if isinstance(placebo, Outcomes) else placebo
    info: dict[str, Any] = {"left_out": family.left_out}
    left_out = [harm for harm in harms if harm.name in family.left_out]
    if same := [harm.name for harm in left_out if not isinstance(harm_rows(outcomes, harm), str)]:
        info["same_figures"] = same  # as another harm
    if null is not None:
        info["placebo"] = null.recorded()
    if spread := prompt_spread(family):
        info["prompt_spread"] = spread
    return Findings(
        outcomes.attribute,
        _group_rows(outcomes, family, null, available or {}, relevant),
        _term_rows(outcomes, family, null, relevant, draws, seed),
        info,
    )


def strongest_first(records: pd.DataFrame, by: str = "gap") -> pd.DataFrame:
    """Records by status, and inside of one by gap, or another column."""
    order = {name: at for at, name in enumerate(STATUSES)}
    ranked = records.assign(order=records["status"].map(order))
    return ranked.sort_values(["order", by], ascending=[True, False], kind="stable").drop(columns="order")


def _group_rows(
    outcomes: Outcomes, family: GroupFamily, null: PlaceboNull | None, available: Mapping[str, int], relevant: float
) -> pd.DataFrame:
    who = family.who
    rows: list[dict[str, Any]] = []
    for h, fit in enumerate(family.fits):
        better, still_decided = without_better_groups(family, h)
        for g, group in enumerate(who.groups):
            scope, named = SCOPES[family.scope[g]], bool(who.named[g])
            terms = np.flatnonzero((who.term_group == g) & ~np.isnan(fit.terms.gap.effect))
            lexemes = np.unique(who.lexeme[terms])
            own = who.term_group[who.term[fit.rows.row]] == g
            only_beside = bool(better) and g not in better and family.low[h, g] > 0 and not still_decided[g]
            size = (np.nan, np.nan) if null is None else null.size(scope, fit.harm.name)
            row = _row(
                outcomes,
                fit,
                family,
                (h, g),
                own,
                scope=scope,
                placebo_rate_gap=size[1],
                placebo=_placed(null, scope, fit, float(family.t[h, g]), float(family.gap[h, g])),
                lexemes=len(lexemes),
                names=bool(len(terms)) and all(who.pos[t] in ("name", "place") for t in terms),
                relevant=relevant,
                form=not_separable(who, () if null is None else null.pos, g),
                beside=who.groups[min(better, key=lambda b: family.gap[h, b])] if only_beside else "",
            )
            row |= {
                "group": group,
                "high_alone": family.high_alone[h, g],
                "rate_high_alone": family.rate_high_alone[h, g],
                "placebo_gap": size[0],
                "placebo_rate_gap": size[1],
                "unadjusted_gap": family.unadjusted[fit.harm.name][g],
                "scope": scope,
                "detectable_gap": _detectable(family, null, h, g),
                **_more_needed(family, h, g, row["status"], len(lexemes)),
                "n_terms": len(terms) if named else 0,
                "n_terms_available": available.get(group, len(terms)) if named else 0,
                "n_lexemes": len(lexemes) if named else 0,
                "words": LIST_SEPARATOR.join(who.lexemes[at] for at in lexemes) if scope == "words" else "",
                **_carried_by(family, h, g, claimed=row["status"] in _CLAIMED),
                "examples": _examples(outcomes, fit, own) if family.gap[h, g] > 0 else "",
            }
            rows.append(row)
    return strongest_first(_frame(rows, FINDING_COLUMNS)).reset_index(drop=True)


def _term_rows(
    outcomes: Outcomes, family: GroupFamily, null: PlaceboNull | None, relevant: float, draws: int, seed: int
) -> pd.DataFrame:
    who = family.who
    if not who.named.any() or not who.sources or len(who.terms) < 3:
        return _frame([], TERM_FINDING_COLUMNS)
    words = word_family(family, draws=draws, seed=seed)
    rows: list[dict[str, Any]] = []
    for h, fit in enumerate(family.fits):
        cells = int((~np.isnan(words.t)).sum())
        for at in np.flatnonzero(who.named[who.term_group] & (words.sources[h] > 0)).tolist():
            placebo, own = np.nan, who.term[fit.rows.row] == at
            if null is not None and fit.harm.name in null.terms:
                placebo = null.of_term(float(words.gap[h, at]), fit.harm.name, cells)
            row = _row(outcomes, fit, words, (h, at), own, scope="term", placebo=placebo, lexemes=1, relevant=relevant)
            row |= {"term": who.terms[at], "group": who.groups[who.term_group[at]]}
            row["examples"] = _examples(outcomes, fit, own) if row["status"] in _CLAIMED else ""
            rows.append(row)
    return strongest_first(_frame(rows, TERM_FINDING_COLUMNS), by="ci_low").reset_index(drop=True)


def _row(
    outcomes: Outcomes, fit: HarmFit, tested: DecidedGaps, cell: tuple[int, int], own: BoolArray, **evidence: Any
) -> dict[str, Any]:
    """What both kinds of records have.

    The rates are the fitted means of harmful decisions, in which a lexeme and a source count once, so that their
    difference is the rate gap; the counts are of the rows concerned. Shapes: own (m,), the rows of the group or term.
    """
    gaps = {
        "gap": tested.gap[cell],
        "ci_low": tested.low[cell],
        "ci_high": tested.high[cell],
        "rate_gap": tested.rate_gap[cell],
        "rate_ci_low": tested.rate_low[cell],
        "rate_ci_high": tested.rate_high[cell],
    }
    sources, harmed = int(tested.sources[cell]), fit.rows.harmed
    names = ("gap", "low", "high", "rate_gap", "rate_low", "rate_high")
    evidence |= dict(zip(names, map(float, gaps.values()), strict=True))
    decided, why = status(Evidence(p_adjusted=float(tested.p_adjusted[cell]), sources=sources, **evidence))
    weight = outcomes.weight[fit.rows.row]
    rates = [float(divide((weight * harmed)[side].sum(), float(weight[side].sum()))) for side in (own, ~own)]
    if not np.isnan(tested.rate_gap[cell]):
        rates = fitted_rates(fit, cell[1], float(tested.rate_gap[cell]), term=evidence["scope"] == "term")
    return {
        "attribute": outcomes.attribute,
        "harm": fit.harm.name,
        "title": fit.harm.title,
        "status": decided,
        "measure": fit.rows.measure,
        "rate": rates[0],
        "others_rate": rates[1],
        "n": int(own.sum()),
        "n_harmful": round(float(harmed[own].sum())),
        "n_others": int((~own).sum()),
        "n_others_harmful": round(float(harmed[~own].sum())),
        **gaps,
        "p_value": tested.p_value[cell],
        "p_adjusted": tested.p_adjusted[cell],
        "placebo_percentile": evidence["placebo"],
        "n_sources": sources,
        "note": why,
    }


def fitted_rates(fit: HarmFit, at: int, gap: float, *, term: bool = False) -> list[float]:
    """The fitted mean of the decisions for a group or term, and for all others, which differ by the gap.

    Where texts are spread unevenly a fitted mean may lie beyond 0 or 1: both are then moved together.
    """
    rate = fit.terms.rate if term else fit.lexemes.rate
    member = np.arange(len(rate.effect)) == at if term else fit.groups == at
    others = rate.level + float(np.nanmean(rate.effect[~member]))
    others = min(max(others, max(0.0, -gap)), min(1.0, 1.0 - gap))
    return [min(max(one, 0.0), 1.0) for one in (others + gap, others)]


def _detectable(family: GroupFamily, null: PlaceboNull | None, h: int, g: int) -> float:
    """The true gap that is clear in 80 of 100 runs: beyond chance, and beyond what the placebo shows."""
    scope, fit, error = SCOPES[family.scope[g]], family.fits[h], float(family.test_error[h, g])
    critical, beyond = float(family.critical[family.scope[g]]), 0.0
    if null is not None and scope != "rows" and fit.harm.name in null.t:
        placebo = null.smallest_clear(scope, fit.harm.name)
        if scope == "group":
            critical = float(np.fmax(critical, placebo))
            placebo = null.size(scope, fit.harm.name)[0]
        beyond = placebo + POWER * float(family.error[h, g])
    shift = (critical + POWER) * error
    own = shift if fit.rows.probability is None else in_unit(fit.rows.probability, shift)
    return float(np.fmin(np.fmax(own, beyond), 1.0))


def _more_needed(family: GroupFamily, h: int, g: int, decided: str, lexemes: int) -> dict[str, int]:
    """About how many more words of the group, or sentences, would make an undecided gap clear in 80 of 100 runs.

    A suspected gap is taken as measured, else one of `DECISIVE`. The larger part of the variance is reduced, that of
    words or that of sentences; both where that takes fewer texts.
    """
    needed = {"n_more_words": 0, "n_more_sources": 0}
    if decided not in (SUSPECTED, NONE_FOUND):
        return needed
    wanted = float(family.gap[h, g]) if decided == SUSPECTED else DECISIVE
    of_sources, sources = float(family.source_error[h, g]) ** 2, int(family.sources[h, g])
    of_words = max(0.0, float(family.error[h, g]) ** 2 - of_sources)
    room = (wanted / (float(family.critical[family.scope[g]]) + POWER)) ** 2
    if not of_words + of_sources > room:
        return needed
    factor = (of_words + of_sources) / room
    by_words, by_sources = (
        part / (room - other) if other < room else math.inf
        for part, other in ((of_words, of_sources), (of_sources, of_words))
    )
    alone = by_words if of_words > of_sources else by_sources
    both = alone > factor**2
    times = factor if both else alone
    if of_words and (both or of_words > of_sources):
        needed["n_more_words"] = math.ceil(lexemes * (times - 1))
    if both or of_words <= of_sources:
        needed["n_more_sources"] = math.ceil(sources * (times - 1))
    return needed


def in_unit(probability: FloatArray, shift: float) -> float:
    """What a shift on the logit adds to the mean of probabilities.

    >>> round(in_unit(np.array([0.5, 0.5]), 0.4), 3), round(in_unit(np.array([0.01, 0.99]), 0.4), 3)
    (0.099, 0.004)
    """
    before = clipped_logit(probability)
    return float((expit(before + shift) - expit(before)).mean())


def _placed(null: PlaceboNull | None, scope: str, fit: HarmFit, t: float, gap: float) -> float:
    """Where a cell lies among the placebo's draws: by t where it is about a group, by the gap where about words."""
    name = fit.harm.name
    if null is None or scope == "rows" or name not in null.t:
        return float("nan")
    return null.of_group(t, gap, name) if scope == "group" else null.of_words(gap, name)


def _carried_by(family: GroupFamily, h: int, g: int, *, claimed: bool) -> dict[str, Any]:
    """The lexemes without which a claimed gap is a third smaller or its interval holds 0, what is left of it without
    the first of them in both units, and what makes it unstable.

    A lexeme is named by all its terms that were compared, the one that is treated worst first.
    """
    nothing = {"carried_by": "", "gap_without": math.nan, "rate_gap_without": math.nan, "unstable": ""}
    if not claimed:
        return nothing
    own, gap, rate, still_decided = without_each_lexeme(family, h, g)
    who, effect = family.who, family.fits[h].terms.gap.effect
    order = [t for t in np.argsort(-effect, kind="stable") if not np.isnan(effect[t])]
    terms = [[who.terms[t] for t in order if who.lexeme[t] == lexeme] for lexeme in own]
    names = [TERM_SEPARATOR.join(of_lexeme) for of_lexeme in terms]
    if len(own) < 2:
        return nothing | {"carried_by": LIST_SEPARATOR.join(names)}
    before, clear = family.gap[h, g], family.low[h, g] > 0
    carrying = (gap < before * 2 / 3) | (clear & ~still_decided)
    by_gap = np.argsort(gap, kind="stable").tolist()
    worst, weakest = by_gap[0], next((at for at in by_gap if not still_decided[at]), -1)
    unstable = ""
    if gap[worst] < _HALF * before:
        unstable = f"less than half of the gap is left without {join_names(terms[worst])}"
    elif clear and weakest >= 0:
        unstable = f"the interval holds 0 without {join_names(terms[weakest])}"
    if not (named := [at for at in by_gap if carrying[at]][:3]):
        return nothing | {"unstable": unstable}
    left = {"gap_without": gap[named[0]], "rate_gap_without": rate[named[0]]}
    return left | {"carried_by": LIST_SEPARATOR.join(names[at] for at in named), "unstable": unstable}


def _examples(outcomes: Outcomes, fit: HarmFit, own: BoolArray) -> str:
    """Ids of the sources in which most decisions are harmful for these rows and right for others."""
    source = outcomes.source[fit.rows.row]
    size = len(outcomes.sources)
    if not size:
        return ""
    there = source >= 0

    def share(rows: BoolArray) -> FloatArray:
        kept = rows & there
        n = np.bincount(source[kept], minlength=size)
        return divide(np.bincount(source[kept], weights=fit.rows.harmed[kept], minlength=size), n)

    inside, outside = share(own), share(~own)
    shows = np.flatnonzero((inside > 0) & (outside < 1))
    order: IntArray = shows[np.argsort(-(inside - outside)[shows], kind="stable")][:_SHOWN]
    return LIST_SEPARATOR.join(outcomes.sources[s].id for s in order)


def _frame(rows: list[dict[str, Any]], columns: Sequence[str]) -> pd.DataFrame:
    return typed_findings(pd.DataFrame(rows, columns=list(columns)))


def prompt_spread(family: GroupFamily) -> list[dict[str, Any]]:
    """The gaps of each group and harm by prompt, for ``run.json``; empty where one prompt was asked.

    Where the orders of the options are a sample, they are a factor of their own and follow the prompts.

    Returns a record a harm, random factor and group: the gap at each level; their standard deviation ``sd``; the
    standard error ``error`` of their mean by the jackknife, which for a mean is ``sd`` over the root of the number of
    levels; and the smallest and the largest gap where one level is left out, ``low_without`` and ``high_without``.
    Groups without an answer have none.
    """
    own, records = family.who.lexeme_group, list[dict[str, Any]]()
    for fit in family.fits:
        known = ~np.isnan(fit.lexemes.gap.effect)
        contrast = group_contrasts(own[known], len(family.who.groups))
        for factor, way in enumerate(fit.lexemes.gap.levels[: len(fit.rows.levels)], start=1):
            for at in np.unique(own[known]).tolist():
                gaps = np.asarray(way)[:, known] @ contrast[at]
                where = {"harm": fit.harm.name, "factor": factor, "group": family.who.groups[at]}
                records.append(where | _spread(gaps))
    return records


def _spread(gaps: FloatArray) -> dict[str, Any]:
    """The record of the gaps (R,) at the levels of a factor."""
    without = (gaps.sum() - gaps) / (len(gaps) - 1)
    figures = {
        "sd": gaps.std(ddof=1),
        "error": np.sqrt((len(gaps) - 1) / len(gaps) * ((without - without.mean()) ** 2).sum()),
        "low_without": without.min(),
        "high_without": without.max(),
    }
    rounded = {name: round(float(value), 6) for name, value in figures.items()}
    return {"gaps": [round(gap, 6) for gap in gaps.tolist()], **rounded}
