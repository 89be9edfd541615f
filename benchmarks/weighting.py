"""How often the intervals of W-Bias hold the truth, and how often two equal models differ in the randomization test.

    python benchmarks/weighting.py [--quick] [--json FILE]

Two groups differ in two properties, x (4 values) and y (3 values). Whether an answer is right depends on both, and in
some designs on the group. The truth is the ratio with the weights of the whole population. "acc-Bias" is the ratio
without weights, with the interval of given weights: its share of claims is how often the properties pass for bias.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from fairness_checklist.core.arrays import FloatArray, IntArray
from fairness_checklist.extensions.balance.weighted_accuracy import randomization_test, weighted_bias
from fairness_checklist.extensions.balance.weighting import Balance, balance
from fairness_checklist.extensions.balance.weighting_program import WeightedCells, optimal_weights

SIZES = (200, 1000)
X = np.array([[0.4, 0.3, 0.2, 0.1], [0.15, 0.25, 0.3, 0.3]])  # the shares of the values of x in the two groups
Y = np.array([[0.5, 0.3, 0.2], [0.3, 0.4, 0.3]])
RIGHT = 0.85 - 0.1 * np.arange(4)[:, None] - 0.08 * np.arange(3)[None]  # long and late texts are harder
EFFECTS = (0.0, -0.1)  # added to the second group's probability of a right answer


def probability(group: IntArray, x: IntArray, y: IntArray, effect: float) -> FloatArray:
    """The probability of a right answer."""
    return np.asarray(RIGHT[x, y] + effect * group)


def truth(effect: float) -> float:
    """The ratio with the weights of the population."""
    group, x, y = (one.ravel() for one in np.meshgrid([0, 1], range(4), range(3), indexing="ij"))
    count = 1e6 * X[group, x] * Y[group, y] / 2
    cells = WeightedCells(group, np.stack([x, y], axis=1), count, 2, (4, 3))
    weight = optimal_weights(cells)
    if weight is None:
        raise RuntimeError("the population cannot be balanced")
    right = np.bincount(group, weight * count * probability(group, x, y, effect))
    return float(right[0] / right[1])


def drawn(n: int, random: np.random.Generator) -> tuple[IntArray, IntArray, IntArray]:
    """The group, x and y of n rows."""
    group = (random.random(n) < 0.5).astype(np.int64)
    x = (random.random(n)[:, None] > np.cumsum(X, axis=1)[group]).sum(axis=1)
    y = (random.random(n)[:, None] > np.cumsum(Y, axis=1)[group]).sum(axis=1)
    return group, np.minimum(x, 3), np.minimum(y, 2)


def measured(n: int, effect: float, repetitions: int, draws: int, seed: int) -> dict[str, Any]:
    """Coverage, widths and claims of one design."""
    random = np.random.default_rng(seed)
    expected = truth(effect)
    rows: list[dict[str, float]] = []
    for at in range(repetitions):
        group, x, y = drawn(n, random)
        chance = probability(group, x, y, effect)
        right, other = (random.random((2, n)) < chance).astype(np.float64)
        weights = balance(group, {"x": x, "y": y}, between=(0, 1))
        plain = with_given_weights(right, balance(group, {"one": np.zeros(n)}, between=(0, 1)))
        row: dict[str, float] = {"acc-Bias claims": outside(plain, 1.0)}
        found = weighted_bias(right, weights, draws=draws, seed=at)
        for kind, interval in (("again", found.ratio_interval), ("given", with_given_weights(right, weights))):
            row |= {f"{kind} covers": not outside(interval, expected), f"{kind} width": interval[1] - interval[0]}
            row[f"{kind} claims"] = outside(interval, 1.0)
        row["error"] = found.ratio - expected
        row["test claims"] = randomization_test(right, other, weights, draws=199, seed=at).p_value <= 0.05
        rows.append(row)
    mean = {name: float(np.mean([row[name] for row in rows])) for name in rows[0]}
    return {"n": n, "effect": effect, "truth": expected, "repetitions": repetitions, "draws": draws, **mean}


def with_given_weights(right: FloatArray, weights: Balance) -> tuple[float, float]:
    """The interval of the ratio by the delta method on its logarithm, with the weights as fixed numbers."""
    accuracy, relative = [], 0.0
    for g in (0, 1):
        share = weights.weight[weights.group == g] / weights.weight[weights.group == g].sum()
        y = right[weights.group == g]
        accuracy.append(float(share @ y))
        variance = float(share**2 @ (y - accuracy[g]) ** 2) / max(1e-12, 1 - float(share @ share))
        relative += variance / accuracy[g] ** 2
    factor = float(np.exp(1.959964 * np.sqrt(relative)))
    return accuracy[0] / accuracy[1] / factor, accuracy[0] / accuracy[1] * factor


def outside(interval: tuple[float, float], value: float) -> bool:
    """Whether an interval leaves a value out."""
    return not interval[0] <= value <= interval[1]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a few repetitions of the smallest design")
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    arguments = parser.parse_args()
    repetitions, draws = (5, 20) if arguments.quick else (100, 60)
    found = []
    for effect in EFFECTS:
        for n in SIZES[:1] if arguments.quick else SIZES:
            start = perf_counter()
            one = measured(n, effect, repetitions, draws, seed=n)
            found.append(one)
            figures = ", ".join(f"{name} {value:.3f}" for name, value in list(one.items())[5:])
            print(
                f"n {n}, effect {effect}, truth {one['truth']:.3f}: {figures}; {perf_counter() - start:.0f} s",
                flush=True,
            )
    if arguments.json:
        arguments.json.write_text(json.dumps(found, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
