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


_OTHER = """LabelError: the function mine returned {}, and its labels are {}.
    Return the same names for all texts. Where classes= or labels= is given, name them as the function does: \
labels={}, for instance."""


@pytest.mark.parametrize("size", [1, 256])
@pytest.mark.parametrize(
    ("model", "options", "text"),
    [
        (
            ranked("LABEL_0", "LABEL_1"),
            {"classes": ["negative", "positive"]},
            _OTHER.format("LABEL_0, LABEL_1", "negative, positive", '{"LABEL_0": "negative", "LABEL_1": "positive"}'),
        ),
        (
            ranked("neg", "pos"),
            {"labels": ["negative", "positive"]},
            _OTHER.format("neg, pos", "negative, positive", '{"neg": "negative", "pos": "positive"}'),
        ),
        (
            ranked("LABEL_0", "LABEL_1"),
            {"labels": {1: "toxic"}, "task": "toxicity"},
            "LabelError: labels= names column 1, and the function mine gives labels by name: LABEL_0, LABEL_1.\n"
            '    Give their classes by name: labels={"LABEL_0": "nontoxic", "LABEL_1": "toxic"}, for instance.',
        ),
        (
            lambda texts: [row[:1] for row in ranked("nontoxic", "toxic")(texts)],  # top_k=1
            {"task": "toxicity"},
            "PredictionError: the function mine returned the best label of each text; expected all of them.\n"
            "    Ask the pipeline for all: pipeline(texts, top_k=None).",
        ),
    ],
)
def test_names_that_are_not_known(model: Any, options: dict[str, Any], text: str, size: int) -> None:
    def predict() -> None:
        load_model(model, name="mine", batch_size=size, **options).predict(TEXTS[1::-1])

    found = refused(predict)
    assert found.replace("LABEL_1, LABEL_0", "LABEL_0, LABEL_1").replace("pos, neg", "neg, pos") == text


def test_a_label_that_comes_later() -> None:
    answers = iter([[{"negative": 0.25, "positive": 0.75}], [{"neutral": 0.75, "positive": 0.25}]])
    model = load_model(lambda texts: next(answers), name="mine", batch_size=1)
    assert refused(lambda: model.predict(TEXTS[:2])) == _OTHER.format(
        "neutral", "negative, positive", '{"neutral": "neutral", "positive": "positive"}'
    )


def fitted(estimator: Any, labels: list[Any]) -> Any:
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.pipeline import make_pipeline

    return make_pipeline(CountVectorizer(), estimator).fit(TEXTS[:2] * 6, labels * 6)


@pytest.mark.parametrize(
    ("labels", "options"),  # of a sad text, and of a happy one
    [
        (["neg", "pos"], {}),
        (["negative", "a_positive"], {"labels": {"a_positive": "positive"}}),
        ([False, True], {"labels": {True: "positive", False: "negative"}}),
        ([True, False], {"labels": {"True": "negative", "False": "positive"}}),
        ([1, 0], {"labels": ["positive", "negative"]}),
        ([1, -1], {"labels": {1: "negative", -1: "positive"}}),
        ([0.0, 1.0], {"labels": {1: "positive", 0: "negative"}}),
        (["b", "a"], {"classes": ["positive", "negative"]}),
    ],
)
@pytest.mark.parametrize("kind", ["plain", "searched", "calibrated", "voting"])
def test_estimators_in_wrappers(labels: list[Any], options: dict[str, Any], kind: str) -> None:
    from sklearn.calibration import CalibratedClassifierCV
    from sklearn.ensemble import VotingClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import GridSearchCV
    from sklearn.svm import LinearSVC

    model = fitted(LogisticRegression(), labels)
    if kind == "searched":
        model = GridSearchCV(model, {"logisticregression__C": [0.5, 1]}, cv=2)
    elif kind == "calibrated":
        model = CalibratedClassifierCV(fitted(LinearSVC(), labels), cv=2)
    elif kind == "voting":
        model = VotingClassifier([("one", model)], voting="soft")
    model.fit(TEXTS[:2] * 6, labels * 6)
    positive = list(model.classes_).index(labels[1])
    for one in (model, model.predict_proba):
        predictions = load_model(one, **options).predict(TEXTS[:2])
        assert predictions.classes == ("negative", "positive")
        assert np.allclose(np.asarray(predictions.probabilities)[:, 1], model.predict_proba(TEXTS[:2])[:, positive])
        assert predictions.predicted.tolist() == [0, 1]


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
    from sklearn.multioutput import MultiOutputClassifier

    model = fitted(LogisticRegression(), ["neg", "pos"])
    for method, what in (("decision_function", "margins"), ("predict_log_proba", "logarithms")):
        assert refused(lambda: load_model(getattr(model, method))) == (  # noqa: B023  called at once
            f"ModelError: {method} of the Pipeline gives {what}; expected probabilities or labels.\n"
            "    Give the estimator itself."
        )
    for given in ({"classes": ["positive", "negative"]}, {"labels": ["positive", "negative"]}):
        assert refused(lambda: load_model(model, **given)) == (  # noqa: B023  called at once
            "LabelError: neg is given the class positive, and pos the class negative.\n"
            "    The labels are neg, pos, in this order. Leave classes= and labels= out, or give the class of each by "
            'name: labels={"neg": "negative", "pos": "positive"}.'
        )
    several = fitted(MultiOutputClassifier(LogisticRegression()), [[0, 1], [1, 0]])
    assert refused(lambda: load_model(several, task="toxicity")) == (
        "LabelError: the Pipeline has classes_ for each of 2 outputs; expected one list of classes.\n"
        '    Give a function that returns the probabilities by name: {"toxic": [...], ...}.'
    )
    arrays = load_model(lambda texts: several.predict_proba(texts), classes=["negative", "positive"], name="mine")
    assert refused(lambda: arrays.predict(TEXTS)) == (
        "PredictionError: the function mine returned an array of the shape (2, 3, 2) for 3 texts; expected (3, "
        "classes).\n    Return one row per text with one probability per class."
    )
    for labels in ([False, True], [0.0, 1.0]):
        shown = refused(lambda: load_model(fitted(LogisticRegression(), labels), task="toxicity"))  # noqa: B023
        assert shown == (
            f"LabelError: the model's labels {labels[0]}, {labels[1]} match none of the task's classes nontoxic, "
            f'toxic.\n    Give the mapping, for instance labels={{"{labels[0]}": "nontoxic", "{labels[1]}": "toxic"}}; '
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


@pytest.mark.parametrize(
    "options",
    [
        *({"top_k": 1}, {"top_k": None}, {"function_to_apply": "softmax"}, {"function_to_apply": "none"}),
        {"truncation": True, "max_length": 3},
    ],
)
def test_a_pipeline_with_options(options: dict[str, Any]) -> None:
    """The numbers are those that the pipeline gives for all labels; the number of labels that it shows is no matter."""
    from transformers import pipeline

    model, tokenizer = bert(["positive", "negative", "neutral"])
    given: Any = pipeline("text-classification", model=model, tokenizer=tokenizer, **options)
    expected = [
        {one["label"]: one["score"] for one in row} for row in given(TEXTS, top_k=None, function_to_apply="softmax")
    ]
    given = pipeline("text-classification", model=model, tokenizer=tokenizer, **options)
    predictions = load_model(given).predict(TEXTS)
    wanted = [[row[name] for name in ("negative", "neutral", "positive")] for row in expected]
    assert np.allclose(np.asarray(predictions.probabilities), wanted, atol=1e-6)


def test_pipelines_that_read_in_another_way() -> None:
    from transformers import pipeline

    model, tokenizer = bert(["positive", "negative", "neutral"])

    def made(**options: Any) -> Any:
        return pipeline("text-classification", model=model, tokenizer=tokenizer, **options)

    assert refused(lambda: load_model(made(function_to_apply="sigmoid"))) == (
        "ModelError: the pipeline applies sigmoid to the outputs, and by the model's configuration they are for "
        "softmax.\n"
        '    Set it: pipe.model.config.problem_type = "multi_label_classification"; or leave function_to_apply out.'
    )
    assert refused(lambda: load_model(made(add_special_tokens=False))) == (
        "ModelError: the pipeline tokenizes with options of its own: add_special_tokens.\n"
        "    Give a function: load_model(lambda texts: pipe(texts, top_k=None)); or make the pipeline without."
    )
    entails = bert(["contradiction", "neutral", "entailment"])
    zero_shot: Any = pipeline("zero-shot-classification", model=entails[0], tokenizer=entails[1])
    assert refused(lambda: load_model(zero_shot)) == (
        "ModelError: a pipeline for zero-shot classification needs the names of the labels.\n"
        '    Give a function: load_model(lambda texts: pipe(texts, candidate_labels=["negative", "positive"])).'
    )
    assert refused(lambda: load_model(model)) == (
        "ModelError: a BertForSequenceClassification reads numbers, and no tokenizer is given.\n"
        "    Give it with its tokenizer: load_model((model, tokenizer))."
    )
    assert refused(lambda: load_model(tokenizer)) == (
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
