"""The terms that a tagger misses."""

from __future__ import annotations

import numpy as np
import pandas as pd

from fairness_checklist.core.examples import UNMARKED
from fairness_checklist.core.formatting import capitalise, decimal, join_names, percent
from fairness_checklist.reports.render import Grid
from fairness_checklist.reports.run_view import View
from fairness_checklist.reports.wording import group_phrase, terms_of


def missed(view: View, n: int = 15) -> list[Grid]:
    """The n terms that a tagger finds least often, a table a type; none where no sentence has an entity at the term.

    Of terms found equally often the one with the lower mean probability of the type comes first. Terms that are always
    found are left out.
    """
    grids = []
    for label in view.gold_classes("slot") if view.tagging else ():
        rates = scores_by_term(view, "true_positive_rate", label)
        mean_p = scores_by_term(view, "mean_probability", label).drop(columns="n").rename(columns={"value": "p"})
        rates = rates.merge(mean_p, on=["term", "group"], how="left")
        ordered = rates.assign(rounded=rates["value"].round(9)).sort_values(["rounded", "p"], kind="stable")
        worst = ordered[ordered["value"] < 1]
        if not len(worst):
            continue
        shown = worst.head(n)
        last = float(shown["value"].iloc[-1])
        tied, of_shown = (int(np.isclose(part["value"], last).sum()) for part in (worst, shown))
        caption = f"{capitalise(terms_of(view.attribute))} missed most, as {label}"
        caption += f"; {of_shown:,} of the {tied:,} that are found in {percent(last)}" if tied > of_shown else ""
        header = ("term", "group", "found", "texts", f"mean p({label})")
        rows = [
            (row["term"], row["group"], percent(row["value"]), f"{row['n']:,}", decimal(row["p"]))
            for row in shown.to_dict("records")
        ]
        grids.append(Grid(header, tuple(rows), 2, caption))
    return grids


def always_missed(view: View) -> str:
    """How many of an attribute's terms a tagger misses in every text, and how many in none; "" where it misses none so.

    "46 of 160 names are missed in every text, 100 are always found; the others are missed in 12 % of their texts."
    """
    always, never, missed = _missed_terms(view)
    if not (lost := sum(map(len, always.values()))):
        return ""
    noun, found = terms_of(view.attribute), f"{never or 'none'} {'is' if never < 2 else 'are'} always found"
    others = missed[(missed > 0) & (missed < 1)]
    rest = f"; the others are missed in {percent(float(others.mean()))} of their texts" if len(others) else ""
    return f"{lost:,} of {len(missed):,} {noun} are missed in every text, {found}{rest}."


def always_missed_by_group(view: View) -> list[str]:
    """Of each group the terms that a tagger misses in every text, by name."""
    always, _, _ = _missed_terms(view)
    return [
        f"{capitalise(group_phrase(group, view.attribute))}: {len(names):,}, {join_names(names, _NAMED)}."
        for group, names in always.items()
        if names
    ]


_NAMED = 8


def _missed_terms(view: View) -> tuple[dict[str, list[str]], int, pd.Series[float]]:
    """Of each group the terms that are missed in every text; how many are missed in none; the share missed of each."""
    types = view.gold_classes("slot") if view.tagging else ()
    found = pd.concat([scores_by_term(view, "true_positive_rate", label) for label in types or ("",)])
    ends = found.groupby(["group", "term"], sort=False)["value"].agg(["min", "max", "mean"])
    lost = ends.index[ends["max"] == 0]
    always = {group: [str(term) for of, term in lost if of == group] for group in view.groups}
    return always, int((ends["min"] == 1).sum()), 1 - ends["mean"]


def scores_by_term(view: View, score: str, label: str) -> pd.DataFrame:
    """A base score by term: columns term, group, value, n."""
    rows = view.of_terms
    rows = rows[(rows["score"] == score) & (rows["class"] == label) & (rows["group"] != UNMARKED)]
    rows = rows[rows["value"].notna()][["term", "group", "value", "n"]].reset_index(drop=True)
    return rows.astype({"term": "str", "group": "str", "value": "float64", "n": "int64"})
