"""Interactions of two attributes in a run: what a pair of identities does beyond what either does alone.

For a source and a pair of terms it is ``p(ab) - p(a) - p(b) + p(unmarked)``; 0 where the effects of the two add up.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from fairness_checklist.core.arrays import FloatArray, IntArray, divide
from fairness_checklist.core.errors import OptionError
from fairness_checklist.core.examples import GROUP_SEPARATOR, UNMARKED
from fairness_checklist.extensions.analyses.by_column import families
from fairness_checklist.reports.run_view import one_of
from fairness_checklist.statistics.multiplicity import benjamini_hochberg
from fairness_checklist.statistics.variance import student_interval, variance_of_clusters, variance_of_terms
from fairness_checklist.tables.columns import VARIANT
from fairness_checklist.tables.run_folder import Results

INTERACTION_COLUMNS = (
    *("attribute", "class", "first", "second", "effect"),
    *("value", "ci_low", "ci_high", "ci_low_terms", "ci_high_terms", "p_value", "p_adjusted"),
    *("p_joint", "p_first", "p_second", "p_unmarked", "n", "pairs", "note"),
)
EFFECTS = ("first", "second", "joint", "interaction")
_SIDES = ("first", "second")
THIN = "thin"  # the code in the column ``note`` of a pair with few terms or sources
_FEW_PAIRS = 4
_FEW_SOURCES = 10


@dataclass(frozen=True, eq=False)
class ValuesByTerms:
    """Probabilities of one class, by source and terms; NaN where there is no sentence."""

    joint: FloatArray  # (S, A, B) of the pairs of A and B terms
    first: FloatArray  # (S, A) of the first attribute alone
    second: FloatArray  # (S, B) of the second alone
    neither: FloatArray  # (S,) of neither
    cluster: IntArray  # (S,) the family of paraphrases of each source


def interactions(results: Results, attribute: str | None = None) -> pd.DataFrame:
    """Marginal and joint effects of two attributes, and their interaction, for each pair of groups.

    ``effect`` is the difference in a row: ``first`` p(a) - p(unmarked), ``second`` p(b) - p(unmarked), ``joint``
    p(ab) - p(unmarked), ``interaction`` p(ab) - p(a) - p(b) + p(unmarked). ``p_joint`` is of sentences with both
    identities ("a middle-aged deaf writer"), ``p_first`` and ``p_second`` of those with one, ``p_unmarked`` of those
    without; all are means over the same sources and terms. ``p_value`` tests that the difference is 0; ``p_adjusted``
    is adjusted by Benjamini and Hochberg over all rows of an effect.

    Back come the columns `INTERACTION_COLUMNS` of an intersection, "gender+age", or of all, a row for each class, pair
    of groups and effect; see `pair_effects`. `OptionError` without such an intersection, or without probabilities.
    """
    crossed = results.intersections
    if not crossed:
        raise OptionError("the run has no intersection of two attributes.", remedy="Build a suite of gender+age.")
    names = crossed if attribute is None else (one_of(attribute, crossed, "intersection"),)
    return pd.concat([_attribute_interactions(results, name) for name in names], ignore_index=True)


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
    columns = [name for name in ("source", *_SIDES) if name not in rows.columns]
    lacking = f"column {' and '.join(columns)}" if columns else "" if len(controls) else "unmarked sentences"
    if lacking:
        raise OptionError(
            f"the table of {attribute} has no {lacking}.",
            remedy="Interactions are taken inside sources, term by term: evaluate the table of a suite.",
        )
    paired, unmarked = rows[rows["group"] != UNMARKED], rows[rows["group"] == UNMARKED]
    alone = [controls[controls[VARIANT] == side] for side in _SIDES]
    ids = rows["source"].astype("str")
    sources = pd.Index(ids.unique())
    cluster = pd.factorize(np.array(families(rows), dtype=object)[~ids.duplicated()])[0].astype(np.int64)
    groups = paired["group"].astype("str").str.split(GROUP_SEPARATOR, n=1)
    # the group and the term of each side, in the rows of pairs and in those of one alone
    both = [
        pd.MultiIndex.from_arrays([groups.str[side], paired[name].astype("str")]) for side, name in enumerate(_SIDES)
    ]
    single = [
        pd.MultiIndex.from_frame(rows[["group", name]].astype("str")) for rows, name in zip(alone, _SIDES, strict=True)
    ]
    sides = [terms.unique() for terms in both]
    lines: list[dict[str, object]] = []
    for label in classes:
        column = f"p:{label}"
        joint = _means(paired, column, sources, list(zip(sides, both, strict=True)))
        first, second = (
            _means(rows, column, sources, [(side, terms)])
            for rows, side, terms in zip(alone, sides, single, strict=True)
        )
        neither = _means(unmarked, column, sources, [])
        of_terms = [side.get_level_values(0) for side in sides]
        for a, b in product(*(names.unique() for names in of_terms)):
            inside = (np.flatnonzero(of_terms[0] == a), np.flatnonzero(of_terms[1] == b))
            cells = joint[:, inside[0]][:, :, inside[1]]
            if np.isnan(cells).all():
                continue
            values = ValuesByTerms(
                joint=cells, first=first[:, inside[0]], second=second[:, inside[1]], neither=neither, cluster=cluster
            )
            about = {"attribute": attribute, "class": label, "first": str(a), "second": str(b)}
            lines += [about | effect for effect in pair_effects(values)]
    frame = pd.DataFrame(lines, columns=list(INTERACTION_COLUMNS))
    for effect in EFFECTS:
        together = frame["effect"] == effect
        frame.loc[together, "p_adjusted"] = benjamini_hochberg(frame.loc[together, "p_value"].to_numpy(np.float64))
    return frame


def _means(
    part: pd.DataFrame, column: str, sources: pd.Index[Any], sides: list[tuple[pd.MultiIndex, pd.MultiIndex]]
) -> FloatArray:
    """The mean probability by source and by the terms of each side; NaN where there is none."""
    values = part[column].to_numpy(dtype=np.float64)
    codes = [sources.get_indexer(pd.Index(part["source"].astype("str")))]
    codes += [every.get_indexer(of_rows) for every, of_rows in sides]
    shape = (len(sources), *(len(every) for every, _ in sides))
    # -1 is what the pairs do not have
    defined = np.logical_and.reduce([code >= 0 for code in codes]) & ~np.isnan(values)
    cell, size = np.ravel_multi_index([code[defined] for code in codes], shape), int(np.prod(shape))
    total = np.bincount(cell, weights=values[defined], minlength=size)
    return divide(total, np.bincount(cell, minlength=size)).reshape(shape)


def pair_effects(cells: ValuesByTerms) -> list[dict[str, object]]:
    """A row for each effect of a pair of groups: ``value`` is the mean over sources, each weighing the same.

    ``ci_low, ci_high`` are Student's over the means of the clusters; ``ci_low_terms, ci_high_terms`` add the variances
    of the means of either attribute's terms. ``p_value`` is of the wider interval where there is one.
    """
    alone = cells.first[:, :, None], cells.second[:, None, :], cells.neither[:, None, None]
    sides = np.broadcast_arrays(cells.joint, *alone)
    complete = ~np.isnan(np.sum(sides, axis=0))
    used = complete.any(axis=(1, 2))
    joint, first, second, neither = (np.where(complete, side, np.nan)[used] for side in sides)
    n, pairs = int(used.sum()), int(complete.any(axis=0).sum())
    means = (_mean(side, (1, 2)) for side in (joint, first, second, neither))
    levels = [float(mean.mean()) if n else float("nan") for mean in means]
    about: dict[str, object] = dict(zip(("p_joint", "p_first", "p_second", "p_unmarked"), levels, strict=True))
    about |= {"n": n, "pairs": pairs, "note": THIN if pairs < _FEW_PAIRS or n < _FEW_SOURCES else ""}
    differences = (first - neither, second - neither, joint - neither, joint - first - second + neither)
    of_terms = (((0, 2),), ((0, 1),), ((0, 2), (0, 1)), ((0, 2), (0, 1)))  # the axes that leave the terms of a side
    return [
        {"effect": effect, **_estimate(difference, cells.cluster[used], axes), **about}
        for effect, difference, axes in zip(EFFECTS, differences, of_terms, strict=True)
    ]


def _estimate(values: FloatArray, cluster: IntArray, terms: tuple[tuple[int, int], ...]) -> dict[str, float]:
    """The mean of (S, A, B) differences with its intervals; ``terms`` are the axes that leave the terms of a side."""
    if not len(values):
        return {}
    by_source = _mean(values, (1, 2))
    value, clusters = float(by_source.mean()), variance_of_clusters(by_source, cluster)
    low, high, p = student_interval(value, [clusters])
    of_terms = [variance_of_terms(_mean(values, axes)) for axes in terms]
    low_terms, high_terms, p_terms = student_interval(value, [clusters, *of_terms])
    bounds = {"ci_low": low, "ci_high": high, "ci_low_terms": low_terms, "ci_high_terms": high_terms}
    return {"value": value, **bounds, "p_value": p if np.isnan(p_terms) else p_terms}


def _mean(values: FloatArray, axes: tuple[int, ...]) -> FloatArray:
    """The mean of the defined values, NaN without any."""
    defined = ~np.isnan(values)
    return divide(np.where(defined, values, 0.0).sum(axis=axes), defined.sum(axis=axes))


def write_interactions(results: Results, folder: Path) -> None:
    """Write ``interactions.csv`` where the run has intersections, probabilities and unmarked sentences."""
    try:
        table = interactions(results)
    except OptionError:
        return
    table.to_csv(folder / "interactions.csv", index=False, encoding="utf-8", lineterminator="\n")
