"""A text as tokens that know where they are: at the start of a sentence, in a quoted title, in capitals."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from fairness_checklist.content.grammar.english_forms import pronoun_set
from fairness_checklist.content.slot_forms import SlotText, Unfit, write
from fairness_checklist.content.slots import parse
from fairness_checklist.content.terms import IdentityTerm, TermList
from fairness_checklist.core.tagging import words
from fairness_checklist.extensions.rewriting.perturb.vocabulary import FUNCTION, word_set

_OPENING = frozenset("\"'\u201c\u2018([{*-\u2013\u2014")
_ENDING = frozenset(".!?:;\u2026\u2022|")
_ABBREVIATED = word_set("mr mrs ms dr prof st rev sgt jr sr vs etc e.g i.e")
_ADDRESS = re.compile(r"\S*(?:://|www\.|@\w|\w@|_|\.(?:com|org|net|html?|pdf|docx?|txt)\b|&\w+=)\S*|[#@]\w+")
_QUOTED = re.compile(
    "\"([^\"]{2,80})\"|\u201c([^\u201d]{2,80})\u201d|\u2018([^\u2019]{2,80})\u2019|(?<!\\w)'([^']{2,60})'(?!\\w)"
)


@dataclass(frozen=True)
class Token:
    """One word or mark of a text.

    Attributes:
        text: as written.
        start, end: in characters.
        first: it starts a sentence, quotes and brackets passed over.
        title: it is in a quoted title, or in an address, a file's name or a handle.
    """

    text: str
    start: int
    end: int
    first: bool = False
    title: bool = False

    @property
    def lower(self) -> str:
        """The word in small letters, with plain apostrophes."""
        return self.text.lower().replace("\u2019", "'")

    @property
    def capital(self) -> bool:
        """Whether it starts with a capital letter."""
        return self.text[:1].isupper()

    @property
    def is_word(self) -> bool:
        """Whether it is no mark."""
        return self.text[:1].isalnum()


_NOTHING = Token("", 0, 0)


@dataclass(frozen=True)
class Reading:
    """A text and its tokens.

    Attributes:
        text: as written.
        tokens: its words and marks.
        all_capitals: it is written in capitals, so that capitals carry no information.
    """

    text: str
    tokens: tuple[Token, ...]
    all_capitals: bool

    def at(self, position: int) -> Token:
        """The token at a position, an empty one beyond the ends."""
        return self.tokens[position] if 0 <= position < len(self.tokens) else _NOTHING

    def lower(self, position: int) -> str:
        """The word at a position in small letters, "" beyond the ends."""
        return self.at(position).lower

    def is_name_like(self, position: int) -> bool:
        """Whether a word has a capital that no sentence start explains; never in a text in capitals."""
        token = self.at(position)
        return token.capital and not self.all_capitals and (not token.first or token.lower not in FUNCTION)


def tokenize(text: str) -> Reading:
    """The tokens of a text.

    >>> [(token.text, token.first) for token in tokenize("I met Ana. She's here.").tokens if token.capital]
    [('I', True), ('Ana', False), ('She', True)]
    """
    titles = [found.span() for found in _QUOTED.finditer(text) if _is_title(next(filter(None, found.groups()), ""))]
    titles += [found.span() for found in _ADDRESS.finditer(text)]
    tokens: list[Token] = []
    starts = True
    for start, end in words(text):
        word = text[start:end]
        inside = any(left <= start < right for left, right in titles)
        tokens.append(Token(word, start, end, starts and word[:1].isalnum(), inside))
        if word in _ENDING:
            before = tokens[-2].lower if len(tokens) > 1 else ""
            starts = not (word == "." and before in _ABBREVIATED)
        elif word in _OPENING:
            starts = starts or word in '"\u201c'
        else:
            starts = False
        if "\n" in text[end : end + 2]:
            starts = True
    letters = [token.text for token in tokens if token.text.isalpha() and len(token.text) > 1]
    return Reading(text, tuple(tokens), len(letters) > 1 and all(word.isupper() for word in letters))


def _is_title(quoted: str) -> bool:
    """Whether quoted words are a title: few, each with a capital but small words, no mark at the end."""
    found = re.findall(r"[^\W_][\w'\u2019-]*", quoted)
    if not found or len(found) > 8 or quoted.rstrip()[-1:] in ",.!?":
        return False
    return all(word[:1].isupper() or word in FUNCTION or word.isdigit() for word in found) and found[0][:1].isupper()


Form = Literal["name", "place", "faith", "adjective", "predicate", "singular", "plural", "phrase", "pronoun"]
_DEMONYM = re.compile(r"(?:an|[^s]i|ist|im|[dlt]u|kh|ek|iot|ovak|zech|ai|ino|eno)$")
_NO_DEMONYM = frozenset({"New Zealand", "Vatican", "Central African", "Afghani"})
_ARTICLE = re.compile(r"the ", re.IGNORECASE)


@dataclass(frozen=True)
class Surface:
    """One way in which a term may be in a text.

    Attributes:
        words: in small letters.
        term: the term of this form.
        form: what it is there.
        capital: whether its first word is written with a capital.
    """

    words: tuple[str, ...]
    term: IdentityTerm
    form: Form
    capital: bool


@dataclass(frozen=True, eq=False)
class Index:
    """All forms of the terms of an attribute.

    Attributes:
        terms: the terms.
        by_word: the forms that start with a word, longest first.
        shared: forms that terms of different groups share ("Congolese"): they are ambiguous.
        subjects: the pronoun that stands for a group by itself: {"women": "she", "men": "he"}.
    """

    terms: TermList
    by_word: dict[str, tuple[Surface, ...]]
    shared: frozenset[tuple[str, ...]]
    subjects: dict[str, str] = field(default_factory=dict)


def build_index(terms: TermList) -> Index:
    """The index of a list of terms.

    >>> index = build_index(TermList("g", (IdentityTerm("woman", "women", pos="noun", pronouns="she"),)))
    >>> [(surface.words, surface.form) for surface in index.by_word["women"]], index.subjects
    ([(('women',), 'plural')], {'women': 'she'})
    """
    found: dict[str, list[Surface]] = {}
    owners: dict[tuple[str, ...], set[str]] = {}
    for term in terms.terms:
        for text, form in _forms(term):
            cut = tuple(text[start:end] for start, end in words(text))
            surface = Surface(tuple(word.lower() for word in cut), term, form, cut[0][:1].isupper())
            found.setdefault(surface.words[0], []).append(surface)
            owners.setdefault(surface.words, set()).add(term.term if term.pos == "place" else term.group)
    ordered = {
        word: tuple(sorted(surfaces, key=lambda surface: -len(surface.words))) for word, surfaces in found.items()
    }
    shared = frozenset(spelling for spelling, whose in owners.items() if len(whose) > 1)
    return Index(terms, ordered, shared, _subjects(terms))


def _forms(term: IdentityTerm) -> list[tuple[str, Form]]:
    """The spellings of a term and what they are."""
    if term.pos == "name":
        return [(term.term, "name")]
    if term.pos == "pp":
        return [(term.term, "phrase")]
    forms: list[tuple[str, Form]] = []
    if term.pos in {"place", "faith"}:
        forms.append((_ARTICLE.sub("", term.term, count=1), "place" if term.pos == "place" else "faith"))
    if term.pos == "noun":
        forms += [(term.term, "singular"), (spell_form(term, "plural"), "plural")]
    adjective = term.term if term.pos == "adj" else term.adjective
    if adjective:
        forms.append((adjective, "adjective"))
    one = demonym(term)
    if one:
        forms += [(one, "singular"), (f"{one}s", "plural")]
    return forms


def demonym(term: IdentityTerm) -> str:
    """The noun with the spelling of an adjective of a place or religion: "Canadian", but not "French"; "" without one.

    >>> demonym(IdentityTerm("Canada", "north", pos="place", adjective="Canadian"))
    'Canadian'
    >>> demonym(IdentityTerm("France", "west", pos="place", adjective="French"))
    ''
    """
    word = term.adjective
    if term.pos not in {"place", "faith"} or word in _NO_DEMONYM or " " in word:
        return ""
    return word if _DEMONYM.search(word) or word in {"Czech", "Sikh", "Thai"} else ""


def slot_text(term: IdentityTerm, slot: str) -> SlotText | Unfit:
    """The words of a term in a slot."""
    return write(parse("{" + slot + "}")[0], term)  # type: ignore[arg-type]  # a slot alone parses to a slot


def spell_form(term: IdentityTerm, form: Literal["singular", "plural", "adjective"]) -> str:
    """A form of a term, "" where it has none.

    >>> spell_form(IdentityTerm("deaf", "deaf"), "plural")
    'deaf people'
    """
    one = demonym(term) if form != "adjective" else ""
    if one:
        return one if form == "singular" else f"{one}s"
    slot = {"singular": "identity_np", "plural": "identity_pl", "adjective": "identity_adj"}[form]
    found = slot_text(term, slot)
    return "" if isinstance(found, Unfit) else found.text


def _subjects(terms: TermList) -> dict[str, str]:
    """The groups that she or he alone stands for: most terms have that pronoun, and none has another."""
    return {group: answer for group in terms.groups if (answer := _subject(terms.of_group(group)))}


def _subject(terms: Sequence[IdentityTerm]) -> str:
    answer = {pronoun_set(term.pronouns)[0] for term in terms if term.pronouns}
    gendered = sum(bool(term.pronouns) for term in terms)
    if len(answer) != 1 or 2 * gendered < len(terms) or any(term.pos == "name" for term in terms):
        return ""
    (one,) = answer
    return one if one in {"she", "he"} else ""
