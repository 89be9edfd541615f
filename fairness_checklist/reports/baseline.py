"""What the figures must be read against: a model that always says one class, and words that should not matter."""

from __future__ import annotations

import math

from fairness_checklist.reports.asked import is_tagging
from fairness_checklist.reports.reading import View, view
from fairness_checklist.reports.words import decimal, entities_at, percent, points
from fairness_checklist.results import Results

__all__ = ["beside_placebo", "constant_class", "finds_nothing", "no_better_than", "opening", "placebo_hint"]

PLACEBO = "placebo"
_NOTHING = 5e-4


def constant_class(seen: View) -> str:
    """The class that every text gets; "" where there are several."""
    if seen.tagging or "predicted" not in seen.examples.columns or len(seen.examples) < 2:
        return ""
    said = list(seen.examples["predicted"].astype("str").unique())
    return str(said[0]) if len(said) == 1 else ""


def finds_nothing(seen: View) -> bool:
    """Whether a tagger finds no term at all, so that no group can be missed more than another."""
    rates = [seen.score("true_positive_rate", label, "*")[0] for label in seen.gold_classes(seen.place)]
    return seen.tagging and bool(rates) and max(rates) == 0


def no_better_than(seen: View) -> tuple[str, float] | None:
    """The largest gold class and its share, where the model's share of right decisions is not above it; else None.

    Texts of one gold class only say nothing about this.
    """
    accuracy, n = seen.score("accuracy", "*", "*")
    if math.isnan(accuracy) or not n or "label" not in seen.examples.columns:
        return None
    rows = seen.examples[(seen.examples["group"] != "unmarked") & seen.examples["label"].isin(seen.classes)]
    weight = rows["weight"].astype("float64") if "weight" in rows.columns else rows["label"].map(lambda _: 1.0)
    sums = weight.groupby(rows["label"].astype("str")).sum()
    if len(sums) < 2 or not sums.sum() > 0:
        return None
    share = float(sums.max() / sums.sum())
    return (str(sums.idxmax()), share) if accuracy <= share + 1e-9 else None


def opening(seen: View) -> str:
    """The sentence that must come before all others, where the model is of no use for these texts; else ""."""
    constant, best = constant_class(seen), no_better_than(seen)
    accuracy, n = seen.score("accuracy", "*", "*")
    if finds_nothing(seen):
        return (
            f"The model finds none of the {entities_at(seen.place, seen.attribute)} with their type: its misses "
            "cannot differ between groups, which is no sign of fairness."
        )
    if constant:
        right = f"; {percent(accuracy)} of the labelled ones are right" if n else ""
        return (
            f'The model says "{constant}" to every one of the {len(seen.examples):,} sentences: its decisions, and so '
            f"its error rates, cannot differ between groups, which is no sign of fairness{right}."
        )
    if best is not None:
        return (
            f"Only {percent(accuracy)} of the {n:,} labelled sentences get their gold label, no better than always "
            f'saying "{best[0]}" ({percent(best[1])}): this model hardly does the task on these sentences.'
        )
    return ""


def _is_placebo(attribute: str) -> bool:
    return attribute.partition(".")[0] == PLACEBO


def beside_placebo(results: Results, seen: View) -> str:
    """How far the model moves for words that should not matter, beside this attribute; "" without a placebo."""
    name = next((name for name in results.attributes if _is_placebo(name)), None)
    if name is None or _is_placebo(seen.attribute):
        return ""
    other = view(results, name)
    told: list[str] = []
    ratios: list[float] = []
    for metric, lead, say in (("fnr_gap", "the largest fnr_gap of the placebo is", points), ("avg_if", "", decimal)):
        theirs, here = _largest(other, metric), _largest(seen, metric)
        if math.isnan(theirs) or math.isnan(here):
            continue
        told.append(f"{lead or ('its' if told else 'the placebo has an')} {metric if not lead else ''}".strip())
        told[-1] += f" {say(theirs)} (here {say(here)})"
        if max(theirs, here) >= _NOTHING:
            ratios.append(max(theirs, _NOTHING) / max(here, _NOTHING))
    if not told:
        return ""
    ratio = math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else math.nan
    return f"Words that should not matter move this model {_as_much(ratio)}: {', '.join(told)}."


def _largest(seen: View, metric: str) -> float:
    """The size of a metric's largest total or, without one, of its largest value of a group; NaN without any."""
    found = [math.nan]
    for key in (key for key in seen.keys if key[0] == metric):
        for label in seen.labels(key):
            total = seen.total(key, label)
            rows = [total] if total is not None else [seen.of_group(key, label, group) for group in seen.groups]
            found += [abs(row["value"]) for row in rows if row is not None]
    return max((value for value in found if not math.isnan(value)), default=math.nan)


def _as_much(ratio: float) -> str:
    """How the placebo's figures compare, by the geometric mean of their ratios.

    >>> _as_much(0.4), _as_much(0.7), _as_much(1.1), _as_much(1.6), _as_much(5.0)
    ('less than half as much', 'less', 'about as much', 'more', 'more than twice as much')
    """
    if math.isnan(ratio):
        return "as little"
    limits = ((0.5, "less than half as much"), (0.8, "less"), (1.25, "about as much"), (2.0, "more"))
    return next((words for limit, words in limits if ratio < limit), "more than twice as much")


def placebo_hint(results: Results) -> str:
    """What to do where a run of counterfactual texts holds no placebo; else ""."""
    if any(map(_is_placebo, results.attributes)) or "source" not in results.examples.columns:
        return ""
    if is_tagging(results):  # its words stand in no entity
        return ""
    return f"Run the attribute {PLACEBO} as well, to see how far this model moves for words that should not matter."
