"""Which sources entered a metric: those with a row that its score counts."""

from __future__ import annotations

import numpy as np

from fairness_checklist import scores
from fairness_checklist.arrays import BoolArray, IntArray
from fairness_checklist.metrics.contrasts import entered_rows
from fairness_checklist.metrics.remembered import cached
from fairness_checklist.outcomes import Outcomes

__all__ = ["entered_contrasts", "sources_entered"]


def _counted(score: scores.Score, outcomes: Outcomes, size: int) -> IntArray:
    """(S, G + 1, K) rows that the score counts in each source and arm; without sources all rows in one."""
    info = scores.about(score)
    arms, sources = len(outcomes.groups) + 1, max(1, len(outcomes.sources))

    def count() -> IntArray:
        columns = 1 if info.enters is None else size
        rows = entered_rows(score, outcomes, columns)
        code = np.maximum(outcomes.source, 0) * arms + outcomes.group if len(outcomes.sources) else outcomes.group
        known = outcomes.source >= 0 if len(outcomes.sources) else np.ones(len(code), dtype=np.bool_)
        each = [np.bincount(code[column & known], minlength=sources * arms) for column in rows.T]
        return np.stack(each, axis=1).reshape(sources, arms, columns)

    counted = cached(outcomes, ("entered", info.enters, info.needs_score, size), count)
    return np.broadcast_to(counted, (sources, arms, size))


def sources_entered(score: scores.Score, outcomes: Outcomes, size: int) -> BoolArray:
    """(S, G + 1, K) whether a symmetric source has a row of the group that the score counts."""
    there: BoolArray = (_counted(score, outcomes, size) > 0) & outcomes.symmetric[:, None, None]
    return there


def entered_contrasts(
    score: scores.Score, outcomes: Outcomes, left: BoolArray, right: BoolArray, size: int
) -> tuple[IntArray, IntArray]:
    """How many sources (rows where there is no source) entered each contrast (P, K), and any of them (K,).

    Args:
        left, right: (P, G + 1) the arms on both sides of each contrast.
        size: K.
    """
    counted, inside = _counted(score, outcomes, size), left | right
    if not len(outcomes.sources):
        return inside.astype(np.int64) @ counted[0], counted[0, :-1].sum(axis=0)
    info = scores.about(score)
    key = ("entered contrasts", info.enters, info.needs_score, size, inside.tobytes())
    return cached(outcomes, key, lambda: _sources(counted, inside))


def _sources(counted: IntArray, inside: BoolArray) -> tuple[IntArray, IntArray]:
    """How many sources have a row in any of the arms of each contrast (P, K), and in any arm of a group (K,)."""
    by_class = np.moveaxis(counted > 0, 2, 0)
    wide = inside.T.astype(np.float32)
    n = np.stack([(plane.astype(np.float32) @ wide > 0).sum(axis=0) for plane in by_class], axis=1)
    return n, by_class[:, :, :-1].any(axis=2).sum(axis=1)
