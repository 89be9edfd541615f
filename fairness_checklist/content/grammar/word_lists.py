"""The word lists of the grammars, which are data: `words.csv`."""

from __future__ import annotations

import csv
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
