"""Sums over sources by terms: what many permutations of terms make of metrics of single examples, at once.

The expectation of d over the pairs of two groups' terms in a source is linear in d(term, term). Where sources hold the
same terms these matrices are summed over the sources first, and a permutation then costs a product of small matrices.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from fairness_checklist.core.arrays import BoolArray, FloatArray, IntArray, divide
from fairness_checklist.metrics.contrasts import observations
from fairness_checklist.metrics.metric_forms import Metric
from fairness_checklist.metrics.scores import Score
from fairness_checklist.metrics.weights import Parts, Weights

_CHUNK = 4_000_000
_ROWS = 8192  # rows of the product over all sources together, for standard deviations
_LEAST = 16  # and of each source
_GOLDEN = 0.6180339887498949


@dataclass(frozen=True, eq=False)
class PairTable:
    """Sums of d over pairs of examples of a source, for Q patterns of terms that sources hold; of one class.

    Attributes:
        weight: (Q, L) the weight of each part in a source.
        summed: (Q, L, L) d between the parts' examples, weighted, summed over the sources of the pattern; (Q, L, 1)
            against the control.
        count: (Q,) how many sources.
        uneven: of each source whose words differ in the parts that have them, the same for each word:
            (weight (W, L), summed (W, L, L)).
    """

    weight: FloatArray
    summed: FloatArray
    count: FloatArray
    uneven: tuple[tuple[FloatArray, FloatArray], ...]


def pair_tables(metric: Metric, parts: Parts, *, of_cells: bool, with_control: bool) -> list[PairTable] | None:
    """The sums for each class; None where they are too large, or d is undefined for some pair."""

    @np.errstate(divide="ignore", invalid="ignore")
    def make() -> list[PairTable] | None:
        tables = []
        for value, mass, source in _cell_tables(metric.score, parts, with_control=with_control):
            one_each = of_cells or len(np.unique(source)) == len(source)
            table = _table_of_class(metric, value, mass, source, with_control) if one_each else None
            if table is None:
                return None
            tables.append(table)
        return tables

    return parts.cached(("pairs", metric.score, metric.compare, metric.family, with_control), make)


def _cell_tables(
    score: Score, parts: Parts, *, with_control: bool
) -> Iterator[tuple[FloatArray, FloatArray, IntArray]]:
    """For each class the scores and weights of cells, (Q, L, V), weight 0 where there is none, and their sources.

    A cell is a source, or a word of one; of the control only where it is requested.
    """
    values, row, position = observations(score, parts.outcomes)
    outcomes, size = parts.outcomes, parts.size
    part, source, weight = parts.code[row], outcomes.source[row], outcomes.weight[row]
    inside = (source >= 0) & outcomes.symmetric[source] & (position >= 0) & (part >= 0) & (weight > 0)
    inside &= part < size - (0 if with_control else 1)
    width = int(position.max(initial=0)) + 1
    for column in values.T:
        kept = np.flatnonzero(inside & ~np.isnan(column))
        cells, cell = np.unique(source[kept] * width + position[kept], return_inverse=True)
        code = cell * size + part[kept]
        order = np.argsort(code, kind="stable")
        kept, code = kept[order], code[order]
        within = np.arange(len(code)) - np.searchsorted(code, code)
        shape = (len(cells), size, int(within.max(initial=0)) + 1)
        value, mass = np.zeros((2, *shape))
        for table, given in ((value, column), (mass, weight)):
            table.reshape(-1, shape[2])[code, within] = given[kept]
        yield value, mass, cells // width


def _table_of_class(
    metric: Metric, value: FloatArray, mass: FloatArray, source: IntArray, with_control: bool
) -> PairTable | None:
    of_cell = mass.sum(axis=2)
    patterns, pattern = np.unique(of_cell, axis=0, return_inverse=True)
    pattern = pattern.reshape(-1)  # NumPy 2.0 gives it another shape
    size, right = value.shape[1], 1 if with_control else value.shape[1]
    if len(patterns) * size * right > _CHUNK:
        return None
    start = np.flatnonzero(np.append(True, source[1:] != source[:-1])) if len(source) else source
    places = np.diff(np.append(start, len(source)))
    even = np.logical_and.reduceat(pattern == np.repeat(pattern[start], places), start) if len(start) else start > 0
    share = np.repeat(even / places, places)
    summed = np.zeros((len(patterns), size, right))
    count = np.bincount(pattern[start][even], minlength=len(patterns)).astype(np.float64)
    uneven: dict[int, list[FloatArray]] = {}
    order = np.argsort(pattern, kind="stable")  # the cells of a pattern together
    for cells, distance in _apart(metric, value, mass, order, with_control):
        if not np.isfinite(distance).all():
            return None
        first = np.flatnonzero(np.diff(pattern[cells], prepend=-1))
        summed[pattern[cells][first]] += np.add.reduceat(distance * share[cells][:, None, None], first, axis=0)
        for cell, sums in zip(cells[share[cells] == 0], distance[share[cells] == 0], strict=True):
            uneven.setdefault(int(source[cell]), []).append(np.concatenate([of_cell[cell][:, None], sums], axis=1))
    used = count > 0
    apart_words = tuple((np.array(each)[:, :, 0], np.array(each)[:, :, 1:]) for each in uneven.values())
    return PairTable(patterns[used], summed[used], count[used], apart_words)


def _apart(
    metric: Metric, value: FloatArray, mass: FloatArray, order: IntArray, with_control: bool
) -> Iterator[tuple[IntArray, FloatArray]]:
    """Some cells at a time, and d between their parts' examples by weight, (c, L, L) or (c, L, 1)."""
    size, width = value.shape[1:]
    others = slice(size - 1, size) if with_control else slice(0, size)
    right = 1 if with_control else size
    step = max(1, _CHUNK // (4 * size * right * width**2))
    for first in range(0, len(order), step):
        some = order[first : first + step]
        x, w = (each[some].reshape(len(some), -1, 1) for each in (value, mass))
        y, v = (each[some][:, others].reshape(len(some), 1, -1) for each in (value, mass))
        d = metric.compare(x, y) if metric.family == "pairwise" else metric.compare(y, x)
        d = np.where((w > 0) & (v > 0), d, 0.0)
        if width > 1 or (w[w > 0] != 1).any() or (v[v > 0] != 1).any():
            d = d * w * v
        yield some, d.reshape(len(some), size, width, right, width).sum(axis=(2, 4)) if width > 1 else d


def means_between(tables: list[PairTable], member: FloatArray, left: IntArray, right: IntArray) -> FloatArray:
    """The mean of d between the sets of P contrasts, averaged over the sources that have both: (D, P, K).

    Shapes: member (D, B, L); left, right (P,).
    """
    by_class = []
    step = max(1, _CHUNK // (member.shape[1] * member.shape[2]))
    for table in tables:
        drawn = []
        for start in range(0, len(member), step):
            part, whole = sums_between(table, member[start : start + step], left, right)
            drawn.append(divide(part, whole))
        by_class.append(np.concatenate(drawn))
    return np.stack(by_class, axis=-1)


def sums_between(
    table: PairTable, member: FloatArray, left: IntArray, right: IntArray
) -> tuple[FloatArray, FloatArray]:
    """The mean of d between sets in each source, summed over sources, and how many sources have both: (D, P) each."""
    part, whole = np.zeros((2, len(member), len(left)))
    for weight, summed, count in zip(table.weight, table.summed, table.count, strict=True):
        mean, both = _between(member, weight, summed, left, right)
        part += mean
        whole += both * count
    for weights, words in table.uneven:
        of_source, places = np.zeros((2, *part.shape))
        for weight, summed in zip(weights, words, strict=True):
            mean, both = _between(member, weight, summed, left, right)
            of_source += mean
            places += both
        part += divide(of_source, places, fill=0.0)
        whole += places > 0
    return part, whole


def _between(
    member: FloatArray, weight: FloatArray, summed: FloatArray, left: IntArray, right: IntArray
) -> tuple[FloatArray, BoolArray]:
    """(D, P) weighted sums over pairs of sets divided by their weights, and whether both have any."""
    mass = member @ weight
    pairs = mass[:, left] * mass[:, right]
    both = pairs > 0
    others = member[:, :, -1:] if summed.shape[1] == 1 else member
    between = ((member @ summed) @ np.swapaxes(others, 1, 2))[:, left, right]
    return divide(between, pairs, fill=0.0), np.asarray(both)


def drawn_deviations(score: Score, parts: Parts, weights: Weights) -> FloatArray:
    """The standard deviation over the groups (divisor G), averaged over rows of the product and sources: (D, 1, K).

    The quadrature of `metrics.expectations` is too dear for hundreds of permutations. Here each draw looks at the same
    few rows of every source's product, spread by a Weyl sequence (one irrational step a group): nothing is random.
    """
    n_groups = len(parts.outcomes.groups)
    by_class = list(_cell_tables(score, parts, with_control=False))
    result = np.full((len(weights), 1, len(by_class)), np.nan)
    for k, (value, mass, source) in enumerate(by_class):
        if not len(source):
            continue
        start = np.flatnonzero(np.append(True, source[1:] != source[:-1]))
        even = mass.shape[2] == 1 and bool((mass[:, :-1] == 1).all())
        sizes = np.array([(parts.group == g).sum() for g in range(n_groups)])
        spread = _points(sizes, len(source), even)
        for d in range(len(weights)):
            group, times = weights.assigned(d)
            weighed = mass if (times == 1).all() else mass * times[:, None]
            picked = [_picked(value[:, group == g], weighed[:, group == g], spread[g]) for g in range(n_groups)]
            x, there = map(np.array, zip(*picked, strict=True))
            size = there.sum(axis=0)[:, None]
            centre = x.sum(axis=0) / np.maximum(size, 1)
            square = (((x - centre) ** 2) * there[:, :, None]).sum(axis=0) / np.maximum(size, 1)
            enough = size[:, 0] >= 2
            mean = np.where(enough, np.sqrt(square).mean(axis=1), 0.0)
            count = np.add.reduceat(enough, start, dtype=np.int64)
            by_source = np.add.reduceat(mean, start) / np.maximum(count, 1)
            if count.any():
                result[d, 0, k] = by_source.sum() / (count > 0).sum()
    return result


def _points(sizes: IntArray, cells: int, even: bool) -> FloatArray:
    """(G, Q, R) numbers in [0, 1), evenly spread over the rows R of each cell.

    One for each row of the product where it is small and ``even``: each term has one score, and of the same weight.
    """
    n_groups, size = len(sizes), max(_LEAST, _ROWS // cells)
    if even and sizes.astype(np.float64).prod() <= size:
        grid = (np.indices(tuple(sizes)).reshape(n_groups, -1) + 0.5) / sizes[:, None]
        return np.repeat(grid[:, None, :], cells, axis=1)
    rows = np.arange(size)
    steps = np.sqrt(_primes(n_groups))[:, None, None]
    shift = np.arange(cells)[None, :, None] * _GOLDEN * (1 + np.arange(n_groups))[:, None, None]
    points: FloatArray = np.mod((rows + 0.5) * steps + shift, 1.0)
    return points


def _primes(size: int) -> FloatArray:
    primes: list[int] = []
    number = 2
    while len(primes) < size:
        if all(number % prime for prime in primes):
            primes.append(number)
        number += 1
    return np.array(primes, dtype=np.float64)


def _picked(value: FloatArray, mass: FloatArray, point: FloatArray) -> tuple[FloatArray, BoolArray]:
    """The score of one group at each point (Q, R), by weight, 0 where it has none; and whether it has any (Q,)."""
    flat, weight = value.reshape(len(value), -1), mass.reshape(len(mass), -1)
    whole = weight.sum(axis=1)
    if not flat.shape[1]:
        return np.zeros(point.shape), np.zeros(len(value), dtype=np.bool_)
    if (weight == 1).all():
        at = (point * flat.shape[1]).astype(np.int64)
    else:
        below = np.cumsum(weight, axis=1)
        at = (below[:, None, :] <= (point * whole[:, None])[:, :, None]).sum(axis=2)
        at = np.minimum(at, flat.shape[1] - 1)
    return np.take_along_axis(flat, at, axis=1), np.asarray(whole > 0)
