"""Rules that a Spanish sentence must keep: contractions, y and o, articles, agreement with *persona*, ¿ and ¡."""

from __future__ import annotations

import re
from collections.abc import Iterator

from fairness_checklist.grammar.spanish.joints import STRESSED_A, attached
from fairness_checklist.grammar.spanish.words import is_fixed, plural

__all__ = ["sentence_faults"]

_CONTRACTED = re.compile(r"\b([Aa]|[Dd]e) el(?= [^\W\d_])")
_AND_OR = re.compile(r"(?<![\w¿])([YyOo]) (\w+)")
_ARTICLE = re.compile(r"\b(un|una|une|unos|unas|unes|el|la|le|los|las|les) (\w+)", re.IGNORECASE)
_OF_ARTICLE = {
    "un": ("m", False), "una": ("f", False), "une": ("e", False), "unos": ("m", True), "unas": ("f", True),
    "unes": ("e", True), "el": ("m", False), "la": ("f", False), "le": ("e", False), "los": ("m", True),
    "las": ("f", True), "les": ("e", True),
}  # fmt: skip
# Words for people that have one gender or one for each.
_PEOPLE = {
    word: gender
    for gender, words in {
        "f": """persona mujer chica señora niña madre abuela escritora vecina amiga profesora compañera alumna ingeniera
            enfermera abogada pintora cocinera tía hermana actriz""",
        "m": """hombre chico señor niño padre abuelo escritor vecino amigo profesor compañero alumno ingeniero enfermero
            abogado pintor cocinero tío hermano actor""",
        "e": "chique amigue compañere escritore vecine profesore ingeniere alumne abogade niñe enfermere cocinere",
    }.items()
    for word in words.split()
}
_PLURALS = {plural(word): (gender, True) for word, gender in _PEOPLE.items() if not re.search(r"ore?$", word)}
_PERSONA = re.compile(r"\bpersonas? ((?:no |muy )?)(\w{2,}[^\W\d]o)(s?)\b(?!-)")
_NO_ADJECTIVES = frozenset(
    """
    como cuando pero luego pronto dijo hizo quiso tuvo pudo puso supo vino trajo anduvo estuvo hubo yo mucho tanto
    dio tampoco primero cuanto según todo bajo solo sólo poco nuestro
    """.split()  # noqa: SIM905 - a list of words reads better as text
)


def sentence_faults(text: str) -> Iterator[tuple[str, str]]:
    """Rules that a sentence breaks, each told once, as (rule, what is wrong).

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
    found = _CONTRACTED.search(text)
    if found:
        yield "contraction", f"'{found[0]}' should be '{found[1]}l'"
    for small, word in _AND_OR.findall(text):
        right = attached(f"{small} ", word)
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
        of_word = _person(small)
        if of_word is not None and of_word != (gender, several):
            yield "article", f"'{predicted} {word}' does not agree"
            return


def _person(word: str) -> tuple[str, bool] | None:
    """Gender and number of a word for people that is known."""
    if word in _PEOPLE:
        return _PEOPLE[word], False
    return _PLURALS.get(word)


def _agreement(text: str) -> Iterator[tuple[str, str]]:
    for adverb, word, several in _PERSONA.findall(text):
        if word.lower() not in _NO_ADJECTIVES and not is_fixed(word) and not (several and word.endswith("mo")):
            yield "agreement", f"'{adverb}{word}{several}' does not agree with 'persona'"
            return
