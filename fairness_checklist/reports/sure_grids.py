"""The tables of the page on how sure the figures of one attribute are, and how they compare with the placebo's."""

from __future__ import annotations

import math

import pandas as pd

from fairness_checklist.analysis.leading_values import BEYOND, standing
from fairness_checklist.analysis.run_view import Row, View, signed
from fairness_checklist.formatting import decimal
from fairness_checklist.reports.baseline import multiples_table
from fairness_checklist.reports.grids import Grid, about, group_name, leading_scores, metric_name
from fairness_checklist.reports.reading import UNCERTAINTY
from fairness_checklist.reports.sureness import sure_table, whose
from fairness_checklist.results import Results

__all__ = ["base_intervals", "exploratory", "multiples", "pairs", "sureness"]


def sureness(seen: View) -> list[Grid]:
    """Intervals, levels of chance and p of the primary metrics, where they are filled: the effect before the p.

    Of pairs of more than two groups only the totals and the means by group; see `pairs`.
    """
    return _two(seen, _without_pairs(seen, _primary(seen)), "How sure the primary metrics are")


def pairs(seen: View) -> list[Grid]:
    """The same of the pairs of more than two groups."""
    rows = _primary(seen)
    inside = rows["right"].isin(seen.groups) & (len(seen.groups) > 2)
    return _two(seen, rows[inside], "How sure the primary metrics are, pair by pair")


def exploratory(seen: View, adjusted: str) -> list[Grid]:
    """The same of the other metrics; of those of pairs with more than two groups, their totals and means by group.

    Args:
        seen: an attribute of a run.
        adjusted: how their p-values are adjusted.
    """
    rows = _without_pairs(seen, seen.metrics[seen.metrics["role"] != "primary"])
    return _two(seen, rows, f"The other metrics, exploratory ({adjusted})")


def _primary(seen: View) -> pd.DataFrame:
    return seen.metrics[(seen.metrics["role"] == "primary") & seen.metrics["class"].isin((*seen.shown_classes, "*"))]


def _without_pairs(seen: View, rows: pd.DataFrame) -> pd.DataFrame:
    return rows[~rows["right"].isin(seen.groups)] if len(seen.groups) > 2 else rows


def _two(seen: View, rows: pd.DataFrame, caption: str) -> list[Grid]:
    """A table of the values that have a direction, and one of those that have none."""
    rows = rows[rows[list(UNCERTAINTY)].notna().any(axis=1)]
    directed = rows["metric"].map(signed).astype("bool")
    told = (("differences, which have a direction", rows[directed]), ("distances, which have none", rows[~directed]))
    return [_sure(seen, part, f"{caption}: {what}") for what, part in told if len(part)]


def _sure(seen: View, rows: pd.DataFrame, caption: str) -> Grid:
    heads, cells = sure_table(rows)
    names = zip(*(rows[name].astype("str") for name in ("metric", "options", "class")), strict=True)
    lines = [
        (
            metric_name((metric, options), seen.place),
            label,
            group_name("*") if row["left"] == "*" else whose(row),
            *told,
        )
        for (metric, options, label), row, told in zip(names, _records(rows), cells, strict=True)
    ]
    found = tuple(
        i for i, row in enumerate(_records(rows)) if row["role"] == "primary" and standing(seen, row) == BEYOND
    )
    caption += "; beyond chance in bold" if found else ""
    return Grid(("metric", "class", "of", *heads), tuple(lines), 3, caption, tight=True, found=found)


def _records(rows: pd.DataFrame) -> list[Row]:
    return [{str(name): value for name, value in row.items()} for row in rows.to_dict("records")]


def base_intervals(seen: View) -> list[Grid]:
    """The leading base scores by group with both intervals, a table a class; none where there are no intervals."""
    grids = []
    for label in (*seen.shown_classes, "*"):
        rows: list[tuple[str, ...]] = []
        for name, head in leading_scores(seen):
            for group in (*seen.groups, "unmarked", "*"):
                ends = seen.spans.get((seen.place, name, label, group))
                if ends is None or all(map(math.isnan, ends)):
                    continue
                value, n = seen.score(name, label, group)
                spans = (_span(*ends[:2]), _span(*ends[2:]))
                rows.append((head, group_name(group), decimal(value), *spans, f"{n:,}"))
        if rows:
            header = ("base score", "group", "value", "these terms", "terms like these", "n")
            told = f"{about(seen, label, seen.place)}: base scores (sentences), with both intervals"
            grids.append(Grid(header, tuple(rows), 2, told, tight=True))
    return grids


def _span(low: float, high: float) -> str:
    return "" if math.isnan(low) or math.isnan(high) else f"{decimal(low)} to {decimal(high)}"


def multiples(results: Results, seen: View) -> list[Grid]:
    """The findings and the largest primary values beside the placebo's."""
    header, *rows = multiples_table(results, seen)
    told = "In multiples of the placebo, words that should not matter: findings and the largest primary values"
    return [Grid(tuple(header), tuple(map(tuple, rows)), 3, told, tight=True)] if rows else []
