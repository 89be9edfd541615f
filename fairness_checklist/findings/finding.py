"""One finding of an analysis other than a run of a suite: a record behind each sentence that claims something."""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

import pandas as pd

from fairness_checklist.core.errors import OptionError
from fairness_checklist.statistics.multiplicity import significant

CLEAR, SUSPECTED, NONE_FOUND, TOO_FEW = "clear", "suspected", "none found", "too few to say"
STATUSES = (CLEAR, SUSPECTED, NONE_FOUND, TOO_FEW)
"""Of the findings of verbs that test hypotheses, in the order in which they are shown."""
MOST_P_SUSPECTED = 0.2
"""The adjusted p up to which a difference is suspected."""


@dataclass(frozen=True)
class Finding:
    """What an analysis claims of one subject, with the figures that it rests on.

    ``status`` is "clear", "suspected", "none found", "too few to say", or "" where a figure is described and nothing is
    claimed; ``statement`` is the finding in one sentence; ``value`` is the figure named in ``measure``, with its
    interval and p-values (NaN without them); ``n`` are the independent units behind it; ``scope`` is what it holds
    for, and ``note`` what limits it.

    Raises:
        OptionError: the status is not one of these.
    """

    question: str
    subject: str
    status: str
    statement: str
    measure: str = ""
    value: float = math.nan
    ci_low: float = math.nan
    ci_high: float = math.nan
    p_value: float = math.nan
    p_adjusted: float = math.nan
    n: int = 0
    scope: str = ""
    note: str = ""

    def __post_init__(self) -> None:
        if self.status not in ("", *STATUSES):
            raise OptionError(
                f'"{self.status}" is no status of a finding.', remedy=f"Use one of {', '.join(STATUSES)}."
            )


def figures_of(row: Mapping[Any, Any]) -> dict[str, Any]:
    """The figures of a record as arguments of `Finding`: value, interval, p-values and n, as far as it has them."""
    names = ("value", "ci_low", "ci_high", "p_value", "p_adjusted")
    return {name: float(row[name]) for name in names if name in row} | {"n": int(row["n"])}


COLUMNS = tuple(field.name for field in fields(Finding))
"""Columns of ``findings.csv`` of the analyses."""


def finding_table(findings: Sequence[Finding]) -> pd.DataFrame:
    """The records as a table with the columns `COLUMNS`, in the order given (n rows)."""
    return pd.DataFrame([asdict(finding) for finding in findings], columns=list(COLUMNS))


def finding_records(findings: Sequence[Finding]) -> list[dict[str, Any]]:
    """The records for JSON: undefined figures are None."""
    records: list[dict[str, Any]] = json.loads(finding_table(findings).to_json(orient="records"))
    return records


def status_of_test(p_adjusted: float, *, enough: bool = True, decisive: bool = True) -> str:
    """The status that an adjusted p gives: the rule of every verb that tests hypotheses.

    Without ``enough`` units, or without a p (NaN), nothing is claimed. A difference that is not seen says nothing where
    data of this size cannot be ``decisive``, which is to give a significant p.
    """
    if not enough or math.isnan(p_adjusted):
        return TOO_FEW
    if significant(p_adjusted):
        return CLEAR
    if significant(p_adjusted, MOST_P_SUSPECTED):
        return SUSPECTED
    return NONE_FOUND if decisive else TOO_FEW
