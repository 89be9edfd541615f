"""Of all pairs of two groups inside a source the one that differs most."""

from __future__ import annotations

import numpy as np
import pandas as pd

from fairness_checklist.arrays import BoolArray, FloatArray, IntArray

__all__ = ["best_of_each_source", "diverse"]

_SIDES = ("left", "right")
_SAME_TERMS = 2


def best_of_each_source(frame: pd.DataFrame, values: FloatArray, wording: IntArray) -> pd.DataFrame:
    """The worst pair of each source: source, left and right (positions in the frame), column, change, flips.

    A pair's change is largest between the extremes of two cells, and a cell is a group's rows of one decision in a
    source: so only the extremes of each cell and class are compared.
    """
    source = pd.factorize(frame["source"].astype("str"))[0].astype(np.int64)
    group = frame["code"].to_numpy(np.int64)
    cell, first = np.unique(np.stack([source, group, wording]), axis=1, return_inverse=True)
    first = first.reshape(-1)
    low, high = _extremes(values, first, cell.shape[1])
    found = []
    start = np.searchsorted(cell[0], np.arange(cell[0].max() + 2))
    for s in range(len(start) - 1):
        inside = np.arange(start[s], start[s + 1])
        best = _best_pair(values, cell[1, inside], cell[2, inside], low[inside], high[inside])
        if best is not None:
            found.append((s, *best))
    columns = ["source", "left", "right", "column", "change", "flips"]
    return pd.DataFrame(found, columns=columns).astype({"flips": "bool"})


def diverse(best: pd.DataFrame, frame: pd.DataFrame, n: int) -> pd.DataFrame:
    """The first n pairs, at most two of the same two terms as long as there are others, in the same order."""
    if "term" not in frame.columns:
        return best.head(n)
    terms = frame["term"].astype("str").to_numpy()
    names = np.sort(np.stack([terms[best[side].to_numpy(np.int64)] for side in _SIDES], axis=1), axis=1)
    earlier = pd.DataFrame(names).groupby([0, 1]).cumcount().to_numpy()
    kept = np.concatenate([np.flatnonzero(earlier < _SAME_TERMS), np.flatnonzero(earlier >= _SAME_TERMS)])[:n]
    return best.iloc[np.sort(kept)]


def _extremes(values: FloatArray, cell: IntArray, size: int) -> tuple[IntArray, IntArray]:
    """(size, C) the rows with the lowest and with the highest value of each cell; of equal ones the first."""
    low, high = np.empty((size, values.shape[1]), np.int64), np.empty((size, values.shape[1]), np.int64)
    for c in range(values.shape[1]):
        for sign, found in ((1, low), (-1, high)):
            order = np.lexsort((np.arange(len(cell)), sign * values[:, c], cell))
            found[:, c] = order[np.searchsorted(cell[order], np.arange(size))]
    return low, high


def _best_pair(
    values: FloatArray, group: IntArray, wording: IntArray, low: IntArray, high: IntArray
) -> tuple[int, int, int, float, bool] | None:
    """(left, right, column, change, flips) among the cells of one source; None where there is one group only."""
    distance: BoolArray = group[:, None] != group
    if not distance.any():
        return None
    columns = np.arange(values.shape[1])
    change = values[high, columns][:, None, :] - values[low, columns][None, :, :]
    flips: BoolArray = distance & (wording[:, None] != wording)
    allowed = flips if flips.any() else distance
    ranked = np.where(allowed[:, :, None], np.round(change, 12), -np.inf)
    c = int(np.flatnonzero(ranked.max(axis=(0, 1)) == ranked.max())[-1])
    i, j = np.unravel_index(int(ranked[:, :, c].argmax()), allowed.shape)
    a, b = int(high[i, c]), int(low[j, c])
    left, right = (a, b) if group[i] < group[j] else (b, a)
    return left, right, c, float(change[i, j, c]), bool(flips[i, j])
