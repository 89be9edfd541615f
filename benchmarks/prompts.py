"""Prompts as a random factor of findings: errors and power on simulated scores of a language model.

    python benchmarks/prompts.py [--quick] [--json FILE]

Six groups of six lexemes in 30 sources. The probability of the error has a part of the source, of the lexeme, of what
a source does to a group, of the cell, of what a *prompt* does to a group, and of what a prompt does to a cell. A claim
is a group that is *worse*. *Fixed* are bounds without the prompts, *random* those of the package. All shares have a
Monte Carlo error of ``sqrt(share * (1 - share) / repetitions)``.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from fairness_checklist.core.arrays import FloatArray
from fairness_checklist.extensions.plan.power_simulation import balanced_effects
from fairness_checklist.findings.rule import FittedError, Status, Words, decide

SIZES = (6,) * 6
GROUP = np.repeat(np.arange(len(SIZES)), SIZES)
SOURCES = 30
TERM_SD, SOURCE_GROUP_SD, CELL_SD, PROMPT_CELL_SD = 0.02, 0.03, 0.05, 0.04
SHIFT = 0.1


def scores(random: np.random.Generator, prompts: int, prompt_sd: float, shift: float) -> FloatArray:
    """Probabilities (R, S, L) without the part of the source, which is the same for all lexemes."""
    rows, group = SOURCES, GROUP
    lexemes = TERM_SD * random.normal(size=len(group)) + shift * (group == 0)
    own = SOURCE_GROUP_SD * random.normal(size=(rows, len(SIZES)))[:, group]
    cells = CELL_SD * random.normal(size=(rows, len(group)))
    of_prompts = prompt_sd * random.normal(size=(prompts, 1, len(SIZES)))[:, :, group]
    found: FloatArray = lexemes + own + cells + of_prompts
    return found + PROMPT_CELL_SD * random.normal(size=(prompts, rows, len(group)))


def rows(repetitions: int) -> Iterator[dict[str, Any]]:
    """The shares of tables with a false claim, and with a claim about the group that is shifted."""
    words = Words(GROUP, np.ones(len(GROUP)), len(SIZES))
    for prompts in (2, 3, 4, 8):
        for prompt_sd in (0.0, 0.02, 0.05):
            share = dict.fromkeys(("false, fixed", "false, random", "found, fixed", "found, random"), 0.0)
            for at in range(repetitions):
                random = np.random.default_rng([at, prompts, round(1000 * prompt_sd)])
                for name, shift in (("false", 0.0), ("found", SHIFT)):
                    table = scores(random, prompts, prompt_sd, shift)
                    fixed = balanced_effects(table.mean(axis=0))
                    each = np.array([balanced_effects(one).effect for one in table])
                    for way, fit in (("fixed", fixed), ("random", replace(fixed, levels=(each,)))):
                        error = FittedError(gap=fit, tested=fit, adjusted=fit)
                        worse = np.array(decide([error], words, margin=0.05)[0].status) == Status.WORSE
                        share[f"{name}, {way}"] += float(worse.any() if name == "false" else worse[0]) / repetitions
            yield {"prompts": prompts, "prompt SD": prompt_sd, **share}


def main() -> None:
    """Print the table, and write it where asked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="fewer repetitions")
    parser.add_argument("--json", type=Path, help="also write the figures here")
    arguments = parser.parse_args()
    found: list[dict[str, Any]] = []
    for row in rows(20 if arguments.quick else 400):
        if not found:
            print("  ".join(f"{name:>13}" for name in row))
        print("  ".join(f"{value:>13.3f}" for value in row.values()), flush=True)
        found.append(row)
    if arguments.json:
        arguments.json.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
