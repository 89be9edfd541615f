"""A store of predictions, so that an interrupted run can be continued; and shares of a job for several machines."""

from __future__ import annotations

import os
import re
import sqlite3
import sys
import time
from collections.abc import Collection, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import Any, BinaryIO, Generic, cast, overload

from fairness_checklist.core.errors import EndpointError, OptionError, PredictionError, TableError
from fairness_checklist.core.predictions import Predictions, TokenPredictions
from fairness_checklist.models.base import ChunkClassifier, Classifier, Output, Tagger, predict_with_checks
from fairness_checklist.models.batching import Kept, check_texts, cut_chunks, predict_by_chunk, unique_texts
from fairness_checklist.models.failing_texts import ObjectClassifier
from fairness_checklist.models.stored.store_contents import APPLICATION, MODELS, SCHEMA, check_version, remember_model
from fairness_checklist.models.stored.stored_rows import (
    ENDING,
    PREDICTIONS,
    TAGGINGS,
    ChunkFolder,
    StoredRows,
    text_hash,
)
from fairness_checklist.models.token_predictions import ChunkTagger, tag_by_chunk

Shard = tuple[int, int]
"""The number of a share of the chunks of a job, from 1, and how many shares there are."""


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
    """
    fingerprint: str = getattr(model, "fingerprint", "")
    if not hasattr(model, "score"):
        return _predict_at_once(model, texts, progress, keep_going)
    if (store is None or not fingerprint) and not keep_going:
        return model.predict(texts, progress=progress)
    table: StoredRows[Any] = TAGGINGS if hasattr(model, "finish") else PREDICTIONS
    kept: Kept[Any] | None = None
    with ExitStack() as stack:
        if store is not None and fingerprint:
            if Path(store).is_dir() or Path(store).suffix == ENDING:
                kept = ChunkFolder(Path(store), fingerprint, table)
            else:
                file = _Store(Path(store), fingerprint, table, str(getattr(model, "name", "")))
                kept = stack.enter_context(closing(file))
        if table is TAGGINGS:
            return tag_by_chunk(cast(ChunkTagger, model), texts, progress=progress, kept=kept, keep_going=keep_going)
        classifier = cast(ChunkClassifier, model)
        return predict_by_chunk(classifier, texts, progress=progress, kept=kept, keep_going=keep_going)


def without_stored(model: ChunkClassifier, texts: Collection[str], store: Path) -> set[str]:
    """The texts of which a file has no prediction of a model."""
    different = sorted(set(texts))
    with closing(_Store(store, str(getattr(model, "fingerprint", "")), PREDICTIONS)) as kept:
        stored = kept.read(different)
    return {text for text, entry in zip(different, stored, strict=True) if entry is None}


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


class _Store(Generic[Output]):
    """The file of a store, which is made when the first chunk is written; several processes may use it at once."""

    def __init__(self, path: Path, fingerprint: str, table: StoredRows[Output], name: str = "") -> None:
        self.path, self.fingerprint, self.table, self.name = path, fingerprint, table, name
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
            raise TableError(
                f"the store of predictions cannot be used: {error}.",
                place=str(self.path),
                remedy="Give another file; or delete this one, and all texts are scored again.",
            ) from error

    def read(self, texts: list[str]) -> list[Output | None]:
        """The output for each text of a chunk, None where it is not kept."""
        keys, table = [text_hash(text) for text in texts], self.table
        stored: dict[bytes, Output] = {}
        for start in range(0, len(keys), 500):
            some = keys[start : start + 500]
            marks = ",".join("?" * len(some))
            columns = ", ".join(table.columns)
            query = f"SELECT text, {columns} FROM {table.name} WHERE model = ? AND text IN ({marks})"
            with self.connection(create=False) as database:
                for text, *row in database.execute(query, [self.fingerprint, *some]) if database else ():
                    stored[text] = table.from_row(tuple(row))
        return [stored.get(key) for key in keys]

    def write(self, chunk: list[str], texts: list[str], output: Output) -> None:
        """Keep the output for some texts of a chunk: one transaction, so that it is there whole or not at all."""
        marks = ", ".join("?" * (2 + len(self.table.columns)))
        rows = zip(texts, self.table.to_rows(output), strict=True)
        with self.connection(create=True) as opened:
            database = cast(sqlite3.Connection, opened)
            with database:
                remember_model(database, self.fingerprint, self.name)
                database.executemany(
                    f"INSERT OR REPLACE INTO {self.table.name} VALUES ({marks})",
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
        check_version(database, path, remedy="Give another file.")
        database.execute(f"PRAGMA application_id = {APPLICATION}")
        database.execute(f"PRAGMA user_version = {SCHEMA}")
        for table in (PREDICTIONS, TAGGINGS):
            database.execute(table.statement())
        database.execute(MODELS)


def read_shard(text: str) -> Shard:
    """The number of a shard, from 1, and how many there are."""
    parts = re.fullmatch(r"\s*(\d{1,9})\s*/\s*(\d{1,9})\s*", text)
    if not parts:
        raise OptionError(f"shard={text!r} is not a shard.", remedy='Write i/n, such as "1/4" for the first of four.')
    return check_shard((int(parts[1]), int(parts[2])))


def check_shard(shard: Shard) -> Shard:
    """The shard.

    >>> check_shard((5, 4))
    Traceback (most recent call last):
    fairness_checklist.core.errors.OptionError: there is no shard 5 of 4; expected 1 to 4.
    """
    number, n = shard
    if not 1 <= number <= n:
        raise OptionError(f"there is no shard {number:,} of {n:,}; expected 1 to {n:,}.")
    return shard


def score_shard(
    model: Classifier | Tagger, texts: Sequence[str], folder: str | Path, shard: Shard, *, progress: bool = False
) -> tuple[int, int]:
    """Score every n-th chunk of the different texts into a folder; how many were scored now, and how many there are.

    The chunks are the same whatever the order of the texts is, and so are their bytes: `predict_with_store` with the
    folder as its store merges the shards, in any order, and scores what is missing. That includes texts that the model
    failed on, which may be one in ten of the texts of a shard, see `FailingTexts`. Chunks that are there are left.
    """
    number, n = check_shard(shard)
    fingerprint: str = getattr(model, "fingerprint", "")
    if not fingerprint or not hasattr(model, "score"):
        raise OptionError(
            "the model cannot be identified, so that no chunk can be kept for it.",
            remedy="Give a function a name: load_model(function, name=...).",
        )
    check_texts(texts)
    files = ChunkFolder(Path(folder), fingerprint, PREDICTIONS)
    files.folder.mkdir(parents=True, exist_ok=True)
    size: int = getattr(model, "chunk_size", 1)
    chunks = cut_chunks(unique_texts(texts)[0], size)[number - 1 :: n]
    missing = sum(not files.has(chunk) for chunk in chunks)
    # In canonical order these texts are cut into the same chunks again: only the last one of all may be shorter.
    of_shard = [text for chunk in chunks for text in chunk]
    predict_with_store(model, of_shard, files.folder, progress=progress, keep_going=True)
    return missing, len(chunks)


@contextmanager
def exclusive_writer(out: Path) -> Iterator[None]:
    """Exclude other processes from an output: a file ``.NAME.lock`` next to it is locked, and deleted at the end.

    The lock goes with the process that holds it, however that ends.
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
