"""Tokens of many texts in a row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

import numpy as np

from fairness_checklist.core.arrays import IntArray


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
        return cls(_flat(ids), np.cumsum([0, *map(len, ids)]), None if types is None else _flat(types))


def _flat(rows: Sequence[Sequence[int]]) -> IntArray:
    return np.fromiter(chain.from_iterable(rows), dtype=np.int64)
