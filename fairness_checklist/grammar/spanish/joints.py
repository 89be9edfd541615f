"""Where two Spanish words meet: articles, a + el = al, de + el = del, y before i, o before o."""

from __future__ import annotations

import re

from fairness_checklist.grammar.language import Noun

__all__ = ["STRESSED_A", "article", "attached", "split_article", "takes_along"]

_DEFINITE = {"m": ("el", "los"), "f": ("la", "las"), "e": ("le", "les")}
_INDEFINITE = {"m": ("un", "unos"), "f": ("una", "unas"), "e": ("une", "unes")}
# Feminine nouns in a stressed a: "el agua", "un aula".
STRESSED_A = frozenset(
    """
    abra acta agua águila ala alba alga alma alza ama ancla ánfora ansia arca área aria arma arpa asa ascua aspa
    asta aula ave aya haba habla hacha hada hambre haya álgebra ánima ágora asma hampa
    """.split()  # noqa: SIM905 - a list of words reads better as text
)
_TAIL = re.compile(r"(?:(?<!\w)(?:[aA]|[dD]e)|(?<![\w¿])[yYoO]) $")  # "¿Y Inés?" keeps its y
_ARTICLE = re.compile(r"(el|la|los|las) (?=\S)")
_SOUNDS_I = re.compile(r"h?[iíIÍ](?![aeouáéóú])", re.IGNORECASE)
_SOUNDS_O = re.compile(r"h?[oó]", re.IGNORECASE)


def article(noun: Noun, *, definite: bool) -> str:
    """The article of a noun.

    >>> article(Noun("persona", "f"), definite=False), article(Noun("agua", "f"), definite=True)
    ('una', 'el')
    >>> article(Noun("escritores", "e", True), definite=True)
    'les'
    """
    forms = (_DEFINITE if definite else _INDEFINITE)[noun.gender or "m"]
    first = re.match(r"[^\W\d_]*", noun.text)
    if noun.gender == "f" and not noun.plural and first and first.group().lower() in STRESSED_A:
        forms = (_DEFINITE if definite else _INDEFINITE)["m"]
    return forms[noun.plural]


def split_article(words: str) -> tuple[str, str]:
    """A small article that belongs to a name, and the rest.

    >>> split_article("el Reino Unido"), split_article("El Salvador")
    (('el', 'Reino Unido'), ('', 'El Salvador'))
    """
    found = _ARTICLE.match(words)
    return (found[1], words[found.end() :]) if found else ("", words)


def takes_along(literal: str) -> str:
    """The small word at the end of a literal that may change with what follows.

    >>> takes_along("Vi a "), takes_along("Hola ")
    ('a ', '')
    """
    found = _TAIL.search(literal)
    return found.group() if found else ""


def attached(before: str, words: str) -> str:
    """The small word and what follows it.

    >>> attached("a ", "el vecino"), attached("De ", "el vecino"), attached("de ", "El Salvador")
    ('al vecino', 'Del vecino', 'de El Salvador')
    >>> attached("y ", "Inés"), attached("o ", "otra persona"), attached("y ", "hielo")
    ('e Inés', 'u otra persona', 'y hielo')
    """
    small = before.strip().lower()
    if small in {"a", "de"} and re.match(r"el(?= |$)", words):
        return f"{before.strip()}l{words[2:]}"
    if small == "y" and _SOUNDS_I.match(words):
        return ("E" if before[0].isupper() else "e") + " " + words
    if small == "o" and _SOUNDS_O.match(words):
        return ("U" if before[0].isupper() else "u") + " " + words
    return before + words
