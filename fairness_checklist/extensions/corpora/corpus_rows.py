"""One pass over a labelled corpus, batch by batch: what an audit keeps of each text, and how often each word occurs.

Some 12 bytes a text are kept, 16 for each term in it, and 8 for each different text: a hash. Among 10 million texts two
have the same 64 bits with a probability below 1 in 300,000.
"""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairness_checklist.core.arrays import BoolArray, FloatArray, IntArray
from fairness_checklist.core.errors import OptionError
from fairness_checklist.core.progress import progress_bar
from fairness_checklist.extensions.corpora.authors import author_codes
from fairness_checklist.extensions.corpora.term_mentions import MentionFinder, check_texts
from fairness_checklist.extensions.engines.batches import over_batches
from fairness_checklist.statistics.design_effects import design_effects, intraclass_correlation

__all__ = ["Batch", "CorpusRows", "author_keys", "read_rows"]

Batch = tuple[Sequence[str], Sequence[object], IntArray | None]
"""The texts of a batch, their labels, and a number for the author of each, if authors are known."""
_WORD = re.compile(r"[^\W\d_]+(?:['\u2019][^\W\d_]+)*")
_LABELS = 20  # labels that an error lists


@dataclass
class WordCounts:
    """How many texts, and how many positive ones, have each word; with authors also which texts.

    Attributes:
        n, positive: the numbers by word.
        number: with authors the column of each word.
        columns, ends: the words of each text one after another, and where those of each text end.
    """

    n: Counter[str] = field(default_factory=Counter)
    positive: Counter[str] = field(default_factory=Counter)
    number: dict[str, int] = field(default_factory=dict)
    columns: array[int] = field(default_factory=lambda: array("i"))
    ends: array[int] = field(default_factory=lambda: array("q", [0]))

    def add(self, texts: Sequence[str], is_positive: BoolArray, *, clustered: bool) -> None:
        """Count the words of further texts."""
        for text, yes in zip(texts, is_positive.tolist(), strict=True):
            used = set(_WORD.findall(text.casefold()))
            self.n.update(used)
            if yes:
                self.positive.update(used)
            if clustered:
                self.columns.extend(self.number.setdefault(word, len(self.number)) for word in used)
                self.ends.append(len(self.columns))


@dataclass(frozen=True, eq=False)
class CorpusRows:
    """What an audit keeps of n texts.

    Attributes:
        is_positive: (n,) whether the text is of the positive class.
        bucket: (n,) its length bucket, from 0.
        row, term: (M,) the mentions.
        shape: T and B, the number of terms and of buckets.
        author: (n,) the number of its author, without gaps; None where texts are taken as independent.
        repeated: texts that stand before, word for word.
        words: the words, where they were asked for.
    """

    is_positive: BoolArray
    bucket: NDArray[np.int16]
    row: IntArray
    term: IntArray
    shape: tuple[int, int]
    author: IntArray | None
    repeated: int
    words: WordCounts

    def counts(self) -> IntArray:
        """(2, 1 + T, B) the texts, and the positive ones, of each length: all texts, then those with each term.

        >>> rows = CorpusRows(np.array([True, False]), np.array([0, 1], dtype=np.int16), np.array([1]), np.array([0]),
        ...                   (1, 2), None, 0, WordCounts())
        >>> rows.counts().tolist()
        [[[1, 1], [0, 1]], [[1, 0], [0, 0]]]
        """
        terms, buckets = self.shape
        cells = np.concatenate([self.bucket, (self.term + 1) * buckets + self.bucket[self.row]])
        positive = np.concatenate([self.is_positive, self.is_positive[self.row]])
        size = (1 + terms) * buckets
        both = [np.bincount(each, minlength=size) for each in (cells, cells[positive])]
        return np.array(both).reshape(2, 1 + terms, buckets)

    def mentions(self) -> Any:
        """(n, 1 + T) sparse: 1 for all texts, and for the terms that they mention."""
        from scipy.sparse import csr_array

        n = len(self.is_positive)
        row, column = np.concatenate([np.arange(n), self.row]), np.concatenate([np.zeros(n, dtype=int), self.term + 1])
        return csr_array((np.ones(len(row), dtype=np.int8), (row, column)), shape=(n, 1 + self.shape[0]))

    def word_effects(self, words: Sequence[str]) -> FloatArray:
        """(W,) the design effects of words; 1 without authors."""
        if self.author is None:
            return np.ones(len(words))
        from scipy.sparse import csr_array

        known = self.words
        shape, data = (len(self.is_positive), len(known.number)), np.ones(len(known.columns), dtype=np.int8)
        held = csr_array((data, np.array(known.columns), np.array(known.ends)), shape=shape)
        held = held[:, [known.number[word] for word in words]]
        return design_effects(held, self.author, intraclass_correlation(self.is_positive, self.author))


@dataclass(frozen=True, eq=False)
class _Counted:
    """The texts of a batch that count, their labels and authors, and how many texts it had."""

    texts: Sequence[str]
    labels: list[str]
    authors: IntArray | None
    size: int


@dataclass(frozen=True, eq=False)
class _FindIn:
    """Finds terms in a batch; a process of its own can do it."""

    finder: MentionFinder

    def __call__(self, batch: _Counted) -> tuple[IntArray, IntArray]:
        return self.finder.find(batch.texts)


def read_rows(
    batches: Iterable[Batch],
    finder: MentionFinder,
    *,
    positive: str,
    edges: Sequence[int],
    total: int | None = None,
    distinct: bool = False,
    words: bool = False,
    workers: int = 1,
    engine: str = "local",
) -> CorpusRows:
    """Read a corpus once.

    Args:
        batches: its texts; none or all of them with authors.
        finder: of the T terms.
        positive, edges, distinct: see `audit`.
        total: the number of texts where it is known, for the progress bar.
        words: whether words are counted.
        workers, engine: processes that look for terms, see `over_batches`.

    Raises:
        OptionError: texts that are no strings, one class or author only.
    """
    is_positive, bucket = array("b"), array("h")
    row, term, author = array("q"), array("q"), array("q")
    pairs, different, counted = _Seen(), _Seen(), WordCounts()
    labels: dict[str, None] = {}
    clustered = False

    def counted_texts() -> Iterator[_Counted]:
        for texts, given, keys in batches:
            check_texts(texts)
            size, named, key = len(texts), [*map(str, given)], _hashes(texts)
            if distinct:
                first = np.flatnonzero(pairs.are_new(key + 3 * _hashes(named)))  # 3: a pair is not its reverse
                texts, named, key = [texts[int(at)] for at in first], [named[at] for at in first], key[first]
                keys = None if keys is None else keys[first]
            different.are_new(key)
            yield _Counted(texts, named, keys, size)

    with progress_bar(total, "terms in texts", "texts") as advance:
        find = _FindIn(finder)
        for one, (rows, terms) in over_batches(find, counted_texts(), workers=workers, engine=engine):
            texts, named, keys, size = one.texts, one.labels, one.authors, one.size
            clustered = keys is not None
            if len(labels) <= _LABELS:
                labels |= dict.fromkeys(named)
            yes = np.array([label == positive for label in named], dtype=np.bool_)
            row.frombytes((rows + len(is_positive)).tobytes())
            term.frombytes(terms.tobytes())
            is_positive.frombytes(yes.tobytes())
            bucket.frombytes(np.digitize([*map(len, texts)], edges).astype(np.int16).tobytes())
            if keys is not None:
                author.frombytes(keys.astype(np.int64).tobytes())
            if words:
                counted.add(texts, yes, clustered=clustered)
            advance(size)
    held = np.array(is_positive, dtype=np.bool_)
    if held.all() or not held.any():
        shown = ", ".join([*labels][:_LABELS]) + (" and others" if len(labels) > _LABELS else "")
        raise OptionError(
            f"an audit needs texts of the class {positive} and others; the labels are {shown or 'none'}.",
            remedy="Name the positive class: positive=...",
        )
    return CorpusRows(
        is_positive=held,
        bucket=np.array(bucket, dtype=np.int16),
        row=np.array(row, dtype=np.int64),
        term=np.array(term, dtype=np.int64),
        shape=(finder.width, len(edges) + 1),
        author=author_codes(np.array(author), len(held)) if clustered else None,
        repeated=len(held) - different.number,
        words=counted,
    )


def author_keys(authors: Sequence[str], start: int) -> IntArray:
    """(n,) a number for each author of the texts from row ``start``; that of "" is the row: another author each time.

    >>> keys = author_keys(["ann", "", "ann"], 7)
    >>> bool(keys[0] == keys[2]), int(keys[1])
    (True, 8)
    """
    rows = start + np.arange(len(authors))
    return np.where([name == "" for name in authors], rows, _hashes(authors).view(np.int64))


class _Seen:
    """The hashes that came before, in sorted arrays of which each is at least twice as long as the next."""

    def __init__(self) -> None:
        self._runs: list[NDArray[np.uint64]] = []

    @property
    def number(self) -> int:
        return sum(map(len, self._runs))

    def are_new(self, keys: NDArray[np.uint64]) -> BoolArray:
        """Which keys are the first of their value."""
        values, at = np.unique(keys, return_index=True)
        for run in self._runs:
            other = run[np.minimum(np.searchsorted(run, values), len(run) - 1)] != values
            values, at = values[other], at[other]
        if len(values):
            self._runs.append(values)
        while len(self._runs) > 1 and len(self._runs[-2]) < 2 * len(self._runs[-1]):
            last = self._runs.pop()
            self._runs[-1] = np.sort(np.concatenate([self._runs[-1], last]), kind="stable")
        new = np.zeros(len(keys), dtype=np.bool_)
        new[at] = True
        return new


def _hashes(texts: Sequence[str]) -> NDArray[np.uint64]:
    return np.frombuffer(
        b"".join(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest() for text in texts), dtype="<u8"
    )
