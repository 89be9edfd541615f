"""What one term writes into one slot: the table of parts of speech of the slot language."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from fairness_checklist.content.grammar.language import Grammar, Noun, capitalise
from fairness_checklist.content.grammar.languages import get
from fairness_checklist.content.slots import Slot
from fairness_checklist.content.terms import IdentityTerm

_PLURAL_BE = ("are", "were")
_AN_ARTICLE = re.compile(r"(?:an?|the) ", re.IGNORECASE)
_SMALL_WORDS = re.compile(r"(?:[a-z]+ )+")
_TYPES = {("person", ""): "PER", ("country", ""): "LOC"}  # nationalities and faiths: MISC, as in CoNLL 2003


@dataclass(frozen=True)
class Written:
    """The words that a slot is filled with, and where the identity's own words stand in them.

    ``start == end`` where no identity is named (pronouns, choices). The article and the verb of a predicate, and the
    head that the template gives, are outside; of a noun phrase ("person with epilepsy") all is inside.
    """

    text: str
    start: int = 0
    end: int = 0


@dataclass(frozen=True)
class Unfit:
    """Why a term cannot fill a slot."""

    reason: str


def write(slot: Slot, term: IdentityTerm) -> Written | Unfit:
    """What a term writes into a slot, or why it cannot.

    Args:
        slot: any slot but one of a user's list.
        term: any term.

    >>> from fairness_checklist.content.slots import parse
    >>> epilepsy = IdentityTerm("with epilepsy", "epilepsy", pos="pp", predicate="has epilepsy")
    >>> [write(slot, epilepsy).text for slot in parse("{a:identity.writer}{identity_pl}{were:identity}")]
    ['a writer with epilepsy', 'people with epilepsy', 'had epilepsy']
    >>> write(parse("{identity_adj}")[0], epilepsy)
    Unfit(reason="'with epilepsy' is no adjective")
    """
    if slot.family not in term.families and not (slot.part == "adj" and term.pos == "adj"):
        return Unfit(_wrong_family(slot, term))
    own = get(slot.language)
    words = _words(slot, term, own)
    if isinstance(words, Unfit):
        return words
    written = _with_article(slot, term, words, own) if slot.kind == "article" else words.written
    if slot.capital:
        written = replace(written, text=capitalise(written.text))
    return _after(slot.before, written, own) if slot.before else written


def entity(slot: Slot, term: IdentityTerm, written: Written) -> tuple[int, int, str] | None:
    """Which of the words written are an entity, and of what type; None where they are none.

    Of a predicate or phrase it is the adjective, else the place or faith itself, without article.

    >>> from fairness_checklist.content.slots import parse
    >>> gambia = IdentityTerm("the Gambia", "Africa", pos="place", adjective="Gambian")
    >>> for slot in parse("{The:country}{a:identity_np}"):
    ...     print(entity(slot, gambia, write(slot, gambia)))
    (4, 10, 'LOC')
    (2, 9, 'MISC')
    >>> other = replace(gambia, predicate="is from the Gambia")
    >>> entity(parse("{is:identity}")[0], other, write(parse("{is:identity}")[0], other))
    (12, 18, 'LOC')
    """
    start, end = written.start, written.end
    if start >= end or (slot.family == "identity" and term.pos not in {"place", "faith"}):
        return None
    if slot.family != "identity":
        return start, end, _TYPES.get((slot.family, slot.part), "MISC")
    words, name = written.text[:end], get(slot.language).split_article(term.term)[1]
    own = get(slot.language)
    forms = {
        own.agree(term.adjective, Noun("", gender, several)) for gender in own.genders for several in (True, False)
    }
    for form in sorted(forms, key=len, reverse=True):
        if form and form in words[start:]:
            at = words.index(form, start)
            return at, at + len(form), "MISC"
    start += _length_of(_AN_ARTICLE, words[start:])
    if words[start:].lower().startswith(term.adjective.lower()):
        return start, start + len(term.adjective), "MISC"
    at = words.find(name, start)
    if at >= 0:
        return at, at + len(name), "LOC" if term.pos == "place" else "MISC"
    return start + _length_of(_SMALL_WORDS, words[start:]), end, "MISC"


def _length_of(pattern: re.Pattern[str], words: str) -> int:
    """How many characters of the words, from the first, fit the pattern."""
    found = pattern.match(words)
    return found.end() if found else 0


def write_list(slot: Slot, value: str) -> str:
    """What a value of a user's list writes into its slot.

    >>> from fairness_checklist.content.slots import parse
    >>> write_list(parse("{A:job}", lists=["job"])[0], "engineer")
    'An engineer'
    """
    own = get(slot.language)
    before = f"{own.article(own.noun(value), definite=slot.form == 'the')} " if slot.form else ""
    return own.attached(slot.before, capitalise(before + value) if slot.capital else before + value)


def _wrong_family(slot: Slot, term: IdentityTerm) -> str:
    if slot.family == "identity" and term.pos in {"place", "faith"}:
        return f"{term.term!r} has no adjective"
    kind = {
        "adj": "an adjective",
        "noun": "a noun",
        "pp": "a prepositional phrase",
        "name": "a name",
        "place": "a place",
        "faith": "a faith",
    }[term.pos]
    return f"{term.term!r} is {kind}, which fills no {slot.family} slot"


@dataclass(frozen=True)
class _Words:
    """Words without an article, and the noun that one would agree with."""

    written: Written
    noun: Noun


def _words(slot: Slot, term: IdentityTerm, own: Grammar) -> _Words | Unfit:
    """What a term writes into a slot, its article apart."""
    pronouns = term.pronouns or (own.default_pronouns if slot.family == "identity" else "")
    if slot.kind in {"pronoun", "choice"}:
        one = own.pronoun(pronouns, slot.form) or None if slot.kind == "pronoun" else own.choose(pronouns, slot.form)
        return _no_gender(term) if one is None else _Words(Written(one), Noun(one))
    if slot.kind == "predicate":
        written = _predicate(slot.form, term, own)
        return _Words(written, Noun(written.text))
    if slot.part == "adj":
        return _adjective(term, own.noun("", pronouns), own)
    if slot.family == "identity":
        return _identity(slot, term, own)
    return _whole(Noun(own.split_article(term.term)[1]))


def _no_gender(term: IdentityTerm) -> Unfit:
    return Unfit(f"{term.term!r} says no gender")


def _whole(noun: Noun) -> _Words:
    return _Words(Written(noun.text, 0, len(noun.text)), noun)


def _within(before: str, words: str, after: str = "") -> Written:
    return Written(before + words + after, len(before), len(before) + len(words))


def _adjective_of(term: IdentityTerm, own: Grammar) -> str:
    """The term as it stands beside a noun, where the language has them all its forms, or ""."""
    if term.pos == "adj":
        return term.adjective if own.genders and term.adjective else term.term
    return term.adjective


def _adjective(term: IdentityTerm, noun: Noun, own: Grammar) -> _Words | Unfit:
    if term.pos in {"adj", "place", "faith"} and _adjective_of(term, own):
        return _whole(replace(noun, text=own.agree(_adjective_of(term, own), noun)))
    if term.pos in {"place", "faith"}:
        return Unfit(f"{term.term!r} has no adjective")
    return Unfit(f"{term.term!r} is no adjective")


def _identity(slot: Slot, term: IdentityTerm, own: Grammar) -> _Words | Unfit:
    if slot.part == "np":
        return _whole(_noun_phrase(term, own))
    if slot.part == "pl":
        return _whole(_plural_phrase(term, own))
    if term.pos != "pp" and not _adjective_of(term, own):
        return Unfit(f"{term.term!r} is a noun without an adjective")
    head = own.head(slot.head, term.pronouns)
    if head is None:
        return _no_gender(term)
    modifier = term.term if term.pos == "pp" else own.agree(_adjective_of(term, own), head)
    if term.pos != "pp" and (reason := own.unfit_before(modifier, head.text)):
        return Unfit(reason)
    if not modifier and (own.head(slot.head, "") is not None or not ("|" in slot.head or slot.kind == "article")):
        return Unfit(f"{term.term!r} says nothing beside {slot.head!r}")
    text, at = own.joined(head.text, modifier, phrase=term.pos == "pp")
    return _Words(Written(text, at, at + len(modifier or head.text)), replace(head, text=text))


def _noun_phrase(term: IdentityTerm, own: Grammar) -> Noun:
    return own.noun(term.term, term.pronouns) if term.pos == "noun" else _of_person(own.person, term, own)


def _plural_phrase(term: IdentityTerm, own: Grammar) -> Noun:
    of_term = own.noun(term.term, term.pronouns) if term.pos == "noun" else own.people
    if term.plural:
        return replace(of_term, text=term.plural, plural=True)
    if term.pos == "noun":
        return replace(of_term, text=own.plural(term.term), plural=True)
    return _of_person(own.people, term, own)


def _of_person(noun: Noun, term: IdentityTerm, own: Grammar) -> Noun:
    """ "deaf person", "people with epilepsy"."""
    modifier = term.term if term.pos == "pp" else own.agree(_adjective_of(term, own), noun)
    return replace(noun, text=own.joined(noun.text, modifier, phrase=term.pos == "pp")[0])


def _predicate(form: str, term: IdentityTerm, own: Grammar) -> Written:
    if term.predicate:
        words = own.conjugate(term.predicate, form)
        verb, space, rest = words.partition(" ")
        return _within(verb + space, rest) if rest else _within("", verb)
    several = form in _PLURAL_BE
    if term.pos in {"adj", "place", "faith"}:
        adjective = _adjective_of(term, own)
        if term.pronouns or own.is_fixed(adjective):
            noun = replace(own.noun("", term.pronouns), plural=several)
            return _within(f"{own.be(form)} ", own.agree(adjective, noun))
    if several:
        return _within(f"{own.be(form)} ", _plural_phrase(term, own).text)
    phrase = _noun_phrase(term, own)
    return _within(f"{own.be(form)} {own.article(phrase, definite=False)} ", phrase.text)


def _with_article(slot: Slot, term: IdentityTerm, words: _Words, own: Grammar) -> Written:
    written = words.written
    if slot.family in {"country", "religion"} and not slot.part:
        article = own.split_article(term.term)[0]
    else:
        article = own.article(words.noun, definite=slot.form == "the")
    before = f"{article} " if article else ""
    return Written(before + written.text, written.start + len(before), written.end + len(before))


def _after(small: str, written: Written, own: Grammar) -> Written:
    """The words behind a small word of the template, which may change both ("a " and "el hombre": "al hombre")."""
    text = own.attached(small, written.text)
    longer = len(text) - len(written.text)
    start, end = (written.start + longer, written.end + longer) if written.end > written.start else (0, 0)
    return Written(text, start, end)
