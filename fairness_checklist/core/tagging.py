"""Tag schemes to spans and back, on flat arrays: the words of n sentences, and ``offset`` (n + 1,), their starts."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from itertools import pairwise

import numpy as np

from fairness_checklist.core.arrays import IntArray, ItemsOfRows
from fairness_checklist.core.did_you_mean import did_you_mean
from fairness_checklist.core.errors import LabelError, OptionError, TableError, first_ten

OUTSIDE = "O"
_NO_TAG = ("", "_", "-")  # what files write where a word is outside of entities
_PREFIXES = {"IOB1": "IB", "IOB2": "BI", "BILOU": "BILU", "BIOES": "BIES", "BMES": "BMES", "BMEWO": "BMEW"}
SCHEMES = (*_PREFIXES, "plain")
_ALIASES = {"BIO": "IOB2", "IOB": "IOB1", "IO": "IOB1", "IOBES": "BIOES", "BILUO": "BILOU"}
_B, _I, _L, _U = 1, 2, 3, 4
_CODES = {"B": _B, "I": _I, "M": _I, "L": _L, "E": _L, "U": _U, "S": _U, "W": _U}


class TagError(LabelError):
    """A tag that its scheme does not have, or that names no type; ``tag`` is the tag."""

    def __init__(self, tag: str, message: str, *, remedy: str) -> None:
        super().__init__(f"the tag {tag!r} {message}", remedy=remedy)
        self.tag = tag


@dataclass(frozen=True, eq=False)
class Spans(ItemsOfRows):
    """k spans of words in n sentences, the rows; each array (k,)."""

    start: IntArray  # the first word, counted in the sentence
    end: IntArray  # the one after the last
    type: IntArray  # position in a list of types that the owner names

    def __len__(self) -> int:
        return len(self.row)

    @classmethod
    def of(cls, spans: Iterable[tuple[int, int, int, int]]) -> Spans:
        """From tuples (row, start, end, type)."""
        return cls(*(np.ascontiguousarray(column) for column in np.array(list(spans), dtype=np.int64).reshape(-1, 4).T))


@dataclass(frozen=True, eq=False)
class TagSet:
    """The L tags that a tagger or corpus uses, taken apart."""

    tags: tuple[str, ...]  # as written, "B-LOC"
    scheme: str  # one of `SCHEMES`
    types: tuple[str, ...]  # the T entity types in the order of their first tag
    prefix: IntArray  # (L,) 0 outside, 1 B, 2 I, 3 L or E, 4 U or S
    type: IntArray  # (L,) position in ``types``; -1 for the outside tag

    @classmethod
    def of(cls, tags: Sequence[str], scheme: str = "") -> TagSet:
        """Take the tags apart; the scheme is recognised where none is given."""
        tags = tuple(str(tag) for tag in tags)
        name = _scheme(scheme) if scheme else detect_scheme(tags)
        pairs = [split_tag(tag, name) for tag in tags]
        types = tuple(dict.fromkeys(kind for _prefix, kind in pairs if kind))
        letters = {kind.strip("-_").upper() for kind in types}
        are_positions = letters <= set(_CODES) and not letters.isdisjoint("BI")
        for tag, (prefix, kind) in zip(tags, pairs, strict=True):
            if kind and name != "plain" and (not prefix or prefix not in _PREFIXES[name]):
                starts = ", ".join(f"{letter}-" for letter in _PREFIXES[name])
                remedy = f"Its tags start with {starts}, or are {OUTSIDE}; schemes: {', '.join(SCHEMES)}."
                raise TagError(tag, f"is not a tag of the scheme {name}.", remedy=remedy)
            if kind and name == "plain" and not scheme and (are_positions or not any(map(str.isalpha, tag))):
                remedy = f"Write the type too, as in B-PER; a word outside of entities is {OUTSIDE}."
                raise TagError(tag, "names no type of entity.", remedy=remedy)
        position = {kind: at for at, kind in enumerate(types)} | {"": -1}
        return cls(
            tags=tags,
            scheme=name,
            types=types,
            prefix=np.array([_CODES.get(prefix, _I) if kind else 0 for prefix, kind in pairs], dtype=np.int64),
            type=np.array([position[kind] for _prefix, kind in pairs], dtype=np.int64),
        )

    def decode(self, codes: IntArray, offset: IntArray) -> tuple[Spans, IntArray]:
        """The spans of W words, and how many had to be repaired, as conlleval does, in each of the n sentences (n,)."""
        prefix, kind = self.prefix[codes], self.type[codes]
        row = np.repeat(np.arange(len(offset) - 1), np.diff(offset))
        first = np.zeros(len(codes), dtype=np.bool_)
        first[offset[:-1][np.diff(offset) > 0]] = True
        before, kind_before = np.roll(prefix, 1), np.roll(kind, 1)
        before[first], kind_before[first] = 0, -1
        inside = prefix > 0
        opens = inside & (np.isin(prefix, (_B, _U)) | np.isin(before, (0, _L, _U)) | (kind != kind_before))
        starts = np.flatnonzero(opens)
        stops = np.append(np.flatnonzero(opens | ~inside | first), len(codes))
        ends = stops[np.searchsorted(stops, starts, side="right")]
        opening, closing = prefix[starts], prefix[ends - 1]
        if self.scheme == "IOB2":
            is_broken = opening != _B
        elif self.scheme in ("IOB1", "plain"):  # a B- instead of an I- is accepted
            is_broken = np.zeros(len(starts), dtype=np.bool_)
        else:
            is_broken = np.where(ends - starts == 1, opening != _U, (opening != _B) | (closing != _L))
        row = row[starts]
        repaired = np.bincount(row[is_broken], minlength=len(offset) - 1)
        return Spans(row, starts - offset[row], ends - offset[row], kind[starts]), repaired


def read_tags(
    sentences: Sequence[Sequence[str]], scheme: str = "", place: Callable[[int, int], str] | None = None
) -> tuple[TagSet, IntArray, IntArray]:
    """The tag set of tagged sentences, the codes of their W words, and the offsets (n + 1,)."""
    flat = [tag for sentence in sentences for tag in sentence]
    found = "" if scheme else detect_scheme_of_sentences(sentences)
    try:
        tags = TagSet.of(tuple(dict.fromkeys([OUTSIDE, *flat])), scheme or found.replace("plain", ""))
    except TagError as problem:
        if place is None:
            raise
        tagged = ((row, word, tag) for row, sentence in enumerate(sentences) for word, tag in enumerate(sentence))
        place_of_tag = next((row, word) for row, word, tag in tagged if tag == problem.tag)
        raise TableError(problem.message, place=place(*place_of_tag), remedy=problem.remedy) from problem
    position = {tag: number for number, tag in enumerate(tags.tags)}
    codes = np.array([position[tag] for tag in flat], dtype=np.int64)
    return tags, codes, np.cumsum([0, *map(len, sentences)], dtype=np.int64)


def _scheme(name: str) -> str:
    scheme = _ALIASES.get(name.upper(), name.lower() if name.lower() == "plain" else name.upper())
    if scheme not in SCHEMES:
        remedy = f"Known: {', '.join([*SCHEMES, *_ALIASES])}.{did_you_mean(name.upper(), SCHEMES)}"
        raise OptionError(f"the tag scheme {name!r} is not known.", remedy=remedy)
    return scheme


def split_tag(tag: str, scheme: str = "") -> tuple[str, str]:
    """Prefix and type of a tag, "B-LOC" or "LOC-B": ("B", "LOC"); ("", "") outside, ("", type) in a plain scheme."""
    if tag.upper() == OUTSIDE or tag in _NO_TAG:
        return "", ""
    if scheme != "plain" and len(tag) > 2:
        if tag[1] in "-_" and tag[0].upper() in _CODES:
            return tag[0].upper(), tag[2:]
        if tag[-2] in "-_" and tag[-1].upper() in "BILEUS":  # NAME_M and NAME_W are types
            return tag[-1].upper(), tag[:-2]
    return "", tag


def detect_scheme(tags: Iterable[str]) -> str:
    """The scheme of a set of tags; plain without prefixes, IOB1 with an ``I-`` whose type has no ``B-``, else IOB2."""
    pairs = set(map(split_tag, tags))
    prefixes = {prefix for prefix, kind in pairs if kind}
    if "" in prefixes and prefixes.isdisjoint("BIUSW"):  # without an opening prefix E-MAIL is a type
        return "plain"
    for letters, name in (("LU", "BILOU"), ("W", "BMEWO"), ("M", "BMES"), ("ES", "BIOES")):
        if not prefixes.isdisjoint(letters):
            return name
    return "IOB1" if any(("B", kind) not in pairs for prefix, kind in pairs if prefix == "I") else "IOB2"


def detect_scheme_of_sentences(sentences: Sequence[Sequence[str]]) -> str:
    """The tag scheme of sentences; of IOB1 and IOB2 the one that fewer entities violate.

    An entity that ``I-`` opens breaks IOB2. One that ``B-`` opens, not right behind another of its type, breaks IOB1.
    """
    name = detect_scheme(tag for sentence in sentences for tag in sentence)
    if name not in ("IOB1", "IOB2"):
        return name
    opening = Counter(
        prefix
        for sentence in sentences
        for (_, before), (prefix, kind) in pairwise([("", ""), *map(split_tag, sentence)])
        if kind and kind != before
    )
    return "IOB1" if opening["I"] > opening["B"] else "IOB2"


def encode(spans: Iterable[tuple[int, int, str]], n_words: int) -> list[str]:
    """The tags of one sentence with spans (start, end, type) in words, in IOB2."""
    tags = [OUTSIDE] * n_words
    for start, end, kind in sorted(spans):
        tags[start:end] = [f"B-{kind}", *[f"I-{kind}"] * (end - start - 1)]
    return tags


_SPELLINGS = tomllib.loads(files("fairness_checklist.core").joinpath("entity_types.toml").read_text("utf-8"))
_KNOWN_TYPES = {spelling: kind for kind, spellings in _SPELLINGS.items() for spelling in spellings}
NO_NAMES = frozenset(_SPELLINGS[OUTSIDE])  # types other than names (dates, numbers), in capitals; no suite has them


def map_types(types: Sequence[str], suite: Sequence[str], given: Mapping[str, str] | None = None) -> dict[str, str]:
    """For each type of a tagger the suite's type, or "O" where it has none; ``given`` goes before what is known."""
    given = dict(given or {})
    for kind_of_tagger, theirs in given.items():
        if kind_of_tagger not in types:
            remedy = f"Its types: {first_ten(types)}.{did_you_mean(kind_of_tagger, list(types))}"
            raise LabelError(f"the tagger has no type {kind_of_tagger!r}.", remedy=remedy)
        if theirs not in (*suite, OUTSIDE):
            remedy = f"Its types: {', '.join(suite)}, or {OUTSIDE}.{did_you_mean(theirs, list(suite))}"
            raise LabelError(f"the suite has no type {theirs!r}.", remedy=remedy)
    mapped = {}
    for kind in types:
        of_suite = kind if kind in suite else _KNOWN_TYPES.get(kind.upper(), OUTSIDE)
        mapped[kind] = given.get(kind, of_suite if of_suite in suite else OUTSIDE)
    if types and set(mapped.values()) == {OUTSIDE}:
        first = {kind: suite[min(number, len(suite) - 1)] for number, kind in enumerate(types[:2])}
        example = ", ".join(f'"{kind_of_tagger}": "{theirs}"' for kind_of_tagger, theirs in first.items())
        raise LabelError(
            f"the tagger's types {first_ten(types)} match none of the suite's {', '.join(suite)}.",
            remedy=f"Give the mapping: labels={{{example}}}.",
        )
    return mapped


_MARKS = (
    "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e8"
    "\u06ea-\u06ed\u0900-\u0903\u093a-\u093c\u093e-\u094f\u0951-\u0957\u0962\u0963\u0981-\u0983\u09bc\u09be-\u09cd"
    "\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u1ab0-\u1aff\u1dc0-\u1dff\u200c\u200d\u20d0-\u20ff\ufe00-\ufe0f\ufe20-\ufe2f"
)
_LETTER = rf"(?:[^\W_][{_MARKS}]*)"
_WORD = re.compile(
    rf"{_LETTER}+(?:[-\u2010\u2011]{_LETTER}+|['\u2019](?![sS](?![^\W_])){_LETTER}+)*|['\u2019][sS](?![^\W_])|\S"
)


@lru_cache(maxsize=8)
def words(text: str) -> tuple[tuple[int, int], ...]:
    """Where the words of a text start and end: letters, digits and inner hyphens or apostrophes stay together,
    a punctuation mark is a word of its own, and so is ``'s``.

    >>> text = "Ana's friend from Guinea-Bissau (Cote d'Ivoire?) left."
    >>> [text[start:end] for start, end in words(text)]
    ['Ana', "'s", 'friend', 'from', 'Guinea-Bissau', '(', 'Cote', "d'Ivoire", '?', ')', 'left', '.']
    """
    return tuple([match.span() for match in _WORD.finditer(text)])
