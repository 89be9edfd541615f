"""Interactions of two attributes in a run: what a pair of identities does beyond what either does alone."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from fairness_checklist.core.arrays import FloatArray, IntArray, divide
from fairness_checklist.core.errors import OptionError
from fairness_checklist.core.examples import GROUP_SEPARATOR, UNMARKED
from fairness_checklist.extensions.analyses.by_column import families
from fairness_checklist.extensions.analyses.interaction_effects import (
    ValuesByTerms,
    interaction,
    logit,
)
from fairness_checklist.reports.run_view import one_of
from fairness_checklist.statistics.multiplicity import benjamini_hochberg
from fairness_checklist.tables.columns import VARIANT
from fairness_checklist.tables.run_folder import Results

_OF_EACH = ("value", "ci_low", "ci_high", "ci_low_terms", "ci_high_terms", "p_value", "p_adjusted")
INTERACTION_COLUMNS = (
    *("attribute", "scale", "class", "first", "second", "effect"),
    *_OF_EACH,
    *("controlled", "ci_low_controlled", "ci_high_controlled"),
    *("p_joint", "p_first", "p_second", "p_unmarked", "n", "pairs", "note"),
)
EFFECTS = ("first", "second", "joint", "interaction")
THIN = "thin"
"""The code in the column ``note`` of a pair with few terms or sources."""
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
    ``controlled`` is the same difference with a placebo instead of the omitted attribute ("a stamp-collecting deaf
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
    frames = [_attribute_interactions(results, name) for name in names]
    return pd.concat(frames, ignore_index=True)


@dataclass(frozen=True, eq=False)
class _Names:
    """The sources with their clusters, and of either attribute the terms, each with its group."""

    sources: pd.Index[Any]
    clusters: IntArray
    sides: tuple[pd.MultiIndex, pd.MultiIndex]


def _attribute_interactions(results: Results, attribute: str) -> pd.DataFrame:
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
    lacking = [name for name in ("source", "first", "second") if name not in rows.columns]
    lacking = [f"column {' and '.join(lacking)}"] if lacking else [] if len(controls) else ["unmarked sentences"]
    if lacking:
        raise OptionError(
            f"the table of {attribute} has no {lacking[0]}.",
            remedy="Interactions are taken inside sources, term by term: evaluate the table of a suite, `to_frame`.",
            command_remedy="Interactions are taken inside sources, term by term: evaluate what `build --table` wrote.",
        )
    paired = rows[rows["group"] != UNMARKED]
    sources = rows["source"].astype("str")
    clusters = pd.factorize(np.array(families(rows), dtype=object)[~sources.duplicated()])[0].astype(np.int64)
    names = _Names(pd.Index(sources.unique()), clusters, (_terms(paired, 0).unique(), _terms(paired, 1).unique()))
    parts = {"": paired, UNMARKED: rows[rows["group"] == UNMARKED]}
    parts |= {kind: controls[controls[VARIANT] == kind] for kind in (*_PLAIN[:2], *_PLACEBO)}
    lines = []
    for scale, label in product(("probability", "logit"), classes):
        fixed = {"attribute": attribute, "scale": scale, "class": label}
        lines += _pairs(fixed, names, {kind: _table(part, kind, fixed, names) for kind, part in parts.items()})
    return _adjusted(lines)


def _adjusted(lines: list[dict[str, object]]) -> pd.DataFrame:
    """The rows as a table, their p adjusted over those of a scale and effect."""
    frame = pd.DataFrame(lines, columns=list(INTERACTION_COLUMNS))
    for scale, effect in product(("probability", "logit"), EFFECTS):
        together = (frame["scale"] == scale) & (frame["effect"] == effect)
        frame.loc[together, "p_adjusted"] = benjamini_hochberg(frame.loc[together, "p_value"].to_numpy(np.float64))
    return frame


def _values(rows: pd.DataFrame, scale: str, label: str) -> FloatArray:
    values = rows[f"p:{label}"].to_numpy(dtype=np.float64)
    return logit(values) if scale == "logit" else values


def _terms(rows: pd.DataFrame, side: int, kind: str = "") -> pd.MultiIndex:
    """(n,) the group and the term of one attribute in each row; a control's group is that of one attribute alone."""
    groups = rows["group"].astype("str")
    groups = groups if kind else groups.str.split(GROUP_SEPARATOR, n=1).str[side]
    return pd.MultiIndex.from_arrays([groups, rows[("first", "second")[side]].astype("str")])


def _table(part: pd.DataFrame, kind: str, fixed: dict[str, str], names: _Names) -> FloatArray:
    """The mean value by source and terms: (S, A, B), (S, A, 1), (S, 1, B) or (S, 1, 1); NaN where there is none."""
    has = (kind in ("", "first", "first+placebo"), kind in ("", "second", "placebo+second"))
    shape = (len(names.sources), *(len(names.sides[side]) if has[side] else 1 for side in (0, 1)))
    values = _values(part, fixed["scale"], fixed["class"])
    at = [names.sources.get_indexer(pd.Index(part["source"].astype("str")))]
    for side in (0, 1):
        codes = names.sides[side].get_indexer(_terms(part, side, kind)) if has[side] else np.zeros(len(part), np.int64)
        at.append(codes)
    kept = np.logical_and.reduce([codes >= 0 for codes in at]) & ~np.isnan(values)  # -1 is what the pairs do not have
    cell, size = np.ravel_multi_index([codes[kept] for codes in at], shape), int(np.prod(shape))
    total = np.bincount(cell, weights=values[kept], minlength=size)
    return divide(total, np.bincount(cell, minlength=size)).reshape(shape)


def _pairs(fixed: dict[str, str], names: _Names, tables: dict[str, FloatArray]) -> list[dict[str, object]]:
    of_terms = [side.get_level_values(0) for side in names.sides]
    lines: list[dict[str, object]] = []
    for a, b in product(*(groups.unique() for groups in of_terms)):
        inside = (np.flatnonzero(of_terms[0] == a), np.flatnonzero(of_terms[1] == b))
        plain = interaction(_cells(tables, _PLAIN, inside, names))
        if not plain.pairs and np.isnan(tables[""][:, inside[0]][:, :, inside[1]]).all():
            continue
        controlled = interaction(_cells(tables, _PLACEBO, inside, names))
        note = THIN if plain.pairs < _FEW_PAIRS or plain.n < _FEW_SOURCES else ""
        about = {**fixed, "first": str(a), "second": str(b)}
        levels = dict(zip(("p_joint", "p_first", "p_second", "p_unmarked"), plain.levels, strict=True))
        for effect in EFFECTS:
            estimate, with_placebo = (getattr(side, effect) for side in (plain, controlled))
            width = "" if np.isnan(with_placebo.ci_low_terms) else "_terms"
            lines.append(
                {
                    **about,
                    "effect": effect,
                    **vars(estimate),
                    "p_adjusted": math.nan,
                    "controlled": with_placebo.value,
                    "ci_low_controlled": getattr(with_placebo, f"ci_low{width}"),
                    "ci_high_controlled": getattr(with_placebo, f"ci_high{width}"),
                    **levels,
                    "n": plain.n,
                    "pairs": plain.pairs,
                    "note": note,
                }
            )
    return lines


def _cells(
    tables: dict[str, FloatArray], kinds: tuple[str, str, str], inside: tuple[IntArray, IntArray], names: _Names
) -> ValuesByTerms:
    first, second, neither = (tables[kind] for kind in kinds)
    return ValuesByTerms(
        tables[""][:, inside[0]][:, :, inside[1]],
        first[:, inside[0], 0],
        second[:, 0, :][:, inside[1]],
        neither[:, 0, 0],
        names.clusters,
    )
