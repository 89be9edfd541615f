"""How often a composition test claims a difference: where the composition cannot matter, and where it does.

Simulated: 28 labels with 120 rows each, shares of a group from 7 to 93 percent, a classifier with errors. In *equal*
errors do not depend on the group, so that the expected gap of recall is 0 in any composition. In *biased* the errors
go to labels in which the row's group is common. Compared are the test of `orgad2022_compositions` and the naive one,
which exchanges whole rows of the balanced and the original set as if these were two samples.

    python benchmarks/compositions.py [--quick] [--json FILE]
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np

from fairness_checklist.core.arrays import FloatArray, IntArray
from fairness_checklist.extensions.lenses.metrics.families import (
    DecisionCells,
    decision_cells,
    dependence,
    label_gaps,
    total,
)

sys.path.insert(0, str(Path(__file__).with_name("papers")))
from orgad2022_compositions import balanced_rows, composition_tests

LABELS, ROWS = 28, 120
SHARES = np.linspace(0.93, 0.07, LABELS)
_NAMES = [f"{at:02d}" for at in range(LABELS)]
_SHARES: dict[str, float] = dict(zip(_NAMES, SHARES.tolist(), strict=True))
METRICS: dict[str, Callable[[DecisionCells], float]] = {
    "recall gaps, sum": lambda cells: label_gaps(cells, "tpr", left="F", right="M").sum_signed,
    "recall gaps, Pearson": lambda cells: label_gaps(cells, "tpr", left="F", right="M", shares=_SHARES).pearson,
    "recall gaps, sum of absolute values": lambda cells: label_gaps(cells, "tpr", left="F", right="M").sum_abs,
    "precision gaps, Pearson": lambda cells: (
        label_gaps(cells, "precision", left="F", right="M", shares=_SHARES).pearson
    ),
    "independence": lambda cells: total(dependence(cells)),
    "sufficiency": lambda cells: total(dependence(cells, "sufficiency")),
}


def every_metric(cells: DecisionCells) -> FloatArray:
    """All of `METRICS` of the same counts."""
    return np.array([metric(cells) for metric in METRICS.values()])


def population(kind: str, rng: np.random.Generator) -> tuple[list[str], list[str], list[str]]:
    """Gold label, decision and group of each row."""
    gold = np.repeat(np.arange(LABELS), ROWS)
    group = np.where(rng.random(len(gold)) < SHARES[gold], "F", "M")
    common = {"F": SHARES / SHARES.sum(), "M": (1 - SHARES) / (1 - SHARES).sum()}
    wrong = rng.integers(0, LABELS, len(gold))
    if kind == "biased":
        for name, p in common.items():
            at = group == name
            wrong[at] = rng.choice(LABELS, size=int(at.sum()), p=p**2 / (p**2).sum())
    rate = np.full(len(gold), 0.3)
    if kind == "biased":
        rate = 0.15 + 0.3 * np.where(group == "F", 1 - SHARES[gold], SHARES[gold])
    decided = np.where(rng.random(len(gold)) < rate, wrong, gold)
    return [_NAMES[at] for at in gold], [_NAMES[at] for at in decided], group.tolist()


def naive(
    columns: tuple[list[str], list[str], list[str]],
    metric: Callable[[DecisionCells], float],
    how: str,
    draws: int,
    seed: int,
) -> float:
    """The p-value of exchanging rows between the balanced and the original set."""
    gold, decided, group = (np.array(column) for column in columns)
    rng = np.random.default_rng(seed)
    rows = balanced_rows(columns[0], columns[2], how=how, seed=seed).rows  # type: ignore[arg-type]
    pooled, n = np.concatenate([np.arange(len(gold)), rows]), len(gold)

    def apart(order: IntArray) -> float:
        parts = (pooled[order[:n]], pooled[order[n:]])
        one, other = (metric(decision_cells(gold[at], decided[at], group[at], classes=_NAMES)) for at in parts)
        return abs(one - other)

    observed = apart(np.arange(len(pooled)))
    return (1 + sum(apart(rng.permutation(len(pooled))) >= observed for _ in range(draws))) / (1 + draws)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="few runs")
    parser.add_argument("--json", type=Path, help="write the table to this file")
    arguments = parser.parse_args()
    runs, draws, few = (10, 40, 5) if arguments.quick else (60, 60, 20)
    table = []
    for kind in ("equal", "biased"):
        for how in ("subsample", "oversample"):
            claims: dict[str, list[bool]] = {name: [] for name in METRICS}
            swapped: dict[str, list[bool]] = {name: [] for name in METRICS}
            for run in range(runs):
                columns = population(kind, np.random.default_rng([run, kind == "biased"]))
                tests = composition_tests(*columns, every_metric, how=how, draws=draws, seed=run)
                for (name, metric), test in zip(METRICS.items(), tests, strict=True):
                    claims[name].append(test.p_value < 0.05)
                    if run < few and how == "subsample":
                        swapped[name].append(naive(columns, metric, how, 40, run) < 0.05)
            for name in METRICS:
                row: dict[str, object] = {"population": kind, "how": how, "metric": name, "runs": runs}
                row["claims"] = round(float(np.mean(claims[name])), 3)
                row["naive"] = round(float(np.mean(swapped[name])), 3) if swapped[name] else None
                table.append(row)
                print(*row.values(), sep=" | ", flush=True)
    if arguments.json:
        arguments.json.write_text(json.dumps(table, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
