"""Functions, estimators and objects of other libraries as one record; no library is imported here."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from fairness_checklist.core.errors import LabelError, ModelError, first_ten
from fairness_checklist.core.tasks import Task
from fairness_checklist.models.labels import Labels, check_class_order

COMPOUND = 0.05
"""VADER's threshold: a compound score of .05 or more is positive, of -.05 or less negative, others are neutral."""


@dataclass(frozen=True, eq=False)
class ObjectFunction:
    """An object as a function of a list of texts."""

    function: Callable[[list[str]], Any]  # returns what `FunctionClassifier` or `FunctionTagger` reads
    name: str  # what errors and run.json call it
    classes: tuple[Any, ...] | None = None  # the labels of its columns, as the object writes them, where it names them
    gives_labels: bool = False  # whether it returns one label a text, and no probabilities


def function_name(function: Any) -> str:
    """The qualified name of a function, or of the class of another object."""
    return str(getattr(function, "__qualname__", None) or type(function).__qualname__).replace("<locals>.", "")


def read_object(model: Any, task: Task) -> ObjectFunction:
    """A function, an estimator, or an object of spaCy, VADER or Presidio, recognised by its methods."""
    if isinstance(model, type):
        raise _no_model(f"the class {model.__name__}", task)
    name = type(model).__name__
    if hasattr(model, "pipe_names") and callable(getattr(model, "pipe", None)):
        if not list(model.pipe_names):
            raise ModelError("the spaCy pipeline has no components, so that it finds nothing.", remedy="Add one: ner.")
        return ObjectFunction(model.pipe if task.tagging else partial(_categories, model), name)
    if callable(getattr(model, "polarity_scores", None)):
        _check_task(task, "a lexicon with polarity_scores scores sentiment", "sentiment")
        return ObjectFunction(partial(_lexicon_labels, model), name, ("negative", "neutral", "positive"))
    if callable(getattr(model, "analyze", None)) and hasattr(model, "get_supported_entities"):
        _check_task(task, "an analyzer of Presidio tags words", "ner")
        return ObjectFunction(_presidio_function(model), name)
    classes = _estimator_classes(model)
    if classes is not None and _decides_itself(model):
        return ObjectFunction(lambda texts: (model.predict(texts), model.predict_proba(texts)), name, classes)
    for method in ("predict_proba", "predict"):
        function = getattr(model, method, None)
        if callable(function) and (method == "predict_proba" or hasattr(model, "classes_") or not callable(model)):
            labels = method == "predict" and classes is not None
            return ObjectFunction(function, function_name(function), classes, labels)
    if not callable(model):
        raise _no_model(f"an object of the type {name}", task)
    bound = getattr(model, "__name__", "") if hasattr(model, "__self__") else ""
    return ObjectFunction(model, function_name(model), classes, bound == "predict" and classes is not None)


def _no_model(what: str, task: Task) -> ModelError:
    expected = f"a function from texts to {'tags' if task.tagging else 'probabilities'}, or an object with a method "
    expected += "predict_proba or predict."
    return ModelError(
        f"{what} is no model.",
        remedy=f"Give a folder, a hub id, a pair (model, tokenizer), {expected}",
        command_remedy=f"Name {expected}",
    )


def _check_task(task: Task, what: str, name: str) -> None:
    if task.name != name:
        raise ModelError(
            f"{what}, and the task is {task.name}.",
            remedy=f"Give a model for {task.name}, or a function that turns its output into that of one.",
        )


def _categories(pipeline: Any, texts: list[str]) -> list[dict[str, float]]:
    """The categories of a spaCy pipeline that classifies texts."""
    rows = [dict(doc.cats) for doc in pipeline.pipe(texts)]
    if rows and not rows[0]:
        raise ModelError(
            f"the spaCy pipeline has the components {first_ten(pipeline.pipe_names)}; expected one that classifies "
            "texts: textcat or textcat_multilabel.",
            remedy='For entities load it for another task: load_model(nlp, task="ner").',
        )
    return rows


def _lexicon_labels(lexicon: Any, texts: list[str]) -> tuple[list[str], dict[str, list[float]]]:
    """The class by the compound score, and that score; its shares of words are no probabilities of classes."""
    scores = [float(lexicon.polarity_scores(text)["compound"]) for text in texts]
    labels = ["positive" if s >= COMPOUND else "negative" if s <= -COMPOUND else "neutral" for s in scores]
    return labels, {"compound": scores}


def _presidio_function(analyzer: Any) -> Callable[[list[str]], list[Any]]:
    """The spans that an analyzer finds, in its one language, else in English."""
    languages: Sequence[str] = list(getattr(analyzer, "supported_languages", None) or ["en"])
    language = languages[0] if len(languages) == 1 else "en"
    return lambda texts: [analyzer.analyze(text=text, language=language) for text in texts]


def _estimator_classes(model: Any) -> tuple[Any, ...] | None:
    """``classes_`` of an estimator, of the one that a method is bound to, or of a function; None where there are none.

    Of an object with ``predict_proba`` also ``classes`` or ``labels`` (SetFit), where it has no ``classes_``.
    """
    while isinstance(model, partial):
        model = model.func
    owner = model if hasattr(model, "classes_") else getattr(model, "__self__", None)
    classes = getattr(owner, "classes_", None)
    if classes is None:
        objects = [each for each in (model, getattr(model, "__self__", None)) if hasattr(each, "predict_proba")]
        listed = [getattr(each, attribute, None) for each in objects for attribute in ("classes", "labels")]
        classes = next(filter(_are_distinct, listed), None)
    if classes is None:
        return None
    values = tuple(np.asarray(cls).tolist() for cls in classes)
    if any(isinstance(value, list) for value in values):
        raise LabelError(
            f"the {type(owner).__name__} has classes_ for each of {len(values)} outputs; expected one list of classes.",
            remedy='Give a function that returns the probabilities by name: {"toxic": [...], ...}.',
        )
    return values


def _are_distinct(values: Any) -> bool:
    """Whether an attribute may hold the names of columns, and not the labels of what the object was trained on."""
    names = [str(value) for value in values] if isinstance(values, (list, tuple, np.ndarray)) else []
    return 0 < len(names) == len(set(names))


def _decides_itself(estimator: Any) -> bool:
    """Whether ``predict`` of an estimator is not the most probable class: it has a threshold, or is an SVC.

    In a pipeline or a search it is the last estimator that decides.
    """
    last = estimator
    while True:
        steps = getattr(last, "steps", None)
        inner = steps[-1][1] if isinstance(steps, list) and steps else getattr(last, "best_estimator_", None)
        if inner is None:
            break
        last = inner
    with_threshold = hasattr(last, "best_threshold_") or (hasattr(last, "threshold") and hasattr(last, "pos_label"))
    both = all(callable(getattr(estimator, name, None)) for name in ("predict", "predict_proba"))
    return both and (with_threshold or getattr(last, "probability", False) is True)


def match_estimator_classes(
    values: Sequence[Any], classes: Sequence[str] | None, labels: Labels | None, task_classes: Sequence[str]
) -> tuple[list[str], Labels | None]:
    """The names of an estimator's columns, and ``labels`` with these names as keys."""
    written = [str(value) for value in values]
    if classes is None:
        if not isinstance(labels, Mapping):
            return written, labels
        by_value = dict(zip(values, written, strict=True))
        return written, {by_value.get(key, str(key)): cls for key, cls in labels.items()}
    names = [str(name) for name in classes]
    if len(names) != len(written) or (names != written and sorted(names) == sorted(written)):
        raise LabelError(
            f"classes= names {first_ten(names)}; the model's classes_ are {first_ten(written)}.",
            remedy="Leave classes= out; or give one name for each of them, in that order.",
        )
    check_class_order(written, names, task_classes)
    return names, labels
