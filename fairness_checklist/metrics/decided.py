"""Counts of decisions by any code a row, from one number a row: what its gold class is and what was decided."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fairness_checklist.arrays import BoolArray, FloatArray, IntArray
from fairness_checklist.metrics.remembered import cached
from fairness_checklist.outcomes import Counts, Outcomes

__all__ = ["Decisions", "counts_by"]


@dataclass(frozen=True, eq=False)
class Decisions:
    """n rows of a classifier of C classes, each of one of M kinds.

    Attributes:
        kind: (n,) in [0, M), by gold and decided class.
        counts: what a row of each kind with weight 1 counts for, arrays (M, C).
    """

    kind: IntArray
    counts: Counts

    def by(self, code: IntArray, size: int, weight: FloatArray | None = None) -> Counts:
        """The counts summed by a code a row: arrays (size, C); rows with code -1 are left out.

        >>> one = Decisions.of(np.array([0, 1, 1, -1]), np.array([0, 1, 0, 1]), 2)
        >>> one.by(np.array([0, 0, 1, 1]), 2).true_positive.tolist()
        [[1.0, 1.0], [0.0, 0.0]]
        """
        kinds = len(self.counts.rows)
        cell = code * kinds
        cell += self.kind
        if code.min(initial=0) < 0:
            inside = code >= 0
            cell, weight = cell[inside], None if weight is None else weight[inside]
        mass = np.bincount(cell, weights=weight, minlength=size * kinds).reshape(size, kinds).astype(np.float64)
        return self.counts.each(lambda values: mass @ values)

    @classmethod
    def of(cls, gold: IntArray, decided: IntArray, size: int) -> Decisions:
        """From the gold and the decided class of each row (n,), -1 where there is none, of ``size`` classes."""
        wide = size + 1
        of_gold, of_decided = (side.ravel() - 1 for side in np.indices((wide, wide)))
        classes = np.arange(size)
        true, predicted = of_gold[:, None] == classes, of_decided[:, None] == classes
        known = np.broadcast_to((of_gold >= 0)[:, None], true.shape)

        def counted(kinds: BoolArray) -> FloatArray:
            return kinds.astype(np.float64)

        counts = Counts(
            true_positive=counted(true & predicted),
            false_positive=counted(known & predicted & ~true),
            false_negative=counted(true & ~predicted),
            true_negative=counted(known & ~true & ~predicted),
            predicted=counted(predicted),
            rows=np.ones(true.shape),
            labelled=counted(known),
        )
        kind = gold * wide
        kind += decided
        kind += wide + 1
        return cls(kind, counts)


def counts_by(outcomes: Outcomes, code: IntArray, size: int) -> Counts:
    """`Outcomes.counts`, without a look at every count of every row where rows have one decision each.

    Args:
        code: (n,) of each row; -1 leaves it out.
        size: how many codes there are.
    """
    decisions = cached(outcomes, "decisions", lambda: _decisions(outcomes))
    if decisions is None:
        return outcomes.counts(code, size)
    weight = outcomes.weight
    plain = cached(outcomes, "every weight is 1", lambda: bool((weight == 1).all()))
    return decisions.by(code, size, None if plain else weight)


def _decisions(outcomes: Outcomes) -> Decisions | None:
    """The rows' decisions; None where they are counts of spans."""
    gold, predicted, size = outcomes.gold, outcomes.predicted, outcomes.predicted.shape[1]
    if outcomes.true_negative is None or not size:
        return None
    steps = np.arange(1, size + 1)
    of_gold = np.where(outcomes.labelled, gold @ steps, 0).astype(np.int64) - 1
    decided = (predicted @ steps).astype(np.int64) - 1
    known = outcomes.labelled
    one_each = _one_hot(predicted, decided) and _one_hot(gold[known], of_gold[known])
    if not one_each or not np.array_equal(outcomes.correct[known], (gold * predicted)[known]):
        return None
    if not np.array_equal(outcomes.true_negative[known], ((1 - gold) * (1 - predicted))[known]):
        return None
    return Decisions.of(of_gold, decided, size)


def _one_hot(values: FloatArray, position: IntArray) -> bool:
    """Whether each row (n, C) has a 1 at its position, none where that is -1, and else zeros."""
    if not len(values) or not (position < values.shape[1]).all():
        return not len(values)
    return bool(np.array_equal(values, np.eye(values.shape[1] + 1, values.shape[1])[position]))
