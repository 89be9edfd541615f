"""The next step after a run, once for the terminal, the page and the notebook: only what can be done from here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from fairness_checklist.analysis.finding_pairs import finding_pairs
from fairness_checklist.analysis.largest_gaps import only_gold_class
from fairness_checklist.analysis.run_view import attribute_view
from fairness_checklist.core.formatting import join_names
from fairness_checklist.findings.records import strongest_first
from fairness_checklist.findings.status import STATUSES
from fairness_checklist.tables.run_folder import LIST_SEPARATOR, Results

_LARGE = 0.1
"""A gap that a suite should be able to show."""


@dataclass(frozen=True)
class Step:
    """A next step.

    Attributes:
        rank: of several steps the one with the smallest rank comes first.
        text: what to do; ``{names}`` stands for the attributes.
    """

    rank: int
    text: str


def next_step(results: Results, warnings: Mapping[str, str], *, python: bool = False) -> str:
    """The most urgent step of some attributes, "" without any.

    Args:
        results: a run.
        warnings: of each attribute the warning of a useless model, or "".
        python: whether it is told as Python; by default as a command.
    """
    steps = {name: _step(results, name, warning, python) for name, warning in warnings.items()}
    first = min((one for one in steps.values() if one), key=lambda one: one.rank, default=None)
    if first is None:
        return ""
    return first.text.replace("{names}", join_names([name for name, one in steps.items() if one == first], 3))


def _step(results: Results, attribute: str, warning: str, python: bool) -> Step | None:
    suite = _suite(results, attribute)
    view = attribute_view(results, attribute)
    rows = "texts" if view.mentions else "rows"
    filled = suite is not None and bool(suite.get("templates"))
    templates = "templates=[...] of Suite.build" if python else "--templates FOLDER"
    if warning and only_gold_class(view):
        return Step(0, f"add {rows} of other classes{f': {templates}' if filled else ''}.")
    if warning:
        named = f"labels={{...}} of {'load_model' if suite is not None else 'evaluate'}" if python else "--labels"
        return Step(0, f"check that the model's labels are matched to the right classes: {named}.")
    records = strongest_first(results.findings[results.findings["attribute"] == attribute])
    if not len(records):
        left_out = results.info.get("findings", {}).get(attribute, {}).get("left_out", {})
        compare = f"let the run compare groups: {'draws=1000' if python else '--draws 1000'}."
        return Step(1, compare) if left_out.get("*") == "draws=0" else None
    strongest = records.iloc[0]
    status, few_sources = strongest["status"], "names or places" not in str(strongest["note"])
    clear, suspected, none_found, too_few = (status == one for one in STATUSES)
    carried = [word for word in str(strongest["carried_by"]).split(LIST_SEPARATOR) if word]
    pairs = (clear or suspected) and results.info.get("texts") != "hashes"
    pairs = pairs and len(finding_pairs(results, strongest.to_dict(), 1)) > 0
    read = "read the sentence pairs under {names} in the report."
    if (clear or suspected) and carried and strongest["scope"] == "group":
        quoted = join_names([f'"{word}"' for word in carried], 3)
        return Step(2 if clear else 3, f"look at {quoted} under {{names}} in the report: the gap depends on it.")
    if clear:
        track = "result.kpi()" if python else "fairness-checklist report DIR --kpi"
        return Step(2, read if pairs else f"follow the gap of {{names}} from version to version: {track}.")
    if _is_cut(records, suite) and not (too_few and few_sources):
        larger = "a larger max_terms" if python else "a larger --max-terms"
        without = "" if attribute in results.intersections else ", or none" if python else ", or without this option"
        return Step(4, f"use more of the terms of {{names}}: run again with {larger}{without}.")
    if suspected:
        if suite is None and pairs:
            return Step(5, read)
        own = f"make the suite of {{names}} larger with templates of your own: {templates}."
        return Step(6, own if filled else f"add {rows} of {{names}}: the gap may be chance.")
    if too_few:
        if not filled:
            return Step(7, f"add {rows} of {{names}}: there are too few for a comparison.")
        if few_sources:
            return Step(7, f"make the suite of {{names}} larger with templates of your own: {templates}.")
        terms = "terms= of Suite.build" if python else "--terms FOLDER"
        return Step(7, f"make the suite of {{names}} larger with terms of your own: {terms}.")
    if none_found and (records["detectable_gap"] > _LARGE).any():
        more = f"a larger suite would show smaller gaps of {{names}}: {templates}."
        return Step(8, more if filled else f"add {rows} of {{names}}: more of them would show smaller gaps.")
    further = "Suite.build(...)" if python else "fairness-checklist list"
    return Step(9, f"test further attributes: {further}." if suite is not None else "test further attributes.")


def _suite(results: Results, attribute: str) -> Mapping[str, Any] | None:
    """The record of the attribute's part of a suite; None of a table."""
    recorded: Sequence[Any] = results.info.get("suite") or ()
    parts = [one for one in recorded if isinstance(one, Mapping)]
    return next((one for one in parts if one.get("attribute") == attribute), None)


def _is_cut(records: pd.DataFrame, suite: Mapping[str, Any] | None) -> bool:
    """Whether terms were drawn from more: the suite has fewer of a group than its file; others fit no sentence."""
    counts = {} if suite is None else suite.get("groups", {})
    drawn = records["group"].astype("str").map(counts)
    return bool((drawn < records["n_terms_available"]).any())
