"""The findings of the linter, and the files that it reads: a copy without the rows that cannot be read."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from fairness_checklist.content.grammar.languages import LANGUAGES, folder_of, language_of
from fairness_checklist.content.templates import read_templates
from fairness_checklist.content.term_files import read_terms
from fairness_checklist.core.delimited import delimiter_of, is_comment, is_separator_line
from fairness_checklist.core.errors import InputError, OptionError
from fairness_checklist.core.locations import DATA_FOLDERS, data_files, display_path

with Path(__file__).with_name("rules.csv").open(encoding="utf-8", newline="") as rows_of_rules:
    _RULES = tuple(csv.DictReader(rows_of_rules))
RULES = {row["rule"]: row["finds"] for row in _RULES}
"""Each rule and what it finds."""

WARNINGS = frozenset(row["rule"] for row in _RULES if row["level"] == "warning")
"""Rules whose findings ask for a second look and are no errors."""

_MAX_BROKEN_ROWS = 200  # a file with more of them is of another kind


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
        place, message = finding.place, finding.message
        for copy, path in self.copies.items():
            place, message = (text.replace(display_path(copy), display_path(path)) for text in (place, message))
        return replace(finding, place=place, message=message)

    def holds(self, place: str) -> bool:
        """Whether a place is in one of these files."""
        return place.rpartition(":")[0] in self._names

    @cached_property
    def _names(self) -> frozenset[str]:
        return frozenset(display_path(path) for path in (*self.templates, *self.terms))


def find_files(folder: str | Path | None, language: str, scratch: Path) -> list[Files]:
    """The files to read, a language at a time; copies without unreadable rows are written into ``scratch``."""
    extra = Path(folder).expanduser() if folder is not None else None
    if extra is not None and not extra.is_dir():
        raise OptionError(f"the folder {str(extra)!r} does not exist.", remedy="Give a folder with CSV files in it.")
    by_language = [_readable(extra, code, scratch) for code in ([language] if language else LANGUAGES)]
    found = [files for files in by_language if files.templates or files.terms or files.unreadable]
    if extra is not None and not found:
        raise OptionError(f"{str(extra)!r} holds no CSV file.", remedy="Give a folder with CSV files in it.")
    return found


def _readable(extra: Path | None, language: str, scratch: Path) -> Files:
    templates, terms = _in_folder(extra, language)
    unreadable: list[LintFinding] = []
    copies: dict[Path, Path] = {}

    def readable(paths: Sequence[Path], read: Callable[[Path], object]) -> tuple[Path, ...]:
        found = []
        for path in paths:
            copy, is_readable, errors = _readable_copy(path, read, scratch if extra is not None else None)
            unreadable.extend(errors)
            copies[copy] = path
            found += [copy] if is_readable else []
        return tuple(found)

    template_files, term_files = readable(templates, read_templates), readable(terms, read_terms)
    return Files(
        templates=template_files,
        terms=term_files,
        language=language,
        is_user=extra is not None,
        unreadable=tuple(unreadable),
        has_unreadable_terms=len(term_files) < len(terms),
        copies=copies,
    )


def _readable_copy(
    path: Path, read: Callable[[Path], object], scratch: Path | None
) -> tuple[Path, bool, list[LintFinding]]:
    """The file, or a copy with empty lines for rows that cannot be read; whether it can be read then; the reasons."""
    findings: list[LintFinding] = []
    copy, text = path, ""
    while len(findings) < _MAX_BROKEN_ROWS:
        try:
            read(copy)
        except InputError as error:
            findings.append(parse_finding(error, display_path(copy)))
            line = findings[-1].order[1]
            if scratch is None or not line or not header_of(path)[0]:
                is_empty = len(findings) > 1 and not line  # no row is left, which the other findings say
                return copy, False, findings[:-1] if is_empty else findings
            text = _without_row(text or path.read_bytes().decode("utf-8"), line)
            inner = folder_of(language_of(path))
            copy = scratch.joinpath((path.parent.parent if inner else path.parent).name, inner, path.name)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(text.encode("utf-8"))
        else:
            return copy, True, findings
    return copy, False, findings


def _without_row(text: str, line: int) -> str:
    """A text with the record that starts on this line emptied; of a quote that is never closed only its first line."""
    lines = text.splitlines(keepends=True)
    header = next((content for content in lines if content.strip() and not is_comment(content)), "")
    reader = csv.reader(lines[line - 1 :], delimiter=delimiter_of(header), strict=True)
    try:
        next(reader)
        end = line - 1 + reader.line_num
    except csv.Error:
        end = line
    return "".join([*lines[: line - 1], *["\n"] * (end - line + 1), *lines[end:]])


def _in_folder(extra: Path | None, language: str) -> tuple[list[Path], list[Path]]:
    inner = folder_of(language)
    if extra is None:
        return data_files("templates", None, inner), data_files("identity_terms", None, inner)
    if any((extra / name).is_dir() for name in DATA_FOLDERS):
        templates, terms = (sorted((extra / name / inner).glob("*.csv")) for name in DATA_FOLDERS)
        return templates, terms
    inside = sorted({*extra.glob("*.csv"), *(extra / inner).glob("*.csv")})
    files = [path for path in inside if language_of(path) == language]
    is_template = {path: "template" in header_of(path)[1] for path in files}
    return [path for path in files if is_template[path]], [path for path in files if not is_template[path]]


def header_of(path: Path) -> tuple[int, list[str]]:
    """The line of a CSV file's header, and its columns; 0 and none where the file is no text."""
    try:
        lines = path.read_text("utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError):
        return 0, []
    for number, line in enumerate(lines, start=1):
        if line.strip() and not is_comment(line) and not is_separator_line(line):
            return number, [cell.strip().lower() for cell in next(csv.reader([line], delimiter=delimiter_of(line)))]
    return 0, []
