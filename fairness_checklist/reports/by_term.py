"""Results by term: the terms that a tagger misses most, and those with the most different error rates."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass

import pandas as pd

from fairness_checklist.analysis.largest_gaps import positive_class
from fairness_checklist.analysis.run_view import View
from fairness_checklist.core.arrays import by_value
from fairness_checklist.core.examples import UNMARKED
from fairness_checklist.core.formatting import capitalise
from fairness_checklist.reports.wording import terms_of

RATES = {"fpr_gap": "false_positive_rate", "fnr_gap": "false_negative_rate"}
TOTALS = {"fped": "FPED", "fned": "FNED"}


@by_value
@dataclass(frozen=True, eq=False)
class MissedTerms:
    """The terms of one type that a tagger finds least often.

    Attributes:
        type: the type that they have.
        terms: columns term, group, found (share, in [0, 1]), n (sentences) and p (mean probability of the type at the
            term; NaN where it is not known), the least found first.
        never_found: how many terms are found in no sentence.
        of: how many terms there are.
    """

    type: str
    terms: pd.DataFrame
    never_found: int
    of: int


@dataclass(frozen=True)
class Total:
    """A total over groups and the same total over terms; NaN where there is none."""

    name: str
    by_group: float
    by_term: float


def missed_most(view: View, n: int = 15) -> list[MissedTerms]:
    """The terms that are found least often, for each type of a tagger.

    Of terms found equally often the one with the lower mean probability comes first. Terms that are always found are
    left out.

    Args:
        view: an attribute of a run.
        n: how many terms at most.

    Returns:
        Nothing for a classifier, or where no sentence has a gold entity at the term.
    """
    if not view.tagging:
        return []
    found = []
    for label in view.gold_classes("slot"):
        rates = _of_terms(view, "true_positive_rate", label).rename(columns={"value": "found"})
        mean_p = _of_terms(view, "mean_probability", label).rename(columns={"value": "p"})[["term", "group", "p"]]
        rates = rates.merge(mean_p, on=["term", "group"], how="left")
        order = rates.assign(found=rates["found"].round(9)).sort_values(["found", "p"], kind="stable").index
        worst = rates.loc[order]
        worst = worst[worst["found"] < 1]
        if len(worst):
            listed = worst.head(n).reset_index(drop=True)[["term", "group", "found", "n", "p"]]
            found.append(MissedTerms(label, listed, int((rates["found"] == 0).sum()), len(rates)))
    return found


def _of_terms(view: View, score: str, label: str) -> pd.DataFrame:
    """A base score by term: columns term, group, value, n."""
    rows = view.of_terms[
        (view.of_terms["score"] == score) & (view.of_terms["class"] == label) & (view.of_terms["group"] != UNMARKED)
    ]
    rows = rows[rows["value"].notna()][["term", "group", "value", "n"]].reset_index(drop=True)
    return rows.astype({"term": "str", "group": "str", "value": "float64", "n": "int64"})


def term_differences(view: View, metric: str, n: int = 10) -> pd.DataFrame:
    """The terms with error rates furthest from those of all others, as in the figures of Dixon et al. 2018.

    Args:
        view: an attribute of a run.
        metric: "fpr_gap" or "fnr_gap", of the positive class.
        n: how many terms at most.

    Returns:
        Columns term, group, gap, rate (the term's own, in [0, 1]), n (its number of sentences) and sources (those that
        entered the gap), the largest gap in either direction first; no rows where errors were not computed by term.
    """
    label = positive_class(view)
    rows = view.by_term
    rows = rows[(rows["metric"] == metric) & (rows["class"] == label) & (rows["left"] != "*") & rows["value"].notna()]
    base = _of_terms(view, RATES[metric], label)
    shared = Counter(base["term"])
    of: dict[str, tuple[str, float, int]] = {}
    for term, group, value, size in base.itertuples(index=False):
        for name in (f"{term} ({group})", *([term] if shared[term] == 1 else [])):
            of[name] = (group, value, size)
    listed = []
    for name, gap, entered in zip(rows["left"], rows["value"], rows["n"], strict=True):
        group, rate, size = of.get(str(name), ("", math.nan, 0))
        listed.append((str(name), group, float(gap), float(rate), int(size), int(entered)))
    frame = pd.DataFrame(listed, columns=["term", "group", "gap", "rate", "n", "sources"])
    order = frame["gap"].abs().round(9).sort_values(ascending=False, kind="stable").index
    return frame.loc[order].head(n).reset_index(drop=True)


def error_totals(view: View) -> list[Total]:
    """FPED and FNED of the positive class by group and by term; none where errors were not computed by term."""
    label = positive_class(view)
    found = []
    for metric, name in TOTALS.items():
        mine = view.by_term[
            (view.by_term["metric"] == metric) & (view.by_term["class"] == label) & (view.by_term["left"] == "*")
        ]
        if not len(mine):
            continue
        key = next((key for key in view.keys if key[0] == metric), None)
        row = view.total(key, label) if key is not None else None
        by_group = float(row["value"]) if row is not None else math.nan
        found.append(Total(name, by_group, float(mine["value"].iloc[0])))
    return found


def missed_headline(view: View, missed: MissedTerms) -> str:
    """The caption of a table of missed terms."""
    never = f"; {missed.never_found:,} of {missed.of:,} are found in no sentence" if missed.never_found else ""
    return f"{capitalise(terms_of(view.attribute))} missed most, as {missed.type}{never}"
