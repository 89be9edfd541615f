"""Areas under ROC curves of pooled groups, from one table of wins between lanes.

How often positives of lane a rank above negatives of lane b is a matrix (L, L). The area of any pooled sets follows
from it by sums: pooling is linear, and so one sort serves all groups, backgrounds and assignments of terms.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fairness_checklist.arrays import BoolArray, FloatArray, IntArray
from fairness_checklist.comparisons import Comparison
from fairness_checklist.outcomes import Outcomes
from fairness_checklist.scores import Score

__all__ = ["Wins", "compared_sides", "wins_by_lane"]

_CHUNK = 4_000_000


@dataclass(frozen=True)
class Wins:
    """What areas are made of, for L lanes and K classes.

    Attributes:
        wins: (K, L, L) the weight of the pairs of a positive of the first and a negative of the second lane in which
            the positive has the higher score; ties count half.
        positive, negative: (K, L) the weight of the units whose gold class it is, and is not.
    """

    wins: FloatArray
    positive: FloatArray
    negative: FloatArray


def wins_by_lane(score: Score, outcomes: Outcomes, lane: IntArray, size: int) -> Wins:
    """The wins between lanes (size of them); rows with lane -1 are left out.

    Args:
        score: of kind ranking.
        outcomes: with probabilities.
        lane: (n,) the lane of each row.
    """
    units = outcomes.units
    if units is None:
        raise ValueError("a ranking needs probabilities")
    values, code, weight = score(units), lane[units.row], outcomes.weight[units.row]
    known = (units.label >= 0) & (code >= 0) & (weight > 0)
    planes = []
    for k, column in enumerate(values.T):
        fine = known & ~np.isnan(column)
        planes.append(_of_class(column[fine], units.label[fine] == k, code[fine], weight[fine], size))
    wins, positive, negative = (np.array(part) for part in zip(*planes, strict=True))
    return Wins(wins, positive, negative)


def _of_class(
    value: FloatArray, gold: BoolArray, lane: IntArray, weight: FloatArray, size: int
) -> tuple[FloatArray, FloatArray, FloatArray]:
    levels, at = np.unique(value, return_inverse=True)
    order = np.argsort(at, kind="stable")
    at, gold, lane, weight = at[order], gold[order], lane[order], weight[order]
    wins, below = np.zeros((size, size)), np.zeros(size)
    positive = np.bincount(lane[gold], weights=weight[gold], minlength=size).astype(np.float64)
    step = max(1, _CHUNK // size)
    for first in range(0, len(levels), step):
        here = slice(*np.searchsorted(at, [first, first + step]))
        width = min(step, len(levels) - first)
        cell = (at[here] - first) * size + lane[here]
        masses = [
            np.bincount(cell[part], weights=weight[here][part], minlength=width * size).reshape(width, size)
            for part in (gold[here], ~gold[here])
        ]
        running = below + np.cumsum(masses[1], axis=0)
        wins += masses[0].T @ (running - masses[1] / 2)
        below = running[-1]
    return wins, positive, below


def compared_sides(
    compare: Comparison, found: Wins, background: FloatArray, group: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """d of two sides that are pooled from lanes: values (..., K), and the sides' positives and negatives (..., 2, K).

    Args:
        compare: of kind ranking.
        found: the wins between L lanes.
        background, group: (..., L) how much of each lane makes up a side.
    """
    sides = np.stack(np.broadcast_arrays(background, group), axis=-2)
    values, positives, negatives = [], [], []
    for wins, positive, negative in zip(found.wins, found.positive, found.negative, strict=True):
        first, second = sides @ positive, sides @ negative
        whole = first + second
        share = np.divide(sides, whole[..., None], out=np.full(sides.shape, np.nan), where=whole[..., None] > 0)
        pairs = (share @ wins) @ np.swapaxes(share, -1, -2)
        values.append(compare(pairs, share @ positive, share @ negative))
        positives.append(first)
        negatives.append(second)
    return np.stack(values, axis=-1), np.stack(positives, axis=-1), np.stack(negatives, axis=-1)
