"""The definitions of metrics in symbols and words, derived from their declarations."""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from importlib import resources

from fairness_checklist.metrics import comparisons, scores
from fairness_checklist.metrics.metric_forms import Metric, no_normaliser, number_of_contrasts, number_of_groups

_SYMBOLS = tomllib.loads(resources.files(__package__).joinpath("symbols.toml").read_text(encoding="utf-8"))


def score_symbol(score: scores.Score, of: str) -> str:
    """A score of something, in symbols.

    >>> score_symbol(scores.false_positive_rate, "g"), score_symbol(scores.probabilities, "everyone")
    ('FPR(g)', '{p(c) of everyone}')
    """
    name = scores.about(score).name
    if scores.SCORES.get(name) is score and name in _SYMBOLS["scores"]:
        return str(_SYMBOLS["scores"][name].format(of))
    return f"{name.replace('_', ' ')}({of})"


def definition(metric: Metric) -> str:
    """A metric's definition: what is computed of each group g or pair g, h, and how it becomes one number."""
    contrast = _contrast(metric)
    if metric.level == "group" or scores.about(metric.score).kind == "items":
        return _over_contrasts(metric, contrast)
    if metric.family == "multigroup" or _is_summed(metric):
        return f"mean over sources x of the {_over_contrasts(metric, contrast)}"
    return _over_contrasts(metric, f"mean over sources x of {contrast}")


def _absolute(symbol: str) -> str:
    """A symbol in brackets where its words would run into the next sign."""
    return f"({symbol})" if " " in re.sub(r"\(.*?\)|\[.*?\]", "", symbol) else symbol


def _contrast(metric: Metric) -> str:
    """One term of the sum."""
    group, other = ("x with g", "x with h") if metric.level == "counterfactual" else ("g", "h")
    background = metric.background_name().replace("_", " ") + (", balanced" if metric.balanced else "")
    if metric.family == "background":  # d gets the background first
        behind = background
        if metric.level == "counterfactual" and background:
            behind = "unmarked x" if background == "unmarked" else f"x with {background}"
        x = score_symbol(metric.background_score or metric.score, behind or "g")
        return _compared(metric, x, score_symbol(metric.score, group), group, behind or group)
    if metric.family == "pairwise":
        return _compared(metric, score_symbol(metric.score, group), score_symbol(metric.score, other), other, group)
    first = _compared(metric, "", score_symbol(metric.score, group), group, "")
    if metric.also is None:
        return first
    second = _compared(metric, "", score_symbol(metric.also, group), group, "")
    worse = "smaller" if comparisons.about(metric.compare).no_bias else "larger"
    return f"{worse} of ({first}; {second})"


def _compared(metric: Metric, x: str, y: str, g: str, b: str) -> str:
    known = comparisons.about(metric.compare)
    if comparisons.COMPARISONS.get(known.name) is metric.compare and known.name in _SYMBOLS["comparisons"]:
        symbol: str = _SYMBOLS["comparisons"][known.name]
        return symbol.format(x=x, y=y, g=g, b=b, x_=_absolute(x), y_=_absolute(y))
    name = known.name.replace("_", " ")
    return f"{name} over groups g of {y}" if metric.family == "multigroup" else f"{name}({x}, {y})"


def _is_summed(metric: Metric) -> bool:
    """Whether the terms of the sum become one number, for any number of groups."""
    commutes = comparisons.about(metric.compare).commutative
    return metric.normalise is not None and (metric.family == "background" or commutes)


def _over_contrasts(metric: Metric, contrast: str) -> str:
    """The aggregation of the contrasts, in words."""
    if metric.family == "multigroup":
        return contrast
    single, each = ("group g", "groups g") if metric.family == "background" else ("pair g, h", "pairs g, h")
    if not _is_summed(metric):
        return f"for each {single}: {contrast}" + ("; a total for two groups only" if metric.normalise else "")
    if metric.normalise is no_normaliser:
        return f"sum over {each} of {contrast}"
    averaged = number_of_groups if metric.family == "background" else number_of_contrasts
    if metric.normalise in (averaged, number_of_contrasts):
        return f"mean over {each} of {contrast}"
    divisor = getattr(metric.normalise, "__name__", "N").replace("_", " ")
    return f"(sum over {each} of {contrast}) / {divisor}"


@dataclass(frozen=True)
class Range:
    """The values that can come out.

    Attributes:
        low, high: both ends; infinite where there is none, NaN where it is unknown (a user-defined score).
        by_groups: whether both ends are to be multiplied by the number of groups.

    >>> str(Range(0, 1)), str(Range(0, math.inf)), str(Range(0, 1, by_groups=True)), str(Range(-0.5, 0.5))
    ('[0, 1]', '[0, inf)', '[0, G] for G groups', '[-0.5, 0.5]')
    """

    low: float
    high: float
    by_groups: bool = False

    @property
    def known(self) -> bool:
        return not math.isnan(self.low) and not math.isnan(self.high)

    def of(self, groups: int) -> tuple[float, float]:
        """Both ends for so many groups."""
        times = groups if self.by_groups else 1
        return float(self.low * times), float(self.high * times)

    def __str__(self) -> str:
        if not self.known:
            return "unknown: the score or comparison is user-defined"
        low, high = (_end(end, self.by_groups) for end in (self.low, self.high))
        opened, closed = "(" if math.isinf(self.low) else "[", ")" if math.isinf(self.high) else "]"
        return f"{opened}{low}, {high}{closed}" + (" for G groups" if self.by_groups else "")


def _end(end: float, by_groups: bool) -> str:
    if not by_groups or end == 0 or math.isinf(end):
        return f"{end:g}"
    factor = "" if abs(end) == 1 else f"{abs(end):g} "
    return f"{'-' if end < 0 else ''}{factor}G"


Ends = tuple[float, float]
_UNKNOWN: Ends = (math.nan, math.nan)
_SHARE: Ends = (0.0, 1.0)
_NOT_SHARES: dict[str, Ends] = {
    "repaired_entities": (0.0, math.inf),
    "labelled_attachment_score": (-math.inf, math.inf),
}
"""Scores that are neither rates nor probabilities: a count, and a column of the table."""
_OF_TAGGERS: dict[str, Ends] = {"prediction_rate": (0.0, math.inf)}
"""Scores with another range of taggers: spans a sentence."""


def _range_of_score(score: scores.Score, tagger: bool) -> Ends:
    """The range of a score; unknown for a user-defined score."""
    if score not in scores.SCORES.values() or not str(score.__module__).startswith("fairness_checklist."):
        return _UNKNOWN
    name = scores.about(score).name
    return _OF_TAGGERS[name] if tagger and name in _OF_TAGGERS else _NOT_SHARES.get(name, _SHARE)


_ENDS: dict[str, Callable[[float, float], Ends]] = {
    **dict.fromkeys(("abs_diff", "wasserstein_1", "score_range"), lambda low, high: (0.0, high - low)),
    **dict.fromkeys(("difference", "excess_over_background"), lambda low, high: (low - high, high - low)),
    **dict.fromkeys(("ratio", "ratio_to_background"), lambda low, _high: (0.0 if low >= 0 else -math.inf, math.inf)),
    **dict.fromkeys(
        ("smaller_over_larger", "lowest_over_highest"),
        lambda low, _high: _SHARE if low >= 0 else (-math.inf, math.inf),
    ),
    "score_deviation": lambda low, high: (0.0, (high - low) / 2),
    "divergence_from_background": lambda _low, _high: (0.0, math.inf),
    "average_equality_gap": lambda _low, _high: (-0.5, 0.5),
    **dict.fromkeys(
        (
            "group_area", "background_positive_area", "group_positive_area", "pinned_area", "area_distance",
            "pinned_area_distance", "only_in_background", "jaccard_distance",
        ),
        lambda _low, _high: _SHARE,
    ),
}  # fmt: skip
"""A comparison's name -> its ends, from those of the score."""
_DISTANCES = ("abs_diff", "wasserstein_1")


def of_contrast(metric: Metric, *, tagger: bool = False) -> Range:
    """The range of each value: of a group, a pair, or of all groups at once.

    >>> from fairness_checklist.metrics.metric_forms import METRICS
    >>> str(of_contrast(METRICS["fpr_gap"])), str(of_contrast(METRICS["pert_sd"]))
    ('[-1, 1]', '[0, 0.5]')
    """
    name = comparisons.about(metric.compare).name
    if comparisons.COMPARISONS.get(name) is not metric.compare or name not in _ENDS:
        return Range(*_UNKNOWN)
    used = (metric.score, metric.background_score, metric.also)
    lows, highs = zip(*(_range_of_score(score, tagger) for score in used if score is not None), strict=True)
    known = not any(map(math.isnan, lows))
    return Range(*_ENDS[name](*((min(lows), max(highs)) if known else _UNKNOWN)))


def of_total(metric: Metric, *, tagger: bool = False) -> Range | None:
    """The range of the total; None where the metric has none.

    A sum over G groups reaches G times a value's end. The distances of all pairs sum to at most a quarter of G squared,
    which is reached when half of the groups are at each end of the score's range.

    >>> from fairness_checklist.metrics.metric_forms import METRICS
    >>> str(of_total(METRICS["fped"])), str(of_total(METRICS["disparity_score"])), of_total(METRICS["avg_eg"])
    ('[0, G] for G groups', '[0, 0.25 G] for G groups', None)
    """
    each = of_contrast(metric, tagger=tagger)
    if not metric.has_total:
        return None
    known = comparisons.about(metric.compare)
    summed = metric.normalise is no_normaliser
    if metric.family == "multigroup" or metric.normalise is number_of_contrasts:
        return each
    if metric.family == "pairwise" and not known.commutative and summed:
        return each  # two groups only
    if metric.family == "background" and (summed or metric.normalise is number_of_groups):
        return Range(each.low, each.high, by_groups=summed and math.isfinite(each.high))
    if metric.normalise is number_of_groups and known.name in _DISTANCES:
        return Range(each.low, each.high / 4, by_groups=math.isfinite(each.high))
    return Range(*_UNKNOWN)
