"""Terms from CSV files, from the shipped and the user's folders, and from a mapping in memory."""

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import fields, replace
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from fairness_checklist.content.grammar.languages import DEFAULT, folder_of, get, language_of
from fairness_checklist.content.terms import IdentityTerm, TermList, check_term, check_terms, derive_pos, plain_spaces
from fairness_checklist.core.delimited import read_rows
from fairness_checklist.core.did_you_mean import did_you_mean
from fairness_checklist.core.errors import OptionError, TermError
from fairness_checklist.core.locations import SOURCES, Extra, csv_files, data_files, display_path, shipped_folder
from fairness_checklist.core.option_defaults import nfc

TERM_COLUMNS = tuple(field.name for field in fields(IdentityTerm) if field.compare)
_NEUTRAL = "neutral"
CONTROL_WORDS = "control_words"

TermsMapping = Mapping[str, Iterable["str | IdentityTerm | Mapping[str, str]"]]


def read_terms(path: str | Path, language: str = "") -> TermList:
    """The terms of one CSV file; the attribute is the file's name."""
    path = Path(path)
    return _read_terms(path, path.absolute(), get(language or language_of(path)).code, file_state(path))


def file_state(path: Path) -> tuple[int, int]:
    """When a file was changed and its size, by which what was read of it is kept; (0, 0) of no file."""
    stat = path.stat() if path.is_file() else None
    return (stat.st_mtime_ns, stat.st_size) if stat else (0, 0)


@lru_cache(maxsize=256)
def _read_terms(path: Path, _absolute: Path, language: str, _state: tuple[int, int]) -> TermList:
    terms = []
    for row in read_rows(path, TERM_COLUMNS, ("term", "group"), TermError):
        small = {"status": row.cells["status"].lower() or "accepted", "pos": row.cells["pos"].lower()}
        terms.append(_with_pos({**row.cells, **small, "place": row.place}, language))
    if not terms:
        raise TermError("the file holds no term.", place=display_path(path), remedy="Add a row: term,group.")
    return TermList(nfc(path.stem), check_terms(terms, language), str(path), language)


def attributes(extra: Extra = None, language: str = DEFAULT) -> tuple[str, ...]:
    """The names of the attributes that ``load_terms`` knows, sorted; term sets are named ``attribute.set``."""
    files = data_files("identity_terms", extra, folder_of(language))
    return tuple(sorted({nfc(path.stem) for path in files} - {_NEUTRAL}))


def is_control(attribute: str) -> bool:
    """Whether an attribute is a control: control words or sets of them."""
    return CONTROL_WORDS in attribute.split(".")


def is_by_attribute(terms: Any) -> bool:
    """Whether a mapping of terms is one of attributes, and not of groups."""
    return isinstance(terms, Mapping) and bool(terms) and all(isinstance(groups, Mapping) for groups in terms.values())


def load_terms(attribute: str, extra: Extra | TermsMapping = None, language: str = DEFAULT) -> TermList:
    """The shipped terms of an attribute, or of a named set ("gender.czarnowska2021"), extended by the user's.

    ``extra`` is a CSV file or folder of the user's (a file named like the attribute), several of them, or a mapping
    from group to terms, or of each attribute such a mapping. A row with the same term, group and part of speech
    replaces the shipped row; new groups come last. Dispreferred terms are included: `TermList.select` leaves them out.
    """
    files, mapping = (None, extra) if isinstance(extra, Mapping) else (extra, None)
    attribute = nfc(attribute)
    if mapping is not None and is_by_attribute(mapping):
        mapping = dict[str, Any]({nfc(str(name)): groups for name, groups in mapping.items()}).get(attribute)
    paths = data_files("identity_terms", files, folder_of(language))
    lists = [read_terms(path, language) for path in paths if nfc(path.stem) == attribute]
    if mapping is not None:
        kinds = {term.pos for terms in lists for term in terms.terms}
        default_pos = min(kinds) if len(kinds) == 1 else "adj"
        lists.append(terms_from_mapping(attribute, mapping, default_pos=default_pos, language=language))
    if not lists or attribute == _NEUTRAL:
        names = attributes(files, language)
        of_language = "" if language == DEFAULT else f" in {get(language).name}"
        raise OptionError(
            f"the attribute {attribute!r} is not known{of_language}.",
            remedy=f"Known attributes: {', '.join(names) or 'none'}.{did_you_mean(attribute, names)} "
            f"A file {'/'.join(filter(None, (folder_of(language), attribute)))}.csv in a folder of yours adds it.",
        )
    if len(lists) == 1:
        return lists[0]
    merged = {(term.term, term.group, term.pos): term for terms in lists for term in terms.terms}
    return TermList(attribute, check_terms(merged.values(), language), lists[-1].path, language)


@cache
def cited_works() -> dict[str, str]:
    """The shipped sources of terms by their keys: the work and its year."""
    folder = shipped_folder("identity_terms")
    rows = read_rows(folder / SOURCES, ("key", "work", "year", "link"), ("key", "work"), TermError) if folder else []
    return {row.cells["key"]: f"{row.cells['work']} ({row.cells['year'] or 'no year'})" for row in rows}


@cache
def with_own_sentences_only() -> frozenset[str]:
    """The shipped attributes that hardly anybody mentions in the sentences that the others share."""
    folder = shipped_folder("identity_terms")
    about = tomllib.loads((folder / "attributes.toml").read_text(encoding="utf-8")) if folder else {}
    return frozenset(about.get("own_sentences_only", ()))


@cache
def last_names() -> tuple[str, ...]:
    """Last names of people in the United States, the most frequent first (``last_names.txt`` names its source)."""
    lines = Path(__file__).with_name("last_names.txt").read_text(encoding="utf-8").splitlines()
    return tuple(name.capitalize() for line in lines if line[0] != "#" for name in line.split())


def load_neutral(language: str = DEFAULT) -> TermList:
    """The fixed fills for slots of another attribute than the one under test: groups person, country and religion."""
    files = [p for p in data_files("identity_terms", None, folder_of(language)) if p.stem == _NEUTRAL]
    if not files:
        raise TermError(
            "the neutral fills are not found.",
            place=f"identity_terms/{folder_of(language)}",
            remedy="Put a file neutral.csv with the columns term,group,pos and the groups person, country, religion "
            "into a folder identity_terms.",
        )
    return read_terms(files[-1], language)


def terms_from_mapping(
    attribute: str, mapping: TermsMapping, *, default_pos: str = "adj", language: str = DEFAULT
) -> TermList:
    """Terms that are given in memory, by group; a string takes the shipped row of that spelling where there is one."""
    terms: list[IdentityTerm] = []
    for group, entries in mapping.items():
        listed = [entries] if isinstance(entries, str) else list(entries)
        if not listed:
            raise TermError(f"the group {group!r} has no term.", place=attribute, remedy="Give at least one.")
        terms.extend(_from_entry(attribute, nfc(str(group).strip()), entry, default_pos, language) for entry in listed)
    if not terms:
        raise TermError("no terms are given.", place=attribute, remedy='Give them by group: {"deaf": ["deaf"], ...}.')
    return TermList(nfc(attribute), check_terms(terms, language), language=language)


def _from_entry(
    attribute: str, group: str, entry: str | IdentityTerm | Mapping[str, str], default_pos: str, language: str
) -> IdentityTerm:
    if isinstance(entry, IdentityTerm):
        return replace(entry, group=group)
    if isinstance(entry, str):
        return _from_spelling(attribute, group, nfc(plain_spaces(entry).strip()), default_pos, language)
    place = f"{attribute}, group {group}"
    if not isinstance(entry, Mapping):
        remedy = 'Give a string, an IdentityTerm or a dictionary: {"term": "woman", "pos": "noun"}.'
        raise TermError(f"{entry!r} is not a term.", place=place, remedy=remedy)
    for name in entry:
        if name not in TERM_COLUMNS or name == "group":
            remedy = f"Known fields: {', '.join(TERM_COLUMNS)}.{did_you_mean(name, TERM_COLUMNS)}"
            raise TermError(f"the field {name!r} of a term is not known.", place=place, remedy=remedy)
    if "term" not in entry:
        raise TermError("a term has no field 'term'.", place=place, remedy='Add "term": "...".')
    cells = {name: "" if cell is None else str(cell).strip() for name, cell in entry.items()}
    return check_term(_with_pos({**cells, "group": group}, language), language)


def _from_spelling(attribute: str, group: str, spelling: str, default_pos: str, language: str) -> IdentityTerm:
    """The shipped row of that spelling, an adjective before others; else a term by rule."""
    rows = [
        (path.stem.partition(".")[0] == attribute.partition(".")[0], term)
        for path in data_files("identity_terms", None, folder_of(language))
        if path.stem != _NEUTRAL and (is_control(attribute) or not is_control(path.stem))
        for term in read_terms(path, language).terms
        if term.term == spelling
    ]
    of_attribute = [term for same, term in rows if same] or [term for _same, term in rows]
    kinds = {term.pos: term for term in reversed(of_attribute)}
    if len(kinds) > 1 and "adj" not in kinds:
        raise TermError(
            f"the term {spelling!r} is shipped as {' and '.join(sorted(kinds))}.",
            place=f"{attribute}, group {group}",
            remedy=f'Give the part of speech: {{"term": "{spelling}", "pos": "{min(kinds)}"}}.',
        )
    shipped = kinds.get("adj") or next(iter(kinds.values()), None)
    if shipped is not None:  # requested by name, so even a dispreferred or contested term is kept
        status = "accepted" if shipped.status == "dispreferred" else shipped.status
        flags = " ".join(flag for flag in shipped.flags.split() if flag != "contested")
        return replace(shipped, group=group, status=status, flags=flags, place="")
    if default_pos != "adj" and derive_pos(spelling, language)[0] != "pp":
        return IdentityTerm(spelling, group, pos=default_pos)
    return _with_pos({"term": spelling, "group": group}, language)


def _with_pos(cells: Mapping[str, str], language: str) -> IdentityTerm:
    """A term from its cells; without a part of speech it has that of the shipped term, else the derived one."""
    if cells.get("pos"):
        return IdentityTerm(**cells)
    shipped = _shipped_pos(language).get(cells["term"], ())
    pos, doubt = ("adj" if "adj" in shipped else shipped[0], "") if shipped else derive_pos(cells["term"], language)
    plural = cells.get("plural") or (cells["term"] if doubt and pos == "noun" else "")
    return IdentityTerm(**{**cells, "pos": pos, "plural": plural, "doubt": doubt})


@cache
def _shipped_pos(language: str) -> dict[str, tuple[str, ...]]:
    """The parts of speech, other than names and the like, of the shipped terms by spelling."""
    folder = shipped_folder("identity_terms")
    found: dict[str, tuple[str, ...]] = {}
    for path in csv_files(folder / folder_of(language)) if folder else ():
        for row in read_rows(path, TERM_COLUMNS, ("term", "group"), TermError):
            if row.cells["pos"] in {"adj", "noun"}:
                found[row.cells["term"]] = (*found.get(row.cells["term"], ()), row.cells["pos"])
    return found
