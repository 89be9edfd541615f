"""The catalogue: Table 2 of Czarnowska et al. 2021, line by line, and what cannot be had."""

from dataclasses import replace

import numpy as np
from build_outcomes import GROUPS, THREE, outcomes_of, random_rows
from sweep import sweep

from fairness_checklist.core.outcomes import Outcomes
from fairness_checklist.metrics import comparisons, scores
from fairness_checklist.metrics.catalogue import compute
from fairness_checklist.metrics.metric_forms import METRICS

# Number in Table 2: (our id, level, form, phi, d, N, beta); "vector" is a metric without a total.
TABLE_2 = {
    1: ("fped", "group", "background", "false_positive_rate", "abs_diff", "1", "everyone"),
    2: ("fned", "group", "background", "false_negative_rate", "abs_diff", "1", "everyone"),
    3: ("avg_gf", "group", "background", "probabilities", "wasserstein_1", "|T|", "everyone"),
    4: ("fpr_ratio", "group", "background", "false_positive_rate", "ratio_to_background", "vector", "everyone_else"),
    5: ("pos_avg_eg", "group", "background", "positive_probabilities_of_positives", "average_equality_gap", "vector",
        "everyone_else"),
    6: ("neg_avg_eg", "group", "background", "positive_probabilities_of_negatives", "average_equality_gap", "vector",
        "everyone_else"),
    7: ("disparity_score", "group", "pairwise", "f1", "abs_diff", "groups", ""),
    8: ("tpr_gap", "group", "pairwise", "true_positive_rate", "abs_diff", "pairs", ""),
    9: ("tnr_gap", "group", "pairwise", "true_negative_rate", "abs_diff", "pairs", ""),
    10: ("accuracy_gap", "group", "pairwise", "accuracy", "abs_diff", "pairs", ""),
    11: ("accuracy_difference", "group", "pairwise", "accuracy", "difference", "1", ""),
    12: ("tpr_difference", "group", "pairwise", "true_positive_rate", "difference", "1", ""),
    13: ("f1_difference", "group", "pairwise", "f1", "difference", "1", ""),
    14: ("las_difference", "group", "pairwise", "labelled_attachment_score", "difference", "1", ""),
    15: ("recall_difference", "group", "pairwise", "true_positive_rate", "difference", "1", ""),
    16: ("recall_ratio", "group", "pairwise", "true_positive_rate", "ratio", "1", ""),
    17: ("cf_gap", "counterfactual", "pairwise", "probability", "abs_diff", "pairs", ""),
    18: ("pert_ss", "counterfactual", "pairwise", "target_probability", "abs_diff", "pairs", ""),
    19: ("pert_sd", "counterfactual", "multigroup", "target_probability", "score_deviation", "vector", ""),
    20: ("pert_sr", "counterfactual", "multigroup", "target_probability", "score_range", "vector", ""),
    21: ("avg_if", "counterfactual", "pairwise", "probabilities", "wasserstein_1", "pairs", ""),
    22: ("avg_score_difference", "counterfactual", "pairwise", "mean_probability", "difference", "pairs", ""),
}  # fmt: skip
NORMALISERS = {
    "1": "no_normaliser",
    "groups": "number_of_groups",
    "pairs": "number_of_contrasts",
    "|T|": "number_of_contrasts",
    "vector": "",
}


@sweep("number", TABLE_2)
def test_the_lines_of_table_2(number: int) -> None:
    name, *line, n, beta = TABLE_2[number]
    metric = METRICS[name]
    assert [metric.level, metric.family, metric.score.__name__, metric.compare.__name__] == line
    assert metric.background_name() == beta
    assert (metric.normalise.__name__ if metric.normalise else "") == NORMALISERS[n]


WITHOUT_TOTAL = {
    "pert_ss_unmarked", "fpr_gap", "fnr_gap", "fpr_ratio", "fnr_ratio", "avg_eg", "pos_avg_eg", "neg_avg_eg",
    "subgroup_auc", "bpsn_auc", "bnsp_auc", "pinned_auc", "negative_aeg", "positive_aeg", "pi_metric",
}  # fmt: skip


@sweep("name", METRICS)
def test_every_metric_has_a_question_and_a_source(name: str) -> None:
    metric = METRICS[name]
    assert metric.question
    assert metric.question[0].isupper()
    assert metric.question.endswith((".", "?"))
    assert metric.source
    assert metric.name == name
    assert metric.has_total == (name not in WITHOUT_TOTAL)


class TestWhatIsTold:
    @sweep("name", METRICS)
    def test_contrasts_and_totals(self, name: str) -> None:
        rows = random_rows(1)
        metric, result = METRICS[name], compute(name, outcomes_of(rows))
        commutative = comparisons.about(metric.compare).commutative
        if metric.family == "multigroup":
            assert (result.left, result.right) == (("*",), ("",))
        elif metric.family == "pairwise":
            assert list(zip(result.left, result.right, strict=True)) == [
                ("ash", "birch"),
                ("ash", "cedar"),
                ("birch", "cedar"),
            ]
        else:
            assert (result.left, result.right) == (GROUPS, (metric.background_name(),) * 3)
        has_total = metric.has_total and (commutative or metric.family != "pairwise")
        assert (result.total is not None) == has_total
        assert ("others" in {row["right"] for row in result.rows()}) == (metric.family == "pairwise" and commutative)

    @sweep("name", METRICS)
    def test_two_groups_have_a_total_whatever_the_comparison(self, name: str) -> None:
        rows = [row for row in random_rows(2) if row.group != "cedar"]
        result = compute(name, outcomes_of(rows, GROUPS[:2]))
        assert (result.total is not None) == METRICS[name].has_total
        assert "others" not in {row["right"] for row in result.rows()}

    @sweep("name", METRICS)
    def test_classes(self, name: str) -> None:
        result = compute(name, outcomes_of(random_rows(3, classes=THREE), classes=THREE))
        over_all = {
            "accuracy_gap", "accuracy_range", "accuracy_difference", "las_difference", "pert_ss", "pert_ss_unmarked",
            "pert_sd", "pert_sr", "independence",
        }  # fmt: skip
        reported = ("*",) if name in over_all else ("positive",) if name in ("pos_avg_eg", "neg_avg_eg") else THREE
        assert result.classes == reported

    @sweep("name", METRICS)
    def test_what_is_missing_in_the_table_is_reported(self, name: str) -> None:
        metric, outcomes = METRICS[name], outcomes_of(random_rows(4))
        info = scores.about(metric.score)
        no_negatives = replace(outcomes, kinds=replace(outcomes.kinds, true_negative=None))
        lacking: dict[str, tuple[bool, Outcomes]] = {
            "the predictions hold no probabilities": (info.needs_probabilities, replace(outcomes, units=None)),
            "no example has a label": (info.needs_labels, outcomes_of([row.but(label="") for row in random_rows(4)])),
            "the predictions have no column score:las": (bool(info.needs_score), replace(outcomes, scores={})),
            "spans have no true negatives": (info.needs_true_negatives, no_negatives),
        }
        for why, (needed, poorer) in lacking.items():
            result = compute(name, poorer)
            assert (why in result.reasons.values()) == needed, why
            if needed:
                assert np.isnan(result.value).all()
                assert set(result.reasons.values()) == {why}
                assert not result.n.any()
            else:
                np.testing.assert_array_equal(result.value, compute(name, outcomes).value)
