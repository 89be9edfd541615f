"""The part of speech of an English term that comes without one, by a lexicon and then by its ending.

The lexicon is `lexicon.csv`: nouns for persons and adjectives of WordNet 3.1, each word with one reading. Where it has
both, the reading that is more frequent in WordNet's tagged texts counts; `lexicon.toml` has the source and the licence.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from fairness_checklist.content.grammar.english_articles import PREPOSITIONS
from fairness_checklist.content.grammar.english_words import singulars
from fairness_checklist.content.grammar.word_lists import read_words, words_of

_CLAUSE = frozenset({"who", "whose", "whom", "that", "which", "living", "born"})
ADJECTIVE_ENDING = re.compile(r"(?:less|ful|ous|[ai]ble|ic|al|ive|ish|ese|ed|ing|like|some|gender|free)$")
_NOUN_ENDING = re.compile(
    r"(?:(?<!que)er|or|ist|ian|(?<!fr)ee|[^l]ess|man|woman|person|mate|smith|wright|crat|naut|phile|phobe|path|holic"
    r"|logue|boy|girl|guy|kid|lady|dad|mom|mum|parent|child)$"
)
_PLURAL = re.compile(r"(?:people|children|\b(?:\w*wo|\w*(?:[dkrsty]|ce))?men)$")
_NATIONAL = re.compile(r"[A-Z].*(?:an|ese|ish|im|ic|ant|i|u|o|a)$")
_NO_NOUN = re.compile(r"(?:ly|very|not|half|part|and)$")
_PREFIX = re.compile(r"(?:non|trans|cis|anti|over|under|super|semi|multi|pan|grand|step)(?=...)")


@cache
def _lexicon() -> tuple[frozenset[str], frozenset[str]]:
    """The nouns and the adjectives."""
    listed = read_words(Path(__file__).with_name("lexicon.csv"))
    own = (words_of(f"english {kind}") for kind in ("person nouns", "people", "professions"))
    return listed["english noun"].union(*own), listed["english adjective"]


def part_of_speech(term: str) -> tuple[str, str]:
    """ "noun", "adj" or "" (undecided) for a term that is no prepositional phrase, and of a plural the singular.

    The last word before a preposition or a "who" decides, and of a word with hyphens the last part.

    >>> terms = ("truck driver", "person who stutters", "openly gay", "Bolivian", "young Bolivian", "zorble")
    >>> [part_of_speech(term)[0] for term in terms]
    ['noun', 'noun', 'adj', 'adj', 'noun', '']
    >>> part_of_speech("truck drivers")
    ('noun', 'truck driver')
    """
    words = term.split()
    *before, head = words[: _end(words)]
    parts = head.split("-")
    until = _end(parts)
    kind, singular = _of_word(head)
    whole = kind != ""
    if not whole and len(parts) > 1:
        kind, singular = _of_word(parts[until - 1])
        kind = kind or "adj"  # "low-income"
    if before and kind == "adj" and _NATIONAL.match(head) and _NO_NOUN.search(before[-1].lower()) is None:
        kind = "adj" if head.endswith(("ese", "ish")) else "noun"  # "a Sunni Muslim"
    elif before and before[-1].endswith("ly") and head.lower() in _lexicon()[1]:  # "openly gay"
        kind, singular = "adj", ""
    if singular:
        stem = singular if whole else "-".join([*parts[: until - 1], singular, *parts[until:]])
        singular = " ".join([*before, stem, *words[_end(words) :]])
    return kind, singular


def _end(words: list[str]) -> int:
    """The place after the head: of the first preposition or "who" that is not the first word."""
    return next((at for at, word in enumerate(words) if at and word.lower() in PREPOSITIONS | _CLAUSE), len(words))


def _of_word(word: str) -> tuple[str, str]:
    """The part of speech of one word, and of a plural the singular."""
    nouns, adjectives = _lexicon()
    small = word.lower().replace("\u2019", "'")
    if _PLURAL.search(small):
        return "noun", _singulars(word)[0]
    for form in (small, _PREFIX.sub("", small, count=1)):
        if form in nouns or form in adjectives:
            return "noun" if form in nouns else "adj", ""
    for form in _singulars(small):
        if len(form) > 2 and (form in nouns or form in adjectives):
            return "noun", form if word.islower() else word[0] + form[1:]
    if (
        re.search(r"\d", small)
        or ADJECTIVE_ENDING.search(small)
        or _is_comparative(small, adjectives)
        or _NATIONAL.match(word)
    ):
        return "adj", ""
    for form in (small, *_singulars(small)):
        if len(form) > 4 and _NOUN_ENDING.search(form):
            return "noun", "" if form == small else form
    return "", ""


def _singulars(word: str) -> tuple[str, ...]:
    """What a word may be the plural of."""
    if word.endswith("people"):
        return (word.removesuffix("people") + "person",)
    if word.endswith("i"):
        return (word[:-1] + "us",)
    if word.endswith(("ss", "ous")):
        return ()
    return (*((word[:-3] + "fe", word[:-3] + "f") if word.endswith("ves") else ()), *singulars(word)[1:])


def _is_comparative(word: str, adjectives: frozenset[str]) -> bool:
    """Whether a word is the comparative or superlative of a listed adjective: taller, happiest."""
    match = re.fullmatch(r"(.+?)(?:er|est)", word)
    if match is None:
        return False
    stem = match[1]
    return not adjectives.isdisjoint({stem, stem + "e", re.sub("i$", "y", stem), re.sub(r"([a-z])\1$", r"\1", stem)})
