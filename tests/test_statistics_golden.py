"""The figures of golden/bernstein.json: our formulas, and SciPy's for the intervals that the page sends readers to."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from golden import GOLDEN
from scipy.stats import binomtest

from fairness_checklist.extensions.plan import bernstein as ours
from fairness_checklist.extensions.plan.bernstein import Interval

pytestmark = pytest.mark.skipif(
    not (GOLDEN / "bernstein.json").is_file(), reason="golden/bernstein.json is not beside this checkout"
)

FIRST, SECOND = np.repeat([1.0, 0.0], [38, 212]), np.repeat([1.0, 0.0], [25, 225])
COSTS, SIDES = np.concatenate([FIRST, SECOND]), np.repeat([1, -1], 250)
METHODS: dict[str, Callable[..., Interval]] = {
    "bbu_maxvar(paper)": ours.bernstein_unfairness,
    "bbu_sample_var": lambda costs, sides: ours.bernstein_unfairness(costs, sides, variance="sample"),
    "bbu_centred_maxvar": lambda costs, sides: ours.bernstein_unfairness(costs, sides, centred=True),
    "bbu_centred_sample_var": lambda costs, sides: ours.bernstein_unfairness(
        costs, sides, centred=True, variance="sample"
    ),
}


@pytest.fixture(scope="module")
def figures() -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((GOLDEN / "bernstein.json").read_text(encoding="utf-8"))
    return loaded


def test_formulas_3_and_4(figures: dict[str, Any]) -> None:
    formulas = figures["formulas"]
    assert ours.bernstein_rows(0.05) == pytest.approx(formulas["n_delta_.05"], rel=1e-12)
    assert ours.bernstein_rows(0.05) / 3_160 == pytest.approx(formulas["ratio"], rel=1e-12)
    assert ours.bernstein_radius(4.0, 3_160) == pytest.approx(formulas["t_at_3160"], abs=1e-12)
    assert len(formulas["fig2"]) == 7
    for t, n in formulas["fig2"].items():
        assert ours.bernstein_rows(float(t)) == pytest.approx(n, rel=1e-12)
    assert len(formulas["t_table"]) == 90
    for row in formulas["t_table"]:
        t = ours.bernstein_radius(row["var"], row["n"], confidence=row["rho"], cost=row["C"], gamma=row["gamma"])
        assert t == pytest.approx(row["t"], abs=1e-12)


@pytest.mark.parametrize("name", sorted(METHODS))
def test_closed_forms(figures: dict[str, Any], name: str) -> None:
    interval = METHODS[name](COSTS, SIDES)
    assert [interval.low, interval.high] == pytest.approx(figures["intervals"]["intervals"][name], abs=1e-9)


def test_the_exact_interval_that_the_page_names_is_that_of_the_figures(figures: dict[str, Any]) -> None:
    """The union of two exact intervals at 97.5 % each, by SciPy."""
    first, second = (binomtest(k, 250).proportion_ci(0.975, "exact") for k in (38, 25))
    golden = figures["intervals"]["intervals"]["clopper_pearson_union"]
    assert [first.low - second.high, first.high - second.low] == pytest.approx(golden, abs=1e-9)


@pytest.mark.parametrize(
    ("setting", "rates", "n"), [("p.15_.10_n250", (0.15, 0.1), 250), ("p.03_.01_n100", (0.03, 0.01), 100)]
)
def test_simulated_coverage_and_width(
    figures: dict[str, Any], setting: str, rates: tuple[float, float], n: int
) -> None:
    """Within 3.5 standard errors of our 200 trials."""
    golden, trials = figures["intervals"]["simulation"][setting], 200
    generator = np.random.default_rng(1)
    samples = [np.concatenate([generator.random(n) < rate for rate in rates]).astype(float) for _ in range(trials)]
    for name, method in METHODS.items():
        found = [method(costs, np.repeat([1, -1], n)) for costs in samples]
        widths = np.array([interval.width for interval in found])
        covered = np.mean([interval.low <= rates[0] - rates[1] <= interval.high for interval in found])
        coverage = golden[name]["coverage"]
        error = 3.5 * np.sqrt(max(coverage * (1 - coverage), 0.004) / trials)
        assert covered == pytest.approx(coverage, abs=error), name
        assert widths.mean() == pytest.approx(
            golden[name]["mean_width"], abs=3.5 * widths.std() / np.sqrt(trials) + 1e-9
        ), name


def test_rows_needed(figures: dict[str, Any]) -> None:
    golden = figures["intervals"]["required_n"]
    spread, centred = (ours.zero_one_variance(0.15, 0.1, centred=flag) for flag in (False, True))
    normal = 1.959963984540054**2 / 0.05**2
    found = {
        "bbu_maxvar": ours.bernstein_rows(0.05),
        "bbu_centred_maxvar": ours.bernstein_rows(0.05, cost=0.5),
        "bbu_true_var_p.15_.10": ours.bernstein_rows(0.05, variance=spread),
        "bbu_centred_true_var_p.15_.10": ours.bernstein_rows(0.05, variance=centred, cost=0.5),
        "wald_p_half": normal * 2 * (0.25 + 0.25),
        "wald_p.15_.10": normal * 2 * (0.15 * 0.85 + 0.1 * 0.9),
    }
    assert set(golden) - set(found) == {"hoeffding_two_sample"}
    assert found == {name: pytest.approx(golden[name], abs=1e-6, rel=1e-12) for name in found}


def test_table_1_and_the_paper_s_synthetic_check(figures: dict[str, Any]) -> None:
    """Table 1's differences within its rounding; widths at the greatest variance."""
    table = figures["table1"]
    for row in table["table1"].values():
        assert row["inn"] - row["out"] == pytest.approx(row["delta"], abs=0.0015)
    for n in (100, 500):
        for gamma in (0.1, 0.5):
            expected = table["synthetic_coverage"][f"n{n}_gamma{gamma}_max"]["width"]
            assert 2 * ours.bernstein_radius(gamma**-2, n, gamma=gamma) == pytest.approx(expected, abs=1e-9)
