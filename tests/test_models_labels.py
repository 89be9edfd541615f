"""Labels of models against the classes of a task."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from fairness_checklist.models.labels import match_labels

SENTIMENT = ("negative", "neutral", "positive")


@pytest.mark.parametrize(
    ("names", "classes", "positions"),
    [
        (["negative", "neutral", "positive"], SENTIMENT, (0, 1, 2)),
        (["POSITIVE", "NEGATIVE"], ("negative", "positive"), (1, 0)),
        (["Neg", "Neu", "Pos"], SENTIMENT, (0, 1, 2)),
        (["1 star", "2 stars", "3 stars", "4 stars", "5 stars"], SENTIMENT, (0, 0, 1, 2, 2)),
        (["very_negative", "negative", "neutral", "positive", "Very-Positive"], SENTIMENT, (0, 0, 1, 2, 2)),
    ],
)
def test_labels_are_matched_by_their_spelling(
    names: list[str], classes: tuple[str, ...], positions: tuple[int, ...]
) -> None:
    found = match_labels(names, SENTIMENT)
    assert (found.classes, found.labels, found.positions) == (classes, tuple(names), positions)


@pytest.mark.parametrize(
    "labels",
    [
        {"LABEL_0": "positive", "LABEL_1": "negative"},
        {0: "positive", 1: "negative"},
        ["positive", "negative"],
    ],
)
def test_a_mapping_may_be_reported_by_name_by_number_or_in_order(labels: object) -> None:
    found = match_labels(["LABEL_0", "LABEL_1"], SENTIMENT, labels)  # type: ignore[arg-type]
    assert found.mapping() == {"LABEL_0": "positive", "LABEL_1": "negative"}


def test_a_mapping_of_some_labels_leaves_the_others_to_their_spelling() -> None:
    names = ["negative", "mixed", "positive"]
    assert match_labels(names, SENTIMENT, {"mixed": "neutral"}).mapping() == {
        "negative": "negative",
        "mixed": "neutral",
        "positive": "positive",
    }


def test_another_task_has_its_own_spellings() -> None:
    found = match_labels(["toxic", "neutral"], ("nontoxic", "toxic"))
    assert found.mapping() == {"toxic": "toxic", "neutral": "nontoxic"}


def test_probabilities_of_the_labels_of_a_class_are_summed() -> None:
    stars = match_labels(["5 stars", "4 stars", "3 stars", "2 stars", "1 star"], SENTIMENT)
    summed = stars.read(np.array([[0.5, 0.25, 0.125, 0.0625, 0.0625]]))[0]
    assert summed.tolist() == [[0.125, 0.125, 0.75]]


@pytest.mark.parametrize(
    ("names", "keys"),
    [
        (["0.0", "1.0"], ("0", "1")),
        (["1.0", "0.0"], ("0", "1")),
        (["False", "True"], ("0", "1")),
        (["false", "true"], ("0.0", "1.0")),
        (["true", "false"], ("False", "True")),
        (["0", "1"], (False, True)),
        (["1", "0"], (0, 1)),
        (["true", "false"], (1, 0)),  # positions, as of any other names
    ],
)
def test_numbers_and_truth_values_of_a_model_are_the_same_however_they_are_written(names: Any, keys: Any) -> None:
    negative = keys.index(1) if keys == (1, 0) else None
    mapping = match_labels(names, ("negative", "positive"), {keys[0]: "negative", keys[1]: "positive"}).mapping()
    expected = {"0": "negative", "1": "positive", "false": "negative", "true": "positive"}
    if negative is not None:
        expected = {"true": "positive", "false": "negative"}
    assert mapping == {name: expected[name.lower().removesuffix(".0")] for name in names}
