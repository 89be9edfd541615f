"""Counterfactual metrics of reassigned terms whose score is one number a source and group, or of pairs of examples."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from fairness_checklist import comparisons, scores
from fairness_checklist.arrays import BoolArray, FloatArray, IntArray
from fairness_checklist.comparisons import Comparison
from fairness_checklist.metrics.group import Contrasts, class_names
from fairness_checklist.metrics.metric import Metric
from fairness_checklist.outcomes import Counts
from fairness_checklist.scores import Score
from fairness_checklist.statistics.reassigned.tables import TermTables, backgrounds, membership

__all__ = ["PairSums", "cell_tables", "means_of_pairs", "of_numbers_inside_sources", "of_pairs", "pair_sums"]

_CHUNK = 4_000_000


@np.errstate(divide="ignore", invalid="ignore")
def of_numbers_inside_sources(line: Metric, tables: TermTables, contrasts: Contrasts, assigned: IntArray) -> FloatArray:
    """d of rates or means inside each source, averaged over the sources where it is defined: (D, P, K)."""
    n_groups, n_sources = len(tables.outcomes.groups), len(tables.outcomes.sources)
    member = membership(assigned, n_groups)
    beta = None if line.background is None else backgrounds(line, tables, member)[:, contrasts.left]
    kept = tables.once(("inside", line.score), lambda: _by_source(line.score, tables))
    step = max(1, _CHUNK // (len(member) * max(n_groups + 1, len(contrasts.left)) * kept.predicted.shape[-1]))
    summed = count = np.zeros(())
    for first in range(0, n_sources, step):
        some = slice(first, first + step)
        own = _pooled(line.score, kept, some, member)
        if line.family == "multigroup":
            found = comparisons.of_present(line.compare, np.moveaxis(own[:, :n_groups], 1, -1))[:, None]
        elif beta is None:
            found = line.compare(own[:, contrasts.left], own[:, contrasts.right])
        else:
            found = line.compare(_pooled(line.score, kept, some, beta), own[:, contrasts.left])
        fine = np.isfinite(found)
        summed = summed + np.where(fine, found, 0.0).sum(axis=2)
        count = count + fine.sum(axis=2)
    result: FloatArray = np.divide(summed, count, out=np.full(summed.shape, np.nan), where=count > 0)
    return result


def _by_source(score: Score, tables: TermTables) -> Counts:
    """The counts of each lane in each symmetric source, (L, S, C); of a mean ``predicted`` is the sum, ``rows`` N."""
    outcomes, size = tables.outcomes, len(tables.terms) + 1
    n_sources = len(outcomes.sources)
    part = (outcomes.source >= 0) & outcomes.symmetric[outcomes.source] & (tables.lanes >= 0)
    cell = np.where(part, tables.lanes * n_sources + outcomes.source, -1)
    if scores.about(score).kind == "rate":
        counts = outcomes.counts(cell, n_sources * size)
        return counts.each(lambda values: values.reshape(size, n_sources, -1))
    values, row, _ = tables.observed(score)
    at, weight = cell[row], outcomes.weight[row]
    planes = []
    for column in values.T:
        fine = ~np.isnan(column) & (at >= 0)
        code, mass = at[fine], weight[fine]
        planes.append([np.bincount(code, weights=w, minlength=n_sources * size) for w in (mass, mass * column[fine])])
    both = np.moveaxis(np.array(planes, dtype=np.float64).reshape(-1, 2, size, n_sources), 0, -1)
    nothing = np.zeros((size, n_sources, both.shape[-1]))
    return Counts(nothing, nothing, nothing, nothing, predicted=both[1], rows=both[0], labelled=nothing)


def _pooled(score: Score, kept: Counts, some: slice, member: FloatArray) -> FloatArray:
    """(D, B, s, K) a rate or mean of pooled lanes in some sources; members (D, B, L)."""

    def summed(values: FloatArray) -> FloatArray:
        flat = np.ascontiguousarray(values[:, some]).reshape(len(values), -1)
        pooled: FloatArray = member @ flat
        return pooled.reshape(*member.shape[:2], -1, values.shape[2])

    if scores.about(score).kind == "rate":
        return score(kept.each(summed))
    mean: FloatArray = summed(kept.predicted) / summed(kept.rows)
    return mean


@dataclass(frozen=True, eq=False)
class PairSums:
    """Sums of d over pairs of examples of a source, by the weights that its terms have.

    Attributes:
        compare: d.
        weight: (Q, T) the weight of each term in a source: Q different patterns.
        summed: (Q, T, T) d between the terms' examples, weighted, summed over the sources of the pattern.
        count: (Q,) how many sources.
        uneven: of each source whose words differ in the terms that have them, scores and weights (W, T, V).
    """

    compare: Comparison
    weight: FloatArray
    summed: FloatArray
    count: FloatArray
    uneven: tuple[tuple[FloatArray, FloatArray], ...]


Table = tuple[FloatArray, FloatArray, IntArray]


def pair_sums(score: Score, compare: Comparison, tables: TermTables) -> Iterator[Iterable[PairSums]]:
    """The sums for each class, in blocks of patterns; computed once where the patterns are few."""
    key = ("pairs", score, compare)
    if key in tables.made:
        yield from tables.made[key]
        return
    few: list[list[PairSums]] = []
    for table in cell_tables(score, tables):
        blocks = _blocks(table, len(tables.terms))
        if len(blocks) == 1:
            few.append([_of_block(table, compare, blocks[0])])
            yield few[-1]
        else:
            yield (_of_block(table, compare, cells) for cells in blocks)
    if len(few) == len(class_names(score, tables.outcomes)):
        tables.made[key] = few


def _blocks(table: Table, size: int) -> list[IntArray]:
    """The cells of a class, whole sources together, in blocks of few patterns of weights."""
    _value, mass, source = table
    pattern = np.unique(mass.sum(axis=2), axis=0, return_inverse=True)[1].reshape(-1)
    if not len(source):
        return [pattern]
    start = np.flatnonzero(np.append(True, source[1:] != source[:-1]))
    block = pattern[start] // max(1, _CHUNK // size**2)
    of_cell = np.repeat(block, np.diff(np.append(start, len(source))))
    return [np.flatnonzero(of_cell == number) for number in np.unique(block)]


def cell_tables(score: Score, tables: TermTables) -> Iterator[Table]:
    """For each class the scores and weights of cells, (Q, T, V), weight 0 where there is none, and their sources."""
    values, row, position = tables.observed(score)
    outcomes, size = tables.outcomes, len(tables.terms)
    lane, source, weight = tables.lanes[row], outcomes.source[row], outcomes.weight[row]
    inside = (source >= 0) & outcomes.symmetric[source] & (position >= 0) & (lane >= 0) & (lane < size) & (weight > 0)
    width = int(position.max(initial=0)) + 1
    for column in values.T:
        kept = np.flatnonzero(inside & ~np.isnan(column))
        cells, cell = np.unique(source[kept] * width + position[kept], return_inverse=True)
        code = cell * size + lane[kept]
        order = np.argsort(code, kind="stable")
        kept, code = kept[order], code[order]
        within = np.arange(len(code)) - np.searchsorted(code, code)
        shape = (len(cells), size, int(within.max(initial=0)) + 1)
        value, mass = np.zeros((2, *shape))
        for table, given in ((value, column), (mass, weight)):
            table.reshape(-1, shape[2])[code, within] = given[kept]
        yield value, mass, cells // width


def _of_block(table: Table, compare: Comparison, block: IntArray) -> PairSums:
    value, mass, source = table[0][block], table[1][block], table[2][block]
    of_cell = mass.sum(axis=2)
    patterns, pattern = np.unique(of_cell, axis=0, return_inverse=True)
    start = np.flatnonzero(np.append(True, source[1:] != source[:-1])) if len(source) else source
    places = np.diff(np.append(start, len(source)))
    even = np.logical_and.reduceat(pattern == np.repeat(pattern[start], places), start) if len(start) else start > 0
    size = value.shape[1]
    summed = np.zeros((len(patterns), size, size))
    count = np.bincount(pattern[start][even], minlength=len(patterns)).astype(np.float64)
    share = np.repeat(even / places, places)
    for q in range(len(patterns)):
        for cells, apart in _apart(compare, value, mass, np.flatnonzero((pattern == q) & (share > 0))):
            summed[q] += np.tensordot(share[cells], apart, axes=1)
    uneven = []
    for first, length in zip(start[~even], places[~even], strict=True):
        uneven.append((value[first : first + length], mass[first : first + length]))
    used = count > 0
    return PairSums(compare, patterns[used], summed[used], count[used], tuple(uneven))


def _apart(
    compare: Comparison, value: FloatArray, mass: FloatArray, cells: IntArray
) -> Iterator[tuple[IntArray, FloatArray]]:
    """Some cells at a time, and d between their terms' examples by weight, (c, T, T)."""
    size, width = value.shape[1:]
    step = max(1, _CHUNK // (4 * (size * width) ** 2))
    for first in range(0, len(cells), step):
        some = cells[first : first + step]
        x, w = (each[some].reshape(len(some), -1) for each in (value, mass))
        d = compare(x[:, :, None], x[:, None, :])
        d = np.where((w[:, :, None] > 0) & (w[:, None, :] > 0), d, 0.0)
        if width > 1 or (w[w > 0] != 1).any():
            d = d * w[:, :, None] * w[:, None, :]
        yield some, d.reshape(len(some), size, width, size, width).sum(axis=(2, 4)) if width > 1 else d


def of_pairs(line: Metric, tables: TermTables, contrasts: Contrasts, assigned: IntArray) -> FloatArray:
    """The expectation of d over the pairs of two groups' examples in a source, averaged over sources: (D, P, K)."""
    member = membership(assigned, len(tables.outcomes.groups))[:, :-1, :-1]
    planes = []
    for sums in pair_sums(line.score, line.compare, tables):
        part, whole = means_of_pairs(sums, member)
        mean = np.divide(part, whole, out=np.full(part.shape, np.nan), where=whole > 0)
        planes.append(mean[:, contrasts.left, contrasts.right])
    return np.stack(planes, axis=-1)


def means_of_pairs(blocks: Iterable[PairSums], member: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The mean of d between sets of terms, summed over sources, and how many sources have both: (D, B, B) each.

    Args:
        member: (D, B, T) the terms of each set.
    """
    part, whole = np.zeros((2, len(member), member.shape[1], member.shape[1]))
    for sums in blocks:
        _add_block(sums, member, part, whole)
    return part, whole


def _add_block(sums: PairSums, member: FloatArray, part: FloatArray, whole: FloatArray) -> None:
    for weight, summed, count in zip(sums.weight, sums.summed, sums.count, strict=True):
        mean, both = _between(member, weight, summed)
        part += mean
        whole += both * count
    for value, mass in sums.uneven:
        of_source, places = np.zeros((2, *part.shape))
        for cells, matrices in _apart(sums.compare, value, mass, np.arange(len(value))):
            for weight, apart in zip(mass[cells].sum(axis=2), matrices, strict=True):
                mean, both = _between(member, weight, apart)
                of_source += mean
                places += both
        part += np.divide(of_source, places, out=of_source, where=places > 0)
        whole += places > 0


def _between(member: FloatArray, weight: FloatArray, summed: FloatArray) -> tuple[FloatArray, BoolArray]:
    """(D, B, B) weighted sums over pairs of sets divided by their weights, and whether both have any."""
    mass = member @ weight
    pairs = mass[:, :, None] * mass[:, None, :]
    both = pairs > 0
    found = (member @ summed) @ np.swapaxes(member, 1, 2)
    return np.divide(found, pairs, out=np.zeros_like(found), where=both), np.asarray(both)
