"""Weighted accuracies of models whose right answers are columns of a data set."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from math import comb
from typing import Any, Literal

import numpy as np
import pandas as pd

from fairness_checklist.core.errors import TableError, UndefinedError, count, first_ten
from fairness_checklist.extensions.balance.weighted_accuracy import (
    TEST_DRAWS,
    randomization_test,
    weighted_bias,
    weighted_biases,
)
from fairness_checklist.extensions.balance.weighting import Balance, balance
from fairness_checklist.statistics.multiplicity import draws_to_decide


def _answers(frame: pd.DataFrame, name: str, group: pd.Series) -> pd.Series:
    if name not in frame.columns:
        raise TableError(f"there is no column {name}.", remedy=f"Columns: {first_ten(frame.columns)}.")
    words = {"true": "1", "false": "0", "yes": "1", "no": "0"}
    given = frame[name].astype(str).str.strip()
    column = pd.to_numeric(given.str.lower().replace(words), errors="coerce").astype(float)
    wrong = given[~column.between(0, 1) & frame[name].notna()]
    if len(wrong):
        raise TableError(
            f"the column {name} holds {wrong.iloc[0]!r}; expected 1 (the answer is right), 0 (wrong), or a "
            "number between.",
            remedy="Compare the answers with the labels first, or give the columns label and predicted.",
            command_remedy="Compare the answers with the labels first, or use --evaluate with the columns label and "
            "predicted.",
        )
    empty = column.isna() & group.notna()
    if empty.any():
        raise TableError(
            f"the column {name} is empty in {count(int(empty.sum()), 'row')} with a group.",
            remedy="Fill in 0 where a model gives no answer, or leave the rows out.",
        )
    return column


def bias_rows(
    frame: pd.DataFrame,
    group: pd.Series,
    table: pd.DataFrame,
    weights: Sequence[Balance],
    columns: Sequence[str],
    *,
    intervals: Literal["again", "given"],
    draws: int,
    seed: int,
) -> pd.DataFrame:
    """acc-Bias and W-Bias of each column of right answers and each two groups, and the ratio with each property alone.

    Of n rows of a data set, the group of each, its properties as categories, and the weights of each comparison.
    """
    rows: list[dict[str, Any]] = []
    answers = [_answers(frame, name, group) for name in columns]
    if not answers:
        return pd.DataFrame()

    for own in weights:
        for left, right in combinations(range(len(own.groups)), 2):
            pair = _of_pair(own, left, right)
            every = weighted_biases(answers, pair, interval=intervals, draws=draws, seed=seed)
            several = own.properties if len(own.properties) > 1 else ()
            single = {one: _alone(group, table, one, own, left, right) for one in several}
            for name, y, found in zip(columns, answers, every, strict=True):
                alone = {f"ratio:{one}": weighted_bias(y, how, draws=0).ratio for one, how in single.items()}
                rows.append(
                    {
                        "answers": name,
                        "left": found.groups[0],
                        "right": found.groups[1],
                        "accuracy_left": found.accuracy[0],
                        "accuracy_right": found.accuracy[1],
                        "plain_ratio": found.plain_ratio,
                        "ratio": found.ratio,
                        "ci_low": found.ratio_interval[0],
                        "ci_high": found.ratio_interval[1],
                        "intervals": found.method,
                        "n": found.n,
                        **alone,
                    }
                )
    place = {name: at for at, name in enumerate(columns)}
    rows.sort(key=lambda row: place[row["answers"]])
    return pd.DataFrame(rows)


def _alone(group: pd.Series, table: pd.DataFrame, name: str, own: Balance, left: int, right: int) -> Balance:
    """The weights that balance one property only, of the same rows."""
    inside = pd.Series(own.cell >= 0, index=group.index)
    return balance(group.where(inside), table[[name]], between=[own.groups[left], own.groups[right]])


def _of_pair(own: Balance, left: int, right: int) -> Balance:
    """Joint weights with two groups in front; the same object where they are already."""
    if (left, right) == (0, 1):
        return own
    order = [left, right, *(g for g in range(len(own.groups)) if g not in (left, right))]
    place = np.argsort(order)
    cells = replace(own.cells, group=place[own.cells.group])
    return replace(own, groups=tuple(own.groups[g] for g in order), cells=cells)


def test_rows(
    frame: pd.DataFrame, group: pd.Series, weights: Sequence[Balance], columns: Sequence[str], *, seed: int
) -> pd.DataFrame:
    """The randomization test of each two columns of right answers; without those whose ratio is undefined."""
    rows = []
    tests = sum(comb(len(own.groups), 2) for own in weights) * comb(len(columns), 2)
    draws = draws_to_decide(tests, TEST_DRAWS)
    for first, second in combinations(columns, 2):
        for own in weights:
            for left, right in combinations(range(len(own.groups)), 2):
                pair = _of_pair(own, left, right)
                try:
                    one, other = (_answers(frame, name, group) for name in (first, second))
                    found = randomization_test(one, other, pair, draws=draws, seed=seed)
                except UndefinedError:
                    continue
                sides = {"left": pair.groups[0], "right": pair.groups[1]}
                rows.append({"answers": first, "other_answers": second, **sides, **vars(found)})
    return pd.DataFrame(rows)
