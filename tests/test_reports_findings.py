"""The worst pairs and the undefined values."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from build_results import GENDER, predictions, run

from fairness_checklist.core.errors import OptionError
from fairness_checklist.reports.pairs import find_term, worst_pairs
from fairness_checklist.reports.run_tables import undefined_values
from fairness_checklist.reports.run_view import attribute_view


@pytest.fixture(scope="module")
def results():
    return run(predictions())


def test_worst_pairs_by_hand(results):
    pairs = worst_pairs(results, "gender")
    columns = ["source", "class", "left_group", "left_term", "right_group", "right_term", "flips"]
    assert pairs[columns].values.tolist() == [
        ["s1", "positive", "men", "man", "cis", "cis", True],
        ["s2", "positive", "women", "woman", "cis", "cis", True],
        ["s3", "positive", "women", "woman", "men", "boy", True],
        ["s4", "positive", "women", "girl", "men", "man", False],
    ]
    assert pairs["change"].tolist() == pytest.approx([0.7, 0.6, 0.5, 0.2], abs=1e-12)


def test_both_sides_bring_what_a_reader_needs(results):
    first = worst_pairs(results, "gender", 1).iloc[0].to_dict()
    assert first == {
        "source": "s1",
        "label": "positive",
        "class": "positive",
        "change": pytest.approx(0.7),
        "flips": True,
        "left_group": "men",
        "left_term": "man",
        "left_text": "The man writer came to place 1.",
        "left_predicted": "positive",
        "left_p:negative": pytest.approx(0.1),
        "left_p:positive": pytest.approx(0.9),
        "left_start": 4,
        "left_end": 7,
        "right_group": "cis",
        "right_term": "cis",
        "right_text": "The cis writer came to place 1.",
        "right_predicted": "negative",
        "right_p:negative": pytest.approx(0.8),
        "right_p:positive": pytest.approx(0.2),
        "right_start": 4,
        "right_end": 7,
    }


def test_a_smaller_change_that_flips_comes_before_a_larger_one_that_does_not():
    terms = {("a", "x"): (0.55, 0.99, 0, 0), ("b", "y"): (0.45, 0.52, 0, 0)}
    pairs = worst_pairs(run(predictions("letters", terms)), "letters")
    assert pairs[["source", "flips"]].values.tolist() == [["s1", True], ["s2", False]]
    assert pairs["change"].tolist() == pytest.approx([0.1, 0.47])


def test_no_two_terms_fill_the_list_as_long_as_there_are_others():
    ab = {("a", "x"): (0.9, 0.9, 0.9, 0.9), ("b", "y"): (0.1, 0.1, 0.1, 0.1)}
    cd = {("a", "v"): (0.8, 0.8, 0.8, 0.8), ("b", "w"): (0.2, 0.2, 0.2, 0.2)}
    first, second = (predictions("letters", terms) for terms in (ab, cd))
    second["source"] = "later " + second["source"]
    found = run(pd.concat([first, second]))
    assert worst_pairs(found, "letters", 4)["left_term"].tolist() == ["x", "x", "v", "v"]
    assert worst_pairs(found, "letters", 6)["left_term"].tolist() == ["x", "x", "x", "x", "v", "v"]
    assert len(worst_pairs(found, "letters", 10)) == 8


def test_sources_without_any_change_are_no_finding():
    terms = {("a", "x"): (0.6, 0.6, 0.2, 0.2), ("b", "y"): (0.6, 0.6, 0.2, 0.2)}
    assert worst_pairs(run(predictions("letters", terms)), "letters").empty


def test_sources_that_are_not_symmetric_take_no_part():
    table = predictions()
    table["symmetric"] = np.where(table["source"] == "s1", "no", "yes")
    assert worst_pairs(run(table), "gender")["source"].tolist() == ["s2", "s3", "s4"]


def test_decisions_without_probabilities():
    table = predictions()
    table["predicted"] = np.where(table["p:positive"] > 0.5, "positive", "negative")
    pairs = worst_pairs(run(table.drop(columns=["p:negative", "p:positive"])), "gender")
    assert pairs["source"].tolist() == ["s1", "s2", "s3"]
    assert pairs["flips"].all()
    assert pairs["change"].isna().all()
    assert "left_p:positive" not in pairs.columns


def test_against_every_pair_of_rows(results):
    draw = np.random.default_rng(3)
    p = draw.dirichlet([1, 1, 1], 120)
    classes = ["negative", "neutral", "positive"]
    table = pd.DataFrame(
        {
            "attribute": "gender",
            "source": draw.integers(0, 6, 120).astype(str),
            "group": draw.choice(list("abc"), 120),
            "term": "t",
            "text": "A t.",
            "label": "neutral",
            "predicted": np.array(classes)[p.argmax(axis=1)],
            **{f"p:{c}": p[:, k] for k, c in enumerate(classes)},
        }
    )
    found = worst_pairs(replace(results, examples=table), "gender").set_index("source")
    assert len(found) == 6
    for source, rows in table.groupby("source"):
        i, j = np.array(list(combinations(rows.index, 2))).T
        apart = (table["group"].values[i] != table["group"].values[j]).nonzero()[0]
        flips = table["predicted"].values[i[apart]] != table["predicted"].values[j[apart]]
        change = np.abs(p[i[apart]] - p[j[apart]]).max(axis=1)
        assert found.loc[source, "flips"] == flips.any()
        assert found.loc[source, "change"] == pytest.approx(change[flips == flips.any()].max())


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


def test_an_unknown_attribute(results):
    with pytest.raises(OptionError) as error:
        worst_pairs(results, "gendre")
    assert str(error.value) == "the run has no attribute 'gendre'.\n    Did you mean gender?"
