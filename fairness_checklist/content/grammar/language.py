"""The rules of a language that are needed to insert its terms into sentences, and all word lists: the two CSV files."""

import csv
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Protocol

# The names of forms in slots; they are the same in all languages.
BE_FORMS = ("am", "is", "are", "was", "were", "be", "being")
SHORT_FORMS = {"'m": "am", "'s": "is", "'re": "are"}
"""English predicates that are written on the word before the slot: I'm deaf, but I have epilepsy."""
PRONOUN_FORMS = ("they", "them", "their", "theirs", "themself")


@dataclass(frozen=True)
class Noun:
    """A noun or noun phrase without an article, and what agrees with it; ``gender`` is "" where there is none."""

    text: str
    gender: str = ""
    plural: bool = False


class Grammar(Protocol):
    """One language; methods with a body hold where words have no gender. ``pronouns`` is the cell of that column."""

    code: str  # as folders and ``--language`` name it: "es"
    name: str  # in English: "Spanish"
    person: Noun  # the noun of "a deaf person"
    someone: str = ""  # what the unmarked control writes for "a deaf person"; "" for the noun with its article
    people: Noun  # the noun of "deaf people"
    prepositions: frozenset[str]  # with which a phrase begins that follows its noun
    pronoun_forms: tuple[str, ...] = PRONOUN_FORMS  # those that slots may ask for
    choices: tuple[int, int] = (2, 2)  # how many options a choice of forms has at least and at most
    genders: tuple[str, ...] = ()  # those for which adjectives and heads have forms; none in English
    default_pronouns: str = ""  # of a term without any; "" where the rules for "" apply
    articles: frozenset[str]  # words with which a term is wrongly given
    predicate_verbs: frozenset[str]  # verbs of phrases that are wrongly given as "pp"
    head_position: int  # of the noun in a term that is a noun: first (0) or last (-1)
    copula: str  # "is"
    examples: tuple[str, str]  # two predicates for an error to show
    with_: str  # "with"

    def check_pronouns(self, pronouns: str, place: str = "") -> object:
        """Raise `TermError` for a cell that is not a pronoun of the language."""

    def noun(self, words: str, pronouns: str = "") -> Noun:
        """A term or a word of a list as a noun in the singular."""
        return Noun(words)

    def head(self, forms: str, pronouns: str) -> Noun | None:
        """The head of a slot in the form that the person's gender requires; None where the gender is unspecified."""
        return Noun(forms)

    def plural(self, words: str) -> str:
        """The plural of a noun or noun phrase."""

    def agree(self, adjective: str, noun: Noun) -> str:
        """An adjective (or its forms, "m/f") in the form that agrees with a noun."""
        return adjective

    def is_invariable(self, adjective: str) -> bool:
        """Whether an adjective has one form for all genders."""
        return True

    def is_generic(self, noun: Noun) -> bool:
        """Whether a noun in one gender also means people of the others: *los ingenieros*."""
        return False

    def unfit_before(self, adjective: str, noun: str) -> str:
        """The reason why an adjective has another meaning next to a noun for a person ("a young writer"), or ""."""
        return ""

    def join_modifier(self, noun: str, modifier: str, *, phrase: bool) -> tuple[str, int]:
        """Noun and modifier in order, and where the modifier begins; ``phrase``: a prepositional one."""

    def article(self, noun: Noun, *, definite: bool) -> str:
        """The article before a noun, without a space; "" where there is none."""

    def split_article(self, words: str) -> tuple[str, str]:
        """The article with which a name begins ("the Gambia") and the rest; "" where there is none."""

    def contract(self, before: str, words: str) -> str:
        """A small word of the template and what the slot after it writes: "a " and "el hombre" make "al hombre"."""
        return before + words

    def contractible_end(self, literal: str) -> str:
        """The end of a literal that changes with the slot after it ("a ", "de "), or ""."""
        return ""

    def pronoun(self, pronouns: str, form: str) -> str:
        """One form of the pronouns; "" where the gender is unspecified."""

    def choose(self, pronouns: str, options: str) -> str | None:
        """The option that agrees with the person; None where the gender is unspecified."""

    def conjugate(self, predicate: str, form: str) -> str:
        """A predicate in the third person of the present, put into a form of *be*: am, is, are, was, ..."""

    def is_third_person(self, predicate: str) -> bool:
        """Whether `conjugate` can take it."""

    def part_of_speech(self, term: str) -> tuple[str, str]:
        """ "noun", "adj" or "" (undecided) for a term that has none given, and of a plural the singular."""

    def starts_with_preposition(self, words: str) -> bool:
        """Whether a term is a phrase that follows its noun."""
        first, space, _rest = words.partition(" ")
        return bool(space) and first.lower() in self.prepositions

    def can_drop_adjective(self, before: str, after: str, *, has_article: bool) -> bool:
        """Whether an adjective between these words may go in the unmarked control."""
        return False


@cache
def read_words(path: Path) -> dict[str, frozenset[str]]:
    """The words by rule of a file with the columns rule, words and source; a rule may have several rows."""
    words_by_rule: dict[str, list[str]] = {}
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            words_by_rule.setdefault(row["rule"], []).extend(row["words"].split())
    return {rule: frozenset(words) for rule, words in words_by_rule.items()}


WORDS = {
    rule: words
    for name in ("words.csv", "profane_words.csv")
    for rule, words in read_words(Path(__file__).with_name(name)).items()
}


_PROFANE = re.compile(
    rf"(?<!\w)(?:{'|'.join(WORDS['english profane'] | WORDS['spanish profane'])})s?(?!\w)", re.IGNORECASE
)


def profane_words(text: str) -> list[str]:
    """The profane words of a text, as they are written there: strong words of English or Spanish that are no slurs."""
    return [match.group() for match in _PROFANE.finditer(text)]


def head_length(words: Sequence[str], ends: Collection[str]) -> int:
    """How many words a phrase has before the first of ``ends`` (prepositions, "who") that does not begin it."""
    return next((at for at, word in enumerate(words) if at and word.lower() in ends), len(words))
