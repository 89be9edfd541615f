"""The patterns and words of the linter, which are data; slurs, kept as hashes; spelling by a package.

A pattern is a regular expression without regard to capitals, in which ``<NAME>`` stands for a fragment. In texts of
templates the marks of `template_rules` stand for slots.
"""

from __future__ import annotations

import csv
import hashlib
import re
import unicodedata
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from fairness_checklist.content.grammar.language import read_words

if TYPE_CHECKING:
    from spellchecker import SpellChecker

_FOLDER = Path(__file__).parent
_LARGE = re.compile(r"(?<!\\)(?<!\(\?)[A-Z]")  # letters of a pattern: not \W, not (?P<name>


@cache
def rules_left_out() -> list[str]:
    """The rules whose package is not installed: the extra ``lint`` brings it."""
    return [] if find_spec("spellchecker") else ["spelling"]


@dataclass(frozen=True)
class Pattern:
    """One row of `patterns.csv`: the compiled pattern, a fast one for small letters, and what to write instead."""

    regex: re.Pattern[str]
    advice: str
    small: re.Pattern[str] | None


@cache
def patterns() -> dict[str, tuple[Pattern, ...]]:
    """The patterns of each rule, in the order in which they are tried."""
    fragments: dict[str, str] = {}
    compiled: dict[str, tuple[Pattern, ...]] = {}
    for name in ("fragments.csv", "patterns.csv"):  # a fragment may hold those above it
        with (_FOLDER / name).open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                whole = re.sub(r"<([A-Z_]+)>", lambda match: fragments[match[1]], row["pattern"])
                if name == "fragments.csv":
                    fragments[row["name"]] = whole
                else:
                    small = None if "(?-i" in whole else re.compile(_LARGE.sub(lambda match: match[0].lower(), whole))
                    entry = Pattern(re.compile(whole, re.IGNORECASE), row["advice"], small)
                    compiled[row["rule"]] = (*compiled.get(row["rule"], ()), entry)
    return compiled


def pattern(rule: str) -> re.Pattern[str]:
    """The pattern of a rule that has one."""
    (only,) = patterns()[rule]
    return only.regex


def all_matches(rule: str, text: str) -> Iterator[tuple[Pattern, re.Match[str]]]:
    """The patterns of a rule that occur in a text, with their first match."""
    small = text.lower()
    return (
        (entry, match)
        for entry in patterns()[rule]
        if (entry.small is None or entry.small.search(small)) and (match := entry.regex.search(text))
    )


def first_match(rule: str, text: str) -> re.Match[str] | None:
    """The match of the first pattern of a rule that occurs in a text."""
    return next((match for _entry, match in all_matches(rule, text)), None)


@cache
def words_of(rule: str) -> frozenset[str]:
    return read_words(_FOLDER / "words.csv")[rule]


def phrases_in(text: str, *, is_term: bool = False) -> Iterator[tuple[str, str]]:
    """The derogatory phrases in a text, with what to write instead; some are derogatory in a term for people only."""
    for rules in ("phrase", "phrase as a term") if is_term else ("phrase",):
        matches = [(match.start(), match.group().strip(), rule.advice) for rule, match in all_matches(rules, text)]
        yield from ((phrase, advice) for _start, phrase, advice in sorted(matches))
        if matches:
            return


def masked(word: str) -> str:
    """A slur as it may be printed: its first letter."""
    return word[0] + "*" * (len(word) - 1)


_DISGUISES = str.maketrans("@013457$!|", "aoieastsii")
_JOINED = 3  # words that may spell one slur: "half-breed", "half breed"
_SHORTEST = 3
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_SPELT = re.compile(r"(?<![\w'\u2019])(?:[^\W\d_][ .-]){2,}[^\W\d_](?![\w'\u2019])")  # one letter at a time
_WORD = re.compile(r"[^\W_](?:[\w'\u2019@$!|*-]*[^\W_])?")


def slurs_in(text: str, *, is_term: bool = False) -> Iterator[str]:
    """The slurs in a text, as they are written there; some words are slurs as a term for people only.

    >>> list(slurs_in("Those midgets and m1d-gets won."))
    ['midgets', 'm1d-gets']
    """
    joined = _SPELT.sub(lambda match: re.sub(r"[ .-]", "", match.group()), text)
    for phrase in re.split(r"[^\w\s@$!|*'\u2019-]+", joined):  # no slur across a comma or a slot
        words = _WORD.findall(phrase)
        end = 0
        for start in range(len(words)):
            for number in range(min(_JOINED, len(words) - start), 0, -1) if start >= end else ():
                scopes = {"any", "term"} if is_term and number == len(words) else {"any"}
                if not scopes.isdisjoint(_scopes("".join(words[start : start + number]))):
                    yield " ".join(words[start : start + number])
                    end = start + number
                    break


@lru_cache(maxsize=65536)
def _scopes(word: str) -> frozenset[str]:
    """Where a word or its singular is a slur: "any", "term", or nowhere. A star stands for any letter."""
    plain = "".join(char for char in unicodedata.normalize("NFKD", word.casefold()) if not unicodedata.combining(char))
    spellings = {re.sub("[^a-z*]", "", plain.replace("1", letter).translate(_DISGUISES)) for letter in "ily"}
    if "*" in plain:
        spellings = {form.replace("*", char) for form in spellings if form.count("*") == 1 for char in _LETTERS}
    forms = {form for spelling in spellings if len(spelling) >= _SHORTEST for form in _singulars(spelling)}
    hashes = (hashlib.sha256(form.encode()).hexdigest() for form in forms)
    return frozenset(_slur_hashes()[digest] for digest in hashes if digest in _slur_hashes())


def _singulars(word: str) -> set[str]:
    """What a word may be the plural of, and itself."""
    return {word, word.removesuffix("s"), re.sub("ies$", "y", word), re.sub("(?:(?<=[sxzo])|(?<=[cs]h))es$", "", word)}


@cache
def _slur_hashes() -> dict[str, str]:
    """The scope of each hash: "any", or "term" for words that have other senses elsewhere."""
    lines = (_FOLDER / "slurs.sha256").read_text(encoding="utf-8").splitlines()
    return dict(line.split() for line in lines if not line.startswith("#"))


_FREQUENT = 1_000  # occurrences of a frequent word in the list of pyspellchecker
_SHORTEST_MISSPELLED = 5
_BRITISH = (("our", "or"), ("(?<=[iy])s(?=e|ing|ation)", "z"), ("re(?=s?$)", "er"), ("ll(?=ed|ing|er|ous)", "l"))


@cache
def _checker() -> SpellChecker:
    from spellchecker import SpellChecker

    checker = SpellChecker(language="en", distance=1)
    checker.word_frequency.load_words(words_of("recent english"))
    return checker


@cache
def word_counts() -> dict[str, int]:
    """How often each English word occurs; none without pyspellchecker."""
    return {} if "spelling" in rules_left_out() else dict(_checker().word_frequency.dictionary)


def is_english(word: str) -> bool:
    """Whether a word in small letters is in the list of English words, in American or British spelling."""
    american = word
    for british, other in _BRITISH:
        american = re.sub(british, other, american)
    return not word_counts().keys().isdisjoint({word, american})


_WORDS = re.compile(r"(?<![\w'\u2019.@#/-])(?:^[A-Z])?[^\W\d_A-Z]{2,}(?![\w'\u2019@/-])", re.MULTILINE)


def misspelled(text: str, terms: Collection[str] = ()) -> Iterator[tuple[str, str]]:
    """Misspelled words of an English text, and words that were taken for others, with what is right."""
    if "spelling" in rules_left_out():
        return
    common = dict(pair.split(">") for pair in words_of("misspelling"))
    for rule, match in all_matches("word taken for another", text):
        yield match.group(), rule.advice
    for word in dict.fromkeys(_WORDS.findall(text)):
        right = common.get(word.lower(), "") or ("" if word in terms else _correction(word))
        if right:
            yield word, right.replace("_", " ")


@lru_cache(maxsize=65536)
def _correction(word: str) -> str:
    """The frequent word that is one letter away from a word in small letters that is not in the list, or ""."""
    if len(word) < _SHORTEST_MISSPELLED or not (word.isascii() and word.islower()) or is_english(word):
        return ""
    right = _checker().correction(word) or ""
    return right if word_counts().get(right, 0) >= _FREQUENT and not any(slurs_in(right)) else ""


def capital_missing(text: str) -> str:
    """The first word in a text that is always written with a capital and is small here, or ""."""
    small = re.sub(r"\{[^}]*\}", "{}", pattern("small in compounds").sub("", text))
    return next((word for word in re.findall(r"[A-Za-z']+", small) if word in words_of("capital")), "")
