"""How often the bootstrap interval holds the truth, in a simulation with template and term effects.

    python benchmarks/interval_coverage.py [--quick] [--json FILE]

Every template meets every term of four groups, three classes; templates, terms, what a template does to a group, and
cells have effects of their own. Templates and terms are drawn anew; the truth is the mean over very large designs.
Shares are over metrics, contrasts, totals and classes.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
from simulation import simulated

from fairness_checklist.core.outcomes import Outcomes
from fairness_checklist.metrics.catalogue import compute
from fairness_checklist.statistics.bootstrap import metric_intervals, resamples_of

DESIGNS = ((10, 3), (30, 8), (60, 13))
METRIC_SETS = {
    "signed gaps of rates": ("fnr_gap", "fpr_gap", "accuracy_difference", "tpr_difference", "f1_difference"),
    "signed gaps of probabilities": ("avg_eg", "avg_score_difference"),
    "distances of rates": ("tpr_gap", "fped", "fned_normalised", "equal_opportunity_difference"),
    "distances inside a source": ("cf_gap", "cf_gap_tc", "pert_ss", "pert_sr"),
    "distances of distributions": ("avg_gf", "avg_if"),
    "areas under curves": ("subgroup_auc", "bpsn_auc"),
}
LARGE = 6  # designs that the truth is the mean of


def values_of(outcomes: Outcomes) -> dict[tuple[str, ...], float]:
    """Every row of every metric."""
    return {
        (name, row["class"], row["left"], row["right"]): row["value"]
        for names in METRIC_SETS.values()
        for name in names
        for row in compute(name, outcomes).rows()
    }


def covered(templates: int, terms: int, repetitions: int, *, seed: int) -> dict[str, list[bool]]:
    """Whether each interval held the truth, by set of metrics."""
    random = np.random.default_rng(seed)
    designs = [values_of(simulated(random, templates=240, terms=80)) for _ in range(LARGE)]
    truth = {key: float(np.mean([design[key] for design in designs])) for key in designs[0]}
    found: dict[str, list[bool]] = {name: [] for name in METRIC_SETS}
    for repetition in range(repetitions):
        outcomes = simulated(random, templates=templates, terms=terms)
        resamples = resamples_of(outcomes, seed=repetition)
        if resamples is None:
            continue
        for kind, names in METRIC_SETS.items():
            for name in names:
                for key, (low, high) in metric_intervals(compute(name, outcomes), resamples).items():
                    if not np.isnan(low):
                        found[kind].append(low <= truth[name, *key] <= high)
    return found


def main() -> None:
    """Print the shares, and write them where asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer repetitions")
    parser.add_argument("--json", type=Path, help="also write the figures here")
    arguments = parser.parse_args()
    shares = []
    print(f"{'templates':>9} {'terms':>5}  {'':30} {'coverage':>9}")
    for templates, terms in DESIGNS:
        by_kind = covered(templates, terms, 10 if arguments.quick else 100, seed=templates * 100 + terms)
        for kind, held in by_kind.items():
            print(f"{templates:>9} {terms:>5}  {kind:30} {np.mean(held):>9.1%}", flush=True)
            shares.append({"templates": templates, "terms": terms, "kind": kind, "coverage": float(np.mean(held))})
    if arguments.json:
        arguments.json.write_text(json.dumps(shares, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
