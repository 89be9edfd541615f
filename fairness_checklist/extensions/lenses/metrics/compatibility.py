"""Which metric fits which data set: a data set declares what it has, a metric family what it needs.

Table 1 of Orgad and Belinkov 2022, computed rather than copied: a cell is a consequence of the two declarations.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fairness_checklist.extensions.lenses.readers import HAS

if TYPE_CHECKING:
    import pandas as pd

_LIKELY = {"gender", "sex", "race", "ethnicity", "religion", "nationality", "age", "groups", "identity"}


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
"""The extrinsic columns of Table 1, in its order, with what of `HAS` each needs."""
PRIMARY: Mapping[str, str] = {
    "gap_label": "tpr gaps, Pearson",
    "gap_stereotype": "accuracy gap, pro less anti",
    "gap_group": "accuracy gap",
    "answers_changed": "",
    "prefers_stereotype": "prefers the stereotype",
    "prediction_gap": "mean ",
    "lm_target": "log probability of target words",
}
"""How the name of the metric begins that stands for a family where the authors of a data set measure it; "": none."""
INTRINSIC: Mapping[str, frozenset[str]] = {
    "seat": frozenset({"text", "labelled", "bleached"}),
    "ceat": frozenset({"text"}),
    **dict.fromkeys(
        ("linear_probe", "mdl_probe", "cluster", "neighbours", "cosine", "pca"), frozenset({"text", "labelled"})
    ),
}
"""The intrinsic columns of Table 1; its column Probe is two measures. They are of the hidden vectors of a model for the
texts of a data set, whatever the task, so that they need no predictions. The paper warns that they show no harm."""


@dataclass(frozen=True)
class FamilyFit:
    """Whether a family fits a data set."""

    family: str  # its id
    status: str  # ``yes``; ``augment``: after each example is given a counterpart of another group; or ``no``
    reason: str  # what is missing, or ""


def compatible(has: Collection[str]) -> tuple[FamilyFit, ...]:
    """The extrinsic row of Table 1 for a data set that has these names of `HAS`.

    >>> [(cell.family, cell.status) for cell in compatible({"gold", "group", "decision"})][2:4]
    [('gap_group', 'yes'), ('answers_changed', 'augment')]
    """
    cells = []
    for family, needs in FAMILIES.items():
        missing = [name for name in HAS if name in needs and name not in has]
        if "gold" in missing:
            missing = [name for name in missing if name != "classes"]  # without gold labels it goes without saying
        status = "yes" if not missing else "augment" if missing == ["pairs"] and "group" in has else "no"
        cells.append(FamilyFit(family, status, "; ".join(_LACKING[name] for name in missing)))
    return tuple(cells)


def compatible_intrinsic(has: Collection[str], *, text: bool = True, bleached: bool = False) -> tuple[FamilyFit, ...]:
    """The intrinsic row of Table 1 for a data set; groups, or sides of a stereotype, label the vectors.

    SEAT needs texts that say as little as they can ("This is a woman."): ``bleached``.
    """
    there = {"text": text, "bleached": bleached, "labelled": not {"group", "stereotype"}.isdisjoint(has)}
    cells = []
    for family, needs in INTRINSIC.items():
        missing = [_LACKING[name] for name in _LACKING if name in needs and not there[name]]
        cells.append(FamilyFit(family, "no" if missing else "yes", "; ".join(missing)))
    return tuple(cells)


_LACKING = {
    "text": "no texts",
    "labelled": "no groups or sides of a stereotype",
    "bleached": "no bleached sentences",
    "gold": "no gold labels",
    "classes": "the gold labels are not classes to compare groups in",
    "group": "no groups",
    "pairs": "no counterparts of another group",
    "stereotype": "no stereotype side",
    "decision": "the answer is not a class",
    "prediction": "no task to predict",
    "target": "no words for a language model",
}


def likely_group(columns: Collection[str]) -> str:
    """The column that may be the group of a table without the column ``group``, or ""."""
    if "group" in columns:
        return ""
    return next((name for name in columns if name.strip().casefold() in _LIKELY), "")


def has_of_table(table: pd.DataFrame) -> frozenset[str]:
    """What a user's own table has, by its columns; sources with 2 groups or more make pairs."""
    columns = list(table.columns)
    has: set[str] = {"group", "stereotype"} & set(columns)
    if "label" in columns:
        has |= {"gold", "classes", "decision", "prediction"}
    if "predicted" in columns or any(name.startswith("p:") for name in columns):
        has |= {"decision", "prediction"}
    if any(name == "score" or name.startswith("score:") for name in columns):
        has.add("prediction")
    if {"source", "group"} <= set(columns) and (table.groupby("source")["group"].nunique() > 1).any():
        has.add("pairs")
    if {"target", "probability"} & set(columns) or {"start", "end"} <= set(columns):
        has.add("target")
    return frozenset(has)
