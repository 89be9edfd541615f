"""A text that somebody wrote as a template: its mention of a person becomes a slot, or a reason says why not."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from fairness_checklist.content.slot_forms import Unfit
from fairness_checklist.content.term_files import attributes, load_terms
from fairness_checklist.content.term_forms import term_forms
from fairness_checklist.content.terms import IdentityTerm, TermList
from fairness_checklist.extensions.authoring.lint.patterns import is_frequent
from fairness_checklist.extensions.corpora.term_mentions import MentionFinder
from fairness_checklist.extensions.natural.usable_texts import cleaned, unusable
from fairness_checklist.extensions.rewriting.perturb.mentions import Mention, find_mentions
from fairness_checklist.extensions.rewriting.perturb.rewriting import Edit, agree_with_they, apply_edits
from fairness_checklist.extensions.rewriting.perturb.senses import pronouns_of, unsafe_reason
from fairness_checklist.extensions.rewriting.perturb.surfaces import (
    BE,
    PREPOSITIONS,
    TIMES,
    Index,
    TokenisedText,
    build_index,
    finite_forms,
    is_verb,
    may_follow_noun,
    person_singular,
    spelt_words,
    tokenize,
    word_lists,
    word_set,
)

__all__ = ["Carrier", "Reader", "identity_words"]

_SEEN = 100  # how often a word occurs in the list of the spelling checker
_LISTS = word_lists(Path(__file__).with_name("words.toml"))
_OF_ONE = word_set("a an the this that another every each one")
_OF_SEVERAL = word_set("these those two three four five six some the several")
_BEFORE_NOUN = _OF_ONE | _OF_SEVERAL | word_set("my our your his her their its")
_LOOSE = word_set("after before during since until at in on to for from about")
"""Prepositions after a mention that belong to the verb, or are found by the linter where they do not."""
_NOT = frozenset({"not", "n't", "never"})
_SLOTTED_BE = word_set("am is are was were be being")
_SHORT_BE = {"'s": "'s", "'m": "'m", "'re": "'re", "\u2019s": "'s", "\u2019m": "'m", "\u2019re": "'re"}
_PERSONS = word_set("people men women guys ladies")
_NOBODY = "it mentions no person and no group"
_ANYBODY = _PERSONS | word_set("person man woman guy lady")


@dataclass(frozen=True)
class Carrier:
    """A text with slots.

    Attributes:
        template: in the slot language.
        mention: what was replaced: "identity" (a term of the attribute), "person" (*neighbor*) or "name".
        words: the words of the text without those of the mention, in lower case.
    """

    template: str
    mention: str
    words: tuple[str, ...]


class Reader:
    """Reads texts as carriers of one attribute.

    Args:
        attribute: a shipped attribute, or the one of ``terms``.
        terms: its terms; by default the shipped ones.

    >>> reader = Reader("religion")
    >>> for text in ("my Muslim neighbor fixed the fence", "A nurse told us to wait here.", "Tea is good here."):
    ...     read = reader.read(text)
    ...     print(read.template if isinstance(read, Carrier) else read.reason)
    my {identity.neighbor} fixed the fence
    {A:identity.nurse} told us to wait here.
    it mentions no person and no group
    """

    def __init__(self, attribute: str, terms: TermList | None = None) -> None:
        own = load_terms(attribute) if terms is None else terms
        self._index: Index = build_index(own)
        self._of_names = all(term.pos == "name" for term in own.terms)
        self._first_names = _first_names()
        self._identities = _identities()

    def read(self, text: str, *, label: str = "", harmful: str = "") -> Carrier | Unfit:
        """A text as a template, or the reason why it is none.

        ``label``: the text's class, "" if it is not known; ``harmful``: the task's class that harms ("toxic").
        """
        text = cleaned(text)
        reason = unusable(text)
        if reason:
            return Unfit(reason)
        spelt = spelt_words(text)
        named = self._index.is_in(spelt)
        if not named and (self._of_names or not any(map(person_singular, spelt))):
            return Unfit("it mentions no name" if self._of_names else _NOBODY)
        mentions = find_mentions(text, self._index) if named else None  # without such a word there is no term
        if mentions and mentions.mentions and mentions.reason:
            return Unfit(mentions.reason)
        reading = mentions.reading if mentions else tokenize(text)
        taken: Sequence[tuple[int, int]]
        if mentions and mentions.of_term and not mentions.pronouns_only:
            written = [self._slot(reading, one) for one in mentions.of_term]
            kind = "name" if self._of_names else "identity"
        elif self._of_names:
            return Unfit("it mentions no name")
        else:
            written, kind = [_person(reading)], "person"
        slots = [one for one in written if not isinstance(one, Unfit)]
        if len(slots) < len(written):
            return next(one for one in written if isinstance(one, Unfit))
        taken = [slot.tokens for slot in slots]
        if len(slots) > 1:
            return Unfit("it mentions the group more than once")
        reason = self._other_people(reading, [*taken, *(slot.subject for slot in slots)]) or _label_may_change(
            reading, kind, slots[0], label, harmful
        )
        pronouns = _pronoun_slots(reading, taken, "person" if self._of_names else "identity")
        if reason or isinstance(pronouns, Unfit):
            return Unfit(reason) if reason else pronouns  # type: ignore[return-value]
        edits = [edit for slot in slots for edit in slot.edits] + list(pronouns)
        own = {at for first, last in taken for at in range(first, last)}
        rest = tuple(token.lower for at, token in enumerate(reading.tokens) if at not in own and token.is_word)
        return Carrier(_with_braces(reading.text, edits), kind, rest)

    def _slot(self, reading: TokenisedText, mention: Mention) -> _Slot | Unfit:
        if mention.form == "name":
            return _Slot((mention.first, mention.last), [Edit(mention.start, mention.end, "{person}")])
        if mention.form in {"place", "faith"}:
            return Unfit("it mentions a country or a faith, not a person")
        before, after = mention.first - 1, mention.last
        if mention.form == "predicate":
            return _predicate(reading, mention)
        if mention.form == "adjective":
            noun = reading.lower(after)
            if noun in _ANYBODY:
                return _noun_phrase(reading, mention.first, after + 1, several=noun in _PERSONS)
            if person_singular(noun) not in _LISTS["roles"]:
                return Unfit("another word stands between the term and a noun for a person")
            return _headed(reading, mention.first, after + 1, noun)
        if mention.form == "phrase":
            noun = reading.lower(before)
            if noun in _ANYBODY:
                return _noun_phrase(reading, before, after, several=noun in _PERSONS)
            return _headed(reading, before, after, noun)
        return _noun_phrase(reading, mention.first, after, several=mention.form == "plural")

    def _other_people(self, reading: TokenisedText, taken: Sequence[tuple[int, int]]) -> str:
        """Why another person or group in the text speaks against it, "" if there is none."""
        own = {at for first, last in taken for at in range(first, last)}
        rest = "".join(
            " | " if at in own else reading.text[token.start : reading.at(at + 1).start or token.end]
            for at, token in enumerate(reading.tokens)
        )
        if len(self._identities.find([rest])[0]):
            return "it mentions another group, too"
        for at, token in enumerate(reading.tokens):
            if at in own or not token.is_word:
                continue
            word = token.lower
            if token.capital and not token.first and word not in TIMES and not _is_i(word):
                return "it has a name or a word with a capital"
            if word in _LISTS["public_names"]:
                return "it has a name or a word with a capital"
            if word in self._first_names or word.removesuffix("'s") in self._first_names:
                return "it has a name or a word with a capital"
            if person_singular(word) and word not in {"people", "person"}:
                return "it mentions another person, too"
            if len(word) > 3 and word.isalpha() and not is_frequent(word, _SEEN):
                return "it has a word that no dictionary has, perhaps a name"
        return ""


@dataclass(frozen=True, eq=False)
class _Slot:
    """The tokens that a slot replaces, and the edits."""

    tokens: tuple[int, int]
    edits: list[Edit]
    subject: tuple[int, int] = (0, 0)  # of a predicate the noun for the same person


def _is_i(word: str) -> bool:
    return word == "i" or word.startswith("i'")


def _predicate(reading: TokenisedText, mention: Mention) -> _Slot | Unfit:
    copula = reading.at(mention.first - 1)
    word = copula.lower
    if word in _NOT or reading.lower(mention.first - 2) in _NOT or word.endswith("n't"):
        return Unfit("the identity is denied")
    if word in _SHORT_BE and reading.lower(mention.first - 2) in {"i", "he", "she", "you", "we", "they", "who"}:
        form = _SHORT_BE[word]
    elif word in _SLOTTED_BE and reading.lower(mention.first - 2) not in BE:
        form = word
    else:
        return Unfit("no plain form of be stands before the term")
    after = reading.lower(mention.last)
    if after in PREPOSITIONS or after in {"and", "or"}:
        return Unfit("a phrase goes on from the term")
    noun = mention.first - 2
    subject = (noun, noun + 1) if person_singular(reading.lower(noun)) in _LISTS["roles"] else (0, 0)
    return _Slot((mention.first - 1, mention.last), [Edit(copula.start, mention.end, f"{{{form}:identity}}")], subject)


def _noun_phrase(reading: TokenisedText, first: int, last: int, *, several: bool) -> _Slot | Unfit:
    """Tokens that name a person, as {identity_np} or {identity_pl}, with the article before them."""
    return _with_article(reading, first, last, "identity_pl" if several else "identity_np", several)


def _headed(reading: TokenisedText, first: int, last: int, noun: str) -> _Slot | Unfit:
    several = person_singular(noun) != noun
    return _with_article(reading, first, last, f"identity.{noun}", several)


def _with_article(reading: TokenisedText, first: int, last: int, slot: str, several: bool) -> _Slot | Unfit:
    before, after = reading.at(first - 1), reading.at(last)
    word = before.lower
    if after.is_word and not may_follow_noun(after.lower):
        return Unfit("a noun follows the mention")
    if after.lower in {"'s", "'", "-", "/"} or before.lower in {"-", "/"}:
        return Unfit("the mention is part of another word")
    if after.lower in {"else", "like", "i", "you", "we", "they", "he", "she", "to", "and", "or", "other"}:
        return Unfit("a phrase goes on from the term")
    if after.lower in PREPOSITIONS - _LOOSE:
        return Unfit("a phrase goes on from the term")
    start, end = reading.at(first).start, reading.at(last - 1).end
    if word in {"a", "an"}:
        article = "A" if before.capital else "a"
        return _Slot((first - 1, last), [Edit(before.start, end, f"{{{article}:{slot}}}")])
    determined = word in (_OF_SEVERAL if several else _OF_ONE)
    if word == "my" and "friend" in slot and not _goes_before(reading, first - 2):
        return Unfit("somebody is addressed")
    if "_".join(reading.lower(at) for at in range(first - 2, last)) in _LISTS["set_phrases"]:
        return Unfit("it is a set phrase")
    owned = word in _BEFORE_NOUN and word not in _OF_ONE | _OF_SEVERAL
    if owned and slot in {"identity_np", "identity_pl"}:
        return Unfit("it is somebody's own")
    bare = several and not (before.is_word and before.lower not in PREPOSITIONS and not is_verb(before.lower))
    if several and slot == "identity_pl" and not determined:
        return Unfit("it is about the group in general")
    if not (determined or owned or bare):
        return Unfit("a word stands before the mention that may not fit others")
    capital = bare and reading.at(first).first and reading.at(first).capital
    written = slot[0].upper() + slot[1:] if capital else slot
    return _Slot((first, last), [Edit(start, end, f"{{{written}}}")])


def _goes_before(reading: TokenisedText, at: int) -> bool:
    """Whether what stands before "my friend" shows that it is no address: nothing, a verb, a preposition, "and"."""
    word = reading.lower(at)
    return not word or word in PREPOSITIONS | {"and", "that", "because", "if", "when"} or bool(finite_forms(word))


def _person(reading: TokenisedText) -> _Slot | Unfit:
    """The one noun for a person in a text, as a slot with that noun."""
    found = [at for at, token in enumerate(reading.tokens) if person_singular(token.lower)]
    if not found:
        return Unfit(_NOBODY)
    if len(found) > 1:
        return Unfit("it mentions several persons")
    (at,) = found
    token, noun = reading.at(at), reading.lower(at)
    if token.capital and not token.first:
        return Unfit("it has a name or a word with a capital")
    after, before = reading.lower(reading.past_adverbs(at + 1)), reading.lower(at - 1)
    if noun in {"someone", "somebody", "person", "people"} and not (_is_past(after) or _is_past(before)):
        return Unfit("it is about people in general")
    if noun in {"someone", "somebody"}:
        if reading.lower(at + 1) in {"else", "'s", "who", "i", "you", "we"} or before in {"that", "like"}:
            return Unfit("a phrase goes on from the term")
        article = "A" if token.capital else "a"
        return _Slot((at, at + 1), [Edit(token.start, token.end, f"{{{article}:identity_np}}")])
    if noun in {"person", "people"}:
        if noun == "people" and reading.lower(at - 1) not in _OF_SEVERAL - {"the", "some"}:
            return Unfit("it is about people in general")
        return _noun_phrase(reading, at, at + 1, several=noun == "people")
    if noun in _ANYBODY and before in (_OF_SEVERAL if noun in _PERSONS else _OF_ONE):
        return _noun_phrase(reading, at, at + 1, several=noun in _PERSONS)
    if person_singular(noun) not in _LISTS["roles"]:
        return Unfit("its noun for a person does not fit every group")
    if person_singular(noun) != noun and reading.lower(at - 1) not in _BEFORE_NOUN:
        return Unfit("it is about people in general")
    return _headed(reading, at, at + 1, noun)


def _is_past(word: str) -> bool:
    return word in {"was", "were", "had", "has", "is"} or any(tense == "past" for _, tense in finite_forms(word))


def _label_may_change(reading: TokenisedText, kind: str, slot: _Slot, label: str, harmful: str) -> str:
    """Why the label may depend on who is mentioned, "" if it does not seem to."""
    if not label:
        return ""
    words = {token.lower for token in reading.tokens}
    insulted = bool(words & _LISTS["insults"])
    if kind == "identity" and label == harmful:
        return f"its label is {label}, which may be about the group"
    if label != harmful and insulted:
        return f"it has a word of abuse and is not {harmful}: with another group it might be"
    if kind == "person" and label == harmful and harmful == "toxic" and not insulted:
        return f"nothing but the person mentioned shows why it is {label}"
    return ""


def _pronoun_slots(reading: TokenisedText, taken: Sequence[tuple[int, int]], family: str) -> list[Edit] | Unfit:
    """The slots of the pronouns of the person mentioned."""
    pronouns = [one for one in pronouns_of(reading) if one.pronoun in {"she", "he"}]
    seen = {one.pronoun for one in pronouns}
    if not seen:
        return []
    if len(seen) > 1:
        return Unfit("it has both she and he, and one may refer to that person")
    (of,) = seen
    doubt = unsafe_reason(reading, taken, pronouns, of)
    if doubt:
        return Unfit(doubt)
    edits: list[Edit] = []
    for one in pronouns:
        token = reading.at(one.at)
        if not one.form or "'" in token.lower:
            return Unfit(f"{token.text!r} is ambiguous")
        if any(first <= one.at < last for first, last in taken):
            return Unfit("a pronoun is part of the mention")
        form = one.form[0].upper() + one.form[1:] if token.capital else one.form
        edits.append(Edit(token.start, token.start + len(one.word), f"{{{form}:{family}}}"))
        if one.form == "they":
            verbs = agree_with_they(reading, one.at)
            if isinstance(verbs, Unfit):
                return verbs
            for edit in verbs:
                old = reading.text[edit.start : edit.end]
                if old.startswith("'"):
                    return Unfit("a pronoun with 's is ambiguous")
                edits.append(Edit(edit.start, edit.end, f"{{{old}|{edit.text}:{family}}}"))
    return edits


def _with_braces(text: str, edits: Iterable[Edit]) -> str:
    return apply_edits(text, edits)[0]


@cache
def _first_names() -> frozenset[str]:
    """First names in small letters, but for those that are other words, too."""
    from fairness_checklist.extensions.rewriting.perturb.surfaces import LISTS

    lists = ("names", "names.asian_pacific", "names.gender_origin", "names.origin", "names.placebo")
    names = {term.term.casefold() for one in lists for term in load_terms(one).terms}
    return frozenset(names - LISTS["ambiguous_names"] - _LISTS["words_that_are_names"])


def identity_words() -> frozenset[str]:
    """The terms of one word of every shipped attribute, but names, in lower case."""
    terms = _identity_terms().items()
    return frozenset(name for name, term in terms if term.pos in {"adj", "noun"} and " " not in name)


@cache
def _identity_terms() -> dict[str, IdentityTerm]:
    return {
        term.term.casefold(): term
        for attribute in attributes()
        if "." not in attribute and attribute not in {"names", "placebo"}
        for term in load_terms(attribute).terms
        if term.pos in {"adj", "noun", "pp", "faith"}
    }


@cache
def _identities() -> MentionFinder:
    """Finds the terms of every shipped attribute, but names."""
    terms = _identity_terms()
    forms = {name.casefold(): more for name, more in term_forms(list(terms.values())).items() if more}
    return MentionFinder([*terms], senses=True, forms={name: more for name, more in forms.items() if name in terms})
