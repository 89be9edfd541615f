"""`load_model`: folders, hub ids, bundled models, objects and functions as models."""

import json
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from inspect import signature
from typing import Any, Literal, overload

from fairness_checklist.core.errors import ModelError, OptionError, PredictionError, first_ten
from fairness_checklist.core.keywords import checks_keywords
from fairness_checklist.core.option_defaults import BATCH_TOKENS, DTYPE, choice, string, whole_number
from fairness_checklist.core.progress import is_shown, line
from fairness_checklist.core.tasks import Task, get_task
from fairness_checklist.models.base import DTYPES, ENGINES, POOLINGS, Classifier, Tagger
from fairness_checklist.models.functions.callables import FunctionClassifier
from fairness_checklist.models.functions.objects import read_object
from fairness_checklist.models.functions.token_callables import FunctionTagger
from fairness_checklist.models.labels import Labels
from fairness_checklist.models.predicting import times_slower

_FUNCTION_OPTIONS = ("classes", "name", "batch_size")
_FILE_OPTIONS = ("device", "dtype", "revision", "workers", "engine")
_TOKEN_OPTIONS = ("max_length", "batch_tokens")
_SLOWER = 1.1  # times: less is chance

Loadable = str | os.PathLike[str] | Callable[[list[str]], Any] | Any


@overload
def load_model(model: Loadable, *, task: Literal["ner"], **options: Any) -> Tagger: ...
@overload
def load_model(model: Loadable, *, task: Literal["sentiment", "toxicity"], **options: Any) -> Classifier: ...
@overload
def load_model(model: Loadable, *, task: str | None = ..., **options: Any) -> Classifier | Tagger: ...
@checks_keywords  # type: ignore[misc]  # the signatures above leave the other options out
def load_model(
    model: Loadable,
    *,
    task: str | None = None,
    labels: Labels | None = None,
    classes: Sequence[str] | None = None,
    name: str | None = None,
    scheme: str = "",
    pooling: str = POOLINGS[0],
    max_length: int | None = None,
    batch_tokens: int = BATCH_TOKENS,
    batch_size: int = 256,
    device: str | None = None,
    dtype: str = DTYPE,
    revision: str | None = None,
    workers: int = 1,
    engine: str = ENGINES[0],
) -> Any:
    """Load a classifier, or for ``task="ner"`` a tagger.

    Args:
        model: the folder of a transformers sequence or token classifier (no network), or the ``output_dir`` of Trainer,
            of which the last checkpoint is loaded; a hub id ``owner/name``;
            "bundled", "bundled/sentiment-3" or another of `bundled_models`; a pair (model, tokenizer) or a pipeline of
            transformers; a `ChatEndpoint`; a scikit-learn estimator or another object with
            ``predict_proba`` or ``predict``; an object of spaCy, VADER or Presidio; or a function, see
            `FunctionClassifier` and, of one that tags, `FunctionTagger` for what it may return.
        task: the task, to whose classes or entity types the labels are matched; by default "ner" for a token
            classifier, the task of a bundled model, and else "sentiment".
        labels: ``{"LABEL_0": "negative", ...}`` if the names do not identify the classes; several
            labels may share a class. For a tagger: its types, ``{"GPE": "LOC"}``, or tags, ``{"LABEL_1": "B-PER"}``.
        classes: of a function: the names of its columns, in order, where neither the output nor ``classes_`` of an
            estimator names them; of one that tags, its tags.
        name: of a function: its name. Predictions are stored between runs only if it is given.
        scheme: of a tagger: IOB1, IOB2 (BIO), BILOU, BIOES, BMES, BMEWO or plain; by default it is recognised.
        pooling: of a transformers tagger: a word has the probabilities of its "first" sub-word, or their "mean".
        max_length: the most tokens of a text; by default what the model reads.
        batch_tokens: the most tokens of a batch.
        batch_size: of a function: how many texts it gets at once.
        device: where a transformers model runs, the CPU by default; several, ``"cuda:0,cuda:1"``, are a worker each.
        dtype: "float32"; "bfloat16" and "float16" move probabilities by as much as real gaps between groups, and are
            recorded in the predictions; where they are slower on this processor, standard error says so.
        revision: branch, tag or commit of a hub id.
        workers: of a model that is loaded from files: how many processes score chunks of texts, with the same bytes.
        engine: "local" for workers on this machine; "ray" for those of a cluster, or of one that is started here.

    Raises:
        ModelError: there is no such model, or it is incomplete, of another kind, or unsafe to open.
        LabelError: its labels do not match the task's classes.
        OptionError: an unknown task, an option out of range, or one that this kind of model does not have.

    >>> load_model(lambda texts: [0.75] * len(texts)).predict(["Anna is here."]).probabilities
    array([[0.25, 0.75]])
    >>> tagger = load_model(lambda texts: [[(0, 4, "PERSON")] for _ in texts], task="ner")
    >>> predictions = tagger.predict(["Anna is here."])
    >>> predictions.types, predictions.spans.start, predictions.spans.end
    (('PER',), array([0]), array([1]))
    """
    options = {name: value for name, value in locals().items() if name in _DEFAULTS}
    check_options(options)
    wanted = get_task(_infer_task(model, revision) if task is None else task)
    if not wanted.tagging:
        refuse_options(_some(options, ("scheme", "pooling")), "a tagger")
    if isinstance(model, (str, os.PathLike)):
        refuse_options(_some(options, _FUNCTION_OPTIONS), "a function")
        return _load_by_name(os.fspath(model), wanted, options)
    if hasattr(model, "open_model"):
        refuse_options(_some(options, (*_FILE_OPTIONS, *_TOKEN_OPTIONS, "pooling")), "a model that runs here")
        reading = _some(options, ("classes", "labels", "name"))
        return model.open_model(wanted.name, reading, batch_size=batch_size, scheme=scheme)
    return _load_object(model, wanted, options)


def check_options(options: dict[str, Any]) -> None:
    """Raise `OptionError` for a value that an option cannot have; whole numbers become plain ones."""
    for name in ("max_length", "batch_tokens", "batch_size", "workers"):
        if name in options and (name != "max_length" or options[name] is not None):
            options[name] = whole_number(name, options[name])
    for name in ("name", "device", "revision", "scheme"):
        if name in options and (options[name] is not None or name == "scheme"):
            string(name, options[name], empty=name == "scheme")
    for name, values in (("pooling", POOLINGS), ("dtype", DTYPES), ("engine", ENGINES)):
        choice(name, options[name], values)


_DEFAULTS = {name: option.default for name, option in signature(load_model).parameters.items() if name != "model"}


def _some(options: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    return {name: options[name] for name in names}


def _load_by_name(model: str, task: Task, options: Mapping[str, Any]) -> Any:
    """The model of a folder, a hub id or a bundled name; over several devices or processes it is spread."""
    from fairness_checklist.models.huggingface.classifiers import load_classifier
    from fairness_checklist.models.huggingface.folders import find_model

    devices = _devices(options["device"], options["workers"])
    folder, names = find_model(model, options["revision"], task.name)
    loading = _some(options, ("max_length", "batch_tokens", "labels", "scheme", "pooling", "dtype"))
    loaded: Any = load_classifier(folder, task, display_name=model, **names, **loading, device=devices[0])
    if options["dtype"] != DTYPE and "cpu" in devices and is_shown():
        with suppress(PredictionError):  # of a text that is none of the suite's
            times = times_slower(loaded)
            line(f"{options['dtype']} is {times:.1f} times slower here than float32." if times > _SLOWER else "")
    if len(devices) == 1 and options["engine"] == ENGINES[0]:
        return loaded
    from fairness_checklist.extensions.engines.spread import SpreadModel

    source = SpreadModel(
        model=model,
        task=task.name,
        options={**loading, "revision": options["revision"]},
        fingerprint=loaded.fingerprint,
        devices=devices,
        engine=options["engine"],
    )
    return replace(loaded, checkpoint=replace(loaded.checkpoint, source=source))


def _load_object(model: Any, task: Task, options: Mapping[str, Any]) -> Any:
    """A model of transformers with its tokenizer, an estimator, an object of a library, or a function."""
    pair = _model_and_tokenizer(model)
    if pair is not None:
        refuse_options(_some(options, _FUNCTION_OPTIONS), "a function")
        refuse_options(_some(options, _FILE_OPTIONS), "a model that is loaded from files")
        from fairness_checklist.models.huggingface.classifiers import load_classifier

        loading = _some(options, ("labels", "scheme", "pooling", "max_length", "batch_tokens"))
        if pair is not model and not task.tagging:
            loading["max_length"] = _pipeline_max_length(model, options["max_length"])
        return load_classifier(pair, task, **loading)
    source = read_object(model, task)
    refuse_options(_some(options, (*_FILE_OPTIONS, *_TOKEN_OPTIONS, "pooling")), "a transformers model")
    reading = _some(options, ("classes", "labels", "name", "batch_size"))
    if task.tagging:
        return FunctionTagger(source, task.classes, scheme=options["scheme"], **reading)
    return FunctionClassifier(source, task.classes, **reading)


def _pipeline_max_length(pipeline: Any, max_length: int | None) -> int | None:
    """The most tokens of a text that a text-classification pipeline of transformers reads: its own or the user's."""
    from fairness_checklist.models.huggingface.classifiers import activation_of

    asked = getattr(pipeline, "_postprocess_params", {}).get("function_to_apply")
    asked = asked or getattr(pipeline.model.config, "function_to_apply", None)
    applied = str(getattr(asked, "value", asked)).lower()
    activation = activation_of(pipeline.model.config)
    if asked is not None and applied != {"identity": "none"}.get(activation, activation):
        raise ModelError(
            f"the pipeline has function_to_apply={json.dumps(applied)}, and the model's configuration asks for "
            f"{activation}; it is not known which gives its probabilities.",
            remedy="Leave function_to_apply out. Of labels that do not exclude each other set "
            'model.config.problem_type = "multi_label_classification".',
        )
    tokens = dict(getattr(pipeline, "_preprocess_params", {}))
    other = sorted(set(tokens) - {"truncation", "max_length", "padding", "return_all_scores"})
    if other:
        raise ModelError(
            f"the pipeline gives its tokenizer the options {first_ten(other)}, which are not followed here.",
            remedy="Give the function instead: load_model(lambda texts: pipeline(texts, top_k=None)).",
        )
    return max_length or (tokens.get("max_length") if tokens.get("truncation") else None)


def _devices(device: str | None, workers: int) -> tuple[str, ...]:
    """The device of each worker: those that are named, over and over."""
    named = [name.strip() for name in (device or "cpu").split(",")]
    if not all(named):
        raise OptionError(f"device={device!r} names no device between two commas.", remedy='Write "cuda:0,cuda:1".')
    return tuple(named[worker % len(named)] for worker in range(max(workers, len(named))))


def _infer_task(model: Any, revision: str | None) -> str:
    """The task of a model by its files or its class; "sentiment" where they do not give it."""
    from fairness_checklist.models.huggingface.folders import task_of_class, task_of_model

    if isinstance(model, (str, os.PathLike)):
        return task_of_model(os.fspath(model), revision)
    pair = _model_and_tokenizer(model)
    return task_of_class(type(pair[0]).__name__) if pair else "sentiment"


def refuse_options(options: Mapping[str, Any], owner: str) -> None:
    """Raise `OptionError` for options that are not the default of `load_model`: they would be ignored."""
    names = [
        f"{name}="
        for name, value in options.items()
        if (value is not None if _DEFAULTS[name] is None else value != _DEFAULTS[name])
    ]
    if names:
        raise OptionError(
            f"{', '.join(names)} {'belong' if len(names) > 1 else 'belongs'} to {owner}, which this model is not.",
            remedy="Leave it out." if len(names) == 1 else "Leave them out.",
        )


def _model_and_tokenizer(model: Any) -> tuple[Any, Any] | None:
    """(model, tokenizer) of a pair or of a transformers pipeline; None for anything else."""
    if isinstance(model, tuple) and len(model) == 2 and hasattr(model[0], "config"):
        return model
    swapped = isinstance(model, tuple) and len(model) == 2 and hasattr(model[1], "config")
    alone = all(hasattr(model, name) for name in ("config", "forward", "name_or_path")) and not (
        hasattr(model, "predict") or hasattr(model, "predict_proba")
    )
    if swapped or alone:
        kind = type(model[1] if swapped else model).__name__
        raise ModelError(
            f"the {kind} of transformers {'comes after its tokenizer' if swapped else 'comes without its tokenizer'}.",
            remedy="Give both in this order: load_model((model, tokenizer)).",
        )
    inner, tokenizer = getattr(model, "model", None), getattr(model, "tokenizer", None)
    if tokenizer is not None and hasattr(inner, "config") and hasattr(model, "preprocess"):
        return inner, tokenizer
    return None
