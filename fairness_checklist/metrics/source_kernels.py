"""Equations (2), (4) and (6): metrics that compare the groups inside each source, under any weights.

The value of each source follows from the groups that its rows are in; the sources' weights enter the mean over
sources alone. Where the score is of single examples the T-ary product of the groups' terms is meant: its expectation
has a closed form (`metrics.closed_forms`), or is a mean over all pairs or over rows of the product.
"""

from dataclasses import replace

import numpy as np

from fairness_checklist.core.arrays import BoolArray, FloatArray, IntArray, divide
from fairness_checklist.core.outcomes import Counts, Outcomes
from fairness_checklist.core.terms_as_groups import MatchedOutcomes, match_concepts
from fairness_checklist.metrics import closed_forms, comparisons, scores, term_product
from fairness_checklist.metrics.closed_forms import CLOSED_FORMS, ContrastSides, ScoreCells
from fairness_checklist.metrics.contrasts import Contrasts, cached, observations, sums_by_code
from fairness_checklist.metrics.group_kernels import finite
from fairness_checklist.metrics.metric_forms import Metric, Options
from fairness_checklist.metrics.scores import Score
from fairness_checklist.metrics.weights import Parts, Weights, backgrounds, by_group

_ENUMERATED = 4096  # rows of the product of a source; of sentences fewer, as each row is compared word by word
_LEAST_ENUMERATED = 512
_SAMPLED = 1000  # rows of a larger product


class Inside:
    """A metric inside sources, prepared for any groups and weights of the rows of its parts."""

    def __init__(self, metric: Metric, parts: Parts, contrasts: Contrasts, options: Options) -> None:
        self.metric, self.contrasts, self.options, self.parts = metric, contrasts, options, parts
        self.kind = scores.about(metric.score).kind
        self.matched: MatchedOutcomes | None = None
        self.outcomes, self.take = parts.outcomes, np.zeros(0, dtype=np.int64)
        if options.matching == "concept":
            self.matched = match_concepts(parts.outcomes)
            self.outcomes, self.take = self.matched.outcomes, self.matched.row
        self.prepared: ScoreCells | None = None
        self.form = CLOSED_FORMS.get(metric.compare)
        with_rows = np.bincount(self.outcomes.source[self.outcomes.source >= 0], minlength=len(self.outcomes.sources))
        self.ones = ((with_rows > 0) & self.outcomes.symmetric).astype(np.float64)

    def values(self, weights: Weights) -> FloatArray:
        """The contrasts (D, P, K) under D weightings."""
        if len(weights.member) == 1 and (weights.block is None or not self._looks_at_mass()):
            return self.mean(*self.by_source(Weights(weights.member))[:2], weights)
        each = (weights.some(slice(d, d + 1)) for d in range(len(weights)))
        return np.concatenate([self.mean(*self.by_source(weighting)[:2], weighting) for weighting in each])

    def mean(self, by_source: FloatArray, source_weight: FloatArray, weights: Weights) -> FloatArray:
        """(D, P, K) the means over sources; the parts count in all of them as they did for ``by_source``."""
        outcomes, weight = self.parts.outcomes, source_weight[:, None]
        fine = (~np.isnan(by_source)).reshape(len(by_source), -1)
        values = np.where(fine, by_source.reshape(fine.shape), 0.0)
        summed, mass = (weights.over_sources(outcomes, weight * amount) for amount in (values, fine))
        if self.options.denominator == "all_sources":
            mass = np.where(mass > 0, weights.over_sources(outcomes, weight), 0.0)
        return divide(summed, mass).reshape(len(summed), *by_source.shape[1:])

    def _looks_at_mass(self) -> bool:
        """Whether a background depends on how many rows the groups have."""
        mass, groups = np.arange(1.0, len(self.outcomes.groups) + 2), self.outcomes.groups
        return not np.array_equal(self.metric.membership(groups, mass), self.metric.membership(groups, 2 * mass[::-1]))

    def by_source(self, weights: Weights) -> tuple[FloatArray, FloatArray, str]:
        """Under one weighting the contrasts of each source (S, P, K), its weight in the mean (S,), and a note."""
        if self.kind in ("rate", "mean"):
            return np.moveaxis(finite(self._numbers(weights)), 1, 0), self.ones, ""
        values, weight, note = self._examples(self._regrouped(weights))
        values = finite(values)
        if self.matched is not None:
            values = term_product.mean_by_source(values, self.matched.source, self.matched.size)
            weight = self.matched.any(weight > 0).astype(np.float64)
        return values, weight, note

    def _regrouped(self, weights: Weights) -> Outcomes:
        """The outcomes with the groups and weights of one weighting; the same object where these are as declared."""
        group, times = weights.assigned()
        if weights.block is None and np.array_equal(group, self.parts.group) and bool((times == 1).all()):
            return self.outcomes
        code = self.parts.code
        of_row = np.append(group, -1)[code]
        weight = next(weights.row_weights(self.parts.outcomes))[1] * np.append(times, 0.0)[code]
        if self.matched is not None:
            of_row, weight = of_row[self.take], weight[self.take]
        regrouped = replace(self.outcomes, group=of_row, weight=weight, views={})
        regrouped.__dict__["symmetric"] = self.outcomes.symmetric  # a cached property: sources stay as they are
        return regrouped

    # Scores that are one number a source and group

    @np.errstate(divide="ignore", invalid="ignore")
    def _numbers(self, weights: Weights) -> FloatArray:
        """d of rates or means in each source: (P, S, K)."""
        metric, contrasts = self.metric, self.contrasts
        of_groups = self._pooled(weights.member[0])
        if metric.family == "multigroup":
            return comparisons.of_present(metric.compare, np.moveaxis(of_groups[:-1], 0, -1))[None]
        if metric.family == "pairwise":
            return metric.compare(of_groups[contrasts.left], of_groups[contrasts.right])
        beta = backgrounds(metric, self.parts, weights)[0, contrasts.left]
        return metric.compare(self._pooled(beta), of_groups[contrasts.left])

    def _pooled(self, sets: FloatArray) -> FloatArray:
        """(B, S, K) a rate or mean of sets of parts (B, L) in each source."""
        table = cached(self.parts, ("inside", self.metric.score), self._sums)

        def summed(values: FloatArray) -> FloatArray:
            return np.asarray(np.tensordot(sets, values, axes=1))

        if isinstance(table, Counts):
            return self.metric.score(table.map(summed))
        return np.asarray(summed(table[0]) / summed(table[1]))

    def _sums(self) -> Counts | tuple[FloatArray, FloatArray]:
        """The counts of each part in each symmetric source, arrays (L, S, C); of a mean its sums and weights."""
        outcomes, n_sources, size = self.outcomes, len(self.outcomes.sources), self.parts.size
        inside = (outcomes.source >= 0) & outcomes.symmetric[outcomes.source] & (self.parts.code >= 0)
        code = np.where(inside, self.parts.code * n_sources + outcomes.source, -1)
        if self.kind == "rate":
            return outcomes.counts(code, n_sources * size).map(lambda values: values.reshape(size, n_sources, -1))
        values, row, _ = observations(self.metric.score, outcomes)
        sums, mass = sums_by_code(values, code[row], outcomes.weight[row], n_sources * size)
        return sums.reshape(size, n_sources, -1), mass.reshape(size, n_sources, -1)

    # Scores of single examples, and sets of them

    @np.errstate(divide="ignore", invalid="ignore")
    def _examples(self, outcomes: Outcomes) -> tuple[FloatArray, FloatArray, str]:
        """The contrasts of each source (S, P, K), the sources' weights (S,), and a note."""
        options, weight = self.options, self.ones
        if options.groupings is not None or options.max_groupings is not None or options.weight == "groupings":
            sizes, rows = _variations(outcomes)
            weight = sizes.astype(np.float64).prod(axis=1) if options.weight == "groupings" else weight
        if self.kind == "set":
            return self._in_cells(outcomes)[0], self.ones, ""
        if options.groupings is None and options.max_groupings is None:
            values, note = self._in_cells(outcomes)
            return values, weight, note
        if options.groupings is not None:
            listed = term_product.check_groupings(options.groupings, sizes)
        else:
            listed = term_product.draw_groupings(sizes, options.max_groupings or 1, options.seed)
        values, _ = term_product.over_rows(self.metric, outcomes, self.contrasts, listed, rows)
        if options.weight == "groupings":
            weight = np.bincount(listed[:, 0], minlength=len(weight)).astype(np.float64)
        return values, weight, ""

    def _sides(self, outcomes: Outcomes) -> ContrastSides:
        metric, contrasts, n_groups = self.metric, self.contrasts, len(outcomes.groups)
        beta, right = np.zeros((len(contrasts.left), n_groups + 1)), contrasts.right
        if metric.family == "background" and metric.background is not None:
            beta = metric.membership(outcomes.groups)[contrasts.left]
            right = np.where((beta > 0).sum(axis=1) == 1, beta.argmax(axis=1), -1)
        return ContrastSides(metric.family, left=contrasts.left, right=right, beta=beta, n_groups=n_groups)

    def _in_cells(self, outcomes: Outcomes) -> tuple[FloatArray, str]:
        """By the closed form of the comparison where it has one; else over pairs, rows of the product, or sets."""
        if self.prepared is None:
            self.prepared = ScoreCells(self.metric.score, self.outcomes, pooled=self.kind == "set")
        cells, sides = self.prepared, self._sides(outcomes)
        classes = range(cells.values.shape[1])
        if self.form is not None:
            by_class = [self.form(cells.of_class(k, outcomes), sides) for k in classes]
            exact = [values for values in by_class if values is not None]
            if len(exact) == len(by_class):
                return cells.by_source(np.stack(exact, axis=2)), ""
        if self.kind == "set":
            return np.stack([self._sets_one_by_one(outcomes, cells.of_class(k, outcomes)) for k in classes], axis=2), ""
        sizes, rows = _variations(outcomes, self.metric.score)
        if sides.single:
            return term_product.every_pair(self.metric, outcomes, sides.left, sides.right, rows), ""
        limit = max(_LEAST_ENUMERATED, _ENUMERATED // cells.width)
        listed = term_product.draw_groupings(sizes, limit, self.options.seed, sample=min(limit, _SAMPLED))
        return term_product.whole_product(self.metric, outcomes, self.contrasts, listed, rows)

    def _sets_one_by_one(self, outcomes: Outcomes, cells: closed_forms.CellDistributions) -> FloatArray:
        """Any other comparison of distributions, a source at a time."""
        n_columns, present, contrasts = len(outcomes.groups) + 1, cells.present, self.contrasts
        result = np.full((len(present), len(contrasts.left)), np.nan)
        beta = self.metric.membership(outcomes.groups, by_group(outcomes).mass)[contrasts.left]
        for block in cells.blocks(n_columns):
            for cell, value, wide in zip(block.cells, block.value, block.shares(n_columns), strict=True):
                levels, first_of = np.unique(value, return_index=True)
                share, has_score = np.add.reduceat(wide.T, first_of, axis=0), present[cell]
                if self.metric.family == "pairwise":
                    first, second = share[:, contrasts.left], share[:, contrasts.right]
                    fine = has_score[contrasts.left] & has_score[contrasts.right]
                else:
                    behind = beta * cells.mass[cell]
                    whole = behind.sum(axis=1, keepdims=True)
                    first = share @ np.divide(behind, whole, out=np.zeros_like(behind), where=whole > 0).T
                    second, fine = share[:, contrasts.left], has_score[contrasts.left] & (whole[:, 0] > 0)
                if fine.any():
                    result[cell, fine] = self.metric.compare(levels, first[:, fine], second[:, fine])
        return result


def _variations(outcomes: Outcomes, scored_by: Score | None = None) -> tuple[IntArray, IntArray]:
    """The `variation_table` of the symmetric sources; a group that a source lacks counts as one blank."""
    inside: BoolArray = (outcomes.source >= 0) & outcomes.symmetric[outcomes.source]
    if scored_by is not None:
        values, row, _ = observations(scored_by, outcomes)
        scored = np.zeros(len(outcomes), dtype=np.bool_)
        scored[row[~np.isnan(values).all(axis=1)]] = True
        inside &= scored & (outcomes.weight > 0)
    source = np.where(inside, outcomes.source, -1)
    sizes, rows = term_product.variation_table(source, outcomes.group, len(outcomes.sources), len(outcomes.groups) + 1)
    return np.where(sizes.any(axis=1, keepdims=True), np.maximum(sizes, 1), 0)[:, :-1], rows
