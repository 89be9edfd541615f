"""Slurs, kept as hashes, in any spelling."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from pathlib import Path

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
