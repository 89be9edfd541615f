"""Metrics beyond Table 2 of Czarnowska et al. 2021, in three sections.

Decisions: changed answers, and how decisions and gold classes depend on the group. Rankings: areas under curves and
average equality gaps. Rates: ratios and ranges over all groups, as fairlearn and aif360 have them. Every metric is
registered when the module is imported.
"""

from __future__ import annotations

from fairness_checklist.metrics.backgrounds import everyone, everyone_else, unmarked
from fairness_checklist.metrics.catalogue import BORKAN, CORE, DIXON, PRABHAKARAN
from fairness_checklist.metrics.comparisons import (
    abs_diff,
    area_distance,
    average_equality_gap,
    background_positive_area,
    difference,
    divergence_from_background,
    group_area,
    group_positive_area,
    jaccard_distance,
    lowest_over_highest,
    only_in_background,
    pinned_area,
    pinned_area_distance,
    score_range,
    smaller_over_larger,
)
from fairness_checklist.metrics.metric import background_metric, multigroup_metric, no_normaliser, pairwise_metric
from fairness_checklist.metrics.scores import (
    accuracy,
    area_under_curve,
    decision,
    decisions,
    decisions_of_class,
    f1,
    false_negative_rate,
    false_positive_rate,
    gold_of_decided,
    items_of_class,
    other_class_probabilities,
    prediction_rate,
    true_class_decision,
    true_class_probabilities,
    true_positive_rate,
)

# Decisions

pairwise_metric(
    "changed_answers",
    level="counterfactual",
    score=decision,
    compare=abs_diff,
    source=f"{CORE}, equation (2)",
    question=(
        "In what share of pairs of the groups' examples of a source is one assigned to the class and not the other?"
    ),
)
pairwise_metric(
    "answer_difference",
    level="counterfactual",
    score=decision,
    compare=difference,
    source=f"{CORE}, equation (2)",
    question="How much more often is the first group's example of a source assigned to the class than the second's?",
)
pairwise_metric(
    "pert_ld",
    level="counterfactual",
    score=items_of_class,
    compare=jaccard_distance,
    source=PRABHAKARAN,
    question="How far apart are the sets of sources that are assigned to the class with the groups' terms?",
)
background_metric(
    "pert_ld_unmarked",
    level="counterfactual",
    score=items_of_class,
    compare=jaccard_distance,
    background=unmarked,
    source=PRABHAKARAN,
    question="How far is the set of sources assigned to the class with a term from the one without any identity?",
)
background_metric(
    "pi_metric",
    level="counterfactual",
    score=true_class_decision,
    compare=only_in_background,
    background=everyone_else,
    normalise=None,
    source="De-Arteaga et al. 2019",
    question="What share of the class's sources is missed with the group and found when another group is mentioned?",
)
background_metric(
    "independence",
    score=decisions,
    compare=divergence_from_background,
    background=everyone,
    normalise=no_normaliser,
    source="Orgad and Belinkov 2022, appendix B",
    question="How far are the decisions on the group from those on all, summed?",
)
background_metric(
    "separation",
    score=decisions_of_class,
    compare=divergence_from_background,
    background=everyone,
    normalise=no_normaliser,
    source="Orgad and Belinkov 2022, appendix B",
    question="The same, among the examples of the gold class.",
)
background_metric(
    "sufficiency",
    score=gold_of_decided,
    compare=divergence_from_background,
    background=everyone,
    normalise=no_normaliser,
    source="Orgad and Belinkov 2022, appendix B",
    question="Among examples assigned to the class: how far are the group's gold classes from those of all, summed?",
)

# Rankings

background_metric(
    "subgroup_auc",
    score=area_under_curve,
    compare=group_area,
    background=None,
    normalise=None,
    source=BORKAN,
    question="How well are the group's examples of the class ranked above its examples of other classes?",
)
background_metric(
    "bpsn_auc",
    score=area_under_curve,
    compare=background_positive_area,
    background=everyone_else,
    normalise=None,
    source=BORKAN,
    question="How well are others' examples of the class ranked above the group's examples of other classes?",
)
background_metric(
    "bnsp_auc",
    score=area_under_curve,
    compare=group_positive_area,
    background=everyone_else,
    normalise=None,
    source=BORKAN,
    question="How well are the group's examples of the class ranked above others' examples of other classes?",
)
background_metric(
    "pinned_auc",
    score=area_under_curve,
    compare=pinned_area,
    background=everyone,
    normalise=None,
    source=DIXON,
    question="How well is the class ranked in a set of which the group is half and all examples the other half?",
)
background_metric(
    "auc_equality_difference",
    score=area_under_curve,
    compare=area_distance,
    background=everyone,
    normalise=no_normaliser,
    source=BORKAN,
    question="How far is the group's AUC from the AUC of all examples, summed?",
)
background_metric(
    "pinned_auc_equality_difference",
    score=area_under_curve,
    compare=pinned_area_distance,
    background=everyone,
    normalise=no_normaliser,
    source=f"{DIXON}, equation (5)",
    question="How far is the group's pinned AUC from the AUC of all examples, summed?",
)
background_metric(
    "negative_aeg",
    score=other_class_probabilities,
    compare=average_equality_gap,
    background=everyone_else,
    normalise=None,
    source=BORKAN,
    question="Among examples of other gold classes: how likely does the group's score exceed others', less one half?",
)
background_metric(
    "positive_aeg",
    score=true_class_probabilities,
    compare=average_equality_gap,
    background=everyone_else,
    normalise=None,
    source=BORKAN,
    question="Among examples of the gold class: how likely does the group's score exceed others', less one half?",
)

# Rates: ratios and ranges

_HARDT = "Hardt et al. 2016"
_FOUR_FIFTHS = "Uniform Guidelines on Employee Selection Procedures 1978; Feldman et al. 2015"

pairwise_metric(
    "impact_ratio",
    score=prediction_rate,
    compare=smaller_over_larger,
    source=_FOUR_FIFTHS,
    question="What share of the larger rate of predicting the class is the smaller one of two groups?",
)
multigroup_metric(
    "demographic_parity_difference",
    score=prediction_rate,
    compare=score_range,
    source="Agarwal et al. 2018",
    question="How far apart are the largest and the smallest rate of predicting the class?",
)
multigroup_metric(
    "demographic_parity_ratio",
    score=prediction_rate,
    compare=lowest_over_highest,
    source=_FOUR_FIFTHS,
    question="What share of the largest rate of predicting the class is the smallest?",
)
multigroup_metric(
    "equal_opportunity_difference",
    score=true_positive_rate,
    compare=score_range,
    source=_HARDT,
    question="How far apart are the largest and the smallest share of the class that is found?",
)
multigroup_metric(
    "equal_opportunity_ratio",
    score=true_positive_rate,
    compare=lowest_over_highest,
    source=_HARDT,
    question="What share of the largest share of the class that is found is the smallest?",
)
multigroup_metric(
    "fnr_range",
    score=false_negative_rate,
    compare=score_range,
    source=f"{CORE}, released code",
    question="How far apart are the largest and the smallest share of the class that is missed?",
)
multigroup_metric(
    "fpr_range",
    score=false_positive_rate,
    compare=score_range,
    source=f"{CORE}, released code",
    question="How far apart are the largest and the smallest share of other classes that is assigned to the class?",
)
multigroup_metric(
    "accuracy_range",
    score=accuracy,
    compare=score_range,
    source=f"{CORE}, equation (5)",
    question="How far apart are the largest and the smallest accuracy of the groups?",
)
multigroup_metric(
    "f1_range",
    score=f1,
    compare=score_range,
    source=f"{CORE}, equation (5)",
    question="How far apart are the largest and the smallest F1 of the groups?",
)
multigroup_metric(
    "equalized_odds_difference",
    score=false_positive_rate,
    also=true_positive_rate,
    compare=score_range,
    source=_HARDT,
    question="How far apart are the groups' true or false positive rates, whichever are further?",
)
multigroup_metric(
    "equalized_odds_ratio",
    score=false_positive_rate,
    also=true_positive_rate,
    compare=lowest_over_highest,
    source=_HARDT,
    question=(
        "What share of the largest is the smallest of the groups' true or false positive rates, whichever are further?"
    ),
)
