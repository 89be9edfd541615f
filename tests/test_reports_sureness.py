"""How sure a number is: what the verdict, the tables, the picture and the page say of intervals, chance and p."""

from __future__ import annotations

from dataclasses import replace

import matplotlib as mpl
import pytest
from build_results import NAMES, predictions, read_page, run, with_columns

from fairness_checklist.analysis.largest_gaps import (
    BEYOND,
    INCONCLUSIVE,
    WITHIN,
    adjusted_p,
    findings,
    multiples,
    status,
)
from fairness_checklist.analysis.run_view import attribute_view
from fairness_checklist.reports.explain import explain
from fairness_checklist.reports.heatmap import heat_map
from fairness_checklist.reports.html import render
from fairness_checklist.reports.text import tables
from fairness_checklist.reports.verdict import verdict

PLACEBO = {("tea", "x"): (0.9, 0.9, 0.1, 0.1), ("coffee", "y"): (0.9, 0.2, 0.1, 0.1)}
ENDS = {"ci_low": 0.6, "ci_high": 0.85, "ci_low_terms": 0.5, "ci_high_terms": 0.95}
CIS = "metric == 'fnr_gap' and `class` == 'positive' and left == 'cis' and options == ''"
ALL_IF = "metric == 'avg_if' and `class` == 'positive' and left == '*'"
BELOW = {"ci_low": -0.4, "ci_high": 0.3, "ci_low_terms": -0.5, "ci_high_terms": 0.4, "p_value": 0.4, "p_adjusted": 0.8}
RULE = (
    "A primary value is beyond chance where its adjusted p is at most 0.05 and, if it is signed, its interval "
    "over terms like these excludes equal treatment."
)


@pytest.fixture(scope="module")
def plain():
    return run(predictions())


@pytest.fixture(scope="module")
def known(plain):
    """Every signed primary value within chance, but for the fnr_gap of cis; avg_if with its null mean."""
    known = with_columns(plain, "role == 'primary' and metric != 'avg_if'", **BELOW)
    known = with_columns(known, CIS, **ENDS, p_value=0.004, p_adjusted=0.02)
    pairs = "metric == 'avg_if' and right in ['women', 'men', 'cis']"
    known = with_columns(known, pairs, null_mean=0.18, p_value=0.2, p_adjusted=0.6)
    return with_columns(
        known, "metric == 'avg_if' and right in ['', 'others']", ci_low=0.2, ci_high=0.25, ci_low_terms=0.15,
        ci_high_terms=0.3,
        null_mean=0.18, p_value=0.03,
    )  # fmt: skip


@pytest.fixture
def no_pictures(monkeypatch):
    """Drawing takes most of the time."""
    monkeypatch.setattr("fairness_checklist.reports.html._picture", lambda results, attribute: b"")


def cells(table):
    """(head, rows) of a table as text."""
    head = [cell.text for cell in table.all("thead")[0].all("th")]
    return head, [[c.text for c in row.all() if c.tag in ("th", "td")] for row in table.all("tbody")[0].all("tr")]


def test_a_finding_names_the_effect_and_both_intervals_before_p(known):
    output = verdict(known, width=None).split("\n\n")[0]
    assert output.startswith(
        'gender: Sentences that mention the group "cis" have the highest false negative rate: 75 % of the positive '
        "ones are missed, 75 "
        "points more than for the other groups (other sentences with these terms: 60 to 85; terms like these: 50 to "
        "95), p 0.004, adjusted 0.020 (fnr_gap, positive, 2 sources). Among the positive sentences"
    )


def test_what_is_no_finding_is_reported_as_within_chance(known):
    output = verdict(known, width=None)
    assert (
        'those that mention the group "cis" get the lower probability of positive in 98 % of the comparisons with the '
        "other groups (other sentences with these terms: 20 to 90 %; terms like these: 10 to 100 %), p 0.400, adjusted "
        "0.800, where 50 % means no difference (avg_eg -0.484, positive, 2 sources). This is not beyond chance."
    ) in output


def test_a_distance_has_its_null_mean(known):
    output = verdict(known, width=None)
    assert (
        "Within a source, two groups' probabilities of positive lie 22 points apart on average (other sentences with "
        "these terms: 20 to 25; terms like these: 15 to 30), null mean 18, p 0.030, "
        "adjusted 0.600 for its furthest pair (avg_if, positive, 4 sources); furthest for sentences that mention the "
        'group "cis", 27 points. This is not beyond chance.'
    ) in output


def test_findings_are_counted_and_what_they_are_is_reported_once(known):
    output = verdict(known, width=None)
    assert " 1 of the 24 primary values is beyond chance: fnr_gap of cis (positive). " in output
    assert output.count(RULE) == 1
    assert [(row["metric"], row["left"]) for row in findings(attribute_view(known, "gender"))] == [("fnr_gap", "cis")]


def test_without_a_finding_the_smallest_gap_that_could_be_detected_is_reported(known):
    output = verdict(with_columns(known, CIS, p_adjusted=0.06), width=None)
    assert (
        " None of the 24 primary values is beyond chance. This does not prove equal treatment: the intervals of the "
        "gaps over terms like these extend 22 to 45 points to either side, so that smaller gaps cannot be excluded. "
    ) in output


@pytest.mark.parametrize(
    ("columns", "found"),
    [
        ({}, BEYOND),
        ({"p_adjusted": 0.051}, WITHIN),
        ({"ci_low_terms": -0.01}, WITHIN),
        ({"ci_low_terms": float("nan")}, BEYOND),
        ({"p_adjusted": float("nan"), "p_value": float("nan")}, ""),
        ({"value": float("nan")}, ""),
    ],
)
def test_a_signed_value_is_a_finding_by_p_and_by_the_interval_over_terms_like_these(known, columns, found):
    view = attribute_view(with_columns(known, CIS, **columns), "gender")
    assert status(view, view.of_group(("fnr_gap", ""), "positive", "cis")) == found


def test_a_small_p_without_the_interval_is_no_finding(known):
    found = with_columns(known, CIS, ci_low_terms=-0.01)
    assert (
        "(fnr_gap, positive, 2 sources). This is not beyond chance: its interval over terms like these includes equal "
        "treatment. "
    ) in verdict(found, width=None)
    assert (
        " the value is not beyond chance, because its interval over terms like these includes equal treatment. "
        in explain(found, "fnr_gap", "cis")
    )


def test_the_interval_of_a_distance_alone_is_no_evidence(known):
    view = attribute_view(known, "gender")
    total = view.total(("avg_if", ""), "positive")
    assert total["ci_low_terms"] > 0
    assert status(view, total) == WITHIN


def test_a_mean_over_pairs_is_no_surer_than_its_own_p(known):
    pair = "metric == 'avg_if' and `class` == 'positive' and left == 'women' and right == 'cis'"
    found = with_columns(known, pair, p_adjusted=0.01)
    view = attribute_view(
        with_columns(found, "metric == 'avg_if' and left == 'women' and right == 'others'", p_value=0.3), "gender"
    )
    whose = {g: adjusted_p(view, view.cells["avg_if", "", "positive", g, "others"]) for g in ("women", "men", "cis")}
    assert whose == {"women": 0.3, "men": 0.6, "cis": 0.03}
    assert adjusted_p(view, view.total(("avg_if", ""), "positive")) == 0.03


def test_a_total_with_undefined_parts_is_inconclusive(known):
    found = with_columns(known, ALL_IF, n_undefined=2)
    view = attribute_view(found, "gender")
    assert status(view, view.total(("avg_if", ""), "positive")) == INCONCLUSIVE
    assert " The total is inconclusive: 2 parts of it without a value." in verdict(found, width=None)


def test_unstable_findings_and_the_smallest_possible_p_are_reported(known):
    note = "unstable: rests on the term 'cis'; smallest possible p .011: 90 assignments of the terms"
    found = with_columns(known, CIS, note=note)
    output = verdict(found, width=None)
    assert " (fnr_gap, positive, 2 sources). It is unstable: rests on the term 'cis'. Among " in output
    assert (
        " is beyond chance: fnr_gap of cis (positive, unstable). Smallest possible p .011: 90 assignments of the "
        "terms. " in output
    )
    explained = explain(found, "fnr_gap", "cis")
    assert explained.startswith("fnr_gap of cis (gender, class positive) is +0.750. It compares")
    assert " It is unstable: rests on the term 'cis'. " in explained


def test_notes_about_uncertainty_are_no_reasons_for_undefined_values(known):
    from fairness_checklist.reports.run_tables import undefined_values

    note = "the background's score is 0; smallest possible p .011: 90 assignments of the terms"
    found = with_columns(known, "metric == 'fnr_ratio' and value != value", note=note)
    assert set(undefined_values(found, "gender").query("metric == 'fnr_ratio'")["reason"]) == {
        "the background's score is 0"
    }


def test_explain_gives_intervals_chance_and_p_in_sentences(known):
    assert (
        " 95 % intervals: 0.600 to 0.850 for other sentences with these terms; 0.500 to 0.950 for other sentences with "
        "terms like these. 0.4 % of random assignments of the terms give a value at least as far from equal treatment "
        "(p 0.004); "
        "adjusted for all primary values, the p is 0.020; the value is beyond chance. Question of the metric"
    ) in explain(known, "fnr_gap", "cis")
    assert (
        " Its null mean, with the same terms assigned to the groups at random, is 0.180. "
        "3 % of random assignments of the terms give a value at least as far from equal treatment (p 0.030); "
        "adjusted for all primary values, the p of its furthest pair is 0.600; the value is not beyond chance. "
    ) in explain(known, "avg_if")


def test_explain_names_the_templates_of_the_sources(plain):
    table = predictions().assign(template=lambda t: "mood-" + t["label"])
    assert " 4 sources entered, of 2 templates: mood-positive and mood-negative. " in explain(run(table), "avg_if")
    assert " 4 sources entered: s1, s2, s3 and s4. " in explain(plain, "avg_if")


def test_the_terminal_shows_the_effect_before_p_and_names_how_exploratory_values_are_adjusted(known):
    shown = tables(with_columns(known, "metric == 'fped'", p_value=0.01, p_adjusted=0.04))
    blocks = shown.split("\n\n")
    table = next(block for block in blocks if block.startswith("uncertainty, class positive") and "fnr_gap" in block)
    assert table.splitlines()[2].split() == ["metric", "group", "value", "terms", "these", "n", "p", "adjusted"]
    [row] = [line for line in table.splitlines() if line.split()[:2] == ["fnr_gap", "cis"]]
    assert " ".join(row.split()) == "fnr_gap cis +0.750 0.600 to 0.850 0.500 to 0.950 2 0.004 0.020"
    assert "exploratory (Benjamini-Hochberg): 8 of 8 values with an adjusted p of at most 0.05" in blocks
    holm = {**known.info, "options": {**known.info["options"], "adjust": {"primary": "max-t", "exploratory": "holm"}}}
    also = with_columns(replace(known, info=holm), "metric == 'fped'", p_value=0.01, p_adjusted=0.06)
    assert "exploratory (Holm): 0 of 8 values with an adjusted p of at most 0.05" in tables(also).split("\n\n")
    assert max(map(len, shown.splitlines())) <= 100


def test_no_view_shows_a_number_that_is_not_there(plain, known, no_pictures):
    for results in (plain, known):
        assert "nan" not in f"{verdict(results)}{tables(results)}{explain(results, 'fnr_gap')}"
        assert "nan" not in [cell.text for cell in read_page(render(results)).all("td")]


def test_the_page_shows_findings_in_bold_and_the_rest_folded(known, no_pictures):
    exploratory = with_columns(known, "metric == 'fped'", p_value=0.01, p_adjusted=0.04, null_mean=0.1)
    section = read_page(render(exploratory)).by_id("groups-gender")
    sure = [
        t for t in section.all("table") if t.all("caption")[0].text.startswith("Uncertainty of the primary metrics: ")
    ]
    head, rows = cells(sure[0])
    assert head == ["metric", "class", "of", "value", "these terms", "terms like these", "n", "p", "p, adjusted"]
    assert [row.all("th")[0].text for row in sure[0].all("tr", "found")] == ["fnr_gap"]
    assert ["fnr_gap", "positive", "cis", "+0.750", "0.600 to 0.850", "0.500 to 0.950", "2", "0.004", "0.020"] in rows
    distances = cells(sure[1])
    assert distances[0] == [
        "metric",
        "class",
        "of",
        "value",
        "these terms",
        "terms like these",
        "null mean",
        "value less null mean",
        "n",
        "p",
    ]
    assert [
        "avg_if",
        "positive",
        "all",
        "0.225",
        "0.200 to 0.250",
        "0.150 to 0.300",
        "0.180",
        "0.045",
        "4",
        "0.030",
    ] in (distances[1])
    [pairs] = section.all("details", "sure-pairs")
    assert {row[2] for row in cells(pairs.all("table")[0])[1]} == {"women and men", "women and cis", "men and cis"}
    [others] = section.all("details", "exploratory")
    assert others.all("caption")[0].text == (
        "Uncertainty of the exploratory metrics (Benjamini-Hochberg): distances, which have no sign"
    )
    assert {row[0] for row in cells(others.all("table")[0])[1]} == {"fped"}


def test_base_scores_have_both_intervals(plain, no_pictures):
    ends = {"ci_low": 0.1, "ci_high": 0.4, "ci_low_terms": 0.05, "ci_high_terms": 0.6}
    section = read_page(render(replace(plain, scores=plain.scores.assign(**ends)))).by_id("groups-gender")
    [bases] = section.all("details", "bases")
    [table] = [t for t in bases.all("table") if t.all("caption")[0].text.startswith("Class positive: base scores")]
    head, rows = cells(table)
    assert head == ["base score", "group", "value", "these terms", "terms like these", "n"]
    assert ["FNR", "cis", "0.750", "0.100 to 0.400", "0.050 to 0.600", "4"] in rows
    assert not read_page(render(plain)).by_id("groups-gender").all("details", "bases")


def test_values_no_larger_than_chance_are_pale(known):
    [axes, _] = heat_map(known, "gender").axes
    names = [tick.get_text() for tick in axes.get_yticklabels()]
    fills = {(round(c.get_x()), names[int(c.get_y())]): c.get_facecolor()[:3] for c in axes.patches}
    red, blue = mpl.colormaps["RdBu_r"](0.92)[:3], mpl.colormaps["RdBu_r"](0.5 - 0.21)[:3]
    assert fills[2, "fnr_gap"] == red
    assert fills[0, "fnr_gap"] == pytest.approx([0.7 + 0.3 * part for part in blue])
    assert "Pale: not beyond chance" in heat_map(known).texts[-1].get_text().replace("\n", " ")


def test_nothing_is_pale_where_nothing_was_tested(plain):
    assert "Pale" not in heat_map(plain).texts[-1].get_text()


@pytest.fixture(scope="module")
def beside():
    return run(predictions(), predictions("placebo", PLACEBO))


def test_findings_and_largest_values_in_multiples_of_the_placebo(beside, no_pictures):
    found = {
        (one.row["metric"], one.row["class"], one.row["left"]): one
        for one in multiples(beside, attribute_view(beside, "gender"))
    }
    assert found["fnr_gap", "positive", "cis"].placebo == pytest.approx(0.5)
    assert found["fnr_gap", "positive", "cis"].multiple == pytest.approx(1.5)
    assert {key[0] for key in found} == {"fnr_gap", "fpr_gap", "avg_eg", "avg_if"}
    section = read_page(render(beside)).by_id("groups-gender")
    [table] = [
        t
        for t in section.all("table")
        if t.all("caption")[0].text.startswith("Findings and largest primary values as multiples of the placebo")
    ]
    head, rows = cells(table)
    assert head == ["metric", "class", "of", "value", "placebo", "multiple"]
    assert ["fnr_gap", "positive", "cis", "+0.750", "0.500", "1.5"] in rows
    assert not multiples(beside, attribute_view(beside, "placebo"))
    assert "multiples of the placebo, words that should not affect the model\nmetric" in tables(beside)


def test_without_a_placebo_there_are_no_multiples(plain):
    assert multiples(plain, attribute_view(plain, "gender")) == []


def test_two_groups_are_reported_by_their_pair():
    found = with_columns(
        run(predictions("names", NAMES)), "metric == 'avg_if'", null_mean=0.1, p_value=0.3, p_adjusted=0.4
    )
    assert ", null mean 10, p 0.300, adjusted 0.400 (avg_if, positive, 4 sources). This is not " in verdict(
        found, width=None
    )
