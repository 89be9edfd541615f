"""Further analyses in words and tables: capital letters, stability, ambiguous terms and paired tests."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from fairness_checklist.analysis.capitals import by_pair
from fairness_checklist.analysis.largest_gaps import NOTHING
from fairness_checklist.analysis.recompute import paired_tests
from fairness_checklist.analysis.run_view import Row, View, neutral_value, signed
from fairness_checklist.analysis.stability import Measured, measured
from fairness_checklist.analysis.terms_left_out import leading_value_without_ambiguous
from fairness_checklist.core.arrays import by_value
from fairness_checklist.core.errors import OptionError, count
from fairness_checklist.core.formatting import decimal, format_p_value, hundredths, join_names, percent, points
from fairness_checklist.metrics.metric_result import MetricResult
from fairness_checklist.reports.wording import Grid, group_sentences
from fairness_checklist.statistics.leave_one_out import LEAST
from fairness_checklist.statistics.reliability import Rewordings, SplitHalf
from fairness_checklist.tables.run_folder import Results

ABOUT_CAPITALS = (
    "Two terms of a group that differ in capitals only are in the same sentences. The change is the probability with "
    "the small letter less that with the capital, a mean over sources; its interval is over other sentences, with "
    "rewordings of a sentence taken together. The verdict names the class that changes most, and its interval is not "
    "adjusted for that choice."
)
_PAIRS = 10
_SENTENCES = 3


def capitals_sentence(results: Results, view: View) -> str:
    """The effect of a small letter, the largest change first; "" without such a pair, and for taggers."""
    pairs = by_pair(results, view)
    if not pairs:
        return ""
    clauses = [_capitals_clause(part) for part in pairs[:_SENTENCES]]
    more = len(pairs) - len(clauses)
    clauses += [f"{count(more, 'more pair')} of spellings {'changes' if more == 1 else 'change'} less"] if more else []
    return f"Written with a small letter, {'; '.join(clauses)}."


def _capitals_clause(part: pd.DataFrame) -> str:
    row = part.iloc[0]
    small, capital, n, decisions = f'"{row["small"]}"', f'"{row["capital"]}"', int(row["n"]), int(row["decisions"])
    sources = count(n, "source")
    if row["class"] == "*":
        return f"{small} gets another decision than {capital} in {decisions:,} of {sources}"
    change = float(row["change"])
    if abs(change) < NOTHING and not decisions:
        return f"{small} gets the same probabilities and decisions as {capital} ({sources})"
    if abs(change) < NOTHING:
        moved = f"{small} gets the same probabilities as {capital} on average ({sources})"
    else:
        sign = -1.0 if change < 0 else 1.0
        ends = sorted(sign * float(row[name]) for name in ("ci_low", "ci_high"))
        interval = "" if math.isnan(ends[0]) else f"95 %: {hundredths(ends[0])} to {hundredths(ends[1])}; "
        moved = (
            f"{small} gets a probability of {row['class']} that is {points(change)} "
            f"{'lower' if change < 0 else 'higher'} than that of {capital} ({interval}{sources})"
        )
    return f"{moved} and {f'another decision in {decisions:,} of them' if decisions else 'no other decision'}"


def capitals_grids(results: Results, view: View) -> list[Grid]:
    """The pairs as a table, a class a row; none where no two terms differ in capitals only."""
    pairs = by_pair(results, view)
    if not pairs:
        return []
    rows = [_row(row) for part in pairs[:_PAIRS] for row in part.sort_index().to_dict("records")]
    caption = "Small letter less capital: change of the probability"
    if len(pairs) > _PAIRS:
        caption += f" ({_PAIRS} of {len(pairs):,} pairs; all from result.capitals())"
    header = ("group", "capital", "small", "class", "change", "95 %", "other decisions", "n")
    return [Grid(header, tuple(rows), 4, caption)]


def _row(row: dict[Any, Any]) -> tuple[str, ...]:
    low, high = (decimal(float(row[name]), signed=True) for name in ("ci_low", "ci_high"))
    return (
        *(str(row[name]) for name in ("group", "capital", "small", "class")),
        decimal(float(row["change"]), signed=True),
        "" if math.isnan(row["ci_low"]) else f"{low} to {high}",
        f"{row['decisions']:,}",
        f"{row['n']:,}",
    )


def capitals_block(results: Results, view: View) -> list[str]:
    """The table as plain text."""
    return [grid.as_text() for grid in capitals_grids(results, view)]


@by_value
@dataclass(frozen=True, eq=False)
class Stability:
    """The stability of the findings of a metric.

    Attributes:
        table: one row a value of the metric: class, left, right, value; template and without_template, the template
            that moves it furthest towards equal treatment and the value without it; term and without_term; originals
            and rewordings, the signed difference in templates that have a rewording and in their rewordings; families
            in which both have a direction, and agreement, the share of them in which it is the same; with_whole, the
            share of rewordings that have the direction of the whole; unstable, why, or "".
        split_half: one row a class: correlation, corrected, splits, why; see `SplitHalf`.
        sentence: a summary in words.
    """

    table: pd.DataFrame
    split_half: pd.DataFrame
    sentence: str

    def __str__(self) -> str:
        return self.sentence


def stability(
    results: Results,
    metric: str,
    *,
    attribute: str | None = None,
    splits: int = 200,
    seed: int = 0,
    least: float = LEAST,
) -> Stability:
    """Influence, rewordings and split-half correlation of one metric.

    Args:
        results: a run.
        metric: any registered metric's id.
        attribute: the attribute; the first by default.
        splits, seed: number and seed of the random splits into halves.
        least: the smallest distance from equal treatment of a finding.

    Raises:
        OptionError: no such metric or attribute.
    """
    found = measured(results, metric, attribute=attribute, splits=splits, seed=seed, least=least)
    sentence = " ".join((_findings(found, least), _reworded(found.reworded), _ordered(found.result, found.split)))
    return Stability(found.table, found.split_half, sentence)


def _findings(found: Measured, least: float) -> str:
    result, findings, unstable = found.result, found.findings, found.unstable
    about = f"{result.metric.name} ({result.attribute})"
    if not findings:
        return f"{about}: no value is {least:g} or more from equal treatment."
    far = f"({least:g} or more from equal treatment)"
    if findings == 1:
        return f"{about}: the one finding {far} is {'unstable' if unstable else 'stable'}."
    return f"{about}: {unstable:,} of {findings:,} findings {far} {'is' if unstable == 1 else 'are'} unstable."


def _reworded(found: Rewordings) -> str:
    if found.why:
        return f"Rewordings are not compared: {found.why}."
    compared = int(found.compared.sum())
    if not compared:
        return "In the reworded templates, no difference has a sign."
    agreed = float(np.nansum(found.agreement * found.compared)) / compared
    templates = count(len(found.families), "reworded template")
    return (
        f"In {templates}, originals and rewordings have the same sign in {percent(agreed)} of "
        f"{count(compared, 'comparison')}."
    )


def _ordered(result: MetricResult, split_half: SplitHalf) -> str:
    if split_half.why:
        return f"There is no split-half correlation: {split_half.why}."
    correlations = [
        f"{decimal(r)} ({decimal(corrected)} for all sources){'' if label == '*' else f' for {label}'}"
        for label, r, corrected in zip(result.classes, split_half.correlation, split_half.corrected, strict=True)
        if not np.isnan(r)
    ]
    if not correlations:
        return "There is no split-half correlation: in every half all groups tie."
    return f"The split-half rank correlation of the groups is {join_names(correlations)}."


def ambiguous_sentence(results: Results, view: View) -> str:
    """The leading primary value without the ambiguous terms; "" where there are none, or no such value."""
    found = leading_value_without_ambiguous(results, view)
    return "" if found is None else _without_terms(found.terms, found.row, found.value, found.note)


def _without_terms(names: Sequence[str], row: Row, value: float, why: str) -> str:
    plus = signed(row["metric"]) and not neutral_value(row["metric"])
    scope = "over all groups" if row["left"] == "*" else f"of {group_sentences(row['left'], row['attribute'])}"
    label = "" if row["class"] == "*" else f" ({row['class']})"
    which = f"the ambiguous term {names[0]}" if len(names) == 1 else f"the {len(names)} ambiguous terms"
    which += f" ({join_names(list(names), 2)})" if len(names) > 1 else ""
    now = f"undefined ({why})" if math.isnan(value) else decimal(value, signed=plus)
    before = decimal(row["value"], signed=plus)
    return f"Without {which} the {row['metric']}{label} {scope} is {now} instead of {before}."


def paired_tests_grid(results: Results, view: View) -> list[Grid]:
    """The tests as a table, a pair a row; none where no probabilities can be compared inside sources."""
    try:
        found = paired_tests(results, view.attribute)
    except OptionError:
        return []
    if not found["n"].any():
        return []
    rows = []
    for (left, right), part in found.groupby(["left", "right"], sort=False):
        ps = {str(test).split(",")[0]: float(p) for test, p in zip(part["test"], part["p_value"], strict=True)}
        cells = ["" if pd.isna(ps.get(name)) else format_p_value(ps[name]) for name in _TESTS]
        rows.append(("all" if left == "*" else f"{left} and {right}", *cells, f"{int(part['n'].iloc[0]):,}"))
    label = str(found["class"].iloc[0])
    caption = f"These terms only: p-values of the groups' mean probabilities of {label} within sources"
    return [Grid(("groups", *_TESTS, "n"), tuple(rows), 1, caption, tight=True)]


_TESTS = ("Friedman", "Wilcoxon", "paired t", "sign flips")
