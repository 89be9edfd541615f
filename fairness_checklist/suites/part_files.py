"""The parts of a suite as files: saving and loading them."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from fairness_checklist.content.grammar.languages import DEFAULT, folder_of
from fairness_checklist.content.templates import TEMPLATE_COLUMNS, Template, read_templates
from fairness_checklist.content.term_files import TERM_COLUMNS, read_terms
from fairness_checklist.content.terms import IdentityTerm
from fairness_checklist.core.atomic import atomic_folder, check_replaceable_folder, restore_folder
from fairness_checklist.core.delimited import write_rows
from fairness_checklist.core.errors import SuiteError
from fairness_checklist.core.locations import check_file_name, is_file_name
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
    check_replaceable_folder(
        folder, "suite.json", "a suite", SuiteError, files=("templates", "identity_terms", "card.md")
    )


def save_parts(parts: Sequence[Part], folder: str | Path, card: str) -> Path:
    """Write a suite as text: ``suite.json``, templates, terms and ``card.md``; whole or not at all."""
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
            ids = {"not_applicable": list(part.not_applicable), "own_templates": sorted(part.own_templates)}
            described.append({"task": part.task, **part.describe(), **ids})
        content = {"version": _VERSION, "parts": described}
        (scratch / "suite.json").write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
        (scratch / "card.md").write_text(card, encoding="utf-8", newline="\n")
    return folder


def _write(path: Path, columns: Sequence[str], records: Sequence[Template | IdentityTerm]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        write_rows(file, [columns, *(cells(record, columns) for record in records)])


def load_parts(folder: str | Path) -> tuple[Part, ...]:
    """Read a saved suite; its texts come out the same."""
    folder = Path(folder)
    restore_folder(folder)
    parts = []
    for described in _read_descriptions(folder):
        name, language = described["attribute"], folder_of(described.get("language", DEFAULT))
        files = [f"{name}.csv"] if "intersection" not in described else [f"{name}.1.csv", f"{name}.2.csv"]
        terms = [read_terms(_inside(folder, "identity_terms", language, file)) for file in files]
        if len(terms) == 2:
            both = zip(terms, described["intersection"], strict=True)
            terms = [replace(listed, attribute=attribute) for listed, attribute in both]
        sources = described.get("sources")
        part = make_part(
            read_templates(_inside(folder, "templates", language, f"{name}.csv")),
            *terms,
            task=described["task"],
            lists=described["lists"],
            max_sources=max(MAX_SOURCES, sources if isinstance(sources, int) else 0),
        )
        part = replace(
            part,
            not_applicable=tuple(described.get("not_applicable", ())),
            own_templates=frozenset(described.get("own_templates", ())),
        )
        now, file = part.describe(), "/".join(filter(None, (language, f"{name}.csv")))
        for changed in (where for key, where in _HASHES.items() if now[key] != described[key]):
            raise SuiteError(
                f"{changed.format(file)} was changed after the suite was saved.",
                place=folder.name,
                remedy="Build the suite anew, or give the files with templates= and terms=.",
            )
        parts.append(part)
    return tuple(parts)


def _inside(folder: Path, *names: str) -> Path:
    """A file of the folder; a suite from another source must not read other files, by a link for instance."""
    path = folder.joinpath(*names)
    if not path.resolve().is_relative_to(folder.resolve()):
        raise SuiteError(
            f"suite.json names {path.relative_to(folder).as_posix()!r}, which is not inside of the suite's folder.",
            place=folder.name,
            remedy="Its files lie in templates and identity_terms; build and save it again.",
        )
    return path


def _is_part(part: object) -> bool:
    """Whether an entry of ``suite.json`` has what a part needs, each of its kind; names are those of files."""
    if not isinstance(part, dict) or not set(part) >= _DESCRIBED:
        return False
    both, lists = part.get("intersection", ["", ""]), part["lists"]
    texts = [part["task"], part["attribute"], part.get("language", DEFAULT), *(both if isinstance(both, list) else [0])]
    ids = [part.get("not_applicable", []), part.get("own_templates", [])]
    return (
        all(isinstance(text, str) for text in texts)
        and len(texts) == 5
        and is_file_name(part["attribute"])
        and isinstance(lists, dict)
        and all(isinstance(names, list) and all(isinstance(name, str) for name in names) for names in ids)
    )


def _read_descriptions(folder: Path) -> list[dict[str, Any]]:
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
    return parts
