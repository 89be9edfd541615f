"""A metric on subsets of its rows: batches of weights for the engine, and how halves of the sources order the groups.

A metric on a subset is the metric with weights of 0 for what is not in it. Blocks of whole sources, such as templates,
are weighed as sources; other blocks, such as terms, as parts of their groups.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from fairness_checklist.core.arrays import BoolArray, FloatArray, IntArray, divide
from fairness_checklist.core.outcomes import Outcomes, select_rows
from fairness_checklist.core.terms_as_groups import by_term as terms_as_groups
from fairness_checklist.metrics import comparisons, scores
from fairness_checklist.metrics.catalogue import compute
from fairness_checklist.metrics.contrasts import contrasts_of
from fairness_checklist.metrics.engine import weighted_values
from fairness_checklist.metrics.metric_forms import Metric, Options
from fairness_checklist.metrics.metric_result import MetricResult, totals
from fairness_checklist.metrics.weights import Weights, as_declared, by_block, by_group, by_term

_MANY = 5_000_000  # rows times terms beyond which leaving out each term takes minutes


@dataclass(frozen=True, eq=False)
class Computed:
    """A metric with the rows that it looked at, its options applied to both.

    Attributes:
        metric: the metric, with its options' background.
        outcomes: the rows, in the view and with the groups that the options name.
        options: the options that apply to subsets.
        result: what the metric gives for all rows.
    """

    metric: Metric
    outcomes: Outcomes
    options: Options
    result: MetricResult

    @property
    def signed(self) -> bool:
        """Whether the metric has a direction."""
        return comparisons.about(self.metric.compare).signed

    @property
    def no_bias(self) -> float:
        """Its value where groups are treated alike."""
        return comparisons.about(self.metric.compare).no_bias


def as_computed(result: MetricResult, outcomes: Outcomes) -> Computed:
    """The metric of a result, and the rows that it looked at."""
    options = result.options
    rows = outcomes.view(options.where)
    if options.by == "term":
        rows = terms_as_groups(rows)
    return Computed(result.metric.with_options(options), replace(rows, views={}), plain_options(options), result)


def plain_options(options: Options) -> Options:
    """The options that remain where a metric and its rows are already those that the others name."""
    return replace(options, where="", by="", background="", undefined="report")


def values_of_subsets(computed: Computed, block: IntArray, kept: BoolArray) -> FloatArray:
    """The contrasts of a metric in D subsets of its rows: (D, P, K), NaN where undefined.

    Shapes: block (n,), -1 for rows that are in every subset; kept (D, B).
    Returns what `compute` gives for the rows of each subset.
    """
    times = np.hstack([np.ones((len(kept), 1)), kept.astype(np.float64)])
    return _weighed(computed, block, Weights(np.empty(0), block + 1, times))


def values_without(computed: Computed, block: IntArray, left_out: IntArray) -> FloatArray:
    """The contrasts of a metric without one block each: (D, P, K), as `values_of_subsets` with one block less.

    Shapes: block (n,), -1 for rows that always stay; left_out (D,).
    """
    if not len(left_out):
        return np.empty((0, *computed.result.value.shape))
    return _weighed(computed, block, Weights(np.empty(0), block + 1, None, left_out + 1))


def _weighed(computed: Computed, block: IntArray, weights: Weights) -> FloatArray:
    metric, outcomes, options = computed.metric, computed.outcomes, computed.options
    items = scores.about(metric.score).kind == "items"
    if metric.level == "group" or _keeps_sources_whole(outcomes, block):
        parts = by_term(outcomes) if items else by_group(outcomes)
        return weighted_values(metric, parts, options, replace(weights, member=as_declared(parts)))
    parts, of_part = by_block(outcomes, block)
    if items:  # its parts are terms, and a block may be a part of one
        parts = by_term(outcomes)
        of_part = np.full(parts.size, -1, dtype=np.int64)
        of_part[parts.code] = block
        if not np.array_equal(of_part[parts.code], block):
            subsets = (
                select_rows(outcomes, _stays(weights.some(slice(d, d + 1)), block)[0]) for d in range(len(weights))
            )
            return np.array([compute(metric, rows, options).value for rows in subsets])
    member = as_declared(parts) * _stays(weights, of_part)[:, None]
    return weighted_values(metric, parts, options, Weights(member))


def _stays(weights: Weights, block: IntArray) -> BoolArray:
    """(D, m) whether what is of a block (m,), -1 for none, is in each subset."""
    if weights.excluded is not None:
        return np.asarray(block + 1 != weights.excluded[:, None])
    return np.asarray(weights.times)[:, block + 1] > 0


def _keeps_sources_whole(outcomes: Outcomes, block: IntArray) -> bool:
    """Whether the rows of every source are in the same block."""
    inside = outcomes.source >= 0
    size = len(outcomes.sources)
    least, most = np.full(size, len(block) + 1), np.full(size, -2)
    np.minimum.at(least, outcomes.source[inside], block[inside])
    np.maximum.at(most, outcomes.source[inside], block[inside])
    return bool((least >= most).all())


def has_quick_subsets(computed: Computed, block: IntArray) -> bool:
    """Whether many subsets by these blocks share sums; else each takes a look at every row."""
    metric, kind = computed.metric, scores.about(computed.metric.score).kind
    if metric.level == "group":
        gap = metric.compare is comparisons.average_equality_gap and metric.background_score is None
        return kind in ("rate", "mean") or gap
    if _keeps_sources_whole(computed.outcomes, block) and kind != "items":
        return True
    if len(np.unique(block)) * len(block) > _MANY:
        return False
    pairs = (kind, metric.compare) in (("set", comparisons.wasserstein_1), ("single", comparisons.abs_diff))
    return pairs and metric.family == "pairwise" and not computed.options.stamp()


Sides = tuple[tuple[str, str], ...]


def contrast_rows(computed: Computed, values: FloatArray) -> tuple[Sides, FloatArray]:
    """The sides (left, right) of R rows as in `MetricResult.rows`, and their values (D, R, K).

    Shapes: values (D, P, K).
    """
    result, metric = computed.result, computed.metric
    if metric.family == "multigroup":
        return (("*", ""),), values
    pairs = tuple(zip(result.left, result.right, strict=True))
    sides: list[tuple[str, str]] = []
    parts: list[FloatArray] = []
    if result.total is not None:
        contrasts, size = contrasts_of(metric, computed.outcomes), len(result.groups)
        columns = np.moveaxis(values, 1, 0).reshape(values.shape[1], -1)
        column_totals = totals(metric, size, contrasts.left, contrasts.right, columns)
        parts.append(np.array(column_totals, dtype=np.float64).reshape(len(values), 1, values.shape[2]))
        sides.append(("*", ""))
        if metric.family == "pairwise" and size > 2:
            parts.append(_over_pairs(computed, values, signed=False))
            sides += [(group, "others") for group in result.groups]
    return (*sides, *pairs), np.concatenate([*parts, values], axis=1)


def group_values(computed: Computed, values: FloatArray) -> FloatArray:
    """One value a group, (D, G, K): its contrast with the background, or its mean over the pairs that it is in.

    Pairs that have a direction count with the sign that they have from the group's side. A metric of all groups has
    none: NaN.
    """
    if computed.metric.family == "pairwise":
        return _over_pairs(computed, values, signed=computed.result.total is None or computed.signed)
    of_groups = np.full((len(values), len(computed.result.groups), values.shape[2]), np.nan)
    if computed.metric.family == "background":
        of_groups[:, [computed.result.groups.index(name) for name in computed.result.left]] = values
    return of_groups


def _over_pairs(computed: Computed, values: FloatArray, *, signed: bool) -> FloatArray:
    """(D, G, K) each group's mean over its defined pairs."""
    names, zero = np.array(computed.result.groups)[:, None], computed.no_bias if signed else 0.0
    left, right = (names == np.array(side) for side in (computed.result.left, computed.result.right))
    away = np.where(left, 1.0, np.where(right, -1.0 if signed else 1.0, 0.0))
    fine = ~np.isnan(values)
    return zero + divide(away @ np.where(fine, values - zero, 0.0), (left | right).astype(np.float64) @ fine)
