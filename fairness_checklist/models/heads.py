"""What a sequence classifier's outputs mean: classes that exclude each other, labels by themselves, or one number.

| configuration | outputs | read as |
|---|---|---|
| ``problem_type="multi_label_classification"`` | one a label | sigmoid, each label against its complement |
| one label, any other problem type or none | one | sigmoid, the probability of the positive class |
| ``problem_type="regression"`` | one or more | as they are; they must lie in [0, 1] |
| anything else | one a label | softmax, summed by class |
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from fairness_checklist.errors import PredictionError
from fairness_checklist.models.engines.local import softmax
from fairness_checklist.models.independent import (
    IndependentLabels,
    by_complement,
    match_independent,
    match_one_output,
)
from fairness_checklist.models.labels import LabelMap, Labels, match_labels, sum_by_class

__all__ = ["Head", "read_head", "read_logits", "sigmoid"]

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class Head:
    """How logits become probabilities.

    Attributes:
        reading: "softmax", "sigmoid", or "identity" for outputs that are probabilities already.
        labels: which label belongs to which class.
    """

    reading: Literal["softmax", "sigmoid", "identity"]
    labels: LabelMap | IndependentLabels

    def describe(self) -> dict[str, object]:
        """For ``run.json``: the classes of the labels, and what else there is to say than softmax."""
        facts: dict[str, object] = {"labels": self.labels.mapping()}
        if isinstance(self.labels, IndependentLabels):
            facts["reading"] = f"{self.reading}: {self.labels.reading()}"
        return facts


def read_head(config: Any, task_classes: Sequence[str], labels: Labels | None = None) -> Head:
    """How the outputs of a model are to be read, by its configuration (see the table above).

    Args:
        config: a transformers configuration.
        task_classes: the task's classes.
        labels: which label belongs to which class, where the names do not say it. Of a multi-label model the labels
            that it names are those of one class, and no others.

    Raises:
        LabelError: labels that cannot be matched to the task's classes.

    >>> from types import SimpleNamespace
    >>> config = SimpleNamespace(id2label={0: "toxic", 1: "insult"}, problem_type="multi_label_classification")
    >>> read_head(config, ("nontoxic", "toxic")).describe()["reading"]
    'sigmoid: p(toxic) is toxic, p(nontoxic) its complement; scores: insult'
    """
    names = [str(config.id2label[at]) for at in sorted(config.id2label)]
    problem = getattr(config, "problem_type", None)
    if problem == "regression":
        reading: Literal["sigmoid", "identity"] = "identity"
    elif problem == "multi_label_classification" or len(names) == 1:
        reading = "sigmoid"
    else:
        return Head("softmax", match_labels(names, task_classes, labels))
    if len(names) == 1:
        return Head(reading, match_one_output(names[0], task_classes, labels))
    return Head(reading, match_independent(names, task_classes, labels))


def read_logits(logits: FloatArray, head: Head) -> tuple[FloatArray, dict[str, FloatArray]]:
    """Logits (n, L) to probabilities (n, C) over the classes, and scores (n,) by the name of their label.

    Raises:
        PredictionError: outputs of a regression that are no probabilities.

    >>> head = Head("sigmoid", match_independent(["toxic", "insult"], ("nontoxic", "toxic")))
    >>> read_logits(np.array([[0.0, 0.0]]), head)
    (array([[0.5, 0.5]]), {'insult': array([0.5])})
    """
    if isinstance(head.labels, LabelMap):
        return sum_by_class(softmax(logits), head.labels), {}
    if head.reading == "sigmoid":
        return by_complement(sigmoid(logits), head.labels)
    wide = np.isfinite(logits) & ((logits < 0) | (logits > 1))
    if wide.any():
        row, column = (int(side[0]) for side in np.nonzero(wide))
        raise PredictionError(
            f"the output {head.labels.labels[column]} of a regression is {logits[row, column]:.4g}; expected a number "
            "from 0 to 1, to be read as a probability.",
            remedy="Give load_model a function that brings the model's outputs into 0 to 1.",
        )
    return by_complement(logits, head.labels)


def sigmoid(logits: FloatArray) -> FloatArray:
    """1 / (1 + exp(-x)) in float64, without overflow.

    >>> sigmoid(np.array([0.0, 1000.0, -1000.0]))
    array([0.5, 1. , 0. ])
    """
    small = np.exp(-np.abs(logits))
    return np.asarray(np.where(logits >= 0, 1, small) / (1 + small), dtype=np.float64)
