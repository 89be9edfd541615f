"""A metric under many assignments of terms to groups at once, from sums by term."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from fairness_checklist import comparisons, scores
from fairness_checklist.arrays import FloatArray, IntArray
from fairness_checklist.backgrounds import unmarked
from fairness_checklist.metrics.group import Contrasts, contrasts_of
from fairness_checklist.metrics.metric import Metric, Options
from fairness_checklist.outcomes import Outcomes
from fairness_checklist.statistics.assignments import Assignments
from fairness_checklist.statistics.reassigned.decided import of_item_sets, of_one_sided_answers
from fairness_checklist.statistics.reassigned.drawn_rows import of_deviations_inside_sources
from fairness_checklist.statistics.reassigned.from_control import of_changes_from_control
from fairness_checklist.statistics.reassigned.inside import of_numbers_inside_sources, of_pairs
from fairness_checklist.statistics.reassigned.ordered import (
    of_distances,
    of_distances_inside_sources,
    of_ranges_inside_sources,
)
from fairness_checklist.statistics.reassigned.pooled import of_gaps, of_levels, of_rankings, of_scalars
from fairness_checklist.statistics.reassigned.tables import TermTables, terms_of

__all__ = ["TermTables", "numbers_a_draw", "reassigned_values", "terms_of", "way_of"]

_CHUNK = 8_000_000

Way = Callable[[Metric, TermTables, Contrasts, IntArray], FloatArray]


def way_of(line: Metric, options: Options) -> Way | None:
    """How the contrasts follow from sums by term; None where the metric must be computed anew for each assignment."""
    if line.level == "group":
        return _way_of_groups(line)
    kind = scores.about(line.score).kind
    plain = options.groupings is None and options.max_groupings is None and not options.matching
    if not plain or options.denominator != "true_class" or options.weight != "source":
        return None
    if kind in ("rate", "mean"):
        return of_numbers_inside_sources
    if kind == "items" and line.family != "multigroup":
        return of_item_sets
    if kind == "single" and line.background is unmarked:
        return of_changes_from_control
    known: dict[tuple[str, str, object], Way] = {
        ("single", "multigroup", comparisons.score_range): of_ranges_inside_sources,
        ("single", "multigroup", comparisons.score_deviation): of_deviations_inside_sources,
        ("single", "pairwise", comparisons.abs_diff): of_pairs,
        ("single", "pairwise", comparisons.difference): of_pairs,
        ("single", "background", comparisons.only_in_background): of_one_sided_answers,
        ("set", "pairwise", comparisons.wasserstein_1): of_distances_inside_sources,
    }
    return known.get((kind, line.family, line.compare))


def _way_of_groups(line: Metric) -> Way:
    kind = scores.about(line.score).kind
    if kind == "ranking":
        return of_rankings
    if kind == "set" and line.background_score is None and line.compare is comparisons.average_equality_gap:
        return of_gaps
    if kind == "set" and line.background_score is None and line.compare is comparisons.wasserstein_1:
        return of_distances
    return of_levels if kind == "set" else of_scalars


def reassigned_values(
    line: Metric,
    outcomes: Outcomes,
    options: Options,
    terms: IntArray,
    assignments: Assignments,
    tables: TermTables | None = None,
) -> FloatArray | None:
    """The contrasts in each assignment, (D, P, K); None where no sums by term give them.

    Args:
        line: the metric, with its options' background.
        outcomes: the rows.
        options: how it is computed; only the defaults of counterfactual metrics have sums by term.
        terms: (T,) the terms that are assigned, as positions in ``outcomes.terms``.
        assignments: D of them.
        tables: what other metrics of these outcomes computed already.
    """
    way = way_of(line, options)
    if way is None:
        return None
    tables = tables or TermTables(outcomes, terms)
    contrasts = contrasts_of(line, outcomes)
    lanes, groups = len(terms) + 1, len(outcomes.groups) + 1
    step = max(1, _CHUNK // (2 * lanes * max(groups, len(contrasts.left))))
    starts = range(0, len(assignments), step)
    found = np.concatenate([way(line, tables, contrasts, assignments.group[at : at + step]) for at in starts])
    tables.release()
    return found


def numbers_a_draw(line: Metric, options: Options, tables: TermTables) -> float:
    """About how many numbers each assignment costs: what a number of draws is chosen by."""
    outcomes = tables.outcomes
    way, contrasts = way_of(line, options), contrasts_of(line, outcomes)
    width = max(len(outcomes.groups) + 1, len(contrasts.left))
    lanes, classes = len(tables.terms) + 1, max(1, len(outcomes.classes))
    units = len(outcomes) if outcomes.units is None else len(outcomes.units.row)
    if way is None:
        return 50.0 * units * classes * width
    if way in (of_scalars, of_rankings, of_gaps, of_item_sets):
        return float(lanes * lanes * classes * 4)
    if way is of_numbers_inside_sources:
        return float(len(outcomes.sources) * classes * width * 4)
    if way is of_pairs:
        return float(tables.patterns * lanes * lanes * classes)
    groups = len(outcomes.groups) + 1
    return float(units * classes * (width if way is of_distances_inside_sources else groups))
