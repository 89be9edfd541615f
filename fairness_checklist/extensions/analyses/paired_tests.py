"""Tests conditional on the terms of the run: whether the groups' means differ inside the sources, with fixed terms.

Any two sets of terms differ, so that on real terms split at random they reject 76 to 100 times in 100 at a nominal 5 %.
Whether groups differ is the question of findings.
"""

from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy import stats

from fairness_checklist.core.arrays import FloatArray, divide
from fairness_checklist.core.errors import OptionError
from fairness_checklist.core.outcomes import Outcomes
from fairness_checklist.reports.run_view import attribute_view, leading_class, one_of, outcomes_of
from fairness_checklist.tables.run_folder import Results

_EXACT = 50


@dataclass(frozen=True)
class PairedTest:
    """The result of a test with fixed terms."""

    test: str  # its name, and how the p was computed
    statistic: float  # statistic, p_value: NaN where the test has none
    p_value: float
    n: int  # sources that entered
    why: str = ""  # why there is no p


def source_means(outcomes: Outcomes, label: str, *, only_gold: bool = False) -> FloatArray:
    """(S, G) the mean probability of a class in each symmetric source that has all groups, group by group."""
    if label not in outcomes.classes:
        raise OptionError(f"the class {label!r} is not known.", remedy=f"Classes: {', '.join(outcomes.classes)}.")
    if outcomes.units is None or not len(outcomes.sources):
        raise OptionError("tests of these terms compare probabilities inside sources, and there are none.")
    k, units, n_groups = outcomes.classes.index(label), outcomes.units, len(outcomes.groups)
    source, group = outcomes.source[units.row], outcomes.group[units.row]
    used = (source >= 0) & (group < n_groups) & outcomes.symmetric[source]
    if only_gold:
        used &= units.label == k
    cell, weight = (source * n_groups + group)[used], outcomes.weight[units.row][used]
    size = len(outcomes.sources) * n_groups
    weighted = np.bincount(cell, weights=weight * units.probability[used, k], minlength=size)
    means = divide(weighted, np.bincount(cell, weights=weight, minlength=size)).reshape(-1, n_groups)
    return means[~np.isnan(means).any(axis=1)]


def friedman(means: ArrayLike) -> PairedTest:
    """Friedman's test (1937) of three groups or more over sources (S, G), ties corrected."""
    table = np.asarray(means, dtype=np.float64)
    if table.shape[1] < 3:
        return PairedTest("Friedman", np.nan, np.nan, len(table), "it compares three groups or more")
    if len(table) < 2 or (table == table[:, :1]).all():
        return PairedTest("Friedman", np.nan, np.nan, len(table), "the groups do not differ in any source")
    answer: Any = stats.friedmanchisquare(*table.T)
    return PairedTest("Friedman", float(answer.statistic), float(answer.pvalue), len(table))


def wilcoxon(x: ArrayLike, y: ArrayLike) -> PairedTest:
    """Wilcoxon's signed-rank test (1945) of two groups, two-sided, sources without a difference left out."""
    difference = np.asarray(x, dtype=np.float64) - np.asarray(y, dtype=np.float64)
    changed = difference[difference != 0]
    if not len(changed):
        return PairedTest("Wilcoxon", 0.0, 1.0, len(difference), "the groups do not differ in any source")
    # pinned, so that no version of scipy chooses; the normal approximation is without correction
    is_exact = len(changed) <= _EXACT and len(np.unique(np.abs(changed))) == len(changed)
    answer: Any = stats.wilcoxon(changed, correction=False, method="exact" if is_exact else "approx")
    name = f"Wilcoxon, {'exact' if is_exact else 'normal approximation'}"
    return PairedTest(name, float(answer.statistic), float(answer.pvalue), len(difference))


def paired_t(x: ArrayLike, y: ArrayLike) -> PairedTest:
    """Student's paired t-test of two groups, two-sided."""
    difference = np.asarray(x, dtype=np.float64) - np.asarray(y, dtype=np.float64)
    if len(difference) < 2 or (difference == difference[0]).all():
        return PairedTest("paired t", np.nan, np.nan, len(difference), "the differences do not vary")
    answer: Any = stats.ttest_1samp(difference, 0.0)
    return PairedTest("paired t", float(answer.statistic), float(answer.pvalue), len(difference))


COLUMNS = ["class", "test", "left", "right", "statistic", "p_value", "n", "why"]
WARNING = (
    "These tests are conditional on the terms of the run, and any two sets of words differ: on 51 real terms split at "
    "random they reject in 76 to 100 % of the splits at the 5 % level. A small p-value is no evidence about groups: "
    "findings are. It is not adjusted for the number of pairs."
)


def paired_tests(results: Results, attribute: str | None = None, label: str | None = None) -> pd.DataFrame:
    """Friedman's test over all groups, and for each pair of groups Wilcoxon's and the paired t-test.

    The tests compare the groups' mean probabilities of a class in the symmetric sources that have all groups; for a
    tagger, at the term. They are conditional on the terms of the run: see the module.

    By default of the first attribute, and of the class of the largest primary gap. Columns: class, test, left and right
    (the pair; "*" and "" for all groups), statistic, p_value (not adjusted), n (sources) and why (there is no p). The
    warning that belongs to them is in ``attrs["warning"]``.

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
        rows += [(groups[i], groups[j], test) for test in (wilcoxon(x, y), paired_t(x, y))]
    table = [(label, t.test, left, right, t.statistic, t.p_value, t.n, t.why) for left, right, t in rows]
    frame = pd.DataFrame(table, columns=COLUMNS)
    frame.attrs["warning"] = WARNING
    return frame
