"""Pairs of sentences that show a finding: one side meets the harm, the other does not."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest
from build_findings import scored, tagged
from build_results import read_page

import fairness_checklist as fc
from fairness_checklist.reports.finding_pairs import COLUMNS, finding_pairs
from fairness_checklist.reports.html import render


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
    pairs = finding_pairs(found, missed | {"examples": "; ".join(f"s{k}" for k in range(9))})
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


def test_texts_that_were_not_kept_are_not_shown_as_hashes(result: fc.Result) -> None:
    hidden = result.without_text()
    pairs = finding_pairs(hidden, first(result.findings))
    page = read_page(render(hidden))

    assert len(pairs) == len(finding_pairs(result, first(result.findings)))
    assert {quote.text for quote in page.all("blockquote")} == {"The text was not kept."}
    assert not page.all("mark")


def test_without_what_a_pair_needs_there_is_none(result: fc.Result) -> None:
    record = first(result.findings)
    own = fc.evaluate(scored(0.12).drop(columns="source"), harm="called:rejected", metrics=["fpr_gap"], draws=99)

    assert finding_pairs(own, record).empty
    assert finding_pairs(result, record | {"harm": "my own"}).empty
    assert finding_pairs(result, record | {"examples": ""}).empty
