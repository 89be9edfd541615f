"""What is wrong in a Spanish sentence or term: contractions, articles, agreement, and marks that are not closed."""

from __future__ import annotations

import re
from collections.abc import Iterator

from fairness_checklist.content.grammar.languages import get
from fairness_checklist.content.grammar.spanish import (
    DEFINITE,
    INDEFINITE,
    STRESSED_A,
    contract,
    is_invariable,
    is_plural_by_ending,
)
from fairness_checklist.content.grammar.spanish import plural as plural_of
from fairness_checklist.content.grammar.word_lists import words_of

openers = "\"'\u201c\u2018(\u00ab¿¡"
may_repeat = frozenset({"nos"})

_CONTRACTED = re.compile(r"\b([Aa]|[Dd]e) el(?= [^\W\d_])")
_AND_OR = re.compile(r"(?<![\w¿])([YyOo]) (\w+)")
_ARTICLE = re.compile(r"\b(un|una|une|unos|unas|unes|el|la|le|los|las|les) (\w+)", re.IGNORECASE)
_OF_ARTICLE = {  # gender, and whether it is plural
    form: (gender, several)
    for forms in (DEFINITE, INDEFINITE)
    for gender, pair in forms.items()
    for several, form in enumerate(pair)
}
_PEOPLE = {word: gender for gender in "fme" for word in words_of(f"spanish people {gender}")}
_PLURALS = {plural_of(word): (gender, True) for word, gender in _PEOPLE.items() if not re.search(r"ore?$", word)}
_PERSONA = re.compile(r"\bpersonas? ((?:no |muy )?)(\w{2,}[^\W\d]o)(s?)\b(?!-)")
_PERSONA_E = re.compile(r"\bpersonas? ((?:no )?binaries?)\b")  # verbs end in -e, too: no rule for all adjectives
_NO_ADJECTIVES = words_of("spanish no adjectives")


def sentence_faults(text: str) -> Iterator[tuple[str, str]]:
    """Rules that a sentence breaks, each reported once, as (rule, what is wrong).

    >>> list(sentence_faults("Vi a el vecino y Inés, una hombre con el agua."))
    [('contraction', "'a el' should be 'al'"), ('contraction', "'y Inés' should be 'e Inés'"), \
    ('article', "'una hombre' does not agree")]
    """
    yield from _contractions(text)
    yield from _articles(text)
    yield from _agreement(text)
    for opening, closing in (("¿", "?"), ("¡", "!")):
        if text.count(opening) != text.count(closing):
            yield "punctuation", f"{opening} and {closing} are not equally many"


def _contractions(text: str) -> Iterator[tuple[str, str]]:
    match = _CONTRACTED.search(text)
    if match:
        yield "contraction", f"'{match[0]}' should be '{match[1]}l'"
    for small, word in _AND_OR.findall(text):
        right = contract(f"{small} ", word)
        if right != f"{small} {word}":
            yield "contraction", f"'{small} {word}' should be '{right}'"
            break


def _articles(text: str) -> Iterator[tuple[str, str]]:
    for predicted, word in _ARTICLE.findall(text):
        gender, several = _OF_ARTICLE[predicted.lower()]
        small = word.lower()
        if not several and predicted.lower() in {"la", "una"} and small in STRESSED_A:
            yield "article", f"'{predicted} {word}' should be '{'el' if predicted.lower() == 'la' else 'un'} {word}'"
            return
        of_person = (_PEOPLE[small], False) if small in _PEOPLE else _PLURALS.get(small)
        if of_person not in {None, (gender, several)}:
            yield "article", f"'{predicted} {word}' does not agree"
            return


def _agreement(text: str) -> Iterator[tuple[str, str]]:
    for adverb, word, several in _PERSONA.findall(text):
        if word.lower() not in _NO_ADJECTIVES and not is_invariable(word) and not (several and word.endswith("mo")):
            yield "agreement", f"'{adverb}{word}{several}' does not agree with 'persona'"
            return
    match = _PERSONA_E.search(text)
    if match:
        yield "agreement", f"'{match[1]}' does not agree with 'persona'"


def edges(words: str) -> object:
    return words


def term_fault(term: str, pos: str, plural: str) -> str:
    if pos == "pp" and not get("es").starts_with_preposition(term):
        return f"the phrase {term!r} does not begin with a preposition: give it as pp, noun or adj as it is used"
    if pos == "noun" and plural in {"", term} and is_plural_by_ending(term.partition(" ")[0]):
        return f"the noun {term!r} looks like a plural: give the singular"
    return ""
