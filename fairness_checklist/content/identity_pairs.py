"""Two identities of one person: the phrase of a term of each of two attributes, in English word order."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import product

from fairness_checklist.content.grammar.english_articles import article, plural, pronoun, pronoun_set
from fairness_checklist.content.grammar.english_words import is_plural_noun
from fairness_checklist.content.slot_forms import SlotText, Unfit, write
from fairness_checklist.content.slots import Slot
from fairness_checklist.content.templates import Template, parse_template
from fairness_checklist.content.terms import IdentityTerm, TermList
from fairness_checklist.core.errors import OptionError
from fairness_checklist.core.examples import GROUP_SEPARATOR
from fairness_checklist.core.formatting import capitalise

# The order of adjectives, furthest from the noun first; an attribute that is not listed has the place of disability.
_ORDER = (
    "body_type", "socioeconomic_status", "parental_status", "age", "disability", "migration_status", "language_accent",
    "race_ethnicity", "nationality", "religion", "caste", "veteran_status", "sexual_orientation",
    "sex_characteristics", "gender",
)  # fmt: skip
_NOBODY = IdentityTerm("", "")


@dataclass(frozen=True)
class PairedTerm(IdentityTerm):
    """Two terms as one noun phrase ("middle-aged deaf person").

    Attributes:
        early, late: the two adjectives in their order before the noun: "middle-aged", "deaf".
        before, after: the words around a noun of the template: "middle-aged deaf", "with epilepsy".
        has_noun: whether the phrase has a noun of its own that no other can replace ("woman").
    """

    before: str = ""
    after: str = ""
    has_noun: bool = False
    early: IdentityTerm = _NOBODY
    late: IdentityTerm = _NOBODY


def comes_first(attribute: str, other: str) -> bool:
    """Whether the first attribute's adjective comes before the other's ("young Muslim", "middle-aged deaf")."""
    return _rank(attribute) <= _rank(other)


def _rank(attribute: str) -> int:
    base = attribute.partition(".")[0]
    return _ORDER.index(base if base in _ORDER else "disability")


def pair(early: IdentityTerm, late: IdentityTerm, group: str) -> PairedTerm | Unfit:
    """Two terms as the noun phrase of one person, or why they make none.

    >>> young, deaf = IdentityTerm("young", "young people"), IdentityTerm("deaf", "deaf people")
    >>> pair(young, deaf, "young & deaf").term, pair(young, deaf, "young & deaf").plural
    ('young deaf person', 'young deaf people')
    >>> epilepsy = IdentityTerm("with epilepsy", "epilepsy", pos="pp")
    >>> man = IdentityTerm("man", "men", pos="noun", plural="men", pronouns="he")
    >>> pair(epilepsy, man, "").term, pair(epilepsy, man, "").pronouns
    ('man with epilepsy', 'he')
    >>> pair(IdentityTerm("in their seventies", "", pos="pp"), man, "").term
    'man in his seventies'
    >>> pair(IdentityTerm("wheelchair user", "", pos="noun"), man, "")
    Unfit(reason="'wheelchair user' and 'man' are both nouns")
    """
    if "name" in {early.pos, late.pos}:
        return Unfit("a name is no part of a phrase")
    if early.term.lower() == late.term.lower():
        return Unfit(f"{early.term!r} is a term of both attributes")
    if len({pronoun_set(term.pronouns) for term in (early, late) if term.pronouns}) > 1:
        return Unfit(f"the pronouns of {early.term!r} and {late.term!r} differ")
    as_adjective = _adjectives(early, late)
    if as_adjective is None:
        return Unfit(f"{early.term!r} and {late.term!r} are both nouns")
    before = [words for words in as_adjective if words]
    noun = next(
        (term for term, words in zip((early, late), as_adjective, strict=True) if term.pos == "noun" and not words),
        None,
    )
    after = _phrases([term.term for term in (early, late) if term.pos == "pp"])
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
    """The words of a pair in a slot: with a number one of the two, else both as one phrase.

    >>> from fairness_checklist.content.slots import parse
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
    after = term.after if is_plural_noun(slot.head) else _in_singular(term.after, term.pronouns)
    phrase = " ".join(filter(None, (term.before, slot.head, after)))
    return write(replace(slot, head="", part="np"), replace(term, term=phrase))


def _phrases(terms: list[str]) -> list[str]:
    """Phrases one after the other; of two with one preposition the second follows with and."""
    if len(terms) == 2 and terms[0].partition(" ")[0] == terms[1].partition(" ")[0]:
        return [f"{terms[0]} and {terms[1].partition(' ')[2]}"]
    return terms


def _in_singular(phrase: str, pronouns: str) -> str:
    """A phrase after a noun in the singular: "in their seventies" of a woman is "in her seventies"."""
    return re.sub(r"\btheir\b", pronoun(pronouns, "their"), phrase)


def _adjectives(early: IdentityTerm, late: IdentityTerm) -> tuple[str, str] | None:
    """The words of each term before the noun, "" for a noun or a phrase; None if both can only be the noun."""
    words = [term.term if term.pos == "adj" else term.adjective for term in (early, late)]
    words = ["" if term.pos == "pp" else word for term, word in zip((early, late), words, strict=True)]
    nouns = [term.pos == "noun" for term in (early, late)]
    if all(nouns):
        if not any(words):
            return None
        return (words[0], "") if words[0] else ("", words[1])
    return ("" if nouns[0] else words[0]), ("" if nouns[1] else words[1])


def pair_lists(first: TermList, second: TermList) -> tuple[TermList, tuple[str, ...]]:
    """Every term of one attribute with every term of another, the groups in pairs."""
    _check(first, second)
    in_order = comes_first(first.attribute, second.attribute)
    terms: list[PairedTerm] = []
    remarks: list[str] = []
    for group in first.groups:
        for other in second.groups:
            name = f"{group}{GROUP_SEPARATOR}{other}"
            ours, theirs = _usable(first.of_group(group), second), _usable(second.of_group(other), first)
            pairs, why = _group_pairs(ours, theirs, name, in_order)
            terms += pairs
            if not pairs:
                remarks.append(f"{name}: no pair of terms makes a phrase ({why or 'their terms belong to both'})")
            elif len(pairs) < 2:
                remarks.append(f"{name}: thin, one pair of terms only")
    if not terms:
        raise OptionError(
            f"no term of {first.attribute} makes a phrase with one of {second.attribute}: {remarks[0]}.",
            remedy="Give adjectives, or nouns with the column adjective.",
        )
    both = (first.attribute, second.attribute)
    return TermList("+".join(both), tuple(terms), intersection=both), tuple(remarks)


def _group_pairs(
    first: Iterable[IdentityTerm], second: Iterable[IdentityTerm], name: str, in_order: bool
) -> tuple[list[PairedTerm], str]:
    """The distinct pairs of the terms of two groups, and why the first that makes none does not."""
    made = [pair(a, b, name) if in_order else pair(b, a, name) for a, b in product(first, second)]
    pairs: dict[str, PairedTerm] = {}
    for term in made:
        if isinstance(term, PairedTerm):
            pairs.setdefault(term.term, term)
    return list(pairs.values()), next((term.reason for term in made if isinstance(term, Unfit)), "")


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
            if GROUP_SEPARATOR in group:
                raise OptionError(
                    f"the name of the group {group!r} of {terms.attribute} contains {GROUP_SEPARATOR!r}, which "
                    "separates two groups.",
                    remedy="Rename it.",
                )


_CORES = {"np": "person", "pl": "people"}


def identities(template: Template, lists: Sequence[str] = ()) -> tuple[int, ...]:
    """The numbers of the identities that a template names, in order: (1, 2) of two, (0,) of one without a number."""
    pieces = parse_template(template, lists)
    numbers = {piece.number for piece in pieces if isinstance(piece, Slot) and piece.family == "identity"}
    return tuple(sorted(numbers - {0})) or tuple(numbers)


def merge_identities(template: Template, lists: Sequence[str] = ()) -> Template:
    """The template with an adjective and what follows it as one slot: the pair is written in English word order.

    >>> merge_identities(Template("t", "I met {a:identity1_adj} {identity2.writer}.")).text
    'I met {a:identity.writer}.'
    """
    pieces = list(parse_template(template, lists))
    if not any(isinstance(piece, Slot) and piece.family == "identity" and piece.number for piece in pieces):
        return template
    written: list[str] = []
    at = 0
    while at < len(pieces):
        piece, after = pieces[at], pieces[at + 2] if at + 2 < len(pieces) else ""
        if isinstance(piece, str):
            written.append(piece.replace("{", "{{").replace("}", "}}"))
        elif _is_adjective_before(piece, pieces[at + 1 : at + 2], after) and isinstance(after, Slot):
            written.append(_slot_source(replace(after, number=0, form=piece.form, capital=piece.capital)))
            at += 2
        else:
            written.append(piece.raw)
        at += 1
    return replace(template, text="".join(written))


def _is_adjective_before(slot: Slot, between: Sequence[str | Slot], after: str | Slot) -> bool:
    """Whether a slot is the first identity's adjective and the second's phrase follows it at once."""
    return (
        isinstance(after, Slot)
        and (slot.family, slot.number, slot.part, after.family, after.number) == ("identity", 1, "adj", "identity", 2)
        and list(between) == [" "]
        and not after.form
        and (after.part in _CORES or bool(after.head))
    )


def with_one_identity(template: Template, kept: int, lists: Sequence[str] = ()) -> Template | None:
    """The template with the other of two identities left out, as in the unmarked control; itself if it names one.

    >>> two = Template("t", "I met {a:identity1_adj} {identity2.writer} and {their:identity} friend.")
    >>> with_one_identity(two, 1).text
    'I met {a:identity_adj} writer and {their:identity} friend.'
    >>> with_one_identity(two, 2).text
    'I met {a:identity.writer} and {their:identity} friend.'
    """
    if len(identities(template, lists)) < 2:
        return template
    pieces = list(parse_template(template, lists))
    written: list[str] = []
    carried: Slot | None = None  # an adjective that is gone leaves its article and capital to what follows
    space = False
    for piece in pieces:
        if isinstance(piece, str):
            text = piece[1:] if space and piece.startswith(" ") else piece
            space = False
            if carried is not None and text:
                text, carried = _with_article(text, carried), None
            written.append(text.replace("{", "{{").replace("}", "}}"))
        elif piece.family != "identity" or piece.is_list or piece.number in (0, kept):
            slot = replace(piece, number=0) if piece.family == "identity" and not piece.is_list else piece
            if carried is not None:
                slot = replace(slot, form=slot.form or carried.form, capital=slot.capital or carried.capital)
                carried = None
            written.append(_slot_source(slot) if slot.family == "identity" and not slot.is_list else piece.raw)
        elif piece.part == "adj":
            carried, space = piece, True
        else:
            core = _replacement(piece)
            if core is None:
                return None
            if carried is not None:
                core, carried = _with_article(core, carried), None
            written.append(core)
    return replace(template, text="".join(written))


def _replacement(slot: Slot) -> str | None:
    """The replacement of a slot that is left out."""
    if slot.kind == "predicate":
        return None
    words = slot.form if slot.kind == "pronoun" else slot.form.partition("|")[2] if slot.kind == "choice" else ""
    words = words or slot.head or _CORES[slot.part]
    return _with_article(words, slot)


def _with_article(words: str, slot: Slot) -> str:
    """The words with the article and the capital that the slot requires."""
    if slot.kind == "article":
        words = f"{article(words) if slot.form == 'a' else 'the'} {words}"
    return capitalise(words) if slot.capital else words


def _slot_source(slot: Slot) -> str:
    """A slot of an identity as it is written in a template, without a number."""
    name = "identity" + (f"_{slot.part}" if slot.part else "") + (f".{slot.head}" if slot.head else "")
    inside = f"{slot.form}:{name}" if slot.form else name
    return f"{{{capitalise(inside) if slot.capital else inside}}}"
