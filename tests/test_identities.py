"""Laws between metrics: what two groups must agree in."""

import math
from collections.abc import Callable

import pytest
from build_outcomes import BINARY, Figures, random_rows, values
from sweep import sweep

from fairness_checklist.metrics.metric_forms import METRICS

A, B = GROUPS = ("ash", "birch")
PAIR, TOTAL = (A, B), ("*", "")
Of = Callable[[str, tuple[str, str]], float]


def against(group: str, name: str = "everyone_else") -> tuple[str, str]:
    return group, name


def turned(name: str) -> Callable[[Of], tuple[float, float]]:
    """Each of two groups is what the other is compared with: one value is the other's, turned."""
    return lambda of: (of(name, against(A)), -of(name, against(B)))


def both(name: str, share: float) -> Callable[[Of], tuple[float, float]]:
    """The total is the sum of both groups' values, or their mean."""
    return lambda of: (of(name, TOTAL), share * (of(name, against(A, "everyone")) + of(name, against(B, "everyone"))))


IDENTITIES: dict[str, Callable[[Of], tuple[float, float]]] = {
    "fped": lambda of: (of("fped", TOTAL), of("fpr_range", TOTAL)),
    "fned": lambda of: (of("fned", TOTAL), of("fnr_range", TOTAL)),
    "fped_normalised": lambda of: (of("fped_normalised", TOTAL), of("tnr_gap", TOTAL) / 2),
    "fned_normalised": lambda of: (of("fned_normalised", TOTAL), of("tpr_gap", TOTAL) / 2),
    "fpr_gap": lambda of: (abs(of("fpr_gap", against(A))), of("tnr_gap", PAIR)),
    "fnr_gap": lambda of: (of("fnr_gap", against(A)), -of("tpr_difference", PAIR)),
    "fpr_ratio": lambda of: (of("fpr_ratio", against(A)), 1 / of("fpr_ratio", against(B))),
    "fnr_ratio": lambda of: (of("fnr_ratio", against(A)), 1 / of("fnr_ratio", against(B))),
    "avg_gf": both("avg_gf", 1 / 2),
    "avg_gf_tc": both("avg_gf_tc", 1 / 2),
    "avg_eg": turned("avg_eg"),
    "pos_avg_eg": lambda of: (of("pos_avg_eg", against(A)), of("avg_eg", against(A))),
    "neg_avg_eg": lambda of: (of("neg_avg_eg", against(A)), of("negative_aeg", against(A))),
    "positive_aeg": lambda of: (of("positive_aeg", against(A)), of("avg_eg", against(A))),
    "negative_aeg": turned("negative_aeg"),
    "disparity_score": lambda of: (of("disparity_score", TOTAL), of("f1_range", TOTAL) / 2),
    "disparity_score_normalised": lambda of: (of("disparity_score_normalised", TOTAL), abs(of("f1_difference", PAIR))),
    "tpr_gap": lambda of: (of("tpr_gap", TOTAL), of("equal_opportunity_difference", TOTAL)),
    "tnr_gap": lambda of: (of("tnr_gap", TOTAL), of("fpr_range", TOTAL)),
    "parity_gap": lambda of: (of("parity_gap", TOTAL), of("demographic_parity_difference", TOTAL)),
    "accuracy_gap": lambda of: (of("accuracy_gap", TOTAL), of("accuracy_range", TOTAL)),
    "accuracy_difference": lambda of: (abs(of("accuracy_difference", PAIR)), of("accuracy_gap", PAIR)),
    "tpr_difference": lambda of: (of("tpr_difference", PAIR), of("recall_difference", TOTAL)),
    "recall_difference": lambda of: (abs(of("recall_difference", PAIR)), of("tpr_gap", PAIR)),
    "f1_difference": lambda of: (abs(of("f1_difference", PAIR)), of("f1_range", TOTAL)),
    "las_difference": lambda of: (of("las_difference", PAIR), of("las_difference", TOTAL)),
    "f1_ratio": lambda of: (of("f1_ratio", PAIR), of("f1_ratio", TOTAL)),
    "recall_ratio": lambda of: (
        min(of("recall_ratio", PAIR), 1 / of("recall_ratio", PAIR)),
        of("equal_opportunity_ratio", TOTAL),
    ),
    "impact_ratio": lambda of: (of("impact_ratio", PAIR), of("demographic_parity_ratio", TOTAL)),
    "demographic_parity_difference": lambda of: (of("demographic_parity_difference", TOTAL), of("parity_gap", PAIR)),
    "demographic_parity_ratio": lambda of: (of("demographic_parity_ratio", TOTAL), of("impact_ratio", TOTAL)),
    "equal_opportunity_difference": lambda of: (of("equal_opportunity_difference", TOTAL), of("fnr_range", TOTAL)),
    "equal_opportunity_ratio": lambda of: (
        of("equal_opportunity_ratio", TOTAL),
        min(of("recall_ratio", PAIR), 1 / of("recall_ratio", PAIR)),
    ),
    "equalized_odds_difference": lambda of: (
        of("equalized_odds_difference", TOTAL),
        max(of("tpr_gap", PAIR), of("tnr_gap", PAIR)),
    ),
    "equalized_odds_ratio": lambda of: (
        of("equalized_odds_ratio", TOTAL),
        min(of("equal_opportunity_ratio", TOTAL), of("fpr_ratio", against(A)), 1 / of("fpr_ratio", against(A))),
    ),
    "fnr_range": lambda of: (of("fnr_range", TOTAL), abs(of("fnr_gap", against(B)))),
    "fpr_range": lambda of: (of("fpr_range", TOTAL), abs(of("fpr_gap", against(B)))),
    "accuracy_range": lambda of: (of("accuracy_range", TOTAL), abs(of("accuracy_difference", PAIR))),
    "f1_range": lambda of: (of("f1_range", TOTAL), of("disparity_score_normalised", PAIR)),
    "bpsn_auc": lambda of: (of("bpsn_auc", against(A)), of("bnsp_auc", against(B))),
    "bnsp_auc": lambda of: (of("bnsp_auc", against(A)), of("bpsn_auc", against(B))),
    "pinned_auc_equality_difference": both("pinned_auc_equality_difference", 1),
    "auc_equality_difference": both("auc_equality_difference", 1),
    "cf_gap": lambda of: (of("cf_gap", PAIR), of("cf_gap", TOTAL)),
    "cf_gap_unmarked": lambda of: (
        of("cf_gap_unmarked", TOTAL),
        (of("cf_gap_unmarked", against(A, "unmarked")) + of("cf_gap_unmarked", against(B, "unmarked"))) / 2,
    ),
    "cf_gap_tc": lambda of: (of("cf_gap_tc", PAIR), of("cf_gap_tc", TOTAL)),
    "pert_ss": lambda of: (of("pert_ss", TOTAL), of("pert_sr", TOTAL)),
    "pert_sd": lambda of: (of("pert_sd", TOTAL), of("pert_ss", TOTAL) / 2),
    "pert_sr": lambda of: (of("pert_sr", TOTAL), 2 * of("pert_sd", TOTAL)),
    "avg_if": lambda of: (of("avg_if", PAIR), of("avg_if", TOTAL)),
    "avg_if_tc": lambda of: (of("avg_if_tc", PAIR), of("avg_if_tc", TOTAL)),
    "changed_answers": lambda of: (of("changed_answers", PAIR), of("changed_answers", TOTAL)),
    "avg_score_difference": lambda of: (of("avg_score_difference", PAIR), of("avg_score_difference", TOTAL)),
    "answer_difference": lambda of: (of("answer_difference", PAIR), of("answer_difference", TOTAL)),
}
EXEMPT = {
    "independence": "two divergences from everyone are tied by nothing but their mixture",
    "separation": "as independence",
    "sufficiency": "as independence",
    "subgroup_auc": "looks at one group alone",
    "pert_ss_unmarked": "each group's distance from the control stands for itself",
    "pinned_auc": "mixes the group with everyone, whose pairs are of both",
    "pi_metric": "tied to another: the difference of both groups' values is the difference of the answers to the class",
}


def figures_of(name: str) -> dict[tuple[str, str], float]:
    rows = random_rows(7, groups=GROUPS, sources=12)
    found: Figures = values(name, rows, GROUPS, BINARY)
    over = "*" if ("*", *TOTAL) in found or ("*", *PAIR) in found else "positive"
    return {(left, right): value for (c, left, right), value in found.items() if c == over}


def test_every_metric_has_an_identity_of_two_groups_or_a_reason() -> None:
    assert sorted([*IDENTITIES, *EXEMPT]) == sorted(METRICS)
    assert all(EXEMPT.values())


@sweep("name", IDENTITIES)
def test_identities_of_two_groups(name: str) -> None:
    one, two = IDENTITIES[name](lambda metric, at: figures_of(metric)[at])
    assert not math.isnan(one)
    assert one == pytest.approx(two, abs=1e-12)


def test_the_distance_from_everyone_is_the_distance_from_the_other_group_times_its_share() -> None:
    rows = random_rows(7, groups=GROUPS, sources=12)
    size = {group: sum(row.group == group for row in rows) for group in GROUPS}
    found = figures_of("avg_gf")
    one, two = (found[against(group, "everyone")] * size[group] for group in GROUPS)
    assert size[A] != size[B]
    assert one == pytest.approx(two, abs=1e-12)


def test_what_is_found_with_the_other_group_differs_by_the_difference_of_the_answers() -> None:
    """E[b (1 - a)] - E[a (1 - b)] = E[b] - E[a], over the sources of the class."""
    rows = [row for row in random_rows(7, groups=GROUPS, sources=12) if row.label == "positive"]
    found = values("pi_metric", rows, GROUPS)
    apart = found["positive", *against(A)] - found["positive", *against(B)]
    assert apart == pytest.approx(-values("answer_difference", rows, GROUPS)["positive", *PAIR], abs=1e-12)
