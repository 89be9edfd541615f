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
from fairness_checklist.core.options import RELEVANT
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
from fairness_checklist.findings.harm_cells import LeftOut, clipped_logit
from fairness_checklist.findings.placebo_null import PlaceboNull, placebo_null
from fairness_checklist.findings.status import (
    CLEAR_SMALL,
    FOUND,
    NONE_FOUND,
    STATUSES,
    SUSPECTED,
    Evidence,
    Reason,
    status,
)
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
_CLAIMED = (*FOUND, CLEAR_SMALL)
_COLUMN_OF = {"low": "ci_low", "high": "ci_high", "rate_low": "rate_ci_low", "rate_high": "rate_ci_high"}


@dataclass(frozen=True, eq=False)
class Findings:
    """The two tables of an attribute, with what they rest on.

    Attributes:
        attribute: whose.
        groups: the columns `FINDING_COLUMNS`, the strongest first.
        terms: the columns `TERM_FINDING_COLUMNS`.
        info: for ``run.json``: harms that are left out with the codes of their reasons, and the placebo.
    """

    attribute: str
    groups: pd.DataFrame
    terms: pd.DataFrame
    info: dict[str, Any]


def find(
    outcomes: Outcomes,
    harms: Sequence[Harm],
    *,
    placebo: Outcomes | None = None,
    available: Mapping[str, int] | None = None,
    relevant: float = RELEVANT,
    draws: int = NULL_DRAWS,
    seed: int = 0,
) -> Findings:
    """What may be claimed of one attribute; ``relevant`` is the smallest relevant gap, in both units."""
    if draws < 1 or len(outcomes.groups) < 2:
        empty = _frame([], FINDING_COLUMNS), _frame([], TERM_FINDING_COLUMNS)
        reason = LeftOut.NO_DRAWS if draws < 1 else LeftOut.ONE_GROUP
        return Findings(outcomes.attribute, *empty, {"left_out": {"*": str(reason)}})
    family = group_family(outcomes, harms, placebo=placebo, draws=draws, seed=seed)
    null = None if placebo is None else placebo_null(family, placebo, harms, seed=seed)
    info: dict[str, Any] = {"left_out": {name: str(reason) for name, reason in family.left_out.items()}}
    if null is not None:
        info["placebo"] = null.recorded()
    if spread := prompt_spread(family):
        info["prompt_spread"] = spread
    who, terms = family.who, _frame([], TERM_FINDING_COLUMNS)
    if who.named.any() and who.sources and len(who.terms) > 2:
        terms = _term_records(outcomes, family, word_family(family, draws=draws, seed=seed), null, relevant)
    groups = _group_records(outcomes, family, null, available or {}, relevant)
    return Findings(outcomes.attribute, groups, terms, info)


def strongest_first(records: pd.DataFrame, by: str = "gap") -> pd.DataFrame:
    """Records by status, and inside of one by gap, or another column."""
    order = {name: at for at, name in enumerate(STATUSES)}
    ranked = records.assign(order=records["status"].map(order))
    return ranked.sort_values(["order", by], ascending=[True, False], kind="stable").drop(columns="order")


def _group_records(
    outcomes: Outcomes, family: GroupFamily, null: PlaceboNull | None, available: Mapping[str, int], relevant: float
) -> pd.DataFrame:
    who = family.who
    rows: list[dict[str, Any]] = []
    for h, fit in enumerate(family.fits):
        better, still_decided = without_better_groups(family, h)
        best = min(better, key=lambda b: family.gap[h, b], default=-1)
        for g, group in enumerate(who.groups):
            scope, named = SCOPES[family.scope[g]], bool(who.named[g])
            terms = np.flatnonzero((who.term_group == g) & ~np.isnan(fit.terms.gap.effect))
            lexemes = np.unique(who.lexeme[terms])
            of_group = who.term_group[who.term[fit.rows.row]] == g
            placebo_gap, placebo_rate_gap = (np.nan, np.nan) if null is None else null.size(scope, fit.harm.name)
            form = not_separable(who, () if null is None else null.pos, g)
            row = record_of(
                outcomes,
                fit,
                family,
                (h, g),
                of_group,
                scope=scope,
                placebo_rate_gap=placebo_rate_gap,
                placebo=_percentile(null, scope, fit, float(family.t[h, g]), float(family.gap[h, g])),
                lexemes=len(lexemes),
                names=bool(len(terms)) and all(who.pos[t] in ("name", "place") for t in terms),
                relevant=relevant,
                form=bool(form),
                beside=bool(better) and g not in better and family.low[h, g] > 0 and not still_decided[g],
            )
            about = {Reason.FORM: form, Reason.ONLY_BESIDE: who.groups[best]}
            row |= {
                "group": group,
                "reason_about": about.get(row["reason"], ""),
                "high_alone": family.high_alone[h, g],
                "rate_high_alone": family.rate_high_alone[h, g],
                "placebo_gap": placebo_gap,
                "placebo_rate_gap": placebo_rate_gap,
                "unadjusted_gap": family.unadjusted[fit.harm.name][g],
                "scope": scope,
                "detectable_gap": _detectable(family, null, h, g),
                **_more_needed(family, h, g, row["status"], len(lexemes)),
                "n_terms": len(terms) if named else 0,
                "n_terms_available": available.get(group, len(terms)) if named else 0,
                "n_lexemes": len(lexemes) if named else 0,
                "words": LIST_SEPARATOR.join(who.lexemes[at] for at in lexemes) if scope == "words" else "",
                **(_carried_by(family, h, g) if row["status"] in _CLAIMED else {"carried_by": ""}),
                "examples": _examples(outcomes, fit, of_group) if family.gap[h, g] > 0 else "",
            }
            rows.append(row)
    return strongest_first(_frame(rows, FINDING_COLUMNS)).reset_index(drop=True)


def _term_records(
    outcomes: Outcomes, family: GroupFamily, words: DecidedGaps, null: PlaceboNull | None, relevant: float
) -> pd.DataFrame:
    who = family.who
    rows: list[dict[str, Any]] = []
    for h, fit in enumerate(family.fits):
        n_cells = int((~np.isnan(words.t)).sum())
        for t in np.flatnonzero(who.named[who.term_group] & (words.sources[h] > 0)).tolist():
            placebo, of_term = np.nan, who.term[fit.rows.row] == t
            if null is not None and fit.harm.name in null.terms:
                placebo = null.of_term(float(words.gap[h, t]), fit.harm.name, n_cells)
            evidence = {"scope": "term", "placebo": placebo, "lexemes": 1, "relevant": relevant}
            row = record_of(outcomes, fit, words, (h, t), of_term, **evidence)
            row |= {"term": who.terms[t], "group": who.groups[who.term_group[t]]}
            row["examples"] = _examples(outcomes, fit, of_term) if row["status"] in _CLAIMED else ""
            rows.append(row)
    return strongest_first(_frame(rows, TERM_FINDING_COLUMNS), by="ci_low").reset_index(drop=True)


def record_of(
    outcomes: Outcomes, fit: HarmFit, tested: DecidedGaps, cell: tuple[int, int], member: BoolArray, **evidence: Any
) -> dict[str, Any]:
    """What both kinds of records have.

    The rates are the fitted means of harmful decisions, in which a lexeme and a source count once, so that their
    difference is the rate gap; the counts are of the rows concerned. Shapes: member (m,), rows of the group or term.
    """
    names = ("gap", "low", "high", "rate_gap", "rate_low", "rate_high")
    gaps: dict[str, Any] = {name: float(getattr(tested, name)[cell]) for name in names}
    sources, harmed = int(tested.sources[cell]), fit.rows.harmed
    decided, reason = status(Evidence(p_adjusted=float(tested.p_adjusted[cell]), sources=sources, **gaps, **evidence))
    weight = outcomes.weight[fit.rows.row]
    rates = [float(divide((weight * harmed)[side].sum(), float(weight[side].sum()))) for side in (member, ~member)]
    if not np.isnan(gaps["rate_gap"]):
        rates = fitted_rates(fit, cell[1], gaps["rate_gap"], term=evidence["scope"] == "term")
    return {
        "attribute": outcomes.attribute,
        "harm": fit.harm.name,
        "title": fit.harm.title,
        "status": decided,
        "measure": fit.rows.measure,
        "rate": rates[0],
        "others_rate": rates[1],
        "n": int(member.sum()),
        "n_harmful": round(float(harmed[member].sum())),
        "n_others": int((~member).sum()),
        "n_others_harmful": round(float(harmed[~member].sum())),
        **{_COLUMN_OF.get(name, name): gap for name, gap in gaps.items()},
        "p_value": tested.p_value[cell],
        "p_adjusted": tested.p_adjusted[cell],
        "placebo_percentile": evidence["placebo"],
        "n_sources": sources,
        "reason": reason,
    }


def fitted_rates(fit: HarmFit, cell: int, gap: float, *, term: bool = False) -> list[float]:
    """The fitted mean of the decisions for a group or term, and for all others, which differ by the gap.

    Where texts are spread unevenly a fitted mean may lie beyond 0 or 1: both are then moved together.
    """
    rate = fit.terms.rate if term else fit.lexemes.rate
    member = np.arange(len(rate.effect)) == cell if term else fit.groups == cell
    others = rate.level + float(np.nanmean(rate.effect[~member]))
    others = min(max(others, max(0.0, -gap)), min(1.0, 1.0 - gap))
    return [min(max(mean, 0.0), 1.0) for mean in (others + gap, others)]


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


def _percentile(null: PlaceboNull | None, scope: str, fit: HarmFit, t: float, gap: float) -> float:
    """Where a cell lies among the placebo's draws: by t where it is about a group, by the gap where about words."""
    name = fit.harm.name
    if null is None or scope == "rows" or name not in null.t:
        return float("nan")
    return null.of_group(t, gap, name) if scope == "group" else null.of_words(gap, name)


def _carried_by(family: GroupFamily, h: int, g: int) -> dict[str, Any]:
    """The lexemes without which a claimed gap is a third smaller or its interval holds 0, and what is left of it
    without the first of them in both units.

    A lexeme is named by all its terms that were compared, the one that is treated worst first.
    """
    lexemes, gap, rate, still_decided = without_each_lexeme(family, h, g)
    who, effect = family.who, family.fits[h].terms.gap.effect
    order = [t for t in np.argsort(-effect, kind="stable") if not np.isnan(effect[t])]
    names = [TERM_SEPARATOR.join(who.terms[t] for t in order if who.lexeme[t] == lexeme) for lexeme in lexemes]
    if len(lexemes) < 2:
        return {"carried_by": LIST_SEPARATOR.join(names)}
    carrying = (gap < family.gap[h, g] * 2 / 3) | ((family.low[h, g] > 0) & ~still_decided)
    named = [at for at in np.argsort(gap, kind="stable").tolist() if carrying[at]][:3]
    if not named:
        return {"carried_by": ""}
    left = {"gap_without": gap[named[0]], "rate_gap_without": rate[named[0]]}
    return left | {"carried_by": LIST_SEPARATOR.join(names[at] for at in named)}


def _examples(outcomes: Outcomes, fit: HarmFit, member: BoolArray) -> str:
    """Ids of the sources in which most decisions are harmful for these rows and right for others."""
    source = outcomes.source[fit.rows.row]
    size = len(outcomes.sources)
    if not size:
        return ""

    def share(rows: BoolArray) -> FloatArray:
        kept = rows & (source >= 0)
        n = np.bincount(source[kept], minlength=size)
        return divide(np.bincount(source[kept], weights=fit.rows.harmed[kept], minlength=size), n)

    inside, outside = share(member), share(~member)
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
    groups, records = family.who.lexeme_group, list[dict[str, Any]]()
    for fit in family.fits:
        known = ~np.isnan(fit.lexemes.gap.effect)
        contrast = group_contrasts(groups[known], len(family.who.groups))
        for factor, way in enumerate(fit.lexemes.gap.levels[: len(fit.rows.levels)], start=1):
            for g in np.unique(groups[known]).tolist():
                gaps = np.asarray(way)[:, known] @ contrast[g]
                where = {"harm": fit.harm.name, "factor": factor, "group": family.who.groups[g]}
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
