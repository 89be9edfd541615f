"""Forest plots: the groups with their bounds around the line of equal treatment, and a dot for each term.

A row of a plot is an SVG without a view box, whose positions are shares of its width: so it fits any column of the
page, and its text keeps its size.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from fairness_checklist.core.errors import count
from fairness_checklist.core.formatting import capitalise, join_names
from fairness_checklist.core.option_defaults import RELEVANT
from fairness_checklist.core.replicates import OUTCOME_WORDS
from fairness_checklist.findings.records import strongest_first
from fairness_checklist.findings.status import CLEAR, CLEAR_SMALL, FOUND, NONE_FOUND, SUSPECTED, TOO_FEW
from fairness_checklist.reports.finding_text import (
    STATUS_WORDS,
    gap_bounds,
    is_about_words,
    leads_with_rates,
    shown_rates,
    whole_points,
)
from fairness_checklist.reports.harm_texts import HarmTexts
from fairness_checklist.reports.wording import group_phrase
from fairness_checklist.tables.run_folder import Results

_NAMED_DOTS = 24
"""Terms of a group that are named; the others are dots without a name."""
_ROOM = 0.06  # of the width, left of the smallest and right of the largest value
_STEPS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5)


def forests(
    records: pd.DataFrame,
    terms: pd.DataFrame,
    texts: Mapping[str, HarmTexts | None] | None = None,
    *,
    relevant: float = RELEVANT,
) -> list[dict[str, Any]]:
    """A plot for each harm of an attribute as the template reads it, its rows with the strongest finding first.

    Args:
        records: of the attribute's groups.
        terms: the records of its terms.
        texts: for each harm the texts that it concerns, for the row of the unmarked ones.
        relevant: the smallest relevant gap.

    Returns:
        Places and widths are in percent of the width, as text.
    """
    return [
        _forest(records[records["harm"] == harm], terms[terms["harm"] == harm], (texts or {}).get(harm), relevant)
        for harm in dict.fromkeys(map(str, records["harm"]))
    ]


def _forest(records: pd.DataFrame, terms: pd.DataFrame, texts: HarmTexts | None, relevant: float) -> dict[str, Any]:
    ranked = strongest_first(records)
    units = plotted_in_decisions(ranked)
    rates = units[ranked["group"].iloc[0]]
    ranked, terms = (with_places(one, [units.get(g, rates) for g in one["group"]]) for one in (ranked, terms))
    ranked = strongest_first(ranked, by="at")
    control = unmarked_place(texts, rates=rates)
    ends = ranked[["at", "low", "high"]].to_numpy(float).ravel()
    values = [*ends, *terms["at"], *ranked["band"], *-ranked["band"], control.get("at", 0.0)]
    scale = Scale(*axis_ends(values, least=max(0.02, 1.2 * relevant)))
    rows = [
        _row(row, terms[terms["group"] == row["group"]], scale, rates=units[row["group"]], of_plot=rates)
        for row in ranked.to_dict("records")
    ]
    first = records.iloc[0]
    measured, right = _measured(str(first["harm"]), rates=rates)
    unit = "" if first["measure"] == "rate" else f" in {unit_of(rates)}"
    return {
        "title": capitalise(str(first["title"])),
        "size": _size(records, texts),
        "zero": scale.at(0.0),
        "relevant": [scale.at(-relevant), scale.at(relevant)],
        "ticks": scale.ticks(),
        "rows": [*rows, *([_control_row(control, unit, scale)] if control else [])],
        "measured": measured,
        "right": right,
        "placebo": placebo_sizes(ranked, rates=rates),
        "smallest": whole_points(relevant),
        "has_dots": any(row["dots"] for row in rows),
        "ranking": about_ranking(bool(records["n_terms"].any())),
    }


def plotted_in_decisions(ranked: pd.DataFrame) -> dict[str, bool]:
    """Whether the row of each group shows decisions, else probability: what is claimed in the unit of its sentence, and
    all else in that of the strongest record, the first."""
    leads = [leads_with_rates(row) for row in ranked.to_dict("records")]
    claimed = ranked["status"].isin((*FOUND, CLEAR_SMALL)) | ranked["note"].str.startswith("treated better")
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


def unmarked_place(texts: HarmTexts | None, *, rates: bool) -> dict[str, float]:
    """The figures of the unmarked texts with their place ``at``; {} without such texts."""
    figures = texts.unmarked() if texts is not None else {}
    return figures and figures | {"at": figures["rate"] - figures["others_rate"] if rates else figures["gap"]}


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


def about_ranking(words: bool) -> str:
    """What an order of groups holds for."""
    return f"The order of the groups is about these {'words' if words else 'rows'}, and may differ for others."


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
        f"{count(of['size'], 'group')} of {who} {whole_points(of['max'])}"
        for who, of in zip(words, sizes, strict=False)
    ]
    return f"the largest gap of {', of '.join(parts)}" if parts else ""


def axis_ends(values: Iterable[float], *, least: float) -> tuple[float, float]:
    """The ends of an axis that shows all values and ``least`` on either side of 0, with some room beside them."""
    known = [float(value) for value in values if not math.isnan(value)]
    low, high = min([-least, *known]), max([least, *known])
    room = _ROOM * (high - low)
    return low - room, high + room


def _measured(harm: str, *, rates: bool) -> tuple[str, str]:
    """What the gap is a difference of, and what a gap above 0 means.

    >>> _measured("refused", rates=True)
    ('the answers', 'more of the answers on the group are refusals')
    """
    if (outcome := OUTCOME_WORDS.get(harm)) is not None:
        return "the answers", f"more of the answers on the group {outcome}"
    if rates:
        return "the decisions", "more of the decisions on the group are this error"
    return "the mean probability", "this error is more probable for the group"


@dataclass(frozen=True)
class Scale:
    low: float
    high: float

    def at(self, value: float) -> str:
        """A place in percent of the width; "" where there is none.

        >>> Scale(-0.1, 0.3).at(0.0), Scale(-0.1, 0.3).at(float("nan"))
        ('25', '')
        """
        if math.isnan(value):
            return ""
        share = (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)
        return f"{100 * share:.1f}".removesuffix(".0")

    def span(self, start: str, width: str, low: float, high: float) -> dict[str, str]:
        """Where a span starts and how wide it is, by the names of the two; "" where an end is not known."""
        ends = self.at(low), self.at(high)
        return {start: ends[0], width: f"{float(ends[1]) - float(ends[0]):.1f}" if all(ends) else ""}

    def ticks(self) -> tuple[tuple[str, str], ...]:
        """Round numbers of points, at most seven.

        >>> Scale(-0.1, 0.3).ticks()
        (('0', '-10'), ('25', '0'), ('50', '+10'), ('75', '+20'), ('100', '+30'))
        """
        step = next((width for width in _STEPS if (self.high - self.low) / width <= 6), 1.0)
        # rounding in the quotients must not lose a tick that lies on a border
        first, last = math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9)
        return tuple((self.at(k * step), f"{100 * k * step:+.0f}" if k else "0") for k in range(first, last + 1))


def _row(row: Mapping[Any, Any], terms: pd.DataFrame, scale: Scale, *, rates: bool, of_plot: bool) -> dict[str, Any]:
    """A group: its place and bounds in percent of the width, and its figures in words."""
    gap, low, high, band = (float(str(row[name])) for name in ("at", "low", "high", "band"))
    status, unit = str(row["status"]), "" if rates == of_plot else f" in {unit_of(rates)}"
    return {
        "group": group_phrase(str(row["group"]), str(row["attribute"])),
        "status": status.replace(" ", "-"),
        "status_word": STATUS_WORDS[status] if status != NONE_FOUND else "",
        "at": scale.at(gap),
        **scale.span("low", "width", low, high),
        **scale.span("band", "band_width", -band, band),
        "text": gap_text(row),
        "plotted": f"{gap_bounds(row, rates=rates)}{unit}",
        **dict(zip(("rate", "others"), shown_rates(row), strict=True)),
        "note": _note(row, f"plotted{unit}" if unit else ""),
        "dots": _dots(terms, scale),
    }


def _control_row(control: Mapping[str, float], unit: str, scale: Scale) -> dict[str, Any]:
    """The texts without an identity beside all others of the same sentences."""
    text = f"{whole_points(control['at'])}{unit}"
    if "probability" in unit:
        decisions = whole_points(control["rate"] - control["others_rate"])
        text = f"in decisions {decisions}, in probability {whole_points(control['at'])}"
    return {
        **dict.fromkeys(("status_word", "low", "width", "band", "band_width"), ""),
        "group": "unmarked",
        "status": "unmarked",
        "at": scale.at(control["at"]),
        "text": text,
        "plotted": text,
        **dict(zip(("rate", "others"), shown_rates(control), strict=True)),
        "note": f"({count(int(control['n']), 'text')} without an identity, beside the others of the same sentences)",
        "dots": [],
    }


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
        return f"{bounds} in {'decisions' if leads_with_rates(row) else 'probability'}"
    return f"in decisions {gap_bounds(row, rates=True)}, in probability {gap_bounds(row, rates=False)}"


def _dots(terms: pd.DataFrame, scale: Scale) -> list[dict[str, Any]]:
    """A dot for the terms of one place; where there are many, those far from 0 and findings are named."""
    terms = terms[terms["at"].notna()]
    terms = terms.assign(found=terms["status"] == CLEAR, far=-terms["at"].abs(), place=terms["at"].map(scale.at))
    ordered = terms.sort_values(["found", "far"], ascending=[False, True], kind="stable")
    dots = []
    for k, ((at, is_finding), part) in enumerate(ordered.groupby(["place", "found"], sort=False)):
        text = f"{join_names([*part['term']], 5)} {_points(float(part['at'].iloc[0]))}"
        dots.append({"at": str(at), "text": text, "found": bool(is_finding), "named": k < _NAMED_DOTS})
    return sorted(dots, key=lambda dot: dot["named"])  # named ones are drawn last, so that nothing covers them


def _note(row: Mapping[Any, Any], unit: str) -> str:
    """Which words a finding is about, why a gap whose lower bound is above 0 is no clear finding, and the unit."""
    status, note = str(row["status"]), str(row["note"])
    parts = ["about these words only"] if is_about_words(row) and status in FOUND else []
    if note.startswith("treated better") or status in (TOO_FEW, CLEAR_SMALL):
        parts.append(note.removesuffix(" than the others"))
    elif float(str(row["ci_low"])) > 0 and status in (SUSPECTED, NONE_FOUND) and note:
        parts.append("no more than placebo words differ" if "placebo words" in note else note)
    parts += [unit] if unit else []
    return f"({'; '.join(parts)})" if parts else ""


def _points(value: float) -> str:
    return f"{100 * value:+.0f}" if abs(value) >= 0.005 else "0"
