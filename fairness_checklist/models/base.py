"""What every classifier and every tagger is, and what they say about a chunk of texts."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from fairness_checklist.core.errors import AlignmentError, FairnessChecklistError, ModelError, PredictionError
from fairness_checklist.core.predictions import Predictions, TokenPredictions, alignment_error


class Classifier(Protocol):
    """A model that gives each text one of the task's classes.

    Attributes:
        name: what ``run.json`` calls it; never an absolute path.
        classes: the C classes of the task that it can say, in the task's order.
    """

    @property
    def name(self) -> str: ...

    @property
    def classes(self) -> tuple[str, ...]: ...

    def predict(self, texts: Sequence[str], *, progress: bool = False) -> Predictions:
        """Decisions and probabilities (n, C) for n texts; row i belongs to ``texts[i]``."""
        ...

    def describe(self) -> dict[str, object]:
        """What ``run.json`` keeps: name, weights, label mapping, precision, versions."""
        ...


class Tagger(Protocol):
    """A model that finds entities in each text.

    Attributes:
        name: what ``run.json`` calls it; never an absolute path.
        classes: the T types of entities that it can say, as the suite calls them, in the task's order.
    """

    @property
    def name(self) -> str: ...

    @property
    def classes(self) -> tuple[str, ...]: ...

    def predict(self, texts: Sequence[str], *, progress: bool = False) -> TokenPredictions:
        """Spans and probabilities a word for n texts, whose words are those of `tagging.words`."""
        ...

    def describe(self) -> dict[str, object]:
        """What ``run.json`` keeps: name, weights, types, scheme, precision, versions."""
        ...


@dataclass(frozen=True, eq=False)
class Scored:
    """A model's predictions for m different texts.

    Attributes:
        probabilities: (m, C), over the model's classes in the task's order; None where only decisions are known.
        predicted: (m,) the decision as a position in the classes.
        cut: (m,) True where the text was longer than the model reads and was cut.
        scores: further numbers a text under names of the model's, each (m,); the same names in every chunk.
    """

    probabilities: NDArray[np.float64] | None
    predicted: NDArray[np.int64]
    cut: NDArray[np.bool_]
    scores: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)


class ChunkClassifier(Protocol):
    """A `Classifier` that scores a chunk at a time, so that each chunk can be kept as it comes.

    Attributes:
        chunk_size: the number of different texts that are scored, and kept, together.
        fingerprint: a hash of all that decides the predictions; "" where the model cannot be identified, and then
            nothing is kept of it.
    """

    @property
    def name(self) -> str: ...

    @property
    def classes(self) -> tuple[str, ...]: ...

    @property
    def chunk_size(self) -> int: ...

    @property
    def fingerprint(self) -> str: ...

    def score(self, texts: list[str], advance: Callable[[int], object]) -> Scored:
        """Score different texts; ``advance(k)`` is called whenever k more are done."""
        ...

    def notes(self, n_cut: int, texts: Sequence[str]) -> tuple[str, ...]:
        """What must be said about predictions for texts of which ``n_cut`` were cut."""
        ...


def predict_checked(
    model: Classifier | Tagger, texts: Sequence[str], *, progress: bool = False
) -> Predictions | TokenPredictions:
    """``model.predict(texts)`` of a model that a user wrote, with errors that say what is wrong with it.

    Raises:
        ModelError: its ``predict`` takes other arguments.
        PredictionError: an error inside it (chained), or something else than `Predictions` or `TokenPredictions`.
        AlignmentError: not one row per text.
    """
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
    try:
        output: Any = method(texts, progress=progress)
    except FairnessChecklistError:
        raise
    except Exception as error:
        raise PredictionError(
            f"the model {name} failed on {len(texts):,} texts: {type(error).__name__}: {error}",
            remedy="The model's own traceback stands above; call its predict on them to see it again.",
        ) from error
    if not isinstance(output, (Predictions, TokenPredictions)):
        raise PredictionError(
            f"predict of the model {name} returned a {type(output).__name__}; expected Predictions or "
            "TokenPredictions.",
            remedy=f"Return Predictions.from_probabilities(probabilities, classes); {function}",
        )
    if len(output) != len(texts):
        wrong = alignment_error(len(output), len(texts))
        raise AlignmentError(
            wrong.message, place=f"the model {name}", remedy="Return one row per text, in their order."
        )
    return output
