"""Possible causes of a term's result: its frequency, how right the model is about it, its capital letter."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from fairness_checklist.analysis.recompute import outcomes_of
from fairness_checklist.analysis.run_view import View, attribute_view, attribute_views, is_tagging
from fairness_checklist.core.arrays import FloatArray, IntArray, by_value
from fairness_checklist.core.errors import OptionError
from fairness_checklist.core.examples import UNMARKED, family_of
from fairness_checklist.core.locations import display_path
from fairness_checklist.core.outcomes import Outcomes
from fairness_checklist.metrics import scores as phi
from fairness_checklist.metrics.contrasts import missing, observations
from fairness_checklist.models.huggingface.alignment import count_subwords, get_tokenizer
from fairness_checklist.statistics.subsets import rank_correlation
from fairness_checklist.statistics.variance import student_interval as student
from fairness_checklist.statistics.variance import variance_of_clusters
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
    part = np.bincount(term, weights=weight * values, minlength=size)
    result: FloatArray = np.divide(part, mass, out=np.full(size, np.nan), where=mass > 0)
    return result


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
            f"there is no training text {display_path(path)}.", remedy="Give the path of a text file, or its lines."
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


CAPITALS_COLUMNS = ("attribute", "group", "capital", "small", "class", "change", "ci_low", "ci_high", "decisions", "n")


def capitals(results: Results, attribute: str | None = None) -> pd.DataFrame:
    """The model's predictions with a small letter compared with those with a capital.

    A pair is two terms of one group that differ in capitals only (Deaf and deaf). Sources count in which both stand
    and read differently: where the term begins the sentence both may have a capital, and nothing can be told.

    Args:
        results: a run.
        attribute: of which attribute; all by default.

    Returns:
        The columns `CAPITALS_COLUMNS`, a row for each pair and class. ``change`` is the mean probability of the class
        with the small letter less that with the capital, ``ci_low`` and ``ci_high`` its 95 % interval (Student's, over
        the
        families of paraphrases; NaN with fewer than two). ``decisions`` counts the sources in which the two decisions
        differ, ``n`` the sources. Without probabilities ``class`` is "*" and the change NaN. No rows for taggers.

    Raises:
        OptionError: no such attribute.

    >>> from fairness_checklist.api.from_predictions import evaluate
    >>> frame = pd.DataFrame({"source": [1, 1, 1], "group": ["a", "a", "b"], "term": ["Deaf", "deaf", "hearing"],
    ...                       "label": "yes", "p:no": [0.2, 0.7, 0.2], "p:yes": [0.8, 0.3, 0.8]})
    >>> found = capitals(evaluate(frame, draws=0))
    >>> found[["capital", "small", "class", "change", "decisions", "n"]].round(3).values.tolist()
    [['Deaf', 'deaf', 'no', 0.5, 1, 1], ['Deaf', 'deaf', 'yes', -0.5, 1, 1]]
    """
    shown = attribute_views(results) if attribute is None else [attribute_view(results, attribute)]
    rows = [] if is_tagging(results) else [row for view in shown for row in _of_attribute(view)]
    return pd.DataFrame(rows, columns=list(CAPITALS_COLUMNS)).astype(
        {**dict.fromkeys(("change", "ci_low", "ci_high"), "float64"), "decisions": "int64", "n": "int64"}
    )


def _of_attribute(view: View) -> Iterator[dict[str, Any]]:
    rows = view.examples
    if not {"source", "term"} <= set(rows.columns):
        return
    rows = rows[rows["group"] != UNMARKED].reset_index(drop=True)
    pairs = _spelled_twice(rows)
    if not pairs:
        return
    columns = [f"p:{label}" for label in view.classes if f"p:{label}" in rows.columns]
    rows = rows.assign(family=_families(rows), again=rows.groupby(["source", "group", "term"]).cumcount())
    texts_known = "text" in rows.columns and rows["text"].nunique() > 1  # else all are empty, or hashes of nothing
    for group, capital, small in pairs:
        mine = rows[rows["group"] == group]
        both = mine[mine["term"] == small].merge(mine[mine["term"] == capital], on=["source", "again"])
        if texts_known:
            both = both[both["text_x"] != both["text_y"]]
        if not len(both):
            continue
        fixed = {"attribute": view.attribute, "group": group, "capital": capital, "small": small}
        counted = {"decisions": int((both["predicted_x"] != both["predicted_y"]).sum()), "n": len(both)}
        for name in columns:
            change = (both[f"{name}_x"] - both[f"{name}_y"]).to_numpy(dtype=np.float64)
            yield {**fixed, "class": name[2:], **_mean_change(change, both["family_x"]), **counted}
        if not columns:
            yield {**fixed, "class": "*", "change": math.nan, "ci_low": math.nan, "ci_high": math.nan, **counted}


def _mean_change(change: FloatArray, family: pd.Series[Any]) -> dict[str, float]:
    cluster = np.unique(family.astype(str).to_numpy(), return_inverse=True)[1]
    value = float(change.mean())
    low, high, _ = student(value, [variance_of_clusters(change, cluster)])
    return {"change": value, "ci_low": low, "ci_high": high}


def _families(rows: pd.DataFrame) -> list[str]:
    """The family of paraphrases of each row: its original template, else its template, else its source."""
    blank = pd.Series("", index=rows.index)
    columns = [rows[name].fillna("").astype(str) if name in rows else blank for name in ("paraphrase_of", "template")]
    sources = "source " + rows["source"].astype(str)
    originals, templates = columns
    return family_of(templates.where((templates != "") | (originals != ""), sources).tolist(), originals.tolist())


def _spelled_twice(rows: pd.DataFrame) -> list[tuple[str, str, str]]:
    """The group and both spellings of each pair, the one with more capitals first."""
    known: dict[tuple[str, str], list[str]] = {}
    for group, term in rows[["group", "term"]].drop_duplicates().itertuples(index=False):
        if isinstance(term, str) and term:
            known.setdefault((str(group), term.lower()), []).append(term)
    found = []
    for (group, _), spellings in known.items():
        spellings.sort(key=lambda term: (-sum(letter.isupper() for letter in term), term))
        found += [(group, capital, small) for capital, small in combinations(spellings, 2)]
    return found


def by_pair(results: Results, view: View) -> list[pd.DataFrame]:
    """The rows of each pair, the class that changes most first, and so the pairs."""
    found = capitals(results, view.attribute)
    size = found["change"].abs().fillna(0.0).round(9)
    ordered = found.assign(size=size).sort_values("size", ascending=False, kind="stable")
    pairs = [part for _, part in ordered.groupby(["group", "capital", "small"], sort=False)]
    return sorted(pairs, key=lambda part: (-part["size"].iloc[0], -int(part["decisions"].iloc[0])))
