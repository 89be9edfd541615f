"""The uncertainty of a number in words and tables: intervals, null mean and p-values."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import pandas as pd

from fairness_checklist.analysis.run_view import Row, View, neutral_value, signed
from fairness_checklist.core.formatting import capitalise, decimal, format_p_value
from fairness_checklist.reports.wording import caveat


def compared_groups(row: Row) -> str:
    """The group or groups that a value is about."""
    if row["left"] == "*":
        return "all groups"
    known = row["right"] in ("everyone", "everyone_else", "everyone_balanced", "unmarked", "others")
    return str(row["left"]) if known else f"{row['left']} and {row['right']}"


def adjustment(info: dict[str, Any]) -> str:
    """The adjustment of the p-values of exploratory rows.

    >>> adjustment({}), adjustment({"options": {"adjust": {"exploratory": "holm"}}})
    ('Benjamini-Hochberg', 'Holm')
    """
    named = str(info.get("options", {}).get("adjust", ""))
    return "Holm" if "holm" in named else "Benjamini-Hochberg"


def level_of(row: Mapping[Any, Any]) -> float:
    """What is taken off a value where it is shown: the null mean of a distance, 0 of other values.

    Distances are above 0 even for an unbiased model. NaN where the null mean of a distance is not known.

    >>> level_of({"metric": "avg_if", "null_mean": 0.1}), level_of({"metric": "fnr_gap", "null_mean": float("nan")})
    (0.1, 0.0)
    """
    metric = str(row["metric"])
    return 0.0 if signed(metric) or neutral_value(metric) else float(row["null_mean"])


HEADS = ("value", "value less null mean", "these terms", "terms like these", "null mean", "n", "p", "p, adjusted")
_SPANS = (("ci_low", "ci_high"), ("ci_low_terms", "ci_high_terms"))


def uncertainty_table(rows: pd.DataFrame) -> tuple[list[str], list[list[str]]]:
    """Headers and cells of rows of metrics, without the columns that are empty in all of them.

    A distance whose null mean is known is shown less that mean, and its intervals too.

    >>> names = ["value", "ci_low", "ci_high", "ci_low_terms", "ci_high_terms", "null_mean", "p_value", "p_adjusted"]
    >>> row = dict.fromkeys(names, float("nan")) | {"value": 0.2, "ci_low": 0.1, "ci_high": 0.3, "n": 40}
    >>> uncertainty_table(pd.DataFrame([row | {"metric": "fnr_gap"}]))
    (['value', 'these terms', 'n'], [['+0.200', '0.100 to 0.300', '40']])
    >>> uncertainty_table(pd.DataFrame([row | {"metric": "avg_if", "null_mean": 0.15}]))
    (['value less null mean', 'these terms', 'null mean', 'n'], [['0.050', '-0.050 to 0.150', '0.150', '40']])
    """
    cells = [_cells(row) for row in rows.to_dict("records")]
    kept = [i for i in range(len(HEADS)) if any(row[i] for row in cells)]
    return [HEADS[i] for i in kept], [[row[i] for i in kept] for row in cells]


def _cells(row: dict[Any, Any]) -> list[str]:
    plus = signed(str(row["metric"])) and not neutral_value(str(row["metric"]))
    known = not math.isnan(level_of(row))
    level = level_of(row) if known else 0.0
    value = decimal(float(row["value"]) - level, signed=plus, undefined="undefined")
    shown = ["", value] if level else [value, ""]
    spans = [
        ""
        if math.isnan(row[low]) or math.isnan(row[high])
        else f"{decimal(row[low] - level)} to {decimal(row[high] - level)}"
        for low, high in _SPANS
    ]
    ps = ["" if math.isnan(row[name]) else format_p_value(float(row[name])) for name in ("p_value", "p_adjusted")]
    return [*shown, *spans, decimal(float(row["null_mean"]), undefined=""), f"{int(row['n']):,}", *ps]


def uncertainty_sentences(view: View, row: Row) -> str:
    """Intervals, null mean and p-values in sentences, with a remark on those that are missing."""
    if math.isnan(row["value"]):
        return ""
    parts = [
        _between(row),
        _null_mean(row),
        _p_sentence(row),
        f"It is unstable: {row['unstable']}." if row["unstable"] else "",
        caveat(pd.DataFrame([row]), crossed=view.crossed),
    ]
    return " ".join(part for part in parts if part)


def _between(row: Row) -> str:
    intervals = [
        f"{decimal(row[low])} to {decimal(row[high])} {what}"
        for (low, high), what in zip(
            _SPANS,
            ("for other sentences with these terms", "for other sentences with terms like these"),
            strict=True,
        )
        if not (math.isnan(row[low]) or math.isnan(row[high]))
    ]
    return f"95 % interval{'' if len(intervals) == 1 else 's'}: {'; '.join(intervals)}." if intervals else ""


def _null_mean(row: Row) -> str:
    if math.isnan(row["null_mean"]):
        return ""
    return f"Its null mean, with the same terms assigned to the groups at random, is {decimal(row['null_mean'])}."


def _p_sentence(row: Row) -> str:
    p, adjusted = float(row["p_value"]), float(row["p_adjusted"])
    clauses = []
    if not math.isnan(p):
        share = "less than 0.1" if p < 0.0005 else f"{100 * p:.1f}".removesuffix(".0")
        clauses.append(
            f"{share} % of random assignments of the terms give a value at least as far from equal treatment "
            f"(p {format_p_value(p)})"
        )
    if not math.isnan(adjusted):
        kind = "for all primary values" if row["role"] == "primary" else "for all exploratory values"
        clauses.append(f"adjusted {kind}, the p is {format_p_value(adjusted)}")
    return f"{capitalise('; '.join(clauses))}." if clauses else ""
