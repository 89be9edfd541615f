"""Prediction tables from arrays, as scikit-learn and fairlearn take them: y_true, y_pred and sensitive features."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from fairness_checklist.core.arrays import FloatArray
from fairness_checklist.core.did_you_mean import did_you_mean
from fairness_checklist.core.errors import AlignmentError, OptionError, PredictionError
from fairness_checklist.core.option_defaults import MIN_CELL, nfc
from fairness_checklist.core.predictions import check_probabilities
from fairness_checklist.core.tasks import TASKS
from fairness_checklist.tables.columns import grouped_by, large_enough, text_column

_NUMBER = re.compile(r"-?\d+(\.\d+)?")
SensitiveFeatures = ArrayLike | pd.Series | pd.DataFrame | Mapping[str, Any]


def table_of_arrays(
    y_true: Any,
    y_pred: Any,
    *,
    y_prob: Any = None,
    sensitive_features: SensitiveFeatures,
    sample_weight: Any = None,
    classes: Sequence[Any] = (),
    task: str = "sentiment",
    attribute: str = "group",
    group_columns: Sequence[str] = (),
    min_cell: int = MIN_CELL,
) -> tuple[pd.DataFrame, tuple[str, ...], dict[str, list[str]]]:
    """A prediction table in which a sensitive feature is an attribute, the classes in order, and what was left out."""
    if task in TASKS and TASKS[task].tagging:
        remedy = "Give a table of JSON lines: tokens, tags, predicted."
        raise OptionError(f"y_true and y_pred are about whole texts, and the task {task} tags words.", remedy=remedy)
    features = _features(sensitive_features, attribute)
    given = {"y_true": y_true, "y_pred": y_pred, "y_prob": y_prob, "sample_weight": sample_weight}
    _check_aligned({name: value for name, value in given.items() if value is not None} | features)
    if y_pred is None and y_prob is None:
        raise PredictionError("neither y_pred nor y_prob is given.", remedy="Give the predicted class of each row.")
    arrays = {"label": (y_true, "y_true"), "predicted": (y_pred, "y_pred")}
    columns: dict[str, Any] = {
        column: _labels(values, name) for column, (values, name) in arrays.items() if values is not None
    }
    predicted = columns.get("predicted", [])
    if "" in predicted:
        raise PredictionError(
            f"y_pred has no value in row {predicted.index('') + 1:,}.", remedy="Leave such rows out of all arrays."
        )
    named = {name for names in columns.values() for name in names if name}
    order = _order(named, tuple(_names(pd.Series(list(classes)))), y_prob, task)
    for row, name in enumerate(predicted):
        if classes and name not in order:
            raise OptionError(
                f"y_pred is {name!r} in row {row + 1:,}, and classes= names {', '.join(order)}.",
                remedy=f"Name all classes.{did_you_mean(name, order)}",
            )
    if y_prob is not None:
        matrix = _probabilities(y_prob, order)
        columns |= {f"p:{name}": matrix[:, c] for c, name in enumerate(order)}
    if sample_weight is not None:
        columns["weight"] = np.asarray(_one_column(sample_weight, "sample_weight"), dtype=object)
    rows = pd.DataFrame(columns)
    if not group_columns:
        table, remarks = _stacked(rows, features)
        return table, order, remarks
    for name in group_columns:
        if name not in features:
            remedy = f"There are {', '.join(features)}.{did_you_mean(name, features)}"
            raise OptionError(f"there is no sensitive feature {name!r}.", remedy=remedy)
        if name in rows.columns:
            raise OptionError(f"a sensitive feature is called {name}, as a column of tables is.", remedy="Rename it.")
    crossed, remarks = grouped_by(
        rows.assign(**{name: _names(features[name]) for name in group_columns}), group_columns, min_cell
    )
    return crossed.drop(columns=[name for name in group_columns if name not in ("attribute", "group")]), order, remarks


def _stacked(base: pd.DataFrame, features: Mapping[str, pd.Series]) -> tuple[pd.DataFrame, dict[str, list[str]]]:
    """The rows once for each feature; of a categorical one the groups that occur keep their order."""
    parts, remarks = [], {}
    declared: dict[str, None] = {}
    for name, values in features.items():
        groups = np.array(_names(values), dtype=object)
        has_group, remarks[name] = large_enough(groups, 0, name)
        if not has_group.any():
            raise OptionError(f"no row has a value of {name}.", remedy="Leave that sensitive feature out.")
        categories = _names(pd.Series(values.cat.categories)) if isinstance(values.dtype, pd.CategoricalDtype) else ()
        declared |= dict.fromkeys([*(name for name in categories if name in set(groups)), *groups[has_group]])
        parts.append(base[has_group].assign(attribute=name, group=groups[has_group]))
    table = pd.concat(parts, ignore_index=True)
    return table.assign(group=pd.Categorical(table["group"], categories=list(declared))), remarks


def _features(given: SensitiveFeatures, attribute: str) -> dict[str, pd.Series]:
    """The sensitive features by name, in order."""
    if isinstance(given, pd.DataFrame):
        named = {str(name): given.iloc[:, number] for number, name in enumerate(given.columns)}
        if len(named) < given.shape[1]:
            raise OptionError("two sensitive features have the same name.", remedy="Rename one of the columns.")
    elif isinstance(given, Mapping):
        named = {str(name): _one_column(value, f"sensitive_features[{name!r}]") for name, value in given.items()}
    else:
        values = given if isinstance(given, pd.Series) else np.asarray(given, dtype=object)
        if values.ndim == 2 and values.shape[1] > 1:
            named = {f"sensitive_feature_{number}": pd.Series(column) for number, column in enumerate(values.T)}
        else:
            column = _one_column(given, "sensitive_features")
            named = {str(column.name) if column.name is not None and attribute == "group" else attribute: column}
    if not named:
        raise OptionError("sensitive_features= has no column.", remedy="Give the group of each row.")
    return named


def _names(values: pd.Series) -> list[str]:
    """Classes or groups as text; True and False as 1 and 0, 1.0 as 1, a missing value as ""."""
    if isinstance(values.dtype, pd.CategoricalDtype):
        values = values.astype(values.cat.categories.dtype if not values.isna().any() else object)
    kinds = {type(value) for value in values.dropna()}
    if kinds and kinds <= {bool, np.bool_}:
        values = values.map(int, na_action="ignore")
    if kinds and all(issubclass(kind, (bool, int, float, np.bool_, np.number)) for kind in kinds):
        values = values.astype("float64") if values.isna().any() else pd.to_numeric(values)
    return list(map(nfc, text_column(pd.DataFrame({"values": values.reset_index(drop=True)}), "values")))


def _one_column(values: Any, name: str) -> pd.Series:
    """(n,) values, or (n, 1), as a Series, its index kept."""
    if isinstance(values, pd.Series):
        return values
    if isinstance(values, pd.DataFrame) and values.shape[1] == 1:
        return values.iloc[:, 0]
    _check_has_rows(name, values)
    array = np.asarray(values) if hasattr(values, "__array__") else np.array([*values, None], dtype=object)[:-1]
    if array.ndim > 1 and array.shape[1:] != (1,):
        what = f"{name} has the shape {array.shape}; expected ({array.shape[0]},)."
        raise PredictionError(what, remedy="Give one value per row, in one column.")
    return pd.Series(array.ravel().tolist() if array.dtype == object else array.ravel())


def _check_has_rows(name: str, value: Any) -> None:
    if isinstance(value, (str, bytes, Mapping)) or not hasattr(value, "__len__") or getattr(value, "ndim", 1) == 0:
        raise PredictionError(f"{name} is {value!r}; expected one value per row.", remedy="Give a list or an array.")


def _labels(values: Any, name: str) -> list[str]:
    """Classes as text, "" where one is missing."""
    column = _one_column(values, name)
    if pd.api.types.is_float_dtype(column) and len(fractions := column[column.notna() & (column % 1 != 0)]):
        remedy = "Give classes, and probabilities as y_prob=."
        raise PredictionError(f"{name} holds {fractions.iloc[0]:g}, which is not a class.", remedy=remedy)
    return _names(column)


def _check_aligned(given: Mapping[str, Any]) -> None:
    """Raise `AlignmentError` unless all have the same number of rows, and pandas objects the same order of rows."""
    for name, value in given.items():
        _check_has_rows(name, value)
    lengths = {name: len(value) for name, value in given.items()}
    if len(set(lengths.values())) > 1:
        parts = ", ".join(f"{name} {n:,}" for name, n in lengths.items())
        raise AlignmentError(
            f"the numbers of rows differ: {parts}.", remedy="Give one value per row in each, in the same order."
        )
    indexes = {name: value.index for name, value in given.items() if isinstance(value, (pd.Series, pd.DataFrame))}
    in_order = sorted(indexes.items(), key=lambda item: _is_default(item[1]))
    for (first, index), (second, other) in pairwise(in_order):
        if index.equals(other) or (_is_default(other) and not index.isin(other).all()):
            continue
        raise AlignmentError(
            f"the rows of {first} and {second} have different indexes, so that their order may differ.",
            remedy=f"Bring them into one order, {second}.loc[{first}.index], or give arrays: {second}.to_numpy().",
        )


def _is_default(index: pd.Index) -> bool:
    """Whether an index merely counts the rows."""
    return isinstance(index, pd.RangeIndex) and index.start == 0 and index.step == 1


def _named_columns(y_prob: Any) -> tuple[str, ...]:
    """The classes that the columns of the probabilities name; () where they do not."""
    named = isinstance(y_prob, pd.DataFrame) and y_prob.shape[1] > 1 and not _is_default(y_prob.columns)
    return tuple(_names(pd.Series(y_prob.columns))) if named else ()


def _order(named: set[str], classes: tuple[str, ...], y_prob: Any, task: str) -> tuple[str, ...]:
    """The classes in order; ``()`` where neither probabilities nor numbers ask for one."""
    if len(set(classes)) < len(classes):
        raise OptionError(f"classes= names a class twice: {', '.join(classes)}.", remedy="Name each once.")
    if columns := _named_columns(y_prob):
        if classes and set(classes) != set(columns):
            raise OptionError(
                f"the columns of y_prob are {', '.join(columns)}, and classes= names {', '.join(classes)}.",
                remedy="Leave classes= out, or rename the columns.",
            )
        return classes or columns
    if classes:
        return classes
    numbers = sorted(named, key=float) if all(_NUMBER.fullmatch(name) for name in named) else []
    if y_prob is None:
        return tuple(numbers)
    shape = np.shape(y_prob)
    of_one_class = len(shape) == 1 or shape[1] == 1
    size = 2 if of_one_class else int(shape[1])
    if named <= {str(k) for k in range(size)}:
        return tuple(str(k) for k in range(size))
    of_task = tuple(name for name in (TASKS[task].classes if task in TASKS else ()) if name in named)
    if len(of_task) == size == len(named):
        return of_task
    listed = ", ".join(repr(name) for name in numbers or sorted(named))
    problem, last = f"y_prob has {size} columns, and their classes are unknown.", ""
    if of_one_class:
        problem, last = "the class of y_prob is unknown.", ", the one that y_prob is about last"
    raise OptionError(problem, remedy=f"Give the {size} classes in their order{last}: classes=[{listed}].")


def _probabilities(y_prob: Any, order: Sequence[str]) -> FloatArray:
    """(n, C) probabilities in the order of the classes."""
    if names := _named_columns(y_prob):
        y_prob = y_prob.iloc[:, [names.index(name) for name in order]]
    try:
        matrix = np.asarray(y_prob, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise PredictionError("y_prob is not a table of numbers.", remedy="Give probabilities in [0, 1].") from error
    if matrix.ndim == 1 or (matrix.ndim == 2 and matrix.shape[1] == 1 and len(order) == 2):
        matrix = np.stack([1 - matrix.ravel(), matrix.ravel()], axis=1)
    if matrix.ndim != 2 or matrix.shape[1] != len(order):
        raise PredictionError(
            f"y_prob has the shape {np.shape(y_prob)}, and the classes are {', '.join(order)}.",
            remedy=f"Give one row with {len(order)} probabilities for each of the {len(matrix):,} rows.",
        )
    check_probabilities(matrix, order)
    return matrix
