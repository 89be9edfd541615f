"""The border: an example set and what a model said about it, reduced to arrays.

After this room nobody knows what a text, a sequence or a task is. A classifier's row has one decision and one
probability vector; a tagger's sentence has counts of spans and a probability vector a word. Both are `Outcomes`:
counts a row, and *units* (a unit is one probability vector that belongs to a row; a classifier has one a row).
"""

from __future__ import annotations

from fairness_checklist.examples import ExampleSet
from fairness_checklist.outcomes.classifier import check_unlabelled, classified
from fairness_checklist.outcomes.record import Counts, Decided, Outcomes, Units
from fairness_checklist.outcomes.tagger import tagged
from fairness_checklist.predictions import Predictions, TokenPredictions

__all__ = ["Counts", "Decided", "Outcomes", "Units", "check_unlabelled", "reduce_to_outcomes"]


def reduce_to_outcomes(
    examples: ExampleSet, predictions: Predictions | TokenPredictions, *, unlabelled: str = "keep"
) -> Outcomes:
    """Reduce the predictions of a classifier or a tagger to arrays.

    Args:
        examples: n texts.
        predictions: n predictions, in the same order.
        unlabelled: "keep" leaves rows without a usable label in label-free metrics; "drop" takes them out of all.

    Raises:
        AlignmentError: the numbers of rows, or of a sentence's words, differ.
        LabelError: gold classes are there and the model knows none of them.
    """
    if isinstance(predictions, TokenPredictions):
        return tagged(examples, predictions, unlabelled=unlabelled)
    return classified(examples, predictions, unlabelled=unlabelled)
