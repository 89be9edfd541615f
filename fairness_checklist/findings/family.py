"""The family of an attribute's groups and harms: gaps, simultaneous intervals and adjusted p, by scope.

One critical value of the largest absolute t decides about tests and intervals, so that they cannot disagree: p is .05
at most where the simultaneous interval leaves out 0. In the scope *group* it is the larger one of two null
distributions of that maximum: lexemes assigned to groups at random, and lexemes and sources with random signs. The
first is exact where lexemes are exchangeable, the second keeps each group's own variance.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fairness_checklist.core.arrays import FloatArray, IntArray, divide
from fairness_checklist.core.outcomes import Outcomes
from fairness_checklist.core.tasks import Harm
from fairness_checklist.findings.harm_cells import Compared, HarmRows, compared, distinct_harms, fit_harm, harm_rows
from fairness_checklist.statistics.multiplicity import ALPHA, level_shares
from fairness_checklist.statistics.two_way import Gaps, TermEffects, group_gaps, merge_terms, signed_t

NULL_DRAWS = 999
MIN_LEXEMES = 5
"""Lexemes of a group from which a finding is about the group, and not about these words."""
MIN_SOURCES = 10
"""Families of sources below which nothing is said."""
SCOPES = ("group", "words", "rows")


@dataclass(frozen=True, eq=False)
class HarmFit:
    """A harm, the rows it concerns, and the effects of terms and of lexemes on it."""

    rows: HarmRows
    terms: TermEffects
    lexemes: TermEffects

    @property
    def harm(self) -> Harm:
        return self.rows.harm


@dataclass(frozen=True, eq=False)
class DecidedGaps:
    """Gaps of G groups, or terms, in H harms, arrays (H, G); NaN where there is nothing to compare.

    Attributes:
        scope: (G,) positions in `SCOPES`.
        gap: the group's mean less the others', in the figure of the harm, in [-1, 1].
        error: the standard error that the scope asks for.
        t: gap / error.
        critical: (3,) the critical value of each scope; NaN for scopes without a group.
        p_value: the share of null draws in which this cell's |t| is as large.
        p_adjusted: the share in which the largest |t| of the scope is, over the scope's share of the level.
        sources: families of sources behind a cell.
    """

    scope: IntArray
    gap: FloatArray
    error: FloatArray
    t: FloatArray
    critical: FloatArray
    p_value: FloatArray
    p_adjusted: FloatArray
    sources: IntArray

    @property
    def low(self) -> FloatArray:
        """(H, G) the lower end of the simultaneous interval."""
        return self.gap - self.critical[self.scope] * self.error

    @property
    def high(self) -> FloatArray:
        return self.gap + self.critical[self.scope] * self.error


@dataclass(frozen=True, eq=False)
class GroupFamily(DecidedGaps):
    """The gaps of the groups.

    Attributes:
        who: the terms and lexemes.
        fits: H harms.
        left_out: {harm: why it is not in the family}.
        largest_null: (D,) the largest shrunk gap of each null draw, of the kind of draws whose 95 % quantile is larger.
    """

    who: Compared
    fits: tuple[HarmFit, ...]
    left_out: dict[str, str]
    largest_null: FloatArray


def fit_harms(outcomes: Outcomes, harms: Sequence[Harm]) -> tuple[Compared, tuple[HarmFit, ...], dict[str, str]]:
    """The terms that are compared, the fit of each harm, and the harms that are left out with the reason."""
    read = [(harm.name, harm_rows(outcomes, harm)) for harm in harms]
    left_out = {name: rows for name, rows in read if isinstance(rows, str)}
    concerned = [rows for _name, rows in read if not isinstance(rows, str)]
    kept = distinct_harms(concerned)
    same = "its figures are those of another error, which stands for both"
    left_out |= {rows.harm.name: same for rows in concerned if rows not in kept}
    who = compared(outcomes)
    effects = [fit_harm(outcomes, who, rows) for rows in kept]
    fits = (HarmFit(rows, of, merge_terms(of, who.lexeme, who.size)) for rows, of in zip(kept, effects, strict=True))
    return who, tuple(fits), left_out


def scopes_of(who: Compared, *, crossed: bool = False) -> IntArray:
    """(G,) the scope of each group: lexemes where it and the others have five at least, else these words or rows."""
    count = np.bincount(who.lexeme_group, minlength=len(who.groups))
    enough = (count >= MIN_LEXEMES) & (count.sum() - count >= MIN_LEXEMES) & (not crossed)
    return np.where(who.named, np.where(enough, 0, 1), 1 if who.sources else 2).astype(np.int64)


def group_family(outcomes: Outcomes, harms: Sequence[Harm], *, draws: int = NULL_DRAWS, seed: int = 0) -> GroupFamily:
    """Compare each group with all others in each harm."""
    who, fits, left_out = fit_harms(outcomes, harms)
    return family_of(who, fits, scopes_of(who, crossed=outcomes.crossed), left_out, draws=draws, seed=seed)


def family_of(
    who: Compared,
    fits: tuple[HarmFit, ...],
    scope: IntArray,
    left_out: dict[str, str],
    *,
    draws: int = NULL_DRAWS,
    seed: int = 0,
) -> GroupFamily:
    """Compare each group with all others where the effects of terms are known.

    Shapes: scope (G,).
    """
    n_groups, n_harms = len(who.groups), len(fits)
    labels = who.lexeme_group
    random = np.random.default_rng(seed)
    shape = (n_harms, n_groups)
    gap, error, t = np.full(shape, np.nan), np.full(shape, np.nan), np.full(shape, np.nan)
    sources = np.zeros(shape, dtype=np.int64)
    permuted = random.permuted(np.tile(labels, (draws, 1)), axis=1)
    nulls = np.full((2, draws, *shape), np.nan)
    for h, fit in enumerate(fits):
        gaps = group_gaps(fit.lexemes, labels[None], n_groups)
        over_words = scope > 0
        gap[h], error[h] = gaps.gap[0], _error_of_scope(gaps, scope)[0]
        t[h] = np.where(over_words, gaps.t(words=True)[0], gaps.t()[0])
        sources[h] = sources_behind(who, fit.rows, who.term_group, n_groups)
        if not fit.lexemes.connected:
            t[h] = np.nan
        if (scope == 0).any():
            nulls[0, :, h] = group_gaps(fit.lexemes, permuted, n_groups).t()
            nulls[1, :, h] = signed_t(fit.lexemes, labels, sources[h], draws, random)
        if over_words.any():
            drawn = signed_t(fit.lexemes, labels, sources[h], draws, random, words=True)
            nulls[:, :, h, over_words] = drawn[:, over_words]
    thin = sources < MIN_SOURCES
    gap[sources == 0] = np.nan
    t[thin] = np.nan
    t[np.isinf(t)] = np.sign(t[np.isinf(t)]) * 1e9
    nulls[:, :, np.isnan(t)] = np.nan
    return GroupFamily(
        scope, gap, error, t, *decide(t, nulls, scope), sources,
        who=who, fits=fits, left_out=left_out, largest_null=_largest_null(nulls, error),
    )  # fmt: skip


def _error_of_scope(gaps: Gaps, scope: IntArray) -> FloatArray:
    """(P, G) the standard errors that the groups' scopes ask for."""
    return np.where(scope > 0, gaps.over_sources, gaps.over_both)


def _largest_null(nulls: FloatArray, error: FloatArray) -> FloatArray:
    """(D,) the largest shrunk gap of each null draw, from draws of t (2, D, H, G); empty where nothing is compared."""
    fine = ~np.isnan(nulls[0, 0]) & ~np.isnan(error)
    if not fine.any():
        return np.zeros(0)
    gaps = np.nan_to_num(nulls[:, :, fine], nan=0.0, posinf=0.0, neginf=0.0) * error[fine]
    return max(_towards_zero(gaps, error[fine]).max(axis=2), key=lambda drawn: quantile(drawn, 1 - ALPHA))


def sources_behind(who: Compared, rows: HarmRows, of_term: IntArray, size: int) -> IntArray:
    """(size,) families of sources with rows of each group, or of what else the terms (T,) are of."""
    pairs = np.unique(who.cluster[rows.row] * size + of_term[who.term[rows.row]])
    return np.bincount(pairs % size, minlength=size).astype(np.int64)


def decide(t: FloatArray, nulls: FloatArray, scope: IntArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Critical values by scope (3,), p and adjusted p (H, G) from null draws; cells without t are NaN.

    Shapes: t (H, G); nulls (A, D, H, G), of A kinds of draws the one that claims less decides; scope (G,).
    """
    fine = ~np.isnan(t)
    critical = np.full(len(SCOPES), np.nan)
    p_value, p_adjusted = np.full(t.shape, np.nan), np.full(t.shape, np.nan)
    if not fine.any():
        return critical, p_value, p_adjusted
    sizes = np.abs(np.nan_to_num(nulls, nan=0.0, posinf=1e9, neginf=-1e9))
    of_scope = [fine & (scope == at) for at in range(len(SCOPES))]
    shares = level_shares([cells.sum() for cells in of_scope], nulls.shape[1])
    for at, (cells, share) in enumerate(zip(of_scope, shares, strict=True)):
        if cells.any():
            largest = sizes[:, :, cells].max(axis=2)
            critical[at] = max(quantile(kind, 1 - ALPHA * share) for kind in largest)
            p_value[cells] = _p_values(np.abs(t[cells]), sizes[:, :, cells])
            p_adjusted[cells] = np.minimum(1.0, _p_values(np.abs(t[cells]), largest[:, :, None]) / share)
    return critical, p_value, p_adjusted


def quantile(values: FloatArray, level: float) -> float:
    """The smallest value that a p-value of 1 - level or less lies above."""
    at = int(np.ceil(level * (len(values) + 1) - 1e-9)) - 1
    return float(np.sort(values)[min(at, len(values) - 1)])


def _p_values(size: FloatArray, drawn: FloatArray) -> FloatArray:
    """(m,) the largest share over the kinds of draws: (A, D, m) or (A, D, 1)."""
    reached = (drawn >= size - 1e-12 * np.maximum(1.0, size)).sum(axis=1)
    shares: FloatArray = ((reached + 1) / (drawn.shape[1] + 1)).max(axis=0)
    return shares


def without_each_lexeme(family: GroupFamily, h: int, g: int) -> tuple[IntArray, FloatArray, FloatArray]:
    """The lexemes of a group, and the gap and its lower end without each of them."""
    own = np.flatnonzero((family.who.lexeme_group == g) & ~np.isnan(family.fits[h].lexemes.effect))
    labels = np.tile(family.who.lexeme_group, (len(own), 1))
    labels[np.arange(len(own)), own] = -1
    gaps = group_gaps(family.fits[h].lexemes, labels, len(family.who.groups))
    low = gaps.gap - family.critical[family.scope] * _error_of_scope(gaps, family.scope)
    return own, gaps.gap[:, g], low[:, g]


def without_better_groups(family: GroupFamily, h: int) -> tuple[list[int], FloatArray]:
    """The few groups that are treated better than the others in a harm, and (G,) the lower ends without them.

    A few groups that are treated better make all others look worse: a gap that is there only beside them says nothing
    new. They are few where they are less than a third of the groups; else they are no exceptions, and the list is
    empty.
    """
    better = np.flatnonzero(family.high[h] < 0).tolist()
    if not better or 3 * len(better) >= len(family.who.groups):
        return [], family.low[h]
    labels = np.where(np.isin(family.who.lexeme_group, better), -1, family.who.lexeme_group)
    gaps = group_gaps(family.fits[h].lexemes, labels[None], len(family.who.groups))
    return better, gaps.gap[0] - family.critical[family.scope] * _error_of_scope(gaps, family.scope)[0]


def shrunk(gap: FloatArray, error: FloatArray) -> FloatArray:
    """Gaps shrunk towards 0 for having been selected: the posterior mean under a normal prior fitted to the family.

    The variance of true gaps is the mean of ``gap**2 - error**2``, 0 at least (Efron and Morris 1973).
    """
    fine, result = ~np.isnan(gap) & ~np.isnan(error), gap.copy()
    if fine.any():
        result[fine] = _towards_zero(gap[fine], error[fine])
    return result


def _towards_zero(gap: FloatArray, error: FloatArray) -> FloatArray:
    """Gaps (..., m), shrunk by their common variance over the last axis."""
    variance = np.maximum(0.0, (gap**2 - error**2).mean(axis=-1, keepdims=True))
    return gap * divide(variance, variance + error**2, fill=1.0)
