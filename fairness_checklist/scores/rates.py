"""Rates: scores of counts, which add."""

from __future__ import annotations

from fairness_checklist.arrays import FloatArray, divide
from fairness_checklist.outcomes import Counts
from fairness_checklist.outcomes.entering import gold_rows, labelled_rows, other_rows
from fairness_checklist.scores.registry import NO_GOLD, NO_OTHER, score

__all__ = [
    "accuracy",
    "f1",
    "false_negative_rate",
    "false_positive_rate",
    "prediction_rate",
    "true_negative_rate",
    "true_positive_rate",
]


@score("rate", enters=gold_rows, undefined=NO_GOLD, needs_labels=True)
def true_positive_rate(counts: Counts) -> FloatArray:
    """TP / (TP + FN), in [0, 1]; NaN without examples of the gold class.

    >>> import numpy as np
    >>> ones = np.ones((1, 1))
    >>> true_positive_rate(Counts(3 * ones, ones, ones, ones, 4 * ones, 6 * ones, 6 * ones))
    array([[0.75]])
    """
    return divide(counts.true_positive, counts.true_positive + counts.false_negative)


@score("rate", enters=gold_rows, undefined=NO_GOLD, needs_labels=True)
def false_negative_rate(counts: Counts) -> FloatArray:
    """FN / (TP + FN), in [0, 1]; NaN without examples of the gold class."""
    return divide(counts.false_negative, counts.true_positive + counts.false_negative)


@score("rate", enters=other_rows, undefined=NO_OTHER, needs_labels=True, needs_true_negatives=True)
def false_positive_rate(counts: Counts) -> FloatArray:
    """FP / (FP + TN), in [0, 1]; NaN without examples of another gold class.

    >>> import numpy as np
    >>> ones = np.ones((1, 1))
    >>> false_positive_rate(Counts(3 * ones, ones, ones, ones, 4 * ones, 6 * ones, 6 * ones))
    array([[0.5]])
    """
    return divide(counts.false_positive, counts.false_positive + counts.true_negative)


@score("rate", enters=other_rows, undefined=NO_OTHER, needs_labels=True, needs_true_negatives=True)
def true_negative_rate(counts: Counts) -> FloatArray:
    """TN / (FP + TN), in [0, 1]; NaN without examples of another gold class."""
    return divide(counts.true_negative, counts.false_positive + counts.true_negative)


@score(
    "rate",
    enters=labelled_rows,
    undefined="{label} is neither gold nor predicted",
    needs_labels=True,
)
def f1(counts: Counts) -> FloatArray:
    """2 TP / (2 TP + FP + FN), in [0, 1]; NaN where the class is neither gold nor predicted."""
    twice = 2 * counts.true_positive
    return divide(twice, twice + counts.false_positive + counts.false_negative)


@score("rate", undefined="no examples")
def prediction_rate(counts: Counts) -> FloatArray:
    """Predictions of the class a row: the rate of predicting it (a tagger: predicted spans a sentence), >= 0."""
    return divide(counts.predicted, counts.rows)


@score(
    "rate",
    enters=labelled_rows,
    undefined="no labelled examples",
    needs_labels=True,
    over_classes=True,
    needs_true_negatives=True,
)
def accuracy(counts: Counts) -> FloatArray:
    """Right decisions over labelled rows, all classes together: (..., 1) in [0, 1].

    >>> import numpy as np
    >>> ones = np.ones((1, 2))
    >>> accuracy(Counts(ones, ones, ones, ones, 2 * ones, 4 * ones, 4 * ones))
    array([[0.5]])
    """
    return divide(counts.true_positive.sum(axis=-1, keepdims=True), counts.labelled[..., :1])
