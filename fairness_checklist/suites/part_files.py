"""The files of the parts of a suite: saving and loading them, and the template and term files that they come from."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from fairness_checklist.content.grammar.languages import DEFAULT, folder_of
from fairness_checklist.content.templates import TEMPLATE_COLUMNS, Template, read_templates
from fairness_checklist.content.term_files import TERM_COLUMNS, read_terms
from fairness_checklist.content.terms import IdentityTerm, TermList
from fairness_checklist.core.atomic import atomic_folder, check_replaceable_folder, restore_folder
from fairness_checklist.core.delimited import write_rows
from fairness_checklist.core.errors import SuiteError, did_you_mean
from fairness_checklist.core.locations import (
    DATA_FOLDERS,
    check_file_name,
    data_files,
    display_path,
    is_file_name,
    shipped_folder,
)
from fairness_checklist.core.option_defaults import MAX_SOURCES
from fairness_checklist.suites.parts import Part, cells, make_part

_VERSION = 1
_HASHES = {
    "templates_sha256": "templates/{}",
    "terms_sha256": "identity_terms/{}",
    "lists_sha256": "the lists in suite.json",
}
_DESCRIBED = {"task", "attribute", "lists", *_HASHES}


def check_replaceable(folder: Path) -> None:
    """Raise unless the folder can be made, is empty, or is a suite that was saved before."""
    check_replaceable_folder(folder, "suite.json", "a suite", SuiteError, files=("templates", "identity_terms"))


def save_parts(parts: Sequence[Part], folder: str | Path) -> Path:
    """Write a suite as text: ``suite.json``, ``templates/*.csv`` and ``identity_terms/*.csv``; whole or not at all."""
    folder = Path(folder)
    for part in parts:
        check_file_name(part.attribute)
    check_replaceable(folder)
    with atomic_folder(folder) as scratch:
        described = []
        for part in parts:
            language = folder_of(part.terms.language)
            for name in ("templates", "identity_terms"):
                (scratch / name / language).mkdir(parents=True, exist_ok=True)
            file = "/".join(filter(None, (language, f"{part.attribute}.csv")))
            _write(scratch / "templates" / file, TEMPLATE_COLUMNS, part.templates)
            for at, terms in enumerate(part.chosen, start=1):
                own = f"{part.attribute}.{at}.csv" if part.crossed else file
                _write(scratch / "identity_terms" / own, TERM_COLUMNS, terms.terms)
            ids = list(part.not_applicable)
            described.append({"task": part.task, **part.describe(), "not_applicable": ids})
        content = {"version": _VERSION, "parts": described}
        (scratch / "suite.json").write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    return folder


def _write(path: Path, columns: Sequence[str], records: Sequence[Template | IdentityTerm]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        write_rows(file, [columns, *(cells(one, columns) for one in records)])


def load_parts(folder: str | Path) -> tuple[Part, ...]:
    """Read a saved suite; its texts come out the same."""
    folder = Path(folder)
    restore_folder(folder)
    parts = []
    for described in _read_descriptions(folder):
        language = folder_of(described.get("language", DEFAULT))
        file = "/".join(filter(None, (language, f"{described['attribute']}.csv")))
        templates = read_templates(_check_inside(folder, folder / "templates" / file))
        part = _part_of_saved(folder, language, templates, described)
        part = replace(part, not_applicable=tuple(described.get("not_applicable", ())))
        now = part.describe()
        for changed in (where for key, where in _HASHES.items() if now[key] != described[key]):
            raise SuiteError(
                f"{changed.format(file)} was changed after the suite was saved.",
                place=folder.name,
                remedy="Build the suite anew, or give the files with templates= and terms=.",
            )
        parts.append(part)
    return tuple(parts)


def _check_inside(folder: Path, path: Path) -> Path:
    """The path, if it lies inside the folder; a suite from another source must not read other files."""
    if not path.resolve().is_relative_to(folder.resolve()):
        raise SuiteError(
            f"suite.json names {path.relative_to(folder).as_posix()!r}, which is not inside of the suite's folder.",
            place=folder.name,
            remedy="Its files lie in templates and identity_terms; build and save it again.",
        )
    return path


def _part_of_saved(folder: Path, language: str, templates: Sequence[Template], described: Mapping[str, Any]) -> Part:
    """The part of a suite that templates and the terms in its folder make."""
    name, sources = described["attribute"], described.get("sources")
    most = max(MAX_SOURCES, sources if isinstance(sources, int) else 0)
    choices = {"task": described["task"], "lists": described["lists"], "max_sources": most}

    def terms(file: str) -> TermList:
        return read_terms(_check_inside(folder, folder / "identity_terms" / language / file))

    if "intersection" not in described:
        return make_part(templates, terms(f"{name}.csv"), **choices)
    first, second = (
        replace(terms(f"{name}.{at}.csv"), attribute=one) for at, one in enumerate(described["intersection"], start=1)
    )
    return make_part(templates, first, second, **choices)


def _is_part(part: object) -> bool:
    """Whether an entry of ``suite.json`` has what a part needs, each of its kind; names are those of files."""
    if not isinstance(part, dict) or not set(part) >= _DESCRIBED:
        return False
    both, lists = part.get("intersection", ["", ""]), part["lists"]
    texts = [part["task"], part["attribute"], part.get("language", DEFAULT), *(both if isinstance(both, list) else [0])]
    ids = part.get("not_applicable", [])
    return (
        all(isinstance(text, str) for text in texts)
        and len(texts) == 5
        and isinstance(lists, dict)
        and isinstance(ids, list)
    )


def _read_descriptions(folder: Path) -> list[dict[str, Any]]:
    """The entry of each part in ``suite.json``."""
    try:
        content = json.loads((folder / "suite.json").read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError) as error:
        lacks = "it has no suite.json" if folder.is_dir() else "there is no such folder"
        raise SuiteError(
            f"{folder} is not a saved suite: {lacks}.",
            remedy="Name a folder that Suite.save wrote.",
            command_remedy="Name a folder that `build` wrote.",
        ) from error
    except ValueError as error:
        raise SuiteError(f"suite.json is not readable JSON: {error}.", place=folder.name) from error
    version, parts = (content.get("version"), content.get("parts")) if isinstance(content, dict) else (None, None)
    if isinstance(version, int) and version > _VERSION:
        raise SuiteError(
            f"the suite has the version {version}; this version reads up to {_VERSION}.", place=folder.name
        )
    if not isinstance(parts, list) or not parts or not all(_is_part(part) for part in parts):
        raise SuiteError("suite.json is not that of a suite.", place=folder.name, remedy="Build and save it again.")
    for name in (part["attribute"] for part in parts if not is_file_name(part["attribute"])):
        raise SuiteError(
            f"suite.json names the attribute {name!r}, which cannot name a file in the suite's folder.",
            place=folder.name,
            remedy="Build and save it again.",
        )
    return parts


@dataclass(frozen=True, eq=False)
class Sidecar:
    """The description of a file of templates or terms by its authors; missing fields are empty.

    Attributes:
        about: its content, and the source of its categories.
        sources: where it comes from.
        review: what kind of review it has had.
        gaps: what is known to be missing.
        reading: the review in numbers: who labelled how many rows blind, how many labels agree, how natural texts are.
        difficulty: the share of easy and of hard templates that a measure gets right.
    """

    about: str = ""
    sources: tuple[str, ...] = ()
    review: str = ""
    gaps: tuple[str, ...] = ()
    reading: Mapping[str, str | int | float] = field(default_factory=dict)
    difficulty: Mapping[str, str | int | float] = field(default_factory=dict)


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
_KINDS: dict[str, Any] = {
    "about": str,
    "sources": list,
    "review": str,
    "gaps": list,
    "reading": _READING,
    "difficulty": _DIFFICULTY,
}
"""The kind of value of each key of a sidecar; of a table the kinds of its keys."""
_KIND_TEXTS = {
    str: 'a text: "..."',
    list: 'a list of texts: ["...", "..."]',
    int: "a whole number",
    float: "a number",
}


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

    def plain(text: str) -> str:
        return " ".join(text.split())

    return Sidecar(
        about=plain(content.get("about", "")),
        sources=tuple(map(plain, content.get("sources", ()))),
        review=plain(content.get("review", "")),
        gaps=tuple(map(plain, content.get("gaps", ()))),
        reading=content.get("reading", {}),
        difficulty=content.get("difficulty", {}),
    )


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
    files = {file_of(one.place) for one in part.templates} - {""}
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
