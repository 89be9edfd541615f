"""What a store of predictions holds, how it is pruned, and that it survives every kill."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import fairness_checklist as fc
from fairness_checklist.cli.app import app
from fairness_checklist.core.errors import OptionError, TableError
from fairness_checklist.extensions.stored.store_contents import prune_store, stored_models
from fairness_checklist.models.load import load_model
from fairness_checklist.models.predicting import predict_with_store

TEXTS = [f"text {at}" for at in range(300)]


def rows(texts: list[str]) -> list[list[float]]:
    return [[1 - hash_of(text), hash_of(text)] for text in texts]


def hash_of(text: str) -> float:
    return sum(map(ord, text)) % 97 / 100


def model(name: str, wait: float = 0.0, calls: int | None = None) -> Any:
    def function(texts: list[str]) -> Any:
        if calls is not None:
            os.write(calls, b".")
        time.sleep(wait)
        return rows(texts)

    return load_model(function, classes=["negative", "positive"], name=name, batch_size=10)


@pytest.fixture
def store(tmp_path: Path) -> Path:
    path = tmp_path / "store.sqlite"
    predict_with_store(model("one"), TEXTS[:20], path)
    predict_with_store(model("two"), TEXTS, path)
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("UPDATE models SET first = '2020-01-01', last = '2020-02-01' WHERE name = 'one'")
    return path


def test_models_texts_sizes_and_dates(store: Path) -> None:
    two, one = stored_models(store)
    assert (one.name, one.texts, one.first, one.last) == ("one", 20, "2020-01-01", "2020-02-01")
    assert (two.name, two.texts) == ("two", 300)
    assert two.size == 300 * (32 + 2 * 8 + 2)  # the hash, two probabilities, no scores
    assert two.first == two.last > "2026"
    assert stored_models(store.parent / "none.sqlite") == ()
    predict_with_store(model("one"), TEXTS[:21], store)
    assert {each.name: each.first for each in stored_models(store)}["one"] == "2020-01-01"
    assert {each.name: each.last for each in stored_models(store)}["one"] == two.last


@pytest.mark.parametrize(
    ("options", "left"),
    [
        ({"older_than": 30}, ["two"]),
        ({"older_than": 100_000}, ["two", "one"]),
        ({"model": "two"}, ["one"]),
        ({"model": "one", "older_than": 100_000}, ["two", "one"]),
    ],
)
def test_pruning(store: Path, options: dict[str, Any], left: list[str]) -> None:
    before = store.stat().st_size
    deleted = prune_store(store, **options)
    assert [one.name for one in stored_models(store)] == left
    assert sorted([*left, *(one.name for one in deleted)]) == ["one", "two"]
    assert (store.stat().st_size < before) == bool(deleted)
    assert np.array_equal(predict_with_store(model("two"), TEXTS, store).probabilities, rows(TEXTS))


def test_a_model_by_its_hash_and_a_store_without_names(store: Path) -> None:
    with closing(sqlite3.connect(store)) as database, database:
        database.execute("DROP TABLE models")  # as an older version wrote it
    found = stored_models(store)
    assert [(one.name, one.last) for one in found] == [("", "")] * 2
    assert prune_store(store, older_than=0) == ()
    assert [one.texts for one in prune_store(store, model=found[0].fingerprint[:12])] == [found[0].texts]


def test_what_cannot_be_pruned(store: Path, tmp_path: Path) -> None:
    with pytest.raises(OptionError) as caught:
        prune_store(store, model="three")
    assert str(caught.value) == "the store holds no predictions of 'three'.\n    It holds those of two, one."
    with pytest.raises(OptionError, match="nothing says what to delete"):
        prune_store(store)
    (tmp_path / "other.sqlite").write_text("x" * 1000)
    with pytest.raises(TableError):
        stored_models(tmp_path / "other.sqlite")
    with pytest.raises(TableError, match="there is no such store"):
        prune_store(tmp_path / "none.sqlite", model="one")


def test_the_verb(store: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    run = CliRunner().invoke
    assert run(app, ["cache", str(store)]).stdout.splitlines()[0] == f"{store}: 2 models, 320 texts, 16.0 kB"
    shown = json.loads(run(app, ["cache", str(store), "--prune", "--older-than", "30", "--json"]).stdout)
    assert [one["name"] for one in shown["models"]] == ["two"]
    assert [one["name"] for one in shown["deleted"]] == ["one"]
    assert "Deleted from" in run(app, ["cache", str(store), "--prune", "--model", "two"]).stdout
    assert isinstance(run(app, ["cache", str(store), "--model", "two"]).exception, OptionError)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert "0 models, 0 texts" in run(app, ["cache"]).stdout


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")
@pytest.mark.skipif(sys.version_info >= (3, 12), reason="a fork of a process with threads is a warning there")
def test_twenty_kills_at_random_moments(tmp_path: Path) -> None:
    """Each run goes on where the one before was killed; the last ends with the same files as one that was not."""
    suite = fc.Suite.build("gender", groups=["women", "men"], max_terms=3, templates="generic-neg-*")
    path, random = tmp_path / "store.sqlite", np.random.default_rng(0)

    def run(name: str, store: Path, wait: float = 0.0, calls: int | None = None) -> Path:
        loaded = model(name, wait, calls)
        suite.run(loaded, draws=0, store=store, progress=False).save(tmp_path / "run", force=True)
        return tmp_path / "run"

    alone = run("killed", tmp_path / "other.sqlite").rename(tmp_path / "alone")
    counts = []
    for at, wait in enumerate(random.uniform(0.001, 0.06, size=20)):
        called, calls = os.pipe()
        child = os.fork()
        if not child:
            run("killed", path, 0.01, calls)
            os._exit(0)
        os.close(calls)
        with os.fdopen(called, "rb") as pipe:
            if at % 2:  # a chunk is stored; else also before there are any
                pipe.read(2)
            time.sleep(wait if at < 14 else 5 * wait)  # in the metrics, or while files are written
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
        counts.append(sum(one.texts for one in stored_models(path)))
        if (tmp_path / "run").exists():  # whole or not there at all
            assert content_of(tmp_path / "run") == content_of(alone)
    assert counts == sorted(counts)  # nothing is lost
    assert len(set(counts)) > 5
    assert all(n % 10 == 0 or n == len(set(suite.texts())) for n in counts)  # a chunk is there whole or not at all
    assert content_of(run("killed", path)) == content_of(alone)


def content_of(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}
