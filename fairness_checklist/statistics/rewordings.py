"""Whether sentences that mean the same say the same: the sign of a contrast in originals and in their rewordings."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from fairness_checklist import comparisons, scores
from fairness_checklist.arrays import BoolArray, FloatArray, IntArray
from fairness_checklist.examples import family_of
from fairness_checklist.metrics.catalogue import compute
from fairness_checklist.metrics.metric import Metric
from fairness_checklist.outcomes import Outcomes
from fairness_checklist.statistics.contrast_rows import Sides, group_values
from fairness_checklist.statistics.resample import Computed, values_of_subsets

__all__ = ["Rewordings", "directed", "families", "rewordings"]


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
    """The metric with a comparison that tells the direction; where there is none, the reason.

    >>> from fairness_checklist.metrics import METRICS
    >>> directed(METRICS["fped"])
    <Metric fped: group background, false_positive_rate, excess_over_background>
    >>> directed(METRICS["pert_sr"])
    'it compares all groups at once and tells no direction'
    """
    about = comparisons.about(metric.compare)
    if metric.family == "multigroup":
        return "it compares all groups at once and tells no direction"
    if about.signed:
        return metric if about.kind != "ranking" else "an area under a ROC curve tells no direction"
    if scores.about(metric.score).kind == "ranking":
        return "areas under ROC curves that are compared without a sign tell no direction"
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
