"""A comparison in words. It computes nothing."""

from __future__ import annotations

import math
import shlex
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd

from fairness_checklist.core.errors import count
from fairness_checklist.core.formatting import capitalise, join_names
from fairness_checklist.extensions.compare.changes import BETTER, EQUAL, UNDECIDED, WORSE
from fairness_checklist.reports.finding_text import SMALLEST_SEEN, whole_percent, whole_points
from fairness_checklist.reports.wording import group_phrase

if TYPE_CHECKING:
    from fairness_checklist.extensions.compare.compare import Comparison

_SHOWN = 2
_BOUNDS = ("change", "change_low", "change_high")


def comparison_lines(comparison: Comparison) -> list[str]:
    """The answer of a comparison: what was compared, the verdicts of each attribute, and the next step."""
    info = comparison.info
    rates = (comparison.changes["measure"] == "rate").all()
    unit = "share of decisions" if rates else "mean probability of the error, or decisions where these show the change"
    lines = [
        f"{info['task']} · old model {info['base'] or 'not recorded'}, new model {info['new'] or 'not recorded'} · "
        f"equal: within {whole_points(info['margin'])} (--margin) · unit: {unit}"
    ]
    for record in comparison.accuracy.to_dict("records"):
        rows = comparison.changes[comparison.changes["attribute"] == record["attribute"]]
        lines += _attribute(rows, record, float(info["margin"]))
    return [*lines, f"Next: {_next(comparison)}"]


def _attribute(rows: pd.DataFrame, record: Mapping[Any, Any], margin: float) -> list[str]:
    name, shared = str(record["attribute"]), f"on {count(int(record['n']), 'text')} that both runs have"
    accuracy = ""
    if not math.isnan(record["base"]):
        accuracy = f" Accuracy {whole_percent(record['base'])} before, {whole_percent(record['new'])} now."
    others = f" {count(int(record['left_out']), 'text')} of one run only left out." if record["left_out"] else ""
    lines = [f"{name}: {_verdict(rows, margin)}, {shared}.{accuracy}{others}"]
    for verdict in (WORSE, BETTER):
        found = rows[rows["verdict"] == verdict]
        lines += [f"  {capitalise(verdict)}: {change_sentence(row)}" for row in found.head(_SHOWN).to_dict("records")]
        if len(found) > _SHOWN:
            named = [group_phrase(str(g), name) for g in dict.fromkeys(found["group"].iloc[_SHOWN:])]
            lines.append(f"  Also {verdict}: {join_names(named, 3)}.")
    open_rows = rows[rows["verdict"] == UNDECIDED]
    if len(open_rows):
        known, line = open_rows[open_rows["change_high"].notna()], f"  Undecided: {len(open_rows):,} of {len(rows):,}"
        if not len(known):
            return [*lines, f"{line}: too few terms or sentences are shared."]
        line += f" ({'; '.join(_undecided(known))})."
        alone = len(open_rows) + int((rows["verdict"] == EQUAL).sum()) == len(rows)
        lines.append(line + (f" The largest change: {change_sentence(known.iloc[0].to_dict())}" if alone else ""))
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


def leads_with_decisions(row: Mapping[Any, Any]) -> bool:
    """Whether the change is beyond 0 in decisions as well: then the sentence is about these."""
    return bool(row["measure"] == "rate" or row["rate_change_low"] > 0 or row["rate_change_high"] < 0)


def change_sentence(row: Mapping[Any, Any]) -> str:
    """One change: whom, which error, how large with its bounds, from what to what."""
    rates = leads_with_decisions(row)
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


def _next(comparison: Comparison) -> str:
    verdicts = set(comparison.changes["verdict"])
    if WORSE in verdicts:
        return "read the texts that changed most (--tables, or the page of --out)."
    if _is_open(comparison.changes[comparison.changes["verdict"] == UNDECIDED]).any():
        return (
            "to decide, run both models with more terms and templates (fairness-checklist plan), or a wider --margin."
        )
    if not all(comparison.runs):
        return "gate the new model: fc.gate(new, baseline=old)"
    old, new = map(shlex.quote, comparison.runs)
    return f"gate the new model: fairness-checklist gate {new} --baseline {old}"


def rank_lines(found: Sequence[Comparison]) -> list[str]:
    """Of several new models, how far each orders the groups as the old one does, by their gaps."""
    lines = []
    for name in dict.fromkeys(attribute for one in found for attribute in one.changes["attribute"]):
        shares = [rank_agreement(one.changes[one.changes["attribute"] == name]) for one in found]
        shown = join_names([f"{share:.2f}" if not math.isnan(share) else "not known" for share in shares])
        lines.append(f"{name}: rank correlation of the groups' gaps with those of the old model: {shown}.")
    return lines


def rank_agreement(changes: pd.DataFrame) -> float:
    """The mean rank correlation, over errors, of the groups' gaps in both models; NaN with fewer than three groups."""
    shares = [
        float(rows["base_gap"].corr(rows["new_gap"], method="spearman"))
        for _, rows in changes.dropna(subset=["base_gap", "new_gap"]).groupby("harm", sort=False)
        if len(rows) > 2
    ]
    return sum(shares) / len(shares) if shares else math.nan
