"""Columns of objects and functions are read by their names: each number is right, or the output is refused."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from fairness_checklist.core.errors import InputError
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


def refused(make: Callable[[], Any]) -> str:
    with pytest.raises(InputError) as caught:
        make()
    return f"{type(caught.value).__name__}: {caught.value}"


def ranked(negative: str, positive: str) -> Callable[[list[str]], Any]:
    """What ``pipeline(texts, top_k=None)`` gives: the labels of each text by their probability."""

    def model(texts: list[str]) -> Any:
        rows = [[(positive, p_positive(text)), (negative, 1 - p_positive(text))] for text in texts]
        return [[{"label": a, "score": p} for a, p in sorted(row, key=lambda one: -one[1])] for row in rows]

    return model


def rows(texts: list[str]) -> list[list[float]]:
    return [[1 - p_positive(text), p_positive(text)] for text in texts]


@pytest.mark.parametrize(
    ("model", "options"),
    [
        (ranked("neg", "pos"), {}),
        (ranked("neg", "pos"), {"classes": ["pos", "neg"]}),
        (ranked("LABEL_0", "LABEL_1"), {"labels": {"LABEL_1": "positive", "LABEL_0": "negative"}}),
        (ranked("LABEL_0", "LABEL_1"), {"labels": {"LABEL_1": "toxic"}, "task": "toxicity"}),
        (lambda texts: [{1: b, 0: a} for a, b in rows(texts)], {"labels": {0: "negative", 1: "positive"}}),
        (rows, {"labels": {1: "positive", 0: "negative"}}),
        (rows, {"labels": {"1": "positive", "0": "negative"}}),
        (rows, {"labels": {"LABEL_1": "positive", "LABEL_0": "negative"}}),
        (rows, {"labels": {True: "positive", False: "negative"}}),
        (lambda texts: [{"labels": ["positive", "negative"], "scores": [b, a]} for a, b in rows(texts)], {}),
    ],
)
def test_names_in_any_order(model: Any, options: dict[str, Any]) -> None:
    assert right(model, **options)


def fitted(estimator: Any, labels: list[Any]) -> Any:
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.pipeline import make_pipeline

    return make_pipeline(CountVectorizer(), estimator).fit(TEXTS[:2] * 6, labels * 6)


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
    assert refused(lambda: load_model(of(labels=["positive", "negative"]), classes=["negative", "positive"])) == (
        "LabelError: classes= names negative, positive; the model's classes_ are positive, negative.\n"
        "    Leave classes= out; or give one name for each of them, in that order."
    )


def test_what_is_no_probability_or_in_another_order() -> None:
    from sklearn.linear_model import LogisticRegression

    model = fitted(LogisticRegression(), ["neg", "pos"])
    assert refused(lambda: load_model(model.predict_log_proba)) == (
        "ModelError: predict_log_proba of the Pipeline gives logarithms; expected probabilities or labels.\n"
        "    Give the estimator itself."
    )
    by_place = load_model(ranked("LABEL_0", "LABEL_1"), labels={1: "toxic"}, task="toxicity", name="mine")
    assert refused(lambda: by_place.predict(TEXTS)) == (
        "LabelError: labels= names column 1, and the function mine gives labels by name: LABEL_0, LABEL_1.\n"
        "    Give their classes by name."
    )
    for given in ({"classes": ["positive", "negative"]}, {"labels": ["positive", "negative"]}):
        assert refused(lambda: load_model(model, **given)) == (  # noqa: B023  called at once
            "LabelError: neg is given the class positive, and pos the class negative.\n"
            "    The labels are neg, pos, in this order. Leave classes= and labels= out, or give the class of each by "
            'name: labels={"neg": "negative", "pos": "positive"}.'
        )
    for labels in ([False, True], [0.0, 1.0]):
        shown = refused(lambda: load_model(fitted(LogisticRegression(), labels), task="toxicity"))  # noqa: B023
        assert shown == (
            f"LabelError: the model's labels {labels[0]}, {labels[1]} match none of the task's classes nontoxic, "
            f'toxic.\n    Give the class of each label: labels={{"{labels[0]}": "CLASS", "{labels[1]}": "CLASS"}}; '
            "see the model's card."
        )


def bert(labels: list[str], **config: Any) -> tuple[Any, Any]:
    transformers = pytest.importorskip("transformers")
    torch = pytest.importorskip("torch")
    torch.manual_seed(0)
    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "so", "sad", "happy", "a", "chair"]
    sizes = {"hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 8}
    names = {"id2label": dict(enumerate(labels)), "label2id": {name: at for at, name in enumerate(labels)}}
    options = {"vocab_size": len(pieces), "initializer_range": 1.0, **sizes, **names, **config}
    model = transformers.BertForSequenceClassification(transformers.BertConfig(**options)).eval()
    return model, transformers.BertTokenizer(vocab={piece: at for at, piece in enumerate(pieces)})


def test_a_pipeline_for_zero_shot_and_a_tokenizer() -> None:
    from transformers import pipeline

    entails = bert(["contradiction", "neutral", "entailment"])
    zero_shot: Any = pipeline("zero-shot-classification", model=entails[0], tokenizer=entails[1])
    assert refused(lambda: load_model(zero_shot)) == (
        "ModelError: a pipeline for zero-shot classification needs the names of the labels.\n"
        '    Give a function: load_model(lambda texts: pipe(texts, candidate_labels=["negative", "positive"])).'
    )
    assert refused(lambda: load_model(entails[1])) == (
        "ModelError: a BertTokenizer is a tokenizer, and no model is given.\n"
        "    Give it with its model: load_model((model, tokenizer))."
    )


def test_a_module_of_texts() -> None:
    torch = pytest.importorskip("torch")

    class Module(torch.nn.Module):  # type: ignore[name-defined, misc]
        def __init__(self) -> None:
            super().__init__()
            self.dropout = torch.nn.Dropout(0.5)

        def forward(self, texts: list[str]) -> Any:
            return self.dropout(torch.tensor(rows(texts)))

    module = Module()
    assert refused(lambda: load_model(module, classes=["negative", "positive"])) == (
        "ModelError: the module Module is in training mode, in which Dropout changes its answers.\n"
        "    Call model.eval() first."
    )
    assert right(module.eval(), classes=["negative", "positive"])
    logits = load_model(lambda texts: module(texts) * 4 - 2, classes=["negative", "positive"], name="mine")
    assert "Return probabilities, not logits" in refused(lambda: logits.predict(TEXTS))
