"""Where the words of a text are."""

from __future__ import annotations

import re

__all__ = ["words"]

_MARKS = (
    "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e8"
    "\u06ea-\u06ed\u0900-\u0903\u093a-\u093c\u093e-\u094f\u0951-\u0957\u0962\u0963\u0981-\u0983\u09bc\u09be-\u09cd"
    "\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u1ab0-\u1aff\u1dc0-\u1dff\u200c\u200d\u20d0-\u20ff\ufe00-\ufe0f\ufe20-\ufe2f"
)
_LETTER = rf"(?:[^\W_][{_MARKS}]*)"
_WORD = re.compile(
    rf"{_LETTER}+(?:[-\u2010\u2011]{_LETTER}+|['\u2019](?![sS](?![^\W_])){_LETTER}+)*|['\u2019][sS](?![^\W_])|\S"
)


def words(text: str) -> list[tuple[int, int]]:
    """Where the words of a text start and end: letters, digits and inner hyphens or apostrophes stay together,
    punctuation stands alone, and ``'s`` stands apart.

    >>> text = "Ana's friend from Guinea-Bissau (Cote d'Ivoire?) left."
    >>> [text[start:end] for start, end in words(text)]
    ['Ana', "'s", 'friend', 'from', 'Guinea-Bissau', '(', 'Cote', "d'Ivoire", '?', ')', 'left', '.']
    """
    return [found.span() for found in _WORD.finditer(text)]
