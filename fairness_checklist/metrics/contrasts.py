"""What a metric looks at: its contrasts, its classes, the rows that enter, and the values of its score."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fairness_checklist import scores
from fairness_checklist.arrays import BoolArray, FloatArray, IntArray
from fairness_checklist.errors import OptionError
from fairness_checklist.metrics.metric import Metric
from fairness_checklist.outcomes import Outcomes
from fairness_checklist.outcomes.answers import answers

__all__ = [
    "NO_VALUE",
    "Contrasts",
    "Reasons",
    "arm_weights",
    "check_groups",
    "class_names",
    "contrasts_of",
    "entered_rows",
    "missing",
    "observations",
]

NO_VALUE = "the comparison has no value"
Reasons = dict[tuple[int, int], str]


@dataclass(frozen=True, eq=False)
class Contrasts:
    """The P contrasts of a metric: codes (right: -1 for a background) and names of both sides."""

    left: IntArray
    right: IntArray
    left_names: tuple[str, ...]
    right_names: tuple[str, ...]


def check_groups(attribute: str, groups: Sequence[str]) -> None:
    """Raise `OptionError` where there are fewer than two groups to compare."""
    if len(groups) < 2:
        raise OptionError(
            f"metrics compare groups, and {attribute or 'the table'} has {', '.join(groups) or 'none'} only.",
            remedy="Take two groups at least.",
        )


def contrasts_of(metric: Metric, outcomes: Outcomes) -> Contrasts:
    """The contrasts of a metric on these groups; an `OptionError` where there are fewer than two groups."""
    check_groups(outcomes.attribute, outcomes.groups)
    groups, size = outcomes.groups, len(outcomes.groups)
    if metric.family != "pairwise":
        standing = np.flatnonzero(metric.membership(groups).any(axis=1)).astype(np.int64)
        alone = np.full(len(standing), -1, dtype=np.int64)
        names = tuple(groups[i] for i in standing)
        return Contrasts(standing, alone, names, (metric.background_name(),) * len(names))
    left, right = (side.astype(np.int64) for side in np.triu_indices(size, k=1))
    return Contrasts(left, right, tuple(groups[i] for i in left), tuple(groups[i] for i in right))


def arm_weights(outcomes: Outcomes) -> FloatArray:
    """(G + 1,) the weight of the rows of each group and of the control."""
    arms = len(outcomes.groups) + 1
    return np.bincount(outcomes.group, weights=outcomes.weight, minlength=arms).astype(np.float64)


def class_names(score: scores.Score, outcomes: Outcomes) -> tuple[str, ...]:
    """The K classes that a score is told for."""
    info = scores.about(score)
    if info.over_classes:
        return ("*",)
    if info.two_classes:
        return (outcomes.classes[outcomes.positive],)
    return outcomes.decided_classes if info.kind in ("rate", "items") else outcomes.classes


def entered_rows(score: scores.Score, outcomes: Outcomes, size: int) -> BoolArray:
    """(n, size) which rows the denominator of a score counts, for its first classes."""
    info = scores.about(score)
    rows = np.ones((len(outcomes), 1), dtype=np.bool_) if info.enters is None else info.enters(outcomes)
    if info.needs_score:
        rows = rows & ~np.isnan(outcomes.scores[info.needs_score])[:, None]
    return np.broadcast_to(rows[:, :size], (len(outcomes), size))


def missing(score: scores.Score, outcomes: Outcomes) -> str:
    """Why a score cannot be had from these outcomes at all, or ""."""
    info = scores.about(score)
    if info.two_classes and len(outcomes.classes) != 2:
        return f"defined for two classes, and the model has {len(outcomes.classes)}"
    if info.needs_score and info.needs_score not in outcomes.scores:
        return f"the predictions have no column score:{info.needs_score}"
    if info.needs_decisions and not outcomes.classes:
        return "the predictions hold no decisions"
    if info.needs_probabilities and outcomes.units is None:
        return "the predictions hold no probabilities"
    if info.needs_labels and not outcomes.labelled.any():
        return "no example has a label"
    if info.needs_true_negatives and outcomes.true_negative is None:
        return "spans have no true negatives"
    return ""


def observations(score: scores.Score, outcomes: Outcomes) -> tuple[FloatArray, IntArray, IntArray]:
    """A set, single or mean score as values (m, K), with the row and the position of each."""
    info = scores.about(score)
    if info.needs_score:
        column = outcomes.scores[info.needs_score][:, None]
        return score(column), np.arange(len(outcomes)), np.zeros(len(outcomes), dtype=np.int64)
    if info.of_decisions:
        predicted = answers(outcomes)
        return score(predicted), predicted.row, predicted.position
    if outcomes.units is None:
        raise OptionError(f"{info.name} needs probabilities, and the predictions hold none.")
    return score(outcomes.units), outcomes.units.row, outcomes.units.position
