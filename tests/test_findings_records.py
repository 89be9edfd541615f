"""The records of findings: columns, round trips, and which table gives which scope and status."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from build_findings import DAY, NIGHT, scored
from pandas.testing import assert_frame_equal
from typer.testing import CliRunner

import fairness_checklist as fc
from fairness_checklist.cli.app import app
from fairness_checklist.findings.status import STATUSES, Evidence, status
from fairness_checklist.tables.run_folder import FINDING_COLUMNS, SCHEMA_VERSIONS, TERM_FINDING_COLUMNS


def found_in(table: pd.DataFrame, **options: Any) -> fc.Result:
    return fc.evaluate(table, **{"harm": "called:rejected", "metrics": ["fpr_gap"], "draws": 199, **options})


@pytest.fixture(scope="module")
def result() -> fc.Result:
    return found_in(scored(0.12))


def test_one_record_a_group_and_harm(result: fc.Result) -> None:
    found = result.findings

    assert tuple(found.columns) == FINDING_COLUMNS
    assert tuple(result.term_findings.columns) == TERM_FINDING_COLUMNS
    assert found[["attribute", "group", "harm", "title", "status", "scope", "measure"]].to_numpy().tolist() == [
        ["shift", "night", "called:rejected", "called rejected without being so", "clear", "group", "probability"],
        ["shift", "day", "called:rejected", "called rejected without being so", "none found", "group", "probability"],
    ]
    assert found[["n_terms", "n_terms_available", "n_lexemes", "n_sources", "n"]].to_numpy().tolist() == [
        [6, 6, 6, 30, 180],
        [6, 6, 6, 30, 180],
    ]
    night = found.iloc[0]
    assert 0 < night["ci_low"] < night["gap"] < night["ci_high"]
    assert abs(night["gap"] - 0.12) < 0.03
    assert night["p_value"] <= night["p_adjusted"] <= 0.05
    assert np.isnan(night["placebo_percentile"])


def test_gap_and_rates_are_those_of_the_rows(result: fc.Result) -> None:
    rows = result.examples
    night = rows["group"] == "night"
    record = result.findings.iloc[0]

    assert record["gap"] == pytest.approx(rows.loc[night, "p:rejected"].mean() - rows.loc[~night, "p:rejected"].mean())
    assert record["rate"] == pytest.approx((rows.loc[night, "predicted"] == "rejected").mean())
    assert record["others_rate"] == pytest.approx((rows.loc[~night, "predicted"] == "rejected").mean())


def test_single_terms_are_compared_with_all_others(result: fc.Result) -> None:
    table = scored(0.0)
    guard = table["term"] == "guard"
    table.loc[guard, "p:rejected"] = np.minimum(table.loc[guard, "p:rejected"] + 0.3, 1)
    table["p:hired"] = 1 - table["p:rejected"]
    found = found_in(table).term_findings

    assert len(found) == 12
    assert found.iloc[0][["term", "group", "status", "note"]].tolist() == [
        "guard",
        "night",
        "suspected",
        "few words, and no placebo to compare them with",
    ]
    assert set(found["status"][1:]) == {"none found"}
    assert found["n_sources"].tolist() == [30] * 12
    others = table.loc[~guard, "p:rejected"].mean()
    assert found.iloc[0]["gap"] == pytest.approx(table.loc[guard, "p:rejected"].mean() - others)


def test_records_and_plots_are_printed_in_a_few_columns(result: fc.Result) -> None:
    head, *_, foot = repr(result.findings).splitlines()
    assert head.split() == ["attribute", "group", "harm", "status", "rate", "others_rate", "gap", "ci_low", "ci_high"]
    assert foot == f"{len(FINDING_COLUMNS)} columns: see .columns"
    assert "<th>others_rate</th>" in result.term_findings._repr_html_()
    assert type(result.findings.head(1)) is pd.DataFrame
    assert repr(result.plot) == "<Plots of shift: findings(), terms(), heatmap()>"


def test_a_saved_run_has_the_same_records(result: fc.Result, tmp_path: Path, unpainted: None) -> None:
    folder = result.save(tmp_path / "run")
    again = fc.Result.load(folder)

    assert_frame_equal(again.findings, result.findings)
    assert_frame_equal(again.term_findings, result.term_findings)
    assert again.verdict() == result.verdict()
    assert again.explain("fpr_gap", "night", label="rejected") == result.explain("fpr_gap", "night", label="rejected")
    schemas = json.loads((folder / "run.json").read_text(encoding="utf-8"))["schemas"]
    assert (schemas["findings"], schemas["term_findings"]) == (1, 1)
    assert SCHEMA_VERSIONS["findings"] == SCHEMA_VERSIONS["term_findings"] == 1


def test_records_begin_with_what_is_read_first_and_the_strongest(result: fc.Result) -> None:
    first = ("harm", "status", "rate", "others_rate", "gap", "ci_low", "ci_high", "placebo_percentile")
    assert FINDING_COLUMNS[:10] == ("attribute", "group", *first)
    assert TERM_FINDING_COLUMNS[:11] == ("attribute", "term", "group", *first)

    found = found_in(scored(-0.12)).findings  # the second group is treated worse
    assert found["group"].tolist() == ["day", "night"]
    assert found["status"].tolist() == ["clear", "none found"]
    assert found.index.tolist() == [0, 1]


def test_formulas_in_records_are_escaped_and_read_back(tmp_path: Path, unpainted: None) -> None:
    found = found_in(scored(0.12, {"=night": NIGHT, "day": DAY}))
    folder = found.save(tmp_path / "run", escape_formulas=True)

    assert "'=night" in (folder / "findings.csv").read_text(encoding="utf-8")
    assert_frame_equal(fc.Result.load(folder).findings, found.findings)


def test_json_holds_the_records(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    scored(0.12).to_csv("table.csv", index=False)
    command = ["evaluate", "table.csv", "--harm", "called:rejected", "--metrics", "fpr_gap", "--draws", "99", "--json"]
    output = json.loads(CliRunner().invoke(app, command).output)

    assert [(one["group"], one["status"]) for one in output["findings"]] == [("night", "clear"), ("day", "none found")]
    assert list(output["findings"][0]) == list(FINDING_COLUMNS)
    assert {one["status"] for one in output["term_findings"]} <= {"clear", "suspected"}
    assert (
        '\nshift: clear finding. 74 % of the non-rejected sentences that mention the group "night"' in output["verdict"]
    )


def test_rows_without_sources_and_terms_are_about_rows() -> None:
    table = scored(0.12).drop(columns=["source", "term"])
    found = found_in(table)

    assert found.findings[["group", "scope", "status", "n_terms", "n_lexemes"]].to_numpy().tolist() == [
        ["night", "rows", "clear", 0, 0],
        ["day", "rows", "none found", 0, 0],
    ]
    assert found.findings["n_sources"].tolist() == [180, 180]
    assert found.term_findings.empty


def test_a_table_with_sources_and_without_terms_is_about_these_words() -> None:
    found = found_in(scored(0.12).drop(columns="term"))

    assert found.findings["scope"].tolist() == ["words", "words"]
    assert found.findings["n_terms"].tolist() == [0, 0]
    assert found.findings["words"].tolist() == ["night", "day"]
    assert found.findings["status"].tolist() == ["suspected", "none found"]


def test_without_draws_there_are_no_findings() -> None:
    found = found_in(scored(0.12), draws=0)

    assert found.findings.empty
    assert found.term_findings.empty
    assert found.info["findings"] == {"shift": {"left_out": {"*": "draws=0"}}}


def test_two_harms_that_are_one_figure_count_once() -> None:
    table = scored(0.12, classes=("nontoxic", "toxic"), labels=("nontoxic", "toxic"))
    found = fc.evaluate(table, task="toxicity", metrics=["fpr_gap"], draws=99)
    assert found.findings["harm"].value_counts().to_dict() == {"called_toxic": 2, "attack_not_recognised": 2}

    both = found_in(scored(0.12), harm=["called:rejected", "missed:hired"], draws=99)
    assert both.findings["harm"].tolist() == ["called:rejected"] * 2
    assert both.info["findings"]["shift"]["left_out"] == {
        "missed:hired": "its figures are those of another error, which stands for both"
    }


@pytest.mark.parametrize(
    ("night", "lexemes", "note"),
    [
        (["Ana Silva", "Rui Silva", "Eva Silva", "Jo Silva", "Kim Silva"], 5, ""),
        ([f"word2-{at}" for at in range(5)], 5, ""),
        (["trans woman", "trans man", "trans girl", "deaf", "deaf person"], 5, ""),
        (
            ["Deaf", "deaf", "non-binary", "nonbinary", "lady", "ladies"],
            3,
            "Deaf = deaf, non-binary = nonbinary and lady = ladies",
        ),
    ],
)
def test_terms_of_a_table_are_one_word_only_where_it_is_certain(night: list[str], lexemes: int, note: str) -> None:
    found = found_in(scored(0.12, {"night": night, "day": DAY}, sources=12))

    records = found.findings
    assert records["n_lexemes"][records["group"] == "night"].tolist() == [lexemes]
    said = [one for one in found.info["notes"]["shift"] if "count as one word" in one]
    assert said == ([f"terms that count as one word: {note}; a column lexeme says otherwise"] if note else [])


def test_few_names_are_too_few_to_say() -> None:
    found = found_in(scored(0.12, {"night": NIGHT[:4], "day": DAY[:4]}).assign(pos="name"))

    assert found.findings["status"].tolist() == ["too few to say"] * 2
    assert found.findings["note"].tolist() == ["4 names or places, fewer than 5"] * 2


def test_few_sources_are_too_few_to_say() -> None:
    found = found_in(scored(0.12, sources=9))

    assert found.findings["status"].tolist() == ["too few to say"] * 2
    assert found.findings["note"].tolist() == ["9 independent sentences, fewer than 10"] * 2


def test_classes_that_no_harm_is_declared_for() -> None:
    found = fc.evaluate(scored(0.12), metrics=["fpr_gap"], draws=99)

    assert found.findings.empty
    assert found.info["findings"]["shift"]["left_out"] == {
        "called_negative": "the model has no class negative",
        "praise_not_recognised": "the model has no class positive",
    }


def test_an_unknown_harm_is_refused() -> None:
    with pytest.raises(fc.OptionError) as error:
        found_in(scored(0.12), harm="caled:rejected")
    assert str(error.value) == (
        "the harm 'caled:rejected' is not known.\n"
        "    Did you mean called? Write called:CLASS, missed:CLASS or predicted:CLASS, or one of called_negative, "
        "praise_not_recognised, called_toxic, attack_not_recognised, entity_missed."
    )


@pytest.mark.parametrize(
    ("evidence", "expected"),
    [
        (Evidence("group", 0.1, 0.01, 0.05, 95.0, 10, 5), ("clear", "")),
        (Evidence("group", 0.1, 0.01, 0.05, float("nan"), 10, 5), ("clear", "")),
        (Evidence("rows", 0.1, 0.01, 0.05, float("nan"), 10, 0), ("clear", "")),
        (
            Evidence("group", 0.1, 0.01, 0.05, 94.9, 10, 5),
            ("suspected", "placebo words lie as far apart in 6 of 100 draws"),
        ),
        (Evidence("group", 0.1, -0.01, 0.2, 99.0, 10, 5), ("suspected", "adjusted p .20")),
        (Evidence("group", 0.1, -0.01, 0.201, 99.0, 10, 5), ("none found", "")),
        (Evidence("words", 0.0009, -0.0002, 0.146, float("nan"), 40, 1), ("none found", "less than half a point")),
        (Evidence("group", 0.004, 0.001, 0.01, 99.0, 40, 5), ("clear", "")),
        (Evidence("group", -0.1, -0.2, 0.01, 0.0, 10, 5), ("none found", "")),
        (Evidence("group", 0.1, float("nan"), 0.01, 99.0, 10, 5), ("too few to say", "no interval")),
        (Evidence("words", 0.1, 0.01, 0.01, 99.0, 9, 1), ("too few to say", "9 independent sentences, fewer than 10")),
        (
            Evidence("words", 0.1, 0.01, 0.01, 99.0, 30, 4, names=True),
            ("too few to say", "4 names or places, fewer than 5"),
        ),
    ],
)
def test_the_rule_of_the_status(evidence: Evidence, expected: tuple[str, str]) -> None:
    assert status(evidence) == expected
    assert expected[0] in STATUSES


@pytest.mark.parametrize(
    ("groups", "worse", "expected"),
    [(6, 1, 1), (6, 2, 2), (3, 2, 2), (4, 2, 2), (10, 3, 3), (20, 2, 2), (6, 5, 0), (20, 17, 0)],
)
def test_several_groups_that_are_treated_worse_do_not_hide_each_other(groups: int, worse: int, expected: int) -> None:
    """The first groups have probability .8 of the error, the others .2; a few better groups are exceptions."""
    rng = np.random.default_rng(groups)
    rows = [
        (f"s{source}", f"g{group}", 0.8 if group < worse else 0.2) for source in range(40) for group in range(groups)
    ]
    table = pd.DataFrame(rows, columns=["source", "group", "p:negative"])
    table["p:negative"] = (table["p:negative"] + rng.normal(0, 0.05, len(table))).clip(0, 1)
    table["term"], table["p:positive"] = table["group"], 1 - table["p:negative"]
    result = fc.evaluate(table, draws=99, metrics=["avg_if"])
    found = result.findings[result.findings["status"] == "suspected"]
    assert sorted(found["group"]) == [f"g{group}" for group in range(expected)]
    if not expected:
        text = " ".join(result.verdict().split())
        assert "No group is treated worse than most. Treated better: the group" in text
        assert "(called negative: 0 %, " in text
