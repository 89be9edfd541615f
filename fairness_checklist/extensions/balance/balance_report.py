"""A data set balanced by weights: what differs, what the weights cost, and weighted accuracies of models."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import comb
from typing import Any

import numpy as np
import pandas as pd

from fairness_checklist.core.did_you_mean import did_you_mean
from fairness_checklist.core.errors import TableError, UndefinedError, count, first_ten
from fairness_checklist.core.formatting import decimal, format_p_value, join_names, percent, points
from fairness_checklist.extensions.balance.properties import read_properties
from fairness_checklist.extensions.balance.weighted_accuracy import (
    DRAWS,
    TEST_DRAWS,
    randomization_test,
    weighted_biases,
)
from fairness_checklist.extensions.balance.weighting import Balance, balance
from fairness_checklist.statistics.multiplicity import draws_to_decide, holm, significant
from fairness_checklist.tables.files import Table, table_of

LEAST_SIZE = 10.0
"""Effective size of a group below which an interval says little."""
_MOST_SENTENCES = 6  # about models
_BIAS_COLUMNS = ["answers", "left", "right", "accuracy_left", "accuracy_right", "plain_ratio", "ratio"]
_BIAS_COLUMNS += ["ci_low", "ci_high", "intervals", "n"]


@dataclass(frozen=True, eq=False)
class BalanceReport:
    """What `balanced_report` finds."""

    weights: Balance
    tables: Mapping[str, pd.DataFrame]  # those that have rows: properties, values, groups, biases, tests
    sentences: tuple[str, ...]  # the answer in words
    notes: tuple[str, ...]  # what a reader should know


def balanced_report(
    frame: Table,
    group_column: str,
    properties: Sequence[str],
    *,
    between: Sequence[str] | None = None,
    correct: Sequence[str] = (),
    draws: int = DRAWS,
) -> BalanceReport:
    """Balance a data set, and compare the accuracies of models by columns that say how right each answer is."""
    frame = table_of(frame)
    if group_column not in frame.columns:
        raise TableError(
            f"the table has no column {group_column}.",
            remedy=f"Its columns are {first_ten(frame.columns)}.{did_you_mean(group_column, map(str, frame.columns))}",
        )
    table, computed = read_properties(frame, properties)
    group = frame[group_column]
    weights = balance(group, table, between=between)
    answers = {name: read_answers(frame, name, group) for name in correct}
    tables = {
        "properties": _properties(weights),
        "values": _values(weights),
        "groups": _groups(weights),
        "biases": _biases(answers, weights, draws),
        "tests": _tests(answers, weights),
    }
    return BalanceReport(
        weights=weights,
        tables={name: rows for name, rows in tables.items() if len(rows)},
        sentences=(*_about_weights(weights, tables["properties"]), *_about_models(weights, tables)),
        notes=tuple(dict.fromkeys(computed)),
    )


def read_answers(frame: pd.DataFrame, name: str, group: pd.Series) -> pd.Series:
    """(n,) how right each answer of a column is, from 0 to 1."""
    if name not in frame.columns:
        raise TableError(f"there is no column {name}.", remedy=f"Columns: {first_ten(frame.columns)}.")
    words = {"true": "1", "false": "0", "yes": "1", "no": "0"}
    cells = frame[name].astype(str).str.strip()
    column = pd.to_numeric(cells.str.lower().replace(words), errors="coerce").astype(float)
    wrong = cells[~column.between(0, 1) & frame[name].notna()]
    if len(wrong):
        raise TableError(
            f"the column {name} holds {wrong.iloc[0]!r}; expected 1 (the answer is right), 0 (wrong), or a "
            "number between.",
            remedy="Compare the answers with the labels first.",
        )
    empty = column.isna() & group.notna()
    if empty.any():
        raise TableError(
            f"the column {name} is empty in {count(int(empty.sum()), 'row')} with a group.",
            remedy="Fill in 0 where a model gives no answer, or leave the rows out.",
        )
    return column


def _distance(table: np.ndarray[Any, Any]) -> float:
    """The largest total variation distance between two groups' distributions, (G, V) sums."""
    share = table / table.sum(axis=1, keepdims=True)
    return float(max(np.abs(first - second).sum() / 2 for first, second in combinations(share, 2)))


def _properties(weights: Balance) -> pd.DataFrame:
    rows = []
    for name in weights.properties:
        before, after = weights.counts(name)
        rows.append(
            {
                "property": name,
                "values": int((before.sum(axis=0) > 0).sum()),
                "before": round(_distance(before), 12),
                "after": round(_distance(after), 9),
                "one_sided": sum(name == property_name for property_name, _value, _groups in weights.one_sided),
            }
        )
    return pd.DataFrame(rows)


def _values(weights: Balance) -> pd.DataFrame:
    """The histograms of Appendix B: rows and weights of each value by group, and their shares."""
    rows = []
    for name, values in zip(weights.properties, weights.values, strict=True):
        before, after = weights.counts(name)
        for g, group in enumerate(weights.groups):
            for v in np.flatnonzero(before.any(axis=0)):
                row = {"property": name, "value": values[v], "group": group, "rows": int(before[g, v])}
                row |= {"share": before[g, v] / before[g].sum(), "weight": after[g, v]}
                rows.append(row | {"weighted_share": after[g, v] / after[g].sum()})
    return pd.DataFrame(rows)


def _groups(weights: Balance) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "group": list(weights.groups),
            "rows": weights.rows,
            "effective_size": weights.effective_size,
            "bound": weights.bound,
            "largest_weight": weights.largest_weight,
            "rows_without_weight": weights.zero_rows,
        }
    )


def _pairs(weights: Balance) -> list[Balance]:
    """The weights with each two groups in front."""
    pairs = []
    for left, right in combinations(range(len(weights.groups)), 2):
        order = [left, right, *(g for g in range(len(weights.groups)) if g not in (left, right))]
        cells = replace(weights.cells, group=np.argsort(order)[weights.cells.group])
        pairs.append(replace(weights, groups=tuple(weights.groups[g] for g in order), cells=cells))
    return pairs


def _biases(answers: Mapping[str, pd.Series], weights: Balance, draws: int) -> pd.DataFrame:
    """acc-Bias and W-Bias of each model's right answers and each two groups."""
    of_pairs = [weighted_biases(list(answers.values()), pair, draws=draws) for pair in _pairs(weights)]
    rows = []
    for name, of_model in zip(answers, zip(*of_pairs, strict=True), strict=True):
        for bias in of_model:
            ratios = (bias.plain_ratio, bias.ratio, *bias.ratio_interval)
            rows.append((name, *bias.groups, *bias.accuracy, *ratios, bias.method, bias.n))
    return pd.DataFrame(rows, columns=_BIAS_COLUMNS)


def _tests(answers: Mapping[str, pd.Series], weights: Balance) -> pd.DataFrame:
    """The randomization test of each two models' right answers; without those whose ratio is undefined."""
    rows = []
    pairs = _pairs(weights)
    draws = draws_to_decide(len(pairs) * comb(len(answers), 2), TEST_DRAWS)
    for first, second in combinations(answers, 2):
        for pair in pairs:
            try:
                test = randomization_test(answers[first], answers[second], pair, draws=draws)
            except UndefinedError:
                continue
            sides = {"left": pair.groups[0], "right": pair.groups[1]}
            rows.append({"answers": first, "other_answers": second, **sides, **vars(test)})
    return pd.DataFrame(rows).assign(p_adjusted=holm([row["p_value"] for row in rows])) if rows else pd.DataFrame()


def _about_weights(weights: Balance, properties: pd.DataFrame) -> list[str]:
    """What differed, what the weights cost, and which values are one-sided."""
    shares = zip(properties["property"], properties["before"], strict=True)
    differ = join_names([f"{name} ({percent(before)} of the rows)" for name, before in shares], 8)
    sentences = [f"{join_names(list(weights.groups))} differ in {differ}; with the weights they do not."]
    sizes = zip(weights.groups, weights.effective_size, weights.rows, strict=True)
    effective = join_names([f"{group} {size:,.0f} of {rows:,} rows" for group, size, rows in sizes], 8)
    bounds = zip(weights.groups, weights.bound.tolist(), strict=True)
    moved = join_names([f"{group} by {points(bound)}" for group, bound in bounds], 8)
    lost = int(weights.zero_rows.sum())
    sentences.append(
        f"Effective size: {effective}. In the worst case the weights move the accuracy of {moved}."
        + (f" {count(lost, 'row')} {'gets' if lost == 1 else 'get'} no weight." if lost else "")
    )
    if weights.one_sided:
        values = [
            f"{name} {value} (none in {join_names(list(lacking), 2)})" for name, value, lacking in weights.one_sided
        ]
        sentences.append(f"Rows of one-sided values get no weight: {join_names(values, 3)}.")
    return sentences


def _about_models(weights: Balance, tables: Mapping[str, pd.DataFrame]) -> list[str]:
    """W-Bias of each model with its interval, and whether two models differ in it."""
    sizes = dict(zip(weights.groups, weights.effective_size.tolist(), strict=True))
    balanced = join_names(list(weights.properties)) + (" are" if len(weights.properties) > 1 else " is")
    sentences = []
    for row in tables["biases"][:_MOST_SENTENCES].to_dict("records"):
        interval = "no interval"
        if not math.isnan(row["ci_low"] + row["ci_high"]):
            certain = ", as the properties decide each answer" if row["ci_high"] - row["ci_low"] < 1e-12 else ""
            interval = f"95 % interval {row['ci_low']:.3f} to {row['ci_high']:.3f}{certain}"
        if min(sizes[row["left"]], sizes[row["right"]]) < LEAST_SIZE:
            interval += "; too few rows to say"
        sentences.append(
            f"{row['answers']}: {row['left']} right {decimal(row['ratio'])} times as often as {row['right']} once "
            f"{balanced} balanced (W-Bias; {interval}). Without weights {decimal(row['plain_ratio'])}."
        )
    tests = tables["tests"]
    if len(tests) > 1 and not any(significant(p) for p in tests["p_adjusted"]):
        least = format_p_value(tests["p_adjusted"].min())
        models = f"No two models differ clearly in W-Bias ({count(len(tests), 'test')}, smallest adjusted p {least})."
        return [*sentences, models]
    for row in tests[:_MOST_SENTENCES].to_dict("records"):
        verb = "differ" if significant(row["p_adjusted"]) else "do not differ clearly"
        sentences.append(
            f"{row['answers']} and {row['other_answers']} {verb} in W-Bias, {row['left']} over {row['right']}: "
            f"{decimal(row['first'])} and {decimal(row['second'])}, adjusted p {format_p_value(row['p_adjusted'])}."
        )
    return sentences
