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
from fairness_checklist.findings.records import strongest_first
from fairness_checklist.findings.status import (
    CLEAR,
    CLEAR_SMALL,
    FOUND,
    NONE_FOUND,
    SHOWN_SMALL,
    SUSPECTED,
    TOO_FEW,
    Reason,
)
from fairness_checklist.reports.finding_text import (
    SMALLEST_SEEN,
    STATUS_WORDS,
    against_placebo,
    brief_rates,
    gap_bounds,
    harm_rates,
    is_about_words,
    leads_with_rates,
    nothing_compared,
    shown_rates,
    undetected_gap,
    useless_model,
    whole_points,
)
from fairness_checklist.reports.next_step import kind_of_sentences, next_step
from fairness_checklist.reports.provenance import always_missed
from fairness_checklist.reports.run_view import View, attribute_views, task_of
from fairness_checklist.reports.wording import group_phrase, reason_words, terms_of
from fairness_checklist.tables.run_folder import Results

MOST_WORDS = 60
"""Words of an attribute on the first screen; a number with its percent sign is one."""
_MOST_NOTES = 5


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
    option: str = ""  # what sets it

    @property
    def title(self) -> str:
        """Task, model and date in a line."""
        relevant = f"smallest relevant gap {whole_points(self.relevant)} ({self.option})" if self.relevant else ""
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
        paragraphs += [f"Note: {note.rstrip('.')}." for note in self.notes]
        paragraphs += [f"Next: {self.next_step}"] if self.next_step else []
        if width is None:
            return "\n".join(paragraphs)
        glued = [paragraph.replace(" %", "\u00a0%") for paragraph in paragraphs]
        wrapped = [fill(paragraph, width, subsequent_indent="  ", break_on_hyphens=False) for paragraph in glued]
        return "\n".join(wrapped).replace("\u00a0%", " %")


def first_screen(results: Results, *, views: Sequence[View] | None = None, python: bool = False) -> FirstScreen:
    """The first screen of a run, whose attributes may have been read already."""
    views = attribute_views(results) if views is None else views
    attributes = tuple(_summary(results, view) for view in views)
    return FirstScreen(
        task=task_of(results),
        model=model_name(results) or "not recorded",
        date=str(results.info.get("date", "")),
        attributes=attributes,
        next_step=next_step(results, views, python=python),
        notes=_notes(results),
        relevant=float(results.info.get("options", {}).get("relevant", 0.0)),
        option="relevant=" if python else "--relevant",
    )


def model_name(results: Results) -> str:
    """The name of the model, "" where it was not recorded."""
    model = results.info.get("model", "")
    return str(model.get("name", model.get("id", ""))) if isinstance(model, Mapping) else str(model)


def _notes(results: Results) -> tuple[str, ...]:
    """The first notes on a table; of a suite, whose notes are on the page, how many texts have no answer."""
    info = results.info
    if "suite" in info:
        n = int(info.get("n_failed", 0))
        have, them = ("has", "it") if n == 1 else ("have", "them")
        no_answer = (
            f"{n:,} of {count(n + len(results.examples), 'text')} {have} no prediction, because the model failed"
        )
        return (f"{no_answer} on {them}: metrics and tests leave {them} out",) if n else ()
    on_metrics = {str(note) for notes in info.get("metric_notes", {}).values() for note in notes}
    listed = dict.fromkeys(str(note) for notes in info.get("notes", {}).values() for note in notes)
    notes = tuple(note for note in listed if note not in on_metrics)
    more = (f"{len(notes) - _MOST_NOTES:,} more notes are printed with the tables",) if len(notes) > _MOST_NOTES else ()
    return (*notes[:_MOST_NOTES], *more)


def _summary(results: Results, view: View) -> AttributeSummary:
    attribute = view.attribute
    records = strongest_first(results.findings[results.findings["attribute"] == attribute])
    warning = useless_model(view)
    summary = partial(AttributeSummary, attribute, warning=warning)
    if not len(records):
        return _fitting([summary("", text) for text in nothing_compared(results, attribute)])
    strongest = {str(name): value for name, value in records.iloc[0].items()}
    status = str(strongest["status"])
    terms = _terms(records, attribute)
    size = int(view.examples["source"].nunique()) if view.unit == "source" else len(view.examples)
    sentences = count(size, "sentence" if view.unit == "source" else "row")
    if status in FOUND:
        sentences = _concerned(view, str(strongest["harm"])) or sentences
    basis = f"Based on {', '.join(filter(None, [terms, sentences]))}{_without_class(view)}."
    if status in (*FOUND, CLEAR_SMALL):
        tagging = view.tagging
        full, short = harm_rates(strongest, tagging=tagging), brief_rates(strongest, tagging=tagging)
        placebo, words = against_placebo(strongest, brief=True), _words_found(results, view)
        others, how_many = _others(records), _others(records, brief=True)
        parts = [
            (full, placebo, basis, " ".join(filter(None, (others, words, _better(records))))),
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
        reasons = list(dict.fromkeys(reason_words(row) for row in few.to_dict("records")))
        whom, rest = "No group can be compared", ""
        if len(few) < len(records):
            whom, rest = f"{len(few):,} of {len(records):,} comparisons cannot be made", " The other gaps are small."
        texts = [f"{whom}: {'; '.join(listed)}.{rest}" for listed in (reasons[:2], reasons[:1])]
    words = _words_found(results, view)
    return _fitting(
        [summary(status, text, basis=basis, more=more) for more in dict.fromkeys((words, "")) for text in texts]
    )


def _concerned(view: View, harm: str) -> str:
    """How many sentences can show a harm, "92 non-negative sentences"; "" where all can."""
    kind, known = kind_of_sentences(harm), known_harm(harm)
    if view.tagging or view.unit != "source" or not kind or known is None or "label" not in view.examples:
        return ""
    label = view.examples.drop_duplicates("source")["label"].astype("str")
    concerned = label == known.label if known.kind == "missed" else label.isin(view.classes) & (label != known.label)
    return count(int(concerned.sum()), f"{kind}sentence")


def _better(records: pd.DataFrame) -> str:
    """The groups that are treated better in the harm of the first record."""
    better = records[(records["reason"] == Reason.BETTER) & (records["harm"] == records["harm"].iloc[0])]
    if not len(better) or records["group"].nunique() < 3:  # of two groups the sentence says it
        return ""
    return f"In this error treated better: {join_names(_phrases(better.sort_values('gap')), 2)}."


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
    unseen = undetected_gap(none)
    beside = none[none["reason"] == Reason.ONLY_BESIDE].head(1)
    if len(beside):
        of_best = (records["group"] == beside["reason_about"].item()) & (records["harm"] == beside["harm"].item())
        best = records[of_best].head(1)
        [row], [named] = best.to_dict("records"), _phrases(best)
        sizes = f"{gap_bounds(row)} in probability"
        if leads_with_rates(row):
            sizes = "{}, {} for the other groups".format(*shown_rates(row))
        return [f"No group is treated worse than most. Treated better: {named} ({row['title']}: {sizes})."]
    text = f"No group is clearly treated worse ({_compared(none)})"
    text += f"; gaps up to {unseen} could go unseen." if unseen else "."
    better = none[none["reason"] == Reason.BETTER].sort_values("gap")
    beside_it = (("Treated better", better), ("Clear but small", records[records["status"] == CLEAR_SMALL]))
    more = " ".join(f"{what}: {join_names(_phrases(rows), 2)}." for what, rows in beside_it if len(rows))
    few = [title for title in dict.fromkeys(records["title"]) if title not in set(none["title"])]
    few = [title for title in few if (records["status"][records["title"] == title] == TOO_FEW).all()]
    more += f"{' ' if more else ''}Too few to say: {join_names(few, 2)}." if few else ""
    worst, largest = none.sort_values("gap", kind="stable").iloc[-1], ""
    [named], rates = _phrases(worst.to_frame().T), worst["measure"] == "rate"
    unit = "" if rates else " in probability"
    whom = f", {named}, {worst['title']}" if worst["gap"] > SMALLEST_SEEN else ""
    alike = worst["ci_low"] > 0 and worst["reason"] == Reason.AS_PLACEBO
    as_placebo = f"; {reason_words(worst.to_dict())}" if alike else ""
    size = whole_points(worst["rate_gap" if rates else "gap"]) if alike else gap_bounds(worst.to_dict(), rates=rates)
    largest = f"The largest gap is {size}{unit}{whom}{as_placebo}."
    return list(
        dict.fromkeys(" ".join(filter(None, part)) for part in ((text, largest, more), (text, largest), (text,)))
    )


def _compared(records: pd.DataFrame) -> str:
    return f"{count(records['group'].nunique(), 'group')}, {count(records['harm'].nunique(), 'kind')} of error"


def _phrases(records: pd.DataFrame) -> list[str]:
    """The groups of some records as nouns, each once."""
    named = zip(records["group"].astype("str"), records["attribute"].astype("str"), strict=True)
    return list(dict.fromkeys(group_phrase(group, attribute) for group, attribute in named))


def _words_found(results: Results, view: View) -> str:
    """The single terms that are treated worse."""
    terms = results.term_findings[results.term_findings["attribute"] == view.attribute]
    clear = terms[terms["status"] == CLEAR].drop_duplicates("term")
    if not len(clear):
        return always_missed(view)
    row = clear.iloc[0].to_dict()
    size = " against ".join(shown_rates(row)) if leads_with_rates(row) else f"{whole_points(row['gap'])} in probability"
    further = f", and {count(len(clear) - 1, 'other word')}" if len(clear) > 1 else ""
    return f'Also: "{row["term"]}", {size}{further}.'
