"""The first screen of a run, as records: what the terminal, the page and the notebook show before all else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import pandas as pd

from fairness_checklist.core.errors import count
from fairness_checklist.core.formatting import capitalise, join_names
from fairness_checklist.core.tasks import known_harm
from fairness_checklist.findings.family import MIN_LEXEMES, MIN_SOURCES
from fairness_checklist.findings.records import strongest_first
from fairness_checklist.findings.status import (
    CLEAR,
    CLEAR_SMALL,
    FOUND,
    NONE_FOUND,
    SHOWN_SMALL,
    SUSPECTED,
    TOO_FEW,
)
from fairness_checklist.reports.finding_pairs import finding_pairs
from fairness_checklist.reports.finding_text import (
    SMALLEST_SEEN,
    STATUS_WORDS,
    against_placebo,
    brief_rates,
    gap_bounds,
    harm_rates,
    is_about_rows,
    is_about_words,
    leads_with_rates,
    nothing_compared,
    shown_rates,
    unit_of,
    undetected_gap,
    useless_model,
    whole_points,
)
from fairness_checklist.reports.page_tables import always_missed
from fairness_checklist.reports.run_view import View, attribute_view, is_tagging, only_gold_class, suite_parts, task_of
from fairness_checklist.reports.wording import group_phrase, terms_of
from fairness_checklist.suites.answered import NO_PREDICTION
from fairness_checklist.tables.run_folder import LIST_SEPARATOR, Results


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
    if warning and only_gold_class(view):
        templates = "templates=[...] of Suite.build" if python else "--templates FOLDER"
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
    status, carried = str(strongest["status"]), [w for w in str(strongest["carried_by"]).split(LIST_SEPARATOR) if w]
    pairs = status in FOUND and results.info.get("texts") != "hashes"
    pairs = pairs and len(finding_pairs(results, strongest.to_dict(), 1)) > 0
    read = "read the pairs of texts under {names} in the report."
    if status in FOUND and carried and strongest["scope"] == "group":
        quoted = join_names([f'"{word}"' for word in carried], 3)
        rank = 2 if status == CLEAR else 3
        return NextStep(rank, f"look at {quoted} under {{names}} in the report: the gap depends on it.")
    if status == CLEAR:
        track = "result.kpi()" if python else "fairness-checklist report DIR --kpi"
        return NextStep(2, read if pairs else f"follow the gap of {{names}} from version to version: {track}.")
    if status in (SUSPECTED, NONE_FOUND, TOO_FEW):
        if more := _more_texts_or_words(records, attribute, suite, python):
            return NextStep(4 if status == SUSPECTED else 7, more)
        if pairs:
            return NextStep(5, read)
    further = "Suite.build(...)" if python else "fairness-checklist list"
    return NextStep(9, f"test further attributes: {further}." if suite is not None else "test further attributes.")


def _more_texts_or_words(records: pd.DataFrame, attribute: str, suite: Mapping[str, Any] | None, python: bool) -> str:
    """What would decide the first undecided comparison: more words of a group, or more sentences; "" for neither."""
    names, own = "{names}", "templates=[...] of Suite.build" if python else "--templates FOLDER"
    filled = suite is not None and bool(suite.get("templates"))
    undecided = records[(records["n_more_words"] > 0) | (records["n_more_sources"] > 0)]
    few = records[records["status"] == TOO_FEW]
    row = undecided.iloc[0] if len(undecided) else few.iloc[0] if len(few) else None
    if row is None:
        return ""
    words, sources = int(row["n_more_words"]), int(row["n_more_sources"])
    if row["status"] == TOO_FEW and "names or places" in str(row["note"]):
        words = MIN_LEXEMES - int(row["n_lexemes"])
    elif row["status"] == TOO_FEW:
        sources = MIN_SOURCES - int(row["n_sources"])
    unit = "row" if is_about_rows(row.to_dict()) else f"{_kind(str(row['harm']))}sentence"
    asked = [f"{count(sources, unit)}{f' ({own})' if filled else ''}"] if sources > 0 else []
    if words > 0:
        own = (
            ("terms=" if suite is not None and not filled else "terms= of Suite.build") if python else "--terms FOLDER"
        )
        spare = int(row["n_terms_available"]) - int(row["n_terms"])
        if filled and spare >= words:
            own = "a larger max_terms" if python else "a larger --max-terms"
        elif filled and spare > 0:
            larger = "a larger max_terms" if python else "a larger --max-terms"
            own = f"{spare:,} with {larger}, the others with {own}"
        elif filled:
            own = f"all {int(row['n_terms'])} are used: {own}"
        whom = group_phrase(str(row["group"]), attribute)
        asked.append(f"{count(words, 'more word')} for {whom}{f' ({own})' if suite is not None else ''}")
    return f"to decide about {names}, add about {' and '.join(asked)}." if asked else ""


def _kind(harm: str) -> str:
    """Which sentences a harm is about: "positive ", "non-negative ", or ""."""
    known = known_harm(harm)
    if known is None or not known.label:
        return ""
    return {"missed": f"{known.label} ", "called": f"non-{known.label} "}.get(known.kind, "")


MOST_WORDS = 60
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
    relevant: float = 0.0  # the smallest relevant gap, 0 where it was not recorded

    @property
    def title(self) -> str:
        """Task, model and date in a line."""
        relevant = f"smallest relevant gap {whole_points(self.relevant)}" if self.relevant else ""
        return " · ".join(part for part in (self.task, f"model {self.model}", self.date, relevant) if part)

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
        relevant=float(results.info.get("options", {}).get("relevant", 0.0)),
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
    basis = f"Based on {', '.join(filter(None, [terms, sentences]))}{_without_class(view)}."
    if status in (*FOUND, CLEAR_SMALL):
        tagging = is_tagging(results)
        full, short = harm_rates(strongest, tagging=tagging), brief_rates(strongest, tagging=tagging)
        placebo, words = against_placebo(strongest, brief=True), _words_found(results, attribute)
        others, how_many = _others(records), _others(records, brief=True)
        parts = [
            (full, placebo, basis, " ".join(filter(None, (others, words)))),
            (full, placebo, basis, " ".join(filter(None, (how_many, words)))),
            (short, placebo, basis, " ".join(filter(None, (how_many, words)))),
            (short, placebo, basis, how_many),
            (short, placebo, f"{terms or sentences}.", how_many),
            (short, placebo, "", how_many),
            (short, "", "", ""),
        ]
        names = ("sentence", "placebo", "basis", "more")
        variants = [dict(zip(names, (f"{capitalise(text)}.", *rest), strict=True)) for text, *rest in parts]
        return _fitting([summary(status, **variant, record=strongest) for variant in variants])
    if status == NONE_FOUND:
        texts = _none_found(records)
    elif status == SHOWN_SMALL:
        relevant = whole_points(float(results.info["options"]["relevant"]))
        texts = [f"Every gap lies within {relevant}, in probability and in decisions ({_compared(records)})."]
    else:
        few = records[records["status"] == TOO_FEW]
        reasons = list(dict.fromkeys(few["note"].astype(str)))
        whom, rest = "No group can be compared", ""
        if len(few) < len(records):
            whom, rest = f"{len(few):,} of {len(records):,} comparisons cannot be made", " The other gaps are small."
        texts = [f"{whom}: {'; '.join(listed)}.{rest}" for listed in (reasons[:2], reasons[:1])]
    words = _words_found(results, attribute)
    return _fitting(
        [summary(status, text, basis=basis, more=more) for more in dict.fromkeys((words, "")) for text in texts]
    )


def _without_class(view: View) -> str:
    """How many sentences have a class that the model lacks: " (46 neutral ones take no part)", or ""."""
    if view.tagging or "label" not in view.examples:
        return ""
    labels = (view.examples.drop_duplicates("source") if view.unit == "source" else view.examples)["label"].astype(
        "str"
    )
    counted = labels[(labels != "") & ~labels.isin(view.classes)].value_counts()
    ones = [f"{n:,} {label} {'one' if n == 1 else 'ones'}" for label, n in counted.items()]
    return f" ({join_names(ones, 2)} take no part)" if ones else ""


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
            names += [f"the same group ({title})"] if (of_harm["group"] == first["group"]).any() else []
            names += [f"{join_names(groups, 3)} ({title})"] if groups else []
        if names:
            parts.append(f"{status}: {join_names(names, 3)}")
    return f"Also {'; '.join(parts)}." if parts else ""


def _none_found(records: pd.DataFrame) -> list[str]:
    """That no group is treated worse, in full and cut."""
    none = records[records["status"] == NONE_FOUND]
    seen = undetected_gap(none)
    beside = none[none["note"].str.startswith("only beside")]
    if len(beside):
        name = str(beside["note"].iloc[0]).removeprefix("only beside ").removesuffix(", which is treated better")
        best = records[(records["group"] == name) & (records["harm"] == beside["harm"].iloc[0])].iloc[:1]
        [row], [named] = best.to_dict("records"), _phrases(best)
        sizes = f"{gap_bounds(row)} in probability"
        if leads_with_rates(row):
            sizes = "{}, {} for the other groups".format(*shown_rates(row))
        return [f"No group is treated worse than most. Treated better: {named} ({row['title']}: {sizes})."]
    text = f"No group is clearly treated worse ({_compared(none)})"
    text += f"; gaps up to {whole_points(seen)} {unit_of(none)} could go unseen." if seen >= SMALLEST_SEEN else "."
    better = none[none["note"].str.startswith("treated better")].sort_values("gap")
    beside_it = (("Treated better", better), ("Clear but small", records[records["status"] == CLEAR_SMALL]))
    more = " ".join(f"{what}: {join_names(_phrases(rows), 2)}." for what, rows in beside_it if len(rows))
    few = [title for title in dict.fromkeys(records["title"]) if title not in set(none["title"])]
    few = [title for title in few if (records["status"][records["title"] == title] == TOO_FEW).all()]
    more += f"{' ' if more else ''}Too few to say: {join_names(few, 2)}." if few else ""
    worst, largest = none.sort_values("gap", kind="stable").iloc[-1], ""
    if worst["gap"] > SMALLEST_SEEN:
        [named], rates = _phrases(worst.to_frame().T), worst["measure"] == "rate"
        largest = f"The largest gap is {gap_bounds(worst.to_dict(), rates=rates)}, {named}."
    return list(
        dict.fromkeys(" ".join(filter(None, part)) for part in ((text, largest, more), (text, largest), (text,)))
    )


def _compared(records: pd.DataFrame) -> str:
    return f"{count(records['group'].nunique(), 'group')}, {count(records['harm'].nunique(), 'kind')} of error"


def _phrases(records: pd.DataFrame) -> list[str]:
    """The groups of some records as nouns, each once."""
    named = zip(records["group"].astype("str"), records["attribute"].astype("str"), strict=True)
    return list(dict.fromkeys(group_phrase(group, attribute) for group, attribute in named))


def _words_found(results: Results, attribute: str) -> str:
    """The single terms that are treated worse."""
    terms = results.term_findings[results.term_findings["attribute"] == attribute]
    clear = terms[terms["status"] == CLEAR].drop_duplicates("term")
    if not len(clear):
        return always_missed(results, attribute) if is_tagging(results) else ""
    row = clear.iloc[0].to_dict()
    size = " against ".join(shown_rates(row)) if leads_with_rates(row) else f"{whole_points(row['gap'])} in probability"
    further = f", and {count(len(clear) - 1, 'other word')}" if len(clear) > 1 else ""
    return f'Also: "{row["term"]}", {size}{further}.'
