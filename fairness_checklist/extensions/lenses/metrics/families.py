"""The extrinsic families of Orgad and Belinkov 2022 (appendices A.1, A.2, B and C.1) as plain functions over arrays.

The suite metrics `changed_answers`, `cf_gap` and their like give the same for runs, with intervals.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from fairness_checklist.core.arrays import FloatArray, IntArray, by_value, divide
from fairness_checklist.core.errors import InputError, OptionError, did_you_mean, first_ten
from fairness_checklist.core.keywords import checks_keywords
from fairness_checklist.core.option_defaults import choice


@by_value
@dataclass(frozen=True, eq=False)
class DecisionCells:
    """How often each class is decided for, by group and gold class."""

    counts: FloatArray  # (G, C, C) rows, or their weight: group x gold class x decided class
    groups: tuple[str, ...]  # the G groups
    classes: tuple[str, ...]  # the C classes, in the order of the two last axes

    @property
    def n(self) -> float:
        """The sum of all counts."""
        return float(self.counts.sum())


def decision_cells(
    gold: Sequence[object] | ArrayLike,
    predicted: Sequence[object] | ArrayLike,
    group: Sequence[object] | ArrayLike,
    *,
    classes: Sequence[str] = (),
    groups: Sequence[str] = (),
) -> DecisionCells:
    """Count decisions by group, gold class and decided class, from columns (n,).

    Classes are in order, by default those that occur, sorted; groups by default in the order of their first row.

    >>> cells = decision_cells(["nurse", "poet", "nurse"], ["nurse", "nurse", "poet"], ["F", "M", "F"])
    >>> cells.groups, cells.classes, cells.counts.tolist()
    (('F', 'M'), ('nurse', 'poet'), [[[1.0, 1.0], [0.0, 0.0]], [[0.0, 0.0], [1.0, 0.0]]])
    """
    columns = {"gold": _texts(gold), "predicted": _texts(predicted), "group": _texts(group)}
    n = len(columns["gold"])
    for name, column in columns.items():
        if len(column) != n:
            raise InputError(f"{name} has {len(column):,} rows and gold has {n:,}.", remedy="Give one value a row.")
    if not n:
        raise InputError("there are no rows to compare.")
    names = tuple(classes) or tuple(sorted({*columns["gold"], *columns["predicted"]}))
    of = tuple(groups) or tuple(dict.fromkeys(columns["group"]))
    y, r = (_codes(columns[name], names, name) for name in ("gold", "predicted"))
    g = _codes(columns["group"], of, "group")
    shape = (len(of), len(names), len(names))
    code = np.ravel_multi_index((g, y, r), shape)
    counts = np.bincount(code, minlength=int(np.prod(shape))).reshape(shape).astype(np.float64)
    return DecisionCells(counts, of, names)


def two_groups(every: Iterable[str], left: str, right: str) -> tuple[str, str]:
    """The two groups that are compared; the first two where none is named and there are only two."""
    groups = list(dict.fromkeys(every))
    if not (left or right) and len(groups) == 2:
        return groups[0], groups[1]
    if not (left or right):
        raise OptionError(
            f"{'one group is' if len(groups) == 1 else f'{len(groups)} groups are'} there, expected two: "
            f"{first_ten(groups)}.",
            remedy="Name two of them: left=, right=.",
            command_remedy="Name two of them with --groups, such as --groups F,M.",
        )
    for name, value in (("left", left), ("right", right)):
        if value not in groups:
            raise OptionError(
                f"{name}={value!r} is none of the groups {', '.join(groups)}.",
                remedy=f"Name two groups: left=, right=.{did_you_mean(value, groups)}",
            )
    return left, right


def _texts(values: Sequence[object] | ArrayLike) -> list[str]:
    return [str(value) for value in np.asarray(values, dtype=object).ravel()]


def _codes(values: Sequence[str], known: Sequence[str], name: str) -> IntArray:
    place = {value: at for at, value in enumerate(known)}
    unknown = next((row for row, value in enumerate(values) if value not in place), None)
    if unknown is not None:
        raise InputError(
            f"{name} of row {unknown + 1} is {values[unknown]!r}, expected one of {', '.join(known)}.",
            remedy=did_you_mean(values[unknown], known).strip(),
        )
    return np.array([place[value] for value in values], dtype=np.int64)


Kind = Literal["independence", "separation", "sufficiency"]
Distance = Literal["kl", "wasserstein"]
KINDS: tuple[Kind, ...] = ("independence", "separation", "sufficiency")


@by_value
@dataclass(frozen=True, eq=False)
class Dependence:
    """Distances of the groups' distributions from those of all."""

    kind: Kind  # which of `KINDS`
    distance: Distance  # ``kl`` (nats) or ``wasserstein`` (steps between class numbers)
    groups: tuple[str, ...]  # the G groups
    classes: tuple[str, ...]  # the K conditions: gold or decided classes, ``*`` of independence
    value: FloatArray  # (G, K) 0 or more; NaN where the group has no rows under the condition

    @property
    def sum(self) -> float:
        """The sum over groups and conditions, as in the paper's Table 2; over those that are defined."""
        return float(np.nansum(self.value)) if not np.isnan(self.value).all() else float("nan")


@checks_keywords
def dependence(cells: DecisionCells, kind: Kind = "independence", *, distance: Distance = "kl") -> Dependence:
    """How far the groups' distributions are from those of all.

    Independence: P(R | group) from P(R). Separation: P(R | Y = y, group) from P(R | Y = y). Sufficiency: P(Y | R = r,
    group) from P(Y | R = r). The plug-in estimate of a divergence is too large in small cells: compare sets of the same
    size (`compositions`).

    ``kl`` is the paper's equation. ``wasserstein`` is the other reading of AllenNLP's ``allennlp.fairness``, which the
    authors' code takes for sufficiency: classes are numbers 0, 1, 2, ... there, so that the figure changes with the
    order of the classes.
    """
    choice("kind", kind, KINDS)
    choice("distance", distance, _DISTANCES)
    counts = cells.counts  # group, gold, decided
    classes: tuple[str, ...]
    if kind == "independence":
        own, classes = counts.sum(axis=1)[:, None, :], ("*",)
    else:
        own, classes = counts if kind == "separation" else counts.transpose(0, 2, 1), cells.classes
    everyone = own.sum(axis=0, keepdims=True)
    p, q = (divide(x, x.sum(axis=2, keepdims=True)) for x in (own, everyone))
    return Dependence(kind, distance, cells.groups, classes, _DISTANCES[distance](p, np.broadcast_to(q, p.shape)))


def _divergence(p: FloatArray, q: FloatArray) -> FloatArray:
    """KL(p || q) along the last axis; q is above 0 wherever p is."""
    there = p > 0
    quotient = np.divide(p, q, out=np.ones_like(p), where=there)
    summed = (np.where(there, p, 0.0) * np.log(quotient)).sum(axis=2)
    result: FloatArray = np.where(np.isnan(p).any(axis=2), np.nan, np.maximum(summed, 0.0))
    return result


def _steps(p: FloatArray, q: FloatArray) -> FloatArray:
    """The Wasserstein-1 distance over class numbers."""
    moved: FloatArray = np.abs(np.cumsum(p - q, axis=2)[..., :-1]).sum(axis=2)
    return moved


_DISTANCES: dict[str, Callable[[FloatArray, FloatArray], FloatArray]] = {"kl": _divergence, "wasserstein": _steps}


RATES = ("tpr", "fpr", "precision", "f1", "precision_released")
"""``precision_released`` is what the authors' code calls precision: true positives of the group over *all* rows."""


def rate_parts(counts: FloatArray, rate: str) -> tuple[FloatArray, FloatArray]:
    """Numerator and denominator (G, C) of one of `RATES` for each class by group, of (G, C, C) counts."""
    hits, golds, decisions = np.einsum("gcc->gc", counts), counts.sum(axis=2), counts.sum(axis=1)
    return {
        "tpr": (hits, golds),
        "fpr": (decisions - hits, golds.sum(axis=1, keepdims=True) - golds),
        "precision": (hits, decisions),
        "f1": (2 * hits, golds + decisions),
        "precision_released": (hits, np.full_like(hits, counts.sum())),
    }[rate]


@by_value
@dataclass(frozen=True, eq=False)
class LabelGaps:
    """The gap of one rate between two groups, for each of C labels."""

    rate: str  # its id, see `RATES`
    left: str  # left, right: the groups; a gap is left less right
    right: str
    classes: tuple[str, ...]  # the C labels
    gap: FloatArray  # (C,) in [-1, 1]; NaN where one of the groups has no rows for the rate
    n_left: FloatArray  # n_left, n_right: (C,) rows with this gold label
    n_right: FloatArray
    share: FloatArray  # (C,) the left group's share of each label, in training if it was given; else in these rows

    @property
    def n_defined(self) -> int:
        """Labels with a gap; the sums are over these."""
        return int((~np.isnan(self.gap)).sum())

    @property
    def sum_signed(self) -> float:
        """The sum of the gaps; NaN without any."""
        return float(np.nansum(self.gap)) if self.n_defined else float("nan")

    @property
    def sum_abs(self) -> float:
        """The sum of their absolute values; NaN without any."""
        return float(np.nansum(np.abs(self.gap))) if self.n_defined else float("nan")

    @property
    def mean_abs(self) -> float:
        """The mean of their absolute values; NaN without any."""
        return self.sum_abs / self.n_defined if self.n_defined else float("nan")

    @property
    def pearson(self) -> float:
        """Their correlation with `share`, in [-1, 1]: how much of the gap follows the training set."""
        return correlation(self.gap, self.share)


@checks_keywords
def label_gaps(
    cells: DecisionCells,
    rate: str = "tpr",
    *,
    left: str = "",
    right: str = "",
    shares: Mapping[str, float] | None = None,
) -> LabelGaps:
    """The gap of a rate (one of `RATES`) between two groups for each label, left less right: the paper's "Gap (Label)".

    By default of the two groups that there are, with the left group's share of each label in these rows as its share.
    """
    choice("rate", rate, RATES)
    names = two_groups(cells.groups, left, right)
    first, second = map(cells.groups.index, names)
    rates = divide(*rate_parts(cells.counts, rate))
    rows = cells.counts.sum(axis=2)
    share = divide(rows[first], rows[first] + rows[second])
    if shares is not None:
        missing = [name for name in cells.classes if name not in shares]
        if missing:
            raise OptionError(
                f"shares has no entry for {missing[0]!r}.",
                remedy="Give the left group's share of each label in the training set, from 0 to 1.",
            )
        share = np.array([shares[name] for name in cells.classes], dtype=np.float64)
    return LabelGaps(rate, *names, cells.classes, rates[first] - rates[second], rows[first], rows[second], share)


def group_gap(cells: DecisionCells, *, left: str = "", right: str = "") -> float:
    """The gap in accuracy, left less right, between two groups over all labels ("Gap (Gender)"); NaN without rows."""
    first, second = map(cells.groups.index, two_groups(cells.groups, left, right))
    right_answers = divide(np.einsum("gcc->g", cells.counts), cells.counts.sum(axis=(1, 2)))
    return float(right_answers[first] - right_answers[second])


class CountedFigure(NamedTuple):
    """A figure, NaN where there is nothing, and the rows or pairs that it rests on."""

    value: float
    n: int


def stereotype_gap(correct: ArrayLike, stereotype: Sequence[str] | ArrayLike) -> CountedFigure:
    """The gap in accuracy between the rows (n,) that are ``pro`` and ``anti``; neutral rows ("") are left out."""
    right = np.asarray(correct, dtype=bool)
    side = np.array([str(value) for value in np.asarray(stereotype, dtype=object).ravel()], dtype=object)
    if right.shape != side.shape:
        raise InputError(f"{right.size:,} answers and {side.size:,} stereotype sides, expected one a row.")
    wrong = [row for row, value in enumerate(side) if value not in ("pro", "anti", "")]
    if wrong:
        raise InputError(f"the stereotype of row {wrong[0] + 1} is {side[wrong[0]]!r}, expected pro, anti or nothing.")
    pro, anti = right[side == "pro"], right[side == "anti"]
    gap = float(pro.mean()) - float(anti.mean()) if pro.size and anti.size else float("nan")
    return CountedFigure(gap, len(pro) + len(anti))


def correlation(values: FloatArray, other: FloatArray) -> float:
    """Pearson's r over the places where both are defined; NaN with fewer than three or without variation."""
    there = ~(np.isnan(values) | np.isnan(other))
    if there.sum() < 3:
        return float("nan")
    x, y = values[there] - values[there].mean(), other[there] - other[there].mean()
    size = float(np.sqrt((x**2).sum() * (y**2).sum()))
    return float(np.clip((x * y).sum() / size, -1, 1)) if size > 0 else float("nan")


def answers_changed(
    predicted: Sequence[object], source: Sequence[object], group: Sequence[object], *, left: str = "", right: str = ""
) -> CountedFigure:
    """The share of sources whose answer changes when the group changes, of columns (n,).

    Several rows of a group in a source: the expectation over all pairs of a row of each. Sources that lack one of the
    two groups are left out; every other source counts 1.
    """
    _same_length(predicted=predicted, source=source, group=group)
    names = [str(name) for name in group]
    sides = two_groups(names, left, right)
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
    a, b = (values[names == name] for name in two_groups(names.tolist(), left, right))
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
