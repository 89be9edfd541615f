"""How often `lenses` claims an effect of the group where there is none, and how often its intervals hold the truth.

Tables of 8 labels are drawn from populations in which the decision does not depend on the group given the label, and in
which it does. Run: python benchmarks/lenses.py [--quick] [--json FILE]
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np

from fairness_checklist.extensions.lenses.lenses import adjusted_p_values
from fairness_checklist.extensions.lenses.measured import CELL_METRICS, LensRows, cell_metric_rows, cell_metrics
from fairness_checklist.extensions.lenses.metrics.decision_cells import DecisionCells, decision_cells
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
        values = cell_metrics(PAIR, shares)(DecisionCells(table * 1e6, PAIR, LABELS))
        truth = dict(zip(CELL_METRICS, values.tolist(), strict=True))
        code = rng.choice(table.size, size=rows, p=table.ravel())
        group, gold, decided = np.unravel_index(code, table.shape)
        texts = [[names[at] for at in column] for names, column in ((PAIR, group), (LABELS, gold), (LABELS, decided))]
        cells = decision_cells(texts[1], texts[2], texts[0], groups=PAIR, classes=LABELS)
        lens_rows = LensRows(texts[0], PAIR, None, texts[1], texts[2], None)  # type: ignore[arg-type]  # no table
        found = cell_metric_rows(lens_rows, cells, shares, 200, int(rng.integers(2**31)))
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


def main() -> None:
    """Print the figures, and write them where a file is named."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    tables = 3 if options.quick else 40
    found = []
    for effect in (0.0, 0.6):
        for rows in (400, 3000):
            found.append(measure(effect, rows, tables, 7))
            print(found[-1], flush=True)
    if options.json:
        options.json.write_text(json.dumps(found, indent=2), encoding="utf-8")


if __name__ == "__main__":
    main()
