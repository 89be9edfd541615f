"""The linter's entry: every rule over every file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from fairness_checklist.content.fills import Lists
from fairness_checklist.content.templates import read_templates
from fairness_checklist.content.term_files import read_terms
from fairness_checklist.extensions.authoring.lint.findings import Files, LintFinding, find_files
from fairness_checklist.extensions.authoring.lint.sentence_rules import lint_fills
from fairness_checklist.extensions.authoring.lint.template_rules import lint_templates
from fairness_checklist.extensions.authoring.lint.term_rules import lint_terms


def lint(folder: str | Path | None = None, *, lists: Lists | None = None, language: str = "") -> list[LintFinding]:
    """Check templates and identity terms for errors.

    Args:
        folder: a user's folder, with ``templates`` and ``identity_terms`` in it or the files themselves; its files are
            read together with the shipped ones, and only its own errors are reported. By default the shipped files.
        lists: the values of user-defined slots, as in `Suite.build`.
        language: only the files in this language; by default those of all languages.

    Returns:
        The findings, file by file and line by line; an empty list without errors.

    Raises:
        OptionError: no such folder, or no CSV file in it.
    """
    with TemporaryDirectory() as scratch:
        findings = dict.fromkeys(
            files.original(finding)
            for files in find_files(folder, language, Path(scratch))
            for finding in _findings(files, lists)
        )
    return sorted(findings, key=lambda finding: finding.order)


def _findings(files: Files, lists: Lists | None) -> Iterator[LintFinding]:
    yield from files.unreadable
    for path in files.terms:
        yield from lint_terms(path, files.more_terms)
    for path in files.templates:
        yield from lint_templates(path, tuple(lists or ()), files.more_terms)
    if not files.has_unreadable_terms and (files.is_user or not files.unreadable):
        yield from lint_fills(files, lists)


def count_checked(folder: str | Path | None = None, *, language: str = "") -> tuple[int, int]:
    """The number of templates and terms that `lint` checks in a folder, without rows that do not parse."""
    with TemporaryDirectory() as scratch:
        by_language = find_files(folder, language, Path(scratch))
        templates = sum(len(read_templates(path)) for files in by_language for path in files.templates)
        return templates, sum(len(read_terms(path)) for files in by_language for path in files.terms)
