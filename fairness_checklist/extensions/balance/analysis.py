"""A data set balanced by weights, as tables: what differs, what the weights cost, what to drop, weighted figures."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, Literal

import numpy as np
import pandas as pd

from fairness_checklist.core.arrays import FloatArray
from fairness_checklist.core.errors import OptionError, TableError, did_you_mean, first_ten
from fairness_checklist.core.option_defaults import SEED
from fairness_checklist.extensions.balance.balance_findings import balance_findings
from fairness_checklist.extensions.balance.properties import mechanism_warnings, read_properties
from fairness_checklist.extensions.balance.right_answers import bias_rows, randomization_rows, read_answers
from fairness_checklist.extensions.balance.trimming import LARGEST_WEIGHT, Trimmed, suggest_trimming
from fairness_checklist.extensions.balance.weighted_accuracy import DRAWS
from fairness_checklist.extensions.balance.weighted_metrics import weighted_metrics
from fairness_checklist.extensions.balance.weighting import Balance, balance
from fairness_checklist.findings.finding import Finding

Rule = tuple[str, str, str]
"""A condition on a property: name, one of = > >= < <=, and a value."""


@dataclass(frozen=True, eq=False)
class BalanceReport:
    """What `balanced_report` finds."""

    weights: tuple[Balance, ...]  # the weights of each pair of groups, or of all groups jointly: one entry
    properties: pd.DataFrame  # of each comparison the total variation distance of the groups before and after
    values: pd.DataFrame  # a row for each value of a property and group: rows, shares without and with weights
    groups: pd.DataFrame  # of each group rows, effective size, bound of Theorem 2.1, largest weight
    dropped: pd.DataFrame  # the values that were dropped, or get no weight, and why
    suggested: tuple[tuple[Trimmed, ...], ...]  # to be dropped so that no weight is above the limit
    subsamples: pd.DataFrame  # the largest balanced subsample of each comparison
    biases: pd.DataFrame  # acc-Bias and W-Bias of each column of right answers, also by property
    tests: pd.DataFrame  # randomization tests between two of these columns
    metrics: pd.DataFrame  # see `weighted_metrics`; empty where nothing was evaluated
    findings: tuple[Finding, ...]  # what the answer claims and describes, the strongest first
    warnings: tuple[str, ...]  # warnings, notes: what a reader should know
    notes: tuple[str, ...]
    limit: float = LARGEST_WEIGHT  # the largest weight that is not an outlier

    @property
    def rows(self) -> dict[str, FloatArray]:
        """The weights (n,) of the rows as columns ``weight``, or ``weight:LEFT,RIGHT`` of several pairs."""
        names = ["weight"] if len(self.weights) == 1 else [f"weight:{_name(own)}" for own in self.weights]
        return {name: own.weight.round(12) for name, own in zip(names, self.weights, strict=True)}

    def tables(self) -> dict[str, pd.DataFrame]:
        """The tables that have rows, by name."""
        names = ("properties", "values", "groups", "dropped", "subsamples", "biases", "tests", "metrics")
        return {name: getattr(self, name) for name in names if len(getattr(self, name))}


@dataclass(frozen=True, eq=False)
class BalanceChoices:
    """How a data set is balanced and what is evaluated."""

    between: Sequence[str] | None = None  # the groups to compare, in order; by default all
    pairwise: bool = False  # each two groups on their own, as in the paper; by default all groups jointly
    drop: Sequence[Rule] = ()  # rules that rows are left out by
    trim: bool = False  # drop what is suggested
    limit: float = LARGEST_WEIGHT  # the largest weight that is not an outlier
    bins: int | None = None  # of numbers; None for 5 where they have more than 30 values
    correct: Sequence[str] = ()  # columns that say whether a model's answer is right, from 0 to 1
    evaluate: bool = False  # compute metrics of the predictions in the table
    metrics: Sequence[str] | None = None  # their ids
    task: str = "sentiment"  # task, classes, labels: as in `evaluate`
    classes: Sequence[str] = ()
    labels: Mapping[str, str] | None = field(default=None, hash=False)
    intervals: Literal["again", "given"] = "again"  # "again" or "given", see `weighted_bias`
    draws: int = DRAWS  # draws, seed: of intervals and tests
    seed: int = SEED
    mechanisms: Sequence[str] = ()  # properties that are declared to be how bias comes about
    notes: Sequence[str] = ()  # how the data were read, as phrases


def balanced_report(
    frame: pd.DataFrame, group_column: str, properties: Sequence[str], choices: BalanceChoices | None = None
) -> BalanceReport:
    """Balance a data set, and measure with the weights.

    Args:
        frame: n rows.
        group_column: the column of the groups.
        properties: columns, or properties that are computed: length, names, position, words_before.
        choices: see `BalanceChoices`.

    Raises:
        TableError: a column that is missing.
        OptionError: no weights balance the groups, or a wrong option.

    >>> frame = pd.DataFrame({"sex": ["f", "m"] * 4, "length": [1, 1, 2, 1, 2, 2, 1, 1]})
    >>> frame["ok"] = frame["length"] == 1
    >>> found = balanced_report(frame, "sex", ["length"], BalanceChoices(correct=["ok"], draws=0))
    >>> found.properties[["property", "before", "after"]].values.tolist()
    [['length', 0.25, 0.0]]
    >>> found.biases[["answers", "plain_ratio", "ratio"]].round(3).values.tolist()
    [['ok', 0.667, 1.0]]
    """
    chosen = choices or BalanceChoices()
    if group_column not in frame.columns:
        raise TableError(
            f"the table has no column {group_column}.",
            remedy=f"Its columns are {first_ten(frame.columns)}.{did_you_mean(group_column, map(str, frame.columns))}",
        )
    group = frame[group_column]
    table, raw, notes = read_properties(frame, properties, bins=chosen.bins)
    warnings = mechanism_warnings(frame, table, group, declared=chosen.mechanisms)
    columns = {**{str(name): frame[name] for name in frame.columns}, **raw}
    group, asked = _without_dropped(group, columns, chosen.drop)
    weights, suggested, untrimmed = _solved(group, table, chosen)
    answers = {name: read_answers(frame, name, group) for name in chosen.correct}
    options: dict[str, Any] = {"intervals": chosen.intervals, "draws": chosen.draws, "seed": chosen.seed}
    measured = {
        "dropped": _dropped(weights, chosen.trim, asked, suggested),
        "properties": _by_comparison(weights, _properties),
        "biases": bias_rows(answers, group, table, weights, **options),
        "tests": randomization_rows(answers, weights, seed=chosen.seed),
        "metrics": _metrics(frame, weights, chosen),
    }
    return BalanceReport(
        **measured,
        findings=balance_findings(weights, suggested, measured, warnings, chosen.limit),
        weights=weights,
        values=_by_comparison(weights, _values),
        groups=_by_comparison(weights, _groups),
        suggested=suggested,
        subsamples=_by_comparison(weights, _subsample),
        warnings=tuple(warnings.values()),
        notes=tuple(dict.fromkeys([*chosen.notes, *notes, *untrimmed])),
        limit=chosen.limit,
    )


def _solved(
    group: pd.Series, table: pd.DataFrame, chosen: BalanceChoices
) -> tuple[tuple[Balance, ...], tuple[tuple[Trimmed, ...], ...], list[str]]:
    """The weights of each comparison, the values whose trimming is suggested for it, and why there are none."""
    joint = balance(group, table, between=chosen.between)
    weights, suggested, notes = [], [], []
    for between in combinations(joint.groups, 2) if chosen.pairwise else [joint.groups]:
        own = joint if between == joint.groups else balance(group, table, between=between)
        try:
            values, trimmed = suggest_trimming(group, table, between=between, largest_weight=chosen.limit)
        except OptionError as error:
            if chosen.trim:
                raise
            values, trimmed = [], own
            notes.append(error.message.removesuffix("."))
        weights.append(trimmed if chosen.trim else own)
        suggested.append(tuple(values))
    return tuple(weights), tuple(suggested), notes


_COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    "=": operator.eq, ">": operator.gt, ">=": operator.ge, "<": operator.lt, "<=": operator.le,
}  # fmt: skip


def _without_dropped(
    group: pd.Series, columns: Mapping[str, pd.Series], rules: Sequence[Rule]
) -> tuple[pd.Series, list[dict[str, Any]]]:
    """The groups of the rows that no rule leaves out, and the rows of each. Numbers are compared before binning."""
    asked: list[dict[str, Any]] = []
    for name, sign, value in rules:
        if name not in columns:
            raise OptionError(
                f"drop names {name!r}, which is neither a column nor a property that is balanced.",
                remedy=f"Columns: {first_ten(columns)}.{did_you_mean(name, columns)}",
            )
        column = columns[name]
        if sign == "=" and not pd.api.types.is_numeric_dtype(column):
            matches = column.astype(str) == value
        else:
            try:
                limit = float(value)
            except ValueError:
                raise OptionError(f"drop: {name}{sign}{value} compares with {value!r}, which is no number.") from None
            matches = _COMPARE[sign](pd.to_numeric(column, errors="coerce"), limit)
        if not matches.any():
            raise OptionError(f"drop: no row has {name}{sign}{value}.", remedy="Leave it out.")
        shown = value if sign == "=" else f"{sign} {value}"
        rows = int((matches & group.notna()).sum())
        asked.append({"groups": "", "property": name, "value": shown, "rows": rows, "reason": "as asked"})
        group = group.where(~matches)
    return group, asked


def _distance(table: np.ndarray[Any, Any]) -> float:
    """The largest total variation distance between two groups' distributions, (G, V) sums."""
    share = table / table.sum(axis=1, keepdims=True)
    pairs = combinations(range(len(share)), 2)
    return float(max(np.abs(share[a] - share[b]).sum() / 2 for a, b in pairs))


def _name(weights: Balance) -> str:
    return ",".join(weights.groups)


def _by_comparison(weights: Sequence[Balance], table: Callable[[Balance], pd.DataFrame]) -> pd.DataFrame:
    """The tables of all comparisons, each with its groups in front."""
    tables = [table(own) for own in weights]
    for own, part in zip(weights, tables, strict=True):
        part.insert(0, "groups", _name(own))
    return pd.concat(tables, ignore_index=True)


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
                "one_sided": sum(property_ == name for property_, _value, _groups in weights.one_sided),
            }
        )
    return pd.DataFrame(rows)


def _values(weights: Balance) -> pd.DataFrame:
    rows = []
    for p, name in enumerate(weights.properties):
        before, after = weights.counts(name)
        for g, group in enumerate(weights.groups):
            for v in np.flatnonzero(before.any(axis=0)):
                rows.append(
                    {
                        "property": name,
                        "value": weights.values[p][v],
                        "group": group,
                        "rows": int(before[g, v]),
                        "share": before[g, v] / before[g].sum(),
                        "weight": after[g, v],
                        "weighted_share": after[g, v] / after[g].sum(),
                    }
                )
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


def _subsample(weights: Balance) -> pd.DataFrame:
    n, proven = weights.largest_subsample()
    return pd.DataFrame({"rows": [weights.n], "largest_subsample": [n], "proven": [proven]})


def _dropped(
    weights: Sequence[Balance], trim: bool, asked: Sequence[dict[str, Any]], suggested: Sequence[Sequence[Trimmed]]
) -> pd.DataFrame:
    rows = list(asked)
    for own, trimmed in zip(weights, suggested, strict=True):
        if trim:
            rows += [{"groups": _name(own), **vars(value)} for value in trimmed]
        for name, value, lacking in own.one_sided:
            reason = f"weight 0: {', '.join(lacking)} has none"
            row = {"groups": _name(own), "property": name, "value": value, "rows": own.rows_with(name, value)}
            rows.append(row | {"reason": reason})
    return pd.DataFrame(rows, columns=["groups", "property", "value", "rows", "reason"])


def _metrics(frame: pd.DataFrame, weights: Sequence[Balance], chosen: BalanceChoices) -> pd.DataFrame:
    if not chosen.evaluate:
        return pd.DataFrame()
    names = ("metrics", "task", "classes", "labels", "intervals", "draws", "seed")
    options = {name: getattr(chosen, name) for name in names}
    tables = [weighted_metrics(frame, own, **options).assign(groups=_name(own)) for own in weights]
    return pd.concat(tables, ignore_index=True)
