"""The verb after she or he that becomes they: "she has" is "they have"; where one cannot tell, nothing is made."""

from __future__ import annotations

from fairness_checklist.forms import Unfit
from fairness_checklist.grammar import conjugate
from fairness_checklist.perturb.edits import Edit
from fairness_checklist.perturb.tokens import Reading
from fairness_checklist.perturb.words import DETERMINERS, PREPOSITIONS, is_adverb, is_person, listed

__all__ = ["agreed"]

_PLURAL = {
    "is": "are",
    "was": "were",
    "has": "have",
    "does": "do",
    "isn't": "aren't",
    "wasn't": "weren't",
    "hasn't": "haven't",
    "doesn't": "don't",
}
_ASKING = frozenset({"who", "what", "when", "where", "why", "how", ",", "and", "nor", "so", "neither", "only", "which"})
_BETWEEN = frozenset(
    {"also", "still", "never", "always", "often", "just", "now", "already", "even", "not", "soon", "then"}
)
_DONE = listed("been got had gone done become seen taken made given known written")
_NO_VERB = listed("and or but who whom that which to of with for in on at as than")


def agreed(reading: Reading, at: int) -> list[Edit] | Unfit:
    """What changes around a subject that becomes *they*, or why that cannot be told.

    >>> from fairness_checklist.perturb.tokens import read
    >>> agreed(read("She has a cold."), 0)
    [Edit(start=4, end=7, text='have', term=False)]
    >>> agreed(read("She sings and dances."), 0)
    Unfit(reason='a verb further on may belong to the pronoun, too')
    """
    if "'" in reading.lower(at):
        return []  # she'll, she'd
    before = reading.at(at - 1)
    if before.lower in _PLURAL and (before.first or reading.lower(at - 2) in _ASKING):
        return [_edit(reading, at - 1, _PLURAL[before.lower])]
    verb = _past_adverbs(reading, at + 1)
    word = reading.lower(verb)
    if word == "'s":
        return _contracted(reading, verb)
    if word in _PLURAL:
        return _with_others(reading, verb, _PLURAL[word])
    if not reading.at(verb).is_word or word in _NO_VERB:
        return Unfit("no verb stands right behind the pronoun")
    if word.endswith("s") and not word.endswith("ss") and len(word) > 2:
        return _with_others(reading, verb, conjugate(word, "are"))
    return []


def _past_adverbs(reading: Reading, at: int) -> int:
    while is_adverb(reading.lower(at)) or reading.lower(at) in _BETWEEN:
        at += 1
    return at


def _edit(reading: Reading, at: int, word: str) -> Edit:
    token = reading.at(at)
    word = word.upper() if reading.shouted else word[:1].upper() + word[1:] if token.capital else word
    return Edit(token.start, token.end, word)


def _contracted(reading: Reading, verb: int) -> list[Edit] | Unfit:
    """She's: is or has."""
    after = reading.lower(_past_adverbs(reading, verb + 1))
    if after in _DONE:
        return _with_others(reading, verb, "'ve")
    if (
        after.endswith("ing")
        or after in DETERMINERS | PREPOSITIONS
        or reading.lower(verb + 1) in {"not", "very", "too"}
    ):
        return _with_others(reading, verb, "'re")
    return Unfit("a pronoun with 's is read in two ways")


def _with_others(reading: Reading, verb: int, word: str) -> list[Edit] | Unfit:
    """The edit, unless a verb further on in the sentence may have the same subject."""
    for position in range(verb + 1, len(reading.tokens)):
        if reading.lower(position) in {".", "!", "?", ";"}:
            break
        if reading.lower(position) not in {"and", "or", "but", "then", ","}:
            continue
        other = reading.at(_past_adverbs(reading, position + 1))
        low = other.lower
        if low in _PLURAL or (low.endswith("s") and not low.endswith(("ss", "us", "'s")) and len(low) > 3):
            if is_person(low) or low in DETERMINERS or low in {"yes", "always", "perhaps", "besides", "unless", "as"}:
                continue
            return Unfit("a verb further on may belong to the pronoun, too")
    return [_edit(reading, verb, word)]
