"""Bernstein-bounded unfairness: golden figures, formulas, coverage, errors."""

import math
from typing import Any

import numpy as np
import pytest
from ethayarajh2020_bounds import amortised_disparities, bernstein_radius, bernstein_rows, bernstein_unfairness
from golden import golden_figures
from sweep import sweep

FIRST, SECOND = np.repeat([1.0, 0.0], [38, 212]), np.repeat([1.0, 0.0], [25, 225])
COSTS, SIDES = np.concatenate([FIRST, SECOND]), np.repeat([1, -1], 250)


def test_formulas_3_and_4_and_the_papers_own_figures() -> None:
    formulas = golden_figures("bernstein")["formulas"]
    assert bernstein_rows(0.05) == pytest.approx(formulas["n_delta_.05"], rel=1e-12)
    assert bernstein_rows(0.05) / 3_160 == pytest.approx(formulas["ratio"], rel=1e-12)
    assert bernstein_radius(4.0, 3_160) == pytest.approx(formulas["t_at_3160"], abs=1e-12)
    assert len(formulas["fig2"]) == 7
    for t, n in formulas["fig2"].items():
        assert bernstein_rows(float(t)) == pytest.approx(n, rel=1e-12)
    assert len(formulas["t_table"]) == 90
    for row in formulas["t_table"]:
        t = bernstein_radius(row["var"], row["n"], confidence=row["rho"], cost=row["C"], gamma=row["gamma"])
        assert t == pytest.approx(row["t"], abs=1e-12)
    assert math.floor(bernstein_rows(0.05)) + 1 == 11_903
    assert round(bernstein_rows(0.05) / 3_160, 1) == 3.8
    assert bernstein_rows(0.0975) < 3_160 < bernstein_rows(0.0974)


@sweep(("name", "options"), [
    ("bbu_maxvar(paper)", {}),
    ("bbu_sample_var", {"variance": "sample"}),
    ("bbu_centred_maxvar", {"centred": True}),
    ("bbu_centred_sample_var", {"centred": True, "variance": "sample"}),
])  # fmt: skip
def test_closed_forms(name: str, options: dict[str, Any]) -> None:
    interval = bernstein_unfairness(COSTS, SIDES, **options)
    figures = golden_figures("bernstein")["intervals"]["intervals"]
    assert [interval.low, interval.high] == pytest.approx(figures[name], abs=1e-9)


@sweep("gamma", [0.05, 0.3, 0.5])
@sweep("cost", [0.5, 1.0, 4.0])
def test_the_radius_solves_bernsteins_inequality_and_turns_the_rows_round(gamma: float, cost: float) -> None:
    for n in (10, 3_160):
        for variance in (0.0, 0.3 * (cost / gamma) ** 2, (cost / gamma) ** 2):
            t = bernstein_radius(variance, n, confidence=0.9, cost=cost, gamma=gamma)
            tail = 2 * math.exp(-n * t**2 / (2 * variance + 2 * cost / (3 * gamma) * t))
            assert tail == pytest.approx(0.1, rel=1e-10)
            assert bernstein_rows(t, variance=variance, confidence=0.9, cost=cost, gamma=gamma) == pytest.approx(
                n, rel=1e-10
            )


def test_centring_halves_the_width_and_leaves_the_middle() -> None:
    printed, centred = bernstein_unfairness(COSTS, SIDES), bernstein_unfairness(COSTS, SIDES, centred=True)
    assert printed.width == pytest.approx(2 * centred.width, rel=1e-12)
    assert printed.low + printed.high == pytest.approx(centred.low + centred.high, abs=1e-12)
    assert bernstein_rows(0.001) == pytest.approx(4 * bernstein_rows(0.001, cost=0.5), rel=1e-3)


def test_the_mean_disparity_is_the_difference_of_the_groups_means() -> None:
    generator = np.random.default_rng(2)
    costs, sides = 3 * generator.random(200), generator.integers(-1, 2, 200)
    expected = costs[sides == 1].mean() - costs[sides == -1].mean()
    for centred in (False, True):
        disparities = amortised_disparities(costs, sides, cost=3.0, centred=centred)
        gamma = min((sides == 1).mean(), (sides == -1).mean())
        assert disparities.mean() == pytest.approx(expected, abs=1e-12)
        assert np.abs(disparities).max() <= (1.5 if centred else 3.0) / gamma
        assert (disparities[sides == 0] == 0).all()
        interval = bernstein_unfairness(costs, sides, cost=3.0, centred=centred)
        assert (interval.low + interval.high) / 2 == pytest.approx(expected, abs=1e-12)
        assert interval.n == 200
    one_side = bernstein_unfairness([0.5, 0.5], [1, 0])
    assert math.isnan(one_side.low)
    assert (one_side.n, one_side.note) == (2, "one of the two groups has no rows")
    assert bernstein_unfairness([], []).note == "one of the two groups has no rows"
