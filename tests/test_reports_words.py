"""Numbers, mentions and terms in plain words, and the undefined values."""

from __future__ import annotations

from dataclasses import replace

from build_results import GENDER, predictions, run

from fairness_checklist.core.errors import count
from fairness_checklist.core.formatting import decimal, join_names, percent, points
from fairness_checklist.reports.pairs import find_term
from fairness_checklist.reports.provenance import undefined_values
from fairness_checklist.reports.run_view import attribute_view
from fairness_checklist.reports.wording import group_phrase


def test_numbers_and_lists():
    shares = (0, 0.004, 0.0995, 0.09949, 0.12, 1, -1e-9)
    assert [percent(share) for share in shares] == ["0 %", "0.4 %", "10 %", "9.9 %", "12 %", "100 %", "0 %"]
    sizes = [points(x) for x in (0.12, -0.12, 0.01, 0.0, 0.005)]
    assert sizes == ["12 points", "12 points", "1 point", "0 points", "0.5 points"]
    assert [decimal(x, signed=True) for x in (-1e-6, 0.0, 0.25, -0.25)] == ["0.000", "0.000", "+0.250", "-0.250"]
    assert [join_names(list(names)) for names in ("", "a", "ab", "abc")] == ["", "a", "a and b", "a, b and c"]
    assert join_names(["1", "2", "3"], 2, last="or") == "1, 2 or 1 more"
    assert [count(n, "row") for n in (0, 1, 2000)] == ["0 rows", "1 row", "2,000 rows"]


def test_groups_are_kinds_of_mention():
    for group, attribute, output in (
        ("women", "gender", "women"),
        ("non-disabled people", "disability", "non-disabled people"),
        ("cis", "gender", "cis people"),
        ("born in spring", "placebo", 'the group "born in spring"'),
        ("female", "names.short", "female names"),
    ):
        assert group_phrase(group, attribute) == output


def test_find_term():
    for text, term, other, marked in (
        ("The Trans writer left.", "trans", "", "Trans"),
        ("A woman met a man.", "man", "", "man"),
        ("Both women left.", "woman", "Both men left.", "women"),
        ("I saw an agender chef, again.", "", "I saw a chef, again.", "agender"),
        ("The chef is a wheelchair user.", "wheelchair users", "The chef is deaf.", "wheelchair user"),
        ("People with epilepsy came.", "with Epilepsy", "", "with epilepsy"),
        ("C++ people came.", "c++", "", "C++"),
        ("The same.", "other", "The same.", ""),
        ("", "x", "", ""),
    ):
        start, end = find_term(text, term, other)
        assert (text[start:end] if start >= 0 else "") == marked, text


def test_undefined_values_are_gathered_by_reason():
    terms = {**GENDER, ("men", "man"): (0.9, 0.8, 0.1, 0.1), ("men", "boy"): (0.9, 0.9, 0.1, 0.2)}
    results = run(predictions("gender", terms))
    found = undefined_values(attribute_view(results, "gender"))
    rows = found[(found["metric"] == "fpr_ratio") & (found["class"] == "positive")]
    which = "women against everyone else, men against everyone else and cis against everyone else"
    assert rows.values.tolist() == [["fpr_ratio", "positive", "the background's score is 0", 3, which]]
    defined = replace(results, metrics=results.metrics[results.metrics["value"].notna()])
    assert undefined_values(attribute_view(defined, "gender")).empty
