"""The Stanford Sentiment Treebank as training, dev and test texts, with nothing held out left in the training texts.

Two published cuts of it are read: SST-2 (``sst2/*.tsv``: phrases and sentences of the two poles) and SST with five
grades (``sst5/stsa.fine.*``: whole sentences).
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

__all__ = ["CLASSES", "Corpus", "Labelled", "load_corpus"]

CLASSES: dict[int, tuple[str, ...]] = {2: ("negative", "positive"), 3: ("negative", "neutral", "positive")}
LEAK_WORDS = 4  # a shared run of this many words counts as a leak; "a good film" in both sets does not
NEUTRAL_WORDS = (1, 6)  # length of the spans taken as neutral phrases, in words
GRADE_CLASS = ("negative", "negative", "neutral", "positive", "positive")


@dataclass(frozen=True)
class Labelled:
    """Texts (n) and their classes (n names)."""

    texts: tuple[str, ...]
    labels: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.texts)


@dataclass(frozen=True)
class Corpus:
    """What one model learns from and is measured on; `facts` are the counts for its card."""

    classes: tuple[str, ...]
    sentences: Labelled
    phrases: Labelled
    dev: Labelled
    test: Labelled
    facts: dict[str, int]


def normalise(text: str) -> str:
    """The text in small letters with single spaces.

    >>> normalise(" A  gem of a Film. ")
    'a gem of a film.'
    """
    return " ".join(text.lower().split())


def read_sst2(path: Path) -> Labelled:
    """The rows of an SST-2 file (``sentence<TAB>label``, one header line; 1 is positive)."""
    rows = [line.rsplit("\t", 1) for line in path.read_text(encoding="utf-8").split("\n")[1:] if line]
    return Labelled(tuple(normalise(text) for text, _ in rows), tuple(CLASSES[2][int(label)] for _, label in rows))


def read_sst5(path: Path) -> Labelled:
    """The rows of a file of graded sentences (``grade text``), grades 0-1, 2 and 3-4 as the three classes."""
    rows = [line.split(" ", 1) for line in path.read_text(encoding="utf-8").split("\n") if line]
    return Labelled(tuple(normalise(text) for _, text in rows), tuple(GRADE_CLASS[int(grade)] for grade, _ in rows))


def spans(text: str, shortest: int, longest: int | None = None) -> Iterator[str]:
    """Every run of `shortest` to `longest` words of a text.

    >>> list(spans("a b c", 2))
    ['a b', 'a b c', 'b c']
    """
    words = text.split()
    for start in range(len(words)):
        last = len(words) if longest is None else min(len(words), start + longest)
        for end in range(start + shortest, last + 1):
            yield " ".join(words[start:end])


def without_leaks(rows: Labelled, held_out: Iterable[str], facts: dict[str, int], name: str) -> Labelled:
    """The rows that share nothing with the held-out sentences, each text once; the numbers dropped go into `facts`.

    Dropped are texts that equal a held-out sentence, that are a part of one, or that contain one (the last two from
    four words on: "a good film" is in every set).
    """
    whole = set(held_out)
    parts = {part for text in whole for part in spans(text, LEAK_WORDS)}
    kept: dict[str, str] = {}
    equal = part_of = contains = repeated = 0
    for text, label in zip(rows.texts, rows.labels, strict=True):
        if text in kept:
            repeated += 1
        elif text in whole:
            equal += 1
        elif text in parts:
            part_of += 1
        elif any(span in whole for span in spans(text, LEAK_WORDS)):
            contains += 1
        else:
            kept[text] = label
    facts |= {
        f"{name}_read": len(rows),
        f"{name}_dropped_repeated": repeated,
        f"{name}_dropped_equal_to_held_out": equal,
        f"{name}_dropped_part_of_held_out": part_of,
        f"{name}_dropped_containing_held_out": contains,
        f"{name}_kept": len(kept),
    }
    return Labelled(tuple(kept), tuple(kept.values()))


def neutral_phrases(sentences: Sequence[str], polar: set[str], count: int, seed: int) -> list[str]:
    """Up to `count` spans of training sentences in which the annotators saw no pole, drawn with `seed`.

    SST-2 lists every word and phrase of the training sentences that was graded towards a pole, so a word that it does
    not list was graded neutral. A span of such words only, which holds no listed phrase either, is taken as neutral.
    """
    shortest, longest = NEUTRAL_WORDS
    found = {
        span: None
        for sentence in sentences
        for span in spans(sentence, shortest, longest)
        if any(word.isalpha() for word in span.split()) and not any(part in polar for part in spans(span, 1))
    }
    by_length: dict[int, list[str]] = {}
    for span in found:
        by_length.setdefault(len(span.split()), []).append(span)
    generator = random.Random(seed)
    share = count // len(by_length)
    return [span for _, group in sorted(by_length.items()) for span in generator.sample(group, min(share, len(group)))]


def load_corpus(data: Path, classes: int, *, neutral_count: int, seed: int) -> Corpus:
    """The corpus of the model with two or three classes.

    Args:
        data: the folder that holds ``sst2/`` and ``sst5/``.
        classes: 2 (dev: the whole sentences of SST-2's dev file; test: SST-2's 872) or 3 (dev 1,101, test 2,210).
        neutral_count: how many neutral phrases to draw (three classes only).
        seed: of that draw.
    """
    names = CLASSES[classes]
    sst2 = {split: read_sst2(data / "sst2" / f"{split}.tsv") for split in ("train", "dev", "test")}
    sst5 = {split: read_sst5(data / "sst5" / f"stsa.fine.{split}") for split in ("train", "dev", "test")}
    held_out = {*sst2["test"].texts, *sst5["dev"].texts, *sst5["test"].texts}
    dev, test = sst5["dev"], sst5["test"]
    train = sst5["train"]
    if classes == 2:
        train = choose(train, [label in names for label in train.labels])
        whole = set(sst5["train"].texts)
        dev, test = choose(sst2["dev"], [text in whole for text in sst2["dev"].texts]), sst2["test"]
        held_out |= set(dev.texts)
    facts: dict[str, int] = {}
    sentences = without_leaks(train, held_out, facts, "sentences")
    phrases = without_leaks(sst2["train"], held_out, facts, "phrases")
    known = set(sentences.texts)
    phrases = choose(phrases, [text not in known for text in phrases.texts])
    facts["phrases_also_sentences"] = facts["phrases_kept"] - len(phrases)
    if "neutral" in names:
        polar = {*sst2["train"].texts, *sst2["dev"].texts}
        drawn = neutral_phrases(sentences.texts, polar, neutral_count, seed)
        neutral = without_leaks(Labelled(tuple(drawn), ("neutral",) * len(drawn)), held_out, facts, "neutral_phrases")
        phrases = Labelled(phrases.texts + neutral.texts, phrases.labels + neutral.labels)
    facts |= {"train": len(sentences) + len(phrases), "dev": len(dev), "test": len(test)}
    return Corpus(names, sentences, phrases, dev, test, facts)


def choose(rows: Labelled, keep: Sequence[bool]) -> Labelled:
    """The rows where `keep` (n) is true."""
    pairs = [(text, label) for text, label, wanted in zip(rows.texts, rows.labels, keep, strict=True) if wanted]
    return Labelled(tuple(text for text, _ in pairs), tuple(label for _, label in pairs))
