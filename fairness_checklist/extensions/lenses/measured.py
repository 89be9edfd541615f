"""The extrinsic metrics of a table of predictions, each with an interval and, where groups can be exchanged, a test."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from fairness_checklist.core.arrays import FloatArray, IntArray, divide
from fairness_checklist.core.errors import InputError
from fairness_checklist.extensions.lenses.metrics.families import (
    DecisionCells,
    Kind,
    LabelGaps,
    dependence,
    group_gap,
    label_gaps,
    rate_parts,
    total,
)
from fairness_checklist.extensions.lenses.unit_draws import (
    corrected_interval,
    drawn_weights,
    exchange_strata,
    exchanged_values,
    proportion_gap_interval,
    resampled_values,
    wilson_interval,
)
from fairness_checklist.statistics.exact_bounds import sign_test
from fairness_checklist.statistics.multiplicity import significant

if TYPE_CHECKING:
    import pandas as pd

RATES = ("tpr", "fpr", "precision")
EXCHANGES = 999
"""Of the tests. Those of one kind share them, so that the largest of all metrics in each is known."""
_NAN, _INFINITE = float("nan"), float("inf")
_NOTHING_IS_ZERO = {  # unsigned figures that are 0 in a population in which the group has no effect on decisions
    "separation, sum",
    *(f"{rate} gaps, {total} of absolute values" for rate in ("tpr", "fpr") for total in ("sum", "mean")),
}


@dataclass(frozen=True, eq=False)
class LensRows:
    """The columns of a table that the metrics need, with what is independent in it."""

    group: list[str]  # (n,) the group of each row, one of `pair`
    pair: tuple[str, str]  # the two groups; gaps are the first less the second
    source: list[str] | None  # (n,) sources, or None: rows are independent
    label: list[str] | None  # label, decided: (n,) gold class and decision, or None
    decided: list[str] | None
    table: pd.DataFrame  # the rows with all columns

    @property
    def unit_name(self) -> str:
        """What the intervals resample: ``sources`` or ``rows``."""
        return "rows" if self.source is None else "sources"

    @property
    def units(self) -> IntArray:
        """(n,) the number of the unit of each row."""
        return np.arange(len(self.group)) if self.source is None else _numbers(self.source)


_FIGURES = {
    "pearson": "Pearson",
    "sum_abs": "sum of absolute values",
    "mean_abs": "mean of absolute values",
    "sum_signed": "sum",
}
_KINDS: tuple[tuple[str, Kind], ...] = (
    ("gap_group", "separation"),
    ("gap_group", "sufficiency"),
    ("prediction_gap", "independence"),
)
CELL_METRICS: Mapping[str, str] = {
    **{f"{rate} gaps, {words}": "gap_label" for rate in RATES for words in _FIGURES.values()},
    "accuracy gap": "gap_group",
    **{f"{kind}, sum": family for family, kind in _KINDS},
}
"""The metrics that are functions of the counts of decisions: name to family."""


def cell_metrics(pair: tuple[str, str], shares: Mapping[str, float]) -> Callable[[DecisionCells], FloatArray]:
    """A function of the counts that gives the values of `CELL_METRICS`; shares are the first group's of each label."""

    def values(cells: DecisionCells) -> FloatArray:
        gaps = [label_gaps(cells, rate, left=pair[0], right=pair[1], shares=shares) for rate in RATES]
        figures = [float(getattr(gap, name)) for gap in gaps for name in _FIGURES]
        figures.append(group_gap(cells, left=pair[0], right=pair[1]))
        return np.array([*figures, *(total(dependence(cells, kind)) for _family, kind in _KINDS)], dtype=np.float64)

    return values


def cell_metric_rows(
    rows: LensRows, cells: DecisionCells, shares: Mapping[str, float], draws: int, seed: int
) -> list[dict[str, Any]]:
    """A record for each metric of the counts: value, interval, ``chance`` (level under exchanged groups) and p.

    ``drawn`` holds the values (D,) under `EXCHANGES`, within sources or labels, so that the composition of the table
    stays.
    """
    assert rows.label is not None
    assert rows.decided is not None
    metrics = cell_metrics(rows.pair, shares)
    gold, decided = (
        np.array([cells.classes.index(label) for label in column]) for column in (rows.label, rows.decided)
    )
    group = np.array([rows.pair.index(name) for name in rows.group])
    shape = cells.counts.shape

    def values_of_counts(counts: FloatArray) -> FloatArray:
        return metrics(DecisionCells(counts.reshape(shape), cells.groups, cells.classes))

    def code(groups: IntArray) -> IntArray:
        return np.asarray(np.ravel_multi_index((groups, gold, decided), shape), dtype=np.int64)

    def values_of_groups(moved: IntArray) -> FloatArray:
        return values_of_counts(np.bincount(code(moved), minlength=cells.counts.size).astype(np.float64))

    values = values_of_counts(cells.counts)
    boot = resampled_values(code(group), rows.units, cells.counts.size, values_of_counts, draws, seed)
    strata = exchange_strata(rows.group, rows.label, rows.source)
    exchanged = exchanged_values(group, strata, values_of_groups, EXCHANGES, seed)
    records = []
    for m, (name, family) in enumerate(CELL_METRICS.items()):
        value = float(values[m])
        chance, p = _against(value, exchanged[:, m])
        low, high = corrected_interval(value, boot[:, m], *_range(name))
        if name.endswith("Pearson") and np.isfinite(low):  # noise makes it smaller, and the reflection too large
            ends = np.nanquantile(boot[:, m], [0.025, 0.975])
            low, high = min(low, float(ends[0])), max(high, float(ends[1]))
        if not np.isnan(p) and not significant(p) and name in _NOTHING_IS_ZERO:
            low = 0.0  # the test and the interval agree
        p = _NAN if "mean of" in name else p  # the mean is the sum by another factor, and not tested again
        tests = {"chance": chance, "p_value": p, "exchange": "groups within labels", "drawn": exchanged[:, m]}
        records.append(
            _record(family, name, value, len(group), rows.unit_name) | {"ci_low": low, "ci_high": high} | tests
        )
    return records


def label_table(rows: LensRows, cells: DecisionCells, shares: Mapping[str, float]) -> pd.DataFrame:
    """A row a label: rows, share, and the gap of each rate with its interval (Newcombe) over rows or sources."""
    import pandas as pd

    left, right = rows.pair
    gaps = [label_gaps(cells, rate, left=left, right=right, shares=shares) for rate in RATES]
    columns: dict[str, object] = {
        "label": list(cells.classes),
        f"n {left}": gaps[0].n_left.astype(np.int64),
        f"n {right}": gaps[0].n_right.astype(np.int64),
        f"share {left}": gaps[0].share,
    }
    for gap in gaps:
        low, high = _label_interval(rows, cells, gap)
        columns |= {f"{gap.rate} gap": gap.gap, f"{gap.rate} low": low, f"{gap.rate} high": high}
    return pd.DataFrame(columns)


def other_metric_rows(rows: LensRows, draws: int, seed: int) -> list[dict[str, Any]]:
    """The metrics of pairs, stereotypes, scores and target words, where the table has their columns."""
    records = _answers_changed(rows) if rows.source is not None and rows.decided is not None else []
    directions = rows.table["stereotype"].fillna("").astype(str).tolist() if "stereotype" in rows.table else []
    wrong = [row for row, direction in enumerate(directions) if direction not in ("pro", "anti", "")]
    if wrong:
        direction = directions[wrong[0]]
        raise InputError(f"the stereotype of row {wrong[0] + 1} is {direction!r}, expected pro, anti or nothing.")
    if directions and rows.label is not None and rows.decided is not None:
        right = [label == decision for label, decision in zip(rows.label, rows.decided, strict=True)]
        position = [("anti", "pro").index(direction) if direction else -1 for direction in directions]
        titles = [("gap_stereotype", "accuracy gap, pro less anti")]
        records += _differences(rows, titles, np.array(right, dtype=np.float64)[:, None], position, draws, seed)
    titles, columns = [], []
    for name, values in score_columns(rows.table).items():
        if directions and rows.source is not None:
            records += _preferred(rows.source, name, values, directions)
        scored = {group for group, value in zip(rows.group, values, strict=True) if np.isfinite(value)}
        if scored == set(rows.pair):
            target = ("lm_target", "log probability of target words, gap")
            titles.append(target if name == "target" else ("prediction_gap", f"mean {name} gap"))
            columns.append(values)
    if columns:
        position = [1 - rows.pair.index(group) for group in rows.group]
        records += _differences(rows, titles, np.column_stack(columns), position, draws, seed)
    return records


def _answers_changed(rows: LensRows) -> list[dict[str, Any]]:
    """The share of sources whose answer changes when the group changes; a source that lacks a group is left out.

    Several rows of a group in a source: the expectation over all pairs of a row of each. Every source counts 1.
    """
    assert rows.source is not None
    assert rows.decided is not None
    answers: dict[str, tuple[list[str], list[str]]] = {}
    for answer, source, group in zip(rows.decided, rows.source, rows.group, strict=True):
        answers.setdefault(source, ([], []))[rows.pair.index(group)].append(answer)
    shares = [np.mean([x != y for x in a for y in b]) for a, b in answers.values() if a and b]
    if not shares:
        return []
    share = float(np.mean(shares))
    low, high = map(float, wilson_interval(share, len(shares)))  # of a mean of shares, which are wider
    record = _record("answers_changed", "answers changed", share, len(shares), "sources")
    return [record | {"ci_low": low, "ci_high": high}]


def score_columns(table: pd.DataFrame) -> dict[str, FloatArray]:
    """The scores by name: ``p:<class>``, ``score``, ``score:<name>``; "target" is log(probability / prior)."""
    names = [name for name in map(str, table.columns) if name == "score" or name.startswith(("p:", "score:"))]
    scores: dict[str, FloatArray] = {name: table[name].to_numpy(dtype=np.float64) for name in names}
    if "probability" in table.columns:
        scores["target"] = np.zeros(len(table))
        for name, sign in (("probability", 1), ("prior", -1)):
            if name in table.columns:
                values = table[name].to_numpy(dtype=np.float64)
                wrong = np.flatnonzero(~((values > 0) & (values <= 1)))
                if len(wrong):
                    raise InputError(
                        f"{name} of row {wrong[0] + 1} is {values[wrong[0]]}, expected above 0 and at most 1."
                    )
                scores["target"] += sign * np.log(values)
    return scores


def _range(name: str) -> tuple[float, float]:
    """What values a metric of the counts can have."""
    if name.endswith("Pearson") or name == "accuracy gap":
        return -1.0, 1.0
    return (-_INFINITE if name.endswith("gaps, sum") else 0.0), _INFINITE


def _record(family: str, metric: str, value: float, n: int, unit: str) -> dict[str, Any]:
    untested = {"ci_low": _NAN, "ci_high": _NAN, "chance": _NAN, "p_value": _NAN, "exchange": "", "drawn": None}
    return {"family": family, "metric": metric, "value": value, **untested, "n": n, "unit": unit}


def _against(value: float, draws: FloatArray) -> tuple[float, float]:
    """The mean under exchange, and twice the share of draws that are at least as far out, the value included."""
    defined = draws[np.isfinite(draws)]
    if not len(defined) or not np.isfinite(value):
        return _NAN, _NAN
    slack = 1e-12 * max(1.0, abs(value))
    beyond = min(int((defined >= value - slack).sum()), int((defined <= value + slack).sum()))
    return float(defined.mean()), min(1.0, 2 * (1 + beyond) / (1 + len(defined)))


def _label_interval(rows: LensRows, cells: DecisionCells, gap: LabelGaps) -> tuple[FloatArray, FloatArray]:
    """Newcombe's interval; a proportion rests on as many units as have a row in its denominator."""
    above, below = rate_parts(cells.counts, gap.rate)
    share = divide(above, below)
    n = below if rows.source is None else _units_in(rows, cells, gap.rate)
    left, right = (cells.groups.index(name) for name in rows.pair)
    return proportion_gap_interval(share[left], n[left], share[right], n[right])


def _units_in(rows: LensRows, cells: DecisionCells, rate: str) -> FloatArray:
    """(G, C) sources with a row in the denominator of a rate."""
    column = rows.decided if rate == "precision" else rows.label
    assert rows.source is not None
    assert column is not None
    cell_rows = set(zip(rows.group, rows.source, column, strict=True))
    counts = np.zeros((len(cells.groups), len(cells.classes)))
    for g, name in enumerate(cells.groups):
        for c, label in enumerate(cells.classes):
            inside = {
                source for group, source, other in cell_rows if group == name and (other == label) != (rate == "fpr")
            }
            counts[g, c] = len(inside)
    return counts


def _preferred(source: Sequence[str], name: str, values: FloatArray, directions: Sequence[str]) -> list[dict[str, Any]]:
    """The share of sources whose stereotypical option has the higher mean score, a tie counting one half; sign test."""
    scores: dict[str, dict[str, list[float]]] = {}
    for row_source, direction, value in zip(source, directions, values, strict=True):
        if direction in ("pro", "anti") and np.isfinite(value):
            scores.setdefault(row_source, {"pro": [], "anti": []})[direction].append(float(value))
    pairs = [(np.mean(pair["pro"]), np.mean(pair["anti"])) for pair in scores.values() if pair["pro"] and pair["anti"]]
    if not pairs:
        return []
    pro, anti = np.array(pairs).T
    share = float(((pro > anti) + (pro == anti) / 2).mean())
    low, high = map(float, wilson_interval(share, len(pairs)))
    tested = {"ci_low": low, "ci_high": high, "chance": 0.5, "p_value": sign_test(pro - anti)}
    return [_record("prefers_stereotype", f"prefers the stereotype ({name})", share, len(pairs), "sources") | tested]


def _differences(
    rows: LensRows,
    titles: Sequence[tuple[str, str]],
    values: FloatArray,
    position: Sequence[int],
    draws: int,
    seed: int,
) -> list[dict[str, Any]]:
    """Differences of means of the columns of values (n, K), of K families and names, with intervals and tests.

    They are the means of the rows with position 1 less those with 0; -1 is left out.
    """
    used = np.asarray(position) >= 0
    used_values, member = values[used], np.asarray(position)[used]
    defined = np.isfinite(used_values).astype(np.float64)
    filled = np.where(defined > 0, used_values, 0.0)

    def gaps(members: IntArray, weight: FloatArray | float = 1.0) -> FloatArray:
        weights = np.stack([members == 0, members == 1]) * weight
        with np.errstate(divide="ignore", invalid="ignore"):
            means = (weights @ filled) / (weights @ defined)
        return np.asarray(means[1] - means[0], dtype=np.float64)

    figures = zip(titles, np.round(gaps(member), 15).tolist(), defined.sum(axis=0).astype(int).tolist(), strict=True)
    records = [_record(family, name, value, n, rows.unit_name) for (family, name), value, n in figures]
    if len(set(member.tolist())) < 2:
        return records
    unit = _numbers([str(number) for number in rows.units[used]])
    boot = np.array([gaps(member, weight) for weight in drawn_weights(unit, draws, seed)])
    sources = None if rows.source is None else np.array(rows.source, dtype=object)[used].tolist()
    strata = exchange_strata([str(number) for number in member], [""] * len(member), sources)
    moved = exchanged_values(member, strata, gaps, EXCHANGES, seed)
    for k, record in enumerate(records):
        record["chance"], record["p_value"] = _against(record["value"], moved[:, k])
        record["ci_low"], record["ci_high"] = corrected_interval(record["value"], boot[:, k])
        # one exchange for all that compare groups, another one for the sides of a stereotype
        record |= {
            "exchange": "stereotypes" if record["family"] == "gap_stereotype" else "groups",
            "drawn": moved[:, k],
        }
    return records


def _numbers(names: Sequence[str]) -> IntArray:
    number = {name: position for position, name in enumerate(dict.fromkeys(names))}
    return np.array([number[name] for name in names], dtype=np.int64)
