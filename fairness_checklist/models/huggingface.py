"""Sequence classifiers of transformers: by their own configuration, from safetensors, without code of their own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal

import numpy as np

from fairness_checklist.core.arrays import FloatArray, IntArray
from fairness_checklist.core.errors import PredictionError
from fairness_checklist.core.predictions import Predictions
from fairness_checklist.models.base import ClassifierOutput
from fairness_checklist.models.batching import predict_by_chunk
from fairness_checklist.models.checkpoints import (
    Checkpoint,
    checkpoint_from_folder,
    checkpoint_from_objects,
    fingerprint,
)
from fairness_checklist.models.engines import Engine, softmax, text_logits
from fairness_checklist.models.folders import CLASSIFIER
from fairness_checklist.models.labels import (
    LabelMap,
    Labels,
    MultilabelMap,
    complement_probabilities,
    match_labels,
    match_multilabel,
    match_single_output,
    sum_by_class,
)


@dataclass(frozen=True)
class Head:
    """The conversion of logits to probabilities.

    Attributes:
        activation: "softmax", "sigmoid", or "identity" for outputs that are probabilities already.
        labels: which label belongs to which class.
    """

    activation: Literal["softmax", "sigmoid", "identity"]
    labels: LabelMap | MultilabelMap

    def describe(self) -> dict[str, object]:
        """For ``run.json``: the classes of the labels, and the activation unless it is softmax."""
        metadata: dict[str, object] = {"labels": self.labels.mapping()}
        if isinstance(self.labels, MultilabelMap):
            metadata["reading"] = f"{self.activation}: {self.labels.rule()}"
        return metadata


def read_head(config: Any, task_classes: Sequence[str], labels: Labels | None = None) -> Head:
    """The head of a model by its configuration: activation and labels.

    Args:
        config: a transformers configuration.
        task_classes: the task's classes.
        labels: mapping from labels to classes, if the names do not identify them. Of a multi-label model the labels
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
        activation: Literal["sigmoid", "identity"] = "identity"
    elif problem == "multi_label_classification" or len(names) == 1:
        activation = "sigmoid"
    else:
        return Head("softmax", match_labels(names, task_classes, labels))
    if len(names) == 1:
        return Head(activation, match_single_output(names[0], task_classes, labels))
    return Head(activation, match_multilabel(names, task_classes, labels))


def read_logits(logits: FloatArray, head: Head) -> tuple[FloatArray, dict[str, FloatArray]]:
    """Logits (n, L) to probabilities (n, C) over the classes, and scores (n,) by the name of their label.

    Raises:
        PredictionError: outputs of a regression that are no probabilities.

    >>> head = Head("sigmoid", match_multilabel(["toxic", "insult"], ("nontoxic", "toxic")))
    >>> read_logits(np.array([[0.0, 0.0]]), head)
    (array([[0.5, 0.5]]), {'insult': array([0.5])})
    """
    if isinstance(head.labels, LabelMap):
        return sum_by_class(softmax(logits), head.labels), {}
    if head.activation == "sigmoid":
        return complement_probabilities(sigmoid(logits), head.labels)
    wide = np.isfinite(logits) & ((logits < 0) | (logits > 1))
    if wide.any():
        row, column = (int(side[0]) for side in np.nonzero(wide))
        raise PredictionError(
            f"the output {head.labels.labels[column]} of a regression is {logits[row, column]:.4g}; expected a number "
            "from 0 to 1, to be read as a probability.",
            remedy="Give load_model a function that brings the model's outputs into 0 to 1.",
        )
    return complement_probabilities(logits, head.labels)


def sigmoid(logits: FloatArray) -> FloatArray:
    """1 / (1 + exp(-x)) in float64, without overflow.

    >>> sigmoid(np.array([0.0, 1000.0, -1000.0]))
    array([0.5, 1. , 0. ])
    """
    small = np.exp(-np.abs(logits))
    return np.asarray(np.where(logits >= 0, 1, small) / (1 + small), dtype=np.float64)


@dataclass(frozen=True, eq=False)
class HuggingFaceClassifier:
    """A transformers sequence classifier whose labels are matched to the task's classes.

    Attributes:
        checkpoint: the model, and the head that turns its logits into probabilities of the classes.
        chunk_size: texts that are tokenized and batched together.
    """

    checkpoint: Checkpoint[Head]
    chunk_size: int = 1024

    @property
    def name(self) -> str:
        """The folder's name, the hub id or the bundled name."""
        return self.checkpoint.name

    @property
    def engine(self) -> Engine:
        """Model, tokenizer, limits."""
        return self.checkpoint.engine

    @property
    def classes(self) -> tuple[str, ...]:
        """The C classes that the model can predict, in the task's order."""
        return self.checkpoint.labels.labels.classes

    @property
    def fingerprint(self) -> str:
        """Hash of what decides the predictions: weights, configuration, tokenizer, labels, precision, limits."""
        return fingerprint(self.describe())

    def predict(self, texts: Sequence[str], *, progress: bool = False) -> Predictions:
        """Decisions and probabilities (n, C) for n texts; row i belongs to ``texts[i]``.

        Each different text is scored once. The bytes do not depend on the order of the texts. Texts over the model's
        limit are cut, and the notes count them.

        Raises:
            PredictionError: texts that are no strings; weights that give NaN.
        """
        return predict_by_chunk(self, texts, progress=progress)

    def score(self, texts: list[str], advance: Callable[[int], object]) -> ClassifierOutput:
        """Probabilities and decisions of different texts; stars and intensities are summed by class first.

        Of a multi-label model the probabilities of labels that stand for no class are kept as scores.
        """
        logits, truncated = text_logits(self.engine, texts, advance)
        probabilities, scores = read_logits(logits, self.checkpoint.labels)
        return ClassifierOutput(probabilities, probabilities.argmax(axis=1), truncated, scores)

    def notes(self, n_truncated: int, texts: Sequence[str]) -> tuple[str, ...]:
        """Notes on truncated texts and on the effect of a lower precision than float32."""
        cut = self.checkpoint.length_note(n_truncated, len(texts), "cut") if n_truncated else ""
        precision = self.checkpoint.precision_note(self.compare_with_float32(texts), "{} decisions")
        return tuple(filter(None, (cut, precision)))

    def compare_with_float32(self, texts: Sequence[str]) -> tuple[float, int, int] | None:
        """The largest difference of a probability from float32, the number of decisions that change, and that of texts
        compared; None in float32."""

        def predict(engine: Engine, sample: list[str]) -> tuple[FloatArray, IntArray]:
            logits, _truncated = text_logits(engine, sample, lambda _done: None)
            probabilities, _scores = read_logits(logits, self.checkpoint.labels)
            return probabilities, probabilities.argmax(axis=1)

        return self.checkpoint.compare_with_float32(texts, predict)

    def describe(self) -> dict[str, object]:
        """For ``run.json``: name, architecture, weights' sha256, label mapping, precision, limits, versions."""
        return self.checkpoint.describe("huggingface", classes=list(self.classes), **self.checkpoint.labels.describe())


def from_folder(
    folder: Path, *, task_classes: Sequence[str], labels: Labels | None = None, **options: Any
) -> HuggingFaceClassifier:
    """Load the classifier of a folder; options and errors as of `checkpoint_from_folder`."""
    return HuggingFaceClassifier(
        checkpoint_from_folder(
            folder, CLASSIFIER, partial(read_head, task_classes=task_classes, labels=labels), **options
        )
    )


def from_objects(
    model: Any, tokenizer: Any, *, task_classes: Sequence[str], labels: Labels | None = None, **options: Any
) -> HuggingFaceClassifier:
    """Wrap a transformers model and its tokenizer; options and errors as of `checkpoint_from_objects`."""
    match = partial(read_head, task_classes=task_classes, labels=labels)
    return HuggingFaceClassifier(checkpoint_from_objects(model, tokenizer, CLASSIFIER, match, **options))
