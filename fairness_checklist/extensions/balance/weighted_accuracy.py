"""Weighted accuracy, W-Bias and its interval, and the randomization test between two models: Kocijan et al. (2021)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from fairness_checklist.core.arrays import FloatArray, divide
from fairness_checklist.core.errors import AlignmentError, OptionError, UndefinedError, count
from fairness_checklist.core.keywords import checks_keywords
from fairness_checklist.core.option_defaults import SEED, choice, number, whole_number
from fairness_checklist.core.progress import followed
from fairness_checklist.extensions.balance.weighting import Balance

DRAWS = 200
"""Bootstrap draws of an interval; each solves the program once."""
TEST_DRAWS = 9_999
EXACT_ROWS = 12
"""Up to so many rows on which two models differ all assignments are enumerated."""
WEIGHTS = ("again", "given")
_Ends = tuple[tuple[float, float], tuple[float, float]]
_LARGEST_LOSS = 0.05  # share of draws without a value up to which an interval is given


@dataclass(frozen=True)
class WeightedBias:
    """The accuracies of two groups, with weights and without, and their ratio.

    Attributes:
        groups: the two groups, left and right.
        accuracy: their weighted accuracies.
        plain_accuracy: without weights (of the rows that take part).
        ratio: left / right of the weighted accuracies: W-Bias, or Wt-Bias of trimmed rows. 1: no difference.
        plain_ratio: the same without weights: acc-Bias.
        difference, plain_difference: left - right.
        ratio_interval, difference_interval: 95 % intervals of the weighted figures; NaN where there is none.
        method: what the intervals hold: "weights solved again in each of 200 draws", or "given weights".
        n: rows that take part.
        effective_size: Kish's effective size of the two groups.
        bound: how much the weights can change each accuracy at most.
    """

    groups: tuple[str, str]
    accuracy: tuple[float, float]
    plain_accuracy: tuple[float, float]
    ratio: float
    plain_ratio: float
    difference: float
    plain_difference: float
    ratio_interval: tuple[float, float]
    difference_interval: tuple[float, float]
    method: str
    n: int
    effective_size: tuple[float, float]
    bound: tuple[float, float]


@dataclass(frozen=True)
class RandomizationTest:
    """Whether two models differ in their weighted bias (Yeh 2000)."""

    first: float  # first, second: the ratio or the difference of accuracies of each model
    second: float
    difference: float  # |first - second|
    p_value: float  # the share of exchanges of the two models' answers that differ at least as much
    draws: int  # how many exchanges; all of them where ``exact``
    exact: bool  # whether every exchange was looked at


@checks_keywords
def weighted_bias(
    correct: ArrayLike,
    weights: Balance,
    *,
    interval: Literal["again", "given"] = "again",
    draws: int = DRAWS,
    confidence: float = 0.95,
    seed: int = SEED,
) -> WeightedBias:
    """W-Bias: the ratio of the weighted accuracies of the first two groups, and their difference.

    Args:
        correct: (n,) whether each answer is right, or the probability that it is, from 0 to 1.
        weights: of `balance`; ``between=`` gives the order. Of a trimmed data set the figure is the paper's Wt-Bias.
        interval: "again" draws rows with replacement inside each group and solves the weights again in each draw;
            "given" takes the weights as fixed numbers, and is of the delta method.
        draws: of "again"; 0 for no interval.
        confidence: the coverage of the intervals.
        seed: of the draws.

    Raises:
        AlignmentError: another number of answers than of rows.
        OptionError: values that are not from 0 to 1, in rows that take part; weights that are not of `balance`; a
            wrong option.

    >>> from fairness_checklist.extensions.balance.weighting import balance
    >>> weights = balance(["a", "a", "a", "b", "b"], {"long": [0, 0, 1, 0, 1]})
    >>> found = weighted_bias([1, 1, 0, 1, 0], weights, draws=0)
    >>> found.plain_ratio.__round__(3), found.ratio.__round__(3)
    (1.333, 1.0)
    """
    return weighted_biases([correct], weights, interval=interval, draws=draws, confidence=confidence, seed=seed)[0]


@checks_keywords
def weighted_biases(
    answers: Sequence[ArrayLike],
    weights: Balance,
    *,
    interval: Literal["again", "given"] = "again",
    draws: int = DRAWS,
    confidence: float = 0.95,
    seed: int = SEED,
) -> list[WeightedBias]:
    """`weighted_bias` of several models: each draw is solved once for all of them, with the same result."""
    right = [_checked(correct, weights) for correct in answers]
    choice("interval", interval, WEIGHTS)
    whole_number("draws", draws, least=0)
    number("confidence", confidence)
    if not draws and interval == "again":
        made = [(((math.nan, math.nan),) * 2, "none") for _ in right]
    elif interval == "given":
        made = [(_delta_ends(y, weights, confidence), "given weights") for y in right]
    else:
        made = _drawn_ends(right, weights, draws, confidence, seed)
    return [_with_interval(y, weights, *ends_and_method) for y, ends_and_method in zip(right, made, strict=True)]


def _with_interval(y: FloatArray, weights: Balance, ends: _Ends, method: str) -> WeightedBias:
    plain = _accuracy(y, weights, (weights.cell >= 0).astype(np.float64))
    own = _accuracy(y, weights, weights.weight)
    size, bound = weights.effective_size, weights.bound
    return WeightedBias(
        (weights.groups[0], weights.groups[1]),
        (own[0], own[1]),
        (plain[0], plain[1]),
        float(divide(own[0], own[1])),
        float(divide(plain[0], plain[1])),
        own[0] - own[1],
        plain[0] - plain[1],
        *ends,
        method,
        weights.n,
        (float(size[0]), float(size[1])),
        (float(bound[0]), float(bound[1])),
    )


def drawn_counts(weights: Balance, rng: np.random.Generator) -> FloatArray:
    """(n,) how often each row is in one bootstrap draw: as many rows as there are, with replacement, in each group."""
    times = np.zeros(len(weights))
    for g in range(len(weights.groups)):
        rows = np.flatnonzero(weights.group == g)
        times[rows] = np.bincount(rng.integers(0, len(rows), len(rows)), minlength=len(rows))
    return times


def drawn_weights(weights: Balance, times: FloatArray) -> FloatArray | None:
    """(n,) the weights of one draw, solved for its rows and times how often it holds each row; None without any."""
    inside = weights.cell >= 0
    counts = np.bincount(weights.cell[inside], weights=times[inside], minlength=len(weights.cells)).astype(np.float64)
    solved = weights.solved_again(counts)
    return None if solved is None else np.where(inside, solved[weights.cell], 0.0) * times


@checks_keywords
def randomization_test(
    first: ArrayLike,
    second: ArrayLike,
    weights: Balance,
    *,
    statistic: Literal["ratio", "difference"] = "ratio",
    draws: int = TEST_DRAWS,
    seed: int = SEED,
) -> RandomizationTest:
    """Test whether two models have the same weighted bias (section 3.6; Yeh 2000).

    If both models treat the groups alike, their answers to an example can be exchanged. Each draw exchanges the answers
    to each example with probability one half.

    Args:
        first, second: (n,) whether each answer of the two models is right, from 0 to 1.
        weights: of `balance`; the same for both.
        statistic: the "ratio" of the accuracies of the first two groups (W-Bias), or their "difference".
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
    choice("statistic", statistic, ("ratio", "difference"))
    whole_number("draws", draws)
    mean, change = (first_right + second_right) / 2, (first_right - second_right) / 2
    scaled = weights.weight * change
    moved = np.flatnonzero((np.abs(scaled) > 0) & ((weights.group == 0) | (weights.group == 1)))
    centre = _accuracy(mean, weights, weights.weight)
    total = [float(weights.weight[weights.group == g].sum()) for g in (0, 1)]
    part = np.stack([np.where(weights.group[moved] == g, scaled[moved], 0.0) / total[g] for g in (0, 1)], axis=1)

    def differences(signs: FloatArray) -> tuple[FloatArray, FloatArray]:
        shift = signs @ part
        sides = [(centre[0] + s * shift[:, 0], centre[1] + s * shift[:, 1]) for s in (1.0, -1.0)]
        if statistic == "difference":
            return sides[0][0] - sides[0][1], sides[1][0] - sides[1][1]
        # a draw whose ratio is undefined counts as different as can be
        ratios = [np.where(right > 1e-12, divide(left, right), np.inf) for left, right in sides]
        return ratios[0], ratios[1]

    own = differences(np.ones((1, len(moved))))
    a, b = float(own[0][0]), float(own[1][0])
    if math.isinf(a) or math.isinf(b):
        raise UndefinedError(
            f"the accuracy of {weights.groups[1]!r} is 0, so that the ratio is undefined.",
            remedy='Compare differences: statistic="difference".',
        )
    exact = len(moved) <= EXACT_ROWS
    if exact:
        at = np.arange(2 ** len(moved))
        signs: FloatArray = 1.0 - 2.0 * ((at[:, None] >> np.arange(len(moved))) & 1).astype(np.float64)
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


def _delta_ends(y: FloatArray, weights: Balance, confidence: float) -> _Ends:
    """The delta method with weights as fixed numbers; of the ratio on the scale of its logarithm."""
    from scipy.stats import norm

    z = float(norm.ppf((1 + confidence) / 2))
    accuracy = _accuracy(y, weights, weights.weight)
    variance = []
    for g in (0, 1):
        own = weights.group == g
        w = weights.weight[own] / weights.weight[own].sum()
        small = 1 / max(1e-12, 1 - float((w**2).sum()))
        variance.append(float((w**2 * (y[own] - accuracy[g]) ** 2).sum()) * small)
    width = z * math.sqrt(sum(variance))
    gap = accuracy[0] - accuracy[1]
    if min(accuracy[:2]) <= 0:
        return (math.nan, math.nan), (gap - width, gap + width)
    ratio = accuracy[0] / accuracy[1]
    factor = math.exp(z * math.sqrt(variance[0] / accuracy[0] ** 2 + variance[1] / accuracy[1] ** 2))
    return (ratio / factor, ratio * factor), (gap - width, gap + width)


def _drawn_ends(
    answers: Sequence[FloatArray], weights: Balance, draws: int, confidence: float, seed: int
) -> list[tuple[_Ends, str]]:
    """Percentiles over draws of rows inside the groups, each with weights of its own; of each model's answers."""
    rng = np.random.default_rng(seed)
    values = np.full((len(answers), draws, 2), np.nan)
    for d in followed(range(draws if answers else 0), "solving the weights", "draws"):
        row_weight = drawn_weights(weights, drawn_counts(weights, rng))
        if row_weight is not None:
            values[:, d] = [_accuracy(y, weights, row_weight)[:2] for y in answers]
    return [_ends(own, draws, confidence) for own in values]


def _ends(values: FloatArray, draws: int, confidence: float) -> tuple[_Ends, str]:
    """The intervals of a model's accuracies in the draws (draws, 2), and what they hold."""
    lost = int(np.isnan(values).any(axis=1).sum())
    method = f"weights solved again in each of {draws} draws"
    if lost > _LARGEST_LOSS * draws:
        return ((math.nan, math.nan),) * 2, f"none: {lost} of {draws} draws cannot be balanced"
    kept = values[~np.isnan(values).any(axis=1)]
    ratio = np.where(kept[:, 1] > 0, divide(kept[:, 0], kept[:, 1]), np.inf)
    return (_percentiles(ratio, confidence), _percentiles(kept[:, 0] - kept[:, 1], confidence)), method


def _percentiles(values: FloatArray, confidence: float) -> tuple[float, float]:
    low, high = np.quantile(values, [(1 - confidence) / 2, (1 + confidence) / 2], method="inverted_cdf").tolist()
    return (low if math.isfinite(low) else math.nan, high if math.isfinite(high) else math.nan)
