"""Tests of the terms of the run: the golden figures of the released code, scipy, small cases by hand, and the table."""

from typing import Any

import numpy as np
import pytest
from build_outcomes import outcomes_of, random_rows
from build_reports_tagger import tagger_run
from build_results import GENDER, NAMES, predictions, run
from golden import cases, read_case
from refusals import refusal
from scipy import stats

from fairness_checklist.api.result import Result
from fairness_checklist.core.errors import OptionError
from fairness_checklist.core.predictions_to_outcomes import reduce_to_outcomes
from fairness_checklist.extensions.analyses.paired_tests import (
    COLUMNS,
    WARNING,
    PairedTest,
    friedman,
    paired_t,
    paired_tests,
    source_means,
    wilcoxon,
)

TESTS = {"friedman": friedman, "wilcoxon": wilcoxon, "paired t-test": paired_t}


@pytest.mark.parametrize("case", cases("significance"), ids=lambda case: case["name"])
def test_the_released_code_s_figures(case: dict[str, Any]) -> None:
    outcomes = reduce_to_outcomes(*read_case(case))
    expected = {**case["expected"], **case.get("expected_py311", {})}
    label = str(case["sig_class"])
    compared = 0
    for ending, only_gold in (("", False), ("_only_gold_class", True)):
        means = source_means(outcomes, label, only_gold=only_gold)
        if not only_gold:
            np.testing.assert_allclose(means, case["per_template_group_means"]["means"], atol=1e-12)
        for name, test in TESTS.items():
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
def test_wilcoxon_is_exact_for_fifty_differences_or_fewer(n: int, zeros: int) -> None:
    apart = np.concatenate([np.arange(1.0, n - zeros + 1) / 64, np.zeros(zeros)])
    found = wilcoxon(apart, np.zeros(n))
    is_exact = n - zeros <= 50
    assert (found.n, found.test) == (n, f"Wilcoxon, {'exact' if is_exact else 'normal approximation'}")
    if is_exact:
        assert found.p_value == pytest.approx(2 / 2 ** (n - zeros), rel=1e-12)
    x, y = np.random.default_rng(1).normal(size=(2, n))
    method = "exact" if n <= 50 else "asymptotic"
    assert wilcoxon(x, y).p_value == pytest.approx(float(stats.wilcoxon(x, y, method=method).pvalue), abs=1e-12)


def test_what_has_no_p_gives_the_reason_and_sources_that_lack_a_group_are_left_out() -> None:
    same = np.ones((4, 3))
    assert friedman(same).why == "the groups do not differ in any source"
    assert friedman(same[:, :2]).why == "it compares three groups or more"
    assert wilcoxon(same[:, 0], same[:, 1]) == PairedTest(
        "Wilcoxon", 0.0, 1.0, 4, "the groups do not differ in any source"
    )
    assert paired_t(same[:, 0], same[:, 1]).why == "the differences do not vary"
    rows = random_rows(5, sources=6)
    whole = source_means(outcomes_of(rows), "positive")
    less = source_means(outcomes_of([r for r in rows if not (r.source == "s2" and r.group == "ash")]), "positive")
    assert len(whole) == 6
    np.testing.assert_array_equal(less, np.delete(whole, 2, axis=0))


def test_the_table_has_all_groups_by_friedman_and_each_pair_by_two_tests() -> None:
    results = run(predictions(), predictions("names", NAMES))
    found = paired_tests(results, "gender", "positive")
    assert list(found.columns) == COLUMNS
    assert found[["left", "right"]].values.tolist() == [
        *[["*", ""]],
        *(pair for pair in (["women", "men"], ["women", "cis"], ["men", "cis"]) for _ in range(2)),
    ]
    assert [test.split(",")[0] for test in found["test"]] == ["Friedman", *["Wilcoxon", "paired t"] * 3]
    women, men, cis = (
        np.mean([p for (group, _), p in GENDER.items() if group == name], axis=0) for name in ("women", "men", "cis")
    )
    assert found["p_value"][0] == pytest.approx(stats.friedmanchisquare(women, men, cis).pvalue)
    [paired] = found.query("test == 'paired t' and left == 'men' and right == 'cis'")["p_value"]
    assert paired == pytest.approx(stats.ttest_rel(men, cis).pvalue)
    assert set(found["n"]) == {4}
    assert found.attrs["warning"] == WARNING
    # the class and the attribute of the verdict by default, and no Friedman for two groups
    assert Result(**vars(results)).paired_tests().equals(found)
    assert [test.split(",")[0] for test in paired_tests(results, "names")["test"]] == ["Wilcoxon", "paired t"]
    found = paired_tests(tagger_run())
    assert len(found)
    assert set(found["class"]) <= {"PER", "LOC"}


def test_errors_explain_what_is_missing() -> None:
    no_source = "tests of these terms compare probabilities inside sources, and there are none."
    rows, results = random_rows(5), run(predictions())
    no_class = "the class 'positiv' is not known.\n    Classes: negative, positive."
    no_value = "the run has no class 'happy'.\n    It has negative, positive."
    for call, message in (
        (lambda: source_means(outcomes_of(rows), "positiv"), no_class),
        (lambda: source_means(outcomes_of([row.but(source="") for row in rows]), "positive"), no_source),
        (lambda: paired_tests(results, "gender", "happy"), no_value),
        (lambda: paired_tests(run(predictions().drop(columns="source"))), no_source),
    ):
        assert refusal(OptionError, call) == message
