"""What a run of a tagger says: sentences, tables, pairs, the picture and the page."""

import pandas as pd
import pytest
from build_reports_tagger import tagged_table, tagger_run
from build_results import read_page

from fairness_checklist.reports.heatmap import heat_map
from fairness_checklist.reports.html import render
from fairness_checklist.reports.pairs import finding_pairs
from fairness_checklist.reports.provenance import always_missed, undefined_values
from fairness_checklist.reports.run_view import attribute_view
from fairness_checklist.reports.tables import tables
from fairness_checklist.tables.run_folder import Results


@pytest.fixture(scope="module")
def results():
    return tagger_run()


@pytest.fixture(scope="module")
def page(results):
    return read_page(render(results))


def rows_of(table):
    return [[cell.text for cell in row.all() if cell.tag in ("th", "td")] for row in table.all("tr")]


def block(predictions, start):
    """A table of the terminal, from its head to the next empty line."""
    at = predictions.index(start)
    return predictions[at : predictions.index("\n\n", at)]


def test_tables_show_the_term_and_only_types_that_it_has(results, page):
    assert "An entity is found where all its words and its type are right." in page.by_id("reading").text
    predictions = tables(results)
    assert block(predictions, "Class PER").splitlines()[1:] == [
        "group      fnr_gap         TPR         FNR      mean p",
        "female  +0.250 (2)   0.500 (6)   0.500 (6)   0.450 (6)",
        "male    -0.250 (2)   0.750 (4)   0.250 (4)   0.650 (4)",
        "all                 0.600 (10)  0.400 (10)  0.530 (10)",
    ]
    assert "Class LOC" not in predictions
    assert "Class ORG" not in predictions
    assert "where=" not in predictions
    assert max(map(len, predictions.splitlines())) <= 100


def test_names_that_are_always_missed_are_listed_by_group(results, page):
    [listed] = page.all("details", "missed")
    assert [one.text for one in (*listed.all("summary"), *listed.all("li"))] == [
        "1 of 5 names are missed in every text, 2 are always found; the others are missed in 50 % of their texts.",
        "Female names: 1, Grace.",
    ]
    words = pd.DataFrame({"word": [f"n{k}" for k in range(11)], "group": "female", "rate": 1.0})
    assert always_missed(words, "names") == (
        "11 of 11 names are missed in every text, none is always found.",
        ["Female names: 11, n0, n1, n2, n3, n4, n5, n6, n7 and 3 more."],
    )
    assert always_missed(words.assign(rate=0.5), "names") == ("", [])


def test_repaired_entities_appear_where_there_are_some(results):
    assert "repaired" not in tables(results)
    table = tagged_table()
    table["repaired"] = [1, 0, 0, 1, 0] * 2
    [overall] = [t for t in read_page(render(tagger_run(table))).all("table") if "Over all" in t.text][:1]
    assert rows_of(overall)[:2] == [
        ["group", "mean p of gold", "repaired entities a whole sentence"],
        ["female", "0.450 (6)", "0.333 (6)"],
    ]


def test_undefined_values_are_gathered_by_part_and_type(results):
    found = undefined_values(attribute_view(results, "names"))
    assert found["values"].sum() == results.metrics["value"].isna().sum()
    listed = found.values.tolist()
    lacking = [row for row in listed if row[0] == "all metrics"]
    for label in ("LOC", "ORG"):
        [at_names] = [row for row in lacking if row[1:3] == [label, f"no entity at the names has the type {label}"]]
        assert at_names[3] > 30
    ratio = "the background's score is 0, in the whole sentences"
    assert any(row[:2] == ["fnr_ratio", "LOC"] and ratio in row[2] for row in listed)


RECORD = {"attribute": "names", "group": "female", "error": "entity_missed", "reference": "others"}


@pytest.mark.parametrize("probabilities", [True, False])
def test_pairs_by_hand(probabilities):
    found = finding_pairs(tagger_run(tagged_table(probabilities=probabilities)), RECORD)
    shown = {
        "source": "s1",
        "class": "PER",
        "both_wrong": False,
        "harmed_group": "female",
        "harmed_term": "Grace",
        "harmed_text": "In Kenya Grace met the World Bank.",
        "harmed_predicted": "Kenya (LOC), World Bank (ORG)",
        "harmed_start": 9,
        "harmed_end": 14,
        "spared_group": "male",
        "spared_term": "Tom",
        "spared_predicted": "Tom (PER), World Bank (ORG)",
        "spared_start": 9,
        "spared_end": 12,
    }
    assert found.loc[found["source"] == "s1", list(shown)].iloc[0].to_dict() == shown
    assert found["harmed_p"].notna().all() == probabilities
    assert len(finding_pairs(tagger_run(), RECORD, 1)) == 1


def test_tables_that_lack_a_column_can_be_read():
    for lacking in ("source", "tags", "slot", "term", "text"):
        found = tagger_run(tagged_table().drop(columns=lacking))
        assert read_page(render(found)).by_id("summary-names").text
        assert tables(found)
        assert len(finding_pairs(found, RECORD)) == (0 if lacking in ("source", "tags", "slot") else 2), lacking


def test_a_saved_run_gives_the_same_text(results, tmp_path):
    again = Results.load(results.write_folder(tmp_path / "run"))
    assert tables(again) == tables(results)
    pd.testing.assert_frame_equal(finding_pairs(again, RECORD), finding_pairs(results, RECORD))


def test_the_picture_shows_the_term_first(results):
    figure = heat_map(results, "names")
    assert [text.get_text().partition(", ")[2] for text in figure.texts[:-1]][::2] == [
        "class PER: group metrics at the names",
        "class PER: group metrics in the whole sentences",
        "class LOC: group metrics in the rest of the sentences",
    ]
    labels = [tick.get_text() for axes in figure.axes for tick in axes.get_yticklabels()]
    assert {"fnr_gap", "avg_if"} <= set(labels)
    assert not any("[" in name for name in labels)
