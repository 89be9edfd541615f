"""Which class the columns of a function's output belong to."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairness_checklist.errors import LabelError, ModelError, first_ten
from fairness_checklist.models.independent import IndependentLabels, class_named, match_independent
from fairness_checklist.models.labels import OPTIONAL_CLASSES, LabelMap, Labels, match_labels

__all__ = [
    "by_name",
    "classes_of",
    "in_order",
    "label_of_one_number",
    "match_columns",
    "method_of",
    "names_of_classes",
    "of_one_class",
    "unnamed_columns",
]


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


def label_of_one_number(
    labels: Labels, array: NDArray[np.float64], task_classes: tuple[str, ...], name: str
) -> IndependentLabels:
    """The label of a function that gives one number a text; of more columns it is not known which is which."""
    if array.ndim != 1 or not isinstance(labels, Mapping) or len(labels) != 1:
        raise LabelError(
            f"the function {name} returned columns without names, and labels= names some of them.",
            remedy='Name all columns: classes=["toxic", ...], in their order; or return {"toxic": [...], ...}.',
        )
    named = {str(key): cls for key, cls in labels.items()}
    return match_independent(list(named), task_classes, named)


def unnamed_columns(n_columns: int, task_classes: tuple[str, ...], name: str) -> LabelError:
    """The error for two or more columns of which it is not known what they are."""
    required = [cls for cls in task_classes if cls not in OPTIONAL_CLASSES]
    fitting = next((list(some) for some in (task_classes, required) if len(some) == n_columns), None)
    order = (
        f"for instance classes={json.dumps(fitting)}, in the order of the columns"
        if fitting
        else f"classes=[...], in their order; the task's classes are {', '.join(task_classes)}"
    )
    return LabelError(
        f"the function {name} returned {n_columns} columns without names; it is not known which class each one is.",
        remedy=f"Name the columns: {order}.\n"
        f'Or return them by name, {{"{task_classes[0]}": [...], ...}}; of a scikit-learn estimator give the estimator.',
    )


def method_of(model: Any, tagging: bool = False) -> tuple[Callable[[list[str]], Any], str]:
    """What answers a list of texts, and the name of the method that it is, if any.

    It is a function itself, ``predict_proba`` or else ``predict`` of an estimator or another object, or, where
    ``tagging``, ``pipe`` of a spaCy pipeline.

    Raises:
        ModelError: nothing of the kind.

    >>> method_of(len)
    (<built-in function len>, '')
    """
    if not isinstance(model, type):
        if tagging and hasattr(model, "pipe_names") and callable(getattr(model, "pipe", None)):
            return model.pipe, "pipe"
        for name in ("predict_proba", "predict"):
            method = getattr(model, name, None)
            if callable(method) and (name == "predict_proba" or hasattr(model, "classes_") or not callable(model)):
                return method, name
        if callable(model):
            bound = getattr(model, "__name__", "") if hasattr(model, "__self__") else ""
            return model, bound if bound in ("predict_proba", "predict") else ""
    what = f"the class {model.__name__}" if isinstance(model, type) else f"an object of the type {type(model).__name__}"
    raise ModelError(
        f"{what} is no model.",
        remedy="Give a folder, a hub id, a pair (model, tokenizer), a function from texts to "
        f"{'tags' if tagging else 'probabilities'}, or an object with a method predict_proba or predict.",
    )


def classes_of(model: Any) -> tuple[Any, ...] | None:
    """``classes_`` of an estimator, of the one that a method is bound to, or of a function; None where there are none.

    Raises:
        LabelError: the estimator has several outputs.

    >>> from types import SimpleNamespace
    >>> classes_of(SimpleNamespace(classes_=np.array(["negative", "positive"])))
    ('negative', 'positive')
    """
    while isinstance(model, partial):
        model = model.func
    owner = model if hasattr(model, "classes_") else getattr(model, "__self__", None)
    classes = getattr(owner, "classes_", None)
    if classes is None:
        return None
    values = tuple(np.asarray(one).tolist() for one in classes)
    if any(isinstance(value, list) for value in values):
        raise LabelError(
            f"the {type(owner).__name__} has classes_ for each of {len(values)} outputs; expected one list of classes.",
            remedy='Give a function that returns the probabilities by name: {"toxic": [...], ...}.',
        )
    return values


def names_of_classes(
    known: Sequence[Any], classes: Sequence[str] | None, labels: Labels | None
) -> tuple[list[str], Labels | None]:
    """The names of an estimator's columns, and ``labels`` with these names as keys.

    Args:
        known: the estimator's ``classes_``.
        classes: names that the user gave.
        labels: the classes of the task, by the values of ``classes_`` or by name.

    Raises:
        LabelError: names in another order than the estimator's, or not one for each class.

    >>> names_of_classes([0, 1], None, {0: "negative", 1: "positive"})
    (['0', '1'], {'0': 'negative', '1': 'positive'})
    """
    own = [str(value) for value in known]
    names = own if classes is None else [str(name) for name in classes]
    if len(names) != len(own) or (names != own and sorted(names) == sorted(own)):
        raise LabelError(
            f"classes= names {first_ten(names)}; the model's classes_ are {first_ten(own)}.",
            remedy="Leave classes= out; or give one name for each of them, in that order.",
        )
    if classes is not None or not isinstance(labels, Mapping):
        return names, labels
    return own, {
        next((name for value, name in zip(known, own, strict=True) if value == key), str(key)): cls
        for key, cls in labels.items()
    }
