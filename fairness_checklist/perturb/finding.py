"""What a text mentions: its terms and pronouns, and whether one identity can be told and swapped."""

from __future__ import annotations

import re
from dataclasses import dataclass

from fairness_checklist.identity import IdentityTerm
from fairness_checklist.perturb.mentions import Mention, named_twice, terms_in
from fairness_checklist.perturb.pronouns import ONE_SEX, Pronoun, pronouns_of, titles, unsafe
from fairness_checklist.perturb.surfaces import Index
from fairness_checklist.perturb.tokens import Reading, read

__all__ = ["NOTHING", "Mentions", "find", "pronoun_term"]

NOTHING = "it mentions no term for sure"
_ONE_SEX = "a word in it goes with one sex"
_SEXED = re.compile(
    r"""
    \b(?: pregnan(?:t|cy|cies) | menstrua\w* | menopaus\w* | uter(?:us|ine) | womb | ovar(?:y|ies|ian)
    | breast-?fe?ed\w* | miscarriage | maternity | paternity | hysterectomy | prostate | testic\w* | penis | vagina\w*
    | mou?stache | beards? | bearded | gave\ birth | giving\ birth | midwife | bra )\b
    """,
    re.VERBOSE | re.IGNORECASE,
)


@dataclass(frozen=True)
class Mentions:
    """What a text mentions.

    Attributes:
        reading: the text.
        mentions: all mentions in order, bound pronouns among them.
        pronouns: all its pronouns.
        pronouns_only: pronouns are its only mention.
        reason: why it is no source, "" where it is one.
    """

    reading: Reading
    mentions: tuple[Mention, ...]
    pronouns: tuple[Pronoun, ...]
    pronouns_only: bool = False
    reason: str = ""

    @property
    def named(self) -> tuple[Mention, ...]:
        """The mentions that name the term; the pronouns where nothing else does."""
        return tuple(one for one in self.mentions if self.pronouns_only or one.form != "pronoun")

    @property
    def term(self) -> IdentityTerm:
        """The term that is mentioned; only where there is no reason against the text."""
        return self.mentions[0].term if self.pronouns_only else self.named[0].term


def find(text: str, index: Index) -> Mentions:
    """The mentions of an attribute's terms in a text.

    A text is a source where it mentions one term, and where a pronoun alone does if a group is called by it.

    >>> from fairness_checklist.identity import TermList
    >>> from fairness_checklist.perturb.surfaces import index_of
    >>> index = index_of(TermList("g", (IdentityTerm("woman", "women", pos="noun", pronouns="she"),)))
    >>> found = find("The woman lost her keys.", index)
    >>> [(found.reading.text[one.start : one.end], one.form) for one in found.mentions]
    [('woman', 'singular'), ('her', 'pronoun')]
    >>> find("My mother tongue.", index).reason
    'it mentions no term for sure'
    """
    reading = read(text)
    terms, left = terms_in(reading, index)
    answer = tuple(pronouns_of(reading))
    if not terms:
        return _pronouns_only(reading, answer, index)
    reason = named_twice(terms) or _left_over(terms[0].term, left)
    own = terms[0].term.pronouns
    bound: list[Mention] = []
    if own and not reason and any(one.form != "plural" for one in terms):
        own = own.partition("/")[0]
        same = [one for one in answer if one.of == own] if own in {"she", "he"} else []
        doubt = unsafe(reading, [(one.first, one.last) for one in terms], same, own) if same else ""
        bound = [] if doubt else [_mention(reading, one, terms[0].term) for one in same if one.form]
        reason = reason or (_ONE_SEX if _SEXED.search(text) else "")
    ordered = tuple(sorted([*terms, *bound], key=lambda one: one.start))
    return Mentions(reading, ordered, answer, reason=reason)


def _left_over(term: IdentityTerm, left: list[IdentityTerm]) -> str:
    """Why a text is none in which a name, country or noun stands a second time and cannot be swapped there."""
    return "its term stands in it twice, once in a way that is not safe" if term.pos != "adj" and term in left else ""


def _pronouns_only(reading: Reading, answer: tuple[Pronoun, ...], index: Index) -> Mentions:
    """A text with nothing but pronouns: it mentions the group that is called so."""
    seen = tuple(dict.fromkeys(one.of for one in answer if one.of in {"she", "he"}))
    groups = [group for group, word in index.subjects.items() if seen == (word,)]
    if not seen and titles(reading):
        return Mentions(reading, (), answer, reason=ONE_SEX)
    if not seen or not index.subjects:
        return Mentions(reading, (), answer, reason=NOTHING)
    if len(seen) > 1:
        return Mentions(reading, (), answer, reason="both she and he stand in it")
    if len(groups) != 1:
        return Mentions(reading, (), answer, reason=NOTHING)
    same = [one for one in answer if one.of == seen[0]]
    unsure = next((one for one in same if not one.form), None)
    if unsure is not None:
        return Mentions(reading, (), answer, reason=f"{reading.at(unsure.at).text!r} is read in two ways")
    doubt = unsafe(reading, [], same, seen[0])
    if doubt:
        return Mentions(reading, (), answer, reason=doubt)
    if _SEXED.search(reading.text):
        return Mentions(reading, (), answer, reason=_ONE_SEX)
    term = pronoun_term(seen[0], groups[0])
    return Mentions(reading, tuple(_mention(reading, one, term) for one in same), answer, pronouns_only=True)


def pronoun_term(word: str, group: str) -> IdentityTerm:
    """The term of a text in which a pronoun alone mentions a group.

    >>> pronoun_term("she", "women").term
    'she'
    """
    return IdentityTerm(word, group, pos="noun", pronouns=word, note="a pronoun alone")


def _mention(reading: Reading, one: Pronoun, term: IdentityTerm) -> Mention:
    token = reading.at(one.at)
    return Mention(token.start, token.start + len(one.word), one.at, one.at + 1, term, "pronoun")
