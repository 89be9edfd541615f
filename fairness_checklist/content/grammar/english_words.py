"""English words that do not agree: "they was", "two writer", "the a"; and the words that such rules are about."""

from __future__ import annotations

import re
from collections.abc import Iterator

from fairness_checklist.content.grammar.word_lists import WORDS, words_of

MANY = words_of("english many")
"""Words after which a noun is in the plural."""

ONE = frozenset({"a", "an", "this", "each", "every", "another", "either", "neither", "one"})
"""Words after which it is in the singular."""

_TO_BE = {"is": 1, "was": 1, "has": 1, "does": 1, "are": 2, "were": 2, "have": 2, "do": 2}
# Verbs that are common after a person; none whose base form is also its past.
_VERBS = words_of("english verbs")
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
_DETERMINERS = "a|an|the|my|your|our|its|their|every"
_NUMBERED = "this|each|another|two|three|four|many|several|these|those|both"
_AFTER_ONE_OF_THESE = "|".join([rf"(?<=\b{word} )" for word in f"{_DETERMINERS}|{_NUMBERED}".split("|")])
_SUSPECT = re.compile(  # whatever the rules above may find, in small letters; the search for a first space is quick
    r" (?:(?<=[ey] )(?:(?<=\bthey )|(?<=\bshe )|(?<=\bhe ))(?:\w+ )?(?:is|was|has|does|are|were|have|do)"
    rf"|(?=(?:people|women|men|children|person|woman|man|child|{_DETERMINERS})\b)(?:{_AFTER_ONE_OF_THESE}))"
)


_DISAGREES = re.compile(
    rf"they|she|he|that|always|never|often|also|still|just|really|(?:is|was|has|does|are|were|have|do)(?:n['\u2019]t)?"
    rf"|(?:ask|demand|insist|propos|recommend|request|suggest|urg|wish|important|essential)\w*"
    rf"|{_DETERMINERS}|{_NUMBERED}|people|women|men|children|person|woman|man|child"
)


def agreement_faults(text: str) -> Iterator[tuple[str, str]]:
    """Words of a sentence that do not agree, each rule reported once, as (rule, what is wrong).

    >>> list(agreement_faults("They was late, and I met the a writer."))
    [('agreement', "'They was' does not agree"), ('article', "'the a': two determiners in a row")]
    """
    if _SUSPECT.search(" ".join(text.lower().split())) is None:
        return
    for match in _PRONOUN.finditer(text):
        several = match["pronoun"].lower() == "they"
        verb = re.sub(r"n['\u2019]t$", "", match["verb"].lower())
        helped = _HELPS.match(match["before"] or "") and not text[: match.start("pronoun")].endswith(", and ")
        if helped or _TO_BE[verb] == (2 if several else 1):
            continue
        if not several and verb in {"have", "do"} and _DEMANDS.search(text[: match.end("pronoun")]):
            continue
        yield "agreement", f"'{match['pronoun']} {match['verb']}' does not agree"
        break
    else:
        wrong = _TOO_MANY.search(text) or _TOO_FEW.search(text)
        if wrong:
            yield "agreement", f"'{wrong.group()}' does not agree"
    double = _TWO_DETERMINERS.search(text)
    if double and len(set(double.group().lower().split())) > 1:
        yield "article", f"'{double.group()}': two determiners in a row"


def can_disagree(word: str) -> bool:
    """Whether a word is one that the rules of `agreement_faults` are about."""
    bare = word.lower().strip(",.;:!?\"'\u2019()")
    return _DISAGREES.fullmatch(bare) is not None or _HELPS.match(bare) is not None


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


_PEOPLE = words_of("english people")
_PROFESSIONS = words_of("english professions")
_RANKED = frozenset({"colleague", "coworker", "co-worker", "member", "partner", "player", "fellow", "aide"})
_ADULT_ONLY = words_of("english adult only")
_OLD_TIES = words_of("english old ties")

_PEOPLE_OR_WORK = _PEOPLE | _PROFESSIONS


def other_sense(term: str, noun: str) -> str:
    """The reason why a term has another meaning right before a noun, or "".

    >>> other_sense("Black", "market"), other_sense("blind", "writers")
    ("'Black market' has another sense", '')
    """
    last = _bare(term.rpartition(" ")[2])
    if any(form in _compounds(last) for form in _singulars(_bare(noun))):
        return f"'{term} {noun}' has another sense"
    return ""


def unfit_before(adjective: str, noun: str) -> str:
    """The reason why an adjective does not describe a person right before a noun for one, or "".

    >>> unfit_before("young", "writer"), unfit_before("straight", "neighbors"), unfit_before("older", "writer")
    ("'young' right before 'writer' has another sense", '', '')
    """
    word = _bare(adjective)
    if word not in _RULES:
        return ""
    forms = _singulars(_bare(noun))
    of_these = any(form in _RULES[word] for form in forms)
    if word == "straight":
        of_these = not of_these and not any(map(_looks_like_a_person, forms))
    if of_these:
        return f"'{adjective}' right before '{noun}' has another sense"
    return ""


def has_senses(term: str) -> bool:
    """Whether there are nouns before which a term has another sense."""
    return _bare(term) in _RULES or bool(_compounds(_bare(term.rpartition(" ")[2])))


# For these adjectives the nouns before which they are another word; for straight those before which they are not.
_RULES = {
    "adult": _PROFESSIONS | _ADULT_ONLY,
    "young": _PROFESSIONS,
    "old": _PROFESSIONS | _OLD_TIES,
    "senior": _PROFESSIONS | _RANKED,
    "junior": _PROFESSIONS | _RANKED,
    "straight": _PEOPLE_OR_WORK,
}


_AGENT = re.compile(r"(?:[^aeiou]er|[st]or|ist|ian|[^m]ant|eer|woman|man|mate|person)$")
_NO_AGENTS = words_of("english no agents")


def _looks_like_a_person(noun: str) -> bool:
    return noun not in _NO_AGENTS and _AGENT.search(noun) is not None


def _bare(word: str) -> str:
    return re.sub(r"^\W+|(?:['\u2019]s)?\W*$", "", word).lower()


def _compounds(word: str) -> frozenset[str]:
    """The nouns, in the singular, right after which a term is another word: "black market"."""
    return WORDS.get(f"english before {word}", frozenset())


def _singulars(noun: str) -> tuple[str, ...]:
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
