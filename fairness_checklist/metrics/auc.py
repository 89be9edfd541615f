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

for name, compare, background, paper, question in (
    (
        "subgroup_auc",
        group_area,
        None,
        BORKAN,
        "How well are the group's examples of the class ranked above its others?",
    ),
    (
        "bpsn_auc",
        background_positive_area,
        everyone_else,
        BORKAN,
        "How well are others' examples of the class ranked above the group's examples of other classes?",
    ),
    (
        "bnsp_auc",
        group_positive_area,
        everyone_else,
        BORKAN,
        "How well are the group's examples of the class ranked above others' examples of other classes?",
    ),
    (
        "pinned_auc",
        pinned_area,
        everyone,
        DIXON,
        "How well is the class ranked in a set of which the group is half and all examples the other half?",
    ),
):
    background_metric(
        name,
        score=area_under_curve,
        compare=compare,
        background=background,
        normalise=None,
        source=paper,
        question=question,
    )
for name, compare, paper, word in (
    ("auc_equality_difference", area_distance, BORKAN, "AUC"),
    ("pinned_auc_equality_difference", pinned_area_distance, f"{DIXON}, equation (5)", "pinned AUC"),
):
    background_metric(
        name,
        score=area_under_curve,
        compare=compare,
        background=everyone,
        normalise=no_normaliser,
        source=paper,
        question=f"How far is the group's {word} from the AUC of all examples, summed?",
    )
for name, score, which in (
    ("negative_aeg", other_class_probabilities, "other gold classes"),
    ("positive_aeg", true_class_probabilities, "the gold class"),
):
    background_metric(
        name,
        score=score,
        compare=average_equality_gap,
        background=everyone_else,
        normalise=None,
        source=BORKAN,
        question=f"Among examples of {which}: how likely does the group's score exceed others', less one half?",
    )
