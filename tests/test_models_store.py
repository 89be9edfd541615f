"""Predictions that are kept as they come."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fairness_checklist.errors import PredictionError, TableError
from fairness_checklist.models import load_model, predict_with_store

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
        predict_with_store(load_model(dying, name="m", batch_size=3), TEXTS, store)
    resumed = predict_with_store(load_model(second, name="m", batch_size=3), TEXTS[::-1], store)
    assert sorted(dying.texts + second.texts) == sorted(TEXTS)
    whole = load_model(Asked(), name="m").predict(TEXTS[::-1])
    assert resumed.classes == whole.classes
    assert np.asarray(resumed.probabilities).tobytes() == np.asarray(whole.probabilities).tobytes()
    assert resumed.predicted.tolist() == whole.predicted.tolist()


def test_texts_that_are_new_are_scored_beside_those_that_are_known(tmp_path: Path) -> None:
    store = tmp_path / "predictions.sqlite"
    predict_with_store(load_model(Asked(), name="m"), TEXTS[::2], store)
    asked = Asked()
    both = predict_with_store(load_model(asked, name="m"), TEXTS, store)
    assert sorted(asked.texts) == sorted(TEXTS[1::2])
    assert np.array_equal(
        np.asarray(both.probabilities), np.asarray(load_model(Asked(), name="m").predict(TEXTS).probabilities)
    )


def test_another_name_or_other_classes_find_nothing(tmp_path: Path) -> None:
    store = tmp_path / "predictions.sqlite"
    predict_with_store(load_model(Asked(), name="m"), TEXTS, store)
    for options in ({"name": "n"}, {"name": "m", "classes": ["positive", "negative"]}):
        asked = Asked()
        predict_with_store(load_model(asked, **options), TEXTS, store)  # type: ignore[arg-type]
        assert len(asked.texts) == len(TEXTS)


def test_a_function_without_a_name_is_not_kept(tmp_path: Path) -> None:
    store = tmp_path / "predictions.sqlite"
    predict_with_store(load_model(Asked()), TEXTS, store)
    assert not store.exists()
    assert len(predict_with_store(load_model(Asked(), name="m"), TEXTS, None)) == len(TEXTS)


def test_wrong_probabilities_are_not_kept(tmp_path: Path) -> None:
    store = tmp_path / "predictions.sqlite"
    with pytest.raises(PredictionError):
        predict_with_store(load_model(lambda texts: [[2.0, 2.0]] * len(texts), name="m"), TEXTS, store)
    assert list(tmp_path.iterdir()) == []  # a store of nothing goes


def test_a_file_that_is_no_store(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("no database " * 100)
    with pytest.raises(TableError) as caught:
        predict_with_store(load_model(Asked(), name="m"), TEXTS, path)
    assert str(caught.value) == (
        f"{path}: the store of predictions cannot be used: file is not a database.\n"
        "    Give another file; or delete this one, and all texts are scored again."
    )
    assert path.read_text() == "no database " * 100


def test_somebody_elses_database_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "other.sqlite"
    database = sqlite3.connect(path)
    database.execute("CREATE TABLE other (a)")
    database.close()
    before = path.read_bytes()
    with pytest.raises(TableError) as caught:
        predict_with_store(load_model(Asked(), name="m"), TEXTS, path)
    assert str(caught.value) == (
        f"{path}: the file is not a store of predictions of this version.\n    Give another file."
    )
    assert path.read_bytes() == before
