"""The unmarked control: the same sentence without the identity ("that writer"), where grammar allows it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from fairness_checklist.grammar.articles import article, capitalise
from fairness_checklist.marks import reveal
from fairness_checklist.slots import Slot

__all__ = ["unmarked_text"]

_NOT_A_NOUN = frozenset(
    """
    a about after again against all alone along already also although always am an and another any anymore anyway are
    around as at away back be because been before being both but by can could day did do does each either else enough
    even ever every few for forever from further had has have he her here hers him his how however i if in indeed inside
    instead into is it its just later less may me might more most much must my near neither never no nor not now of off
    often on once one or other our out outside over perhaps per she should since so some sometimes soon still such than
    that the their them then there these they this those though through till to today together tomorrow tonight too
    toward towards under unless until up upon us usually very via was we well were what when where whereas whether which
    while who whom whose why will with within without would yesterday yet you your
    """.split()  # noqa: SIM905 - a list of words reads better as text
)
_COPULAS = frozenset(
    """
    am appear appeared appears are be became become becomes becoming been being considered feel feeling feels felt
    go goes grew grow i'm is isn't wasn't aren't weren't look looked looks remain remained remains seem seemed seems
    sound sounded sounds stay stayed stays turned was were
    he's how's it's she's that's there's they's this's what's where's who's
    """.split()  # noqa: SIM905 - a list of words reads better as text
)
_DETERMINERS = frozenset(
    """
    a an the this that these those my your his her its our their some any no every each another one two three four five
    several many most all few both either neither which what whose more other
    """.split()  # noqa: SIM905 - a list of words reads better as text
)
_ADVERBS = frozenset("also always even just never not now often quite rather really so still too very".split())  # noqa: SIM905 - a list of words reads better as text
_DEGREES = _ADVERBS | {"more", "most", "less", "least"}
_LY_NOUN_LIKE = frozenset({"early", "elderly", "family", "friendly", "weekly", "daily", "monthly", "lovely", "lively"})
_PLURAL_NOUNS = frozenset("people men women children families couples folks adults friends students workers".split())  # noqa: SIM905 - a list of words reads better as text
_ARTICLE = re.compile(r"\b([Aa]n?) $")
_WORD = re.compile(r"[^\W_]+(?:['\u2019-][^\W_]+)*")


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
    after = ""
    for position in range(len(pieces) - 1, -1, -1):
        piece = pieces[position]
        if isinstance(piece, str):
            after = piece + after
            continue
        if piece.part == "adj":
            if not _can_go(_before(pieces[:position]), after, piece.kind == "article"):
                return None
            after = after[1:]
            written = _ARTICLE.search(_before(pieces[:position])) if piece.kind != "article" else None
            if written is not None and written[1].lower() != article(reveal(after)[0]):
                return None
            words = ""
        else:
            core = _core(piece)
            if core is None:
                return None
            words = core
        after = words + after
        if piece.kind == "article":
            after = f"{article(reveal(after)[0]) if piece.form == 'a' else 'the'} {after}"
        after = capitalise(after) if piece.capital else after
    return after


def _core(slot: Slot) -> str | None:
    """What a slot other than an adjective writes without the identity, its article apart."""
    if slot.kind == "pronoun":
        return slot.form
    if slot.kind == "choice":
        return slot.form.partition("|")[2]
    if slot.family != "identity" or slot.kind == "predicate":
        return None
    return slot.head or {"np": "person", "pl": "people"}.get(slot.part)


def _before(pieces: Sequence[str | Slot]) -> str:
    """The words in front of a slot, as far as they are known."""
    return "".join(piece if isinstance(piece, str) else (_core(piece) or "") for piece in pieces)


def _can_go(before: str, after: str, has_article: bool) -> bool:
    """Whether an adjective between these words stands right before a noun that it describes."""
    following = _WORD.match(reveal(after)[0][1:]) if after[:1] == " " else None
    if following is None:
        return False
    word = following.group().lower()
    if word in _NOT_A_NOUN or (word.endswith("ly") and word not in _LY_NOUN_LIKE):
        return False
    if has_article or word in _PLURAL_NOUNS:
        return True
    words = [found.lower().replace("\u2019", "'") for found in _WORD.findall(re.split(r"[.!?:;,]", before)[-1])]
    if words and (words[-1] in _DEGREES or (words[-1].endswith("ly") and words[-1] not in _LY_NOUN_LIKE)):
        return False
    for lower in reversed(words):
        if lower in _DETERMINERS:
            return True
        if lower in _COPULAS or lower.endswith(("'re", "n't")):
            return False
        if lower.endswith("'s"):
            return True
        if lower not in _ADVERBS and not lower.endswith("ly"):
            return True
    return True
