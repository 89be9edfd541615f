"""The order of the rows of what a user's code returns, by their index, and their numbers, NaN where one is missing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from fairness_checklist.core.arrays import FloatArray
from fairness_checklist.core.errors import LabelError, OrderError, first_ten


def in_order(values: Any, keys: Sequence[Any], what: str) -> Any:
    """Rows of pandas in the order of what they belong to; also the parts of a pair, or of a mapping from names.

    Args:
        values: what ``what`` is, of any type; what has no index stays as it is, and so does another number of rows.
        keys: the n texts or words that the rows belong to. The index is a permutation of 0 to n - 1 or of the keys.
        what: the subject of the error, as "the function f returned".

    Raises:
        OrderError: the index is another one.

    >>> import pandas as pd
    >>> in_order(pd.Series([0.9, 0.2], index=[1, 0]), ["bad", "good"], "f returned").tolist()
    [0.2, 0.9]
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
    """Values as an array of numbers: NaN where an array is masked, and where a cell of pandas is missing.

    >>> numbers(np.ma.array([0.5, 0.25], mask=[False, True]))
    array([0.5, nan])
    """
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
        raise LabelError(
            f"{what} the columns {first_ten(names)}; expected {first_ten(classes)}.",
            remedy="Name the columns as the classes are named.",
        )
    return values[list(classes)]
