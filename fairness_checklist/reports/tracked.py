"""The figure to track, one an attribute, as a table and as text; and the gate on it."""

from __future__ import annotations

import math
import re
from typing import Any

import pandas as pd

from fairness_checklist.core.errors import OptionError
from fairness_checklist.core.formatting import capitalise
from fairness_checklist.findings.records import strongest_first
from fairness_checklist.findings.status import CLEAR, NONE_FOUND, SUSPECTED, TOO_FEW
from fairness_checklist.reports.finding_text import gap_bounds, leads_with_rates
from fairness_checklist.reports.wording import group_phrase
from fairness_checklist.tables.run_folder import Results

KPI_COLUMNS = ("attribute", "value", "ci_low", "ci_high", "unit", "group", "harm", "above_noise")
DEFINITION = (
    "The gap of the strongest finding of an attribute, else its largest gap, in percentage points, with its "
    "simultaneous bounds. Above noise: the lower bound is above 0, and groups of placebo words show less."
)
_CONDITION = re.compile(r"\s*gap\s*>\s*(\d*\.?\d+)\s*")


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


def gap_limit(condition: str) -> float:
    """The limit in a condition such as "gap>0.1".

    >>> gap_limit("gap>0.1"), gap_limit("gap > .05")
    (0.1, 0.05)
    >>> gap_limit("fnr>0.1")
    Traceback (most recent call last):
    fairness_checklist.core.errors.OptionError: the condition 'fnr>0.1' is not known.
        Write gap> and a share from 0 to 1, such as gap>0.1.
    """
    read = _CONDITION.fullmatch(condition)
    if read is None or not 0 <= float(read[1]) < 1:
        raise OptionError(
            f"the condition {condition!r} is not known.", remedy="Write gap> and a share from 0 to 1, such as gap>0.1."
        )
    return float(read[1])


def gate(results: Results, limit: float) -> tuple[int, str]:
    """Whether a run passes: 1 with a clear finding above a limit, 4 where the suite could not tell, else 0.

    A suite cannot tell where a group has too few terms or sentences, a gap above the limit is only suspected, or a gap
    of the size of the limit would be found in fewer than 80 of 100 runs.

    Returns:
        The exit code and the reason.
    """
    return gate_of(results.findings, limit)


def gate_of(records: pd.DataFrame, limit: float) -> tuple[int, str]:
    """The exit code and the reason, from the records of the groups: see `gate`."""
    failed = records[(records["status"] == CLEAR) & (records["gap"] > limit)]
    unit = "decisions" if len(records) and (records["measure"] == "rate").all() else "probability"
    shown = f"{100 * limit:g} points in {unit}"
    if len(failed):
        worst = failed.sort_values("gap").iloc[-1]
        return 1, (
            f"failed: a clear finding above {shown}: {group_phrase(str(worst['group']), str(worst['attribute']))}, "
            f"{worst['title']}, {100 * float(worst['gap']):.0f} points."
        )
    unknown = records[
        (records["status"] == TOO_FEW)
        | ((records["status"] == SUSPECTED) & (records["gap"] > limit))
        | (records["status"].isin((SUSPECTED, NONE_FOUND)) & ~(records["detectable_gap"] <= limit))
    ]
    if not len(records):
        return 4, "inconclusive: nothing was compared."
    if len(unknown):
        of = f"{len(unknown):,} of {len(records):,} comparisons"
        return 4, f"inconclusive: no clear finding, but the suite could not show a gap of {shown} in {of}."
    return 0, f"passed: no clear finding above {shown}, and a gap of that size would have been found."
