"""The metrics of Table 2 of Czarnowska, Vyas and Shah (2021) and their kin: one line of ``catalogue.csv`` each.

Table 2 comes first. Beyond it are changed answers, how decisions and gold classes depend on the group, areas under
curves, average equality gaps, and ratios and ranges over all groups, as fairlearn and aif360 have them.
"""

from __future__ import annotations

import csv
from importlib import resources

from fairness_checklist.core.outcomes import Outcomes
from fairness_checklist.core.terms_as_groups import by_term
from fairness_checklist.metrics import backgrounds, comparisons, scores
from fairness_checklist.metrics import metric_forms as normalisers
from fairness_checklist.metrics.engine import computed
from fairness_checklist.metrics.metric_forms import METRICS, Metric, Options
from fairness_checklist.metrics.metric_result import MetricResult

ALIASES = {
    "fnr_range": "equal_opportunity_difference",
    "positive_aeg": "avg_eg",
    "recall_difference": "tpr_difference",
}
"""A metric -> the metric that is the same number on all data. By default only the latter is computed and tested."""

OF_POSITIVE_CLASS = {"neg_avg_eg": "negative_aeg", "pos_avg_eg": "avg_eg"}
"""An alias -> the metric with the same rows of the positive class. By default only that metric is computed."""


def compute(metric: Metric | str, outcomes: Outcomes, options: Options | None = None) -> MetricResult:
    """Compute one metric.

    Args:
        metric: a metric or its id.
        outcomes: n rows, G >= 2 groups, C classes.
        options: see `Options`.

    Returns:
        The contrasts (P, K) and the total (K,).

    Raises:
        OptionError: an unknown id, fewer than two groups, a counterfactual metric without sources.
        UndefinedError: a value is undefined and ``options.undefined`` is "raise".
    """
    options = options or Options()
    chosen = (METRICS[metric] if isinstance(metric, str) else metric).with_options(options)
    outcomes = outcomes.view(options.where)
    if options.by == "term":
        outcomes = by_term(outcomes)
    return computed(chosen, outcomes, options)


with resources.files(__package__).joinpath("catalogue.csv").open(encoding="utf-8") as _lines:
    for _row in csv.DictReader(_lines):  # names of functions, an empty cell for none
        METRICS.register(
            Metric(
                name=_row["name"],
                family=_row["family"],  # type: ignore[arg-type]
                level=_row["level"],  # type: ignore[arg-type]
                score=getattr(scores, _row["score"]),
                compare=getattr(comparisons, _row["compare"]),
                background=getattr(backgrounds, _row["background"] or "none", None),
                normalise=getattr(normalisers, _row["normalise"] or "none", None),
                also=getattr(scores, _row["also"] or "none", None),
                source=_row["source"],
                question=_row["question"],
            )
        )
