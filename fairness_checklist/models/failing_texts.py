"""Texts that a model fails on: they are found one by one, and the rest of their batch is kept.

A model fails on a text where it raises an error for it, gives NaN or infinity, or gives another number or shape of
outputs than for one text. A number of outputs that is the same, and wrong, for a batch and for half of it says nothing
of a text: the model does not read its input as a list of texts, which is an error at once.

The rule for a run: at most one in ten of its different texts may fail, and some text must succeed before the eighth
failure. Beyond that the model is taken to be wrong, and its first error is raised.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic

import numpy as np

from fairness_checklist.core.errors import NOT_FINITE, AlignmentError, EndpointError, OrderError, PredictionError, count
from fairness_checklist.models.base import Output, excerpt
from fairness_checklist.models.user_code import one_line

MAX_SHARE = 0.1
FIRST_FAILURES = 8

Score = Callable[[list[str], Callable[[int], object]], Sequence[Output]]


def output_or_error(
    score: Score[Output], texts: list[str], advance: Callable[[int], object]
) -> Sequence[Output] | PredictionError:
    """The outputs for texts, or the error of a model that failed on some of them."""
    done = 0

    def count_done(k: int) -> None:
        nonlocal done
        done += k
        advance(k)

    try:
        return score(texts, count_done)
    except (EndpointError, OrderError):
        raise
    except PredictionError as error:
        advance(-done)
        return error


@dataclass(eq=False)
class FailingTexts(Generic[Output]):
    """The texts of a run that the model failed on so far; of n = 0 texts none may fail."""

    n: int
    score: Score[Output]
    check: Callable[[Mapping[str, Output]], None]  # raises an error where an output is invalid
    advance: Callable[[int], object]
    errors: dict[str, str] = field(default_factory=dict)  # of each text that failed, as "ValueError: what was wrong"
    succeeded: bool = False  # for any text, now or in an earlier run
    first: PredictionError | None = None

    @property
    def limit(self) -> int:
        """The most texts that may fail."""
        return int(self.n * MAX_SHARE)

    def usable(self, texts: list[str], answer: Sequence[Output] | PredictionError) -> Iterator[dict[str, Output]]:
        """The outputs for the texts that did not fail; too many of them are an error, and so is a wrong output."""
        if isinstance(answer, PredictionError):
            yield from self._halves(texts, answer)
            return
        outputs: dict[str, Any] = dict(zip(texts, answer, strict=True))
        given = {text: output.probabilities for text, output in outputs.items() if output.probabilities is not None}
        undefined = [text for text, values in given.items() if not np.isfinite(values).all()]
        try:
            self.check(outputs)
        except PredictionError as error:
            if not self.limit or not undefined:
                raise
            self.first = self.first or error
            good = {text: output for text, output in outputs.items() if text not in undefined}
            if good:
                yield from self.usable(list(good), list(good.values()))
            for text in undefined:
                self._add(text, NOT_FINITE)
            return
        self.succeeded = True
        yield outputs

    def _halves(self, texts: list[str], error: PredictionError) -> Iterator[dict[str, Output]]:
        """The outputs for the texts that did not fail of those that failed together; a single one fails."""
        self.first = self.first or error
        if not self.limit:
            raise error
        if len(texts) == 1:
            cause = error.__cause__
            self._add(texts[0], " ".join(error.message.split()) if cause is None else one_line(cause))
            self.advance(1)
            return
        middle = len(texts) // 2
        for half in (texts[:middle], texts[middle:]):
            answer = output_or_error(self.score, half, self.advance)
            counted = answer.n_predictions if isinstance(answer, AlignmentError) else None
            if counted and isinstance(error, AlignmentError) and counted == error.n_predictions:
                raise error
            yield from self.usable(half, answer)

    def _add(self, text: str, error: str) -> None:
        self.errors[text] = error
        if len(self.errors) > self.limit or (not self.succeeded and len(self.errors) >= FIRST_FAILURES):
            raise self._too_many(error)

    def _too_many(self, last: str) -> PredictionError:
        """The error of a run in which too much failed: the first one, with a count where some texts succeeded."""
        first = self.first or PredictionError(f"{last}.")
        if not self.succeeded:
            return first
        text, description = next(iter(self.errors.items()))
        error = PredictionError(
            f"the model failed on {count(len(self.errors), 'text')} of {self.n:,} so far, more than one in ten; the "
            f'first one is "{excerpt(text)}": {description.rstrip(".")}.',
            place=first.place,
            remedy=first.remedy,
            command_remedy=first.command_remedy,
        )
        error.__cause__ = first
        return error
