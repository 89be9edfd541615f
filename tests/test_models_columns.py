"""Which class a column is: estimators, functions and objects whose order is not that of the task's classes."""

from collections.abc import Callable
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from build_models import named
from refusals import refusal
from sweep import sweep

from fairness_checklist import load_model
from fairness_checklist.core.errors import InputError, LabelError, PredictionError

TEXTS = ["so good", "so awful", "good and nice", "awful and bad"] * 3
GOOD = [True, False] * 6
TWO = ["negative", "positive"]


def refused(model: Any, **options: Any) -> str:
    return refusal(InputError, lambda: load_model(model, **options).predict(TEXTS[:2]))


# Estimators: their own predict and predict_proba are the oracle.

CODES: dict[str, tuple[Any, Any, Any]] = {  # of a positive text, of a negative one, and labels=
    "words": ("positive", "negative", None),
    "words in the other order": ("aa", "zz", {"zz": "negative", "aa": "positive"}),
    "words that mean the opposite": ("negative", "positive", {"negative": "positive", "positive": "negative"}),
    "numbers": (1, 0, {1: "positive", 0: "negative"}),
    "numbers in the other order": (0, 1, {0: "positive", 1: "negative"}),
    "numbers that are no positions": (1, 2, {1: "positive", 2: "negative"}),
    "numbers with a fraction": (0.0, 1.0, {0: "positive", 1: "negative"}),
    "truth values": (True, False, {True: "positive", False: "negative"}),
    "truth values in the other order": (False, True, {"False": "positive", "True": "negative"}),
    "one truth value": (True, False, {True: "positive"}),
}


def estimators(kind: str, codes: list[Any]) -> Any:
    pytest.importorskip("sklearn")
    from sklearn.calibration import CalibratedClassifierCV
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import FixedThresholdClassifier, GridSearchCV
    from sklearn.pipeline import make_pipeline
    from sklearn.svm import LinearSVC

    logistic = make_pipeline(CountVectorizer(), LogisticRegression())
    margins = make_pipeline(CountVectorizer(), LinearSVC())
    model = {
        "pipeline": logistic,
        "search": GridSearchCV(logistic, {"logisticregression__C": [1.0, 4.0]}, cv=2),
        "search without probabilities": GridSearchCV(margins, {"linearsvc__C": [1.0, 4.0]}, cv=2),
        "calibrated": CalibratedClassifierCV(margins, cv=2),
        "calibrated last": make_pipeline(CountVectorizer(), CalibratedClassifierCV(LinearSVC(), cv=2)),
        "threshold": FixedThresholdClassifier(logistic, threshold=0.99, pos_label=codes[0], response_method="auto"),
    }[kind]
    return model.fit(TEXTS, np.array(codes))


KINDS = ("pipeline", "search", "calibrated", "calibrated last", "search without probabilities", "threshold")


@sweep(
    ("kind", "code"),
    [(kind, code) for kind in KINDS for code in CODES if code != "one truth value" or KINDS.index(kind) < 4],
)
def test_the_columns_and_decisions_of_estimators(kind: str, code: str) -> None:
    good, bad, labels = CODES[code]
    model = estimators(kind, [good if one else bad for one in GOOD])
    found = load_model(model, labels=labels).predict(TEXTS)
    expected = ["positive" if value == good else "negative" for value in model.predict(TEXTS).tolist()]
    assert (set(expected) == set(TWO)) == (kind != "threshold")  # where there is a threshold, no column decides
    assert (found.classes, named(found)) == (tuple(TWO), expected)
    if kind == "pipeline" and labels is None:
        for method in (model.predict_proba, partial(model.predict_proba), model.predict):
            assert named(load_model(method, labels=labels).predict(TEXTS)) == expected
    if kind == "search without probabilities":
        assert found.probabilities is None
        return
    column = model.predict_proba(TEXTS)[:, model.classes_.tolist().index(good)]
    assert np.allclose(found.probabilities, np.column_stack([1 - column, column]), atol=1e-12)


def test_several_outputs_are_refused() -> None:
    pytest.importorskip("sklearn")
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.multioutput import MultiOutputClassifier
    from sklearn.pipeline import make_pipeline

    both = np.column_stack([GOOD, GOOD[::-1]])
    model = make_pipeline(CountVectorizer(), MultiOutputClassifier(LogisticRegression())).fit(TEXTS, both)
    for one in (model, model.predict_proba):
        assert refused(one, classes=TWO) == (
            "the Pipeline has classes_ for each of 2 outputs; expected one list of classes.\n"
            '    Give a function that returns the probabilities by name: {"toxic": [...], ...}.'
        )
    assert refused(lambda texts: model.predict_proba(texts), classes=TWO, name="mine") == (
        "the function mine returned an array of the shape (2, 2, 2) for 2 texts; "
        "expected (2, classes).\n    Return one row per text with one probability per class."
    )


# Functions and objects: columns are read by their names, in any order.


def p_positive(text: str) -> float:
    return 0.75 if "good" in text else 0.125


def right(model: Any, **options: Any) -> bool:
    """Whether p(positive), or p(toxic), is that of each text, for batches of any size."""
    for size in (1, 256):
        predictions = load_model(model, batch_size=size, **options).predict(TEXTS)
        at = next(predictions.classes.index(one) for one in ("positive", "toxic") if one in predictions.classes)
        found = np.asarray(predictions.probabilities)[:, at]
        if not np.allclose(found, [p_positive(text) for text in TEXTS], atol=1e-6):
            return False
    return True


def ranked(negative: str, positive: str) -> Callable[[list[str]], Any]:
    """What ``pipeline(texts, top_k=None)`` gives: the labels of each text by their probability."""

    def model(texts: list[str]) -> Any:
        rows = [[(positive, p_positive(text)), (negative, 1 - p_positive(text))] for text in texts]
        return [[{"label": a, "score": p} for a, p in sorted(row, key=lambda one: -one[1])] for row in rows]

    return model


def rows(texts: list[str]) -> list[list[float]]:
    return [[1 - p_positive(text), p_positive(text)] for text in texts]


@sweep(
    ("model", "options"),
    [
        (ranked("neg", "pos"), {}),
        (ranked("neg", "pos"), {"classes": ["pos", "neg"]}),
        (ranked("LABEL_0", "LABEL_1"), {"labels": {"LABEL_1": "positive", "LABEL_0": "negative"}}),
        (ranked("LABEL_0", "LABEL_1"), {"labels": {"LABEL_1": "toxic"}, "task": "toxicity"}),
        (lambda texts: [{"positive": b, "negative": a} for a, b in rows(texts)], {"classes": TWO}),
        (lambda texts: [{1: b, 0: a} for a, b in rows(texts)], {"labels": {0: "negative", 1: "positive"}}),
        (lambda texts: pd.DataFrame(rows(texts))[[1, 0]], {"labels": {0: "negative", 1: "positive"}}),
        (lambda texts: [{0: b, 1: a} for a, b in rows(texts)], {"classes": ["positive", "negative"]}),
        (rows, {"labels": {1: "positive", 0: "negative"}}),
        (rows, {"labels": {"1": "positive", "0": "negative"}}),
        (rows, {"labels": {"LABEL_1": "positive", "LABEL_0": "negative"}}),
        (rows, {"labels": {True: "positive", False: "negative"}}),
        (lambda texts: [{"labels": ["positive", "negative"], "scores": [b, a]} for a, b in rows(texts)], {}),
    ],
)
def test_names_in_any_order(model: Any, options: dict[str, Any]) -> None:
    assert right(model, **options)


def test_objects_that_name_their_columns() -> None:
    torch = pytest.importorskip("torch")

    def of(**attributes: Any) -> Any:
        order = attributes.get("labels") or attributes.get("classes") or TWO
        p = {"positive": p_positive, "negative": lambda text: 1 - p_positive(text)}

        def proba(texts: list[str], as_numpy: bool = False) -> Any:
            return torch.tensor([[p[name](text) for name in order] for text in texts], requires_grad=True)

        return SimpleNamespace(predict_proba=proba, predict=lambda texts: [0] * len(texts), **attributes)

    for order in (TWO, TWO[::-1]):
        assert right(of(labels=order))  # as SetFit does
        assert right(of(classes=order))
    assert right(of(labels=None), classes=TWO)
    assert right(SimpleNamespace(**{**vars(of()), "labels": ["no", "no", "yes"]}), classes=TWO)
    message = refusal(LabelError, load_model, of(labels=TWO[::-1]), classes=TWO)
    assert message == (
        "classes= names negative, positive; the model's classes_ are positive, negative.\n"
        "    Leave classes= out; or give one name for each of them, in that order."
    )


# Objects of torch and transformers.


@pytest.fixture(scope="module")
def pair() -> tuple[Any, Any]:
    transformers, torch = pytest.importorskip("transformers"), pytest.importorskip("torch")
    torch.manual_seed(0)
    sizes = {"vocab_size": 400, "hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 1}
    config = transformers.BertConfig(**sizes, intermediate_size=8, id2label={0: "positive", 1: "negative"})
    model = transformers.BertForSequenceClassification(config).eval()
    model.classifier.weight.data *= 50
    return model, transformers.ByT5Tokenizer()


def pipeline(pair: tuple[Any, Any], **options: Any) -> Any:
    from transformers import pipeline

    return pipeline("text-classification", model=pair[0], tokenizer=pair[1], device="cpu", **options)


@pytest.mark.filterwarnings("ignore")
@sweep(
    "options",
    [{}, {"top_k": 1}, {"top_k": None}, {"function_to_apply": "softmax"}, {"truncation": True, "max_length": 4}],
)
def test_a_pipeline_gives_its_own_scores(pair: tuple[Any, Any], options: dict[str, Any]) -> None:
    own = pipeline(pair, **options)
    expected = [{one["label"]: one["score"] for one in row} for row in own(TEXTS[:4], top_k=None)]
    found = load_model(own).predict(TEXTS[:4])
    assert np.allclose(found.probabilities, [[row[name] for name in TWO] for row in expected], atol=1e-6)


@pytest.mark.filterwarnings("ignore")
@sweep("function", ["none", "sigmoid"])
def test_a_pipeline_with_another_function_is_refused(pair: tuple[Any, Any], function: str) -> None:
    assert refused(pipeline(pair, function_to_apply=function)) == (
        f'the pipeline has function_to_apply="{function}", and the model\'s configuration asks for '
        "softmax; it is not known which gives its probabilities.\n    Leave function_to_apply out. Of labels that do "
        'not exclude each other set model.config.problem_type = "multi_label_classification".'
    )


@pytest.mark.filterwarnings("ignore")
def test_parts_of_a_transformers_model_are_refused(pair: tuple[Any, Any]) -> None:
    import torch

    model, tokenizer = pair
    for one, comes in ((model, "without"), ((tokenizer, model), "after")):
        assert refused(one) == (
            f"the BertForSequenceClassification of transformers comes {comes} its tokenizer.\n"
            "    Give both in this order: load_model((model, tokenizer))."
        )
    assert refused(pipeline(pair, add_special_tokens=False)) == (
        "the pipeline gives its tokenizer the options add_special_tokens, which are not followed here.\n"
        "    Give the function instead: load_model(lambda texts: pipeline(texts, top_k=None))."
    )
    with pytest.raises(PredictionError, match=r"Linear failed on a batch of 2 texts .*TypeError"):
        load_model(torch.nn.Linear(3, 2), classes=TWO).predict(TEXTS[:2])
