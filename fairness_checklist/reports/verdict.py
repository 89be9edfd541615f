"""The verdict in words: what the primary metrics and the invariance test say, one paragraph an attribute."""

from __future__ import annotations

import math
from typing import Any

from fairness_checklist.metrics.catalogue import METRICS
from fairness_checklist.reports.baseline import beside_placebo, constant_class, no_better_than, opening, placebo_hint
from fairness_checklist.reports.reading import (
    MetricKey,
    Row,
    View,
    caveat,
    neutral_value,
    signed,
    views,
)
from fairness_checklist.reports.words import count, decimal, listed, mention, percent, points, terms_of, those
from fairness_checklist.results import Results

__all__ = ["closing", "first_letter", "leading_class", "paragraph", "parenthesis", "verdict"]

_NOTHING = 5e-4
_ERRORS = {"fnr_gap": "false_negative_rate", "fpr_gap": "false_positive_rate"}


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

    said = [f"{seen.attribute}: {paragraph(results, seen)}" for seen in views(results)]
    last = closing(results)
    lines = [*said, last] if last else said
    if width is None:
        return "\n\n".join(lines)
    glued = [line.replace(" %", "\u00a0%") for line in lines]
    return "\n\n".join(fill(line, width, break_on_hyphens=False).replace("\u00a0%", " %") for line in glued)


def closing(results: Results) -> str:
    """What must be said once of all figures of a run; "" where intervals and chance levels stand beside them."""
    primary = results.metrics[results.metrics["role"] == "primary"]
    said = (caveat(primary if len(primary) else results.metrics), placebo_hint(results))
    return " ".join(part for part in said if part)


def paragraph(results: Results, seen: View) -> str:
    """The verdict on one attribute, without its name."""
    said = [opening(seen), "" if constant_class(seen) else _errors(seen), _probabilities(seen), _others(seen)]
    said += [_right_and_changing(results, seen), _missing(results, seen), beside_placebo(results, seen)]
    return " ".join(part for part in said if part)


def leading_class(seen: View) -> str:
    """The class in which the largest primary gap of errors lies, else the largest other primary value.

    The last class, which is the positive one, where no primary value is of a class; "*" without any class.
    """
    keys = [key for key in (_leading_error(seen), *seen.primary) if key is not None]
    found = [row["class"] for key in keys if (row := _largest(seen, key)) is not None and row["class"] != "*"]
    return str(found[0]) if found else (seen.classes[-1] if seen.classes else "*")


def _leading_error(seen: View) -> MetricKey | None:
    """Of the primary gaps of errors the one with the largest value, in either direction."""
    sizes = {
        key: max(map(abs, values)) for key in seen.primary if key[0] in _ERRORS and (values := _of_groups(seen, key))
    }
    return max(sizes, key=lambda key: round(sizes[key], 9), default=None)


def _of_groups(seen: View, key: MetricKey) -> list[float]:
    rows = [seen.of_group(key, label, group) for label in seen.labels(key) for group in seen.groups]
    return [row["value"] for row in rows if row is not None and not math.isnan(row["value"])]


def _errors(seen: View) -> str:
    key = _leading_error(seen)
    best = _largest(seen, key) if key is not None else None
    if key is None or best is None:
        return ""
    return _missed(seen, key, best) if key[0] == "fnr_gap" else _falsely_assigned(seen, key, best)


def _probabilities(seen: View) -> str:
    """avg_eg, or avg_if where the probabilities do not move or avg_eg is not there."""
    found = {key[0]: (key, row) for key in seen.primary if (row := _largest(seen, key)) is not None}
    apart, ranked = found.get("avg_if"), found.get("avg_eg")
    if apart is not None and (ranked is None or abs(apart[1]["value"]) < _NOTHING):
        return _apart(seen, *apart)
    return _ranked(seen, *ranked) if ranked is not None else ""


def _others(seen: View) -> str:
    """The primary metrics that have no sentence of their own."""
    keys = [key for key in seen.primary if key[0] not in (*_ERRORS, "avg_eg", "avg_if")]
    told = [_other(seen, key, row) for key in keys if (row := _largest(seen, key)) is not None]
    return f"{first_letter('; '.join(told))}." if told else ""


def _largest(seen: View, key: MetricKey) -> Row | None:
    """The defined row that is furthest from equal treatment; of a metric with a total, the class's largest total.

    Of a gap of errors it is the furthest on the side of more errors. Of two that are equally far the lower avg_eg comes
    first, and of two classes the later one, which is the positive one.
    """
    labels = seen.labels(key)[::-1]
    totals = [row for label in labels if (row := seen.total(key, label)) is not None]
    rows = totals or [row for label in labels for g in seen.groups if (row := seen.of_group(key, label, g)) is not None]
    rows = [row for row in rows if not math.isnan(row["value"])]
    if key[0] in _ERRORS:
        return max(rows, key=lambda r: round(r["value"], 9), default=None)
    zero = neutral_value(key[0])
    return max(rows, key=lambda r: (round(abs(r["value"] - zero), 9), zero - r["value"]), default=None)


def parenthesis(seen: View, row: Row, *, value: bool = False) -> str:
    """Metric, class and n of a row, and its interval, level of chance and p where they are filled."""
    zero = neutral_value(row["metric"])
    plus = signed(row["metric"]) and zero == 0
    parts = [row["metric"] + (f" {decimal(row['value'], signed=plus)}" if value else "")]
    parts += [row["class"]] if row["class"] != "*" else []
    parts.append(count(int(row["n"]), seen.unit))
    for low, high, what in (("low", "high", "interval"), ("low_terms", "high_terms", "over terms like these")):
        if not (math.isnan(row[low]) or math.isnan(row[high])):
            parts.append(f"{what} {decimal(row[low], signed=plus)} to {decimal(row[high], signed=plus)}")
    parts += [f"level of chance {decimal(row['chance'])}"] if not math.isnan(row["chance"]) else []
    p = next((row[name] for name in ("p_adjusted", "p_value") if not math.isnan(row[name])), None)
    parts += [f"p {decimal(p)}"] if p is not None else []
    return f"({', '.join(parts)})"


def versus(seen: View, group: str) -> str:
    """Whom a group is compared with."""
    others = [name for name in seen.groups if name != group]
    return mention(others[0], seen.attribute) if len(others) == 1 else "the other groups"


def _missed(seen: View, key: MetricKey, row: Row) -> str:
    if abs(row["value"]) < _NOTHING:
        return f"No group's sentences are misread more than the others' {parenthesis(seen, row)}."
    rate, _ = seen.score("false_negative_rate", row["class"], row["left"])
    most, more = ("most", "more") if row["value"] > 0 else ("least", "fewer")
    whose = first_letter(mention(row["left"], seen.attribute))
    if seen.tagging:
        return (
            f"{whose} are misread {most}: {percent(rate)} of the {terms_of(seen.attribute)} in them are not found as "
            f"{row['class']}, {points(row['value'])} {more} than in {versus(seen, row['left'])} "
            f"{parenthesis(seen, row)}{_other_way(seen, key, row, 'not found as {}')}."
        )
    return (
        f"{whose} are misread {most}: {percent(rate)} of the {row['class']} ones are missed, "
        f"{points(row['value'])} {more} than for {versus(seen, row['left'])} {parenthesis(seen, row)}"
        f"{_other_way(seen, key, row, 'of the {} ones')}."
    )


def _falsely_assigned(seen: View, key: MetricKey, row: Row) -> str:
    if abs(row["value"]) < _NOTHING:
        return f"No class is falsely given to a group's sentences more than to the others' {parenthesis(seen, row)}."
    rate, _ = seen.score("false_positive_rate", row["class"], row["left"])
    most, more = ("most", "more") if row["value"] > 0 else ("least", "fewer")
    return (
        f"{first_letter(mention(row['left'], seen.attribute))} are {most} often called {row['class']} falsely: "
        f"{percent(rate)} of those that are not, {points(row['value'])} {more} than for {versus(seen, row['left'])} "
        f"{parenthesis(seen, row)}{_other_way(seen, key, row, 'called {} falsely')}."
    )


def _other_way(seen: View, key: MetricKey, row: Row, what: str) -> str:
    """The group with fewer errors than the others, where it is further from them than the group with more."""
    rows = [seen.of_group(key, label, group) for label in seen.labels(key)[::-1] for group in seen.groups]
    defined = [r for r in rows if r is not None and not math.isnan(r["value"])]
    least = min(defined, key=lambda r: round(r["value"], 9), default=row)
    if round(abs(least["value"]), 9) <= round(abs(row["value"]), 9):
        return ""
    rate, _ = seen.score(_ERRORS[key[0]], least["class"], least["left"])
    return (
        f"; those {those(least['left'], seen.attribute)} least: {percent(rate)} {what.format(least['class'])}, "
        f"{points(least['value'])} fewer {parenthesis(seen, least)}"
    )


def _ranked(seen: View, key: MetricKey, row: Row) -> str:
    if percent(0.5 + abs(row["value"])) == "50 %":
        return f"No group's sentences get a higher or lower probability than the others' {parenthesis(seen, row)}."
    lower = row["value"] < 0
    times = percent(0.5 + abs(row["value"]))
    among = (
        f"At the {terms_of(seen.attribute)}, sentences"
        if seen.tagging
        else f"Among the {row['class']} sentences, those"
    )
    return (
        f"{among} {those(row['left'], seen.attribute)} get the "
        f"{'lower' if lower else 'higher'} probability of {row['class']} in {times} of the comparisons with "
        f"{versus(seen, row['left'])}, where 50 % would be even {parenthesis(seen, row, value=True)}."
    )


def _apart(seen: View, key: MetricKey, row: Row) -> str:
    if abs(row["value"]) < _NOTHING:
        return f"Inside a source, the probabilities practically do not move with the group {parenthesis(seen, row)}."
    most = ""
    named = [(seen.of_group(key, row["class"], g), g) for g in seen.groups] if len(seen.groups) > 2 else []
    defined = [(r["value"], g) for r, g in named if r is not None and not math.isnan(r["value"])]
    if defined:
        value, group = max(defined, key=lambda pair: pair[0])
        most = f", furthest for {mention(group, seen.attribute)} at {points(value)}"
    return (
        f"Inside a source, two groups' probabilities of {row['class']} lie {points(row['value'])} apart on average"
        f"{most} {parenthesis(seen, row)}."
    )


def _other(seen: View, key: MetricKey, row: Row) -> str:
    """Any other metric: its largest value and the question it answers."""
    question = METRICS[key[0]].question if key[0] in METRICS else ""
    whose = "over all groups" if row["left"] == "*" else f"for {mention(row['left'], seen.attribute)}"
    asked = f' to "{question}"' if question else f" of {key[0]}"
    return f"the largest value{asked} is {decimal(row['value'])} {whose} {parenthesis(seen, row)}"


def _missing(results: Results, seen: View) -> str:
    """The primary values without a definition, and the primary metrics that were not computed, by reason."""
    undefined = []
    for metric, rows in seen.metrics[seen.metrics["role"] == "primary"].groupby("metric", sort=False):
        lost = rows[rows["value"].isna()]
        if len(lost):
            reasons = [str(note) for note in lost["note"].unique() if note]
            why = f" ({listed(reasons, 2)})" if reasons else ""
            undefined.append(f"{metric} in {len(lost):,} of its {count(len(rows), 'value')}{why}")
    asked = results.info.get("options", {}).get("primary", [])
    skipped: dict[str, Any] = results.info.get("metrics_left_out", {}).get(seen.attribute, {})
    missing: dict[str, list[str]] = {}
    for name in asked:
        if name not in {key[0] for key in seen.keys}:
            missing.setdefault(str(skipped.get(name, "not among the metrics that were asked for")), []).append(name)
    absent = [f"{listed(names)} ({why})" for why, names in missing.items()]
    told = (("undefined: ", undefined), ("not computed: ", absent))
    parts = [start + ", ".join(listing) for start, listing in told if listing]
    return f"{first_letter('; '.join(parts))}." if parts else ""


def _right_and_changing(results: Results, seen: View) -> str:
    """The share of right decisions, where the opening has not said it, and how often the group changes a decision."""
    if seen.tagging:
        return _found_and_changing(results, seen)
    value, n = seen.score("accuracy", "*", "*")
    opened = bool(constant_class(seen)) or no_better_than(seen) is not None
    parts = [] if math.isnan(value) or opened else [f"{percent(value)} of the {n:,} labelled sentences are right"]
    return _sentence([*parts, _changing(results, seen)])


def _found_and_changing(results: Results, seen: View) -> str:
    """How many of the terms a tagger finds, and how often the term changes what it says."""
    found = [(label, *seen.score("true_positive_rate", label, "*")) for label in seen.classes]
    parts = [
        f"{percent(value)} of the {terms_of(seen.attribute)} are found as {label}"
        for label, value, n in found
        if n and not math.isnan(value)
    ]
    return _sentence([*parts, _changing(results, seen)])


def _changing(results: Results, seen: View) -> str:
    """How often the group changes a decision: the test of invariance."""
    tests = seen.checks[seen.checks["type"] == "INV"]
    if not len(tests) or not int(tests["cases"].iloc[0]):
        return ""
    test = tests.iloc[0]
    threshold = results.info.get("options", {}).get("invariance_threshold")
    at = f" at a threshold of {threshold:g}" if isinstance(threshold, float) else ""
    over = percent(float(test["pair_fail_rate"]) / 100)
    pairs = f", and in {over} of all pairs of terms across groups" if int(test["pairs"]) else ""
    what = "what is found" if seen.tagging else "the decision"
    return (
        f"in {int(test['fails']):,} of {count(int(test['cases']), 'source')} {what} changes with the group"
        f"{pairs} (invariance{at})"
    )


def _sentence(parts: list[str]) -> str:
    """The parts as one sentence, "" without any."""
    said = [part for part in parts if part]
    return f"{first_letter('; '.join(said))}." if said else ""


def first_letter(text: str) -> str:
    """The text with a capital at its start.

    >>> first_letter("sentences that mention women")
    'Sentences that mention women'
    """
    return text[:1].upper() + text[1:]
