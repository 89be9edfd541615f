"""Sentences as a tagger reads them: the words of each text, its gold entities, and where the identity term stands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fairness_checklist.arrays import BoolArray, IntArray
from fairness_checklist.examples import Spans as CharacterSpans
from fairness_checklist.examples import Texts
from fairness_checklist.marks import Entities
from fairness_checklist.tagging import Spans, words

__all__ = ["Sentences", "TokenTexts", "read_sentences", "words_within"]


@dataclass(frozen=True, eq=False)
class Sentences:
    """n sentences of W words in all, flat.

    Attributes:
        words: the W words.
        offset: (n + 1,) where each sentence starts.
        types: the types of the gold entities, which ``gold.type`` points into.
        gold: the gold entities.
        tagged: (n,) whether the gold entities are known.
        slot: (W,) which of its sentence's places of the identity term a word belongs to (0, 1, ...); -1 elsewhere.
    """

    words: tuple[str, ...]
    offset: IntArray
    types: tuple[str, ...]
    gold: Spans
    tagged: BoolArray
    slot: IntArray

    def __len__(self) -> int:
        return len(self.offset) - 1

    @property
    def row(self) -> IntArray:
        """(W,) the sentence of each word."""
        return np.repeat(np.arange(len(self)), np.diff(self.offset))


@dataclass(frozen=True)
class TokenTexts:
    """Texts of which only the words are known, or the words beside the text: what a table of tagged sentences holds."""

    sentences: Sentences
    texts: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.sentences)

    def render(self, start: int, stop: int) -> list[str]:
        """The texts of rows start to stop, else their words with a space between."""
        if self.texts:
            return list(self.texts[start:stop])
        offset = self.sentences.offset
        return [" ".join(self.sentences.words[offset[r] : offset[r + 1]]) for r in range(start, min(stop, len(self)))]

    def spans(self, start: int, stop: int) -> list[CharacterSpans]:
        """None: the term's place is known in words, see ``sentences``."""
        return [()] * (min(stop, len(self)) - start)

    def entities(self, start: int, stop: int) -> list[Entities]:
        """None: the entities are known in words, see ``sentences``."""
        return [()] * (min(stop, len(self)) - start)


def read_sentences(texts: Texts) -> Sentences:
    """The words of each text, and which of them are entities and identity terms.

    >>> from fairness_checklist.examples import ListedTexts
    >>> found = read_sentences(ListedTexts(("Ana's here.",), (((0, 3),),)))
    >>> found.words, found.slot.tolist()
    (('Ana', "'s", 'here', '.'), [0, -1, -1, -1])
    """
    if isinstance(texts, TokenTexts):
        return texts.sentences
    n = len(texts)
    rendered, terms, entities = texts.render(0, n), texts.spans(0, n), texts.entities(0, n)
    types = tuple(dict.fromkeys(kind for found in entities for _start, _end, kind in found))
    code = {kind: at for at, kind in enumerate(types)}
    listed: list[str] = []
    lengths: list[int] = []
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
        tuple(listed),
        np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
        types,
        Spans.of(gold),
        np.ones(n, dtype=np.bool_),
        np.concatenate(slots) if slots else np.empty(0, dtype=np.int64),
    )


def words_within(borders: Sequence[tuple[int, int]], start: int, end: int) -> tuple[int, int]:
    """The first word that overlaps the characters start to end, and the one after the last.

    >>> words_within([(0, 4), (4, 6), (7, 11)], 5, 8)
    (1, 3)
    """
    inside = [at for at, (left, right) in enumerate(borders) if left < end and right > start]
    return (inside[0], inside[-1] + 1) if inside else (0, 0)
