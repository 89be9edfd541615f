"""The null means of a run's metrics.csv, recomputed plainly over every assignment of the terms to the groups.

This is for runs of few terms; a run of many terms draws some assignments. Nothing of the package is used.
"""

from collections.abc import Iterator
from itertools import combinations
from math import isnan, nan
from typing import Any

import pandas as pd
from rederive import LINES, derive

SIGNED = {name for name, line in LINES.items() if line[4] in ("minus", "over", "higher", "area", "turned", "pinned")}


def assignments(terms: list[str], sizes: list[tuple[str, int]]) -> Iterator[dict[str, str]]:
    """Every way to give each group as many terms as it has."""
    if not sizes:
        yield {}
        return
    (group, size), *rest = sizes
    for chosen in combinations(terms, size):
        for others in assignments([t for t in terms if t not in chosen], rest):
            yield {**dict.fromkeys(chosen, group), **others}


def null_means(table: pd.DataFrame, asked: set[tuple[str, str]], positive: str, groups: list[str]) -> dict[Any, float]:
    """{key: the mean over all assignments}; NaN for signed metrics and for undefined values."""
    owner = table[table["group"] != "unmarked"].groupby("term")["group"].first()
    sizes = [(g, int((owner == g).sum())) for g in groups]
    drawn = []
    for given in assignments(list(owner.index), sizes):
        again = table.assign(group=[given.get(t, "unmarked") for t in table["term"]])
        drawn.append(derive(again, asked, positive, groups))
    found = {}
    for key, (value, *_) in derive(table, asked, positive, groups).items():
        values = [figures[key][0] for figures in drawn if not isnan(figures[key][0])]
        undefined = key[0] in SIGNED or isnan(value) or not values
        found[key] = nan if undefined else sum(values) / len(values)
    return found
