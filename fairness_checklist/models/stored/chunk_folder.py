"""A folder of finished chunks: what several machines score, each chunk a file under the hash of what it answers."""

from __future__ import annotations

import hashlib
import io
import os
from pathlib import Path
from typing import Any

from fairness_checklist.core.atomic import atomic_file
from fairness_checklist.core.errors import TableError
from fairness_checklist.models.base import Output
from fairness_checklist.models.stored.stored_rows import StoredRows, text_hash

ENDING = ".chunks"
_LAST_BYTES = b"PAR1"  # of a whole Parquet file


def is_chunk_folder(store: str | os.PathLike[str]) -> bool:
    """Whether a store of predictions is a folder: it is one already, or its name ends in ``.chunks``.

    >>> is_chunk_folder("predictions.sqlite"), is_chunk_folder("work/gender.chunks")
    (False, True)
    """
    return Path(store).is_dir() or Path(store).suffix == ENDING


class ChunkFolder:
    """The finished chunks of a model in a folder, each a Parquet file that is written whole or not at all.

    A text that the model failed on has an empty row, and is asked again.

    The name of a file is a hash of the model and of the texts of the chunk: two machines that score the same chunk
    write the same bytes to the same place, and files of several machines are merged by copying them into one folder.

    Args:
        folder: the folder, made with the first chunk.
        fingerprint: the hash of the model.

    >>> import tempfile
    >>> import numpy as np
    >>> from fairness_checklist.models.base import ClassifierOutput
    >>> from fairness_checklist.models.stored.stored_rows import PREDICTIONS
    >>> folder = ChunkFolder(Path(tempfile.mkdtemp()), "a model")
    >>> one = ClassifierOutput(np.array([[0.25, 0.75]]), np.array([1]), np.array([False]))
    >>> folder.write(PREDICTIONS, ["Anna is here."], ["Anna is here."], one)
    >>> folder.read(PREDICTIONS, ["Anna is here."])[0].probabilities, folder.read(PREDICTIONS, ["Ben left."])
    (array([[0.25, 0.75]]), [None])
    """

    def __init__(self, folder: Path, fingerprint: str) -> None:
        self.folder = folder
        self.fingerprint = fingerprint

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

    def read(self, table: StoredRows[Output], texts: list[str]) -> list[Output | None]:
        """The output for each text of a chunk; None for texts that have none, which are all without a whole file.

        Raises:
            TableError: a file that cannot be read.
        """
        if not self.has(texts):
            return [None] * len(texts)
        path = self.path(texts)
        try:
            return from_parquet(table, path.read_bytes())
        except Exception as error:
            raise TableError(
                f"the chunk of predictions cannot be read: {str(error).splitlines()[0].rstrip('.')}.",
                place=str(path),
                remedy="Delete the file, and its texts are scored again.",
            ) from error

    def write(self, table: StoredRows[Output], chunk: list[str], texts: list[str], output: Output) -> None:
        """Keep the output for texts of a chunk, beside what the file has of it."""
        outputs: list[Output | None] = [output]
        if len(texts) < len(chunk):
            fresh = {text: output.row(at) for at, text in enumerate(texts)}
            known = self.read(table, chunk)
            outputs = [fresh.get(text, one) for text, one in zip(chunk, known, strict=True)]
        self.folder.mkdir(parents=True, exist_ok=True)
        with atomic_file(self.path(chunk)) as scratch:
            scratch.write_bytes(to_parquet(table, *outputs))


def to_parquet(table: StoredRows[Output], *outputs: Output | None) -> bytes:
    """Outputs as the content of a Parquet file, a row a text, an empty one for None; the same bytes for the same."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    kinds = {"BLOB": pa.binary(), "INTEGER": pa.int64(), "TEXT": pa.string()}
    empty = [(None,) * len(table.columns)]
    rows = [row for one in outputs for row in (empty if one is None else table.to_rows(one))]
    columns: list[Any] = [
        pa.array([row[at] for row in rows], type=kinds[kind]) for at, kind in enumerate(table.columns.values())
    ]
    content = io.BytesIO()
    pq.write_table(pa.Table.from_arrays(columns, names=list(table.columns)), content, compression="zstd")
    return content.getvalue()


def from_parquet(table: StoredRows[Output], content: bytes) -> list[Output | None]:
    """The output for each text from the content of a Parquet file; None for an empty row."""
    import pyarrow.parquet as pq

    found = pq.read_table(io.BytesIO(content), columns=list(table.columns))
    columns = [found.column(name).to_pylist() for name in table.columns]
    return [None if row[0] is None else table.from_row(row) for row in zip(*columns, strict=True)]
