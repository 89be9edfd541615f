"""Interactions of two attributes in a run: what a pair of identities does beyond what either does alone."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np
import pandas as pd

from fairness_checklist.arrays import FloatArray, IntArray
from fairness_checklist.errors import OptionError
from fairness_checklist.reports.reading import one_of
from fairness_checklist.results import Results
from fairness_checklist.statistics.family import benjamini_hochberg
from fairness_checklist.statistics.interactions import Cells, Interaction, interaction, logit
from fairness_checklist.table_columns import UNMARKED, VARIANT

__all__ = ["INTERACTION_COLUMNS", "crossed_attributes", "interactions"]

INTERACTION_COLUMNS = (
    "attribute",
    "scale",
    "class",
    "first",
    "second",
    "p_joint",
    "p_first",
    "p_second",
    "p_unmarked",
    "effect_first",
    "effect_second",
    "effect_joint",
    "interaction",
    "low",
    "high",
    "low_terms",
    "high_terms",
    "p_value",
    "p_adjusted",
    "controlled",
    "low_controlled",
    "high_controlled",
    "n",
    "pairs",
    "note",
)
_FEW_PAIRS = 4
_FEW_SOURCES = 10
_PLAIN = ("first", "second", UNMARKED)
_PLACEBO = ("first+placebo", "placebo+second", "placebo+placebo")
_BETWEEN = " & "


def crossed_attributes(results: Results) -> tuple[str, ...]:
    """The attributes of a run that are intersections with controls, in order."""
    if not len(results.controls):
        return ()
    return tuple(dict.fromkeys(str(name) for name in results.controls["attribute"]))


def interactions(results: Results, attribute: str | None = None) -> pd.DataFrame:
    """For each pair of groups p(ab) - p(a) - p(b) + p(unmarked), on probabilities and on their logits.

    ``p_joint`` is of sentences with both identities ("an elderly deaf writer"), ``p_first`` and ``p_second`` of those
    with one, ``p_unmarked`` of those without; all are means over the same sources and terms (of logits on that scale).
    ``controlled`` is the same difference with a placebo in the place of what is left out ("a left-handed deaf
    writer"), so that all four sentences are of one length and order. ``p_value`` asks whether the interaction is 0,
    ``p_adjusted`` is Benjamini and Hochberg's over all rows of a scale.

    Args:
        results: a run.
        attribute: "gender+age"; all intersections of the run by default.

    Returns:
        The columns `INTERACTION_COLUMNS`, a row for each scale, class and pair of groups.

    Raises:
        OptionError: the run has no such intersection, or no probabilities.
    """
    known = crossed_attributes(results)
    if not known:
        raise OptionError(
            "the run has no intersection of two attributes.",
            remedy='Build one: Suite.build("gender+age"), or --attribute gender+age.',
        )
    names = known if attribute is None else (one_of(attribute, known, "intersection"),)
    frames = [_of_attribute(results, name) for name in names]
    return pd.concat(frames, ignore_index=True)


@dataclass(frozen=True)
class _Values:
    """Positions and values of one class in one kind of row: (n,) each."""

    source: IntArray
    first: IntArray
    second: IntArray
    value: FloatArray


@dataclass(frozen=True)
class _Names:
    """The sources, and the terms of either attribute by name, with the group of each term."""

    sources: dict[str, int]
    clusters: IntArray
    first: dict[tuple[str, str], int]
    second: dict[tuple[str, str], int]


def _of_attribute(results: Results, attribute: str) -> pd.DataFrame:
    rows = results.examples[results.examples["attribute"] == attribute].reset_index(drop=True)
    controls = results.controls[results.controls["attribute"] == attribute].reset_index(drop=True)
    classes = [str(name)[2:] for name in rows.columns if str(name).startswith("p:") and rows[name].notna().any()]
    if not classes:
        raise OptionError(
            "interactions are differences of probabilities, and these predictions have none.",
            remedy="Give a model that tells probabilities.",
        )
    names = _names(rows)
    found = []
    for scale, label in product(("probability", "logit"), classes):
        column = f"p:{label}"
        tables = {
            kind: _table(part, kind, column, names, scale)
            for kind, part in (("", rows), *((variant, controls) for variant in (*_PLAIN[:2], *_PLACEBO)))
        }
        tables[UNMARKED] = _table(rows, UNMARKED, column, names, scale)
        found += _pairs(attribute, scale, label, names, tables)
    frame = pd.DataFrame(found, columns=list(INTERACTION_COLUMNS))
    for scale in ("probability", "logit"):
        of_scale = (frame["scale"] == scale) & frame["p_value"].notna()
        frame.loc[of_scale, "p_adjusted"] = benjamini_hochberg(frame.loc[of_scale, "p_value"].to_numpy())
    return frame


def _names(rows: pd.DataFrame) -> _Names:
    paired = rows[rows["group"] != UNMARKED]
    sources = {str(name): at for at, name in enumerate(dict.fromkeys(rows["source"]))}
    once = rows.drop_duplicates("source")
    family = [str(p) or str(t) for p, t in zip(once["paraphrase_of"], once["template"], strict=True)]
    code = {name: at for at, name in enumerate(dict.fromkeys(family))}
    groups = [str(name).split(_BETWEEN, 1) for name in paired["group"]]
    both = [
        {key: at for at, key in enumerate(dict.fromkeys((g[side], str(t)) for g, t in zip(groups, paired[name], strict=True)))}
        for side, name in enumerate(("first", "second"))
    ]
    return _Names(sources, np.array([code[name] for name in family], dtype=np.int64), both[0], both[1])


def _table(rows: pd.DataFrame, kind: str, column: str, names: _Names, scale: str) -> FloatArray:
    """The mean value by source and terms: (S, A, B), (S, A, 1), (S, 1, B) or (S, 1, 1); NaN where there is none."""
    if kind == UNMARKED:
        part = rows[rows["group"] == UNMARKED]
    elif kind:
        part = rows[rows[VARIANT] == kind] if len(rows) else rows
    else:
        part = rows[rows["group"] != UNMARKED]
    has_first, has_second = kind in ("", "first", "first+placebo"), kind in ("", "second", "placebo+second")
    shape = (len(names.sources), len(names.first) if has_first else 1, len(names.second) if has_second else 1)
    total, count = np.zeros(shape), np.zeros(shape)
    if not len(part):
        return np.full(shape, np.nan)
    values = part[column].to_numpy(dtype=np.float64)
    values = logit(values) if scale == "logit" else values
    at = (
        np.array([names.sources.get(str(name), -1) for name in part["source"]]),
        _codes(part, 0, names.first, kind) if has_first else np.zeros(len(part), dtype=np.int64),
        _codes(part, 1, names.second, kind) if has_second else np.zeros(len(part), dtype=np.int64),
    )
    kept = (at[0] >= 0) & (at[1] >= 0) & (at[2] >= 0) & ~np.isnan(values)
    place = tuple(codes[kept] for codes in at)
    np.add.at(total, place, values[kept])
    np.add.at(count, place, 1.0)
    return np.divide(total, count, out=np.full(shape, np.nan), where=count > 0)


def _codes(part: pd.DataFrame, side: int, known: dict[tuple[str, str], int], kind: str) -> IntArray:
    """(n,) the position of each row's term of one attribute; -1 where the pairs do not have it."""
    groups = [str(name).split(_BETWEEN, 1)[side] if not kind else str(name) for name in part["group"]]
    terms = part["second" if side else "first"]
    return np.array([known.get((group, str(term)), -1) for group, term in zip(groups, terms, strict=True)])


def _pairs(
    attribute: str, scale: str, label: str, names: _Names, tables: dict[str, FloatArray]
) -> list[dict[str, object]]:
    groups = [list(dict.fromkeys(group for group, _term in side)) for side in (names.first, names.second)]
    places = [
        {one: [at for (group, _), at in side.items() if group == one] for one in of_side}
        for side, of_side in zip((names.first, names.second), groups, strict=True)
    ]
    found = []
    for a, b in product(*groups):
        inside = places[0][a], places[1][b]
        plain = interaction(_cells(tables, _PLAIN, inside, names))
        if not plain.pairs and np.isnan(tables[""][:, inside[0]][:, :, inside[1]]).all():
            continue
        controlled = interaction(_cells(tables, _PLACEBO, inside, names))
        found.append(
            {
                "attribute": attribute,
                "scale": scale,
                "class": label,
                "first": a,
                "second": b,
                **_columns(plain),
                "controlled": controlled.value,
                "low_controlled": controlled.low if np.isnan(controlled.low_terms) else controlled.low_terms,
                "high_controlled": controlled.high if np.isnan(controlled.high_terms) else controlled.high_terms,
                "note": _note(plain),
            }
        )
    return found


def _cells(tables: dict[str, FloatArray], kinds: tuple[str, str, str], inside: tuple[list[int], list[int]], names: _Names) -> Cells:
    first, second, neither = (tables[kind] for kind in kinds)
    return Cells(
        tables[""][:, inside[0]][:, :, inside[1]],
        first[:, inside[0], 0],
        second[:, 0, :][:, inside[1]],
        neither[:, 0, 0],
        names.clusters,
    )


def _columns(found: Interaction) -> dict[str, float]:
    return {
        "p_joint": found.joint,
        "p_first": found.first,
        "p_second": found.second,
        "p_unmarked": found.neither,
        "effect_first": found.first - found.neither,
        "effect_second": found.second - found.neither,
        "effect_joint": found.joint - found.neither,
        "interaction": found.value,
        "low": found.low,
        "high": found.high,
        "low_terms": found.low_terms,
        "high_terms": found.high_terms,
        "p_value": found.p_value,
        "p_adjusted": float("nan"),
        "n": found.n,
        "pairs": found.pairs,
    }


def _note(found: Interaction) -> str:
    """What is to be said of a thin cell."""
    notes = []
    if found.pairs < _FEW_PAIRS:
        notes.append(f"thin: {found.pairs} pair{'' if found.pairs == 1 else 's'} of terms")
    if found.n < _FEW_SOURCES:
        notes.append(f"thin: {found.n} source{'' if found.n == 1 else 's'}")
    return "; ".join(notes)
