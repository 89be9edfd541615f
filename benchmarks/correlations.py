"""Whether two metrics agree over models: correlations of their values, with what few models allow."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations, permutations
from typing import Any

import numpy as np
import pandas as pd

from fairness_checklist.core.arrays import FloatArray, IntArray
from fairness_checklist.core.did_you_mean import did_you_mean
from fairness_checklist.core.errors import OptionError, count, first_ten
from fairness_checklist.core.formatting import decimal, format_p_value
from fairness_checklist.core.option_defaults import names, whole_number
from fairness_checklist.core.progress import followed
from fairness_checklist.extensions.lenses.relabelling import p_value
from fairness_checklist.findings.finding import Finding, figures_of, status_of_test
from fairness_checklist.statistics.multiplicity import draws_to_decide, holm, significant

_EXACT, _FEW, _LEAST = 7, 10, 3
_NAN = float("nan")


@dataclass(frozen=True, eq=False)
class Correlations:
    """Correlations of pairs of metrics over models.

    Attributes:
        table: a row a pair: x, y, n (units with both: models, or with arms the means of the arms), r, r2, ci_low,
            ci_high (of r, 95 %, Fisher's z; NaN with fewer than 4 units), r2_low, r2_high (of r2, from them),
            r2_without_one_low, r2_without_one_high (the range of r2 when any one unit is left out), p_value
            (permutation of units, two-sided), p_adjusted (Holm over the pairs), and with arms: r_within, p_within
            (deviations of models from the means of their arms; models permuted within arms; not adjusted).
        values: a row a model: its metrics.
        findings: one a pair, the smallest adjusted p first.
        arms: of each model its arm; () without arms.
    """

    table: pd.DataFrame
    values: pd.DataFrame
    findings: tuple[Finding, ...]
    arms: tuple[str, ...]

    def sentence(self) -> str:
        """The answer in at most 40 words."""
        clear = [finding for finding in self.findings if finding.status == "clear"]
        start = f"{count(len(clear), 'pair')} of {len(self.findings)} {'is' if len(clear) == 1 else 'are'} clearly"
        first = self.findings[0]
        units = f"{count(len(set(self.arms)), 'arm')} of " if self.arms else ""
        return f"{start} correlated over {units}{count(len(self.values), 'model')}. {first.statement}"

    def __repr__(self) -> str:
        return f"<Correlations: {count(len(self.table), 'pair')} of metrics over {count(len(self.values), 'model')}>"


def correlate(
    values: pd.DataFrame,
    x: str | Sequence[str] | None = None,
    y: str | Sequence[str] | None = None,
    *,
    arms: Sequence[str] | None = None,
    draws: int = 9_999,
    seed: int = 0,
) -> Correlations:
    """Pearson's r and r2 of pairs of metrics over models.

    Args:
        values: a row a model and a column a metric.
        x, y: metrics; every one of x is paired with every one of y. With x only, or without both, all pairs.
        arms: of each model how it was trained, where several differ only in the seed. Models of one arm are no
            independent evidence for a correlation over ways of training: the means of the arms are then the units that
            are correlated and permuted, and fewer than 5 arms are too few to say. r_within is shown beside.
        draws: permutations, where there are more than 7 units; more where the pairs are so many that these could not
            decide. With fewer units all are enumerated.
        seed: of them.

    Raises:
        OptionError: an unknown metric, fewer than 3 models, or not one arm a model.

    >>> rows = pd.DataFrame([{"seat": one, "fped": 2 * one + (one > 3), "auc": 0.5} for one in range(5)])
    >>> found = correlate(rows, "seat", "fped")
    >>> row = found.table.iloc[0]
    >>> int(row["n"]), round(float(row["r2"]), 3), round(float(row["p_value"]), 4)
    (5, 0.992, 0.0167)
    >>> correlate(rows, "seat", "fped", arms=["a", "a", "b", "b", "c"]).findings[0].status
    'too few to say'
    """
    if len(values) < _LEAST:
        raise OptionError(
            f"there {'is' if len(values) == 1 else 'are'} {count(len(values), 'model')}; expected {_LEAST} or more.",
            remedy="Add runs of other models.",
        )
    if arms is not None and len(arms) != len(values):
        raise OptionError(f"arms= names {len(arms)} for {count(len(values), 'model')}.", remedy="Name one a model.")
    given = tuple(map(str, arms)) if arms is not None else ()
    whole_number("seed", seed, least=0)
    whole_number("draws", draws, least=1)
    pairs = _pairs(list(values.columns), x, y)
    orders = _orders(draws_to_decide(len(pairs), draws), seed)
    rows = [_row(values, first, second, given, orders) for first, second in followed(pairs, "correlations", "pairs")]
    table = pd.DataFrame(rows)
    table["p_adjusted"] = holm(table["p_value"])
    records: list[dict[Any, Any]] = table.to_dict("records")
    findings = sorted(
        (_finding(row, len(pairs)) for row in records),
        key=lambda finding: (math.isnan(finding.p_adjusted), finding.p_adjusted, -(finding.value**2)),
    )
    return Correlations(table, values, tuple(findings), given)


def _pairs(known: Sequence[str], x: str | Sequence[str] | None, y: str | Sequence[str] | None) -> list[tuple[str, str]]:
    first, second = (None if side is None else names(name, side) for name, side in (("x", x), ("y", y)))
    for name in (*(first or ()), *(second or ())):
        if name not in known:
            raise OptionError(
                f"no model has the metric {name!r}.", remedy=f"Known: {first_ten(known)}.{did_you_mean(name, known)}"
            )
    if first is None or second is None:
        chosen = first or second or tuple(known)
        return [(left, right) for left in chosen for right in known if right not in chosen] or list(
            combinations(chosen, 2)
        )
    pairs = [(left, right) for left in first for right in second if left != right]
    if not pairs:
        raise OptionError("x and y name the same metric.", remedy="Name two metrics.")
    return pairs


def _r(x: FloatArray, y: FloatArray) -> float:
    a, b = x - x.mean(), y - y.mean()
    size = math.sqrt(float(a @ a) * float(b @ b))
    scale = np.finfo(np.float64).eps * len(x) * (float(np.abs(x).max()) * float(np.abs(y).max()) + 1e-300)
    return float(np.clip(a @ b / size, -1, 1)) if size > scale else _NAN


def _row(values: pd.DataFrame, x: str, y: str, arms: tuple[str, ...], orders: _Orders) -> dict[str, Any]:
    both = values[[x, y]].notna().all(axis=1).to_numpy()
    left, right = values.loc[both, x].to_numpy(), values.loc[both, y].to_numpy()
    within: dict[str, float] = {}
    if arms:
        code = np.unique(np.array(arms)[both], return_inverse=True)[1]
        means = [np.bincount(code, weights=v) / np.bincount(code) for v in (left, right)]
        within = {"r_within": _NAN, "p_within": _NAN}
        if len(code) > len(means[0]) + 1:
            inside, against = (v - mean[code] for v, mean in zip((left, right), means, strict=True))
            within = {"r_within": _r(inside, against), "p_within": _permuted(inside, against, code, orders)}
        left, right = means
    n = len(left)
    r = _r(left, right) if n >= _LEAST else _NAN
    low, high = _fisher(r, n)
    row: dict[str, Any] = {"x": x, "y": y, "n": n, "r": r, "r2": r * r, "ci_low": low, "ci_high": high}
    row["r2_low"] = 0.0 if low <= 0 <= high else min(low**2, high**2)
    row["r2_high"] = max(low**2, high**2) if not math.isnan(low) else _NAN
    without = [_r(np.delete(left, at), np.delete(right, at)) ** 2 for at in range(n)] if n > _LEAST else []
    defined = [each for each in without if not math.isnan(each)]
    row["r2_without_one_low"], row["r2_without_one_high"] = (min(defined), max(defined)) if defined else (_NAN, _NAN)
    row["p_value"] = _permuted(left, right, np.zeros(n, dtype=np.int64), orders)
    return row | within


def _fisher(r: float, n: int) -> tuple[float, float]:
    if math.isnan(r) or n < 4 or abs(r) >= 1:
        return _NAN, _NAN
    from scipy import stats

    middle, reach = math.atanh(r), float(stats.norm.ppf(0.975)) / math.sqrt(n - 3)
    return math.tanh(middle - reach), math.tanh(middle + reach)


_Orders = Callable[[tuple[int, ...]], tuple[IntArray, bool]]
"""Permutations (D, n) of units within their code, and whether they are all."""


def _orders(draws: int, seed: int) -> _Orders:
    """In all ways where they are few; the same for all pairs."""

    @cache
    def drawn(code: tuple[int, ...]) -> tuple[IntArray, bool]:
        n = len(code)
        if n <= _EXACT and not any(code):
            return np.array(list(permutations(range(n))), dtype=np.int64), True
        # Sorting by (code, random) gives a random order within each code.
        keys = np.array(code) + np.random.default_rng(seed).random((draws, n))
        orders = np.empty((draws, n), dtype=np.int64)
        orders[:, np.argsort(code, kind="stable")] = np.argsort(keys, axis=1)
        return orders, False

    return drawn


def _permuted(x: FloatArray, y: FloatArray, code: IntArray, orders: _Orders) -> float:
    """The two-sided p-value of r."""
    observed = abs(_r(x, y)) if len(x) >= _LEAST else _NAN
    if math.isnan(observed):
        return _NAN
    a = x - x.mean()
    size = math.sqrt(float(a @ a) * float(((y - y.mean()) ** 2).sum()))
    order, exact = orders(tuple(code.tolist()))
    return p_value(observed, np.abs((a @ y[order].T) / size), exact=exact)


def _finding(row: dict[str, Any], tests: int) -> Finding:
    n, p = int(row["n"]), row["p_adjusted"]
    unit, means = ("arm", f", means of {count(n, 'arm')}") if "r_within" in row else ("model", "")
    pair = f"{row['x']} and {row['y']}"
    if math.isnan(row["r"]):
        status, words = "too few to say", f"r2 of {pair} is undefined: {count(n, unit)}, or one value only."
    else:
        least = 2 / math.factorial(min(n, 20))  # the smallest p that the orders of n units give
        status = status_of_test(p, enough=bool(significant(least)), decisive=bool(significant(least * tests)))
        ends = "" if math.isnan(row["r2_high"]) else f", 95 % interval {row['r2_low']:.2f} to {row['r2_high']:.2f}"
        r = decimal(row["r"], signed=True, places=2)
        words = f"{row['x']} with {row['y']}{means}: r2 {row['r2']:.2f}{ends} (r {r})."
    notes = [f"{count(n, unit)} only: r2 is uncertain"] if n < _FEW else []
    if not math.isnan(row.get("r_within", _NAN)):
        notes.append(f"within arms r {row['r_within']:+.2f} (p {format_p_value(row['p_within'])}, not adjusted)")
    low = row["r2_low"] if not math.isnan(row["ci_low"]) else _NAN
    figures = figures_of(row | {"value": row["r2"], "ci_low": low, "ci_high": row["r2_high"]})
    question, scope, note = f"metrics that agree over {unit}s", f"{unit}s like these", "; ".join(notes)
    return Finding(question, pair, status, words, "r2", **figures, scope=scope, note=note)
