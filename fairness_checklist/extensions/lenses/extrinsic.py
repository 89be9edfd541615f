"""All extrinsic families that a table of predictions allows, on the rows as they are and on balanced draws."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from fairness_checklist.core.arrays import FloatArray, divide
from fairness_checklist.core.errors import TableError
from fairness_checklist.core.keywords import checks_keywords
from fairness_checklist.core.option_defaults import choice, nfc, whole_number
from fairness_checklist.extensions.lenses.compositions import WAYS, composition_tests
from fairness_checklist.extensions.lenses.extrinsic_findings import (
    composition_findings,
    metric_findings,
    primary_findings,
    recall_findings,
    rows_finding,
)
from fairness_checklist.extensions.lenses.measured import (
    EXCHANGES,
    LensRows,
    cell_metric_rows,
    cell_metrics,
    label_table,
    other_metric_rows,
)
from fairness_checklist.extensions.lenses.metrics.families import decision_cells, two_groups
from fairness_checklist.extensions.lenses.unit_draws import recall_gap_p_values
from fairness_checklist.findings.finding import Finding
from fairness_checklist.statistics.multiplicity import holm, level_shares, max_t
from fairness_checklist.tables.columns import split_controls

if TYPE_CHECKING:
    import pandas as pd

PRIMARY: Mapping[str, str] = {
    "gap_label": "tpr gaps, Pearson",
    "gap_stereotype": "accuracy gap, pro less anti",
    "gap_group": "accuracy gap",
    "prefers_stereotype": "prefers the stereotype",
    "prediction_gap": "mean ",
    "lm_target": "log probability of target words",
}
"""How the name of the metric begins that stands for a family where the authors of a data set measure it."""
_GROUP_COLUMNS = {"gender", "sex", "race", "ethnicity", "religion", "nationality", "age", "groups", "identity"}
_COLUMNS = ("family", "metric", "value", "ci_low", "ci_high", "chance", "p_value", "p_adjusted", "primary", "n", "unit")


@dataclass(frozen=True, eq=False)
class ExtrinsicReport:
    """One model on one data set, through every family that fits.

    Attributes:
        metrics: a row a metric: ``family, metric, value, ci_low, ci_high`` (95 %), ``chance`` (the level without an
            effect of the group), ``p_value, p_adjusted`` (over the primary metrics or over the others, see
            `adjusted_p_values`), ``primary`` (whether it is what the authors of the data set measure), ``n, unit``; and
            for each way of balancing ``HOW, HOW_low, HOW_high`` (mean and spread of the draws), ``HOW_same_size`` (as
            many rows, the old composition), ``HOW_p, HOW_p_adjusted``.
        labels: a row a label: rows, the left group's share, gaps with their intervals, and ``tpr_p``, the adjusted p of
            the recall gap. Empty without gold labels and decisions.
        findings: what may be claimed.
        left, right: the groups; gaps are left less right.
        unit: what the intervals resample: ``rows`` or ``sources``.
        n: rows.
        left_out: rows left out by reason: ``group empty`` and the like, ``other groups``.
    """

    metrics: pd.DataFrame
    labels: pd.DataFrame
    findings: tuple[Finding, ...]
    left: str
    right: str
    unit: str
    n: int
    left_out: Mapping[str, int]


@checks_keywords
def extrinsic(
    table: pd.DataFrame,
    *,
    left: str = "",
    right: str = "",
    shares: Mapping[str, float] | None = None,
    balance: Sequence[str] = WAYS,
    primary: str = "",
    draws: int = 400,
    seed: int = 0,
) -> ExtrinsicReport:
    """Measure every extrinsic family that a prediction table allows (Orgad and Belinkov 2022, Table 1).

    Intervals are bootstrap intervals over sources where the table has them, else over rows. Tests exchange the groups
    within sources or labels, so that the composition of the table stays.

    Args:
        table: the column ``group`` (or ``source`` and ``stereotype``), and what there is of ``label, predicted`` (gaps
            by label, by group), ``source`` (pairs), ``stereotype`` (pro, anti), ``p:<class>, score, score:<name>``
            (prediction gap, preference), ``probability, prior`` (of target words of a language model).
        left, right: two groups; by default the two that there are, in the order of their first row.
        shares: the left group's share of each label in training; by default its share in the table.
        balance: ways of balancing, ``subsample`` and ``oversample``; none leaves it out, and so does a table in which
            no label has rows of both groups.
        primary: the family that the question is about, such as that of the authors of the data set (``original`` of a
            reader). Its metric (`PRIMARY`) is tested alone; the others are adjusted among themselves.
        draws: of the intervals and of each way of balancing, 20 or more.
        seed: of the draws.

    Raises:
        TableError: no column ``group``, or no metric that the columns allow.
        OptionError: as in `label_gaps` and `composition_tests`.

    >>> import pandas as pd
    >>> rows = pd.DataFrame({"label": ["a", "b"] * 30, "group": ["F", "M", "M", "F"] * 15, "predicted": ["a"] * 60})
    >>> report = extrinsic(rows, balance=(), draws=50)
    >>> report.metrics.loc[report.metrics["metric"] == "accuracy gap", "value"].tolist()
    [0.0]
    """
    import pandas as pd

    whole_number("draws", draws, least=20)
    for how in balance:
        choice("balance", how, WAYS)
    if primary:
        choice("primary", primary, PRIMARY)
    rows, left_out = _rows(table, left, right)
    metrics: list[dict[str, Any]] = []
    labels = pd.DataFrame()
    if rows.label is not None and rows.decided is not None:
        cells = decision_cells(rows.label, rows.decided, rows.group, groups=rows.pair)
        label_rows = cells.counts.sum(axis=2)
        if shares is None:
            shares = dict(zip(cells.classes, divide(label_rows[0], label_rows.sum(axis=0)).tolist(), strict=True))
        metrics = cell_metric_rows(rows, cells, shares, draws, seed)
        if (label_rows.min(axis=0) > 0).any():  # else no label has rows of both groups: there is nothing to balance
            for how in balance:
                _balance(metrics, rows, shares, how, draws, seed)
        recall = recall_gap_p_values(np.einsum("gcc->gc", cells.counts), label_rows, seed=seed)
        labels = label_table(rows, cells, shares).assign(tpr_p=recall)
    metrics += other_metric_rows(rows, draws, seed)
    if not metrics:
        raise TableError(
            "the columns of the table allow no metric.",
            remedy="Beside group it needs label and predicted, or p:<class>, score or probability.",
        )
    frame = _adjusted(metrics, PRIMARY.get(primary, ""))
    report = ExtrinsicReport(frame, labels, (), *rows.pair, unit=rows.unit_name, n=len(rows.group), left_out=left_out)
    return replace(report, findings=_findings(report, draws))


def _rows(table: pd.DataFrame, left: str, right: str) -> tuple[LensRows, dict[str, int]]:
    """The rows of the two groups without empty cells, and how many are left out by reason."""
    table = split_controls(table)[0]
    if "group" not in table.columns:
        if not {"stereotype", "source"} <= set(table.columns):
            likely = next((name for name in map(str, table.columns) if name.strip().casefold() in _GROUP_COLUMNS), "")
            needed = "It needs the group of each example, or source and stereotype."
            raise TableError(
                f"the table has no column group{f', but a column {likely}' if likely else ''}.",
                remedy=f"Rename {likely} to group." if likely else needed,
            )
        table = table.assign(group=table["stereotype"])  # sentences that follow a stereotype or do not
        left, right = left or "pro", right or "anti"
    names = ["group", *(name for name in ("label", "predicted", "source") if name in table.columns)]
    composed = {name: table[name].map(lambda cell: nfc(cell) if isinstance(cell, str) else cell) for name in names}
    table = table.assign(**composed)
    left_out = {f"{name} empty": int(table[name].isna().sum()) for name in names}
    complete = table.dropna(subset=names)
    pair = two_groups(complete["group"].astype(str), nfc(left), nfc(right))
    of_pair = complete["group"].astype(str).isin(pair)
    left_out["other groups"] = int((~of_pair).sum())
    complete = complete[of_pair].reset_index(drop=True)
    columns = {name: complete[name].astype(str).tolist() for name in names}
    source, label, decided = (columns.get(name) for name in ("source", "label", "predicted"))
    rows = LensRows(columns["group"], pair, source, label, decided, complete)
    return rows, {reason: n for reason, n in left_out.items() if n}


def _balance(
    metrics: list[dict[str, Any]], rows: LensRows, shares: Mapping[str, float], how: Any, draws: int, seed: int
) -> None:
    """Add the columns of a way of balancing to the metrics of the counts."""
    assert rows.label is not None
    assert rows.decided is not None
    values = cell_metrics(rows.pair, shares)
    tests = composition_tests(rows.label, rows.decided, rows.group, values, how=how, draws=draws, seed=seed)
    for row, test in zip(metrics, tests, strict=True):
        p = float("nan") if "mean of" in row["metric"] else test.p_value
        row |= {how: test.balanced, f"{how}_low": test.low, f"{how}_high": test.high}
        row |= {f"{how}_same_size": test.same_size, f"{how}_p": p}


def _adjusted(metrics: list[dict[str, Any]], primary_start: str) -> pd.DataFrame:
    """The table of the metrics with their adjusted p-values; the primary ones are a family of their own."""
    import pandas as pd

    frame = pd.DataFrame(metrics).drop(columns=["exchange", "drawn"])
    frame["primary"] = [bool(primary_start) and name.startswith(primary_start) for name in frame["metric"]]
    for is_primary in (True, False):
        members = np.flatnonzero(frame["primary"] == is_primary)
        frame.loc[members, "p_adjusted"] = adjusted_p_values([metrics[member] for member in members])
    for how in (how for how in WAYS if f"{how}_p" in frame):
        frame[f"{how}_p_adjusted"] = holm(frame[f"{how}_p"])
    return frame[[*_COLUMNS, *(name for name in frame.columns if name not in _COLUMNS)]]


def adjusted_p_values(metrics: Sequence[Mapping[str, Any]]) -> FloatArray:
    """The p-values (m,) of a family of metrics, adjusted so that the chance of any mistake is held; NaN without a test.

    Metrics with the same exchange are compared with the largest of all of them in each draw (`multiplicity.max_t`), so
    that their number does not matter to the smallest p. Exact tests, without draws, are adjusted by Holm's method. Each
    of these parts gets its share of the level.
    """
    p = np.array([row["p_value"] for row in metrics], dtype=np.float64)
    exchanges = np.array([str(row["exchange"]) for row in metrics])
    tested = sorted(set(exchanges[np.isfinite(p)]))
    members = [np.flatnonzero((exchanges == exchange) & np.isfinite(p)) for exchange in tested]
    level = level_shares([len(tests) for tests in members], EXCHANGES // 2)  # half: p is of two sides
    adjusted = np.full(len(p), np.nan)
    for share, exchange, tests in zip(level, tested, members, strict=True):
        if exchange:
            value, drawn = (np.array([metrics[test][name] for test in tests.tolist()]) for name in ("value", "drawn"))
            centre = np.nanmean(drawn, axis=1)
            alone = max_t(np.abs(value - centre), np.abs(drawn - centre[:, None]).T)
        else:
            alone = holm(p[tests])
        adjusted[tests] = np.minimum(1.0, np.maximum(p[tests], alone) / share)
    return adjusted


def _findings(report: ExtrinsicReport, draws: int) -> tuple[Finding, ...]:
    return (
        *primary_findings(report.metrics, report.left, report.right),
        *(recall_findings(report.labels, report.left, report.unit) if len(report.labels) else ()),
        *metric_findings(report.metrics, report.left, report.right),
        *(record for how in WAYS for record in composition_findings(report.metrics, how, draws)),
        *rows_finding(report.left_out, report.n),
    )
