"""Tables of any size, batch by batch: Parquet, CSV and JSON lines, or a folder of them, in bounded memory."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import pandas as pd

from fairness_checklist.core.delimited import delimiter_of
from fairness_checklist.core.errors import TableError
from fairness_checklist.tables.files import first_line

__all__ = ["read_batches", "table_files"]

_JSON = (".jsonl", ".ndjson", ".json")
_ENDINGS = (".parquet", ".csv", *_JSON)
_BLOCK = 8 << 20  # bytes of a CSV file that are read at once


def table_files(path: str | Path) -> list[Path]:
    """The tables in a folder and the folders below it, by name; or the one file.

    Raises:
        TableError: no such file or folder, or none of its files is a table.
    """
    path = Path(path)
    if not path.exists():
        raise TableError(f"there is no table {path}.", remedy="Give a .csv, .parquet or .jsonl file, or a folder.")
    files = sorted(one for one in path.rglob("*") if one.is_file()) if path.is_dir() else [path]
    tables = [one for one in files if one.suffix.lower() in _ENDINGS]
    if not tables:
        raise TableError(f"{path.name} has no table.", remedy="Tables are .csv, .parquet or .jsonl.")
    return tables


def read_batches(
    path: str | Path, needed: Sequence[str], optional: Sequence[str] = (), *, size: int = 50_000
) -> Iterator[pd.DataFrame]:
    """The rows of a table, or of all tables of a folder, some at a time.

    Args:
        path: a .csv, .parquet or .jsonl file, or a folder of them.
        needed: columns that each file must have.
        optional: columns that are read where they are.
        size: rows of a batch, about.

    Raises:
        TableError: a file without a needed column, or that does not parse.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for name in "ab":
    ...         pd.DataFrame({"text": [name] * 3, "p": 0.5}).to_csv(f"{folder}/{name}.csv", index=False)
    ...     [batch["text"].tolist() for batch in read_batches(folder, ["text"])]
    [['a', 'a', 'a'], ['b', 'b', 'b']]
    """
    wanted = list(dict.fromkeys([*needed, *optional]))
    for file in table_files(path):
        reader = {".parquet": _parquet, ".csv": _csv}.get(file.suffix.lower(), _json)
        try:
            for batch in reader(file, wanted, size):
                missing = [name for name in needed if name not in batch.columns]
                if missing:
                    have = ", ".join(map(str, batch.attrs["columns"]))
                    raise TableError(
                        f"there is no column {missing[0]}.", place=file.name, remedy=f"Its columns are {have}."
                    )
                yield batch
        except (ValueError, OSError) as error:
            if isinstance(error, TableError):
                raise
            raise TableError(f"the file cannot be read: {error}", place=file.name) from error


def _parquet(file: Path, wanted: Sequence[str], size: int) -> Iterator[pd.DataFrame]:
    from pyarrow import parquet

    with parquet.ParquetFile(file) as opened:
        there = opened.schema_arrow.names
        for batch in opened.iter_batches(size, columns=[name for name in wanted if name in there]):
            yield _named(batch.to_pandas(), there)


def _csv(file: Path, wanted: Sequence[str], size: int) -> Iterator[pd.DataFrame]:
    from pyarrow import csv, string

    skipped, header = first_line(file)
    delimiter = delimiter_of(header)
    there = list(map(str, pd.read_csv(file, sep=delimiter, skiprows=skipped, nrows=0, encoding="utf-8-sig").columns))
    columns = [name for name in wanted if name in there]
    opened = csv.open_csv(
        file,
        read_options=csv.ReadOptions(block_size=_BLOCK, skip_rows=skipped),
        parse_options=csv.ParseOptions(delimiter=delimiter, newlines_in_values=True),
        convert_options=csv.ConvertOptions(
            include_columns=columns,
            column_types={name: string() for name in columns if not name.startswith(("p:", "score:"))},
            decimal_point="," if delimiter == ";" else ".",
            strings_can_be_null=True,
            null_values=[""],
        ),
    )
    for batch in opened:
        for start in range(0, len(batch), size):
            yield _named(batch.slice(start, size).to_pandas(), there)


def _json(file: Path, wanted: Sequence[str], size: int) -> Iterator[pd.DataFrame]:
    with file.open(encoding="utf-8-sig") as lines:
        while records := [json.loads(line) for line in islice(lines, size) if line.strip()]:
            there: list[Any] = list(dict.fromkeys(name for record in records for name in record))
            yield _named(pd.DataFrame(records, columns=[name for name in wanted if name in there]), there)


def _named(batch: pd.DataFrame, there: Sequence[str]) -> pd.DataFrame:
    batch.attrs["columns"] = list(there)
    return batch
