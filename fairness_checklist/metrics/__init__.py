"""Metrics: the engine, the catalogue, and the three constructors for one's own.

The module itself is a read-only mapping from ids to metrics, those of your own included.

>>> import fairness_checklist as fc
>>> fc.metrics["fped"]
<Metric fped: group background, false_positive_rate, abs_diff>
>>> "fped" in fc.metrics, fc.metrics.get("my_gap")
(True, None)

A metric's card describes it in words; see `cards`.

>>> fc.metrics["fped"].card().definition
'sum over groups g of |FPR(everyone) - FPR(g)|'
"""

from __future__ import annotations

import sys
from collections.abc import ItemsView, Iterator, KeysView, Mapping, ValuesView
from types import ModuleType
from typing import TYPE_CHECKING

from fairness_checklist.metrics.aucs import pinned_auc_sampled
from fairness_checklist.metrics.cards import MetricCard, card
from fairness_checklist.metrics.catalogue import compute
from fairness_checklist.metrics.curves import GapCurve, gap_curve
from fairness_checklist.metrics.metric_forms import (
    METRICS,
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
    "GapCurve",
    "Metric",
    "MetricCard",
    "MetricResult",
    "Options",
    "background_metric",
    "card",
    "compute",
    "gap_curve",
    "multigroup_metric",
    "no_normaliser",
    "number_of_contrasts",
    "number_of_groups",
    "pairwise_metric",
    "pinned_auc_sampled",
]


class MetricsModule(ModuleType):
    """This module as a read-only mapping from ids to metrics; an unknown id is an `OptionError`.

    ``register`` and ``remove`` change what it holds.
    """

    if TYPE_CHECKING:  # what the module holds, for a checker that would else know nothing of ``fc.metrics.card``
        METRICS = METRICS
        Options = Options
        background_metric = staticmethod(background_metric)
        card = staticmethod(card)
        compute = staticmethod(compute)
        gap_curve = staticmethod(gap_curve)
        multigroup_metric = staticmethod(multigroup_metric)
        no_normaliser = staticmethod(no_normaliser)
        number_of_contrasts = staticmethod(number_of_contrasts)
        number_of_groups = staticmethod(number_of_groups)
        pairwise_metric = staticmethod(pairwise_metric)
        pinned_auc_sampled = staticmethod(pinned_auc_sampled)

    def __getitem__(self, name: str) -> Metric:
        return METRICS[name]

    def __contains__(self, name: object) -> bool:
        return name in METRICS

    def __iter__(self) -> Iterator[str]:
        return iter(METRICS)

    def __len__(self) -> int:
        return len(METRICS)

    def get(self, name: str, default: Metric | None = None) -> Metric | None:
        """The metric of that id, else the default."""
        return METRICS[name] if name in METRICS else default  # noqa: SIM401  # METRICS raises no KeyError

    def keys(self) -> KeysView[str]:
        """The ids."""
        return METRICS.keys()

    def values(self) -> ValuesView[Metric]:
        """The metrics."""
        return METRICS.values()

    def items(self) -> ItemsView[str, Metric]:
        """Pairs of id and metric."""
        return METRICS.items()

    def register(self, metric: Metric) -> Metric:
        """Add a metric of your own; `pairwise_metric`, `background_metric` and `multigroup_metric` do."""
        return METRICS.register(metric)

    def remove(self, name: str) -> None:
        """Remove a metric of your own."""
        METRICS.remove(name)

    def _ipython_key_completions_(self) -> list[str]:
        return list(METRICS)


Mapping.register(MetricsModule)
sys.modules[__name__].__class__ = MetricsModule
