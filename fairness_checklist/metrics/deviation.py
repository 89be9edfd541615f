"""The expected standard deviation over the groups, one draw from each: by enumeration, or by quadrature.

With V the variance (divisor T) of a row of the product, E sqrt(V) = 1/sqrt(pi) int_0^inf (1 - E exp(-t^2 V)) / t^2 dt,
and E exp(-t^2 V) = t/sqrt(pi) int prod_t (mean_k exp(-(t^2/T) (x_tk - m)^2)) dm: the product of the groups' terms falls
apart into one factor a group. The inner integral is a sum over evenly spaced m, which for Gaussians is as good as
exact; the outer one takes Gauss-Legendre nodes, first in t, then in log t; beyond the last node the power law is used.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fairness_checklist.core.arrays import BoolArray, FloatArray, IntArray
from fairness_checklist.metrics.exact import Block, CellDistributions, expected_range

_ENUMERATED = (4096, 300_000, 12_000)  # rows of the product: many groups, three, four (fewer converge slowly)
_CHUNK = 500_000  # numbers of the largest array
_WIDTH = 128  # about how many m each score meets
_FIRST, _FACTOR, _PANELS = 1.5, 10**0.5, 12
_NODES_FIRST, _NODES = 7, 6
_TOLERANCE = 1e-7
_SAME = 1e-9  # scores that are closer, as a share of their range, count as one score


def expected_deviation(cells: CellDistributions, n_groups: int) -> tuple[FloatArray, FloatArray]:
    """E[standard deviation] (divisor T) of one draw from each of the first groups, and a bound of its error.

    Args:
        cells: Q cells.
        n_groups: how many of their groups take part: the control, the last, does not.

    Returns:
        (Q,) values, NaN where fewer than two groups have a score, and (Q,) bounds of the error, 0 where all rows of the
        product were enumerated (or there are two groups: half of the expected distance). Metric 19 of Table 2
        (Prabhakaran et al. 2019; Czarnowska et al. 2021).

    >>> from fairness_checklist.metrics.exact import sort_cells
    >>> cells = sort_cells(np.array([0.0, 1.0, 0.5]), np.zeros(3, int), np.array([0, 0, 1]), np.ones(3), 1, 2)
    >>> expected_deviation(cells, 2)
    (array([0.25]), array([0.]))
    """
    groups = cells.present[:, :n_groups].sum(axis=1)
    value = np.where(groups == 2, expected_range(cells, n_groups) / 2, np.nan)
    error = np.zeros(len(value))
    sizes = np.bincount(cells.cell * cells.mass.shape[1] + cells.group, minlength=cells.mass.size)
    sizes = np.maximum(sizes.reshape(cells.mass.shape)[:, :n_groups], 1)
    rows = sizes.astype(np.float64).prod(axis=1)
    listed = rows <= np.select([groups == 3, groups == 4], _ENUMERATED[1:], _ENUMERATED[0])
    _enumerate(cells, n_groups, np.flatnonzero(listed & (groups > 2)), sizes, value)
    large = ~listed & (groups > 2)
    if large.any():
        for block in cells.only(large).blocks(_WIDTH):
            value[block.cells], error[block.cells] = _by_quadrature(block, cells.present[block.cells, :n_groups])
    return value, error


def quadrature_note(found: Sequence[tuple[FloatArray, FloatArray]]) -> str:
    """A remark on values and bounds of `expected_deviation` that are no enumeration; "" where all are.

    >>> quadrature_note([(np.array([0.25, 0.5]), np.array([0.0, 1e-8]))])
    'by quadrature where a product has many rows, relative error at most 1e-07'
    """
    if not any((error > 0).any() for _value, error in found):
        return ""
    means = [(float(np.nanmean(value)), float(error.mean())) for value, error in found if (error > 0).any()]
    worst = max([_TOLERANCE, *(error / value for value, error in means if value > 0)])
    return f"by quadrature where a product has many rows, relative error at most {worst:.1g}"


def _enumerate(cells: CellDistributions, n_groups: int, some: IntArray, sizes: IntArray, value: FloatArray) -> None:
    """Write the mean over all rows of the product into ``value``, cells of the same sizes together."""
    shapes, of_shape = np.unique(sizes[some], axis=0, return_inverse=True)
    for number, shape in enumerate(shapes):
        alike = some[of_shape == number]
        step = max(1, _CHUNK // 8 // int(shape.prod()))
        for start in range(0, len(alike), step):
            part = alike[start : start + step]
            value[part] = _mean_over_product(*cells.table(part, n_groups), cells.present[part, :n_groups])


def _mean_over_product(score: FloatArray, share: FloatArray, there: BoolArray) -> FloatArray:
    """(c,) the mean deviation over the product of the groups' scores, by Welford's recurrence over the groups.

    Args:
        score, share: (c, G, V); a share of 0 where there is none.
        there: (c, G) which groups there are.
    """
    mean = squares = np.zeros((len(score), 1))
    mass = np.ones((len(score), 1))
    before: IntArray = np.cumsum(there, axis=1) - there
    for g in range(score.shape[1]):
        kept = np.flatnonzero(share[:, g].any(axis=0))
        kept = kept if len(kept) else np.zeros(1, dtype=np.int64)
        lacking, k = ~there[:, [g]], before[:, g, None, None]
        wide = np.where(lacking, np.arange(len(kept)) == 0, share[:, g][:, kept])
        distance = np.where(lacking, 0.0, score[:, g][:, kept])[:, None, :] - mean[:, :, None]
        distance[lacking[:, 0]] = 0.0
        squares = (squares[:, :, None] + distance**2 * (k / (k + 1))).reshape(len(score), -1)
        mean = (mean[:, :, None] + distance / (k + 1)).reshape(len(score), -1)
        mass = (mass[:, :, None] * wide[:, None, :]).reshape(len(score), -1)
    deviation: FloatArray = (mass * np.sqrt(squares / there.sum(axis=1)[:, None])).sum(axis=1)
    return deviation


def _by_quadrature(block: Block, there: BoolArray) -> tuple[FloatArray, FloatArray]:
    """(c,) the expected deviation in each cell of a block, and a bound of its error.

    Args:
        there: (c, G) which groups have a score, three or more.
    """
    share = block.shares(max(there.shape[1], int(block.group.max()) + 1))[:, : there.shape[1]]
    used: BoolArray = share.max(axis=1) > 0
    high = np.where(used, block.value, -np.inf).max(axis=1)
    low = np.where(used, block.value, np.inf).min(axis=1)
    wide = high - low
    some = np.flatnonzero(wide > 0)
    value, error = np.zeros(len(wide)), np.zeros(len(wide))
    scale = wide[some, None] / 2  # then V <= 1
    score = np.where(used[some], (block.value[some] - low[some, None]) / scale - 1, 0.0)
    if len(some):
        found, bound = _integrals(score, share[some], there[some])
        value[some], error[some] = found * scale[:, 0], bound * scale[:, 0]
    return value, error


def _integrals(score: FloatArray, share: FloatArray, there: BoolArray) -> tuple[FloatArray, FloatArray]:
    """E sqrt(V) of scores (c, N) in [-1, 1], their shares (c, G, N) and groups (c, G); and a bound of the error."""
    groups = there.sum(axis=1).astype(np.float64)
    ends = _range_of_means(score, share, there)
    always = _probability_of_one_score(score, share, there)
    total, bound = np.zeros(len(score)), np.zeros(len(score))
    going, last = np.arange(len(score)), _FIRST
    nodes, weights = np.polynomial.legendre.leggauss(_NODES_FIRST)
    at, width = (nodes + 1) / 2 * _FIRST, weights * _FIRST / 2
    for panel in range(_PANELS):
        for t, w in zip(at, width, strict=True):
            phi = _transform(float(t), score[going], share[going], there[going], ends[:, going], fine=panel == 0)
            total[going] += w * (1 - phi) / t**2
        left = _transform(last, score[going], share[going], there[going], ends[:, going], fine=False) - always[going]
        left = np.maximum(left, 0.0) / last
        # Beyond the last node the rest falls like t^(1 - T) where scores are spread; one T-th of it is taken off.
        tail = (1 - always[going]) / last - left / groups[going]
        small = left <= _TOLERANCE * (total[going] + tail)
        done = going[small | (panel == _PANELS - 1)]
        over = small | (panel == _PANELS - 1)
        total[done] += tail[over]
        bound[done] = left[over]
        going = going[~over]
        if not len(going):
            break
        nodes, weights = np.polynomial.legendre.leggauss(_NODES)
        half = np.log(_FACTOR) / 2
        at = last * np.exp(half * (nodes + 1))
        width, last = weights * half * at, last * _FACTOR
    return total / np.sqrt(np.pi), bound / np.sqrt(np.pi)


def _range_of_means(score: FloatArray, share: FloatArray, there: BoolArray) -> FloatArray:
    """(2, c) the least and the largest mean that a row of the product can have."""
    inside = share > 0
    least = np.where(inside, score[:, None, :], np.inf).min(axis=2)
    most = np.where(inside, score[:, None, :], -np.inf).max(axis=2)
    size = there.sum(axis=1)
    return np.stack([np.where(there, end, 0.0).sum(axis=1) / size for end in (least, most)])


def _probability_of_one_score(score: FloatArray, share: FloatArray, there: BoolArray) -> FloatArray:
    """(c,) how likely all groups draw the same score: then V = 0."""
    level = np.zeros(score.shape, dtype=np.int64)
    np.cumsum(np.diff(score, axis=1) > _SAME, axis=1, out=level[:, 1:])
    c, g, n = share.shape
    code = (np.arange(c)[:, None, None] * g + np.arange(g)[:, None]) * n + level[:, None, :]
    mass = np.bincount(code.ravel(), weights=share.ravel(), minlength=c * g * n).reshape(c, g, n)
    chance: FloatArray = np.where(there[:, :, None], mass, 1.0).prod(axis=1).sum(axis=1)
    return np.minimum(chance, 1.0)


def _transform(
    t: float, score: FloatArray, share: FloatArray, there: BoolArray, ends: FloatArray, *, fine: bool
) -> FloatArray:
    """(c,) E exp(-t^2 V), a sum over evenly spaced m; ``fine``: to 1e-11, else to 1e-8."""
    spacing, tail = (0.58, 5.2) if fine else (0.72, 4.3)
    n_m = np.ceil((ends[1] - ends[0]) * t / spacing + 2 * tail / spacing).astype(np.int64) + 1
    rate = t**2 / there.sum(axis=1)
    sizes = np.where(there, (share > 0).sum(axis=2), share.shape[2] + 1)
    width = int(np.ceil(2 * tail * np.sqrt(there.shape[1]) / spacing)) + 2
    if int(sizes.min(axis=1).max()) * width < n_m.mean():
        cell, least = _windows(score, share, there, sizes, ends[0] - tail / t, spacing / t, width)
    else:
        width, cell, least = int(n_m.max(initial=1)), np.argsort(n_m, kind="stable"), ends[0] - tail / t
        least = least[cell]
    summed = np.empty(len(cell))
    step = max(1, _CHUNK // (width * score.shape[1]))
    for start in range(0, len(cell), step):
        some = cell[start : start + step]
        size = min(width, int(n_m[some].max()))
        means = _means(score[some], share[some], rate[some], least[start : start + step], spacing / t, size)
        np.copyto(means, 1.0, where=~there[some][:, None, :])
        summed[start : start + step] = means.prod(axis=2).sum(axis=1)
    result: FloatArray = np.bincount(cell, weights=summed, minlength=len(score)) * spacing / np.sqrt(np.pi)
    return result


def _windows(
    score: FloatArray, share: FloatArray, there: BoolArray, sizes: IntArray, least: FloatArray, h: float, width: int
) -> tuple[IntArray, FloatArray]:
    """Stretches of ``width`` evenly spaced m outside of which the product is 0: the cell and the first m of each.

    Where the product is above 0, m is near a score of each group, and so of the group with the fewest scores. Stretches
    that would overlap are processed one after another.

    Args:
        sizes: (c, G) scores of each group.
        least: (c,) the first m of the whole grid, whose spacing is h.
    """
    rows, few = np.arange(len(score)), sizes.argmin(axis=1)
    most = int(sizes.min(axis=1).max())
    at = np.argsort(share[rows, few] <= 0, axis=1, kind="stable")[:, :most]
    known = np.arange(most) < sizes.min(axis=1)[:, None]
    half = width * h / 2
    first = np.floor((np.take_along_axis(score, at, axis=1) - half - least[:, None]) / h) + 1
    behind = width * np.arange(most)
    start = least[:, None] + h * (np.maximum.accumulate(first - behind, axis=1) + behind)
    near = np.zeros(start.shape)
    for g in range(there.shape[1]):
        own = np.where(share[:, g] > 0, score, np.inf)[:, None, :]
        gap = np.maximum(np.maximum(start[:, :, None] - own, own - start[:, :, None] - width * h), 0.0).min(axis=2)
        near += np.where(there[:, [g]], gap, 0.0) ** 2
    cell, number = np.nonzero(known & (near <= half**2))
    return cell, start[cell, number]


def _means(
    score: FloatArray, share: FloatArray, rate: FloatArray, least: FloatArray, spacing: float, size: int
) -> FloatArray:
    """(c, M, G) the mean of exp(-rate (x - m)^2) over each group's scores, at M = size evenly spaced m.

    m is b + r for coarse b and a few fine r: (x - b - r)^2 = (x - b)^2 - 2 r x + 2 r b + r^2 takes fewer exponentials.
    """
    # As many r as can be before a factor leaves the range of a float.
    fine = int(min(np.sqrt(size), 32, max(1.0, 150 / (rate.max() * spacing))))
    coarse = -(-size // fine)
    rate = rate[:, None, None]
    b = least[:, None] + spacing * fine * np.arange(coarse)
    r = spacing * np.arange(fine)
    near = np.exp(-rate * (score[:, None, :] - b[:, :, None]) ** 2)
    if fine > 1:
        turn = np.exp(2 * rate * r[:, None] * score[:, None, :])
        near = (near[:, :, None, :] * turn[:, None, :, :]).reshape(len(score), -1, score.shape[1])
    means: FloatArray = near @ np.ascontiguousarray(np.swapaxes(share, 1, 2))
    if fine > 1:
        means *= np.exp(-rate * (2 * r * b[:, :, None] + r**2)).reshape(len(score), -1, 1)
    return means[:, :size]
