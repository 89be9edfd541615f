"""Which metric fits which data set: a data set declares what it has, a metric family what it needs.

Table 1 of Orgad and Belinkov 2022, computed rather than copied: a cell is a consequence of the two declarations.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from fairness_checklist.extensions.lenses.readers import HAS

__all__ = ["FAMILIES", "INTRINSIC", "PRIMARY", "Cell", "Family", "compatible", "compatible_intrinsic", "has_of_columns"]


@dataclass(frozen=True)
class Family:
    """A family of metrics."""

    name: str  # its id
    title: str  # the heading in Table 1
    kind: str  # ``performance`` (against gold labels), ``prediction`` or ``intrinsic``
    needs: frozenset[str]  # which of `HAS` it needs; of an intrinsic one, see `compatible_intrinsic`
    function: str  # what computes it here


def _family(name: str, title: str, kind: str, needs: str, function: str) -> Family:
    return Family(name, title, kind, frozenset(needs.split()), function)


FAMILIES: Mapping[str, Family] = {
    one.name: one
    for one in (
        _family("gap_label", "Gap (Label)", "performance", "gold classes group", "label_gaps"),
        _family("gap_stereotype", "Gap (Stereo)", "performance", "gold stereotype", "stereotype_gap"),
        _family("gap_group", "Gap (Gender)", "performance", "gold group", "group_gap"),
        _family("answers_changed", "% of answers changed", "prediction", "decision group pairs", "answers_changed"),
        _family("prefers_stereotype", "% prefers stereotype", "prediction", "stereotype pairs", "prefers_stereotype"),
        _family("prediction_gap", "Pred gap", "prediction", "prediction group pairs", "prediction_gap"),
        _family("lm_target", "LM prediction on target words", "prediction", "target", "target_word_gap"),
    )
}
"""The extrinsic columns of Table 1."""
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
INTRINSIC: Mapping[str, Family] = {
    one.name: one
    for one in (
        _family("seat", "SEAT", "intrinsic", "text labelled bleached", "weat"),
        _family("ceat", "CEAT", "intrinsic", "text", "ceat"),
        _family("linear_probe", "Probe", "intrinsic", "text labelled", "linear_probe"),
        _family("mdl_probe", "Probe", "intrinsic", "text labelled", "online_code"),
        _family("cluster", "Cluster", "intrinsic", "text labelled", "cluster_agreement"),
        _family("neighbours", "Nearest Neighbors", "intrinsic", "text labelled", "neighbour_shares"),
        _family("cosine", "Cos", "intrinsic", "text labelled", "direction_cosines"),
        _family("pca", "PCA", "intrinsic", "text labelled", "group_space"),
    )
}
"""The intrinsic columns of Table 1; its column Probe is two measures. They are of the hidden vectors of a model for the
texts of a data set, whatever the task, so that they need no predictions. The paper warns that they show no harm."""


@dataclass(frozen=True)
class Cell:
    """Whether a family fits a data set."""

    family: str  # its id
    status: str  # ``yes``; ``augment``: after each example is given a counterpart of another group; or ``no``
    reason: str  # what is missing, or ""


def compatible(has: Collection[str]) -> tuple[Cell, ...]:
    """The extrinsic row of Table 1 for a data set that has these names of `HAS`.

    >>> [(cell.family, cell.status) for cell in compatible({"gold", "group", "decision"})][2:4]
    [('gap_group', 'yes'), ('answers_changed', 'augment')]
    """
    cells = []
    for family in FAMILIES.values():
        missing = [name for name in HAS if name in family.needs and name not in has]
        if "gold" in missing:
            missing = [name for name in missing if name != "classes"]  # without gold labels it goes without saying
        status = "yes" if not missing else "augment" if missing == ["pairs"] and "group" in has else "no"
        cells.append(Cell(family.name, status, "; ".join(_LACKING[name] for name in missing)))
    return tuple(cells)


def compatible_intrinsic(has: Collection[str], *, text: bool = True, bleached: bool = False) -> tuple[Cell, ...]:
    """The intrinsic row of Table 1 for a data set; groups, or sides of a stereotype, label the vectors.

    SEAT needs texts that say as little as they can ("This is a woman."): ``bleached``.
    """
    there = {
        name
        for name, given in (
            ("text", text),
            ("bleached", bleached),
            ("labelled", not {"group", "stereotype"}.isdisjoint(has)),
        )
        if given
    }
    cells = []
    for family in INTRINSIC.values():
        missing = [name for name in _LACKING if name in family.needs and name not in there]
        cells.append(Cell(family.name, "no" if missing else "yes", "; ".join(_LACKING[name] for name in missing)))
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


def has_of_columns(columns: Collection[str], groups_in_a_source: int = 1) -> frozenset[str]:
    """What a user's own table has, by its columns; sources with 2 groups or more make pairs."""
    has = {name for name in ("group", "stereotype") if name in columns}
    if "label" in columns:
        has |= {"gold", "classes", "decision", "prediction"}
    if "predicted" in columns or any(name.startswith("p:") for name in columns):
        has |= {"decision", "prediction"}
    if any(name == "score" or name.startswith("score:") for name in columns):
        has.add("prediction")
    if "source" in columns and "group" in columns and groups_in_a_source > 1:
        has.add("pairs")
    if {"target", "probability"} & set(columns) or {"start", "end"} <= set(columns):
        has.add("target")
    return frozenset(has)
