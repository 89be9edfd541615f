"""Spanish as a `Grammar`: adjectives after the noun, and three gender forms: ella, él and elle."""

from __future__ import annotations

from collections.abc import Iterator

from fairness_checklist.errors import TermError
from fairness_checklist.grammar.language import Grammar, Noun
from fairness_checklist.grammar.spanish.joints import article, attached, split_article, takes_along
from fairness_checklist.grammar.spanish.sentences import sentence_faults
from fairness_checklist.grammar.spanish.verbs import be, conjugate, is_third_person
from fairness_checklist.grammar.spanish.words import (
    adjective_forms,
    noun_gender,
    plural,
    singular,
    starts_with_preposition,
    third_form,
)

__all__ = ["SPANISH"]

_GENDERS = {"él": "m", "ella": "f", "elle": "e", "": ""}
_POSITION = {"m": 0, "f": 1, "e": 2}
_OF_HEAD = "-"  # an adjective cell that says: the form of the head is all that tells the group


class _Spanish(Grammar):
    code = "es"
    name = "Spanish"
    person = Noun("persona", "f")
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

    def is_fixed(self, adjective: str) -> bool:
        return len(set(adjective_forms(adjective))) == 1

    def unfit_before(self, adjective: str, noun: str) -> str:
        return ""

    def joined(self, noun: str, modifier: str, *, phrase: bool) -> tuple[str, int]:
        return (f"{noun} {modifier}", len(noun) + 1) if modifier else (noun, 0)

    def article(self, noun: Noun, *, definite: bool) -> str:
        return article(noun, definite=definite)

    def split_article(self, words: str) -> tuple[str, str]:
        return split_article(words)

    def attached(self, before: str, words: str) -> str:
        return attached(before, words)

    def takes_along(self, literal: str) -> str:
        return takes_along(literal)

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

    def term_fault(self, term: str, pos: str, plural: str) -> str:
        if pos == "pp" and not starts_with_preposition(term):
            return f"the phrase {term!r} does not begin with a preposition: give it as pp, noun or adj as it is used"
        if pos == "noun" and plural in {"", term} and _is_plural(term.partition(" ")[0]):
            return f"the noun {term!r} looks like a plural: give the singular"
        return ""


def _gender(pronouns: str) -> str:
    return _GENDERS[pronouns.strip().lower()]


def _is_plural(word: str) -> bool:
    """Whether a noun is one, as far as its ending tells."""
    return word.endswith("s") and singular(word) != word


def _option(options: list[str] | tuple[str, ...], gender: str) -> str:
    """Of "escritor|escritora" the one for a gender; the third by rule, where it is not given: "actor|actriz|actore"."""
    if gender == "e":
        return options[2] if len(options) > 2 else third_form(options[0], options[1])
    return options[_POSITION[gender]]


SPANISH: Grammar = _Spanish()
