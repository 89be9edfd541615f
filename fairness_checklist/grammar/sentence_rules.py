"""Rules that a rendered sentence must keep: those of every language, and those of its own."""

from __future__ import annotations

import re
from collections.abc import Iterator

from fairness_checklist.grammar.languages import get

__all__ = ["sentence_faults"]

_DOUBLED = re.compile(r"(?!(?-i:[A-Z])\w+ (?-i:[A-Z]))\b(\w+) \1\b", re.IGNORECASE)  # Bora Bora is a name
_INNER_CAPITAL = re.compile(r"[a-z]+[A-Z]")  # iPhone, eBay
_SPACING = re.compile(r"  | (?![:;]-?[()DP])[,;:!?]| \.(?![\d.])|^\s|\s$")  # :) stands by itself


def sentence_faults(text: str, language: str = "en") -> Iterator[tuple[str, str]]:
    """Rules that a sentence breaks, as (rule, what is wrong).

    Args:
        text: a rendered sentence.
        language: whose rules are asked.

    >>> list(sentence_faults("she met a hour-long  film film."))
    [('article', "'a hour-long' should be 'an'"), ('doubled', "'film' stands twice"), ('spacing', 'a space too many'), \
('capital', 'no capital at the start')]
    >>> list(sentence_faults("eBay sold it."))
    []
    >>> list(sentence_faults("Vi a el vecino.", "es"))
    [('contraction', "'a el' should be 'al'")]
    """
    own = get(language)
    yield from own.sentence_faults(text)
    doubled = [m.group(1) for m in _DOUBLED.finditer(text) if m.group(1).lower() not in own.may_repeat]
    if doubled:
        yield "doubled", f"'{doubled[0]}' stands twice"
    if _SPACING.search(text):
        yield "spacing", "a space too many"
    letters = text.lstrip(own.openers)
    if letters[:1].islower() and not _INNER_CAPITAL.match(letters):
        yield "capital", "no capital at the start"
    if "{" in text or "}" in text:
        yield "parse", "a brace is left"
    if "](" in text:
        yield "parse", "a mark is left that is no [text](TYPE)"
