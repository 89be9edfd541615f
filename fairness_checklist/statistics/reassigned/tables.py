"""What many assignments of the same terms share: sums by term, computed once for all metrics of the same outcomes."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from fairness_checklist.arrays import FloatArray, IntArray
from fairness_checklist.metrics.group import observations
from fairness_checklist.metrics.metric import Metric
from fairness_checklist.metrics.ranking import Wins, wins_by_lane
from fairness_checklist.outcomes import Counts, Outcomes
from fairness_checklist.scores import Score

__all__ = ["TermTables", "backgrounds", "membership", "terms_of"]

Made = TypeVar("Made")

_LARGE = ("ordered", "tables", "cells", "inside")


def terms_of(outcomes: Outcomes) -> IntArray:
    """(T,) the terms of groups that rows name, as positions in ``outcomes.terms``: those that can be assigned anew.

    They are in the order of their names, so that the draws do not depend on how a table is sorted.
    """
    named = np.bincount(outcomes.term[outcomes.term >= 0], minlength=len(outcomes.terms)) > 0
    terms = [t for t in np.flatnonzero(named).tolist() if outcomes.term_group[t] >= 0]
    terms.sort(key=lambda t: (outcomes.terms[t], outcomes.groups[outcomes.term_group[t]]))
    return np.array(terms, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class TermTables:
    """Sums by term of some outcomes; a *lane* is a term, and the last lane is the unmarked control.

    Attributes:
        outcomes: n rows.
        terms: (T,) positions in ``outcomes.terms``.
        made: what was computed, by what it is.
    """

    outcomes: Outcomes
    terms: IntArray
    made: dict[Hashable, Any] = field(default_factory=dict, repr=False, compare=False)

    def once(self, key: Hashable, make: Callable[[], Made]) -> Made:
        """What ``make`` gives, made at the first call with this key."""
        if key not in self.made:
            self.made[key] = make()
        kept: Made = self.made[key]
        return kept

    def release(self) -> None:
        """Forget what is as large as the rows: the tables of terms by source and the sorted scores."""
        for key in [key for key in self.made if isinstance(key, tuple) and key[0] in _LARGE]:
            del self.made[key]

    @cached_property
    def lanes(self) -> IntArray:
        """(n,) the position of each row's term in ``terms``; T for the unmarked control; -1 for others."""
        outcomes = self.outcomes
        position = np.full(len(outcomes.terms) + 1, -1, dtype=np.int64)
        position[self.terms] = np.arange(len(self.terms))
        return np.where(outcomes.group == len(outcomes.groups), len(self.terms), position[outcomes.term])

    @cached_property
    def mass(self) -> FloatArray:
        """(T + 1,) the weight of each lane's rows."""
        inside = self.lanes >= 0
        weight = self.outcomes.weight[inside]
        return np.bincount(self.lanes[inside], weights=weight, minlength=len(self.terms) + 1).astype(np.float64)

    @cached_property
    def counts(self) -> Counts:
        """The counts of each lane, arrays (T + 1, C)."""
        return self.outcomes.counts(self.lanes, len(self.terms) + 1)

    @cached_property
    def patterns(self) -> int:
        """In how many ways the sources hold the terms: 1 where each has every term once."""
        size, source = len(self.terms) + 1, self.outcomes.source
        kept = (source >= 0) & (self.lanes >= 0)
        cells = source[kept] * size + self.lanes[kept]
        held = np.bincount(cells, minlength=len(self.outcomes.sources) * size).reshape(-1, size)
        return len(np.unique(held, axis=0))

    def observed(self, score: Score) -> tuple[FloatArray, IntArray, IntArray]:
        """The values (m, K) of a score, with the row and the position of each."""
        return observations(score, self.outcomes)

    def wins(self, score: Score) -> Wins:
        """The wins between lanes of a ranking's score."""
        return self.once(("wins", score), lambda: wins_by_lane(score, self.outcomes, self.lanes, len(self.terms) + 1))


def membership(assigned: IntArray, n_groups: int) -> FloatArray:
    """(D, G + 1, T + 1) which lanes make up each group; the last of both is the control.

    >>> membership(np.array([[0, 1, 0]]), 2)[0]
    array([[1., 0., 1., 0.],
           [0., 1., 0., 0.],
           [0., 0., 0., 1.]])
    """
    d, t = assigned.shape
    member = np.zeros((d, n_groups + 1, t + 1))
    member[np.arange(d)[:, None], assigned, np.arange(t)] = 1
    member[:, n_groups, t] = 1
    return member


def backgrounds(line: Metric, tables: TermTables, member: FloatArray) -> FloatArray:
    """(D, G, T + 1) how much of each lane is in each group's background; members (D, G + 1, T + 1)."""
    pooled: FloatArray = line.membership(tables.outcomes.groups, member @ tables.mass) @ member
    return pooled
