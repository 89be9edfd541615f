"""The metrics: one line of ``catalogue.csv`` each, those of Table 2 of Czarnowska, Vyas and Shah (2021) first."""

import csv
from importlib import resources

from fairness_checklist.core.outcomes import Outcomes
from fairness_checklist.core.terms_as_groups import by_term
from fairness_checklist.metrics import backgrounds, comparisons, scores
from fairness_checklist.metrics import metric_forms as normalisers
from fairness_checklist.metrics.engine import computed
from fairness_checklist.metrics.metric_forms import METRICS, Metric, Options
from fairness_checklist.metrics.metric_result import MetricResult

ALIASES = {"fnr_range": "equal_opportunity_difference", "positive_aeg": "avg_eg", "recall_difference": "tpr_difference"}
"""A metric -> the metric that is the same number on all data. By default only the latter is computed and tested."""

OF_POSITIVE_CLASS = {"neg_avg_eg": "negative_aeg", "pos_avg_eg": "avg_eg"}
"""An alias -> the metric with the same rows of the positive class. By default only that metric is computed."""


def compute(metric: Metric | str, outcomes: Outcomes, options: Options | None = None) -> MetricResult:
    """Compute one metric, or that of an id: the contrasts (P, K) and the total (K,).

    Raises:
        OptionError: an unknown id, fewer than two groups, a counterfactual metric without sources.
        UndefinedError: a value is undefined and ``options.undefined`` is "raise".
    """
    options = options or Options()
    chosen = (METRICS[metric] if isinstance(metric, str) else metric).with_options(options)
    outcomes = outcomes.view(options.where)
    if options.by == "term":
        outcomes = by_term(outcomes)
    return computed(chosen, outcomes, options)


_FAMILIES = {
    "pairwise": ("pairs of groups", 1),
    "background": ("each group against a background", 3),
    "multigroup": ("all groups at once", 5),
}
"""A family in words, and its equation on the group level; the next one is that of the counterfactual level."""
_NEEDS = {
    "needs_labels": "gold labels",
    "needs_decisions": "decisions",
    "needs_probabilities": "probabilities",
    "two_classes": "a model of two classes",
    "needs_true_negatives": "true negatives: a classifier, no tagger",
}


def describe(metric: Metric | str) -> dict[str, str]:
    """The card of a registered or user-defined metric: {heading: text}, as ``list metrics ID`` prints it.

    Raises:
        OptionError: no such metric is registered.

    >>> describe("fped")["definition"], describe("fped")["range"], describe("fped")["no bias"]
    ('sum over groups g of |FPR(everyone) - FPR(g)|', 'each [0, 1]; the total [0, G] for G groups', '0')
    """
    metric = METRICS[metric] if isinstance(metric, str) else metric
    score, compare = scores.about(metric.score), comparisons.about(metric.compare)
    family, equation = _FAMILIES[metric.family]
    equation += metric.level == "counterfactual"
    values = "one value per class"
    if score.two_classes or score.over_classes:
        values = "one value, of the positive class" if score.two_classes else "one value over all classes"
    used = [scores.about(phi) for phi in (metric.score, metric.background_score, metric.also) if phi is not None]
    needs = ["two groups or more"]
    needs += ["sources: the same sentence with each group"] * (metric.level == "counterfactual")
    needs += ["the unmarked control"] * (metric.background is backgrounds.unmarked)
    needs += [text for name, text in _NEEDS.items() if any(getattr(info, name) for info in used)]
    needs += [f"a column score:{info.needs_score}" for info in used if info.needs_score]
    is_area = compare.kind == "ranking" and compare.no_bias == 1
    alike = "none: groups that are treated alike have the same value, whatever it is"
    return {
        "id": metric.name,
        "question": metric.question or "not given",
        "form": f"{metric.level} level, {family}, equation ({equation}); {values}",
        "definition": metric.definition or f"{compare.name} of {score.name}",
        "range": metric.value_range or "unknown: the metric is user-defined",
        "no bias": alike if is_area else f"{compare.no_bias:g}",
        "needs": "; ".join(needs),
        "paper": metric.source or "not given",
    }


with resources.files(__package__).joinpath("catalogue.csv").open(encoding="utf-8") as _lines:
    for _row in csv.DictReader(_lines):  # names of functions, an empty cell for none
        METRICS.register(
            Metric(
                name=_row["name"],
                family=_row["family"],  # type: ignore[arg-type]
                level=_row["level"],  # type: ignore[arg-type]
                score=getattr(scores, _row["score"]),
                compare=getattr(comparisons, _row["compare"]),
                background=getattr(backgrounds, _row["background"] or "none", None),
                normalise=getattr(normalisers, _row["normalise"] or "none", None),
                also=getattr(scores, _row["also"] or "none", None),
                source=_row["source"],
                question=_row["question"],
                definition=_row["definition"],
                value_range=_row["range"],
            )
        )
