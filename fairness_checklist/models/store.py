"""A store of predictions, so that an interrupted run can be continued."""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, BinaryIO, Generic, cast, overload

import numpy as np

from fairness_checklist.core.errors import OptionError, PredictionError, TableError
from fairness_checklist.core.predictions import Predictions, TokenPredictions
from fairness_checklist.core.tagging import Spans
from fairness_checklist.models.base import ChunkClassifier, Classifier, ClassifierOutput, Tagger, predict_with_checks
from fairness_checklist.models.batching import Output, predict_by_chunk
from fairness_checklist.models.failing_texts import ObjectClassifier
from fairness_checklist.models.store_contents import APPLICATION, MODELS, SCHEMA, remember_model
from fairness_checklist.models.token_predictions import ChunkTagger, TaggerOutput, tag_by_chunk


@dataclass(frozen=True, eq=False)
class _Table(Generic[Output]):
    """Where one kind of answers is kept, a row a text.

    Attributes:
        name: the table.
        columns: its columns behind model and text, with their types.
        to_rows: converts the output for some texts to rows of these columns.
        from_row: converts a row to the output for one text.
    """

    name: str
    columns: Mapping[str, str]
    to_rows: Callable[[Output], Iterable[tuple[object, ...]]]
    from_row: Callable[[tuple[Any, ...]], Output]

    def statement(self) -> str:
        """The SQL statement that creates the table."""
        columns = ", ".join(f"{name} {kind} NOT NULL" for name, kind in self.columns.items())
        return (
            f"CREATE TABLE IF NOT EXISTS {self.name} (model TEXT NOT NULL, text BLOB NOT NULL, {columns}, "
            "PRIMARY KEY (model, text)) WITHOUT ROWID"
        )


def _classifier_rows(scored: ClassifierOutput) -> Iterator[tuple[object, ...]]:
    for at in range(len(scored.predicted)):
        scores = {name: float(column[at]) for name, column in scored.scores.items()}
        yield (
            b"" if scored.probabilities is None else scored.probabilities[at].astype("<f8").tobytes(),
            int(scored.predicted[at]),
            int(scored.truncated[at]),
            json.dumps(scores),
        )


def _classifier_output(row: tuple[Any, ...]) -> ClassifierOutput:
    probabilities, predicted, truncated, scores = row
    return ClassifierOutput(
        np.frombuffer(probabilities, dtype="<f8").astype(np.float64).reshape(1, -1) if probabilities else None,
        np.array([predicted], dtype=np.int64),
        np.array([truncated], dtype=np.bool_),
        {name: np.array([value], dtype=np.float64) for name, value in json.loads(scores).items()},
    )


def _tagger_rows(tagged: TaggerOutput) -> Iterator[tuple[object, ...]]:
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


def _tagger_output(row: tuple[Any, ...]) -> TaggerOutput:
    n_words, n_classes, matrix, spans, repaired, split, left_out = row
    start, end, kind = np.frombuffer(spans, dtype="<i8").astype(np.int64).reshape(-1, 3).T
    values = np.frombuffer(matrix, dtype="<f8").astype(np.float64)
    return TaggerOutput(
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
    _classifier_rows,
    _classifier_output,
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
    _tagger_rows,
    _tagger_output,
)

TABLES: tuple[_Table[Any], ...] = (PREDICTIONS, TAGGINGS)


@overload
def predict_with_store(
    model: Classifier, texts: Sequence[str], store: Path | str | None, *, progress: bool = ..., keep_going: bool = ...
) -> Predictions: ...
@overload
def predict_with_store(
    model: Tagger, texts: Sequence[str], store: Path | str | None, *, progress: bool = ..., keep_going: bool = ...
) -> TokenPredictions: ...
def predict_with_store(
    model: Classifier | Tagger,
    texts: Sequence[str],
    store: Path | str | None,
    *,
    progress: bool = False,
    keep_going: bool = False,
) -> Predictions | TokenPredictions:
    """``model.predict(texts)`` with a store: stored predictions are reused, and each new chunk is stored at once.

    The file is SQLite and holds hashes of texts, probabilities and decisions, under a hash of the model: another model,
    other weights or other labels find nothing in it. Several processes may use it at once. A run that was killed and is
    started again gives the same bytes as one that was not. Of models that cannot be identified (a function without
    ``name=``) nothing is kept.

    Args:
        model: the model.
        texts: n texts.
        store: the file, made with the first predictions where it is missing; None keeps nothing.
        progress: show a bar, where there is a terminal.
        keep_going: a model that fails on some texts is an error only where these are too many, see `FailingTexts`; the
            texts are ``failed`` in what comes back, and nothing is stored for them.

    Raises:
        TableError: the file is no store of predictions.

    >>> import tempfile
    >>> from fairness_checklist.models.callables import FunctionClassifier
    >>> calls = []
    >>> def always(texts):
    ...     calls.extend(texts)
    ...     return [[0.25, 0.75]] * len(texts)
    >>> model = FunctionClassifier(always, ("negative", "positive"), classes=("negative", "positive"), name="always")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for _ in range(2):
    ...         _ = predict_with_store(model, ["Anna is here."], Path(folder) / "predictions.sqlite")
    >>> calls
    ['Anna is here.']
    """
    fingerprint: str = getattr(model, "fingerprint", "")
    if not hasattr(model, "score"):
        return _predict_at_once(model, texts, progress, keep_going)
    if store is None or not fingerprint:
        if not keep_going:
            return model.predict(texts, progress=progress)
        if hasattr(model, "finish"):
            return tag_by_chunk(cast(ChunkTagger, model), texts, progress=progress, keep_going=True)
        return predict_by_chunk(cast(ChunkClassifier, model), texts, progress=progress, keep_going=True)
    with closing(_Store(Path(store), str(getattr(model, "name", "")))) as opened:
        if hasattr(model, "finish"):
            read, write = _reader_and_writer(opened, TAGGINGS, fingerprint)
            return tag_by_chunk(
                cast(ChunkTagger, model), texts, progress=progress, read=read, write=write, keep_going=keep_going
            )
        get, put = _reader_and_writer(opened, PREDICTIONS, fingerprint)
        return predict_by_chunk(
            cast(ChunkClassifier, model), texts, progress=progress, read=get, write=put, keep_going=keep_going
        )


def _predict_at_once(
    model: Classifier | Tagger, texts: Sequence[str], progress: bool, keep_going: bool
) -> Predictions | TokenPredictions:
    """The predictions of a user's own model for all texts; where it fails, chunk by chunk as of other classifiers."""
    try:
        return predict_with_checks(model, texts, progress=progress)
    except PredictionError:
        classes = tuple(getattr(model, "classes", ()))
        if not keep_going or hasattr(model, "types") or not classes:
            raise
    return predict_by_chunk(ObjectClassifier(model, classes), texts, progress=progress, keep_going=True)


class _Store:
    """The file of a store, which is made when the first chunk is written; several processes may use it at once."""

    def __init__(self, path: Path, name: str) -> None:
        self.path = path
        self.name = name  # of the model
        self.database: sqlite3.Connection | None = None

    @contextmanager
    def connection(self, *, create: bool) -> Iterator[sqlite3.Connection | None]:
        """The open file; None where there is none and it is not to be made.

        Raises:
            TableError: the file is no store, or cannot be used.
        """
        try:
            if self.database is None and (create or self.path.exists()):
                self.path.parent.mkdir(parents=True, exist_ok=True)
                self.database = sqlite3.connect(self.path, timeout=60)
                _create_tables(self.database, self.path)
            yield self.database
        except sqlite3.Error as error:
            raise TableError(
                f"the store of predictions cannot be used: {error}.",
                place=str(self.path),
                remedy="Give another file; or delete this one, and all texts are scored again.",
            ) from error

    def close(self) -> None:
        """Close the file, where it is open."""
        if self.database is not None:
            self.database.close()


def _create_tables(database: sqlite3.Connection, path: Path) -> None:
    """Make the tables, or check that the file is a store of this version: one transaction, which waits for others."""
    database.execute("BEGIN IMMEDIATE")
    with database:
        application = database.execute("PRAGMA application_id").fetchone()[0]
        version = database.execute("PRAGMA user_version").fetchone()[0]
        tables = database.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        if tables and (application, version) != (APPLICATION, SCHEMA):
            raise TableError(
                "the file is not a store of predictions of this version.", place=str(path), remedy="Give another file."
            )
        database.execute(f"PRAGMA application_id = {APPLICATION}")
        database.execute(f"PRAGMA user_version = {SCHEMA}")
        for table in TABLES:
            database.execute(table.statement())
        database.execute(MODELS)


@contextmanager
def exclusive_writer(out: Path) -> Iterator[None]:
    """Exclude other processes from an output: a file ``.NAME.lock`` next to it is locked, and deleted at the end.

    The lock goes with the process that holds it, however that ends.

    Raises:
        OptionError: another process holds it (the error names it, and since when), or no file can be made there.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> with exclusive_writer(folder / "run"):
    ...     [path.name for path in folder.iterdir()]
    ['.run.lock']
    >>> list(folder.iterdir())
    []
    """
    path = out.parent / f".{out.name}.lock"
    missing = [folder for folder in path.parents if not folder.exists()]
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        lock = _try_lock(path)
    except OSError as error:
        raise OptionError(
            f"{out} cannot be written: {error.strerror}.", remedy="Name a place where files can be made."
        ) from error
    if lock is None:
        raise OptionError(
            f"another process writes {out}: {_lock_holder(path)}.",
            remedy="Wait until it has ended, or name another place.",
            command_remedy="Wait until it has ended, or name another place (--out).",
        )
    try:
        lock.write(f"pid {os.getpid()}, since {datetime.now().astimezone():%Y-%m-%d %H:%M:%S %z}".encode())
        lock.flush()
        yield
    finally:
        if sys.platform == "win32":  # an open file cannot be deleted there
            lock.close()
        with suppress(OSError):
            path.unlink()
        lock.close()
        for folder in missing:
            with suppress(OSError):  # there is something in it
                folder.rmdir()


def _try_lock(path: Path) -> BinaryIO | None:
    """The file, locked by this process and empty; None where another process has the lock."""
    while True:
        lock = path.open("a+b")
        try:
            if sys.platform == "win32":
                import msvcrt

                lock.seek(1 << 20)  # locked bytes cannot be read there
                msvcrt.locking(lock.fileno(), msvcrt.LK_NBLCK, 1)
            else:
                import fcntl

                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except (BlockingIOError, PermissionError):
            lock.close()
            return None
        except OSError:  # a file system without locks
            return lock
        with suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(lock.fileno()), path.stat()):
                lock.truncate(0)
                return lock
        lock.close()  # its holder deleted it just now


def _lock_holder(path: Path) -> str:
    """The description that the process with the lock has written."""
    for _ in range(20):
        with suppress(OSError):
            output = path.read_text(encoding="utf-8")
            if output:
                return output
        time.sleep(0.05)  # it has the lock and has not written yet
    return "it does not say which"


def _text_hash(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


def _reader_and_writer(
    store: _Store, table: _Table[Output], model: str
) -> tuple[Callable[[list[str]], list[Output | None]], Callable[[list[str], Output], None]]:
    """The functions that read the stored outputs for a chunk, and write new ones."""

    def read(chunk: list[str]) -> list[Output | None]:
        keys = [_text_hash(text) for text in chunk]
        found: dict[bytes, Output] = {}
        for start in range(0, len(keys), 500):
            some = keys[start : start + 500]
            marks = ",".join("?" * len(some))
            columns = ", ".join(table.columns)
            query = f"SELECT text, {columns} FROM {table.name} WHERE model = ? AND text IN ({marks})"
            with store.connection(create=False) as database:
                for text, *row in database.execute(query, [model, *some]) if database else ():
                    found[text] = table.from_row(tuple(row))
        return [found.get(key) for key in keys]

    def write(chunk: list[str], answer: Output) -> None:
        """One transaction a chunk: it is there whole or not at all."""
        marks = ", ".join("?" * (2 + len(table.columns)))
        rows = zip(chunk, table.to_rows(answer), strict=True)
        with store.connection(create=True) as database, cast(sqlite3.Connection, database):
            remember_model(cast(sqlite3.Connection, database), model, store.name)
            cast(sqlite3.Connection, database).executemany(
                f"INSERT OR REPLACE INTO {table.name} VALUES ({marks})",
                [(model, _text_hash(text), *row) for text, row in rows],
            )

    return read, write
