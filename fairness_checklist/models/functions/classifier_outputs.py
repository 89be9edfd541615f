"""The output of a function that classifies texts, in each of its forms, as one record."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from fairness_checklist.core.arrays import FloatArray
from fairness_checklist.core.errors import AlignmentError, InputError, LabelError, count, first_ten
from fairness_checklist.core.predictions import numbers
from fairness_checklist.models.base import output_error


@dataclass(frozen=True, eq=False)
class Answer:
    """What a function returned for n texts."""

    values: FloatArray | None = None  # (n, L) numbers, or (n,) one number a text; None where only labels came
    names: list[str] | None = None  # the names of the L columns, where the output has them
    labels: list[Any] | None = None  # (n,) decisions of the function's own, as names or numbers of columns
    scores: Mapping[str, FloatArray] = field(default_factory=dict)  # numbers beside the labels by name, each (n,)


def read_answer(output: Any, function: str, n: int, *, gives_labels: bool) -> Answer:
    """The output of a function for n texts; ``gives_labels`` says that a column of numbers is one of labels."""
    is_pair = isinstance(output, tuple) and len(output) == 2
    if is_pair and isinstance(output[1], Mapping):
        scores = {str(name): to_array(values, function) for name, values in output[1].items()}
        wrong = next((column.shape for column in scores.values() if column.shape != (n,)), None)
        if wrong is not None:
            what = f"scores of the shape {wrong} for {n:,} texts."
            raise output_error(function, what, "Return (labels, {name: scores}) with one score a text.", AlignmentError)
        return Answer(labels=_labels(output[0], function, n), scores=scores)
    if is_pair and [_n_dimensions(side) for side in output] == [1, 2]:  # CheckList's (predictions, probabilities)
        names, values = _columns(output[1], function)
        return Answer(values, names, _labels(output[0], function, n))
    if gives_labels or _are_label_names(output):
        return Answer(labels=_labels(output, function, n))
    names, values = _columns(output, function)
    if names is None and values.ndim == 1 and len(values) and _are_whole_numbers(output):
        remedy = "Return one row per text with one probability per class, or (predictions, probabilities)."
        raise output_error(function, f"decisions, the first {values[0]:g}; expected probabilities.", remedy)
    return Answer(values, names)


def _n_dimensions(values: Any) -> int:
    if isinstance(getattr(values, "ndim", None), int):
        return int(values.ndim)
    if isinstance(values, (str, Mapping)) or not hasattr(values, "__len__"):
        return 0
    return 1 + _n_dimensions(values[0]) if len(values) else 1


def _are_whole_numbers(values: Any) -> bool:
    """Whether one whole number or truth value a text came, as from ``predict`` of scikit-learn."""
    kind = getattr(getattr(values, "dtype", None), "kind", "")  # of pandas also where a cell is missing
    return (kind or np.asarray(values.detach().cpu() if hasattr(values, "detach") else values).dtype.kind) in "iub"


def _are_label_names(values: Any) -> bool:
    """Whether one string a text came; some may be missing."""
    if isinstance(values, (str, Mapping)) or hasattr(values, "columns") or not hasattr(values, "__len__"):
        return False
    listed = values.tolist() if hasattr(values, "tolist") else list(values)
    words = [value for value in listed if isinstance(value, str)] if isinstance(listed, list) else []
    return bool(words) and len(words) + _n_missing(listed) == len(listed)


def _n_missing(values: list[Any]) -> int:
    return sum(pd.isna(value) is True for value in values)


def _labels(values: Any, function: str, n: int) -> list[Any]:
    shape = np.asarray(values).shape
    if shape != (n,):
        what, n_labels = f"predictions of the shape {shape} for {n:,} texts.", shape[0] if shape else None
        raise output_error(function, what, "Return one prediction a text.", AlignmentError, n_predictions=n_labels)
    listed: list[Any] = values.tolist() if hasattr(values, "tolist") else list(values)
    n_missing = _n_missing(listed)
    if n_missing:
        what = f"no label for {n_missing:,} of {count(n, 'text')}."
        raise output_error(function, what, "Return a label for every text.")
    return listed


def to_array(values: Any, function: str) -> FloatArray:
    """Lists, tensors and frames of numbers as an array."""
    if hasattr(values, "detach"):
        values = values.detach().cpu().tolist()
    elif isinstance(values, (list, tuple)) and values and hasattr(values[0], "detach"):
        values = [row.detach().cpu().tolist() for row in values]
    rows = values if isinstance(values, (list, tuple)) else ()
    labels = next((row for row in rows if isinstance(row, (list, tuple)) and row and isinstance(row[0], str)), None)
    if labels is not None:
        raise output_error(
            function,
            f"a list of labels for a text, {first_ten(labels)}; expected one label, or one probability per class.",
            "Where several labels may hold, return their probabilities by name: "
            '[{"toxic": 0.9, "insult": 0.1}, ...], one per text.',
        )
    try:
        return numbers(values)
    except (TypeError, ValueError) as error:
        what = f"a {type(values).__name__} that is no table of numbers."
        raise output_error(function, what, "Return one row per text with one probability per class.") from error


def _columns(values: Any, function: str) -> tuple[list[str] | None, FloatArray]:
    """The names of the columns, where the output has names, and their numbers."""
    if hasattr(values, "columns"):
        listed = list(values.columns)
        named = all(isinstance(column, str) for column in listed)
        numbered = all(isinstance(column, int) for column in listed) and listed != list(range(len(listed)))
        return [str(column) for column in listed] if named or numbered else None, to_array(values, function)
    if isinstance(values, Mapping):
        columns = [to_array(column, function) for column in values.values()]
        if not columns or any(column.ndim != 1 or len(column) != len(columns[0]) for column in columns):
            remedy = 'Return {"toxic": [0.9, 0.2], ...}, or a list of mappings, one per text.'
            raise output_error(function, "a mapping that does not hold one number a text under each name.", remedy)
        return [str(key) for key in values], np.column_stack(columns)
    if not (isinstance(values, Sequence) and len(values)):
        return None, to_array(values, function)
    rows = [_as_mapping(row, function) for row in values]
    if not all(isinstance(row, Mapping) for row in rows):
        return None, to_array(values, function)
    keys = list(dict.fromkeys(key for row in rows for key in row))
    if len(keys) > 1 and all(isinstance(row, list) and len(row) == 1 for row in values):
        raise _best_label_error(function)
    return [str(key) for key in keys], to_array([[row.get(key, np.nan) for key in keys] for row in rows], function)


def _as_mapping(row: Any, function: str) -> Any:
    """A row of a pipeline, ``[{"label": "toxic", "score": 0.9}, ...]``, as a mapping; any other row as it is."""
    if isinstance(row, Mapping) and set(row) == {"label", "score"}:
        raise _best_label_error(function)
    if isinstance(row, Mapping) and {"labels", "scores"} <= set(row) and len(row["labels"]) == len(row["scores"]):
        return dict(zip(row["labels"], row["scores"], strict=True))  # of a pipeline for zero-shot classification
    pairs = isinstance(row, list) and row and all(isinstance(pair, Mapping) for pair in row)
    return {pair["label"]: pair["score"] for pair in row} if pairs and set(row[0]) == {"label", "score"} else row


def _best_label_error(function: str) -> InputError:
    remedy = "Ask the pipeline for all: pipeline(texts, top_k=None)."
    return output_error(function, "the best label of each text; expected all of them.", remedy, LabelError)


def reorder_columns(names: list[str], array: FloatArray, labels: Sequence[str], function: str) -> FloatArray:
    """The columns in the order of the labels; NaN for a label that is not among the names.

    Names that are their own positions, 0, 1 and so on in this order, are none.
    """
    if array.ndim != 2 or array.shape[1] != len(names) or names == [str(position) for position in range(len(labels))]:
        return array
    if not set(names) <= set(labels):
        expected = f"expected {first_ten(labels)}, by classes= or by the texts before."
        remedy = "Return the same names for all texts (of a pipeline all labels, by top_k=None), and leave classes= "
        remedy += "out; labels={...} gives the class of a name."
        raise output_error(function, f"numbers under the names {first_ten(names)}; {expected}", remedy, LabelError)
    empty = np.full(len(array), np.nan)
    return np.column_stack([array[:, names.index(label)] if label in names else empty for label in labels])
