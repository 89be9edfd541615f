"""Entities that are marked in a template: ``[Alex](PER) left.``

Inside a template's literals a mark is kept as characters of Unicode's private use area, which are in no text: they
pass through the filling of slots and lists, and mark the position of each entity in the result.
"""

from __future__ import annotations

import re

from fairness_checklist.core.errors import TemplateError

Entities = tuple[tuple[int, int, str], ...]

_OPEN, _BETWEEN, _CLOSE, _SLOT = "\ue000", "\ue001", "\ue002", "\ue003"
_SHIFT = 0xE100
_WRITTEN = re.compile(r"\[([^\[\]\ue000-\ue002]*)\]\(([A-Z][A-Z_]*)\)")
_KEPT = re.compile(f"{_OPEN}([^{_BETWEEN}]*){_BETWEEN}([^{_CLOSE}]*){_CLOSE}")


def mark_entity(text: str, kind: str) -> str:
    """The text as an entity of a type.

    >>> extract_entities("to " + mark_entity("Kenya", "LOC"))
    ('to Kenya', ((3, 8, 'LOC'),))
    """
    return f"{_OPEN}{''.join(chr(_SHIFT + ord(letter)) for letter in kind)}{_BETWEEN}{text}{_CLOSE}"


def has_marks(text: str) -> bool:
    """Whether a text holds a mark that `encode_marks` or `mark_entity` made."""
    return _OPEN in text


def extract_entities(text: str) -> tuple[str, Entities]:
    """The text without its marks, and where the entities are: (start, end, type) in characters."""
    if _OPEN not in text:
        return text, ()
    entities = []
    written, position = "", 0
    for found in _KEPT.finditer(text):
        written += text[position : found.start()]
        kind = "".join(chr(ord(letter) - _SHIFT) for letter in found[1])
        entities.append((len(written), len(written) + len(found[2]), kind))
        written += found[2]
        position = found.end()
    return written + text[position:], tuple(entities)


def decode_marks(text: str) -> str:
    """The text with its marks as they are written in a template.

    >>> decode_marks(mark_entity("Alex", "PER") + " left.")
    '[Alex](PER) left.'
    """

    def written(found: re.Match[str]) -> str:
        return f"[{found[2]}]({''.join(chr(ord(letter) - _SHIFT) for letter in found[1])})"

    return _KEPT.sub(written, text) if _OPEN in text else text


def encode_marks(literals: list[str], may_hold: list[bool], place: str = "") -> list[str]:
    """The literals of a template with ``[text](TYPE)`` made to marks; a mark may hold slots of the user's lists.

    Args:
        literals: k + 1 texts around k slots.
        may_hold: (k,) whether a slot may be inside a mark.
        place: ``file:line``, for errors.

    Raises:
        TemplateError: an empty mark, or one that holds a slot with a type of its own.

    >>> decode_marks("".join(encode_marks(["[", " Ltd](ORG) and [", "]"], [True, False])))
    '[ Ltd](ORG) and []'
    >>> extract_entities("Acme".join(encode_marks(["[", " Ltd](ORG)"], [True])))
    ('Acme Ltd', ((0, 8, 'ORG'),))
    """
    whole = _SLOT.join(literals)
    if "](" not in whole:
        return literals
    for found in _WRITTEN.finditer(whole):
        inside = found[1]
        first = whole[: found.start(1)].count(_SLOT)
        held = may_hold[first : first + inside.count(_SLOT)]
        if not inside.strip():
            raise TemplateError(f"the mark []({found[2]}) is empty.", place=place, remedy="Write [Alex](PER).")
        if not all(held):
            raise TemplateError(
                f"a slot is inside a mark of the type {found[2]}.",
                place=place,
                remedy="Slots have types of their own ({person} PER, {country} LOC): write the slot without a mark. "
                "Only slots of your lists may be in one.",
            )
    return _WRITTEN.sub(lambda found: mark_entity(found[1], found[2]), whole).split(_SLOT)
