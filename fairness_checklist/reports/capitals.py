"""What a capital letter does: Black beside black, Deaf beside deaf, in the same sentences."""

from __future__ import annotations

import math
from typing import Any

import pandas as pd

from fairness_checklist.analysis.capitals import (
    by_pair,
)
from fairness_checklist.analysis.leading_values import NOTHING
from fairness_checklist.analysis.run_view import View
from fairness_checklist.errors import count
from fairness_checklist.formatting import decimal, hundredths, points
from fairness_checklist.reports.grids import Grid
from fairness_checklist.reports.plain_table import aligned
from fairness_checklist.results import Results

__all__ = ["ABOUT_CAPITALS", "capitals_block", "capitals_grids", "capitals_sentence"]

ABOUT_CAPITALS = (
    "Two terms of a group that differ in capitals only stand in the same sentences. The change is the probability with "
    "the small letter less that with the capital, a mean over sources; its interval is over other sentences, with "
    "rewordings of a sentence taken together. The verdict tells the class that changes most, and its interval is not "
    "adjusted for that choice."
)
_PAIRS = 10
_SENTENCES = 3


def capitals_sentence(results: Results, view: View) -> str:
    """What a small letter changes, the pair that changes most first; "" without such a pair, and for taggers."""
    pairs = by_pair(results, view)
    if not pairs:
        return ""
    sentences = [_sentences(part) for part in pairs[:_SENTENCES]]
    more = len(pairs) - len(sentences)
    sentences += (
        [f"{count(more, 'more pair')} of spellings {'changes' if more == 1 else 'change'} less"] if more else []
    )
    return f"Written with a small letter, {'; '.join(sentences)}."


def _sentences(part: pd.DataFrame) -> str:
    row = part.iloc[0]
    small, capital, n, decisions = f'"{row["small"]}"', f'"{row["capital"]}"', int(row["n"]), int(row["decisions"])
    sources = count(n, "source")
    if row["class"] == "*":
        return f"{small} gets another decision than {capital} in {decisions:,} of {sources}"
    change = float(row["change"])
    if abs(change) < NOTHING and not decisions:
        return f"{small} gets the same probabilities and decisions as {capital} ({sources})"
    if abs(change) < NOTHING:
        moved = f"{small} gets the same probabilities as {capital} on average ({sources})"
    else:
        sign = -1.0 if change < 0 else 1.0
        ends = sorted(sign * float(row[name]) for name in ("ci_low", "ci_high"))
        sure = "" if math.isnan(ends[0]) else f"95 %: {hundredths(ends[0])} to {hundredths(ends[1])}; "
        moved = (
            f"{small} gets a probability of {row['class']} that is {points(change)} "
            f"{'lower' if change < 0 else 'higher'} than that of {capital} ({sure}{sources})"
        )
    return f"{moved} and {f'another decision in {decisions:,} of them' if decisions else 'no other decision'}"


def capitals_grids(results: Results, view: View) -> list[Grid]:
    """The pairs as a table, a class a row; none where no two terms differ in capitals only."""
    pairs = by_pair(results, view)
    if not pairs:
        return []
    rows = [_row(row) for part in pairs[:_PAIRS] for row in part.sort_index().to_dict("records")]
    sentences = "Small letter less capital: change of the probability"
    if len(pairs) > _PAIRS:
        sentences += f" ({_PAIRS} of {len(pairs):,} pairs; all from result.capitals())"
    header = ("group", "capital", "small", "class", "change", "95 %", "other decisions", "n")
    return [Grid(header, tuple(rows), 4, sentences)]


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
    return [f"{grid.caption}\n{aligned(grid.header, grid.rows, words=4)}" for grid in capitals_grids(results, view)]
