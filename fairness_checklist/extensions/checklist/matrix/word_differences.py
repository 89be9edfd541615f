"""The words in which two texts differ."""

from __future__ import annotations

import difflib
import re

_MOST_WORDS = 600  # words of two texts that are aligned one by one
_LETTERS = "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"  # scripts without spaces between words
_PUNCTUATION = '.,;:!?"()\\[\\]{}\u201c\u201d\u2026\u3001\u3002'
_WORDS = re.compile(rf"\s+|[{_LETTERS}]|[{_PUNCTUATION}]|[^\s{_PUNCTUATION}{_LETTERS}]+")


def words_of(text: str) -> list[str]:
    """The words, punctuation and spaces of a text; of scripts without spaces between words, single letters.

    >>> words_of("Well-known, it's new.")
    ['Well-known', ',', ' ', "it's", ' ', 'new', '.']
    """
    return _WORDS.findall(text)


def differing_words(text: str, other: str) -> list[tuple[str, bool]]:
    """A text in parts, each with whether its words differ from those of another text.

    Args:
        text: the text.
        other: the text to compare it with.

    Returns:
        Parts that give the text when joined. Beyond 600 differing words the whole differing stretch is one part.

    >>> differing_words("She is a good writer.", "He is a good painter.")
    [('She', True), (' is a good ', False), ('writer', True), ('.', False)]
    """
    ours, theirs = words_of(text), words_of(other)
    return joined(ours, differing(ours, theirs))


def differing(ours: list[str], theirs: list[str]) -> list[bool]:
    """For each word of a text, whether it differs from the other text; both as `words_of` gives them."""
    first = 0
    while first < min(len(ours), len(theirs)) and ours[first] == theirs[first]:
        first += 1
    last = 0
    while last < min(len(ours), len(theirs)) - first and ours[-1 - last] == theirs[-1 - last]:
        last += 1
    a, b = ours[first : len(ours) - last], theirs[first : len(theirs) - last]
    differs = [False] * len(ours)
    if not a:
        return differs
    if max(len(a), len(b)) > _MOST_WORDS:
        differs[first : first + len(a)] = [True] * len(a)
        return differs
    for kind, start, stop, _, _ in difflib.SequenceMatcher(None, a, b, autojunk=False).get_opcodes():
        if kind in ("replace", "delete"):
            differs[first + start : first + stop] = [True] * (stop - start)
    return differs


def joined(words: list[str], differs: list[bool]) -> list[tuple[str, bool]]:
    """Neighbouring words of one kind as one part; space between two differing words belongs to them."""
    flags = list(differs)
    for at in range(1, len(words) - 1):
        if words[at].isspace():
            flags[at] = differs[at - 1] and differs[at + 1]
    parts: list[tuple[str, bool]] = []
    for word, flag in zip(words, flags, strict=True):
        if parts and parts[-1][1] == flag:
            parts[-1] = (parts[-1][0] + word, flag)
        else:
            parts.append((word, flag))
    return parts
