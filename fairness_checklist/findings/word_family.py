"""The second family: single terms that are treated worse than the attribute's other terms, whatever their group."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fairness_checklist.core.arrays import FloatArray, IntArray, divide
from fairness_checklist.findings.family import MIN_SOURCES, NULL_DRAWS, GroupFamily
from fairness_checklist.statistics.multiplicity import ALPHA
from fairness_checklist.statistics.two_way import drawn_levels, signed_sources, variance_of_draws, variance_of_levels


@dataclass(frozen=True, eq=False)
class WordFamily:
    """The gap of each of T terms against all other terms in H harms: the words are fixed, sentences vary.

    Attributes:
        gap, error, t, p_value, p_adjusted: (H, T); NaN for terms with too few sources.
        critical: the critical value of the largest |t|.
        sources: (H, T) families of sources behind each.
    """

    gap: FloatArray
    error: FloatArray
    t: FloatArray
    critical: float
    p_value: FloatArray
    p_adjusted: FloatArray
    sources: IntArray

    @property
    def low(self) -> FloatArray:
        """(H, T) the lower end of the simultaneous interval."""
        return self.gap - self.critical * self.error

    @property
    def high(self) -> FloatArray:
        return self.gap + self.critical * self.error


def word_family(family: GroupFamily, *, draws: int = NULL_DRAWS, seed: int = 0) -> WordFamily:
    """Compare each term with all others, adjusted over terms and harms by the largest |t| of signed sources."""
    who = family.who
    size = len(who.terms)
    shape = (len(family.fits), size)
    random = np.random.default_rng(seed)
    gap, error = np.full(shape, np.nan), np.full(shape, np.nan)
    sources = np.zeros(shape, dtype=np.int64)
    drawn = np.zeros((draws, *shape))
    for h, fit in enumerate(family.fits):
        there = ~np.isnan(fit.terms.effect)
        n = int(there.sum())
        if n < 2 or not fit.terms.connected:
            continue
        own = n / (n - 1)  # a term less the mean of the others is so many times the term less the mean of all
        centre = np.zeros((n, 0))  # the same as contrasts, where there are levels to apply them to
        if fit.terms.levels:
            centre = np.eye(size)[there] * own - there / (n - 1)
        gap[h, there] = own * (fit.terms.effect[there] - fit.terms.effect[there].mean())
        covariance = fit.terms.covariance[np.ix_(there, there)] if n < size else fit.terms.covariance
        beside = covariance.mean(axis=1)
        over_sources = own**2 * np.maximum(np.diagonal(covariance) - 2 * beside + beside.mean(), 0.0)
        error[h, there] = np.sqrt(over_sources + variance_of_levels(fit.terms.levels, centre))
        pairs = np.unique(who.cluster[fit.rows.row] * size + who.term[fit.rows.row])
        sources[h] = np.bincount(pairs % size, minlength=size)
        signed = signed_sources(fit.terms, draws, random)[:, there]
        signed = own * (signed - signed.mean(axis=1, keepdims=True))
        over = variance_of_draws(fit.terms, np.sqrt(over_sources) ** 2, signed, sources[h, there], random)
        at_levels, of_levels = drawn_levels(fit.terms.levels, centre, draws, random)
        drawn[:, h, there] = divide(signed + at_levels, np.sqrt(over + of_levels), fill=0.0)
    enough = sources >= MIN_SOURCES
    gap[~enough] = np.nan
    t = divide(gap, error)
    fine = ~np.isnan(t)
    p_value, p_adjusted = np.full(shape, np.nan), np.full(shape, np.nan)
    critical = np.nan
    if fine.any():
        sizes = np.abs(drawn[:, fine])
        largest = np.sort(sizes.max(axis=1))
        critical = float(largest[min(draws, int(np.ceil((1 - ALPHA) * (draws + 1) - 1e-9))) - 1])
        given = np.abs(t[fine])
        p_value[fine] = ((sizes >= given - 1e-12).sum(axis=0) + 1) / (draws + 1)
        reached = draws - np.searchsorted(largest, given - 1e-12, side="left")
        p_adjusted[fine] = (reached + 1) / (draws + 1)
    return WordFamily(gap, error, t, critical, p_value, p_adjusted, sources)
