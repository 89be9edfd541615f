"""Whether a metric's values rest on one template or term, survive rewording, and order the groups alike."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from fairness_checklist.core.arrays import FloatArray, by_value
from fairness_checklist.core.errors import count
from fairness_checklist.core.formatting import decimal, join_names, percent
from fairness_checklist.extensions.analyses.recompute import recomputed
from fairness_checklist.metrics.metric_result import MetricResult
from fairness_checklist.reports.run_view import one_of
from fairness_checklist.statistics.robustness import (
    LEAST,
    Influence,
    LeftOut,
    Rewordings,
    influence,
    rewordings,
    unstable,
)
from fairness_checklist.statistics.subsets import SplitHalf, split_half_correlation
from fairness_checklist.tables.run_folder import Results


@by_value
@dataclass(frozen=True, eq=False)
class Stability:
    """The stability of the findings of a metric.

    Attributes:
        table: one row a value of the metric: class, left, right, value; template and without_template, the template
            that moves it furthest towards equal treatment and the value without it; term and without_term; originals
            and rewordings, the signed difference in templates that have a rewording and in their rewordings; families
            in which both have a direction, and agreement, the share of them in which it is the same; with_whole, the
            share of rewordings that have the direction of the whole; unstable, why, or "".
        split_half: one row a class: correlation, corrected, splits, why; see `SplitHalf`.
        sentence: a summary in words.
    """

    table: pd.DataFrame
    split_half: pd.DataFrame
    sentence: str

    def __str__(self) -> str:
        return self.sentence


def stability(
    results: Results, metric: str, *, attribute: str | None = None, splits: int = 200, seed: int = 0
) -> Stability:
    """Influence, rewordings and split-half correlation of one metric.

    Args:
        results: a run.
        metric: any registered metric's id.
        attribute: the attribute; the first by default.
        splits, seed: number and seed of the random splits into halves.

    Raises:
        OptionError: no such metric or attribute.
    """
    result, outcomes = recomputed(results, metric, attribute)
    moved = influence(result, outcomes)
    reworded = rewordings(moved.computed)
    split = split_half_correlation(moved.computed, splits=splits, seed=seed)
    reasons = unstable(result, outcomes, found=moved)
    table = influence_by_value(moved, reworded)
    keys = zip(table["class"], table["left"], table["right"], strict=True)
    table["unstable"] = [reasons.get(key, "").removeprefix("unstable: ") for key in keys]
    halves = {name: getattr(split, name) for name in ("correlation", "corrected", "splits", "why")}
    far = int((np.abs(moved.value - moved.computed.no_bias) >= LEAST - 1e-12).sum())
    about = f"{result.metric.name} ({result.attribute}): {_unstable(far, len(reasons))}"
    sentence = f"{about} {_reworded(reworded)} {_ordered(result, split)}"
    return Stability(table, pd.DataFrame({"class": result.classes, **halves}), sentence)


def _unstable(findings: int, unstable: int) -> str:
    """How many of the values that are far from equal treatment are unstable."""
    if not findings:
        return f"no value is {LEAST:g} or more from equal treatment."
    far = f"({LEAST:g} or more from equal treatment)"
    if findings == 1:
        return f"the one value {far} is {'unstable' if unstable else 'stable'}."
    return f"{unstable:,} of {findings:,} values {far} {'is' if unstable == 1 else 'are'} unstable."


def _reworded(reworded: Rewordings) -> str:
    if reworded.why:
        return f"Rewordings are not compared: {reworded.why}."
    compared = int(reworded.compared.sum())
    if not compared:
        return "In the reworded templates, no difference has a sign."
    agreed = float(np.nansum(reworded.agreement * reworded.compared)) / compared
    templates = count(len(reworded.families), "reworded template")
    return (
        f"In {templates}, originals and rewordings have the same sign in {percent(agreed)} of "
        f"{count(compared, 'comparison')}."
    )


def _ordered(result: MetricResult, split_half: SplitHalf) -> str:
    if split_half.why:
        return f"There is no split-half correlation: {split_half.why}."
    correlations = [
        f"{decimal(r)} ({decimal(corrected)} for all sources){'' if label == '*' else f' for {label}'}"
        for label, r, corrected in zip(result.classes, split_half.correlation, split_half.corrected, strict=True)
        if not np.isnan(r)
    ]
    if not correlations:
        return "There is no split-half correlation: in every half all groups tie."
    rank = f"The split-half rank correlation of the groups is {join_names(correlations)}"
    return f"{rank}; their ranking is about these words."


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
    moved = influence(*recomputed(results, metric, attribute))
    chosen = moved.classes if label is None else (one_of(label, moved.classes, "class"),)
    rows: list[tuple[Any, ...]] = []
    for left_out in moved.left_out:
        for at, (name, group) in enumerate(zip(left_out.names, left_out.groups, strict=True)):
            for label_of_value, (r, sides) in product(chosen, enumerate(moved.sides)):
                k = moved.classes.index(label_of_value)
                value, without = float(moved.value[r, k]), float(left_out.value[at, r, k])
                if not np.isnan(value):
                    rows.append((left_out.kind, name, group, label_of_value, *sides, value, without, without - value))
    frame = pd.DataFrame(rows, columns=list(INFLUENCE_COLUMNS))
    order = frame["change"].abs().fillna(np.inf).to_numpy(dtype=np.float64)
    return frame.iloc[np.argsort(-order, kind="stable")].reset_index(drop=True)


def influence_by_value(moved: Influence, paraphrased: Rewordings) -> pd.DataFrame:
    """A row a value: what moves it most towards equal treatment, and how its rewordings agree."""
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
