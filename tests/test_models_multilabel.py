"""Labels with a probability each by itself, and models of one output: tiny random models and functions."""

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from build_models import save_model
from refusals import refusal
from sweep import sweep

from fairness_checklist.api.suite import Suite
from fairness_checklist.core.errors import PredictionError
from fairness_checklist.models.load import load_model

TOXICITY = ("nontoxic", "toxic")
JIGSAW = ("severe_toxic", "obscene", "toxic", "threat", "insult", "identity_hate")
TEXTS = ["anna is a friend", "ben is a writer", "anna met ben", "a friend of ben", "anna is a friend"]
MULTI = "multi_label_classification"
Folder = Callable[..., Path]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    """Makes a random model with the labels and the problem type that are requested, once each."""

    @functools.cache
    def make(labels: tuple[str, ...] = JIGSAW, problem: str | None = MULTI) -> Path:
        return save_model(tmp_path_factory.mktemp("model"), labels, problem_type=problem, initializer_range=0.5)

    return make


def by_transformers(place: Path, function: str) -> dict[str, np.ndarray[Any, np.dtype[np.float64]]]:
    """What transformers' own pipeline says, by label."""
    import transformers

    library: Any = transformers
    pipeline = library.pipeline("text-classification", model=str(place), top_k=None, device="cpu")
    found = [{one["label"]: one["score"] for one in row} for row in pipeline(TEXTS, function_to_apply=function)]
    return {label: np.array([row[label] for row in found]) for label in found[0]}


def test_a_multi_label_model_gives_each_label_against_its_complement(folder: Folder) -> None:
    expected = by_transformers(folder(), "sigmoid")
    assert all(np.ptp(column) > 0.01 for column in expected.values())
    predictions = load_model(folder(), task="toxicity").predict(TEXTS)
    assert predictions.classes == TOXICITY
    np.testing.assert_allclose(predictions.probabilities[:, 1], expected["toxic"], rtol=0, atol=1e-6)
    np.testing.assert_array_equal(predictions.probabilities[:, 0], 1 - predictions.probabilities[:, 1])
    assert predictions.predicted.tolist() == (expected["toxic"] > 0.5).astype(int).tolist()
    assert list(predictions.scores) == [label for label in JIGSAW if label != "toxic"]
    for label, column in predictions.scores.items():
        np.testing.assert_allclose(column, expected[label], rtol=0, atol=1e-6)


def test_several_labels_of_a_class_give_the_largest_and_are_all_kept(folder: Folder) -> None:
    expected = by_transformers(folder(), "sigmoid")
    model = load_model(folder(), task="toxicity", labels={"toxic": "toxic", "insult": "toxic"})
    predictions = model.predict(TEXTS)
    largest = np.maximum(expected["toxic"], expected["insult"])
    assert (largest > expected["toxic"]).any()
    np.testing.assert_allclose(np.asarray(predictions.probabilities)[:, 1], largest, rtol=0, atol=1e-6)
    assert list(predictions.scores) == list(JIGSAW)
    described = model.describe()
    assert described["labels"] == {"toxic": "toxic", "insult": "toxic"}
    assert described["reading"] == (
        "sigmoid: p(toxic) is the largest of toxic, insult, p(nontoxic) its complement; "
        "scores: severe_toxic, obscene, toxic, threat, insult, identity_hate"
    )


@sweep("problem", [None, MULTI])
@sweep("label", ["LABEL_0", "toxicity"])
def test_one_output_is_the_sigmoid_of_the_positive_class(folder: Folder, label: str, problem: str | None) -> None:
    place = folder((label,), problem)
    model = load_model(place, task="toxicity")
    predictions = model.predict(TEXTS)
    assert predictions.classes == TOXICITY
    assert predictions.scores == {}
    expected = by_transformers(place, "sigmoid")[label]
    np.testing.assert_allclose(np.asarray(predictions.probabilities)[:, 1], expected, rtol=0, atol=1e-6)
    assert model.describe()["reading"] == f"sigmoid: p(toxic) is {label}, p(nontoxic) its complement"
    other = load_model(place, task="toxicity", labels={label: "nontoxic"}).predict(TEXTS)
    np.testing.assert_allclose(np.asarray(other.probabilities)[:, 0], expected, rtol=0, atol=1e-6)
    if label == "LABEL_0":
        assert load_model(place).predict(TEXTS).classes == ("negative", "positive")


def test_a_regression_is_taken_at_its_word_where_it_gives_probabilities(folder: Folder) -> None:
    place = folder(("toxicity",), "regression")
    raw = by_transformers(place, "none")["toxicity"]
    assert ((raw < 0) | (raw > 1)).any()
    fine = [text for text, value in zip(TEXTS, raw, strict=True) if 0 <= value <= 1]
    predictions = load_model(place, task="toxicity").predict(fine)
    expected = raw[(raw >= 0) & (raw <= 1)]
    np.testing.assert_allclose(np.asarray(predictions.probabilities)[:, 1], expected, rtol=0, atol=1e-6)
    worst = TEXTS[int(np.argmax(np.abs(raw - 0.5)))]
    assert refusal(PredictionError, load_model(place, task="toxicity").predict, [worst]) == (
        f"the output toxicity of a regression is {raw[TEXTS.index(worst)]:.4g}; expected a number from 0 to 1, "
        "to be read as a probability.\n"
        "    Give load_model a function that brings the model's outputs into 0 to 1."
    )


ROWS = {"anna": {"toxic": 0.75, "insult": 0.5}, "ben": {"toxic": 0.25, "insult": 0.125}}


BY_NAME: tuple[Any, ...] = (
    lambda texts: [ROWS[text] for text in texts],
    lambda texts: [dict(reversed(ROWS[text].items())) for text in texts],
    lambda texts: {name: [ROWS[text][name] for text in texts] for name in ("insult", "toxic")},
    lambda texts: {name: np.array([ROWS[text][name] for text in texts]) for name in ("toxic", "insult")},
    lambda texts: pd.DataFrame([ROWS[text] for text in texts]),
    lambda texts: [[{"label": name, "score": p} for name, p in ROWS[text].items()] for text in texts],
)


def test_numbers_by_name_are_labels_by_themselves() -> None:
    for model in BY_NAME:
        predictions = load_model(model, task="toxicity", batch_size=1).predict(["ben", "anna", "ben"])
        assert predictions.classes == TOXICITY
        assert np.asarray(predictions.probabilities).tolist() == [[0.75, 0.25], [0.25, 0.75], [0.75, 0.25]]
        assert {name: list(column) for name, column in predictions.scores.items()} == {"insult": [0.125, 0.5, 0.125]}
        assert predictions.predicted.tolist() == [0, 1, 0]


EACH: tuple[tuple[Any, dict[str, Any], list[float], dict[str, list[float]]], ...] = (
    ({"toxic": 0.75, "neutral": 0.25}, {}, [0.25, 0.75], {}),  # classes that exclude each other
    ({"pos": 0.5, "neg": 0.25, "neu": 0.25}, {"task": "sentiment"}, [0.25, 0.25, 0.5], {}),
    ([0.5, 0.75, 0.25], {"classes": ["insult", "toxic", "threat"]}, [0.25, 0.75], {"insult": [0.5], "threat": [0.25]}),
    (0.75, {}, [0.25, 0.75], {}),  # the positive class of the task
    (0.75, {"labels": {"kindness": "nontoxic"}}, [0.75, 0.25], {}),
)


@sweep(("row", "options", "probabilities", "scores"), EACH)
def test_what_a_row_of_numbers_means(row: Any, options: Any, probabilities: list[float], scores: Any) -> None:
    model = load_model(lambda texts: [row] * len(texts), **{"task": "toxicity", **options})
    predictions = model.predict(["anna"])
    assert np.asarray(predictions.probabilities).tolist() == [probabilities]
    assert {name: column.tolist() for name, column in predictions.scores.items()} == scores
    note = "the function gives one number a text: taken as p(toxic), the classes are nontoxic, toxic"
    assert (note in predictions.notes) is (row == 0.75 and not options)


def test_a_name_that_a_row_lacks_is_no_number() -> None:
    rows = {"anna": ROWS["anna"], "ben": {"toxic": 0.25}}
    predictions = load_model(lambda texts: [rows[text] for text in texts], task="toxicity").predict(["ben", "anna"])
    np.testing.assert_array_equal(predictions.scores["insult"], [np.nan, 0.5])


def test_a_function_keeps_its_hash_when_its_columns_become_known() -> None:
    model: Any = load_model(lambda texts: [{"toxic": 0.5}] * len(texts), task="toxicity", name="mine")
    before = model.fingerprint
    model.predict(["anna"])
    assert model.fingerprint == before
    other: Any = load_model(lambda texts: [0.5], task="toxicity", name="mine", labels={"obscene": "toxic"})
    assert other.fingerprint != before


def test_scores_are_in_the_table_of_a_run(folder: Folder) -> None:
    model = load_model(folder(), task="toxicity")
    terms = {"deaf": ["deaf"], "hearing": ["hearing"]}
    suite = Suite.from_templates(["anna is a {identity.friend}."], terms=terms, task="toxicity", label="nontoxic")
    result = suite.run(model, metrics=["fped"], primary=["fped"], checks=(), progress=False)
    table = result.examples
    predictions = model.predict(table["text"].tolist())
    for label in set(JIGSAW) - {"toxic"}:
        assert table[f"score:{label}"].tolist() == predictions.scores[label].tolist()
