"""Perturbation label distance: how far apart the sets of items are that two terms leave in a class, under any weights.

The items are the sources. For each term there is the set of the sources in which its example is assigned to class c;
two terms are compared by the Jaccard distance of their sets, over the sources that have both.
"""

from __future__ import annotations

import numpy as np

from fairness_checklist.core.arrays import BoolArray, FloatArray, IntArray, divide
from fairness_checklist.core.outcomes import Outcomes
from fairness_checklist.metrics.contrasts import Contrasts
from fairness_checklist.metrics.metric_forms import Metric
from fairness_checklist.metrics.weights import Parts, Weights


def why_no_items(metric: Metric, outcomes: Outcomes) -> str:
    """The reason why sets of items cannot be compared, or ""."""
    of_tagger = outcomes.decisions is not None
    if of_tagger and metric.family == "background" and metric.membership(outcomes.groups)[:, -1].any():
        return "the unmarked sentence lacks the entity that the others have"
    return ""


def item_values(metric: Metric, parts: Parts, contrasts: Contrasts, weights: Weights) -> FloatArray:
    """The mean of d over all pairs of a term of each side, undefined pairs left out: (D, P, K).

    A row of a group that names no term stands for the group; several rows of a term in a source count by their share.
    """
    distance, there = _apart(metric, parts, weights)
    left, right = _sides(metric, parts, contrasts, weights.member * there[:, None])
    by_class = []
    for plane in np.moveaxis(distance, 1, 0):
        fine = ~np.isnan(plane)
        summed = ((left @ np.where(fine, plane, 0.0)) * right).sum(axis=2)
        by_class.append(divide(summed, ((left @ fine.astype(np.float64)) * right).sum(axis=2)))
    return np.stack(by_class, axis=-1)


@np.errstate(divide="ignore", invalid="ignore")
def _apart(metric: Metric, parts: Parts, weights: Weights) -> tuple[FloatArray, BoolArray]:
    """d between the sets of all parts, (D, K, L, L), and whether a part has a source that counts, (D, L).

    Sums over the sources of each block are taken first; D is 1 where blocks count once.
    """
    size = parts.size
    if not weights.of_blocks:
        every = np.arange(len(parts.outcomes.sources))
        both, alone, held = parts.cached(("sets", metric.score), lambda: _sums(metric, parts, [every]))
    else:
        block = weights.block_of_source(parts.outcomes)
        order = np.argsort(block, kind="stable")
        blocks = int(weights.block.max(initial=0)) + 1 if weights.block is not None else 1
        blocks = blocks if weights.times is None else weights.times.shape[1]
        some = np.split(order, np.searchsorted(block[order], np.arange(1, blocks)))
        tables = _sums(metric, parts, some)
        both, alone, held = (
            weights.over_blocks(table.reshape(blocks, -1)).reshape(len(weights), *table.shape[1:]) for table in tables
        )
    either = alone + np.swapaxes(alone, 2, 3) - both
    return metric.compare(both, either).reshape(-1, *both.shape[1:3], size), held > 0


def _sums(metric: Metric, parts: Parts, blocks: list[IntArray]) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Of each block of sources: items in both of two parts, and in the first where both have the source (B, K, L, L);
    and the sources of each part (B, L)."""
    share, there = parts.cached(("items", metric.score), lambda: _shares(metric, parts))
    both, alone = np.zeros((2, len(blocks), len(share), parts.size, parts.size))
    held = np.array([there[some].sum(axis=0) for some in blocks])
    for at, some in enumerate(blocks):
        for k, item in enumerate(share):
            both[at, k], alone[at, k] = item[some].T @ item[some], item[some].T @ there[some]
    return both, alone, held


def _shares(metric: Metric, parts: Parts) -> tuple[FloatArray, FloatArray]:
    """(K, S, L) the share of each source's rows of a part that are items of the class, and if it has any (S, L)."""
    outcomes, n_sources = parts.outcomes, len(parts.outcomes.sources)
    kept = np.flatnonzero((outcomes.source >= 0) & outcomes.symmetric[outcomes.source] & (parts.code >= 0))
    code, weight = outcomes.source[kept] * parts.size + parts.code[kept], outcomes.weight[kept]
    cells = n_sources * parts.size

    def summed(values: FloatArray) -> FloatArray:
        return np.bincount(code, weights=values, minlength=cells).astype(np.float64).reshape(n_sources, parts.size)

    mass = summed(weight)
    by_class = [divide(summed(weight * column), mass, fill=0.0) for column in metric.score(outcomes.predicted)[kept].T]
    return np.stack(by_class), (mass > 0).astype(np.float64)


def _sides(metric: Metric, parts: Parts, contrasts: Contrasts, own: FloatArray) -> tuple[FloatArray, FloatArray]:
    """(D, P, L) how much each part counts on the left and on the right side of each contrast."""
    if metric.family == "pairwise":
        return own[:, contrasts.left], own[:, contrasts.right]
    beta = metric.membership(parts.outcomes.groups, own.sum(axis=2))
    return own[:, contrasts.left], (beta @ own)[:, contrasts.left]


def entered_items(metric: Metric, parts: Parts, contrasts: Contrasts, member: FloatArray) -> tuple[IntArray, int]:
    """The number of sources with both sides of each contrast (P,), and of any."""
    there = parts.cached(("items", metric.score), lambda: _shares(metric, parts))[1]
    right = _sides(metric, parts, contrasts, member * there.any(axis=0))[1][0]
    of_group = member[0] @ there.T > 0
    behind: BoolArray = of_group.T @ (right @ member[0].T > 0).T
    together = of_group[contrasts.left].T & behind
    return together.sum(axis=0), int(together.any(axis=1).sum())
