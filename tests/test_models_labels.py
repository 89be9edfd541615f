"""Labels of models against the classes of a task."""

from typing import Any

import numpy as np

from fairness_checklist.models.labels import match_labels

SENTIMENT, TOXICITY = ("negative", "neutral", "positive"), ("nontoxic", "toxic")
SPELT: tuple[tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...], tuple[int, ...]], ...] = (
    (("negative", "neutral", "positive"), SENTIMENT, SENTIMENT, (0, 1, 2)),
    (("POSITIVE", "NEGATIVE"), SENTIMENT, ("negative", "positive"), (1, 0)),
    (("Neg", "Neu", "Pos"), SENTIMENT, SENTIMENT, (0, 1, 2)),
    (("1 star", "2 stars", "3 stars", "4 stars", "5 stars"), SENTIMENT, SENTIMENT, (0, 0, 1, 2, 2)),
    (("very_negative", "negative", "neutral", "positive", "Very-Positive"), SENTIMENT, SENTIMENT, (0, 0, 1, 2, 2)),
    (("toxic", "neutral"), TOXICITY, TOXICITY, (1, 0)),
    (("NOT_TOXIC", "TOXIC"), TOXICITY, TOXICITY, (0, 1)),
    (("non-toxic", "toxicity"), TOXICITY, TOXICITY, (0, 1)),
    (("nothate", "hate"), TOXICITY, TOXICITY, (0, 1)),
    (("non-offensive", "offensive"), TOXICITY, TOXICITY, (0, 1)),
    (("NON_HATE", "HATE"), TOXICITY, TOXICITY, (0, 1)),
    (("hate speech", "normal", "offensive"), TOXICITY, TOXICITY, (1, 0, 1)),
    (("hate speech", "offensive language", "neither"), TOXICITY, TOXICITY, (1, 1, 0)),
)


def test_labels_are_matched_by_their_spelling() -> None:
    for names, task, classes, positions in SPELT:
        found = match_labels(names, task)
        assert (found.classes, found.labels, found.positions) == (classes, names, positions)


def test_a_mapping_may_be_given_by_name_by_number_or_in_order_and_of_some_labels() -> None:
    expected = {"LABEL_0": "positive", "LABEL_1": "negative"}
    labels: Any
    for labels in (expected, {0: "positive", 1: "negative"}, ["positive", "negative"]):
        assert match_labels(list(expected), SENTIMENT, labels).mapping() == expected
    mixed = match_labels(["negative", "mixed", "positive"], SENTIMENT, {"mixed": "neutral"})
    assert mixed.mapping() == {"negative": "negative", "mixed": "neutral", "positive": "positive"}


def test_probabilities_of_the_labels_of_a_class_are_summed() -> None:
    stars = match_labels(["5 stars", "4 stars", "3 stars", "2 stars", "1 star"], SENTIMENT)
    summed = stars.read(np.array([[0.5, 0.25, 0.125, 0.0625, 0.0625]]))[0]
    assert summed.tolist() == [[0.125, 0.125, 0.75]]


WRITTEN: tuple[tuple[list[str], tuple[Any, Any]], ...] = (
    (["0.0", "1.0"], ("0", "1")),
    (["1.0", "0.0"], ("0", "1")),
    (["False", "True"], ("0", "1")),
    (["false", "true"], ("0.0", "1.0")),
    (["true", "false"], ("False", "True")),
    (["0", "1"], (False, True)),
    (["1", "0"], (0, 1)),
)


def test_numbers_and_truth_values_of_a_model_are_the_same_however_they_are_written() -> None:
    expected = {"0": "negative", "1": "positive", "false": "negative", "true": "positive"}
    for names, keys in WRITTEN:
        labels = dict(zip(keys, ("negative", "positive"), strict=True))
        mapping = match_labels(names, ("negative", "positive"), labels).mapping()
        assert mapping == {name: expected[name.lower().removesuffix(".0")] for name in names}, (names, keys)
    positions = match_labels(["true", "false"], ("negative", "positive"), {1: "negative", 0: "positive"})
    assert positions.mapping() == {"true": "positive", "false": "negative"}  # as of any other names
