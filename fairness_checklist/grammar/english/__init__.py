"""English as a `Grammar`: adjectives before the noun, no gender but that of pronouns."""

from __future__ import annotations

import re
from collections.abc import Iterator

from fairness_checklist.grammar.english.adjectives import can_drop
from fairness_checklist.grammar.english.agreement import agreement_faults
from fairness_checklist.grammar.english.articles import article
from fairness_checklist.grammar.english.plurals import plural, starts_with_preposition
from fairness_checklist.grammar.english.pronouns import PRONOUN_FORMS, choose, pronoun, pronoun_set
from fairness_checklist.grammar.english.senses import unfit_before
from fairness_checklist.grammar.english.verbs import conjugate, is_third_person
from fairness_checklist.grammar.language import Grammar, Noun

__all__ = ["ENGLISH"]

_PERSON_NOUNS = frozenset(
    """
    person man woman child boy girl adult user parent teenager student veteran immigrant migrant refugee speaker drinker
    resident citizen member
    """.split()  # noqa: SIM905 - a list of words reads better as text
)
_PREDICATE_VERBS = frozenset({"has", "is", "does", "uses", "wears", "lives", "speaks", "needs", "identifies"})
_CLAUSE = frozenset({"who", "whose", "whom", "that", "which", "born", "aged", "diagnosed", "affected", "raised"})
_ARTICLE = re.compile(r"\b([Aa]n?) ([\w$£€][\w,.'\u2019-]*)")


class _English(Grammar):
    code = "en"
    name = "English"
    person = Noun("person")
    people = Noun("people", plural=True)
    pronoun_forms = PRONOUN_FORMS
    choices = (2, 2)
    genders = ()
    default_pronouns = ""
    person_nouns = _PERSON_NOUNS
    openers = "\"'\u201c\u2018("
    may_repeat = frozenset({"that", "had", "is"})
    examples = ("has epilepsy", "uses a wheelchair")
    with_ = "with"

    def check_pronouns(self, pronouns: str, place: str = "") -> None:
        pronoun_set(pronouns, place)

    def noun(self, words: str, pronouns: str = "") -> Noun:
        return Noun(words)

    def head(self, forms: str, pronouns: str) -> Noun | None:
        return Noun(forms)

    def plural(self, words: str) -> str:
        return plural(words)

    def agree(self, adjective: str, noun: Noun) -> str:
        return adjective

    def is_fixed(self, adjective: str) -> bool:
        return True

    def unfit_before(self, adjective: str, noun: str) -> str:
        return unfit_before(adjective, noun)

    def joined(self, noun: str, modifier: str, *, phrase: bool) -> tuple[str, int]:
        return (f"{noun} {modifier}", len(noun) + 1) if phrase else (f"{modifier} {noun}", 0)

    def article(self, noun: Noun, *, definite: bool) -> str:
        return "the" if definite else article(noun.text)

    def split_article(self, words: str) -> tuple[str, str]:
        return ("the", words[4:]) if words[:4].lower() == "the " else ("", words)

    def attached(self, before: str, words: str) -> str:
        return before + words

    def takes_along(self, literal: str) -> str:
        return ""

    def pronoun(self, pronouns: str, form: str) -> str:
        return pronoun(pronouns, form)

    def choose(self, pronouns: str, options: str) -> str | None:
        return choose(pronouns, options)

    def conjugate(self, predicate: str, form: str) -> str:
        return conjugate(predicate, form)

    def be(self, form: str) -> str:
        return form

    def is_third_person(self, predicate: str) -> bool:
        return is_third_person(predicate)

    def starts_with_preposition(self, words: str) -> bool:
        return starts_with_preposition(words)

    def head_of(self, words: str) -> str:
        return words.rpartition(" ")[2]

    def starts_with_article(self, words: str) -> bool:
        first, _space, rest = words.partition(" ")
        return bool(rest) and first.lower() in {"a", "an", "the"}

    def starts_with_verb(self, words: str) -> bool:
        return words.partition(" ")[0].lower() in _PREDICATE_VERBS

    def can_drop_adjective(self, before: str, after: str, *, has_article: bool) -> bool:
        return can_drop(before, after, has_article=has_article)

    def sentence_faults(self, text: str) -> Iterator[tuple[str, str]]:
        for predicted, word in _ARTICLE.findall(text):
            if article(word) != predicted.lower() and not _is_letter_name(predicted, text):
                yield "article", f"'{predicted} {word.rstrip('.,')}' should be '{article(word)}'"
                break
        yield from agreement_faults(text)

    def term_fault(self, term: str, pos: str, plural: str) -> str:
        if pos == "pp":
            first = term.partition(" ")[0].lower()
            if starts_with_preposition(term) or first in _CLAUSE or first.endswith("ing"):
                return ""
            return f"the phrase {term!r} does not begin with a preposition: give it as pp, noun or adj as it is used"
        return _plural_for_singular(term) if pos == "noun" and plural in {"", term} else ""


def _is_letter_name(predicted: str, text: str) -> bool:
    """Whether "A" is a name or grade rather than an article: it stands in the middle of a sentence with a capital."""
    return predicted == "A" and not text.startswith("A ") and not re.search(r"[.!?:\"\u201c] A ", text)


def _plural_for_singular(term: str) -> str:
    """What is wrong with a noun that is given in the plural, or ""."""
    before, space, last = term.rpartition(" ")
    if last.lower() in {"people", "men", "women", "children"}:
        return f"the noun {term!r} looks like a plural: give the singular"
    if re.search(r"[^suia]s$", last) is None:
        return ""
    import inflect

    single = inflect.engine().singular_noun(last)
    if not single or plural(str(single)) != last:
        return ""
    return f"the noun {term!r} looks like a plural: give the singular, {before + space + str(single)!r}"


ENGLISH: Grammar = _English()
