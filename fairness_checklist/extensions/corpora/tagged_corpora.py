"""Readers of tagged corpora: one word a line with its tag, blank or ``-DOCSTART-`` lines between sentences.

Read are two columns or more, with tabs or spaces between them, with or without a column that counts the words and
comment lines (``# text = ...``, GermEval's ``# http://...``), in any scheme of `core.tagging.SCHEMES`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from fairness_checklist.core.errors import OptionError, TableError
from fairness_checklist.core.keywords import checks_keywords
from fairness_checklist.core.tagging import NO_TAG, OUTSIDE, map_types, names_entities, read_tags, split_tag
from fairness_checklist.core.tasks import TASKS

_RANGE = re.compile(r"\d+[-.]\d+")  # CoNLL-U: 3-4 is two words written as one, 3.1 a word that is not there
_DOCUMENT = re.compile(r"-DOCSTART-|#\s*(?:newdoc|(?:begin|end) document)\b")
_COMMENT = re.compile(r"#\s+(?:[\w:.-]+\s*=|newdoc\b|newpar\b|\w+://)")  # whatever columns it seems to have
_SHORT_COMMENT = re.compile(r"#(?:[\s#]|[\w:.-]+\s*=|(?:begin|end) document\b)")  # with other columns than the words
_TEXT = re.compile(r"#\s*text\s*=\s*(.*)")
_FORM = "Each line holds a word and its tag, with a tab or spaces between; a blank line ends a sentence."
_MOST_PLAIN = 60  # a column of plain tags has no more values than this


@dataclass(frozen=True)
class TaggedCorpus:
    """n tagged sentences as read from a file.

    Attributes:
        sentences: the words of each sentence.
        tags: the tag of each word, as written in the file.
        spans: the entities of each sentence as (start, end, type), in words, the end not included.
        texts: the sentence as running text where the file gives it in a ``# text = ...`` line, else "".
        scheme: the scheme the tags were read in.
        types: the entity types of the spans, in alphabetical order.
        notes: what a reader should know: repaired entities, types that were left out, words that hold a space.
    """

    sentences: tuple[tuple[str, ...], ...]
    tags: tuple[tuple[str, ...], ...]
    spans: tuple[tuple[tuple[int, int, str], ...], ...]
    texts: tuple[str, ...]
    scheme: str
    types: tuple[str, ...]
    notes: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.sentences)


@dataclass(frozen=True)
class _Line:
    number: int
    cells: tuple[str, ...]


@dataclass(frozen=True)
class _SentenceLines:
    lines: tuple[_Line, ...]
    text: str


@checks_keywords
def read_tagged(
    path: str | Path,
    *,
    scheme: str | None = None,
    token_column: int | None = None,
    tag_column: int | None = None,
    types: Mapping[str, str] | None = None,
) -> TaggedCorpus:
    """Read a tagged corpus; columns and scheme are recognised where they are not given.

    Args:
        path: the file, UTF-8.
        scheme: one of `core.tagging.SCHEMES`. By default recognised: ``I-`` only, or ``B-`` only where
            two entities of a type touch, is IOB1. ``-`` and ``_`` are read as O.
        token_column: the column of the words, counted from 0. By default the first that neither counts the words nor
            holds the tags.
        tag_column: the column of the tags, counted from 0. By default the first of tags with names of entities (PER,
            person, GPE), else the last of tags.
        types: ``{"location": "LOC"}`` maps the file's types to PER, LOC, ORG and MISC, or to "O", which leaves them
            out; the usual names need no entry, so ``{}`` maps all that are known. By default types stay as written.

    Returns:
        The corpus. Tags that break the scheme are repaired in ``spans`` as conlleval does, and counted in ``notes``.

    Raises:
        TableError: no such file, no tagged line in it, a line without a tag or of another number of columns, a tag
            that the scheme does not have, no column of tags (with ``file:line`` where there is a line).
        OptionError: an unknown scheme, or a column that the file lacks.
        LabelError: types that do not fit.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "three.conll"
    ...     _ = path.write_text("Ana I-person\\nmet O\\nIda I-person\\nRo I-person\\n", encoding="utf-8")
    ...     corpus = read_tagged(path, types={})
    >>> corpus.scheme, corpus.spans
    ('IOB1', (((0, 1, 'PER'), (2, 4, 'PER')),))
    """
    path = Path(path)
    notes: list[str] = []
    blocks = _blocks(path, notes)
    width = len(blocks[0].lines[0].cells)
    tag_at = _column(tag_column, width, path) if tag_column is not None else _tag_column(blocks, width, path, notes)
    token_at = _column(token_column, width, path) if token_column is not None else _token_column(blocks, width, tag_at)
    blocks = _with_words(blocks, token_at, notes)
    untagged = next((line for block in blocks for line in block.lines if not line.cells[tag_at]), None)
    if untagged is not None:
        raise TableError("the line has no tag.", place=f"{path}:{untagged.number}", remedy=_FORM)
    words = tuple(tuple(line.cells[token_at] for line in block.lines) for block in blocks)
    tags = tuple(tuple(line.cells[tag_at] for line in block.lines) for block in blocks)
    name, spans = _spans(blocks, tags, scheme or "", path, notes)
    if types is not None:
        spans = _map_types(spans, types, notes)
    spaced = sum(len(word.split()) > 1 for sentence in words for word in sentence)
    if spaced:
        notes.append(f"{spaced} words hold a space.")
    kinds = sorted({kind for sentence in spans for _start, _end, kind in sentence})
    return TaggedCorpus(words, tags, spans, tuple(block.text for block in blocks), name, tuple(kinds), tuple(notes))


def _blocks(path: Path, notes: list[str]) -> list[_SentenceLines]:
    """The sentences of a file as cells, without comments, document lines and empty words."""
    try:
        content = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as problem:
        raise TableError(
            f"the file is not UTF-8: {problem.reason}.", place=str(path), remedy="Save it as UTF-8."
        ) from None
    except OSError as problem:
        raise TableError(
            f"there is no corpus to read at {path}: {problem.strerror}.",
            remedy="Give the path of a file of tagged words.",
        ) from None
    lines = content.split("\n")
    split = _splitter(lines)
    data = [split(line) for line in lines if line.strip() and not line.startswith(("#", "-DOCSTART-"))]
    width = _width(data or [split(line) for line in lines if line.strip()])
    blocks: list[_SentenceLines] = []
    held: list[_Line] = []
    text, ranges = "", 0
    for number, line in enumerate([*lines, ""], start=1):
        if not line.strip() or _DOCUMENT.match(line):
            words = _without_ranges(held)
            ranges += len(held) - len(words)
            if words:
                blocks.append(_SentenceLines(tuple(words), text))
                held, text = [], ""
        elif _is_comment(line, split(line), width):
            match = _TEXT.fullmatch(line)
            text = match.group(1) if match else text
        else:
            held.append(_Line(number, _of_width(split(line), width, f"{path}:{number}")))
    if not blocks:
        raise TableError("there is no tagged word in the file.", place=str(path), remedy=_FORM)
    if ranges:
        notes.append(f"{ranges} lines that join words (3-4) or add one (3.1) were left out.")
    return blocks


def _splitter(lines: Iterable[str]) -> Callable[[str], tuple[str, ...]]:
    """The separator of cells: tabs if the lines with data have any, else spaces; no other space divides words."""
    data = [line for line in lines if line.strip() and not _COMMENT.match(line)]
    if sum("\t" in line for line in data) * 2 > len(data):
        return lambda line: tuple(cell.strip() for cell in line.split("\t"))
    return lambda line: tuple(cell.strip() for cell in re.split(r"[ \t]+", line.strip(" \t")))


def _is_comment(line: str, cells: Sequence[str], width: int) -> bool:
    """Whether a line that starts with # is a comment; a word "#" has the columns of a word, and a tag."""
    if len(cells) != width:
        return bool(_SHORT_COMMENT.match(line))
    if line.startswith("##"):
        return not _is_tag(cells[-1])
    return bool(_COMMENT.match(line)) and not ("\t" in line and _is_tag(cells[-1]))


def _is_tag(cell: str) -> bool:
    """Whether a cell is O, or has a prefix."""
    prefix, kind = split_tag(cell)
    return bool(prefix) or not kind


def _width(lines: Sequence[tuple[str, ...]]) -> int:
    """The number of columns that most lines have, without empty ones at the end."""
    counts = Counter(map(len, lines))
    width = max(counts, key=lambda number: (counts[number], number), default=0)
    while width and not any(cell for cells in lines for cell in cells[width - 1 :]):
        width -= 1
    return width


def _of_width(cells: tuple[str, ...], width: int, place: str) -> tuple[str, ...]:
    """The cells of a line, which must have this number of columns; more may be empty."""
    if width < 2:
        raise TableError("the lines have one column only.", place=place, remedy=_FORM)
    if len(cells) < width or any(cells[width:]):
        raise TableError(f"the line has {len(cells)} columns, and most have {width}.", place=place, remedy=_FORM)
    return cells[:width]


def _without_ranges(lines: list[_Line]) -> list[_Line]:
    """The lines of a sentence without those that join words or add one, where the first column counts the words."""
    words = [line for line in lines if not _RANGE.fullmatch(line.cells[0])]
    return words if words and len(words[0].cells) > 2 and _counts(words, 0) else lines


def _counts(lines: Sequence[_Line], column: int) -> bool:
    """Whether a column counts the words of a sentence, from 0 or 1."""
    cells = [line.cells[column] for line in lines]
    return any(cells == [str(number) for number in range(first, len(cells) + first)] for first in (0, 1))


def _with_words(blocks: Sequence[_SentenceLines], token_at: int, notes: list[str]) -> list[_SentenceLines]:
    """The sentences without the lines that have a tag and no word, which are noted."""
    empty = [line.number for block in blocks for line in block.lines if not line.cells[token_at]]
    if not empty:
        return list(blocks)
    notes.append(f"{len(empty)} lines without a word were left out, the first is line {empty[0]}.")
    lines_of = [(tuple(line for line in block.lines if line.cells[token_at]), block.text) for block in blocks]
    return [_SentenceLines(lines, text) for lines, text in lines_of if lines]


def _column(number: int, width: int, path: Path) -> int:
    if not -width <= number < width:
        raise OptionError(
            f"{path} has no column {number}.", remedy=f"It has {width} columns, counted from 0: 0 to {width - 1}."
        )
    return number % width


def _tag_column(blocks: Sequence[_SentenceLines], width: int, path: Path, notes: list[str]) -> int:
    """The first column of tags with names of entities, else the last of tags; else the last with few values and O."""
    lines = [line for block in blocks for line in block.lines]
    columns = [Counter(line.cells[column] for line in lines) for column in range(width)]
    of_tags = [sum(n for cell, n in column.items() if _is_tag(cell)) for column in columns]
    written = [
        column
        for column, cells in enumerate(columns)
        if 2 * of_tags[column] >= len(lines) and any(map(_is_tag, set(cells) - set(NO_TAG)))
    ]
    named = [column for column in written if any(names_entities(split_tag(cell)[1]) for cell in columns[column])]
    if len(named) > 1:
        others = ", ".join(map(str, named[1:]))
        notes.append(f"column {named[0]} was read; tags of entities are in column {others} too: see tag_column.")
    plain = [column for column in range(1, width) if OUTSIDE in columns[column] and len(columns[column]) <= _MOST_PLAIN]
    if not written and not plain:
        best = max(range(width), key=lambda column: (of_tags[column], column))
        other = next(line for line in lines if not _is_tag(line.cells[best]))
        raise TableError(
            f"no column holds only tags: {other.cells[best]!r} is not a tag.",
            place=f"{path}:{other.number}",
            remedy="Tags are O, or a prefix and a type, as in B-PER. Name the column: tag_column=1 is the second.",
        )
    return named[0] if named else (written or plain)[-1]


def _token_column(blocks: Sequence[_SentenceLines], width: int, tag_at: int) -> int:
    """The first column that is neither the tags' nor counts the words of each sentence."""
    return next(
        column
        for column in range(width)
        if column != tag_at and (width == 2 or not all(_counts(block.lines, column) for block in blocks))
    )


def _spans(
    blocks: Sequence[_SentenceLines], tags: Sequence[Sequence[str]], scheme: str, path: Path, notes: list[str]
) -> tuple[str, tuple[tuple[tuple[int, int, str], ...], ...]]:
    """The scheme by its own name, and the entities of each sentence."""
    read_scheme, codes, offset = read_tags(tags, scheme, lambda row, word: f"{path}:{blocks[row].lines[word].number}")
    decoded, repaired = read_scheme.decode(codes, offset)
    if repaired.sum():
        notes.append(
            f"{int(repaired.sum())} entities in {int((repaired > 0).sum())} sentences break the scheme "
            f"{read_scheme.scheme} and were repaired."
        )
    spans: list[list[tuple[int, int, str]]] = [[] for _ in tags]
    for row, start, end, kind in zip(decoded.row, decoded.start, decoded.end, decoded.type, strict=True):
        spans[int(row)].append((int(start), int(end), read_scheme.types[int(kind)]))
    return read_scheme.scheme, tuple(tuple(sentence) for sentence in spans)


def _map_types(
    spans: tuple[tuple[tuple[int, int, str], ...], ...], mapping: Mapping[str, str], notes: list[str]
) -> tuple[tuple[tuple[int, int, str], ...], ...]:
    """The entities with the suite's types; those that the suite does not ask for are left out and counted."""
    counts = Counter(kind for sentence in spans for _start, _end, kind in sentence)
    suite = map_types(sorted(counts), TASKS["ner"].classes, mapping)
    left_out = [f"{kind} ({counts[kind]})" for kind, to in suite.items() if to == OUTSIDE]
    if left_out:
        notes.append(f"Types left out: {', '.join(left_out)}.")
    return tuple(
        tuple((start, end, suite[kind]) for start, end, kind in sentence if suite[kind] != OUTSIDE)
        for sentence in spans
    )
