"""Texts kept as (source, fill): literals of each source, words of each slot and term, joined when requested."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, repeat

from fairness_checklist.content.grammar.language import Grammar, Noun
from fairness_checklist.content.grammar.languages import get
from fairness_checklist.content.slot_forms import SlotText
from fairness_checklist.content.slots import Slot
from fairness_checklist.core.examples import Entities
from fairness_checklist.core.examples import TermSpans as Spans
from fairness_checklist.core.formatting import capitalise
from fairness_checklist.core.sentences import extract_entities, has_marks


@dataclass(frozen=True)
class Column:
    """What a template's terms write into one slot, term by term, and which characters are an entity, if any are."""

    written: tuple[SlotText, ...]
    entities: tuple[tuple[int, int, str] | None, ...] = ()

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The words alone."""
        return tuple(form.text for form in self.written)


@dataclass(frozen=True)
class Frame:
    """One source: m + 1 literals around m slots, the columns of the slots, and the unmarked text where there is one."""

    literals: tuple[str, ...]
    columns: tuple[Column, ...]  # shared between the sources that have the slot
    n_terms: int  # rows of each column
    unmarked: str | None = None  # the first row; None where grammar allows none
    entities: tuple[Entities, ...] = ()  # those of each literal; () where no literal has any
    unmarked_entities: Entities = ()

    @classmethod
    def of(cls, literals: Sequence[str], columns: Sequence[Column], n_terms: int, unmarked: str | None = None) -> Frame:
        """The frame of literals and an unmarked text that may hold marks (see `marks`)."""
        if not any(map(has_marks, literals)):
            return cls(tuple(literals), tuple(columns), n_terms, unmarked)
        texts, entities = zip(*map(extract_entities, literals), strict=True)
        control, of_control = (None, ()) if unmarked is None else extract_entities(unmarked)
        return cls(texts, tuple(columns), n_terms, control, entities, of_control)

    def __len__(self) -> int:
        return self.n_terms + (self.unmarked is not None)

    def render(self, first: int, last: int) -> Iterator[str]:
        """The texts with the terms first to last (exclusive)."""
        strips: list[Iterable[str]] = [repeat(self.literals[0], last - first)]
        for column, literal in zip(self.columns, self.literals[1:], strict=True):
            strips += [column.words[first:last], repeat(literal, last - first)]
        return map("".join, zip(*strips, strict=True))


@dataclass(frozen=True)
class FactorisedTexts:
    """The texts of an example set, rendered by the chunk from its frames; one million rows take about 6 MB."""

    frames: tuple[Frame, ...]

    @cached_property
    def offsets(self) -> tuple[int, ...]:
        """The row at which each frame starts, and the number of rows."""
        return tuple(accumulate(map(len, self.frames), initial=0))

    def __len__(self) -> int:
        return self.offsets[-1]

    def render(self, start: int, stop: int) -> list[str]:
        """The texts of rows start to stop (exclusive), in order."""
        texts: list[str] = []
        for frame, controls, first, last in self._parts(start, stop):
            texts += [frame.unmarked or ""] * controls
            texts += frame.render(first, last)
        return texts

    def spans(self, start: int, stop: int) -> list[Spans]:
        """For each of the rows start to stop the character spans of the term, ``()`` for the unmarked one."""
        return [() if row < 0 else _row_spans(frame, row) for frame, row in self._rows(start, stop)]

    def entities(self, start: int, stop: int) -> list[Entities]:
        """For each of the rows start to stop the entities: (start, end, type) in characters, in order."""
        rows = self._rows(start, stop)
        return [frame.unmarked_entities if row < 0 else _row_entities(frame, row) for frame, row in rows]

    def _rows(self, start: int, stop: int) -> Iterator[tuple[Frame, int]]:
        """The frame and the term of each row, -1 for the control."""
        for frame, has_control, first, last in self._parts(start, stop):
            yield from ((frame, row) for row in (*(-1,) * has_control, *range(first, last)))

    def _parts(self, start: int, stop: int) -> Iterator[tuple[Frame, bool, int, int]]:
        """The frames that rows fall into: whether the control is among them, the first and last term (exclusive)."""
        start, stop = max(start, 0), min(stop, len(self))
        position = bisect_right(self.offsets, start) - 1
        while start < stop and position < len(self.frames) and self.offsets[position] < stop:
            offset, frame = self.offsets[position], self.frames[position]
            first, last = max(start - offset, 0), min(stop - offset, len(frame))
            shift = int(frame.unmarked is not None)
            yield frame, bool(shift) and first == 0, max(first - shift, 0), last - shift
            position += 1


def _row_spans(frame: Frame, row: int) -> Spans:
    spans: list[tuple[int, int]] = []
    position = 0
    for literal, column in zip(frame.literals, frame.columns, strict=False):
        position += len(literal)
        form = column.written[row]
        if form.end > form.start:
            spans.append((position + form.start, position + form.end))
        position += len(form.text)
    return tuple(spans)


def _row_entities(frame: Frame, row: int) -> Entities:
    entities: list[tuple[int, int, str]] = []
    position = 0
    for number, literal in enumerate(frame.literals):
        in_literal = frame.entities[number] if frame.entities else ()
        entities += [(position + start, position + end, kind) for start, end, kind in in_literal]
        position += len(literal)
        for column in frame.columns[number : number + 1]:
            if column.entities and (marked := column.entities[row]):
                entities.append((position + marked[0], position + marked[1], marked[2]))
            position += len(column.words[row])
    return tuple(entities)


_ARTICLE = re.compile(r"\b([Aa]n?) $")


def unmarked_text(pieces: Sequence[str | Slot]) -> str | None:
    """The sentence without the identity, or ``None`` where grammar allows none."""
    language = get(next((piece.language for piece in pieces if isinstance(piece, Slot)), "en"))
    after = ""
    for position in range(len(pieces) - 1, -1, -1):
        piece = pieces[position]
        if isinstance(piece, str):
            after = piece + after
            continue
        core: Noun | None = Noun("")
        if piece.part == "adj":
            cores = (p if isinstance(p, str) else (_core(p, language) or Noun("")).text for p in pieces[:position])
            before = "".join(cores)
            if not language.can_drop_adjective(before, after, has_article=piece.kind == "article"):
                return None
            after = after[1:]
            article = _ARTICLE.search(before) if piece.kind != "article" else None
            noun = Noun(extract_entities(after)[0])
            if article is not None and article[1].lower() != language.article(noun, definite=False):
                return None
        else:
            core = _core(piece, language)
        if core is None:
            return None
        is_indefinite = piece.part == "np" and piece.kind == "article" and piece.form != "the"
        someone = language.someone if is_indefinite else ""
        after = (someone or core.text) + after
        if piece.kind == "article" and not someone:
            noun = Noun(extract_entities(after)[0], core.gender, core.plural)
            after = f"{language.article(noun, definite=piece.form == 'the')} {after}"
        after = language.contract(piece.before, capitalise(after) if piece.capital else after)
    return after


def _core(slot: Slot, language: Grammar) -> Noun | None:
    """The words of a slot other than an adjective without the identity and the article."""
    if slot.kind == "pronoun":
        return Noun(language.pronoun(language.default_pronouns, slot.form))
    if slot.kind == "choice":
        return Noun(language.choose(language.default_pronouns, slot.form) or "")
    if slot.family != "identity" or slot.kind == "predicate":
        return None
    if slot.head:
        return language.head(slot.head, "")
    return {"np": language.person, "pl": language.people}.get(slot.part)
