"""The tweets of Davidson et al. (2017) as training, dev and test texts, with no near-duplicate of one part in another.

One file is read: ``davidson/labeled_data.csv``, where class 0 is hate, 1 is offensive and 2 is neither. Hate and
offensive are `toxic` here, neither is `nontoxic`.
"""

from __future__ import annotations

import csv
import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

__all__ = ["CLASSES", "SPELLINGS", "Corpus", "Tweets", "clean", "load_corpus", "words"]

CLASSES = ("nontoxic", "toxic")
CLASS_OF = {"0": "toxic", "1": "toxic", "2": "nontoxic"}
SPELLINGS = (  # what the tokenizer does as well, so that a raw tweet and a cleaned one are the same tokens
    (r"(?:https?:|www\.)\S*", " "),
    (r"@\w+:?", " "),
    (r"&(?:amp;)*#?\w+;", " "),
    (r"\brt\b", " "),
    (r"#", " "),
)
SHARED_WORDS = 7  # two tweets with a run of this many words in common are near-duplicates
PARTS = (("test", 15), ("dev", 10), ("train", 75))  # percent of the groups of near-duplicates


@dataclass(frozen=True)
class Tweets:
    """Cleaned texts (n) and their classes (n names)."""

    texts: tuple[str, ...]
    labels: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.texts)


@dataclass(frozen=True)
class Corpus:
    """What the model learns from and is measured on; `facts` are the counts for its card."""

    train: Tweets
    dev: Tweets
    test: Tweets
    facts: dict[str, int]


def clean(text: str) -> str:
    """The text in small letters without addresses, user names, HTML entities, retweet marks and hash signs.

    >>> clean("RT @someone: Good   morning &amp; good luck #Monday http://t.co/x")
    'good morning good luck monday'
    """
    text = text.lower()
    for pattern, written in SPELLINGS:
        text = re.sub(pattern, written, text)
    return " ".join(text.split())


def words(text: str) -> list[str]:
    """The runs of letters of a cleaned text; what two near-duplicates are compared by.

    >>> words("good morning, 2 you!!")
    ['good', 'morning', 'you']
    """
    return re.findall(r"[^\W\d_]+", text)


def groups_of(texts: Sequence[str]) -> list[int]:
    """The number of the group of near-duplicates of each text (n): the row of the group's first text.

    Two texts are near-duplicates if their words are the same, or if they share a run of seven words; so are two that
    both have a third.

    >>> groups_of(["so it goes", "never mind", "So, it goes!".lower()])
    [0, 1, 0]
    """
    first = list(range(len(texts)))

    def root(row: int) -> int:
        while first[row] != row:
            first[row] = first[first[row]]
            row = first[row]
        return row

    seen: dict[tuple[str, ...], int] = {}
    for row, text in enumerate(texts):
        found = words(text)
        runs = [tuple(found[start : start + SHARED_WORDS]) for start in range(len(found) - SHARED_WORDS + 1)]
        for run in [("whole", *found), *runs]:
            one, other = sorted((root(row), root(seen.setdefault(run, row))))
            first[other] = one
    return [root(row) for row in range(len(texts))]


def part_of(text: str) -> str:
    """The part, train, dev or test, that the hash of a group's first text in the order of the alphabet decides.

    >>> part_of("so it goes") == part_of("so it goes")
    True
    """
    place = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") % 100
    for name, percent in PARTS:
        if place < percent:
            return name
        place -= percent
    raise AssertionError("the percents of the parts must add up to 100")


def load_corpus(data: Path) -> Corpus:
    """The corpus of the toxicity model.

    Args:
        data: the folder that holds ``davidson/``.

    Each text stands in it once; a text that was labelled both ways has the label that it was given more often, and
    stays out where that is none. Texts without two words are left out.
    """
    with (data / "davidson" / "labeled_data.csv").open(encoding="utf-8", newline="") as lines:
        read = [(clean(row["tweet"]), CLASS_OF[row["class"]]) for row in csv.DictReader(lines)]
    votes: dict[str, Counter[str]] = defaultdict(Counter)
    for text, label in read:
        votes[text][label] += 1
    decided = {text: max(counts, key=lambda label: counts[label]) for text, counts in votes.items()}
    tied = {text for text, counts in votes.items() if counts["toxic"] == counts["nontoxic"]}
    short = {text for text in votes if len(words(text)) < 2}
    texts = sorted(text for text in votes if text not in tied | short)
    groups = groups_of(texts)
    parts: dict[str, list[str]] = {name: [] for name, _ in PARTS}
    for text, group in zip(texts, groups, strict=True):
        parts[part_of(texts[group])].append(text)
    facts = {
        "tweets_read": len(read),
        "tweets_dropped_repeated": len(read) - len(votes),
        "tweets_dropped_short": len(short),
        "tweets_dropped_labelled_both_ways": len(tied - short),
        "tweets_kept": len(texts),
        "groups_of_near_duplicates": len(set(groups)),
    }
    made = {name: Tweets(tuple(kept), tuple(decided[text] for text in kept)) for name, kept in parts.items()}
    for name, tweets in made.items():
        facts |= {f"{name}_{label}": tweets.labels.count(label) for label in CLASSES}
    return Corpus(made["train"], made["dev"], made["test"], facts)
