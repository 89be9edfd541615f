"""How often `compare` is wrong about two models, and what it finds: six groups, one error, true gaps known.

The score of a text is on the logit: its source, its term, what the source does to the group, and the cell. The effects
of the two models correlate by rho: .8 as in two seeds of a training, .99 as in a model and its rounded weights.

    python benchmarks/compare.py [--quick] [--json FILE]
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit
from simulated_families import CELL_SD, SOURCE_GROUP_SD, SOURCE_SD, TERM_SD
from simulation import CLASSES, crossed

from fairness_checklist.core.arrays import FloatArray
from fairness_checklist.core.outcomes import Outcomes
from fairness_checklist.core.tasks import Harm
from fairness_checklist.extensions.compare.changes import BETTER, EQUAL, MARGIN, UNDECIDED, WORSE, gap_changes

GROUPS, DRAWS = 6, 199
HARM = Harm("called_low", "called", "low", "called low without being so")
DESIGNS = ((8, 30), (20, 30), (20, 60), (8, 120))
GAPS = ((0.0, 0.0), (0.1, 0.1), (0.0, 0.02), (0.0, 0.05), (0.0, 0.1), (0.1, 0.05), (0.1, 0.0))


BASE = -1.0
SD = float(np.sqrt(sum(sd**2 for sd in (SOURCE_SD, TERM_SD, SOURCE_GROUP_SD, CELL_SD))))
NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(61)


def mean_probability(shift: float) -> float:
    """The expected probability of the error for a group that is shifted on the logit."""
    return float((WEIGHTS * expit(BASE + shift + SD * NODES)).sum() / WEIGHTS.sum())


def shift_for(gap: float) -> float:
    """The shift on the logit that gives a group this gap in probability to all others."""
    return float(brentq(lambda shift: mean_probability(shift) - mean_probability(0.0) - gap, 0.0, 6.0))


def two_models(
    random: np.random.Generator, terms: int, templates: int, gaps: tuple[float, float], rho: float
) -> list[Outcomes]:
    """The answers of two models on the same texts; the first group has the gaps in probability."""
    n_terms = GROUPS * terms
    source, term = np.repeat(np.arange(templates), n_terms), np.tile(np.arange(n_terms), templates)
    group = term // terms

    def correlated(*shape: int) -> tuple[FloatArray, FloatArray]:
        shared, own = random.normal(size=shape), random.normal(size=(2, *shape))
        one, other = (np.sqrt(rho) * shared + np.sqrt(1 - rho) * part for part in own)
        return one, other

    parts = zip(
        correlated(templates), correlated(n_terms), correlated(templates, GROUPS), correlated(len(term)), strict=True
    )
    models = []
    for gap, (of_source, of_term, of_both, cell) in zip(gaps, parts, strict=True):
        score = SOURCE_SD * of_source[source] + TERM_SD * of_term[term] + CELL_SD * cell + BASE
        score += SOURCE_GROUP_SD * of_both[source, group]
        score += np.where(group == 0, shift_for(gap), 0.0)
        low = expit(score)
        gold = np.full(len(term), 1)
        models.append(crossed(np.column_stack([low, 1 - low]), gold, source, group, term, GROUPS))
    return models


def row(terms: int, templates: int, gaps: tuple[float, float], rho: float, repetitions: int) -> dict[str, Any]:
    """The shares of the verdicts on the first group, and of comparisons with any false verdict, in percent."""
    right = np.sign(gaps[1] - gaps[0])
    counted = dict.fromkeys((WORSE, BETTER, EQUAL, UNDECIDED), 0)
    false, covered, detectable = 0, 0, []
    for at in range(repetitions):
        random = np.random.default_rng((at, terms, templates, int(100 * rho)))
        base, new = two_models(random, terms, templates, gaps, rho)
        table = gap_changes(base, new, [HARM], draws=DRAWS, seed=at)
        first = table["group"] == "group 0"
        [verdict] = table["verdict"][first]
        counted[verdict] += 1
        wrong = {1: BETTER, -1: WORSE}.get(int(right))
        bad = verdict in ((WORSE, BETTER) if right == 0 else (wrong,)) or (
            verdict == EQUAL and abs(gaps[1] - gaps[0]) > MARGIN
        )
        others = table["verdict"][~first]
        grown = others == (BETTER if right <= 0 else WORSE)  # the others' gaps move the other way
        false += bool(bad or ((others == WORSE).any() if right == 0 else grown.any()))
        change = table[first].iloc[0]
        covered += bool(change["change_low"] <= gaps[1] - gaps[0] <= change["change_high"])
        detectable.append(float(change["detectable_change"]))
    share = {name: round(100 * n / repetitions, 1) for name, n in counted.items()}
    return {
        "terms x templates": f"{terms} x {templates}",
        "rho": rho,
        "gaps": "{:.0f} to {:.0f}".format(*(100 * gap for gap in gaps)),
        **share,
        "any false verdict": round(100 * false / repetitions, 1),
        "coverage": round(100 * covered / repetitions, 1),
        "found in 80 of 100": round(100 * float(np.mean(detectable)), 1),
    }


def rows(repetitions: int, *, quick: bool) -> Iterator[dict[str, Any]]:
    """A row a design, correlation and pair of gaps."""
    for rho in (0.8,) if quick else (0.5, 0.8, 0.99):
        for terms, templates in DESIGNS[: 1 if quick else None]:
            for gaps in GAPS:
                yield row(terms, templates, gaps, rho, repetitions)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="20 comparisons a row, one design")
    parser.add_argument("--repetitions", type=int, default=200)
    parser.add_argument("--json", type=Path, default=None)
    given = parser.parse_args()
    table = []
    for one in rows(20 if given.quick else given.repetitions, quick=given.quick):
        table.append(one)
        print("  ".join(str(value) for value in one.values()), flush=True)
    if given.json:
        given.json.write_text(json.dumps({"classes": CLASSES[:2], "rows": table}, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
