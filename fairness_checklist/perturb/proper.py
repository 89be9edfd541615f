"""Names of persons and countries: whether a word with a capital is one, or a part of another name."""

from __future__ import annotations

from fairness_checklist.perturb.senses import is_ambiguous_name, person_acts, place_is_meant
from fairness_checklist.perturb.surfaces import Surface
from fairness_checklist.perturb.tokens import Reading
from fairness_checklist.perturb.words import (
    DETERMINERS,
    FUNCTION,
    TIMES,
    TITLES,
    is_adverb,
    is_person,
    is_verb,
    listed,
    may_follow_noun,
)

__all__ = ["is_name", "is_place"]

_THING_WORDS = listed("""
    hurricane storm typhoon cyclone film movie novel book song album single series show sitcom musical play opera ship
    boat yacht brand label restaurant cafe bar pub hotel city town village state county lake mount river island province
    district street avenue road saint gospel letter ballad episode character named
    """)
_AFTER_NAMES = listed("""
    street road avenue county college university river lake island beach bridge airport hotel inn cafe diner award prize
    bible syndrome disease effect version law act station abu bin ibn al el de del der des di da dos du la van von ten
    """)
_OF_NAMES = listed("""
    bank university gulf sea republic kingdom isle bay strait college queen king prince princess duke bishop emperor
    battle treaty stade bight
    """)
_BEFORE_PLACES = listed("new old north south east west northern southern eastern western central air team radio")


def is_name(reading: Reading, at: int, last: int) -> bool:
    """Whether a first name is a person's: no title, title of a work, surname or first part of a full name.

    >>> from fairness_checklist.perturb.tokens import read
    >>> [is_name(read(text), 1, 2) for text in ("Hi Anna", "Mrs Anna", "Hi Anna Keller")]
    [True, False, False]
    """
    token, before, after = reading.at(at), reading.at(at - 1), reading.lower(last)
    if not token.capital or (is_ambiguous_name(token.text) and (reading.shouted or not person_acts(reading, at))):
        return False
    if before.lower in TITLES | _THING_WORDS | {"a", "an", "the", "this", "-", "&", "#", "@"}:
        return False
    if before.lower == "." and (reading.lower(at - 2) in TITLES or len(reading.at(at - 2).text) == 1):
        return False
    if reading.shouted and reading.at(last).is_word and not may_follow_noun(after):
        return False
    if reading.is_name_like(last) and reading.at(last).is_word and reading.lower(last) not in TIMES:
        return False
    if reading.is_name_like(at - 1) and not _opens(reading, at):
        return False
    if (before.lower == "(" and after == ")") or (after == '"' and reading.is_name_like(last + 1)):
        return False
    if before.lower == "of" and (reading.is_name_like(at - 2) or reading.lower(at - 2) in _OF_NAMES | _THING_WORDS):
        return False
    if after == "'s" and reading.is_name_like(last + 1):
        return False
    return not (after in _AFTER_NAMES or after in {"-", "&"} or after[:1].isdigit())


def _opens(reading: Reading, at: int) -> bool:
    """Whether the word before is a sentence's first and a word like any other ("Yesterday Mary")."""
    before = reading.at(at - 1)
    word = before.lower
    return before.first and (word in FUNCTION or is_person(word) or is_verb(word) or is_adverb(word))


def is_place(reading: Reading, at: int, last: int, surface: Surface) -> bool:
    """Whether a country or faith is meant: no part of another name ("University of Georgia", "New Mexico")."""
    token, before = reading.at(at), reading.at(at - 1)
    if surface.capital and not token.capital:
        return False
    if not place_is_meant(reading, at) or (reading.shouted and before.lower in _BEFORE_PLACES | TITLES):
        return False
    has_article = surface.term.term[:4].lower() == "the "
    if before.lower in DETERMINERS - {"both", "either", "neither"} and not (has_article and before.lower == "the"):
        return False
    outer = at - 2 if has_article and before.lower == "the" else at - 1
    if reading.lower(outer) == "of":
        titled = reading.is_name_like(outer - 1) and not reading.at(outer - 1).first
        if titled or reading.lower(outer - 1) in _OF_NAMES:
            return False
    elif reading.is_name_like(outer) and not (is_verb(reading.lower(outer)) and reading.at(outer).first):
        return False
    if reading.lower(outer) in {",", "-", "/", "&"} and reading.at(outer - 1).capital:
        return False
    following = reading.at(last)
    if following.lower == "'s":
        return not reading.is_name_like(last + 1)
    return not following.is_word or (not reading.is_name_like(last) and may_follow_noun(following.lower))
