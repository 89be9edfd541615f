"""What is wrong in an English sentence or term: articles by sound, "they was", "two writer", "the a"."""

from __future__ import annotations

import re
from collections.abc import Iterator

from fairness_checklist.content.grammar.english_articles import article as a_or_an
from fairness_checklist.content.grammar.english_articles import plural as plural_of
from fairness_checklist.content.grammar.english_articles import starts_with_preposition
from fairness_checklist.content.grammar.word_lists import words_of

openers = "\"'\u201c\u2018("
may_repeat = frozenset({"that", "had", "is"})

MANY = words_of("english many")
"""Words after which a noun is in the plural."""

ONE = frozenset({"a", "an", "this", "each", "every", "another", "either", "neither", "one"})
"""Words after which it is in the singular."""

_TO_BE = {"is": 1, "was": 1, "has": 1, "does": 1, "are": 2, "were": 2, "have": 2, "do": 2}
# Verbs that are common after a person; none whose base form is also its past.
_VERBS = words_of("english verbs")
_ADVERBS = frozenset("always never often also still just now usually really only already soon sometimes".split())  # noqa: SIM905 - a list of words reads better as text
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
        forms = {bare[:-1], bare[:-2], re.sub("ie$", "y", bare[:-1])} if bare.endswith("s") else set()
        return 0 if forms.isdisjoint(_VERBS) else 1  # runs, goes, tries
    return 0


_CLAUSE = frozenset({"who", "whose", "whom", "that", "which", "born", "aged", "diagnosed", "affected", "raised"})
_ARTICLE = re.compile(r"([Aa](?<!\w.)n?) ([\w$£€][\w,.'\u2019-]*)")


def sentence_faults(text: str) -> Iterator[tuple[str, str]]:
    for predicted, word in _ARTICLE.findall(text):
        # "A" in the middle of a sentence is a name or grade rather than an article
        is_name = predicted == "A" and not text.startswith("A ") and not re.search(r"[.!?:\"\u201c] A ", text)
        if a_or_an(word) != predicted.lower() and not is_name:
            yield "article", f"'{predicted} {word.rstrip('.,')}' should be '{a_or_an(word)}'"
            break
    yield from agreement_faults(text)


def edges(words: str) -> object:
    first, tokens = words.partition(" ")[0], words.split(" ")
    sounds = (a_or_an(first), a_or_an(f"{first}."), a_or_an(f"{first}'s"))
    return sounds, *(word if can_disagree(word) else "" for word in (*tokens[:2], "", *tokens[-3:]))


def term_fault(term: str, pos: str, plural: str) -> str:
    if pos == "pp":
        first = term.partition(" ")[0].lower()
        if starts_with_preposition(term) or first in _CLAUSE or first.endswith("ing"):
            return ""
        return f"the phrase {term!r} does not begin with a preposition: give it as pp, noun or adj as it is used"
    return _plural_for_singular(term) if pos == "noun" and plural in {"", term} else ""


def _plural_for_singular(term: str) -> str:
    before, space, last = term.rpartition(" ")
    if last.lower() in {"people", "men", "women", "children"}:
        return f"the noun {term!r} looks like a plural: give the singular"
    if re.search(r"[^suia]s$", last) is None:
        return ""
    import inflect

    single = inflect.engine().singular_noun(last)
    if not single or plural_of(str(single)) != last:
        return ""
    return f"the noun {term!r} looks like a plural: give the singular, {before + space + str(single)!r}"
