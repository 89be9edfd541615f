"""She, he and they in a text: the form of each, the person it refers to, and its form with another pronoun."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from fairness_checklist.extensions.rewriting.perturb.senses import idioms
from fairness_checklist.extensions.rewriting.perturb.surfaces import TokenisedText
from fairness_checklist.extensions.rewriting.perturb.vocabulary import (
    AUXILIARIES,
    DETERMINERS,
    FUNCTION,
    GENDERED,
    LISTS,
    MODIFIERS,
    PREPOSITIONS,
    TIMES,
    is_adverb,
    is_person,
    is_verb,
    word_set,
)

ONE_SEX = "a title in it implies one sex"

_FORMS = {
    "she": ("she", "they"),
    "herself": ("she", "themself"),
    "hers": ("she", "theirs"),
    "he": ("he", "they"),
    "him": ("he", "them"),
    "himself": ("he", "themself"),
    "they": ("they", "they"),
    "them": ("they", "them"),
    "their": ("they", "their"),
    "theirs": ("they", "theirs"),
    "themself": ("they", "themself"),
    "themselves": ("they", "themself"),
}
_GIVING = LISTS["giving"]
_SENSING = LISTS["sensing"]
_OWNED = LISTS["owned"]
_MARKED = frozenset("*/~+=<>{}[]|")  # next to a pronoun they hide the next word: *his* car, his/her car
_BEFORE_PLACES = word_set("in to at from of on near the a an via through")
_NOT_OBJECT = word_set("back home right better")
_BEING = frozenset({"is", "was", "am", "are", "were", "be", "been", "'m", "'s", "became", "becomes", "as", ",", "-"})
# Forms of address behind a possessive ("Her Majesty"); those of styles_in_capitals have other senses in small letters.
_STYLES = word_set("majesty highness excellency lordship ladyship eminence beatitude")
_STYLE_ENDINGS = ("ness", "ship", "ency", "tude", "nesses", "ships", "encies")
_DIGNIFIED = frozenset({"he", "his", "him", "himself", "she", "her", "hers", "herself"})


@dataclass(frozen=True)
class Pronoun:
    """A pronoun at a token of a text: its word without a contracted verb, and the subject form (she, he or they).

    ``form`` is they, them, their, theirs or themself; "" where two readings are possible.
    """

    at: int
    word: str
    pronoun: str
    form: str


def pronouns_of(reading: TokenisedText) -> list[Pronoun]:
    """The pronouns of a text; set phrases such as "his or her" and a capital inside a sentence give form "".

    A possessive that belongs to a title ("Her Majesty") is no pronoun of a mention, and is left out.
    """
    phrases = idioms(reading.text)
    of_titles = frozenset(title_possessives(reading, {"her", "his", "their"}))
    pronouns = []
    for at, token in enumerate(reading.tokens):
        word = token.lower.partition("'")[0]
        if (word not in _FORMS and word not in {"her", "his"}) or at in of_titles:
            continue
        if word in _FORMS:
            subject, form = _FORMS[word]
        else:
            subject, form = ("she", _her(reading, at)) if word == "her" else ("he", _his(reading, at))
        fixed = any(left <= token.start < right for left, right in phrases)
        divine = word in _DIGNIFIED and token.capital and not token.first and not reading.all_capitals
        odd = word in {"her", "his", "hers"} and token.lower != word
        pronouns.append(Pronoun(at, word, subject, "" if fixed or divine or odd or token.title else form))
    return pronouns


def title_possessives(reading: TokenisedText, possessives: Collection[str] = ("her", "his")) -> list[int]:
    """The positions of possessives that belong to a title: "Her Majesty", "His Royal Highness", "Her Honor the Mayor".

    A word that has another sense in small letters counts with a capital, or before *the* ("her grace the duchess").
    """
    return [at for at in range(len(reading.tokens)) if reading.lower(at) in possessives and _is_title(reading, at + 1)]


def _is_title(reading: TokenisedText, at: int) -> bool:
    """Whether a form of address is here, up to three modifiers passed over."""
    for head in range(at, at + 4):
        token = reading.at(head)
        word = token.lower.rpartition("-")[2]
        singular = word[:-3] + "y" if word.endswith("ies") else word
        singulars = {singular, singular.removesuffix("s"), singular.removesuffix("es")}
        if not token.is_word:
            return False
        if singulars & _STYLES:
            return True
        capital = token.capital and not reading.all_capitals
        if capital and not token.first and word.endswith(_STYLE_ENDINGS):
            return True
        if singulars & LISTS["styles_in_capitals"]:
            return capital or reading.all_capitals or reading.lower(head + 1) == "the"
        if not capital and word not in LISTS["style_modifiers"]:
            return False
    return False


def _her(reading: TokenisedText, at: int) -> str:
    """Before a noun "their", otherwise "them"; "" if the context is ambiguous."""
    before, token = reading.lower(at - 1), reading.at(at + 1)
    after = token.lower
    if _is_marked(reading, at):
        return ""
    if not token.is_word or after == "'s":
        return "them"
    if after in _NOT_OBJECT:
        if after == "home" and before in LISTS["moving"]:
            return "them"
        return "their" if before in PREPOSITIONS or (after == "home" and before in FUNCTION) else ""
    if after == "very" and reading.lower(at + 2) not in _OWNED:
        return "" if reading.at(at + 3).is_word else "them"
    if after in _OWNED or after == "very":
        return "their" if before not in _GIVING or after == "own" else ""
    if after in FUNCTION or is_adverb(after) or after in {"out", "twice", "well"}:
        return "them"
    if after[:1].isdigit():
        return "them" if before in _GIVING else "their"
    if after in TIMES and token.capital:
        return "" if before not in PREPOSITIONS else "their"
    if after.endswith("ing") and before not in PREPOSITIONS and not reading.at(at).first:
        return "them" if before in _SENSING or before in _GIVING else ""
    return "" if before in _GIVING | _SENSING else "their"


def _is_marked(reading: TokenisedText, at: int) -> bool:
    """Whether a mark that ends no clause follows, or brackets hold the pronoun alone."""
    after = reading.at(at + 1).text
    return after[:1] in _MARKED or ord(after[:1] or " ") > 0x2100 or (after == ")" and reading.lower(at - 1) == "(")


def _his(reading: TokenisedText, at: int) -> str:
    """Before a noun "their", alone "theirs"."""
    token = reading.at(at + 1)
    if _is_marked(reading, at):
        return ""
    if not token.is_word:
        return "" if token.text in {"'", '"', "\u201c", "\u2018", "("} else "theirs"
    if token.lower == "'s":
        return "theirs"
    if reading.lower(at - 1) == "of" and is_verb(token.lower):  # a friend of his repaired; a friend of his retired aunt
        return "theirs" if reading.lower(at + 2) in FUNCTION else ""
    alone = token.lower in FUNCTION - _OWNED - {"all", "one", "two", "three", "four", "five", "six", "seven"}
    return "theirs" if alone and token.lower not in {"early", "late", "much", "quite", "rather", "either"} else "their"


def unsafe_reason(
    reading: TokenisedText, taken: Sequence[tuple[int, int]], pronouns: Sequence[Pronoun], of: str
) -> str:
    """The reason why pronouns may not belong to the mention, or another gender would contradict the text, or "".

    ``taken`` has the tokens of the mentions, (first, last); none where the pronouns are alone. ``of`` is she or he.
    """
    if title_possessives(reading):
        return ONE_SEX
    last = max((pronoun.at for pronoun in pronouns), default=-1)
    own = {at for first, end in taken for at in range(first, end)}
    first = min(own, default=0)
    if any(pronoun.at < first and not _is_subordinate(reading, pronoun.at, first) for pronoun in pronouns):
        return "a pronoun before the mention may refer to another person"
    for at, token in enumerate(reading.tokens):
        if at in own or not token.is_word:
            continue
        word = token.lower if token.capital or token.lower != "miss" else ""  # Miss, but: we miss her
        gendered = word in GENDERED[of] or word.removesuffix("s") in GENDERED[of]
        if gendered and (_describes(reading, at) or at + 1 in own or (reading.lower(at + 1) == "," and at + 2 in own)):
            return "another word may state the same person's gender"
        if at < last and (word in GENDERED[of] or _may_be_name(reading, at)):
            return "a pronoun in it may refer to another person"
    return ""


def _is_subordinate(reading: TokenisedText, at: int, mention: int) -> bool:
    """Whether the mention follows in the same sentence, which starts like "When she arrived, Ana ..."."""
    start = next((i for i in range(at, -1, -1) if reading.at(i).first), 0)
    same = not any(reading.at(i).first for i in range(at + 1, mention + 1))
    return (
        same
        and reading.lower(start) in LISTS["subordinate"]
        and any(reading.lower(i) == "," for i in range(at, mention))
    )


def _describes(reading: TokenisedText, at: int) -> bool:
    """Whether a noun such as *actress* is predicative: after *is*, *as* or a comma, ignoring articles."""
    passed = DETERMINERS - {"'s"} | MODIFIERS
    before = (reading.lower(i) for i in range(at - 1, at - 5, -1))
    return next((word for word in before if word not in passed and not is_adverb(word)), "") in _BEING


def _may_be_name(reading: TokenisedText, at: int) -> bool:
    """Whether a capital is that of some person's name: not after a preposition of place, not a day or a country."""
    token = reading.at(at)
    if not token.capital or reading.all_capitals or token.lower in FUNCTION | TIMES or len(token.text) < 2:
        return False
    if token.first:
        after = reading.lower(at + 1)
        acts = after in AUXILIARIES or is_verb(after) or after == ","
        known = is_adverb(token.lower) or is_person(token.lower) or is_verb(token.lower)
        return acts and not known and not reading.at(at + 1).capital
    return reading.lower(at - 1) not in _BEFORE_PLACES
