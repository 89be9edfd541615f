"""Weights: what the value of a metric, an assignment of terms to groups and a bootstrap draw have in common.

The rows of the outcomes fall into *parts*, those of one term or group. A weighting gives how much each part counts in
each group, and how often each block of rows counts: an assignment moves terms, a draw repeats terms and blocks.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from fairness_checklist.core.arrays import FloatArray, IntArray
from fairness_checklist.core.outcomes import Counts, Outcomes
from fairness_checklist.metrics.contrasts import cached
from fairness_checklist.metrics.metric_forms import Metric


@dataclass(frozen=True, eq=False)
class Parts:
    """n rows in L parts, with what is computed of them once."""

    outcomes: Outcomes  # the rows
    code: IntArray  # (n,) the part of each row; -1 for rows that take no part
    size: int  # L
    group: IntArray  # (L,) the group of each part as declared; G for the unmarked control
    terms: IntArray  # (T,) the terms that the first T parts are, as positions in ``outcomes.terms``; empty for groups

    @cached_property
    def mass(self) -> FloatArray:
        """(L,) the weight of the rows of each part."""
        return _weight_by_code(self.code, self.outcomes.weight, self.size)

    @cached_property
    def counts(self) -> Counts:
        """The counts of each part, arrays (L, C)."""
        return self.outcomes.counts(self.code, self.size)


def _weight_by_code(code: IntArray, weight: FloatArray, size: int) -> FloatArray:
    """(size,) the sums of weights (n,) by code (n,); those with the code -1 are left out."""
    inside = code >= 0
    return np.bincount(code[inside], weights=weight[inside], minlength=size).astype(np.float64)


@dataclass(frozen=True, eq=False)
class Weights:
    """D weightings of the parts and of blocks of rows.

    A row of part l and block b has its own weight times ``member[d, g, l]`` times ``times[d, b]`` in group g.
    """

    # (D or 1, G + 1, L) how much each part counts in each group, the last one the control; a part is in one at most
    member: FloatArray
    block: IntArray | None = None  # (n,) the block of each row, one for all rows of a source; None: all count once
    times: FloatArray = field(default_factory=lambda: np.ones((1, 1)))  # (D, B) how often each block counts

    def __len__(self) -> int:
        return len(self.member) if self.block is None else len(self.times)

    def some(self, draws: slice) -> Weights:
        """Some of the weightings."""
        member = self.member if len(self.member) == 1 and len(self) > 1 else self.member[draws]
        return Weights(member) if self.block is None else Weights(member, self.block, self.times[draws])

    def chunks(self, size: float) -> Iterator[tuple[slice, Weights]]:
        """The weightings, so many at a time that arrays of ``size`` numbers each stay below 64 MB."""
        step = max(1, int(8_000_000 // max(1.0, size)))
        for start in range(0, len(self), step):
            draws = slice(start, min(start + step, len(self)))
            yield draws, self.some(draws)

    def row_weights(self, outcomes: Outcomes) -> Iterator[tuple[slice, FloatArray]]:
        """Which weightings give the rows the same weights (n,), apart from the groups that they are in."""
        if self.block is None:
            yield slice(0, len(self)), outcomes.weight
        else:
            for d, times in enumerate(self.times):
                yield slice(d, d + 1), outcomes.weight * times[self.block]

    def codes(self, parts: Parts) -> tuple[IntArray, int]:
        """A code a row by part and, with blocks, by block and part; and how many codes there are."""
        if self.block is None:
            return parts.code, parts.size
        return np.where(parts.code < 0, -1, self.block * parts.size + parts.code), self.times.shape[1] * parts.size

    def collapsed(self, parts: Parts, table: FloatArray) -> FloatArray:
        """Sums by code (size, C) as sums by part: (L, C) or, with blocks, (D, L, C)."""
        if self.block is None:
            return table
        return np.asarray(self.times @ table.reshape(self.times.shape[1], -1)).reshape(len(self), parts.size, -1)

    def mass(self, parts: Parts) -> FloatArray:
        """The weight of each part, (L,) or, with blocks, (D, L)."""
        if self.block is None:
            return parts.mass
        code, size = self.codes(parts)
        return self.collapsed(parts, _weight_by_code(code, parts.outcomes.weight, size))[..., 0]

    def assigned(self) -> tuple[IntArray, FloatArray]:
        """The group of each part in the first weighting, and how much it counts there: (L,) each."""
        return self.member[0].argmax(axis=0), self.member[0].max(axis=0)

    def over_sources(self, outcomes: Outcomes, values: FloatArray) -> FloatArray:
        """(D, m) the sums over the sources of values (S, m), each source as often as its block counts."""
        if self.block is None:
            return np.asarray(values.sum(axis=0, keepdims=True))
        block = np.zeros(len(outcomes.sources), dtype=np.int64)  # 0 for sources without rows
        inside = outcomes.source >= 0
        block[outcomes.source[inside]] = self.block[inside]
        return np.asarray(self.times[:, block] @ values)


def by_group(outcomes: Outcomes) -> Parts:
    """The groups as parts, the unmarked control last; the same object at every call."""
    size = len(outcomes.groups) + 1
    none = np.zeros(0, dtype=np.int64)
    return cached(outcomes, "parts", lambda: Parts(outcomes, outcomes.group, size, np.arange(size), none))


def terms_of(outcomes: Outcomes) -> IntArray:
    """(T,) the terms of groups that rows name, as positions in ``outcomes.terms``, by name: they can be permuted."""
    named = np.bincount(outcomes.term[outcomes.term >= 0], minlength=len(outcomes.terms)) > 0
    terms = [t for t in np.flatnonzero(named).tolist() if outcomes.term_group[t] >= 0]
    terms.sort(key=lambda t: (outcomes.terms[t], outcomes.groups[outcomes.term_group[t]]))
    return np.array(terms, dtype=np.int64)


def by_term(outcomes: Outcomes) -> Parts:
    """The terms as parts, the unmarked control last; rows of a group that name no term are a part of their own."""
    return cached(outcomes, "parts by term", lambda: _by_term(outcomes))


def _by_term(outcomes: Outcomes) -> Parts:
    used, n_groups = terms_of(outcomes), len(outcomes.groups)
    marked = outcomes.group < n_groups
    position = np.full(len(outcomes.terms) + 1, -1, dtype=np.int64)
    position[used] = np.arange(len(used))
    code = np.where(marked, position[outcomes.term], -1)
    nameless = marked & (outcomes.term < 0)
    more = np.unique(outcomes.group[nameless])
    code[nameless] = len(used) + np.searchsorted(more, outcomes.group[nameless])
    size = len(used) + len(more) + 1
    code[~marked] = size - 1
    group = np.concatenate([outcomes.term_group[used], more, [n_groups]]).astype(np.int64)
    return Parts(outcomes, code, size, group, used)


def membership(assigned: IntArray, n_groups: int) -> FloatArray:
    """(D, G + 1, T + 1) which parts make up each group; the last of both is the control."""
    d, t = assigned.shape
    member = np.zeros((d, n_groups + 1, t + 1))
    member[np.arange(d)[:, None], assigned, np.arange(t)] = 1
    member[:, n_groups, t] = 1
    return member


def as_declared(parts: Parts) -> FloatArray:
    """(1, G + 1, L) every part in its own group: the weights of a metric's value."""
    member = np.zeros((1, len(parts.outcomes.groups) + 1, parts.size))
    member[0, parts.group, np.arange(parts.size)] = 1
    return member


def backgrounds(metric: Metric, parts: Parts, weights: Weights) -> FloatArray:
    """(D, G, L) how much of each part is in each group's background; (1, G, L) where it is the same for all."""
    return np.asarray(groups_of_backgrounds(metric, parts, weights) @ weights.member)


def groups_of_backgrounds(metric: Metric, parts: Parts, weights: Weights) -> FloatArray:
    """(G, G + 1) or (D, G, G + 1) how much of each group is in each group's background."""
    return metric.membership(parts.outcomes.groups, (weights.member @ weights.mass(parts)[..., None])[..., 0])
