"""Equations (1), (3) and (5): metrics that compare the scores of whole groups."""

from __future__ import annotations

import numpy as np

from fairness_checklist import comparisons, scores
from fairness_checklist.arrays import BoolArray, FloatArray, IntArray
from fairness_checklist.metrics.contrasts import (
    NO_VALUE,
    Contrasts,
    Reasons,
    check_groups,
    class_names,
    contrasts_of,
    entered_rows,
    lane_mass,
    missing,
    observations,
)
from fairness_checklist.metrics.metric import Metric, Options
from fairness_checklist.metrics.ranking import compared_sides, wins_by_lane
from fairness_checklist.metrics.result import MetricResult, totals
from fairness_checklist.outcomes import Outcomes

__all__ = [
    "Contrasts",
    "check_groups",
    "class_names",
    "contrasts_of",
    "entered_rows",
    "group_metric",
    "group_scores",
    "missing",
    "observations",
]

_CHUNK = 4_000_000


def group_scores(score: scores.Score, outcomes: Outcomes, membership: FloatArray) -> FloatArray:
    """A rate, mean or area of pooled sets: (B, K) for a membership matrix (B, G + 1); NaN where undefined."""
    lanes = len(outcomes.groups) + 1
    if scores.about(score).kind == "rate":
        counts = outcomes.counts(outcomes.group, lanes)
        return score(counts.each(lambda values: _pool(membership, values)))
    if scores.about(score).kind == "ranking":
        found = wins_by_lane(score, outcomes, outcomes.group, lanes)
        return compared_sides(comparisons.group_area, found, membership, membership)[0]
    values, row, _ = observations(score, outcomes)
    pooled = np.empty((len(membership), values.shape[1]))
    for k in range(values.shape[1]):
        fine = ~np.isnan(values[:, k])
        lane, weight = outcomes.group[row[fine]], outcomes.weight[row[fine]]
        mass = membership @ np.bincount(lane, weights=weight, minlength=lanes)
        part = membership @ np.bincount(lane, weights=weight * values[fine, k], minlength=lanes)
        pooled[:, k] = np.divide(part, mass, out=np.full(len(mass), np.nan), where=mass > 0)
    return pooled


def _pool(membership: FloatArray, values: FloatArray) -> FloatArray:
    pooled: FloatArray = membership @ values
    return pooled


@np.errstate(divide="ignore", invalid="ignore")
def group_metric(metric: Metric, outcomes: Outcomes, options: Options) -> MetricResult:
    """A group metric: equations (1), (3) and (5) of Czarnowska et al. 2021.

    A score or comparison of one's own may divide by 0: what is not finite is undefined.
    """
    contrasts = contrasts_of(metric, outcomes)
    classes = class_names(metric.score, outcomes)
    lanes = len(outcomes.groups)
    own = np.eye(lanes, lanes + 1)
    beta = metric.membership(outcomes.groups, lane_mass(outcomes))
    why = missing(metric.score, outcomes) or missing(metric.background_score or metric.score, outcomes)
    why = why or missing(metric.also or metric.score, outcomes)
    remarks: Reasons = {}
    if why:
        value = np.full((1 if metric.family == "multigroup" else len(contrasts.left), len(classes)), np.nan)
        reasons = {(p, k): why for p in range(len(value)) for k in range(len(classes))}
    elif scores.about(metric.score).kind == "set":
        value, reasons = _compare_sets(metric, outcomes, contrasts, beta, classes)
    elif scores.about(metric.score).kind == "ranking" and metric.family != "multigroup":
        value, reasons = _compare_rankings(metric, outcomes, contrasts, own, beta, classes)
    else:
        value, reasons, remarks = _compare_scalars(metric, outcomes, contrasts, own, beta, classes)
    n, total_n = _entered(metric, outcomes, contrasts, beta, len(classes), nothing=bool(why))
    lost = np.isnan(value).astype(np.int64)
    if metric.family == "multigroup":
        return MetricResult(
            metric,
            options,
            outcomes.attribute,
            outcomes.groups,
            classes,
            ("*",),
            ("",),
            value,
            total_n[None, :],
            lost,
            reasons,
            total=value[0],
            total_n=total_n,
            remarks=remarks,
        )
    total = totals(metric, lanes, contrasts.left, contrasts.right, value)
    return MetricResult(
        metric,
        options,
        outcomes.attribute,
        outcomes.groups,
        classes,
        contrasts.left_names,
        contrasts.right_names,
        value,
        n,
        lost,
        reasons,
        total,
        total_n,
    )


def _reasons(
    metric: Metric, contrasts: Contrasts, classes: tuple[str, ...], left: BoolArray, right: BoolArray, value: FloatArray
) -> Reasons:
    """Why a contrast is undefined: one of its sides (left, right: (P, K) has a score) or the comparison."""
    own, behind = (scores.about(score).undefined for score in (metric.score, metric.background_score or metric.score))
    reasons: Reasons = {}
    for p, k in np.argwhere(np.isnan(value)):
        if not left[p, k]:
            reason = f"{contrasts.left_names[p]}: {own.format(label=classes[k])}"
        elif not right[p, k]:
            reason = f"{contrasts.right_names[p]}: {behind.format(label=classes[k])}"
        else:
            reason = comparisons.about(metric.compare).undefined or NO_VALUE
        reasons[int(p), int(k)] = reason
    return reasons


def _finite(values: FloatArray) -> FloatArray:
    return np.where(np.isfinite(values), values, np.nan)


def _compare_scalars(
    metric: Metric,
    outcomes: Outcomes,
    contrasts: Contrasts,
    own: FloatArray,
    beta: FloatArray,
    classes: tuple[str, ...],
) -> tuple[FloatArray, Reasons, Reasons]:
    """The values (P, K), why some are undefined, and what must be said about others."""
    phi = _finite(group_scores(metric.score, outcomes, own))
    if metric.family == "multigroup":
        value = _finite(comparisons.of_present(metric.compare, phi.T))[None, :]
        told = _of_all_groups(metric, metric.score, classes, phi, value)
        if metric.also is not None:
            phi = _finite(group_scores(metric.also, outcomes, own))
            second = _finite(comparisons.of_present(metric.compare, phi.T))[None, :]
            more = _of_all_groups(metric, metric.also, classes, phi, second)
            value, told = np.maximum(value, second), (more[0] | told[0], more[1] | told[1])
        return value, *told
    if metric.family == "pairwise":
        x, y = phi[contrasts.left], phi[contrasts.right]
        value = _finite(metric.compare(x, y))
    else:
        x = phi[contrasts.left]
        y = _finite(group_scores(metric.background_score or metric.score, outcomes, beta[contrasts.left]))
        value = _finite(metric.compare(y, x))
    return value, _reasons(metric, contrasts, classes, ~np.isnan(x), ~np.isnan(y), value), {}


def _compare_rankings(
    metric: Metric,
    outcomes: Outcomes,
    contrasts: Contrasts,
    own: FloatArray,
    beta: FloatArray,
    classes: tuple[str, ...],
) -> tuple[FloatArray, Reasons]:
    found = wins_by_lane(metric.score, outcomes, outcomes.group, own.shape[1])
    group, names = own[contrasts.left], (contrasts.right_names, contrasts.left_names)
    background = beta[contrasts.left]
    if metric.family == "pairwise":  # the first group stands where a background does
        background, group, names = group, own[contrasts.right], names[::-1]
    value, positive, negative = compared_sides(metric.compare, found, background, group)
    value, reasons = _finite(value), {}
    for p, k in np.argwhere(np.isnan(value)):
        reasons[int(p), int(k)] = comparisons.about(metric.compare).undefined or NO_VALUE
        for side, gold in comparisons.about(metric.compare).uses or ((1, True), (1, False), (0, True), (0, False)):
            if not (positive if gold else negative)[p, side, k] > 0:
                why = scores.NO_GOLD if gold else scores.NO_OTHER
                reasons[int(p), int(k)] = f"{names[side][p]}: {why.format(label=classes[k])}"
                break
    return value, reasons


def _of_all_groups(
    metric: Metric, score: scores.Score, classes: tuple[str, ...], phi: FloatArray, value: FloatArray
) -> tuple[Reasons, Reasons]:
    """Reasons and remarks of a multigroup metric, from the groups' scores phi (G, K)."""
    reasons, remarks = {}, {}
    there, size = (~np.isnan(phi)).sum(axis=0), len(phi)
    for k, name in enumerate(classes):
        if there[k] < 2:
            reasons[0, k] = scores.about(score).undefined.format(label=name)
        elif np.isnan(value[0, k]):
            reasons[0, k] = comparisons.about(metric.compare).undefined or NO_VALUE
        elif there[k] < size:
            remarks[0, k] = f"over {there[k]} of {size} groups: the others have no score"
    return reasons, remarks


def _compare_sets(
    metric: Metric, outcomes: Outcomes, contrasts: Contrasts, beta: FloatArray, classes: tuple[str, ...]
) -> tuple[FloatArray, Reasons]:
    value = np.full((len(contrasts.left), len(classes)), np.nan)
    left, right = np.zeros(value.shape, dtype=np.bool_), np.zeros(value.shape, dtype=np.bool_)
    for k in range(len(classes)):
        levels, mass = _distribution(metric.score, outcomes, k)
        behind_levels, behind = levels, mass @ beta.T
        if metric.background_score is not None:
            behind_levels, other = _distribution(metric.background_score, outcomes, k)
            levels, (mass, behind) = _on_common_levels(levels, mass, behind_levels, other @ beta.T)
        x = mass[:, contrasts.left]
        y = mass[:, contrasts.right] if metric.family == "pairwise" else behind[:, contrasts.left]
        left[:, k], right[:, k] = x.sum(axis=0) > 0, y.sum(axis=0) > 0
        both = np.flatnonzero(left[:, k] & right[:, k])
        first, second = (x, y) if metric.family == "pairwise" else (y, x)
        width = max(1, _CHUNK // max(1, len(levels)))
        for start in range(0, len(both), width):
            some = both[start : start + width]
            value[some, k] = metric.compare(levels, _shares(first[:, some]), _shares(second[:, some]))
    return value, _reasons(metric, contrasts, classes, left, right, value)


def _shares(mass: FloatArray) -> FloatArray:
    shares: FloatArray = mass / mass.sum(axis=0)
    return shares


def _distribution(score: scores.Score, outcomes: Outcomes, k: int) -> tuple[FloatArray, FloatArray]:
    """Sorted distinct values (u,) of class k and the weight (u, G + 1) that each group has on them."""
    values, row, _ = observations(score, outcomes)
    fine = ~np.isnan(values[:, k])
    levels, at = np.unique(values[fine, k], return_inverse=True)
    lanes = len(outcomes.groups) + 1
    code = at * lanes + outcomes.group[row[fine]]
    mass = np.bincount(code, weights=outcomes.weight[row[fine]], minlength=len(levels) * lanes).astype(np.float64)
    return levels, mass.reshape(len(levels), lanes)


def _on_common_levels(
    a_levels: FloatArray, a: FloatArray, b_levels: FloatArray, b: FloatArray
) -> tuple[FloatArray, tuple[FloatArray, FloatArray]]:
    levels = np.union1d(a_levels, b_levels)
    wide_a, wide_b = np.zeros((len(levels), a.shape[1])), np.zeros((len(levels), b.shape[1]))
    wide_a[np.searchsorted(levels, a_levels)] = a
    wide_b[np.searchsorted(levels, b_levels)] = b
    return levels, (wide_a, wide_b)


def _entered(
    metric: Metric, outcomes: Outcomes, contrasts: Contrasts, beta: FloatArray, size: int, *, nothing: bool
) -> tuple[IntArray, IntArray]:
    """How many sources (rows where there is no source) entered each contrast (P, K), and any of them (K,)."""
    if nothing:
        return np.zeros((len(contrasts.left), size), dtype=np.int64), np.zeros(size, dtype=np.int64)
    lanes = len(outcomes.groups)
    rows = entered_rows(metric.score, outcomes, size)
    blocks = outcomes.source if len(outcomes.sources) else np.arange(len(outcomes))
    n_blocks = len(outcomes.sources) or len(outcomes)
    n = np.empty((len(contrasts.left), size), dtype=np.int64)
    total = np.empty(size, dtype=np.int64)
    for k in range(size):
        inside = rows[:, k] & (blocks >= 0)
        code = blocks[inside] * (lanes + 1) + outcomes.group[inside]
        there = np.bincount(code, minlength=n_blocks * (lanes + 1)).reshape(n_blocks, lanes + 1) > 0
        other = there[:, contrasts.right] if metric.family == "pairwise" else (there @ beta.T)[:, contrasts.left] > 0
        n[:, k] = (there[:, contrasts.left] | other).sum(axis=0)
        total[k] = there[:, :lanes].any(axis=1).sum()
    return n, total
