"""All extrinsic families that a table of predictions allows, and what may be claimed of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from fairness_checklist.core.arrays import FloatArray, divide
from fairness_checklist.core.errors import TableError, first_ten
from fairness_checklist.core.formatting import decimal, format_p_value
from fairness_checklist.core.keywords import checks_keywords
from fairness_checklist.core.option_defaults import nfc, whole_number
from fairness_checklist.extensions.lenses.measured import (
    EXCHANGES,
    LensRows,
    cell_metric_rows,
    label_table,
    other_metric_rows,
)
from fairness_checklist.extensions.lenses.metrics.families import decision_cells, two_groups
from fairness_checklist.findings.finding import CLEAR, NONE_FOUND, SUSPECTED, TOO_FEW, Finding, status_of_test
from fairness_checklist.statistics.multiplicity import ALPHA, holm, significant
from fairness_checklist.tables.columns import split_controls
from fairness_checklist.tables.files import Table, table_of

_ROUNDING = 1e-12
_FEW = 20  # rows or sources of a metric with which nothing found says little
_SCOPE = "texts like these"
_COLUMNS = ("family", "metric", "value", "ci_low", "ci_high", "chance", "p_value", "p_adjusted", "n", "unit")


@dataclass(frozen=True, eq=False)
class ExtrinsicReport:
    """One model on one data set, through every family that fits."""

    metrics: pd.DataFrame  # a row a metric; chance is the level without an effect of the group
    labels: pd.DataFrame  # a row a label: rows, the left group's share, gaps; empty without gold labels and decisions
    findings: tuple[Finding, ...]  # what may be claimed
    left: str  # left, right: the groups; gaps are left less right
    right: str
    unit: str  # what the intervals resample: rows or sources
    n: int  # rows
    left_out: Mapping[str, int]  # rows left out by reason: "group empty" and the like, "other groups"


@checks_keywords
def extrinsic(
    table: Table,
    *,
    left: str = "",
    right: str = "",
    shares: Mapping[str, float] | None = None,
    draws: int = 400,
    seed: int = 0,
) -> ExtrinsicReport:
    """Measure every extrinsic family that a prediction table allows (Orgad and Belinkov 2022, Table 1).

    Intervals are bootstrap intervals over sources where the table has them, else over rows. Tests exchange the groups
    within sources or labels, so that the composition of the table stays.

    Args:
        table: the column ``group`` (or ``source`` and ``stereotype``), and what there is of ``label, predicted`` (gaps
            by label, by group), ``source`` (pairs), ``stereotype`` (pro, anti), ``p:<class>, score, score:<name>``
            (prediction gap, preference).
        left, right: two groups; by default the two that there are, in the order of their first row.
        shares: the left group's share of each label in training; by default its share in the table.
        draws: of the intervals, 20 or more.
        seed: of the draws.

    Raises:
        TableError: no column ``group``, or no metric that the columns allow.
        OptionError: as in `label_gaps`.

    >>> rows = pd.DataFrame({"label": ["a", "b"] * 30, "group": ["F", "M", "M", "F"] * 15, "predicted": ["a"] * 60})
    >>> report = extrinsic(rows, draws=50)
    >>> report.metrics.loc[report.metrics["metric"] == "accuracy gap", "value"].tolist()
    [0.0]
    """
    whole_number("draws", draws, least=20)
    rows, left_out = _rows(table_of(table), left, right)
    metrics: list[dict[str, Any]] = []
    labels = pd.DataFrame()
    if rows.label is not None and rows.decided is not None:
        cells = decision_cells(rows.label, rows.decided, rows.group, groups=rows.pair)
        if shares is None:
            label_rows = cells.counts.sum(axis=2)
            shares = dict(zip(cells.classes, divide(label_rows[0], label_rows.sum(axis=0)).tolist(), strict=True))
        metrics = cell_metric_rows(rows, cells, shares, draws=draws, seed=seed)
        labels = label_table(rows, cells, shares)
    metrics += other_metric_rows(rows, draws=draws, seed=seed)
    if not metrics:
        raise TableError(
            "the columns of the table allow no metric.",
            remedy="Beside group it needs label and predicted, or p:<class> or score.",
        )
    frame = pd.DataFrame(metrics).drop(columns=["exchange", "drawn"]).assign(p_adjusted=adjusted_p_values(metrics))
    tested = zip(frame["p_adjusted"], frame["value"], frame["n"], strict=True)
    frame["status"] = [
        status_of_test(p, decisive=size >= _FEW) if np.isfinite(p) else "" if np.isfinite(value) else TOO_FEW
        for p, value, size in tested
    ]
    frame = frame[[*_COLUMNS, *(name for name in frame.columns if name not in _COLUMNS)]]
    findings = _metric_finding(frame)
    n = len(rows.group)
    if left_out:
        reasons = ", ".join(f"{reason} {left_out_rows:,}" for reason, left_out_rows in left_out.items())
        words = f"{n:,} rows are measured; rows left out: {reasons}."
        findings.append(Finding("rows left out", "all rows", "", words, n=n))
    return ExtrinsicReport(frame, labels, tuple(findings), *rows.pair, unit=rows.unit_name, n=n, left_out=left_out)


def _rows(table: pd.DataFrame, left: str, right: str) -> tuple[LensRows, dict[str, int]]:
    """The rows of the two groups without empty cells, and how many are left out by reason."""
    table = split_controls(table)[0]
    if "group" not in table.columns:
        if not {"stereotype", "source"} <= set(table.columns):
            needed = "It needs the group of each example, or source and stereotype."
            raise TableError("the table has no column group.", remedy=f"{needed} It has {first_ten(table.columns)}.")
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
    rows = LensRows(columns["group"], pair, source=source, label=label, decided=decided, table=complete)
    return rows, {reason: n for reason, n in left_out.items() if n}


def adjusted_p_values(metrics: Sequence[Mapping[str, Any]]) -> FloatArray:
    """The p-values (m,) of a family of metrics, adjusted: those with one exchange by `max_t`, exact tests by Holm."""
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


def _metric_finding(metrics: pd.DataFrame) -> list[Finding]:
    """How many of the tested metrics differ from their level without an effect, with the strongest."""
    tested = metrics[np.isfinite(metrics["p_adjusted"])].sort_values("p_value", kind="stable")
    if not len(tested):
        return []
    first = tested.iloc[0]
    p = f"adjusted p {format_p_value(first['p_adjusted'])}"
    beyond = int(significant(tested["p_adjusted"]).sum())
    status = CLEAR if beyond else first["status"] or NONE_FOUND
    if status in (CLEAR, SUSPECTED):
        words = (
            f"{beyond} of {len(tested)} metrics {'differs' if beyond == 1 else 'differ'} from the level without "
            f"an effect of the group. Strongest: {first['metric']}, {decimal(first['value'])}, with "
            f"{decimal(first['chance'])} expected ({p})."
        )
    else:
        words = (
            f"None of {len(tested)} metrics differs from the level without an effect of the group (smallest "
            f"{p}, of {first['metric']})."
        )
    figures: dict[str, Any] = {"p_value": first["p_value"], "p_adjusted": first["p_adjusted"], "n": len(tested)}
    return [Finding("effect of the group on a metric", "all metrics", status, words, **figures, scope=_SCOPE)]


def max_t(given: FloatArray, drawn: FloatArray) -> FloatArray:
    """Adjusted p-values of a family from shared draws (Westfall and Young 1993): the chance of any mistake is held.

    Shapes: given (m,); drawn (D, m). Returns (m,); NaN where undefined. Each statistic is measured in standard
    deviations of its own draws above their mean; the largest of the family in each draw is what it is compared with.
    """
    adjusted = np.full(len(given), np.nan)
    used = ~np.isnan(given)
    if not used.any():
        return adjusted
    own, draws = given[used], drawn[:, used]
    there = np.isfinite(draws)  # an infinite draw is beyond every finite one, an undefined one beyond none
    count = np.maximum(there.sum(axis=0), 1)
    mean = np.where(there, draws, 0.0).sum(axis=0) / count
    spread = np.sqrt(np.where(there, (draws - mean) ** 2, 0.0).sum(axis=0) / count)
    unit = np.where(spread > 1e-15, spread, 1.0)
    t = (own - mean) / unit
    with np.errstate(invalid="ignore"):
        largest = np.where(there, (draws - mean) / unit, np.where(draws == np.inf, np.inf, -np.inf)).max(axis=1)
    reached = (largest[:, None] >= t - _ROUNDING * np.clip(np.abs(t), 1.0, 1e300)).sum(axis=0)
    adjusted[used] = (reached + 1) / (len(draws) + 1)
    return adjusted


def level_shares(sizes: ArrayLike, draws: int) -> FloatArray:
    """The shares (K,) of parts of a family in its level, by their numbers of tests (K,).

    Each part has at least twice the share that its smallest p, 1 / (draws + 1), needs, where there are enough draws.
    """
    tests = np.asarray(sizes, dtype=np.float64)
    share = np.where(tests > 0, np.maximum(tests / tests.sum(), min(1.0, 2 / (ALPHA * (draws + 1)))), 0.0)
    shares: FloatArray = share / share.sum()
    return shares
