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


def number_of_names(texts: Sequence[str], spans: Sequence[str]) -> list[int]:
    """How many annotated names each text (n,) has; spans are ``start-end`` in characters, separated by spaces."""
    return [len(_parsed(cell, text)) for cell, text in zip(spans, texts, strict=True)]


def position_of_answer(
    texts: Sequence[str],
    pronoun_starts: Sequence[float],
    answers: Sequence[str],
    answer_starts: Sequence[float],
    spans: Sequence[str],
) -> list[float]:
    """The position of the right name among the names of each text, by distance to the pronoun; 1 is the nearest.

    The distance is the number of words from the pronoun to the nearest word of the name; of two names at the same
    distance the first in the text counts as nearer. The names are annotated, as in the paper: a rule or a tagger that
    misses names of one group more often makes an unbiased model look biased. (n,); NaN without a pronoun or a right
    name, and where the right name is none of the spans.
    """
    found = []
    for text, cell, pronoun, answer, start in zip(texts, spans, pronoun_starts, answers, answer_starts, strict=True):
        names = _parsed(cell, text)
        if not answer or math.isnan(pronoun) or math.isnan(start):
            found.append(math.nan)
        else:
            found.append(_position(text, names, int(pronoun), (int(start), int(start) + len(answer))))
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


def coreference_columns(data: PublishedSet) -> tuple[pd.DataFrame, list[str]]:
    """The table of a published set, for GAP with the columns ``answer, answer_start``; and what was done.

    Texts of GAP without a right name are left out, as in section 3.1 of the paper.
    """
    if data.name != "gap":
        return data.table, []
    kept = data.table[data.table["label"] != "neither"].reset_index(drop=True)
    is_a = kept["label"] == "A"
    table = kept.assign(
        answer=kept["a"].where(is_a, kept["b"]), answer_start=kept["a_start"].where(is_a, kept["b_start"])
    )
    gone = len(data.table) - len(kept)
    notes = [f"{count(gone, 'text')} without a right name left out, as in the paper"] if gone else []
    return table, notes


def with_answers(data: PublishedSet, files: Sequence[str | Path]) -> PublishedSet:
    """A coreference set with a column for each system, named as its file: whether the right mention was found.

    An answer that names both candidates of GAP counts as right, as only the right one is looked at (section 3.1).
    """
    for file in map(Path, files):
        if file.stem in data.table.columns:
            raise OptionError(f"the file {file.name} has the name of a column.", remedy="Name it after the system.")
        answers = read_coreference_predictions(data, file).table
        right = answers["correct"] | ((answers["predicted"] == "both") & (answers["label"] != "neither"))
        data = replace(data, table=data.table.assign(**{file.stem: right.astype(int)}))
    return data


def _overlap(one: Span, other: Span) -> bool:
    return one[0] < other[1] and other[0] < one[1]


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
