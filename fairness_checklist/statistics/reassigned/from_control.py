"""Reassigned terms whose examples are compared with the unmarked text of their source."""

from __future__ import annotations

import numpy as np

from fairness_checklist.arrays import FloatArray, IntArray
from fairness_checklist.metrics.group import Contrasts
from fairness_checklist.metrics.metric import Metric
from fairness_checklist.statistics.reassigned.tables import TermTables, membership

__all__ = ["of_changes_from_control"]

_CHUNK = 4_000_000


def of_changes_from_control(line: Metric, tables: TermTables, contrasts: Contrasts, assigned: IntArray) -> FloatArray:
    """The expectation of d between the control and a group's example of a source, averaged over sources: (D, P, K)."""
    member = membership(assigned, len(tables.outcomes.groups))[:, :-1, :-1]
    planes = [_mean_over_sources(member, *table) for table in _by_cell(line, tables)]
    return np.stack(planes, axis=-1)[:, contrasts.left]


def _by_cell(line: Metric, tables: TermTables) -> list[tuple[FloatArray, FloatArray, IntArray]]:
    """For each class: d by term and cell, weighted, (T, Q), the weights (T, Q), and the cells' sources (Q,)."""
    values, row, position = tables.observed(line.score)
    outcomes, size = tables.outcomes, len(tables.terms)
    lane, source, weight = tables.lanes[row], outcomes.source[row], outcomes.weight[row]
    inside = (source >= 0) & outcomes.symmetric[source] & (position >= 0) & (lane >= 0) & (weight > 0)
    width = int(position.max(initial=0)) + 1
    planes = []
    for column in values.T:
        fine = inside & ~np.isnan(column)
        control = np.flatnonzero(fine & (lane == size))
        cells, cell = np.unique(source[control] * width + position[control], return_inverse=True)
        marked = np.flatnonzero(fine & (lane < size))
        at = np.searchsorted(cells, source[marked] * width + position[marked])
        there = np.isin(source[marked] * width + position[marked], cells)
        marked, at = marked[there], at[there]
        apart, mass = np.zeros((2, len(marked)))
        order = np.argsort(cell, kind="stable")
        control, cell = control[order], cell[order]
        nth = np.arange(len(cell)) - np.searchsorted(cell, cell)  # a source has one control, or several with weights
        for n in range(int(nth.max(initial=-1)) + 1):
            one, own = np.full(len(cells), np.nan), np.zeros(len(cells))
            one[cell[nth == n]], own[cell[nth == n]] = column[control[nth == n]], weight[control[nth == n]]
            d = line.compare(one[at], column[marked])
            apart += np.where(own[at] > 0, d, 0.0) * own[at]
            mass += own[at]
        apart = np.divide(apart, mass, out=np.zeros_like(apart), where=mass > 0)
        code, shape = lane[marked] * len(cells) + at, (size, len(cells))
        summed = np.bincount(code, weights=weight[marked] * apart, minlength=size * len(cells)).astype(np.float64)
        whole = np.bincount(code, weights=weight[marked], minlength=size * len(cells)).astype(np.float64)
        planes.append((summed.reshape(shape), whole.reshape(shape), cells // width))
    return planes


def _mean_over_sources(member: FloatArray, summed: FloatArray, whole: FloatArray, source: IntArray) -> FloatArray:
    """(D, G) the mean over sources of the mean over a source's cells."""
    part, count = np.zeros((2, *member.shape[:2]))
    names, of_cell = np.unique(source, return_inverse=True)
    step = max(1, _CHUNK // (member.shape[0] * member.shape[1] * max(1, len(source) // max(1, len(names)))))
    for first in range(0, len(names), step):
        some = (of_cell >= first) & (of_cell < first + step)
        mass = member @ whole[:, some]
        mean = np.divide(member @ summed[:, some], mass, out=np.zeros(mass.shape), where=mass > 0)
        starts = np.flatnonzero(np.diff(of_cell[some], prepend=-1))
        cells = np.add.reduceat((mass > 0).astype(np.float64), starts, axis=2)
        value = np.add.reduceat(mean, starts, axis=2)
        part += np.divide(value, cells, out=np.zeros(cells.shape), where=cells > 0).sum(axis=2)
        count += (cells > 0).sum(axis=2)
    result: FloatArray = np.divide(part, count, out=np.full(part.shape, np.nan), where=count > 0)
    return result
