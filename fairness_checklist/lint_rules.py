"""Rules that are read off a template's slots or a term's row, before anything is filled."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from fairness_checklist.grammar import DEFAULT, get
from fairness_checklist.grammar.english.pronouns import choose
from fairness_checklist.identity import IdentityTerm
from fairness_checklist.slots import Slot

__all__ = ["slot_faults", "term_fault"]

_BEFORE_A_NOUN = frozenset(
    """
    a an the this that each every no my your his her its our their one another any some either neither which what whose
    such kind sort type called word term as than
    """.split()  # noqa: SIM905 - a list of words reads better as text
)
_REACH = 4


def slot_faults(pieces: tuple[str | Slot, ...], terms: Iterable[IdentityTerm]) -> Iterator[tuple[str, str]]:
    """Slots that do not go with what stands before them, as (rule, what is wrong).

    >>> from fairness_checklist.slots import parse
    >>> deaf = [IdentityTerm("deaf", "deaf")]
    >>> [rule for rule, _message in slot_faults(parse("I met {identity_np}. {They:identity} {is:identity}."), deaf)]
    ['article', 'agreement']
    """
    listed = list(terms)
    for position, piece in enumerate(pieces):
        if not isinstance(piece, Slot) or piece.family != "identity" or piece.language != DEFAULT:
            continue
        if piece.part == "np" and not piece.form and _bare(pieces[:position]):
            yield (
                "article",
                f"no article stands before {piece.raw}: write {{{'A' if piece.capital else 'a'}:identity_np}}",
            )
        pronoun = pieces[position - 2] if position > 1 else None
        if piece.kind != "predicate" or not isinstance(pronoun, Slot) or pieces[position - 1] != " ":
            continue
        number = {"is": "one", "was": "one", "are": "many", "were": "many"}.get(piece.form)
        differing = [term for term in listed if number and choose(term.pronouns, "one|many") != number]
        if pronoun.form == "they" and differing:
            yield (
                "agreement",
                f"{piece.raw} does not agree with the pronoun {pronoun.raw} of {differing[0].term!r}: "
                "write {A:identity_np} in place of one of the two",
            )


def _bare(before: tuple[str | Slot, ...]) -> bool:
    """Whether a noun phrase has no determiner in front of it; where that is doubtful, it has."""
    text = before[-1] if before else ""
    if isinstance(text, Slot):
        return False
    if not text.strip():
        return len(before) < 2
    if text.rstrip()[-1] in ".!?":
        return True
    if not text[-1].isspace() or not (text.rstrip()[-1].isalnum()):
        return False  # after a quote, a colon, a dash, a comma: mentioned or addressed
    words = re.split(r"[.!?;]\s", text)[-1].split()[-_REACH:]
    if len(words) < 2 and len(before) > 1 and isinstance(before[-2], Slot) and before[-2].form in {"their", "a", "the"}:
        return False
    return not any(_determines(word) for word in words)


def _determines(word: str) -> bool:
    bare = word.strip(",:()\"'").lower()
    return bare in _BEFORE_A_NOUN or bare[:1].isdigit() or re.search(r"['\u2019]s$|s['\u2019]$", word) is not None


def term_fault(term: IdentityTerm, language: str = DEFAULT) -> str:
    """What looks wrong with the part of speech of a term, or "".

    >>> term_fault(IdentityTerm("redheads", "red", pos="noun"))
    "the noun 'redheads' looks like a plural: give the singular, 'redhead'"
    >>> term_fault(IdentityTerm("wheelchair user", "wheelchair", pos="noun"))
    ''
    """
    return get(language).term_fault(term.term, term.pos, term.plural)
