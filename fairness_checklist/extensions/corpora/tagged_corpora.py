"""Read tagged corpora: one word a line with its tag, blank or ``-DOCSTART-`` lines between sentences."""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from fairness_checklist.core.errors import OptionError, TableError
from fairness_checklist.core.keywords import checks_keywords
from fairness_checklist.core.tagging import OUTSIDE, map_types, read_tags
from fairness_checklist.core.tasks import TASKS

_RANGE = re.compile(r"\d+[-.]\d+")  # CoNLL-U: 3-4 is two words written as one, 3.1 a word that is not there
_DOCUMENT = re.compile(r"-DOCSTART-|#\s*(?:newdoc|(?:begin|end) document)\b")
_COMMENT = re.compile(r"#\s+(?:[\w:.-]+\s*=|newpar\b|\w+://)")  # whatever columns it seems to have
_TEXT = re.compile(r"#\s*text\s*=\s*(.*)")
_FORM = "Each line holds a word and its tag, with a tab or spaces between; a blank line ends a sentence."
_Spans = tuple[tuple[tuple[int, int, str], ...], ...]


@dataclass(frozen=True)
class TaggedCorpus:
    """n tagged sentences as read from a file."""

    sentences: tuple[tuple[str, ...], ...]  # the words of each sentence
    tags: tuple[tuple[str, ...], ...]  # the tag of each word, as written in the file
    spans: _Spans  # the entities of each sentence as (start, end, type), in words, the end not included
    texts: tuple[str, ...]  # the sentence as running text where the file gives it in a "# text = ..." line, else ""
    scheme: str  # the scheme the tags were read in
    types: tuple[str, ...]  # the entity types of the spans, in alphabetical order
    notes: tuple[str, ...]  # what a reader should know: repaired entities, lines and types that were left out

    def __len__(self) -> int:
        return len(self.sentences)


@dataclass(frozen=True)
class _TaggedWord:
    word: str
    tag: str
    line: int


@checks_keywords
def read_tagged(
    path: str | Path,
    *,
    scheme: str | None = None,
    token_column: int = 0,
    tag_column: int = -1,
    types: Mapping[str, str] | None = None,
) -> TaggedCorpus:
    """Read a tagged corpus: two columns or more, with tabs or spaces between them; comment lines may stand in it.

    Args:
        path: the file, UTF-8.
        scheme: one of `core.tagging.SCHEMES`. By default recognised: ``I-`` only, or ``B-`` only where
            two entities of a type touch, is IOB1. ``-`` and ``_`` are read as O.
        token_column: the column of the words, counted from 0: 1 in a file whose first column counts the words.
        tag_column: the column of the tags, counted from 0; -1 is the last.
        types: ``{"location": "LOC"}`` maps the file's types to PER, LOC, ORG and MISC, or to "O", which leaves them
            out; the usual names need no entry, so ``{}`` maps all that are known. By default types stay as written.

    Returns:
        The corpus. Tags that break the scheme are repaired in ``spans`` as conlleval does, and counted in ``notes``.

    Raises:
        TableError: no such file, no tagged line in it, a line of another number of columns, a tag that the scheme does
            not have (with ``file:line`` where there is a line).
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
    blocks, texts = _blocks(path, (token_column, tag_column), notes)
    words = tuple(tuple(tagged.word for tagged in block) for block in blocks)
    tags = tuple(tuple(tagged.tag for tagged in block) for block in blocks)
    tag_set, codes, offset = read_tags(tags, scheme or "", lambda row, word: f"{path}:{blocks[row][word].line}")
    decoded, repaired = tag_set.decode(codes, offset)
    if repaired.sum():
        notes.append(
            f"{int(repaired.sum())} entities in {int((repaired > 0).sum())} sentences break the scheme "
            f"{tag_set.scheme} and were repaired."
        )
    listed: list[list[tuple[int, int, str]]] = [[] for _ in tags]
    for row, start, end, kind in zip(decoded.row, decoded.start, decoded.end, decoded.type, strict=True):
        listed[int(row)].append((int(start), int(end), tag_set.types[int(kind)]))
    spans: _Spans = tuple(map(tuple, listed))
    if types is not None:
        spans = _map_types(spans, types, notes)
    kinds = sorted({kind for sentence in spans for _start, _end, kind in sentence})
    return TaggedCorpus(words, tags, spans, texts, tag_set.scheme, tuple(kinds), tuple(notes))


def _blocks(path: Path, columns: tuple[int, int], notes: list[str]) -> tuple[list[list[_TaggedWord]], tuple[str, ...]]:
    """The tagged words of each sentence and its running text, without comments."""
    lines = _lines(path)
    tabs = sum("\t" in line for line in lines) * 2 > sum(bool(line) for line in lines)
    cut = [line.split("\t") if tabs else re.split(r"[ \t]+", line.lstrip(" ")) for line in lines]
    counts = Counter(len(cells) for line, cells in zip(lines, cut, strict=True) if line and line[0] not in "#-")
    counts = counts or Counter(len(cells) for line, cells in zip(lines, cut, strict=True) if line)
    width = max(counts, key=lambda number: (counts[number], number), default=0)
    if width > 1:
        token_at, tag_at = (_column(column, width, path) for column in columns)
    blocks: list[list[_TaggedWord]] = [[]]
    texts, text, empty, ranges = [""], "", [], 0
    for number, (line, raw) in enumerate(zip(lines, cut, strict=True), start=1):
        cells = [cell.strip() for cell in raw]
        if not line or _DOCUMENT.match(line):
            blocks.append([])
            texts.append("")
        elif _COMMENT.match(line) or (line.startswith(("# ", "#\t", "##")) and len(cells) != width):
            text = match.group(1) if (match := _TEXT.fullmatch(line)) else ""
            texts[-1] = text or texts[-1]
        elif width < 2 or len(cells) != width:
            several = f"line has {len(cells)} columns, and most have {width}."
            what = "lines have one column only." if width < 2 else several
            raise TableError(f"the {what}", place=f"{path}:{number}", remedy=_FORM)
        elif token_at and _RANGE.fullmatch(cells[0]):
            ranges += 1
        elif not cells[token_at]:
            empty.append(number)
        else:
            blocks[-1].append(_TaggedWord(cells[token_at], cells[tag_at], number))
    if not any(blocks):
        raise TableError("there is no tagged word in the file.", place=str(path), remedy=_FORM)
    if ranges:
        notes.append(f"{ranges} lines that join words (3-4) or add one (3.1) were left out.")
    if empty:
        notes.append(f"{len(empty)} lines without a word were left out, the first is line {empty[0]}.")
    return list(filter(None, blocks)), tuple(text for text, block in zip(texts, blocks, strict=True) if block)


def _lines(path: Path) -> list[str]:
    """The lines of a file without space at their ends; a line of spaces is empty."""
    try:
        return [line.rstrip() for line in path.read_text(encoding="utf-8-sig").split("\n")]
    except UnicodeDecodeError as problem:
        raise TableError(
            f"the file is not UTF-8: {problem.reason}.", place=str(path), remedy="Save it as UTF-8."
        ) from None
    except OSError as problem:
        raise TableError(
            f"there is no corpus to read at {path}: {problem.strerror}.",
            remedy="Give the path of a file of tagged words.",
        ) from None


def _column(number: int, width: int, path: Path) -> int:
    if not -width <= number < width:
        raise OptionError(
            f"{path} has no column {number}.", remedy=f"It has {width} columns, counted from 0: 0 to {width - 1}."
        )
    return number % width


def _map_types(spans: _Spans, mapping: Mapping[str, str], notes: list[str]) -> _Spans:
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
