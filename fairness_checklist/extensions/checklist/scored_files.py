"""The texts of a suite as a file that is scored elsewhere, and the scored file as a model: a round trip by files."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from fairness_checklist.core.atomic import atomic_file
from fairness_checklist.core.errors import AlignmentError, OptionError, TableError, count
from fairness_checklist.core.keywords import checks_keywords
from fairness_checklist.core.option_defaults import path as as_path
from fairness_checklist.core.tasks import get_task
from fairness_checklist.extensions.checklist.behavioral.behavioral_predictions import read_predictions
from fairness_checklist.models.base import Classifier, Tagger, excerpt
from fairness_checklist.models.labels import Labels
from fairness_checklist.models.load import load_model
from fairness_checklist.tables.class_names import no_predictions
from fairness_checklist.tables.files import read_table, write_table

LINES = ".txt"  # the ending of a file with one text a line


@dataclass(frozen=True, eq=False)
class ScoredFile:
    """A file with predictions for the texts of a suite."""

    name: str
    columns: tuple[str, ...]  # the labels of the probabilities; empty where the file has decisions, tags or spans
    labels: tuple[str, ...]  # the labels of the decisions; empty where there are none
    rows: dict[str, Any]  # of each text its probabilities (L,), decision, tags or spans; or decision and probabilities

    def model(self, task: str, labels: Labels | None = None) -> Classifier | Tagger:
        """The file as a model for the texts that it holds, with labels as `load_model` takes them."""
        tagging = get_task(task).tagging
        if tagging and self.columns:
            raise TableError(f"{self.name} has probabilities a text; expected tags or spans.", remedy="Name them.")

        def predict(texts: list[str]) -> Any:
            rows = [self.rows[text] for text in texts]
            if self.columns and self.labels:
                return [decision for decision, _ in rows], np.array([values for _, values in rows])
            return np.array(rows) if self.columns else rows

        predict.__qualname__ = self.name
        classes = None if tagging else [*self.columns] or [*self.labels]
        return load_model(predict, task=task, labels=labels, classes=classes)


def text_id(text: str) -> str:
    """The id of a text in a file: "t" and 15 digits of its SHA-256."""
    return f"t{sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:15]}"


@checks_keywords
def write_texts(texts: Sequence[str], path: str | Path) -> int:
    """Write the different texts as a file to be scored elsewhere, each once, in order.

    Args:
        texts: n texts, such as the column ``text`` of `Suite.to_frame`.
        path: ``.csv``, ``.jsonl`` or ``.parquet`` with the columns ``id`` and ``text``; or ``.txt``, one text a line,
            as CheckList writes it.

    Returns:
        the number of different texts.

    Raises:
        OptionError: a text of several lines for ``.txt``.
        TableError: another ending.
    """
    unique = list(dict.fromkeys(texts))
    if Path(path).suffix.lower() != LINES:
        write_table(pd.DataFrame({"id": [text_id(text) for text in unique], "text": unique}), Path(path))
        return len(unique)
    for row, text in enumerate(unique, start=1):
        if "\n" in text or "\r" in text:
            raise OptionError(
                f"text {row:,} has several lines, and {Path(path).name} is to hold one text a line.",
                remedy="Write .csv or .jsonl.",
            )
    with atomic_file(Path(path)) as scratch:
        scratch.write_bytes("".join(f"{text}\n" for text in unique).encode())
    return len(unique)


@checks_keywords
def read_scored(path: str | Path, texts: Sequence[str], *, file_format: str | None = None) -> ScoredFile:
    """Read a file with the predictions for texts that `write_texts` wrote.

    Args:
        path: a table with the column ``id`` or ``text``, or both, in any order of rows, and ``p:<label>`` for each
            label, ``predicted``, or both; for taggers ``tags`` (a list of tags a text) or ``spans``
            (``{"start", "end", "label"}`` each). Or ``.txt``: one of CheckList's forms, a line a text in the order of
            the file that was written, probabilities of the labels 0, 1, ...
        texts: all texts that must be there.
        file_format: of a ``.txt`` file, see `behavioral.predictions.FILE_FORMATS`.

    Raises:
        AlignmentError: texts without a row; a text with two rows, or none of the suite's; an id with another text. The
            error names the row.
        TableError: a file that cannot be read, or has no predictions.

    >>> import tempfile
    >>> texts = ["Anna is here.", "Ben is here."]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "scored.csv"
    ...     frame = pd.DataFrame({"text": texts[::-1], "p:negative": [0.25, 0.5], "p:positive": [0.75, 0.5]})
    ...     frame.to_csv(path, index=False)
    ...     model = read_scored(path, texts).model("sentiment")
    >>> model.predict(texts).probabilities
    array([[0.5 , 0.5 ],
           [0.25, 0.75]])
    """
    path, unique = Path(as_path("path", path)), [*texts]
    if not all(isinstance(text, str) for text in unique):
        raise OptionError("texts= must be strings, one a text.", remedy='Take suite.to_frame()["text"], for instance.')
    unique = list(dict.fromkeys(unique))
    if path.suffix.lower() == LINES:
        return _read_lines(path, unique, file_format)
    if file_format is not None:
        raise OptionError(f"file_format={file_format!r} belongs to {LINES} files.", remedy="Leave it out.")
    frame = read_table(path)
    row_texts = _texts_of_rows(frame, unique, path.name)
    columns = [str(name) for name in frame.columns if str(name).startswith("p:")]
    decided = [_cell(value) for value in frame["predicted"]] if "predicted" in frame.columns else None
    by_text = decided is not None and not isinstance(decided[0], list)
    labels = sorted({str(value) for value in decided or () if value}) if by_text else []
    if columns:
        matrix = frame[columns].apply(pd.to_numeric, errors="coerce").to_numpy(np.float64)
        answers: list[Any] = list(matrix) if decided is None else list(zip(decided, matrix, strict=True))
    elif decided is not None and by_text:
        answers = [value and str(value) for value in decided]
    else:
        kind = next((name for name in ("tags", "spans", "predicted") if name in frame.columns), None)
        if kind is None:
            remedy = "Add p:<label> for each label, or predicted; for a tagger tags or spans."
            raise no_predictions(frame.columns, remedy, path.name)
        answers = [_cell(value) or [] for value in frame[kind]]
    names = tuple(name.removeprefix("p:") for name in columns)
    return ScoredFile(path.name, names, tuple(labels), dict(zip(row_texts, answers, strict=True)))


def _cell(value: Any) -> Any:
    """A cell: a list as it is, also as an array or as JSON in CSV; "" where it is empty."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, str) and value.startswith("["):
        try:
            return json.loads(value)
        except json.JSONDecodeError as problem:
            raise TableError(f'the cell "{excerpt(value)}" is not a list in JSON: {problem.msg}.') from None
    return "" if value is None or (isinstance(value, float) and np.isnan(value)) else value


def _texts_of_rows(frame: pd.DataFrame, unique: list[str], name: str) -> list[str]:
    """The text that each row is about, by its id and its text."""
    by_id = {text_id(text): text for text in unique}
    known = set(unique)
    if not {"id", "text"} & set(frame.columns):
        raise TableError("the table has no column id or text.", place=name, remedy="Keep those of the file of texts.")
    ids = frame["id"].tolist() if "id" in frame.columns else [None] * len(frame)
    given = frame["text"].tolist() if "text" in frame.columns else [None] * len(frame)
    seen: dict[str, int] = {}
    for row, (key, text) in enumerate(zip(ids, given, strict=True), start=1):
        place = f"{name}, row {row:,}"
        meant = text if key is None else by_id.get(str(key))
        if meant is None or meant not in known:
            shown = f'"{excerpt(str(text))}"' if key is None else f"the id {key!r}"
            raise AlignmentError(
                f"{shown} is none of the texts.",
                place=place,
                remedy="Give the same task and options as for the file of texts; or write that file again.",
            )
        if text is not None and text != meant:
            raise AlignmentError(
                f'the id {key!r} belongs to the text "{excerpt(meant)}", and the row has "{excerpt(str(text))}".',
                place=place,
                remedy="Keep ids and texts together.",
            )
        if meant in seen:
            raise AlignmentError(
                f"the text is that of row {seen[meant]:,} again.", place=place, remedy="Keep one of them."
            )
        seen[meant] = row
    lacking = [text for text in unique if text not in seen]
    if lacking:
        raise AlignmentError(
            f"{name} has no row for {count(len(lacking), 'text')} of {len(unique):,}; the first is "
            f'{text_id(lacking[0])}, "{excerpt(lacking[0])}".',
            remedy="Score every text of the file of texts; one that cannot be scored has a row with empty cells.",
        )
    return list(seen)


def _read_lines(path: Path, unique: list[str], file_format: str | None) -> ScoredFile:
    """A file in one of CheckList's forms, which has no ids: its lines are in the order of the texts."""
    decided, confidences = read_predictions(path, file_format)
    if len(decided) != len(unique):
        raise AlignmentError(
            f"{path.name} has {count(len(decided), 'line')} for {count(len(unique), 'text')}.",
            remedy="Write one line a text, in the order of the file of texts.",
        )
    own = tuple(map(str, decided))
    columns: tuple[str, ...] = ()
    answers: Sequence[Any] = own
    if np.ndim(confidences[0]):
        columns = tuple(map(str, range(len(confidences[0]))))
        answers = list(zip(own, map(np.asarray, confidences), strict=True))
    return ScoredFile(path.name, columns, tuple(sorted(set(own))), dict(zip(unique, answers, strict=True)))
