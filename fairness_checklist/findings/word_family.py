"""The second family: single terms that are treated worse than the attribute's other terms, whatever their group."""

from __future__ import annotations

import numpy as np

from fairness_checklist.core.arrays import BoolArray, FloatArray, divide
from fairness_checklist.findings.family import MIN_SOURCES, NULL_DRAWS, DecidedGaps, GroupFamily, decide, sources_behind
from fairness_checklist.statistics.null_draws import drawn_levels, signed_sources, variance_of_draws
from fairness_checklist.statistics.two_way import TermEffects, variance_of_levels


def word_family(family: GroupFamily, *, draws: int = NULL_DRAWS, seed: int = 0) -> DecidedGaps:
    """Compare each of T terms with all others in H harms, adjusted by the largest t of signed sources: arrays (H, T).

    The words are fixed, and sentences vary: all are of the first scope here. Terms with too few sources have no gap.
    """
    who = family.who
    size = len(who.terms)
    shape = (len(family.fits), size)
    random = np.random.default_rng(seed)
    gap, error, rate_gap, rate_error, t, test_error = np.full((6, *shape), np.nan)
    sources = np.zeros(shape, dtype=np.int64)
    drawn = np.zeros((draws, *shape))
    for h, fit in enumerate(family.fits):
        tested = fit.terms.tested
        there = ~np.isnan(tested.effect)
        n = int(there.sum())
        if n < 2 or not tested.connected:
            continue
        own = n / (n - 1)  # a term less the mean of the others is so many times the term less the mean of all
        gap[h, there], error[h, there] = _gaps(fit.terms.gap, there)
        rate_gap[h, there], rate_error[h, there] = _gaps(fit.terms.rate, there)
        of_test, test_error[h, there] = _gaps(tested, there)
        t[h, there] = np.where(of_test * gap[h, there] < 0, 0.0, divide(of_test, test_error[h, there]))
        sources[h] = sources_behind(who, fit.rows, np.arange(size), size)
        signed = signed_sources(tested, draws, random)[:, there]
        signed = own * (signed - signed.mean(axis=1, keepdims=True))
        over = variance_of_draws(tested, _over_sources(tested, there), signed, sources[h, there], random)
        at_levels, of_levels = drawn_levels(tested.levels, _centre(tested, there), draws, random)
        drawn[:, h, there] = divide(signed + at_levels, np.sqrt(over + of_levels), fill=0.0)
    thin = sources < MIN_SOURCES
    gap[thin], rate_gap[thin], t[thin] = np.nan, np.nan, np.nan
    scope = np.zeros(size, dtype=np.int64)
    return DecidedGaps(
        scope, gap, error, rate_gap, rate_error, t, test_error, error, *decide(t, drawn[None], scope), sources
    )


def _gaps(fit: TermEffects, there: BoolArray) -> tuple[FloatArray, FloatArray]:
    """The gaps (n,) of the n terms that are there, and their standard errors over sources."""
    n = int(there.sum())
    gap = n / (n - 1) * (fit.effect[there] - fit.effect[there].mean())
    return gap, np.sqrt(_over_sources(fit, there) + variance_of_levels(fit.levels, _centre(fit, there)))


def _over_sources(fit: TermEffects, there: BoolArray) -> FloatArray:
    """(n,) the variance of the gaps where sources are drawn anew."""
    n = int(there.sum())
    covariance = fit.covariance[np.ix_(there, there)] if n < len(there) else fit.covariance
    beside = covariance.mean(axis=1)
    return np.asarray((n / (n - 1)) ** 2 * np.maximum(np.diagonal(covariance) - 2 * beside + beside.mean(), 0.0))


def _centre(fit: TermEffects, there: BoolArray) -> FloatArray:
    """(n, T) the gaps as contrasts; (n, 0) where there are no levels to apply them to."""
    n = int(there.sum())
    return np.eye(len(there))[there] * n / (n - 1) - there / (n - 1) if fit.levels else np.zeros((n, 0))
