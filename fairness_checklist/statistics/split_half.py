"""Whether the groups have the same order in two halves of the sources: split-half reliability."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fairness_checklist.core.arrays import BoolArray, FloatArray, IntArray
from fairness_checklist.statistics.subsets import Computed, group_values, values_of_subsets


@dataclass(frozen=True, eq=False)
class SplitHalf:
    """The rank correlation of the groups between two halves of the sources, for K classes.

    Attributes:
        correlation: (K,) Spearman's rank correlation of the groups' values, the mean over the splits that have one.
        corrected: (K,) the same for as many sources as there are (Spearman 1910, Brown 1910): 2 r / (1 + r); where r is
            not above 0 it stays as it is.
        splits: (K,) splits that have a correlation.
        drawn: splits in all.
        why: the reason if there is none, or "".
    """

    correlation: FloatArray
    corrected: FloatArray
    splits: IntArray
    drawn: int
    why: str = ""


def split_half_correlation(computed: Computed, *, splits: int = 200, seed: int = 0) -> SplitHalf:
    """Split the sources in two again and again, half of each label to either side, and compare the groups' ranks.

    Returns NaN with a reason below three groups, without sources, and for metrics of all groups at once.
    """
    outcomes, size = computed.outcomes, computed.result.value.shape[1]
    why = ""
    if len(outcomes.groups) < 3:
        why = f"{len(outcomes.groups)} groups have no order worth the name: three are needed"
    elif not len(outcomes.sources):
        why = "the rows have no source"
    elif computed.metric.family == "multigroup":
        why = "it compares all groups at once and has no value a group"
    if why:
        nothing = np.full(size, np.nan)
        return SplitHalf(nothing, nothing, np.zeros(size, dtype=np.int64), 0, why)
    first = _draw_halves(computed, splits, seed)
    block = np.where(outcomes.source >= 0, outcomes.source, len(outcomes.sources))
    none = np.zeros((splits, 1), dtype=np.bool_)  # rows without a source are in neither half
    x, y = (
        group_values(computed, values_of_subsets(computed, block, np.hstack([half, none]))) for half in (first, ~first)
    )
    found = rank_correlation(np.swapaxes(x, 1, 2), np.swapaxes(y, 1, 2))
    there = ~np.isnan(found)
    count = there.sum(axis=0)
    mean = np.divide(np.where(there, found, 0.0).sum(axis=0), count, out=np.full(size, np.nan), where=count > 0)
    with np.errstate(invalid="ignore"):
        corrected = np.where(mean > 0, 2 * mean / (1 + mean), mean)
    return SplitHalf(mean, corrected, count.astype(np.int64), splits)


def _draw_halves(computed: Computed, splits: int, seed: int) -> BoolArray:
    """(D, S) which sources are in the first half; of an odd label the odd one on either side by chance."""
    generator = np.random.default_rng(seed)
    sources = computed.outcomes.sources
    order = {label: at for at, label in enumerate(dict.fromkeys(source.label for source in sources))}
    label = np.array([order[source.label] for source in sources])
    first = np.zeros((splits, len(sources)), dtype=np.bool_)
    for one in range(len(order)):
        inside = np.flatnonzero(label == one)
        place = generator.random((splits, len(inside))).argsort(axis=1)
        first[:, inside] = place < (len(inside) + generator.integers(0, 2, size=(splits, 1))) // 2
    return first


def rank_correlation(x: FloatArray, y: FloatArray) -> FloatArray:
    """Spearman's rank correlation along the last axis, ties sharing the mean rank.

    Shapes: x, y (..., G).
    Returns (...) in [-1, 1]; NaN below three pairs, and where one side is all ties.
    """
    there = ~(np.isnan(x) | np.isnan(y))
    size = there.sum(axis=-1)
    ranks = []
    for values in (x, y):
        kept = np.where(there, values, np.nan)
        below = (kept[..., None, :] < kept[..., :, None]).sum(axis=-1)
        tied = (kept[..., None, :] == kept[..., :, None]).sum(axis=-1)
        rank = np.where(there, below + (tied + 1) / 2, 0.0)
        ranks.append(np.where(there, rank - (size[..., None] + 1) / 2, 0.0))
    spread = np.sqrt((ranks[0] ** 2).sum(axis=-1) * (ranks[1] ** 2).sum(axis=-1))
    shared = (ranks[0] * ranks[1]).sum(axis=-1)
    result: FloatArray = np.divide(
        shared, spread, out=np.full(np.shape(shared), np.nan), where=(spread > 0) & (size >= 3)
    )
    return result
