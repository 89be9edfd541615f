"""What may stand behind a term's own result, as tables: its length, its sub-words, how often it is read in training."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from fairness_checklist.analysis.recompute import outcomes_of
from fairness_checklist.analysis.run_view import attribute_view
from fairness_checklist.arrays import by_value
from fairness_checklist.errors import OptionError
from fairness_checklist.locations import shown_path
from fairness_checklist.models.subwords import count_subwords, tokenizer_of
from fairness_checklist.results import Results
from fairness_checklist.statistics.halves import rank_correlation
from fairness_checklist.statistics.mechanisms import term_frequencies, term_values

__all__ = ["Mechanisms", "mechanisms"]

MECHANISMS = ("words", "subwords", "unknown", "frequency")
VALUES = ("errors", "p_gold")


@by_value
@dataclass(frozen=True, eq=False)
class Mechanisms:
    """Terms with what may explain their results; a correlation is no cause.

    Attributes:
        terms: one row a term: group, term, words, subwords, unknown (tokens), frequency (per million words of the
            training text), n (rows with a label), errors (share of wrong answers), p_gold (mean probability of the
            gold class); NaN where it is not known.
        correlations: one row a mechanism and value: mechanism, value, correlation (Spearman's, over the terms) and n
            (terms that have both).
        notes: what is not known and why.
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
    """What stands beside a term's result.

    Args:
        results: a run; of a tagger the part of it that is about the term.
        model: of `load_model`; a transformers model's tokenizer tells the sub-words.
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
    tokenizer = tokenizer_of(model)
    nothing = np.full(len(terms), np.nan)
    if tokenizer is None:
        notes.append(_no_tokenizer(model))
    columns["subwords"], columns["unknown"] = (
        (nothing, nothing) if tokenizer is None else count_subwords(tokenizer, terms)
    )
    if text is None:
        notes.append("No training text was given: no frequencies.")
    columns["frequency"] = nothing if text is None else term_frequencies(terms, _lines(text)).per_million
    values = term_values(outcomes)
    columns |= {"n": values.rows[kept], "errors": values.errors[kept], "p_gold": values.p_gold[kept]}
    frame = pd.DataFrame(columns)
    return Mechanisms(frame, _correlations(frame), tuple(notes))


def _no_tokenizer(model: object) -> str:
    if model is None:
        return "No model was given: no sub-words."
    return f"{getattr(model, 'name', type(model).__name__)} has no tokenizer to look at: no sub-words."


def _lines(text: str | Path | Iterable[str]) -> Iterator[str]:
    if not isinstance(text, str | Path):
        yield from text
        return
    path = Path(text)
    if not path.is_file():
        raise OptionError(
            f"there is no training text {shown_path(path)}.", remedy="Give the path of a text file, or its lines."
        )
    with path.open(encoding="utf-8", errors="replace") as lines:
        yield from lines


def _correlations(frame: pd.DataFrame) -> pd.DataFrame:
    rows = []
    for mechanism in MECHANISMS:
        for value in VALUES:
            x, y = (frame[name].to_numpy(dtype=np.float64) for name in (mechanism, value))
            n = int((~(np.isnan(x) | np.isnan(y))).sum())
            rows.append((mechanism, value, float(rank_correlation(x, y)), n))
    return pd.DataFrame(rows, columns=["mechanism", "value", "correlation", "n"])
