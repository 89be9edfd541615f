"""A run: which metrics it computes, what it says about the rest, and base scores against pandas."""

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from build_outcomes import BINARY, THREE, Row, assert_same, example_sets, figures, outcomes_of, random_rows
from refusals import refusal
from sweep import sweep

import fairness_checklist as fc
from fairness_checklist.metrics.catalogue import ALIASES, OF_POSITIVE_CLASS, compute
from fairness_checklist.metrics.metric_forms import METRICS, Options
from fairness_checklist.run.evaluation import evaluate_sets
from fairness_checklist.run.options import RunOptions
from fairness_checklist.tables.run_folder import Results
from fairness_checklist.tables.texts import to_table


def run(rows: Sequence[Row], classes: tuple[str, ...] = BINARY, **how: Any) -> Results:
    """A run with few draws: how sure a value is, is no matter here."""
    return evaluate_sets([example_sets(rows, classes=classes)], RunOptions(**{"draws": 30, **how}))


def computed(results: Results) -> set[str]:
    return set(results.metrics["metric"])


def left_out(results: Results) -> dict[str, str]:
    return dict(results.info["metrics_left_out"]["trees"])


SAME = {
    **{alias: f"the same number as {name}" for alias, name in ALIASES.items()},
    **{part: f"the same number as {name} of the positive class" for part, name in OF_POSITIVE_CLASS.items()},
}


class TestWhichMetrics:
    def test_a_score_alone(self) -> None:
        rows = random_rows(5)
        cells = [(row.group or "unmarked", row.source, row.las) for row in rows]
        frame = pd.DataFrame(cells, columns=["group", "source", "score:las"])
        result = fc.evaluate(frame)
        assert set(result.metrics["metric"]) == {"las_difference"}
        assert set(result.info["metrics_left_out"]["group"]) == set(METRICS) - {"las_difference"}
        assert set(result.scores["score"]) == {"labelled_attachment_score"}
        assert len(result.checks) == len(result.checks_by_group) == 0

    def test_a_metric_requested_by_name_is_always_computed(self) -> None:
        results = run([row.but(label="") for row in random_rows(6)], metrics=["fped", METRICS["cf_gap"]])
        assert computed(results) == {"fped", "cf_gap"}
        fped = results.metrics[results.metrics["metric"] == "fped"]
        assert fped["value"].isna().all()
        assert set(fped["note"]) == {"no example has a label", "3 of 3 contrasts are undefined"}
        assert left_out(results) == {}


class TestTheSameNumberIsTestedOnce:
    @sweep("alias", ALIASES)
    @sweep("classes", [BINARY, THREE])
    def test_an_alias_is_the_same_number(self, alias: str, classes: tuple[str, ...]) -> None:
        outcomes = outcomes_of(random_rows(11, classes=classes, unlabelled=2, weights=True), classes=classes)
        ours, other = (figures(compute(name, outcomes)) for name in (alias, ALIASES[alias]))
        assert_same(ours, other)

    @sweep("part", OF_POSITIVE_CLASS)
    def test_a_metric_of_the_positive_class_is_a_part_of_the_other(self, part: str) -> None:
        outcomes = outcomes_of(random_rows(11, unlabelled=2))
        ours, other = (figures(compute(name, outcomes)) for name in (part, OF_POSITIVE_CLASS[part]))
        assert_same(ours, {at: value for at, value in other.items() if at[0] == "positive"})

    def test_no_two_other_metrics_are_the_same_number(self) -> None:
        groups = ("ash", "birch", "cedar", "elm")  # of three groups there are three pairs, so two N are the same
        found: dict[str, Any] = {name: {} for name in METRICS if name not in SAME}
        for seed in range(3):
            outcomes = outcomes_of(random_rows(seed, groups=groups, classes=THREE, sources=15), groups, THREE)
            for name, rows in found.items():
                rows |= {(seed, *at): value for at, value in figures(compute(name, outcomes)).items()}
        for one, other in combinations(found, 2):
            if found[one].keys() == found[other].keys():
                with pytest.raises(AssertionError):
                    assert_same(found[one], found[other], within=1e-9)

    @sweep("named", [["fpr_gap"], ["avg_eg", "positive_aeg"], ["pos_avg_eg", "positive_aeg", "avg_eg"]])
    def test_what_is_named_has_its_own_rows_once(self, named: list[str]) -> None:
        results = run(random_rows(1), metrics=[*named, METRICS[named[0]]], draws=0)
        assert set(results.metrics["metric"]) == set(named)
        assert left_out(results) == {}
        assert not results.metrics[["metric", "class", "left", "right"]].duplicated().any()

    def test_all_are_those_that_the_examples_allow_and_pairs_of_many_groups(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        rows = random_rows(1)
        pd.testing.assert_frame_equal(run(rows, metrics="all", draws=0).metrics, run(rows, draws=0).metrics)
        monkeypatch.setattr("fairness_checklist.run.metric_tables._MOST_GROUPS", 1)
        assert computed(run(rows, metrics=["all"], draws=0)) - computed(run(rows, draws=0)) >= {"tpr_gap", "parity_gap"}

    def test_a_primary_alias_replaces_the_aliased_metric(self) -> None:
        results = run(random_rows(1), primary=["positive_aeg", "fpr_gap", "fpr_gap"])
        roles = results.metrics.drop_duplicates("metric").set_index("metric")["role"]
        assert roles[["positive_aeg", "fpr_gap"]].tolist() == ["primary", "primary"]
        assert left_out(results)["avg_eg"] == "the same number as positive_aeg"
        assert results.info["options"]["primary"] == ["positive_aeg", "fpr_gap"]

    def test_two_metrics_of_one_id(self) -> None:
        other = replace(METRICS["fpr_gap"], score=METRICS["fnr_gap"].score)
        assert refusal(fc.errors.OptionError, run, random_rows(1), metrics=["fpr_gap", other]) == (
            "two metrics have the id 'fpr_gap', so that their rows could not be distinguished.\n"
            "    Give each metric an id of its own."
        )


class TestSeveralInvarianceTests:
    def test_each_has_its_threshold_in_its_name(self) -> None:
        results = run(random_rows(13), checks=(fc.Invariance(0.1), fc.Invariance(0.6), fc.MinimumFunctionality()))
        assert results.checks["test"].tolist() == [
            "trees: invariance at 0.1",
            "trees: invariance at 0.6",
            "trees: minimum functionality",
        ]
        assert results.checks_by_group["test"].nunique() == 3
        found = results.info["pairs_with_reference"]
        assert found["trees: invariance at 0.1"]["fails"] > found["trees: invariance at 0.6"]["fails"]
        assert results.info["options"]["tolerances"] == [0.1, 0.6]

    def test_one_that_is_named_twice_runs_once(self) -> None:
        results = run(
            random_rows(13),
            checks=(fc.Invariance(0.1), fc.MinimumFunctionality(), fc.Invariance(), fc.MinimumFunctionality()),
        )
        assert results.checks["test"].tolist() == ["trees: invariance", "trees: minimum functionality"]
        assert results.info["options"]["tolerance"] == 0.1


def test_the_gaps_of_rates_by_default() -> None:
    metrics = run(random_rows(7)).metrics
    assert RunOptions().primary_of("sentiment") == RunOptions().primary_of("toxicity") == ("fnr_gap", "fpr_gap")
    assert RunOptions().primary_of("ner") == ("fnr_gap",)
    assert set(metrics.loc[metrics["role"] == "primary", "metric"]) == set(RunOptions().primary_of("sentiment"))
    assert set(metrics["role"]) == {"primary", "exploratory"}


def stamps(**options: Any) -> dict[str, str]:
    metrics = run(random_rows(8), options=Options(**options)).metrics
    found = metrics.groupby("metric")["options"].unique()
    assert all(len(each) == 1 for each in found)
    return {str(name): str(each[0]) for name, each in found.items() if each[0]}


def test_options_are_stamped_only_where_they_mean_something() -> None:
    single = {
        "cf_gap", "cf_gap_tc", "pert_ss", "pert_sd", "pert_sr", "changed_answers", "answer_difference", "pi_metric",
        "cf_gap_unmarked", "pert_ss_unmarked",
    }  # fmt: skip
    counterfactual = {name for name, metric in METRICS.items() if metric.level == "counterfactual"}
    background = {name for name, metric in METRICS.items() if metric.background is not None and name not in SAME}
    assert stamps() == {}
    assert stamps(seed=3) == {}
    assert stamps(max_groupings=2, seed=3) == dict.fromkeys(single, "max_groupings=2; seed=3")
    assert stamps(weight="groupings") == dict.fromkeys(single, "weight=groupings")
    assert stamps(denominator="all_sources") == dict.fromkeys(counterfactual, "denominator=all_sources")
    assert stamps(background="everyone_else") == dict.fromkeys(background, "background=everyone_else")


def test_every_row_of_the_metrics_is_what_compute_gives() -> None:
    rows = random_rows(9, unlabelled=2)
    metrics = run(rows).metrics
    for name in set(METRICS) - set(SAME):
        part = metrics[metrics["metric"] == name]
        found = {(c, left, right): v for c, left, right, v in part[["class", "left", "right", "value"]].values.tolist()}
        assert found == pytest.approx(figures(compute(name, outcomes_of(rows))), nan_ok=True, abs=1e-12), name
        assert set(part["level"]) == {METRICS[name].level}
    assert set(metrics["task"]) == {"sentiment"}
    assert set(metrics["attribute"]) == {"trees"}
    assert (metrics[["null_mean", "ci_low", "ci_high"]].dtypes == "float64").all()


class TestUnlabelled:
    rows = tuple(random_rows(10, unlabelled=3))
    kept = tuple(row for row in rows if row.label)

    def test_they_stay_by_default_and_are_counted(self) -> None:
        results = run(self.rows)
        assert results.info["notes"] == {
            "trees": ["3 of 9 sources have no label: they enter only the metrics that need no label."]
        }
        assert results.info["options"]["unlabelled"] == "keep"
        assert len(results.examples) == len(self.rows)

    def test_or_are_dropped(self) -> None:
        dropped, without = run(self.rows, unlabelled="drop"), run(self.kept)
        assert dropped.info["notes"] == {"trees": ["3 of 9 sources have no label: they are left out."]}
        pd.testing.assert_frame_equal(dropped.metrics, without.metrics)
        pd.testing.assert_frame_equal(dropped.scores, without.scores)
        assert dropped.checks["cases"].tolist() == without.checks["cases"].tolist()
        assert len(dropped.examples) == len(self.rows)


def by_pandas(rows: list[Row], classes: tuple[str, ...]) -> dict[tuple[str, str, str, str], tuple[float, int]]:
    """Every base score with its n, by groupby on the plain table."""
    frame = to_table(*example_sets(rows, classes=classes)).astype({"group": "str"})
    frame["term"] = frame["term"].where(frame["group"] != "unmarked", "")
    for c in classes:
        frame[f"gold {c}"], frame[f"said {c}"] = frame["label"] == c, frame["predicted"] == c
    labelled = frame[frame["label"] != ""].copy()
    labelled["right"] = labelled["label"] == labelled["predicted"]
    labelled["target"] = [row[f"p:{row['label']}"] for _, row in labelled.iterrows()]
    plain: list[tuple[str, str, pd.DataFrame, str]] = [
        ("accuracy", "*", labelled, "right"),
        ("mean_target_probability", "*", labelled, "target"),
        ("labelled_attachment_score", "*", frame, "score:las"),
    ]
    for c in classes:
        gold, other = labelled[labelled[f"gold {c}"]], labelled[~labelled[f"gold {c}"]]
        plain += [
            ("true_positive_rate", c, gold, f"said {c}"),
            ("false_positive_rate", c, other, f"said {c}"),
            ("prediction_rate", c, frame, f"said {c}"),
            ("mean_probability", c, frame, f"p:{c}"),
            ("false_negative_rate", c, gold.assign(missed=~gold[f"said {c}"]), "missed"),
            ("true_negative_rate", c, other.assign(left=~other[f"said {c}"]), "left"),
        ]
    found = {}
    for score, c, part, column in plain:
        marked = part[part["group"] != "unmarked"].assign(everyone="*", no_term="")
        for data, by in (
            (marked, ["everyone", "no_term"]),
            (part.assign(no_term=""), ["group", "no_term"]),
            (marked, ["group", "term"]),
        ):
            for (group, term), values in data.groupby(by)[column]:
                found[score, c, group, term] = (float(values.mean()), len(values))
    return found


@sweep("classes", [BINARY, THREE])
def test_base_scores_are_those_of_pandas(classes: tuple[str, ...]) -> None:
    rows = random_rows(11, classes=classes, unlabelled=2)
    scores = run(rows, classes).scores
    columns = scores[["score", "class", "group", "term", "value", "n"]]
    reported = {tuple(key): (value, n) for *key, value, n in columns.itertuples(index=False)}
    f1 = {key: reported.pop(key) for key in list(reported) if key[0] == "f1"}
    expected = by_pandas(rows, classes)
    assert reported.keys() == expected.keys()
    for key, (value, n) in expected.items():
        assert reported[key] == (pytest.approx(value, abs=1e-12), n), key
    for (_, c, group, term), (value, _n) in f1.items():
        recall = reported.get(("true_positive_rate", c, group, term), (math.nan, 0))[0]
        assert math.isnan(value) or value == 0 or recall > 0
    assert set(scores["task"]) == {"sentiment"}


def test_checks_that_the_rows_do_not_allow_are_left_out() -> None:
    assert run([row.but(label="") for row in random_rows(13)]).checks["type"].tolist() == ["INV"]
    assert run([row.but(source="") for row in random_rows(13)]).checks["type"].tolist() == ["MFT"]


@sweep("classes", [BINARY, THREE])
def test_evaluating_the_examples_of_a_run_gives_the_run_again(tmp_path: Path, classes: tuple[str, ...]) -> None:
    rows = random_rows(14, classes=classes, unlabelled=1, weights=True)
    rows = [row.but(symmetric=row.source != "s2") for row in rows]
    examples, predictions = example_sets(rows, classes=classes)
    other = replace(examples, attribute="shrubs", groups=("oak", "fir", "yew"))
    results = evaluate_sets([(examples, predictions), (other, predictions)], RunOptions(draws=99))
    folder = results.write_folder(tmp_path / "run")
    again = fc.evaluate(folder / "examples.parquet", draws=99)
    pd.testing.assert_frame_equal(again.metrics, results.metrics, rtol=1e-9, atol=1e-12)
    pd.testing.assert_frame_equal(again.checks, results.checks, check_exact=True)
    pd.testing.assert_frame_equal(again.checks_by_group, results.checks_by_group, check_exact=True)
    order = ["attribute", "score", "class", "group", "term"]  # terms are numbered as they appear
    pd.testing.assert_frame_equal(
        again.scores.sort_values(order, ignore_index=True), results.scores.sort_values(order, ignore_index=True)
    )
    twice = fc.evaluate(again.write_folder(tmp_path / "again") / "examples.parquet", draws=0)
    pd.testing.assert_frame_equal(twice.examples, again.examples, check_exact=True)


def test_what_a_number_depends_on_is_recorded() -> None:
    results = run(random_rows(17), options=Options(max_groupings=3, seed=5, denominator="all_sources"))
    assert results.info["options"] == {
        "primary": list(RunOptions().primary_of("sentiment")),
        "harm": None,
        "unlabelled": "keep",
        "threshold": None,
        "draws": 30,
        "uncertainty": False,
        "reference": None,
        "margin": 0.05,
        "unit": "probability",
        "denominator": "all_sources",
        "weight": "source",
        "matching": "",
        "max_groupings": 3,
        "seed": 5,
        "background": "",
        "undefined": "report",
        "where": "",
        "by": "",
        "tolerance": 0.1,
    }
    assert results.info["versions"]["numpy"] == np.__version__
    assert {"python", "pandas", "fairness-checklist"} <= set(results.info["versions"])
