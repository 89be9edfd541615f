"""Comparisons d: how two scores, or the scores of all groups, become one number.

Plain functions over arrays, filed with the decorator `comparison`:

* ``scalar``: of two arrays of scores (x, y), elementwise.
* ``distribution``: of two sets of scores, given as common sorted values (u,) and weights (u, P) that sum to 1 a column;
  gives (P,).
* ``groups``: of the scores of all groups along the last axis.
* ``ranking``: of two sets of scores with gold classes, each of weight 1: ``wins`` (..., 2, 2) holds how often, by
  weight, a positive of side i ranks above a negative of side j (ties half), ``positive`` and ``negative`` (..., 2) the
  weights; side 0 is the background (of a pair the first group), side 1 the group. Gives (...).
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from fairness_checklist.core.arrays import FloatArray, divide

Comparison = Callable[..., FloatArray]
Kind = Literal["scalar", "distribution", "groups", "ranking"]


@dataclass(frozen=True)
class ComparisonInfo:
    """The properties of a comparison."""

    name: str  # the function's
    kind: Kind = "scalar"
    commutative: bool = True  # d(x, y) = d(y, x): may be averaged over more than two groups
    signed: bool = False  # has a direction
    no_bias: float = 0.0  # the value for equal scores
    undefined: str = ""  # the reason where it has no value although both scores have one
    uses: tuple[tuple[int, bool], ...] = ()  # of a ranking's comparison: (side, whether its positives or negatives)


COMPARISONS: dict[str, Comparison] = {}
_ABOUT: dict[Comparison, ComparisonInfo] = {}


def comparison(kind: Kind, **known: Any) -> Callable[[Comparison], Comparison]:
    """File a function as a comparison; the function itself stays as it is."""

    def file(function: Comparison) -> Comparison:
        COMPARISONS[function.__name__] = function
        _ABOUT[function] = ComparisonInfo(function.__name__, kind, **known)
        return function

    return file


def about(function: Comparison) -> ComparisonInfo:
    """The properties of a comparison; an unregistered function is scalar and not commutative."""
    name = getattr(function, "__name__", "comparison")
    return _ABOUT.get(function, ComparisonInfo(name, commutative=False, signed=True))


@comparison("scalar")
def abs_diff(x: FloatArray, y: FloatArray) -> FloatArray:
    """|x - y|.

    >>> float(abs_diff(np.array(0.25), np.array(0.75)))
    0.5
    """
    return np.abs(x - y)


@comparison("scalar", commutative=False, signed=True)
def difference(x: FloatArray, y: FloatArray) -> FloatArray:
    """x - y: the first group minus the second."""
    return np.subtract(x, y)


@comparison("scalar", commutative=False, signed=True)
def excess_over_background(x: FloatArray, y: FloatArray) -> FloatArray:
    """y - x: the group minus its background (which is the first argument)."""
    return np.subtract(y, x)


@comparison("scalar", commutative=False, signed=True, no_bias=1.0, undefined="the second group's score is 0")
def ratio(x: FloatArray, y: FloatArray) -> FloatArray:
    """x / y, the first group over the second; NaN where y is 0. Metric 16 of Table 2, Webster et al. 2018.

    >>> ratio(np.array([0.5, 0.5]), np.array([0.25, 0.0]))
    array([ 2., nan])
    """
    return divide(x, y)


@comparison("scalar", commutative=False, signed=True, no_bias=1.0, undefined="the background's score is 0")
def ratio_to_background(x: FloatArray, y: FloatArray) -> FloatArray:
    """y / x, the group over its background; NaN where the background is 0. Metric 4 of Table 2, Beutel et al. 2019."""
    return ratio(y, x)


@comparison("scalar", no_bias=1.0, undefined="both groups' scores are 0")
def smaller_over_larger(x: FloatArray, y: FloatArray) -> FloatArray:
    """min(x, y) / max(x, y), in [0, 1]; NaN where both are 0. The impact ratio of the four-fifths rule.

    >>> smaller_over_larger(np.array([0.25, 0.5, 0.0]), np.array([0.5, 0.25, 0.0]))
    array([0.5, 0.5, nan])
    """
    return ratio(np.minimum(x, y), np.maximum(x, y))


@comparison("scalar", commutative=False)
def only_in_background(x: FloatArray, y: FloatArray) -> FloatArray:
    """x (1 - y) of two decisions, 1 or 0: whether the background's (first) is for the class and the group's is not.

    >>> only_in_background(np.array([1.0, 1.0, 0.0]), np.array([0.0, 1.0, 0.0]))
    array([1., 0., 0.])
    """
    return np.multiply(x, 1 - y)


@comparison("distribution")
def wasserstein_1(values: FloatArray, x: FloatArray, y: FloatArray) -> FloatArray:
    """W1(X, Y), the area between two empirical distribution functions: (P,), in units of the score.

    Shapes: values (u,), sorted; x, y (u, P) weights that sum to 1 a column. Jiang et al. 2020, Huang et al. 2020.

    >>> wasserstein_1(np.array([0.0, 1.0]), np.array([[1.0], [0.0]]), np.array([[0.5], [0.5]]))
    array([0.5])
    """
    return np.asarray(np.diff(values) @ np.abs(np.cumsum(x - y, axis=0)[:-1]))


@comparison("distribution", commutative=False, undefined="the background lacks a value that the group has")
def divergence_from_background(values: FloatArray, x: FloatArray, y: FloatArray) -> FloatArray:
    """KL(Y || X) in nats, 0 or more: the group against its background, empty cells of the group left out.

    NaN where the group has a value that the background lacks. Orgad and Belinkov 2022, appendix B.

    >>> divergence_from_background(np.arange(2.0), np.array([[0.5], [0.5]]), np.array([[1.0], [0.0]])).round(4)
    array([0.6931])
    """
    there, known = y > 0, x > 0
    quotient = np.divide(y, x, out=np.ones_like(y), where=there & known)
    summed = (np.where(there, y, 0.0) * np.log(quotient)).sum(axis=0)
    return np.where((there & ~known).any(axis=0), np.nan, np.maximum(summed, 0.0))


@comparison("distribution", commutative=False, signed=True)
def average_equality_gap(values: FloatArray, x: FloatArray, y: FloatArray) -> FloatArray:
    """1/2 - U(X, Y) / (|X| |Y|), in [-1/2, 1/2]; U counts pairs with x > y, ties half (Mann and Whitney 1947).

    Positive: the second set (the group) scores higher than the first (its background). Metrics 5 and 6 of Table 2,
    Borkan et al. 2019.

    >>> average_equality_gap(np.array([0.0, 1.0]), np.array([[1.0], [0.0]]), np.array([[0.0], [1.0]]))
    array([0.5])
    """
    return np.asarray(0.5 - (x * (np.cumsum(y, axis=0) - y / 2)).sum(axis=0))


def _area(wins: FloatArray, positive: FloatArray, negative: FloatArray) -> FloatArray:
    return divide(wins, positive * negative)


@comparison("ranking", commutative=False, signed=True, no_bias=1.0, uses=((1, True), (1, False)))
def group_area(wins: FloatArray, positive: FloatArray, negative: FloatArray) -> FloatArray:
    """The AUC inside the group: its positives over its negatives, in [0, 1]; 1 where all are ranked rightly.

    >>> float(group_area(np.array([[0.0, 0.0], [0.0, 0.2]]), np.array([0.5, 0.5]), np.array([0.5, 0.5])))
    0.8
    """
    return _area(wins[..., 1, 1], positive[..., 1], negative[..., 1])


@comparison("ranking", commutative=False, signed=True, no_bias=1.0, uses=((1, False), (0, True)))
def background_positive_area(wins: FloatArray, positive: FloatArray, negative: FloatArray) -> FloatArray:
    """The background's positives over the group's negatives: BPSN of Borkan et al. 2019.

    Low: negatives of the group score as high as positives of others.
    """
    return _area(wins[..., 0, 1], positive[..., 0], negative[..., 1])


@comparison("ranking", commutative=False, signed=True, no_bias=1.0, uses=((1, True), (0, False)))
def group_positive_area(wins: FloatArray, positive: FloatArray, negative: FloatArray) -> FloatArray:
    """The group's positives over the background's negatives: BNSP of Borkan et al. 2019.

    Low: positives of the group score as low as negatives of others.
    """
    return _area(wins[..., 1, 0], positive[..., 1], negative[..., 0])


@comparison("ranking", commutative=False, signed=True, no_bias=1.0)
def pinned_area(wins: FloatArray, positive: FloatArray, negative: FloatArray) -> FloatArray:
    """The AUC of group and background together, each with half of the weight: pinned AUC of Dixon et al. 2018."""
    return _area(wins.sum(axis=(-2, -1)), positive.sum(axis=-1), negative.sum(axis=-1))


@comparison("ranking", uses=((1, True), (1, False), (0, True), (0, False)))
def area_distance(wins: FloatArray, positive: FloatArray, negative: FloatArray) -> FloatArray:
    """|AUC of the background - AUC of the group|."""
    return np.abs(_area(wins[..., 0, 0], positive[..., 0], negative[..., 0]) - group_area(wins, positive, negative))


@comparison("ranking", commutative=False, uses=((0, True), (0, False)))
def pinned_area_distance(wins: FloatArray, positive: FloatArray, negative: FloatArray) -> FloatArray:
    """|AUC of the background - pinned AUC|: equation (5) of Dixon et al. 2018, one term of its sum."""
    return np.abs(_area(wins[..., 0, 0], positive[..., 0], negative[..., 0]) - pinned_area(wins, positive, negative))


@comparison("groups")
def score_range(scores: FloatArray) -> FloatArray:
    """max - min over the groups (the last axis). Metric 20 of Table 2, Prabhakaran et al. 2019."""
    return np.asarray(scores.max(axis=-1) - scores.min(axis=-1))


@comparison("groups", no_bias=1.0, undefined="every group's score is 0")
def lowest_over_highest(scores: FloatArray) -> FloatArray:
    """min / max over the groups (the last axis), in [0, 1] for scores of 0 or more; NaN where all are 0."""
    return ratio(scores.min(axis=-1), scores.max(axis=-1))


@comparison("groups")
def score_deviation(scores: FloatArray) -> FloatArray:
    """The standard deviation over the groups (the last axis; divisor G). Metric 19 of Table 2."""
    return np.asarray(scores.std(axis=-1))


@comparison("groups")
def score_variance(scores: FloatArray) -> FloatArray:
    """The variance over the groups (the last axis; divisor G)."""
    return np.asarray(scores.var(axis=-1))


def of_present(compare: Comparison, scores: FloatArray) -> FloatArray:
    """d of the scores of all groups (the last axis) but those without one (NaN); NaN where fewer than two have one."""
    there = ~np.isnan(scores)
    if there.all():
        return compare(scores)
    size = scores.shape[-1]
    rows, patterns = scores.reshape(-1, size), there.reshape(-1, size)
    result = np.full(len(rows), np.nan)
    for pattern in np.unique(patterns, axis=0):
        if pattern.sum() >= 2:
            alike = (patterns == pattern).all(axis=1)
            result[alike] = compare(rows[alike][:, pattern])
    return result.reshape(scores.shape[:-1])


def worse(compare: Comparison, first: FloatArray, second: FloatArray) -> FloatArray:
    """Of two values of d the one further from no bias: of distances the larger, of ratios up to 1 the smaller."""
    return np.asarray((np.minimum if about(compare).no_bias else np.maximum)(first, second))
