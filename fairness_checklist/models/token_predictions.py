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

    def row(self, position: int) -> TaggerOutput:
        """The output for one text."""
        start, end = int(self.offset[position]), int(self.offset[position + 1])
        rows = slice(position, position + 1)
        return TaggerOutput(
            offset=np.array([0, end - start]),
            spans=self.spans.of_rows(np.array([position])),
            repaired=self.repaired[rows],
            split=self.split[rows],
            left_out=self.left_out[rows],
            probabilities=None if self.probabilities is None else self.probabilities[start:end],
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
        return TaggerOutput(offset, Spans.of([]), nothing, nothing.astype(np.bool_), nothing, probabilities=p)

    @classmethod
    def concatenate(cls, outputs: Sequence[TaggerOutput]) -> TaggerOutput:
        """The output for the texts of all outputs, in order; all or none of them must have probabilities."""
        none = np.zeros(0, dtype=np.int64)
        if not outputs:
            return cls(np.zeros(1, dtype=np.int64), Spans.of([]), none, none.astype(np.bool_), none)
        lengths = np.concatenate([np.diff(output.offset) for output in outputs])
        first = np.cumsum([0, *(len(output.repaired) for output in outputs)])
        with_words = [output for output in outputs if output.offset[-1]]
        matrices = [output.probabilities for output in with_words if output.probabilities is not None]
        if matrices and len(matrices) < len(with_words):
            raise PredictionError(
                "the tagger gave probabilities for some of the texts and only tags or spans for others.",
                remedy="Return the same for all texts.",
            )
        return cls(
            offset=np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
            spans=Spans(
                np.concatenate([output.spans.row + row for output, row in zip(outputs, first, strict=False)]),
                np.concatenate([output.spans.start for output in outputs]),
                np.concatenate([output.spans.end for output in outputs]),
                np.concatenate([output.spans.type for output in outputs]),
            ),
            repaired=np.concatenate([output.repaired for output in outputs]),
            split=np.concatenate([output.split for output in outputs]),
            left_out=np.concatenate([output.left_out for output in outputs]),
            probabilities=np.concatenate(matrices) if matrices else None,
        )


class ChunkTagger(ChunkModel[TaggerOutput], Protocol):
    """A `Tagger` that reads a chunk at a time; the spans of a `TaggerOutput` point into its T ``types``."""

    @property
    def types(self) -> tuple[str, ...]: ...

    def finish(self, output: TokenPredictions, n_split: int, n_left_out: int, texts: Sequence[str]) -> TokenPredictions:
        """The predictions with notes."""
        ...


def text_error(kind: type[InputError], text: str, message: str, remedy: str) -> InputError:
    """An error in the output for one text."""
    return kind(message, place=f'the text "{excerpt(text)}"', remedy=remedy)


def tag_by_chunk(
    model: ChunkTagger,
    texts: Sequence[str],
    *,
    progress: bool = False,
    kept: Kept[TaggerOutput] | None = None,
    keep_going: bool = False,
) -> TokenPredictions:
    """Read each different text once and repeat its output for all of its rows, as of `score_by_chunk`."""
    outputs, rows, failed = score_by_chunk(
        model,
        texts,
        check=lambda fresh, chunk: _check(fresh, (*model.types, OUTSIDE), chunk),
        progress=progress,
        kept=kept,
        keep_going=keep_going,
    )
    whole = TaggerOutput.concatenate(outputs)
    probabilities = whole.probabilities
    if probabilities is None and whole.offset[-1] == 0:
        probabilities = np.zeros((0, len(model.types) + 1))
    unique = TokenPredictions(model.types, whole.offset, whole.spans, probabilities, whole.repaired, failed=failed)
    return model.finish(unique.at(rows), int(whole.split[rows].sum()), int(whole.left_out[rows].sum()), texts)


def word_spans(texts: Sequence[str]) -> tuple[IntArray, IntArray]:
    """Where the words of texts are in them, (W, 2), and where each text's words start, (n + 1,)."""
    spans = [words(text) for text in texts]
    offset = np.zeros(len(texts) + 1, dtype=np.int64)
    np.cumsum([len(row) for row in spans], out=offset[1:])
    return np.array([span for row in spans for span in row], dtype=np.int64).reshape(-1, 2), offset


def _check(tagged: TaggerOutput, classes: tuple[str, ...], chunk: Sequence[str]) -> None:
    problem = None if tagged.probabilities is None else wrong_rows(tagged.probabilities, classes)
    if problem is None:
        return
    first = int(problem[0][0])
    row = int(np.searchsorted(tagged.offset, first, side="right")) - 1
    at = first - int(tagged.offset[row])
    start, end = words(chunk[row])[at]
    raise text_error(
        PredictionError,
        chunk[row],
        f'the probabilities of its word {at + 1:,}, "{chunk[row][start:end]}", are none: the row {problem[1]}.',
        problem[2],
    )
