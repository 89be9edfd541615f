"""Groups of a prediction table from the user's own columns, and of two of them their pairs."""

from __future__ import annotations

import json
from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from fairness_checklist.arrays import BoolArray
from fairness_checklist.errors import OptionError, TableError, count
from fairness_checklist.examples import BETWEEN
from fairness_checklist.parameters import MIN_CELL, whole_number
from fairness_checklist.table_columns import INTERSECTION, text_column
from fairness_checklist.table_notes import check_column_names, stripped

__all__ = ["grouped_by"]


def grouped_by(
    frame: pd.DataFrame, columns: Sequence[str], min_cell: int = MIN_CELL
) -> tuple[pd.DataFrame, dict[str, list[str]]]:
    """A table whose groups are the values of one column, or of two columns and of their pairs.

    Args:
        frame: any prediction table; its own ``group`` and ``attribute`` are not used.
        columns: one column, or two.
        min_cell: groups and pairs with fewer rows are left out.

    Returns:
        The rows once for each attribute: of one column its name, of two each name and "first+second", whose groups are
        "a & b"; rows with an empty cell are left out. And by attribute what was left out.

    Raises:
        OptionError: no column, more than two, one twice, or ``min_cell`` below 1.
        TableError: a column that is not there, a value that holds " & ", or nothing left.

    >>> frame = pd.DataFrame({"sex": ["f", "m", "m"], "age": ["old", "old", ""], "predicted": ["no", "no", "yes"]})
    >>> made, left_out = grouped_by(frame, ["sex", "age"], min_cell=1)
    >>> made[["attribute", "group"]].values.tolist()[-2:]
    [['sex+age', 'f & old'], ['sex+age', 'm & old']]
    >>> left_out["sex+age"]
    ['1 row without a value of sex or age']
    """
    check_column_names(frame.columns)
    _check(frame, columns, min_cell)
    read = {str(name): stripped(text_column(frame, name), str(name)) for name in columns}
    values = {name: np.array(column, dtype=object) for name, (column, _notes) in read.items()}
    spaces = {name: list(notes) for name, (_column, notes) in read.items()}
    for name, column in values.items():
        wrong = [value for value in column if BETWEEN in value]
        if wrong and len(columns) == 2:
            raise TableError(
                f"the value {wrong[0]!r} of the column {name} holds{BETWEEN}in it, which joins two groups.",
                remedy="Write it in another way.",
            )
    both = ""
    if len(columns) == 2:
        first, second = values.values()
        there = (first != "") & (second != "")
        pairs = np.where(there, first + BETWEEN + second, "")
        both = "+".join(map(str, columns))
        values[both] = pairs
    plain = frame.drop(columns=[name for name in ("attribute", "group") if name in frame.columns])
    plain = plain.drop(columns=[INTERSECTION] if INTERSECTION in plain.columns else [])
    parts, remarks = [], {}
    for attribute, column in values.items():
        kept, notes = _large_enough(
            column, min_cell, " or ".join(list(values)[:2] if attribute == both else [attribute])
        )
        if not kept.any():
            raise TableError(
                f"no group of {attribute} has {min_cell} rows.", remedy="Ask for fewer: min_cell, --min-cell."
            )
        part = plain[kept].assign(attribute=attribute, group=column[kept].astype(str))
        parts.append(part.assign(**{INTERSECTION: json.dumps(list(values)[:2])}) if attribute == both else part)
        remarks[attribute] = [*spaces.get(attribute, []), *notes]
    return pd.concat(parts, ignore_index=True), remarks


def _large_enough(column: NDArray[np.object_], least: int, name: str) -> tuple[BoolArray, list[str]]:
    """Which rows belong to a group that is large enough, and what is said of the others."""
    groups, code, size = np.unique(column.astype(str), return_inverse=True, return_counts=True)
    small = (size < least) & (groups != "")
    notes = []
    empty = int((column == "").sum())
    if empty:
        notes.append(f"{count(empty, 'row')} without a value of {name}")
    if small.any():
        named = ", ".join(f"{group} ({n})" for group, n in zip(groups[small], size[small], strict=True))
        notes.append(f"left out, fewer than {least:,} rows: {named}")
    return np.asarray(~small[code] & (column != "")), notes


def _check(frame: pd.DataFrame, columns: Sequence[str], min_cell: int) -> None:
    if not 1 <= len(columns) <= 2 or len(set(columns)) < len(columns):
        raise OptionError(
            f"group columns are one column or two different ones, not {', '.join(map(str, columns)) or 'none'}.",
            remedy="Name them: group_columns=[...], --group-columns a,b.",
        )
    whole_number("min_cell", min_cell)
    for name in columns:
        if name not in frame.columns:
            raise TableError(
                f"the table has no column {name}.", remedy=f"Its columns are {', '.join(map(str, frame.columns))}."
            )
