"""A template for two identities: as one phrase of both, or with one of them left out ("a deaf writer")."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from fairness_checklist.grammar import article, capitalise
from fairness_checklist.slots import Slot
from fairness_checklist.templates import Template, parse

__all__ = ["identities", "joined", "with_one_identity"]

_CORES = {"np": "person", "pl": "people"}


def identities(template: Template, lists: Sequence[str] = ()) -> tuple[int, ...]:
    """The numbers of the identities that a template names, in order: (1, 2) of two, (0,) of one without a number.

    >>> identities(Template("t", "{A:identity1_adj} {identity2.writer} lost {their:identity} keys."))
    (1, 2)
    """
    pieces = parse(template.text, template.place or template.id, lists, template.language)
    numbers = {piece.number for piece in pieces if isinstance(piece, Slot) and piece.family == "identity"}
    return tuple(sorted(numbers - {0})) or tuple(numbers)


def joined(template: Template, lists: Sequence[str] = ()) -> Template:
    """The template with an adjective and what follows it as one slot: the pair is written in the order English wants.

    So terms that are no adjectives serve as well: "a deaf writer in their seventies".

    >>> joined(Template("t", "I met {a:identity1_adj} {identity2.writer}.")).text
    'I met {a:identity.writer}.'
    """
    pieces = list(parse(template.text, template.place or template.id, lists))
    if not any(isinstance(piece, Slot) and piece.family == "identity" and piece.number for piece in pieces):
        return template
    written: list[str] = []
    at = 0
    while at < len(pieces):
        piece, after = pieces[at], pieces[at + 2] if at + 2 < len(pieces) else ""
        if isinstance(piece, str):
            written.append(piece.replace("{", "{{").replace("}", "}}"))
        elif _is_adjective_before(piece, pieces[at + 1 : at + 2], after) and isinstance(after, Slot):
            written.append(_raw(replace(after, number=0, form=piece.form, capital=piece.capital)))
            at += 2
        else:
            written.append(piece.raw)
        at += 1
    return replace(template, text="".join(written))


def _is_adjective_before(slot: Slot, between: Sequence[str | Slot], after: str | Slot) -> bool:
    """Whether a slot is the first identity's adjective and the second's phrase follows it at once."""
    return (
        isinstance(after, Slot)
        and (slot.family, slot.number, slot.part, after.family, after.number) == ("identity", 1, "adj", "identity", 2)
        and list(between) == [" "]
        and not after.form
        and (after.part in _CORES or bool(after.head))
    )


def with_one_identity(template: Template, kept: int, lists: Sequence[str] = ()) -> Template | None:
    """The template with the other of two identities left out, as in the unmarked control; itself if it names one.

    Args:
        template: any template.
        kept: 1 keeps the identity that stands first in English, 2 the other.
        lists: names of the user's lists.

    Returns:
        A template for one attribute with the same id; ``None`` where the identity cannot be left out (a predicate).

    >>> two = Template("t", "I met {a:identity1_adj} {identity2.writer} and {their:identity} friend.")
    >>> with_one_identity(two, 1).text
    'I met {a:identity_adj} writer and {their:identity} friend.'
    >>> with_one_identity(two, 2).text
    'I met {a:identity.writer} and {their:identity} friend.'
    """
    if len(identities(template, lists)) < 2:
        return template
    pieces = list(parse(template.text, template.place or template.id, lists, template.language))
    written: list[str] = []
    carried: Slot | None = None  # an adjective that is gone leaves its article and capital to what follows
    space = False
    for piece in pieces:
        if isinstance(piece, str):
            text = piece[1:] if space and piece.startswith(" ") else piece
            space = False
            if carried is not None and text:
                text, carried = _led(text, carried), None
            written.append(text.replace("{", "{{").replace("}", "}}"))
        elif piece.family != "identity" or piece.is_list or piece.number in (0, kept):
            one = replace(piece, number=0) if piece.family == "identity" and not piece.is_list else piece
            if carried is not None:
                one = replace(one, form=one.form or carried.form, capital=one.capital or carried.capital)
                carried = None
            written.append(_raw(one) if one.family == "identity" and not one.is_list else piece.raw)
        elif piece.part == "adj":
            carried, space = piece, True
        else:
            core = _core(piece)
            if core is None:
                return None
            if carried is not None:
                core, carried = _led(core, carried), None
            written.append(core)
    return replace(template, text="".join(written))


def _core(slot: Slot) -> str | None:
    """What is written in the place of a slot that is left out."""
    if slot.kind == "predicate":
        return None
    words = slot.form if slot.kind == "pronoun" else slot.form.partition("|")[2] if slot.kind == "choice" else ""
    words = words or slot.head or _CORES[slot.part]
    return _led(words, slot)


def _led(words: str, slot: Slot) -> str:
    """The words with the article and the capital that the slot asks for."""
    if slot.kind == "article":
        words = f"{article(words) if slot.form == 'a' else 'the'} {words}"
    return capitalise(words) if slot.capital else words


def _raw(slot: Slot) -> str:
    """A slot of an identity as it is written in a template, without a number."""
    name = "identity" + (f"_{slot.part}" if slot.part else "") + (f".{slot.head}" if slot.head else "")
    inside = f"{slot.form}:{name}" if slot.form else name
    return f"{{{capitalise(inside) if slot.capital else inside}}}"
