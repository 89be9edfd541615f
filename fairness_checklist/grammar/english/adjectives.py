"""English adjectives before a noun: where one may go, and the sentence still stands."""

from __future__ import annotations

import re

from fairness_checklist.marks import reveal

__all__ = ["can_drop"]

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
_WORD = re.compile(r"[^\W_]+(?:['\u2019-][^\W_]+)*")


def can_drop(before: str, after: str, *, has_article: bool) -> bool:
    """Whether an adjective between these words stands right before a noun that it describes.

    Args:
        before: the words in front of it.
        after: the words behind it, with the space.
        has_article: whether an article is written with it.

    >>> can_drop("My ", " neighbor won.", has_article=False), can_drop("She is ", ".", has_article=False)
    (True, False)
    """
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
