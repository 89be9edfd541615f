"""Sentences with entities: the marks of a template, the words of texts, and the units that the words make.

Inside literals a mark, ``[Alex](PER) left.``, is kept as characters of Unicode's private use area, which pass through
the filling of slots and say afterwards where each entity came to stand.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from fairness_checklist.core.arrays import BoolArray, IntArray, ranges
from fairness_checklist.core.errors import TemplateError
from fairness_checklist.core.examples import Entities, ExampleSet, ListedTexts, Texts
from fairness_checklist.core.tagging import Spans, words


@dataclass(frozen=True, eq=False)
class Sentences:
    """n sentences of W words in all, flat."""

    words: tuple[str, ...]  # the W words
    offset: IntArray  # (n + 1,) where each sentence starts
    types: tuple[str, ...]  # of the gold entities, which ``gold.type`` points into
    gold: Spans
    tagged: BoolArray  # (n,) whether the gold entities are known
    slot: IntArray  # (W,) which of its sentence's places of the identity term a word belongs to (0, 1, ...), else -1

    def __len__(self) -> int:
        return len(self.offset) - 1

    @property
    def row(self) -> IntArray:
        """(W,) the sentence of each word."""
        return np.repeat(np.arange(len(self)), np.diff(self.offset))

    def of_rows(self, rows: IntArray) -> Sentences:
        """The sentences at these positions, with the types of all."""
        sentence, word = ranges(self.offset[rows], self.offset[rows + 1])
        return Sentences(
            words=tuple(self.words[number] for number in word.tolist()),
            offset=np.searchsorted(sentence, np.arange(len(rows) + 1)),
            types=self.types,
            gold=self.gold.of_rows(rows),
            tagged=self.tagged[rows],
            slot=self.slot[word],
        )


@dataclass(frozen=True)
class TokenTexts(ListedTexts):
    """Texts whose words are given, and with them the places of entities and terms: a table of tagged sentences."""

    sentences: Sentences = field(kw_only=True)


def read_sentences(texts: Texts) -> Sentences:
    """The words of each text, and which of them are entities and identity terms."""
    if isinstance(texts, TokenTexts):
        return texts.sentences
    n = len(texts)
    rendered, terms, entities = texts.render(0, n), texts.spans(0, n), texts.entities(0, n)
    types = tuple(dict.fromkeys(kind for of_row in entities for _start, _end, kind in of_row))
    code = {kind: number for number, kind in enumerate(types)}
    listed: list[str] = []
    lengths = [0]
    gold: list[tuple[int, int, int, int]] = []
    slots: list[IntArray] = []
    for row, (text, of_term, of_entities) in enumerate(zip(rendered, terms, entities, strict=True)):
        borders = words(text)
        listed += [text[start:end] for start, end in borders]
        lengths.append(len(borders))
        slot = np.full(len(borders), -1, dtype=np.int64)
        for number, (start, end) in enumerate(of_term):
            first, last = words_within(borders, start, end)
            slot[first:last] = number
        slots.append(slot)
        for start, end, kind in of_entities:
            first, last = words_within(borders, start, end)
            gold.append((row, first, last, code[kind]))
    return Sentences(
        words=tuple(listed),
        offset=np.cumsum(lengths, dtype=np.int64),
        types=types,
        gold=Spans.of(gold),
        tagged=np.ones(n, dtype=np.bool_),
        slot=np.concatenate(slots) if slots else np.empty(0, dtype=np.int64),
    )


def words_within(borders: Sequence[tuple[int, int]], start: int, end: int) -> tuple[int, int]:
    """The first word that overlaps the characters start to end, and the one after the last."""
    inside = [number for number, (left, right) in enumerate(borders) if left < end and right > start]
    return (inside[0], inside[-1] + 1) if inside else (0, 0)


_OPEN, _BETWEEN, _CLOSE, _SLOT = "\ue000", "\ue001", "\ue002", "\ue003"
_SHIFT = 0xE100
_WRITTEN = re.compile(r"\[([^\[\]\ue000-\ue002]*)\]\(([A-Z][A-Z_]*)\)")
_KEPT = re.compile(f"{_OPEN}([^{_BETWEEN}]*){_BETWEEN}([^{_CLOSE}]*){_CLOSE}")


def mark_entity(text: str, kind: str) -> str:
    """The text as an entity of a type."""
    return f"{_OPEN}{''.join(chr(_SHIFT + ord(letter)) for letter in kind)}{_BETWEEN}{text}{_CLOSE}"


def has_marks(text: str) -> bool:
    """Whether a text holds a mark that `encode_marks` or `mark_entity` made."""
    return _OPEN in text


def extract_entities(text: str) -> tuple[str, Entities]:
    """The text without its marks, and where the entities are: (start, end, type) in characters."""
    entities = []
    written, position = "", 0
    for match in _KEPT.finditer(text):
        written += text[position : match.start()]
        entities.append((len(written), len(written) + len(match[2]), _type_of(match)))
        written += match[2]
        position = match.end()
    return written + text[position:], tuple(entities)


def _type_of(mark: re.Match[str]) -> str:
    return "".join(chr(ord(letter) - _SHIFT) for letter in mark[1])


def decode_marks(text: str) -> str:
    """The text with its marks as they are written in a template."""
    return _KEPT.sub(lambda match: f"[{match[2]}]({_type_of(match)})", text)


def encode_marks(literals: list[str], may_hold: list[bool], place: str = "") -> list[str]:
    """The literals of a template with ``[text](TYPE)`` made to marks; a mark may hold slots of the user's lists."""
    whole = _SLOT.join(literals)
    if "](" not in whole:
        return literals
    for mark in _WRITTEN.finditer(whole):
        inside = mark[1]
        first = whole[: mark.start(1)].count(_SLOT)
        held = may_hold[first : first + inside.count(_SLOT)]
        if not inside.strip():
            raise TemplateError(f"the mark []({mark[2]}) is empty.", place=place, remedy="Write [Alex](PER).")
        if not all(held):
            raise TemplateError(
                f"a slot is inside a mark of the type {mark[2]}.",
                place=place,
                remedy="Slots have types of their own ({person} PER, {country} LOC): write the slot without a mark. "
                "Only slots of your lists may be in one.",
            )
    return _WRITTEN.sub(lambda match: mark_entity(match[1], match[2]), whole).split(_SLOT)


@dataclass(frozen=True, eq=False)
class UnitLayout:
    """The mapping from the words of all sentences to m units."""

    unit: IntArray  # (W,) the unit of each word; -1 for words that are none
    head: IntArray  # (m,) the first word of each unit
    row: IntArray  # (m,), as ``position``, see `Units`
    position: IntArray
    in_slot: BoolArray  # (m,) whether it is an occurrence of the term
    aligned: BoolArray  # (n,) whether a sentence has as many words around the term as most of its source


def lay_out(examples: ExampleSet, sentences: Sentences, gold: Spans) -> UnitLayout:
    """Number the units of the sentences, and the places that they are in.

    An occurrence of the term takes the first places of its source, the words around it those behind, in order. "the"
    right before a term is no unit where the sentences of a source differ in the number of words around the term.
    """
    row, slot, n = sentences.row, sentences.slot, len(sentences)
    of_entity = span_of_words(sentences, gold) >= 0
    holder = row * (int(slot.max(initial=-1)) + 2) + slot + 1  # one code an occurrence of a term
    inside, outside = slot >= 0, slot < 0
    unused = inside & ~of_entity & np.isin(holder, holder[inside & of_entity])  # the article that a table counts in
    around = np.bincount(row[outside], minlength=n)
    settled = _most_common_size(around, examples)[1]
    articles = outside & ~settled[row] & _articles(sentences)
    around = around - np.bincount(row[articles], minlength=n)
    aligned = (examples.source < 0) | (around == _most_common_size(around, examples)[0])
    unused |= articles
    used = ~unused
    first = np.append(True, holder[used][1:] != holder[used][:-1]) if used.any() else np.empty(0, dtype=np.bool_)
    first |= ~inside[used]
    unit = np.full(len(row), -1, dtype=np.int64)
    unit[used] = np.cumsum(first) - 1
    head = np.flatnonzero(used)[first]
    unit_row, in_slot = row[head], inside[head]
    n_slots = int(slot.max(initial=-1)) + 1
    start = np.searchsorted(unit_row, np.arange(n))
    before = np.cumsum(~in_slot) - (~in_slot)
    order = before - before[start[unit_row]] if len(head) else before
    position = np.where(in_slot, slot[head], n_slots + order)
    position = np.where(in_slot | aligned[unit_row], position, -1).astype(np.int64)
    return UnitLayout(unit=unit, head=head, row=unit_row, position=position, in_slot=in_slot, aligned=aligned)


def span_of_words(sentences: Sentences, spans: Spans) -> IntArray:
    """(W,) the position in ``spans`` of the span that a word belongs to; -1 for none."""
    whose = np.full(len(sentences.words), -1, dtype=np.int64)
    base = sentences.offset[spans.row]
    span, word = ranges(base + spans.start, base + spans.end)
    whose[word] = span
    return whose


def _most_common_size(around: IntArray, examples: ExampleSet) -> tuple[IntArray, BoolArray]:
    """(n,) the usual number of words around the term in each row's source, of its marked rows, and if all agree."""
    expected, settled = around.copy(), np.ones(len(around), dtype=np.bool_)
    source = examples.source
    rows = np.flatnonzero(source >= 0)
    if not len(rows):
        return expected, settled
    width = int(around.max(initial=0)) + 1
    code = source[rows] * width + around[rows]
    voters = np.where(examples.group[rows] >= 0, len(around) + 1, 1)
    votes = np.bincount(code, weights=voters, minlength=(int(source.max()) + 1) * width).reshape(-1, width)
    usual = votes.argmax(axis=1)
    marked = np.where(votes > len(around), votes, 0)
    alone = (marked > 0).sum(axis=1) <= 1
    expected[rows], settled[rows] = usual[source[rows]], alone[source[rows]]
    return expected, settled


def _articles(sentences: Sentences) -> BoolArray:
    """(W,) whether a word is "the", right before the term."""
    before_term = np.zeros(len(sentences.words), dtype=np.bool_)
    if len(before_term) > 1:
        before_term[:-1] = (sentences.slot[1:] >= 0) & (sentences.slot[:-1] < 0)
        before_term[sentences.offset[1:-1][np.diff(sentences.offset)[:-1] > 0] - 1] = False
    candidates = np.flatnonzero(before_term)
    before_term[candidates] = [sentences.words[word].lower() == "the" for word in candidates]
    return before_term
