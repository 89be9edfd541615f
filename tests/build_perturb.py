"""The labelled sentences in perturb_sentences.csv, the terms that they are about, and how well they are found."""

import csv
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from fairness_checklist.content.term_files import load_terms
from fairness_checklist.content.terms import IdentityTerm, TermList
from fairness_checklist.extensions.rewriting.perturb.mentions import Mentions, find_mentions, pronoun_term
from fairness_checklist.extensions.rewriting.perturb.rewriting import Rewritten, rewrite
from fairness_checklist.extensions.rewriting.perturb.surfaces import Index, build_index

FILE = Path(__file__).with_name("perturb_sentences.csv")
SHE = """Alison Amanda Angela Anna Beth Brenda Carrie Denise Emily Erica Gina Heidi Jennifer Joanna Julia Kara Krista
Laura Linda Lisa Maria Martha Mary Megan Melissa Michelle Natalie Nicole Paula Rachel Sandra Susan Tina
Valerie Yolanda"""
HE = """Adam Andrew Antonio Brandon Brian Carlos David Dennis Derek Eric George Ian James Jason Joel Jose Joshua Justin
Kenneth Kevin Luis Luke Marcus Matthew Nathan Patrick Paul Robert Scott Steven Thomas Travis"""


def named(**names: str) -> tuple[IdentityTerm, ...]:
    return tuple(
        IdentityTerm(name, output, pos="name", pronouns=output)
        for output, many in names.items()
        for name in many.split()
    )


def faith(term: str, adjective: str) -> IdentityTerm:
    return IdentityTerm(term, adjective, pos="faith", adjective=adjective)


TERMS = {
    "names": named(she=SHE, he=HE, they="Casey"),
    "names2": named(she="Grace Rose Hope Joy May Susan", he="Will Mark Carlos"),
    "race": (
        IdentityTerm("Black", "Black people"),
        IdentityTerm("African American", "Black people"),
        IdentityTerm("white", "white people"),
        IdentityTerm("Asian", "Asian people"),
    ),
    "orientation": tuple(IdentityTerm(word, word) for word in ("gay", "lesbian", "straight", "bisexual", "queer")),
    "religion": (
        faith("Christianity", "Christian"),
        faith("Islam", "Muslim"),
        faith("Judaism", "Jewish"),
        faith("Hinduism", "Hindu"),
        faith("Buddhism", "Buddhist"),
    ),
    "disability": (
        *(IdentityTerm(word, word) for word in ("deaf", "blind", "autistic", "hearing")),
        IdentityTerm("with epilepsy", "epilepsy", pos="pp", predicate="has epilepsy"),
        IdentityTerm("wheelchair user", "mobility", pos="noun"),
    ),
    "age": (
        IdentityTerm("old", "old"),
        IdentityTerm("older adult", "old", pos="noun"),
        IdentityTerm("young", "young"),
        IdentityTerm("young adult", "young", pos="noun"),
    ),
}


@cache
def index(attribute: str) -> Index:
    """The terms of an attribute: ours of the test, else those that are shipped."""
    names = (attribute, "gender.counterparts") if attribute == "gender" else (attribute,)
    return build_index(
        TermList(attribute, TERMS.get(attribute) or tuple(t for n in names for t in load_terms(n).terms))
    )


def term(attribute: str, spelling: str) -> IdentityTerm:
    if spelling in ("she", "he"):
        return pronoun_term(spelling, {"she": "women", "he": "men"}[spelling])
    return next(one for one in index(attribute).terms.terms if one.term == spelling)


def rewritten(attribute: str, text: str, target: str) -> str:
    """The text for a target, or the reason why it is not made."""
    found = rewrite(find_mentions(text, index(attribute)), term(attribute, target))
    return found.text if isinstance(found, Rewritten) else found.reason


@dataclass(frozen=True)
class Sentence:
    """One labelled sentence: mentions are in brackets."""

    part: str
    kind: str
    trap: str
    attribute: str
    target: str
    sentence: str
    rewritten: str

    @property
    def text(self) -> str:
        return self.sentence.replace("[", "").replace("]", "")

    @property
    def mentions(self) -> set[tuple[int, int]]:
        marks = re.finditer(r"\[([^\]]*)\]", self.sentence)
        return {(mark.start() - 2 * n, mark.end() - 2 * n - 2) for n, mark in enumerate(marks)}

    def found(self) -> Mentions:
        return find_mentions(self.text, index(self.attribute))


@cache
def sentences() -> tuple[Sentence, ...]:
    with FILE.open(encoding="utf-8", newline="") as file:
        return tuple(Sentence(*row.values()) for row in csv.DictReader(file))


@dataclass(frozen=True)
class Score:
    """Counts over sentences: mentions that are right, wrong and missed; rewritings made, right and wanted."""

    right: int
    wrong: int
    missed: int
    made: int
    as_wanted: int
    wanted: int

    @property
    def figures(self) -> tuple[float, float, float, float]:
        """Precision and recall of mentions, and of whole rewritten sentences."""
        return (
            self.right / (self.right + self.wrong),
            self.right / (self.right + self.missed),
            self.as_wanted / self.made,
            self.as_wanted / self.wanted,
        )


def score(some: Iterable[Sentence]) -> Score:
    counts = [0] * 6
    for one in some:
        found = one.found()
        output = {(mention.start, mention.end) for mention in found.mentions}
        text = rewrite(found, term(one.attribute, one.target))
        made = text.text if isinstance(text, Rewritten) else ""
        gold = one.mentions
        new = (
            len(gold & output),
            len(output - gold),
            len(gold - output),
            bool(made),
            bool(made) and made == one.rewritten,
            bool(one.rewritten),
        )
        counts = [a + int(b) for a, b in zip(counts, new, strict=True)]
    return Score(*counts)
