"""Which rows a score counts: by gold class."""

from __future__ import annotations

import numpy as np

from fairness_checklist.arrays import BoolArray
from fairness_checklist.outcomes.record import Outcomes

__all__ = ["gold_rows", "labelled_rows", "other_rows", "rows_with_others"]


def gold_rows(outcomes: Outcomes) -> BoolArray:
    """(n, C) rows of gold class c; of a tagger sentences with such an entity, and last those with a word outside."""
    rows = outcomes.labelled[:, None] & (outcomes.gold > 0)
    outside = rows.shape[1]
    if outside == len(outcomes.classes):
        return rows
    there = np.zeros((len(rows), 1), dtype=np.bool_)
    if outcomes.units is not None:
        there[outcomes.units.row[outcomes.units.label == outside]] = True
    return np.concatenate([rows, there], axis=1)


def other_rows(outcomes: Outcomes) -> BoolArray:
    """(n, C) labelled rows of another gold class than c."""
    rows: BoolArray = outcomes.labelled[:, None] & (outcomes.gold == 0)
    return rows


def labelled_rows(outcomes: Outcomes) -> BoolArray:
    """(n, 1) rows with a gold class."""
    return outcomes.labelled[:, None]


def rows_with_others(outcomes: Outcomes) -> BoolArray:
    """(n, C) labelled rows that have a unit of another gold class than c; of a tagger sentences with such a word."""
    if outcomes.units is None:
        return other_rows(outcomes)
    row, label = outcomes.units.row[outcomes.units.label >= 0], outcomes.units.label[outcomes.units.label >= 0]
    size = len(outcomes.classes)
    of_class = np.bincount(row * size + label, minlength=len(outcomes) * size).reshape(-1, size)
    there: BoolArray = of_class.sum(axis=1, keepdims=True) > of_class
    return there & outcomes.labelled[:, None]
