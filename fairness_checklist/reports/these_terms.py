"""Tests of these very terms: whether the groups' means differ inside the sources, the terms taken as they are."""

from __future__ import annotations

import pandas as pd

from fairness_checklist.analysis.run_view import View
from fairness_checklist.analysis.these_terms import paired_tests
from fairness_checklist.errors import OptionError
from fairness_checklist.formatting import p_words
from fairness_checklist.reports.grids import Grid
from fairness_checklist.results import Results

__all__ = ["paired_tests_grid"]


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
        cells = ["" if pd.isna(ps.get(name)) else p_words(ps[name]) for name in _TESTS]
        rows.append(("all" if left == "*" else f"{left} and {right}", *cells, f"{int(part['n'].iloc[0]):,}"))
    label = str(found["class"].iloc[0])
    sentences = f"These very terms: p of the groups' mean probabilities of {label} inside the sources"
    return [Grid(("groups", *_TESTS, "n"), tuple(rows), 1, sentences, tight=True)]


_TESTS = ("Friedman", "Wilcoxon", "paired t", "sign flips")
