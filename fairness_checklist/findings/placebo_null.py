"""The placebo as a null: how far apart as many groups of words lie that should not matter, on the same templates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fairness_checklist.core.arrays import FloatArray, IntArray
from fairness_checklist.core.outcomes import Outcomes
from fairness_checklist.core.tasks import Harm
from fairness_checklist.findings.family import MIN_LEXEMES, GroupFamily, HarmFit, fit_harms
from fairness_checklist.statistics.two_way import group_gaps

PLACEBO_DRAWS = 1000
PERCENTILE = 95.0
"""A finding is clear where it is larger than in so many of 100 draws."""
_MOST_LEXEMES = 0.9  # of the placebo's that one draw may take


@dataclass(frozen=True, eq=False)
class PlaceboNull:
    """The largest value of each draw of as many placebo groups of as many lexemes as the attribute has.

    Attributes:
        t: (D,) the largest t over groups and harms, of the scope *group*; empty without such a group.
        words: (D,) the largest gap, of the scope *words*.
        terms: (D,) the largest gap of a single term, out of as many terms as the attribute has.
        concepts, lexemes: how many the draws are from.
        texts: how many texts of the placebo the model was asked about.
        note: what limits the comparison, or "".
    """

    t: FloatArray
    words: FloatArray
    terms: FloatArray
    concepts: int
    lexemes: int
    texts: int
    note: str = ""

    def recorded(self) -> dict[str, Any]:
        """For ``run.json``: counts, and the draws as 201 quantiles, which `of_record` reads."""
        draws = {name: _quantiles(getattr(self, name)) for name in ("t", "words", "terms")}
        counts = {"concepts": self.concepts, "lexemes": self.lexemes, "texts": self.texts}
        return {**counts, **({"note": self.note} if self.note else {}), "quantiles": draws}

    @classmethod
    def of_record(cls, recorded: Mapping[str, Any]) -> PlaceboNull:
        """The null of a run that is kept: its draws are the recorded quantiles."""
        t, words, terms = (np.array(recorded["quantiles"][name], dtype=np.float64) for name in ("t", "words", "terms"))
        concepts, lexemes, texts = (int(recorded[name]) for name in ("concepts", "lexemes", "texts"))
        return cls(t, words, terms, concepts, lexemes, texts, str(recorded.get("note", "")))


def _quantiles(values: FloatArray) -> list[float]:
    if not len(values):
        return []
    return [round(one, 6) for one in np.quantile(values, np.linspace(0, 1, 201)).tolist()]


def percentile(value: float, drawn: FloatArray) -> float:
    """In how many of 100 draws the value is larger than what words show that should not matter; NaN without draws.

    >>> percentile(2.5, np.array([1.0, 2.0, 3.0, 1.5]))
    75.0
    """
    if not len(drawn) or np.isnan(value):
        return float("nan")
    return float(100 * (drawn < value).mean())


def placebo_null(
    family: GroupFamily, outcomes: Outcomes, harms: Sequence[Harm], *, draws: int = PLACEBO_DRAWS, seed: int = 0
) -> PlaceboNull | None:
    """Draw placebo groups of the sizes of a family's groups, and keep the largest value of each draw.

    A group of more lexemes than a concept has is made of several concepts; a smaller one is part of a concept.

    Args:
        family: the family of an attribute.
        outcomes: the model's predictions for the placebo's terms in the same templates.
        harms: those of the family.
        draws: D.
        seed: of the draws.

    Returns:
        The null; None where no harm of the family concerns the placebo's texts.
    """
    wanted = {fit.harm.name for fit in family.fits}
    who, fits, _ = fit_harms(outcomes, [harm for harm in harms if harm.name in wanted])
    fits = tuple(fit for fit in fits if fit.lexemes.clusters > 1)
    if not fits or not who.size:
        return None
    random = np.random.default_rng(seed)
    there = ~np.isnan(np.array([fit.lexemes.effect for fit in fits])).any(axis=0)
    concepts = [np.flatnonzero((who.lexeme_group == c) & there) for c in range(len(who.groups))]
    concepts = [one for one in concepts if len(one)]
    scope = family.scope
    sizes = np.bincount(family.who.lexeme_group, minlength=len(scope))
    sizes, kept, note = _fitting_sizes(sizes, scope, sum(map(len, concepts)))
    labels = np.stack([_draw(concepts, sizes, who.size, random) for _ in range(draws)])
    t, words = np.full(draws, -np.inf), np.full(draws, -np.inf)
    for fit in fits:
        gaps = group_gaps(fit.lexemes, labels, len(sizes))
        t = np.fmax(t, _largest(gaps.t(), scope[kept] == 0))
        words = np.fmax(words, _largest(gaps.gap, scope[kept] == 1))
    return PlaceboNull(
        t[np.isfinite(t)],
        words[np.isfinite(words)],
        _terms(fits, len(family.who.terms), draws, random),
        len(concepts),
        int(there.sum()),
        int((outcomes.group < len(outcomes.groups)).sum()),
        note,
    )


def _largest(values: FloatArray, cells: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> FloatArray:
    """(D,) the largest value of the cells, -inf without one."""
    if not cells.any():
        return np.full(len(values), -np.inf)
    found: FloatArray = np.nan_to_num(values[:, cells], nan=-np.inf).max(axis=1)
    return found


def _fitting_sizes(sizes: IntArray, scope: IntArray, available: int) -> tuple[IntArray, IntArray, str]:
    """Sizes that fit into the placebo: large groups shrink, and with too many groups the last are left out."""
    most = int(_MOST_LEXEMES * available)
    kept = np.arange(len(sizes))
    if sizes.sum() <= most:
        return sizes, kept, ""
    least = np.where(scope == 0, np.minimum(sizes, MIN_LEXEMES), sizes)
    while least[kept].sum() > most and len(kept) > 2:
        kept = kept[:-1]
    room = most - int(least[kept].sum())
    over = sizes[kept] - least[kept]
    fitted = least[kept] + np.floor(over * max(0.0, min(1.0, room / max(1, int(over.sum()))))).astype(np.int64)
    return fitted, kept, f"drawn with {int(fitted.sum()):,} lexemes for the attribute's {int(sizes.sum()):,}"


def _draw(concepts: Sequence[IntArray], sizes: IntArray, n_lexemes: int, random: np.random.Generator) -> IntArray:
    """(L,) the group of each placebo lexeme in one draw; -1 where it is not drawn."""
    labels = np.full(n_lexemes, -1, dtype=np.int64)
    order = random.permutation(len(concepts)).tolist()
    spare: list[int] = []
    for group in np.argsort(-sizes, kind="stable").tolist():
        need = int(sizes[group])
        while need and order:
            own = random.permutation(concepts[order.pop()])
            labels[own[:need]] = group
            spare += own[need:].tolist()
            need -= min(need, len(own))
        while need and spare:
            labels[spare.pop()] = group
            need -= 1
    return labels


def _terms(fits: Sequence[HarmFit], n_terms: int, draws: int, random: np.random.Generator) -> FloatArray:
    """(D,) the largest gap of one term against the others, out of as many placebo terms as the attribute has."""
    largest = np.full(draws, -np.inf)
    effects = np.array([fit.terms.effect for fit in fits])
    there = np.flatnonzero(~np.isnan(effects).any(axis=0))
    n = min(n_terms, len(there))
    if n < 2:
        return np.zeros(0)
    chosen = np.stack([random.choice(there, size=n, replace=False) for _ in range(draws)])
    for one in effects:
        values = one[chosen]
        largest = np.fmax(largest, ((values - values.mean(axis=1, keepdims=True)) * n / (n - 1)).max(axis=1))
    return largest
