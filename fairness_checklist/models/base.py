"""The protocols of models, the output of a classifier for some texts, and calls of a user's models and functions."""

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from fairness_checklist.core.arrays import BoolArray, FloatArray, IntArray
from fairness_checklist.core.errors import InputError, PredictionError, count
from fairness_checklist.core.predictions import Predictions, TokenPredictions, alignment_error
from fairness_checklist.models.user_code import run_user_code

DTYPES = ("float32", "bfloat16", "float16")
ENGINES = ("local", "ray")
POOLINGS = ("first", "mean")


class Model(Protocol):
    """A model of whole texts or of words."""

    @property
    def name(self) -> str:
        """What ``run.json`` calls it; never an absolute path."""

    @property
    def classes(self) -> tuple[str, ...]:
        """The C classes of the task that it can predict, or the types of entities, in the task's order."""

    def describe(self) -> dict[str, object]:
        """The record for ``run.json``: name, weights, label mapping, precision, versions."""


class Classifier(Model, Protocol):
    """A model that gives each text one of the task's classes."""

    def predict(self, texts: Sequence[str], *, progress: bool = False) -> Predictions:
        """Decisions and probabilities (n, C) for n texts; row i belongs to ``texts[i]``."""


class Tagger(Model, Protocol):
    """A model that finds entities in each text."""

    def predict(self, texts: Sequence[str], *, progress: bool = False) -> TokenPredictions:
        """Spans, and probabilities per word, for n texts; words are those of `core.tagging.words`."""


@dataclass(frozen=True, eq=False)
class TextOutput:
    """The output of a classifier for one text."""

    probabilities: FloatArray | None  # (C,) over the model's classes in the task's order; None of decisions alone
    predicted: int  # the decision as a position in the classes
    truncated: bool = False  # whether the text was longer than the model reads and was cut
    scores: Mapping[str, float] = field(default_factory=dict)  # further numbers by name, the same names for each text


Output = TypeVar("Output")  # of a model for one text
Scored = TypeVar("Scored", covariant=True)


class ChunkModel(Protocol[Scored]):
    """A model that scores ``chunk_size`` different texts at a time, so that each chunk can be kept as it comes."""

    @property
    def chunk_size(self) -> int: ...

    def score(self, texts: list[str], advance: Callable[[int], object]) -> Sequence[Scored]:
        """The output for each of some different texts; ``advance(k)`` is called whenever k more are done."""


class ChunkClassifier(ChunkModel[TextOutput], Protocol):
    """A `Classifier` that scores a chunk at a time."""

    @property
    def classes(self) -> tuple[str, ...]: ...

    def notes(self, n_truncated: int, texts: Sequence[str]) -> tuple[str, ...]:
        """Notes on the predictions for texts of which ``n_truncated`` were cut."""


def text_outputs(
    probabilities: FloatArray | None,
    predicted: IntArray,
    truncated: BoolArray | None = None,
    scores: Mapping[str, FloatArray] | None = None,
) -> list[TextOutput]:
    """The outputs for m texts from arrays: (m, C), (m,), (m,) and (m,) by name."""
    named = {name: column.tolist() for name, column in (scores or {}).items()}
    return [
        TextOutput(
            None if probabilities is None else probabilities[row],
            decision,
            truncated is not None and bool(truncated[row]),
            {name: column[row] for name, column in named.items()},
        )
        for row, decision in enumerate(predicted.tolist())
    ]


def predict_with_checks(
    model: Classifier | Tagger, texts: Sequence[str], *, progress: bool = False
) -> Predictions | TokenPredictions:
    """``model.predict(texts)`` of a user-defined model, with errors that explain invalid output."""
    name = str(getattr(model, "name", type(model).__name__))
    output: Any = run_user_code(
        lambda: model.predict(texts, progress=progress),
        f"the model {name} failed on {count(len(texts), 'text')}",
        PredictionError,
        remedy="The traceback of the model is above; call its predict(texts, progress=False) to reproduce the error.",
        command_remedy="Call its predict(texts, progress=False) to reproduce the error.",
    )
    if not isinstance(output, (Predictions, TokenPredictions)):
        raise PredictionError(
            f"predict of the model {name} returned a {type(output).__name__}; expected Predictions or "
            "TokenPredictions.",
            remedy="Return Predictions.from_probabilities(probabilities, classes); or give its method as a function: "
            "load_model(model.predict, classes=[...]).",
        )
    if len(output) != len(texts):
        raise alignment_error(
            len(output), len(texts), place=f"the model {name}", remedy="Return one row per text, in their order."
        )
    return output


def call_function(function: Callable[[Any], Any], name: str, inputs: list[Any], texts: Sequence[str]) -> Any:
    """The output of a user's function for a batch of texts; an iterator, as spaCy's ``pipe`` gives, becomes a list.

    A function whose only required argument is annotated as one ``str`` is called for each text.
    """
    first = f'"{excerpt(texts[0])}"'
    batch = f"the text {first}" if len(texts) == 1 else f"a batch of {len(texts):,} texts that starts with {first}"

    def call() -> Any:
        output: Any = [function(text) for text in inputs] if takes_one_text(function) else function(inputs)
        return list(output) if isinstance(output, Iterator) else output

    output = run_user_code(
        call,
        f"the function {name} failed on {batch}",
        PredictionError,
        remedy="The traceback of the function is above; call it on that text to reproduce the error.",
        command_remedy="Call it on that text to reproduce the error.",
    )
    if inspect.iscoroutine(output):
        output.close()
        raise PredictionError(
            f"the function {name} is asynchronous; expected one that returns its answers.",
            remedy="Wrap it: lambda texts: asyncio.run(function(texts)).",
        )
    return output


def output_error(
    function: str, what: str, remedy: str, kind: type[InputError] = PredictionError, **parts: Any
) -> InputError:
    """The error for what a user's function returned; ``parts`` are further ones of the error."""
    return kind(f"the function {function} returned {what}", remedy=remedy, **parts)


def takes_one_text(function: Callable[..., Any]) -> bool:
    """Whether a function is one of a single text, by its annotation."""
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):  # a function in C may have no signature
        return False
    required = [each for each in parameters if each.default is each.empty and each.kind not in (2, 4)]
    return len(required) == 1 and required[0] is parameters[0] and required[0].annotation in (str, "str")


def text_place(text: str) -> str:
    """Where an error is that is in one text."""
    return f'the text "{excerpt(text)}"'


def excerpt(text: str) -> str:
    """A text for an error message: the first 57 characters where it has more than 60."""
    return text if len(text) <= 60 else text[:57] + "..."
