"""Metrics of a saved run computed again: from its examples, without a template or a term, with reworded templates."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from fairness_checklist.core.errors import OptionError
from fairness_checklist.core.outcomes import Outcomes
from fairness_checklist.core.predictions_to_outcomes import reduce_to_outcomes
from fairness_checklist.core.replicates import answered_only
from fairness_checklist.extensions.analyses.gap_curves import GapCurve, gap_curve
from fairness_checklist.extensions.analyses.terms_left_out import run_choices
from fairness_checklist.metrics.catalogue import compute
from fairness_checklist.metrics.metric_forms import METRICS, Options
from fairness_checklist.metrics.metric_result import MetricResult
from fairness_checklist.reports.run_view import Row, View, attribute_view, is_tagging, outcomes_of, task_of
from fairness_checklist.run.evaluation import metric_rows
from fairness_checklist.run.options import RunOptions
from fairness_checklist.run.uncertainty import UNCERTAIN, interval_columns, permutation_columns
from fairness_checklist.tables.run_folder import Results
from fairness_checklist.tables.tokens import split_any


def recomputed(results: Results, metric: str, attribute: str | None) -> tuple[MetricResult, Outcomes]:
    """The metric as the run computed it first, or with default options where it did not."""
    view = attribute_view(results, attribute or results.attributes[0])
    outcomes = outcomes_of(results, view)
    return compute(METRICS[metric], outcomes, _options(view, metric)), outcomes


_KEY = ["attribute", "metric", "options", "where", "by", "class", "left", "right"]


def metrics_with_uncertainty(results: Results) -> pd.DataFrame:
    """The metrics of a run with the intervals, null means and p-values that it did not compute, from its examples.

    The figures are those of a run with ``uncertainty="all"``. It takes several times as long as the run without its
    model.

    Args:
        results: a run, or one that was loaded.

    Returns:
        The rows of ``results.metrics``. Rows of user-defined metrics that are not registered stay as they are.

    Raises:
        OptionError: none of the metrics is registered, or they were computed from groupings.
    """
    choices = replace(run_choices(results)[0], uncertainty="all")
    fresh = []
    for attribute in results.attributes:
        outcomes = outcomes_of(results, attribute_view(results, attribute))
        fresh.append(metric_rows(answered_only(outcomes), choices, task_of(results))[0])
    fresh_rows = pd.concat(fresh).drop_duplicates(_KEY).set_index(_KEY)[[*UNCERTAIN, "smallest_p", "unstable", "note"]]
    metrics = results.metrics.reset_index(drop=True)
    fresh_rows = fresh_rows.reindex(pd.MultiIndex.from_frame(metrics[_KEY].astype(object)))
    known = fresh_rows["note"].notna().to_numpy()
    columns: dict[str, Any] = {
        str(name): np.where(known, fresh_rows[name].to_numpy(), metrics[name].to_numpy()) for name in fresh_rows
    }
    return metrics.assign(**columns).astype(dict.fromkeys(UNCERTAIN, "float64"))


def row_with_uncertainty(results: Results, view: View, row: Row) -> Row:
    """A row with its intervals, null mean and p, computed where the run left them out; p is not adjusted then."""
    if not np.isnan([row[name] for name in ("ci_low", "ci_high", "p_value")]).all() or row["metric"] not in METRICS:
        return row
    options: dict[str, Any] = results.info.get("options", {})
    if options.get("uncertainty", "all") == "all" or not options.get("draws", 0):  # the run asked for none
        return row
    result, outcomes = recomputed(results, row["metric"], view.attribute)
    outcomes = answered_only(outcomes)
    seed, at = int(options.get("seed", 0)), (row["class"], row["left"], row["right"])
    choices = RunOptions(draws=int(options.get("draws", 0)), options=Options(seed=seed), uncertainty="all")
    chance = permutation_columns([result], outcomes, choices, [result] if row["role"] == "primary" else [])[0].get(
        at, {}
    )
    ends = interval_columns([result], outcomes, seed)[0].get(at, {})
    computed = {name: value for name, value in {**chance, **ends}.items() if name in UNCERTAIN and name != "p_adjusted"}
    return {**row, **computed}


def _options(view: View, metric: str) -> Options:
    stamps = [
        (options, where)
        for name, options, where in (*view.primary, *view.keys_at(view.place), *view.keys)
        if name == metric
    ]
    options, where = stamps[0] if stamps else ("", view.place)
    given: dict[str, Any] = {"where": where}
    for part in filter(None, options.split("; ")):
        name, _, value = part.partition("=")
        given[name] = value
    if "groupings" in given:
        raise OptionError(
            f"{metric} was computed from groupings that the run does not keep.",
            remedy="Run it again without groupings=, or with max_groupings=.",
        )
    for name in ("max_groupings", "seed"):
        if name in given:
            given[name] = int(given[name])
    return Options(**given)


def gap_curve_of(results: Results, metric: str, *, label: str | None = None, attribute: str | None = None) -> GapCurve:
    """A metric of rates at every threshold, of one attribute of a run, against the background that the run had.

    Args:
        results: a run of a classifier with probabilities.
        metric, label: as in `fc.metrics.gap_curve`.
        attribute: of which attribute; the first by default.

    Raises:
        OptionError: an unknown attribute, class or metric, or a run that has no such curve.
    """
    if is_tagging(results):
        raise OptionError("a gap curve moves a classifier's threshold, and these are a tagger's predictions.")
    view = attribute_view(results, attribute or results.attributes[0])
    [(examples, predictions)] = split_any(view.examples, task=task_of(results), classes=view.classes)
    given = results.info.get("options", {})
    outcomes = reduce_to_outcomes(examples, predictions, unlabelled=given.get("unlabelled", "keep"))
    own = METRICS[metric].background is not None
    background = str(given.get("background", "")) if own else ""
    balanced = own and given.get("weight") == "group"
    return gap_curve(outcomes, metric, label, Options(background=background, weight="group" if balanced else "source"))
