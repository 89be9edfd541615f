"""From influences to intervals: other sentences with these terms, and terms like these.

*These terms*: templates are resampled within their gold class, and the distance from the value is measured in
standard errors of the resample (the bootstrap-t, Efron 1982; Hall 1988), never less than Student's t gives. *Terms
like these*: templates and terms both count as drawn, and what a cell adds of its own is counted once (two-way clusters:
Cameron, Gelbach and Miller 2011); few templates or terms widen it by Student's t with Satterthwaite's degrees of
freedom.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy import stats

from fairness_checklist.core.arrays import FloatArray, IntArray
from fairness_checklist.statistics.clusters import Clusters

LEVEL = 0.95
_LEAST = 0.3  # of the standard error: no resample is taken to be more certain


def draw_within(block: IntArray, draws: int, random: np.random.Generator) -> FloatArray:
    """(D, m) how often each resample draws each of m units within its block."""
    times = np.zeros((draws, len(block)))
    for number in np.unique(block):
        inside = np.flatnonzero(block == number)
        times[:, inside] = random.multinomial(len(inside), np.full(len(inside), 1 / len(inside)), size=draws)
    return times


def spread_of(
    template: FloatArray, cell: FloatArray | None, clusters: Clusters, times: FloatArray | None
) -> FloatArray:
    """The distances of the ends of both intervals, (4, R, K): *these terms* below and above, then *terms like these*.

    Shapes: template (J, R, K), cell (Q, R, K): the influences on R values of K classes; times (D, J).
    Returns NaN where the spread of the templates or of the terms is unknown.
    """
    parts = _Within(template, clusters.stratum)
    error, freedom = np.sqrt(parts.variance), _freedom(parts.variance, [parts])
    least = _student(freedom)
    low, high = (-least, least) if times is None else _quantiles(template, error, times, clusters.stratum)
    reach = np.full((4, *error.shape), np.nan)
    reach[:2] = np.where(freedom < 1, np.nan, np.maximum([high, -low], least) * error)
    if cell is not None and clusters.named:
        variance, freedom = variance_over_both(template, cell, clusters)
        reach[2:] = np.maximum(_student(freedom) * np.sqrt(variance), reach[:2])
    return reach


class _Within:
    """The variance (R, K) of a sum of influences (m, R, K) drawn anew within blocks, each block's part and its size."""

    def __init__(self, values: FloatArray, block: IntArray) -> None:
        blocks = [values[block == number] for number in np.unique(block)]
        blocks = [inside for inside in blocks if len(inside) > 1]
        self.sizes = [len(inside) for inside in blocks]
        self.parts = [((i - i.mean(axis=0)) ** 2).sum(axis=0) * len(i) / (len(i) - 1) for i in blocks]
        self.variance = np.asarray(sum(self.parts, np.zeros(values.shape[1:])))


def _freedom(variance: FloatArray, within: Sequence[_Within]) -> FloatArray:
    """Satterthwaite's degrees of freedom (R, K); infinite without variation, 0 if the variance cannot be estimated."""
    each = [part**2 / (size - 1) for one_way in within for part, size in zip(one_way.parts, one_way.sizes, strict=True)]
    if not each:
        return np.zeros(variance.shape)
    squares = np.sum(each, axis=0)
    infinite = np.full(variance.shape, np.inf)
    freedom: FloatArray = np.divide(variance**2, squares, out=infinite, where=squares > 1e-300)
    return freedom


def _student(freedom: FloatArray) -> FloatArray:
    with np.errstate(invalid="ignore"):
        return np.asarray(stats.t.ppf((1 + LEVEL) / 2, np.clip(freedom, 1.0, 1e9)), dtype=np.float64)


def _quantiles(
    template: FloatArray, error: FloatArray, times: FloatArray, stratum: IntArray
) -> tuple[FloatArray, FloatArray]:
    """The studentised resamples' quantiles (R, K) at both ends."""
    flat = template.reshape(len(template), -1)
    moved, squares = np.zeros((2, len(times), flat.shape[1]))
    for number in np.unique(stratum):
        inside = stratum == number
        m = int(inside.sum())
        if m < 2:
            continue
        values, drawn = flat[inside] - flat[inside].mean(axis=0), times[:, inside]
        summed_values = drawn @ values
        moved += summed_values
        squares += (drawn @ values**2 - summed_values**2 / m) * m / (m - 1)
    unit = np.maximum(np.sqrt(np.maximum(squares, 0.0)), _LEAST * error.ravel())
    t = np.divide(moved, unit, out=np.zeros_like(moved), where=unit > 0)
    low, high = np.quantile(t, [(1 - LEVEL) / 2, (1 + LEVEL) / 2], axis=0)
    return low.reshape(error.shape), high.reshape(error.shape)


def variance_over_both(template: FloatArray, cell: FloatArray, clusters: Clusters) -> tuple[FloatArray, FloatArray]:
    """The variance over templates and terms (R, K) and its degrees of freedom; NaN where a group has one term only."""
    templates, terms = _Within(template, clusters.stratum), _Within(clusters.in_terms(cell), clusters.term_group)
    if clusters.nested:
        own = (np.where((clusters.term < clusters.n_terms)[:, None, None], cell, 0.0) ** 2).sum(axis=0)
        least = terms.variance
    else:
        own = _own_of_cells(cell, clusters)
        least = np.maximum(templates.variance, terms.variance)
    both = np.maximum(templates.variance + terms.variance - own, least)
    freedom = _freedom(both, [templates, terms])
    alone = freedom <= 0
    lone_groups = np.flatnonzero(np.bincount(clusters.term_group) == 1)
    for term in np.flatnonzero(np.isin(clusters.term_group, lone_groups)):
        alone |= (cell[clusters.term == term] != 0).any(axis=0)
    return np.where(alone, np.nan, both), freedom


def _own_of_cells(cell: FloatArray, clusters: Clusters) -> FloatArray:
    """The part of the variance (R, K) that is a cell's own: counted with its template and with its term."""
    flat = cell.reshape(len(cell), -1)
    distance = flat.copy()
    for sign, (sums, count) in zip((-1.0, -1.0, 1.0), clusters.blocks, strict=True):
        distance += sign * (sums.T @ ((sums @ flat) / count[:, None]))
    own: FloatArray = (distance**2 * clusters.cell_factor[:, None]).sum(axis=0)
    return own.reshape(cell.shape[1:])


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
