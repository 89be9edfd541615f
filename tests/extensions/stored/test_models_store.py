"""Predictions that are kept as they come."""

import re
import resource
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from refusals import refusal
from waiting import PATIENCE

from fairness_checklist.core.errors import OptionError, PredictionError, TableError
from fairness_checklist.extensions.stored import store as store_file
from fairness_checklist.extensions.stored.exclusive_writer import exclusive_writer
from fairness_checklist.extensions.stored.store_of_a_run import control_words_store
from fairness_checklist.models.load import load_model
from fairness_checklist.models.predicting import predict_with_store

TWO = ["negative", "positive"]
TEXTS = [f"Anna is {'very ' * times}happy." for times in range(10)]


class Asked:
    """A function that remembers what it was asked, and can be made to die."""

    def __init__(self, dies_at: int | None = None) -> None:
        self.texts: list[str] = []
        self.dies_at = dies_at

    def __call__(self, texts: list[str]) -> Any:
        if self.dies_at is not None and len(self.texts) >= self.dies_at:
            raise KeyboardInterrupt
        self.texts.extend(texts)
        return [[1 - len(text) / 100, len(text) / 100] for text in texts]


def test_a_run_that_was_killed_goes_on_where_it_was(tmp_path: Path) -> None:
    store = tmp_path / "deep" / "predictions.sqlite"
    dying, second = Asked(dies_at=6), Asked()
    with pytest.raises(KeyboardInterrupt):
        predict_with_store(load_model(dying, name="m", classes=TWO, batch_size=3), TEXTS, store)
    resumed = predict_with_store(load_model(second, name="m", classes=TWO, batch_size=3), TEXTS[::-1], store)
    assert sorted(dying.texts + second.texts) == sorted(TEXTS)
    whole = load_model(Asked(), name="m", classes=TWO).predict(TEXTS[::-1])
    assert resumed.classes == whole.classes
    assert np.asarray(resumed.probabilities).tobytes() == np.asarray(whole.probabilities).tobytes()
    assert resumed.predicted.tolist() == whole.predicted.tolist()


def test_another_name_or_other_classes_find_nothing(tmp_path: Path) -> None:
    store = tmp_path / "predictions.sqlite"
    predict_with_store(load_model(Asked(), name="m", classes=TWO), TEXTS, store)
    several: list[dict[str, Any]] = [{"name": "n", "classes": TWO}, {"name": "m", "classes": TWO[::-1]}]
    for options in several:
        asked = Asked()
        predict_with_store(load_model(asked, **options), TEXTS, store)
        assert len(asked.texts) == len(TEXTS)


def test_neither_wrong_probabilities_nor_a_function_without_a_name_are_kept(tmp_path: Path) -> None:
    store = tmp_path / "predictions.sqlite"
    with pytest.raises(PredictionError):
        predict_with_store(load_model(lambda texts: [[2.0, 2.0]] * len(texts), name="m", classes=TWO), TEXTS, store)
    assert list(tmp_path.iterdir()) == []  # a store of nothing goes
    store = tmp_path / "predictions.sqlite"
    predict_with_store(load_model(Asked(), classes=TWO), TEXTS, store)
    assert not store.exists()
    assert len(predict_with_store(load_model(Asked(), name="m", classes=TWO), TEXTS, None)) == len(TEXTS)


def test_a_file_that_is_no_store_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("no database " * 100)
    assert refusal(TableError, predict_with_store, load_model(Asked(), name="m", classes=TWO), TEXTS, path) == (
        f"{path}: the store of predictions cannot be used: file is not a database.\n"
        "    Give another file; or delete this one, and all texts are scored again."
    )
    assert path.read_text() == "no database " * 100
    path = tmp_path / "other.sqlite"
    database = sqlite3.connect(path)
    database.execute("CREATE TABLE other (a)")
    database.close()
    before = path.read_bytes()
    assert refusal(TableError, predict_with_store, load_model(Asked(), name="m", classes=TWO), TEXTS, path) == (
        f"{path}: the file is not a store of predictions of this version.\n    Give another file."
    )
    assert path.read_bytes() == before


def test_a_limit_of_the_size_of_files_keeps_what_is_stored(tmp_path: Path) -> None:
    path, before = tmp_path / "x.sqlite", resource.getrlimit(resource.RLIMIT_FSIZE)
    more = [f"{text} {n}" for text in TEXTS for n in range(100)]
    predict_with_store(load_model(Asked(), name="m", classes=TWO), TEXTS, path)
    resource.setrlimit(resource.RLIMIT_FSIZE, (path.stat().st_size, before[1]))
    try:
        with pytest.raises(PredictionError) as caught:
            predict_with_store(load_model(Asked(), name="m", classes=TWO), more, path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert str(caught.value) == (
        f"{path}: no more predictions can be stored: disk I/O error.\n"
        "    Free some space, raise the limit on the size of a file (ulimit -f), or name another place."
    )
    asked = Asked()
    predict_with_store(load_model(asked, name="m", classes=TWO), [*TEXTS, *more], path)
    assert not {*asked.texts} & {*TEXTS}


WRITER = """
import sys, time
from pathlib import Path
from fairness_checklist.models.load import load_model
from fairness_checklist.models.predicting import predict_with_store
store, mine, others, how = Path(sys.argv[1]), Path(sys.argv[2]), [Path(name) for name in sys.argv[4:]], sys.argv[3]
def function(texts):
    if how == "dies":
        raise SystemExit(7)
    mine.touch()
    while not all(other.exists() for other in others):
        time.sleep(0.01)
    return [[1 - len(text) / 100, len(text) / 100] for text in texts]
texts = [f"Anna is {'very ' * times}happy." for times in range(10)]
model = load_model(function, classes=["negative", "positive"], name="m", batch_size=2)
said = predict_with_store(model, texts, store)
print(said.probabilities.tobytes().hex())
"""


def start(*arguments: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_two_processes_share_a_store(tmp_path: Path) -> None:
    """Each asks its model before the other has written, so that both set the file up and both write each text."""
    store, flags = tmp_path / "new" / "p.sqlite", [tmp_path / "a", tmp_path / "b"]
    both = [start(WRITER, store, mine, "waits", other) for mine, other in (flags, flags[::-1])]
    ended = [process.communicate(timeout=PATIENCE) for process in both]
    assert [process.returncode for process in both] == [0, 0], ended
    assert ended[0] == ended[1]
    with closing(sqlite3.connect(store)) as database:
        assert database.execute("SELECT count(*) FROM predictions").fetchone() == (10,)


def test_a_process_that_keeps_nothing_takes_no_store_away_from_another(tmp_path: Path) -> None:
    store, asked, ended = tmp_path / "p.sqlite", tmp_path / "asked", tmp_path / "ended"
    first = start(WRITER, store, asked, "waits", ended)
    while not asked.exists():
        time.sleep(0.01)
    second = start(WRITER, store, tmp_path / "never", "dies")
    second.communicate(timeout=PATIENCE)
    ended.touch()
    predictions = first.communicate(timeout=PATIENCE)
    assert (second.returncode, first.returncode) == (1, 0), predictions
    assert store.exists()


HOLDER = """
import sys
from pathlib import Path
from fairness_checklist.extensions.stored.exclusive_writer import exclusive_writer
with exclusive_writer(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.mark.parametrize("ends", ["well", "killed"])
def test_who_writes_to_a_place_is_named(tmp_path: Path, ends: str) -> None:
    out = tmp_path / "runs" / "x"
    command = [sys.executable, "-c", HOLDER, str(out)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(OptionError) as caught, exclusive_writer(out):
            raise AssertionError("two processes write to one place")
        pattern = (
            rf"another process writes {re.escape(str(out))}: pid {holder.pid}, since "
            r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d [+-]\d{4}\.\n"
            r"    Wait until it has ended, or name another place\."
        )
        assert re.fullmatch(pattern, str(caught.value)), str(caught.value)
        if ends == "killed":
            holder.kill()
        else:
            holder.stdin.close()
        holder.wait(timeout=PATIENCE)
    assert out.parent.exists() == (ends == "killed")
    with exclusive_writer(out):
        assert [path.name for path in out.parent.iterdir()] == [".x.lock"]
    assert ends == "killed" or list(tmp_path.iterdir()) == []


def test_the_store_of_control_words_leaves_that_of_another_version_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    path = control_words_store()
    assert path is not None
    monkeypatch.setattr(store_file, "SCHEMA", store_file.SCHEMA + 1)
    assert control_words_store() != path
