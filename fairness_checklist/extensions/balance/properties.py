"""Properties to balance in a user's own data set: columns, and those computed from them (Kocijan et al. 2021, 3.3)."""

import math
import re
from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pandas as pd

from fairness_checklist.core.did_you_mean import did_you_mean
from fairness_checklist.core.errors import TableError, count, first_ten
from fairness_checklist.core.formatting import join_names
from fairness_checklist.core.tagging import words

Span = tuple[int, int]  # the first character of a name and the one after its last
_SPAN = re.compile(r"(\d+)-(\d+)")


def number_of_names(texts: Sequence[str], spans: Sequence[str]) -> list[int]:
    """How many annotated names each text (n,) has; spans are ``start-end`` in characters, separated by spaces."""
    return [len(name_places(cell, text)) for cell, text in zip(spans, texts, strict=True)]


def position_of_answer(
    texts: Sequence[str],
    pronoun_starts: Sequence[float],
    answers: Sequence[str],
    answer_starts: Sequence[float],
    spans: Sequence[str],
) -> list[float]:
    """The position of the right name among the names of each text, by distance to the pronoun; 1 is the nearest.

    NaN without a pronoun, or without a right name among the spans.
    """
    ordinals = []
    for text, cell, pronoun, answer, start in zip(texts, spans, pronoun_starts, answers, answer_starts, strict=True):
        names, position = name_places(cell, text), math.nan
        if answer and not math.isnan(pronoun) and not math.isnan(start):
            for place, (first, end) in enumerate(names_by_distance(text, names, int(pronoun)), start=1):
                if first < start + len(answer) and start < end:
                    position = float(place)
                    break
        ordinals.append(position)
    return ordinals


def names_by_distance(text: str, spans: Sequence[Span], pronoun: int) -> list[Span]:
    """The names of a text by the words between their nearest word and the pronoun; first those that come first."""
    places = words(text)
    of_pronoun = sum(start <= pronoun for start, _ in places) - 1
    ranked = []
    for start, end in spans:
        if start <= pronoun < end:
            continue
        distances = [abs(w - of_pronoun) for w, (first, last) in enumerate(places) if first < end and last > start]
        ranked.append((min(distances, default=len(places)), (start, end)))
    return [span for _, span in sorted(ranked)]


def name_places(cell: str, text: str) -> list[Span]:
    """The places that a cell of ``name_spans`` holds; `TableError` for what is none in the text."""
    spans = []
    for span in cell.split():
        match = _SPAN.fullmatch(span)
        if match is None or not int(match[1]) < int(match[2]) <= len(text):
            raise TableError(
                f"name_spans holds {span!r}, which is no place in a text of {count(len(text), 'character')}.",
                remedy="Write start-end in characters, the end not included, with spaces between: 0-8 28-35.",
            )
        spans.append((int(match[1]), int(match[2])))
    return spans


BINS = 5
MOST_VALUES = 30  # numbers with more different values than this are put into bins


def number_of_words(texts: Sequence[str]) -> list[int]:
    """How many words each text has, punctuation marks not counted."""
    return [sum(text[start].isalnum() for start, _ in words(text)) for text in texts]


COMPUTED: Mapping[str, tuple[Callable[..., Sequence[float]], tuple[str, ...]]] = {
    "length": (number_of_words, ("text",)),
    "names": (number_of_names, ("text", "name_spans")),
    "position": (position_of_answer, ("text", "pronoun_start", "answer", "answer_start", "name_spans")),
}
"""The properties that are computed where the table has no column of the name, and from which columns, each (n,)."""
_ANNOTATED = (
    " Names are not guessed: name_spans holds them as annotated, start-end in characters (0-8 28-35); for GAP "
    "gap-test-name-spans.json of github.com/vid-koci/weightingGAP does. Columns of the numbers do as well."
)


def _compute(frame: pd.DataFrame, name: str) -> tuple[pd.Series, str]:
    function, columns = COMPUTED[name]
    for column in columns:
        if column not in frame.columns:
            raise TableError(
                f"{name} is computed from the column {column}, and the table has none.",
                remedy=f"{name} needs {join_names(list(columns))}. The table has {first_ten(frame.columns)}."
                + (_ANNOTATED if "name_spans" in columns else ""),
            )
    cells = [
        pd.to_numeric(frame[column], errors="coerce").astype(float)
        if column.endswith("_start")
        else frame[column].fillna("").astype(str)
        for column in columns
    ]
    values = function(*(column.tolist() for column in cells))
    return pd.Series(values, index=frame.index), f"{name} was computed from {join_names(list(columns))}"


def read_properties(frame: pd.DataFrame, names: Sequence[str]) -> tuple[pd.DataFrame, list[str]]:
    """The properties of each row, columns or of `COMPUTED`, as categories, and what was computed or put into bins."""
    categories, notes = {}, []
    for name in names:
        if name in frame.columns:
            column = frame[name]
        elif name in COMPUTED:
            column, note = _compute(frame, name)
            notes.append(note)
        else:
            raise TableError(
                f"there is no column {name}.",
                remedy=f"Columns: {first_ten(frame.columns)}. Can be computed: {', '.join(COMPUTED)}."
                f"{did_you_mean(name, [*map(str, frame.columns), *COMPUTED])}",
            )
        numbers = pd.api.types.is_numeric_dtype(column)
        if not numbers and column.nunique() > max(MOST_VALUES, len(column) / 2):
            raise TableError(
                f"{name} has {column.nunique():,} different values in {count(len(column), 'row')}: "
                "no two groups share enough of them.",
                remedy="Balance a property of the texts, such as length or names, or group the values.",
            )
        if numbers and column.nunique() > MOST_VALUES:
            categories[name] = _in_bins(column)
            notes.append(f"{name} has {column.nunique():,} values and was put into {categories[name].nunique()} bins")
        else:
            categories[name] = column
    return pd.DataFrame(categories, index=frame.index), notes


def _in_bins(column: pd.Series) -> pd.Series:
    """Bins of about the same number of rows, named by their ends."""
    numbers = column.astype("float64")
    ends = np.unique(np.quantile(numbers.dropna(), np.linspace(0, 1, BINS + 1)[1:-1], method="inverted_cdf"))
    bins = pd.Series(np.searchsorted(ends, numbers) + 1, index=column.index)[numbers.notna()]
    width = len(str(len(ends) + 1))
    names = {}
    for number, low, high in numbers.groupby(bins).agg(["min", "max"]).itertuples():
        span = f"{low:g} to {high:g}" if high > low else f"{low:g}"
        names[number] = f"{int(number):0{width}}: {span}"
    return bins.map(names).reindex(column.index).astype(object)
