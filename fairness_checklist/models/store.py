"""Predictions that are kept as they come, so that a run which dies goes on where it was."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, cast, overload

import numpy as np

from fairness_checklist.errors import TableError
from fairness_checklist.models.base import ChunkClassifier, Classifier, Scored, Tagger
from fairness_checklist.models.batching import Found, predict_by_chunk
from fairness_checklist.models.tagged import ChunkTagger, Tagged, tag_by_chunk
from fairness_checklist.predictions import Predictions, TokenPredictions
from fairness_checklist.tagging import Spans

__all__ = ["predict_with_store"]

SCHEMA = 2
APPLICATION = 0x46434B4C


@dataclass(frozen=True, eq=False)
class _Table(Generic[Found]):
    """Where one kind of answers is kept, a row a text.

    Attributes:
        name: the table.
        columns: its columns behind model and text, with their types.
        to_rows: what a model found in some texts, as rows of these columns.
        from_row: what it found in one text.
    """

    name: str
    columns: Mapping[str, str]
    to_rows: Callable[[Found], Iterable[tuple[object, ...]]]
    from_row: Callable[[tuple[Any, ...]], Found]

    def statement(self) -> str:
        """What makes the table."""
        columns = ", ".join(f"{name} {kind} NOT NULL" for name, kind in self.columns.items())
        return (
            f"CREATE TABLE IF NOT EXISTS {self.name} (model TEXT NOT NULL, text BLOB NOT NULL, {columns}, "
            "PRIMARY KEY (model, text)) WITHOUT ROWID"
        )


def _scored_rows(scored: Scored) -> Iterator[tuple[object, ...]]:
    for at in range(len(scored.predicted)):
        scores = {name: float(column[at]) for name, column in scored.scores.items()}
        yield (
            scored.probabilities[at].astype("<f8").tobytes(),
            int(scored.predicted[at]),
            int(scored.cut[at]),
            json.dumps(scores),
        )


def _scored(row: tuple[Any, ...]) -> Scored:
    probabilities, predicted, cut, scores = row
    return Scored(
        np.frombuffer(probabilities, dtype="<f8").astype(np.float64).reshape(1, -1),
        np.array([predicted], dtype=np.int64),
        np.array([cut], dtype=np.bool_),
        {name: np.array([value], dtype=np.float64) for name, value in json.loads(scores).items()},
    )


def _tagged_rows(tagged: Tagged) -> Iterator[tuple[object, ...]]:
    for at in range(len(tagged.repaired)):
        one = tagged.row(at)
        spans = np.column_stack([one.spans.start, one.spans.end, one.spans.type])
        matrix = one.probabilities
        yield (
            int(one.offset[-1]),
            -1 if matrix is None else matrix.shape[1],
            b"" if matrix is None else matrix.astype("<f8").tobytes(),
            spans.astype("<i8").tobytes(),
            int(one.repaired[0]),
            int(one.split[0]),
            int(one.left_out[0]),
        )


def _tagged(row: tuple[Any, ...]) -> Tagged:
    n_words, n_classes, matrix, spans, repaired, split, left_out = row
    start, end, kind = np.frombuffer(spans, dtype="<i8").astype(np.int64).reshape(-1, 3).T
    values = np.frombuffer(matrix, dtype="<f8").astype(np.float64)
    return Tagged(
        np.array([0, n_words], dtype=np.int64),
        Spans(np.zeros(len(start), dtype=np.int64), start, end, kind),
        np.array([repaired], dtype=np.int64),
        np.array([split], dtype=np.bool_),
        np.array([left_out], dtype=np.int64),
        None if n_classes < 0 else values.reshape(n_words, n_classes),
    )


PREDICTIONS = _Table(
    "predictions",
    {"probabilities": "BLOB", "predicted": "INTEGER", "cut": "INTEGER", "scores": "TEXT"},
    _scored_rows,
    _scored,
)
TAGGINGS = _Table(
    "taggings",
    {
        "words": "INTEGER",
        "classes": "INTEGER",
        "probabilities": "BLOB",
        "spans": "BLOB",
        "repaired": "INTEGER",
        "split": "INTEGER",
        "left_out": "INTEGER",
    },
    _tagged_rows,
    _tagged,
)

TABLES: tuple[_Table[Any], ...] = (PREDICTIONS, TAGGINGS)


@overload
def predict_with_store(
    model: Classifier, texts: Sequence[str], store: Path | str | None, *, progress: bool = False
) -> Predictions: ...
@overload
def predict_with_store(
    model: Tagger, texts: Sequence[str], store: Path | str | None, *, progress: bool = False
) -> TokenPredictions: ...
def predict_with_store(
    model: Classifier | Tagger, texts: Sequence[str], store: Path | str | None, *, progress: bool = False
) -> Predictions | TokenPredictions:
    """``model.predict(texts)``, but what the file knows already is not computed again, and each chunk is kept at once.

    The file is SQLite and holds hashes of texts, probabilities and decisions, under a hash of the model: another model,
    other weights or other labels find nothing in it. A run that was killed and is started again gives the same bytes as
    one that was not. Of models that cannot be identified (a function without ``name=``) nothing is kept.

    Args:
        model: the model.
        texts: n texts.
        store: the file, made where it is missing; None keeps nothing.
        progress: show a bar, where there is a terminal.

    Raises:
        TableError: the file is no store of predictions.

    >>> import tempfile
    >>> from fairness_checklist.models.callables import FunctionClassifier
    >>> asked = []
    >>> def always(texts):
    ...     asked.extend(texts)
    ...     return [[0.25, 0.75]] * len(texts)
    >>> model = FunctionClassifier(always, ("negative", "positive"), classes=("negative", "positive"), name="always")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for _ in range(2):
    ...         _ = predict_with_store(model, ["Anna is here."], Path(folder) / "predictions.sqlite")
    >>> asked
    ['Anna is here.']
    """
    fingerprint: str = getattr(model, "fingerprint", "")
    if store is None or not fingerprint:
        return model.predict(texts, progress=progress)
    with _opened(Path(store)) as database:
        if hasattr(model, "finish"):
            read, write = _access(database, TAGGINGS, fingerprint)
            return tag_by_chunk(cast(ChunkTagger, model), texts, progress=progress, read=read, write=write)
        get, put = _access(database, PREDICTIONS, fingerprint)
        return predict_by_chunk(cast(ChunkClassifier, model), texts, progress=progress, read=get, write=put)


@contextmanager
def _opened(path: Path) -> Iterator[sqlite3.Connection]:
    path.parent.mkdir(parents=True, exist_ok=True)
    empty = False
    try:
        with closing(sqlite3.connect(path, timeout=60)) as database:
            _prepare(database, path)
            try:
                yield database
            finally:
                counts = [f"(SELECT count(*) FROM {table.name})" for table in TABLES]
                empty = not database.execute(f"SELECT {' + '.join(counts)}").fetchone()[0]
    except sqlite3.Error as error:
        raise TableError(
            f"the store of predictions cannot be used: {error}.",
            place=str(path),
            remedy="Give another file; or delete this one, and all texts are scored again.",
        ) from error
    finally:
        if empty:
            path.unlink(missing_ok=True)


def _prepare(database: sqlite3.Connection, path: Path) -> None:
    """Make the table, or see that the file is ours and of this version."""
    application = database.execute("PRAGMA application_id").fetchone()[0]
    version = database.execute("PRAGMA user_version").fetchone()[0]
    tables = database.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    if tables and (application, version) != (APPLICATION, SCHEMA):
        raise TableError(
            "the file is not a store of predictions of this version.", place=str(path), remedy="Give another file."
        )
    with database:
        database.execute(f"PRAGMA application_id = {APPLICATION}")
        database.execute(f"PRAGMA user_version = {SCHEMA}")
        for table in TABLES:
            database.execute(table.statement())


def _text_hash(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


def _access(
    database: sqlite3.Connection, table: _Table[Found], model: str
) -> tuple[Callable[[list[str]], list[Found | None]], Callable[[list[str], Found], None]]:
    """How to read what is known of a chunk, and how to keep what was found in one."""

    def read(chunk: list[str]) -> list[Found | None]:
        keys = [_text_hash(text) for text in chunk]
        found: dict[bytes, Found] = {}
        for start in range(0, len(keys), 500):
            some = keys[start : start + 500]
            marks = ",".join("?" * len(some))
            columns = ", ".join(table.columns)
            query = f"SELECT text, {columns} FROM {table.name} WHERE model = ? AND text IN ({marks})"
            for text, *row in database.execute(query, [model, *some]):
                found[text] = table.from_row(tuple(row))
        return [found.get(key) for key in keys]

    def write(chunk: list[str], answer: Found) -> None:
        """One transaction a chunk: it is there whole or not at all."""
        marks = ", ".join("?" * (2 + len(table.columns)))
        rows = zip(chunk, table.to_rows(answer), strict=True)
        with database:
            database.executemany(
                f"INSERT OR REPLACE INTO {table.name} VALUES ({marks})",
                [(model, _text_hash(text), *row) for text, row in rows],
            )

    return read, write
