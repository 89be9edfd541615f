"""Each different text once, in a canonical order, chunk by chunk; and which texts share a batch."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Protocol

import numpy as np

from fairness_checklist.core.arrays import FloatArray, IntArray
from fairness_checklist.core.errors import PredictionError
from fairness_checklist.core.predictions import Predictions, wrong_rows
from fairness_checklist.core.progress import bars_if, progress_bar
from fairness_checklist.models.base import ChunkClassifier, ChunkModel, Output, TextOutput, excerpt
from fairness_checklist.models.failing_texts import FailingTexts, Score, output_or_error


class Kept(Protocol[Output]):
    """Where the outputs of a model are kept."""

    def read(self, texts: list[str]) -> dict[str, Output]:
        """The outputs that are kept for some of the texts."""

    def write(self, outputs: Mapping[str, Output]) -> None:
        """Keep the outputs for some texts, whole or not at all."""


def plan_batches(lengths: Sequence[int] | IntArray, budget: int) -> list[IntArray]:
    """Which of n sequences go through the model together: those of one length, shortest first.

    They need no padding, which would move the results of models that count positions from the first token, read the
    last one, or mix neighbours. A batch has at most ``budget`` tokens; a longer sequence is a batch by itself.
    """
    sizes = np.asarray(lengths, dtype=np.int64)
    order = np.argsort(sizes, kind="stable")
    batches: list[IntArray] = []
    for rows in np.split(order, np.flatnonzero(np.diff(sizes[order])) + 1) if len(order) else ():
        step = max(1, budget // max(1, int(sizes[rows[0]])))
        batches.extend(rows[start : start + step] for start in range(0, len(rows), step))
    return batches


def predict_by_chunk(model: ChunkClassifier, texts: Sequence[str], **options: Any) -> Predictions:
    """Score each different text once and repeat its output for all of its rows; options are of `score_by_chunk`."""
    outputs, failed = score_by_chunk(model, texts, lambda fresh: _check(fresh, model.classes, texts), **options)
    if not outputs:
        return Predictions.from_probabilities(np.zeros((0, len(model.classes))), model.classes)
    position = {text: row for row, text in enumerate(outputs)}
    rows = np.array([position.get(text, -1) for text in texts], dtype=np.int64)  # -1: the last row, of what failed
    unique = list(outputs.values())
    predicted = np.array([*(output.predicted for output in unique), -1])
    scores = {name: np.array([*(output.scores[name] for output in unique), np.nan]) for name in unique[0].scores}
    matrix = stacked([output.probabilities for output in unique], "the model", "decisions")
    notes: tuple[str, ...] = ()
    if matrix is not None:
        answered = [text for text in texts if text not in failed] if failed else texts
        notes = model.notes(sum(outputs[text].truncated for text in answered), answered)
        note_scores: Callable[..., tuple[str, ...]] = getattr(model, "score_notes", lambda _scores, _n: ())
        notes += note_scores({name: column[:-1] for name, column in scores.items()}, len(unique))
        matrix = np.vstack([matrix, np.full(matrix.shape[1], np.nan)]) if failed else matrix
    return Predictions(model.classes, predicted, matrix, scores, notes, failed).at(rows)


def stacked(matrices: list[FloatArray | None], model: str, other: str) -> FloatArray | None:
    """The rows of all matrices, one below the other; None where there are none, and an error where only some are."""
    given = [matrix for matrix in matrices if matrix is not None]
    if given and len(given) < len(matrices):
        raise PredictionError(
            f"{model} gave probabilities for some of the texts and only {other} for others.",
            remedy="Return the same for all texts.",
        )
    return np.vstack(given) if given else None


def score_by_chunk(
    model: ChunkModel[Output],
    texts: Sequence[str],
    check: Callable[[Mapping[str, Output]], None],
    *,
    progress: bool = False,
    kept: Kept[Output] | None = None,
    keep_going: bool = False,
) -> tuple[dict[str, Output], dict[str, str]]:
    """The output for each different text, in canonical order, scored and checked chunk by chunk; and with
    ``keep_going`` the errors of the texts that failed, see `FailingTexts`."""
    _check_texts(texts)
    unique = sorted(set(texts), key=lambda text: (len(text), text))  # no result depends on the order of the input
    outputs: dict[str, Output] = {}
    with bars_if(progress), progress_bar(len(unique), "predict", "texts") as advance:
        failing = FailingTexts(len(unique) if keep_going else 0, model.score, check, advance)

        def missing() -> Iterator[tuple[int, list[str]]]:
            """The texts of each chunk that are not stored."""
            for start in range(0, len(unique), model.chunk_size):
                chunk = unique[start : start + model.chunk_size]
                stored = kept.read(chunk) if kept else {}
                outputs.update(stored)
                advance(len(stored))
                failing.succeeded |= bool(stored)
                unstored = [text for text in chunk if text not in stored]
                if unstored:
                    yield start, unstored

        # a model with a method ``score_chunks`` may score several chunks at once, and gives them in any order
        score_chunks = getattr(model, "score_chunks", None) or partial(score_here, model.score)
        for _start, unstored, answer in score_chunks(missing(), advance):
            for fresh in failing.usable(unstored, answer):
                if kept:
                    kept.write(fresh)
                outputs.update(fresh)
    errors = failing.errors
    in_order = {text: outputs[text] for text in unique if text in outputs}
    return in_order, {text: errors[text] for text in unique if text in errors}


def score_here(
    score: Score[Output], chunks: Iterable[tuple[int, list[str]]], advance: Callable[[int], object]
) -> Iterator[tuple[int, list[str], Sequence[Output] | PredictionError]]:
    """The number, the texts and the output of each chunk, or the model's error, one after another."""
    for number, texts in chunks:
        yield number, texts, output_or_error(score, texts, advance)


def _check_texts(texts: Sequence[str]) -> None:
    if isinstance(texts, str):
        raise PredictionError(
            "the texts are one string; expected a list of strings.", remedy="Write model.predict([text])."
        )
    for row, text in enumerate(texts):
        if not isinstance(text, str):
            raise PredictionError(
                f"text {row + 1:,} is {text!r}, of type {type(text).__name__}; expected a string.",
                remedy="Fill or drop the rows that have no text.",
            )


def _check(outputs: Mapping[str, TextOutput], classes: tuple[str, ...], texts: Sequence[str]) -> None:
    """Check the outputs for a chunk; an error names the row in the user's texts, and the text."""
    chunk = list(outputs)
    matrix = stacked([output.probabilities for output in outputs.values()], "the model", "decisions")
    problem = None if matrix is None else wrong_rows(matrix, classes)
    if matrix is None or problem is None:
        return
    wrong = {chunk[position] for position in problem[0]}
    row = next(row for row, text in enumerate(texts) if text in wrong)
    position = chunk.index(texts[row])
    _, what, remedy = wrong_rows(matrix[position : position + 1], classes) or problem
    raise PredictionError(
        f'row {row + 1:,} of the probabilities, for the text "{excerpt(texts[row])}", {what} '
        f"({len(wrong):,} such texts in this batch of {len(chunk):,}).",
        remedy=remedy,
    )
