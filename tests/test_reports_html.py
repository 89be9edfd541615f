"""The page: its elements, and that nothing in it is taken for markup."""

from __future__ import annotations

import re
from base64 import b64decode
from dataclasses import replace

import pandas as pd
import pytest
from build_results import GENDER, NAMES, predictions, read_page, run
from fairness_checklist.reports.findings_text import verdict

from fairness_checklist.reports.html import notebook_view, render, write

DROPPED = {"gender": [{"template": "gender-003", "reason": "no term of cis has a plural"}], "names": []}


@pytest.fixture(scope="module")
def results():
    found = run(
        predictions(),
        predictions("names", NAMES),
        dropped=DROPPED,
        model={"name": "a small model", "labels": {"LABEL_0": "negative"}},
        seed=7,
    )
    found.info["notes"]["gender"] = ["2 sentences were cut at 128 tokens"]
    return found


@pytest.fixture(scope="module")
def html(results):
    return render(results)


@pytest.fixture(scope="module")
def page(html):
    return read_page(html)


@pytest.fixture
def no_pictures(monkeypatch):
    """Drawing takes most of the time; these tests are about the rest of the page."""
    monkeypatch.setattr("fairness_checklist.reports.html._picture", lambda results, attribute: b"")


def cells(table):
    """(head, rows) of a table as text."""
    head = [cell.text for cell in table.all("thead")[0].all("th")]
    rows = [[cell.text for cell in row.all() if cell.tag in ("th", "td")] for row in table.all("tbody")[0].all("tr")]
    return head, rows


def test_title_and_verdict(results, html, page):
    assert page.all("title")[0].text == page.all("h1")[0].text == "Fairness report: gender and names"
    assert [p.text for p in page.by_id("verdict").all("p")] == verdict(results, width=None).split("\n\n")
    assert "findings-gender" not in html


def test_heat_maps_are_pictures_in_the_page_and_show_the_verdict(results, page):
    for name, paragraph in zip(("gender", "names"), verdict(results, width=None).split("\n\n"), strict=False):
        [picture] = page.by_id(f"heatmap-{name}").all("img")
        kind, data = picture.attributes["src"].split(",")
        assert kind == "data:image/png;base64"
        assert b64decode(data, validate=True).startswith(b"\x89PNG\r\n\x1a\n")
        assert picture.attributes["alt"] == f"Heat map of metrics by group. {paragraph.removeprefix(f'{name}: ')}"


def test_values_by_group_primary_first_with_their_base_scores(page):
    negative, positive, overall, *_ = page.by_id("groups-gender").all("table")
    assert positive.all("caption")[0].text == "Class positive: primary metrics (sources), and base scores (sentences)"
    assert negative.all("caption")[0].text.startswith("Class negative")
    head, rows = cells(positive)
    assert head == ["group", "fnr_gap", "fpr_gap", "FNR", "FPR", "mean p"]
    assert rows == [
        ["women", "-0.375 (2)", "-0.125 (2)", "0.000 (4)", "0.000 (4)", "0.475 (8)"],
        ["men", "-0.375 (2)", "+0.250 (2)", "0.000 (4)", "0.250 (4)", "0.562 (8)"],
        ["cis", "+0.750 (2)", "-0.125 (2)", "0.750 (4)", "0.000 (4)", "0.250 (8)"],
        ["(unmarked)", "", "", "0.000 (2)", "0.000 (2)", "0.525 (4)"],
        ["all", "", "", "0.250 (12)", "0.083 (12)", "0.429 (24)"],
    ]
    assert cells(overall)[1][2][:2] == ["cis", "0.625 (8)"]


def test_all_metrics_are_in_the_details(results, page):
    [details] = page.by_id("groups-gender").all("details", "all")
    named = {row[0] for table in details.all("table") for row in cells(table)[1]}
    assert set(results.metrics["metric"]) <= named


def test_columns_of_intervals_and_chance_appear_only_where_they_are_filled(results, page, no_pictures):
    assert "null mean" not in page.by_id("groups-gender").text
    assert all("null_mean" not in cells(table)[0] for table in page.by_id("groups-gender").all("table"))
    filled = read_page(
        render(replace(results, metrics=results.metrics.assign(null_mean=0.125, ci_low=0.1, ci_high=0.9)))
    )
    heads = [cells(table)[0] for table in filled.by_id("groups-gender").all("table")]
    assert ["metric", "class", "of", "value", "value less null mean", "these terms", "null mean", "n"] in heads


def test_checks_with_three_rates_and_the_direction(page):
    rates, groups = page.by_id("checks-gender").all("table")
    assert cells(rates) == (
        ["test", "type", "capability", "cases", "pairs with the reference", "all pairs across groups"],
        [
            ["gender: invariance", "INV", "Fairness", "75.0 % (3 of 4)", "16.7 % (4 of 24)", "33.3 % (16 of 48)"],
            ["gender: minimum functionality", "MFT", "Fairness", "16.7 % (4 of 24)", "", ""],
        ],
    )
    assert cells(groups) == (
        ["group", "gender: invariance: fails", "mean change of p", "gender: minimum functionality: fails"],
        [
            ["women", "25.0 % (8 of 32)", "+0.069", "0.0 % (0 of 8)"],
            ["men", "31.2 % (10 of 32)", "+0.200", "12.5 % (1 of 8)"],
            ["cis", "43.8 % (14 of 32)", "-0.269", "37.5 % (3 of 8)"],
        ],
    )


def test_worst_pairs_side_by_side_with_the_term_marked(page):
    pairs = page.by_id("pairs-gender").all("article", "pair")
    assert [pair.all("", "source")[0].text for pair in pairs] == ["s1", "s2", "s3", "s4"]
    first = pairs[0]
    assert first.all("h3")[0].text == "1. positive becomes negative; the probability of positive moves by 70 points"
    assert first.all("", "gold")[0].text == "positive"
    assert [mark.text for mark in first.all("mark")] == ["man", "cis"]
    assert [quote.text for quote in first.all("blockquote")] == [
        "The man writer came to place 1.",
        "The cis writer came to place 1.",
    ]
    assert [e.text for e in first.all("", "group")] == ["men", "cis"]
    assert [e.text for e in first.all("", "decision")] == ["positive", "negative"]
    rows = [[cell.text for cell in row.all() if cell.tag in ("th", "td")][:2] for row in first.all("tr")]
    assert rows == [["negative", "0.100"], ["positive", "0.900"], ["negative", "0.800"], ["positive", "0.200"]]


def test_no_more_than_ten_pairs(no_pictures):
    tables = [predictions("gender").assign(source=lambda t, k=k: t["source"] + f"-{k}") for k in range(4)]
    page = read_page(render(run(pd.concat(tables))))
    assert len(page.by_id("pairs-gender").all("article", "pair")) == 10


def test_undefined_rows_with_their_reasons(results, page):
    [table, left_out] = page.by_id("undefined").all("table")
    head, rows = cells(table)
    assert head == ["metric", "attribute", "class", "reason", "values", "of"]
    assert ["fnr_ratio", "gender", "positive", "the background's score is 0", "1", "cis against everyone else"] in rows
    assert sum(int(row[4]) for row in rows) == int(results.metrics["value"].isna().sum())
    assert ["las_difference", "gender", "the predictions have no column score:las"] in cells(left_out)[1]


def test_what_was_dropped_and_noted(page):
    [table] = page.by_id("dropped").all("table")
    assert cells(table)[0] == ["template", "attribute", "reason"]
    assert cells(table)[1] == [["gender-003", "gender", "no term of cis has a plural"]]
    assert "gender: 2 sentences were cut at 128 tokens" in [item.text for item in page.by_id("dropped").all("li")]


def test_run_facts(page):
    names = [e.text for e in page.by_id("run").all("dt")]
    facts = dict(zip(names, [e.text for e in page.by_id("run").all("dd")], strict=True))
    assert facts["model name"] == "a small model"
    assert facts["model labels LABEL 0"] == "negative"
    assert facts["seed"] == "7"
    assert facts["options primary"] == "fnr_gap, fpr_gap"
    assert "versions numpy" in facts
    assert 3 <= len(page.by_id("reading").all("p")) <= 7


def test_the_settings_are_a_table(no_pictures):
    part = {
        "attribute": "gender",
        "groups": {"women": 2, "cis": 1},
        "templates": 3,
        "sources": 1200,
        "texts": 28,
        **dict.fromkeys(("templates_sha256", "terms_sha256", "lists_sha256"), "0123456789abcdef"),
        "lists": {},
    }
    section = read_page(render(run(suite=[part]))).by_id("run")
    [table] = section.all("table")
    short = "0123456789ab"
    assert cells(table) == (
        [
            *("attribute", "groups (terms)", "hash of the templates", "hash of the terms", "hash of the lists"),
            *("templates", "sources", "texts"),
        ],
        [["gender", "women (2), cis (1)", short, short, short, "3", "1,200", "28"]],
    )
    assert "suite" not in [e.text for e in section.all("dt")]


def test_ids_are_unique_and_links_lead_somewhere(page):
    ids = [e.attributes["id"] for e in page.all() if "id" in e.attributes]
    assert len(ids) == len(set(ids))
    targets = [link.attributes["href"].removeprefix("#") for link in page.all("a")]
    assert targets
    assert set(targets) <= set(ids)


def test_names_become_ids_that_a_selector_can_hold(no_pictures):
    other = {key: p for key, p in GENDER.items() if key[0] != "unmarked"}
    page = read_page(render(run(predictions("gender.a b"), predictions("gender-a-b", other))))
    assert page.by_id("groups-gender-a-b").text
    assert page.by_id("groups-gender-a-b-2").text


def test_headers_have_a_scope_and_tables_a_caption(page):
    assert all(cell.attributes.get("scope") in ("col", "row") for cell in page.all("th"))
    assert all(table.all("caption") for table in page.all("table"))
    assert page.all("html")[0].attributes["lang"] == "en"


def test_nothing_is_loaded_from_elsewhere(html):
    assert not re.search(r"https?://|//[a-z]|<script|<link|<iframe|@import|url\(", re.sub(r"base64,[^\"]*", "", html))


def test_everything_is_escaped():
    evil = "<script>alert('x')</script>"
    terms = {(f"<b>{evil}", "</blockquote><i>t"): (0.9, 0.2, 0.1, 0.1), ('g" onload="x', "&amp;"): (0.1, 0.9, 0.1, 0.1)}
    table = predictions(f'a"><img src=x>{evil}', terms, text=f"The {{term}} writer & {evil} {{k}}.")
    found = run(table, model={"name": evil, evil: evil}, dropped={evil: [{"template": evil, "reason": evil}]})
    found.info["notes"] = {evil: [evil]}
    found.metrics.loc[0, ["value", "note"]] = [float("nan"), evil]
    for html in (render(found), notebook_view(found)):
        page = read_page(html)
        assert not page.all("script")
        assert not page.all("b")
        assert not page.all("i")
        assert all(set(image.attributes) <= {"src", "alt", "style"} for image in page.all("img"))
        assert all(image.attributes["src"].startswith("data:") for image in page.all("img"))
        assert "</blockquote><i>t" in [mark.text for mark in page.all("mark")]


def test_rows_without_source_label_or_probability(no_pictures):
    table = predictions()
    table["predicted"] = "positive"
    for lacking in (["source"], ["label"], ["p:negative", "p:positive"], ["text"], ["term", "source", "label"]):
        page = read_page(render(run(table.drop(columns=lacking))))
        assert page.by_id("verdict").text
        assert page.by_id("pairs-gender").text
    assert page.by_id("pairs-gender").text.endswith(
        "The rows have no source, so no two of them are variations of each other."
    )


def test_texts_that_were_not_kept_are_not_shown_as_hashes(results, no_pictures):
    page = read_page(render(results.without_text()))
    quotes = {quote.text for quote in page.by_id("pairs-gender").all("blockquote")}
    assert quotes == {"The text was not kept."}


def test_write_leaves_one_whole_file_and_gives_its_path(results, no_pictures, tmp_path):
    path = write(results, tmp_path / "new" / "report.html")
    assert path == tmp_path / "new" / "report.html"
    assert [p.name for p in path.parent.iterdir()] == ["report.html"]
    read = path.read_text(encoding="utf-8")
    assert read == render(results)
    assert path.stat().st_mode & 0o777 == 0o644


def test_a_failed_report_leaves_the_old_one(results, no_pictures, tmp_path):
    path = tmp_path / "report.html"
    path.write_text("old", encoding="utf-8")
    with pytest.raises(UnicodeEncodeError):
        write(replace(results, info={**results.info, "model": "no text: \ud800"}), path)
    assert [p.name for p in tmp_path.iterdir()] == ["report.html"]
    assert path.read_text(encoding="utf-8") == "old"


def test_a_saved_run_gives_the_same_page(results, page, no_pictures, tmp_path):
    from fairness_checklist.tables.run_folder import Results

    again = read_page(render(Results.load(results.save(tmp_path / "run"))))
    for name in ("verdict", "groups-gender", "checks-gender", "pairs-names", "undefined", "dropped"):
        assert again.by_id(name).text == page.by_id(name).text


def test_notebook_view(results):
    view = read_page(notebook_view(results))
    assert len(view.all("img")) == 2
    assert len(view.all("div", "pair")) == 3 + 2
    assert not view.all("html")
