"""Any comparison over rows of the product of the groups' terms: all pairs, listed rows, or the whole product."""

from __future__ import annotations

import numpy as np

from fairness_checklist import comparisons
from fairness_checklist.arrays import BoolArray, FloatArray, IntArray
from fairness_checklist.metrics.contrasts import Contrasts, observations
from fairness_checklist.metrics.groupings import mean_by_source
from fairness_checklist.metrics.metric import Metric
from fairness_checklist.outcomes import Outcomes

__all__ = ["every_pair", "over_rows", "whole_product"]

_CHUNK = 1_000_000


def _dense(metric: Metric, outcomes: Outcomes) -> FloatArray:
    """The single scores as (n + 1, W, K): by row and position; NaN where there is none, and in the last row."""
    values, row, position = observations(metric.score, outcomes)
    table = np.full((len(outcomes) + 1, int(position.max(initial=0)) + 1, values.shape[1]), np.nan)
    alike = position >= 0
    table[row[alike], position[alike]] = values[alike]
    return table


def _weights(outcomes: Outcomes) -> FloatArray:
    """The rows' weights (n + 1,), 1 for the row that stands where there is none."""
    return np.append(outcomes.weight, 1.0)


def _over_positions(values: FloatArray) -> FloatArray:
    """The mean over the axis of positions (the last but one), undefined ones left out."""
    if values.shape[-2] == 1:
        return values[..., 0, :]
    fine = ~np.isnan(values)
    count = fine.sum(axis=-2)
    summed = np.where(fine, values, 0.0).sum(axis=-2)
    result: FloatArray = np.divide(summed, count, out=np.full(summed.shape, np.nan), where=count > 0)
    return result


def every_pair(metric: Metric, outcomes: Outcomes, left: IntArray, right: IntArray, rows: IntArray) -> FloatArray:
    """The expectation of d(X, Y) over all pairs of two groups' terms in each source, by weight: (S, P, K).

    Args:
        left, right: (P,) arms; for a background metric d gets the right one first.
        rows: (S, G + 1, V) row numbers, -1 for none.
    """
    dense, weight = _dense(metric, outcomes), _weights(outcomes)
    result = np.full((len(rows), len(left), dense.shape[2]), np.nan)
    for p in range(len(left)):
        one, two = rows[:, left[p], :, None], rows[:, right[p], None, :]
        x, y = dense[one], dense[two]
        d = metric.compare(x, y) if metric.family == "pairwise" else metric.compare(y, x)
        d = _over_positions(d).reshape(len(rows), -1, dense.shape[2])
        source = np.repeat(np.arange(len(rows)), d.shape[1])
        both = (weight[one] * weight[two]).reshape(-1)
        result[:, p] = mean_by_source(d.reshape(-1, dense.shape[2]), source, len(rows), both)
    return result


def over_rows(
    metric: Metric, outcomes: Outcomes, contrasts: Contrasts, listed: IntArray, rows: IntArray
) -> tuple[FloatArray, FloatArray]:
    """The mean of d over listed rows of the product, and its variance over them: (S, P, K) each.

    A row weighs the product of its members' weights. A group that a source lacks (-1 in ``rows``) has no score in it.
    In a background metric the background's score is the mean over its members in the row.
    """
    dense, weight = _dense(metric, outcomes), _weights(outcomes)
    groups = np.arange(rows.shape[1] - 1)
    shape = (1 if metric.family == "multigroup" else len(contrasts.left), dense.shape[2])
    sums = [np.zeros((len(rows), *shape)) for _ in range(3)]
    step = max(1, _CHUNK // (len(groups) * dense.shape[1] * dense.shape[2]))
    for start in range(0, len(listed), step):
        some = listed[start : start + step]
        members = rows[some[:, :1], groups, some[:, 1:]]
        control = dense[rows[some[:, 0], -1, 0]]
        d = _over_positions(_row_contrasts(metric, outcomes, contrasts, dense[members], control, members >= 0))
        mass = np.where(np.isnan(d), 0.0, weight[members].prod(axis=1)[:, None, None])
        d = np.where(np.isnan(d), 0.0, d)
        for total, term in zip(sums, (mass, mass * d, mass * d**2), strict=True):
            np.add.at(total, some[:, 0], term)
    count, first, second = sums
    mean = np.divide(first, count, out=np.full(first.shape, np.nan), where=count > 0)
    variance = np.divide(second, count, out=np.full(first.shape, np.nan), where=count > 0) - mean**2
    return mean, np.maximum(variance, 0.0)


def _row_contrasts(
    metric: Metric, outcomes: Outcomes, contrasts: Contrasts, x: FloatArray, control: FloatArray, there: BoolArray
) -> FloatArray:
    """d in each row: x (R, G, W, K) and the control's scores (R, W, K) give (R, P, W, K).

    Groups that the source lacks are not ``there`` (R, G); a variation that is there and has no score undoes its row.
    """
    if metric.family == "pairwise":
        return metric.compare(x[:, contrasts.left], x[:, contrasts.right])
    if metric.background is None:
        undone = (np.isnan(x) & there[:, :, None, None]).any(axis=1)
        d = comparisons.of_present(metric.compare, np.moveaxis(x, 1, -1))
        return np.where(undone, np.nan, d)[:, None]
    beta = metric.membership(outcomes.groups)[contrasts.left]
    members = np.concatenate([x, control[:, None]], axis=1)
    there = ~np.isnan(members)
    summed = np.einsum("bg,rgwk->rbwk", beta, np.where(there, members, 0.0))
    size = np.einsum("bg,rgwk->rbwk", beta, there)
    return metric.compare(
        np.divide(summed, size, out=np.full(summed.shape, np.nan), where=size > 0), x[:, contrasts.left]
    )


def whole_product(
    metric: Metric, outcomes: Outcomes, contrasts: Contrasts, listed: IntArray, rows: IntArray
) -> tuple[FloatArray, str]:
    """The mean over the whole product (S, P, K), or over the rows drawn from it with a note of the standard error.

    Args:
        listed: rows of `groupings.draw_groupings`.
        rows: (S, G + 1, V) row numbers.
    """
    mean, variance = over_rows(metric, outcomes, contrasts, listed, rows)
    drawn = np.bincount(listed[:, 0], minlength=len(rows))
    product = np.maximum((rows[:, :-1] >= 0).sum(axis=2), 1).astype(np.float64).prod(axis=1)
    sampled = (drawn > 0) & (drawn < product)
    if not sampled.any():
        return mean, ""
    noise = np.where(sampled[:, None, None], variance / np.maximum(drawn, 1)[:, None, None], 0.0)
    fine = ~np.isnan(noise)
    error = np.sqrt(np.where(fine, noise, 0.0).sum(axis=0)) / np.maximum(fine.sum(axis=0), 1)
    return mean, (
        f"mean over {int(drawn[sampled].max()):,} rows drawn from each product that is larger, "
        f"standard error at most {error.max():.1g}"
    )
