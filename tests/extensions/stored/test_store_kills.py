"""A store of predictions survives every kill."""

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

import fairness_checklist as fc


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

    return fc.load_model(function, classes=["negative", "positive"], name=name, batch_size=10)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")
@pytest.mark.skipif(sys.version_info >= (3, 12), reason="a fork of a process with threads is a warning there")
def test_twenty_kills_at_random_moments(tmp_path: Path) -> None:
    """Each run goes on where the one before was killed; the last ends with the same files as one that was not."""
    suite = fc.Suite.build("gender", groups=["women", "men"], max_terms=3, templates="generic-0[0-2]*")
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
        with closing(sqlite3.connect(path)) as database:
            tables = database.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
            counts.append(database.execute("SELECT count(*) FROM predictions").fetchone()[0] if tables else 0)
        if (tmp_path / "run").exists():  # whole or not there at all
            assert content_of(tmp_path / "run") == content_of(alone)
    assert counts == sorted(counts)  # nothing is lost
    assert len(set(counts)) > 1  # at different moments
    n_texts = len(set(suite.texts()))  # those of control words come after them
    assert all(n % 10 == 0 or n >= n_texts for n in counts)  # a chunk is there whole or not at all
    assert any(0 < n < n_texts for n in counts)
    assert content_of(run("killed", path)) == content_of(alone)


def content_of(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}
