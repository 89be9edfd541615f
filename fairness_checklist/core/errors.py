"""The error classes: the value, what was expected, the place and the remedy; a user can correct an `InputError`."""

import re
from collections.abc import Iterable
from typing import Any

from fairness_checklist.core.did_you_mean import suggestion_first


def count(n: int, noun: str) -> str:
    """A number with its noun; the last word takes the plural."""
    if n == 1:
        return f"1 {noun}"
    if noun.endswith("y") and noun[-2:-1] not in "aeiou":
        return f"{n:,} {noun[:-1]}ies"
    return f"{n:,} {noun}{'es' if noun.endswith(('s', 'x', 'ch', 'sh')) else 's'}"


class FairnessChecklistError(Exception):
    """The base class of all errors of this package.

    Args:
        message: one sentence with the value and what was expected of it.
        place: where it is, as ``file:line`` or the name of a table's row; put in front.
        remedy: what to do about it; put on a line of its own, "Did you mean ...?" first. Options are written as
            keywords, ``groups=["women"]``, and the command line shows them as its own options.
        command_remedy: the remedy on the command line, where it is another one; by default the same.

    >>> print(TemplateError("the slot {identity_adjj} is not known.", place="gender.csv:14",
    ...                     remedy="Did you mean {identity_adj}?"))
    gender.csv:14: the slot {identity_adjj} is not known.
        Did you mean {identity_adj}?
    """

    def __init__(self, message: str, *, place: str = "", remedy: str = "", command_remedy: str | None = None) -> None:
        self.message = message
        self.place = place
        self.remedy = suggestion_first(remedy)
        self.command_remedy = None if command_remedy is None else suggestion_first(command_remedy)
        text = f"{place}: {message}" if place else message
        super().__init__(text + "".join(f"\n    {line}" for line in self.remedy.splitlines()))


class InputError(FairnessChecklistError, ValueError):
    """An error in the user's input, which the user can correct."""


class TemplateError(InputError):
    """A template that does not parse or cannot be filled."""


class TermError(InputError):
    """An identity term or a terms file that is wrong."""


class SuiteError(InputError):
    """A suite that cannot be built, saved or loaded."""


class LabelError(InputError):
    """Labels that do not match the classes of the task."""


class PredictionError(InputError):
    """Probabilities or predictions of the wrong shape or out of range."""


class AlignmentError(PredictionError):
    """Predictions that do not line up with the examples; ``n_predictions`` where their number is wrong."""

    def __init__(self, message: str, *, n_predictions: int | None = None, **parts: Any) -> None:
        super().__init__(message, **parts)
        self.n_predictions = n_predictions


class OrderError(AlignmentError):
    """Predictions of which it is not known which example each belongs to."""


class EndpointError(PredictionError):
    """A model behind an endpoint that cannot be reached, or that gives no valid answer however often it is asked."""


class TableError(InputError):
    """A table of predictions, or a run folder, that cannot be read."""


class ModelError(InputError):
    """A model that cannot be loaded."""


class OptionError(InputError):
    """An option, a metric or an attribute that is not known, or options that exclude each other."""


class UndefinedError(InputError):
    """A value without a definition on these data, with ``undefined="raise"``."""


class MissingExtraError(InputError):
    """An optional dependency is needed and is not installed."""


NOT_FINITE = "the probabilities hold NaN or infinity"  # recorded of a text for which a model gave no numbers


def without_quotes(error: str) -> str:
    """What is recorded of a text that a model failed on, without what the message may quote: the type of the error."""
    kind = re.match(r"[^\W\d]\w*(?=: |$)", error)
    return kind[0] if kind else NOT_FINITE if error == NOT_FINITE else PredictionError.__name__


def first_ten(items: Iterable[object]) -> str:
    """Items for an error message: the first ten, and how many more there are."""
    texts = [str(item) for item in items]
    more = f" and {len(texts) - 10:,} more" if len(texts) > 10 else ""
    return ", ".join(texts[:10]) + more
