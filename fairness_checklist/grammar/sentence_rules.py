"""Rules that a rendered sentence must keep: those of every language, and those of its own."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from fairness_checklist.grammar.articles import article

__all__ = ["sentence_faults"]

_ARTICLE = re.compile(r"\b([Aa]n?) ([\w$£€][\w,.'\u2019-]*)")
_DOUBLED = re.compile(r"\b(\w+) \1\b", re.IGNORECASE)
_SPACING = re.compile(r"  | [,;:!?]| \.(?![\d.])|^\s|\s$")
_MAY_REPEAT = {"en": frozenset({"that", "had", "is"})}


def sentence_faults(text: str, language: str = "en") -> Iterator[tuple[str, str]]:
    """Rules that a sentence breaks, as (rule, what is wrong).

    Args:
        text: a rendered sentence.
        language: whose rules are asked.

    >>> list(sentence_faults("she met a hour-long  film film."))
    [('article', "'a hour-long' should be 'an'"), ('doubled', "'film' stands twice"), ('spacing', 'a space too many'), \
('capital', 'no capital at the start')]
    """
    yield from _OF_LANGUAGE[language](text)
    doubled = [m.group(1) for m in _DOUBLED.finditer(text) if m.group(1).lower() not in _MAY_REPEAT[language]]
    if doubled:
        yield "doubled", f"'{doubled[0]}' stands twice"
    if _SPACING.search(text):
        yield "spacing", "a space too many"
    letters = text.lstrip("\"'\u201c\u2018(")
    if letters[:1].islower():
        yield "capital", "no capital at the start"
    if "{" in text or "}" in text:
        yield "parse", "a brace is left"
    if "](" in text:
        yield "parse", "a mark is left that is no [text](TYPE)"


def _english(text: str) -> Iterator[tuple[str, str]]:
    for said, word in _ARTICLE.findall(text):
        if article(word) != said.lower() and not _is_letter_name(said, text):
            yield "article", f"'{said} {word.rstrip('.,')}' should be '{article(word)}'"
            break


def _is_letter_name(said: str, text: str) -> bool:
    """Whether "A" is a name or grade rather than an article: it stands in the middle of a sentence with a capital."""
    return said == "A" and not text.startswith("A ") and not re.search(r"[.!?:\"\u201c] A ", text)


_OF_LANGUAGE: Mapping[str, Callable[[str], Iterator[tuple[str, str]]]] = {"en": _english}
