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
    answers_changed,
    dependence,
    group_gap,
    label_gaps,
    prediction_gap,
    prefers_stereotype,
    rate_parts,
    stereotype_gap,
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
_INFINITE = float("inf")
EXCHANGES = 999
"""Of the tests. Those of one kind share them, so that the largest of all metrics in each is known."""
_NOTHING_IS_ZERO = {  # unsigned figures that are 0 in a population in which the group has no effect on decisions
    "separation, sum",
    *(f"{rate} gaps, {part} of absolute values" for rate in ("tpr", "fpr") for part in ("sum", "mean")),
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
        if self.source is None:
            return np.arange(len(self.group))
        return _numbers(self.source)


_PARTS = {
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
    **{f"{rate} gaps, {words}": "gap_label" for rate in RATES for words in _PARTS.values()},
    "accuracy gap": "gap_group",
    **{f"{kind}, sum": family for family, kind in _KINDS},
}
"""The metrics that are functions of the counts of decisions: name to family."""


def cell_metrics(pair: tuple[str, str], shares: Mapping[str, float]) -> Callable[[DecisionCells], FloatArray]:
    """A function of the counts that gives the values of `CELL_METRICS`; shares are the first group's of each label."""

    def values(cells: DecisionCells) -> FloatArray:
        gaps = [label_gaps(cells, rate, left=pair[0], right=pair[1], shares=shares) for rate in RATES]
        figures = [float(getattr(gap, part)) for gap in gaps for part in _PARTS]
        figures.append(group_gap(cells, left=pair[0], right=pair[1]))
        return np.array([*figures, *(dependence(cells, kind).sum for _family, kind in _KINDS)], dtype=np.float64)

    return values


def cell_metric_rows(
    rows: LensRows, cells: DecisionCells, shares: Mapping[str, float], draws: int, seed: int
) -> list[Any]:
    """A record for each metric of the counts: value, interval, ``chance`` (level under exchanged groups) and p.

    ``drawn`` holds the values (D,) under `EXCHANGES`, within sources or labels, so that the composition of the table
    stays.
    """
    assert rows.label is not None
    assert rows.decided is not None
    metrics = cell_metrics(rows.pair, shares)
    place = {name: at for at, name in enumerate(cells.classes)}
    gold, decided = (np.array([place[label] for label in column]) for column in (rows.label, rows.decided))
    group = np.array([rows.pair.index(group_name) for group_name in rows.group])
    shape = cells.counts.shape

    def every(counts: FloatArray) -> FloatArray:
        return metrics(DecisionCells(counts.reshape(shape), cells.groups, cells.classes))

    def code(groups: IntArray) -> IntArray:
        return np.asarray(np.ravel_multi_index((groups, gold, decided), shape), dtype=np.int64)

    def of_groups(moved: IntArray) -> FloatArray:
        return every(np.bincount(code(moved), minlength=cells.counts.size).astype(np.float64))

    values = every(cells.counts)
    boot = resampled_values(code(group), rows.units, cells.counts.size, every, draws, seed)
    strata = exchange_strata(rows.group, rows.label, rows.source)
    exchanged = exchanged_values(group, strata, of_groups, EXCHANGES, seed)
    records = []
    for at, (name, family) in enumerate(CELL_METRICS.items()):
        chance, p = _against(float(values[at]), exchanged[:, at])
        record = _record(family, name, float(values[at]), len(group), rows.unit_name)
        low, high = corrected_interval(float(values[at]), boot[:, at], *_range(name))
        if name.endswith("Pearson") and np.isfinite(low):  # noise makes it smaller, and the reflection too large
            ends = np.nanquantile(boot[:, at], [0.025, 0.975])
            low, high = min(low, float(ends[0])), max(high, float(ends[1]))
        if not np.isnan(p) and not significant(p) and name in _NOTHING_IS_ZERO:
            low = 0.0  # the test and the interval agree
        record["ci_low"], record["ci_high"] = low, high
        tested = "mean of" not in name  # the mean is the sum by another factor
        tests = {"exchange": "groups within labels", "drawn": exchanged[:, at]}
        records.append(record | {"chance": chance, "p_value": p if tested else float("nan")} | tests)
    return records


def label_table(rows: LensRows, cells: DecisionCells, shares: Mapping[str, float]) -> pd.DataFrame:
    """A row a label: rows, share, and the gap of each rate with its interval (Newcombe) over rows or sources."""
    import pandas as pd

    gaps = [label_gaps(cells, rate, left=rows.pair[0], right=rows.pair[1], shares=shares) for rate in RATES]
    first = gaps[0]
    columns: dict[str, object] = {
        "label": list(first.classes),
        f"n {first.left}": first.n_left.astype(np.int64),
        f"n {first.right}": first.n_right.astype(np.int64),
        f"share {first.left}": first.share,
    }
    for gap in gaps:
        low, high = _label_interval(rows, cells, gap)
        columns |= {f"{gap.rate} gap": gap.gap, f"{gap.rate} low": low, f"{gap.rate} high": high}
    return pd.DataFrame(columns)


def other_metric_rows(rows: LensRows, draws: int, seed: int) -> list[dict[str, Any]]:
    """The metrics of pairs, stereotypes, scores and target words, where the table has their columns."""
    table, records = rows.table, []
    if rows.source is not None and rows.decided is not None:
        changed = answers_changed(rows.decided, rows.source, rows.group, left=rows.pair[0], right=rows.pair[1])
        low, high = map(float, wilson_interval(*changed))  # of a mean of shares, which are wider
        record = _record("answers_changed", "answers changed", *changed, "sources") | {"ci_low": low, "ci_high": high}
        records += [record] if changed.n else []
    side = table["stereotype"].fillna("").astype(str).tolist() if "stereotype" in table.columns else []
    if side and rows.label is not None and rows.decided is not None:
        correct = np.array(
            [label == decision for label, decision in zip(rows.label, rows.decided, strict=True)], dtype=np.float64
        )
        apart = stereotype_gap(correct, side)
        record = _record("gap_stereotype", "accuracy gap, pro less anti", *apart, "")
        sides = [("anti", "pro").index(kind) if kind else -1 for kind in side]
        records.append(record | _differences(rows, correct[:, None], sides, "stereotypes", draws, seed)[0])
    group = [1 - rows.pair.index(group_name) for group_name in rows.group]
    gaps: list[dict[str, Any]] = []
    columns: list[FloatArray] = []
    for name, values in score_columns(table).items():
        if side and rows.source is not None:
            records += _preferred(rows, name, values, side)
        there = np.isfinite(values)
        kept = [group_name for group_name, known in zip(rows.group, there, strict=True) if known]
        if set(kept) == set(rows.pair):
            gap = prediction_gap(values[there], kept, left=rows.pair[0], right=rows.pair[1])
            family, title = _SCORES.get(name, ("prediction_gap", f"mean {name} gap"))
            gaps.append(_record(family, title, *gap, ""))
            columns.append(values)
    if gaps:
        tests = _differences(rows, np.column_stack(columns), group, "groups", draws, seed)
        records += [record | test for record, test in zip(gaps, tests, strict=True)]
    return records


def score_columns(table: pd.DataFrame) -> dict[str, FloatArray]:
    """The scores by name: ``p:<class>``, ``score``, ``score:<name>``; "target" is log(probability / prior)."""
    scores = {}
    for column in map(str, table.columns):
        if column == "score" or column.startswith(("p:", "score:")):
            scores[column] = table[column].to_numpy(dtype=np.float64)
    if "probability" in table.columns:
        logs = np.zeros(len(table))
        for name, sign in (("probability", 1), ("prior", -1)):
            if name in table.columns:
                values = table[name].to_numpy(dtype=np.float64)
                wrong = np.flatnonzero(~((values > 0) & (values <= 1)))
                if len(wrong):
                    raise InputError(
                        f"{name} of row {wrong[0] + 1} is {values[wrong[0]]}, expected above 0 and at most 1."
                    )
                logs += sign * np.log(values)
        scores["target"] = logs
    return scores


_SCORES = {"target": ("lm_target", "log probability of target words, gap")}


def _range(name: str) -> tuple[float, float]:
    """What values a metric of the counts can have."""
    if name.endswith("Pearson") or name == "accuracy gap":
        return -1.0, 1.0
    return (-_INFINITE if name.endswith("gaps, sum") else 0.0), _INFINITE


def _record(family: str, metric: str, value: float, n: int, unit: str) -> dict[str, Any]:
    nan = float("nan")
    ends = {"ci_low": nan, "ci_high": nan, "chance": nan, "p_value": nan, "exchange": "", "drawn": None}
    return {"family": family, "metric": metric, "value": value, **ends, "n": n, "unit": unit}


def _against(value: float, draws: FloatArray) -> tuple[float, float]:
    """The mean under exchange, and twice the share of draws at least as far on the value's side, the value included."""
    there = draws[np.isfinite(draws)]
    if not len(there) or not np.isfinite(value):
        return float("nan"), float("nan")
    slack = 1e-12 * max(1.0, abs(value))
    sides = int((there >= value - slack).sum()), int((there <= value + slack).sum())
    return float(there.mean()), min(1.0, 2 * (1 + min(sides)) / (1 + len(there)))


def _label_interval(rows: LensRows, cells: DecisionCells, gap: LabelGaps) -> tuple[FloatArray, FloatArray]:
    """Newcombe's interval; a proportion rests on as many units as have a row in its denominator."""
    above, below = rate_parts(cells.counts, gap.rate)
    share = divide(above, below)
    n = below if rows.source is None else _units_in(rows, cells, gap.rate)
    left, right = (cells.groups.index(name) for name in rows.pair)
    return proportion_gap_interval(share[left], n[left], share[right], n[right])


def _units_in(rows: LensRows, cells: DecisionCells, rate: str) -> FloatArray:
    """(G, C) sources with a row in the denominator of a rate."""
    assert rows.source is not None
    column = rows.decided if rate == "precision" else rows.label
    assert column is not None
    counts = np.zeros((len(cells.groups), len(cells.classes)))
    for g, name in enumerate(cells.groups):
        own = {(source, label) for source, label, of in zip(rows.source, column, rows.group, strict=True) if of == name}
        for c, label in enumerate(cells.classes):
            counts[g, c] = len({source for source, other in own if (other == label) != (rate == "fpr")})
    return counts


def _preferred(rows: LensRows, name: str, values: FloatArray, side: Sequence[str]) -> list[dict[str, Any]]:
    """The share of sources whose stereotypical option has the higher mean score, with an exact sign test."""
    assert rows.source is not None
    both: dict[str, dict[str, list[float]]] = {}
    for source, own, value in zip(rows.source, side, values, strict=True):
        if own in ("pro", "anti") and np.isfinite(value):
            both.setdefault(source, {"pro": [], "anti": []})[own].append(float(value))
    pairs = [(np.mean(pair["pro"]), np.mean(pair["anti"])) for pair in both.values() if pair["pro"] and pair["anti"]]
    if not pairs:
        return []
    pro, anti = np.array(pairs).T
    preferred = prefers_stereotype(pro, anti)
    record = _record("prefers_stereotype", f"prefers the stereotype ({name})", *preferred, "sources")
    record["ci_low"], record["ci_high"] = map(float, wilson_interval(*preferred))
    return [record | {"chance": 0.5, "p_value": sign_test(pro - anti)}]


def _differences(
    rows: LensRows, values: FloatArray, position: Sequence[int], exchange: str, draws: int, seed: int
) -> list[dict[str, Any]]:
    """Intervals and tests of differences of means of the columns of values (n, K), from shared draws.

    They are the means of the rows with position 1 less those with 0; -1 is left out.
    """
    at = np.asarray(position)
    kept = at >= 0
    own, side = values[kept], at[kept]
    if len(set(side.tolist())) < 2:
        return [{"unit": rows.unit_name} for _ in range(values.shape[1])]
    unit = _numbers([str(unit_name) for unit_name in rows.units[kept]])
    there = np.isfinite(own).astype(np.float64)
    known = np.where(there > 0, own, 0.0)

    def gaps(of: IntArray, weight: FloatArray | None = None) -> FloatArray:
        of_side = np.stack([of == 0, of == 1]) * (1.0 if weight is None else weight)
        with np.errstate(divide="ignore", invalid="ignore"):
            means = (of_side @ known) / (of_side @ there)
        return np.asarray(means[1] - means[0], dtype=np.float64)

    boot = np.array([gaps(side, weight) for weight in drawn_weights(unit, draws, seed)])
    sources = None if rows.source is None else [source for source, yes in zip(rows.source, kept, strict=True) if yes]
    strata = exchange_strata([str(number) for number in side], [""] * len(side), sources)
    moved = exchanged_values(side, strata, gaps, EXCHANGES, seed)
    records = []
    for k, value in enumerate(gaps(side).tolist()):
        chance, p = _against(value, moved[:, k])
        low, high = corrected_interval(value, boot[:, k])
        records.append(
            {"ci_low": low, "ci_high": high, "chance": chance, "p_value": p, "unit": rows.unit_name}
            | {"exchange": exchange, "drawn": moved[:, k]}
        )
    return records


def _numbers(names: Sequence[str]) -> IntArray:
    place = {name: at for at, name in enumerate(dict.fromkeys(names))}
    return np.array([place[name] for name in names], dtype=np.int64)
