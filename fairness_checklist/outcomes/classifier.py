"""A classifier's predictions as outcomes: one decision and one probability vector a row."""

from __future__ import annotations

import numpy as np

from fairness_checklist.arrays import IntArray
from fairness_checklist.errors import LabelError, OptionError
from fairness_checklist.examples import ExampleSet
from fairness_checklist.outcomes.record import Outcomes, Units, only_rows
from fairness_checklist.parameters import UNLABELLED
from fairness_checklist.predictions import Predictions, alignment_error
from fairness_checklist.tasks import TASKS

__all__ = ["check_unlabelled", "classified"]


def classified(examples: ExampleSet, predictions: Predictions, *, unlabelled: str = "keep") -> Outcomes:
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
        concepts=examples.concepts,
        intersection=examples.intersection,
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
    return only_rows(outcomes, outcomes.labelled) if unlabelled == "drop" else outcomes


def _positive(task: str, classes: tuple[str, ...]) -> int:
    """The position of the task's positive class, where the model says it, else of the last class."""
    meant = TASKS[task].positive if task in TASKS else ""
    return classes.index(meant) if meant in classes else len(classes) - 1


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


def check_unlabelled(unlabelled: str) -> None:
    """Raise `OptionError` unless the option is "keep" or "drop"."""
    if not isinstance(unlabelled, str) or unlabelled not in UNLABELLED:
        raise OptionError(f"unlabelled={unlabelled!r} is not known.", remedy='Use "keep" (the default) or "drop".')
