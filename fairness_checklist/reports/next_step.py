"""The one thing to do next after a run, which can be done from where the reader stands."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from fairness_checklist.core.formatting import join_names
from fairness_checklist.core.option_defaults import LIMIT
from fairness_checklist.findings.records import FAIL, INCONCLUSIVE, PASS, Reason, decision_at, words_to_decide
from fairness_checklist.findings.rule import Status
from fairness_checklist.reports.finding_text import whole_points
from fairness_checklist.reports.model_of_little_use import useless_model
from fairness_checklist.reports.pairs import has_texts
from fairness_checklist.reports.run_view import View, margin_of, only_gold_class, suite_parts
from fairness_checklist.reports.wording import group_phrase, words_of
from fairness_checklist.tables.run_folder import Results

_MOST_NEEDED = 200  # more words than these are not asked for
_MOST_STEPS = 3
_DECIDED = {PASS: "pass", FAIL: "fail", INCONCLUSIVE: "may be above it"}


@dataclass(frozen=True)
class NextStep:
    """A next step."""

    rank: int  # of several steps the one with the smallest rank comes first
    text: str  # what to do


def next_step(results: Results, views: Sequence[View], named: Mapping[str, str], *, python: bool = False) -> str:
    """The most urgent step of up to three attributes; ``named`` has the first word that is named of each."""
    steps = {view.attribute: _step(results, view, named.get(view.attribute, ""), python) for view in views}
    if not steps or not min(step.rank for step in steps.values()):
        return next((step.text for step in steps.values() if not step.rank), "")
    urgent = sorted(set(steps.values()), key=lambda step: step.rank)[:_MOST_STEPS]
    shown = [step for step in dict.fromkeys(steps.values()) if step in urgent]
    about = {step: join_names([name for name, other in steps.items() if other == step], 3) for step in shown}
    return " ".join(f"{about[step]}: {step.text}" if len(steps) > 1 else step.text for step in shown)


def gate_line(records: pd.DataFrame, *, python: bool = False) -> str:
    """What a gate with the default limit says of a run, by attribute; "" without comparisons."""
    if not len(records):
        return ""
    parts = []
    for attribute, of_attribute in records.groupby("attribute", sort=False):
        decided = Counter(decision_at(record, LIMIT) for record in of_attribute.to_dict("records"))
        said = ", ".join(f"{decided[name]:,} {words}" for name, words in _DECIDED.items() if decided[name])
        parts.append(f"{attribute} {next(name for name in (FAIL, INCONCLUSIVE, PASS) if decided[name])} ({said})")
    call = f"result.gate({LIMIT})" if python else f"fairness-checklist gate RUN --limit {LIMIT}"
    return f"at a limit of {whole_points(LIMIT)}, each upper bound taken alone: {join_names(parts, 3)}. {call}"


def _step(results: Results, view: View, named: str, python: bool) -> NextStep:
    suite = next((part for part in suite_parts(results.info) if part.get("attribute") == view.attribute), None)
    rows = "texts" if view.mentions else "rows"
    filled = suite is not None and bool(suite.get("templates"))
    if useless_model(view) and only_gold_class(view):
        templates = "templates=[...] of Suite.build" if python else "--templates FOLDER"
        return NextStep(0, f"add {rows} of other classes{f': {templates}' if filled else ''}.")
    if useless_model(view):
        named = f"labels={{...}} of {'load_model' if suite is not None else 'evaluate'}" if python else "--labels"
        return NextStep(0, f"check that the model's labels are matched to the right classes: {named}.")
    records = view.findings
    if (records["status"] == Status.WORSE).any():
        return NextStep(
            1, "read the pairs in the report." if has_texts(results) else "look at the groups that are worse."
        )
    if named and (records["reason_code"] == Reason.CARRIED).any():
        return NextStep(2, f"read the texts with {named} in the report: what does the model react to?")
    open_ones = records[(records["status"] == Status.OPEN)]
    if len(open_ones):
        return NextStep(3, _to_decide(open_ones, view.attribute, margin_of(results), filled, python))
    return NextStep(4, "check each new model.") if len(records) else NextStep(5, "test further attributes.")


def _to_decide(records: pd.DataFrame, attribute: str, margin: float, filled: bool, python: bool) -> str:
    """What would decide the open comparison with the largest gap: more words of its group, or more sentences."""
    row = records.sort_values("gap", ascending=False, kind="stable").iloc[0]
    whom = group_phrase(str(row["group"]), attribute)
    if row["reason_code"] in (Reason.FEW_SENTENCES, Reason.NOT_COMPARABLE):
        noun, how = "sentences", "templates=[...] of Suite.build" if python else "--templates FOLDER"
    else:
        noun, how = words_of(attribute), "terms= of Suite.build" if python else "--terms FOLDER"
        if row["terms_available"] > row["terms"]:
            how = "a larger max_terms" if python else "a larger --max-terms"
        needed = words_to_decide(row.to_dict(), margin)
        if row["lexemes"] < needed <= _MOST_NEEDED:
            noun = f"{noun} to that group, about {needed:,} in place of {row['lexemes']:,}"
    return f"to decide about {whom}, add {noun}{f': {how}' if filled else ''}."
