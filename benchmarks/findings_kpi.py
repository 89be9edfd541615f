"""The figure to track and its gate in simulated runs whose largest gap is known: coverage, bias, floor, exit codes.

The noise floor is the one without a placebo: a placebo can only raise it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from simulated_families import DESIGNS, DRAWS, Design, balanced, compared_in, design, shift_for

from fairness_checklist.core.arrays import FloatArray
from fairness_checklist.core.tasks import TASKS
from fairness_checklist.findings.family import (
    MIN_LEXEMES,
    SCOPES,
    GroupFamily,
    HarmFit,
    family_of,
    scopes_of,
    without_better_groups,
)
from fairness_checklist.findings.harm_cells import Compared, HarmRows
from fairness_checklist.findings.kpi import largest_gap
from fairness_checklist.findings.records import POWER
from fairness_checklist.findings.status import Evidence, status
from fairness_checklist.reports.tracked import gate_of

Row = dict[str, Any]
HARMS = TASKS["sentiment"].harms
GAPS = (0.05, 0.1, 0.2)
GATED = ("5 x 30", "8 x 30", "20 x 30", "20 x 60", "5,5,8,10,20,30")
LIMIT = 0.1
SEVERAL = (0.8, 0.8, 0.4, 0.0, 0.0, -0.4)  # on the logit


@dataclass(frozen=True)
class World:
    """Runs of one kind: groups whose true gaps are known, in one harm or in two harms with sources of their own."""

    name: str
    chosen: Design
    harms: int = 1

    def run(self, random: np.random.Generator, seed: int) -> tuple[GroupFamily, FloatArray]:
        """A simulated run, and (G,) the true gaps: of groups, or of their words in the scope of these words."""
        lexemes = self.chosen.lexemes(random)
        who, rows = self._harms()
        fits = [balanced(self.chosen.scores(random, lexemes)[0]) for _ in rows]
        scope = scopes_of(who)
        made = tuple(HarmFit(one, fit, fit) for one, fit in zip(rows, fits, strict=True))
        family = family_of(who, made, scope, {}, draws=DRAWS, seed=seed)
        return family, np.where(scope == 0, self.chosen.true_gap(), self.chosen.true_gap(lexemes))

    def _harms(self) -> tuple[Compared, list[HarmRows]]:
        """The terms, and the rows of each harm: those of other sources."""
        who, rows = compared_in(self.chosen)
        size, n = len(who.term), self.chosen.counted
        term, source = (np.tile(side, self.harms) for side in (who.term, who.cluster))
        source = source + n * np.repeat(np.arange(self.harms), size)
        every = [
            HarmRows(HARMS[h], np.arange(h * size, (h + 1) * size), np.zeros(size), None) for h in range(self.harms)
        ]
        return replace(who, term=term, cluster=source, block=source), every if self.harms > 1 else [rows]


def shifted(name: str, gap: float = 0.0, effects: str = "normal") -> Design:
    """A design whose first group has this true gap."""
    sizes, sources = DESIGNS[name]
    return design(sizes, sources, effects, shift=shift_for(gap, sizes) if gap else 0.0)


def several(name: str) -> Design:
    """Two groups much worse, one somewhat, one better, two alike."""
    alike = shifted(name)
    return replace(alike, shift=alike.shift + np.array(SEVERAL))


def alike_words(lexemes: int) -> Design:
    """Six groups of a few words that the model treats alike."""
    one = design((lexemes,) * 6, 30)
    return replace(one, sd=np.zeros(6))


def worlds() -> Iterator[World]:
    """Those of the table."""
    for name in DESIGNS:
        for effects in ("normal", "heavy", "spread") if name != "six of 8, one of 1" else ("normal",):
            yield World(f"{name}, {effects}: none", shifted(name, effects=effects))
    for name in ("5 x 30", "8 x 30", "20 x 30", "20 x 60", "5,5,8,10,20,30"):
        for gap in GAPS:
            yield World(f"{name}: one, {100 * gap:.0f}", shifted(name, gap))
    for name in ("5 x 30", "20 x 30"):
        yield World(f"{name}, spread: one", replace(shifted(name, effects="spread"), shift=_first(name, "spread")))
        yield World(f"{name}: several", several(name))
        yield World(f"{name}, two harms: none", shifted(name), harms=2)
        yield World(f"{name}, two harms: one, 10", shifted(name, 0.1), harms=2)
        yield World(f"{name}, two harms: several", several(name), harms=2)
    yield World("6 x 2 words: alike", alike_words(2))
    yield World("6 x 2 words: they differ", design((2,) * 6, 30))


def _first(name: str, effects: str) -> FloatArray:
    """Shifts where the first group is .6 worse on the logit."""
    found: FloatArray = shifted(name, effects=effects).shift + 0.6 * (np.arange(len(DESIGNS[name][0])) == 0)
    return found


def figure(repetitions: int) -> Iterator[Row]:
    """How well the figure and its interval tell the largest true gap; gaps and biases are in points."""
    for world in worlds():
        random = np.random.default_rng(21)
        found = pd.DataFrame([_one(world, random, at) for at in range(repetitions)])
        value, unshrunk, truth = found["value"], found["unshrunk"], found["truth"]
        yield {
            "world": world.name,
            "true": 100 * float(truth.mean()),
            "covered": float(((found["ci_low"] <= truth) & (truth <= found["ci_high"])).mean()),
            "missed below": float((truth < found["ci_low"]).mean()),
            "bias": 100 * float((value - truth).mean()),
            "unshrunk": 100 * float((unshrunk - truth).mean()),
            "rmse": 100 * float(np.sqrt(((value - truth) ** 2).mean())),
            "rmse unshrunk": 100 * float(np.sqrt(((unshrunk - truth) ** 2).mean())),
            "outside": float(((value < found["ci_low"]) | (value > found["ci_high"])).mean()),
            "floor": 100 * float(found["noise_floor"].mean()),
            "above floor": float((value > found["noise_floor"]).mean()),
        }


def _one(world: World, random: np.random.Generator, seed: int) -> Row:
    family, truth = world.run(random, seed)
    found = largest_gap(family)
    return {**found, "unshrunk": float(np.nanmax(family.gap)), "truth": max(0.0, float(truth.max()))}


def gate(repetitions: int) -> Iterator[Row]:
    """How often ``--fail-if "gap>0.1"`` exits with each code where one group has a true gap, without a placebo."""
    for name in GATED:
        for gap in (0.0, *GAPS):
            world = World(name, shifted(name, gap))
            random = np.random.default_rng(22)
            codes = [gate_of(records(world.run(random, at)[0]), LIMIT)[0] for at in range(repetitions)]
            shares = {f"exit {code}": codes.count(code) / repetitions for code in (0, 1, 4)}
            yield {"design": name, "true gap": gap, **shares}


def records(family: GroupFamily) -> pd.DataFrame:
    """The columns of the findings that the gate reads."""
    rows = []
    for h, fit in enumerate(family.fits):
        better, low_without = without_better_groups(family, h)
        for g, group in enumerate(family.who.groups):
            beside = bool(better) and g not in better and family.low[h, g] > 0 and not low_without[g] > 0
            evidence = Evidence(
                SCOPES[family.scope[g]],
                float(family.gap[h, g]),
                float(family.low[h, g]),
                float(family.p_adjusted[h, g]),
                float("nan"),
                int(family.sources[h, g]),
                MIN_LEXEMES,
                high=float(family.high[h, g]),
                beside="another" if beside else "",
            )
            row: Row = {
                "attribute": "simulated",
                "group": group,
                "title": fit.harm.title,
                "status": status(evidence)[0],
            }
            row |= {"gap": evidence.gap, "ci_low": evidence.low, "ci_high": evidence.high}
            row["detectable_gap"] = (family.critical[family.scope[g]] + POWER) * family.error[h, g]
            rows.append(row)
    return pd.DataFrame(rows)
