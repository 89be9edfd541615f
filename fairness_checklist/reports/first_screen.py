"""The first screen of a run, as records: what the terminal, the page and the notebook show before all else."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from fairness_checklist.analysis.largest_gaps import only_gold_class
from fairness_checklist.analysis.run_view import attribute_view, is_tagging, task_of
from fairness_checklist.core.errors import count
from fairness_checklist.core.formatting import capitalise, join_names
from fairness_checklist.findings.records import strongest_first
from fairness_checklist.findings.status import STATUSES
from fairness_checklist.reports.finding_text import (
    STATUS_WORDS,
    against_placebo,
    brief_rates,
    harm_rates,
    is_about_rows,
    is_about_words,
    nothing_compared,
    useless_model,
    whole_percent,
    whole_points,
)
from fairness_checklist.reports.wording import group_phrase, terms_of
from fairness_checklist.suites.answered import NO_PREDICTION
from fairness_checklist.tables.run_folder import LIST_SEPARATOR, Results

MOST_WORDS = 40
"""Words of an attribute on the first screen; a number with its percent sign is one."""
_MOST_NOTES = 5
_ABOUT_METRICS = "no null means"  # what the metrics lack, and not what is wrong with the table
_LARGE = 0.1
"""A gap that a suite should be able to show."""


@dataclass(frozen=True, eq=False)
class AttributeSummary:
    """An attribute on the first screen.

    Attributes:
        attribute: its name.
        status: the strongest status of its groups, one of `STATUSES`; "" where nothing was compared.
        sentence: how mentions are treated: the strongest finding, or that there is none.
        placebo: the comparison with words that should not matter, or "".
        basis: how many terms and sentences it rests on.
        more: the other findings, or "".
        warning: a model that is of no use for these texts, or "".
        record: the record of `findings.csv` that the sentence is about; None without a clear or suspected one.
    """

    attribute: str
    status: str
    sentence: str
    placebo: str
    basis: str
    more: str
    warning: str
    record: Mapping[str, Any] | None

    @property
    def heading(self) -> str:
        """The status in words."""
        words = self.record is not None and is_about_words(self.record)
        return (
            STATUS_WORDS.get(self.status, "not compared")
            + (" for these words" if words else "")
            + (", may be chance" if self.status == STATUSES[1] and not words else "")
        )

    @property
    def line(self) -> str:
        """The attribute in `MOST_WORDS` words at most, without its warning."""
        parts = [f"{self.attribute}: {self.heading}.", self.sentence, self.placebo, self.basis, self.more]
        return " ".join(part for part in parts if part)


@dataclass(frozen=True)
class FirstScreen:
    """The first screen of a run.

    Attributes:
        task, model, date: what was run, "" where it was not recorded.
        attributes: a summary each.
        next_step: the one thing to do next.
        notes: what was questionable in a table of the user's.
    """

    task: str
    model: str
    date: str
    attributes: tuple[AttributeSummary, ...]
    next_step: str
    notes: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """Task, model and date in a line."""
        return " · ".join(part for part in (self.task, f"model {self.model}", self.date) if part)

    def as_text(self, width: int | None = 100) -> str:
        """The screen as plain text.

        Args:
            width: lines are wrapped there; None leaves each paragraph on one line.
        """
        from textwrap import fill

        warnings = list(dict.fromkeys(one.warning for one in self.attributes if one.warning))
        paragraphs = [self.title, *(f"Warning: {one}" for one in warnings)]
        paragraphs += [one.line for one in self.attributes]
        paragraphs += [f"Note: {one}." for one in self.notes]
        paragraphs += [f"Next: {self.next_step}"] if self.next_step else []
        if width is None:
            return "\n".join(paragraphs)
        glued = [one.replace(" %", "\u00a0%") for one in paragraphs]
        wrapped = [fill(one, width, subsequent_indent="  ", break_on_hyphens=False) for one in glued]
        return "\n".join(wrapped).replace("\u00a0%", " %")


def first_screen(results: Results, *, python: bool = False) -> FirstScreen:
    """The first screen of a run.

    Args:
        results: a run.
        python: whether the next step is told as Python; by default as a command.
    """
    attributes = tuple(_summary(results, name) for name in results.attributes)
    model = results.info.get("model", "")
    name = str(model.get("name", model.get("id", ""))) if isinstance(model, Mapping) else str(model)
    date = str(results.info.get("date", ""))
    return FirstScreen(
        task_of(results),
        name or "not recorded",
        date,
        attributes,
        _next_step(results, attributes, python),
        _notes(results),
    )


def _notes(results: Results) -> tuple[str, ...]:
    """The notes on a table of predictions, the first ones; of a suite only those on texts without a prediction.

    The others of a suite are on the page and with the tables.
    """
    listed = [str(note) for notes in results.info.get("notes", {}).values() for note in notes]
    if "suite" in results.info:
        listed = [note for note in listed if NO_PREDICTION in note]
    notes = tuple(note for note in dict.fromkeys(listed) if not note.startswith(_ABOUT_METRICS))
    more = (f"{len(notes) - _MOST_NOTES:,} more notes are printed with the tables",) if len(notes) > _MOST_NOTES else ()
    return (*notes[:_MOST_NOTES], *more)


def _summary(results: Results, attribute: str) -> AttributeSummary:
    records = strongest_first(results.findings[results.findings["attribute"] == attribute])
    view = attribute_view(results, attribute)
    warning = useless_model(view)
    if not len(records):
        told = [
            AttributeSummary(attribute, "", one, "", "", "", warning, None)
            for one in nothing_compared(results, attribute)
        ]
        return _fitting(told)
    strongest = {str(name): value for name, value in records.iloc[0].items()}
    status = str(strongest["status"])
    terms = _terms(records, attribute)
    size = int(view.examples["source"].nunique()) if view.unit == "source" else len(view.examples)
    sentences = count(size, "sentence" if view.unit == "source" else "row")
    basis = f"Based on {', '.join(filter(None, [terms, sentences]))}."
    if status in STATUSES[:2]:
        tagging = is_tagging(results)
        full, short = harm_rates(strongest, tagging=tagging), brief_rates(strongest, tagging=tagging)
        placebo, as_much = against_placebo(strongest), against_placebo(strongest, brief=True)
        others, how_many = _others(records), _others(records, brief=True)
        parts = [
            (full, placebo, basis, others),
            (full, placebo, basis, how_many),
            (full, as_much, basis, how_many),
            (short, as_much, basis, how_many),
            (short, as_much, f"{terms or sentences}.", how_many),
            (short, as_much, "", how_many),
            (short, as_much, "", ""),
        ]
        return _fitting(
            [
                AttributeSummary(attribute, status, f"{capitalise(one)}.", beside, based, more, warning, strongest)
                for one, beside, based, more in parts
            ]
        )
    texts = [_none_found(records)] if status == STATUSES[2] else _too_few(records)
    words = _words_found(results, attribute)
    return _fitting(
        [
            AttributeSummary(attribute, status, text, "", basis, more, warning, None)
            for text in texts
            for more in dict.fromkeys((words, ""))
        ]
    )


def _fitting(variants: Sequence[AttributeSummary]) -> AttributeSummary:
    """The first of an attribute's variants, the longest first, that is no longer than `MOST_WORDS`; else the last."""
    return next((one for one in variants if len(one.line.replace(" %", "%").split()) <= MOST_WORDS), variants[-1])


def _terms(records: pd.DataFrame, attribute: str) -> str:
    """How many terms were used, of how many; "" where rows name no terms."""
    groups = records.drop_duplicates("group")
    used, there = int(groups["n_terms"].sum()), int(groups["n_terms_available"].sum())
    if not used:
        return ""
    noun = terms_of(attribute)
    return f"{used:,} of {there:,} {noun}" if there > used else f"{used:,} {noun if used > 1 else noun[:-1]}"


def _others(records: pd.DataFrame, *, brief: bool = False) -> str:
    """The other clear and suspected findings: "Also clear: ...; suspected: ..."; or how many more are clear."""
    parts, first = [], records.iloc[0]
    if brief:
        n = int((records["status"].iloc[1:] == STATUSES[0]).sum())
        return f"{n:,} more clear." if n else ""
    for status in STATUSES[:2]:
        rows = records.iloc[1:][records["status"].iloc[1:] == status]
        names = []
        for harm in dict.fromkeys([first["harm"], *rows["harm"]]):
            of_harm = rows[rows["harm"] == harm]
            groups = [
                group_phrase(str(row["group"]), str(row["attribute"]))
                for row in of_harm.to_dict("records")
                if row["group"] != first["group"]
            ]
            groups = list(dict.fromkeys(groups))
            if harm == first["harm"]:
                names += groups
                continue
            title = str(of_harm["title"].iloc[0])
            names += [title] if (of_harm["group"] == first["group"]).any() else []
            names += [f"{join_names(groups, 3)} ({title})"] if groups else []
        if names:
            parts.append(f"{status}: {join_names(names, 3)}")
    return f"Also {'; '.join(parts)}." if parts else ""


def _none_found(records: pd.DataFrame) -> str:
    none = records[records["status"] == STATUSES[2]]
    seen = float(none["detectable_gap"].max())
    if none["note"].str.startswith("only beside").any():
        best = none[none["note"].str.startswith("treated better")].sort_values("gap").iloc[0]
        rates = f"{whole_percent(best['rate'])}, {whole_percent(best['others_rate'])} for the other groups"
        named = group_phrase(str(best["group"]), str(best["attribute"]))
        return f"No group is treated worse than most. Treated better: {named} ({best['title']}: {rates})."
    compared = f"{count(none['group'].nunique(), 'group')}, {count(none['harm'].nunique(), 'kind')} of error"
    neutral = " and neutral words" if none["placebo_percentile"].notna().any() else ""
    text = f"No group's gap stands out from chance{neutral} ({compared})"
    return f"{text}." if math.isnan(seen) else f"{text}; gaps under {whole_points(seen)} could go unseen."


def _too_few(records: pd.DataFrame) -> list[str]:
    """Why no group can be compared, in full and cut."""
    reasons = list(dict.fromkeys(str(note) for note in records["note"]))
    return [f"No group can be compared: {one}." for one in dict.fromkeys(("; ".join(reasons[:2]), reasons[0]))]


def _words_found(results: Results, attribute: str) -> str:
    """The single terms that are treated worse, where no group is."""
    terms = results.term_findings[results.term_findings["attribute"] == attribute]
    names = list(dict.fromkeys(f'"{one}"' for one in terms["term"][terms["status"] == STATUSES[0]]))
    if not names:
        return ""
    others = f" and {count(len(names) - 1, 'other word')}" if len(names) > 1 else ""
    return f"{names[0]}{others} {'stand' if others else 'stands'} out."


def _next_step(results: Results, attributes: tuple[AttributeSummary, ...], python: bool) -> str:
    """The one thing to do next: about the model, then about a finding, then about the size of the suite."""
    questionable = [one for one in attributes if one.warning]
    if questionable and all(only_gold_class(attribute_view(results, one.attribute)) for one in questionable):
        return (
            f"add texts of other classes: {_own_templates(python)}."
            if "suite" in results.info
            else ("add rows of other gold classes to the table.")
        )
    if questionable:
        return "check that the model's labels are matched to the right classes: " + (
            "labels={...} of load_model." if python else "--labels."
        )
    if not any(one.status for one in attributes):
        left_out = [results.info.get("findings", {}).get(one.attribute, {}).get("left_out", {}) for one in attributes]
        without = any(one.get("*") == "draws=0" for one in left_out)
        return f"let the run compare groups: {'draws=1000' if python else '--draws 1000'}." if without else ""
    found = [one for one in attributes if one.record is not None]
    cut = [one.attribute for one in attributes if one.status and _is_cut(results, one.attribute)]
    for one in sorted(found, key=lambda found: STATUSES.index(found.status)):
        record = one.record or {}
        carried = [word for word in str(record["carried_by"]).split(LIST_SEPARATOR) if word]
        if carried and record["scope"] == "group":
            quoted = join_names([f'"{word}"' for word in carried], 3)
            return f"look at {quoted} under {one.attribute} in the report: the gap depends on it."
        if one.status == STATUSES[0]:
            pairs = "the sentence pairs" if record["scope"] != "rows" else "the metrics by group"
            return f"read {pairs} under {one.attribute} in the report."
    if cut:
        more = "a larger max_terms, or none" if python else "a larger --max-terms, or without this option"
        return f"use more of the terms of {join_names(cut, 3)}: run again with {more}."
    if found and not results.info.get("suite"):
        pairs = "metrics by group" if is_about_rows(found[0].record or {}) else "sentence pairs"
        return f"read the {pairs} under {found[0].attribute} in the report."
    if found:
        return f"make the suite of {found[0].attribute} larger with templates of your own: {_own_templates(python)}."
    few = [one.attribute for one in attributes if one.status == STATUSES[3]]
    if few and not results.info.get("suite"):
        return f"add rows of {join_names(few, 3)}: there are too few for a comparison."
    if few:
        return (
            f"make the suite of {join_names(few, 3)} larger with terms or templates of your own: {_own_terms(python)}."
        )
    unseen = [one.attribute for one in attributes if one.status == STATUSES[2] and _unseen(results, one.attribute)]
    if unseen and not results.info.get("suite"):
        return f"more rows would show smaller gaps of {join_names(unseen, 3)}."
    if unseen:
        return f"a larger suite would show smaller gaps of {join_names(unseen, 3)}: {_own_templates(python)}."
    if not results.info.get("suite"):
        return "evaluate further attributes of the table: " + ("group_columns=." if python else "--group-columns.")
    return "test further attributes: " + ("Suite.build(...)." if python else "fairness-checklist list.")


def _is_cut(results: Results, attribute: str) -> bool:
    records = results.findings[results.findings["attribute"] == attribute]
    return bool((records["n_terms_available"] > records["n_terms"]).any())


def _unseen(results: Results, attribute: str) -> bool:
    records = results.findings[results.findings["attribute"] == attribute]
    return bool((records["detectable_gap"] > _LARGE).any())


def _own_templates(python: bool) -> str:
    return "templates=[...] of Suite.build" if python else "--templates FOLDER"


def _own_terms(python: bool) -> str:
    return "terms= and templates= of Suite.build" if python else "--terms FOLDER, --templates FOLDER"
