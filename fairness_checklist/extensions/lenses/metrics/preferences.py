"""The families without gold labels: answers changed, stereotype preferred, prediction gap, words of a language model.

Orgad and Belinkov 2022, appendix A.2. Plain functions over arrays; the suite metrics `changed_answers`, `cf_gap` and
their like give the same for runs, with intervals.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from fairness_checklist.core.arrays import FloatArray
from fairness_checklist.core.errors import InputError
from fairness_checklist.extensions.lenses.metrics.decision_cells import two_groups
from fairness_checklist.extensions.lenses.metrics.label_gaps import CountedFigure


def answers_changed(
    predicted: Sequence[object], source: Sequence[object], group: Sequence[object], *, left: str = "", right: str = ""
) -> CountedFigure:
    """The share of sources whose answer changes when the group changes, of columns (n,).

    Several rows of a group in a source: the expectation over all pairs of a row of each. Sources that lack one of the
    two groups are left out; every other source counts 1.
    """
    _same_length(predicted=predicted, source=source, group=group)
    names = [str(name) for name in group]
    sides = list(_two_names(names, left, right))
    answers: dict[str, tuple[list[str], list[str]]] = {}
    for answer, own, name in zip(predicted, source, names, strict=True):
        if name in sides:
            answers.setdefault(str(own), ([], []))[sides.index(name)].append(str(answer))
    shares = [np.mean([x != y for x in a for y in b]) for a, b in answers.values() if a and b]
    return _mean(np.array(shares, dtype=np.float64))


def prefers_stereotype(pro: ArrayLike, anti: ArrayLike) -> CountedFigure:
    """The share of pairs in which the model scores the stereotypical option higher; a tie counts one half.

    0.5 is no preference. The scores (n,) may be (pseudo-)log-likelihoods, or probabilities of two answers.
    """
    x, y = _numbers("pro", pro), _numbers("anti", anti)
    _same_length(pro=x, anti=y)
    return _mean((x > y) + (x == y) / 2)


def prediction_gap(scores: ArrayLike, group: Sequence[object], *, left: str = "", right: str = "") -> CountedFigure:
    """The mean score of one group less that of the other: "Pred gap"; NaN without rows."""
    values, names = _numbers("scores", scores), np.array([str(name) for name in group], dtype=object)
    _same_length(scores=values, group=names)
    a, b = (values[names == name] for name in _two_names(names.tolist(), left, right))
    gap = round(float(a.mean() - b.mean()), 15) if len(a) and len(b) else float("nan")
    return CountedFigure(gap, len(a) + len(b))


def target_word_gap(
    left: ArrayLike, right: ArrayLike, *, left_prior: ArrayLike | None = None, right_prior: ArrayLike | None = None
) -> CountedFigure:
    """The mean log ratio (nats) of a language model's probabilities (n,) of two target words, such as "she" and "he".

    With priors it is the log probability score of Kurita et al. 2019: log(p / prior) of the one less that of the other,
    where the prior is the word's probability with the profession masked as well.
    """
    given = {"left": left, "right": right, "left_prior": left_prior, "right_prior": right_prior}
    if (left_prior is None) != (right_prior is None):
        raise InputError("one prior is given and the other is not.", remedy="Give left_prior= and right_prior=.")
    columns = {name: _numbers(name, values) for name, values in given.items() if values is not None}
    _same_length(**columns)
    for name, column in columns.items():
        wrong = np.flatnonzero(~((column > 0) & (column <= 1)))
        if len(wrong):
            raise InputError(f"{name} of row {wrong[0] + 1} is {column[wrong[0]]}, expected a probability above 0.")
    logs = {name: np.log(column) for name, column in columns.items()}
    values = logs["left"] - logs["right"]
    if left_prior is not None:
        values = values - logs["left_prior"] + logs["right_prior"]
    return _mean(values)


def _two_names(names: Sequence[str], left: str, right: str) -> tuple[str, str]:
    groups = list(dict.fromkeys(names))
    first, second = two_groups(groups, left, right)
    return groups[first], groups[second]


def _mean(values: FloatArray) -> CountedFigure:
    return CountedFigure(float(values.mean()) if len(values) else float("nan"), len(values))


def _numbers(name: str, values: ArrayLike) -> FloatArray:
    column = np.asarray(values, dtype=np.float64).ravel()
    wrong = np.flatnonzero(~np.isfinite(column))
    if len(wrong):
        raise InputError(f"{name} of row {wrong[0] + 1} is {column[wrong[0]]}, expected a finite number.")
    return column


def _same_length(**columns: object) -> None:
    sizes = {name: len(column) for name, column in columns.items()}  # type: ignore[arg-type]
    if len(set(sizes.values())) > 1:
        raise InputError(
            f"columns of different lengths: {', '.join(f'{name} {size:,}' for name, size in sizes.items())}.",
            remedy="Give one value a row.",
        )
