"""The small models that ship with the package: which there are, and where their folders stand."""

from __future__ import annotations

from pathlib import Path

from fairness_checklist.errors import OptionError

__all__ = ["bundled_folder", "bundled_models", "bundled_task", "default_bundled"]

_FOLDER = Path(__file__).resolve().parent.parent / "bundled_models"
_MODELS = ("sentiment-2", "sentiment-3", "toxicity", "ner")
_DEFAULTS = {"sentiment": "sentiment-3", "toxicity": "toxicity", "ner": "ner"}


def bundled_models() -> tuple[str, ...]:
    """The names of the bundled models; each has a card, ``README.md``, in its folder.

    >>> bundled_models()
    ('sentiment-2', 'sentiment-3', 'toxicity', 'ner')
    """
    return _MODELS


def bundled_folder(name: str) -> Path:
    """The folder of a bundled model: config, safetensors, tokenizer, card and held-out figures (``metrics.json``).

    Raises:
        OptionError: no bundled model has that name.

    >>> bundled_folder("sentiment-3").name
    'sentiment-3'
    >>> bundled_folder("sentiment-5")
    Traceback (most recent call last):
    fairness_checklist.errors.OptionError: the bundled model 'sentiment-5' is not known.
        Known models: sentiment-2, sentiment-3, toxicity, ner.
    """
    if name not in _MODELS:
        raise OptionError(f"the bundled model {name!r} is not known.", remedy=f"Known models: {', '.join(_MODELS)}.")
    return _FOLDER / name


def default_bundled(task: str) -> str:
    """The bundled model that a task runs on when the user names none.

    Raises:
        OptionError: no model is bundled for that task.

    >>> default_bundled("sentiment")
    'sentiment-3'
    >>> default_bundled("parsing")
    Traceback (most recent call last):
    fairness_checklist.errors.OptionError: no model is bundled for the task 'parsing'.
        Tasks with one: sentiment, toxicity, ner. For another task name a model of your own.
    """
    if task not in _DEFAULTS:
        raise OptionError(
            f"no model is bundled for the task {task!r}.",
            remedy=f"Tasks with one: {', '.join(_DEFAULTS)}. For another task name a model of your own.",
        )
    return _DEFAULTS[task]


def bundled_task(name: str) -> str:
    """What a bundled model is for; "" is the model that runs when none is named.

    >>> bundled_task("ner"), bundled_task("sentiment-2"), bundled_task("")
    ('ner', 'sentiment', 'sentiment')
    """
    return next((task for task in _DEFAULTS if name.partition("-")[0] == task), "sentiment")
