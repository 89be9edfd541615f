"""Named columns of large tables, batch by batch: a file of CSV, Parquet or JSON lines, or a folder of such files.

A file reads as `read_table` reads it, but every cell is text as it is written: a batch cannot know what comes later.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import pandas as pd

from fairness_checklist.core.errors import TableError
from fairness_checklist.tables.files import ENDINGS, csv_frames, json_records, not_parquet, table_kind

__all__ = ["Batches", "read_batches"]

_BUFFER = 2**20  # bytes of a column of Parquet that are held undecoded; else all of a row group


@dataclass(frozen=True)
class Batches:
    """Batches of a table; each pass over them reads the files again.

    Attributes:
        files: the files, in the order in which they are read.
        columns: the columns of the batches.
        optional: further columns, of the files that have them.
        size: the most rows of a batch.
        rows: all rows, where the files are Parquet; None where only reading tells their number.
        remedy: the end of the remedy for a missing column.
    """

    files: tuple[Path, ...]
    columns: tuple[str, ...]
    optional: tuple[str, ...]
    size: int
    rows: int | None
    remedy: str

    def __iter__(self) -> Iterator[pd.DataFrame]:
        readers = {"csv": self._of_csv, "json": self._of_json, "parquet": self._of_parquet}
        for path in self.files:
            yield from readers[table_kind(path)](path)

    def _of_csv(self, path: Path) -> Iterator[pd.DataFrame]:
        for frame in csv_frames(path, self.size):
            yield frame[self._check(frame.columns, path)]

    def _of_json(self, path: Path) -> Iterator[pd.DataFrame]:
        records = json_records(path)
        names: dict[str, None] = {}
        while some := list(islice(records, self.size)):
            names |= dict.fromkeys(name for record in some for name in record)
            wanted = [*self.columns, *(name for name in self.optional if name in names)]
            yield self._frame({name: [record.get(name) for record in some] for name in wanted})
        self._check(names, path)  # the last line may be the first that has the column

    def _of_parquet(self, path: Path) -> Iterator[pd.DataFrame]:
        with _opened(path) as file:
            there = [name for name in file.schema_arrow.names if not name.startswith("__index_level_")]
            wanted = self._check(there, path)
            for batch in file.iter_batches(self.size, columns=wanted):
                yield self._frame({name: batch[name].to_pylist() for name in wanted})

    def _frame(self, cells: dict[str, list[Any]]) -> pd.DataFrame:
        texts = {
            name: [each if isinstance(each, str) else _text(each) for each in column] for name, column in cells.items()
        }
        return pd.DataFrame(texts, dtype=object)

    def _check(self, there: Iterable[str], path: Path) -> list[str]:
        there = list(there)
        for name in self.columns:
            if name not in there:
                remedy = f"Its columns are {', '.join(map(str, there))}. {self.remedy}".strip()
                raise TableError(f"there is no column {name}.", place=path.name, remedy=remedy)
        return [*self.columns, *(name for name in self.optional if name in there)]


def read_batches(
    path: str | Path, columns: Sequence[str], *, optional: Sequence[str] = (), size: int = 32_768, remedy: str = ""
) -> Batches:
    """The named columns of a table that need not fit into the memory.

    Args:
        path: a file that `read_table` reads, or a folder. Of a folder all such files are read, also those of folders
            inside, sorted by name; names that begin with a dot or an underscore are left out.
        columns: the columns, which every file must have. In JSON lines a column that a line lacks is empty there.
        optional: columns of those files that have them.
        size: the most rows of a batch.
        remedy: what to do about a missing column, after the sentence that lists the columns.

    Returns:
        An iterable of tables with these columns. Cells are strings, and "" where they are empty.

    Raises:
        TableError: no such file or folder, or one without tables; while reading, what `read_table` raises, or a
            missing column.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for name in "ab":
    ...         _ = (Path(folder) / f"{name}.csv").write_text(f"text,label\\n{name} tea,1\\n{name} cup,\\n")
    ...     [batch["label"].tolist() for batch in read_batches(folder, ["label"])]
    [['1', ''], ['1', '']]
    """
    path = Path(path)
    files = [path]
    if path.is_dir():
        inside = sorted(path.rglob("*"), key=lambda one: one.relative_to(path).as_posix())
        hidden = {one for one in inside if any(part[0] in "._" for part in one.relative_to(path).parts)}
        files = [one for one in inside if one.suffix.lower() in ENDINGS and one.is_file() and one not in hidden]
        if not files:
            raise TableError(
                f"the folder {path} has no table.", remedy="Give a folder of .csv, .parquet or .jsonl files."
            )
    rows = None
    if all(table_kind(one) == "parquet" for one in files):
        rows = 0
        for one in files:
            with _opened(one) as file:
                rows += file.metadata.num_rows
    return Batches(tuple(files), tuple(dict.fromkeys(columns)), tuple(dict.fromkeys(optional)), size, rows, remedy)


def _opened(path: Path) -> Any:
    from pyarrow.parquet import ParquetFile

    try:
        return ParquetFile(path, buffer_size=_BUFFER)
    except (OSError, ValueError) as error:
        raise not_parquet(path) from error


def _text(cell: Any) -> str:
    return "" if cell is None or cell != cell else str(cell)
