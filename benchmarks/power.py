"""What `plan` says about sizes, against simulations of its own: power of intervals and of findings.

    python benchmarks/power.py [--quick] [--json FILE] [--part examples|sizes|gaps|pilot]

*Examples*: independent zero-one costs, as many as each formula asks for; the share of samples whose interval leaves out
0, and whether the intervals hold the true gap. *Sizes* and *gaps*: the size or the gap that `plan` gives for 80 %,
tested by the rule for findings as it stands (999 null draws, each table with its own critical value).
*Pilot*: sizes of effects are estimated from a simulated run of another kind (three classes, `simulated_families`), and
the gap that is said to be found in 80 % is put into further such runs.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from fairness_checklist.findings.harm_cells import Figures
from simulated_families import HARM, Design, balanced, compared_in, design, family_in, fitted, shift_for, statuses
from simulation import crossed

from fairness_checklist.extensions.plan.pilot import effects_of
from fairness_checklist.extensions.plan.power import METHODS, examples_needed, smallest_gap
from fairness_checklist.extensions.plan.power_simulation import crossed_layout
from fairness_checklist.extensions.plan.random_effects import Effects
from fairness_checklist.extensions.plan.suite_plan import gap_for, plan_suite
from fairness_checklist.findings.family import GroupFamily, HarmFit, family_of, scopes_of

Row = dict[str, Any]
RATE = 0.2
FULL = 999
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


def table(
    effects: Effects, sizes: tuple[int, ...], sources: int, gap: float, random: np.random.Generator
) -> np.ndarray[Any, Any]:
    """Scores (S, L) of a suite whose first group has a gap; words, sources and texts are drawn."""
    group = np.repeat(np.arange(len(sizes)), sizes)
    words = random.normal(0, effects.terms, size=len(group)) + (group == 0) * effects.shift(gap)
    pairs = random.normal(0, effects.sources_by_group, size=(sources, len(sizes)))
    base = effects.location(effects.rate) + random.normal(0, effects.sources, size=(sources, 1))
    score: np.ndarray[Any, Any] = base + words + pairs[:, group]
    return score + random.normal(0, effects.cells, size=(sources, len(group)))


def full_power(
    effects: Effects, sizes: tuple[int, ...], sources: int, gap: float, harms: int, repetitions: int
) -> float:
    """The share of suites in which the first group is found by the rule as it stands."""
    count = next(one for one in range(sources, 3 * sources) if round(one * 2 / 3) == sources)
    who, rows = compared_in(Design(sizes, count, np.zeros(len(sizes)), np.zeros(len(sizes)), heavy=False))
    random = np.random.default_rng(sources)
    repetitions = repetitions if sum(sizes) <= MANY else -(-repetitions // 2)
    scope = scopes_of(who)
    found = 0
    for at in range(repetitions):
        scores = [table(effects, sizes, sources, gap if h == 0 else 0.0, random) for h in range(harms)]
        sides = [(effects.tested(score), *2 * [effects.figures(score)]) for score in scores]
        figures = [Figures(*map(balanced, side)) for side in sides]
        fits = tuple(HarmFit(rows, of, of, who.lexeme_group) for of in figures)
        family = family_of(who, fits, scope, {}, draws=FULL, seed=at)
        found += is_clear(family)
    return found / repetitions


def is_clear(family: GroupFamily) -> bool:
    """Whether the first group is clear in the first harm, whatever its size, by the rule without a placebo."""
    return statuses(family, relevant=1e-9)[0][0] == "clear"


def suite_sizes(repetitions: int) -> Iterator[Row]:
    """Sizes for 80 %, and the power of the rule as it stands."""
    plain = Effects()
    noisy = Effects(rate=0.35, terms=0.5, sources_by_group=0.2, cells=0.35, sources=1.0)
    for gap, groups, harms, effects in (
        (0.1, 6, 1, plain),
        (0.05, 6, 1, plain),
        (0.05, 2, 1, plain),
        (0.1, 6, 1, noisy),
        (0.05, 6, 2, plain),
        (0.05, 12, 1, plain),
        (0.03, 6, 1, plain),
    ):
        plan = plan_suite(gap, groups=groups, harms=harms, effects=effects)
        if plan.chosen is None:
            continue
        size = plan.chosen
        yield {
            "question": "size",
            "effects": _named(effects),
            "groups": groups,
            "harms": harms,
            "terms": size.terms,
            "sentences": size.sentences,
            "gap": gap,
            "said": size.power,
            "found": full_power(effects, (size.terms,) * groups, size.sentences, gap, harms, repetitions),
        }


def gaps(repetitions: int) -> Iterator[Row]:
    """The smallest gaps for 80 %, and the power of the rule as it stands."""
    plain = Effects()
    unequal = [((n, *(m for m in (5, 8, 20, 30) if m != n)), 30) for n in (5, 20, 30)]
    for sizes, sources in (((5,) * 6, 20), ((8,) * 6, 30), ((20,) * 6, 40), *unequal):
        found = gap_for(crossed_layout(sizes, (sources,)), plain)
        if found is None:
            continue
        yield {
            "question": "gap",
            "effects": _named(plain),
            "groups": len(sizes),
            "harms": 1,
            "terms": ", ".join(map(str, dict.fromkeys(sizes))),
            "sentences": sources,
            "gap": found.gap,
            "said": found.power,
            "found": full_power(plain, sizes, sources, found.gap, 1, repetitions),
        }


def _named(effects: Effects) -> str:
    return f"{effects.rate:g}; {effects.terms:g}, {effects.sources_by_group:g}, {effects.cells:g}"


def pilot(repetitions: int) -> Iterator[Row]:
    """Effects from one simulated run of three classes; the gap for 80 %, in further such runs."""
    random = np.random.default_rng(9)
    for sizes, sources in (((8,) * 6, 30), ((20,) * 6, 30)):
        alike = design(sizes, sources)
        for at in range(3):
            p = alike.scores(random, alike.lexemes(random))[0]
            rows, columns = p.shape
            probability = np.stack([p, (1 - p) / 2, (1 - p) / 2], axis=2).reshape(-1, 3)
            source = np.repeat(np.arange(rows), columns)
            term = np.tile(np.arange(columns), rows)
            names = np.where(source % 2, 1, 2)
            outcomes = crossed(probability, names, source, alike.group[term], term, len(sizes))
            effects = effects_of(outcomes, _harm_of(outcomes.classes[0]))
            planned = gap_for(crossed_layout(sizes, (alike.counted,)), effects)
            if planned is None:
                continue
            shifted = design(sizes, sources, shift=shift_for(planned.gap, sizes))
            hits = 0
            for one in range(repetitions):
                figures = fitted(*shifted.scores(random, shifted.lexemes(random)))
                hits += is_clear(family_in(shifted, figures, draws=FULL, seed=one))
            yield {
                "design": f"{sizes[0]} x {sources}",
                "pilot": at + 1,
                "effects": _named(effects).replace("probability, ", ""),
                "gap": planned.gap,
                "said": planned.power,
                "found": hits / repetitions,
            }


def _harm_of(label: str) -> Any:
    return type(HARM)(f"called:{label}", "called", label, f"called {label}")


PARTS = {"examples": examples, "sizes": suite_sizes, "gaps": gaps, "pilot": pilot}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="few repetitions")
    parser.add_argument("--json", type=Path, help="write the rows to this file")
    parser.add_argument("--part", choices=PARTS, help="one part only")
    given = parser.parse_args()
    repetitions = 20 if given.quick else 1500
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
