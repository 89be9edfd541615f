"""Two identities of one person: what a term of each of two attributes writes together, in the order English wants."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from fairness_checklist.errors import OptionError
from fairness_checklist.examples import BETWEEN
from fairness_checklist.forms import Unfit, Written, write
from fairness_checklist.grammar.english.plurals import plural
from fairness_checklist.grammar.english.pronouns import pronoun_set
from fairness_checklist.identity import IdentityTerm, TermList
from fairness_checklist.slots import Slot

__all__ = ["PairedTerm", "comes_first", "pair", "pair_lists", "write_pair"]

# Which attribute's adjective stands further from the noun; one that is not listed stands where disability does.
_ORDER = (
    "body_type",
    "socioeconomic_status",
    "parental_status",
    "age",
    "disability",
    "migration_status",
    "language_accent",
    "race_ethnicity",
    "nationality",
    "religion",
    "caste",
    "veteran_status",
    "sexual_orientation",
    "sex_characteristics",
    "gender",
)


_NOBODY = IdentityTerm("", "")


@dataclass(frozen=True)
class PairedTerm(IdentityTerm):
    """Two terms as one noun phrase ("middle-aged deaf person").

    Attributes:
        early, late: the two as they stand before the noun: "middle-aged", "deaf".
        before, after: what stands around a noun of the template's: "middle-aged deaf", "with epilepsy".
        has_noun: whether the phrase has a noun of its own that no other can replace ("woman").
    """

    before: str = ""
    after: str = ""
    has_noun: bool = False
    early: IdentityTerm = _NOBODY
    late: IdentityTerm = _NOBODY


def comes_first(attribute: str, other: str) -> bool:
    """Whether the first attribute's adjective stands before the other's ("young Muslim", "middle-aged deaf").

    >>> comes_first("age", "religion"), comes_first("gender", "disability")
    (True, False)
    """
    return _rank(attribute) <= _rank(other)


def _rank(attribute: str) -> int:
    base = attribute.partition(".")[0]
    return _ORDER.index(base if base in _ORDER else "disability")


def pair(early: IdentityTerm, late: IdentityTerm, group: str) -> PairedTerm | Unfit:
    """Two terms as the noun phrase of one person, or why they make none.

    Args:
        early: the one whose adjective stands first.
        late: the one whose adjective stands right before the noun.
        group: what the pair belongs to.

    >>> young, deaf = IdentityTerm("young", "young people"), IdentityTerm("deaf", "deaf people")
    >>> pair(young, deaf, "young & deaf").term, pair(young, deaf, "young & deaf").plural
    ('young deaf person', 'young deaf people')
    >>> epilepsy = IdentityTerm("with epilepsy", "epilepsy", pos="pp")
    >>> man = IdentityTerm("man", "men", pos="noun", plural="men", pronouns="he")
    >>> pair(epilepsy, man, "").term, pair(epilepsy, man, "").pronouns
    ('man with epilepsy', 'he')
    >>> pair(IdentityTerm("wheelchair user", "", pos="noun"), man, "")
    Unfit(reason="'wheelchair user' and 'man' are both nouns")
    """
    if "name" in {early.pos, late.pos}:
        return Unfit("a name is no part of a phrase")
    if early.term.lower() == late.term.lower():
        return Unfit(f"{early.term!r} stands in both")
    if len({pronoun_set(term.pronouns) for term in (early, late) if term.pronouns}) > 1:
        return Unfit(f"the pronouns of {early.term!r} and {late.term!r} differ")
    as_adjective = _adjectives(early, late)
    if as_adjective is None:
        return Unfit(f"{early.term!r} and {late.term!r} are both nouns")
    before = [words for words in as_adjective if words]
    noun = next((one for one, words in zip((early, late), as_adjective, strict=True) if _is_head(one, words)), None)
    after = _phrases([one.term for one in (early, late) if one.pos == "pp"])
    singular = noun.term if noun else "person"
    several = (noun.plural or plural(noun.term)) if noun else "people"
    adjective = " ".join(filter(None, (early.adjective or as_adjective[0], late.adjective or as_adjective[1])))
    both = bool(early.concept and late.concept)
    return PairedTerm(
        " ".join([*before, singular, *after]),
        group,
        pos="noun",
        status="dispreferred" if "dispreferred" in {early.status, late.status} else "accepted",
        plural=" ".join([*before, several, *after]),
        adjective="" if after or (noun and not noun.adjective) else adjective,
        pronouns=early.pronouns or late.pronouns,
        concept=f"{early.concept}{BETWEEN}{late.concept}" if both else "",
        source="; ".join(filter(None, dict.fromkeys((early.source, late.source)))),
        flags=" ".join(flag for flag in ("ambiguous", "minor") if early.has_flag(flag) or late.has_flag(flag)),
        early=early,
        late=late,
        before=adjective if noun else " ".join(before),
        after=" ".join(after),
        has_noun=bool(noun and not noun.adjective),
    )


def write_pair(slot: Slot, term: PairedTerm) -> Written | Unfit:
    """What a pair writes into a slot: with a number one of the two, else both as one phrase.

    >>> from fairness_checklist.slots import parse
    >>> old = IdentityTerm("in their seventies", "older people", pos="pp")
    >>> both = pair(old, IdentityTerm("deaf", "deaf people"), "")
    >>> [write_pair(slot, both).text for slot in parse("{a:identity.writer}{identity_pl}{A:identity2_np}")]
    ['a deaf writer in their seventies', 'deaf people in their seventies', 'A deaf person']
    """
    if slot.family != "identity" or not (slot.number or slot.head):
        return write(slot, term)
    if slot.number:
        return write(slot, term.early if slot.number == 1 else term.late)
    if term.has_noun:
        return Unfit(f"{term.term!r} is a noun without an adjective")
    phrase = " ".join(filter(None, (term.before, slot.head, term.after)))
    return write(replace(slot, head="", part="np"), replace(term, term=phrase))


def _phrases(terms: list[str]) -> list[str]:
    """Phrases one after the other; of two with one preposition the second follows with and."""
    if len(terms) == 2 and terms[0].partition(" ")[0] == terms[1].partition(" ")[0]:
        return [f"{terms[0]} and {terms[1].partition(' ')[2]}"]
    return terms


def _is_head(term: IdentityTerm, as_adjective: str) -> bool:
    return term.pos == "noun" and not as_adjective


def _adjectives(early: IdentityTerm, late: IdentityTerm) -> tuple[str, str] | None:
    """What each term writes before the noun, "" for a noun or a phrase; None where both can only be the noun."""
    words = [term.term if term.pos == "adj" else term.adjective for term in (early, late)]
    words = ["" if term.pos == "pp" else word for term, word in zip((early, late), words, strict=True)]
    nouns = [term.pos == "noun" for term in (early, late)]
    if all(nouns):
        if not any(words):
            return None
        return (words[0], "") if words[0] else ("", words[1])
    return ("" if nouns[0] else words[0]), ("" if nouns[1] else words[1])


def pair_lists(first: TermList, second: TermList) -> tuple[TermList, tuple[str, ...]]:
    """Every term of one attribute with every term of another, the groups in pairs.

    Args:
        first, second: the selected terms of two attributes.

    Returns:
        The pairs, of an attribute named "first+second" with groups "women & deaf people", and what is to be said of
        pairs of groups that few terms or none can make.

    Raises:
        OptionError: the same attribute twice, a group whose name cannot stand in that of a pair, or nothing to pair.

    >>> age = TermList("age", (IdentityTerm("young", "young people"), IdentityTerm("middle-aged", "older people")))
    >>> hearing = TermList("hearing", (IdentityTerm("deaf", "deaf people"), IdentityTerm("hearing", "hearing people")))
    >>> both, thin = pair_lists(hearing, age)
    >>> both.attribute, both.groups[0], both.terms[0].term
    ('hearing+age', 'deaf people & young people', 'young deaf person')
    """
    _check(first, second)
    in_order = comes_first(first.attribute, second.attribute)
    terms: list[PairedTerm] = []
    remarks: list[str] = []
    for one in first.groups:
        for other in second.groups:
            name = f"{one}{BETWEEN}{other}"
            ours, theirs = _usable(first.of_group(one), second), _usable(second.of_group(other), first)
            found, why = _of_groups(ours, theirs, name, in_order)
            terms += found
            if not found:
                remarks.append(f"{name}: no pair of terms makes a phrase ({why or 'their terms belong to both'})")
            elif len(found) < 2:
                remarks.append(f"{name}: thin, one pair of terms only")
    if not terms:
        raise OptionError(
            f"no term of {first.attribute} makes a phrase with one of {second.attribute}: {remarks[0]}.",
            remedy="Give adjectives, or nouns with the column adjective.",
        )
    both = (first.attribute, second.attribute)
    return TermList("+".join(both), tuple(terms), intersection=both), tuple(remarks)


def _of_groups(
    ours: Iterable[IdentityTerm], theirs: Iterable[IdentityTerm], name: str, in_order: bool
) -> tuple[list[PairedTerm], str]:
    theirs = list(theirs)
    found: dict[str, PairedTerm] = {}
    why = ""
    for a in ours:
        for b in theirs:
            made = pair(a, b, name) if in_order else pair(b, a, name)
            if isinstance(made, Unfit):
                why = why or made.reason
            else:
                found.setdefault(made.term, made)
    return list(found.values()), why


def _usable(terms: Iterable[IdentityTerm], other: TermList) -> list[IdentityTerm]:
    """The terms that do not belong to the other attribute as well ("grandmother" is of an age)."""
    name = other.base_attribute.replace("_", " ")
    return [term for term in terms if name not in (part.strip() for part in term.also.replace("_", " ").split(","))]


def _check(first: TermList, second: TermList) -> None:
    if first.base_attribute == second.base_attribute:
        raise OptionError(
            f"{first.attribute} and {second.attribute} are one attribute; an intersection has two.",
            remedy="Name two, as in gender+age.",
        )
    for terms in (first, second):
        for group in terms.groups:
            if BETWEEN in group:
                raise OptionError(
                    f"the group {group!r} of {terms.attribute} holds{BETWEEN}in its name, which joins two groups.",
                    remedy="Rename it.",
                )
