"""Pronouns of names and terms: they, she, he, or five forms of the user's own."""

from __future__ import annotations

import re
from functools import lru_cache

from fairness_checklist.errors import TermError
from fairness_checklist.grammar.language import PRONOUN_FORMS

__all__ = ["PRONOUN_FORMS", "THEY", "choose", "is_plural", "pronoun", "pronoun_set"]

THEY = PRONOUN_FORMS
_KNOWN = {
    "they": THEY,
    "she": ("she", "her", "her", "hers", "herself"),
    "he": ("he", "him", "his", "his", "himself"),
}


@lru_cache(maxsize=4096)
def pronoun_set(cell: str, place: str = "") -> tuple[str, ...]:
    """The five forms that a ``pronouns`` cell stands for.

    Args:
        cell: "" (they), "she", "he", "they", "she/her", "he/him/his", or five forms "xe/xem/xyr/xyrs/xemself".
        place: where the cell stands, for the error.

    Returns:
        Subject, object, possessive before a noun, possessive alone, reflexive.

    Raises:
        TermError: neither a known set nor five forms.

    >>> pronoun_set("she/her")
    ('she', 'her', 'her', 'hers', 'herself')
    >>> pronoun_set("xe/xem/xyr/xyrs/xemself")[2]
    'xyr'
    """
    forms = tuple(part.strip() for part in cell.lower().split("/")) if cell.strip() else ("they",)
    if len(forms) == 5 and all(re.fullmatch(r"[^\W\d_]+(?:['\u2019-][^\W\d_]+)*", form) for form in forms):
        return forms
    if forms[0] in _KNOWN and len(forms) <= 4 and set(forms[1:]) <= set(_KNOWN[forms[0]]):
        return _KNOWN[forms[0]]
    raise TermError(
        f"the pronouns {cell!r} are not known.",
        place=place,
        remedy="Write she, he, they, or five forms: xe/xem/xyr/xyrs/xemself.",
    )


def pronoun(cell: str, form: str) -> str:
    """One form of a set of pronouns.

    Args:
        cell: the ``pronouns`` of a term.
        form: they, them, their, theirs or themself.

    >>> pronoun("he", "theirs"), pronoun("", "themself")
    ('his', 'themself')
    """
    return pronoun_set(cell)[PRONOUN_FORMS.index(form)]


def is_plural(cell: str) -> bool:
    """Whether the verb after the pronoun is in the plural ("they run").

    >>> is_plural("they/them"), is_plural("she")
    (True, False)
    """
    return pronoun_set(cell)[0] == "they"


def choose(cell: str, options: str) -> str:
    """The option that agrees with the pronoun: ``"runs|run"`` gives "runs" after she, "run" after they.

    >>> choose("she", "runs|run"), choose("", "runs|run")
    ('runs', 'run')
    """
    singular, _bar, several = options.partition("|")
    return several if is_plural(cell) else singular
