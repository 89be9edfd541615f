"""Gap curves: a metric of rates at every threshold that a classifier's decisions could be made with."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from fairness_checklist.core.arrays import BoolArray, FloatArray, IntArray, by_value
from fairness_checklist.core.errors import OptionError
from fairness_checklist.core.outcomes import Counts, Outcomes
from fairness_checklist.core.thresholds import TIE
from fairness_checklist.metrics import comparisons, scores
from fairness_checklist.metrics.contrasts import Contrasts, contrasts_of, group_weights, missing
from fairness_checklist.metrics.metric_forms import METRICS, Metric, Options
from fairness_checklist.metrics.metric_result import totals

if TYPE_CHECKING:
    import pandas as pd


@by_value
@dataclass(frozen=True, repr=False, eq=False)
class GapCurve:
    """A metric of rates at m thresholds: G groups, P contrasts, one class.

    Attributes:
        metric: the metric's id.
        label: the class; it is decided for where its probability is the threshold or more.
        groups: the G groups.
        thresholds: (m,) every probability of the class that occurs, ascending, and last infinity: nothing is decided
            for. Between two of them the larger one's values hold.
        rates: (m, G) the metric's score of each group; NaN where it is undefined.
        left, right: (P,) the two sides of each contrast, as in a metric's result.
        against: (m, P) the score of the right side: of a group or of the background; NaN where all are compared.
        gaps: (m, P) the metric.
        total: (m,) its total, or None.

    The area under the FPR gap's distance from everyone else is the Wasserstein-1 distance between both sides'
    probabilities in examples of other classes. The signed area of a gap of true positive rates is the difference of
    both sides' mean probabilities in examples of the class.
    """

    metric: str
    label: str
    groups: tuple[str, ...]
    thresholds: FloatArray
    rates: FloatArray
    left: tuple[str, ...]
    right: tuple[str, ...]
    against: FloatArray
    gaps: FloatArray
    total: FloatArray | None

    def at(self, threshold: float) -> FloatArray:
        """(P,) the gaps when the class is decided for where its probability is the threshold or more."""
        values: FloatArray = self.gaps[np.searchsorted(self.thresholds, threshold - TIE)]
        return values

    @property
    def area(self) -> FloatArray:
        """(P,) the area under \\|gap\\| over the thresholds from 0 to 1; NaN where a part of it is undefined."""
        return self._integral(np.abs(self.gaps))

    @property
    def signed_area(self) -> FloatArray:
        """(P,) the area under the gap itself."""
        return self._integral(self.gaps)

    @property
    def largest(self) -> tuple[FloatArray, FloatArray]:
        """(P,) the gap that is furthest from 0, and (P,) the lowest threshold that has it."""
        away = np.where(np.isnan(self.gaps), -1.0, np.abs(self.gaps))
        where = away.argmax(axis=0)
        gap: FloatArray = self.gaps[where, np.arange(len(self.left))]
        return gap, np.where(np.isnan(gap), np.nan, self.thresholds[where])

    def table(self) -> pd.DataFrame:
        """One row a threshold and a group or pair: threshold, group, against, rate, rate_against, gap.

        The rows of group "*" hold the total, or what compares all groups at once.
        """
        import pandas as pd

        parts = [pd.DataFrame(dict(zip(_COLUMNS, (self.thresholds, *part), strict=True))) for part in self._parts()]
        return pd.concat(parts, ignore_index=True)

    def summary(self) -> pd.DataFrame:
        """One row a group or pair: group, against, area, signed_area, largest, threshold (of the largest)."""
        import pandas as pd

        largest, where = self.largest
        columns = (self.left, self.right, self.area, self.signed_area, largest, where)
        names = ("group", "against", "area", "signed_area", "largest", "threshold")
        return pd.DataFrame(dict(zip(names, columns, strict=True)))

    def _parts(self) -> Iterator[tuple[Any, ...]]:
        """The columns of the table but the thresholds, part by part."""
        nothing = np.full(len(self.thresholds), np.nan)
        if self.total is not None and self.left != ("*",):
            yield "*", "", nothing, nothing, self.total
        if self.left == ("*",):
            yield "*", "", nothing, nothing, self.gaps[:, 0]
            for g, name in enumerate(self.groups):
                yield name, "", self.rates[:, g], nothing, nothing
            return
        for p, (name, other) in enumerate(zip(self.left, self.right, strict=True)):
            yield name, other, self.rates[:, self.groups.index(name)], self.against[:, p], self.gaps[:, p]

    def _integral(self, values: FloatArray) -> FloatArray:
        """(P,) over [0, 1]: the value at a threshold holds from the one before."""
        widths = np.diff(np.concatenate([[0.0], self.thresholds[:-1], [1.0]]))[:, None]
        summed: FloatArray = np.where(widths > 0, values * widths, 0.0).sum(axis=0)
        return summed

    def __repr__(self) -> str:
        return f"<GapCurve {self.metric}, class {self.label}: {len(self.thresholds):,} thresholds>"

    def _repr_html_(self) -> str:
        return str(self.summary()._repr_html_())  # type: ignore[operator]


_CHUNK = 50_000
_NO_PROBABILITIES = "a gap curve needs probabilities, and the predictions hold none."
_COLUMNS = ("threshold", "group", "against", "rate", "rate_against", "gap")


@np.errstate(divide="ignore", invalid="ignore")
def gap_curve(
    outcomes: Outcomes, metric: Metric | str = "fpr_gap", label: str | None = None, options: Options | None = None
) -> GapCurve:
    """A metric of rates at every threshold, exact at all probabilities that occur.

    Scores are sorted once and summed up from the highest; nothing is decided anew for each threshold.

    Args:
        outcomes: n rows of a classifier with probabilities, G groups.
        metric: a group metric whose score is a rate of one class: fpr_gap, fnr_gap, tpr_gap, parity_gap, fped, ...
        label: the class, one against the rest; by default the positive one.
        options: another background, or a balanced one; the rest of `Options` means nothing here.

    Returns:
        The curve; see `GapCurve`.

    Raises:
        OptionError: another kind of metric, an unknown class, or predictions that have no such curve.

    >>> import fairness_checklist as fc
    >>> import pandas as pd
    >>> predictions = {"group": ["a", "a", "b", "b"], "p:no": [0.75, 0.5, 0.75, 0.25], "p:yes": [0.25, 0.5, 0.25, 0.75]}
    >>> curve = fc.evaluate(pd.DataFrame(predictions), metrics=["parity_gap"]).gap_curve("parity_gap")
    >>> curve.thresholds, curve.gaps[:, 0], curve.area
    (array([0.25, 0.5 , 0.75,  inf]), array([0. , 0. , 0.5, 0. ]), array([0.125]))
    """
    chosen = (METRICS[metric] if isinstance(metric, str) else metric).with_options(options or Options())
    _check(chosen, outcomes)
    k = _class_position(outcomes, label)
    contrasts = contrasts_of(chosen, outcomes)
    beta = chosen.membership(outcomes.groups, group_weights(outcomes))
    sums = _summed(outcomes, k)
    at_once = chosen.family == "multigroup"
    shape = len(sums.thresholds), 1 if at_once else len(contrasts.left)
    rates = np.empty((shape[0], len(outcomes.groups)))
    against, gaps = np.full(shape, np.nan), np.empty(shape)
    for start in range(0, shape[0], _CHUNK):
        some = slice(start, start + _CHUNK)
        if at_once:
            rates[some], gaps[some] = _values_over_all_groups(chosen, sums.counts(some))
        else:
            rates[some], against[some], gaps[some] = _values_by_contrast(chosen, contrasts, beta, sums.counts(some))
    names = (("*",), ("",)) if at_once else (contrasts.left_names, contrasts.right_names)
    total = gaps[:, 0] if at_once else totals(chosen, rates.shape[1], contrasts.left, contrasts.right, gaps.T)
    return GapCurve(
        chosen.name, outcomes.classes[k], outcomes.groups, sums.thresholds, rates, *names, against, gaps, total
    )


def _values_over_all_groups(metric: Metric, decided: Counts) -> tuple[FloatArray, FloatArray]:
    """For a metric of all groups at once: the rates (m, G) and the values (m, 1)."""
    own = np.eye(decided.rows.shape[1] - 1, decided.rows.shape[1])
    rates = _rates(metric.score, decided, own)
    gaps = comparisons.of_present(metric.compare, rates)
    if metric.also is not None:
        worse = np.minimum if comparisons.about(metric.compare).no_bias else np.maximum
        gaps = worse(gaps, comparisons.of_present(metric.compare, _rates(metric.also, decided, own)))
    return rates, gaps[:, None]


def _values_by_contrast(
    metric: Metric, contrasts: Contrasts, beta: FloatArray, decided: Counts
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Of pairs and of groups with a background: the rates (m, G), those of the right sides and the values (m, P)."""
    rates = _rates(metric.score, decided, np.eye(*beta.shape))
    x = rates[:, contrasts.left]
    if metric.family == "pairwise":
        against = rates[:, contrasts.right]
        gaps = metric.compare(x, against)
    else:  # d gets the background first
        against = _rates(metric.background_score or metric.score, decided, beta[contrasts.left])
        gaps = metric.compare(against, x)
    return rates, against, np.where(np.isfinite(gaps), gaps, np.nan)


@dataclass(frozen=True, eq=False)
class _Sums:
    """The weight (m, G + 1) of the rows at or above each threshold: of the class, of other classes, without a label."""

    thresholds: FloatArray
    own: FloatArray
    other: FloatArray
    unlabelled: FloatArray

    def counts(self, some: slice) -> Counts:
        """The counts when the class is decided for at each of some thresholds."""
        hits, alarms, others = self.own[some], self.other[some], self.unlabelled[some]
        gold, wrong, without = self.own[:1], self.other[:1], self.unlabelled[:1]  # the lowest threshold has all
        return Counts(
            true_positive=hits,
            false_positive=alarms,
            false_negative=np.maximum(gold - hits, 0.0),
            true_negative=np.maximum(wrong - alarms, 0.0),
            predicted=hits + alarms + others,
            rows=np.broadcast_to(gold + wrong + without, hits.shape),
            labelled=np.broadcast_to(gold + wrong, hits.shape),
        )


def _summed(outcomes: Outcomes, k: int) -> _Sums:
    """The thresholds of a class and what is summed up to them, from the highest probability down."""
    units = outcomes.units
    if units is None:
        raise OptionError(_NO_PROBABILITIES)
    n_columns = len(outcomes.groups) + 1
    levels, at = np.unique(units.probability[:, k], return_inverse=True)
    code: IntArray = at * n_columns + outcomes.group[units.row]
    weight, label = outcomes.weight[units.row], units.label

    def summed(kept: BoolArray) -> FloatArray:
        if not kept.any():
            return np.broadcast_to(np.zeros(n_columns), (len(levels) + 1, n_columns))
        mass = np.bincount(code[kept], weights=weight[kept], minlength=(len(levels) + 1) * n_columns)
        upwards: FloatArray = mass.astype(np.float64).reshape(-1, n_columns)[::-1]
        return np.cumsum(upwards, axis=0, out=upwards)[::-1]

    return _Sums(np.append(levels, np.inf), summed(label == k), summed((label >= 0) & (label != k)), summed(label < 0))


def _rates(score: scores.Score, decided: Counts, membership: FloatArray) -> FloatArray:
    """(m, B) a rate of pooled groups, for a membership matrix (B, G + 1)."""
    pooled = decided.map(lambda values: (values @ membership.T)[..., None])
    numbers = score(pooled)[..., 0]
    rates: FloatArray = np.where(np.isfinite(numbers), numbers, np.nan)
    return rates


def _class_position(outcomes: Outcomes, label: str | None) -> int:
    if label is None:
        return outcomes.positive
    if label not in outcomes.classes:
        raise OptionError(
            f"the class {label!r} is none of the predictions'.", remedy=f"Classes: {', '.join(outcomes.classes)}."
        )
    return outcomes.classes.index(label)


def _fits(metric: Metric) -> bool:
    used = [scores.about(score) for score in (metric.score, metric.background_score, metric.also) if score is not None]
    rates = all(score.kind == "rate" and not score.over_classes for score in used)
    return metric.level == "group" and rates and comparisons.about(metric.compare).kind in ("scalar", "groups")


def _check(metric: Metric, outcomes: Outcomes) -> None:
    if not _fits(metric):
        known = [candidate.name for candidate in METRICS.values() if _fits(candidate)]
        raise OptionError(
            f"{metric.name} has no gap curve: it is no group metric of a rate of one class.",
            remedy=f"These have one: {', '.join(known)}.",
        )
    if outcomes.kinds.true_negative is None:
        raise OptionError("a gap curve moves a classifier's threshold, and these are a tagger's predictions.")
    if outcomes.units is None:
        raise OptionError(_NO_PROBABILITIES)
    why = missing(metric.score, outcomes)
    if why:
        raise OptionError(f"{metric.name} has no gap curve here: {why}.")
