"""The words that a tokenizer writes as one piece, and the pieces of any other word, after a space or without one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fairness_checklist.core.arrays import IntArray
from fairness_checklist.core.errors import OptionError
from fairness_checklist.models.engines.local import silence_transformers

CONTINUES = "##"  # WordPiece: before a piece that continues a word
BYTES, SENTENCES = "Ġ", "▁"  # byte-level BPE and SentencePiece: before a piece that follows a space
ENDS = "</w>"  # BPE of characters: after a piece that ends a word


@dataclass(frozen=True, eq=False)
class WordPieces:
    """The W whole words of a vocabulary: alphanumeric, and one piece each."""

    tokenizer: Any  # the tokenizer
    words: tuple[str, ...]  # the W words, sorted; each once
    spaced: IntArray  # (W,) the piece of each word after a space
    glued: IntArray  # (W,) its piece where no space is before it, such as behind a bracket; -1 where it has none
    starts_spaced: bool  # whether a word at the start of a text is written as after a space
    space: int  # the piece that is a space alone; -1 where there is none

    def is_spaced(self, before: str) -> bool:
        """Whether a word behind the text ``before`` is written as after a space."""
        return before[-1].isspace() if before else self.starts_spaced

    def single(self, spaced: Sequence[bool]) -> dict[str, list[tuple[int, ...]]]:
        """The words that are one piece in each of several places, sorted, and this piece in each place."""
        columns = np.stack([self.spaced if after_space else self.glued for after_space in spaced], axis=1).tolist()
        rows = zip(self.words, columns, strict=True)
        return {word: [(piece,) for piece in pieces] for word, pieces in rows if min(pieces) >= 0}

    def split(self, word: str, *, spaced: bool) -> tuple[int, ...]:
        """The pieces of a word, of several words or of whatever else is written in place of a word."""
        if spaced:
            pieces = self._ids(f" {word}")
        else:
            bracket, together = self._ids("("), self._ids(f"({word}")
            begins = together[: len(bracket)] == bracket
            pieces = together[len(bracket) :] if begins else self._ids(word)
        if not pieces or not set(pieces).isdisjoint(self.tokenizer.all_special_ids):
            raise OptionError(
                f"the candidate {word!r} cannot be written with the model's vocabulary.", remedy="Leave it out."
            )
        return tuple(pieces)

    def _ids(self, text: str) -> list[int]:
        with silence_transformers():
            ids: list[int] = self.tokenizer(text, add_special_tokens=False)["input_ids"]
        return ids


def read_word_pieces(tokenizer: Any, size: int) -> WordPieces:
    """The whole words of a tokenizer's vocabulary.

    The family is told by the mark that most pieces have: ``##`` of WordPiece, before what continues a word; ``Ġ`` of
    byte-level BPE and ``▁`` of SentencePiece, before what follows a space; ``</w>``, behind what ends a word. Where
    pieces without the mark may begin a word or continue one, such a piece is a whole word if the vocabulary also holds
    it with the mark.
    """
    special = set(tokenizer.all_special_ids)
    vocabulary: dict[str, int] = {
        piece: int(at) for piece, at in tokenizer.get_vocab().items() if at < size and at not in special
    }
    mark = _mark(vocabulary)
    pairs: dict[str, tuple[int, int]] = {}
    for piece, at in sorted(vocabulary.items(), key=lambda item: item[1]):
        text = _text(piece, mark, tokenizer)
        if text.isalnum():
            glued = vocabulary.get(piece.removeprefix(mark), -1) if mark in (BYTES, SENTENCES) else at
            pairs.setdefault(text, (at, glued))
    words = tuple(sorted(pairs))
    ids = np.array([pairs[word] for word in words], dtype=np.int64).reshape(-1, 2)
    starts_spaced = True
    if mark in (BYTES, SENTENCES):
        with silence_transformers():
            starts_spaced = tokenizer.tokenize("a")[0].startswith(mark)
    return WordPieces(tokenizer, words, ids[:, 0], ids[:, 1], starts_spaced, vocabulary.get(mark, -1))


def _mark(vocabulary: Mapping[str, int]) -> str:
    """The mark of the vocabulary's family; that of WordPiece where no piece has any."""
    counts = {mark: sum(piece.startswith(mark) for piece in vocabulary) for mark in (CONTINUES, BYTES, SENTENCES)}
    counts[ENDS] = sum(piece.endswith(ENDS) for piece in vocabulary)
    return max(counts, key=lambda mark: counts[mark])


def _text(piece: str, mark: str, tokenizer: Any) -> str:
    """What a piece that is a whole word reads as; "" for any other piece."""
    if mark == CONTINUES:
        return "" if piece.startswith(mark) else piece
    if mark == ENDS:
        return piece.removesuffix(mark) if piece.endswith(mark) else ""
    if not piece.startswith(mark):
        return ""
    if mark == BYTES and not piece[1:].isascii():  # bytes that are no ASCII stand for themselves under other letters
        return str(tokenizer.convert_tokens_to_string([piece])).strip()
    return piece.removeprefix(mark)
