"""The files that the templates and terms of a part come from; of a saved suite ours, where its rows are ours."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from fairness_checklist.grammar import folder_of
from fairness_checklist.identity import IdentityTerm
from fairness_checklist.locations import data_files
from fairness_checklist.suites.parts import Part
from fairness_checklist.suites.sidecars import file_of
from fairness_checklist.templates import Template, read_templates
from fairness_checklist.terms import read_terms

__all__ = ["template_files", "term_files"]


def template_files(part: Part) -> set[str]:
    """The files of a part's templates, as rows name them; those given in memory have none.

    >>> from fairness_checklist.suites.building import build_part
    >>> sorted(template_files(build_part("placebo", task="sentiment")))
    ['templates/generic.csv']
    """
    files = {file_of(one.place) for one in part.templates} - {""}
    if not any(map(_is_saved, files)):
        return files
    shipped = _by_text(
        one
        for path in data_files("templates", None, folder_of(part.terms.language))
        for one in read_templates(path, language=part.terms.language)
    )
    return {shipped.get((one.id, one.text), file_of(one.place)) for one in part.templates} - {""}


def term_files(part: Part) -> set[str]:
    """The files of a part's terms; of an intersection those of both attributes.

    >>> from fairness_checklist.suites.building import build_part
    >>> term_files(build_part("placebo", task="sentiment"))
    {'identity_terms/placebo.csv'}
    """
    crossed = part.crossed
    lists = (crossed.first, crossed.second) if crossed else (part.terms,)
    found: set[str] = set()
    for one in lists:
        shipped = {
            _key(term): file_of(term.place)
            for path in data_files("identity_terms", None, folder_of(one.language))
            if path.stem == one.attribute and any(_is_saved(file_of(term.place)) for term in one.terms)
            for term in read_terms(path, one.language).terms
        }
        found |= {shipped.get(_key(term), file_of(term.place)) for term in one.terms}
    return found - {""}


def _is_saved(file: str) -> bool:
    """Whether a file is one of a suite that was saved."""
    return any((folder / "suite.json").is_file() for folder in list(Path(file).parents)[1:3])


def _by_text(templates: Iterable[Template]) -> dict[tuple[str, str], str]:
    return {(one.id, one.text): file_of(one.place) for one in templates}


def _key(term: IdentityTerm) -> tuple[str, str, str]:
    return term.term, term.group, term.pos
