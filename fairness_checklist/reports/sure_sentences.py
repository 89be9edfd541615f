"""How sure one number is, in sentences of their own: intervals, null mean and p."""

from __future__ import annotations

import math

import pandas as pd

from fairness_checklist.analysis.leading_values import ALPHA, BEYOND, INCONCLUSIVE, WITHIN, adjusted_p, status
from fairness_checklist.analysis.run_view import Row, View
from fairness_checklist.errors import count
from fairness_checklist.formatting import decimal, first_letter, p_words
from fairness_checklist.reports.reading import caveat
from fairness_checklist.reports.sureness import remarks

__all__ = ["in_sentences"]


def in_sentences(view: View, row: Row) -> str:
    """Intervals, level of chance and p in sentences, where they are filled; what is missing is said."""
    if math.isnan(row["value"]):
        return ""
    parts = [
        _between(row),
        _null_mean(row),
        _p(view, row),
        remarks(row).strip(),
        caveat(pd.DataFrame([row]), crossed=view.crossed),
    ]
    return " ".join(part for part in parts if part)


def _between(row: Row) -> str:
    sentences = [
        f"{decimal(row[low])} to {decimal(row[high])} {what}"
        for low, high, what in (
            ("ci_low", "ci_high", "for other sentences with these terms"),
            ("ci_low_terms", "ci_high_terms", "for other sentences with terms like these"),
        )
        if not (math.isnan(row[low]) or math.isnan(row[high]))
    ]
    return f"95 % interval{'' if len(sentences) == 1 else 's'}: {'; '.join(sentences)}." if sentences else ""


def _null_mean(row: Row) -> str:
    sentences = []
    if not math.isnan(row["null_mean"]):
        sentences.append(
            f"with the same terms assigned to the groups at random it is {decimal(row['null_mean'])} on average"
        )
    return f"{first_letter('; '.join(sentences))}." if sentences else ""


def _p(view: View, row: Row) -> str:
    p, adjusted = float(row["p_value"]), adjusted_p(view, row)
    sentences = []
    if not math.isnan(p):
        share = "less than 0.1" if p < 0.0005 else f"{100 * p:.1f}".removesuffix(".0")
        sentences.append(
            f"assigned at random, the terms give a value at least as far in {share} % of the cases (p {p_words(p)})"
        )
    if not math.isnan(adjusted):
        kind = "for all primary values" if row["role"] == "primary" else "for all exploratory values"
        of = " of its furthest pair" if math.isnan(float(row["p_adjusted"])) else ""
        sentences.append(f"adjusted {kind} the p{of} is {p_words(adjusted)}")
    found = {
        BEYOND: "beyond chance",
        WITHIN: "within what chance gives"
        if adjusted > ALPHA
        else "no finding, as with other terms like these it may as well be nothing",
        INCONCLUSIVE: f"inconclusive, as {count(int(row['n_undefined']), 'part')} of the total have no value",
    }.get(status(view, row) if row["role"] == "primary" else "")
    sentences += [f"the value is {found}"] if found else []
    return f"{first_letter('; '.join(sentences))}." if sentences else ""
