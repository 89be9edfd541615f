"""A balanced data set in words, as tables and as a page with the histograms of Appendix B and Figures 1 and 2."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from fairness_checklist.core.formatting import decimal, join_names
from fairness_checklist.extensions.balance.balance_findings import shown
from fairness_checklist.reports.pages import filled, part

if TYPE_CHECKING:
    from fairness_checklist.extensions.balance.analysis import BalanceReport
    from fairness_checklist.extensions.balance.weighting import Balance

_BIN = 0.1  # the width of the bars of Figures 1 and 2
_SHOWN = 4.0  # larger weights are named, as in Figure 1
_COLOURS = ("g0", "g1", "g2", "g3", "g4", "g5")


_TITLES = {
    "biases": "Accuracy of one group over another, with weights and without",
    "tests": "Do two models differ in the weighted ratio?",
    "metrics": "Group metrics, with weights and without",
    "properties": "Distance between the groups before and after (total variation, 0 to 1)",
    "groups": "Effective size, bound of the change of an accuracy, and weights by group",
    "dropped": "Values that were dropped or get no weight",
    "subsamples": "Rows of the largest subsample that is balanced without weights",
    "values": "Each value by group: rows and weights, and their shares",
}
"""The tables of the page in order; the findings stand above them as sentences."""


def balance_page(report: BalanceReport) -> str:
    """The report as one page of HTML, everything escaped, nothing loaded from elsewhere."""
    pictures = []
    for own in report.weights:
        many = f" ({', '.join(own.groups)})" if len(report.weights) > 1 else ""
        for p, name in enumerate(own.properties):
            before, after = own.counts(name)
            there = np.asarray(before.any(axis=0))
            values = [value for value, some in zip(own.values[p], there, strict=True) if some]
            top = float(max(before.max(), after.max()))  # one scale for both
            pictures.append(_histogram(f"{name}, rows{many}", before[:, there], values, own.groups, top))
            pictures.append(_histogram(f"{name}, weights{many}", after[:, there], values, own.groups, top))
        pictures.append(_weights_histogram(own, many))
    frames = report.tables()
    single = len(report.weights) == 1
    tables = [(title, _grid(frames[name], single)) for name, title in _TITLES.items() if name in frames]
    said = [kind for name in ("biases", "metrics") for kind in frames.get(name, pd.DataFrame()).get("intervals", ())]
    methods = [f"intervals: {kind}" for kind in dict.fromkeys(said) if kind]
    groups = join_names(list(dict.fromkeys(g for own in report.weights for g in own.groups)))
    return filled(
        "extensions/balance/page.html.j2",
        {
            "title": f"Balance of {groups}",
            "style": part("page.css")[0],
            "warnings": report.warnings,
            "lines": shown(report.findings),
            "notes": [*report.notes, *methods],
            "pictures": pictures,
            "tables": tables,
        },
    )


def _histogram(
    title: str, table: np.ndarray[Any, Any], values: list[str], groups: tuple[str, ...], top: float = 0.0
) -> dict[str, Any]:
    """The sums by group and value (G, V) as bars side by side, in percent, up to the largest of them or ``top``."""
    top = max(top, float(table.max())) or 1.0
    step = 100 / len(values)
    width = 0.8 * step / len(groups)
    colours = [_COLOURS[g % len(_COLOURS)] for g in range(len(groups))]
    bars = [
        {
            "x": round(v * step + 0.1 * step + g * width, 3),
            "y": round(100 - 100 * table[g, v] / top, 3),
            "width": round(width, 3),
            "height": round(100 * table[g, v] / top, 3),
            "colour": colours[g],
            "text": f"{value}: {group} {table[g, v]:,.1f}".replace(".0", ""),
        }
        for v, value in enumerate(values)
        for g, group in enumerate(groups)
    ]
    every = max(1, math.ceil(len(values) / 16))
    return {
        "title": title,
        "bars": bars,
        "labels": [(round((v + 0.5) * step, 3), value) for v, value in enumerate(values) if v % every == 0],
        "legend": list(zip(colours, groups, strict=True)),
        "top": f"{top:,.1f}".removesuffix(".0"),
        "note": "",
    }


def _weights_histogram(own: Balance, many: str) -> dict[str, Any]:
    """The weights in bins of .1, as in Figures 1 and 2; weights above 4 are named."""
    table, large = own.histogram(width=_BIN, most=_SHOWN)
    names = [f"{v * _BIN:.1f}" for v in range(table.shape[1])]
    note = f"Not shown, above {_SHOWN:g}: {', '.join(f'{w:.2f}' for w in large)}." if len(large) else ""
    return _histogram(f"Weights of the rows{many}", table.astype(np.float64), names, own.groups) | {"note": note}


def _grid(table: pd.DataFrame, single: bool) -> dict[str, Any]:
    """A table as the page's macro reads it: words first, then numbers; without columns that say nothing there."""
    empty = "note" in table.columns and not table["note"].astype(bool).any()
    gone = ["intervals", *(["groups"] if single else []), *(["note"] if empty else [])]
    table = table.drop(columns=gone, errors="ignore")
    numbers = [name for name in table.columns if pd.api.types.is_numeric_dtype(table[name])]
    words = [name for name in table.columns if name not in numbers]
    rows = [
        [*(str(row[name]) for name in words), *(_cell(row[name]) for name in numbers)]
        for row in table.to_dict("records")
    ]
    return {"header": [*words, *numbers], "words": len(words), "findings": (), "rows": rows}


def _cell(value: Any) -> str:
    if isinstance(value, (bool, np.bool_)):
        return str(value)
    return decimal(float(value)) if value % 1 else f"{int(value):,}"
