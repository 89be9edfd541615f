"""Table 1 of Orgad and Belinkov 2022: which metric family fits which data set.

Computed rather than copied: a data set declares what it has (``has`` of its reader), a family what it needs.
Run: python benchmarks/papers/orgad2022_table1.py
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

import pandas as pd

from fairness_checklist.extensions.lenses.readers import HAS, READERS

FAMILIES: Mapping[str, frozenset[str]] = {
    name: frozenset(needs.split())
    for name, needs in {
        "gap_label": "gold classes group",
        "gap_stereotype": "gold stereotype",
        "gap_group": "gold group",
        "answers_changed": "decision group pairs",
        "prefers_stereotype": "stereotype pairs",
        "prediction_gap": "prediction group pairs",
        "lm_target": "target",
    }.items()
}
"""The extrinsic columns, in the order of the table, with what of `HAS` each needs."""
INTRINSIC = ("seat", "ceat", "linear_probe", "mdl_probe", "cluster", "neighbours", "cosine", "pca")
"""The intrinsic columns; the column Probe is two measures. CEAT takes any texts, the others need groups or sides of a
stereotype, SEAT bleached sentences ("This is a woman."), which no published set has."""

NOT_READ = (("BOLD", frozenset({"group", "target"}), "lm_target"),)
"""Sets of the table without a reader: title, what it has, and what its authors measure."""


def compatible(has: Collection[str]) -> dict[str, str]:
    """The row of a data set that has these names of `HAS`: "yes", "augment" or "no" for each column.

    ``augment``: after each example is given a counterpart of another group.
    """
    row = {}
    for family, needs in FAMILIES.items():
        missing = {name for name in HAS if name in needs and name not in has}
        row[family] = "yes" if not missing else "augment" if missing == {"pairs"} and "group" in has else "no"
    labelled = not {"group", "stereotype"}.isdisjoint(has)
    return row | {name: "yes" if name == "ceat" or (labelled and name != "seat") else "no" for name in INTRINSIC}


def table_1() -> pd.DataFrame:
    """A row a published set: "original" (what its authors measure), "yes", "augment" or "no"."""
    sets = [*((reader.title, reader.has, reader.original) for reader in READERS.values()), *NOT_READ]
    return pd.DataFrame([{"data": title, **compatible(has), original: "original"} for title, has, original in sets])


if __name__ == "__main__":
    print(table_1().to_string(index=False))
