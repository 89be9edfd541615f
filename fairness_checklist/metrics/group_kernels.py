"""Equations (1), (3) and (5): metrics that compare the scores of whole groups, under any weights.

Rates, means and areas follow from sums by part, and pooling is linear: one table serves every weighting. Distributions
are sorted once and weighed anew.
"""

from collections.abc import Callable
from dataclasses import dataclass, fields

import numpy as np

from fairness_checklist.core.arrays import BoolArray, FloatArray, IntArray, divide
from fairness_checklist.core.outcomes import Counts
from fairness_checklist.metrics import comparisons, scores
from fairness_checklist.metrics.contrasts import Contrasts, cached, observations, sums_by_code
from fairness_checklist.metrics.metric_forms import Metric
from fairness_checklist.metrics.scores import Score
from fairness_checklist.metrics.weights import Parts, Weights, as_declared, backgrounds, groups_of_backgrounds

_CHUNK = 1_000_000
_FIELDS = tuple(field.name for field in fields(Counts))
Sets = tuple[FloatArray, FloatArray]  # what d gets first, and second


Wins = tuple[FloatArray, FloatArray, FloatArray]
"""The counts for areas under ROC curves, for L parts and K classes.

(K, L, L) the weight of the pairs of a positive of the first and a negative of the second part in which the positive has
the higher score, ties half; (K, L) the weights of the positives, and of the negatives.
"""


def wins_of_sides(
    value: FloatArray, part: IntArray, first: FloatArray, second: FloatArray, size: int
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """How often a first of one part is above a second of another (L, L), ties half, and both weights of each part.

    Shapes: value (m,), rising; part, first, second (m,).
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
    return np.bincount(cell, weights=weight, minlength=width * size).astype(np.float64, copy=False).reshape(width, size)


def compare_sides(
    compare: comparisons.Comparison, compared: Wins, background: FloatArray, group: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """d of two sides that are pooled from parts: values (..., K), and the sides' positives and negatives (..., 2, K).

    Shapes: background, group (..., L).
    """
    wins, *masses = compared
    sides = np.stack(np.broadcast_arrays(background, group), axis=-2)
    positive, negative = (np.moveaxis(sides @ mass.T, -1, 0) for mass in masses)
    share = divide(sides, (positive + negative)[..., None])
    wide = (slice(None), *(None,) * (sides.ndim - 2))
    pairs = share @ wins[wide] @ np.swapaxes(share, -1, -2)
    # The shares are summed as the wins are, so that an area is 1 at most.
    values = compare(pairs, *((share @ mass[wide][..., None])[..., 0] for mass in masses))
    return np.moveaxis(values, 0, -1), np.moveaxis(positive, 0, -1), np.moveaxis(negative, 0, -1)


def finite(values: FloatArray) -> FloatArray:
    """The values, NaN where a user-defined score or comparison divided by 0."""
    return np.where(np.isfinite(values), values, np.nan)


def group_values(metric: Metric, parts: Parts, contrasts: Contrasts, weights: Weights) -> FloatArray:
    """The contrasts of a group metric under D weightings: (D, P, K), NaN where undefined."""
    kind = scores.about(metric.score).kind
    if kind == "set":
        return _set_distances(metric, parts, contrasts, weights)
    size = parts.size * (len(contrasts.left) + parts.size)
    of_wins = kind == "ranking" and metric.family != "multigroup"
    return np.concatenate(
        [
            _by_wins(metric.compare, metric.score, parts, _sides(metric, parts, contrasts, some), some)
            if of_wins
            else _scalar_distances(metric, parts, contrasts, some)
            for _draws, some in weights.chunks(size)
        ]
    )


@np.errstate(divide="ignore", invalid="ignore")
def pooled_scores(score: Score, parts: Parts, sets: FloatArray, weights: Weights) -> FloatArray:
    """A rate, mean or area of sets of parts: (D, B, K) for sets (D, B, L) or (1, B, L)."""
    if scores.about(score).kind == "ranking":
        return _by_wins(comparisons.group_area, score, parts, (sets, sets), weights)
    return score_of_sums(score, sets @ sums_of_parts(score, parts, weights))


def sums_of_parts(score: Score, parts: Parts, weights: Weights) -> FloatArray:
    """What a rate or mean is made of, by part: (L, F) or (D, L, F); sums of parts are those of their sets."""
    if scores.about(score).kind != "rate":
        return np.concatenate(sums_of_mean(score, parts, weights), axis=-1)
    counts = parts.outcomes.counts(*weights.codes(parts)) if weights.block is not None else parts.counts
    return np.concatenate([weights.collapsed(parts, getattr(counts, name)) for name in _FIELDS], axis=-1)


@np.errstate(divide="ignore", invalid="ignore")
def score_of_sums(score: Score, sums: FloatArray) -> FloatArray:
    """A rate or mean (..., K) of such sums (..., F)."""
    if scores.about(score).kind == "rate":
        return finite(score(Counts(*_equal_parts(sums, len(_FIELDS)))))
    part, mass = _equal_parts(sums, 2)
    return finite(part / mass)


def _equal_parts(sums: FloatArray, n: int) -> tuple[FloatArray, ...]:
    """Arrays (..., F) as n arrays (..., F / n) side by side."""
    parts = sums.reshape(*sums.shape[:-1], n, sums.shape[-1] // n)
    return tuple(parts[..., at, :] for at in range(n))


def sums_of_mean(score: Score, parts: Parts, weights: Weights) -> tuple[FloatArray, FloatArray]:
    """The weighted sums of the values of a mean score by part, and their weights: (L, K) or (D, L, K)."""

    def tables() -> tuple[FloatArray, FloatArray]:
        values, row, _ = observations(score, parts.outcomes)
        codes, size = weights.codes(parts)
        return sums_by_code(values, codes[row], parts.outcomes.weight[row], size)

    part, mass = cached(parts, ("mean", score), tables) if weights.block is None else tables()
    return weights.collapsed(parts, part), weights.collapsed(parts, mass)


def _sides(metric: Metric, parts: Parts, contrasts: Contrasts, weights: Weights) -> Sets:
    """(D, P, L) how much of each part is in the set that d gets first, and in the second: a background comes first."""
    own, left = weights.member, contrasts.left
    shape = (len(weights), len(left), parts.size)
    if metric.family == "pairwise":
        return np.broadcast_to(own[:, left], shape), np.broadcast_to(own[:, contrasts.right], shape)
    return np.broadcast_to(backgrounds(metric, parts, weights)[:, left], shape), np.broadcast_to(own[:, left], shape)


@np.errstate(divide="ignore", invalid="ignore")
def _scalar_distances(metric: Metric, parts: Parts, contrasts: Contrasts, weights: Weights) -> FloatArray:
    own = pooled_scores(metric.score, parts, weights.member, weights)
    if metric.family == "multigroup":
        both = [own] if metric.also is None else [own, pooled_scores(metric.also, parts, weights.member, weights)]
        values = [finite(comparisons.of_present(metric.compare, np.moveaxis(phi[:, :-1], 1, -1))) for phi in both]
        return comparisons.worse(metric.compare, values[0], values[-1])[:, None, :]
    if metric.family == "pairwise":
        return finite(metric.compare(own[:, contrasts.left], own[:, contrasts.right]))
    score = metric.background_score or metric.score
    beta = groups_of_backgrounds(metric, parts, weights)[..., contrasts.left, :]
    behind = score_of_sums(score, beta @ (weights.member @ sums_of_parts(score, parts, weights)))
    return finite(metric.compare(behind, own[:, contrasts.left]))


def _wins(score: Score, parts: Parts, row_weight: FloatArray) -> Wins:
    units = parts.outcomes.units
    assert units is not None  # else the metric is missing

    def make() -> Wins:
        values, code, weight = score(units), parts.code[units.row], row_weight[units.row]
        counted = (units.label >= 0) & (code >= 0) & (weight > 0)
        by_class = []
        for k, column in enumerate(values.T):
            order = np.argsort(column)
            order = order[counted[order] & ~np.isnan(column[order])]
            mass, gold = weight[order], units.label[order] == k
            by_class.append(wins_of_sides(column[order], code[order], mass * gold, mass * ~gold, parts.size))
        wins, positive, negative = map(np.array, zip(*by_class, strict=True))
        return wins, positive, negative

    return cached(parts, ("wins", score), make) if row_weight is parts.outcomes.weight else make()


@np.errstate(divide="ignore", invalid="ignore")
def _by_wins(compare: comparisons.Comparison, score: Score, parts: Parts, sides: Sets, weights: Weights) -> FloatArray:
    """d of two sides (D or 1, B, L) from the wins between parts: (D, B, K)."""
    by_draw = []
    for draws, row_weight in weights.row_weights(parts.outcomes):
        first, second = (side if len(side) == 1 else side[draws] for side in sides)
        by_draw.append(compare_sides(compare, _wins(score, parts, row_weight), first, second)[0])
    return finite(np.concatenate(by_draw))


def sides_of_ranking(metric: Metric, parts: Parts, contrasts: Contrasts) -> tuple[FloatArray, FloatArray]:
    """The weight of the positives and negatives of both sides of each contrast as declared: (P, 2, K) each."""
    first, second = _sides(metric, parts, contrasts, Weights(as_declared(parts)))
    wins = _wins(metric.score, parts, parts.outcomes.weight)
    return compare_sides(comparisons.group_area, wins, first[0], second[0])[1:]


@dataclass(frozen=True, eq=False)
class Ordered:
    """The scores of one class in rising order: values (m,), and the row and the part of each."""

    value: FloatArray
    row: IntArray
    part: IntArray


def _ordered(score: Score, parts: Parts) -> list[Ordered]:
    """The scores of each class that are there."""
    values, row, _ = observations(score, parts.outcomes)
    by_class = []
    for column in values.T:
        there = np.flatnonzero(~np.isnan(column) & (parts.code[row] >= 0))
        there = there[np.argsort(column[there])]
        by_class.append(Ordered(column[there], row[there], parts.code[row[there]]))
    return by_class


@np.errstate(divide="ignore", invalid="ignore")
def _set_distances(metric: Metric, parts: Parts, contrasts: Contrasts, weights: Weights) -> FloatArray:
    own = _ordered(metric.score, parts)
    other = own if metric.background_score is None else _ordered(metric.background_score, parts)
    form = _by_levels if metric.background_score is not None else CLOSED_FORMS.get(metric.compare, _by_levels)
    result = np.full((len(weights), len(contrasts.left), len(own)), np.nan)
    for draws, some in weights.chunks(parts.size * len(contrasts.left)):
        first, second = _sides(metric, parts, contrasts, some)
        for k, both in enumerate(zip(other, own, strict=True)):
            by_draw = [
                form(metric, parts, k, both, row_weight, (first[inner], second[inner]))
                for inner, row_weight in some.row_weights(parts.outcomes)
            ]
            result[draws, :, k] = np.concatenate(by_draw)
    return finite(result)


Form = Callable[[Metric, Parts, int, tuple[Ordered, Ordered], FloatArray, Sets], FloatArray]


def _equality_gaps(
    metric: Metric, parts: Parts, k: int, both: tuple[Ordered, Ordered], row_weight: FloatArray, sets: Sets
) -> FloatArray:
    """1/2 - U, which is linear in both sides: x W y for the wins W between parts."""
    own = both[1]

    def make() -> tuple[FloatArray, FloatArray]:
        return wins_of_sides(own.value, own.part, row_weight[own.row], row_weight[own.row], parts.size)[:2]

    plain = row_weight is parts.outcomes.weight
    wins, mass = cached(parts, ("gaps", metric.score, k), make) if plain else make()
    x, y = sets
    front, back = x @ mass, y @ mass
    won = ((x @ wins) * y).sum(axis=-1)
    return np.where((front > 0) & (back > 0), 0.5 - won / (front * back), np.nan)


def _distances(
    metric: Metric, parts: Parts, k: int, both: tuple[Ordered, Ordered], row_weight: FloatArray, sets: Sets
) -> FloatArray:
    """W1 between two sets, the area between their distribution functions: one pass over the sorted values a draw."""
    own, by_draw = both[1], []
    weight = row_weight[own.row]
    mass = np.bincount(own.part, weights=weight, minlength=parts.size).astype(np.float64)
    for x, y in zip(*sets, strict=True):
        whole = x @ mass, y @ mass
        distances = x / whole[0][:, None] - y / whole[1][:, None]
        distance = pooled_distances(own.value, own.part, weight, np.nan_to_num(distances, posinf=0.0, neginf=0.0))
        by_draw.append(np.where((whole[0] > 0) & (whole[1] > 0), distance, np.nan))
    return np.array(by_draw)


def pooled_distances(value: FloatArray, part: IntArray, weight: FloatArray, distance: FloatArray) -> FloatArray:
    """W1 between two sets that are pooled from parts: (P,), the area between their distribution functions.

    Shapes: value (m,), rising; part, weight (m,); distance (P, L).
    """
    result, below = np.zeros(len(distance)), np.zeros(len(distance))
    gaps = np.diff(value, append=value[-1:])
    step = max(1, _CHUNK // max(1, len(distance)))
    by_part, even = np.ascontiguousarray(distance.T), bool((weight == 1).all())
    for start in range(0, len(value), step):
        here = slice(start, start + step)
        ahead = by_part.take(part[here], axis=0)
        if not even:
            ahead *= weight[here, None]
        ahead[0] += below
        np.cumsum(ahead, axis=0, out=ahead)
        below = ahead[-1].copy()
        result += np.abs(ahead, out=ahead).T @ gaps[here]
    return result


def _by_levels(
    metric: Metric, parts: Parts, k: int, both: tuple[Ordered, Ordered], row_weight: FloatArray, sets: Sets
) -> FloatArray:
    """Any other comparison, of the weights that both sets have on all distinct values."""
    other, own = both
    levels = np.unique(own.value if other is own else np.concatenate([own.value, other.value]))
    second = _on_levels(levels, own, row_weight, parts.size)
    first = second if other is own else _on_levels(levels, other, row_weight, parts.size)
    x, y = (side.reshape(-1, parts.size) for side in sets)
    result = np.full(len(x), np.nan)
    step = max(1, _CHUNK // max(1, len(levels)))
    for start in range(0, len(x), step):
        some = slice(start, start + step)
        front, rear = first @ x[some].T, second @ y[some].T
        whole = front.sum(axis=0), rear.sum(axis=0)
        fine = np.flatnonzero((whole[0] > 0) & (whole[1] > 0))
        if len(fine):
            shares = (side[:, fine] / mass[fine] for side, mass in zip((front, rear), whole, strict=True))
            result[start + fine] = metric.compare(levels, *shares)
    return result.reshape(sets[0].shape[:2])


def _on_levels(levels: FloatArray, given: Ordered, row_weight: FloatArray, size: int) -> FloatArray:
    """(u, L) the weight of each part on each level."""
    return _by_part(np.searchsorted(levels, given.value) * size + given.part, row_weight[given.row], len(levels), size)


CLOSED_FORMS: dict[comparisons.Comparison, Form] = {
    comparisons.wasserstein_1: _distances,
    comparisons.average_equality_gap: _equality_gaps,
}
"""Comparisons of whole distributions that need not look at every level for every contrast; others take `_by_levels`."""


def has_score(score: Score, parts: Parts, sets: FloatArray) -> BoolArray:
    """(B, K) whether sets of parts (B, L) have a score at all, as declared."""
    weights = Weights(as_declared(parts))
    if scores.about(score).kind != "set":
        return np.asarray(~np.isnan(pooled_scores(score, parts, sets[None], weights)[0]))
    return np.asarray(sets @ sums_of_mean(score, parts, weights)[1] > 0)
