"""The answers of the verb `plan`: each question is answered by a sentence, a table, and a record for programs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from textwrap import fill
from typing import TYPE_CHECKING, Any

import pandas as pd

from fairness_checklist.cli.printed_answers import Answer
from fairness_checklist.core.errors import count
from fairness_checklist.core.formatting import join_names, percent, points
from fairness_checklist.core.option_defaults import MARGIN
from fairness_checklist.core.tasks import get_task
from fairness_checklist.extensions.plan.power import examples_table
from fairness_checklist.extensions.plan.random_effects import Effects
from fairness_checklist.extensions.plan.suite_layout import layout_of_examples
from fairness_checklist.extensions.plan.suite_plan import Reach, SuitePlan, reach_of_layout

if TYPE_CHECKING:
    from fairness_checklist.api.suite import Suite

_WIDTH = 100  # columns of a line
_REPETITIONS = 300  # for suites in which not every term is in every sentence, which take longer


def joined(answers: Sequence[Answer]) -> Answer:
    """Several answers as one, its lines folded."""
    lines = [fill(line, _WIDTH, subsequent_indent="  ") for answer in answers for line in answer.words]
    tables = {name: table for answer in answers for name, table in answer.tables.items()}
    record = {name: value for answer in answers for name, value in answer.record.items()}
    return Answer(lines, tables=tables, record=record)


def suite_answer(plan: SuitePlan) -> Answer:
    """The size of a suite that shows a gap."""
    size = plan.chosen
    if size is None:
        sentence = (
            f"Templates: no number of sentences shows a gap of {points(plan.gap)} in {percent(plan.power)} of suites "
            f"with up to {count(plan.most_terms, 'term')} in each of {plan.groups} groups. Add terms, or plan for a "
            "larger gap."
        )
    else:
        sentence = (
            f"Templates: {size.sentences:,} sentences with {size.terms:,} terms in each of {plan.groups} groups "
            f"({size.texts:,} texts) show a gap of {points(plan.gap)} with {percent(size.power)} power (simulated"
            f"{f', with --margin {plan.gap:g}' if plan.gap < MARGIN else ''}). "
            f"{_of_small(min(MARGIN, plan.gap), percent(size.small))} of such suites."
        )
    tables = {"suites": pd.DataFrame([size] if size else []), "effects": pd.DataFrame([plan.effects])}
    return Answer([sentence], tables=tables, record={"suites": plan})


def _of_small(margin: float, share: str) -> str:
    return f"A group without a gap is shown to be at most {points(margin)} worse in {share}"


def reach_answer(reaches: Sequence[Reach], effects: Mapping[str, Effects], power: float, gap: float | None) -> Answer:
    """The smallest gaps of a suite by attribute and error, and whether a wanted gap is found in all groups."""
    of_errors: dict[tuple[str, str], list[Reach]] = {}
    for reach in reaches:
        of_errors.setdefault((reach.attribute, reach.harm), []).append(reach)
    sentences = [
        _reach_sentence(", ".join(filter(None, key)) or "Templates", rows, power) for key, rows in of_errors.items()
    ]
    if gap is not None:
        names = list(dict.fromkeys(reach.group for reach in reaches if reach.gap is None or reach.gap > gap))
        unseen = f"could go unseen in {join_names(names, 4)}."
        sentences.append(f"A gap of {points(gap)} {unseen if names else 'is found in every group and error.'}")
    shares = [reach.small for reach in reaches if reach.small is not None]
    if shares:
        of_suites = f"{percent(min(shares))} to {percent(max(shares))}"
        sentences.append(f"{_of_small(MARGIN, of_suites)} of suites.")
    rows = pd.DataFrame(reaches)
    sizes = pd.DataFrame([{"error": name, **asdict(of_error)} for name, of_error in effects.items()])
    record = {"smallest_gaps": rows, "effects": dict(effects)}
    return Answer(sentences, tables={"smallest_gaps": rows, "effects": sizes}, record=record)


def _reach_sentence(name: str, reaches: Sequence[Reach], power: float) -> str:
    """The span of the smallest gaps of one error, from the group with the smallest one to that with the largest."""
    found = sorted((reach for reach in reaches if reach.gap is not None), key=lambda reach: reach.gap or 0.0)
    if not found:
        return f"{name}: no gap of any size is sure to be found: {reaches[0].reason}."
    best, worst = found[0], found[-1]
    span = f"gaps of {points(best.gap or 0.0)} or more ({count(best.terms, 'term')} a group)"
    if worst.terms != best.terms:
        span = f"gaps from {points(best.gap or 0.0)} ({best.group}, {count(best.terms, 'term')}) to "
        span += f"{points(worst.gap or 0.0)} ({worst.group}, {count(worst.terms, 'term')})"
    sentence = f"{name}: {span} are found with {percent(power)} power in {best.sentences:,} sentences."
    few = len(reaches) - len(found)
    return sentence + (f" Nothing is found of {count(few, 'group')} with few terms." if few else "")


def of_suite(suite: Suite, effects: Effects, gap: float | None, power: float) -> Answer:
    """The smallest gaps of a suite that no model has seen."""
    reaches: list[Reach] = []
    options: dict[str, Any] = {"power": power, "repetitions": _REPETITIONS}
    for part in suite.parts:
        layout, harms = layout_of_examples(part.examples, get_task(part.task).harms)
        names, of_harms = [harm.name for harm in harms], [effects] * len(harms)
        reaches += reach_of_layout(layout, names, of_harms, attribute=part.attribute, **options)
    return reach_answer(reaches, {"every error": effects}, power, gap)


def examples_answer(gap: float | None, n: int | None, power: float, rate: float) -> Answer:
    """The independent examples that show a gap, or the smallest gap of n examples."""
    table = examples_table(gap, n, power=power, rate=rate)
    powered = table[table["power"].notna()]
    usual = powered[powered["method"] == "normal"].iloc[0]
    sure = powered[powered["guaranteed"]].sort_values(["examples", "gap"], kind="stable").iloc[0]
    level, near = f"({percent(power)} power, 95 % interval)", f"near a rate of {percent(rate)}"
    if gap is None:
        sentence = (
            f"{n:,} independent examples show a gap of {points(usual['gap'])} {near}; of {points(sure['gap'])} at any "
            f"rates {level}."
        )
    else:
        sentence = (
            f"Independent examples: {usual['examples']:,} (half from each group) show a gap of {points(gap)} {near}; "
            f"{sure['examples']:,} at any rates {level}."
        )
    return Answer([sentence], tables={"examples": table}, record={"examples": table})
