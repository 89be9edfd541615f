"""Forest plots by hand, and what was not tested."""

import math
from dataclasses import replace
from typing import Any

import pandas as pd
import pytest
from build_findings import NIGHT, found_in, scored
from build_results import read_page

import fairness_checklist as fc
from fairness_checklist.reports.forest import forests
from fairness_checklist.reports.html import render
from fairness_checklist.reports.pairs import harm_texts
from fairness_checklist.reports.provenance import control_lines, untested
from fairness_checklist.reports.render import Plot, _environment
from fairness_checklist.reports.run_view import attribute_view

EVIL = "<script>alert(1)</script>"
NAN = math.nan


@pytest.fixture(scope="module")
def result() -> fc.Result:
    return found_in(scored(0.12, controls=True))


def drawn(plot: Plot) -> str:
    return str(_environment().get_template("parts.html.j2").module.plot(plot))  # type: ignore[attr-defined]


def test_rows_are_the_records_the_largest_gap_first_and_the_band_is_of_control_words(result: fc.Result) -> None:
    plot = forests(result, "shift")["called:rejected"]
    night, day = result.findings.sort_values("gap", ascending=False).to_dict("records")
    differ = result.info["findings"]["shift"]["control_words"]["differ"]["called:rejected"]

    assert [(row.name, row.status) for row in plot.rows] == [
        ('the group "night"', "worse"),
        ('the group "day"', day["status"]),
    ]
    for row, record in zip(plot.rows, (night, day), strict=True):
        assert (row.at, row.low, row.high) == (record["gap"], record["low"], record["high"])
        assert row.decided == record["rate"] - record["others_rate"]
    assert (plot.title, plot.margin, plot.band) == ("Called rejected without being so", 0.05, differ)
    assert plot.caption == (f"Groups of control words differ by up to {100 * differ:.1f} points.")
    page = drawn(plot)
    assert (page.count('class="interval"'), page.count('class="band"'), page.count('class="gap"')) == (2, 2, 2)
    assert f'<rect class="interval" x="{plot.scale.at(night["low"])}%"' in page
    assert [text for _, text in plot.scale.ticks()][:3] == sorted([text for _, text in plot.scale.ticks()][:3], key=int)
    assert all(float(plot.scale.at(end)) not in (0, 100) for row in plot.rows for end in (row.low, row.high))


def test_what_is_not_known_has_no_place(result: fc.Result) -> None:
    unknown = result.findings.assign(status="open", reason_code="few sentences", gap=NAN, rate=NAN)
    unknown = unknown.assign(low=NAN, high=NAN, high_alone=NAN)
    plot = forests(replace(result, findings=unknown, info={}), "shift")["called:rejected"]
    assert {row.size for row in plot.rows} == {"-"}
    assert plot.caption == ""
    assert not any(f'class="{mark}"' in drawn(plot) for mark in ("interval", "band", "alone", "gap"))
    assert '<circle class="decided"' not in drawn(plot)


def test_words_are_dots_and_those_beyond_control_words_are_named(result: fc.Result) -> None:
    words = result.word_findings.assign(said=["not by chance", *[""] * (len(result.word_findings) - 1)])
    top, *others = words.to_dict("records")
    plot = forests(replace(result, word_findings=words), "shift")["called:rejected"]
    rows = {row.name: row for row in plot.rows}
    of_group = rows[f'the group "{top["group"]}"']

    assert [dot.text for dot in of_group.named] == [f'"{top["word"]}" {100 * top["gap"]:+.0f}']
    assert sum(len(row.dots) for row in plot.rows) <= len(words)
    assert {round(dot.at, 3) for row in plot.rows for dot in row.dots} == {round(w["gap"], 3) for w in (top, *others)}
    assert drawn(plot).count('class="dot named"') == 1


def test_unmarked_texts_have_a_row_and_a_reference_stands_in_the_head(result: fc.Result) -> None:
    table = scored(0.12)
    table = pd.concat([table, table[table["term"] == "clerk"].assign(group="unmarked", term="")])
    options: dict[str, Any] = {"harm": "called:rejected", "metrics": ["fpr_gap"], "draws": 0}
    found = fc.evaluate(table, **options)
    row = forests(found, "shift", {"called:rejected": harm_texts(found, "shift", "called:rejected")})[
        "called:rejected"
    ].rows[-1]
    p = found.examples["p:rejected"].groupby(found.examples["group"] == "unmarked").mean()
    assert (row.name, row.at) == ("unmarked texts", pytest.approx(p[True] - p[False]))
    [plot] = forests(fc.evaluate(scored(0.12), reference="day", **options), "shift").values()
    assert ([row.name for row in plot.rows], plot.heads[0]) == (['the group "night"'], "group : day")


def test_names_in_a_plot_are_escaped() -> None:
    table = scored(0.12, {EVIL: (f"{EVIL}1", *NIGHT[1:]), "day": ("x", "y", "z", "u", "v")})
    found = fc.evaluate(table, harm="called:rejected", metrics=["fpr_gap"], draws=0)
    html = render(found)
    [plot] = read_page(html).all("figure", "forest")

    assert EVIL not in html
    assert EVIL in plot.all("span", "group")[0].text
    assert any(EVIL in dot.text for dot in plot.all("circle", "dot"))


def test_what_was_not_tested(result: fc.Result) -> None:
    info = result.info | {
        "findings": {"shift": {"left_out": {"missed:other": "no class"}}},
        "dropped": {"shift": [{"sentence": "t1", "reason": "no term has a plural"}]},
    }
    sampled = replace(result, findings=result.findings.assign(terms_available=[20, 30]), info=info)
    assert untested(sampled, attribute_view(sampled, "shift")) == [
        "The error not recognised as other: the model has no class other.",
        "38 of the 50 terms in the file are left out: a random sample was used.",
        "Control words: there are none for this run, so that words are compared with chance alone.",
        "1 template that a group cannot fill, most often because no term has a plural.",
    ]
    assert untested(result, attribute_view(result, "shift")) == []
    assert control_lines(result, "shift")[0].startswith("16 control words in 8 groups ")
    assert control_lines(replace(result, info=info), "shift") == []
    table = scored(0.12, labels=("hired", "undecided"))
    found = fc.evaluate(table, harm="called:rejected", metrics=["fpr_gap"], draws=0)
    lines = untested(found, attribute_view(found, "shift"))
    assert lines[0].startswith("180 texts of 15 sentences with the label undecided, which the model does not have")
