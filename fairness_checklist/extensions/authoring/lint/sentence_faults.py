"""Rules that a sentence or a term breaks, by its language."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Protocol

from fairness_checklist.extensions.authoring.lint import english_faults, spanish_faults


class _LanguageRules(Protocol):
    """The rules of one language, which a module implements; a fault is (rule, what is wrong)."""

    openers: str  # characters that may come before the capital of a sentence
    may_repeat: frozenset[str]  # words that may rightly appear twice in a row

    def sentence_faults(self, text: str) -> Iterator[tuple[str, str]]: ...

    def edges(self, words: str) -> object: ...  # see `edges`

    def term_fault(self, term: str, pos: str, plural: str) -> str: ...  # about its part of speech, or ""


RULES_OF_LANGUAGE: dict[str, _LanguageRules] = {"en": english_faults, "es": spanish_faults}
_DOUBLED = re.compile(r"(?!(?-i:[A-Z])\w+ (?-i:[A-Z]))(?<!\w['’])\b(\w+) \1\b", re.IGNORECASE)  # Bora Bora; Baha'i I
_INNER_CAPITAL = re.compile(r"[a-z]+[A-Z]")  # iPhone, eBay
_SAME_END = re.compile(r" (?:(?<=(\w\w) )\w++(?<=\1)|(?<=\b(\w) )\2\b)")  # a quick look before the rule above
# "a spineless, spineless fraud"; "a long, long way" and "is very, very good" are right
_DOUBLED_AFTER_COMMA = re.compile(
    r"\b(?:an?|the|my|your|our|his|her|their|such|so|is|was|are|were|this|that|una?|el|la|es|era|tan) "
    r"((?!(?:very|really|much|many|more|long|never|ever|only|just|muy)\b)\w{4,}), "
    r"\1 (?!(?:that|which|who|where|in|of|and|or|for|to|as|que|de|y)\b)",
    re.IGNORECASE,
)
_SPACING = re.compile(r" (?: |(?![:;]-?[()DP])[,;:!?]|\.(?![\d.]))")  # :) is by itself


@lru_cache(maxsize=65536)
def edges(words: str, language: str) -> object:
    """What decides which rules of `sentence_faults` words break in a sentence: those with the same break the same."""
    rules = {rule for rule, _fault in sentence_faults(words, language)} - {"capital"}
    if rules or not (words[:1].isalnum() and words[-1:].isalnum()):
        return words
    return words[0].islower() and _INNER_CAPITAL.match(words) is None, RULES_OF_LANGUAGE[language].edges(words)


def sentence_faults(text: str, language: str = "en") -> Iterator[tuple[str, str]]:
    """Rules that a sentence breaks, as (rule, what is wrong).

    >>> list(sentence_faults("she met a hour-long  film film."))
    [('article', "'a hour-long' should be 'an'"), ('doubled', "'film' appears twice"), \
    ('spacing', 'a space too many'), ('capital', 'no capital at the start')]
    >>> list(sentence_faults("eBay sold it."))
    []
    >>> list(sentence_faults("Vi a el vecino.", "es"))
    [('contraction', "'a el' should be 'al'")]
    """
    rules = RULES_OF_LANGUAGE[language]
    yield from rules.sentence_faults(text)
    matches = _DOUBLED.finditer(text) if _SAME_END.search(text.lower()) else iter(())
    repeated = (match[1].lower() for match in matches)
    if doubled := next((word for word in repeated if word not in rules.may_repeat), ""):
        yield "doubled", f"'{doubled}' appears twice"
    if ", " in text and (again := _DOUBLED_AFTER_COMMA.search(text)):
        yield "doubled", f"'{again[1].lower()}' appears twice"
    if text != text.strip() or _SPACING.search(text):
        yield "spacing", "a space too many"
    letters = text.lstrip(rules.openers)
    if letters[:1].islower() and not _INNER_CAPITAL.match(letters):
        yield "capital", "no capital at the start"
    if "{" in text or "}" in text:
        yield "parse", "a brace is left"
    if "](" in text:
        yield "parse", "a mark is left that is no [text](TYPE)"
