"""Words of another sense: contexts in which a word does not mention a person or country."""

from __future__ import annotations

from fairness_checklist.extensions.rewriting.perturb.surfaces import Surface, TokenisedText
from fairness_checklist.extensions.rewriting.perturb.vocabulary import (
    BE,
    COMMUNITIES,
    DETERMINERS,
    FUNCTION,
    LISTS,
    MODIFIERS,
    OTHER_SENSES,
    PATTERNS,
    POSSESSIVES,
    PREPOSITIONS,
    THINGS,
    TIMES,
    TITLES,
    is_adverb,
    is_person,
    is_verb,
    may_follow_noun,
    word_set,
)

_MINORS = word_set("boy girl child children kid baby babies toddler teen teenager youngster youth")
_BY_AGE = {"old", "young", "elderly", "aged"}
_OLD = word_set("man woman men women people person lady ladies gentleman gentlemen couple couples")
_LANGUAGES = word_set("teacher teachers tutor tutors speaker speakers translator interpreter professor")
_PLACES_AND_PERSONS = {"chad", "jordan", "georgia"}
_PERSONS = word_set("he she who i we they you everyone someone nobody somebody everybody")
_BEFORE_BE = word_set("also still both himself herself not")
_WHERE = word_set("in from to of through across between into near outside leaving left visit visited")


def idioms(text: str) -> list[tuple[int, int]]:
    """The spans of set phrases in which words such as *man*, *her* or *straight* mention nobody."""
    return [match.span() for match in PATTERNS["idioms"].finditer(text)]


def _person_acts(reading: TokenisedText, position: int) -> bool:
    """Whether the context shows that a name with another meaning refers to a person."""
    before, after = reading.lower(position - 1), reading.lower(position + 1)
    if after == "'s":
        return reading.at(position).capital and not reading.at(position).first and before not in PREPOSITIONS
    if before in LISTS["asked"] - {"and", "with"}:
        return not after or after in FUNCTION or not after[:1].isalnum()
    acts = is_verb(after) and after not in BE
    return acts and (reading.at(position).first or before not in PREPOSITIONS)


def _place_is_meant(reading: TokenisedText, position: int) -> bool:
    """Whether a country's name is the country: not the man (Chad), the bird (Turkey), the U.S. state (Georgia)."""
    token = reading.at(position)
    if token.lower == "turkey":
        return not token.first and not reading.all_capitals
    if token.lower not in _PLACES_AND_PERSONS:
        return True
    if token.lower == "georgia" and PATTERNS["us_state"].search(reading.text):
        return False
    return reading.lower(position - 1) in _WHERE and PATTERNS["of_countries"].search(reading.text) is not None


def head_of(reading: TokenisedText, position: int, adjective: str, *, things: bool) -> int:
    """Where the noun is that an adjective before ``position`` describes; -1 where none that we know for sure follows.

    The adjective is in small letters; with ``things`` the noun may also be one for a thing ("French wine").
    """
    for at in (position, position + 1, position + 2):
        token = reading.at(at)
        word = token.lower
        if not token.is_word or reading.is_name_like(at):
            return -1
        fits = is_person(word) or word in COMMUNITIES or (things and word in THINGS)
        if fits and not _other_sense(reading, at, adjective, word, things):
            following = reading.lower(at + 1)
            compound = is_person(following) or following in THINGS or (word in MODIFIERS and following in COMMUNITIES)
            if not compound or not reading.at(at + 1).is_word:
                return at
        if not (word in MODIFIERS or fits):
            return -1
    return -1


def _other_sense(reading: TokenisedText, at: int, adjective: str, word: str, things: bool) -> bool:
    """Whether an adjective before this noun does not describe a person's identity."""
    if word in OTHER_SENSES.get(adjective, ()) or (things and word in _LANGUAGES):
        return True
    if adjective not in _BY_AGE:
        return False
    if word.removesuffix("s") in _MINORS:
        return True  # an old boy, and what would a young one become?
    owner = next((before for i in range(at - 1, max(at - 3, -1), -1) if (before := reading.lower(i)) != adjective), "")
    return adjective != "young" and (word not in _OLD or owner in POSSESSIVES | {"'s"})


def subject_is_person(reading: TokenisedText, copula: int, *, things: bool) -> bool:
    """Whether the subject before a form of *be* is a person ("my brother is", "she's"), or also a thing."""
    at = reading.past_adverbs(copula - 1, _BEFORE_BE, -1)
    word = reading.lower(at)
    if word in _PERSONS or is_person(word) or word in COMMUNITIES or (things and word in THINGS):
        return True
    name = reading.at(at)
    after_person = is_person(reading.lower(at - 1)) or name.first or reading.lower(at - 1) in {"and", "that", "if"}
    return name.capital and not reading.all_capitals and after_person and name.lower not in FUNCTION | TIMES | TITLES


_THING_WORDS = LISTS["thing_words"]
_OF_NAMES = LISTS["of_names"]
_BEFORE_PLACES = word_set("new old north south east west northern southern eastern western central air team radio")


def is_name(reading: TokenisedText, at: int, last: int) -> bool:
    """Whether a first name is a person's: no title, title of a work, surname or first part of a full name."""
    token, before, after = reading.at(at), reading.lower(at - 1), reading.lower(last)
    ambiguous = token.lower in LISTS["ambiguous_names"]
    if not token.capital or (ambiguous and (reading.all_capitals or not _person_acts(reading, at))):
        return False
    return not (
        before in TITLES | _THING_WORDS | {"a", "an", "the", "this", "-", "&", "#", "@"}
        or (before == "." and (reading.lower(at - 2) in TITLES or len(reading.at(at - 2).text) == 1))
        or (reading.all_capitals and reading.at(last).is_word and not may_follow_noun(after))
        or (reading.is_name_like(last) and reading.at(last).is_word and after not in TIMES)
        or (reading.is_name_like(at - 1) and not _opens(reading, at))
        or (before == "(" and after == ")")
        or (after in {'"', "'s"} and reading.is_name_like(last + 1))
        or (before == "of" and (reading.is_name_like(at - 2) or reading.lower(at - 2) in _OF_NAMES | _THING_WORDS))
        or after in LISTS["after_names"] | {"-", "&"}
        or after[:1].isdigit()
    )


def _opens(reading: TokenisedText, at: int) -> bool:
    """Whether the word before is a sentence's first and a word like any other ("Yesterday Mary")."""
    before = reading.at(at - 1)
    word = before.lower
    return before.first and (word in FUNCTION or is_person(word) or is_verb(word) or is_adverb(word))


def is_place(reading: TokenisedText, at: int, last: int, surface: Surface) -> bool:
    """Whether a country or faith is meant: no part of another name ("University of Georgia", "New Mexico")."""
    before = reading.lower(at - 1)
    has_article = surface.term.term[:4].lower() == "the " and before == "the"
    if (
        (surface.capital and not reading.at(at).capital)
        or not _place_is_meant(reading, at)
        or (reading.all_capitals and before in _BEFORE_PLACES | TITLES)
        or (before in DETERMINERS - {"both", "either", "neither"} and not has_article)
    ):
        return False
    outer = at - 2 if has_article else at - 1
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
