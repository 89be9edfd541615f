"""The verdict: the primary metrics in sentences, each about the group furthest from equal treatment."""

from __future__ import annotations

import math
from typing import Any

from fairness_checklist.analysis.largest_gaps import (
    ERRORS,
    NOTHING,
    constant_baseline,
    constant_class,
    largest,
    leading_error,
    predicts_no_entities,
)
from fairness_checklist.analysis.run_view import MetricKey, Row, View, attribute_views, neutral_value, signed
from fairness_checklist.core.errors import count
from fairness_checklist.core.formatting import capitalise, decimal, hundredths, join_names, percent, points
from fairness_checklist.metrics.metric import METRICS
from fairness_checklist.reports.analyses import ambiguous_sentence, capitals_sentence, crossed_sentence
from fairness_checklist.reports.by_term import highest_false_positive_rate
from fairness_checklist.reports.uncertainty_text import (
    opening,
    placebo_comparison,
    placebo_hint,
    rule,
    summary,
    uncertainty_clause,
    within_null,
)
from fairness_checklist.reports.wording import caveat, entities_at, group_clause, group_sentences
from fairness_checklist.tables.run_folder import Results


def errors(view: View) -> str:
    """The sentence about the leading metric of error rates; "" without one."""
    key = leading_error(view)
    best = largest(view, key) if key is not None else None
    if key is None or best is None:
        return ""
    return _missed(view, key, best) if key[0] == "fnr_gap" else _falsely_assigned(view, key, best)


def probabilities(view: View) -> list[str]:
    """avg_eg, and avg_if where its null mean is known, where it is 0, or where there is no avg_eg."""
    found = {key[0]: (key, row) for key in view.primary if (row := largest(view, key)) is not None}
    distance, ranked = found.get("avg_if"), found.get("avg_eg")
    if distance is not None and (ranked is None or abs(distance[1]["value"]) < NOTHING):
        return [_gap_sentence(view, *distance)]
    parts = [_ranked(view, *ranked)] if ranked is not None else []
    if distance is not None and not math.isnan(distance[1]["null_mean"]):
        parts.append(_gap_sentence(view, *distance))
    return parts


def others(view: View) -> str:
    """The primary metrics that have no sentence of their own."""
    keys = [key for key in view.primary if key[0] not in (*ERRORS, "avg_eg", "avg_if")]
    return _sentence([_other(view, key, row) for key in keys if (row := largest(view, key)) is not None])


def parenthesis(view: View, row: Row, *, value: bool = False) -> str:
    """Metric, class and n of a row."""
    plus = signed(row["metric"]) and not neutral_value(row["metric"])
    parts = [row["metric"] + (f" {decimal(row['value'], signed=plus)}" if value else "")]
    parts += [row["class"]] if row["class"] != "*" else []
    parts.append(count(int(row["n"]), view.unit))
    return f"({', '.join(parts)})"


def _intervals(view: View, row: Row) -> str:
    """The uncertainty of a gap, in points and with the sign that its sentence gives it."""
    return uncertainty_clause(view, row, sign=-1.0 if row["value"] < 0 else 1.0)


def versus(view: View, group: str) -> str:
    """The sentences that a group is compared with."""
    others = [name for name in view.groups if name != group]
    return group_sentences(others[0], view.attribute) if len(others) == 1 else "the other groups"


def _missed(view: View, key: MetricKey, row: Row) -> str:
    if abs(row["value"]) < NOTHING:
        return f"No group has a higher false negative rate than the others {parenthesis(view, row)}."
    rate, _ = view.score("false_negative_rate", row["class"], row["left"])
    extreme, more = ("highest", "more") if row["value"] > 0 else ("lowest", "fewer")
    start = f"{capitalise(group_sentences(row['left'], view.attribute))} have the {extreme} false negative rate"
    if view.tagging:
        entities = entities_at(view.place, view.attribute)
        kind = "" if view.place == "slot" else f" that are {row['class']}"
        return (
            f"{start}: {percent(rate)} of the {entities}{kind} in them are not found as "
            f"{row['class']}, {points(row['value'])} {more} than in {versus(view, row['left'])}{_intervals(view, row)} "
            f"{parenthesis(view, row)}{_lowest(view, key, row, 'not found as {}')}.{within_null(view, row)}"
        )
    return (
        f"{start}: {percent(rate)} of the {row['class']} ones are missed, "
        f"{points(row['value'])} {more} than for {versus(view, row['left'])}{_intervals(view, row)} "
        f"{parenthesis(view, row)}{_lowest(view, key, row, 'of the {} ones')}.{within_null(view, row)}"
    )


def _falsely_assigned(view: View, key: MetricKey, row: Row) -> str:
    if abs(row["value"]) < NOTHING:
        return f"No group has a higher false positive rate than the others {parenthesis(view, row)}."
    rate, _ = view.score("false_positive_rate", row["class"], row["left"])
    extreme, more = ("highest", "more") if row["value"] > 0 else ("lowest", "fewer")
    return (
        f"{capitalise(group_sentences(row['left'], view.attribute))} have the {extreme} false positive rate: "
        f"{percent(rate)} of those with another label are classified as {row['class']}, {points(row['value'])} {more} "
        f"than for {versus(view, row['left'])}{_intervals(view, row)} {parenthesis(view, row)}"
        f"{_lowest(view, key, row, 'of those with another label')}.{within_null(view, row)}"
    )


def _lowest(view: View, key: MetricKey, row: Row, base: str) -> str:
    """The group with fewer errors than the others, where it is further from them than the group with more."""
    rows = [view.of_group(key, label, group) for label in view.labels(key)[::-1] for group in view.groups]
    defined = [r for r in rows if r is not None and not math.isnan(r["value"])]
    least = min(defined, key=lambda r: round(r["value"], 9), default=row)
    if round(abs(least["value"]), 9) <= round(abs(row["value"]), 9):
        return ""
    rate, _ = view.score(ERRORS[key[0]], least["class"], least["left"])
    return (
        f"; those {group_clause(least['left'], view.attribute)} have the lowest: {percent(rate)} "
        f"{base.format(least['class'])}, {points(least['value'])} fewer"
        f"{_intervals(view, least)} {parenthesis(view, least)}"
    )


def _ranked(view: View, key: MetricKey, row: Row) -> str:
    if percent(0.5 + abs(row["value"])) == "50 %":
        return f"No group's sentences get a higher or lower probability than the others' {parenthesis(view, row)}."
    lower = row["value"] < 0
    times = percent(0.5 + abs(row["value"]))
    uncertainty = uncertainty_clause(view, row, write=_bounded, unit=" %", sign=-1.0 if lower else 1.0, zero=0.5)
    among = (
        f"At the {entities_at(view.place, view.attribute)}, sentences"
        if view.tagging
        else f"Among the {row['class']} sentences, those"
    )
    return (
        f"{among} {group_clause(row['left'], view.attribute)} get the "
        f"{'lower' if lower else 'higher'} probability of {row['class']} in {times} of the comparisons with "
        f"{versus(view, row['left'])}{uncertainty}, where 50 % means no difference "
        f"{parenthesis(view, row, value=True)}.{within_null(view, row)}"
    )


def _bounded(share: float) -> str:
    """A share in percent that an interval may not take out of [0, 1]."""
    return hundredths(min(max(share, 0.0), 1.0))


def _gap_sentence(view: View, key: MetricKey, row: Row) -> str:
    if abs(row["value"]) < NOTHING:
        return f"Within a source, the probabilities are practically the same for all groups {parenthesis(view, row)}."
    most = ""
    named = [(view.of_group(key, row["class"], g), g) for g in view.groups] if len(view.groups) > 2 else []
    defined = [(r["value"], g) for r, g in named if r is not None and not math.isnan(r["value"])]
    if defined:
        value, group = max(defined, key=lambda pair: pair[0])
        most = f"; furthest for {group_sentences(group, view.attribute)}, {points(value)}"
    return (
        f"Within a source, two groups' probabilities of {row['class']} lie {points(row['value'])} apart on average"
        f"{uncertainty_clause(view, row)} {parenthesis(view, row)}{most}.{within_null(view, row)}"
    )


def _other(view: View, key: MetricKey, row: Row) -> str:
    """Any other metric: its largest value and its question."""
    question = METRICS[key[0]].question if key[0] in METRICS else ""
    scope = "over all groups" if row["left"] == "*" else f"for {group_sentences(row['left'], view.attribute)}"
    asked = f' ("{question}")' if question else ""
    uncertainty = uncertainty_clause(view, row, write=decimal)
    return (
        f"the largest value of {key[0]}{asked} is {decimal(row['value'])} {scope}{uncertainty} {parenthesis(view, row)}"
    )


def verdict(results: Results, *, width: int | None = 100) -> str:
    """The results of a run in words.

    Args:
        results: a run.
        width: lines are wrapped there; None leaves each paragraph on one line.

    Returns:
        One paragraph an attribute: differences of error rates and of probabilities, the accuracy, how often decisions
        change with the group, and multiples of the placebo; and one on missing intervals and the definition of
        "beyond chance".
    """
    from textwrap import fill

    lines = [f"{view.attribute}: {paragraph(results, view)}" for view in attribute_views(results)]
    last = closing(results)
    lines += [last] if last else []
    if width is None:
        return "\n\n".join(lines)
    glued = [line.replace(" %", "\u00a0%") for line in lines]
    return "\n\n".join(fill(line, width, break_on_hyphens=False).replace("\u00a0%", " %") for line in glued)


def closing(results: Results) -> str:
    """The last paragraph: missing figures of a run, and the definition of "beyond chance"."""
    primary = results.metrics[results.metrics["role"] == "primary"]
    crossed = results.intersections == results.attributes
    parts = (
        caveat(primary if len(primary) else results.metrics, crossed=crossed),
        rule(primary),
        placebo_hint(results),
    )
    return " ".join(part for part in parts if part)


def paragraph(results: Results, view: View) -> str:
    """The verdict on one attribute, without its name."""
    return " ".join(sentences(results, view))


def sentences(results: Results, view: View) -> list[str]:
    """The parts of the verdict on one attribute: a sentence each, or a few that belong together."""
    parts = [opening(view)]
    if not constant_class(view) and not predicts_no_entities(view):
        parts += [errors(view), highest_false_positive_rate(view)]
    parts += [*probabilities(view), others(view), summary(view)]
    if not constant_class(view) and not predicts_no_entities(view):
        parts.append(ambiguous_sentence(results, view))
    parts.append(capitals_sentence(results, view))
    parts += [_right_and_changing(results, view), crossed_sentence(results, view), _missing(results, view)]
    parts.append(placebo_comparison(results, view))
    return [part for part in parts if part]


def _missing(results: Results, view: View) -> str:
    """The primary values without a definition, and the primary metrics that were not computed, by reason."""
    undefined = []
    primary = view.metrics[(view.metrics["role"] == "primary") & view.metrics["class"].isin((*view.shown_classes, "*"))]
    for metric, rows in primary.groupby("metric", sort=False):
        lost = rows[rows["value"].isna()]
        if len(lost):
            reasons = [str(note) for note in lost["note"].unique() if note]
            why = f" ({join_names(reasons, 2)})" if reasons else ""
            undefined.append(f"{metric} in {len(lost):,} of its {count(len(rows), 'value')}{why}")
    given = results.info.get("options", {}).get("primary", [])
    skipped: dict[str, Any] = results.info.get("metrics_left_out", {}).get(view.attribute, {})
    missing: dict[str, list[str]] = {}
    computed = {key[0] for key in view.keys} | set(view.by_term["metric"])
    for name in given:
        if name not in computed:
            missing.setdefault(str(skipped.get(name, "not among the requested metrics")), []).append(name)
    absent = [f"{join_names(names)} ({why})" for why, names in missing.items()]
    listed_parts = (("undefined: ", undefined), ("not computed: ", absent))
    return _sentence([start + ", ".join(listing) for start, listing in listed_parts if listing])


def _right_and_changing(results: Results, view: View) -> str:
    """The accuracy, unless the opening has it, and how often decisions change with the group."""
    if view.tagging:
        return _found_and_changing(results, view)
    value, n = view.score("accuracy", "*", "*")
    opened = bool(constant_class(view)) or constant_baseline(view) is not None
    parts = (
        []
        if math.isnan(value) or opened
        else [f"{percent(value)} of the {n:,} labelled sentences are classified correctly"]
    )
    return _sentence([*parts, _changing(results, view)])


def _found_and_changing(results: Results, view: View) -> str:
    """The share of the terms that a tagger finds, and how often its decisions change with the group."""
    found = [(label, *view.score("true_positive_rate", label, "*")) for label in view.classes]
    kind = "are " if view.place == "slot" else "that are {} are "
    parts = [
        f"{percent(value)} of the {entities_at(view.place, view.attribute)} {kind.format(label)}found as {label}"
        for label, value, n in found
        if n and value > 0
    ]
    return _sentence([*parts, _changing(results, view)])


def _changing(results: Results, view: View) -> str:
    """How often the group changes a decision: the test of invariance."""
    tests = view.checks[view.checks["type"] == "INV"]
    if not len(tests) or not int(tests["cases"].iloc[0]):
        return ""
    test = tests.iloc[0]
    options = results.info.get("options", {})
    tolerance = options.get("tolerance", options.get("invariance_threshold"))  # as older versions called it
    at = f" at a tolerance of {tolerance:g}" if isinstance(tolerance, float) else ""
    over = percent(float(test["pair_fail_rate"]) / 100)
    pairs = f", and in {over} of all pairs of terms across groups" if int(test["pairs"]) else ""
    subject = "what is found" if view.tagging else "the decision"
    return (
        f"in {int(test['fails']):,} of {count(int(test['cases']), 'source')} {subject} changes with the group"
        f"{pairs} (invariance{at})"
    )


def _sentence(parts: list[str]) -> str:
    """The parts as one sentence, "" without any."""
    clauses = [part for part in parts if part]
    return f"{capitalise('; '.join(clauses))}." if clauses else ""
