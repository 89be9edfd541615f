"""The harms of a run by a column of its sentences: by register, kind, about, or one of the user's own."""

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from fairness_checklist.core.did_you_mean import did_you_mean
from fairness_checklist.core.errors import OptionError
from fairness_checklist.core.examples import UNMARKED, family_of
from fairness_checklist.reports.pairs import harm_texts
from fairness_checklist.reports.run_view import View, attribute_view, attribute_views, harms_of
from fairness_checklist.statistics.variance import student_interval, variance_of_clusters
from fairness_checklist.tables.run_folder import Results

_COLUMNS = ["attribute", "error", "value", "group", "sentences", "rate", "others", "gap", "ci_low", "ci_high"]
_OF_A_TEXT = {"source", "group", "term", "text", "predicted", "attribute", "concept", "lexeme", "pos", "variant"}


def by_column(results: Results, column: str, attribute: str | None = None) -> pd.DataFrame:
    """How often each group meets each error in the sentences of each value of a column, and the gap to the others.

    Args:
        column: "register", "kind", "about", "label", "topic", or another column in which a sentence has one value.

    Returns:
        One row an attribute (all by default), error, value and group: ``sentences``, ``rate`` (share of harmful
        decisions), ``others`` (the mean rate of the other groups in the same sentences), ``gap`` and its 95 % interval
        ``ci_low``, ``ci_high`` (Student's, over families of sentences, for these terms; NaN with fewer than two).
        Nothing is adjusted for the number of rows: the table explores, and makes no finding.

    Raises:
        OptionError: no such attribute or column.

    >>> from fairness_checklist.api.from_predictions import evaluate
    >>> frame = pd.DataFrame({"source": [1, 1, 2, 2], "group": ["a", "b"] * 2, "register": ["post"] * 4,
    ...     "label": "positive", "predicted": ["negative", "positive", "positive", "positive"]})
    >>> found = by_column(evaluate(frame, draws=0), "register")
    >>> found[["value", "group", "sentences", "rate", "gap"]].head(2).values.tolist()
    [['post', 'a', 2, 0.5, 0.5], ['post', 'b', 2, 0.0, -0.5]]
    """
    columns = [str(name) for name in results.examples.columns]
    columns = [name for name in columns if name not in _OF_A_TEXT and not name.startswith(("p:", "score:"))]
    if column not in columns:
        raise OptionError(
            f"the sentences of this run have no column {column!r}.",
            remedy=f"Columns: {', '.join(columns)}.{did_you_mean(column, columns)}",
        )
    views = attribute_views(results) if attribute is None else [attribute_view(results, attribute)]
    return pd.DataFrame([row for view in views for row in _attribute_rows(results, view, column)], columns=_COLUMNS)


def _attribute_rows(results: Results, view: View, column: str) -> Iterator[dict[str, Any]]:
    sentences = view.examples[view.examples["group"] != UNMARKED].drop_duplicates("source")
    if column not in sentences or "source" not in sentences:
        return
    values = sentences.set_index("source")[column].astype("object").fillna("").astype("str")
    family = pd.Series(families(sentences), index=sentences["source"].astype("str"))
    values.index = values.index.astype("str")
    for harm in harms_of(results, view.attribute):
        texts = harm_texts(results, view.attribute, harm.name)
        if texts is None:
            continue
        rates = texts.marked.groupby(["source", "group"])["harmed"].mean().unstack().astype("float64")
        groups = [group for group in view.groups if group in rates]
        table, of_source = rates[groups].to_numpy(np.float64), values[rates.index].to_numpy()
        defined, of_family = ~np.isnan(table), family[rates.index].factorize()[0]
        n_others = defined.sum(axis=1, keepdims=True) - defined
        for value, (column_number, group) in product(dict.fromkeys(of_source), enumerate(groups)):
            both = (of_source == value) & defined[:, column_number] & (n_others[:, column_number] > 0)
            if not both.any():
                continue
            of_group = table[both, column_number]
            others = np.nansum(np.delete(table, column_number, axis=1)[both], axis=1) / n_others[both, column_number]
            gap = float((of_group - others).mean())
            cluster = np.unique(of_family[both], return_inverse=True)[1]
            low, high, _ = student_interval(gap, [variance_of_clusters(of_group - others, cluster)])
            about = (view.attribute, harm.name, value, group, len(of_group))
            figures = (float(of_group.mean()), float(others.mean()), gap, low, high)
            yield dict(zip(_COLUMNS, (*about, *figures), strict=True))


def families(rows: pd.DataFrame) -> list[str]:
    """The family of paraphrases of each row: its original template, else its template, else its source."""
    blank = pd.Series("", index=rows.index)
    columns = [rows[name].fillna("").astype(str) if name in rows else blank for name in ("rewords", "template")]
    sources = "source " + rows["source"].astype(str)
    originals, templates = columns
    return family_of(templates.where((templates != "") | (originals != ""), sources).tolist(), originals.tolist())
