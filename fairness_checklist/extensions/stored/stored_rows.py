"""The output of a model for one text as a row of SQLite."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic

import numpy as np

from fairness_checklist.models.base import Output, TextOutput
from fairness_checklist.models.token_predictions import TagOutput


@dataclass(frozen=True, eq=False)
class StoredRows(Generic[Output]):
    """Where one kind of answers is kept, a row a text."""

    name: str  # the table
    columns: Mapping[str, str]  # its columns behind model and text, with their types
    to_row: Callable[[Output], tuple[object, ...]]  # converts the output for one text to a row of these columns
    from_row: Callable[[tuple[Any, ...]], Output]  # converts a row to the output for one text

    def statement(self) -> str:
        """The SQL statement that creates the table."""
        columns = ", ".join(f"{name} {kind} NOT NULL" for name, kind in self.columns.items())
        return (
            f"CREATE TABLE IF NOT EXISTS {self.name} (model TEXT NOT NULL, text BLOB NOT NULL, {columns}, "
            "PRIMARY KEY (model, text)) WITHOUT ROWID"
        )


def _text_row(output: TextOutput) -> tuple[object, ...]:
    p = output.probabilities
    whole = b"" if p is None else p.astype("<f8").tobytes()
    return whole, output.predicted, int(output.truncated), json.dumps(dict(output.scores))


def _text_output(row: tuple[Any, ...]) -> TextOutput:
    probabilities, predicted, truncated, scores = row
    p = np.frombuffer(probabilities, dtype="<f8").astype(np.float64) if probabilities else None
    return TextOutput(p, predicted, bool(truncated), json.loads(scores))


def _tag_row(output: TagOutput) -> tuple[object, ...]:
    p = output.probabilities
    return (
        output.n_words,
        -1 if p is None else p.shape[1],
        b"" if p is None else p.astype("<f8").tobytes(),
        output.spans.astype("<i8").tobytes(),
        *map(int, (output.repaired, output.split, output.left_out)),
    )


def _tag_output(row: tuple[Any, ...]) -> TagOutput:
    n_words, n_classes, matrix, spans, repaired, split, left_out = row
    values = np.frombuffer(matrix, dtype="<f8").astype(np.float64)
    return TagOutput(
        n_words,
        np.frombuffer(spans, dtype="<i8").astype(np.int64).reshape(-1, 3),
        None if n_classes < 0 else values.reshape(n_words, n_classes),
        repaired=repaired,
        split=bool(split),
        left_out=left_out,
    )


PREDICTIONS: StoredRows[TextOutput] = StoredRows(
    "predictions",
    {"probabilities": "BLOB", "predicted": "INTEGER", "cut": "INTEGER", "scores": "TEXT"},
    _text_row,
    _text_output,
)
TAGGINGS: StoredRows[TagOutput] = StoredRows(
    "taggings",
    {"words": "INTEGER", "classes": "INTEGER", "probabilities": "BLOB", "spans": "BLOB"}
    | dict.fromkeys(("repaired", "split", "left_out"), "INTEGER"),
    _tag_row,
    _tag_output,
)


def text_hash(text: str) -> bytes:
    """sha256 of a text, under which its row is kept."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
