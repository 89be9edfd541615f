"""All extrinsic families that a table of predictions allows, on the rows as they are and on balanced draws."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from fairness_checklist.core.arrays import FloatArray, divide
from fairness_checklist.core.errors import OptionError, TableError
from fairness_checklist.core.keywords import checks_keywords
from fairness_checklist.core.option_defaults import nfc
from fairness_checklist.extensions.lenses.compositions import composition_tests
from fairness_checklist.extensions.lenses.lens_findings import (
    WAYS,
    balance_finding,
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
from fairness_checklist.extensions.lenses.metrics.compatibility import (
    FAMILIES,
    PRIMARY,
    FamilyFit,
    compatible,
    has_of_table,
    likely_group,
)
from fairness_checklist.extensions.lenses.metrics.families import DecisionCells, decision_cells, two_groups
from fairness_checklist.extensions.lenses.unit_draws import recall_gap_p_values
from fairness_checklist.findings.finding import Finding
from fairness_checklist.statistics.multiplicity import holm, level_shares, max_t, significant
from fairness_checklist.tables.columns import split_controls

if TYPE_CHECKING:
    import pandas as pd

_COLUMNS = ("family", "metric", "value", "ci_low", "ci_high", "chance", "p_value", "p_adjusted", "primary", "n", "unit")


@dataclass(frozen=True, eq=False)
class LensReport:
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
        cells: which families fit the table, with reasons.
        n: rows.
        left_out: rows left out by reason: ``group empty`` and the like, ``other groups``.
        draws, seed: of the intervals, tests and balanced sets.
    """

    metrics: pd.DataFrame
    labels: pd.DataFrame
    findings: tuple[Finding, ...]
    left: str
    right: str
    unit: str
    cells: tuple[FamilyFit, ...]
    n: int
    left_out: Mapping[str, int]
    draws: int
    seed: int

    def changed(self, how: str) -> list[str]:
        """The metrics that balancing changes beyond the change of size, adjusted over the metrics."""
        column = f"{how}_p_adjusted"
        if column not in self.metrics:
            return []
        return list(self.metrics.loc[significant(self.metrics[column]), "metric"])


@checks_keywords
def lenses(
    table: pd.DataFrame,
    *,
    left: str = "",
    right: str = "",
    shares: Mapping[str, float] | None = None,
    balance: Sequence[str] = ("subsample", "oversample"),
    primary: str = "",
    draws: int = 400,
    seed: int = 0,
) -> LensReport:
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
        draws: of the intervals, the tests and each way of balancing, 20 or more.
        seed: of the draws.

    Returns:
        The metrics, the gaps by label and the findings.

    Raises:
        TableError: no column ``group``, or no metric that the columns allow.
        OptionError: as in `label_gaps` and `composition_test`.

    >>> import pandas as pd
    >>> rows = pd.DataFrame({"label": ["a", "b"] * 30, "group": ["F", "M", "M", "F"] * 15, "predicted": ["a"] * 60})
    >>> report = lenses(rows, balance=(), draws=50)
    >>> report.metrics.loc[report.metrics["metric"] == "accuracy gap", "value"].tolist()
    [0.0]
    """
    import pandas as pd

    for how in balance:
        if how not in WAYS:
            raise OptionError(f"balance={how!r} is not known.", remedy="Known: subsample, oversample.")
    if primary and primary not in FAMILIES:
        raise OptionError(f"primary={primary!r} is not known.", remedy=f"Known: {', '.join(FAMILIES)}.")
    rows, left_out = _rows(table, left, right)
    metrics: list[dict[str, Any]] = []
    labels = pd.DataFrame()
    if rows.label is not None and rows.decided is not None:
        cells = decision_cells(rows.label, rows.decided, rows.group, groups=rows.pair)
        given = shares if shares is not None else _shares(cells)
        metrics = cell_metric_rows(rows, cells, given, draws, seed)
        if not (cells.counts.sum(axis=2).min(axis=0) > 0).any():
            balance = ()  # no label has rows of both groups: there is nothing to balance
        for how in balance:
            _balanced(metrics, rows, given, how, draws, seed)
        hits = np.einsum("gcc->gc", cells.counts)
        recall = recall_gap_p_values(hits, cells.counts.sum(axis=2), seed=seed)
        labels = label_table(rows, cells, given).assign(tpr_p=recall)
    metrics += other_metric_rows(rows, draws, seed)
    if not metrics:
        raise TableError(
            "the columns of the table allow no metric.",
            remedy="Beside group it needs label and predicted, or p:<class>, score or probability.",
        )
    frame = pd.DataFrame(metrics).drop(columns=["exchange", "drawn"])
    start = PRIMARY.get(primary, "")
    frame["primary"] = [bool(start) and name.startswith(start) for name in frame["metric"]]
    for part in (True, False):
        own = np.flatnonzero(frame["primary"] == part)
        frame.loc[own, "p_adjusted"] = adjusted_p_values([metrics[at] for at in own])
    for how in (way for way in balance if f"{way}_p" in frame):
        frame[f"{how}_p_adjusted"] = holm(frame[f"{how}_p"])
    frame = frame[[*_COLUMNS, *(name for name in frame.columns if name not in _COLUMNS)]]
    fits = compatible(has_of_table(table))
    report = LensReport(frame, labels, (), *rows.pair, rows.unit_name, fits, len(rows.group), left_out, draws, seed)
    return replace(report, findings=_findings(report, balance))


def _rows(table: pd.DataFrame, left: str, right: str) -> tuple[LensRows, dict[str, int]]:
    """The rows of the two groups that have what there is to have, and how many are left out by reason."""
    table = split_controls(table)[0]
    if "group" not in table.columns:
        if not {"stereotype", "source"} <= set(table.columns):
            likely = likely_group([str(name) for name in table.columns])
            raise TableError(
                f"the table has no column group{f', but a column {likely}' if likely else ''}.",
                remedy=f"Rename {likely} to group."
                if likely
                else "It needs the group of each example, or source and stereotype.",
            )
        table = table.assign(group=table["stereotype"])  # sentences that follow a stereotype or do not
        left, right = left or "pro", right or "anti"
    needed = ["group", *(name for name in ("label", "predicted", "source") if name in table.columns)]
    names = {name: table[name].map(lambda cell: nfc(cell) if isinstance(cell, str) else cell) for name in needed}
    table = table.assign(**names)
    left_out = {f"{name} empty": int(table[name].isna().sum()) for name in needed}
    kept = table.dropna(subset=needed)
    pair = two_groups(kept["group"].astype(str), nfc(left), nfc(right))
    chosen = kept["group"].astype(str).isin(pair)
    left_out["other groups"] = int((~chosen).sum())
    kept = kept[chosen].reset_index(drop=True)
    columns = {name: kept[name].astype(str).tolist() for name in needed}
    source, label, decided = (columns.get(name) for name in ("source", "label", "predicted"))
    rows = LensRows(columns["group"], pair, source, label, decided, kept)
    return rows, {reason: n for reason, n in left_out.items() if n}


def _balanced(
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


def adjusted_p_values(metrics: Sequence[Mapping[str, Any]]) -> FloatArray:
    """The p-values (m,) of a family of metrics, adjusted so that the chance of any mistake is held; NaN without a test.

    Metrics with the same exchange are compared with the largest of all of them in each draw (`multiplicity.max_t`), so
    that their number does not matter to the smallest p. Exact tests, without draws, are adjusted by Holm's method. Each
    of these parts gets its share of the level.
    """
    p = np.array([row["p_value"] for row in metrics], dtype=np.float64)
    kinds = np.array([str(row["exchange"]) for row in metrics])
    parts = {kind: np.flatnonzero((kinds == kind) & np.isfinite(p)) for kind in sorted(set(kinds[np.isfinite(p)]))}
    shares = level_shares([len(own) for own in parts.values()], EXCHANGES // 2)  # half: p is of two sides
    adjusted = np.full(len(p), np.nan)
    for share, (kind, own) in zip(shares, parts.items(), strict=True):
        if kind:
            value, drawn = (np.array([metrics[at][name] for at in own.tolist()]) for name in ("value", "drawn"))
            centre = np.nanmean(drawn, axis=1)
            alone = max_t(np.abs(value - centre), np.abs(drawn - centre[:, None]).T)
        else:
            alone = holm(p[own])
        adjusted[own] = np.minimum(1.0, np.maximum(p[own], alone) / share)
    return adjusted


def _shares(cells: DecisionCells) -> dict[str, float]:
    rows = cells.counts.sum(axis=2)
    return dict(zip(cells.classes, divide(rows[0], rows.sum(axis=0)).tolist(), strict=True))


def _findings(report: LensReport, balance: Sequence[str]) -> tuple[Finding, ...]:
    findings = primary_findings(report.metrics, report.left, report.right)
    findings += recall_findings(report.labels, report.left, report.unit) if len(report.labels) else []
    findings += metric_findings(report.metrics, report.left, report.right)
    ways = {how: report.changed(how) for how in balance if f"{how}_p" in report.metrics}
    findings += balance_finding(report.metrics, ways, report.draws)
    for how, changed in ways.items():
        findings += composition_findings(report.metrics, how, changed, report.draws)
    return (*findings, *rows_finding(report.left_out, report.n))
