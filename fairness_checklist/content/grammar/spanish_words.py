"""Spanish words: gender and number of nouns, and the forms of adjectives.

Genders are "f" (ella), "m" (él) and "e" (elle, with the ending -e: *une escritore cansade*).
"""

from __future__ import annotations

import re
from functools import lru_cache

from fairness_checklist.content.grammar.language import Noun
from fairness_checklist.content.grammar.word_lists import words_of

PREPOSITIONS = words_of("spanish prepositions")
_CLAUSE = frozenset({"que", "cuyo", "cuya", "quien", "nacido", "nacida"})
_UNINFLECTED = frozenset({"no", "muy", "más", "poco"})  # adverbs inside a noun phrase
_FIXED = re.compile(r"(?:género|queer|(?:^|-)(?:trans|cis|inter))$")
_WITHOUT_FEMININE = words_of("spanish without feminine")
_FEMININE_IN_A = frozenset({"español", "andaluz", "mongol"})
_ACCENTS = str.maketrans("áéíóú", "aeiou")
_ENDS_SPANISH = re.compile(r"[A-Za-z\u00c0-\u024f]$")
_IRREGULAR = {
    "joven": "jóvenes",
    "examen": "exámenes",
    "orden": "órdenes",
    "origen": "orígenes",
    "imagen": "imágenes",
    "carácter": "caracteres",
    "régimen": "regímenes",
}
_COMMON = words_of("spanish common")
_FEMININE = words_of("spanish feminine")
_MASCULINE = words_of("spanish masculine")
_FEMININE_ENDING = re.compile(r"(?:a|ción|sión|xión|gión|nión|tad|dad|tud|umbre|itis|sis|triz)$")
_COMMON_ENDING = re.compile(r"(?:ista|[aei]nte|crata|cida)$")


def noun_gender(noun: str) -> str:
    """The gender of a noun in the singular; "" where it is that of the person (*colega*, *artista*, *estudiante*)."""
    word = noun.partition(" ")[0].lower()
    if word in _FEMININE:
        return "f"
    if word in _MASCULINE:
        return "m"
    if word in _COMMON or _COMMON_ENDING.search(word):
        return ""
    return "f" if _FEMININE_ENDING.search(word) else "m"


@lru_cache(maxsize=4096)
def plural(words: str) -> str:
    """The plural of a noun, an adjective or a noun phrase; what follows a preposition stays."""
    listed = words.split(" ")
    ends = [at for at, word in enumerate(listed) if at and word.lower() in PREPOSITIONS | _CLAUSE]
    end = ends[0] if ends else len(listed)
    if " ".join(listed[1:end]) == "género fluido":
        end = 1
    return " ".join([*map(_plural_word, listed[:end]), *listed[end:]])


def _plural_word(word: str) -> str:
    if word in _UNINFLECTED or is_invariable(word) or not _ENDS_SPANISH.search(word):
        return word
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if word[-1:] in "aeiouáéó":
        return word + "s"
    if word[-1:] in "íú":
        return word + "es"
    if word.endswith("z"):
        return word[:-1] + "ces"
    if re.search(r"[áéíóú][ns]$", word):
        return word[:-2] + word[-2].translate(_ACCENTS) + word[-1] + "es"
    return word if word.endswith(("s", "x")) else word + "es"


def is_invariable(word: str) -> bool:
    """Whether an adjective has one form for both genders and numbers."""
    return _FIXED.search(word) is not None


def singular(word: str) -> str:
    """The singular of a noun in the plural, judged by its ending; else the word itself."""
    if is_invariable(word) or word.endswith(("is", "us")):
        return word
    for ending, single in (("ciones", "ción"), ("siones", "sión"), ("ces", "z")):
        if word.endswith(ending):
            return word.removesuffix(ending) + single
    if re.search(r"[aeiouáéíóú][rlnd]es$", word):
        return word[:-2]
    return word[:-1] if re.search(r"[aeo]s$", word) else word


def is_plural_by_ending(word: str) -> bool:
    """Whether a noun is in the plural, judged by its ending."""
    return word.endswith("s") and singular(word) != word


@lru_cache(maxsize=4096)
def adjective_forms(adjective: str) -> tuple[str, str, str]:
    """An adjective in the singular: masculine, feminine, and the form in -e.

    >>> adjective_forms("sordo"), adjective_forms("trans"), adjective_forms("no binario")
    (('sordo', 'sorda', 'sorde'), ('trans', 'trans', 'trans'), ('no binario', 'no binaria', 'no binarie'))
    """
    parts = [part.strip() for part in adjective.split("/")]
    if len(parts) == 1:
        before, space, last = adjective.rpartition(" ")
        feminine = before + space + _feminine(last)
        if before.endswith("género"):  # género fluido: a noun beside a noun
            feminine = adjective
        parts = [adjective, feminine]
    return parts[0], parts[1], parts[2] if len(parts) > 2 else e_form(parts[0], parts[1])


def _feminine(word: str) -> str:
    if is_invariable(word) or word in _WITHOUT_FEMININE:
        return word
    if word.endswith("o"):
        return word[:-1] + "a"
    if word.endswith("or") or word in _FEMININE_IN_A:
        return word + "a"
    if re.search(r"(?:[áíó]n|és)$", word):
        return word[:-2] + word[-2].translate(_ACCENTS) + word[-1] + "a"
    return word


def e_form(masculine: str, feminine: str) -> str:
    """The form in -e, from the feminine: the same as both where they are the same, "" where no rule gives it."""
    if masculine == feminine:
        return masculine
    ending = re.search(r"(qu|gu|c|g|z|)a(s?)$", feminine)
    if ending is None:
        return ""
    turned = {"c": "qu", "g": "gu", "gu": "gü", "z": "c"}.get(ending[1], ending[1])
    return f"{feminine[: ending.start()]}{turned}e{ending[2]}"


def starts_with_preposition(words: str) -> bool:
    """Whether a term is a phrase that follows its noun."""
    first, space, _rest = words.partition(" ")
    return bool(space) and first.lower() in PREPOSITIONS


DEFINITE = {"m": ("el", "los"), "f": ("la", "las"), "e": ("le", "les")}
INDEFINITE = {"m": ("un", "unos"), "f": ("una", "unas"), "e": ("une", "unes")}
# Feminine nouns in a stressed a: "el agua", "un aula".
STRESSED_A = words_of("spanish stressed a")
_TAIL = re.compile(r"(?:(?<!\w)(?:[aA]|[dD]e)|(?<![\w¿])[yYoO]) $")  # "¿Y Inés?" keeps its y
_LEADING_ARTICLE = re.compile(r"(el|la|los|las) (?=\S)")
_SOUNDS_I = re.compile(r"h?[iíIÍ](?![aeouáéóú])", re.IGNORECASE)
_SOUNDS_O = re.compile(r"h?[oó]", re.IGNORECASE)


def article(noun: Noun, *, definite: bool) -> str:
    """The article of a noun."""
    forms = (DEFINITE if definite else INDEFINITE)[noun.gender or "m"]
    first = re.match(r"[^\W\d_]*", noun.text)
    if noun.gender == "f" and not noun.plural and first and first.group().lower() in STRESSED_A:
        forms = (DEFINITE if definite else INDEFINITE)["m"]
    return forms[noun.plural]


def split_article(words: str) -> tuple[str, str]:
    """A small article that belongs to a name, and the rest.

    >>> split_article("el Reino Unido"), split_article("El Salvador")
    (('el', 'Reino Unido'), ('', 'El Salvador'))
    """
    match = _LEADING_ARTICLE.match(words)
    return (match[1], words[match.end() :]) if match else ("", words)


def contractible_end(literal: str) -> str:
    """The small word at the end of a literal that may change with what follows."""
    match = _TAIL.search(literal)
    return match.group() if match else ""


def contract(before: str, words: str) -> str:
    """The small word and what follows it."""
    small = before.strip().lower()
    if small in {"a", "de"} and re.match(r"el(?= |$)", words):
        return f"{before.strip()}l{words[2:]}"
    if small == "y" and _SOUNDS_I.match(words):
        return ("E" if before[0].isupper() else "e") + " " + words
    if small == "o" and _SOUNDS_O.match(words):
        return ("U" if before[0].isupper() else "u") + " " + words
    return before + words
