"""Misspelled words of English, and words that are no English: by pyspellchecker and a list of common mistakes."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from difflib import SequenceMatcher
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from fairness_checklist.extensions.authoring.lint.derogatory import slurs_in
from fairness_checklist.extensions.authoring.lint.patterns import all_matches, words_of

if TYPE_CHECKING:
    from spellchecker import SpellChecker

_SHORTEST = 3
_SHORT = 4
_LONG = 6
_FREQUENT, _OFTEN, _OFTEST = 1_000, 13_870, 616_000  # counts: of a frequent word, of the 4,000th and of the 250th
_ALIKE = 0.75
_SUFFIX = re.compile(r"(?<=\w{3})(?:ings?|ed|e?r?s|ly)$|(?<=\w{5})(?:ness|less|able|like|wise|ish)$")
_BRITISH = (
    (re.compile("our"), "or"),
    (re.compile("(?<=[iy])s(?=e|ing|ation)"), "z"),
    (re.compile("re(?=s?$)"), "er"),
    (re.compile("ll(?=ed|ing|er|ous|or|ist|ish|ery)"), "l"),
)


@cache
def _checker() -> SpellChecker:
    from spellchecker import SpellChecker

    checker = SpellChecker(language="en", distance=1)
    checker.word_frequency.load_words(words_of("recent english"))
    return checker


@cache
def _counts() -> dict[str, int]:
    """How often each English word of three letters or more occurs."""
    return {word: number for word, number in _checker().word_frequency.dictionary.items() if len(word) >= _SHORTEST}


def is_listed(word: str) -> bool:
    """Whether a word in small letters is in the list of English words itself."""
    return word in _counts()


def is_frequent(word: str, count: int = _FREQUENT) -> bool:
    """Whether a word in small letters is one of the frequent words of English."""
    return _counts().get(word, 0) >= count


@cache
def _by_consonants() -> dict[str, list[str]]:
    """The frequent words of six letters or more by their consonants."""
    groups: dict[str, list[str]] = {}
    for word, count in _counts().items():
        if len(word) >= _LONG and count >= _FREQUENT:
            groups.setdefault(_consonants(word), []).append(word)
    return groups


_SOUNDS = str.maketrans("cqzv", "kksf", "aeiouyhw")


def _consonants(word: str) -> str:
    """The first letter and the consonants after it, each of doubled ones once."""
    rest = word[1:].replace("ph", "f").replace("ck", "k").translate(_SOUNDS)
    return re.sub(r"(.)\1+", r"\1", word[0] + rest)


@lru_cache(maxsize=65536)
def is_english(word: str) -> bool:
    """Whether a word in small letters, or what it is derived from, is in the list of English words."""
    forms = {word}
    for rule, other in _BRITISH:
        forms |= {rule.sub(other, form) for form in forms}
    stems = {_SUFFIX.sub("", form) for form in forms}
    return any(map(is_listed, (*forms, *stems, *(f"{stem}e" for stem in stems))))


_UNDOUBLED = re.compile(r"([^aeiou][aeiou])([bdgklmnprtv])(ed|ing)$")


def _badly_inflected(word: str) -> str:
    """What was meant by "stoped", "makeing" and "tryed", or ""."""
    if is_frequent(word):
        return ""
    meant = (
        _UNDOUBLED.sub(r"\1\2\2\3", word),
        re.sub(r"eing$", "ing", word),
        re.sub(r"(?<=[^aeiou])yed$", "ied", word),
        re.sub(r"(?<=[^aeiou])y(?=s$)", "ie", word),
    )
    return next((form for form in meant if form != word and is_frequent(form)), "")


def right_spelling(word: str) -> str:
    """The frequent word that was meant by a word that is not in the list, or "".

    >>> [right_spelling(word) for word in ("bougt", "restarant", "eachother", "blockchain")]
    ['bought', 'restaurant', 'each other', '']
    """
    near = [other for other in _checker().edit_distance_1(word) if other.isalpha() and is_frequent(other)]
    near = [other for other in near if not any(slurs_in(other))]
    if len(word) == _SHORT:  # too many words of four letters are one letter apart: only letters that changed places
        near = [other for other in near if sorted(other) == sorted(word)]
    if near:
        return max(sorted(near), key=_counts().__getitem__)
    if len(word) >= _LONG:
        alike = [other for other in _by_consonants().get(_consonants(word), []) if abs(len(other) - len(word)) < 3]
        ratio, nearest = max(
            ((SequenceMatcher(None, other, word).ratio(), other) for other in alike), default=(0.0, "")
        )
        if ratio >= _ALIKE:
            return nearest
    for at in range(_SHORTEST, len(word) - _SHORTEST + 1):
        if is_frequent(word[:at], _OFTEST) and is_frequent(word[at:], _OFTEST):
            return f"{word[:at]} {word[at:]}"
    return ""


@cache
def _common_mistakes() -> dict[str, str]:
    return dict(pair.split(">") for pair in words_of("misspelling"))


_SMALL = re.compile(r"(?<![\w'\u2019.@#/-])[^\W\d_A-Z]{2,}(?![\w'\u2019@/-])")
_AT_START = re.compile(r"(?:^|[.!?] )([A-Z][a-z]{5,})(?![\w'\u2019-])(?= [a-z{\x01-\x06])")


def misspelled(text: str, known: Collection[str] = ()) -> Iterator[tuple[str, str]]:
    """Misspelled words of an English text, and words that were taken for others, with what is right.

    >>> list(misspelled("I definately saw the rain, wich was louder then usual."))
    [('louder then usual', 'than'), ('definately', 'definitely'), ('wich', 'which')]
    """
    common = _common_mistakes()
    for rule, match in all_matches("word taken for another", text):
        yield match.group(), rule.advice
    for word in dict.fromkeys(_SMALL.findall(text)):
        if word in common:
            yield word, common[word].replace("_", " ")
        elif word not in known and not is_listed(word) and _badly_inflected(word):
            yield word, _badly_inflected(word)
        elif len(word) >= _SHORT and word.isascii() and word not in known and not is_english(word):
            right = right_spelling(word)
            if right:
                yield word, right
    for first in _AT_START.findall(text):
        word = first.lower()
        right = common.get(word, "")
        if not right and word not in known and not is_english(word):
            right = right_spelling(word)
            right = right if is_frequent(right, _OFTEN) else ""
        if right:
            yield first, right.replace("_", " ")
