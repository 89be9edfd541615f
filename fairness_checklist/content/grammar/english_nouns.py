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
ADJECTIVE_ENDING = re.compile(
    r"(?:less|ful|ous|[ai]ble|ic|al|ive|ish|ese|ed|ing|like|some|gender|-(?:free|born|year-old|only|based))$"
)
_NOUN_ENDING = re.compile(
    r"(?:[^aeiou]er|[aeiou][eiou]er|e?eer|or|ist|ian|ee|ster|[^l]ess|man|woman|person|people|mate|smith|wright|crat|naut|ling"
    r"|phile|phobe|path|holic|logue|boy|girl|guy|kid|lady|gentleman|dad|mom|mum|parent|child|folk|[^m]ant|ent)$"
)
_PLURAL = re.compile(r"(?:people|\b(?:\w+wo|wo|police|fire|chair|busi?ness|work)?men|children)$")
_OF_A_PLACE = re.compile(r"[A-Z].*(?:an|ese|ish|ic|i|o|a)$")


@cache
def _lexicon() -> tuple[frozenset[str], frozenset[str]]:
    """The nouns and the adjectives."""
    listed = read_words(Path(__file__).with_name("lexicon.csv"))
    nouns = listed["english noun"] | words_of("english person nouns") | words_of("english people")
    return nouns | words_of("english professions"), listed["english adjective"]


def part_of_speech(term: str) -> tuple[str, str]:
    """ "noun", "adj" or "" (undecided) for a term that is no prepositional phrase, and of a plural the singular.

    >>> [part_of_speech(term)[0] for term in ("truck driver", "person who stutters", "openly gay", "Bolivian", "zorbly")]
    ['noun', 'noun', 'adj', 'adj', '']
    >>> part_of_speech("truck drivers")
    ('noun', 'truck driver')
    """
    words = term.split()
    end = next((at for at, word in enumerate(words) if at and word.lower() in PREPOSITIONS | _CLAUSE), len(words))
    *before, head = words[:end]
    parts = head.split("-")
    until = next((at for at, part in enumerate(parts) if at and part.lower() in PREPOSITIONS), len(parts))
    last = parts[until - 1]
    joined = _of_word(head)
    kind, singular = joined if joined[0] else _of_word(last) if last else joined
    if before and (before[-1].endswith("ly") or before[-1].lower() in {"very", "and", "not"}):  # "openly gay"
        kind, singular = ("adj", "") if last.lower() in _lexicon()[1] else (kind, singular)
    if not singular:
        return kind, ""
    stem = singular if joined[1] else "-".join([*parts[: until - 1], singular, *parts[until:]])
    return kind, " ".join([*before, stem, *words[end:]])


def _of_word(word: str) -> tuple[str, str]:
    """The part of speech of one word, and of a plural the singular."""
    nouns, adjectives = _lexicon()
    small = word.lower().replace("\u2019", "'")
    if _PLURAL.search(small):
        return "noun", _singulars(word)[0]
    if small in nouns or small in adjectives:
        return "noun" if small in nouns else "adj", ""
    for form in _singulars(small):
        if len(form) > 2 and (form in nouns or form in adjectives):
            return "noun", form if word.islower() else word[0] + form[1:]
    if re.search(r"\d", small):
        return "adj", ""
    if ADJECTIVE_ENDING.search(small) or _is_comparative(small, adjectives) or _OF_A_PLACE.fullmatch(word):
        return "adj", ""
    ends = _NOUN_ENDING.search(small) is not None and len(small) > 4
    if ends or any(_NOUN_ENDING.search(form) and len(form) > 4 for form in _singulars(small)):
        return "noun", "" if ends else _singulars(small)[0]
    return "", ""


def _singulars(word: str) -> tuple[str, ...]:
    """What a word may be the plural of."""
    if word.endswith("people"):
        return (word.removesuffix("people") + "person",)
    if word.endswith(("ss", "ous")):
        return ()
    if word.endswith("i"):
        return (word[:-1] + "us",)
    ves = (word[:-3] + "fe", word[:-3] + "f") if word.endswith("ves") else ()
    return (*ves, *singulars(word)[1:])


def _is_comparative(word: str, adjectives: frozenset[str]) -> bool:
    """Whether a word is the comparative or superlative of a listed adjective: taller, happiest."""
    match = re.fullmatch(r"(.+?)(?:er|est)", word)
    if match is None:
        return False
    stem = match[1]
    return not adjectives.isdisjoint({stem, stem + "e", re.sub("i$", "y", stem), re.sub(r"([a-z])\1$", r"\1", stem)})
