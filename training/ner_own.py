"""More sentences for the tagger: names put in each other's place, letters in another case, and sentences of our own.

Every name comes from the training sentences of the corpora and is drawn by its type alone: nobody looked at whom it
belongs to. The sentences were written for this purpose; none of them is a template of the test suites.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from training.ner_data import NAME, UNLABELLED, Sentence, spans_of

__all__ = ["Names", "Row", "named_row", "names_of", "own_row", "row_of", "varied"]

BODIES = (  # what is put behind a name to make an organisation of it
    "Inc.",
    "Corp.",
    "Bank",
    "Group",
    "University",
    "Hospital",
    "Motors",
    "Airlines",
    "College",
    "Energy",
    "Systems",
    "Foundation",
    "& Sons",
    "Partners",
    "Church",
    "School",
    "City Council",
    "United",
    "Institute",
    "Energy Services",
    "Police Department",
    "Dental",
    "Auto Repair",
    "Cafe",
    "Grill",
    "Pizza",
    "Press",
    "Capital",
    "Insurance",
    "Times",
    "Health Center",
    "Law Firm",
)
OWN = tuple(Path(__file__).with_name("ner_own.txt").read_text(encoding="utf-8").splitlines())

Row = tuple[list[str], list[str]]  # words and their tags


@dataclass(frozen=True)
class Names:
    """The names of the training sentences, each as its words: by type, and the parts of persons' names."""

    whole: dict[str, list[tuple[str, ...]]]
    first: list[str]
    last: list[str]


def row_of(sentence: Sentence) -> Row:
    """The words of a sentence and their tags."""
    return [sentence.text[start:end] for start, end in sentence.words], list(sentence.tags)


def names_of(sentences: Sequence[Sentence]) -> Names:
    """The names in the sentences that are written as names: letters, each word with a capital, four words at most."""
    whole: dict[str, set[tuple[str, ...]]] = {}
    for sentence in sentences:
        words, _ = row_of(sentence)
        for start, end, kind in spans_of(sentence.tags):
            name = tuple(words[start:end])
            if len(name) <= 4 and all(looks_named(word) for word in name):
                whole.setdefault(kind, set()).add(name)
    persons = whole.get("PER", set())
    return Names(
        whole={kind: sorted(names) for kind, names in whole.items()},
        first=sorted({name[0] for name in persons if len(name) > 1}),
        last=sorted({name[-1] for name in persons if len(name) > 1}),
    )


def looks_named(word: str) -> bool:
    """Whether a word is written as part of a name.

    >>> [looks_named(word) for word in ("Anna", "McKay", "of", "#Anna", "B2B", "O'Neil")]
    [True, True, False, False, False, True]
    """
    letters = word.replace("'", "").replace("-", "").replace(".", "").replace("&", "A")
    return letters.isalpha() and letters[0].isupper()


def drawn(kind: str, names: Names, generator: random.Random) -> list[str]:
    """A name of a type: one of the corpora, or its parts put together anew so that unknown names are met too."""
    dice = generator.random()
    if kind == "PER" and dice < 0.6:
        first, last = generator.choice(names.first), generator.choice(names.last)
        return [[first, last], [first], [last], [first, generator.choice("ABCDEFGHJKLMNPRSTW") + ".", last]][
            generator.choices(range(4), (5, 4, 2, 1))[0]
        ]
    if kind in ("PER", "LOC") and dice > 0.9:
        one, other = (generator.choice(names.whole[kind])[-1] for _ in range(2))
        return [one[: max(2, len(one) // 2)] + other[len(other) // 2 :].lower()]
    if kind == "ORG" and dice < 0.25:
        head = generator.choice([*names.last, *(name[0] for name in names.whole["LOC"])])
        return [head, *generator.choice(BODIES).split()]
    return list(generator.choice(names.whole[kind]))


def varied(row: Row, names: Names, generator: random.Random, *, swap: float, recase: float) -> Row:
    """A row with some of its names replaced by others of their type, and now and then all small or all capitals.

    Args:
        row: words and tags; left as it is.
        names: what to draw from.
        generator: of the draws.
        swap: the probability of a replacement, a name.
        recase: the probability of another case, a row.
    """
    words, tags = [], []
    end = 0
    for start, stop, kind in spans_of(row[1]):
        words += row[0][end:start]
        tags += row[1][end:start]
        name = drawn(kind, names, generator) if generator.random() < swap else row[0][start:stop]
        words += name
        tags += [f"B-{kind}", *[f"I-{kind}"] * (len(name) - 1)]
        end = stop
    words, tags = words + row[0][end:], tags + row[1][end:]
    if generator.random() < recase:
        words = [word.lower() for word in words] if generator.random() < 0.6 else [word.upper() for word in words]
    return words, tags


def own_row(names: Names, generator: random.Random) -> Row:
    """One of our own sentences with names drawn for its places (``PER``, ``LOC``, ``ORG``)."""
    words, tags = [], []
    for word in generator.choice(OWN).split():
        if word in names.whole:
            name = drawn(word, names, generator)
            words += name
            tags += [f"B-{word}", *[f"I-{word}"] * (len(name) - 1)]
        else:
            words.append(word)
            tags.append("O")
    return words, tags


def named_row(comment: Sequence[str], names: Names, generator: random.Random) -> Row:
    """A comment with names drawn for its places; its words have no tags."""
    words = [word for one in comment for word in (drawn("PER", names, generator) if one == NAME else [one])]
    return words, [UNLABELLED] * len(words)
