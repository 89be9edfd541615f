"""Each different text once, in a canonical order, chunk by chunk; and which texts share a batch."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Protocol

import numpy as np

from fairness_checklist.core.arrays import IntArray
from fairness_checklist.core.errors import PredictionError
from fairness_checklist.core.predictions import Predictions, wrong_rows
from fairness_checklist.core.progress import bars_if, progress_bar
from fairness_checklist.models.base import ChunkClassifier, ChunkModel, ClassifierOutput, Output, excerpt
from fairness_checklist.models.failing_texts import FailingTexts, Score, output_or_error


class Kept(Protocol[Output]):
    """Where the outputs of a model are kept."""

    def read(self, texts: list[str]) -> list[Output | None]:
        """The output for each text of a chunk, None where it is not kept."""
        ...

    def write(self, chunk: list[str], texts: list[str], output: Output) -> None:
        """Keep the output for some texts of a chunk."""
        ...


def unique_texts(texts: Sequence[str]) -> tuple[list[str], IntArray]:
    """The u different texts, by length and then spelling, and for each of the n texts its position among them.

    The order does not depend on that of the input, so that neither do batches, nor the last bits of the results.
    """
    unique = sorted(set(texts), key=lambda text: (len(text), text))
    position = {text: row for row, text in enumerate(unique)}
    return unique, np.fromiter((position[text] for text in texts), dtype=np.int64, count=len(texts))


def plan_batches(lengths: Sequence[int] | IntArray, budget: int) -> list[IntArray]:
    """Which of n sequences go through the model together: those of one length, shortest first.

    They need no padding, which would move the results of models that count positions from the first token, read the
    last one, or mix neighbours. A batch has at most ``budget`` tokens; a longer sequence is a batch by itself.

    >>> [rows.tolist() for rows in plan_batches([3, 5, 3, 3], 6)]
    [[0, 2], [3], [1]]
    """
    sizes = np.asarray(lengths, dtype=np.int64)
    order = np.argsort(sizes, kind="stable")
    batches: list[IntArray] = []
    for rows in np.split(order, np.flatnonzero(np.diff(sizes[order])) + 1) if len(order) else ():
        step = max(1, budget // max(1, int(sizes[rows[0]])))
        batches.extend(rows[start : start + step] for start in range(0, len(rows), step))
    return batches


def predict_by_chunk(
    model: ChunkClassifier,
    texts: Sequence[str],
    *,
    progress: bool = False,
    kept: Kept[ClassifierOutput] | None = None,
    keep_going: bool = False,
) -> Predictions:
    """Score each different text once and repeat its output for all of its rows, as of `score_by_chunk`."""
    outputs, rows, failed = score_by_chunk(
        model,
        texts,
        check=lambda fresh, chunk: _check(fresh, model.classes, chunk, texts),
        progress=progress,
        kept=kept,
        keep_going=keep_going,
    )
    if not outputs:
        return Predictions.from_probabilities(np.zeros((0, len(model.classes))), model.classes)
    scored = ClassifierOutput.concatenate(outputs)
    scores = {name: column[rows] for name, column in scored.scores.items()}
    if scored.probabilities is None:
        return Predictions(model.classes, scored.predicted[rows], scores=scores, failed=failed)
    answered = [text for text in texts if text not in failed] if failed else texts
    note_scores: Callable[[ClassifierOutput], tuple[str, ...]] = getattr(model, "score_notes", lambda _scored: ())
    score_notes = note_scores(ClassifierOutput.concatenate(outputs[:-1]) if failed else scored)
    del outputs  # at a million texts each copy counts
    probabilities, predicted = scored.probabilities[rows], scored.predicted[rows]
    notes = (*model.notes(int(scored.truncated[rows].sum()), answered), *score_notes)
    return Predictions(model.classes, predicted, probabilities, scores, notes, failed)


def score_by_chunk(
    model: ChunkModel[Output],
    texts: Sequence[str],
    *,
    check: Callable[[Output, list[str]], None],
    progress: bool = False,
    kept: Kept[Output] | None = None,
    keep_going: bool = False,
) -> tuple[list[Output], IntArray, dict[str, str]]:
    """The outputs for the different texts, chunk by chunk, and for each of the n texts its position among them.

    With ``keep_going`` texts may fail, see `FailingTexts`: they come back with their errors, and their outputs are
    blank and the last. ``check`` raises an error if the output for a chunk of texts is invalid.
    """
    _check_texts(texts)
    unique, rows = unique_texts(texts)
    chunks = [unique[start : start + model.chunk_size] for start in range(0, len(unique), model.chunk_size)]
    outputs: dict[int, Output] = {}
    stored: dict[int, list[Output | None]] = {}
    with bars_if(progress), progress_bar(len(unique), "predict", "texts") as advance:
        failing = FailingTexts(len(unique) if keep_going else 0, model.score, check, advance)

        def missing() -> Iterator[tuple[int, list[str]]]:
            """The texts of each chunk that are not stored; a chunk that is stored whole is done."""
            for number, chunk in enumerate(chunks):
                entries = stored[number] = kept.read(chunk) if kept else [None] * len(chunk)
                asked = [text for text, entry in zip(chunk, entries, strict=True) if entry is None]
                advance(len(chunk) - len(asked))
                failing.succeeded |= len(asked) < len(chunk)
                if asked:
                    yield number, asked
                else:
                    outputs[number] = _merged(stored.pop(number), [])

        for number, asked, answer in score_chunks(model, missing(), advance):
            fresh: list[Output] = []
            for scored, output in failing.usable(asked, answer):
                fresh.append(output)
                if kept:
                    kept.write(chunks[number], scored, output)
            entries = zip(chunks[number], stored.pop(number), strict=True)
            found = [entry for text, entry in entries if text not in failing.errors]
            if found:
                outputs[number] = _merged(found, fresh)
    return _with_blank_rows([outputs[number] for number in sorted(outputs)], unique, rows, failing.errors)


def score_chunks(
    model: ChunkModel[Output], chunks: Iterable[tuple[int, list[str]]], advance: Callable[[int], object]
) -> Iterator[tuple[int, list[str], Output | PredictionError]]:
    """The number, the texts and the output of each chunk as they get ready: here, or where the model sends them.

    A model that has a method ``score_chunks`` may score several at once, and gives them in any order. Where it fails on
    a chunk, its error is in the place of the output.
    """
    elsewhere = getattr(model, "score_chunks", None)
    if elsewhere is not None:
        return elsewhere(chunks, advance)  # type: ignore[no-any-return]
    return score_here(model.score, chunks, advance)


def score_here(
    score: Score[Output], chunks: Iterable[tuple[int, list[str]]], advance: Callable[[int], object]
) -> Iterator[tuple[int, list[str], Output | PredictionError]]:
    """The number, the texts and the output of each chunk, or the error, one after another."""
    for number, texts in chunks:
        yield number, texts, output_or_error(score, texts, advance)


def _with_blank_rows(
    outputs: list[Output], unique: list[str], rows: IntArray, errors: dict[str, str]
) -> tuple[list[Output], IntArray, dict[str, str]]:
    """The outputs followed by blank ones for the texts that failed, and the positions of all texts among them."""
    if not errors:
        return outputs, rows, errors
    failed = np.array([text in errors for text in unique])
    position = np.empty(len(unique), dtype=np.int64)
    position[np.argsort(failed, kind="stable")] = np.arange(len(unique))
    in_order = {text: errors[text] for text in unique if text in errors}
    return [*outputs, outputs[0].blank(list(in_order))], position[rows], in_order


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


def _merged(stored: list[Output | None], fresh: list[Output]) -> Output:
    """The outputs for the texts of a chunk in order: the stored ones, and the new ones in the gaps between them."""
    if not any(stored):
        return fresh[0].concatenate(fresh) if len(fresh) > 1 else fresh[0]
    new = fresh[0].concatenate(fresh) if fresh else None
    gaps = iter(range(len(stored)))
    rows = [new.row(next(gaps)) if entry is None and new is not None else entry for entry in stored]
    known = [row for row in rows if row is not None]
    return known[0].concatenate(known)


def _check(scored: ClassifierOutput, classes: tuple[str, ...], chunk: Sequence[str], texts: Sequence[str]) -> None:
    """Check the output for a chunk; an error names the row in the user's texts, and the text."""
    problem = None if scored.probabilities is None else wrong_rows(scored.probabilities, classes)
    if problem is None or scored.probabilities is None:
        return
    wrong = {chunk[position] for position in problem[0]}
    row = next(row for row, text in enumerate(texts) if text in wrong)
    position = chunk.index(texts[row])
    _, what, remedy = wrong_rows(scored.probabilities[position : position + 1], classes) or problem
    raise PredictionError(
        f'row {row + 1:,} of the probabilities, for the text "{excerpt(texts[row])}", {what} '
        f"({len(wrong):,} such texts in this batch of {len(chunk):,}).",
        remedy=remedy,
    )
