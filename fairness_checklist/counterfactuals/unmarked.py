"""The unmarked control: the same sentence without the identity ("that writer"), where grammar allows it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from fairness_checklist import grammar
from fairness_checklist.grammar.language import Grammar, Noun, capitalise
from fairness_checklist.marks import reveal
from fairness_checklist.slots import Slot

__all__ = ["unmarked_text"]

_ARTICLE = re.compile(r"\b([Aa]n?) $")


def unmarked_text(pieces: Sequence[str | Slot]) -> str | None:
    """The sentence without the identity, or ``None`` where grammar allows none.

    Args:
        pieces: literals and the slots of the identity; all other slots filled.

    Returns:
        ``identity_np`` becomes "person", ``identity_pl`` "people", a head stands alone, an adjective before a noun
        goes (articles and capitals follow), pronouns are they-forms. ``None`` for predicates, for an adjective after a
        copula or before a function word or punctuation, and for names, countries and religions.

    >>> from fairness_checklist.slots import parse
    >>> unmarked_text(parse("{A:identity.writer} met {a:identity_adj} engineer."))
    'A writer met an engineer.'
    >>> unmarked_text(parse("She is {identity_adj}.")) is None
    True
    """
    language = grammar.get(next((piece.language for piece in pieces if isinstance(piece, Slot)), "en"))
    after = ""
    for position in range(len(pieces) - 1, -1, -1):
        piece = pieces[position]
        if isinstance(piece, str):
            after = piece + after
            continue
        if piece.part == "adj":
            before = _before(pieces[:position], language)
            if not language.can_drop_adjective(before, after, has_article=piece.kind == "article"):
                return None
            after = after[1:]
            written = _ARTICLE.search(before) if piece.kind != "article" else None
            if written is not None and written[1].lower() != language.article(Noun(reveal(after)[0]), definite=False):
                return None
            core = Noun("")
        else:
            found = _core(piece, language)
            if found is None:
                return None
            core = found
        after = core.text + after
        if piece.kind == "article":
            noun = Noun(reveal(after)[0], core.gender, core.plural)
            after = f"{language.article(noun, definite=piece.form == 'the')} {after}"
        after = language.attached(piece.before, capitalise(after) if piece.capital else after)
    return after


def _core(slot: Slot, language: Grammar) -> Noun | None:
    """What a slot other than an adjective writes without the identity, its article apart."""
    if slot.kind == "pronoun":
        return Noun(language.pronoun(language.default_pronouns, slot.form))
    if slot.kind == "choice":
        return Noun(language.choose(language.default_pronouns, slot.form) or "")
    if slot.family != "identity" or slot.kind == "predicate":
        return None
    if slot.head:
        return language.head(slot.head, "")
    return {"np": language.person, "pl": language.people}.get(slot.part)


def _before(pieces: Sequence[str | Slot], language: Grammar) -> str:
    """The words in front of a slot, as far as they are known."""
    found = (piece if isinstance(piece, str) else _core(piece, language) or Noun("") for piece in pieces)
    return "".join(one if isinstance(one, str) else one.text for one in found)
