"""What a function may return for a batch of texts, brought into arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairness_checklist.errors import PredictionError, first_ten

__all__ = ["are_decisions", "are_labels", "check_no_label_lists", "named_columns", "split_pair", "to_array"]


def named_columns(values: Any, name: str) -> tuple[list[str], Any] | None:
    """The names of the columns and their numbers (b, L), where the output has names; None where it has not.

    Args:
        values: a data frame; a mapping from name to b numbers, as Detoxify gives; b mappings from name to number, of
            which a missing one is NaN; or what a pipeline of transformers gives with ``top_k=None``.
        name: the function, for errors.

    Raises:
        PredictionError: mappings that hold no numbers.

    >>> named_columns([{"toxic": 0.75, "insult": 0.5}, {"toxic": 0.25}], "mine")
    (['toxic', 'insult'], array([[0.75, 0.5 ],
           [0.25,  nan]]))
    >>> named_columns([[0.75, 0.25]], "mine")
    """
    columns = getattr(values, "columns", None)
    if columns is not None:
        return (list(columns), values) if all(isinstance(column, str) for column in columns) else None
    if isinstance(values, Mapping):
        return [str(key) for key in values], _columns([to_array(column, name) for column in values.values()], name)
    if not (isinstance(values, Sequence) and len(values)):
        return None
    values = [_row(row, name) for row in values]
    if not all(isinstance(row, Mapping) for row in values):
        return None
    keys = list(dict.fromkeys(key for row in values for key in row))
    return [str(key) for key in keys], to_array([[row.get(key, np.nan) for key in keys] for row in values], name)


def _row(row: Any, name: str) -> Any:
    """A row of a pipeline, ``[{"label": "toxic", "score": 0.9}, ...]``, as a mapping; any other row as it is."""
    if isinstance(row, Mapping) and set(row) == {"label", "score"}:
        raise PredictionError(
            f"the function {name} returned the best label of each text; expected all of them.",
            remedy="Ask the pipeline for all: pipeline(texts, top_k=None).",
        )
    pairs = isinstance(row, list) and row and all(isinstance(one, Mapping) for one in row)
    return {one["label"]: one["score"] for one in row} if pairs and set(row[0]) == {"label", "score"} else row


def _columns(columns: list[NDArray[np.float64]], name: str) -> NDArray[np.float64]:
    if not columns or any(column.ndim != 1 or len(column) != len(columns[0]) for column in columns):
        raise PredictionError(
            f"the function {name} returned a mapping that does not hold one number a text under each name.",
            remedy='Return {"toxic": [0.9, 0.2], ...}, or a list of mappings, one a text.',
        )
    return np.column_stack(columns)


def split_pair(output: Any) -> tuple[Any, Any]:
    """CheckList's pair (predictions, probabilities), or None and probabilities alone."""
    if isinstance(output, tuple) and len(output) == 2 and _depth(output[0]) == 1 and _depth(output[1]) == 2:
        return output
    return None, output


def _depth(values: Any) -> int:
    dimensions = getattr(values, "ndim", None)
    if isinstance(dimensions, int):
        return dimensions
    depth = 0
    while not isinstance(values, (str, Mapping)) and hasattr(values, "__len__"):
        depth += int(getattr(values, "ndim", 1))
        if hasattr(values, "ndim") or not len(values):
            break
        values = values[0]
    return depth


def are_decisions(values: Any) -> bool:
    """Whether one whole number or truth value a text came, as from ``predict`` of scikit-learn."""
    kind = np.asarray(values.detach().cpu() if hasattr(values, "detach") else values).dtype.kind
    return kind in "iub"


def are_labels(values: Any) -> bool:
    """Whether one text a row came, as from ``predict`` of a classifier of scikit-learn.

    >>> are_labels(["positive", "negative"]), are_labels([["positive"]]), are_labels([0.5])
    (True, False, False)
    """
    if isinstance(values, (str, Mapping)) or hasattr(values, "columns") or not hasattr(values, "__len__"):
        return False
    listed = values.tolist() if hasattr(values, "tolist") else list(values)
    return isinstance(listed, list) and bool(listed) and all(isinstance(value, str) for value in listed)


def check_no_label_lists(values: Any, name: str) -> None:
    """Raise `PredictionError` where a text has a list of labels in place of one, or of probabilities."""
    if not isinstance(values, (list, tuple, np.ndarray)):
        return
    rows = (row for row in values if isinstance(row, (list, tuple, set, frozenset, np.ndarray)))
    words = next((row for row in rows if any(isinstance(one, str) for one in row)), None)
    if words is not None:
        raise PredictionError(
            f"the function {name} returned a list of labels for a text, {first_ten(sorted(map(str, words)))}; "
            "expected one label, or one probability a class.",
            remedy="Where several labels may hold, return their probabilities by name: "
            '[{"toxic": 0.9, "insult": 0.1}, ...], one a text.',
        )


def to_array(values: Any, name: str) -> NDArray[np.float64]:
    """Lists, tensors and frames of numbers as an array.

    Raises:
        PredictionError: it holds something else.
    """
    if hasattr(values, "detach"):
        values = values.detach().cpu().tolist()
    elif isinstance(values, (list, tuple)) and values and hasattr(values[0], "detach"):
        values = [row.detach().cpu().tolist() for row in values]
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise PredictionError(
            f"the function {name} returned a {type(values).__name__} that is no table of numbers.",
            remedy="Return one row a text with one probability a class.",
        ) from error
