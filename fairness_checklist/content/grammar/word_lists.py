"""The word lists of the grammars, which are data (`words.csv`), and the profane words among them."""

from __future__ import annotations

import csv
import re
from collections.abc import Collection, Sequence
from functools import cache
from pathlib import Path


@cache
def read_words(path: Path) -> dict[str, frozenset[str]]:
    """The words by rule of a file with the columns rule, words and source; a rule may have several rows."""
    words_by_rule: dict[str, list[str]] = {}
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            words_by_rule.setdefault(row["rule"], []).extend(row["words"].split())
    return {rule: frozenset(words) for rule, words in words_by_rule.items()}


WORDS = read_words(Path(__file__).with_name("words.csv"))


def words_of(rule: str) -> frozenset[str]:
    """The words of a rule."""
    return WORDS[rule]


_PROFANE = re.compile(
    rf"(?<!\w)(?:{'|'.join(words_of('english profane') | words_of('spanish profane'))})s?(?!\w)", re.IGNORECASE
)


def profane_words(text: str) -> list[str]:
    """The profane words of a text, as they are written there: strong words of English or Spanish that are no slurs."""
    return [match.group() for match in _PROFANE.finditer(text)]


def head_length(words: Sequence[str], ends: Collection[str]) -> int:
    """How many words a phrase has before the first of ``ends`` (prepositions, "who") that does not begin it."""
    return next((at for at, word in enumerate(words) if at and word.lower() in ends), len(words))
