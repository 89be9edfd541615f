"""Terms in a text, and the undefined values."""

from __future__ import annotations

from dataclasses import replace

import pytest
from build_results import GENDER, predictions, run

from fairness_checklist.reports.pairs import find_term
from fairness_checklist.reports.run_tables import undefined_values
from fairness_checklist.reports.run_view import attribute_view


@pytest.fixture(scope="module")
def results():
    return run(predictions())


@pytest.mark.parametrize(
    ("text", "term", "other", "marked"),
    [
        ("The Trans writer left.", "trans", "", "Trans"),
        ("A woman met a man.", "man", "", "man"),
        ("Both women left.", "woman", "Both men left.", "women"),
        ("I saw an agender chef, again.", "", "I saw a chef, again.", "agender"),
        ("The chef is a wheelchair user.", "wheelchair users", "The chef is deaf.", "wheelchair user"),
        ("People with epilepsy came.", "with Epilepsy", "", "with epilepsy"),
        ("C++ people came.", "c++", "", "C++"),
        ("The same.", "other", "The same.", ""),
        ("", "x", "", ""),
    ],
)
def test_find_term(text, term, other, marked):
    start, end = find_term(text, term, other)
    assert (text[start:end] if start >= 0 else "") == marked


def test_undefined_values_are_gathered_by_reason():
    terms = {**GENDER, ("men", "man"): (0.9, 0.8, 0.1, 0.1), ("men", "boy"): (0.9, 0.9, 0.1, 0.2)}
    found = undefined_values(attribute_view(run(predictions("gender", terms)), "gender"))
    rows = found[(found["metric"] == "fpr_ratio") & (found["class"] == "positive")]
    assert rows.values.tolist() == [
        [
            "fpr_ratio",
            "positive",
            "the background's score is 0",
            3,
            "women against everyone else, men against everyone else and cis against everyone else",
        ]
    ]


def test_nothing_undefined_is_an_empty_table(results):
    kept = replace(results, metrics=results.metrics[results.metrics["value"].notna()])
    assert undefined_values(attribute_view(kept, "gender")).values.tolist() == []
