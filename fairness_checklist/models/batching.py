"""Each different text once, in a canonical order, chunk by chunk; and which texts share a batch."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import count
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from fairness_checklist.core.errors import PredictionError
from fairness_checklist.core.predictions import Predictions, wrong_rows
from fairness_checklist.core.progress import bars_if, progress_bar
from fairness_checklist.models.base import ChunkClassifier, ClassifierOutput, Output, excerpt
from fairness_checklist.models.failing_texts import FailingTexts, output_or_error

IntArray = NDArray[np.int64]


Scores = TypeVar("Scores", covariant=True)
# A batch that holds this many real tokens is worth closing rather than padding by more than MAX_PADDING.
MIN_REAL_TOKENS = 768
MAX_PADDING = 0.03


class ChunkModel(Protocol[Scores]):
    """A model that scores different texts a chunk at a time; ``advance(k)`` is called whenever k more are done."""

    @property
    def chunk_size(self) -> int: ...

    def score(self, texts: list[str], advance: Callable[[int], object]) -> Scores: ...


def unique_texts(texts: Sequence[str]) -> tuple[list[str], IntArray]:
    """The u different texts, by length and then spelling, and for each of the n texts its position among them.

    The order does not depend on that of the input, so that neither do batches, nor the last bits of the results.

    >>> unique_texts(["She is sad.", "Hi.", "She is sad."])
    (['Hi.', 'She is sad.'], array([1, 0, 1]))
    """
    position = dict.fromkeys(texts, 0)
    unique = sorted(position)
    unique.sort(key=len)  # sorting keeps the order of texts of one length
    for at, text in enumerate(unique):
        position[text] = at
    return unique, np.fromiter((position[text] for text in texts), dtype=np.int64, count=len(texts))


def plan_batches(lengths: Sequence[int] | IntArray, budget: int) -> list[IntArray]:
    """Which of n sequences go through the model together, shortest first.

    A batch is closed where one more sequence would exceed the budget of padded tokens, or once it holds 768 real tokens
    and one more would push the share of padding over 3 %. A sequence longer than the budget is a batch by itself.

    Args:
        lengths: (n,) tokens a sequence.
        budget: the largest number of sequences times the longest of them, in tokens.

    Returns:
        the positions of the sequences of each batch; each position is in one batch.

    >>> [batch.tolist() for batch in plan_batches([4, 2, 3], budget=8)]
    [[1, 2], [0]]
    """
    order = np.argsort(np.asarray(lengths, dtype=np.int64), kind="stable")
    batches: list[IntArray] = []
    start = real = 0
    for at, length in enumerate(np.asarray(lengths, dtype=np.int64)[order].tolist()):
        padded = (at - start + 1) * length
        wasteful = real >= MIN_REAL_TOKENS and padded - real - length > MAX_PADDING * padded
        if at > start and (padded > budget or wasteful):
            batches.append(order[start:at])
            start, real = at, 0
        real += length
    if start < len(order):
        batches.append(order[start:])
    return batches


def predict_by_chunk(
    model: ChunkClassifier,
    texts: Sequence[str],
    *,
    progress: bool = False,
    read: Callable[[list[str]], list[ClassifierOutput | None]] | None = None,
    write: Callable[[list[str], list[str], ClassifierOutput], None] | None = None,
    keep_going: bool = False,
) -> Predictions:
    """Score each different text once and repeat its output for all of its rows.

    Args:
        model: the model.
        texts: n texts.
        progress: show a bar, where there is a terminal.
        read: the stored output for each text of a chunk, or None.
        write: called with each chunk, those of its texts that are newly scored, and the output for them.
        keep_going: texts that the model fails on are ``failed``, and their rows -1 and NaN, see `FailingTexts`.

    Raises:
        PredictionError: texts that are no strings, probabilities that are none.
    """
    parts, rows, failed = score_by_chunk(
        model,
        texts,
        check=lambda fresh, chunk: _check(fresh, model.classes, chunk, texts),
        concatenate=concatenate,
        progress=progress,
        read=read,
        write=write,
        keep_going=keep_going,
    )
    if not parts:
        return Predictions.from_probabilities(np.zeros((0, len(model.classes))), model.classes)
    scored = concatenate(parts)
    scores = {name: column[rows] for name, column in scored.scores.items()}
    if scored.probabilities is None:
        return Predictions(model.classes, scored.predicted[rows], scores=scores, failed=failed)
    answered = [text for text in texts if text not in failed] if failed else texts
    of_scores = _score_notes(model, concatenate(parts[:-1]) if failed else scored)
    del parts  # at a million texts each copy counts
    probabilities, predicted = scored.probabilities[rows], scored.predicted[rows]
    notes = (*model.notes(int(scored.truncated[rows].sum()), answered), *of_scores)
    del scored
    if failed:  # each chunk was checked
        return Predictions(model.classes, predicted, probabilities, scores, notes, failed)
    return Predictions.from_probabilities(
        probabilities, model.classes, predicted=predicted, scores=scores, notes=notes, n_expected=len(texts)
    )


def _score_notes(model: ChunkClassifier, scored: ClassifierOutput) -> tuple[str, ...]:
    """Notes that a model makes on the scores of the different texts, where it makes any."""
    notes: Callable[[ClassifierOutput], tuple[str, ...]] = getattr(model, "score_notes", lambda _scored: ())
    return notes(scored)


def score_by_chunk(
    model: ChunkModel[Output],
    texts: Sequence[str],
    *,
    check: Callable[[Output, list[str]], None],
    concatenate: Callable[[Sequence[Output]], Output],
    progress: bool = False,
    read: Callable[[list[str]], list[Output | None]] | None = None,
    write: Callable[[list[str], list[str], Output], None] | None = None,
    keep_going: bool = False,
) -> tuple[list[Output], IntArray, dict[str, str]]:
    """The outputs for the different texts, chunk by chunk, and for each of the n texts its position among them.

    Args:
        model: the model.
        texts: n texts.
        check: raises an error if the output for a chunk of texts is invalid.
        concatenate: joins outputs, each of one or more texts, in order.
        progress: show a bar, where there is a terminal.
        read: the stored output for each text of a chunk, or None.
        write: called with each chunk, those of its texts that are newly scored, and the output for them.
        keep_going: see `predict_by_chunk`.

    Returns:
        The outputs; the positions; and the texts that failed, with their errors: their outputs are blank and the last.

    Raises:
        PredictionError: texts that are no strings; the model failed, or with ``keep_going`` failed on too many.
    """
    check_texts(texts)
    unique, rows = unique_texts(texts)
    chunks = cut_chunks(unique, model.chunk_size)
    parts: dict[int, Output] = {}
    stored: dict[int, list[Output | None]] = {}
    with bars_if(progress), progress_bar(len(unique), "predict", "texts") as advance:
        failing = FailingTexts(len(unique) if keep_going else 0, model.score, check, concatenate, advance)

        def missing() -> Iterator[tuple[int, list[str]]]:
            """The texts of each chunk that are not stored; a chunk that is stored whole is done."""
            for at, chunk in enumerate(chunks):
                known: list[Output | None] = read(chunk) if read else [None] * len(chunk)
                texts = [text for text, entry in zip(chunk, known, strict=True) if entry is None]
                advance(len(chunk) - len(texts))
                failing.succeeded |= len(texts) < len(chunk)
                if not texts:
                    parts[at] = _merge(known, None, concatenate)
                    continue
                if len(texts) < len(chunk):
                    stored[at] = known
                yield at, texts

        for at, asked, found in score_chunks(model, missing(), advance):
            fresh: list[Output] = []
            for some, output in failing.usable(asked, found):
                fresh.append(output)
                if write:
                    write(chunks[at], some, output)
            joined = concatenate(fresh) if len(fresh) > 1 else next(iter(fresh), None)
            if at in stored:
                rows_of = zip(chunks[at], stored.pop(at), strict=True)
                parts[at] = _merge([one for text, one in rows_of if text not in failing.errors], joined, concatenate)
            elif joined is not None:
                parts[at] = joined
    return _with_blank_rows([parts[at] for at in sorted(parts)], unique, rows, failing.errors)


def cut_chunks(unique: list[str], size: int) -> list[list[str]]:
    """The chunks of texts in canonical order.

    >>> cut_chunks(["a", "b", "c"], 2)
    [['a', 'b'], ['c']]
    """
    return [unique[start : start + size] for start in range(0, len(unique), size)]


def score_chunks(
    model: ChunkModel[Output], chunks: Iterable[tuple[int, list[str]]], advance: Callable[[int], object]
) -> Iterator[tuple[int, list[str], Output | PredictionError]]:
    """The number, the texts and the output of each chunk as they get ready: here, or where the model sends them.

    A model that has a method ``score_chunks`` may score several at once, and gives them in any order. Where it fails on
    a chunk, its error is in the place of the output.
    """
    elsewhere = getattr(model, "score_chunks", None)
    if elsewhere is not None:
        yield from elsewhere(chunks, advance)
        return
    for at, texts in chunks:
        yield at, texts, output_or_error(model.score, texts, advance)


def _with_blank_rows(
    parts: list[Output], unique: list[str], rows: IntArray, errors: dict[str, str]
) -> tuple[list[Output], IntArray, dict[str, str]]:
    """The outputs followed by blank ones for the texts that failed, and the positions of all texts among them."""
    if not errors:
        return parts, rows, errors
    failed = np.array([text in errors for text in unique])
    position = np.empty(len(unique), dtype=np.int64)
    position[np.argsort(failed, kind="stable")] = np.arange(len(unique))
    in_order = {text: errors[text] for text in unique if text in errors}
    return [*parts, parts[0].blank(list(in_order))], position[rows], in_order


def check_texts(texts: Sequence[str]) -> None:
    """Raise `PredictionError` unless ``texts`` is a sequence of strings."""
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


def concatenate(parts: Sequence[ClassifierOutput]) -> ClassifierOutput:
    """One `ClassifierOutput` of all rows, in order.

    Raises:
        PredictionError: some have probabilities and others have none.
    """
    given = [part.probabilities for part in parts if part.probabilities is not None]
    if given and len(given) < len(parts):
        raise PredictionError(
            "the model gave probabilities for some of the texts and only decisions for others.",
            remedy="Return the same for all texts.",
        )
    return ClassifierOutput(
        np.concatenate(given) if given else None,
        np.concatenate([part.predicted for part in parts]),
        np.concatenate([part.truncated for part in parts]),
        {name: np.concatenate([part.scores[name] for part in parts]) for name in parts[0].scores},
    )


def _merge(
    known: list[Output | None], fresh: Output | None, concatenate: Callable[[Sequence[Output]], Output]
) -> Output:
    """The outputs for the texts of a chunk in order: the stored ones, and the new ones in the gaps between them."""
    position = count()
    rows = (fresh.row(next(position)) if one is None and fresh is not None else one for one in known)
    return concatenate([one for one in rows if one is not None])


def _check(scored: ClassifierOutput, classes: tuple[str, ...], chunk: Sequence[str], texts: Sequence[str]) -> None:
    """Check the output for a chunk; an error names the row in the user's texts, and the text."""
    found = None if scored.probabilities is None else wrong_rows(scored.probabilities, classes)
    if found is None or scored.probabilities is None:
        return
    wrong = {chunk[at] for at in found[0]}
    row = next(at for at, text in enumerate(texts) if text in wrong)
    at = chunk.index(texts[row])
    _, what, remedy = wrong_rows(scored.probabilities[at : at + 1], classes) or found
    raise PredictionError(
        f'row {row + 1:,} of the probabilities, for the text "{excerpt(texts[row])}", {what} '
        f"({len(wrong):,} such texts in this batch of {len(chunk):,}).",
        remedy=remedy,
    )
