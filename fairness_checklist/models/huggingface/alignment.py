"""Alignment of sub-words and words by their positions in the text; long texts are split into windows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain, pairwise
from typing import Any

import numpy as np

from fairness_checklist.core.arrays import BoolArray, FloatArray, IntArray
from fairness_checklist.models.engines.local import tokenize
from fairness_checklist.models.engines.token_batches import Places, Tokens, Words, offsets
from fairness_checklist.models.token_predictions import word_spans

# The share of a window that the next one sees again, so that words at a border have something on both sides.
OVERLAP = 4
# What a tokenizer of SentencePiece's kind, or of bytes, writes for a space that it does not join to the word.
SPACE_MARKS = ("\u2581", "\u0120")


@dataclass(frozen=True, eq=False)
class Subwords:
    """The sub-words of m texts, as sequences that a model reads; a long text is several of them."""

    tokens: Tokens  # the tokens of each sequence, special ones included
    # (K,) for each sub-word, in the order of the texts, where it is in the sequences laid one after another
    position: IntArray
    # start, end: (K,) the characters that it covers, counted through all texts (one between two of them)
    start: IntArray
    end: IntArray
    space: BoolArray  # (K,) True where it is nothing but the mark of a space before a word
    split: BoolArray  # (m,) True where the text is several sequences
    words: Words  # where the words of the texts are


def split_texts(tokenizer: Any, texts: list[str], limit: int | None) -> Subwords:
    """The sub-words of texts, by a fast tokenizer; texts of more than ``limit`` tokens in windows that overlap.

    Windows begin and end between words (a word longer than a window excepted), and each sub-word is read off one of
    them: the one in which it is further from the border.
    """
    tokens, places = _tokenize(tokenizer, texts)
    marks = [tokenizer.convert_tokens_to_ids(mark) for mark in SPACE_MARKS]
    space = np.isin(tokens.ids, [mark for mark in marks if mark is not None and mark != tokenizer.unk_token_id])
    split = np.zeros(len(texts), dtype=np.bool_) if limit is None else tokens.lengths > limit
    position = np.arange(len(tokens.ids))
    if split.any():
        tokens, position = _split_into_windows(tokens, places, space, split, int(limit or 0))
    elif not tokens.lengths.all():
        tokens = replace(tokens, offset=np.unique(tokens.offset))
    content = ~places.special
    return Subwords(
        tokens=tokens,
        position=position[content],
        start=places.start[content],
        end=places.end[content],
        space=space[content],
        split=split,
        words=places.words,
    )


def _tokenize(tokenizer: Any, texts: list[str]) -> tuple[Tokens, Places]:
    """The tokens of m texts, and where they and the words are."""
    encoded = tokenize(tokenizer, texts, return_offsets_mapping=True, return_special_tokens_mask=True)
    tokens = Tokens.of_lists(encoded["input_ids"], encoded.get("token_type_ids"))
    first = offsets([len(text) + 1 for text in texts])
    where = np.fromiter(chain.from_iterable(chain.from_iterable(encoded["offset_mapping"])), dtype=np.int64)
    start, end = (where.reshape(-1, 2) + np.repeat(first[:-1], tokens.lengths)[:, None]).T
    special = np.fromiter(chain.from_iterable(encoded["special_tokens_mask"]), dtype=np.bool_)
    spans, offset = word_spans(texts)
    spans = spans + np.repeat(first[:-1], np.diff(offset))[:, None]
    return tokens, Places(start, end, special, Words(spans[:, 0], spans[:, 1], offset))


def align(start: IntArray, end: IntArray, space: BoolArray, words: Words) -> tuple[IntArray, IntArray]:
    """The first and the last sub-word of each of W words, -1 where it has none.

    A sub-word may cover several words and then belongs to each. A mark of the space before a word belongs to that word,
    as it does where a tokenizer cuts a word that it was given alone.

    >>> words = Words(np.array([0, 4]), np.array([3, 6]), np.array([0, 2]))
    >>> align(np.array([0, 2, 3]), np.array([2, 3, 6]), np.array([False, False, False]), words)
    (array([0, 2]), array([1, 2]))
    >>> align(np.array([0, 3, 4]), np.array([3, 4, 6]), np.array([False, True, False]), words)
    (array([0, 1]), array([0, 2]))
    """
    after = np.searchsorted(words.end, start, side="right")
    following = np.append(words.start, np.iinfo(np.int64).max)[after]
    blank = following >= end
    leading = blank & space & (following == end)
    used = np.flatnonzero(~blank | leading)
    left = np.maximum.accumulate(np.where(leading, following, start)[used])
    right = np.maximum.accumulate(np.where(leading, following + 1, end)[used])
    first = np.searchsorted(right, words.start, side="right")
    last = np.searchsorted(left, words.end, side="left") - 1
    has = first <= last
    if not len(used):
        return np.full(len(has), -1), np.full(len(has), -1)
    return np.where(has, used[np.minimum(first, len(used) - 1)], -1), np.where(has, used[last], -1)


def mean_of_rows(values: FloatArray, first: IntArray, last: IntArray) -> FloatArray:
    """For each of W > 0 words the mean of the rows first to last, inclusive, of ``values`` (K, L)."""
    padded = np.concatenate([values, np.zeros((1, values.shape[1]))])
    sums = np.add.reduceat(padded, np.column_stack([first, last + 1]).ravel(), axis=0)[::2]
    return np.asarray(sums / (last - first + 1)[:, None], dtype=np.float64)


def _split_into_windows(
    tokens: Tokens, places: Places, space: BoolArray, split: BoolArray, limit: int
) -> tuple[Tokens, IntArray]:
    """The sequences with those of long texts cut into windows, and for each token where it is read off."""
    sequences: list[IntArray] = []  # which tokens each holds
    position = np.full(len(places.special), -1, dtype=np.int64)
    done = 0
    for text, (low, high) in enumerate(pairwise(tokens.offset.tolist())):
        row = np.arange(low, high)
        if not split[text]:
            position[row] = row - low + done
            sequences.append(row)
            done += len(row)
            continue
        content = row[~places.special[row]]
        head, tail = int(content[0]), int(content[-1]) + 1
        n, here = tail - head, slice(head, tail)
        these = slice(int(places.words.offset[text]), int(places.words.offset[text + 1]))
        words = Words(places.words.start[these], places.words.end[these], places.words.offset[:0])
        breaks = _break_points(*align(places.start[here], places.end[here], space[here], words), n)
        for begin, stop, lower, upper in _plan_windows(n, limit - len(row) + n, breaks):
            position[head + lower : head + upper] = np.arange(lower, upper) - begin + head - low + done
            sequences.append(np.r_[low:head, head + begin : head + stop, tail:high])
            done += len(sequences[-1])
    index = np.concatenate(sequences)
    lengths = [len(row) for row in sequences if len(row)]
    return Tokens(tokens.ids[index], offsets(lengths), None if tokens.types is None else tokens.types[index]), position


def _break_points(first: IntArray, last: IntArray, n: int) -> IntArray:
    """Before which of n sub-words a text may be cut: where a word begins, and none goes on."""
    first, last = first[first >= 0], last[first >= 0]
    going_on = np.cumsum(np.bincount(first + 1, minlength=n + 2)[: n + 2] - np.bincount(last + 1, minlength=n + 2))
    begins = np.zeros(n, dtype=np.bool_)
    begins[first] = True
    return np.flatnonzero(begins & (going_on[:n] == 0))


def _plan_windows(n: int, window_size: int, breaks: IntArray) -> Iterator[tuple[int, int, int, int]]:
    """Windows over n sub-words: begin and end of each, and which of its sub-words are read off it."""
    begin = lower = 0
    while n - begin > window_size:
        before = breaks[(breaks > begin) & (breaks <= begin + window_size)]
        stop = int(before[-1]) if len(before) else begin + window_size
        again = _first_break(breaks, max(stop - window_size // OVERLAP, begin + 1), stop)
        upper = max(_first_break(breaks, (again + stop) // 2, stop), lower)
        yield begin, stop, lower, upper
        begin, lower = again, upper
    yield begin, n, lower, n


def _first_break(breaks: IntArray, least: int, most: int) -> int:
    inside = breaks[(breaks >= least) & (breaks <= most)]
    return int(inside[0]) if len(inside) else most
