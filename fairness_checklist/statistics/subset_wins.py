"""Average equality gaps without one block of rows: from the wins of that block, and not from all rows again."""

from __future__ import annotations

import numpy as np

from fairness_checklist import comparisons
from fairness_checklist.arrays import FloatArray, IntArray
from fairness_checklist.metrics.contrasts import contrasts_of, observations
from fairness_checklist.metrics.metric import Metric
from fairness_checklist.outcomes import Outcomes

__all__ = ["gaps_without_blocks"]


def gaps_without_blocks(line: Metric, outcomes: Outcomes, block: IntArray, share: FloatArray) -> FloatArray | None:
    """The gaps (D, P, K) of a background metric where each subset lacks one block; None for anything else.

    With U the pairs that the background wins, U without block b is U less the pairs in which b stands on one side or
    the other, plus those in which it stands on both (Mann and Whitney 1947).

    Args:
        line, outcomes: the metric and its n rows.
        block: (n,) the block of each row, -1 for none.
        share: (D, 1 + B) which blocks each subset keeps; the first column is of rows without a block.
    """
    lacking = share == 0
    if (
        line.compare is not comparisons.average_equality_gap
        or line.family != "background"
        or line.background is None
        or line.background_score is not None
        or (lacking.sum(axis=1) != 1).any()
    ):
        return None
    contrasts, lanes, left_out = contrasts_of(line, outcomes), len(outcomes.groups) + 1, lacking.argmax(axis=1)
    values, row, _ = observations(line.score, outcomes)
    rows_mass = _summed((block + 1) * lanes + outcomes.group, outcomes.weight, share.shape[1] * lanes)
    beta = line.membership(outcomes.groups, share @ rows_mass.reshape(-1, lanes))
    beta = np.broadcast_to(beta, (len(share), lanes - 1, lanes))
    planes = []
    for column in values.T:
        fine = ~np.isnan(column)
        of, lane, weight = block[row[fine]] + 1, outcomes.group[row[fine]], outcomes.weight[row[fine]]
        at = np.unique(column[fine], return_inverse=True)[1]
        mass = _summed(of * lanes + lane, weight, share.shape[1] * lanes).reshape(-1, lanes)
        everywhere = _wins(np.zeros_like(of), at, lane, weight, of, mass)
        inside = _wins(of, at, lane, weight, of, mass)
        total = mass.sum(axis=0)
        other_side = mass[:, None, :] * total[:, None] - np.swapaxes(everywhere, 1, 2)
        wins = (everywhere.sum(axis=0) - everywhere - other_side + inside)[left_out]
        own = (share @ mass)[:, :-1]
        pairs = np.einsum("dgl,dl->dg", beta, share @ mass) * own
        won = np.einsum("dgl,dlg->dg", beta, wins[:, :, :-1])
        planes.append(0.5 - np.divide(won, pairs, out=np.full(pairs.shape, np.nan), where=pairs > 0))
    gaps: FloatArray = np.stack(planes, axis=-1)[:, contrasts.left]
    return gaps


def _summed(code: IntArray, weight: FloatArray, size: int) -> FloatArray:
    """(size,) the weight of each code."""
    return np.bincount(code, weights=weight, minlength=size).astype(np.float64)


def _wins(
    cell: IntArray, at: IntArray, lane: IntArray, weight: FloatArray, block: IntArray, mass: FloatArray
) -> FloatArray:
    """(B, L, L) the weight of the pairs of a row of a block and lane and a lower one of another lane in its cell.

    Ties count half.

    Args:
        cell: (m,) only rows of one cell are compared.
        at: (m,) the rank of each value.
        lane, weight, block: (m,).
        mass: (B, L) gives the shape.
    """
    lanes = mass.shape[1]
    levels, level = np.unique(cell * (int(at.max(initial=0)) + 1) + at, return_inverse=True)
    on = _summed(level * lanes + lane, weight, len(levels) * lanes).reshape(-1, lanes)
    running = np.cumsum(on, axis=0)
    of = levels // (int(at.max(initial=0)) + 1)
    first = np.searchsorted(of, of, side="left")
    before = np.where(first[:, None] > 0, running[np.maximum(first - 1, 0)], 0.0)
    below = (running - on / 2 - before)[level] * weight[:, None]
    code = block * lanes + lane
    planes = [_summed(code, column, mass.size) for column in below.T]
    wins: FloatArray = np.stack(planes, axis=-1).reshape(*mass.shape, lanes)
    return wins
