"""Groupings: rows of the T-ary product of the groups' terms, listed or drawn.

A grouping is one row ``(source, variation of group 0, variation of group 1, ...)``; variations are numbered within a
source and group in the order of the rows. It is what the core paper samples; by default nothing is sampled here.
"""

from __future__ import annotations

import numpy as np

from fairness_checklist.arrays import FloatArray, IntArray
from fairness_checklist.errors import OptionError

__all__ = ["check_groupings", "draw_groupings", "variation_table"]


def variation_table(source: IntArray, group: IntArray, n_sources: int, n_groups: int) -> tuple[IntArray, IntArray]:
    """How many rows each source and group has, and which.

    Args:
        source, group: (n,) codes; rows with group >= n_groups or source < 0 take no part.

    Returns:
        sizes (S, G) and rows (S, G, V), -1 beyond a group's size.

    >>> sizes, rows = variation_table(np.array([0, 0, 0]), np.array([0, 1, 1]), 1, 2)
    >>> sizes.tolist(), rows.tolist()
    ([[1, 2]], [[[0, -1], [1, 2]]])
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


def draw_groupings(sizes: IntArray, limit: int, seed: int) -> IntArray:
    """The whole product of each source where it has at most ``limit`` rows, else ``limit`` distinct rows of it.

    Args:
        sizes: (S, G) variations a source and group; a source with an empty group gives no row.
        limit: how many rows a source may have.
        seed: of a generator of its own.

    Returns:
        (R, 1 + G) groupings.

    >>> draw_groupings(np.array([[1, 2]]), 100, seed=0).tolist()
    [[0, 0, 0], [0, 0, 1]]
    """
    generator = np.random.default_rng(seed)
    blocks = []
    for source, shape in enumerate(sizes):
        product = float(np.prod(shape.astype(np.float64)))
        if product == 0:
            continue
        if product <= limit:
            rows = np.stack([axis.ravel() for axis in np.indices(tuple(shape))], axis=1)
        else:
            rows = _distinct_rows(shape, limit, generator)
        blocks.append(np.column_stack([np.full(len(rows), source), rows]))
    return np.concatenate(blocks) if blocks else np.empty((0, 1 + sizes.shape[1]), dtype=np.int64)


def _distinct_rows(shape: IntArray, limit: int, generator: np.random.Generator) -> IntArray:
    """``limit`` distinct rows of a larger product, in the order drawn."""
    if shape.astype(np.float64).prod() >= 2**62:  # rows cannot be numbered, and none is drawn twice
        return generator.integers(0, shape, size=(limit, len(shape)))
    size = int(shape.prod())
    numbers = np.empty(0, dtype=np.int64)
    while len(numbers) < limit:
        drawn = np.concatenate([numbers, generator.integers(0, size, size=limit)])
        numbers = drawn[np.sort(np.unique(drawn, return_index=True)[1])]
    return np.stack(np.unravel_index(numbers[:limit], tuple(shape)), axis=1)


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
    flat = values.reshape(len(values), -1)
    result = np.empty((n_sources, flat.shape[1]))
    for k in range(flat.shape[1]):
        fine = ~np.isnan(flat[:, k])
        mass = np.bincount(source[fine], weights=weights[fine], minlength=n_sources)
        part = np.bincount(source[fine], weights=weights[fine] * flat[fine, k], minlength=n_sources)
        result[:, k] = np.divide(part, mass, out=np.full(n_sources, np.nan), where=mass > 0)
    return result.reshape(n_sources, *values.shape[1:])
