"""Metrics: the engine, the catalogue, and the three constructors for one's own.

The module itself is a read-only mapping from ids to metrics, those of your own included.

>>> import fairness_checklist as fc
>>> fc.metrics["fped"]
<Metric fped: group background, false_positive_rate, abs_diff>
>>> "fped" in fc.metrics, fc.metrics.get("my_gap")
(True, None)

>>> fc.metrics["fped"].definition
'sum over groups g of |FPR(everyone) - FPR(g)|'
"""

import sys
from types import ModuleType
from typing import TYPE_CHECKING

from fairness_checklist.metrics.catalogue import compute, describe
from fairness_checklist.metrics.metric_forms import (
    METRICS,
    Catalogue,
    Metric,
    Options,
    background_metric,
    multigroup_metric,
    no_normaliser,
    number_of_contrasts,
    number_of_groups,
    pairwise_metric,
)
from fairness_checklist.metrics.metric_result import MetricResult

__all__ = [
    "METRICS",
    "Metric",
    "MetricResult",
    "Options",
    "background_metric",
    "compute",
    "describe",
    "multigroup_metric",
    "no_normaliser",
    "number_of_contrasts",
    "number_of_groups",
    "pairwise_metric",
]


class MetricsModule(ModuleType, Catalogue):
    """This module as a read-only mapping from ids to metrics; an unknown id is an `OptionError`.

    ``register`` and ``remove`` change what it holds.
    """

    if TYPE_CHECKING:  # what the module holds, for a checker
        METRICS = METRICS
        Options = Options
        background_metric = staticmethod(background_metric)
        compute = staticmethod(compute)
        describe = staticmethod(describe)
        multigroup_metric = staticmethod(multigroup_metric)
        no_normaliser = staticmethod(no_normaliser)
        number_of_contrasts = staticmethod(number_of_contrasts)
        number_of_groups = staticmethod(number_of_groups)
        pairwise_metric = staticmethod(pairwise_metric)

    __eq__, __hash__ = ModuleType.__eq__, ModuleType.__hash__  # a module is itself, not what it maps


_metrics = METRICS._metrics
sys.modules[__name__].__class__ = MetricsModule
