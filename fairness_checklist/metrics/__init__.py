"""Metrics: the engine, the catalogue, and the three constructors for one's own.

>>> from fairness_checklist import metrics
>>> metrics.METRICS["fped"]
<Metric fped: group background, false_positive_rate, abs_diff>
"""

from __future__ import annotations

from fairness_checklist.metrics import answers as answers
from fairness_checklist.metrics import auc as auc
from fairness_checklist.metrics import parity as parity
from fairness_checklist.metrics.catalogue import METRICS, compute
from fairness_checklist.metrics.metric import (
    Metric,
    Options,
    background_metric,
    multigroup_metric,
    no_normaliser,
    number_of_contrasts,
    number_of_groups,
    pairwise_metric,
)
from fairness_checklist.metrics.result import MetricResult

__all__ = [
    "METRICS",
    "Metric",
    "MetricResult",
    "Options",
    "background_metric",
    "compute",
    "multigroup_metric",
    "no_normaliser",
    "number_of_contrasts",
    "number_of_groups",
    "pairwise_metric",
]
