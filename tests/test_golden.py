"""The core paper's released code and the independent implementation of the design: every golden figure."""

from typing import Any

import numpy as np
import pytest
from golden import as_golden, cases, read_case, read_tagger_case
from sweep import sweep

from fairness_checklist.core.predictions_to_outcomes import reduce_to_outcomes
from fairness_checklist.metrics.catalogue import compute
from fairness_checklist.metrics.metric_forms import Options

GROUP = cases("group_binary")
COUNTERFACTUAL = cases("counterfactual_binary")
TAGGER = cases("ner")

# our id: (the released code's name, what reproduces it where its paper or our default differs)
RELEASED_GROUP: dict[str, tuple[str, dict[str, Any]]] = {
    "fped": ("fped", {}),
    "fned": ("fned", {}),
    "fped_normalised": ("fixed_fped", {}),
    "fned_normalised": ("fixed_fned", {}),
    "tpr_gap": ("tpr_gap_pcm", {}),
    "tnr_gap": ("tnr_gap_pcm", {}),
    "disparity_score": ("disparsity_score", {}),
    "disparity_score_normalised": ("fixed_disparsity_score", {}),
    "parity_gap": ("parity_gap", {}),
    "avg_gf": ("average_group_fairness", {}),
    "avg_gf_tc": ("average_group_fairness_only_target_class", {"background": "everyone_else"}),
    "avg_eg": ("extended_aeg", {}),
}
RELEASED_COUNTERFACTUAL = {
    "cf_gap": "cfgap",
    "cf_gap_tc": "cfgap_only_target_class",
    "avg_if": "average_individual_fairness",
    "avg_if_tc": "average_individual_fairness_only_target_class",
    "pert_ss": "perturbation_score_sensitivity",
    "pert_sr": "perturb_score_range",
    "pert_sd": "perturb_score_deviation",
}


def released(figures: dict[str, Any], name: str) -> dict[str, dict[str, float]]:
    """The finite figures of one metric of the released code, in our layout of keys."""
    found = figures.get(name, {})
    if "error" in found:
        return {}
    return {
        "*" if label == "all" else label: {
            "*" if key == "accumulated" else key: value
            for key, value in keyed.items()
            if isinstance(value, (int, float))
        }
        for label, keyed in found.items()
    }


def assert_agree(ours: dict[str, dict[str, float]], theirs: dict[str, dict[str, float]], least: int = 1) -> None:
    compared = 0
    for label, keyed in theirs.items():
        for key, value in keyed.items():
            if key in ours.get(label, {}):
                assert ours[label][key] == pytest.approx(value, abs=1e-9), (label, key)
                compared += 1
    assert compared >= least


@sweep("case", GROUP + COUNTERFACTUAL + TAGGER)
def test_every_figure_of_the_design(case: dict[str, Any]) -> None:
    read, least = (read_tagger_case, 50) if case in TAGGER else (read_case, 51)
    outcomes = reduce_to_outcomes(*read(case))
    compared = 0
    for name, by_class in case["expected_default"].items():
        ours = as_golden(compute(name, outcomes))
        for label, keyed in by_class.items():
            for key, value in keyed.items():
                expected = np.nan if value is None else value
                assert ours[label][key] == pytest.approx(expected, abs=1e-9, nan_ok=True), (name, label, key)
                compared += 1
    assert compared >= (3 if case["name"] == "bug_ner_capitalised_slot" else least)


COMPLETE = [case for case in GROUP if not case["name"].startswith("edge_") and "data_n_classes" not in case]


@sweep("case", COMPLETE)
def test_the_released_group_metrics_by_named_options(case: dict[str, Any]) -> None:
    outcomes = reduce_to_outcomes(*read_case(case))
    for name, (their_name, options) in RELEASED_GROUP.items():
        assert_agree(as_golden(compute(name, outcomes, Options(**options))), released(case["expected"], their_name))


def test_the_released_code_drops_neutral_examples_and_so_does_the_option() -> None:
    case = next(case for case in GROUP if case.get("data_n_classes") == 3)
    dropped = reduce_to_outcomes(*read_case(case), unlabelled="drop")
    for name in ("avg_gf", "parity_gap", "fped"):
        assert_agree(as_golden(compute(name, dropped)), released(case["expected"], RELEASED_GROUP[name][0]), 4)


def listed(case: dict[str, Any]) -> Any:
    """The groupings of a case, those of unlabelled sources left out."""
    labels = [example["label"] for example in case["source_examples"]]
    return np.array([row for row in case["groupings"] if labels[row[0]] is not None])


@sweep("name", RELEASED_COUNTERFACTUAL)
@sweep("case", COUNTERFACTUAL)
def test_the_released_counterfactual_metrics_by_named_options(case: dict[str, Any], name: str) -> None:
    if case["name"] == "edge_cf_probability_exactly_zero" and name == "cf_gap_tc":
        pytest.skip("the released code skips sources with a probability of exactly 0; not reproduced on purpose")
    outcomes = reduce_to_outcomes(*read_case(case), unlabelled="drop")
    as_released = Options(groupings=listed(case), weight="groupings", denominator="all_sources")
    theirs = released(case["expected"], RELEASED_COUNTERFACTUAL[name])
    assert_agree(as_golden(compute(name, outcomes, as_released)), theirs)
    fixed = Options(groupings=listed(case))
    theirs = released(case["expected_paper"], RELEASED_COUNTERFACTUAL[name])
    assert_agree(as_golden(compute(name, outcomes, fixed)), theirs)


@sweep("name", RELEASED_COUNTERFACTUAL)
@sweep("case", [c for c in COUNTERFACTUAL if c["sampled"]])
def test_the_exact_expectation_is_that_of_the_whole_product(case: dict[str, Any], name: str) -> None:
    outcomes = reduce_to_outcomes(*read_case(case))
    options = Options(denominator="all_sources")
    theirs = released(case["expected_exhaustive"], RELEASED_COUNTERFACTUAL[name])
    assert_agree(as_golden(compute(name, outcomes, options)), theirs)


@sweep("case", TAGGER)
def test_the_released_figures_of_taggers_by_named_options(case: dict[str, Any]) -> None:
    """All but those of capitalised slots, where the released code loses the term."""
    if case["name"] == "bug_ner_capitalised_slot":
        pytest.skip("the released code does not recognise a capitalised slot; not reproduced on purpose")
    outcomes = reduce_to_outcomes(*read_tagger_case(case))
    listed = np.array(case["groupings"])
    as_released = Options(groupings=listed, weight="groupings", denominator="all_sources")
    for name, theirs in RELEASED_COUNTERFACTUAL.items():
        assert_agree(as_golden(compute(name, outcomes, as_released)), released(case["expected"], theirs))
        fixed = as_golden(compute(name, outcomes, Options(groupings=listed)))
        assert_agree(fixed, released(case["expected_paper"], theirs))
    if case["name"] == "edge_ner_invalid_bilou":  # the released code stops at the broken sequence
        return
    for name, (theirs, options) in RELEASED_GROUP.items():
        if name not in ("fped", "fped_normalised", "tnr_gap"):
            assert_agree(as_golden(compute(name, outcomes, Options(**options))), released(case["expected"], theirs))
