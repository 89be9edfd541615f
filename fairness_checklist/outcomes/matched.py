"""Terms that differ in nothing but the group (girl, boy), compared with each other alone: cells of one concept."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from fairness_checklist.arrays import BoolArray, FloatArray, IntArray, divide
from fairness_checklist.errors import OptionError
from fairness_checklist.outcomes.by_term import repeated_rows
from fairness_checklist.outcomes.record import Outcomes

__all__ = ["Matched", "match_concepts"]


@dataclass(frozen=True, eq=False)
class Matched:
    """The rows of terms that have a concept, with Q cells in the place of the sources.

    Attributes:
        outcomes: a source of these is a cell: what one source says of one concept.
        source: (Q,) the source that each cell is of, out of ``size``.
        row: (m,) the row of the original outcomes that each of these rows is.
    """

    outcomes: Outcomes
    source: IntArray
    size: int
    row: IntArray

    def mean(self, values: FloatArray) -> FloatArray:
        """(S, ...) the mean over each source's cells of (Q, ...) values, undefined ones left out; NaN without any."""
        flat = values.reshape(len(values), -1)
        fine = ~np.isnan(flat)
        summed, count = np.zeros((self.size, flat.shape[1])), np.zeros((self.size, flat.shape[1]))
        np.add.at(summed, self.source, np.where(fine, flat, 0.0))
        np.add.at(count, self.source, fine)
        shaped: FloatArray = divide(summed, count).reshape(self.size, *values.shape[1:])
        return shaped

    def any(self, there: BoolArray) -> BoolArray:
        """(S, ...) whether any cell of a source has what (Q, ...) says."""
        found = np.zeros((self.size, *there.shape[1:]), dtype=np.bool_)
        np.logical_or.at(found, self.source, there)
        return found


def match_concepts(outcomes: Outcomes) -> Matched:
    """The outcomes with each source cut into its concepts; an unmarked control stands in every cell of its source.

    Rows whose term has no concept, and rows without a source, take no part.

    Raises:
        OptionError: no term has a concept.
    """
    names = [name for name in dict.fromkeys(outcomes.concepts) if name]
    if not names:
        raise OptionError(
            f'matching="concept" compares terms of the same concept, and no term of '
            f"{outcomes.attribute or 'the table'} has one.",
            remedy="Name it in the column concept of the terms (girl and boy: child), or leave matching out.",
        )
    number = {name: at for at, name in enumerate(names)} | {"": -1}
    of_term = np.array([*(number[name] for name in outcomes.concepts), -1], dtype=np.int64)
    marked = outcomes.group < len(outcomes.groups)
    concept = np.where(marked, of_term[outcomes.term], -1)
    rows = np.flatnonzero((concept >= 0) & (outcomes.source >= 0))
    cells, cell = np.unique(outcomes.source[rows] * len(names) + concept[rows], return_inverse=True)
    source = cells // len(names)
    controls = np.flatnonzero(~marked & (outcomes.source >= 0))
    first, last = (np.searchsorted(source, outcomes.source[controls], side=side) for side in ("left", "right"))
    more = np.repeat(controls, last - first)
    within = np.arange(len(more)) - np.repeat(np.cumsum(last - first) - (last - first), last - first)
    kept = repeated_rows(outcomes, np.concatenate([rows, more]))
    take = np.concatenate([rows, more])
    split = replace(
        kept,
        sources=tuple(outcomes.sources[s] for s in source.tolist()),
        source=np.concatenate([cell, np.repeat(first, last - first) + within]).astype(np.int64),
        group=outcomes.group[take],
        term=outcomes.term[take],
    )
    return Matched(split, source, len(outcomes.sources), take)
