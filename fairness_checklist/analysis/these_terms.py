"""Tests of these very terms: whether the groups' means differ inside the sources, the terms taken as they are."""

from __future__ import annotations

from itertools import combinations

import pandas as pd

from fairness_checklist.analysis.leading_values import leading_class
from fairness_checklist.analysis.recompute import outcomes_of
from fairness_checklist.analysis.run_view import attribute_view, one_of
from fairness_checklist.results import Results
from fairness_checklist.statistics.these_terms import (
    friedman,
    paired_t,
    sign_flips,
    source_means,
    wilcoxon,
)

__all__ = ["COLUMNS", "WARNING", "paired_tests"]

COLUMNS = ["class", "test", "left", "right", "statistic", "p_value", "n", "why"]


WARNING = (
    "These tests are about these very terms: they ask whether the mean probabilities of the groups differ from source "
    "to source, the terms taken as they are. Any two sets of words differ, so that on 51 real terms split at random "
    "they reject 76 to 100 times in 100 where 5 would be right. A small p here says nothing about the groups: for "
    "that read the p and the interval over terms like these in the tables above. The p are not adjusted for the number "
    "of pairs."
)


def paired_tests(results: Results, attribute: str | None = None, label: str | None = None) -> pd.DataFrame:
    """Friedman's test over all groups, and for each pair of groups Wilcoxon's, the paired t-test and sign flips.

    What is compared are the groups' mean probabilities of a class in the symmetric sources that have all groups; of a
    tagger, at the term. They are about *these very terms*: see `statistics.paired_tests`.

    Args:
        results: a run.
        attribute: of which attribute; the first by default.
        label: the probability of which class; by default the one in which the verdict's largest primary gap lies.

    Returns:
        Columns class, test, left and right (the pair; "*" and "" for all groups), statistic, p_value (not adjusted),
        n (sources) and why (there is no p). The warning that belongs to them stands in ``attrs["warning"]``.

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
    for i, j in combinations(range(len(groups)), 2):
        x, y = means[:, i], means[:, j]
        rows += [(groups[i], groups[j], test) for test in (wilcoxon(x, y), paired_t(x, y), sign_flips(x, y))]
    table = [(label, t.test, left, right, t.statistic, t.p_value, t.n, t.why) for left, right, t in rows]
    frame = pd.DataFrame(table, columns=COLUMNS)
    frame.attrs["warning"] = WARNING
    return frame
