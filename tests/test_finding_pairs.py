"""Pairs of sentences that show a finding: one side meets the harm, the other does not."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pandas as pd
import pytest
from build_findings import scored, tagged
from build_results import read_page

import fairness_checklist as fc
from fairness_checklist.reports.html import render
from fairness_checklist.reports.pairs import COLUMNS, HarmTexts, finding_pairs, pairs_of


def first(table: pd.DataFrame) -> dict[Any, Any]:
    return table.iloc[0].to_dict()


@pytest.fixture(scope="module")
def result() -> fc.Result:
    return fc.evaluate(scored(0.12), harm="called:rejected", metrics=["fpr_gap"], draws=199)


@pytest.mark.parametrize("of_terms", [False, True])
def test_of_a_classifier(result: fc.Result, of_terms: bool) -> None:
    record = first(result.term_findings if of_terms else result.findings)
    pairs = finding_pairs(result, record)
    examples = result.examples.set_index(["source", "term"])

    assert tuple(pairs.columns) == COLUMNS
    assert 0 < len(pairs) <= 5
    assert pairs["source"].is_unique
    assert set(pairs["source"]) <= set(str(record["examples"]).split("; "))
    for pair in pairs.to_dict("records"):
        assert (pair["harmed_predicted"], pair["spared_predicted"]) == ("rejected", "hired")
        assert pair["harmed_group"] == record["group"] if not of_terms else pair["harmed_term"] == record["term"]
        assert pair["spared_group"] != record["group"] if not of_terms else pair["spared_term"] != record["term"]
        for side in ("harmed", "spared"):
            row = examples.loc[(pair["source"], pair[f"{side}_term"])]
            assert pair[f"{side}_text"] == row["text"]
            assert pair[f"{side}_p"] == row["p:rejected"]
            start, end = pair[f"{side}_start"], pair[f"{side}_end"]
            assert pair[f"{side}_text"][start:end] == pair[f"{side}_term"]
    if not of_terms:
        assert pairs["harmed_term"].nunique() == len(pairs), "terms that were shown already come later"
    assert len(finding_pairs(result, record, 2)) == 2


def test_labels_that_the_harm_does_not_concern_are_left_out() -> None:
    found = fc.evaluate(
        scored(0.12, labels=("hired", "rejected")), harm="called:rejected", metrics=["fpr_gap"], draws=199
    )
    missed = first(found.findings) | {"harm": "missed:hired"}

    assert set(finding_pairs(found, first(found.findings))["label"]) == {"hired"}
    pairs = finding_pairs(found, missed)
    assert set(pairs["label"]) == {"hired"}
    assert set(pairs["harmed_predicted"]) == {"rejected"}


def test_of_a_tagger() -> None:
    found = fc.evaluate(tagged(0.4), task="ner", attribute="names", metrics=["fnr_gap"], draws=199)
    pairs = finding_pairs(found, first(found.findings))
    name = {**first(found.term_findings), "term": "Eva"}

    assert len(pairs) == 5
    assert set(pairs["harmed_group"]) == {"female"}
    assert set(pairs["spared_group"]) == {"male"}
    for pair in pairs.to_dict("records"):
        assert pair["harmed_term"] not in pair["harmed_predicted"]
        assert pair["spared_term"] in pair["spared_predicted"]
    assert set(finding_pairs(found, name)["harmed_term"]) <= {"Eva"}


def table_of(*rows: tuple[str, str, str, str, float]) -> pd.DataFrame:
    """Rows of source, group, term, decision and p(bad), all of the label good."""
    frame = pd.DataFrame(rows, columns=["source", "group", "term", "predicted", "p"])
    return frame.assign(text="The " + frame["term"] + " came.", label="good", attribute="age")


def pairs_in(frame: pd.DataFrame) -> pd.DataFrame:
    records = frame.assign(harmed=frame["predicted"] == "bad", right=frame["predicted"] == "good")
    records["class"] = "bad"
    texts = HarmTexts(
        records, lambda name, own, _: {f"{name}_term": records["term"][own], f"{name}_p": records["p"][own]}
    )
    return pairs_of(texts, {"group": "old", "attribute": "age", "harm": "called:bad"}, 5)


def test_pairs_with_a_right_answer_come_first_and_of_these_the_worst() -> None:
    pairs = pairs_in(
        table_of(
            *[("s1", "old", "aged", "bad", 0.9), ("s1", "young", "kid", "other", 0.1)],  # the right side is wrong too
            *[("s2", "old", "elder", "bad", 0.6), ("s2", "young", "kid", "good", 0.4)],
            *[
                ("s3", "old", "senior", "bad", 0.8),
                ("s3", "young", "boy", "good", 0.3),
                ("s3", "young", "kid", "other", 0.0),
            ],
            *[("s4", "old", "old", "good", 0.1), ("s4", "young", "kid", "bad", 0.9)],  # the other group is worse
            *[("s5", "old", "old", "bad", 0.9), ("s5", "young", "kid", "bad", 0.9)],  # no answer is spared
        )
    )

    assert pairs["source"].tolist() == ["s3", "s2", "s1"]
    assert pairs["both_wrong"].tolist() == [False, False, True]
    assert pairs["spared_term"].tolist() == ["boy", "kid", "kid"]


def test_without_a_finding_the_page_shows_the_group_that_is_worse(result: fc.Result) -> None:
    records = result.findings.assign(status="too few to say", reason="few sources")
    page = read_page(render(replace(result, findings=records)))
    [fold] = page.all("details", "pairs")
    left = [pair.all("p", "who")[0].text for pair in fold.all("article", "pair")]

    assert fold.all("summary")[0].text.endswith(': The group "night": called rejected without being so')
    assert len(left) == 5
    assert all(who.startswith("night") for who in left)


def test_without_texts_nothing_is_shown_and_the_page_does_not_speak_of_pairs(result: fc.Result) -> None:
    record = first(result.findings)
    for lacking in (result.without_text(), fc.evaluate(scored(0.12).drop(columns="text"), harm="called:rejected")):
        page = read_page(render(lacking))
        assert finding_pairs(lacking, record).empty
        assert not page.all("blockquote")
        assert "pairs" not in page.by_id("attribute-shift").text.split("Metrics by group")[0]
    assert finding_pairs(result, record | {"harm": "my own"}).empty
