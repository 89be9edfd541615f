"""Functions as models."""

from __future__ import annotations

import traceback
from typing import Any

import numpy as np
import pandas as pd
import pytest

from fairness_checklist.errors import AlignmentError, LabelError, PredictionError
from fairness_checklist.models import load_model

TEXTS = ["Anna is sad.", "I met Ben.", "Anna is sad.", "Ben is a happy writer."]


def positive(text: str) -> float:
    return len(text) / 32


def two(texts: list[str]) -> list[list[float]]:
    return [[1 - positive(text), positive(text)] for text in texts]


def test_a_function_sees_each_text_once_and_rows_come_back_in_order() -> None:
    seen: list[list[str]] = []

    def model(texts: list[str]) -> list[list[float]]:
        seen.append(texts)
        return two(texts)

    predictions = load_model(model, batch_size=2).predict(TEXTS)
    assert seen == [["I met Ben.", "Anna is sad."], ["Ben is a happy writer."]]
    assert predictions.classes == ("negative", "positive")
    assert predictions.probabilities is not None
    assert predictions.probabilities[:, 1].tolist() == [positive(text) for text in TEXTS]
    assert predictions.predicted.tolist() == [0, 0, 0, 1]


def wrap_softmax(function: Any) -> Any:
    """A function in CheckList's form: decisions and confidences."""

    def model(texts: list[str]) -> tuple[Any, Any]:
        confidences = np.asarray(function(texts))
        return np.argmax(confidences, axis=1), confidences

    return model


@pytest.mark.parametrize(
    "model",
    [
        two,
        lambda texts: np.asarray(two(texts)),
        lambda texts: pd.DataFrame(two(texts)),
        lambda texts: [positive(text) for text in texts],
        lambda texts: np.array([[positive(text)] for text in texts]),
        lambda texts: tuple(tuple(row) for row in two(texts)),
        lambda texts: [np.array(row) for row in two(texts)],
        wrap_softmax(two),
        lambda texts: (["positive" if row[1] > 0.5 else "negative" for row in two(texts)], two(texts)),
    ],
)
def test_every_form_of_output_gives_the_same_predictions(model: Any) -> None:
    predictions = load_model(model).predict(TEXTS)
    assert predictions.classes == ("negative", "positive")
    assert np.array_equal(np.asarray(predictions.probabilities), np.array(two(TEXTS)))
    assert predictions.predicted.tolist() == [0, 0, 0, 1]


def test_tensors_are_probabilities_too() -> None:
    torch = pytest.importorskip("torch")
    for model in (
        lambda texts: torch.tensor(two(texts), dtype=torch.float64, requires_grad=True),
        lambda texts: list(torch.tensor(two(texts), dtype=torch.float64)),
    ):
        assert np.array_equal(np.asarray(load_model(model).predict(TEXTS).probabilities), np.array(two(TEXTS)))


def test_two_texts_in_a_tuple_of_two_rows_are_no_pair_of_checklist() -> None:
    predictions = load_model(lambda texts: tuple(two(texts))).predict(TEXTS[:2])
    assert np.array_equal(np.asarray(predictions.probabilities), np.array(two(TEXTS[:2])))


def test_a_functions_own_decision_stands() -> None:
    predictions = load_model(lambda texts: ([1] * len(texts), [[0.75, 0.25]] * len(texts))).predict(["Anna is here."])
    assert predictions.predicted.tolist() == [1]


def test_columns_may_be_named_and_come_in_any_order() -> None:
    def model(texts: list[str]) -> list[list[float]]:
        return [[0.5, 0.125, 0.375]] * len(texts)

    named = load_model(model, classes=["POS", "NEU", "NEG"])
    assert named.classes == ("negative", "neutral", "positive")
    assert np.asarray(named.predict(["Anna is here."]).probabilities).tolist() == [[0.375, 0.125, 0.5]]
    mapped = load_model(model, labels={"joy": "positive", "calm": "neutral", "anger": "negative"})
    assert np.asarray(mapped.predict(["Anna is here."]).probabilities).tolist() == [[0.375, 0.125, 0.5]]
    assert mapped.describe() == {
        "name": "test_columns_may_be_named_and_come_in_any_order.model",
        "kind": "function",
        "classes": ["negative", "neutral", "positive"],
        "labels": {"joy": "positive", "calm": "neutral", "anger": "negative"},
    }


def test_classes_are_known_before_the_first_prediction_and_without_texts() -> None:
    assert load_model(two).classes == ("negative", "positive")
    empty = load_model(lambda texts: [[0.25, 0.25, 0.5]] * len(texts)).predict([])
    assert empty.classes == ("negative", "neutral", "positive")
    assert np.asarray(empty.probabilities).shape == (0, 3)


def test_an_error_inside_the_function_keeps_its_traceback() -> None:
    def model(texts: list[str]) -> Any:
        raise ZeroDivisionError("no luck")

    with pytest.raises(PredictionError) as caught:
        load_model(model, name="mine").predict(TEXTS)
    assert str(caught.value) == (
        'the function mine failed on a batch of 3 texts that starts with "I met Ben.": ZeroDivisionError: no luck\n'
        "    The function's own traceback stands above; call it on that text to see it again."
    )
    shown = "".join(traceback.format_exception(caught.value))
    assert 'raise ZeroDivisionError("no luck")' in shown


@pytest.mark.parametrize(
    ("model", "kind", "text"),
    [
        (
            lambda texts: two(texts)[:-1],
            AlignmentError,
            "the function mine: 2 predictions for 3 examples: row 3 has none.\n"
            "    Return one row a text, in the order of the texts.",
        ),
        (
            lambda texts: [[0.25] * 4] * len(texts),
            LabelError,
            "the function mine returned 4 columns; the task's classes are negative, neutral, positive.\n"
            "    Say what the columns are: classes=['negative', 'neutral', 'positive'], in their order; "
            "or give labels= for other names.",
        ),
        (
            lambda texts: np.zeros((len(texts), 2, 2)),
            PredictionError,
            "the function mine returned an array of the shape (3, 2, 2) for 3 texts; expected (3, classes).\n"
            "    Return one row a text with one probability a class.",
        ),
        (
            lambda texts: ["positive"] * len(texts),
            PredictionError,
            "the function mine returned words, the first 'positive'; expected probabilities.\n"
            "    Return one row a text with one probability a class. "
            "Decisions alone go into a table with the column predicted: see evaluate.",
        ),
        (
            lambda texts: None,
            PredictionError,
            "the function mine returned an array of the shape () for 3 texts; expected (3, classes).\n"
            "    Return one row a text with one probability a class.",
        ),
        (
            lambda texts: [[float("nan"), 1.0] if "sad" in text else [0.5, 0.5] for text in texts],
            PredictionError,
            'row 1 of the probabilities, for the text "Anna is sad.", holds NaN or infinity: negative=nan, positive=1 '
            "(1 such texts in this batch of 3).\n"
            "    Return probabilities, not logits: apply a softmax first, and see to rows that fail.",
        ),
        (
            lambda texts: [[-1.5, 2.5]] * len(texts),
            PredictionError,
            'row 1 of the probabilities, for the text "Anna is sad.", is not between 0 and 1: negative=-1.5, '
            "positive=2.5 (3 such texts in this batch of 3).\n"
            "    Return probabilities, not logits: apply a softmax first, and see to rows that fail.",
        ),
        (
            lambda texts: ([3] * len(texts), two(texts)),
            PredictionError,
            "the function mine predicted 3, which is no column of its probabilities.\n"
            "    Predict a column's number, 0 to 1, or its name: negative, positive.",
        ),
        (
            lambda texts: ([1], two(texts)),
            AlignmentError,
            "the function mine returned predictions of the shape (1,) for 3 texts.\n"
            "    Return (predictions, probabilities) with one prediction a text.",
        ),
    ],
)
def test_outputs_that_are_wrong_say_how(model: Any, kind: type[Exception], text: str) -> None:
    with pytest.raises(kind) as caught:
        load_model(model, name="mine").predict(TEXTS)
    assert str(caught.value) == text


def test_one_number_a_text_is_told_to_be_taken_for_a_probability() -> None:
    note = "the function gives one number a text: taken as p(positive), the classes are negative, positive"
    assert load_model(lambda texts: [0.5] * len(texts)).predict(TEXTS).notes == (note,)
    assert load_model(lambda texts: [0.5] * len(texts), classes=["negative", "positive"]).predict(TEXTS).notes == ()
    assert load_model(two).predict(TEXTS).notes == ()


def test_the_number_of_columns_may_not_change() -> None:
    def model(texts: list[str]) -> list[list[float]]:
        return two(texts) if texts[0] == "I met Ben." else [[0.25, 0.25, 0.5]] * len(texts)

    with pytest.raises(PredictionError) as caught:
        load_model(model, name="mine", batch_size=2).predict(TEXTS)
    assert str(caught.value) == (
        "the function mine returned 3 columns; expected 2: negative, positive.\n"
        "    Return one probability a class, or name the columns: classes=[...]."
    )


def test_names_of_columns_that_match_no_class() -> None:
    with pytest.raises(LabelError) as caught:
        load_model(two, classes="positive")
    assert str(caught.value) == (
        'classes="positive" is one word; expected one name a column.\n'
        "    Write classes=['negative', 'neutral', 'positive']."
    )
    with pytest.raises(LabelError) as caught:
        load_model(two, classes=["yes", "no"])
    assert str(caught.value) == (
        "the model's labels yes, no match none of the task's classes negative, neutral, positive.\n"
        '    Give the mapping, for instance labels={"yes": "negative", "no": "positive"}; '
        "the model's card says which is which."
    )


def test_the_names_of_a_data_frames_columns_are_taken_at_their_word() -> None:
    model = load_model(lambda texts: pd.DataFrame({"positive": [0.9] * len(texts), "neutral": 0.05, "negative": 0.05}))
    said = model.predict(["Anna is here."])
    assert said.classes[said.predicted[0]] == "positive"


@pytest.mark.parametrize("decisions", [[1, 1], [True, False]])
def test_decisions_are_not_taken_for_probabilities(decisions: list[int]) -> None:
    with pytest.raises(PredictionError) as error:
        load_model(lambda _texts: decisions, name="tree").predict(["a", "b"])
    assert str(error.value) == (
        "the function tree returned decisions, the first 1; expected probabilities.\n"
        "    Return one row a text with one probability a class, or (predictions, probabilities)."
    )
