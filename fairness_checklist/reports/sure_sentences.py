"""How sure one number is, in sentences of their own: intervals, level of chance, excess and p."""

from __future__ import annotations

import math

import pandas as pd

from fairness_checklist.analysis.leading_values import ALPHA, BEYOND, INCONCLUSIVE, WITHIN, adjusted_p, standing
from fairness_checklist.analysis.run_view import Row, View
from fairness_checklist.errors import count
from fairness_checklist.formatting import decimal, first_letter, p_words
from fairness_checklist.reports.reading import caveat
from fairness_checklist.reports.sureness import remarks

__all__ = ["in_sentences"]


def in_sentences(seen: View, row: Row) -> str:
    """Intervals, level of chance and p in sentences, where they are filled; what is missing is said."""
    if math.isnan(row["value"]):
        return ""
    parts = [
        _between(row),
        _chance(row),
        _p(seen, row),
        remarks(row).strip(),
        caveat(pd.DataFrame([row]), crossed=seen.crossed),
    ]
    return " ".join(part for part in parts if part)


def _between(row: Row) -> str:
    told = [
        f"{decimal(row[low])} to {decimal(row[high])} {what}"
        for low, high, what in (
            ("low", "high", "for other sentences with these terms"),
            ("low_terms", "high_terms", "for other sentences with terms like these"),
        )
        if not (math.isnan(row[low]) or math.isnan(row[high]))
    ]
    return f"95 % interval{'' if len(told) == 1 else 's'}: {'; '.join(told)}." if told else ""


def _chance(row: Row) -> str:
    told = []
    if not math.isnan(row["chance"]):
        told.append(f"with the same terms assigned to the groups at random it is {decimal(row['chance'])} on average")
    if not math.isnan(row["excess"]):
        told.append(f"its excess over the spread inside the groups is {decimal(row['excess'])}")
    return f"{first_letter('; '.join(told))}." if told else ""


def _p(seen: View, row: Row) -> str:
    p, adjusted = float(row["p_value"]), adjusted_p(seen, row)
    told = []
    if not math.isnan(p):
        share = "less than 0.1" if p < 0.0005 else f"{100 * p:.1f}".removesuffix(".0")
        told.append(
            f"assigned at random, the terms give a value at least as far in {share} % of the cases (p {p_words(p)})"
        )
    if not math.isnan(adjusted):
        kind = "for all primary values" if row["role"] == "primary" else "for all exploratory values"
        of = " of its furthest pair" if math.isnan(float(row["p_adjusted"])) else ""
        told.append(f"adjusted {kind} the p{of} is {p_words(adjusted)}")
    found = {
        BEYOND: "beyond chance",
        WITHIN: "within what chance gives"
        if adjusted > ALPHA
        else "no finding, as with other terms like these it may as well be nothing",
        INCONCLUSIVE: f"inconclusive, as {count(int(row['n_undefined']), 'part')} of the total have no value",
    }.get(standing(seen, row) if row["role"] == "primary" else "")
    told += [f"the value is {found}"] if found else []
    return f"{first_letter('; '.join(told))}." if told else ""
