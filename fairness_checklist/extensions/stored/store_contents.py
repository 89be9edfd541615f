"""What a store of predictions holds, by model, and how to delete some of it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

from fairness_checklist.core.errors import OptionError, TableError, count, first_ten
from fairness_checklist.core.keywords import checks_keywords

APPLICATION, SCHEMA = 0x46434B4C, 2
"""What SQLite calls the application and the version of the file."""
MODELS = (
    "CREATE TABLE IF NOT EXISTS models (model TEXT PRIMARY KEY, name TEXT NOT NULL, first TEXT NOT NULL, "
    "last TEXT NOT NULL) WITHOUT ROWID"
)
"""The statement that creates the table of models: the names and dates that the tables of predictions do not have."""
_KINDS = {"predictions": "length(probabilities) + length(scores)", "taggings": "length(probabilities) + length(spans)"}


@dataclass(frozen=True)
class StoredModel:
    """The predictions of one model in a store.

    Attributes:
        fingerprint: the hash under which they are kept.
        name: the model's name; "" of a store that was written before names were kept.
        texts: how many texts it was asked about.
        size: the bytes of their hashes and predictions.
        first, last: the dates of the first and the last prediction, "2026-05-31" (UTC); "" where unknown.
    """

    fingerprint: str
    name: str
    texts: int
    size: int
    first: str
    last: str

    def is_named(self, model: str) -> bool:
        """Whether a user means this model by its name, or by the beginning of its hash."""
        return self.name == model or (len(model) >= 4 and self.fingerprint.startswith(model))


def remember_model(database: sqlite3.Connection, fingerprint: str, name: str) -> None:
    """Note in a transaction that predictions of a model are written now."""
    today = _today().isoformat()
    database.execute(
        "INSERT INTO models VALUES (?, ?, ?, ?) ON CONFLICT (model) DO UPDATE SET name = excluded.name, "
        "last = excluded.last",
        (fingerprint, name, today, today),
    )


@checks_keywords
def stored_models(path: Path | str) -> tuple[StoredModel, ...]:
    """The models whose predictions a store holds, the last used one first; none where there is no file.

    Args:
        path: the store, a file of SQLite.

    Raises:
        TableError: the file is no store of predictions.

    >>> import tempfile
    >>> from fairness_checklist.models.load import load_model
    >>> from fairness_checklist.models.predicting import predict_with_store
    >>> model = load_model(lambda texts: [0.75] * len(texts), name="mine")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     store = Path(folder) / "predictions.sqlite"
    ...     _ = predict_with_store(model, ["Anna is here.", "Ben is here."], store)
    ...     [(stored.name, stored.texts) for stored in stored_models(store)]
    [('mine', 2)]
    """
    if not Path(path).exists():
        return ()
    with _opened(Path(path)) as database:
        return _models(database)


@checks_keywords
def prune_store(
    path: Path | str, *, older_than: int | None = None, model: str | None = None
) -> tuple[StoredModel, ...]:
    """Delete the predictions of some models from a store, and give the space back.

    Several processes may use the store meanwhile: one that needs a deleted prediction asks the model again.

    Args:
        path: the store.
        older_than: models whose last prediction is more than so many days old; those without a date are kept.
        model: the name of a model, or the beginning of its hash, of four characters or more. With both, models that
            meet both.

    Returns:
        what was deleted.

    Raises:
        OptionError: neither is given; no model has this name or hash; a negative number of days.
        TableError: there is no such file, or it is no store of predictions.

    >>> prune_store("predictions.sqlite")
    Traceback (most recent call last):
    fairness_checklist.core.errors.OptionError: nothing says what to delete.
        Give older_than= (days) or model=.
    """
    if older_than is None and model is None:
        raise OptionError("nothing says what to delete.", remedy="Give older_than= (days) or model=.")
    if older_than is not None and older_than < 0:
        raise OptionError(f"older_than={older_than} is out of range; expected days, 0 or more.")
    if not Path(path).exists():
        raise TableError("there is no such store of predictions.", place=str(path))
    with _opened(Path(path)) as database:
        database.execute("BEGIN IMMEDIATE")
        with database:
            known = _models(database)
            chosen = tuple(stored for stored in known if model is None or stored.is_named(model))
            if model is not None and not chosen:
                names = first_ten(dict.fromkeys(stored.name or stored.fingerprint[:12] for stored in known))
                raise OptionError(
                    f"the store holds no predictions of {model!r}.", remedy=f"It holds those of {names or 'no model'}."
                )
            if older_than is not None:
                limit = (_today() - timedelta(days=older_than)).isoformat()
                chosen = tuple(stored for stored in chosen if stored.last and stored.last < limit)
            for stored in chosen:
                for table in (*_KINDS, "models")[: 3 if stored.last else 2]:
                    database.execute(f"DELETE FROM {table} WHERE model = ?", (stored.fingerprint,))
        if chosen:
            database.execute("VACUUM")
    return chosen


def store_text(path: Path | str, models: tuple[StoredModel, ...]) -> str:
    """The contents of a store in lines."""
    total = f"{count(sum(model.texts for model in models), 'text')}, {_size(sum(model.size for model in models))}"
    lines = [f"{path}: {count(len(models), 'model')}, {total}"]
    for model in models:
        dates = f"{model.first} to {model.last}" if model.first != model.last else model.last
        names = (model.name or "(no name)", model.fingerprint[:12])
        cells = (*names, count(model.texts, "text"), _size(model.size), dates)
        lines.append("  ".join(cell for cell in cells if cell))
    return "\n".join(lines)


def _size(n: int) -> str:
    for unit, limit in (("B", 1e3), ("kB", 1e6), ("MB", 1e9)):
        if n < limit:
            return f"{n} B" if unit == "B" else f"{n / limit * 1e3:.1f} {unit}"
    return f"{n / 1e9:.1f} GB"


def _today() -> date:
    return datetime.now(UTC).date()


def _models(database: sqlite3.Connection) -> tuple[StoredModel, ...]:
    tables = {row[0] for row in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    known = {row[0]: row[1:] for row in database.execute("SELECT * FROM models")} if "models" in tables else {}
    sizes: dict[str, tuple[int, int]] = {}
    for table, size in _KINDS.items() if tables else ():  # none where a process was killed when it made the file
        query = f"SELECT model, count(*), sum(length(text) + {size}) FROM {table} GROUP BY model"
        for fingerprint, texts, stored in database.execute(query):
            before = sizes.get(fingerprint, (0, 0))
            sizes[fingerprint] = (before[0] + texts, before[1] + int(stored))
    models = []
    for fingerprint, (texts, size_in_bytes) in sizes.items():
        name, first, last = known.get(fingerprint, ("", "", ""))
        models.append(
            StoredModel(fingerprint=fingerprint, name=name, texts=texts, size=size_in_bytes, first=first, last=last)
        )
    by_name = sorted(models, key=lambda model: (model.name, model.fingerprint))
    return tuple(sorted(by_name, key=lambda model: model.last, reverse=True))


def check_version(database: sqlite3.Connection, path: Path, remedy: str = "") -> None:
    """Raise `TableError` unless a file of SQLite is empty, or a store of this version."""
    tables = database.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    version = tuple(database.execute(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "user_version"))
    if tables and version != (APPLICATION, SCHEMA):
        raise TableError("the file is not a store of predictions of this version.", place=str(path), remedy=remedy)


@contextmanager
def _opened(path: Path) -> Iterator[sqlite3.Connection]:
    try:
        with closing(sqlite3.connect(path, timeout=60, isolation_level=None)) as database:
            check_version(database, path)
            yield database
    except sqlite3.Error as error:
        raise TableError(f"the store of predictions cannot be used: {error}.", place=str(path)) from error
