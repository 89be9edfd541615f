"""Prediction tables as files: CSV from any spreadsheet program, and Parquet."""

from __future__ import annotations

import re
from collections.abc import Collection
from pathlib import Path

import pandas as pd

from fairness_checklist.atomic import whole_file
from fairness_checklist.errors import TableError

__all__ = ["read_table", "write_table"]

_SEPARATORS = {"sep=,", "sep=;", "sep=\t"}
_CELLS = re.compile(r"Expected (\d+) fields in line (\d+), saw (\d+)")
_QUOTE = re.compile(r"EOF inside string starting at row (\d+)")


def read_table(path: str | Path) -> pd.DataFrame:
    """Read a prediction table from a CSV or Parquet file; texts, groups and labels stay strings.

    CSV may have commas, tabs, or semicolons and decimal commas, as Excel writes it.

    Raises:
        TableError: no such file, another ending, or not readable as what the ending says.
    """
    path = Path(path)
    if not path.is_file():
        raise TableError(f"there is no table {path}.", remedy="Give the path of a .csv or .parquet file.")
    if path.suffix.lower() == ".parquet":
        return _read_parquet(path)
    if path.suffix.lower() == ".csv":
        return _read_csv(path, ("source", "group", "term", "text", "label", "predicted", "template", "attribute"))
    raise TableError(
        f"the ending {path.suffix!r} is not that of a table.", place=path.name, remedy="Tables are .csv or .parquet."
    )


def write_table(frame: pd.DataFrame, path: str | Path) -> None:
    """Write a table as CSV or Parquet, whole or not at all.

    Raises:
        TableError: another ending.
    """
    path = Path(path)
    if path.suffix.lower() not in (".csv", ".parquet"):
        raise TableError(
            f"the ending {path.suffix!r} is not that of a table.",
            place=path.name,
            remedy="Tables are .csv or .parquet.",
        )
    with whole_file(path) as scratch:
        if path.suffix.lower() == ".csv":
            frame.to_csv(scratch, index=False, encoding="utf-8", lineterminator="\n")
        else:
            frame.to_parquet(scratch, index=False)


def _read_csv(path: Path, words: Collection[str]) -> pd.DataFrame:
    """A CSV table: UTF-8 with or without BOM; commas, semicolons (then decimal commas, too) or tabs.

    Args:
        path: the file.
        words: the columns that stay strings.

    Raises:
        TableError: with ``file:line``: an empty file, not UTF-8, rows with too many cells, a quote never closed.
    """
    first, header = _first_line(path)
    delimiter = max(",;\t", key=header.count)
    expected = f"expected {header.count(delimiter) + 1}: {header.strip()}"
    try:
        frame = pd.read_csv(
            path,
            sep=delimiter,
            decimal="," if delimiter == ";" else ".",
            skiprows=first,
            dtype=dict.fromkeys(words, "str"),
            keep_default_na=False,
            na_values=[""],
            encoding="utf-8-sig",
        )
    except UnicodeDecodeError as error:
        raise _not_utf8(path) from error
    except ValueError as error:
        cells, quote = _CELLS.search(str(error)), _QUOTE.search(str(error))
        if cells:
            raise _cells(f"{path.name}:{cells[2]}", f"has {cells[3]} cells; {expected}") from error
        place = f"{path.name}:{int(quote[1]) + 1}" if quote else path.name
        what = "a quote is opened and never closed" if quote else "the file does not parse as CSV"
        raise TableError(
            f"{what}.", place=place, remedy='Double the quotes inside a cell: "He said ""no"".".'
        ) from error
    if not isinstance(frame.index, pd.RangeIndex):
        raise _cells(f"{path.name}:{first + 2}", f"has more cells than the header; {expected}")
    return frame


def _read_parquet(path: Path) -> pd.DataFrame:
    """A Parquet table.

    Raises:
        TableError: the file is empty or something else.
    """
    if not path.stat().st_size:
        raise _empty(path)
    try:
        return pd.read_parquet(path)
    except (OSError, ValueError) as error:
        raise TableError(
            "the file is not Parquet.", place=path.name, remedy="Write it with DataFrame.to_parquet, or give a .csv."
        ) from error


def _first_line(path: Path) -> tuple[int, str]:
    """How many lines stand before the header (Excel's ``sep=;``, empty ones), and the header."""
    try:
        with path.open(encoding="utf-8-sig", newline=None) as file:
            for number, line in enumerate(file):
                if line.strip() and line.strip().strip('"').lower() not in _SEPARATORS:
                    return number, line
    except UnicodeDecodeError as error:
        raise _not_utf8(path) from error
    raise _empty(path)


def _empty(path: Path) -> TableError:
    return TableError(
        "the file is empty.",
        place=path.name,
        remedy="Its first line names the columns, for instance: source,group,text,label,predicted.",
    )


def _not_utf8(path: Path) -> TableError:
    content = path.read_bytes()
    line = 1
    try:
        content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
    return TableError(
        "the file is not UTF-8.",
        place=f"{path.name}:{line}",
        remedy='Save it as "CSV UTF-8" (in Excel: Save as, CSV UTF-8).',
    )


def _cells(place: str, what: str) -> TableError:
    return TableError(f"the row {what}.", place=place, remedy="Put a cell that holds the separator in quotes.")
