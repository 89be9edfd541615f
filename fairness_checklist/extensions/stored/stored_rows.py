"""The output of a model for one text as a row of SQLite."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Generic

import numpy as np

from fairness_checklist.core.tagging import Spans
from fairness_checklist.models.base import ClassifierOutput, Output
from fairness_checklist.models.token_predictions import TaggerOutput


@dataclass(frozen=True, eq=False)
class StoredRows(Generic[Output]):
    """Where one kind of answers is kept, a row a text."""

    name: str  # the table
    columns: Mapping[str, str]  # its columns behind model and text, with their types
    # converts the output for some texts to rows of these columns
    to_rows: Callable[[Output], Iterable[tuple[object, ...]]]
    from_row: Callable[[tuple[Any, ...]], Output]  # converts a row to the output for one text

    def statement(self) -> str:
        """The SQL statement that creates the table."""
        columns = ", ".join(f"{name} {kind} NOT NULL" for name, kind in self.columns.items())
        return (
            f"CREATE TABLE IF NOT EXISTS {self.name} (model TEXT NOT NULL, text BLOB NOT NULL, {columns}, "
            "PRIMARY KEY (model, text)) WITHOUT ROWID"
        )


def _classifier_rows(scored: ClassifierOutput) -> Iterator[tuple[object, ...]]:
    n = len(scored.predicted)
    given = scored.probabilities
    whole = b"" if given is None else np.ascontiguousarray(given, dtype="<f8").tobytes()
    width = 0 if given is None else 8 * given.shape[1]
    columns = [column.tolist() for column in scored.scores.values()]
    scores = ("{}",) * n
    if columns:
        scores = tuple(json.dumps(dict(zip(scored.scores, row, strict=True))) for row in zip(*columns, strict=True))
    decided = zip(scored.predicted.tolist(), map(int, scored.truncated.tolist()), scores, strict=True)
    for at, (predicted, truncated, text) in enumerate(decided):
        yield whole[at * width : (at + 1) * width], predicted, truncated, text


def _classifier_output(row: tuple[Any, ...]) -> ClassifierOutput:
    probabilities, predicted, truncated, scores = row
    return ClassifierOutput(
        np.frombuffer(probabilities, dtype="<f8").astype(np.float64).reshape(1, -1) if probabilities else None,
        np.array([predicted], dtype=np.int64),
        np.array([truncated], dtype=np.bool_),
        {name: np.array([value], dtype=np.float64) for name, value in json.loads(scores).items()},
    )


def _tagger_rows(tagged: TaggerOutput) -> Iterator[tuple[object, ...]]:
    for at in range(len(tagged.repaired)):
        row = tagged.row(at)
        spans = np.column_stack([row.spans.start, row.spans.end, row.spans.type])
        matrix = row.probabilities
        yield (
            int(row.offset[-1]),
            -1 if matrix is None else matrix.shape[1],
            b"" if matrix is None else matrix.astype("<f8").tobytes(),
            spans.astype("<i8").tobytes(),
            *(int(column[0]) for column in (row.repaired, row.split, row.left_out)),
        )


def _tagger_output(row: tuple[Any, ...]) -> TaggerOutput:
    n_words, n_classes, matrix, spans, repaired, split, left_out = row
    start, end, kind = np.frombuffer(spans, dtype="<i8").astype(np.int64).reshape(-1, 3).T
    values = np.frombuffer(matrix, dtype="<f8").astype(np.float64)
    return TaggerOutput(
        np.array([0, n_words], dtype=np.int64),
        Spans(np.zeros(len(start), dtype=np.int64), start, end, kind),
        np.array([repaired], dtype=np.int64),
        np.array([split], dtype=np.bool_),
        np.array([left_out], dtype=np.int64),
        None if n_classes < 0 else values.reshape(n_words, n_classes),
    )


PREDICTIONS: StoredRows[ClassifierOutput] = StoredRows(
    "predictions",
    {"probabilities": "BLOB", "predicted": "INTEGER", "cut": "INTEGER", "scores": "TEXT"},
    _classifier_rows,
    _classifier_output,
)
TAGGINGS: StoredRows[TaggerOutput] = StoredRows(
    "taggings",
    {"words": "INTEGER", "classes": "INTEGER", "probabilities": "BLOB", "spans": "BLOB"}
    | dict.fromkeys(("repaired", "split", "left_out"), "INTEGER"),
    _tagger_rows,
    _tagger_output,
)


def text_hash(text: str) -> bytes:
    """sha256 of a text, under which its row is kept."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
