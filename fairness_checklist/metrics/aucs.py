"""Areas under ROC curves from the counts of each part of the examples."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fairness_checklist.core.arrays import FloatArray, IntArray, divide
from fairness_checklist.core.outcomes import Outcomes
from fairness_checklist.metrics.comparisons import Comparison
from fairness_checklist.metrics.scores import Score

_CHUNK = 1_000_000


@dataclass(frozen=True, eq=False)
class Wins:
    """The counts for areas under ROC curves, for L parts and K classes.

    Attributes:
        wins: (K, L, L) the weight of the pairs of a positive of the first and a negative of the second part in which
            the positive has the higher score; ties count half.
        positive, negative: (K, L) the weight of the units of the gold class, and of other classes.
    """

    wins: FloatArray
    positive: FloatArray
    negative: FloatArray


def wins_by_part(score: Score, outcomes: Outcomes, part: IntArray, size: int, row_weight: FloatArray) -> Wins:
    """The wins between parts (size of them); rows with part -1 are left out.

    Shapes: part (n,); row_weight (n,).
    """
    units = outcomes.units
    if units is None:
        raise ValueError("a ranking needs probabilities")
    values, code, weight = score(units), part[units.row], row_weight[units.row]
    known = (units.label >= 0) & (code >= 0) & (weight > 0)
    by_class = []
    for k, column in enumerate(values.T):
        order = np.argsort(column)
        order = order[known[order] & ~np.isnan(column[order])]
        mass, gold = weight[order], units.label[order] == k
        by_class.append(wins_of_sides(column[order], code[order], mass * gold, mass * ~gold, size))
    return Wins(*map(np.array, zip(*by_class, strict=True)))


def wins_of_sides(
    value: FloatArray, part: IntArray, first: FloatArray, second: FloatArray, size: int
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """How often a first of one part is above a second of another (L, L), ties half, and both weights of each part.

    Shapes: value (m,), rising; part, first, second (m,).

    >>> wins, mass, _ = wins_of_sides(np.array([0.0, 1.0, 1.0]), np.array([0, 0, 1]), np.ones(3), np.ones(3), size=2)
    >>> float(wins[1, 0]), mass.tolist()
    (1.5, [2.0, 1.0])
    """
    wins, below = np.zeros((size, size)), np.zeros(size)
    level = np.cumsum(np.diff(value, prepend=value[:1]) > 0, dtype=np.int64)
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

    Shapes: background, group (..., L).
    """
    sides = np.stack(np.broadcast_arrays(background, group), axis=-2)
    positive, negative = (np.moveaxis(sides @ mass.T, -1, 0) for mass in (compared.positive, compared.negative))
    whole = positive + negative
    share = divide(sides, whole[..., None])
    wide = (slice(None), *(None,) * (sides.ndim - 2))
    pairs = share @ compared.wins[wide] @ np.swapaxes(share, -1, -2)
    # The shares are summed as the wins are, so that an area is 1 at most.
    values = compare(
        pairs, *((share @ mass[wide][..., None])[..., 0] for mass in (compared.positive, compared.negative))
    )
    return np.moveaxis(values, 0, -1), np.moveaxis(positive, 0, -1), np.moveaxis(negative, 0, -1)
