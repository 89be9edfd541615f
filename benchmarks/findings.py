"""What calling something a finding costs: errors, power and coverage, on simulated and on real scores.

    python benchmarks/findings.py [--quick] [--json FILE] [--part simulation|dixon|names|placebo|kpi|dependence]

*Simulation*: groups whose true gaps are known, tested by the package and by others on the same tables. *Dixon*: the
scored phrases of Dixon et al. 2018, whose terms are split into groups at random. *Names*: how the gap between female
and male names depends on which names are taken. *Placebo*: random sets of concepts that should not matter. *Kpi*: the
figure to track and its gate, in simulated runs whose largest gap is known. *Dependence*: words with hidden forms,
sources of few topics and rewordings, before and after the run knows of them.

A claim is a gap above 0 whose simultaneous interval leaves out 0. All shares have a Monte Carlo error of
``sqrt(share * (1 - share) / repetitions)``: 1.1 points at 5 % and 400 repetitions.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from findings_data import dixon, names, placebo
from findings_dependence import dependence
from findings_kpi import figure, gate
from simulated_families import DESIGNS, DRAWS, EFFECTS, Design, balanced, claims, design, family_in, shift_for

from fairness_checklist.findings.family import GroupFamily, shrunk
from fairness_checklist.findings.records import POWER
from fairness_checklist.statistics.two_way import signed_t

Row = dict[str, Any]
SHIFTS = (0.45, 0.8)
FIXED = 20  # sets of lexemes, for each of which sources are drawn anew
WORDS: dict[str, tuple[tuple[int, ...], int]] = {
    "10 sources, 6 x 5": ((5,) * 6, 15),
    "20 sources, 6 x 5": ((5,) * 6, 30),
    "20 sources, 6 x 1": ((1,) * 6, 30),
    "40 sources, 6 x 20": ((20,) * 6, 60),
}
TRUE_GAPS = (0.05, 0.1)
PARTS = ("simulation", "dixon", "names", "placebo", "kpi", "dependence")


def held(family: GroupFamily, truth: np.ndarray[Any, Any]) -> bool:
    """Whether all simultaneous intervals of the scope hold the truth; groups of few lexemes are in another scope."""
    kept = family.scope == family.scope.min()
    return bool(((family.low[0] <= truth) & (truth <= family.high[0]))[kept].all())


def errors(repetitions: int) -> Iterator[Row]:
    """The share of tables with a claim where no group has an effect, and the coverage of the package's intervals."""
    for name, (sizes, sources) in DESIGNS.items():
        for effects in EFFECTS:
            chosen = design(sizes, sources, effects)
            yield {"design": name, "effects": effects, **_shares(chosen, repetitions, first_alone=False)}


def power(repetitions: int) -> Iterator[Row]:
    """The share of tables in which the first group's shift is claimed."""
    for name, (sizes, sources) in DESIGNS.items():
        for shift in SHIFTS:
            chosen = design(sizes, sources, shift=shift)
            gap = {"true gap": round(float(chosen.true_gap()[0]), 3)}
            yield {"design": name, **gap, **_shares(chosen, repetitions, first_alone=True)}


def _shares(chosen: Design, repetitions: int, *, first_alone: bool) -> dict[str, float]:
    """The share of tables with a claim, by test, and of those in which all intervals hold the truth."""
    random = np.random.default_rng(11)
    truth = chosen.true_gap()
    rows = []
    for _ in range(repetitions):
        found, family = claims(chosen, DRAWS, random)
        rows.append(
            {test: bool(claimed[0] if first_alone else claimed.any()) for test, claimed in found.items()}
            | {"coverage": held(family, truth)}
        )
    return {key: float(np.mean([row[key] for row in rows])) for key in rows[0]}


def fixed_words(repetitions: int) -> Iterator[Row]:
    """Coverage where the words stay and sources are drawn anew, of all cells at once and of one alone."""
    for name, (sizes, sources) in WORDS.items():
        for effects in EFFECTS[:2]:
            chosen = design(sizes, sources, effects)
            random = np.random.default_rng(5)
            behind = np.full(len(sizes), chosen.counted)
            every, single = [], []
            for _ in range(FIXED):
                lexemes = chosen.lexemes(random)
                truth = chosen.true_gap(lexemes)
                for at in range(max(1, repetitions // FIXED)):
                    fit = balanced(chosen.scores(random, lexemes)[0])
                    family = family_in(chosen, fit, words=True, seed=at)
                    every.append(held(family, truth))
                    drawn = signed_t(fit, chosen.group, behind, DRAWS, random, words=True)
                    own = np.sort(np.abs(drawn), axis=0)[int(np.ceil(0.95 * (DRAWS + 1))) - 1]
                    single.append((np.abs(family.gap[0] - truth) <= own * family.error[0]).mean())
            yield {
                "design": name,
                "effects": effects,
                "all cells": float(np.mean(every)),
                "one cell": float(np.mean(single)),
            }


def detectable(repetitions: int) -> Iterator[Row]:
    """Claims where the true gap is the one that the package prints as detectable in 80 of 100 tables.

    Added to the probabilities of the first group, the gap leaves the standard errors as they are. Added on the logit,
    it also enlarges what lexemes and sources do to probabilities around .2.
    """
    for name in ("5 x 30", "8 x 30", "20 x 30", "20 x 60"):
        sizes, sources = DESIGNS[name]
        alike = design(sizes, sources)
        random = np.random.default_rng(3)
        families = [_table(alike, random, at) for at in range(max(20, repetitions // 4))]
        printed = float(np.median([(one.critical[0] + POWER) * one.error[0, 0] for one in families]))
        added = printed * (alike.group == 0)
        chosen = design(sizes, sources, shift=shift_for(printed, sizes))
        on_logit, on_probability = [], []
        for at in range(repetitions):
            on_logit.append(_table(chosen, random, at).low[0, 0] > 0)
            fit = balanced(alike.scores(random, alike.lexemes(random))[0] + added)
            on_probability.append(family_in(alike, fit, seed=at).low[0, 0] > 0)
        yield {
            "design": name,
            "detectable gap": printed,
            "claimed, on probabilities": float(np.mean(on_probability)),
            "claimed, on the logit": float(np.mean(on_logit)),
        }


def exaggeration(repetitions: int) -> Iterator[Row]:
    """The mean of the gaps that are found, as printed and shrunk, over the true one."""
    for name in ("8 x 30", "20 x 30"):
        sizes, sources = DESIGNS[name]
        for gap in TRUE_GAPS:
            chosen = design(sizes, sources, shift=shift_for(gap, sizes))
            random = np.random.default_rng(4)
            raw, less = [], []
            for at in range(repetitions):
                family = _table(chosen, random, at)
                if family.low[0, 0] > 0:
                    raw.append(family.gap[0, 0])
                    less.append(shrunk(family.gap, family.error)[0, 0])
            yield {
                "design": name,
                "true gap": gap,
                "claimed": len(raw) / repetitions,
                "found / true": float(np.mean(raw)) / gap if raw else float("nan"),
                "shrunk / true": float(np.mean(less)) / gap if raw else float("nan"),
            }


def _table(chosen: Design, random: np.random.Generator, seed: int) -> GroupFamily:
    fit = balanced(chosen.scores(random, chosen.lexemes(random))[0])
    return family_in(chosen, fit, seed=seed)


def tables(part: str, *, quick: bool) -> Iterator[tuple[str, Iterable[Row]]]:
    """The titles and rows of a part."""
    few, many = (20, 40) if quick else (400, 1000)
    if part == "simulation":
        yield "any claim where no group has an effect", errors(few)
        yield "a claim about the group that is shifted by .45 and .8 on the logit", power(few)
        yield "coverage where the words stay", fixed_words(many)
        yield "claims at the gap that is printed as detectable in 80 %", detectable(few)
        yield "gaps that are found, over the true gap", exaggeration(many)
    elif part == "dixon":
        yield "random splits of the terms of Dixon et al. 2018", dixon(10 if quick else 200)
    elif part == "kpi":
        yield "the figure to track: the largest true gap, points", figure(few)
        yield 'exit codes of --fail-if "gap>0.1"', gate(few)
    elif part == "dependence":
        yield "claims where words or sources depend on each other", dependence(few)
    elif part == "placebo":
        yield "random sets of placebo concepts", placebo(20 if quick else 200)
    else:
        yield "female and male names missed by the bundled tagger", names(2 if quick else 10)


def shown(value: Any) -> str:
    """A cell of a table: shares and gaps with three decimals."""
    return f"{value:.3f}" if isinstance(value, float) else f"{value}"


def main() -> None:
    """Print the tables, and write them where asked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="fewer repetitions")
    parser.add_argument("--json", type=Path, help="also write the figures here")
    parser.add_argument("--part", choices=PARTS, help="one part alone")
    arguments = parser.parse_args()
    found: dict[str, list[Row]] = {}
    chosen = [arguments.part] if arguments.part else list(PARTS)
    for title, rows in chain.from_iterable(tables(part, quick=arguments.quick) for part in chosen):
        print(f"\n{title}")
        found[title] = []
        for row in rows:
            if not found[title]:
                widths = [max(len(key), 18 if isinstance(value, str) else 7) for key, value in row.items()]
                print("  ".join(f"{key:>{width}}" for key, width in zip(row, widths, strict=True)))
            print("  ".join(f"{shown(v):>{w}}" for v, w in zip(row.values(), widths, strict=True)), flush=True)
            found[title].append(row)
    if arguments.json:
        arguments.json.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
