"""What words around a word say: another sense of it; of she, he and they the form and the person they refer to."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from fairness_checklist.content.grammar.english_articles import pronoun_set
from fairness_checklist.content.grammar.language import PRONOUN_FORMS
from fairness_checklist.extensions.rewriting.perturb.surfaces import (
    AUXILIARIES,
    BE,
    COMMUNITIES,
    DETERMINERS,
    FUNCTION,
    GENDERED,
    LISTS,
    MODIFIERS,
    NO_NAMES,
    OTHER_SENSES,
    PATTERNS,
    POSSESSIVES,
    PREPOSITIONS,
    THINGS,
    TIMES,
    TITLES,
    Surface,
    TokenisedText,
    is_adverb,
    is_person,
    is_verb,
    may_describe,
    may_follow_noun,
    word_set,
)

_MINORS = word_set("boy girl child children kid baby babies toddler teen teenager youngster youth")
_BY_AGE = {"old", "older", "young", "younger", "elderly", "aged"}
_OLD = word_set("man woman men women people person lady ladies gentleman gentlemen couple couples")
_LANGUAGES = word_set("teacher teachers tutor tutors speaker speakers translator interpreter professor")
_PLACES_AND_PERSONS = {"chad", "jordan", "georgia"}
_PERSONS = word_set("he she who i we they you everyone someone nobody somebody everybody")
_BEFORE_BE = word_set("also still both himself herself not")
_WHERE = word_set("in from to of through across between into near outside leaving left visit visited")


@lru_cache(maxsize=8)
def idioms(text: str) -> tuple[tuple[int, int], ...]:
    """The spans of set phrases in which words such as *man*, *her* or *straight* mention nobody."""
    return tuple(match.span() for match in PATTERNS["idioms"].finditer(text))


def _person_acts(reading: TokenisedText, place: int) -> bool:
    """Whether the context shows that a name with another meaning refers to a person."""
    before, after = reading.lower(place - 1), reading.lower(place + 1)
    if after == "'s":
        return reading.at(place).capital and not reading.at(place).first and before not in PREPOSITIONS
    if before in LISTS["asked"] - {"and", "with"}:
        return not after or after in FUNCTION or not after[:1].isalnum()
    return is_verb(after) and after not in BE and (reading.at(place).first or before not in PREPOSITIONS)


def _place_is_meant(reading: TokenisedText, place: int) -> bool:
    """Whether a country's name is the country: not the man (Chad), the bird (Turkey), the U.S. state (Georgia)."""
    token = reading.at(place)
    if token.lower == "turkey":
        return not token.first and not reading.all_capitals
    if token.lower not in _PLACES_AND_PERSONS:
        return True
    if token.lower == "georgia" and PATTERNS["us_state"].search(reading.text):
        return False
    return reading.lower(place - 1) in _WHERE and PATTERNS["of_countries"].search(reading.text) is not None


def head_of(reading: TokenisedText, place: int, adjective: str, *, things: bool) -> int:
    """Where the noun is that an adjective before ``place`` describes, of persons or also ``things``; or -1."""
    for noun in (place, place + 1, place + 2):
        token = reading.at(noun)
        word = token.lower
        if not token.is_word or reading.is_name_like(noun):
            return -1
        fits = is_person(word) or word in COMMUNITIES or (things and word in THINGS)
        if fits and not _other_sense(reading, noun, adjective, word, things):
            following = reading.lower(noun + 1)
            compound = is_person(following) or following in THINGS or (word in MODIFIERS and following in COMMUNITIES)
            if not compound or not reading.at(noun + 1).is_word:
                return noun
        if not (word in MODIFIERS or fits):
            return -1
    return -1


def _other_sense(reading: TokenisedText, place: int, adjective: str, word: str, things: bool) -> bool:
    """Whether an adjective before this noun does not describe a person's identity."""
    if word in OTHER_SENSES.get(adjective, ()) or (things and word in _LANGUAGES):
        return True
    if adjective not in _BY_AGE:
        return False
    if word.removesuffix("s") in _MINORS:
        return True  # an old boy, and what would a young one become?
    owner = next(
        (before for i in range(place - 1, max(place - 3, -1), -1) if (before := reading.lower(i)) != adjective), ""
    )
    return adjective not in {"young", "younger"} and (word not in _OLD or owner in POSSESSIVES | {"'s"})


def subject_is_person(reading: TokenisedText, copula: int, *, things: bool) -> bool:
    """Whether the subject before a form of *be* is a person ("my brother is", "she's"), or also a thing."""
    place = reading.past_adverbs(copula - 1, _BEFORE_BE, -1)
    word = reading.lower(place)
    if word in _PERSONS or is_person(word) or word in COMMUNITIES or (things and word in THINGS):
        return True
    name = reading.at(place)
    after_person = (
        is_person(reading.lower(place - 1)) or name.first or reading.lower(place - 1) in {"and", "that", "if"}
    )
    return name.capital and not reading.all_capitals and after_person and name.lower not in NO_NAMES | TITLES


_IN_PLACE_NAMES = word_set("new old north south east west northern southern eastern western central air team radio")


def is_name(reading: TokenisedText, place: int, last: int) -> bool:
    """Whether a first name is a person's: no title, title of a work, surname or first part of a full name."""
    token, before, after = reading.at(place), reading.lower(place - 1), reading.lower(last)
    ambiguous = token.lower in LISTS["ambiguous_names"]
    if not token.capital or (ambiguous and (reading.all_capitals or not _person_acts(reading, place))):
        return False
    return not (
        before in TITLES | LISTS["thing_words"] | {"a", "an", "the", "this", "-", "&", "#", "@"}
        or (before == "." and (reading.lower(place - 2) in TITLES or len(reading.at(place - 2).text) == 1))
        or (reading.all_capitals and reading.at(last).is_word and not may_follow_noun(after))
        or (reading.is_name_like(last) and reading.at(last).is_word and after not in TIMES)
        or (reading.is_name_like(place - 1) and not _opens(reading, place))
        or (before == "(" and after == ")")
        or (after in {'"', "'s"} and reading.is_name_like(last + 1))
        or (
            before == "of"
            and (
                reading.is_name_like(place - 2) or reading.lower(place - 2) in LISTS["of_names"] | LISTS["thing_words"]
            )
        )
        or after in LISTS["after_names"] | {"-", "&"}
        or after[:1].isdigit()
    )


def _opens(reading: TokenisedText, place: int) -> bool:
    """Whether the word before is a sentence's first and a word like any other ("Yesterday Mary")."""
    before = reading.at(place - 1)
    word = before.lower
    return before.first and (word in FUNCTION or is_person(word) or is_verb(word) or is_adverb(word))


def is_place(reading: TokenisedText, place: int, last: int, surface: Surface) -> bool:
    """Whether a country or faith is meant: no part of another name ("University of Georgia", "New Mexico")."""
    before = reading.lower(place - 1)
    has_article = surface.term.term[:4].lower() == "the " and before == "the"
    if (
        (surface.capital and not (reading.at(place).capital or (reading.all_small and surface.form == "faith")))
        or not _place_is_meant(reading, place)
        or (reading.all_capitals and before in _IN_PLACE_NAMES | TITLES)
        or (before in DETERMINERS - {"both", "either", "neither"} and not has_article)
    ):
        return False
    if surface.form == "faith" and not may_describe(before):
        return False
    outer = place - 2 if has_article else place - 1
    if reading.lower(outer) == "of":
        titled = reading.is_name_like(outer - 1) and not reading.at(outer - 1).first
        if titled or reading.lower(outer - 1) in LISTS["of_names"]:
            return False
    elif reading.is_name_like(outer) and not (is_verb(reading.lower(outer)) and reading.at(outer).first):
        return False
    if reading.lower(outer) in {",", "-", "/", "&"} and reading.at(outer - 1).capital:
        return False
    following = reading.at(last)
    if following.lower == "'s":
        return not reading.is_name_like(last + 1)
    if reading.is_name_like(last) or following.lower.endswith("ing"):
        return not following.is_word
    return may_follow_noun(following.lower)


ONE_SEX = "a word in it implies one sex"

_FORMS = {  # without "her" and "his", of which the words around them tell the form
    word: (subject, form)
    for subject in ("she", "he", "they")
    for word, form in zip(pronoun_set(subject), PRONOUN_FORMS, strict=True)
    if word not in {"her", "his"}
} | {"themselves": ("they", "themself")}
_MARKED = frozenset("*/~+=<>{}[]|")  # next to a pronoun they hide the next word: *his* car, his/her car
_BEFORE_PLACES = word_set("in to at from of on near the a an via through")
_COUNTS = word_set("two three four five six seven eight nine ten several many few other one all both only")
_NOT_OBJECT = word_set("back home right better")
_BEING = frozenset({"is", "was", "am", "are", "were", "be", "been", "'m", "'s", "became", "becomes", "as", ",", "-"})
_STYLED = re.compile(  # a possessive before a form of address, up to three modifiers between: "His Royal Highness"
    rf"\b(?i:her|his|their)\s+(?:(?:[A-Z][\w-]*|(?i:{'|'.join(LISTS['style_modifiers'])}))\s+){{0,3}}"
    r"(?:(?i:(?:[\w-]+-)?(?:majest(?:y|ies)|(?:high|all-holi)ness(?:es)?|excellenc(?:y|ies)|lordships?|ladyships?|"
    rf"eminences?|beatitudes?|{'|'.join(LISTS['styles_in_capitals'])}))|[A-Z][\w-]*(?:ness|ship|ency|tude)(?:e?s)?)\b"
)
_DIGNIFIED = frozenset({*pronoun_set("she"), *pronoun_set("he")})


@dataclass(frozen=True)
class Pronoun:
    """A pronoun at a token of a text."""

    place: int
    word: str  # without a contracted verb
    pronoun: str  # the subject form: she, he or they
    form: str  # they, them, their, theirs or themself; "" where two readings are possible


def pronouns_of(reading: TokenisedText) -> list[Pronoun]:
    """The pronouns of a text; set phrases such as "his or her" and a capital inside a sentence give form ""."""
    phrases = idioms(reading.text)
    pronouns = []
    for place, token in enumerate(reading.tokens):
        word = token.lower.partition("'")[0]
        if word not in _FORMS and word not in {"her", "his"}:
            continue
        if word in _FORMS:
            subject, form = _FORMS[word]
        else:
            subject, form = ("she", _her(reading, place)) if word == "her" else ("he", _his(reading, place))
        fixed = any(left <= token.start < right for left, right in phrases)
        divine = word in _DIGNIFIED and token.capital and not token.first and not reading.all_capitals
        odd = word in {"her", "his", "hers", "him", "them"} and token.lower != word
        pronouns.append(Pronoun(place, word, subject, "" if fixed or divine or odd or token.title else form))
    return pronouns


def implies_one_sex(text: str) -> bool:
    """Whether a word does ("pregnant"), or a form of address with a possessive ("Her Majesty", "her grace")."""
    return bool(PATTERNS["of_one_sex"].search(text) or _STYLED.search(text))


def _her(reading: TokenisedText, place: int) -> str:
    """Before a noun "their", otherwise "them"; "" if the context is ambiguous."""
    before, token = reading.lower(place - 1), reading.at(place + 1)
    after = token.lower
    if _is_marked(reading, place):
        return ""
    if not token.is_word or after == "'s":
        return "them"
    if after in _NOT_OBJECT:
        if after == "home" and before in LISTS["moving"]:
            return "them"
        return "their" if before in PREPOSITIONS or (after == "home" and before in FUNCTION) else ""
    if after == "very" and reading.lower(place + 2) not in LISTS["owned"]:
        return "" if reading.at(place + 3).is_word else "them"
    if after.endswith("ed") and before not in PREPOSITIONS and not reading.at(place).first:
        return ""  # it left her paralyzed, her retired aunt
    if after in _COUNTS:
        return "their" if before in PREPOSITIONS or reading.at(place).first else ""
    if after in LISTS["owned"] or after == "very":
        return "their" if before not in LISTS["giving"] or after == "own" else ""
    if after in FUNCTION or is_adverb(after) or after in {"out", "twice", "well"}:
        return "them"
    if after[:1].isdigit():
        return "them" if before in LISTS["giving"] else "their"
    if after in TIMES and token.capital:
        return "" if before not in PREPOSITIONS else "their"
    if after.endswith("ing") and before not in PREPOSITIONS and not reading.at(place).first:
        return "them" if before in LISTS["sensing"] or before in LISTS["giving"] else ""
    return "" if before in LISTS["giving"] | LISTS["sensing"] else "their"


def _is_marked(reading: TokenisedText, place: int) -> bool:
    """Whether a mark that ends no clause follows, or brackets hold the pronoun alone."""
    after = reading.at(place + 1).text
    return after[:1] in _MARKED or ord(after[:1] or " ") > 0x2100 or (after == ")" and reading.lower(place - 1) == "(")


def _his(reading: TokenisedText, place: int) -> str:
    """Before a noun "their", alone "theirs"."""
    token = reading.at(place + 1)
    if _is_marked(reading, place):
        return ""
    if not token.is_word:
        return "" if token.text in {"'", '"', "\u201c", "\u2018", "("} else "theirs"
    if token.lower == "'s":
        return "theirs"
    # a friend of his repaired; a friend of his retired aunt
    if reading.lower(place - 1) == "of" and is_verb(token.lower):
        return "theirs" if reading.lower(place + 2) in FUNCTION else ""
    alone = token.lower in FUNCTION - LISTS["owned"] - _COUNTS
    return "theirs" if alone and token.lower not in {"early", "late", "much", "quite", "rather", "either"} else "their"


def unsafe_reason(
    reading: TokenisedText, taken: Sequence[tuple[int, int]], pronouns: Sequence[Pronoun], of: str
) -> str:
    """Why pronouns may not belong to the mentions at ``taken`` tokens, or a word contradicts, or ""."""
    last = max((pronoun.place for pronoun in pronouns), default=-1)
    mentioned = {place for first, end in taken for place in range(first, end)}
    first = min(mentioned, default=0)
    if any(pronoun.place < first for pronoun in pronouns):
        return "a pronoun before the mention may refer to another person"
    for place, token in enumerate(reading.tokens):
        if place in mentioned or not token.is_word:
            continue
        word = token.lower if token.capital or token.lower != "miss" else ""  # Miss, but: we miss her
        gendered = word in GENDERED[of] or word.removesuffix("s") in GENDERED[of]
        if gendered and (
            _describes(reading, place)
            or place + 1 in mentioned
            or (reading.lower(place + 1) == "," and place + 2 in mentioned)
        ):
            return "another word may state the same person's gender"
        if place < last and (word in GENDERED[of] or may_be_name(reading, place)):
            return "a pronoun in it may refer to another person"
    return ""


def _describes(reading: TokenisedText, place: int) -> bool:
    """Whether a noun such as *actress* is predicative: after *is*, *as* or a comma, ignoring articles."""
    passed = DETERMINERS - {"'s"} | MODIFIERS
    before = (reading.lower(i) for i in range(place - 1, place - 5, -1))
    return next((word for word in before if word not in passed and not is_adverb(word)), "") in _BEING


def may_be_name(reading: TokenisedText, place: int) -> bool:
    """Whether a capital is that of some person's name: not after a preposition of place, not a day or a country."""
    token = reading.at(place)
    if not token.capital or reading.all_capitals or token.lower in NO_NAMES or len(token.text) < 2:
        return False
    if token.first:
        after = reading.lower(place + 1)
        acts = after in AUXILIARIES or is_verb(after) or after == ","
        other_word = is_adverb(token.lower) or is_person(token.lower) or is_verb(token.lower)
        return acts and not other_word and not reading.at(place + 1).capital
    return reading.lower(place - 1) not in _BEFORE_PLACES
