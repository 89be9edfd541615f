"""Prediction tables from arrays, as scikit-learn and fairlearn take them: y_true, y_pred and sensitive features."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from fairness_checklist.core.errors import AlignmentError, OptionError, PredictionError
from fairness_checklist.core.option_defaults import nfc
from fairness_checklist.core.tasks import get_task, is_number, label_key
from fairness_checklist.tables.columns import large_enough, text_column
from fairness_checklist.tables.notes import check_column_names

SensitiveFeatures = ArrayLike | pd.Series | pd.DataFrame | Mapping[str, Any]


def table_of_arrays(
    y_true: Any,
    *,
    y_pred: Any,
    y_prob: Any,
    sample_weight: Any,
    sensitive_features: SensitiveFeatures,
    classes: Sequence[Any],
    task: str,
    attribute: str,
    crossed: bool,
) -> tuple[pd.DataFrame, tuple[str, ...], dict[str, list[str]]]:
    """A prediction table, the classes in order, and what was left out.

    A sensitive feature is an attribute; of features to be ``crossed`` each is a column, for `grouped_by`.
    """
    if get_task(task).tagging:
        remedy = "Give a table of JSON lines: tokens, tags, predicted."
        raise OptionError(f"y_true and y_pred are about whole texts, and the task {task} tags words.", remedy=remedy)
    if y_pred is None and y_prob is None:
        raise PredictionError("neither y_pred nor y_prob is given.", remedy="Give the predicted class of each row.")
    features = _features(sensitive_features, attribute)
    arrays = {"y_true": y_true, "y_pred": y_pred, "y_prob": y_prob, "sample_weight": sample_weight}
    arrays = {name: values for name, values in arrays.items() if values is not None}
    listed = {name: _one_column(values, name) for name, values in arrays.items() if name != "y_prob"}
    groups = {name: _one_column(values, name) for name, values in features.items()}
    probabilities = None if y_prob is None else _probabilities(y_prob)
    _check_aligned(arrays | features)
    columns: dict[str, Any] = {}
    for column, name in (("label", "y_true"), ("predicted", "y_pred")):
        if name in listed:
            columns[column] = _labels(listed[name], name)
    named = {name for names in columns.values() for name in names if name}
    order = tuple(_names(pd.Series(list(classes))))
    if probabilities is not None:
        if not _is_default(probabilities.columns):
            in_columns = tuple(_names(pd.Series(probabilities.columns)))
            order = order or in_columns
        else:
            in_columns = order = order or _class_order(named, probabilities.shape[1], task)
        if len(in_columns) != probabilities.shape[1]:
            raise PredictionError(
                f"y_prob has the shape {np.shape(y_prob)}, and the classes are {', '.join(order)}.",
                remedy=f"Give one row with {len(order)} probabilities for each of the {len(probabilities):,} rows.",
            )
        columns |= {f"p:{name}": probabilities.iloc[:, c].to_numpy() for c, name in enumerate(in_columns)}
    elif not order and all(map(is_number, named)):
        order = tuple(sorted(named, key=lambda name: float(label_key(name))))
    if "sample_weight" in listed:
        columns["weight"] = listed["sample_weight"].to_numpy(dtype=object)
    rows = pd.DataFrame(columns)
    if crossed:
        return pd.concat([rows, pd.DataFrame({name: _names(groups[name]) for name in groups})], axis=1), order, {}
    table, remarks = _stacked(rows, groups)
    return table, order, remarks


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


def _features(given: SensitiveFeatures, attribute: str) -> dict[str, Any]:
    """The values of the sensitive features by name, in order."""
    named: dict[str, Any]
    if isinstance(given, (pd.DataFrame, Mapping)):
        check_column_names(given)
        named = {str(name): values for name, values in given.items()}
    else:
        name = getattr(given, "name", None)
        named = {str(name) if name is not None and attribute == "group" else attribute: given}
    if not named:
        raise OptionError("sensitive_features= has no column.", remedy="Give the group of each row.")
    return named


def _names(values: pd.Series) -> list[str]:
    """Classes or groups as text; True and False as 1 and 0, 1.0 as 1, a missing value as ""."""
    plain = [int(value) if isinstance(value, (bool, np.bool_)) else value for value in values.tolist()]
    return list(map(nfc, text_column(pd.DataFrame({"values": pd.Series(plain)}), "values")))


def _one_column(values: Any, name: str) -> pd.Series:
    if isinstance(values, pd.Series):
        return values
    if isinstance(values, pd.DataFrame) and values.shape[1] == 1:
        return values.iloc[:, 0]
    if isinstance(values, (str, bytes, Mapping)) or not hasattr(values, "__len__") or getattr(values, "ndim", 1) == 0:
        raise PredictionError(f"{name} is {values!r}; expected one value per row.", remedy="Give a list or an array.")
    array = np.asarray(values) if hasattr(values, "__array__") else np.array([*values, None], dtype=object)[:-1]
    if array.ndim > 1 and array.shape[1:] != (1,):
        what = f"{name} has the shape {array.shape}; expected ({array.shape[0]},)."
        raise PredictionError(what, remedy="Give one value per row, in one column.")
    return pd.Series(array.ravel().tolist() if array.dtype == object else array.ravel())


def _labels(column: pd.Series, name: str) -> list[str]:
    """Classes as text, "" where one is missing."""
    if pd.api.types.is_float_dtype(column) and len(fractions := column[column.notna() & (column % 1 != 0)]):
        remedy = "Give classes, and probabilities as y_prob=."
        raise PredictionError(f"{name} holds {fractions.iloc[0]:g}, which is not a class.", remedy=remedy)
    return _names(column)


def _check_aligned(given: Mapping[str, Any]) -> None:
    """Raise `AlignmentError` unless all have the same number of rows, and pandas objects the same order of rows."""
    lengths = {name: len(value) for name, value in given.items()}
    if len(set(lengths.values())) > 1:
        parts = ", ".join(f"{name} {n:,}" for name, n in lengths.items())
        raise AlignmentError(
            f"the numbers of rows differ: {parts}.", remedy="Give one value per row in each, in the same order."
        )
    indexes = {name: value.index for name, value in given.items() if isinstance(value, (pd.Series, pd.DataFrame))}
    for (first, index), (second, other) in pairwise(sorted(indexes.items(), key=lambda item: _is_default(item[1]))):
        if index.equals(other) or (_is_default(other) and not index.isin(other).all()):
            continue
        raise AlignmentError(
            f"the rows of {first} and {second} have different indexes, so that their order may differ.",
            remedy=f"Bring them into one order, {second}.loc[{first}.index], or give arrays: {second}.to_numpy().",
        )


def _is_default(index: pd.Index) -> bool:
    return isinstance(index, pd.RangeIndex) and index.start == 0 and index.step == 1


def _class_order(named: set[str], size: int, task: str) -> tuple[str, ...]:
    """The classes of ``size`` columns of probabilities: numbers from 0, or those of the task that are ``named``."""
    of_task = tuple(name for name in get_task(task).classes if name in named)
    for order in (tuple(map(str, range(size))), of_task):
        if len(order) == size and named <= set(order):
            return order
    listed = ", ".join(map(repr, sorted(named)))
    raise OptionError(
        "the classes of y_prob are unknown.",
        remedy=f"Give the {size} classes in order, where it has one column the class that it is about last: "
        f"classes=[{listed}].",
    )


def _probabilities(y_prob: Any) -> pd.DataFrame:
    """(n, C) probabilities; those of one column are the second of two classes'."""
    try:
        frame = pd.DataFrame(y_prob).astype("float64")
    except (TypeError, ValueError) as error:
        raise PredictionError("y_prob is not a table of numbers.", remedy="Give probabilities in [0, 1].") from error
    return frame if frame.shape[1] > 1 else pd.concat([1 - frame, frame], axis=1, ignore_index=True)
