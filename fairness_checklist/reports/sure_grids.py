"""The tables of the page on how sure the figures of one attribute are, and how they compare with the placebo's."""

from __future__ import annotations

import math

import pandas as pd

from fairness_checklist.analysis.leading_values import BEYOND, status
from fairness_checklist.analysis.run_view import Row, View, signed
from fairness_checklist.formatting import decimal
from fairness_checklist.reports.baseline import multiples_table
from fairness_checklist.reports.grids import Grid, about, group_name, leading_scores, metric_name
from fairness_checklist.reports.reading import UNCERTAINTY
from fairness_checklist.reports.sureness import interval_scope, uncertainty_table
from fairness_checklist.results import Results

__all__ = ["base_intervals", "exploratory", "multiples", "pairs", "uncertainty"]


def uncertainty(view: View) -> list[Grid]:
    """Intervals, levels of chance and p of the primary metrics, where they are filled: the effect before the p.

    Of pairs of more than two groups only the totals and the means by group; see `pairs`.
    """
    return _two(view, _without_pairs(view, _primary(view)), "How sure the primary metrics are")


def pairs(view: View) -> list[Grid]:
    """The same of the pairs of more than two groups."""
    rows = _primary(view)
    inside = rows["right"].isin(view.groups) & (len(view.groups) > 2)
    return _two(view, rows[inside], "How sure the primary metrics are, pair by pair")


def exploratory(view: View, adjusted: str) -> list[Grid]:
    """The same of the other metrics; of those of pairs with more than two groups, their totals and means by group.

    Args:
        view: an attribute of a run.
        adjusted: how their p-values are adjusted.
    """
    rows = _without_pairs(view, view.metrics[view.metrics["role"] != "primary"])
    return _two(view, rows, f"The other metrics, exploratory ({adjusted})")


def _primary(view: View) -> pd.DataFrame:
    return view.metrics[(view.metrics["role"] == "primary") & view.metrics["class"].isin((*view.shown_classes, "*"))]


def _without_pairs(view: View, rows: pd.DataFrame) -> pd.DataFrame:
    return rows[~rows["right"].isin(view.groups)] if len(view.groups) > 2 else rows


def _two(view: View, rows: pd.DataFrame, caption: str) -> list[Grid]:
    """A table of the values that have a direction, and one of those that have none."""
    rows = rows[rows[list(UNCERTAINTY)].notna().any(axis=1)]
    directed = rows["metric"].map(signed).astype("bool")
    sentences = (
        ("differences, which have a direction", rows[directed]),
        ("distances, which have none", rows[~directed]),
    )
    return [_uncertainty(view, part, f"{caption}: {what}") for what, part in sentences if len(part)]


def _uncertainty(view: View, rows: pd.DataFrame, caption: str) -> Grid:
    heads, cells = uncertainty_table(rows)
    names = zip(*(rows[name].astype("str") for name in ("metric", "options", "class")), strict=True)
    lines = [
        (
            metric_name((metric, options), view.place),
            label,
            group_name("*") if row["left"] == "*" else interval_scope(row),
            *sentences,
        )
        for (metric, options, label), row, sentences in zip(names, _records(rows), cells, strict=True)
    ]
    found = tuple(i for i, row in enumerate(_records(rows)) if row["role"] == "primary" and status(view, row) == BEYOND)
    caption += "; beyond chance in bold" if found else ""
    return Grid(("metric", "class", "of", *heads), tuple(lines), 3, caption, tight=True, found=found)


def _records(rows: pd.DataFrame) -> list[Row]:
    return [{str(name): value for name, value in row.items()} for row in rows.to_dict("records")]


def base_intervals(view: View) -> list[Grid]:
    """The leading base scores by group with both intervals, a table a class; none where there are no intervals."""
    grids = []
    for label in (*view.shown_classes, "*"):
        rows: list[tuple[str, ...]] = []
        for name, head in leading_scores(view):
            for group in (*view.groups, "unmarked", "*"):
                ends = view.spans.get((view.place, name, label, group))
                if ends is None or all(map(math.isnan, ends)):
                    continue
                value, n = view.score(name, label, group)
                spans = (_span(*ends[:2]), _span(*ends[2:]))
                rows.append((head, group_name(group), decimal(value), *spans, f"{n:,}"))
        if rows:
            header = ("base score", "group", "value", "these terms", "terms like these", "n")
            sentences = f"{about(view, label, view.place)}: base scores (sentences), with both intervals"
            grids.append(Grid(header, tuple(rows), 2, sentences, tight=True))
    return grids


def _span(low: float, high: float) -> str:
    return "" if math.isnan(low) or math.isnan(high) else f"{decimal(low)} to {decimal(high)}"


def multiples(results: Results, view: View) -> list[Grid]:
    """The findings and the largest primary values beside the placebo's."""
    header, *rows = multiples_table(results, view)
    sentences = "In multiples of the placebo, words that should not matter: findings and the largest primary values"
    return [Grid(tuple(header), tuple(map(tuple, rows)), 3, sentences, tight=True)] if rows else []
