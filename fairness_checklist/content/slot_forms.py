"""The words of a term in a slot: the table of parts of speech of the slot language."""

import re
from dataclasses import dataclass, field, replace

from fairness_checklist.content.grammar.language import SHORT_FORMS, Grammar, Noun
from fairness_checklist.content.grammar.languages import get
from fairness_checklist.content.slots import Slot
from fairness_checklist.content.terms import IdentityTerm
from fairness_checklist.core.formatting import capitalise

NO_PLURAL = "-"  # a plural cell: the term is left out of plural slots
_PLURAL_BE = ("are", "were")
_AN_ARTICLE = re.compile(r"(?:an?|the) ", re.IGNORECASE)
_SMALL_WORDS = re.compile(r"(?:[a-z]+ )+")
_TYPES = {("person", ""): "PER", ("country", ""): "LOC"}  # nationalities and faiths: MISC, as in CoNLL 2003
_KINDS = {
    "adj": "an adjective",
    "noun": "a noun",
    "pp": "a prepositional phrase",
    "name": "a name",
    "place": "a place",
    "faith": "a faith",
}


@dataclass(frozen=True)
class SlotText:
    """The words that a slot is filled with, and where the identity's own words are in them.

    ``start == end`` where no identity is named (pronouns, choices). The article and the verb of a predicate, and the
    head that the template gives, are outside; of a noun phrase ("person with epilepsy") all is inside.
    """

    text: str
    start: int = 0
    end: int = 0


@dataclass(frozen=True)
class Unfit:
    """The reason why a term cannot fill a slot; ``code`` is set where a decision depends on it."""

    reason: str
    code: str = field(default="", repr=False)


def write(slot: Slot, term: IdentityTerm) -> SlotText | Unfit:
    """The words of a term in a slot, or the reason why it cannot fill the slot."""
    if slot.family not in term.families and not (slot.part == "adj" and term.pos == "adj"):
        if slot.family == "identity" and term.pos in {"place", "faith"}:
            return Unfit(f"{term.term!r} has no adjective")
        return Unfit(f"{term.term!r} is {_KINDS[term.pos]}, which fills no {slot.family} slot")
    grammar = get(slot.language)
    words = _words(slot, term, grammar)
    if isinstance(words, Unfit):
        return words
    written, noun = words
    if slot.kind == "article":
        if slot.family in {"country", "religion"} and not slot.part:
            article = grammar.split_article(term.term)[0]
        else:
            article = grammar.article(noun, definite=slot.form == "the")
        written = _moved(written, f"{article} {written.text}" if article else written.text)
    if slot.capital:
        written = replace(written, text=capitalise(written.text))
    # a function word of the template may change with what follows ("a " and "el hombre": "al hombre")
    return _moved(written, grammar.contract(slot.before, written.text)) if slot.before else written


def _moved(written: SlotText, text: str) -> SlotText:
    """The words with others in front of them."""
    if written.end <= written.start:
        return SlotText(text)
    longer = len(text) - len(written.text)
    return SlotText(text, written.start + longer, written.end + longer)


def entity(slot: Slot, term: IdentityTerm, written: SlotText) -> tuple[int, int, str] | None:
    """Which of the words written are an entity, and of what type; None where they are none."""
    start, end = written.start, written.end
    if start >= end or (slot.family == "identity" and term.pos not in {"place", "faith"}):
        return None
    if slot.family != "identity":
        return start, end, _TYPES.get((slot.family, slot.part), "MISC")
    grammar, words = get(slot.language), written.text[:end]
    name = grammar.split_article(term.term)[1]
    forms = {
        grammar.agree(term.adjective, Noun("", gender, several))
        for gender in grammar.genders
        for several in (True, False)
    }
    for form in sorted(forms - {""}, key=len, reverse=True):
        if form in words[start:]:
            start = words.index(form, start)
            return start, start + len(form), "MISC"
    start += _length_of(_AN_ARTICLE, words[start:])
    if words[start:].lower().startswith(term.adjective.lower()):
        return start, start + len(term.adjective), "MISC"
    position = words.find(name, start)
    if position >= 0:
        return position, position + len(name), "LOC" if term.pos == "place" else "MISC"
    return start + _length_of(_SMALL_WORDS, words[start:]), end, "MISC"


def _length_of(pattern: re.Pattern[str], words: str) -> int:
    match = pattern.match(words)
    return match.end() if match else 0


def write_list(slot: Slot, value: str) -> str:
    """The words of a value of a user's list in its slot."""
    grammar = get(slot.language)
    before = f"{grammar.article(grammar.noun(value), definite=slot.form == 'the')} " if slot.form else ""
    return grammar.contract(slot.before, capitalise(before + value) if slot.capital else before + value)


def _words(slot: Slot, term: IdentityTerm, grammar: Grammar) -> tuple[SlotText, Noun] | Unfit:
    """The words of a term in a slot without an article, and the noun that one would agree with."""
    pronouns = term.pronouns or (grammar.default_pronouns if slot.family == "identity" else "")
    if slot.kind in {"pronoun", "choice"}:
        if slot.of_phrase and term.pos != "noun":
            pronouns = grammar.default_pronouns
        choose = grammar.choose if slot.kind == "choice" else grammar.pronoun
        word = choose(pronouns, slot.form)
        if word is None or (slot.kind == "pronoun" and not word):
            return _no_gender(term)
        return SlotText(word), Noun(word)
    if slot.kind == "predicate":
        make = _short_predicate if slot.form in SHORT_FORMS else _predicate
        written = make(slot.form, term, grammar)
        return written if isinstance(written, Unfit) else (written, Noun(written.text))
    if slot.part == "adj":
        if term.pos not in {"adj", "place", "faith"}:
            return Unfit(f"{term.term!r} is not an adjective")
        adjective, noun = _adjective_of(term, grammar), grammar.noun("", pronouns)
        if not adjective:
            return Unfit(f"{term.term!r} has no adjective")
        return _whole(replace(noun, text=grammar.agree(adjective, noun)))
    if slot.family != "identity":
        return _whole(Noun(grammar.split_article(term.term)[1]))
    if slot.part == "np":
        return _whole(_noun_phrase(term, grammar))
    if slot.part == "pl":
        several = _plural_phrase(term, grammar)
        return several if isinstance(several, Unfit) else _whole(several)
    return _with_head(slot, term, grammar)


def _no_gender(term: IdentityTerm) -> Unfit:
    return Unfit(f"{term.term!r} has no grammatical gender")


def _whole(noun: Noun) -> tuple[SlotText, Noun]:
    return SlotText(noun.text, 0, len(noun.text)), noun


def _within(before: str, words: str) -> SlotText:
    return SlotText(before + words, len(before), len(before) + len(words))


def _adjective_of(term: IdentityTerm, grammar: Grammar) -> str:
    """The form of the term that agrees with a noun, in a language where adjectives agree; otherwise ""."""
    if term.pos == "adj":
        return term.adjective if grammar.genders and term.adjective else term.term
    return term.adjective


def _with_head(slot: Slot, term: IdentityTerm, grammar: Grammar) -> tuple[SlotText, Noun] | Unfit:
    """A noun of the template with the term: "deaf writer", "writer with epilepsy"."""
    if term.pos != "pp" and not _adjective_of(term, grammar):
        return Unfit(f"{term.term!r} is a noun without an adjective")
    head = grammar.head(slot.head, term.pronouns)
    if head is None:
        return _no_gender(term)
    modifier = term.term if term.pos == "pp" else grammar.agree(_adjective_of(term, grammar), head)
    if term.pos != "pp" and (reason := grammar.unfit_before(modifier, head.text)):
        return Unfit(reason)
    if not modifier and grammar.is_generic(head):
        return Unfit(f"{head.text!r} can mean people of all genders, not {term.term!r} alone")
    if not modifier and (grammar.head(slot.head, "") is not None or not ("|" in slot.head or slot.kind == "article")):
        return Unfit(f"{term.term!r} adds nothing to {slot.head!r}")
    text, start = grammar.join_modifier(head.text, modifier, phrase=term.pos == "pp")
    return SlotText(text, start, start + len(modifier or head.text)), replace(head, text=text)


def _noun_phrase(term: IdentityTerm, grammar: Grammar) -> Noun:
    if term.pos == "noun":
        return grammar.noun(term.term, term.pronouns)
    if term.pos in {"place", "faith"} and term.adjective and term.plural == grammar.plural(term.adjective):
        return grammar.noun(term.adjective, term.pronouns)  # a Mexican, a Sikh; but a Chinese person
    return _person_phrase(grammar.person, term, grammar)


def _plural_phrase(term: IdentityTerm, grammar: Grammar) -> Noun | Unfit:
    if term.plural == NO_PLURAL:
        return Unfit(f"{term.term!r} has no plural of its own")
    if term.pos == "noun":
        several = term.plural or grammar.plural(term.term)
        return replace(grammar.noun(term.term, term.pronouns), text=several, plural=True)
    return replace(grammar.people, text=term.plural) if term.plural else _person_phrase(grammar.people, term, grammar)


def _person_phrase(noun: Noun, term: IdentityTerm, grammar: Grammar) -> Noun:
    """ "deaf person", "people with epilepsy"."""
    modifier = term.term if term.pos == "pp" else grammar.agree(_adjective_of(term, grammar), noun)
    return replace(noun, text=grammar.join_modifier(noun.text, modifier, phrase=term.pos == "pp")[0])


def _short_predicate(form: str, term: IdentityTerm, grammar: Grammar) -> SlotText | Unfit:
    """The predicate on the word before it ("'m deaf"); one with another verb stands apart (" have epilepsy")."""
    written = _predicate(SHORT_FORMS[form], term, grammar)
    if isinstance(written, Unfit):
        return written
    copula = grammar.conjugate(grammar.copula, SHORT_FORMS[form])
    is_copula = written.text.startswith(f"{copula} ")
    return _moved(written, form + written.text.removeprefix(copula) if is_copula else f" {written.text}")


def _predicate(form: str, term: IdentityTerm, grammar: Grammar) -> SlotText | Unfit:
    if term.predicate:
        words = grammar.conjugate(term.predicate, form)
        verb, space, rest = words.partition(" ")
        return _within(verb + space, rest) if rest else _within("", verb)
    several, copula = form in _PLURAL_BE, grammar.conjugate(grammar.copula, form)
    if term.pos in {"adj", "place", "faith"}:
        adjective = _adjective_of(term, grammar)
        if term.pronouns or grammar.is_invariable(adjective):
            noun = replace(grammar.noun("", term.pronouns), plural=several)
            return _within(f"{copula} ", grammar.agree(adjective, noun))
    if several:
        people = _plural_phrase(term, grammar)
        return people if isinstance(people, Unfit) else _within(f"{copula} ", people.text)
    phrase = _noun_phrase(term, grammar)
    return _within(f"{copula} {grammar.article(phrase, definite=False)} ", phrase.text)
