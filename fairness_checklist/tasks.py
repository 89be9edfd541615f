"""The tasks that a suite can ask: their classes, in the order that breaks ties."""

from __future__ import annotations

from dataclasses import dataclass

from fairness_checklist.errors import OptionError

__all__ = ["TASKS", "Task", "get_task"]


@dataclass(frozen=True)
class Task:
    """What is asked about each text.

    Attributes:
        name: "sentiment".
        classes: the C gold classes, in order.
        positive: the class that scores such as AvgEG call positive.
    """

    name: str
    classes: tuple[str, ...]
    positive: str


TASKS: dict[str, Task] = {
    "sentiment": Task("sentiment", ("negative", "neutral", "positive"), "positive"),
}


def get_task(name: str) -> Task:
    """The task of that name.

    Raises:
        OptionError: no such task.

    >>> get_task("sentiment").classes
    ('negative', 'neutral', 'positive')
    >>> get_task("sentimental")
    Traceback (most recent call last):
    fairness_checklist.errors.OptionError: the task 'sentimental' is not known.
        Known tasks: sentiment.
    """
    if name not in TASKS:
        raise OptionError(f"the task {name!r} is not known.", remedy=f"Known tasks: {', '.join(TASKS)}.")
    return TASKS[name]
