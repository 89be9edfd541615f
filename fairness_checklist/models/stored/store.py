"""A store of predictions, so that an interrupted run can be continued."""

from __future__ import annotations

import os
import sqlite3
import sys
import time
from collections.abc import Collection, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, Protocol, cast, overload

from fairness_checklist.core.errors import EndpointError, OptionError, PredictionError, TableError
from fairness_checklist.core.predictions import Predictions, TokenPredictions
from fairness_checklist.models.base import ChunkClassifier, Classifier, Output, Tagger, predict_with_checks
from fairness_checklist.models.batching import predict_by_chunk
from fairness_checklist.models.failing_texts import ObjectClassifier
from fairness_checklist.models.stored.chunk_folder import ChunkFolder, is_chunk_folder
from fairness_checklist.models.stored.store_contents import APPLICATION, MODELS, SCHEMA, remember_model
from fairness_checklist.models.stored.stored_rows import PREDICTIONS, TAGGINGS, StoredRows, text_hash
from fairness_checklist.models.token_predictions import ChunkTagger, tag_by_chunk

TABLES: tuple[StoredRows[Any], ...] = (PREDICTIONS, TAGGINGS)


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
        store: the file, made with the first predictions where it is missing; or a folder for files of Parquet, one a
            chunk, see `ChunkFolder`; None keeps nothing.
        progress: show a bar, where there is a terminal.
        keep_going: a model that fails on some texts is an error only where these are too many, see `FailingTexts`; the
            texts are ``failed`` in what comes back, and nothing is stored for them.

    Raises:
        TableError: the file is no store of predictions.

    >>> import tempfile
    >>> from fairness_checklist.models.functions.callables import FunctionClassifier
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
    if (store is None or not fingerprint) and not keep_going:
        return model.predict(texts, progress=progress)
    kept: _Kept | None = None
    with ExitStack() as stack:
        if store is not None and fingerprint:
            if is_chunk_folder(store):
                kept = ChunkFolder(Path(store), fingerprint)
            else:
                kept = stack.enter_context(closing(_Store(Path(store), fingerprint, str(getattr(model, "name", "")))))
        if hasattr(model, "finish"):
            return tag_by_chunk(
                cast(ChunkTagger, model),
                texts,
                progress=progress,
                read=None if kept is None else partial(kept.read, TAGGINGS),
                write=None if kept is None else partial(kept.write, TAGGINGS),
                keep_going=keep_going,
            )
        return predict_by_chunk(
            cast(ChunkClassifier, model),
            texts,
            progress=progress,
            read=None if kept is None else partial(kept.read, PREDICTIONS),
            write=None if kept is None else partial(kept.write, PREDICTIONS),
            keep_going=keep_going,
        )


def without_stored(model: ChunkClassifier, texts: Collection[str], store: Path) -> set[str]:
    """The texts of which a file has no prediction of a model.

    Raises:
        TableError: the file is no store of predictions.
    """
    different = sorted(set(texts))
    with closing(_Store(store, str(getattr(model, "fingerprint", "")), "")) as kept:
        found = kept.read(PREDICTIONS, different)
    return {text for text, one in zip(different, found, strict=True) if one is None}


def _predict_at_once(
    model: Classifier | Tagger, texts: Sequence[str], progress: bool, keep_going: bool
) -> Predictions | TokenPredictions:
    """The predictions of a user's own model for all texts; where it fails, chunk by chunk as of other classifiers."""
    try:
        return predict_with_checks(model, texts, progress=progress)
    except EndpointError:
        raise
    except PredictionError:
        classes = tuple(getattr(model, "classes", ()))
        if not keep_going or hasattr(model, "types") or not classes:
            raise
    return predict_by_chunk(ObjectClassifier(model, classes), texts, progress=progress, keep_going=True)


class _Kept(Protocol):
    """Where the outputs of one model are kept."""

    def read(self, table: StoredRows[Output], texts: list[str]) -> list[Output | None]:
        """The output for each text of a chunk, None where it is not kept."""
        ...

    def write(self, table: StoredRows[Output], chunk: list[str], texts: list[str], output: Output) -> None:
        """Keep the output for some texts of a chunk."""
        ...


class _Store:
    """The file of a store, which is made when the first chunk is written; several processes may use it at once.

    Args:
        path: the file.
        fingerprint: the hash of the model.
        name: its name.
    """

    def __init__(self, path: Path, fingerprint: str, name: str) -> None:
        self.path = path
        self.fingerprint = fingerprint
        self.name = name
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

    def read(self, table: StoredRows[Output], texts: list[str]) -> list[Output | None]:
        """The output for each text of a chunk, None where it is not kept."""
        keys = [text_hash(text) for text in texts]
        found: dict[bytes, Output] = {}
        for start in range(0, len(keys), 500):
            some = keys[start : start + 500]
            marks = ",".join("?" * len(some))
            columns = ", ".join(table.columns)
            query = f"SELECT text, {columns} FROM {table.name} WHERE model = ? AND text IN ({marks})"
            with self.connection(create=False) as database:
                for text, *row in database.execute(query, [self.fingerprint, *some]) if database else ():
                    found[text] = table.from_row(tuple(row))
        return [found.get(key) for key in keys]

    def write(self, table: StoredRows[Output], chunk: list[str], texts: list[str], output: Output) -> None:
        """Keep the output for some texts of a chunk: one transaction, so that it is there whole or not at all."""
        marks = ", ".join("?" * (2 + len(table.columns)))
        rows = zip(texts, table.to_rows(output), strict=True)
        with self.connection(create=True) as opened:
            database = cast(sqlite3.Connection, opened)
            with database:
                remember_model(database, self.fingerprint, self.name)
                database.executemany(
                    f"INSERT OR REPLACE INTO {table.name} VALUES ({marks})",
                    [(self.fingerprint, text_hash(text), *row) for text, row in rows],
                )

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
