"""An attribute's outcomes from the examples of a run, and its metrics computed again."""

from __future__ import annotations

from typing import Any

from fairness_checklist.analysis.recorded import task_of, with_hashed_words
from fairness_checklist.analysis.run_view import View, attribute_view
from fairness_checklist.errors import OptionError
from fairness_checklist.metrics.catalogue import METRICS, compute
from fairness_checklist.metrics.metric import Options
from fairness_checklist.metrics.result import MetricResult
from fairness_checklist.outcomes import Outcomes, reduce_to_outcomes
from fairness_checklist.results import Results
from fairness_checklist.token_tables import split_any

__all__ = ["outcomes_of", "recomputed"]


def outcomes_of(results: Results, view: View) -> Outcomes:
    """An attribute's examples as the metrics saw them."""
    shown = with_hashed_words(results, view.examples)
    [(examples, predictions)] = split_any(shown, task=task_of(results), classes=view.classes)
    return reduce_to_outcomes(
        examples, predictions, unlabelled=results.info.get("options", {}).get("unlabelled", "keep")
    )


def recomputed(results: Results, metric: str, attribute: str | None) -> tuple[MetricResult, Outcomes]:
    """The metric as the run computed it first, or with default options where it did not."""
    line = METRICS[metric]
    view = attribute_view(results, attribute or results.attributes[0])
    outcomes = outcomes_of(results, view)
    return compute(line, outcomes, _options(view, metric)), outcomes


def _options(view: View, metric: str) -> Options:
    stamps = [options for name, options in (*view.primary, *view.keys_at(view.place), *view.keys) if name == metric]
    given: dict[str, Any] = {} if stamps else {"where": view.place}
    for part in filter(None, "".join(stamps[:1]).split("; ")):
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
