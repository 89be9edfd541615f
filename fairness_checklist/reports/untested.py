"""What a run did not test, what to do next, and what the comparison with neutral words rests on."""

from __future__ import annotations

from collections import Counter
from typing import Any

from fairness_checklist.analysis.run_view import View
from fairness_checklist.core.errors import count
from fairness_checklist.core.formatting import join_names
from fairness_checklist.core.tasks import known_harm
from fairness_checklist.findings.status import STATUSES
from fairness_checklist.reports.wording import group_phrase, terms_of
from fairness_checklist.tables.run_folder import LIST_SEPARATOR, Results

_LARGE = 0.1  # a gap that a suite should be able to show


def untested(results: Results, view: View) -> list[str]:
    """What an attribute of a run did not test, a line each."""
    attribute = view.attribute
    records = results.findings[results.findings["attribute"] == attribute]
    few = records[records["status"] == STATUSES[3]]
    lines = []
    if len(few):
        names = [group_phrase(str(one), attribute) for one in dict.fromkeys(few["group"])]
        lines.append(f"Too few to say for {join_names(names, 4)}: {few['note'].iloc[0]}.")
    recorded: dict[str, Any] = results.info.get("findings", {}).get(attribute, {})
    for name, why in recorded.get("left_out", {}).items():
        harm = known_harm(name)
        lines.append(f"The error {harm.title if harm else name}: {why}." if name != "*" else f"No comparison: {why}.")
    groups = records.drop_duplicates("group")
    used, there = int(groups["n_terms"].sum()), int(groups["n_terms_available"].sum())
    if there > used:
        lines.append(f"{there - used:,} of the {there:,} {terms_of(attribute)} in the file: a random sample was used.")
    none = records[records["status"] == STATUSES[2]]
    if len(none) and none["detectable_gap"].notna().any():
        seen = 100 * float(none["detectable_gap"].max())
        lines.append(f"Gaps smaller than {seen:.0f} points: in some comparison they could go unseen.")
    dropped = [str(one.get("reason", "")) for one in results.info.get("dropped", {}).get(attribute, [])]
    if dropped:
        reason = Counter(dropped).most_common(1)[0][0]
        lines.append(f"{count(len(dropped), 'template')} that a group cannot fill, most often because {reason}.")
    sources = int(view.examples["source"].nunique()) if view.unit == "source" else 0
    what = f"texts other than these {count(sources, 'sentence')}" if sources else "texts other than these rows"
    tidy = "Synthetic sentences are shorter and tidier than real ones."
    return [*lines, f"Other attributes, other languages and dialects, and {what}. {tidy}"]


def next_step(results: Results, attribute: str) -> str:
    """What to do next about an attribute, as a command."""
    records = results.findings[results.findings["attribute"] == attribute]
    if not len(records):
        return ""
    found = records[records["status"].isin(STATUSES[:2])].sort_values("gap", ascending=False)
    cut = bool((records["n_terms_available"] > records["n_terms"]).any())
    larger = (
        "run it again with a larger --max-terms, or without it"
        if cut
        else "add templates of your own (--templates FOLDER)"
    )
    if len(found):
        first = found.iloc[0]
        words = [one for one in str(first["carried_by"]).split(LIST_SEPARATOR) if one]
        look = "read the sentences above with somebody who knows the group"
        if words and first["scope"] == "group":
            quoted = join_names([f'"{one}"' for one in words], 3)
            look = f"look at {quoted} first: without it the gap is at least a third smaller, or no longer certain"
        if first["status"] == STATUSES[1]:
            return f"{look}; to learn whether the gap is real, {larger}."
        return f"{look}; then follow the figure of `fairness-checklist report DIR --kpi` from version to version."
    if (records["status"] == STATUSES[3]).all():
        return f"{larger}: there are too few for any comparison."
    if (records["detectable_gap"] > _LARGE).any():
        return f"to show smaller gaps, {larger}."
    return 'keep this suite as a regression test: `run --fail-if "gap>0.1"`.'


def placebo_lines(results: Results, attribute: str) -> list[str]:
    """What the comparison with neutral words rests on; [] without one."""
    recorded: dict[str, Any] = results.info.get("findings", {}).get(attribute, {}).get("placebo", {})
    if not recorded:
        return []
    text = (
        f"{recorded.get('concepts', 0):,} neutral concepts ({recorded.get('lexemes', 0):,} words) stand in the same "
        f"sentences, {recorded.get('texts', 0):,} texts. Groups of as many words as this attribute's groups were drawn "
        "from them 1,000 times, and the largest gap of each draw was kept."
    )
    note = recorded.get("note", "")
    return [text, f"Limit: {note}."] if note else [text]
