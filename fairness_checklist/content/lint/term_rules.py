"""Errors in a file of terms."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from fairness_checklist.content.grammar.english_words import (
    AMBIGUOUS_ADJECTIVES,
    AMBIGUOUS_NAMES,
    AMBIGUOUS_PLACES,
    NO_NOUNS,
)
from fairness_checklist.content.grammar.languages import DEFAULT, get
from fairness_checklist.content.lint.findings import Cell, Finding, read_raw
from fairness_checklist.content.lint.template_rules import capital_missing, means_a_minor
from fairness_checklist.content.term_files import read_terms
from fairness_checklist.content.terms import STATUS, IdentityTerm, TermList
from fairness_checklist.core.errors import count
from fairness_checklist.core.locations import data_files, display_path

_ENOUGH = 5
_WORDS = 7
_NEUTRAL = "neutral"


def lint_terms(path: Path) -> Iterator[Finding]:
    """The findings about one file of terms.

    Args:
        path: a file that can be read.
    """
    terms, place = read_terms(path), display_path(path)
    yield from _cells(path)
    for term in terms.terms:
        senses = list(_senses(term, terms))
        for rule, fault in (*_capitals(term, terms.language), *senses, *_others(term, terms, advise=not senses)):
            yield Finding(term.place or place, rule, f"{fault}.")
    if path.stem == _NEUTRAL:
        return
    for group in terms.groups:
        members = terms.of_group(group)
        good = [term for term in members if term.status != "dispreferred"]
        if len(good) < _ENOUGH and not any(term.has_flag("thin") for term in members):
            message = (
                f"the group {group} has {count(len(good), 'preferred or accepted term')}: add some, or write "
                '"thin" in the column flags.'
            )
            yield Finding(members[0].place or place, "thin", message)


def _cells(path: Path) -> Iterator[Finding]:
    """Empty cells of status and source, and fixed values that are written in capitals."""
    found, shown = read_raw(path), display_path(path)
    line, columns = found.header
    for name in ("status", "source"):
        if name not in columns:
            yield Finding(f"{shown}:{line}", name, f"the file has no column {name}.")
    for number, cells in found.rows.items():
        place = f"{shown}:{number}"
        word = _text(cells, "term")
        if "status" in columns and not _text(cells, "status"):
            yield Finding(place, "status", f"the term {word} has no status: write one of {', '.join(STATUS)}.")
        if "source" in columns and not _text(cells, "source"):
            yield Finding(place, "source", f"the term {word} has no source.")
        for name in ("pos", "status"):
            written = _text(cells, name)
            if written != written.lower():
                yield Finding(place, "term", f"the {name} {written!r} is in capitals: write {written.lower()}.")


def _text(cells: dict[str, Cell], column: str) -> str:
    return cells[column].text.strip() if column in cells else ""


def _capitals(term: IdentityTerm, language: str) -> Iterator[tuple[str, str]]:
    if language != DEFAULT:
        if term.pos in {"name", "place"} and get(language).split_article(term.term)[1][:1].islower():
            yield "capital", f"the {term.pos} {term.term} begins with a small letter"
        return
    if term.pos in {"name", "place"} and term.term.removeprefix("the ")[:1].islower():
        yield "capital", f"the {term.pos} {term.term} begins with a small letter"
    elif term.pos == "place" and term.adjective[:1].islower():
        yield "capital", f"the adjective {term.adjective} of {term.term} begins with a small letter"
    else:
        for words in (term.term, term.plural, term.adjective, term.predicate):
            small = capital_missing(words)
            if small:
                yield "capital", f"'{small}' is written with a capital: {words}"
                return


def _senses(term: IdentityTerm, terms: TermList) -> Iterator[tuple[str, str]]:
    """Terms that are another word, too, or a noun that is none."""
    if terms.language != DEFAULT or term.has_flag("ambiguous") or term.status == "dispreferred":
        return
    bare = term.term.removeprefix("the ")
    flag = 'write "ambiguous" in the column flags, or take another'
    if term.pos == "place" and (bare in AMBIGUOUS_PLACES or term.adjective in AMBIGUOUS_ADJECTIVES):
        which = term.term if bare in AMBIGUOUS_PLACES else f"the adjective {term.adjective}"
        yield "sense", f"{which} means something else, too: {flag}"
    elif term.pos == "name" and term.term in AMBIGUOUS_NAMES:
        yield "sense", f"the name {term.term} is also another word or the name of a well-known person: take another"
    elif term.pos == "noun" and bare.lower() in NO_NOUNS and terms.base_attribute != "language_accent":
        yield "sense", f"{term.term} is an adjective, no noun for a person: give it as adj"
    elif re.search(r"\bJews?$", term.term if term.pos == "adj" else term.adjective):
        yield "sense", "Jew is a noun only: the adjective is Jewish"
    elif terms.base_attribute == "religion" and re.match(r"Arab(?:ic|s)?\b", term.term):
        yield "sense", f"{term.term} names no religion: it belongs to race_ethnicity"


def _others(term: IdentityTerm, terms: TermList, *, advise: bool) -> Iterator[tuple[str, str]]:
    fault = get(terms.language).term_fault(term.term, term.pos, term.plural)
    if fault:
        yield "term", fault
    if means_a_minor(term.term, term.pos, terms.language) and not term.has_flag("minor"):
        yield "minor", f'{term.term} means a minor: write "minor" in the column flags'
    count = len(term.term.split())
    if count > _WORDS:
        yield "length", f"the term has {count} words; most have one to five: {term.term}"
    advised = _dispreferred_terms(terms.language).get((term.term.lower(), term.pos))
    if advise and advised and term.status != "dispreferred":
        yield "status", f"{term.term} is {term.status} here, and dispreferred in {advised}"


@cache
def _dispreferred_terms(language: str) -> dict[tuple[str, str], str]:
    """The shipped dispreferred terms by spelling and part of speech, with their places."""
    inner = "" if language == DEFAULT else language
    shipped = (term for path in data_files("identity_terms", None, inner) for term in read_terms(path, language).terms)
    return {(term.term.lower(), term.pos): term.place for term in shipped if term.status == "dispreferred"}
