"""The effect of a small letter, in pairs of terms that differ in capitals only."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from fairness_checklist.core.arrays import FloatArray
from fairness_checklist.core.examples import UNMARKED, family_of
from fairness_checklist.reports.run_view import View, attribute_view, attribute_views, is_tagging
from fairness_checklist.statistics.variance import student_interval as student
from fairness_checklist.statistics.variance import variance_of_clusters
from fairness_checklist.tables.run_folder import Results

CAPITALS_COLUMNS = ("attribute", "group", "capital", "small", "class", "change", "ci_low", "ci_high", "decisions", "n")


def capitals(results: Results, attribute: str | None = None) -> pd.DataFrame:
    """The model's predictions with a small letter compared with those with a capital.

    A pair is two terms of one group that differ in capitals only (Deaf and deaf). Sources count in which both stand
    and read differently: where the term begins the sentence both may have a capital, and nothing can be told.

    Args:
        results: a run.
        attribute: of which attribute; all by default.

    Returns:
        The columns `CAPITALS_COLUMNS`, a row for each pair and class. ``change`` is the mean probability of the class
        with the small letter less that with the capital, ``ci_low`` and ``ci_high`` its 95 % interval (Student's, over
        the
        families of paraphrases; NaN with fewer than two). ``decisions`` counts the sources in which the two decisions
        differ, ``n`` the sources. Without probabilities ``class`` is "*" and the change NaN. No rows for taggers.

    Raises:
        OptionError: no such attribute.

    >>> from fairness_checklist.api.from_predictions import evaluate
    >>> frame = pd.DataFrame({"source": [1, 1, 1], "group": ["a", "a", "b"], "term": ["Deaf", "deaf", "hearing"],
    ...                       "label": "yes", "p:no": [0.2, 0.7, 0.2], "p:yes": [0.8, 0.3, 0.8]})
    >>> found = capitals(evaluate(frame, draws=0))
    >>> found[["capital", "small", "class", "change", "decisions", "n"]].round(3).values.tolist()
    [['Deaf', 'deaf', 'no', 0.5, 1, 1], ['Deaf', 'deaf', 'yes', -0.5, 1, 1]]
    """
    shown = attribute_views(results) if attribute is None else [attribute_view(results, attribute)]
    rows = [] if is_tagging(results) else [row for view in shown for row in _attribute_rows(view)]
    return pd.DataFrame(rows, columns=list(CAPITALS_COLUMNS)).astype(
        {**dict.fromkeys(("change", "ci_low", "ci_high"), "float64"), "decisions": "int64", "n": "int64"}
    )


def _attribute_rows(view: View) -> Iterator[dict[str, Any]]:
    rows = view.examples
    if not {"source", "term"} <= set(rows.columns):
        return
    rows = rows[rows["group"] != UNMARKED].reset_index(drop=True)
    pairs = _spelled_twice(rows)
    if not pairs:
        return
    columns = [f"p:{label}" for label in view.classes if f"p:{label}" in rows.columns]
    rows = rows.assign(family=families(rows), again=rows.groupby(["source", "group", "term"]).cumcount())
    texts_known = "text" in rows.columns and rows["text"].nunique() > 1  # else all are empty, or hashes of nothing
    for group, capital, small in pairs:
        mine = rows[rows["group"] == group]
        both = mine[mine["term"] == small].merge(mine[mine["term"] == capital], on=["source", "again"])
        if texts_known:
            both = both[both["text_x"] != both["text_y"]]
        if not len(both):
            continue
        fixed = {"attribute": view.attribute, "group": group, "capital": capital, "small": small}
        counted = {"decisions": int((both["predicted_x"] != both["predicted_y"]).sum()), "n": len(both)}
        for name in columns:
            change = (both[f"{name}_x"] - both[f"{name}_y"]).to_numpy(dtype=np.float64)
            yield {**fixed, "class": name[2:], **mean_change(change, both["family_x"]), **counted}
        if not columns:
            yield {**fixed, "class": "*", "change": math.nan, "ci_low": math.nan, "ci_high": math.nan, **counted}


def mean_change(change: FloatArray, family: ArrayLike) -> dict[str, float]:
    """The mean of changes (n,) and its 95 % interval, Student's over their families."""
    cluster = np.unique(np.asarray(family, dtype=str), return_inverse=True)[1]
    value = float(change.mean())
    low, high, _ = student(value, [variance_of_clusters(change, cluster)])
    return {"change": value, "ci_low": low, "ci_high": high}


def families(rows: pd.DataFrame) -> list[str]:
    """The family of paraphrases of each row: its original template, else its template, else its source."""
    blank = pd.Series("", index=rows.index)
    columns = [rows[name].fillna("").astype(str) if name in rows else blank for name in ("paraphrase_of", "template")]
    sources = "source " + rows["source"].astype(str)
    originals, templates = columns
    return family_of(templates.where((templates != "") | (originals != ""), sources).tolist(), originals.tolist())


def _spelled_twice(rows: pd.DataFrame) -> list[tuple[str, str, str]]:
    """The group and both spellings of each pair, the one with more capitals first."""
    known: dict[tuple[str, str], list[str]] = {}
    for group, term in rows[["group", "term"]].drop_duplicates().itertuples(index=False):
        if isinstance(term, str) and term:
            known.setdefault((str(group), term.lower()), []).append(term)
    pairs = []
    for (group, _), spellings in known.items():
        spellings.sort(key=lambda term: (-sum(letter.isupper() for letter in term), term))
        pairs += [(group, capital, small) for capital, small in combinations(spellings, 2)]
    return pairs
