"""Outputs of a function that name their labels, as columns in the order of the labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairness_checklist.core.errors import LabelError, PredictionError, first_ten
from fairness_checklist.models.labels import LabelMap, Labels, MultilabelMap, mapping_example
from fairness_checklist.models.probability_columns import match_columns, to_array


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
    single = all(isinstance(row, list) and len(row) == 1 for row in values)
    values = [_row(row, name) for row in values]
    if not all(isinstance(row, Mapping) for row in values):
        return None
    keys = list(dict.fromkeys(key for row in values for key in row))
    if single and len(keys) > 1:
        raise _best_label_error(name)
    return [str(key) for key in keys], to_array([[row.get(key, np.nan) for key in keys] for row in values], name)


def match_names(
    names: list[str],
    task_classes: tuple[str, ...],
    labels: Labels | None,
    known: LabelMap | MultilabelMap | None,
    name: str,
) -> LabelMap | MultilabelMap:
    """The labels of an output by their names; the order in which they come means nothing.

    Args:
        names: the names in the output.
        task_classes: the task's classes.
        labels: the classes of labels that the user gave.
        known: the labels that the user named, or those of an earlier output; None where there are none.
        name: the function, for errors.

    Raises:
        LabelError: names that are none of the known ones, or a mapping by positions.
        PredictionError: one label a text, which is not the only one.

    >>> match_names(["pos", "neg"], ("negative", "positive"), None, None, "mine").mapping()
    {'pos': 'positive', 'neg': 'negative'}
    """
    if known is not None:
        further = [one for one in names if one not in known.labels]
        if further and len(names) == 1:
            raise _best_label_error(name)
        if further:
            raise LabelError(
                f"the function {name} returned {first_ten(further)}, and its labels are {first_ten(known.labels)}.",
                remedy="Return the same names for all texts. Where classes= or labels= is given, name them as the "
                f"function does: labels={mapping_example(sorted(names), task_classes)}, for instance.",
            )
        return known
    places = [key for key in labels or () if isinstance(key, int) and str(key) not in names]
    if places:
        example = mapping_example(sorted(names), task_classes)
        raise LabelError(
            f"labels= names column {places[0]}, and the function {name} gives labels by name: {first_ten(names)}.",
            remedy=f"Give their classes by name: labels={example}, for instance.",
        )
    try:
        return match_columns(names, task_classes, labels)
    except LabelError as error:
        if len(names) == 1:
            raise _best_label_error(name) from error
        raise


def _best_label_error(name: str) -> PredictionError:
    return PredictionError(
        f"the function {name} returned the best label of each text; expected all of them.",
        remedy="Ask the pipeline for all: pipeline(texts, top_k=None).",
    )


def _row(row: Any, name: str) -> Any:
    """A row of a pipeline as a mapping; any other row as it is.

    A pipeline that classifies gives ``[{"label": "toxic", "score": 0.9}, ...]``, one that classifies by names that it
    is given (zero-shot) ``{"labels": ["toxic", ...], "scores": [0.9, ...]}``.
    """
    if isinstance(row, Mapping) and set(row) == {"label", "score"}:
        raise _best_label_error(name)
    if isinstance(row, Mapping) and {"labels", "scores"} <= set(row) and len(row["labels"]) == len(row["scores"]):
        return dict(zip(row["labels"], row["scores"], strict=True))
    pairs = isinstance(row, list) and row and all(isinstance(one, Mapping) for one in row)
    return {one["label"]: one["score"] for one in row} if pairs and set(row[0]) == {"label", "score"} else row


def _columns(columns: list[NDArray[np.float64]], name: str) -> NDArray[np.float64]:
    if not columns or any(column.ndim != 1 or len(column) != len(columns[0]) for column in columns):
        raise PredictionError(
            f"the function {name} returned a mapping that does not hold one number a text under each name.",
            remedy='Return {"toxic": [0.9, 0.2], ...}, or a list of mappings, one per text.',
        )
    return np.column_stack(columns)


def reorder_columns(names: list[str], array: NDArray[np.float64], labels: Sequence[str]) -> NDArray[np.float64]:
    """The columns in the order of the labels, where they are named as these are; NaN for a label that is not there."""
    if array.ndim != 2 or array.shape[1] != len(names) or not set(names) <= set(labels):
        return array
    empty = np.full(len(array), np.nan)
    return np.column_stack([array[:, names.index(label)] if label in names else empty for label in labels])
