"""Intersections in words and tables: the pairs of groups whose joint effect is not the sum of the two alone."""

from __future__ import annotations

import math
from typing import Any

import pandas as pd

from fairness_checklist.analysis.interactions import EFFECTS, crossed_attributes, interactions
from fairness_checklist.analysis.run_view import View
from fairness_checklist.core.errors import OptionError, count
from fairness_checklist.core.formatting import decimal
from fairness_checklist.reports.wording import Grid
from fairness_checklist.tables.run_folder import Results

ABOUT_CROSSED = (
    "The sentences of a pair (a middle-aged deaf writer) are compared with those of either identity alone (a "
    "middle-aged writer, a deaf writer) and of none (a writer). The interaction is p(both) - p(first) - p(second) + "
    "p(none): 0 where the two effects add up. Controlled: with a placebo in the place of what is missing "
    "(a stamp-collecting deaf writer), so that all sentences have one length and order. The intervals are over other "
    "sentences and other terms "
    "like these, and are conservative; p is adjusted over all pairs and classes. The same is computed on logits, "
    "log(p / (1 - p)), where effects are not limited by probabilities close to 0 or 1."
)
_SHOWN = 12
_SIGNIFICANT = 0.05


def crossed_sentence(results: Results, view: View) -> str:
    """A summary of the interactions of an attribute; "" where it is no intersection."""
    found = _interaction_rows(results, view.attribute)
    if found is None:
        return ""
    rows = found[(found["effect"] == "interaction") & (found["scale"] == "probability") & found["p_adjusted"].notna()]
    pairs = rows.groupby(["first", "second"], sort=False).ngroups
    if not pairs:
        return "No interaction can be computed: the pairs have no sentences with either identity alone and with none."
    significant = rows[rows["p_adjusted"] <= _SIGNIFICANT]
    n = significant.groupby(["first", "second"], sort=False).ngroups
    largest = _largest(significant if len(significant) else rows)
    differ = "differs from the sum of its two effects" if n == 1 else "differ from the sums of their two effects"
    text = f"{n:,} of {count(pairs, 'pair')} of groups {differ} (adjusted p at most {_SIGNIFICANT:g})"
    text += "; the largest: " if len(significant) else "; the largest interaction: "
    return f"{text}{_pair_in_words(largest, _logit(found, largest))}."


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
        grids.append(Grid(_HEAD, tuple(_row(found, row) for row in top.to_dict("records")), 2, caption))
    return [grid for grid in grids if grid.rows]


def crossed_block(results: Results, view: View) -> list[str]:
    """The first of these tables as plain text."""
    return [grid.as_text() for grid in crossed_grids(results, view)[:1]]


_HEAD = ("pair", "class", "first", "second", "joint", "interaction", "95 %", "p", "controlled", "95 %", "n", "note")


def _row(found: pd.DataFrame, row: dict[Any, Any]) -> tuple[str, ...]:
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


def _largest(rows: pd.DataFrame) -> dict[Any, Any]:
    return rows.to_dict("records")[int(rows["value"].abs().to_numpy().argmax())]


def _logit(found: pd.DataFrame, row: dict[Any, Any]) -> float:
    """The same interaction on logits."""
    same = (found["scale"] == "logit") & (found["effect"] == "interaction")
    for name in ("class", "first", "second"):
        same &= found[name] == row[name]
    return float(found.loc[same, "value"].iloc[0])


def _pair_in_words(row: dict[Any, Any], logit: float) -> str:
    controlled = ""
    if not math.isnan(row["controlled"]):
        controlled = f"; {decimal(row['controlled'], signed=True)} with a placebo in the place of the other"
    return (
        f'"{row["first"]} & {row["second"]}", with a probability of {row["class"]} '
        f"{decimal(abs(row['value']))} {'above' if row['value'] > 0 else 'below'} that sum "
        f"(95 % {_ends(row, 'ci_low', 'ci_high')}, {decimal(logit, signed=True)} on logits{controlled})"
    )
