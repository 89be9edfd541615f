"""The tables for the terminal, and one number explained."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from build_results import GENDER, NAMES, predictions, run, with_columns

from fairness_checklist.core.errors import OptionError
from fairness_checklist.extensions.analyses.explain import explain
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


def test_explain_by_hand(results):
    assert explain(results, "fnr_gap", "cis") == (
        "fnr_gap of cis (gender, class positive) is +0.750. It compares the share of the class that is missed: 0.750 "
        "(n 4) of texts that mention cis people against 0.000 (n 8) of the sentences of all other groups. "
        "2 sources entered: s1 and s2. 0 means no difference; here the score of cis is the higher one. "
        "Differences are point estimates: no interval and no permutation test was computed, so any of them may be due "
        "to chance. "
        "--uncertainty all (in Python result.metrics_with_uncertainty()) adds them, unless the run had --draws 0. "
        "This metric carries no finding. "
        "Question of the metric: How much more often are the group's examples of the class missed than others'? "
        "Czarnowska et al. 2021, equation (3). It is a primary metric of this run."
    )


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        (("fnr_gap", None), ["fnr_gap of cis, the furthest of 3 (gender, class positive) is +0.750."]),
        (("fped", "men"), ["0.250 (n 4) of texts that mention men against 0.083 (n 12) of the sentences of all"]),
        (
            ("avg_if", None),
            [
                "avg_if of all groups",
                "women 0.475 (n 8), men 0.562 (n 8) and cis 0.250 (n 8)",
                "4 sources entered: s1, s2, s3 and s4.",
                "It is a distance and has no direction",
            ],
        ),
        (("accuracy_gap", "cis"), ["accuracy_gap of cis (gender) is 0.312", "cis 0.625 (n 8), women 1.000 (n 8)"]),
        (("fnr_ratio", "cis"), ["fnr_ratio of cis (gender, class positive) is undefined: the background's score is 0"]),
    ],
)
def test_explain_other_metrics(arguments, parts):
    output = explain(run(predictions()), *arguments)
    for part in parts:
        assert part in output


def test_explain_the_pair_of_two_groups(results):
    output = explain(results, "tpr_gap", attribute="names")
    assert "tpr_gap of female and male (names, class positive) is 0.500." in output
    assert "0.500 (n 2) of texts with female names against 1.000 (n 2) of texts with male names" in output


def test_explain_another_class_and_what_is_filled(results):
    filled = replace(results, metrics=results.metrics.assign(ci_low=0.1, ci_high=0.9, null_mean=0.25, p_value=0.04))
    output = explain(filled, "fnr_gap", "men", label="negative")
    assert "(gender, class negative) is +0.250." in output
    assert (
        " 95 % interval: 0.100 to 0.900 for other sentences with these terms. Its null mean, with the same terms "
        "assigned to the groups at random, is 0.250. 4 % of random assignments of the terms give a value at least as "
        "far from equal treatment (p 0.040); the p is not adjusted for the other values. "
    ) in output
    assert "point estimates" not in output


def test_every_number_of_a_run_can_be_explained(results):
    for name in dict.fromkeys(results.metrics["metric"]):
        assert explain(results, name, attribute="gender").startswith(name)


def test_weights_count_in_the_base_scores():
    table = predictions()
    table["weight"] = np.where(table["term"] == "cis", 3.0, 1.0)
    assert "0.875 (n 4) of texts" in explain(run(table), "fnr_gap", "cis")


@pytest.mark.parametrize(
    ("arguments", "named", "text"),
    [
        (("fnr_gapp",), {}, "the run has no metric 'fnr_gapp'.\n    Did you mean fnr_gap or tnr_gap or fpr_gap?"),
        (("fnr_gap", "womn"), {}, "the run has no group 'womn'.\n    Did you mean women?"),
        (("fnr_gap",), {"label": "happy"}, "the run has no class of fnr_gap 'happy'.\n    It has negative, positive."),
        (("fnr_gap",), {"attribute": "age"}, "the run has no attribute 'age'.\n    It has gender, other."),
        (("fnr_gap", "men"), {}, "the group 'men' is in gender and other.\n    Name one: attribute=\"gender\"."),
        (("pert_sd", "cis"), {}, "pert_sd has one value for all groups together.\n    Leave the group out."),
        (
            ("f1_difference", "cis"),
            {},
            "f1_difference is a signed comparison of two groups and has no single value for "
            'cis.\n    See the rows of result.metrics with metric "f1_difference".',
        ),
    ],
)
def test_explain_errors(arguments, named, text):
    other = {key: p for key, p in GENDER.items() if key[0] in ("women", "men")}
    with pytest.raises(OptionError) as error:
        explain(run(predictions(), predictions("other", other)), *arguments, **named)
    assert str(error.value) == text


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
