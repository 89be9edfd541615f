"""The languages that there are, and which one a file is in."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from fairness_checklist.content.grammar import english, spanish
from fairness_checklist.content.grammar.language import Grammar
from fairness_checklist.core.errors import OptionError

LANGUAGES: dict[str, Grammar] = {english.code: english, spanish.code: spanish}
DEFAULT = english.code


def get(code: str) -> Grammar:
    """The grammar of a language.

    Raises:
        OptionError: no such language.
    """
    if not isinstance(code, str) or code not in LANGUAGES:
        known = ", ".join(f"{one.code} ({one.name})" for one in LANGUAGES.values())
        raise OptionError(f"the language {code!r} is not known.", remedy=f"Known languages: {known}.")
    return LANGUAGES[code]


def folder_of(code: str) -> str:
    """The folder inside ``templates`` and ``identity_terms`` that holds the files of a language; "" of English.

    >>> folder_of("en"), folder_of("es")
    ('', 'es')
    """
    return "" if get(code).code == DEFAULT else code


def language_of(path: str | Path) -> str:
    """The language of a file of templates or terms: that of its folder, else English."""
    folder = Path(path).absolute().parent.name
    return folder if folder in LANGUAGES else DEFAULT


DOUBLED = re.compile(r"(?!(?-i:[A-Z])\w+ (?-i:[A-Z]))\b(\w+) \1\b", re.IGNORECASE)  # Bora Bora is a name
_INNER_CAPITAL = re.compile(r"[a-z]+[A-Z]")  # iPhone, eBay
# Two words of the same last two letters, or the same single letter: a quick look before the rule above. A pattern that
# starts with a space is searched several times as fast as one that starts at any letter.
_SAME_END = re.compile(r" (?:(?<=(\w\w) )\w++(?<=\1)|(?<=\b(\w) )\2\b)")
_SPACING = re.compile(r" (?: |(?![:;]-?[()DP])[,;:!?]|\.(?![\d.]))")  # :) is by itself


@lru_cache(maxsize=65536)
def edges(words: str, language: str) -> object:
    """What decides which rules of `sentence_faults` words break in a sentence: those with the same break the same."""
    own = [rule for rule, _fault in sentence_faults(words, language) if rule != "capital"]
    if own or not (words[:1].isalnum() and words[-1:].isalnum()):
        return words
    return words[0].islower() and _INNER_CAPITAL.match(words) is None, get(language).edges(words)


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
    grammar = get(language)
    yield from grammar.sentence_faults(text)
    if _SAME_END.search(text.lower()):
        doubled = [m.group(1) for m in DOUBLED.finditer(text) if m.group(1).lower() not in grammar.may_repeat]
        if doubled:
            yield "doubled", f"'{doubled[0]}' appears twice"
    if text != text.strip() or _SPACING.search(text):
        yield "spacing", "a space too many"
    letters = text.lstrip(grammar.openers)
    if letters[:1].islower() and not _INNER_CAPITAL.match(letters):
        yield "capital", "no capital at the start"
    if "{" in text or "}" in text:
        yield "parse", "a brace is left"
    if "](" in text:
        yield "parse", "a mark is left that is no [text](TYPE)"
