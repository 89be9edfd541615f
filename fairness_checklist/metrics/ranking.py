"""Areas under ROC curves of pooled groups, from one table of wins between lanes.

How often positives of lane a rank above negatives of lane b is a matrix (L, L). The area of any pooled sets follows
from it by sums: pooling is linear, and so one sort serves all groups, backgrounds and assignments of terms.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fairness_checklist.arrays import FloatArray, IntArray
from fairness_checklist.comparisons import Comparison
from fairness_checklist.outcomes import Outcomes
from fairness_checklist.scores import Score

__all__ = ["Wins", "compared_sides", "wins_by_lane", "wins_of_sets"]

_CHUNK = 1_000_000


@dataclass(frozen=True, eq=False)
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
        order = np.argsort(column)
        order = order[known[order] & ~np.isnan(column[order])]
        lanes, mass, gold = code[order], weight[order], units.label[order] == k
        first, second = np.where(gold, mass, 0.0), np.where(gold, 0.0, mass)
        planes.append(_wins(column[order], lanes, first, second, size))
    wins, positive, negative = (np.array(part) for part in zip(*planes, strict=True))
    return Wins(wins, positive, negative)


def wins_of_sets(value: FloatArray, lane: IntArray, weight: FloatArray, size: int) -> tuple[FloatArray, FloatArray]:
    """The wins (L, L) of the first over the second lane, ties half, and the weight of each lane.

    Args:
        value: (m,) in rising order.
        lane, weight: (m,) of each.
        size: L.

    >>> wins, mass = wins_of_sets(np.array([0.0, 1.0, 1.0]), np.array([0, 0, 1]), np.ones(3), size=2)
    >>> float(wins[1, 0]), mass.tolist()
    (1.5, [2.0, 1.0])
    """
    wins, mass, _ = _wins(value, lane, weight, weight, size)
    return wins, mass


def _wins(
    value: FloatArray, lane: IntArray, first: FloatArray, second: FloatArray, size: int
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """How often a first of one lane is above a second of another (L, L), and the weights of both in each lane.

    Args:
        value: (m,) in rising order; first, second: (m,) the weight with which it takes part on each side.
    """
    wins, below = np.zeros((size, size)), np.zeros(size)
    level = np.zeros(len(value), dtype=np.int64)
    np.cumsum(value[1:] > value[:-1], out=level[1:])
    n_levels = int(level[-1]) + 1 if len(level) else 0
    step = max(1, _CHUNK // size)
    for start in range(0, n_levels, step):
        here = slice(*np.searchsorted(level, [start, start + step]))
        width = min(step, n_levels - start)
        cell = (level[here] - start) * size + lane[here]
        above, behind = (_by_lane(cell, side[here], width, size) for side in (first, second))
        running = np.cumsum(behind, axis=0)
        running += below
        below = running[-1].copy()
        behind *= 0.5
        running -= behind
        wins += above.T @ running
    return wins, np.bincount(lane, weights=first, minlength=size).astype(np.float64), below


def _by_lane(cell: IntArray, weight: FloatArray, width: int, size: int) -> FloatArray:
    mass = np.bincount(cell, weights=weight, minlength=width * size).astype(np.float64, copy=False)
    return mass.reshape(width, size)


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
