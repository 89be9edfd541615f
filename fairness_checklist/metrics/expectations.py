"""Expectations over the product of the groups' terms, or distances, of a whole source: closed forms or quadrature.

`CLOSED_FORMS` files them by comparison, so that one's own comparison may have one too; what has none is looked at pair
by pair, or row by row of the product.

The expected standard deviation over the groups is found by enumeration or by quadrature. With V the variance (divisor
T) of a row of the product, E sqrt(V) = 1/sqrt(pi) int_0^inf (1 - E exp(-t^2 V)) / t^2 dt, and E exp(-t^2 V) =
t/sqrt(pi) int prod_t (mean_k exp(-(t^2/T) (x_tk - m)^2)) dm: the product of the groups' terms falls apart into one
factor a group. The inner integral is a sum over evenly spaced m, which for Gaussians is as good as exact; the outer one
takes Gauss-Legendre nodes, first in t, then in log t; beyond the last one stands its power law.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from fairness_checklist.core.arrays import BoolArray, FloatArray, IntArray, ranges
from fairness_checklist.core.outcomes import Outcomes
from fairness_checklist.metrics import closed_forms, comparisons
from fairness_checklist.metrics.closed_forms import Block, CellDistributions, expected_range
from fairness_checklist.metrics.contrasts import observations
from fairness_checklist.metrics.scores import Score
from fairness_checklist.metrics.term_product import mean_by_source

_ENUMERATED = (4096, 300_000, 12_000)  # rows of the product: many groups, three, four (fewer converge slowly)
_CHUNK = 500_000  # numbers of the largest array
_WIDTH = 128  # about how many m each score meets
_FIRST, _FACTOR, _PANELS = 1.5, 10**0.5, 12
_NODES_FIRST, _NODES = 7, 6
_TOLERANCE = 1e-7
_SPARSE = 4  # times as many m as a score meets: then each score is put on these alone
_SAME = 1e-9  # scores that are closer, as a share of their range, count as one score


def expected_deviation(cells: CellDistributions, n_groups: int) -> tuple[FloatArray, FloatArray]:
    """E[standard deviation] (divisor T) of one draw from each of the first groups, and a bound of its error.

    Returns (Q,) values, NaN where fewer than two groups have a score, and (Q,) bounds of the error, 0 where all rows of
    the product were enumerated (or there are two groups: half of the expected distance). Metric 19 of Table 2
    (Prabhakaran et al. 2019; Czarnowska et al. 2021).
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


def quadrature_note(estimates: Sequence[tuple[FloatArray, FloatArray]]) -> str:
    """A remark on values and bounds of `expected_deviation` that are no enumeration; "" where all are."""
    if not any((error > 0).any() for _value, error in estimates):
        return ""
    means = [(float(np.nanmean(value)), float(error.mean())) for value, error in estimates if (error > 0).any()]
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

    Shapes: score, share (c, G, V); there (c, G).
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

    Shapes: there (c, G).
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
        integrals, bound = _integrals(score, share[some], there[some])
        value[some], error[some] = integrals * scale[:, 0], bound * scale[:, 0]
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
    reach = int(np.ceil(2 * tail * np.sqrt(there.shape[1]) / spacing)) + 2  # how many m are near a score
    size = int(n_m.max(initial=1))
    sum_products, width = (_sums_near_scores, reach) if size > _SPARSE * reach else (_sums, size)
    summed = np.empty(len(score))
    step = max(1, _CHUNK // (width * score.shape[1]))
    for start in range(0, len(score), step):
        some = slice(start, start + step)
        grid = EvenGrid(ends[0, some] - tail / t, spacing / t, n_m[some], tail)
        summed[some] = sum_products(t, score[some], share[some], there[some], grid)
    result: FloatArray = summed * spacing / np.sqrt(np.pi)
    return result


@dataclass(frozen=True, eq=False)
class EvenGrid:
    """Evenly spaced m: ``size`` (c,) of them in each cell from ``least`` (c,) on.

    A score counts no more where exp(-rate (x - m)^2) is below exp(-tail^2).
    """

    least: FloatArray
    spacing: float
    size: IntArray
    tail: float


def _sums_near_scores(t: float, score: FloatArray, share: FloatArray, there: BoolArray, grid: EvenGrid) -> FloatArray:
    """As `_sums`, from the m near each score alone: the product is above 0 near the scores of every group, and so of
    the group with the fewest.

    The m are numbered through all cells.
    """
    size, first_m = there.sum(axis=1), np.cumsum(grid.size) - grid.size
    cell, group, at = np.nonzero(share)
    x, rate = score[cell, at], t**2 / size
    middle, half = (x - grid.least[cell]) / grid.spacing, grid.tail / np.sqrt(rate[cell]) / grid.spacing
    low = first_m[cell] + np.clip(np.ceil(middle - half), 0, grid.size[cell]).astype(np.int64)
    high = first_m[cell] + np.clip(np.floor(middle + half) + 1, 0, grid.size[cell]).astype(np.int64)
    count = np.where(there, (share > 0).sum(axis=2), share.shape[2] + 1)
    fewest = count.argmin(axis=1)[cell] == group
    behind = np.maximum.accumulate(np.append(0, high[fewest]))[:-1]
    owner, used = ranges(np.maximum(low[fewest], behind), np.maximum(high[fewest], behind))
    cell_of_m = cell[fewest][owner]
    m = grid.least[cell_of_m] + grid.spacing * (used - first_m[cell_of_m])
    owner, number = ranges(np.searchsorted(used, low), np.searchsorted(used, high))
    kernel = share[cell, group, at][owner] * np.exp(-rate[cell][owner] * (x[owner] - m[number]) ** 2)
    means = np.bincount(group[owner] * len(used) + number, weights=kernel, minlength=there.shape[1] * len(used))
    product = np.where(there[cell_of_m].T, means.reshape(there.shape[1], -1), 1.0).prod(axis=0)
    return np.bincount(cell_of_m, weights=product, minlength=len(score)).astype(np.float64)


def _sums(t: float, score: FloatArray, share: FloatArray, there: BoolArray, grid: EvenGrid) -> FloatArray:
    """(c,) the sum over m of the product of the groups' means of exp(-rate (x - m)^2), where rate = t^2 / T."""
    means = _means(score, share, t**2 / there.sum(axis=1), grid.least, grid.spacing, int(grid.size.max()))
    np.copyto(means, 1.0, where=~there[:, None, :])
    summed: FloatArray = means.prod(axis=2).sum(axis=1)
    return summed


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


class ScoreCells:
    """The scores of the symmetric sources, one class at a time; sorted once for all groups and weights.

    A cell is a source (``pooled``: set scores) or one word of a source (single scores).
    """

    def __init__(self, score: Score, outcomes: Outcomes, *, pooled: bool) -> None:
        self.values, row, position = observations(score, outcomes)
        source = outcomes.source[row]
        enters = (source >= 0) & outcomes.symmetric[source]
        part = np.flatnonzero(enters if pooled else enters & (position >= 0))
        if len(part) < len(row):
            self.values, row, source, position = self.values[part], row[part], source[part], position[part]
        self.width = 1 if pooled else int(position.max(initial=0)) + 1
        self.cell, self.row = source if self.width == 1 else source * self.width + position, row
        self.n_sources = len(outcomes.sources)
        self.of_all: dict[int, tuple[IntArray, closed_forms.CellDistributions]] = {}

    def of_class(self, k: int, outcomes: Outcomes) -> closed_forms.CellDistributions:
        """The sorted scores of class k in each cell, with the groups and the weights of these outcomes."""
        n_columns, n_cells = len(outcomes.groups) + 1, self.n_sources * self.width
        if k not in self.of_all:
            there = np.flatnonzero(~np.isnan(self.values[:, k]))
            if (self.cell[there[1:]] < self.cell[there[:-1]]).any():
                there = there[np.argsort(self.cell[there], kind="stable")]
            row = self.row[there]
            group, weight = np.maximum(outcomes.group[row], 0), outcomes.weight[row]
            made = closed_forms.sort_cells(self.values[there, k], self.cell[there], group, weight, n_cells, n_columns)
            self.of_all[k] = row, made
        row, cells = self.of_all[k]
        group, weight = outcomes.group[row], outcomes.weight[row]
        kept = group >= 0
        if kept.all():
            return cells.weighed(group, weight)
        return closed_forms.sort_cells(
            cells.value[kept], cells.cell[kept], group[kept], weight[kept], n_cells, n_columns
        )

    def by_source(self, values: FloatArray) -> FloatArray:
        """(S, ...) means over each source's cells of (S * width, ...) values, the undefined ones left out."""
        if self.width == 1:
            return values
        return mean_by_source(values, np.arange(len(values)) // self.width, self.n_sources)


@dataclass(frozen=True, eq=False)
class ContrastSides:
    """The two sides of P contrasts, as a closed form gets them.

    Attributes:
        family: of the metric; of a background metric d gets the background first.
        left: (P,) the groups.
        right: (P,) the groups that they are compared with, G for the control; -1 where a background is no single group.
        beta: (P, G + 1) the backgrounds.
        n_groups: G.
    """

    family: str
    left: IntArray
    right: IntArray
    beta: FloatArray
    n_groups: int

    @property
    def single(self) -> bool:
        """Whether every contrast is one of two groups, or of a group and the control."""
        return self.family != "multigroup" and bool((self.right >= 0).all())


Contrasted = tuple[FloatArray, FloatArray | None]  # the contrasts of each cell (Q, P), and a bound of their error (Q,)
ClosedForm = Callable[[closed_forms.CellDistributions, ContrastSides], Contrasted | None]


def _distance(cells: closed_forms.CellDistributions, sides: ContrastSides) -> Contrasted | None:
    return (closed_forms.expected_distance(cells, sides.left, sides.right), None) if sides.single else None


def _difference(cells: closed_forms.CellDistributions, sides: ContrastSides) -> Contrasted | None:
    if not sides.single:
        return None
    mean = closed_forms.means(cells)
    distance = mean[:, sides.left] - mean[:, sides.right]
    return (distance if sides.family == "pairwise" else -distance), None


def _only_in_background(cells: closed_forms.CellDistributions, sides: ContrastSides) -> Contrasted | None:
    """E[b (1 - g)] of the decisions of the group and its background, which is the mean over one draw from each of its
    groups."""
    if sides.family != "background":
        return None
    mean = closed_forms.means(cells)
    there = ~np.isnan(mean)
    size = there @ sides.beta.T
    summed = np.where(there, mean, 0.0) @ sides.beta.T
    behind = np.divide(summed, size, out=np.full(size.shape, np.nan), where=size > 0)
    return behind * (1 - mean[:, sides.left]), None


def _range(cells: closed_forms.CellDistributions, sides: ContrastSides) -> Contrasted | None:
    return closed_forms.expected_range(cells, sides.n_groups)[:, None], None


def _deviation(cells: closed_forms.CellDistributions, sides: ContrastSides) -> Contrasted | None:
    value, error = expected_deviation(cells, sides.n_groups)
    return value[:, None], error


def root_of_variance(cells: closed_forms.CellDistributions, sides: ContrastSides) -> Contrasted | None:
    """The root of the expected variance, which is near the expected deviation and takes no integral."""
    return np.sqrt(closed_forms.expected_variance(cells, sides.n_groups))[:, None], None


def _distance_of_sets(cells: closed_forms.CellDistributions, sides: ContrastSides) -> Contrasted | None:
    if sides.family != "pairwise":
        return None
    return closed_forms.wasserstein_distance(cells, sides.left, sides.right), None


CLOSED_FORMS: dict[comparisons.Comparison, ClosedForm] = {
    comparisons.abs_diff: _distance,
    comparisons.difference: _difference,
    comparisons.only_in_background: _only_in_background,
    comparisons.score_range: _range,
    comparisons.score_deviation: _deviation,
    comparisons.wasserstein_1: _distance_of_sets,
}
"""Expectations over the product of the groups' terms, or distances, that are known for a whole cell; None from a form
that does not hold for these sides. One's own comparison may have one too."""
