"""From influences to intervals: other sentences with these terms, and terms like these.

*These terms*: templates are resampled within their gold class, and the distance from the value is measured in
standard errors of the resample (the bootstrap-t, Efron 1982; Hall 1988), never less than Student's t gives. *Terms
like these*: templates and terms both count as drawn, and what a cell adds of its own is counted once (two-way clusters:
Cameron, Gelbach and Miller 2011); few templates or terms widen it by Student's t with Satterthwaite's degrees of
freedom.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats
from scipy.stats import t as student

from fairness_checklist.core.arrays import FloatArray, IntArray
from fairness_checklist.statistics.clusters import Clusters

LEVEL = 0.95
_MANY = 2_000  # with more templates, Student's t replaces the draws
_LEAST = 0.3  # of the standard error: no resample is taken to be more certain


def draw_templates(clusters: Clusters, draws: int, seed: int) -> FloatArray | None:
    """(D, J) how often each resample draws each template within its stratum; None with too many templates."""
    if clusters.n_templates > _MANY or not draws:
        return None
    random = np.random.default_rng(seed)
    times = np.zeros((draws, clusters.n_templates))
    for one in np.unique(clusters.stratum):
        inside = np.flatnonzero(clusters.stratum == one)
        times[:, inside] = random.multinomial(len(inside), np.full(len(inside), 1 / len(inside)), size=draws)
    return times


@dataclass(frozen=True, eq=False)
class Spread:
    """The errors of R values of K classes, arrays (R, K): the distances of an interval's ends below and above.

    Attributes:
        below, above: *these terms*.
        error: the standard error of *these terms*.
        below_terms, above_terms: *terms like these*; NaN where the spread of the terms is unknown.
        error_terms: its standard error.
    """

    below: FloatArray
    above: FloatArray
    error: FloatArray
    below_terms: FloatArray
    above_terms: FloatArray
    error_terms: FloatArray


def spread_of(template: FloatArray, cell: FloatArray | None, clusters: Clusters, times: FloatArray | None) -> Spread:
    """The spread of values from their influences.

    Shapes: template (J, R, K); cell (Q, R, K).
    """
    variance, parts, sizes = _within(template, clusters.stratum)
    error = np.sqrt(variance)
    freedom = _freedom(variance, parts, sizes)
    least = _student(freedom)
    low, high = (-least, least) if times is None else _quantiles(template, error, times, clusters.stratum)
    below, above = np.maximum(high, least) * error, np.maximum(-low, least) * error
    one_template = freedom < 1
    below, above = np.where(one_template, np.nan, below), np.where(one_template, np.nan, above)
    error = np.where(one_template, np.nan, error)
    if cell is None or not clusters.named:
        nothing = np.full(error.shape, np.nan)
        return Spread(below, above, error, nothing, nothing, nothing)
    both, freedom_both = _two_way(cell, clusters, variance, parts, sizes)
    error_terms = np.sqrt(both)
    reach = _student(freedom_both) * error_terms
    return Spread(below, above, error, np.maximum(reach, below), np.maximum(reach, above), error_terms)


def _within(values: FloatArray, block: IntArray) -> tuple[FloatArray, list[FloatArray], list[int]]:
    """The variance of a sum of influences (m, R, K) drawn anew within blocks, and each block's part and size."""
    parts, sizes = [], []
    for one in np.unique(block):
        inside = values[block == one]
        m = len(inside)
        if m > 1:
            parts.append(((inside - inside.mean(axis=0)) ** 2).sum(axis=0) * m / (m - 1))
            sizes.append(m)
    total = np.sum(parts, axis=0) if parts else np.zeros(values.shape[1:])
    return np.asarray(total), parts, sizes


def _freedom(variance: FloatArray, parts: list[FloatArray], sizes: list[int]) -> FloatArray:
    """Satterthwaite's degrees of freedom (R, K); infinite without variation, 0 if the variance cannot be estimated."""
    if not parts:
        return np.zeros(variance.shape)
    spoiled = np.sum([part**2 / (size - 1) for part, size in zip(parts, sizes, strict=True)], axis=0)
    infinite = np.full(variance.shape, np.inf)
    found: FloatArray = np.divide(variance**2, spoiled, out=infinite, where=spoiled > 1e-300)
    return found


def _student(freedom: FloatArray) -> FloatArray:
    with np.errstate(invalid="ignore"):
        found = student.ppf((1 + LEVEL) / 2, np.clip(freedom, 1.0, 1e9))
    return np.asarray(found, dtype=np.float64)


def _quantiles(
    template: FloatArray, error: FloatArray, times: FloatArray, stratum: IntArray
) -> tuple[FloatArray, FloatArray]:
    """The studentised resamples' quantiles (R, K) at both ends."""
    flat = template.reshape(len(template), -1)
    moved = np.zeros((len(times), flat.shape[1]))
    squares = np.zeros_like(moved)
    for one in np.unique(stratum):
        inside = stratum == one
        m = int(inside.sum())
        if m < 2:
            continue
        values, drawn = flat[inside] - flat[inside].mean(axis=0), times[:, inside]
        summed_values = drawn @ values
        moved += summed_values
        squares += (drawn @ values**2 - summed_values**2 / m) * m / (m - 1)
    whole = error.reshape(-1)
    unit = np.maximum(np.sqrt(np.maximum(squares, 0.0)), _LEAST * whole)
    t = np.divide(moved, unit, out=np.zeros_like(moved), where=unit > 0)
    low, high = np.quantile(t, [(1 - LEVEL) / 2, (1 + LEVEL) / 2], axis=0)
    return low.reshape(error.shape), high.reshape(error.shape)


def _two_way(
    cell: FloatArray, clusters: Clusters, variance: FloatArray, parts: list[FloatArray], sizes: list[int]
) -> tuple[FloatArray, FloatArray]:
    """The variance over templates and terms (R, K) and its degrees of freedom; NaN where a group has one term only."""
    term = clusters.in_terms(cell)
    of_terms, term_parts, term_sizes = _within(term, clusters.term_group)
    if clusters.nested:
        own = (np.where((clusters.term < clusters.n_terms)[:, None, None], cell, 0.0) ** 2).sum(axis=0)
    else:
        own = _own_of_cells(cell, clusters)
    least = np.maximum(variance, of_terms) if not clusters.nested else of_terms
    both = np.maximum(variance + of_terms - own, least)
    freedom = _freedom(both, [*parts, *term_parts], [*sizes, *term_sizes])
    alone = np.zeros(both.shape, dtype=np.bool_)
    for group in np.unique(clusters.term_group):
        inside = clusters.term_group == group
        if inside.sum() == 1:
            alone |= (np.abs(cell[np.isin(clusters.term, np.flatnonzero(inside))]) > 0).any(axis=0)
    alone |= freedom <= 0
    return np.where(alone, np.nan, both), freedom


def _own_of_cells(cell: FloatArray, clusters: Clusters) -> FloatArray:
    """The part of the variance (R, K) that is a cell's own: counted with its template and with its term."""
    flat = cell.reshape(len(cell), -1)
    distance = flat.copy()
    for sign, (sums, count) in zip((-1.0, -1.0, 1.0), clusters.blocks, strict=True):
        distance += sign * (sums.T @ ((sums @ flat) / count[:, None]))
    found: FloatArray = (distance**2 * clusters.cell_factor[:, None]).sum(axis=0)
    return found.reshape(cell.shape[1:])


_ROUNDING = 1e-12  # a spread below it is that of floating-point numbers


def variance_of_clusters(values: FloatArray, cluster: IntArray) -> tuple[float, int]:
    """The variance of a mean over sources, which vary together inside a cluster, and its degrees of freedom.

    Shapes: values (S,); cluster (S,).
    Returns NaN and 0 with fewer than two clusters.

    >>> variance_of_clusters(np.array([0.0, 0.0, 1.0, 1.0]), np.array([7, 7, 8, 8]))
    (0.25, 1)
    """
    _, code = np.unique(cluster, return_inverse=True)
    m = int(code.max(initial=-1)) + 1
    if m < 2:
        return float("nan"), 0
    off = np.bincount(code, weights=values - values.mean())
    return float((off**2).sum()) / len(values) ** 2 * m / (m - 1), m - 1


def variance_of_terms(means: FloatArray) -> tuple[float, int]:
    """The variance of a mean over terms, and its degrees of freedom.

    >>> variance_of_terms(np.array([0.0, 1.0, np.nan]))
    (0.25, 1)
    """
    means = means[~np.isnan(means)]
    if len(means) < 2:
        return float("nan"), 0
    return float(means.var(ddof=1)) / len(means), len(means) - 1


def student_interval(value: float, variances: Sequence[tuple[float, int]]) -> tuple[float, float, float]:
    """Both ends of the 95 % interval and the two-sided p for "it is 0", from variances that add up.

    The degrees of freedom of the sum are Satterthwaite's.

    >>> low, high, p = student_interval(0.5, [(0.25, 1)])
    >>> round(low, 2), round(high, 2), round(p, 2)
    (-5.85, 6.85, 0.5)
    """
    total = sum(variance for variance, _df in variances)
    if np.isnan(total):
        return float("nan"), float("nan"), float("nan")
    if total < _ROUNDING**2:
        return value, value, 1.0 if abs(value) < _ROUNDING else 0.0
    df = total**2 / sum(variance**2 / df for variance, df in variances if variance > 0)
    reach = float(stats.t.ppf(0.975, df)) * total**0.5
    return value - reach, value + reach, float(2 * stats.t.sf(abs(value) / total**0.5, df))
