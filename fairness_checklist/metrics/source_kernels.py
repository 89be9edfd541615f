"""Equations (2), (4) and (6): metrics that compare the groups inside each source, under any weights.

The value of each source follows from the groups that its rows are in; the sources' weights enter the mean over
sources alone. Where the score is of single examples the T-ary product of the groups' terms is meant: its expectation
has a closed form (`metrics.expectations`), or is a mean over all pairs or over rows of the product.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from fairness_checklist.core.arrays import BoolArray, FloatArray, IntArray
from fairness_checklist.core.outcomes import Counts, Outcomes, select_sources
from fairness_checklist.core.terms_as_groups import MatchedOutcomes, match_concepts
from fairness_checklist.metrics import closed_forms, comparisons, scores
from fairness_checklist.metrics.contrasts import Contrasts, observations, sums_by_code
from fairness_checklist.metrics.expectations import CLOSED_FORMS, ContrastSides, ScoreCells, quadrature_note
from fairness_checklist.metrics.group_kernels import finite
from fairness_checklist.metrics.metric_forms import Metric, Options
from fairness_checklist.metrics.pair_tables import drawn_deviations, means_between, pair_tables
from fairness_checklist.metrics.scores import Score
from fairness_checklist.metrics.term_product import (
    check_groupings,
    draw_groupings,
    every_pair,
    over_rows,
    variation_table,
    whole_product,
)
from fairness_checklist.metrics.weights import Parts, Weights, as_declared, backgrounds

_ENUMERATED = 4096  # rows of the product of a source; of sentences fewer, as each row is compared word by word
_LEAST_ENUMERATED = 512
_MANY = 8  # weightings that share sums over the sources


@dataclass(frozen=True, eq=False)
class BySource:
    """The contrasts of each source, (S, P, K), the weight of each source in the mean, (S,), and a note."""

    values: FloatArray
    weight: FloatArray
    note: str = ""


class Inside:
    """A metric inside sources, prepared for any groups and weights of the rows of some parts."""

    def __init__(self, metric: Metric, parts: Parts, contrasts: Contrasts, options: Options) -> None:
        self.metric, self.contrasts, self.options, self.parts = metric, contrasts, options, parts
        self.kind = scores.about(metric.score).kind
        self.matched: MatchedOutcomes | None = None
        self.outcomes, self.take = parts.outcomes, np.zeros(0, dtype=np.int64)
        if options.matching == "concept":
            self.matched = match_concepts(parts.outcomes)
            self.outcomes, self.take = self.matched.outcomes, self.matched.row
        self.prepared: ScoreCells | None = None
        self.whole: BySource | None = None
        self.form = CLOSED_FORMS.get(metric.compare)
        self.ones = _sources_with_rows(self.outcomes).astype(np.float64)

    @property
    def of_numbers(self) -> bool:
        """Whether the score is one number a source and group."""
        return self.kind in ("rate", "mean")

    def values(self, weights: Weights, *, rough: bool) -> FloatArray:
        """The contrasts (D, P, K) under D weightings."""
        if rough and not weights.of_blocks and self._is_plain_deviation():
            return drawn_deviations(self.metric.score, self.parts, weights)
        if len(weights.member) == 1 and not (weights.of_blocks and self._looks_at_mass()):
            return self.mean(self.by_source(Weights(weights.member)), weights)
        if not weights.of_blocks and self.of_numbers:
            return self._numbers(weights)
        if not weights.of_blocks and (summed := self._over_sources(weights)) is not None:
            return summed
        each = (weights.some(slice(d, d + 1)) for d in range(len(weights)))
        return np.concatenate([self.mean(self.by_changed_source(weighting), weighting) for weighting in each])

    def mean(self, by_source: BySource, weights: Weights) -> FloatArray:
        """(D, P, K) the means over sources; the parts count in all of them as they did for ``by_source``."""
        outcomes, shape = self.parts.outcomes, by_source.values.shape
        fine = (~np.isnan(by_source.values)).reshape(len(by_source.values), -1)
        values = np.where(fine, by_source.values.reshape(fine.shape), 0.0)
        part = weights.over_sources(outcomes, by_source.weight[:, None] * values)
        mass = weights.over_sources(outcomes, by_source.weight[:, None] * fine)
        if self.options.denominator == "all_sources":
            mass = np.where(mass > 0, weights.over_sources(outcomes, by_source.weight[:, None]), 0.0)
        value: FloatArray = np.divide(part, mass, out=np.full(part.shape, np.nan), where=mass > 0)
        return value.reshape(len(part), *shape[1:])

    def _is_plain_deviation(self) -> bool:
        return self.kind == "single" and plain(self.options) and self.metric.compare is comparisons.score_deviation

    def _looks_at_mass(self) -> bool:
        """Whether a background depends on how many rows the groups have."""
        mass, groups = np.arange(1.0, len(self.outcomes.groups) + 2), self.outcomes.groups
        return not np.array_equal(self.metric.membership(groups, mass), self.metric.membership(groups, 2 * mass[::-1]))

    def by_source(self, weights: Weights) -> BySource:
        """The contrasts of each source under one weighting of the parts."""
        if self.of_numbers:
            every = slice(0, len(self.outcomes.sources))
            numbers = finite(self._numbers_of(weights, every)[0])
            return BySource(np.moveaxis(numbers, 1, 0), self.ones)
        outcomes = self._regrouped(weights)
        values, weight, note = self._examples(outcomes)
        values = finite(values)
        if self.matched is not None:
            values, weight = self.matched.mean(values), self.matched.any(weight > 0).astype(np.float64)
        return BySource(values, weight, note)

    def by_changed_source(self, weights: Weights) -> BySource:
        """As `by_source`; where few sources have parts that count otherwise than declared, only these are computed."""
        # Where rows of the product are drawn, the draws of one source move with the number of the others.
        exact = self.form is not None and (self.metric.family == "multigroup" or self._sides(self.outcomes).single)
        alone = self.of_numbers or (exact and plain(self.options))
        if not alone or weights.of_blocks or self._looks_at_mass():
            return self.by_source(weights)
        declared, outcomes = as_declared(self.parts), self.parts.outcomes
        moved = np.append((weights.member[0] != declared[0]).any(axis=0), False)
        changed = np.zeros(len(outcomes.sources) + 1, dtype=np.bool_)  # the last: rows without a source
        changed[outcomes.source[moved[self.parts.code]]] = True
        changed = changed[:-1]
        if 2 * changed.sum() > len(changed):
            return self.by_source(weights)
        if self.whole is None:
            self.whole = self.by_source(Weights(declared))
        if not changed.any():
            return self.whole
        rows = np.append(changed, False)[outcomes.source]
        some = replace(self.parts, outcomes=select_sources(outcomes, changed), code=self.parts.code[rows], cache={})
        values = self.whole.values.copy()
        kernel = Inside(self.metric, some, self.contrasts, self.options)
        kernel.form = self.form
        values[changed] = kernel.by_source(weights).values
        return replace(self.whole, values=values)

    def _regrouped(self, weights: Weights) -> Outcomes:
        """The outcomes with the groups and weights of one weighting; the same object where these are as declared."""
        group, times = weights.assigned(0)
        declared = np.array_equal(group, self.parts.group) and bool((times == 1).all())
        if declared and not weights.of_blocks:
            return self.outcomes
        code = self.parts.code
        of_row = np.append(group, -1)[code]
        weight = next(weights.row_weights(self.parts.outcomes))[1] * np.append(times, 0.0)[code]
        if self.matched is not None:
            of_row, weight = of_row[self.take], weight[self.take]
        regrouped = replace(self.outcomes, group=of_row, weight=weight, views={})
        regrouped.__dict__["symmetric"] = self.outcomes.symmetric  # known already
        return regrouped

    # Scores that are one number a source and group

    def _numbers(self, weights: Weights) -> FloatArray:
        ones = self.ones.sum()
        n_sources, drawn = len(self.outcomes.sources), []
        width = max(self.parts.size, len(self.contrasts.left))
        for _draws, some in weights.chunks(4 * width):
            step = max(1, 4_000_000 // (len(some) * width * max(1, len(self.outcomes.classes))))
            summed = count = np.zeros(())
            for first in range(0, n_sources, step):
                numbers = self._numbers_of(some, slice(first, first + step))
                fine = np.isfinite(numbers)
                summed = summed + np.where(fine, numbers, 0.0).sum(axis=2)
                count = count + fine.sum(axis=2)
            whole = np.where(count > 0, ones, 0) if self.options.denominator == "all_sources" else count
            drawn.append(np.divide(summed, whole, out=np.full(np.shape(summed), np.nan), where=whole > 0))
        return np.concatenate(drawn)

    @np.errstate(divide="ignore", invalid="ignore")
    def _numbers_of(self, weights: Weights, some: slice) -> FloatArray:
        """d of rates or means in some sources: (D, P, s, K)."""
        metric, contrasts = self.metric, self.contrasts
        own = self._pooled(weights.member, some)
        if metric.family == "multigroup":
            return comparisons.of_present(metric.compare, np.moveaxis(own[:, :-1], 1, -1))[:, None]
        if metric.family == "pairwise":
            return metric.compare(own[:, contrasts.left], own[:, contrasts.right])
        beta = backgrounds(metric, self.parts, weights)[:, contrasts.left]
        return metric.compare(self._pooled(beta, some), own[:, contrasts.left])

    def _pooled(self, sets: FloatArray, some: slice) -> FloatArray:
        """(D, B, s, K) a rate or mean of sets of parts (D, B, L) in some sources."""
        table = self.parts.cached(("inside", self.metric.score), self._sums)

        def summed(values: FloatArray) -> FloatArray:
            flat = np.ascontiguousarray(values[:, some]).reshape(len(values), -1)
            return np.asarray(sets @ flat).reshape(*sets.shape[:2], -1, values.shape[2])

        if isinstance(table, Counts):
            return self.metric.score(table.map(summed))
        return np.asarray(summed(table[0]) / summed(table[1]))

    def _sums(self) -> Counts | tuple[FloatArray, FloatArray]:
        """The counts of each part in each symmetric source, arrays (L, S, C); of a mean its sums and weights."""
        outcomes, n_sources, size = self.outcomes, len(self.outcomes.sources), self.parts.size
        part = (outcomes.source >= 0) & outcomes.symmetric[outcomes.source] & (self.parts.code >= 0)
        code = np.where(part, self.parts.code * n_sources + outcomes.source, -1)
        if self.kind == "rate":
            counts = outcomes.counts(code, n_sources * size)
            return counts.map(lambda values: values.reshape(size, n_sources, -1))
        values, row, _ = observations(self.metric.score, outcomes)
        sums, mass = sums_by_code(values, code[row], outcomes.weight[row], n_sources * size)
        return sums.reshape(size, n_sources, -1), mass.reshape(size, n_sources, -1)

    # Scores of single examples, and sets of them

    def _sides(self, outcomes: Outcomes) -> ContrastSides:
        metric, contrasts, n_groups = self.metric, self.contrasts, len(outcomes.groups)
        beta, right = np.zeros((len(contrasts.left), n_groups + 1)), contrasts.right
        if metric.family == "background" and metric.background is not None:
            beta = metric.membership(outcomes.groups)[contrasts.left]
            right = np.where((beta > 0).sum(axis=1) == 1, beta.argmax(axis=1), -1)
        return ContrastSides(metric.family, contrasts.left, right, beta, n_groups)

    @np.errstate(divide="ignore", invalid="ignore")
    def _examples(self, outcomes: Outcomes) -> tuple[FloatArray, FloatArray, str]:
        """The contrasts of each source (S, P, K), the sources' weights (S,), and a note."""
        options, ones = self.options, self.ones
        if self.kind == "set":
            return self._in_cells(outcomes)[0], ones, ""
        sizes, rows = _variations(outcomes)
        if options.groupings is not None or options.max_groupings is not None:
            if options.groupings is not None:
                listed = check_groupings(options.groupings, sizes)
            else:
                listed = draw_groupings(sizes, options.max_groupings or 1, options.seed)
            values, _ = over_rows(self.metric, outcomes, self.contrasts, listed, rows)
            weight = np.bincount(listed[:, 0], minlength=len(ones)).astype(np.float64)
            return values, weight if options.weight == "groupings" else ones, ""
        weight = sizes.astype(np.float64).prod(axis=1) if options.weight == "groupings" else ones
        values, note = self._in_cells(outcomes)
        return values, weight, note

    def _in_cells(self, outcomes: Outcomes) -> tuple[FloatArray, str]:
        """By the closed form of the comparison where it has one; else over pairs, rows of the product, or sets."""
        if self.prepared is None:
            self.prepared = ScoreCells(self.metric.score, self.outcomes, pooled=self.kind == "set")
        cells, sides = self.prepared, self._sides(outcomes)
        estimates = []
        for k in range(cells.values.shape[1]):
            estimate = self.form(cells.of_class(k, outcomes), sides) if self.form is not None else None
            if estimate is None:
                break
            estimates.append(estimate)
        else:
            note = quadrature_note([(value[:, 0], error) for value, error in estimates if error is not None])
            return cells.by_source(np.stack([value for value, _error in estimates], axis=2)), note
        if self.kind == "set":
            classes = range(cells.values.shape[1])
            by_class = [self._sets_one_by_one(outcomes, cells.of_class(k, outcomes)) for k in classes]
            return np.stack(by_class, axis=2), ""
        sizes, rows = _variations(outcomes, self.metric.score)
        if sides.single:
            return every_pair(self.metric, outcomes, sides.left, sides.right, rows), ""
        limit = max(_LEAST_ENUMERATED, _ENUMERATED // cells.width)
        listed = draw_groupings(sizes, limit, self.options.seed)
        return whole_product(self.metric, outcomes, self.contrasts, listed, rows)

    def _sets_one_by_one(self, outcomes: Outcomes, cells: closed_forms.CellDistributions) -> FloatArray:
        """Any other comparison of distributions, a source at a time."""
        n_columns, present, contrasts = len(outcomes.groups) + 1, cells.present, self.contrasts
        result = np.full((len(present), len(contrasts.left)), np.nan)
        inside = outcomes.group >= 0
        mass = np.bincount(outcomes.group[inside], weights=outcomes.weight[inside], minlength=n_columns).astype(
            np.float64
        )
        beta = self.metric.membership(outcomes.groups, mass)[contrasts.left]
        for block in cells.blocks(n_columns):
            for at, value, wide in zip(block.cells, block.value, block.shares(n_columns), strict=True):
                levels, first_of = np.unique(value, return_index=True)
                share, there = np.add.reduceat(wide.T, first_of, axis=0), present[at]
                if self.metric.family == "pairwise":
                    first, second = share[:, contrasts.left], share[:, contrasts.right]
                    fine = there[contrasts.left] & there[contrasts.right]
                else:
                    behind = beta * cells.mass[at]
                    whole = behind.sum(axis=1, keepdims=True)
                    first = share @ np.divide(behind, whole, out=np.zeros_like(behind), where=whole > 0).T
                    second, fine = share[:, contrasts.left], there[contrasts.left] & (whole[:, 0] > 0)
                if fine.any():
                    result[at, fine] = self.metric.compare(levels, first[:, fine], second[:, fine])
        return result

    def _over_sources(self, weights: Weights) -> FloatArray | None:
        """(D, P, K) from sums over sources by terms; None where there are none, or too few weightings to need them."""
        if self.kind != "single" or not plain(self.options) or len(weights) < _MANY:
            return None
        if (self.parts.group == len(self.outcomes.groups)).sum() != 1:  # the control is the last part
            return None
        sides = self._sides(self.outcomes)
        if not sides.single:
            return None
        exact_form = self.metric.compare in (comparisons.abs_diff, comparisons.difference)
        tables = pair_tables(
            self.metric, self.parts, of_cells=exact_form, with_control=bool((sides.right == sides.n_groups).all())
        )
        if tables is None:
            return None
        return means_between(tables, weights.member, sides.left, sides.right)


def plain(options: Options) -> bool:
    """Whether every source counts once and the whole product of its terms is meant, so that sums can be shared."""
    drawn = options.groupings is not None or options.max_groupings is not None or options.matching
    return not drawn and options.denominator == "true_class" and options.weight == "source"


def _variations(outcomes: Outcomes, scored_by: Score | None = None) -> tuple[IntArray, IntArray]:
    """The `variation_table` of the symmetric sources, of rows that have a score and a weight where one is named.

    Sizes are (S, G): a group that a source lacks counts as one blank, so that the product of the others stays.
    """
    part = (outcomes.source >= 0) & outcomes.symmetric[outcomes.source]
    if scored_by is not None:
        values, row, _ = observations(scored_by, outcomes)
        scored = np.zeros(len(outcomes), dtype=np.bool_)
        scored[row[~np.isnan(values).all(axis=1)]] = True
        part &= scored & (outcomes.weight > 0)
    source = np.where(part, outcomes.source, -1)
    sizes, rows = variation_table(source, outcomes.group, len(outcomes.sources), len(outcomes.groups) + 1)
    return np.where(sizes.any(axis=1, keepdims=True), np.maximum(sizes, 1), 0)[:, :-1], rows


def _sources_with_rows(outcomes: Outcomes) -> BoolArray:
    """(S,) whether a source is symmetric and has rows at all."""
    there = np.bincount(outcomes.source[outcomes.source >= 0], minlength=len(outcomes.sources)) > 0
    return there & outcomes.symmetric
