"""The arrays that an example set and a model's predictions for it are reduced to: all that later stages use.

A classifier's row has one decision and one probability vector (a *unit*), a tagger's sentence has counts of spans and a
unit per word or term.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any

import numpy as np

from fairness_checklist.core.arrays import BoolArray, FloatArray, IntArray, ItemsOfRows, by_value
from fairness_checklist.core.errors import OptionError
from fairness_checklist.core.examples import GroupedRows


@by_value
@dataclass(frozen=True, eq=False)
class Counts:
    """Weighted counts of decisions (a tagger: exact spans), one class against the rest; arrays (..., C)."""

    true_positive: FloatArray
    false_positive: FloatArray
    false_negative: FloatArray
    true_negative: FloatArray  # NaN for taggers, which have none
    predicted: FloatArray  # how often the class was predicted, in rows with or without a label
    rows: FloatArray  # with or without a label; the same for every class
    labelled: FloatArray  # rows with a label

    def map(self, change: Callable[[FloatArray], FloatArray]) -> Counts:
        """The counts with every array changed in the same (linear) way."""
        return Counts(**{f.name: change(getattr(self, f.name)) for f in fields(self)})


@dataclass(frozen=True, eq=False)
class Items(ItemsOfRows):
    """m items that a model says something about."""

    position: IntArray  # (m,) where it is in its source, as in all variations (a classifier: 0); -1: no like in them
    label: IntArray  # (m,) gold class; -1 where there is none


@dataclass(frozen=True, eq=False)
class Units(Items):
    """m probability vectors over C classes."""

    probability: FloatArray  # (m, C) in [0, 1]
    positive: int  # the position of the class that "positive" means: the task's, else the last


@dataclass(frozen=True, eq=False)
class Decisions(Items):
    """m decisions, one per row or one per word."""

    value: IntArray  # (m,) position in the classes; C where a term was found in part


@by_value
@dataclass(frozen=True, eq=False)
class RowKinds:
    """What a row of each of M kinds counts for: a classifier's rows are of few kinds, a tagger's sentences one each."""

    labelled: BoolArray  # (M,) whether such a row has a gold class that the model can predict
    correct: FloatArray  # (M, D) true positives of each class, as are the counts below
    gold: FloatArray
    predicted: FloatArray
    true_negative: FloatArray | None = None  # None for taggers

    @cached_property
    def counts(self) -> Counts:
        """The counts of one row of each kind, arrays (M, D)."""
        labelled, ones = self.labelled[:, None], np.ones(self.gold.shape)
        return Counts(
            true_positive=self.correct * labelled,
            false_positive=(self.predicted - self.correct) * labelled,
            false_negative=(self.gold - self.correct) * labelled,
            true_negative=(np.nan * ones if self.true_negative is None else self.true_negative) * labelled,
            predicted=self.predicted,
            rows=ones,
            labelled=ones * labelled,
        )


def kinds_of_decisions(label: IntArray, decided: IntArray, size: int) -> dict[str, Any]:
    """``kind`` and ``kinds`` of a classifier's rows, from the gold and the decided one of D classes, -1 for none."""
    none = int(min(label.min(initial=0), decided.min(initial=0)) < 0)
    kind, wide = (label + none) * (size + none), size + none
    kind += decided + none
    pairs = np.arange(wide**2)
    if len(pairs) > 100:
        pairs, kind = np.unique(kind, return_inverse=True)
    gold, said = ((side[:, None] == np.arange(none, wide)).astype(np.float64) for side in divmod(pairs, max(1, wide)))
    return {"kind": kind, "kinds": RowKinds(gold.any(axis=1), gold * said, gold, said, (1 - gold) * (1 - said))}


def _by_kind(name: str) -> cached_property[FloatArray]:
    return cached_property(lambda outcomes: getattr(outcomes.kinds, name)[outcomes.kind])


@dataclass(frozen=True, eq=False, kw_only=True)
class Outcomes(GroupedRows):
    """Everything that a metric may look at: n rows, G groups, S sources, C classes, of which D are decided about.

    ``labelled`` (n,), ``correct``, ``gold`` and ``predicted`` (n, D) are what ``kinds`` says of each row.
    """

    classes: tuple[str, ...]  # the C names; of a tagger the D = C - 1 types and, last, "O", which is found nowhere
    positive: int  # the position of the class that "positive" means: the task's, else the last
    weight: FloatArray = field()  # (n,) non-negative
    kind: IntArray  # (n,) position in ``kinds``
    kinds: RowKinds
    units: Units | None  # the probability vectors; None where only decisions are known
    scores: Mapping[str, FloatArray] = field(default_factory=dict)  # (n,) each, further numbers; NaN where missing
    notes: tuple[str, ...] = ()  # what was counted out and why
    decisions: Decisions | None = None  # a word; None where each row has one, which ``predicted`` holds
    aligned: BoolArray | None = None  # (n,) whether a row has its source's words around the term; None where all have
    views: Mapping[str, Outcomes] = field(default_factory=dict)  # a tagger's "slot" and "context", any one's "term"

    correct = _by_kind("correct")
    gold = _by_kind("gold")
    predicted = _by_kind("predicted")

    @cached_property
    def labelled(self) -> BoolArray:
        """(n,) whether a row has a gold class that the model can predict."""
        return self.kinds.labelled[self.kind]

    @property
    def crossed(self) -> bool:
        """Whether the groups are pairs of two attributes' groups, with terms that share words."""
        return bool(self.intersection)

    @property
    def decided_classes(self) -> tuple[str, ...]:
        """The D classes that are counted."""
        return self.classes[: self.kinds.predicted.shape[1]]

    def view(self, name: str) -> Outcomes:
        """The rows seen in another way; "" is as they are."""
        if not name:
            return self
        if name not in self.views:
            raise OptionError(
                f"where={name!r} selects a part of each sentence and needs the predictions of a tagger.",
                remedy="Leave it out: it is for the task ner.",
            )
        return self.views[name]

    @property
    def all_correct(self) -> BoolArray:
        """(n,) whether everything about a row is right: its class, or all its entities and no other."""
        agreed = self.correct.sum(axis=1)
        return np.asarray((agreed == self.gold.sum(axis=1)) & (agreed == self.predicted.sum(axis=1)), dtype=np.bool_)

    @cached_property
    def symmetric(self) -> BoolArray:
        """(S,) whether a source takes part in counterfactual metrics and invariance."""
        return np.array([source.symmetric for source in self.sources], dtype=np.bool_)

    @cached_property
    def row_counts(self) -> Counts:
        """The weighted counts of each row, arrays (n, D)."""
        return self.kinds.counts.map(lambda values: values[self.kind] * self.weight[:, None])

    def counts(self, by: IntArray, size: int) -> Counts:
        """The counts summed by a code a row: arrays (size, D); rows with code -1 are left out."""
        inside = by >= 0 if by.min(initial=0) < 0 else slice(None)
        code = by[inside]
        if self.kinds.true_negative is None:
            return self.row_counts.map(
                lambda values: np.stack(
                    [np.bincount(code, weights=column, minlength=size) for column in values[inside].T], axis=1
                )
            )
        n_kinds = len(self.kinds.labelled)
        weight = None if (self.weight == 1).all() else self.weight[inside]
        cell = code * n_kinds
        cell += self.kind[inside]
        mass = np.bincount(cell, weights=weight, minlength=size * n_kinds)
        mass = mass.reshape(size, n_kinds).astype(np.float64, copy=False)
        return self.kinds.counts.map(lambda values: mass @ values)


def take_rows(outcomes: Outcomes, rows: IntArray) -> Outcomes:
    """The outcomes of the rows named, each as often as it is named; all sources keep their positions."""
    columns = ("group", "source", "term", "weight", "kind")
    return replace(
        outcomes,
        aligned=None if outcomes.aligned is None else outcomes.aligned[rows],
        units=None if outcomes.units is None else outcomes.units.of_rows(rows),
        decisions=None if outcomes.decisions is None else outcomes.decisions.of_rows(rows),
        views={name: take_rows(view, rows) for name, view in outcomes.views.items()},
        scores={name: column[rows] for name, column in outcomes.scores.items()},
        **{name: getattr(outcomes, name)[rows] for name in columns},
    )


def gold_rows(outcomes: Outcomes) -> BoolArray:
    """(n, C) rows of gold class c; of a tagger sentences with such an entity, and last those with a word outside."""
    rows = outcomes.labelled[:, None] & (outcomes.gold > 0)
    outside = rows.shape[1]
    if outside == len(outcomes.classes):
        return rows
    with_outside = np.zeros((len(rows), 1), dtype=np.bool_)
    if outcomes.decisions is not None:
        with_outside[outcomes.decisions.row[outcomes.decisions.label == outside]] = True
    return np.concatenate([rows, with_outside], axis=1)


def other_rows(outcomes: Outcomes) -> BoolArray:
    """(n, C) labelled rows of another gold class than c."""
    return np.asarray(outcomes.labelled[:, None] & (outcomes.gold == 0), dtype=np.bool_)


def labelled_rows(outcomes: Outcomes) -> BoolArray:
    """(n, 1) rows with a gold class."""
    return outcomes.labelled[:, None]


def rows_with_other_class(outcomes: Outcomes) -> BoolArray:
    """(n, C) labelled rows that have a unit of another gold class than c; of a tagger sentences with such a word."""
    if outcomes.units is None:
        return other_rows(outcomes)
    labelled, size = outcomes.units.at(outcomes.units.label >= 0), len(outcomes.classes)
    of_class = np.bincount(labelled.row * size + labelled.label, minlength=len(outcomes) * size).reshape(-1, size)
    return np.asarray((of_class.sum(axis=1, keepdims=True) > of_class) & outcomes.labelled[:, None], dtype=np.bool_)


def decision_units(outcomes: Outcomes) -> Units:
    """The decisions as m units: 1 for the class decided and 0 for the others; all 0 where a term was found in part."""
    size, decided = len(outcomes.classes), outcomes.decisions
    if decided is None:
        gold = np.where(outcomes.labelled & (outcomes.gold > 0).any(axis=1), outcomes.gold.argmax(axis=1), -1)
        row = np.arange(len(outcomes), dtype=np.int64)
        return Units(row, np.zeros_like(row), gold, (outcomes.predicted > 0).astype(np.float64), outcomes.positive)
    return Units(decided.row, decided.position, decided.label, np.eye(size + 1, size)[decided.value], outcomes.positive)


def rows_decided(outcomes: Outcomes) -> BoolArray:
    """(n, C) rows with a gold class in which the class is decided for."""
    units = decision_units(outcomes)
    rows = np.zeros((len(outcomes), len(outcomes.classes)), dtype=np.bool_)
    unit, k = np.nonzero((units.probability > 0) & (units.label >= 0)[:, None])
    rows[units.row[unit], k] = True
    return rows & outcomes.labelled[:, None]
