"""What a run says of single terms: toxicity's errors, and runs of older versions."""

from __future__ import annotations

from dataclasses import replace

import pytest
from build_reports_tagger import tagger_run, toxicity_run, toxicity_table
from build_results import predictions, read_page, run

from fairness_checklist.metrics.metric_forms import Options
from fairness_checklist.reports.heatmap import heat_map
from fairness_checklist.reports.html import render
from fairness_checklist.reports.missed_terms import missed
from fairness_checklist.reports.page_tables import errors_by_term, term_differences
from fairness_checklist.reports.run_tables import undefined_values
from fairness_checklist.reports.run_view import attribute_view, positive_class
from fairness_checklist.reports.text import tables
from fairness_checklist.run.options import RunOptions


@pytest.fixture(scope="module")
def results():
    return toxicity_run()


@pytest.fixture(scope="module")
def page(results):
    return read_page(render(results))


def rows_of(table):
    return [[cell.text for cell in row.all() if cell.tag in ("th", "td")] for row in table.all("tr")]


def test_the_positive_class(results):
    assert positive_class(attribute_view(results, "gender")) == "toxic"
    assert positive_class(attribute_view(run(predictions()), "gender")) == "positive"


def test_terms_apart_by_hand(results):
    found = term_differences(attribute_view(results, "gender"), "fpr_gap")
    assert found[["term", "group", "n"]].values.tolist() == [
        ["trans", "trans", 2],
        ["woman", "women", 2],
        ["lady", "women", 2],
        ["transgender", "trans", 2],
    ]
    assert found["gap"].tolist() == pytest.approx([5 / 6, -0.5, -0.5, 1 / 6])
    assert found["rate"].tolist() == [1.0, 0.0, 0.0, 0.5]
    assert term_differences(attribute_view(results, "gender"), "fnr_gap", 1)["term"].tolist() == ["lady"]


def test_a_term_of_two_groups_is_reported_with_its_group():
    table = toxicity_table()
    table["term"] = table["term"].replace("lady", "transgender")
    found = term_differences(attribute_view(toxicity_run(table), "gender"), "fpr_gap").set_index("term")
    assert found.loc["transgender (trans)", ["group", "rate", "n"]].tolist() == ["trans", 0.5, 2]
    assert found.loc["transgender (women)", ["group", "rate", "n"]].tolist() == ["women", 0.0, 2]


def test_tables_of_terms(results):
    predicted = tables(results)
    # by group |0 - 3/8| + |3/4 - 3/8|; by term |0 - 3/8| twice, |1 - 3/8| and |1/2 - 3/8|
    start = predicted.index("Class toxic: FPED")
    assert predicted[start : predicted.index("\n\nundefined")] == (
        "Class toxic: FPED and FNED, sums over all groups and over all terms\n"
        "total  by group  by term\n"
        "FPED      0.750    1.500\n"
        "FNED      0.250    0.750\n"
        "\n"
        "Class toxic: fpr_gap by term, the terms furthest from all others\n"
        "term         group  fpr_gap    FPR  n\n"
        "trans        trans   +0.833  1.000  2\n"
        "woman        women   -0.500  0.000  2\n"
        "lady         women   -0.500  0.000  2\n"
        "transgender  trans   +0.167  0.500  2\n"
        "\n"
        "Class toxic: fnr_gap by term, the terms furthest from all others\n"
        "term         group  fnr_gap    FNR  n\n"
        "lady         women   +0.500  0.500  2\n"
        "woman        women   -0.167  0.000  2\n"
        "trans        trans   -0.167  0.000  2\n"
        "transgender  trans   -0.167  0.000  2"
    )


def test_terms_on_the_page(page):
    totals, falsely, missed = page.all("details", "values")[0].all("table")[-3:]
    assert rows_of(totals) == [["total", "by group", "by term"], ["FPED", "0.750", "1.500"], ["FNED", "0.250", "0.750"]]
    assert falsely.all("caption")[0].text == ("Class toxic: fpr_gap by term, the terms furthest from all others")
    assert rows_of(falsely)[:2] == [
        ["term", "group", "fpr_gap", "FPR", "n"],
        ["trans", "trans", "+0.833", "1.000", "2"],
    ]
    assert rows_of(missed)[1] == ["lady", "women", "+0.500", "0.500", "2"]
    assert "by=term" not in page.all("details", "values")[0].text


def test_terms_are_no_rows_of_the_picture(results):
    names = [tick.get_text() for axes in heat_map(results).axes for tick in axes.get_yticklabels()]
    assert len(names) == len(set(names))
    assert not any("term" in name for name in names)


def test_undefined_values_by_term_are_reported(results):
    metrics = results.metrics.copy()
    mine = metrics["by"].eq("term") & metrics["left"].eq("lady") & metrics["metric"].eq("fpr_gap")
    metrics.loc[mine, ["value", "note"]] = [float("nan"), "no such sentence"]
    found = undefined_values(replace(results, metrics=metrics), "gender")
    assert ["fpr_gap by term", "toxic", "no such sentence", 1, "lady against everyone else"] in found.values.tolist()


def test_a_run_by_term_alone_has_a_report():
    found = toxicity_run(choices=RunOptions(options=Options(by="term")))
    assert "by term" in read_page(render(found)).all("details", "values")[0].text


def test_other_tasks_have_no_terms_of_their_own():
    found = run(predictions())
    assert missed(attribute_view(found, "gender")) == []
    assert errors_by_term(attribute_view(found, "gender")) == []
    assert "by term" not in read_page(render(found)).all("details", "values")[0].text


def test_no_more_terms_than_requested():
    [two] = missed(attribute_view(tagger_run(), "names"), 2)
    assert [row[0] for row in two.rows] == ["Grace", "Li Wei"]
    assert two.caption == "Names missed most, as PER; 1 of the 2 that are found in 50 %"
