"""The one thing to do next after a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from fairness_checklist.core.errors import count
from fairness_checklist.core.formatting import join_names
from fairness_checklist.core.tasks import known_harm
from fairness_checklist.findings.family import MIN_LEXEMES, MIN_SOURCES
from fairness_checklist.findings.harm_cells import LeftOut
from fairness_checklist.findings.records import strongest_first
from fairness_checklist.findings.status import CLEAR, FOUND, NONE_FOUND, SUSPECTED, TOO_FEW, Reason
from fairness_checklist.reports.finding_text import carriers, is_about_rows, useless_model, without_carrier
from fairness_checklist.reports.pairs import finding_pairs
from fairness_checklist.reports.provenance import always_missed
from fairness_checklist.reports.run_view import View, only_gold_class, suite_parts
from fairness_checklist.reports.wording import group_phrase, terms_of
from fairness_checklist.tables.run_folder import TERM_SEPARATOR, Results


@dataclass(frozen=True)
class NextStep:
    """A next step."""

    rank: int  # of several steps the one with the smallest rank comes first
    text: str  # what to do; ``{names}`` stands for the attributes


def next_step(results: Results, views: Sequence[View], *, python: bool = False) -> str:
    """The most urgent step of some attributes, "" without any."""
    steps = {view.attribute: _step(results, view, python) for view in views}
    first = min((step for step in steps.values() if step), key=lambda step: step.rank, default=None)
    names = join_names([name for name, step in steps.items() if step == first], 3)
    return first.text.replace("{names}", names) if first else ""


def _step(results: Results, view: View, python: bool) -> NextStep | None:
    attribute, warning = view.attribute, useless_model(view)
    suite = next((part for part in suite_parts(results.info) if part.get("attribute") == attribute), None)
    rows = "texts" if view.mentions else "rows"
    filled = suite is not None and bool(suite.get("templates"))
    if warning and only_gold_class(view):
        templates = "templates=[...] of Suite.build" if python else "--templates FOLDER"
        return NextStep(0, f"add {rows} of other classes{f': {templates}' if filled else ''}.")
    if warning:
        named = f"labels={{...}} of {'load_model' if suite is not None else 'evaluate'}" if python else "--labels"
        return NextStep(0, f"check that the model's labels are matched to the right classes: {named}.")
    records = strongest_first(results.findings[results.findings["attribute"] == attribute])
    if not len(records):
        left_out = results.info.get("findings", {}).get(attribute, {}).get("left_out", {})
        compare = f"let the run compare groups: {'draws=1000' if python else '--draws 1000'}."
        return NextStep(1, compare) if left_out.get("*") == LeftOut.NO_DRAWS else None
    strongest = records.iloc[0]
    status, carried = str(strongest["status"]), carriers(strongest.to_dict())
    pairs = status in FOUND and results.info.get("texts") != "hashes"
    pairs = pairs and len(finding_pairs(results, strongest.to_dict(), 1)) > 0
    read = "read the pairs of texts under {names} in the report."
    if status in FOUND and carried and strongest["scope"] == "group":
        single = TERM_SEPARATOR not in str(strongest["carried_by"])  # each lexeme has one term
        quoted = join_names(carried) if single else "; ".join(carried)
        them = "it" if single and len(carried) == 1 else "them"
        left = without_carrier(strongest.to_dict(), them if len(carried) == 1 else carried[0])
        why = f"{left[0].lower()}{left[1:]}" if left else f"the gap depends on {them}"
        return NextStep(2 if status == CLEAR else 3, f"look at {quoted} under {{names}} in the report: {why}.")
    if status == CLEAR:
        track = "result.compare(older)" if python else "fairness-checklist compare OLDER DIR"
        return NextStep(2, read if pairs else f"follow the gap of {{names}} from version to version: {track}.")
    if status == NONE_FOUND and always_missed(view):
        lost = f"look for what the {terms_of(attribute)} that are missed in every text have in common"
        return NextStep(6, f"{lost}: the report names them under {{names}}.")
    if status in (SUSPECTED, NONE_FOUND, TOO_FEW):
        if more := _more_texts_or_words(records, attribute, suite, python):
            return NextStep(4 if status == SUSPECTED else 7, more)
        if pairs:
            return NextStep(5, read)
    further = "Suite.build(...)" if python else "fairness-checklist list"
    return NextStep(9, f"test further attributes: {further}." if suite is not None else "test further attributes.")


def _more_texts_or_words(records: pd.DataFrame, attribute: str, suite: Mapping[str, Any] | None, python: bool) -> str:
    """What would decide the first undecided comparison: more words of a group, or more sentences; "" for neither."""
    names, own = "{names}", "templates=[...] of Suite.build" if python else "--templates FOLDER"
    filled = suite is not None and bool(suite.get("templates"))
    undecided = records[(records["n_more_words"] > 0) | (records["n_more_sources"] > 0)]
    few = records[records["status"] == TOO_FEW]
    row = undecided.iloc[0] if len(undecided) else few.iloc[0] if len(few) else None
    if row is None:
        return ""
    words, sources = int(row["n_more_words"]), int(row["n_more_sources"])
    if row["reason"] == Reason.FEW_NAMES:
        words = MIN_LEXEMES - int(row["n_lexemes"])
    elif row["status"] == TOO_FEW:
        sources = MIN_SOURCES - int(row["n_sources"])
    unit = "row" if is_about_rows(row.to_dict()) else f"{kind_of_sentences(str(row['harm']))}sentence"
    if words > 0 and suite is not None and not filled:  # texts of the user's own
        further = f'Suite.build("{attribute}")' if python else "the same command without --texts"
        thin = f"these texts hold too few different words to decide about {names}"
        return f"{thin}: add texts with other words, or test our templates with all words ({further})."
    asked = [f"{count(sources, unit)}{f' ({own})' if filled else ''}"] if sources > 0 else []
    if words > 0:
        own = "terms= of Suite.build" if python else "--terms FOLDER"
        spare = int(row["n_terms_available"]) - int(row["n_terms"])
        if filled and spare >= words:
            own = "a larger max_terms" if python else "a larger --max-terms"
        elif filled and spare > 0:
            larger = "a larger max_terms" if python else "a larger --max-terms"
            own = f"{spare:,} with {larger}, the others with {own}"
        elif filled:
            own = f"all {int(row['n_terms'])} are used: {own}"
        alike = undecided[undecided["n_more_words"] == words] if len(undecided) else records[:0]
        whom = group_phrase(str(row["group"]), attribute) if len(alike) < 2 else "each group"
        asked.append(f"{count(words, 'more word')} for {whom}{f' ({own})' if suite is not None else ''}")
    first = records.iloc[0]
    others = "the other groups of " if first["status"] == SUSPECTED and first["group"] != row["group"] else ""
    return f"to decide about {others}{names}, add about {' and '.join(asked)}." if asked else ""


def kind_of_sentences(harm: str) -> str:
    """Which sentences a harm is about: "positive ", "non-negative ", or ""."""
    known = known_harm(harm)
    if known is None or not known.label:
        return ""
    return {"missed": f"{known.label} ", "called": f"non-{known.label} "}.get(known.kind, "")
