"""How often `compare` is wrong about two models, and what it finds: six groups, one error, true gaps known.

The first group has as many words as a row says, the others have eight, or as many as it. The score of a text is on the
logit: its source, its term, what the source does to the group, and the cell. The effects of the two models correlate by
rho: .8 as in two seeds of a training, .99 as in a model and its rounded weights.

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
from simulation import CLASSES, crossed

from fairness_checklist.core.arrays import FloatArray
from fairness_checklist.core.options import MARGIN
from fairness_checklist.core.outcomes import Outcomes
from fairness_checklist.core.tasks import Harm
from fairness_checklist.extensions.compare.changes import BETTER, EQUAL, OPEN, WORSE, gap_changes

GROUPS = 6
SOURCE_SD, TERM_SD, SOURCE_GROUP_SD, CELL_SD = 0.6, 0.3, 0.25, 0.5
HARM = Harm("called_low", "called", "low", "called low without being so")
DESIGNS = ((1, 30), (2, 30), (3, 30), (4, 30), (8, 30), (20, 60))
GAPS = ((0.0, 0.0), (0.1, 0.1), (0.0, 0.05), (0.0, 0.1), (0.0, 0.2), (0.1, 0.0))


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
    random: np.random.Generator, words: int, templates: int, gaps: tuple[float, float], rho: float
) -> list[Outcomes]:
    """The answers of two models on the same texts; the first group has the gaps in probability."""
    group_of = np.repeat(np.arange(GROUPS), [words, *[max(words, 8)] * (GROUPS - 1)])
    n_terms = len(group_of)
    source, term = np.repeat(np.arange(templates), n_terms), np.tile(np.arange(n_terms), templates)
    group = group_of[term]

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


def row(words: int, templates: int, gaps: tuple[float, float], rho: float, repetitions: int) -> dict[str, Any]:
    """The shares of the verdicts on the first group, and of runs with any false verdict, in percent."""
    change = gaps[1] - gaps[0]
    counted = dict.fromkeys((WORSE, BETTER, EQUAL, OPEN), 0)
    false = false_of_first = covered = 0
    for at in range(repetitions):
        random = np.random.default_rng((at, words, templates, int(100 * rho)))
        table = gap_changes(*two_models(random, words, templates, gaps, rho), [HARM]).set_index("group")
        first = table.loc["group 0"]
        counted[first["verdict"]] += 1
        # where the first group's gap grows, those of the others shrink
        wrong = {WORSE: change <= 0, BETTER: change >= 0, EQUAL: abs(change) >= MARGIN, OPEN: False}[first["verdict"]]
        others = set(table["verdict"].drop("group 0"))
        false_of_first += wrong
        false += wrong or (WORSE in others and change >= 0) or (BETTER in others and change <= 0)
        covered += bool(not first["low"] > change and not first["high"] < change)
    percent = 100 / repetitions
    return {
        "words x sentences": f"{words} x {templates}",
        "rho": rho,
        "gaps": "{:.0f} to {:.0f}".format(*(100 * gap for gap in gaps)),
        **{name: round(percent * n, 1) for name, n in counted.items()},
        "false about the group": round(percent * false_of_first, 1),
        "any false verdict": round(percent * false, 1),
        "coverage": round(percent * covered, 1),
    }


def rows(repetitions: int, *, quick: bool) -> Iterator[dict[str, Any]]:
    """A row a design, correlation and pair of gaps."""
    for rho in (0.8,) if quick else (0.5, 0.8, 0.99):
        for words, templates in DESIGNS[4:5] if quick else DESIGNS:
            for gaps in GAPS:
                yield row(words, templates, gaps, rho, repetitions)


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
