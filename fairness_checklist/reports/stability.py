"""Whether a metric's findings stand when a sentence or a term is left out or reworded: tables and a sentence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from fairness_checklist.arrays import FloatArray, by_value
from fairness_checklist.errors import OptionError
from fairness_checklist.metrics.catalogue import METRICS, compute
from fairness_checklist.metrics.metric import Options
from fairness_checklist.metrics.result import MetricResult
from fairness_checklist.outcomes import Outcomes
from fairness_checklist.reports.reading import View, one_of, view
from fairness_checklist.reports.these_terms import outcomes_of
from fairness_checklist.reports.words import count, decimal, listed, percent
from fairness_checklist.results import Results
from fairness_checklist.statistics.halves import Halves, split_halves
from fairness_checklist.statistics.rewordings import Rewordings, rewordings
from fairness_checklist.statistics.robustness import LEAST, Influence, LeftOut, influence, unstable

__all__ = ["INFLUENCE_COLUMNS", "Stability", "computed_again", "influence_table", "stability"]

INFLUENCE_COLUMNS = ("kind", "name", "group", "class", "left", "right", "value", "value_without", "change")


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
        halves: one row a class: correlation, corrected, splits, why; see `statistics.halves.Halves`.
        sentence: what it comes to.
    """

    table: pd.DataFrame
    halves: pd.DataFrame
    sentence: str

    def __str__(self) -> str:
        return self.sentence


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
        value, NaN where without it no value is left (these stand first). Values that are undefined are left out.

    Raises:
        OptionError: no such metric, attribute or class.
    """
    found = influence(*computed_again(results, metric, attribute))
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
    result, outcomes = computed_again(results, metric, attribute)
    moved = influence(result, outcomes)
    paraphrased = rewordings(moved.computed)
    halves = split_halves(moved.computed, splits=splits, seed=seed)
    reasons = unstable(result, outcomes, least=least, found=moved)
    table = _table(moved, paraphrased)
    keys = zip(table["class"], table["left"], table["right"], strict=True)
    table["unstable"] = [reasons.get(key, "").removeprefix("unstable: ") for key in keys]
    by_class = pd.DataFrame(
        {
            "class": result.classes,
            "correlation": halves.correlation,
            "corrected": halves.corrected,
            "splits": halves.splits,
            "why": halves.why,
        }
    )
    findings = int((np.abs(moved.value - moved.computed.no_bias) >= least - 1e-12).sum())
    sentence = " ".join(
        (_findings(result, findings, len(reasons), least), _reworded(paraphrased), _ordered(result, halves))
    )
    return Stability(table, by_class, sentence)


def computed_again(results: Results, metric: str, attribute: str | None) -> tuple[MetricResult, Outcomes]:
    """The metric as the run computed it first, or with default options where it did not."""
    line = METRICS[metric]
    seen = view(results, attribute or results.attributes[0])
    outcomes = outcomes_of(results, seen)
    return compute(line, outcomes, _options(seen, metric)), outcomes


def _options(seen: View, metric: str) -> Options:
    stamps = [options for name, options in (*seen.primary, *seen.keys_at(seen.place), *seen.keys) if name == metric]
    given: dict[str, Any] = {} if stamps else {"where": seen.place}
    for part in filter(None, "".join(stamps[:1]).split("; ")):
        name, _, value = part.partition("=")
        given[name] = value
    if "groupings" in given:
        raise OptionError(
            f"{metric} was computed from groupings that the run does not keep.",
            remedy="Run it again without groupings=, or with max_groupings=.",
        )
    for name in ("max_groupings", "seed"):
        if name in given:
            given[name] = int(given[name])
    return Options(**given)


def _table(moved: Influence, paraphrased: Rewordings) -> pd.DataFrame:
    position = {sides: at for at, sides in enumerate(paraphrased.sides)}
    told = {
        "originals": paraphrased.originals,
        "rewordings": paraphrased.rewordings,
        "families": paraphrased.compared.astype(np.float64),
        "agreement": paraphrased.agreement,
        "with_whole": paraphrased.with_whole,
    }
    rows = []
    for k, label in enumerate(moved.classes):
        for r, sides in enumerate(moved.sides):
            row = {"class": label, "left": sides[0], "right": sides[1], "value": float(moved.value[r, k])}
            for left_out in moved.left_out:
                name, without = _most(moved, left_out, r, k)
                row |= {left_out.kind: name, f"without_{left_out.kind}": without}
            at = position.get(sides)
            row |= {name: np.nan if at is None else float(values[at, k]) for name, values in told.items()}
            rows.append(row)
    return pd.DataFrame(rows)


def _most(moved: Influence, left_out: LeftOut, r: int, k: int) -> tuple[str, float]:
    """What moves a value furthest towards equal treatment and beyond, and the value without it."""
    without: FloatArray = left_out.value[:, r, k]
    away = moved.value[r, k] - moved.computed.no_bias
    if not len(without) or np.isnan(away):
        return "", np.nan
    still = np.where(np.isnan(without), 0.0, (without - moved.computed.no_bias) * (np.sign(away) or 1.0))
    at = int(np.argmin(still))
    return left_out.names[at], float(without[at])


def _findings(result: MetricResult, findings: int, shaky: int, least: float) -> str:
    about = f"{result.metric.name} ({result.attribute})"
    if not findings:
        return f"{about}: no value is {least:g} or more from equal treatment."
    far = f"({least:g} or more from equal treatment)"
    if findings == 1:
        return f"{about}: the one finding {far} is {'unstable' if shaky else 'stable'}."
    return f"{about}: {shaky:,} of {findings:,} findings {far} {'is' if shaky == 1 else 'are'} unstable."


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


def _ordered(result: MetricResult, halves: Halves) -> str:
    if halves.why:
        return f"Halves of the sources tell nothing: {halves.why}."
    told = [
        f"{decimal(r)} ({decimal(corrected)} for all sources){'' if label == '*' else f' for {label}'}"
        for label, r, corrected in zip(result.classes, halves.correlation, halves.corrected, strict=True)
        if not np.isnan(r)
    ]
    if not told:
        return "No two halves of the sources order the groups at all."
    return f"Two halves of the sources order the groups with a rank correlation of {listed(told)}."
