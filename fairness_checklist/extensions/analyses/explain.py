"""One number of a run in a sentence: what it compares, the rows behind it, its direction and where it comes from."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from fairness_checklist.core.arrays import BoolArray
from fairness_checklist.core.errors import OptionError, count
from fairness_checklist.core.examples import UNMARKED
from fairness_checklist.core.formatting import capitalise, decimal, format_p_value, join_names
from fairness_checklist.core.outcomes import Outcomes
from fairness_checklist.core.tasks import known_harm
from fairness_checklist.extensions.analyses.recompute import row_with_uncertainty
from fairness_checklist.metrics import comparisons, scores
from fairness_checklist.metrics.catalogue import ALIASES, OF_POSITIVE_CLASS
from fairness_checklist.metrics.contrasts import class_names, missing
from fairness_checklist.metrics.group_kernels import group_scores
from fairness_checklist.metrics.metric_forms import METRICS, Metric
from fairness_checklist.reports.finding_text import finding_sentence
from fairness_checklist.reports.run_view import (
    MetricKey,
    Row,
    View,
    attribute_view,
    attribute_views,
    neutral_value,
    one_of,
    outcomes_of,
    signed,
)
from fairness_checklist.reports.wording import TEXTS, at_place, group_sentences, level_of
from fairness_checklist.tables.run_folder import Results

_BACKGROUNDS = {
    "everyone_else": "the sentences of all other groups",
    "everyone": "the sentences of all groups",
    "unmarked": "the same sentences without any group",
}


def explain(
    results: Results, metric: str, group: str | None = None, *, label: str | None = None, attribute: str | None = None
) -> str:
    """One number in words.

    Args:
        results: a run.
        metric: a metric's id.
        group: the group of the value; by default the total, or of a metric without one the value furthest from equal
            treatment.
        label: the class; by default the positive (last) one, of a tagger the type of the terms.
        attribute: the attribute; by default the first one with this metric and group.

    Returns:
        The value; what it compares, with the base score and its n on both sides; which sources or rows entered; its
        direction; its uncertainty; the finding of its group and harm; the question and the paper of the metric.

    Raises:
        OptionError: an unknown metric, group, class or attribute, or a group that several attributes have.
    """
    metric = _in_run(results, metric)
    view = _choose_view(results, metric, group, attribute)
    variants = [key for key in (*view.primary, *view.keys_at(view.place), *view.keys) if key[0] == metric]
    key = variants[0]
    labels = view.labels(key)
    shown = [known for known in labels if view.tagging and known in view.shown_classes]
    label = (*shown[:1], labels[-1])[0] if label is None else one_of(label, labels, f"class of {metric}")
    row, scope = _choose_row(view, key, label, group)
    line = METRICS.get(metric)
    parts = [_value(view, row, scope)]
    if line is not None:
        outcomes = outcomes_of(results, view).view(key[2])
        parts += [_compared(view, line, row, outcomes), _entered(view, line, row, outcomes), _direction(line, row)]
    else:
        parts += [_sides(view, row), f"{count(int(row['n']), view.unit)} entered."]
    parts += [
        uncertainty_sentences(view, row_with_uncertainty(results, view, row)),
        _finding(results, view, row),
        _origin(line, row),
    ]
    return " ".join(part for part in parts if part)


def _in_run(results: Results, metric: str) -> str:
    """The id under which a run holds a metric: for an alias that was not computed, that of the aliased metric."""
    there = set(results.metrics["metric"])
    stands_for = {**ALIASES, **OF_POSITIVE_CLASS}.get(metric, metric)
    return metric if metric in there or stands_for not in there else stands_for


def _choose_view(results: Results, metric: str, group: str | None, attribute: str | None) -> View:
    one_of(metric, dict.fromkeys(results.metrics["metric"]), "metric")
    views = [attribute_view(results, attribute)] if attribute is not None else attribute_views(results)
    views = [view for view in views if metric in {key[0] for key in view.keys}]
    if not views:
        raise OptionError(
            f"{metric} was not computed for {attribute or 'groups'}.",
            remedy=f'See the rows of result.metrics with metric "{metric}".',
        )
    if group is None:
        return views[0]
    one_of(group, dict.fromkeys(known for view in views for known in view.groups), "group")
    having = [view for view in views if group in view.groups]
    if len(having) > 1:
        names = [view.attribute for view in having]
        raise OptionError(
            f"the group {group!r} is in {join_names(names)}.", remedy=f'Name one: attribute="{names[0]}".'
        )
    return having[0]


def _choose_row(view: View, key: MetricKey, label: str, group: str | None) -> tuple[Row, str]:
    """The row to explain and the name of its group or groups."""
    total = view.total(key, label)
    row = view.pair(key, label) if group is None else view.of_group(key, label, group)
    if row is not None:
        return row, f"{row['left']} and {row['right']}" if row["right"] in view.groups else row["left"]
    if group is not None:
        if total is not None:
            raise OptionError(f"{key[0]} has one value for all groups together.", remedy="Leave the group out.")
        raise OptionError(
            f"{key[0]} is a signed comparison of two groups and has no single value for {group}.",
            remedy=f'See the rows of result.metrics with metric "{key[0]}".',
        )
    if total is not None:
        return total, "all groups"
    rows = [row for (*head, kind, _, _), row in view.cells.items() if tuple(head) == key and kind == label]
    zero = neutral_value(key[0])
    row = max(rows, key=lambda r: -1.0 if math.isnan(r["value"]) else abs(r["value"] - zero))
    other = f" and {row['right']}" if row["right"] in view.groups else ""
    return row, f"{row['left']}{other}, the furthest of {len(rows):,}"


def _value(view: View, row: Row, scope: str) -> str:
    inside = view.attribute if row["class"] == "*" else f"{view.attribute}, class {row['class']}"
    if view.tagging:
        inside += f", {at_place(row['where'], view.attribute)}"
    where = f"{row['metric']} of {scope} ({inside})"
    if math.isnan(row["value"]):
        return f"{where} is undefined: {row['note'] or 'no reason was recorded'}."
    plus = signed(row["metric"]) and not neutral_value(row["metric"])
    note = f" ({row['note']})" if row["note"] else ""
    return f"{where} is {decimal(row['value'], signed=plus)}{note}."


def _compared(view: View, metric: Metric, row: Row, outcomes: Outcomes) -> str:
    """The base scores on both sides."""
    if missing(metric.score, outcomes):
        return ""
    phrases = TEXTS["scores"]["classifier"] | (TEXTS["scores"]["tagger"] if view.tagging else {})
    name = _shown_score(metric).__name__
    phrase = phrases.get(name, name.replace("_", " "))
    if row["left"] == "*" or row["right"] == "others":
        first = [row["left"]] if row["left"] in view.groups else []
        names = first + [name for name in view.groups if name not in first]
        values = [f"{name} {_base(metric, row, outcomes, [name])}" for name in names]
        return f"It compares the {phrase}: {join_names(values, 8)}."
    if not row["right"]:
        return ""
    right, second = row["right"], _second(row["right"], view)
    if not second:
        return f"It compares the {phrase} with that of the background {right}."
    everyone = {"everyone_else": [g for g in view.groups if g != row["left"]], "everyone": list(view.groups)}
    others = [right] if right in view.groups else everyone.get(right, [UNMARKED])
    other = metric.background_score or _shown_score(metric)
    own = group_sentences(row["left"], view.attribute, mentioned=view.mentions)
    return (
        f"It compares the {phrase}: {_base(metric, row, outcomes, [row['left']])} of "
        f"{own} against {_base(metric, row, outcomes, others, other)} "
        f"of {second}."
    )


def _second(right: str, view: View) -> str:
    """The sentences that a group is compared with: those of a group, or of a known background; "" for another one."""
    if right in view.groups:
        return group_sentences(right, view.attribute, mentioned=view.mentions)
    return _BACKGROUNDS.get(right, "").replace("sentences", "sentences" if view.mentions else "rows")


def _shown_score(metric: Metric) -> scores.Score:
    """The score to show of a group: of a metric of single decisions the rate of them."""
    return scores.prediction_rate if scores.about(metric.score).kind == "items" else metric.score


def _base(
    metric: Metric, row: Row, outcomes: Outcomes, groups: Sequence[str], score: scores.Score | None = None
) -> str:
    """The base score of some groups together, with its n."""
    score = score or _shown_score(metric)
    columns = [*outcomes.groups, UNMARKED]
    inside = np.isin(columns, list(groups))
    k = class_names(score, outcomes).index(row["class"])
    value = float(group_scores(score, outcomes, inside[None, :].astype(np.float64))[0, k])
    n = int((inside[outcomes.group] & _entering(score, outcomes, k)).sum())
    return f"{decimal(value, undefined='undefined')} (n {n:,})"


def _entering(score: scores.Score, outcomes: Outcomes, k: int) -> BoolArray:
    """(n,) which rows the score of the class at position k counts."""
    enters = scores.about(score).enters
    if enters is None:
        return np.ones(len(outcomes), dtype=np.bool_)
    columns = enters(outcomes)
    return columns[:, min(k, columns.shape[1] - 1)]


def _entered(view: View, metric: Metric, row: Row, outcomes: Outcomes) -> str:
    n = count(int(row["n"]), view.unit)
    if view.unit != "source" or missing(metric.score, outcomes):
        return f"{n} entered."
    k = class_names(metric.score, outcomes).index(row["class"])
    rows = _entering(metric.score, outcomes, k) & (outcomes.source >= 0)
    if metric.level == "counterfactual":
        rows &= outcomes.symmetric[outcomes.source]
    entered = [outcomes.sources[s] for s in np.unique(outcomes.source[rows])]
    if len(entered) != int(row["n"]):
        return f"{n} entered."
    templates = list(dict.fromkeys(source.template for source in entered if source.template))
    if not 0 < len(templates) < len(entered):
        return f"{n} entered: {join_names([source.id for source in entered], 4)}."
    return f"{n} entered, of {count(len(templates), 'template')}: {join_names(templates, 4)}."


def _sides(view: View, row: Row) -> str:
    """The comparison of a row of an unregistered metric, as far as the row shows it."""
    level = "sentences of the same source" if row["level"] == "counterfactual" else "all sentences"
    if row["left"] == "*":
        return f"It compares all groups, on {level}."
    first, right = group_sentences(row["left"], view.attribute, mentioned=view.mentions), row["right"]
    if right == "others":
        return f"It compares {first} with each other group, on {level}."
    if not right:
        return ""
    second = _second(right, view)
    return f"It compares {first} with {second or f'the background {right}'}, on {level}."


def _direction(metric: Metric, row: Row) -> str:
    known, value = comparisons.about(metric.compare), row["value"]
    if math.isnan(value):
        return ""
    if known.kind == "ranking" and known.no_bias == 1:
        return "It is how often a text of the class is ranked above another: 1 is a perfect ranking, 0.5 a random one."
    if not known.signed:
        kind = "a ratio" if known.no_bias else "a distance"
        return f"It is {kind} and has no direction: {known.no_bias:g} means no difference."
    if value == known.no_bias:
        return f"{known.no_bias:g} means no difference."
    side = "higher" if value > known.no_bias else "lower"
    return f"{known.no_bias:g} means no difference; here the score of {row['left']} is the {side} one."


_KINDS = {"fnr_gap": "missed", "fpr_gap": "called"}


def _finding(results: Results, view: View, row: Row) -> str:
    """The finding record of the harm that a metric illustrates, or that it illustrates none."""
    records = results.findings
    records = records[(records["attribute"] == view.attribute) & (records["group"] == row["left"])]
    kind = _KINDS.get(row["metric"], "") if row["where"] == view.place else ""
    for record in records.to_dict("records"):
        harm = known_harm(str(record["harm"]))
        if harm is not None and harm.kind == kind and (harm.label == row["class"] or not harm.label):
            return finding_sentence(record, tagging=view.tagging)
    return "This metric carries no finding."


def _origin(metric: Metric | None, row: Row) -> str:
    role = f"It is {'a primary' if row['role'] == 'primary' else 'an exploratory'} metric of this run."
    if metric is None:
        return (
            f"{role} The definition of {row['metric']} is not registered in this process: register the metric to see "
            "its base scores, its direction and its question."
        )
    parts = [part for part in (metric.question, f"{metric.source}." if metric.source else "") if part]
    return f"Question of the metric: {' '.join(parts)} {role}" if parts else role


_INTERVALS = ("ci_low", "ci_high", "ci_low_terms", "ci_high_terms")
_TESTS = ("null_mean", "p_value", "p_adjusted")


def uncertainty_sentences(view: View, row: Row) -> str:
    """Intervals, null mean and p-values in sentences, with a remark on those that are missing."""
    if math.isnan(row["value"]):
        return ""
    noun = "sentences" if view.mentions else "rows"
    low, high, low_terms, high_terms = (row[name] for name in _INTERVALS)
    spans = [(low, high, f"for other {noun}{' with these terms' if view.mentions else ''}")]
    spans.append((low_terms, high_terms, f"for other {noun} with terms like these"))
    spans = [span for span in spans if not math.isnan(span[0] + span[1])]
    shown = "; ".join(f"{decimal(start)} to {decimal(end)} {about}" for start, end, about in spans)
    parts = [f"95 % interval{'s' if len(spans) > 1 else ''}: {shown}."] if spans else []
    if not math.isnan(row["null_mean"]):
        null_mean = decimal(row["null_mean"])
        parts.append(f"Its null mean, with the same terms assigned to the groups at random, is {null_mean}.")
    parts += [_p_sentence(row), f"It is unstable: {row['unstable']}." if row["unstable"] else "", _caveat(view, row)]
    return " ".join(part for part in parts if part)


def _p_sentence(row: Row) -> str:
    p, adjusted = float(row["p_value"]), float(row["p_adjusted"])
    clauses = []
    if not math.isnan(p):
        share = "less than 0.1" if p < 0.0005 else f"{100 * p:.1f}".removesuffix(".0")
        clauses.append(
            f"{share} % of random assignments of the terms give a value at least as far from equal treatment "
            f"(p {format_p_value(p)})"
        )
    if not math.isnan(adjusted):
        kind = "for all primary values" if row["role"] == "primary" else "for all exploratory values"
        clauses.append(f"adjusted {kind}, the p is {format_p_value(adjusted)}")
    elif clauses:
        clauses.append("the p is not adjusted for the other values")
    return f"{capitalise('; '.join(clauses))}." if clauses else ""


def _caveat(view: View, row: Row) -> str:
    """The remark on a value without an interval or without a permutation test; "" where both are there."""
    interval, tested = (
        any(not math.isnan(row[name]) for name in names)
        for names in (_INTERVALS, ("null_mean", "p_value", "p_adjusted"))
    )
    if interval and tested:
        return ""
    if view.crossed:
        return (
            "Values of pairs of groups have no null mean and no p-value: pairs of terms share their words and cannot "
            "be permuted. See the interactions instead."
        )
    lacking = "permutation test" if interval else "interval" if tested else "interval and no permutation test"
    text = f"Differences are point estimates: no {lacking} was computed"
    text += (
        "."
        if tested
        else ", so any of them may be due to chance. --uncertainty all (in Python result.metrics_with_uncertainty()) "
        "adds them, unless the run had --draws 0."
    )
    if math.isnan(level_of(row)):
        text += f" Distances ({row['metric']}) are above 0 even for an unbiased model, because terms differ."
    return text
