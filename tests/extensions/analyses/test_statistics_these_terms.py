"""Tests of the terms of the run: the golden figures of the released code, scipy, and small cases by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from build_outcomes import outcomes_of, random_rows
from golden import cases, read_case
from scipy import stats

from fairness_checklist.core.errors import OptionError
from fairness_checklist.core.outcomes import Outcomes
from fairness_checklist.core.predictions_to_outcomes import reduce_to_outcomes
from fairness_checklist.extensions.analyses.paired_tests import (
    PairedTest,
    friedman,
    paired_t,
    source_means,
    wilcoxon,
)

NAMES = {"friedman": friedman, "wilcoxon": wilcoxon, "paired t-test": paired_t}


def golden_outcomes(case: dict[str, Any]) -> Outcomes:
    return reduce_to_outcomes(*read_case(case))


@pytest.mark.parametrize("case", cases("significance"), ids=lambda case: case["name"])
def test_the_released_code_s_figures(case: dict[str, Any]) -> None:
    outcomes = golden_outcomes(case)
    expected = {**case["expected"], **case.get("expected_py311", {})}
    label = str(case["sig_class"])
    compared = 0
    for ending, only_gold in (("", False), ("_only_gold_class", True)):
        means = source_means(outcomes, label, only_gold=only_gold)
        if not only_gold:
            np.testing.assert_allclose(means, case["per_template_group_means"]["means"], atol=1e-12)
        for name, test in NAMES.items():
            figure = expected[f"{name}{ending}"]
            found: PairedTest = test(means) if name == "friedman" else test(means[:, 0], means[:, 1])  # type: ignore[operator]
            if "error" in figure:
                assert found.why or means.shape[1] != 2  # the pairwise tests are for two groups
                continue
            for value, key in ((found.statistic, "statistic"), (found.p_value, "p_value")):
                wanted = float(figure[key])
                assert value == pytest.approx(wanted, abs=1e-9, nan_ok=True), (name, ending, key)
                compared += 1
    assert compared


@pytest.mark.parametrize(("n", "zeros"), [(10, 2), (60, 15), (8, 0), (60, 0)])
def test_wilcoxon_is_exact_where_no_ties_are_left_when_zeros_are_dropped(n: int, zeros: int) -> None:
    apart = np.concatenate([np.arange(1.0, n - zeros + 1) / 64, np.zeros(zeros)])
    found = wilcoxon(apart, np.zeros(n))
    assert found.n == n
    if n - zeros <= 50:
        assert found.test == "Wilcoxon, exact"
        assert found.p_value == pytest.approx(2 / 2 ** (n - zeros), rel=1e-12)
    else:
        assert found.test == "Wilcoxon, normal approximation"


def test_wilcoxon_is_scipy_s_with_its_method_pinned() -> None:
    generator = np.random.default_rng(1)
    for n in (6, 25, 50, 51, 80):
        x, y = generator.normal(size=(2, n))
        method = "exact" if n <= 50 else "asymptotic"
        found = wilcoxon(x, y)
        assert found.p_value == pytest.approx(float(stats.wilcoxon(x, y, method=method).pvalue), abs=1e-12)
        assert found.test == ("Wilcoxon, exact" if n <= 50 else "Wilcoxon, normal approximation")


def test_what_has_no_p_gives_the_reason() -> None:
    same = np.ones((4, 3))
    assert friedman(same).why == "the groups do not differ in any source"
    assert friedman(same[:, :2]).why == "it compares three groups or more"
    assert wilcoxon(same[:, 0], same[:, 1]) == PairedTest(
        "Wilcoxon", 0.0, 1.0, 4, "the groups do not differ in any source"
    )
    assert paired_t(same[:, 0], same[:, 1]).why == "the differences do not vary"


def test_sources_that_lack_a_group_are_left_out() -> None:
    rows = random_rows(5, sources=6)
    whole = source_means(outcomes_of(rows), "positive")
    less = source_means(outcomes_of([r for r in rows if not (r.source == "s2" and r.group == "ash")]), "positive")
    assert len(whole) == 6
    np.testing.assert_array_equal(less, np.delete(whole, 2, axis=0))


def test_errors() -> None:
    with pytest.raises(OptionError) as label:
        source_means(outcomes_of(random_rows(5)), "positiv")
    assert str(label.value) == "the class 'positiv' is not known.\n    Classes: negative, positive."
    with pytest.raises(OptionError) as sources:
        source_means(outcomes_of([row.but(source="") for row in random_rows(5)]), "positive")
    assert str(sources.value) == "tests of these terms compare probabilities inside sources, and there are none."
