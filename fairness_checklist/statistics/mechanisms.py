"""What may stand behind a term's own result: how often it is read in training, and how right the model is about it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from fairness_checklist import scores as phi
from fairness_checklist.arrays import FloatArray, IntArray
from fairness_checklist.metrics.contrasts import missing, observations
from fairness_checklist.outcomes import Outcomes

__all__ = ["Frequencies", "TermValues", "term_frequencies", "term_values"]

_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, eq=False)
class Frequencies:
    """How often T terms stand in a text of ``words`` words.

    Attributes:
        count: (T,) occurrences.
        words: runs of letters and digits in all.
    """

    count: IntArray
    words: int

    @property
    def per_million(self) -> FloatArray:
        """(T,) occurrences per million words; NaN in an empty text."""
        return self.count * 1e6 / self.words if self.words else np.full(len(self.count), np.nan)


def term_frequencies(terms: Sequence[str], lines: Iterable[str]) -> Frequencies:
    """Count the terms in a text, in any case, as whole words; a term of several words within one line.

    Hyphens and apostrophes separate words: "non-binary" is found in "non binary" too, and "woman" in "woman's".

    Args:
        terms: T of them; each is counted by itself, also inside a longer one.
        lines: the text.

    >>> found = term_frequencies(["woman", "trans woman"], ["A trans woman and a woman.", "Womanly."])
    >>> found.count.tolist(), found.words
    ([2, 1], 7)
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
    """What the model makes of T terms.

    Attributes:
        rows: (T,) rows with a label.
        errors: (T,) share of them that are wrong, in [0, 1] (a tagger: any entity of the row); NaN without any.
        p_gold: (T,) mean probability of the gold class; NaN where there is none.
    """

    rows: IntArray
    errors: FloatArray
    p_gold: FloatArray


def term_values(outcomes: Outcomes) -> TermValues:
    """The model's errors and its mean probability of the gold class, term by term."""
    size = len(outcomes.terms)
    known = outcomes.labelled & (outcomes.term >= 0)
    rows = np.bincount(outcomes.term[known], minlength=size)
    decided = bool(outcomes.classes)
    errors = _mean(outcomes.term[known], outcomes.weight[known], (~outcomes.right[known]).astype(np.float64), size)
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
