"""Identity terms: the record, the list of an attribute, and what may be chosen from it."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from hashlib import sha256

from fairness_checklist.content.grammar.language import Grammar
from fairness_checklist.content.grammar.languages import DEFAULT, get
from fairness_checklist.core.delimited import check_characters
from fairness_checklist.core.did_you_mean import did_you_mean
from fairness_checklist.core.errors import TermError
from fairness_checklist.core.examples import RESERVED
from fairness_checklist.core.lexemes import lexemes
from fairness_checklist.core.option_defaults import SEED, nfc

POS = ("adj", "noun", "pp", "name", "place", "faith")
STATUS = ("preferred", "accepted", "dispreferred")
FLAGS = {
    "ambiguous": "the term has a second meaning that is common (Chad, Jordan)",
    "contested": "accepted by many whom it names, an insult in other mouths: used only when requested by name",
    "minor": "the term means a minor: it is in no hostile sentence",
    "reclaimed": "a word for oneself, an insult in other mouths: used only when requested by name, and in templates "
    "for toxicity of the kind self_description alone",
    "role": "a profession or kin within the group (trans nurse, aunt): it is in no sentence about the whole group",
    "thin": "the group has three to five words (lexemes) in common use",
    "variant": "a further spelling or form of a word of its group: used only when requested by name",
}
"""The values of the column ``flags`` and their meaning."""
_ONE_LINE = ("term", "group", "plural", "adjective", "predicate", "pronouns", "lemma", "concept", "also")


@dataclass(frozen=True)
class IdentityTerm:
    """One word or phrase that mentions a group, and what is needed to put it into a sentence.

    Attributes:
        term: as written ("deaf", "with epilepsy", "woman", "Anna", "the Gambia", "Islam"); all names are kept in NFC.
        group: the protected group.
        pos: adj, noun, pp, name, place or faith.
        status: preferred, accepted, or dispreferred (never used unless requested by name).
        plural: "women"; derived where empty; "-" for a term that is left out of plural slots.
        adjective: of a place, a faith or a noun: "French", "female".
        predicate: in the third person: "has epilepsy"; derived where empty.
        pronouns: she, he, they (default) or five forms.
        lemma: keeps spellings and inflections of one word together.
        concept: links terms that differ in nothing but the group.
        also: a second attribute to which the term belongs.
        flags: any of `FLAGS`, with a space between two ("ambiguous thin").
        source: who uses or recommends it.
        note: remarks for users; free text without effect.
        place: file and line, for errors.
        doubt: of a part of speech that was derived: "undecided", or the singular of which the term is the plural.

    >>> IdentityTerm("woman", "female", pos="noun", pronouns="she").status
    'accepted'
    """

    term: str
    group: str
    pos: str = "adj"
    status: str = "accepted"
    plural: str = ""
    adjective: str = ""
    predicate: str = ""
    pronouns: str = ""
    lemma: str = ""
    concept: str = ""
    also: str = ""
    flags: str = ""
    source: str = ""
    note: str = ""
    place: str = field(default="", compare=False)
    doubt: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        for name in (*_ONE_LINE, "source", "note"):
            if isinstance(value := getattr(self, name), str) and not value.isascii():
                object.__setattr__(self, name, nfc(value))

    def has_flag(self, flag: str) -> bool:
        """Whether one of `FLAGS` is set."""
        return flag in _split_flags(self.flags)

    @property
    def may_hurt(self) -> bool:
        """Whether the term is dispreferred, contested or reclaimed."""
        return self.status == "dispreferred" or self.has_flag("contested") or self.has_flag("reclaimed")

    @property
    def on_request(self) -> bool:
        """Whether the term is used only when requested by name: it may hurt, or is a variant of another."""
        return self.may_hurt or self.has_flag("variant")

    @property
    def families(self) -> frozenset[str]:
        """The kinds of slot that the term may fill: identity, person, country, religion."""
        family = {"name": "person", "place": "country", "faith": "religion"}.get(self.pos, "identity")
        return frozenset({family, "identity"} if self.adjective and self.pos in {"place", "faith"} else {family})


def lexemes_of(terms: Sequence[IdentityTerm]) -> tuple[str, ...]:
    """The lexeme of each term: its lemma, else as `core.lexemes.lexemes` derives it."""
    columns = zip(*((term.term, term.group, term.lemma, term.pos) for term in terms), strict=True)
    return tuple(lexemes(*columns)) if terms else ()


@dataclass(frozen=True)
class TermList:
    """The terms of one attribute in one language, by group, in the order in which they were declared."""

    attribute: str
    terms: tuple[IdentityTerm, ...]
    path: str = field(default="", compare=False)
    language: str = DEFAULT
    intersection: tuple[str, ...] = ()  # the two attributes of one
    available: tuple[tuple[str, int], ...] = field(default=(), compare=False)  # terms that each group was drawn from

    def __len__(self) -> int:
        return len(self.terms)

    @cached_property
    def groups(self) -> tuple[str, ...]:
        """The G groups in declared order."""
        return tuple(dict.fromkeys(term.group for term in self.terms))

    @property
    def base_attribute(self) -> str:
        """The attribute without the name of a term set: "gender.czarnowska2021" is about "gender"."""
        return self.attribute.partition(".")[0]

    @cached_property
    def families(self) -> frozenset[str]:
        """The kinds of slot that are under test: those that at least one term fills."""
        return frozenset().union(*(term.families for term in self.terms))

    def of_group(self, group: str) -> tuple[IdentityTerm, ...]:
        """The terms of one group, in order."""
        self._known([group], self.groups, "group")
        return tuple(term for term in self.terms if term.group == group)

    def select(
        self,
        groups: Collection[str] | None = None,
        terms: Collection[str] | None = None,
        include_terms: Collection[str] = (),
        max_terms: int | None = None,
        sample_seed: int = SEED,
        terms_per_lexeme: int | None = None,
    ) -> TermList:
        """The terms that a suite uses; those that are used on request stay out unless they are named.

        With ``terms_per_lexeme`` at most so many spellings and inflections of one word are drawn.
        """
        groups, terms = (None if chosen is None else list(map(nfc, chosen)) for chosen in (groups, terms))
        include_terms = list(map(nfc, include_terms))
        names = dict(zip(display_names(self.terms), self.terms, strict=True))
        self._known(groups or (), self.groups, "group")
        spellings = dict.fromkeys([*names, *(term.term for term in self.terms)])
        self._known([*(terms or ()), *include_terms], spellings, "term")
        of_groups = {name: term for name, term in names.items() if groups is None or term.group in groups}
        included = {term for name, term in of_groups.items() if name in include_terms or term.term in include_terms}
        kept = [
            term
            for name, term in of_groups.items()
            if term in included or (not term.on_request if terms is None else name in terms or term.term in terms)
        ]
        left = {term.group for term in kept}
        expected = () if groups is None and terms is not None and left else groups or self.groups
        for group in expected:
            if group not in left:
                raise TermError(
                    f"the group {group!r} is left without a term.",
                    place=self.attribute,
                    remedy="Its terms are dispreferred or not among those chosen: "
                    "name one in include_terms= or terms=, or leave the group out with groups=.",
                )
        available = tuple(Counter(term.group for term in kept).items())
        for most, lexeme in ((terms_per_lexeme, True), (max_terms, False)):
            if most is not None:
                open_to_draw = [term for term in kept if term not in included]
                drawn = {*sample(open_to_draw, most, sample_seed, lexeme=lexeme), *included}
                kept = [term for term in kept if term in drawn]
        return replace(self, terms=tuple(kept), available=available)

    def _known(self, wanted: Iterable[str], names: Collection[str], what: str) -> None:
        for name in wanted:
            if name not in names:
                listed = f"{what.capitalize()}s: {', '.join(names)}." if len(names) <= 20 else ""
                remedy = f"{listed}{did_you_mean(name, names)}".strip()
                raise TermError(f"the {what} {name!r} is not known.", place=self.attribute, remedy=remedy)


def sample(terms: Sequence[IdentityTerm], most: int, seed: int = SEED, *, lexeme: bool = False) -> list[IdentityTerm]:
    """At most so many terms of each group, at random: each lexeme once before any twice, statuses as in the group.

    With ``lexeme`` so many of each lexeme. Ambiguous terms and those without a plural come last, those of one concept
    together.
    """
    order = {id(term): sha256(f"{seed} {term.concept or term.term}".encode()).hexdigest() for term in terms}
    keys: dict[int, tuple[bool, int, float, str]] = {}
    drawn, total = Counter[tuple[str, str]](), Counter((term.group, term.status) for term in terms)
    of_term = {id(term): lexeme for term, lexeme in zip(terms, lexemes_of(terms), strict=True)}
    stated = Counter[tuple[str, str]]()
    for term in sorted(terms, key=lambda term: order[id(term)]):
        word, status = (term.group, of_term[id(term)]), (term.group, term.status)
        share = (stated[status] + 0.5) / total[status]
        keys[id(term)] = term.has_flag("ambiguous") or term.plural == "-", drawn[word], share, order[id(term)]
        drawn[word] += 1
        stated[status] += 1
    parts: dict[tuple[str, str], list[int]] = {}
    for term in sorted(terms, key=lambda term: keys[id(term)]):
        parts.setdefault((term.group, of_term[id(term)] if lexeme else ""), []).append(id(term))
    chosen = {key for part in parts.values() for key in part[:most]}
    return [term for term in terms if id(term) in chosen]


def display_names(terms: Sequence[IdentityTerm]) -> tuple[str, ...]:
    """A distinct name for each term: its spelling, with the part of speech where a spelling occurs twice."""
    count = Counter(term.term for term in terms)
    return tuple(term.term if count[term.term] == 1 else f"{term.term} ({term.pos})" for term in terms)


_UNDECIDED = "undecided"


def derive_pos(term: str, language: str = DEFAULT) -> tuple[str, str]:
    """The part of speech of a term that has none given, pp, noun or adj, and the doubt (see `IdentityTerm`)."""
    grammar = get(language)
    if grammar.starts_with_preposition(term):
        return "pp", ""
    kind, singular = grammar.part_of_speech(term)
    return kind or "adj", singular if kind else _UNDECIDED


def doubt_about(term: IdentityTerm) -> str:
    """What is not certain about the part of speech of a term, without a full stop; "" of most terms."""
    if term.doubt == _UNDECIDED:
        return f"the part of speech of {term.term!r} is not known: give it as adj or noun"
    return term.doubt and f"the noun {term.term!r} looks like a plural: give the singular, {term.doubt!r}"


def plain_spaces(text: str) -> str:
    """A text with spaces in place of no-break spaces."""
    return re.sub("[\u00a0\u2007\u202f]", " ", text)


def check_term(term: IdentityTerm, language: str = DEFAULT) -> IdentityTerm:
    """The same term, if it is well formed; a no-break space is a space."""
    spaced = {name: plain_spaces(cell) for name in _ONE_LINE if not (cell := getattr(term, name)).isascii()}
    term = replace(term, **spaced)
    _check_term(term, language)
    return term


@lru_cache(maxsize=65536)  # terms are read again for each suite; an error is raised again each time
def _check_term(term: IdentityTerm, language: str) -> None:
    for message, remedy in _problems(term, get(language)):
        raise TermError(message, place=term.place, remedy=remedy)


def _problems(term: IdentityTerm, grammar: Grammar) -> Iterator[tuple[str, str]]:
    """What is wrong with a term, and what to write instead; the first counts."""
    for what, value in (("term", term.term), ("group", term.group)):
        if not value.strip():
            yield f"the {what} is empty.", f"Fill the column {what}."
    for what in _ONE_LINE:
        cell = getattr(term, what)
        check_characters(what, cell, term.place, TermError)
        if "{" in cell or "}" in cell:
            yield f"the {what} {cell!r} holds a brace: slots are filled in templates only.", "Write the words alone."
    if not any(character.isalnum() or unicodedata.category(character) == "So" for character in term.term):
        remedy = "Write the words that mention the group, or remove the row."
        yield f"the term {term.term!r} holds no letter or digit.", remedy
    for flag in _split_flags(term.flags):
        if flag not in FLAGS:
            known = f"Known flags: {', '.join(FLAGS)}, with a space between two.{did_you_mean(flag, FLAGS)}"
            yield f"the flag {flag!r} of {term.term!r} is not known.", f"{known} Free text belongs in the column note."
    if term.group in RESERVED or term.group.startswith("group:"):
        remedy = f"Reserved: {', '.join(sorted(RESERVED))}, and names that start with 'group:'."
        yield f"the group {term.group!r} has a name that the result tables use.", remedy
    for what, value, values in (("pos", term.pos, POS), ("status", term.status, STATUS)):
        if value not in values:
            remedy = f"Known: {', '.join(values)}.{did_you_mean(value, values)}"
            yield f"the {what} {value!r} of {term.term!r} is not known.", remedy
    first, _space, rest = term.term.partition(" ")
    if term.pos in {"adj", "noun"} and rest and first.lower() in grammar.articles:
        remedy = f'Give the words alone, with the part of speech noun for a noun: "{rest}".'
        yield f"the term {term.term!r} starts with an article.", remedy
    if term.pos == "pp" and first.lower() in grammar.predicate_verbs:
        remedy = f'Give it in the column predicate, and as the term the phrase: "{grammar.with_} {rest}".'
        yield f"the term {term.term!r} is not a phrase that follows a noun: it starts with a verb.", remedy
    grammar.check_pronouns(term.pronouns, term.place)
    if term.predicate and not grammar.is_third_person(term.predicate):
        remedy = 'Write it as after a name: "' + '", "'.join(grammar.examples) + '".'
        yield f"the predicate {term.predicate!r} does not start with a verb in the third person.", remedy


@lru_cache(maxsize=1024)
def _split_flags(flags: str) -> tuple[str, ...]:
    return tuple(flag for flag in re.split(r"[\s,;|]+", flags.lower()) if flag)


def check_terms(terms: Iterable[IdentityTerm], language: str = DEFAULT) -> tuple[IdentityTerm, ...]:
    """The same terms, if each is well formed and none is in two groups or twice in one."""
    first: dict[str, IdentityTerm] = {}
    seen: dict[tuple[str, str], IdentityTerm] = {}
    for term in [check_term(entry, language) for entry in terms]:
        other = first.setdefault(term.term, term)
        where = f" ({other.place})" if other.place else ""
        if other.group != term.group:
            raise TermError(
                f"the term {term.term!r} of the group {term.group!r} is already in the group {other.group!r}{where}.",
                place=term.place,
                remedy="A term belongs to one group of an attribute: remove one of the two rows.",
            )
        twin = seen.setdefault((term.term, term.pos), term)
        if twin is not term:
            where = f" ({twin.place})" if twin.place else ""
            raise TermError(
                f"the term {term.term!r} appears twice in the group {term.group!r} as {term.pos}{where}.",
                place=term.place,
                remedy="Remove one of the two rows.",
            )
    return tuple(seen.values())
