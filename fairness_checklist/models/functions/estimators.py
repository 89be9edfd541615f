"""Estimators whose decisions are not the most probable class, and objects that are no model by themselves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from fairness_checklist.core.errors import ModelError, PredictionError
from fairness_checklist.models.labels import Labels

_RANDOM = ("Dropout", "AlphaDropout", "FeatureAlphaDropout", "BatchNorm")


@dataclass(frozen=True, eq=False)
class ObjectFunction:
    """An object as a function."""

    function: Callable[[list[str]], Any]  # from a list of texts to what `FunctionClassifier` or `FunctionTagger` reads
    classes: tuple[str, ...] | None = None  # the labels that it gives; None where the output names them
    labels: Labels | None = None  # which class they belong to, where the object decides that


def read_estimator(model: Any) -> ObjectFunction | None:
    """An estimator that decides by margins or a threshold of its own as a function; None for anything else."""
    if isinstance(model, type):
        return None
    owner = getattr(model, "__self__", model) if getattr(model, "__name__", "") == "decision_function" else model
    if hasattr(owner, "classes_") and callable(getattr(owner, "decision_function", None)):
        if owner is not model and hasattr(owner, "predict"):  # margins of pairs of classes are decided there
            return ObjectFunction(_with_classes(owner, lambda texts: (owner.predict(texts), {})))
        if owner is not model or not any(hasattr(owner, name) for name in ("predict", "predict_proba")):
            return ObjectFunction(_margin_function(owner), tuple(map(str, owner.classes_)))
    if hasattr(model, "classes_") and _has_own_decision(model):
        return ObjectFunction(_with_classes(model, lambda texts: (model.predict(texts), model.predict_proba(texts))))
    return None


def _with_classes(estimator: Any, function: Callable[[list[str]], Any]) -> Callable[[list[str]], Any]:
    function.classes_ = estimator.classes_  # type: ignore[attr-defined]
    return function


def _has_own_decision(estimator: Any) -> bool:
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
    probable = all(callable(getattr(estimator, name, None)) for name in ("predict", "predict_proba"))
    return probable and (with_threshold or getattr(last, "probability", False) is True)


def _margin_function(estimator: Any) -> Callable[[list[str]], list[str]]:
    """The decisions of an estimator that has margins alone: the largest, or for two classes the sign."""
    names = [str(cls) for cls in estimator.classes_]

    def predict(texts: list[str]) -> list[str]:
        margins = np.asarray(estimator.decision_function(texts), dtype=np.float64)
        if margins.ndim == 1:
            margins = np.column_stack([-margins, margins])
        if margins.shape[1] != len(names):
            raise PredictionError(
                f"decision_function returned {margins.shape[1]} margins for a text; expected one for each of "
                f"{len(names)} classes.",
                remedy="Give a function that returns labels, and classes=[...].",
            )
        return [names[at] for at in margins.argmax(axis=1).tolist()]

    return predict


def check_module(model: Any) -> None:
    """Raise `ModelError` for a tokenizer, a zero-shot pipeline, and a module whose answers are random."""
    if isinstance(model, type):
        return
    if type(model).__name__ == "ZeroShotClassificationPipeline":
        raise ModelError(
            "a pipeline for zero-shot classification needs the names of the labels.",
            remedy='Give a function: load_model(lambda texts: pipe(texts, candidate_labels=["negative", "positive"])).',
        )
    if callable(getattr(model, "convert_tokens_to_ids", None)):
        raise ModelError(
            f"a {type(model).__name__} is a tokenizer, and no model is given.",
            remedy="Give it with its model: load_model((model, tokenizer)).",
        )
    if callable(getattr(model, "forward", None)) and callable(getattr(model, "modules", None)):
        kinds = [type(module).__name__ for module in model.modules() if getattr(module, "training", False)]
        random = [kind for kind in kinds if kind.startswith(_RANDOM)]
        if random:
            raise ModelError(
                f"the module {type(model).__name__} is in training mode, in which {random[0]} changes its answers.",
                remedy="Call model.eval() first.",
            )
