"""Decisions as units: one a row, or one a word, as if they were sure probabilities."""

from __future__ import annotations

import numpy as np

from fairness_checklist.arrays import BoolArray
from fairness_checklist.outcomes.record import Outcomes, Units

__all__ = ["answers", "rows_decided"]


def answers(outcomes: Outcomes) -> Units:
    """The decisions as m units: 1 for the class decided and 0 for the others; all 0 where a term was found in part.

    The gold class of a tagger's word is known where there are probabilities; elsewhere it is -1.
    """
    size, units, decided = len(outcomes.classes), outcomes.units, outcomes.decided
    if decided is None:
        gold = np.where(outcomes.labelled & (outcomes.gold > 0).any(axis=1), outcomes.gold.argmax(axis=1), -1)
        predicted = (outcomes.predicted > 0).astype(np.float64)
        there = np.arange(len(outcomes), dtype=np.int64)
        return Units(there, np.zeros(len(outcomes), dtype=np.int64), gold, predicted, outcomes.positive)
    alike = units is not None and np.array_equal(units.row, decided.row)
    alike = alike and units is not None and np.array_equal(units.position, decided.position)
    label = units.label if alike and units is not None else np.full(len(decided.row), -1, dtype=np.int64)
    predicted = np.eye(size + 1, size)[decided.value]
    return Units(decided.row, decided.position, label, predicted, outcomes.positive)


def rows_decided(outcomes: Outcomes) -> BoolArray:
    """(n, C) rows with a gold class in which the class is decided for."""
    found = answers(outcomes)
    rows = np.zeros((len(outcomes), len(outcomes.classes)), dtype=np.bool_)
    at, k = np.nonzero((found.probability > 0) & (found.label >= 0)[:, None])
    rows[found.row[at], k] = True
    return rows & outcomes.labelled[:, None]
