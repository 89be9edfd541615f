"""One pass over a labelled corpus, batch by batch: in how many texts each term is, by length and class.

Of a text 8 bytes are kept, a hash. Among 10 million texts two have the same with a probability below 1 in 300,000.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import blake2b
from itertools import compress, pairwise

import numpy as np

from fairness_checklist.core.arrays import IntArray
from fairness_checklist.core.errors import OptionError
from fairness_checklist.core.progress import progress_bar
from fairness_checklist.extensions.corpora.term_mentions import MentionFinder, check_texts
from fairness_checklist.extensions.engines.batches import over_batches

__all__ = ["Batch", "CorpusCounts", "count_mentions"]

Batch = tuple[Sequence[str], Sequence[object]]
"""The texts of a batch and their labels."""
_LABELS = 20  # labels that an error lists


@dataclass(frozen=True, eq=False)
class CorpusCounts:
    """What an audit keeps of a corpus.

    Attributes:
        n, n_positive: (1 + T, B) the texts, and the positive ones, of each length: of all texts, then of each term.
        edges: the ends of the B buckets.
        repeated: texts that stand before, word for word.
    """

    n: IntArray
    n_positive: IntArray
    edges: tuple[int, ...]
    repeated: int


def count_mentions(
    batches: Iterable[Batch],
    finder: MentionFinder,
    *,
    positive: str,
    lengths: Sequence[int],
    total: int | None = None,
    distinct: bool = False,
    workers: int = 1,
) -> CorpusCounts:
    """Read a corpus once.

    Args:
        batches: its texts and their labels.
        finder: of the T terms.
        positive, lengths, distinct: see `audit`.
        total: the number of texts where it is known, for the progress bar.
        workers: processes that look for terms, see `over_batches`.

    Raises:
        OptionError: lengths that are not ascending, texts that are no strings, one class only.

    >>> found = count_mentions(
    ...     [(["tea", "a gay man"], ["no", "toxic"])], MentionFinder(["gay"]), positive="toxic", lengths=[5])
    >>> found.n.tolist(), found.n_positive.tolist()
    ([[1, 1], [0, 1]], [[0, 1], [0, 1]])
    """
    edges = tuple(map(int, lengths))
    if not edges or edges[0] < 1 or any(low >= high for low, high in pairwise(edges)):
        raise OptionError(
            f"lengths={list(lengths)} must be ascending numbers of characters.", remedy="Write lengths=[20, 60, 120]."
        )
    counts, keys = np.zeros((2, 1 + finder.width, len(edges) + 1), dtype=np.int64), array("Q")
    labels: dict[str, None] = {}
    with progress_bar(total, "terms in texts", "texts") as advance:
        counted = _counted_texts(batches, distinct=distinct)
        for batch, (rows, terms) in over_batches(partial(_find, finder), counted, workers=workers):
            if len(labels) <= _LABELS:
                labels |= dict.fromkeys(batch.labels)
            is_positive = np.array([label == positive for label in batch.labels], dtype=np.int64)
            bucket = np.digitize([*map(len, batch.texts)], edges)
            for is_counted, table in zip((np.ones_like(is_positive), is_positive), counts, strict=True):
                np.add.at(table[0], bucket, is_counted)
                np.add.at(table, (terms + 1, bucket[rows]), is_counted[rows])
            keys.extend(batch.keys)
            advance(batch.size)
    n, n_positive = counts
    if n_positive[0].sum() in (0, n[0].sum()):
        listed = ", ".join([*labels][:_LABELS]) + (" and others" if len(labels) > _LABELS else "")
        raise OptionError(
            f"an audit needs texts of the class {positive} and others; the labels are {listed or 'none'}.",
            remedy="Name the positive class: positive=...",
        )
    return CorpusCounts(n, n_positive, edges, len(keys) - len(np.unique(np.array(keys, dtype=np.uint64))))


@dataclass(frozen=True, eq=False)
class _Counted:
    """The texts of a batch that count, their labels and hashes, and how many texts it had."""

    texts: Sequence[str]
    labels: list[str]
    keys: list[int]
    size: int


def _find(finder: MentionFinder, batch: _Counted) -> tuple[IntArray, IntArray]:
    return finder.find(batch.texts)


def _counted_texts(batches: Iterable[Batch], *, distinct: bool) -> Iterator[_Counted]:
    """The batches; with ``distinct`` without texts that stand before with the same label."""
    seen: set[tuple[str, int]] = set()
    for texts, batch_labels in batches:
        check_texts(texts)
        labels, keys, size = [*map(str, batch_labels)], [*map(_key, texts)], len(texts)
        if distinct:
            is_new = []
            for pair in zip(labels, keys, strict=True):
                is_new.append(pair not in seen)
                seen.add(pair)
            texts, labels, keys = [*compress(texts, is_new)], [*compress(labels, is_new)], [*compress(keys, is_new)]
        yield _Counted(texts, labels, keys, size)


def _key(text: str) -> int:
    return int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")
