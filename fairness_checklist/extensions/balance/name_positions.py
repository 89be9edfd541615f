"""Names in texts, and how many of them stand nearer to a pronoun than the right one: the properties of GAP.

Kocijan et al. (2021, section 3.3) count the personal names of each text and sort them by their distance to the pronoun.
The place of the right name on this list is the property ``position``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pandas as pd

from fairness_checklist.core.errors import OptionError, TableError, count
from fairness_checklist.core.tagging import words
from fairness_checklist.extensions.lenses.readers.coreference_sets import read_coreference_predictions
from fairness_checklist.extensions.lenses.readers.published import PublishedSet

Span = tuple[int, int]
"""The first character of a name and the one after its last."""
_SPAN = re.compile(r"(\d+)-(\d+)")


def name_spans(text: str) -> list[Span]:
    """Where the names of a text are, by a rule: runs of capitalised words that do not begin a sentence.

    The first word of a sentence counts where the next word is capitalised too, or where the same word is a name further
    on in the text. The rule finds names of any origin equally well; a tagger may miss those of one group more often.

    >>> text = "Ana Roe left. She met Bo."
    >>> [text[start:end] for start, end in name_spans(text)]
    ['Ana Roe', 'Bo']
    """
    places = words(text)
    found = [text[start:end] for start, end in places]
    capital = [word[:1].isupper() and word not in ("I", "I'm", "I've", "I'd", "I'll") for word in found]
    first = [at == 0 or found[at - 1] in ".!?:" for at in range(len(found))]
    inside = {word for word, is_capital, begins in zip(found, capital, first, strict=True) if is_capital and not begins}
    spans: list[Span] = []
    running = False
    for at, (word, is_capital, begins) in enumerate(zip(found, capital, first, strict=True)):
        named = is_capital and (
            not begins or word in inside or (at + 1 < len(found) and capital[at + 1] and not first[at + 1])
        )
        if named:
            spans.append((spans.pop()[0] if running else places[at][0], places[at][1]))
        running = named
    return spans


def number_of_names(texts: Sequence[str], spans: Sequence[str] | None = None) -> list[int]:
    """How many names each text has: of the spans where they are given, else by the rule of `name_spans`.

    Args:
        texts: (n,) the texts.
        spans: (n,) of each text the names as ``start-end``, in characters and separated by spaces.

    >>> number_of_names(["Kathleen first appears when Theresa and Myra Lee visit her.", "Ana Roe left. She met Ana."])
    [2, 2]
    >>> number_of_names(["Ana met Bo."], ["0-3 8-10"])
    [2]
    """
    return [len(one) for one in _spans(texts, spans)]


def position_of_answer(
    texts: Sequence[str],
    pronoun_starts: Sequence[float],
    answers: Sequence[str],
    answer_starts: Sequence[float],
    spans: Sequence[str] | None = None,
) -> list[float]:
    """The position of the right name among the names of each text, by distance to the pronoun; 1 is the nearest.

    The distance is the number of words from the pronoun to the nearest word of the name; of two names at the same
    distance the first in the text counts as nearer. A name is any span; the paper annotates them by hand.

    Args:
        texts: (n,) the texts.
        pronoun_starts: (n,) the first character of each pronoun.
        answers, answer_starts: (n,) the right name and its first character.
        spans: as in `number_of_names`; by default those of `name_spans` and the right name.

    Returns:
        (n,) from 1; NaN without a pronoun or a right name, and where the right name is none of the spans.

    >>> text = "Kathleen first appears when Theresa and Myra visit her in a prison."
    >>> position_of_answer([text] * 2, [51, 51], ["Kathleen", "Myra"], [0, 40])
    [3.0, 1.0]
    """
    found = []
    for text, own, pronoun, answer, start in zip(
        texts, _spans(texts, spans), pronoun_starts, answers, answer_starts, strict=True
    ):
        if not answer or math.isnan(pronoun) or math.isnan(start):
            found.append(math.nan)
            continue
        right = (int(start), int(start) + len(answer))
        found.append(_position(text, own if spans is not None else together(own, [right]), int(pronoun), right))
    return found


def _position(text: str, spans: Sequence[Span], pronoun: int, right: Span) -> float:
    places = words(text)
    at = sum(start <= pronoun for start, _ in places) - 1
    ranked = []
    for start, end in spans:
        if start <= pronoun < end:
            continue
        own = [w for w, (first, last) in enumerate(places) if first < end and last > start]
        ranked.append((min((abs(w - at) for w in own), default=len(places)), (start, end)))
    ranked.sort()
    return next((k for k, (_, one) in enumerate(ranked, start=1) if _overlap(one, right)), math.nan) * 1.0


def together(spans: Sequence[Span], further: Sequence[Span]) -> list[Span]:
    """The spans, and those of the others that overlap with none of them.

    >>> together([(0, 8)], [(4, 8), (10, 12)])
    [(0, 8), (10, 12)]
    """
    merged = list(spans)
    for one in further:
        if not any(_overlap(one, other) for other in merged):
            merged.append(one)
    return sorted(merged)


def coreference_columns(data: PublishedSet) -> tuple[pd.DataFrame, list[str]]:
    """The table of a published set with the columns that `position` and `names` are computed from, where it is GAP.

    GAP gives two names of each text. The others are found by the rule of `name_spans`: the paper's annotation by hand
    is not part of the published file. Texts without a right name are left out, as in section 3.1 of the paper.

    Args:
        data: of `suites.readers.read_published`.

    Returns:
        The table, for GAP with the further columns ``answer, answer_start, name_spans``; and what was done.
    """
    if data.name != "gap":
        return data.table, list(data.notes)
    kept = data.table[data.table["label"] != "neither"].reset_index(drop=True)
    spans, answers, starts = [], [], []
    for row in kept.to_dict("records"):
        given = [(row[f"{one}_start"], row[f"{one}_start"] + len(row[one])) for one in ("a", "b")]
        pronoun = (row["pronoun_start"], row["pronoun_start"] + len(row["pronoun"]))
        by_rule = [one for one in name_spans(row["text"]) if not _overlap(one, pronoun)]
        spans.append(" ".join(f"{start}-{end}" for start, end in together(by_rule, given)))
        side = str(row["label"]).lower()
        answers.append(row[side])
        starts.append(row[f"{side}_start"])
    gone = len(data.table) - len(kept)
    notes = [f"{count(gone, 'text')} without a right name left out, as in the paper"] if gone else []
    table = kept.assign(answer=answers, answer_start=starts, name_spans=spans)
    return table, [*data.notes, *notes, "names were found by a rule, and A and B of the file"]


def with_answers(data: PublishedSet, files: Sequence[str | Path]) -> PublishedSet:
    """A coreference set with a column for each system, named as its file: whether the right mention was found.

    Args:
        data: of `suites.readers.read_published`.
        files: the systems' answers, see `suites.readers.read_coreference_predictions`. An answer that names both
            candidates of GAP counts as right, as only the right one is looked at (section 3.1 of the paper).

    Raises:
        TableError, AlignmentError: of the files.
        OptionError: a file named as a column of the set.
    """
    for file in map(Path, files):
        if file.stem in data.table.columns:
            raise OptionError(f"the file {file.name} has the name of a column.", remedy="Name it after the system.")
        found = read_coreference_predictions(PublishedSet(data.name, data.table, data.has), file).table
        right = found["correct"] | ((found["predicted"] == "both") & (found["label"] != "neither"))
        data = replace(data, table=data.table.assign(**{file.stem: right.astype(int)}))
    return data


def _overlap(one: Span, other: Span) -> bool:
    return one[0] < other[1] and other[0] < one[1]


def _spans(texts: Sequence[str], given: Sequence[str] | None) -> list[list[Span]]:
    if given is None:
        return [name_spans(text) for text in texts]
    return [_parsed(cell, text) for cell, text in zip(given, texts, strict=True)]


def _parsed(cell: str, text: str) -> list[Span]:
    found = []
    for part in cell.split():
        match = _SPAN.fullmatch(part)
        if match is None or not int(match[1]) < int(match[2]) <= len(text):
            raise TableError(
                f"name_spans holds {part!r}, which is no place in a text of {count(len(text), 'character')}.",
                remedy="Write start-end in characters, the end not included, with spaces between: 0-8 28-35.",
            )
        found.append((int(match[1]), int(match[2])))
    return found
