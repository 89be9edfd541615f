"""How often the rule for findings is wrong, and what it finds: simulated worlds whose true gaps are known.

    python benchmarks/findings.py [--quick] [--json FILE] [--part PART]

*Null*: no group has a gap. *Margin*: the first group has a gap of exactly the margin, and is called small. *Power*: it
has a gap of 5, 10 or 20 points, or one of its words carries one. *Small*: statuses where no group has a gap.
*Dependence*: words, sentences or forms that depend on each other, before and after the run knows of them, and tables
without terms. *Words*: single words beside control words. *Gate*: its decisions. *Dixon*: the scored phrases of Dixon
et al. 2018, whose terms are split into groups at random. *Limits*: what a gate can ask of each default set of terms.

Shares have a Monte Carlo error of ``sqrt(share * (1 - share) / repetitions)``: 1.1 points at 5 % and 400 repetitions.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from findings_data import as_scored, dixon
from findings_dependence import dependence, forms, nameless
from simulated_families import TERM_SD, World, mixed, simulated

import fairness_checklist as fc
from fairness_checklist.api.scoring import list_attributes
from fairness_checklist.content.terms import lexemes_of
from fairness_checklist.core.arrays import FloatArray
from fairness_checklist.core.option_defaults import MARGIN
from fairness_checklist.core.tasks import TASKS
from fairness_checklist.findings.rule import Status
from fairness_checklist.findings.words import prediction_bound

Row = dict[str, Any]
LIMIT = 0.1
GENDER = (5, 5, 1, 1, 8, 4, 6)
GENDER_TERMS = (1,) * 10 + (12, 10) + (1, 1, 1, 1, 1, 1, 2, 3) + (1, 1, 2, 1) + (1, 2, 1, 1, 1, 1)
RELIGION = (12, 6, 5, 1, 3, 1, 1, 1, 2, 1, 1, 1, 1, 2, 3, 6)
SIZES = (1, 2, 3, 5, 8, 20, 60)
WILD = {
    "8 x 6, one twice as variable": World((8,) * 6, words=(2 * TERM_SD,) + (TERM_SD,) * 5),
    "20, 20, one 4 times": World((20, 20), words=(TERM_SD, 4 * TERM_SD)),
    "40, 20, 8, 5, rising": World((40, 20, 8, 5), words=(0.4 * TERM_SD, 0.8 * TERM_SD, 1.4 * TERM_SD, 2 * TERM_SD)),
    "60, 5, the five 5 times": World((60, 5), words=(TERM_SD, 5 * TERM_SD)),
}
WORLDS: dict[str, World] = {
    "5 x 6": World((5,) * 6),
    "8 x 6": World((8,) * 6),
    "20 x 6, 60 sentences": World((20,) * 6, sources=60),
    "8 x 6, two errors": World((8,) * 6, errors=2),
    "2 x 12": World((2,) * 12),
    "1, 2, 3, 5, 8, 20, 60": World(SIZES),
    "gender": World(GENDER, terms=GENDER_TERMS),
    "religion": World(RELIGION),
    "8 x 6, t3": World((8,) * 6, heavy=True),
    "gender, t3": World(GENDER, terms=GENDER_TERMS, heavy=True),
    "8 x 2": World((8, 8)),
    "20 x 2, 60 sentences": World((20, 20), sources=60),
    "8 x 6, rate 2 %": World((8,) * 6, rate=0.02),
    "8 x 6, 12 sentences": World((8,) * 6, sources=12),
    "8 x 6, 100 sentences": World((8,) * 6, sources=100),
    **WILD,
    "reference of 8": World((8,) * 6, reference=1),
    "reference of 2": World((8, 2, 8, 8, 8, 8), reference=1),
    "reference of 1, such as unmarked": World((8, 1, 8, 8, 8, 8), reference=1),
    "reference of 8, twice as variable": World((8,) * 6, reference=1, words=(TERM_SD, 2 * TERM_SD) + (TERM_SD,) * 4),
    "names of a tagger, 40 x 4, 20 sentences": World((40,) * 4, sources=20, words=1.0, rate=0.35, decisions=True),
    "names of a tagger, 10 x 6, 12 sentences": World((10,) * 6, sources=12, words=1.0, rate=0.35, decisions=True),
}
"""Groups, each of so many lexemes; 30 sentences if not said. The last are of decisions alone."""


def both_units(worlds: dict[str, World]) -> Iterator[tuple[str, str, World]]:
    """Each world in probability and in decisions."""
    for name, world in worlds.items():
        if not world.decisions:
            yield name, "probability", world
        yield name, "decisions", replace(world, decisions=True)


def null(repetitions: int) -> Iterator[Row]:
    """The share of tables in which any group is worse, or better, and in which all bounds hold the truth."""
    for name, unit, world in both_units(WORLDS):
        random, truth, rows = np.random.default_rng(11), world.true_gap(), []
        for _ in range(repetitions):
            scores, family = simulated(world, random)
            status = [one for decided in family.decided for one in decided.status]
            first = family.decided[0]
            known = ~np.isnan(first.low)
            peer = mixed(scores[0], world.group).any() if _has_peer(world) else np.nan
            rows.append(
                {
                    "worse": Status.WORSE in status,
                    "better": Status.BETTER in status,
                    "low above 0": any((decided.low > 0).any() for decided in family.decided),
                    "low holds": (first.low <= truth + 1e-9)[known].all(),
                    "high holds": (first.high >= truth - 1e-9)[known].all(),
                    "mixed model": peer,
                }
            )
        yield {"design": name, "unit": unit, **pd.DataFrame(rows).mean()}


def _has_peer(world: World) -> bool:
    """Whether the mixed model is defined for a world: all groups are of one size, each term is a word."""
    plain = not world.decisions and not world.terms and world.reference is None and world.errors == 1
    return plain and len(set(world.sizes)) == 1


def margin(repetitions: int) -> Iterator[Row]:
    """The share of tables in which a group with a gap of exactly the margin is called small."""
    for name, unit, world in both_units(WORLDS):
        if world.reference is None:
            yield {"design": name, "unit": unit, **_first(replace(world, gap=MARGIN), repetitions)}


def _first(world: World, repetitions: int) -> dict[str, float]:
    """The statuses of the first group in the first error, as shares of tables, and the mixed model's claims."""
    random, found, claimed = np.random.default_rng(6), Counter[str](), 0
    for _ in range(repetitions):
        scores, family = simulated(world, random)
        found[str(family.decided[0].status[0])] += 1
        claimed += bool(_has_peer(world) and mixed(scores[0], world.group)[0])
    shares = {str(status): found[str(status)] / repetitions for status in Status}
    return shares | {"mixed model": claimed / repetitions if _has_peer(world) else float("nan")}


def power(repetitions: int) -> Iterator[Row]:
    """The statuses of a group with a true gap; and where one of its words has a gap of 25 or 50 points."""
    for size, sources in ((2, 30), (3, 30), (5, 30), (8, 30), (8, 60), (20, 30), (20, 60), (60, 30)):
        for decisions in (False, True):
            for gap in (0.05, 0.1, 0.2):
                world = World((size,) * 6, sources=sources, gap=gap, decisions=decisions)
                unit = "decisions" if decisions else "probability"
                design = {"design": f"{size} x 6, {sources} sentences", "unit": unit, "gap": gap}
                yield design | _first(world, repetitions)
    tagger = WORLDS["names of a tagger, 40 x 4, 20 sentences"]
    for gap in (0.05, 0.1, 0.2):
        design = {"design": "names, 40 x 4, 20 sentences", "unit": "decisions", "gap": gap}
        yield design | _first(replace(tagger, gap=gap), repetitions)
    for size in (1, 2, 3, 5, 8):
        for gap in (0.25, 0.5):
            world = World((size, *(8,) * 5), gap=gap, carried=True)
            yield {"design": f"one word of {size}", "unit": "probability", "gap": gap} | _first(world, repetitions)


def small(repetitions: int) -> Iterator[Row]:
    """The statuses of all groups where none has a gap, by the number of their lexemes."""
    for name, world in {name: WORLDS[name] for name in ("1, 2, 3, 5, 8, 20, 60", "gender")}.items():
        random, found = np.random.default_rng(8), [Counter[str]() for _ in world.sizes]
        for _ in range(repetitions):
            for counted, status in zip(found, simulated(world, random)[1].decided[0].status, strict=True):
                counted[str(status)] += 1
        for size, counted in zip(world.sizes, found, strict=True):
            yield {"design": name, "lexemes": size, **{str(one): counted[str(one)] / repetitions for one in Status}}


def words(repetitions: int) -> Iterator[Row]:
    """Single words beside control words: beyond all of them, and beyond the prediction bound."""
    for heavy in (False, True):
        for controls, count in ((20, 10), (60, 30), (60, 60)):
            for shift in (0.0, 0.25):
                random, rows = np.random.default_rng(9), []
                for _ in range(20 * repetitions):
                    size = controls + count
                    drawn = random.standard_t(3, size) / np.sqrt(3) if heavy else random.normal(size=size)
                    gaps = 0.06 * drawn
                    gaps[0] += shift
                    beside = gaps[count:] - gaps[count:].mean()
                    own = gaps[:1] if shift else gaps[:count]
                    bound = max(prediction_bound(beside, count), float(beside.max()))
                    rows.append({"beyond all": (own > beside.max()).any(), "beyond bound": (own > bound).any()})
                design = {"controls": controls, "words": count, "tails": "t3" if heavy else "normal"}
                yield design | {"one word": shift, **pd.DataFrame(rows).mean()}


def gate(repetitions: int) -> Iterator[Row]:
    """How a gate of 5 or 10 points decides where one group has a true gap."""
    for name in ("5 x 6", "8 x 6", "20 x 6, 60 sentences", "gender"):
        for gap in (0.0, 0.05, 0.1, 0.2):
            world, random = replace(WORLDS[name], gap=gap), np.random.default_rng(22)
            decided = [simulated(world, random)[1].decided[0] for _ in range(repetitions)]
            for limit in (LIMIT / 2, LIMIT):
                passed = [(one.high_alone < limit).all() for one in decided]
                failed = [((np.array(one.status) == Status.WORSE) & (one.low > limit)).any() for one in decided]
                shares = {"pass": float(np.mean(passed)), "fail": float(np.mean(failed))}
                yield {"design": name, "gap": gap, "limit": limit, **shares}


def _largest(world: World, random: np.random.Generator, repetitions: int) -> FloatArray:
    """The largest upper bound of a comparison alone in each run."""
    return np.array([simulated(world, random)[1].decided[0].high_alone.max() for _ in range(repetitions)])


def limits_by_words(repetitions: int) -> Iterator[Row]:
    """The same limit by the words of each of six groups."""
    for sources in (30, 60):
        worlds = {f"{n} words": World((n,) * 6, sources=sources) for n in (2, 3, 5, 8, 12, 20)}
        found = {name: _largest(world, np.random.default_rng(23), repetitions) for name, world in worlds.items()}
        yield {"design": f"{sources} sentences", **{name: float(np.quantile(one, 0.9)) for name, one in found.items()}}


def limits(repetitions: int) -> Iterator[Row]:
    """The smallest limit that a model without gaps passes in 90 % of runs, also where it varies as the bundled one."""
    default = [name for name in list_attributes() if "." not in name and name not in ("control_words", "names")]
    for task in ("sentiment", "toxicity"):
        for attribute in default:
            suite = fc.Suite.build(attribute, task=task)
            terms = suite.parts[0].terms.terms
            words = {(term.group, word) for term, word in zip(terms, lexemes_of(terms), strict=True)}
            sizes = tuple(sorted(Counter(group for group, _word in words).values()))
            examples = suite.run("bundled", control_words=False, progress=False).examples
            largest = {"limit": np.zeros(repetitions), "bundled": np.zeros(repetitions)}
            drawn = {name: np.random.default_rng(23) for name in largest}
            for harm in TASKS[task].harms:
                varied = as_scored(examples, harm, sizes)
                for name, world in (("limit", World(sizes, sources=varied.sources)), ("bundled", varied)):
                    largest[name] = np.maximum(largest[name], _largest(world, drawn[name], repetitions))
            ends = {name: float(np.quantile(values, 0.9)) for name, values in largest.items()}
            counts = {"groups": len(sizes), "least": min(sizes), "most": max(sizes)}
            yield {"design": f"{task} {attribute}", **counts, **ends}


TABLES: dict[str, dict[str, Callable[[int], Iterator[Row]]]] = {
    "null": {"no group has a gap": null},
    "margin": {"the first group has a gap of exactly the margin": margin},
    "power": {"the first group has a gap": power},
    "small": {"statuses of groups without a gap": small},
    "dependence": {
        "words or sentences depend on each other": dependence,
        "groups whose words have forms of their own": forms,
        "tables without terms": nameless,
    },
    "words": {"single words beside control words": words},
    "gate": {"decisions of a gate": gate},
    "limits": {
        "the smallest limit that a model without gaps passes in 90 % of runs": limits_by_words,
        "that of each default set of terms": limits,
    },
    "dixon": {"random splits of the terms of Dixon et al. 2018": dixon},
}


def shown(value: Any) -> str:
    """A cell of a table: shares and gaps with three decimals."""
    return f"{value:.3f}" if isinstance(value, float) else f"{value}"


def main() -> None:
    """Print the tables, and write them where asked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="fewer repetitions")
    parser.add_argument("--json", type=Path, help="also write the figures here")
    parser.add_argument("--part", choices=TABLES, help="one part alone")
    arguments = parser.parse_args()
    found: dict[str, list[Row]] = {}
    chosen = [TABLES[arguments.part]] if arguments.part else TABLES.values()
    for title, table in chain.from_iterable(part.items() for part in chosen):
        rows = table(20 if arguments.quick else 400)
        print(f"\n{title}")
        found[title] = []
        for row in rows:
            if not found[title]:
                widths = [max(len(key), 40 if key == "design" else 11 if isinstance(value, str) else 7)
                          for key, value in row.items()]  # fmt: skip
                print("  ".join(f"{key:>{width}}" for key, width in zip(row, widths, strict=True)))
            print("  ".join(f"{shown(v):>{w}}" for v, w in zip(row.values(), widths, strict=True)), flush=True)
            found[title].append(row)
    if arguments.json:
        arguments.json.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
