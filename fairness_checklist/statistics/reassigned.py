"""A metric under many assignments of terms to groups at once, from sums by term."""

from __future__ import annotations

import numpy as np

from fairness_checklist import comparisons, scores
from fairness_checklist.arrays import BoolArray, FloatArray, IntArray
from fairness_checklist.metrics.group import Contrasts, contrasts_of, observations
from fairness_checklist.metrics.metric import Metric, Options
from fairness_checklist.metrics.ranking import compared_sides, wins_by_lane
from fairness_checklist.outcomes import Outcomes
from fairness_checklist.statistics.assignments import Assignments

__all__ = ["reassigned_values"]

_CHUNK = 8_000_000


def reassigned_values(
    line: Metric, outcomes: Outcomes, options: Options, terms: IntArray, assignments: Assignments
) -> FloatArray | None:
    """The contrasts in each assignment, (D, P, K); None where no sums by term give them.

    Args:
        line: the metric, with its options' background.
        outcomes: the rows.
        options: how it is computed; only the defaults of counterfactual metrics have sums by term.
        terms: (T,) the terms that are assigned, as positions in ``outcomes.terms``.
        assignments: D of them.
    """
    contrasts = contrasts_of(line, outcomes)
    kind = scores.about(line.score).kind
    if line.level == "group":
        if kind == "set":
            return _of_sets(line, outcomes, contrasts, terms, assignments)
        if kind == "ranking":
            return _of_rankings(line, outcomes, contrasts, terms, assignments)
        return _of_scalars(line, outcomes, contrasts, terms, assignments)
    plain = options.groupings is None and options.max_groupings is None
    plain &= options.denominator == "true_class" and options.weight == "source"
    distance = line.family == "pairwise" and line.compare in (comparisons.abs_diff, comparisons.difference)
    if plain and kind == "single" and distance:
        return _of_pairs(line, outcomes, contrasts, terms, assignments)
    if plain and kind == "set" and line.family == "pairwise" and line.compare is comparisons.wasserstein_1:
        return _of_sets_inside_sources(line, outcomes, contrasts, terms, assignments)
    return None


def _lanes(outcomes: Outcomes, terms: IntArray) -> IntArray:
    """(n,) the position of each row's term in ``terms``; T for the unmarked control; -1 for others."""
    position = np.full(len(outcomes.terms) + 1, -1, dtype=np.int64)
    position[terms] = np.arange(len(terms))
    control = outcomes.group == len(outcomes.groups)
    return np.where(control, len(terms), position[outcomes.term])


def _membership(assigned: IntArray, n_groups: int) -> FloatArray:
    """(D, G + 1, T + 1) which lanes make up each group; the last of both is the control."""
    d, t = assigned.shape
    member = np.zeros((d, n_groups + 1, t + 1))
    member[np.arange(d)[:, None], assigned, np.arange(t)] = 1
    member[:, n_groups, t] = 1
    return member


def _backgrounds(line: Metric, outcomes: Outcomes, terms: IntArray, member: FloatArray) -> FloatArray:
    """(D, G, T + 1) how much of each term is in each group's background; members (D, G + 1, T + 1)."""
    lanes = _lanes(outcomes, terms)
    inside = lanes >= 0
    mass = np.bincount(lanes[inside], weights=outcomes.weight[inside], minlength=len(terms) + 1)
    pooled: FloatArray = line.membership(outcomes.groups, member @ mass) @ member
    return pooled


@np.errstate(divide="ignore", invalid="ignore")
def _of_scalars(
    line: Metric, outcomes: Outcomes, contrasts: Contrasts, terms: IntArray, assignments: Assignments
) -> FloatArray:
    """Rates and means: sums by term, pooled by group."""
    n_groups = len(outcomes.groups)
    member = _membership(assignments.group, n_groups)
    own = _pooled(line.score, outcomes, terms, member)
    if line.family == "multigroup":
        both = [own] if line.also is None else [own, _pooled(line.also, outcomes, terms, member)]
        found = [comparisons.of_present(line.compare, np.moveaxis(phi[:, :n_groups], 1, -1)) for phi in both]
        return _finite(np.maximum(found[0], found[-1]))[:, None, :]
    if line.family == "pairwise":
        return _finite(line.compare(own[:, contrasts.left], own[:, contrasts.right]))
    beta = _backgrounds(line, outcomes, terms, member)[:, contrasts.left]
    behind = _pooled(line.background_score or line.score, outcomes, terms, beta)
    return _finite(line.compare(behind, own[:, contrasts.left]))


def _pooled(score: scores.Score, outcomes: Outcomes, terms: IntArray, member: FloatArray) -> FloatArray:
    """A rate or mean of pooled terms: (D, B, K) for members (D, B, T + 1)."""
    lanes = _lanes(outcomes, terms)
    if scores.about(score).kind == "rate":
        return _finite(score(outcomes.counts(lanes, len(terms) + 1).each(lambda values: member @ values)))
    values, row, _ = observations(score, outcomes)
    lane, weight = lanes[row], outcomes.weight[row]
    planes = []
    for column in values.T:
        fine = ~np.isnan(column) & (lane >= 0)
        mass = np.bincount(lane[fine], weights=weight[fine], minlength=len(terms) + 1)
        part = np.bincount(lane[fine], weights=(weight * np.nan_to_num(column))[fine], minlength=len(terms) + 1)
        planes.append((member @ part) / (member @ mass))
    return _finite(np.stack(planes, axis=-1))


def _finite(values: FloatArray) -> FloatArray:
    return np.where(np.isfinite(values), values, np.nan)


def _of_sets(
    line: Metric, outcomes: Outcomes, contrasts: Contrasts, terms: IntArray, assignments: Assignments
) -> FloatArray:
    """Comparisons of distributions: the weight of each term on each value, pooled by group."""
    n_groups, d = len(outcomes.groups), len(assignments)
    member = _membership(assignments.group, n_groups)
    behind = _backgrounds(line, outcomes, terms, member)
    own = observations(line.score, outcomes)[0].shape[1]
    result = np.full((d, len(contrasts.left), own), np.nan)
    for k in range(own):
        levels, mass = _mass_by_term(line.score, outcomes, terms, k)
        other_levels, other = levels, mass
        if line.background_score is not None:
            other_levels, other = _mass_by_term(line.background_score, outcomes, terms, k)
        common = np.union1d(levels, other_levels)
        mass, other = _spread(common, levels, mass), _spread(common, other_levels, other)
        step = max(1, _CHUNK // max(1, len(common) * len(contrasts.left)))
        for start in range(0, d, step):
            some = slice(start, start + step)
            x = member[some][:, contrasts.left]
            y = member[some][:, contrasts.right] if line.family == "pairwise" else behind[some][:, contrasts.left]
            first, second = (x, y) if line.family == "pairwise" else (y, x)
            of_first = mass if line.family == "pairwise" else other
            found = _compared(line, common, _columns(of_first, first), _columns(mass, second))
            result[some, :, k] = found.reshape(len(x), -1)
    return result


def _of_rankings(
    line: Metric, outcomes: Outcomes, contrasts: Contrasts, terms: IntArray, assignments: Assignments
) -> FloatArray | None:
    """Areas under ROC curves: wins between terms, pooled by group."""
    if line.family == "multigroup":
        return None
    lanes, n_groups = len(terms) + 1, len(outcomes.groups)
    found = wins_by_lane(line.score, outcomes, _lanes(outcomes, terms), lanes)
    step = max(1, _CHUNK // (2 * lanes * max(1, len(contrasts.left))))
    parts = []
    for start in range(0, len(assignments), step):
        member = _membership(assignments.group[start : start + step], n_groups)
        first, second = _backgrounds(line, outcomes, terms, member)[:, contrasts.left], member[:, contrasts.left]
        if line.family == "pairwise":
            first, second = second, member[:, contrasts.right]
        parts.append(_finite(compared_sides(line.compare, found, first, second)[0]))
    return np.concatenate(parts)


def _columns(mass: FloatArray, member: FloatArray) -> FloatArray:
    """(u, D * P) the weight on each value of pooled terms: (u, T + 1) for members (D, P, T + 1)."""
    pooled: FloatArray = mass @ member.reshape(-1, member.shape[-1]).T
    return pooled


def _compared(line: Metric, levels: FloatArray, first: FloatArray, second: FloatArray) -> FloatArray:
    whole = first.sum(axis=0), second.sum(axis=0)
    both = np.flatnonzero((whole[0] > 0) & (whole[1] > 0))
    found = np.full(first.shape[1], np.nan)
    if len(both):
        found[both] = line.compare(levels, first[:, both] / whole[0][both], second[:, both] / whole[1][both])
    return _finite(found)


def _mass_by_term(score: scores.Score, outcomes: Outcomes, terms: IntArray, k: int) -> tuple[FloatArray, FloatArray]:
    """Sorted distinct values (u,) of class k and the weight (u, T + 1) that each term has on them."""
    values, row, _ = observations(score, outcomes)
    lane = _lanes(outcomes, terms)[row]
    fine = ~np.isnan(values[:, k]) & (lane >= 0)
    levels, at = np.unique(values[fine, k], return_inverse=True)
    lanes = len(terms) + 1
    mass = np.bincount(
        at * lanes + lane[fine], weights=outcomes.weight[row[fine]], minlength=len(levels) * lanes
    ).astype(np.float64)
    return levels, mass.reshape(len(levels), lanes)


def _spread(common: FloatArray, levels: FloatArray, mass: FloatArray) -> FloatArray:
    wide = np.zeros((len(common), mass.shape[1]))
    wide[np.searchsorted(common, levels)] = mass
    return wide


def _of_pairs(
    line: Metric, outcomes: Outcomes, contrasts: Contrasts, terms: IntArray, assignments: Assignments
) -> FloatArray | None:
    """Distances and differences of single scores: the matrix of terms by terms, averaged by pair of groups."""
    values, row, position = observations(line.score, outcomes)
    lane, source = _lanes(outcomes, terms)[row], outcomes.source[row]
    inside = (source >= 0) & outcomes.symmetric[source] & (position >= 0) & (lane >= 0) & (lane < len(terms))
    values, lane, source, position = values[inside], lane[inside], source[inside], position[inside]
    weight = outcomes.weight[row[inside]]
    width = int(position.max(initial=0)) + 1
    cell = (source * width + position) * len(terms) + lane
    if len(np.unique(cell)) < len(cell) or (weight != 1).any():
        return None  # several rows of a term in one source, or weights: not a plain matrix
    shape = (len(outcomes.sources), width, len(terms))
    member = _membership(assignments.group, len(outcomes.groups))[:, :-1, :-1]
    planes = []
    for column in values.T:
        table = np.full(shape, np.nan).reshape(-1)
        table[cell] = column
        planes.append(_pair_means(line, table.reshape(shape), member, contrasts))
    return np.stack(planes, axis=-1)


def _pair_means(line: Metric, table: FloatArray, member: FloatArray, contrasts: Contrasts) -> FloatArray:
    """(D, P) the mean over sources of the mean over places of d between two groups' terms: table (S, W, T)."""
    there = ~np.isnan(table)
    used = there.any(axis=(1, 2))
    table, there = table[used], there[used]
    whole = _complete_places(there)
    if whole is not None:
        apart = np.zeros((table.shape[2], table.shape[2]))
        for places, kept in zip(table, whole, strict=True):
            x = places[kept]
            apart += line.compare(x[:, :, None], x[:, None, :]).mean(axis=0) / len(table)
        return _between(apart[None], np.ones((1, table.shape[2])), member, contrasts)[:, 0]
    summed = np.zeros((len(member), len(contrasts.left)))
    count = np.zeros_like(summed)
    for places, present in zip(table, there, strict=True):
        cells = [(x, p) for x, p in zip(places, present, strict=True) if p.any()]
        apart = np.stack([line.compare(x[:, None], x[None, :]) for x, _p in cells])
        found = _between(apart, np.array([p for _x, p in cells], dtype=np.float64), member, contrasts)
        found = np.moveaxis(found, 1, 0)
        fine = ~np.isnan(found)
        places_with = fine.sum(axis=0)
        mean = np.where(fine, found, 0.0).sum(axis=0) / np.maximum(places_with, 1)
        summed += np.where(places_with > 0, mean, 0.0)
        count += places_with > 0
    result: FloatArray = np.divide(summed, count, out=np.full(summed.shape, np.nan), where=count > 0)
    return result


def _complete_places(there: BoolArray) -> BoolArray | None:
    """(S, W) the places that all terms have, if the others have none; else None."""
    some, every = np.asarray(there.any(axis=2)), np.asarray(there.all(axis=2))
    return every if np.array_equal(some, every) else None


def _between(apart: FloatArray, there: FloatArray, member: FloatArray, contrasts: Contrasts) -> FloatArray:
    """(D, S, P) the mean of a matrix (S, T, T) between the members of two groups that are there (S, T)."""
    known = np.where(np.isnan(apart), 0.0, apart)
    result = np.full((len(member), len(apart), len(contrasts.left)), np.nan)
    for s in range(len(apart)):
        inside = member * there[s]
        size = inside.sum(axis=2)
        summed = (inside @ known[s]) @ np.swapaxes(inside, 1, 2)
        pairs = size[:, contrasts.left] * size[:, contrasts.right]
        picked = summed[:, contrasts.left, contrasts.right]
        result[:, s] = np.divide(picked, pairs, out=np.full(picked.shape, np.nan), where=pairs > 0)
    return result


def _of_sets_inside_sources(
    line: Metric, outcomes: Outcomes, contrasts: Contrasts, terms: IntArray, assignments: Assignments
) -> FloatArray:
    """W1 between two groups' scores in each source, averaged over sources: the scores are sorted once."""
    values, row, _ = observations(line.score, outcomes)
    lane, source = _lanes(outcomes, terms)[row], outcomes.source[row]
    inside = (source >= 0) & outcomes.symmetric[source] & (lane >= 0) & (lane < len(terms))
    weight = outcomes.weight[row]
    n_groups = len(outcomes.groups)
    result = np.full((len(assignments), len(contrasts.left), values.shape[1]), np.nan)
    for k, column in enumerate(values.T):
        kept = np.flatnonzero(inside & ~np.isnan(column) & (weight > 0))
        kept = kept[np.lexsort((column[kept], source[kept]))]
        if not len(kept):
            continue
        start = np.unique(source[kept], return_index=True)[1]
        of, value = np.searchsorted(start, np.arange(len(kept)), side="right") - 1, column[kept]
        step = np.append(np.where(of[1:] == of[:-1], np.diff(value), 0.0), 0.0)
        chunk = max(1, _CHUNK // (len(kept) * max(n_groups, len(contrasts.left))))
        for first in range(0, len(assignments), chunk):
            assigned = assignments.group[first : first + chunk]
            share = np.eye(n_groups)[assigned[:, lane[kept]]] * weight[kept][None, :, None]
            mass = np.add.reduceat(share, start, axis=1)
            share = np.divide(share, mass[:, of], out=np.zeros_like(share), where=mass[:, of] > 0)
            running = np.cumsum(share, axis=1)
            before = np.concatenate([np.zeros_like(running[:, :1]), running[:, start[1:] - 1]], axis=1)
            below = running - before[:, of]
            apart = np.abs(below[:, :, contrasts.left] - below[:, :, contrasts.right]) * step[None, :, None]
            distance = np.add.reduceat(apart, start, axis=1)
            both = (mass[:, :, contrasts.left] > 0) & (mass[:, :, contrasts.right] > 0)
            count = both.sum(axis=1)
            summed = np.where(both, distance, 0.0).sum(axis=1)
            result[first : first + chunk, :, k] = np.divide(
                summed, count, out=np.full(summed.shape, np.nan), where=count > 0
            )
    return result
