"""Every base score by group, by term and overall: what stands behind each gap and ratio."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from fairness_checklist import scores as phi
from fairness_checklist.arrays import FloatArray, IntArray, divide
from fairness_checklist.metrics.contrasts import class_names, entered_rows, missing, observations
from fairness_checklist.outcomes import Outcomes
from fairness_checklist.results import SCORES_COLUMNS
from fairness_checklist.run.intervals import resampled
from fairness_checklist.statistics.base_intervals import COLUMNS, score_intervals

__all__ = ["base_scores"]

BASE_SCORES: tuple[phi.Score, ...] = (
    phi.true_positive_rate,
    phi.false_negative_rate,
    phi.false_positive_rate,
    phi.true_negative_rate,
    phi.f1,
    phi.prediction_rate,
    phi.accuracy,
    phi.mean_probability,
    phi.mean_target_probability,
    phi.labelled_attachment_score,
    phi.repaired_entities,
)


def base_scores(task: str, outcomes: Outcomes, *, seed: int = 0) -> pd.DataFrame:
    """Every base score overall ("*"), by group, of the unmarked control and by term, with its n and intervals.

    The column ``where`` is "" for whole texts; of a tagger "slot" and "context" stand below.
    """
    views = {"": outcomes, **outcomes.views}
    return pd.concat([_of_view(task, name, one, seed) for name, one in views.items()], ignore_index=True)


def _of_view(task: str, where: str, outcomes: Outcomes, seed: int) -> pd.DataFrame:
    arms = len(outcomes.groups) + 1
    names = [*outcomes.groups, "unmarked"]
    marked = outcomes.group < arms - 1
    codings: list[tuple[IntArray, list[tuple[str, str]]]] = [
        (np.where(marked, 0, -1), [("*", "")]),
        (outcomes.group, [(name, "") for name in names]),
        (outcomes.term, [(names[g], t) for t, g in zip(outcomes.terms, outcomes.term_group, strict=True)]),
    ]
    resamples = resampled(outcomes, seed)
    wanted = ("score", "class", "group", "term", "value", "n", *COLUMNS)
    columns: dict[str, list[Any]] = {name: [] for name in wanted}
    for score in BASE_SCORES:
        if missing(score, outcomes) or (where and score is phi.repaired_entities):
            continue
        classes = class_names(score, outcomes)
        of_groups, of_terms = score_intervals(score, outcomes, resamples)
        for (codes, labels), ends in zip(codings, (of_groups[:1], of_groups[1:], of_terms), strict=True):
            value, n = _scored(score, outcomes, codes, len(labels))
            for k, row in zip(*(side.tolist() for side in np.nonzero(n.T)), strict=True):
                cells = (score.__name__, classes[k], *labels[row], value[row, k], n[row, k], *ends[row, k])
                for column, cell in zip(columns.values(), cells, strict=True):
                    column.append(cell)
    frame = pd.DataFrame(columns).astype({"n": "int64", **dict.fromkeys(("value", *COLUMNS), "float64")})
    frame = frame.assign(task=task, attribute=outcomes.attribute, where=where)
    return frame[list(SCORES_COLUMNS)]


def _scored(score: phi.Score, outcomes: Outcomes, codes: IntArray, size: int) -> tuple[FloatArray, IntArray]:
    """A rate or mean score by a code a row, and how many rows entered it: (size, K) each."""
    info = phi.about(score)
    if info.kind == "rate":
        value = score(outcomes.counts(codes, size))
        entered = entered_rows(score, outcomes, value.shape[1])
        n = np.stack([np.bincount(codes[(codes >= 0) & column], minlength=size) for column in entered.T], axis=1)
        return value, n
    values, row, _ = observations(score, outcomes)
    value, n = np.full((size, values.shape[1]), np.nan), np.zeros((size, values.shape[1]), dtype=np.int64)
    for k in range(values.shape[1]):
        fine = ~np.isnan(values[:, k]) & (codes[row] >= 0)
        code, weight = codes[row[fine]], outcomes.weight[row[fine]]
        mass = np.bincount(code, weights=weight, minlength=size)
        part = np.bincount(code, weights=weight * values[fine, k], minlength=size)
        value[:, k] = divide(part, mass)
        n[:, k] = np.bincount(code, minlength=size)
    return value, n
