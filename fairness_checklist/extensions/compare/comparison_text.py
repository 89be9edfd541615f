"""What `compare` and `gate` say. It computes nothing."""

from __future__ import annotations

import math
import shlex
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import pandas as pd

from fairness_checklist.core.errors import count
from fairness_checklist.core.formatting import capitalise, join_names
from fairness_checklist.extensions.compare.changes import BETTER, EQUAL, OPEN, SMALL_GAP, WORSE
from fairness_checklist.extensions.compare.gate_config import GateReason
from fairness_checklist.findings.records import FAIL, INCONCLUSIVE, PASS, Reason
from fairness_checklist.reports.finding_text import signed_points
from fairness_checklist.reports.wording import group_phrase

if TYPE_CHECKING:
    from fairness_checklist.extensions.compare.compare import Comparison
    from fairness_checklist.extensions.compare.gate import Gate

_SHOWN = {WORSE: 5, BETTER: 3, OPEN: 2, FAIL: 5, INCONCLUSIVE: 4}  # how many rows of a verdict or decision are listed
MEANING = {
    PASS: "every group's gap is shown to be below its limit",
    FAIL: "a gap is shown to be above its limit",
    INCONCLUSIVE: "no gap is shown to be above its limit, but some may be",
}
REASONS: dict[str, str] = {
    GateReason.WORSE_THAN_BASELINE: "worse than in the baseline",
    GateReason.AS_BASELINE: "no larger than in the baseline",
    GateReason.WAIVED: "waived by {owner} until {expires}: {why}",
    GateReason.EXPIRED: "the waiver of {owner} expired on {expires}",
}
"""What the code of a reason says; those of open findings are words themselves."""


def comparison_lines(comparison: Comparison) -> list[str]:
    """The answer of a comparison: what was compared, the verdicts of each attribute, and the next step."""
    info, changes = comparison.info, comparison.changes
    lines = [
        f"{info['task']} · old model {info['base'] or 'not recorded'}, new model {info['new'] or 'not recorded'} · "
        f"{_units(changes)} · equal: within {_size(info['margin'])} (--margin)"
    ]
    for attribute, n_texts in comparison.n_texts.items():
        rows = changes[changes["attribute"] == attribute]
        lines.append(f"{attribute}: {_verdict(rows, float(info['margin']))}; {count(n_texts, 'text')}.")
        aside = rows["reason_code"] == SMALL_GAP
        for verdict in (WORSE, BETTER, OPEN):
            first, more = _first(rows[(rows["verdict"] == verdict) & ~aside], verdict)
            lines += [f"  {verdict:<6}  {change_text(row)}" for row in first] + more
        if aside.any():
            n = count(int(aside.sum()), "more gap")
            lines.append(f"  {OPEN:<6}  {n} changed of groups that neither model treats worse by more than the margin")
    return [*lines, f"Next: {_next_of_comparison(comparison)}"]


def _verdict(rows: pd.DataFrame, margin: float) -> str:
    n = rows["verdict"].value_counts().to_dict()
    if not len(rows):
        return "nothing could be compared"
    if n.get(EQUAL, 0) == len(rows):
        return f"each of {count(len(rows), 'gap')} changed by less than {_size(margin)}"
    counted = [f"{n[name]:,} {name}" for name in (WORSE, BETTER, EQUAL, OPEN) if name in n]
    return f"{count(len(rows), 'gap')}: {', '.join(counted)}"


def _first(rows: pd.DataFrame, name: str) -> tuple[list[dict[Any, Any]], list[str]]:
    """The first rows of a verdict or decision, and a line that counts the others."""
    shown = _SHOWN[name]
    more = [f"  {name:<6}  {len(rows) - shown:,} more (--tables)"] if len(rows) > shown else []
    return rows.head(shown).to_dict("records"), more


def change_text(row: Mapping[Any, Any]) -> str:
    """One change: whom, which error, both gaps, the change with its bounds, and the word that carries it."""
    if math.isnan(row["change"]):
        return f"{_whom(row)}: gap not known; {row['reason_code']}"
    shown = row["verdict"] in (WORSE, BETTER)
    low, high = (row[name] if shown else row[f"{name}_alone"] for name in ("low", "high"))
    bounds = "" if math.isnan(low) else f" ({signed_points(low)} to {signed_points(high)})"
    both = f"gap from {signed_points(row['base_gap'])} to {signed_points(row['new_gap'])}"
    parts = [f"{both}, change {signed_points(row['change'])}{bounds} points"]
    if row["reason_code"]:
        parts.append(REASONS.get(row["reason_code"], row["reason_code"]))
    if row["reason_code"] == Reason.CARRIED:
        parts[-1] += f': "{row["carried_by"]}"'
    return f"{_whom(row)}: {'; '.join(parts)}"


def _next_of_comparison(comparison: Comparison) -> str:
    if WORSE in set(comparison.changes["verdict"]):
        return "read the texts that changed most (--tables)."
    if (comparison.changes["reason_code"].replace(SMALL_GAP, "") != "").any():
        return "to decide, run both models with more words and sentences (fairness-checklist plan)."
    if not all(comparison.runs):
        return "gate the new model: fc.gate(new, baseline=old)"
    old, new = map(shlex.quote, comparison.runs)
    return f"gate the new model: fairness-checklist gate {new} --baseline {old}"


def gate_lines(gate: Gate) -> list[str]:
    """The decision, the comparisons that failed or are open, and what would decide them."""
    rows, config = gate.comparisons, gate.config
    counted = [f"{int((rows['decision'] == name).sum()):,} {name}" for name in (PASS, FAIL, INCONCLUSIVE)]
    meaning = MEANING[gate.decision]
    if gate.comparison is not None and gate.decision == PASS:
        meaning += f", or grew by less than {_size(gate.comparison.info['margin'])}"
    failed = rows.loc[rows["decision"] == FAIL, "reason_code"]
    if len(failed) and (failed == GateReason.WORSE_THAN_BASELINE).all():
        meaning = "a gap is shown to be larger than in the baseline"
    waived = int((rows["reason_code"] == GateReason.WAIVED).sum())
    meaning += ", or waived" if waived and gate.decision == PASS else ""
    others = f", {count(len(config.limits), 'other limit')} by attribute" if config.limits else ""
    groups = gate.results.findings.drop_duplicates(["attribute", "group"])
    used, available = int(groups["terms"].sum()), int(groups["terms_available"].sum())
    coverage = f" {used:,} of {available:,} terms." if used < available else ""
    lines = [
        f"Gate: {gate.decision}. {capitalise(meaning)}. Limit {_size(config.limit)}{others}; {_units(rows)}.",
        f"{count(len(rows), 'comparison')} of groups and errors: {', '.join(counted)}.{coverage}",
    ]
    for decision in (FAIL, INCONCLUSIVE):
        first, more = _first(rows[rows["decision"] == decision], decision)
        lines += [f"  {decision}  {row_text(gate, row)}" for row in first] + more
    lines += [f"{count(waived, 'comparison')} waived (--tables)."] if waived else []
    return [*lines, *_next_of_gate(gate, bool(coverage))]


def row_text(gate: Gate, row: Mapping[Any, Any]) -> str:
    """One comparison: whom, which error, the gap with the bound that decides, its limit, and why."""
    size = "gap not known"
    if not math.isnan(row["gap"]):
        size = f"gap {signed_points(row['gap'])} points"
        failed = row["decision"] == FAIL and row["low"] > row["limit"]
        word, bound = ("at least", row["low"]) if failed else ("up to", row["high_alone"])
        if not math.isnan(bound):  # with a tenth where it would round to the limit
            size += f" ({word} {100 * bound:.{int(round(100 * bound) == round(100 * row['limit']))}f})"
    change = "" if math.isnan(row["change"]) else f", change {signed_points(row['change'])}"
    reason = gate_reason(gate, row)
    return f"{_whom(row)}: {size}{change}, limit {100 * row['limit']:.3g}{f'; {reason}' * bool(reason)}"


def gate_reason(gate: Gate, row: Mapping[Any, Any]) -> str:
    """The reason for the decision about a comparison; "" where the bounds alone decide."""
    code = str(row["reason_code"])
    waiver = gate.config.waiver_of(row)
    about = {} if waiver is None else {"owner": waiver.owner, "expires": waiver.expires, "why": waiver.reason}
    return REASONS[code].format(**about) if code in REASONS else code


def _next_of_gate(gate: Gate, some_terms: bool) -> list[str]:
    """What to do: read, or what would decide."""
    if gate.decision == PASS:
        return []
    if gate.decision == FAIL:
        report = f": fairness-checklist report {shlex.quote(gate.folder)}" if gate.folder else " of this run."
        return [f"Next: read the texts that show it in the report{report}"]
    more = "use all terms" if some_terms else "add words and sentences (fairness-checklist plan)"
    return [f"Next: {more}, set another limit, or --baseline OLD."]


def _whom(row: Mapping[Any, Any]) -> str:
    return f"{group_phrase(str(row['group']), str(row['attribute']))}, {row['title']}"


def _units(rows: pd.DataFrame) -> str:
    named = {"decisions": "share of decisions", "probability": "mean probability of the error"}
    return join_names([named[unit] for unit in rows["unit"].unique()])


def _size(share: float) -> str:
    return f"{100 * share:.3g} point{'' if share == 0.01 else 's'}"
