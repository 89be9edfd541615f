"""The cells of a table of tagged sentences: lists, in CSV as JSON text; its words and the places of its terms."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

import numpy as np
import pandas as pd

from fairness_checklist.core.arrays import IntArray, by_value
from fairness_checklist.core.errors import LabelError, TableError, did_you_mean, first_ten
from fairness_checklist.core.tagging import NO_NAMES, OUTSIDE, map_types, words
from fairness_checklist.core.tasks import TASKS
from fairness_checklist.tables.columns import text_column

_LISTS = ("tokens", "tags", "predicted", "spans", "p")
_TOKENS = 'Write a list of words: ["In", "the", "Gambia"].'


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
    """As `list_column`, for lists of texts."""
    cells = list_column(frame, name, example)
    for row, texts in enumerate(cells):
        for text in texts or ():
            if not isinstance(text, str):
                raise TableError(
                    f"the column {name} of row {row + 1:,} holds {text!r}, which is not a text.", remedy=example
                )
    return cells


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
        found = words(text) if own is None else _token_borders(own, text, row) if text else _spaced(own)
        texts[row] = text or " ".join(own or ())
        listed += own if own is not None else [text[start:end] for start, end in found]
        borders += found
        counts.append(len(found))
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
        pairs = [one if isinstance(one, (list, tuple, np.ndarray)) else [one] for one in cell]
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
    return str([one.tolist() if isinstance(one, np.ndarray) else one for one in cell])


@by_value
@dataclass(frozen=True, eq=False)
class TypeNames:
    """For each gold and each predicted type its common name, or "O"; and remarks on it."""

    gold: Mapping[str, str]
    predicted: Mapping[str, str]
    notes: tuple[str, ...]


def match_types(
    gold: Sequence[str], predicted: Sequence[str], task: str, labels: Mapping[str, str] | None = None
) -> TypeNames:
    """Match the types of predictions to those of the gold entities.

    ``labels`` takes precedence, for both. Types that are then the same are taken as they are; where the gold types
    are the task's, predicted ones go by what `map_types` knows; any other stays a type of its own.

    >>> found = match_types(["PER", "LOC"], ["PERSON", "GPE", "DRUG", "DATE"], "ner")
    >>> found.predicted
    {'PERSON': 'PER', 'GPE': 'LOC', 'DRUG': 'DRUG', 'DATE': 'O'}
    >>> found.notes
    ("the predictions' PERSON, GPE are read as PER, LOC", "the predictions' DATE is read as O",
     'no gold entity is a DRUG')
    """
    suite = TASKS[task].classes if task in TASKS and TASKS[task].tagging else ()
    given = dict(labels or {})
    own = list(dict.fromkeys([*gold, *predicted]))
    for name, new in given.items():
        if name not in own:
            raise LabelError(
                f"the table has no type {name!r}.",
                remedy=f"Its types: {first_ten(own) or 'none'}.{did_you_mean(name, own)}",
            )
        known = list(dict.fromkeys([*suite, *own, OUTSIDE]))
        if new not in known:
            raise LabelError(
                f"labels gives {name} the name {new!r}, which neither the table nor the task has.",
                remedy=f"Types: {first_ten(known)}.{did_you_mean(new, known)}",
            )
    of_gold = {kind: given.get(kind, kind) for kind in gold}
    of_said = {kind: given.get(kind, kind) for kind in predicted}
    notes: list[str] = []
    wanted = set(of_gold.values()) - {OUTSIDE}
    if wanted and wanted <= set(suite) and wanted != set(of_said.values()) - {OUTSIDE}:
        found = {kind: _suite_type(kind, suite) for kind in predicted if kind not in given}
        of_said |= found
        notes += _remarks({kind: name for kind, name in found.items() if name != kind})
    if wanted:
        alone = [name for name in dict.fromkeys(of_said.values()) if name not in (*suite, *wanted, OUTSIDE)]
        notes += [f"no gold entity is a {', '.join(alone)}"] if alone else []
    return TypeNames(of_gold, of_said, tuple(notes))


def _suite_type(kind: str, suite: Sequence[str]) -> str:
    """The suite's name of a type, "O" for what is no name of anything, else the type itself."""
    known = map_types([suite[0], kind], suite)[kind]
    if known != OUTSIDE:
        return known
    return OUTSIDE if kind.upper() in NO_NAMES else kind


def _remarks(changed: Mapping[str, str]) -> list[str]:
    renamed = {kind: name for kind, name in changed.items() if name != OUTSIDE}
    unread = {kind: name for kind, name in changed.items() if name == OUTSIDE}
    return [
        f"the predictions' {', '.join(kinds)} {'is' if len(kinds) == 1 else 'are'} read as {', '.join(names)}"
        for kinds, names in ((renamed, renamed.values()), (unread, [OUTSIDE]))
        if kinds
    ]


def order_types(types: Sequence[str], task: str) -> tuple[str, ...]:
    """Different types, those of the task first and in its order, then the others as they come.

    >>> order_types(["DRUG", "LOC", "O", "PER", "LOC"], "ner")
    ('PER', 'LOC', 'DRUG')
    """
    suite = TASKS[task].classes if task in TASKS else ()
    there = dict.fromkeys(kind for kind in types if kind != OUTSIDE)
    return tuple(dict.fromkeys([*(kind for kind in suite if kind in there), *there]))
