"""A text as tokens that know where they stand: at the start of a sentence, in a quoted title, in capitals."""

from __future__ import annotations

import re
from dataclasses import dataclass

from fairness_checklist.perturb.words import FUNCTION, listed
from fairness_checklist.tagging import words

__all__ = ["Reading", "Token", "read"]

_OPENING = frozenset("\"'\u201c\u2018([{*-\u2013\u2014")
_ENDING = frozenset(".!?:;\u2026\u2022|")
_ABBREVIATED = listed("mr mrs ms dr prof st rev sgt jr sr vs etc e.g i.e")
_ADDRESS = re.compile(r"\S*(?:://|www\.|@\w|\w@|_|\.(?:com|org|net|html?|pdf|docx?|txt)\b|&\w+=)\S*|[#@]\w+")
_QUOTED = re.compile(
    "\"([^\"]{2,80})\"|\u201c([^\u201d]{2,80})\u201d|\u2018([^\u2019]{2,80})\u2019|(?<!\\w)'([^']{2,60})'(?!\\w)"
)


@dataclass(frozen=True)
class Token:
    """One word or mark of a text.

    Attributes:
        text: as written.
        start, end: in characters.
        first: it starts a sentence, quotes and brackets passed over.
        title: it stands in a quoted title, or in an address, a file's name or a handle.
    """

    text: str
    start: int
    end: int
    first: bool = False
    title: bool = False

    @property
    def lower(self) -> str:
        """The word in small letters, with plain apostrophes."""
        return self.text.lower().replace("\u2019", "'")

    @property
    def capital(self) -> bool:
        """Whether it starts with a capital letter."""
        return self.text[:1].isupper()

    @property
    def is_word(self) -> bool:
        """Whether it is no mark."""
        return self.text[:1].isalnum()


_NOTHING = Token("", 0, 0)


@dataclass(frozen=True)
class Reading:
    """A text and its tokens.

    Attributes:
        text: as written.
        tokens: its words and marks.
        shouted: it is written in capitals, so that capitals say nothing.
    """

    text: str
    tokens: tuple[Token, ...]
    shouted: bool

    def at(self, position: int) -> Token:
        """The token at a position, an empty one beyond the ends."""
        return self.tokens[position] if 0 <= position < len(self.tokens) else _NOTHING

    def lower(self, position: int) -> str:
        """The word at a position in small letters, "" beyond the ends."""
        return self.at(position).lower

    def is_name_like(self, position: int) -> bool:
        """Whether a word has a capital that no sentence start explains; never in a text in capitals."""
        token = self.at(position)
        return token.capital and not self.shouted and (not token.first or token.lower not in FUNCTION)


def read(text: str) -> Reading:
    """The tokens of a text.

    >>> [(token.text, token.first) for token in read("I met Ana. She's here.").tokens if token.capital]
    [('I', True), ('Ana', False), ('She', True)]
    """
    titles = [found.span() for found in _QUOTED.finditer(text) if _is_title(next(filter(None, found.groups()), ""))]
    titles += [found.span() for found in _ADDRESS.finditer(text)]
    tokens: list[Token] = []
    starts = True
    for start, end in words(text):
        word = text[start:end]
        inside = any(left <= start < right for left, right in titles)
        tokens.append(Token(word, start, end, starts and word[:1].isalnum(), inside))
        if word in _ENDING:
            before = tokens[-2].lower if len(tokens) > 1 else ""
            starts = not (word == "." and before in _ABBREVIATED)
        elif word in _OPENING:
            starts = starts or word in '"\u201c'
        else:
            starts = False
        if "\n" in text[end : end + 2]:
            starts = True
    letters = [token.text for token in tokens if token.text.isalpha() and len(token.text) > 1]
    return Reading(text, tuple(tokens), len(letters) > 1 and all(word.isupper() for word in letters))


def _is_title(quoted: str) -> bool:
    """Whether quoted words are a title: few, each with a capital but small words, no mark at the end."""
    found = re.findall(r"[^\W_][\w'\u2019-]*", quoted)
    if not found or len(found) > 8 or quoted.rstrip()[-1:] in ",.!?":
        return False
    return all(word[:1].isupper() or word in FUNCTION or word.isdigit() for word in found) and found[0][:1].isupper()
