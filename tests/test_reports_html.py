"""The page and the views of a notebook: their elements, and that nothing in them is taken for markup."""

import re
from base64 import b64encode
from hashlib import sha256

import pandas as pd
import pytest
from build_findings import scored
from build_results import NAMES, predictions, read_page, run

import fairness_checklist as fc
from fairness_checklist.metrics.metric_forms import Options
from fairness_checklist.reports.heatmap import heat_map
from fairness_checklist.reports.html import failures_view, notebook_view, render, suite_view
from fairness_checklist.reports.run_view import attribute_view
from fairness_checklist.reports.screen import first_screen
from fairness_checklist.reports.tables import tables, values_by_group
from fairness_checklist.run.options import RunOptions
from fairness_checklist.tables.run_folder import Results

DROPPED = {"gender": [{"template": "gender-003", "reason": "no term of cis has a plural"}], "names": []}
EVIL = "<script>alert('x')</script>"


@pytest.fixture(scope="module")
def results():
    model = {"name": "a small model", "labels": {"LABEL_0": "negative"}}
    found = run(predictions(), predictions("names", NAMES), dropped=DROPPED, model=model, seed=7, date="2026-11-22")
    found.info["notes"]["gender"] = ["2 sentences were cut at 128 tokens"]
    return found


@pytest.fixture(scope="module")
def html(results):
    return render(results)


@pytest.fixture(scope="module")
def page(html):
    return read_page(html)


def cells(table):
    """(head, rows) of a table as text."""
    head = [cell.text for cell in table.all("thead")[0].all("th")]
    rows = [[cell.text for cell in row.all() if cell.tag in ("th", "td")] for row in table.all("tbody")[0].all("tr")]
    return head, rows


def of_gender(page, kind):
    """A folded part of the first attribute."""
    [found] = page.by_id("attribute-gender").all("details", kind)
    return found


def test_the_head_is_the_first_screen(results, page):
    screen = first_screen(results)
    assert page.all("title")[0].text == page.all("h1")[0].text == "Fairness report: gender and names"
    assert page.all("header")[0].all("p")[0].text == screen.title == "sentiment · a small model · 2026-11-22"
    for one in screen.attributes:
        card = page.by_id(f"summary-{one.attribute}").text
        assert all(text in card.replace("\u00a0", " ") for label, text in one.lines if label != "more")
    lines = [f"{label} {text}" for label, text in screen.last_lines]
    assert [line.text for line in page.by_id("summary").all("p", "line")][-len(lines) :] == lines


def test_values_by_group_and_checks_as_in_the_terminal(results, page):
    negative, positive, overall, *_ = of_gender(page, "values").all("table")
    assert negative.all("caption")[0].text.startswith("Class negative")
    assert cells(positive) == (
        ["group", "fnr_gap", "fpr_gap", "TPR", "FNR", "FPR", "mean p"],
        [
            ["women", "-0.375 (2)", "-0.125 (2)", "1.000 (4)", "0.000 (4)", "0.000 (4)", "0.475 (8)"],
            ["men", "-0.375 (2)", "+0.250 (2)", "1.000 (4)", "0.000 (4)", "0.250 (4)", "0.562 (8)"],
            ["cis", "+0.750 (2)", "-0.125 (2)", "0.250 (4)", "0.750 (4)", "0.000 (4)", "0.250 (8)"],
            ["(unmarked)", "", "", "1.000 (2)", "0.000 (2)", "0.000 (2)", "0.525 (4)"],
            ["all", "", "", "0.750 (12)", "0.250 (12)", "0.083 (12)", "0.429 (24)"],
        ],
    )
    rates, groups = of_gender(page, "checks").all("table")
    invariance = ["gender: invariance", "INV", "Fairness", "75.0 % (3 of 4)", "16.7 % (4 of 24)", "33.3 % (16 of 48)"]
    assert cells(rates)[1][0] == invariance
    assert cells(groups)[1][2] == ["cis", "43.8 % (14 of 32)", "-0.269", "37.5 % (3 of 8)"]
    output = tables(results)
    for table in (positive, overall, rates, groups):
        assert all(cell in output for row in cells(table)[1] for cell in row)
    assert max(map(len, output.splitlines())) <= 100
    assert output.endswith("gender: 1 template dropped: no term of cis has a plural (1)")


def test_what_is_undefined_dropped_and_noted_and_the_run(results, page):
    [table, left_out] = page.by_id("undefined").all("table")
    reason = ["fnr_ratio", "gender", "positive", "the background's score is 0", "1", "cis against everyone else"]
    assert reason in cells(table)[1]
    assert sum(int(row[4]) for row in cells(table)[1]) == int(results.metrics["value"].isna().sum())
    assert ["las_difference", "gender", "the predictions have no column score:las"] in cells(left_out)[1]
    [dropped] = page.by_id("dropped").all("table")
    assert cells(dropped)[1] == [["gender-003", "gender", "no term of cis has a plural"]]
    assert "gender: 2 sentences were cut at 128 tokens" in [item.text for item in page.by_id("dropped").all("li")]
    names, values = ([one.text for one in page.by_id("run").all(tag)] for tag in ("dt", "dd"))
    facts = dict(zip(names, values, strict=True))
    assert (facts["model labels LABEL 0"], facts["seed"]) == ("negative", "7")


def test_ids_are_unique_links_lead_somewhere_and_nothing_is_loaded_from_elsewhere(page, html):
    ids = [e.attributes["id"] for e in page.all() if "id" in e.attributes]
    assert len(ids) == len(set(ids))
    targets = {link.attributes["href"].removeprefix("#") for link in page.all("a")}
    assert targets
    assert targets <= set(ids)
    assert not re.search(r"https?://|//[a-z]|<link|<iframe|<img|@import|url\(", html)
    digest = b64encode(sha256(html.split("<script>")[1].split("</script>")[0].encode()).digest()).decode()
    [policy] = [one for one in page.all("meta") if "http-equiv" in one.attributes]
    assert policy.attributes["content"] == (
        f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"
    )


def test_everything_is_escaped():
    terms = {(f"<b>{EVIL}", "</blockquote><i>t"): (0.9, 0.2, 0.1, 0.1), ('g" onload="x', "&amp;"): (0.1, 0.9, 0.1, 0.1)}
    table = predictions(f'a"><img src=x>{EVIL}', terms, text=f"The {{term}} writer & {EVIL} {{k}}.")
    found = run(table, model={"name": EVIL, EVIL: EVIL}, dropped={EVIL: [{"template": EVIL, "reason": EVIL}]})
    found.info["notes"] = {EVIL: [EVIL]}
    found.metrics.loc[0, ["value", "note"]] = [float("nan"), EVIL]
    failing = fc.Result(**vars(found)).failures()
    assert len(failing)
    views = (notebook_view(found), suite_view(EVIL, table), failures_view(pd.DataFrame(failing)))
    for html, scripts in ((render(found), 1), *((view, 0) for view in views)):
        page = read_page(html)
        assert len(page.all("script")) == scripts
        assert not any(page.all(tag) for tag in ("b", "i", "img"))
        assert not any(name.startswith("on") for one in page.all() for name in one.attributes)


def test_a_notebook_shows_a_plot_and_two_pairs_a_suite_its_sentences_and_failures_open():
    result = fc.evaluate(scored(0.12), harm="called:rejected", metrics=["fpr_gap"], draws=0)
    view = read_page(result._repr_html_())
    assert (len(view.all("figure", "forest")), len(view.all("article", "pair"))) == (1, 2)
    assert not view.all("body")
    suite = fc.Suite.build("gender", groups=["women", "men"], templates=["generic"], max_terms=3)
    shown = read_page(suite._repr_html_())
    assert shown.all("p")[0].text == repr(suite).strip("<>")
    assert [item.all("mark")[0].text in item.text for item in shown.all("li")] == [True] * 5
    failures = result.failures()
    listed = read_page(failures._repr_html_()).all("details")
    assert len(listed) == min(20, len(failures))
    first = failures.iloc[0]
    assert all(text in listed[0].text for text in (first["text"], first["reference_text"], first["predicted"]))


def test_rows_without_source_label_or_probability():
    table = predictions()
    table["predicted"] = "positive"
    for lacking in (["source"], ["label"], ["p:negative", "p:positive"], ["text"], ["term", "source", "label"]):
        assert read_page(render(run(table.drop(columns=lacking)))).by_id("summary-gender").text


def test_a_saved_run_gives_the_same_page(results, page, tmp_path):
    again = read_page(render(Results.load(results.write_folder(tmp_path / "run"))))
    for name in ("summary", "attribute-gender", "attribute-names", "undefined", "dropped"):
        assert again.by_id(name).text == page.by_id(name).text


def test_a_distance_is_shown_less_its_null_mean_and_a_value_with_its_interval():
    found = run(predictions(), choices=RunOptions(primary=("fnr_gap", "avg_if")))
    found.metrics.loc[found.metrics["metric"] == "avg_if", ["null_mean", "ci_low", "ci_high"]] = [0.18, 0.2, 0.25]
    positive = values_by_group(attribute_view(found, "gender"))[1]
    women = dict(zip(positive.header, positive.rows[0], strict=True))
    assert women["fnr_gap"] == "-0.375 (2)"
    assert women["avg_if less null mean"].startswith("0.001 [0.020, 0.070] (")


def test_metrics_by_term_have_a_report_and_are_no_rows_of_the_picture():
    by_term = run(choices=RunOptions(options=Options(by="term")))
    assert read_page(render(by_term)).by_id("attribute-gender").text
    names = [tick.get_text() for axes in heat_map(by_term).axes for tick in axes.get_yticklabels()]
    assert len(names) == len(set(names))
    assert not any("term" in name for name in names)
