"""An attribute's outcomes from the examples of a run, and its metrics computed again."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import pandas as pd

from fairness_checklist.analysis.largest_gaps import leading_class
from fairness_checklist.analysis.run_view import View, attribute_view, is_tagging, one_of, task_of, with_hashed_words
from fairness_checklist.core.errors import OptionError
from fairness_checklist.core.outcomes import Outcomes
from fairness_checklist.core.predictions_to_outcomes import reduce_to_outcomes
from fairness_checklist.metrics.catalogue import compute
from fairness_checklist.metrics.curves import GapCurve, gap_curve
from fairness_checklist.metrics.metric import METRICS, Options
from fairness_checklist.metrics.metric_result import MetricResult
from fairness_checklist.statistics.fixed_terms import friedman, paired_t, sign_flips_of_pairs, source_means, wilcoxon
from fairness_checklist.tables.run_folder import Results
from fairness_checklist.tables.tokens import split_any


def outcomes_of(results: Results, view: View) -> Outcomes:
    """An attribute's examples as the metrics saw them."""
    shown = with_hashed_words(results, view.examples)
    [(examples, predictions)] = split_any(shown, task=task_of(results), classes=view.classes)
    return reduce_to_outcomes(
        examples, predictions, unlabelled=results.info.get("options", {}).get("unlabelled", "keep")
    )


def recomputed(results: Results, metric: str, attribute: str | None) -> tuple[MetricResult, Outcomes]:
    """The metric as the run computed it first, or with default options where it did not."""
    view = attribute_view(results, attribute or results.attributes[0])
    outcomes = outcomes_of(results, view)
    return compute(METRICS[metric], outcomes, _options(view, metric)), outcomes


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


COLUMNS = ["class", "test", "left", "right", "statistic", "p_value", "n", "why"]


WARNING = (
    "These tests are conditional on the terms of the run: they test whether the groups' mean probabilities in the same "
    "sources are equal for exactly these terms. Any two sets of words differ: on 51 real terms split at random, the "
    "tests reject in 76 to 100 % of the splits at the 5 % level. A small p-value here is not evidence about the "
    "groups: use the p-value and the interval over terms like these in the tables above. These p-values are not "
    "adjusted for the number of pairs."
)


def paired_tests(results: Results, attribute: str | None = None, label: str | None = None) -> pd.DataFrame:
    """Friedman's test over all groups, and for each pair of groups Wilcoxon's, the paired t-test and sign flips.

    The tests compare the groups' mean probabilities of a class in the symmetric sources that have all groups; for a
    tagger, at the term. They are conditional on the terms of the run: see `statistics.fixed_terms`.

    Args:
        results: a run.
        attribute: of which attribute; the first by default.
        label: the class of the probabilities; by default that of the verdict's largest primary gap.

    Returns:
        Columns class, test, left and right (the pair; "*" and "" for all groups), statistic, p_value (not adjusted),
        n (sources) and why (there is no p). The warning that belongs to them is in ``attrs["warning"]``.

    Raises:
        OptionError: no such attribute or class, no probabilities, or rows without source.
    """
    view = attribute_view(results, attribute or results.attributes[0])
    if label is None:
        leading = leading_class(view)
        label = leading if leading in view.classes else view.classes[-1]
    one_of(label, view.classes, "class")
    outcomes = outcomes_of(results, view).view(view.place)
    means = source_means(outcomes, label)
    groups = outcomes.groups
    rows = [("*", "", friedman(means))] if len(groups) > 2 else []
    pairs = list(combinations(range(len(groups)), 2))
    for (i, j), flips in zip(pairs, sign_flips_of_pairs(means, pairs), strict=True):
        x, y = means[:, i], means[:, j]
        rows += [(groups[i], groups[j], test) for test in (wilcoxon(x, y), paired_t(x, y), flips)]
    table = [(label, t.test, left, right, t.statistic, t.p_value, t.n, t.why) for left, right, t in rows]
    frame = pd.DataFrame(table, columns=COLUMNS)
    frame.attrs["warning"] = WARNING
    return frame
