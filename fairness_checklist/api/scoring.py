"""Load a model, predict once for each different text, and apply a threshold."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import fields, replace
from inspect import signature
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any

import pandas as pd

from fairness_checklist.content.grammar.languages import DEFAULT, get
from fairness_checklist.content.term_files import attributes
from fairness_checklist.core.did_you_mean import did_you_mean
from fairness_checklist.core.errors import LabelError, ModelError, OptionError, first_ten
from fairness_checklist.core.examples import ExampleSet
from fairness_checklist.core.locations import Extra
from fairness_checklist.core.option_defaults import flag, names, path
from fairness_checklist.core.predictions import Predictions, TokenPredictions
from fairness_checklist.core.progress import step
from fairness_checklist.core.tasks import get_task
from fairness_checklist.core.thresholds import (
    AnyThreshold,
    Threshold,
    check_threshold,
    missing_set_error,
    threshold_text,
)
from fairness_checklist.metrics.metric_forms import Options
from fairness_checklist.models.base import Classifier, Tagger
from fairness_checklist.models.huggingface.folders import bundled_models
from fairness_checklist.models.load import load_model
from fairness_checklist.models.predicting import predict_with_store
from fairness_checklist.models.user_code import explained
from fairness_checklist.run.evaluation import evaluate_sets
from fairness_checklist.run.options import RunOptions
from fairness_checklist.suites.control_texts import control_part
from fairness_checklist.suites.parts import Part, PartPredictions, answered_part, part_frame
from fairness_checklist.tables.columns import CONTROL_WORD, VARIANT, split_controls
from fairness_checklist.tables.files import Table, table_of
from fairness_checklist.tables.notes import with_precision
from fairness_checklist.tables.run_folder import Results

MAX_FAILED = 1000  # texts that the model failed on that ``run.json`` lists


def list_attributes(terms: Extra = None, language: str = DEFAULT) -> list[str]:
    """The sensitive attributes that `Suite.build` takes, in alphabetical order; "gender.x" is a named set of terms.

    Args:
        terms: folders or CSV files of your own that add attributes.
        language: "en" or "es".

    Raises:
        InputError: a path that does not exist, or an unknown language.

    >>> list_attributes()[:4]
    ['age', 'age.czarnowska2021', 'body_type', 'caste']
    """
    return list(attributes(terms, get(language).code))


def list_models() -> list[str]:
    """The models that come with the package, as `load_model` takes them.

    >>> list_models()
    ['bundled/sentiment', 'bundled/toxicity', 'bundled/ner']
    """
    return [f"bundled/{name}" for name in bundled_models()]


def attribute_names(attribute: str | Sequence[str]) -> list[str]:
    """The names of the attributes, checked."""
    named = list(names("attribute", attribute, empty=True))
    if not named:
        raise OptionError("no attribute is named.", remedy='Name one: Suite.build("gender").')
    if len(set(named)) < len(named):
        raise OptionError(f"{', '.join(named)} names an attribute twice.", remedy="Name each once.")
    return named


@explained()
def ready_model(model: Any, task: str, load_options: Mapping[str, Any]) -> Classifier | Tagger:
    """A model that was loaded already, or whatever `load_model` takes."""
    _check_load_options(load_options)
    if not _is_loaded(model):
        loaded: Classifier | Tagger = load_model(model, task=task, **load_options)
        return loaded
    if load_options:
        raise OptionError(
            f"the model is loaded already: {', '.join(load_options)} belong to load_model.",
            command_remedy="Give them to load_model in the file that loads it.",
        )
    facts = model.describe() if callable(model.describe) else model.describe
    if not isinstance(facts, Mapping):
        raise ModelError(
            f"describe() of a {type(model).__name__} gives a {type(facts).__name__}; expected a dictionary.",
            remedy='Return what run.json is to keep, for instance {"name": "my-model-2"}.',
        )
    _check_kind(model, task, _has_attribute(model, "types"))
    ready: Classifier | Tagger = model
    return ready


def _is_loaded(model: Any) -> bool:
    """Whether `load_model` gave it, or it is of that form; with ``predict_proba`` only if predict takes progress=."""
    if isinstance(model, type) or not all(_has_attribute(model, name) for name in ("predict", "describe", "classes")):
        return False
    if not _has_attribute(model, "predict_proba"):
        return True
    with suppress(TypeError, ValueError):  # a method in C may have no signature
        return "progress" in signature(model.predict).parameters
    return False


def _has_attribute(model: Any, name: str) -> bool:
    """Whether a class has an attribute, or the object; a property of the class is not computed."""
    return hasattr(type(model), name) or hasattr(model, name)


def _check_load_options(load_options: Mapping[str, Any]) -> None:
    """Raise `OptionError` for an unknown option of `load_model`: a misspelt name, or an option of another function."""
    of_load_model = [name for name in signature(load_model).parameters if name not in ("model", "task")]
    unknown = next((name for name in load_options if name not in of_load_model), None)
    if unknown is None:
        return
    of_run = [*(field.name for field in fields(RunOptions)), "threshold_on", "progress", "store"]
    of_metrics = [field.name for field in fields(Options)]
    elsewhere = {name: f"It is an option of metrics: options=Options({name}=...)." for name in of_metrics} | {
        "task": "The task is that of the suite: Suite.build(..., task=...).",
        "tolerance": "It belongs to the test: checks=[Invariance(tolerance=...), MinimumFunctionality()].",
    }
    near = did_you_mean(unknown, [*of_run, *of_load_model, *of_metrics, "tolerance"]).strip()
    remedy = elsewhere.get(unknown) or near or f"Known: {', '.join([*of_run, *of_load_model])}."
    raise OptionError(f"{unknown}= is not an option of a run or of load_model.", remedy=remedy)


@explained()
def predict_parts(
    parts: Sequence[Part], model: Classifier | Tagger, progress: bool, store: str | Path | None
) -> list[PartPredictions]:
    """One pass over the texts of all parts and their controls, cut into the parts again."""
    flag("progress", progress)
    store = None if store is None else path("store", store)
    codes = [part.terms.language for part in parts if part.terms.language != DEFAULT]
    if codes and str(getattr(model, "name", "")).startswith("bundled/"):
        language = get(codes[0]).name
        raise ModelError(
            f"the model {model.name} reads English, and the suite is in {language}.",
            remedy=f"Name a model that reads {language}.",
        )
    sets = example_sets(parts)
    together = predict_with_store(model, texts_of(parts), store, progress=progress, keep_going=True)
    _check_kind(model, parts[0].task, isinstance(together, TokenPredictions))
    classes = get_task(parts[0].task).classes
    if isinstance(together, Predictions) and not set(together.classes) <= set(classes):
        raise LabelError(
            f"the model predicts the classes {first_ten(together.classes)}; "
            f"those of the task are {', '.join(classes)}.",
            remedy="Call them as the task does; or give its method as a function: "
            "load_model(model.predict, labels={...}).",
        )
    ends = list(accumulate(map(len, sets), initial=0))
    answers = iter([together.at(slice(start, stop)) for start, stop in pairwise(ends)])
    return [answered_part(part, answers) for part in parts]


def example_sets(parts: Sequence[Part]) -> list[ExampleSet]:
    """The example sets of all parts, each followed by its controls."""
    return [examples for part in parts for examples in (part.examples, *(ctrl.examples for ctrl in part.controls))]


def texts_of(parts: Sequence[Part]) -> list[str]:
    """The texts of all parts and their controls, in order."""
    return [text for examples in example_sets(parts) for text in examples.render()]


def predict_control_words(
    parts: Sequence[Part],
    model: Classifier | Tagger,
    control_words: bool | str | Path,
    store: str | Path | None,
    seed: int,
    progress: bool,
) -> dict[str, PartPredictions]:
    """Of each attribute the predictions for control words in its templates, where there are any."""
    if isinstance(control_words, (str, Path)):
        store = path("control_words", control_words)
    elif not flag("control_words", control_words):
        return {}
    made = control_parts_of(parts, seed)
    return dict(zip(made, predict_parts([*made.values()], model, progress, store), strict=True)) if made else {}


def control_parts_of(parts: Sequence[Part], seed: int) -> dict[str, Part]:
    """Of each attribute the control words in its templates, where there are any."""
    made = {part.attribute: control_part(part, seed=seed) for part in parts}
    return {name: part for name, part in made.items() if part is not None}


def results_of(
    answers: Sequence[PartPredictions],
    choices: RunOptions,
    model: Classifier | Tagger,
    null: Mapping[str, PartPredictions],
) -> Results:
    """The results for the predictions of each part, and by attribute for its control words, with the run's metadata."""
    parts = [answer.part for answer in answers]
    asked = [  # the different texts, with those that the model failed on
        {*texts_of([each.part for each in given]), *(record["text"] for each in given for record in each.failed)}
        for given in (answers, null.values())
    ]
    info: dict[str, Any] = {
        "task": parts[0].task,
        "model": model.describe(),
        "forward_passes": sum(map(len, asked)),
        "suite": [part.describe() for part in parts],
        "dropped": {
            part.attribute: [{"template": drop.template_id, "reason": drop.reason} for drop in part.dropped]
            for part in parts
        },
    }
    failed = [record for answer in answers for record in answer.failed]
    if failed:
        info |= {"n_failed": len(failed), "failed": failed[:MAX_FAILED]}
    results = evaluate_sets(
        ((answer.part.examples, answer.predictions) for answer in answers),
        choices,
        info=info,
        controls={name: (answer.part.examples, answer.predictions) for name, answer in null.items()},
        available={part.attribute: dict(part.terms.available) for part in parts},
        progress=lambda attribute: step(f"{attribute}: metrics, tests and findings"),
    )
    for answer in answers:
        remarks = [] if answer.part.crossed is None else answer.part.crossed.remarks
        results.info["notes"][answer.part.attribute] += [*answer.notes, *remarks]
    if any(part.crossed for part in parts):
        examples = pd.concat([part_frame(answer.part, answer.predictions) for answer in answers], ignore_index=True)
        results = replace(results, examples=examples)
    beside = [answer.controls() for answer in answers]
    for name, answer in null.items():
        beside.append(part_frame(answer.part, answer.predictions).assign(attribute=name, **{VARIANT: CONTROL_WORD}))
    results = replace(results, controls=pd.concat(beside, ignore_index=True))
    return replace(results, examples=with_precision(results.examples, info["model"]))


def _check_kind(model: Any, task: str, tags: bool) -> None:
    """Raise `ModelError` for a tagger and a task of whole texts, or a classifier and a task of words."""
    if tags == get_task(task).tagging:
        return
    does, about = ("tags words", "whole texts") if tags else ("classifies whole texts", "words")
    raise ModelError(
        f"the model {model.describe().get('name', type(model).__name__)} {does}, and the task {task} is about {about}.",
        remedy=f'Load one for it: load_model(..., task="{task}").',
        command_remedy=f"Name a model for the task {task}: --model.",
    )


def resolved_threshold(
    threshold: AnyThreshold | None, on: Table | None, model: Classifier | Tagger | None, task: str
) -> Threshold | None:
    """The decision threshold, for "eer" determined on a table; None for the most probable class."""
    if threshold is None:
        if on is not None:
            raise OptionError("threshold_on= is given, and threshold= is not.", remedy='Add threshold="eer".')
        return None
    if get_task(task).tagging:
        raise OptionError(
            "threshold= applies to decisions on whole texts, and a tagger labels words.", remedy="Leave it out."
        )
    frame = None if on is None else split_controls(table_of(on, "threshold_on"))[0]
    check_threshold(threshold, None if model is None else model.classes)
    if isinstance(threshold, Threshold):
        return threshold
    if isinstance(threshold, str):
        if frame is None:
            raise missing_set_error()
        from fairness_checklist.extensions.corpora.equal_error_rate import threshold_and_rate

        classifier: Any = model
        value, rate = threshold_and_rate(frame, classifier, task)
        return Threshold(value, rate, Path(on).name if isinstance(on, (str, Path)) else "a set of the user's")
    if on is not None:
        raise OptionError(
            f'threshold={threshold_text(threshold)} is a number already: a set is for threshold="eer".',
            remedy='Leave the set out, or write threshold="eer".',
        )
    return Threshold(dict(threshold) if isinstance(threshold, Mapping) else float(threshold))
