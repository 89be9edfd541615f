"""Spanish as a `Grammar`: adjectives after the noun, and three gender forms: ella, él and elle."""

from __future__ import annotations

import re
from collections.abc import Iterator

from fairness_checklist.content.grammar.language import Grammar, Noun
from fairness_checklist.content.grammar.spanish_words import (
    adjective_forms,
    article,
    contract,
    contractible_end,
    e_form,
    noun_gender,
    plural,
    sentence_faults,
    singular,
    split_article,
    starts_with_preposition,
)
from fairness_checklist.core.errors import TermError

# is: am, are, was, were, be, being
_IRREGULAR = {
    row.split()[0]: dict(zip(("is", "am", "are", "was", "were", "be", "being"), row.split(), strict=True))
    for row in """
    es soy son era eran ser siendo; está estoy están estaba estaban estar estando;
    tiene tengo tienen tenía tenían tener teniendo; va voy van iba iban ir yendo; ha he han había habían haber habiendo;
    hace hago hacen hacía hacían hacer haciendo; dice digo dicen decía decían decir diciendo;
    viene vengo vienen venía venían venir viniendo; puede puedo pueden podía podían poder pudiendo;
    quiere quiero quieren quería querían querer queriendo; ve veo ven veía veían ver viendo;
    prefiere prefiero prefieren prefería preferían preferir prefiriendo; lee leo leen leía leían leer leyendo;
    siente siento sienten sentía sentían sentir sintiendo; oye oigo oyen oía oían oír oyendo;
    pertenece pertenezco pertenecen pertenecía pertenecían pertenecer perteneciendo;
    parece parezco parecen parecía parecían parecer pareciendo; nace nazco nacen nacía nacían nacer naciendo;
    conoce conozco conocen conocía conocían conocer conociendo; pide pido piden pedía pedían pedir pidiendo;
    cuenta cuento cuentan contaba contaban contar contando; sueña sueño sueñan soñaba soñaban soñar soñando;
    recuerda recuerdo recuerdan recordaba recordaban recordar recordando;
    juega juego juegan jugaba jugaban jugar jugando; piensa pienso piensan pensaba pensaban pensar pensando
    """.split(";")  # noqa: SIM905 - a list of words reads better as text
}
_IN_IR = frozenset({"vive", "escribe", "recibe", "sufre", "cumple", "asiste", "comparte", "percibe", "existe"})
_IN_ER = frozenset({"bebe", "come", "debe", "lee", "corre", "vende", "aprende", "cree", "comprende", "posee"})
_REFLEXIVE = {"am": "me ", "is": "se ", "are": "se ", "was": "se ", "were": "se "}


def _split_predicate(predicate: str) -> tuple[str, bool, str, str]:
    """ "no ", whether "se" comes before the verb, the verb, and the rest with its space."""
    found = re.fullmatch(r"(no )?(se )?([^\W\d_]+)( .*)?", predicate)
    return (found[1] or "", bool(found[2]), found[3], found[4] or "") if found else ("", False, "", "")


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
    attached = written + "se" if form == "be" else re.sub(r"([aeiou])ndo$", _accented, written) + "se"
    return f"{no}{attached}{rest}"


def _accented(found: re.Match[str]) -> str:
    return dict(zip("aeiou", "áéíóú", strict=True))[found[1]] + "ndo"


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


def be(form: str) -> str:
    """The verb *ser* in a form of *be*."""
    return _IRREGULAR["es"][form]


_GENDERS = {"él": "m", "ella": "f", "elle": "e", "": ""}
_POSITION = {"m": 0, "f": 1, "e": 2}
_OF_HEAD = "-"  # an adjective cell: only the form of the head expresses the group


class _Spanish(Grammar):
    code = "es"
    name = "Spanish"
    person = Noun("persona", "f")
    someone = ""  # adjectives of the sentence agree with "una persona"
    people = Noun("personas", "f", plural=True)
    pronoun_forms = ("they", "them", "their", "themself")
    choices = (2, 3)
    genders = ("m", "f", "e")
    default_pronouns = "ella"  # those of the noun persona
    person_nouns = frozenset(
        """
        persona mujer hombre chica chico chique niña niño niñe señora señor adulta adulto adulte usuaria usuario usuarie
        madre padre estudiante inmigrante migrante residente miembro
        """.split()  # noqa: SIM905 - a list of words reads better as text
    )
    openers = "\"'\u201c\u2018(\u00ab¿¡"
    may_repeat = frozenset({"nos"})
    examples = ("tiene epilepsia", "usa silla de ruedas")
    with_ = "con"

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
        several = _is_plural(written[0])
        own = "" if len(written) > 1 else noun_gender(singular(written[0]) if several else written[0])
        gender = own or _gender(pronouns)
        if not gender:
            return None
        if len(written) == 1:
            return Noun(forms, gender, several)
        return Noun(_option(written, gender), gender, several)

    def plural(self, words: str) -> str:
        return plural(words)

    def agree(self, adjective: str, noun: Noun) -> str:
        if adjective == _OF_HEAD:
            return ""
        form = adjective_forms(adjective)[_POSITION[noun.gender or "m"]]
        return plural(form) if noun.plural else form

    def is_invariable(self, adjective: str) -> bool:
        return len(set(adjective_forms(adjective))) == 1

    def is_generic(self, noun: Noun) -> bool:
        return noun.plural and noun.gender == "m"

    def unfit_before(self, adjective: str, noun: str) -> str:
        return ""

    def join_modifier(self, noun: str, modifier: str, *, phrase: bool) -> tuple[str, int]:
        return (f"{noun} {modifier}", len(noun) + 1) if modifier else (noun, 0)

    def article(self, noun: Noun, *, definite: bool) -> str:
        return article(noun, definite=definite)

    def split_article(self, words: str) -> tuple[str, str]:
        return split_article(words)

    def contract(self, before: str, words: str) -> str:
        return contract(before, words)

    def contractible_end(self, literal: str) -> str:
        return contractible_end(literal)

    def pronoun(self, pronouns: str, form: str) -> str:
        if form == "their":
            return "su"
        gender = _gender(pronouns)
        if not gender:
            return ""
        alone = {"m": "él", "f": "ella", "e": "elle"}[gender]
        return alone if form != "themself" else f"sí {_option(('mismo', 'misma'), gender)}"

    def choose(self, pronouns: str, options: str) -> str | None:
        gender = _gender(pronouns)
        return _option(options.split("|"), gender) if gender else None

    def conjugate(self, predicate: str, form: str) -> str:
        return conjugate(predicate, form)

    def be(self, form: str) -> str:
        return be(form)

    def is_third_person(self, predicate: str) -> bool:
        return is_third_person(predicate)

    def starts_with_preposition(self, words: str) -> bool:
        return starts_with_preposition(words)

    def head_of(self, words: str) -> str:
        return words.partition(" ")[0]

    def starts_with_article(self, words: str) -> bool:
        first, _space, rest = words.partition(" ")
        return bool(rest) and first.lower() in {"un", "una", "une", "el", "la", "le", "los", "las", "les"}

    def starts_with_verb(self, words: str) -> bool:
        return words.partition(" ")[0].lower() in {"es", "está", "tiene", "usa", "vive", "habla", "lleva"}

    def can_drop_adjective(self, before: str, after: str, *, has_article: bool) -> bool:
        return False

    def sentence_faults(self, text: str) -> Iterator[tuple[str, str]]:
        return sentence_faults(text)

    def edges(self, words: str) -> object:
        return words

    def term_fault(self, term: str, pos: str, plural: str) -> str:
        if pos == "pp" and not starts_with_preposition(term):
            return f"the phrase {term!r} does not begin with a preposition: give it as pp, noun or adj as it is used"
        if pos == "noun" and plural in {"", term} and _is_plural(term.partition(" ")[0]):
            return f"the noun {term!r} looks like a plural: give the singular"
        return ""


def _gender(pronouns: str) -> str:
    return _GENDERS[pronouns.strip().lower()]


def _is_plural(word: str) -> bool:
    """Whether a noun is in the singular, judged by its ending."""
    return word.endswith("s") and singular(word) != word


def _option(options: list[str] | tuple[str, ...], gender: str) -> str:
    """Of "escritor|escritora" the one for a gender; the third by rule, where it is not given: "actor|actriz|actore"."""
    if gender == "e":
        return options[2] if len(options) > 2 else e_form(options[0], options[1])
    return options[_POSITION[gender]]


SPANISH: Grammar = _Spanish()
