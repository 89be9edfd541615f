"""Influence by leaving out, for metrics of one's own: each template, and each term, is left out in turn."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from fairness_checklist.core.arrays import FloatArray, IntArray
from fairness_checklist.core.outcomes import Outcomes
from fairness_checklist.metrics.metric import Metric, Options
from fairness_checklist.metrics.result import MetricResult
from fairness_checklist.statistics.clusters import Clusters
from fairness_checklist.statistics.influence.part import Part
from fairness_checklist.statistics.resample import Computed, values_without


_BLOCKS = 12  # of templates within a gold class, or of terms of a group, that are left out together


def left_out_parts(
    metric: Metric,
    outcomes: Outcomes,
    options: Options,
    result: MetricResult,
    clusters: Clusters,
    template: FloatArray | None = None,
) -> Iterator[Part]:
    """The jackknife's influence, of some templates or terms together where there are many.

    Args:
        template: (J, P, K) where it is known already.
    """
    options = replace(options, where="", by="", background="", undefined="report", groupings=None)
    of_row = clusters.template[clusters.cell]
    if template is None:
        template = _jackknife(metric, outcomes, options, result, of_row, clusters.stratum)
    term = _jackknife(metric, outcomes, options, result, clusters.term[clusters.cell], clusters.term_group)
    none = np.zeros((1, *result.value.shape))
    count = np.bincount(clusters.term, minlength=clusters.n_terms + 1)
    # spread evenly over the term's cells: none has a part of its own that would be taken off again
    cell = np.concatenate([term, none])[clusters.term] / count[clusters.term][:, None, None]
    yield Part(np.arange(len(result.value)), cell, template)


def _jackknife(
    metric: Metric, outcomes: Outcomes, options: Options, result: MetricResult, code: IntArray, stratum: IntArray
) -> FloatArray:
    """(J, P, K): the mean of the values without some of a stratum - the value without these, weighed as a jackknife.

    What is left out together stands at the first of them, the others have none; squares add up to the same.
    """
    moved = np.zeros((len(stratum), *result.value.shape))
    split = [
        np.array_split(inside, min(_BLOCKS, len(inside)))
        for inside in (np.flatnonzero(stratum == one) for one in np.unique(stratum))
    ]
    block = np.full(len(stratum) + 1, -1, dtype=np.int64)  # the last: rows without a term, which always stay
    for number, part in enumerate(part for parts in split for part in parts):
        block[part] = number
    size, at = sum(len(parts) for parts in split), 0
    found = values_without(Computed(metric, outcomes, options, result), block[code], np.arange(size))
    for parts in split:
        n, some = sum(len(part) for part in parts), found[at : at + len(parts)]
        without = np.where(np.isnan(some), result.value, some)
        times = np.sqrt((len(parts) - 1) * (n - 1) / (len(parts) * n))
        moved[[part[0] for part in parts]] = (without.mean(axis=0) - without) * times
        at += len(parts)
    return np.nan_to_num(moved)
