"""Possible causes of a term's result: its words, sub-words and frequency, with how right the model is about it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from fairness_checklist.core.arrays import FloatArray, IntArray, by_value, divide
from fairness_checklist.core.errors import OptionError
from fairness_checklist.core.locations import display_path
from fairness_checklist.core.outcomes import Outcomes
from fairness_checklist.metrics import scores as phi
from fairness_checklist.metrics.contrasts import missing, observations
from fairness_checklist.models.huggingface.alignment import count_subwords, get_tokenizer
from fairness_checklist.reports.run_view import attribute_view, outcomes_of
from fairness_checklist.statistics.subsets import rank_correlation
from fairness_checklist.tables.run_folder import Results

_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, eq=False)
class Frequencies:
    """The frequency of T terms in a text of ``words`` words."""

    count: IntArray  # (T,) occurrences
    words: int  # runs of letters and digits in all

    @property
    def per_million(self) -> FloatArray:
        """(T,) occurrences per million words; NaN in an empty text."""
        return self.count * 1e6 / self.words if self.words else np.full(len(self.count), np.nan)


def term_frequencies(terms: Sequence[str], lines: Iterable[str]) -> Frequencies:
    """Count the terms in a text, in any case, as whole words; a term of several words within one line.

    Hyphens and apostrophes separate words: "non-binary" is found in "non binary" too, and "woman" in "woman's".
    """
    heads: dict[str, list[tuple[tuple[str, ...], int]]] = {}
    for at, term in enumerate(terms):
        parts = tuple(_WORD.findall(term.casefold()))
        if parts:
            heads.setdefault(parts[0], []).append((parts, at))
    count, words = np.zeros(len(terms), dtype=np.int64), 0
    for line in lines:
        read = _WORD.findall(line.casefold())
        words += len(read)
        if heads.keys().isdisjoint(read):
            continue
        for place, word in enumerate(read):
            for parts, at in heads.get(word, ()):
                count[at] += len(parts) == 1 or tuple(read[place : place + len(parts)]) == parts
    return Frequencies(count, words)


@dataclass(frozen=True, eq=False)
class TermValues:
    """The model's results for T terms.

    Attributes:
        errors: (T,) share of them that are wrong, in [0, 1] (a tagger: any entity of the row); NaN without any.
    """

    rows: IntArray  # (T,) rows with a label
    errors: FloatArray
    p_gold: FloatArray  # (T,) mean probability of the gold class; NaN where there is none


def term_values(outcomes: Outcomes) -> TermValues:
    """The model's errors and its mean probability of the gold class, term by term."""
    size = len(outcomes.terms)
    known = outcomes.labelled & (outcomes.term >= 0)
    rows = np.bincount(outcomes.term[known], minlength=size)
    decided = bool(outcomes.classes)
    errors = _mean(
        outcomes.term[known], outcomes.weight[known], (~outcomes.all_correct[known]).astype(np.float64), size
    )
    p_gold = np.full(size, np.nan)
    if not missing(phi.mean_target_probability, outcomes):
        values, row, _ = observations(phi.mean_target_probability, outcomes)
        fine = ~np.isnan(values[:, 0]) & known[row]
        p_gold = _mean(outcomes.term[row[fine]], outcomes.weight[row[fine]], values[fine, 0], size)
    return TermValues(rows.astype(np.int64), errors if decided else np.full(size, np.nan), p_gold)


def _mean(term: IntArray, weight: FloatArray, values: FloatArray, size: int) -> FloatArray:
    mass = np.bincount(term, weights=weight, minlength=size)
    return divide(np.bincount(term, weights=weight * values, minlength=size), mass)


MECHANISMS = ("words", "subwords", "unknown", "frequency")
VALUES = ("errors", "p_gold")


@by_value
@dataclass(frozen=True, eq=False)
class Mechanisms:
    """Terms with what may explain their results; a correlation is no cause.

    Attributes:
        terms: one row per term: group, term, words, subwords, unknown (tokens), frequency (per million words of the
            training text), n (rows with a label), errors (share of wrong answers), p_gold (mean probability of the
            gold class); NaN where it is not known.
        correlations: one row a mechanism and value: mechanism, value, correlation (Spearman's, over the terms) and n
            (terms that have both).
        notes: unknown values, with the reason.
    """

    terms: pd.DataFrame
    correlations: pd.DataFrame
    notes: tuple[str, ...]

    def __str__(self) -> str:
        tables = [frame.to_string(index=False, na_rep="") for frame in (self.terms, self.correlations)]
        return "\n\n".join([*tables, *self.notes])


def mechanisms(
    results: Results,
    model: object = None,
    text: str | Path | Iterable[str] | None = None,
    *,
    attribute: str | None = None,
) -> Mechanisms:
    """The columns that accompany a term's result.

    Args:
        results: a run; of a tagger the part of it that is about the term.
        model: of `load_model`; the tokenizer of a transformers model gives the sub-words.
        text: the training text, if it is there: the path of a text file, or its lines.
        attribute: of which attribute; the first by default.

    Raises:
        OptionError: the rows name no term, no such attribute, or no such file.
    """
    view = attribute_view(results, attribute or results.attributes[0])
    outcomes = outcomes_of(results, view).view(view.place)
    kept = np.flatnonzero(outcomes.term_group >= 0)
    if not len(kept):
        raise OptionError(
            f"mechanisms are about identity terms, and no row of {view.attribute} names one.",
            remedy="Add a column term to the table.",
        )
    terms = [outcomes.terms[t] for t in kept]
    columns: dict[str, Any] = {
        "group": [outcomes.groups[outcomes.term_group[t]] for t in kept],
        "term": terms,
        "words": [len(term.split()) for term in terms],
    }
    notes = []
    tokenizer = get_tokenizer(model)
    columns |= dict.fromkeys(("subwords", "unknown", "frequency"), np.full(len(terms), np.nan))
    if tokenizer is not None:
        columns["subwords"], columns["unknown"] = count_subwords(tokenizer, terms)
    elif model is None:
        notes.append("No model was given: no sub-words.")
    else:
        notes.append(f"{getattr(model, 'name', type(model).__name__)} has no tokenizer to look at: no sub-words.")
    if text is None:
        notes.append("No training text was given: no frequencies.")
    else:
        columns["frequency"] = term_frequencies(terms, _lines(text)).per_million
    values = term_values(outcomes)
    columns |= {"n": values.rows[kept], "errors": values.errors[kept], "p_gold": values.p_gold[kept]}
    frame = pd.DataFrame(columns)
    return Mechanisms(frame, _correlations(frame), tuple(notes))


def _lines(text: str | Path | Iterable[str]) -> Iterator[str]:
    if not isinstance(text, str | Path):
        yield from text
        return
    path = Path(text)
    if not path.is_file():
        raise OptionError(
            f"there is no training text {display_path(path)}.", remedy="Give the path of a text file, or its lines."
        )
    with path.open(encoding="utf-8", errors="replace") as lines:
        yield from lines


def _correlations(frame: pd.DataFrame) -> pd.DataFrame:
    rows = []
    for mechanism, value in product(MECHANISMS, VALUES):
        x, y = (frame[name].to_numpy(dtype=np.float64) for name in (mechanism, value))
        rows.append((mechanism, value, float(rank_correlation(x, y)), int((~np.isnan(x + y)).sum())))
    return pd.DataFrame(rows, columns=["mechanism", "value", "correlation", "n"])
