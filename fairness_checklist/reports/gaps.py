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
from fairness_checklist.reports.sureness import how_sure, within_chance
from fairness_checklist.reports.words import entities_at, mention, those

__all__ = ["errors", "others", "parenthesis", "probabilities", "versus"]


def errors(seen: View) -> str:
    key = leading_error(seen)
    best = largest(seen, key) if key is not None else None
    if key is None or best is None:
        return ""
    return _missed(seen, key, best) if key[0] == "fnr_gap" else _falsely_assigned(seen, key, best)


def probabilities(seen: View) -> list[str]:
    """avg_eg, and avg_if where its level of chance is known, the probabilities do not move or avg_eg is not there."""
    found = {key[0]: (key, row) for key in seen.primary if (row := largest(seen, key)) is not None}
    apart, ranked = found.get("avg_if"), found.get("avg_eg")
    if apart is not None and (ranked is None or abs(apart[1]["value"]) < NOTHING):
        return [_apart(seen, *apart)]
    said = [_ranked(seen, *ranked)] if ranked is not None else []
    said += [_apart(seen, *apart)] if apart is not None and not math.isnan(apart[1]["chance"]) else []
    return said


def others(seen: View) -> str:
    """The primary metrics that have no sentence of their own."""
    keys = [key for key in seen.primary if key[0] not in (*ERRORS, "avg_eg", "avg_if")]
    told = [_other(seen, key, row) for key in keys if (row := largest(seen, key)) is not None]
    return f"{first_letter('; '.join(told))}." if told else ""


def parenthesis(seen: View, row: Row, *, value: bool = False) -> str:
    """Metric, class and n of a row."""
    plus = signed(row["metric"]) and not neutral_value(row["metric"])
    parts = [row["metric"] + (f" {decimal(row['value'], signed=plus)}" if value else "")]
    parts += [row["class"]] if row["class"] != "*" else []
    parts.append(count(int(row["n"]), seen.unit))
    return f"({', '.join(parts)})"


def _sure(seen: View, row: Row) -> str:
    """How sure a gap is, in points of the direction that its sentence tells."""
    return how_sure(seen, row, sign=-1.0 if row["value"] < 0 else 1.0)


def versus(seen: View, group: str) -> str:
    """Whom a group is compared with."""
    others = [name for name in seen.groups if name != group]
    return mention(others[0], seen.attribute) if len(others) == 1 else "the other groups"


def _missed(seen: View, key: MetricKey, row: Row) -> str:
    if abs(row["value"]) < NOTHING:
        return f"No group's sentences are misread more than the others' {parenthesis(seen, row)}."
    rate, _ = seen.score("false_negative_rate", row["class"], row["left"])
    most, more = ("most", "more") if row["value"] > 0 else ("least", "fewer")
    whose = first_letter(mention(row["left"], seen.attribute))
    if seen.tagging:
        what = entities_at(seen.place, seen.attribute)
        kind = "" if seen.place == "slot" else f" that are {row['class']}"
        return (
            f"{whose} are misread {most}: {percent(rate)} of the {what}{kind} in them are not found as "
            f"{row['class']}, {points(row['value'])} {more} than in {versus(seen, row['left'])}{_sure(seen, row)} "
            f"{parenthesis(seen, row)}{_other_way(seen, key, row, 'not found as {}')}.{within_chance(seen, row)}"
        )
    return (
        f"{whose} are misread {most}: {percent(rate)} of the {row['class']} ones are missed, "
        f"{points(row['value'])} {more} than for {versus(seen, row['left'])}{_sure(seen, row)} "
        f"{parenthesis(seen, row)}{_other_way(seen, key, row, 'of the {} ones')}.{within_chance(seen, row)}"
    )


def _falsely_assigned(seen: View, key: MetricKey, row: Row) -> str:
    if abs(row["value"]) < NOTHING:
        return f"No class is falsely given to a group's sentences more than to the others' {parenthesis(seen, row)}."
    rate, _ = seen.score("false_positive_rate", row["class"], row["left"])
    most, more = ("most", "more") if row["value"] > 0 else ("least", "fewer")
    return (
        f"{first_letter(mention(row['left'], seen.attribute))} are {most} often called {row['class']} falsely: "
        f"{percent(rate)} of those that are not, {points(row['value'])} {more} than for "
        f"{versus(seen, row['left'])}{_sure(seen, row)} {parenthesis(seen, row)}"
        f"{_other_way(seen, key, row, 'called {} falsely')}.{within_chance(seen, row)}"
    )


def _other_way(seen: View, key: MetricKey, row: Row, what: str) -> str:
    """The group with fewer errors than the others, where it is further from them than the group with more."""
    rows = [seen.of_group(key, label, group) for label in seen.labels(key)[::-1] for group in seen.groups]
    defined = [r for r in rows if r is not None and not math.isnan(r["value"])]
    least = min(defined, key=lambda r: round(r["value"], 9), default=row)
    if round(abs(least["value"]), 9) <= round(abs(row["value"]), 9):
        return ""
    rate, _ = seen.score(ERRORS[key[0]], least["class"], least["left"])
    return (
        f"; those {those(least['left'], seen.attribute)} least: {percent(rate)} {what.format(least['class'])}, "
        f"{points(least['value'])} fewer{_sure(seen, least)} {parenthesis(seen, least)}"
    )


def _ranked(seen: View, key: MetricKey, row: Row) -> str:
    if percent(0.5 + abs(row["value"])) == "50 %":
        return f"No group's sentences get a higher or lower probability than the others' {parenthesis(seen, row)}."
    lower = row["value"] < 0
    times = percent(0.5 + abs(row["value"]))
    sure = how_sure(seen, row, say=_bounded, unit=" %", sign=-1.0 if lower else 1.0, zero=0.5)
    among = (
        f"At the {entities_at(seen.place, seen.attribute)}, sentences"
        if seen.tagging
        else f"Among the {row['class']} sentences, those"
    )
    return (
        f"{among} {those(row['left'], seen.attribute)} get the "
        f"{'lower' if lower else 'higher'} probability of {row['class']} in {times} of the comparisons with "
        f"{versus(seen, row['left'])}{sure}, where 50 % would be even {parenthesis(seen, row, value=True)}."
        f"{within_chance(seen, row)}"
    )


def _bounded(share: float) -> str:
    """A share in percent that an interval may not take out of [0, 1]."""
    return hundredths(min(max(share, 0.0), 1.0))


def _apart(seen: View, key: MetricKey, row: Row) -> str:
    if abs(row["value"]) < NOTHING:
        return f"Inside a source, the probabilities practically do not move with the group {parenthesis(seen, row)}."
    most = ""
    named = [(seen.of_group(key, row["class"], g), g) for g in seen.groups] if len(seen.groups) > 2 else []
    defined = [(r["value"], g) for r, g in named if r is not None and not math.isnan(r["value"])]
    if defined:
        value, group = max(defined, key=lambda pair: pair[0])
        most = f"; furthest for {mention(group, seen.attribute)}, {points(value)}"
    return (
        f"Inside a source, two groups' probabilities of {row['class']} lie {points(row['value'])} apart on average"
        f"{how_sure(seen, row)} {parenthesis(seen, row)}{most}.{within_chance(seen, row)}"
    )


def _other(seen: View, key: MetricKey, row: Row) -> str:
    """Any other metric: its largest value and the question it answers."""
    question = METRICS[key[0]].question if key[0] in METRICS else ""
    whose = "over all groups" if row["left"] == "*" else f"for {mention(row['left'], seen.attribute)}"
    asked = f' to "{question}"' if question else f" of {key[0]}"
    sure = how_sure(seen, row, say=decimal)
    return f"the largest value{asked} is {decimal(row['value'])} {whose}{sure} {parenthesis(seen, row)}"
