"""Outputs of a function that name their labels, as columns in the order of the labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairness_checklist.core.errors import LabelError, PredictionError, first_ten
from fairness_checklist.models.functions.probability_columns import to_array
from fairness_checklist.models.labels import Labels


def named_columns(values: Any, name: str) -> tuple[list[str], Any] | None:
    """The names of the columns and their numbers (b, L), where the output has names; None where it has not.

    Args:
        values: a data frame; a mapping from name to b numbers, as Detoxify gives; b mappings from name to number, of
            which a missing one is NaN; or what a pipeline of transformers gives with ``top_k=None``.
        name: the function, for errors.

    Raises:
        LabelError: the best label of each text alone.
        PredictionError: mappings that hold no numbers.

    >>> named_columns([{"toxic": 0.75, "insult": 0.5}, {"toxic": 0.25}], "mine")
    (['toxic', 'insult'], array([[0.75, 0.5 ],
           [0.25,  nan]]))
    >>> named_columns([[0.75, 0.25]], "mine")
    """
    columns = getattr(values, "columns", None)
    if columns is not None:
        listed = list(columns)
        named = all(isinstance(column, str) for column in listed)
        numbered = all(isinstance(column, int) for column in listed) and listed != list(range(len(listed)))
        return ([str(column) for column in listed], values) if named or numbered else None
    if isinstance(values, Mapping):
        return [str(key) for key in values], _columns([to_array(column, name) for column in values.values()], name)
    if not (isinstance(values, Sequence) and len(values)):
        return None
    single = all(isinstance(row, list) and len(row) == 1 for row in values)
    values = [_row(row, name) for row in values]
    if not all(isinstance(row, Mapping) for row in values):
        return None
    keys = list(dict.fromkeys(key for row in values for key in row))
    if single and len(keys) > 1:
        raise _best_label_error(name)
    return [str(key) for key in keys], to_array([[row.get(key, np.nan) for key in keys] for row in values], name)


def _row(row: Any, name: str) -> Any:
    """A row of a pipeline, ``[{"label": "toxic", "score": 0.9}, ...]``, as a mapping; any other row as it is."""
    if isinstance(row, Mapping) and set(row) == {"label", "score"}:
        raise _best_label_error(name)
    if isinstance(row, Mapping) and {"labels", "scores"} <= set(row) and len(row["labels"]) == len(row["scores"]):
        return dict(zip(row["labels"], row["scores"], strict=True))  # of a pipeline for zero-shot classification
    pairs = isinstance(row, list) and row and all(isinstance(one, Mapping) for one in row)
    return {one["label"]: one["score"] for one in row} if pairs and set(row[0]) == {"label", "score"} else row


def _best_label_error(name: str) -> LabelError:
    return LabelError(
        f"the function {name} returned the best label of each text; expected all of them.",
        remedy="Ask the pipeline for all: pipeline(texts, top_k=None).",
    )


def _columns(columns: list[NDArray[np.float64]], name: str) -> NDArray[np.float64]:
    if not columns or any(column.ndim != 1 or len(column) != len(columns[0]) for column in columns):
        raise PredictionError(
            f"the function {name} returned a mapping that does not hold one number a text under each name.",
            remedy='Return {"toxic": [0.9, 0.2], ...}, or a list of mappings, one per text.',
        )
    return np.column_stack(columns)


def check_named_places(names: list[str], labels: Labels | None, name: str) -> None:
    """Raise `LabelError` where ``labels`` has the number of a column that comes by name: their order means nothing."""
    places = [key for key in labels or () if isinstance(key, int) and str(key) not in names]
    if places:
        raise LabelError(
            f"labels= names column {places[0]}, and the function {name} gives labels by name: "
            f"{first_ten(sorted(names))}.",
            remedy="Give their classes by name.",
        )


def reorder_columns(
    names: list[str], array: NDArray[np.float64], labels: Sequence[str], name: str
) -> NDArray[np.float64]:
    """The columns in the order of the labels; NaN for a label that is not there.

    Names that are their own positions, 0, 1 and so on in this order, are none.

    Raises:
        LabelError: a name that is none of the labels.

    >>> reorder_columns(["b", "a"], np.array([[0.25, 0.75]]), ("a", "b"), "mine")
    array([[0.75, 0.25]])
    """
    if array.ndim != 2 or array.shape[1] != len(names) or names == [str(at) for at in range(len(labels))]:
        return array
    if not set(names) <= set(labels):
        raise LabelError(
            f"the function {name} returned numbers under the names {first_ten(names)}; "
            f"expected {first_ten(labels)}, by classes= or by the texts before.",
            remedy="Return the same names for all texts (of a pipeline all labels, by top_k=None), and leave classes= "
            "out; labels={...} gives the class of a name.",
        )
    empty = np.full(len(array), np.nan)
    return np.column_stack([array[:, names.index(label)] if label in names else empty for label in labels])
