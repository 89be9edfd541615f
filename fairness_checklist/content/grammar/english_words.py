"""English nouns in the plural, and adjectives that have another sense right before a noun."""

from __future__ import annotations

import re

from fairness_checklist.content.grammar.word_lists import words_of

_PLURALS = frozenset("people men women children folk police".split())  # noqa: SIM905 - a list of words reads better as text


def is_plural_noun(noun: str) -> bool:
    """Whether the head of a slot looks like a plural.

    >>> [is_plural_noun(noun) for noun in ("writers", "boss", "people", "neighbor", "businesswomen")]
    [True, False, True, False, True]
    """
    word = noun.lower()
    return word in _PLURALS or word.endswith(("women", "men")) or re.search(r"[^sui]s$", word) is not None


_PEOPLE = words_of("english people")
_PROFESSIONS = words_of("english professions")
_RANKED = frozenset({"colleague", "coworker", "co-worker", "member", "partner", "player", "fellow", "aide"})
_ADULT_ONLY = words_of("english adult only")
_OLD_TIES = words_of("english old ties")

_PEOPLE_OR_WORK = _PEOPLE | _PROFESSIONS


def unfit_before(adjective: str, noun: str) -> str:
    """The reason why an adjective does not describe a person right before a noun for one, or "".

    >>> unfit_before("young", "writer"), unfit_before("straight", "neighbors"), unfit_before("older", "writer")
    ("'young' right before 'writer' has another sense", '', '')
    """
    word = bare_word(adjective)
    if word not in OTHER_WORD_BEFORE:
        return ""
    forms = singulars(bare_word(noun))
    of_these = any(form in OTHER_WORD_BEFORE[word] for form in forms)
    if word == "straight":
        of_these = not of_these and not any(form not in _NO_AGENTS and _AGENT.search(form) for form in forms)
    if of_these:
        return f"'{adjective}' right before '{noun}' has another sense"
    return ""


# For these adjectives the nouns before which they are another word; for straight those before which they are not.
OTHER_WORD_BEFORE = {
    "adult": _PROFESSIONS | _ADULT_ONLY,
    "young": _PROFESSIONS,
    "old": _PROFESSIONS | _OLD_TIES,
    "senior": _PROFESSIONS | _RANKED,
    "junior": _PROFESSIONS | _RANKED,
    "straight": _PEOPLE_OR_WORK,
}


_AGENT = re.compile(r"(?:[^aeiou]er|[st]or|ist|ian|[^m]ant|eer|woman|man|mate|person)$")
_NO_AGENTS = words_of("english no agents")


def bare_word(word: str) -> str:
    return re.sub(r"^\W+|(?:['\u2019]s)?\W*$", "", word).lower()


def singulars(noun: str) -> tuple[str, ...]:
    """What a noun may be the plural of, and itself."""
    forms = [noun]
    if noun.endswith("s"):
        forms.append(noun[:-1])
    if noun.endswith("es"):
        forms.append(noun[:-2])
    if noun.endswith("ies"):
        forms += [noun[:-3] + "y", noun[:-1]]
    if noun.endswith("men"):
        forms.append(noun[:-3] + "man")
    if noun == "children":
        forms.append("child")
    return tuple(forms)
