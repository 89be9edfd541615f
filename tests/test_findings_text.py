"""What is said of findings: whole sentences of the verdict, `explain`, the page and the notebook."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pandas as pd
import pytest
from build_findings import DAY, NIGHT, scored, tagged
from build_results import read_page
from fairness_checklist.reports.findings_text import LEGEND, attribute_findings, finding_sentence, verdict

import fairness_checklist as fc
from fairness_checklist.core.tasks import Harm
from fairness_checklist.reports.html import notebook_view, render

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
            "Clear: 29 % of the sentences that mention women and are not negative are called negative, of the others "
            "11 % (probability +15 points, 4 to 26; larger than in 98 of 100 draws of words that should not matter; 7 "
            "of 20 terms, 40 sources).",
        ),
        (
            {"attribute": "names", "group": "female"},
            False,
            "Clear: 29 % of the sentences with female names that are not negative are called negative, of the others "
            "11 % (probability +15 points, 4 to 26; 7 terms, 40 sources).",
        ),
        (
            {"harm": "praise_not_recognised", "status": "suspected", "note": "adjusted p .13", "ci_low": -0.02},
            False,
            "Suspected: 29 % of the positive sentences that mention women are not recognised as positive, of the "
            "others 11 % (probability +15 points, -2 to 26; adjusted p .13; 7 terms, 40 sources).",
        ),
        (
            {"harm": "predicted:toxic", "unstable": "the interval holds 0 without lady"},
            False,
            "Clear: 29 % of the sentences that mention women are called toxic, of the others 11 % (probability +15 "
            "points, 4 to 26; unstable: the interval holds 0 without lady; 7 terms, 40 sources).",
        ),
        (
            {"scope": "words", "words": "lady; girl", "status": "suspected", "note": "few words"},
            False,
            'Suspected: 29 % of the sentences that say "lady" or "girl" and are not negative are called negative, of '
            "the others 11 % (probability +15 points, 4 to 26; few words; 7 terms, 40 sources).",
        ),
        (
            {"scope": "rows", "n_terms": 0, "measure": "rate"},
            False,
            "Clear: 29 % of the sentences that mention women and are not negative are called negative, of the others "
            "11 % (rate +15 points, 4 to 26; 40 rows).",
        ),
        (
            {"harm": "own", "title": "turned away"},
            False,
            "Clear: 29 % of the sentences that mention women are turned away, of the others 11 % (probability +15 "
            "points, 4 to 26; 7 terms, 40 sources).",
        ),
        (
            {"harm": "entity_missed", "attribute": "names", "group": "female"},
            True,
            "Clear: 29 % of the female names are missed, of the others 11 % (probability +15 points, 4 to 26; 7 terms, "
            "40 sources).",
        ),
        (
            {"harm": "missed:LOC", "attribute": "nationality", "group": "lowest GDP sixth"},
            True,
            'Clear: 29 % of the countries of the group "lowest GDP sixth" that are LOC are missed, of the others 11 % '
            "(probability +15 points, 4 to 26; 7 terms, 40 sources).",
        ),
        (
            {"status": "too few to say", "note": "6 sources, fewer than 10", "gap": float("nan")},
            False,
            "Too few to say for women: 6 sources, fewer than 10.",
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
            'Clear: 29 % of the sentences that say "lady" and are not negative are called negative, of the others 11 % '
            "(probability +15 points, 4 to 26; 40 sources).",
        ),
        (
            {"harm": "entity_missed"},
            True,
            'Clear: 29 % of the mentions of "lady" are missed, of the others 11 % (probability +15 points, 4 to 26; 40 '
            "sources).",
        ),
    ],
)
def test_a_record_of_a_term_in_words(changes: dict[str, Any], tagging: bool, expected: str) -> None:
    assert finding_sentence(TERM | {"term": "lady"} | changes, tagging=tagging) == expected


def test_the_verdict_of_a_clear_finding(result: fc.Result) -> None:
    shift, legend = result.verdict(width=None).split("\n\n")

    assert shift == (
        'shift: Clear: 74 % of the sentences that mention the group "night" and are not rejected are called rejected, '
        "of the others 36 % (probability +11 points, 9 to 12; 6 terms, 30 sources). None found in 1 of 2 comparisons "
        "of groups and harms (a gap of 3 points would have been found in 80 of 100 runs). The model classifies 45 % of "
        "the labelled sentences correctly; in 29 of 30 sources the decision changes with the group (invariance)."
    )
    assert legend == LEGEND
    assert [one.status for one in attribute_findings(result.results)] == ["clear"]


def test_the_verdict_where_nothing_is_found() -> None:
    words = found_in(scored(0.0, seed=4)).verdict(width=None)

    assert words.startswith("shift: None found in all 2 comparisons of groups and harms (a gap of ")
    assert words.endswith(LEGEND)


def test_the_verdict_of_too_few_sources() -> None:
    words = found_in(scored(0.12, sources=9)).verdict(width=None)

    assert words.startswith("shift: Too few to say for night and day: 9 sources, fewer than 10. The model classifies ")


def test_the_verdict_without_findings_has_the_reason_and_no_legend() -> None:
    words = found_in(scored(0.12), draws=0).verdict(width=None)

    assert words.startswith("shift: No findings: draws=0. The model classifies ")
    assert LEGEND not in words


def test_a_model_that_predicts_one_class_is_named_before_the_findings() -> None:
    words = found_in(scored(-0.2, noise=0.01)).verdict(width=None)

    assert words.startswith(
        "shift: The model predicts one class for all texts: hired. Its decisions cannot differ between groups. This is "
        "not evidence of fairness. The accuracy is 100 %. Clear: 0 % of the sentences that mention the group "
        '"day" and are not rejected are called rejected, of the others 0 % (probability +20 points, '
    )


def test_the_verdict_without_labels() -> None:
    table = scored(0.12, classes=("nontoxic", "toxic")).drop(columns="label")
    found = fc.evaluate(table, task="toxicity", metrics=["parity_gap"], draws=199)

    assert found.findings["harm"].tolist() == ["predicted:toxic"] * 2
    assert found.verdict(width=None).startswith(
        'shift: Clear: 74 % of the sentences that mention the group "night" are called toxic, of the others 36 % '
        "(probability +11 points, 9 to 12; 6 terms, 30 sources). "
    )


def test_the_verdict_of_a_tagger() -> None:
    found = fc.evaluate(tagged(0.4), task="ner", attribute="names", metrics=["fnr_gap"], draws=199)

    assert found.findings[["harm", "measure", "status"]].to_numpy().tolist() == [
        ["entity_missed", "rate", "clear"],
        ["entity_missed", "rate", "none found"],
    ]
    assert found.verdict(width=None).startswith(
        "names: Clear: 38 % of the female names are missed, of the others 0 % ("
    )
    assert "Of the names the model finds 81 % as PER; in " in found.verdict(width=None)
    assert " Clear: 38 % of the female names are missed, of " in found.explain("fnr_gap", "female")


def test_many_findings_are_cut() -> None:
    groups = {"a": NIGHT, "b": DAY}
    table = scored(0.12, groups, classes=("hired", "rejected"), labels=("hired", "rejected"))
    found = found_in(table, harm=["called:rejected", "missed:rejected"])
    records = pd.concat([found.findings.assign(status="suspected")] * 2, ignore_index=True)
    [shown] = attribute_findings(replace(found.results, findings=records))

    assert [line.split(":")[0] for line in shown.lines[:3]] == ["Suspected"] * 3
    assert shown.lines[3] == f"And {len(records) - 3} more, see findings.csv."


def test_a_finding_is_wrapped_without_lone_percent_signs(result: fc.Result) -> None:
    wrapped = verdict(result.results)

    assert max(map(len, wrapped.splitlines())) <= 100
    assert not any(line.startswith("%") for line in wrapped.splitlines())
    assert " ".join(wrapped.split()) == " ".join(verdict(result.results, width=None).split())


def test_explain_adds_the_finding_of_the_harm_of_a_metric(result: fc.Result) -> None:
    words = result.explain("fpr_gap", "night", label="rejected")
    sentence = finding_sentence(result.findings.iloc[0].to_dict())

    assert f" {sentence} Question of the metric: " in words
    assert "This metric carries no finding." not in words
    assert " None found: 36 % of the sentences that mention" in result.explain("fpr_gap", "day", label="rejected")


@pytest.mark.parametrize(("metric", "label"), [("fpr_gap", "hired"), ("accuracy_gap", None), ("fped", "rejected")])
def test_explain_of_other_metrics(metric: str, label: str | None) -> None:
    found = found_in(scored(0.12, labels=("hired", "rejected")), metrics=["fpr_gap", "accuracy_gap", "fped"], draws=99)

    assert " This metric carries no finding. " in found.explain(metric, "night", label=label)


def test_a_harm_of_the_users_own() -> None:
    own = Harm("turned_away", "called", "rejected", "turned away without a reason")
    words = found_in(scored(0.12), harm=own).verdict(width=None)

    assert words.startswith(
        'shift: Clear: 74 % of the sentences that mention the group "night" are turned away without a reason, of the '
    )


def test_the_page_has_the_verdict_and_the_records(result: fc.Result, unpainted: None) -> None:
    page = read_page(render(result.results))
    groups, *_ = page.by_id("findings-shift").all("table")

    assert [p.text for p in page.by_id("verdict").all("p")] == result.verdict(width=None).split("\n\n")
    assert groups.all("caption")[0].text == "Findings of groups: rates in percent, gaps and intervals in points"
    rows = [[cell.text for cell in row.all() if cell.tag in ("th", "td")] for row in groups.all("tr")]
    assert rows[0] == [
        *("group", "harm", "status", "rate", "others' rate", "gap", "interval", "p, adjusted", "placebo percentile"),
        *("terms", "sources", "carried by"),
    ]
    assert [row[:5] for row in rows[1:]] == [
        ["night", "called rejected without being so", "clear", "73.9", "35.6"],
        ["day", "called rejected without being so", "none found", "35.6", "73.9"],
    ]
    assert [row.all("th")[0].text for row in page.all("tr", "found")] == ["night"]
    words = read_page(notebook_view(result.results)).text
    assert result.verdict(width=None).split("\n\n")[0] in words
    assert LEGEND in words
