"""Labels of models against the classes of a task."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from fairness_checklist.core.errors import LabelError
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
    ("names", "labels", "text"),
    [
        (
            ["LABEL_0", "LABEL_1"],
            None,
            "the model's labels LABEL_0, LABEL_1 match none of the task's classes negative, neutral, positive.\n"
            '    Give the class of each label: labels={"LABEL_0": "CLASS", "LABEL_1": "CLASS"}; '
            "see the model's card.",
        ),
        (
            ["LABEL_0", "LABEL_1", "LABEL_2"],
            None,
            "the model's labels LABEL_0, LABEL_1, LABEL_2 match none of the task's classes "
            "negative, neutral, positive.\n"
            '    Give the class of each label: labels={"LABEL_0": "CLASS", "LABEL_1": "CLASS", '
            '"LABEL_2": "CLASS"}; '
            "see the model's card.",
        ),
        (
            ["negative", "mixed", "positive"],
            None,
            "the model's label mixed matches none of the task's classes negative, neutral, positive.\n"
            '    Give the class of each label: labels={"mixed": "CLASS"}; see the model\'s card.',
        ),
        (
            ["tone_positive", "tone_negative"],
            None,
            "the model's labels tone_positive, tone_negative match none of the task's classes "
            "negative, neutral, positive.\n"
            '    Give the class of each label: labels={"tone_positive": "positive", "tone_negative": "negative"}; '
            "see the model's card.",
        ),
        (
            ["toneNegative", "not positive", "good_or_neutral_or_positive"],
            None,
            "the model's labels toneNegative, not positive, good_or_neutral_or_positive match none of the task's "
            "classes negative, neutral, positive.\n"
            '    Give the class of each label: labels={"toneNegative": "negative", "not positive": "CLASS", '
            '"good_or_neutral_or_positive": "CLASS"}; see the model\'s card.',
        ),
        (
            ["nontoxic", "toxic"],
            None,
            "the model's labels nontoxic, toxic match none of the task's classes negative, neutral, positive.\n"
            '    They are classes of the task toxicity: task="toxicity"; or map each label: labels=.',
        ),
        (
            ["negative", "neutral"],
            None,
            "none of the model's labels negative, neutral belongs to the class positive of the task "
            "(negative, neutral, positive).\n"
            '    Name a label that stands for it: labels={"LABEL": "positive"}; or choose a model that has it.',
        ),
        (
            ["LABEL_0", "LABEL_1"],
            {"LABEL_0": "negative", "LABEL_2": "positive"},
            "labels names the label LABEL_2, which the model does not have; its labels are LABEL_0, LABEL_1.\n"
            "    Did you mean LABEL_1?",
        ),
        (
            ["LABEL_0", "LABEL_1"],
            {0: "negative", 2: "positive"},
            "labels names the label 2, which the model does not have; its labels are LABEL_0, LABEL_1.\n"
            '    Give the class of each label: labels={"LABEL_0": "CLASS", "LABEL_1": "CLASS"}; '
            "see the model's card.",
        ),
        (
            ["LABEL_0", "LABEL_1"],
            {"LABEL_0": "negativ", "LABEL_1": "positive"},
            "the label LABEL_0 is mapped to negativ, which is none of the task's classes negative, neutral, positive.\n"
            "    Did you mean negative?",
        ),
        (
            ["LABEL_0", "LABEL_1"],
            {"LABEL_0": "negative", "LABEL_1": "negative"},
            "none of the model's labels LABEL_0, LABEL_1 belongs to the class positive of the task "
            "(negative, neutral, positive).\n"
            '    Name a label that stands for it: labels={"LABEL": "positive"}; or choose a model that has it.',
        ),
        (
            ["LABEL_0", "LABEL_1"],
            ["negative", "neutral", "positive"],
            "3 classes are given for the model's 2 labels LABEL_0, LABEL_1.\n"
            "    Give one class a label, in the order of the model's outputs.",
        ),
        (
            ["LABEL_0", "LABEL_1"],
            "positive",
            'labels="positive" is one word; expected a mapping from the model\'s labels to classes.\n'
            '    Give the class of each label: labels={"LABEL_0": "CLASS", "LABEL_1": "CLASS"}; '
            "see the model's card.",
        ),
        (
            ["negative", "positive", "positive"],
            None,
            "the label positive appears twice among the labels negative, positive, positive; expected each once.",
        ),
    ],
)
def test_labels_that_do_not_match_explain_what_to_do(names: list[str], labels: object, text: str) -> None:
    with pytest.raises(LabelError) as caught:
        match_labels(names, SENTIMENT, labels)  # type: ignore[arg-type]
    assert str(caught.value) == text


def test_at_most_ten_labels_are_listed() -> None:
    names = [f"LABEL_{at}" for at in range(1000)]
    first = ", ".join(names[:10])
    pairs = ", ".join(f'"{name}": "CLASS"' for name in names[:10])
    with pytest.raises(LabelError) as caught:
        match_labels(names, ("negative", "neutral", "positive"))
    assert str(caught.value) == (
        f"the model's labels {first} and 990 more match none of the task's classes negative, neutral, positive.\n"
        f"    Give the class of each label: labels={{{pairs}, ...}}; see the model's card."
    )
    with pytest.raises(LabelError) as caught:
        match_labels([*names, "negative", "positive"], ("negative", "positive"))
    assert str(caught.value) == (
        f"the model's labels {first} and 990 more match none of the task's classes negative, positive.\n"
        f"    Give the class of each label: labels={{{pairs}, ...}}; see the model's card."
    )


def test_a_list_of_the_models_own_labels_is_no_mapping() -> None:
    with pytest.raises(LabelError) as caught:
        match_labels(["LABEL_0", "LABEL_1"], ("negative", "positive"), ["LABEL_0", "LABEL_1"])
    assert str(caught.value) == (
        "labels= lists the model's own labels LABEL_0, LABEL_1; expected the class of each.\n"
        '    Give the class of each label: labels={"LABEL_0": "CLASS", "LABEL_1": "CLASS"}; '
        "see the model's card."
    )


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


def test_whether_1_is_true_or_the_second_label_is_not_guessed() -> None:
    with pytest.raises(LabelError, match=r"^labels names the label 0, which the model does not have"):
        match_labels(["true", "false"], ("negative", "positive"), {"0": "negative", "1": "positive"})
