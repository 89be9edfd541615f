"""The first screen of a run, as records: what the terminal, the page and the notebook show before all else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import pandas as pd

from fairness_checklist.core.errors import count
from fairness_checklist.core.formatting import capitalise, join_names
from fairness_checklist.findings.records import strongest_first
from fairness_checklist.findings.status import CLEAR, FOUND, NONE_FOUND, STATUSES, SUSPECTED
from fairness_checklist.reports.finding_pairs import finding_pairs
from fairness_checklist.reports.finding_text import (
    SMALLEST_SEEN,
    STATUS_WORDS,
    against_placebo,
    brief_rates,
    harm_rates,
    is_about_words,
    nothing_compared,
    useless_model,
    whole_percent,
    whole_points,
)
from fairness_checklist.reports.run_view import attribute_view, is_tagging, only_gold_class, suite_parts, task_of
from fairness_checklist.reports.wording import group_phrase, terms_of
from fairness_checklist.suites.answered import NO_PREDICTION
from fairness_checklist.tables.run_folder import LIST_SEPARATOR, Results

_LARGE = 0.1
"""A gap that a suite should be able to show."""


@dataclass(frozen=True)
class NextStep:
    """A next step."""

    rank: int  # of several steps the one with the smallest rank comes first
    text: str  # what to do; ``{names}`` stands for the attributes


def next_step(results: Results, warnings: Mapping[str, str], *, python: bool = False) -> str:
    """The most urgent step of some attributes, "" without any."""
    steps = {name: _step(results, name, warning, python) for name, warning in warnings.items()}
    first = min((step for step in steps.values() if step), key=lambda step: step.rank, default=None)
    names = join_names([name for name, step in steps.items() if step == first], 3)
    return first.text.replace("{names}", names) if first else ""


def _step(results: Results, attribute: str, warning: str, python: bool) -> NextStep | None:
    suite = next((part for part in suite_parts(results.info) if part.get("attribute") == attribute), None)
    view = attribute_view(results, attribute)
    rows = "texts" if view.mentions else "rows"
    filled = suite is not None and bool(suite.get("templates"))
    templates = "templates=[...] of Suite.build" if python else "--templates FOLDER"
    if warning and only_gold_class(view):
        return NextStep(0, f"add {rows} of other classes{f': {templates}' if filled else ''}.")
    if warning:
        named = f"labels={{...}} of {'load_model' if suite is not None else 'evaluate'}" if python else "--labels"
        return NextStep(0, f"check that the model's labels are matched to the right classes: {named}.")
    records = strongest_first(results.findings[results.findings["attribute"] == attribute])
    if not len(records):
        left_out = results.info.get("findings", {}).get(attribute, {}).get("left_out", {})
        compare = f"let the run compare groups: {'draws=1000' if python else '--draws 1000'}."
        return NextStep(1, compare) if left_out.get("*") == "draws=0" else None
    strongest = records.iloc[0]
    status, few_sources = strongest["status"], "names or places" not in str(strongest["note"])
    clear, suspected, none_found, too_few = (status == name for name in STATUSES[:4])
    carried = [word for word in str(strongest["carried_by"]).split(LIST_SEPARATOR) if word]
    pairs = (clear or suspected) and results.info.get("texts") != "hashes"
    pairs = pairs and len(finding_pairs(results, strongest.to_dict(), 1)) > 0
    read = "read the sentence pairs under {names} in the report."
    if (clear or suspected) and carried and strongest["scope"] == "group":
        quoted = join_names([f'"{word}"' for word in carried], 3)
        return NextStep(2 if clear else 3, f"look at {quoted} under {{names}} in the report: the gap depends on it.")
    if clear:
        track = "result.kpi()" if python else "fairness-checklist report DIR --kpi"
        return NextStep(2, read if pairs else f"follow the gap of {{names}} from version to version: {track}.")
    if _is_cut(records, suite) and not (too_few and few_sources):
        larger = "a larger max_terms" if python else "a larger --max-terms"
        without = "" if attribute in results.intersections else ", or none" if python else ", or without this option"
        return NextStep(4, f"use more of the terms of {{names}}: run again with {larger}{without}.")
    if suspected:
        if suite is None and pairs:
            return NextStep(5, read)
        own = f"make the suite of {{names}} larger with templates of your own: {templates}."
        return NextStep(6, own if filled else f"add {rows} of {{names}}: the gap may be chance.")
    if too_few:
        if not filled:
            return NextStep(7, f"add {rows} of {{names}}: there are too few for a comparison.")
        if few_sources:
            return NextStep(7, f"make the suite of {{names}} larger with templates of your own: {templates}.")
        terms = "terms= of Suite.build" if python else "--terms FOLDER"
        return NextStep(7, f"make the suite of {{names}} larger with terms of your own: {terms}.")
    if none_found and (records["detectable_gap"] > _LARGE).any():
        more = f"a larger suite would show smaller gaps of {{names}}: {templates}."
        return NextStep(8, more if filled else f"add {rows} of {{names}}: more of them would show smaller gaps.")
    further = "Suite.build(...)" if python else "fairness-checklist list"
    return NextStep(9, f"test further attributes: {further}." if suite is not None else "test further attributes.")


def _is_cut(records: pd.DataFrame, suite: Mapping[str, Any] | None) -> bool:
    """Whether terms were drawn from more: the suite has fewer of a group than its file; others fit no sentence."""
    counts = {} if suite is None else suite.get("groups", {})
    drawn = records["group"].astype("str").map(counts)
    return bool((drawn < records["n_terms_available"]).any())


MOST_WORDS = 40
"""Words of an attribute on the first screen; a number with its percent sign is one."""
_MOST_NOTES = 5
_ABOUT_METRICS = "no null means"  # what the metrics lack, and not what is wrong with the table


@dataclass(frozen=True, eq=False)
class AttributeSummary:
    """An attribute on the first screen.

    Attributes:
        record: the record of `findings.csv` that the sentence is about; None without a clear or suspected one.
    """

    attribute: str  # its name
    status: str  # the strongest status of its groups, one of `STATUSES`; "" where nothing was compared
    sentence: str  # how mentions are treated: the strongest finding, or that there is none
    placebo: str = ""  # the comparison with placebo words, or ""
    basis: str = ""  # how many terms and sentences it rests on
    more: str = ""  # the other findings, or ""
    warning: str = ""  # a model that is of no use for these texts, or ""
    record: Mapping[str, Any] | None = None

    @property
    def heading(self) -> str:
        """The status in words."""
        words = self.record is not None and is_about_words(self.record)
        return (
            STATUS_WORDS.get(self.status, "not compared")
            + (" for these words" if words else "")
            + (", may be chance" if self.status == SUSPECTED and not words else "")
        )

    @property
    def line(self) -> str:
        """The attribute in `MOST_WORDS` words at most, without its warning."""
        parts = [f"{self.attribute}: {self.heading}.", self.sentence, self.placebo, self.basis, self.more]
        return " ".join(part for part in parts if part)


@dataclass(frozen=True)
class FirstScreen:
    """The first screen of a run."""

    task: str  # task, model, date: what was run, "" where it was not recorded
    model: str
    date: str
    attributes: tuple[AttributeSummary, ...]  # a summary each
    next_step: str  # the one thing to do next
    notes: tuple[str, ...] = ()  # what was questionable in a table of the user's

    @property
    def title(self) -> str:
        """Task, model and date in a line."""
        return " · ".join(part for part in (self.task, f"model {self.model}", self.date) if part)

    @property
    def warnings(self) -> list[str]:
        """The warnings of all attributes, each once."""
        return list(dict.fromkeys(summary.warning for summary in self.attributes if summary.warning))

    def as_text(self, width: int | None = 100) -> str:
        """The screen as plain text."""
        from textwrap import fill

        paragraphs = [self.title, *(f"Warning: {warning}" for warning in self.warnings)]
        paragraphs += [summary.line for summary in self.attributes]
        paragraphs += [f"Note: {note.removesuffix('.')}." for note in self.notes]
        paragraphs += [f"Next: {self.next_step}"] if self.next_step else []
        if width is None:
            return "\n".join(paragraphs)
        glued = [paragraph.replace(" %", "\u00a0%") for paragraph in paragraphs]
        wrapped = [fill(paragraph, width, subsequent_indent="  ", break_on_hyphens=False) for paragraph in glued]
        return "\n".join(wrapped).replace("\u00a0%", " %")


def first_screen(results: Results, *, python: bool = False) -> FirstScreen:
    """The first screen of a run."""
    attributes = tuple(_summary(results, name) for name in results.attributes)
    model = results.info.get("model", "")
    name = str(model.get("name", model.get("id", ""))) if isinstance(model, Mapping) else str(model)
    return FirstScreen(
        task=task_of(results),
        model=name or "not recorded",
        date=str(results.info.get("date", "")),
        attributes=attributes,
        next_step=next_step(results, {summary.attribute: summary.warning for summary in attributes}, python=python),
        notes=_notes(results),
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
    summary = partial(AttributeSummary, attribute, warning=warning)
    if not len(records):
        return _fitting([summary("", text) for text in nothing_compared(results, attribute)])
    strongest = {str(name): value for name, value in records.iloc[0].items()}
    status = str(strongest["status"])
    terms = _terms(records, attribute)
    size = int(view.examples["source"].nunique()) if view.unit == "source" else len(view.examples)
    sentences = count(size, "sentence" if view.unit == "source" else "row")
    basis = f"Based on {', '.join(filter(None, [terms, sentences]))}."
    if status in FOUND:
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
        names = ("sentence", "placebo", "basis", "more")
        variants = [dict(zip(names, (f"{capitalise(text)}.", *rest), strict=True)) for text, *rest in parts]
        return _fitting([summary(status, **variant, record=strongest) for variant in variants])
    if status == NONE_FOUND:
        texts = _none_found(records)
    else:
        reasons = list(dict.fromkeys(str(note) for note in records["note"]))
        texts = [f"No group can be compared: {'; '.join(listed)}." for listed in (reasons[:2], reasons[:1])]
    words = _words_found(results, attribute)
    return _fitting(
        [summary(status, text, basis=basis, more=more) for text in texts for more in dict.fromkeys((words, ""))]
    )


def _fitting(variants: Sequence[AttributeSummary]) -> AttributeSummary:
    """The first of an attribute's variants, the longest first, that is no longer than `MOST_WORDS`; else the last."""
    return next((draft for draft in variants if len(draft.line.replace(" %", "%").split()) <= MOST_WORDS), variants[-1])


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
        n = int((records["status"].iloc[1:] == CLEAR).sum())
        return f"{count(n, 'other finding')}." if n else ""
    for status in FOUND:
        rows = records.iloc[1:][records["status"].iloc[1:] == status]
        names = []
        for harm in dict.fromkeys([first["harm"], *rows["harm"]]):
            of_harm = rows[rows["harm"] == harm]
            groups = _phrases(of_harm[of_harm["group"] != first["group"]])
            if harm == first["harm"]:
                names += groups
                continue
            title = str(of_harm["title"].iloc[0])
            names += [title] if (of_harm["group"] == first["group"]).any() else []
            names += [f"{join_names(groups, 3)} ({title})"] if groups else []
        if names:
            parts.append(f"{status}: {join_names(names, 3)}")
    return f"Also {'; '.join(parts)}." if parts else ""


def _none_found(records: pd.DataFrame) -> list[str]:
    """That no group is treated worse, in full and cut."""
    none = records[records["status"] == NONE_FOUND]
    seen = float(none["detectable_gap"].max())
    if none["note"].str.startswith("only beside").any():
        best = none[none["note"].str.startswith("treated better")].sort_values("gap").iloc[0]
        rates = f"{whole_percent(best['rate'])}, {whole_percent(best['others_rate'])} for the other groups"
        [named] = _phrases(best.to_frame().T)
        return [f"No group is treated worse than most. Treated better: {named} ({best['title']}: {rates})."]
    compared = f"{count(none['group'].nunique(), 'group')}, {count(none['harm'].nunique(), 'kind')} of error"
    neutral = " and placebo words" if none["placebo_percentile"].notna().any() else ""
    text = f"No group's gap stands out from chance{neutral} ({compared})"
    text += f"; gaps under {whole_points(seen)} could go unseen." if seen >= SMALLEST_SEEN else "."
    better = none[none["note"].str.startswith("treated better")].sort_values("gap")
    worse = text.replace("gap stands", "gap above 0 stands")
    return [f"{worse} Treated better: {join_names(_phrases(better), 2)}.", worse] if len(better) else [text]


def _phrases(records: pd.DataFrame) -> list[str]:
    """The groups of some records as nouns, each once."""
    named = zip(records["group"].astype("str"), records["attribute"].astype("str"), strict=True)
    return list(dict.fromkeys(group_phrase(group, attribute) for group, attribute in named))


def _words_found(results: Results, attribute: str) -> str:
    """The single terms that are treated worse, where no group is."""
    terms = results.term_findings[results.term_findings["attribute"] == attribute]
    names = list(dict.fromkeys(f'"{term}"' for term in terms["term"][terms["status"] == CLEAR]))
    if not names:
        return ""
    others = f" and {count(len(names) - 1, 'other word')}" if len(names) > 1 else ""
    return f"{names[0]}{others} {'stand' if others else 'stands'} out."
