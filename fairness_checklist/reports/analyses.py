"""Further analyses in words and tables: capitals, stability, intersections."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from fairness_checklist.analysis.interactions import EFFECTS, crossed_attributes, interactions
from fairness_checklist.analysis.mechanisms import by_pair
from fairness_checklist.analysis.recompute import influence_by_value, recomputed
from fairness_checklist.analysis.run_view import View
from fairness_checklist.core.arrays import by_value
from fairness_checklist.core.errors import OptionError, count
from fairness_checklist.core.formatting import decimal, join_names, percent
from fairness_checklist.metrics.metric_result import MetricResult
from fairness_checklist.reports.wording import Grid
from fairness_checklist.statistics.robustness import LEAST, Rewordings, influence, rewordings, unstable
from fairness_checklist.statistics.subsets import SplitHalf, split_half_correlation
from fairness_checklist.tables.run_folder import Results

_PAIRS = 10


def capitals_grids(results: Results, view: View) -> list[Grid]:
    """The pairs as a table, a class a row; none where no two terms differ in capitals only."""
    pairs = by_pair(results, view)
    if not pairs:
        return []
    rows = [_row(row) for part in pairs[:_PAIRS] for row in part.sort_index().to_dict("records")]
    caption = "Small letter less capital: change of the probability"
    if len(pairs) > _PAIRS:
        caption += f" ({_PAIRS} of {len(pairs):,} pairs; all from result.capitals())"
    header = ("group", "capital", "small", "class", "change", "95 %", "other decisions", "n")
    return [Grid(header, tuple(rows), 4, caption)]


def _row(row: dict[Any, Any]) -> tuple[str, ...]:
    low, high = (decimal(float(row[name]), signed=True) for name in ("ci_low", "ci_high"))
    return (
        *(str(row[name]) for name in ("group", "capital", "small", "class")),
        decimal(float(row["change"]), signed=True),
        "" if math.isnan(row["ci_low"]) else f"{low} to {high}",
        f"{row['decisions']:,}",
        f"{row['n']:,}",
    )


def capitals_block(results: Results, view: View) -> list[str]:
    """The table as plain text."""
    return [grid.as_text() for grid in capitals_grids(results, view)]


@by_value
@dataclass(frozen=True, eq=False)
class Stability:
    """The stability of the findings of a metric.

    Attributes:
        table: one row a value of the metric: class, left, right, value; template and without_template, the template
            that moves it furthest towards equal treatment and the value without it; term and without_term; originals
            and rewordings, the signed difference in templates that have a rewording and in their rewordings; families
            in which both have a direction, and agreement, the share of them in which it is the same; with_whole, the
            share of rewordings that have the direction of the whole; unstable, why, or "".
        split_half: one row a class: correlation, corrected, splits, why; see `SplitHalf`.
        sentence: a summary in words.
    """

    table: pd.DataFrame
    split_half: pd.DataFrame
    sentence: str

    def __str__(self) -> str:
        return self.sentence


def stability(
    results: Results, metric: str, *, attribute: str | None = None, splits: int = 200, seed: int = 0
) -> Stability:
    """Influence, rewordings and split-half correlation of one metric.

    Args:
        results: a run.
        metric: any registered metric's id.
        attribute: the attribute; the first by default.
        splits, seed: number and seed of the random splits into halves.

    Raises:
        OptionError: no such metric or attribute.
    """
    result, outcomes = recomputed(results, metric, attribute)
    moved = influence(result, outcomes)
    reworded = rewordings(moved.computed)
    split = split_half_correlation(moved.computed, splits=splits, seed=seed)
    reasons = unstable(result, outcomes, found=moved)
    table = influence_by_value(moved, reworded)
    keys = zip(table["class"], table["left"], table["right"], strict=True)
    table["unstable"] = [reasons.get(key, "").removeprefix("unstable: ") for key in keys]
    halves = {name: getattr(split, name) for name in ("correlation", "corrected", "splits", "why")}
    far = int((np.abs(moved.value - moved.computed.no_bias) >= LEAST - 1e-12).sum())
    about = f"{result.metric.name} ({result.attribute}): {_unstable(far, len(reasons))}"
    sentence = f"{about} {_reworded(reworded)} {_ordered(result, split)}"
    return Stability(table, pd.DataFrame({"class": result.classes, **halves}), sentence)


def _unstable(findings: int, unstable: int) -> str:
    """How many of the values that are far from equal treatment are unstable."""
    if not findings:
        return f"no value is {LEAST:g} or more from equal treatment."
    far = f"({LEAST:g} or more from equal treatment)"
    if findings == 1:
        return f"the one value {far} is {'unstable' if unstable else 'stable'}."
    return f"{unstable:,} of {findings:,} values {far} {'is' if unstable == 1 else 'are'} unstable."


def _reworded(found: Rewordings) -> str:
    if found.why:
        return f"Rewordings are not compared: {found.why}."
    compared = int(found.compared.sum())
    if not compared:
        return "In the reworded templates, no difference has a sign."
    agreed = float(np.nansum(found.agreement * found.compared)) / compared
    templates = count(len(found.families), "reworded template")
    return (
        f"In {templates}, originals and rewordings have the same sign in {percent(agreed)} of "
        f"{count(compared, 'comparison')}."
    )


def _ordered(result: MetricResult, split_half: SplitHalf) -> str:
    if split_half.why:
        return f"There is no split-half correlation: {split_half.why}."
    correlations = [
        f"{decimal(r)} ({decimal(corrected)} for all sources){'' if label == '*' else f' for {label}'}"
        for label, r, corrected in zip(result.classes, split_half.correlation, split_half.corrected, strict=True)
        if not np.isnan(r)
    ]
    if not correlations:
        return "There is no split-half correlation: in every half all groups tie."
    return f"The split-half rank correlation of the groups is {join_names(correlations)}."


_SHOWN = 12


def crossed_grids(results: Results, view: View) -> list[Grid]:
    """The largest interactions as tables, and all effects behind them; none where there is not an intersection."""
    found = _interaction_rows(results, view.attribute)
    if found is None:
        return []
    grids = []
    for scale in ("probability", "logit"):
        rows = found[(found["effect"] == "interaction") & (found["scale"] == scale) & found["value"].notna()]
        top = rows.reindex(rows["value"].abs().sort_values(ascending=False, kind="stable").index)[:_SHOWN]
        units = "probabilities" if scale == "probability" else "logits"
        caption = f"The largest interactions, as differences of {units}"
        if len(rows) > len(top):
            caption += f" ({len(top)} of {len(rows):,}; all in interactions.csv)"
        others = dict.fromkeys(str(note) for note in top["note"] if note and not str(note).startswith("thin"))
        caption += "".join(f"; {note}" for note in others)
        grids.append(Grid(_HEAD, tuple(_interaction_row(found, row) for row in top.to_dict("records")), 2, caption))
    return [grid for grid in grids if grid.rows]


def crossed_block(results: Results, view: View) -> list[str]:
    """The first of these tables as plain text."""
    return [grid.as_text() for grid in crossed_grids(results, view)[:1]]


_HEAD = ("pair", "class", "first", "second", "joint", "interaction", "95 %", "p", "controlled", "95 %", "n", "note")


def _interaction_row(found: pd.DataFrame, row: dict[Any, Any]) -> tuple[str, ...]:
    same = found[
        (found["scale"] == row["scale"])
        & (found["class"] == row["class"])
        & (found["first"] == row["first"])
        & (found["second"] == row["second"])
    ].set_index("effect")["value"]
    p = "" if math.isnan(row["p_adjusted"]) else decimal(row["p_adjusted"])
    return (
        f"{row['first']} & {row['second']}",
        str(row["class"]),
        *(decimal(float(same[effect]), signed=True) for effect in EFFECTS),
        _ends(row, "ci_low", "ci_high"),
        p,
        decimal(row["controlled"], signed=True, undefined=""),
        _span(row["ci_low_controlled"], row["ci_high_controlled"]),
        f"{row['n']:,}",
        "thin" if str(row["note"]).startswith("thin") else "",
    )


def _ends(row: dict[Any, Any], low: str, high: str) -> str:
    """The interval over terms like these, else the one over these terms."""
    wide = _span(row[f"{low}_terms"], row[f"{high}_terms"])
    return wide or _span(row[low], row[high])


def _span(low: float, high: float) -> str:
    return "" if math.isnan(low) else f"{decimal(low, signed=True)} to {decimal(high, signed=True)}"


def _interaction_rows(results: Results, attribute: str) -> pd.DataFrame | None:
    if attribute not in crossed_attributes(results):
        return None
    try:
        return interactions(results, attribute)
    except OptionError:
        return None
