"""Python functions and estimators as classifiers."""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from fairness_checklist.core.arrays import FloatArray, IntArray
from fairness_checklist.core.errors import FairnessChecklistError, InputError, LabelError, count, first_ten
from fairness_checklist.core.predictions import Predictions, alignment_error, in_order
from fairness_checklist.core.tasks import mapping_example
from fairness_checklist.models.base import TextOutput, call_function, output_error, text_outputs
from fairness_checklist.models.batches_without_padding import predict_by_chunk
from fairness_checklist.models.functions.classifier_outputs import read_answer, reorder_columns
from fairness_checklist.models.functions.objects import ObjectFunction, match_estimator_classes
from fairness_checklist.models.labels import (
    OPTIONAL_CLASSES,
    LabelMap,
    Labels,
    MultilabelMap,
    label_order,
    match_columns,
    match_labels,
    match_multilabel,
    names_one_class,
)

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
        source: ObjectFunction,
        task_classes: tuple[str, ...],
        *,
        classes: Sequence[str] | None,
        labels: Labels | None,
        name: str | None,
        batch_size: int,
    ) -> None:
        self._function, self._class_values, self._gives_labels = source.function, source.classes, source.gives_labels
        self._task_classes = task_classes
        self._has_name = name is not None
        if source.classes is not None:
            classes, labels = match_estimator_classes(source.classes, classes, labels, self._task_classes)
        self._user_labels = (list(classes) if classes is not None else None, labels)
        self._labels: LabelMap | MultilabelMap | None = None
        self._single_output = False
        self._width = 0  # numbers a text in its outputs, when there were any
        self.name = name or source.name
        self.chunk_size = batch_size
        if classes is not None:
            self._labels = match_columns(classes, self._task_classes, labels)
        elif labels is not None and not names_one_class(labels, self._task_classes):
            named = {str(key): cls for key, cls in labels.items()} if isinstance(labels, Mapping) else None
            self._labels = match_columns(label_order(labels), self._task_classes, named)

    @property
    def classes(self) -> tuple[str, ...]:
        """The classes; without names the function is called on one sentence to count its columns."""
        if self._labels is None:
            self.score([PROBE_TEXT], lambda _done: None)
        if self._labels is None:
            raise LabelError(f"the classes of the function {self.name} are not known.", remedy="Give classes=[...].")
        return self._labels.classes

    @property
    def fingerprint(self) -> str:
        """Hash of the name that the user gave and the classes; "" without such a name."""
        if not self._has_name:
            return ""
        classes, labels = self._user_labels
        items = list(labels.items()) if isinstance(labels, Mapping) else labels
        identity = ["function", self.name, self._task_classes, classes, items]
        return hashlib.sha256(json.dumps(identity, default=str).encode()).hexdigest()

    def predict(self, texts: Sequence[str], *, progress: bool = False) -> Predictions:
        """Decisions and probabilities (n, C) for n texts; the function sees each different text once."""
        return predict_by_chunk(self, texts, progress=progress)

    def score(self, texts: list[str], advance: Callable[[int], object]) -> list[TextOutput]:
        """Call the function on batches of different texts."""
        outputs: list[TextOutput] = []
        for start in range(0, len(texts), self.chunk_size):
            batch = texts[start : start + self.chunk_size]
            outputs += self._score_batch(batch)
            advance(len(batch))
        return outputs

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

    def _score_batch(self, batch: list[str]) -> list[TextOutput]:
        output = call_function(self._function, self.name, list(batch), batch)
        output = in_order(output, batch, f"the function {self.name} returned")
        answer = read_answer(output, self.name, len(batch), gives_labels=self._gives_labels)
        if answer.values is None:
            self._gives_labels = self._gives_labels or not answer.scores
            return text_outputs(None, self._positions(answer.labels or []), scores=answer.scores)
        labels, matrix = self._read_columns(answer.values, answer.names, len(batch))
        probabilities, scores = labels.read(matrix)
        predicted = probabilities.argmax(axis=1) if answer.labels is None else self._positions(answer.labels)
        return text_outputs(probabilities, predicted, scores=scores)

    def _read_columns(
        self, values: FloatArray, names: list[str] | None, n: int
    ) -> tuple[LabelMap | MultilabelMap, FloatArray]:
        """The labels and the numbers (n, L); learns the labels from the names or the number of columns."""
        if names is not None:
            self._labels = self._labels or self._match_names(names)
            values = reorder_columns(names, values, self._labels.labels, self.name)
        if values.ndim == 2 and values.shape[1] == 1:
            values = values[:, 0]
        width = values.shape[1] if values.ndim == 2 else 1
        if self._width and len(values) == n and (self._width == 1) != (width == 1):
            what = f"{count(width, 'number')} for a text, and {self._width} for others."
            raise output_error(
                self.name, what, "Return the same columns for all texts, with one probability per class."
            )
        if self._labels is None and self._user_labels[1] is not None:
            self._labels = self._match_one_label(self._user_labels[1], values)
        if values.ndim == 1:
            values = self._both_sides(values)
        if values.ndim != 2:
            what = f"an array of the shape {values.shape} for {n:,} texts; expected ({n:,}, classes)."
            raise output_error(self.name, what, "Return one row per text with one probability per class.")
        if len(values) != n:
            remedy = "Return one row per text, in the order of the texts."
            raise alignment_error(len(values), n, place=f"the function {self.name}", remedy=remedy)
        if self._labels is None:
            raise self._unnamed_columns_error(values.shape[1])
        if values.shape[1] != len(self._labels.labels):
            expected = f"expected {len(self._labels.labels)}: {first_ten(self._labels.labels)}."
            remedy = "Return one probability per class, or name the columns: classes=[...]."
            raise output_error(self.name, f"{values.shape[1]} columns; {expected}", remedy)
        self._width = width
        return self._labels, values

    def _match_names(self, names: list[str]) -> LabelMap | MultilabelMap:
        labels = self._user_labels[1]
        positions = [key for key in labels or () if isinstance(key, int) and str(key) not in names]
        if positions:  # the order of columns that come by name means nothing
            raise LabelError(
                f"labels= names column {positions[0]}, and the function {self.name} gives labels by name: "
                f"{first_ten(sorted(names))}.",
                remedy="Give their classes by name.",
            )
        return match_columns(names, self._task_classes, labels)

    def _match_one_label(self, labels: Labels, values: FloatArray) -> MultilabelMap:
        """The label of a function that gives one number a text; with more columns their labels are unknown."""
        if values.ndim != 1 or not isinstance(labels, Mapping) or len(labels) != 1:
            remedy = 'Name all columns: classes=["toxic", ...], in their order; or return {"toxic": [...], ...}.'
            raise output_error(self.name, "columns without names, and labels= names some of them.", remedy, LabelError)
        ((key, cls),) = labels.items()
        return match_multilabel([str(key)], self._task_classes, {str(key): cls})

    def _both_sides(self, values: FloatArray) -> FloatArray:
        """One number a text as the columns of the labels: the last of two classes, or the only label."""
        if self._labels is None:
            required = [cls for cls in self._task_classes if cls not in OPTIONAL_CLASSES]
            self._labels = match_labels(required, self._task_classes)
            self._single_output = True
        if isinstance(self._labels, MultilabelMap) and len(self._labels.labels) == 1:
            return values[:, None]
        if len(self._labels.labels) != 2:
            return values
        if isinstance(self._labels, LabelMap) and self._labels.positions == (1, 0):
            first, second = self._labels.labels
            raise output_error(
                self.name,
                f"one number a text, and the order of the classes is {first}, {second}; it is not known whether the "
                f"number is p({first}) or p({second}).",
                "Return two columns in that order; or return the probabilities by name: "
                f'{{"{first}": [...], "{second}": [...]}}.',
                LabelError,
            )
        return np.column_stack([1 - values, values])

    def _unnamed_columns_error(self, n_columns: int) -> InputError:
        required = [cls for cls in self._task_classes if cls not in OPTIONAL_CLASSES]
        fitting = next((list(names) for names in (self._task_classes, required) if len(names) == n_columns), None)
        numbered = [str(column) for column in range(n_columns)]
        order = f"classes=[...], in their order; the task's classes are {', '.join(self._task_classes)}"
        mapping = mapping_example(numbered, self._task_classes)
        if fitting:
            order = f"for instance classes={json.dumps(fitting)}, in the order of the columns"
            mapping = json.dumps(dict(zip(numbered, fitting, strict=True)))
        by_name = f'Or return them by name, {{"{self._task_classes[0]}": [...], ...}}; of a scikit-learn estimator '
        by_name += "give the estimator."
        return output_error(
            self.name,
            f"{n_columns} columns without names; it is not known which class each one is.",
            f"Name the columns: {order}.\n{by_name}",
            LabelError,
            command_remedy=f"Give the class of each column by its number: labels={mapping}.\n{by_name}",
        )

    def _positions(self, decisions: list[Any]) -> IntArray:
        """Decisions of the function's own, as column numbers or label names, to positions in the classes."""
        labels = self._labels
        if labels is None:
            names = mapping_example(list(dict.fromkeys(map(str, decisions))), self._task_classes)
            raise output_error(
                self.name,
                f"labels, the first {decisions[0]!r}; it is not known which labels it has.",
                f"Name all of them: classes={json.dumps(list(self._task_classes))}, for instance.",
                LabelError,
                command_remedy=f"Give the class of each, also of labels that are not among these: labels={names}.",
            )
        positions: dict[Any, int] = {cls: position for position, cls in enumerate(labels.classes)}
        if isinstance(labels, LabelMap):
            positions.update(zip(self._class_values or range(len(labels.labels)), labels.positions, strict=True))
            positions.update(zip(labels.labels, labels.positions, strict=True))
        try:
            return np.array([positions[decision] for decision in decisions], dtype=np.int64)
        except KeyError as error:
            remedy = f"Predict a column's number, 0 to {len(labels.labels) - 1}, or its name: "
            raise LabelError(
                f"the function {self.name} predicted {error.args[0]!r}, which is none of its labels.",
                remedy=f"{remedy if self._class_values is None else 'Its labels: '}{first_ten(labels.labels)}.",
            ) from error
