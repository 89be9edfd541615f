"""The parts of a suite: for each attribute the templates, the terms and the texts, and a model's predictions."""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from fairness_checklist.content.counterfactuals import Dropped, exclude_minors, expand, warn_of_doubts
from fairness_checklist.content.grammar.languages import DEFAULT, get
from fairness_checklist.content.templates import (
    OPTIONAL,
    TEMPLATE_COLUMNS,
    Template,
    check_originals,
    labels_of,
    read_templates,
    slots_of,
    template_of,
)
from fairness_checklist.content.term_files import TERM_COLUMNS, TermsMapping, read_terms, terms_from_mapping
from fairness_checklist.content.terms import IdentityTerm, TermList, display_names
from fairness_checklist.core.arrays import by_value
from fairness_checklist.core.did_you_mean import did_you_mean
from fairness_checklist.core.errors import ModelError, OptionError, SuiteError
from fairness_checklist.core.examples import UNMARKED, ExampleSet, select_examples
from fairness_checklist.core.locations import check_file_name
from fairness_checklist.core.option_defaults import MAX_SOURCES
from fairness_checklist.core.predictions import Predictions, TokenPredictions
from fairness_checklist.suites.intersections import Control, Intersection, intersect
from fairness_checklist.tables.columns import CONTROL_WORD, VARIANT, join_controls, with_available
from fairness_checklist.tables.texts import to_table
from fairness_checklist.tables.tokens import to_any_table

Lists = Mapping[str, Sequence[str]]
Paths = str | Path | Sequence[str | Path]


@by_value
@dataclass(frozen=True, eq=False)
class Part:
    """The part of a suite for one attribute."""

    attribute: str
    task: str
    templates: tuple[Template, ...]  # as the terms, all that were chosen
    terms: TermList
    lists: Lists  # the user's, which fill further slots
    examples: ExampleSet
    dropped: tuple[Dropped, ...]
    not_applicable: tuple[str, ...] = ()  # ids of other templates, with slots that these terms are not for
    crossed: Intersection | None = None  # of an intersection of two attributes its terms and controls
    own_templates: frozenset[str] = frozenset()  # ids of those that the user added to the shipped ones
    of_texts: ClassVar[bool] = False  # whether it was made from texts, and not from templates

    @property
    def chosen(self) -> tuple[TermList, ...]:
        """The terms, or those of each of two attributes."""
        return (self.crossed.first, self.crossed.second) if self.crossed else (self.terms,)

    @property
    def origin(self) -> str:
        """How many of the templates are shipped and how many the user's; "" where all are of one kind."""
        used = {template.id for template in self.templates} - {template.template_id for template in self.dropped}
        added = len(used & self.own_templates)
        return f"{len(used) - added:,} shipped and {added:,} of yours" if 0 < added < len(used) else ""

    @property
    def controls(self) -> tuple[Control, ...]:
        """The control sentences of an intersection."""
        return self.crossed.controls if self.crossed else ()

    def describe(self) -> dict[str, Any]:
        """The record of the part for ``run.json``; empty optional columns are not in the hash of templates."""
        empty = {name for name in OPTIONAL if not any(getattr(template, name) for template in self.templates)}
        columns = [name for name in TEMPLATE_COLUMNS if name not in empty]
        record: dict[str, Any] = {
            "attribute": self.attribute,
            "language": self.terms.language,
            "groups": {group: len(self.terms.of_group(group)) for group in self.terms.groups},
            "templates": len(self.templates) - len(self.dropped),
            "templates_for_other_terms": len(self.not_applicable),
            "sources": len(self.examples.sources),
            "texts": len(self.examples),
            "templates_sha256": _hash([cells(template, columns) for template in self.templates]),
            "terms_sha256": _hash([cells(term, TERM_COLUMNS) for term in self.terms.terms]),
            "lists_sha256": _hash([[name, *values] for name, values in sorted(self.lists.items())]),
            "lists": {name: list(values) for name, values in self.lists.items()},
            "ambiguous": self._names_where(lambda term: term.has_flag("ambiguous")),
            "dispreferred": self._names_where(lambda term: term.may_hurt),
        }
        if self.crossed:
            record["intersection"] = [terms.attribute for terms in self.chosen]
            record["controls"] = {control.variant: len(control.examples) for control in self.controls}
            record["remarks"] = list(self.crossed.remarks)
        return record

    def _names_where(self, kept: Callable[[IdentityTerm], bool]) -> list[str]:
        """Some of the terms, as they are in tables; of an intersection those of either side."""
        return [
            name
            for terms in self.chosen
            for name, term in zip(display_names(terms.terms), terms.terms, strict=True)
            if kept(term)
        ]


def make_part(
    templates: Sequence[Template],
    *chosen: TermList,
    task: str,
    lists: Lists | None = None,
    max_sources: int = MAX_SOURCES,
) -> Part:
    """Templates and the terms of one attribute, or the pairs of two attributes' terms, as a part of a suite."""
    chosen = tuple(exclude_minors(terms) if task == "toxicity" else terms for terms in chosen)
    crossed: Intersection | None = None
    options: dict[str, Any] = {"task": task, "lists": lists, "max_sources": max_sources}
    if len(chosen) == 1:
        terms, made = chosen[0], expand(templates, chosen[0], **options)
    else:
        crossed, terms, made = intersect(templates, *chosen, **options)
    warn_of_doubts(chosen, crossed.words if crossed else [(term,) for term in made.examples.terms], made.examples)
    return Part(
        terms.attribute, task, tuple(templates), terms, dict(lists or {}),
        examples=made.examples, dropped=made.dropped, crossed=crossed,
    )  # fmt: skip


def term_list(
    attribute: str, terms: Paths | TermsMapping, *, default_pos: str = "adj", language: str = DEFAULT
) -> TermList:
    """User-defined terms, from a mapping by group or a CSV file (whose name is the attribute's)."""
    if attribute:
        check_file_name(attribute)
    if isinstance(terms, Mapping):
        return terms_from_mapping(attribute or "identity", terms, default_pos=default_pos, language=language)
    if isinstance(terms, (str, Path)):
        listed = read_terms(terms, language).select()
        return replace(listed, attribute=attribute) if attribute else listed
    raise OptionError(
        "terms= is neither a mapping nor a file.", remedy='Give {"group": ["term", ...], ...} or a CSV file.'
    )


def kind_of_terms(templates: Sequence[Template], lists: Lists | None) -> str:
    """The part of speech that a plain string has in these templates: a name where they have slots for names only."""
    families = {slot.family for template in templates for slot in slots_of(template, lists or ()) if not slot.is_list}
    return {"person": "name", "country": "place", "religion": "faith"}.get("".join(families), "adj")


def as_templates(
    given: str | Path | Template | Mapping[str, str] | Iterable[str | Template | Mapping[str, str]],
    *,
    task: str,
    attribute: str,
    label: str | Sequence[str] = "",
    language: str = DEFAULT,
) -> tuple[Template, ...]:
    """Templates from a CSV file, or from strings, `Template` and dictionaries of their columns."""
    if isinstance(given, Path) or (isinstance(given, str) and given.lower().endswith(".csv")):
        read = read_templates(given, attribute=attribute, language=language)
        check_originals(read, language=language)
    else:
        entries = [given] if isinstance(given, (str, Template, Mapping)) else list(given)
        read = tuple(_template(entry, n, task, attribute) for n, entry in enumerate(entries, start=1))
        if not any(isinstance(entry, Template) for entry in entries):  # which may be some of a suite's
            check_originals(read, language=language)
    if not read:
        raise SuiteError("no templates are given.", remedy='Give sentences with a slot: ["I met {a:identity_np}."].')
    code = get(language).code
    return tuple(
        replace(template, text=template.text.strip(), label=template.label or default_label, language=code)
        for template, default_label in zip(read, labels_of(label, len(read)), strict=True)
    )


def _template(entry: str | Template | Mapping[str, str], number: int, task: str, attribute: str) -> Template:
    if isinstance(entry, Template):
        return entry
    default = Template(f"template-{number:03d}", "", task=task, attribute=attribute)
    if isinstance(entry, str):
        return replace(default, text=entry)
    if not isinstance(entry, Mapping):
        remedy = "Give a sentence, a Template or a dictionary of its columns."
        raise OptionError(f"{entry!r} is not a template.", remedy=remedy)
    for name in entry:
        if name not in (*TEMPLATE_COLUMNS, "text"):
            remedy = f"Known: {', '.join(TEMPLATE_COLUMNS)}.{did_you_mean(name, TEMPLATE_COLUMNS)}"
            raise OptionError(f"the field {name!r} of a template is not known.", remedy=remedy)
    cells = {name: "" if value is None else str(value).strip() for name, value in entry.items()}
    return template_of({**cells, "sentence": cells.get("sentence") or cells.get("text", "")}, default)


def cells(record: Template | IdentityTerm, columns: Sequence[str]) -> list[str]:
    """A template or term as the cells of a CSV row."""
    values = [getattr(record, "text" if column == "sentence" else column, "") for column in columns]
    return [("no", "yes")[value] if isinstance(value, bool) else str(value) for value in values]


def _hash(rows: Sequence[Sequence[str]]) -> str:
    return hashlib.sha256(json.dumps(rows, ensure_ascii=False).encode("utf-8")).hexdigest()


def texts_frame(parts: Sequence[Part], control_parts: Mapping[str, Part] | None = None) -> pd.DataFrame:
    """The texts of all parts as one table, after them their controls, and control words by the attribute."""
    tables = [(part, part_frame(part), control_frame(part)) for part in parts]
    words = {name: part_frame(part) for name, part in (control_parts or {}).items()}
    return _frame_of_parts(tables, words, with_terms=control_parts is not None)


def _frame_of_parts(
    tables: Sequence[tuple[Part, pd.DataFrame, pd.DataFrame]],
    control_parts: Mapping[str, pd.DataFrame],
    *,
    with_terms: bool = True,
) -> pd.DataFrame:
    """Parts, their tables and those of their controls as one table, after them control_parts by the attribute."""
    rows = [with_available(own, dict(part.terms.available)) if with_terms else own for part, own, _controls in tables]
    controls = [table for *_, table in tables]
    controls += [table.assign(attribute=name, **{VARIANT: CONTROL_WORD}) for name, table in control_parts.items()]
    return join_controls(pd.concat(rows, ignore_index=True), pd.concat(controls, ignore_index=True))


def part_frame(part: Part, predictions: Predictions | TokenPredictions | None = None) -> pd.DataFrame:
    """A part's texts as a table; of an intersection with the terms of either attribute in ``first`` and ``second``."""
    rows = to_any_table(part.examples, predictions)
    return rows if part.crossed is None else _with_words(rows, part.crossed.words, part.examples)


def control_frame(part: Part, predictions: Sequence[Predictions] = ()) -> pd.DataFrame:
    """The controls of a part as a table, their column ``variant`` filled; empty where it has none."""
    wording: Sequence[Predictions | None] = predictions or [None for _ in part.controls]
    tables = []
    for control, given in zip(part.controls, wording, strict=True):
        rows = _with_words(to_table(control.examples, given), control.words, control.examples)
        rows = rows.assign(attribute=part.attribute, **{VARIANT: control.variant})
        tables.append(rows[rows["group"] != UNMARKED])
    return pd.concat(tables, ignore_index=True) if tables else pd.DataFrame()


def _with_words(rows: pd.DataFrame, words: Sequence[tuple[str, str]], examples: ExampleSet) -> pd.DataFrame:
    every = [*words, ("", "")]  # -1, the unmarked control, is the last
    pairs = [every[at] for at in examples.term.tolist()]
    return rows.assign(first=[first for first, _ in pairs], second=[second for _, second in pairs])


@dataclass(frozen=True, eq=False)
class PartPredictions:
    """A model's predictions for one part of a suite and for each of its controls."""

    part: Part
    predictions: Predictions | TokenPredictions
    control_predictions: tuple[Predictions, ...] = ()
    failed: tuple[dict[str, str], ...] = ()  # records of texts that the model failed on, which are no rows of the part
    notes: tuple[str, ...] = ()  # which count them by group

    def controls(self) -> pd.DataFrame:
        """The prediction table of its controls, empty where it has none."""
        return control_frame(self.part, self.control_predictions)


def predictions_frame(answers: Sequence[PartPredictions], null: Mapping[str, PartPredictions]) -> pd.DataFrame:
    """A model's predictions for all parts as one table; ``attrs["failed"]`` lists the texts that it failed on."""
    frame = _frame_of_parts(
        [(answer.part, part_frame(answer.part, answer.predictions), answer.controls()) for answer in answers],
        {name: part_frame(answer.part, answer.predictions) for name, answer in null.items()},
    )
    failed = [record for answer in (*answers, *null.values()) for record in answer.failed]
    if failed:
        frame.attrs["failed"] = failed
    return frame


def answered_part(part: Part, answers: Iterator[Predictions | TokenPredictions]) -> PartPredictions:
    """A part with the predictions for its texts and its controls, without the texts that the model failed on."""
    examples, predictions, failed, notes = _without_failed(part.examples, next(answers))
    controls, of_controls = [], []
    for control in part.controls:
        texts, predicted, more, _notes = _without_failed(control.examples, next(answers))
        if isinstance(predicted, TokenPredictions):
            raise ModelError("the model tags words, and an intersection is about whole texts.")
        controls.append(replace(control, examples=texts))
        of_controls.append(predicted)
        failed += more
    crossed = part.crossed and replace(part.crossed, controls=tuple(controls))
    if crossed or examples is not part.examples:
        part = replace(part, examples=examples, crossed=crossed)
    return PartPredictions(part, predictions, tuple(of_controls), failed=failed, notes=notes)


def _without_failed(
    examples: ExampleSet, predictions: Predictions | TokenPredictions
) -> tuple[ExampleSet, Predictions | TokenPredictions, tuple[dict[str, str], ...], tuple[str, ...]]:
    """The rows with a prediction, their predictions, and the records of the other rows with a note on them."""
    texts = examples.render() if predictions.failed else []
    rows = np.array([row for row, text in enumerate(texts) if text in predictions.failed], dtype=np.int64)
    if not rows.size:
        return examples, predictions, (), ()
    table = to_table(select_examples(examples, rows))
    table["error"] = [predictions.failed[text] for text in table["text"]]
    columns = ["attribute", "source", "group", "term", "text", "error"]
    records = table.reindex(columns=columns, fill_value="").astype("str").to_dict("records")
    listed = tuple({str(name): str(cell) for name, cell in record.items()} for record in records)
    names = (*examples.groups, UNMARKED)
    group = np.where(examples.group < 0, len(examples.groups), examples.group)
    sizes, lost = (np.bincount(groups, minlength=len(names)) for groups in (group, group[rows]))
    of_groups = ", ".join(f"{name} {k:,} of {n:,}" for name, k, n in zip(names, lost, sizes, strict=True) if k)
    others_none = "; other groups none" if ((sizes > 0) & (lost == 0)).any() else ""
    have, them = ("has", "it") if len(rows) == 1 else ("have", "them")
    lacking = f"{len(rows):,} of {len(examples):,} texts {have} no prediction, because the model failed on {them}"
    note = f"{lacking}: metrics and tests leave {them} out ({of_groups}{others_none})"
    others = np.delete(np.arange(len(examples)), rows)
    return select_examples(examples, others), predictions.at(others), listed, (note,)
