"""Tests of these very terms: whether the groups' means differ inside the sources, the terms taken as they are."""

from __future__ import annotations

from itertools import combinations

import pandas as pd

from fairness_checklist.errors import OptionError
from fairness_checklist.outcomes import Outcomes, reduce_to_outcomes
from fairness_checklist.reports.asked import readable_words, task_of
from fairness_checklist.reports.gaps import leading_class
from fairness_checklist.reports.grids import Grid
from fairness_checklist.reports.reading import View, one_of, view
from fairness_checklist.reports.sureness import p_words
from fairness_checklist.results import Results
from fairness_checklist.statistics.these_terms import (
    friedman,
    paired_t,
    sign_flips,
    source_means,
    wilcoxon,
)
from fairness_checklist.token_tables import split_any

__all__ = ["COLUMNS", "WARNING", "outcomes_of", "these_terms", "these_terms_grid"]

COLUMNS = ["class", "test", "left", "right", "statistic", "p_value", "n", "why"]
WARNING = (
    "These tests are about these very terms: they ask whether the mean probabilities of the groups differ from source "
    "to source, the terms taken as they are. Any two sets of words differ, so that on 51 real terms split at random "
    "they reject 76 to 100 times in 100 where 5 would be right. A small p here says nothing about the groups: for "
    "that read the p and the interval over terms like these in the tables above. The p are not adjusted for the number "
    "of pairs."
)


def outcomes_of(results: Results, seen: View) -> Outcomes:
    """An attribute's examples as the metrics saw them."""
    shown = readable_words(results, seen.examples)
    [(examples, predictions)] = split_any(shown, task=task_of(results), classes=seen.classes)
    return reduce_to_outcomes(
        examples, predictions, unlabelled=results.info.get("options", {}).get("unlabelled", "keep")
    )


def these_terms(results: Results, attribute: str | None = None, label: str | None = None) -> pd.DataFrame:
    """Friedman's test over all groups, and for each pair of groups Wilcoxon's, the paired t-test and sign flips.

    What is compared are the groups' mean probabilities of a class in the symmetric sources that have all groups; of a
    tagger, at the term. They are about *these very terms*: see `statistics.these_terms`.

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
    seen = view(results, attribute or results.attributes[0])
    if label is None:
        leading = leading_class(seen)
        label = leading if leading in seen.classes else seen.classes[-1]
    one_of(label, seen.classes, "class")
    outcomes = outcomes_of(results, seen).view(seen.place)
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


def these_terms_grid(results: Results, seen: View) -> list[Grid]:
    """The tests as a table, a pair a row; none where no probabilities can be compared inside sources."""
    try:
        found = these_terms(results, seen.attribute)
    except OptionError:
        return []
    if not found["n"].any():
        return []
    rows = []
    for (left, right), part in found.groupby(["left", "right"], sort=False):
        ps = {str(test).split(",")[0]: float(p) for test, p in zip(part["test"], part["p_value"], strict=True)}
        cells = ["" if pd.isna(ps.get(name)) else p_words(ps[name]) for name in _TESTS]
        rows.append(("all" if left == "*" else f"{left} and {right}", *cells, f"{int(part['n'].iloc[0]):,}"))
    label = str(found["class"].iloc[0])
    told = f"These very terms: p of the groups' mean probabilities of {label} inside the sources"
    return [Grid(("groups", *_TESTS, "n"), tuple(rows), 1, told, tight=True)]


_TESTS = ("Friedman", "Wilcoxon", "paired t", "sign flips")
