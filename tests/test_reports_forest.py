"""Forest plots by hand, what was not tested, and what to do next."""

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
from fairness_checklist.reports.run_tables import placebo_lines, untested
from fairness_checklist.reports.run_view import attribute_view
from fairness_checklist.reports.tracked import largest_gap_line
from fairness_checklist.tables.run_folder import Results

EVIL = "<script>alert(1)</script>"
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
    "gap": 0.1,
    "ci_low": 0.05,
    "ci_high": 0.15,
    "n_terms": 20,
    "n_terms_available": 410,
    "note": "",
}
ROW["placebo_percentile"] = 97.0
NAN = float("nan")


def plots(*rows: dict[str, Any], terms: list[dict[str, Any]] | None = None) -> list[Any]:
    columns = ["group", "harm", "term", "status", "gap"]
    return forests(pd.DataFrame([ROW | row for row in rows]), pd.DataFrame(terms or [], columns=columns))


def test_places_intervals_and_ticks() -> None:
    better = {"group": "men", "status": "none found", "gap": -0.1, "ci_low": -0.15, "ci_high": -0.05}
    [plot] = plots(better, {})

    # from -15 to 15 points, and 6 % of that on either side: 33.6 points are the width
    assert plot["title"] == "Called negative without being so"
    assert (plot["zero"], plot["has_dots"]) == ("50", False)
    assert [text for _, text in plot["ticks"]] == ["-10", "0", "+10"]
    assert [float(at) for at, _ in plot["ticks"]] == pytest.approx([50 + 10 * k / 0.336 for k in (-1, 0, 1)], abs=0.06)
    women, men = plot["rows"]
    assert (women["group"], women["status"], women["rate"], women["others"]) == (
        "women",
        "clear",
        "29\u00a0%",
        "under\u00a01\u00a0%",
    )
    assert [float(one) for one in (women["at"], women["low"], women["width"])] == pytest.approx(
        [50 + 10 / 0.336, 50 + 5 / 0.336, 10 / 0.336], abs=0.11
    )
    assert (women["terms"], women["text"]) == ("20 of 410", "+10 points, 95 % interval +5 to +15")
    assert (men["status"], float(men["at"])) == ("none-found", pytest.approx(50 - 10 / 0.336, abs=0.06))


def test_what_is_not_known_has_no_place() -> None:
    [plot] = plots({"status": "too few to say", "gap": NAN, "ci_low": NAN, "ci_high": NAN, "rate": NAN})
    [row] = plot["rows"]

    assert [row[name] for name in ("at", "low", "width", "text", "rate")] == ["", "", "", "not known", ""]


def test_a_plot_a_harm_and_the_strongest_finding_first() -> None:
    found = plots(
        {"harm": "called_negative", "group": "a", "status": "none found"},
        {"harm": "praise_not_recognised", "title": "positive and not recognised as such"},
        {"harm": "called_negative", "group": "b", "gap": 0.05, "note": "few", "status": "suspected", "scope": "words"},
        {"harm": "called_negative", "group": "c", "gap": 0.09, "status": "suspected"},
    )

    assert [[row["group"] for row in plot["rows"]] for plot in found] == [
        ['the group "c"', 'the group "b"', 'the group "a"'],
        ["women"],
    ]
    assert [row["note"] for row in found[0]["rows"]] == ["", "(about these words only; few)", ""]


def test_what_a_plot_measures_and_decisions_that_do_not_follow_the_probability() -> None:
    of_probability, of_rates, of_answers = plots(
        {"rate": 0.08, "others_rate": 0.13},
        {"harm": "missed:urgent", "measure": "rate"},
        {"harm": "refused", "measure": "rate", "title": "refused by the model"},
    )
    assert [plot["measured"] for plot in (of_probability, of_rates, of_answers)] == [
        "the mean probability",
        "the error rate",
        "the answers",
    ]
    assert of_answers["right"] == "more of the answers on the group are refusals"
    assert [plot["counted"] for plot in (of_probability, of_rates, of_answers)] == ["error", "error", "answers"]
    assert of_probability["rows"][0]["note"] == "(in the probability only: not more of the decisions are wrong)"
    assert of_rates["rows"][0]["note"] == ""


def test_at_most_twenty_four_terms_are_named_findings_first() -> None:
    terms = [
        {"group": "women", "harm": "called_negative", "term": f"t{k}", "status": "none found", "gap": k / 1000}
        for k in range(100)
    ]
    terms[3]["status"] = "clear"
    terms.append({"group": "men", "harm": "called_negative", "term": "his", "status": "clear", "gap": 0.1})
    terms.append({"group": "women", "harm": "called_negative", "term": "lost", "status": "none found", "gap": NAN})
    [plot] = plots({}, terms=terms)
    dots = plot["rows"][0]["dots"]
    named = [dot["text"] for dot in dots if dot["named"]]

    assert plot["has_dots"]
    assert len(dots) == 100
    assert {text.split()[0] for text in named} == {"t3", *(f"t{k}" for k in range(77, 100))}
    assert len(named) == 24
    assert [dot["found"] for dot in dots if dot["text"].startswith("t3 ")] == [True]
    assert [dot["named"] for dot in dots] == sorted(dot["named"] for dot in dots), "named ones are drawn last"


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


# ------------------------------------------------------------------------------ not tested, and next


@pytest.fixture(scope="module")
def results() -> Results:
    options: dict[str, Any] = {"harm": "called:rejected", "metrics": ["fpr_gap"], "draws": 199}
    return fc.evaluate(scored(0.12), **options)


def with_records(results: Results, **columns: Any) -> Results:
    return replace(results, findings=results.findings.assign(**columns))


OTHER_ERRORS = (
    "Errors that are no declared harm, such as not recognised as hired: their gaps are under Metrics by group, without "
    "a finding."
)
LAST = "Other attributes, other languages and dialects, and texts other than these 30 sentences."


def test_what_was_not_tested(results: Results) -> None:
    view = attribute_view(results, "shift")
    few = ["clear", "too few to say"]
    found = with_records(
        results, n_terms_available=[20, 30], status=few, note=["", "6 independent sentences, fewer than 10"]
    )
    found.info["findings"]["shift"]["left_out"]["missed:hired"] = "the model has no class hired"
    found.info["dropped"] = {"shift": [{"template": "t1", "reason": "no term has a plural"}]}

    assert untested(found, view) == [
        'Too few to say for the group "day": 6 independent sentences, fewer than 10.',
        "The error not recognised as hired: the model has no class hired.",
        "38 of the 50 terms in the file: a random sample was used.",
        OTHER_ERRORS,
        "1 template that a group cannot fill, most often because no term has a plural.",
        LAST,
    ]
    found.info["findings"]["shift"]["left_out"].clear()
    found.info["dropped"].clear()
    assert untested(results, view) == [
        "Gaps smaller than 3 points: in some comparison they could go unseen.",
        OTHER_ERRORS,
        LAST,
    ]


def test_without_a_comparison_nothing_is_said_of_the_placebo(results: Results) -> None:
    assert placebo_lines(results, "shift") == []


def test_the_placebo_in_words(results: Results) -> None:
    placebo = {"concepts": 32, "lexemes": 1099, "texts": 12000, "note": "few concepts"}
    info = {**results.info, "findings": {"shift": {"placebo": placebo}}}

    assert placebo_lines(replace(results, info=info), "shift") == [
        "32 placebo concepts (1,099 words) stand in the same sentences, 12,000 texts. Groups of as many words as this "
        "attribute's groups were drawn from them 1,000 times, and the largest gap of each draw was kept. "
        "Shares such as 2 of 100 count draws.",
        "Limit: few concepts.",
    ]


def test_the_largest_gap_without_a_finding_stands_beside_neutral_words(results: Results) -> None:
    none = results.findings.assign(status="none found", gap=[0.093, -0.1], placebo_percentile=[77.0, 5.0])
    assert largest_gap_line(none) == (
        "The largest gap is 9.3 points. 23 of 100 random groups of placebo words show so large a gap."
    )
    assert largest_gap_line(none.assign(status="clear")) == largest_gap_line(none.assign(gap=-0.1)) == ""
