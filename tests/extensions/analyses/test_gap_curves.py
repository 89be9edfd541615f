"""Gap curves: equal to scikit-learn's curves by group, to runs with a threshold, and to distances of distributions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from build_outcomes import BINARY, GROUPS, THREE, Row, independent_rows, outcomes_of, random_rows
from scipy.stats import wasserstein_distance
from sklearn.metrics import roc_curve
from sweep import sweep

import fairness_checklist as fc
from fairness_checklist.core.errors import OptionError
from fairness_checklist.extensions.analyses.gap_curves import GapCurve, _fits, gap_curve
from fairness_checklist.metrics.catalogue import compute
from fairness_checklist.metrics.metric_forms import METRICS, Options

CURVED = tuple(name for name, metric in METRICS.items() if _fits(metric))
DISTANCES = tuple(name for name in CURVED if not name.endswith("ratio"))


def rows_of(seed: int = 1, **how: Any) -> list[Row]:
    """Independent rows whose decisions are those of the highest probability."""
    return [row.but(predicted="") for row in independent_rows(seed, **how)]


def table_of(rows: list[Row]) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "group": [row.group for row in rows],
            "label": [row.label for row in rows],
            "weight": [row.weight for row in rows],
            "p:negative": [row.p[0] for row in rows],
            "p:positive": [row.p[1] for row in rows],
        }
    )


def decided(rows: list[Row], threshold: float) -> list[Row]:
    return [row.but(predicted=BINARY[int(row.p[1] >= threshold)]) for row in rows]


def test_metrics_of_rates_have_a_curve() -> None:
    assert {"fped", "fpr_gap", "fnr_gap", "tpr_gap", "parity_gap", "fpr_range", "equalized_odds_difference"} <= set(
        CURVED
    )
    assert not {"accuracy_gap", "avg_eg", "avg_gf", "cf_gap", "las_difference"} & set(CURVED)


@pytest.mark.parametrize("how", [{}, {"ties": True}, {"weights": True}])
@pytest.mark.parametrize(("metric", "column"), [("fpr_gap", 0), ("tpr_gap", 1)])
def test_the_rates_of_a_group_are_those_of_scikit_learn(metric: str, column: int, how: dict[str, bool]) -> None:
    rows = rows_of(**how)
    curve = gap_curve(outcomes_of(rows), metric)
    for g, group in enumerate(GROUPS):
        own = [row for row in rows if row.group == group]
        *rates, thresholds = roc_curve(
            [row.label == "positive" for row in own],
            [row.p[1] for row in own],
            sample_weight=[row.weight for row in own],
            drop_intermediate=False,
        )
        at = np.searchsorted(curve.thresholds, thresholds)
        assert len(thresholds) > 5
        assert curve.rates[at, g] == pytest.approx(rates[column], abs=1e-12)


@sweep("metric", CURVED)
def test_the_curve_is_the_metric_at_every_threshold(metric: str) -> None:
    rows = [*rows_of(2, ties=True, weights=True), *(row.but(label="") for row in rows_of(3, ties=True)[:9])]
    outcomes = outcomes_of(rows)
    curve = gap_curve(outcomes, metric)
    assert len(curve.thresholds) == 10
    defined = 0
    for m, threshold in enumerate(curve.thresholds):
        result = compute(metric, outcomes_of(decided(rows, threshold)))
        k = result.classes.index("positive")
        assert curve.gaps[m] == pytest.approx(result.value[:, k], abs=1e-12, nan_ok=True)
        assert (curve.left, curve.right) == (result.left, result.right)
        if result.total is not None:
            assert curve.total is not None
            assert curve.total[m] == pytest.approx(result.total[k], abs=1e-12, nan_ok=True)
        defined += int((~np.isnan(result.value[:, k])).any())
    assert defined > 5


def test_between_two_thresholds_the_larger_one_holds() -> None:
    rows = rows_of(4, ties=True)
    curve = gap_curve(outcomes_of(rows))
    for threshold in (0.0, 0.05, 0.3, 0.3 + 1e-9, 0.95, 1.0):
        result = compute("fpr_gap", outcomes_of(decided(rows, threshold)))
        assert curve.at(threshold) == pytest.approx(result.value[:, 1], abs=1e-12)


def test_a_run_with_a_threshold_gives_the_curve_there() -> None:
    table, asked = table_of(rows_of(5)), ["fpr_gap", "fnr_gap", "parity_gap", "fped"]
    result = fc.evaluate(table, metrics=["fpr_gap"], draws=0)
    for threshold in (0.2, 0.75):
        found = fc.evaluate(table, metrics=asked, threshold=threshold, draws=0).metrics
        found = found[(found["class"] == "positive") & (found["left"] != "*") & (found["right"] != "others")]
        for metric in asked:
            values = found[found["metric"] == metric]["value"].to_numpy()
            assert result.gap_curve(metric).at(threshold) == pytest.approx(values, abs=1e-12)


def test_a_run_keeps_its_curve_when_it_is_saved(tmp_path: object) -> None:
    table = table_of(rows_of(5))
    result = fc.evaluate(table, metrics=["fpr_gap"], threshold=0.75, draws=0)
    again = fc.Result.load(result.write_folder(f"{tmp_path}/run"))
    assert np.array_equal(again.gap_curve().gaps, result.gap_curve().gaps)
    assert np.array_equal(result.gap_curve().gaps, gap_curve(outcomes_of(rows_of(5))).gaps)  # the threshold moves


def test_a_run_gives_the_curve_against_its_own_background() -> None:
    table, options = table_of(rows_of(5)), Options(background="group:ash")
    result = fc.evaluate(table, metrics=["fpr_gap", "parity_gap"], options=options, threshold=0.5, draws=0)
    curve, found = result.gap_curve(), result.metrics
    values = found[(found["class"] == "positive") & (found["metric"] == "fpr_gap")]["value"].to_numpy()
    assert (curve.left, set(curve.right)) == (("birch", "cedar"), {"group:ash"})
    assert curve.at(0.5) == pytest.approx(values, abs=1e-12)
    assert result.gap_curve("parity_gap").left == ("ash", "ash", "birch")


def test_a_class_of_several_is_one_against_the_rest() -> None:
    rows = rows_of(6, classes=THREE)
    curve = gap_curve(outcomes_of(rows, classes=THREE), "fpr_gap", "neutral")
    threshold = float(curve.thresholds[len(curve.thresholds) // 2])
    own = [
        [row for row in rows if (row.group == "ash") == of_group and row.label != "neutral"]
        for of_group in (True, False)
    ]
    rates = [np.mean([row.p[1] >= threshold for row in part]) for part in own]
    assert curve.label == "neutral"
    assert curve.at(threshold)[0] == pytest.approx(rates[0] - rates[1], abs=1e-12)


@pytest.mark.parametrize("how", [{}, {"ties": True}, {"weights": True}])
@pytest.mark.parametrize(("metric", "label"), [("fpr_gap", "negative"), ("fnr_gap", "positive")])
def test_the_area_is_the_distance_of_two_distributions(metric: str, label: str, how: dict[str, bool]) -> None:
    rows = rows_of(7, **how)
    curve = gap_curve(outcomes_of(rows), metric)
    for g, group in enumerate(GROUPS):
        own, others = (
            [row for row in rows if row.label == label and (row.group == group) == of_group]
            for of_group in (True, False)
        )
        values, weights = ([[each(row) for row in part] for part in (own, others)] for each in (probability, weight))
        assert curve.area[g] == pytest.approx(wasserstein_distance(*values, *weights), abs=1e-12)
        means = [np.average(value, weights=w) for value, w in zip(values, weights, strict=True)]
        sign = 1 if metric == "fpr_gap" else -1  # what is missed is what is not found
        assert curve.signed_area[g] == pytest.approx(sign * (means[0] - means[1]), abs=1e-12)


def probability(row: Row) -> float:
    return row.p[1]


def weight(row: Row) -> float:
    return row.weight


def test_the_area_under_the_gap_of_misses_is_avg_gf_of_the_true_class() -> None:
    outcomes = outcomes_of(rows_of(8))
    expected = compute("avg_gf_tc", outcomes, Options(background="everyone_else"))
    assert gap_curve(outcomes, "fnr_gap").area == pytest.approx(expected.value[:, 1], abs=1e-12)


@sweep("metric", DISTANCES)
def test_the_area_is_the_mean_over_all_thresholds(metric: str) -> None:
    curve = gap_curve(outcomes_of(rows_of(9, ties=True)), metric)
    grid = np.array([curve.at((step + 0.5) / 1000) for step in range(1000)])
    assert not np.isnan(grid).any()
    assert curve.area == pytest.approx(np.abs(grid).mean(axis=0), abs=1e-12)
    assert curve.signed_area == pytest.approx(grid.mean(axis=0), abs=1e-12)
    gap, where = curve.largest
    assert np.abs(gap) == pytest.approx(np.abs(curve.gaps).max(axis=0))
    for p, threshold in enumerate(where):
        assert curve.at(threshold)[p] == gap[p]


def test_a_curve_that_is_undefined_somewhere_has_no_area() -> None:
    curve = gap_curve(outcomes_of(rows_of(10)), "fpr_ratio")
    assert np.isnan(curve.gaps[-1]).all()  # nothing is decided for: 0 / 0
    assert np.isnan(curve.area).all()
    gap, where = curve.largest
    assert not np.isnan(gap).any()
    assert (where < 1).all()
    alone = gap_curve(outcomes_of([row for row in rows_of(10) if row.group != "birch"]))
    assert [math.isnan(value) for value in alone.largest[1]] == [False, True, False]


def test_the_tables_of_a_curve() -> None:
    outcomes = outcomes_of(rows_of(11))
    columns = ["threshold", "group", "against", "rate", "rate_against", "gap"]
    for metric, groups in (("fpr_gap", [*GROUPS]), ("fped", ["*", *GROUPS]), ("fpr_range", ["*", *GROUPS])):
        table = gap_curve(outcomes, metric).table()
        assert list(table.columns) == columns
        assert list(table["group"].unique()) == groups
        own = table[table["group"] == "ash"]
        if metric == "fpr_gap":
            assert set(own["against"]) == {"everyone_else"}
            assert own["gap"].to_numpy() == pytest.approx((own["rate"] - own["rate_against"]).to_numpy(), abs=1e-12)
        assert not own["rate"].isna().any()
    curve = gap_curve(outcomes, "tpr_gap")
    pairs = curve.summary()
    assert list(pairs.columns) == ["group", "against", "area", "signed_area", "largest", "threshold"]
    assert pairs[["group", "against"]].to_numpy().tolist() == [["ash", "birch"], ["ash", "cedar"], ["birch", "cedar"]]
    assert pairs["area"].to_numpy() == pytest.approx(curve.area)
    assert repr(curve) == f"<GapCurve tpr_gap, class positive: {len(curve.thresholds):,} thresholds>"
    assert curve._repr_html_().count("<tr") == 4
    assert isinstance(curve, GapCurve)


def test_the_control_is_a_background_and_no_group() -> None:
    rows = [row.but(predicted="") for row in random_rows(12, sources=20, weights=True)]
    curve = gap_curve(outcomes_of(rows))
    without = gap_curve(outcomes_of([row for row in rows if row.group]))
    assert curve.area == pytest.approx(without.area, abs=1e-12)


# errors


def refused(outcomes: object, *asked: str) -> str:
    with pytest.raises(OptionError) as caught:
        gap_curve(outcomes, *asked)  # type: ignore[arg-type]
    return str(caught.value)


def test_what_has_no_curve_is_refused() -> None:
    outcomes = outcomes_of(rows_of(13))
    assert refused(outcomes, "avg_eg") == (
        "avg_eg has no gap curve: it is no group metric of a rate of one class.\n"
        f"    These have one: {', '.join(CURVED)}."
    )
    assert refused(outcomes, "fpr_gap", "happy") == (
        "the class 'happy' is none of the predictions'.\n    Classes: negative, positive."
    )
    assert refused(outcomes, "fpr_gab").startswith("the metric 'fpr_gab' is not known.\n    Did you mean fpr_gap")
    unlabelled = outcomes_of([row.but(label="") for row in rows_of(13)])
    assert refused(unlabelled, "fpr_gap") == "fpr_gap has no gap curve here: no example has a label."
    assert gap_curve(unlabelled, "parity_gap").label == "positive"


def test_decisions_alone_have_no_curve() -> None:
    table = table_of(rows_of(14)).drop(columns=["p:negative", "p:positive"])
    result = fc.evaluate(table.assign(predicted=table["label"]), metrics=["fpr_gap"], draws=0)
    with pytest.raises(OptionError) as caught:
        result.gap_curve()
    assert str(caught.value) == "a gap curve needs probabilities, and the predictions hold none."


def test_a_tagger_has_no_curve() -> None:
    from build_tagger import Line
    from build_tagger import outcomes_of as tagged

    lines = [Line("Ann came", group, ((0, 1),), ((0, 1, "PER"),), ((0, 1, "PER"),)) for group in ("ash", "birch")]
    reported = "a gap curve moves a classifier's threshold, and these are a tagger's predictions."
    assert refused(tagged(lines), "fnr_gap") == reported
    suite = fc.Suite.from_templates(
        ["{Person} met [Ana](PER)."],
        terms={"one": [{"term": "Mary", "pos": "name"}], "two": [{"term": "Adam", "pos": "name"}]},
        task="ner",
    )
    result = suite.run(
        lambda texts: [["O"] * len(fc.words(text)) for text in texts], metrics=["fnr_gap"], progress=False, draws=0
    )
    with pytest.raises(OptionError) as caught:
        result.gap_curve()
    assert str(caught.value) == reported
