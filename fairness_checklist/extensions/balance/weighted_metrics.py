"""Metrics with the weights of `balance`: their values with and without weights, and intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
import pandas as pd

from fairness_checklist.core.arrays import FloatArray
from fairness_checklist.core.errors import OptionError, first_ten
from fairness_checklist.core.option_defaults import SEED, choice, whole_number
from fairness_checklist.core.outcomes import Outcomes
from fairness_checklist.core.predictions_to_outcomes import reduce_to_outcomes
from fairness_checklist.core.progress import followed
from fairness_checklist.extensions.balance.weighted_accuracy import DRAWS, WEIGHTS, drawn_counts, drawn_weights
from fairness_checklist.extensions.balance.weighting import Balance
from fairness_checklist.metrics import scores
from fairness_checklist.metrics.catalogue import compute
from fairness_checklist.metrics.contrasts import missing
from fairness_checklist.metrics.metric_forms import METRICS, Metric
from fairness_checklist.metrics.metric_result import MetricResult
from fairness_checklist.tables.tokens import split_any

DEFAULT_METRICS = ("accuracy_difference", "fnr_gap", "fpr_gap", "tpr_difference", "f1_difference", "avg_eg")
GUARANTEE = ("bound", "heuristic")
"""Theorem 2.1 bounds what weights can change of an accuracy; of other metrics the weights are heuristic."""
COLUMNS = (
    "metric", "class", "left", "right", "plain_value", "value", "ci_low", "ci_high", "no_bias", "n", "intervals",
    "weights", "note",
)  # fmt: skip


def weighted_metrics(
    frame: pd.DataFrame,
    weights: Balance,
    *,
    metrics: Sequence[str] | None = None,
    task: str = "sentiment",
    classes: Sequence[str] = (),
    labels: Mapping[str, str] | None = None,
    intervals: Literal["again", "given"] = "again",
    draws: int = DRAWS,
    seed: int = SEED,
) -> pd.DataFrame:
    """Group metrics of a prediction table of n rows, without weights and with those of `balance` for the same rows.

    A row for each contrast and total: ``plain_value`` without weights, ``value`` with them, ``ci_low`` and ``ci_high``,
    ``no_bias`` (the value of groups that are treated alike; NaN where the metric has no direction and is above 0 by
    chance), ``n`` (rows that entered), and in ``weights`` "bound" where Theorem 2.1 holds (accuracy over all rows),
    else "heuristic". Metrics are ids or "all", by default those of `DEFAULT_METRICS` that the table allows.
    """
    choice("intervals", intervals, WEIGHTS)
    whole_number("draws", draws, least=0)
    inside = np.flatnonzero(weights.cell >= 0)
    names = np.array(weights.groups, dtype=object)[weights.group[inside]]
    own = frame.iloc[inside].drop(columns=[c for c in ("attribute", "weight", "intersection") if c in frame.columns])
    sets = list(split_any(own.assign(group=names).reset_index(drop=True), task=task, classes=classes, labels=labels))
    outcomes = reduce_to_outcomes(*sets[0])
    chosen = _chosen(metrics, outcomes)
    plain = [compute(metric, outcomes) for metric in chosen]
    balanced = [compute(metric, replace(outcomes, weight=weights.weight[inside])) for metric in chosen]
    drawn: list[list[FloatArray]] = [[] for _ in chosen]
    random = np.random.default_rng(seed)
    for _ in followed(range(draws), "draws of rows", "draws"):
        times = drawn_counts(weights, random)
        row = drawn_weights(weights, times) if intervals == "again" else weights.weight * times
        if row is None:
            continue
        again = replace(outcomes, weight=row[inside])
        for at, metric in enumerate(chosen):
            drawn[at].append(np.array([line["value"] for line in compute(metric, again).rows()]))
    said = {"again": f"weights solved again in each of {draws} draws", "given": "given weights"}[intervals]
    rows: list[dict[str, Any]] = []
    for metric, first, second, values in zip(chosen, plain, balanced, drawn, strict=True):
        rows += _rows(metric, first, second, values, draws, said if draws else "", outcomes)
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _rows(
    metric: Metric,
    plain: MetricResult,
    balanced: MetricResult,
    values: Sequence[FloatArray],
    draws: int,
    said: str,
    outcomes: Outcomes,
) -> list[dict[str, Any]]:
    known = metric.card()
    alike = float(known.no_bias) if known.signed and known.no_bias is not None else np.nan
    sure = metric.score is scores.accuracy and bool(outcomes.labelled.all())
    low = high = np.full(len(balanced.rows()), np.nan)
    if len(values) >= 0.95 * draws and len(values):
        table = np.array(values)
        defined = np.isfinite(table).mean(axis=0) >= 0.95
        low, high = low.copy(), high.copy()
        for at in np.flatnonzero(defined):
            column = table[np.isfinite(table[:, at]), at]
            low[at], high[at] = np.quantile(column, [0.025, 0.975], method="inverted_cdf")
    return [
        {
            "metric": metric.name,
            **{name: row[name] for name in ("class", "left", "right", "value", "n", "note")},
            "plain_value": before["value"],
            "ci_low": low[at],
            "ci_high": high[at],
            "no_bias": alike,
            "intervals": said if np.isfinite(low[at]) else "",
            "weights": GUARANTEE[not sure],
        }
        for at, (before, row) in enumerate(zip(plain.rows(), balanced.rows(), strict=True))
    ]


def _chosen(metrics: Sequence[str] | None, outcomes: Outcomes) -> list[Metric]:
    """The metrics that take weights of rows."""
    if metrics is None or list(metrics) == ["all"]:
        names = DEFAULT_METRICS if metrics is None else [m.name for m in METRICS.values() if _takes_weights(m)]
        return [METRICS[name] for name in names if not missing(METRICS[name].score, outcomes)]
    chosen = [METRICS[name] for name in metrics]
    wrong = [metric.name for metric in chosen if not _takes_weights(metric)]
    if wrong:
        raise OptionError(
            f"{first_ten(wrong)} compares variations of the same source, which differ in nothing but the group.",
            remedy="Weights of rows belong to group metrics.",
        )
    return chosen


def _takes_weights(metric: Metric) -> bool:
    return metric.level == "group" and scores.about(metric.score).kind != "items"
