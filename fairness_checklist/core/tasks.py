"""The tasks that a suite can ask: their classes, in the order that breaks ties."""

from __future__ import annotations

from dataclasses import dataclass

from fairness_checklist.core.errors import OptionError, did_you_mean


@dataclass(frozen=True)
class Task:
    """A prediction task.

    Attributes:
        name: "sentiment", "toxicity" or "ner".
        classes: the C gold classes, in order; for a tagger's task the types of entities.
        positive: the class that scores such as AvgEG call positive; "" where none is.
        tagging: whether each word is labelled, and not the whole text.
    """

    name: str
    classes: tuple[str, ...]
    positive: str
    tagging: bool = False


TASKS: dict[str, Task] = {
    "sentiment": Task("sentiment", ("negative", "neutral", "positive"), "positive"),
    "toxicity": Task("toxicity", ("nontoxic", "toxic"), "toxic"),
    "ner": Task("ner", ("PER", "LOC", "ORG", "MISC"), "", tagging=True),
}


def get_task(name: str) -> Task:
    """The task of that name.

    Raises:
        OptionError: no such task.

    >>> get_task("sentiment").classes
    ('negative', 'neutral', 'positive')
    >>> get_task("sentimental")
    Traceback (most recent call last):
    fairness_checklist.core.errors.OptionError: the task 'sentimental' is not known.
        Known tasks: sentiment, toxicity, ner. Did you mean sentiment?
    """
    if not isinstance(name, str) or name not in TASKS:
        near = did_you_mean(name, TASKS) if isinstance(name, str) and name else ""
        raise OptionError(f"the task {name!r} is not known.", remedy=f"Known tasks: {', '.join(TASKS)}.{near}")
    return TASKS[name]
