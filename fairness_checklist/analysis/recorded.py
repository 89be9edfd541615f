"""What a run recorded: its task, its thresholds, and the part of a sentence that a metric is about."""

from __future__ import annotations

import pandas as pd

from fairness_checklist.checks import Invariance
from fairness_checklist.results import Results
from fairness_checklist.tasks import TASKS

__all__ = [
    "SURENESS",
    "invariance_thresholds",
    "is_tagging",
    "place_of",
    "readable_words",
    "split_note",
    "task_of",
    "without_place",
]

SURENESS = ("smallest possible p", "unstable: ")
"""How the parts of a note begin that are about how sure a value is."""


def task_of(results: Results) -> str:
    """What was asked, "" where it was not recorded."""
    told = results.info.get("task") or next(iter(results.metrics["task"].astype("str")), "")
    return str(told)


def invariance_thresholds(results: Results) -> tuple[float, ...]:
    """The thresholds of the run's invariance tests; that of `Invariance` where the run recorded none.

    >>> invariance_thresholds(Results(*[pd.DataFrame()] * 5, info={"options": {"invariance_threshold": 0.5}}))
    (0.5,)
    """
    recorded = results.info.get("options", {})
    first = recorded.get("invariance_threshold")
    listed = recorded.get("invariance_thresholds") or [Invariance().threshold if first is None else first]
    return tuple(map(float, listed))


def split_note(note: str) -> tuple[str, str]:
    """The part of a value's note that is about the value, and the part that is about how sure it is.

    >>> split_note("1 of 3 pairs is undefined; smallest possible p .1: 10 assignments of the terms")
    ('1 of 3 pairs is undefined', 'smallest possible p .1: 10 assignments of the terms')
    >>> split_note("the background's score is 0")
    ("the background's score is 0", '')
    """
    parts = note.split("; ")
    aside = [part for part in parts if part.startswith(SURENESS)]
    return "; ".join(part for part in parts if part not in aside), "; ".join(aside)


def is_tagging(results: Results) -> bool:
    """Whether a run is one of a tagger."""
    task = task_of(results)
    return task in TASKS and TASKS[task].tagging


def readable_words(results: Results, examples: pd.DataFrame) -> pd.DataFrame:
    """A run's sentences as `split_any` reads them: a tagger's words are not those of a text that is kept as a hash."""
    hidden = results.info.get("texts") == "hashes" and is_tagging(results)
    return examples.drop(columns="text", errors="ignore") if hidden else examples


def place_of(options: str) -> str:
    """The part of a sentence that a metric was computed at, from its options.

    >>> place_of("weight=pair; where=slot"), place_of("by=term")
    ('slot', '')
    """
    given = dict(part.split("=", 1) for part in options.split("; ") if "=" in part)
    return given.get("where", "")


def without_place(options: str) -> str:
    """The options of a metric but for the part of a sentence.

    >>> without_place("weight=pair; where=slot")
    'weight=pair'
    """
    return "; ".join(part for part in options.split("; ") if not part.startswith("where="))
