"""The uncertainty of a number in words: intervals, null mean and p-values; and which values are findings."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pandas as pd

from fairness_checklist.analysis.largest_gaps import (
    ALPHA,
    BEYOND,
    INCONCLUSIVE,
    PLACEBO,
    WITHIN,
    Multiple,
    adjusted_p,
    constant_baseline,
    constant_class,
    distance,
    findings,
    is_placebo,
    largest,
    multiples,
    predicts_no_entities,
    status,
    tested_values,
)
from fairness_checklist.analysis.run_view import Row, View, is_tagging, neutral_value, signed
from fairness_checklist.core.errors import count
from fairness_checklist.core.formatting import (
    capitalise,
    decimal,
    format_p_value,
    hundredths,
    join_names,
    percent,
    points,
)
from fairness_checklist.reports.wording import caveat, entities_at
from fairness_checklist.tables.run_folder import Results

_SHOWN = 4
_GAPS = ("fnr_gap", "fpr_gap", "tpr_gap", "tnr_gap")


def within_null(view: View, row: Row) -> str:
    """The remark after a value that is not beyond chance, inconclusive or unstable; "" for other values."""
    remark = {WITHIN: _within_null(view, row), INCONCLUSIVE: _inconclusive(row)}.get(status(view, row), "")
    return remark + instability(row)


def _within_null(view: View, row: Row) -> str:
    if adjusted_p(view, row) > ALPHA:
        return " This is not beyond chance."
    return " This is not beyond chance: its interval over terms like these includes equal treatment."


def _inconclusive(row: Row) -> str:
    return f" The total is inconclusive: {count(int(row['n_undefined']), 'part')} of it without a value."


def instability(row: Row) -> str:
    """The reason why a value is unstable, as a sentence; "" for a stable one."""
    return f" It is unstable: {row['unstable']}." if row["unstable"] else ""


def uncertainty_clause(
    view: View,
    row: Row,
    *,
    write: Callable[[float], str] = hundredths,
    unit: str = "",
    sign: float = 1.0,
    zero: float = 0,
) -> str:
    """The clause after an effect: both intervals, the null mean and p-values, as far as they are known.

    Args:
        view: the attribute.
        row: the value's row.
        write: how a number is written; by default in points.
        unit: written after the numbers.
        sign: -1 where the effect is written as "fewer".
        zero: added to each number; 0.5 where the effect is written as a share.

    Returns:
        A clause that begins with a blank, "" where nothing is known.
    """
    intervals = []
    for low, high, what in (
        ("ci_low", "ci_high", "other sentences with these terms"),
        ("ci_low_terms", "ci_high_terms", "terms like these"),
    ):
        ends = sorted(zero + sign * float(row[name]) for name in (low, high))
        if not any(map(math.isnan, ends)):
            intervals.append(f"{what}: {write(ends[0])} to {write(ends[1])}{unit}")
    text = f" ({'; '.join(intervals)})" if intervals else ""
    if not signed(row["metric"]) and not math.isnan(row["null_mean"]):
        text += f", null mean {write(float(row['null_mean']))}{unit}"
    return text + _p(view, row)


def _p(view: View, row: Row) -> str:
    p, own, adjusted = float(row["p_value"]), float(row["p_adjusted"]), adjusted_p(view, row)
    if math.isnan(p):
        return "" if math.isnan(own) else f", adjusted p {format_p_value(own)}"
    if math.isnan(adjusted):
        return f", p {format_p_value(p)}"
    return f", p {format_p_value(p)}, adjusted {format_p_value(adjusted)}" + (
        " for its furthest pair" if math.isnan(own) else ""
    )


def summary(view: View) -> str:
    """The primary values that are beyond chance, with their number; "" if none was tested."""
    tested, found = tested_values(view), findings(view)
    if not tested:
        return ""
    few = sorted({str(row["smallest_p"]) for row in tested if row["smallest_p"]})
    least = f" {capitalise(join_names(few))}." if few else ""
    if not found:
        return f"None of the {count(len(tested), 'primary value')} is beyond chance.{_smallest(view, tested)}{least}"
    names = [
        f"{row['metric']} of {compared_groups(row)} ({row['class']}{', unstable' * bool(instability(row))})"
        for row in found
    ]
    are = "is" if len(found) == 1 else "are"
    of = count(len(tested), "primary value")
    return f"{len(found):,} of the {of} {are} beyond chance: {join_names(names, _SHOWN)}.{least}"


def rule(rows: pd.DataFrame) -> str:
    """The definition of "beyond chance" for the primary rows of a run; "" where nothing was tested."""
    tested = rows[rows["p_adjusted"].notna()]
    if not len(tested):
        return ""
    text = "A primary value is beyond chance where its adjusted p is at most 0.05"
    if not any(signed(name) for name in tested.loc[tested["ci_low_terms"].notna(), "metric"].unique()):
        return f"{text}."
    return f"{text} and, if it is signed, its interval over terms like these excludes equal treatment."


def compared_groups(row: Row) -> str:
    """The group or groups that a value is about."""
    if row["left"] == "*":
        return "all groups"
    known = row["right"] in ("everyone", "everyone_else", "everyone_balanced", "unmarked", "others")
    return str(row["left"]) if known else f"{row['left']} and {row['right']}"


def _smallest(view: View, tested: list[Row]) -> str:
    """The size of the gaps that the intervals cannot exclude, where no value is beyond chance."""
    gaps = [row for row in tested if row["metric"] in _GAPS]
    half = [(float(row["ci_high_terms"]) - float(row["ci_low_terms"])) / 2 for row in gaps]
    half = sorted(one for one in half if not math.isnan(one))
    if not half:
        return " This does not prove equal treatment."
    least, most = hundredths(half[0]), hundredths(half[-1])
    reach = f"{least} points" if least == most else f"{least} to {most} points"
    return (
        f" This does not prove equal treatment: the intervals of the gaps over terms like these extend {reach} to "
        "either side, so that smaller gaps cannot be excluded."
    )


def adjustment(info: dict[str, Any]) -> str:
    """The adjustment of the p-values of exploratory rows.

    >>> adjustment({}), adjustment({"options": {"adjust": {"exploratory": "holm"}}})
    ('Benjamini-Hochberg', 'Holm')
    """
    named = str(info.get("options", {}).get("adjust", ""))
    return "Holm" if "holm" in named else "Benjamini-Hochberg"


HEADS = ("value", "these terms", "terms like these", "null mean", "value less null mean", "n", "p", "p, adjusted")


def uncertainty_table(rows: pd.DataFrame) -> tuple[list[str], list[list[str]]]:
    """Headers and cells of rows of metrics, without the columns that are empty in all of them.

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
    ps = ["" if math.isnan(numbers[name]) else format_p_value(numbers[name]) for name in ("p_value", "p_adjusted")]
    return [shown, *spans, *levels, f"{int(str(row['n'])):,}", *ps]


_NUMBERS = ("value", "ci_low", "ci_high", "ci_low_terms", "ci_high_terms", "null_mean", "p_value", "p_adjusted")


def uncertainty_sentences(view: View, row: Row) -> str:
    """Intervals, null mean and p-values in sentences, with a remark on those that are missing."""
    if math.isnan(row["value"]):
        return ""
    parts = [
        _between(row),
        _null_mean(row),
        _p_sentence(view, row),
        instability(row).strip(),
        caveat(pd.DataFrame([row]), crossed=view.crossed),
    ]
    return " ".join(part for part in parts if part)


def _between(row: Row) -> str:
    intervals = [
        f"{decimal(row[low])} to {decimal(row[high])} {what}"
        for low, high, what in (
            ("ci_low", "ci_high", "for other sentences with these terms"),
            ("ci_low_terms", "ci_high_terms", "for other sentences with terms like these"),
        )
        if not (math.isnan(row[low]) or math.isnan(row[high]))
    ]
    return f"95 % interval{'' if len(intervals) == 1 else 's'}: {'; '.join(intervals)}." if intervals else ""


def _null_mean(row: Row) -> str:
    if math.isnan(row["null_mean"]):
        return ""
    return f"Its null mean, with the same terms assigned to the groups at random, is {decimal(row['null_mean'])}."


def _p_sentence(view: View, row: Row) -> str:
    p, adjusted = float(row["p_value"]), adjusted_p(view, row)
    clauses = []
    if not math.isnan(p):
        share = "less than 0.1" if p < 0.0005 else f"{100 * p:.1f}".removesuffix(".0")
        clauses.append(
            f"{share} % of random assignments of the terms give a value at least as far from equal treatment "
            f"(p {format_p_value(p)})"
        )
    if not math.isnan(adjusted):
        kind = "for all primary values" if row["role"] == "primary" else "for all exploratory values"
        of = " of its furthest pair" if math.isnan(float(row["p_adjusted"])) else ""
        clauses.append(f"adjusted {kind}, the p{of} is {format_p_value(adjusted)}")
    outcome = {
        BEYOND: "beyond chance",
        WITHIN: "not beyond chance"
        if adjusted > ALPHA
        else "not beyond chance, because its interval over terms like these includes equal treatment",
        INCONCLUSIVE: f"inconclusive, because {count(int(row['n_undefined']), 'part')} of the total have no value",
    }.get(status(view, row) if row["role"] == "primary" else "")
    clauses += [f"the value is {outcome}"] if outcome else []
    return f"{capitalise('; '.join(clauses))}." if clauses else ""


GAPS = ("fnr_gap", "fpr_gap", "tpr_gap", "tnr_gap")


def opening(view: View) -> str:
    """The first sentence of a verdict on a model that is of no use for these texts; "" for other models."""
    constant, best = constant_class(view), constant_baseline(view)
    accuracy, n = view.score("accuracy", "*", "*")
    if predicts_no_entities(view):
        return (
            f"The model finds none of the {entities_at(view.place, view.attribute)} with their type, so its errors "
            "cannot differ between groups. This is not evidence of fairness."
        )
    if constant:
        right = f" The accuracy is {percent(accuracy)}." if n else ""
        return (
            f'The model predicts "{constant}" for all {len(view.examples):,} sentences, so its decisions and error '
            f"rates cannot differ between groups. This is not evidence of fairness.{right}"
        )
    if best is not None:
        return (
            f"The accuracy on the {n:,} labelled sentences is {percent(accuracy)}, no better than always predicting "
            f'"{best[0]}" ({percent(best[1])}): this model is of little use on these sentences.'
        )
    return ""


def placebo_comparison(results: Results, view: View) -> str:
    """The largest value of each primary metric as a multiple of the placebo's; "" without a placebo."""
    clauses = []
    known = multiples(results, view)
    for key in view.primary:
        here = [one for one in known if (one.row["metric"], one.row["options"]) == key]
        row = largest(view, key)
        best = next((one for one in here if one.row is row), None) or max(
            here, key=lambda o: distance(o.row), default=None
        )
        if best is None:
            continue
        label = "" if best.row["class"] == "*" else f" ({best.row['class']})"
        ends = (hundredths, points) if key[0] in GAPS else (decimal, decimal)
        sizes = f"{ends[0](distance(best.row))} against {ends[1](best.placebo)}"
        clauses.append(f"{key[0]}{label} {_times(best)} ({sizes})" if _times(best) else f"{key[0]}{label} {sizes}")
    return (
        f"As multiples of the placebo, words that should not affect the model: {'; '.join(clauses)}." if clauses else ""
    )


def _times(one: Multiple) -> str:
    """The multiple in words; "" where there is none."""
    if math.isnan(one.multiple):
        return ""
    return f"{one.multiple:.1f} times" if one.multiple < 10 else f"{one.multiple:.0f} times"


def placebo_hint(results: Results) -> str:
    """Advice for a run of counterfactual texts without a placebo; "" for other runs."""
    if any(map(is_placebo, results.attributes)) or "source" not in results.examples.columns:
        return ""
    if is_tagging(results):  # placebo terms are no entities
        return ""
    return f"Run the attribute {PLACEBO} as well to see how much neutral words change the output of this model."
