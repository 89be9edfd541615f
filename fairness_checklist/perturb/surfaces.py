"""How terms look in a text: every form of every term, by its first word."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from fairness_checklist.forms import Unfit, Written, write
from fairness_checklist.grammar import pronoun_set
from fairness_checklist.identity import IdentityTerm, TermList
from fairness_checklist.slots import parse
from fairness_checklist.tagging import words

__all__ = ["Form", "Index", "Surface", "demonym", "index_of", "spelled", "written"]

Form = Literal["name", "place", "faith", "adjective", "predicate", "singular", "plural", "phrase", "pronoun"]
_DEMONYM = re.compile(r"(?:an|[^s]i|ist|im|[dlt]u|kh|ek|iot|ovak|zech|ai|ino|eno)$")
_NO_DEMONYM = frozenset({"New Zealand", "Vatican", "Central African", "Afghani"})
_ARTICLE = re.compile(r"the ", re.IGNORECASE)


@dataclass(frozen=True)
class Surface:
    """One way in which a term may stand in a text.

    Attributes:
        words: in small letters.
        term: whose form it is.
        form: what it is there.
        capital: whether its first word is written with a capital.
    """

    words: tuple[str, ...]
    term: IdentityTerm
    form: Form
    capital: bool


@dataclass(frozen=True, eq=False)
class Index:
    """All forms of the terms of an attribute.

    Attributes:
        terms: the terms.
        by_word: the forms that start with a word, longest first.
        shared: forms that terms of different groups share ("Congolese"): they mention none of them for sure.
        subjects: the pronoun that stands for a group by itself: {"women": "she", "men": "he"}.
    """

    terms: TermList
    by_word: dict[str, tuple[Surface, ...]]
    shared: frozenset[tuple[str, ...]]
    subjects: dict[str, str] = field(default_factory=dict)


def index_of(terms: TermList) -> Index:
    """The index of a list of terms.

    >>> index = index_of(TermList("g", (IdentityTerm("woman", "women", pos="noun", pronouns="she"),)))
    >>> [(surface.words, surface.form) for surface in index.by_word["women"]], index.subjects
    ([(('women',), 'plural')], {'women': 'she'})
    """
    found: dict[str, list[Surface]] = {}
    owners: dict[tuple[str, ...], set[str]] = {}
    for term in terms.terms:
        for text, form in _forms(term):
            cut = tuple(text[start:end] for start, end in words(text))
            surface = Surface(tuple(word.lower() for word in cut), term, form, cut[0][:1].isupper())
            found.setdefault(surface.words[0], []).append(surface)
            owners.setdefault(surface.words, set()).add(term.term if term.pos == "place" else term.group)
    ordered = {
        word: tuple(sorted(surfaces, key=lambda surface: -len(surface.words))) for word, surfaces in found.items()
    }
    shared = frozenset(spelling for spelling, whose in owners.items() if len(whose) > 1)
    return Index(terms, ordered, shared, _subjects(terms))


def _forms(term: IdentityTerm) -> list[tuple[str, Form]]:
    """The spellings of a term and what they are."""
    if term.pos == "name":
        return [(term.term, "name")]
    if term.pos == "pp":
        return [(term.term, "phrase")]
    forms: list[tuple[str, Form]] = []
    if term.pos in {"place", "faith"}:
        forms.append((_ARTICLE.sub("", term.term, count=1), "place" if term.pos == "place" else "faith"))
    if term.pos == "noun":
        forms += [(term.term, "singular"), (spelled(term, "plural"), "plural")]
    adjective = term.term if term.pos == "adj" else term.adjective
    if adjective:
        forms.append((adjective, "adjective"))
    one = demonym(term)
    if one:
        forms += [(one, "singular"), (f"{one}s", "plural")]
    return forms


def demonym(term: IdentityTerm) -> str:
    """The noun that the adjective of a place or faith is, too: "Canadian", but not "French"; "" where it is none.

    >>> demonym(IdentityTerm("Canada", "north", pos="place", adjective="Canadian"))
    'Canadian'
    >>> demonym(IdentityTerm("France", "west", pos="place", adjective="French"))
    ''
    """
    word = term.adjective
    if term.pos not in {"place", "faith"} or word in _NO_DEMONYM or " " in word:
        return ""
    return word if _DEMONYM.search(word) or word in {"Czech", "Sikh", "Thai"} else ""


def written(term: IdentityTerm, slot: str) -> Written | Unfit:
    """What a term writes into a slot."""
    return write(parse("{" + slot + "}")[0], term)  # type: ignore[arg-type]  # a slot alone parses to a slot


def spelled(term: IdentityTerm, form: Literal["singular", "plural", "adjective"]) -> str:
    """A form of a term, "" where it has none.

    >>> spelled(IdentityTerm("deaf", "deaf"), "plural")
    'deaf people'
    """
    one = demonym(term) if form != "adjective" else ""
    if one:
        return one if form == "singular" else f"{one}s"
    slot = {"singular": "identity_np", "plural": "identity_pl", "adjective": "identity_adj"}[form]
    found = written(term, slot)
    return "" if isinstance(found, Unfit) else found.text


def _subjects(terms: TermList) -> dict[str, str]:
    """The groups that she or he alone stands for: most terms have that pronoun, and none has another."""
    return {group: answer for group in terms.groups if (answer := _subject(terms.of_group(group)))}


def _subject(terms: Sequence[IdentityTerm]) -> str:
    answer = {pronoun_set(term.pronouns)[0] for term in terms if term.pronouns}
    gendered = sum(bool(term.pronouns) for term in terms)
    if len(answer) != 1 or 2 * gendered < len(terms) or any(term.pos == "name" for term in terms):
        return ""
    (one,) = answer
    return one if one in {"she", "he"} else ""
