"""Whether other sentences would put the groups in the same order: rank correlation between halves of the sources."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace

import numpy as np

from fairness_checklist.core.arrays import BoolArray, FloatArray, IntArray
from fairness_checklist.core.examples import family_of
from fairness_checklist.core.outcomes import Outcomes
from fairness_checklist.metrics import comparisons, scores
from fairness_checklist.metrics.catalogue import compute
from fairness_checklist.metrics.contrasts import contrasts_of
from fairness_checklist.metrics.metric import Metric
from fairness_checklist.metrics.metric_result import totals
from fairness_checklist.statistics.subsets import Computed, values_of_subsets

Sides = tuple[tuple[str, str], ...]


def contrast_rows(computed: Computed, values: FloatArray) -> tuple[Sides, FloatArray]:
    """The sides (left, right) of R rows as in `MetricResult.rows`, and their values (D, R, K).

    Args:
        computed: the metric.
        values: (D, P, K) contrasts in D subsets.
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
        found = totals(metric, size, contrasts.left, contrasts.right, columns)
        parts.append(np.array(found, dtype=np.float64).reshape(len(values), 1, values.shape[2]))
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
    if computed.metric.family == "multigroup":
        return np.full((len(values), len(computed.result.groups), values.shape[2]), np.nan)
    if computed.metric.family == "pairwise":
        return _over_pairs(computed, values, signed=computed.result.total is None or computed.signed)
    found = np.full((len(values), len(computed.result.groups), values.shape[2]), np.nan)
    found[:, [computed.result.groups.index(name) for name in computed.result.left]] = values
    return found


def _over_pairs(computed: Computed, values: FloatArray, *, signed: bool) -> FloatArray:
    """(D, G, K) each group's mean over its defined pairs."""
    by_class = []
    zero = computed.no_bias if signed else 0.0
    for group in computed.result.groups:
        first = np.array([left == group for left in computed.result.left])
        second = np.array([right == group for right in computed.result.right])
        away = np.where(second[:, None], -1.0, 1.0) if signed else np.ones((len(second), 1))
        inside = zero + away[first | second] * (values[:, first | second] - zero)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # a group without any defined pair
            by_class.append(np.nanmean(inside, axis=1))
    return np.stack(by_class, axis=1)


@dataclass(frozen=True, eq=False)
class SplitHalf:
    """The rank correlation of the groups between two halves of the sources, for K classes.

    Attributes:
        correlation: (K,) Spearman's rank correlation of the groups' values, the mean over the splits that have one.
        corrected: (K,) the same for as many sources as there are (Spearman 1910, Brown 1910): 2 r / (1 + r); where r is
            not above 0 it stays as it is.
        splits: (K,) splits that have a correlation.
        drawn: splits in all.
        why: the reason if there is none, or "".
    """

    correlation: FloatArray
    corrected: FloatArray
    splits: IntArray
    drawn: int
    why: str = ""


def split_half_correlation(computed: Computed, *, splits: int = 200, seed: int = 0) -> SplitHalf:
    """Split the sources in two again and again, half of each label to either side, and compare the groups' ranks.

    Args:
        computed: the metric and its rows. A group's value is its contrast with the background, or its mean over the
            pairs that it is in.
        splits: how many.
        seed: of the splits.

    Returns:
        NaN with a reason below three groups, without sources, and for metrics of all groups at once.
    """
    outcomes, size = computed.outcomes, computed.result.value.shape[1]
    why = ""
    if len(outcomes.groups) < 3:
        why = f"{len(outcomes.groups)} groups have no order worth the name: three are needed"
    elif not len(outcomes.sources):
        why = "the rows have no source"
    elif computed.metric.family == "multigroup":
        why = "it compares all groups at once and has no value a group"
    if why:
        nothing = np.full(size, np.nan)
        return SplitHalf(nothing, nothing, np.zeros(size, dtype=np.int64), 0, why)
    first = _draw_halves(computed, splits, seed)
    block = np.where(outcomes.source >= 0, outcomes.source, len(outcomes.sources))
    none = np.zeros((splits, 1), dtype=np.bool_)  # rows without a source are in neither half
    x, y = (
        group_values(computed, values_of_subsets(computed, block, np.hstack([half, none]))) for half in (first, ~first)
    )
    found = rank_correlation(np.swapaxes(x, 1, 2), np.swapaxes(y, 1, 2))
    there = ~np.isnan(found)
    count = there.sum(axis=0)
    mean = np.divide(np.where(there, found, 0.0).sum(axis=0), count, out=np.full(size, np.nan), where=count > 0)
    with np.errstate(invalid="ignore"):
        corrected = np.where(mean > 0, 2 * mean / (1 + mean), mean)
    return SplitHalf(mean, corrected, count.astype(np.int64), splits)


def _draw_halves(computed: Computed, splits: int, seed: int) -> BoolArray:
    """(D, S) which sources are in the first half; of an odd label the odd one on either side by chance."""
    generator = np.random.default_rng(seed)
    sources = computed.outcomes.sources
    order = {label: at for at, label in enumerate(dict.fromkeys(source.label for source in sources))}
    label = np.array([order[source.label] for source in sources])
    first = np.zeros((splits, len(sources)), dtype=np.bool_)
    for one in range(len(order)):
        inside = np.flatnonzero(label == one)
        place = generator.random((splits, len(inside))).argsort(axis=1)
        first[:, inside] = place < (len(inside) + generator.integers(0, 2, size=(splits, 1))) // 2
    return first


def rank_correlation(x: FloatArray, y: FloatArray) -> FloatArray:
    """Spearman's rank correlation along the last axis, ties sharing the mean rank.

    Args:
        x, y: (..., G); where either is NaN the pair is left out.

    Returns:
        (...) in [-1, 1]; NaN below three pairs, and where one side is all ties.

    >>> rank_correlation(np.array([0.1, 0.2, 0.3, np.nan]), np.array([1.0, 3.0, 2.0, 0.0]))
    array(0.5)
    """
    there = ~(np.isnan(x) | np.isnan(y))
    size = there.sum(axis=-1)
    ranks = []
    for values in (x, y):
        kept = np.where(there, values, np.nan)
        below = (kept[..., None, :] < kept[..., :, None]).sum(axis=-1)
        tied = (kept[..., None, :] == kept[..., :, None]).sum(axis=-1)
        rank = np.where(there, below + (tied + 1) / 2, 0.0)
        ranks.append(np.where(there, rank - (size[..., None] + 1) / 2, 0.0))
    spread = np.sqrt((ranks[0] ** 2).sum(axis=-1) * (ranks[1] ** 2).sum(axis=-1))
    shared = (ranks[0] * ranks[1]).sum(axis=-1)
    result: FloatArray = np.divide(
        shared, spread, out=np.full(np.shape(shared), np.nan), where=(spread > 0) & (size >= 3)
    )
    return result


@dataclass(frozen=True, eq=False)
class Rewordings:
    """Signed values of P contrasts and G groups, K classes, in F families of templates; 0 is no difference.

    Attributes:
        families: (F,) the id of each family's original.
        templates: (W,) the id of each rewording; ``family`` (W,) is the position of its family.
        sides: (left, right) of the P contrasts and, of pairs, of each group over its pairs (right: "others").
        overall: (P, K) of all rows.
        original, reworded: (F, P, K) of each family's original and of its rewordings together.
        single: (W, P, K) of each rewording.
        originals, rewordings: (P, K) of all originals that have a rewording together, and of all rewordings.
        why: why there is nothing, or "".
    """

    families: tuple[str, ...]
    templates: tuple[str, ...]
    family: IntArray
    sides: Sides
    overall: FloatArray
    original: FloatArray
    reworded: FloatArray
    single: FloatArray
    originals: FloatArray
    rewordings: FloatArray
    why: str = ""

    @property
    def compared(self) -> IntArray:
        """(P, K) families in which originals and rewordings both have a direction."""
        return np.asarray(self._both().sum(axis=0), dtype=np.int64)

    @property
    def agreement(self) -> FloatArray:
        """(P, K) the share of these in which it is the same direction, in [0, 1]; NaN where there is none."""
        same = (self._both() & (np.sign(self.original) == np.sign(self.reworded))).sum(axis=0)
        return _share(same, self.compared)

    @property
    def agreement_with_overall(self) -> FloatArray:
        """(P, K) the share of rewordings with a direction in which it is that of all rows; NaN where there is none."""
        there = _directed(self.single) & _directed(self.overall)
        same = (there & (np.sign(self.single) == np.sign(self.overall))).sum(axis=0)
        return _share(same, there.sum(axis=0))

    def _both(self) -> BoolArray:
        return _directed(self.original) & _directed(self.reworded)

    def reversed_sign(self, sides: Sides, least: float) -> BoolArray:
        """(R, K) whether all originals and all rewordings have opposite signs, one of them at least so far from 0.

        Args:
            sides: (left, right) of R rows; rows that have no direction, such as a total, have not turned.
            least: how far.
        """
        position = {side: at for at, side in enumerate(self.sides)}
        at = np.array([position.get(side, -1) for side in sides], dtype=np.int64)
        both = _directed(self.originals) & _directed(self.rewordings)
        both &= np.sign(self.originals) != np.sign(self.rewordings)
        with np.errstate(invalid="ignore"):
            both &= np.fmax(np.abs(self.originals), np.abs(self.rewordings)) >= least
        nowhere = np.zeros((1, both.shape[1]), dtype=np.bool_)
        return np.concatenate([both, nowhere])[at]


def _directed(values: FloatArray) -> BoolArray:
    with np.errstate(invalid="ignore"):
        return np.asarray(np.abs(values) > 1e-12)


def _share(part: IntArray, total: IntArray) -> FloatArray:
    result: FloatArray = np.divide(part, total, out=np.full(part.shape, np.nan), where=total > 0)
    return result


def families(outcomes: Outcomes) -> tuple[tuple[str, ...], dict[str, int]]:
    """The templates that have rewordings, and the position in them that each template of such a family has.

    A rewording of a rewording is one of the original. Families without rows of the original are left out.
    """
    known = {source.template: source.paraphrase_of for source in outcomes.sources if source.template}
    root = dict(zip(known, family_of(list(known), list(known.values())), strict=True))
    heads = tuple(dict.fromkeys(head for name, head in root.items() if name != head and head in known))
    position = {head: at for at, head in enumerate(heads)}
    return heads, {name: position[head] for name, head in root.items() if head in position}


def mean_shift(values: FloatArray, x: FloatArray, y: FloatArray) -> FloatArray:
    """E[X] - E[Y] of two distributions, the direction behind a distance of distributions."""
    shift: FloatArray = values @ x - values @ y
    return shift


def mean_shift_to_background(values: FloatArray, x: FloatArray, y: FloatArray) -> FloatArray:
    """E[Y] - E[X]: the group minus its background (which is the first argument)."""
    return mean_shift(values, y, x)


def directed(metric: Metric) -> Metric | str:
    """The metric with a comparison that has the direction; where there is none, the reason.

    >>> from fairness_checklist.metrics.metric import METRICS
    >>> directed(METRICS["fped"])
    <Metric fped: group background, false_positive_rate, excess_over_background>
    >>> directed(METRICS["pert_sr"])
    'it compares all groups at once and has no direction'
    """
    about = comparisons.about(metric.compare)
    if metric.family == "multigroup":
        return "it compares all groups at once and has no direction"
    if about.signed:
        return metric if about.kind != "ranking" else "an area under a ROC curve has no direction"
    if scores.about(metric.score).kind == "ranking":
        return "areas under ROC curves that are compared without a sign have no direction"
    pairs = metric.family == "pairwise"
    if scores.about(metric.score).kind == "set":
        return replace(metric, compare=mean_shift if pairs else mean_shift_to_background, normalise=None)
    return replace(
        metric, compare=comparisons.difference if pairs else comparisons.excess_over_background, normalise=None
    )


def rewordings(computed: Computed, *, each: bool = True) -> Rewordings:
    """The signed values of a metric in originals and in their rewordings.

    Of a distance the difference behind it is taken: of a distance of distributions that of their means.

    Args:
        computed: the metric and its rows.
        each: False looks at all originals together and all rewordings together alone, and at no family.
    """
    outcomes = computed.outcomes
    heads, member = families(outcomes)
    metric = directed(computed.metric)
    if isinstance(metric, str) or not heads:
        why = metric if isinstance(metric, str) else "no template is reworded"
        return _nothing(computed, why)
    signed = computed
    if metric is not computed.metric:
        signed = replace(computed, metric=metric, result=compute(metric, outcomes, computed.options))
    names = [*heads, *(name for name in member if name not in heads)]
    number = {name: at for at, name in enumerate(names)}
    of_source = [number.get(source.template, len(names)) for source in outcomes.sources]
    block = np.array([*of_source, len(names)], dtype=np.int64)[outcomes.source]
    family = np.array([member[name] for name in names[len(heads) :]], dtype=np.int64)
    first, second = (len(heads), len(family)) if each else (0, 0)
    kept = _chosen(len(heads), family)[0 if each else -2 :]
    values = values_of_subsets(signed, block, kept)
    sides, values = _sides(signed, np.concatenate([values, signed.result.value[None]]) - signed.no_bias)
    original, reworded, single, pooled = np.split(values, [first, 2 * first, 2 * first + second])
    parts = (heads[:first], tuple(names[len(heads) :][:second]), family[:second])
    return Rewordings(*parts, sides, pooled[2], original, reworded, single, pooled[0], pooled[1])


def _chosen(size: int, family: IntArray) -> BoolArray:
    """(2 F + W + 2, F + W + 1) the templates of each original, each family's rewordings, each rewording, and all."""
    others = np.arange(len(family))
    kept = np.zeros((size * 2 + len(family) + 2, size + len(family) + 1), dtype=np.bool_)
    kept[:size, :size] = np.eye(size)
    kept[size + family, size + others] = True
    kept[2 * size + others, size + others] = True
    kept[-2, :size], kept[-1, size:-1] = True, True
    return kept


def _sides(signed: Computed, values: FloatArray) -> tuple[Sides, FloatArray]:
    """The contrasts and, of pairs of more than two groups, each group over its pairs, from the group's side."""
    result = signed.result
    sides = tuple(zip(result.left, result.right, strict=True))
    if signed.metric.family != "pairwise" or len(result.groups) < 3:
        return sides, values
    over = group_values(signed, values + signed.no_bias) - signed.no_bias
    return (*sides, *((group, "others") for group in result.groups)), np.concatenate([values, over], axis=1)


def _nothing(computed: Computed, why: str) -> Rewordings:
    size = computed.result.value.shape[1]
    none, flat = np.empty((0, 0, size)), np.empty((0, size))
    return Rewordings((), (), np.empty(0, dtype=np.int64), (), flat, none, none, none, flat, flat, why)
