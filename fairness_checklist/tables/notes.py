"""Possible errors in a prediction table: repeated rows, similar names, predictions of different precisions, ..."""

import unicodedata
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from fairness_checklist.core.arrays import FloatArray, IntArray
from fairness_checklist.core.errors import TableError, count
from fairness_checklist.core.formatting import join_names
from fairness_checklist.core.option_defaults import nfc

_INVISIBLE = "\u200b\u200c\u200d\u2060\ufeff"  # zero-width characters, which no spreadsheet shows
_SHOWN = 3
FULL = "float32"


def check_column_names(names: Iterable[object], place: str = "") -> None:
    """Raise where two columns of a table have the same name; columns without a name may be several."""
    columns = [str(name) for name in names]
    for name in dict.fromkeys(columns):
        if columns.count(name) > 1 and name.strip():
            raise TableError(
                f"the table has {columns.count(name):,} columns named {name!r}.",
                place=place,
                remedy="Rename or drop all but one of them.",
            )


def strip_names(names: Sequence[str], column: str) -> tuple[list[str], tuple[str, ...]]:
    """Names in NFC without spaces and zero-width characters at either end, and a note on how many had some."""
    plain = {name: nfc(name.strip().strip(_INVISIBLE).strip()) for name in dict.fromkeys(names)}
    changed = [name for name, new in plain.items() if nfc(name) != new]
    if not changed:
        return [plain[name] for name in names], ()
    cells = count(sum(nfc(name) != plain[name] for name in names), "cell")
    note = f"spaces at either end of {cells} of the column {column} are ignored: {_first_names(map(repr, changed))}"
    return [plain[name] for name in names], (note,)


def similar_names(names: Sequence[str], what: str) -> tuple[str, ...]:
    """A note on names that differ in capitals, spaces or the encoding of their characters only."""
    alike: dict[str, list[str]] = {}
    for name in names:
        plain = unicodedata.normalize("NFKC", name).casefold().translate(dict.fromkeys(map(ord, _INVISIBLE)))
        alike.setdefault("".join(plain.split()), []).append(name)
    listed = (", ".join(map(repr, same)) for same in alike.values() if len(same) > 1)
    how = "differ only in capitals, spaces or character encoding; they are kept apart"
    return tuple(f"the {what} {same} {how}" for same in listed)


def repeated_rows(frame: pd.DataFrame) -> tuple[str, ...]:
    """A note on rows that repeat an earlier one in every column, if a text or a term in a source identifies a row."""
    telling = [name for name in ("text", "tokens", "sha256") if name in frame.columns]
    if not telling and not {"source", "term"} <= set(frame.columns):
        return ()
    lists, frame = (list, tuple, dict, np.ndarray), frame.loc[:, ~frame.columns.duplicated()]
    plain = frame.copy(deep=False)
    for name in frame.columns:
        if frame[name].dtype == object and any(isinstance(cell, lists) for cell in frame[name]):
            plain[name] = frame[name].map(str)
    again = plain.duplicated().to_numpy()
    if telling:
        again = again & ~plain[telling].isin(["", None, np.nan]).all(axis=1).to_numpy()
    repeated = np.flatnonzero(again)
    if not len(repeated):
        return ()
    rows, verb, it = ("row", "repeats", "it counts") if len(repeated) == 1 else ("rows", "repeat", "they count")
    return (
        f"{len(repeated):,} of {len(frame):,} rows {verb} an earlier row in every column: {rows} "
        f"{_first_names(f'{row + 1:,}' for row in repeated)}; {it} each time",
    )


def contradicted_decisions(predicted: IntArray, probabilities: FloatArray) -> tuple[str, ...]:
    """A note on rows with another decision than the most probable class; ties are not counted."""
    distance = int((probabilities[np.arange(len(predicted)), predicted] < probabilities.max(axis=1) - 1e-12).sum())
    if not distance:
        return ()
    yes, last = predicted == 1, probabilities[:, -1]
    why = ""
    if probabilities.shape[1] == 2 and last[yes].min(initial=np.inf) <= last[~yes].max(initial=-np.inf):
        why = ", and no one threshold gives these decisions"
    return (
        f"in {distance:,} of {len(predicted):,} rows the column predicted is not the most probable class{why}; "
        "predicted decides, unless threshold= is given",
    )


def never_predicted(names: Sequence[str], predicted: Collection[str], noun: str, model: str) -> tuple[str, ...]:
    """A note on classes or types that were never predicted while others were: perhaps the model has no such."""
    silent, rest = [name for name in names if name not in predicted], [name for name in names if name in predicted]
    if not silent or not rest:
        return ()
    what, verb = (noun, "is") if len(silent) == 1 else (count(len(silent), noun).partition(" ")[2], "are")
    return (
        f"the {what} {', '.join(silent)} {verb} never predicted; if the {model} has no such {what}, "
        f"give classes={','.join(rest)}",
    )


def _first_names(names: Iterable[str]) -> str:
    every = list(names)
    return ", ".join(every[:_SHOWN]) + (f" and {len(every) - _SHOWN:,} more" if len(every) > _SHOWN else "")


def with_precision(table: pd.DataFrame, model: Mapping[str, Any]) -> pd.DataFrame:
    """A prediction table with the column ``precision``, where that of the model's record is lower than float32."""
    dtype = str(model.get("dtype", FULL))
    return table if dtype == FULL else table.assign(precision=dtype)


def precision_of(table: pd.DataFrame, name: str = "the table") -> str:
    """The precision that a prediction table names; "" where it names none, also by other values."""
    dtypes = [str(dtype) for dtype in table["precision"].fillna("").unique()] if "precision" in table.columns else [""]
    if not set(dtypes) <= {FULL, "bfloat16", "float16", ""}:
        return ""
    if len(dtypes) > 1:
        listed = join_names([dtype or "one that is not recorded" for dtype in dtypes])
        raise TableError(
            f"{name} holds predictions of different precisions: {listed}. A lower precision moves probabilities by as "
            "much as real gaps.",
            remedy="Predict all rows in one precision, such as float32.",
        )
    return dtypes[0]
