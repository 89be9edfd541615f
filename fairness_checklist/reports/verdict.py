"""What the primary metrics say, each in a sentence: the group that is furthest from equal treatment."""

from __future__ import annotations

import math
from typing import Any

from fairness_checklist.analysis.leading_values import ERRORS, NOTHING, largest, leading_error
from fairness_checklist.analysis.placebo import constant_baseline, constant_class, predicts_no_entities
from fairness_checklist.analysis.run_view import MetricKey, Row, View, attribute_views, neutral_value, signed
from fairness_checklist.core.errors import count
from fairness_checklist.core.formatting import capitalise, decimal, hundredths, join_names, percent, points
from fairness_checklist.metrics.metric import METRICS
from fairness_checklist.reports.analyses import ambiguous_sentence, capitals_sentence
from fairness_checklist.reports.by_term import most_falsely_called
from fairness_checklist.reports.intersections_text import crossed_sentence
from fairness_checklist.reports.uncertainty_text import (
    opening,
    placebo_comparison,
    placebo_hint,
    rule,
    summary,
    uncertainty_words,
    within_null,
)
from fairness_checklist.reports.wording import caveat, entities_at, mention, those
from fairness_checklist.tables.run_folder import Results


def errors(view: View) -> str:
    key = leading_error(view)
    best = largest(view, key) if key is not None else None
    if key is None or best is None:
        return ""
    return _missed(view, key, best) if key[0] == "fnr_gap" else _falsely_assigned(view, key, best)


def probabilities(view: View) -> list[str]:
    """avg_eg, and avg_if where its level of chance is known, the probabilities do not move or avg_eg is not there."""
    found = {key[0]: (key, row) for key in view.primary if (row := largest(view, key)) is not None}
    distance, ranked = found.get("avg_if"), found.get("avg_eg")
    if distance is not None and (ranked is None or abs(distance[1]["value"]) < NOTHING):
        return [_gap_sentence(view, *distance)]
    wording = [_ranked(view, *ranked)] if ranked is not None else []
    wording += (
        [_gap_sentence(view, *distance)] if distance is not None and not math.isnan(distance[1]["null_mean"]) else []
    )
    return wording


def others(view: View) -> str:
    """The primary metrics that have no sentence of their own."""
    keys = [key for key in view.primary if key[0] not in (*ERRORS, "avg_eg", "avg_if")]
    sentences = [_other(view, key, row) for key in keys if (row := largest(view, key)) is not None]
    return f"{capitalise('; '.join(sentences))}." if sentences else ""


def parenthesis(view: View, row: Row, *, value: bool = False) -> str:
    """Metric, class and n of a row."""
    plus = signed(row["metric"]) and not neutral_value(row["metric"])
    parts = [row["metric"] + (f" {decimal(row['value'], signed=plus)}" if value else "")]
    parts += [row["class"]] if row["class"] != "*" else []
    parts.append(count(int(row["n"]), view.unit))
    return f"({', '.join(parts)})"


def _intervals(view: View, row: Row) -> str:
    """How sure a gap is, in points of the direction that its sentence tells."""
    return uncertainty_words(view, row, sign=-1.0 if row["value"] < 0 else 1.0)


def versus(view: View, group: str) -> str:
    """Whom a group is compared with."""
    others = [name for name in view.groups if name != group]
    return mention(others[0], view.attribute) if len(others) == 1 else "the other groups"


def _missed(view: View, key: MetricKey, row: Row) -> str:
    if abs(row["value"]) < NOTHING:
        return f"No group's sentences are misread more than the others' {parenthesis(view, row)}."
    rate, _ = view.score("false_negative_rate", row["class"], row["left"])
    most, more = ("most", "more") if row["value"] > 0 else ("least", "fewer")
    whose = capitalise(mention(row["left"], view.attribute))
    if view.tagging:
        what = entities_at(view.place, view.attribute)
        kind = "" if view.place == "slot" else f" that are {row['class']}"
        return (
            f"{whose} are misread {most}: {percent(rate)} of the {what}{kind} in them are not found as "
            f"{row['class']}, {points(row['value'])} {more} than in {versus(view, row['left'])}{_intervals(view, row)} "
            f"{parenthesis(view, row)}{_other_way(view, key, row, 'not found as {}')}.{within_null(view, row)}"
        )
    return (
        f"{whose} are misread {most}: {percent(rate)} of the {row['class']} ones are missed, "
        f"{points(row['value'])} {more} than for {versus(view, row['left'])}{_intervals(view, row)} "
        f"{parenthesis(view, row)}{_other_way(view, key, row, 'of the {} ones')}.{within_null(view, row)}"
    )


def _falsely_assigned(view: View, key: MetricKey, row: Row) -> str:
    if abs(row["value"]) < NOTHING:
        return f"No class is falsely given to a group's sentences more than to the others' {parenthesis(view, row)}."
    rate, _ = view.score("false_positive_rate", row["class"], row["left"])
    most, more = ("most", "more") if row["value"] > 0 else ("least", "fewer")
    return (
        f"{capitalise(mention(row['left'], view.attribute))} are {most} often called {row['class']} falsely: "
        f"{percent(rate)} of those that are not, {points(row['value'])} {more} than for "
        f"{versus(view, row['left'])}{_intervals(view, row)} {parenthesis(view, row)}"
        f"{_other_way(view, key, row, 'called {} falsely')}.{within_null(view, row)}"
    )


def _other_way(view: View, key: MetricKey, row: Row, what: str) -> str:
    """The group with fewer errors than the others, where it is further from them than the group with more."""
    rows = [view.of_group(key, label, group) for label in view.labels(key)[::-1] for group in view.groups]
    defined = [r for r in rows if r is not None and not math.isnan(r["value"])]
    least = min(defined, key=lambda r: round(r["value"], 9), default=row)
    if round(abs(least["value"]), 9) <= round(abs(row["value"]), 9):
        return ""
    rate, _ = view.score(ERRORS[key[0]], least["class"], least["left"])
    return (
        f"; those {those(least['left'], view.attribute)} least: {percent(rate)} {what.format(least['class'])}, "
        f"{points(least['value'])} fewer{_intervals(view, least)} {parenthesis(view, least)}"
    )


def _ranked(view: View, key: MetricKey, row: Row) -> str:
    if percent(0.5 + abs(row["value"])) == "50 %":
        return f"No group's sentences get a higher or lower probability than the others' {parenthesis(view, row)}."
    lower = row["value"] < 0
    times = percent(0.5 + abs(row["value"]))
    sure = uncertainty_words(view, row, say=_bounded, unit=" %", sign=-1.0 if lower else 1.0, zero=0.5)
    among = (
        f"At the {entities_at(view.place, view.attribute)}, sentences"
        if view.tagging
        else f"Among the {row['class']} sentences, those"
    )
    return (
        f"{among} {those(row['left'], view.attribute)} get the "
        f"{'lower' if lower else 'higher'} probability of {row['class']} in {times} of the comparisons with "
        f"{versus(view, row['left'])}{sure}, where 50 % would be even {parenthesis(view, row, value=True)}."
        f"{within_null(view, row)}"
    )


def _bounded(share: float) -> str:
    """A share in percent that an interval may not take out of [0, 1]."""
    return hundredths(min(max(share, 0.0), 1.0))


def _gap_sentence(view: View, key: MetricKey, row: Row) -> str:
    if abs(row["value"]) < NOTHING:
        return f"Inside a source, the probabilities practically do not move with the group {parenthesis(view, row)}."
    most = ""
    named = [(view.of_group(key, row["class"], g), g) for g in view.groups] if len(view.groups) > 2 else []
    defined = [(r["value"], g) for r, g in named if r is not None and not math.isnan(r["value"])]
    if defined:
        value, group = max(defined, key=lambda pair: pair[0])
        most = f"; furthest for {mention(group, view.attribute)}, {points(value)}"
    return (
        f"Inside a source, two groups' probabilities of {row['class']} lie {points(row['value'])} apart on average"
        f"{uncertainty_words(view, row)} {parenthesis(view, row)}{most}.{within_null(view, row)}"
    )


def _other(view: View, key: MetricKey, row: Row) -> str:
    """Any other metric: its largest value and the question it answers."""
    question = METRICS[key[0]].question if key[0] in METRICS else ""
    whose = "over all groups" if row["left"] == "*" else f"for {mention(row['left'], view.attribute)}"
    given = f' to "{question}"' if question else f" of {key[0]}"
    sure = uncertainty_words(view, row, say=decimal)
    return f"the largest value{given} is {decimal(row['value'])} {whose}{sure} {parenthesis(view, row)}"


def verdict(results: Results, *, width: int | None = 100) -> str:
    """What a run found, in words.

    Args:
        results: a run.
        width: lines are wrapped there; None leaves each paragraph on one line.

    Returns:
        One paragraph an attribute: who is misread by how much, how the probabilities differ, how much is right and
        changes with the group, and how the placebo compares; and one on what the figures cannot say.
    """
    from textwrap import fill

    wording = [f"{view.attribute}: {paragraph(results, view)}" for view in attribute_views(results)]
    last = closing(results)
    lines = [*wording, last] if last else wording
    if width is None:
        return "\n\n".join(lines)
    glued = [line.replace(" %", "\u00a0%") for line in lines]
    return "\n\n".join(fill(line, width, break_on_hyphens=False).replace("\u00a0%", " %") for line in glued)


def closing(results: Results) -> str:
    """What must be said once of all figures of a run: what they lack, and what "beyond chance" means."""
    primary = results.metrics[results.metrics["role"] == "primary"]
    crossed = results.intersections == results.attributes
    wording = (
        caveat(primary if len(primary) else results.metrics, crossed=crossed),
        rule(primary),
        placebo_hint(results),
    )
    return " ".join(part for part in wording if part)


def paragraph(results: Results, view: View) -> str:
    """The verdict on one attribute, without its name."""
    return " ".join(sentences(results, view))


def sentences(results: Results, view: View) -> list[str]:
    """The parts of the verdict on one attribute: a sentence each, or a few that belong together."""
    wording = [opening(view)]
    if not constant_class(view) and not predicts_no_entities(view):
        wording += [errors(view), most_falsely_called(view)]
    wording += [*probabilities(view), others(view), summary(view)]
    if not constant_class(view) and not predicts_no_entities(view):
        wording.append(ambiguous_sentence(results, view))
    wording.append(capitals_sentence(results, view))
    wording += [_right_and_changing(results, view), crossed_sentence(results, view), _missing(results, view)]
    wording.append(placebo_comparison(results, view))
    return [part for part in wording if part]


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
            missing.setdefault(str(skipped.get(name, "not among the metrics that were asked for")), []).append(name)
    absent = [f"{join_names(names)} ({why})" for why, names in missing.items()]
    sentences = (("undefined: ", undefined), ("not computed: ", absent))
    parts = [start + ", ".join(listing) for start, listing in sentences if listing]
    return f"{capitalise('; '.join(parts))}." if parts else ""


def _right_and_changing(results: Results, view: View) -> str:
    """The share of right decisions, where the opening has not said it, and how often the group changes a decision."""
    if view.tagging:
        return _found_and_changing(results, view)
    value, n = view.score("accuracy", "*", "*")
    opened = bool(constant_class(view)) or constant_baseline(view) is not None
    parts = [] if math.isnan(value) or opened else [f"{percent(value)} of the {n:,} labelled sentences are right"]
    return _sentence([*parts, _changing(results, view)])


def _found_and_changing(results: Results, view: View) -> str:
    """How many of the terms a tagger finds, and how often the term changes what it says."""
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
    what = "what is found" if view.tagging else "the decision"
    return (
        f"in {int(test['fails']):,} of {count(int(test['cases']), 'source')} {what} changes with the group"
        f"{pairs} (invariance{at})"
    )


def _sentence(parts: list[str]) -> str:
    """The parts as one sentence, "" without any."""
    wording = [part for part in parts if part]
    return f"{capitalise('; '.join(wording))}." if wording else ""
