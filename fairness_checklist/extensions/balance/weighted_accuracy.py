"""Weighted accuracy, W-Bias and its interval, and the randomization test between two models: Kocijan et al. (2021)."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from fairness_checklist.core.arrays import FloatArray, divide
from fairness_checklist.core.errors import AlignmentError, OptionError, UndefinedError, count
from fairness_checklist.core.keywords import checks_keywords
from fairness_checklist.core.option_defaults import SEED, whole_number
from fairness_checklist.core.progress import followed
from fairness_checklist.extensions.balance.weighting import Balance
from fairness_checklist.extensions.balance.weighting_program import optimal_weights

DRAWS = 200  # bootstrap draws of an interval; each solves the program once
TEST_DRAWS = 9_999
EXACT_ROWS = 12  # up to so many rows on which two models differ all assignments are enumerated
_LARGEST_LOSS = 0.05  # share of draws without a value up to which an interval is given


@dataclass(frozen=True)
class WeightedBias:
    """The accuracies of two groups, with weights and without, and their ratio."""

    groups: tuple[str, str]  # left and right
    accuracy: tuple[float, float]  # their weighted accuracies
    ratio: float  # left / right of the weighted accuracies: W-Bias, or Wt-Bias of trimmed rows. 1: no difference
    plain_ratio: float  # the same without weights: acc-Bias
    ratio_interval: tuple[float, float]  # 95 % interval of the weighted ratio; NaN where there is none
    method: str  # what the interval holds: "weights solved again in each of 200 draws", or why there is none
    n: int  # rows that take part


@dataclass(frozen=True)
class RandomizationTest:
    """Whether two models differ in their weighted bias (Yeh 2000)."""

    first: float  # first, second: the ratio of accuracies of each model
    second: float
    difference: float  # |first - second|
    p_value: float  # the share of exchanges of the two models' answers that differ at least as much
    draws: int  # how many exchanges; all of them where ``exact``
    exact: bool  # whether every exchange was looked at


@checks_keywords
def weighted_bias(correct: ArrayLike, weights: Balance, *, draws: int = DRAWS, seed: int = SEED) -> WeightedBias:
    """W-Bias: the ratio of the weighted accuracies of the first two groups.

    Its interval draws rows with replacement inside each group, and solves the weights again in each draw.

    Args:
        correct: (n,) whether each answer is right, or the probability that it is, from 0 to 1.
        weights: of `balance`; ``between=`` gives the order. Of a trimmed data set the figure is the paper's Wt-Bias.
        draws: of the interval; 0 for none.
        seed: of the draws.

    Raises:
        AlignmentError: another number of answers than of rows.
        OptionError: values that are not from 0 to 1, in rows that take part; weights that are not of `balance`.

    >>> from fairness_checklist.extensions.balance.weighting import balance
    >>> weights = balance(["a", "a", "a", "b", "b"], {"long": [0, 0, 1, 0, 1]})
    >>> found = weighted_bias([1, 1, 0, 1, 0], weights, draws=0)
    >>> found.plain_ratio.__round__(3), found.ratio.__round__(3)
    (1.333, 1.0)
    """
    return weighted_biases([correct], weights, draws=draws, seed=seed)[0]


def weighted_biases(
    answers: Sequence[ArrayLike], weights: Balance, *, draws: int = DRAWS, seed: int = SEED
) -> list[WeightedBias]:
    """`weighted_bias` of several models: each draw is solved once for all of them, with the same result."""
    right = [_checked(correct, weights) for correct in answers]
    whole_number("draws", draws, least=0)
    biases = []
    for y, drawn in zip(right, _drawn_accuracies(right, weights, draws, seed), strict=True):
        plain = _accuracy(y, weights, (weights.cell >= 0).astype(np.float64))
        accuracy = _accuracy(y, weights, weights.weight)
        interval, method = _interval(drawn)
        bias = WeightedBias(
            groups=(weights.groups[0], weights.groups[1]),
            accuracy=(accuracy[0], accuracy[1]),
            ratio=float(divide(accuracy[0], accuracy[1])),
            plain_ratio=float(divide(plain[0], plain[1])),
            ratio_interval=interval,
            method=method,
            n=weights.n,
        )
        biases.append(bias)
    return biases


def _drawn_accuracies(answers: Sequence[FloatArray], weights: Balance, draws: int, seed: int) -> FloatArray:
    """(A, draws, 2) each model's accuracies in draws of rows inside the groups; NaN in a draw without weights."""
    random = np.random.default_rng(seed)
    inside = weights.cell >= 0
    values = np.full((len(answers), draws, 2), np.nan)
    for draw in followed(range(draws if answers else 0), "solving the weights", "draws"):
        times = np.zeros(len(weights))
        for g in range(len(weights.groups)):
            rows = np.flatnonzero(weights.group == g)
            times[rows] = np.bincount(random.integers(0, len(rows), len(rows)), minlength=len(rows))
        counts = np.bincount(weights.cell[inside], weights=times[inside], minlength=len(weights.cells))
        solved = optimal_weights(replace(weights.cells, count=counts.astype(np.float64)))
        if solved is not None:
            row_weight = np.where(inside, solved[weights.cell], 0.0) * times
            values[:, draw] = [_accuracy(y, weights, row_weight)[:2] for y in answers]
    return values


def _interval(accuracies: FloatArray) -> tuple[tuple[float, float], str]:
    """The percentiles of the ratio over draws (draws, 2), and what they hold."""
    draws, lost = len(accuracies), int(np.isnan(accuracies).any(axis=1).sum())
    if not draws:
        return (math.nan, math.nan), "none"
    if lost > _LARGEST_LOSS * draws:
        return (math.nan, math.nan), f"none: {lost} of {draws} draws cannot be balanced"
    left, right = accuracies[~np.isnan(accuracies).any(axis=1)].T
    ratio = np.where(right > 0, divide(left, right), np.inf)
    low, high = np.quantile(ratio, [0.025, 0.975], method="inverted_cdf").tolist()
    ends = (low if math.isfinite(low) else math.nan, high if math.isfinite(high) else math.nan)
    return ends, f"weights solved again in each of {draws} draws"


@checks_keywords
def randomization_test(
    first: ArrayLike, second: ArrayLike, weights: Balance, *, draws: int = TEST_DRAWS, seed: int = SEED
) -> RandomizationTest:
    """Test whether two models have the same weighted bias (section 3.6; Yeh 2000).

    If both models treat the groups alike, their answers to an example can be exchanged. Each draw exchanges the answers
    to each example with probability one half.

    Args:
        first, second: (n,) whether each answer of the two models is right, from 0 to 1.
        weights: of `balance`; the same for both.
        draws: exchanges; with at most 12 rows on which the models differ all exchanges are enumerated.
        seed: of the draws.

    Raises:
        AlignmentError, OptionError: as `weighted_bias`.
        UndefinedError: a ratio to an accuracy of 0.

    >>> from fairness_checklist.extensions.balance.weighting import balance
    >>> weights = balance(["a"] * 4 + ["b"] * 4, {"long": [0, 0, 1, 1] * 2})
    >>> randomization_test([1, 1, 1, 1, 1, 1, 0, 0], [1, 1, 0, 0, 1, 1, 1, 1], weights).p_value
    0.125
    """
    first_right, second_right = _checked(first, weights), _checked(second, weights)
    whole_number("draws", draws)
    mean, change = (first_right + second_right) / 2, (first_right - second_right) / 2
    scaled = weights.weight * change
    moved = np.flatnonzero((np.abs(scaled) > 0) & ((weights.group == 0) | (weights.group == 1)))
    centre = _accuracy(mean, weights, weights.weight)
    total = [float(weights.weight[weights.group == g].sum()) for g in (0, 1)]
    moves = np.stack([np.where(weights.group[moved] == g, scaled[moved], 0.0) / total[g] for g in (0, 1)], axis=1)

    def differences(signs: FloatArray) -> tuple[FloatArray, FloatArray]:
        shift = signs @ moves
        sides = [(centre[0] + s * shift[:, 0], centre[1] + s * shift[:, 1]) for s in (1.0, -1.0)]
        # a draw whose ratio is undefined counts as different as can be
        ratios = [np.where(right > 1e-12, divide(left, right), np.inf) for left, right in sides]
        return ratios[0], ratios[1]

    a, b = (float(values[0]) for values in differences(np.ones((1, len(moved)))))
    if math.isinf(a) or math.isinf(b):
        raise UndefinedError(
            f"the accuracy of {weights.groups[1]!r} is 0, so that the ratio is undefined.",
            remedy="Compare models that are right at times in each group.",
        )
    if len(moved) <= EXACT_ROWS:
        exchanged = (np.arange(2 ** len(moved))[:, None] >> np.arange(len(moved))) & 1
        signs: FloatArray = 1.0 - 2.0 * exchanged.astype(np.float64)
        extreme = _extreme(differences(signs), abs(a - b))
        return RandomizationTest(a, b, abs(a - b), extreme / len(signs), len(signs), True)
    rng = np.random.default_rng(seed)
    extreme = 0
    step = max(1, 4_000_000 // len(moved))
    for start in followed(range(0, draws, step), "random labels", "parts"):
        signs = rng.integers(0, 2, (min(step, draws - start), len(moved))).astype(np.float64) * 2.0 - 1.0
        extreme += _extreme(differences(signs), abs(a - b))
    return RandomizationTest(a, b, abs(a - b), (extreme + 1) / (draws + 1), draws, False)


def _extreme(values: tuple[FloatArray, FloatArray], least: float) -> int:
    with np.errstate(invalid="ignore"):
        gap = np.abs(values[0] - values[1])
    return int((np.isnan(gap) | (gap >= least - 1e-12)).sum())


def _checked(correct: ArrayLike, weights: Balance) -> FloatArray:
    if not isinstance(weights, Balance):
        raise OptionError(
            f"weights= is {type(weights).__name__}, not what balance() returns.",
            remedy="Give its result as it is, not the numbers in it: weights = balance(groups, properties).",
        )
    try:
        y = np.asarray(correct, dtype=np.float64).ravel()
    except (TypeError, ValueError):
        first = next(raw for raw in np.asarray(correct, dtype=object).ravel() if not isinstance(raw, (int, float)))
        raise OptionError(f"correct= holds {first!r}; expected numbers from 0 (wrong) to 1 (right).") from None
    if len(y) != len(weights):
        raise AlignmentError(f"{count(len(y), 'answer')} for {count(len(weights), 'row')} with weights.")
    inside = y[weights.cell >= 0]
    wrong = inside[~((inside >= 0) & (inside <= 1))]
    if len(wrong):
        raise OptionError(f"correct= holds {wrong[0]:g}; expected numbers from 0 (wrong) to 1 (right).")
    return np.where(weights.cell >= 0, y, 0.0)


def _accuracy(y: FloatArray, weights: Balance, row_weight: FloatArray) -> list[float]:
    inside = weights.group >= 0
    code, size = weights.group[inside], len(weights.groups)
    right = np.bincount(code, weights=(row_weight * y)[inside], minlength=size)
    values: list[float] = divide(right, np.bincount(code, weights=row_weight[inside], minlength=size)).tolist()
    return values
