"""The rows that a metric is told in (total, each group over its pairs, contrasts), in many subsets at once."""

from __future__ import annotations

import warnings

import numpy as np

from fairness_checklist.arrays import FloatArray
from fairness_checklist.metrics.contrasts import contrasts_of
from fairness_checklist.metrics.result import totals
from fairness_checklist.statistics.resample import Computed

__all__ = ["contrast_rows", "group_values"]

Sides = tuple[tuple[str, str], ...]


def contrast_rows(computed: Computed, values: FloatArray) -> tuple[Sides, FloatArray]:
    """The sides (left, right) of R rows as in `MetricResult.rows`, and their values (D, R, K).

    Args:
        computed: the metric.
        values: (D, P, K) contrasts in D subsets.
    """
    result, metric = computed.result, computed.metric
    if metric.family == "multigroup":
        return (("*", ""),), values
    pairs = tuple(zip(result.left, result.right, strict=True))
    sides: list[tuple[str, str]] = []
    parts: list[FloatArray] = []
    if result.total is not None:
        contrasts, size = contrasts_of(metric, computed.outcomes), len(result.groups)
        found = [totals(metric, size, contrasts.left, contrasts.right, value) for value in values]
        parts.append(np.array(found, dtype=np.float64).reshape(len(values), 1, values.shape[2]))
        sides.append(("*", ""))
        if metric.family == "pairwise" and size > 2:
            parts.append(_over_pairs(computed, values, signed=False))
            sides += [(group, "others") for group in result.groups]
    return (*sides, *pairs), np.concatenate([*parts, values], axis=1)


def group_values(computed: Computed, values: FloatArray) -> FloatArray:
    """One value a group, (D, G, K): its contrast with the background, or its mean over the pairs that it stands in.

    Pairs that tell a direction count with the sign that they have from the group's side. A metric of all groups has
    none: NaN.
    """
    if computed.metric.family == "multigroup":
        return np.full((len(values), len(computed.result.groups), values.shape[2]), np.nan)
    if computed.metric.family == "pairwise":
        return _over_pairs(computed, values, signed=computed.result.total is None or computed.signed)
    found = np.full((len(values), len(computed.result.groups), values.shape[2]), np.nan)
    found[:, [computed.result.groups.index(name) for name in computed.result.left]] = values
    return found


def _over_pairs(computed: Computed, values: FloatArray, *, signed: bool) -> FloatArray:
    """(D, G, K) each group's mean over its defined pairs."""
    by_class = []
    zero = computed.no_bias if signed else 0.0
    for group in computed.result.groups:
        first = np.array([left == group for left in computed.result.left])
        second = np.array([right == group for right in computed.result.right])
        away = np.where(second[:, None], -1.0, 1.0) if signed else np.ones((len(second), 1))
        inside = zero + away[first | second] * (values[:, first | second] - zero)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # a group without any defined pair
            by_class.append(np.nanmean(inside, axis=1))
    return np.stack(by_class, axis=1)
