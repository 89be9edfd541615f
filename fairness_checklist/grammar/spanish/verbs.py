"""Verbs of Spanish predicates: "tiene epilepsia" for the forms am, is, are, was, were, be and being."""

from __future__ import annotations

import re

__all__ = ["be", "conjugate", "is_third_person"]

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


def _parts(predicate: str) -> tuple[str, bool, str, str]:
    """ "no ", whether "se" stands before the verb, the verb, and the rest with its space."""
    found = re.fullmatch(r"(no )?(se )?([^\W\d_]+)( .*)?", predicate)
    return (found[1] or "", bool(found[2]), found[3], found[4] or "") if found else ("", False, "", "")


def is_third_person(predicate: str) -> bool:
    """Whether a predicate starts with a verb in the third person that `conjugate` knows.

    >>> is_third_person("tiene epilepsia"), is_third_person("no usa gafas"), is_third_person("epilepsia")
    (True, True, False)
    """
    _no, _reflexive, verb, rest = _parts(predicate)
    known = verb in _IRREGULAR or verb in _IN_IR or verb in _IN_ER
    return known or (bool(rest) and re.fullmatch(r"[a-zñü]+a", verb) is not None)


def conjugate(predicate: str, form: str) -> str:
    """A predicate in the third person singular of the present, put into another form.

    Args:
        predicate: "tiene epilepsia", "usa gafas", "no tiene género", "se identifica como agénero".
        form: am, is, are, was, were, be or being.

    >>> [conjugate("no tiene género", form) for form in ("is", "are", "was", "be", "being")]
    ['no tiene género', 'no tienen género', 'no tenía género', 'no tener género', 'no teniendo género']
    >>> [conjugate("se identifica como agénero", form) for form in ("am", "were", "be")]
    ['me identifico como agénero', 'se identificaban como agénero', 'identificarse como agénero']
    """
    no, reflexive, verb, rest = _parts(predicate)
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
    """The verb *ser* in a form of *be*.

    >>> be("were")
    'eran'
    """
    return _IRREGULAR["es"][form]
