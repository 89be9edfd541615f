"""The findings of the linter, and the files that it reads."""

import csv
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from fairness_checklist.content.grammar.languages import LANGUAGES, folder_of, language_of
from fairness_checklist.content.templates import read_templates
from fairness_checklist.content.term_files import read_terms
from fairness_checklist.core.delimited import delimiter_of, is_comment, is_separator_line
from fairness_checklist.core.errors import InputError, OptionError
from fairness_checklist.core.locations import DATA_FOLDERS, csv_files, data_files, display_path

with Path(__file__).with_name("rules.csv").open(encoding="utf-8", newline="") as rows_of_rules:
    RULES = {row["rule"]: row["level"] for row in csv.DictReader(rows_of_rules)}
WARNINGS = frozenset(rule for rule, level in RULES.items() if level == "warning")
"""Rules whose findings ask for a second look and are no errors."""


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


def find_files(folder: str | Path | None, language: str) -> list[Files]:
    """The files to read, a language at a time."""
    extra = Path(folder).expanduser() if folder is not None else None
    if extra is not None and extra.is_file():
        raise OptionError(f"{str(extra)!r} is a file; expected a folder.", remedy=f"Give its folder: {extra.parent}")
    if extra is not None and not extra.is_dir():
        raise OptionError(f"the folder {str(extra)!r} does not exist.", remedy="Give a folder with CSV files in it.")
    found = []
    for code in [language] if language else LANGUAGES:
        in_folder = _in_folder(extra, code)
        errors: list[LintFinding] = []
        templates = _readable(in_folder[0], read_templates, errors)
        terms = _readable(in_folder[1], read_terms, errors)
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


def _readable(paths: Sequence[Path], read: Callable[[Path], object], errors: list[LintFinding]) -> list[Path]:
    """Those of the files that can be read; the first reason against each of the others goes to ``errors``."""
    readable = []
    for path in paths:
        try:
            read(path)
        except InputError as error:
            errors.append(parse_finding(error, display_path(path)))
        else:
            readable.append(path)
    return readable


def _in_folder(extra: Path | None, language: str) -> tuple[list[Path], list[Path]]:
    """The files of templates and those of terms, shipped or in a folder of the user's."""
    inner = folder_of(language)
    if extra is None:
        return data_files("templates", None, inner), data_files("identity_terms", None, inner)
    if any((extra / name).is_dir() for name in DATA_FOLDERS):
        templates, terms = (csv_files(extra / name / inner) for name in DATA_FOLDERS)
        return templates, terms
    inside = sorted({*csv_files(extra), *csv_files(extra / inner)})
    files = [path for path in inside if language_of(path) == language]
    is_template = {path: "sentence" in header_of(path)[1] for path in files}
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
