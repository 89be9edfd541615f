"""Forest plots: the groups with their bounds around the line of equal treatment, and a dot for each term."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from fairness_checklist.core.errors import count
from fairness_checklist.core.formatting import capitalise, join_names
from fairness_checklist.core.options import RELEVANT
from fairness_checklist.core.replicates import OUTCOME_WORDS
from fairness_checklist.findings.records import strongest_first
from fairness_checklist.findings.status import CLEAR, CLEAR_SMALL, FOUND, NONE_FOUND, SUSPECTED, TOO_FEW, Reason
from fairness_checklist.reports.finding_text import (
    STATUS_WORDS,
    gap_bounds,
    is_about_words,
    leads_with_rates,
    shown_rates,
    whole_points,
)
from fairness_checklist.reports.pairs import HarmTexts
from fairness_checklist.reports.render import Dot, Plot, PlotRow
from fairness_checklist.reports.wording import group_phrase, reason_words
from fairness_checklist.tables.run_folder import Results

_NAMED_DOTS = 24
"""Terms of a group that are named; the others are dots without a name."""
_HEADS = ("error, this group", "others", "gap, with its bounds")


def forests(
    records: pd.DataFrame,
    terms: pd.DataFrame,
    texts: Mapping[str, HarmTexts | None] | None = None,
    *,
    relevant: float = RELEVANT,
) -> list[Plot]:
    """A plot for each harm of an attribute, its rows with the strongest finding first.

    Args:
        records: of the attribute's groups.
        terms: the records of its terms.
        texts: for each harm the texts that it concerns, for the row of the unmarked ones.
        relevant: the smallest relevant gap.
    """
    plots: list[Plot] = []
    for harm in dict.fromkeys(map(str, records["harm"])):
        of_harm = (records[records["harm"] == harm], terms[terms["harm"] == harm], (texts or {}).get(harm))
        plots.append(_forest(*of_harm, relevant=relevant, explained=not plots))
    return plots


def _forest(
    records: pd.DataFrame, terms: pd.DataFrame, texts: HarmTexts | None, *, relevant: float, explained: bool
) -> Plot:
    ranked = strongest_first(records)
    units = plotted_in_decisions(ranked)
    rates = units[ranked["group"].iloc[0]]
    ranked, terms = (with_places(rows, [units.get(g, rates) for g in rows["group"]]) for rows in (ranked, terms))
    ranked = strongest_first(ranked, by="at")
    rows = [
        _row(row, terms[terms["group"] == row["group"]], rates=units[row["group"]], of_plot=rates)
        for row in ranked.to_dict("records")
    ]
    first = records.iloc[0]
    unit = "" if first["measure"] == "rate" else f" in {unit_of(rates)}"
    if control := texts.unmarked() if texts is not None else {}:
        rows.append(_control_row(control, unit, rates=rates))
    measured, right = _measured(str(first["harm"]), rates=rates)
    parts = [
        f"{_size(records, texts)} Gap to the other groups, in percentage points of {measured}. Right of the line at 0: "
        f"{right}."
    ]
    if explained:
        parts.append(
            "Bar: from the lower to the upper bound, each of which holds in 95 of 100 runs, for all groups and errors "
            f"together. Thin lines: {whole_points(relevant)}, the smallest relevant gap."
        )
    if explained and any(row.dots for row in rows):
        parts.append(
            "Small dots: single terms, each compared with all other terms, also those of its group; red where the word "
            "is a clear finding of its own. Point at one, or reach it with the tab key, to see its name."
        )
    if placebo := placebo_sizes(ranked, rates=rates):
        parts.append(f"Grey band: {placebo}.")
    words = "words" if records["n_terms"].any() else "rows"
    parts.append(f"The order of the groups is about these {words}, and may differ for others.")
    return Plot(
        title=capitalise(str(first["title"])),
        caption=" ".join(parts),
        heads=_HEADS,
        rows=tuple(rows),
        relevant=relevant,
        unit=unit_of(rates),
    )


def term_plot(terms: pd.DataFrame, n: int | None, *, relevant: float) -> Plot:
    """The n terms of a harm with the largest gaps to all other terms; all with None."""
    ranked = terms[terms["gap"].notna()].sort_values("gap", ascending=False, kind="stable")
    rows = ranked if n is None else ranked.head(n)
    rates = bool((rows["measure"] == "rate").any())
    placed = with_places(rows, rates).assign(term=rows["term"] + " (" + rows["group"] + ")")
    cut = f" ({len(rows):,} of {len(ranked):,} terms)" if len(rows) < len(ranked) else ""
    return Plot(
        title=f"{capitalise(str(terms['title'].iloc[0]))}{cut}",
        caption="Gap to the other terms in percentage points: right of 0 is worse. Line: from the lower to the upper "
        "bound. Dotted: the smallest relevant gap.",
        heads=_HEADS,
        rows=tuple(_row(row, placed[:0], rates=rates, of_plot=rates) for row in placed.to_dict("records")),
        relevant=relevant,
        unit=unit_of(rates),
    )


def plotted_in_decisions(ranked: pd.DataFrame) -> dict[str, bool]:
    """Whether the row of each group shows decisions, else probability: what is claimed in the unit of its sentence, and
    all else in that of the strongest record, the first."""
    leads = [leads_with_rates(row) for row in ranked.to_dict("records")]
    claimed = ranked["status"].isin((*FOUND, CLEAR_SMALL)) | (ranked["reason"] == Reason.BETTER)
    return dict(zip(ranked["group"], map(bool, np.where(claimed, leads, leads[:1])), strict=True))


def with_places(records: pd.DataFrame, rates: bool | Sequence[bool]) -> pd.DataFrame:
    """Records with the columns ``at``, ``low``, ``high`` and ``band``: what is plotted, in decisions or probability."""
    names = ("gap", "ci_low", "ci_high", "placebo_gap"), ("rate_gap", "rate_ci_low", "rate_ci_high", "placebo_rate_gap")
    chosen = np.broadcast_to(rates, len(records))
    places = {
        place: np.where(chosen, records.get(rate, math.nan), records.get(gap, math.nan))
        for place, gap, rate in zip(("at", "low", "high", "band"), *names, strict=True)
    }
    return records.assign(**places)


def unit_of(rates: bool) -> str:
    """The name of the unit of a gap."""
    return "decisions" if rates else "probability"


def _size(records: pd.DataFrame, texts: HarmTexts | None) -> str:
    """The texts that a harm concerns, and the sentences that they are made from."""
    first = records.iloc[0]
    n, independent = int(first["n"]) + int(first["n_others"]), int(records["n_sources"].max())
    noun = "row" if texts is None or not (texts.frame["term"] != "").any() else "text"
    size = f"{count(n, noun)} can show this error"
    if texts is None or not texts.sentences:
        return f"{size}."
    same = f"; rewordings taken together, {independent:,}" if independent < texts.sentences else ""
    return f"{size}, from {count(texts.sentences, 'sentence')}{same}."


def relevant_gap(results: Results) -> float:
    """The smallest relevant gap of a run."""
    return float(results.info.get("options", {}).get("relevant", RELEVANT))


def placebo_sizes(records: pd.DataFrame, *, rates: bool) -> str:
    """How far apart as many groups of placebo words lie, in the unit of the plot; "" where they were not compared.

    >>> placebo_sizes(pd.DataFrame({"scope": ["group", "words", "group"], "placebo_gap": [0.0618, 0.02, 0.0618]}),
    ...               rates=False)
    'the largest gap of 2 groups of placebo words is at most 6 points, of 1 group of fewer than five words 2 points'
    """
    name = "placebo_rate_gap" if rates else "placebo_gap"
    sizes = records.dropna(subset=name).groupby("scope")[name].agg(["size", "max"]).to_dict("records")
    words = ("placebo words is at most", "fewer than five words")  # the scope "group" comes first
    parts = [
        f"{count(size['size'], 'group')} of {kind} {whole_points(size['max'])}"
        for kind, size in zip(words, sizes, strict=False)
    ]
    return f"the largest gap of {', of '.join(parts)}" if parts else ""


def _measured(harm: str, *, rates: bool) -> tuple[str, str]:
    """What the gap is a difference of, and what a gap above 0 means."""
    if (outcome := OUTCOME_WORDS.get(harm)) is not None:
        return "the answers", f"more of the answers on the group {outcome}"
    if rates:
        return "the decisions", "more of the decisions on the group are this error"
    return "the mean probability", "this error is more probable for the group"


def _row(row: Mapping[Any, Any], terms: pd.DataFrame, *, rates: bool, of_plot: bool) -> PlotRow:
    """A group or a term: its place and bounds, and its figures in words."""
    status, unit = str(row["status"]), "" if rates == of_plot else f" in {unit_of(rates)}"
    return PlotRow(
        name=str(row["term"]) if "term" in row else group_phrase(str(row["group"]), str(row["attribute"])),
        status=status.replace(" ", "-"),
        label=STATUS_WORDS[status] if status != NONE_FOUND else "",
        **{name: float(row[name]) for name in ("at", "low", "high", "band")},
        cells=(*shown_rates(row), gap_text(row)),
        text=f"{gap_bounds(row, rates=rates)}{unit}",
        note="" if "term" in row else _note(row, f"plotted{unit}" if unit else ""),
        dots=_dots(terms),
    )


def _control_row(control: Mapping[str, float], unit: str, *, rates: bool) -> PlotRow:
    """The texts without an identity beside all others of the same sentences."""
    decisions = control["rate"] - control["others_rate"]
    place = decisions if rates else control["gap"]
    text = f"{whole_points(place)}{unit}"
    if unit and not rates:
        text = f"in decisions {whole_points(decisions)}, in probability {whole_points(place)}"
    return PlotRow(
        name="unmarked",
        status="unmarked",
        at=place,
        cells=(*shown_rates(control), text),
        text=text,
        note=f"({count(int(control['n']), 'text')} without an identity, beside the others of the same sentences)",
    )


def gap_text(row: Mapping[Any, Any], *, both: bool = True) -> str:
    """The gap of a record with its bounds, in decisions and in probability; else in the unit of its sentence.

    >>> record = dict(measure="probability", rate=0.29, others_rate=0.11, rate_gap=0.18, rate_ci_low=0.07,
    ...               rate_ci_high=0.29, gap=0.15, ci_low=0.06, ci_high=0.24)
    >>> gap_text(record)
    'in decisions 18 points (at least 7, at most 29), in probability 15 points (at least 6, at most 24)'
    >>> gap_text(record, both=False), gap_text(record | {"rate_ci_low": -0.01}, both=False)
    ('18 points (at least 7, at most 29) in decisions', '15 points (at least 6, at most 24) in probability')
    """
    if not (bounds := gap_bounds(row)):
        return "not known"
    if row["measure"] == "rate":
        return bounds
    if not both:
        return f"{bounds} in {unit_of(leads_with_rates(row))}"
    return f"in decisions {gap_bounds(row, rates=True)}, in probability {gap_bounds(row, rates=False)}"


def _dots(terms: pd.DataFrame) -> tuple[Dot, ...]:
    """A dot for the terms of one place; where there are many, those far from 0 and findings are named."""
    terms = terms[terms["at"].notna()]
    terms = terms.assign(found=terms["status"] == CLEAR, far=-terms["at"].abs(), place=terms["at"].round(3))
    ordered = terms.sort_values(["found", "far"], ascending=[False, True], kind="stable")
    dots = []
    for k, ((_, found), same_place) in enumerate(ordered.groupby(["place", "found"], sort=False)):
        place = float(same_place["at"].iloc[0])
        text = f"{join_names([*same_place['term']], 5)} {f'{100 * place:+.0f}' if abs(place) >= 0.005 else '0'}"
        dots.append(Dot(place, text, found=bool(found), named=k < _NAMED_DOTS))
    return tuple(sorted(dots, key=lambda dot: dot.named))  # named ones are drawn last, so that nothing covers them


def _note(row: Mapping[Any, Any], unit: str) -> str:
    """Which words a finding is about, why a gap whose lower bound is above 0 is no clear finding, and the unit."""
    status, reason = str(row["status"]), row["reason"]
    parts = ["about these words only"] if is_about_words(row) and status in FOUND else []
    in_doubt = float(str(row["ci_low"])) > 0 and status in (SUSPECTED, NONE_FOUND) and reason
    if in_doubt and reason == Reason.AS_PLACEBO:
        parts.append("no more than placebo words differ")
    elif in_doubt or reason == Reason.BETTER or status in (TOO_FEW, CLEAR_SMALL):
        parts.append(reason_words(row))
    parts += [unit] if unit else []
    return f"({'; '.join(parts)})" if parts else ""
