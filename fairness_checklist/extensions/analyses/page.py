"""The interactions of two attributes as tables for the page and the terminal, and as a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from fairness_checklist.core.errors import OptionError
from fairness_checklist.core.formatting import decimal
from fairness_checklist.extensions.analyses.interactions import EFFECTS, interactions
from fairness_checklist.reports.render import Grid
from fairness_checklist.reports.run_view import View
from fairness_checklist.tables.run_folder import Results

_MOST_INTERACTIONS = 12
_CROSSED_HEAD = ("pair", "class", "first", "second", "joint", "interaction", "95 %", "p", "n", "note")


def write_interactions(results: Results, folder: Path) -> None:
    """Write ``interactions.csv`` where the run has intersections, probabilities and unmarked sentences."""
    try:
        table = interactions(results)
    except OptionError:
        return
    table.to_csv(folder / "interactions.csv", index=False, encoding="utf-8", lineterminator="\n")


def crossed_grids(results: Results, view: View) -> list[Grid]:
    """The largest interactions as tables, and all effects behind them; none where there is not an intersection."""
    if view.attribute not in results.intersections:
        return []
    try:
        table = interactions(results, view.attribute)
    except OptionError:  # no probabilities, or columns that are missing in a user's table
        return []
    rows = table[(table["effect"] == "interaction") & table["value"].notna()]
    top = rows.sort_values("value", key=np.abs, ascending=False, kind="stable")[:_MOST_INTERACTIONS]
    caption = "The largest interactions of these words, as differences of probabilities"
    if len(rows) > len(top):
        caption += f" ({len(top)} of {len(rows):,}; all in interactions.csv)"
    cells = tuple(_interaction_row(table, row) for row in top.to_dict("records"))
    return [Grid(_CROSSED_HEAD, cells, 2, caption)] if cells else []


def _interaction_row(table: pd.DataFrame, row: dict[Any, Any]) -> tuple[str, ...]:
    same = np.logical_and.reduce([table[name] == row[name] for name in ("class", "first", "second")])
    effects = table[same].set_index("effect")["value"]
    # the interval over terms like these, else the one over these terms
    width = "" if np.isnan(row["ci_low_terms"]) else "_terms"
    low, high = row[f"ci_low{width}"], row[f"ci_high{width}"]
    return (
        f"{row['first']} & {row['second']}",
        str(row["class"]),
        *(decimal(float(effects[effect]), signed=True) for effect in EFFECTS),
        "" if np.isnan(low) else f"{decimal(low, signed=True)} to {decimal(high, signed=True)}",
        decimal(row["p_adjusted"], undefined=""),
        f"{row['n']:,}",
        str(row["note"]),
    )
