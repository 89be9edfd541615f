"""The family of an attribute's groups and harms: gaps, simultaneous bounds and adjusted p, by scope.

Only harm is claimed: the test is one-sided, on the logit of the probability, and one critical value of the largest t
decides about tests and bounds; see `docs/findings.md`. A lower bound above 0 says what the test says: where the test
decides for harm and the bound is not above 0 it is ``gap * (1 - critical / t)``; where it does not decide, 0 at most.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from fairness_checklist.core.arrays import BoolArray, FloatArray, IntArray, divide
from fairness_checklist.core.outcomes import Outcomes
from fairness_checklist.core.tasks import Harm
from fairness_checklist.findings.harm_cells import (
    Compared,
    Figures,
    HarmRows,
    LeftOut,
    compared,
    distinct_harms,
    fit_harm,
    harm_rows,
)
from fairness_checklist.findings.word_form import FormEffect, adjusted, form_effect, forms_of
from fairness_checklist.statistics.multiplicity import ALPHA, level_shares
from fairness_checklist.statistics.null_draws import signed_t
from fairness_checklist.statistics.two_way import Gaps, TermEffects, group_contrasts, group_gaps, merge_terms

NULL_DRAWS = 999
MIN_LEXEMES = 5
"""Lexemes of a group from which a finding is about the group, and not about these words."""
MIN_SOURCES = 10
"""Families of sources below which nothing is said."""
SCOPES = ("group", "words", "rows")


@dataclass(frozen=True, eq=False)
class HarmFit:
    """A harm, the rows it concerns, and the effects of terms and of lexemes on its figures."""

    rows: HarmRows
    terms: Figures
    lexemes: Figures
    groups: IntArray  # (L,) the group of each lexeme

    @classmethod
    def of(cls, rows: HarmRows, fit: TermEffects, groups: IntArray) -> HarmFit:
        """Of one figure, with one term a lexeme."""
        return cls(rows, Figures(fit, fit, fit), Figures(fit, fit, fit), groups)

    @property
    def harm(self) -> Harm:
        return self.rows.harm


@dataclass(frozen=True, eq=False)
class DecidedGaps:
    """Gaps of G groups, or terms, in H harms, arrays (H, G); NaN where there is nothing to compare.

    Attributes:
        scope: (G,) positions in `SCOPES`.
        gap: the group's mean less the others', in probability (in decisions without probabilities), in [-1, 1].
        error: its standard error, as the scope asks for it.
        rate_gap, rate_error: the same in decisions.
        t: the gap on the logit in its standard errors; 0 where `gap` has the other sign.
        test_error: the standard error on the logit.
        source_error: the standard error of `gap` where the words stay and sources are drawn anew.
        critical: (3,) the critical value of each scope; NaN for scopes without a group.
        alone: (H, G) the critical value of each cell alone, for what all cells must show; NaN without a t.
        p_value: the share of null draws in which this cell's t is as large.
        p_adjusted: the share in which the largest t of the scope is, over the scope's share of the level.
        sources: families of sources behind a cell.
    """

    scope: IntArray
    gap: FloatArray
    error: FloatArray
    rate_gap: FloatArray
    rate_error: FloatArray
    t: FloatArray
    test_error: FloatArray
    source_error: FloatArray
    critical: FloatArray
    alone: FloatArray
    p_value: FloatArray
    p_adjusted: FloatArray
    sources: IntArray

    @property
    def low(self) -> FloatArray:
        """(H, G) the lower simultaneous bounds of the gaps: above 0 where the test decides for harm."""
        limit = np.broadcast_to(self.critical[self.scope], self.t.shape)
        own = _below(self.gap, limit * self.error)
        return np.where(self._decided & (own <= 0), self.gap * (1 - divide(limit, self.t)), self._held(own))

    @property
    def high(self) -> FloatArray:
        return -_below(-self.gap, self.critical[self.scope] * self.error)

    @property
    def rate_low(self) -> FloatArray:
        """(H, G) the lower simultaneous bounds of the gaps in decisions."""
        return self._held(_below(self.rate_gap, self.critical[self.scope] * self.rate_error))

    @property
    def rate_high(self) -> FloatArray:
        return -_below(-self.rate_gap, self.critical[self.scope] * self.rate_error)

    @property
    def high_alone(self) -> FloatArray:
        """(H, G) the upper bounds of the gaps, each alone: all are below a limit only where each of them is."""
        return -_below(-self.gap, self.alone * self.error)

    @property
    def rate_high_alone(self) -> FloatArray:
        return -_below(-self.rate_gap, self.alone * self.rate_error)

    @property
    def _decided(self) -> BoolArray:
        return np.asarray(self.t > self.critical[self.scope])

    def _held(self, low: FloatArray) -> FloatArray:
        """Bounds that are 0 at most where the test does not decide."""
        return np.where(self._decided | np.isnan(low), low, np.minimum(low, 0.0))


@dataclass(frozen=True, eq=False)
class GroupFamily(DecidedGaps):
    """The gaps of the groups.

    Attributes:
        who: the terms and lexemes.
        fits: H harms.
        left_out: {harm: the code of why it is not in the family}.
        of_forms: {harm: the effects of the forms of words on its figures}, for which the gaps are adjusted.
        unadjusted: {harm: (G,) the gaps without it}.
    """

    who: Compared
    fits: tuple[HarmFit, ...]
    left_out: dict[str, LeftOut]
    of_forms: Mapping[str, Sequence[FormEffect]] = field(default_factory=dict)
    unadjusted: Mapping[str, FloatArray] = field(default_factory=dict)


def _below(gap: FloatArray, by: FloatArray) -> FloatArray:
    """Bounds so much below gaps, -1 at least: no difference of shares is smaller."""
    return np.maximum(gap - by, np.minimum(gap, -1.0))


def fit_harms(outcomes: Outcomes, harms: Sequence[Harm]) -> tuple[Compared, tuple[HarmFit, ...], dict[str, LeftOut]]:
    """The terms that are compared, the fit of each harm, and the harms that are left out with a code."""
    found = {harm.name: harm_rows(outcomes, harm) for harm in harms}
    left_out = {name: rows for name, rows in found.items() if isinstance(rows, LeftOut)}
    distinct = distinct_harms([rows for rows in found.values() if not isinstance(rows, LeftOut)])
    names = {rows.harm.name for rows in distinct}
    left_out |= {name: LeftOut.SAME_FIGURES for name in found if name not in names and name not in left_out}
    who = compared(outcomes)
    return who, tuple(fitted(who, rows, fit_harm(outcomes, who, rows)) for rows in distinct), left_out


def fitted(who: Compared, rows: HarmRows, terms: Figures) -> HarmFit:
    """A harm with the effects of its terms, and those of lexemes that follow from them."""
    return HarmFit(rows, terms, merged_figures(terms, who), who.lexeme_group)


def merged_figures(terms: Figures, who: Compared) -> Figures:
    """The effects of lexemes on the figures; figures that are the same one are merged once."""
    known = {id(fit): merge_terms(fit, who.lexeme, who.size) for fit in {id(fit): fit for fit in terms}.values()}
    return Figures(*(known[id(fit)] for fit in terms))


def scopes_of(who: Compared, *, crossed: bool = False) -> IntArray:
    """(G,) the scope of each group: lexemes where it and the others have five at least, else these words or rows."""
    count = np.bincount(who.lexeme_group, minlength=len(who.groups))
    enough = (count >= MIN_LEXEMES) & (count.sum() - count >= MIN_LEXEMES) & (not crossed)
    return np.where(who.named, np.where(enough, 0, 1), 1 if who.sources else 2).astype(np.int64)


def with_forms(
    who: Compared, fits: tuple[HarmFit, ...], of_forms: Mapping[str, Sequence[FormEffect]]
) -> tuple[HarmFit, ...]:
    """The fits with the effects of lexemes adjusted for the forms of their terms."""
    forms, result = forms_of(who), []
    for fit in fits:
        effects = of_forms.get(fit.harm.name, ())
        terms = [adjusted(figure, forms, of_form) for figure, of_form in zip(fit.terms, effects, strict=False)]
        result.append(replace(fit, lexemes=merged_figures(Figures(*terms), who)) if terms else fit)
    return tuple(result)


def effects_of_forms(
    who: Compared, fits: Sequence[HarmFit], placebo: tuple[Compared, Sequence[HarmFit]] | None = None
) -> dict[str, tuple[FormEffect, ...]]:
    """The effects of forms on the figures of each harm, from an attribute and its placebo."""
    beside = {} if placebo is None else {fit.harm.name: (placebo[0], fit.terms) for fit in placebo[1]}
    result = {}
    for fit in fits:
        sides = [(who, fit.terms), *([beside[fit.harm.name]] if fit.harm.name in beside else [])]
        result[fit.harm.name] = tuple(
            form_effect([(side, terms[at]) for side, terms in sides]) for at in range(len(Figures._fields))
        )
    return result


def group_family(
    outcomes: Outcomes,
    harms: Sequence[Harm],
    *,
    placebo: Outcomes | None = None,
    of_forms: Mapping[str, Sequence[FormEffect]] | None = None,
    draws: int = NULL_DRAWS,
    seed: int = 0,
) -> GroupFamily:
    """Compare each group with all others in each harm.

    The effects of forms are estimated with those of the placebo, or are those of ``of_forms``.
    """
    who, fits, left_out = fit_harms(outcomes, harms)
    if of_forms is None:
        beside = None if placebo is None else fit_harms(placebo, [fit.harm for fit in fits])[:2]
        of_forms = effects_of_forms(who, fits, beside) if who.named.all() else {}
    plain = {fit.harm.name: group_gaps(fit.lexemes.gap, who.lexeme_group[None], len(who.groups)).gap[0] for fit in fits}
    scope = scopes_of(who, crossed=outcomes.crossed)
    family = family_of(who, with_forms(who, fits, of_forms), scope, left_out, draws=draws, seed=seed)
    return replace(family, of_forms=of_forms, unadjusted=plain)


def family_of(
    who: Compared,
    fits: tuple[HarmFit, ...],
    scope: IntArray,
    left_out: dict[str, LeftOut],
    *,
    draws: int = NULL_DRAWS,
    seed: int = 0,
) -> GroupFamily:
    """Compare each group with all others where the effects of terms are known; scope (G,)."""
    n_groups, labels, over_words = len(who.groups), who.lexeme_group, scope > 0
    random = np.random.default_rng(seed)
    shape = (len(fits), n_groups)
    cells = empty_cells(shape) | {"source_error": np.full(shape, np.nan)}
    t, sources = cells["t"], np.zeros(shape, dtype=np.int64)
    permuted = random.permuted(np.tile(labels, (draws, 1)), axis=1)
    nulls = np.full((2, draws, *shape), np.nan)
    for h, fit in enumerate(fits):
        tested, of_gap, of_rate = (group_gaps(figure, labels[None], n_groups) for figure in fit.lexemes)
        sources[h] = sources_behind(who, fit.rows, who.term_group, n_groups)
        cells["gap"][h], cells["rate_gap"][h] = (np.where(sources[h], of.gap[0], np.nan) for of in (of_gap, of_rate))
        cells["error"][h], cells["rate_error"][h] = (_error_of_scope(of, scope)[0] for of in (of_gap, of_rate))
        cells["source_error"][h], cells["test_error"][h] = of_gap.over_sources[0], _error_of_scope(tested, scope)[0]
        t[h] = np.where(over_words, tested.t(words=True)[0], tested.t()[0])
        t[h] = np.where(t[h] * of_gap.gap[0] < 0, 0.0, t[h])
        if not fit.lexemes.tested.connected:
            t[h, ~_comparable(who, fit.rows)] = np.nan
        if not over_words.all():
            nulls[0, :, h] = group_gaps(fit.lexemes.tested, permuted, n_groups).t()
            nulls[1, :, h] = signed_t(fit.lexemes.tested, labels, sources[h], draws, random)
        if over_words.any():
            drawn = signed_t(fit.lexemes.tested, labels, sources[h], draws, random, words=True)
            nulls[:, :, h, over_words] = drawn[:, over_words]
    t[sources < MIN_SOURCES] = np.nan
    t[np.isinf(t)] = np.sign(t[np.isinf(t)]) * 1e9
    nulls[:, :, np.isnan(t)] = np.nan
    return GroupFamily(
        scope=scope, sources=sources, who=who, fits=fits, left_out=left_out, **cells, **decide(t, nulls, scope)
    )


def empty_cells(shape: tuple[int, int]) -> dict[str, Any]:
    """Undefined figures of H harms and G groups or terms, by the names in `DecidedGaps`."""
    return {name: np.full(shape, np.nan) for name in ("gap", "error", "rate_gap", "rate_error", "t", "test_error")}


def _comparable(who: Compared, rows: HarmRows) -> BoolArray:
    """(G,) whether a group can be compared with the others where sources fall into parts that share no term.

    Each part must have the same share of the group's lexemes as of the others': then what distinguishes the parts
    takes no part in the gap.
    """
    block, term = np.unique(who.block[rows.row], return_inverse=True)[1], who.term[rows.row]
    size, start = len(who.terms), int(block.max(initial=-1)) + 1
    graph = csr_array((np.ones(len(term)), (start + term, block)), shape=(start + size, start + size))
    n_parts, part = connected_components(graph, directed=False)
    there = np.unique(term)
    lexeme = who.lexeme[there]
    contrast = group_contrasts(np.where(np.isin(np.arange(who.size), lexeme), who.lexeme_group, -1), len(who.groups))
    share = contrast[:, lexeme] / np.bincount(lexeme, minlength=who.size)[lexeme]
    sums = [np.bincount(part[start + there], weights=own, minlength=n_parts) for own in share]
    return np.asarray(np.abs(sums).max(axis=1) < 1e-9)


def _error_of_scope(gaps: Gaps, scope: IntArray) -> FloatArray:
    """(P, G) the standard errors that the groups' scopes ask for."""
    return np.where(scope > 0, gaps.over_sources, gaps.over_both)


def sources_behind(who: Compared, rows: HarmRows, of_term: IntArray, size: int) -> IntArray:
    """(size,) families of sources with rows of each group, or of what else the terms (T,) are of."""
    pairs = np.unique(who.cluster[rows.row] * size + of_term[who.term[rows.row]])
    return np.bincount(pairs % size, minlength=size).astype(np.int64)


def decide(t: FloatArray, nulls: FloatArray, scope: IntArray) -> dict[str, Any]:
    """Critical values by scope (3,) and of each cell alone, p and adjusted p (H, G) from null draws; NaN without t.

    By their names in `DecidedGaps`.

    Shapes: t (H, G); nulls (A, D, H, G), of A kinds of draws the one that claims less decides; scope (G,).
    """
    fine = ~np.isnan(t)
    critical = np.full(len(SCOPES), np.nan)
    alone, p_value, p_adjusted = (np.full(t.shape, np.nan) for _ in range(3))
    sizes = np.nan_to_num(nulls, nan=-np.inf, posinf=1e9, neginf=-1e9)
    of_scope = [fine & (scope == at) for at in range(len(SCOPES))]
    shares = level_shares([cells.sum() for cells in of_scope], nulls.shape[1]) if fine.any() else [0.0] * len(SCOPES)
    for at, (cells, share) in enumerate(zip(of_scope, shares, strict=True)):
        if cells.any():
            largest = sizes[:, :, cells].max(axis=2)
            critical[at] = max(quantile(kind, 1 - ALPHA * share) for kind in largest)
            alone[cells] = np.max([quantile(kind, 1 - ALPHA) for kind in sizes[:, :, cells]], axis=0)
            p_value[cells] = _p_values(t[cells], sizes[:, :, cells])
            p_adjusted[cells] = np.minimum(1.0, _p_values(t[cells], largest[:, :, None]) / share)
    return {"critical": critical, "alone": alone, "p_value": p_value, "p_adjusted": p_adjusted}


def quantile(values: FloatArray, level: float) -> FloatArray:
    """The smallest value, of each column, that a p-value of 1 - level or less lies above."""
    at = int(np.ceil(level * (len(values) + 1) - 1e-9)) - 1
    return np.asarray(np.sort(values, axis=0)[min(at, len(values) - 1)])


def _p_values(size: FloatArray, drawn: FloatArray) -> FloatArray:
    """(m,) the largest share over the kinds of draws: (A, D, m) or (A, D, 1)."""
    reached = (drawn >= size - 1e-12 * np.maximum(1.0, np.abs(size))).sum(axis=1)
    shares: FloatArray = ((reached + 1) / (drawn.shape[1] + 1)).max(axis=0)
    return shares


def without_each_lexeme(family: GroupFamily, h: int, g: int) -> tuple[IntArray, FloatArray, FloatArray, BoolArray]:
    """The lexemes of a group; without each the gap, that in decisions, and whether the test still decides for harm."""
    lexemes = family.fits[h].lexemes
    own = np.flatnonzero((family.who.lexeme_group == g) & ~np.isnan(lexemes.gap.effect))
    labels = np.tile(family.who.lexeme_group, (len(own), 1))
    labels[np.arange(len(own)), own] = -1
    figures = (lexemes.gap, lexemes.rate, lexemes.tested)
    gap, rate, tested = (group_gaps(figure, labels, len(family.who.groups)) for figure in figures)
    return own, gap.gap[:, g], rate.gap[:, g], _decided(family, tested)[:, g]


def are_few(better: IntArray, n_groups: int) -> BoolArray:
    """Whether so many groups are exceptions among all: less than a third, or one of three."""
    return np.asarray((better > 0) & ((3 * better < n_groups) | ((better == 1) & (n_groups == 3))))


def without_better_groups(family: GroupFamily, h: int) -> tuple[list[int], BoolArray]:
    """The few groups that are treated better than the others in a harm, and (G,) whether the test still decides
    for harm without them.

    A few groups that are treated better make all others look worse: a gap that is there only beside them says nothing
    new. They are few as `are_few` says; else they are no exceptions, and the list is empty.
    """
    better = np.flatnonzero(family.t[h] < -family.critical[family.scope]).tolist()
    if not are_few(np.array(len(better)), len(family.who.groups)):
        return [], family.low[h] > 0
    labels = np.where(np.isin(family.who.lexeme_group, better), -1, family.who.lexeme_group)
    return better, _decided(family, group_gaps(family.fits[h].lexemes.tested, labels[None], len(family.who.groups)))[0]


def _decided(family: GroupFamily, tested: Gaps) -> BoolArray:
    """(P, G) whether gaps on the logit exceed the critical value in their standard errors."""
    return np.asarray(tested.gap > family.critical[family.scope] * _error_of_scope(tested, family.scope))
