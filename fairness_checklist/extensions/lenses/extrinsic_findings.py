"""What the extrinsic metrics of a table say, as records. It computes nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from fairness_checklist.core.formatting import capitalise, decimal, format_p_value, hundredths, join_names, points
from fairness_checklist.findings.finding import Finding, figures_of
from fairness_checklist.findings.status import CLEAR, NONE_FOUND, TOO_FEW, status_of_test
from fairness_checklist.statistics.multiplicity import significant

if TYPE_CHECKING:
    import pandas as pd

RECALL = "recall by label"
_METRIC = "effect of the group on a metric"
_FEW = 20  # rows or sources of a metric
_SCOPE = "texts like these"


def recall_findings(labels: pd.DataFrame, left: str, unit: str) -> list[Finding]:
    """First all labels together, then each label, the strongest first; ``unit`` is what the counts are.

    With few rows of a group a gap that is not clear says nothing.
    """
    rows = labels[[name for name in labels.columns if str(name).startswith("n ")]]
    fewest = rows.min(axis=1)
    records = []
    order = np.lexsort((-labels["tpr gap"].abs(), labels["tpr_p"]))
    tested = labels.iloc[order].dropna(subset=["tpr_p"])
    for number, row in zip(tested.index, tested.to_dict("records"), strict=True):
        p = float(row["tpr_p"])
        gap, low, high = (float(row[f"tpr {name}"]) for name in ("gap", "low", "high"))
        direction, ends = ("more", (low, high)) if gap > 0 else ("less", (-high, -low))
        interval = f"95 % interval {hundredths(ends[0])} to {hundredths(ends[1])} points"
        words = f"{row['label']}, recognised {points(abs(gap))} {direction} often for {left}"
        figures = {"value": gap, "ci_low": low, "ci_high": high, "p_adjusted": p, "n": int(rows.loc[number].sum())}
        statement = f"{words} ({interval}; adjusted p {format_p_value(p)})."
        status = status_of_test(p, enough=fewest[number] >= _FEW or bool(significant(p)))
        note = f"95 % interval over {unit} (Newcombe)"
        about: dict[str, Any] = {"scope": _SCOPE, "note": note}
        records.append(
            Finding(RECALL, str(row["label"]), status, statement, "recall gap", **figures_of(figures), **about)
        )
    return [_all_labels(records, fewest), *records] if records else []


def _all_labels(records: list[Finding], fewest: pd.Series) -> Finding:
    """How many of the labels differ in recall, with the strongest."""
    both, enough = int((fewest > 0).sum()), int((fewest >= _FEW).sum())
    beyond = sum(record.status == CLEAR for record in records)
    strongest = next((record for record in records if record.status != TOO_FEW), records[0])
    if strongest.status == TOO_FEW:
        statement = (
            f"Too few rows to compare recall: {enough} of {both} labels have {_FEW} rows of each group; the most is "
            f"{int(fewest.max())} of each."
        )
    else:
        labels = both if beyond else enough
        statement = f"Recall differs in {beyond} of {labels} labels beyond chance. Strongest: {strongest.statement}"
    p, status = strongest.p_adjusted, strongest.status
    return Finding(RECALL, "all labels", status, statement, p_adjusted=p, n=both, scope=_SCOPE)


def primary_findings(metrics: pd.DataFrame, left: str, right: str) -> list[Finding]:
    """What the data set was made to measure, first; of sets with a stereotype side that comparison in any case."""
    chosen = metrics[metrics["primary"] | (metrics["family"] == "gap_stereotype")]
    chosen = chosen[np.isfinite(chosen["value"])].sort_values("primary", ascending=False, kind="stable")
    return [
        _finding(
            "the primary metric" if row["primary"] else "effect of the stereotype",
            row,
            f"{'Primary metric, tested alone: ' if row['primary'] else ''}{_metric_words(row, left, right)}",
        )
        for row in chosen.to_dict("records")
    ]


def _finding(question: str, row: Mapping[Any, Any], statement: str) -> Finding:
    """The record of a metric; one without a test describes, and one that is undefined says nothing."""
    status = "" if np.isfinite(row["value"]) else TOO_FEW
    if not status and np.isfinite(row["p_value"]):
        status = status_of_test(float(row["p_adjusted"]), decisive=row["n"] >= _FEW)
    about: dict[str, Any] = {"scope": _SCOPE, "note": f"unit: {row['unit']}" if row["unit"] else ""}
    return Finding(question, str(row["metric"]), status, statement, row["family"], **figures_of(row), **about)


def rows_finding(left_out: Mapping[str, int], n: int) -> list[Finding]:
    """How many of n rows are not measured, by reason; nothing where all are."""
    reasons = ", ".join(f"{reason} {rows:,}" for reason, rows in left_out.items())
    statement = f"{n:,} rows are measured; rows left out: {reasons}."
    return [Finding("rows left out", "all rows", "", statement, n=n)] if left_out else []


def metric_findings(metrics: pd.DataFrame, left: str, right: str) -> list[Finding]:
    """A record a metric: the tested ones by p-value, then those that only describe; before them all tested ones."""
    records = [_finding(_METRIC, row, _metric_words(row, left, right)) for row in metrics.to_dict("records")]
    records.sort(key=lambda record: (record.status == "", np.nan_to_num(record.p_value, nan=2.0)))
    primary = set(metrics.loc[metrics["primary"], "metric"])
    tested = [record for record in records if np.isfinite(record.p_adjusted) and record.subject not in primary]
    return [_all_metrics(tested, metrics, "other " if primary else ""), *records] if tested else records


def _all_metrics(tested: list[Finding], metrics: pd.DataFrame, other: str) -> Finding:
    """How many of the tested metrics differ from their level without an effect, with the strongest."""
    first = tested[0]
    level = float(metrics.loc[metrics["metric"] == first.subject, "chance"].iloc[0])
    beyond = int(significant([record.p_adjusted for record in tested]).sum())
    status = CLEAR if beyond else first.status or NONE_FOUND
    if status in (NONE_FOUND, TOO_FEW):
        statement = (
            f"None of {len(tested)} {other}metrics differs from the level without an effect of the group (smallest "
            f"adjusted p {format_p_value(first.p_adjusted)}, of {first.subject})."
        )
    else:
        statement = (
            f"{beyond} of {len(tested)} {other}metrics {'differs' if beyond == 1 else 'differ'} from the level "
            f"without an effect of the group. Strongest: {first.subject}, {decimal(first.value)}, with "
            f"{decimal(level)} expected (adjusted p {format_p_value(first.p_adjusted)})."
        )
    figures: dict[str, Any] = {"p_value": first.p_value, "p_adjusted": first.p_adjusted, "n": len(tested)}
    return Finding(_METRIC, "all metrics", status, statement, **figures, scope=_SCOPE)


def composition_findings(metrics: pd.DataFrame, how: str, draws: int) -> list[Finding]:
    """Whether a way of balancing changes the metrics beyond the change of size: all together, then each, by p-value."""
    tested = metrics.dropna(subset=[f"{how}_p"]) if f"{how}_p" in metrics else metrics[:0]
    if not len(tested):
        return []
    question = f"balancing by {how.removesuffix('e')}ing"
    changed = list(tested.loc[significant(tested[f"{how}_p_adjusted"]), "metric"])
    decisive = bool(significant(len(tested) / (draws + 1)))  # Holm's smallest adjusted p-value
    status = status_of_test(float(tested[f"{how}_p_adjusted"].min()), decisive=decisive)
    statement = f"{capitalise(question)} changes {len(changed)} of {len(tested)} metrics"
    if status == TOO_FEW:
        statement = f"{capitalise(question)}: {draws} draws are too few to name one of {len(tested)} metrics"
    elif changed:
        statement += f" beyond the change of size: {join_names(changed, limit=2)}. This says nothing of bias"
    records = [Finding(question, "all metrics", status, f"{statement}.", n=len(tested), scope="this test set")]
    columns = {"": "value", "_low": "ci_low", "_high": "ci_high", "_p": "p_value", "_p_adjusted": "p_adjusted"}
    about: dict[str, Any] = {"scope": "this test set", "note": f"{draws} draws; the ends are the spread of the draws"}
    for row in tested.sort_values(f"{how}_p").to_dict("records"):
        status = status_of_test(float(row[f"{how}_p_adjusted"]), decisive=decisive)
        values = f"{decimal(row[how])} after {question}, {decimal(row[f'{how}_same_size'])} in as many rows"
        statement = f"{row['metric']}: {values} of the old composition."
        figures = figures_of({name: row[f"{how}{end}"] for end, name in columns.items()} | {"n": row["n"]})
        records.append(Finding(question, row["metric"], status, statement, row["metric"], **figures, **about))
    return records


def _metric_words(row: Mapping[Any, Any], left: str, right: str) -> str:
    is_gap = row["family"] in ("gap_group", "prediction_gap") and "gap" in row["metric"]
    defined = np.isfinite(row["ci_low"]) and np.isfinite(row["ci_high"])
    ends = f"95 % interval {decimal(row['ci_low'])} to {decimal(row['ci_high'])}" if defined else "no interval"
    text = f"{row['metric']}{f' ({left} less {right})' if is_gap else ''}: {decimal(row['value'])} ({ends})"
    if np.isfinite(row["chance"]):
        p = f" (adjusted p {format_p_value(row['p_adjusted'])})" if np.isfinite(row["p_adjusted"]) else ""
        text += f"; {decimal(row['chance'])} without an effect of the group{p}"
    return f"{text}."
