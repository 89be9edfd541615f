"""`load_model`: one door for folders, hub ids, bundled models, objects and functions."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from fairness_checklist.errors import ModelError, OptionError
from fairness_checklist.models.base import Classifier
from fairness_checklist.models.callables import FunctionClassifier
from fairness_checklist.models.labels import Labels
from fairness_checklist.tasks import get_task

__all__ = ["load_model"]


def load_model(
    model: str | os.PathLike[str] | Callable[[list[str]], Any] | Any,
    *,
    task: str = "sentiment",
    labels: Labels | None = None,
    classes: Sequence[str] | None = None,
    name: str | None = None,
    max_length: int | None = None,
    batch_tokens: int = 2048,
    batch_size: int = 256,
    device: str | None = None,
    dtype: str = "float32",
    revision: str | None = None,
) -> Classifier:
    """A classifier for a task, from whatever holds it.

    Args:
        model: the folder of a transformers sequence classifier (no network); a hub id ``owner/name``; "bundled",
            "bundled/sentiment-3" or "bundled/sentiment-2"; a pair (model, tokenizer) or a pipeline of transformers; or
            a function from a list of texts to probabilities (n, C), or to ``(predictions, probabilities)`` as
            CheckList's ``PredictorWrapper.wrap_softmax`` gives.
        task: whose classes the model's labels are matched to.
        labels: ``{"LABEL_0": "negative", ...}`` where the names do not say it; several labels may share a class.
        classes: of a function: what its columns are.
        name: of a function: what to call it. Predictions are kept between runs only under such a name.
        max_length: the most tokens of a text; by default what the model reads.
        batch_tokens: the most padded tokens of a batch.
        batch_size: of a function: how many texts it gets at once.
        device: where a transformers model runs, the CPU by default.
        dtype: "float32"; "bfloat16" and "float16" are faster and move probabilities by as much as real gaps between
            groups, so that the predictions say so.
        revision: branch, tag or commit of a hub id.

    Raises:
        ModelError: there is no such model, or it is incomplete, of another kind, or unsafe to open.
        LabelError: its labels do not match the task's classes.
        OptionError: an unknown task, an option out of range, or one that this kind of model does not have.

    >>> load_model(lambda texts: [0.75] * len(texts)).predict(["Anna is here."]).probabilities
    array([[0.25, 0.75]])
    """
    task_classes = get_task(task).classes
    options: dict[str, Any] = {"max_length": max_length, "batch_tokens": batch_tokens}
    of_function = {"classes": classes is not None, "name": name is not None, "batch_size": batch_size != 256}
    of_files = {"device": device is not None, "dtype": dtype != "float32", "revision": revision is not None}
    if isinstance(model, (str, os.PathLike)):
        _refuse(of_function, "a function")
        options.update(device=device, dtype=dtype)
        return _load_named(os.fspath(model), task, labels, revision, options)
    pair = _as_pair(model)
    if pair is not None:
        from fairness_checklist.models.huggingface import from_objects

        _refuse(of_function, "a function")
        _refuse(of_files, "a model that is loaded from files")
        return from_objects(*pair, task_classes=task_classes, labels=labels, **options)
    if callable(model):
        of_tokens = {"max_length": max_length is not None, "batch_tokens": batch_tokens != 2048}
        _refuse({**of_files, **of_tokens}, "a transformers model")
        return FunctionClassifier(model, task_classes, classes=classes, labels=labels, name=name, batch_size=batch_size)
    raise ModelError(
        f"an object of the type {type(model).__name__} is no model.",
        remedy="Give a folder, a hub id, a pair (model, tokenizer), or a function from texts to probabilities.",
    )


def _refuse(given: Mapping[str, bool], owner: str) -> None:
    """An option that would be ignored is an error."""
    names = [f"{option}=" for option, is_given in given.items() if is_given]
    if names:
        raise OptionError(
            f"{', '.join(names)} {'belong' if len(names) > 1 else 'belongs'} to {owner}, which this model is not.",
            remedy="Leave it out." if len(names) == 1 else "Leave them out.",
        )


def _load_named(
    model: str, task: str, labels: Labels | None, revision: str | None, options: dict[str, Any]
) -> Classifier:
    from fairness_checklist.models.hub import fetch, is_hub_id
    from fairness_checklist.models.huggingface import from_folder

    options = {**options, "task_classes": get_task(task).classes, "labels": labels, "shown": model}
    if model == "bundled" or model.startswith("bundled/"):
        from fairness_checklist.models.bundled import bundled_folder, default_bundled

        short = model.partition("/")[2] or default_bundled(task)
        return from_folder(bundled_folder(short), name=f"bundled/{short}", **options)
    folder = Path(model).expanduser()
    if folder.exists() or not is_hub_id(model):
        return from_folder(folder, name=folder.resolve().name, **options)
    folder = fetch(model, revision)
    return from_folder(folder, name=model, revision=folder.name, **options)


def _as_pair(model: Any) -> tuple[Any, Any] | None:
    """(model, tokenizer) of a pair or of a transformers pipeline; None for anything else."""
    if isinstance(model, tuple) and len(model) == 2 and hasattr(model[0], "config"):
        return model
    inner, tokenizer = getattr(model, "model", None), getattr(model, "tokenizer", None)
    if tokenizer is not None and hasattr(inner, "config") and hasattr(model, "preprocess"):
        return inner, tokenizer
    return None
