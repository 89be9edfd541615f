"""The page of `validate`: a scatter of the suite's gaps and those in texts. It computes nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from fairness_checklist.extensions.natural.validation import Validation
from fairness_checklist.extensions.natural.validation_text import validation_lines
from fairness_checklist.reports.finding_text import whole_points
from fairness_checklist.reports.forest import Scale, axis_ends
from fairness_checklist.reports.pages import filled, part
from fairness_checklist.reports.wording import Grid

__all__ = ["validation_page"]

_HEIGHT = 420


def validation_page(found: Validation) -> str:
    """The page: the lines, a plot for terms and one for groups, and the numbers. No text is shown."""
    names = {"observed": "gap in texts that mention the term", "own": "gap when the mention is replaced"}
    plots = [_plot(found.terms, of, f"Terms: {name}") for of, name in names.items() if of in found.terms]
    plots.append(_plot(found.groups, "observed", "Groups: gap in texts that mention the group"))
    page = {
        "title": "A suite beside natural texts",
        "style": part("page.css")[0],
        "sentences": validation_lines(found),
        "plots": [plot for plot in plots if plot["dots"]],
        "height": _HEIGHT,
        "numbers": [
            _numbers(found.terms, ("attribute", "group", "term")),
            _numbers(found.groups, ("attribute", "group")),
        ],
    }
    return filled("extensions/natural/page.html.j2", page)


def _plot(table: pd.DataFrame, of: str, title: str) -> dict[str, Any]:
    known = table[table[of].notna() & table["suite"].notna()]
    columns = known[["suite", of, f"{of}_low", f"{of}_high"]]
    if not len(known):
        return {"title": title, "dots": []}
    across, up = (
        Scale(*axis_ends(columns[names].to_numpy().ravel(), least=0.02)) for names in (["suite"], list(columns)[1:])
    )
    return {
        "title": title,
        "zero": (across.at(0.0), _down(up.at(0.0))),
        "across": across.ticks(),
        "up": [(_down(at), text) for at, text in up.ticks()],
        "dots": [_dot(row, of, across, up) for row in known.to_dict("records")],
    }


def _down(at: str) -> str:
    return f"{100 - float(at):.2f}" if at else ""


def _dot(row: Mapping[Any, Any], of: str, across: Scale, up: Scale) -> dict[str, str]:
    name = row.get("term", row["group"])
    low, high = (float(row[f"{of}_{end}"]) for end in ("low", "high"))
    return {
        "x": across.at(float(row["suite"])),
        "y": _down(up.at(float(row[of]))),
        "low": _down(up.at(low)),
        "high": _down(up.at(high)),
        "text": f"{name}: suite {whole_points(row['suite'])}, texts {whole_points(row[of])} "
        f"({whole_points(low)} to {whole_points(high)})",
    }


def _numbers(table: pd.DataFrame, words: tuple[str, ...]) -> dict[str, Any]:
    shown = table[table["observed"].notna()].sort_values("suite", ascending=False)
    names = ("n", "suite", *(f"{gap}{end}" for gap in ("observed", "own") for end in ("", "_low", "_high")))
    columns = [name for name in names if name in shown]
    rows = tuple(
        (*(str(row[word]) for word in reversed(words)), str(row["n"]), *(_points(row[name]) for name in columns[1:]))
        for row in shown.to_dict("records")
    )
    header = (*reversed(words), *(name.replace("_", " ") for name in columns))
    return {"caption": f"{words[-1]}s, gaps in percentage points", "grid": Grid(header, rows, words=len(words))}


def _points(value: float) -> str:
    return "" if value != value else f"{100 * value:.1f}"
