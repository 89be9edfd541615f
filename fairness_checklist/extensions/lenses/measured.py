"""The extrinsic metrics of a table of predictions: intervals resample rows or sources, tests exchange groups."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from fairness_checklist.core.arrays import FloatArray, IntArray
from fairness_checklist.core.errors import InputError
from fairness_checklist.core.progress import followed
from fairness_checklist.extensions.lenses.metrics.families import (
    RATES,
    DecisionCells,
    Kind,
    dependence,
    group_gap,
    label_gaps,
    total,
)
from fairness_checklist.statistics.exact_bounds import sign_test
from fairness_checklist.statistics.multiplicity import significant

EXCHANGES = 999  # Of the tests. Those of one kind share them, so that the largest of all metrics in each is known
_Z = 1.959963984540054
Statistic = Callable[[IntArray, FloatArray], FloatArray]
"""The metrics (m,) of the groups (n,) and weights (n,) of the rows."""
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
        return "rows" if self.source is None else "sources"

    @property
    def units(self) -> IntArray:
        """(n,) the number of the unit of each row."""
        return np.arange(len(self.group)) if self.source is None else unit_numbers(self.source)


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
UNTESTED = {f"{rate} gaps, mean of absolute values" for rate in RATES}
"""The mean is the sum by another factor, and not tested again."""
_CORRELATIONS = {f"{rate} gaps, Pearson" for rate in RATES}
_RANGES = {
    **dict.fromkeys([*_CORRELATIONS, "accuracy gap"], (-1.0, 1.0)),
    **{f"{rate} gaps, sum": (-_INFINITE, _INFINITE) for rate in RATES},
}


def cell_metrics(cells: DecisionCells, pair: tuple[str, str], shares: Mapping[str, float]) -> FloatArray:
    """The values of `CELL_METRICS` of these counts; shares are the first group's of each label."""
    gaps = [label_gaps(cells, rate, left=pair[0], right=pair[1], shares=shares) for rate in RATES]
    figures = [float(getattr(gap, name)) for gap in gaps for name in _FIGURES]
    figures.append(group_gap(cells, left=pair[0], right=pair[1]))
    return np.array([*figures, *(total(dependence(cells, kind)) for _family, kind in _KINDS)], dtype=np.float64)


def cell_metric_rows(
    rows: LensRows, cells: DecisionCells, shares: Mapping[str, float], *, draws: int, seed: int
) -> list[dict[str, Any]]:
    """A record for each metric of the counts: value, interval, ``chance`` (level under exchanged groups) and p."""
    assert rows.label is not None
    assert rows.decided is not None
    shape = cells.counts.shape
    gold, decided = (unit_numbers(column, cells.classes) for column in (rows.label, rows.decided))

    def statistic(group: IntArray, weight: FloatArray) -> FloatArray:
        counts = np.bincount(np.ravel_multi_index((group, gold, decided), shape), weight, cells.counts.size)
        drawn_cells = DecisionCells(counts.reshape(shape).astype(np.float64), cells.groups, cells.classes)
        return cell_metrics(drawn_cells, rows.pair, shares)

    strata = exchange_strata(rows.group, rows.label, rows.source)
    found = drawn_values(statistic, unit_numbers(rows.group, rows.pair), rows.units, strata, draws=draws, seed=seed)
    records = []
    for m, (name, family) in enumerate(CELL_METRICS.items()):
        value, resampled = float(found.values[m]), found.resampled[:, m]
        tested = _against(value, found.exchanged[:, m]) | {"exchange": "groups within labels"}
        low, high = corrected_interval(value, resampled, *_RANGES.get(name, (0.0, _INFINITE)))
        if name in _CORRELATIONS and np.isfinite(low):  # noise makes it smaller, and the reflection too large
            ends = np.nanquantile(resampled, [0.025, 0.975])
            low, high = min(low, float(ends[0])), max(high, float(ends[1]))
        if not np.isnan(tested["p_value"]) and not significant(tested["p_value"]) and name in _NOTHING_IS_ZERO:
            low = 0.0  # the test and the interval agree
        if name in UNTESTED:
            tested["p_value"] = _NAN
        record = _record(family, name, value, len(rows.group), rows.unit_name)
        records.append(record | {"ci_low": low, "ci_high": high} | tested)
    return records


def label_table(rows: LensRows, cells: DecisionCells, shares: Mapping[str, float]) -> pd.DataFrame:
    """A row a label: rows, share, and the gap of each rate."""
    left, right = rows.pair
    gaps = [label_gaps(cells, rate, left=left, right=right, shares=shares) for rate in RATES]
    columns: dict[str, object] = {
        "label": list(cells.classes),
        f"n {left}": gaps[0].n_left.astype(np.int64),
        f"n {right}": gaps[0].n_right.astype(np.int64),
        f"share {left}": gaps[0].share,
    }
    return pd.DataFrame(columns | {f"{gap.rate} gap": gap.gap for gap in gaps})


def other_metric_rows(rows: LensRows, *, draws: int, seed: int) -> list[dict[str, Any]]:
    """The metrics of pairs, stereotypes and scores, where the table has their columns."""
    records = _answers_changed(rows) if rows.source is not None and rows.decided is not None else []
    sides = rows.table["stereotype"].fillna("").astype(str).tolist() if "stereotype" in rows.table else []
    wrong = [row for row, side in enumerate(sides) if side not in ("pro", "anti", "")]
    if wrong:
        side = sides[wrong[0]]
        raise InputError(f"the stereotype of row {wrong[0] + 1} is {side!r}, expected pro, anti or nothing.")
    if sides and rows.label is not None and rows.decided is not None:
        right = [float(label == decision) for label, decision in zip(rows.label, rows.decided, strict=True)]
        position = np.array([("anti", "pro").index(side) if side else -1 for side in sides])
        metrics = {("gap_stereotype", "accuracy gap, pro less anti"): right}
        records += _differences(rows, metrics, position, "stereotypes", draws=draws, seed=seed)
    metrics = {}
    for name in map(str, rows.table.columns):
        if name != "score" and not name.startswith(("p:", "score:")):
            continue
        values = rows.table[name].to_numpy(dtype=np.float64)
        if sides and rows.source is not None:
            records += _preferred(rows.source, name, values, sides)
        scored = {group for group, value in zip(rows.group, values, strict=True) if np.isfinite(value)}
        if scored == set(rows.pair):
            metrics["prediction_gap", f"mean {name} gap"] = values.tolist()
    if metrics:
        position = 1 - unit_numbers(rows.group, rows.pair)
        records += _differences(rows, metrics, position, "groups", draws=draws, seed=seed)
    return records


def _answers_changed(rows: LensRows) -> list[dict[str, Any]]:
    """The share of sources whose answer changes with the group, over all pairs of a row of each, in sources of both."""
    assert rows.source is not None
    assert rows.decided is not None
    answers: dict[str, tuple[list[str], list[str]]] = {}
    for answer, source, group in zip(rows.decided, rows.source, rows.group, strict=True):
        answers.setdefault(source, ([], []))[rows.pair.index(group)].append(answer)
    shares = [np.mean([x != y for x in a for y in b]) for a, b in answers.values() if a and b]
    if not shares:
        return []
    share = float(np.mean(shares))
    low, high = wilson_interval(share, len(shares))  # of a mean of shares, which are wider
    record = _record("answers_changed", "answers changed", share, len(shares), "sources")
    return [record | {"ci_low": low, "ci_high": high}]


def _record(family: str, metric: str, value: float, n: int, unit: str) -> dict[str, Any]:
    untested = {"ci_low": _NAN, "ci_high": _NAN, "chance": _NAN, "p_value": _NAN, "exchange": "", "drawn": None}
    return {"family": family, "metric": metric, "value": value, **untested, "n": n, "unit": unit}


def _against(value: float, exchanged: FloatArray) -> dict[str, Any]:
    """The mean under exchange, and twice the share of draws that are at least as far out, the value included."""
    defined = exchanged[np.isfinite(exchanged)]
    if not len(defined) or not np.isfinite(value):
        return {"chance": _NAN, "p_value": _NAN, "drawn": exchanged}
    slack = 1e-12 * max(1.0, abs(value))
    beyond = min(int((defined >= value - slack).sum()), int((defined <= value + slack).sum()))
    p = min(1.0, 2 * (1 + beyond) / (1 + len(defined)))
    return {"chance": float(defined.mean()), "p_value": p, "drawn": exchanged}


def _preferred(source: Sequence[str], name: str, values: FloatArray, sides: Sequence[str]) -> list[dict[str, Any]]:
    """The share of sources whose stereotypical option has the higher mean score, a tie counting one half; sign test."""
    scores: dict[str, dict[str, list[float]]] = {}
    for row_source, side, value in zip(source, sides, values, strict=True):
        if side in ("pro", "anti") and np.isfinite(value):
            scores.setdefault(row_source, {"pro": [], "anti": []})[side].append(float(value))
    pairs = [(np.mean(pair["pro"]), np.mean(pair["anti"])) for pair in scores.values() if pair["pro"] and pair["anti"]]
    if not pairs:
        return []
    pro, anti = np.array(pairs).T
    share = float(((pro > anti) + (pro == anti) / 2).mean())
    low, high = wilson_interval(share, len(pairs))
    tested = {"ci_low": low, "ci_high": high, "chance": 0.5, "p_value": sign_test(pro - anti)}
    return [_record("prefers_stereotype", f"prefers the stereotype ({name})", share, len(pairs), "sources") | tested]


def _differences(
    rows: LensRows,
    metrics: Mapping[tuple[str, str], Sequence[float]],
    position: IntArray,
    exchange: str,
    *,
    draws: int,
    seed: int,
) -> list[dict[str, Any]]:
    """Differences of means of columns (n,), by family and name: of the rows with position 1 less those with 0."""
    used = position >= 0
    member, values = position[used], np.column_stack(list(metrics.values()))[used]
    defined = np.isfinite(values).astype(np.float64)
    filled = np.where(defined > 0, values, 0.0)

    def gaps(members: IntArray, weight: FloatArray) -> FloatArray:
        weights = np.stack([members == 0, members == 1]) * weight
        with np.errstate(divide="ignore", invalid="ignore"):
            means = (weights @ filled) / (weights @ defined)
        return np.asarray(means[1] - means[0], dtype=np.float64)

    numbers = np.round(gaps(member, np.ones(len(member))), 15).tolist() if len(member) else [_NAN] * len(metrics)
    figures = zip(metrics, numbers, defined.sum(axis=0).astype(int).tolist(), strict=True)
    records = [_record(family, name, value, n, rows.unit_name) for (family, name), value, n in figures]
    if len(set(member.tolist())) < 2:
        return records
    sources = None if rows.source is None else np.array(rows.source, dtype=object)[used].tolist()
    strata = exchange_strata([str(number) for number in member], [""] * len(member), sources)
    found = drawn_values(gaps, member, unit_numbers(rows.units[used].tolist()), strata, draws=draws, seed=seed)
    for k, record in enumerate(records):
        low, high = corrected_interval(record["value"], found.resampled[:, k])
        record |= _against(record["value"], found.exchanged[:, k])
        record |= {"exchange": exchange, "ci_low": low, "ci_high": high}
    return records


@dataclass(frozen=True, eq=False)
class Drawn:
    """Metrics of n rows as they are and as they are drawn."""

    values: FloatArray  # (m,) as they are
    resampled: FloatArray  # (D, m) units drawn with repetition
    exchanged: FloatArray  # (`EXCHANGES`, m) groups exchanged


def drawn_values(
    statistic: Statistic, group: IntArray, unit: IntArray, strata: IntArray, *, draws: int, seed: int
) -> Drawn:
    """Metrics with all rows of a unit (n,) drawn together, and with groups exchanged within each stratum (n,)."""
    n, units = len(group), int(unit.max()) + 1
    rng = np.random.default_rng(seed)
    resampled = []
    for _ in followed(range(draws), "intervals", "draws"):
        times = np.bincount(rng.integers(units, size=units), minlength=units)[unit]
        resampled.append(statistic(group, times.astype(np.float64)))
    rng, ones = np.random.default_rng(seed), np.ones(n)
    place = np.argsort(strata, kind="stable")
    exchanged = []
    for _ in followed(range(EXCHANGES), "permutations of groups", "draws"):
        moved = np.empty_like(group)
        moved[place] = group[np.lexsort((rng.random(n), strata))]
        exchanged.append(statistic(moved, ones))
    return Drawn(statistic(group, ones), np.array(resampled), np.array(exchanged))


def exchange_strata(group: Sequence[str], label: Sequence[str], source: Sequence[str] | None = None) -> IntArray:
    """Within which rows groups can be exchanged: those of a source that has several groups, else those of a label."""
    rows = pd.DataFrame({"group": group, "stratum": label})
    several = np.zeros(len(rows), dtype=np.bool_)
    if source is not None:
        rows["source"] = source
        several = (rows.groupby("source")["group"].transform("nunique") > 1).to_numpy()
        rows.loc[several, "stratum"] = rows["source"]
    return np.asarray(rows.groupby([several, rows["stratum"]]).ngroup(), dtype=np.int64)


def unit_numbers(names: Sequence[object], order: Sequence[object] = ()) -> IntArray:
    """(n,) the number of each name, by default in the order in which they first occur."""
    number = {name: position for position, name in enumerate(order or dict.fromkeys(names))}
    return np.array([number[name] for name in names], dtype=np.int64)


def corrected_interval(
    value: float, draws: ArrayLike, low: float = -np.inf, high: float = np.inf
) -> tuple[float, float]:
    """The 95 % interval of a value from its bootstrap draws, within [low, high]; NaN where most are undefined."""
    drawn = np.asarray(draws, dtype=np.float64)
    defined = drawn[np.isfinite(drawn)]
    if not np.isfinite(value) or 2 * len(defined) < len(drawn) or not len(defined):
        return float("nan"), float("nan")
    # reflected at the value, which takes off what noise adds to sums of absolute gaps
    ends = np.clip(2 * value - np.quantile(defined, [0.975, 0.025]), low, high)
    return min(float(ends[0]), value), max(float(ends[1]), value)


def wilson_interval(share: float, n: int) -> tuple[float, float]:
    """Wilson's 95 % limits of a proportion of n units."""
    centre = (share + _Z**2 / (2 * n)) / (1 + _Z**2 / n)
    half = _Z / (1 + _Z**2 / n) * math.sqrt(share * (1 - share) / n + _Z**2 / (4 * n**2))
    return centre - half, centre + half
