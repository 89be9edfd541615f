"""The records of findings: columns, round trips, and which table gives which scope and status."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from build_findings import DAY, NIGHT, scored
from fairness_checklist.findings.status import STATUSES, Evidence, status
from pandas.testing import assert_frame_equal
from simulated_families import design, family_in, fitted
from typer.testing import CliRunner

import fairness_checklist as fc
from fairness_checklist.cli.app import app
from fairness_checklist.findings.records import POWER, _more_needed
from fairness_checklist.reports.finding_text import finding_sentence
from fairness_checklist.reports.next_step import next_step
from fairness_checklist.reports.run_view import attribute_view
from fairness_checklist.tables.run_folder import FINDING_COLUMNS, TERM_FINDING_COLUMNS


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
    assert 0 < night["rate_ci_low"] < night["rate_gap"] < night["rate_ci_high"]
    assert abs(night["gap"] - 0.12) < 0.03
    assert found["n_harmful"].tolist() == found["n_others_harmful"].tolist()[::-1]
    assert night["unadjusted_gap"] == night["gap"]
    assert night["p_value"] <= night["p_adjusted"] <= 0.05
    assert np.isnan(night["placebo_percentile"])


def test_gap_and_rates_are_those_of_the_rows(result: fc.Result) -> None:
    rows = result.examples
    night = rows["group"] == "night"
    record = result.findings.iloc[0]

    assert record["gap"] == pytest.approx(rows.loc[night, "p:rejected"].mean() - rows.loc[~night, "p:rejected"].mean())
    assert record["rate"] == pytest.approx((rows.loc[night, "predicted"] == "rejected").mean())
    assert record["others_rate"] == pytest.approx((rows.loc[~night, "predicted"] == "rejected").mean())
    assert record["n_harmful"] == (rows.loc[night, "predicted"] == "rejected").sum()


def test_single_terms_are_compared_with_all_others(result: fc.Result) -> None:
    table = scored(0.0)
    guard = table["term"] == "guard"
    table.loc[guard, "p:rejected"] = np.minimum(table.loc[guard, "p:rejected"] + 0.3, 1)
    table["p:hired"] = 1 - table["p:rejected"]
    found = found_in(table).term_findings

    assert len(found) == 12
    assert found.iloc[0][["term", "group", "status", "reason"]].tolist() == [
        "guard",
        "night",
        "suspected",
        "no placebo",
    ]
    assert set(found["status"][1:]) == {"none found"}
    assert found["n_sources"].tolist() == [30] * 12
    others = table.loc[~guard, "p:rejected"].mean()
    assert found.iloc[0]["gap"] == pytest.approx(table.loc[guard, "p:rejected"].mean() - others)


def test_records_and_plots_are_printed_in_a_few_columns(result: fc.Result) -> None:
    head, *_, foot = repr(result.findings).splitlines()
    assert head.split() == ["attribute", "group", "harm", "status", "rate_gap", "gap", "ci_low", "ci_high"]
    assert foot == f"{len(FINDING_COLUMNS)} columns: see .columns"
    assert "<th>ci_high</th>" in result.term_findings._repr_html_()
    assert repr(result.findings[["group", "rate"]].head(1)).splitlines()[0].split() == ["group", "rate"]
    assert repr(result.plot) == "<Plots of shift: findings(), terms(), heatmap()>"


def test_a_saved_run_has_the_same_records(result: fc.Result, tmp_path: Path) -> None:
    folder = result.save(tmp_path / "run")
    again = fc.Result.load(folder)

    assert_frame_equal(again.findings, result.findings)
    assert_frame_equal(again.term_findings, result.term_findings)
    assert again.verdict() == result.verdict()
    schemas = json.loads((folder / "run.json").read_text(encoding="utf-8"))["schemas"]
    assert (schemas["findings"], schemas["term_findings"]) == (3, 3)


def test_records_begin_with_what_is_read_first_and_the_strongest(result: fc.Result) -> None:
    bounds = ("rate_gap", "rate_ci_low", "rate_ci_high", "gap", "ci_low", "ci_high")
    first = ("harm", "status", "rate", "others_rate", *bounds)
    assert FINDING_COLUMNS[:12] == ("attribute", "group", *first)
    assert TERM_FINDING_COLUMNS[:13] == ("attribute", "term", "group", *first)

    found = found_in(scored(-0.12)).findings  # the second group is treated worse
    assert found["group"].tolist() == ["day", "night"]
    assert found["status"].tolist() == ["clear", "none found"]
    assert found.index.tolist() == [0, 1]


def test_json_holds_the_records(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    scored(0.12).to_csv("table.csv", index=False)
    command = ["evaluate", "table.csv", "--harm", "called:rejected", "--metrics", "fpr_gap", "--draws", "99", "--json"]
    output = json.loads(CliRunner().invoke(app, command).output)

    assert [(one["group"], one["status"]) for one in output["findings"]] == [("night", "clear"), ("day", "none found")]
    assert list(output["findings"][0]) == list(FINDING_COLUMNS)
    assert {one["status"] for one in output["term_findings"]} <= {"clear", "suspected"}
    assert '\nshift: clear finding. 74 % of the non-rejected texts that mention the group "night"' in output["verdict"]


def test_rows_without_sources_and_terms_are_about_rows() -> None:
    table = scored(0.12).drop(columns=["source", "term"])
    found = found_in(table)

    assert found.findings[["group", "scope", "status", "n_terms", "n_lexemes"]].to_numpy().tolist() == [
        ["night", "rows", "clear", 0, 0],
        ["day", "rows", "none found", 0, 0],
    ]
    assert found.findings["n_sources"].tolist() == [180, 180]
    assert found.term_findings.empty


def test_without_draws_there_are_no_findings() -> None:
    found = found_in(scored(0.12), draws=0)

    assert found.findings.empty
    assert found.term_findings.empty
    assert found.info["findings"] == {"shift": {"left_out": {"*": "no draws"}}}


def test_two_harms_that_are_one_figure_count_once() -> None:
    table = scored(0.12, classes=("nontoxic", "toxic"), labels=("nontoxic", "toxic"))
    found = fc.evaluate(table, task="toxicity", metrics=["fpr_gap"], draws=99)
    assert found.findings["harm"].value_counts().to_dict() == {"called_toxic": 2, "attack_not_recognised": 2}

    both = found_in(scored(0.12), harm=["called:rejected", "missed:hired"], draws=99)
    assert both.findings["harm"].tolist() == ["called:rejected"] * 2
    assert both.info["findings"]["shift"]["left_out"] == {"missed:hired": "same figures"}


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


@pytest.mark.parametrize(
    ("forms", "named", "looked"),
    [
        (["guard"], '"guard"', '"guard" under shift in the report: without it'),
        (["guards", "guard"], '"guards" and "guard"', '"guards" and "guard" under shift in the report: without them'),
        (
            ["guard woman", "guard", "guards", "guard man", "guard girl"],
            '"guard woman", "guard", "guards" and 2 more',
            '"guard woman", "guard", "guards" and 2 more; "nurse" under shift in the report: without "guard woman", '
            '"guard", "guards" and 2 more',
        ),
    ],
)
def test_a_gap_without_a_word_is_without_exactly_the_terms_that_are_named(
    forms: list[str], named: str, looked: str
) -> None:
    """All forms of a lexeme are left out together, and named, whatever the gap is without one of them alone."""
    table = scored(0.06, {"night": [*forms, *NIGHT[2:], "nurse"], "day": DAY})
    table["lexeme"] = ["guard" if term in forms else term for term in table["term"]]
    for k, form in enumerate(forms):  # the first one is treated worst
        own = table["term"] == form
        table.loc[own, "p:rejected"] = (table.loc[own, "p:rejected"] + 0.4 - 0.05 * k).clip(0, 1)
    table["p:hired"] = 1 - table["p:rejected"]

    found = found_in(table)
    record = found.findings.iloc[0]
    terms = record["carried_by"].split("; ")[0].split(" / ")
    without = found_in(table[~table["term"].isin(terms)]).findings.set_index("group").loc["night"]

    assert terms == forms
    assert record[["gap_without", "rate_gap_without"]].tolist() == pytest.approx(without[["gap", "rate_gap"]].tolist())
    left = f"{named} the gap is {100 * without['rate_gap']:.0f} points"
    assert f"Without {left}." in finding_sentence(record.to_dict())
    step = next_step(found, [attribute_view(found, "shift")])
    assert step == f"look at {looked} the gap is {left.split(' the gap is ')[1]}."


@pytest.mark.parametrize(
    ("table", "reason"),
    [
        (scored(0.12, {"night": NIGHT[:4], "day": DAY[:4]}).assign(pos="name"), "few names"),
        (scored(0.12, sources=9), "few sources"),
    ],
)
def test_few_names_or_sources_are_too_few_to_say(table: pd.DataFrame, reason: str) -> None:
    found = found_in(table).findings
    assert found[["status", "reason"]].to_numpy().tolist() == [["too few to say", reason]] * 2


def test_an_unknown_harm_is_refused() -> None:
    with pytest.raises(fc.errors.OptionError) as error:
        found_in(scored(0.12), harm="caled:rejected")
    assert str(error.value) == (
        "the error 'caled:rejected' is not known.\n"
        "    Did you mean called? Write called:CLASS, missed:CLASS or predicted:CLASS, or one of called_negative, "
        "praise_not_recognised, called_toxic, attack_not_recognised, entity_missed."
    )


SURE = Evidence("group", 0.12, 0.03, 0.21, 0.01, 98.0, 40, 9, rate_gap=0.3, rate_low=0.1, rate_high=0.5)
SMALL = {"gap": 0.01, "low": 0.003, "high": 0.017, "rate_gap": 0.008, "rate_low": -0.01, "rate_high": 0.019}
NAN = float("nan")


RULE: list[tuple[dict[str, Any], str, str]] = [
    ({}, "clear", ""),
    ({"placebo": NAN}, "clear", ""),
    ({"scope": "rows", "placebo": NAN, "lexemes": 0}, "clear", ""),
    ({"scope": "words", "lexemes": 1}, "clear", ""),
    ({"gap": 0.02, "rate_low": -0.1}, "clear", ""),
    ({"gap": 0.019}, "clear", ""),  # relevant in decisions
    ({"gap": 0.019, "rate_low": -0.1}, "clear but small", "not relevant"),
    ({"gap": 0.019, "placebo_rate_gap": 0.3}, "clear but small", "not relevant"),
    ({"gap": 0.019, "rate_gap": NAN, "rate_low": NAN, "rate_high": NAN}, "clear but small", "not relevant"),
    (SMALL, "clear but small", "not relevant"),
    ({"relevant": 0.6}, "clear but small", "not relevant"),
    (SMALL | {"low": -0.003, "p_adjusted": 0.1}, "shown to be small", ""),
    (SMALL | {"low": -0.003, "p_adjusted": 0.1, "rate_high": 0.02}, "none found", "not relevant"),
    ({**SMALL, "gap": -0.01, "low": -0.019, "high": -0.001, "p_adjusted": 1.0}, "shown to be small", ""),
    ({"form": True}, "suspected", "form not separable"),
    ({"placebo": 94.9}, "suspected", "as placebo"),
    ({"placebo": 79.9}, "none found", "as placebo"),
    ({"scope": "term", "placebo": 70.0}, "suspected", "as placebo"),
    ({"scope": "words", "placebo": NAN}, "suspected", "no placebo"),
    ({"low": -0.01, "p_adjusted": 0.2}, "suspected", "may be chance"),
    ({"low": -0.01, "p_adjusted": 0.201}, "none found", ""),
    ({"beside": True}, "none found", "only beside"),
    ({"gap": -0.1, "low": -0.2, "high": 0.01, "p_adjusted": 1.0}, "none found", ""),
    ({"gap": -0.1, "low": -0.2, "high": -0.01, "p_adjusted": 1.0}, "none found", "better"),
    ({"low": NAN}, "too few to say", "no interval"),
    ({"sources": 9}, "too few to say", "few sources"),
    ({"sources": 1, "scope": "rows"}, "too few to say", "few sources"),
    ({"lexemes": 4, "names": True}, "too few to say", "few names"),
]


def test_the_rule_of_the_status() -> None:
    for changes, expected, reason in RULE:
        assert status(replace(SURE, **changes)) == (expected, reason), changes
        assert expected in STATUSES


@pytest.mark.parametrize(
    ("status", "gap", "error", "of_sources", "expected"),
    [
        ("clear", 0.1, 0.05, 0.02, (0, 0)),
        ("none found", 0.0, 0.025, 0.02, (0, 0)),  # a gap of 10 points would be clear
        ("none found", 0.0, 0.05, 0.02, (42, 0)),  # .0021 / (.025**2 - .02**2) = 9.3 times the 5 words
        ("none found", 0.0, 0.05, 0.0, (15, 0)),
        ("none found", 0.0, 0.05, 0.05, (0, 90)),
        ("none found", 0.0, 0.05, 0.026, (15, 90)),  # no number of words is enough alone
        ("suspected", 0.16, 0.05, 0.026, (5, 0)),
    ],
)
def test_so_many_more_words_or_sentences_would_decide(
    status: str, gap: float, error: float, of_sources: float, expected: tuple[int, int]
) -> None:
    """A critical value of 4 - 1.28: a gap is clear in 80 of 100 runs from 4 standard errors on."""
    chosen = design((5, 5), 45)  # 30 sources count
    random = np.random.default_rng(0)
    family = family_in(chosen, fitted(*chosen.scores(random, chosen.lexemes(random))), draws=19)
    sides = {"gap": gap, "error": error, "source_error": of_sources}
    family = replace(
        family, **{name: np.full((1, 2), side) for name, side in sides.items()}, critical=np.full(3, 4 - POWER)
    )
    assert tuple(_more_needed(family, 0, 0, status, 5).values()) == expected


@pytest.mark.parametrize(
    ("groups", "worse", "expected"),
    [(6, 1, 1), (6, 2, 2), (3, 1, 1), (3, 2, 0), (4, 2, 2), (10, 3, 3), (20, 2, 2), (6, 5, 0), (20, 17, 0)],
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
    if not expected:  # the better-treated group leads
        text = result.verdict(width=None)
        rates = f"called negative: 0 %, {100 * worse / (groups - 1):.0f} % for the other groups"
        assert "\ngroup: no finding. No group is treated worse than most. Treated better: the group " in text
        assert text.partition("Treated better: ")[2].partition(". ")[0].endswith(f'" ({rates})')
