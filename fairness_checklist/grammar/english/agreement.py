"""English words that do not agree: "they was", "two writer", "the a"; and the words that such rules are about."""

from __future__ import annotations

import re
from collections.abc import Iterator

__all__ = ["MANY", "ONE", "agreement_faults", "is_plural_noun", "number_of_verb"]

MANY = frozenset(
    """
    two three four five six seven eight nine ten eleven twelve thirteen fifteen twenty thirty forty fifty sixty hundred
    both few many several these those various dozen
    """.split()  # noqa: SIM905 - a list of words reads better as text
)
"""Words after which a noun stands in the plural."""

ONE = frozenset({"a", "an", "this", "each", "every", "another", "either", "neither", "one"})
"""Words after which it stands in the singular."""

_TO_BE = {"is": 1, "was": 1, "has": 1, "does": 1, "are": 2, "were": 2, "have": 2, "do": 2}
# Verbs that are common after a person; none whose base form is also its past.
_VERBS = frozenset(
    """
    arrive ask begin believe borrow bring bring build buy call carry catch clean climb come complain cook cry dance
    deserve drink drive eat enjoy explain fall feel find finish fly forget get give go hate hear help hope insist invite
    keep know laugh learn leave like listen live look lose love make mean meet move need open own pay plan play pray
    prefer promise pull push rent return ride run say see seem sell send show sing sit sleep smell smile speak spend
    stand start stay steal stop study swim take talk teach tell thank think throw travel try turn understand use visit
    wait wake walk want wash watch wear win wish work worry write
    """.split()  # noqa: SIM905 - a list of words reads better as text
)
_ADVERBS = frozenset("always never often also still just now usually really only already soon sometimes".split())  # noqa: SIM905 - a list of words reads better as text
_PLURALS = frozenset("people men women children folk police".split())  # noqa: SIM905 - a list of words reads better as text
_PRONOUN = re.compile(
    r"""
    (?:\b(?P<before>[\w'\u2019]+)\s)? \b(?P<pronoun>they|she|he)\s (?:(?:always|never|often|also|still|just|really)\s)?
    (?P<verb>(?:is|was|has|does|are|were|have|do)(?:n['\u2019]t)?)\b
    """,
    re.VERBOSE | re.IGNORECASE,
)
_HELPS = re.compile(  # after these a verb has no ending: "did she have", "if she were", "I insist that she have"
    r"(?:do|does|did|can|could|will|would|shall|should|may|might|must|let|if|though|wish|lest|and|or|nor|\w+n['\u2019]t)$",
    re.IGNORECASE,
)
_DEMANDS = re.compile(
    r"\b(?:ask|demand|insist|propos|recommend|request|suggest|urg|wish|important|essential)\w* that (?:s?he|they)\b",
    re.IGNORECASE,
)
_TWO_DETERMINERS = re.compile(
    r"(?:(?<=^)|(?<=[.!?:] ))(?:An?|The|My|Your|Our|Its|Their|Every) (?:an?|the|my|your|our|its|their|every)\b"
    r"|\b(?:an?|the|my|your|our|its|their|every) (?:an?|the|my|your|our|its|their|every)\b"
)
_TOO_MANY = re.compile(r"\b(?:an?|this|each|every|another) (?:people|women|men|children)\b", re.IGNORECASE)
_TOO_FEW = re.compile(r"\b(?:two|three|four|many|several|these|those|both) (?:person|woman|man|child)\b", re.IGNORECASE)
_SUSPECT = re.compile(
    rf"\b(?:they|s?he)\s(?:\w+\s)?(?:is|was|has|does|are|were|have|do)|{_TOO_MANY.pattern}|{_TOO_FEW.pattern}"
    r"|\b(?:an?|the|my|your|our|its|their|every) (?:an?|the|my|your|our|its|their|every)\b",
    re.IGNORECASE,
)


def agreement_faults(text: str) -> Iterator[tuple[str, str]]:
    """Words of a sentence that do not agree, each rule told once, as (rule, what is wrong).

    >>> list(agreement_faults("They was late, and I met the a writer."))
    [('agreement', "'They was' does not agree"), ('article', "'the a': two articles or the like in a row")]
    >>> list(agreement_faults("Did she have time, and does he do it, as if she were at home?"))
    []
    """
    if _SUSPECT.search(text) is None:
        return
    for found in _PRONOUN.finditer(text):
        several = found["pronoun"].lower() == "they"
        verb = re.sub(r"n['\u2019]t$", "", found["verb"].lower())
        helped = _HELPS.match(found["before"] or "") and not text[: found.start("pronoun")].endswith(", and ")
        if helped or _TO_BE[verb] == (2 if several else 1):
            continue
        if not several and verb in {"have", "do"} and _DEMANDS.search(text[: found.end("pronoun")]):
            continue
        yield "agreement", f"'{found['pronoun']} {found['verb']}' does not agree"
        break
    else:
        wrong = _TOO_MANY.search(text) or _TOO_FEW.search(text)
        if wrong:
            yield "agreement", f"'{wrong.group()}' does not agree"
    double = _TWO_DETERMINERS.search(text)
    if double and len(set(double.group().lower().split())) > 1:
        yield "article", f"'{double.group()}': two articles or the like in a row"


def number_of_verb(words: str) -> int:
    """1 where the first verb of what follows a subject is in the singular, 2 in the plural, 0 where that is not known.

    >>> [number_of_verb(words) for words in (" is here", " always run", " wasn't", " lost", ", are you")]
    [1, 2, 1, 0, 0]
    """
    if words[:1] in {"'", "\u2019"}:
        short = re.match(r".(s|re|ve)\b", words)
        return {"s": 0, "re": 2, "ve": 2}[short[1]] if short else 0
    if words[:1] != " ":
        return 0
    for word in words[1:].split(" "):
        bare = re.sub(r"n['\u2019]t$", "", word.strip(',.;:!?"')).lower()
        if bare in _ADVERBS:
            continue
        if bare in _TO_BE:
            return _TO_BE[bare]
        if bare in _VERBS:
            return 2
        return 1 if _is_third(bare) else 0
    return 0


def _is_third(word: str) -> bool:
    """Whether a word is a common verb in the third person: runs, goes, tries."""
    if not word.endswith("s"):
        return False
    return word[:-1] in _VERBS or word[:-2] in _VERBS or (word.endswith("ies") and word[:-3] + "y" in _VERBS)


def is_plural_noun(noun: str) -> bool:
    """Whether the head of a slot looks like a plural.

    >>> [is_plural_noun(noun) for noun in ("writers", "boss", "people", "neighbor", "businesswomen")]
    [True, False, True, False, True]
    """
    word = noun.lower()
    return word in _PLURALS or word.endswith(("women", "men")) or re.search(r"[^sui]s$", word) is not None
