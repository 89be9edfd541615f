"""The records of what may be claimed: `findings.csv`, one row an attribute x group x harm, and `term_findings.csv`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from fairness_checklist.core.arrays import BoolArray, FloatArray, IntArray, divide
from fairness_checklist.core.outcomes import Outcomes
from fairness_checklist.core.tasks import Harm
from fairness_checklist.findings.family import (
    NULL_DRAWS,
    SCOPES,
    DecidedGaps,
    GroupFamily,
    HarmFit,
    group_family,
    shrunk,
    without_better_groups,
    without_each_lexeme,
)
from fairness_checklist.findings.kpi import largest_gap
from fairness_checklist.findings.placebo_null import PlaceboNull, percentile, placebo_null
from fairness_checklist.findings.status import STATUSES, Evidence, status
from fairness_checklist.findings.word_family import word_family
from fairness_checklist.statistics.two_way import group_contrasts
from fairness_checklist.tables.run_folder import FINDING_COLUMNS, LIST_SEPARATOR, TERM_FINDING_COLUMNS, typed_findings

POWER = 1.2816  # in standard errors beyond the critical value: simulated, see `benchmarks/findings.py`
_SHOWN = 5  # sources that show a finding
_HALF = 0.5
_CLAIMED = ("clear", "suspected")


@dataclass(frozen=True, eq=False)
class Findings:
    """The two tables of an attribute, with what they rest on.

    Attributes:
        attribute: whose.
        groups: the columns `FINDING_COLUMNS`, the strongest first.
        terms: the columns `TERM_FINDING_COLUMNS`.
        info: for ``run.json``: harms that are left out, the largest gap, and the placebo.
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
    draws: int = NULL_DRAWS,
    seed: int = 0,
) -> Findings:
    """What may be claimed of one attribute."""
    if draws < 1 or len(outcomes.groups) < 2:
        reason = "draws=0" if draws < 1 else "there is one group only"
        empty = _frame([], FINDING_COLUMNS), _frame([], TERM_FINDING_COLUMNS)
        return Findings(outcomes.attribute, *empty, {"left_out": {"*": reason}})
    family = group_family(outcomes, harms, draws=draws, seed=seed)
    null = placebo_null(family, placebo, harms, seed=seed) if isinstance(placebo, Outcomes) else placebo
    info: dict[str, Any] = {"left_out": family.left_out, "kpi": largest_gap(family, null)}
    if null is not None:
        info["placebo"] = null.recorded()
    if spread := prompt_spread(family):
        info["prompt_spread"] = spread
    return Findings(
        outcomes.attribute,
        _group_rows(outcomes, family, null, available or {}),
        _term_rows(outcomes, family, null, draws, seed),
        info,
    )


def strongest_first(records: pd.DataFrame, by: str = "gap") -> pd.DataFrame:
    """Records by status, and inside of one by gap, or another column."""
    order = {name: at for at, name in enumerate(STATUSES)}
    ranked = records.assign(order=records["status"].map(order))
    return ranked.sort_values(["order", by], ascending=[True, False], kind="stable").drop(columns="order")


def _group_rows(
    outcomes: Outcomes, family: GroupFamily, null: PlaceboNull | None, available: Mapping[str, int]
) -> pd.DataFrame:
    who = family.who
    estimates = shrunk(family.gap, family.error)
    rows: list[dict[str, Any]] = []
    for h, fit in enumerate(family.fits):
        better, low_without = without_better_groups(family, h)
        for g, group in enumerate(who.groups):
            scope, named = SCOPES[family.scope[g]], bool(who.named[g])
            terms = np.flatnonzero((who.term_group == g) & ~np.isnan(fit.terms.effect))
            lexemes = np.unique(who.lexeme[terms])
            own = who.term_group[who.term[fit.rows.row]] == g
            only_beside = bool(better) and g not in better and family.low[h, g] > 0 and not low_without[g] > 0
            row = _row(
                outcomes,
                fit,
                family,
                (h, g),
                own,
                scope=scope,
                placebo=_placed(null, scope, fit, float(family.t[h, g]), float(family.gap[h, g])),
                lexemes=len(lexemes),
                names=bool(len(terms)) and all(who.pos[t] in ("name", "place") for t in terms),
                high=float(family.high[h, g]),
                beside=who.groups[min(better, key=lambda b: family.gap[h, b])] if only_beside else "",
            )
            carried, unstable = _carried_by(family, h, g) if row["status"] in _CLAIMED else ("", "")
            row |= {
                "group": group,
                "scope": scope,
                "shrunk_gap": estimates[h, g],
                "detectable_gap": _detectable(family, null, h, g),
                "n_terms": len(terms) if named else 0,
                "n_terms_available": available.get(group, len(terms)) if named else 0,
                "n_lexemes": len(lexemes) if named else 0,
                "words": LIST_SEPARATOR.join(who.lexemes[at] for at in lexemes) if scope == "words" else "",
                "carried_by": carried,
                "examples": _examples(outcomes, fit, own) if family.gap[h, g] > 0 else "",
                "unstable": unstable,
            }
            rows.append(row)
    return strongest_first(_frame(rows, FINDING_COLUMNS)).reset_index(drop=True)


def _term_rows(
    outcomes: Outcomes, family: GroupFamily, null: PlaceboNull | None, draws: int, seed: int
) -> pd.DataFrame:
    who = family.who
    if not who.named.any() or not who.sources or len(who.terms) < 3:
        return _frame([], TERM_FINDING_COLUMNS)
    words = word_family(family, draws=draws, seed=seed)
    rows: list[dict[str, Any]] = []
    for h, fit in enumerate(family.fits):
        of_placebo = np.zeros(0) if null is None else null.terms.get(fit.harm.name, np.zeros(0))
        for at in np.flatnonzero(who.named[who.term_group] & (words.sources[h] > 0)).tolist():
            placebo, own = percentile(float(words.gap[h, at]), of_placebo), who.term[fit.rows.row] == at
            row = _row(outcomes, fit, words, (h, at), own, scope="term", placebo=placebo, lexemes=1)
            row |= {"term": who.terms[at], "group": who.groups[who.term_group[at]]}
            row["examples"] = _examples(outcomes, fit, own) if row["status"] in _CLAIMED else ""
            rows.append(row)
    return strongest_first(_frame(rows, TERM_FINDING_COLUMNS), by="ci_low").reset_index(drop=True)


def _row(
    outcomes: Outcomes, fit: HarmFit, tested: DecidedGaps, cell: tuple[int, int], own: BoolArray, **evidence: Any
) -> dict[str, Any]:
    """What both kinds of records have; the rates are shares of harmful decisions in the rows concerned.

    Shapes: own (m,), the rows of the group or term.
    """
    low, sources = tested.low[cell], int(tested.sources[cell])
    gap, p_adjusted = float(tested.gap[cell]), float(tested.p_adjusted[cell])
    decided, why = status(Evidence(gap=gap, low=float(low), p_adjusted=p_adjusted, sources=sources, **evidence))
    weight = outcomes.weight[fit.rows.row]
    harmed = weight * fit.rows.harmed
    return {
        "attribute": outcomes.attribute,
        "harm": fit.harm.name,
        "title": fit.harm.title,
        "status": decided,
        "measure": fit.rows.measure,
        "rate": float(divide(harmed[own].sum(), float(weight[own].sum()))),
        "others_rate": float(divide(harmed[~own].sum(), float(weight[~own].sum()))),
        "n": int(own.sum()),
        "gap": tested.gap[cell],
        "ci_low": low,
        "ci_high": tested.high[cell],
        "p_value": tested.p_value[cell],
        "p_adjusted": tested.p_adjusted[cell],
        "placebo_percentile": evidence["placebo"],
        "n_sources": sources,
        "note": why,
    }


def _detectable(family: GroupFamily, null: PlaceboNull | None, h: int, g: int) -> float:
    """The true gap that is clear in 80 of 100 runs: beyond chance, and beyond what the placebo shows."""
    scope, error, name = SCOPES[family.scope[g]], float(family.error[h, g]), family.fits[h].harm.name
    compared = null is not None and scope != "rows" and name in null.t
    placebo = null.smallest_clear(scope, name, error) if null is not None and compared else np.nan
    return float(np.fmax(family.critical[family.scope[g]] * error, placebo)) + POWER * error


def _placed(null: PlaceboNull | None, scope: str, fit: HarmFit, t: float, gap: float) -> float:
    """Where a cell lies among the placebo's draws: by t where it is about a group, by the gap where about words."""
    name = fit.harm.name
    if null is None or scope == "rows" or name not in null.t:
        return float("nan")
    return percentile(t, null.t[name]) if scope == "group" else null.of_words(gap, name)


def _carried_by(family: GroupFamily, h: int, g: int) -> tuple[str, str]:
    """The lexemes without which a gap is a third smaller or its interval holds 0, and what makes it unstable.

    A lexeme goes by the term of it that is treated worst.
    """
    own, gap, low = without_each_lexeme(family, h, g)
    who, effect = family.who, np.nan_to_num(family.fits[h].terms.effect, nan=-np.inf)
    names = [who.terms[max(np.flatnonzero(who.lexeme == lexeme), key=lambda t: effect[t])] for lexeme in own]
    if len(own) < 2:
        return LIST_SEPARATOR.join(names), ""
    before, clear = family.gap[h, g], family.low[h, g] > 0
    carrying = (gap < before * 2 / 3) | (clear & (low <= 0))
    order = np.argsort(gap, kind="stable").tolist()
    worst, weakest = order[0], int(np.argmin(low))
    unstable = ""
    if gap[worst] < _HALF * before:
        unstable = f"less than half of the gap is left without {names[worst]}"
    elif clear and low[weakest] <= 0:
        unstable = f"the interval holds 0 without {names[weakest]}"
    return LIST_SEPARATOR.join([names[at] for at in order if carrying[at]][:3]), unstable


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
        known = ~np.isnan(fit.lexemes.effect)
        contrast = group_contrasts(own[known], len(family.who.groups))
        for factor, way in enumerate(fit.lexemes.levels[: len(fit.rows.levels)], start=1):
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
