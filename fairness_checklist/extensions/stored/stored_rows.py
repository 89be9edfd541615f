"""The output of a model for one text as a row, as SQLite and Parquet files keep it; and folders of such files."""

from __future__ import annotations

import hashlib
import io
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic

import numpy as np

from fairness_checklist.core.atomic import atomic_file
from fairness_checklist.core.errors import TableError
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


ENDING = ".chunks"
_LAST_BYTES = b"PAR1"  # of a whole Parquet file


class ChunkFolder(Generic[Output]):
    """The finished chunks of a model in a folder, each a Parquet file that is written whole or not at all.

    A text that the model failed on has an empty row, and is asked again. The name of a file is a hash of the model and
    of the texts of the chunk: two machines that score the same chunk write the same bytes to the same place, and files
    of several machines are merged by copying them into one folder, which is made with the first chunk.
    """

    def __init__(self, folder: Path, fingerprint: str, table: StoredRows[Output]) -> None:
        self.folder, self.fingerprint, self.table = folder, fingerprint, table

    def path(self, texts: list[str]) -> Path:
        """The file of a chunk."""
        total = hashlib.sha256(self.fingerprint.encode())
        for text in texts:
            total.update(text_hash(text))
        return self.folder / f"{total.hexdigest()}.parquet"

    def has(self, texts: list[str]) -> bool:
        """Whether there is a whole file of a chunk: one that was cut short while it was copied counts as missing."""
        try:
            with self.path(texts).open("rb") as file:
                file.seek(-len(_LAST_BYTES), os.SEEK_END)
                return file.read() == _LAST_BYTES
        except OSError:  # no file, or one that is shorter
            return False

    def read(self, texts: list[str]) -> list[Output | None]:
        """The output for each text of a chunk; None for texts that have none, which are all without a whole file."""
        if not self.has(texts):
            return [None] * len(texts)
        path = self.path(texts)
        try:
            return from_parquet(self.table, path.read_bytes())
        except Exception as error:
            raise TableError(
                f"the chunk of predictions cannot be read: {str(error).splitlines()[0].rstrip('.')}.",
                place=str(path),
                remedy="Delete the file, and its texts are scored again.",
            ) from error

    def write(self, chunk: list[str], texts: list[str], output: Output) -> None:
        """Keep the output for texts of a chunk, beside what the file has of it."""
        outputs: list[Output | None] = [output]
        if len(texts) < len(chunk):
            fresh = {text: output.row(at) for at, text in enumerate(texts)}
            outputs = [fresh.get(text, entry) for text, entry in zip(chunk, self.read(chunk), strict=True)]
        self.folder.mkdir(parents=True, exist_ok=True)
        with atomic_file(self.path(chunk)) as scratch:
            scratch.write_bytes(to_parquet(self.table, *outputs))


def to_parquet(table: StoredRows[Output], *outputs: Output | None) -> bytes:
    """Outputs as the content of a Parquet file, a row a text, an empty one for None; the same bytes for the same."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    kinds = {"BLOB": pa.binary(), "INTEGER": pa.int64(), "TEXT": pa.string()}
    empty = [(None,) * len(table.columns)]
    rows = [row for output in outputs for row in (empty if output is None else table.to_rows(output))]
    columns: list[Any] = [
        pa.array([row[at] for row in rows], type=kinds[kind]) for at, kind in enumerate(table.columns.values())
    ]
    content = io.BytesIO()
    pq.write_table(pa.Table.from_arrays(columns, names=list(table.columns)), content, compression="zstd")
    return content.getvalue()


def from_parquet(table: StoredRows[Output], content: bytes) -> list[Output | None]:
    """The output for each text from the content of a Parquet file; None for an empty row."""
    import pyarrow.parquet as pq

    stored = pq.read_table(io.BytesIO(content), columns=list(table.columns))
    columns = [stored.column(name).to_pylist() for name in table.columns]
    return [None if row[0] is None else table.from_row(row) for row in zip(*columns, strict=True)]
