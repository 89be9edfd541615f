"""Pinned AUC with a sample instead of the background, as Dixon et al. 2018 compute it."""

from __future__ import annotations

import numpy as np
from scipy.stats import rankdata

from fairness_checklist.core.arrays import BoolArray, FloatArray
from fairness_checklist.core.errors import OptionError


def pinned_auc_sampled(
    score: FloatArray, positive: BoolArray, member: BoolArray, *, seed: int, with_group: bool = False
) -> FloatArray:
    """Pinned AUC of each group, equations (3) and (4) of Dixon et al. 2018: the group's rows and as many drawn from D.

    The metric ``pinned_auc`` weighs the rows in place of drawing them and needs no seed: with the background
    everyone_else as here, with everyone as in ``with_group=True``. Draws are those of numpy's `RandomState`, each
    group's from the same seed, so that figures of the authors' code come out again (theirs: 25).

    Args:
        score: (n,) the score of the class, such as its probability.
        positive: (n,) whether the class is gold.
        member: (n, G) whether a row belongs to a group; it may belong to several or to none.
        seed: of the draws.
        with_group: draw from all rows, D, in place of those outside the group.

    Returns:
        (G,) areas in [0, 1]; NaN for a group without rows, or where all rows of a set are of one gold class.

    Raises:
        OptionError: arrays of different lengths, or a score that is not a number.

    >>> score, positive = np.array([0.9, 0.2, 0.8, 0.1]), np.array([True, False, True, False])
    >>> pinned_auc_sampled(score, positive, np.eye(4, 2, dtype=bool) | np.eye(4, 2, -2, dtype=bool), seed=0)
    array([1., 1.])
    """
    score, positive = np.asarray(score, np.float64), np.asarray(positive, np.bool_)
    member = np.asarray(member, np.bool_)
    if score.ndim != 1 or positive.shape != score.shape or member.ndim != 2 or len(member) != len(score):
        raise OptionError(
            f"score, positive and member have the shapes {score.shape}, {positive.shape} and {member.shape}.",
            remedy="Expected are (n,), (n,) and (n, G): one row per text.",
        )
    if np.isnan(score).any():
        raise OptionError(f"score {int(np.isnan(score).argmax()) + 1:,} of {len(score):,} is no number.")
    areas = np.full(member.shape[1], np.nan)
    for g, inside in enumerate(member.T):
        own, pool = np.flatnonzero(inside), np.flatnonzero(~inside | with_group)
        size = min(len(own), len(pool))
        generator = np.random.RandomState(seed)  # the authors' generator, so that their rows are drawn
        drawn = pool[generator.choice(len(pool), size, replace=False)] if size else pool
        kept = own if size == len(own) else own[generator.choice(len(own), size, replace=False)]
        rows = np.concatenate([kept, drawn])
        gold = positive[rows]
        up, down = int(gold.sum()), int((~gold).sum())
        if size and up and down:
            areas[g] = (rankdata(score[rows])[gold].sum() - up * (up + 1) / 2) / (up * down)
    return areas
