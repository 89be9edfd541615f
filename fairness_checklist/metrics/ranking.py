"""Areas under ROC curves of pooled groups, from one table of wins between parts.

How often positives of part a rank above negatives of part b is a matrix (L, L). The area of any pooled sets follows
from it by sums: pooling is linear, and so one sort serves all groups, backgrounds and assignments of terms.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fairness_checklist.arrays import FloatArray, IntArray
from fairness_checklist.comparisons import Comparison
from fairness_checklist.outcomes import Outcomes
from fairness_checklist.scores import Score

__all__ = ["Wins", "compare_sides", "wins_by_part", "wins_of_sets", "wins_without"]

_CHUNK = 1_000_000


@dataclass(frozen=True, eq=False)
class Wins:
    """What areas are made of, for L parts and K classes.

    Attributes:
        wins: (K, L, L) the weight of the pairs of a positive of the first and a negative of the second part in which
            the positive has the higher score; ties count half.
        positive, negative: (K, L) the weight of the units whose gold class it is, and is not.
    """

    wins: FloatArray
    positive: FloatArray
    negative: FloatArray


def wins_by_part(score: Score, outcomes: Outcomes, part: IntArray, size: int, row_weight: FloatArray) -> Wins:
    """The wins between parts (size of them); rows with part -1 are left out.

    Args:
        score: of kind ranking.
        outcomes: with probabilities.
        part: (n,) the part of each row.
        row_weight: (n,) how much each row counts.
    """
    units = outcomes.units
    if units is None:
        raise ValueError("a ranking needs probabilities")
    values, code, weight = score(units), part[units.row], row_weight[units.row]
    known = (units.label >= 0) & (code >= 0) & (weight > 0)
    pparts = []
    for k, column in enumerate(values.T):
        order = np.argsort(column)
        order = order[known[order] & ~np.isnan(column[order])]
        parts, mass, gold = code[order], weight[order], units.label[order] == k
        first, second = np.where(gold, mass, 0.0), np.where(gold, 0.0, mass)
        pparts.append(_wins(column[order], parts, first, second, size))
    wins, positive, negative = (np.array(part) for part in zip(*pparts, strict=True))
    return Wins(wins, positive, negative)


def wins_of_sets(value: FloatArray, part: IntArray, weight: FloatArray, size: int) -> tuple[FloatArray, FloatArray]:
    """The wins (L, L) of the first over the second part, ties half, and the weight of each part.

    Args:
        value: (m,) in rising order.
        part, weight: (m,) of each.
        size: L.

    >>> wins, mass = wins_of_sets(np.array([0.0, 1.0, 1.0]), np.array([0, 0, 1]), np.ones(3), size=2)
    >>> float(wins[1, 0]), mass.tolist()
    (1.5, [2.0, 1.0])
    """
    wins, mass, _ = _wins(value, part, weight, weight, size)
    return wins, mass


def wins_without(
    value: FloatArray, part: IntArray, weight: FloatArray, block: IntArray, shape: tuple[int, int]
) -> tuple[FloatArray, FloatArray]:
    """The wins (B, L, L) and the weights (B, L) as in `wins_of_sets`, without each of B blocks in turn.

    The wins without a block are those of all rows less those in which it stands on one side or the other, and those in
    which it stands on both are added again.

    Args:
        value: (m,) in rising order.
        part, weight, block: (m,) of each.
        shape: (B, L).
    """
    level = np.cumsum((np.diff(value, prepend=value[:1]) > 0).astype(np.int64))
    of_block = _by_part(block * shape[1] + part, weight, *shape)
    everywhere = _wins_by_block(np.zeros_like(block), level, part, weight, block, shape)
    inside = _wins_by_block(block, level, part, weight, block, shape)
    total = of_block.sum(axis=0)
    below = of_block[:, None, :] * total[:, None] - np.swapaxes(everywhere, 1, 2)  # all pairs less the block's wins
    return everywhere.sum(axis=0) - everywhere - below + inside, total - of_block


def _wins_by_block(
    cell: IntArray, level: IntArray, part: IntArray, weight: FloatArray, block: IntArray, shape: tuple[int, int]
) -> FloatArray:
    """(B, L, L) the weight of the pairs of a row of a block and a lower one of any block in its cell; ties half."""
    n_levels, size = int(level.max(initial=0)) + 1, shape[1]
    codes, at = np.unique(cell * n_levels + level, return_inverse=True)
    on = _by_part(at * size + part, weight, len(codes), size)
    running = np.cumsum(on, axis=0)
    first = np.searchsorted(codes // n_levels, codes // n_levels, side="left")
    before = np.where(first[:, None] > 0, running[np.maximum(first - 1, 0)], 0.0)
    below = (running - on / 2 - before)[at] * weight[:, None]
    code = block * size + part
    by_class = [np.bincount(code, weights=column, minlength=shape[0] * size) for column in below.T]
    return np.stack(by_class, axis=-1).astype(np.float64, copy=False).reshape(*shape, size)


def _wins(
    value: FloatArray, part: IntArray, first: FloatArray, second: FloatArray, size: int
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """How often a first of one part is above a second of another (L, L), and the weights of both in each part.

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
        cell = (level[here] - start) * size + part[here]
        above, behind = (_by_part(cell, side[here], width, size) for side in (first, second))
        running = np.cumsum(behind, axis=0)
        running += below
        below = running[-1].copy()
        behind *= 0.5
        running -= behind
        wins += above.T @ running
    return wins, np.bincount(part, weights=first, minlength=size).astype(np.float64), below


def _by_part(cell: IntArray, weight: FloatArray, width: int, size: int) -> FloatArray:
    mass = np.bincount(cell, weights=weight, minlength=width * size).astype(np.float64, copy=False)
    return mass.reshape(width, size)


def compare_sides(
    compare: Comparison, compared: Wins, background: FloatArray, group: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """d of two sides that are pooled from parts: values (..., K), and the sides' positives and negatives (..., 2, K).

    Args:
        compare: of kind ranking.
        compared: the wins between L parts.
        background, group: (..., L) how much of each part makes up a side.
    """
    sides = np.stack(np.broadcast_arrays(background, group), axis=-2)
    values, positives, negatives = [], [], []
    for wins, positive, negative in zip(compared.wins, compared.positive, compared.negative, strict=True):
        first, second = sides @ positive, sides @ negative
        whole = first + second
        share = np.divide(sides, whole[..., None], out=np.full(sides.shape, np.nan), where=whole[..., None] > 0)
        pairs = (share @ wins) @ np.swapaxes(share, -1, -2)
        values.append(compare(pairs, share @ positive, share @ negative))
        positives.append(first)
        negatives.append(second)
    return np.stack(values, axis=-1), np.stack(positives, axis=-1), np.stack(negatives, axis=-1)
