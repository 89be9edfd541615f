"""The records of what may be claimed: `findings.csv`, one row a comparison, and `word_findings.csv`, one row a word."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np
import pandas as pd

from fairness_checklist.core.arrays import BoolArray, FloatArray, IntArray, divide
from fairness_checklist.core.did_you_mean import did_you_mean
from fairness_checklist.core.errors import OptionError
from fairness_checklist.core.examples import UNMARKED
from fairness_checklist.core.option_defaults import MARGIN
from fairness_checklist.core.outcomes import Outcomes
from fairness_checklist.core.tasks import Harm
from fairness_checklist.findings.errors import LeftOut
from fairness_checklist.findings.family import MIN_SOURCES, Family, HarmFit, family_of
from fairness_checklist.findings.rule import Status
from fairness_checklist.findings.words import control_differences, word_gaps
from fairness_checklist.tables.run_folder import (
    FINDING_COLUMNS,
    LIST_SEPARATOR,
    TERM_SEPARATOR,
    WORD_FINDING_COLUMNS,
    typed_findings,
)

OTHERS = "others"  # the reference of a comparison with all other groups
FEW_LEXEMES = 5  # lexemes of a group below which an open comparison is for want of words
_SHOWN = 5  # sources that show a finding


PASS, FAIL, INCONCLUSIVE = "pass", "fail", "inconclusive"


def decision_at(record: Mapping[Any, Any], limit: float) -> str:
    """Whether a gap is below a limit by its upper bound alone, or is *worse* with a lower bound above the limit."""
    if record["high_alone"] < limit:
        return PASS
    return FAIL if record["status"] == Status.WORSE and record["low"] > limit else INCONCLUSIVE


def words_to_decide(record: Mapping[Any, Any], margin: float) -> int:
    """About how many words, as variable as those of the group, would decide an open comparison; 0 where unknown.

    Bounds narrow with the square root of the number of words: a gap above the margin is to be *worse*, others *small*.
    """
    gap = float(record["gap"])
    reach, distance = (gap - record["low"], gap) if gap > margin else (record["high_alone"] - gap, margin - gap)
    ratio = reach / distance if distance > 0 else np.nan
    return int(np.ceil(record["lexemes"] * ratio**2)) if np.isfinite(ratio) else 0


class Reason(StrEnum):
    """Why a comparison is open."""

    NONE = ""
    FEW_SENTENCES = "few sentences"
    FEW_WORDS = "few words"
    CARRIED = "carried by one word"
    WORDS_DIFFER = "words differ"
    FORM = "form not separable"
    NOT_COMPARABLE = "no shared sentences"


@dataclass(frozen=True, eq=False)
class Findings:
    """The two tables of an attribute, with what they rest on."""

    attribute: str  # whose
    groups: pd.DataFrame  # the columns `FINDING_COLUMNS`; worse ones first, then better, small and open ones
    words: pd.DataFrame  # the columns `WORD_FINDING_COLUMNS`, those beyond the control words first
    # for ``run.json``: errors that are left out with the codes of their reasons, and the control words
    info: dict[str, Any]


def find(
    outcomes: Outcomes,
    harms: Sequence[Harm],
    *,
    controls: Outcomes | None = None,
    available: Mapping[str, int] | None = None,
    margin: float = MARGIN,
    reference: str | None = None,
    decisions: bool = False,
) -> Findings:
    """What may be claimed of one attribute, with control words in the same sentences as ``controls``.

    ``available`` is {group: how many terms its file has}. All groups are compared with ``reference``, a group or
    "unmarked", else each with all others; with ``decisions`` gaps are of decisions where there are probabilities.
    """
    if reference is not None:
        marked = (UNMARKED,) if (outcomes.group == len(outcomes.groups)).any() else ()
        check_reference(outcomes.attribute, (*outcomes.groups, *marked), reference)
    if len(outcomes.groups) + (reference == UNMARKED) < 2:
        empty = _frame([], FINDING_COLUMNS), _frame([], WORD_FINDING_COLUMNS)
        return Findings(outcomes.attribute, *empty, {"left_out": {"*": str(LeftOut.ONE_GROUP)}})
    family = family_of(outcomes, harms, controls=controls, reference=reference, decisions=decisions, margin=margin)
    info: dict[str, Any] = {"left_out": {name: str(reason) for name, reason in family.left_out.items()}}
    if controls is not None and family.controls is not None:
        who, fits = family.controls
        info["control_words"] = {
            "groups": len(who.groups),
            "words": who.size,
            "texts": int((controls.group < len(controls.groups)).sum()),
            "differ": {name: round(gap, 6) for name, gap in control_differences(who, fits.values()).items()},
        }
    if spread := prompt_spread(family):
        info["prompt_spread"] = spread
    if family.standardised.any():
        errors = np.flatnonzero(family.standardised.any(axis=1)).tolist()
        info["standardised"] = [family.fits[h].harm.name for h in errors]
    groups = _group_records(outcomes, family, reference or OTHERS, available or {})
    return Findings(outcomes.attribute, groups, _word_records(outcomes, family, reference or OTHERS), info)


def check_reference(attribute: str, groups: Sequence[str], reference: str) -> None:
    """Raise `OptionError` where an attribute has no such group."""
    if reference not in groups:
        near = did_you_mean(reference, groups).strip()
        raise OptionError(
            f"reference={reference!r}: {attribute} has no such group.",
            remedy=near or f"Name one of {', '.join(groups)}.",
        )


def _group_records(outcomes: Outcomes, family: Family, reference: str, available: Mapping[str, int]) -> pd.DataFrame:
    who, rows = family.who, list[dict[str, Any]]()
    for h, fit in enumerate(family.fits):
        decided = family.decided[h]
        for g, group in enumerate(who.groups):
            if g == family.words.reference or group == UNMARKED:
                continue
            member = who.term_group == g
            used = member & (fit.counts.texts > 0)
            lexemes = len(np.unique(who.lexeme[used]))
            named, status = bool(who.named[g]), decided.status[g]
            reason = open_reason(family, h, g, lexemes) if status is Status.OPEN else Reason.NONE
            others = ~member if reference == OTHERS else who.term_group == who.groups.index(reference)
            means = family.counted[h, :, :, g].ravel()
            gap = float(means[0] - means[1]) if family.comparable[h, g] else np.nan
            row = _figures(outcomes, fit, means, gap) | {
                "group": group,
                "reference": reference,
                "status": str(status),
                "reason_code": str(reason),
                "texts": int(fit.counts.texts[member].sum()),
                "others_texts": int(fit.counts.texts[others].sum()),
                "sentences": int(family.sources[h, g]),
                "terms": int(used.sum()) if named else 0,
                "terms_available": available.get(group, int(used.sum())) if named else 0,
                "lexemes": lexemes if named else 0,
                **{name: float(getattr(decided, name)[g]) for name in ("low", "high", "high_alone", "adjusted_gap")},
                **(carried(family, h, g) if status is Status.WORSE or reason is Reason.CARRIED else {"carried_by": ""}),
                "examples": _examples(outcomes, fit, who.term_group[who.term[fit.rows.row]] == g),
            }
            rows.append(row)
    records = _frame(rows, FINDING_COLUMNS)
    order = records["status"].map({str(status): rank for rank, status in enumerate(Status)}).astype("int64")
    size = records["gap"].where(records["status"] != Status.BETTER, -records["gap"])
    return records.iloc[np.lexsort((-size, order))].reset_index(drop=True)


def _figures(outcomes: Outcomes, fit: HarmFit, means: FloatArray, gap: float) -> dict[str, Any]:
    """What both kinds of records have: the error, and four numbers that can be counted in the texts.

    ``means`` are the mean probability of the error and that of the others, and the two shares of decisions.
    """
    figure, others, rate, others_rate = means.tolist()
    decisions = fit.rows.probability is None
    return {
        "attribute": outcomes.attribute,
        "error": fit.harm.name,
        "title": fit.harm.title,
        "unit": "decisions" if decisions else "probability",
        "probability": np.nan if decisions else figure,
        "others_probability": np.nan if decisions else others,
        "rate": rate,
        "others_rate": others if decisions else others_rate,
        "gap": gap,
    }


def open_reason(family: Family, h: int, g: int, lexemes: int) -> Reason:
    """Why a comparison is open.

    It is carried by one word where the gap would be *worse* but for that word, or where two thirds of a gap above the
    margin are gone without it.
    """
    decided, gap = family.decided[h], float(family.decided[h].gap[g])
    if not family.comparable[h, g]:
        return Reason.NOT_COMPARABLE
    if family.sources[h, g] < MIN_SOURCES:
        return Reason.FEW_SENTENCES
    if np.isnan(decided.low[g]):
        return Reason.FEW_WORDS
    if decided.low[g] > 0:
        return Reason.FORM if decided.low_without[g] > 0 else Reason.CARRIED
    if lexemes > 1 and gap > family.margin and carried(family, h, g)["gap_without"] < gap / 3:
        return Reason.CARRIED
    if decided.wild[g]:
        return Reason.WORDS_DIFFER
    if not family.who.named[g] or decided.words_share[g] < 0.5:
        return Reason.FEW_SENTENCES
    return Reason.FEW_WORDS if lexemes < FEW_LEXEMES else Reason.WORDS_DIFFER


def carried(family: Family, h: int, g: int) -> dict[str, Any]:
    """The lexeme that carries most of a gap, with all its terms, and the gap without it; of rows without words none."""
    who, fit, lexeme = family.who, family.fits[h], int(family.decided[h].carrier[g])
    if lexeme < 0:
        return {"carried_by": "", "gap_without": np.nan}
    rest = (who.term_group == g) & (who.lexeme != lexeme)
    mean = float(fit.counts.means(rest.astype(np.float64))[0])
    return {
        "carried_by": TERM_SEPARATOR.join(_terms_of(family, h, lexeme)),
        "gap_without": mean - float(family.counted[h, 0, 1, g]),
    }


def _terms_of(family: Family, h: int, lexeme: int) -> list[str]:
    """The terms of a lexeme that have texts, the one that is treated worst first."""
    who, fit = family.who, family.fits[h]
    terms = np.flatnonzero((who.lexeme == lexeme) & (fit.counts.texts > 0))
    mean = divide(fit.counts.figure[terms], fit.counts.weight[terms])
    return [who.terms[t] for t in terms[np.argsort(-mean, kind="stable")]]


def _word_records(outcomes: Outcomes, family: Family, reference: str) -> pd.DataFrame:
    who, rows = family.who, list[dict[Any, Any]]()
    for h, fit in enumerate(family.fits):
        found = word_gaps(family, h)
        for lexeme, word in zip(found.index.tolist(), found.to_dict("records"), strict=True):
            means = np.array([word[name] for name in ("figure", "others", "rate", "others_rate")])
            about = {
                "group": who.groups[who.lexeme_group[lexeme]],
                "reference": reference,
                "word": TERM_SEPARATOR.join(_terms_of(family, h, lexeme)),
            }
            rows.append({**word, **_figures(outcomes, fit, means, word["gap"]), **about})
    table = _frame(rows, WORD_FINDING_COLUMNS)
    return table.iloc[np.lexsort((-table["gap"], table["said"] == ""))].reset_index(drop=True)


def _examples(outcomes: Outcomes, fit: HarmFit, member: BoolArray) -> str:
    """Ids of the sources in which most decisions are harmful for these rows and right for others."""
    source = outcomes.source[fit.rows.row]
    size = len(outcomes.sources)
    if not size:
        return ""

    def share(rows: BoolArray) -> FloatArray:
        concerned = rows & (source >= 0)
        n = np.bincount(source[concerned], minlength=size)
        return divide(np.bincount(source[concerned], weights=fit.rows.harmed[concerned], minlength=size), n)

    inside, outside = share(member), share(~member)
    shows = np.flatnonzero((inside > 0) & (outside < 1))
    order: IntArray = shows[np.argsort(-(inside - outside)[shows], kind="stable")][:_SHOWN]
    return LIST_SEPARATOR.join(outcomes.sources[s].id for s in order)


def _frame(rows: list[dict[str, Any]], columns: Sequence[str]) -> pd.DataFrame:
    return typed_findings(pd.DataFrame(rows, columns=list(columns)))


def prompt_spread(family: Family) -> list[dict[str, Any]]:
    """The gaps of each group and harm by prompt, for ``run.json``; empty where one prompt was asked.

    Where the orders of the options are a sample, they are a factor of their own and follow the prompts. The error is
    the standard error of the mean over levels, by the jackknife.
    """
    records = list[dict[str, Any]]()
    for fit in family.fits:
        contrast = family.words.without(np.isnan(fit.lexemes.effect)).contrasts()
        for factor, way in enumerate(fit.lexemes.levels[: len(fit.rows.levels)], start=1):
            for g in np.flatnonzero(np.abs(contrast).sum(axis=1) > 0).tolist():
                gaps = np.nan_to_num(way) @ contrast[g]
                without = (gaps.sum() - gaps) / (len(gaps) - 1)
                figures = {
                    "sd": gaps.std(ddof=1),
                    "error": np.sqrt((len(gaps) - 1) / len(gaps) * ((without - without.mean()) ** 2).sum()),
                    "low_without": without.min(),
                    "high_without": without.max(),
                }
                record = {"error": fit.harm.name, "factor": factor, "group": family.who.groups[g]}
                record |= {"gaps": [round(gap, 6) for gap in gaps.tolist()]}
                records.append(record | {name: round(float(value), 6) for name, value in figures.items()})
    return records
