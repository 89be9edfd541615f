"""The leading value of a run without its ambiguous terms (Chad, Jordan), in a sentence."""

from __future__ import annotations

import math
from collections.abc import Sequence

from fairness_checklist.analysis.run_view import Row, View, neutral_value, signed
from fairness_checklist.analysis.terms_left_out import leading_value_without_ambiguous
from fairness_checklist.formatting import decimal, listed
from fairness_checklist.reports.words import mention
from fairness_checklist.results import Results

__all__ = ["ambiguous_sentence"]


def ambiguous_sentence(results: Results, view: View) -> str:
    """What the leading primary value is without the ambiguous terms; "" where there are none, or no such value."""
    found = leading_value_without_ambiguous(results, view)
    return "" if found is None else _sentence(found.terms, found.row, found.value, found.note)


def _sentence(names: Sequence[str], row: Row, value: float, why: str) -> str:
    plus = signed(row["metric"]) and not neutral_value(row["metric"])
    whose = "over all groups" if row["left"] == "*" else f"of {mention(row['left'], row['attribute'])}"
    label = "" if row["class"] == "*" else f" ({row['class']})"
    which = f"the ambiguous term {names[0]}" if len(names) == 1 else f"the {len(names)} ambiguous terms"
    which += f" ({listed(list(names), 2)})" if len(names) > 1 else ""
    now = f"undefined ({why})" if math.isnan(value) else decimal(value, signed=plus)
    before = decimal(row["value"], signed=plus)
    return f"Without {which} the {row['metric']}{label} {whose} is {now} in place of {before}."
