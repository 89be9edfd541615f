"""Table 1 of Orgad and Belinkov 2022: which metric family fits which data set.

Computed rather than copied: a data set declares what it has, a family what it needs.
Run: python benchmarks/papers/orgad2022_table1.py
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

import pandas as pd

HAS: Mapping[str, str] = {
    "gold": "gold labels of a task",
    "classes": "gold labels that are classes with examples of each group",
    "group": "the group of each example",
    "pairs": "each example with another group in its place",
    "stereotype": "which examples or options follow a stereotype",
    "decision": "a task whose answer is a class",
    "prediction": "a task that a model is trained for",
    "target": "words or sentences whose probability a language model gives",
}
"""What a data set may have, and what a metric may need."""
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

SETS: Mapping[str, tuple[str, str]] = {
    "winogender": ("gold classes group pairs stereotype decision prediction target", "gap_stereotype"),
    "winobias": ("gold classes group pairs stereotype decision prediction target", "gap_stereotype"),
    "gap": ("gold group decision prediction target", "gap_group"),
    "crows_pairs": ("pairs stereotype target", "prefers_stereotype"),
    "stereoset": ("pairs stereotype target", "prefers_stereotype"),
    "bias_in_bios": ("gold classes group stereotype decision prediction target", "gap_label"),
    "eec": ("group pairs prediction target", "prediction_gap"),
    "bec_pro": ("group pairs stereotype target", "lm_target"),
    "bold": ("group target", "lm_target"),
}
"""The published sets: what of `HAS` each has, and what its authors measure."""


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
    rows = [{"data": name, **compatible(has.split()), original: "original"} for name, (has, original) in SETS.items()]
    return pd.DataFrame(rows)


if __name__ == "__main__":
    print(table_1().to_string(index=False))
