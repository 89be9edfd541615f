"""The tables for the terminal."""

from __future__ import annotations

from dataclasses import replace

import pytest
from build_results import NAMES, predictions, run, with_columns

from fairness_checklist.reports.text import tables
from fairness_checklist.reports.wording import aligned
from fairness_checklist.run.options import RunOptions


@pytest.fixture(scope="module")
def results():
    return run(predictions(), predictions("names", NAMES))


def test_tables_by_hand():
    output = tables(run(predictions()))
    assert output.splitlines()[:4] == ["gender: 3 groups, 4 sources, 28 sentences", "======", "", "class negative"]
    start = output.index("class positive")
    assert output[start : output.index("\n\n", start)] == (
        "class positive\n"
        "group       fnr_gap  fpr_gap    TPR   n    FPR   n  mean p   n\n"
        "women        -0.375   -0.125  1.000   4  0.000   4   0.475   8\n"
        "men          -0.375   +0.250  1.000   4  0.250   4   0.562   8\n"
        "cis          +0.750   -0.125  0.250   4  0.000   4   0.250   8\n"
        "(unmarked)                    1.000   2  0.000   2   0.525   4\n"
        "all                           0.750  12  0.083  12   0.429  24"
    )
    tests = output[output.index("\ntests\n") :].split()
    assert tests[tests.index("INV") :][:7] == ["INV", "4", "75.0", "24", "16.7", "48", "33.3"]
    assert "undefined: " in output


def test_tables_show_what_is_filled_and_no_empty_columns(results):
    assert "uncertainty" not in tables(results)
    choices = RunOptions(primary=("fnr_gap", "avg_if"))
    both = run(predictions(), predictions("names", NAMES), choices=choices)
    shown = tables(replace(both, metrics=both.metrics.assign(null_mean=0.125)))
    tables_of = [block for block in shown.split("\n\n") if block.startswith("uncertainty")]
    assert [block.splitlines()[0] for block in tables_of] == [
        f"uncertainty, class {label}"
        for _ in ("gender", "names")
        for label in ("negative", "negative", "positive", "positive")
    ]
    heads = {" ".join(" ".join(block.splitlines()[1:3]).split()) for block in tables_of}
    assert "value less metric group null mean null mean n" in heads


def test_a_distance_is_shown_less_its_null_mean():
    found = run(predictions(), choices=RunOptions(primary=("fnr_gap", "avg_if")))
    found = with_columns(found, "metric == 'avg_if'", null_mean=0.18, ci_low=0.2, ci_high=0.25)
    shown = tables(found)
    block = shown[shown.index("class positive") :].split("\n\n")[0].splitlines()
    assert all(part in " ".join(block[1:4]) for part in ("avg_if", "less null", "mean"))
    [row] = [line for line in block if line.startswith("women")]
    assert row.split()[1:3] == ["-0.375", "0.001"]
    blocks = [
        part for part in shown.split("\n\n") if part.startswith("uncertainty, class positive") and "avg_if" in part
    ]
    [total] = [line.split() for line in blocks[0].splitlines() if line.startswith("avg_if  all")]
    assert total == ["avg_if", "all", "0.045", "0.020", "to", "0.070", "0.180", "4"]


@pytest.mark.parametrize("n", [2, 8])
def test_tables_fit_the_terminal(n):
    terms = {(f"group with a rather long name {k}", f"term{k}"): (0.9, 0.8, 0.1 * k, 0.1) for k in range(n)}
    primary = ("disparity_score_normalised", "accuracy_gap", "avg_score_difference", "fned_normalised")
    found = run(predictions("letters", terms), choices=RunOptions(primary=primary))
    assert max(map(len, tables(found).splitlines())) <= 100


def test_wide_tables_go_on_below():
    output = aligned(["group", *"abcdef"], [["women", *["0.123456"] * 6]], width=30)
    assert output.count("group") == 3
    assert max(map(len, output.splitlines())) <= 30


def test_what_was_left_out_or_cut_ends_the_tables():
    reasons = ["no plural", "no noun", "no plural", "one", "two"]
    dropped = {"gender": [{"template": f"t{k}", "reason": reason} for k, reason in enumerate(reasons)]}
    found = run(predictions(), dropped=dropped)
    found.info["notes"]["gender"] = [
        "885 of 885 texts are longer than the model's 4 tokens and were cut " + "far " * 20
    ]
    lost = int(found.metrics["value"].isna().sum())
    block = tables(found).split("\n\n")[-1].splitlines()
    assert block == [
        "left out, cut or undefined",
        "==========================",
        "gender: 885 of 885 texts are longer than the model's 4 tokens and were cut far far far far far far",
        "  far far far far far far far far far far far far far far",
        "gender: 5 templates dropped: no plural (2); no noun (1); one (1); 1 other reason",
        f"gender: {lost} of {len(found.metrics)} values undefined",
    ]
    assert max(map(len, block)) <= 100
