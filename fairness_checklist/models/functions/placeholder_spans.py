"""Texts with placeholders, as tools that redact give them, as spans of the original texts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from fairness_checklist.core.errors import AlignmentError
from fairness_checklist.models.functions.token_outputs import output_error

MASKED = "REDACTED"
"""The type of a placeholder that names none, such as ``****``."""
_NAME = r"[A-Za-z][A-Za-z_ -]*?(?:[_ -]?\d+)?"
_PLACEHOLDER = re.compile(rf"<({_NAME})>|\[({_NAME})\]|\{{\{{({_NAME})\}}\}}|\{{({_NAME})\}}|\*{{2,}}|\u2588+")
_COUNTER = re.compile(r"[_ -]?\d+$")


def spans_of_redacted(name: str, answers: Sequence[Any], texts: Sequence[str]) -> list[Any]:
    """The answers with redacted texts as spans (start, end, label) of the original ones; other answers as they are."""
    redacted = [_redacted_text(answer) for answer in answers]
    if not redacted or None in redacted:
        return list(answers)
    return [_aligned(name, str(own), text) for own, text in zip(redacted, texts, strict=True)]


def _redacted_text(answer: Any) -> str | None:
    if isinstance(answer, str):
        return answer
    text = getattr(answer, "text", None)
    return text if isinstance(text, str) and isinstance(getattr(answer, "items", None), list) else None


def _aligned(name: str, redacted: str, text: str) -> list[tuple[int, int, str]]:
    """The characters of a text that each placeholder stands for: from the words before it to the next ones after it."""
    if redacted.split() == text.split():
        return []
    marks = list(_PLACEHOLDER.finditer(redacted))
    ends = [0, *(mark.end() for mark in marks)]
    kept = [redacted[end:start] for end, start in zip(ends, [*(m.start() for m in marks), len(redacted)], strict=True)]
    first = _pattern(kept[0].lstrip()).match(text, len(text) - len(text.lstrip()))
    at = first.end() if first else -1
    spans: list[tuple[int, int, str]] = []
    for number, (mark, after) in enumerate(zip(marks, kept[1:], strict=True), start=1):
        if at < 0 or at >= len(text):
            break
        stop = _end_of_gap(text, at, after, last=number == len(marks))
        if stop is None:
            break
        label = next(filter(None, mark.groups()), MASKED)
        spans.append((at, stop[0], _COUNTER.sub("", label)))
        at = stop[1]
    if not marks or len(spans) < len(marks):
        what = f"{redacted!r}, which is not this text with placeholders for some of its words."
        remedy = (
            'Change nothing else: "Hello <PERSON>, in [LOCATION]"; or return spans of characters, '
            '{"start": 0, "end": 4, "label": "PER"}.'
        )
        raise output_error(name, text, what, remedy, AlignmentError)
    return spans


def _pattern(words: str) -> re.Pattern[str]:
    """A pattern of a piece of text, in which any white space stands for any other."""
    return re.compile(r"\s+".join(map(re.escape, re.split(r"\s+", words))))


def _end_of_gap(text: str, at: int, after: str, *, last: bool) -> tuple[int, int] | None:
    """Where the words that a placeholder stands for end, and where the text after them ends; None if nowhere."""
    if last:
        words = after.rstrip()
        end = len(text.rstrip())
        if not words:
            return (end, end) if end > at else None
        return next(
            ((match.start(), end) for match in _pattern(words).finditer(text, at + 1) if match.end() == end), None
        )
    if not after:  # another placeholder follows at once: this one stands for one word
        word = re.compile(r"\w+|\S").match(text, at)
        return (word.end(), word.end()) if word else None
    following = _pattern(after).search(text, at + 1)
    return following.span() if following else None
