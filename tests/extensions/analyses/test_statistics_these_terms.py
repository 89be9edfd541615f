"""Tests of the terms of the run: the golden figures of the released code, scipy, and small cases by hand."""

from __future__ import annotations

import tracemalloc
from itertools import product
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
    sign_flips,
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


def test_sign_flips_of_few_sources_are_all_looked_at() -> None:
    apart = np.array([0.4, -0.1, 0.3, 0.2, 0.5])
    signs = np.array(list(product((-1, 1), repeat=5)))
    expected = (np.abs(signs @ apart) >= abs(apart.sum()) - 1e-12).mean()
    assert sign_flips(np.stack([apart, np.zeros(5)], axis=1), [(0, 1)])[0].p_value == expected


def test_sign_flips_of_many_sources_are_drawn_from_the_seed() -> None:
    x = np.random.default_rng(2).normal(0.2, 1, 30)
    one, again = (sign_flips(np.stack([x, 0 * x], axis=1), [(0, 1)], draws=999, seed=4)[0] for _ in range(2))
    assert one == again
    assert one.test == "sign flips, 999 draws"
    assert one.p_value == pytest.approx(paired_t(x, np.zeros(30)).p_value, abs=0.06)


def test_what_has_no_p_gives_the_reason() -> None:
    same = np.ones((4, 3))
    assert friedman(same).why == "the groups do not differ in any source"
    assert friedman(same[:, :2]).why == "it compares three groups or more"
    assert wilcoxon(same[:, 0], same[:, 1]) == PairedTest(
        "Wilcoxon", 0.0, 1.0, 4, "the groups do not differ in any source"
    )
    assert paired_t(same[:, 0], same[:, 1]).why == "the differences do not vary"
    assert sign_flips(np.empty((0, 2)), [(0, 1)])[0].why == "there is no source with both groups"


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


class TestSignFlipsOfManySources:
    def test_memory_does_not_grow_with_sources_times_draws(self) -> None:
        means = np.random.default_rng(0).normal(size=(50_000, 4))
        tracemalloc.start()
        found = sign_flips(means, [(0, 1), (2, 3)])
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 200e6
        assert [test.test for test in found] == ["sign flips, 2,000 draws"] * 2

    @pytest.mark.parametrize("sources", [3, 12, 13, 200])
    def test_pairs_share_the_draws_of_a_single_pair(self, sources: int) -> None:
        means = np.random.default_rng(sources).normal(size=(sources, 3)).round(2)
        pairs = [(0, 1), (0, 2), (1, 2)]
        assert sign_flips(means, pairs) == [sign_flips(means, [pair])[0] for pair in pairs]
