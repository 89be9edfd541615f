"""Plurals of person nouns: rules of ours where ``inflect`` is wrong, and ``inflect`` (imported late) for the rest."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import inflect

__all__ = ["PREPOSITIONS", "plural", "starts_with_preposition"]

PREPOSITIONS = frozenset(
    """
    about above across after against among around at before behind below beneath beside between beyond by for from in
    inside into near of off on onto out outside over past through to toward towards under until up upon via with within
    without
    """.split()  # noqa: SIM905 - a list of words reads better as text
)
_CLAUSE = frozenset({"who", "whose", "whom", "that", "which", "living", "using", "born"})
_UNCHANGED = re.compile(r"(?:ese|[Ss]wiss|elderly|Inuit|Sioux|Manx|Roma|M[aā]ori|series|folk|people|children|men|\ds)$")
_ENDS_ENGLISH = re.compile(r"[A-Za-z0-9\u00c0-\u024f]$")
_IRREGULAR = {
    "person": "people",
    "child": "children",
    "woman": "women",
    "wife": "wives",
    "passerby": "passersby",
    "thief": "thieves",
    "inuk": "inuit",
}
_MAN = re.compile(r"(?<!hu)(?<![Rr]o)(?<![Ss]ha)(?<![Gg]er)(?<![Nn]or)(?<![Oo]tto)(?<![Tt]alis)(?<!\b[Oo])man$")


@lru_cache(maxsize=65536)
def plural(noun: str) -> str:
    """The plural of a noun or noun phrase in the singular.

    The head stands before a preposition, a relative word or a bracket ("person of color", "passer-by"), or it is the
    last word. What does not end in a Latin letter or a digit has no English plural and stays ("50+").

    >>> [plural(noun) for noun in ("wheelchair user", "trans woman", "grandchild", "person of color", "passer-by")]
    ['wheelchair users', 'trans women', 'grandchildren', 'people of color', 'passers-by']
    >>> [plural(noun) for noun in ("Swiss", "German", "Latino", "older adult", "lady")]
    ['Swiss', 'Germans', 'Latinos', 'older adults', 'ladies']
    """
    words = noun.split(" ")
    for position in range(1, len(words)):
        if words[position].lower() in PREPOSITIONS | _CLAUSE or words[position].startswith("("):
            return " ".join([*words[: position - 1], _plural_word(words[position - 1]), *words[position:]])
    return " ".join([*words[:-1], _plural_word(words[-1])])


def starts_with_preposition(words: str) -> bool:
    """Whether a term is a prepositional phrase.

    >>> starts_with_preposition("with epilepsy"), starts_with_preposition("deaf")
    (True, False)
    """
    first, space, _rest = words.partition(" ")
    return bool(space) and first.lower() in PREPOSITIONS


def _plural_word(word: str) -> str:
    parts = word.split("-")
    for position in range(1, len(parts)):
        if parts[position].lower() in PREPOSITIONS:
            return "-".join([*parts[: position - 1], _plural_word(parts[position - 1]), *parts[position:]])
    if len(parts) > 1:
        return "-".join([*parts[:-1], _plural_word(parts[-1])])
    if _UNCHANGED.search(word) or not _ENDS_ENGLISH.search(word):
        return word
    for singular, several in _IRREGULAR.items():
        if word.lower().endswith(singular):
            return word[: -len(singular)] + (several.capitalize() if word == singular.capitalize() else several)
    if _MAN.search(word):
        return word[:-2] + "en"
    if re.search(r"(?:[A-Z0-9]|[Ll]atino|[a-z]kin)$", word) or (word[:1].isupper() and re.search(r"[aio]$", word)):
        return word + "s"
    return str(_engine().plural_noun(word)) or word


@cache
def _engine() -> inflect.engine:
    import inflect

    return inflect.engine()
