"""Scores of units: sets, single examples, means and rankings of probabilities or decisions."""

from __future__ import annotations

import numpy as np

from fairness_checklist.arrays import BoolArray, FloatArray
from fairness_checklist.outcomes import Outcomes, Units
from fairness_checklist.outcomes.answers import rows_decided
from fairness_checklist.outcomes.entering import gold_rows, labelled_rows, rows_with_others
from fairness_checklist.scores.registry import NO_GOLD, NO_OTHER, score

__all__ = [
    "area_under_curve",
    "decision",
    "decisions",
    "decisions_of_class",
    "gold_of_decided",
    "items_of_class",
    "labelled_attachment_score",
    "mean_probability",
    "mean_target_probability",
    "other_class_probabilities",
    "positive_probabilities_of_negatives",
    "positive_probabilities_of_positives",
    "probabilities",
    "probability",
    "repaired_entities",
    "target_probability",
    "true_class_decision",
    "true_class_probabilities",
    "true_class_probability",
]


@score("set", undefined="no examples")
def probabilities(units: Units) -> FloatArray:
    """{p(c)} of all examples: f(x, c) in Table 2, metrics 3 and 21."""
    return units.probability


@score("set", enters=gold_rows, undefined=NO_GOLD, needs_labels=True)
def true_class_probabilities(units: Units) -> FloatArray:
    """{p(c)} of the examples whose gold class is c: the (TC) forms of Czarnowska et al. 2021, section 5."""
    own = units.label[:, None] == np.arange(units.probability.shape[1])
    return np.where(own, units.probability, np.nan)


@score("set", enters=rows_with_others, undefined=NO_OTHER, needs_labels=True)
def other_class_probabilities(units: Units) -> FloatArray:
    """{p(c)} of the examples whose gold class is another than c: the negatives of Borkan et al. 2019."""
    other = (units.label[:, None] >= 0) & (units.label[:, None] != np.arange(units.probability.shape[1]))
    return np.where(other, units.probability, np.nan)


def _positive_class_rows(outcomes: Outcomes) -> BoolArray:
    return gold_rows(outcomes)[:, [outcomes.positive]]


def _negative_class_rows(outcomes: Outcomes) -> BoolArray:
    return gold_rows(outcomes)[:, [1 - outcomes.positive]]


@score("set", enters=_positive_class_rows, undefined=NO_GOLD, needs_labels=True, two_classes=True)
def positive_probabilities_of_positives(units: Units) -> FloatArray:
    """{p(positive)} of the examples whose gold class is positive (two classes): metric 5 of Table 2."""
    values = units.probability[:, units.positive]
    return np.where(units.label == units.positive, values, np.nan)[:, None]


@score(
    "set",
    enters=_negative_class_rows,
    undefined="no example with the negative gold class",
    needs_labels=True,
    two_classes=True,
)
def positive_probabilities_of_negatives(units: Units) -> FloatArray:
    """{p(positive)} of the examples whose gold class is negative (two classes): metric 6 of Table 2."""
    values = units.probability[:, units.positive]
    return np.where(units.label == 1 - units.positive, values, np.nan)[:, None]


@score("single", undefined="no examples")
def probability(units: Units) -> FloatArray:
    """p(c) of one example: metric 17 of Table 2."""
    return units.probability


@score("single", enters=gold_rows, undefined=NO_GOLD, needs_labels=True)
def true_class_probability(units: Units) -> FloatArray:
    """p(c) of one example whose gold class is c."""
    return true_class_probabilities(units)


@score("single", enters=labelled_rows, undefined="no labelled examples", needs_labels=True, over_classes=True)
def target_probability(units: Units) -> FloatArray:
    """p(gold class) of one example, over all classes: f(x, y(x)) in Table 2, metrics 18 to 20.

    >>> units = Units(np.arange(2), np.zeros(2, int), np.array([1, -1]), np.array([[0.25, 0.75], [0.5, 0.5]]), 1)
    >>> target_probability(units)
    array([[0.75],
           [ nan]])
    """
    picked = np.take_along_axis(units.probability, np.maximum(units.label, 0)[:, None], axis=1)
    return np.where(units.label[:, None] >= 0, picked, np.nan)


@score("single", undefined="no examples", of_decisions=True)
def decision(units: Units) -> FloatArray:
    """1 where one example is assigned to c, 0 elsewhere."""
    return units.probability


@score("single", enters=gold_rows, undefined=NO_GOLD, needs_labels=True, of_decisions=True)
def true_class_decision(units: Units) -> FloatArray:
    """1 where one example whose gold class is c is assigned to c, 0 where it is missed."""
    return true_class_probabilities(units)


@score("items", undefined="no examples")
def items_of_class(predicted: FloatArray) -> FloatArray:
    """1 where an example is assigned to c (a tagger: where a span of c is found), else 0.

    >>> items_of_class(np.array([[0.0, 2.0]]))
    array([[0., 1.]])
    """
    return (predicted > 0).astype(np.float64)


def _decided(units: Units) -> FloatArray:
    """(m,) the position of the class decided for; C where there is none."""
    predicted = units.probability > 0
    position: FloatArray = np.where(predicted.any(axis=1), predicted.argmax(axis=1), predicted.shape[1]).astype(
        np.float64
    )
    return position


@score("set", undefined="no examples", over_classes=True, of_decisions=True)
def decisions(units: Units) -> FloatArray:
    """The classes decided for, as a distribution over classes: P(R) of Orgad and Belinkov 2022, appendix B."""
    return _decided(units)[:, None]


@score("set", enters=gold_rows, undefined=NO_GOLD, needs_labels=True, of_decisions=True)
def decisions_of_class(units: Units) -> FloatArray:
    """The classes decided for where c is gold: P(R | Y = c)."""
    own = units.label[:, None] == np.arange(units.probability.shape[1])
    return np.where(own, _decided(units)[:, None], np.nan)


@score("set", enters=rows_decided, undefined="{label} is never predicted", needs_labels=True, of_decisions=True)
def gold_of_decided(units: Units) -> FloatArray:
    """The gold classes where c is decided for: P(Y | R = c)."""
    own = (units.probability > 0) & (units.label >= 0)[:, None]
    return np.where(own, units.label[:, None].astype(np.float64), np.nan)


@score("mean", undefined="no examples")
def mean_probability(units: Units) -> FloatArray:
    """mean({p(c)}): metric 22 of Table 2."""
    return units.probability


@score("mean", enters=labelled_rows, undefined="no labelled examples", needs_labels=True, over_classes=True)
def mean_target_probability(units: Units) -> FloatArray:
    """mean({p(gold class)}), over all classes."""
    return target_probability(units)


@score(
    "ranking", enters=labelled_rows, undefined="no examples both with and without gold class {label}", needs_labels=True
)
def area_under_curve(units: Units) -> FloatArray:
    """How well p(c) ranks examples of gold class c above the others: the area under the ROC curve, in [0, 1]."""
    return units.probability


@score("mean", undefined="these are no tagger's predictions", over_classes=True, needs_score="repaired")
def repaired_entities(values: FloatArray) -> FloatArray:
    """Entities a sentence whose tags broke their scheme and were repaired, >= 0."""
    return values


@score("mean", undefined="no row has a score las", over_classes=True, needs_score="las")
def labelled_attachment_score(values: FloatArray) -> FloatArray:
    """The mean of the user's column ``score:las``, one number a row: metric 14 of Table 2."""
    return values
