"""Forest plots: the groups with their intervals around the line of equal treatment, and a dot for each term.

A row of a plot is an SVG without a view box, whose positions are shares of its width: so it fits any column of the
page, and its text keeps its size.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from fairness_checklist.core.formatting import capitalise, join_names
from fairness_checklist.core.replicates import OUTCOME_WORDS
from fairness_checklist.findings.placebo_null import PERCENTILE
from fairness_checklist.findings.records import strongest_first
from fairness_checklist.findings.status import CLEAR, FOUND, NONE_FOUND, SUSPECTED
from fairness_checklist.reports.finding_text import STATUS_WORDS, is_about_words, leads_with_rates, whole_percent
from fairness_checklist.reports.wording import group_phrase

_NAMED_DOTS = 24
"""Terms of a group that are named; the others are dots without a name."""
_ROOM = 0.06  # of the width, left of the smallest and right of the largest value
_STEPS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5)


def forests(records: pd.DataFrame, terms: pd.DataFrame) -> list[dict[str, Any]]:
    """A plot for each harm of an attribute as the template reads it, its rows with the strongest finding first.

    Places and widths are in percent of the width, as text.
    """
    return [
        _forest(records[records["harm"] == harm], terms[terms["harm"] == harm])
        for harm in dict.fromkeys(map(str, records["harm"]))
    ]


def _forest(records: pd.DataFrame, terms: pd.DataFrame) -> dict[str, Any]:
    values = [*records[["gap", "ci_low", "ci_high"]].to_numpy(float).ravel(), *terms["gap"].astype(float)]
    scale = _Scale(*axis_ends(values, least=0.02))
    ranked = strongest_first(records).to_dict("records")
    rows = [_row(row, terms[terms["group"] == row["group"]], scale) for row in ranked]
    first = records.iloc[0]
    measured, right, counted = _measured(str(first["harm"]), str(first["measure"]))
    return {
        "title": capitalise(str(first["title"])),
        "zero": scale.at(0.0),
        "ticks": scale.ticks(),
        "rows": rows,
        "has_dots": any(row["dots"] for row in rows),
        "measured": measured,
        "right": right,
        "counted": counted,
    }


def axis_ends(values: Iterable[float], *, least: float) -> tuple[float, float]:
    """The ends of an axis that shows all values and ``least`` on either side of 0, with some room beside them."""
    known = [float(value) for value in values if not math.isnan(value)]
    low, high = min([-least, *known]), max([least, *known])
    room = _ROOM * (high - low)
    return low - room, high + room


def _measured(harm: str, measure: str) -> tuple[str, str, str]:
    """What the gap is a difference of, what a gap above 0 means, and what the shares are of.

    >>> _measured("refused", "rate")
    ('the answers', 'more of the answers on the group are refusals', 'answers')
    """
    if (outcome := OUTCOME_WORDS.get(harm)) is not None:
        return "the answers", f"more of the answers on the group {outcome}", "answers"
    if measure == "rate":
        return "the error rate", "this error is more frequent for the group", "error"
    return "the mean probability", "this error is more probable for the group", "error"


@dataclass(frozen=True)
class _Scale:
    low: float
    high: float

    def at(self, value: float) -> str:
        """A place in percent of the width; "" where there is none.

        >>> _Scale(-0.1, 0.3).at(0.0), _Scale(-0.1, 0.3).at(float("nan"))
        ('25', '')
        """
        if math.isnan(value):
            return ""
        share = (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)
        return f"{100 * share:.1f}".removesuffix(".0")

    def ticks(self) -> tuple[tuple[str, str], ...]:
        """Round numbers of points, at most seven.

        >>> _Scale(-0.1, 0.3).ticks()
        (('0', '-10'), ('25', '0'), ('50', '+10'), ('75', '+20'), ('100', '+30'))
        """
        step = next((width for width in _STEPS if (self.high - self.low) / width <= 6), 1.0)
        # rounding in the quotients must not lose a tick that lies on a border
        first, last = math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9)
        return tuple((self.at(k * step), f"{100 * k * step:+.0f}" if k else "0") for k in range(first, last + 1))


def _row(row: Mapping[Any, Any], terms: pd.DataFrame, scale: _Scale) -> dict[str, Any]:
    """A group: its place and interval in percent of the width, and its figures in words."""
    gap, low, high = (float(str(row[name])) for name in ("gap", "ci_low", "ci_high"))
    start, end = scale.at(low), scale.at(high)
    used, there = int(str(row["n_terms"])), int(str(row["n_terms_available"]))
    status = str(row["status"])
    return {
        "group": group_phrase(str(row["group"]), str(row["attribute"])),
        "status": status.replace(" ", "-"),
        "status_word": STATUS_WORDS[status],
        "at": scale.at(gap),
        "low": start,
        "width": f"{float(end) - float(start):.1f}" if start and end else "",
        "text": "not known" if math.isnan(gap) else f"{_points(gap)} points{_interval(low, high)}",
        "rate": _rate(float(str(row["rate"]))),
        "others": _rate(float(str(row["others_rate"]))),
        "terms": "" if not used else f"{used:,} of {there:,}" if there > used else f"{used:,}",
        "note": _note(row, low),
        "dots": _dots(terms, scale),
    }


def _dots(terms: pd.DataFrame, scale: _Scale) -> list[dict[str, Any]]:
    """A dot for the terms of one place; where there are many, those far from 0 and findings are named."""
    terms = terms[terms["gap"].notna()]
    terms = terms.assign(found=terms["status"] == CLEAR, far=-terms["gap"].abs(), at=terms["gap"].map(scale.at))
    ordered = terms.sort_values(["found", "far"], ascending=[False, True], kind="stable")
    dots = []
    for k, ((at, is_finding), part) in enumerate(ordered.groupby(["at", "found"], sort=False)):
        text = f"{join_names([*part['term']], 5)} {_points(float(part['gap'].iloc[0]))}"
        dots.append({"at": str(at), "text": text, "found": bool(is_finding), "named": k < _NAMED_DOTS})
    return sorted(dots, key=lambda dot: dot["named"])  # named ones are drawn last, so that nothing covers them


def _note(row: Mapping[Any, Any], low: float) -> str:
    """Why a gap above 0 is no clear finding, which words a finding is about, and decisions that go the other way."""
    parts = ["treated better"] if row["status"] == NONE_FOUND and str(row["note"]).startswith("treated better") else []
    parts += ["about these words only"] if is_about_words(row) and row["status"] in FOUND else []
    if row["status"] in FOUND and not leads_with_rates(row):
        parts.append("in the probability only: not more of the decisions are wrong")
    if low > 0 and row["status"] in (SUSPECTED, NONE_FOUND) and row["note"]:
        placed = float(str(row["placebo_percentile"]))
        as_much = placed < PERCENTILE  # false as well where it was not compared
        draws = f"placebo words reach this gap in {100 - math.floor(placed)} of 100 draws" if as_much else ""
        parts.append(draws or str(row["note"]))
    return f"({'; '.join(parts)})" if parts else ""


def _points(value: float) -> str:
    return f"{100 * value:+.0f}" if abs(value) >= 0.005 else "0"


def _interval(low: float, high: float) -> str:
    return "" if math.isnan(low) or math.isnan(high) else f", 95 % interval {_points(low)} to {_points(high)}"


def _rate(share: float) -> str:
    return "" if math.isnan(share) else whole_percent(share).replace(" ", "\u00a0")
