"""Spanish as a `Grammar`: adjectives after the noun, and three gender forms: ella, él and elle."""

from __future__ import annotations

import re

from fairness_checklist.content.grammar import spanish_words
from fairness_checklist.content.grammar.language import Grammar, Noun
from fairness_checklist.content.grammar.spanish_words import (
    adjective_forms,
    e_form,
    is_plural_by_ending,
    noun_gender,
    singular,
)
from fairness_checklist.content.grammar.word_lists import words_of
from fairness_checklist.core.errors import TermError

_FORMS = ("is", "am", "are", "was", "were", "be", "being")
_IRREGULAR = {
    forms.split("/")[0]: dict(zip(_FORMS, forms.split("/"), strict=True))
    for forms in words_of("spanish irregular verbs")
}
_IN_IR = frozenset({"vive", "escribe", "recibe", "sufre", "cumple", "asiste", "comparte", "percibe", "existe"})
_IN_ER = frozenset({"bebe", "come", "debe", "lee", "corre", "vende", "aprende", "cree", "comprende", "posee"})
_ACCENTED = str.maketrans("aeiou", "áéíóú")
_REFLEXIVE = {"am": "me ", "is": "se ", "are": "se ", "was": "se ", "were": "se "}


def _split_predicate(predicate: str) -> tuple[str, bool, str, str]:
    """ "no ", whether "se" comes before the verb, the verb, and the rest with its space."""
    match = re.fullmatch(r"(no )?(se )?([^\W\d_]+)( .*)?", predicate)
    return (match[1] or "", bool(match[2]), match[3], match[4] or "") if match else ("", False, "", "")


def is_third_person(predicate: str) -> bool:
    """Whether a predicate starts with a verb in the third person that `conjugate` knows."""
    _no, _reflexive, verb, rest = _split_predicate(predicate)
    known = verb in _IRREGULAR or verb in _IN_IR or verb in _IN_ER
    return known or (bool(rest) and re.fullmatch(r"[a-zñü]+a", verb) is not None)


def conjugate(predicate: str, form: str) -> str:
    """A predicate in the third person singular of the present, put into another form.

    >>> [conjugate("no tiene género", form) for form in ("is", "are", "was", "be", "being")]
    ['no tiene género', 'no tienen género', 'no tenía género', 'no tener género', 'no teniendo género']
    >>> [conjugate("se identifica como agénero", form) for form in ("am", "were", "be")]
    ['me identifico como agénero', 'se identificaban como agénero', 'identificarse como agénero']
    """
    no, reflexive, verb, rest = _split_predicate(predicate)
    written = _form(verb, form)
    if not reflexive:
        return f"{no}{written}{rest}"
    if form in _REFLEXIVE:
        return f"{no}{_REFLEXIVE[form]}{written}{rest}"
    if form != "be":
        written = re.sub(r"[aeiou](?=ndo$)", lambda vowel: vowel[0].translate(_ACCENTED), written)
    return f"{no}{written}se{rest}"


def _form(verb: str, form: str) -> str:
    if verb in _IRREGULAR:
        return _IRREGULAR[verb][form]
    stem = verb[:-1]
    if verb in _IN_IR or verb in _IN_ER:
        infinitive = stem + ("ir" if verb in _IN_IR else "er")
        endings = {"am": "o", "is": "e", "are": "en", "was": "ía", "were": "ían", "being": "iendo"}
    else:
        infinitive = stem + "ar"
        endings = {"am": "o", "is": "a", "are": "an", "was": "aba", "were": "aban", "being": "ando"}
    return infinitive if form == "be" else stem + endings[form]


_GENDERS = {"él": "m", "ella": "f", "elle": "e", "": ""}
_POSITION = {"m": 0, "f": 1, "e": 2}
_SELF = ("mismo", "misma")
_OF_HEAD = "-"  # an adjective cell: only the form of the head expresses the group


def _gender(pronouns: str) -> str:
    return _GENDERS[pronouns.strip().lower()]


def _option(options: list[str] | tuple[str, ...], gender: str) -> str:
    """Of "escritor|escritora" the one for a gender; the third by rule, where it is not given: "actor|actriz|actore"."""
    if gender == "e":
        return options[2] if len(options) > 2 else e_form(options[0], options[1])
    return options[_POSITION[gender]]


class Spanish(Grammar):
    """Spanish; adjectives and heads of slots agree with the person."""

    code = "es"
    name = "Spanish"
    person = Noun("persona", "f")
    someone = ""  # adjectives of the sentence agree with "una persona"
    people = Noun("personas", "f", plural=True)
    pronoun_forms = ("they", "them", "their", "themself")
    choices = (2, 3)
    genders = ("m", "f", "e")
    default_pronouns = "ella"  # those of the noun persona
    articles = frozenset({"un", "una", "une", "el", "la", "le", "los", "las", "les"})
    predicate_verbs = frozenset({"es", "está", "tiene", "usa", "vive", "habla", "lleva"})
    head_position = 0
    copula = "es"
    examples = ("tiene epilepsia", "usa silla de ruedas")
    with_ = "con"

    article = staticmethod(spanish_words.article)
    contract = staticmethod(spanish_words.contract)
    contractible_end = staticmethod(spanish_words.contractible_end)
    plural = staticmethod(spanish_words.plural)
    split_article = staticmethod(spanish_words.split_article)
    starts_with_preposition = staticmethod(spanish_words.starts_with_preposition)
    conjugate = staticmethod(conjugate)
    is_third_person = staticmethod(is_third_person)

    def part_of_speech(self, term: str) -> tuple[str, str]:
        return "noun" if term.split(" ")[0].lower() in words_of("spanish person nouns") else "adj", ""

    def check_pronouns(self, pronouns: str, place: str = "") -> None:
        if pronouns.strip().lower() not in _GENDERS:
            raise TermError(
                f"the pronouns {pronouns!r} are not known.",
                place=place,
                remedy="Write ella, él or elle, or leave the cell empty for a term that goes with the noun persona.",
            )

    def noun(self, words: str, pronouns: str = "") -> Noun:
        return Noun(words, _gender(pronouns) or noun_gender(words) or "f")

    def head(self, forms: str, pronouns: str) -> Noun | None:
        written = forms.split("|")
        several = is_plural_by_ending(written[0])
        own = "" if len(written) > 1 else noun_gender(singular(written[0]) if several else written[0])
        gender = own or _gender(pronouns)
        if not gender:
            return None
        return Noun(_option(written, gender) if len(written) > 1 else forms, gender, several)

    def agree(self, adjective: str, noun: Noun) -> str:
        if adjective == _OF_HEAD:
            return ""
        form = adjective_forms(adjective)[_POSITION[noun.gender or "m"]]
        return spanish_words.plural(form) if noun.plural else form

    def is_invariable(self, adjective: str) -> bool:
        return len(set(adjective_forms(adjective))) == 1

    def is_generic(self, noun: Noun) -> bool:
        return noun.plural and noun.gender == "m"

    def join_modifier(self, noun: str, modifier: str, *, phrase: bool) -> tuple[str, int]:
        return (f"{noun} {modifier}", len(noun) + 1) if modifier else (noun, 0)

    def pronoun(self, pronouns: str, form: str) -> str:
        gender = _gender(pronouns)
        if form == "their" or not gender:
            return "su" if form == "their" else ""
        return {"m": "él", "f": "ella", "e": "elle"}[gender] if form != "themself" else f"sí {_option(_SELF, gender)}"

    def choose(self, pronouns: str, options: str) -> str | None:
        gender = _gender(pronouns)
        return _option(options.split("|"), gender) if gender else None
