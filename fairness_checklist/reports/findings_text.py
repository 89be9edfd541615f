"""Findings in words: a sentence a finding, and what was found of each attribute."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from fairness_checklist.core.errors import count
from fairness_checklist.core.formatting import join_names, percent
from fairness_checklist.core.tasks import parse_harm
from fairness_checklist.findings.status import STATUSES
from fairness_checklist.reports.wording import group_clause, terms_of
from fairness_checklist.tables.run_folder import LIST_SEPARATOR, Results

_SHOWN = 3  # findings of one attribute, clear and suspected together
_SHOWN_TERMS = 2
LEGEND = (
    "Clear: the interval lies above 0 for all groups and harms together, and words that should not matter show less in "
    "95 of 100 draws. Suspected: only one of the two, or adjusted p at most .2. None found does not mean that there is "
    "no gap: smaller ones stay unseen."
)


@dataclass(frozen=True)
class AttributeFindings:
    """What was found of one attribute.

    Attributes:
        attribute: its name.
        status: the strongest status of its groups: one of `STATUSES`, or "" without findings.
        lines: a sentence each, the strongest first.
    """

    attribute: str
    status: str
    lines: tuple[str, ...]


def attribute_findings(results: Results) -> list[AttributeFindings]:
    """What was found of each attribute of a run."""
    return [_of_attribute(results, name) for name in results.attributes]


def _of_attribute(results: Results, attribute: str) -> AttributeFindings:
    records = results.findings[results.findings["attribute"] == attribute]
    if not len(records):
        return AttributeFindings(attribute, "", (_nothing(results, attribute),))
    order = {name: at for at, name in enumerate(STATUSES)}
    ranked = records.assign(order=records["status"].map(order)).sort_values(["order", "gap"], ascending=[True, False])
    status = str(ranked["status"].iloc[0])
    told = ranked[ranked["status"].isin(STATUSES[:2])]
    lines = [finding_sentence(row) for row in told.head(_SHOWN).to_dict("records")]
    if len(told) > _SHOWN:
        lines.append(f"And {len(told) - _SHOWN} more, see findings.csv.")
    terms = results.term_findings[results.term_findings["attribute"] == attribute]
    terms = terms[terms["status"] == STATUSES[0]].head(_SHOWN_TERMS)
    lines += [finding_sentence(row) for row in terms.to_dict("records")]
    lines += [line for line in (_rest(records, len(told)), _too_few(records)) if line]
    return AttributeFindings(attribute, status, tuple(lines))


def finding_sentence(row: Mapping[Any, Any]) -> str:
    """A record of `findings.csv` or `term_findings.csv` as a sentence.

    >>> record = dict(attribute="gender", group="women", harm="called_negative", status="clear", scope="group",
    ...               rate=0.29, others_rate=0.11, measure="probability", gap=0.15, ci_low=0.04, ci_high=0.26,
    ...               placebo_percentile=98.2, n_terms=7, n_terms_available=7, n_sources=40, note="", words="")
    >>> print(finding_sentence(record))
    Clear: 29 % of the sentences that mention women and are not negative are called negative, of the others 11 % \
(probability +15 points, 4 to 26; larger than in 98 of 100 draws of words that should not matter; 7 terms, 40 sources).
    """
    number = {name: float(str(row[name])) for name in ("rate", "others_rate", "gap", "ci_low", "ci_high")}
    placed = float(str(row["placebo_percentile"]))
    details = [
        f"{row['measure']} {100 * number['gap']:+.0f} points, {_point(number['ci_low'])} to {_point(number['ci_high'])}"
    ]
    if not math.isnan(placed):
        draws = "for {} of 100" if "term" in row else "in {} of 100 draws of"
        details.append(f"larger than {draws.format(math.floor(placed))} words that should not matter")
    details.append(_counts(row))
    return (
        f"{str(row['status']).capitalize()}: {percent(number['rate'])} of {_concerned(row)}, of the others "
        f"{percent(number['others_rate'])} ({'; '.join(details)})."
    )


def _point(value: float) -> str:
    return f"{100 * value:.0f}".replace("-0", "0") if abs(value) < 0.005 else f"{100 * value:.0f}"


def _concerned(row: Mapping[Any, Any]) -> str:
    """Which texts, and what is done to them: "the sentences that mention women and are not negative are called ..."."""
    harm = parse_harm(str(row["harm"]))
    attribute = str(row["attribute"])
    if not harm.label:
        if "term" in row:
            return f'the mentions of "{row["term"]}" are missed'
        group, noun = str(row["group"]), terms_of(attribute)
        return f"the {noun} {group} are missed" if " " in group else f"the {group} {noun} are missed"
    clause = _clause(row, attribute)
    if harm.kind == "missed":
        return f"the {harm.label} sentences {clause} are not recognised as {harm.label}"
    only = f" and are not {harm.label}" if harm.kind == "called" else ""
    return f"the sentences {clause}{only} are called {harm.label}"


def _clause(row: Mapping[Any, Any], attribute: str) -> str:
    """Whom the sentences mention; of a finding about words the words that they say."""
    if "term" in row:
        return f'that say "{row["term"]}"'
    if row["scope"] == "words":
        words = [f'"{one}"' for one in str(row["words"]).split(LIST_SEPARATOR)]
        return f"that say {join_names(words, 3, last='or')}"
    return group_clause(str(row["group"]), attribute)


def _counts(row: Mapping[Any, Any]) -> str:
    sources = count(int(str(row["n_sources"])), "source")
    if "term" in row or not int(str(row["n_terms"])):
        return sources
    used, there = int(str(row["n_terms"])), int(str(row["n_terms_available"]))
    return f"{used:,} of {there:,} terms, {sources}" if there > used else f"{count(used, 'term')}, {sources}"


def _rest(records: pd.DataFrame, told: int) -> str:
    """How many comparisons show nothing, and what gap would have been found."""
    none = records[records["status"] == STATUSES[2]]
    if not len(none):
        return ""
    seen = float(none["detectable_gap"].max())
    of = f"{len(none)} of {len(records)} comparisons" if told else f"all {count(len(none), 'comparison')}"
    would = "" if math.isnan(seen) else f" (a gap of {100 * seen:.0f} points would have been found in 80 of 100 runs)"
    return f"None found in {of} of groups and harms{would}."


def _too_few(records: pd.DataFrame) -> str:
    few = records[records["status"] == STATUSES[3]]
    if not len(few):
        return ""
    reasons = list(dict.fromkeys(str(note) for note in few["note"]))
    names = list(dict.fromkeys(str(name) for name in few["group"]))
    return f"Too few to say for {join_names(names, 3)}: {join_names(reasons, 2)}."


def _nothing(results: Results, attribute: str) -> str:
    left_out = results.info.get("findings", {}).get(attribute, {}).get("left_out", {})
    if not left_out:
        return "No findings were computed."
    reasons = [f"{name} ({why})" if name != "*" else str(why) for name, why in left_out.items()]
    return f"No findings: {join_names(reasons, 4)}. Declare what hurts with harm= (--harm called:CLASS)."


def findings_paragraphs(results: Results) -> list[str]:
    """A paragraph an attribute, and the legend."""
    found = attribute_findings(results)
    paragraphs = [f"{one.attribute}: {' '.join(one.lines)}" for one in found]
    return [*paragraphs, LEGEND] if any(one.status for one in found) else paragraphs
