"""Python functions and estimators as classifiers."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from fairness_checklist.core.arrays import FloatArray, IntArray
from fairness_checklist.core.errors import (
    AlignmentError,
    FairnessChecklistError,
    LabelError,
    PredictionError,
    count,
    first_ten,
)
from fairness_checklist.core.predictions import Predictions, alignment_error
from fairness_checklist.core.row_order import in_order
from fairness_checklist.core.tasks import mapping_example
from fairness_checklist.models.base import ClassifierOutput, call_function, function_name
from fairness_checklist.models.batching import predict_by_chunk
from fairness_checklist.models.functions import probability_columns as columns
from fairness_checklist.models.labels import OPTIONAL_CLASSES, LabelMap, Labels, MultilabelMap, match_labels

PROBE_TEXT = "This is a sentence."


class FunctionClassifier:
    """A function over a list of b texts, which returns one of

    - probabilities (b, C), as lists, an array, a tensor or a data frame, with the names of the columns in ``classes``;
    - the probability of the positive class, (b,) or (b, 1), where there are two classes;
    - names and numbers, ``[{"toxic": 0.9, "insult": 0.1}, ...]``, one per text, or ``{"toxic": [0.9, ...], ...}``:
      probabilities of classes, or of labels by themselves (multi-label), of which those that are no class are scores;
    - ``(predictions, probabilities)``, as CheckList's ``PredictorWrapper.wrap_softmax`` gives;
    - labels (b,), with all of them in ``classes``: decisions without probabilities; or a pair of labels and scores by
      name, ``(["positive", ...], {"compound": [0.6, ...]})``.

    An estimator of scikit-learn, or its ``predict_proba`` or ``predict``, has the names in ``classes_``; so may any
    function.
    """

    def __init__(
        self,
        function: Any,
        task_classes: Sequence[str],
        *,
        classes: Sequence[str] | None = None,
        labels: Labels | None = None,
        name: str | None = None,
        batch_size: int = 256,
    ) -> None:
        self._function, method = columns.prediction_method(function)
        self._task_classes = tuple(task_classes)
        self._has_name = name is not None
        self._class_values = columns.estimator_classes(function)
        self._returns_labels = self._class_values is not None and method == "predict"
        if self._class_values is not None:
            classes, labels = columns.match_estimator_classes(self._class_values, classes, labels, self._task_classes)
        self._user_labels = (list(classes) if classes is not None else None, labels)
        self._labels: LabelMap | MultilabelMap | None = None
        self._single_output = False
        self._width = 0  # of its outputs, when there were any
        self._is_number_a_text = False
        self.name = name or function_name(self._function)
        self.chunk_size = batch_size
        if classes is not None:
            self._labels = columns.match_columns(classes, self._task_classes, labels)
        elif labels is not None and not columns.names_one_class(labels, self._task_classes):
            named = {str(key): cls for key, cls in labels.items()} if isinstance(labels, Mapping) else None
            self._labels = columns.match_columns(columns.in_order(labels), self._task_classes, named)

    @property
    def classes(self) -> tuple[str, ...]:
        """The classes; without names the function is called on one sentence to count its columns."""
        if self._labels is None:
            self.score([PROBE_TEXT], lambda _done: None)
        return self._require_labels().classes

    @property
    def fingerprint(self) -> str:
        """Hash of the name that the user gave and the classes; "" without such a name."""
        if not self._has_name:
            return ""
        classes, labels = self._user_labels
        parts = list(labels.items()) if isinstance(labels, Mapping) else labels
        identity = ["function", self.name, self._task_classes, classes, parts]
        return hashlib.sha256(json.dumps(identity, default=str).encode()).hexdigest()

    def predict(self, texts: Sequence[str], *, progress: bool = False) -> Predictions:
        """Decisions and probabilities (n, C) for n texts; the function sees each different text once."""
        return predict_by_chunk(self, texts, progress=progress)

    def score(self, texts: list[str], advance: Callable[[int], object]) -> ClassifierOutput:
        """Call the function on batches of different texts."""
        parts = []
        for start in range(0, len(texts), self.chunk_size):
            batch = texts[start : start + self.chunk_size]
            parts.append(self._score_batch(batch))
            advance(len(batch))
        return ClassifierOutput.concatenate(parts)

    def notes(self, n_truncated: int, texts: Sequence[str]) -> tuple[str, ...]:
        """The note that one number per text was read as a probability; also where all answers were kept before."""
        if self._labels is None and self._user_labels == (None, None):
            with suppress(FairnessChecklistError):
                self.score([PROBE_TEXT], lambda _done: None)
        if not self._single_output:
            return ()
        classes = self.classes
        return (
            f"the function gives one number a text: taken as p({classes[-1]}), the classes are {', '.join(classes)}",
        )

    def describe(self) -> dict[str, object]:
        """For ``run.json``: name and classes; a function has no weights to hash."""
        labels = self._labels
        metadata: dict[str, object] = {
            "name": self.name,
            "kind": "function",
            "classes": list(labels.classes) if labels else None,
            "labels": labels.mapping() if labels else None,
        }
        return {**metadata, "reading": labels.rule()} if isinstance(labels, MultilabelMap) else metadata

    def _score_batch(self, batch: list[str]) -> ClassifierOutput:
        output = call_function(self._function, self.name, list(batch), batch)
        output = in_order(output, batch, f"the function {self.name} returned")
        whole = np.zeros(len(batch), dtype=np.bool_)
        if isinstance(output, tuple) and len(output) == 2 and isinstance(output[1], Mapping):
            further = {str(name): self._scores(values, len(batch)) for name, values in output[1].items()}
            return ClassifierOutput(None, self._decisions_only(output[0], len(batch)), whole, further)
        predicted, values = columns.split_pair(output)
        if predicted is None and (self._returns_labels or columns.are_label_names(values)):
            self._returns_labels = True
            return ClassifierOutput(None, self._decisions_only(values, len(batch)), whole)
        matrix = self._matrix(values, len(batch))
        if len(batch) == 2 and self._width == 1 and not self._is_number_a_text:
            # Two numbers for two texts may be the probabilities of one text: asked about one, the function gives one.
            self._matrix(call_function(self._function, self.name, batch[:1], batch[:1]), 1)
        self._is_number_a_text = self._width == 1
        labels = self._require_labels()
        probabilities, scores = labels.read(matrix)
        own = None if predicted is None else self._decisions(predicted, labels, len(batch))
        return ClassifierOutput(probabilities, probabilities.argmax(axis=1) if own is None else own, whole, scores)

    def _scores(self, values: Any, n: int) -> FloatArray:
        """Scores that come with labels, one a text."""
        column = columns.to_array(values, self.name)
        if column.shape != (n,):
            raise AlignmentError(
                f"the function {self.name} returned scores of the shape {column.shape} for {n:,} texts.",
                remedy="Return (labels, {name: scores}) with one score a text.",
            )
        return column

    def _decisions_only(self, values: Any, n: int) -> IntArray:
        """Decisions without probabilities, as positions in the classes."""
        if self._labels is None:
            known = mapping_example(list(dict.fromkeys(map(str, values))), self._task_classes)
            raise LabelError(
                f"the function {self.name} returned labels, the first {next(iter(values))!r}; "
                "it is not known which labels it has.",
                remedy=f"Name all of them: classes={json.dumps(list(self._task_classes))}, for instance.",
                command_remedy=f"Give the class of each, also of labels that are not among these: labels={known}.",
            )
        return self._decisions(values, self._labels, n)

    def _matrix(self, values: Any, n: int) -> FloatArray:
        """The output as (n, L) with one column a label; learns the classes from its names or the number of columns."""
        named = columns.named_columns(values, self.name)
        if named is None:
            columns.check_not_label_lists(values, self.name)
            return self._check_shape(columns.to_array(values, self.name), values, n)
        names, numbers = named
        if self._labels is None:
            columns.check_named_places(names, self._user_labels[1], self.name)
            self._labels = columns.match_columns(names, self._task_classes, self._user_labels[1])
        return self._check_shape(
            columns.reorder_columns(names, columns.to_array(numbers, self.name), self._labels.labels, self.name),
            numbers,
            n,
        )

    def _check_shape(self, array: FloatArray, values: Any, n: int) -> FloatArray:
        if array.ndim == 1 and len(array) and columns.are_whole_numbers(values):
            raise PredictionError(
                f"the function {self.name} returned decisions, the first {array[0]:g}; expected probabilities.",
                remedy="Return one row per text with one probability per class, or (predictions, probabilities).",
            )
        if array.ndim == 2 and array.shape[1] == 1:
            array = array[:, 0]
        width = array.shape[1] if array.ndim == 2 else 1
        if self._width and len(array) == n and (self._width == 1) != (width == 1):
            raise PredictionError(
                f"the function {self.name} returned {count(width, 'number')} for a text, and {self._width} for others.",
                remedy="Return the same columns for all texts, with one probability per class.",
            )
        if self._labels is None and self._user_labels[1] is not None:
            self._labels = columns.match_single_column(self._user_labels[1], array, self._task_classes, self.name)
        if array.ndim == 1 and isinstance(self._labels, MultilabelMap) and len(self._labels.labels) == 1:
            array = array[:, None]
        elif array.ndim == 1 and (self._labels is None or len(self._labels.labels) == 2):
            if self._labels is None:
                required = [cls for cls in self._task_classes if cls not in OPTIONAL_CLASSES]
                self._labels = match_labels(required, self._task_classes)
                self._single_output = True
            columns.check_order(self._labels, self.name)
            array = np.column_stack([1 - array, array])
        if array.ndim != 2:
            raise PredictionError(
                f"the function {self.name} returned an array of the shape {array.shape} for {n:,} texts; "
                f"expected ({n:,}, classes).",
                remedy="Return one row per text with one probability per class.",
            )
        if len(array) != n:
            remedy = "Return one row per text, in the order of the texts."
            raise alignment_error(len(array), n, place=f"the function {self.name}", remedy=remedy)
        if self._labels is None:
            raise columns.unnamed_columns_error(array.shape[1], self._task_classes, self.name)
        if array.shape[1] != len(self._labels.labels):
            names = self._labels.labels
            raise PredictionError(
                f"the function {self.name} returned {array.shape[1]} columns; "
                f"expected {len(names)}: {first_ten(names)}.",
                remedy="Return one probability per class, or name the columns: classes=[...].",
            )
        self._width = width
        return array

    def _decisions(self, predicted: Any, labels: LabelMap | MultilabelMap, n: int) -> IntArray:
        """Decisions of the function's own, as column numbers or label names, to positions in the classes."""
        decisions = np.asarray(predicted)
        if decisions.shape != (n,):
            raise AlignmentError(
                f"the function {self.name} returned predictions of the shape {decisions.shape} for {n:,} texts.",
                remedy="Return (predictions, probabilities) with one prediction a text.",
                n_predictions=len(decisions) if decisions.ndim else None,
            )
        listed = predicted.tolist() if hasattr(predicted, "tolist") else list(predicted)
        lacking = int(columns.missing(listed).sum())
        if lacking:
            raise PredictionError(
                f"the function {self.name} returned no label for {lacking:,} of {count(n, 'text')}.",
                remedy="Return a label for every text.",
            )
        names: dict[Any, int] = {cls: at for at, cls in enumerate(labels.classes)}
        if isinstance(labels, LabelMap):
            names.update(zip(self._class_values or range(len(labels.labels)), labels.positions, strict=True))
            names.update(zip(labels.labels, labels.positions, strict=True))
        try:
            return np.array([names[decision] for decision in listed], dtype=np.int64)
        except KeyError as error:
            remedy = f"Predict a column's number, 0 to {len(labels.labels) - 1}, or its name: "
            raise LabelError(
                f"the function {self.name} predicted {error.args[0]!r}, which is none of its labels.",
                remedy=f"{remedy if self._class_values is None else 'Its labels: '}{first_ten(labels.labels)}.",
            ) from error

    def _require_labels(self) -> LabelMap | MultilabelMap:
        if self._labels is None:
            raise LabelError(f"the classes of the function {self.name} are not known.", remedy="Give classes=[...].")
        return self._labels
