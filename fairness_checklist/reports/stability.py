"""The stability of a metric's findings as tables and a sentence."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from fairness_checklist.analysis.stability import Measured, measured
from fairness_checklist.arrays import by_value
from fairness_checklist.errors import count
from fairness_checklist.formatting import decimal, listed, percent
from fairness_checklist.metrics.result import MetricResult
from fairness_checklist.results import Results
from fairness_checklist.statistics.halves import SplitHalf
from fairness_checklist.statistics.rewordings import Rewordings
from fairness_checklist.statistics.robustness import LEAST

__all__ = ["Stability", "stability"]


@by_value
@dataclass(frozen=True, eq=False)
class Stability:
    """How far the findings of a metric can be relied on.

    Attributes:
        table: one row a value of the metric: class, left, right, value; template and without_template, the template
            that moves it furthest towards equal treatment and the value without it; term and without_term; originals
            and rewordings, the signed difference in templates that have a rewording and in their rewordings; families
            in which both have a direction, and agreement, the share of them in which it is the same; with_whole, the
            share of rewordings that have the direction of the whole; unstable, why, or "".
        split_half: one row a class: correlation, corrected, splits, why; see `statistics.halves.Halves`.
        sentence: what it comes to.
    """

    table: pd.DataFrame
    split_half: pd.DataFrame
    sentence: str

    def __str__(self) -> str:
        return self.sentence


def stability(
    results: Results,
    metric: str,
    *,
    attribute: str | None = None,
    splits: int = 200,
    seed: int = 0,
    least: float = LEAST,
) -> Stability:
    """Influence, rewordings and halves of the sources of one metric.

    Args:
        results: a run.
        metric: any registered metric's id.
        attribute: of which attribute; the first by default.
        splits, seed: of the halves.
        least: how far from equal treatment a value must be to be called a finding.

    Raises:
        OptionError: no such metric or attribute.
    """
    found = measured(results, metric, attribute=attribute, splits=splits, seed=seed, least=least)
    sentence = " ".join((_findings(found, least), _reworded(found.reworded), _ordered(found.result, found.split)))
    return Stability(found.table, found.split_half, sentence)


def _findings(found: Measured, least: float) -> str:
    result, findings, unstable = found.result, found.findings, found.unstable
    about = f"{result.metric.name} ({result.attribute})"
    if not findings:
        return f"{about}: no value is {least:g} or more from equal treatment."
    far = f"({least:g} or more from equal treatment)"
    if findings == 1:
        return f"{about}: the one finding {far} is {'unstable' if unstable else 'stable'}."
    return f"{about}: {unstable:,} of {findings:,} findings {far} {'is' if unstable == 1 else 'are'} unstable."


def _reworded(found: Rewordings) -> str:
    if found.why:
        return f"Rewordings tell nothing: {found.why}."
    compared = int(found.compared.sum())
    if not compared:
        return "Where sentences are reworded, no difference has a direction."
    agreed = float(np.nansum(found.agreement * found.compared)) / compared
    templates = count(len(found.families), "reworded template")
    return (
        f"In {templates}, originals and rewordings have the same sign in {percent(agreed)} of "
        f"{count(compared, 'comparison')}."
    )


def _ordered(result: MetricResult, split_half: SplitHalf) -> str:
    if split_half.why:
        return f"Halves of the sources tell nothing: {split_half.why}."
    sentences = [
        f"{decimal(r)} ({decimal(corrected)} for all sources){'' if label == '*' else f' for {label}'}"
        for label, r, corrected in zip(result.classes, split_half.correlation, split_half.corrected, strict=True)
        if not np.isnan(r)
    ]
    if not sentences:
        return "No two halves of the sources order the groups at all."
    return f"Two halves of the sources order the groups with a rank correlation of {listed(sentences)}."
