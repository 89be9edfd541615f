"""What the primary metrics say, each in a sentence: the group that is furthest from equal treatment."""

from __future__ import annotations

import math

from fairness_checklist.analysis.leading_values import (
    ERRORS,
    NOTHING,
    largest,
    leading_error,
)
from fairness_checklist.analysis.run_view import MetricKey, Row, View, neutral_value, signed
from fairness_checklist.errors import count
from fairness_checklist.formatting import decimal, first_letter, hundredths, percent, points
from fairness_checklist.metrics.catalogue import METRICS
from fairness_checklist.reports.sureness import uncertainty_words, within_null
from fairness_checklist.reports.words import entities_at, mention, those

__all__ = ["errors", "others", "parenthesis", "probabilities", "versus"]


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
    return f"{first_letter('; '.join(sentences))}." if sentences else ""


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
    whose = first_letter(mention(row["left"], view.attribute))
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
        f"{first_letter(mention(row['left'], view.attribute))} are {most} often called {row['class']} falsely: "
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
