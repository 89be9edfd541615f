"""Texts that a model fails on: they are found one by one, and the rest of their batch is kept.

A model fails on a text where it raises an error for it, gives NaN or infinity, or gives another number or shape of
outputs than for one text. The rule for a run: at most one in ten of its different texts may fail, and some text must
succeed before the eighth failure. Beyond that the model is taken to be wrong, and its first error is raised.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Protocol, Self, TypeVar

import numpy as np

from fairness_checklist.core.arrays import BoolArray
from fairness_checklist.core.errors import PredictionError, count
from fairness_checklist.core.predictions import Predictions
from fairness_checklist.models.base import ClassifierOutput, predict_with_checks

MAX_SHARE = 0.1
FIRST_FAILURES = 8


class Scored(Protocol):
    """The output of a model for some texts, one row a text."""

    def row(self, at: int) -> Self: ...

    def undefined(self) -> BoolArray:
        """(m,) the texts for which it holds NaN or infinity."""
        ...


Output = TypeVar("Output", bound=Scored)
Attempt = Callable[[list[str], Callable[[int], object]], Output]


class FailingTexts:
    """The texts of a run that the model failed on so far.

    Args:
        n: the number of different texts of the run.

    Attributes:
        errors: of each text that failed the error, as "ValueError: what was wrong".
        succeeded: whether the model gave a prediction for any text, now or in an earlier run.
    """

    def __init__(self, n: int) -> None:
        self.n = n
        self.limit = int(n * MAX_SHARE)
        self.errors: dict[str, str] = {}
        self._first: PredictionError | None = None
        self.succeeded = False

    @contextmanager
    def remembered(self) -> Iterator[None]:
        """Keep the error of what is done inside as the first one, and go on."""
        try:
            yield
        except PredictionError as error:
            self._first = self._first or error

    def score(
        self,
        texts: list[str],
        attempt: Attempt[Output],
        concatenate: Callable[[Sequence[Output]], Output],
        advance: Callable[[int], object],
    ) -> Iterator[tuple[list[str], Output]]:
        """Score texts; where that fails, both halves of them, down to the single texts that fail.

        Args:
            texts: different texts.
            attempt: scores some of them, and raises `PredictionError` where it cannot.
            concatenate: joins outputs in order.
            advance: called whenever k more texts are done.

        Returns:
            texts that the model scored, and its output for them, in their order.

        Raises:
            PredictionError: too many texts failed.
        """
        done = 0

        def count_done(k: int) -> None:
            nonlocal done
            done += k
            advance(k)

        try:
            output = attempt(texts, count_done)
        except PredictionError as error:
            advance(-done)
            self._first = self._first or error
            if not self.limit:
                raise
            if len(texts) == 1:
                self._add(texts[0], _description(error))
                advance(1)
                return
            middle = len(texts) // 2
            yield from self.score(texts[:middle], attempt, concatenate, advance)
            yield from self.score(texts[middle:], attempt, concatenate, advance)
            return
        wrong = output.undefined() if self.limit else np.zeros(len(texts), dtype=np.bool_)
        if not wrong.all():
            self.succeeded = True
        for at in np.flatnonzero(wrong).tolist():
            self._add(texts[at], "the probabilities hold NaN or infinity")
        good = np.flatnonzero(~wrong).tolist()
        if len(good) == len(texts):
            yield texts, output
        elif good:
            yield [texts[at] for at in good], concatenate([output.row(at) for at in good])

    def _add(self, text: str, error: str) -> None:
        self.errors[text] = error
        if len(self.errors) > self.limit or (not self.succeeded and len(self.errors) >= FIRST_FAILURES):
            raise self._too_many(error)

    def _too_many(self, last: str) -> PredictionError:
        """The error of a run in which too much failed: the first one, with a count where some texts succeeded."""
        first = self._first or PredictionError(f"{last}.")
        if not self.succeeded:
            return first
        shown = f"{first.place}: {first.message}" if first.place else first.message
        failed = f"the model failed on {count(len(self.errors), 'text')} of {self.n:,}, more than one in ten"
        error = PredictionError(f"{failed}; the first error: {shown}", remedy=first.remedy)
        error.__cause__ = first
        return error


def _description(error: PredictionError) -> str:
    """The kind and the message of the error that the model raised, on one line."""
    cause = error.__cause__
    shown = error.message if cause is None else f"{type(cause).__name__}: {cause}"
    return " ".join(shown.split())


@dataclass(frozen=True, eq=False)
class ObjectClassifier:
    """A user's own `Classifier`, which predicts for a list of texts, as one that scores a chunk at a time.

    Attributes:
        model: the model.
        classes: its classes.
        chunk_size: texts that it gets at once.
    """

    model: Any
    classes: tuple[str, ...]
    chunk_size: int = 256
    fingerprint: str = ""

    @property
    def name(self) -> str:
        """The model's name, or that of its class."""
        return str(getattr(self.model, "name", type(self.model).__name__))

    def score(self, texts: list[str], advance: Callable[[int], object]) -> ClassifierOutput:
        """The model's predictions for some texts."""
        found = predict_with_checks(self.model, texts)
        if not isinstance(found, Predictions):
            raise PredictionError(f"the model {self.name} tagged words of some texts and classified others.")
        advance(len(texts))
        truncated = np.zeros(len(texts), dtype=np.bool_)
        return ClassifierOutput(found.probabilities, found.predicted, truncated, found.scores)

    def notes(self, n_truncated: int, texts: Sequence[str]) -> tuple[str, ...]:
        """None: a model of the user's own makes its notes about all texts."""
        return ()
