"""Findings in words: a sentence a finding, and what was found of each attribute."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from fairness_checklist.analysis.run_view import attribute_view, is_tagging
from fairness_checklist.core.errors import count
from fairness_checklist.core.formatting import join_names, percent
from fairness_checklist.core.tasks import known_harm
from fairness_checklist.findings.status import STATUSES
from fairness_checklist.reports.performance_text import performance, useless_model
from fairness_checklist.reports.wording import group_clause, terms_of
from fairness_checklist.tables.run_folder import LIST_SEPARATOR, Results

_SHOWN = 3  # findings of one attribute, clear and suspected together
_SHOWN_TERMS = 2
LEGEND = (
    "Clear: the interval lies above 0 for all groups and harms together, and words that should not matter show less in "
    "95 of 100 draws. Suspected: adjusted p at most .2, and they show less in 80 of 100 draws. None found does not "
    "mean that there is no gap: smaller ones stay unseen."
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


def verdict(results: Results, *, width: int | None = 100) -> str:
    """The results of a run in words.

    Args:
        results: a run.
        width: lines are wrapped there; None leaves each paragraph on one line.

    Returns:
        One paragraph an attribute: a model of no use first, then the findings, then the accuracy and how often
        decisions change with the group; and what the statuses mean.
    """
    from textwrap import fill

    lines = findings_paragraphs(results)
    if width is None:
        return "\n\n".join(lines)
    glued = [line.replace(" %", "\u00a0%") for line in lines]
    return "\n\n".join(fill(line, width, break_on_hyphens=False).replace("\u00a0%", " %") for line in glued)


def findings_paragraphs(results: Results) -> list[str]:
    """A paragraph an attribute, and the legend."""
    found = attribute_findings(results)
    paragraphs = [f"{one.attribute}: {' '.join(verdict_lines(results, one))}" for one in found]
    return [*paragraphs, LEGEND] if any(one.status for one in found) else paragraphs


def verdict_lines(results: Results, found: AttributeFindings) -> tuple[str, ...]:
    """The sentences of an attribute: its findings between what is known of the model as a whole."""
    view = attribute_view(results, found.attribute)
    return tuple(line for line in (useless_model(view), *found.lines, performance(view)) if line)


def attribute_findings(results: Results) -> list[AttributeFindings]:
    """What was found of each attribute of a run."""
    return [_of_attribute(results, name) for name in results.attributes]


def _of_attribute(results: Results, attribute: str) -> AttributeFindings:
    records = results.findings[results.findings["attribute"] == attribute]
    if not len(records):
        return AttributeFindings(attribute, "", (_nothing(results, attribute),))
    tagging = is_tagging(results)
    ranked = strongest_first(records)
    status = str(ranked["status"].iloc[0])
    told = ranked[ranked["status"].isin(STATUSES[:2])]
    lines = [finding_sentence(row, tagging=tagging) for row in told.head(_SHOWN).to_dict("records")]
    if len(told) > _SHOWN:
        lines.append(f"And {len(told) - _SHOWN} more, see findings.csv.")
    terms = results.term_findings[results.term_findings["attribute"] == attribute]
    terms = terms[terms["status"] == STATUSES[0]].head(_SHOWN_TERMS)
    lines += [finding_sentence(row, tagging=tagging) for row in terms.to_dict("records")]
    lines += [line for line in (_rest(records), _too_few(records)) if line]
    return AttributeFindings(attribute, status, tuple(lines))


def strongest_first(records: pd.DataFrame) -> pd.DataFrame:
    """Records by status, and inside of one by gap."""
    order = {name: at for at, name in enumerate(STATUSES)}
    ranked = records.assign(order=records["status"].map(order))
    return ranked.sort_values(["order", "gap"], ascending=[True, False], kind="stable").drop(columns="order")


def finding_sentence(row: Mapping[Any, Any], *, tagging: bool = False) -> str:
    """A record of `findings.csv` or `term_findings.csv` as a sentence.

    Args:
        row: the record.
        tagging: whether it is of a tagger.

    >>> record = dict(attribute="gender", group="women", harm="called_negative", status="clear", scope="group",
    ...               rate=0.29, others_rate=0.11, measure="probability", gap=0.15, ci_low=0.04, ci_high=0.26,
    ...               placebo_percentile=98.2, n_terms=7, n_terms_available=7, n_sources=40, note="", words="")
    >>> print(finding_sentence(record))
    Clear: 29 % of the sentences that mention women and are not negative are called negative, of the others 11 % \
(probability +15 points, 4 to 26; larger than in 98 of 100 draws of words that should not matter; 7 terms, 40 sources).
    """
    number = {name: float(str(row[name])) for name in ("rate", "others_rate", "gap", "ci_low", "ci_high")}
    if row["status"] == STATUSES[3]:
        about = f'the term "{row["term"]}"' if "term" in row else str(row["group"])
        return f"Too few to say for {about}: {row['note']}."
    placed = float(str(row["placebo_percentile"]))
    details = [
        f"{row['measure']} {100 * number['gap']:+.0f} points, {_point(number['ci_low'])} to {_point(number['ci_high'])}"
    ]
    if not math.isnan(placed):
        draws = "for {} of 100" if "term" in row else "in {} of 100 draws of"
        details.append(f"larger than {draws.format(math.floor(placed))} words that should not matter")
    elif row["note"]:
        details.append(str(row["note"]))
    if row.get("unstable"):
        details.append(f"unstable: {row['unstable']}")
    details.append(_counts(row))
    return (
        f"{str(row['status']).capitalize()}: {percent(number['rate'])} of {_concerned(row, tagging)}, of the others "
        f"{percent(number['others_rate'])} ({'; '.join(details)})."
    )


def _point(value: float) -> str:
    return f"{100 * value:.0f}".replace("-0", "0") if abs(value) < 0.005 else f"{100 * value:.0f}"


def _concerned(row: Mapping[Any, Any], tagging: bool) -> str:
    """Which texts, and what is done to them: "the sentences that mention women and are not negative are called ..."."""
    harm, attribute = known_harm(str(row["harm"])), str(row["attribute"])
    if tagging:
        missed = "are missed" if harm is not None else f"are {row['title']}"
        kind = f" that are {harm.label}" if harm is not None and harm.label else ""
        return f"the {_entities(row, attribute)}{kind} {missed}"
    clause = _clause(row, attribute)
    if harm is None:
        return f"the sentences {clause} are {row['title']}"
    if harm.kind == "missed":
        return f"the {harm.label} sentences {clause} are not recognised as {harm.label}"
    joined = "and" if clause.startswith("that ") else "that"
    only = f" {joined} are not {harm.label}" if harm.kind == "called" else ""
    return f"the sentences {clause}{only} are called {harm.label}"


def _entities(row: Mapping[Any, Any], attribute: str) -> str:
    """The entities that a record of a tagger is about."""
    if "term" in row or row["scope"] == "words":
        return f"mentions of {_quoted(row)}"
    group, noun = str(row["group"]), terms_of(attribute)
    return f'{noun} of the group "{group}"' if " " in group else f"{group} {noun}"


def _clause(row: Mapping[Any, Any], attribute: str) -> str:
    """Whom the sentences mention; of a finding about words the words that they say."""
    if "term" in row or row["scope"] == "words":
        return f"that say {_quoted(row)}"
    return group_clause(str(row["group"]), attribute)


def _quoted(row: Mapping[Any, Any]) -> str:
    words = [str(row["term"])] if "term" in row else str(row["words"]).split(LIST_SEPARATOR)
    return join_names([f'"{one}"' for one in words], 3, last="or")


def _counts(row: Mapping[Any, Any]) -> str:
    sources = count(int(str(row["n_sources"])), "row" if row.get("scope") == "rows" else "source")
    if "term" in row or not int(str(row["n_terms"])):
        return sources
    used, there = int(str(row["n_terms"])), int(str(row["n_terms_available"]))
    return f"{used:,} of {there:,} terms, {sources}" if there > used else f"{count(used, 'term')}, {sources}"


def _rest(records: pd.DataFrame) -> str:
    """How many comparisons show nothing, and what gap would have been found."""
    none = records[records["status"] == STATUSES[2]]
    if not len(none):
        return ""
    seen = float(none["detectable_gap"].max())
    of = f"{len(none)} of {len(records)}" if len(none) < len(records) else f"all {len(none)}"
    would = "" if math.isnan(seen) else f" (a gap of {100 * seen:.0f} points would have been found in 80 of 100 runs)"
    return f"None found in {of} comparisons of groups and harms{would}."


def _too_few(records: pd.DataFrame) -> str:
    few = records[records["status"] == STATUSES[3]]
    if not len(few):
        return ""
    reasons = list(dict.fromkeys(str(note) for note in few["note"]))
    names = list(dict.fromkeys(str(name) for name in few["group"]))
    return f"Too few to say for {join_names(names, 3)}: {join_names(reasons, 2)}."


def _nothing(results: Results, attribute: str) -> str:
    recorded: dict[str, Any] = results.info.get("findings", {})
    if attribute not in recorded:  # a run of an older version
        return "No findings were computed."
    left_out: dict[str, str] = recorded[attribute].get("left_out", {})
    if "*" in left_out:
        return f"No findings: {left_out['*']}."
    reasons = [f"{name} ({why})" for name, why in left_out.items()] or ["no harm is declared"]
    return f"No findings: {join_names(reasons, 4)}. Declare what hurts with harm= (--harm called:CLASS)."
