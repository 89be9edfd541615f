"""Which class the columns of a function's output belong to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairness_checklist.errors import LabelError
from fairness_checklist.models.independent import IndependentLabels, class_named, match_independent
from fairness_checklist.models.labels import OPTIONAL_CLASSES, LabelMap, Labels, match_labels

__all__ = ["by_name", "guess_columns", "in_order", "match_columns", "of_one_class", "told_without_names"]


def match_columns(
    columns: Sequence[Any], task_classes: tuple[str, ...], labels: Labels | None
) -> LabelMap | IndependentLabels:
    """Columns of labels that exclude each other; or of labels by themselves, where one class's are told or named.

    Raises:
        LabelError: they can be read neither way.

    >>> match_columns(["toxic", "nontoxic"], ("nontoxic", "toxic"), None).mapping()
    {'toxic': 'toxic', 'nontoxic': 'nontoxic'}
    >>> match_columns(["toxic", "insult"], ("nontoxic", "toxic"), None).mapping()
    {'toxic': 'toxic'}
    """
    if isinstance(columns, str):
        raise LabelError(
            f'classes="{columns}" is one word; expected one name a column.',
            remedy=f"Write classes={list(task_classes)}.",
        )
    names = [str(column) for column in columns]
    if labels is not None and of_one_class(labels, task_classes):
        return match_independent(names, task_classes, labels)
    try:
        return match_labels(names, task_classes, labels)
    except LabelError:
        named = {class_named(name, task_classes) for name in names} - {None}
        if labels is not None or len(task_classes) != 2 or len(named) > 1:
            raise
    return match_independent(names, task_classes)


def of_one_class(labels: Labels, task_classes: tuple[str, ...]) -> bool:
    """Whether labels of one class alone are told, and the task has others."""
    if not isinstance(labels, Mapping) or not labels:
        return False
    meant = set(labels.values())
    return len(meant) == 1 and meant <= set(task_classes) - OPTIONAL_CLASSES


def by_name(labels: Labels) -> Labels:
    """The mapping with its keys as the names that columns have."""
    return {str(key): cls for key, cls in labels.items()} if isinstance(labels, Mapping) else labels


def in_order(names: list[str], array: NDArray[np.float64], labels: Sequence[str]) -> NDArray[np.float64]:
    """The columns in the order of the labels, where they are named as these are; NaN for a label that is not there."""
    if array.ndim != 2 or array.shape[1] != len(names) or not set(names) <= set(labels):
        return array
    empty = np.full(len(array), np.nan)
    return np.column_stack([array[:, names.index(label)] if label in names else empty for label in labels])


def told_without_names(
    labels: Labels, array: NDArray[np.float64], task_classes: tuple[str, ...], name: str
) -> IndependentLabels:
    """The label of a function that gives one number a text; of more columns it is not known which is which."""
    if array.ndim != 1 or not isinstance(labels, Mapping) or len(labels) != 1:
        raise LabelError(
            f"the function {name} returned columns without names, and labels= names some of them.",
            remedy='Name all columns: classes=["toxic", ...], in their order; or return {"toxic": [...], ...}.',
        )
    told = {str(key): cls for key, cls in labels.items()}
    return match_independent(list(told), task_classes, told)


def guess_columns(n_columns: int, task_classes: tuple[str, ...], name: str) -> LabelMap:
    """Columns without names are the task's classes, or those without the optional ones, in order.

    Raises:
        LabelError: another number of columns.
    """
    required = tuple(cls for cls in task_classes if cls not in OPTIONAL_CLASSES)
    for classes in (task_classes, required):
        if n_columns == len(classes):
            return match_labels(classes, task_classes)
    raise LabelError(
        f"the function {name} returned {n_columns} columns; the task's classes are {', '.join(task_classes)}.",
        remedy=f"Say what the columns are: classes={list(task_classes)}, in their order; "
        "or give labels= for other names.",
    )
