"""Templates x terms -> ExampleSet: for each source all variations of all groups, and the unmarked control."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from numpy.typing import NDArray

from fairness_checklist.content.fills import (
    Lists,
    Stem,
    check_lists,
    clashes,
    count_fillings,
    first_word,
    neutral_loader,
    stems,
)
from fairness_checklist.content.identity_pairs import PairedTerm, write_pair
from fairness_checklist.content.rendering import Column, FactorisedTexts, Frame, unmarked_text
from fairness_checklist.content.slot_forms import SlotText, Unfit, entity, write
from fairness_checklist.content.slots import Slot, template_error
from fairness_checklist.content.templates import NOT_FOR_GROUPS, Template, excepted_of
from fairness_checklist.content.terms import IdentityTerm, TermList, display_names, doubt_about, lexemes_of
from fairness_checklist.core.delimited import check_characters
from fairness_checklist.core.errors import SuiteError, TemplateError, did_you_mean
from fairness_checklist.core.errors import count as quantity
from fairness_checklist.core.examples import ExampleSet, Source, family_of
from fairness_checklist.core.option_defaults import MAX_SOURCES, whole_number
from fairness_checklist.core.progress import followed
from fairness_checklist.core.sentences import extract_entities
from fairness_checklist.core.tasks import TASKS, get_task

RECLAIMED = "reclaimed"
"""The flag of terms, and the kind of the templates for toxicity in which such terms stand."""
_IntArray = NDArray[np.int64]


@dataclass(frozen=True)
class Dropped:
    """A template that takes no part, and why."""

    template_id: str
    reason: str


@dataclass(frozen=True)
class Expansion:
    """The example set, and the templates that are not in it."""

    examples: ExampleSet
    dropped: tuple[Dropped, ...] = ()


@dataclass(frozen=True, eq=False)
class TermTable:
    """The words of some terms in each slot, and which terms fit; computed once and shared by all templates.

    Attributes:
        terms: group by group, as declared inside a group.
        column: what the terms at these positions write into a slot.
        fit: for the slots of a template, the groups that it excepts and the positions of terms that are in its
            sentence already, the positions of the terms that fit, or which group has none.
        by_word: the positions of names and places by their first word.
        reclaimed: the positions of reclaimed words, which few templates for toxicity hold.
    """

    terms: TermList
    column: Callable[[Slot, tuple[int, ...]], Column]
    fit: Callable[[tuple[Slot, ...], frozenset[str], frozenset[int]], tuple[int, ...] | Unfit]
    by_word: Mapping[str, Sequence[int]]
    reclaimed: frozenset[int] = frozenset()

    def fitting(self, template: Template, own_stems: Sequence[Stem]) -> tuple[int, ...] | Unfit:
        """The positions of the terms that fill a template, or which group cannot fill it."""
        for stem in own_stems:
            for kind in {kind for literal in stem.literals for _start, _end, kind in extract_entities(literal)[1]}:
                _check_type(kind, template)
        mentioned = {
            position
            for stem in (own_stems if self.by_word else ())
            for word in self.by_word.keys() & stem.words
            for position in self.by_word[word]
            if clashes(self.terms.terms[position], stem)
        }
        if template.task == "toxicity" and template.kind != RECLAIMED:
            mentioned |= self.reclaimed
        excepted = excepted_of(template, self.terms.groups) if template.except_groups else frozenset[str]()
        return self.fit(own_stems[0].slots, excepted, frozenset(mentioned))  # stems of a template have the same slots


Filled = tuple[Template, Stem, Frame, tuple[int, ...]]
"""A source: its template, its stem, its frame, and the positions of the terms that fill it."""


def expand(
    templates: Iterable[Template],
    terms: TermList,
    *,
    task: str,
    lists: Lists | None = None,
    neutral: TermList | None = None,
    max_sources: int = MAX_SOURCES,
) -> Expansion:
    """Fill each template with every term of every group.

    Rows are by source, then the unmarked control (group -1, term -1) where grammar allows it, then group by group and
    term by term as declared. A template in which a group has no term left is dropped for all groups and listed.

    Raises:
        TemplateError: a template that does not parse or has an unknown label, templates that reword each other.
        SuiteError: no template is left, two have one id, or they make more than ``max_sources`` sources.
    """
    classes = get_task(task).classes
    max_sources = whole_number("max_sources", max_sources)
    table = term_table(exclude_minors(terms) if task == "toxicity" else terms, tagging=get_task(task).tagging)
    ordered = table.terms
    own_lists = check_lists(lists)
    families = ordered.families
    spellings = frozenset(term.term for term in ordered.terms)
    paired = any(isinstance(term, PairedTerm) for term in ordered.terms)
    load = neutral_loader(neutral, ordered.language)
    dropped: list[Dropped] = []
    filled: list[Filled] = []
    seen: set[str] = set()
    templates = tuple(templates)
    originals = family_of([entry.id for entry in templates], [entry.paraphrase_of for entry in templates])
    for template, original in zip(followed(templates, "filling templates", "templates"), originals, strict=True):
        if template.id in seen:
            raise SuiteError(f"two templates have the id {template.id!r}.", remedy="Give each template its own id.")
        seen.add(template.id)
        check_characters("template", template.text, template.place or template.id, TemplateError, "\r\n")
        _check_label(template, classes, task)
        reason = _mismatch(template, ordered, task)
        if own_lists and not reason:
            check_size(template, own_lists, len(filled), len(ordered), max_sources)
        stemmed = Unfit(reason) if reason else stems(template, families, own_lists, load, spellings, paired=paired)
        template = replace(template, paraphrase_of="" if original == template.id else original)
        sources = stemmed if isinstance(stemmed, Unfit) else fill_template(template, stemmed, table)
        if isinstance(sources, Unfit):
            dropped.append(Dropped(template.id, sources.reason))
        else:
            filled += sources
    if not filled:
        raise _no_template_error(dropped, terms)
    return Expansion(_examples(filled, ordered, task, classes), tuple(dropped))


def term_table(terms: TermList, *, tagging: bool) -> TermTable:
    """The table of some terms, group by group."""
    terms = _ordered(terms)

    @cache
    def forms(slot: Slot) -> tuple[SlotText | Unfit, ...]:
        return tuple(
            write_pair(slot, term) if isinstance(term, PairedTerm) else write(slot, term) for term in terms.terms
        )

    @cache
    def misfits(slots: tuple[Slot, ...]) -> tuple[str, ...]:
        rows = zip(*map(forms, slots), strict=True)
        pairs = (zip(slots, row, strict=True) for row in rows)
        return tuple(
            next((f"{slot.raw}: {form.reason}" for slot, form in row if isinstance(form, Unfit)), "") for row in pairs
        )

    @cache
    def fit(slots: tuple[Slot, ...], excepted: frozenset[str], mentioned: frozenset[int]) -> tuple[int, ...] | Unfit:
        first: dict[str, str] = {}
        fitting: list[int] = []
        for position, (term, misfit) in enumerate(zip(terms.terms, misfits(slots), strict=True)):
            if term.group in excepted:
                continue
            reason = misfit or (_kept_out(term) if position in mentioned else "")
            first[term.group] = reason and first.get(term.group, reason)
            if not reason:
                fitting.append(position)
        for group, reason in first.items():
            if reason:
                return Unfit(f"no term of the group {group!r} fills it ({reason})")
        return tuple(fitting) if len(first) >= min(2, len(terms.groups)) else Unfit(NOT_FOR_GROUPS)

    @cache
    def column(slot: Slot, positions: tuple[int, ...]) -> Column:
        written = forms(slot)
        fitting = [(at, form) for at in positions if isinstance(form := written[at], SlotText)]
        entities = [entity(slot, terms.terms[at], text) for at, text in fitting] if tagging else []
        return Column.of([text for _at, text in fitting], entities if any(entities) else ())

    by_word: dict[str, list[int]] = {}
    for position, term in enumerate(terms.terms):
        if term.pos in {"name", "place"} and (first := first_word(term)):
            by_word.setdefault(first, []).append(position)
    reclaimed = frozenset(position for position, term in enumerate(terms.terms) if term.has_flag(RECLAIMED))
    return TermTable(terms, column, fit, by_word, reclaimed)


def _kept_out(term: IdentityTerm) -> str:
    if term.has_flag(RECLAIMED):
        return f"{term.term!r} is a reclaimed word, for templates of the kind {RECLAIMED}"
    return f"{term.term!r} is already in the sentence"


def _ordered(terms: TermList) -> TermList:
    """The terms group by group, as declared inside a group."""
    if not terms.terms:
        raise SuiteError(f"the attribute {terms.attribute!r} has no term.", remedy="Give terms by group.")
    position = {group: number for number, group in enumerate(terms.groups)}
    return replace(terms, terms=tuple(sorted(terms.terms, key=lambda term: position[term.group])))


def exclude_minors(terms: TermList) -> TermList:
    """The terms that do not mean a minor, by their flags; a group of such terms alone is left out of the task."""
    adult = tuple(term for term in terms.terms if not term.has_flag("minor"))
    left = {term.group for term in adult}
    if len(left) < min(2, len(terms.groups)):
        gone = ", ".join(repr(group) for group in terms.groups if group not in left)
        raise SuiteError(
            f"all terms of the group {gone} mean minors; such terms are excluded from hostile sentences.",
            remedy="Add other terms, or name at least two other groups with groups=.",
        )
    return replace(terms, terms=adult)


def _check_label(template: Template, classes: Sequence[str], task: str) -> None:
    if template.task == task and template.label not in ("", *classes):
        raise template_error(
            template.place or template.id,
            f"the label {template.label!r} is not known.",
            f"Known: {', '.join(classes)}, or empty.{did_you_mean(template.label, classes)}",
        )


def check_size(template: Template, lists: Lists, before: int, terms: int, most: int) -> None:
    """Raise `SuiteError` where the values of a template's lists make too many sources."""
    choices = count_fillings(template, lists)
    count = math.prod(choices.values())
    if before + count <= most:
        return
    product = " x ".join(f"{size:,} for {name}" for name, size in choices.items())
    so_far = f" after {before:,} sources of the templates before it" if before else ""
    raise SuiteError(
        f"the template makes {quantity(count, 'source')}{f' ({product})' if product else ''}{so_far}, which gives "
        f"{(before + count) * terms:,} sentences with {terms:,} terms; the maximum is {most:,} sources.",
        place=template.place or template.id,
        remedy="Give fewer values, put fewer slots of lists into one template, or raise the maximum: max_sources=.",
    )


def _mismatch(template: Template, terms: TermList, task: str) -> str:
    if template.task != task:
        return f"it is for the task {template.task}"
    if template.attribute not in {"", terms.attribute, terms.base_attribute}:
        return f"it is for the attribute {template.attribute}"
    if template.language != terms.language:
        return f"its language is {template.language}, that of the terms {terms.language}"
    return ""


def fill_template(template: Template, own_stems: Sequence[Stem], table: TermTable) -> list[Filled] | Unfit:
    """The sources of a template, or which group cannot fill it."""
    chosen = table.fitting(template, own_stems)
    if isinstance(chosen, Unfit):
        return chosen
    columns = [table.column(slot, chosen) for slot in own_stems[0].slots]  # stems of a template have the same slots
    frames = (Frame.of(stem.literals, columns, len(chosen), unmarked_text(stem.pieces)) for stem in own_stems)
    return [(template, stem, frame, chosen) for stem, frame in zip(own_stems, frames, strict=True)]


def _check_type(kind: str, template: Template) -> None:
    known = next(task.classes for task in TASKS.values() if task.tagging)
    if kind not in known:
        raise template_error(
            template.place or template.id,
            f"the entity type {kind!r} is not known.",
            f"Known: {', '.join(known)}.{did_you_mean(kind, known)}",
        )


def _no_template_error(dropped: Sequence[Dropped], terms: TermList) -> SuiteError:
    if not dropped:
        return SuiteError("there is no template to fill.", remedy="Give at least one template.")
    more = [f"{drop.template_id}: {drop.reason}." for drop in dropped[:3]]
    more += [f"... and {len(dropped) - 3:,} more."] if len(dropped) > 3 else []
    if {term.pos for term in terms.terms} == {"adj"} and all("slot that these terms fill" in d.reason for d in dropped):
        more.append('Plain strings are adjectives here; of names write {"term": "Alex", "pos": "name"}; or "place".')
    return SuiteError(
        f"none of the {len(dropped):,} templates can be filled by every group of {terms.attribute!r}."
        if len(dropped) > 1
        else f"the template cannot be filled by every group of {terms.attribute!r}.",
        remedy="\n".join(more),
    )


def _examples(filled: Sequence[Filled], terms: TermList, task: str, classes: tuple[str, ...]) -> ExampleSet:
    @cache
    def codes(chosen: tuple[int, ...], has_control: bool) -> _IntArray:
        return np.array((-1, *chosen) if has_control else chosen, dtype=np.int64)

    sources = tuple(
        Source(stem.id, t.id, stem.text, t.label, t.target, t.symmetric, t.paraphrase_of, t.topic, t.register, t.kind)
        for t, stem, _frame, _chosen in filled
    )
    frames = tuple(frame for _template, _stem, frame, _chosen in filled)
    sizes = [len(frame) for frame in frames]
    labels = [classes.index(source.label) if source.label else -1 for source in sources]
    term = np.concatenate([codes(chosen, frame.unmarked is not None) for _template, _stem, frame, chosen in filled])
    position = {group: number for number, group in enumerate(terms.groups)}
    term_group = np.array([position[entry.group] for entry in terms.terms], dtype=np.int64)
    return ExampleSet(
        attribute=terms.attribute,
        task=task,
        groups=terms.groups,
        terms=display_names(terms.terms),
        term_group=term_group,
        sources=sources,
        source=np.repeat(np.arange(len(sources), dtype=np.int64), sizes),
        group=np.where(term < 0, -1, term_group[term]),
        term=term,
        classes=classes,
        label=np.repeat(np.array(labels, dtype=np.int64), sizes),
        texts=FactorisedTexts(frames),
        concepts=tuple(entry.concept for entry in terms.terms) if any(entry.concept for entry in terms.terms) else (),
        lexemes=lexemes_of(terms.terms),
        pos=tuple(entry.pos for entry in terms.terms),
        intersection=terms.intersection,
    )


def warn_of_doubts(chosen: Sequence[TermList], words: Sequence[tuple[str, ...]], examples: ExampleSet) -> None:
    """A warning for each term of which the part of speech was derived and is not certain, with a sentence."""
    for term in (term for terms in chosen for term in terms.terms if term.doubt):
        of_term = [at for at, names in enumerate(words) if term.term in names]
        rows = np.flatnonzero(np.isin(examples.term, of_term))[:1].tolist()
        shown = "".join(f" A sentence with it: {text}" for at in rows for text in examples.texts.render(at, at + 1))
        given = (
            f' Give {{"term": "{term.term}", "pos": "noun"}} or "adj".' if term.pos == "adj" and not term.place else ""
        )
        where = f"{term.place}: " if term.place else ""
        warnings.warn(f"{where}{doubt_about(term)}.{given}{shown}", stacklevel=3)
