"""Spanish words: gender and number of nouns, and the forms of adjectives.

Genders are "f" (ella), "m" (él) and "e" (elle, with the ending -e: *une escritore cansade*).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
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


_DEFINITE = {"m": ("el", "los"), "f": ("la", "las"), "e": ("le", "les")}
_INDEFINITE = {"m": ("un", "unos"), "f": ("una", "unas"), "e": ("une", "unes")}
# Feminine nouns in a stressed a: "el agua", "un aula".
STRESSED_A = words_of("spanish stressed a")
_TAIL = re.compile(r"(?:(?<!\w)(?:[aA]|[dD]e)|(?<![\w¿])[yYoO]) $")  # "¿Y Inés?" keeps its y
_LEADING_ARTICLE = re.compile(r"(el|la|los|las) (?=\S)")
_SOUNDS_I = re.compile(r"h?[iíIÍ](?![aeouáéóú])", re.IGNORECASE)
_SOUNDS_O = re.compile(r"h?[oó]", re.IGNORECASE)


def article(noun: Noun, *, definite: bool) -> str:
    """The article of a noun."""
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


_CONTRACTED = re.compile(r"\b([Aa]|[Dd]e) el(?= [^\W\d_])")
_AND_OR = re.compile(r"(?<![\w¿])([YyOo]) (\w+)")
_ARTICLE = re.compile(r"\b(un|una|une|unos|unas|unes|el|la|le|los|las|les) (\w+)", re.IGNORECASE)
_OF_ARTICLE = {  # gender, and whether it is plural
    form: (gender, several)
    for forms in (_DEFINITE, _INDEFINITE)
    for gender, pair in forms.items()
    for several, form in enumerate(pair)
}
_PEOPLE = {word: gender for gender in "fme" for word in words_of(f"spanish people {gender}")}
_PLURALS = {plural(word): (gender, True) for word, gender in _PEOPLE.items() if not re.search(r"ore?$", word)}
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
        if word.lower() not in _NO_ADJECTIVES and not is_invariable(word) and not (several and word.endswith("mo")):
            yield "agreement", f"'{adverb}{word}{several}' does not agree with 'persona'"
            return
    match = _PERSONA_E.search(text)
    if match:
        yield "agreement", f"'{match[1]}' does not agree with 'persona'"
