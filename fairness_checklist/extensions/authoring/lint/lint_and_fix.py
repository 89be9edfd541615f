"""The linter's entry: every rule over every file."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from fairness_checklist.content.fills import Lists
from fairness_checklist.content.grammar.english_articles import article
from fairness_checklist.content.grammar.languages import DEFAULT, language_of
from fairness_checklist.content.templates import read_templates
from fairness_checklist.content.term_files import read_terms
from fairness_checklist.core.atomic import atomic_file
from fairness_checklist.core.errors import OptionError
from fairness_checklist.core.formatting import capitalise
from fairness_checklist.core.locations import display_path
from fairness_checklist.extensions.authoring.lint.file_rules import lint_templates, lint_terms
from fairness_checklist.extensions.authoring.lint.findings import FileCell, Files, LintFinding, find_files, read_raw
from fairness_checklist.extensions.authoring.lint.sentence_faults import DOUBLED, RULES_OF_LANGUAGE
from fairness_checklist.extensions.authoring.lint.sentence_rules import lint_fills


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


_ROUNDS = 6
_SLOT = re.compile(r"(\{[^{}]*\})")
_AN = re.compile(r"\{([Aa])n:")
_BEFORE_SLOT = re.compile(
    r"\b([Aa])n? \{((?:identity[1-9]?_(?:np|adj)|identity[1-9]?\.[\w'\u2019-]+|(?:country|religion)[1-9]?_adj))\}"
)
_LITERAL = re.compile(r"\b([Aa]n?) (?=([\w$£€][\w,.'\u2019-]*))")


@dataclass(frozen=True)
class Fix:
    """A cell that was changed."""

    place: str  # file and line
    before: str  # before, after: its text before and after the correction
    after: str

    def __str__(self) -> str:
        return f"{self.place}: {self.before!r} is now {self.after!r}"


def autofix(
    folder: str | Path | None, *, lists: Lists | None = None, language: str = ""
) -> tuple[list[Fix], list[LintFinding]]:
    """Correct the findings of `lint` that a rule can correct, cell by cell; the rest of the files is unchanged.

    Raises:
        OptionError: no folder is named, it holds no CSV file, or a file cannot be written.
    """
    if folder is None:
        raise OptionError("no folder is given.", remedy="Write: lint --fix FOLDER.")
    changed: list[Fix] = []
    for _round in range(_ROUNDS):
        findings = lint(folder, lists=lists, language=language)
        done = _fix_files(findings, {display_path(path): path for path in _paths(folder, language)})
        changed += done
        if not done:
            break
    return _merge_fixes(changed), findings


def _paths(folder: str | Path, language: str) -> Iterator[Path]:
    for files in find_files(folder, language):
        yield from (*files.templates, *files.terms, *(Path(finding.order[0]) for finding in files.unreadable))


def _merge_fixes(fixes: Iterable[Fix]) -> list[Fix]:
    """Several changes of one cell as one."""
    merged: list[Fix] = []
    for fix in fixes:
        at = next((at for at, other in enumerate(merged) if (other.place, other.after) == (fix.place, fix.before)), -1)
        if at < 0:
            merged.append(fix)
        else:
            merged[at] = replace(merged[at], after=fix.after)
    return merged


def _fix_files(findings: Iterable[LintFinding], paths: dict[str, Path]) -> list[Fix]:
    by_file: dict[Path, dict[int, list[LintFinding]]] = {}
    for finding in findings:
        name, line = finding.order
        if line and name in paths:
            by_file.setdefault(paths[name], {}).setdefault(line, []).append(finding)
    return [fix for path, lines in by_file.items() for fix in _fix_file(path, lines)]


def _fix_file(path: Path, lines: dict[int, list[LintFinding]]) -> list[Fix]:
    try:
        file = read_raw(path)
    except UnicodeDecodeError:
        return []
    text, changed = file.text, []
    for line in sorted(lines, reverse=True):  # from the end, so that places in front of it stay
        for column, cell in sorted(file.rows.get(line, {}).items(), key=lambda pair: -pair[1].start):
            after = _fixed_cell(cell, column, lines[line], language_of(path))
            if after != cell.text:
                text = text[: cell.start] + cell.written(after, file.delimiter) + text[cell.end :]
                changed.append(Fix(f"{display_path(path)}:{line}", cell.text, after))
    if changed:
        with atomic_file(path) as scratch:
            scratch.write_bytes(text.encode("utf-8"))
    return changed[::-1]


def _fixed_cell(cell: FileCell, column: str, findings: Iterable[LintFinding], language: str) -> str:
    """The cell as it should be, by the rules of which something was found in its row."""
    rules = {finding.rule for finding in findings}
    text = cell.text
    if column in {"pos", "status"} and "term" in rules:
        return text.lower()
    if column != "template":
        return text
    unread = " ".join(finding.message for finding in findings if finding.rule == "parse")
    if "form 'an'" in unread:
        text = _AN.sub(r"{\1:", text)
    if "has a space in it" in unread:
        text = _SLOT.sub(lambda slot: re.sub(r"\s+", "", slot[0]), text)
    for rule, change in _CHANGES.items():
        if rule in rules:
            text = change(text, language)
    for finding in findings:
        if finding.rule == "capital":
            text = _slot_case(text, finding.message)
    return text


def _slot_case(text: str, message: str) -> str:
    """The text with the slot or word of a finding written as its message suggests."""
    word = re.match(r"'([\w']+)' (?:is written with a capital|after a full stop begins)", message)
    if word is not None:
        stop = r"(?<=[.!?] )" if "full stop" in message else r"\b"
        return re.sub(rf"{stop}{re.escape(word[1])}\b(?![^{{]*\}})", capitalise(word[1]), text, count=1)
    slot = re.search(r"(\{[^{}]+\}) (?:is inside|comes after) .*: write (\{[^{}]+\})", message)
    if slot is None:
        return text
    place = r"(?<!^)" if " inside " in message else r"(?<=[.!?] )"
    return re.sub(place + re.escape(slot[1]), slot[2], text, count=1)


def _in_literals(change: Callable[[str], str], text: str) -> str:
    """A text with the words between its slots changed."""
    return "".join(part if part.startswith("{") else change(part) for part in _SLOT.split(text))


def _spaces(text: str, language: str) -> str:
    return re.sub(r" (?![:;]-?[()DP])([,;:!?]|\.(?![\d.]))", r"\1", re.sub(r"  +", " ", text)).strip()


def _doubled(text: str, language: str) -> str:
    kept = RULES_OF_LANGUAGE[language].may_repeat
    once = partial(DOUBLED.sub, lambda pair: pair[0] if pair[1].lower() in kept else pair[1])
    return _in_literals(once, text)


def _articles(text: str, language: str) -> str:
    def a_or_an(match: re.Match[str]) -> str:
        return f"{capitalise(article(match[2])) if match[1][0] == 'A' else article(match[2])} "

    if language != DEFAULT:
        return text
    return _in_literals(partial(_LITERAL.sub, a_or_an), _BEFORE_SLOT.sub(r"{\1:\2}", text))


def _start_capital(text: str, language: str) -> str:
    """A capital where the template starts."""
    if text[:1] == "{" and text[1:2].islower():
        return "{" + text[1].upper() + text[2:]
    letters = text.lstrip(RULES_OF_LANGUAGE[language].openers)
    return text[: len(text) - len(letters)] + capitalise(letters) if letters[:1].islower() else text


_CHANGES: dict[str, Callable[[str, str], str]] = {
    "spacing": _spaces,
    "doubled": _doubled,
    "article": _articles,
    "capital": _start_capital,
}
