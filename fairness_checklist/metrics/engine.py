"""The engine: a metric as a function of weights, many at once, by `group_kernels` or `source_kernels`."""

from collections.abc import Callable
from typing import Any

import numpy as np

from fairness_checklist.core.arrays import BoolArray, FloatArray, IntArray
from fairness_checklist.core.errors import OptionError
from fairness_checklist.core.outcomes import Outcomes
from fairness_checklist.metrics import comparisons, scores
from fairness_checklist.metrics.contrasts import (
    NO_VALUE,
    Contrasts,
    Reasons,
    class_names,
    contrasts_of,
    entered_contrasts,
    missing,
    sources_entered,
)
from fairness_checklist.metrics.group_kernels import group_values, has_score, sides_of_ranking
from fairness_checklist.metrics.metric_forms import Metric, Options
from fairness_checklist.metrics.metric_result import MetricResult, totals
from fairness_checklist.metrics.source_kernels import Inside
from fairness_checklist.metrics.weights import Parts, Weights, as_declared, backgrounds, by_group


def weighted_values(metric: Metric, parts: Parts, options: Options, weights: Weights) -> FloatArray:
    """The contrasts of a metric under D weightings: (D, P, K), NaN where undefined."""
    contrasts = contrasts_of(metric, parts.outcomes)
    if _why_missing(metric, parts.outcomes):
        n_contrasts = 1 if metric.family == "multigroup" else len(contrasts.left)
        return np.full((len(weights), n_contrasts, len(class_names(metric.score, parts.outcomes))), np.nan)
    if metric.level == "group":
        return group_values(metric, parts, contrasts, weights)
    return Inside(metric, parts, contrasts, options).values(weights)


def shares_sums(metric: Metric) -> bool:
    """Whether weightings share sums by part; else each costs about as much as the metric itself."""
    return metric.level == "group" and scores.about(metric.score).kind in ("rate", "mean")


def _why_missing(metric: Metric, outcomes: Outcomes) -> str:
    used = (metric.score, metric.background_score, metric.also)
    return next(filter(None, (missing(score, outcomes) for score in used if score is not None)), "")


def computed(metric: Metric, outcomes: Outcomes, options: Options) -> MetricResult:
    """A metric with the groups as declared and every row by its weight; values that are not finite are undefined.

    Raises OptionError: a metric inside sources, and rows without sources; fewer than two groups.
    """
    if metric.level == "counterfactual" and not len(outcomes.sources):
        raise OptionError(
            f"{metric.name} compares variations of the same source, and the rows have no column source.",
            remedy="Add a column source, or choose group metrics.",
        )
    contrasts = contrasts_of(metric, outcomes)
    return (_group_result if metric.level == "group" else _inside)(metric, outcomes, options, contrasts)


def _result(
    metric: Metric, outcomes: Outcomes, options: Options, contrasts: Contrasts, value: FloatArray, **counted: Any
) -> MetricResult:
    multigroup = metric.family == "multigroup"
    total = value[0] if multigroup else totals(metric, len(outcomes.groups), contrasts.left, contrasts.right, value)
    return MetricResult(
        metric=metric,
        options=options,
        attribute=outcomes.attribute,
        groups=outcomes.groups,
        classes=class_names(metric.score, outcomes),
        left=("*",) if multigroup else contrasts.left_names,
        right=("",) if multigroup else contrasts.right_names,
        value=value,
        total=total,
        **counted,
    )


# Whole groups


def _group_result(metric: Metric, outcomes: Outcomes, options: Options, contrasts: Contrasts) -> MetricResult:
    parts, classes = by_group(outcomes), class_names(metric.score, outcomes)
    weights = Weights(as_declared(parts))
    why = _why_missing(metric, outcomes)
    remarks: Reasons = {}
    value = weighted_values(metric, parts, options, weights)[0]
    own, size = np.eye(parts.size), len(classes)
    pairwise, left = metric.family == "pairwise", contrasts.left
    behind = own[contrasts.right] if pairwise else backgrounds(metric, parts, weights)[0][left]
    if why:
        reasons = _reasons(value, lambda p, k: why)
        n, total_n = np.zeros((len(left), size), dtype=np.int64), np.zeros(size, dtype=np.int64)
    else:
        n, total_n = entered_contrasts(metric.score, outcomes, own[left] > 0, behind > 0, size)
        if metric.family == "multigroup":
            reasons, remarks = _reasons_of_all_groups(metric, parts, classes, value)
        elif not np.isnan(value).any():
            reasons = {}
        elif scores.about(metric.score).kind == "ranking":
            reasons = _reasons_of_ranking(metric, parts, contrasts, classes, value)
        else:
            front = has_score(metric.score, parts, own[left])
            rear = has_score(metric.background_score or metric.score, parts, behind)
            reasons = _reasons_of_sides(metric, contrasts, classes, front, rear, value)
    lost = np.isnan(value).astype(np.int64)
    n = total_n[None, :] if metric.family == "multigroup" else n
    counted = {"n": n, "n_undefined": lost, "total_n": total_n, "reasons": reasons, "remarks": remarks}
    return _result(metric, outcomes, options, contrasts, value, **counted)


def _reasons(value: FloatArray, reason: Callable[[int, int], str]) -> Reasons:
    """The reason of each contrast and class (P, K) that is undefined."""
    return {(p, k): reason(p, k) for p, k in np.argwhere(np.isnan(value)).tolist()}


def _reasons_of_sides(
    metric: Metric, contrasts: Contrasts, classes: tuple[str, ...], left: BoolArray, right: BoolArray, value: FloatArray
) -> Reasons:
    """The reason why a contrast is undefined: one of its sides (left, right: (P, K) has a score) or the comparison."""
    own, behind = (scores.about(score).undefined for score in (metric.score, metric.background_score or metric.score))

    def reason(p: int, k: int) -> str:
        if not left[p, k]:
            return f"{contrasts.left_names[p]}: {own.format(label=classes[k])}"
        if not right[p, k]:
            return f"{contrasts.right_names[p]}: {behind.format(label=classes[k])}"
        return comparisons.about(metric.compare).undefined or NO_VALUE

    return _reasons(value, reason)


def _reasons_of_ranking(
    metric: Metric, parts: Parts, contrasts: Contrasts, classes: tuple[str, ...], value: FloatArray
) -> Reasons:
    positive, negative = sides_of_ranking(metric, parts, contrasts)
    names = (contrasts.right_names, contrasts.left_names)
    if metric.family == "pairwise":  # the first group takes the role of the background
        names = names[::-1]
    info = comparisons.about(metric.compare)

    def reason(p: int, k: int) -> str:
        for side, gold in info.uses or ((1, True), (1, False), (0, True), (0, False)):
            if not (positive if gold else negative)[p, side, k] > 0:
                why = scores.NO_GOLD if gold else scores.NO_OTHER
                return f"{names[side][p]}: {why.format(label=classes[k])}"
        return info.undefined or NO_VALUE

    return _reasons(value, reason)


def _reasons_of_all_groups(
    metric: Metric, parts: Parts, classes: tuple[str, ...], value: FloatArray
) -> tuple[Reasons, Reasons]:
    reasons: Reasons = {}
    remarks: Reasons = {}
    size = parts.size - 1
    for score in (metric.score,) if metric.also is None else (metric.also, metric.score):
        there = has_score(score, parts, np.eye(size, size + 1)).sum(axis=0)
        for k, name in enumerate(classes):
            if there[k] < 2:
                reasons[0, k] = scores.about(score).undefined.format(label=name)
            elif np.isnan(value[0, k]) and (0, k) not in reasons:
                reasons[0, k] = comparisons.about(metric.compare).undefined or NO_VALUE
            elif there[k] < size:
                remarks[0, k] = f"over {there[k]} of {size} groups: the others have no score"
    return reasons, remarks


# Inside sources


def _inside(metric: Metric, outcomes: Outcomes, options: Options, contrasts: Contrasts) -> MetricResult:
    parts, classes = by_group(outcomes), class_names(metric.score, outcomes)
    why, multigroup = _why_missing(metric, outcomes), metric.family == "multigroup"
    kernel = Inside(metric, parts, contrasts, options)
    if why:
        shape = (len(outcomes.sources), 1 if multigroup else len(contrasts.left), len(classes))
        by_source, weight, note = np.full(shape, np.nan), np.ones(len(outcomes.sources)), ""
    else:
        by_source, weight, note = kernel.by_source(Weights(as_declared(parts)))
    counted = sources_entered(metric.score, kernel.outcomes, len(classes))
    if kernel.matched is not None:
        counted = kernel.matched.any(counted)
    entered = np.zeros(by_source.shape[::2], dtype=np.bool_) if why else np.logical_or.reduce(counted, axis=1)
    value = kernel.mean(by_source, weight, Weights(as_declared(parts)))[0]
    defined = ~np.isnan(by_source)
    n = defined.sum(axis=0)
    lost = (entered[:, None, :] & ~defined).sum(axis=0)
    reasons = _reasons_inside(metric, contrasts, classes, value, lost, why)
    lacking = (~counted[:, :-1].all(axis=1) & defined[:, 0]).sum(axis=0) if multigroup else ()
    remarks: Reasons = {}
    for k in np.flatnonzero(lacking).tolist():
        verb = "lacks" if lacking[k] == 1 else "lack"
        remarks[0, k] = f"{lacking[k]:,} of {n[0, k]:,} sources {verb} a group; the others were compared"
    counts = {"n": n, "n_undefined": lost, "total_n": defined.any(axis=1).sum(axis=0)}
    texts = {"reasons": reasons, "remarks": remarks, "note": note}
    return _result(metric, outcomes, options, contrasts, value, **counts, **texts, by_source=by_source)


def _reasons_inside(
    metric: Metric, contrasts: Contrasts, classes: tuple[str, ...], value: FloatArray, lost: IntArray, why: str
) -> Reasons:
    def reason(p: int, k: int) -> str:
        if why:
            return why
        if not lost[p, k]:
            return scores.about(metric.score).undefined.format(label=classes[k]).replace("example", "source")
        if metric.family == "multigroup":
            return "no source has the score for two groups"
        return f"no source has the score for both {contrasts.left_names[p]} and {contrasts.right_names[p]}"

    return _reasons(value, reason)
