"""What a reader of a published data set gives back, and strict reading: columns as published, places of errors."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
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
Row = dict[str, Any]
"""One example."""
AS_PUBLISHED = "Use the file as it was published."


@dataclass(frozen=True, eq=False)
class PublishedSet:
    """A published data set as read from the user's files."""

    name: str  # its id, see `readers.READERS`
    table: pd.DataFrame  # one row an example; see ``readers.toml`` for its columns
    has: frozenset[str]  # which of `HAS` it has

    def __len__(self) -> int:
        return len(self.table)


def read_text(path: Path) -> str:
    """The content of a UTF-8 file; `TableError` where there is none."""
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
    path: Path, columns: Sequence[str], *, delimiter: str = ",", header: bool = True, quotes: bool = True
) -> Iterator[tuple[str, dict[str, str]]]:
    """The rows of a delimited file with the published columns, each with its place; `TableError` with ``file:line``.

    Further columns are left as they are. In files with tabs a quote is a character like any other, but for ``quotes``
    around a whole cell, which are removed.
    """
    tabs = delimiter == "\t"
    style: Any = csv.QUOTE_NONE if tabs else csv.QUOTE_MINIMAL
    reader = csv.reader(io.StringIO(read_text(path), newline=""), delimiter=delimiter, strict=True, quoting=style)
    names = [] if header else list(columns)
    line = 1
    try:
        for cells in reader:
            place, line = f"{path.name}:{line}", reader.line_num + 1
            cells = [_unquoted(cell) for cell in cells] if tabs and quotes else cells
            if not any(cell.strip() for cell in cells):
                continue
            if not names:
                names = [name or "unnamed" for name in cells]
                check_columns(names, columns, place)
            elif len(cells) != len(names):
                message = f"the row has {len(cells)} cells, expected {len(names)}: {', '.join(names)}."
                raise TableError(message, place=place, remedy=AS_PUBLISHED)
            else:
                yield place, dict(zip(names, cells, strict=True))
    except csv.Error as problem:
        remedy = 'Double the quotes inside a cell: "He said ""no"".".'
        raise TableError(f"the row does not parse: {problem}.", place=f"{path.name}:{line}", remedy=remedy) from None


def _unquoted(cell: str) -> str:
    if len(cell) > 1 and cell[0] == cell[-1] == '"' and '"' not in cell[1:-1].replace('""', ""):
        return cell[1:-1].replace('""', '"')
    return cell


def check_columns(names: Collection[str], columns: Sequence[str], place: str) -> None:
    """`TableError` unless all published columns are among the names."""
    missing = [name for name in columns if name not in names]
    if missing:
        remedy = f"The published columns are: {', '.join(columns)}."
        raise TableError(f"the column {missing[0]!r} is missing.", place=place, remedy=remedy)


def read_json(path: Path) -> Any:
    """A JSON file; `TableError` with ``file:line`` where it is none."""
    try:
        return json.loads(read_text(path))
    except json.JSONDecodeError as problem:
        place = f"{path.name}:{problem.lineno}"
        raise TableError(f"the file is not JSON: {problem.msg}.", place=place, remedy=AS_PUBLISHED) from None


def check_ids(ids: Sequence[str], answered: Collection[str], what: str, to: str) -> None:
    """`AlignmentError` unless there is an answer or a prediction, ``what``, for each id and ``to`` no other one."""
    missing = [name for name in dict.fromkeys(ids) if name not in answered]
    unknown = sorted(set(answered) - set(ids))
    if missing or unknown:
        lack = f"no {what} for {first_ten(missing)}" if missing else f"{what}s {to} no example: {first_ten(unknown)}"
        message = f"{len(answered):,} {what}s for {len(ids):,} examples; {lack}."
        raise AlignmentError(message, remedy=f"Give one {what} for each id.")


def one_of(value: str, values: Iterable[str], column: str, place: str) -> str:
    """A cell that has one of the published values; `TableError` for another."""
    names = list(values)
    if value in names:
        return value
    raise TableError(
        f"{column} is {value!r}, expected one of {', '.join(repr(name) for name in names)}.",
        place=place,
        remedy=f"{AS_PUBLISHED}{did_you_mean(value, names)}",
    )


def number_between(value: str, low: float, high: float, column: str, place: str) -> float:
    """A cell that is a number of a range; `TableError` for another."""
    try:
        number = float(value)
    except ValueError:
        number = low - 1
    if not low <= number <= high:
        raise TableError(f"{column} is {value!r}, expected a number from {low:g} to {high:g}.", place=place)
    return number
