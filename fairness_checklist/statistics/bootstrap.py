"""One bootstrap over sentences and words: metrics and base scores as functions of weights.

A draw takes as many families of sources as there are inside each gold class, and as many lexemes as each group has, all
with replacement (both ways at once: the pigeonhole bootstrap of Owen 2007, which is conservative). Nothing is computed
from rows again: a draw is a weighting of blocks of rows and of terms, see `metrics.weights`.
"""

from dataclasses import dataclass, replace

import numpy as np

from fairness_checklist.core.arrays import FloatArray, IntArray
from fairness_checklist.core.examples import families_and_topics
from fairness_checklist.core.outcomes import Outcomes
from fairness_checklist.core.terms_as_groups import by_term as terms_as_groups
from fairness_checklist.metrics import scores
from fairness_checklist.metrics.engine import shares_sums, weighted_values
from fairness_checklist.metrics.group_kernels import pooled_scores
from fairness_checklist.metrics.metric_result import MetricResult
from fairness_checklist.metrics.weights import Parts, Weights, as_declared, by_term

DRAWS, FEWER_DRAWS = 999, 199  # the latter where a draw costs as much as the metric itself
_MOST_BLOCKS = 2_000  # more families of sources, or rows without a source, are dealt into so many blocks
_TAILS = (0.025, 0.975)


@dataclass(frozen=True, eq=False)
class Resamples:
    """Draws that all metrics and scores of the same outcomes share."""

    parts: Parts  # the terms of the outcomes
    block: IntArray  # (n,) the block of each row: a family of sources
    times: FloatArray  # (D, B) how often each draw takes each block
    of_terms: FloatArray  # (D, L) how often each draw takes each part; ones where lexemes are not drawn

    def weights(self, draws: int) -> Weights:
        """The first draws, of blocks and of terms in their own groups."""
        return Weights(as_declared(self.parts) * self.of_terms[:draws, None, :], self.block, self.times[:draws])


def resamples_of(outcomes: Outcomes, *, draws: int = DRAWS, seed: int = 0) -> Resamples | None:
    """Draw families of sources and lexemes; None with fewer than two families.

    Lexemes stay as they are where rows of a group name no term, and where terms are pairs that share their words.
    """
    random = np.random.default_rng([seed, 1])
    block, stratum = _blocks(outcomes, random)
    if len(stratum) < 2:
        return None
    parts = by_term(outcomes)
    of_terms = np.ones((draws, parts.size))
    times = _draw_within(stratum, draws, random)
    if not outcomes.crossed and parts.size == len(parts.terms) + 1:
        names = outcomes.lexemes or outcomes.terms
        owners = [(int(outcomes.term_group[t]), names[t] or outcomes.terms[t]) for t in parts.terms]
        order = {owner: number for number, owner in enumerate(dict.fromkeys(owners))}
        drawn = _draw_within(np.array([group for group, _lexeme in order], dtype=np.int64), draws, random)
        of_terms[:, :-1] = drawn[:, [order[owner] for owner in owners]]
    return Resamples(parts, block, times, of_terms)


def families_of_rows(outcomes: Outcomes) -> IntArray:
    """(n,) a number for the family of each row's source, in the order of names; a row without a source is its own."""
    names = np.array(families_and_topics(outcomes.sources)[0], dtype=object)
    of_row = np.append(np.unique(names, return_inverse=True)[1], 0)[outcomes.source]
    return np.where(outcomes.source < 0, len(names) + np.arange(len(outcomes)), of_row).astype(np.int64)


def _blocks(outcomes: Outcomes, random: np.random.Generator) -> tuple[IntArray, IntArray]:
    """The block of each row (n,), a family or a row without a source, and the gold class that it is drawn in (B,)."""
    block: IntArray = np.unique(families_of_rows(outcomes), return_inverse=True)[1].astype(np.int64)
    stratum = np.zeros(int(block.max(initial=-1)) + 1, dtype=np.int64)
    if outcomes.decisions is None and outcomes.gold.shape[1]:  # a sentence with tagged words has no class of its own
        np.maximum.at(stratum, block, np.where(outcomes.labelled, 1 + outcomes.gold.argmax(axis=1), 0))
    if len(stratum) > _MOST_BLOCKS:
        dealt = np.empty(len(stratum), dtype=np.int64)
        order = np.argsort(stratum + random.random(len(stratum)), kind="stable")
        dealt[order] = np.arange(len(order)) * _MOST_BLOCKS // len(order)
        block, of_dealt = dealt[block], np.zeros(_MOST_BLOCKS, dtype=np.int64)
        np.maximum.at(of_dealt, dealt, stratum)
        stratum = of_dealt
    size = np.bincount(stratum, minlength=1)
    return block, np.where(size[stratum] == 1, size.argmax(), stratum)


def _draw_within(stratum: IntArray, draws: int, random: np.random.Generator) -> FloatArray:
    """(D, m) how often each draw takes each of m units of a stratum, as many in all as the stratum has."""
    times = np.zeros((draws, len(stratum)))
    for number in np.unique(stratum):
        inside = np.flatnonzero(stratum == number)
        times[:, inside] = random.multinomial(len(inside), np.full(len(inside), 1 / len(inside)), size=draws)
    return times


def metric_intervals(result: MetricResult, resamples: Resamples) -> dict[tuple[str, str, str], tuple[float, float]]:
    """The 95 % interval of each row of a result of `rows_looked_at`: {(class, left, right): (low, high)}."""
    metric, options = result.metric.with_options(result.options), result.options
    plain = replace(options, where="", by="", background="", undefined="report")
    draws = DRAWS if shares_sums(metric) else FEWER_DRAWS
    sides, values = result.in_rows(weighted_values(metric, resamples.parts, plain, resamples.weights(draws)))
    low, high = np.moveaxis(interval(result.in_rows(result.value[None])[1][0], values), -1, 0)
    cells = ((k, label, r, pair) for k, label in enumerate(result.classes) for r, pair in enumerate(sides))
    return {(label, *pair): (float(low[r, k]), float(high[r, k])) for k, label, r, pair in cells}


def rows_looked_at(result: MetricResult, outcomes: Outcomes) -> Outcomes:
    """The rows that a metric with these options looks at: a part of a tagger's sentences, terms as groups."""
    rows = outcomes.view(result.options.where)
    return terms_as_groups(rows) if result.options.by == "term" else rows


def interval(value: FloatArray, drawn: FloatArray) -> FloatArray:
    """The 95 % percentile intervals (..., 2) of values (...) from draws (D, ...), whose median is moved to the value.

    Unsigned values are larger in draws than in the data; what is moved away is this bias. No end lies outside of what
    was drawn. NaN where a value or most draws are undefined, or where nothing varies.
    """
    ends = np.full((*value.shape, 2), np.nan)
    fine = ~np.isnan(value) & (2 * (~np.isnan(drawn)).sum(axis=0) > len(drawn))
    if fine.any():
        given, draws = value[fine], drawn[:, fine]
        low, middle, high = np.nanquantile(draws, (_TAILS[0], 0.5, _TAILS[1]), axis=0)
        least, most = np.minimum(given, np.nanmin(draws, axis=0)), np.maximum(given, np.nanmax(draws, axis=0))
        found = np.clip(np.stack([given - middle + low, given - middle + high]), least, most)
        found[:, most - least < 1e-12] = np.nan
        ends[fine] = np.stack([np.minimum(found[0], given), np.maximum(found[1], given)], axis=-1)
    return ends


def score_intervals(score: scores.Score, outcomes: Outcomes, resamples: Resamples) -> tuple[FloatArray, FloatArray]:
    """95 % intervals of a rate or a mean: (G + 2, K, 2) overall, by group and of the control; (T, K, 2) by term."""
    parts = resamples.parts
    marked = (parts.group < len(outcomes.groups)).astype(np.float64)
    groups = np.concatenate([marked[None], as_declared(parts)[0]])
    of_terms = np.eye(len(parts.terms), parts.size)
    weights = Weights(as_declared(parts), resamples.block, resamples.times)
    drawn: list[list[FloatArray]] = [[], []]
    for draws, chunk in weights.chunks(parts.size * 7 * max(1, len(outcomes.classes))):
        sets = groups * resamples.of_terms[draws, None, :]
        drawn[0].append(pooled_scores(score, parts, sets, chunk))
        drawn[1].append(pooled_scores(score, parts, of_terms[None], chunk))
    declared = Weights(as_declared(parts))
    by_group, by_term_used = (
        interval(pooled_scores(score, parts, sets[None], declared)[0], np.concatenate(each))
        for sets, each in zip((groups, of_terms), drawn, strict=True)
    )
    by_every_term = np.full((len(outcomes.terms), *by_term_used.shape[1:]), np.nan)
    by_every_term[parts.terms] = by_term_used
    return by_group, by_every_term
