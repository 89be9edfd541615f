"""Predictions that are kept as they come, so that a run which dies goes on where it was."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import cast

import numpy as np

from fairness_checklist.errors import TableError
from fairness_checklist.models.base import ChunkClassifier, Classifier, Scored
from fairness_checklist.models.batching import predict_by_chunk
from fairness_checklist.predictions import Predictions

__all__ = ["predict_with_store"]

SCHEMA = 1
APPLICATION = 0x46434B4C
TABLE = """CREATE TABLE IF NOT EXISTS predictions (
    model TEXT NOT NULL, text BLOB NOT NULL, probabilities BLOB NOT NULL, predicted INTEGER NOT NULL,
    cut INTEGER NOT NULL, PRIMARY KEY (model, text)) WITHOUT ROWID"""


def predict_with_store(
    model: Classifier, texts: Sequence[str], store: Path | str | None, *, progress: bool = False
) -> Predictions:
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
    scorer = cast(ChunkClassifier, model)
    with _opened(Path(store)) as database:

        def read(chunk: list[str]) -> list[Scored | None]:
            return _read(database, fingerprint, chunk)

        def write(chunk: list[str], scored: Scored) -> None:
            _write(database, fingerprint, chunk, scored)

        return predict_by_chunk(scorer, texts, progress=progress, read=read, write=write)


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
                empty = not database.execute("SELECT count(*) FROM predictions").fetchone()[0]
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
        database.execute(TABLE)


def _text_hash(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


def _read(database: sqlite3.Connection, model: str, chunk: list[str]) -> list[Scored | None]:
    keys = [_text_hash(text) for text in chunk]
    found: dict[bytes, Scored] = {}
    for start in range(0, len(keys), 500):
        some = keys[start : start + 500]
        marks = ",".join("?" * len(some))
        query = f"SELECT text, probabilities, predicted, cut FROM predictions WHERE model = ? AND text IN ({marks})"
        for text, probabilities, predicted, cut in database.execute(query, [model, *some]):
            found[text] = Scored(
                np.frombuffer(probabilities, dtype="<f8").astype(np.float64).reshape(1, -1),
                np.array([predicted], dtype=np.int64),
                np.array([cut], dtype=np.bool_),
            )
    return [found.get(key) for key in keys]


def _write(database: sqlite3.Connection, model: str, chunk: list[str], scored: Scored) -> None:
    """One transaction a chunk: it is there whole or not at all."""
    rows = [
        (model, _text_hash(text), row.astype("<f8").tobytes(), int(predicted), int(cut))
        for text, row, predicted, cut in zip(chunk, scored.probabilities, scored.predicted, scored.cut, strict=True)
    ]
    with database:
        database.executemany("INSERT OR REPLACE INTO predictions VALUES (?, ?, ?, ?, ?)", rows)
