"""Functions as models."""

import re
import traceback
from typing import Any

import numpy as np
import pandas as pd
import pytest
from build_models import named
from refusals import refusal
from sweep import sweep

from fairness_checklist.core.errors import LabelError, OrderError, PredictionError
from fairness_checklist.core.predictions import Predictions
from fairness_checklist.models.load import load_model
from fairness_checklist.models.predicting import predict_with_store

TWO = ["negative", "positive"]
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

    predictions = load_model(model, classes=TWO, batch_size=2).predict(TEXTS)
    assert seen == [["I met Ben.", "Anna is sad."], ["Ben is a happy writer."]]
    assert predictions.classes == ("negative", "positive")
    assert predictions.probabilities[:, 1].tolist() == [positive(text) for text in TEXTS]
    assert predictions.predicted.tolist() == [0, 0, 0, 1]


def wrap_softmax(function: Any) -> Any:
    """A function in CheckList's form: decisions and confidences."""

    def model(texts: list[str]) -> tuple[Any, Any]:
        confidences = np.asarray(function(texts))
        return np.argmax(confidences, axis=1), confidences

    return model


@sweep(
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
    predictions = load_model(model, classes=TWO).predict(TEXTS)
    assert predictions.classes == ("negative", "positive")
    assert np.array_equal(np.asarray(predictions.probabilities), np.array(two(TEXTS)))
    assert predictions.predicted.tolist() == [0, 0, 0, 1]


def test_classes_are_known_before_the_first_prediction_and_without_texts() -> None:
    assert load_model(lambda texts: [0.5] * len(texts)).classes == ("negative", "positive")
    named = {"positive": 0.5, "neutral": 0.25, "negative": 0.25}
    empty = load_model(lambda texts: [named] * len(texts)).predict([])
    assert empty.classes == ("negative", "neutral", "positive")
    assert np.asarray(empty.probabilities).shape == (0, 3)


def test_an_error_inside_the_function_keeps_its_traceback() -> None:
    def model(texts: list[str]) -> Any:
        raise ZeroDivisionError("no luck")

    with pytest.raises(PredictionError) as caught:
        load_model(model, name="mine").predict(TEXTS)
    assert re.fullmatch(r"(tests/)?test_models_callables.py:\d+", caught.value.place)
    assert str(caught.value) == (
        f"{caught.value.place}: "
        'the function mine failed on a batch of 3 texts that starts with "I met Ben.": ZeroDivisionError: no luck\n'
        "    The traceback of the function is above; call it on that text to reproduce the error."
    )
    shown = "".join(traceback.format_exception(caught.value))
    assert 'raise ZeroDivisionError("no luck")' in shown


def test_a_function_may_have_classes_and_give_labels() -> None:
    def model(texts: list[str]) -> list[str]:
        return ["NEG" if "sad" in text else "POS" for text in texts]

    assert named(load_model(model, classes=["POS", "NEG"]).predict(TEXTS)) == ["negative", "positive"] * 2
    assert named(load_model(model, labels=["POS", "NEG"]).predict(["so sad"])) == ["negative"]


SHUFFLED = ["I met Ben.", "I met Anna and Ben."]
BY_TEXT = pd.DataFrame({"negative": [0.75, 0.25], "positive": [0.25, 0.75]}, index=SHUFFLED)
FRAME = BY_TEXT.reset_index(drop=True)
LABELS = FRAME.idxmax(axis=1)


@sweep(
    "output",
    [
        FRAME,
        FRAME.sort_values("positive", ascending=False),
        BY_TEXT[::-1],
        FRAME[::-1].convert_dtypes(),
        FRAME[::-1].set_index(pd.Index([1.0, 0.0])),
        FRAME[["positive", "negative"]][::-1],
        {name: FRAME[name][::-1] for name in ("positive", "negative")},
        (pd.Series([0, 1])[::-1], FRAME[::-1]),
        LABELS[::-1],
        (LABELS, {"compound": pd.Series([0.25, 0.75])[::-1]}),
    ],
)
def test_rows_belong_to_the_texts_that_their_index_names(output: Any) -> None:
    predictions = load_model(lambda _texts: output, classes=TWO).predict(SHUFFLED)
    assert predictions.predicted.tolist() == [0, 1]
    assert predictions.probabilities is None or predictions.probabilities[:, 1].tolist() == [0.25, 0.75]
    assert all(column.tolist() == [0.25, 0.75] for column in predictions.scores.values())
    if isinstance(output, pd.DataFrame) and output.index[0] != SHUFFLED[1]:
        own = Predictions.from_probabilities(output, TWO)
        assert own.probabilities.tolist() == [[0.75, 0.25], [0.25, 0.75]]


@sweep(
    ("index", "shown"),
    [([0, 0], "0, 0"), ([1, 2], "1, 2"), (["a", "b"], "a, b"), ([SHUFFLED[0], "b"], "I met Ben., b")],
)
@sweep("of", [FRAME, LABELS, FRAME["positive"]])
def test_an_index_of_something_else_is_refused_at_once(index: list[Any], shown: str, of: Any) -> None:
    model = load_model(lambda _texts: of.set_axis(index), classes=TWO, name="f")
    for keep_going in (False, True):
        assert refusal(OrderError, predict_with_store, model, SHUFFLED, None, keep_going=keep_going) == (
            f"the function f returned a {type(of).__name__} with the index {shown}; expected 0 to 1, in any order.\n"
            "    If its rows are in order, return it with .reset_index(drop=True)."
        )
    assert refusal(LabelError, Predictions.from_probabilities, FRAME.rename(columns={"positive": "pos"}), TWO) == (
        "the probabilities have the columns negative, pos; expected negative, positive.\n"
        "    Name the columns as the classes are named."
    )


MASK = [[False, False], [True, True]]


@sweep(
    "output",
    [
        np.ma.array([[0.75, 0.25], [0.25, 0.75]], mask=MASK),
        [np.ma.array([0.75, 0.25]), np.ma.array([0.25, 0.75], mask=True)],
        FRAME.mask(np.array(MASK)).astype("Float64"),
        np.ma.array(["negative", "positive"], mask=[False, True]),
        ["negative", None],
        pd.Series(["negative", pd.NA], dtype="string"),
    ],
)
def test_rows_that_are_masked_or_missing_are_texts_without_a_prediction(output: Any) -> None:
    rest = [f"Text {at:02}, which is longer." for at in range(20)]

    def function(texts: list[str]) -> Any:
        known = [output[at] if isinstance(output, (list, np.ndarray)) else output.iloc[at] for at in range(2)]
        rows = [known[text == SHUFFLED[1]] for text in texts]
        if isinstance(output, pd.DataFrame):
            return pd.DataFrame(rows).reset_index(drop=True)
        if isinstance(output, pd.Series):
            return pd.Series(rows, dtype=output.dtype)
        return np.ma.stack([np.ma.asarray(row) for row in rows]) if isinstance(output, np.ma.MaskedArray) else rows

    kept = predict_with_store(load_model(function, classes=TWO), [*SHUFFLED, *rest], None, keep_going=True)
    assert isinstance(kept, Predictions)
    assert list(kept.failed) == [SHUFFLED[1]]
    assert kept.predicted.tolist() == [0, -1, *[0] * 20]
