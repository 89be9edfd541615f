"""One attribute's part of `Results`, with the values of its metrics by group."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import pandas as pd

from fairness_checklist import comparisons
from fairness_checklist.errors import OptionError, did_you_mean
from fairness_checklist.metrics.catalogue import METRICS
from fairness_checklist.reports.asked import place_of, split_notes, task_of
from fairness_checklist.reports.one_view import MetricKey, Row, View
from fairness_checklist.results import Results

__all__ = [
    "UNCERTAINTY",
    "MetricKey",
    "Row",
    "View",
    "caveat",
    "filled",
    "neutral_value",
    "one_of",
    "read_once",
    "signed",
    "view",
    "views",
]

UNCERTAINTY = ("low", "high", "low_terms", "high_terms", "chance", "excess", "p_value", "p_adjusted")
"""Columns of ``metrics`` that are shown only where they are filled."""

_READ: ContextVar[dict[tuple[int, str], tuple[Results, View]] | None] = ContextVar("_READ", default=None)
"""Inside `read_once` what was read, by run and attribute; with the run, so that no other takes its id."""


def views(results: Results) -> list[View]:
    """Each attribute of a run."""
    return [view(results, attribute) for attribute in results.attributes]


@contextmanager
def read_once() -> Iterator[None]:
    """While a report is made `view` reads each attribute of a run once; the run must not change in between."""
    token = _READ.set(known if (known := _READ.get()) is not None else {})
    try:
        yield
    finally:
        _READ.reset(token)


def view(results: Results, attribute: str) -> View:
    """One attribute of a run.

    Raises:
        OptionError: the run has no such attribute.
    """
    known = _READ.get()
    key = (id(results), attribute)
    if known is not None and key in known:
        return known[key][1]
    one_of(attribute, results.attributes, "attribute")
    seen = _read(results, attribute)
    if known is not None:
        known[key] = (results, seen)
    return seen


def _read(results: Results, attribute: str) -> View:
    metrics, scores, checks, by_group, examples = (
        table[table["attribute"] == attribute]
        for table in (results.metrics, results.scores, results.checks, results.checks_by_group, results.examples)
    )
    metrics = split_notes(results, metrics)
    each_term = metrics["options"].str.contains("by=term", regex=False)
    by_term, metrics = metrics[each_term], metrics[~each_term]
    if "where" not in scores.columns:  # a run of an older version
        scores = scores.assign(where="")
    places = tuple(dict.fromkeys(map(place_of, metrics["options"])))
    known = set(scores["where"])
    place = next((one for one in places if one in known), "")
    of_terms = scores[(scores["term"] != "") & (scores["where"] == ("slot" if "slot" in known else ""))]
    scores = scores[scores["term"] == ""]
    groups = [str(g) for g in scores["group"].unique() if g not in ("*", "unmarked")]
    cells, backgrounds = {}, {}
    for row in _rows(metrics):
        key = (str(row["metric"]), str(row["options"]))
        cells[(*key, str(row["class"]), str(row["left"]), str(row["right"]))] = row
        if row["right"] not in (*groups, "others", ""):
            backgrounds[key] = str(row["right"])
    keys = tuple(dict.fromkeys(k[:2] for k in cells))
    by_name = {
        (str(where), str(name), str(label), str(group)): (float(value), int(n))
        for where, name, label, group, value, n in zip(
            *(scores[column] for column in ("where", "score", "class", "group", "value", "n")), strict=True
        )
    }
    named = list(results.info.get("options", {}).get("primary", []))
    leading = metrics[metrics["role"] == "primary"]
    primary = [(str(name), str(options)) for name, options in leading[["metric", "options"]].drop_duplicates().values]
    primary.sort(key=lambda key: named.index(key[0]) if key[0] in named else len(named))
    return View(
        attribute,
        tuple(groups),
        _classes(metrics, scores),
        metrics,
        place,
        places,
        by_name,
        _spans(scores),
        of_terms,
        checks,
        by_group,
        examples.dropna(axis="columns", how="all"),
        keys,
        cells,
        {key: backgrounds.get(key, "") for key in keys},
        tuple(primary),
        {test: (told["pairs"], told["fails"]) for test, told in results.info.get("pairs_with_reference", {}).items()},
        task_of(results),
        by_term,
        attribute in results.intersections,
    )


def _rows(table: pd.DataFrame) -> list[Row]:
    """The rows of a table; ``to_dict`` looks at each value's type anew and takes several times as long."""
    names = [str(name) for name in table.columns]
    return [dict(zip(names, row, strict=True)) for row in zip(*(table[name].tolist() for name in names), strict=True)]


def _spans(scores: pd.DataFrame) -> dict[tuple[str, str, str, str], tuple[float, ...]]:
    """Both intervals of each base score that has one."""
    ends = [name for name in ("low", "high", "low_terms", "high_terms") if name in scores.columns]
    there = scores[scores[ends].notna().any(axis=1)].reindex(
        columns=[*scores.columns, *(name for name in ("low_terms", "high_terms") if name not in ends)]
    )
    keys = zip(*(there[name].astype("str") for name in ("where", "score", "class", "group")), strict=True)
    values = zip(*(there[name].astype("float64") for name in ("low", "high", "low_terms", "high_terms")), strict=True)
    return {key: tuple(map(float, ends)) for key, ends in zip(keys, values, strict=True)}


def _classes(metrics: pd.DataFrame, scores: pd.DataFrame) -> tuple[str, ...]:
    said = scores.loc[scores["score"] == "prediction_rate", "class"].unique()
    return tuple(str(name) for name in (said if len(said) else metrics["class"].unique()) if name != "*")


def one_of(name: str, known: Iterable[str], what: str) -> str:
    """The name, if it is known.

    Raises:
        OptionError: it is not.

    >>> one_of("gendre", ["gender", "names"], "attribute")
    Traceback (most recent call last):
    fairness_checklist.errors.OptionError: the run has no attribute 'gendre'.
        Did you mean gender?
    """
    known = list(known)
    if name in known:
        return name
    near = did_you_mean(name, known, n=3).strip()
    raise OptionError(f"the run has no {what} {name!r}.", remedy=near or f"It has {', '.join(known) or 'none'}.")


def filled(rows: pd.DataFrame) -> list[str]:
    """The columns of intervals, tests and chance levels that hold a number.

    >>> filled(pd.DataFrame({"low": [float("nan"), 0.1], "high": [float("nan")] * 2}))
    ['low']
    """
    return [name for name in UNCERTAINTY if name in rows.columns and bool(rows[name].notna().any())]


def caveat(rows: pd.DataFrame, *, crossed: bool) -> str:
    """What must be said of values without an interval or a level of chance; "" where both are there."""
    there = set(filled(rows))
    interval = bool(there & {"low", "high", "low_terms", "high_terms"})
    chance = bool(there & {"chance", "p_value", "p_adjusted"})
    if interval and chance:
        return ""
    missing = "level of chance" if interval else "interval" if chance else "interval or level of chance"
    if crossed:
        return (
            "Values of pairs of groups have no level of chance: pairs of terms share their words and cannot change "
            "places. What can be told of them stands with the interactions."
        )
    unsigned = [name for name in rows["metric"].unique() if not signed(name) and neutral_value(name) == 0]
    said = f"Differences are point estimates: no {missing} was computed" + (
        "." if chance else ", so one may be chance."
    )
    said += "" if chance else " --draws 1000 (in Python draws=1000) gives levels of chance."
    if unsigned and "chance" not in there:
        names = ", ".join(unsigned[:3]) + (", ..." if unsigned[3:] else "")
        said += f" Distances ({names}) are above 0 even where nothing is wrong, because terms differ."
    return said


def neutral_value(metric: str) -> float:
    """The metric's value where groups are treated alike: 0, for ratios 1.

    >>> neutral_value("fnr_gap"), neutral_value("fnr_ratio"), neutral_value("not_registered")
    (0.0, 1.0, 0.0)
    """
    return comparisons.about(METRICS[metric].compare).no_bias if metric in METRICS else 0.0


def signed(metric: str, values: pd.Series[Any] | None = None) -> bool:
    """Whether the metric tells a direction; by the signs of the values where it is not registered.

    >>> signed("fnr_gap"), signed("avg_if")
    (True, False)
    """
    if metric in METRICS:
        return comparisons.about(METRICS[metric].compare).signed
    return values is not None and bool((values < 0).any())
