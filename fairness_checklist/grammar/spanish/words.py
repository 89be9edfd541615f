"""Spanish words: gender and number of nouns, and the forms of adjectives.

Genders are "f" (ella), "m" (él) and "e" (elle, with the ending -e: *une escritore cansade*).
"""

from __future__ import annotations

import re
from functools import lru_cache

__all__ = [
    "PREPOSITIONS",
    "adjective_forms",
    "noun_gender",
    "plural",
    "singular",
    "starts_with_preposition",
    "third_form",
]

PREPOSITIONS = frozenset(
    """
    a al ante bajo con contra de del desde durante en entre hacia hasta mediante para por según sin sobre tras
    """.split()  # noqa: SIM905 - a list of words reads better as text
)
_CLAUSE = frozenset({"que", "cuyo", "cuya", "quien", "nacido", "nacida"})
_UNINFLECTED = frozenset({"no", "muy", "más", "poco"})  # adverbs inside a noun phrase
_FIXED = re.compile(r"(?:género|queer|(?:^|-)(?:trans|cis|inter))$")
_WITHOUT_FEMININE = frozenset(
    """
    mayor menor mejor peor superior inferior anterior posterior interior exterior ulterior cortés montés marrón afín
    joven común ruin
    """.split()  # noqa: SIM905 - a list of words reads better as text
)
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
_COMMON = frozenset(
    """
    atleta camarada colega compatriota cónyuge fan guía joven líder mártir pediatra pianista piloto poeta psiquiatra
    testigo terapeuta conserje guardia fiscal rival cómplice miembro profesional intelectual corresponsal modelo policía
    espía portavoz cineasta gimnasta astronauta indígena
    """.split()  # noqa: SIM905 - a list of words reads better as text
)
_FEMININE = frozenset(
    """
    calle carne clase clave costumbre cumbre fe fiebre flor foto frase fuente gente hambre imagen labor leche ley llave
    luz mano moto mujer nariz nieve noche nube nuez orden parte paz pared piel radio sal sangre sed señal serie sede
    suerte superficie tarde torre tos vez voz víctima persona base actriz lista pista revista vista entrevista mente
    corriente red salud razón especie cárcel
    """.split()  # noqa: SIM905 - a list of words reads better as text
)
_MASCULINE = frozenset(
    """
    clima crucigrama día diagrama drama idioma mapa mensaje planeta poema problema programa síntoma sistema sofá tema
    tranvía avión camión corazón buzón balcón jabón jamón rincón salón sillón melón ratón botón cajón hombre padre
    accidente ambiente continente diente expediente guante incidente instante puente restaurante volante
    """.split()  # noqa: SIM905 - a list of words reads better as text
)
_FEMININE_ENDING = re.compile(r"(?:a|ción|sión|xión|gión|nión|tad|dad|tud|umbre|itis|sis|triz)$")
_COMMON_ENDING = re.compile(r"(?:ista|[aei]nte|crata|cida)$")


def noun_gender(noun: str) -> str:
    """The gender of a noun in the singular; "" where it is that of the person (*colega*, *artista*, *estudiante*).

    >>> [noun_gender(noun) for noun in ("persona", "hombre", "poema", "colega", "trans", "canción")]
    ['f', 'm', 'm', '', 'm', 'f']
    """
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
    """The plural of a noun, an adjective or a noun phrase; what follows a preposition stays.

    >>> [plural(words) for words in ("mujer trans", "persona no binaria", "hombre de pelo rojo", "marroquí", "voz")]
    ['mujeres trans', 'personas no binarias', 'hombres de pelo rojo', 'marroquíes', 'voces']
    >>> [plural(word) for word in ("francés", "alemán", "canción", "joven", "persona transgénero", "crisis")]
    ['franceses', 'alemanes', 'canciones', 'jóvenes', 'personas transgénero', 'crisis']
    """
    listed = words.split(" ")
    ends = [at for at, word in enumerate(listed) if at and word.lower() in PREPOSITIONS | _CLAUSE]
    end = ends[0] if ends else len(listed)
    if " ".join(listed[1:end]) == "género fluido":
        end = 1
    return " ".join([*map(_plural_word, listed[:end]), *listed[end:]])


def _plural_word(word: str) -> str:
    if word in _UNINFLECTED or is_fixed(word) or not _ENDS_SPANISH.search(word):
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


def is_fixed(word: str) -> bool:
    """Whether an adjective has one form for both genders and numbers.

    >>> is_fixed("transgénero"), is_fixed("sordo")
    (True, False)
    """
    return _FIXED.search(word) is not None


def singular(word: str) -> str:
    """The singular of a noun in the plural, as far as its ending tells; else the word itself.

    >>> [singular(word) for word in ("personas", "colegas", "actores", "voces", "canciones", "crisis", "trans")]
    ['persona', 'colega', 'actor', 'voz', 'canción', 'crisis', 'trans']
    """
    if is_fixed(word) or word.endswith(("is", "us")):
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

    Args:
        adjective: in the masculine, or all its forms: "m/f" or "m/f/e".

    >>> adjective_forms("sordo"), adjective_forms("trans"), adjective_forms("no binario")
    (('sordo', 'sorda', 'sorde'), ('trans', 'trans', 'trans'), ('no binario', 'no binaria', 'no binarie'))
    >>> adjective_forms("francés")[1:], adjective_forms("trabajador")[1:], adjective_forms("joven")[1:]
    (('francesa', 'francese'), ('trabajadora', 'trabajadore'), ('joven', 'joven'))
    """
    parts = [part.strip() for part in adjective.split("/")]
    if len(parts) == 1:
        before, space, last = adjective.rpartition(" ")
        feminine = before + space + _feminine(last)
        if before.endswith("género"):  # género fluido: a noun beside a noun
            feminine = adjective
        parts = [adjective, feminine]
    return parts[0], parts[1], parts[2] if len(parts) > 2 else third_form(parts[0], parts[1])


def _feminine(word: str) -> str:
    if is_fixed(word) or word in _WITHOUT_FEMININE:
        return word
    if word.endswith("o"):
        return word[:-1] + "a"
    if word.endswith("or") or word in _FEMININE_IN_A:
        return word + "a"
    if re.search(r"(?:[áíó]n|és)$", word):
        return word[:-2] + word[-2].translate(_ACCENTS) + word[-1] + "a"
    return word


def third_form(masculine: str, feminine: str) -> str:
    """The form in -e, from the feminine: the same as both where they are the same, "" where no rule gives it.

    >>> third_form("cansado", "cansada"), third_form("amigos", "amigas"), third_form("rico", "rica")
    ('cansade', 'amigues', 'rique')
    >>> third_form("el", "la"), third_form("escritor", "escritora"), third_form("actor", "actriz")
    ('le', 'escritore', '')
    """
    if masculine == feminine:
        return masculine
    ending = re.search(r"(qu|gu|c|g|z|)a(s?)$", feminine)
    if ending is None:
        return ""
    turned = {"c": "qu", "g": "gu", "gu": "gü", "z": "c"}.get(ending[1], ending[1])
    return f"{feminine[: ending.start()]}{turned}e{ending[2]}"


def starts_with_preposition(words: str) -> bool:
    """Whether a term is a phrase that follows its noun.

    >>> starts_with_preposition("con epilepsia"), starts_with_preposition("sorda")
    (True, False)
    """
    first, space, _rest = words.partition(" ")
    return bool(space) and first.lower() in PREPOSITIONS
