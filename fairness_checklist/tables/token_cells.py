"""The cells of a table of tagged sentences: lists, in CSV as JSON text; words, places of terms, tags, probabilities."""

import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from fairness_checklist.core.arrays import BoolArray, FloatArray, IntArray
from fairness_checklist.core.errors import LabelError, PredictionError, TableError, first_ten
from fairness_checklist.core.option_defaults import nfc
from fairness_checklist.core.predictions import wrong_rows
from fairness_checklist.core.sentences import words_within
from fairness_checklist.core.tagging import OUTSIDE, Spans, TagSet, read_tags, split_tag, words
from fairness_checklist.tables.columns import LISTS, text_column

_TOKENS = 'Write a list of words: ["In", "the", "Gambia"].'
_TAGS = 'Write a list with one tag per token: ["O", "O", "B-LOC"].'
_CLASSES = 'Write the tags that p is over, in order: ["O", "B-LOC", "I-LOC"].'
_SPANS = 'Write a list of such: {"start": 7, "end": 13, "label": "LOC"}, in characters.'
_SLOT = "Write [start, end) in tokens, [2, 4] for the third and the fourth, or a list of such."
_ORDER = "in the order of the classes"
_P = f"Write one list per token, with one probability per class, {_ORDER}."


@dataclass(frozen=True, eq=False)
class Lines:
    """The words of n sentences, W in all."""

    words: tuple[str, ...]  # the W words
    offset: IntArray  # (n + 1,) where each sentence starts
    borders: list[Sequence[tuple[int, int]]]  # of each sentence the characters that each word covers in its text
    texts: tuple[str, ...]  # the n texts; the words with a space between where there is none

    def __len__(self) -> int:
        return len(self.borders)


def is_tagged(frame: pd.DataFrame) -> bool:
    """Whether a table is one of tagged sentences: it has lists of tokens, tags, predictions, spans or probabilities."""
    cells = (
        next((cell for cell in frame[name] if not _missing(cell)), None)
        for name in ("tokens", "tags", "predicted", "spans", "p")
        if name in frame.columns
    )
    return any(isinstance(_parsed(cell), LISTS) for cell in cells)


def _missing(cell: object) -> bool:
    if isinstance(cell, str):
        return not cell
    return cell is None or cell is pd.NA or (isinstance(cell, float) and cell != cell)


def _parsed(cell: object) -> object:
    """A cell, or what it says where it is JSON text."""
    if isinstance(cell, str):
        with suppress(json.JSONDecodeError):
            return json.loads(cell)
    return cell


def _list_column(frame: pd.DataFrame, name: str, example: str, *, strings: bool = False) -> list[list[Any] | None]:
    """A column as n lists, None where a cell is missing, also without the column; ``strings`` are in them alone."""
    lists: list[list[Any] | None] = []
    for row, cell in enumerate(frame[name] if name in frame.columns else [None] * len(frame)):
        if _missing(cell):
            lists.append(None)
            continue
        items = _parsed(cell)
        if not isinstance(items, LISTS):
            raise TableError(f"the column {name} of row {row + 1:,} is {items!r}; expected a list.", remedy=example)
        for item in items if strings else ():
            if not isinstance(item, str):
                raise TableError(
                    f"the column {name} of row {row + 1:,} holds {item!r}, which is not a text.", remedy=example
                )
        lists.append(list(map(nfc, items)) if strings and name != "tokens" else list(items))
    return lists


def read_lines(frame: pd.DataFrame) -> Lines:
    """The words of each row: its tokens, found in its text one after the other, else the words of its text."""
    texts = text_column(frame, "text") if "text" in frame.columns else [""] * len(frame)
    listed: list[str] = []
    borders: list[Sequence[tuple[int, int]]] = []
    for row, tokens in enumerate(_list_column(frame, "tokens", _TOKENS, strings=True)):
        text = texts[row]
        if tokens is None and not text:
            raise TableError(
                f"row {row + 1:,} has neither tokens nor a text.", remedy="Fill the column tokens, or text."
            )
        texts[row] = text or " ".join(tokens or ())
        spans = words(text) if tokens is None else _token_borders(tokens, texts[row], row)
        listed += [text[start:end] for start, end in spans] if tokens is None else tokens
        borders.append(spans)
    offset = np.cumsum([0, *map(len, borders)], dtype=np.int64)
    return Lines(words=tuple(listed), offset=offset, borders=borders, texts=tuple(texts))


def _token_borders(tokens: list[str], text: str, row: int) -> list[tuple[int, int]]:
    borders, end = [], 0
    for number, token in enumerate(tokens):
        start = text.find(token, end)
        if start < 0:
            raise TableError(
                f'token {number + 1:,} of row {row + 1:,}, "{token}", is not in its text after "{text[:end][-30:]}".',
                remedy="Write the tokens as they are in the text, or leave the column text out.",
            )
        end = start + len(token)
        borders.append((start, end))
    return borders


def _is_whole(number: object) -> bool:
    """Whether something is a whole number, also one that became a float."""
    return isinstance(number, (int, float, np.integer, np.floating)) and float(number).is_integer()


def read_slots(frame: pd.DataFrame, lines: Lines) -> IntArray:
    """(W,) which of its row's slots a word belongs to (0, 1, ...), -1 elsewhere."""
    slot = np.full(len(lines.words), -1, dtype=np.int64)
    for row, cell in enumerate(_list_column(frame, "slot", _SLOT)):
        items = [item.tolist() if isinstance(item, np.ndarray) else item for item in cell or ()]
        size = len(lines.borders[row])
        for number, pair in enumerate(items if any(isinstance(item, LISTS) for item in items) else [items]):
            if not items:
                continue
            if not isinstance(pair, LISTS) or len(pair) != 2 or not all(map(_is_whole, pair)):
                raise TableError(f"the slot of row {row + 1:,} is {items}.", remedy=_SLOT)
            start, end = map(int, pair)
            if not 0 <= start <= end <= size:
                raise TableError(
                    f"the slot [{start}, {end}] of row {row + 1:,} is not within its {size:,} tokens.", remedy=_SLOT
                )
            inside = slice(int(lines.offset[row]) + start, int(lines.offset[row]) + end)
            if (slot[inside] >= 0).any():
                raise TableError(f"the slots of row {row + 1:,} overlap: {items}.", remedy="Each word is in one slot.")
            slot[inside] = number
    return slot


@dataclass(frozen=True, eq=False)
class TaggedEntities:
    """Entities of n sentences."""

    types: tuple[str, ...]  # what ``spans.type`` points into
    spans: Spans  # of the rows that are present
    present: BoolArray  # (n,) whether the row has a value
    repaired: IntArray  # (n,) entities with tags that violated their scheme
    left_out: int = 0  # entities that overlap another of a higher score, or no word


def read_classes(frame: pd.DataFrame, classes: Sequence[str] = ()) -> TagSet | None:
    """The classes of the probabilities, the same in all rows, else those given; None where there are none."""
    cells = _list_column(frame, "classes", _CLASSES, strings=True)
    first = next((row for row, cell in enumerate(cells) if cell is not None), None)
    tags = list(classes) if first is None else cells[first] or []
    for row, cell in enumerate(cells):
        if cell is not None and cell != tags:
            raise TableError(
                f"the classes of row {row + 1:,} are {first_ten(cell)}; those of row {(first or 0) + 1:,} are "
                f"{first_ten(tags)}.",
                remedy="Write the same classes in the same order in all rows.",
            )
    for name in tags if first is not None else ():
        if tags.count(name) > 1:
            raise TableError(f"the class {name!r} appears twice in the column classes.", remedy=_CLASSES)
    try:
        return TagSet.of(tags) if first is not None or tags else None
    except LabelError as error:
        raise LabelError(error.message, place="the column classes", remedy=error.remedy) from error


def read_tagged(frame: pd.DataFrame, name: str, lines: Lines, classes: TagSet | None = None) -> TaggedEntities:
    """The entities of a column of tags, in the scheme of the classes where they have all its tags, else in its own."""
    cells = _list_column(frame, name, _TAGS, strings=True)
    for row, (tags, borders) in enumerate(zip(cells, lines.borders, strict=True)):
        if tags is not None and len(tags) != len(borders):
            raise TableError(
                f"row {row + 1:,} has {len(borders):,} tokens and {len(tags):,} tags in the column {name}.",
                remedy="Write one tag per token.",
            )
    used = {tag for tag in {tag for tags in cells for tag in tags or ()} if split_tag(tag)[1]}
    found, codes, offset = read_tags(
        [tags or [OUTSIDE] * len(borders) for tags, borders in zip(cells, lines.borders, strict=True)],
        classes.scheme if classes is not None and used <= set(classes.tags) else "",
        lambda row, word: f"the column {name}, row {row + 1:,}, token {word + 1:,}",
    )
    spans, repaired = found.decode(codes, offset)
    return TaggedEntities(found.types, spans, np.array([tags is not None for tags in cells], dtype=np.bool_), repaired)


def read_spans(frame: pd.DataFrame, lines: Lines) -> TaggedEntities:
    """The entities of character spans, as the words they touch: of those that overlap one, by score, length, place."""
    cells = _list_column(frame, "spans", _SPANS)
    types: dict[str, int] = {}
    chosen: list[tuple[int, int, int, int]] = []
    left_out = 0
    for row, cell in enumerate(cells):
        taken = np.zeros(len(lines.borders[row]), dtype=np.bool_)
        spans = [_span(span, row, len(lines.texts[row])) for span in cell or ()]
        for _start, _end, kind, _score in spans:
            types.setdefault(kind, len(types))
        for start, end, kind, _score in sorted(spans, key=lambda span: (-span[3], span[0] - span[1], span[0])):
            first, last = words_within(lines.borders[row], start, end)
            if first == last or taken[first:last].any():
                left_out += 1
                continue
            taken[first:last] = True
            chosen.append((row, first, last, types[kind]))
    present = np.array([cell is not None for cell in cells], dtype=np.bool_)
    return TaggedEntities(tuple(types), Spans.of(chosen), present, np.zeros(len(lines), dtype=np.int64), left_out)


def _span(cell: Any, row: int, length: int) -> tuple[int, int, str, float]:
    if not isinstance(cell, dict) or not (_is_whole(cell.get("start")) and _is_whole(cell.get("end"))):
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
    cells = _list_column(frame, "p", f"Write a list with one list of probabilities per token, {_ORDER}.")
    if all(cell is None for cell in cells):
        return None
    if classes is None:
        raise TableError("the table has p and no classes.", remedy=f"Add the column classes. {_CLASSES}")
    size = len(classes.tags)
    matrices = []
    for row, (cell, borders) in enumerate(zip(cells, lines.borders, strict=True)):
        vectors = cell or []
        try:
            matrix = np.array(vectors, dtype=np.float64) if vectors else np.empty((0, size))
        except (TypeError, ValueError):
            matrix = np.empty((0, 0))
        if matrix.shape != (len(borders), size):
            lengths = sorted({int(np.size(vector)) for vector in vectors})
            raise TableError(
                f"the p of row {row + 1:,} has {len(vectors):,} rows of {' or '.join(map(str, lengths)) or 0} "
                f"numbers; expected {len(borders):,} tokens x {size} classes.",
                remedy=_P,
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
