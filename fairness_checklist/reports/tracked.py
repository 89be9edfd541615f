"""The figure to track, one an attribute, as a table and as text."""

from __future__ import annotations

import math
from typing import Any

import pandas as pd

from fairness_checklist.core.formatting import capitalise
from fairness_checklist.findings.records import strongest_first
from fairness_checklist.findings.status import CLEAR, SUSPECTED, TOO_FEW
from fairness_checklist.reports.finding_text import gap_bounds, leads_with_rates
from fairness_checklist.reports.wording import group_phrase
from fairness_checklist.tables.run_folder import Results

KPI_COLUMNS = ("attribute", "value", "ci_low", "ci_high", "unit", "group", "harm", "above_noise")
DEFINITION = (
    "The gap of the strongest finding of an attribute, else its largest gap, in percentage points, with its "
    "simultaneous bounds. Above noise: the lower bound is above 0, and groups of placebo words show less."
)


def kpi_table(results: Results) -> pd.DataFrame:
    """The gap of the strongest finding of each attribute, else its largest gap.

    Returns:
        One row an attribute: ``value``, ``ci_low`` and ``ci_high``, shares in [-1, 1]; their ``unit``, "decisions" or
        "probability"; the ``group`` and ``harm``; and ``above_noise``, whether the finding is clear, whatever its size.
        NaN, "" and False where nothing was compared. ``attrs["definition"]`` says in words what the figure is.
    """
    rows: list[tuple[Any, ...]] = []
    for attribute in results.attributes:
        row = tracked_record(results.findings[results.findings["attribute"] == attribute])
        if row is None:
            rows.append((attribute, math.nan, math.nan, math.nan, "", "", "", False))
            continue
        rates = leads_with_rates(row)
        names = ("rate_gap", "rate_ci_low", "rate_ci_high") if rates else ("gap", "ci_low", "ci_high")
        unit = "decisions" if rates or row["measure"] == "rate" else "probability"
        above = str(row["status"]).startswith(CLEAR)
        rows.append((attribute, *(float(row[name]) for name in names), unit, row["group"], row["harm"], above))
    table = pd.DataFrame(rows, columns=list(KPI_COLUMNS))
    table.attrs["definition"] = DEFINITION
    return table


def tracked_record(records: pd.DataFrame) -> dict[str, Any] | None:
    """The record of an attribute whose gap is followed; None where none has bounds."""
    known = strongest_first(records[records["ci_low"].notna() & (records["status"] != TOO_FEW)])
    if not len(known):
        return None
    found = known[known["status"].isin((CLEAR, SUSPECTED))]
    row = (found if len(found) else known.sort_values("gap", ascending=False, kind="stable")).iloc[0]
    return {str(name): value for name, value in row.items()}


def kpi_line(results: Results, attribute: str, before: Results | None = None) -> str:
    """The figure of one attribute as a sentence; with an older run also what it was there."""
    records = results.findings[results.findings["attribute"] == attribute]
    row = tracked_record(records)
    if row is None:
        reasons = list(dict.fromkeys(filter(None, map(str, records["note"])))) or ["no group can be compared"]
        return f"none, because of {reasons[0]}." if reasons[0][:1].isdigit() else f"none: {reasons[0]}."
    noise = "above noise" if str(row["status"]).startswith(CLEAR) else "not above noise"
    where = f"{group_phrase(str(row['group']), attribute)}, {row['title']}"
    return f"{capitalise(gap_bounds(row))}, {noise}: {where}.{_before(row, before)}"


def _before(row: dict[str, Any], before: Results | None) -> str:
    """What the same group and harm had in an older run."""
    if before is None:
        return ""
    same = before.findings
    for name in ("attribute", "group", "harm"):
        same = same[same[name] == row[name]]
    if not len(same) or math.isnan(float(same["gap"].iloc[0])):
        return " The older run has no such gap."
    older = {str(name): value for name, value in same.iloc[0].items()}
    return f" It was {gap_bounds(older, rates=leads_with_rates(row))} in the older run."


def kpi_text(results: Results, before: Results | None = None) -> str:
    """The figures as sentences, with the definition."""
    return "\n".join([DEFINITION, *(f"{name}: {kpi_line(results, name, before)}" for name in results.attributes)])
