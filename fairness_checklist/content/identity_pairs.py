"""Two identities of one person: the phrase of a term of each of two attributes, in English word order."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import product

from fairness_checklist.content.grammar.english_articles import plural, pronoun, pronoun_set
from fairness_checklist.content.grammar.english_nouns import is_plural_noun
from fairness_checklist.content.slot_forms import SlotText, Unfit, write
from fairness_checklist.content.slots import Slot
from fairness_checklist.content.templates import Template
from fairness_checklist.content.terms import IdentityTerm, TermList
from fairness_checklist.core.errors import OptionError
from fairness_checklist.core.examples import GROUP_SEPARATOR

# The order of adjectives, furthest from the noun first; an attribute that is not listed has the place of disability.
_ORDER = (
    "body_type", "socioeconomic_status", "parental_status", "age", "disability", "migration_status", "language_accent",
    "race_ethnicity", "nationality", "religion", "caste", "veteran_status", "sexual_orientation",
    "sex_characteristics", "gender",
)  # fmt: skip
_NOBODY = IdentityTerm("", "")


@dataclass(frozen=True)
class PairedTerm(IdentityTerm):
    """Two terms as one noun phrase ("middle-aged deaf person")."""

    before: str = ""  # the words before a noun of the template: "middle-aged deaf"
    after: str = ""  # those after it: "with epilepsy"
    has_noun: bool = False  # whether the phrase has a noun of its own that no other can replace ("woman")
    early: IdentityTerm = _NOBODY  # of two adjectives the one further from the noun
    late: IdentityTerm = _NOBODY


def comes_first(attribute: str, other: str) -> bool:
    """Whether the first attribute's adjective comes before the other's ("young Muslim", "middle-aged deaf")."""
    bases = (name.partition(".")[0] for name in (attribute, other))
    first, second = (_ORDER.index(base if base in _ORDER else "disability") for base in bases)
    return first <= second


def pair(early: IdentityTerm, late: IdentityTerm, group: str) -> PairedTerm | Unfit:
    """Two terms as the noun phrase of one person, or why they make none."""
    if "name" in {early.pos, late.pos}:
        return Unfit("a name is no part of a phrase")
    if early.term.lower() == late.term.lower():
        return Unfit(f"{early.term!r} is a term of both attributes")
    if len({pronoun_set(term.pronouns) for term in (early, late) if term.pronouns}) > 1:
        return Unfit(f"the pronouns of {early.term!r} and {late.term!r} differ")
    as_adjective = _adjectives(early, late)
    nouns = [term for term, words in zip((early, late), as_adjective, strict=True) if term.pos == "noun" and not words]
    if len(nouns) > 1:
        return Unfit(f"{early.term!r} and {late.term!r} are both nouns")
    noun = nouns[0] if nouns else None
    before = [words for words in as_adjective if words]
    after = [term.term for term in (early, late) if term.pos == "pp"]
    if len(after) == 2 and after[0].partition(" ")[0] == after[1].partition(" ")[0]:  # of one preposition
        after = [f"{after[0]} and {after[1].partition(' ')[2]}"]
    singular = noun.term if noun else "person"
    several = (noun.plural or plural(noun.term)) if noun else "people"
    adjective = " ".join(filter(None, (early.adjective or as_adjective[0], late.adjective or as_adjective[1])))
    both = bool(early.concept and late.concept)
    pronouns = early.pronouns or late.pronouns
    return PairedTerm(
        " ".join([*before, singular, *(_in_singular(phrase, pronouns) for phrase in after)]),
        group,
        pos="noun",
        status="dispreferred" if "dispreferred" in {early.status, late.status} else "accepted",
        plural=" ".join([*before, several, *after]),
        adjective="" if after or (noun and not noun.adjective) else adjective,
        pronouns=pronouns,
        concept=f"{early.concept}{GROUP_SEPARATOR}{late.concept}" if both else "",
        source="; ".join(filter(None, dict.fromkeys((early.source, late.source)))),
        flags=" ".join(
            flag for flag in ("ambiguous", "contested", "minor") if early.has_flag(flag) or late.has_flag(flag)
        ),
        early=early,
        late=late,
        before=adjective if noun else " ".join(before),
        after=" ".join(after),
        has_noun=bool(noun and not noun.adjective),
    )


def write_pair(slot: Slot, term: PairedTerm) -> SlotText | Unfit:
    """The words of a pair in a slot, both as one phrase."""
    if slot.family != "identity" or not slot.head:
        return write(slot, term)
    if term.has_noun:
        return Unfit(f"{term.term!r} is a noun without an adjective")
    after = term.after if is_plural_noun(slot.head) else _in_singular(term.after, term.pronouns)
    phrase = " ".join(filter(None, (term.before, slot.head, after)))
    return write(replace(slot, head="", part="np"), replace(term, term=phrase))


def _in_singular(phrase: str, pronouns: str) -> str:
    """A phrase after a noun in the singular: "in their seventies" of a woman is "in her seventies"."""
    return re.sub(r"\btheir\b", pronoun(pronouns, "their"), phrase)


def _adjectives(early: IdentityTerm, late: IdentityTerm) -> tuple[str, str]:
    """The words of each term before the noun; "" for a phrase and for the noun itself."""
    words = ["" if term.pos == "pp" else term.term if term.pos == "adj" else term.adjective for term in (early, late)]
    if early.pos == late.pos == "noun":
        return (words[0], "") if words[0] else ("", words[1])
    return ("" if early.pos == "noun" else words[0]), ("" if late.pos == "noun" else words[1])


def pair_lists(first: TermList, second: TermList) -> tuple[TermList, tuple[str, ...]]:
    """Every term of one attribute with every term of another, the groups in pairs."""
    if first.base_attribute == second.base_attribute:
        raise OptionError(
            f"{first.attribute} and {second.attribute} are one attribute; an intersection has two.",
            remedy="Name two, as in gender+age.",
        )
    for terms in (first, second):
        for group in terms.groups:
            if GROUP_SEPARATOR in group:
                raise OptionError(
                    f"the name of the group {group!r} of {terms.attribute} contains {GROUP_SEPARATOR!r}, which "
                    "separates two groups.",
                    remedy="Rename it.",
                )
    in_order = comes_first(first.attribute, second.attribute)
    pairs: list[PairedTerm] = []
    remarks: list[str] = []
    for group, other in product(first.groups, second.groups):
        name = f"{group}{GROUP_SEPARATOR}{other}"
        terms_of_both = product(_usable(first.of_group(group), second), _usable(second.of_group(other), first))
        made = [pair(*(both if in_order else both[::-1]), name) for both in terms_of_both]
        phrases: dict[str, PairedTerm] = {}
        for term in made:
            if isinstance(term, PairedTerm):
                phrases.setdefault(term.term, term)
        pairs += phrases.values()
        if not phrases:
            why = next((term.reason for term in made if isinstance(term, Unfit)), "their terms belong to both")
            remarks.append(f"{name}: no pair of terms makes a phrase ({why})")
        elif len(phrases) < 2:
            remarks.append(f"{name}: thin, one pair of terms only")
    if not pairs:
        raise OptionError(
            f"no term of {first.attribute} makes a phrase with one of {second.attribute}: {remarks[0]}.",
            remedy="Give adjectives, or nouns with the column adjective.",
        )
    attributes = (first.attribute, second.attribute)
    return TermList("+".join(attributes), tuple(pairs), intersection=attributes), tuple(remarks)


def _usable(terms: Iterable[IdentityTerm], other: TermList) -> list[IdentityTerm]:
    """The terms that do not belong to the other attribute as well ("grandmother" is of an age)."""
    name = other.base_attribute.replace("_", " ")
    return [term for term in terms if name not in map(str.strip, term.also.replace("_", " ").split(","))]


_TWO_SLOTS = re.compile(r"\{([A-Za-z]+:)?([Ii]dentity)1_adj\} \{identity2(_np|_pl|\.[^{}|]+)\}")


def merge_identities(template: Template) -> Template:
    """The template with an adjective and what follows it as one slot: the pair is written in English word order."""
    return replace(template, text=_TWO_SLOTS.sub(r"{\1\2\3}", template.text))
