"""Tokens of many texts in a row, and where they and the words are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

import numpy as np

from fairness_checklist.core.arrays import BoolArray, IntArray


@dataclass(frozen=True, eq=False)
class Tokens:
    """The tokens of m texts in a row, special ones included."""

    ids: IntArray  # (K,) the tokens
    offset: IntArray  # (m + 1,) where each text's tokens start
    types: IntArray | None = None  # (K,) their token types, if the model uses them

    @cached_property
    def lengths(self) -> IntArray:
        """The tokens of each text (m,)."""
        return np.diff(self.offset)

    def at(self, rows: IntArray) -> IntArray:
        """Where the tokens of some texts of one length are (b, length)."""
        return self.offset[rows][:, None] + np.arange(self.lengths[rows[0]])

    @classmethod
    def of_lists(cls, ids: Sequence[Sequence[int]], types: Sequence[Sequence[int]] | None = None) -> Tokens:
        """The tokens of lists, one a text."""
        return cls(flat(ids), offsets([len(row) for row in ids]), None if types is None else flat(types))


@dataclass(frozen=True, eq=False)
class Words:
    """The W words of m texts."""

    start: IntArray  # start, end: (W,) the characters of each, counted through all texts (one between two of them)
    end: IntArray
    offset: IntArray  # (m + 1,) where each text's words start


@dataclass(frozen=True, eq=False)
class Places:
    """Where the tokens and the words of m texts are, counted through all texts (one character between two of them)."""

    start: IntArray  # start, end: (K,) the characters of each token; those of special tokens are no matter
    end: IntArray
    special: BoolArray  # (K,) True for special tokens
    words: Words


def offsets(lengths: Sequence[int] | IntArray) -> IntArray:
    """Where each of n things starts if they are laid one after another, and where the last one ends (n + 1,)."""
    starts = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum(lengths, out=starts[1:])
    return starts


def flat(rows: Sequence[Sequence[int]]) -> IntArray:
    """The values of all rows, one after another."""
    return np.fromiter(chain.from_iterable(rows), dtype=np.int64)
