"""How sure a number is: its two intervals, its level of chance and its p, in words; and which values are findings."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pandas as pd

from fairness_checklist.analysis.leading_values import (
    ALPHA,
    INCONCLUSIVE,
    WITHIN,
    adjusted_p,
    findings,
    status,
    tested_values,
)
from fairness_checklist.analysis.run_view import Row, View, neutral_value, signed
from fairness_checklist.errors import count
from fairness_checklist.formatting import decimal, first_letter, hundredths, listed, p_words

__all__ = [
    "adjustment",
    "interval_scope",
    "remarks",
    "rule",
    "summary",
    "uncertainty_table",
    "uncertainty_words",
    "within_null",
]

_SHOWN = 4
_GAPS = ("fnr_gap", "fpr_gap", "tpr_gap", "tnr_gap")


def within_null(view: View, row: Row) -> str:
    """What must be said after a value that is no finding, and after one that rests on little; "" else."""
    where = status(view, row)
    wording = {WITHIN: _within_null(view, row), INCONCLUSIVE: _inconclusive(row)}.get(where, "")
    return wording + remarks(row)


def _within_null(view: View, row: Row) -> str:
    if adjusted_p(view, row) > ALPHA:
        return " This is within what chance gives."
    return " This is no finding: with other terms like these it may as well be nothing."


def _inconclusive(row: Row) -> str:
    return f" The total is inconclusive: {count(int(row['n_undefined']), 'part')} of it without a value."


def remarks(row: Row) -> str:
    """Why a value is called unstable, as a sentence; "" where it is not."""
    return f" It is unstable: {row['unstable']}." if row["unstable"] else ""


def uncertainty_words(
    view: View,
    row: Row,
    *,
    say: Callable[[float], str] = hundredths,
    unit: str = "",
    sign: float = 1.0,
    zero: float = 0,
) -> str:
    """What stands after an effect: both intervals, the level of chance and p, as far as they are known.

    Args:
        view: the attribute.
        row: the value's row.
        say: how a number is written; by default in points.
        unit: what stands after the numbers.
        sign: -1 where the effect was told as "fewer".
        zero: what is added, where the effect was told as a share.

    Returns:
        A clause that begins with a blank, "" where nothing is known.
    """
    sentences = []
    for low, high, what in (
        ("ci_low", "ci_high", "other sentences with these terms"),
        ("ci_low_terms", "ci_high_terms", "terms like these"),
    ):
        ends = sorted(zero + sign * float(row[name]) for name in (low, high))
        if not any(map(math.isnan, ends)):
            sentences.append(f"{what}: {say(ends[0])} to {say(ends[1])}{unit}")
    text = f" ({'; '.join(sentences)})" if sentences else ""
    if not signed(row["metric"]) and not math.isnan(row["null_mean"]):
        text += f", where chance gives {say(float(row['null_mean']))}{unit}"
    return text + _p(view, row)


def _p(view: View, row: Row) -> str:
    p, own, adjusted = float(row["p_value"]), float(row["p_adjusted"]), adjusted_p(view, row)
    if math.isnan(p):
        return "" if math.isnan(own) else f", adjusted p {p_words(own)}"
    if math.isnan(adjusted):
        return f", p {p_words(p)}"
    return f", p {p_words(p)}, adjusted {p_words(adjusted)}" + (" for its furthest pair" if math.isnan(own) else "")


def summary(view: View) -> str:
    """How many of the primary values are beyond chance and which; "" where none was tested."""
    tested, found = tested_values(view), findings(view)
    if not tested:
        return ""
    few = sorted({str(row["smallest_p"]) for row in tested if row["smallest_p"]})
    least = f" {first_letter(listed(few))}." if few else ""
    if not found:
        return f"None of the {count(len(tested), 'primary value')} is beyond chance.{_smallest(view, tested)}{least}"
    names = [
        f"{row['metric']} of {interval_scope(row)} ({row['class']}{', unstable' * bool(remarks(row))})" for row in found
    ]
    are = "is" if len(found) == 1 else "are"
    of = count(len(tested), "primary value")
    return f"{len(found):,} of the {of} {are} beyond chance: {listed(names, _SHOWN)}.{least}"


def rule(rows: pd.DataFrame) -> str:
    """What "beyond chance" means for the primary rows of a run; "" where nothing was tested."""
    tested = rows[rows["p_adjusted"].notna()]
    if not len(tested):
        return ""
    wording = "A primary value is beyond chance where its adjusted p is at most 0.05"
    if not any(signed(name) for name in tested.loc[tested["ci_low_terms"].notna(), "metric"].unique()):
        return f"{wording}."
    return (
        f"{wording} and, if it has a direction, its interval over terms like these is on one side of equal treatment."
    )


def interval_scope(row: Row) -> str:
    """Whose value a row is."""
    if row["left"] == "*":
        return "all groups"
    known = row["right"] in ("everyone", "everyone_else", "everyone_balanced", "unmarked", "others")
    return str(row["left"]) if known else f"{row['left']} and {row['right']}"


def _smallest(view: View, tested: list[Row]) -> str:
    """How small a gap could have been told from none, where nothing was found."""
    gaps = [row for row in tested if row["metric"] in _GAPS]
    half = [(float(row["ci_high_terms"]) - float(row["ci_low_terms"])) / 2 for row in gaps]
    half = sorted(one for one in half if not math.isnan(one))
    if not half:
        return " That is no proof of equal treatment."
    least, most = hundredths(half[0]), hundredths(half[-1])
    reach = f"{least} points" if least == most else f"{least} to {most} points"
    return (
        f" That is no proof of equal treatment: the intervals of the gaps over terms like these reach {reach} to "
        "either side, and smaller gaps could not have been seen."
    )


def adjustment(info: dict[str, Any]) -> str:
    """How the p-values of exploratory rows are adjusted.

    >>> adjustment({}), adjustment({"options": {"adjust": {"exploratory": "holm"}}})
    ('Benjamini-Hochberg', 'Holm')
    """
    named = str(info.get("options", {}).get("adjust", ""))
    return "Holm" if "holm" in named else "Benjamini-Hochberg"


HEADS = ("value", "these terms", "terms like these", "null mean", "value less null mean", "n", "p", "p, adjusted")


def uncertainty_table(rows: pd.DataFrame) -> tuple[list[str], list[list[str]]]:
    """Heads and cells of rows of metrics, the effect before the p; columns of which nothing is known are left out.

    >>> names = ["value", "ci_low", "ci_high", "ci_low_terms", "ci_high_terms", "null_mean", "p_value", "p_adjusted"]
    >>> row = dict.fromkeys(names, float("nan")) | {"metric": "fnr_gap", "value": 0.2, "ci_low": 0.1, "ci_high": 0.3,
    ...     "n": 40}
    >>> uncertainty_table(pd.DataFrame([row]))
    (['value', 'these terms', 'n'], [['+0.200', '0.100 to 0.300', '40']])
    """
    cells = [_cells(row) for row in rows.to_dict("records")]
    kept = [i for i in range(len(HEADS)) if any(row[i] for row in cells)]
    return [HEADS[i] for i in kept], [[row[i] for i in kept] for row in cells]


def _cells(row: dict[object, object]) -> list[str]:
    numbers = {str(name): float(str(row[name])) for name in _NUMBERS}
    plus = signed(str(row["metric"])) and not neutral_value(str(row["metric"]))
    value = numbers["value"]
    shown = decimal(value, signed=plus, undefined="undefined")
    spans = [
        ""
        if math.isnan(numbers[low]) or math.isnan(numbers[high])
        else f"{decimal(numbers[low])} to {decimal(numbers[high])}"
        for low, high in (("ci_low", "ci_high"), ("ci_low_terms", "ci_high_terms"))
    ]
    null = numbers["null_mean"]
    levels = ["" if math.isnan(one) else decimal(one) for one in (null, value - null)]
    ps = ["" if math.isnan(numbers[name]) else p_words(numbers[name]) for name in ("p_value", "p_adjusted")]
    return [shown, *spans, *levels, f"{int(str(row['n'])):,}", *ps]


_NUMBERS = ("value", "ci_low", "ci_high", "ci_low_terms", "ci_high_terms", "null_mean", "p_value", "p_adjusted")
