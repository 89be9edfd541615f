"""Which files are looked at: ours, or those in a folder of the user's."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from fairness_checklist.errors import InputError, OptionError
from fairness_checklist.grammar import LANGUAGES, folder_of, language_of
from fairness_checklist.lint.cells import raw
from fairness_checklist.lint.finding import Finding, unreadable
from fairness_checklist.locations import DATA_FOLDERS, data_files, shown_path
from fairness_checklist.templates import read_templates
from fairness_checklist.terms import read_terms

__all__ = ["Files", "find_files"]


@dataclass(frozen=True)
class Files:
    """The files of templates and of terms in one language.

    Attributes:
        templates, terms: those that can be read.
        language: theirs.
        own: whether they are the user's and are read together with ours.
        unread: why others cannot be.
        terms_unread: whether a file of terms is among them, so that templates cannot be filled.
    """

    templates: tuple[Path, ...]
    terms: tuple[Path, ...]
    language: str
    own: bool
    unread: tuple[Finding, ...] = ()
    terms_unread: bool = False

    @property
    def more_templates(self) -> list[Path] | None:
        """What is read together with our templates."""
        return list(self.templates) if self.own else None

    @property
    def more_terms(self) -> list[Path] | None:
        """What is read together with our terms."""
        return list(self.terms) if self.own else None

    def holds(self, place: str) -> bool:
        """Whether a place is in one of these files."""
        return place.rpartition(":")[0] in self._shown

    @cached_property
    def _shown(self) -> frozenset[str]:
        return frozenset(shown_path(path) for path in (*self.templates, *self.terms))


def find_files(folder: str | Path | None, language: str = "") -> list[Files]:
    """The files to look at, a language at a time.

    Args:
        folder: the user's: with ``templates`` and ``identity_terms`` in it, or one of the two, or the files themselves.
        language: only of this one.

    Raises:
        OptionError: no such folder, or no CSV file in it.

    >>> [files.language for files in find_files(None, "es")]
    ['es']
    """
    extra = Path(folder).expanduser() if folder is not None else None
    if extra is not None and not extra.is_dir():
        raise OptionError(f"the folder {str(extra)!r} does not exist.", remedy="Give a folder with CSV files in it.")
    found = [_readable(extra, code) for code in ([language] if language else LANGUAGES)]
    kept = [files for files in found if files.templates or files.terms or files.unread]
    if extra is not None and not kept:
        raise OptionError(f"{str(extra)!r} holds no CSV file.", remedy="Give a folder with CSV files in it.")
    return kept


def _readable(extra: Path | None, language: str) -> Files:
    templates, terms = _in_folder(extra, language)
    unread: list[Finding] = []
    count = len(terms)
    for paths, read in ((templates, read_templates), (terms, read_terms)):
        for path in list(paths):
            try:
                read(path)
            except InputError as error:
                unread.append(unreadable(error, shown_path(path)))
                paths.remove(path)
    return Files(tuple(templates), tuple(terms), language, extra is not None, tuple(unread), len(terms) < count)


def _in_folder(extra: Path | None, language: str) -> tuple[list[Path], list[Path]]:
    """The files of templates and of terms."""
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
    """Whether a file has a column of templates; one that is no text has none, and says so when it is read."""
    try:
        return "template" in raw(path).header[1]
    except (OSError, UnicodeDecodeError):
        return False
