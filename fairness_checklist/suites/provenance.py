"""The files that the templates and terms of a part come from; for a saved suite the shipped files of its rows."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from dataclasses import dataclass, fields
from pathlib import Path

from fairness_checklist.content.grammar.languages import folder_of
from fairness_checklist.content.templates import Template, read_templates
from fairness_checklist.content.term_files import read_terms
from fairness_checklist.content.terms import IdentityTerm
from fairness_checklist.core.errors import SuiteError, did_you_mean
from fairness_checklist.core.locations import DATA_FOLDERS, data_files, display_path, shipped_folder
from fairness_checklist.suites.parts import Part


@dataclass(frozen=True)
class Sidecar:
    """The description of a file of templates or terms by its authors; missing fields are empty.

    Attributes:
        about: its content, and the source of its categories.
        sources: where it comes from.
        review: what kind of review it has had.
        gaps: what is known to be missing.

    >>> Sidecar().gaps
    ()
    """

    about: str = ""
    sources: tuple[str, ...] = ()
    review: str = ""
    gaps: tuple[str, ...] = ()


_TEXTS, _LISTS = ("about", "review"), ("sources", "gaps")
_KEYS = tuple(field.name for field in fields(Sidecar))


def read_sidecar(path: Path) -> Sidecar | None:
    """The description of a CSV file in its sidecar; None without a sidecar.

    Raises:
        SuiteError: it is not TOML, has an unknown key, or a value of another kind.

    >>> read_sidecar(Path("nowhere/diet.csv")) is None
    True
    """
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
    for key, value in content.items():
        if key not in _KEYS:
            raise SuiteError(
                f"the key {key!r} is not known.",
                place=shown,
                remedy=f"Known keys: {', '.join(_KEYS)}.{did_you_mean(key, _KEYS)}",
            )
        is_list = isinstance(value, list) and all(isinstance(one, str) for one in value)
        if not (is_list if key in _LISTS else isinstance(value, str)):
            what = 'a list of texts: ["...", "..."]' if key in _LISTS else 'a text: "..."'
            raise SuiteError(f"the value of {key} is {value!r}.", place=shown, remedy=f"Give {what}.")
    texts = {key: " ".join(content.get(key, "").split()) for key in _TEXTS}
    lists = {key: tuple(" ".join(one.split()) for one in content.get(key, ())) for key in _LISTS}
    return Sidecar(texts["about"], lists["sources"], texts["review"], lists["gaps"])


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
    """The files of a part's templates, as rows name them; those given in memory have none.

    >>> from fairness_checklist.suites.build import build_part
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

    >>> from fairness_checklist.suites.build import build_part
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
