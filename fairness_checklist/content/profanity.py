"""Profanity in a text: strong words that are no slurs, so that a suite can leave out the templates that hold them."""

from __future__ import annotations

import re

from fairness_checklist.content.grammar.word_lists import words_of

_WORDS = "|".join(words_of("english profane") | words_of("spanish profane"))
_PROFANE = re.compile(rf"(?<!\w)(?:{_WORDS})s?(?!\w)", re.IGNORECASE)


def profane_words(text: str) -> list[str]:
    """The profane words of a text, as they are written there."""
    return [match.group() for match in _PROFANE.finditer(text)]


def is_profane(text: str) -> bool:
    """Whether a text holds a profane word of a list of our own, in English or Spanish."""
    return _PROFANE.search(text) is not None
