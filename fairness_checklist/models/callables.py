"""Any Python function that takes texts and returns probabilities is a model."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairness_checklist.errors import AlignmentError, LabelError, PredictionError
from fairness_checklist.models.base import Scored
from fairness_checklist.models.batching import beginning, concatenate, predict_by_chunk
from fairness_checklist.models.labels import OPTIONAL_CLASSES, LabelMap, Labels, match_labels, sum_by_class
from fairness_checklist.predictions import Predictions, alignment_error

__all__ = ["FunctionClassifier"]

PROBE = "This is a sentence."


class FunctionClassifier:
    """A function over a list of b texts, which returns one of

    - probabilities (b, C), as lists, an array, a tensor or a data frame;
    - the probability of the positive class, (b,) or (b, 1), where there are two classes;
    - ``(predictions, probabilities)``, as CheckList's ``PredictorWrapper.wrap_softmax`` gives.

    Args:
        function: the function.
        task_classes: the task's classes.
        classes: what the columns are; by default the task's classes, and for two columns those without neutral.
        labels: which class a column's name belongs to, where the names are not the classes.
        name: what to call it; predictions are kept from one run to the next only under a name that the user gave.
        batch_size: how many texts the function gets at once.

    >>> model = FunctionClassifier(lambda texts: [[0.25, 0.75]] * len(texts), ("negative", "neutral", "positive"))
    >>> model.predict(["Anna is here."]).probabilities, model.classes
    (array([[0.25, 0.75]]), ('negative', 'positive'))
    """

    def __init__(
        self,
        function: Callable[[list[str]], Any],
        task_classes: Sequence[str],
        *,
        classes: Sequence[str] | None = None,
        labels: Labels | None = None,
        name: str | None = None,
        batch_size: int = 256,
    ) -> None:
        self._function = function
        self._task_classes = tuple(task_classes)
        self._named = name is not None
        self._labels: LabelMap | None = None
        self._one_number = False
        self.name = name or _function_name(function)
        self.chunk_size = batch_size
        columns = classes if classes is not None else (list(labels) if labels is not None else None)
        if columns is not None:
            self._labels = _match_columns(columns, self._task_classes, labels)

    @property
    def classes(self) -> tuple[str, ...]:
        """The classes; where they were not named the function is asked about one sentence to count its columns."""
        if self._labels is None:
            self.score([PROBE], lambda _done: None)
        return self._known_labels().classes

    @property
    def fingerprint(self) -> str:
        """Hash of the name that the user gave and the classes; "" without such a name."""
        if not self._named:
            return ""
        deciding = ["function", self.name, self._task_classes, self._labels and self._labels.mapping()]
        return hashlib.sha256(json.dumps(deciding).encode()).hexdigest()

    def predict(self, texts: Sequence[str], *, progress: bool = False) -> Predictions:
        """Decisions and probabilities (n, C) for n texts; row i belongs to ``texts[i]``.

        The function sees each different text once.

        Raises:
            PredictionError: an error inside the function (chained), or probabilities that are none.
            AlignmentError: not one row a text.
            LabelError: a number of columns that is not the number of classes.
        """
        return predict_by_chunk(self, texts, progress=progress)

    def score(self, texts: list[str], advance: Callable[[int], object]) -> Scored:
        """Call the function on batches of different texts."""
        parts = []
        for start in range(0, len(texts), self.chunk_size):
            batch = texts[start : start + self.chunk_size]
            parts.append(self._score_batch(batch))
            advance(len(batch))
        return concatenate(parts)

    def notes(self, n_cut: int, texts: Sequence[str]) -> tuple[str, ...]:
        """That one number a text was taken for a probability; what a function does to long texts is not known."""
        if not self._one_number:
            return ()
        classes = self.classes
        return (
            f"the function gives one number a text: taken as p({classes[-1]}), the classes are {', '.join(classes)}",
        )

    def describe(self) -> dict[str, object]:
        """For ``run.json``: name and classes; a function has no weights to hash."""
        labels = self._labels
        return {
            "name": self.name,
            "kind": "function",
            "classes": list(labels.classes) if labels else None,
            "labels": labels.mapping() if labels else None,
        }

    def _score_batch(self, batch: list[str]) -> Scored:
        try:
            output = self._function(list(batch))
        except Exception as error:
            raise PredictionError(
                f"the function {self.name} failed on {_named(batch)}: {type(error).__name__}: {error}",
                remedy="The function's own traceback stands above; call it on that text to see it again.",
            ) from error
        predicted, values = _split(output)
        matrix = self._matrix(values, len(batch))
        labels = self._known_labels()
        probabilities = sum_by_class(matrix, labels)
        if predicted is None:
            decisions = probabilities.argmax(axis=1)
        else:
            decisions = self._decisions(predicted, labels, len(batch))
        return Scored(probabilities, decisions, np.zeros(len(batch), dtype=np.bool_))

    def _matrix(self, values: Any, n: int) -> NDArray[np.float64]:
        """The output as (n, L) with one column a label; learns the classes from the number of columns."""
        if self._labels is None and _has_names(values):
            self._labels = _match_columns(list(values.columns), self._task_classes, None)
        array = _to_array(values, self.name)
        if array.ndim == 1 and len(array) and _are_decisions(values):
            raise PredictionError(
                f"the function {self.name} returned decisions, the first {array[0]:g}; expected probabilities.",
                remedy="Return one row a text with one probability a class, or (predictions, probabilities).",
            )
        if array.ndim == 2 and array.shape[1] == 1:
            array = array[:, 0]
        if array.ndim == 1 and (self._labels is None or len(self._labels.labels) == 2):
            self._one_number = self._one_number or self._labels is None
            array = np.column_stack([1 - array, array])
        if array.ndim != 2:
            raise PredictionError(
                f"the function {self.name} returned an array of the shape {array.shape} for {n:,} texts; "
                f"expected ({n:,}, classes).",
                remedy="Return one row a text with one probability a class.",
            )
        if len(array) != n:
            error = alignment_error(len(array), n)
            raise AlignmentError(
                error.message,
                place=f"the function {self.name}",
                remedy="Return one row a text, in the order of the texts.",
            )
        if self._labels is None:
            self._labels = _guess_columns(array.shape[1], self._task_classes, self.name)
        if array.shape[1] != len(self._labels.labels):
            names = self._labels.labels
            raise PredictionError(
                f"the function {self.name} returned {array.shape[1]} columns; "
                f"expected {len(names)}: {', '.join(names)}.",
                remedy="Return one probability a class, or name the columns: classes=[...].",
            )
        return array

    def _decisions(self, predicted: Any, labels: LabelMap, n: int) -> NDArray[np.int64]:
        """Decisions of the function's own, as column numbers or label names, to positions in the classes."""
        decisions = np.asarray(predicted)
        if decisions.shape != (n,):
            raise AlignmentError(
                f"the function {self.name} returned predictions of the shape {decisions.shape} for {n:,} texts.",
                remedy="Return (predictions, probabilities) with one prediction a text.",
            )
        names: dict[Any, int] = dict(enumerate(labels.positions))
        names.update(zip(labels.labels, labels.positions, strict=True))
        names.update({cls: at for at, cls in enumerate(labels.classes)})
        try:
            return np.array([names[decision] for decision in decisions.tolist()], dtype=np.int64)
        except KeyError as error:
            raise PredictionError(
                f"the function {self.name} predicted {error.args[0]!r}, which is no column of its probabilities.",
                remedy=f"Predict a column's number, 0 to {len(labels.labels) - 1}, "
                f"or its name: {', '.join(labels.labels)}.",
            ) from error

    def _known_labels(self) -> LabelMap:
        if self._labels is None:
            raise LabelError(f"the classes of the function {self.name} are not known.", remedy="Give classes=[...].")
        return self._labels


def _split(output: Any) -> tuple[Any, Any]:
    """CheckList's pair (predictions, probabilities), or probabilities alone."""
    if isinstance(output, tuple) and len(output) == 2 and _depth(output[0]) == 1 and _depth(output[1]) == 2:
        return output
    return None, output


def _depth(values: Any) -> int:
    dimensions = getattr(values, "ndim", None)
    if isinstance(dimensions, int):
        return dimensions
    depth = 0
    while not isinstance(values, str) and hasattr(values, "__len__"):
        depth += int(getattr(values, "ndim", 1))
        if hasattr(values, "ndim") or not len(values):
            break
        values = values[0]
    return depth


def _has_names(values: Any) -> bool:
    """Whether the output is a data frame whose columns have names."""
    columns = getattr(values, "columns", None)
    return columns is not None and all(isinstance(column, str) for column in columns)


def _are_decisions(values: Any) -> bool:
    """Whether one whole number or truth value a text came, as from ``predict`` of scikit-learn."""
    kind = np.asarray(values.detach().cpu() if hasattr(values, "detach") else values).dtype.kind
    return kind in "iub"


def _to_array(values: Any, name: str) -> NDArray[np.float64]:
    if hasattr(values, "detach"):
        values = values.detach().cpu().tolist()
    elif isinstance(values, (list, tuple)) and values and hasattr(values[0], "detach"):
        values = [row.detach().cpu().tolist() for row in values]
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        first = values[0] if isinstance(values, (list, tuple, np.ndarray)) and len(values) else None
        if isinstance(first, str):
            raise PredictionError(
                f"the function {name} returned words, the first {str(first)!r}; expected probabilities.",
                remedy="Return one row a text with one probability a class. "
                "Decisions alone go into a table with the column predicted: see evaluate.",
            ) from error
        raise PredictionError(
            f"the function {name} returned a {type(values).__name__} that is no table of numbers.",
            remedy="Return one row a text with one probability a class.",
        ) from error


def _match_columns(columns: Sequence[Any], task_classes: tuple[str, ...], labels: Labels | None) -> LabelMap:
    if isinstance(columns, str):
        raise LabelError(
            f'classes="{columns}" is one word; expected one name a column.',
            remedy=f"Write classes={list(task_classes)}.",
        )
    names = [str(column) for column in columns]
    if isinstance(labels, dict):
        labels = {str(key): cls for key, cls in labels.items()}
    return match_labels(names, task_classes, labels)


def _guess_columns(n_columns: int, task_classes: tuple[str, ...], name: str) -> LabelMap:
    required = tuple(cls for cls in task_classes if cls not in OPTIONAL_CLASSES)
    for classes in (task_classes, required):
        if n_columns == len(classes):
            return match_labels(classes, task_classes)
    raise LabelError(
        f"the function {name} returned {n_columns} columns; the task's classes are {', '.join(task_classes)}.",
        remedy=f"Say what the columns are: classes={list(task_classes)}, in their order; "
        "or give labels= for other names.",
    )


def _function_name(function: Any) -> str:
    return str(getattr(function, "__qualname__", None) or type(function).__qualname__).replace("<locals>.", "")


def _named(batch: list[str]) -> str:
    first = beginning(batch[0])
    return f'the text "{first}"' if len(batch) == 1 else f'a batch of {len(batch):,} texts that starts with "{first}"'
