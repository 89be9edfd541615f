"""The decision of a gate in words, as Markdown and as JUnit XML. It computes nothing."""

from __future__ import annotations

import math
import shlex
from collections.abc import Mapping
from typing import Any
from xml.etree import ElementTree

from fairness_checklist.core.errors import count
from fairness_checklist.core.formatting import capitalise
from fairness_checklist.extensions.compare.gate import FAIL, INCONCLUSIVE, NOT_CLEAR, OTHER_UNIT, PASS, WAIVED, Gate
from fairness_checklist.extensions.compare.gate_config import UNITS
from fairness_checklist.reports.finding_text import whole_points
from fairness_checklist.reports.wording import group_phrase

_SHOWN = 4
_MOST_WORDS = 60  # more of a group are not asked for
_MEANING = {
    PASS: "every gap is shown to be below its limit",
    FAIL: "a gap is shown to be above its limit",
    INCONCLUSIVE: "no gap is shown to be above its limit, but some may be",
}


def gate_lines(gate: Gate) -> list[str]:
    """The decision, the comparisons that failed or are open, and what would decide them."""
    rows, config = gate.comparisons, gate.config
    counted = [f"{int((rows['decision'] == name).sum()):,} {name}" for name in (PASS, FAIL, INCONCLUSIVE)]
    meaning = _MEANING[gate.decision]
    if gate.decision != INCONCLUSIVE and gate.comparison is not None:
        below = f"below its limit or grew by less than {whole_points(config.margin)}"
        meaning = f"every gap is shown to be {below}" if gate.decision == PASS else f"{meaning}, or worse than before"
    waived = int((rows["reason_code"] == WAIVED).sum())
    meaning += ", or waived" if waived and gate.decision == PASS else ""
    lines = [
        f"Gate: {gate.decision}. {capitalise(meaning)} ({limits_text(gate)}).",
        f"{count(len(rows), 'comparison')} of groups and errors: {', '.join(counted)}.{_coverage(gate)}",
    ]
    for decision in (FAIL, INCONCLUSIVE):
        listed = rows[rows["decision"] == decision]
        lines += [f"  {capitalise(decision)}: {row_text(row)}" for row in listed.head(_SHOWN).to_dict("records")]
        if len(listed) > _SHOWN:
            lines.append(f"  {len(listed) - _SHOWN:,} more {decision} (--tables).")
    lines += [f"{count(waived, 'comparison')} waived (--tables)."] if waived else []
    if _unit(gate) == UNITS[0]:
        lines.append(
            "Unit: mean probability of the error. The report leads with wrong decisions where they show a gap "
            "(--unit decisions)."
        )
    if rows.loc[rows["decision"] != PASS, "high"].notna().any():
        lines.append(
            "Lower bounds hold for all comparisons together, upper ones for each alone: the report's are wider."
        )
    return [*lines, *_next(gate)]


def _coverage(gate: Gate) -> str:
    """How many of the terms took part, " 75 of 92 terms."; "" where all did."""
    groups = gate.results.findings.drop_duplicates(["attribute", "group"])
    used, there = int(groups["n_terms"].sum()), int(groups["n_terms_available"].sum())
    return f" {used:,} of {there:,} terms." if used < there else ""


def limits_text(gate: Gate) -> str:
    """The limits in words: "limit 10 points in probability"."""
    config = gate.config
    others = f", {count(len(config.limits), 'other limit')} by attribute" if config.limits else ""
    return f"limit {whole_points(config.limit)} in {_unit(gate)}{others}"


def row_text(row: Mapping[Any, Any]) -> str:
    """One comparison: whom, which error, the gap with its bounds and limit, and why."""
    whom = capitalise(group_phrase(str(row["group"]), str(row["attribute"])))
    size = "gap not known"
    if not math.isnan(row["gap"]):
        size = f"gap {whole_points(row['gap'])}"
        bounds = [f"at least {_bound(row['low'], row['limit'])}"] if row["low"] > 0 else []
        bounds += [f"at most {_bound(row['high'], row['limit'])}"] if not math.isnan(row["high"]) else []
        size += f" ({', '.join(bounds)})" if bounds else ""
    change = "" if math.isnan(row["change"]) else f", change {whole_points(row['change'])}"
    reason = f"; {row['reason']}" if row["reason"] else ""
    return f"{whom}, {row['title']}: {size}, limit {whole_points(row['limit'])}{change}{reason}."


def _bound(value: float, limit: float) -> str:
    """A bound in points, with a tenth where it would round to the limit."""
    return f"{100 * value:.1f}" if round(100 * value) == round(100 * limit) else whole_points(value).split()[0]


def _unit(gate: Gate) -> str:
    """The unit of the gaps: without probabilities decisions, whatever was asked for."""
    return UNITS[1] if (gate.results.findings["measure"] == "rate").all() else gate.config.unit


def _next(gate: Gate) -> list[str]:
    """What to do: read, or what would decide."""
    rows, coverage = gate.comparisons, _coverage(gate)
    if gate.decision == FAIL or rows["reason_code"].isin((NOT_CLEAR, OTHER_UNIT)).any():
        report = f": fairness-checklist report {shlex.quote(gate.folder)}" if gate.folder else " of this run."
        what = "the texts that show it" if gate.decision == FAIL else "the findings that are above the limit"
        return [f"Next: read {what} in the report{report}"]
    if gate.decision == PASS:
        return []
    needed = rows[rows["n_more_sources"] > 0]
    words, sources = (int(needed[name].max()) if len(needed) else 0 for name in ("n_more_words", "n_more_sources"))
    if len(needed) < (rows["decision"] == INCONCLUSIVE).sum() or words > _MOST_WORDS:
        more = "use all terms, " if coverage else ""
        return [
            f"Next: some gaps are close to the limit or have few words: {more}set another limit, or --baseline OLD."
        ]
    more = f"about {count(words, 'more word')} a group and " if words else ""
    return [f"Next: add {more}{count(sources, 'more sentence')} (fairness-checklist plan), or set a higher limit."]


def markdown(gate: Gate) -> str:
    """The decision for a summary page of a continuous integration: a heading, the sentence and a table."""
    head = ("decision", "attribute", "group", "error", "gap", "upper bound", "limit", "reason")
    lines = [f"## Fairness gate: {gate.decision}", "", *(line.strip() for line in gate_lines(gate)[:2]), ""]
    lines += ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    for row in gate.comparisons.to_dict("records"):
        figures = [f"{100 * row[name]:.1f}" if not math.isnan(row[name]) else "" for name in ("gap", "high", "limit")]
        cells = [row["decision"], row["attribute"], row["group"], row["title"], *figures, row["reason"]]
        lines.append("| " + " | ".join(str(cell).replace("|", "\\|") for cell in cells) + " |")
    return "\n".join([*lines, ""])


def junit_xml(gate: Gate) -> str:
    """The comparisons as test cases of JUnit XML: failed, skipped with the reason (inconclusive), or passed."""
    rows = gate.comparisons
    counted = {name: str(int((rows["decision"] == name).sum())) for name in (FAIL, INCONCLUSIVE)}
    figures = {"tests": str(len(rows)), "failures": counted[FAIL], "errors": "0", "time": "0"}
    root = ElementTree.Element("testsuites", {"name": "fairness-checklist", **figures})
    skipped = {"skipped": counted[INCONCLUSIVE]}  # which the schema has of a suite only
    suite = ElementTree.SubElement(root, "testsuite", {"name": "fairness gate", **figures, **skipped})
    for row in rows.to_dict("records"):
        name = {"classname": f"fairness.{row['attribute']}", "name": f"{row['group']}: {row['title']}", "time": "0"}
        case = ElementTree.SubElement(suite, "testcase", name)
        if row["decision"] != PASS:
            tag = "failure" if row["decision"] == FAIL else "skipped"
            ElementTree.SubElement(case, tag, {"message": row_text(row)}).text = row_text(row)
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"
