"""Influence on counterfactual metrics: of a source through its own value, of a term through its scores in each source.

Where d is an expectation over the product of the groups' terms, counting one term once more moves it by the expectation
given that term (Hájek's projection); distances between distributions move as in `statistics.influence_distributions`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from fairness_checklist.core.arrays import BoolArray, FloatArray, IntArray
from fairness_checklist.core.outcomes import Outcomes
from fairness_checklist.metrics import comparisons, scores
from fairness_checklist.metrics.contrasts import Contrasts, observations
from fairness_checklist.metrics.metric import Metric
from fairness_checklist.metrics.metric_result import MetricResult
from fairness_checklist.metrics.weights import indicator
from fairness_checklist.statistics.clusters import Clusters, summed
from fairness_checklist.statistics.influence_distributions import Part, distance_slope

_CELLS = 2_000_000
_STEP = 1e-7
Moved = Callable[["Places", IntArray], FloatArray]


@dataclass(frozen=True, eq=False)
class Places:
    """The sorted scores of q places (a place is a source, or one word of it), padded to M.

    Attributes:
        value: (q, M) ascending.
        share: (q, M, L) weight of a score in its group's distribution; 0 for padding.
        left, right: (P,) the groups of the contrasts.
    """

    value: FloatArray
    share: FloatArray
    left: IntArray
    right: IntArray

    @property
    def mean(self) -> FloatArray:
        """(q, L) of each group."""
        found: FloatArray = np.einsum("qm,qml->ql", self.value, self.share)
        return found


def has_source_parts(metric: Metric, right_group: IntArray) -> bool:
    """Whether the influence of terms is known: ``right_group`` (P,) holds -1 where a background is no single group."""
    if metric.family == "multigroup":
        kind = scores.about(metric.score).kind
        return kind == "single" and metric.compare in (comparisons.score_range, comparisons.score_deviation)
    kind = scores.about(metric.score).kind
    if metric.family == "background" and (right_group < 0).any():
        return False
    return kind in ("single", "mean") or (kind == "set" and metric.compare is comparisons.wasserstein_1)


def template_influence(result: MetricResult, clusters: Clusters) -> FloatArray:
    """(J, P, K) of each template, through the values of its sources."""
    if result.by_source is None or result.source_weight is None:
        raise ValueError("a group metric has no values by source")
    fine = ~np.isnan(result.by_source)
    weight = np.broadcast_to(result.source_weight[:, None, None], fine.shape)
    if result.options.denominator == "true_class":
        weight = np.where(fine, weight, 0.0)
    whole = weight.sum(axis=0)
    distance = np.where(fine, result.by_source, 0.0) - np.nan_to_num(result.value)
    share = np.divide(weight, whole, out=np.zeros(fine.shape), where=whole > 0)
    matrix = indicator(clusters.of_source, clusters.n_templates)
    return summed(matrix, np.where(weight > 0, distance * share, 0.0))


def source_parts(
    metric: Metric,
    outcomes: Outcomes,
    contrasts: Contrasts,
    right_group: IntArray,
    result: MetricResult,
    clusters: Clusters,
) -> Iterator[Part]:
    """The influence on a counterfactual metric: templates by their sources' values, terms by their scores in each."""
    template = template_influence(result, clusters)
    n_contrasts, size = result.value.shape
    values, row, position = observations(metric.score, outcomes)
    single = scores.about(metric.score).kind == "single"
    source = outcomes.source[row]
    inside = (source >= 0) & outcomes.symmetric[source] & (outcomes.weight[row] > 0)
    inside &= (position >= 0) if single else np.ones(len(row), dtype=np.bool_)
    width = int(position[inside].max(initial=0)) + 1 if single else 1
    place = source * width + (position if single else 0)
    n_columns = len(outcomes.groups) + 1
    moved = _moves(metric, len(outcomes.groups))
    of_result = np.nan_to_num(result.source_weight) if result.source_weight is not None else np.zeros(0)
    step = max(1, min(n_contrasts, _CELLS // max(1, clusters.n_cells * size)))
    for start in range(0, n_contrasts, step):
        at = np.arange(start, min(start + step, n_contrasts))
        left, right = (contrasts.left, right_group) if metric.family != "multigroup" else (at, at)
        cell = np.zeros((clusters.n_cells, len(at), size))
        for k in range(size):
            fine = inside & ~np.isnan(values[:, k])
            found = _Sorted(values[fine, k], place[fine], outcomes.group[row[fine]], outcomes.weight[row[fine]])
            cell[:, :, k] = found.influence(
                clusters.cell[row[fine]], clusters.n_cells, n_columns, left[at], right[at], moved,
                of_result, width, metric.family == "multigroup",
            )  # fmt: skip
        yield Part(at, cell, template[:, at])


class _Sorted:
    """The scores of one class, sorted by place and value."""

    def __init__(self, value: FloatArray, place: IntArray, group: IntArray, weight: FloatArray) -> None:
        self.order = np.lexsort((value, place))
        self.value, self.group, self.weight = value[self.order], group[self.order], weight[self.order]
        self.places, self.start = np.unique(place[self.order], return_index=True)
        self.length = np.diff(np.append(self.start, len(value)))

    def influence(
        self,
        cell: IntArray,
        n_cells: int,
        n_columns: int,
        left: IntArray,
        right: IntArray,
        moved: Moved,
        weight: FloatArray,
        width: int,
        multigroup: bool,
    ) -> FloatArray:
        """(Q, p) of each cell."""
        result = np.zeros((n_cells, len(left)))
        if not len(self.places):
            return result
        defined = self._defined(n_columns, left, right, multigroup)
        share = _share_of_places(defined, self.places // width, weight)
        deepest = int(self.length.max())
        chunk = max(1, _CELLS // (deepest * max(n_columns, len(left))))
        cell = cell[self.order]
        for start in range(0, len(self.places), chunk):
            some = slice(start, start + chunk)
            first, length = self.start[some], self.length[some]
            there = np.arange(int(length.max())) < length[:, None]
            at = np.where(there, first[:, None] + np.arange(there.shape[1]), first[:, None])
            group, mass = self.group[at], np.where(there, self.weight[at], 0.0)
            one_hot = (group[..., None] == np.arange(n_columns)) * mass[..., None]
            whole = one_hot.sum(axis=1, keepdims=True)
            shares = np.divide(one_hot, whole, out=np.zeros_like(one_hot), where=whole > 0)
            value = np.where(there, self.value[at], self.value[first + length - 1][:, None])
            found = moved(Places(value, shares, left, right), group) * share[some][:, None, :]
            result += summed(indicator(cell[at[there]], n_cells), found[there])
        return result

    def _defined(self, n_columns: int, left: IntArray, right: IntArray, multigroup: bool) -> BoolArray:
        """(q, p) whether a place has a value."""
        number = np.repeat(np.arange(len(self.places)), self.length)
        there = np.zeros((len(self.places), n_columns), dtype=np.bool_)
        there[number, self.group] = True
        if multigroup:
            return np.asarray(there[:, :-1].sum(axis=1) >= 2)[:, None]
        return there[:, left] & there[:, right]


def _share_of_places(defined: BoolArray, source: IntArray, weight: FloatArray) -> FloatArray:
    """(q, p) how much each place counts in the mean over the places of a source and over sources."""
    matrix = indicator(source, len(weight))
    places = summed(matrix, defined.astype(np.float64))
    mass = np.where(places > 0, weight[:, None], 0.0)
    whole = mass.sum(axis=0)
    by_source = np.divide(mass, places * whole, out=np.zeros_like(mass), where=(places > 0) & (whole > 0))
    share: FloatArray = np.where(defined, by_source[source], 0.0)
    return share


def _moves(metric: Metric, n_groups: int) -> Moved:
    """How the value of a place moves with the weight of each of its scores: (q, M, p), of a score's own group."""
    kind = scores.about(metric.score).kind
    if metric.compare is comparisons.score_range:
        return lambda places, group: _of_range(places, group, n_groups)
    if metric.compare is comparisons.score_deviation:
        return lambda places, group: _of_deviation(places, group, n_groups)
    if kind == "set":
        return _of_distance
    if kind == "mean":
        return lambda places, group: _of_means(metric, places)
    return lambda places, group: _of_pairs(metric, places)


def _of_pairs(metric: Metric, places: Places) -> FloatArray:
    """E d(x, Y) for a score x of one group over the scores Y of the other, less the expectation over both."""
    if metric.compare is comparisons.abs_diff:
        below = np.cumsum(places.share, axis=1)
        part = np.cumsum(places.share * places.value[..., None], axis=1)
        toward = places.value[..., None] * (2 * below - 1) - 2 * part + part[:, -1:]
        back = toward
    else:
        x, y = places.value[:, :, None], places.value[:, None, :]
        toward = np.nan_to_num(metric.compare(x, y)) @ places.share
        back = np.swapaxes(np.nan_to_num(metric.compare(x, y)), 1, 2) @ places.share
    if metric.family == "background":
        toward, back = back, toward  # d gets the background first
    left, right = places.share[:, :, places.left], places.share[:, :, places.right]
    one, two = toward[:, :, places.right], back[:, :, places.left]
    middle = (left * one).sum(axis=1, keepdims=True)
    found: FloatArray = left * (one - middle) + right * (two - middle)
    return found


def _of_means(metric: Metric, places: Places) -> FloatArray:
    """Through the means of both groups."""
    mean = places.mean
    x, y = mean[:, places.left] + 1e-9, mean[:, places.right]

    def d(a: FloatArray, b: FloatArray) -> FloatArray:
        return metric.compare(a, b) if metric.family == "pairwise" else metric.compare(b, a)

    here = d(x, y)
    one, two = np.nan_to_num((d(x + _STEP, y) - here) / _STEP), np.nan_to_num((d(x, y + _STEP) - here) / _STEP)
    distance = places.value[..., None] - mean[:, None, :]
    left = places.share[:, :, places.left] * distance[:, :, places.left] * one[:, None, :]
    found: FloatArray = left + places.share[:, :, places.right] * distance[:, :, places.right] * two[:, None, :]
    return found


def _of_distance(places: Places, group: IntArray) -> FloatArray:
    """W1 between two groups."""
    left, right = places.share[:, :, places.left], places.share[:, :, places.right]
    step = np.diff(places.value, axis=1, append=places.value[:, -1:])
    onward = distance_slope(left, right, step[..., None])
    one = onward - (left * onward).sum(axis=1, keepdims=True)
    two = onward - (right * onward).sum(axis=1, keepdims=True)
    found: FloatArray = left * one - right * two
    return found


def _of_range(places: Places, group: IntArray, n_groups: int) -> FloatArray:
    """E[max - min] given one term's score, less the expectation."""
    share = places.share[:, :, :n_groups]
    there = share.sum(axis=1, keepdims=True) > 0
    below = np.clip(np.cumsum(share, axis=1), 0.0, 1.0)
    step = np.diff(places.value, axis=1, append=places.value[:, -1:])[..., None]
    all_below = step * _product_of_others(np.where(there, below, 1.0))
    all_above = step * _product_of_others(np.where(there, 1 - below, 1.0))
    onward = np.cumsum(all_below[:, ::-1], axis=1)[:, ::-1]
    before = np.cumsum(all_above, axis=1) - all_above
    given = -(onward + before)  # and the same constant for every score of the group
    centred = given - (share * given).sum(axis=1, keepdims=True)
    found: FloatArray = (share * centred).sum(axis=2, keepdims=True)
    return found


def _product_of_others(values: FloatArray) -> FloatArray:
    """The products over the last axis with each left out."""
    size = values.shape[-1]
    front, back = np.ones_like(values), np.ones_like(values)
    for g in range(1, size):
        front[..., g] = front[..., g - 1] * values[..., g - 1]
        back[..., size - 1 - g] = back[..., size - g] * values[..., size - g]
    result: FloatArray = front * back
    return result


def _of_deviation(places: Places, group: IntArray, n_groups: int) -> FloatArray:
    """The standard deviation, as the root of the expected variance moves: within a few percent."""
    share = places.share[:, :, :n_groups]
    there = share.sum(axis=1) > 0
    size = np.maximum(there.sum(axis=1), 1)[:, None]
    mean = np.where(there, places.mean[:, :n_groups], 0.0)
    square = np.einsum("qm,qmg->qg", places.value**2, share)
    centre = mean.sum(axis=1, keepdims=True) / size
    within = np.where(there, square - mean**2, 0.0)
    variance = (np.where(there, (mean - centre) ** 2, 0.0) + (size - 1) / size * within).sum(axis=1) / size[:, 0]
    distance = places.value[..., None] - mean[:, None, :]
    moved = 2 * (mean - centre)[:, None, :] * distance + ((size - 1) / size)[:, :, None] * (
        distance**2 - within[:, None, :]
    )
    root = np.sqrt(np.maximum(variance, 0.0))[:, None, None]
    found = (share * moved).sum(axis=2, keepdims=True) / size[:, :, None]
    result: FloatArray = np.divide(found, 2 * root, out=np.zeros_like(found), where=root > 1e-12)
    return result
