"""The figures of golden/bernstein.json: closed forms to 1e-9, bootstrap and betting within simulation error."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from golden import GOLDEN

from fairness_checklist.statistics import intervals as ours
from fairness_checklist.statistics.intervals import Interval

pytestmark = pytest.mark.skipif(
    not (GOLDEN / "bernstein.json").is_file(), reason="golden/bernstein.json is not beside this checkout"
)

FIRST, SECOND = np.repeat([1.0, 0.0], [38, 212]), np.repeat([1.0, 0.0], [25, 225])
COSTS, SIDES = np.concatenate([FIRST, SECOND]), np.repeat([1, -1], 250)
COUNTS = (38, 250, 25, 250)

Arrays = tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]


def together(first: np.ndarray[Any, Any], second: np.ndarray[Any, Any]) -> Arrays:
    return np.concatenate([first, second]), np.repeat([1, -1], [len(first), len(second)])


def counted(method: Callable[..., Interval]) -> Callable[..., Interval]:
    return lambda first, second: method(int(first.sum()), len(first), int(second.sum()), len(second))


METHODS: dict[str, Callable[..., Interval]] = {
    "bbu_maxvar(paper)": lambda a, b: ours.bernstein_unfairness(*together(a, b)),
    "bbu_sample_var": lambda a, b: ours.bernstein_unfairness(*together(a, b), variance="sample"),
    "bbu_centred_maxvar": lambda a, b: ours.bernstein_unfairness(*together(a, b), centred=True),
    "bbu_centred_sample_var": lambda a, b: ours.bernstein_unfairness(*together(a, b), centred=True, variance="sample"),
    "hoeffding_two_sample": ours.hoeffding_difference,
    "hoeffding_union": lambda a, b: minus(ours.hoeffding_mean(a, level=0.975), ours.hoeffding_mean(b, level=0.975)),
    "emp_bernstein_amortized_c0=.5": lambda a, b: ours.empirical_bernstein_mean(
        ours.amortised_disparities(*together(a, b), centred=True), bounds=(-1, 1)
    ),
    "emp_bernstein_union": ours.empirical_bernstein_difference,
    "betting_union": ours.betting_difference,
    "clopper_pearson_union": counted(ours.clopper_pearson_difference),
    "newcombe": counted(ours.newcombe),
    "agresti_caffo": counted(ours.agresti_caffo),
    "wald": counted(ours.wald),
    "welch": ours.welch_difference,
    "boot_percentile": lambda a, b, seed=0: ours.percentile_difference(a, b, draws=2_000, seed=seed),
    "boot_bca": lambda a, b, seed=0: ours.bca_difference(a, b, draws=2_000, seed=seed),
}
SIMULATED = {"betting_union", "boot_percentile", "boot_bca"}


def minus(first: Interval, second: Interval) -> Interval:
    return Interval(first.low - second.high, first.high - second.low, "union", first.n + second.n)


@pytest.fixture(scope="module")
def figures() -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((GOLDEN / "bernstein.json").read_text(encoding="utf-8"))
    return loaded


def test_every_method_of_the_figures_is_here(figures: dict[str, Any]) -> None:
    assert set(figures["intervals"]["intervals"]) == set(METHODS)
    assert tuple(figures["intervals"]["example"][key] for key in ("k1", "n1", "k2", "n2")) == COUNTS


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
        t = ours.bernstein_radius(row["var"], row["n"], level=row["rho"], cost=row["C"], gamma=row["gamma"])
        assert t == pytest.approx(row["t"], abs=1e-12)


@pytest.mark.parametrize("name", sorted(set(METHODS) - SIMULATED - {"hoeffding_union"}))
def test_closed_forms(figures: dict[str, Any], name: str) -> None:
    interval = METHODS[name](FIRST, SECOND)
    assert [interval.low, interval.high] == pytest.approx(figures["intervals"]["intervals"][name], abs=1e-9)


def test_hoeffding_of_each_mean(figures: dict[str, Any]) -> None:
    """In the figure the means' intervals are not cut to [0, 1] before their ends are subtracted; ours are."""
    low, high = figures["intervals"]["intervals"]["hoeffding_union"]
    radius = (high - low) / 4
    assert ours.hoeffding_mean(FIRST, level=0.975).high == pytest.approx(38 / 250 + radius, abs=1e-9)
    cut = METHODS["hoeffding_union"](FIRST, SECOND)
    assert low - 1e-9 <= cut.low < cut.high <= high + 1e-9


def test_bootstrap_and_betting_within_simulation_error(figures: dict[str, Any]) -> None:
    golden = figures["intervals"]["intervals"]
    for name in ("boot_percentile", "boot_bca"):
        interval = METHODS[name](FIRST, SECOND)
        assert [interval.low, interval.high] == pytest.approx(golden[name], abs=0.006)  # steps of 1/250
    ends = np.array([[i.low, i.high] for i in (ours.betting_difference(FIRST, SECOND, seed=s) for s in range(60))])
    assert (np.abs(ends.mean(axis=0) - golden["betting_union"]) < 3 * ends.std(axis=0)).all()  # one order of the rows


@pytest.mark.parametrize(
    ("setting", "rates", "n"), [("p.15_.10_n250", (0.15, 0.1), 250), ("p.03_.01_n100", (0.03, 0.01), 100)]
)
def test_simulated_coverage_and_width(
    figures: dict[str, Any], setting: str, rates: tuple[float, float], n: int
) -> None:
    """Within 3.5 standard errors of our 200 trials, a seed each; the betting figures stand on a grid of .001."""
    golden, trials = figures["intervals"]["simulation"][setting], 200
    generator = np.random.default_rng(1)
    samples = [tuple((generator.random(n) < rate).astype(float) for rate in rates) for _ in range(trials)]
    for name in sorted(set(METHODS) - {"hoeffding_union"}):
        seeds: list[dict[str, int]] = [{"seed": seed} if name in SIMULATED else {} for seed in range(trials)]
        found = [METHODS[name](*pair, **seed) for pair, seed in zip(samples, seeds, strict=True)]
        widths = np.array([interval.width for interval in found])
        covered = np.mean([interval.low <= rates[0] - rates[1] <= interval.high for interval in found])
        coverage = golden[name]["coverage"]
        assert covered == pytest.approx(coverage, abs=3.5 * np.sqrt(max(coverage * (1 - coverage), 0.004) / trials)), (
            name
        )
        error = 3.5 * widths.std() / np.sqrt(trials) + (0.004 if name == "betting_union" else 1e-9)
        assert widths.mean() == pytest.approx(golden[name]["mean_width"], abs=error), name


def test_rows_needed(figures: dict[str, Any]) -> None:
    golden = figures["intervals"]["required_n"]
    spread, centred = (ours.zero_one_variance(0.15, 0.1, centred=flag) for flag in (False, True))
    normal = 1.959963984540054**2 / 0.05**2
    found = {
        "bbu_maxvar": ours.bernstein_rows(0.05),
        "bbu_centred_maxvar": ours.bernstein_rows(0.05, cost=0.5),
        "hoeffding_two_sample": ours.hoeffding_rows(0.05),
        "bbu_true_var_p.15_.10": ours.bernstein_rows(0.05, variance=spread),
        "bbu_centred_true_var_p.15_.10": ours.bernstein_rows(0.05, variance=centred, cost=0.5),
        "wald_p_half": normal * 2 * (0.25 + 0.25),
        "wald_p.15_.10": normal * 2 * (0.15 * 0.85 + 0.1 * 0.9),
    }
    assert found == {name: pytest.approx(n, abs=1e-6, rel=1e-12) for name, n in golden.items()}


def test_table_1_and_the_paper_s_synthetic_check(figures: dict[str, Any]) -> None:
    """Table 1's differences within its rounding; widths at the greatest variance."""
    table = figures["table1"]
    for row in table["table1"].values():
        assert row["inn"] - row["out"] == pytest.approx(row["delta"], abs=0.0015)
    for n in (100, 500):
        for gamma in (0.1, 0.5):
            expected = table["synthetic_coverage"][f"n{n}_gamma{gamma}_max"]["width"]
            assert 2 * ours.bernstein_radius(gamma**-2, n, gamma=gamma) == pytest.approx(expected, abs=1e-9)
