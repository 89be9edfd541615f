"""Spanish as a `Grammar`: adjectives after the noun, and three genders: "f" (ella), "m" (él) and "e" (elle).

The third takes the ending -e: *une escritore cansade*.
"""

import re
from functools import lru_cache

from fairness_checklist.content.grammar.language import WORDS, Grammar, Noun, head_length
from fairness_checklist.core.errors import TermError

PREPOSITIONS = WORDS["spanish prepositions"]
_CLAUSE = frozenset({"que", "cuyo", "cuya", "quien", "nacido", "nacida"})
_UNINFLECTED = frozenset({"no", "muy", "más", "poco"})  # adverbs inside a noun phrase
_FIXED = re.compile(r"(?:género|queer|(?:^|-)(?:trans|cis|inter))$")
_WITHOUT_FEMININE = WORDS["spanish without feminine"]
_FEMININE_IN_A = frozenset({"español", "andaluz", "mongol"})
_PLAIN = str.maketrans("áéíóú", "aeiou")
_ACCENTED = str.maketrans("aeiou", "áéíóú")
_ENDS_SPANISH = re.compile(r"[A-Za-z\u00c0-\u024f]$")
_IRREGULAR_PLURALS = dict(forms.split("/") for forms in WORDS["spanish irregular plurals"])
_COMMON = WORDS["spanish common"]
_FEMININE = WORDS["spanish feminine"]
_MASCULINE = WORDS["spanish masculine"]
_FEMININE_ENDING = re.compile(r"(?:a|ción|sión|xión|gión|nión|tad|dad|tud|umbre|itis|sis|triz)$")
_COMMON_ENDING = re.compile(r"(?:ista|[aei]nte|crata|cida)$")
_POSITION = {"m": 0, "f": 1, "e": 2}


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
    end = head_length(listed, PREPOSITIONS | _CLAUSE)
    if listed[1:end] == ["género", "fluido"]:
        end = 1
    return " ".join([*map(_plural_word, listed[:end]), *listed[end:]])


def _plural_word(word: str) -> str:
    if word in _UNINFLECTED or is_invariable(word) or not _ENDS_SPANISH.search(word):
        return word
    if word in _IRREGULAR_PLURALS:
        return _IRREGULAR_PLURALS[word]
    if word[-1:] in "aeiouáéó":
        return word + "s"
    if word[-1:] in "íú":
        return word + "es"
    if word.endswith("z"):
        return word[:-1] + "ces"
    if re.search(r"[áéíóú][ns]$", word):
        return _without_accent(word) + "es"
    return word if word.endswith(("s", "x")) else word + "es"


def _without_accent(word: str) -> str:
    """A word without the accent of its last vowel: *francés* has *franceses* and *francesa*."""
    return word[:-2] + word[-2:].translate(_PLAIN)


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
    """An adjective in the singular: masculine, feminine, and the form in -e."""
    forms = [form.strip() for form in adjective.split("/")]
    if len(forms) == 1:
        before, space, last = adjective.rpartition(" ")
        # género fluido: a noun beside a noun
        forms.append(adjective if before.endswith("género") else before + space + _feminine(last))
    return forms[0], forms[1], forms[2] if len(forms) > 2 else e_form(forms[0], forms[1])


def _feminine(word: str) -> str:
    if is_invariable(word) or word in _WITHOUT_FEMININE:
        return word
    if word.endswith("o"):
        return word[:-1] + "a"
    if word.endswith("or") or word in _FEMININE_IN_A:
        return word + "a"
    return _without_accent(word) + "a" if re.search(r"(?:[áíó]n|és)$", word) else word


def e_form(masculine: str, feminine: str) -> str:
    """The form in -e, from the feminine: the same as both where they are the same, "" where no rule gives it."""
    if masculine == feminine:
        return masculine
    ending = re.search(r"(qu|gu|c|g|z|)a(s?)$", feminine)
    if ending is None:
        return ""
    turned = {"c": "qu", "g": "gu", "gu": "gü", "z": "c"}.get(ending[1], ending[1])
    return f"{feminine[: ending.start()]}{turned}e{ending[2]}"


DEFINITE = {"m": ("el", "los"), "f": ("la", "las"), "e": ("le", "les")}
INDEFINITE = {"m": ("un", "unos"), "f": ("una", "unas"), "e": ("une", "unes")}
# Feminine nouns in a stressed a: "el agua", "un aula".
STRESSED_A = WORDS["spanish stressed a"]
_TAIL = re.compile(r"(?:(?<!\w)(?:[aA]|[dD]e)|(?<![\w¿])[yYoO]) $")  # "¿Y Inés?" keeps its y
_LEADING_ARTICLE = re.compile(r"(el|la|los|las) (?=\S)")
_SOUNDS_I = re.compile(r"h?[iíIÍ](?![aeouáéóú])", re.IGNORECASE)
_SOUNDS_O = re.compile(r"h?[oó]", re.IGNORECASE)


_FORMS = ("is", "am", "are", "was", "were", "be", "being")
_IRREGULAR_VERBS = {
    forms.split("/")[0]: dict(zip(_FORMS, forms.split("/"), strict=True)) for forms in WORDS["spanish irregular verbs"]
}
_IN_IR = frozenset({"vive", "escribe", "recibe", "sufre", "cumple", "asiste", "comparte", "percibe", "existe"})
_IN_ER = frozenset({"bebe", "come", "debe", "lee", "corre", "vende", "aprende", "cree", "comprende", "posee"})
_ENDINGS = {
    "ar": dict(zip(_FORMS, ("a", "o", "an", "aba", "aban", "ar", "ando"), strict=True)),
    "er": dict(zip(_FORMS, ("e", "o", "en", "ía", "ían", "er", "iendo"), strict=True)),
    "ir": dict(zip(_FORMS, ("e", "o", "en", "ía", "ían", "ir", "iendo"), strict=True)),
}
_REFLEXIVE = {"am": "me ", "is": "se ", "are": "se ", "was": "se ", "were": "se "}


def _split_predicate(predicate: str) -> tuple[str, bool, str, str]:
    """ "no ", whether "se" comes before the verb, the verb, and the rest with its space."""
    match = re.fullmatch(r"(no )?(se )?([^\W\d_]+)( .*)?", predicate)
    return (match[1] or "", bool(match[2]), match[3], match[4] or "") if match else ("", False, "", "")


_GENDERS = {"él": "m", "ella": "f", "elle": "e", "": ""}
_PRONOUNS = {"m": ("él", "sí mismo"), "f": ("ella", "sí misma"), "e": ("elle", "sí misme")}
_OF_HEAD = "-"  # an adjective cell: only the form of the head expresses the group


def _gender(pronouns: str) -> str:
    return _GENDERS[pronouns.strip().lower()]


def _option(options: list[str], gender: str) -> str:
    """Of "escritor|escritora" the one for a gender; the third by rule, where it is not given: "actor|actriz|actore"."""
    return e_form(options[0], options[1]) if gender == "e" and len(options) < 3 else options[_POSITION[gender]]


class Spanish(Grammar):
    """Spanish; adjectives and heads of slots agree with the person."""

    code = "es"
    name = "Spanish"
    person = Noun("persona", "f")
    people = Noun("personas", "f", plural=True)
    prepositions = PREPOSITIONS
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

    plural = staticmethod(plural)

    def part_of_speech(self, term: str) -> tuple[str, str]:
        return "noun" if term.split(" ")[0].lower() in WORDS["spanish person nouns"] else "adj", ""

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
        of_one = singular(written[0])
        gender = ("" if len(written) > 1 else noun_gender(of_one)) or _gender(pronouns)
        text = _option(written, gender) if gender and len(written) > 1 else forms
        return Noun(text, gender, plural=of_one != written[0]) if gender else None

    def agree(self, adjective: str, noun: Noun) -> str:
        if adjective == _OF_HEAD:
            return ""
        form = adjective_forms(adjective)[_POSITION[noun.gender or "m"]]
        return plural(form) if noun.plural else form

    def is_invariable(self, adjective: str) -> bool:
        return len(set(adjective_forms(adjective))) == 1

    def is_generic(self, noun: Noun) -> bool:
        return noun.plural and noun.gender == "m"

    def join_modifier(self, noun: str, modifier: str, *, phrase: bool) -> tuple[str, int]:
        return (f"{noun} {modifier}", len(noun) + 1) if modifier else (noun, 0)

    def split_article(self, words: str) -> tuple[str, str]:
        match = _LEADING_ARTICLE.match(words)
        return (match[1], words[match.end() :]) if match else ("", words)

    def article(self, noun: Noun, *, definite: bool) -> str:
        first = re.match(r"[^\W\d_]*", noun.text)
        stressed = noun.gender == "f" and not noun.plural and first and first.group().lower() in STRESSED_A
        return (DEFINITE if definite else INDEFINITE)["m" if stressed else noun.gender or "m"][noun.plural]

    def contract(self, before: str, words: str) -> str:
        small = before.strip().lower()
        if small in {"a", "de"} and re.match(r"el(?= |$)", words):
            return f"{before.strip()}l{words[2:]}"
        if small == "y" and _SOUNDS_I.match(words):
            return ("E" if before[0].isupper() else "e") + " " + words
        if small == "o" and _SOUNDS_O.match(words):
            return ("U" if before[0].isupper() else "u") + " " + words
        return before + words

    def contractible_end(self, literal: str) -> str:
        match = _TAIL.search(literal)
        return match.group() if match else ""

    def pronoun(self, pronouns: str, form: str) -> str:
        gender = _gender(pronouns)
        if form == "their" or not gender:
            return "su" if form == "their" else ""
        return _PRONOUNS[gender][form == "themself"]

    def choose(self, pronouns: str, options: str) -> str | None:
        gender = _gender(pronouns)
        return _option(options.split("|"), gender) if gender else None

    def conjugate(self, predicate: str, form: str) -> str:
        no, reflexive, verb, rest = _split_predicate(predicate)
        if verb in _IRREGULAR_VERBS:
            written = _IRREGULAR_VERBS[verb][form]
        else:
            written = verb[:-1] + _ENDINGS["ir" if verb in _IN_IR else "er" if verb in _IN_ER else "ar"][form]
        if not reflexive:
            return f"{no}{written}{rest}"
        if form in _REFLEXIVE:
            return f"{no}{_REFLEXIVE[form]}{written}{rest}"
        if form != "be":
            written = re.sub(r"[aeiou](?=ndo$)", lambda vowel: vowel[0].translate(_ACCENTED), written)
        return f"{no}{written}se{rest}"

    def is_third_person(self, predicate: str) -> bool:
        _no, _reflexive, verb, rest = _split_predicate(predicate)
        is_listed = verb in _IRREGULAR_VERBS or verb in _IN_IR or verb in _IN_ER
        return is_listed or (bool(rest) and re.fullmatch(r"[a-zñü]+a", verb) is not None)
