"""Intervals of the groups' own scores: rates and means overall, by group and by term."""

from __future__ import annotations

import numpy as np

from fairness_checklist import scores
from fairness_checklist.arrays import FloatArray
from fairness_checklist.outcomes import Outcomes
from fairness_checklist.statistics.clusters import indicator, summed
from fairness_checklist.statistics.influence.scalars import Pooled, pooled
from fairness_checklist.statistics.spread import Spread, spread_of
from fairness_checklist.statistics.two_intervals import Resamples

__all__ = ["COLUMNS", "score_intervals"]

COLUMNS = ("ci_low", "ci_high", "ci_low_terms", "ci_high_terms")
_MOST = 5_000_000  # templates times terms times classes


def score_intervals(score: scores.Score, outcomes: Outcomes, resamples: Resamples) -> tuple[FloatArray, FloatArray]:
    """95 % intervals of a score, as `COLUMNS` in the last place.

    Args:
        score: of kind rate or mean.
        outcomes: n rows.
        resamples: of these outcomes.

    Returns:
        (G + 2, K, 4) overall, by group and of the unmarked control; (T, K, 4) by term in ``outcomes.terms``,
        *these terms* only. A rate of 0 or 1 has an exact binomial bound over the templates that enter (Clopper and
        Pearson 1934).
    """
    size = len(outcomes.groups)
    member = np.eye(size + 2, size + 1, k=-1)
    member[0, :size] = 1
    pool = pooled(score, outcomes, resamples.clusters, member)
    cells = pool.cells(np.arange(size + 2))
    spread = spread_of(resamples.clusters.in_templates(cells), cells, resamples.clusters, resamples.draws)
    of_groups = _ends(pool, spread, _shares(score))
    return of_groups, _by_term(score, outcomes, resamples, of_groups.shape[1])


def _shares(score: scores.Score) -> bool:
    """Whether a mean is one of probabilities."""
    return score in (scores.mean_probability, scores.mean_target_probability)


def _ends(pool: Pooled, spread: Spread, of_shares: bool) -> FloatArray:
    """(B, K, 4) the ends of the intervals, inside [0, 1] for rates that are shares."""
    down, up = np.maximum(-pool.margin, 0.0), np.maximum(pool.margin, 0.0)
    ends = np.stack(
        [
            pool.value - np.hypot(spread.below, down),
            pool.value + np.hypot(spread.above, up),
            pool.value - np.hypot(spread.below_terms, down),
            pool.value + np.hypot(spread.above_terms, up),
        ],
        axis=2,
    )
    shares = np.nan_to_num(pool.value).max(initial=0.0) <= 1
    ends = np.clip(ends, 0.0, 1.0 if shares else np.inf) if pool.rate else ends
    ends = np.clip(ends, 0.0, 1.0) if of_shares else ends
    single = (pool.templates == 1) & (pool.margin == 0)  # one template tells nothing of others
    return np.where((np.isnan(pool.value) | single)[..., None], np.nan, ends)


def _by_term(score: scores.Score, outcomes: Outcomes, resamples: Resamples, n_classes: int) -> FloatArray:
    clusters = resamples.clusters
    result = np.full((len(outcomes.terms), n_classes, 4), np.nan)
    if not clusters.n_terms or clusters.n_templates * clusters.n_terms * n_classes > _MOST:
        return result
    own_set = np.eye(clusters.n_terms, clusters.n_terms + 1)
    pool = pooled(score, outcomes, clusters, own_set, clusters.term)
    code = np.where(clusters.term < clusters.n_terms, clusters.template * clusters.n_terms + clusters.term, -1)
    own = np.einsum("qf,qfk->qk", pool.sums, pool.gradient[np.minimum(clusters.term, clusters.n_terms - 1)])
    inside = code >= 0
    found = summed(indicator(code[inside], clusters.n_templates * clusters.n_terms), own[inside])
    template = found.reshape(clusters.n_templates, clusters.n_terms, -1)
    result[clusters.terms] = _ends(pool, spread_of(template, None, clusters, resamples.draws), _shares(score))
    return result
