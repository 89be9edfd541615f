"""Alignment of sub-words and words by their positions in the text; long texts are split into windows."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain, pairwise
from typing import Any

import numpy as np

from fairness_checklist.core.arrays import BoolArray, FloatArray, IntArray
from fairness_checklist.models.engines.local import Tokens, tokenize
from fairness_checklist.models.token_predictions import word_spans

# The share of a window that the next one sees again, so that words at a border have something on both sides.
OVERLAP = 4
# What a tokenizer of SentencePiece's kind, or of bytes, writes for a space that it does not join to the word.
SPACE_MARKS = ("\u2581", "\u0120")


@dataclass(frozen=True, eq=False)
class Subwords:
    """The K sub-words of m texts, special ones included, as sequences that a model reads.

    Characters are counted through all texts, with one between two of them.
    """

    tokens: Tokens  # the tokens of each sequence; a long text is several of them
    position: IntArray  # (K,) where each sub-word is in the sequences laid one after another, -1 where it is in none
    start: IntArray  # start, end: (K,) the characters that it covers; none of a special one
    end: IntArray
    special: BoolArray  # (K,) True where it stands for no word, but for the begin or the end of a sequence
    space: BoolArray  # (K,) True where it is nothing but the mark of a space before a word
    split: BoolArray  # (m,) True where the text is several sequences
    words: IntArray  # (W, 2) the characters of each word
    word_offset: IntArray  # (m + 1,) where each text's words start


def split_texts(tokenizer: Any, texts: list[str], limit: int | None) -> Subwords:
    """The sub-words of texts, by a fast tokenizer; texts of more than ``limit`` tokens in windows that overlap.

    Windows begin and end between words (a word longer than a window excepted), and each sub-word is read off one of
    them: the one in which it is further from the border.
    """
    encoded = tokenize(tokenizer, texts, return_offsets_mapping=True, return_special_tokens_mask=True)
    tokens = Tokens.of_lists(encoded["input_ids"], encoded.get("token_type_ids"))
    first = np.cumsum([0, *(len(text) + 1 for text in texts)])[:-1]
    characters = np.fromiter(chain.from_iterable(chain.from_iterable(encoded["offset_mapping"])), dtype=np.int64)
    start, end = (characters.reshape(-1, 2) + np.repeat(first, tokens.lengths)[:, None]).T
    marks = [tokenizer.convert_tokens_to_ids(mark) for mark in SPACE_MARKS]
    words, word_offset = word_spans(texts)
    subwords = Subwords(
        tokens=tokens,
        position=np.arange(len(tokens.ids)),
        start=start,
        end=end,
        special=np.fromiter(chain.from_iterable(encoded["special_tokens_mask"]), dtype=np.bool_),
        space=np.isin(tokens.ids, [mark for mark in marks if mark is not None and mark != tokenizer.unk_token_id]),
        split=np.zeros(len(texts), dtype=np.bool_) if limit is None else tokens.lengths > limit,
        words=words + np.repeat(first, np.diff(word_offset))[:, None],
        word_offset=word_offset,
    )
    if subwords.split.any():
        return _split_into_windows(subwords, int(limit or 0))
    return replace(subwords, tokens=replace(tokens, offset=np.unique(tokens.offset)))  # no sequence without tokens


def align(start: IntArray, end: IntArray, space: BoolArray, words: IntArray) -> tuple[IntArray, IntArray]:
    """The first and the last sub-word of each of W words, -1 where it has none.

    A sub-word may cover several words and then belongs to each. A mark of the space before a word belongs to that word,
    as it does where a tokenizer cuts a word that it was given alone. One that covers nothing belongs to none.

    >>> words = np.array([[0, 3], [4, 6]])
    >>> align(np.array([0, 2, 3]), np.array([2, 3, 6]), np.array([False, False, False]), words)
    (array([0, 2]), array([1, 2]))
    >>> align(np.array([0, 3, 4]), np.array([3, 4, 6]), np.array([False, True, False]), words)
    (array([0, 1]), array([0, 2]))
    """
    word_start, word_end = words.T
    after = np.searchsorted(word_end, start, side="right")
    following = np.append(word_start, np.iinfo(np.int64).max)[after]
    blank = following >= end
    leading = blank & space & (following == end)
    used = np.flatnonzero(~blank | leading)
    left = np.maximum.accumulate(np.where(leading, following, start)[used])
    right = np.maximum.accumulate(np.where(leading, following + 1, end)[used])
    first = np.searchsorted(right, word_start, side="right")
    last = np.searchsorted(left, word_end, side="left") - 1
    has = first <= last
    if not len(used):
        return np.full(len(has), -1), np.full(len(has), -1)
    return np.where(has, used[np.minimum(first, len(used) - 1)], -1), np.where(has, used[last], -1)


def mean_of_rows(values: FloatArray, first: IntArray, last: IntArray) -> FloatArray:
    """For each of W > 0 words the mean of the rows first to last, inclusive, of ``values`` (K, L)."""
    padded = np.concatenate([values, np.zeros((1, values.shape[1]))])
    sums = np.add.reduceat(padded, np.column_stack([first, last + 1]).ravel(), axis=0)[::2]
    return np.asarray(sums / (last - first + 1)[:, None], dtype=np.float64)


def _split_into_windows(subwords: Subwords, limit: int) -> Subwords:
    """The sequences of long texts cut into windows, and each sub-word where it is read off."""
    tokens, word_offset = subwords.tokens, subwords.word_offset
    sequences: list[IntArray] = []  # which tokens each holds
    position = np.full(len(tokens.ids), -1, dtype=np.int64)
    done = 0
    for text, (low, high) in enumerate(pairwise(tokens.offset.tolist())):
        row = np.arange(low, high)
        if not subwords.split[text]:
            position[row] = row - low + done
            sequences.append(row)
            done += len(row)
            continue
        content = row[~subwords.special[row]]
        head, tail = int(content[0]), int(content[-1]) + 1
        n, here = tail - head, slice(head, tail)
        words = subwords.words[word_offset[text] : word_offset[text + 1]]
        breaks = _break_points(*align(subwords.start[here], subwords.end[here], subwords.space[here], words), n)
        for begin, stop, lower, upper in _plan_windows(n, limit - len(row) + n, breaks):
            position[head + lower : head + upper] = np.arange(lower, upper) - begin + head - low + done
            sequences.append(np.r_[low:head, head + begin : head + stop, tail:high])
            done += len(sequences[-1])
    index = np.concatenate(sequences)
    offset = np.cumsum([0, *(len(row) for row in sequences if len(row))])
    windows = Tokens(tokens.ids[index], offset, None if tokens.types is None else tokens.types[index])
    return replace(subwords, tokens=windows, position=position)


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
