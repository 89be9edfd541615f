"""Scores phi: what is measured on a set of examples before groups are compared.

Five kinds, all plain functions over arrays:

* ``rate``: of `Counts` (..., C), gives (..., C) or (..., 1) for a score over all classes; counts add, so a score of any
  pooled set follows without another look at the rows.
* ``set``: of `Units`, gives (m, C) or (m, 1); the score of a set of examples is the *set* of these values, NaN where a
  unit does not belong.
* ``single``: the same, for A = {x}: each example is scored alone.
* ``mean``: the same, and the score of a set is the mean.
* ``ranking``: the same, of units with a gold class; the score of a set is the area under the ROC curve of class c, one
  against the rest: how often a unit of gold class c has the higher value, ties half.

The decorator `score` files a function's kind and needs; it returns the function as it is.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from fairness_checklist.core.arrays import BoolArray, FloatArray, divide
from fairness_checklist.core.outcomes import (
    Counts,
    Outcomes,
    Units,
    gold_rows,
    labelled_rows,
    other_rows,
    rows_decided,
    rows_with_other_class,
)

Kind = Literal["rate", "set", "single", "mean", "ranking"]
Score = Callable[[Any], FloatArray]


@dataclass(frozen=True)
class ScoreInfo:
    """The properties of a score; ``needs_`` is what the outcomes must contain."""

    name: str  # the function's
    kind: Kind = "rate"
    enters: Callable[[Outcomes], BoolArray] | None = None  # the rows, (n, C) or (n, 1), that count; None: every row
    undefined: str = "nothing enters the score"  # the reason when nothing enters, with {label} for the class
    over_classes: bool = False  # one value over all classes (class "*")
    needs_labels: bool = False
    two_classes: bool = False  # only defined for two classes, reported for the positive one
    needs_score: str = ""  # the user's column that is averaged
    needs_true_negatives: bool = False
    of_decisions: bool = False  # gets decisions as units: probabilities of 1 and 0

    @property
    def needs_decisions(self) -> bool:
        return self.kind == "rate" or self.of_decisions

    @property
    def needs_probabilities(self) -> bool:
        return not self.needs_decisions and not self.needs_score


SCORES: dict[str, Score] = {}
_ABOUT: dict[Score, ScoreInfo] = {}


def score(kind: Kind, **known: Any) -> Callable[[Score], Score]:
    """File a function as a score; the function itself stays as it is.

    >>> @score("rate", undefined="no rows")
    ... def share_predicted_twice(counts):
    ...     return 2 * counts.predicted / counts.rows
    >>> about(share_predicted_twice).kind
    'rate'
    >>> del SCORES["share_predicted_twice"]
    """

    def file(function: Score) -> Score:
        SCORES[function.__name__] = function
        _ABOUT[function] = ScoreInfo(function.__name__, kind, **known)
        return function

    return file


def about(function: Score) -> ScoreInfo:
    """The properties of a score; an unregistered function is a rate."""
    return _ABOUT.get(function, ScoreInfo(getattr(function, "__name__", "score")))


NO_GOLD = "no example with gold class {label}"
NO_OTHER = "no example with another gold class than {label}"


@score("rate", enters=gold_rows, undefined=NO_GOLD, needs_labels=True)
def true_positive_rate(counts: Counts) -> FloatArray:
    """TP / (TP + FN), in [0, 1]; NaN without examples of the gold class.

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

    >>> ones = np.ones((1, 1))
    >>> false_positive_rate(Counts(3 * ones, ones, ones, ones, 4 * ones, 6 * ones, 6 * ones))
    array([[0.5]])
    """
    return divide(counts.false_positive, counts.false_positive + counts.true_negative)


@score("rate", enters=other_rows, undefined=NO_OTHER, needs_labels=True, needs_true_negatives=True)
def true_negative_rate(counts: Counts) -> FloatArray:
    """TN / (FP + TN), in [0, 1]; NaN without examples of another gold class."""
    return divide(counts.true_negative, counts.false_positive + counts.true_negative)


@score("rate", enters=labelled_rows, undefined="{label} is neither gold nor predicted", needs_labels=True)
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

    >>> ones = np.ones((1, 2))
    >>> accuracy(Counts(ones, ones, ones, ones, 2 * ones, 4 * ones, 4 * ones))
    array([[0.5]])
    """
    return divide(counts.true_positive.sum(axis=-1, keepdims=True), counts.labelled[..., :1])


@score("set", undefined="no examples")
def probabilities(units: Units) -> FloatArray:
    """{p(c)} of all examples: f(x, c) in Table 2, metrics 3 and 21."""
    return units.probability


@score("set", enters=gold_rows, undefined=NO_GOLD, needs_labels=True)
def true_class_probabilities(units: Units) -> FloatArray:
    """{p(c)} of the examples of gold class c: the (TC) forms of Czarnowska et al. 2021, section 5."""
    return np.where(units.label[:, None] == np.arange(units.probability.shape[1]), units.probability, np.nan)


@score("set", enters=rows_with_other_class, undefined=NO_OTHER, needs_labels=True)
def other_class_probabilities(units: Units) -> FloatArray:
    """{p(c)} of the examples of other gold classes than c: the negatives of Borkan et al. 2019."""
    other = (units.label[:, None] >= 0) & (units.label[:, None] != np.arange(units.probability.shape[1]))
    return np.where(other, units.probability, np.nan)


@score(
    "set",
    enters=lambda outcomes: gold_rows(outcomes)[:, [outcomes.positive]],
    undefined=NO_GOLD,
    needs_labels=True,
    two_classes=True,
)
def positive_probabilities_of_positives(units: Units) -> FloatArray:
    """{p(positive)} of the examples of the positive gold class (two classes): metric 5 of Table 2."""
    return true_class_probabilities(units)[:, [units.positive]]


@score(
    "set",
    enters=lambda outcomes: gold_rows(outcomes)[:, [1 - outcomes.positive]],
    undefined="no example with the negative gold class",
    needs_labels=True,
    two_classes=True,
)
def positive_probabilities_of_negatives(units: Units) -> FloatArray:
    """{p(positive)} of the examples of the negative gold class (two classes): metric 6 of Table 2."""
    return other_class_probabilities(units)[:, [units.positive]]


@score("single", undefined="no examples")
def probability(units: Units) -> FloatArray:
    """p(c) of one example: metric 17 of Table 2."""
    return units.probability


@score("single", enters=gold_rows, undefined=NO_GOLD, needs_labels=True)
def true_class_probability(units: Units) -> FloatArray:
    """p(c) of one example of gold class c."""
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
    """1 where one example of gold class c is assigned to c, 0 where it is missed."""
    return true_class_probabilities(units)


def _decided(units: Units) -> FloatArray:
    """(m,) the position of the class decided for; C where there is none."""
    predicted = units.probability > 0
    return np.asarray(np.where(predicted.any(axis=1), predicted.argmax(axis=1), predicted.shape[1]), np.float64)


@score("set", undefined="no examples", over_classes=True, of_decisions=True)
def decisions(units: Units) -> FloatArray:
    """The classes decided for, as a distribution over classes: P(R) of Orgad and Belinkov 2022, appendix B."""
    return _decided(units)[:, None]


@score("set", enters=gold_rows, undefined=NO_GOLD, needs_labels=True, of_decisions=True)
def decisions_of_class(units: Units) -> FloatArray:
    """The classes decided for where c is gold: P(R | Y = c)."""
    return np.where(units.label[:, None] == np.arange(units.probability.shape[1]), _decided(units)[:, None], np.nan)


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
    """Repaired entities per sentence: entities with tags that violated their scheme, >= 0."""
    return values


@score("mean", undefined="no row has a score las", over_classes=True, needs_score="las")
def labelled_attachment_score(values: FloatArray) -> FloatArray:
    """The mean of the user's column ``score:las``, one number a row: metric 14 of Table 2."""
    return values
