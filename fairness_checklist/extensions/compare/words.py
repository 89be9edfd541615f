"""What `compare` and `gate` say. It computes nothing."""

from __future__ import annotations

import math
import shlex
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import pandas as pd

from fairness_checklist.core.errors import count
from fairness_checklist.core.formatting import capitalise, join_names
from fairness_checklist.extensions.compare.changes import BETTER, EQUAL, UNDECIDED, WORSE
from fairness_checklist.extensions.compare.gate_config import FAIL, INCONCLUSIVE, KEY, PASS, UNITS, GateReason
from fairness_checklist.reports.finding_text import SMALLEST_SEEN, leads_with_rates, whole_points
from fairness_checklist.reports.wording import group_phrase, reason_words

if TYPE_CHECKING:
    from fairness_checklist.extensions.compare.compare import Comparison
    from fairness_checklist.extensions.compare.gate import Gate

_SHOWN, _SHOWN_OF_GATE = 2, 4
_MOST_WORDS = 60  # more of a group are not asked for
_BOUNDS = ("change", "change_low", "change_high")
MEANING = {
    PASS: "every gap is shown to be below its limit",
    FAIL: "a gap is shown to be above its limit",
    INCONCLUSIVE: "no gap is shown to be above its limit, but some may be",
}
REASONS: dict[str, str] = {
    GateReason.TOO_FEW: "{finding}",
    GateReason.WORSE_THAN_BASELINE: "worse than in the baseline",
    GateReason.AS_BASELINE: "no larger than in the baseline",
    GateReason.NOT_CLEAR: "no clear finding ({status}{finding})",
    GateReason.OTHER_UNIT: "a clear finding of {lead}",
    GateReason.WAIVED: "waived by {owner} until {expires}: {why}",
    GateReason.EXPIRED: "the waiver of {owner} expired on {expires}",
}
"""What the code of a comparison's reason says."""


def comparison_lines(comparison: Comparison) -> list[str]:
    """The answer of a comparison: what was compared, the verdicts of each attribute, and the next step."""
    info = comparison.info
    rates = (comparison.changes["measure"] == "rate").all()
    unit = "share of decisions" if rates else "mean probability of the error, or decisions where these show the change"
    lines = [
        f"{info['task']} · old model {info['base'] or 'not recorded'}, new model {info['new'] or 'not recorded'} · "
        f"equal: within {whole_points(info['margin'])} (--margin) · unit: {unit}"
    ]
    for attribute, n_texts in comparison.n_texts.items():
        rows = comparison.changes[comparison.changes["attribute"] == attribute]
        lines += _attribute_lines(attribute, rows, n_texts, float(info["margin"]))
    return [*lines, f"Next: {_next_of_comparison(comparison)}"]


def _attribute_lines(name: str, rows: pd.DataFrame, n_texts: int, margin: float) -> list[str]:
    lines = [f"{name}: {_verdict(rows, margin)}, on {count(n_texts, 'text')}."]
    for verdict in (WORSE, BETTER):
        found = rows[rows["verdict"] == verdict]
        lines += [f"  {capitalise(verdict)}: {change_sentence(row)}" for row in found.head(_SHOWN).to_dict("records")]
        if len(found) > _SHOWN:
            named = [group_phrase(str(g), name) for g in dict.fromkeys(found["group"].iloc[_SHOWN:])]
            lines.append(f"  Also {verdict}: {join_names(named, 3)}.")
    undecided = rows[rows["verdict"] == UNDECIDED]
    if len(undecided):
        bounded, line = undecided[undecided["change_high"].notna()], f"  Undecided: {len(undecided):,} of {len(rows):,}"
        if not len(bounded):
            return [*lines, f"{line}: too few terms or sentences are shared."]
        line += f" ({'; '.join(_undecided(bounded))})."
        alone = rows["verdict"].isin((UNDECIDED, EQUAL)).all()
        lines.append(line + (f" The largest change: {change_sentence(bounded.iloc[0].to_dict())}" if alone else ""))
    return lines


def _is_open(rows: pd.DataFrame) -> pd.Series[bool]:
    """Whether the bounds of changes include 0: of these alone more data say more."""
    return (rows["change_low"] <= 0) & (rows["change_high"] >= 0)


def _undecided(rows: pd.DataFrame) -> list[str]:
    """What is known of undecided changes: when one group's gap changes, those of all others move the other way."""
    grew, shrank = int((rows["change_low"] > 0).sum()), int((rows["change_high"] < 0).sum())
    parts = [f"{grew:,} grew, to gaps that are not shown to be relevant"] if grew else []
    parts += [f"{shrank:,} shrank, from gaps that were not shown to be relevant"] if shrank else []
    if (n := int(_is_open(rows).sum())) > 0:
        unit = "decisions" if (rows["measure"] == "rate").all() else "probability"
        most = max(0.0, float(rows.loc[_is_open(rows), "change_high"].max()))
        grown = "in decisions only"
        if most >= SMALLEST_SEEN:
            seen = whole_points(float(rows.loc[_is_open(rows), "detectable_change"].max()))
            grown = f"none grew by more than {whole_points(most)} in {unit}; a change of {seen} would have been seen"
        parts.append(f"{n:,} may have changed either way, {grown}")
    return parts


def _verdict(rows: pd.DataFrame, margin: float) -> str:
    """The answer about an attribute in one clause."""
    if not len(rows):
        return "nothing could be compared"
    n = {name: int((rows["verdict"] == name).sum()) for name in (WORSE, BETTER, EQUAL, UNDECIDED)}
    if n[WORSE]:
        more = f", {n[BETTER]:,} better" if n[BETTER] else ""
        return f"the new model is worse in {n[WORSE]:,} of {count(len(rows), 'gap')}{more}"
    if n[BETTER]:
        return f"the new model is better in {n[BETTER]:,} of {count(len(rows), 'gap')}, worse in none"
    if n[EQUAL] == len(rows):
        return f"equal: each of {count(len(rows), 'gap')} changed by less than {whole_points(margin)}"
    return f"no gap is shown to be worse or better; {n[EQUAL]:,} of {len(rows):,} are equal within the margin"


def change_sentence(row: Mapping[Any, Any]) -> str:
    """One change, in decisions where it is beyond 0 in these as well."""
    rates = row["measure"] == "rate" or row["rate_change_low"] > 0 or row["rate_change_high"] < 0
    names, gap, unit = [*_BOUNDS], "gap", "probability"
    if rates:
        names, gap, unit = [f"rate_{name}" for name in _BOUNDS], "rate_gap", "decisions"
    change, low, high = (float(row[name]) for name in names)
    grown = change >= 0
    ends = sorted((low, high) if grown else (-high, -low))
    size = f"by {whole_points(abs(change))}"
    if not math.isnan(low):
        least, most = (f"{100 * end:.0f}" if abs(end) >= 0.02 else f"{100 * end:.1f}" for end in ends)
        size += f" (at least {least}, at most {most})" if ends[0] > 0 else f" (from {least} to {most})"
    verb = "grew" if grown else "shrank"
    whom = group_phrase(str(row["group"]), str(row["attribute"]))
    return (
        f"{whom}, {row['title']}: the gap to the other groups {verb} {size} in {unit}, from "
        f"{whole_points(float(row[f'base_{gap}'])).split()[0]} to {whole_points(float(row[f'new_{gap}']))}."
    )


def _next_of_comparison(comparison: Comparison) -> str:
    changes = comparison.changes
    if (changes["verdict"] == WORSE).any():
        return "read the texts that changed most (--tables)."
    if _is_open(changes[changes["verdict"] == UNDECIDED]).any():
        return (
            "to decide, run both models with more terms and templates (fairness-checklist plan), or a wider --margin."
        )
    if not all(comparison.runs):
        return "gate the new model: fc.gate(new, baseline=old)"
    old, new = map(shlex.quote, comparison.runs)
    return f"gate the new model: fairness-checklist gate {new} --baseline {old}"


def gate_lines(gate: Gate) -> list[str]:
    """The decision, the comparisons that failed or are open, and what would decide them."""
    rows, config = gate.comparisons, gate.config
    counted = [f"{int((rows['decision'] == name).sum()):,} {name}" for name in (PASS, FAIL, INCONCLUSIVE)]
    meaning = MEANING[gate.decision]
    if gate.decision != INCONCLUSIVE and gate.comparison is not None:
        below = f"below its limit or grew by less than {whole_points(config.margin)}"
        meaning = f"every gap is shown to be {below}" if gate.decision == PASS else f"{meaning}, or worse than before"
    waived = int((rows["reason_code"] == GateReason.WAIVED).sum())
    meaning += ", or waived" if waived and gate.decision == PASS else ""
    without_probabilities = (gate.results.findings["measure"] == "rate").all()
    unit = UNITS[1] if without_probabilities else config.unit
    others = f", {count(len(config.limits), 'other limit')} by attribute" if config.limits else ""
    groups = gate.results.findings.drop_duplicates(["attribute", "group"])
    used, available = int(groups["n_terms"].sum()), int(groups["n_terms_available"].sum())
    coverage = f" {used:,} of {available:,} terms." if used < available else ""
    lines = [
        f"Gate: {gate.decision}. {capitalise(meaning)} (limit {whole_points(config.limit)} in {unit}{others}).",
        f"{count(len(rows), 'comparison')} of groups and errors: {', '.join(counted)}.{coverage}",
    ]
    for decision in (FAIL, INCONCLUSIVE):
        listed = rows[rows["decision"] == decision]
        first = listed.head(_SHOWN_OF_GATE).to_dict("records")
        lines += [f"  {capitalise(decision)}: {row_text(gate, row)}" for row in first]
        if len(listed) > _SHOWN_OF_GATE:
            lines.append(f"  {len(listed) - _SHOWN_OF_GATE:,} more {decision} (--tables).")
    lines += [f"{count(waived, 'comparison')} waived (--tables)."] if waived else []
    if unit == UNITS[0]:
        lines.append(
            "Unit: mean probability of the error. The report leads with wrong decisions where they show a gap "
            "(--unit decisions)."
        )
    if rows.loc[rows["decision"] != PASS, "high"].notna().any():
        lines.append(
            "Lower bounds hold for all comparisons together, upper ones for each alone: the report's are wider."
        )
    return [*lines, *_next_of_gate(gate, bool(coverage))]


def row_text(gate: Gate, row: Mapping[Any, Any]) -> str:
    """One comparison: whom, which error, the gap with its bounds and limit, and why."""
    whom = capitalise(group_phrase(str(row["group"]), str(row["attribute"])))
    size = "gap not known"
    if not math.isnan(row["gap"]):
        size = f"gap {whole_points(row['gap'])}"
        bounds = [f"at least {_bound(row['low'], row['limit'])}"] if row["low"] > 0 else []
        bounds += [f"at most {_bound(row['high'], row['limit'])}"] if not math.isnan(row["high"]) else []
        size += f" ({', '.join(bounds)})" if bounds else ""
    change = "" if math.isnan(row["change"]) else f", change {whole_points(row['change'])}"
    reason = gate_reason(gate, row)
    return f"{whom}, {row['title']}: {size}, limit {whole_points(row['limit'])}{change}{f'; {reason}' * bool(reason)}."


def gate_reason(gate: Gate, row: Mapping[Any, Any]) -> str:
    """The reason for the decision about a comparison; "" where the bounds alone decide."""
    code, cell = str(row["reason_code"]), tuple(str(row[name]) for name in KEY)
    if not code:
        return ""
    records = gate.results.findings
    record = records[(records[KEY].astype("str") == list(cell)).all(axis=1)].iloc[0].to_dict()
    rates, finding = leads_with_rates(record), reason_words(record)
    waiver = next((waiver for waiver in gate.config.waivers if waiver.covers(*cell)), None)
    about = {} if waiver is None else {"owner": waiver.owner, "expires": waiver.expires, "why": waiver.reason}
    return REASONS[code].format(
        finding=f": {finding}" if finding and code == GateReason.NOT_CLEAR else finding,
        status=record["status"],
        lead=f"{whole_points(record['rate_gap' if rates else 'gap'])} in {UNITS[int(rates)]}",
        **about,
    )


def _bound(value: float, limit: float) -> str:
    """A bound in points, with a tenth where it would round to the limit."""
    return f"{100 * value:.1f}" if round(100 * value) == round(100 * limit) else whole_points(value).split()[0]


def _next_of_gate(gate: Gate, some_terms: bool) -> list[str]:
    """What to do: read, or what would decide."""
    rows = gate.comparisons
    if gate.decision == FAIL or rows["reason_code"].isin((GateReason.NOT_CLEAR, GateReason.OTHER_UNIT)).any():
        report = f": fairness-checklist report {shlex.quote(gate.folder)}" if gate.folder else " of this run."
        what = "the texts that show it" if gate.decision == FAIL else "the findings that are above the limit"
        return [f"Next: read {what} in the report{report}"]
    if gate.decision == PASS:
        return []
    needed = rows[rows["n_more_sources"] > 0]
    words, sources = (int(needed[name].max()) if len(needed) else 0 for name in ("n_more_words", "n_more_sources"))
    if len(needed) < (rows["decision"] == INCONCLUSIVE).sum() or words > _MOST_WORDS:
        more = "use all terms, " if some_terms else ""
        return [
            f"Next: some gaps are close to the limit or have few words: {more}set another limit, or --baseline OLD."
        ]
    more = f"about {count(words, 'more word')} a group and " if words else ""
    return [f"Next: add {more}{count(sources, 'more sentence')} (fairness-checklist plan), or set a higher limit."]
