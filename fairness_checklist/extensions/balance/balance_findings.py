"""The records of what a balanced data set shows: each sentence of the answer, the page and the JSON is one of them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from fairness_checklist.core.errors import count
from fairness_checklist.core.formatting import decimal, format_p_value, join_names, percent, points
from fairness_checklist.extensions.balance.properties import BINS
from fairness_checklist.extensions.balance.trimming import Trimmed
from fairness_checklist.extensions.balance.weighting import Balance
from fairness_checklist.findings.finding import Finding, figures_of
from fairness_checklist.findings.status import STATUSES, status_of_test
from fairness_checklist.statistics.multiplicity import holm, significant

DIFFERENCES, COST, DROPPED = "differences of the groups", "cost of the weights", "dropped rows"
ONE_SIDED, OUTLIERS = "one-sided values", "outliers"
BIAS, MODELS, METRICS, MECHANISM = "weighted accuracy", "difference of models", "weighted metrics", "mechanism"
SHOWN = dict.fromkeys((DROPPED, DIFFERENCES, COST, ONE_SIDED, OUTLIERS, BIAS, MODELS), 6) | {METRICS: 1}
"""How many sentences of each question the answer shows, in order; the others are in findings.csv."""
LEAST_SIZE = 10.0
"""Effective size of a group below which nothing is claimed."""
MOST_TRIMMED = 0.2
"""The share of the rows up to which trimming is suggested."""
_SCOPE = "texts like these"
_Z = 1.959964
_EXACT = 1e-12
_WORDS = {
    "clear": "a clear difference",
    "suspected": "a difference that may be chance",
    "none found": "no clear difference",
    "too few to say": "too few rows to say",
}
ALL_PAIRS = "all pairs of models"


def balance_findings(
    weights: Sequence[Balance],
    suggested: Sequence[Sequence[Trimmed]],
    tables: Mapping[str, pd.DataFrame],
    warnings: Mapping[str, str],
    limit: float,
) -> tuple[Finding, ...]:
    """The findings of a report, the strongest first.

    Ratios and metrics get a p-value from their interval, of ratios on the scale of the logarithm. All p-values of a
    question are adjusted together by Holm's method. Metrics whose weights are heuristic are suspected at most. Without
    an interval, or where the effective size of a group is below 10: too few to say.
    """
    findings: list[Finding] = []
    for own, trimmed in zip(weights, suggested, strict=True):
        findings += _weights(own, trimmed, tables["properties"], limit)
    findings += _dropped(tables["dropped"])
    sizes = {own.groups: dict(zip(own.groups, own.effective_size.tolist(), strict=True)) for own in weights}
    balanced = join_names(list(weights[0].properties))
    findings += _biases(tables["biases"], sizes, balanced)
    findings += _tests(tables["tests"])
    findings += _metrics(tables["metrics"], sizes, balanced)
    findings += [
        Finding(MECHANISM, name, "suspected", text, scope="these texts", n=weights[0].n)
        for name, text in warnings.items()
    ]
    rank = {name: at for at, name in enumerate((*STATUSES, ""))}

    def strength(finding: Finding) -> tuple[int, list[float]]:
        return rank[finding.status], [2.0 if math.isnan(p) else p for p in (finding.p_adjusted, finding.p_value)]

    return tuple(sorted(findings, key=strength))


def shown(findings: Iterable[Finding]) -> list[str]:
    """The sentences of the answer: the first few of each question."""
    known = list(findings)
    if any(finding.subject == ALL_PAIRS for finding in known):
        known = [finding for finding in known if finding.question != MODELS or finding.subject == ALL_PAIRS]
    return [s for name, most in SHOWN.items() for s in [f.statement for f in known if f.question == name][:most]]


def _weights(own: Balance, suggested: Sequence[Trimmed], properties: pd.DataFrame, limit: float) -> list[Finding]:
    """What differed, what the weights cost, which values are one-sided, and which weights are outliers."""
    name, named = ",".join(own.groups), join_names(list(own.groups))
    rows = properties[properties["groups"] == name]
    shares = zip(rows["property"], rows["before"], strict=True)
    differ = join_names([f"{property_name} ({percent(before)} of the rows)" for property_name, before in shares], 8)
    largest = float(rows["before"].max())
    statement = f"{named} differ in {differ}; with the weights they do not."
    findings = [Finding(DIFFERENCES, name, "", statement, "total variation distance", largest, n=own.n)]
    sizes = zip(own.groups, own.effective_size, own.rows, strict=True)
    effective = join_names([f"{g} {e:,.0f} of {n:,} rows" for g, e, n in sizes], 8)
    lost = int(own.zero_rows.sum())
    bounds = join_names([f"{g} by {points(b)}" for g, b in zip(own.groups, own.bound.tolist(), strict=True)], 8)
    statement = (
        f"Effective size: {effective}. In the worst case the weights move the accuracy of {bounds}."
        + (f" {count(lost, 'row')} {'gets' if lost == 1 else 'get'} no weight." if lost else "")
        + (" With --bins 5 more rows may keep theirs." if lost > MOST_TRIMMED * own.n and _fine(own) else "")
    )
    findings.append(Finding(COST, name, "", statement, "effective size", float(own.effective_size.min()), n=own.n))
    if own.one_sided:
        findings.append(_one_sided(own, name))
    fewer = own.n - _left(own, suggested)
    top = float(own.weight.max())
    if fewer and top > limit:
        cost = f"{fewer:,} of {count(own.n, 'row')}"
        statement = f"The largest weight is {top:.2f}. " + (
            f"Optional: --trim leaves out {cost} ({percent(fewer / own.n)}); then none counts more than {limit:g}."
            if fewer <= MOST_TRIMMED * own.n
            else f"--trim would leave out {cost}: put rare values together first."
        )
        findings.append(Finding(OUTLIERS, name, "", statement, "largest weight", top, n=own.n))
    return findings


def _fine(own: Balance) -> bool:
    """Whether a property is a number of more than five values."""
    return any(
        len(values) > BINS and all(text.replace(".", "", 1).lstrip("-").isdigit() for text in values)
        for values in own.values
    )


def _dropped(table: pd.DataFrame) -> list[Finding]:
    """The values whose rows were left out, of each comparison, as asked or by trimming."""
    findings = []
    left_out = table[~table["reason"].astype(str).str.startswith("weight 0")]
    for name, rows in left_out.groupby("groups", sort=False):
        values = [f"{row['property']} {row['value']} ({count(row['rows'], 'row')})" for row in rows.to_dict("records")]
        statement, subject = f"Left out before weighting: {join_names(values, 6)}.", str(name) or "all groups"
        n = int(rows["rows"].sum())
        findings.append(Finding(DROPPED, subject, "", statement, "values", float(len(rows)), n=n))
    return findings


def _one_sided(own: Balance, name: str) -> Finding:
    """The values that a group lacks."""
    rows = sum(own.rows_with(name, value) for name, value, _groups in own.one_sided)
    values = [f"{name} {value} (none in {join_names(list(lacking), 2)})" for name, value, lacking in own.one_sided]
    statement = f"Rows of one-sided values get no weight: {join_names(values, 3)}."
    return Finding(ONE_SIDED, name, "", statement, "rows", float(rows), n=own.n)


def _left(own: Balance, suggested: Sequence[Trimmed]) -> int:
    """How many rows the suggested trimming leaves."""
    gone = np.zeros(len(own.cells), dtype=np.bool_)
    for trimmed in suggested:
        gone |= own.cells_with(trimmed.property, trimmed.value)
    return int(own.cells.count[~gone].sum())


def _interval(low: float, high: float) -> str:
    if math.isnan(low) or math.isnan(high):
        return "no interval"
    certain = ", as the properties decide each answer" if high - low < _EXACT else ""
    return f"95 % interval {low:.3f} to {high:.3f}{certain}"


def _p(distance: float, low: float, high: float) -> float:
    """Two-sided, from the distances of a value and of the ends of its 95 % interval to no difference.

    The half of the interval that is nearer to no difference counts: p is at most .05 exactly where it excludes it.

    >>> round(_p(-2, -3, 0.01), 3), round(_p(-2, -5, -0.01), 3), _p(0, 0, 0)
    (0.051, 0.049, 1.0)
    """
    if math.isnan(distance) or math.isnan(low) or math.isnan(high):
        return math.nan
    width = high - low
    if width < _EXACT:
        return 1.0 if abs(distance) < 1e-9 else 0.0
    half = distance - low if distance > 0 else high - distance
    if half <= _EXACT or half >= width:  # the value is outside its interval
        half = width / 2
    return math.erfc(abs(distance) / (half / _Z) / math.sqrt(2))


def _biases(table: pd.DataFrame, sizes: Mapping[tuple[str, ...], Mapping[str, float]], balanced: str) -> list[Finding]:
    findings = []
    for row in _tested([{**record, "value": record["ratio"], "no_bias": 1.0} for record in table.to_dict("records")]):
        enough = _effective(row, sizes) >= LEAST_SIZE
        status = "" if row["intervals"] == "none" else status_of_test(row["p_adjusted"], enough=enough)
        findings.append(
            Finding(
                BIAS,
                f"{row['answers']}: {row['left']} over {row['right']}",
                status,
                f"{row['answers']}: {row['left']} right {decimal(row['ratio'])} times as often as {row['right']} once "
                f"{balanced} {'are' if ' and ' in balanced else 'is'} balanced (W-Bias; "
                f"{_interval(row['ci_low'], row['ci_high'])}){_in_words(status)}. Without weights "
                f"{decimal(row['plain_ratio'])}.",
                "ratio of weighted accuracies",
                **figures_of(row),
                scope=_SCOPE,
                note=f"balanced in {balanced} only",
            )
        )
    return findings


def _in_words(status: str) -> str:
    return f": {_WORDS[status]}" if status else ""


def _effective(row: Mapping[Any, Any], sizes: Mapping[tuple[str, ...], Mapping[str, float]]) -> float:
    """The smaller effective size of the two groups of a row; of a background that of the group."""
    both = [size for names, size in sizes.items() if row["left"] in names and row["right"] in names]
    own = both or [size for names, size in sizes.items() if row["left"] in names]
    return min((size[g] for size in own[:1] for g in (row["left"], row["right"]) if g in size), default=math.inf)


def _tests(table: pd.DataFrame) -> list[Finding]:
    rows = table.to_dict("records")
    findings = []
    for row, adjusted in zip(rows, holm([record["p_value"] for record in rows]).tolist(), strict=True):
        # Exchanges come in pairs that differ as much: few of them give no small p. With one the answers are the same.
        decisive = row["draws"] == 1 or bool(significant(2 * len(rows) / row["draws"]))
        status = status_of_test(adjusted, decisive=decisive)
        same = "differ" if significant(adjusted) else "do not differ clearly"
        findings.append(
            Finding(
                MODELS,
                f"{row['answers']}, {row['other_answers']}: {row['left']} over {row['right']}",
                status,
                f"{row['answers']} and {row['other_answers']} {same} in W-Bias, {row['left']} over "
                f"{row['right']}: {decimal(row['first'])} and {decimal(row['second'])}, adjusted p "
                f"{format_p_value(adjusted)}.",
                "difference of ratios",
                row["difference"],
                p_value=row["p_value"],
                p_adjusted=adjusted,
                n=int(row["draws"]),
                scope=_SCOPE,
                note="n: exchanges of the two models' answers",
            )
        )
    return [*_none_differ(findings), *findings]


def _none_differ(tests: Sequence[Finding]) -> list[Finding]:
    """One sentence in place of many, where no two models differ."""
    if len(tests) < 2 or any(finding.status != "none found" for finding in tests):
        return []
    least = min(finding.p_adjusted for finding in tests)
    statement = (
        f"No two models differ clearly in W-Bias ({count(len(tests), 'test')}, smallest adjusted p "
        f"{format_p_value(least)})."
    )
    return [Finding(MODELS, ALL_PAIRS, "none found", statement, p_adjusted=least, n=tests[0].n, scope=_SCOPE)]


def _metrics(table: pd.DataFrame, sizes: Mapping[tuple[str, ...], Mapping[str, float]], balanced: str) -> list[Finding]:
    """The contrasts of weighted metrics. Those without a direction are above 0 by chance and claim nothing."""
    if not len(table):
        return []
    findings = []
    for row in _tested([record for record in table.to_dict("records") if record["left"] != "*"]):
        heuristic = row["weights"] != "bound"
        most = "suspected" if heuristic else "clear"
        claims = bool(row["intervals"]) and not math.isnan(row["no_bias"])
        enough = _effective(row, sizes) >= LEAST_SIZE
        status = status_of_test(row["p_adjusted"], enough=enough, most=most) if claims else ""
        against = f" against {row['right']}" if row["right"] else ""
        findings.append(
            Finding(
                METRICS,
                f"{row['metric']}, {row['class']}: {row['left']}{against}",
                status,
                f"{row['metric']} of {row['left']}{against}, class {row['class']}: "
                f"{decimal(row['value'], signed=True)} with weights ({_interval(row['ci_low'], row['ci_high'])}), "
                f"{decimal(row['plain_value'], signed=True)} without{_in_words(status)}."
                + (" Weights are heuristic for this metric." if heuristic else ""),
                row["metric"],
                **figures_of(row),
                scope=_SCOPE,
                note=f"balanced in {balanced} only" + ("; weights heuristic" if heuristic else ""),
            )
        )
    return findings


def _tested(rows: Sequence[Mapping[Any, Any]]) -> list[dict[Any, Any]]:
    """The rows with the p-values of their intervals, adjusted over all of them."""
    p = [_p_of_metric(row) for row in rows]
    adjusted = holm(p).tolist()
    return [{**row, "p_value": own, "p_adjusted": of_all} for row, own, of_all in zip(rows, p, adjusted, strict=True)]


def _p_of_metric(row: Mapping[Any, Any]) -> float:
    """Of a metric with a direction; of ratios on the scale of the logarithm, as those of accuracies."""
    value, low, high, alike = row["value"], row["ci_low"], row["ci_high"], row["no_bias"]
    if alike == 1 and min(value, low, high) > 0:
        return _p(math.log(value), math.log(low), math.log(high))
    return _p(value - alike, low - alike, high - alike)
