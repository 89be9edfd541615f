"""The one rule: statuses of comparisons from the effects of words, without draws and without a seed.

A comparison is a group, an error, and what the group is compared with: all other groups, or a reference. Its gap is a
contrast of the effects of lexemes in which each term weighs the same. Its variance has two parts, see
`statistics.two_way`: sources vary, and words vary. The variance of a group's words is moderated (Smyth 2004, section
3.2): its own counts with its degrees of freedom beside the pooled one with `PRIOR_DF`; where it is three times that of
the other groups, it counts alone. Bounds are Student's t with Satterthwaite's degrees of freedom, and simultaneous ones
Bonferroni's over all comparisons. `docs/findings.md` has the rule, and the table of its errors and power.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np
from scipy.special import expit, logit, stdtrit

from fairness_checklist.core.arrays import BoolArray, FloatArray, IntArray, divide
from fairness_checklist.statistics.multiplicity import ALPHA
from fairness_checklist.statistics.two_way import TermEffects, variance_of_levels

PRIOR_DF = 8.0
WILD, WILD_OF_TWO = 3.0, 4.0
"""How many times the variance of the others' words that of a group is, so that it counts alone; with two groups."""
_NEAREST = 1e-4  # means nearer to 0 or 1 have no bound on the logit


class Status(StrEnum):
    """What is said of a comparison."""

    WORSE = "worse"
    BETTER = "better"
    SMALL = "small"
    OPEN = "open"


@dataclass(frozen=True, eq=False)
class Words:
    """The L lexemes that are compared."""

    group: IntArray  # (L,) the group of each
    terms: FloatArray  # (L,) how many terms each has: its weight
    n_groups: int  # G
    # the position of the group that all others are compared with; None for all others together
    reference: int | None = None

    def without(self, dropped: BoolArray) -> Words:
        """Without some lexemes (L,), which weigh nothing then."""
        return replace(self, terms=np.where(dropped, 0.0, self.terms))

    def contrasts(self) -> FloatArray:
        """(G, L) the weights of lexemes in the gap of each group; 0 where there is nothing to compare."""
        member = self.group == np.arange(self.n_groups)[:, None]
        others = ~member if self.reference is None else np.broadcast_to(self.group == self.reference, member.shape)
        inside, outside = member * self.terms, others * self.terms
        sums = inside.sum(axis=1, keepdims=True), outside.sum(axis=1, keepdims=True)
        weights = divide(inside, sums[0], fill=0.0) - divide(outside, sums[1], fill=0.0)
        compared = (sums[0] > 0) & (sums[1] > 0)
        if self.reference is not None:
            compared[self.reference] = False
        return np.where(compared, weights, 0.0)


@dataclass(frozen=True, eq=False)
class Gaps:
    """The gaps of G groups on one figure, arrays (G,); NaN where there is nothing to compare."""

    gap: FloatArray  # the group's mean less the others'
    error: FloatArray  # its standard error where sources, words and levels of random factors are drawn anew
    df: FloatArray  # the degrees of freedom of the part of sources and words
    of_words: FloatArray  # the part of the variance that words alone explain
    wild: BoolArray  # whether the group's words vary so much more than the others' that their variance counts alone
    of_levels: FloatArray  # the part of its variance that random factors of the model add, such as prompts
    levels: int  # how many levels the factor of the fewest has

    def reach(self, level: float) -> FloatArray:
        """How far a one-sided bound of a level lies from the gap.

        Two or three levels tell little of their variance. Its reach is that of its own degrees of freedom, and both are
        joined by their squares, as in Howe 1974 for a sum of two means.
        """
        exact = self.error == 0
        plain = stdtrit(np.where(exact, 1.0, self.df), level) ** 2 * (self.error**2 - self.of_levels)
        of_levels = stdtrit(self.levels - 1, level) ** 2 * self.of_levels
        return np.where(exact, 0.0, np.sqrt(np.maximum(plain + of_levels, 0.0)))


def word_variances(effect: FloatArray, words: Words, *, wild: bool = True) -> tuple[FloatArray, FloatArray, BoolArray]:
    """The variance of words inside each group (G,), its degrees of freedom, and where a group's own counts alone."""
    used = words.terms > 0
    group, size = words.group[used], words.n_groups
    count = np.bincount(group, minlength=size)
    df = np.maximum(count - 1, 0)
    total_df = max(int(df.sum()), 1)
    mean = divide(np.bincount(group, effect[used], size), count, fill=0.0)
    squares = np.bincount(group, (effect[used] - mean[group]) ** 2, size)
    variance = (PRIOR_DF * squares.sum() / total_df + squares) / (PRIOR_DF + df)
    freedom = np.minimum(PRIOR_DF + df, total_df).astype(np.float64)
    own, others_df = squares / np.maximum(df, 1), df.sum() - df
    others = (squares.sum() - squares) / np.maximum(others_df, 1)
    times = WILD if (df > 0).sum() > 2 else WILD_OF_TWO
    alone = wild & (df >= 2) & (others_df >= 2) & (own > times * others)
    return np.where(alone, own, variance), np.where(alone, df, freedom), alone


def gaps_of(
    fit: TermEffects,
    words: Words,
    *,
    groups: IntArray | None = None,
    wild: bool = True,
    at_least: FloatArray | None = None,
    moved: float | FloatArray = 0.0,
) -> Gaps:
    """The gaps of groups on one figure.

    Args:
        groups: the positions of these groups; all by default.
        wild: whether a group's own variance may count alone.
        at_least: (L,) the least variance of each lexeme's effect over sources, for rare decisions.
        moved: what the counted gaps lie beside the fitted ones; its square is added to the variance.
    """
    words, effect = words.without(np.isnan(fit.effect)), np.nan_to_num(fit.effect)
    contrast = words.contrasts()
    variance, freedom, alone = word_variances(effect, words, wild=wild)
    if groups is not None:
        contrast, alone = contrast[groups], alone[groups]
    by_group = np.stack([(contrast[:, words.group == g] ** 2).sum(axis=1) for g in range(words.n_groups)], axis=1)
    if fit.scores is None:
        of_sources = np.maximum(((contrast @ fit.covariance) * contrast).sum(axis=1), 0.0)
    else:
        of_sources = ((contrast @ fit.scores.T) ** 2).sum(axis=1)
    if at_least is not None:
        of_sources = np.maximum(of_sources, contrast**2 @ at_least)
    of_words = by_group @ variance
    of_cells = ((contrast @ fit.cell_covariance) * contrast).sum(axis=1) * fit.cell_variance
    of_levels = variance_of_levels(fit.levels, contrast)
    levels = min((len(way) for way in fit.levels), default=2)
    both = np.maximum(np.maximum(of_sources + of_words - of_cells, of_sources), of_words)
    parts = of_sources**2 / max(fit.clusters - 1, 1) + ((by_group * variance) ** 2 / np.maximum(freedom, 1)).sum(axis=1)
    df = both**2 / np.maximum(parts, 1e-300)
    compared = np.abs(contrast).sum(axis=1) > 0
    gap, error = contrast @ effect + moved, np.sqrt(both + of_levels + np.square(moved))
    gap, error, df, of_words = (np.where(compared, values, np.nan) for values in (gap, error, df, of_words))
    return Gaps(gap, error, df, of_words, alone & compared, of_levels, levels)


@dataclass(frozen=True, eq=False)
class FittedError:
    """What the rule reads of one error: the effects of lexemes on its figures."""

    gap: TermEffects  # on the probability of the error, or on decisions
    tested: TermEffects  # on the logit, which guards the sign; on decisions the same as ``gap``
    adjusted: TermEffects  # on the probability as if all words had the same form
    moved: FloatArray | float = 0.0  # (G,) what the counted gaps lie beside the fitted ones
    at_least: FloatArray | None = None  # as in `gaps_of`
    separable: BoolArray | bool = True  # (G,) whether the group's words have forms that other words have too
    is_share: bool = True  # whether the figure is a share, from 0 to 1; not so the change of one


@dataclass(frozen=True, eq=False)
class Decided:
    """What the rule says of each group in one error, arrays (G,); NaN where there is nothing to compare."""

    status: tuple[Status, ...]  # of `Status`; open where there is nothing to compare
    gap: FloatArray  # the group's mean less the others', above 0 where it is treated worse
    low: FloatArray  # low, high: simultaneous bounds over all comparisons
    high: FloatArray
    high_alone: FloatArray  # the upper bound of this comparison alone
    low_alone: FloatArray  # the lower bound of this comparison alone
    adjusted_gap: FloatArray  # adjusted_gap, adjusted_low: the same, adjusted for the form of words
    adjusted_low: FloatArray
    # the lower bound of this comparison alone without the lexeme that carries most; -inf without others
    low_without: FloatArray
    carrier: IntArray  # that lexeme; -1 where there is nothing to compare
    words_share: FloatArray  # the share of the variance that words alone explain
    wild: BoolArray  # whether the group's words vary so much more than the others'


def decide(
    errors: Sequence[FittedError],
    words: Words,
    *,
    margin: float,
    named: BoolArray | None = None,
    enough: BoolArray | None = None,
    comparisons: int | None = None,
) -> list[Decided]:
    """Decide about every group in every one of H errors; gaps up to the margin are called small.

    Args:
        named: (G,) whether the rows of a group name its words; of rows without words none can carry the gap.
        enough: (H, G) whether there are sentences enough to say anything.
        comparisons: how many share the level; those that are decided about by default.
    """
    named = np.ones(words.n_groups, dtype=np.bool_) if named is None else named
    enough = np.ones((len(errors), words.n_groups), dtype=np.bool_) if enough is None else enough
    plain = [gaps_of(error.gap, words, at_least=error.at_least, moved=error.moved) for error in errors]
    known = [~np.isnan(gaps.gap) & of_error for gaps, of_error in zip(plain, enough, strict=True)]
    level = 1 - ALPHA / (comparisons or max(int(sum(of_error.sum() for of_error in known)), 1))
    return [
        _decided(error, words, gaps, fine, level=level, margin=margin, named=named)
        for error, gaps, fine in zip(errors, plain, known, strict=True)
    ]


def _decided(
    error: FittedError, words: Words, plain: Gaps, known: BoolArray, *, level: float, margin: float, named: BoolArray
) -> Decided:
    tested = plain if error.tested is error.gap else gaps_of(error.tested, words)
    adjusted = plain
    if error.adjusted is not error.gap:
        adjusted = gaps_of(error.adjusted, words, at_least=error.at_least, moved=error.moved)
    of_test, alone = tested.reach(level), plain.reach(1 - ALPHA)
    low, high = _simultaneous(plain, level, error, words)
    low = np.where(tested.gap > of_test, low, np.minimum(low, 0.0))
    high = np.where(-tested.gap > of_test, high, np.maximum(high, 0.0))
    adjusted_low, adjusted_high = _simultaneous(adjusted, level, error, words)
    low_without, carrier = _without_carriers(error, words, known, named)
    high_alone = _upper(plain, alone, error, words)
    above = (low > 0) & (low_without > 0) & (adjusted_low > 0) & error.separable
    below = (high < 0) & (plain.gap < -margin) & (adjusted_high < 0) & error.separable
    status = np.select(
        [~known, below, high_alone < margin, above],
        [Status.OPEN, Status.BETTER, Status.SMALL, Status.WORSE],
        Status.OPEN,
    )
    share = divide(plain.of_words, plain.error**2, fill=0.0)

    def where_known(figure: FloatArray) -> FloatArray:
        return np.where(known, figure, np.nan)

    return Decided(
        status=tuple(map(Status, status.tolist())),
        gap=where_known(plain.gap),
        low=where_known(low),
        high=where_known(high),
        high_alone=where_known(high_alone),
        low_alone=where_known(plain.gap - alone),
        adjusted_gap=where_known(adjusted.gap),
        adjusted_low=where_known(adjusted_low),
        low_without=where_known(low_without),
        carrier=np.where(known, carrier, -1),
        words_share=where_known(share),
        wild=plain.wild & known,
    )


def _simultaneous(gaps: Gaps, level: float, error: FittedError, words: Words) -> tuple[FloatArray, FloatArray]:
    """The lower and upper bounds of all gaps together."""
    reach = gaps.reach(level)
    low = gaps.gap - reach
    low = np.maximum(low, np.minimum(gaps.gap, -1.0)) if error.is_share else low
    return low, _upper(gaps, reach, error, words)


def _upper(gaps: Gaps, reach: FloatArray, error: FittedError, words: Words) -> FloatArray:
    """Upper bounds; of a share near 0 or 1 the larger one of those in points and on the logit of the group's mean."""
    plain = gaps.gap + reach
    if not error.is_share:
        return plain
    contrast = words.without(np.isnan(error.gap.effect)).contrasts()
    mean = error.gap.level + np.maximum(contrast, 0.0) @ np.nan_to_num(error.gap.effect)
    edge = np.clip(np.nan_to_num(gaps.error), _NEAREST, 0.5)  # nearer to 0 or 1 the logit has no standard error
    inside, others = np.clip(mean, edge, 1 - edge), mean - gaps.gap
    on_logit = expit(logit(inside) + reach / (inside * (1 - inside))) - others
    return np.minimum(np.maximum(plain, on_logit), np.maximum(gaps.gap, 1.0))


def _without_carriers(
    error: FittedError, words: Words, known: BoolArray, named: BoolArray
) -> tuple[FloatArray, IntArray]:
    """The lower bounds alone without the lexeme that carries most of each gap, and that lexeme (G,).

    Of rows that name no words the bound is that with all of them.
    """
    low, carrier = np.full(words.n_groups, -np.inf), np.full(words.n_groups, -1, dtype=np.int64)
    effect = error.gap.effect
    moved = np.broadcast_to(error.moved, (words.n_groups,))
    for g in np.flatnonzero(known):
        inside = np.flatnonzero((words.group == g) & ~np.isnan(effect))
        if not named[g]:
            low[g] = np.inf
            continue
        share = words.terms[inside] / words.terms[inside].sum()
        total = float((share * effect[inside]).sum())
        carrier[g] = inside[0]
        if len(inside) > 1:
            carrier[g] = inside[np.argmin((total - share * effect[inside]) / (1 - share))]
            rest = words.without(np.arange(len(effect)) == carrier[g])
            options = {"wild": False, "at_least": error.at_least, "moved": moved[g]}
            left = gaps_of(error.gap, rest, groups=np.array([g]), **options)
            low[g] = left.gap[0] - left.reach(1 - ALPHA)[0]
    return low, carrier
