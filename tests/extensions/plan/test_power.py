"""Sizes of data sets: golden figures, the printed recipe of equalized odds, and simulated power of suites."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from ethayarajh2020_bounds import amortised_disparities, bernstein_unfairness
from ethayarajh2020_figures import TABLE_1, figure_1, figure_2, population
from golden import golden_figures
from refusals import refusal
from scipy.stats import binom

from fairness_checklist.core.errors import OptionError
from fairness_checklist.core.option_defaults import MARGIN
from fairness_checklist.extensions.plan import power_simulation
from fairness_checklist.extensions.plan.power import METHODS, examples_needed, smallest_gap, zero_one_variance
from fairness_checklist.extensions.plan.power_simulation import (
    HarmLayout,
    Layout,
    balanced_effects,
    crossed_layout,
    simulate_power,
    small_shares,
)
from fairness_checklist.extensions.plan.random_effects import Effects
from fairness_checklist.extensions.plan.suite_plan import gap_for, plan_suite, reach_of_layout, sources_for
from fairness_checklist.findings.rule import FittedError, Words, decide
from fairness_checklist.statistics.two_way import fit_figures, merge_terms

GOLDEN = golden_figures("bernstein")


def test_the_formulas_give_the_golden_figures() -> None:
    formulas = GOLDEN["formulas"]
    assert smallest_gap(3160) == pytest.approx(formulas["delta_3160"], rel=1e-12)
    curve = dict(figure_2())
    for gap, n in formulas["fig2"].items():
        assert examples_needed(float(gap)) == math.floor(n) + 1
        assert curve.get(float(gap), n) == pytest.approx(n, rel=1e-12)


def test_each_method_needs_the_golden_number_of_examples() -> None:
    expected = GOLDEN["intervals"]["required_n"]
    rates = (0.15, 0.10)
    found = {
        "bbu_maxvar": examples_needed(0.05),
        "bbu_centred_maxvar": examples_needed(0.05, method="centred"),
        "hoeffding_two_sample": examples_needed(0.05, method="hoeffding"),
        "wald_p_half": examples_needed(0.05, method="normal"),
        "bbu_true_var_p.15_.10": examples_needed(0.05, rates=rates),
        "bbu_centred_true_var_p.15_.10": examples_needed(0.05, rates=rates, method="centred"),
        "wald_p.15_.10": examples_needed(0.05, rates=rates, method="normal"),
    }
    assert found == {name: math.floor(n) + 1 for name, n in expected.items()}


def test_the_synthetic_population_has_the_means_of_table_1_and_its_widths() -> None:
    table = GOLDEN["table1"]
    assert set(TABLE_1) == set(table["table1"])
    for genre, row in table["table1"].items():
        inside, outside = population(genre)
        assert inside.mean() == pytest.approx(row["inn"], abs=1e-4)
        assert outside.mean() == pytest.approx(row["out"], abs=1e-4)
        assert inside.mean() - outside.mean() == pytest.approx(row["delta"], abs=1.1e-3)
    for variance, name, tolerance in (("sample", "sample", 0.06), ("maximal", "max", 1e-9)):
        points = {(one.n, one.gamma): one for one in figure_1(variance=variance, runs=20)}  # type: ignore[arg-type]
        for n, gamma in ((100, 0.1), (500, 0.1), (500, 0.5)):
            expected = table["synthetic_coverage"][f"n{n}_gamma{gamma}_{name}"]
            assert points[n, gamma].width == pytest.approx(expected["width"], rel=tolerance)
            assert points[n, gamma].coverage == expected["coverage"] == 1.0


@pytest.mark.parametrize(
    ("name", "p", "q", "n"), [("p.15_.10_n250", 0.15, 0.10, 250), ("p.03_.01_n100", 0.03, 0.01, 100)]
)
def test_widths_and_coverage_are_the_golden_ones(name: str, p: float, q: float, n: int) -> None:
    """Exactly, over all numbers of errors; the golden figures were simulated."""
    expected = GOLDEN["intervals"]["simulation"][name]
    first, second = np.meshgrid(np.arange(n + 1) / n, np.arange(n + 1) / n, indexing="ij")
    chance = np.outer(binom.pmf(np.arange(n + 1), n, p), binom.pmf(np.arange(n + 1), n, q))
    half = {
        method: np.full_like(chance, smallest_gap(2 * n, method=method))  # type: ignore[arg-type]
        for method in ("bernstein", "centred", "hoeffding")
    }
    half["normal"] = 1.959964 * np.sqrt((first * (1 - first) + second * (1 - second)) / n)
    for method, theirs in zip(
        half, ("bbu_maxvar(paper)", "bbu_centred_maxvar", "hoeffding_two_sample", "wald"), strict=True
    ):
        holds = np.abs(first - second - (p - q)) <= half[method]
        assert (chance * holds).sum() == pytest.approx(expected[theirs]["coverage"], abs=0.012), method
        assert (chance * 2 * half[method]).sum() == pytest.approx(expected[theirs]["mean_width"], rel=0.02), method


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("power", [None, 0.8])
def test_the_smallest_gap_is_the_reverse_of_the_examples_needed(method: Any, power: float | None) -> None:
    for gamma, cost in ((0.5, 1.0), (0.2, 3.0)):
        n = examples_needed(0.1, power=power, gamma=gamma, cost_range=cost, method=method)
        reach = [smallest_gap(k, power=power, gamma=gamma, cost_range=cost, method=method) for k in (n - 1, n)]
        assert reach[1] < 0.1 <= reach[0]


@pytest.mark.parametrize("method", METHODS)
def test_the_examples_give_the_power(method: Any) -> None:
    """Guaranteed by the inequalities; of Wald's interval to 3 points."""
    random = np.random.default_rng(4)
    first, second = 0.4, 0.3
    n = examples_needed(0.1, power=0.8, method=method, rates=(first, second) if method == "normal" else None)
    half = np.array([n // 2, n - n // 2])
    means = random.binomial(half, (first, second), size=(20_000, 2)) / half
    if method == "normal":
        radius = 1.96 * np.sqrt((means * (1 - means) / half).sum(axis=1))
        assert ((means[:, 0] - means[:, 1]) > radius).mean() == pytest.approx(0.8, abs=0.03)
    else:
        radius = smallest_gap(n, method=method)
        assert ((means[:, 0] - means[:, 1]) > radius).mean() >= 0.8


def test_the_printed_recipe_of_equalized_odds_sees_misses_only() -> None:
    """Zero-one loss with the annotation f(x) y(x) is the disparity of misses; false alarms do not enter."""
    random = np.random.default_rng(1)
    sides, label = random.choice([1, -1], size=4_000), (random.random(4_000) < 0.3).astype(int)
    alarm = np.where(sides > 0, 0.3, 0.1)
    predicted = (random.random(4_000) < np.where(label == 1, 0.8, alarm)).astype(int)
    misses = bernstein_unfairness(1.0 - predicted[label == 1], sides[label == 1])
    alarms = bernstein_unfairness(predicted[label == 0] * 1.0, sides[label == 0], confidence=0.975, centred=True)
    assert alarms.low > 0
    for answer in (predicted, np.where(label == 0, 1 - predicted, predicted)):
        printed = bernstein_unfairness((label != answer) * 1.0, sides * label)
        assert printed.low + printed.high == pytest.approx(misses.low + misses.high, abs=1e-12)


@pytest.mark.parametrize("centred", [False, True])
def test_the_variance_to_plan_with_is_that_of_the_rows(centred: bool) -> None:
    costs = np.repeat([1.0, 0.0, 1.0, 0.0], [30, 70, 90, 210])
    costs[130:160] = 1.0
    sides = np.repeat([1, -1], [100, 300])
    rates = costs[:100].mean(), costs[100:].mean()
    expected = amortised_disparities(costs, sides, centred=centred).var()
    assert zero_one_variance(*rates, share=0.25, centred=centred) == pytest.approx(expected, rel=1e-12)


def test_variances_and_errors_are_those_of_simulated_scores() -> None:
    effects = Effects(rate=0.3, terms=0.6, sources_by_group=0.5, cells=0.7, sources=0.9)
    random = np.random.default_rng(3)
    sizes, sources, gap = (4, 6, 9), 25, 0.12
    group = np.repeat(np.arange(3), sizes)
    shift = effects.shift(gap) * (group == 0)
    gaps, means = [], []
    for _ in range(1_200):
        score = effects.location(0.3) + random.normal(0, 0.9, (sources, 1)) + random.normal(0, 0.6, len(group)) + shift
        score = score + random.normal(0, 0.5, (sources, 3))[:, group] + random.normal(0, 0.7, (sources, len(group)))
        mean = effects.figures(score).mean(axis=0)
        gaps.append(mean[group == 0].mean() - mean[group != 0].mean())
        means.append(mean[group != 0].mean())
    assert np.mean(gaps) == pytest.approx(gap, abs=0.005)
    assert np.mean(means) == pytest.approx(0.3, abs=0.006)
    assert np.std(gaps) == pytest.approx(effects.error(sizes, sources, gap=gap), rel=0.05)


def test_without_a_gap_a_group_is_small_and_in_few_suites_worse() -> None:
    found = simulate_power(crossed_layout((12,) * 4, (30,)), Effects(), 0.0, repetitions=200)
    assert found.power <= 0.03
    assert found.small >= 0.6
    assert np.mean(small_shares(crossed_layout((12,) * 4, (30,)), Effects(), repetitions=100)) >= 0.6
    assert simulate_power(crossed_layout((12,) * 4, (30,)), Effects(), MARGIN, repetitions=200).small <= 0.12


def test_balanced_tables_are_fitted_as_least_squares_does() -> None:
    random = np.random.default_rng(3)
    table = random.random((12, 9))
    block, term = np.repeat(np.arange(12), 9), np.tile(np.arange(9), 12)
    solved = fit_figures(block, term, block, table.ravel()[None], np.ones(table.size), 9)[0]
    found = balanced_effects(table)
    assert solved.scores is not None
    for name in ("effect", "scores", "cell_variance", "cell_covariance", "level"):
        assert getattr(found, name) == pytest.approx(getattr(solved, name), abs=1e-12), name
    assert found.clusters == solved.clusters


def test_simulated_suites_are_decided_by_the_rule_of_findings() -> None:
    """The same tables give the same shares by `decide` for all groups and errors, in suites with gaps and without."""
    random = np.random.default_rng(3)
    lexeme = np.array([0, 1, 2, 3, 4, 5, 6, 7, 7, 8])  # two forms of one lexeme
    block, term = np.repeat(np.arange(24), len(lexeme)), np.tile(np.arange(len(lexeme)), 24)
    kept = random.random(len(block)) < 0.8
    texts = HarmLayout(block[kept], block[kept] // 2, term[kept])
    layout = Layout(("a", "b", "c"), lexeme, np.arange(9) % 3, (texts, texts))
    effects = Effects(terms=0.1)
    found = simulate_power(layout, effects, 0.09, group=1, repetitions=40, seed=5)
    scores = power_simulation._scores(layout, texts, effects, 1, effects.shift(0.09), np.random.default_rng(5), 40)
    words, worse = Words(layout.lexeme_group, np.bincount(lexeme) * 1.0, 3), 0
    for score in scores:
        gap, tested = (
            merge_terms(fit_figures(texts.block, texts.term, texts.cluster, f[None], np.ones(len(f)), 10)[0], lexeme, 9)
            for f in (effects.figures(score), effects.tested(score))
        )
        error = FittedError(gap=gap, tested=tested, adjusted=gap)
        worse += decide([error, error], words, margin=MARGIN)[0].status[1] == "worse"
    assert found.power == worse / 40
    assert 0.1 < found.power < 0.9


def test_the_smallest_gap_of_each_group_has_the_power() -> None:
    """Also of groups much larger or smaller than the others; two simulations with an error of 2.3 points each."""
    layout = crossed_layout((3, 20, 20), (20,))
    found = {one.terms: one for one in reach_of_layout(layout, ["a"], [Effects()], repetitions=300)}
    for group, terms in ((0, 3), (1, 20)):
        gap = found[terms].gap
        again = simulate_power(layout, Effects(), gap, group=group, repetitions=300, seed=5)
        assert again.power == pytest.approx(0.8, abs=0.08)
    assert found[20].small > found[3].small


def test_size_and_gap_are_each_others_reverse() -> None:
    sizes = (10,) * 4
    found = sources_for(0.08, sizes, Effects(), 0.8, repetitions=300)
    again = simulate_power(crossed_layout(sizes, (found,)), Effects(), 0.08, repetitions=300, seed=99)
    assert again.power == pytest.approx(0.8, abs=0.08)  # two simulations with an error of 2.3 points each
    assert gap_for(crossed_layout(sizes, (found,)), Effects(), 0.8, repetitions=300) == pytest.approx(0.08, rel=0.1)


def test_groups_of_few_terms_and_few_sentences_have_no_smallest_gap() -> None:
    found = reach_of_layout(crossed_layout((6, 6, 1), (12, 9)), ["a", "b"], [Effects()] * 2, repetitions=40)
    reasons = {(one.group, one.harm): one.reason for one in found}
    assert reasons["group 3", "a"] == "one term: nothing about the group can be found"
    assert reasons["group 1", "b"] == "fewer than 10 sentences"
    assert reasons["group 1", "a"] == ""
    found = plan_suite(0.03, terms=5, repetitions=20)
    assert (found.chosen, found.most_terms) == (None, 5)


CASES: list[tuple[Callable[[], object], str]] = [
    (lambda: examples_needed(0.0), "gap is 0.0, expected a finite number above 0."),
    (lambda: examples_needed(1.5), "gap is 1.5, expected at most the range of the cost, 1.0."),
    (
        lambda: examples_needed(0.1, power=80),
        "power is 80, expected a number above 0 and below 1.\n    For 80 percent give 0.8.",
    ),
    (
        lambda: examples_needed(0.1, method="exact"),  # type: ignore[arg-type]
        "method='exact' is not known.\n    Known: bernstein, centred, hoeffding, normal.",
    ),
    (lambda: examples_needed(0.1, gamma=0.6), "gamma is 0.6, expected a share above 0, at most 0.5."),
    (lambda: zero_one_variance(1.5, 0.1), "first is 1.5, expected a rate from 0 to 1."),
    (lambda: Effects(rate=1.0), "rate is 1.0, expected a number above 0 and below 1."),
    (lambda: Effects().shift(0.9), "the gap 0.9 is added to a rate of 0.2, expected a sum above 0 and below 1."),
    (lambda: plan_suite(0.1, terms=1), "terms is 1, expected 2 at least: one word allows no statement about a group."),
]


def test_errors() -> None:
    for call, text in CASES:
        assert refusal(OptionError, call) == text
