"""The bootstrap: its coverage where the truth is known, its law (draws are metrics of repeated rows), and its edges."""

from dataclasses import replace

import numpy as np
import pytest
from build_outcomes import example_sets, outcomes_of, random_rows
from scipy import stats
from simulation import crossed, simulated
from sweep import sweep

from fairness_checklist.core.outcomes import Outcomes
from fairness_checklist.metrics import scores
from fairness_checklist.metrics.catalogue import compute
from fairness_checklist.metrics.engine import weighted_values
from fairness_checklist.metrics.metric_forms import METRICS, Options
from fairness_checklist.run.evaluation import evaluate_sets
from fairness_checklist.run.options import RunOptions
from fairness_checklist.statistics import bootstrap
from fairness_checklist.statistics.bootstrap import (
    Resamples,
    interval,
    metric_intervals,
    resamples_of,
    rows_looked_at,
    score_intervals,
)

Ends = dict[tuple[str, str, str], tuple[float, float]]


def drawn(outcomes: Outcomes, draws: int = 199, seed: int = 0) -> Resamples:
    resamples = resamples_of(outcomes, draws=draws, seed=seed)
    assert resamples is not None
    return resamples


def ends_of(name: str, outcomes: Outcomes, **options: object) -> Ends:
    result = compute(name, outcomes, Options(**options))  # type: ignore[arg-type]
    return metric_intervals(result, drawn(rows_looked_at(result, outcomes)))


@pytest.fixture(scope="module")
def outcomes() -> Outcomes:
    return outcomes_of(random_rows(21, sources=8, most_terms=3, missing=0.15, weights=True))


@sweep("name", sorted(METRICS))
def test_a_draw_is_the_metric_of_repeated_rows(name: str, outcomes: Outcomes) -> None:
    resamples = drawn(outcomes, draws=3)
    found = weighted_values(METRICS[name], resamples.parts, Options(), resamples.weights(3))
    if METRICS[name].level == "group":
        for times, of_part, value in zip(resamples.times, resamples.of_terms, found, strict=True):
            weight = outcomes.weight * times[resamples.block] * of_part[resamples.parts.code]
            again = compute(name, replace(outcomes, weight=weight)).value
            np.testing.assert_allclose(value, again, rtol=0, atol=1e-12)
        return
    for times, of_part, value in zip(resamples.times, resamples.of_terms, found, strict=True):
        again = compute(name, replace(outcomes, weight=outcomes.weight * of_part[resamples.parts.code]))
        block = np.array([resamples.block[outcomes.source == s][0] for s in range(len(outcomes.sources))])
        fine = ~np.isnan(again.by_source)
        count = np.where(fine, times[block][:, None, None], 0.0)
        summed = (count * np.where(fine, again.by_source, 0.0)).sum(axis=0)
        with np.errstate(invalid="ignore"):
            np.testing.assert_allclose(value, summed / count.sum(axis=0), rtol=0, atol=1e-12)


def test_what_is_drawn() -> None:
    rows = random_rows(3, sources=12, most_terms=3, weights=True)
    outcomes = replace(outcomes_of(rows), lexemes=tuple(name[:-1] for name in outcomes_of(rows).terms))
    resamples = drawn(outcomes, draws=50)
    gold = outcomes.gold.argmax(axis=1)
    for label in (0, 1):  # as many families of each gold class as there are
        blocks = np.unique(resamples.block[gold == label])
        assert (resamples.times[:, blocks].sum(axis=1) == len(blocks)).all()
    assert (resamples.of_terms == 1).all()  # each group has one lexeme
    distinct = drawn(replace(outcomes, lexemes=()), draws=50)
    of_group = distinct.parts.group[:-1]
    for g in range(3):
        assert (distinct.of_terms[:, :-1][:, of_group == g].sum(axis=1) == (of_group == g).sum()).all()
    assert (distinct.of_terms[:, -1] == 1).all()  # the control is no word
    assert distinct.of_terms[:, :-1].std() > 0
    same = drawn(replace(outcomes, lexemes=()), draws=50)
    np.testing.assert_array_equal(distinct.times, same.times)
    assert (distinct.times != drawn(replace(outcomes, lexemes=()), draws=50, seed=1).times).any()


@sweep("change", [{"intersection": ("trees", "age")}, {"term": np.full(1, -1)}])
def test_words_that_stay_as_they_are(change: dict[str, object]) -> None:
    outcomes = simulated(np.random.default_rng(5), templates=9, terms=2)
    change = {name: np.resize(value, len(outcomes)) if name == "term" else value for name, value in change.items()}
    assert (drawn(replace(outcomes, **change)).of_terms == 1).all()  # type: ignore[arg-type]


def test_very_many_rows_are_dealt_into_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bootstrap, "_MOST_BLOCKS", 40)
    rows = [row.but(source="", term="") for row in random_rows(5, sources=60, control=False)]
    outcomes = outcomes_of(rows)
    resamples = drawn(outcomes)
    assert resamples.times.shape == (199, 40)
    count = np.bincount(resamples.block)
    assert count.max() - count.min() <= 1
    mixed = [len(set(outcomes.gold.argmax(axis=1)[resamples.block == b])) for b in range(40)]
    assert mixed.count(2) <= 1


def test_coverage_at_thirty_templates_and_eight_terms() -> None:
    """Other sentences and other words of the same population: conservative, at least 95 % but for few draws."""
    names = ("fnr_gap", "fpr_gap", "avg_eg", "accuracy_difference", "avg_score_difference")
    large = simulated(np.random.default_rng(4), templates=150, terms=60)
    truth = {name: _values(name, large) for name in names}
    random, inside, of_all = np.random.default_rng(3), 0, 0
    for _ in range(12):
        outcomes = simulated(random, templates=30, terms=8)
        for name in names:
            for sides, (low, high) in ends_of(name, outcomes).items():
                if not np.isnan(low):
                    inside += low <= truth[name][sides] <= high
                    of_all += 1
    assert of_all > 500
    assert 0.92 <= inside / of_all <= 1.0


def _values(name: str, outcomes: Outcomes) -> dict[tuple[str, str, str], float]:
    return {(row["class"], row["left"], row["right"]): row["value"] for row in compute(name, outcomes).rows()}


def test_many_independent_rows_give_students_interval() -> None:
    n = 1500
    value = np.random.default_rng(1).random(n)
    rows = crossed(
        np.stack([1 - value, value], axis=1), np.zeros(n, np.int64), np.arange(n), np.arange(n) % 2, np.full(n, -1), 2
    )
    rows = replace(rows, sources=(), source=np.full(n, -1), terms=(), term_group=np.zeros(0, dtype=np.int64))
    of_groups, of_terms = score_intervals(scores.mean_probability, rows, drawn(rows, draws=999))
    for g in (0, 1):
        members = value[rows.group == g]
        expected = stats.t.interval(0.95, len(members) - 1, members.mean(), members.std(ddof=1) / np.sqrt(len(members)))
        np.testing.assert_allclose(of_groups[1 + g, 1], expected, atol=3e-3)
    assert of_terms.shape == (0, 2, 2)


def test_intervals_of_scores_are_those_of_their_draws() -> None:
    outcomes = simulated(np.random.default_rng(2), templates=12, terms=3)
    resamples = drawn(outcomes)
    of_groups, of_terms = score_intervals(scores.accuracy, outcomes, resamples)
    right = outcomes.correct.any(axis=1)
    times = resamples.times[:, resamples.block]
    both = times * resamples.of_terms[:, resamples.parts.code]
    for row, kept in ((0, outcomes.group < 4), (2, outcomes.group == 1)):
        draws = (both[:, kept] @ right[kept]) / both[:, kept].sum(axis=1)
        np.testing.assert_allclose(of_groups[row, 0], interval(np.array(right[kept].mean()), draws), atol=1e-12)
    kept = outcomes.term == 4
    draws = (times[:, kept] @ right[kept]) / times[:, kept].sum(axis=1)
    np.testing.assert_allclose(of_terms[4, 0], interval(np.array(right[kept].mean()), draws), atol=1e-12)


def test_the_ends_of_an_interval() -> None:
    draws = np.random.default_rng(0).normal(3.0, 1.0, 9_999)
    low, high = interval(np.array(2.0), draws)  # the median is moved from 3 to 2
    assert (low, high) == pytest.approx((2 - 1.96, 2 + 1.96), abs=0.06)
    least, _ = interval(np.array(0.1), np.abs(draws))
    assert least == pytest.approx(np.abs(draws).min())  # not below what was drawn
    undefined = np.where(np.arange(9_999) % 3 > 0, np.nan, draws)
    for value, of_draws in ((np.nan, draws), (1.0, np.ones(99)), (2.0, undefined)):
        assert np.isnan(interval(np.array(value), of_draws)).all()


@sweep("name", sorted(METRICS))
def test_every_metric_has_an_interval_around_its_values(name: str) -> None:
    outcomes = simulated(np.random.default_rng(6), templates=12, terms=3, classes=2 if "_avg_eg" in name else 3)
    values = _values(name, outcomes)
    found = ends_of(name, outcomes)
    assert found.keys() == values.keys()
    fine = {sides: ends for sides, ends in found.items() if not np.isnan(ends[0])}
    assert fine or np.isnan(list(values.values())).all()
    for sides, (low, high) in fine.items():
        assert low - 1e-12 <= values[sides] <= high + 1e-12
        assert low < high
        if name in ("fped", "tpr_gap", "avg_if", "cf_gap"):
            assert low >= 0


def test_one_template_has_no_interval() -> None:
    assert resamples_of(simulated(np.random.default_rng(5), templates=1, terms=4)) is None


def test_a_run_computes_them_when_asked() -> None:
    sets = example_sets(random_rows(21, sources=9))
    chosen = {"metrics": ("fnr_gap", "avg_if"), "draws": 0}
    without, found = (
        evaluate_sets([sets], RunOptions(**chosen, uncertainty=asked))  # type: ignore[arg-type]
        for asked in (False, True)
    )
    for table in ("metrics", "scores"):
        plain, ends = getattr(without, table), getattr(found, table)[["ci_low", "ci_high"]]
        assert plain[["ci_low", "ci_high"]].isna().all(axis=None)
        assert ends.notna().mean(axis=None) > 0.5
        assert (ends["ci_low"] <= ends["ci_high"])[ends["ci_low"].notna()].all()
        assert plain.drop(columns=ends.columns).equals(getattr(found, table).drop(columns=ends.columns))
    assert found.info["options"]["uncertainty"] is True
