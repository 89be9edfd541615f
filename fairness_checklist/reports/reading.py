"""Which columns of uncertainty a table of metrics has, and what must be said where some are missing."""

from __future__ import annotations

import pandas as pd

from fairness_checklist.analysis.run_view import (
    neutral_value,
    signed,
)

__all__ = ["UNCERTAINTY", "caveat", "filled"]

UNCERTAINTY = ("ci_low", "ci_high", "ci_low_terms", "ci_high_terms", "null_mean", "p_value", "p_adjusted")
"""Columns of ``metrics`` that are shown only where they are filled."""


def filled(rows: pd.DataFrame) -> list[str]:
    """The columns of intervals, tests and chance levels that hold a number.

    >>> filled(pd.DataFrame({"ci_low": [float("nan"), 0.1], "ci_high": [float("nan")] * 2}))
    ['ci_low']
    """
    return [name for name in UNCERTAINTY if name in rows.columns and bool(rows[name].notna().any())]


def caveat(rows: pd.DataFrame, *, crossed: bool) -> str:
    """What must be said of values without an interval or a level of chance; "" where both are there."""
    there = set(filled(rows))
    interval = bool(there & {"ci_low", "ci_high", "ci_low_terms", "ci_high_terms"})
    chance = bool(there & {"null_mean", "p_value", "p_adjusted"})
    if interval and chance:
        return ""
    missing = "level of chance" if interval else "interval" if chance else "interval or level of chance"
    if crossed:
        return (
            "Values of pairs of groups have no level of chance: pairs of terms share their words and cannot change "
            "places. What can be told of them stands with the interactions."
        )
    unsigned = [name for name in rows["metric"].unique() if not signed(name) and neutral_value(name) == 0]
    wording = f"Differences are point estimates: no {missing} was computed" + (
        "." if chance else ", so one may be chance."
    )
    wording += "" if chance else " --draws 1000 (in Python draws=1000) gives levels of chance."
    if unsigned and "null_mean" not in there:
        names = ", ".join(unsigned[:3]) + (", ..." if unsigned[3:] else "")
        wording += f" Distances ({names}) are above 0 even where nothing is wrong, because terms differ."
    return wording
