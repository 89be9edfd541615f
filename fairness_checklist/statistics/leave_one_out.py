"""Whether a value rests on one template or one term: how far it moves when each is left out in turn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from fairness_checklist.core.arrays import FloatArray, IntArray
from fairness_checklist.core.outcomes import Outcomes
from fairness_checklist.metrics import comparisons
from fairness_checklist.metrics.metric_result import MetricResult
from fairness_checklist.statistics.reliability import Sides, contrast_rows, rewordings
from fairness_checklist.statistics.subsets import Computed, as_computed, has_quick_subsets, values_without

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
    names, block = _used(tuple(map(str, range(len(outcomes.terms)))), np.where(marked, outcomes.term, -1))
    return tuple(int(name) for name in names), block


def _used(names: tuple[str, ...], block: IntArray) -> tuple[tuple[str, ...], IntArray]:
    used = np.unique(block[block >= 0])
    number = np.full(len(names) + 1, -1, dtype=np.int64)
    number[used] = np.arange(len(used))
    return tuple(names[at] for at in used), number[block]


def influence(result: MetricResult, outcomes: Outcomes, *, most: float = np.inf) -> Influence:
    """Leave each template out, and each term, and see where a metric's values go.

    All sources of a template go together; a rewording is a template of its own. The influence of Cook (1977) by
    deletion, without an approximation.

    Args:
        result: of `compute`.
        outcomes: what it was computed from.
        most: rows times subsets that may be computed again, for metrics without sufficient sums.
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
    if not has_quick_subsets(computed, block) and len(names) * len(computed.outcomes) * _times(computed) > most:
        return _nothing(computed, kind, "it would take minutes")
    found = values_without(computed, block, np.arange(len(names)))
    return LeftOut(kind, names, groups, contrast_rows(computed, found)[1])


def _times(computed: Computed) -> int:
    """The relative cost of a metric: high, if it enumerates rows of the product."""
    return 1000 if computed.metric.compare is comparisons.score_deviation else 1


def unstable(
    result: MetricResult, outcomes: Outcomes, *, least: float = LEAST, found: Influence | None = None
) -> Mapping[tuple[str, str, str], str]:
    """The findings of a metric that rest on one sentence or one term, or turn round when the sentences are reworded.

    Args:
        result: of `compute`.
        outcomes: what it was computed from.
        least: values nearer than this to equal treatment are no findings and are left out.
        found: the result's `influence`, where it is known already.

    Returns:
        {(class, left, right): "unstable: ..."}, with the sides of `MetricResult.rows`. A finding is unstable when
        without one template, or without one term, its sign changes, more than half of its distance from equal treatment
        goes, or no value is left; or when the originals and their rewordings, each pooled, have opposite signs. Metrics
        that would take minutes are left out.
    """
    moved = influence(result, outcomes, most=_MOST) if found is None else found
    computed = moved.computed
    with np.errstate(invalid="ignore"):
        matters = np.abs(moved.value - computed.no_bias) >= least - 1e-12
    if not matters.any():
        return {}
    turned = rewordings(computed, each=False).reversed_sign(moved.sides, least)
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
