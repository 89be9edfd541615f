"""The second family: single terms that are treated worse than the attribute's other terms, whatever their group."""

from __future__ import annotations

import numpy as np

from fairness_checklist.core.arrays import divide
from fairness_checklist.findings.family import MIN_SOURCES, NULL_DRAWS, DecidedGaps, GroupFamily, decide, sources_behind
from fairness_checklist.statistics.two_way import drawn_levels, signed_sources, variance_of_draws, variance_of_levels


def word_family(family: GroupFamily, *, draws: int = NULL_DRAWS, seed: int = 0) -> DecidedGaps:
    """Compare each of T terms with all others in H harms, adjusted by the largest |t| of signed sources: arrays (H, T).

    The words are fixed, and sentences vary: all are of the first scope here. Terms with too few sources have no gap.
    """
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
        sources[h] = sources_behind(who, fit.rows, np.arange(size), size)
        signed = signed_sources(fit.terms, draws, random)[:, there]
        signed = own * (signed - signed.mean(axis=1, keepdims=True))
        over = variance_of_draws(fit.terms, np.sqrt(over_sources) ** 2, signed, sources[h, there], random)
        at_levels, of_levels = drawn_levels(fit.terms.levels, centre, draws, random)
        drawn[:, h, there] = divide(signed + at_levels, np.sqrt(over + of_levels), fill=0.0)
    gap[sources < MIN_SOURCES] = np.nan
    t, scope = divide(gap, error), np.zeros(size, dtype=np.int64)
    return DecidedGaps(scope, gap, error, t, *decide(t, drawn[None], scope), sources)
