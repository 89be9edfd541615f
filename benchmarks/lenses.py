"""How often `extrinsic` and `correlate` claim an effect where there is none, and how often intervals hold the truth.

Tables of 8 labels are drawn from populations in which the decision does not depend on the group given the label, and in
which it does. For `correlate`, arms of models have effects of SD 1 on two metrics and their seeds of SD .5.
Run: python benchmarks/lenses.py [--quick] [--json FILE]
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
import pandas as pd
from correlations import correlate

from fairness_checklist.extensions.lenses.extrinsic import adjusted_p_values
from fairness_checklist.extensions.lenses.measured import CELL_METRICS, LensRows, cell_metric_rows, cell_metrics
from fairness_checklist.extensions.lenses.metrics.families import DecisionCells, decision_cells
from fairness_checklist.statistics.multiplicity import significant

LABELS = tuple("abcdefgh")
PAIR = ("F", "M")


def population(rng: np.random.Generator, effect: float) -> tuple[np.ndarray, dict[str, float]]:
    """Probabilities (2, 8, 8) of group x label x decision, and the share of F in each label."""
    size = len(LABELS)
    share = rng.uniform(0.2, 0.8, size)
    recall = np.full((2, size), 0.8) + effect * (share - 0.5) * np.array([[1.0], [-1.0]])
    wrong = rng.dirichlet(np.ones(size - 1), size=size)
    table = np.zeros((2, size, size))
    for g in range(2):
        for c in range(size):
            row = np.insert(wrong[c] * (1 - recall[g, c]), c, recall[g, c])
            table[g, c] = row * (share[c] if g == 0 else 1 - share[c]) / size
    return table, dict(zip(LABELS, share.tolist(), strict=True))


def measure(effect: float, rows: int, tables: int, seed: int) -> dict[str, object]:
    """Claims after adjustment, and coverage by metric, in percent."""
    rng = np.random.default_rng(seed)
    claims = 0
    covered: dict[str, int] = {}
    known: dict[str, int] = {}
    for _ in range(tables):
        table, shares = population(rng, effect)
        values = cell_metrics(DecisionCells(table * 1e6, PAIR, LABELS), PAIR, shares)
        truth = dict(zip(CELL_METRICS, values.tolist(), strict=True))
        code = rng.choice(table.size, size=rows, p=table.ravel())
        group, gold, decided = np.unravel_index(code, table.shape)
        texts = [[names[at] for at in column] for names, column in ((PAIR, group), (LABELS, gold), (LABELS, decided))]
        cells = decision_cells(texts[1], texts[2], texts[0], groups=PAIR, classes=LABELS)
        lens_rows = LensRows(texts[0], PAIR, source=None, label=texts[1], decided=texts[2], table=pd.DataFrame())
        found = cell_metric_rows(lens_rows, cells, shares, draws=200, seed=int(rng.integers(2**31)))
        claims += bool(significant(adjusted_p_values(found)).any())
        for one in found:
            if effect == 0 and "Pearson" in one["metric"] and "precision" not in one["metric"]:
                continue  # no gap varies: there is no correlation
            if "mean of" in one["metric"]:
                continue
            inside = one["ci_low"] - 1e-9 <= truth[one["metric"]] <= one["ci_high"] + 1e-9
            covered[one["metric"]] = covered.get(one["metric"], 0) + inside
            known[one["metric"]] = known.get(one["metric"], 0) + 1
    coverage = {name: round(100 * covered[name] / known[name]) for name in covered}
    return {"effect": effect, "rows": rows, "tables": tables, "claims": round(100 * claims / tables), **coverage}


ARMS = {
    "4 x 6": [6] * 4,
    "5 x 6": [6] * 5,
    "6 x 4": [4] * 6,
    "8 x 3": [3] * 8,
    "12 x 2": [2] * 12,
    "20 x 2": [2] * 20,
    "1, 1, 6 x 12": [1, 1, *[12] * 6],
}


def called_correlated(sizes: list[int], r: float, runs: int, *, seed_sd: float = 0.5, by_arm: bool = True) -> float:
    """In how many of 100 runs two metrics, correlated by r over arms and not within, are called clear."""
    rng = np.random.default_rng(7)
    code = np.repeat(np.arange(len(sizes)), sizes)
    arms = [f"arm {at}" for at in code] if by_arm else None
    mixed = np.array([[1.0, r], [0.0, np.sqrt(1 - r * r)]])
    found = 0
    for _ in range(runs):
        values = (rng.normal(size=(len(sizes), 2)) @ mixed)[code] + seed_sd * rng.normal(size=(len(code), 2))
        found += correlate(pd.DataFrame(values, columns=["x", "y"]), arms=arms, draws=999).findings[0].status == "clear"
    return round(100 * found / runs, 1)


def arms_row(sizes: list[int], runs: int) -> dict[str, float]:
    """Claims in percent where there is no correlation, and where there is."""
    return {
        "r 0, without arms": called_correlated(sizes, 0.0, runs, by_arm=False),
        "r 0": called_correlated(sizes, 0.0, runs),
        "r 0, seeds SD 2": called_correlated(sizes, 0.0, runs, seed_sd=2.0),
        "r .8": called_correlated(sizes, 0.8, runs),
        "r .95": called_correlated(sizes, 0.95, runs),
    }


def main() -> None:
    """Print the figures, and write them where a file is named."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    tables = 3 if options.quick else 40
    found: list[dict[str, object]] = []
    for name, sizes in ARMS.items():
        found.append({"arms": name, **arms_row(sizes, 20 if options.quick else 2000)})
        print(found[-1], flush=True)
    for effect in (0.0, 0.6):
        for rows in (400, 3000):
            found.append(measure(effect, rows, tables, 7))
            print(found[-1], flush=True)
    if options.json:
        options.json.write_text(json.dumps(found, indent=2), encoding="utf-8")


if __name__ == "__main__":
    main()
