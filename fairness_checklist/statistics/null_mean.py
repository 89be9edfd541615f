"""The null mean of a metric: its mean over assignments of the same terms to the groups at random.

An unsigned distance is above 0 even where nothing is wrong, since terms differ. Each group keeps its number of terms,
and a term is in the same group in all sources.
"""

import math
from collections.abc import Iterator

import numpy as np

from fairness_checklist.core.arrays import FloatArray, IntArray, divide
from fairness_checklist.core.errors import OptionError
from fairness_checklist.core.outcomes import Outcomes
from fairness_checklist.metrics import comparisons
from fairness_checklist.metrics.contrasts import contrasts_of
from fairness_checklist.metrics.engine import shares_sums, weighted_values
from fairness_checklist.metrics.metric_forms import Metric, Options
from fairness_checklist.metrics.metric_result import MetricResult
from fairness_checklist.metrics.weights import Parts, Weights, by_term, membership, terms_of

FEWER_DRAWS = 199  # where an assignment costs as much as the metric itself
_CHUNK = 8_000_000  # numbers of the memberships that are held at once


def draw_assignments(group: IntArray, draws: int, seed: int = 0) -> IntArray:
    """The group of each term in D assignments, (D, T): all where there are at most ``draws``, else so many drawn."""
    if draws < 1:
        raise OptionError(f"draws={draws} is not a number of assignments: it must be 1 or more.")
    group = np.asarray(group, dtype=np.int64)
    sizes = np.bincount(group).tolist() if len(group) else []
    possible = math.factorial(len(group)) // math.prod(map(math.factorial, sizes))
    if possible <= draws:
        return np.array(list(_every(sizes)), dtype=np.int64).reshape(possible, len(group))
    return np.random.default_rng(seed).permuted(np.tile(group, (draws, 1)), axis=1)


def _every(sizes: list[int]) -> Iterator[list[int]]:
    """Each assignment once, in lexical order."""
    if not sum(sizes):
        yield []
        return
    for group, size in enumerate(sizes):
        if size:
            rest = [*sizes]
            rest[group] -= 1
            for following in _every(rest):
                yield [group, *following]


def has_null_mean(result: MetricResult) -> bool:
    """Whether a null mean says something: of signed values it is no bias, and terms as groups cannot be assigned."""
    return not comparisons.about(result.metric.compare).signed and not result.options.by


def why_no_null_mean(outcomes: Outcomes) -> str:
    """The reason why terms of these outcomes cannot be assigned anew, or ""."""
    if (outcomes.term[outcomes.group < len(outcomes.groups)] < 0).any():
        return "rows without a term"
    if outcomes.crossed:
        return "pairs of terms share their words and cannot change places; see the interactions"
    return "fewer than two terms" if len(terms_of(outcomes)) < 2 else ""


def null_means(
    result: MetricResult, outcomes: Outcomes, *, draws: int, seed: int = 0
) -> dict[tuple[str, str, str], float]:
    """The null mean of each row of a result: {(class, left, right): mean}; NaN where the value is undefined."""
    rows, metric = outcomes.view(result.options.where), result.metric.with_options(result.options)
    parts = by_term(rows)
    number = draws if shares_sums(metric) else min(draws, FEWER_DRAWS)
    assigned = draw_assignments(rows.term_group[parts.terms], number, seed)
    sides, drawn = result.in_rows(assigned_values(metric, parts, result.options, assigned))
    defined = ~np.isnan(drawn)
    mean = divide(np.where(defined, drawn, 0.0).sum(axis=0), defined.sum(axis=0))
    mean = np.where(np.isnan(result.in_rows(result.value[None])[1][0]), np.nan, mean)
    return {(label, *pair): float(mean[r, k]) for k, label in enumerate(result.classes) for r, pair in enumerate(sides)}


def assigned_values(metric: Metric, parts: Parts, options: Options, assigned: IntArray) -> FloatArray:
    """The contrasts when terms are assigned to groups: (D, P, K) for assignments (D, T)."""
    n_groups = len(parts.outcomes.groups)
    width = max(n_groups + 1, len(contrasts_of(metric, parts.outcomes).left))
    step = max(1, _CHUNK // (2 * parts.size * width))
    chunks = (assigned[start : start + step] for start in range(0, len(assigned), step))
    made = (Weights(membership(chunk, n_groups)) for chunk in chunks)
    return np.concatenate([weighted_values(metric, parts, options, weights) for weights in made])
