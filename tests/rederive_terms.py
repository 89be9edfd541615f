"""What a run's metrics.csv tells of single terms, recomputed plainly: label distances, chance and p.

A term has its rows, one per source as a rule. Every assignment of the terms to the groups is gone through, so that this
is for runs of few terms; a run of many terms draws some. Nothing of the package is used.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, product
from math import isnan, nan
from typing import Any

import pandas as pd
from rederive import LINES, Figures, Rows, average, derive, read, scored, with_totals

DISTANCES = ("pert_ld", "pert_ld_unmarked")
RATIOS = {name: 1.0 for name, line in LINES.items() if line[4] in ("over", "share")}  # 1 is equal
AREAS = {name: 1.0 for name, line in LINES.items() if line[4] in ("area", "turned", "pinned")}
SIGNED = {name for name, line in LINES.items() if line[4] in ("minus", "over", "higher", "area", "turned", "pinned")}


def mean(values: list[float]) -> float:
    kept = [x for x in values if not isnan(x)]
    return sum(kept) / len(kept) if kept else nan


def jaccard(a: dict[str, float], b: dict[str, float]) -> float:
    """1 - |A and B| / |A or B| over the sources of both: {source: share of the rows that are in the class}."""
    both = sum(a[s] * b[s] for s in a if s in b)
    either = sum(a[s] + b[s] for s in a if s in b) - both
    return 1 - both / either if either else nan


def label_distances(name: str, rows: Rows, groups: list[str]) -> Figures:
    """{(left, right): (value, n, n_undefined)} of one class: the mean over pairs of a term of each side."""
    cells: dict[Any, Rows] = {}
    for r in rows:
        if r["symmetric"] == "yes":
            cells.setdefault((r["group"], r["term"], r["source"]), []).append(r)
    sets: dict[str, dict[str, dict[str, float]]] = {g: {} for g in [*groups, "unmarked"]}
    for (group, term, source), part in cells.items():
        if not isnan(share := average(*scored(part, "selection"))):
            sets[group].setdefault(term, {})[source] = share
    found, seen = Figures(), set()
    for left, right in combinations(groups, 2) if name == "pert_ld" else [(g, "unmarked") for g in groups]:
        value = mean([jaccard(a, b) for a, b in product(sets[left].values(), sets[right].values())])
        sources = set.intersection(*({s for one in sets[g].values() for s in one} for g in (left, right)))
        found[left, right] = value, len(sources), int(isnan(value))
        seen |= sources
    return with_totals(found, len(seen), "mean", groups)


def derive_all(table: pd.DataFrame, asked: set[tuple[str, str]], positive: str, groups: list[str]) -> Figures:
    """`rederive.derive`, and the label distances."""
    found = derive(table, {one for one in asked if one[0] not in DISTANCES}, positive, groups)
    classes = [name[2:] for name in table.columns if name.startswith("p:")]
    table = pd.DataFrame({"weight": 1.0, "symmetric": "yes", "score:las": nan, **table})
    for c, name in product(classes, sorted({name for name, _ in asked if name in DISTANCES})):
        of_class = label_distances(name, read(table, classes, c), groups)
        found |= {(name, "", c, *sides): figure for sides, figure in of_class.items()}
    return found


def assignments(terms: list[str], sizes: list[tuple[str, int]]) -> Iterator[dict[str, str]]:
    """Every way to give each group as many terms as it has."""
    if not sizes:
        yield {}
        return
    (group, size), *rest = sizes
    for chosen in combinations(terms, size):
        for others in assignments([t for t in terms if t not in chosen], rest):
            yield {**dict.fromkeys(chosen, group), **others}


def chances(table: pd.DataFrame, asked: set[tuple[str, str]], positive: str, groups: list[str]) -> dict[Any, Any]:
    """{key: (chance, p)}: the mean over all assignments, and the share of them that are as far from equal."""
    owner = table[table["group"] != "unmarked"].groupby("term")["group"].first()
    sizes = [(g, int((owner == g).sum())) for g in groups]
    drawn = []
    for given in assignments(list(owner.index), sizes):
        again = table.assign(group=[given.get(t, "unmarked") for t in table["term"]])
        drawn.append(derive_all(again, asked, positive, groups))
    found = {}
    for at, (value, *_) in derive_all(table, asked, positive, groups).items():
        equal = {**RATIOS, **AREAS}.get(at[0], 0.0)
        values = [one[at][0] for one in drawn]
        far = [abs(x - equal) >= abs(value - equal) - 1e-12 for x in values if not isnan(x)]
        chance = nan if at[0] in SIGNED else mean(values)
        found[at] = (nan, nan) if isnan(value) else (chance, sum(far) / len(values))
    return found
