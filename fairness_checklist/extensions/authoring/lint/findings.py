"""The raw cells of a CSV file and their positions: to check text that the reader drops, and to correct cells."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from fairness_checklist.content.grammar.languages import LANGUAGES, folder_of, language_of
from fairness_checklist.content.templates import read_templates
from fairness_checklist.content.term_files import read_terms
from fairness_checklist.core.delimited import delimiter_of, is_comment, is_separator_line
from fairness_checklist.core.errors import InputError, OptionError
from fairness_checklist.core.locations import DATA_FOLDERS, data_files, display_path


@dataclass(frozen=True)
class FileCell:
    """One cell."""

    text: str  # its content, without quotes
    start: int  # start, end: its characters in the file, quotes among them
    end: int
    quoted: bool  # whether quotes are around it

    def written(self, text: str, delimiter: str) -> str:
        """Another text as this cell would hold it: in quotes where they were or are needed."""
        if self.quoted or delimiter in text or '"' in text or "\n" in text:
            return '"' + text.replace('"', '""') + '"'
        return text


@dataclass(frozen=True, eq=False)
class RawTable:
    """A file's header and rows."""

    header: tuple[int, tuple[str, ...]]  # the line of the header, and its columns
    # of each row its line and its cells by column; of those that are too short the columns that they have
    rows: dict[int, dict[str, FileCell]]
    delimiter: str  # the separator of cells
    text: str  # the whole file


def read_raw(path: Path) -> RawTable:
    """Read a CSV file that `read_rows` can read, cell by cell."""
    text = path.read_bytes().decode("utf-8")
    lines = text.splitlines(keepends=True)
    written = [line for line in lines if line.strip("\ufeff \r\n\t") and not is_comment(line)]
    written = written[1:] if written and is_separator_line(written[0]) else written
    delimiter = delimiter_of((written or [""])[0])
    header: tuple[int, tuple[str, ...]] = (0, ())
    rows: dict[int, dict[str, FileCell]] = {}
    for line, cells in _records(text, delimiter):
        texts = [cell.text.strip() for cell in cells]
        if not any(texts) or re.fullmatch(r"sep=.?", texts[0].lower()):
            continue
        if not header[0]:
            header = (line, tuple(name.lower() for name in texts))
        else:
            rows[line] = dict(zip(header[1], cells, strict=False))
    return RawTable(header, rows, delimiter, text)


def _records(text: str, delimiter: str) -> Iterator[tuple[int, list[FileCell]]]:
    """Each record that is no comment, with the line on which it starts."""
    position, line = (1 if text.startswith("\ufeff") else 0), 1
    while position < len(text):
        end = text.find("\n", position)
        end = len(text) if end < 0 else end + 1
        if is_comment(text[position:end]):
            position, line = end, line + 1
            continue
        cells, end = _record(text, position, delimiter)
        yield line, cells
        line += text.count("\n", position, end)
        position = end


def _record(text: str, position: int, delimiter: str) -> tuple[list[FileCell], int]:
    """The cells of the record that starts there, and where the next one starts."""
    cells: list[FileCell] = []
    pattern = re.compile(rf'((?:"((?:[^"]|"")*+)"?)?+[^{delimiter}\r\n]*)({delimiter}?)')
    for cell in pattern.finditer(text, position):
        content = cell[1] if cell[2] is None else cell[2].replace('""', '"')
        cells.append(FileCell(content, *cell.span(1), cell[2] is not None))
        if not cell[3]:
            break
    end = text.find("\n", cells[-1].end)
    return cells, len(text) if end < 0 else end + 1


with Path(__file__).with_name("rules.csv").open(encoding="utf-8", newline="") as rows_of_rules:
    _RULES = tuple(csv.DictReader(rows_of_rules))
RULES = {row["rule"]: row["finds"] for row in _RULES}
"""Each rule and what it finds."""

WARNINGS = frozenset(row["rule"] for row in _RULES if row["level"] == "warning")
"""Rules whose findings ask for a second look and are no errors."""


@dataclass(frozen=True)
class LintFinding:
    """An error or warning of `lint`.

    >>> print(LintFinding("mine.csv:2", "doubled", "'the' appears twice", "I met the the writer."))
    mine.csv:2: doubled: 'the' appears twice: I met the the writer.
    """

    place: str  # file and line, or the file where it is wrong as a whole
    rule: str  # one of `RULES`
    message: str  # what is wrong
    sentence: str = ""  # the filled sentence in which it is, where there is one

    def __str__(self) -> str:
        return ": ".join(filter(None, (self.place, self.rule, self.message, self.sentence)))

    @property
    def order(self) -> tuple[str, int]:
        """File and line as what findings are sorted by."""
        match = re.fullmatch(r"(.*):(\d+)", self.place)
        return (match[1], int(match[2])) if match else (self.place, 0)


def parse_finding(error: InputError, place: str) -> LintFinding:
    """An error as a finding, with its message on one line."""
    return LintFinding(error.place or place, "parse", " ".join([error.message, *error.remedy.split()]))


@dataclass(frozen=True, eq=False)
class Files:
    """The files of templates and of terms in one language."""

    templates: tuple[Path, ...]  # templates, terms: the files that can be read
    terms: tuple[Path, ...]
    language: str  # their language
    is_user: bool  # whether they are the user's and are read together with the shipped files
    unreadable: tuple[LintFinding, ...] = ()  # the reasons why other files cannot be read
    has_unreadable_terms: bool = False  # whether a file of terms cannot be read, so that templates cannot be filled
    # of each copy without unreadable rows the file of the user
    copies: Mapping[Path, Path] = field(default_factory=dict)

    @property
    def more_templates(self) -> list[Path] | None:
        """The user's template files, read in addition to the shipped ones; None if these are the shipped files."""
        return list(self.templates) if self.is_user else None

    @property
    def more_terms(self) -> list[Path] | None:
        """The user's term files, read in addition to the shipped ones; None if these are the shipped files."""
        return list(self.terms) if self.is_user else None

    def original(self, finding: LintFinding) -> LintFinding:
        """A finding about copies as one about the user's files."""
        for copy, path in self.copies.items():
            shown, known = display_path(copy), display_path(path)
            place, message = (text.replace(shown, known) for text in (finding.place, finding.message))
            finding = replace(finding, place=place, message=message)
        return finding

    def holds(self, place: str) -> bool:
        """Whether a place is in one of these files."""
        return place.rpartition(":")[0] in self._shown

    @cached_property
    def _shown(self) -> frozenset[str]:
        return frozenset(display_path(path) for path in (*self.templates, *self.terms))


def find_files(folder: str | Path | None, language: str = "", scratch: Path | None = None) -> list[Files]:
    """The files to look at, a language at a time."""
    extra = Path(folder).expanduser() if folder is not None else None
    if extra is not None and not extra.is_dir():
        raise OptionError(f"the folder {str(extra)!r} does not exist.", remedy="Give a folder with CSV files in it.")
    by_language = [_readable(extra, code, scratch) for code in ([language] if language else LANGUAGES)]
    kept = [files for files in by_language if files.templates or files.terms or files.unreadable]
    if extra is not None and not kept:
        raise OptionError(f"{str(extra)!r} holds no CSV file.", remedy="Give a folder with CSV files in it.")
    return kept


def _readable(extra: Path | None, language: str, scratch: Path | None) -> Files:
    templates, terms = _in_folder(extra, language)
    unread: list[LintFinding] = []
    copies: dict[Path, Path] = {}
    count = len(terms)
    for paths, read in ((templates, read_templates), (terms, read_terms)):
        for at, path in reversed(list(enumerate(paths))):
            copy, errors = readable_copy(path, read, scratch if extra is not None else None)
            unread += errors
            if copy is None:
                del paths[at]
            elif copy != path:
                paths[at], copies[copy] = copy, path
    lacking = len(terms) < count
    return Files(tuple(templates), tuple(terms), language, extra is not None, tuple(unread), lacking, copies)


_ROWS = 200  # a file with more broken rows is of another kind


def readable_copy(
    path: Path, read: Callable[[Path], object], scratch: Path | None
) -> tuple[Path | None, list[LintFinding]]:
    """The file, or a copy with empty lines for the rows that cannot be read (None if that is all), and the reasons."""
    findings: list[LintFinding] = []
    copy, text = path, ""
    while len(findings) < _ROWS:
        try:
            read(copy)
        except InputError as error:
            finding = parse_finding(error, display_path(copy))
            message = finding.message.replace(display_path(copy), display_path(path))
            line = finding.order[1]
            findings.append(
                replace(finding, place=f"{display_path(path)}:{line}" if line else display_path(path), message=message)
            )
            if scratch is None or not line:
                is_empty = len(findings) > 1 and not line  # no row is left, which the others have said
                return None, findings[:-1] if is_empty else findings
            text = _without_row(text or path.read_bytes().decode("utf-8"), line)
            inner = [part for part in path.parent.parts[-1:] if part in LANGUAGES]
            copy = scratch.joinpath(path.parent.parent.name if inner else path.parent.name, *inner, path.name)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(text.encode("utf-8"))
        else:
            return copy, findings
    return None, findings


def _without_row(text: str, line: int) -> str:
    """A text with the record that starts on this line emptied; of a quote that is never closed only its first line."""
    lines = text.splitlines(keepends=True)
    delimiter = delimiter_of(lines[0]) if lines else ","
    starts = [at for at, _cells in _records(text, delimiter)]
    after = [at for at in starts if at > line]
    last = after[0] - 1 if after and line in starts else line
    kept = ["\n" if line <= at <= last else content for at, content in enumerate(lines, 1)]
    return "".join(kept)


def _in_folder(extra: Path | None, language: str) -> tuple[list[Path], list[Path]]:
    inner = folder_of(language)
    if extra is None:
        return data_files("templates", None, inner), data_files("identity_terms", None, inner)
    if any((extra / name).is_dir() for name in DATA_FOLDERS):
        templates, terms = (sorted((extra / name / inner).glob("*.csv")) for name in DATA_FOLDERS)
        return templates, terms
    inside = sorted({*extra.glob("*.csv"), *(extra / inner).glob("*.csv")})
    files = [path for path in inside if language_of(path) == language]
    is_template = {path: _holds_templates(path) for path in files}
    return [path for path in files if is_template[path]], [path for path in files if not is_template[path]]


def _holds_templates(path: Path) -> bool:
    """Whether a file has a column of templates; a file that is not text has none, and fails when it is read."""
    try:
        return "template" in read_raw(path).header[1]
    except (OSError, UnicodeDecodeError):
        return False
