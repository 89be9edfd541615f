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
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit

from fairness_checklist.core.arrays import FloatArray, IntArray
from fairness_checklist.core.option_defaults import MARGIN
from fairness_checklist.extensions.compare.changes import BETTER, EQUAL, OPEN, WORSE, verdict
from fairness_checklist.findings.errors import clipped_logit
from fairness_checklist.findings.rule import Decided, FittedError, Words, decide
from fairness_checklist.statistics.two_way import TermEffects, fit_figures

GROUPS = 6
SOURCE_SD, TERM_SD, SOURCE_GROUP_SD, CELL_SD = 0.6, 0.3, 0.25, 0.5
DESIGNS = ((1, 30), (2, 30), (3, 30), (4, 30), (8, 30), (20, 60))
GAPS = ((0.0, 0.0), (0.1, 0.1), (0.0, 0.05), (0.0, 0.1), (0.0, 0.2), (0.1, 0.0))


BASE = -1.0
SD = float(np.sqrt(sum(sd**2 for sd in (SOURCE_SD, TERM_SD, SOURCE_GROUP_SD, CELL_SD))))
NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(61)


def mean_probability(shift: float) -> float:
    """The expected probability of the error for a group that is shifted on the logit."""
    return float((WEIGHTS * expit(BASE + shift + SD * NODES)).sum() / WEIGHTS.sum())


@cache
def shift_for(gap: float) -> float:
    """The shift on the logit that gives a group this gap in probability to all others."""
    return float(brentq(lambda shift: mean_probability(shift) - mean_probability(0.0) - gap, 0.0, 6.0))


def two_models(
    random: np.random.Generator, group: IntArray, templates: int, gaps: tuple[float, float], rho: float
) -> list[FloatArray]:
    """The probabilities (S, L) of the error that two models give; the first group has the gaps."""
    size = len(group)

    def correlated(*shape: int) -> tuple[FloatArray, FloatArray]:
        shared, own = random.normal(size=shape), random.normal(size=(2, *shape))
        one, other = (np.sqrt(rho) * shared + np.sqrt(1 - rho) * part for part in own)
        return one, other

    parts = zip(
        correlated(templates, 1),
        correlated(size),
        correlated(templates, GROUPS),
        correlated(templates, size),
        strict=True,
    )
    models = []
    for gap, (of_source, of_word, of_both, cell) in zip(gaps, parts, strict=True):
        score = BASE + SOURCE_SD * of_source + TERM_SD * of_word + SOURCE_GROUP_SD * of_both[:, group] + CELL_SD * cell
        models.append(expit(score + np.where(group == 0, shift_for(gap), 0.0)))
    return models


def balanced(table: FloatArray) -> TermEffects:
    """The effects of a table (S, L) without holes, as `statistics.two_way` fits them."""
    rows, columns = table.shape
    source, word = np.repeat(np.arange(rows), columns), np.tile(np.arange(columns), rows)
    return fit_figures(source, word, source, table.ravel()[None], np.ones(table.size), columns)[0]


def compared(models: list[FloatArray], words: Words) -> tuple[list[str], Decided]:
    """The verdicts of the groups, and what the rule says of the changes."""
    figures = [(p, clipped_logit(p)) for p in models]
    (old, old_logit), (new, new_logit) = figures
    fits = balanced(new - old), balanced(new_logit - old_logit)
    negated = [replace(fit, effect=-fit.effect, scores=None) for fit in fits]
    ways = [FittedError(gap, on_logit, gap, is_share=False) for gap, on_logit in (fits, negated)]
    there, back = decide(ways, words, margin=MARGIN)
    new_gap = words.contrasts() @ new.mean(axis=0)
    given = zip(range(GROUPS), there.gap, new_gap, strict=True)
    return [verdict((there, back), g, change, gap, MARGIN)[0] for g, change, gap in given], there


def row(words: int, templates: int, gaps: tuple[float, float], rho: float, repetitions: int) -> dict[str, Any]:
    """The shares of the verdicts on the first group, and of runs with any false verdict, in percent."""
    change, group = gaps[1] - gaps[0], np.repeat(np.arange(GROUPS), [words, *[max(words, 8)] * (GROUPS - 1)])
    one = Words(group, np.ones(len(group)), GROUPS)
    counted = dict.fromkeys((WORSE, BETTER, EQUAL, OPEN), 0)
    false = false_of_first = covered = 0
    for at in range(repetitions):
        random = np.random.default_rng((at, words, templates, int(100 * rho)))
        verdicts, found = compared(two_models(random, group, templates, gaps, rho), one)
        first, others = verdicts[0], set(verdicts[1:])
        counted[first] += 1
        # where the first group's gap grows, those of the others shrink
        wrong = {WORSE: change <= 0, BETTER: change >= 0, EQUAL: abs(change) >= MARGIN, OPEN: False}[first]
        false_of_first += wrong
        false += wrong or (WORSE in others and change >= 0) or (BETTER in others and change <= 0)
        covered += bool(found.low[0] <= change <= found.high[0])
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
    parser.add_argument("--quick", action="store_true", help="20 pairs a row, one design")
    parser.add_argument("--repetitions", type=int, default=200)
    parser.add_argument("--json", type=Path, default=None)
    given = parser.parse_args()
    table = []
    for one in rows(20 if given.quick else given.repetitions, quick=given.quick):
        table.append(one)
        print("  ".join(str(value) for value in one.values()), flush=True)
    if given.json:
        given.json.write_text(json.dumps({"rows": table}, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
