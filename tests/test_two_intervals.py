"""The two intervals: their coverage where the truth is known, their edges, and what they do not depend on."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats
from simulation import GAP, crossed, simulated
from sweep import sweep

from fairness_checklist.core.arrays import IntArray
from fairness_checklist.core.outcomes import Outcomes, kinds_of_decisions
from fairness_checklist.metrics import scores
from fairness_checklist.metrics.catalogue import compute
from fairness_checklist.metrics.metric_forms import METRICS, Options
from fairness_checklist.statistics.influence import influence_parts, left_out_parts
from fairness_checklist.statistics.influence_scores import sides_of
from fairness_checklist.statistics.intervals import intervals_of, resamples_of, score_intervals
from fairness_checklist.statistics.subsets import as_computed
from fairness_checklist.statistics.variance import variance_over_both

ENDS = ("ci_low", "ci_high", "ci_low_terms", "ci_high_terms")
COVERED = ("fnr_gap", "fpr_gap", "avg_eg", "accuracy_difference", "avg_score_difference", "cf_gap", "pert_ss", "avg_gf")


def ends_of(name: str, outcomes: Outcomes, **options: object) -> dict[tuple[str, str, str], dict[str, float]]:
    result = compute(name, outcomes, Options(**options))  # type: ignore[arg-type]
    return dict(intervals_of(result, resamples_of(outcomes)))


def values_of(name: str, outcomes: Outcomes) -> dict[tuple[str, str, str], float]:
    return {(row["class"], row["left"], row["right"]): row["value"] for row in compute(name, outcomes).rows()}


def share_covered(*, redrawn_terms: bool, repetitions: int) -> float:
    """How often the interval holds the truth, over metrics, contrasts, totals and classes."""
    random = np.random.default_rng(3)
    effects = 0.35 * random.normal(size=(32, 3))
    if redrawn_terms:
        large = simulated(np.random.default_rng(4), templates=150, terms=60)
    else:
        large = simulated(random, templates=700, terms=8, effects=effects)
    truth = {(name, *key): value for name in COVERED for key, value in values_of(name, large).items()}
    low, high = ("ci_low_terms", "ci_high_terms") if redrawn_terms else ("ci_low", "ci_high")
    inside, of_all = 0, 0
    for at in range(repetitions):
        outcomes = simulated(random, templates=30, terms=8, effects=None if redrawn_terms else effects)
        resamples = resamples_of(outcomes, draws=399, seed=at)
        for name in COVERED:
            for key, ends in intervals_of(compute(name, outcomes), resamples).items():
                inside += ends[low] <= truth[name, *key] <= ends[high]
                of_all += 1
    return inside / of_all


@pytest.mark.parametrize("redrawn_terms", [False, True], ids=["these terms", "terms like these"])
def test_coverage_at_thirty_templates_and_eight_terms(redrawn_terms: bool) -> None:
    assert 0.92 <= share_covered(redrawn_terms=redrawn_terms, repetitions=25) <= 0.98


def test_many_independent_rows_give_students_interval() -> None:
    random = np.random.default_rng(1)
    n = 2500
    value = random.random(n)
    rows = crossed(
        np.stack([1 - value, value], axis=1),
        np.zeros(n, dtype=np.int64),
        np.arange(n),
        np.arange(n) % 2,
        np.full(n, -1),
        2,
    )
    rows = replace(rows, sources=(), source=np.full(n, -1), terms=(), term_group=np.zeros(0, dtype=np.int64))
    of_groups, _ = score_intervals(scores.SCORES["mean_probability"], rows, resamples_of(rows))
    for g in (0, 1):
        own = value[rows.group == g]
        expected = stats.t.interval(0.95, len(own) - 1, own.mean(), own.std(ddof=1) / np.sqrt(len(own)))
        np.testing.assert_allclose(of_groups[1 + g, 1, :2], expected, atol=2e-5)
    assert np.isnan(of_groups[..., 2:]).all()


def without_errors(outcomes: Outcomes, group: int) -> Outcomes:
    """The group's rows are all decided rightly."""
    gold, decided = outcomes.gold.argmax(axis=1), outcomes.predicted.argmax(axis=1)
    decided = np.where(outcomes.group == group, gold, decided)
    return replace(outcomes, **kinds_of_decisions(gold, decided, outcomes.gold.shape[1]))


def test_a_group_without_errors_has_an_exact_binomial_bound_over_templates() -> None:
    outcomes = without_errors(simulated(np.random.default_rng(2), templates=30, terms=8), 1)
    of_groups, _ = score_intervals(scores.SCORES["false_negative_rate"], outcomes, resamples_of(outcomes))
    bound = 1 - 0.025 ** (1 / 10)  # ten templates of each class
    np.testing.assert_allclose(of_groups[2, :, 0], 0.0, atol=1e-12)
    np.testing.assert_allclose(of_groups[2, :, 1], bound, rtol=1e-9)
    assert (of_groups[3, :, 1] - of_groups[3, :, 0] > 0.05).all()


def test_a_gap_to_a_group_without_errors_is_no_more_certain_than_its_rate() -> None:
    outcomes = without_errors(simulated(np.random.default_rng(2), templates=30, terms=8), 1)
    for ends in (ends_of("fnr_gap", outcomes), ends_of("tpr_difference", outcomes)):
        of_group = [end for (_label, left, right), end in ends.items() if "group 1" in (left, right)]
        assert of_group
        assert all(end["ci_high"] - end["ci_low"] > 1 - 0.025 ** (1 / 10) for end in of_group)


def test_one_term_a_group_leaves_terms_like_these_open() -> None:
    outcomes = simulated(np.random.default_rng(5), templates=12, terms=1)
    for name in ("fnr_gap", "avg_eg", "avg_if", "subgroup_auc"):
        for ends in ends_of(name, outcomes).values():
            assert np.isnan([ends["ci_low_terms"], ends["ci_high_terms"]]).all()
            assert np.isfinite([ends["ci_low"], ends["ci_high"]]).all()


def test_one_template_leaves_both_open() -> None:
    outcomes = simulated(np.random.default_rng(5), templates=1, terms=4)
    found = ends_of("cf_gap", outcomes)
    assert np.isnan([end for ends in found.values() for end in ends.values()]).all()


def test_rows_without_terms_have_no_terms_like_these() -> None:
    outcomes = simulated(np.random.default_rng(5), templates=9, terms=2)
    nameless = replace(outcomes, term=np.full(len(outcomes), -1))
    for ends in ends_of("accuracy_gap", nameless).values():
        assert np.isnan([ends["ci_low_terms"], ends["ci_high_terms"]]).all()


@sweep("name", list(METRICS))
def test_every_metric_has_both_intervals_around_its_values(name: str) -> None:
    outcomes = simulated(np.random.default_rng(6), templates=18, terms=4, classes=2 if "_avg_eg" in name else 3)
    if METRICS[name].background is not None and METRICS[name].background_name() == "unmarked":
        pytest.skip("there is no control here")
    values = values_of(name, outcomes)
    if np.isnan(list(values.values())).all():
        pytest.skip("it has no value here")
    found = ends_of(name, outcomes)
    unsigned = name in ("fped", "tpr_gap", "avg_if", "cf_gap")
    for key, value in values.items():
        ends = found[key]
        if np.isnan(value):
            assert np.isnan(list(ends.values())).all()
            continue
        assert ends["ci_low"] - 1e-12 <= value <= ends["ci_high"] + 1e-12
        assert ends["ci_low_terms"] - 1e-12 <= value <= ends["ci_high_terms"] + 1e-12
        if not unsigned:
            continue
        assert min(ends["ci_low"], ends["ci_low_terms"]) >= 0


def test_a_class_that_one_template_has_gets_no_interval() -> None:
    outcomes = simulated(np.random.default_rng(12), templates=10, terms=4)
    gold = np.where(outcomes.gold.argmax(axis=1) == 2, 1, outcomes.gold.argmax(axis=1))
    gold[outcomes.source == 2] = 2
    units = outcomes.units
    assert units is not None
    alone = crossed(units.probability, gold, outcomes.source, outcomes.group, outcomes.term, len(GAP))
    for name in ("fnr_gap", "avg_eg", "cf_gap_tc", "tpr_difference"):
        found = ends_of(name, alone)
        lone = [ends for (label, *_), ends in found.items() if label == "ci_high"]
        others = [ends for (label, *_), ends in found.items() if label == "ci_low"]
        assert np.isfinite([[e["ci_low"], e["ci_high"]] for e in others]).all(), name
        rate = name in ("fnr_gap", "tpr_difference")  # a rate of 0 or 1 has an exact bound, of one template too
        assert all(np.isnan(e["ci_low"]) or (rate and e["ci_high"] - e["ci_low"] > 0.9) for e in lone), name


def in_order(outcomes: Outcomes, order: IntArray) -> Outcomes:
    """The same rows in another order."""
    units = outcomes.units
    assert units is not None
    return crossed(
        units.probability[order],
        units.label[order],
        outcomes.source[order],
        outcomes.group[order],
        outcomes.term[order],
        len(GAP),
    )


def test_strata_do_not_depend_on_the_order_of_rows() -> None:
    outcomes = simulated(np.random.default_rng(13), templates=12, terms=3)
    sources = tuple(replace(s, template=f"t{i // 2}") for i, s in enumerate(outcomes.sources))
    order = np.random.default_rng(14).permutation(len(outcomes))
    shuffled = in_order(outcomes, order)
    first = ends_of("fnr_gap", replace(outcomes, sources=sources))
    second = ends_of("fnr_gap", replace(shuffled, sources=sources))
    for key, ends in first.items():
        np.testing.assert_allclose(list(ends.values()), list(second[key].values()), atol=1e-9)


def test_leaving_out_gives_the_spread_of_the_closed_form() -> None:
    outcomes = simulated(np.random.default_rng(15), templates=12, terms=8)
    clusters = resamples_of(outcomes).clusters
    for name in ("tpr_difference", "avg_score_difference"):
        computed = as_computed(compute(name, outcomes), outcomes)
        derived = influence_parts(computed, clusters, sides_of(METRICS[name], outcomes, clusters))
        closed = np.concatenate([part.cell for part in derived], axis=1)
        (part,) = left_out_parts(computed, clusters)
        one, other = (
            np.sqrt(variance_over_both(clusters.in_templates(cell), cell, clusters)[0]) for cell in (closed, part.cell)
        )
        assert np.nanmedian(other / one) == pytest.approx(1, abs=0.25)


@pytest.mark.parametrize("name", ["fnr_gap", "avg_eg", "avg_if", "tpr_gap", "subgroup_auc", "pert_sr"])
def test_intervals_do_not_depend_on_the_order_of_rows_or_the_names(name: str) -> None:
    outcomes = simulated(np.random.default_rng(7), templates=12, terms=3)
    order = np.random.default_rng(8).permutation(len(outcomes))
    shuffled = in_order(outcomes, order)
    first, second = ends_of(name, outcomes), ends_of(name, shuffled)
    for key, ends in first.items():
        np.testing.assert_allclose(list(ends.values()), list(second[key].values()), atol=1e-9)


def test_more_templates_and_more_terms_make_narrower_intervals() -> None:
    widths = []
    for templates, terms in ((12, 4), (48, 16)):
        outcomes = simulated(np.random.default_rng(9), templates=templates, terms=terms)
        ends = ends_of("accuracy_difference", outcomes).values()
        widths.append(
            [
                np.mean([e["ci_high"] - e["ci_low"] for e in ends]),
                np.mean([e["ci_high_terms"] - e["ci_low_terms"] for e in ends]),
            ]
        )
    assert (np.array(widths[1]) < 0.7 * np.array(widths[0])).all()


def test_the_two_way_variance_is_unbiased_for_crossed_effects() -> None:
    random = np.random.default_rng(10)
    templates, terms, found = 24, 9, []
    for _ in range(150):
        effect = (
            random.normal(size=(templates, 1))
            + 0.7 * random.normal(size=(1, terms))
            + random.normal(size=(templates, terms))
        )
        outcomes = simulated(random, templates=templates, terms=terms, gap=np.zeros(1))
        clusters = resamples_of(outcomes, draws=0).clusters
        cell = ((effect - effect.mean()) / effect.size).reshape(-1, 1, 1)
        one = replace(clusters, stratum=np.zeros(templates, dtype=np.int64))
        found.append(variance_over_both(one.in_templates(cell), cell, one)[0][0, 0])
    truth = 1 / templates + 0.49 / terms + 1 / (templates * terms)
    assert np.mean(found) == pytest.approx(truth, rel=0.08)
