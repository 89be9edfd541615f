"""Tokens of many texts that share their words: each different piece between spaces is tokenized once.

The texts of a suite are long lists of few words. Where a tokenizer cuts a text at its spaces and treats what stands
between them one by one, the tokens of a text are those of its pieces in a row, and a look-up replaces the tokenizer.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from itertools import chain, islice
from typing import Any

import numpy as np

from fairness_checklist.core.arrays import IntArray
from fairness_checklist.core.tagging import words
from fairness_checklist.models.engines.token_batches import Places, Tokens, Words, flat, offsets

# Steps of a normaliser that read one character at a time, and so never look across a space.
_BY_CHARACTER = ("BertNormalizer", "NFC", "NFD", "NFKC", "NFKD", "StripAccents", "Lowercase")
_MOST_PIECES = 100_000
_CHECKED = 3  # texts of each chunk that are tokenized whole as well, to be compared


class _Index(dict[str, int]):
    """Numbers for pieces as they come, from 2; 0 and 1 are the special tokens before and after a text."""

    def __missing__(self, piece: str) -> int:
        self[piece] = number = len(self) + 2
        return number


class Pieces:
    """The pieces of texts that were seen, and their tokens."""

    def __init__(self, tokenizer: Any) -> None:
        self.tokenizer = tokenizer
        self.wants_types = "token_type_ids" in tokenizer.model_input_names
        self.special = _special_tokens(tokenizer)
        added = [re.escape(token) for token in tokenizer.get_added_vocab()]
        self.added = re.compile("|".join(sorted(added, key=len, reverse=True))) if added else None
        self._forget()

    def _forget(self) -> None:
        self.index = _Index()
        self.known = 0
        self.ids: list[list[int]] = list(self.special)
        self.where: list[list[tuple[int, int]]] = [[(0, 0)] * len(row) for row in self.special]
        self.spans: list[list[tuple[int, int]]] = [[], []]
        self.width = [-1, -1]
        self.flat: dict[str, IntArray] = {}

    def encode(self, texts: Sequence[str], *, places: bool = False) -> tuple[Tokens, Places | None]:
        """The tokens of m texts, and with ``places`` where they and the words are; the same as of the tokenizer."""
        if len(self.index) > _MOST_PIECES:
            self._forget()
        look_up = self.index.__getitem__
        rows = [[0, *map(look_up, text.split(" ")), 1] for text in texts]
        self._learn()
        pieces = Tokens.of_lists(rows)
        table, at = self.flat, pieces.ids
        ids, offset = _gather(table["ids"], table["offset"], at)
        text_offset = offset[pieces.offset]
        types = np.zeros(len(ids), dtype=np.int64) if self.wants_types else None
        tokens = Tokens(ids, text_offset, types)
        where = self._places(at, offset, pieces.offset, table) if places else None
        self._compare(texts, tokens, where)
        return tokens, where

    def _places(self, at: IntArray, offset: IntArray, texts: IntArray, table: dict[str, IntArray]) -> Places:
        # A piece is followed by a space, the last one by the character between two texts; special tokens by nothing.
        begins = offsets(table["width"][at] + 1)[:-1]
        first = np.repeat(begins, np.diff(offset))
        start, _ = _gather(table["start"], table["offset"], at)
        end, _ = _gather(table["end"], table["offset"], at)
        special = np.repeat(at < 2, np.diff(offset))
        word_start, words_at = _gather(table["word_start"], table["words"], at)
        word_end, _ = _gather(table["word_end"], table["words"], at)
        word_first = np.repeat(begins, np.diff(words_at))
        words = Words(word_start + word_first, word_end + word_first, words_at[texts])
        return Places(start + first, end + first, special, words)

    def _learn(self) -> None:
        new = list(islice(self.index, self.known, None))
        if not new and self.flat:
            return
        if self.added is not None and any(map(self.added.search, new)):
            for piece in new:
                del self.index[piece]
            raise LookupError
        for piece, encoded in zip(new, self._encoded(new, add_special_tokens=False), strict=True):
            self.ids.append(encoded.ids)
            self.where.append(encoded.offsets)
            self.spans.append(words(piece))
            self.width.append(len(piece))
        self.known = len(self.index)
        self.flat = {
            "ids": flat(self.ids),
            "offset": offsets([len(row) for row in self.ids]),
            "words": offsets([len(row) for row in self.spans]),
            "width": np.array(self.width, dtype=np.int64),
        }
        for names, pairs in ((("start", "end"), self.where), (("word_start", "word_end"), self.spans)):
            both = flat(list(chain.from_iterable(pairs))).reshape(-1, 2)
            self.flat.update(zip(names, both.T, strict=True))

    def _encoded(self, texts: list[str], **options: bool) -> list[Any]:
        backend = self.tokenizer.backend_tokenizer
        backend.no_truncation()
        backend.no_padding()
        encoded: list[Any] = backend.encode_batch(texts, **options)
        return encoded

    def _compare(self, texts: Sequence[str], tokens: Tokens, places: Places | None) -> None:
        """Raise `LookupError` where the tokenizer gives something else for some of the texts."""
        rows = sorted({0, len(texts) // 2, len(texts) - 1}) if len(texts) > _CHECKED else range(len(texts))
        for row, whole in zip(rows, self._encoded([texts[row] for row in rows]), strict=True):
            cut = slice(int(tokens.offset[row]), int(tokens.offset[row + 1]))
            same = whole.ids == tokens.ids[cut].tolist()
            if same and places is not None:
                first = sum(map(len, texts[:row])) + row
                kept = ~places.special[cut]
                own = np.column_stack([places.start[cut], places.end[cut]])[kept] - first
                same = np.array_equal(own, np.array(whole.offsets, dtype=np.int64).reshape(-1, 2)[kept])
            if not same:
                raise LookupError


def piece_table(tokenizer: Any) -> Pieces | None:
    """The table of a tokenizer; None where its tokens depend on more than what stands between two spaces."""
    return Pieces(tokenizer) if splits_at_spaces(tokenizer) else None


def splits_at_spaces(tokenizer: Any) -> bool:
    """Whether a tokenizer reads what stands between two spaces by itself: that of BERT, DistilBERT and their like."""
    backend = getattr(tokenizer, "backend_tokenizer", None)
    if backend is None or not getattr(tokenizer, "is_fast", False):
        return False
    facts = json.loads(backend.to_str())
    added = facts.get("added_tokens") or []
    if any(" " in token["content"] or token["lstrip"] or token["rstrip"] for token in added):
        return False
    return (
        _steps(facts["normalizer"], "normalizers") <= set(_BY_CHARACTER)
        and _steps(facts["pre_tokenizer"], "pretokenizers") == {"BertPreTokenizer"}
        and facts["model"]["type"] in ("WordPiece", "WordLevel")
        and _has_plain_specials(tokenizer)
    )


def _steps(part: dict[str, Any] | None, key: str) -> set[str]:
    if part is None:
        return set()
    if part["type"] == "Sequence":
        return set().union(*(_steps(step, key) for step in part[key])) if part[key] else set()
    return {str(part["type"])}


def _special_tokens(tokenizer: Any) -> tuple[list[int], list[int]]:
    encoded = tokenizer("a", truncation=False, return_special_tokens_mask=True)
    ids, special = encoded["input_ids"], encoded["special_tokens_mask"]
    inside = [at for at, is_special in enumerate(special) if not is_special]
    return (ids[: inside[0]], ids[inside[-1] + 1 :]) if inside else (ids, [])


def _has_plain_specials(tokenizer: Any) -> bool:
    """Whether special tokens and a text are put together in one way, and all have the token type 0."""
    encoded = tokenizer("a", truncation=False, return_special_tokens_mask=True, return_token_type_ids=True)
    outside = [at for at, is_special in enumerate(encoded["special_tokens_mask"]) if not is_special]
    return bool(outside) and not any(encoded["token_type_ids"])


def _gather(values: IntArray, offset: IntArray, rows: IntArray) -> tuple[IntArray, IntArray]:
    """The values of some rows one after another, and where each of them starts."""
    lengths = np.diff(offset)[rows]
    starts = offsets(lengths)
    return values[np.repeat(offset[rows] - starts[:-1], lengths) + np.arange(starts[-1])], starts
