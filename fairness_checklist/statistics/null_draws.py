"""Null distributions of gaps between groups of terms: clusters and lexemes with random signs, new levels of factors.

Above 2,000 clusters their sums are drawn from their normal limit.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fairness_checklist.core.arrays import FloatArray, IntArray, divide
from fairness_checklist.statistics.two_way import Gaps, TermEffects, assigned, contrast_sums, two_way


def signed_sources(fit: TermEffects, draws: int, random: np.random.Generator) -> FloatArray:
    """(D, L) effects under the null that terms do not differ: what each cluster adds gets a random sign."""
    scale = np.sqrt((fit.clusters - 1) / max(1, fit.clusters))
    if fit.scores is not None:
        return np.asarray(random.choice([-1.0, 1.0], size=(draws, len(fit.scores))) @ fit.scores * scale)
    eigen, vectors = np.linalg.eigh(fit.covariance)
    drawn = random.normal(size=(draws, len(eigen))) @ (vectors * np.sqrt(np.maximum(eigen, 0.0))).T
    return np.asarray(drawn * scale)


def variance_of_draws(
    fit: TermEffects, variance: FloatArray, gap: FloatArray, behind: IntArray, random: np.random.Generator
) -> FloatArray:
    """The variance over sources (D, K) that each draw of `signed_sources` would be given if it were the data.

    Shapes: variance (K,); gap (D, K); behind (K,), the clusters Q. Signs keep the sum of squares, so that it is the
    variance of the data less ``gap**2 / (Q - 1)``; without this t is normal, where that of the data has heavier tails.
    Above 2,000 clusters it is drawn from its chi-squared limit.
    """
    if fit.scores is None:
        freedom = np.maximum(behind - 1, 1)
        return np.asarray(variance * random.chisquare(freedom, size=gap.shape) / freedom)
    less = gap**2 / np.maximum(behind, 1) * (fit.clusters / max(1, fit.clusters - 1))
    return np.maximum(variance - less, 0.0)


def signed_t(
    fit: TermEffects,
    labels: IntArray,
    behind: IntArray,
    draws: int,
    random: np.random.Generator,
    *,
    words: bool = False,
) -> FloatArray:
    """Gaps (D, G) in standard errors under the null: clusters, and lexemes around their group's mean, get random signs.

    Shapes: labels (L,), -1 leaves a lexeme out; behind (G,). Each group keeps the variance of its own lexemes: a wild
    bootstrap (Liu 1988) of both ways at once. Every draw has a standard error of its own.
    """
    kept = np.where(np.isnan(fit.effect), -1, labels)
    assignment = assigned(kept[None], len(behind))
    drawn = signed_sources(fit, draws, random)
    gap = contrast_sums(assignment.contrast, drawn)
    of_sources = variance_of_draws(fit, assignment.variance(fit.covariance)[0], gap, behind, random)
    at_levels, of_levels = drawn_levels(fit.levels, np.nan_to_num(assignment.contrast[0]), draws, random)
    if words:
        error = np.sqrt(of_sources + of_levels)
        return Gaps(gap + at_levels, error, error).t(words=True)
    drawn += random.choice([-1.0, 1.0], size=drawn.shape) * _distances_from_group(fit.effect, kept)
    of_cells = assignment.variance(fit.cell_covariance) * fit.cell_variance
    both = two_way(of_sources, assignment.of_terms(drawn), of_cells)
    gap = contrast_sums(assignment.contrast, drawn) + at_levels
    return Gaps(gap, np.sqrt(of_sources + of_levels), np.sqrt(both + of_levels)).t()


def _distances_from_group(effect: FloatArray, labels: IntArray) -> FloatArray:
    """(L,) how far each lexeme lies from its group's mean, on the scale of a single draw; a lone one as the pooled."""
    distances = np.zeros(len(effect))
    there = labels >= 0
    values, group = effect[there], labels[there]
    n = np.bincount(group)
    rest = values - divide(np.bincount(group, weights=values), n)[group]
    pooled = np.sqrt(float((rest**2).sum()) / max(1, len(rest) - int((n > 0).sum())))
    # a deviation from the mean of n values has (n - 1) / n of the variance of a value
    distances[there] = np.where(n[group] > 1, rest * np.sqrt(divide(n, n - 1))[group], pooled)
    return distances


def drawn_levels(
    levels: Sequence[FloatArray], contrast: FloatArray, draws: int, random: np.random.Generator
) -> tuple[FloatArray, FloatArray]:
    """What new levels add to contrasts (K, L) under the null, and the variance that such data would get: (D, K) each.

    The R levels of a draw are normal with the covariance of the contrasts between the levels that there are. A draw
    divided by its own standard error is then Student-t with R - 1 degrees of freedom, as few prompts ask for.
    """
    mean, variance = np.zeros((2, draws, len(contrast)))
    for way in levels:
        size = len(way)
        gaps = np.nan_to_num(way) @ contrast.T
        rest = (gaps - gaps.mean(axis=0)) / np.sqrt(size - 1)
        drawn = random.normal(size=(draws, size, size)) @ rest
        mean += drawn.mean(axis=1)
        variance += drawn.var(axis=1, ddof=1) / size
    return mean, variance
