"""Parity over all groups at once: selection rates and error rates, largest against smallest, one line each."""

from __future__ import annotations

from fairness_checklist.comparisons import lowest_over_highest, score_range, smaller_over_larger
from fairness_checklist.metrics.catalogue import CORE
from fairness_checklist.metrics.metric import multigroup_metric, pairwise_metric
from fairness_checklist.scores import (
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
for name, score, compare, paper, question in (
    (
        "demographic_parity_difference",
        prediction_rate,
        score_range,
        "Agarwal et al. 2018",
        "How far apart are the largest and the smallest rate of predicting the class?",
    ),
    (
        "demographic_parity_ratio",
        prediction_rate,
        lowest_over_highest,
        _FOUR_FIFTHS,
        "What share of the largest rate of predicting the class is the smallest?",
    ),
    (
        "equal_opportunity_difference",
        true_positive_rate,
        score_range,
        _HARDT,
        "How far apart are the largest and the smallest share of the class that is found?",
    ),
    (
        "fnr_range",
        false_negative_rate,
        score_range,
        f"{CORE}, released code",
        "How far apart are the largest and the smallest share of the class that is missed?",
    ),
    (
        "fpr_range",
        false_positive_rate,
        score_range,
        f"{CORE}, released code",
        "How far apart are the largest and the smallest share of other classes that is assigned to the class?",
    ),
):
    multigroup_metric(name, score=score, compare=compare, source=paper, question=question)
multigroup_metric(
    "equalized_odds_difference",
    score=false_positive_rate,
    also=true_positive_rate,
    compare=score_range,
    source=_HARDT,
    question="How far apart are the groups' true or false positive rates, whichever are further?",
)
