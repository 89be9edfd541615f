"""The families without gold labels: answers changed, stereotype preferred, prediction gap, words of a language model.

Orgad and Belinkov 2022, appendix A.2. Plain functions over arrays; the suite metrics `changed_answers`, `cf_gap` and
their like give the same for runs, with intervals.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from fairness_checklist.core.arrays import BoolArray, FloatArray, by_value
from fairness_checklist.core.errors import InputError
from fairness_checklist.extensions.lenses.metrics.decision_cells import two_groups
from fairness_checklist.extensions.lenses.metrics.label_gaps import correlation

__all__ = ["ByLabel", "answers_changed", "prediction_gap", "prefers_stereotype", "target_word_gap"]


@by_value
@dataclass(frozen=True, eq=False)
class ByLabel:
    """A figure over all pairs or rows, and for each of K labels."""

    value: float  # over everything; NaN where there is nothing
    n: int  # pairs or rows that entered
    labels: tuple[str, ...]  # the K labels, in the order of their first row; empty where none were given
    by_label: FloatArray  # (K,) the figure for each label
    n_by_label: FloatArray  # (K,) pairs or rows

    def pearson(self, shares: Mapping[str, float]) -> float:
        """The correlation over labels with a group's share of each in training; labels without a share are left out."""
        share = np.array([shares.get(label, float("nan")) for label in self.labels], dtype=np.float64)
        return correlation(self.by_label, share)


def answers_changed(
    predicted: Sequence[object],
    source: Sequence[object],
    group: Sequence[object],
    *,
    label: Sequence[object] | None = None,
    left: str = "",
    right: str = "",
) -> ByLabel:
    """The share of sources whose answer changes when the group changes, of columns (n,).

    Several rows of a group in a source: the expectation over all pairs of a row of each. Sources that lack one of the
    two groups are left out; every other source counts 1, for the label of its first row.
    """
    _same_length(predicted=predicted, source=source, group=group)
    names = [str(one) for one in group]
    groups = list(dict.fromkeys(names))
    one, other = (groups[at] for at in two_groups(groups, left, right))
    rows: dict[str, list[int]] = {}
    for row, name in enumerate(source):
        rows.setdefault(str(name), []).append(row)
    values, labels = [], []
    for own in rows.values():
        a, b = ([str(predicted[row]) for row in own if names[row] == name] for name in (one, other))
        if a and b:
            values.append(sum(x != y for x in a for y in b) / (len(a) * len(b)))
            labels.append("" if label is None else str(label[own[0]]))
    return _by_label(np.array(values, dtype=np.float64), None if label is None else labels)


def prefers_stereotype(pro: ArrayLike, anti: ArrayLike, *, label: Sequence[object] | None = None) -> ByLabel:
    """The share of pairs in which the model scores the stereotypical option higher; a tie counts one half.

    0.5 is no preference. The scores (n,) may be (pseudo-)log-likelihoods, or probabilities of two answers.
    """
    x, y = _numbers("pro", pro), _numbers("anti", anti)
    _same_length(pro=x, anti=y, **({} if label is None else {"label": label}))
    return _by_label((x > y) + (x == y) / 2, label)


def prediction_gap(
    scores: ArrayLike,
    group: Sequence[object],
    *,
    label: Sequence[object] | None = None,
    left: str = "",
    right: str = "",
) -> ByLabel:
    """The mean score of one group less that of the other: "Pred gap"; NaN without rows."""
    values, names = _numbers("scores", scores), np.array([str(one) for one in group], dtype=object)
    _same_length(scores=values, group=names, **({} if label is None else {"label": label}))
    groups = list(dict.fromkeys(names.tolist()))
    one, other = (groups[at] for at in two_groups(groups, left, right))

    def gap(rows: BoolArray) -> tuple[float, int]:
        part, of = values[rows], names[rows]
        a, b = part[of == one], part[of == other]
        return (round(float(a.mean() - b.mean()), 15) if len(a) and len(b) else float("nan")), len(a) + len(b)

    every, n = gap(np.ones(len(values), dtype=np.bool_))
    own = [] if label is None else [str(name) for name in label]
    known = tuple(dict.fromkeys(own))
    parts = [gap(np.array([name == wanted for name in own], dtype=np.bool_)) for wanted in known]
    return ByLabel(every, n, known, *(np.array([part[k] for part in parts], dtype=np.float64) for k in (0, 1)))


def target_word_gap(
    left: ArrayLike,
    right: ArrayLike,
    *,
    left_prior: ArrayLike | None = None,
    right_prior: ArrayLike | None = None,
    label: Sequence[object] | None = None,
) -> ByLabel:
    """The mean log ratio (nats) of a language model's probabilities (n,) of two target words, such as "she" and "he".

    With priors it is the log probability score of Kurita et al. 2019: log(p / prior) of the one less that of the other,
    where the prior is the word's probability with the profession masked as well.
    """
    given = {"left": left, "right": right, "left_prior": left_prior, "right_prior": right_prior}
    if (left_prior is None) != (right_prior is None):
        raise InputError("one prior is given and the other is not.", remedy="Give left_prior= and right_prior=.")
    columns = {name: _numbers(name, values) for name, values in given.items() if values is not None}
    _same_length(**columns, **({} if label is None else {"label": label}))
    for name, column in columns.items():
        wrong = np.flatnonzero(~((column > 0) & (column <= 1)))
        if len(wrong):
            raise InputError(f"{name} of row {wrong[0] + 1} is {column[wrong[0]]}, expected a probability above 0.")
    logs = {name: np.log(column) for name, column in columns.items()}
    values = logs["left"] - logs["right"]
    if left_prior is not None:
        values = values - logs["left_prior"] + logs["right_prior"]
    return _by_label(values, label)


def _by_label(values: FloatArray, label: Sequence[object] | None) -> ByLabel:
    """Means of pairs or rows, of all and by label."""
    mean = float(values.mean()) if len(values) else float("nan")
    own = [] if label is None else [str(name) for name in label]
    known = tuple(dict.fromkeys(own))
    parts = [values[np.array([name == wanted for name in own], dtype=bool)] for wanted in known]
    by_label = np.array([part.mean() for part in parts], dtype=np.float64)
    return ByLabel(mean, len(values), known, by_label, np.array([len(part) for part in parts], dtype=np.float64))


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
