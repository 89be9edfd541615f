"""Whether a value rests on one template, term or wording: each left out in turn, and rewordings against originals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeVar

import numpy as np

from fairness_checklist.core.arrays import BoolArray, FloatArray, IntArray
from fairness_checklist.core.examples import family_of
from fairness_checklist.core.outcomes import Outcomes
from fairness_checklist.metrics import comparisons, scores
from fairness_checklist.metrics.catalogue import compute
from fairness_checklist.metrics.metric_forms import Metric
from fairness_checklist.metrics.metric_result import MetricResult
from fairness_checklist.statistics.subsets import (
    Computed,
    Sides,
    as_computed,
    contrast_rows,
    group_values,
    has_quick_subsets,
    values_of_subsets,
    values_without,
)


@dataclass(frozen=True, eq=False)
class Rewordings:
    """Signed values of P contrasts and G groups, K classes, of templates that are reworded; 0 is no difference.

    Attributes:
        sides: (left, right) of the P contrasts and, of pairs, of each group over its pairs (right: "others").
        originals, rewordings: (P, K) of all originals that have a rewording together, and of all rewordings.
        why: why there is nothing, or "".
    """

    sides: Sides
    originals: FloatArray
    rewordings: FloatArray
    why: str = ""

    def reversed_sign(self, sides: Sides, least: float) -> BoolArray:
        """(R, K) whether all originals and all rewordings have opposite signs, one of them at least so far from 0.

        Shapes: sides (left, right).
        """
        far = np.fmax(np.abs(self.originals), np.abs(self.rewordings)) >= least
        opposite = far & _directed(self.originals) & _directed(self.rewordings)
        opposite &= ~_same_sign(self.originals, self.rewordings)
        position = {side: at for at, side in enumerate(self.sides)}
        nowhere = np.zeros((1, opposite.shape[1]), dtype=np.bool_)
        return np.concatenate([opposite, nowhere])[[position.get(side, -1) for side in sides]]


def _directed(values: FloatArray) -> BoolArray:
    return np.asarray(np.abs(values) > 1e-12)


def _same_sign(value: FloatArray, other: FloatArray) -> BoolArray:
    return np.asarray(np.sign(value) == np.sign(other))


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
    return np.asarray(values @ x - values @ y)


def mean_shift_to_background(values: FloatArray, x: FloatArray, y: FloatArray) -> FloatArray:
    """E[Y] - E[X]: the group minus its background (which is the first argument)."""
    return mean_shift(values, y, x)


def directed(metric: Metric) -> Metric | str:
    """The metric with a comparison that has the direction; where there is none, the reason."""
    about = comparisons.about(metric.compare)
    if metric.family == "multigroup":
        return "it compares all groups at once and has no direction"
    if about.signed:
        return metric if about.kind != "ranking" else "an area under a ROC curve has no direction"
    if scores.about(metric.score).kind == "ranking":
        return "areas under ROC curves that are compared without a sign have no direction"
    if scores.about(metric.score).kind == "set":
        differences = mean_shift, mean_shift_to_background
    else:
        differences = comparisons.difference, comparisons.excess_over_background
    return replace(metric, compare=differences[metric.family != "pairwise"], normalise=None)


def rewordings(computed: Computed) -> Rewordings:
    """The signed values of a metric in originals and in their rewordings.

    Of a distance the difference behind it is taken: of a distance of distributions that of their means.
    """
    outcomes = computed.outcomes
    heads, member = families(outcomes)
    metric = directed(computed.metric)
    if isinstance(metric, str) or not heads:
        why = metric if isinstance(metric, str) else "no template is reworded"
        nothing = np.empty((0, computed.result.value.shape[1]))
        return Rewordings((), nothing, nothing, why)
    signed = computed
    if metric is not computed.metric:
        signed = replace(computed, metric=metric, result=compute(metric, outcomes, computed.options))
    kind = {name: 1 if name in heads else 2 for name in member}  # 0: of no family
    block = np.array([*(kind.get(source.template, 0) for source in outcomes.sources), 0], dtype=np.int64)
    kept = np.array([[False, True, False], [False, False, True]])
    sides, values = _sides(signed, values_of_subsets(signed, block[outcomes.source], kept) - signed.no_bias)
    return Rewordings(sides, values[0], values[1])


def _sides(signed: Computed, values: FloatArray) -> tuple[Sides, FloatArray]:
    """The contrasts and, of pairs of more than two groups, each group over its pairs, from the group's side."""
    result = signed.result
    sides = tuple(zip(result.left, result.right, strict=True))
    if signed.metric.family != "pairwise" or len(result.groups) < 3:
        return sides, values
    over = group_values(signed, values + signed.no_bias) - signed.no_bias
    return (*sides, *((group, "others") for group in result.groups)), np.concatenate([values, over], axis=1)


Name = TypeVar("Name")
_MOST = 20_000_000  # rows times subsets of a metric that has to be computed again for each
LEAST = 0.01
"""The minimum distance of a finding from equal treatment."""


@dataclass(frozen=True, eq=False)
class LeftOut:
    """A metric without each of B templates, or without each of B terms.

    Attributes:
        kind: what is left out.
        names: (B,) the templates' ids or the terms.
        groups: (B,) the term's group; "" for templates.
        value: (B, R, K) each row's value without it, NaN where there is none.
        why: why nothing was left out, or "".
    """

    kind: Literal["template", "term"]
    names: tuple[str, ...]
    groups: tuple[str, ...]
    value: FloatArray
    why: str = ""


@dataclass(frozen=True, eq=False)
class Influence:
    """The changes of a metric's R rows and K classes when a template or a term is left out.

    Attributes:
        computed: the metric and its rows.
        sides: (left, right) of each row, as in `MetricResult.rows`.
        classes: K names.
        value: (R, K) with everything.
        templates, terms: without each of them.
    """

    computed: Computed
    sides: Sides
    classes: tuple[str, ...]
    value: FloatArray
    templates: LeftOut
    terms: LeftOut

    @property
    def left_out(self) -> tuple[LeftOut, LeftOut]:
        return self.templates, self.terms


def template_blocks(outcomes: Outcomes) -> tuple[tuple[str, ...], IntArray]:
    """The names of the templates that have rows, and the one of each row (n,), -1 for none.

    A source that names no template is one by itself.
    """
    of_source = [source.template or source.id for source in outcomes.sources]
    position = {name: at for at, name in enumerate(dict.fromkeys(of_source))}
    number = np.array([*(position[name] for name in of_source), -1], dtype=np.int64)
    return _used(tuple(position), number[outcomes.source])


def term_blocks(outcomes: Outcomes) -> tuple[tuple[int, ...], IntArray]:
    """The positions of the terms that have rows in a group, and the one of each row (n,), -1 for none."""
    marked = outcomes.group < len(outcomes.groups)
    return _used(range(len(outcomes.terms)), np.where(marked, outcomes.term, -1))


def _used(names: Sequence[Name], block: IntArray) -> tuple[tuple[Name, ...], IntArray]:
    """The names of the blocks that have rows, and the position in them of each row's (n,), -1 for none."""
    used, position = np.unique(block, return_inverse=True)
    without = int((used < 0).sum())
    return tuple(names[at] for at in used[without:]), position - without


def influence(result: MetricResult, outcomes: Outcomes, *, most: float = np.inf) -> Influence:
    """Leave each template out, and each term, and see where a metric's values go.

    All sources of a template go together; a rewording is a template of its own. The influence of Cook (1977) by
    deletion, without an approximation.
    """
    computed = as_computed(result, outcomes)
    seen = computed.outcomes
    sides, value = contrast_rows(computed, result.value[None])
    names, block = template_blocks(seen)
    templates = _left_out(computed, "template", names, ("",) * len(names), block, most)
    if result.options.by == "term":
        terms = _nothing(computed, "term", "each term is a group of its own")
    elif result.options.groupings is not None:
        terms = _nothing(computed, "term", "the groupings are given")
    else:
        positions, block = term_blocks(seen)
        whose = tuple(seen.groups[seen.term_group[t]] if seen.term_group[t] >= 0 else "" for t in positions)
        terms = _left_out(computed, "term", tuple(seen.terms[t] for t in positions), whose, block, most)
    return Influence(computed, sides, result.classes, value[0], templates, terms)


def _nothing(computed: Computed, kind: Literal["template", "term"], why: str) -> LeftOut:
    rows = contrast_rows(computed, computed.result.value[None])[1].shape[1:]
    return LeftOut(kind, (), (), np.empty((0, *rows)), why)


def _left_out(
    computed: Computed,
    kind: Literal["template", "term"],
    names: tuple[str, ...],
    groups: tuple[str, ...],
    block: IntArray,
    most: float,
) -> LeftOut:
    if not names:
        return _nothing(computed, kind, f"no row names a {kind}")
    of_row = 1000 if computed.metric.compare is comparisons.score_deviation else 1  # it enumerates rows of the product
    if not has_quick_subsets(computed, block) and len(names) * len(computed.outcomes) * of_row > most:
        return _nothing(computed, kind, "it would take minutes")
    without = values_without(computed, block, np.arange(len(names)))
    return LeftOut(kind, names, groups, contrast_rows(computed, without)[1])


def unstable(
    result: MetricResult, outcomes: Outcomes, *, least: float = LEAST, found: Influence | None = None
) -> Mapping[tuple[str, str, str], str]:
    """The findings of a metric that rest on one sentence or one term, or turn round when the sentences are reworded.

    Returns {(class, left, right): "unstable: ..."}, with the sides of `MetricResult.rows`. A finding is unstable when
    without one template, or without one term, its sign changes, more than half of its distance from equal treatment
    goes, or no value is left; or when the originals and their rewordings, each pooled, have opposite signs. Metrics
    that would take minutes are left out.
    """
    moved = influence(result, outcomes, most=_MOST) if found is None else found
    computed = moved.computed
    matters = np.abs(moved.value - computed.no_bias) >= least - 1e-12
    if not matters.any():
        return {}
    turned = rewordings(computed).reversed_sign(moved.sides, least)
    reasons = {}
    for r, k in np.argwhere(matters).tolist():
        causes = [
            _depends_on(computed, moved.value[r, k], left_out, left_out.value[:, r, k]) for left_out in moved.left_out
        ]
        causes.append("the rewordings say the opposite" if turned[r, k] else "")
        if any(causes):
            reasons[(moved.classes[k], *moved.sides[r])] = f"unstable: {', '.join(filter(None, causes))}"
    return reasons


def _depends_on(computed: Computed, value: float, left_out: LeftOut, without: FloatArray) -> str:
    """The template or term that a finding depends on, from the values (B,) without each; "" without one."""
    if not len(without):
        return ""
    away, still = value - computed.no_bias, without - computed.no_bias
    left = np.where(np.isnan(still), 0.0, still * np.sign(away))
    at = int(np.argmin(left))
    name = f"the term '{left_out.names[at]}'" if left_out.kind == "term" else f"template {left_out.names[at]}"
    if computed.signed and left[at] < -1e-12:
        return f"without {name} the sign changes"
    return f"rests on {name}" if left[at] < abs(away) / 2 - 1e-12 else ""
