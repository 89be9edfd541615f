"""The metrics of Table 2 of Czarnowska, Vyas and Shah (2021) and their kin: one declarative line each."""

from __future__ import annotations

from fairness_checklist.core.outcomes import Outcomes
from fairness_checklist.core.terms_as_groups import by_term
from fairness_checklist.metrics import scores as phi
from fairness_checklist.metrics.backgrounds import everyone, everyone_else, unmarked
from fairness_checklist.metrics.comparisons import (
    abs_diff,
    average_equality_gap,
    difference,
    excess_over_background,
    ratio,
    ratio_to_background,
    score_deviation,
    score_range,
    wasserstein_1,
)
from fairness_checklist.metrics.engine import computed
from fairness_checklist.metrics.metric import (
    METRICS,
    Metric,
    Options,
    background_metric,
    multigroup_metric,
    no_normaliser,
    number_of_groups,
    pairwise_metric,
)
from fairness_checklist.metrics.metric_result import MetricResult

BORKAN = "Borkan et al. 2019"
DIXON = "Dixon et al. 2018"
CORE = "Czarnowska et al. 2021"
HUANG = "Huang et al. 2020"
PRABHAKARAN = "Prabhakaran et al. 2019"

ALIASES = {
    "fnr_range": "equal_opportunity_difference",
    "positive_aeg": "avg_eg",
    "recall_difference": "tpr_difference",
}
"""A metric -> the metric that is the same number on all data. By default only the latter is computed and tested."""

OF_POSITIVE_CLASS = {"neg_avg_eg": "negative_aeg", "pos_avg_eg": "avg_eg"}
"""An alias -> the metric with the same rows of the positive class. By default only that metric is computed."""


def compute(metric: Metric | str, outcomes: Outcomes, options: Options | None = None) -> MetricResult:
    """Compute one metric.

    Args:
        metric: a metric or its id.
        outcomes: n rows, G >= 2 groups, C classes.
        options: see `Options`.

    Returns:
        The contrasts (P, K) and the total (K,).

    Raises:
        OptionError: an unknown id, fewer than two groups, a counterfactual metric without sources.
        UndefinedError: a value is undefined and ``options.undefined`` is "raise".
    """
    options = options or Options()
    chosen = (METRICS[metric] if isinstance(metric, str) else metric).with_options(options)
    outcomes = outcomes.view(options.where)
    if options.by == "term":
        outcomes = by_term(outcomes)
    return computed(chosen, outcomes, options)


# Group metrics against a background: equation (3).
background_metric(
    "fped",
    score=phi.false_positive_rate,
    compare=abs_diff,
    background=everyone,
    normalise=no_normaliser,
    source=DIXON,
    question=(
        "How much more or less often are examples of the group falsely assigned to a class, against all "
        "examples, summed?"
    ),
)
background_metric(
    "fped_normalised",
    score=phi.false_positive_rate,
    compare=abs_diff,
    background=everyone,
    source=CORE,
    question=(
        "How much more or less often are examples of the group falsely assigned to a class, against all "
        "examples, on average?"
    ),
)
background_metric(
    "fned",
    score=phi.false_negative_rate,
    compare=abs_diff,
    background=everyone,
    normalise=no_normaliser,
    source=DIXON,
    question="How much more or less often are examples of the group missed, against all examples, summed?",
)
background_metric(
    "fned_normalised",
    score=phi.false_negative_rate,
    compare=abs_diff,
    background=everyone,
    source=CORE,
    question="How much more or less often are examples of the group missed, against all examples, on average?",
)
background_metric(
    "fpr_gap",
    score=phi.false_positive_rate,
    compare=excess_over_background,
    background=everyone_else,
    normalise=None,
    source=f"{CORE}, equation (3)",
    question="How much more often are the group's examples falsely assigned to the class than others'?",
)
background_metric(
    "fpr_ratio",
    score=phi.false_positive_rate,
    compare=ratio_to_background,
    background=everyone_else,
    normalise=None,
    source="Beutel et al. 2019",
    question="How many times as often are the group's examples falsely assigned to the class as others'?",
)
background_metric(
    "fnr_gap",
    score=phi.false_negative_rate,
    compare=excess_over_background,
    background=everyone_else,
    normalise=None,
    source=f"{CORE}, equation (3)",
    question="How much more often are the group's examples of the class missed than others'?",
)
background_metric(
    "fnr_ratio",
    score=phi.false_negative_rate,
    compare=ratio_to_background,
    background=everyone_else,
    normalise=None,
    source="Beutel et al. 2019",
    question="How many times as often are the group's examples of the class missed as others'?",
)
background_metric(
    "avg_gf",
    score=phi.probabilities,
    compare=wasserstein_1,
    background=everyone,
    source=HUANG,
    question="How far is the group's distribution of the class's probability from that of all examples?",
)
background_metric(
    "avg_gf_tc",
    score=phi.true_class_probabilities,
    compare=wasserstein_1,
    background=everyone,
    source=CORE,
    question="The same, among the examples of the gold class.",
)
background_metric(
    "avg_eg",
    score=phi.true_class_probabilities,
    compare=average_equality_gap,
    background=everyone_else,
    normalise=None,
    source=BORKAN,
    question="Among examples of the gold class: how likely does the group's score exceed others', less one half?",
)
background_metric(
    "pos_avg_eg",
    score=phi.positive_probabilities_of_positives,
    compare=average_equality_gap,
    background=everyone_else,
    normalise=None,
    source=BORKAN,
    question=(
        "Among examples of the positive gold class: how likely does the group's score exceed others', less one half?"
    ),
)
background_metric(
    "neg_avg_eg",
    score=phi.positive_probabilities_of_negatives,
    compare=average_equality_gap,
    background=everyone_else,
    normalise=None,
    source=BORKAN,
    question=(
        "Among examples of the negative gold class: how likely does the group's score exceed others', less one half?"
    ),
)

# Group metrics of pairs: equation (1).
pairwise_metric(
    "disparity_score",
    score=phi.f1,
    compare=abs_diff,
    normalise=number_of_groups,
    source="Gaut et al. 2020",
    question="How far apart are the groups' F1, summed over pairs, by groups?",
)
pairwise_metric(
    "disparity_score_normalised",
    score=phi.f1,
    compare=abs_diff,
    source=CORE,
    question="How far apart are the groups' F1, on average over pairs?",
)
pairwise_metric(
    "tpr_gap",
    score=phi.true_positive_rate,
    compare=abs_diff,
    source="Beutel et al. 2017; Prost et al. 2019",
    question="How far apart are the groups' shares of the class that are found?",
)
pairwise_metric(
    "tnr_gap",
    score=phi.true_negative_rate,
    compare=abs_diff,
    source="Prost et al. 2019",
    question="How far apart are the groups' shares of other classes that are not assigned to the class?",
)
pairwise_metric(
    "parity_gap",
    score=phi.prediction_rate,
    compare=abs_diff,
    source="Beutel et al. 2017",
    question="How far apart are the rates of predicting the class?",
)
pairwise_metric(
    "accuracy_gap",
    score=phi.accuracy,
    compare=abs_diff,
    source=f"{CORE}, Table 2, metric 10 as printed",
    question="How far apart are the groups' accuracies?",
)
pairwise_metric(
    "accuracy_difference",
    score=phi.accuracy,
    compare=difference,
    normalise=no_normaliser,
    source="Blodgett and O'Connor 2017; Bhaskaran and Bhallamudi 2019",
    question="By how much does the first group's score exceed the second's?",
)
pairwise_metric(
    "tpr_difference",
    score=phi.true_positive_rate,
    compare=difference,
    normalise=no_normaliser,
    source="De-Arteaga et al. 2019",
    question="By how much does the first group's score exceed the second's?",
)
pairwise_metric(
    "f1_difference",
    score=phi.f1,
    compare=difference,
    normalise=no_normaliser,
    source="Stanovsky et al. 2019; Saunders and Byrne 2020",
    question="By how much does the first group's score exceed the second's?",
)
pairwise_metric(
    "las_difference",
    score=phi.labelled_attachment_score,
    compare=difference,
    normalise=no_normaliser,
    source="Blodgett et al. 2018",
    question="By how much does the first group's score exceed the second's?",
)
pairwise_metric(
    "recall_difference",
    score=phi.true_positive_rate,
    compare=difference,
    normalise=no_normaliser,
    source="Bamman et al. 2019",
    question="By how much does the first group's score exceed the second's?",
)
pairwise_metric(
    "f1_ratio",
    score=phi.f1,
    compare=ratio,
    normalise=no_normaliser,
    source="Webster et al. 2018",
    question="How many times the second group's score is the first's?",
)
pairwise_metric(
    "recall_ratio",
    score=phi.true_positive_rate,
    compare=ratio,
    normalise=no_normaliser,
    source=f"{CORE}, Table 2, metric 16 as printed",
    question="How many times the second group's score is the first's?",
)

# Counterfactual metrics: equations (2) and (6).
pairwise_metric(
    "cf_gap",
    level="counterfactual",
    score=phi.probability,
    compare=abs_diff,
    source="Garg et al. 2019",
    question="How far does the class's probability move when another group is mentioned?",
)
pairwise_metric(
    "cf_gap_tc",
    level="counterfactual",
    score=phi.true_class_probability,
    compare=abs_diff,
    source=CORE,
    question="The same, in the sources of the gold class.",
)
pairwise_metric(
    "pert_ss",
    level="counterfactual",
    score=phi.target_probability,
    compare=abs_diff,
    source=PRABHAKARAN,
    question="How far does the gold class's probability move when another group is mentioned?",
)
background_metric(
    "cf_gap_unmarked",
    level="counterfactual",
    score=phi.probability,
    compare=abs_diff,
    background=unmarked,
    source="Garg et al. 2019",
    question="How far does the class's probability move from the unmarked text when the group is mentioned?",
)
background_metric(
    "pert_ss_unmarked",
    level="counterfactual",
    score=phi.target_probability,
    compare=abs_diff,
    background=unmarked,
    normalise=None,
    source=PRABHAKARAN,
    question="How far does the gold class's probability move from the unmarked text when the group is mentioned?",
)
multigroup_metric(
    "pert_sd",
    level="counterfactual",
    score=phi.target_probability,
    compare=score_deviation,
    source=PRABHAKARAN,
    question="How much does the gold class's probability vary over the groups?",
)
multigroup_metric(
    "pert_sr",
    level="counterfactual",
    score=phi.target_probability,
    compare=score_range,
    source=PRABHAKARAN,
    question="How far apart are the gold class's extremes over the groups?",
)
pairwise_metric(
    "avg_if",
    level="counterfactual",
    score=phi.probabilities,
    compare=wasserstein_1,
    source=HUANG,
    question="How far apart are the groups' distributions of the class's probability inside a source?",
)
pairwise_metric(
    "avg_if_tc",
    level="counterfactual",
    score=phi.true_class_probabilities,
    compare=wasserstein_1,
    source=CORE,
    question="The same, in the sources of the gold class.",
)
pairwise_metric(
    "avg_score_difference",
    level="counterfactual",
    score=phi.mean_probability,
    compare=difference,
    source="Kiritchenko and Mohammad 2018; Popović et al. 2020",
    question="By how much is the class more probable when the first group is mentioned than the second?",
)
