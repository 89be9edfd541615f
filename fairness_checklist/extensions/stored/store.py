"""A store of predictions, so that an interrupted run can be continued."""

import hashlib
import json
import sqlite3
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, cast

import numpy as np

from fairness_checklist.core.errors import PredictionError, TableError
from fairness_checklist.models.base import ChunkClassifier, Output, TextOutput
from fairness_checklist.models.batches_without_padding import Kept
from fairness_checklist.models.token_predictions import TagOutput

_DISK_ERRORS = (sqlite3.SQLITE_IOERR, sqlite3.SQLITE_FULL)
APPLICATION, SCHEMA = 0x46434B4C, 3
"""What SQLite calls the application and the version of the file."""


@dataclass(frozen=True, eq=False)
class StoredRows(Generic[Output]):
    """Where one kind of answers is kept, a row a text."""

    name: str  # the table
    columns: Mapping[str, str]  # its columns behind model and text, with their types
    to_row: Callable[[Output], tuple[object, ...]]  # converts the output for one text to a row of these columns
    from_row: Callable[[tuple[Any, ...]], Output]  # converts a row to the output for one text

    def statement(self) -> str:
        columns = ", ".join(f"{name} {kind} NOT NULL" for name, kind in self.columns.items())
        return (
            f"CREATE TABLE IF NOT EXISTS {self.name} (model TEXT NOT NULL, text BLOB NOT NULL, {columns}, "
            "PRIMARY KEY (model, text)) WITHOUT ROWID"
        )


def _text_row(output: TextOutput) -> tuple[object, ...]:
    p = output.probabilities
    whole = b"" if p is None else p.astype("<f8").tobytes()
    return whole, output.predicted, int(output.truncated), json.dumps(dict(output.scores))


def _text_output(row: tuple[Any, ...]) -> TextOutput:
    probabilities, predicted, truncated, scores = row
    p = np.frombuffer(probabilities, dtype="<f8").astype(np.float64) if probabilities else None
    return TextOutput(p, predicted, bool(truncated), json.loads(scores))


def _tag_row(output: TagOutput) -> tuple[object, ...]:
    p = output.probabilities
    return (
        output.n_words,
        -1 if p is None else p.shape[1],
        b"" if p is None else p.astype("<f8").tobytes(),
        output.spans.astype("<i8").tobytes(),
        *map(int, (output.repaired, output.split, output.left_out)),
    )


def _tag_output(row: tuple[Any, ...]) -> TagOutput:
    n_words, n_classes, matrix, spans, repaired, split, left_out = row
    values = np.frombuffer(matrix, dtype="<f8").astype(np.float64)
    return TagOutput(
        n_words,
        np.frombuffer(spans, dtype="<i8").astype(np.int64).reshape(-1, 3),
        None if n_classes < 0 else values.reshape(n_words, n_classes),
        repaired=repaired,
        split=bool(split),
        left_out=left_out,
    )


PREDICTIONS: StoredRows[TextOutput] = StoredRows(
    "predictions",
    {"probabilities": "BLOB", "predicted": "INTEGER", "cut": "INTEGER", "scores": "TEXT"},
    _text_row,
    _text_output,
)
TAGGINGS: StoredRows[TagOutput] = StoredRows(
    "taggings",
    {"words": "INTEGER", "classes": "INTEGER", "probabilities": "BLOB", "spans": "BLOB"}
    | dict.fromkeys(("repaired", "split", "left_out"), "INTEGER"),
    _tag_row,
    _tag_output,
)


def text_hash(text: str) -> bytes:
    """sha256 of a text, under which its row is kept."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


def opened_store(path: Path, fingerprint: str, *, tags: bool) -> AbstractContextManager[Kept[Any]]:
    table: StoredRows[Any] = TAGGINGS if tags else PREDICTIONS
    return closing(_Store(path, fingerprint, table))


def without_stored(model: ChunkClassifier, texts: Collection[str], store: Path) -> set[str]:
    """The texts of which a file has no prediction of a model."""
    different = sorted(set(texts))
    with closing(_Store(store, str(getattr(model, "fingerprint", "")), PREDICTIONS)) as kept:
        return set(different) - kept.read(different).keys()


class _Store(Generic[Output]):
    """The file of a store, which is made when the first chunk is written; several processes may use it at once."""

    def __init__(self, path: Path, fingerprint: str, table: StoredRows[Output]) -> None:
        self.path, self.fingerprint, self.table = path, fingerprint, table
        self.database: sqlite3.Connection | None = None

    @contextmanager
    def connection(self, *, create: bool) -> Iterator[sqlite3.Connection | None]:
        """The open file; None where there is none and it is not to be made."""
        try:
            if self.database is None and (create or self.path.exists()):
                self.path.parent.mkdir(parents=True, exist_ok=True)
                self.database = sqlite3.connect(self.path, timeout=60)
                _create_tables(self.database, self.path)
            yield self.database
        except sqlite3.Error as error:
            if getattr(error, "sqlite_errorcode", 0) & 0xFF in _DISK_ERRORS:
                raise PredictionError(
                    f"no more predictions can be stored: {error}.",
                    place=str(self.path),
                    remedy="Free some space, raise the limit on the size of a file (ulimit -f), or name another place.",
                ) from error
            raise TableError(
                f"the store of predictions cannot be used: {error}.",
                place=str(self.path),
                remedy="Give another file; or delete this one, and all texts are scored again.",
            ) from error

    def read(self, texts: list[str]) -> dict[str, Output]:
        """The outputs that are kept for some of the texts of a chunk."""
        text_of, table = {text_hash(text): text for text in texts}, self.table
        stored: dict[str, Output] = {}
        keys = list(text_of)
        for start in range(0, len(keys), 500):
            batch = keys[start : start + 500]
            marks, columns = ",".join("?" * len(batch)), ", ".join(table.columns)
            query = f"SELECT text, {columns} FROM {table.name} WHERE model = ? AND text IN ({marks})"
            with self.connection(create=False) as database:
                for key, *row in database.execute(query, [self.fingerprint, *batch]) if database else ():
                    stored[text_of[key]] = table.from_row(tuple(row))
        return stored

    def write(self, outputs: Mapping[str, Output]) -> None:
        """Keep the outputs for some texts: one transaction, so that they are there whole or not at all."""
        marks = ", ".join("?" * (2 + len(self.table.columns)))
        rows = [(self.fingerprint, text_hash(text), *self.table.to_row(output)) for text, output in outputs.items()]
        with self.connection(create=True) as opened:
            database = cast(sqlite3.Connection, opened)
            with database:
                database.executemany(f"INSERT OR REPLACE INTO {self.table.name} VALUES ({marks})", rows)

    def close(self) -> None:
        if self.database is not None:
            self.database.close()


def _create_tables(database: sqlite3.Connection, path: Path) -> None:
    """Make the tables, or check that the file is a store of this version: one transaction, which waits for others."""
    database.execute("BEGIN IMMEDIATE")
    with database:
        tables = database.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        version = tuple(database.execute(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "user_version"))
        if tables and version != (APPLICATION, SCHEMA):
            raise TableError(
                "the file is not a store of predictions of this version.", place=str(path), remedy="Give another file."
            )
        database.execute(f"PRAGMA application_id = {APPLICATION}")
        database.execute(f"PRAGMA user_version = {SCHEMA}")
        for table in (PREDICTIONS, TAGGINGS):
            database.execute(table.statement())
