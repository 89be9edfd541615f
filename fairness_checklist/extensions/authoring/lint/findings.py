"""The findings of the linter, and the files that it reads: of a user's, copies without the rows that cannot be read."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from fairness_checklist.content.grammar.languages import LANGUAGES, folder_of, language_of
from fairness_checklist.content.templates import read_templates
from fairness_checklist.content.term_files import read_terms
from fairness_checklist.core.delimited import delimiter_of, is_comment, is_separator_line
from fairness_checklist.core.errors import InputError, OptionError
from fairness_checklist.core.locations import DATA_FOLDERS, data_files, display_path

with Path(__file__).with_name("rules.csv").open(encoding="utf-8", newline="") as rows_of_rules:
    RULES = {row["rule"]: row["level"] for row in csv.DictReader(rows_of_rules)}
WARNINGS = frozenset(rule for rule, level in RULES.items() if level == "warning")
"""Rules whose findings ask for a second look and are no errors."""

_MAX_BROKEN_ROWS = 200  # a file with more of them is of another kind


@dataclass(frozen=True)
class LintFinding:
    """An error or warning of `lint`."""

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
    return LintFinding(error.place or place, "parse", " ".join([error.message, *error.remedy.split()]))


@dataclass(frozen=True, eq=False)
class Files:
    """The files of templates and of terms in one language that can be read."""

    templates: list[Path]
    terms: list[Path]
    language: str
    more_templates: list[Path] | None  # the user's, read in addition to the shipped files; None of the shipped files
    more_terms: list[Path] | None  # likewise
    unreadable: list[LintFinding]  # the reasons why other files cannot be read
    has_unreadable_terms: bool  # whether a file of terms cannot be read, so that templates cannot be filled

    def holds(self, place: str) -> bool:
        """Whether a place is in one of these files."""
        return place.rpartition(":")[0] in self._names

    @cached_property
    def _names(self) -> frozenset[str]:
        return frozenset(display_path(path) for path in (*self.templates, *self.terms))


def find_files(folder: str | Path | None, language: str, scratch: Path) -> list[Files]:
    """The files to read, a language at a time; of a user's files copies in ``scratch`` with empty unreadable rows."""
    extra = Path(folder).expanduser() if folder is not None else None
    if extra is not None and not extra.is_dir():
        raise OptionError(f"the folder {str(extra)!r} does not exist.", remedy="Give a folder with CSV files in it.")
    found = []
    for code in [language] if language else LANGUAGES:
        templates, terms = in_folder = _in_folder(extra, code)
        errors: list[LintFinding] = []
        if extra is not None:
            templates = _readable_copies(templates, read_templates, extra, scratch, errors)
            terms = _readable_copies(terms, read_terms, extra, scratch, errors)
        if any(in_folder):
            files = Files(
                templates,
                terms,
                code,
                more_templates=None if extra is None else templates,
                more_terms=None if extra is None else terms,
                unreadable=errors,
                has_unreadable_terms=len(terms) < len(in_folder[1]),
            )
            found.append(files)
    if extra is not None and not found:
        raise OptionError(f"{str(extra)!r} holds no CSV file.", remedy="Give a folder with CSV files in it.")
    return found


def about_original(finding: LintFinding, folder: str | Path | None, scratch: Path) -> LintFinding:
    """A finding about a copy as one about the user's file."""
    if folder is None:
        return finding
    extra = Path(folder).expanduser()
    copies, originals = (str(start / "x")[:-1] for start in (scratch / extra.name, extra))
    place, message = (text.replace(copies, originals) for text in (finding.place, finding.message))
    return replace(finding, place=place, message=message)


def _readable_copies(
    paths: Sequence[Path], read: Callable[[Path], object], extra: Path, scratch: Path, errors: list[LintFinding]
) -> list[Path]:
    """Copies of those files that can be read without some rows; the reasons against rows and files go to ``errors``."""
    readable = []
    for path in paths:
        copy = scratch / extra.name / path.relative_to(extra)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(path.read_bytes())
        errors_in_file: list[LintFinding] = []
        while len(errors_in_file) < _MAX_BROKEN_ROWS:
            try:
                read(copy)
            except InputError as error:
                errors_in_file.append(parse_finding(error, str(copy)))
            else:
                readable.append(copy)
                break
            header, line = header_of(copy)[0], errors_in_file[-1].order[1]
            if not header or line <= header:
                is_empty = len(errors_in_file) > 1 and not line  # no row is left, which the other findings say
                errors_in_file = errors_in_file[:-1] if is_empty else errors_in_file
                break
            copy.write_bytes(_without_row(copy.read_bytes().decode("utf-8"), line, header).encode("utf-8"))
        errors += errors_in_file
    return readable


def _without_row(text: str, line: int, header: int) -> str:
    """A text with the record that starts on this line emptied; of a quote that is never closed only its first line."""
    lines = text.splitlines(keepends=True)
    reader = csv.reader(lines[line - 1 :], delimiter=delimiter_of(lines[header - 1]), strict=True)
    try:
        next(reader)
        end = line - 1 + reader.line_num
    except csv.Error:
        end = line
    return "".join([*lines[: line - 1], *["\n"] * (end - line + 1), *lines[end:]])


def _in_folder(extra: Path | None, language: str) -> tuple[list[Path], list[Path]]:
    """The files of templates and those of terms, shipped or in a folder of the user's."""
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
