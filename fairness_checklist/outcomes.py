"""The border: an example set and what a model said about it, reduced to arrays.

After this room nobody knows what a text, a sequence or a task is. A classifier's row has one decision and one
probability vector; a tagger's sentence has counts of spans and a probability vector a word. Both are `Outcomes`:
counts a row, and *units* (a unit is one probability vector that belongs to a row; a classifier has one a row).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property

import numpy as np

from fairness_checklist.arrays import BoolArray, FloatArray, IntArray
from fairness_checklist.errors import LabelError, OptionError
from fairness_checklist.examples import ExampleSet, Source
from fairness_checklist.predictions import Predictions, alignment_error
from fairness_checklist.tasks import TASKS

__all__ = ["Counts", "Outcomes", "Units", "check_unlabelled", "reduce_to_outcomes"]


@dataclass(frozen=True)
class Counts:
    """Weighted counts of decisions, one class against the rest; arrays of one shape (..., C).

    Attributes:
        true_positive, false_positive, false_negative: decisions (a tagger: exact spans).
        true_negative: NaN for taggers, which have none.
        predicted: how often the class was predicted, in rows with or without a label.
        rows: rows, with or without a label; the same for every class.
        labelled: rows with a label.

    Counts add: the counts of two disjoint sets of rows are the sum of theirs.
    """

    true_positive: FloatArray
    false_positive: FloatArray
    false_negative: FloatArray
    true_negative: FloatArray
    predicted: FloatArray
    rows: FloatArray
    labelled: FloatArray

    def each(self, change: Callable[[FloatArray], FloatArray]) -> Counts:
        """The counts with every array changed in the same (linear) way."""
        return Counts(**{f.name: change(getattr(self, f.name)) for f in fields(self)})


@dataclass(frozen=True)
class Units:
    """m probability vectors over C classes.

    Attributes:
        row: (m,) the row that a unit belongs to.
        position: (m,) where it stands in its source, the same in all variations (a classifier: 0).
        label: (m,) gold class; -1 where there is none.
        probability: (m, C) in [0, 1].
        positive: the position of the class that "positive" means: the task's, else the last.
    """

    row: IntArray
    position: IntArray
    label: IntArray
    probability: FloatArray
    positive: int


@dataclass(frozen=True)
class Outcomes:
    """Everything that a metric may look at: n rows, G groups, S sources, C classes.

    Attributes:
        attribute: the sensitive attribute.
        groups: the G groups' names, in declared order.
        classes: the C classes' names.
        positive: the position of the class that "positive" means: the task's, else the last.
        sources: the S sources; empty where rows have none.
        terms: names that ``term`` points into; ``term_group`` says whose they are.
        group: (n,) in [0, G), or G for the unmarked control, which belongs to no group.
        source, term: (n,) positions; -1 where a row has none.
        weight: (n,) non-negative.
        labelled: (n,) whether the row has a gold class that the model can say.
        correct, gold, predicted: (n, C) true positives, gold and predicted counts of each class.
        true_negative: (n, C), or None for taggers.
        units: the probability vectors; None where only decisions are known.
        scores: further numbers a row (each (n,), NaN where missing).
        notes: what was counted out and why.
    """

    attribute: str
    groups: tuple[str, ...]
    classes: tuple[str, ...]
    positive: int
    sources: tuple[Source, ...]
    terms: tuple[str, ...]
    term_group: IntArray
    group: IntArray
    source: IntArray
    term: IntArray
    weight: FloatArray
    labelled: BoolArray
    correct: FloatArray
    gold: FloatArray
    predicted: FloatArray
    true_negative: FloatArray | None
    units: Units | None
    scores: Mapping[str, FloatArray] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.group)

    @cached_property
    def symmetric(self) -> BoolArray:
        """(S,) whether a source takes part in counterfactual metrics and invariance."""
        return np.array([source.symmetric for source in self.sources], dtype=np.bool_)

    @cached_property
    def row_counts(self) -> Counts:
        """The weighted counts of each row, arrays (n, C)."""
        weight = self.weight[:, None]
        labelled = self.labelled[:, None]
        wide = np.broadcast_to(weight, self.predicted.shape)
        correct = np.where(labelled, self.correct, 0) * weight
        predicted = self.predicted * weight
        no_negatives = np.full_like(predicted, np.nan)
        return Counts(
            true_positive=correct,
            false_positive=np.where(labelled, predicted - correct, 0),
            false_negative=np.where(labelled, self.gold * weight - correct, 0),
            true_negative=no_negatives
            if self.true_negative is None
            else np.where(labelled, self.true_negative, 0) * weight,
            predicted=predicted,
            rows=np.array(wide),
            labelled=np.where(labelled, wide, 0),
        )

    def counts(self, by: IntArray, size: int) -> Counts:
        """The counts summed by a code a row: arrays (size, C); rows with code -1 are left out."""
        kept = by >= 0
        codes = by[kept]

        def summed(values: FloatArray) -> FloatArray:
            columns = [np.bincount(codes, weights=column[kept], minlength=size) for column in values.T]
            return np.stack(columns, axis=1)

        return self.row_counts.each(summed)


def reduce_to_outcomes(examples: ExampleSet, predictions: Predictions, *, unlabelled: str = "keep") -> Outcomes:
    """Reduce a classifier's predictions to arrays.

    Args:
        examples: n texts.
        predictions: n predictions, in the same order.
        unlabelled: "keep" leaves rows without a usable label in label-free metrics; "drop" takes them out of all.

    Raises:
        AlignmentError: the numbers of rows differ.
        LabelError: gold classes are there and the model knows none of them.
    """
    check_unlabelled(unlabelled)
    n, classes = len(examples), predictions.classes
    if len(predictions) != n:
        raise alignment_error(len(predictions), n)
    label, note = _labels_of_model(examples, classes)
    if note:
        drop = unlabelled == "drop"
        note += "they are left out." if drop else "they enter only the metrics that need no label."
    every = np.arange(len(classes))
    gold = (label[:, None] == every).astype(np.float64)
    predicted = (predictions.predicted[:, None] == every).astype(np.float64)
    positive = _positive(examples.task, classes)
    units = None
    if predictions.probabilities is not None:
        units = Units(np.arange(n), np.zeros(n, dtype=np.int64), label, predictions.probabilities, positive)
    outcomes = Outcomes(
        attribute=examples.attribute,
        groups=examples.groups,
        classes=classes,
        positive=positive,
        sources=examples.sources,
        terms=examples.terms,
        term_group=examples.term_group,
        group=np.where(examples.group < 0, len(examples.groups), examples.group),
        source=examples.source,
        term=examples.term,
        weight=np.ones(n) if examples.weight is None else examples.weight,
        labelled=label >= 0,
        correct=gold * predicted,
        gold=gold,
        predicted=predicted,
        true_negative=(1 - gold) * (1 - predicted),
        units=units,
        scores=predictions.scores,
        notes=predictions.notes + ((note,) if note else ()),
    )
    return _only(outcomes, outcomes.labelled) if unlabelled == "drop" else outcomes


def _positive(task: str, classes: tuple[str, ...]) -> int:
    """The position of the task's positive class, where the model says it, else of the last class."""
    meant = TASKS[task].positive if task in TASKS else ""
    return classes.index(meant) if meant in classes else len(classes) - 1


def check_unlabelled(unlabelled: str) -> None:
    """Raise `OptionError` unless the option is "keep" or "drop"."""
    if unlabelled not in ("keep", "drop"):
        raise OptionError(f"unlabelled={unlabelled!r} is not known.", remedy='Use "keep" (the default) or "drop".')


def _labels_of_model(examples: ExampleSet, classes: tuple[str, ...]) -> tuple[IntArray, str]:
    """(n,) gold labels as positions in the model's classes, and how many have none, to be followed by what that means.

    Labels that are classes of the task are not an error, even when the model knows none of them: a model of two classes
    on neutral sentences.
    """
    if not classes:
        return np.full(len(examples), -1, dtype=np.int64), ""
    position = {name: i for i, name in enumerate(classes)}
    mapping = np.array([position.get(name, -1) for name in examples.classes] + [-1], dtype=np.int64)
    label = mapping[examples.label]
    has_label = examples.label >= 0
    present = [examples.classes[i] for i in np.unique(examples.label[has_label])]
    of_task = TASKS[examples.task].classes if examples.task in TASKS else ()
    fits = set(present) <= set(of_task) and not set(classes).isdisjoint(of_task)
    if present and not fits and not (label >= 0).any():
        raise LabelError(
            f"the model's classes {', '.join(classes)} match none of the gold classes {', '.join(present)}.",
            remedy="Name the gold classes as the model's classes are named.",
        )
    out = label < 0
    if not has_label.any() or not out.any():
        return label, ""
    lacking = sorted({examples.classes[i] for i in np.unique(examples.label[out & has_label])})
    why = f"a class that the model lacks ({', '.join(lacking)})" if lacking else "no label"
    if lacking and not has_label.all():
        why = f"no label or {why}"
    if len(examples.sources):
        counted = f"{len(np.unique(examples.source[out])):,} of {len(examples.sources):,} sources"
    else:
        counted = f"{int(out.sum()):,} of {len(out):,} rows"
    return label, f"{counted} have {why}: "


def _only(outcomes: Outcomes, kept: BoolArray) -> Outcomes:
    """The outcomes of the kept rows; sources keep their positions, also those that lose all their rows."""
    number = np.cumsum(kept) - 1
    units = outcomes.units
    if units is not None:
        inside = kept[units.row]
        units = Units(
            number[units.row[inside]],
            units.position[inside],
            units.label[inside],
            units.probability[inside],
            units.positive,
        )
    return replace(
        outcomes,
        units=units,
        scores={name: column[kept] for name, column in outcomes.scores.items()},
        true_negative=None if outcomes.true_negative is None else outcomes.true_negative[kept],
        **{
            name: getattr(outcomes, name)[kept]
            for name in ("group", "source", "term", "weight", "labelled", "correct", "gold", "predicted")
        },
    )
