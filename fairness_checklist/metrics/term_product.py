"""Groupings: rows of the T-ary product of the groups' terms, listed or drawn.

A grouping is one row ``(source, variation of group 0, variation of group 1, ...)``; variations are numbered within a
source and group in the order of the rows. It is what the core paper samples; by default nothing is sampled here.
"""

import numpy as np

from fairness_checklist.core.arrays import BoolArray, FloatArray, IntArray, divide
from fairness_checklist.core.errors import OptionError
from fairness_checklist.core.outcomes import Outcomes
from fairness_checklist.metrics import comparisons
from fairness_checklist.metrics.contrasts import Contrasts, observations, sums_by_code
from fairness_checklist.metrics.metric_forms import Metric


def variation_table(source: IntArray, group: IntArray, n_sources: int, n_groups: int) -> tuple[IntArray, IntArray]:
    """The number of rows of each source and group, sizes (S, G), and the rows (S, G, V), -1 beyond a group's size.

    Codes (n,): rows with group >= n_groups or source < 0 take no part.
    """
    part = np.flatnonzero((source >= 0) & (group >= 0) & (group < n_groups))
    code = source[part] * n_groups + group[part]
    order = np.argsort(code, kind="stable")
    part, code = part[order], code[order]
    sizes = np.bincount(code, minlength=n_sources * n_groups)
    start = np.cumsum(sizes) - sizes
    rows = np.full((n_sources * n_groups, max(1, int(sizes.max(initial=0)))), -1, dtype=np.int64)
    rows[code, np.arange(len(part)) - start[code]] = part
    return sizes.reshape(n_sources, n_groups), rows.reshape(n_sources, n_groups, -1)


def draw_groupings(sizes: IntArray, limit: int, seed: int, *, sample: int = 0) -> IntArray:
    """(R, 1 + G) each source's product, sizes (S, G), of at most ``limit`` rows, else distinct rows of it.

    Of a larger product there are ``sample`` rows, or ``limit``.
    """
    generator = np.random.default_rng(seed)
    products = sizes.astype(np.float64).prod(axis=1)
    drawn = np.where(products <= limit, products, sample or limit).astype(np.int64)
    listed = np.empty((int(drawn.sum()), 1 + sizes.shape[1]), dtype=np.int32)  # small numbers, and very many
    listed[:, 0] = np.repeat(np.arange(len(sizes)), drawn)
    of_source = np.split(listed[:, 1:], np.cumsum(drawn)[:-1])
    for shape, product, rows in zip(sizes, products, of_source, strict=False):
        if product > limit:
            rows[:] = _distinct_rows(shape, len(rows), generator)
        elif product:
            rows[:] = _rows_of_product(np.arange(len(rows)), shape)
    return listed


def _distinct_rows(shape: IntArray, limit: int, generator: np.random.Generator) -> IntArray:
    """``limit`` distinct rows of a larger product, in the order drawn."""
    if shape.astype(np.float64).prod() >= 2**62:  # rows cannot be numbered, and none is drawn twice
        return generator.integers(0, shape, size=(limit, len(shape)))
    size = int(shape.prod())
    numbers = np.empty(0, dtype=np.int64)
    while len(numbers) < limit:
        drawn = np.concatenate([numbers, generator.integers(0, size, size=limit)])
        numbers = drawn[np.sort(np.unique(drawn, return_index=True)[1])]
    return _rows_of_product(numbers[:limit], shape)


def _rows_of_product(numbers: IntArray, shape: IntArray) -> IntArray:
    """(R, G) the rows of these numbers, the last group's variation counting fastest; of any number of groups."""
    stride = np.append(np.cumprod(shape[:0:-1])[::-1], 1)
    return np.asarray(numbers[:, None] // stride % shape)


def check_groupings(groupings: IntArray, sizes: IntArray) -> IntArray:
    """The groupings as an integer array, every number inside its range, or an `OptionError`."""
    rows = np.asarray(groupings)
    n_sources, n_groups = sizes.shape
    if rows.ndim != 2 or rows.shape[1] != 1 + n_groups or not np.issubdtype(rows.dtype, np.integer):
        raise OptionError(
            f"groupings have the shape {rows.shape}; expected whole numbers of shape (rows, {1 + n_groups}).",
            remedy="One row a grouping: the source's position, then the variation of each group in order.",
        )
    outside = (rows[:, 0] < 0) | (rows[:, 0] >= n_sources)
    inside = np.where(outside, 0, rows[:, 0])
    outside |= ((rows[:, 1:] < 0) | (rows[:, 1:] >= sizes[inside])).any(axis=1) if len(rows) else outside
    if outside.any():
        at = int(np.flatnonzero(outside)[0])
        raise OptionError(f"grouping {at + 1:,} is {rows[at].tolist()}: no such source or variation.")
    return rows.astype(np.int64)


def mean_by_source(
    values: FloatArray, source: IntArray, n_sources: int, weight: FloatArray | None = None
) -> FloatArray:
    """(S, ...) weighted means of the defined values (R, ...) of each source; NaN where it has none."""
    weights = np.ones(len(values)) if weight is None else weight
    part, mass = sums_by_code(values.reshape(len(values), -1), source, weights, n_sources)
    return divide(part, mass).reshape(n_sources, *values.shape[1:])


_CHUNK = 1_000_000


def _dense(metric: Metric, outcomes: Outcomes) -> tuple[FloatArray, FloatArray]:
    """Single scores (n + 1, W, K) by row and position, NaN for none, and weights (n + 1,); the last row is no row."""
    values, row, position = observations(metric.score, outcomes)
    table = np.full((len(outcomes) + 1, int(position.max(initial=0)) + 1, values.shape[1]), np.nan)
    alike = position >= 0
    table[row[alike], position[alike]] = values[alike]
    return table, np.append(outcomes.weight, 1.0)


def _over_positions(values: FloatArray) -> FloatArray:
    """The mean over the axis of positions (the last but one), undefined ones left out."""
    if values.shape[-2] == 1:
        return values[..., 0, :]
    fine = ~np.isnan(values)
    return divide(np.where(fine, values, 0.0).sum(axis=-2), fine.sum(axis=-2))


def every_pair(metric: Metric, outcomes: Outcomes, left: IntArray, right: IntArray, rows: IntArray) -> FloatArray:
    """The expectation of d(X, Y) over all pairs of two groups' terms in each source, by weight: (S, P, K).

    Shapes: left, right (P,); rows (S, G + 1, V).
    """
    dense, weight = _dense(metric, outcomes)
    result = np.full((len(rows), len(left), dense.shape[2]), np.nan)
    for p in range(len(left)):
        of_left, of_right = rows[:, left[p], :, None], rows[:, right[p], None, :]
        x, y = dense[of_left], dense[of_right]
        d = metric.compare(x, y) if metric.family == "pairwise" else metric.compare(y, x)
        d = _over_positions(d).reshape(len(rows), -1, dense.shape[2])
        source = np.repeat(np.arange(len(rows)), d.shape[1])
        both = (weight[of_left] * weight[of_right]).reshape(-1)
        result[:, p] = mean_by_source(d.reshape(-1, dense.shape[2]), source, len(rows), both)
    return result


def over_rows(
    metric: Metric, outcomes: Outcomes, contrasts: Contrasts, listed: IntArray, rows: IntArray
) -> tuple[FloatArray, FloatArray]:
    """The mean of d over listed rows of the product, and its variance over them: (S, P, K) each.

    A row weighs the product of its members' weights. A group that a source lacks (-1 in ``rows``) has no score in it.
    In a background metric the background's score is the mean over its members in the row.
    """
    dense, weight = _dense(metric, outcomes)
    groups = np.arange(rows.shape[1] - 1)
    shape = (1 if metric.family == "multigroup" else len(contrasts.left), dense.shape[2])
    sums = [np.zeros((len(rows), *shape)) for _ in range(3)]
    step = max(1, _CHUNK // (len(groups) * dense.shape[1] * dense.shape[2]))
    for start in range(0, len(listed), step):
        some = listed[start : start + step]
        members = rows[some[:, :1], groups, some[:, 1:]]
        control = dense[rows[some[:, 0], -1, 0]]
        d = _over_positions(_row_contrasts(metric, outcomes, contrasts, dense[members], control, members >= 0))
        mass = np.where(np.isnan(d), 0.0, weight[members].prod(axis=1)[:, None, None])
        d = np.where(np.isnan(d), 0.0, d)
        for total, term in zip(sums, (mass, mass * d, mass * d**2), strict=True):
            np.add.at(total, some[:, 0], term)
    count, first, second = sums
    mean = divide(first, count)
    return mean, np.maximum(divide(second, count) - mean**2, 0.0)


def _row_contrasts(
    metric: Metric, outcomes: Outcomes, contrasts: Contrasts, x: FloatArray, control: FloatArray, there: BoolArray
) -> FloatArray:
    """d in each row of scores x (R, G, W, K), some not ``there`` (R, G), and the control's (R, W, K): (R, P, W, K)."""
    if metric.family == "pairwise":
        return metric.compare(x[:, contrasts.left], x[:, contrasts.right])
    if metric.background is None:
        undone = (np.isnan(x) & there[:, :, None, None]).any(axis=1)
        return np.where(undone, np.nan, comparisons.of_present(metric.compare, np.moveaxis(x, 1, -1)))[:, None]
    beta = metric.membership(outcomes.groups)[contrasts.left]
    members = np.concatenate([x, control[:, None]], axis=1)
    there = ~np.isnan(members)
    summed = np.einsum("bg,rgwk->rbwk", beta, np.where(there, members, 0.0))
    return metric.compare(divide(summed, np.einsum("bg,rgwk->rbwk", beta, there)), x[:, contrasts.left])


def whole_product(
    metric: Metric, outcomes: Outcomes, contrasts: Contrasts, listed: IntArray, rows: IntArray
) -> tuple[FloatArray, str]:
    """The mean over the whole product (S, P, K), or over the rows drawn from it with a note of the standard error.

    Shapes: rows (S, G + 1, V).
    """
    mean, variance = over_rows(metric, outcomes, contrasts, listed, rows)
    drawn = np.bincount(listed[:, 0], minlength=len(rows))
    product = np.maximum((rows[:, :-1] >= 0).sum(axis=2), 1).astype(np.float64).prod(axis=1)
    sampled = (drawn > 0) & (drawn < product)
    if not sampled.any():
        return mean, ""
    noise = np.where(sampled[:, None, None], variance / np.maximum(drawn, 1)[:, None, None], 0.0)
    fine = ~np.isnan(noise)
    error = np.sqrt(np.where(fine, noise, 0.0).sum(axis=0)) / np.maximum(fine.sum(axis=0), 1)
    return mean, (
        f"mean over {int(drawn[sampled].max()):,} rows drawn from each product that is larger, "
        f"standard error at most {error.max():.1g}"
    )
