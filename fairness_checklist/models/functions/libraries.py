"""Objects of other libraries as models, recognised by their methods: no library is imported here.

spaCy pipelines that classify texts, lexicons such as VADER, Presidio's analyzer, GLiNER, and sessions of ONNX Runtime
with a tokenizer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from fairness_checklist.core.arrays import FloatArray
from fairness_checklist.core.errors import ModelError, OptionError, first_ten
from fairness_checklist.core.option_defaults import BATCH_TOKENS
from fairness_checklist.core.tasks import Task
from fairness_checklist.models.batching import plan_batches
from fairness_checklist.models.engines.local import softmax
from fairness_checklist.models.functions.estimators import ObjectFunction
from fairness_checklist.models.labels import Labels, class_by_name

COMPOUND = 0.05
"""VADER's threshold: a compound score of .05 or more is positive, of -.05 or less negative, others are neutral."""
_TEXTCAT = ("textcat", "textcat_multilabel")
_GLINER = {"PER": "person", "LOC": "location", "ORG": "organization"}

_ONNX = 'Give the session with its tokenizer: load_model((session, tokenizer), classes=["negative", "positive"]).'


def read_library_model(model: Any, task: Task) -> ObjectFunction | None:
    """An object of a library as a function for a task; None where it is of none that is known here."""
    if isinstance(model, tuple) and len(model) == 2 and _is_session(model[0]):
        _check_task(task, "a session of ONNX Runtime", tagging=False)
        return ObjectFunction(_session_function(*model))
    if _is_session(model):
        raise ModelError("a session of ONNX Runtime reads numbers, and no tokenizer is given.", remedy=_ONNX)
    if hasattr(model, "pipe_names") and callable(getattr(model, "pipe", None)):
        return None if task.tagging and list(model.pipe_names) else _spacy_model(model, task)
    if callable(getattr(model, "polarity_scores", None)):
        _check_task(task, "a lexicon with polarity_scores", tagging=False, name="sentiment")
        return ObjectFunction(_lexicon_function(model), ("negative", "neutral", "positive"))
    if callable(getattr(model, "analyze", None)) and hasattr(model, "get_supported_entities"):
        _check_task(task, "an analyzer of Presidio", tagging=True)
        return ObjectFunction(_presidio_function(model))
    if callable(getattr(model, "predict_entities", None)):
        _check_task(task, "a model with predict_entities", tagging=True)
        names = [_GLINER[kind] for kind in task.classes if kind in _GLINER]
        return ObjectFunction(lambda texts: [model.predict_entities(text, names) for text in texts])
    return None


def _check_task(task: Task, what: str, *, tagging: bool, name: str = "") -> None:
    """Raise `ModelError` for a task that the object does not do."""
    if task.tagging != tagging or name not in ("", task.name):
        does = "tags words" if tagging else "scores sentiment" if name else "classifies whole texts"
        raise ModelError(
            f"{what} {does}, and the task is {task.name}.",
            remedy=f"Give a model for {task.name}, or a function that turns its output into that of one.",
        )


def _is_session(model: Any) -> bool:
    return callable(getattr(model, "run", None)) and callable(getattr(model, "get_inputs", None))


def _session_function(session: Any, tokenizer: Any) -> Callable[[list[str]], FloatArray]:
    """The softmax of the first output of a session."""

    def predict(texts: list[str]) -> FloatArray:
        encoded = tokenizer(texts, truncation=True)
        batches = plan_batches([len(ids) for ids in encoded["input_ids"]], BATCH_TOKENS)
        names = [part.name for part in session.get_inputs()]
        inputs = [
            {name: np.array([encoded[name][row] for row in rows], np.int64) for name in names} for rows in batches
        ]
        logits = np.concatenate([session.run(None, one)[0] for one in inputs]).astype(np.float64)
        return softmax(logits[np.argsort(np.concatenate(batches))])

    return predict


def _spacy_model(pipeline: Any, task: Task) -> ObjectFunction:
    """The categories of the texts by the component that classifies them: labels of ``textcat`` exclude each other, and
    of those of ``textcat_multilabel`` the one of the task's positive class stands against its complement."""
    names = list(pipeline.pipe_names)
    if task.tagging:
        raise ModelError("the spaCy pipeline has no components, so that it finds no entities.", remedy="Add one: ner.")
    factories = {name: pipeline.get_pipe_meta(name).factory for name in names}
    textcats = [name for name in names if factories[name] in _TEXTCAT]
    if len(textcats) != 1:
        have = f"the components {first_ten(names)}" if names else "no components"
        raise ModelError(
            f"the spaCy pipeline has {have}; expected one that classifies texts: {' or '.join(_TEXTCAT)}.",
            remedy='For entities load it for another task: load_model(nlp, task="ner").',
        )
    own = tuple(str(label) for label in pipeline.get_pipe(textcats[0]).labels)
    labels: Labels | None = None
    if factories[textcats[0]] == _TEXTCAT[1]:
        positive = task.positive or task.classes[-1]
        labels = {label: positive for label in own if class_by_name(label, task.classes) == positive} or None

    def predict(texts: list[str]) -> list[dict[str, float]]:
        return [{label: doc.cats[label] for label in own} for doc in pipeline.pipe(texts)]

    return ObjectFunction(predict, own, labels)


def _lexicon_function(lexicon: Any) -> Callable[[list[str]], tuple[list[str], dict[str, list[float]]]]:
    """The class by the compound score, and that score; its shares of words are no probabilities of classes."""

    def predict(texts: list[str]) -> tuple[list[str], dict[str, list[float]]]:
        scores = [float(lexicon.polarity_scores(text)["compound"]) for text in texts]
        labels = ["positive" if s >= COMPOUND else "negative" if s <= -COMPOUND else "neutral" for s in scores]
        return labels, {"compound": scores}

    return predict


def _presidio_function(analyzer: Any) -> Callable[[list[str]], list[Any]]:
    """The spans that an analyzer finds, in English, or in its one language."""
    languages: Sequence[str] = list(getattr(analyzer, "supported_languages", None) or ["en"])
    language = languages[0] if len(languages) == 1 else "en"
    if language not in languages:
        raise OptionError(
            f"the analyzer reads {first_ten(languages)}, and it is not known which of them the texts are in.",
            remedy="Give a function: lambda texts: [analyzer.analyze(text=text, language=...) for text in texts].",
        )
    return lambda texts: [analyzer.analyze(text=text, language=language) for text in texts]
