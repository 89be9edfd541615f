"""The cells about entities: tags, character spans, probabilities."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from fairness_checklist.core.arrays import BoolArray, FloatArray, IntArray
from fairness_checklist.core.errors import LabelError, PredictionError, TableError, did_you_mean, first_ten
from fairness_checklist.core.predictions import wrong_rows
from fairness_checklist.core.sentences import words_within
from fairness_checklist.core.tagging import OUTSIDE, SCHEMES, Spans, TagSet, detect_scheme_of_sentences, split_tag
from fairness_checklist.tables.token_cells import Lines, is_whole_number, list_column, string_list_column

_TAGS = 'Write a list with one tag per token: ["O", "O", "B-LOC"].'
_CLASSES = 'Write the tags that p is over, in order: ["O", "B-LOC", "I-LOC"].'
_SPANS = 'Write a list of such: {"start": 7, "end": 13, "label": "LOC"}, in characters.'


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
    parts = {tag: split_tag(tag) for tag in tags}
    prefixed = [tag for tag, (prefix, kind) in parts.items() if prefix and kind]
    bare = [tag for tag, (prefix, kind) in parts.items() if kind and not prefix]
    if prefixed and bare:
        raise TableError(
            f"the column {column} has tags with and without a prefix: {prefixed[0]!r} and {bare[0]!r}.",
            remedy=f"Write them all in one scheme: {', '.join(SCHEMES)}.",
        )
    try:
        return TagSet.of(list(parts), scheme)
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
    used = list(dict.fromkeys(tag for own in cells for tag in own or ()))
    if classes is not None and set(used) <= {OUTSIDE, *classes.tags}:
        scheme = classes.scheme
    else:
        scheme = detect_scheme_of_sentences(own for own in cells if own)
    tags = tag_set([OUTSIDE, *used], name, scheme)
    position = {tag: at for at, tag in enumerate(tags.tags)}
    listed = [position[tag] for row, own in enumerate(cells) for tag in (own or [OUTSIDE] * lines.count(row))]
    spans, repaired = tags.decode(np.array(listed, dtype=np.int64), lines.offset)
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
    return start, end, label, float("-inf") if score is None else float(score)


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
            lengths = sorted({int(np.size(one)) for one in cell or ()})
            raise TableError(
                f"the p of row {row + 1:,} has {len(cell or ()):,} rows of {' or '.join(map(str, lengths)) or 0} "
                f"numbers; expected {lines.count(row):,} tokens x {size} classes.",
                remedy="Write one list per token, with one probability per class, in the order of the classes.",
            )
        matrices.append(matrix)
    flat = np.concatenate(matrices)
    found = wrong_rows(flat, classes.tags)
    if found is not None:
        word = int(found[0][0])
        row = int(np.searchsorted(lines.offset, word, side="right")) - 1
        raise PredictionError(
            f'row {row + 1:,}: the p of its token {word - int(lines.offset[row]) + 1:,}, "{lines.words[word]}", '
            f"{found[1]} ({len(found[0]):,} such tokens).",
            remedy=found[2],
        )
    return flat
