"""The two intervals beside the values and the base scores of a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fairness_checklist.metrics.result import MetricResult
from fairness_checklist.outcomes import Outcomes
from fairness_checklist.run.progress import followed
from fairness_checklist.statistics.resample import as_computed
from fairness_checklist.statistics.two_intervals import Resamples, intervals_of, resamples_of

__all__ = ["RESAMPLES", "interval_columns", "resampled"]

RESAMPLES = 999


def resampled(outcomes: Outcomes, seed: int) -> Resamples:
    """The resamples that everything about these outcomes shares."""
    return resamples_of(outcomes, draws=RESAMPLES, seed=seed)


def interval_columns(
    results: Sequence[MetricResult], outcomes: Outcomes, seed: int
) -> list[Mapping[tuple[str, str, str], dict[str, float]]]:
    """For each result what stands beside its rows: {(class, left, right): {low, high, low_terms, high_terms}}."""
    seen: dict[tuple[str, str], Resamples] = {}
    found = []
    for result in followed(results, "intervals", len(outcomes)):
        way = result.options.where, result.options.by
        if way not in seen:
            seen[way] = resampled(as_computed(result, outcomes).outcomes, seed)
        found.append(intervals_of(result, seen[way]))
    return found
