"""The protocols of models, the output of a classifier for some texts, and calls of a user's models and functions."""

from __future__ import annotations

import asyncio
import inspect
import threading
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Any, Protocol, Self, TypeVar

import numpy as np

from fairness_checklist.core.arrays import BoolArray, FloatArray, IntArray
from fairness_checklist.core.errors import ModelError, PredictionError, count
from fairness_checklist.core.predictions import Predictions, TokenPredictions, alignment_error
from fairness_checklist.models.user_code import run_user_code

DTYPES = ("float32", "bfloat16", "float16")
POOLINGS = ("first", "mean")
READS = ("texts", "words")
ENGINES = ("local", "ray")
AT_ONCE = 16
"""Texts that an asynchronous function of one text has in flight."""


class Model(Protocol):
    """A model of whole texts or of words.

    Attributes:
        name: what ``run.json`` calls it; never an absolute path.
        classes: the C classes of the task that it can predict, or the types of entities, in the task's order.
    """

    @property
    def name(self) -> str: ...

    @property
    def classes(self) -> tuple[str, ...]: ...

    def describe(self) -> dict[str, object]:
        """The record for ``run.json``: name, weights, label mapping, precision, versions."""
        ...


class Classifier(Model, Protocol):
    """A model that gives each text one of the task's classes."""

    def predict(self, texts: Sequence[str], *, progress: bool = False) -> Predictions:
        """Decisions and probabilities (n, C) for n texts; row i belongs to ``texts[i]``."""
        ...


class Tagger(Model, Protocol):
    """A model that finds entities in each text."""

    def predict(self, texts: Sequence[str], *, progress: bool = False) -> TokenPredictions:
        """Spans, and probabilities per word, for n texts; words are those of `core.tagging.words`."""
        ...


class Rows(Protocol):
    """The output of a model for some texts, one row a text."""

    def row(self, at: int) -> Self:
        """The output for one text."""
        ...

    def undefined(self) -> BoolArray:
        """(m,) the texts for which it holds NaN or infinity."""
        ...

    def blank(self, texts: Sequence[str]) -> Self:
        """The output for texts without a prediction, in the form of this one."""
        ...

    @classmethod
    def concatenate(cls, parts: Sequence[Self]) -> Self:
        """The output for the texts of all parts, in order."""
        ...


Output = TypeVar("Output", bound=Rows)
Scores = TypeVar("Scores", covariant=True)


class ChunkModel(Protocol[Scores]):
    """A model that scores ``chunk_size`` different texts at a time, so that each chunk can be kept as it comes."""

    @property
    def chunk_size(self) -> int: ...

    def score(self, texts: list[str], advance: Callable[[int], object]) -> Scores:
        """The output for different texts; ``advance(k)`` is called whenever k more are done."""
        ...


@dataclass(frozen=True, eq=False)
class ClassifierOutput:
    """The output of a classifier for m different texts."""

    # (m, C), over the model's classes in the task's order; None where only decisions are known
    probabilities: FloatArray | None
    predicted: IntArray  # (m,) the decision as a position in the classes
    truncated: BoolArray  # (m,) True where the text was longer than the model reads and was cut
    # further numbers per text by name, each (m,); the same names in every chunk
    scores: Mapping[str, FloatArray] = field(default_factory=dict)

    def row(self, at: int) -> Self:
        """The output for one text."""
        here = slice(at, at + 1)
        return type(self)(
            None if self.probabilities is None else self.probabilities[here],
            self.predicted[here],
            self.truncated[here],
            {name: column[here] for name, column in self.scores.items()},
        )

    def undefined(self) -> BoolArray:
        """(m,) True where a probability is NaN or infinite."""
        if self.probabilities is None:
            return np.zeros(len(self.predicted), dtype=np.bool_)
        return np.asarray(~np.isfinite(self.probabilities).all(axis=1), dtype=np.bool_)

    def blank(self, texts: Sequence[str]) -> Self:
        """The output for texts without a prediction, in the form of this one: -1 and NaN."""
        k = len(texts)
        return type(self)(
            None if self.probabilities is None else np.full((k, self.probabilities.shape[1]), np.nan),
            np.full(k, -1, dtype=np.int64),
            np.zeros(k, dtype=np.bool_),
            dict.fromkeys(self.scores, np.full(k, np.nan)),
        )

    @classmethod
    def concatenate(cls, parts: Sequence[Self]) -> Self:
        """The output for the texts of all parts, in order; all or none of them must have probabilities."""
        given = [part.probabilities for part in parts if part.probabilities is not None]
        if given and len(given) < len(parts):
            raise PredictionError(
                "the model gave probabilities for some of the texts and only decisions for others.",
                remedy="Return the same for all texts.",
            )
        return cls(
            np.concatenate(given) if given else None,
            np.concatenate([part.predicted for part in parts]),
            np.concatenate([part.truncated for part in parts]),
            {name: np.concatenate([part.scores[name] for part in parts]) for name in parts[0].scores},
        )


class ChunkClassifier(ChunkModel[ClassifierOutput], Protocol):
    """A `Classifier` that scores a chunk at a time."""

    @property
    def classes(self) -> tuple[str, ...]: ...

    def notes(self, n_truncated: int, texts: Sequence[str]) -> tuple[str, ...]:
        """Notes on the predictions for texts of which ``n_truncated`` were cut."""
        ...


def predict_with_checks(
    model: Classifier | Tagger, texts: Sequence[str], *, progress: bool = False
) -> Predictions | TokenPredictions:
    """``model.predict(texts)`` of a user-defined model, with errors that explain invalid output."""
    name, method = str(getattr(model, "name", type(model).__name__)), model.predict
    function = "or give its method as a function: load_model(model.predict, classes=[...])."
    signature: object = ""
    try:
        signature = inspect.signature(method)
        inspect.signature(method).bind(texts, progress=progress)
    except ValueError:
        pass  # a method in C may have no signature
    except TypeError as error:
        raise ModelError(
            f"the model {name} has predict{signature}; expected predict(texts, *, progress=False).",
            remedy=f"Add what is missing; {function}",
        ) from error
    output: Any = run_user_code(
        lambda: method(texts, progress=progress),
        f"the model {name} failed on {count(len(texts), 'text')}",
        PredictionError,
        remedy="The traceback of the model is above; call its predict on them to reproduce the error.",
        command_remedy="Call its predict on them to reproduce the error.",
    )
    if not isinstance(output, (Predictions, TokenPredictions)):
        raise PredictionError(
            f"predict of the model {name} returned a {type(output).__name__}; expected Predictions or "
            "TokenPredictions.",
            remedy=f"Return Predictions.from_probabilities(probabilities, classes); {function}",
        )
    if len(output) != len(texts):
        raise alignment_error(
            len(output), len(texts), place=f"the model {name}", remedy="Return one row per text, in their order."
        )
    return output


def function_name(function: Any) -> str:
    """The qualified name of a function, or of the class of another object."""
    return str(getattr(function, "__qualname__", None) or type(function).__qualname__).replace("<locals>.", "")


def call_function(function: Callable[[list[Any]], Any], name: str, inputs: list[Any], texts: Sequence[str]) -> Any:
    """The output of a user's function for a batch of texts, see `output_of`."""
    first = f'"{excerpt(texts[0])}"'
    batch = f"the text {first}" if len(texts) == 1 else f"a batch of {len(texts):,} texts that starts with {first}"
    return run_user_code(
        lambda: output_of(function, inputs),
        f"the function {name} failed on {batch}",
        PredictionError,
        remedy="The traceback of the function is above; call it on that text to reproduce the error.",
        command_remedy="Call it on that text to reproduce the error.",
    )


def output_of(function: Callable[..., Any], inputs: list[Any]) -> Any:
    """The output of a function for a batch.

    A function whose only required argument is annotated as one ``str`` is called for each text. A coroutine is awaited,
    the items of an asynchronous generator are collected, and an iterator becomes a list.

    >>> async def lengths(texts):
    ...     return [len(text) for text in texts]
    >>> async def length(text: str):
    ...     return len(text)
    >>> output_of(lengths, ["a", "bcd"]), output_of(length, ["a", "bcd"])
    ([1, 3], [1, 3])
    """
    if takes_one_text(function):
        output: Any = _text_by_text(function, inputs)
    else:
        output = function(inputs)
    if inspect.isawaitable(output) or hasattr(output, "__aiter__"):
        return _run(_awaited(output))
    return list(output) if isinstance(output, Iterator) else output  # pipe of spaCy gives an iterator


def takes_one_text(function: Callable[..., Any]) -> bool:
    """Whether a function is one of a single text, by its annotation."""
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):  # a function in C may have no signature
        return False
    required = [given for given in parameters if given.default is given.empty and given.kind not in (2, 4)]
    return len(required) == 1 and required[0] is parameters[0] and required[0].annotation in (str, "str")


def _text_by_text(function: Callable[[str], Any], texts: list[str]) -> Any:
    """The outputs for single texts; of an asynchronous function some are in flight at once."""
    target = function
    while isinstance(target, partial):
        target = target.func
    own = target if inspect.isroutine(target) else getattr(target, "__call__", target)  # noqa: B004  of an object
    if not inspect.iscoroutinefunction(own):
        return [function(text) for text in texts]

    async def every() -> list[Any]:
        limit = asyncio.Semaphore(AT_ONCE)

        async def limited(text: str) -> Any:
            async with limit:
                return await function(text)

        tasks = [asyncio.ensure_future(limited(text)) for text in texts]
        try:
            return list(await asyncio.gather(*tasks))
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    return every()


async def _awaited(output: Any) -> Any:
    if inspect.isawaitable(output):
        output = await output
    return [item async for item in output] if hasattr(output, "__aiter__") else output


def _run(coroutine: Coroutine[Any, Any, Any]) -> Any:
    """The result of a coroutine in the event loop of this module, which is that of no caller (a notebook has its own).

    All coroutines run in one loop, so that a client that a function keeps stays connected.
    """
    future = asyncio.run_coroutine_threadsafe(coroutine, _loop())
    try:
        return future.result()
    except BaseException:
        future.cancel()
        raise


@cache
def _loop() -> asyncio.AbstractEventLoop:
    loop = asyncio.new_event_loop()
    threading.Thread(target=_run_forever, args=(loop,), name="fairness_checklist-async", daemon=True).start()
    return loop


def _run_forever(loop: asyncio.AbstractEventLoop) -> None:
    """Runs the loop, also after a coroutine that ended it: `SystemExit` does, and nothing else would get an answer."""
    while True:
        with suppress(SystemExit, KeyboardInterrupt):
            loop.run_forever()


def excerpt(text: str) -> str:
    """A text for an error message: the first 57 characters where it has more than 60."""
    return text if len(text) <= 60 else text[:57] + "..."
