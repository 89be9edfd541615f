"""Templates x terms -> ExampleSet: for each source all variations of all groups, and the unmarked control."""

import math
import re
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from fairness_checklist.content import fills
from fairness_checklist.content.fills import Lists, Stem
from fairness_checklist.content.identity_pairs import PairedTerm, write_pair
from fairness_checklist.content.rendering import Column, FactorisedTexts, Frame
from fairness_checklist.content.slot_forms import SlotText, Unfit, entity, write
from fairness_checklist.content.slots import Slot, template_error
from fairness_checklist.content.templates import NOT_FOR_GROUPS, Template, excepted_of
from fairness_checklist.content.terms import TermList, display_names, doubt_about, lexemes_of
from fairness_checklist.core.arrays import IntArray
from fairness_checklist.core.delimited import check_characters
from fairness_checklist.core.did_you_mean import did_you_mean
from fairness_checklist.core.errors import SuiteError, TemplateError
from fairness_checklist.core.errors import count as quantity
from fairness_checklist.core.examples import ExampleSet, Source, family_of
from fairness_checklist.core.option_defaults import MAX_SOURCES, whole_number
from fairness_checklist.core.progress import followed
from fairness_checklist.core.tasks import TASKS, get_task

RECLAIMED, ROLE, OF_ONESELF = "reclaimed", "role", "self_description"  # flags of terms, and a kind of templates
_ENTITY_TYPES = next(task.classes for task in TASKS.values() if task.tagging)


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
    """The words of some terms in each slot, and which terms fit; computed once and shared by all templates."""

    terms: TermList  # group by group, as declared inside a group
    column: Callable[[Slot, tuple[int, ...]], Column]  # what the terms at these positions write into a slot
    # for slots, excepted groups and positions that may not stand beside them those that fit, or which group has none
    fit: Callable[[tuple[Slot, ...], frozenset[str], frozenset[int]], tuple[int, ...] | Unfit]
    by_word: Mapping[str, Sequence[int]]  # positions of names and places by their first word
    flagged: Mapping[str, frozenset[int]]  # positions of reclaimed words, and of roles ("trans nurse")

    def fitting(self, template: Template, sources: Sequence[Stem]) -> tuple[int, ...] | Unfit:
        """The positions of the terms that fill a template, or which group cannot fill it."""
        for kind in {kind for stem in sources for kind in stem.entity_types}:
            if kind not in _ENTITY_TYPES:
                remedy = f"Known: {', '.join(_ENTITY_TYPES)}.{did_you_mean(kind, _ENTITY_TYPES)}"
                raise template_error(template.place or template.id, f"the entity type {kind!r} is not known.", remedy)
        mentioned = {
            position
            for stem in (sources if self.by_word else ())
            for word in self.by_word.keys() & stem.words
            for position in self.by_word[word]
            if fills.clashes(self.terms.terms[position], stem)
        }
        if template.task == "toxicity" and template.kind != OF_ONESELF:
            mentioned |= self.flagged[RECLAIMED]
        if template.about == "group":
            mentioned |= self.flagged[ROLE]
        excepted = excepted_of(template, self.terms.groups) if template.except_groups else frozenset[str]()
        return self.fit(sources[0].slots, excepted, frozenset(mentioned))  # stems of a template have the same slots


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
    """Fill each template with every term of every group; one in which a group has no term is dropped and listed."""
    classes = get_task(task).classes
    max_sources = whole_number("max_sources", max_sources)
    table = term_table(exclude_minors(terms) if task == "toxicity" else terms, tagging=get_task(task).tagging)
    ordered = table.terms
    lists = fills.check_lists(lists)
    spellings = frozenset(term.term for term in ordered.terms)
    load = fills.neutral_loader(neutral, ordered.language)
    dropped: list[Dropped] = []
    filled: list[Filled] = []
    codes, seen = set[str](), set[str]()
    templates = tuple(templates)
    originals = family_of([entry.id for entry in templates], [entry.rewords for entry in templates])
    for template, original in zip(followed(templates, "filling templates", "templates"), originals, strict=True):
        if template.id in seen:
            raise SuiteError(f"two templates have the id {template.id!r}.", remedy="Give each template its own id.")
        seen.add(template.id)
        place = template.place or template.id
        check_characters("template", template.text, place, TemplateError, "\r\n")
        if template.task == task and template.label not in ("", *classes):
            remedy = f"Known: {', '.join(classes)}, or empty.{did_you_mean(template.label, classes)}"
            raise template_error(place, f"the label {template.label!r} is not known.", remedy)
        made: Sequence[Stem] | Unfit | None = _mismatch(template, ordered, task)
        if made is None:
            if lists:
                check_size(template, lists, len(filled), len(ordered), max_sources)
            made = fills.stems(template, ordered.families, lists, load, spellings)
        template = replace(template, rewords="" if original == template.id else original)
        sources = made if isinstance(made, Unfit) else fill_template(template, made, table)
        if isinstance(sources, Unfit):
            dropped.append(Dropped(template.id, sources.reason))
            codes.add(sources.code)
        else:
            filled += sources
    if not filled:
        raise _no_template_error(dropped, terms, only_other_slots=codes == {fills.OTHER_SLOTS})
    return Expansion(_examples(filled, ordered, task, classes), tuple(dropped))


def term_table(terms: TermList, *, tagging: bool) -> TermTable:
    """The table of some terms, group by group."""
    if not terms.terms:
        raise SuiteError(f"the attribute {terms.attribute!r} has no term.", remedy="Give terms by group.")
    declared = {group: number for number, group in enumerate(terms.groups)}
    terms = replace(terms, terms=tuple(sorted(terms.terms, key=lambda term: declared[term.group])))

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
        for position, (term, reason) in enumerate(zip(terms.terms, misfits(slots), strict=True)):
            if term.group in excepted:
                continue
            if not reason and position in mentioned:
                reason = f"{term.term!r} is already in the sentence, or a role within the group"
                if term.has_flag(RECLAIMED):
                    reason = f"{term.term!r} is a reclaimed word, for templates of the kind {OF_ONESELF}"
            first[term.group] = reason and first.get(term.group, reason)
            if not reason:
                fitting.append(position)
        for group, reason in first.items():
            if reason:
                return Unfit(f"no term of the group {group!r} fills it ({reason})")
        return tuple(fitting) if len(first) >= min(2, len(terms.groups)) else Unfit(NOT_FOR_GROUPS)

    @cache
    def column(slot: Slot, positions: tuple[int, ...]) -> Column:
        fitting = [(position, form) for position in positions if isinstance(form := forms(slot)[position], SlotText)]
        entities = [entity(slot, terms.terms[position], form) for position, form in fitting] if tagging else []
        return Column(tuple(form for _position, form in fitting), tuple(entities) if any(entities) else ())

    by_word: dict[str, list[int]] = {}
    for position, term in enumerate(terms.terms):
        if term.pos in {"name", "place"} and (first := re.search(r"\w+", term.term.removeprefix("the "))):
            by_word.setdefault(first[0], []).append(position)
    positions = {
        flag: frozenset(n for n, t in enumerate(terms.terms) if t.has_flag(flag)) for flag in (RECLAIMED, ROLE)
    }
    return TermTable(terms, column, fit, by_word, positions)


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


def check_size(template: Template, lists: Lists, before: int, terms: int, most: int) -> None:
    """Raise `SuiteError` where the values of a template's lists make too many sources."""
    choices = fills.count_fillings(template, lists)
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


def _mismatch(template: Template, terms: TermList, task: str) -> Unfit | None:
    if template.task != task:
        return Unfit(f"it is for the task {template.task}")
    if template.attribute not in {"", terms.attribute, terms.base_attribute}:
        return Unfit(f"it is for the attribute {template.attribute}")
    if template.language != terms.language:
        return Unfit(f"its language is {template.language}, that of the terms {terms.language}")
    return None


def fill_template(template: Template, sources: Sequence[Stem], table: TermTable) -> list[Filled] | Unfit:
    """The sources of a template with their frames, or which group cannot fill it."""
    chosen = table.fitting(template, sources)
    if isinstance(chosen, Unfit):
        return chosen
    columns = [table.column(slot, chosen) for slot in sources[0].slots]  # stems of a template have the same slots
    texts = [None if template.about == "group" else stem.unmarked for stem in sources]
    return [
        (template, stem, Frame.of(stem.literals, columns, len(chosen), unmarked), chosen)
        for stem, unmarked in zip(sources, texts, strict=True)
    ]


def _no_template_error(dropped: Sequence[Dropped], terms: TermList, *, only_other_slots: bool) -> SuiteError:
    if not dropped:
        return SuiteError("there is no template to fill.", remedy="Give at least one template.")
    more = [f"{drop.template_id}: {drop.reason}." for drop in dropped[:3]]
    more += [f"... and {len(dropped) - 3:,} more."] if len(dropped) > 3 else []
    if only_other_slots and {term.pos for term in terms.terms} == {"adj"}:
        more.append('Plain strings are adjectives here; of names write {"term": "Alex", "pos": "name"}; or "place".')
    which = f"none of the {len(dropped):,} templates can" if len(dropped) > 1 else "the template cannot"
    return SuiteError(f"{which} be filled by every group of {terms.attribute!r}.", remedy="\n".join(more))


def _examples(filled: Sequence[Filled], terms: TermList, task: str, classes: tuple[str, ...]) -> ExampleSet:
    sources = tuple(
        Source(stem.id, t.id, stem.text, t.label, t.about, t.symmetric, t.rewords, t.topic, t.register, t.kind)
        for t, stem, _frame, _chosen in filled
    )
    frames = tuple(frame for _template, _stem, frame, _chosen in filled)
    sizes = [len(frame) for frame in frames]
    labels = [classes.index(source.label) if source.label else -1 for source in sources]
    rows = cache(lambda chosen, has_control: np.array((-1,) * has_control + chosen, dtype=np.int64))
    term: IntArray = np.concatenate([rows(chosen, frame.unmarked is not None) for *_, frame, chosen in filled])
    term_group = np.array([terms.groups.index(entry.group) for entry in terms.terms], dtype=np.int64)
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
        with_term = [position for position, names in enumerate(words) if term.term in names]
        rows = np.flatnonzero(np.isin(examples.term, with_term))[:1].tolist()
        sentence = "".join(f" A sentence with it: {examples.texts.render(row, row + 1)[0]}" for row in rows)
        in_memory = term.pos == "adj" and not term.place
        remedy = f' Give {{"term": "{term.term}", "pos": "noun"}} or "adj".' if in_memory else ""
        place = f"{term.place}: " if term.place else ""
        warnings.warn(f"{place}{doubt_about(term)}.{remedy}{sentence}", stacklevel=3)
