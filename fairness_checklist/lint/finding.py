"""What the linter says: one finding, and the rules that there are."""

from __future__ import annotations

import re
from dataclasses import dataclass

from fairness_checklist.errors import InputError

__all__ = ["RULES", "Finding", "unreadable"]

RULES = {
    "parse": "files, rows, slots, braces and marks that cannot be read; a term in two groups",
    "fill": "a group that cannot fill a template, a template that no term fills",
    "article": "a and an by sound, a noun without an article, two articles in a row",
    "agreement": "is and are, she run, two writer, every people",
    "capital": "a small letter at the start, a capital inside; English, Monday, Anna",
    "doubled": "a word twice in a row",
    "spacing": "a space too many",
    "contraction": "Spanish: a el, de el, y before i, o before o",
    "punctuation": "Spanish: an opening mark without its closing one",
    "length": "a template far longer or shorter than the others of its file, a term of more than seven words",
    "duplicate": "one sentence from two templates, or from two groups",
    "label": "one sentence with two labels",
    "balance": "labels that are not equally many, targets that are not so within the labels",
    "paraphrase": "a rewording of nothing or of a rewording, or with another label or target",
    "minor": "a word for a minor without its flag, or in a hostile, romantic or sexual sentence",
    "sense": "words of another sense: black market, a gay, Chad, Will",
    "term": "a part of speech that does not fit the term",
    "status": "a term without a status; one that we advise against, given as accepted",
    "source": "a term without a source",
    "thin": "a group with fewer than five terms that does not say so",
}
"""Each rule and what it finds."""


@dataclass(frozen=True)
class Finding:
    """Something that is wrong.

    Attributes:
        place: file and line, or the file where it is wrong as a whole.
        rule: one of `RULES`.
        message: what is wrong.
        sentence: the filled sentence in which it is, where there is one.

    >>> print(Finding("mine.csv:2", "doubled", "'the' stands twice", "I met the the writer."))
    mine.csv:2: doubled: 'the' stands twice: I met the the writer.
    """

    place: str
    rule: str
    message: str
    sentence: str = ""

    def __str__(self) -> str:
        return ": ".join(filter(None, (self.place, self.rule, self.message, self.sentence)))

    @property
    def order(self) -> tuple[str, int]:
        """File and line as what findings are sorted by.

        >>> Finding("mine.csv:12", "term", "").order, Finding("mine.csv", "balance", "").order
        (('mine.csv', 12), ('mine.csv', 0))
        """
        found = re.fullmatch(r"(.*):(\d+)", self.place)
        return (found[1], int(found[2])) if found else (self.place, 0)


def unreadable(error: InputError, place: str) -> Finding:
    """What an error says, on one line.

    >>> unreadable(InputError("the brace is open.", remedy="Close it."), "a.csv:2").message
    'the brace is open. Close it.'
    """
    return Finding(error.place or place, "parse", " ".join([error.message, *error.remedy.split()]))
