"""Faults of a sentence or a term, as (rule, what is wrong): those of every language, of English, and of Spanish."""

import re
from collections.abc import Callable, Iterator

from fairness_checklist.content.grammar import spanish
from fairness_checklist.content.grammar.english_articles import article as a_or_an
from fairness_checklist.content.grammar.language import WORDS
from fairness_checklist.extensions.authoring.lint.patterns import first_match, pattern

Faults = Iterator[tuple[str, str]]

_DOUBLED = re.compile(r"(?!(?-i:[A-Z])\w+ (?-i:[A-Z]))(?<!\w['’])\b(\w+) \1\b", re.IGNORECASE)  # Bora Bora; Baha'i I
_INNER_CAPITAL = re.compile(r"[a-z]+[A-Z]")  # iPhone, eBay
_SAME_END = re.compile(r" (?:(?<=(\w\w) )\w++(?<=\1)|(?<=\b(\w) )\2\b)")  # a quick look before the rule above
_SPACING = re.compile(r" (?: |(?![:;]-?[()DP])[,;:!?]|\.(?![\d.]))")  # :) is by itself


def sentence_faults(text: str, language: str = "en") -> Faults:
    """The faults of a sentence, in words that stand side by side: the linter reads only what is next to a slot."""
    faults_of_language, openers, may_repeat = _LANGUAGES[language]
    yield from faults_of_language(text)
    matches = _DOUBLED.finditer(text) if _SAME_END.search(text.lower()) else iter(())
    repeated = (match[1].lower() for match in matches)
    if doubled := next((word for word in repeated if word not in may_repeat), ""):
        yield "doubled", f"'{doubled}' appears twice"
    if text != text.strip() or _SPACING.search(text):
        yield "spacing", "a space too many"
    letters = text.lstrip(openers)
    if letters[:1].islower() and not _INNER_CAPITAL.match(letters):
        yield "capital", "no capital at the start"
    if "{" in text or "}" in text:
        yield "parse", "a brace is left"


MANY = WORDS["english many"]  # words after which a noun is in the plural

ONE = frozenset({"a", "an", "this", "each", "every", "another", "either", "neither", "one"})
"""Words after which it is in the singular."""

_TO_BE = {"is": 1, "was": 1, "has": 1, "does": 1, "are": 2, "were": 2, "have": 2, "do": 2}
# Verbs that are common after a person; none whose base form is also its past.
_VERBS = WORDS["english verbs"]
_ADVERBS = frozenset("always never often also still just now usually really only already soon sometimes".split())  # noqa: SIM905 - a list of words reads better as text


_HAS_PRONOUN = re.compile(r"h(?<!\w.)e\s|she\s|they\s")  # a quick look before the patterns, in small letters
_HAS_PEOPLE = re.compile(r"people|person|woman|women|man|men|child")


def _english_agreement(text: str) -> Faults:
    small = text.lower()
    pronouns = pattern("pronoun and verb").finditer(text) if _HAS_PRONOUN.search(small) else ()
    if wrong := next(filter(_disagrees, pronouns), None):
        yield "agreement", f"'{wrong['pronoun']} {wrong['verb']}' does not agree"
    elif _HAS_PEOPLE.search(small) and (people := first_match("number of people", text)):
        yield "agreement", f"'{people.group()}' does not agree"
    double = pattern("two determiners").search(text)
    if double and len(set(double.group().lower().split())) > 1:
        yield "article", f"'{double.group()}': two determiners in a row"


def _disagrees(match: re.Match[str]) -> bool:
    """Whether a verb does not agree with the pronoun before it; after some words it has no ending ("did she have")."""
    is_plural = match["pronoun"].lower() == "they"
    verb = re.sub(r"n['\u2019]t$", "", match["verb"].lower())
    starts_clause = match.string[: match.start("pronoun")].endswith(", and ")
    is_helped = pattern("before a bare verb").match(match["before"] or "") and not starts_clause
    is_demanded = not is_plural and verb in {"have", "do"}
    return not (
        is_helped
        or _TO_BE[verb] == 1 + is_plural
        or (is_demanded and pattern("demand").search(match.string[: match.end("pronoun")]))
    )


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


_A_OR_AN = re.compile(r"([Aa](?<!\w.)n?) ([\w$£€][\w,.'\u2019-]*)")


def _english(text: str) -> Faults:
    for match in _A_OR_AN.finditer(text):
        predicted, word = match.groups()
        is_name = predicted == "A" and match.start() and not re.search(r"[.!?:\"\u201c] $", text[: match.start()])
        if a_or_an(word) != predicted.lower() and not is_name:
            yield "article", f"'{predicted} {word.rstrip('.,')}' should be '{a_or_an(word)}'"
            break
    yield from _english_agreement(text)


_CONTRACTED = re.compile(r"\b([Aa]|[Dd]e) el(?= [^\W\d_])")
_AND_OR = re.compile(r"(?<![\w¿])([YyOo]) (\w+)")


def _spanish(text: str) -> Faults:
    if match := _CONTRACTED.search(text):
        yield "contraction", f"'{match[0]}' should be '{match[1]}l'"
    for small, word in _AND_OR.findall(text):
        right = spanish.Spanish().contract(f"{small} ", word)
        if right != f"{small} {word}":
            yield "contraction", f"'{small} {word}' should be '{right}'"
            break
    for opening, closing in (("\u00bf", "?"), ("\u00a1", "!")):
        if text.count(opening) != text.count(closing):
            yield "punctuation", f"{opening} and {closing} are not equally many"


_LANGUAGES: dict[str, tuple[Callable[[str], Faults], str, frozenset[str]]] = {
    "en": (_english, "\"'\u201c\u2018(", frozenset({"that", "had", "is"})),
    "es": (_spanish, "\"'\u201c\u2018(\u00ab\u00bf\u00a1", frozenset({"nos"})),
}
"""The rules of each language, what may come before the first capital, and words that may rightly appear twice."""
