"""Rules that a sentence or a term breaks: those of every language, of English, and of Spanish.

A fault is (rule, what is wrong).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache

from fairness_checklist.content.grammar import english_articles, spanish
from fairness_checklist.content.grammar.english_articles import article as a_or_an
from fairness_checklist.content.grammar.language import words_of
from fairness_checklist.content.grammar.languages import get
from fairness_checklist.extensions.authoring.lint.patterns import first_match, pattern

Faults = Iterator[tuple[str, str]]

_DOUBLED = re.compile(r"(?!(?-i:[A-Z])\w+ (?-i:[A-Z]))(?<!\w['’])\b(\w+) \1\b", re.IGNORECASE)  # Bora Bora; Baha'i I
_INNER_CAPITAL = re.compile(r"[a-z]+[A-Z]")  # iPhone, eBay
_SAME_END = re.compile(r" (?:(?<=(\w\w) )\w++(?<=\1)|(?<=\b(\w) )\2\b)")  # a quick look before the rule above
# "a spineless, spineless fraud"; "a long, long way" and "is very, very good" are right
_DOUBLED_AFTER_COMMA = re.compile(
    r"\b(?:an?|the|my|your|our|his|her|their|such|so|is|was|are|were|this|that|una?|el|la|es|era|tan) "
    r"((?!(?:very|really|much|many|more|long|never|ever|only|just|muy)\b)\w{4,}), "
    r"\1 (?!(?:that|which|who|where|in|of|and|or|for|to|as|que|de|y)\b)",
    re.IGNORECASE,
)
_SPACING = re.compile(r" (?: |(?![:;]-?[()DP])[,;:!?]|\.(?![\d.]))")  # :) is by itself


@lru_cache(maxsize=65536)
def edges(words: str, language: str) -> object:
    """What decides which rules of `sentence_faults` words break in a sentence: those with the same break the same."""
    rules = {rule for rule, _fault in sentence_faults(words, language)} - {"capital"}
    if language != "en" or rules or not (words[:1].isalnum() and words[-1:].isalnum()):
        return words
    tokens = words.split(" ")
    sounds = tuple(a_or_an(tokens[0] + ending) for ending in ("", ".", "'s"))
    may_disagree = pattern("may disagree")
    is_small = words[0].islower() and _INNER_CAPITAL.match(words) is None
    near = (*tokens[:2], "", *tokens[-3:])
    agreeing = (word if may_disagree.match(word.lower().strip(",.;:!?\"'\u2019()")) else "" for word in near)
    return is_small, sounds, *agreeing


def sentence_faults(text: str, language: str = "en") -> Faults:
    """The faults of a sentence.

    >>> list(sentence_faults("she met a hour-long  film film."))
    [('article', "'a hour-long' should be 'an'"), ('doubled', "'film' appears twice"), \
    ('spacing', 'a space too many'), ('capital', 'no capital at the start')]
    >>> list(sentence_faults("eBay sold it."))
    []
    >>> list(sentence_faults("Vi a el vecino.", "es"))
    [('contraction', "'a el' should be 'al'")]
    """
    faults_of_language, openers, may_repeat = _LANGUAGES[language]
    yield from faults_of_language(text)
    matches = _DOUBLED.finditer(text) if _SAME_END.search(text.lower()) else iter(())
    repeated = (match[1].lower() for match in matches)
    if doubled := next((word for word in repeated if word not in may_repeat), ""):
        yield "doubled", f"'{doubled}' appears twice"
    if ", " in text and (again := _DOUBLED_AFTER_COMMA.search(text)):
        yield "doubled", f"'{again[1].lower()}' appears twice"
    if text != text.strip() or _SPACING.search(text):
        yield "spacing", "a space too many"
    letters = text.lstrip(openers)
    if letters[:1].islower() and not _INNER_CAPITAL.match(letters):
        yield "capital", "no capital at the start"
    if "{" in text or "}" in text:
        yield "parse", "a brace is left"
    if "](" in text:
        yield "mark", "a mark is left that is no [text](TYPE)"


MANY = words_of("english many")
"""Words after which a noun is in the plural."""

ONE = frozenset({"a", "an", "this", "each", "every", "another", "either", "neither", "one"})
"""Words after which it is in the singular."""

_TO_BE = {"is": 1, "was": 1, "has": 1, "does": 1, "are": 2, "were": 2, "have": 2, "do": 2}
# Verbs that are common after a person; none whose base form is also its past.
_VERBS = words_of("english verbs")
_ADVERBS = frozenset("always never often also still just now usually really only already soon sometimes".split())  # noqa: SIM905 - a list of words reads better as text


def _english_agreement(text: str) -> Faults:
    wrong = next(filter(_disagrees, pattern("pronoun and verb").finditer(text)), None)
    if wrong:
        yield "agreement", f"'{wrong['pronoun']} {wrong['verb']}' does not agree"
    elif people := first_match("number of people", text):
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
    for predicted, word in _A_OR_AN.findall(text):
        # "A" in the middle of a sentence is a name or grade rather than an article
        is_name = predicted == "A" and not text.startswith("A ") and not re.search(r"[.!?:\"\u201c] A ", text)
        if a_or_an(word) != predicted.lower() and not is_name:
            yield "article", f"'{predicted} {word.rstrip('.,')}' should be '{a_or_an(word)}'"
            break
    yield from _english_agreement(text)


_CONTRACTED = re.compile(r"\b([Aa]|[Dd]e) el(?= [^\W\d_])")
_AND_OR = re.compile(r"(?<![\w¿])([YyOo]) (\w+)")
_SPANISH_ARTICLE = re.compile(r"\b(un|una|une|unos|unas|unes|el|la|le|los|las|les) (\w+)", re.IGNORECASE)
_OF_ARTICLE = {  # gender, and whether it is plural
    form: (gender, several)
    for forms in (spanish.DEFINITE, spanish.INDEFINITE)
    for gender, pair in forms.items()
    for several, form in enumerate(pair)
}
_PEOPLE = {word: gender for gender in "fme" for word in words_of(f"spanish people {gender}")}
_PLURALS = {spanish.plural(word): (gender, True) for word, gender in _PEOPLE.items() if not re.search(r"ore?$", word)}
_PERSONA = re.compile(r"\bpersonas? ((?:no |muy )?)(\w{2,}[^\W\d]o)(s?)\b(?!-)")
_PERSONA_E = re.compile(r"\bpersonas? ((?:no )?binaries?)\b")  # verbs end in -e, too: no rule for all adjectives
_NO_ADJECTIVES = words_of("spanish no adjectives")


def _spanish(text: str) -> Faults:
    yield from _contractions(text)
    yield from _spanish_articles(text)
    yield from _spanish_agreement(text)
    for opening, closing in (("¿", "?"), ("¡", "!")):
        if text.count(opening) != text.count(closing):
            yield "punctuation", f"{opening} and {closing} are not equally many"


def _contractions(text: str) -> Faults:
    match = _CONTRACTED.search(text)
    if match:
        yield "contraction", f"'{match[0]}' should be '{match[1]}l'"
    for small, word in _AND_OR.findall(text):
        right = spanish.contract(f"{small} ", word)
        if right != f"{small} {word}":
            yield "contraction", f"'{small} {word}' should be '{right}'"
            break


def _spanish_articles(text: str) -> Faults:
    for predicted, word in _SPANISH_ARTICLE.findall(text):
        gender, several = _OF_ARTICLE[predicted.lower()]
        small = word.lower()
        if not several and predicted.lower() in {"la", "una"} and small in spanish.STRESSED_A:
            yield "article", f"'{predicted} {word}' should be '{'el' if predicted.lower() == 'la' else 'un'} {word}'"
            return
        of_person = (_PEOPLE[small], False) if small in _PEOPLE else _PLURALS.get(small)
        if of_person not in {None, (gender, several)}:
            yield "article", f"'{predicted} {word}' does not agree"
            return


def _spanish_agreement(text: str) -> Faults:
    for adverb, word, several in _PERSONA.findall(text):
        is_other = spanish.is_invariable(word) or (several and word.endswith("mo"))
        if word.lower() not in _NO_ADJECTIVES and not is_other:
            yield "agreement", f"'{adverb}{word}{several}' does not agree with 'persona'"
            return
    match = _PERSONA_E.search(text)
    if match:
        yield "agreement", f"'{match[1]}' does not agree with 'persona'"


_LANGUAGES: dict[str, tuple[Callable[[str], Faults], str, frozenset[str]]] = {
    "en": (_english, "\"'\u201c\u2018(", frozenset({"that", "had", "is"})),
    "es": (_spanish, "\"'\u201c\u2018(\u00ab\u00bf\u00a1", frozenset({"nos"})),
}
"""The rules of each language, what may come before the first capital, and words that may rightly appear twice."""


def term_fault(term: str, pos: str, plural: str, language: str) -> str:
    """What is wrong with the part of speech of a term, or ""."""
    first = term.partition(" ")[0].lower()
    is_clause = language == "en" and (first in _CLAUSE or first.endswith("ing"))
    if pos == "pp" and not get(language).starts_with_preposition(term) and not is_clause:
        return f"the phrase {term!r} does not begin with a preposition: give it as pp, noun or adj as it is used"
    if pos != "noun" or plural not in {"", term}:
        return ""
    if language == "en":
        return _plural_for_singular(term)
    is_plural = spanish.is_plural_by_ending(term.partition(" ")[0])
    return f"the noun {term!r} looks like a plural: give the singular" if is_plural else ""


_CLAUSE = frozenset({"who", "whose", "whom", "that", "which", "born", "aged", "diagnosed", "affected", "raised"})


def _plural_for_singular(term: str) -> str:
    before, space, last = term.rpartition(" ")
    if last.lower() in {"people", "men", "women", "children"}:
        return f"the noun {term!r} looks like a plural: give the singular"
    if re.search(r"[^suia]s$", last) is None:
        return ""
    single = english_articles.inflect_engine().singular_noun(last)
    if not single or english_articles.plural(str(single)) != last:
        return ""
    return f"the noun {term!r} looks like a plural: give the singular, {before + space + str(single)!r}"
