"""A text as tokens that know where they are, the forms of terms in it, and word lists for reading the context."""

import csv
import re
import tomllib
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Literal, NamedTuple

from fairness_checklist.content.grammar.english_articles import pronoun_set
from fairness_checklist.content.slot_forms import SlotText, Unfit, write
from fairness_checklist.content.slots import parse
from fairness_checklist.content.terms import IdentityTerm, TermList
from fairness_checklist.core.formatting import capitalise
from fairness_checklist.core.tagging import words


def word_set(text: str) -> frozenset[str]:
    return frozenset(text.split())


def word_lists(path: Path, table: str = "lists") -> dict[str, frozenset[str]]:
    """The word lists of a table of a TOML file by name."""
    return {name: word_set(words) for name, words in tomllib.loads(path.read_text(encoding="utf-8"))[table].items()}


_FILE = Path(__file__).with_name("words.toml")
_TABLES: dict[str, dict[str, frozenset[str]]] = {}
for _table, _name, _words in csv.reader(_FILE.with_suffix(".csv").read_text("utf-8").splitlines()):
    _TABLES.setdefault(_table, {})[_name] = word_set(_words)
LISTS, OTHER_SENSES = _TABLES["lists"], _TABLES["other_senses"]
CONTEXT = _TABLES["context"]  # by attribute, "" for all: what may hold for one group only, beside a mention
PATTERNS = {name: re.compile(pattern) for name, pattern in tomllib.loads(_FILE.read_text("utf-8"))["patterns"].items()}
POSSESSIVES = word_set("my your his her its our their whose")
DETERMINERS = POSSESSIVES | LISTS["determiners"]
PREPOSITIONS = LISTS["prepositions"]
BE = word_set("am is are was were be been being isn't aren't wasn't weren't 's 're 'm")
AUXILIARIES = BE | LISTS["auxiliaries"]
FUNCTION = DETERMINERS | PREPOSITIONS | AUXILIARIES | LISTS["pronouns"] | LISTS["conjunctions"]
TIMES = LISTS["times"]
NO_NAMES = FUNCTION | TIMES  # with a capital too
TITLES = LISTS["titles"]
COMMUNITIES = LISTS["communities"]  # groups of persons ("family")
THINGS = LISTS["things"]  # what countries have ("embassy", "wine")
MODIFIERS = LISTS["modifiers"]  # between an identity and a noun for persons ("a deaf college student")
KIN = LISTS["kin"]
GENDERED = {"she": LISTS["gendered_she"], "he": LISTS["gendered_he"]}
ADVERBS = LISTS["adverbs"]
_PLURAL_PERSONS = {"children": "child", "men": "man", "women": "woman", "people": "person", "gentlemen": "gentleman"}
_LY_NOUNS = word_set("family fly reply supply belly jelly lily ally assembly bully")


def is_adverb(word: str) -> bool:
    """Whether a word is an adverb by its ending."""
    return word.endswith("ly") and len(word) > 3 and word not in _LY_NOUNS


@lru_cache(maxsize=2**16)
def person_singular(word: str) -> str:
    """The singular of a noun for persons, "" where it is none that we know."""
    if word in LISTS["persons"] or word in _PLURAL_PERSONS:
        return _PLURAL_PERSONS.get(word, word)
    for ending, instead in (("ies", "y"), ("es", ""), ("s", "")):
        stem = word[: -len(ending)] + instead
        if word.endswith(ending) and stem in LISTS["persons"]:
            return stem
    stem = word.removesuffix("s")
    if re.fullmatch(r"[a-z]{3,}(?:ist|ician|woman|person|ologist)", stem) and stem not in LISTS["not_ist"]:
        return stem
    return ""


def is_person(word: str) -> bool:
    """Whether a word is a noun for persons, singular or plural."""
    return person_singular(word) != ""


def is_verb(word: str) -> bool:
    """Whether a word is a finite verb that we know, or ends like a past form."""
    return word in LISTS["verbs"] or (word.endswith("ed") and len(word) > 4)


def may_follow_noun(word: str) -> bool:
    """Whether a word does not make the noun before it a part of a compound ("woman smiled", not "mother tongue")."""
    return not word[:1].isalnum() or word in FUNCTION or is_verb(word) or is_adverb(word) or word.endswith("ing")


_ADJECTIVE = re.compile(r".+(?:[^aeiou]ed|ful|ous|able|ible|ive|less|ish|ant|ent|ic|ing|est|[^s]s)|[a-z]+-[a-z]+")


def may_describe(word: str, *, noun: bool = False) -> bool:
    """Whether a word before a mention is none that forms a compound with it ("mail man", "drug addict"), or a mark."""
    known = word in FUNCTION or word in MODIFIERS or is_verb(word)
    described = known or (_ADJECTIVE.fullmatch(word) and not (noun and word.endswith("s") and not word.endswith("ous")))
    return not word[:1].isalnum() or bool(described)


_OPENING = frozenset("\"'\u201c\u2018([{*-\u2013\u2014")
_ENDING = frozenset(".!?:;\u2026\u2022|")
_ABBREVIATED = word_set("mr mrs ms dr prof st rev sgt jr sr vs etc e.g i.e")
_IN_ADDRESS = r"(?:://|(?<!\w)[ru]/|www\.|@\w|\w@|_|\.(?:com|org|net|html?|pdf|docx?|txt)\b|&\w+=)"
_ADDRESS, _MAY_BE_ADDRESS = re.compile(rf"\S*{_IN_ADDRESS}\S*|[#@]\w+"), re.compile(rf"{_IN_ADDRESS}|[#@]")
_QUOTED = re.compile(
    "\"([^\"]{2,80})\"|\u201c([^\u201d]{2,80})\u201d|\u2018([^\u2019]{2,80})\u2019|(?<!\\w)'([^']{2,60})'(?!\\w)"
)


class Token(NamedTuple):
    """One word or mark of a text, from ``start`` to ``end`` in characters."""

    text: str
    lower: str  # in small letters, with plain apostrophes
    start: int
    end: int
    first: bool = False  # it starts a sentence, quotes and brackets passed over
    title: bool = False  # it is in a quoted title, or in an address, a file's name or a handle

    @property
    def capital(self) -> bool:
        """Whether it starts with a capital letter."""
        return self.text[:1].isupper()

    @property
    def is_word(self) -> bool:
        """Whether it is no mark."""
        return self.text[:1].isalnum()


_NOTHING = Token("", "", 0, 0)


@dataclass(frozen=True)
class TokenisedText:
    """A text and its tokens, or those of a sentence of it; with ``all_capitals`` capitals carry no information."""

    text: str
    tokens: tuple[Token, ...]
    all_capitals: bool

    @cached_property
    def all_small(self) -> bool:
        """Whether no letter is a capital."""
        return self.text.islower()

    def at(self, place: int) -> Token:
        """The token at a position, an empty one beyond the ends."""
        return self.tokens[place] if 0 <= place < len(self.tokens) else _NOTHING

    def lower(self, place: int) -> str:
        """The word at a position in small letters, "" beyond the ends."""
        return self.at(place).lower

    def past_adverbs(self, place: int, also: frozenset[str] = ADVERBS, step: int = 1) -> int:
        """The first position from ``place``, upwards or downwards, with no adverb in -ly and no word of ``also``."""
        while is_adverb(self.lower(place)) or self.lower(place) in also:
            place += step
        return place

    def spelled(self, words: str, capital: bool = False) -> str:
        """The words in capitals where the text is, or with a first capital."""
        if self.all_small:
            return words.lower()
        return words.upper() if self.all_capitals else capitalise(words) if capital else words

    def is_name_like(self, place: int) -> bool:
        """Whether a word has a capital that no sentence start explains; never in a text in capitals."""
        token = self.at(place)
        return token.capital and not self.all_capitals and (not token.first or token.lower not in FUNCTION)


def tokenize(text: str) -> TokenisedText:
    titles = [match.span() for match in _QUOTED.finditer(text) if _is_title(next(filter(None, match.groups()), ""))]
    titles += [match.span() for match in (_ADDRESS.finditer(text) if _MAY_BE_ADDRESS.search(text) else ())]
    tokens: list[Token] = []
    starts = True
    for start, end in words(text):
        word = text[start:end]
        inside = bool(titles) and any(left <= start < right for left, right in titles)
        small = word.lower().replace("\u2019", "'")
        tokens.append(Token(word, small, start, end, starts and word[:1].isalnum(), inside))
        if word in _ENDING:
            before = tokens[-2].lower if len(tokens) > 1 else ""
            starts = not (word == "." and before in _ABBREVIATED)
        else:
            starts = word in _OPENING and (starts or word in '"\u201c')
        starts = starts or "\n" in text[end : end + 2]
    letters = [token.text for token in tokens if token.text.isalpha() and len(token.text) > 1]
    return TokenisedText(text, tuple(tokens), len(letters) > 1 and all(word.isupper() for word in letters))


def _is_title(quoted: str) -> bool:
    """Whether quoted words are a title: few, each with a capital but small words, no mark at the end."""
    parts = re.findall(r"[^\W_][\w'\u2019-]*", quoted)
    if not 0 < len(parts) <= 8 or quoted.rstrip()[-1:] in ",.!?" or not parts[0][:1].isupper():
        return False
    return all(word[:1].isupper() or word in FUNCTION or word.isdigit() for word in parts)


Form = Literal["name", "place", "faith", "adjective", "predicate", "singular", "plural", "phrase", "pronoun"]
_DEMONYM = re.compile(r"(?:an|[^s]i|ist|im|[dlt]u|kh|ek|iot|ovak|zech|ai|ino|eno)$")
_NO_DEMONYM = frozenset({"New Zealand", "Vatican", "Central African", "Afghani", "I-Kiribati"})
_ARTICLE = re.compile(r"the ", re.IGNORECASE)


@dataclass(frozen=True)
class Surface:
    """One way in which a term may be in a text: its words in small letters, and whether they have a capital."""

    words: tuple[str, ...]
    term: IdentityTerm
    form: Form
    capital: bool


@dataclass(frozen=True, eq=False)
class Index:
    """All forms of the terms of an attribute."""

    terms: TermList  # the terms
    by_word: dict[str, tuple[Surface, ...]]  # the forms that start with a word, longest first
    shared: frozenset[tuple[str, ...]]  # forms that terms of different groups share ("Congolese"): they are ambiguous
    # she or he where it stands for a group by itself: most of its terms have that pronoun, and none has another
    subjects: dict[str, str]


def build_index(terms: TermList) -> Index:
    by_word: dict[str, list[Surface]] = {}
    owners: dict[tuple[str, ...], set[str]] = {}
    for term in terms.terms:
        for text, form in ((text, form) for text, form in _forms(term) if text):
            cut = tuple(text[start:end] for start, end in words(text))
            surface = Surface(tuple(word.lower() for word in cut), term, form, cut[0][:1].isupper())
            by_word.setdefault(surface.words[0], []).append(surface)
            owners.setdefault(surface.words, set()).add(term.term if term.pos == "place" else term.group)
    ordered = {word: tuple(sorted(several, key=lambda form: -len(form.words))) for word, several in by_word.items()}
    shared = frozenset(spelling for spelling, whose in owners.items() if len(whose) > 1)
    subjects = {}
    for group in terms.groups:
        members = terms.of_group(group)
        called = [pronoun_set(term.pronouns)[0] for term in members if term.pronouns]
        alone = len(set(called)) == 1 and 2 * len(called) >= len(members) and called[0] in {"she", "he"}
        if alone and all(term.pos != "name" for term in members):
            subjects[group] = called[0]
    if len(subjects) == 1 < len(terms.groups):
        subjects = {}  # lesbians are called she, and so are others
    return Index(terms, ordered, shared, subjects)


def _forms(term: IdentityTerm) -> list[tuple[str, Form]]:
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
    noun = _demonym(term)
    return [*forms, (noun, "singular"), (f"{noun}s", "plural")] if noun else forms


def _demonym(term: IdentityTerm) -> str:
    """The noun spelled as the adjective of a place or religion: "Canadian", but not "French"; "" without one."""
    word = term.adjective
    if term.pos not in {"place", "faith"} or word in _NO_DEMONYM or " " in word:
        return ""
    return word if _DEMONYM.search(word) or word in {"Czech", "Sikh", "Thai"} else ""


def slot_text(term: IdentityTerm, slot: str) -> SlotText | Unfit:
    return write(parse("{" + slot + "}")[0], term)  # type: ignore[arg-type]  # a slot alone parses to a slot


def spell_form(term: IdentityTerm, form: Literal["singular", "plural", "adjective"]) -> str:
    """A form of a term, "" where it has none."""
    noun = _demonym(term) if form != "adjective" else ""
    if noun:
        return noun if form == "singular" else f"{noun}s"
    written = slot_text(term, {"singular": "identity_np", "plural": "identity_pl", "adjective": "identity_adj"}[form])
    return "" if isinstance(written, Unfit) else written.text
