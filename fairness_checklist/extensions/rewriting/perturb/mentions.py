"""Which words of a text mention an identity: each form of each term, kept where the words around it are safe."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from fairness_checklist.content.terms import IdentityTerm
from fairness_checklist.extensions.rewriting.perturb.pronouns import (
    ONE_SEX,
    Pronoun,
    pronouns_of,
    title_possessives,
    unsafe_reason,
)
from fairness_checklist.extensions.rewriting.perturb.senses import head_of, idioms, is_name, is_place, subject_is_person
from fairness_checklist.extensions.rewriting.perturb.surfaces import Form, Index, Reading, Surface, tokenize
from fairness_checklist.extensions.rewriting.perturb.vocabulary import (
    BE,
    DETERMINERS,
    FUNCTION,
    KIN,
    POSSESSIVES,
    is_adverb,
    is_person,
    may_follow_noun,
    word_set,
)

_COMPOUNDS = word_set("""
    best hit family garbage delivery con mail straw bag ring wing bogey medicine stunt cleaning dinner tea lunch cat
    right-hand common middle front point anchor iron spider bat super sand snow stick altar ball cow cover call it
    poster golden birthday flower home paper page choir pin-up whipping first dragon bird bearded leading
    """)
_ENDS_PREDICATE = word_set("""
    and but or because since so too now though although while when if as who which that herself himself myself like than
    """)
_NUMBERS = word_set("two three four five six seven eight nine ten several many both few most")
_ONE = frozenset({"a", "an", "this", "that", "every", "each", "another", "one", "no"})
_AS = frozenset({"identify", "identifies", "identified", "identifying"})


@dataclass(frozen=True)
class Mention:
    """Where a text mentions an identity, and how.

    Attributes:
        start, end: in characters; articles stay outside.
        first, last: the tokens, the last not included.
        term: the term; for a pronoun alone, a term with the pronoun as its name.
        form: name, place, faith, adjective, predicate (an adjective after *be*), singular, plural, phrase ("with
            epilepsy") or pronoun.
        capital: it is written in capitals throughout.
    """

    start: int
    end: int
    first: int
    last: int
    term: IdentityTerm
    form: Form
    capital: bool = False

    @property
    def group(self) -> str:
        """The group that is mentioned."""
        return self.term.group


def find_terms(reading: Reading, index: Index) -> tuple[list[Mention], list[IdentityTerm]]:
    """The mentions of terms in a text, pronouns separately, and the terms that occur in it without being a mention.

    >>> from fairness_checklist.content.terms import TermList
    >>> from fairness_checklist.extensions.rewriting.perturb.surfaces import build_index
    >>> from fairness_checklist.extensions.rewriting.perturb.surfaces import tokenize
    >>> index = build_index(TermList("race", (IdentityTerm("Black", "Black people"),)))
    >>> mentions, left = find_terms(tokenize("A Black writer saw a Black Friday sale."), index)
    >>> [found.form for found in mentions], [term.term for term in left]
    (['adjective'], ['Black'])
    """
    phrases = idioms(reading.text)
    found: list[Mention] = []
    left: list[IdentityTerm] = []
    at = 0
    while at < len(reading.tokens):
        fitting = _longest_forms(reading, at, index)
        mention = next(_mentions_at(reading, at, fitting, index), None)
        if mention is None or reading.at(at).title or any(a < mention.end and mention.start < b for a, b in phrases):
            left += [one.term for one in fitting if reading.at(at).capital or not one.capital]
        else:
            found.append(mention)
        at += len(fitting[0].words) if fitting else 1  # past the longest form: "trans woman" holds no "woman"
    return found, left


def _longest_forms(reading: Reading, at: int, index: Index) -> list[Surface]:
    """The longest forms that are here."""
    here = tuple(token.lower for token in reading.tokens[at : at + 8])
    fitting = [one for one in index.by_word.get(reading.lower(at), ()) if here[: len(one.words)] == one.words]
    return [one for one in fitting if len(one.words) == len(fitting[0].words)]


def _mentions_at(reading: Reading, at: int, fitting: Sequence[Surface], index: Index) -> Iterator[Mention]:
    for surface in fitting:
        if surface.words in index.shared:
            continue
        last = at + len(surface.words)
        form = _form_at(reading, at, last, surface, index)
        if form is not None:
            start, end = reading.at(at).start, reading.at(last - 1).end
            written = reading.text[start:end]
            shouted = reading.all_capitals and written.isupper() and len(written) > 1
            yield Mention(start, end, at, last, surface.term, form, shouted)


def _form_at(reading: Reading, at: int, last: int, surface: Surface, index: Index) -> Form | None:
    """The mention of a term at this place, or None if the word has another sense or is ambiguous."""
    if surface.form == "name":
        return "name" if is_name(reading, at, last) else None
    if surface.form in {"place", "faith"}:
        return surface.form if is_place(reading, at, last, surface) else None
    if surface.form == "adjective":
        return _adjective_at(reading, at, last, surface, index)
    if surface.form == "phrase":
        return "phrase" if is_person(reading.lower(at - 1)) or reading.lower(at - 1) == "those" else None
    capital_inside = reading.is_name_like(at) and not surface.capital and not reading.at(at).first
    if capital_inside or (reading.is_name_like(at - 1) and not reading.at(at - 1).first):
        return None
    if reading.is_name_like(last) and reading.at(last).is_word:
        return None
    if surface.form == "plural":
        return "plural" if _is_plural(reading, at, last, surface) else None
    return "singular" if _is_singular(reading, at, last, surface) else None


def _adjective_at(reading: Reading, at: int, last: int, surface: Surface, index: Index) -> Form | None:
    token = reading.at(at)
    country = surface.term.pos == "place"
    if country and not token.capital:
        return None
    if not surface.capital and token.capital and not token.first and not reading.all_capitals and at != 0:
        return None
    before = reading.at(at - 1)
    if before.is_word and reading.is_name_like(at - 1) and not before.first:
        return None
    if before.lower in {"and", "or", ",", "/", "&"} and _is_listed(reading, at - 2, index):
        return None  # "gay and lesbian parents": the terms refer to different people
    if before.lower in {"year", "years", "month", "months", "week", "weeks"}:
        return None
    if surface.words[-1].endswith("ing") and before.lower not in DETERMINERS:
        return None  # a hearing person, but: tired of hearing people say so
    if head_of(reading, last, surface.words[-1], things=country) >= 0:
        return "adjective"
    return "predicate" if _is_predicate(reading, at, last, country) else None


def _is_listed(reading: Reading, at: int, index: Index) -> bool:
    """Whether a word is an adjective of the same attribute, in a list such as "black, white and Asian"."""
    at = at - 1 if reading.lower(at) == "," else at
    return any(one.form == "adjective" and len(one.words) == 1 for one in index.by_word.get(reading.lower(at), ()))


def _is_predicate(reading: Reading, at: int, last: int, country: bool) -> bool:
    following = reading.at(last)
    if following.is_word and following.lower not in _ENDS_PREDICATE:
        return False
    if following.lower == "and" and reading.at(last + 1).is_word and reading.lower(last + 1) not in FUNCTION:
        return False
    copula = at - 1
    while is_adverb(reading.lower(copula)) or reading.lower(copula) in {"not", "also", "still", "both", "n't", "now"}:
        copula -= 1
    if reading.lower(copula) == "as":
        return reading.lower(copula - 1) in _AS
    if reading.lower(copula) not in BE:
        return False
    if reading.lower(copula) in {"been", "be", "being"}:
        copula -= 1
    if reading.lower(copula) in {"has", "have", "had", "will", "may", "might", "could", "would", "must", "should"}:
        return subject_is_person(reading, copula, things=country)
    return subject_is_person(reading, copula, things=country)


def _is_plural(reading: Reading, at: int, last: int, surface: Surface) -> bool:
    """Of one word: no possessive ("women's room"), no address ("you guys"), no part of a compound."""
    if surface.words == ("guys",) or reading.lower(at - 1) in {"you", "hey", "hi", "we"}:
        return False
    if surface.capital and not reading.at(at).capital:
        return False
    after = reading.at(last)
    if after.lower == "'s" or (after.lower == "'" and after.start == reading.at(last - 1).end):
        return False
    if reading.lower(at - 1) in _COMPOUNDS:
        return False
    return not after.is_word or may_follow_noun(after.lower)


def _is_singular(reading: Reading, at: int, last: int, surface: Surface) -> bool:
    """With a determiner before it, and no word after it that forms a compound."""
    if surface.capital and not reading.at(at).capital:
        return False
    after = reading.at(last)
    own = len(surface.words) == 1
    compound = after.is_word and after.lower != "'s" and not may_follow_noun(after.lower)
    if compound and not _is_verb_of_one(reading, at, after.lower):
        return False
    if own and (reading.lower(at - 1) in _COMPOUNDS or reading.lower(at - 1) == "to"):
        return False
    for back in range(at - 1, max(at - 5, -1), -1):
        token = reading.at(back)
        if token.lower in DETERMINERS:
            if token.lower in _NUMBERS or (token.lower == "'s" and reading.lower(back - 1) in FUNCTION):
                return False  # a two man tent; where's man
            private = own and not surface.capital and token.lower in POSSESSIVES
            language = surface.capital and token.lower in POSSESSIVES  # my Russian is weak
            return not language and (not private or surface.words[0] in KIN)
        if not token.is_word or token.lower in FUNCTION or reading.is_name_like(back):
            return False
    return False


def _is_verb_of_one(reading: Reading, at: int, word: str) -> bool:
    """Whether a word in -s after a noun is its verb: "a boy sings", "my mother cooks", not "the girl scouts"."""
    before = reading.lower(at - 1)
    alone = before in _ONE or (before in POSSESSIVES and reading.lower(at) in KIN)
    return alone and word.endswith("s") and not word.endswith(("ss", "us")) and not is_person(word)


def several_mentions(mentions: list[Mention]) -> str:
    """The reason why the mentions of a text are not of one person or group, or ""."""
    names = tuple(dict.fromkeys(mention.term.term for mention in mentions))
    groups = tuple(dict.fromkeys(mention.group for mention in mentions))
    if len(groups) > 1:
        return f"it mentions several groups: {', '.join(groups)}"
    return f"it has several terms of the group {groups[0]!r}" if len(names) > 1 else ""


NO_MENTION = "it mentions no term unambiguously"
_ONE_SEX = "a word in it implies one sex"
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
    """The mentions of a text.

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
    def of_term(self) -> tuple[Mention, ...]:
        """The mentions that name the term; the pronouns where nothing else does."""
        return tuple(one for one in self.mentions if self.pronouns_only or one.form != "pronoun")

    @property
    def term(self) -> IdentityTerm:
        """The term that is mentioned; only where there is no reason against the text."""
        return self.mentions[0].term if self.pronouns_only else self.of_term[0].term


def find_mentions(text: str, index: Index) -> Mentions:
    """The mentions of an attribute's terms in a text.

    A text is a source where it mentions one term, and where a pronoun alone does if a group is called by it.

    >>> from fairness_checklist.content.terms import TermList
    >>> from fairness_checklist.extensions.rewriting.perturb.surfaces import build_index
    >>> index = build_index(TermList("g", (IdentityTerm("woman", "women", pos="noun", pronouns="she"),)))
    >>> found = find_mentions("The woman lost her keys.", index)
    >>> [(found.reading.text[one.start : one.end], one.form) for one in found.mentions]
    [('woman', 'singular'), ('her', 'pronoun')]
    >>> find_mentions("My mother tongue.", index).reason
    'it mentions no term unambiguously'
    """
    reading = tokenize(text)
    terms, left = find_terms(reading, index)
    answer = tuple(pronouns_of(reading))
    if not terms:
        return _pronouns_only(reading, answer, index)
    reason = several_mentions(terms) or _repeated_term(terms[0].term, left)
    own = terms[0].term.pronouns
    bound: list[Mention] = []
    if own and not reason and any(one.form != "plural" for one in terms):
        own = own.partition("/")[0]
        same = [one for one in answer if one.pronoun == own] if own in {"she", "he"} else []
        doubt = unsafe_reason(reading, [(one.first, one.last) for one in terms], same, own) if same else ""
        bound = [] if doubt else [_mention(reading, one, terms[0].term) for one in same if one.form]
        reason = reason or (_ONE_SEX if _SEXED.search(text) else "")
    ordered = tuple(sorted([*terms, *bound], key=lambda one: one.start))
    return Mentions(reading, ordered, answer, reason=reason)


def _repeated_term(term: IdentityTerm, left: list[IdentityTerm]) -> str:
    """The reason to skip a text in which a name, country or noun is repeated and cannot be replaced there."""
    return "its term occurs twice, once in an ambiguous context" if term.pos != "adj" and term in left else ""


def _pronouns_only(reading: Reading, answer: tuple[Pronoun, ...], index: Index) -> Mentions:
    """A text with nothing but pronouns: it mentions the group that is called so."""
    seen = tuple(dict.fromkeys(one.pronoun for one in answer if one.pronoun in {"she", "he"}))
    groups = [group for group, word in index.subjects.items() if seen == (word,)]
    if not seen and title_possessives(reading):
        return Mentions(reading, (), answer, reason=ONE_SEX)
    if not seen or not index.subjects:
        return Mentions(reading, (), answer, reason=NO_MENTION)
    if len(seen) > 1:
        return Mentions(reading, (), answer, reason="it has both she and he")
    if len(groups) != 1:
        return Mentions(reading, (), answer, reason=NO_MENTION)
    same = [one for one in answer if one.pronoun == seen[0]]
    unsure = next((one for one in same if not one.form), None)
    if unsure is not None:
        return Mentions(reading, (), answer, reason=f"{reading.at(unsure.at).text!r} is ambiguous")
    doubt = unsafe_reason(reading, [], same, seen[0])
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
