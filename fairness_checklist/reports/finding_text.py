"""A finding in words: two rates, the gap with its interval, the comparison with placebo words."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from fairness_checklist.core.errors import count
from fairness_checklist.core.formatting import capitalise, join_names, percent, points
from fairness_checklist.core.replicates import OUTCOME_WORDS
from fairness_checklist.core.tasks import known_harm
from fairness_checklist.findings.status import STATUSES
from fairness_checklist.reports.run_view import (
    View,
    constant_baseline,
    constant_class,
    only_gold_class,
    predicts_no_entities,
)
from fairness_checklist.reports.wording import entities_at, group_clause, group_phrase
from fairness_checklist.tables.run_folder import LIST_SEPARATOR, Results

STATUS_WORDS = dict(zip(STATUSES, ("clear finding", "suspected", "no finding", "too few to say"), strict=True))
SMALLEST_SEEN = 0.0005
"""A gap that rounds to 0.1 points: of smaller ones nothing is said."""
_LEAST = 0.005  # a difference of rates below it rounds to nothing


def finding_sentence(row: Mapping[Any, Any], *, tagging: bool = False) -> str:
    """A record of `findings.csv` or `term_findings.csv` as a sentence."""
    status = str(row["status"])
    if status == STATUSES[3]:
        about = f'the term "{row["term"]}"' if "term" in row else group_phrase(str(row["group"]), str(row["attribute"]))
        return f"Too few to say for {about}: {row['note']}."
    parts = [f"{capitalise(STATUS_WORDS[status])}: {harm_rates(row, tagging=tagging)}", gap_with_interval(row)]
    note = str(row["note"])  # of a suspected finding what neither its interval nor the placebo says
    doubt = capitalise(note) if status == STATUSES[1] and "placebo words" not in note else ""
    unstable = f"Unstable: {row['unstable']}" if row.get("unstable") else ""
    parts += [against_placebo(row).rstrip("."), doubt, unstable, _counts(row)]
    return f"{'. '.join(part for part in parts if part)}."


def harm_rates(row: Mapping[Any, Any], *, tagging: bool = False) -> str:
    """How often a group meets the harm, and the others: "29 % of the ... are called negative, 11 % for the others".

    Where the two rates do not differ as the gap does, the gap of the mean probability comes first.
    """
    rate, others = float(str(row["rate"])), float(str(row["others_rate"]))
    rest = "for the other terms" if "term" in row else "for the other groups"
    rates = f"{whole_percent(rate)} of {_concerned(row, tagging)}"
    if math.isnan(others) or math.isnan(rate):
        return rates
    rates += f", {whole_percent(others)} {rest}"
    if rates_differ(row):
        return rates
    whom = _entities(row) if tagging else f"{_noun(row)} {_clause(row)}"
    return f"the mean probability of this error is {_gap_size(row)} higher for {whom} than {rest}; {rates}"


def brief_rates(row: Mapping[Any, Any], *, tagging: bool = False) -> str:
    """`harm_rates` in fewer words; of rates that do not differ as the gap does only the gap.

    >>> record = dict(attribute="gender", group="women", harm="called_negative", scope="group", measure="probability",
    ...               rate=0.29, others_rate=0.11, gap=0.15)
    >>> brief_rates(record)
    '29 % of non-negative mentions of women are called negative, 11 % for others'
    >>> brief_rates(record | {"rate": 0.1, "harm": "praise_not_recognised"})
    '15 points less probability of being recognised as positive for women than others'
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
    if not rates_differ(row):
        return f"{_gap_size(row)} {probable} for {phrase} than others"
    whom = " ".join(part for part in (kind, mentions) if part)
    rate, others = (whole_percent(float(str(row[name]))) for name in ("rate", "others_rate"))
    if (outcome := OUTCOME_WORDS.get(str(row["harm"]))) is not None:
        return f"{rate} of answers to {whom} {outcome}, {others} for others"
    return f"{rate} of {whom} {done}, {others} for others"


def rates_differ(row: Mapping[Any, Any]) -> bool:
    """Whether the two rates differ as the gap does, or are the gap themselves."""
    rate, others, gap = (float(str(row[name])) for name in ("rate", "others_rate", "gap"))
    return not (row["measure"] == "probability" and rate - others < _LEAST and gap > 0)


def _gap_size(row: Mapping[Any, Any]) -> str:
    return whole_points(float(str(row["gap"])))


def whole_points(gap: float) -> str:
    """A gap in whole points; in tenths where it is smaller than that.

    >>> whole_points(0.154), whole_points(0.01), whole_points(0.004)
    ('15 points', '1 point', '0.4 points')
    """
    return f"{100 * gap:.0f} points" if gap >= 0.015 else points(gap)


def gap_with_interval(row: Mapping[Any, Any]) -> str:
    """The gap in points, what it is of, and its simultaneous interval; "" without a gap."""
    gap, low, high = (float(str(row[name])) for name in ("gap", "ci_low", "ci_high"))
    if math.isnan(gap):
        return ""
    of = {"probability": "mean probability", "rate": "rates"}.get(str(row["measure"]), str(row["measure"]))
    interval = "" if math.isnan(low) or math.isnan(high) else f" (95 % interval {_point(low)} to {_point(high)})"
    return f"Gap of the {of}: {_point(gap)} points{interval}"


def against_placebo(row: Mapping[Any, Any], *, brief: bool = False) -> str:
    """In how many of 100 draws placebo words show so large a gap; "" without a comparison.

    >>> against_placebo(dict(placebo_percentile=98.2, scope="group"))
    '2 of 100 random groups of placebo words show so large a gap.'
    >>> against_placebo(dict(placebo_percentile=100.0, scope="words", term="agender"))
    'None of 100 placebo words shows so large a gap.'
    """
    placed = float(str(row["placebo_percentile"]))
    if math.isnan(placed):
        return ""
    of = "placebo words" if "term" in row else "random groups of placebo words"
    more = 100 - math.floor(placed)
    if brief:
        return f"Placebo words reach this gap in {more} of 100 draws."
    if not more:
        return f"None of 100 {of} shows so large a gap."
    return f"{more} of 100 {of} {'shows' if more == 1 else 'show'} so large a gap."


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
    if attribute not in recorded:  # a run of an older version
        return ["No findings were computed."]
    left_out: dict[str, str] = recorded[attribute].get("left_out", {})
    if "*" in left_out:
        return [f"No findings: {left_out['*']}."]
    reasons = [f"{name} ({why})" for name, why in left_out.items()] or ["no harm is declared"]
    declare = "Declare what hurts with harm= (--harm called:CLASS)."
    return [f"No findings: {join_names(reasons, shown)}. {declare}" for shown in (4, 1)]


def useless_model(view: View) -> str:
    """The sentence about a model that is of no use for these texts; "" for other models."""
    constant, best, gold = constant_class(view), constant_baseline(view), only_gold_class(view)
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
    if best is not None:
        return (
            f"The accuracy on the {n:,} labelled {sentences} is {percent(accuracy)}, no better than always predicting "
            f"{best[0]} ({percent(best[1])}): this model is of little use on these {sentences}."
        )
    return ""


def _point(value: float) -> str:
    return f"{100 * value:.0f}" if abs(value) >= _LEAST else "0"


def _concerned(row: Mapping[Any, Any], tagging: bool) -> str:
    """Which texts, and what is done to them: "the non-negative sentences that mention women are called negative"."""
    harm = known_harm(str(row["harm"]))
    if tagging:
        missed = "are missed" if harm is not None else f"are {row['title']}"
        kind = f" that are {harm.label}" if harm is not None and harm.label else ""
        return f"the {_entities(row)}{kind} {missed}"
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
    return "rows" if is_about_rows(row) else "sentences"


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
