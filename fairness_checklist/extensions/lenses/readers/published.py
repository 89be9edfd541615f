"""What a reader of a published data set gives back, and strict reading: columns as published, places of errors."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fairness_checklist.core.errors import AlignmentError, TableError, did_you_mean, first_ten

if TYPE_CHECKING:
    import pandas as pd

HAS: Mapping[str, str] = {
    "gold": "gold labels of a task",
    "classes": "gold labels that are classes with examples of each group",
    "group": "the group of each example",
    "pairs": "each example with another group in its place",
    "stereotype": "which examples or options follow a stereotype",
    "decision": "a task whose answer is a class",
    "prediction": "a task that a model is trained for",
    "target": "words or sentences whose probability a language model gives",
}
"""What a data set may have, and what a metric may need."""
Rows = list[dict[str, object]]
"""One example each, all with the same keys."""
AS_PUBLISHED = "Use the file as it was published."


@dataclass(frozen=True, eq=False)
class PublishedSet:
    """A published data set as read from the user's files.

    Attributes:
        name: its id, see `readers.READERS`.
        table: one row an example; see each reader for its columns.
        has: which of `HAS` it has.
    """

    name: str
    table: pd.DataFrame
    has: frozenset[str]

    def __len__(self) -> int:
        return len(self.table)


def read_text(path: str | Path) -> str:
    """The content of a UTF-8 file; `TableError` where there is none."""
    path = Path(path)
    if path.suffix.lower() in (".pkl", ".pickle"):
        raise TableError(
            f"{path} is a pickle, and pickles can run code when they are read.",
            remedy="Write the table as .csv, .jsonl or .parquet first.",
        )
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as problem:
        raise TableError(
            f"the file is not UTF-8: {problem.reason}.", place=str(path), remedy="Save it as UTF-8."
        ) from None
    except OSError as problem:
        raise TableError(
            f"there is nothing to read at {path}: {problem.strerror}.", remedy="Give the path of the published file."
        ) from None


def read_columns(
    path: str | Path,
    columns: Sequence[str],
    *,
    optional: Sequence[str] = (),
    delimiter: str = ",",
    header: bool = True,
    quotes: bool = True,
) -> list[tuple[str, dict[str, str]]]:
    """The rows of a delimited file with the published columns, each with its place; `TableError` with ``file:line``.

    ``optional`` columns are those of some published version. In files with tabs a quote is a character like any other,
    but for ``quotes`` around a whole cell, which are removed.
    """
    shown = Path(path).name
    names = [] if header else list(columns)
    rows: list[tuple[str, dict[str, str]]] = []
    for number, cells in _cells(read_text(path), delimiter, shown, quotes):
        place = f"{shown}:{number}"
        if not names:
            names = _checked_header(cells, columns, optional, place)
        elif len(cells) != len(names):
            raise TableError(
                f"the row has {len(cells)} cells, expected {len(names)}: {_names(names)}.",
                place=place,
                remedy=AS_PUBLISHED,
            )
        else:
            rows.append((place, dict(zip(names, cells, strict=True))))
    if not rows:
        raise TableError("there are no rows in the file.", place=shown, remedy=f"Its columns are: {_names(columns)}.")
    return rows


def read_json(path: str | Path) -> Any:
    """A JSON file; `TableError` with ``file:line`` where it is none."""
    try:
        return json.loads(read_text(path))
    except json.JSONDecodeError as problem:
        raise TableError(
            f"the file is not JSON: {problem.msg}.", place=f"{Path(path).name}:{problem.lineno}", remedy=AS_PUBLISHED
        ) from None


def check_every_id(known: Sequence[str], given: Collection[str], what: str, to: str) -> None:
    """`AlignmentError` unless there is an answer or a prediction, ``what``, for each id and ``to`` no other one."""
    missing = [name for name in dict.fromkeys(known) if name not in given]
    unknown = sorted(set(given) - set(known))
    if missing or unknown:
        lack = f"no {what} for {first_ten(missing)}" if missing else f"{what}s {to} no example: {first_ten(unknown)}"
        raise AlignmentError(
            f"{len(given):,} {what}s for {len(known):,} examples; {lack}.", remedy=f"Give one {what} for each id."
        )


def one_of(value: str, known: Iterable[str], column: str, place: str) -> str:
    """A cell that has one of the published values; `TableError` for another."""
    names = list(known)
    if value in names:
        return value
    raise TableError(
        f"{column} is {value!r}, expected one of {', '.join(repr(name) for name in names)}.",
        place=place,
        remedy=f"{AS_PUBLISHED}{did_you_mean(value, names)}",
    )


def whole_number(value: str, column: str, place: str) -> int:
    """A cell that counts; `TableError` for another."""
    if value.strip().isdigit():
        return int(value)
    raise TableError(f"{column} is {value!r}, expected a whole number.", place=place)


def number_between(value: str, low: float, high: float, column: str, place: str) -> float:
    """A cell that is a number of a range; `TableError` for another."""
    try:
        number = float(value)
    except ValueError:
        number = low - 1
    if not low <= number <= high:
        raise TableError(f"{column} is {value!r}, expected a number from {low:g} to {high:g}.", place=place)
    return number


def _cells(content: str, delimiter: str, shown: str, quotes: bool) -> Iterable[tuple[int, list[str]]]:
    if delimiter == "\t":
        for number, line in enumerate(content.split("\n"), start=1):
            if line.strip():
                cells = line.rstrip("\r").split("\t")
                yield number, [_unquoted(cell) for cell in cells] if quotes else cells
        return
    reader = csv.reader(io.StringIO(content, newline=""), strict=True)
    last = 0
    try:
        for cells in reader:
            number, last = last + 1, reader.line_num
            if any(cell.strip() for cell in cells):
                yield number, cells
    except csv.Error as problem:
        raise TableError(
            f"the row does not parse: {problem}.",
            place=f"{shown}:{last + 1}",
            remedy='Double the quotes inside a cell: "He said ""no"".".',
        ) from None


def _unquoted(cell: str) -> str:
    if len(cell) > 1 and cell[0] == cell[-1] == '"' and '"' not in cell[1:-1].replace('""', ""):
        return cell[1:-1].replace('""', '"')
    return cell


def _checked_header(cells: Sequence[str], columns: Sequence[str], optional: Sequence[str], place: str) -> list[str]:
    published = f"The published columns are: {_names(columns)}."
    for name in columns:
        if name not in cells:
            raise TableError(f"the column {name!r} is missing.", place=place, remedy=published)
    for name in cells:
        if name not in (*columns, *optional):
            raise TableError(
                f"the column {name!r} is not known.", place=place, remedy=f"{published}{did_you_mean(name, columns)}"
            )
        if list(cells).count(name) > 1:
            raise TableError(f"the column {name!r} occurs twice.", place=place, remedy="Keep one of them.")
    return list(cells)


def _names(columns: Sequence[str]) -> str:
    return ", ".join(name or "(a first column without a name)" for name in columns)
