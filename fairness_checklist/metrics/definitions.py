"""The definitions of metrics in symbols and words, built from what the record says."""

from __future__ import annotations

import re

from fairness_checklist import comparisons, scores
from fairness_checklist.metrics.metric import Metric, no_normaliser, number_of_contrasts, number_of_groups

__all__ = ["definition", "score_symbol"]

_SCORES = {
    "true_positive_rate": "TPR({0})",
    "false_negative_rate": "FNR({0})",
    "false_positive_rate": "FPR({0})",
    "true_negative_rate": "TNR({0})",
    "f1": "F1({0})",
    "prediction_rate": "share of {0} predicted c",
    "accuracy": "accuracy({0})",
    "probabilities": "{{p(c) of {0}}}",
    "true_class_probabilities": "{{p(c) of {0}, gold c}}",
    "other_class_probabilities": "{{p(c) of {0}, gold not c}}",
    "positive_probabilities_of_positives": "{{p(positive) of {0}, gold positive}}",
    "positive_probabilities_of_negatives": "{{p(positive) of {0}, gold negative}}",
    "probability": "p(c) of {0}",
    "true_class_probability": "p(c) of {0}, gold c",
    "target_probability": "p(gold class) of {0}",
    "decision": "[{0} predicted c]",
    "true_class_decision": "[{0} predicted c, gold c]",
    "items_of_class": "{{x: {0} predicted c}}",
    "decisions": "{{class predicted of {0}}}",
    "decisions_of_class": "{{class predicted of {0}, gold c}}",
    "gold_of_decided": "{{gold class of {0}, predicted c}}",
    "mean_probability": "mean p(c) of {0}",
    "mean_target_probability": "mean p(gold class) of {0}",
    "area_under_curve": "AUC({0})",
    "repaired_entities": "repaired entities a sentence of {0}",
    "labelled_attachment_score": "LAS({0})",
}
_COMPARISONS = {
    "abs_diff": "|{x} - {y}|",
    "difference": "{x_} - {y_}",
    "excess_over_background": "{y_} - {x_}",
    "ratio": "{x_} / {y_}",
    "ratio_to_background": "{y_} / {x_}",
    "smaller_over_larger": "smaller / larger of ({x}, {y})",
    "wasserstein_1": "W1({x}, {y})",
    "divergence_from_background": "KL({y} || {x})",
    "average_equality_gap": "P({y} > {x}, ties half) - 1/2",
    "group_area": "AUC(c in {g} over not c in {g})",
    "background_positive_area": "AUC(c in {b} over not c in {g})",
    "group_positive_area": "AUC(c in {g} over not c in {b})",
    "pinned_area": "AUC({g} and {b}, each with half of the weight)",
    "area_distance": "|AUC({b}) - AUC({g})|",
    "pinned_area_distance": "|AUC({b}) - AUC({g} and {b}, each with half of the weight)|",
    "only_in_background": "{x} (1 - {y})",
    "jaccard_distance": "Jaccard distance({x}, {y})",
    "score_range": "largest less smallest over groups g of {y}",
    "lowest_over_highest": "smallest over largest of all groups g of {y}",
    "score_deviation": "standard deviation over groups g of {y}",
}


def score_symbol(score: scores.Score, of: str) -> str:
    """A score of something, in symbols.

    >>> score_symbol(scores.false_positive_rate, "g"), score_symbol(scores.probabilities, "everyone")
    ('FPR(g)', '{p(c) of everyone}')
    """
    name = scores.about(score).name
    if scores.SCORES.get(name) is score and name in _SCORES:
        return _SCORES[name].format(of)
    return f"{name.replace('_', ' ')}({of})"


def definition(metric: Metric) -> str:
    """A metric's definition: what is computed of each group g or pair g, h, and how it becomes one number.

    >>> from fairness_checklist.metrics import METRICS
    >>> definition(METRICS["fped"])
    'sum over groups g of |FPR(everyone) - FPR(g)|'
    >>> definition(METRICS["cf_gap"])
    'mean over sources x of the mean over pairs g, h of |p(c) of x with g - p(c) of x with h|'
    """
    contrast = _contrast(metric)
    if metric.level == "group" or scores.about(metric.score).kind == "items":
        return _over_contrasts(metric, contrast)
    if metric.family == "multigroup" or _is_summed(metric):
        return f"mean over sources x of the {_over_contrasts(metric, contrast)}"
    return _over_contrasts(metric, f"mean over sources x of {contrast}")


def _absolute(symbol: str) -> str:
    """A symbol in brackets where its words would run into the sign beside it."""
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
    if comparisons.COMPARISONS.get(known.name) is metric.compare and known.name in _COMPARISONS:
        return _COMPARISONS[known.name].format(x=x, y=y, g=g, b=b, x_=_absolute(x), y_=_absolute(y))
    name = known.name.replace("_", " ")
    return f"{name} over groups g of {y}" if metric.family == "multigroup" else f"{name}({x}, {y})"


def _is_summed(metric: Metric) -> bool:
    """Whether the terms of the sum become one number, for any number of groups."""
    commutes = comparisons.about(metric.compare).commutative
    return metric.normalise is not None and (metric.family == "background" or commutes)


def _over_contrasts(metric: Metric, contrast: str) -> str:
    """How the terms become the metric."""
    if metric.family == "multigroup":
        return contrast
    one, each = ("group g", "groups g") if metric.family == "background" else ("pair g, h", "pairs g, h")
    if not _is_summed(metric):
        return f"for each {one}: {contrast}" + ("; a total for two groups only" if metric.normalise else "")
    if metric.normalise is no_normaliser:
        return f"sum over {each} of {contrast}"
    averaged = number_of_groups if metric.family == "background" else number_of_contrasts
    if metric.normalise in (averaged, number_of_contrasts):
        return f"mean over {each} of {contrast}"
    divisor = getattr(metric.normalise, "__name__", "N").replace("_", " ")
    return f"(sum over {each} of {contrast}) / {divisor}"
