"""The family of areas under ROC curves: Borkan et al. 2019 and the pinned AUC of Dixon et al. 2018, one line each."""

from __future__ import annotations

from fairness_checklist.backgrounds import everyone, everyone_else
from fairness_checklist.comparisons import (
    area_distance,
    average_equality_gap,
    background_positive_area,
    group_area,
    group_positive_area,
    pinned_area,
    pinned_area_distance,
)
from fairness_checklist.metrics.catalogue import BORKAN, DIXON
from fairness_checklist.metrics.metric import background_metric, no_normaliser
from fairness_checklist.scores import area_under_curve, other_class_probabilities, true_class_probabilities

__all__: list[str] = []

background_metric(
    "subgroup_auc",
    score=area_under_curve,
    compare=group_area,
    background=None,
    normalise=None,
    source=BORKAN,
    question="How well are the group's examples of the class ranked above its others?",
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
