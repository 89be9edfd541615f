"""A comparison as one HTML page. It computes nothing."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import pandas as pd

from fairness_checklist.core.formatting import capitalise, format_p_value
from fairness_checklist.extensions.compare.changes import BETTER, EQUAL, UNDECIDED, WORSE
from fairness_checklist.extensions.compare.compare_text import change_sentence, comparison_lines, leads_with_decisions
from fairness_checklist.reports.finding_text import whole_percent, whole_points
from fairness_checklist.reports.forest import Scale, axis_ends
from fairness_checklist.reports.pages import filled, part
from fairness_checklist.reports.wording import Grid, group_phrase

if TYPE_CHECKING:
    from fairness_checklist.extensions.compare.compare import Comparison

_COLOURS = {WORSE: "clear", BETTER: "shown-to-be-small", EQUAL: "shown-to-be-small", UNDECIDED: "few"}
_UNITS = {"decisions": ("rate_gap", "rate_change"), "probability": ("gap", "change")}


def comparison_page(*comparisons: Comparison) -> str:
    """The page of a comparison, or of several with the same old model."""
    page = {
        "title": "Comparison of two models" if len(comparisons) == 1 else "Comparison of models",
        "style": part("page.css")[0],
        "comparisons": [_of_comparison(one) for one in comparisons],
    }
    return filled("extensions/compare/page.html.j2", page)


def _of_comparison(comparison: Comparison) -> dict[str, Any]:
    lines = [line.strip() for line in comparison_lines(comparison)]
    groups = comparison.changes.groupby(["attribute", "harm"], sort=False)
    return {
        "about": lines[0],
        "sentences": lines[1:],
        "plots": [_plot(rows) for _, rows in groups],
        "texts": [_texts(rows) for _, rows in comparison.texts.groupby(["attribute", "harm"], sort=False)],
        "numbers": _numbers(comparison.changes),
    }


def _plot(rows: pd.DataFrame) -> dict[str, Any]:
    """One error of one attribute: for each group the old and the new gap, and the bounds of the change."""
    first = rows.iloc[0].to_dict()
    unit = "decisions" if leads_with_decisions(first) else "probability"
    gap, change = _UNITS[unit]
    ends = rows[f"base_{gap}"].to_numpy()[:, None] + rows[[f"{change}_low", f"{change}_high"]].to_numpy()
    scale = Scale(*axis_ends([*ends.ravel(), *rows[f"base_{gap}"], *rows[f"new_{gap}"]], least=0.02))
    return {
        "title": f"{first['attribute']}: {first['title']}",
        "unit": unit,
        "zero": scale.at(0.0),
        "ticks": scale.ticks(),
        "rows": [_row(row, gap, change, scale) for row in rows.to_dict("records")],
    }


def _row(row: Mapping[Any, Any], gap: str, change: str, scale: Scale) -> dict[str, Any]:
    old, new = float(row[f"base_{gap}"]), float(row[f"new_{gap}"])
    low, high = (old + float(row[f"{change}_{end}"]) for end in ("low", "high"))
    bounds = [float(row[f"{change}_{end}"]) for end in ("low", "high")]
    text = whole_points(new - old)
    text += "" if math.isnan(sum(bounds)) else f" ({whole_points(bounds[0])} to {whole_points(bounds[1])})"
    return {
        "group": capitalise(group_phrase(str(row["group"]), str(row["attribute"]))),
        "verdict": row["verdict"],
        "status": _COLOURS[str(row["verdict"])],
        "old": scale.at(old),
        "new": scale.at(new),
        **scale.span("low", "width", low, high),
        "base_rate": whole_percent(float(row["base_rate"])),
        "new_rate": whole_percent(float(row["new_rate"])),
        "text": text,
        "label": change_sentence(row),
    }


def _texts(rows: pd.DataFrame) -> dict[str, Any]:
    first = rows.iloc[0]
    cells = [
        (str(r["text"]), str(r["group"]), _answer(r["base"], r["p_base"]), _answer(r["new"], r["p_new"]))
        for r in rows.to_dict("records")
    ]
    return {
        "caption": f"{first['attribute']}, {first['harm'].replace('_', ' ')}: texts whose answer changed most",
        "grid": Grid(("text", "group", "old model", "new model"), tuple(cells), 4),
    }


def _answer(predicted: object, p: float) -> str:
    return f"{predicted}" if math.isnan(p) else f"{predicted} (probability of the error {p:.2f})"


def _numbers(changes: pd.DataFrame) -> Grid:
    header = ("group", "error", "verdict", "old gap", "new gap", "change", "in decisions", "p, adjusted", "would show")
    rows = []
    for r in changes.to_dict("records"):
        shown = [_span(r, name) for name in ("change", "rate_change")]
        p = "" if math.isnan(r["p_adjusted"]) else format_p_value(float(r["p_adjusted"]))
        gaps = [whole_points(float(r[f"{side}_gap"])) for side in ("base", "new")]
        rows.append(
            (r["group"], r["title"], r["verdict"], *gaps, *shown, p, whole_points(float(r["detectable_change"])))
        )
    return Grid(header, tuple(rows), 3)


def _span(row: Mapping[Any, Any], name: str) -> str:
    value, low, high = (100 * float(row[key]) for key in (name, f"{name}_low", f"{name}_high"))
    return "" if math.isnan(value) else f"{value:+.1f} ({low:+.1f} to {high:+.1f})"
