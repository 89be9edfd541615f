"""Rows of a CSV file that a person wrote: with or without BOM, commas, semicolons or tabs, comments, line numbers."""

import csv
import io
import re
import unicodedata
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from fairness_checklist.core.did_you_mean import did_you_mean
from fairness_checklist.core.errors import InputError
from fairness_checklist.core.locations import display_path

# Unicode gives control characters no names.
_CONTROL_NAMES = {"\0": "NUL", "\t": "a tab", "\n": "a line break", "\r": "a line break"}
_INVISIBLE = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0")  # neither Cc nor Cf
_JOINERS = frozenset("\u200c\u200d")
_JOINED = re.compile(
    "ARABIC|SYRIAC|DEVANAGARI|BENGALI|GURMUKHI|GUJARATI|ORIYA|TAMIL|TELUGU|KANNADA|MALAYALAM|SINHALA|KHMER|MYANMAR|MONGOLIAN"
)  # scripts with joiners
_COMMENT = re.compile(r"\s*#(?:\s|[,;\t]*\s*$)")


@dataclass(frozen=True, eq=False)
class Row:
    """One row: its cells by column (stripped; every known column is there) and its place as ``file:line``."""

    cells: dict[str, str]
    place: str


def check_characters(what: str, text: str, place: str, error: type[InputError], allowed: str = "") -> None:
    """Reject invisible characters, which a model would read: controls, line breaks, bidi and zero-width marks."""
    if text.isascii() and text.isprintable():
        return
    for position, character in enumerate(text):
        if character not in allowed and _is_invisible(text, position):
            nameless = "a private character" if unicodedata.category(character) == "Co" else "a control character"
            name = _CONTROL_NAMES.get(character) or unicodedata.name(character, nameless)
            raise error(
                f"the {what} {text!r} holds U+{ord(character):04X} ({name}) at character {position + 1}.",
                place=place,
                remedy="Remove it: it does not show in a sentence, and a model reads it.",
            )


def _is_invisible(text: str, position: int) -> bool:
    character, before = text[position], text[position - 1 : position]
    if character in _JOINERS and before and text[position + 1 :]:
        emoji = unicodedata.category(before) in {"So", "Sk"} or before == "\ufe0f"
        return not emoji and not _JOINED.match(unicodedata.name(before, ""))
    if "\ufe00" <= character <= "\ufe0f":  # variation selectors choose how a symbol is drawn
        return not before or unicodedata.name(before, "").startswith(("LATIN", "SPACE"))
    return character in _INVISIBLE or unicodedata.category(character) in {"Cc", "Cf", "Cs", "Cn", "Co", "Zl", "Zp"}


def delimiter_of(header: str) -> str:
    """The separator of a CSV file, detected from its first line: a comma, a semicolon or a tab."""
    return max(",;\t", key=header.count)


def is_comment(line: str) -> bool:
    """Whether a line of a CSV file that a person wrote is a comment.

    >>> is_comment("# why"), is_comment("#term"), is_comment("#;;")
    (True, False, True)
    """
    return _COMMENT.match(line) is not None


def is_separator_line(line: str) -> bool:
    """Whether a line only names the separator, as Excel writes it before the header."""
    return line.strip("\ufeff \r\n").strip('"').lower() in {"sep=,", "sep=;", "sep=\t"}


def read_rows(path: Path, columns: Sequence[str], required: Collection[str], error: type[InputError]) -> list[Row]:
    """The rows of a CSV file whose first line names its columns, without comments; columns that it lacks are empty."""
    shown = display_path(path)
    lines = _lines_without_comments(path, shown, error)
    reader = csv.reader(lines, delimiter=delimiter_of(next(filter(str.strip, lines), "")), strict=True)
    header: list[str] = []
    rows: list[Row] = []
    while True:
        place = f"{shown}:{reader.line_num + 1}"
        try:
            cells = [cell.strip() for cell in next(reader)]
        except StopIteration:
            break
        except csv.Error as problem:
            remedy = 'Put a cell with commas or quotes in quotes, and double the quotes inside: "He said ""no""."'
            raise error(f"the row does not parse: {problem}.", place=place, remedy=remedy) from problem
        if not any(cells):
            continue
        if not header:
            header = _header(cells, columns, required, place, error)
            continue
        if len(cells) < len(header) or any(cells[len(header) :]):
            raise error(
                f"the row has {len(cells)} cells; expected {len(header)}: {','.join(header)}.",
                place=place,
                remedy="Put a cell that holds the separator in quotes, and leave a cell empty rather than out.",
            )
        rows.append(Row(dict.fromkeys(columns, "") | dict(zip(header, cells, strict=False)), place))
    if not header:
        raise error("the file is empty.", place=shown, remedy=f"Its first line names the columns: {','.join(columns)}.")
    return rows


def write_rows(file: TextIO, rows: Iterable[Sequence[str]]) -> None:
    """Write rows as CSV that `read_rows` reads back; a row that would read as a comment is in quotes.

    >>> import sys
    >>> write_rows(sys.stdout, [["sentence", "label"], ["# 1: {a:identity_np}", "neutral"]])
    sentence,label
    "# 1: {a:identity_np}","neutral"
    """
    plain, quoted = (csv.writer(file, lineterminator="\n", quoting=kind) for kind in (csv.QUOTE_MINIMAL, csv.QUOTE_ALL))
    for row in rows:
        (quoted if row and row[0].lstrip().startswith("#") else plain).writerow(row)


def _lines_without_comments(path: Path, shown: str, error: type[InputError]) -> list[str]:
    """The lines of a file, with an empty one for each comment between rows, and for Excel's ``sep=;``."""
    try:
        content = path.read_bytes()
        text = content.decode("utf-8-sig")
    except OSError as problem:
        raise error(f"the file cannot be read: {problem.strerror}.", place=shown) from problem
    except UnicodeDecodeError as problem:
        raise not_utf8(content, shown, error) from problem
    lines = io.StringIO(text, newline="").readlines()
    in_quotes = False
    for number, line in enumerate(lines):
        if not in_quotes and (is_comment(line) or (number == 0 and is_separator_line(line))):
            lines[number] = "\n"
        else:
            in_quotes ^= line.count('"') % 2 == 1
    return lines


def not_utf8(
    content: bytes,
    shown: str,
    error: type[InputError],
    remedy: str = 'Save it as "CSV UTF-8" (in Excel: Save as, CSV UTF-8).',
) -> InputError:
    """The error for the content of a file that is not UTF-8, with the line of the first such byte."""
    readable = re.split("[\udc80-\udcff]", content.decode("utf-8", "surrogateescape"), maxsplit=1)[0]
    line = readable.count("\n") + 1
    return error("the file is not UTF-8.", place=f"{shown}:{line}", remedy=remedy)


def _header(
    cells: list[str], columns: Sequence[str], required: Collection[str], place: str, error: type[InputError]
) -> list[str]:
    header = [cell.lower() for cell in cells]
    while header and not header[-1]:
        header.pop()
    for name in header:
        if name not in columns:
            remedy = f"Known columns: {', '.join(columns)}.{did_you_mean(name, columns)}"
            raise error(f"the column {name!r} is not known.", place=place, remedy=remedy)
        if header.count(name) > 1:
            raise error(f"the column {name!r} occurs twice.", place=place, remedy="Keep one of them.")
    for name in columns:
        if name in required and name not in header:
            remedy = f"The first line names the columns; these must be there: {', '.join(required)}."
            raise error(f"the column {name!r} is missing.", place=place, remedy=remedy)
    return header
