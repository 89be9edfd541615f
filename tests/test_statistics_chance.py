"""Null means and the test of assignment: against the metric computed anew, by hand, by its rate of rejection."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from build_outcomes import THREE, Row, outcomes_of, permuted_both_ways, random_rows
from golden import golden_figures
from hypothesis import given, settings
from hypothesis import strategies as st
from sweep import sweep

import fairness_checklist as fc
from fairness_checklist.core.errors import OptionError
from fairness_checklist.core.outcomes import Outcomes
from fairness_checklist.core.predictions_to_outcomes import reduce_to_outcomes
from fairness_checklist.core.terms_as_groups import by_term
from fairness_checklist.metrics import comparisons, scores
from fairness_checklist.metrics.backgrounds import everyone_else
from fairness_checklist.metrics.catalogue import compute
from fairness_checklist.metrics.engine import patterns, shares_sums
from fairness_checklist.metrics.metric_forms import METRICS, Metric, Options
from fairness_checklist.metrics.weights import by_term as by_term_parts
from fairness_checklist.metrics.weights import terms_of
from fairness_checklist.statistics.permutation import draw_assignments, number_of_assignments, permutation_test


def tagged_outcomes() -> Outcomes:
    """A tagger that finds long names only, sentences of nine words."""
    suite = fc.Suite.build("names", task="ner", max_terms=4, templates=["ner-0*"])

    def predicted(texts: list[str]) -> list[list[dict[str, object]]]:
        found = [[(a, b) for a, b in fc.words(text) if text[a].isupper() and b - a > 4] for text in texts]
        return [[{"start": a, "end": b, "label": "PER"} for a, b in spans] for spans in found]

    predictions = fc.load_model(predicted, task="ner", classes=["PER", "LOC", "ORG"]).predict(suite.texts())
    return reduce_to_outcomes(suite.parts[0].examples, predictions)


SETS = {
    "two classes": lambda: outcomes_of(random_rows(1)),
    "three classes, ties, unlabelled": lambda: outcomes_of(
        random_rows(2, classes=THREE, ties=True, unlabelled=2, sources=12), classes=THREE
    ),
    "missing groups": lambda: outcomes_of(random_rows(3, missing=0.3)),
    "weights": lambda: outcomes_of(random_rows(4, weights=True)),
    "two groups": lambda: outcomes_of(random_rows(5, groups=("ash", "birch")), ("ash", "birch")),
    "a tagger": tagged_outcomes,
}


@pytest.fixture(scope="module", params=SETS, ids=list(SETS))
def outcomes(request: pytest.FixtureRequest) -> Outcomes:
    return SETS[request.param]()


def several_rows(seed: int) -> Outcomes:
    """One to three rows a term and source, with weights."""
    generator = np.random.default_rng(seed)
    rows = random_rows(seed, classes=THREE, weights=True, missing=0.2)
    more = [row.but(p=tuple(generator.dirichlet(np.ones(3)))) for row in rows for _ in range(generator.integers(1, 4))]
    return outcomes_of(more, classes=THREE)


def both_ways(outcomes: Outcomes, metric: Metric, options: Options | None = None) -> tuple[np.ndarray, np.ndarray]:
    """The values from the engine, and the metric of relabelled rows."""
    return permuted_both_ways(metric, outcomes, options, draws=8, seed=5)


@sweep("name", list(METRICS))
def test_sums_by_term_give_what_the_metric_gives(outcomes: Outcomes, name: str) -> None:
    if np.isnan(compute(name, outcomes).value).all() and name not in ("fpr_ratio", "fnr_ratio"):
        return  # nothing of the kind is known of these outcomes
    found, expected = both_ways(outcomes, METRICS[name])
    if name == "pert_sd":
        np.testing.assert_allclose(found, expected, rtol=0.01)  # rows of the product for an integral
    else:
        np.testing.assert_allclose(found, expected, atol=1e-12)


@pytest.mark.parametrize("name", [name for name in METRICS if name != "las_difference"])
def test_several_rows_a_term_weights_and_pieces(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fairness_checklist.metrics.closed_forms._CHUNK", 100)
    monkeypatch.setattr("fairness_checklist.metrics.group_kernels._CHUNK", 50)
    monkeypatch.setattr("fairness_checklist.metrics.aucs._CHUNK", 50)
    monkeypatch.setattr("fairness_checklist.statistics.permutation._CHUNK", 500)
    outcomes = several_rows(31)
    if np.isnan(compute(name, outcomes).value).all():
        assert name in ("pos_avg_eg", "neg_avg_eg")
        return
    found, expected = both_ways(outcomes, METRICS[name])
    np.testing.assert_allclose(found, expected, **({"rtol": 0.02} if name == "pert_sd" else {"atol": 1e-12}))


@sweep("background", ["everyone", "everyone_else", "everyone_balanced", "unmarked", "group:birch"])
@sweep("name", ["fnr_gap", "avg_gf", "avg_eg", "pinned_auc", "independence", "pi_metric"])
def test_other_backgrounds(name: str, background: str) -> None:
    outcomes = outcomes_of(random_rows(32, classes=THREE, missing=0.2, weights=True), classes=THREE)
    found, expected = both_ways(outcomes, METRICS[name], Options(background=background))
    assert not np.isnan(expected).all() or name == "independence"
    np.testing.assert_allclose(found, expected, atol=1e-12)


@given(seed=st.integers(0, 10_000), missing=st.sampled_from([0.0, 0.4]), ties=st.booleans(), weights=st.booleans())
@settings(max_examples=25, deadline=None)
def test_of_any_outcomes(seed: int, missing: float, ties: bool, weights: bool) -> None:
    outcomes = outcomes_of(random_rows(seed, sources=4, missing=missing, ties=ties, weights=weights))
    if len(terms_of(outcomes)) < 2:
        return
    for name in ("fnr_gap", "avg_eg", "avg_gf", "avg_if_tc", "cf_gap", "pert_sr", "avg_score_difference", "pert_ld"):
        np.testing.assert_allclose(*both_ways(outcomes, METRICS[name]), atol=1e-12)


def test_means_and_rates_inside_sources_of_ones_own_families() -> None:
    outcomes = outcomes_of(random_rows(33, missing=0.3))
    line = METRICS["avg_score_difference"]
    for changed in (
        replace(line, score=scores.true_positive_rate, compare=comparisons.abs_diff),
        replace(line, family="multigroup", compare=comparisons.score_range, normalise=None),
        replace(line, family="background", background=everyone_else, normalise=None),
    ):
        np.testing.assert_allclose(*both_ways(outcomes, changed), atol=1e-12)


def test_what_has_no_sums_is_computed_anew() -> None:
    outcomes = outcomes_of(random_rows(34, sources=3))
    options = Options(max_groupings=4)
    assert not shares_sums(METRICS["pert_sr"], options)
    chance = permutation_test(METRICS["pert_sr"], outcomes, options, draws=10)
    assert chance.total_p is not None
    assert 0 < chance.total_p[0] <= 1
    assert chance.drawn.shape == (10, 1, 1)


def test_all_assignments_of_few_terms() -> None:
    assignments = draw_assignments(np.array([0, 1, 0, 2]), 1000)
    assert (assignments.complete, assignments.possible, len(assignments)) == (True, 12, 12)
    assert len({tuple(row) for row in assignments.group.tolist()}) == 12
    assert all(Counter(row) == {0: 2, 1: 1, 2: 1} for row in assignments.group.tolist())
    assert assignments.smallest_p == 1 / 12
    assert number_of_assignments([2, 1, 1]) == 12


def test_drawn_assignments_keep_the_sizes_and_come_from_the_seed() -> None:
    group = np.arange(60) % 7
    one, again, other = (draw_assignments(group, 50, seed) for seed in (1, 1, 2))
    assert not one.complete
    assert one.smallest_p == 1 / 51
    np.testing.assert_array_equal(one.group, again.group)
    assert (one.group != other.group).any()
    np.testing.assert_array_equal(np.sort(one.group, axis=1), np.tile(np.sort(group), (50, 1)))


def test_draws_must_be_some() -> None:
    with pytest.raises(OptionError) as error:
        draw_assignments(np.array([0, 1]), 0)
    assert str(error.value) == "draws=0 is not a number of assignments: it must be 1 or more."


def four_terms() -> Outcomes:
    """Two groups of two terms each; false negative rates 1, 1 against 0, 0 over two sources."""
    rows = []
    for s in ("s1", "s2"):
        for group, term, right in (("a", "x", 0), ("a", "y", 0), ("b", "u", 1), ("b", "v", 1)):
            p = (0.2, 0.8) if right else (0.8, 0.2)
            rows.append(Row(group, p, "positive", source=s, term=term))
    return outcomes_of(rows, ("a", "b"))


def test_four_terms_by_hand() -> None:
    # the six ways to split four terms in two pairs: both groups apart in two of them, alike in four
    chance = permutation_test(METRICS["tpr_gap"], four_terms(), draws=100)
    k = 1
    assert chance.assignments.complete
    assert chance.null_mean[0, k] == pytest.approx(2 / 6)
    assert chance.p_value[0, k] == pytest.approx(2 / 6)
    assert chance.total_p is not None
    assert chance.total_p[k] == pytest.approx(2 / 6)
    signed = permutation_test(METRICS["fnr_gap"], four_terms(), draws=100)
    assert signed.null_mean[:, k] == pytest.approx([0, 0])
    assert signed.p_value[:, k] == pytest.approx([2 / 6, 2 / 6])


def test_rows_without_a_term_have_no_level_of_chance() -> None:
    rows = [row.but(term="") for row in random_rows(6, control=False)]
    chance = permutation_test(METRICS["fnr_gap"], outcomes_of(rows), draws=20)
    assert chance.why == "rows without a term"
    assert np.isnan(chance.p_value).all()
    assert np.isnan(chance.null_mean).all()


def test_what_is_undefined_has_no_p() -> None:
    rows = [row for row in random_rows(7, sources=4) if not (row.group == "ash" and row.label == "positive")]
    chance = permutation_test(METRICS["fnr_gap"], outcomes_of(rows), draws=50)
    undefined = np.isnan(compute("fnr_gap", outcomes_of(rows)).value)
    assert undefined.any()
    np.testing.assert_array_equal(np.isnan(chance.p_value), undefined)


def test_the_part_of_a_sentence_is_tested_alone() -> None:
    outcomes = tagged_outcomes()
    slot = permutation_test(METRICS["fnr_gap"], outcomes, Options(where="slot"), draws=30)
    again = permutation_test(METRICS["fnr_gap"], outcomes.view("slot"), draws=30)
    np.testing.assert_array_equal(slot.p_value, again.p_value)
    assert (~np.isnan(slot.p_value)).any()


def rejections(of_terms: np.ndarray, splits: int, draws: int) -> float:
    """How often a nominal 5 % test rejects random splits of terms into two groups, of 100."""
    generator = np.random.default_rng(11)
    rejected = 0
    for _ in range(splits):
        group = generator.permutation(np.arange(len(of_terms)) % 2)
        assignments = draw_assignments(group, draws, int(generator.integers(1 << 30)))

        def apart(assigned: np.ndarray) -> np.ndarray:
            first = (assigned == 0).astype(np.float64)
            return np.abs(first @ of_terms / first.sum(-1) - (1 - first) @ of_terms / (1 - first).sum(-1))

        rejected += assignments.p_value(float(apart(group)), apart(assignments.group)) <= 0.05
    return 100 * rejected / splits


def test_random_splits_of_real_terms_are_rejected_at_the_nominal_rate(shared_data: Path) -> None:
    frame = pd.read_csv(shared_data / "dixon" / "scored_phrases.csv")
    terms = list(golden_figures("dixon")["scored_phrases"]["terms"])
    assert len(terms) == 51
    nontoxic = (frame["toxicity"] == "nontoxic").to_numpy()
    wrong = (frame["score"] >= 0.74).to_numpy()
    phrases = frame["phrase"].str.lower()
    held = [phrases.str.contains(rf"(?<!\w){re.escape(term)}(?!\w)").to_numpy() for term in terms]
    rates = np.array([wrong[nontoxic & rows].mean() for rows in held])
    assert 4 <= rejections(rates, splits=1000, draws=199) <= 6


def test_the_test_holds_its_level_where_terms_differ_and_sources_are_many() -> None:
    """The whole engine on simulated outcomes: term effects, no group effect."""
    generator = np.random.default_rng(3)
    rejected, tries = 0, 120
    for _ in range(tries):
        effect = generator.normal(size=12)
        rows = [
            Row("ab"[t % 2], (1 - p, p), "positive", source=f"s{s}", term=f"t{t}")
            for s in range(8)
            for t in range(12)
            for p in [1 / (1 + np.exp(-effect[t] - generator.normal()))]
        ]
        chance = permutation_test(METRICS["avg_eg"], outcomes_of(rows, ("a", "b")), draws=99, seed=1)
        rejected += chance.p_value[0, 1] <= 0.05
    assert 1 <= rejected <= 13  # 6 expected; the chance of leaving this range is below .004


def test_by_term_each_term_is_its_own_group_and_may_be_tested_too() -> None:
    chance = permutation_test(METRICS["fpr_gap"], by_term(outcomes_of(random_rows(9))), draws=30)
    assert ((chance.p_value > 0) | np.isnan(chance.p_value)).all()


def test_patterns_of_the_sources() -> None:
    rows = [Row(g, (0.4, 0.6), "positive", source=s, term=g) for s in ("s1", "s2", "s3") for g in ("ash", "birch")]
    outcomes = outcomes_of(rows, ("ash", "birch"))
    assert patterns(by_term_parts(outcomes)) == 1
    outcomes = outcomes_of(rows[:-1], ("ash", "birch"))
    assert patterns(by_term_parts(outcomes)) == 2
