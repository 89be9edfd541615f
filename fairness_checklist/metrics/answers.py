"""Metrics of the decisions themselves: changed answers, and how decisions and gold classes depend on the group."""

from __future__ import annotations

from fairness_checklist.backgrounds import everyone, everyone_else, unmarked
from fairness_checklist.comparisons import (
    abs_diff,
    difference,
    divergence_from_background,
    jaccard_distance,
    only_in_background,
)
from fairness_checklist.metrics.catalogue import CORE, PRABHAKARAN
from fairness_checklist.metrics.metric import background_metric, no_normaliser, pairwise_metric
from fairness_checklist.scores import (
    decision,
    decisions,
    decisions_of_class,
    gold_of_decided,
    items_of_class,
    true_class_decision,
)

__all__: list[str] = []

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
    question="How far apart are the sets of sources that the groups' terms leave in the class?",
)
background_metric(
    "pert_ld_unmarked",
    level="counterfactual",
    score=items_of_class,
    compare=jaccard_distance,
    background=unmarked,
    source=PRABHAKARAN,
    question="How far is the set of sources that a term leaves in the class from the one without any identity?",
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
    question="How far are the decisions about the group from those about all, summed?",
)
background_metric(
    "separation",
    score=decisions_of_class,
    compare=divergence_from_background,
    background=everyone,
    normalise=no_normaliser,
    source="Orgad and Belinkov 2022, appendix B",
    question="The same, among the examples whose gold class it is.",
)
background_metric(
    "sufficiency",
    score=gold_of_decided,
    compare=divergence_from_background,
    background=everyone,
    normalise=no_normaliser,
    source="Orgad and Belinkov 2022, appendix B",
    question="Where the class is decided for: how far are the group's gold classes from those of all, summed?",
)
