"""The cells of a table of tagged sentences: lists, in CSV as JSON text; words, places of terms, tags, probabilities."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

import numpy as np
import pandas as pd

from fairness_checklist.core.arrays import BoolArray, FloatArray, IntArray
from fairness_checklist.core.errors import LabelError, PredictionError, TableError, did_you_mean, first_ten
from fairness_checklist.core.option_defaults import nfc
from fairness_checklist.core.predictions import wrong_rows
from fairness_checklist.core.sentences import words_within
from fairness_checklist.core.tagging import (
    OUTSIDE,
    Spans,
    TagSet,
    read_tags,
    split_tag,
    words,
)
from fairness_checklist.tables.columns import text_column

_LISTS = ("tokens", "tags", "predicted", "spans", "p")
_TOKENS = 'Write a list of words: ["In", "the", "Gambia"].'
_TAGS = 'Write a list with one tag per token: ["O", "O", "B-LOC"].'
_CLASSES = 'Write the tags that p is over, in order: ["O", "B-LOC", "I-LOC"].'
_SPANS = 'Write a list of such: {"start": 7, "end": 13, "label": "LOC"}, in characters.'


@dataclass(frozen=True, eq=False)
class Lines:
    """The words of n sentences, W in all.

    Attributes:
        words: the W words.
        offset: (n + 1,) where each sentence starts.
        borders: (W, 2) the characters that each word covers in its text.
        texts: the n texts; the words with a space between where there is none.
    """

    words: tuple[str, ...]
    offset: IntArray
    borders: IntArray
    texts: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.offset) - 1

    def count(self, row: int) -> int:
        """The number of words of a sentence."""
        return int(self.offset[row + 1] - self.offset[row])


def is_tagged(frame: pd.DataFrame) -> bool:
    """Whether a table is one of tagged sentences: it has lists of tokens, tags, predictions, spans or probabilities."""
    for name in _LISTS:
        if name not in frame.columns:
            continue
        first = next((cell for cell in frame[name] if not _missing(cell)), None)
        if isinstance(_parsed(first), (list, tuple, np.ndarray)):
            return True
    return False


def list_column(frame: pd.DataFrame, name: str, example: str) -> list[list[Any] | None]:
    """A column as n lists, None where a cell is missing; all None where the table has no such column."""
    if name not in frame.columns:
        return [None] * len(frame)
    return [_list(cell, name, row, example) for row, cell in enumerate(frame[name])]


def string_list_column(frame: pd.DataFrame, name: str, example: str) -> list[list[str] | None]:
    """As `list_column`, for lists of texts, which are names unless they are tokens."""
    cells = list_column(frame, name, example)
    for row, texts in enumerate(cells):
        for text in texts or ():
            if not isinstance(text, str):
                raise TableError(
                    f"the column {name} of row {row + 1:,} holds {text!r}, which is not a text.", remedy=example
                )
    return cells if name == "tokens" else [own and list(map(nfc, own)) for own in cells]


def _missing(cell: object) -> bool:
    if isinstance(cell, str):
        return not cell
    return cell is None or cell is pd.NA or (isinstance(cell, float) and math.isnan(cell))


def is_whole_number(number: object) -> bool:
    """Whether something is a whole number, also one that became a float.

    >>> is_whole_number(3.0), is_whole_number(2.5), is_whole_number(None)
    (True, False, False)
    """
    return isinstance(number, (int, float, np.integer, np.floating)) and float(number).is_integer()


def _parsed(cell: object) -> object:
    """A cell, or what it says where it is JSON text."""
    if isinstance(cell, str):
        with suppress(json.JSONDecodeError):
            return json.loads(cell)
    return cell


def _list(cell: object, name: str, row: int, example: str) -> list[Any] | None:
    if _missing(cell):
        return None
    cell = _parsed(cell)
    if isinstance(cell, (list, tuple, np.ndarray)):
        return list(cell)
    raise TableError(f"the column {name} of row {row + 1:,} is {cell!r}; expected a list.", remedy=example)


def read_lines(frame: pd.DataFrame) -> Lines:
    """The words of each row: its tokens, found in its text one after the other, else the words of its text."""
    n = len(frame)
    tokens = string_list_column(frame, "tokens", _TOKENS)
    texts = text_column(frame, "text") if "text" in frame.columns else [""] * n
    listed: list[str] = []
    borders: list[tuple[int, int]] = []
    counts: list[int] = []
    for row, (own, text) in enumerate(zip(tokens, texts, strict=True)):
        if own is None and not text:
            raise TableError(
                f"row {row + 1:,} has neither tokens nor a text.", remedy="Fill the column tokens, or text."
            )
        spans = words(text) if own is None else _token_borders(own, text, row) if text else _spaced(own)
        texts[row] = text or " ".join(own or ())
        listed += own if own is not None else [text[start:end] for start, end in spans]
        borders += spans
        counts.append(len(spans))
    return Lines(
        words=tuple(listed),
        offset=np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
        borders=np.array(borders, dtype=np.int64).reshape(-1, 2),
        texts=tuple(texts),
    )


def _token_borders(tokens: list[str], text: str, row: int) -> list[tuple[int, int]]:
    borders, at = [], 0
    for number, token in enumerate(tokens):
        start = text.find(token, at)
        if start < 0:
            raise TableError(
                f'token {number + 1:,} of row {row + 1:,}, "{token}", is not in its text after "{text[:at][-30:]}".',
                remedy="Write the tokens as they are in the text, or leave the column text out.",
            )
        at = start + len(token)
        borders.append((start, at))
    return borders


def _spaced(tokens: list[str]) -> list[tuple[int, int]]:
    ends = list(accumulate(len(token) + 1 for token in tokens))  # the space included
    return [(end - 1 - len(token), end - 1) for token, end in zip(tokens, ends, strict=True)]


def read_slots(frame: pd.DataFrame, lines: Lines) -> IntArray:
    """(W,) which of its row's slots a word belongs to (0, 1, ...), -1 elsewhere."""
    example = "Write [start, end) in tokens, [2, 4] for the third and the fourth, or a list of such."
    slot = np.full(len(lines.words), -1, dtype=np.int64)
    for row, cell in enumerate(list_column(frame, "slot", example)):
        if not cell:
            continue
        pairs = [item if isinstance(item, (list, tuple, np.ndarray)) else [item] for item in cell]
        pairs = [cell] if all(len(pair) == 1 for pair in pairs) else pairs
        for number, pair in enumerate(pairs):
            borders = [int(at) for at in pair if is_whole_number(at)]
            if len(borders) != 2 or len(pair) != 2:
                raise TableError(f"the slot of row {row + 1:,} is {_shown(cell)}.", remedy=example)
            start, end = borders
            if not 0 <= start <= end <= lines.count(row):
                raise TableError(
                    f"the slot [{start}, {end}] of row {row + 1:,} is not within its {lines.count(row):,} tokens.",
                    remedy=example,
                )
            inside = slice(int(lines.offset[row]) + start, int(lines.offset[row]) + end)
            if (slot[inside] >= 0).any():
                raise TableError(
                    f"the slots of row {row + 1:,} overlap: {_shown(cell)}.", remedy="Each word is in one slot."
                )
            slot[inside] = number
    return slot


def _shown(cell: list[Any]) -> str:
    return str([item.tolist() if isinstance(item, np.ndarray) else item for item in cell])


@dataclass(frozen=True, eq=False)
class TaggedEntities:
    """Entities of n sentences.

    Attributes:
        types: what ``spans.type`` points into.
        spans: the entities, those of the rows that are there.
        present: (n,) whether the row has a value.
        repaired: (n,) entities with tags that violated their scheme.
        left_out: entities that overlap another of a higher score, or no word.
    """

    types: tuple[str, ...]
    spans: Spans
    present: BoolArray
    repaired: IntArray
    left_out: int = 0


def tag_set(tags: Sequence[str], column: str, scheme: str = "") -> TagSet:
    """The tags of a column taken apart; the scheme is recognised by the tags where none is given."""
    try:
        return TagSet.of(tags, scheme)
    except LabelError as error:
        raise LabelError(
            error.message, place=f"the column {column}", remedy=error.remedy, command_remedy=error.command_remedy
        ) from error


def read_classes(frame: pd.DataFrame) -> TagSet | None:
    """The classes of the probabilities, the same in all rows; None where the table has none."""
    cells = string_list_column(frame, "classes", _CLASSES)
    given = [(row, cell) for row, cell in enumerate(cells) if cell is not None]
    if not given:
        return None
    first, names = given[0]
    for row, cell in given:
        if cell != names:
            raise TableError(
                f"the classes of row {row + 1:,} are {first_ten(cell)}; those of row {first + 1:,} are "
                f"{first_ten(names)}.",
                remedy="Write the same classes in the same order in all rows.",
            )
    for name in names:
        if names.count(name) > 1:
            raise TableError(f"the class {name!r} appears twice in the column classes.", remedy=_CLASSES)
    return tag_set(names, "classes")


def read_tagged(frame: pd.DataFrame, name: str, lines: Lines, classes: TagSet | None = None) -> TaggedEntities:
    """The entities of a column of tags, in the scheme of the classes where they have all its tags, else in its own."""
    cells = string_list_column(frame, name, _TAGS)
    for row, own in enumerate(cells):
        if own is not None and len(own) != lines.count(row):
            raise TableError(
                f"row {row + 1:,} has {lines.count(row):,} tokens and {len(own):,} tags in the column {name}.",
                remedy="Write one tag per token.",
            )
    used = {tag for tag in {tag for own in cells for tag in own or ()} if split_tag(tag)[1]}
    tags, codes, offset = read_tags(
        [own or [OUTSIDE] * lines.count(row) for row, own in enumerate(cells)],
        classes.scheme if classes is not None and used <= set(classes.tags) else "",
        lambda row, word: f"the column {name}, row {row + 1:,}, token {word + 1:,}",
    )
    spans, repaired = tags.decode(codes, offset)
    there = np.array([own is not None for own in cells], dtype=np.bool_)
    return TaggedEntities(tags.types, spans, there, repaired)


def check_types(entities: TaggedEntities, classes: TagSet, column: str) -> None:
    """Raise `TableError` with the first entity of a type that is not among the classes."""
    for row, kind in zip(entities.spans.row.tolist(), entities.spans.type.tolist(), strict=True):
        name = entities.types[kind]
        if name not in classes.types:
            raise TableError(
                f"row {row + 1:,} of the column {column} has a {name}; the classes are {first_ten(classes.tags)}.",
                remedy=f"Correct the row, or name all classes.{did_you_mean(name, classes.types)}",
            )


def read_spans(frame: pd.DataFrame, lines: Lines) -> TaggedEntities:
    """The entities of a column of character spans, as the words that they touch.

    Of spans that overlap the one with the highest score stays, then the longest, then the first.
    """
    cells = list_column(frame, "spans", _SPANS)
    types: dict[str, int] = {}
    kept: list[tuple[int, int, int, int]] = []
    left_out = 0
    for row, cell in enumerate(cells):
        borders = [(int(a), int(b)) for a, b in lines.borders[lines.offset[row] : lines.offset[row + 1]]]
        taken = np.zeros(len(borders), dtype=np.bool_)
        read = [_span(span, row, len(lines.texts[row])) for span in cell or ()]
        for span in read:
            types.setdefault(span[2], len(types))
        for start, end, kind, _score in sorted(read, key=lambda span: (-span[3], span[0] - span[1], span[0])):
            first, last = words_within(borders, start, end)
            if first == last or taken[first:last].any():
                left_out += 1
                continue
            taken[first:last] = True
            kept.append((row, first, last, types[kind]))
    there = np.array([cell is not None for cell in cells], dtype=np.bool_)
    return TaggedEntities(tuple(types), Spans.of(kept), there, np.zeros(len(lines), dtype=np.int64), left_out)


def _span(cell: Any, row: int, length: int) -> tuple[int, int, str, float]:
    if not isinstance(cell, dict) or not (is_whole_number(cell.get("start")) and is_whole_number(cell.get("end"))):
        raise TableError(f"row {row + 1:,} has the span {cell!r}.", remedy=_SPANS)
    start, end, label = int(cell["start"]), int(cell["end"]), cell.get("label", cell.get("entity_type"))
    if not isinstance(label, str) or not label:
        raise TableError(f"row {row + 1:,} has the span {cell!r}, without a label.", remedy=_SPANS)
    if not 0 <= start < end <= length:
        raise TableError(
            f"row {row + 1:,} has a span of the characters {start} to {end}; its text has {length:,}.", remedy=_SPANS
        )
    score = cell.get("score")
    return start, end, nfc(label), float("-inf") if score is None else float(score)


def read_probabilities(frame: pd.DataFrame, lines: Lines, classes: TagSet | None) -> FloatArray | None:
    """(W, L) the probabilities over the classes; None where the table has none."""
    cells = list_column(
        frame, "p", "Write a list with one list of probabilities per token, in the order of the classes."
    )
    without = [row for row, cell in enumerate(cells) if cell is None]
    if len(without) == len(cells):
        return None
    if classes is None:
        raise TableError("the table has p and no classes.", remedy=f"Add the column classes. {_CLASSES}")
    if without:
        raise TableError(
            f"row {without[0] + 1:,} has no p, and others have ({len(without):,} such rows).",
            remedy="Fill the column p in all rows, or leave it out.",
        )
    size = len(classes.tags)
    matrices = []
    for row, cell in enumerate(cells):
        try:
            matrix = np.array(list(cell or ()), dtype=np.float64)
        except (TypeError, ValueError):
            matrix = np.empty((0, 0))
        matrix = matrix.reshape(0, size) if not cell else matrix
        if matrix.shape != (lines.count(row), size):
            lengths = sorted({int(np.size(vector)) for vector in cell or ()})
            raise TableError(
                f"the p of row {row + 1:,} has {len(cell or ()):,} rows of {' or '.join(map(str, lengths)) or 0} "
                f"numbers; expected {lines.count(row):,} tokens x {size} classes.",
                remedy="Write one list per token, with one probability per class, in the order of the classes.",
            )
        matrices.append(matrix)
    flat = np.concatenate(matrices)
    problem = wrong_rows(flat, classes.tags)
    if problem is not None:
        word = int(problem[0][0])
        row = int(np.searchsorted(lines.offset, word, side="right")) - 1
        raise PredictionError(
            f'row {row + 1:,}: the p of its token {word - int(lines.offset[row]) + 1:,}, "{lines.words[word]}", '
            f"{problem[1]} ({len(problem[0]):,} such tokens).",
            remedy=problem[2],
        )
    return flat
