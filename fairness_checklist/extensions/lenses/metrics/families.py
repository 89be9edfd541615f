"""The extrinsic families of Orgad and Belinkov 2022 (appendices A.1, A.2, B and C.1) as plain functions over arrays."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from fairness_checklist.core.arrays import FloatArray, divide
from fairness_checklist.core.errors import InputError, OptionError, first_ten
from fairness_checklist.core.option_defaults import choice
from fairness_checklist.metrics.comparisons import divergence_from_background


@dataclass(frozen=True, eq=False)
class DecisionCells:
    """How often each class is decided for, by group and gold class."""

    counts: FloatArray  # (G, C, C) rows, or their weight: group x gold class x decided class
    groups: tuple[str, ...]  # the G groups
    classes: tuple[str, ...]  # the C classes, in the order of the two last axes


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
    columns = {
        name: [str(value) for value in np.asarray(values, dtype=object).ravel()]
        for name, values in (("gold", gold), ("predicted", predicted), ("group", group))
    }
    if len(set(map(len, columns.values()))) > 1:
        sizes = ", ".join(f"{name} {len(column):,}" for name, column in columns.items())
        raise InputError(f"columns of different lengths: {sizes}.", remedy="Give one value a row.")
    if not columns["gold"]:
        raise InputError("there are no rows to compare.")
    class_names = tuple(classes) or tuple(sorted({*columns["gold"], *columns["predicted"]}))
    group_names = tuple(groups) or tuple(dict.fromkeys(columns["group"]))
    shape = (len(group_names), len(class_names), len(class_names))
    positions = [
        [names.index(value) for value in columns[name]]
        for name, names in (("group", group_names), ("gold", class_names), ("predicted", class_names))
    ]
    code = np.ravel_multi_index(tuple(positions), shape)
    counts = np.bincount(code, minlength=int(np.prod(shape))).reshape(shape).astype(np.float64)
    return DecisionCells(counts, group_names, class_names)


def two_groups(names: Iterable[str], left: str, right: str) -> tuple[str, str]:
    """The two groups that are compared; the first two where none is named and there are only two."""
    groups = list(dict.fromkeys(names))
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
        choice(name, value, groups)
    return left, right


Kind = Literal["independence", "separation", "sufficiency"]
KINDS: tuple[Kind, ...] = ("independence", "separation", "sufficiency")


def total(distances: FloatArray) -> float:
    """The sum over groups and conditions, as in the paper's Table 2; over those that are defined."""
    return float(np.nansum(distances)) if not np.isnan(distances).all() else float("nan")


def dependence(cells: DecisionCells, kind: Kind = "independence") -> FloatArray:
    """How far the groups' distributions are from those of all: (G, K) for each condition, 0 or more.

    Independence: P(R | group) from P(R). Separation: P(R | Y = y, group) from P(R | Y = y). Sufficiency: P(Y | R = r,
    group) from P(Y | R = r). The distance is the divergence of Kullback and Leibler in nats, whose plug-in estimate is
    too large in small cells: compare sets of the same size. NaN where a group has no rows under a condition.
    """
    p, q = (np.moveaxis(shares, 2, 0) for shares in conditional_shares(cells, kind))
    return np.where(np.isnan(p).any(axis=0), np.nan, divergence_from_background(np.arange(len(p)), q, p))


def conditional_shares(cells: DecisionCells, kind: Kind) -> tuple[FloatArray, FloatArray]:
    """The distributions (G, K, C) of each group and of all under each condition, as `dependence` compares them."""
    choice("kind", kind, KINDS)
    counts = cells.counts  # group, gold, decided
    if kind == "independence":
        by_condition = counts.sum(axis=1)[:, None, :]
    else:
        by_condition = counts if kind == "separation" else counts.transpose(0, 2, 1)
    everyone = by_condition.sum(axis=0, keepdims=True)
    p, q = (divide(mass, mass.sum(axis=2, keepdims=True)) for mass in (by_condition, everyone))
    return p, np.broadcast_to(q, p.shape)


RATES = ("tpr", "fpr", "precision")


def rate_parts(counts: FloatArray, rate: str) -> tuple[FloatArray, FloatArray]:
    """Numerator and denominator (G, C) of one of `RATES` for each class by group, of (G, C, C) counts."""
    hits, golds, decisions = np.einsum("gcc->gc", counts), counts.sum(axis=2), counts.sum(axis=1)
    if rate == "tpr":
        return hits, golds
    if rate == "fpr":
        return decisions - hits, golds.sum(axis=1, keepdims=True) - golds
    return hits, decisions


@dataclass(frozen=True, eq=False)
class LabelGaps:
    """The gap of one rate between two groups, for each of C labels."""

    rate: str  # its id, see `RATES`
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
        return total(self.gap)

    @property
    def sum_abs(self) -> float:
        """The sum of their absolute values; NaN without any."""
        return total(np.abs(self.gap))

    @property
    def mean_abs(self) -> float:
        """The mean of their absolute values; NaN without any."""
        return self.sum_abs / max(1, self.n_defined)

    @property
    def pearson(self) -> float:
        """Their correlation with `share`, in [-1, 1]: how much of the gap follows the training set."""
        return correlation(self.gap, self.share)


def correlation(values: FloatArray, other: FloatArray) -> float:
    """Pearson's r over the places where both are defined; NaN with fewer than three or without variation."""
    defined = ~(np.isnan(values) | np.isnan(other))
    if defined.sum() < 3:
        return float("nan")
    x, y = (column[defined] - column[defined].mean() for column in (values, other))
    size = float(np.sqrt((x**2).sum() * (y**2).sum()))
    return float(np.clip((x * y).sum() / size, -1, 1)) if size > 0 else float("nan")


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
    first, second = map(cells.groups.index, two_groups(cells.groups, left, right))
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
    return LabelGaps(rate, rates[first] - rates[second], rows[first], rows[second], share)


def group_gap(cells: DecisionCells, *, left: str = "", right: str = "") -> float:
    """The gap in accuracy, left less right, between two groups over all labels ("Gap (Gender)"); NaN without rows."""
    first, second = map(cells.groups.index, two_groups(cells.groups, left, right))
    accuracy = divide(np.einsum("gcc->g", cells.counts), cells.counts.sum(axis=(1, 2)))
    return float(accuracy[first] - accuracy[second])
