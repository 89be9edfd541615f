"""Changed answers with their direction: from which class to which the decision goes when another group is mentioned."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from fairness_checklist.core.arrays import FloatArray, IntArray
from fairness_checklist.core.errors import LabelError, OptionError
from fairness_checklist.core.keywords import checks_keywords
from fairness_checklist.core.outcomes import Outcomes, decision_units
from fairness_checklist.metrics.term_product import mean_by_source

if TYPE_CHECKING:
    import pandas as pd


UNMARKED = "unmarked"


@checks_keywords
def answer_changes(outcomes: Outcomes, *, gold: str = "") -> pd.DataFrame:
    """For each pair of groups, the share of sources with a decision for one class with one and another with the other.

    The expectation over all pairs of a term of each group in a source (a tagger: at the same word), and the mean over
    sources. Off the diagonal (``from`` is not ``to``) the answer changes: these shares are what ``changed_answers``
    sums and ``answer_difference`` subtracts. With ``gold`` the rows whose ``to`` is that class are ``pi_metric`` class
    by class: examples of the class that are found only when the other group is mentioned.

    Args:
        outcomes: with sources.
        gold: only examples of this gold class; all by default.

    Returns:
        Columns ``left, right, from, to, share, n``: decisions with ``left`` and with ``right``, shares in [0, 1], n
        sources. ``unmarked`` stands for the sentence without an identity. A pair that no source has is left out.

    Raises:
        LabelError: ``gold`` is none of the classes.
        OptionError: the rows have no source.
    """
    if not len(outcomes.sources):
        raise OptionError(
            "answer_changes compares variations of the same source, and the rows have no column source.",
            remedy="Add a column source.",
        )
    if gold and gold not in outcomes.classes:
        raise LabelError(f"gold={gold!r} is none of the classes {', '.join(outcomes.classes)}.")
    import pandas as pd

    share, cells = _shares(outcomes, gold)
    names = (*outcomes.groups, UNMARKED)
    control = len(outcomes.groups)
    pairs = [*((control, g) for g in range(control)), *combinations(range(control), 2)]
    rows = []
    for left, right in pairs:
        joint = share[:, left, :, None] * share[:, right, None, :]
        by_source = mean_by_source(joint, cells, len(outcomes.sources))
        there = ~np.isnan(by_source[:, 0, 0])
        if not there.any():
            continue
        mean = by_source[there].mean(axis=0)
        for i, before in enumerate(outcomes.classes):
            for j, after in enumerate(outcomes.classes):
                rows.append((names[left], names[right], before, after, float(mean[i, j]), int(there.sum())))
    return pd.DataFrame(rows, columns=["left", "right", "from", "to", "share", "n"])


def _shares(outcomes: Outcomes, gold: str) -> tuple[FloatArray, IntArray]:
    """(Q, G + 1, C) how often each group's decision is each class in a cell, NaN without rows; and the cells' sources.

    A cell is a source, of a tagger a word of a source.
    """
    predicted = decision_units(outcomes)
    source = outcomes.source[predicted.row]
    part = (source >= 0) & outcomes.symmetric[source] & (predicted.position >= 0)
    if gold:
        part &= predicted.label == outcomes.classes.index(gold)
    at = np.flatnonzero(part)
    width, n_columns = int(predicted.position[at].max(initial=0)) + 1, len(outcomes.groups) + 1
    size = len(outcomes.sources) * width
    code = (source[at] * width + predicted.position[at]) * n_columns + outcomes.group[predicted.row[at]]
    weight = outcomes.weight[predicted.row[at]]
    mass = np.bincount(code, weights=weight, minlength=size * n_columns)
    columns = [
        np.bincount(code, weights=weight * column, minlength=size * n_columns) for column in predicted.probability[at].T
    ]
    hits = np.stack(columns, axis=1)
    share = np.divide(hits, mass[:, None], out=np.full(hits.shape, np.nan), where=mass[:, None] > 0)
    return share.reshape(size, n_columns, -1), np.arange(size) // width
