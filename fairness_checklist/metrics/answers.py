"""Metrics of the decisions themselves: changed answers, and how decisions and gold classes depend on the group."""

from __future__ import annotations

from fairness_checklist.backgrounds import everyone
from fairness_checklist.comparisons import abs_diff, difference, divergence_from_background
from fairness_checklist.metrics.catalogue import CORE
from fairness_checklist.metrics.metric import background_metric, no_normaliser, pairwise_metric
from fairness_checklist.scores import decision, decisions, decisions_of_class, gold_of_decided

__all__: list[str] = []

for name, compare, question in (
    (
        "changed_answers",
        abs_diff,
        "In what share of pairs of the groups' examples of a source is one assigned to the class and not the other?",
    ),
    (
        "answer_difference",
        difference,
        "How much more often is the first group's example of a source assigned to the class than the second's?",
    ),
):
    pairwise_metric(
        name, level="counterfactual", score=decision, compare=compare, source=f"{CORE}, equation (2)", question=question
    )
for name, score, question in (
    ("independence", decisions, "How far are the decisions about the group from those about all, summed?"),
    ("separation", decisions_of_class, "The same, among the examples whose gold class it is."),
    (
        "sufficiency",
        gold_of_decided,
        "Where the class is decided for: how far are the group's gold classes from those of all, summed?",
    ),
):
    background_metric(
        name,
        score=score,
        compare=divergence_from_background,
        background=everyone,
        normalise=no_normaliser,
        source="Orgad and Belinkov 2022, appendix B",
        question=question,
    )
