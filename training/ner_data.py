"""Tagged sentences for the bundled tagger: three open corpora as running text with the types PER, LOC and ORG.

The corpora hold words; people write text. So the words are joined as people space them ("do n't ." becomes "don't."),
and every word keeps its place in that text.
"""

from __future__ import annotations

import gzip
import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from fairness_checklist.core.tagging import encode
from fairness_checklist.extensions.corpora.tagged_corpora import read_tagged

__all__ = [
    "NAME",
    "TAGS",
    "TYPES",
    "UNLABELLED",
    "Sentence",
    "join_words",
    "load_comments",
    "load_sentences",
    "load_uner",
    "spans_of",
]

TYPES = ("PER", "LOC", "ORG")
TAGS = ("O", *(f"{mark}-{kind}" for kind in TYPES for mark in "BI"))
UNLABELLED = "?"  # in the place of a tag: nobody has tagged the word
NAME = "[NAME]"  # what the comments have in the place of a person's name
CORPORA = {
    "broad_twitter_corpus": tuple(f"btc_{part}.conll" for part in "abefgh"),
    "wnut17": ("wnut17_train.conll", "wnut17_dev.conll"),
    "wikigold": ("wikigold.conll",),
}
DEV_SHARE = 12  # one sentence in so many is held out, by a hash of its text
NO_SPACE_BEFORE = re.compile(r"[,.;:!?%)\]}»”]+|\.\.+|n't|N'T|['’](?:s|S|t|m|re|ve|ll|d|RE|VE|LL|M|D)?")
NO_SPACE_AFTER = frozenset("([{$£€#@«“")

Span = tuple[int, int, str]  # first word, word after the last, type


@dataclass(frozen=True)
class Sentence:
    """A text, its words as (start, end) in characters (n), one tag of `TAGS` a word (n), and the corpus."""

    text: str
    words: tuple[tuple[int, int], ...]
    tags: tuple[str, ...]
    source: str


def join_words(words: Sequence[str]) -> tuple[str, tuple[tuple[int, int], ...]]:
    """The words as running text, and where each of them stands in it.

    >>> join_words(["He", "does", "n't", "know", "(", "he", "says", ")", "."])[0]
    "He doesn't know (he says)."
    >>> join_words(['"', "Yes", '"', "."])
    ('"Yes".', ((0, 1), (1, 4), (4, 5), (5, 6)))
    """
    text, places = "", []
    glued, open_quote = True, False
    for word in words:
        straight = word == '"'
        if not glued and not (NO_SPACE_BEFORE.fullmatch(word) or (straight and open_quote)):
            text += " "
        places.append((len(text), len(text) + len(word)))
        text += word
        open_quote ^= straight
        glued = word in NO_SPACE_AFTER or (straight and open_quote)
    return text, tuple(places)


def spans_of(tags: Sequence[str]) -> list[Span]:
    """The entities of BIO tags; an I without a beginning, or of another type, belongs to none (strict reading).

    >>> spans_of(["B-PER", "I-PER", "B-PER", "O", "I-LOC"])
    [(0, 2, 'PER'), (2, 3, 'PER')]
    """
    found: list[Span] = []
    start, kind = -1, ""
    for place, tag in enumerate([*tags, "O"]):
        if start >= 0 and tag != f"I-{kind}":
            found.append((start, place, kind))
            start = -1
        if tag.startswith("B-"):
            start, kind = place, tag[2:]
    return found


def read_corpus(path: Path, source: str) -> list[Sentence]:
    """The sentences of a file as text; account names (``@someone``) are no names of persons, whatever the corpus says.

    Other types than the three (products, works, MISC) are no entity here.
    """
    corpus = read_tagged(path, types={})
    rows = []
    for words, spans in zip(corpus.sentences, corpus.spans, strict=True):
        tags = encode([span for span in spans if span[2] in TYPES], len(words))
        for place, word in enumerate(words):
            if word.startswith("@"):
                end = min(len(words), place + (2 if word == "@" else 1))
                tags[place:end] = ["O"] * (end - place)
        text, places = join_words(words)
        rows.append(Sentence(text, places, tuple(tags), source))
    return rows


def load_sentences(folder: Path) -> tuple[list[Sentence], list[Sentence], dict[str, int]]:
    """The training sentences, the held-out ones (dev), and the counts for the card.

    Args:
        folder: that of the corpora (``btc_a.conll`` and so on).

    A text that occurs twice, or that is a sentence of UNER, is left out; dev is drawn by a hash of the text.
    """
    evaluation = {folded(row.text) for part in ("dev", "test") for row in load_uner(folder, part)}
    seen: set[str] = set()
    train: list[Sentence] = []
    dev: list[Sentence] = []
    facts = {"dropped_repeated": 0, "dropped_in_uner": 0}
    for source, files in CORPORA.items():
        rows = [row for name in files for row in read_corpus(folder / name, source)]
        facts[f"{source}_read"] = len(rows)
        for row in rows:
            key = folded(row.text)
            if key in seen:
                facts["dropped_repeated"] += 1
            elif key in evaluation:
                facts["dropped_in_uner"] += 1
            else:
                draw = int.from_bytes(hashlib.sha256(key.encode()).digest()[:4], "big")
                (train if draw % DEV_SHARE else dev).append(row)
            seen.add(key)
    for name, part in (("train", train), ("dev", dev)):
        facts[f"{name}_sentences"] = len(part)
        facts[f"{name}_words"] = sum(len(row.words) for row in part)
        facts[f"{name}_entities"] = sum(len(spans_of(row.tags)) for row in part)
    return train, dev, facts


def load_comments(path: Path) -> list[list[str]]:
    """The words of the comments of GoEmotions (``train.tsv.gz``): no tags, `NAME` for the names of persons.

    Left out are comments that hide a religion, that have less than 4 words or more than 60, and those in which a name
    is no person's ("a [NAME]", "r/[NAME]").
    """
    hidden = re.compile(r"\[RELIGION\]|r/\[NAME\]|\b(?:an?|the|this|that|any|these|those)\s+\[NAME\]", re.IGNORECASE)
    with gzip.open(path, "rt", encoding="utf-8") as file:
        texts = [line.partition("\t")[0].replace('""', '"').strip('"') for line in file]
    rows = [re.findall(r"\[NAME\]|\w+(?:['’]\w+)*|[^\w\s]", text) for text in texts if not hidden.search(text)]
    return [row for row in rows if 4 <= len(row) <= 60]


def folded(text: str) -> str:
    """The text as it is compared: small letters, no spaces."""
    return "".join(text.lower().split())


def load_uner(folder: Path, part: str) -> list[Sentence]:
    """The sentences of Universal NER English EWT (`part`: dev or test): its own texts, words found in them in order."""
    corpus = read_tagged(folder / f"en_ewt-ud-{part}.iob2", token_column=1, tag_column=2)
    return [
        Sentence(text, found_words(text, words), tags, "uner")
        for text, words, tags in zip(corpus.texts, corpus.sentences, corpus.tags, strict=True)
    ]


def found_words(text: str, words: Sequence[str]) -> tuple[tuple[int, int], ...]:
    """Where the words stand in the text, each after the one before it.

    >>> found_words("Don't know.", ["Do", "n't", "know", "."])
    ((0, 2), (2, 5), (6, 10), (10, 11))
    """
    places, end = [], 0
    for word in words:
        start = text.index(word, end)
        end = start + len(word)
        places.append((start, end))
    return tuple(places)
