"""What `plan` says about sizes, against simulations of its own: power of intervals and of findings.

    python benchmarks/power.py [--quick] [--json FILE] [--part examples|sizes|gaps]

*Examples*: independent zero-one costs, as many as each formula asks for; the share of samples whose interval leaves out
0, and whether the intervals hold the true gap. *Sizes* and *gaps*: the size or the gap that `plan` gives for 80 %, in
worlds of `simulated_families`. *Pilot*: sizes of effects are estimated from one simulated run, and the gap that is said
to be found in 80 % is put into further such runs.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from simulated_families import World, simulated

from fairness_checklist.extensions.plan.power import METHODS, examples_needed, smallest_gap
from fairness_checklist.extensions.plan.power_simulation import crossed_layout
from fairness_checklist.extensions.plan.random_effects import Effects
from fairness_checklist.extensions.plan.suite_plan import gap_for, plan_suite
from fairness_checklist.findings.rule import Status

Row = dict[str, Any]
RATE = 0.2
SAMPLES = 100
MANY = 200
"""Words in all above which half of the repetitions are made."""


def examples(repetitions: int) -> Iterator[Row]:
    """Independent examples: power and coverage at the size that each method asks for."""
    random = np.random.default_rng(1)
    for gap in (0.05, 0.1):
        for power in (None, 0.8):
            for method in METHODS:
                rates = (RATE + gap, RATE) if method == "normal" else None
                n = examples_needed(gap, power=power, rates=rates, method=method)
                sizes = np.array([n // 2, n - n // 2])
                means = random.binomial(sizes, (RATE + gap, RATE), size=(SAMPLES * repetitions, 2)) / sizes
                estimate = means[:, 0] - means[:, 1]
                if method == "normal":
                    half = 1.96 * np.sqrt((means * (1 - means) / sizes).sum(axis=1))
                elif method == "hoeffding":
                    half = np.full(len(means), smallest_gap(n, method="hoeffding"))
                else:
                    cost = 0.5 if method == "centred" else 1.0
                    half = np.full(len(means), smallest_gap(n, cost_range=cost))
                yield {
                    "gap": gap,
                    "power wanted": power,
                    "method": method,
                    "examples": n,
                    "found": float((estimate > half).mean()),
                    "covered": float((np.abs(estimate - gap) <= half).mean()),
                }


def found_in(world: World, repetitions: int) -> float:
    """The share of tables in which the first group is worse."""
    random = np.random.default_rng(world.sources)
    status = [simulated(world, random)[1].decided[0].status[0] for _ in range(repetitions)]
    return status.count(Status.WORSE) / repetitions


def suite_sizes(repetitions: int) -> Iterator[Row]:
    """Sizes for 80 %, and the power in simulated worlds."""
    for gap, groups, harms in ((0.1, 6, 1), (0.05, 6, 1), (0.05, 2, 1), (0.05, 6, 2), (0.05, 12, 1), (0.03, 6, 1)):
        size = plan_suite(gap, groups=groups, harms=harms).chosen
        if size is None:
            continue
        world = World((size.terms,) * groups, sources=size.sentences, gap=gap, errors=harms)
        design = {"question": "size", "groups": groups, "harms": harms, "terms": size.terms}
        yield design | {
            "sentences": size.sentences,
            "gap": gap,
            "said": size.power,
            "found": found_in(world, repetitions if sum(world.sizes) <= MANY else -(-repetitions // 2)),
        }


def gaps(repetitions: int) -> Iterator[Row]:
    """The smallest gaps for 80 %, and the power in simulated worlds."""
    unequal = [((n, *(m for m in (3, 8, 20, 30) if m != n)), 30) for n in (3, 20, 30)]
    for sizes, sources in (((5,) * 6, 20), ((8,) * 6, 30), ((20,) * 6, 40), *unequal):
        gap = gap_for(crossed_layout(sizes, (sources,)), Effects())
        if gap is not None:
            yield {
                "question": "gap",
                "groups": len(sizes),
                "terms": ", ".join(map(str, dict.fromkeys(sizes))),
                "sentences": sources,
                "gap": gap,
                "said": 0.8,
                "found": found_in(World(sizes, sources=sources, gap=gap), repetitions),
            }


PARTS = {"examples": examples, "sizes": suite_sizes, "gaps": gaps}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="few repetitions")
    parser.add_argument("--json", type=Path, help="write the rows to this file")
    parser.add_argument("--part", choices=PARTS, help="one part only")
    given = parser.parse_args()
    repetitions = 20 if given.quick else 400
    found: dict[str, list[Row]] = {}
    for name in [given.part] if given.part else PARTS:
        print(name)
        found[name] = []
        for row in PARTS[name](repetitions):
            found[name].append(row)
            cells = (
                f"{key} {value:.3f}" if isinstance(value, float) else f"{key} {value}" for key, value in row.items()
            )
            print("  " + "; ".join(cells), flush=True)
    if given.json:
        given.json.write_text(json.dumps(found, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
