"""The second family: single terms that are treated worse than the attribute's other terms, whatever their group."""

from __future__ import annotations

import numpy as np

from fairness_checklist.core.arrays import BoolArray, FloatArray, divide
from fairness_checklist.findings.family import (
    MIN_SOURCES,
    NULL_DRAWS,
    DecidedGaps,
    GroupFamily,
    decide,
    empty_cells,
    sources_behind,
)
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
    cells, sources = empty_cells(shape), np.zeros(shape, dtype=np.int64)
    drawn = np.zeros((draws, *shape))
    for h, fit in enumerate(family.fits):
        tested = fit.terms.tested
        used = ~np.isnan(tested.effect)
        n = int(used.sum())
        if n < 2 or not tested.connected:
            continue
        gap, cells["error"][h, used] = _gaps(fit.terms.gap, used)
        cells["rate_gap"][h, used], cells["rate_error"][h, used] = _gaps(fit.terms.rate, used)
        gap_on_logit, error_on_logit = _gaps(tested, used)
        cells["gap"][h, used], cells["test_error"][h, used] = gap, error_on_logit
        cells["t"][h, used] = np.where(gap_on_logit * gap < 0, 0.0, divide(gap_on_logit, error_on_logit))
        sources[h] = sources_behind(who, fit.rows, np.arange(size), size)
        signed = signed_sources(tested, draws, random)[:, used]
        # a term less the mean of the others is n / (n - 1) times the term less the mean of all
        signed = n / (n - 1) * (signed - signed.mean(axis=1, keepdims=True))
        variance = variance_of_draws(tested, _over_sources(tested, used), signed, sources[h, used], random)
        at_levels, level_variance = drawn_levels(tested.levels, _centre(tested, used), draws, random)
        drawn[:, h, used] = divide(signed + at_levels, np.sqrt(variance + level_variance), fill=0.0)
    for name in ("gap", "rate_gap", "t"):
        cells[name][sources < MIN_SOURCES] = np.nan
    scope = np.zeros(size, dtype=np.int64)
    decided = decide(cells["t"], drawn[None], scope)
    return DecidedGaps(scope=scope, source_error=cells["error"], sources=sources, **cells, **decided)


def _gaps(fit: TermEffects, used: BoolArray) -> tuple[FloatArray, FloatArray]:
    """The gaps (n,) of the n terms that are used, and their standard errors over sources."""
    n = int(used.sum())
    gap = n / (n - 1) * (fit.effect[used] - fit.effect[used].mean())
    return gap, np.sqrt(_over_sources(fit, used) + variance_of_levels(fit.levels, _centre(fit, used)))


def _over_sources(fit: TermEffects, used: BoolArray) -> FloatArray:
    """(n,) the variance of the gaps where sources are drawn anew."""
    n = int(used.sum())
    covariance = fit.covariance[np.ix_(used, used)] if n < len(used) else fit.covariance
    means = covariance.mean(axis=1)
    return np.asarray((n / (n - 1)) ** 2 * np.maximum(np.diagonal(covariance) - 2 * means + means.mean(), 0.0))


def _centre(fit: TermEffects, used: BoolArray) -> FloatArray:
    """(n, T) the gaps as contrasts; (n, 0) where there are no levels to apply them to."""
    n = int(used.sum())
    return np.eye(len(used))[used] * n / (n - 1) - used / (n - 1) if fit.levels else np.zeros((n, 0))
