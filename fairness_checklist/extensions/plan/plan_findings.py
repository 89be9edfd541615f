"""The answers of a plan as records, each with its sentence of at most 40 words.

Sizes and smallest gaps are plans and claim nothing: their status is "". Disparities of annotated rows are findings.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from fairness_checklist.core.errors import count
from fairness_checklist.core.formatting import hundredths, join_names, percent, points
from fairness_checklist.extensions.plan.disparities import AS_PRINTED, Disparity
from fairness_checklist.extensions.plan.power import MeasureSize
from fairness_checklist.findings.finding import Finding
from fairness_checklist.findings.status import STATUSES

if TYPE_CHECKING:
    from fairness_checklist.extensions.plan.power import Design, ExamplesPlan
    from fairness_checklist.extensions.plan.suite_plan import Reach, SuitePlan

_SUITES = "suites with these sizes of effects"
_INDEPENDENT = "independent examples"


def suite_finding(plan: SuitePlan) -> Finding:
    """The size of a suite that shows a gap: `value` texts, `n` sentences; NaN and 0 where no size does."""
    question = f"templates and terms that show a gap of {points(plan.gap)}"
    subject = f"{count(plan.groups, 'group')}, {count(plan.harms, 'error')}"
    size = plan.chosen
    if size is None or size.sentences is None or size.texts is None:
        most = max(option.terms for option in plan.options)
        statement = (
            f"Templates: no number of sentences shows a gap of {points(plan.gap)} in {percent(plan.power)} of suites "
            f"with up to {count(most, 'term')} in each of {plan.groups} groups. Add terms, or plan for a larger gap."
        )
        return Finding(question, subject, "", statement, "texts", scope=_SUITES)
    statement = (
        f"Templates: {size.sentences:,} sentences with {size.terms:,} terms in each of {plan.groups} groups "
        f"({size.texts:,} texts) show a gap of {points(plan.gap)} with {percent(size.power)} power "
        "(simulated; 95 % bounds for all groups)."
    )
    note = (
        f"{size.terms} terms a group; power {size.power:.3f}; found gaps are {plan.exaggeration:.2f} times the true one"
    )
    return Finding(question, subject, "", statement, "texts", size.texts, n=size.sentences, scope=_SUITES, note=note)


def reach_findings(reaches: Sequence[Reach], power: float) -> tuple[Finding, ...]:
    """For each attribute and harm the smallest gaps: `value` that of the group with the largest one, `n` sentences."""
    records = []
    for key in dict.fromkeys((reach.attribute, reach.harm) for reach in reaches):
        of = [reach for reach in reaches if (reach.attribute, reach.harm) == key]
        known = sorted((reach for reach in of if reach.gap is not None), key=lambda reach: reach.gap or 0.0)
        name = ", ".join(part for part in key if part) or "Templates"
        none = [reach for reach in of if reach.gap is None]
        note = "; ".join(f"{reach.group}: {reach.reason}" for reach in none)
        if not known:
            statement = f"{name}: no gap of any size is sure to be found: {of[0].reason}."
            records.append(Finding("smallest gap", name, "", statement, "gap", scope=_SUITES, note=note))
            continue
        best, worst = known[0], known[-1]
        span = f"gaps of {points(best.gap or 0.0)} or more ({count(best.terms, 'term')} a group)"
        if worst.terms != best.terms:
            span = f"gaps from {points(best.gap or 0.0)} ({_terms(best)}) to {points(worst.gap or 0.0)}"
            span += f" ({_terms(worst)})"
        statement = f"{name}: {span} are found with {percent(power)} power in {best.sentences:,} sentences."
        if none:
            statement += f" No statement about {count(len(none), 'group')} with few terms."
        gap = worst.gap or 0.0
        records.append(
            Finding("smallest gap", name, "", statement, "gap", gap, n=best.sentences, scope=_SUITES, note=note)
        )
    return tuple(records)


def _terms(reach: Reach) -> str:
    return f"{reach.group}, {count(reach.terms, 'term')}"


def enough_finding(reaches: Sequence[Reach], gap: float) -> Finding:
    """Whether a suite shows a wanted gap: `value` the number of groups in which it could go unseen."""
    names = list(dict.fromkeys(reach.group for reach in reaches if reach.gap is None or reach.gap > gap))
    statement = f"A gap of {points(gap)} is found in every group and error."
    if names:
        every = len(names) > 1 and len(names) == len({reach.group for reach in reaches})
        where = f"all {len(names)} groups" if every else join_names(names, 4)
        statement = f"A gap of {points(gap)} could go unseen in {where}."
    n = min((reach.sentences for reach in reaches), default=0)
    question = f"groups in which a gap of {points(gap)} could go unseen"
    return Finding(question, "all groups", "", statement, "groups", len(names), n=n, scope=_SUITES)


def examples_finding(plans: Sequence[ExamplesPlan], design: Design) -> Finding:
    """The independent examples that show a gap with the power: `value` for the given rates; the note, guaranteed."""
    usual, sure = _usual_and_sure(plans)
    share = f"{percent(design.gamma)} from the smaller group" if design.gamma < 0.5 else "half from each group"
    statement = (
        f"Independent examples: {usual.examples:,} ({share}) show a gap of {points(usual.gap)} near a rate of "
        f"{percent(design.rate)}; {sure.examples:,} at any rates {_level(design)}."
    )
    question = f"independent examples that show a gap of {points(usual.gap)}"
    note, n = f"guaranteed at any rates with {sure.examples} examples ({sure.method})", usual.examples
    return Finding(question, "two groups", "", statement, "examples", n, n=n, scope=_INDEPENDENT, note=note)


def examples_reach_finding(plans: Sequence[ExamplesPlan], design: Design) -> Finding:
    """The smallest gap of so many independent examples: `value` for the given rates; the note, guaranteed."""
    usual, sure = _usual_and_sure(plans)
    statement = (
        f"{usual.examples:,} independent examples show a gap of {points(usual.gap)} near a rate of "
        f"{percent(design.rate)}; of {points(sure.gap)} at any rates {_level(design)}."
    )
    note, n = f"guaranteed at any rates: a gap of {sure.gap:.4f} ({sure.method})", usual.examples
    return Finding("smallest gap", "two groups", "", statement, "gap", usual.gap, n=n, scope=_INDEPENDENT, note=note)


def _level(design: Design) -> str:
    return f"({percent(design.power)} power, {percent(design.confidence)} interval)"


def _usual_and_sure(plans: Sequence[ExamplesPlan]) -> tuple[ExamplesPlan, ExamplesPlan]:
    """With the power: Wald's interval, and the best of the guaranteed ones."""
    powered = {plan.method: plan for plan in plans if plan.power is not None}
    sure = min((plan for plan in powered.values() if plan.guaranteed), key=lambda plan: (plan.examples, plan.gap))
    return powered["normal"], sure


def measure_finding(measure: str, gap: float, sizes: Sequence[MeasureSize], power: float) -> Finding:
    """The examples of each label for a fairness measure: `value` rows of the corpus, `n` examples with their group."""
    parts = " and ".join(f"{size.examples:,} examples with {size.part}" for size in sizes).replace(" with all", "")
    rows = max(size.rows for size in sizes)
    name = measure.replace("_", " ")
    statement = (
        f"{name.capitalize()}, a gap of {points(gap)}: annotate the groups of {parts}, from a corpus of {rows:,} rows; "
        f"enough at any rates ({percent(power)} power for each)."
    )
    total = sum(size.examples for size in sizes)
    return Finding(f"rows that show a gap of {points(gap)}", name, "", statement, "rows", rows, n=total)


_COSTS = {"not predicted": "Predicted other than", "missed": "Missed", "false alarm": "False"}


def _span(low: float, high: float) -> str:
    return f"{hundredths(low)} to {hundredths(high)}"


def disparity_findings(disparities: Sequence[Disparity], protected: str, positive: str) -> tuple[Finding, ...]:
    """What annotated rows show, one record a disparity; shown ones first.

    Clear where the interval with the cost centred leaves out 0: it holds the truth as surely as the printed one.
    """
    records = []
    for row in disparities:
        if row.part == AS_PRINTED:
            continue
        name = row.measure.replace("_", " ")
        name += f", {row.part}" if row.measure == "equalized_odds" else ""
        interval = (row.value, row.low, row.high)
        status, verdict = "none found", "No difference is shown"
        if math.isnan(row.low):
            status, statement = "too few to say", f"{name}: one of the groups has no rows."
        else:
            if row.low > 0 or row.high < 0:
                status, verdict = "clear", "A difference is shown"
            statement = (
                f'{name}: {verdict.lower()}. {_COSTS[row.cost]} "{positive}": {protected} {percent(row.protected)}, '
                f"others {percent(row.unprotected)}; gap {hundredths(row.value)} points ({100 * row.confidence:g} % "
                f"interval {_span(row.low, row.high)}, cost centred at -1/2 and 1/2; formula (3) as printed: "
                f"{_span(row.printed_low, row.printed_high)})."
            )
        records.append(Finding(name, protected, status, statement, "gap", *interval, n=row.n, note=row.note))
    return tuple(sorted(records, key=lambda finding: STATUSES.index(finding.status)))
