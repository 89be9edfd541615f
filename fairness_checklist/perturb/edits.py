"""Changes of a text, made together."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from fairness_checklist.examples import Spans

__all__ = ["Edit", "apply"]


@dataclass(frozen=True)
class Edit:
    """New words for the characters start to end; ``term`` where they name the identity."""

    start: int
    end: int
    text: str
    term: bool = False


def apply(text: str, edits: Iterable[Edit]) -> tuple[str, Spans]:
    """The text with all edits, and where the identity's words stand in it.

    >>> apply("A woman left.", [Edit(0, 1, "An"), Edit(2, 7, "agender person", term=True)])
    ('An agender person left.', ((3, 17),))
    """
    pieces: list[str] = []
    spans: list[tuple[int, int]] = []
    at = length = 0
    for edit in sorted(edits, key=lambda one: (one.start, one.end)):
        pieces += [text[at : edit.start], edit.text]
        length += edit.start - at
        if edit.term:
            spans.append((length, length + len(edit.text)))
        length += len(edit.text)
        at = edit.end
    return "".join(pieces) + text[at:], tuple(spans)
