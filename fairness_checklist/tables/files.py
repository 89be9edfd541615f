"""Prediction tables as files: CSV from any spreadsheet program, Parquet, and JSON lines."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from fairness_checklist.core.atomic import atomic_file
from fairness_checklist.core.delimited import delimiter_of, is_separator_line, not_utf8
from fairness_checklist.core.errors import TableError
from fairness_checklist.tables.notes import check_column_names

_JSON = (".jsonl", ".ndjson", ".json")
ENDINGS = (".csv", ".parquet", *_JSON)
_KNOWN = "Tables are .csv, .parquet or .jsonl."
_CELLS = re.compile(r"Expected (\d+) fields in line (\d+), saw (\d+)")
_STRINGS = ("source", "group", "term", "text", "label", "predicted", "template", "attribute")
_FORMULA = re.compile(r"'*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]")
ESCAPED = "formulas_escaped"
"""The column, "yes" in each row, that marks a table with escaped formulas."""
_QUOTE = re.compile(r"EOF inside string starting at row (\d+)")


def read_table(path: str | Path) -> pd.DataFrame:
    """Read a prediction table from a file of CSV, Parquet or JSON lines; texts, groups and labels stay strings.

    CSV may have commas, tabs, or semicolons and decimal commas, as Excel writes it. JSON lines (``.jsonl``, ``.ndjson``
    or ``.json``) hold one object per line; a column that a line lacks is empty there.
    """
    path = Path(path)
    kind = table_kind(path)
    if kind == "csv":
        return next(csv_frames(path))
    return _read_parquet(path) if kind == "parquet" else _read_json_lines(path)


def table_kind(path: Path) -> str:
    """Of a file that is there: "csv", "parquet" or "json"."""
    if not path.is_file():
        raise TableError(f"there is no table {path}.", remedy="Give the path of a .csv, .parquet or .jsonl file.")
    if path.suffix.lower() not in ENDINGS:
        raise _ending(path)
    return "json" if path.suffix.lower() in _JSON else path.suffix.lower()[1:]


def write_table(frame: pd.DataFrame, path: str | Path, *, escape_formulas: bool = False) -> None:
    """Write a table as CSV, Parquet or JSON lines, whole or not at all; in CSV lists become JSON text.

    With ``escape_formulas`` cells of CSV that a spreadsheet program would compute get an apostrophe in front, and a
    column ``formulas_escaped`` marks it; `read_table` removes both again.
    """
    path = Path(path)
    if path.suffix.lower() not in ENDINGS:
        raise _ending(path)
    with atomic_file(path) as scratch:
        if path.suffix.lower() == ".csv":
            shown = _without_lists(frame)
            if escape_formulas:
                shown = _escaped(shown).assign(**{ESCAPED: "yes"})
            shown.to_csv(scratch, index=False, encoding="utf-8", lineterminator="\n")
        elif path.suffix.lower() in _JSON:
            _write_json_lines(frame, scratch)
        else:
            frame.to_parquet(scratch, index=False)


def escape_formulas(frame: pd.DataFrame) -> pd.DataFrame:
    """A table in which no text is a formula for a spreadsheet program.

    Texts (cells, and names of columns) that begin with ``=``, ``+``, ``-``, ``@``, a tab, a line break or the wide form
    of one of these get an apostrophe in front, as OWASP recommends; and so do texts that begin with apostrophes before
    one of these, so that `unescape_formulas` gives the same table. Numbers stay as they are.

    >>> frame = pd.DataFrame({"text": ["=1+1", "'=1+1", "1+1", "-x"], "p": [-1.0, 0.0, 0.5, 1.0]})
    >>> escape_formulas(frame)["text"].tolist()
    ["'=1+1", "''=1+1", '1+1', "'-x"]
    >>> unescape_formulas(escape_formulas(frame)).equals(frame)
    True
    """
    return _changed(frame, lambda text: f"'{text}" if _FORMULA.match(text) else text)


def unescape_formulas(frame: pd.DataFrame) -> pd.DataFrame:
    """The table from which `escape_formulas` made another."""
    return _changed(frame, lambda text: text[1:] if text.startswith("'") and _FORMULA.match(text) else text)


_escaped = escape_formulas  # the option of `write_table` has the same name


def _changed(frame: pd.DataFrame, change: Callable[[str], str]) -> pd.DataFrame:
    """A table with other texts instead of those in its cells and the names of its columns."""
    columns = []
    for at in range(frame.shape[1]):
        column = frame.iloc[:, at]
        if isinstance(column.dtype, pd.CategoricalDtype):
            column = column.astype(object)
        texts = [isinstance(cell, str) for cell in column] if not pd.api.types.is_numeric_dtype(column) else []
        if any(texts):
            column = column.map(lambda cell: change(cell) if isinstance(cell, str) else cell)
        columns.append(column)
    changed = pd.concat(columns, axis="columns") if columns else frame.copy()
    changed.columns = pd.Index([change(name) if isinstance(name, str) else name for name in frame.columns])
    return changed


def _read_json_lines(path: Path) -> pd.DataFrame:
    """A table of JSON lines, columns in the order in which they first come."""
    records = [*json_records(path)]
    names = dict.fromkeys(name for record in records for name in record)
    return pd.DataFrame({name: pd.Series([record.get(name) for record in records], dtype=object) for name in names})


def json_records(path: Path) -> Iterator[dict[str, Any]]:
    """The objects of a file of JSON lines, one at a time; at least one."""
    example = 'Write one object per line: {"group": "a", "tokens": ["In", "Chad"], "predicted": ["O", "B-LOC"]}.'
    found = False
    try:
        with path.open(encoding="utf-8-sig") as lines:
            for number, line in enumerate(lines, start=1):
                if not line.strip():
                    continue
                place = f"{path.name}:{number}"
                try:
                    record = json.loads(line, object_pairs_hook=partial(_object, place=place))
                except json.JSONDecodeError as error:
                    what = f"the line is no JSON: {error.msg}, at character {error.colno:,}."
                    raise TableError(what, place=place, remedy=example) from error
                if not isinstance(record, dict):
                    raise TableError("the line is no object of JSON.", place=place, remedy=example)
                found = True
                yield record
    except UnicodeDecodeError as error:
        raise not_utf8(path.read_bytes(), path.name, TableError, "Save it as UTF-8.") from error
    if not found:
        raise TableError("the file is empty.", place=path.name, remedy=example)


def _object(pairs: list[tuple[str, Any]], *, place: str) -> dict[str, Any]:
    """A JSON object without repeated names."""
    check_column_names([name for name, _value in pairs], place)
    return dict(pairs)


def _write_json_lines(frame: pd.DataFrame, path: Path) -> None:
    names = [str(name) for name in frame.columns]
    columns = [frame.iloc[:, at] for at in range(len(names))]
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for cells in zip(*columns, strict=True):
            record = {name: _as_json(cell) for name, cell in zip(names, cells, strict=True)}
            file.write(json.dumps(record, ensure_ascii=False, default=str) + "\n")


def _without_lists(frame: pd.DataFrame) -> pd.DataFrame:
    """The table with its lists as JSON text."""
    listed = (list, tuple, dict, np.ndarray)
    changed = {
        name: [json.dumps(_as_json(c), ensure_ascii=False) if isinstance(c, listed) else c for c in frame[name]]
        for name in frame.columns
        if frame[name].map(lambda cell: isinstance(cell, listed)).any()
    }
    return frame.assign(**changed)


def _as_json(cell: Any) -> Any:
    """A cell as what JSON knows: lists for arrays, null for what is missing."""
    if isinstance(cell, dict):
        return {name: _as_json(value) for name, value in cell.items()}
    if isinstance(cell, np.ndarray):
        return _as_json(cell.tolist())
    if isinstance(cell, (list, tuple)):
        return [_as_json(value) for value in cell]
    if isinstance(cell, np.generic):
        cell = cell.item()
    return None if cell is None or pd.isna(cell) else cell


def csv_frames(path: Path, size: int | None = None) -> Iterator[pd.DataFrame]:
    """A CSV table: UTF-8 with or without BOM; commas, semicolons (then decimal commas, too) or tabs.

    Whole, or in parts of at most ``size`` rows, in which every cell is text as it is written.
    """
    first, header = _first_line(path)
    delimiter = delimiter_of(header)
    check_column_names(next(csv.reader([header], delimiter=delimiter)), f"{path.name}:{first + 1}")
    expected = f"expected {header.count(delimiter) + 1}: {header.strip()}"
    kept: dict[str, Any] = {"dtype": object, "na_filter": False, "chunksize": size}
    if size is None:
        kept = {"dtype": dict.fromkeys(_STRINGS, "str"), "keep_default_na": False, "na_values": [""]}
    try:
        frames = pd.read_csv(
            path, sep=delimiter, decimal="," if delimiter == ";" else ".", skiprows=first, encoding="utf-8-sig", **kept
        )
        with nullcontext([frames]) if size is None else frames as parts:
            for frame in parts:
                if not isinstance(frame.index, pd.RangeIndex):
                    raise _cells(f"{path.name}:{first + 2}", f"has more cells than the header; {expected}")
                yield unescape_formulas(frame.drop(columns=ESCAPED)) if ESCAPED in frame.columns else frame
    except UnicodeDecodeError as error:
        raise not_utf8(path.read_bytes(), path.name, TableError) from error
    except TableError:
        raise
    except ValueError as error:
        cells, quote = _CELLS.search(str(error)), _QUOTE.search(str(error))
        if cells:
            raise _cells(f"{path.name}:{cells[2]}", f"has {cells[3]} cells; {expected}") from error
        place = f"{path.name}:{int(quote[1]) + 1}" if quote else path.name
        what = "a quote is opened and never closed" if quote else "the file does not parse as CSV"
        raise TableError(
            f"{what}.", place=place, remedy='Double the quotes inside a cell: "He said ""no"".".'
        ) from error


def _read_parquet(path: Path) -> pd.DataFrame:
    """A Parquet table."""
    try:
        return pd.read_parquet(path)
    except (OSError, ValueError) as error:
        raise not_parquet(path) from error


def not_parquet(path: Path) -> TableError:
    """The error for a file that does not open as Parquet."""
    if not path.stat().st_size:
        return _empty(path)
    return TableError(
        "the file is not Parquet.", place=path.name, remedy="Write it with DataFrame.to_parquet, or give a .csv."
    )


def _first_line(path: Path) -> tuple[int, str]:
    """The number of lines before the header (Excel's ``sep=;``, empty ones), and the header."""
    try:
        with path.open(encoding="utf-8-sig", newline=None) as file:
            for number, line in enumerate(file):
                if line.strip() and not is_separator_line(line):
                    return number, line
    except UnicodeDecodeError as error:
        raise not_utf8(path.read_bytes(), path.name, TableError) from error
    raise _empty(path)


def _empty(path: Path) -> TableError:
    return TableError(
        "the file is empty.",
        place=path.name,
        remedy="Its first line names the columns, for instance: source,group,text,label,predicted.",
    )


def _ending(path: Path) -> TableError:
    return TableError(f"the ending {path.suffix!r} is not that of a table.", place=path.name, remedy=_KNOWN)


def _cells(place: str, what: str) -> TableError:
    return TableError(f"the row {what}.", place=place, remedy="Put a cell that holds the separator in quotes.")
