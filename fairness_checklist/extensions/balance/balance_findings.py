"""The records of what a balanced data set shows: each sentence of the answer is one of them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from fairness_checklist.core.errors import count
from fairness_checklist.core.formatting import decimal, format_p_value, join_names, percent, points
from fairness_checklist.extensions.balance.weighting import Balance
from fairness_checklist.findings.finding import Finding, figures_of
from fairness_checklist.findings.status import status_of_test
from fairness_checklist.statistics.multiplicity import holm, significant

DIFFERENCES, COST, DROPPED = "differences of the groups", "cost of the weights", "dropped rows"
BIAS, MODELS, MECHANISM = "weighted accuracy", "difference of models", "mechanism"
LEAST_SIZE = 10.0
"""Effective size of a group below which nothing is claimed."""
_MOST_SENTENCES = 6  # of each question
_SCOPE = "texts like these"
_Z = 1.959964
_EXACT = 1e-12
_WORDS = {
    "clear": "a clear difference",
    "suspected": "a difference that may be chance",
    "none found": "no clear difference",
    "too few to say": "too few rows to say",
}


def first_sentences(findings: Sequence[Finding]) -> list[str]:
    """The sentences of the answer: the first few of each question; one for all models where none differ."""
    of_questions: dict[str, list[Finding]] = {name: [] for name in (DROPPED, DIFFERENCES, COST, BIAS, MODELS)}
    for finding in findings:
        of_questions.get(finding.question, []).append(finding)
    tests = of_questions.pop(MODELS)
    sentences = [row.statement for rows in of_questions.values() for row in rows[:_MOST_SENTENCES]]
    if len(tests) > 1 and all(finding.status == "none found" for finding in tests):
        least = format_p_value(min(finding.p_adjusted for finding in tests))
        models = f"No two models differ clearly in W-Bias ({count(len(tests), 'test')}, smallest adjusted p {least})."
        return [*sentences, models]
    return [*sentences, *(finding.statement for finding in tests[:_MOST_SENTENCES])]


def described(weights: Balance, properties: pd.DataFrame, asked: Sequence[Mapping[str, Any]]) -> list[Finding]:
    """What differed, what the weights cost, which values are one-sided, and what was left out as asked."""
    name, n = ",".join(weights.groups), weights.n
    shares = zip(properties["property"], properties["before"], strict=True)
    differ = join_names([f"{property_name} ({percent(before)} of the rows)" for property_name, before in shares], 8)
    statement = f"{join_names(list(weights.groups))} differ in {differ}; with the weights they do not."
    largest = float(properties["before"].max())
    findings = [Finding(DIFFERENCES, name, "", statement, "total variation distance", largest, n=n)]
    sizes = zip(weights.groups, weights.effective_size, weights.rows, strict=True)
    effective = join_names([f"{group} {size:,.0f} of {rows:,} rows" for group, size, rows in sizes], 8)
    bounds = zip(weights.groups, weights.bound.tolist(), strict=True)
    moved = join_names([f"{group} by {points(bound)}" for group, bound in bounds], 8)
    lost = int(weights.zero_rows.sum())
    statement = f"Effective size: {effective}. In the worst case the weights move the accuracy of {moved}." + (
        f" {count(lost, 'row')} {'gets' if lost == 1 else 'get'} no weight." if lost else ""
    )
    smallest = float(weights.effective_size.min())
    findings.append(Finding(COST, name, "", statement, "effective size", smallest, n=n))
    if weights.one_sided:
        rows = float(sum(weights.rows_with(name, value) for name, value, _lacking in weights.one_sided))
        values = [
            f"{name} {value} (none in {join_names(list(lacking), 2)})" for name, value, lacking in weights.one_sided
        ]
        statement = f"Rows of one-sided values get no weight: {join_names(values, 3)}."
        findings.append(Finding(COST, "one-sided values", "", statement, "rows", rows, n=n))
    if asked:
        values = [f"{row['property']} {row['value']} ({count(row['rows'], 'row')})" for row in asked]
        statement, rows = f"Left out before weighting: {join_names(values, 6)}.", sum(row["rows"] for row in asked)
        findings.append(Finding(DROPPED, "all groups", "", statement, "values", float(len(asked)), n=rows))
    return findings


def claimed(weights: Balance, tables: Mapping[str, pd.DataFrame]) -> list[Finding]:
    """The findings about models. All p-values of a question are adjusted together by Holm's method.

    Without an interval, or where the effective size of a group is below 10, there are too few rows to say.
    """
    sizes = dict(zip(weights.groups, weights.effective_size.tolist(), strict=True))
    balanced = join_names(list(weights.properties))
    biases = tables["biases"].to_dict("records")
    p_values = [p_of_ratio(row["ratio"], row["ci_low"], row["ci_high"]) for row in biases]
    findings = []
    for row, p, adjusted in zip(biases, p_values, holm(p_values).tolist(), strict=True):
        enough = min(sizes[row["left"]], sizes[row["right"]]) >= LEAST_SIZE
        status = "" if row["intervals"] == "none" else status_of_test(adjusted, enough=enough)
        interval = "no interval"
        if not math.isnan(row["ci_low"] + row["ci_high"]):
            certain = ", as the properties decide each answer" if row["ci_high"] - row["ci_low"] < _EXACT else ""
            interval = f"95 % interval {row['ci_low']:.3f} to {row['ci_high']:.3f}{certain}"
        statement = (
            f"{row['answers']}: {row['left']} right {decimal(row['ratio'])} times as often as {row['right']} once "
            f"{balanced} {'are' if len(weights.properties) > 1 else 'is'} balanced (W-Bias; {interval})"
            f"{f': {_WORDS[status]}' if status else ''}. Without weights {decimal(row['plain_ratio'])}."
        )
        subject = f"{row['answers']}: {row['left']} over {row['right']}"
        figures = figures_of({**row, "value": row["ratio"], "p_value": p, "p_adjusted": adjusted})
        note = f"balanced in {balanced} only"
        measure = "ratio of weighted accuracies"
        findings.append(Finding(BIAS, subject, status, statement, measure, **figures, scope=_SCOPE, note=note))
    tests = tables["tests"].to_dict("records")
    for row, adjusted in zip(tests, holm([test["p_value"] for test in tests]).tolist(), strict=True):
        # Exchanges come in pairs that differ as much: few of them give no small p. With one the answers are the same.
        decisive = row["draws"] == 1 or bool(significant(2 * len(tests) / row["draws"]))
        verb = "differ" if significant(adjusted) else "do not differ clearly"
        statement = (
            f"{row['answers']} and {row['other_answers']} {verb} in W-Bias, {row['left']} over {row['right']}: "
            f"{decimal(row['first'])} and {decimal(row['second'])}, adjusted p {format_p_value(adjusted)}."
        )
        figures = {"value": row["difference"], "p_value": row["p_value"], "p_adjusted": adjusted, "n": row["draws"]}
        subject = f"{row['answers']}, {row['other_answers']}: {row['left']} over {row['right']}"
        status, note = status_of_test(adjusted, decisive=decisive), "n: exchanges of the two models' answers"
        measure = "difference of ratios"
        findings.append(Finding(MODELS, subject, status, statement, measure, **figures, scope=_SCOPE, note=note))
    return findings


def p_of_ratio(ratio: float, low: float, high: float) -> float:
    """The two-sided p-value of a ratio against 1, from its 95 % interval, on the logarithm where all are above 0.

    The half of the interval that is nearer to 1 counts: p is at most .05 exactly where the interval leaves out 1.

    >>> [round(p_of_ratio(*interval), 3) for interval in ((0.8, 0.6, 1.01), (0.8, 0.6, 0.99), (1.0, 1.0, 1.0))]
    [0.06, 0.042, 1.0]
    """
    if math.isnan(ratio) or math.isnan(low) or math.isnan(high):
        return math.nan
    if min(ratio, low, high) > 0:
        distance, low, high = math.log(ratio), math.log(low), math.log(high)
    else:
        distance, low, high = ratio - 1, low - 1, high - 1
    width = high - low
    if width < _EXACT:
        return 1.0 if abs(distance) < 1e-9 else 0.0
    half = distance - low if distance > 0 else high - distance
    if half <= _EXACT or half >= width:  # the value is outside its interval
        half = width / 2
    return math.erfc(abs(distance) / (half / _Z) / math.sqrt(2))
