"""The template and term files that a part of a suite comes from, and the sidecars in which authors describe them."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fairness_checklist.content.grammar.languages import folder_of
from fairness_checklist.content.templates import read_templates
from fairness_checklist.content.term_files import read_terms
from fairness_checklist.content.terms import IdentityTerm
from fairness_checklist.core.errors import SuiteError, did_you_mean
from fairness_checklist.core.locations import DATA_FOLDERS, data_files, display_path, shipped_folder
from fairness_checklist.suites.parts import Part


@dataclass(frozen=True, eq=False)
class Sidecar:
    """The description of a file of templates or terms by its authors; missing fields are empty."""

    about: str = ""  # its content, and the source of its categories
    sources: tuple[str, ...] = ()  # where it comes from
    review: str = ""  # what kind of review it has had
    gaps: tuple[str, ...] = ()  # what is known to be missing
    # the review in numbers: who labelled how many rows blind, how many labels agree, how natural texts are
    reading: Mapping[str, str | int | float] = field(default_factory=dict)
    # the share of easy and of hard templates that a measure gets right
    difficulty: Mapping[str, str | int | float] = field(default_factory=dict)
    # the answers of readers from outside, see `review`
    community: Mapping[str, Any] = field(default_factory=dict)


_READING = {
    "readers": str,
    "date": str,
    "labels": int,
    "labels_agree": int,
    "reworded": int,
    "texts": int,
    "naturalness": float,
    "communities": int,
}
_DIFFICULTY = {"by": str, "easy": float, "easy_templates": int, "hard": float, "hard_templates": int}
_COMMUNITY = {
    "date": str,
    **dict.fromkeys(("readers", "members", "terms", "of_terms"), int),
    **dict.fromkeys(("used", "offensive", "plausible", "agreement"), float),
    "reconsider": list,
}
_KINDS: dict[str, Any] = {
    "about": str,
    "sources": list,
    "review": str,
    "gaps": list,
    "reading": _READING,
    "difficulty": _DIFFICULTY,
    "community": _COMMUNITY,
}
"""The kind of value of each key of a sidecar; of a table the kinds of its keys."""
_KIND_TEXTS = {str: 'a text: "..."', list: 'a list of texts: ["...", "..."]', int: "a whole number", float: "a number"}


def read_sidecar(path: Path) -> Sidecar | None:
    """The description of a CSV file in its sidecar; None without a sidecar."""
    neighbour = path.with_suffix(".toml")
    if not neighbour.is_file():
        return None
    shown = display_path(neighbour)
    try:
        content = tomllib.loads(neighbour.read_text(encoding="utf-8-sig"))
    except ValueError as problem:  # TOML that does not parse, or bytes that are not UTF-8
        raise SuiteError(
            f"the file does not parse: {problem}.", place=shown, remedy='Write it in TOML: about = "..."'
        ) from problem
    _check_values(content, _KINDS, shown)

    def plain(value: Any) -> Any:
        if isinstance(value, list):
            return tuple(map(plain, value))
        return " ".join(value.split()) if isinstance(value, str) else value

    return Sidecar(**{name: plain(value) for name, value in content.items()})


def _check_values(table: Mapping[str, Any], kinds: Mapping[str, Any], place: str, within: str = "") -> None:
    """Raise unless a sidecar, or a table in it, has known keys alone, each with a value of its kind."""
    for key, value in table.items():
        if key not in kinds:
            raise SuiteError(
                f"the key {key!r} is not known.",
                place=place,
                remedy=f"Known keys: {', '.join(kinds)}.{did_you_mean(key, kinds)}",
            )
        kind, name = kinds[key], f"{within}{key}"
        if isinstance(kind, dict) and isinstance(value, dict):
            _check_values(value, kind, place, f"{key}.")
            continue
        if isinstance(kind, dict):
            fits, remedy = False, f"Write it as a table: [{name}]."
        else:
            fits = isinstance(value, (int, float) if kind is float else kind) and not isinstance(value, bool)
            fits = fits and (kind is not list or all(isinstance(text, str) for text in value))
            remedy = f"Give {_KIND_TEXTS[kind]}."
        if not fits:
            raise SuiteError(f"the value of {name} is {value!r}.", place=place, remedy=remedy)


def file_of(place: str) -> str:
    """The file of a row's place, "" of rows that were given in memory.

    >>> file_of("templates/gender.csv:7"), file_of("template-001")
    ('templates/gender.csv', '')
    """
    file, _, line = place.rpartition(":")
    return file if line.isdigit() and file.lower().endswith(".csv") else ""


def path_of(file: str) -> Path:
    """The path of a file that is named as in error locations: in the shipped folder, or a user's file as given.

    >>> path_of("templates/gender.csv").is_file()
    True
    """
    first = Path(file).parts[0]
    folder = shipped_folder(first) if first in DATA_FOLDERS else None
    ours = folder.parent / file if folder else None
    return ours if ours is not None and ours.is_file() else Path(file)


def template_files(part: Part) -> set[str]:
    """The files of a part's templates, as rows name them; those given in memory have none."""
    files = {file_of(template.place) for template in part.templates} - {""}
    if not any(map(_is_saved, files)):
        return files
    shipped = {
        (template.id, template.text): file_of(template.place)
        for path in data_files("templates", None, folder_of(part.terms.language))
        for template in read_templates(path, language=part.terms.language)
    }
    return {shipped.get((own.id, own.text), file_of(own.place)) for own in part.templates} - {""}


def term_files(part: Part) -> set[str]:
    """The files of a part's terms; of an intersection those of both attributes.

    >>> from fairness_checklist.suites.build import build_part
    >>> term_files(build_part("placebo", task="sentiment"))
    {'identity_terms/placebo.csv'}
    """
    files: set[str] = set()
    for chosen in part.chosen:
        shipped = {
            _key(term): file_of(term.place)
            for path in data_files("identity_terms", None, folder_of(chosen.language))
            if path.stem == chosen.attribute and any(_is_saved(file_of(term.place)) for term in chosen.terms)
            for term in read_terms(path, chosen.language).terms
        }
        files |= {shipped.get(_key(term), file_of(term.place)) for term in chosen.terms}
    return files - {""}


def _is_saved(file: str) -> bool:
    """Whether a file is one of a suite that was saved."""
    return any((folder / "suite.json").is_file() for folder in list(Path(file).parents)[1:3])


def _key(term: IdentityTerm) -> tuple[str, str, str]:
    return term.term, term.group, term.pos
