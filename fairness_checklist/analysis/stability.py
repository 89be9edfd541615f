"""Whether a metric's findings are stable when a template or a term is left out or reworded."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from fairness_checklist.analysis.recompute import recomputed
from fairness_checklist.analysis.run_view import one_of
from fairness_checklist.core.arrays import FloatArray
from fairness_checklist.metrics.metric_result import MetricResult
from fairness_checklist.statistics.leave_one_out import Influence, LeftOut, influence, unstable
from fairness_checklist.statistics.reliability import Rewordings, SplitHalf, rewordings, split_half_correlation
from fairness_checklist.tables.run_folder import Results

INFLUENCE_COLUMNS = ("kind", "name", "group", "class", "left", "right", "value", "value_without", "change")


def influence_table(
    results: Results, metric: str, *, attribute: str | None = None, label: str | None = None
) -> pd.DataFrame:
    """A metric's values without each template and without each term, the one that moves furthest first.

    Args:
        results: a run.
        metric: any registered metric's id.
        attribute: of which attribute; the first by default.
        label: only this class.

    Returns:
        Columns `INFLUENCE_COLUMNS`: kind is "template" or "term", group the term's; change is value_without minus
        value, NaN where without it no value is left (these come first). Values that are undefined are left out.

    Raises:
        OptionError: no such metric, attribute or class.
    """
    found = influence(*recomputed(results, metric, attribute))
    chosen = range(len(found.classes))
    if label is not None:
        chosen = range(found.classes.index(one_of(label, found.classes, "class")), len(found.classes))[:1]
    frame = pd.DataFrame(
        [row for left_out in found.left_out for row in _moved(found, left_out, chosen)], columns=list(INFLUENCE_COLUMNS)
    )
    order = frame["change"].abs().fillna(np.inf).to_numpy(dtype=np.float64)
    return frame.iloc[np.argsort(-order, kind="stable")].reset_index(drop=True)


def _moved(found: Influence, left_out: LeftOut, chosen: range) -> list[tuple[Any, ...]]:
    rows = []
    for at, (name, group) in enumerate(zip(left_out.names, left_out.groups, strict=True)):
        for k in chosen:
            for r, sides in enumerate(found.sides):
                value, without = float(found.value[r, k]), float(left_out.value[at, r, k])
                if not np.isnan(value):
                    head = (left_out.kind, name, group, found.classes[k], *sides)
                    rows.append((*head, value, without, without - value))
    return rows


@dataclass(frozen=True, eq=False)
class Measured:
    """The stability of one metric.

    Attributes:
        result: the metric, computed again.
        table, split_half: as in `reports.analyses.Stability`.
        findings: how many values are far enough from equal treatment to be called a finding.
        unstable: how many of these are unstable.
        reworded, split: what the tables are made from.
    """

    result: MetricResult
    table: pd.DataFrame
    split_half: pd.DataFrame
    findings: int
    unstable: int
    reworded: Rewordings
    split: SplitHalf


def measured(results: Results, metric: str, *, attribute: str | None, splits: int, seed: int, least: float) -> Measured:
    """Influence, rewordings and halves of the sources of one metric.

    Args as in `reports.analyses.stability`.

    Raises:
        OptionError: no such metric or attribute.
    """
    result, outcomes = recomputed(results, metric, attribute)
    moved = influence(result, outcomes)
    paraphrased = rewordings(moved.computed)
    split_half = split_half_correlation(moved.computed, splits=splits, seed=seed)
    reasons = unstable(result, outcomes, least=least, found=moved)
    table = _table(moved, paraphrased)
    keys = zip(table["class"], table["left"], table["right"], strict=True)
    table["unstable"] = [reasons.get(key, "").removeprefix("unstable: ") for key in keys]
    by_class = pd.DataFrame(
        {
            "class": result.classes,
            "correlation": split_half.correlation,
            "corrected": split_half.corrected,
            "splits": split_half.splits,
            "why": split_half.why,
        }
    )
    findings = int((np.abs(moved.value - moved.computed.no_bias) >= least - 1e-12).sum())
    return Measured(result, table, by_class, findings, len(reasons), paraphrased, split_half)


def _table(moved: Influence, paraphrased: Rewordings) -> pd.DataFrame:
    position = {sides: at for at, sides in enumerate(paraphrased.sides)}
    parts = {
        "originals": paraphrased.originals,
        "rewordings": paraphrased.rewordings,
        "families": paraphrased.compared.astype(np.float64),
        "agreement": paraphrased.agreement,
        "with_whole": paraphrased.agreement_with_overall,
    }
    rows = []
    for k, label in enumerate(moved.classes):
        for r, sides in enumerate(moved.sides):
            row = {"class": label, "left": sides[0], "right": sides[1], "value": float(moved.value[r, k])}
            for left_out in moved.left_out:
                name, without = _most_influential(moved, left_out, r, k)
                row |= {left_out.kind: name, f"without_{left_out.kind}": without}
            at = position.get(sides)
            row |= {name: np.nan if at is None else float(values[at, k]) for name, values in parts.items()}
            rows.append(row)
    return pd.DataFrame(rows)


def _most_influential(moved: Influence, left_out: LeftOut, r: int, k: int) -> tuple[str, float]:
    """The template or term that increases the distance from equal treatment most, and the value without it."""
    without: FloatArray = left_out.value[:, r, k]
    away = moved.value[r, k] - moved.computed.no_bias
    if not len(without) or np.isnan(away):
        return "", np.nan
    still = np.where(np.isnan(without), 0.0, (without - moved.computed.no_bias) * (np.sign(away) or 1.0))
    at = int(np.argmin(still))
    return left_out.names[at], float(without[at])
