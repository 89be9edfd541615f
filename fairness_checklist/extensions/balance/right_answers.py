"""Weighted accuracies of models whose right answers are columns of a data set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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


def read_answers(frame: pd.DataFrame, name: str, group: pd.Series) -> pd.Series:
    """(n,) how right each answer of a column is, from 0 to 1."""
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
    answers: Mapping[str, pd.Series],
    group: pd.Series,
    table: pd.DataFrame,
    weights: Sequence[Balance],
    *,
    intervals: Literal["again", "given"],
    draws: int,
    seed: int,
) -> pd.DataFrame:
    """acc-Bias and W-Bias of each model's right answers and each two groups, and the ratio with each property alone.

    Answers (n,) by model, the group of each row, its properties as categories, and the weights of each comparison.
    """
    rows: dict[str, list[dict[str, Any]]] = {name: [] for name in answers}
    for own, left, right in _pairs(weights) if answers else ():
        pair = _in_front(own, left, right)
        biases = weighted_biases(list(answers.values()), pair, interval=intervals, draws=draws, seed=seed)
        several = own.properties if len(own.properties) > 1 else ()
        inside = group.where(pd.Series(own.cell >= 0, index=group.index))
        between = [own.groups[left], own.groups[right]]
        single = {name: balance(inside, table[[name]], between=between) for name in several}
        for (name, right_answers), bias in zip(answers.items(), biases, strict=True):
            rows[name].append(
                {
                    "answers": name,
                    "left": bias.groups[0],
                    "right": bias.groups[1],
                    "accuracy_left": bias.accuracy[0],
                    "accuracy_right": bias.accuracy[1],
                    "plain_ratio": bias.plain_ratio,
                    "ratio": bias.ratio,
                    "ci_low": bias.ratio_interval[0],
                    "ci_high": bias.ratio_interval[1],
                    "intervals": bias.method,
                    "n": bias.n,
                    **{f"ratio:{label}": weighted_bias(right_answers, w, draws=0).ratio for label, w in single.items()},
                }
            )
    return pd.DataFrame([row for own_rows in rows.values() for row in own_rows])


def _pairs(weights: Sequence[Balance]) -> list[tuple[Balance, int, int]]:
    """Each two groups of each comparison, by their positions."""
    return [(own, left, right) for own in weights for left, right in combinations(range(len(own.groups)), 2)]


def _in_front(own: Balance, left: int, right: int) -> Balance:
    """Joint weights with two groups in front; the same object where they are already."""
    if (left, right) == (0, 1):
        return own
    order = [left, right, *(g for g in range(len(own.groups)) if g not in (left, right))]
    place = np.argsort(order)
    cells = replace(own.cells, group=place[own.cells.group])
    return replace(own, groups=tuple(own.groups[g] for g in order), cells=cells)


def randomization_rows(answers: Mapping[str, pd.Series], weights: Sequence[Balance], *, seed: int) -> pd.DataFrame:
    """The randomization test of each two models' right answers; without those whose ratio is undefined."""
    rows = []
    pairs = _pairs(weights)
    draws = draws_to_decide(len(pairs) * comb(len(answers), 2), TEST_DRAWS)
    for first, second in combinations(answers, 2):
        for own, left, right in pairs:
            pair = _in_front(own, left, right)
            try:
                test = randomization_test(answers[first], answers[second], pair, draws=draws, seed=seed)
            except UndefinedError:
                continue
            sides = {"left": pair.groups[0], "right": pair.groups[1]}
            rows.append({"answers": first, "other_answers": second, **sides, **vars(test)})
    return pd.DataFrame(rows)
