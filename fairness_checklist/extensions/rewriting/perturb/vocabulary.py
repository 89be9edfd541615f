"""Word lists for reading the context, in lower case: closed classes, verbs, and nouns for persons and things."""

from __future__ import annotations

import csv
import re
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

Tense = Literal["base", "third", "past"]


def word_set(text: str) -> frozenset[str]:
    """The words of a text, which reads better than a list of them."""
    return frozenset(text.split())


def word_lists(path: Path, table: str = "lists") -> dict[str, frozenset[str]]:
    """The word lists of a table of a TOML file by name."""
    return {name: word_set(words) for name, words in tomllib.loads(path.read_text(encoding="utf-8"))[table].items()}


_FILE = Path(__file__).with_name("words.toml")
LISTS, OTHER_SENSES = word_lists(_FILE), word_lists(_FILE, "other_senses")
PATTERNS = {name: re.compile(pattern) for name, pattern in tomllib.loads(_FILE.read_text("utf-8"))["patterns"].items()}
POSSESSIVES = word_set("my your his her its our their whose")
DETERMINERS = POSSESSIVES | LISTS["determiners"]
PREPOSITIONS = LISTS["prepositions"]
BE = word_set("am is are was were be been being isn't aren't wasn't weren't 's 're 'm")
AUXILIARIES = BE | LISTS["auxiliaries"]
PRONOUNS = LISTS["pronouns"]
FUNCTION = DETERMINERS | PREPOSITIONS | AUXILIARIES | PRONOUNS | LISTS["conjunctions"]
TIMES = LISTS["times"]
TITLES = LISTS["titles"]
COMMUNITIES = LISTS["communities"]  # groups of persons ("family")
THINGS = LISTS["things"]  # what countries have ("embassy", "wine")
MODIFIERS = LISTS["modifiers"]  # between an identity and a noun for persons ("a deaf college student")
KIN = LISTS["kin"]
GENDERED = {"she": LISTS["gendered_she"], "he": LISTS["gendered_he"]}
OF_SENTENCES = LISTS["of_sentences"]  # adverbs about the whole statement, which "not" follows
ADVERBS = LISTS["adverbs"] | OF_SENTENCES  # those that may stand by a verb, beside those in -ly
_PERSONS = LISTS["persons"]
_PLURAL_PERSONS = {"children": "child", "men": "man", "women": "woman", "people": "person", "gentlemen": "gentleman"}
_LY_NOUNS = word_set("family fly reply supply belly jelly lily ally assembly bully")


def is_adverb(word: str) -> bool:
    """Whether a word is an adverb by its ending."""
    return word.endswith("ly") and len(word) > 3 and word not in _LY_NOUNS


def person_singular(word: str) -> str:
    """The singular of a noun for persons, "" where it is none that we know.

    >>> person_singular("waiters"), person_singular("women"), person_singular("tables")
    ('waiter', 'woman', '')
    """
    if word in _PERSONS and word not in _PLURAL_PERSONS:
        return word
    if word in _PLURAL_PERSONS:
        return _PLURAL_PERSONS[word]
    for ending, instead in (("ies", "y"), ("es", ""), ("s", "")):
        stem = word[: -len(ending)] + instead
        if word.endswith(ending) and stem in _PERSONS:
            return stem
    stem = word.removesuffix("s")
    if re.fullmatch(r"[a-z-]{3,}(?:ist|ician|woman|person|ologist)", stem) and stem not in LISTS["not_ist"]:
        return stem
    return ""


def is_person(word: str) -> bool:
    """Whether a word is a noun for persons, singular or plural."""
    return person_singular(word) != ""


def is_verb(word: str) -> bool:
    """Whether a word is a finite verb that we know, or ends like a past form."""
    return word in LISTS["verbs"] or (word.endswith("ed") and len(word) > 4)


def may_follow_noun(word: str) -> bool:
    """Whether a word does not make the noun before it a part of a compound ("woman smiled", not "mother tongue").

    >>> may_follow_noun("smiled"), may_follow_noun("who"), may_follow_noun("tongue")
    (True, True, False)
    """
    return not word[:1].isalnum() or word in FUNCTION or is_verb(word) or is_adverb(word) or word.endswith("ing")


@dataclass(frozen=True)
class Verb:
    """A verb and its forms."""

    base: str
    third: str
    past: str
    participle: str


@cache
def known_verbs() -> dict[str, Verb]:
    """The verbs of ``verbs.csv`` by their base form; no form is guessed from its ending."""
    with Path(__file__).with_name("verbs.csv").open(encoding="utf-8", newline="") as rows:
        return {row["base"]: Verb(**row) for row in csv.DictReader(rows)}


@cache
def _forms() -> dict[str, tuple[tuple[Verb, Tense], ...]]:
    forms: dict[str, tuple[tuple[Verb, Tense], ...]] = {}
    tenses: tuple[Tense, ...] = ("base", "third", "past")
    for verb in known_verbs().values():
        for tense in tenses:
            form = getattr(verb, tense)
            forms[form] = (*forms.get(form, ()), (verb, tense))
    return forms


def finite_forms(word: str) -> tuple[tuple[Verb, Tense], ...]:
    """What a word in small letters is a finite form of ("read": base and past); nothing where no known verb has it."""
    return _forms().get(word, ())


def is_base(word: str) -> bool:
    """Whether a word is the base form of a known verb."""
    return any(tense == "base" for _verb, tense in finite_forms(word))


@cache
def _participles() -> frozenset[str]:
    return frozenset(verb.participle for verb in known_verbs().values()) | {"been", "got", "had"}


def is_participle(word: str) -> bool:
    """Whether a word is the past participle of a known verb: seen, not went."""
    return word in _participles()


def is_only_participle(word: str) -> bool:
    """Whether a word is a past participle and no finite form: seen, written; not read, bought or come."""
    return word in {"been", "gotten"} or (word in _participles() - {"got", "had"} and not finite_forms(word))
