"""MetricResult: one metric on one attribute, every contrast and the total, as arrays and as tidy rows."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from fairness_checklist.core.arrays import BoolArray, FloatArray, IntArray, by_value, divide
from fairness_checklist.core.errors import UndefinedError
from fairness_checklist.metrics import comparisons
from fairness_checklist.metrics.metric_forms import Metric, Options

Sides = tuple[str, str]  # left and right of a row


@by_value
@dataclass(frozen=True, eq=False)
class MetricResult:
    """P contrasts for K classes ("*" is over all classes)."""

    metric: Metric
    options: Options
    attribute: str
    groups: tuple[str, ...]  # the G groups
    classes: tuple[str, ...]  # K names
    left: tuple[str, ...]  # left, right: (P,) the two sides of each contrast; right is "" for a multigroup metric
    right: tuple[str, ...]
    value: FloatArray  # (P, K); NaN is undefined, and then ``reasons`` says why
    n: IntArray  # (P, K) sources that entered (rows where there is no source)
    n_undefined: IntArray  # (P, K) sources that would have entered without a value; 1 for an undefined group contrast
    reasons: Mapping[tuple[int, int], str] = field(default_factory=dict)  # (contrast, class): why it is undefined
    total: FloatArray | None = None  # (K,) or None where the metric has no total
    total_n: IntArray | None = None  # (K,) its sources
    by_source: FloatArray | None = None  # (S, P, K) counterfactual contrasts, NaN where a source does not enter
    note: str = ""  # remarks on all values (a sample's standard error)
    remarks: Mapping[tuple[int, int], str] = field(default_factory=dict)  # (contrast, class): remarks on this value

    def __post_init__(self) -> None:
        if self.options.undefined == "raise" and self.reasons:
            (p, k), reason = next(iter(self.reasons.items()))
            versus = f" against {self.right[p]}" if self.right[p] else ""
            raise UndefinedError(
                f"{self.metric.name} of {self.left[p]}{versus}, class {self.classes[k]}, is undefined: {reason}.",
                remedy='Use undefined="report" to get NaN with this reason, or add such examples.',
            )

    def rows(self) -> list[dict[str, Any]]:
        """The result as tidy rows: the total first, then groups over their pairs, then the contrasts."""
        return [
            dict(zip(("class", "left", "right", "value", "n", "n_undefined", "note"), row, strict=True))
            for k in range(len(self.classes))
            for row in self._rows_of_class(k)
        ]

    def _rows_of_class(self, k: int) -> list[tuple[Any, ...]]:
        name, undefined = self.classes[k], np.isnan(self.value[:, k])
        multigroup, rows = self.metric.family == "multigroup", list[tuple[Any, ...]]()
        if self.total is not None and self.total_n is not None:
            lost = int(self.n_undefined[0, k]) if multigroup else int(undefined.sum())
            note = f"{lost} of {len(undefined)} contrasts are undefined" if lost else ""
            note = self._noted(self._about(0, k) if multigroup else note)
            rows.append((name, "*", "", self.total[k], int(self.total_n[k]), lost, note))
        if multigroup:
            return rows
        for group, inside in self._over_others():
            fine = inside & ~undefined
            value = self.value[fine, k].mean() if fine.any() else np.nan
            lost = int((inside & undefined).sum())
            note = f"{lost} of {int(inside.sum())} pairs are undefined" if lost else ""
            rows.append((name, group, "others", value, int(self.n[fine, k].max(initial=0)), lost, note))
        for p, (left, right) in enumerate(zip(self.left, self.right, strict=True)):
            n, lost = int(self.n[p, k]), int(self.n_undefined[p, k])
            rows.append((name, left, right, self.value[p, k], n, lost, self._noted(self._about(p, k))))
        return rows

    def _about(self, p: int, k: int) -> str:
        return self.reasons.get((p, k), self.remarks.get((p, k), ""))

    def _noted(self, note: str) -> str:
        return "; ".join(filter(None, (self.note, note)))

    def _over_others(self) -> list[tuple[str, BoolArray]]:
        """The groups that have a mean over their pairs, and which contrasts these pairs are."""
        if self.metric.family != "pairwise" or self.total is None or len(self.groups) < 3:
            return []
        pairs = list(zip(self.left, self.right, strict=True))
        return [(group, np.array([group in pair for pair in pairs])) for group in self.groups]

    def in_rows(self, values: FloatArray) -> tuple[list[Sides], FloatArray]:
        """The sides of the R `rows` of a class, and other values (D, P, K) in these rows: (D, R, K)."""
        if self.metric.family == "multigroup":
            return [("*", "")], values
        sides, columns = list[Sides](), list[FloatArray]()
        if self.total is not None:
            left, right = (
                np.array([self.groups.index(name) if name in self.groups else -1 for name in names], dtype=np.int64)
                for names in (self.left, self.right)
            )
            right = right if self.metric.family == "pairwise" else np.full_like(right, -1)
            flat = np.moveaxis(values, 1, 0).reshape(values.shape[1], -1)
            total = totals(self.metric, len(self.groups), left, right, flat)
            columns.append(np.reshape(np.nan if total is None else total, (len(values), 1, values.shape[2])))
            sides.append(("*", ""))
        for group, inside in self._over_others():
            fine = inside[:, None] & ~np.isnan(values)
            columns.append(divide(np.where(fine, values, 0.0).sum(axis=1), fine.sum(axis=1))[:, None])
            sides.append((group, "others"))
        return [*sides, *zip(self.left, self.right, strict=True)], np.concatenate([*columns, values], axis=1)


def totals(metric: Metric, n_groups: int, left: IntArray, right: IntArray, value: FloatArray) -> FloatArray | None:
    """1/N times the sum over the defined contrasts, (K,); None where the metric has no total.

    Shapes: left, right (P,); value (P, K).
    """
    if not metric.has_total or metric.normalise is None:
        return None
    if metric.family == "pairwise" and n_groups > 2 and not comparisons.about(metric.compare).commutative:
        return None
    fine = ~np.isnan(value)
    standing = np.zeros((n_groups, value.shape[1]), dtype=np.bool_)
    np.logical_or.at(standing, left, fine)
    np.logical_or.at(standing, right[right >= 0], fine[right >= 0])
    contrasts = fine.sum(axis=0).astype(np.float64)
    divisor = metric.normalise(standing.sum(axis=0).astype(np.float64), contrasts)
    return divide(np.where(fine, value, 0.0).sum(axis=0), np.where(contrasts > 0, divisor, 0.0))
