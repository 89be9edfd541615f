"""The gap curve of a run, from its kept examples."""

from __future__ import annotations

from fairness_checklist.analysis.recorded import is_tagging, task_of
from fairness_checklist.analysis.run_view import attribute_view
from fairness_checklist.errors import OptionError
from fairness_checklist.metrics.curves import GapCurve, gap_curve
from fairness_checklist.metrics.metric import METRICS, Options
from fairness_checklist.outcomes import reduce_to_outcomes
from fairness_checklist.results import Results
from fairness_checklist.token_tables import split_any

__all__ = ["gap_curve_of"]


def gap_curve_of(results: Results, metric: str, *, label: str | None = None, attribute: str | None = None) -> GapCurve:
    """A metric of rates at every threshold, of one attribute of a run, against the background that the run had.

    Args:
        results: a run of a classifier with probabilities.
        metric, label: as in `metrics.curves.gap_curve`.
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
