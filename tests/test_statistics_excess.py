"""The excess over the spread inside the groups: by hand, against every term as a group of its own, and its laws."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from build_outcomes import THREE, Row, outcomes_of, random_rows
from scipy.stats import energy_distance
from sweep import sweep

from fairness_checklist.core.outcomes import Outcomes
from fairness_checklist.core.terms_as_groups import by_term
from fairness_checklist.metrics.catalogue import compute
from fairness_checklist.metrics.metric_forms import METRICS, Options
from fairness_checklist.metrics.weights import by_term as terms_as_parts
from fairness_checklist.statistics.small_sample_bias import excess, has_excess, term_distances

OF_PAIRS = [name for name, line in METRICS.items() if has_excess(line)]
OF_DISTANCES = [name for name in OF_PAIRS if name not in ("impact_ratio", "las_difference")]


def copied(outcomes_rows: list[Row]) -> Outcomes:
    """The terms of the group ash, and a second group that holds a copy of each."""
    ash = [row for row in outcomes_rows if row.group == "ash"]
    return outcomes_of(ash + [row.but(group="birch", term=f"{row.term}-copy") for row in ash], ("ash", "birch"), THREE)


@sweep("name", OF_PAIRS)
@sweep("how", [{}, {"weights": True}, {"missing": 0.3}])
def test_identical_groups_have_no_excess(name: str, how: dict[str, object]) -> None:
    rows = random_rows(5, classes=THREE, sources=15, most_terms=4, **how)  # type: ignore[arg-type]
    outcomes = copied(rows)
    value = compute(name, outcomes).value
    found = excess(METRICS[name], terms_as_parts(outcomes))
    assert found is not None
    assert not np.isnan(value).all()
    np.testing.assert_allclose(found[~np.isnan(found)], 0, atol=1e-12)
    assert np.isnan(found).sum() <= np.isnan(value).sum()


@sweep("name", OF_PAIRS)
@sweep("how", [{}, {"weights": True, "missing": 0.3}])
def test_distances_of_terms_are_those_of_terms_as_groups(name: str, how: dict[str, object]) -> None:
    outcomes = outcomes_of(random_rows(6, classes=THREE, sources=12, **how), classes=THREE)  # type: ignore[arg-type]
    found = term_distances(METRICS[name], terms_as_parts(outcomes), Options())
    assert found is not None
    alone = compute(name, by_term(outcomes))
    left, right = np.triu_indices(len(found), k=1)
    np.testing.assert_allclose(found[left, right], alone.value, atol=1e-12)
    np.testing.assert_allclose(found[right, left], alone.value, atol=1e-12)


def several_words(rows: list[Row], seed: int) -> Outcomes:
    """Every row once or twice: sets of two sizes a term."""
    generator = np.random.default_rng(seed)
    more = [row.but(p=(1 - p, p)) for row in rows for p in generator.random(int(generator.integers(1, 4)))]
    return outcomes_of(more)


@pytest.mark.parametrize("name", ["avg_if", "avg_if_tc", "cf_gap", "changed_answers"])
def test_terms_with_several_rows_in_a_source(name: str) -> None:
    outcomes = several_words(random_rows(7, sources=8), 1)
    found = term_distances(METRICS[name], terms_as_parts(outcomes), Options())
    assert found is not None
    left, right = np.triu_indices(len(found), k=1)
    np.testing.assert_allclose(found[left, right], compute(name, by_term(outcomes)).value, atol=1e-12)


def test_half_the_energy_distance_of_the_terms_scores() -> None:
    generator = np.random.default_rng(8)
    scores = {"ash": generator.random(5), "birch": generator.random(7)}
    rows = [
        Row(group, (1 - p, p), "positive", source="s", term=f"{group}-{t}")
        for group, values in scores.items()
        for t, p in enumerate(values.tolist())
    ]
    outcomes = outcomes_of(rows, ("ash", "birch"))
    for name in ("cf_gap", "avg_if"):
        found = excess(METRICS[name], terms_as_parts(outcomes))
        assert found is not None
        assert found[0, 1] == pytest.approx(energy_distance(scores["ash"], scores["birch"]) ** 2 / 2)


@pytest.mark.parametrize("name", ["cf_gap", "pert_ss", "avg_if", "changed_answers", "parity_gap", "accuracy_gap"])
def test_where_every_term_is_in_every_source_it_is_never_negative(name: str) -> None:
    for seed in range(5):
        generator = np.random.default_rng(seed)
        rows = [
            Row(group, (1 - p, p), "positive", source=f"s{s}", term=f"{group}-{t}")
            for s, group, t in product(range(4), ("ash", "birch", "cedar"), range(3))
            for p in [float(generator.random())]
        ]
        found = excess(METRICS[name], terms_as_parts(outcomes_of(rows)))
        assert found is not None
        assert found.min() >= -1e-12


def test_single_terms_have_the_value_itself_as_excess() -> None:
    outcomes = outcomes_of(random_rows(9, most_terms=1, control=False))
    for name in OF_DISTANCES:
        value = compute(name, outcomes).value
        found = excess(METRICS[name], terms_as_parts(outcomes))
        assert found is not None
        np.testing.assert_allclose(found, value, atol=1e-12)


def test_terms_without_a_score_are_left_out() -> None:
    rows = [
        Row("ash", (0.2, 0.8), "positive", source="s1", term="x"),
        Row("ash", (0.5, 0.5), "", source="s2", term="y"),
        Row("birch", (0.6, 0.4), "positive", source="s1", term="u"),
    ]
    found = excess(METRICS["tpr_gap"], terms_as_parts(outcomes_of(rows, ("ash", "birch"))))
    assert found is not None
    assert found[0, 1] == pytest.approx(1.0)  # y has no rate: |1 - 0|
    assert np.isnan(found[0, 0])


def test_too_many_terms_for_a_comparison_of_ones_own_have_none(monkeypatch: pytest.MonkeyPatch) -> None:
    def squared(x: np.ndarray, y: np.ndarray) -> np.ndarray:
        return (x - y) ** 2

    outcomes = outcomes_of(random_rows(10))
    line = replace(METRICS["cf_gap"], compare=squared)
    found = term_distances(line, terms_as_parts(outcomes), Options())
    assert found is not None
    left, right = np.triu_indices(len(found), k=1)
    np.testing.assert_allclose(found[left, right], compute(line, by_term(outcomes)).value, atol=1e-12)
    monkeypatch.setattr("fairness_checklist.statistics.small_sample_bias._MOST", 10)
    assert excess(line, terms_as_parts(outcomes)) is None
