"""The figure to track, one an attribute, as a table and as text; and the gate on it."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

import pandas as pd

from fairness_checklist.core.errors import OptionError
from fairness_checklist.core.formatting import points
from fairness_checklist.core.tasks import known_harm
from fairness_checklist.findings.kpi import DEFINITION
from fairness_checklist.findings.status import STATUSES
from fairness_checklist.reports.finding_text import against_placebo
from fairness_checklist.reports.wording import group_phrase
from fairness_checklist.tables.run_folder import Results

KPI_COLUMNS = ("attribute", "value", "ci_low", "ci_high", "noise_floor", "group", "harm")
_CONDITION = re.compile(r"\s*gap\s*>\s*(\d*\.?\d+)\s*")


def kpi_table(results: Results) -> pd.DataFrame:
    """The largest harm gap of each attribute, see `findings.kpi.largest_gap`.

    Returns:
        One row an attribute: ``value``, ``ci_low``, ``ci_high`` and ``noise_floor``, shares in [0, 1], and
        the ``group`` and ``harm`` of the value. NaN and "" where nothing was compared, or the run is of an older
        version. ``attrs["definition"]`` says in words what the figure is.
    """
    rows = []
    for attribute in results.attributes:
        kpi: dict[str, Any] = results.info.get("findings", {}).get(attribute, {}).get("kpi", {})
        numbers = [math.nan if kpi.get(name) is None else float(kpi[name]) for name in KPI_COLUMNS[1:5]]
        rows.append((attribute, *numbers, str(kpi.get("group", "")), str(kpi.get("harm", ""))))
    table = pd.DataFrame(rows, columns=list(KPI_COLUMNS))
    table.attrs["definition"] = DEFINITION
    return table


def kpi_line(results: Results, attribute: str) -> str:
    """The figure of one attribute as a sentence."""
    row = next(row for row in kpi_table(results).to_dict("records") if row["attribute"] == attribute)
    if math.isnan(row["value"]):
        return "none, because no group can be compared."
    if row["value"] <= row["noise_floor"]:
        return f"{_points(row['value'])} points, not above the noise floor of {_points(row['noise_floor'])}."
    return _sentence(row)


def largest_gap_line(ranked: pd.DataFrame) -> str:
    """Of an attribute without a finding, its largest gap beside what placebo words show."""
    known = ranked[ranked["placebo_percentile"].notna() & (ranked["gap"] > 0)]
    if not len(known) or (ranked["status"].isin(STATUSES[:2])).any():
        return ""
    row = known.sort_values("gap").iloc[-1]
    return f"The largest gap is {points(float(row['gap']))}. {against_placebo(row.to_dict())}"


def kpi_text(results: Results) -> str:
    """The table as sentences, with the definition."""
    lines = [DEFINITION]
    for row in kpi_table(results).to_dict("records"):
        lines.append(f"{row['attribute']}: {'not known.' if math.isnan(row['value']) else _sentence(row)}")
    return "\n".join(lines)


def _sentence(row: Mapping[Any, Any]) -> str:
    harm = known_harm(row["harm"])
    return (
        f"{_points(row['value'])} points (before it is shrunk, 95 % interval {_points(row['ci_low'])} to "
        f"{_points(row['ci_high'])}; noise floor {_points(row['noise_floor'])}): "
        f"{group_phrase(row['group'], row['attribute'])}, {harm.title if harm else row['harm']}."
    )


def _points(share: float) -> str:
    return "?" if math.isnan(share) else f"{100 * share:.1f}"


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
    failed = records[(records["status"] == STATUSES[0]) & (records["gap"] > limit)]
    shown = f"{100 * limit:g} points"
    if len(failed):
        worst = failed.sort_values("gap").iloc[-1]
        return 1, (
            f"failed: a clear finding above {shown}: {group_phrase(str(worst['group']), str(worst['attribute']))}, "
            f"{worst['title']}, {100 * float(worst['gap']):.0f} points."
        )
    unknown = records[
        (records["status"] == STATUSES[3])
        | ((records["status"] == STATUSES[1]) & (records["gap"] > limit))
        | (records["status"].isin(STATUSES[1:3]) & ~(records["detectable_gap"] <= limit))
    ]
    if len(unknown) or not len(records):
        of = f"in {len(unknown):,} of {len(records):,} comparisons" if len(records) else "nothing was compared"
        return 4, f"inconclusive: no clear finding, but the suite could not show a gap of {shown} {of}."
    return 0, f"passed: no clear finding above {shown}, and a gap of that size would have been found."
