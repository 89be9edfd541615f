"""What a run recorded: its task, its thresholds, and the part of a sentence that a metric is about."""

from __future__ import annotations

import pandas as pd

from fairness_checklist.parameters import TOLERANCE
from fairness_checklist.results import Results
from fairness_checklist.tasks import TASKS

__all__ = ["is_tagging", "place_of", "split_notes", "task_of", "tolerances", "with_hashed_words", "without_place"]

_SMALLEST = "smallest possible p"
_UNSTABLE = "unstable: "
_PARTS = ("note", "smallest_p", "unstable")
_KEY = ("metric", "options", "class", "left", "right")


def task_of(results: Results) -> str:
    """What was asked, "" where it was not recorded."""
    parts = results.info.get("task") or next(iter(results.metrics["task"].astype("str")), "")
    return str(parts)


def tolerances(results: Results) -> tuple[float, ...]:
    """The tolerances of the run's invariance tests; the default where the run recorded none.

    >>> tolerances(Results(*[pd.DataFrame()] * 5, info={"options": {"tolerance": 0.5}}))
    (0.5,)
    """
    recorded = results.info.get("options", {})
    first = recorded.get("tolerance", recorded.get("invariance_threshold"))  # as older versions called it
    listed = recorded.get("tolerances") or [TOLERANCE if first is None else first]
    return tuple(map(float, listed))


def split_notes(results: Results, metrics: pd.DataFrame) -> pd.DataFrame:
    """Rows of ``Results.metrics`` whose note is split into what is about the value and what is about how sure it is.

    Why a value is unstable is read from ``run.json``, which keeps it row by row, because the names of templates and
    terms in it may hold any character. Runs of older versions have it in the note alone, which is then parsed.

    Args:
        results: the run.
        metrics: some rows of its metrics.

    Returns:
        The rows with ``note``, what is about the value; ``smallest_p``, how small p can be; and ``unstable``, why the
        value is unstable; "" where there is nothing to say.
    """
    known = {
        (attribute, *(str(one[name]) for name in _KEY)): str(one["reason"])
        for attribute, rows in results.info.get("unstable", {}).items()
        for one in rows
    }
    keys = zip(*(metrics[name].astype(str) for name in ("attribute", *_KEY)), strict=True)
    parts = [_split(note, known.get(key)) for note, key in zip(metrics["note"].astype(str), keys, strict=True)]
    return metrics.assign(**{name: [part[at] for part in parts] for at, name in enumerate(_PARTS)})


def _split(note: str, reason: str | None) -> tuple[str, str, str]:
    """The note of a value, how small its p can be, and why it is unstable; None where that is not kept apart.

    >>> _split("1 of 3 pairs is undefined; smallest possible p .1: 10 assignments of the terms", None)
    ('1 of 3 pairs is undefined', 'smallest possible p .1: 10 assignments of the terms', '')
    >>> _split("no class; unstable: rests on template intro; part 0", "rests on template intro; part 0")
    ('no class', '', 'rests on template intro; part 0')
    >>> _split("the background's score is 0; unstable: rests on template s0", None)
    ("the background's score is 0", '', 'rests on template s0')
    """
    plain, rest = "", note
    if reason is None or f"{_UNSTABLE}{reason}" not in note:  # somebody changed the note
        reason = None
    else:
        plain, _, rest = note.partition(f"{_UNSTABLE}{reason}")
        plain, rest = plain.removesuffix("; "), rest.removeprefix("; ")
    parts = rest.split("; ")
    unstable = "; ".join(part.removeprefix(_UNSTABLE) for part in parts if part.startswith(_UNSTABLE))
    others = [plain, *(part for part in parts if not part.startswith((_SMALLEST, _UNSTABLE)))]
    smallest = "; ".join(part for part in parts if part.startswith(_SMALLEST))
    return "; ".join(filter(None, others)), smallest, unstable if reason is None else reason


def is_tagging(results: Results) -> bool:
    """Whether a run is one of a tagger."""
    task = task_of(results)
    return task in TASKS and TASKS[task].tagging


def with_hashed_words(results: Results, examples: pd.DataFrame) -> pd.DataFrame:
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
