"""Functions of every kind and estimators as models."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

from fairness_checklist.core.errors import PredictionError
from fairness_checklist.models.load import load_model

TEXTS = ["I am sad.", "I am happy.", "So sad, so sad.", "A happy day.", "It is a chair."]
CLASSES = ["negative", "positive"]


def rows(texts: list[str]) -> list[list[float]]:
    return [[0.75, 0.25] if "sad" in text else [0.125, 0.875] for text in texts]


EXPECTED = np.array(rows(TEXTS))


def named(predictions: Any) -> list[str]:
    return [predictions.classes[at] for at in predictions.predicted]


# functions


async def batched(texts: list[str]) -> Any:
    await asyncio.sleep(0)
    return rows(texts)


async def single(text: str) -> Any:
    await asyncio.sleep(0.001 * (len(text) % 3))  # they end in another order
    return rows([text])[0]


def plain_single(text: str) -> Any:
    return rows([text])[0]


async def stream(texts: list[str]) -> AsyncIterator[Any]:
    for text in texts:
        yield rows([text])[0]


class Service:
    """An asynchronous client."""

    async def __call__(self, text: str) -> Any:
        return rows([text])[0]

    async def predict_proba(self, texts: list[str]) -> Any:
        return rows(texts)


def with_scale(scale: float, texts: list[str]) -> Any:
    return [[scale * p for p in row] for row in rows(texts)]


KINDS: list[Any] = [
    batched,
    single,
    plain_single,
    stream,
    Service().__call__,
    Service().predict_proba,
    lambda texts: batched(texts),
    partial(with_scale, 1.0),
    lambda texts: iter(rows(texts)),
]


@pytest.mark.parametrize("model", KINDS)
def test_functions_of_every_kind_give_the_same(model: Callable[..., Any]) -> None:
    assert np.array_equal(load_model(model, classes=CLASSES).predict(TEXTS).probabilities, EXPECTED)


def test_an_asynchronous_function_in_a_loop_that_runs() -> None:
    async def notebook() -> Any:  # a cell of a notebook runs in the loop of its kernel
        return load_model(single, classes=CLASSES).predict(TEXTS).probabilities

    assert np.array_equal(asyncio.run(notebook()), EXPECTED)


def test_one_loop_for_all_calls_and_some_texts_at_once() -> None:
    loops, running, most = set(), 0, 0

    async def client(text: str) -> float:
        nonlocal running, most
        loops.add((id(asyncio.get_running_loop()), threading.get_ident()))
        running += 1
        most = max(most, running)
        await asyncio.sleep(0.001)
        running -= 1
        return 0.5

    load_model(client, batch_size=40).predict([f"text {at}" for at in range(100)])
    assert len(loops) == 1
    assert most == 16


def test_an_asynchronous_error_names_the_text() -> None:
    async def fails(text: str) -> float:
        if "happy" in text:
            raise ConnectionError("gone")
        return 0.5

    with pytest.raises(PredictionError, match=r"fails failed on a batch of 5 texts .*: ConnectionError: gone"):
        load_model(fails).predict(TEXTS)


# scikit-learn


def lower(texts: list[str]) -> list[str]:
    return [text.lower() for text in texts]


def fitted(labels: Any, estimator: str) -> Any:
    pytest.importorskip("sklearn")
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import FunctionTransformer
    from sklearn.svm import LinearSVC

    last = {"logistic": LogisticRegression(C=1e4), "svc": LinearSVC()}[estimator]
    return make_pipeline(FunctionTransformer(lower), CountVectorizer(), last).fit(TEXTS[:4], labels)


@pytest.mark.parametrize("estimator", ["logistic", "svc"])
@pytest.mark.parametrize(
    ("labels", "options"),
    [(["neg", "pos"] * 2, {}), ([0, 1] * 2, {"labels": {0: "negative", 1: "positive"}})],
)
def test_pipelines_of_scikit_learn(labels: list[Any], options: dict[str, Any], estimator: str) -> None:
    predictions = load_model(fitted(labels, estimator), **options).predict(TEXTS[:4])
    assert named(predictions) == ["negative", "positive"] * 2
    assert (predictions.probabilities is None) == (estimator == "svc")


@pytest.mark.parametrize("labels", [["neg", "pos"] * 2, ["neg", "pos", "neutral", "pos"]])
def test_an_estimator_with_margins_alone(labels: list[str]) -> None:
    svc = fitted(labels, "svc")

    class Margins:
        classes_ = svc.classes_
        decision_function = staticmethod(svc.decision_function)

    expected = [{"neg": "negative", "pos": "positive"}.get(label, label) for label in svc.predict(TEXTS)]
    assert named(load_model(Margins()).predict(TEXTS)) == expected


def test_labels_with_scores_of_another_number() -> None:
    model = load_model(lambda texts: (["positive"] * len(texts), {"s": [0.5]}), classes=CLASSES)
    with pytest.raises(PredictionError, match=r"returned scores of the shape \(1,\) for 5 texts"):
        model.predict(TEXTS)


@pytest.mark.filterwarnings("ignore")
def test_a_classifier_with_a_tokenizer_that_is_not_fast() -> None:
    transformers = pytest.importorskip("transformers")
    tokenizer = transformers.ByT5Tokenizer()
    assert not tokenizer.is_fast
    sizes = {"vocab_size": 400, "hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 1}
    config = transformers.BertConfig(**sizes, intermediate_size=8, id2label={0: "negative", 1: "positive"})
    model = transformers.BertForSequenceClassification(config).eval()
    found = load_model((model, tokenizer)).predict(TEXTS).probabilities
    expected = []
    for text in TEXTS:
        logits = model(**tokenizer(text, return_tensors="pt")).logits[0].detach().double().numpy()
        expected.append(np.exp(logits) / np.exp(logits).sum())
    assert np.allclose(found, expected, atol=1e-6)
