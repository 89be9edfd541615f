"""Levels of chance and p-values beside the values of a run."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fairness_checklist import comparisons, scores
from fairness_checklist.metrics.result import MetricResult
from fairness_checklist.outcomes import Outcomes
from fairness_checklist.run.options import RunOptions
from fairness_checklist.statistics.chance import Chance, assignment_test
from fairness_checklist.statistics.family import max_t

__all__ = ["Beside", "chances"]

_FEW = 199  # draws for exploratory metrics
_MOST = 1_000_000  # units times contrasts of an exploratory metric that is told beside its level of chance

Beside = dict[tuple[str, str, str], dict[str, float]]


def chances(
    results: Sequence[MetricResult], outcomes: Outcomes, choices: RunOptions, primary: Sequence[MetricResult]
) -> list[Beside]:
    """For each result what stands beside its rows: {(class, left, right): {chance, p_value, p_adjusted}}.

    Terms as groups of their own have no level of chance: there is nothing to assign. The p-values of the primary
    metrics are adjusted together, over metrics, groups and classes.
    """
    if not choices.draws:
        return [{} for _ in results]
    found = [
        None
        if result.options.by or (result not in primary and not _affordable(result, outcomes))
        else assignment_test(
            result.metric,
            outcomes,
            result.options,
            draws=choices.draws if result in primary else min(choices.draws, _FEW),
            seed=choices.options.seed,
            result=result,
        )
        for result in results
    ]
    beside = [{} if one is None else _of_rows(result, one) for result, one in zip(results, found, strict=True)]
    _adjust([(r, one, b) for r, one, b in zip(results, found, beside, strict=True) if r in primary and one is not None])
    return beside


def _affordable(result: MetricResult, outcomes: Outcomes) -> bool:
    """Whether the draws of an exploratory metric take no minutes: `pert_sd` and distributions over many words do."""
    if result.metric.compare is comparisons.score_deviation:
        return False
    if scores.about(result.metric.score).kind == "rate":
        return True
    units = outcomes.view(result.options.where).units
    return units is None or len(units.row) * len(result.left) <= _MOST


def _of_rows(result: MetricResult, chance: Chance) -> Beside:
    """Chance and p by row; a signed value has no level of chance, its mean over assignments is 0."""
    if chance.why:
        return {}
    unsigned = not comparisons.about(result.metric.compare).signed
    beside: Beside = {}

    def put(at: tuple[str, str, str], level: float, p: float) -> None:
        beside[at] = {"chance": level if unsigned else np.nan, "p_value": p}

    for k, label in enumerate(result.classes):
        if chance.total_p is not None and chance.total_chance is not None:
            put((label, "*", ""), float(chance.total_chance[k]), float(chance.total_p[k]))
        if result.metric.family == "multigroup":
            continue
        for p, (left, right) in enumerate(zip(result.left, result.right, strict=True)):
            put((label, left, right), float(chance.chance[p, k]), float(chance.p_value[p, k]))
    if result.metric.family == "pairwise" and result.total is not None and len(result.groups) > 2:
        for group in result.groups:
            level, p_value = chance.of_others(result, group)
            for k, label in enumerate(result.classes):
                put((label, group, "others"), float(level[k]), float(p_value[k]))
    return beside


def _adjust(family: Sequence[tuple[MetricResult, Chance, Beside]]) -> None:
    """Put the adjusted p of each contrast of the primary metrics beside it."""
    family = [one for one in family if not one[1].why]
    if not family:
        return
    zero = [comparisons.about(result.metric.compare).no_bias for result, _chance, _beside in family]
    fewest = min(len(chance.assignments) for _result, chance, _beside in family)
    family = [one for one in family if len(one[1].assignments) == fewest]
    adjusted = max_t(
        [np.abs(result.value - at) for (result, _c, _b), at in zip(family, zero, strict=False)],
        [np.abs(chance.drawn - at) for (_r, chance, _b), at in zip(family, zero, strict=False)],
        family[0][1].assignments,
    )
    for (result, _chance, beside), p in zip(family, adjusted, strict=True):
        for k, label in enumerate(result.classes):
            for row, (left, right) in enumerate(zip(result.left, result.right, strict=True)):
                if (label, left, right) in beside:
                    beside[label, left, right]["p_adjusted"] = float(p[row, k])
