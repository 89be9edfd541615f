"""Columns of objects and functions are read by their names: each number is right, or the output is refused."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from refusals import refusal
from sweep import sweep

from fairness_checklist.core.errors import LabelError
from fairness_checklist.models.load import load_model

TEXTS = ["so sad", "so happy", "a chair"]


def p_positive(text: str) -> float:
    return {"so sad": 0.25, "so happy": 0.875}.get(text, 0.5)


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
        (lambda texts: [{"positive": b, "negative": a} for a, b in rows(texts)], {"classes": ["negative", "positive"]}),
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
        order = attributes.get("labels") or attributes.get("classes") or ["negative", "positive"]
        p = {"positive": p_positive, "negative": lambda text: 1 - p_positive(text)}

        def proba(texts: list[str], as_numpy: bool = False) -> Any:
            return torch.tensor([[p[name](text) for name in order] for text in texts], requires_grad=True)

        return SimpleNamespace(predict_proba=proba, predict=lambda texts: [0] * len(texts), **attributes)

    for order in (["negative", "positive"], ["positive", "negative"]):
        assert right(of(labels=order))  # as SetFit does
        assert right(of(classes=order))
    assert right(of(labels=None), classes=["negative", "positive"])
    assert right(SimpleNamespace(**{**vars(of()), "labels": ["no", "no", "yes"]}), classes=["negative", "positive"])
    message = refusal(LabelError, load_model, of(labels=["positive", "negative"]), classes=["negative", "positive"])
    assert message == (
        "classes= names negative, positive; the model's classes_ are positive, negative.\n"
        "    Leave classes= out; or give one name for each of them, in that order."
    )
