"""The output of a tagger for a chunk of texts, and the predictions for all rows from such chunks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from fairness_checklist.core.arrays import BoolArray, FloatArray, IntArray
from fairness_checklist.core.errors import PredictionError
from fairness_checklist.core.predictions import TokenPredictions, wrong_rows
from fairness_checklist.core.tagging import OUTSIDE, Spans, words
from fairness_checklist.models.base import ChunkModel, text_place
from fairness_checklist.models.batches_without_padding import score_by_chunk, stacked


@dataclass(frozen=True, eq=False)
class TagOutput:
    """The output of a tagger for one text of W words."""

    n_words: int
    spans: IntArray  # (k, 3) start, end and type of each entity, in order; types are positions in the tagger's types
    probabilities: FloatArray | None = None  # (W, T + 1), the last column outside; None where only spans are known
    repaired: int = 0  # entities with tags that violated the scheme and were repaired
    split: bool = False  # whether the text was longer than the model reads and was split
    left_out: int = 0  # words that the model did not see, or spans that could not be used


def tag_outputs(
    offset: IntArray,
    spans: Spans,
    *,
    repaired: IntArray,
    left_out: IntArray,
    probabilities: FloatArray | None = None,
    split: BoolArray | None = None,
) -> list[TagOutput]:
    """The outputs for m texts from flat arrays: spans sorted by row, probabilities (W, T + 1) of all words."""
    n = len(offset) - 1
    table = np.column_stack([spans.start, spans.end, spans.type])
    ends = np.searchsorted(spans.row, np.arange(n + 1))
    return [
        TagOutput(
            int(offset[row + 1] - offset[row]),
            table[ends[row] : ends[row + 1]],
            None if probabilities is None else probabilities[offset[row] : offset[row + 1]],
            repaired=int(repaired[row]),
            split=split is not None and bool(split[row]),
            left_out=int(left_out[row]),
        )
        for row in range(n)
    ]


class ChunkTagger(ChunkModel[TagOutput], Protocol):
    """A `Tagger` that reads a chunk at a time; the spans of a `TagOutput` point into its T ``types``."""

    @property
    def types(self) -> tuple[str, ...]: ...

    def finish(self, output: TokenPredictions, n_split: int, n_left_out: int, texts: Sequence[str]) -> TokenPredictions:
        """The predictions with notes."""


def tag_by_chunk(model: ChunkTagger, texts: Sequence[str], **options: Any) -> TokenPredictions:
    """Read each different text once and repeat its output for all of its rows; options are of `score_by_chunk`."""
    outputs, failed = score_by_chunk(model, texts, lambda fresh: _check(fresh, (*model.types, OUTSIDE)), **options)
    with_words = [output.probabilities for output in outputs.values() if output.n_words]
    matrix = stacked(with_words, "the tagger", "tags or spans")
    if matrix is None and not any(output.n_words for output in outputs.values()):
        matrix = np.zeros((0, len(model.types) + 1))
    for text in failed:
        n_words = len(words(text))
        nothing = None if matrix is None else np.full((n_words, matrix.shape[1]), np.nan)
        outputs[text] = TagOutput(n_words, np.zeros((0, 3), dtype=np.int64), nothing)
        matrix = None if matrix is None else np.concatenate([matrix, nothing])
    position = {text: row for row, text in enumerate(outputs)}
    unique = list(outputs.values())
    table = np.concatenate([np.zeros((0, 3), dtype=np.int64), *(output.spans for output in unique)])
    row_of_span = np.repeat(np.arange(len(unique)), [len(output.spans) for output in unique])
    predictions = TokenPredictions(
        model.types,
        np.cumsum([0, *(output.n_words for output in unique)]),
        Spans(row_of_span, *table.T),
        matrix,
        np.array([output.repaired for output in unique], dtype=np.int64),
        failed=failed,
    )
    n_split, n_left_out = (sum(getattr(outputs[text], name) for text in texts) for name in ("split", "left_out"))
    return model.finish(
        predictions.at(np.array([position[text] for text in texts], dtype=np.int64)), n_split, n_left_out, texts
    )


def word_spans(texts: Sequence[str]) -> tuple[IntArray, IntArray]:
    """Where the words of texts are in them, (W, 2), and where each text's words start, (n + 1,)."""
    spans = [words(text) for text in texts]
    places = np.array([span for row in spans for span in row], dtype=np.int64).reshape(-1, 2)
    return places, np.cumsum([0, *map(len, spans)])


def _check(outputs: Mapping[str, TagOutput], classes: tuple[str, ...]) -> None:
    given = [output.probabilities for output in outputs.values() if output.n_words and output.probabilities is not None]
    for text, output in outputs.items() if given and wrong_rows(np.vstack(given), classes) else ():
        problem = None if output.probabilities is None else wrong_rows(output.probabilities, classes)
        if problem is not None:
            word = int(problem[0][0])
            start, end = words(text)[word]
            raise PredictionError(
                f'the probabilities of its word {word + 1:,}, "{text[start:end]}", are none: the row {problem[1]}.',
                place=text_place(text),
                remedy=problem[2],
            )
