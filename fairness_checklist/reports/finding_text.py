"""A finding in words: two rates, the gap with its interval, the comparison with placebo words."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import pandas as pd

from fairness_checklist.core.errors import count
from fairness_checklist.core.formatting import capitalise, join_names, percent, points
from fairness_checklist.core.replicates import OUTCOME_WORDS
from fairness_checklist.core.tasks import known_harm
from fairness_checklist.findings.status import CLEAR, CLEAR_SMALL, NONE_FOUND, SHOWN_SMALL, SUSPECTED, TOO_FEW, Reason
from fairness_checklist.reports.run_view import (
    View,
    balanced_accuracy,
    constant_class,
    only_gold_class,
    predicts_no_entities,
)
from fairness_checklist.reports.wording import entities_at, group_clause, group_phrase, left_out_words, reason_words
from fairness_checklist.tables.run_folder import LIST_SEPARATOR, TERM_SEPARATOR, Results

STATUS_WORDS = {
    CLEAR: "clear finding",
    SUSPECTED: "suspected",
    NONE_FOUND: "no finding",
    TOO_FEW: "too few to say",
    SHOWN_SMALL: "shown to be small",
    CLEAR_SMALL: "clear but small",
}
SMALLEST_SEEN = 0.0005
"""A gap that rounds to 0.1 points: of smaller ones nothing is said."""
_TENTHS = 0.02  # of smaller gaps a tenth of a point is shown
LEAST_SKILL = 0.1
"""How far a useful model is from always giving one class (0) to always being right (1), at least."""
_NOTHING = 1e-9  # what rounding leaves of a gap of 0
_LEAST = 0.005  # a difference of rates below it rounds to nothing


def finding_sentence(row: Mapping[Any, Any], *, tagging: bool = False) -> str:
    """A record of `findings.csv` or `term_findings.csv` as a sentence."""
    status = str(row["status"])
    if status == TOO_FEW:
        about = f'the term "{row["term"]}"' if "term" in row else group_phrase(str(row["group"]), str(row["attribute"]))
        return f"Too few to say for {about}: {reason_words(row)}."
    # of a finding in doubt what neither its bounds nor the placebo say
    said = row["reason"] in (Reason.AS_PLACEBO, Reason.MAY_BE_CHANCE)
    doubt = capitalise(reason_words(row)) if status in (SUSPECTED, CLEAR_SMALL) and not said else ""
    parts = [
        f"{capitalise(STATUS_WORDS[status])}: {harm_rates(row, tagging=tagging)}",
        against_placebo(row).rstrip("."),
    ]
    plain, gap = float(row.get("unadjusted_gap", math.nan)), float(row["gap"])
    form = (
        f"Not adjusted for the form of words: {whole_points(plain)} in probability" if abs(plain - gap) >= 0.01 else ""
    )
    parts += [doubt, form, without_carrier(row), _counts(row)]
    return f"{'. '.join(part for part in parts if part)}."


def without_carrier(row: Mapping[Any, Any], name: str = "") -> str:
    """What is left of a gap without the lexeme that it depends on most, in the unit of its sentence; "" without one.

    >>> without_carrier(dict(measure="rate", carried_by="guy / guys; chap", gap=0.2, rate_gap_without=0.063))
    'Without "guy" and "guys" the gap is 6 points'
    """
    left = float(str(row.get("rate_gap_without" if leads_with_rates(row) else "gap_without", math.nan)))
    if math.isnan(left):
        return ""
    placebo = float(str(row.get("placebo_rate_gap" if leads_with_rates(row) else "placebo_gap", math.nan)))
    beside = ", no more than placebo words differ" if left <= placebo else ""
    return f"Without {name or carriers(row)[0]} the gap is {whole_points(left)}{beside}"


def carriers(row: Mapping[Any, Any]) -> list[str]:
    """The lexemes that a gap depends on, each with its terms, of which those beyond three are counted.

    >>> carriers(dict(carried_by="gay woman / gay girl / gay lady / gays; guy"))
    ['"gay woman", "gay girl", "gay lady" and 1 more', '"guy"']
    """
    lexemes = [name.split(TERM_SEPARATOR) for name in str(row["carried_by"]).split(LIST_SEPARATOR) if name]
    return [join_names([f'"{term}"' for term in terms], 3) for terms in lexemes]


def harm_rates(row: Mapping[Any, Any], *, tagging: bool = False) -> str:
    """How often a group meets the harm, and the others, with the gap and its bounds.

    Where the decisions do not show the gap, that of the mean probability comes first.
    """
    rest = "for the other terms" if "term" in row else "for the other groups"
    rate, others = shown_rates(row)
    rates = f"{rate} of {_concerned(row, tagging)}"
    if math.isnan(float(str(row["others_rate"]))) or math.isnan(float(str(row["rate"]))):
        return rates
    rates += f", {others} {rest}"
    if math.isnan(float(str(row["gap"]))):
        return rates
    if leads_with_rates(row):
        return f"{rates}: {gap_bounds(row)}"
    whom = _entities(row) if tagging else f"{_noun(row)} {_clause(row)}"
    if float(str(row["gap"])) <= 0:
        return f"{rates}; the mean probability of this error differs by {gap_bounds(row)}"
    more = f"this error is {gap_bounds(row)} more likely for {whom} than {rest}"
    if float(str(row["rate_gap"])) < _TENTHS:
        return f"in probability, not in decisions, {more}; {rates}"
    return f"{more}; in decisions it is less certain: {rates}, {gap_bounds(row, rates=True)}"


def brief_rates(row: Mapping[Any, Any], *, tagging: bool = False) -> str:
    """`harm_rates` in fewer words; of a gap that the decisions do not show only the gap.

    >>> record = dict(attribute="gender", group="women", harm="called_negative", scope="group", measure="probability",
    ...               rate=0.29, others_rate=0.11, rate_gap=0.18, rate_ci_low=0.07, rate_ci_high=0.29, gap=0.15,
    ...               ci_low=0.06, ci_high=0.24, status="clear")
    >>> brief_rates(record)
    '29 % of non-negative mentions of women are called negative, 11 % for others: 18 points (at least 7, at most 29)'
    >>> brief_rates(record | {"rate_ci_low": -0.01, "harm": "praise_not_recognised"})
    '15 points (at least 6, at most 24) less probability of being recognised as positive for women than others'
    """
    harm = known_harm(str(row["harm"]))
    phrase = f"{group_phrase(str(row['group']), str(row['attribute']))}{_in_words(row, brief=True)}"
    mentions = f"mentions of {phrase}"
    if is_about_rows(row):
        phrase = f'the group "{row["group"]}"'
        mentions = f"rows of {phrase}"
    done, kind = (f"are {row['title']}", "") if harm is None else ("are missed", harm.label)
    probable = f"more probability of being {row['title'] if harm is None else 'missed'}"
    if harm is not None and not tagging:
        kind = {"called": f"non-{harm.label}", "missed": harm.label}.get(harm.kind, "")
        done = "are not recognised" if harm.kind == "missed" else f"are called {harm.label}"
        way = "less probability of being recognised as" if harm.kind == "missed" else "more probability of being called"
        probable = f"{way} {harm.label}"
    if not leads_with_rates(row):
        return f"{gap_bounds(row)} {probable} for {phrase} than others"
    whom = " ".join(part for part in (kind, mentions) if part)
    rate, others = shown_rates(row)
    if (outcome := OUTCOME_WORDS.get(str(row["harm"]))) is not None:
        return f"{rate} of answers to {whom} {outcome}, {others} for others: {gap_bounds(row)}"
    return f"{rate} of {whom} {done}, {others} for others: {gap_bounds(row)}"


def leads_with_rates(row: Mapping[Any, Any]) -> bool:
    """Whether the decisions show a gap as well: its bound lies beyond 0, and placebo words show less.

    Of a suspected one the gap in decisions is two points at least. Without probabilities the gap is of decisions.
    """
    if row["measure"] == "rate":
        return True
    rate_gap, low, high = (float(str(row[name])) for name in ("rate_gap", "rate_ci_low", "rate_ci_high"))
    placebo = float(str(row.get("placebo_rate_gap", math.nan)))
    if float(str(row["gap"])) <= 0:
        return high < 0
    if row.get("status") == SUSPECTED:  # neither unit is certain
        return rate_gap >= _TENTHS and not rate_gap <= placebo
    return low > 0 and not rate_gap <= placebo


def gap_bounds(row: Mapping[Any, Any], *, rates: bool | None = None) -> str:
    """The gap in points with its simultaneous bounds; of decisions where these show it, or with ``rates``.

    >>> record = dict(measure="probability", rate=0.286, others_rate=0.114, rate_gap=0.172, rate_ci_low=-0.07,
    ...               rate_ci_high=0.29, gap=0.031, ci_low=0.004, ci_high=0.24)
    >>> gap_bounds(record), gap_bounds(record, rates=True)
    ('3 points (at least 0.4, at most 24)', '17.2 points (from -7 to 29)')
    """
    rates = leads_with_rates(row) if rates is None else rates
    names = ("rate_gap", "rate_ci_low", "rate_ci_high") if rates else ("gap", "ci_low", "ci_high")
    gap, low, high = (float(str(row[name])) for name in names)
    if math.isnan(gap):
        return ""
    size, beyond = whole_points(gap), low > 0
    if rates:
        places = _places(float(row["rate"]), float(row["others_rate"]))
        gap = round(100 * float(row["rate"]), places) - round(100 * float(row["others_rate"]), places)
        size = f"{gap:.{places}f} point{'' if round(gap, places) == 1 else 's'}"
        low, high = min(low, gap / 100), max(high, gap / 100)  # of narrow bounds the rounded gap may lie outside
    if math.isnan(low) or math.isnan(high):
        return size
    tenths = rates and "." in size and high - low < _TENTHS  # of narrow bounds the gap may not lie outside
    if beyond:
        least = f"at least {_point(low, tenths)}" if low >= SMALLEST_SEEN else "more than 0"
        return f"{size} ({least}, at most {_point(max(high, SMALLEST_SEEN), tenths)})"
    return f"{size} (from {_point(low, tenths)} to {_point(high, tenths)})"


def shown_rates(row: Mapping[Any, Any]) -> tuple[str, str]:
    """The two fitted rates in percent, with tenths where the gap is small or whole numbers would show another one.

    >>> shown_rates(dict(rate=0.286, others_rate=0.106)), shown_rates(dict(rate=0.286, others_rate=0.114))
    (('29 %', '11 %'), ('28.6 %', '11.4 %'))
    """
    rate, others = float(str(row["rate"])), float(str(row["others_rate"]))
    if math.isnan(rate) or math.isnan(others):
        return whole_percent(rate), whole_percent(others)
    places = _places(rate, others)
    if places:
        return f"{100 * rate:.1f} %", f"{100 * others:.1f} %"
    return f"{100 * rate:.0f} %", f"{100 * others:.0f} %"


def _places(rate: float, others: float = 0.0) -> int:
    """Decimals of two rates and their gap in points: tenths where the gap is small, or whole rates show another one."""
    gap = rate - others
    if abs(gap) < _NOTHING:
        return 0
    return int(abs(gap) < _TENTHS or round(100 * rate) - round(100 * others) != round(100 * gap))


def whole_points(gap: float) -> str:
    """A gap in whole points; in tenths where it is smaller than two points.

    >>> whole_points(0.154), whole_points(0.01), whole_points(-0.004), whole_points(-0.2), whole_points(-0.0004)
    ('15 points', '1 point', '-0.4 points', '-20 points', '0 points')
    """
    if abs(gap) >= _TENTHS:
        return f"{100 * gap:.0f} points"
    return f"{'-' if gap <= -SMALLEST_SEEN else ''}{points(gap)}"


def against_placebo(row: Mapping[Any, Any], *, brief: bool = False) -> str:
    """How far apart groups of placebo words lie, in the unit of the gap; "" without a comparison.

    >>> against_placebo(dict(measure="probability", gap=0.1, rate_gap=0.1, rate_ci_low=-0.1, rate_ci_high=0.3,
    ...                      placebo_gap=0.062, placebo_rate_gap=0.12))
    'Groups of placebo words differ by up to 6 points.'
    """
    size = float(str(row.get("placebo_rate_gap" if leads_with_rates(row) else "placebo_gap", math.nan)))
    if math.isnan(size):
        return ""
    who = "Placebo words" if brief else "Groups of placebo words"
    return f"{who} differ by up to {whole_points(size)}." if size >= SMALLEST_SEEN else f"{who} do not differ."


def undetected_gap(records: pd.DataFrame) -> str:
    """The largest gaps that could be there unseen: the largest upper bounds, in both units; "" where these are 0.

    >>> undetected_gap(pd.DataFrame({"measure": ["probability"], "ci_high": [0.27], "rate_ci_high": [0.39]}))
    '27 points in probability (39 in decisions)'
    """
    if not len(records) or not records["ci_high"].max() >= SMALLEST_SEEN:
        return ""
    high, rate = (float(records[name].max()) for name in ("ci_high", "rate_ci_high"))
    if (records["measure"] == "rate").all():
        return f"{whole_points(high)} in decisions"
    decisions = f" ({whole_points(rate).split()[0]} in decisions)" if rate >= SMALLEST_SEEN else ""
    return f"{whole_points(high)} in probability{decisions}"


def whole_percent(share: float) -> str:
    """A share in whole percent.

    >>> whole_percent(0.294), whole_percent(0.002), whole_percent(0.0), whole_percent(float("nan"))
    ('29 %', 'under 1 %', '0 %', 'an unknown share')
    """
    if math.isnan(share):
        return "an unknown share"
    return "under 1 %" if 0 < share < _LEAST else f"{100 * share:.0f} %"


def nothing_compared(results: Results, attribute: str) -> list[str]:
    """Why an attribute has no records, in full and cut to the first reason."""
    recorded: dict[str, Any] = results.info.get("findings", {})
    if attribute not in recorded:
        return ["No findings were computed."]
    left_out: dict[str, str] = recorded[attribute].get("left_out", {})
    if "*" in left_out:
        return [f"No findings: {left_out_words('*', left_out['*'])}."]
    reasons = [f"{name} ({left_out_words(name, why)})" for name, why in left_out.items()] or ["no error is declared"]
    declare = "Declare what hurts with harm= (--harm called:CLASS)."
    return [f"No findings: {join_names(reasons, shown)}. {declare}" for shown in (4, 1)]


def useless_model(view: View) -> str:
    """The sentence about a model that is of no use for these texts; "" for other models.

    Its balanced accuracy b over k classes is hardly above that of always giving one class, 1 / k: (b - 1 / k) /
    (1 - 1 / k), which scikit-learn calls adjusted, is below `LEAST_SKILL`. Accuracy would say the same of a good model
    where one class is rare. No bound is asked for: with few sentences no model could pass it.
    """
    constant, gold, (balanced, k) = constant_class(view), only_gold_class(view), balanced_accuracy(view)
    sentences = "sentences" if view.mentions else "rows"
    accuracy, n = view.score("accuracy", "*", "*")
    if predicts_no_entities(view):
        return (
            f"The model finds none of the {entities_at(view.place, view.attribute)} with their type, so its errors "
            "cannot differ between groups. This is not evidence of fairness."
        )
    if constant and gold:
        return (
            f"All labelled texts have the gold class {gold}, and the model predicts {constant} for all texts. Its "
            f"decisions cannot differ between groups. Only {sentences} of other classes show whether it tells them "
            "apart."
        )
    if constant:
        right = f" The accuracy is {percent(accuracy)}." if n else ""
        return (
            f"The model predicts one class for all texts: {constant}. Its decisions cannot differ between groups. This "
            f"is not evidence of fairness.{right}"
        )
    if k > 1 and balanced < 1 / k + LEAST_SKILL * (1 - 1 / k):
        texts = "texts" if view.mentions else "rows"
        return (
            f"The balanced accuracy (mean recall of {k} classes) on the {n:,} labelled {texts} is {percent(balanced)}; "
            f"always predicting one class has {percent(1 / k)}. This model is of little use on these {texts}."
        )
    return ""


def _point(value: float, tenths: bool = False) -> str:
    """A bound in points."""
    return "0" if abs(value) < SMALLEST_SEEN else f"{100 * value:.{int(tenths) or _places(value)}f}".removesuffix(".0")


def _concerned(row: Mapping[Any, Any], tagging: bool) -> str:
    """Which texts, and what is done to them: "the non-negative texts that mention women are called negative"."""
    harm = known_harm(str(row["harm"]))
    if tagging:
        missed = "are missed" if harm is not None else f"are {row['title']}"
        kind = f" that are {harm.label}" if harm is not None and harm.label else ""
        return f"the {_entities(row).removeprefix('the ')}{kind} {missed}"
    clause, noun = _clause(row), _noun(row)
    if (outcome := OUTCOME_WORDS.get(str(row["harm"]))) is not None:
        return f"the answers to {noun} {clause} {outcome}"
    if harm is None:
        return f"the {noun} {clause} are {row['title']}"
    if harm.kind == "missed":
        return f"the {harm.label} {noun} {clause} are not recognised as {harm.label}"
    non = f"non-{harm.label} " if harm.kind == "called" else ""
    return f"the {non}{noun} {clause} are called {harm.label}"


def _entities(row: Mapping[Any, Any]) -> str:
    """The entities that a record of a tagger is about."""
    if "term" in row:
        return f"mentions of {_quoted(row)}"
    return f"{group_phrase(str(row['group']), str(row['attribute']))}{_in_words(row)}"


def _clause(row: Mapping[Any, Any]) -> str:
    """Whom the sentences mention; of a finding about words the words that they hold as well."""
    if "term" in row:
        return f"with {_quoted(row)}"
    mentioned = not is_about_rows(row)
    return f"{group_clause(str(row['group']), str(row['attribute']), mentioned=mentioned)}{_in_words(row)}"


def _noun(row: Mapping[Any, Any]) -> str:
    return "rows" if is_about_rows(row) else "texts"


def _in_words(row: Mapping[Any, Any], *, brief: bool = False) -> str:
    """The words of a group whose finding is about them alone, in brackets."""
    return f" ({_quoted(row, brief=brief)})" if is_about_words(row) else ""


def is_about_rows(row: Mapping[Any, Any]) -> bool:
    """Whether a record is about rows without terms, which may be about persons and mention nobody."""
    return row.get("scope") == "rows"


def is_about_words(row: Mapping[Any, Any]) -> bool:
    """Whether a record is about single words, and not about a group."""
    return "term" in row or row.get("scope") == "words"


def _quoted(row: Mapping[Any, Any], *, brief: bool = False) -> str:
    words = [str(row["term"])] if "term" in row else str(row["words"]).split(LIST_SEPARATOR)
    return join_names([f'"{word}"' for word in words], 1 if brief else 3)


def _counts(row: Mapping[Any, Any]) -> str:
    sources = count(int(str(row["n_sources"])), "row" if is_about_rows(row) else "independent sentence")
    if "term" in row or not int(str(row["n_terms"])):
        return sources
    used, there = int(str(row["n_terms"])), int(str(row["n_terms_available"]))
    return f"{used:,} of {there:,} terms, {sources}" if there > used else f"{count(used, 'term')}, {sources}"
