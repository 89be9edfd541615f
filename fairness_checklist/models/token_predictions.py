"""The output of a tagger for a chunk of texts, and the predictions for all rows from such chunks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from fairness_checklist.core.arrays import BoolArray, FloatArray, IntArray
from fairness_checklist.core.errors import InputError, PredictionError
from fairness_checklist.core.predictions import TokenPredictions, wrong_rows
from fairness_checklist.core.tagging import OUTSIDE, Spans, words
from fairness_checklist.models.base import ChunkModel, excerpt
from fairness_checklist.models.batching import Kept, score_by_chunk


@dataclass(frozen=True, eq=False)
class TaggerOutput:
    """The output of a tagger for m different texts of W words."""

    offset: IntArray  # (m + 1,) where each text's words start
    spans: Spans  # the entities, sorted by row; ``spans.type`` points into the tagger's types
    repaired: IntArray  # (m,) entities with tags that violated the scheme and were repaired
    split: BoolArray  # (m,) True where the text was longer than the model reads and was split
    left_out: IntArray  # (m,) words that the model did not see, or spans that could not be used
    probabilities: FloatArray | None = None  # (W, T + 1), the last column outside; None where only spans are known

    def row(self, at: int) -> TaggerOutput:
        """The output for one text."""
        first, last = np.searchsorted(self.spans.row, [at, at + 1])
        spans, words_ = self.spans, slice(int(self.offset[at]), int(self.offset[at + 1]))
        here = slice(at, at + 1)
        return TaggerOutput(
            self.offset[at : at + 2] - self.offset[at],
            Spans(spans.row[first:last] - at, spans.start[first:last], spans.end[first:last], spans.type[first:last]),
            self.repaired[here],
            self.split[here],
            self.left_out[here],
            None if self.probabilities is None else self.probabilities[words_],
        )

    def undefined(self) -> BoolArray:
        """(m,) True where a probability of one of the text's words is NaN or infinite."""
        if self.probabilities is None:
            return np.zeros(len(self.repaired), dtype=np.bool_)
        row = np.repeat(np.arange(len(self.repaired)), np.diff(self.offset))
        wrong = row[~np.isfinite(self.probabilities).all(axis=1)]
        return np.bincount(wrong, minlength=len(self.repaired)) > 0

    def blank(self, texts: Sequence[str]) -> TaggerOutput:
        """The output for texts without a prediction, in the form of this one: no entity, and NaN."""
        _places, offset = word_spans(texts)
        nothing, p = np.zeros(len(texts), dtype=np.int64), self.probabilities
        p = None if p is None else np.full((int(offset[-1]), p.shape[1]), np.nan)
        return TaggerOutput(offset, Spans.of([]), nothing, nothing.astype(np.bool_), nothing, p)

    @classmethod
    def concatenate(cls, parts: Sequence[TaggerOutput]) -> TaggerOutput:
        """The output for the texts of all parts, in order; all or none of them must have probabilities."""
        none = np.zeros(0, dtype=np.int64)
        if not parts:
            return cls(np.zeros(1, dtype=np.int64), Spans.of([]), none, none.astype(np.bool_), none)
        lengths = np.concatenate([np.diff(part.offset) for part in parts])
        before = np.cumsum([0, *(len(part.repaired) for part in parts)])
        spans = [part.spans for part in parts]
        nonempty = [part for part in parts if part.offset[-1]]
        matrices = [part.probabilities for part in nonempty if part.probabilities is not None]
        if matrices and len(matrices) < len(nonempty):
            raise PredictionError(
                "the tagger gave probabilities for some of the texts and only tags or spans for others.",
                remedy="Return the same for all texts.",
            )
        return cls(
            np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
            Spans(
                np.concatenate([some.row + first for some, first in zip(spans, before, strict=False)]),
                np.concatenate([some.start for some in spans]),
                np.concatenate([some.end for some in spans]),
                np.concatenate([some.type for some in spans]),
            ),
            np.concatenate([part.repaired for part in parts]),
            np.concatenate([part.split for part in parts]),
            np.concatenate([part.left_out for part in parts]),
            np.concatenate(matrices) if matrices else None,
        )


class ChunkTagger(ChunkModel[TaggerOutput], Protocol):
    """A `Tagger` that reads a chunk at a time; the spans of a `TaggerOutput` point into its T ``types``."""

    @property
    def types(self) -> tuple[str, ...]: ...

    def finish(self, output: TokenPredictions, n_split: int, n_left_out: int, texts: Sequence[str]) -> TokenPredictions:
        """The predictions with notes."""
        ...


class TextError(PredictionError):
    """An error in the output for one text; `tag_by_chunk` raises it with the text's number."""

    def __init__(self, kind: type[InputError], text: str, message: str, *, remedy: str) -> None:
        super().__init__(message, place=f'the text "{excerpt(text)}"', remedy=remedy)
        self.kind = kind
        self.text = text


def tag_by_chunk(
    model: ChunkTagger,
    texts: Sequence[str],
    *,
    progress: bool = False,
    kept: Kept[TaggerOutput] | None = None,
    keep_going: bool = False,
) -> TokenPredictions:
    """Read each different text once and repeat its output for all of its rows, as of `score_by_chunk`."""
    try:
        parts, rows, failed = score_by_chunk(
            model,
            texts,
            check=lambda fresh, chunk: _check(fresh, (*model.types, OUTSIDE), chunk),
            progress=progress,
            kept=kept,
            keep_going=keep_going,
        )
    except TextError as error:
        place = f'text {list(texts).index(error.text) + 1:,}, "{excerpt(error.text)}"'
        raise error.kind(error.message, place=place, remedy=error.remedy) from error.__cause__
    whole = TaggerOutput.concatenate(parts)
    probabilities = whole.probabilities
    if probabilities is None and whole.offset[-1] == 0:
        probabilities = np.zeros((0, len(model.types) + 1))
    every = TokenPredictions(model.types, whole.offset, whole.spans, probabilities, whole.repaired, failed=failed)
    return model.finish(every.at(rows), int(whole.split[rows].sum()), int(whole.left_out[rows].sum()), texts)


def word_spans(texts: Sequence[str]) -> tuple[IntArray, IntArray]:
    """Where the words of texts are in them, (W, 2), and where each text's words start, (n + 1,)."""
    spans = [words(text) for text in texts]
    offset = np.zeros(len(texts) + 1, dtype=np.int64)
    np.cumsum([len(own) for own in spans], out=offset[1:])
    return np.array([span for own in spans for span in own], dtype=np.int64).reshape(-1, 2), offset


def _check(tagged: TaggerOutput, classes: tuple[str, ...], chunk: Sequence[str]) -> None:
    problem = None if tagged.probabilities is None else wrong_rows(tagged.probabilities, classes)
    if problem is None:
        return
    first = int(problem[0][0])
    row = int(np.searchsorted(tagged.offset, first, side="right")) - 1
    at = first - int(tagged.offset[row])
    start, end = words(chunk[row])[at]
    raise TextError(
        PredictionError,
        chunk[row],
        f'the probabilities of its word {at + 1:,}, "{chunk[row][start:end]}", are none: the row {problem[1]}.',
        remedy=problem[2],
    )
