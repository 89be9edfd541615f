"""A comparison in words: four numbers that can be counted, the gap with its bounds, and the reason where it is open."""

import math
from collections.abc import Callable, Mapping
from typing import Any

from fairness_checklist.core.formatting import capitalise, join_names
from fairness_checklist.core.replicates import OUTCOME_WORDS
from fairness_checklist.core.tasks import known_harm
from fairness_checklist.findings.records import OTHERS
from fairness_checklist.findings.rule import Status
from fairness_checklist.reports.wording import group_phrase, left_out_words, reason_words, terms_of
from fairness_checklist.tables.run_folder import TERM_SEPARATOR, Results

SMALLEST_SEEN = 0.0005  # A gap that rounds to 0.1 points: of smaller ones nothing is said
_TENTHS = 0.02  # of smaller gaps a tenth of a point is shown
_LEAST = 0.005  # a difference of rates below it rounds to nothing


def finding_sentence(row: Mapping[Any, Any]) -> str:
    """A record of `findings.csv` or `word_findings.csv` as a sentence or two.

    >>> row = dict(attribute="gender", group="women", reference="others", error="called_negative", unit="probability",
    ...            title="called negative without being so", probability=0.31, others_probability=0.21, gap=0.1,
    ...            low=0.06, high=0.13, high_alone=0.12, rate=0.36, others_rate=0.21, status="worse", reason_code="",
    ...            carried_by="", gap_without=float("nan"))
    >>> finding_sentence(row)
    'Worse for women, called negative: probability 31 % against 21 % for the other groups, +10 points (6 to 13).'
    """
    who = subject(row)
    measured = "share of decisions" if row["unit"] == "decisions" else "probability"
    numbers = f"{error_words(row)}: {measured} {both_numbers(row, ' against ')} for {compared_with(row)}, "
    size = f"{gap_points(row)} points"
    if "word" in row:
        said = f" ({row['said']})" if row["said"] else ""
        return f"The word {who}{said}, {numbers}{size}."
    status = str(row["status"])
    if status == Status.OPEN:
        reason = reason_words(row)
        if math.isnan(float(str(row["gap"]))):
            return f"Open for {who}, {error_words(row)}: {reason}."
        return f"Open for {who}, {numbers}{size}{up_to(row)}: {reason}."
    if status == Status.SMALL:
        return f"Small for {who}, {numbers}{size}{up_to(row)}."
    return f"{capitalise(status)} for {who}, {numbers}{size} {bounds(row)}.{_without(row)}"


def subject(row: Mapping[Any, Any]) -> str:
    """The group of a record as a noun, or its word in quotes."""
    return _quoted(str(row["word"])) if "word" in row else group_phrase(str(row["group"]), str(row["attribute"]))


def _quoted(word: str) -> str:
    """The first term of a word in quotes, with its other forms."""
    first, *others = [f'"{term}"' for term in word.split(TERM_SEPARATOR)]
    forms = others[0] if len(others) == 1 else f"{len(others):,} other forms"
    return f"{first} (also {forms})" if others else first


def compared_with(row: Mapping[Any, Any]) -> str:
    """What a group is compared with."""
    reference = str(row["reference"])
    if reference == OTHERS:
        return "the other groups"
    return "unmarked texts" if reference == "unmarked" else group_phrase(reference, str(row["attribute"]))


def error_words(row: Mapping[Any, Any]) -> str:
    """The error in a few words."""
    harm = known_harm(str(row["error"]))
    if harm is None or harm.kind == "outcome":
        return OUTCOME_WORDS.get(str(row["error"]), str(row["title"]))
    if harm.kind == "missed":
        return f"{harm.label} not recognised" if harm.label else "missed"
    return f"called {harm.label}"


def texts_concerned(row: Mapping[Any, Any]) -> str:
    """The texts that an error concerns; "" of an error of the user's own."""
    harm = known_harm(str(row["error"]))
    if harm is None or harm.kind == "outcome":
        return ""
    if harm.kind == "missed" and not harm.label:
        return f"the {terms_of(str(row['attribute']))}: untagged, or tagged as another type"
    if harm.kind == "missed":
        return f"the {harm.label} texts"
    return f"the texts that are not {harm.label}" if harm.kind == "called" else "all texts"


def both_numbers(row: Mapping[Any, Any], between: str = " : ") -> str:
    """The two numbers whose difference is the gap, in percent."""
    return _pair(*_shares(row), between)


def _shares(row: Mapping[Any, Any]) -> tuple[float, float]:
    """The number of the group and that of the others: the shares of decisions, or the probabilities."""
    name = "rate" if row["unit"] == "decisions" else "probability"
    return float(str(row[name])), float(str(row[f"others_{name}"]))


def both_rates(row: Mapping[Any, Any], between: str = " : ") -> str:
    """The shares of decisions that are the error, of the group and of what it is compared with, in percent."""
    return _pair(float(str(row["rate"])), float(str(row["others_rate"])), between)


def _pair(one: float, other: float, between: str) -> str:
    places = _places(one, other)
    return between.join("-" if math.isnan(share) else f"{100 * share:.{places}f} %" for share in (one, other))


def _places(one: float, other: float) -> int:
    """Decimals of two shares in percent: tenths where the gap is small, or whole numbers would show another one."""
    gap = one - other
    if math.isnan(gap) or abs(gap) < SMALLEST_SEEN:
        return 0
    return int(abs(gap) < _TENTHS or round(100 * one) - round(100 * other) != round(100 * gap))


def gap_points(row: Mapping[Any, Any]) -> str:
    """The gap in points with its sign, as the difference of the two numbers that are shown."""
    if math.isnan(float(str(row["gap"]))):
        return "-"
    one, other = _shares(row)
    places = _places(one, other)
    shown = round(100 * one, places) - round(100 * other, places)
    return f"{shown:+.{places}f}" if round(shown, places) else "0"


def bounds(row: Mapping[Any, Any]) -> str:
    """The simultaneous bounds of a gap in points, "(6 to 13)"; "" where there are none."""
    low, high = (float(str(row[name])) for name in ("low", "high"))
    return "" if math.isnan(low) or math.isnan(high) else f"({_end(low, math.floor)} to {_end(high, math.ceil)})"


def up_to(row: Mapping[Any, Any]) -> str:
    """How large a gap may be, by the upper bound of the comparison alone."""
    high = float(str(row["high_alone"]))
    return "" if math.isnan(high) else f" (up to {_end(high, math.ceil)})" if high > 0 else " (not worse)"


def _end(value: float, outwards: Callable[[float], int]) -> str:
    """A bound in points, rounded outwards: to whole ones, to tenths where it is small."""
    if abs(value) >= _TENTHS / 2:
        return str(outwards(round(100 * value, 6)))
    tenths = outwards(round(1000 * value, 6))
    if not tenths and abs(value) > 1e-9:
        return "above 0" if value > 0 else "below 0"
    return f"{tenths / 10:.1f}".removesuffix(".0")


def whole_points(gap: float) -> str:
    """The size of a gap in whole points; in tenths where it is smaller than two points."""
    number = f"{100 * gap:.0f}" if abs(gap) >= _TENTHS else f"{100 * gap:.1f}".removesuffix(".0")
    return f"{number} point{'' if number in ('1', '-1') else 's'}"


def carriers(row: Mapping[Any, Any]) -> str:
    """The word that carries most of a gap, with its forms; "" without one."""
    return _quoted(str(row["carried_by"])) if row["carried_by"] else ""


def _without(row: Mapping[Any, Any]) -> str:
    """What is left of a gap without the word that carries most of it, where that is a third of it or more."""
    left, gap = float(str(row["gap_without"])), float(str(row["gap"]))
    if math.isnan(left) or left > gap * 2 / 3:
        return ""
    return f" Without {carriers(row)} the gap is {whole_points(left)}."


def without_carrier(row: Mapping[Any, Any]) -> str:
    """The gap in points without the word that carries most of it; "" where there is no other word."""
    left = float(str(row["gap_without"]))
    return "" if math.isnan(left) else f"{signed_points(left)} points"


def signed_points(gap: float) -> str:
    """A gap in whole points with its sign, "+5"."""
    return f"{100 * gap:+.0f}".replace("+0", "0").replace("-0", "0")


def whole_percent(share: float) -> str:
    """A share in whole percent."""
    if math.isnan(share):
        return "an unknown share"
    return "under 1 %" if 0 < share < _LEAST else f"{100 * share:.0f} %"


def nothing_compared(results: Results, attribute: str) -> str:
    """Why an attribute has no records."""
    recorded: dict[str, Any] = results.info.get("findings", {})
    if attribute not in recorded:
        return "No findings were computed."
    left_out: dict[str, str] = recorded[attribute].get("left_out", {})
    if "*" in left_out:
        return f"No findings: {left_out_words('*', left_out['*'])}."
    reasons = [f"{name} ({left_out_words(name, why)})" for name, why in left_out.items()] or ["no error is declared"]
    return f"No findings: {join_names(reasons, 3)}. Declare what hurts with harm= (--harm called:CLASS)."
