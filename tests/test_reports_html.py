"""The page: its elements, and that nothing in it is taken for markup."""

from __future__ import annotations

import re
from base64 import b64encode
from hashlib import sha256

import pytest
from build_reports_tagger import toxicity_run
from build_results import NAMES, predictions, read_page, run, with_columns
from fairness_checklist.reports.first_screen import first_screen

from fairness_checklist.metrics.metric_forms import Options
from fairness_checklist.reports.heatmap import heat_map
from fairness_checklist.reports.html import notebook_view, render
from fairness_checklist.reports.run_view import attribute_view
from fairness_checklist.reports.tables import tables, values_by_group
from fairness_checklist.run.options import RunOptions

DROPPED = {"gender": [{"template": "gender-003", "reason": "no term of cis has a plural"}], "names": []}


@pytest.fixture(scope="module")
def results():
    found = run(
        predictions(),
        predictions("names", NAMES),
        dropped=DROPPED,
        model={"name": "a small model", "labels": {"LABEL_0": "negative"}},
        seed=7,
        date="2026-11-22",
    )
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


def test_title_and_first_screen(results, page):
    screen = first_screen(results)
    assert page.all("title")[0].text == page.all("h1")[0].text == "Fairness report: gender and names"
    title = "sentiment · model a small model · 2026-11-22 · smallest relevant gap 2 points (--relevant)"
    assert page.all("header")[0].all("p")[0].text == screen.title == title
    assert [card.text for card in page.by_id("summary").all("p", "card")] == [
        " ".join([one.attribute, one.heading, one.sentence, one.basis]).strip() for one in screen.attributes
    ]
    assert page.all("p", "next")[0].text == f"Next: {screen.next_step}"
    assert not page.all("section", "finding")
    assert not page.all("figure")


def test_the_heat_map_is_a_table_with_shades(page):
    group, counterfactual = of_gender(page, "heatmap").all("table")
    assert group.all("caption")[0].text == "gender, class positive: group metrics"
    head, _ = cells(group)
    assert head == ["metric", "women", "men", "cis", "accumulated"]
    [gap] = [row for row in group.all("tr") if row.all("th")[0].text == "fnr_gap"]
    assert [(cell.text, cell.attributes.get("class", "")) for cell in gap.all("td")] == [
        *[("-0.375", "d2"), ("-0.375", "d2"), ("0.750", "u4"), ("", "")]
    ]
    assert "primary" in gap.all("th")[0].attributes["class"]
    assert "avg_if" in [row[0] for row in cells(counterfactual)[1]]


def test_values_by_group_primary_first_with_their_base_scores(page):
    negative, positive, overall, *_ = of_gender(page, "values").all("table")
    assert positive.all("caption")[0].text == (
        "Class positive: primary metrics (in brackets sources) and base scores (in brackets texts)"
    )
    assert negative.all("caption")[0].text.startswith("Class negative")
    head, rows = cells(positive)
    assert head == ["group", "fnr_gap", "fpr_gap", "TPR", "FNR", "FPR", "mean p"]
    assert rows == [
        ["women", "-0.375 (2)", "-0.125 (2)", "1.000 (4)", "0.000 (4)", "0.000 (4)", "0.475 (8)"],
        ["men", "-0.375 (2)", "+0.250 (2)", "1.000 (4)", "0.000 (4)", "0.250 (4)", "0.562 (8)"],
        ["cis", "+0.750 (2)", "-0.125 (2)", "0.250 (4)", "0.750 (4)", "0.000 (4)", "0.250 (8)"],
        ["(unmarked)", "", "", "1.000 (2)", "0.000 (2)", "0.000 (2)", "0.525 (4)"],
        ["all", "", "", "0.750 (12)", "0.250 (12)", "0.083 (12)", "0.429 (24)"],
    ]
    assert cells(overall)[1][2][:2] == ["cis", "0.625 (8)"]


def test_checks_with_three_rates_and_the_direction(page):
    rates, groups = of_gender(page, "checks").all("table")
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
    assert facts["options primary"] == "['fnr_gap', 'fpr_gap']"
    assert "versions numpy" in facts
    assert 3 <= len(page.by_id("reading").all("p")) <= 7


def test_the_settings_are_a_table():
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
            *("templates", "sentences", "texts"),
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


def test_nothing_is_loaded_from_elsewhere(html, page):
    assert not re.search(r"https?://|//[a-z]|<link|<iframe|<img|@import|url\(", html)
    [script] = page.all("script")
    digest = b64encode(sha256(html.split("<script>")[1].split("</script>")[0].encode()).digest()).decode()
    [policy] = [one for one in page.all("meta") if "http-equiv" in one.attributes]
    assert policy.attributes["content"] == (
        f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"
    )
    assert script.text


def test_everything_is_escaped():
    evil = "<script>alert('x')</script>"
    terms = {(f"<b>{evil}", "</blockquote><i>t"): (0.9, 0.2, 0.1, 0.1), ('g" onload="x', "&amp;"): (0.1, 0.9, 0.1, 0.1)}
    table = predictions(f'a"><img src=x>{evil}', terms, text=f"The {{term}} writer & {evil} {{k}}.")
    found = run(table, model={"name": evil, evil: evil}, dropped={evil: [{"template": evil, "reason": evil}]})
    found.info["notes"] = {evil: [evil]}
    found.metrics.loc[0, ["value", "note"]] = [float("nan"), evil]
    for html, scripts in ((render(found), 1), (notebook_view(found), 0)):
        page = read_page(html)
        assert len(page.all("script")) == scripts
        assert not any(page.all(tag) for tag in ("b", "i", "img"))
        assert not any(name.startswith("on") for one in page.all() for name in one.attributes)


def test_rows_without_source_label_or_probability():
    table = predictions()
    table["predicted"] = "positive"
    for lacking in (["source"], ["label"], ["p:negative", "p:positive"], ["text"], ["term", "source", "label"]):
        page = read_page(render(run(table.drop(columns=lacking))))
        assert page.by_id("summary-gender").text


def test_a_saved_run_gives_the_same_page(results, page, tmp_path):
    from fairness_checklist.tables.run_folder import Results

    again = read_page(render(Results.load(results.write_folder(tmp_path / "run"))))
    for name in ("summary", "attribute-gender", "attribute-names", "undefined", "dropped"):
        assert again.by_id(name).text == page.by_id(name).text


# ------------------------------------------------------------------------------ the same tables in the terminal


def test_the_terminal_has_the_tables_of_the_page(results, page):
    output = tables(results)
    assert output.splitlines()[:2] == ["gender: 3 groups, 4 sources, 28 sentences", "======"]
    for table in (*of_gender(page, "values").all("table"), *of_gender(page, "checks").all("table")):
        for row in cells(table)[1]:
            assert row[0] in output
            assert all(cell in output for cell in row[1:])
    assert max(map(len, output.splitlines())) <= 100
    assert "undefined: " in output
    assert output.split("\n\n")[-1].splitlines() == [
        "left out or cut",
        "===============",
        "gender: 2 sentences were cut at 128 tokens",
        "gender: 1 template dropped: no term of cis has a plural (1)",
    ]


def test_a_distance_is_shown_less_its_null_mean_and_a_value_with_its_interval():
    found = run(predictions(), choices=RunOptions(primary=("fnr_gap", "avg_if")))
    found = with_columns(found, "metric == 'avg_if'", null_mean=0.18, ci_low=0.2, ci_high=0.25)
    positive = values_by_group(attribute_view(found, "gender"))[1]
    women = dict(zip(positive.header, positive.rows[0], strict=True))
    assert women["fnr_gap"] == "-0.375 (2)"
    assert women["avg_if less null mean"].startswith("0.001 [0.020, 0.070] (")


@pytest.mark.parametrize("n", [2, 8])
def test_tables_fit_the_terminal(n):
    terms = {(f"group with a rather long name {k}", f"term{k}"): (0.9, 0.8, 0.1 * k, 0.1) for k in range(n)}
    primary = ("disparity_score_normalised", "accuracy_gap", "avg_score_difference", "fned_normalised")
    found = run(predictions("letters", terms), choices=RunOptions(primary=primary))
    assert max(map(len, tables(found).splitlines())) <= 100


def test_metrics_by_term_have_a_report_and_are_no_rows_of_the_picture():
    by_term = toxicity_run(choices=RunOptions(options=Options(by="term")))
    assert read_page(render(by_term)).by_id("attribute-gender").text
    names = [tick.get_text() for axes in heat_map(toxicity_run()).axes for tick in axes.get_yticklabels()]
    assert len(names) == len(set(names))
    assert not any("term" in name for name in names)
