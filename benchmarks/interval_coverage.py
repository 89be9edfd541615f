"""How often the two intervals hold the truth, in a simulation with template and term effects.

    python benchmarks/interval_coverage.py [--quick] [--json FILE]

Every template meets every term of four groups, three classes; templates, terms, what a template does to a group, and
cells have effects of their own. *These terms*: the terms stay, templates are drawn anew. *Terms like these*: both are
drawn anew. The truth is the mean over very large designs. Shares are over metrics, contrasts, totals and classes.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
from simulation import simulated

from fairness_checklist.core.arrays import FloatArray
from fairness_checklist.core.outcomes import Outcomes
from fairness_checklist.metrics.catalogue import compute
from fairness_checklist.metrics.metric_forms import METRICS
from fairness_checklist.metrics.scores import SCORES
from fairness_checklist.statistics.intervals import intervals_of, resamples_of, score_intervals

DESIGNS = ((10, 3), (15, 5), (30, 5), (30, 8), (60, 13))
METRIC_SETS = {
    "signed gaps of rates": ("fnr_gap", "fpr_gap", "accuracy_difference", "tpr_difference", "f1_difference"),
    "signed gaps of probabilities": ("avg_eg", "avg_score_difference"),
    "distances of rates": ("tpr_gap", "fped", "fned_normalised", "equal_opportunity_difference"),
    "distances inside a source": ("cf_gap", "cf_gap_tc", "pert_ss", "pert_sr", "pert_sd"),
    "distances of distributions": ("avg_gf", "avg_gf_tc"),
    "distributions inside a source": ("avg_if", "avg_if_tc"),
    "areas under curves": ("subgroup_auc", "bpsn_auc"),
}
LARGE = 12  # designs that the truth is the mean of
RATES = ("true_positive_rate", "false_positive_rate", "accuracy", "mean_probability")
BASE = "base scores"


def values_of(outcomes: Outcomes) -> dict[tuple[str, ...], float]:
    """Every row of every metric, and the base scores by group."""
    found: dict[tuple[str, ...], float] = {}
    for names in METRIC_SETS.values():
        for name in names:
            for row in compute(name, outcomes).rows():
                found[name, row["class"], row["left"], row["right"]] = row["value"]
    resamples = resamples_of(outcomes, draws=0)
    for name in RATES:
        middle = score_intervals(SCORES[name], outcomes, resamples)[0][..., :2].mean(axis=2)
        found |= {(name, str(g), str(k), ""): float(middle[g, k]) for g, k in np.ndindex(middle.shape)}
    return found


def true_values(terms: int, effects: FloatArray | None, random: np.random.Generator) -> dict[tuple[str, ...], float]:
    """The mean over large designs: endlessly many templates, and terms where they are drawn anew."""
    designs = [
        values_of(simulated(random, templates=360, terms=120 if effects is None else terms, effects=effects))
        for _ in range(LARGE if effects is None else 2 * LARGE)
    ]
    return {key: float(np.mean([design[key] for design in designs])) for key in designs[0]}


def covered(templates: int, terms: int, repetitions: int, *, redrawn: bool, seed: int) -> dict[str, list[bool]]:
    """Whether each interval held the truth, by set of metrics."""
    random = np.random.default_rng(seed)
    effects: FloatArray | None = None if redrawn else 0.35 * random.normal(size=(4 * terms, 3))
    truth = true_values(terms, effects, random)
    low, high = ("ci_low_terms", "ci_high_terms") if redrawn else ("ci_low", "ci_high")
    found: dict[str, list[bool]] = {name: [] for name in (*METRIC_SETS, BASE)}
    for at in range(repetitions):
        outcomes = simulated(random, templates=templates, terms=terms, effects=effects)
        resamples = resamples_of(outcomes, seed=at)
        for kind, names in METRIC_SETS.items():
            for name in names:
                for key, ends in intervals_of(compute(name, outcomes), resamples).items():
                    if not np.isnan(ends[low]):
                        found[kind].append(ends[low] <= truth[name, *key] <= ends[high])
        for name in RATES:
            ends_of, _by_term = score_intervals(SCORES[name], outcomes, resamples)
            first = 2 if redrawn else 0
            for g, k in np.ndindex(ends_of.shape[0] - 1, ends_of.shape[1]):
                a, b = ends_of[g, k, first : first + 2]
                found[BASE].append(bool(a <= truth[name, str(g), str(k), ""] <= b))
    return found


def main() -> None:
    """Print the shares, and write them where asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer repetitions")
    parser.add_argument("--json", type=Path, help="also write the figures here")
    arguments = parser.parse_args()
    if missing := [name for names in METRIC_SETS.values() for name in names if name not in METRICS]:
        parser.error(f"not registered: {', '.join(missing)}")
    shares = []
    print(f"{'templates':>9} {'terms':>5}  {'':30} {'these terms':>11} {'terms like these':>16}")
    for templates, terms in DESIGNS:
        sides = [
            covered(templates, terms, 20 if arguments.quick else 200, redrawn=redrawn, seed=templates * 100 + terms)
            for redrawn in (False, True)
        ]
        for kind in (*METRIC_SETS, BASE):
            these, like = (float(np.mean(side[kind])) for side in sides)
            print(f"{templates:>9} {terms:>5}  {kind:30} {these:>11.1%} {like:>16.1%}", flush=True)
            shares.append({"templates": templates, "terms": terms, "kind": kind, "these": these, "like": like})
    if arguments.json:
        arguments.json.write_text(json.dumps(shares, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
