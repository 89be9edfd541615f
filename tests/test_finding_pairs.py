"""Pairs of sentences that show a finding: one side meets the error, the other does not."""

from dataclasses import replace
from typing import Any

import pandas as pd
import pytest
from build_findings import found_in, scored
from build_results import read_page

import fairness_checklist as fc
from fairness_checklist.reports.html import render
from fairness_checklist.reports.pairs import COLUMNS, HarmTexts, finding_pairs, pairs_of


def first(table: pd.DataFrame) -> dict[Any, Any]:
    return table.iloc[0].to_dict()


@pytest.fixture(scope="module")
def result() -> fc.Result:
    return found_in(scored(0.12))


@pytest.mark.parametrize("of_words", [False, True])
def test_of_a_classifier(result: fc.Result, of_words: bool) -> None:
    record = first(result.word_findings if of_words else result.findings)
    pairs = finding_pairs(result, record)
    examples = result.examples.set_index(["source", "term"])

    assert tuple(pairs.columns) == COLUMNS
    assert 0 < len(pairs) <= 5
    assert pairs["source"].is_unique
    for pair in pairs.to_dict("records"):
        assert (pair["harmed_predicted"], pair["spared_predicted"]) == ("rejected", "hired")
        assert pair["harmed_term"] == record["word"] if of_words else pair["harmed_group"] == record["group"]
        assert pair["spared_term"] != record["word"] if of_words else pair["spared_group"] != record["group"]
        for side in ("harmed", "spared"):
            row = examples.loc[(pair["source"], pair[f"{side}_term"])]
            assert (pair[f"{side}_text"], pair[f"{side}_p"]) == (row["text"], row["p:rejected"])
            assert row["text"][pair[f"{side}_start"] : pair[f"{side}_end"]] == pair[f"{side}_term"]
    if not of_words:
        assert pairs["harmed_term"].nunique() == len(pairs), "terms that were shown already come later"
        assert set(pairs["source"]) <= set(str(record["examples"]).split("; "))
    assert len(finding_pairs(result, record, 2)) == 2


def test_labels_that_the_error_does_not_concern_are_left_out() -> None:
    found = found_in(scored(0.12, labels=("hired", "rejected")))
    for error in ("called:rejected", "missed:hired"):
        pairs = finding_pairs(found, first(found.findings) | {"error": error})
        assert (set(pairs["label"]), set(pairs["harmed_predicted"])) == ({"hired"}, {"rejected"})


def test_right_answers_and_sources_that_show_it_best_come_first() -> None:
    rows = [
        *[("s1", "old", "elder", "bad", 0.6), ("s1", "young", "kid", "other", 0.1)],
        *[("s2", "old", "elder", "bad", 0.7), ("s2", "old", "old", "good", 0.2), ("s2", "young", "kid", "good", 0.3)],
        *[("s3", "old", "old", "bad", 0.8), ("s3", "young", "boy", "good", 0.3), ("s3", "young", "kid", "other", 0.0)],
        *[("s4", "old", "old", "good", 0.1), ("s4", "young", "kid", "bad", 0.9)],  # the other group is worse
        *[("s5", "old", "old", "bad", 0.9), ("s5", "young", "kid", "bad", 0.9)],  # no answer is spared
        ("s2", "unmarked", "", "bad", 0.5),
    ]
    frame = pd.DataFrame(rows, columns=["source", "group", "term", "predicted", "p"]).assign(label="good")
    frame = frame.assign(harmed=frame["predicted"] == "bad", right=frame["predicted"] == "good", **{"class": "bad"})
    texts = HarmTexts(frame, lambda row, _: {"term": frame["term"][row]})
    pairs = pairs_of(texts, {"group": "old", "reference": "others"}, 5)

    assert pairs["source"].tolist() == ["s3", "s2", "s1"]
    assert pairs["both_wrong"].tolist() == [False, False, True]
    assert pairs["spared_term"].tolist() == ["boy", "kid", "kid"]
    figures = {"probability": 0.5, "others_probability": 0.4, "rate": 1.0, "others_rate": 1 / 3}
    assert texts.unmarked() == pytest.approx(figures)
    assert HarmTexts(frame[:-1], texts.side).unmarked() == {}


def test_without_a_worse_group_the_page_shows_the_largest_open_gap(result: fc.Result) -> None:
    records = result.findings.assign(status="open", reason_code="few words")
    words = result.word_findings.assign(said="")
    [shown] = read_page(render(replace(result, findings=records, word_findings=words))).all("section", "finding")
    left = [pair.all("p", "who")[0].text for pair in shown.all("article", "pair")]

    assert shown.all("h4")[0].text.startswith('Open for the group "night", called rejected: probability')
    assert [who[:5] for who in left] == ["night"] * 5
    assert len(shown.all("details")[0].all("article", "pair")) == 4


def test_without_texts_the_page_has_no_pairs(result: fc.Result) -> None:
    record = first(result.findings)
    for lacking in (result.without_text(), found_in(scored(0.12).drop(columns="text"))):
        assert finding_pairs(lacking, record).empty
        assert not read_page(render(lacking)).all("blockquote")
    assert finding_pairs(result, record | {"error": "my own"}).empty
