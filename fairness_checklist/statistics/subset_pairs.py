"""Distances between two groups' scores inside sources, in subsets that leave some of one group's rows out."""

from __future__ import annotations

import numpy as np

from fairness_checklist import comparisons, scores
from fairness_checklist.arrays import BoolArray, FloatArray, IntArray
from fairness_checklist.metrics.contrasts import contrasts_of, observations
from fairness_checklist.metrics.groupings import mean_by_source
from fairness_checklist.metrics.metric import Metric, Options
from fairness_checklist.outcomes import Outcomes

__all__ = ["pairs_of_subsets"]

_CHUNK = 4_000_000


def pairs_of_subsets(
    line: Metric,
    outcomes: Outcomes,
    options: Options,
    value: FloatArray,
    block: IntArray,
    share: FloatArray,
    known: FloatArray | None,
) -> FloatArray | None:
    """W1 and expected distances of pairs where each subset lacks rows of one group: (D, P, K); None for others.

    Args:
        line, outcomes: the metric and its n rows.
        options: how it is computed; only the defaults have this form.
        value: (P, K) for all rows.
        block: (n,) the block of each row, -1 for none.
        share: (D, 1 + B) which blocks each subset keeps; the first column is of rows without a block.
        known: the values where they are known already; then they are what comes back.
    """
    kind = scores.about(line.score).kind
    form = (kind, line.compare) in (("set", comparisons.wasserstein_1), ("single", comparisons.abs_diff))
    if known is not None or line.family != "pairwise" or not form or options.stamp():
        return known
    groups = len(outcomes.groups)
    lacking = np.zeros((len(share), groups + 1), dtype=np.bool_)
    pairs = np.unique((block + 1) * (groups + 1) + outcomes.group)
    for lane in range(groups + 1):
        own = pairs[pairs % (groups + 1) == lane] // (groups + 1)
        lacking[:, lane] = (share[:, own] == 0).any(axis=1)
    if (lacking.sum(axis=1) > 1).any():
        return None
    return _distances(line, outcomes, value, block, share, lacking)


def _distances(
    line: Metric, outcomes: Outcomes, value: FloatArray, block: IntArray, share: FloatArray, lacking: BoolArray
) -> FloatArray:
    contrasts, groups = contrasts_of(line, outcomes), len(outcomes.groups)
    values, row, position = observations(line.score, outcomes)
    single = scores.about(line.score).kind == "single"
    source, group = outcomes.source[row], outcomes.group[row]
    inside = (source >= 0) & outcomes.symmetric[source] & (group < groups) & (outcomes.weight[row] > 0)
    inside &= position >= 0 if single else True
    width = int(position[inside].max(initial=0)) + 1 if single else 1
    cell = source * width + (position if single else 0)
    result = np.repeat(value[None], len(share), axis=0)
    for k, column in enumerate(values.T):
        kept = np.flatnonzero(inside & ~np.isnan(column))
        kept = kept[np.lexsort((column[kept], cell[kept]))]
        if not len(kept):
            continue
        cells = _SortedCells(column[kept], cell[kept])
        weight, of, part = outcomes.weight[row[kept]], group[kept], block[row[kept]] + 1
        whole, whole_mass = cells.below(np.eye(groups)[of] * weight[:, None])
        by_source = cells.occupied // width
        for g in range(groups):
            subsets = np.flatnonzero(lacking[:, g])
            step = max(1, _CHUNK // len(kept))
            for some in (subsets[i : i + step] for i in range(0, len(subsets), step)):
                own, own_mass = cells.below((weight * (of == g))[:, None] * share[some][:, part].T)
                for p in np.flatnonzero((contrasts.left == g) | (contrasts.right == g)):
                    h = contrasts.right[p] if contrasts.left[p] == g else contrasts.left[p]
                    both = (own_mass > 0) & (whole_mass[:, [h]] > 0)
                    distance = np.where(both, cells.total(_apart(own, whole[:, [h]], single)), np.nan)
                    if width > 1:
                        distance = mean_by_source(distance, by_source, len(outcomes.sources))
                    result[some, p, k] = _mean(distance)
    return result


def _apart(own: FloatArray, other: FloatArray, single: bool) -> FloatArray:
    """What the steps are multiplied by, from two distribution functions: of E|X - Y| or of W1."""
    if single:
        expected: FloatArray = own + other - 2 * other * own
        return expected
    apart = own - other
    return np.abs(apart, out=apart)


def _mean(by_source: FloatArray) -> FloatArray:
    """(D,) the mean of the defined values (S, D)."""
    fine = ~np.isnan(by_source)
    count = fine.sum(axis=0)
    summed = np.where(fine, by_source, 0.0).sum(axis=0)
    result: FloatArray = np.divide(summed, count, out=np.full(summed.shape, np.nan), where=count > 0)
    return result


class _SortedCells:
    """Scores sorted by cell and value: sums and distribution functions over each cell that has any."""

    def __init__(self, value: FloatArray, cell: IntArray) -> None:
        self.occupied, self.start, self.of = np.unique(cell, return_index=True, return_inverse=True)
        self.step = np.append(np.where(self.of[1:] == self.of[:-1], np.diff(value), 0.0), 0.0)

    def total(self, terms: FloatArray) -> FloatArray:
        """(Q, D) the sums of (m, D) times the steps; the terms are overwritten."""
        summed: FloatArray = np.add.reduceat(np.multiply(terms, self.step[:, None], out=terms), self.start, axis=0)
        return summed

    def below(self, weight: FloatArray) -> tuple[FloatArray, FloatArray]:
        """(m, D) the distribution functions of weights (m, D), and the weight of each cell (Q, D)."""
        mass = np.add.reduceat(weight, self.start, axis=0)
        part = np.divide(weight, mass[self.of], out=np.zeros_like(weight), where=mass[self.of] > 0)
        running = np.cumsum(part, axis=0)
        before = np.concatenate([np.zeros_like(running[:1]), running[self.start[1:] - 1]])
        return running - before[self.of], mass
