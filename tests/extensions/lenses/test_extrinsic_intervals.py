"""Draws, intervals and tests of the extrinsic metrics."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binomtest

from fairness_checklist.core.errors import OptionError
from fairness_checklist.extensions.lenses.extrinsic import adjusted_p_values, extrinsic
from fairness_checklist.extensions.lenses.measured import (
    EXCHANGES,
    corrected_interval,
    drawn_values,
    exchange_strata,
    wilson_interval,
)
from fairness_checklist.statistics.multiplicity import significant


def test_wilson_is_that_of_scipy() -> None:
    for hits, n in ((0, 7), (3, 9), (50, 50)):
        expected = binomtest(hits, n).proportion_ci(method="wilson")
        assert wilson_interval(hits / n, n) == pytest.approx((expected.low, expected.high), abs=1e-12)


def test_rows_of_a_source_are_drawn_together_and_groups_move_within_their_stratum() -> None:
    group, strata = np.array([0, 1, 0, 0, 1, 1]), np.array([0, 1, 0, 1, 1, 0])
    both = lambda groups, weight: np.concatenate([groups * 1.0, weight])  # noqa: E731  # of groups and weights
    found = drawn_values(both, group, np.array([0, 0, 1, 1, 2, 2]), strata, draws=50, seed=1)
    assert found.values.tolist() == [*group, *np.ones(6)]
    weights, moved = found.resampled[:, 6:], found.exchanged[:, :6]
    assert (found.resampled[:, :6] == group).all()
    assert (weights[:, ::2] == weights[:, 1::2]).all()
    assert (weights.sum(axis=1) == 6).all()
    assert np.ptp(weights) > 0
    assert (found.exchanged[:, 6:] == 1).all()
    for stratum in (0, 1):
        assert (moved[:, strata == stratum].sum(axis=1) == group[strata == stratum].sum()).all()
    assert moved.mean(axis=0) == pytest.approx([1 / 3, 2 / 3, 1 / 3, 2 / 3, 2 / 3, 1 / 3], abs=0.06)
    with pytest.raises(OptionError, match=r"^draws=5 is too small; expected 20 or more\.$"):
        extrinsic(pd.DataFrame({"group": list("FM"), "score": [0.0, 1.0]}), draws=5)


def test_pairs_are_exchanged_within_their_source() -> None:
    strata = exchange_strata(list("FMFMFF"), list("aabbab"), ["s", "s", "t", "t", "u", "v"])
    assert len(set(strata[:2])) == len(set(strata[2:4])) == 1
    assert len(set(strata)) == 4
    assert corrected_interval(float("nan"), [1.0]) != corrected_interval(float("nan"), [1.0])  # undefined


def test_an_interval_holds_its_own_value() -> None:
    """All draws above the value: reflected alone, the interval would end below it."""
    assert corrected_interval(2.5, [3.0, 4.0] * 10, 0.0) == (1.0, 2.5)
    assert corrected_interval(2.5, [1.0, 2.0] * 10) == (2.5, 4.0)
    gold, group = list("abcde") * 4, list("FM") * 10
    decided = ["a"] * 10 + list("abcde") * 2
    report = extrinsic(pd.DataFrame({"label": gold, "group": group, "predicted": decided}), draws=50)
    known = report.metrics.dropna(subset=["ci_low", "value"])
    assert len(known) >= 8
    assert (known["ci_low"] <= known["value"]).all()
    assert (known["value"] <= known["ci_high"]).all()


@pytest.mark.parametrize("sources", [False, True])
def test_many_metrics_of_a_model_that_is_wrong_for_one_group_are_significant(sources: bool) -> None:
    """Right for every man, wrong for every woman: 28 labels, and as many metrics of probabilities."""
    labels = [f"l{at:02}" for at in range(28)]
    rows = [
        {"label": label, "group": group, "predicted": label if group == "M" else labels[at - 1]}
        | {f"p:{other}": float(other == label) if group == "M" else 1 / 28 for other in labels}
        | ({"source": f"{label}{copy}"} if sources else {})
        for at, label in enumerate(labels)
        for copy in range(10)
        for group in ("M", "F")
    ]
    report = extrinsic(pd.DataFrame(rows), draws=20)
    metrics = report.metrics.set_index("metric")
    assert (metrics.loc[["accuracy gap", "tpr gaps, sum of absolute values"], "p_adjusted"] < 0.01).all()
    every = next(one for one in report.findings if one.subject == "all metrics")
    assert every.status == "clear"
    assert every.n == 38
    assert (metrics["p_adjusted"].dropna() >= metrics["p_value"].dropna()).all()


def test_a_family_of_several_tests_holds_the_chance_of_any_mistake() -> None:
    """Thirty correlated metrics, three of probabilities, one of stereotypes and two exact tests, without an effect."""
    rng, named, tables = np.random.default_rng(3), 0, 120
    for _ in range(tables):
        family: list[dict[str, object]] = [
            {"exchange": "", "p_value": float(p), "value": 0.0, "drawn": None} for p in rng.random(2)
        ]
        for kind, size in (("groups within labels", 30), ("groups", 3), ("stereotypes", 1)):
            every = rng.normal(size=(EXCHANGES + 1, size)) + rng.normal(size=(EXCHANGES + 1, 1))
            sides = (every[1:] >= every[0]).sum(axis=0), (every[1:] <= every[0]).sum(axis=0)
            p = np.minimum(1, 2 * (1 + np.minimum(*sides)) / (EXCHANGES + 1))
            columns = zip(p.tolist(), every[0].tolist(), every[1:].T, strict=True)
            family += [{"exchange": kind, "p_value": own, "value": value, "drawn": d} for own, value, d in columns]
        named += bool(significant(adjusted_p_values(family)).any())
    assert named <= 12  # 6 expected at most; more with a chance of .01


def test_a_sum_of_absolute_gaps_is_compared_with_its_level_and_not_with_0() -> None:
    """Without an effect of the group the sum is far above 0, and no metric is clear; with one it is."""
    rng = np.random.default_rng(5)
    label, group = rng.choice(list("abcdef"), size=240), rng.choice(["F", "M"], size=240)
    for effect, status in ((0.0, "none found"), (0.7, "clear")):
        missed = rng.random(240) < 0.15 + effect * ((label == "a") & (group == "F"))
        table = pd.DataFrame({"label": label, "group": group, "predicted": np.where(missed, "f", label)})
        report = extrinsic(table, left="F", right="M", draws=100)
        row = report.metrics.set_index("metric").loc["tpr gaps, sum of absolute values"]
        assert row["status"] == status
        assert row["value"] > 0.2
        assert row["chance"] > 0.2
        assert (row["ci_low"] == 0) == (effect == 0)


def test_preference_and_prediction_gap_of_a_table_without_labels() -> None:
    rng = np.random.default_rng(2)
    rows = [
        {"source": s, "group": g, "stereotype": side, "score": rng.normal(loc)}
        for s in range(60)
        for g, side, loc in (("F", "pro", 1.0), ("M", "anti", 0.0))
    ]
    metrics = extrinsic(pd.DataFrame(rows), draws=100).metrics.set_index("metric")

    preferred = metrics.loc["prefers the stereotype (score)"]
    won = round(preferred["value"] * 60)
    assert preferred["p_value"] == pytest.approx(binomtest(won, 60).pvalue)
    assert preferred["ci_low"] == pytest.approx(binomtest(won, 60).proportion_ci(method="wilson").low)
    gap = metrics.loc["mean score gap"]
    assert gap["ci_low"] < gap["value"] < gap["ci_high"]
    assert gap["p_adjusted"] < 0.05


def test_sentences_that_follow_a_stereotype_need_no_group() -> None:
    """CrowS-Pairs and StereoSet: two options a source, the third one of StereoSet is left out."""
    rows = [
        {"source": s, "stereotype": side, "score": score}
        for s in range(30)
        for side, score in (("pro", -2.0), ("anti", -3.0 if s < 20 else -1.0), ("", -9.0))
    ]
    report = extrinsic(pd.DataFrame(rows), draws=50)
    preferred = report.metrics.set_index("metric").loc["prefers the stereotype (score)"]

    assert (report.left, report.right) == ("pro", "anti")
    assert (preferred["value"], preferred["n"]) == (pytest.approx(2 / 3), 30)
    assert preferred["p_value"] == pytest.approx(binomtest(20, 30).pvalue)
