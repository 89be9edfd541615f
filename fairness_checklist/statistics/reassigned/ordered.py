"""Scores sorted once, for distances between distributions of reassigned terms: each draw only adds up shares anew."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fairness_checklist.arrays import BoolArray, FloatArray, IntArray
from fairness_checklist.metrics.group import Contrasts
from fairness_checklist.metrics.metric import Metric
from fairness_checklist.scores import Score
from fairness_checklist.statistics.reassigned.tables import TermTables

__all__ = ["Ordered", "of_distances", "of_distances_inside_sources", "of_ranges_inside_sources"]

_PIECE = 8192  # scores that are looked at together: their running shares of all groups fit a core's cache


@dataclass(frozen=True, eq=False)
class Ordered:
    """M scores in B blocks (all, or those of one source), sorted within each block.

    Attributes:
        lane: (M,) the term; T is the control.
        weight: (M,) above 0.
        block: (M,) ascending in [0, B); every block has scores.
        step: (M,) to the next score; 0 at the last of a block.
        start: (B,) the first score of each block.
        of: (B,) what the block is: the number of its cell.
    """

    lane: IntArray
    weight: FloatArray
    block: IntArray
    step: FloatArray
    start: IntArray
    of: IntArray

    def pieces(self, size: int) -> list[Ordered]:
        """The same cut between blocks into pieces of about so many scores."""
        if len(self.lane) <= size:
            return [self] if len(self.lane) else []
        first = np.flatnonzero(np.diff(np.append(-1, self.start // size)))
        found = []
        for a, b in zip(first, np.append(first[1:], len(self.start)), strict=True):
            here = slice(self.start[a], self.start[b] if b < len(self.start) else None)
            rows = self.lane[here], self.weight[here], self.block[here] - a, self.step[here]
            found.append(Ordered(*rows, self.start[a:b] - self.start[a], self.of[a:b]))
        return found


def _order(value: FloatArray, lane: IntArray, weight: FloatArray, cell: IntArray) -> Ordered:
    order = np.lexsort((value, cell))
    value, cell = value[order], cell[order]
    of, start, block = np.unique(cell, return_index=True, return_inverse=True)
    step = np.zeros(len(value))
    step[:-1] = np.where(cell[1:] == cell[:-1], np.diff(value), 0.0)
    return Ordered(lane[order], weight[order], block, step, start, of)


def running_shares(scores: Ordered, group: IntArray, out: FloatArray) -> FloatArray:
    """The distribution function of each group at each score, written into ``out`` (G, M); 0 where a group is absent.

    Args:
        scores: M of them.
        group: (T + 1,) the group of each lane.
        out: (G, M).

    Returns:
        (G, B) the weight of each group in each block.
    """
    size, blocks = out.shape[1], len(scores.start)
    code = group[scores.lane]
    cell = code * blocks + scores.block
    mass = np.bincount(cell, weights=scores.weight, minlength=len(out) * blocks).astype(np.float64)
    out.fill(0.0)
    out.reshape(-1)[code * size + np.arange(size)] = scores.weight / mass[cell]
    mass = mass.reshape(len(out), blocks)
    out[:, scores.start[1:]] -= mass[:, :-1] > 0
    np.cumsum(out, axis=1, out=out)
    return mass


def of_distances(line: Metric, tables: TermTables, contrasts: Contrasts, assigned: IntArray) -> FloatArray:
    """W1 between whole groups, or a group and its background: (D, P, K) for assignments (D, T)."""
    lanes = len(tables.outcomes.groups) + 1
    planes = tables.once(("ordered", line.score, "all"), lambda: _whole(line.score, tables))
    groups = _with_control(assigned, lanes)
    result = np.full((len(assigned), len(contrasts.left), len(planes)), np.nan)
    for k, scores in enumerate(planes):
        if not len(scores.lane):
            continue
        running = np.empty((lanes, len(scores.lane)))
        for d, group in enumerate(groups):
            mass = running_shares(scores, group, running)[:, 0]
            there = mass[contrasts.left] > 0
            if line.family == "pairwise":
                there &= mass[contrasts.right] > 0
                result[d, :, k] = _pair_distances(running, scores.step)[contrasts.left, contrasts.right]
            else:
                rows = np.bincount(group, weights=tables.mass, minlength=lanes).astype(np.float64)
                beta = line.membership(tables.outcomes.groups, rows)[contrasts.left] * mass
                whole = beta.sum(axis=1)
                there &= whole > 0
                behind = np.divide(beta, whole[:, None], out=np.zeros_like(beta), where=whole[:, None] > 0)
                behind[np.arange(len(behind)), contrasts.left] -= 1
                apart = behind @ running
                result[d, :, k] = np.abs(apart, out=apart) @ scores.step
            result[d, ~there, k] = np.nan
    return result


def _with_control(assigned: IntArray, lanes: int) -> IntArray:
    """(D, T + 1) the group of each lane: the control is the last."""
    return np.hstack([assigned, np.full((len(assigned), 1), lanes - 1, dtype=np.int64)])


def _whole(score: Score, tables: TermTables) -> list[Ordered]:
    values, row, _ = tables.observed(score)
    lane, weight = tables.lanes[row], tables.outcomes.weight[row]
    found = []
    for column in values.T:
        kept = np.flatnonzero(~np.isnan(column) & (lane >= 0) & (weight > 0))
        found.append(_order(column[kept], lane[kept], weight[kept], np.zeros(len(kept), dtype=np.int64)))
    return found


def _inside(score: Score, tables: TermTables, *, by_place: bool) -> tuple[list[Ordered], int]:
    """The scores of the groups' terms in each symmetric source (by place: in each word of it), and words a source."""
    values, row, position = tables.observed(score)
    outcomes = tables.outcomes
    lane, source, weight = tables.lanes[row], outcomes.source[row], outcomes.weight[row]
    inside = (source >= 0) & outcomes.symmetric[source] & (lane >= 0) & (lane < len(tables.terms)) & (weight > 0)
    width = 1
    cell = source
    if by_place:
        inside &= position >= 0
        width = int(position.max(initial=0)) + 1
        cell = source * width + position
    found = []
    for column in values.T:
        kept = np.flatnonzero(inside & ~np.isnan(column))
        found.append(_order(column[kept], lane[kept], weight[kept], cell[kept]))
    return found, width


def _pair_distances(running: FloatArray, step: FloatArray) -> FloatArray:
    """(G, G) the area between two distribution functions, in the upper half; running (G, M)."""
    size = len(running)
    found = np.zeros((size, size))
    apart = np.empty_like(running)
    for a in range(size - 1):
        here = apart[: size - 1 - a]
        np.subtract(running[a + 1 :], running[a], out=here)
        np.abs(here, out=here)
        found[a, a + 1 :] = here @ step
    return found


def of_distances_inside_sources(
    line: Metric, tables: TermTables, contrasts: Contrasts, assigned: IntArray
) -> FloatArray:
    """W1 between two groups' scores in each source, averaged over the sources that have both."""
    lanes = len(tables.outcomes.groups)
    planes, _ = tables.once(("ordered", line.score, "source"), lambda: _inside(line.score, tables, by_place=False))
    groups = _with_control(assigned, lanes + 1)
    result = np.full((len(assigned), len(contrasts.left), len(planes)), np.nan)
    for k, scores in enumerate(planes):
        summed, count = np.zeros((2, len(assigned), lanes, lanes))
        for piece in scores.pieces(_PIECE):
            running = np.empty((lanes, len(piece.lane)))
            for d, group in enumerate(groups):
                mass = running_shares(piece, group, running)
                found, both = _over_blocks(piece, running, mass > 0)
                summed[d] += found
                count[d] += both
        part, whole = (each[:, contrasts.left, contrasts.right] for each in (summed, count))
        result[:, :, k] = np.divide(part, whole, out=np.full(part.shape, np.nan), where=whole > 0)
    return result


def _over_blocks(piece: Ordered, running: FloatArray, present: BoolArray) -> tuple[FloatArray, FloatArray]:
    """Distances of pairs of groups summed over the blocks that have both, and how many: (G, G), the upper half."""
    apart = _pair_distances(running, piece.step)
    if present.all():
        return apart, np.full(apart.shape, float(present.shape[1]))
    there = present.astype(np.float64)
    area = np.add.reduceat(running * piece.step, piece.start, axis=1)  # what a group is apart from none
    alone = (1 - there) @ area.T
    return apart - alone - alone.T, there @ there.T


def of_ranges_inside_sources(line: Metric, tables: TermTables, contrasts: Contrasts, assigned: IntArray) -> FloatArray:
    """E[max - min] over the product of the groups' terms in each source, `metrics.exact.expected_range`: (D, 1, K)."""
    lanes, n_sources = len(tables.outcomes.groups), len(tables.outcomes.sources)
    planes, width = tables.once(("ordered", line.score, "place"), lambda: _inside(line.score, tables, by_place=True))
    groups = _with_control(assigned, lanes + 1)
    result = np.full((len(assigned), 1, len(planes)), np.nan)
    for k, scores in enumerate(planes):
        summed, count = np.zeros((2, len(assigned), n_sources))
        for piece in scores.pieces(_PIECE):
            running = np.empty((lanes, len(piece.lane)))
            source = piece.of // width
            for d, group in enumerate(groups):
                present = running_shares(piece, group, running) > 0
                above = np.prod(1 - running, axis=0)
                if not present.all():
                    running[~present[:, piece.block]] = 1.0
                spread = np.add.reduceat(piece.step * (1 - np.prod(running, axis=0) - above), piece.start)
                enough = present.sum(axis=0) >= 2
                summed[d] += np.bincount(source[enough], weights=spread[enough], minlength=n_sources)
                count[d] += np.bincount(source[enough], minlength=n_sources)
        mean = np.divide(summed, count, out=np.zeros_like(summed), where=count > 0)
        there = (count > 0).sum(axis=1)
        result[:, 0, k] = np.divide(mean.sum(axis=1), there, out=np.full(len(assigned), np.nan), where=there > 0)
    return result
