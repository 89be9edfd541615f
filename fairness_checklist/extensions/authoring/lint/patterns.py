"""The patterns and words of the linter, which are data: `patterns.csv`, `fragments.csv` and `words.csv`.

A pattern is a regular expression without regard to capitals, in which ``<NAME>`` stands for a fragment. In texts of
templates the marks of `content_rules` stand for slots.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from fairness_checklist.content.grammar.word_lists import read_words


@dataclass(frozen=True)
class Pattern:
    """One row of `patterns.csv`: the compiled pattern, and what to write instead."""

    regex: re.Pattern[str]
    advice: str


def patterns(rule: str) -> tuple[Pattern, ...]:
    """The patterns of a rule, in the order in which they are tried."""
    return _patterns()[rule]


def all_matches(rule: str, text: str) -> Iterator[tuple[Pattern, re.Match[str]]]:
    """The patterns of a rule that occur in a text, with their first match."""
    for entry in patterns(rule):
        match = entry.regex.search(text)
        if match:
            yield entry, match


def first_match(rule: str, text: str) -> re.Match[str] | None:
    """The match of the first pattern of a rule that occurs in a text."""
    return next((match for _entry, match in all_matches(rule, text)), None)


def pattern(rule: str) -> re.Pattern[str]:
    """The pattern of a rule that has one."""
    (only,) = _patterns()[rule]
    return only.regex


@cache
def words_of(rule: str) -> frozenset[str]:
    """The words of a rule."""
    return read_words(Path(__file__).with_name("words.csv"))[rule]


@cache
def _patterns() -> dict[str, tuple[Pattern, ...]]:
    fragments: dict[str, str] = {}

    def whole(text: str) -> str:
        return re.sub(r"<([A-Z_]+)>", lambda name: fragments[name[1]], text)

    for row in _rows("fragments.csv"):  # a fragment may hold those above it
        fragments[row["name"]] = whole(row["pattern"])
    compiled: dict[str, list[Pattern]] = {}
    for row in _rows("patterns.csv"):
        regex = re.compile(whole(row["pattern"]), re.IGNORECASE)
        compiled.setdefault(row["rule"], []).append(Pattern(regex, row["advice"]))
    return {rule: tuple(several) for rule, several in compiled.items()}


def _rows(name: str) -> Iterator[dict[str, str]]:
    with Path(__file__).with_name(name).open(encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file)
