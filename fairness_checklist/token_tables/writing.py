"""Examples and predictions of a tagger to a table."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

from fairness_checklist.arrays import IntArray
from fairness_checklist.examples import ExampleSet
from fairness_checklist.predictions import Predictions, TokenPredictions, alignment_error
from fairness_checklist.sentences import Sentences, read_sentences
from fairness_checklist.tables import to_table
from fairness_checklist.tagging import Spans, encode
from fairness_checklist.tasks import TASKS

__all__ = ["HIDDEN", "to_any_table", "to_tagged_table", "without_words"]

HIDDEN = "_"


def to_any_table(
    examples: ExampleSet, predictions: Predictions | TokenPredictions | None = None, *, text: bool = True
) -> pd.DataFrame:
    """The prediction table of a classifier's example set, or of a tagger's, see `to_tagged_table`."""
    if isinstance(predictions, Predictions):
        return to_table(examples, predictions, text=text)
    if predictions is None and not (examples.task in TASKS and TASKS[examples.task].tagging):
        return to_table(examples, text=text)
    return to_tagged_table(examples, predictions, text=text)


def to_tagged_table(
    examples: ExampleSet, predictions: TokenPredictions | None = None, *, text: bool = True
) -> pd.DataFrame:
    """The table of a tagger's example set: what `split_tagged` reads, tags in IOB2, ``classes`` types.

    Args:
        examples: n sentences.
        predictions: of the same sentences, or None for the sentences alone.
        text: False writes the texts' SHA-256 in the column ``sha256``, and "_" for each word; only "the" right before a
            term stays, because it counts as part of some terms.

    Raises:
        AlignmentError: the predictions are not of n sentences.

    >>> from fairness_checklist.token_tables import split_tagged
    >>> frame = pd.DataFrame({"group": ["a"], "tokens": [["In", "Chad"]], "predicted": [["O", "U-LOC"]]})
    >>> [(examples, said)] = split_tagged(frame)
    >>> to_tagged_table(examples, said)["predicted"].tolist()
    [['O', 'B-LOC']]
    """
    if predictions is not None and len(predictions) != len(examples):
        raise alignment_error(len(predictions), len(examples))
    frame = to_table(examples, text=text).drop(columns="label")
    if not text:
        frame = frame.rename(columns={"text": "sha256"})
    sentences = read_sentences(examples.texts)
    offset = sentences.offset
    words = sentences.words if text else _hidden(sentences)
    columns: dict[str, Any] = {
        "tokens": [list(words[start:end]) for start, end in pairwise(offset)],
        "tags": [
            tags if known else None
            for tags, known in zip(_tags(sentences.gold, sentences.types, offset), sentences.tagged, strict=True)
        ],
        "slot": _slots(sentences),
    }
    if predictions is not None:
        columns["predicted"] = _tags(predictions.spans, predictions.types, predictions.offset)
        columns["classes"] = [list(predictions.classes) for _row in range(len(examples))]
        if predictions.probabilities is not None:
            borders = pairwise(predictions.offset)
            columns["p"] = [predictions.probabilities[start:end].tolist() for start, end in borders]
        if predictions.repaired.any():
            columns["repaired"] = predictions.repaired
    for name, column in columns.items():
        frame[name] = pd.Series(column, dtype="int64" if name == "repaired" else object)
    return frame


def _tags(spans: Spans, types: Sequence[str], offset: IntArray) -> list[list[str]]:
    """The tags of each sentence."""
    listed: list[list[tuple[int, int, str]]] = [[] for _row in range(len(offset) - 1)]
    columns = (spans.row.tolist(), spans.start.tolist(), spans.end.tolist(), spans.type.tolist())
    for row, start, end, kind in zip(*columns, strict=True):
        listed[row].append((start, end, types[kind]))
    return [encode(found, int(n)) for found, n in zip(listed, np.diff(offset), strict=True)]


def _slots(sentences: Sentences) -> list[list[list[int]]]:
    """For each sentence [start, end) of each place of the term; [0, 0] for one that holds no word."""
    found: list[list[list[int]]] = [[] for _row in range(len(sentences))]
    inside = np.flatnonzero(sentences.slot >= 0)
    row = sentences.row[inside]
    at = inside - sentences.offset[row]
    for of, number, word in zip(row.tolist(), sentences.slot[inside].tolist(), at.tolist(), strict=True):
        slots = found[of]
        slots += [[0, 0] for _missing in range(number + 1 - len(slots))]
        slots[number] = [word, word + 1] if slots[number] == [0, 0] else [slots[number][0], word + 1]
    return found


def _hidden(sentences: Sentences) -> tuple[str, ...]:
    """The words as "_", but for articles right before a term."""
    slot = sentences.slot
    before = np.zeros(len(slot), dtype=np.bool_)
    before[:-1] = (slot[:-1] < 0) & (slot[1:] >= 0) & (sentences.row[:-1] == sentences.row[1:])
    return tuple(
        word if kept and word.lower() == "the" else HIDDEN for word, kept in zip(sentences.words, before, strict=True)
    )


def without_words(frame: pd.DataFrame) -> pd.DataFrame:
    """A tagger's table with "_" for each word, but for articles right before a term.

    >>> frame = pd.DataFrame({"tokens": [["In", "the", "Gambia"]], "slot": [[[2, 3]]]})
    >>> without_words(frame)["tokens"].tolist()
    [['_', 'the', '_']]
    """
    slots: list[Any] = list(frame["slot"]) if "slot" in frame.columns else [None] * len(frame)
    hidden = []
    for words, places in zip(frame["tokens"], slots, strict=True):
        first = {int(place[0]) for place in _each(places)}
        hidden.append(
            [str(word) if word.lower() == "the" and at + 1 in first else HIDDEN for at, word in enumerate(words)]
        )
    return frame.assign(tokens=pd.Series(hidden, dtype=object, index=frame.index))


def _each(places: Any) -> list[Any]:
    """The places of a cell: one [start, end), a list of such, or none."""
    listed = [] if places is None or isinstance(places, float) else list(places)
    return [listed] if listed and np.ndim(listed[0]) == 0 else listed
