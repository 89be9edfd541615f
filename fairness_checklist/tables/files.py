"""Tables as files, whole or in batches: CSV from any spreadsheet program, Parquet, and JSON lines."""

import csv
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from fairness_checklist.core.atomic import atomic_file
from fairness_checklist.core.delimited import delimiter_of, is_separator_line, not_utf8
from fairness_checklist.core.errors import TableError, first_ten
from fairness_checklist.core.option_defaults import path as path_option
from fairness_checklist.tables.notes import check_column_names

_JSON = (".jsonl", ".ndjson", ".json")
ENDINGS = (".csv", ".parquet", *_JSON)
Table = pd.DataFrame | str | Path | Mapping[str, Any] | Sequence[Mapping[str, Any]] | Any  # see `table_of`
_BUFFER = 2**20  # bytes of a column of Parquet that are held undecoded; else all of a row group
_KNOWN = "Tables are .csv, .parquet or .jsonl."
_CELLS = re.compile(r"Expected (\d+) fields in line (\d+), saw (\d+)")
_STRINGS = ("source", "group", "term", "text", "label", "predicted", "template", "attribute")
_QUOTE = re.compile(r"EOF inside string starting at row (\d+)")


def table_of(table: Any, name: str = "table") -> pd.DataFrame:
    """A DataFrame, what has ``to_pandas``, a list of dictionaries, a dictionary of columns or a path as a table.

    >>> table_of([{"text": "Hi.", "label": "neutral"}]).equals(table_of({"text": ["Hi."], "label": ["neutral"]}))
    True
    """
    if isinstance(table, (str, os.PathLike)):
        return read_table(path_option(name, table))
    rows: Any = table.to_pandas() if hasattr(table, "to_pandas") else table
    remedy = "Give a DataFrame, Dataset, pyarrow Table, list of dictionaries, dictionary of columns, or a path."
    what = f"is of the type {type(table).__name__}, which is no table."
    if isinstance(rows, Mapping) and any(hasattr(split, "column_names") for split in rows.values()):  # a DatasetDict
        what, remedy = f"has the splits {first_ten(rows)}.", f"Choose a split: dataset[{json.dumps(next(iter(rows)))}]."
    elif is_table(rows):
        try:
            return pd.DataFrame(rows) if not isinstance(rows, pd.DataFrame) else rows
        except ValueError:
            what = "has columns of different lengths, or single values."
    raise TableError(f"{name} {what}", remedy=remedy)


def is_table(table: object) -> bool:
    """Whether something is a table in memory; a DatasetDict is an error of `table_of`."""
    rows = isinstance(table, (list, tuple)) and bool(table) and all(isinstance(row, Mapping) for row in table)
    return rows or isinstance(table, (pd.DataFrame, Mapping)) or hasattr(table, "to_pandas")


def check_has_column(frame: pd.DataFrame, name: str) -> pd.DataFrame:
    """The table; `TableError` where it lacks a column."""
    if name not in frame.columns:
        have = ", ".join(map(str, frame.columns))
        raise TableError(f"the table has no column {name}.", remedy=f"Its columns are {have}.")
    return frame


def read_table(path: str | Path) -> pd.DataFrame:
    """Read a prediction table from a file of CSV, Parquet or JSON lines; texts, groups and labels stay strings.

    CSV may have commas, tabs, or semicolons and decimal commas, as Excel writes it. JSON lines (``.jsonl``, ``.ndjson``
    or ``.json``) hold one object per line; a column that a line lacks is empty there.
    """
    path = Path(path)
    kind = _kind(path)
    if kind == "csv":
        return next(_csv_frames(path))
    if kind == "parquet":
        try:
            return pd.read_parquet(path)
        except (OSError, ValueError) as error:
            raise _not_parquet(path) from error
    records = [*_json_records(path)]
    names = dict.fromkeys(name for record in records for name in record)  # in the order in which they first come
    return pd.DataFrame({name: pd.Series([record.get(name) for record in records], dtype=object) for name in names})


def _kind(path: Path) -> str:
    """Of a file that is there: "csv", "parquet" or "json"."""
    if not path.is_file():
        raise TableError(f"there is no table {path}.", remedy="Give the path of a .csv, .parquet or .jsonl file.")
    check_ending(path)
    return "json" if path.suffix.lower() in _JSON else path.suffix.lower()[1:]


def write_table(frame: pd.DataFrame, path: str | Path) -> None:
    """Write a table as CSV, Parquet or JSON lines, whole or not at all; in CSV lists become JSON text."""
    path = Path(path)
    check_ending(path)
    with atomic_file(path) as scratch:
        if path.suffix.lower() == ".csv":
            _without_lists(frame).to_csv(scratch, index=False, encoding="utf-8", lineterminator="\n")
        elif path.suffix.lower() in _JSON:
            names = list(map(str, frame.columns))
            with scratch.open("w", encoding="utf-8", newline="\n") as file:
                for cells in frame.itertuples(index=False, name=None):
                    record = dict(zip(names, map(_as_json, cells), strict=True))
                    file.write(json.dumps(record, ensure_ascii=False, default=str) + "\n")
        else:
            frame.to_parquet(scratch, index=False)


def _json_records(path: Path) -> Iterator[dict[str, Any]]:
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
                    record = json.loads(line)
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


def _csv_frames(path: Path, size: int | None = None) -> Iterator[pd.DataFrame]:
    """A CSV table whole, or as text in parts of ``size`` rows; commas, semicolons (with decimal commas) or tabs."""
    first, header = _first_line(path)
    delimiter = delimiter_of(header)
    check_column_names(next(csv.reader([header], delimiter=delimiter)), f"{path.name}:{first + 1}")
    expected = f"expected {header.count(delimiter) + 1}: {header.strip()}"
    options: dict[str, Any] = {"dtype": object, "na_filter": False, "chunksize": size}
    if size is None:
        options = {"dtype": dict.fromkeys(_STRINGS, "str"), "keep_default_na": False, "na_values": [""]}
    try:
        options |= {"sep": delimiter, "decimal": "," if delimiter == ";" else ".", "skiprows": first}
        frames = pd.read_csv(path, encoding="utf-8-sig", **options)
        with nullcontext([frames]) if size is None else frames as parts:
            for frame in parts:
                if not isinstance(frame.index, pd.RangeIndex):
                    raise _cells(f"{path.name}:{first + 2}", f"has more cells than the header; {expected}")
                yield frame
    except UnicodeDecodeError as error:
        raise not_utf8(path.read_bytes(), path.name, TableError) from error
    except TableError:
        raise
    except ValueError as error:
        cells, quote = _CELLS.search(str(error)), _QUOTE.search(str(error))
        if cells:
            raise _cells(f"{path.name}:{cells[2]}", f"has {cells[3]} cells; {expected}") from error
        place = f"{path.name}:{int(quote[1]) + 1}" if quote else path.name
        what = "a quote is opened and never closed." if quote else "the file does not parse as CSV."
        raise TableError(what, place=place, remedy='Double the quotes inside a cell: "He said ""no"".".') from error


def _not_parquet(path: Path) -> TableError:
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


def check_ending(path: Path) -> None:
    """Raise `TableError` unless the ending of a file is that of a table."""
    if path.suffix.lower() not in ENDINGS:
        raise TableError(f"the ending {path.suffix!r} is not that of a table.", place=path.name, remedy=_KNOWN)


def _cells(place: str, what: str) -> TableError:
    return TableError(f"the row {what}.", place=place, remedy="Put a cell that holds the separator in quotes.")


def read_batches(
    path: str | Path, columns: Sequence[str], *, optional: Sequence[str] = (), size: int = 32_768, remedy: str = ""
) -> Iterator[pd.DataFrame]:
    """The named columns of a table that need not fit into the memory, as strings, "" where a cell is empty.

    ``path`` is a file that `read_table` reads, or a folder of such, those of folders inside too, sorted by name; names
    that begin with a dot or an underscore are left out.
    """
    path = Path(path)
    files = [path]
    if path.is_dir():
        inside = sorted((file.relative_to(path) for file in path.rglob("*")), key=Path.as_posix)
        seen = [file for file in inside if not any(part[0] in "._" for part in file.parts)]
        files = [path / file for file in seen if file.suffix.lower() in ENDINGS and (path / file).is_file()]
        if not files:
            raise TableError(
                f"the folder {path} has no table.", remedy="Give a folder of .csv, .parquet or .jsonl files."
            )
    for file in files:
        _kind(file)
    return (batch for file in files for batch in _batches(file, dict.fromkeys(columns), optional, size, remedy))


def _batches(
    path: Path, columns: Iterable[str], optional: Sequence[str], size: int, remedy: str
) -> Iterator[pd.DataFrame]:
    def names_of(stored: Iterable[str]) -> list[str]:
        """The columns to read of those that the file has."""
        stored = list(stored)
        for name in columns:
            if name not in stored:
                listed = f"Its columns are {', '.join(map(str, stored))}. {remedy}".strip()
                raise TableError(f"there is no column {name}.", place=path.name, remedy=listed)
        return [*columns, *(name for name in optional if name in stored)]

    kind = _kind(path)
    if kind == "csv":
        for frame in _csv_frames(path, size):
            yield frame[names_of(frame.columns)]
    elif kind == "json":
        records, found = _json_records(path), dict[str, None]()
        while batch := list(islice(records, size)):
            found |= dict.fromkeys(name for record in batch for name in record)
            names = [*columns, *(name for name in optional if name in found)]
            yield _as_text({name: [record.get(name) for record in batch] for name in names})
        names_of(found)  # the last line may be the first that has the column
    else:
        from pyarrow.parquet import ParquetFile

        try:
            file = ParquetFile(path, buffer_size=_BUFFER)
        except (OSError, ValueError) as error:
            raise _not_parquet(path) from error
        with file:
            names = names_of(name for name in file.schema_arrow.names if not name.startswith("__index_level_"))
            for part in file.iter_batches(size, columns=names):
                yield _as_text({name: part[name].to_pylist() for name in names})


def _as_text(cells: dict[str, list[Any]]) -> pd.DataFrame:
    texts = {
        name: ["" if cell is None or cell != cell else str(cell) for cell in column] for name, column in cells.items()
    }
    return pd.DataFrame(texts, dtype=object)
