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
    """A figure over all pairs or rows, and for each of K labels.

    Attributes:
        value: over everything; NaN where there is nothing.
        n: pairs or rows that entered.
        labels: the K labels, in the order of their first row; empty where none were given.
        by_label: (K,) the figure for each label.
        n_by_label: (K,) pairs or rows.
    """

    value: float
    n: int
    labels: tuple[str, ...]
    by_label: FloatArray
    n_by_label: FloatArray

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
    """The share of sources whose answer changes when the group changes.

    Several rows of a group in a source: the expectation over all pairs of a row of each. Sources that lack one of the
    two groups are left out; every other source counts 1.

    Args:
        predicted, source, group: (n,) columns.
        label: (n,) the label of each row, to split by (that of a source's first row); none by default.
        left, right: the groups; by default the two that there are.

    Raises:
        InputError: columns of different lengths.
        OptionError: more than two groups and none named.

    >>> answers_changed(["nurse", "poet", "poet", "poet"], [1, 1, 2, 2], ["F", "M", "F", "M"]).value
    0.5
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

    0.5 is no preference. The scores may be (pseudo-)log-likelihoods of two sentences, as in CrowS-Pairs and
    StereoSet, or probabilities of two answers.

    Args:
        pro, anti: (n,) scores of the stereotypical and of the anti-stereotypical option.
        label: (n,) what to split by, such as the kind of bias or the profession.

    Raises:
        InputError: columns of different lengths, or a score that is no number.

    >>> prefers_stereotype([-3.0, -2.0, -1.0], [-4.0, -1.0, -1.0]).value
    0.5
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
    """The mean score of one group less that of the other: "Pred gap", of probabilities or intensities.

    Args:
        scores: (n,) numbers.
        group: (n,) groups.
        label: (n,) what to split by; none by default.
        left, right: the groups; by default the two that there are.

    Returns:
        In units of the scores; NaN where one of the groups has no rows.

    >>> prediction_gap([0.9, 0.7, 0.5, 0.5], ["F", "F", "M", "M"]).value
    0.3
    """
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
    """The mean log ratio of a language model's probabilities of two target words, such as "she" and "he".

    With priors it is the log probability score of Kurita et al. 2019: log(p / prior) of the one less that of the
    other, where the prior is the word's probability with the profession masked as well.

    Args:
        left, right: (n,) probabilities of the two words at the masked place, above 0.
        left_prior, right_prior: (n,) their priors; both or none.
        label: (n,) what to split by, such as the profession.

    Returns:
        In nats; above 0 the model prefers ``left``.

    Raises:
        InputError: a probability that is not above 0 and at most 1, columns of different lengths, or one prior only.

    >>> round(target_word_gap([0.4], [0.1], left_prior=[0.2], right_prior=[0.2]).value, 4)
    1.3863
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
