"""The output of a function as columns, by name or in order, matched to classes."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from fairness_checklist.core.arrays import BoolArray, FloatArray
from fairness_checklist.core.errors import LabelError, ModelError, PredictionError, first_ten
from fairness_checklist.core.row_order import numbers
from fairness_checklist.core.tasks import is_number, label_key, mapping_example
from fairness_checklist.models.labels import (
    OPTIONAL_CLASSES,
    LabelMap,
    Labels,
    MultilabelMap,
    check_class_order,
    class_by_name,
    match_labels,
    match_multilabel,
)


def match_columns(
    columns: Sequence[Any], task_classes: tuple[str, ...], labels: Labels | None
) -> LabelMap | MultilabelMap:
    """Match named columns: exclusive labels, or those of a multi-label model, where one class is given or known."""
    names = [str(column) for column in columns]
    if labels is not None and names_one_class(labels, task_classes):
        return match_multilabel(names, task_classes, labels)
    try:
        return match_labels(names, task_classes, labels)
    except LabelError:
        named = {class_by_name(name, task_classes) for name in names} - {None}
        numbered = all(map(is_number, names))
        if labels is not None or len(task_classes) != 2 or len(named) > 1 or numbered:
            raise
    return match_multilabel(names, task_classes)


def names_one_class(labels: Labels, task_classes: tuple[str, ...]) -> bool:
    """Whether ``labels`` names labels of one class only, and the task has others."""
    if not isinstance(labels, Mapping) or not labels:
        return False
    meant = set(labels.values())
    return len(meant) == 1 and meant <= set(task_classes) - OPTIONAL_CLASSES


def in_order(labels: Labels) -> list[Any]:
    """What ``labels`` names, in the order of the columns: names that differ in a number alone from the smallest.

    >>> in_order({1: "positive", 0: "negative"}), in_order({"LABEL_1": "positive", "LABEL_0": "negative"})
    ([0, 1], ['LABEL_0', 'LABEL_1'])
    >>> in_order({"joy": "positive", "anger": "negative"})
    ['joy', 'anger']
    """
    if not isinstance(labels, Mapping):
        return list(labels)
    shown = {key: label_key(key) for key in labels}
    parts = {key: re.fullmatch(r"(\D*?)(-?\d+)", text) for key, text in shown.items()}
    if len({part[1] for part in parts.values() if part}) == 1 and all(parts.values()):
        return sorted(labels, key=lambda key: int(parts[key][2]))  # type: ignore[index]
    return list(labels)


def match_single_column(labels: Labels, array: FloatArray, task_classes: tuple[str, ...], name: str) -> MultilabelMap:
    """The label of a function that gives one number a text; with more columns their labels are unknown."""
    if array.ndim != 1 or not isinstance(labels, Mapping) or len(labels) != 1:
        raise LabelError(
            f"the function {name} returned columns without names, and labels= names some of them.",
            remedy='Name all columns: classes=["toxic", ...], in their order; or return {"toxic": [...], ...}.',
        )
    ((key, cls),) = labels.items()
    return match_multilabel([str(key)], task_classes, {str(key): cls})


def check_order(labels: LabelMap | MultilabelMap, name: str) -> None:
    """Raise `LabelError` where the class of one number a text is not known: classes in the other order."""
    if isinstance(labels, LabelMap) and labels.positions == (1, 0):
        first, second = labels.labels
        raise LabelError(
            f"the function {name} returned one number a text, and the order of the classes is {first}, {second}; "
            f"it is not known whether the number is p({first}) or p({second}).",
            remedy="Return two columns in that order; or return the probabilities by name: "
            f'{{"{first}": [...], "{second}": [...]}}.',
        )


def unnamed_columns_error(n_columns: int, task_classes: tuple[str, ...], name: str) -> LabelError:
    """The error for two or more columns without names."""
    required = [cls for cls in task_classes if cls not in OPTIONAL_CLASSES]
    fitting = next((list(some) for some in (task_classes, required) if len(some) == n_columns), None)
    order = (
        f"for instance classes={json.dumps(fitting)}, in the order of the columns"
        if fitting
        else f"classes=[...], in their order; the task's classes are {', '.join(task_classes)}"
    )
    by_name = f'Or return them by name, {{"{task_classes[0]}": [...], ...}}; of a scikit-learn estimator give the '
    by_name += "estimator."
    numbered = [str(at) for at in range(n_columns)]
    mapping = (
        json.dumps(dict(zip(numbered, fitting, strict=True))) if fitting else mapping_example(numbered, task_classes)
    )
    return LabelError(
        f"the function {name} returned {n_columns} columns without names; it is not known which class each one is.",
        remedy=f"Name the columns: {order}.\n{by_name}",
        command_remedy=f"Give the class of each column by its number: labels={mapping}.\n{by_name}",
    )


def prediction_method(model: Any, tagging: bool = False) -> tuple[Callable[[list[str]], Any], str]:
    """The function of a model that predicts for a list of texts, and its name if it is a method: ``predict_proba`` or
    else ``predict`` of an estimator or another object, or, where ``tagging``, ``pipe`` of a spaCy pipeline."""
    if not isinstance(model, type):
        if tagging and hasattr(model, "pipe_names") and callable(getattr(model, "pipe", None)):
            return model.pipe, "pipe"
        for name in ("predict_proba", "predict"):
            method = getattr(model, name, None)
            if callable(method) and (name == "predict_proba" or hasattr(model, "classes_") or not callable(model)):
                return method, name
        if callable(model):
            bound = getattr(model, "__name__", "") if hasattr(model, "__self__") else ""
            if bound == "predict_log_proba":
                raise ModelError(
                    f"predict_log_proba of the {type(model.__self__).__name__} gives logarithms; expected "
                    "probabilities or labels.",
                    remedy="Give the estimator itself.",
                )
            return model, bound if bound in ("predict_proba", "predict") else ""
    what = f"the class {model.__name__}" if isinstance(model, type) else f"an object of the type {type(model).__name__}"
    known = f"a function from texts to {'tags' if tagging else 'probabilities'}, or an object with a method "
    known += "predict_proba or predict."
    raise ModelError(
        f"{what} is no model.",
        remedy=f"Give a folder, a hub id, a pair (model, tokenizer), {known}",
        command_remedy=f"Name {known}",
    )


def estimator_classes(model: Any) -> tuple[Any, ...] | None:
    """``classes_`` of an estimator, of the one that a method is bound to, or of a function; None where there are none.

    Of an object with ``predict_proba`` also ``classes`` or ``labels`` (SetFit), where it has no ``classes_``.
    """
    while isinstance(model, partial):
        model = model.func
    owner = model if hasattr(model, "classes_") else getattr(model, "__self__", None)
    classes = getattr(owner, "classes_", None)
    if classes is None:
        objects = [part for part in (model, getattr(model, "__self__", None)) if hasattr(part, "predict_proba")]
        listed = [getattr(part, attribute, None) for part in objects for attribute in ("classes", "labels")]
        classes = next(filter(_are_distinct, listed), None)
    if classes is None:
        return None
    values = tuple(np.asarray(cls).tolist() for cls in classes)
    if any(isinstance(value, list) for value in values):
        raise LabelError(
            f"the {type(owner).__name__} has classes_ for each of {len(values)} outputs; expected one list of classes.",
            remedy='Give a function that returns the probabilities by name: {"toxic": [...], ...}.',
        )
    return values


def _are_distinct(values: Any) -> bool:
    """Whether an attribute may hold the names of columns, and not the labels of what the object was trained on."""
    names = [str(value) for value in values] if isinstance(values, (list, tuple, np.ndarray)) else []
    return 0 < len(names) == len(set(names))


def match_estimator_classes(
    known: Sequence[Any], classes: Sequence[str] | None, labels: Labels | None, task_classes: Sequence[str] = ()
) -> tuple[list[str], Labels | None]:
    """The names of an estimator's columns, and ``labels`` with these names as keys."""
    own = [str(value) for value in known]
    names = own if classes is None else [str(name) for name in classes]
    if len(names) != len(own) or (names != own and sorted(names) == sorted(own)):
        raise LabelError(
            f"classes= names {first_ten(names)}; the model's classes_ are {first_ten(own)}.",
            remedy="Leave classes= out; or give one name for each of them, in that order.",
        )
    if task_classes and classes is not None:
        check_class_order(own, names, task_classes)
    if classes is not None or not isinstance(labels, Mapping):
        return names, labels
    return own, {
        next((name for value, name in zip(known, own, strict=True) if value == key), str(key)): cls
        for key, cls in labels.items()
    }


def split_pair(output: Any) -> tuple[Any, Any]:
    """CheckList's pair (predictions, probabilities), or None and probabilities alone."""
    is_pair = isinstance(output, tuple) and len(output) == 2
    return output if is_pair and list(map(_n_dimensions, output)) == [1, 2] else (None, output)


def _n_dimensions(values: Any) -> int:
    if isinstance(getattr(values, "ndim", None), int):
        return int(values.ndim)
    if isinstance(values, (str, Mapping)) or not hasattr(values, "__len__"):
        return 0
    return 1 + _n_dimensions(values[0]) if len(values) else 1


def are_whole_numbers(values: Any) -> bool:
    """Whether one whole number or truth value a text came, as from ``predict`` of scikit-learn."""
    kind = getattr(getattr(values, "dtype", None), "kind", "")  # of pandas also where a cell is missing
    return (kind or np.asarray(values.detach().cpu() if hasattr(values, "detach") else values).dtype.kind) in "iub"


def are_label_names(values: Any) -> bool:
    """Whether one text a row came, as from ``predict`` of a classifier of scikit-learn; some may be missing."""
    if isinstance(values, (str, Mapping)) or hasattr(values, "columns") or not hasattr(values, "__len__"):
        return False
    listed = values.tolist() if hasattr(values, "tolist") else list(values)
    words = [value for value in listed if isinstance(value, str)] if isinstance(listed, list) else []
    return bool(words) and len(words) + int(missing(listed).sum()) == len(listed)


def missing(values: list[Any]) -> BoolArray:
    """(n,) whether a value of a list is None, NaN or missing in pandas."""
    lacking: BoolArray = np.fromiter((pd.isna(value) is True for value in values), dtype=np.bool_, count=len(values))
    return lacking


def check_not_label_lists(values: Any, name: str) -> None:
    """Raise `PredictionError` where a text has a list of labels in place of one, or of probabilities."""
    if not isinstance(values, (list, tuple, np.ndarray)):
        return
    rows = (row for row in values if isinstance(row, (list, tuple, set, frozenset, np.ndarray)))
    words = next((row for row in rows if any(isinstance(value, str) for value in row)), None)
    if words is not None:
        raise PredictionError(
            f"the function {name} returned a list of labels for a text, {first_ten(sorted(map(str, words)))}; "
            "expected one label, or one probability per class.",
            remedy="Where several labels may hold, return their probabilities by name: "
            '[{"toxic": 0.9, "insult": 0.1}, ...], one per text.',
        )


def to_array(values: Any, name: str) -> FloatArray:
    """Lists, tensors and frames of numbers as an array."""
    if hasattr(values, "detach"):
        values = values.detach().cpu().tolist()
    elif isinstance(values, (list, tuple)) and values and hasattr(values[0], "detach"):
        values = [row.detach().cpu().tolist() for row in values]
    try:
        return numbers(values)
    except (TypeError, ValueError) as error:
        raise PredictionError(
            f"the function {name} returned a {type(values).__name__} that is no table of numbers.",
            remedy="Return one row per text with one probability per class.",
        ) from error


def named_columns(values: Any, name: str) -> tuple[list[str], Any] | None:
    """The names of the columns and their numbers (b, L), where the output has names; None where it has not."""
    columns = getattr(values, "column_names", getattr(values, "columns", None))  # of a table of Arrow its names
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
    if hasattr(row, "iloc") and all(isinstance(name, str) for name in row.index):
        return row.to_dict()
    pairs = isinstance(row, list) and row and all(isinstance(pair, Mapping) for pair in row)
    return {pair["label"]: pair["score"] for pair in row} if pairs and set(row[0]) == {"label", "score"} else row


def _best_label_error(name: str) -> LabelError:
    return LabelError(
        f"the function {name} returned the best label of each text; expected all of them.",
        remedy="Ask the pipeline for all: pipeline(texts, top_k=None).",
    )


def _columns(columns: list[FloatArray], name: str) -> FloatArray:
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


def reorder_columns(names: list[str], array: FloatArray, labels: Sequence[str], name: str) -> FloatArray:
    """The columns in the order of the labels; NaN for a label that is not there.

    Names that are their own positions, 0, 1 and so on in this order, are none.
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
