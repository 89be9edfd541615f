"""Which texts may become templates, and how they are written before they are read: no mentions yet."""

from __future__ import annotations

import re
from html import unescape

__all__ = ["cleaned", "unusable"]

_FEWEST, _MOST = 4, 40
"""Words of a text that becomes a template."""
_ADDRESS = re.compile(r"https?:|www\.|\S@\S|\b\w+\.(?:com|org|net|edu|gov|ly|co)\b|\d[\d\s()./-]{5,}\d")
_HANDLE = re.compile(r"(?:^|\s)@\w+|(?:^|\s)/?[ur]/\w+")
_LEADING = re.compile(r"^(?:[\s\"'!*:.,;-]*(?:RT\b|@\w+:?))*[\s\"'!*:.,;>-]*")
_PLACEHOLDER = re.compile(r"-[lr][rcs]b-|\[\w+\]|<\w+>|&\w+;|\ufffd")


def cleaned(text: str) -> str:
    """A text without leading marks and handles, with plain apostrophes, and without a tokeniser's spaces.

    >>> cleaned("RT @somebody: it 's fine , is n't it ?")
    "it's fine, isn't it?"
    """
    text = _LEADING.sub("", unescape(unescape(text))).strip(" \"'")
    return _joined(" ".join(text.replace("\u2019", "'").split()))


def unusable(text: str) -> str:
    """Why a text cannot become a template, "" if it may."""
    n = len(text.split())
    if _ADDRESS.search(text) or _HANDLE.search(text):
        return "it has an address, a number or a handle"
    if _PLACEHOLDER.search(text) or not text.isascii():
        return "it has marks, emoji or placeholders"
    if not _FEWEST <= n <= _MOST:
        return f"it has fewer than {_FEWEST} words or more than {_MOST}"
    if re.search(r"[{}\[\]|#*_~^=<>]|\.\.\.\w|[!?.]{4,}|\"", text):
        return "it has marks, emoji or placeholders"
    letters = [one for one in text if one.isalpha()]
    if sum(one.isupper() for one in letters) > 0.3 * max(len(letters), 1):
        return "it is in capitals"
    return ""


_MARKS = ((r" n't\b", "n't"), (r" ('(?:s|re|ve|ll|d|m)\b)", r"\1"), (r" ([,.;:!?)])", r"\1"), (r"([(]) ", r"\1"))


def _joined(text: str) -> str:
    """A text without the spaces that a tokeniser put before marks."""
    if not re.search(r" [.,;:!?](?: |$)| n't\b", text):
        return text
    for pattern, instead in _MARKS:
        text = re.sub(pattern, instead, text)
    return text
