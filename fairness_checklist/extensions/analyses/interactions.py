"""Interactions of two attributes in a run: what a pair of identities does beyond what either does alone."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np
import pandas as pd

from fairness_checklist.core.arrays import FloatArray, IntArray, divide
from fairness_checklist.core.errors import OptionError
from fairness_checklist.core.examples import GROUP_SEPARATOR, UNMARKED, family_of
from fairness_checklist.extensions.analyses.interaction_effects import (
    Cells,
    Estimate,
    Interaction,
    interaction,
    interactions_of_rows,
    logit,
)
from fairness_checklist.reports.run_view import one_of
from fairness_checklist.statistics.multiplicity import benjamini_hochberg
from fairness_checklist.tables.columns import VARIANT, text_column
from fairness_checklist.tables.run_folder import Results

_OF_EACH = ("value", "ci_low", "ci_high", "ci_low_terms", "ci_high_terms", "p_value", "p_adjusted")
INTERACTION_COLUMNS = (
    "attribute",
    "scale",
    "class",
    "first",
    "second",
    "effect",
    *_OF_EACH,
    "controlled",
    "ci_low_controlled",
    "ci_high_controlled",
    "p_joint",
    "p_first",
    "p_second",
    "p_unmarked",
    "n",
    "pairs",
    "note",
)
EFFECTS = ("first", "second", "joint", "interaction")
_FEW_PAIRS = 4
_FEW_SOURCES = 10
_PLAIN = ("first", "second", UNMARKED)
_PLACEBO = ("first+placebo", "placebo+second", "placebo+placebo")


def interactions(results: Results, attribute: str | None = None) -> pd.DataFrame:
    """Marginal and joint effects of two attributes, and their interaction, for each pair of groups.

    ``effect`` is the difference in a row: ``first`` p(a) - p(unmarked), ``second`` p(b) - p(unmarked), ``joint``
    p(ab) - p(unmarked), ``interaction`` p(ab) - p(a) - p(b) + p(unmarked), on probabilities and on their logits.
    ``p_joint`` is of sentences with both identities ("a middle-aged deaf writer"), ``p_first`` and ``p_second`` of
    those with one, ``p_unmarked`` of those without; all are means over the same sources and terms (of logits on that
    scale).
    ``controlled`` is the same difference with a placebo instead of the omitted attribute ("a tea-drinking deaf
    writer"), so that all sentences have one length and order. ``p_value`` tests that the difference is 0;
    ``p_adjusted`` is adjusted by Benjamini and Hochberg over all rows of a scale and effect.

    Args:
        results: a run.
        attribute: "gender+age"; all intersections of the run by default.

    Returns:
        The columns `INTERACTION_COLUMNS`, a row for each scale, class, pair of groups and effect.

    Raises:
        OptionError: the run has no such intersection, or no probabilities.
    """
    known = results.intersections
    if not known:
        raise OptionError(
            "the run has no intersection of two attributes.",
            remedy='Build one: Suite.build("gender+age").',
            command_remedy="Run one: --attribute gender+age.",
        )
    names = known if attribute is None else (one_of(attribute, known, "intersection"),)
    frames = [_of_attribute(results, name) for name in names]
    return pd.concat(frames, ignore_index=True)


@dataclass(frozen=True, eq=False)
class _Names:
    """The sources, and the terms of either attribute by name, with the group of each term."""

    sources: dict[str, int]
    clusters: IntArray
    first: dict[tuple[str, str], int]
    second: dict[tuple[str, str], int]


def _of_attribute(results: Results, attribute: str) -> pd.DataFrame:
    rows = results.examples[results.examples["attribute"] == attribute].reset_index(drop=True)
    controls = results.controls
    if len(controls):
        controls = controls[controls["attribute"] == attribute].reset_index(drop=True)
    classes = [str(name)[2:] for name in rows.columns if str(name).startswith("p:") and rows[name].notna().any()]
    if not classes:
        raise OptionError(
            "interactions are differences of probabilities, and these predictions have none.",
            remedy="Use a model that returns probabilities.",
        )
    lacking = [name for name in ("source", "first", "second") if len(controls) and name not in rows.columns]
    if lacking:
        raise OptionError(
            f"the table of {attribute} has no column {' and '.join(lacking)}.",
            remedy="They are taken inside sources, term by term: evaluate what predict wrote, with all columns.",
        )
    if not len(controls):
        return _adjusted(_from_rows(attribute, rows, classes))
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
    return _adjusted(found)


def _adjusted(found: list[dict[str, object]]) -> pd.DataFrame:
    """The rows as a table, their p adjusted over those of a scale and effect."""
    frame = pd.DataFrame(found, columns=list(INTERACTION_COLUMNS))
    for scale, effect in product(("probability", "logit"), EFFECTS):
        together = (frame["scale"] == scale) & (frame["effect"] == effect)
        frame.loc[together, "p_adjusted"] = benjamini_hochberg(frame.loc[together, "p_value"].to_numpy(np.float64))
    return frame


def _from_rows(attribute: str, rows: pd.DataFrame, classes: list[str]) -> list[dict[str, object]]:
    """The interactions in a user's table, against the mean of all cells."""
    rows = rows[rows["group"] != UNMARKED]
    sides = [str(name).split(GROUP_SEPARATOR, 1) for name in rows["group"]]
    groups = [list(dict.fromkeys(side[at] for side in sides)) for at in (0, 1)]
    first, second = (np.array([groups[at].index(side[at]) for side in sides], dtype=np.int64) for at in (0, 1))
    cluster = (
        np.unique(rows["source"].astype(str).to_numpy(), return_inverse=True)[1]
        if "source" in rows.columns
        else np.arange(len(rows))
    )
    found = []
    for scale, label in product(("probability", "logit"), classes):
        values = rows[f"p:{label}"].to_numpy(dtype=np.float64)
        values = logit(values) if scale == "logit" else values
        for (a, b), one in interactions_of_rows(values, first, second, cluster).items():
            fixed = {
                "attribute": attribute,
                "scale": scale,
                "class": label,
                "first": groups[0][a],
                "second": groups[1][b],
            }
            found += _lines(fixed, one, None, "in place of unmarked the mean of all cells")
    return found


def _names(rows: pd.DataFrame) -> _Names:
    paired = rows[rows["group"] != UNMARKED]
    sources = {str(name): at for at, name in enumerate(dict.fromkeys(rows["source"]))}
    once = rows.drop_duplicates("source")
    originals, templates = (
        text_column(once, name) if name in once.columns else [""] * len(once) for name in ("paraphrase_of", "template")
    )
    named = zip(templates, originals, text_column(once, "source"), strict=True)
    family = family_of([one or (source if not original else "") for one, original, source in named], originals)
    code = {name: at for at, name in enumerate(dict.fromkeys(family))}
    groups = [str(name).split(GROUP_SEPARATOR, 1) for name in paired["group"]]
    both = [
        {
            key: at
            for at, key in enumerate(
                dict.fromkeys((g[side], str(t)) for g, t in zip(groups, paired[name], strict=True))
            )
        }
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
    return divide(total, count)


def _codes(part: pd.DataFrame, side: int, known: dict[tuple[str, str], int], kind: str) -> IntArray:
    """(n,) the position of each row's term of one attribute; -1 where the pairs do not have it."""
    groups = [str(name).split(GROUP_SEPARATOR, 1)[side] if not kind else str(name) for name in part["group"]]
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
        fixed = {"attribute": attribute, "scale": scale, "class": label, "first": a, "second": b}
        found += _lines(fixed, plain, controlled, _note(plain))
    return found


def _lines(
    fixed: dict[str, str], plain: Interaction, controlled: Interaction | None, note: str
) -> list[dict[str, object]]:
    """A row of the table for each effect of a pair of groups."""
    levels = dict(zip(("p_joint", "p_first", "p_second", "p_unmarked"), plain.levels, strict=True))
    lines = []
    for effect in EFFECTS:
        one: Estimate = getattr(plain, effect)
        other: Estimate = getattr(controlled, effect) if controlled else Estimate(*[float("nan")] * 6)
        narrow = np.isnan(other.ci_low_terms)
        lines.append(
            {
                **fixed,
                "effect": effect,
                **{name: getattr(one, name) for name in _OF_EACH if name != "p_adjusted"},
                "p_adjusted": float("nan"),
                "controlled": other.value,
                "ci_low_controlled": other.ci_low if narrow else other.ci_low_terms,
                "ci_high_controlled": other.ci_high if narrow else other.ci_high_terms,
                **levels,
                "n": plain.n,
                "pairs": plain.pairs,
                "note": note,
            }
        )
    return lines


def _cells(
    tables: dict[str, FloatArray], kinds: tuple[str, str, str], inside: tuple[list[int], list[int]], names: _Names
) -> Cells:
    first, second, neither = (tables[kind] for kind in kinds)
    return Cells(
        tables[""][:, inside[0]][:, :, inside[1]],
        first[:, inside[0], 0],
        second[:, 0, :][:, inside[1]],
        neither[:, 0, 0],
        names.clusters,
    )


def _note(found: Interaction) -> str:
    """Remarks on a thin cell."""
    notes = []
    if found.pairs < _FEW_PAIRS:
        notes.append(f"thin: {found.pairs} pair{'' if found.pairs == 1 else 's'} of terms")
    if found.n < _FEW_SOURCES:
        notes.append(f"thin: {found.n} source{'' if found.n == 1 else 's'}")
    return "; ".join(notes)
