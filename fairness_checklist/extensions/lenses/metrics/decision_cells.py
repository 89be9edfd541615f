"""Counts of decisions by group, gold class and decided class: all that the gaps by label are computed from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from fairness_checklist.core.arrays import FloatArray, IntArray, by_value
from fairness_checklist.core.errors import InputError, OptionError, did_you_mean, first_ten


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


def two_groups(groups: Sequence[str], left: str, right: str) -> tuple[int, int]:
    """The positions of the two groups that are compared; the first two where none is named and there are only two."""
    if not (left or right) and len(groups) == 2:
        return 0, 1
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
    return list(groups).index(left), list(groups).index(right)


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
