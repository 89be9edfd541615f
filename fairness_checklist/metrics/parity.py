"""Parity over all groups at once: selection rates and error rates, largest against smallest, one line each."""

from __future__ import annotations

from fairness_checklist.comparisons import lowest_over_highest, score_range, smaller_over_larger
from fairness_checklist.metrics.catalogue import CORE
from fairness_checklist.metrics.metric import multigroup_metric, pairwise_metric
from fairness_checklist.scores import (
    accuracy,
    f1,
    false_negative_rate,
    false_positive_rate,
    prediction_rate,
    true_positive_rate,
)

__all__: list[str] = []

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
