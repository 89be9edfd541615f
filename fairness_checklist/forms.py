"""What one term writes into one slot: the table of parts of speech of the slot language."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from fairness_checklist.grammar.articles import article, capitalise
from fairness_checklist.grammar.plurals import plural
from fairness_checklist.grammar.pronouns import choose, pronoun
from fairness_checklist.grammar.verbs import conjugate
from fairness_checklist.identity import IdentityTerm
from fairness_checklist.slots import Slot

__all__ = ["Unfit", "Written", "entity", "write", "write_list"]

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

    >>> from fairness_checklist.slots import parse
    >>> epilepsy = IdentityTerm("with epilepsy", "epilepsy", pos="pp", predicate="has epilepsy")
    >>> [write(slot, epilepsy).text for slot in parse("{a:identity.writer}{identity_pl}{were:identity}")]
    ['a writer with epilepsy', 'people with epilepsy', 'had epilepsy']
    >>> write(parse("{identity_adj}")[0], epilepsy)
    Unfit(reason="'with epilepsy' is no adjective")
    """
    if slot.family not in term.families and not (slot.part == "adj" and term.pos == "adj"):
        return Unfit(_wrong_family(slot, term))
    if slot.kind == "pronoun":
        written: Written | Unfit = Written(pronoun(term.pronouns, slot.form))
    elif slot.kind == "choice":
        written = Written(choose(term.pronouns, slot.form))
    elif slot.kind == "predicate":
        written = _predicate(slot.form, term)
    elif slot.family == "identity":
        written = _identity(slot, term)
    elif slot.part == "adj":
        written = _adjective(term)
    else:
        written = _without_article(term.term)
    if isinstance(written, Unfit):
        return written
    if slot.kind == "article":
        written = _with_article(slot, term, written)
    return replace(written, text=capitalise(written.text)) if slot.capital else written


def entity(slot: Slot, term: IdentityTerm, written: Written) -> tuple[int, int, str] | None:
    """Which of the words written are an entity, and of what type; None where they are none.

    Of a predicate or phrase it is the adjective, else the place or faith itself, without article.

    >>> from fairness_checklist.slots import parse
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
    words, name = written.text[:end], _without_article(term.term).text
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

    >>> from fairness_checklist.slots import parse
    >>> write_list(parse("{A:job}", lists=["job"])[0], "engineer")
    'An engineer'
    """
    before = {"a": f"{article(value)} ", "the": "the "}.get(slot.form, "")
    return capitalise(before + value) if slot.capital else before + value


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


def _whole(text: str) -> Written:
    return Written(text, 0, len(text))


def _within(before: str, words: str, after: str = "") -> Written:
    return Written(before + words + after, len(before), len(before) + len(words))


def _adjective_of(term: IdentityTerm) -> str:
    """The term as it stands before a noun, or ""."""
    return term.term if term.pos == "adj" else term.adjective


def _adjective(term: IdentityTerm) -> Written | Unfit:
    if term.pos in {"adj", "place", "faith"} and _adjective_of(term):
        return _whole(_adjective_of(term))
    if term.pos in {"place", "faith"}:
        return Unfit(f"{term.term!r} has no adjective")
    return Unfit(f"{term.term!r} is no adjective")


def _identity(slot: Slot, term: IdentityTerm) -> Written | Unfit:
    if slot.part == "adj":
        return _adjective(term)
    if slot.part == "np":
        return _whole(_noun_phrase(term))
    if slot.part == "pl":
        return _whole(_plural_phrase(term))
    if term.pos == "pp":
        return _within(f"{slot.head} ", term.term)
    if not _adjective_of(term):
        return Unfit(f"{term.term!r} is a noun without an adjective")
    return _within("", _adjective_of(term), f" {slot.head}")


def _noun_phrase(term: IdentityTerm) -> str:
    if term.pos == "noun":
        return term.term
    return f"person {term.term}" if term.pos == "pp" else f"{_adjective_of(term)} person"


def _plural_phrase(term: IdentityTerm) -> str:
    if term.plural:
        return term.plural
    if term.pos == "noun":
        return plural(term.term)
    return f"people {term.term}" if term.pos == "pp" else f"{_adjective_of(term)} people"


def _predicate(form: str, term: IdentityTerm) -> Written:
    if term.predicate:
        words = conjugate(term.predicate, form)
        verb, space, rest = words.partition(" ")
        return _within(verb + space, rest) if rest else _whole(verb)
    if term.pos in {"adj", "place", "faith"}:
        return _within(f"{form} ", _adjective_of(term))
    if form in _PLURAL_BE:
        return _within(f"{form} ", _plural_phrase(term))
    phrase = _noun_phrase(term)
    return _within(f"{form} {article(phrase)} ", phrase)


def _without_article(words: str) -> Written:
    return _whole(words[4:] if words[:4].lower() == "the " else words)


def _with_article(slot: Slot, term: IdentityTerm, written: Written) -> Written:
    if slot.form == "a":
        before = f"{article(written.text)} "
    elif slot.family in {"country", "religion"} and not slot.part:
        before = "the " if term.term[:4].lower() == "the " else ""
    else:
        before = "the "
    return Written(before + written.text, written.start + len(before), written.end + len(before))
