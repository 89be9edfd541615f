"""What calling something a finding costs: errors, power and coverage, on simulated and on real scores.

    python benchmarks/findings.py [--quick] [--json FILE] [--part PART]

*Simulation*: groups whose true gaps are known, tested by the package and by others on the same tables. *Dixon*: the
scored phrases of Dixon et al. 2018, whose terms are split into groups at random. *Names*: how the gap between female
and male names depends on which names are taken. *Placebo*: random sets of concepts that should not matter.
*Sizes*: the statuses of true gaps of several sizes. *Gate*: its decisions. *Dependence*: words with hidden forms,
sources of few topics and rewordings, before and after the run knows of them.

A claim is a gap whose lower simultaneous bound is above 0, whatever its size and without a placebo. All shares have a
Monte Carlo error of ``sqrt(share * (1 - share) / repetitions)``: 1.1 points at 5 % and 400 repetitions.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from fairness_checklist.findings.harm_cells import Compared, HarmRows
from fairness_checklist.findings.status import STATUSES
from findings_data import dixon, names, placebo
from findings_dependence import dependence
from simulated_families import (
    DESIGNS,
    DRAWS,
    EFFECTS,
    SATURATED,
    UNLIKE,
    Design,
    claims,
    compared_in,
    design,
    family_in,
    fitted,
    shift_for,
    statuses,
    unlike,
)

import fairness_checklist as fc
from fairness_checklist.core.tasks import TASKS
from fairness_checklist.findings.family import (
    GroupFamily,
    HarmFit,
    effects_of_forms,
    family_of,
    scopes_of,
    with_forms,
)
from fairness_checklist.findings.records import POWER, in_unit

Row = dict[str, Any]
SHIFTS = (0.45, 0.8)
NO_GAP = 0.005  # up to which a claim of a true gap counts as wrong
FIXED = 20  # sets of lexemes, for each of which sources are drawn anew
WORDS: dict[str, tuple[tuple[int, ...], int]] = {
    "10 sources, 6 x 5": ((5,) * 6, 15),
    "20 sources, 6 x 5": ((5,) * 6, 30),
    "20 sources, 6 x 1": ((1,) * 6, 30),
    "40 sources, 6 x 20": ((20,) * 6, 60),
}
GAPS = (0.0, 0.01, 0.03, 0.05, 0.1, 0.2)
SIZED = ("5 x 30", "8 x 30", "20 x 30", "20 x 60")
PARTS = ("simulation", "sizes", "forms", "dependence", "gate", "dixon", "names", "placebo")
LIMIT = 0.1


def worlds() -> Iterator[tuple[str, Design]]:
    """The designs without an effect: unlike sizes and effects, and five more where rules are known to fail."""
    for name, (sizes, sources) in DESIGNS.items():
        for effects in EFFECTS:
            yield f"{name}, {effects}", design(sizes, sources, effects)
    for name in ("8 x 30", "20,20"):
        sizes, sources = DESIGNS[name]
        yield f"{name}, saturated", design(sizes, sources, base=SATURATED)
    for name in UNLIKE:
        for on_logit in (True, False):
            yield f"{name}; equal {'on the logit' if on_logit else 'in probability'}", unlike(name, on_logit=on_logit)


def held(family: GroupFamily, chosen: Design, lexemes: np.ndarray[Any, Any] | None = None) -> dict[str, bool]:
    """Which bounds hold the truth for all groups; groups of few lexemes are in another scope."""
    kept = family.scope == family.scope.min()
    gap, rate = (chosen.true_gap(lexemes, decisions=decisions) for decisions in (False, True))
    sides = {
        "low holds": family.low[0] <= gap + 1e-4,
        "high holds": gap - 1e-4 <= family.high[0],
        "rate low holds": family.rate_low[0] <= rate + 1e-3,
        "rate high holds": rate - 1e-3 <= family.rate_high[0],
    }
    return {name: bool(side[kept].all()) for name, side in sides.items()}


def errors(repetitions: int) -> Iterator[Row]:
    """The share of tables with a wrong claim, and of those whose bounds hold the truth."""
    for name, chosen in worlds():
        yield {"design": name, **_shares(chosen, repetitions, first_alone=False)}


def power(repetitions: int) -> Iterator[Row]:
    """The share of tables in which the first group's shift is claimed."""
    for name, (sizes, sources) in DESIGNS.items():
        for shift in SHIFTS:
            chosen = design(sizes, sources, shift=shift)
            gap = {"true gap": round(float(chosen.true_gap()[0]), 3)}
            yield {"design": name, **gap, **_shares(chosen, repetitions, first_alone=True)}
    for gap_wanted in (0.05, 0.1):
        sizes, sources = DESIGNS["8 x 30"]
        chosen = design(sizes, sources, shift=shift_for(gap_wanted, sizes, SATURATED), base=SATURATED)
        yield {"design": "8 x 30, saturated", "true gap": gap_wanted, **_shares(chosen, repetitions, first_alone=True)}


def _shares(chosen: Design, repetitions: int, *, first_alone: bool) -> dict[str, float]:
    """The share of tables with a claim, by test, and of those in which all bounds hold the truth."""
    random = np.random.default_rng(11)
    rows = []
    for _ in range(repetitions):
        found, family = claims(chosen, DRAWS, random)
        wrong = chosen.true_gap() <= NO_GAP
        shares = {test: bool(claimed[0] if first_alone else claimed[wrong].any()) for test, claimed in found.items()}
        rows.append(shares | held(family, chosen))
    return {key: float(np.mean([row[key] for row in rows])) for key in rows[0]}


def fixed_words(repetitions: int) -> Iterator[Row]:
    """Coverage where the words stay and sources are drawn anew."""
    for name, (sizes, sources) in WORDS.items():
        for effects in EFFECTS[:2]:
            chosen = design(sizes, sources, effects)
            random = np.random.default_rng(5)
            rows = []
            for _ in range(FIXED):
                lexemes = chosen.lexemes(random)
                for at in range(max(1, repetitions // FIXED)):
                    family = family_in(chosen, fitted(*chosen.scores(random, lexemes)), words=True, seed=at)
                    rows.append(held(family, chosen, lexemes))
            yield {"design": name, "effects": effects, **{k: float(np.mean([r[k] for r in rows])) for k in rows[0]}}


def detectable(repetitions: int) -> Iterator[Row]:
    """Claims where the true gap is the one that the package prints as detectable in 80 of 100 tables."""
    for name, base in (*((name, 0.0) for name in SIZED), ("8 x 30", SATURATED)):
        sizes, sources = DESIGNS[name]
        alike = design(sizes, sources, base=base)
        random = np.random.default_rng(3)
        printed = []
        for at in range(max(20, repetitions // 4)):
            probability, rate = alike.scores(random, alike.lexemes(random))
            family = family_in(alike, fitted(probability, rate), seed=at)
            shift = (family.critical[0] + POWER) * float(family.test_error[0, 0])
            printed.append(in_unit(probability.ravel(), shift))
        gap = float(np.median(printed))
        chosen = design(sizes, sources, shift=shift_for(gap, sizes, base), base=base)
        found = [_table(chosen, random, at).low[0, 0] > 0 for at in range(repetitions)]
        about = ", saturated" if base else ""
        yield {"design": name + about, "detectable gap": gap, "claimed": float(np.mean(found))}


def _table(chosen: Design, random: np.random.Generator, seed: int) -> GroupFamily:
    return family_in(chosen, fitted(*chosen.scores(random, chosen.lexemes(random))), seed=seed)


def sizes(repetitions: int) -> Iterator[Row]:
    """The statuses of a group with a true gap, and of the five others, which have about none; in shares of tables."""
    cases = [(name, 0.0, gap) for name in SIZED for gap in GAPS]
    cases += [("8 x 30", SATURATED, gap) for gap in GAPS[:4]]
    for name, base, gap in cases:
        sizes, sources = DESIGNS[name]
        chosen = design(sizes, sources, shift=shift_for(gap, sizes, base) if gap else 0.0, base=base)
        random = np.random.default_rng(6)
        first, others, excess = Counter[str](), 0, []
        for at in range(repetitions):
            family = _table(chosen, random, at)
            found = statuses(family)[0]
            first[found[0]] += 1
            others += any(one == "clear" for one in found[1:])
            if found[0] == "clear":
                excess.append(family.gap[0, 0])
        yield {
            "design": name + (", saturated" if base else ""),
            "true gap": gap,
            **{status: first[status] / repetitions for status in STATUSES},
            "another clear": others / repetitions,
            "clear gap / true": float(np.mean(excess)) / gap if gap and excess else float("nan"),
        }


FORMS: dict[str, tuple[str, ...]] = {
    "phrases in one group": ("pp", "noun", "noun", "adj", "adj", "noun"),
    "mixed in all": ("mixed",) * 6,
    "phrases and nouns in two each": ("pp", "pp", "noun", "noun", "adj", "adj"),
}
PLACEBO = (30, 4)  # concepts, and lexemes of each, whose forms are mixed


def forms(repetitions: int) -> Iterator[Row]:
    """Claims where phrases are .4 worse on the logit whatever the group, and the power where forms do not matter."""
    for name, of_groups in FORMS.items():
        for effect, shift in ((0.4, 0.0), (0.0, 0.0), (0.0, 0.45), (0.4, 0.45)):
            for known in (True, False):
                random = np.random.default_rng(31)
                found = [_with_forms(of_groups, effect, shift, known, random, at) for at in range(repetitions)]
                hit = [row[:1] if shift else row for way in found for row in way]
                plain, adjusted = ([bool(row.any()) for row in hit[at::2]] for at in (0, 1))
                yield {
                    "forms": name,
                    "phrases": effect,
                    "shift": shift,
                    "placebo": "yes" if known else "no",
                    "claimed, not adjusted": float(np.mean(plain)),
                    "claimed, adjusted": float(np.mean(adjusted)),
                }


def _with_forms(
    of_groups: tuple[str, ...], effect: float, shift: float, known: bool, random: np.random.Generator, seed: int
) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """(G,) the claims without and with an adjustment for forms."""
    sides: list[tuple[Compared, tuple[HarmFit, ...]]] = []
    mixed = np.array(["adj", "noun", "pp", "pp"])
    for chosen in (design((8,) * 6, 30, shift=shift), design((PLACEBO[1],) * PLACEBO[0], 30)):
        size = len(chosen.group)
        if sides:
            pos = np.tile(mixed, size)[:size]
        else:
            pos = np.array([mixed[at % 4] if form == "mixed" else form for form in of_groups for at in range(8)])
        who, rows = compared_in(chosen)
        terms = tuple(f"{'ab' if form == 'adj' else 'abcd'} {at:03}" for at, form in enumerate(pos))
        who = replace(who, pos=tuple(pos.tolist()), terms=terms)
        probability, rate = chosen.scores(random, chosen.lexemes(random) + effect * (pos == "pp"))
        figures = fitted(probability, rate)
        sides.append((who, (HarmFit(rows, figures, figures, chosen.group),)))
    (who, fits), beside = sides
    scope = scopes_of(who)
    of_forms = effects_of_forms(who, fits, beside if known else None)
    ways = (fits, with_forms(who, fits, of_forms))
    plain, adjusted = (family_of(who, way, scope, {}, draws=DRAWS, seed=seed).low[0] > 0 for way in ways)
    return plain, adjusted


def gate(repetitions: int) -> Iterator[Row]:
    """How a gate of 10 points decides where one group has a true gap, with one error and two; and which limit a model
    without gaps passes in 90 % of the runs.
    """
    for harms in (1, 2):
        for name in (*SIZED, "5,5,8,10,20,30"):
            for gap in (0.0, 0.05, 0.1, 0.2):
                sizes, sources = DESIGNS[name]
                chosen = design(sizes, sources, shift=shift_for(gap, sizes) if gap else 0.0)
                random = np.random.default_rng(22)
                families = [_of_harms(chosen, harms, random, at) for at in range(repetitions)]
                needed = np.array([family.high_alone.max() for family in families])
                passed, failed = needed < LIMIT, np.array([(family.low > LIMIT).any() for family in families])
                shares = {"pass": passed.mean(), "fail": failed.mean(), "inconclusive": (~passed & ~failed).mean()}
                shares = {decision: float(share) for decision, share in shares.items()}
                yield {"design": name, "harms": harms, "true gap": gap, **shares} | {
                    "passed in 90 %": float(np.quantile(needed, 0.9))
                }


def gate_limits(repetitions: int) -> Iterator[Row]:
    """Which limit a model without gaps passes in 90 % of the runs, for the words and sentences of each attribute."""
    for name in fc.list_attributes():
        task = "ner" if name.startswith(("names", "nationality")) else "sentiment"
        suite = fc.Suite.build(name, task=task, max_sources=1_000_000) if "placebo" not in name else None
        if suite is None:
            continue
        frame = suite.to_frame()
        frame = frame[frame["group"] != "unmarked"]
        sizes = tuple(frame.groupby("group", sort=False)["lexeme"].nunique().tolist())
        sources = frame["source"].nunique()
        random = np.random.default_rng(23)
        chosen = design(sizes, sources)
        harms = 1 if task == "ner" else 2
        needed = [_of_harms(chosen, harms, random, at).high_alone.max() for at in range(repetitions)]
        few = min(sizes)
        limit = float(np.quantile(needed, 0.9))
        yield {
            "attribute": name,
            "groups": len(sizes),
            "fewest words": few,
            "sentences": sources,
            "passed in 90 %": limit,
        }


def _of_harms(chosen: Design, harms: int, random: np.random.Generator, seed: int) -> GroupFamily:
    """The family of one or two errors; these have sources of their own, the first has the gap."""
    who = compared_in(chosen)[0]
    alike = replace(chosen, shift=np.append(chosen.shift[1], chosen.shift[1:]))
    size, fits = len(who.term), []
    term, source = (np.tile(side, harms) for side in (who.term, who.cluster))
    source = source + chosen.counted * np.repeat(np.arange(harms), size)
    for h in range(harms):
        of = chosen if h == 0 else alike
        probability, rate = of.scores(random, of.lexemes(random))
        row = np.arange(h * size, (h + 1) * size)
        figures = fitted(probability, rate)
        of_harm = HarmRows(TASKS["sentiment"].harms[h], row, rate.ravel(), probability.ravel())
        fits.append(HarmFit(of_harm, figures, figures, chosen.group))
    who = replace(who, term=term, cluster=source, block=source)
    return family_of(who, tuple(fits), scopes_of(who), {}, draws=DRAWS, seed=seed)


def tables(part: str, *, quick: bool) -> Iterator[tuple[str, Iterable[Row]]]:
    """The titles and rows of a part."""
    few, many = (20, 40) if quick else (400, 1000)
    if part == "simulation":
        yield "any claim where no group has an effect", errors(few)
        yield "a claim about the group that is shifted by .45 and .8 on the logit", power(few)
        yield "coverage where the words stay", fixed_words(many)
        yield "claims at the gap that is printed as detectable in 80 %", detectable(few)
    elif part == "dixon":
        yield "random splits of the terms of Dixon et al. 2018", dixon(10 if quick else 200)
    elif part == "sizes":
        yield "statuses of a group with a true gap", sizes(few)
    elif part == "forms":
        yield "groups whose words have forms of their own", forms(few)
    elif part == "gate":
        yield "decisions of a gate of 10 points", gate(few)
        yield "limits that each attribute can be gated at", gate_limits(few // 4)
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
