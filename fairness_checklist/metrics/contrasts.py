"""The inputs of a metric: its contrasts, classes, rows, and the values of its score."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from fairness_checklist.core.arrays import BoolArray, FloatArray, IntArray
from fairness_checklist.core.errors import OptionError
from fairness_checklist.core.outcomes import Outcomes, decision_units
from fairness_checklist.metrics import scores
from fairness_checklist.metrics.metric_forms import Metric

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


def class_names(score: scores.Score, outcomes: Outcomes) -> tuple[str, ...]:
    """The K classes for which a score is reported."""
    info = scores.about(score)
    if info.over_classes:
        return ("*",)
    if info.two_classes:
        return (outcomes.classes[outcomes.positive],)
    return outcomes.decided_classes if info.kind == "rate" else outcomes.classes


def entered_rows(score: scores.Score, outcomes: Outcomes, size: int) -> BoolArray:
    """(n, size) which rows the denominator of a score counts, for its first classes."""
    info = scores.about(score)
    rows = np.ones((len(outcomes), 1), dtype=np.bool_) if info.enters is None else info.enters(outcomes)
    if info.needs_score:
        rows = rows & ~np.isnan(outcomes.scores[info.needs_score])[:, None]
    return np.broadcast_to(rows[:, :size], (len(outcomes), size))


def missing(score: scores.Score, outcomes: Outcomes) -> str:
    """The reason why a score cannot be computed from these outcomes, or ""."""
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
    if info.needs_true_negatives and outcomes.kinds.true_negative is None:
        return "spans have no true negatives"
    return ""


def observations(score: scores.Score, outcomes: Outcomes) -> tuple[FloatArray, IntArray, IntArray]:
    """A set, single or mean score as values (m, K), with the row and the position of each."""
    info = scores.about(score)
    if info.needs_score:
        column = outcomes.scores[info.needs_score][:, None]
        return score(column), np.arange(len(outcomes)), np.zeros(len(outcomes), dtype=np.int64)
    if info.of_decisions:
        predicted = decision_units(outcomes)
        return score(predicted), predicted.row, predicted.position
    assert outcomes.units is not None  # else the score is missing
    return score(outcomes.units), outcomes.units.row, outcomes.units.position


def sums_by_code(values: FloatArray, code: IntArray, weight: FloatArray, size: int) -> tuple[FloatArray, FloatArray]:
    """The weighted sums of values (m, K) by code (m,), and the weights of those that are not NaN: (size, K) each.

    Values with the code -1 are left out.
    """
    part, mass = np.zeros((2, size, values.shape[1]))
    for k, column in enumerate(values.T):
        fine = ~np.isnan(column) & (code >= 0)
        part[:, k] = np.bincount(code[fine], weights=(weight * column)[fine], minlength=size)
        mass[:, k] = np.bincount(code[fine], weights=weight[fine], minlength=size)
    return part, mass


_T = TypeVar("_T")
_PLACE = "_remembered"


def cached(record: object, key: Hashable, make: Callable[[], _T]) -> _T:
    """The result of ``make``, computed once for this record (outcomes, parts); records made of it have their own."""
    results: dict[Hashable, _T] = record.__dict__.setdefault(_PLACE, {})
    if key not in results:
        results[key] = make()
    return results[key]


def _counted(score: scores.Score, outcomes: Outcomes, size: int) -> IntArray:
    """(S, G + 1, K) rows that the score counts in each source and group; without sources all rows in one."""
    info = scores.about(score)
    n_columns, sources = len(outcomes.groups) + 1, max(1, len(outcomes.sources))

    def count() -> IntArray:
        columns = 1 if info.enters is None else size
        rows = entered_rows(score, outcomes, columns)
        code = np.maximum(outcomes.source, 0) * n_columns + outcomes.group if len(outcomes.sources) else outcomes.group
        known = outcomes.source >= 0 if len(outcomes.sources) else np.ones(len(code), dtype=np.bool_)
        each = [np.bincount(code[column & known], minlength=sources * n_columns) for column in rows.T]
        return np.stack(each, axis=1).reshape(sources, n_columns, columns)

    counted = cached(outcomes, ("entered", info.enters, info.needs_score, size), count)
    return np.broadcast_to(counted, (sources, n_columns, size))


def sources_entered(score: scores.Score, outcomes: Outcomes, size: int) -> BoolArray:
    """(S, G + 1, K) whether a symmetric source has a row of the group that the score counts."""
    return np.asarray((_counted(score, outcomes, size) > 0) & outcomes.symmetric[:, None, None], dtype=np.bool_)


def entered_contrasts(
    score: scores.Score, outcomes: Outcomes, left: BoolArray, right: BoolArray, size: int
) -> tuple[IntArray, IntArray]:
    """The number of sources (or rows, without sources) of each contrast (P, K), and of any contrast (K,).

    Shapes: left, right (P, G + 1).
    """
    counted, inside = _counted(score, outcomes, size), left | right
    if not len(outcomes.sources):
        return inside.astype(np.int64) @ counted[0], counted[0, :-1].sum(axis=0)

    def sources() -> tuple[IntArray, IntArray]:
        by_class = np.moveaxis(counted > 0, 2, 0)
        wide = inside.T.astype(np.float32)
        n = np.stack([(plane.astype(np.float32) @ wide > 0).sum(axis=0) for plane in by_class], axis=1)
        return n, by_class[:, :, :-1].any(axis=2).sum(axis=1)

    info = scores.about(score)
    return cached(outcomes, ("entered contrasts", info.enters, info.needs_score, size, inside.tobytes()), sources)
