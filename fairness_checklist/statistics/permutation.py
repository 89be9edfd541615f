"""The permutation test of the assignment of terms to groups."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from fairness_checklist.core.arrays import FloatArray, IntArray, divide
from fairness_checklist.core.errors import OptionError
from fairness_checklist.core.outcomes import Outcomes
from fairness_checklist.metrics import comparisons
from fairness_checklist.metrics.catalogue import compute
from fairness_checklist.metrics.contrasts import contrasts_of, missing
from fairness_checklist.metrics.engine import shares_sums, weighted_values
from fairness_checklist.metrics.metric_forms import Metric, Options
from fairness_checklist.metrics.metric_result import MetricResult, totals
from fairness_checklist.metrics.weights import Parts, Weights, by_term, membership


@dataclass(frozen=True, eq=False)
class Assignments:
    """D assignments of T terms to G groups, each group with as many terms as it has.

    Attributes:
        group: (D, T) the group of each term.
        complete: whether they are all that there are, the given one among them; else they are drawn.
        possible: how many there are.
    """

    group: IntArray
    complete: bool
    possible: int

    def __len__(self) -> int:
        return len(self.group)

    @property
    def smallest_p(self) -> float:
        """The smallest p that a test over them can give: few terms allow few assignments."""
        return 1 / len(self) if self.complete else 1 / (len(self) + 1)

    def p_value(self, given: float, drawn: Sequence[float] | np.ndarray[tuple[int], np.dtype[np.float64]]) -> float:
        """The share of assignments whose statistic is at least the given one, which counts as one of them."""
        return float(self.p_values(np.array(given), np.asarray(drawn, dtype=np.float64)))

    def p_values(self, given: FloatArray, drawn: FloatArray) -> FloatArray:
        """The same for many statistics at once: given (...), drawn (D, ...)."""
        slack = 1e-12 * np.maximum(1.0, np.abs(given))
        with np.errstate(invalid="ignore"):
            reached = (drawn >= given - slack).sum(axis=0)
        share: FloatArray = reached / len(drawn) if self.complete else (reached + 1) / (len(drawn) + 1)
        return share


def number_of_assignments(sizes: Sequence[int]) -> int:
    """In how many ways terms fall into groups of these sizes."""
    return math.factorial(sum(sizes)) // math.prod(math.factorial(size) for size in sizes)


def draw_assignments(group: IntArray, draws: int, seed: int = 0) -> Assignments:
    """All assignments where there are at most ``draws``, else so many drawn at random.

    Shapes: group (T,).
    Raises OptionError: fewer than one draw.
    """
    if draws < 1:
        raise OptionError(f"draws={draws} is not a number of assignments: it must be 1 or more.")
    group = np.asarray(group, dtype=np.int64)
    sizes = np.bincount(group).tolist() if len(group) else []
    possible = number_of_assignments(sizes)
    if possible <= draws:
        return Assignments(np.array(list(_every(sizes)), dtype=np.int64).reshape(possible, len(group)), True, possible)
    random = np.random.default_rng(seed)
    return Assignments(random.permuted(np.tile(group, (draws, 1)), axis=1), False, possible)


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


_FEW = 199
_CHUNK = 8_000_000  # numbers of the memberships that are held at once


@dataclass(frozen=True, eq=False)
class PermutationTest:
    """The permutation distribution of a metric with P contrasts and K classes: terms are assigned to groups at random.

    Attributes:
        assignments: those that were looked at.
        null_mean: (P, K) the mean of each contrast over them.
        p_value: (P, K) the share of assignments in which it is at least as far from equal treatment; NaN where the
            contrast is undefined.
        total_null_mean, total_p: (K,) the same of the total; None where the metric has none.
        drawn: (D, P, K) the contrasts in each assignment, NaN where undefined.
        why: why there is nothing, or "".
    """

    assignments: Assignments
    null_mean: FloatArray
    p_value: FloatArray
    total_null_mean: FloatArray | None
    total_p: FloatArray | None
    drawn: FloatArray
    why: str = ""

    def of_others(self, result: MetricResult, group: str) -> tuple[FloatArray, FloatArray]:
        """Null mean and p-value (K,) of a group's mean over its pairs."""
        inside = np.array([group in pair for pair in zip(result.left, result.right, strict=True)])
        given, drawn = (_mean(values, inside)[:, None] for values in (result.value[None], self.drawn))
        level, p_value = _against(given[0], drawn, comparisons.about(result.metric.compare).no_bias, self.assignments)
        return level[0], p_value[0]


def permutation_test(
    metric: Metric,
    outcomes: Outcomes,
    options: Options | None = None,
    *,
    draws: int = 1000,
    seed: int = 0,
    result: MetricResult | None = None,
    parts: Parts | None = None,
) -> PermutationTest:
    """Test a metric against random assignments of its terms to the groups.

    Returns null means and p-values; random splits of the same terms are rejected at the nominal rate, which tests that
    permute inside a source do not hold.
    """
    options = options or Options()
    seen = outcomes.view(options.where)
    result = compute(metric, outcomes, options) if result is None else result
    why = reason_not_testable(seen) or missing(metric.score, seen)
    parts = by_term(seen) if parts is None else parts
    own = seen.term_group[parts.terms]
    if why or len(own) < 2:
        return _untested(result, why or "fewer than two terms")
    chosen = metric.with_options(options)
    assignments = draw_assignments(own, draws if shares_sums(chosen, options) else min(draws, _FEW), seed)
    drawn = permuted_values(chosen, parts, options, assignments.group)
    if metric.compare is comparisons.score_deviation and shares_sums(chosen, options):
        rough = permuted_values(chosen, parts, options, own[None])  # from the same few rows of the product as the draws
        result = replace(result, value=rough[0], total=None if result.total is None else rough[0, 0])
    zero, drawn_totals = comparisons.about(metric.compare).no_bias, _totals(chosen, result, drawn, seen)
    null_mean, p_value = _against(result.value, drawn, zero, assignments)
    of_total: tuple[FloatArray | None, FloatArray | None] = None, None
    if result.total is not None and drawn_totals is not None:
        of_total = _against(result.total, drawn_totals, zero, assignments)
    return PermutationTest(assignments, null_mean, p_value, *of_total, drawn)


def _untested(result: MetricResult, why: str) -> PermutationTest:
    """The result of a test that cannot be made."""
    nothing = np.full(result.value.shape, np.nan)
    none = None if result.total is None else nothing[0]
    no_assignments = draw_assignments(np.zeros(0, dtype=np.int64), 1)
    return PermutationTest(no_assignments, nothing, nothing, none, none, np.empty((0, *nothing.shape)), why)


def _mean(values: FloatArray, inside: IntArray) -> FloatArray:
    """(D, K) the mean over some contrasts of (D, P, K), the undefined ones left out."""
    kept = values[:, inside]
    return divide(np.nansum(kept, axis=1), (~np.isnan(kept)).sum(axis=1))


def reason_not_testable(outcomes: Outcomes) -> str:
    """The reason why terms of these outcomes cannot be permuted, or ""."""
    marked = outcomes.group < len(outcomes.groups)
    if (outcomes.term[marked] < 0).any():
        return "rows without a term"
    if outcomes.crossed:
        return "pairs of terms share their words and cannot change places; see the interactions"
    return ""


def _against(
    value: FloatArray, drawn: FloatArray, zero: float, assignments: Assignments
) -> tuple[FloatArray, FloatArray]:
    """The mean of the drawn values (D, ...), and the p of the distances of the given ones (...) from no bias."""
    fine = ~np.isnan(drawn)
    mean = divide(np.nansum(drawn, axis=0), fine.sum(axis=0))
    p = assignments.p_values(np.abs(value - zero), np.where(fine, np.abs(drawn - zero), -1.0))
    return np.where(np.isnan(value), np.nan, mean), np.where(np.isnan(value), np.nan, p)


def _totals(metric: Metric, result: MetricResult, drawn: FloatArray, outcomes: Outcomes) -> FloatArray | None:
    if result.total is None:
        return None
    if metric.family == "multigroup":
        return drawn[:, 0]
    contrasts, shape = contrasts_of(metric, outcomes), drawn.shape
    columns = np.moveaxis(drawn, 1, 0).reshape(shape[1], -1)
    column_totals = totals(metric, len(outcomes.groups), contrasts.left, contrasts.right, columns)
    return None if column_totals is None else column_totals.reshape(shape[0], shape[2])


def permuted_values(metric: Metric, parts: Parts, options: Options, assigned: IntArray) -> FloatArray:
    """The contrasts when terms are assigned to groups: (D, P, K) for assignments (D, T)."""
    n_groups = len(parts.outcomes.groups)
    step = max(1, _CHUNK // (2 * parts.size * max(n_groups + 1, len(contrasts_of(metric, parts.outcomes).left))))
    chunks = (assigned[at : at + step] for at in range(0, len(assigned), step))
    made = (Weights(membership(some, n_groups)) for some in chunks)
    return np.concatenate([weighted_values(metric, parts, options, weights, rough=True) for weights in made])
