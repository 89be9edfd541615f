"""Properties to balance in a user's own data set: columns, and properties that are computed from them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from fairness_checklist.core.errors import TableError, count, did_you_mean, first_ten
from fairness_checklist.core.formatting import join_names
from fairness_checklist.core.option_defaults import whole_number
from fairness_checklist.core.tagging import words
from fairness_checklist.extensions.balance.name_positions import number_of_names, position_of_answer

BINS = 5
MOST_VALUES = 30
"""Numbers with more different values than this are put into bins."""
_MECHANISM = re.compile(
    r"(^|[^a-z])(oov|unk|unknown|vocab\w*|out.of.vocabulary|sub.?words?|word.?pieces?|tokens?|perplexity|freq\w*|"
    r"confidence|embedding\w*|logprob\w*)([^a-z]|$)",
    re.IGNORECASE,
)


def number_of_words(texts: Sequence[str]) -> list[int]:
    """How many words each text has, punctuation marks not counted."""
    return [sum(text[start].isalnum() for start, _ in words(text)) for text in texts]


def words_before_term(texts: Sequence[str], terms: Sequence[str]) -> list[float]:
    """How many words stand before each text's term; NaN where the text does not hold it."""
    found = []
    for text, term in zip(texts, terms, strict=True):
        at = re.search(rf"(?<!\w){re.escape(term)}(?!\w)", text, re.IGNORECASE) if term else None
        found.append(float(number_of_words([text[: at.start()]])[0]) if at else float("nan"))
    return found


@dataclass(frozen=True)
class Computed:
    """A property that is computed where the table has no column of its name.

    Attributes:
        columns: the columns that it needs, in the order of its arguments; those that end in _start are numbers.
    """

    how: Callable[..., Sequence[float]]  # the function of the columns, each (n,)
    columns: tuple[str, ...]


COMPUTED: Mapping[str, Computed] = {
    "length": Computed(number_of_words, ("text",)),
    "names": Computed(number_of_names, ("text", "name_spans")),
    "position": Computed(position_of_answer, ("text", "pronoun_start", "answer", "answer_start", "name_spans")),
    "words_before": Computed(words_before_term, ("text", "term")),
}
"""The properties that are computed: words; names; the position of the right name among the names; words before."""
_ANNOTATED = (
    " Names are not guessed: name_spans holds them as annotated, start-end in characters (0-8 28-35). For GAP put "
    "gap-test-name-spans.json of github.com/vid-koci/weightingGAP beside the file. Columns of the numbers do as well."
)


def _compute(frame: pd.DataFrame, name: str) -> tuple[pd.Series, str]:
    """A computed property, and from which columns."""
    how = COMPUTED[name]
    for one in how.columns:
        if one not in frame.columns:
            raise TableError(
                f"{name} is computed from the column {one}, and the table has none.",
                remedy=f"{name} needs {join_names(list(how.columns))}. The table has {first_ten(frame.columns)}."
                + (_ANNOTATED if "name_spans" in how.columns else ""),
            )
    given: list[list[Any]] = []
    for one in how.columns:
        if one.endswith("_start"):
            given.append(pd.to_numeric(frame[one], errors="coerce").astype(float).tolist())
        else:
            given.append(frame[one].fillna("").astype(str).tolist())
    return pd.Series(how.how(*given), index=frame.index), f"{name} was computed from {join_names(list(how.columns))}"


def read_properties(
    frame: pd.DataFrame, names: Sequence[str], *, bins: int | None = None
) -> tuple[pd.DataFrame, dict[str, pd.Series], list[str]]:
    """The properties of each row as categories, the values before they were put into bins, and what was computed.

    Names are columns, or of `COMPUTED`. Numbers of more different values than ``bins`` are put into so many bins of
    about the same number of rows; by default 5, where there are more than 30 different values.
    """
    if bins is not None:
        whole_number("bins", bins, least=2)
    made, raw, notes = {}, {}, []
    for name in names:
        if name in frame.columns:
            column = frame[name]
        elif name in COMPUTED:
            column, note = _compute(frame, name)
            notes.append(note)
        else:
            known = [*map(str, frame.columns), *COMPUTED]
            raise TableError(
                f"there is no column {name}.",
                remedy=f"Columns: {first_ten(frame.columns)}. Can be computed: {', '.join(COMPUTED)}."
                f"{did_you_mean(name, known)}",
            )
        raw[name] = column
        numbers = pd.api.types.is_numeric_dtype(column)
        if not numbers and column.nunique() > max(MOST_VALUES, len(column) / 2):
            raise TableError(
                f"{name} has {column.nunique():,} different values in {count(len(column), 'row')}: "
                "no two groups share enough of them.",
                remedy="Balance a property of the texts, such as length or names, or group the values.",
            )
        if numbers and column.nunique() > (MOST_VALUES if bins is None else bins):
            made[name] = _in_bins(column, bins or BINS)
            notes.append(f"{name} has {column.nunique():,} values and was put into {made[name].nunique()} bins")
        else:
            made[name] = column
    return pd.DataFrame(made, index=frame.index), raw, notes


def _in_bins(column: pd.Series, bins: int) -> pd.Series:
    """Bins of about the same number of rows, named by their ends."""
    known = column.dropna().to_numpy(dtype=np.float64)
    ends = np.unique(np.quantile(known, np.linspace(0, 1, bins + 1)[1:-1], method="inverted_cdf"))
    code = np.searchsorted(ends, column.to_numpy(dtype=np.float64), side="left")
    names = []
    for b in range(len(ends) + 1):
        own = known[np.searchsorted(ends, known, side="left") == b]
        low, high = (own.min(), own.max()) if len(own) else (0, 0)
        names.append(f"{low:g} to {high:g}" if high > low else f"{low:g}" if len(own) else "")
    width = len(str(len(names)))
    named = [None if lost else f"{b + 1:0{width}}: {names[b]}" for b, lost in zip(code, column.isna(), strict=True)]
    return pd.Series(named, index=column.index, dtype=object)


def mechanism_warnings(
    frame: pd.DataFrame, properties: pd.DataFrame, group: pd.Series, *, declared: Sequence[str] = ()
) -> dict[str, str]:
    """Warnings, by property, where one may be how the bias comes about, and not a nuisance (section 2.1 of the paper).

    To balance such a property hides bias: words that a model does not know are more frequent in the texts of a group
    *because* the data that it was trained on are unbalanced. A property is suspected where it comes from the model or
    its vocabulary (by the name of the column), where it is a property of the identity terms themselves, where it is the
    outcome, or where the user says so.
    """
    found = {}
    for name in properties:
        why = ""
        if name in declared:
            why = "declared as such"
        elif name in ("predicted",) or str(name).startswith(("p:", "score:")):
            why = "it is the model's answer"
        elif _MECHANISM.search(str(name).replace("_", " ")):
            why = "its name says that it depends on a model or its vocabulary"
        elif "term" in frame.columns and _of_terms(frame["term"], properties[name], group):
            why = "it is the same in all rows of a term, so that it is a property of the identity terms"
        if why:
            found[str(name)] = (
                f"{name} may be a mechanism of the bias and not a nuisance: {why}. Balanced, it can hide bias; "
                "look at the figures without it too."
            )
    return found


def _of_terms(term: pd.Series, values: pd.Series, group: pd.Series) -> bool:
    """Whether terms with several rows determine a property that differs between the terms."""
    known = term.notna() & (term.astype(str) != "") & group.notna()
    if not known.any():
        return False
    table = pd.DataFrame({"term": term[known].astype(str), "value": values[known].astype(str)})
    by_term = table.groupby("term")["value"].agg(["nunique", "size"])
    repeated = by_term[by_term["size"] >= 3]
    different = table[table["term"].isin(repeated.index)]["value"].nunique()
    return bool(len(repeated) >= 2 and (repeated["nunique"] == 1).all() and different > 1)
