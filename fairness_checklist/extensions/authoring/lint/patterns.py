"""The patterns and words of the linter, which are data; slurs, kept as hashes, in any spelling; misspelled words.

A pattern is a regular expression without regard to capitals, in which ``<NAME>`` stands for a fragment. In texts of
templates the marks of `content_rules` stand for slots.
"""

from __future__ import annotations

import csv
import hashlib
import re
import unicodedata
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from fairness_checklist.content.grammar.word_lists import read_words

if TYPE_CHECKING:
    from spellchecker import SpellChecker


@dataclass(frozen=True)
class Pattern:
    """One row of `patterns.csv`: the compiled pattern, and what to write instead."""

    regex: re.Pattern[str]
    advice: str


def patterns(rule: str) -> tuple[Pattern, ...]:
    """The patterns of a rule, in the order in which they are tried."""
    return _patterns()[rule]


def all_matches(rule: str, text: str) -> Iterator[tuple[Pattern, re.Match[str]]]:
    """The patterns of a rule that occur in a text, with their first match."""
    for entry in patterns(rule):
        match = entry.regex.search(text)
        if match:
            yield entry, match


def first_match(rule: str, text: str) -> re.Match[str] | None:
    """The match of the first pattern of a rule that occurs in a text."""
    return next((match for _entry, match in all_matches(rule, text)), None)


def pattern(rule: str) -> re.Pattern[str]:
    """The pattern of a rule that has one."""
    (only,) = _patterns()[rule]
    return only.regex


@cache
def words_of(rule: str) -> frozenset[str]:
    """The words of a rule."""
    return read_words(Path(__file__).with_name("words.csv"))[rule]


@cache
def _patterns() -> dict[str, tuple[Pattern, ...]]:
    fragments: dict[str, str] = {}

    def whole(text: str) -> str:
        return re.sub(r"<([A-Z_]+)>", lambda name: fragments[name[1]], text)

    for row in _rows("fragments.csv"):  # a fragment may hold those above it
        fragments[row["name"]] = whole(row["pattern"])
    compiled: dict[str, list[Pattern]] = {}
    for row in _rows("patterns.csv"):
        regex = re.compile(whole(row["pattern"]), re.IGNORECASE)
        compiled.setdefault(row["rule"], []).append(Pattern(regex, row["advice"]))
    return {rule: tuple(several) for rule, several in compiled.items()}


def _rows(name: str) -> Iterator[dict[str, str]]:
    with Path(__file__).with_name(name).open(encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file)


_LIST = "slurs.sha256"
_DISGUISES = str.maketrans("@013457$!|", "aoieastsii")
_JOINED = 3  # words that may spell one slur: "half-breed", "half breed"
_SHORTEST = 3
_PLURALS = tuple(
    (re.compile(end), other)
    for end, other in (("ies$", "y"), ("(?<=[^aeiou]o)es$", ""), ("(?<=[sxz])es$|(?<=[cs]h)es$", ""), ("s$", ""))
)
_INFLECTED = re.compile(r"(?<=.{5})(?:y|ish|like|ed|ings?|ery|ly|ness|dom|hood)$")
_TWICE = re.compile(r"([a-z])\1$")
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_SPELT = re.compile(r"(?<![\w'\u2019])(?:[^\W\d_][ .-]){2,}[^\W\d_](?![\w'\u2019])")  # one letter at a time
_WORD = re.compile(r"[^\W_](?:[\w'\u2019@$!|*-]*[^\W_])?")


def slurs_in(text: str, *, is_term: bool = False) -> Iterator[str]:
    """The slurs in a text, as they are written there.

    >>> list(slurs_in("Those midgets and m1d-gets won."))
    ['midgets', 'm1d-gets']
    """
    joined = _SPELT.sub(lambda match: re.sub(r"[ .-]", "", match.group()), text)
    for part in re.split(r"[^\w\s@$!|*'\u2019-]+", joined):  # no slur across a comma or a slot
        yield from _slurs_in_words(_WORD.findall(part), is_term=is_term)


def _slurs_in_words(words: Sequence[str], *, is_term: bool) -> Iterator[str]:
    at = 0
    while at < len(words):
        for number in range(min(_JOINED, len(words) - at), 0, -1):
            scopes = {"any", "term"} if is_term and number == len(words) else {"any"}
            if not scopes.isdisjoint(_scopes("".join(words[at : at + number]))):
                yield " ".join(words[at : at + number])
                at += number - 1
                break
        at += 1


@lru_cache(maxsize=65536)
def _scopes(word: str) -> frozenset[str]:
    """Where a word or what it may be a form of is a slur: "any", "term", or nowhere."""
    return frozenset(_hashes()[form] for form in _forms(word) if form in _hashes())


def _forms(word: str) -> Iterator[str]:
    """The hashes of a word and of what it may be a form of; a star stands for any letter."""
    plain = "".join(char for char in unicodedata.normalize("NFKD", word.casefold()) if not unicodedata.combining(char))
    spelt = [
        re.sub(r"[^a-z*]", "", plain.replace("1", letter).translate(_DISGUISES))
        for letter in ("ily" if "1" in plain else "1")
    ]
    if len(spelt[0].replace("*", "")) < _SHORTEST - 1:
        return
    if "*" in plain:
        spelt = [form.replace("*", letter) for form in spelt if form.count("*") == 1 for letter in _LETTERS]
    for spelling in spelt:
        for stem in _stems(spelling):
            yield hashlib.sha256(stem.encode()).hexdigest()


def _stems(letters: str) -> set[str]:
    """A word, its singular, what it is derived from, and each of them without letters that were repeated."""
    stems = {letters, re.sub(r"([a-z])\1{2,}", r"\1\1", letters), re.sub(r"([a-z])\1{2,}", r"\1", letters)}
    stems |= {end.sub(other, stem) for stem in stems for end, other in _PLURALS}
    bare = {_INFLECTED.sub("", stem) for stem in stems}
    stems |= bare | {_TWICE.sub(r"\1", stem) for stem in bare if len(stem) > _SHORTEST + 2}
    return {stem for stem in stems if len(stem) >= _SHORTEST}


@cache
def _hashes() -> dict[str, str]:
    """The scope of each hash: "any", or "term" for words that have other senses elsewhere."""
    lines = Path(__file__).with_name(_LIST).read_text(encoding="utf-8").splitlines()
    return dict(line.split() for line in lines if not line.startswith("#"))


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
