"""Templates with their slots open: what depends on no term, or on its edges only, is worked out once."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from itertools import pairwise

from fairness_checklist.content.counterfactuals import TermTable, check_size
from fairness_checklist.content.fills import Stem, neutral_loader, stems
from fairness_checklist.content.grammar.languages import DEFAULT
from fairness_checklist.content.rendering import Column
from fairness_checklist.content.slot_forms import Unfit
from fairness_checklist.content.slots import Slot
from fairness_checklist.content.templates import Template
from fairness_checklist.core.errors import InputError
from fairness_checklist.core.option_defaults import MAX_SOURCES
from fairness_checklist.core.sentences import extract_entities
from fairness_checklist.extensions.authoring.lint.file_rules import INFORMAL, is_informal, literals
from fairness_checklist.extensions.authoring.lint.patterns import pattern
from fairness_checklist.extensions.authoring.lint.sentence_faults import edges
from fairness_checklist.extensions.authoring.lint.word_rules import slot_faults, term_questions

_SHOWN = 4  # words of a phrase
_RUN = re.compile(r"\w+")
_LAST_RUN = re.compile(r"\b(\w+) $")
_FIRST_RUN = re.compile(r" (\w+)")


@dataclass(eq=False)
class Sentence:
    """One source of a template with its slots open, and what is known of it from the attributes that came before."""

    stem: Stem  # the source
    # those of the first term with these edges that was read, and its words
    errors: dict[object, tuple[frozenset[tuple[str, str]], frozenset[str]]] = field(default_factory=dict)
    clean: set[object] = field(default_factory=set)  # edges of which no more terms need be read
    control_is_read: bool = False  # whether the sentence without the identity was

    @cached_property
    def literals(self) -> tuple[str, ...]:
        """The words around the slots, without marks."""
        return tuple(extract_entities(literal)[0] for literal in self.stem.literals)

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The words around the slots in small letters, in order."""
        return tuple(_RUN.findall(" ".join(self.literals).casefold()))

    @cached_property
    def neighbors(self) -> tuple[tuple[str, str], ...]:
        """The word right before and right after each slot, in small letters; "" where there is none."""
        before = [_LAST_RUN.search(literal.lower()) for literal in self.literals[:-1]]
        after = [_FIRST_RUN.match(literal.lower()) for literal in self.literals[1:]]
        return tuple((a[1] if a else "", b[1] if b else "") for a, b in zip(before, after, strict=True))

    @cached_property
    def has_edges(self) -> bool:
        """Whether what a term makes wrong depends on its edges: words end where slots do, and no two slots meet."""
        cut = any(literal[-1:].isalnum() for literal in self.literals[:-1]) or any(
            literal[:1].isalnum() for literal in self.literals[1:]
        )
        return not cut and not any(literal in {"", " "} for literal in self.literals[1:-1])

    def render(self, written: Sequence[str]) -> str:
        """The sentence with these words in its slots."""
        rest = zip(written, self.literals[1:], strict=True)
        return self.literals[0] + "".join(word + literal for word, literal in rest)


def _positions(keys: Iterable[object]) -> dict[object, list[int]]:
    positions: dict[object, list[int]] = {}
    for at, key in enumerate(keys):
        positions.setdefault(key, []).append(at)
    return positions


@dataclass(eq=False)
class Written:
    """What the terms that fit some slots write into them."""

    columns: tuple[Column, ...]  # slot by slot the words of each term
    positions: tuple[int, ...]  # of these terms
    language: str  # of the terms

    @cached_property
    def rows(self) -> tuple[tuple[str, ...], ...]:
        """Term by term the words of each slot."""
        return tuple(zip(*(column.words for column in self.columns), strict=True))

    @cached_property
    def by_edges(self) -> dict[object, list[int]]:
        """The rows by the edges of their words."""
        return _positions(tuple(edges(words, self.language) for words in row) for row in self.rows)

    @cached_property
    def by_words(self) -> dict[object, list[int]]:
        """The rows by all their words."""
        return _positions(self.rows)

    @cached_property
    def by_end(self) -> tuple[tuple[Mapping[str, list[int]], Mapping[str, list[int]]], ...]:
        """For each slot the rows by the first and by the last word in it, in small letters."""
        slot_ends: tuple[tuple[dict[str, list[int]], dict[str, list[int]]], ...] = tuple(({}, {}) for _ in self.rows[0])
        for at, row in enumerate(self.rows):
            for words, ends in zip(row, slot_ends, strict=True):
                runs = _RUN.findall(words.lower()) or [""]
                for run, end in zip((runs[0], runs[-1]), ends, strict=True):
                    end.setdefault(run, []).append(at)
        return slot_ends

    @cached_property
    def words(self) -> frozenset[str]:
        """All words in small letters."""
        return frozenset(run for row in self.rows for words in row for run in _RUN.findall(words.casefold()))

    @cached_property
    def has_twins(self) -> bool:
        """Whether terms of two groups write the same words."""
        return len(set(self.rows)) < len(self.rows)


class OpenTemplate:
    """A template with its slots open: what depends on no term is worked out once."""

    def __init__(self, template: Template, lists: Mapping[str, tuple[str, ...]], *, paired: bool) -> None:
        self.template = template
        self.lists = lists
        self.paired = paired
        self.pieces = literals(template, tuple(lists))
        self.is_informal = template.register in INFORMAL or is_informal(self.pieces)
        self.families = frozenset(slot.family for slot in self.pieces if isinstance(slot, Slot) and not slot.is_list)
        self.slot_faults = tuple(slot_faults(self.pieces))
        self.questions = tuple(term_questions(self.pieces))
        self.next_phrase = next_phrase(self.pieces) if template.language == DEFAULT else ""
        romance = pattern("romance").search(" ".join(piece for piece in self.pieces if isinstance(piece, str)))
        self.romance = romance.group() if romance else ""
        self.has_braces = "{{" in template.text or "}}" in template.text
        self.slot_rules = {rule for rule, _fault in self.slot_faults}
        self._sources: dict[object, tuple[Sentence, ...] | Unfit | InputError] = {}

    def is_for(self, families: frozenset[str]) -> bool:
        """Whether terms of these families are meant; a template that does not parse is filled to say why."""
        if self.template.attribute or not self.families:
            return True
        return not self.families.isdisjoint(families) and "identity" not in self.families - families

    def sources(self, table: TermTable, neutral: NeutralWords) -> tuple[Sentence, ...] | Unfit:
        """The sources for the terms of a table, the same objects for all tables with the same ones."""
        avoid = neutral.among(table)
        key = table.terms.families, avoid
        if key not in self._sources:
            try:
                if self.lists:
                    check_size(self.template, self.lists, 0, len(table.terms), MAX_SOURCES)
                result = stems(self.template, table.terms.families, self.lists, neutral.load, avoid, paired=self.paired)
            except InputError as error:
                self._sources[key] = error
            else:
                self._sources[key] = result if isinstance(result, Unfit) else tuple(map(Sentence, result))
        answer = self._sources[key]
        if isinstance(answer, InputError):
            raise answer
        return answer


def next_phrase(pieces: Sequence[str | Slot]) -> str:
    """The first phrase that follows directly on the noun of a slot, "" without one.

    >>> from fairness_checklist.content.slots import parse
    >>> next_phrase(parse("I told {a:identity_np} in the elevator.")), next_phrase(parse("{A:identity_np} in May."))
    ('in the elevator', '')
    """
    for piece, after in pairwise(pieces):
        if isinstance(piece, Slot) and isinstance(after, str) and (piece.head or piece.part in {"np", "pl"}):
            found = pattern("attachment").match(after)
            if found:
                words = found.group().split()
                return " ".join(words[:_SHOWN]) + " ..." * (len(words) > _SHOWN)
    return ""


def opener(lists: Mapping[str, tuple[str, ...]], *, paired: bool) -> Callable[[Template], OpenTemplate]:
    """A function that opens each template once, whichever attribute it is filled for."""
    known: dict[tuple[str, str], OpenTemplate] = {}

    def opened(template: Template) -> OpenTemplate:
        key = template.place, template.text
        if key not in known:
            known[key] = OpenTemplate(template, lists, paired=paired)
        return known[key]

    return opened


class NeutralWords:
    """The words for slots of other attributes, and which of them are terms under test."""

    def __init__(self, language: str) -> None:
        self.load = neutral_loader(None, language)
        self.among = cache(self._among)

    def _among(self, table: TermTable) -> frozenset[str]:
        try:
            words = {term.term for term in self.load().terms}
        except InputError:  # a template that needs one says so
            return frozenset()
        return frozenset(words & {term.term for term in table.terms.terms})
