"""Sizes of data sets: golden figures, the printed recipe of equalized odds, and simulated power of suites."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from ethayarajh2020_bounds import bernstein_unfairness
from ethayarajh2020_figures import TABLE_1, figure_1, figure_2, population
from fairness_checklist.findings.harm_cells import Figures
from golden import golden_figures
from scipy.stats import binom

from fairness_checklist.core.errors import OptionError
from fairness_checklist.core.outcomes import Outcomes
from fairness_checklist.core.predictions_to_outcomes import reduce_to_outcomes
from fairness_checklist.core.tasks import Harm
from fairness_checklist.extensions.plan import power_simulation
from fairness_checklist.extensions.plan.pilot import effects_of, layout_of
from fairness_checklist.extensions.plan.power import METHODS, examples_needed, smallest_gap, zero_one_variance
from fairness_checklist.extensions.plan.power_simulation import (
    balanced_gaps,
    crossed_layout,
    repeated_gaps,
    simulate_power,
)
from fairness_checklist.extensions.plan.random_effects import Effects
from fairness_checklist.extensions.plan.suite_plan import (
    gap_for,
    plan_suite,
    reach_of_layout,
    sources_for,
)
from fairness_checklist.findings.family import HarmFit, family_of, scopes_of, without_better_groups
from fairness_checklist.statistics.two_way import fit_term_effects, group_gaps, merge_terms
from fairness_checklist.tables.tokens import split_any


def golden() -> dict[str, Any]:
    return golden_figures("bernstein")


def test_the_formulas_give_the_golden_figures_with_each_method() -> None:
    formulas = golden()["formulas"]
    assert smallest_gap(3160) == pytest.approx(formulas["delta_3160"], rel=1e-12)
    curve = dict(figure_2())
    for gap, n in formulas["fig2"].items():
        assert examples_needed(float(gap)) == math.floor(n) + 1
        assert curve.get(float(gap), n) == pytest.approx(n, rel=1e-12)
    expected = golden()["intervals"]["required_n"]
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
    table = golden()["table1"]
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
    expected = golden()["intervals"]["simulation"][name]
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


def test_power_without_a_gap_is_half_of_the_error_rate_at_most() -> None:
    found = simulate_power(crossed_layout((6,) * 4, (20,)), Effects(), 1e-9, repetitions=200)
    assert found.power <= 0.025


@pytest.mark.parametrize("crossed", [True, False])
def test_many_tables_at_once_are_fitted_as_one_by_one(crossed: bool) -> None:
    """With a group left out, and without: as `fit_term_effects`, `merge_terms` and `group_gaps`."""
    random = np.random.default_rng(3)
    lexeme = np.array([0, 1, 2, 3, 4, 5, 6, 7, 7, 8])  # two forms of one lexeme
    block, term = np.repeat(np.arange(12), len(lexeme)), np.tile(np.arange(len(lexeme)), 12)
    cluster = block // 2
    kept = random.random(len(block)) < 0.7
    if crossed:
        lexeme, cluster, kept = np.arange(len(lexeme)), block, np.ones(len(block), dtype=bool)
    block, term, cluster = block[kept], term[kept], cluster[kept]
    n_lexemes = int(lexeme.max()) + 1
    figures = random.random((4, len(block)))
    for labels in (np.arange(n_lexemes) % 3, np.where(np.arange(n_lexemes) % 3 == 1, -1, np.arange(n_lexemes) % 3)):
        found = repeated_gaps(block, term, cluster, lexeme, n_lexemes, 3)(figures, labels)
        if crossed:
            found_at_once = balanced_gaps(figures.reshape(4, 12, -1), labels, 3)
            assert found_at_once.gap == pytest.approx(found.gap, abs=1e-12, nan_ok=True)
            assert found_at_once.over_both == pytest.approx(found.over_both, abs=1e-12, nan_ok=True)
        for at, figure in enumerate(figures):
            fit = fit_term_effects(block, term, cluster, figure, np.ones(len(block)), len(lexeme))
            one = group_gaps(merge_terms(fit, lexeme, n_lexemes), labels[None], 3)
            assert found.gap[at] == pytest.approx(one.gap[0], abs=1e-12, nan_ok=True)
            assert found.over_both[at] == pytest.approx(one.over_both[0], abs=1e-12, nan_ok=True)
            seen = ~np.isnan(one.gap[0])
            assert found.over_sources[at][seen] == pytest.approx(one.over_sources[0][seen], abs=1e-12)


def test_simulated_suites_are_found_by_the_rule_of_findings() -> None:
    """Each table and critical value gets the answer of `without_better_groups`, where that rule changes some."""
    layout, effects = crossed_layout((6, 6, 6, 6), (12,)), Effects()
    [texts] = layout.harms
    shifts = np.array([effects.shift(0.08), -0.5, 0.0, 0.0])
    random = np.random.default_rng(6)
    scores = power_simulation._scores(layout, texts, effects, shifts, random, 40)
    gaps_of = power_simulation._gaps_of(layout, texts)
    who, rows = power_simulation._compared(layout), list(power_simulation._rows(layout))
    changed = 0
    for at, score in enumerate(scores):
        tested, gap = (power_simulation._fitted(layout, texts, of(score)) for of in (effects.tested, effects.figures))
        figures = Figures(tested, gap, gap)
        fits = (HarmFit(rows[0], figures, figures, layout.lexeme_group),)
        family = family_of(who, fits, scopes_of(who), {}, draws=99, seed=at)
        _, decided = without_better_groups(family, 0)
        expected = bool(family.low[0, 0] > 0) and bool(decided[0])
        found = power_simulation._above(layout, gaps_of, effects.tested(score)[None], 0, family.critical[:1])
        assert found.tolist() == [[expected]]
        changed += bool(family.low[0, 0] > 0) and not expected
    assert 3 <= changed <= 37


def test_the_smallest_gap_of_each_group_has_the_power() -> None:
    """Also of groups that are much larger or smaller than the others; two simulations with an error of 1.5 points."""
    layout = crossed_layout((5, 20, 20), (20,))
    found = {one.terms: one for one in reach_of_layout(layout, ["a"], [Effects()], repetitions=700)}
    for group, terms in ((0, 5), (1, 20)):
        gap = found[terms].gap
        assert gap is not None
        again = simulate_power(layout, Effects(), gap, group=group, repetitions=700, seed=5)
        assert again.power == pytest.approx(0.8, abs=0.05)


def test_size_and_gap_are_each_others_reverse_within_three_points() -> None:
    sizes = (10,) * 4
    found = sources_for(0.08, sizes, Effects(), 0.8, repetitions=800)
    assert found is not None
    count, power = found
    assert power.power == pytest.approx(0.8, abs=0.03)
    back = gap_for(crossed_layout(sizes, (count,)), Effects(), 0.8, repetitions=800)
    assert back is not None
    assert back.gap == pytest.approx(0.08, rel=0.06)


def test_few_words_show_no_small_gap_however_many_sentences() -> None:
    found = plan_suite(0.03, terms=5, repetitions=100)
    assert (found.chosen, found.most_terms) == (None, 5)


def test_groups_of_few_terms_and_few_sentences_have_no_smallest_gap() -> None:
    found = reach_of_layout(crossed_layout((6, 6, 3), (12, 9)), ["a", "b"], [Effects()] * 2, repetitions=60)
    reasons = {(one.group, one.harm): one.reason for one in found}
    assert reasons["group 3", "a"] == "fewer than 5 terms: nothing about the group can be found"
    assert reasons["group 1", "b"] == "fewer than 10 sentences"
    assert reasons["group 1", "a"] == ""


def test_effects_of_a_run_are_those_that_made_it() -> None:
    random = np.random.default_rng(8)
    made = Effects(rate=0.3, terms=0.4, sources_by_group=0.3, cells=0.5, sources=0.7)
    found = [effects_of(_outcomes(made, random), _CALLED) for _ in range(12)]
    for name in ("rate", "terms", "sources_by_group", "cells", "sources"):
        mean = np.mean([getattr(one, name) for one in found])
        assert mean == pytest.approx(getattr(made, name), rel=0.1), name
    layout, harms = layout_of(_outcomes(made, random), [_CALLED])
    assert (layout.sizes, layout.harms[0].sources, harms) == ((8, 12, 10), 40, (_CALLED,))


_CALLED = Harm("called:a", "called", "a", "called a")


def _outcomes(effects: Effects, random: np.random.Generator) -> Outcomes:
    sizes, sources = (8, 12, 10), 40
    group = np.repeat(np.arange(3), sizes)
    score = effects.location(effects.rate) + random.normal(0, effects.sources, (sources, 1))
    score = score + random.normal(0, effects.terms, len(group))
    score = score + random.normal(0, effects.sources_by_group, (sources, 3))[:, group]
    p = effects.figures(score + random.normal(0, effects.cells, score.shape)).ravel()
    table = pd.DataFrame(
        {
            "source": np.repeat(np.arange(sources), len(group)).astype(str),
            "group": np.tile(np.array(["x", "y", "z"])[group], sources),
            "term": np.tile([f"{chr(97 + t % 26) * 3}{chr(97 + t // 26) * 4}" for t in range(len(group))], sources),
            "label": "b",
            "p:a": p,
            "p:b": 1 - p,
        }
    )
    [(examples, predictions)] = split_any(table, task="sentiment", classes=("a", "b"))
    return reduce_to_outcomes(examples, predictions)


CASES: list[tuple[Callable[[], object], str]] = [
    (lambda: examples_needed(0.0), "gap is 0.0, expected a finite number above 0."),
    (lambda: examples_needed(1.5), "gap is 1.5, expected at most the range of the cost, 1.0."),
    (lambda: examples_needed(0.1, power=80), "power is 80, expected a number above 0 and below 1.\n    For 80 percent"),
    (lambda: examples_needed(0.1, method="exact"), "method is 'exact', expected one of bernstein, centred, hoef"),  # type: ignore[arg-type]
    (lambda: examples_needed(0.1, gamma=0.6), "gamma is 0.6, expected a share above 0, at most 0.5."),
    (lambda: zero_one_variance(1.5, 0.1), "first is 1.5, expected a rate from 0 to 1."),
    (lambda: Effects(rate=1.0), "rate is 1.0, expected a number above 0 and below 1."),
    (lambda: Effects().shift(0.9), "the gap 0.9 is added to a rate of 0.2, expected a sum above 0 and below 1."),
    (lambda: simulate_power(crossed_layout((4, 9), (20,)), Effects(), 0.1),
     "the group group 1 or all others have fewer than 5 terms.\n    A finding is then about these words and not about"),
    (lambda: simulate_power(crossed_layout((5, 9), (9,)), Effects(), 0.1), "9 sentences count, expected 10 at least."),
    (lambda: plan_suite(0.1, terms=4), "terms is 4, expected 5 at least: fewer allow no statement about a group."),
]  # fmt: skip


def test_errors() -> None:
    for call, text in CASES:
        with pytest.raises(OptionError) as caught:
            call()
        assert str(caught.value).startswith(text)
