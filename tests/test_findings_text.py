"""A record of findings as a sentence, in `explain` and on the page."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest
from build_findings import scored
from build_results import read_page

import fairness_checklist as fc
from fairness_checklist.reports.finding_text import finding_sentence, gap_bounds
from fairness_checklist.reports.html import render

RECORD: dict[str, Any] = {
    "attribute": "gender",
    "group": "women",
    "harm": "called_negative",
    "title": "called negative without being so",
    "status": "clear",
    "scope": "group",
    "measure": "probability",
    "rate": 0.29,
    "others_rate": 0.11,
    "gap": 0.15,
    "ci_low": 0.04,
    "ci_high": 0.26,
    "placebo_percentile": float("nan"),
    "n_terms": 7,
    "n_terms_available": 7,
    "n_sources": 40,
    "words": "",
    "unstable": "",
    "note": "",
}
TERM = {name: value for name, value in RECORD.items() if name not in ("scope", "words", "n_terms", "n_terms_available")}


def found_in(table: pd.DataFrame, **options: Any) -> fc.Result:
    return fc.evaluate(table, **{"harm": "called:rejected", "metrics": ["fpr_gap"], "draws": 199, **options})


@pytest.fixture(scope="module")
def result() -> fc.Result:
    return found_in(scored(0.12))


@pytest.mark.parametrize(
    ("changes", "tagging", "expected"),
    [
        (
            {"placebo_percentile": 98.2, "n_terms_available": 20},
            False,
            (
                "Clear finding: 29 % of the non-negative sentences that mention women are called negative, 11 % for "
                "the other groups. Gap of the mean probability: 15 points (95 % interval 4 to 26). 2 of 100 random "
                "groups of placebo words show so large a gap. 7 of 20 terms, 40 independent sentences."
            ),
        ),
        (
            {"attribute": "names", "group": "female"},
            False,
            (
                "Clear finding: 29 % of the non-negative sentences with female names are called negative, 11 % for "
                "the other groups. Gap of the mean probability: 15 points (95 % interval 4 to 26). 7 terms, 40 "
                "independent sentences."
            ),
        ),
        (
            {"harm": "praise_not_recognised", "status": "suspected", "note": "adjusted p .13", "ci_low": -0.02},
            False,
            (
                "Suspected: 29 % of the positive sentences that mention women are not recognised as positive, 11 % "
                "for the other groups. Gap of the mean probability: 15 points (95 % interval -2 to 26). Adjusted p "
                ".13. 7 terms, 40 independent sentences."
            ),
        ),
        (
            {"harm": "predicted:toxic", "unstable": "the interval holds 0 without lady"},
            False,
            (
                "Clear finding: 29 % of the sentences that mention women are called toxic, 11 % for the other groups."
                " Gap of the mean probability: 15 points (95 % interval 4 to 26). Unstable: the interval holds 0 "
                "without lady. 7 terms, 40 independent sentences."
            ),
        ),
        (
            {"scope": "words", "words": "lady; girl", "status": "suspected", "note": "few words"},
            False,
            (
                'Suspected: 29 % of the non-negative sentences that mention women ("lady" and "girl") are called '
                "negative, 11 % for the other groups. Gap of the mean probability: 15 points (95 % interval 4 to 26)."
                " Few words. 7 terms, 40 independent sentences."
            ),
        ),
        (
            {"scope": "rows", "n_terms": 0, "measure": "rate"},
            False,
            (
                'Clear finding: 29 % of the non-negative rows of the group "women" are called negative, 11 % for the '
                "other groups. Gap of the rates: 15 points (95 % interval 4 to 26). 40 rows."
            ),
        ),
        (
            {"harm": "own", "title": "turned away"},
            False,
            (
                "Clear finding: 29 % of the sentences that mention women are turned away, 11 % for the other groups. "
                "Gap of the mean probability: 15 points (95 % interval 4 to 26). 7 terms, 40 independent sentences."
            ),
        ),
        (
            {"harm": "entity_missed", "attribute": "names", "group": "female"},
            True,
            (
                "Clear finding: 29 % of the female names are missed, 11 % for the other groups. Gap of the mean "
                "probability: 15 points (95 % interval 4 to 26). 7 terms, 40 independent sentences."
            ),
        ),
        (
            {"harm": "missed:LOC", "attribute": "nationality", "group": "lowest GDP sixth"},
            True,
            (
                "Clear finding: 29 % of the countries in the lowest GDP sixth that are LOC are missed, 11 % for the "
                "other groups. Gap of the mean probability: 15 points (95 % interval 4 to 26). 7 terms, 40 "
                "independent sentences."
            ),
        ),
        (
            {"status": "too few to say", "note": "6 independent sentences, fewer than 10", "gap": float("nan")},
            False,
            "Too few to say for women: 6 independent sentences, fewer than 10.",
        ),
    ],
)
def test_a_record_of_a_group_in_words(changes: dict[str, Any], tagging: bool, expected: str) -> None:
    assert finding_sentence(RECORD | changes, tagging=tagging) == expected


@pytest.mark.parametrize(
    ("changes", "tagging", "expected"),
    [
        (
            {},
            False,
            (
                'Clear finding: 29 % of the non-negative sentences with "lady" are called negative, 11 % for the '
                "other terms. Gap of the mean probability: 15 points (95 % interval 4 to 26). 40 independent sentences."
            ),
        ),
        (
            {"harm": "entity_missed"},
            True,
            (
                'Clear finding: 29 % of the mentions of "lady" are missed, 11 % for the other terms. Gap of the mean '
                "probability: 15 points (95 % interval 4 to 26). 40 independent sentences."
            ),
        ),
    ],
)
def test_a_record_of_a_term_in_words(changes: dict[str, Any], tagging: bool, expected: str) -> None:
    assert finding_sentence(TERM | {"term": "lady"} | changes, tagging=tagging) == expected


def test_explain_adds_the_finding_of_the_harm_of_a_metric(result: fc.Result) -> None:
    words = result.explain("fpr_gap", "night", label="rejected")
    sentence = finding_sentence(result.findings.iloc[0].to_dict())

    assert f" {sentence} Question of the metric: " in words
    assert "This metric carries no finding." not in words
    assert " No finding: 36 % of the non-rejected sentences that mention" in result.explain(
        "fpr_gap", "day", label="rejected"
    )


@pytest.mark.parametrize(("metric", "label"), [("fpr_gap", "hired"), ("accuracy_gap", None), ("fped", "rejected")])
def test_explain_of_other_metrics(metric: str, label: str | None) -> None:
    found = found_in(scored(0.12, labels=("hired", "rejected")), metrics=["fpr_gap", "accuracy_gap", "fped"], draws=99)

    assert " This metric carries no finding. " in found.explain(metric, "night", label=label)


def test_the_page_has_the_sentence_its_pairs_and_the_records(result: fc.Result) -> None:
    page = read_page(render(result))
    [shown] = page.by_id("attribute-shift").all("section", "finding")
    [numbers] = page.all("details", "numbers")
    groups, *_ = numbers.all("table")

    assert shown.all("h3")[0].text == 'The group "night": called rejected without being so'
    assert shown.all("p")[0].text == finding_sentence(result.findings.iloc[0].to_dict())
    assert len(shown.all("article", "pair")) == 5
    assert groups.all("caption")[0].text == "Findings of groups"
    rows = [[cell.text for cell in row.all() if cell.tag in ("th", "td")] for row in groups.all("tr")]
    assert rows[0] == [
        *("group", "harm", "status", "rate", "others' rate", "gap in decisions", "gap in probability", "counts"),
        *("placebo words differ by", "words"),
    ]
    record = result.findings.iloc[0].to_dict()
    assert rows[1] == [
        *("night", "called rejected without being so", "clear", "74 %", "36 %"),
        *(gap_bounds(record, rates=True), gap_bounds(record, rates=False), "133 of 180 texts", "", "6"),
    ]
    assert rows[2][:5] == ["day", "called rejected without being so", "none found", "36 %", "74 %"]
    assert [row.all("th")[0].text for row in page.all("tr", "found")] == ["night"]
