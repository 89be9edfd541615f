"""The linter's entry: every rule over every file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from fairness_checklist.counterfactuals import Lists
from fairness_checklist.lint.files import Files, find_files
from fairness_checklist.lint.fills import lint_fills
from fairness_checklist.lint.finding import Finding
from fairness_checklist.lint.templates import lint_templates
from fairness_checklist.lint.terms import lint_terms
from fairness_checklist.templates import read_templates
from fairness_checklist.terms import read_terms

__all__ = ["checked", "lint"]


def lint(folder: str | Path | None = None, *, lists: Lists | None = None, language: str = "") -> list[Finding]:
    """Look at every template and every term file.

    Args:
        folder: a folder of one's own, with ``templates`` and ``identity_terms`` in it or the files themselves; its
            files are read together with ours, and only its own faults are told. Ours by default.
        lists: the values of slots of one's own, as in `Suite.build`.
        language: only the files in this language; by default those of all.

    Returns:
        What is wrong, file by file and line by line; an empty list where nothing is.

    Raises:
        OptionError: no such folder, or no CSV file in it.
    """
    found = dict.fromkeys(one for files in find_files(folder, language) for one in _findings(files, lists))
    return sorted(found, key=lambda finding: finding.order)


def _findings(files: Files, lists: Lists | None) -> Iterator[Finding]:
    yield from files.unread
    for path in files.terms:
        yield from lint_terms(path)
    for path in files.templates:
        yield from lint_templates(path, tuple(lists or ()))
    if not files.terms_unread and (files.own or not files.unread):
        yield from lint_fills(files, lists)


def checked(folder: str | Path | None = None, *, language: str = "") -> tuple[int, int]:
    """How many templates and terms `lint` looks at in a folder; of files that do not parse none.

    >>> min(checked()) > 50
    True
    """
    found = find_files(folder, language)
    templates = sum(len(read_templates(path)) for files in found for path in files.templates)
    return templates, sum(len(read_terms(path)) for files in found for path in files.terms)
