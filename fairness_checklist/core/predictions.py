"""A model's predictions for an example set: one decision and one probability vector per row, or a word."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fairness_checklist.core.arrays import FloatArray, IntArray, by_value, ranges
from fairness_checklist.core.errors import AlignmentError, LabelError, OrderError, PredictionError, first_ten
from fairness_checklist.core.tagging import OUTSIDE, Spans

_BLOCK = 65_536  # rows that are checked at once: at a million each copy counts
_NO_PROBABILITIES = "Return probabilities, not logits: apply a softmax first, and handle rows that fail."
_ROUNDED = "The probabilities look rounded: give them with more digits, or divide each row by its sum."
_NO_DISTRIBUTION = (
    "Give one probability per class, which exclude each other. Where each label has a probability by itself "
    "(multi-label), give that of one class and its complement."
)


@by_value
@dataclass(frozen=True, eq=False)
class Predictions:
    """Decisions, probabilities and scores for n rows and C classes."""

    classes: tuple[str, ...]  # the C class names, in the order that breaks ties
    predicted: IntArray  # (n,) the decision of each row as a position in ``classes``
    probabilities: FloatArray | None = None  # (n, C), rows that sum to 1; None where only decisions are known
    scores: Mapping[str, FloatArray] = field(default_factory=dict)  # (n,) each, further numbers a row; NaN for none
    notes: tuple[str, ...] = ()  # how they came to be (truncated rows, reduced precision)
    failed: Mapping[str, str] = field(default_factory=dict)  # errors by text; such rows have -1 and NaN

    def __len__(self) -> int:
        return len(self.predicted)

    def at(self, rows: IntArray | slice) -> Predictions:
        """The predictions of the rows at these positions, each as often as it is named."""
        return replace(
            self,
            predicted=self.predicted[rows],
            probabilities=None if self.probabilities is None else self.probabilities[rows],
            scores={name: column[rows] for name, column in self.scores.items()},
        )

    @classmethod
    def from_probabilities(
        cls,
        probabilities: ArrayLike,
        classes: Sequence[str],
        *,
        predicted: ArrayLike | None = None,
        scores: Mapping[str, ArrayLike] | None = None,
        notes: Sequence[str] = (),
    ) -> Predictions:
        """Check probabilities (n, C); decide by the largest (ties: the first class) or as ``predicted`` (n,) says."""
        table: Any = probabilities
        if hasattr(table, "iloc"):
            table = in_order(table, range(len(table)), "the probabilities are")
            table = in_class_order(table, classes, "the probabilities have")
        remedy = f"Return one row per text with {len(classes)} probabilities: {', '.join(classes)}."
        try:
            values = numbers(table)
        except (TypeError, ValueError) as error:
            raise PredictionError("the probabilities are not a table of numbers.", remedy=remedy) from error
        if values.ndim != 2 or values.shape[1] != len(classes):
            what = f"the probabilities have the shape {values.shape}; expected (texts, {len(classes)})."
            raise PredictionError(what, remedy=remedy)
        check_probabilities(values, classes)
        decision = values.argmax(axis=1) if predicted is None else np.asarray(predicted)
        return cls(
            classes=tuple(classes),
            predicted=decision.astype(np.int64, copy=False),
            probabilities=values,
            scores={name: np.asarray(column, dtype=np.float64) for name, column in (scores or {}).items()},
            notes=tuple(notes),
        )


@by_value
@dataclass(frozen=True, eq=False)
class TokenPredictions:
    """A tagger's predictions for n sentences of W words in all, T types of entities."""

    types: tuple[str, ...]  # the T types that it can predict, as the suite calls them
    offset: IntArray  # (n + 1,) where each sentence's words start, see `core.tagging.words`
    spans: Spans  # the entities it found; ``spans.type`` points into ``types``
    probabilities: FloatArray | None = None  # (W, T + 1), the last column outside; None where only spans are known
    repaired: IntArray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))  # (n,) tags that broke the scheme
    notes: tuple[str, ...] = ()  # how they came to be (split sentences, types left out)
    failed: Mapping[str, str] = field(default_factory=dict)  # errors by text; such rows have no prediction

    def __post_init__(self) -> None:
        if len(self.repaired) != len(self):
            object.__setattr__(self, "repaired", np.zeros(len(self), dtype=np.int64))

    def __len__(self) -> int:
        return len(self.offset) - 1

    @property
    def classes(self) -> tuple[str, ...]:
        """The T types and, last, "O"."""
        return (*self.types, OUTSIDE)

    def at(self, rows: IntArray | slice) -> TokenPredictions:
        """The predictions of the sentences at these positions, each as often as it is named."""
        rows = np.arange(len(self))[rows]
        sentence, at_word = ranges(self.offset[rows], self.offset[rows + 1])
        return replace(
            self,
            offset=np.searchsorted(sentence, np.arange(len(rows) + 1)),
            spans=self.spans.of_rows(rows),
            probabilities=None if self.probabilities is None else self.probabilities[at_word],
            repaired=self.repaired[rows],
        )


def check_probabilities(values: FloatArray, classes: Sequence[str]) -> None:
    """Raise `PredictionError` with the first row that is not a probability vector over ``classes``."""
    if any(wrong_rows(values[start : start + _BLOCK], classes) for start in range(0, len(values), _BLOCK)) and (
        problem := wrong_rows(values, classes)
    ):
        rows, what, remedy = problem
        raise PredictionError(
            f"row {rows[0] + 1:,} of the probabilities {what} ({len(rows):,} such rows).", remedy=remedy
        )


def wrong_rows(values: FloatArray, classes: Sequence[str]) -> tuple[IntArray, str, str] | None:
    """The rows that are no probability vectors (to 0.001), what is wrong with the first, and the remedy; else None."""
    total = values.sum(axis=1)
    for wrong, what, of_sum in (
        (~np.isfinite(values).all(axis=1), "holds NaN or infinity", False),
        ((values < -1e-6).any(axis=1) | (values > 1 + 1e-6).any(axis=1), "is not between 0 and 1", False),
        (np.abs(total - 1) > 1e-3 + 1e-12, "does not sum to 1", True),
    ):
        rows = np.flatnonzero(wrong)
        if len(rows):
            listed = first_ten(f"{name}={value:.4g}" for name, value in zip(classes, values[rows[0]], strict=True))
            two_digits = abs(total[rows[0]] - 1) <= 0.005 * len(classes) + 1e-12
            remedy = (_ROUNDED if two_digits else _NO_DISTRIBUTION) if of_sum else _NO_PROBABILITIES
            return rows, f"{what}: {listed}", remedy
    return None


def alignment_error(n_predictions: int, n_examples: int, *, place: str = "", remedy: str = "") -> AlignmentError:
    """The error for a number of predictions that is not the number of examples."""
    missing = f"{n_predictions - n_examples:,} too many"
    if n_predictions < n_examples:
        missing = f"rows {n_predictions + 1:,} to {n_examples:,} have none"
    if n_predictions + 1 == n_examples:
        missing = f"row {n_examples:,} has none"
    message = f"{n_predictions:,} predictions for {n_examples:,} examples: {missing}."
    return AlignmentError(message, place=place, remedy=remedy, n_predictions=n_predictions)


def in_order(values: Any, keys: Sequence[Any], what: str) -> Any:
    """Rows of pandas in the order of the n texts or words (``keys``) they belong to; also those of a pair or mapping.

    What has no index or another number of rows stays as it is. Another index than a permutation of 0 to n - 1 or of the
    keys is an `OrderError`, whose subject is ``what``.
    """
    if type(values) is tuple and len(values) == 2:
        return tuple(in_order(half, keys, what) for half in values)
    if isinstance(values, Mapping):
        return {name: in_order(column, keys, what) for name, column in values.items()}
    if not hasattr(values, "iloc") or len(values) != len(keys) or len(keys) == 1:
        return values
    index = values.index.tolist()
    for wanted in (list(range(len(keys))), list(keys)):
        if index == wanted:
            return values
        position = {key: row for row, key in enumerate(index)}
        if len(position) == len(index) and position.keys() == set(wanted):
            return values.iloc[[position[key] for key in wanted]]
    raise OrderError(
        f"{what} a {type(values).__name__} with the index {first_ten(index)}; expected 0 to {len(keys) - 1:,}, in any "
        "order.",
        remedy="If its rows are in order, return it with .reset_index(drop=True).",
    )


def numbers(values: Any) -> FloatArray:
    """Values as an array of numbers: NaN where an array is masked, and where a cell of pandas is missing."""
    if isinstance(values, np.ma.MaskedArray):
        return np.asarray(np.ma.filled(values.astype(np.float64), np.nan))
    if hasattr(values, "isna") and hasattr(values, "to_numpy"):
        return np.asarray(values.to_numpy(dtype=np.float64, na_value=np.nan))
    if isinstance(values, (list, tuple)) and any(isinstance(row, np.ma.MaskedArray) for row in values):
        values = [numbers(row) for row in values]
    return np.asarray(values, dtype=np.float64)


def in_class_order(values: Any, classes: Sequence[str], what: str) -> Any:
    """A DataFrame over classes with its columns in their order; anything else, and numbered columns, as they are."""
    names = list(values.columns) if hasattr(values, "iloc") and hasattr(values, "columns") else []
    if not all(isinstance(name, str) for name in names) or names in ([], list(classes)):
        return values
    if sorted(names) != sorted(classes):
        remedy = "Name the columns as the classes are named."
        raise LabelError(f"{what} the columns {first_ten(names)}; expected {first_ten(classes)}.", remedy=remedy)
    return values[list(classes)]
