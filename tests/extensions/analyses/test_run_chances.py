"""Null means and p-values beside the values of a run."""

from __future__ import annotations

from functools import cache

import numpy as np
import pandas as pd
import pytest
from build_outcomes import GROUPS, THREE, Row, example_sets, outcomes_of, random_rows

from fairness_checklist.core.errors import OptionError
from fairness_checklist.core.outcomes import Outcomes
from fairness_checklist.metrics import comparisons
from fairness_checklist.metrics.catalogue import compute
from fairness_checklist.metrics.metric_forms import METRICS, Options
from fairness_checklist.metrics.metric_result import MetricResult
from fairness_checklist.run.evaluation import _choose, evaluate_sets
from fairness_checklist.run.options import RunOptions
from fairness_checklist.run.uncertainty import RowColumns, permutation_columns, permutation_notes
from fairness_checklist.statistics.multiplicity import benjamini_hochberg, holm, max_t
from fairness_checklist.statistics.permutation import permutation_test
from fairness_checklist.tables.run_folder import Results

FOUR = ("fnr_gap", "fpr_gap", "avg_eg", "avg_if")


@cache
def run(**options: object) -> Results:
    rows = random_rows(21, classes=THREE, sources=12)
    options = {"uncertainty": "all", **options}
    return evaluate_sets([example_sets(rows, classes=THREE)], RunOptions(**options))  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def results() -> Results:
    return run(draws=25)


@pytest.fixture(scope="module")
def without() -> Results:
    return run(draws=0)


def beside(
    outcomes: Outcomes, names: tuple[str, ...] = FOUR, primary: tuple[str, ...] = FOUR, **how: object
) -> dict[str, tuple[MetricResult, RowColumns]]:
    results = [compute(name, outcomes) for name in names]
    choices = RunOptions(**{"draws": 60, "uncertainty": "all", **how})  # type: ignore[arg-type]
    found = permutation_columns(results, outcomes, choices, [r for r in results if r.metric.name in primary])
    return {r.metric.name: (r, b) for r, b in zip(results, found, strict=True)}


def many_terms(seed: int = 22) -> Outcomes:
    return outcomes_of(random_rows(seed, classes=THREE, sources=12, most_terms=6), classes=THREE)


def test_they_are_there_by_default() -> None:
    assert RunOptions().draws == 1000
    recorded = RunOptions().recorded("sentiment")
    assert recorded["draws"] == 1000
    assert recorded["adjust"] == {"primary": "max-t", "exploratory": "benjamini-hochberg"}


def test_holm_over_many_rows_says_what_it_needs() -> None:
    few = run(draws=60, adjust="holm", metrics=("fnr_gap", "tpr_gap"), primary=("fnr_gap",))
    tested = int((few.metrics["role"].eq("exploratory") & few.metrics["p_value"].notna()).sum())
    assert few.info["notes"]["trees"] == [
        "sentences are taken as independent: no topic is declared",
        f"no adjusted p of {tested} exploratory rows can be .05 with 60 draws and Holm's method: {40 * tested} draws "
        "can, or fewer metrics",
    ]
    assert not any("Holm" in note for note in run(draws=60, metrics=("fnr_gap", "tpr_gap")).info["notes"]["trees"])


@pytest.mark.parametrize("asked", ["primary", "none"])
def test_what_was_not_asked_for_is_empty(results: Results, asked: str) -> None:
    some = run(draws=25, uncertainty=asked)
    assert some.info["options"]["uncertainty"] == asked
    columns = ["ci_low", "ci_high", "ci_low_terms", "ci_high_terms", "p_value", "p_adjusted"]
    primary = some.metrics["role"] == "primary"
    assert some.metrics.loc[~primary, columns].isna().all(axis=None)
    assert some.metrics.loc[primary, columns].notna().any(axis=None) == (asked == "primary")
    cheap = some.metrics["metric"].isin(["tpr_gap", "fped"])
    assert some.metrics.loc[cheap, "null_mean"].notna().any() == (asked == "primary")
    pd.testing.assert_frame_equal(some.findings, results.findings)
    same = ["value", "n"] + (columns if asked == "primary" else [])
    pd.testing.assert_frame_equal(some.metrics.loc[primary, same], results.metrics.loc[primary, same])


def test_an_unknown_uncertainty() -> None:
    with pytest.raises(OptionError) as caught:
        RunOptions(uncertainty="every")
    assert str(caught.value) == "uncertainty='every' is not known.\n    Known: primary, all, none."


def test_pairs_of_many_terms_are_computed_on_request() -> None:
    rows = [Row(GROUPS[t % 2], (0.5, 0.5), source="s", term=f"t{t}") for t in range(1_001)]
    outcomes = outcomes_of(rows)
    assert "pert_ld" not in {metric.name for metric in _choose(RunOptions(), outcomes, "sentiment")[0]}
    left_out = _choose(RunOptions(), outcomes, "sentiment")[1]["pert_ld"]
    assert left_out == "1,001 terms make 500,500 pairs; it is computed where it is requested by name"


def test_without_draws_nothing_is_computed(without: Results) -> None:
    assert without.metrics[["null_mean", "p_value", "p_adjusted"]].isna().all(axis=None)


def test_the_values_stay_as_they_are(results: Results, without: Results) -> None:
    columns = ["metric", "options", "class", "left", "right", "value", "n", "role"]
    assert results.metrics[columns].equals(without.metrics[columns])


def test_every_defined_value_has_a_p_and_an_adjusted_one(results: Results) -> None:
    metrics = results.metrics
    np.testing.assert_array_equal(metrics["p_value"].isna(), metrics["value"].isna())
    p = metrics["p_value"].dropna()
    assert ((p > 0) & (p <= 1)).all()
    contrast = (metrics["left"] != "*") & (metrics["right"] != "others") | (metrics["role"] == "exploratory")
    np.testing.assert_array_equal(metrics.loc[contrast, "p_adjusted"].isna(), metrics.loc[contrast, "value"].isna())


def test_distances_have_a_level_of_chance_and_signed_values_have_none(results: Results) -> None:
    for name, rows in results.metrics.groupby("metric"):
        signed = comparisons.about(METRICS[str(name)].compare).signed
        assert rows["null_mean"].isna().equals(rows["value"].isna() | signed), name


def test_the_primary_metrics_are_adjusted_together_from_the_same_assignments() -> None:
    outcomes = many_terms()
    found = beside(outcomes)
    tests = [permutation_test(METRICS[name], outcomes, draws=60, seed=0) for name in FOUR]
    for test in tests[1:]:
        np.testing.assert_array_equal(test.assignments.group, tests[0].assignments.group)
    given = [np.abs(found[name][0].value) for name in FOUR]
    drawn = [np.abs(test.drawn).reshape(len(test.drawn), -1) for test in tests]
    adjusted = max_t(np.concatenate([one.ravel() for one in given]), np.concatenate(drawn, axis=1))
    for name, own, p in zip(FOUR, given, np.split(adjusted, np.cumsum([one.size for one in given])[:-1]), strict=True):
        p = p.reshape(own.shape)
        result, rows = found[name]
        for (i, left), (k, label) in ((a, b) for a in enumerate(result.left) for b in enumerate(result.classes)):
            assert rows[label, left, result.right[i]]["p_adjusted"] == pytest.approx(p[i, k])


def test_a_primary_metric_without_a_value_takes_nothing_from_the_others() -> None:
    rows = [row.but(label="") for row in random_rows(23, classes=THREE)]
    outcomes = outcomes_of(rows, classes=THREE)
    found = beside(outcomes, ("fnr_gap", "avg_if"), ("fnr_gap", "avg_if"))
    assert found["fnr_gap"][1] == {}
    alone = beside(outcomes, ("avg_if",), ("avg_if",))
    assert found["avg_if"][1] == alone["avg_if"][1]
    assert not np.isnan(found["avg_if"][1]["positive", "ash", "birch"]["p_adjusted"])


@pytest.mark.parametrize(("adjust", "procedure"), [("benjamini-hochberg", benjamini_hochberg), ("holm", holm)])
def test_all_other_rows_are_adjusted_together(adjust: str, procedure: object) -> None:
    found = beside(many_terms(), ("fnr_gap", "tpr_gap", "cf_gap"), ("fnr_gap",), adjust=adjust)
    rows = [row for name in ("tpr_gap", "cf_gap") for row in found[name][1].values()]
    assert len(rows) == 2 * 3 * 7  # classes; a total, three groups and three pairs
    expected = procedure(np.array([row["p_value"] for row in rows]))  # type: ignore[operator]
    np.testing.assert_allclose([row["p_adjusted"] for row in rows], expected)


def test_draws_are_recorded_and_the_same_seed_gives_the_same(results: Results) -> None:
    assert results.info["options"]["draws"] == 25
    assert results.metrics.equals(run.__wrapped__(draws=25).metrics)


def test_the_smallest_possible_p_of_few_terms_is_reported() -> None:
    rows = [
        Row(group, (0.3 + 0.1 * s, 0.7 - 0.1 * s), "positive", source=f"s{s}", term=f"{group}-{t}")
        for group, terms in (("ash", 2), ("birch", 3))
        for t in range(terms)
        for s in range(2)
    ]
    found = beside(outcomes_of(rows, ("ash", "birch")), draws=1000)
    _, of_pair = found["avg_if"]
    assert of_pair["positive", "ash", "birch"]["note"] == "smallest possible p .1: 10 assignments of the terms"
    undefined = found["fpr_gap"][1]["positive", "ash", "everyone_else"]
    assert np.isnan(undefined["p_value"])
    assert "note" not in undefined
    assert all("note" not in row for row in beside(many_terms(), draws=100)["avg_if"][1].values())


def test_the_smallest_p_has_a_column_beside_the_note() -> None:
    rows = [row for row in random_rows(24, most_terms=1, sources=6) if row.group != "cedar" or row.label == "positive"]
    metrics = evaluate_sets([example_sets(rows)], RunOptions(metrics=["tpr_gap"], uncertainty="all")).metrics
    total = metrics[(metrics["left"] == "*") & (metrics["class"] == "negative")]
    assert total["note"].tolist() == ["2 of 3 contrasts are undefined"]
    assert total["smallest_p"].tolist() == [".17: 6 assignments of the terms"]


def test_large_sets_take_fewer_assignments_the_primary_ones_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fairness_checklist.run.uncertainty._BUDGET", {True: 1.0, False: 1.0})
    found = beside(many_terms(), (*FOUR, "avg_gf"), draws=1000)
    notes = {name: {row.get("note", "") for row in rows.values()} for name, (_r, rows) in found.items()}
    assert notes == {
        **{name: {"chance and p from 199 assignments"} for name in FOUR},
        "avg_gf": {"chance and p from 99 assignments"},
    }


def test_what_would_take_too_long_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fairness_checklist.run.uncertainty._MOST", 1.0)
    _, rows = beside(many_terms(), ("avg_gf",), ())["avg_gf"]
    assert {row["note"] for row in rows.values()} == {
        "no null mean: the assignments of so many rows would take too long"
    }
    assert not any("p_value" in row for row in rows.values())


def test_a_metric_that_must_be_computed_anew_takes_few_assignments() -> None:
    outcomes = many_terms()
    options = Options(max_groupings=3)
    result = compute("cf_gap", outcomes, options)
    [rows] = permutation_columns([result], outcomes, RunOptions(options=options, uncertainty="all"), [])
    assert rows["positive", "ash", "birch"]["note"] == "smallest possible p .02: 49 assignments of the terms"


def test_a_table_without_terms_has_a_note_and_no_error() -> None:
    rows = [row.but(term="", source="") for row in random_rows(25, control=False)]
    outcomes = outcomes_of(rows)
    assert permutation_notes(outcomes, RunOptions()) == ("no null means and p-values: rows without a term",)
    assert permutation_notes(outcomes, RunOptions(draws=0)) == ()
    assert permutation_notes(many_terms(), RunOptions()) == ()
    results = evaluate_sets([example_sets(rows)], RunOptions(metrics=["fnr_gap"]))
    assert results.info["notes"]["trees"] == ["no null means and p-values: rows without a term"]
    assert results.metrics[["null_mean", "p_value", "p_adjusted"]].isna().all(axis=None)


def test_terms_as_groups_of_their_own_have_none() -> None:
    outcomes = many_terms()
    result = compute("fnr_gap", outcomes, Options(by="term"))
    assert permutation_columns([result], outcomes, RunOptions(draws=20), []) == [{}]


def test_a_negative_number_of_draws() -> None:
    with pytest.raises(OptionError) as error:
        RunOptions(draws=-1)
    assert str(error.value) == "draws=-1 is too small; expected 0 or more."


def test_an_unknown_adjustment() -> None:
    with pytest.raises(OptionError) as error:
        RunOptions(adjust="bonferroni")
    assert str(error.value) == "adjust='bonferroni' is not known.\n    Known: benjamini-hochberg, holm."
