"""Misspelled words of English, and words that are no English: by a list of words and of common mistakes."""

from __future__ import annotations

import gzip
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cache, lru_cache
from pathlib import Path

from fairness_checklist.extensions.authoring.lint.patterns import all_matches, words_of

_LIST = "english_words.txt.gz"
_SHORT = 4
_LONG = 6
_SUFFIX = re.compile(r"(?<=\w{3})(?:ings?|ed|e?r?s|ly)$|(?<=\w{5})(?:ness|less|able|like|wise|ish)$")
_BRITISH = (
    (re.compile("our"), "or"),
    (re.compile("(?<=[iy])s(?=e|ing|ation)"), "z"),
    (re.compile("re(?=s?$)"), "er"),
    (re.compile("ll(?=ed|ing|er|ous|or|ist|ish|ery)"), "l"),
)
_LETTERS = "abcdefghijklmnopqrstuvwxyz"


@dataclass(frozen=True, eq=False)
class _Words:
    """The list of words.

    Attributes:
        ranks: frequent words, the most frequent first, with their rank.
        rare: all others.
        by_consonants: of frequent words of six letters or more those that have the same consonants.
    """

    ranks: dict[str, int]
    rare: frozenset[str]
    by_consonants: dict[str, list[str]]

    def __contains__(self, word: str) -> bool:
        return word in self.ranks or word in self.rare


@cache
def _words() -> _Words:
    text = gzip.decompress(Path(__file__).with_name(_LIST).read_bytes()).decode("ascii")
    _licence, frequent, rare = text.split("\n\n")
    ranks = {word: rank for rank, word in enumerate(frequent.split("\n"))}
    groups: dict[str, list[str]] = {}
    for word in ranks:
        if len(word) >= _LONG:
            groups.setdefault(_consonants(word), []).append(word)
    return _Words(ranks, frozenset(rare.split("\n")), groups)


_SOUNDS = str.maketrans("cqzv", "kksf", "aeiouyhw")


def _consonants(word: str) -> str:
    """The first letter and the consonants after it, each of doubled ones once."""
    rest = word[1:].replace("ph", "f").replace("ck", "k").translate(_SOUNDS)
    return re.sub(r"(.)\1+", r"\1", word[0] + rest)


@lru_cache(maxsize=65536)
def is_english(word: str) -> bool:
    """Whether a word in small letters, or what it is derived from, is in the list of English words."""
    words, forms = _words(), {word}
    for rule, other in _BRITISH:
        forms |= {rule.sub(other, form) for form in forms}
    stems = {_SUFFIX.sub("", form) for form in forms}
    return any(form in words for form in (*forms, *stems, *(f"{stem}e" for stem in stems)))


def is_listed(word: str) -> bool:
    """Whether a word in small letters is in the list itself."""
    return word in _words()


def is_frequent(word: str) -> bool:
    """Whether a word in small letters is one of the frequent words of English."""
    return word in _words().ranks


_UNDOUBLED = re.compile(r"([^aeiou][aeiou])([bdgklmnprtv])(ed|ing)$")


def _badly_inflected(word: str) -> str:
    """What was meant by "stoped", "makeing" and "tryed", or ""."""
    ranks = _words().ranks
    if word in ranks:
        return ""
    meant = (
        _UNDOUBLED.sub(r"\1\2\2\3", word),
        re.sub(r"eing$", "ing", word),
        re.sub(r"(?<=[^aeiou])yed$", "ied", word),
        re.sub(r"(?<=[^aeiou])y(?=s$)", "ie", word),
    )
    return next((one for one in meant if one != word and one in ranks), "")


def right_spelling(word: str) -> str:
    """The frequent word that was meant by a word that is not in the list, or "".

    >>> [right_spelling(word) for word in ("bougt", "restarant", "eachother", "blockchain")]
    ['bought', 'restaurant', 'each other', '']
    """
    words = _words()
    near = [one for one in _one_letter_off(word) if one in words.ranks]
    if len(word) == _SHORT:  # too many words of four letters are one letter apart: only letters that changed places
        near = [one for one in near if sorted(one) == sorted(word)]
    if near:
        return min(near, key=lambda one: words.ranks[one])
    if len(word) >= _LONG:
        alike = words.by_consonants.get(_consonants(word), [])
        close = [(SequenceMatcher(None, one, word).ratio(), one) for one in alike if abs(len(one) - len(word)) < 3]
        if close and max(close)[0] >= _ALIKE:
            return max(close)[1]
    for at in range(2, len(word) - 1):
        if max(words.ranks.get(part, _JOINED) for part in (word[:at], word[at:])) < _JOINED:
            return f"{word[:at]} {word[at:]}"
    return ""


_ALIKE = 0.75
_JOINED = 250


def _one_letter_off(word: str) -> Iterator[str]:
    for at in range(len(word) + 1):
        before, after = word[:at], word[at:]
        if after:
            yield before + after[1:]
        if len(after) > 1:
            yield before + after[1] + after[0] + after[2:]
        for letter in _LETTERS:
            if after:
                yield before + letter + after[1:]
            yield before + letter + after


@cache
def _common_mistakes() -> dict[str, str]:
    return dict(pair.split(">") for pair in words_of("misspelling"))


_SMALL = re.compile(r"(?<![\w'\u2019.@#/-])[^\W\d_A-Z]{2,}(?![\w'\u2019@/-])")
_AT_START = re.compile(r"(?:^|[.!?] )([A-Z][a-z]{5,})(?![\w'\u2019-])(?= [a-z{\x01-\x06])")
_OFTEN = 4000


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
        elif word not in known and word not in _words() and _badly_inflected(word):
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
            right = right if _words().ranks.get(right, _OFTEN) < _OFTEN else ""
        if right:
            yield first, right.replace("_", " ")
