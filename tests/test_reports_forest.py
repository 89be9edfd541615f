"""Forest plots by hand, and what was not tested."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pandas as pd
import pytest
from build_findings import NIGHT, scored
from build_results import read_page

import fairness_checklist as fc
from fairness_checklist.reports.forest import forests
from fairness_checklist.reports.html import render
from fairness_checklist.reports.pairs import HarmTexts, harm_texts
from fairness_checklist.reports.provenance import placebo_lines, untested
from fairness_checklist.reports.render import Plot, _environment
from fairness_checklist.reports.run_view import attribute_view
from fairness_checklist.tables.run_folder import Results

EVIL = "<script>alert(1)</script>"
NAN = float("nan")
ROW: dict[str, Any] = {
    "attribute": "gender",
    "group": "women",
    "harm": "called_negative",
    "title": "called negative without being so",
    "status": "clear",
    "scope": "group",
    "measure": "probability",
    "rate": 0.294,
    "others_rate": 0.002,
    "rate_gap": 0.292,
    "rate_ci_low": 0.2,
    "rate_ci_high": 0.4,
    "gap": 0.1,
    "ci_low": 0.05,
    "ci_high": 0.15,
    "placebo_gap": NAN,
    "placebo_rate_gap": NAN,
    "n_terms": 20,
    "n_sources": 30,
    "n": 1000,
    "n_others": 240,
    "reason": "",
}


def plots(
    *rows: dict[str, Any], terms: list[dict[str, Any]] | None = None, texts: HarmTexts | None = None, **options: Any
) -> list[Plot]:
    columns = ["group", "harm", "term", "status", "gap", "rate_gap", "rate", "others_rate"]
    of_harm = {"called_negative": texts}
    return forests(
        pd.DataFrame([ROW | row for row in rows]), pd.DataFrame(terms or [], columns=columns), of_harm, **options
    )


BETTER = {"group": "men", "status": "none found", "reason": "better", "gap": -0.1, "ci_low": -0.15, "ci_high": -0.05}
BETTER |= {"rate": 0.2, "others_rate": 0.3, "rate_gap": -0.1, "rate_ci_low": -0.3, "rate_ci_high": 0.1}


def test_places_bounds_bands_and_ticks() -> None:
    worse = {"placebo_gap": 0.06, "placebo_rate_gap": 0.08, "rate_ci_low": -0.01}
    [plot] = plots(BETTER | {"scope": "words", "placebo_gap": 0.12}, worse, relevant=0.03)
    women, men = plot.rows

    # from -15 to 15 points, and 6 % of that on either side: 33.6 points are the width
    assert plot.title == "Called negative without being so"
    assert plot.caption.startswith(
        "1,240 rows can show this error. Gap to the other groups, in percentage points of the"
    )
    assert "Thin lines: 3 points" in plot.caption
    assert "Small dots" not in plot.caption
    assert plot.caption.endswith(
        "Grey band: the largest gap of 1 group of control words is at most 6 points, of 1 group of fewer than five "
        "words 12 points. The order of the groups is about these words, and may differ for others."
    )
    assert (plot.scale.low, plot.scale.high) == pytest.approx((-0.168, 0.168))
    assert [text for _, text in plot.scale.ticks()] == ["-10", "0", "+10"]
    assert [float(at) for at, _ in plot.scale.ticks()] == pytest.approx(
        [50 + 10 * k / 0.336 for k in (-1, 0, 1)], abs=0.06
    )
    assert float(plot.scale.width(-0.06, 0.06)) == pytest.approx(12 / 0.336, abs=0.11)
    assert (women.name, women.status, women.cells[:2]) == ("women", "clear", ("29 %", "0 %"))
    assert (women.at, women.low, women.high, women.band) == (0.1, 0.05, 0.15, 0.06)
    assert women.cells[2] == "in decisions 29 points (from -1 to 40), in probability 10 points (at least 5, at most 15)"
    assert women.text == "10 points (at least 5, at most 15)"
    assert (men.status, men.label, men.note) == ("none-found", "", "(treated better)")
    assert (men.at, men.band) == (-0.1, 0.12)
    page = str(_environment().get_template("parts.html.j2").module.plot(plot))
    assert page.count('class="interval"') == page.count('class="band"') == 2
    assert f'<rect class="interval" x="{plot.scale.at(0.05)}%"' in page


def test_what_is_not_known_has_no_place() -> None:
    few = {"status": "too few to say", "reason": "few sources", "n_sources": 6}
    [plot] = plots(few | dict.fromkeys(("gap", "ci_low", "ci_high", "rate_gap", "rate_ci_low"), NAN))
    [row] = plot.rows

    assert row.cells[2] == "not known"
    assert row.note == "(6 independent sentences, fewer than 10)"
    assert "Grey band" not in plot.caption
    page = str(_environment().get_template("parts.html.j2").module.plot(plot))
    assert not any(f'class="{mark}"' in page for mark in ("interval", "band", "gap"))


def test_a_plot_a_harm_and_the_strongest_finding_first() -> None:
    found = plots(
        {"group": "a", "status": "none found", "reason": "only beside", "reason_about": "b"},
        {"harm": "praise_not_recognised", "title": "positive and not recognised as such", "measure": "rate"},
        {"group": "b", "gap": 0.05, "reason": "as placebo", "status": "suspected", "scope": "words"},
        {"group": "c", "gap": 0.09, "status": "suspected", "ci_low": -0.01, "reason": "may be chance"},
        {"group": "d", "gap": 0.01, "status": "clear but small", "reason": "not relevant"},
        {"group": "e", "gap": 0.0, "status": "shown to be small", "ci_low": -0.01, "ci_high": 0.01},
        {"harm": "refused", "measure": "rate", "title": "refused by the model"},
    )

    assert [[row.name[-2] for row in plot.rows] for plot in found] == [list("cbade"), ["e"], ["e"]]
    assert [row.note for row in found[0].rows] == [
        "",
        "(about these words only; no more than control words differ)",
        "(only beside b, which is treated better)",
        "(less than the smallest relevant gap)",
        "",
    ]
    assert [plot.unit for plot in found] == ["decisions"] * 3
    assert ["Thin lines" in plot.caption for plot in found] == [True, False, False]
    assert "more of the answers on the group are refusals" in found[2].caption
    [unsure] = plots({"rate_ci_low": -0.01})
    assert "points of the mean probability" in unsure.caption
    assert found[0].rows[0].text == found[0].rows[1].text == "29 points (at least 20, at most 40)"


@pytest.mark.parametrize("status", ["clear", "suspected", "clear but small", "none found"])
def test_a_bar_is_in_the_unit_of_what_is_claimed(status: str) -> None:
    """The strongest record leads with decisions, the second with probability, a row without a claim with neither."""
    own = {"group": "men", "status": status, "gap": 0.06, "ci_low": 0.02, "ci_high": 0.1}
    rate_gap = 0.01 if status == "suspected" else 0.04
    own |= {
        "rate": 0.2 + rate_gap,
        "others_rate": 0.2,
        "rate_gap": rate_gap,
        "rate_ci_low": -0.04,
        "rate_ci_high": 0.11,
    }
    terms = [
        {"group": "men", "harm": "called_negative", "term": "guy", "status": "clear", "gap": 0.08, "rate_gap": -0.02}
    ]
    last = {"group": "y", "status": "none found"}
    [plot] = plots({"gap": 0.3, "rate_gap": 0.5}, own, BETTER | {"group": "x"}, last, terms=terms)
    rows = {row.name.split()[-1].strip('"'): row for row in plot.rows}
    claimed = status != "none found"

    assert plot.unit == "decisions"
    assert (rows["women"].low, rows["women"].high) == (0.2, 0.4)
    assert (rows["men"].low, rows["men"].high) == ((0.02, 0.1) if claimed else (-0.04, 0.11))
    assert rows["men"].note.endswith("plotted in probability)") == claimed
    assert rows["men"].text.endswith("at most 10) in probability" if claimed else "(from -4 to 11)")
    assert [dot.text for dot in rows["men"].dots] == ["guy +8" if claimed else "guy -2"]
    assert (rows["x"].low, rows["x"].note) == (-0.15, "(treated better; plotted in probability)")
    assert (rows["y"].low, rows["y"].note) == (0.2, "")


def test_unmarked_texts_are_beside_the_others_of_the_same_sentences() -> None:
    rows = [
        *[("s1", "unmarked", "", False, 0.2), ("s1", "women", "woman", True, 0.6), ("s1", "men", "man", False, 0.2)],
        *[("s2", "unmarked", "", True, 0.7), ("s2", "women", "woman", True, 0.5), ("s3", "men", "man", True, 0.9)],
    ]
    frame = pd.DataFrame(rows, columns=["source", "group", "term", "harmed", "p"])
    [decisions] = plots({}, texts=HarmTexts(frame, lambda *_: {}))
    [plot] = plots({"rate_ci_low": -0.01}, texts=HarmTexts(frame, lambda *_: {}))
    control = plot.rows[-1]

    assert decisions.rows[-1].text == "-25 points in decisions"
    assert plot.caption.startswith("1,240 texts can show this error, from 3 sentences. ")
    # s1: .2 less .4; s2: .7 less .5; s3 has no unmarked text
    assert (control.name, control.at) == ("unmarked", pytest.approx(0.0))
    assert control.cells == ("50 %", "75 %", "in decisions -25 points, in probability 0 points")
    decided = HarmTexts(frame.assign(p=NAN), lambda *_: {})
    assert decided.unmarked() == {"rate": 0.5, "others_rate": 0.75, "gap": -0.25, "n": 2}
    assert HarmTexts(frame[frame["group"] != "unmarked"], lambda *_: {}).unmarked() == {}


def test_at_most_twenty_four_terms_are_named_findings_first() -> None:
    terms = [
        {"group": "women", "harm": "called_negative", "term": f"t{k}", "status": "none found", "gap": k / 1000}
        for k in range(100)
    ]
    terms[3]["status"] = "clear"
    terms.append({"group": "men", "harm": "called_negative", "term": "his", "status": "clear", "gap": 0.1})
    terms.append({"group": "women", "harm": "called_negative", "term": "lost", "status": "none found", "gap": NAN})
    [plot] = plots({"rate_ci_low": -0.01}, terms=terms)
    dots = plot.rows[0].dots

    assert "Small dots" in plot.caption
    assert len(dots) == 100
    assert {dot.text.split()[0] for dot in dots if dot.named} == {"t3", *(f"t{k}" for k in range(77, 100))}
    assert [dot.found for dot in dots if dot.text.startswith("t3 ")] == [True]
    assert [dot.named for dot in dots] == sorted(dot.named for dot in dots), "named ones are drawn last"


def test_names_in_a_plot_are_escaped() -> None:
    found = fc.evaluate(
        scored(0.12, {EVIL: (f"{EVIL}1", *NIGHT[1:]), "day": ("x", "y", "z", "u", "v")}),
        harm="called:rejected",
        metrics=["fpr_gap"],
        draws=99,
    )
    html = render(found)
    page = read_page(html)

    assert EVIL not in html
    assert len(page.all("script")) == 1
    [plot] = page.all("figure", "forest")
    assert EVIL in plot.all("div", "clear")[0].text
    assert any(EVIL in dot.attributes["aria-label"] for dot in plot.all("g", "dot"))


# ------------------------------------------------------------------------------ not tested


@pytest.fixture(scope="module")
def results() -> Results:
    options: dict[str, Any] = {"harm": "called:rejected", "metrics": ["fpr_gap"], "draws": 199}
    return fc.evaluate(scored(0.12), **options)


LAST = "Other attributes, other languages and dialects, and texts other than these of 30 sentences."
NO_PLACEBO = "A comparison with control words: there is none for this run."


def test_what_was_not_tested(results: Results) -> None:
    view = attribute_view(results, "shift")
    few = ["clear", "too few to say"]
    records = results.findings.assign(n_terms_available=[20, 30], status=few, reason=["", "few sources"], n_sources=6)
    info = results.info | {
        "findings": {"shift": {"left_out": {"missed:other": "no class"}}},
        "dropped": {"shift": [{"template": "t1", "reason": "no term has a plural"}]},
    }

    assert untested(replace(results, findings=records, info=info), view) == [
        'Too few to say for the group "day": 6 independent sentences, fewer than 10.',
        "The error not recognised as other: the model has no class other.",
        "38 of the 50 terms in the file are left out: a random sample was used.",
        NO_PLACEBO,
        "1 template that a group cannot fill, most often because no term has a plural.",
        LAST,
    ]
    assert untested(results, view) == [NO_PLACEBO, LAST]


def test_texts_of_a_class_that_the_model_lacks_are_counted() -> None:
    table = scored(0.12, labels=("hired", "rejected", "undecided"))
    found = fc.evaluate(table, harm="called:rejected", metrics=["fpr_gap"], draws=19)
    lines = untested(found, attribute_view(found, "shift"))

    assert (
        "120 texts of 10 sentences with the label undecided, which the model does not have: no error is counted "
        in (lines[0][: lines[0].index("in them")])
    )
    texts = harm_texts(found, "shift", "called:rejected")
    assert texts is not None
    assert (set(texts.frame["label"]), texts.sentences) == ({"hired"}, 10)


def test_the_placebo_in_words_with_the_draws(results: Results) -> None:
    assert placebo_lines(results, "shift") == []
    placebo = {"concepts": 32, "lexemes": 1099, "texts": 12000, "fitted": [[20, 30]]}
    info = {**results.info, "findings": {"shift": {"placebo": placebo}}}
    assert placebo_lines(replace(results, info=info), "shift") == [
        "32 placebo concepts (1,099 words) stand in the same sentences, 12,000 texts. Groups of as many words as this "
        "attribute's groups were drawn from them 1,000 times, and the largest gap of each draw was kept. "
        "control words differ by what the largest gap stays below in 95 of 100 draws.",
        "Limit: drawn with 20 lexemes for the attribute's 30.",
    ]
