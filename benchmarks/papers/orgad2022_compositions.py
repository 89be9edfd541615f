"""Test sets of another composition: balanced by sub- and oversampling, and how much a metric depends on it.

Orgad and Belinkov 2022, section 4.1: the same metric of the same model differs between a test set as it is and one with
as many examples of each group for every label. A balanced set is one random draw, so draws are repeated and their
spread is shown; and it has another size, which alone changes a divergence, so the comparison is with draws of the same
size and the old composition.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from fairness_checklist.core.arrays import FloatArray, IntArray
from fairness_checklist.core.errors import InputError, OptionError
from fairness_checklist.core.keywords import checks_keywords
from fairness_checklist.core.option_defaults import choice
from fairness_checklist.core.progress import followed
from fairness_checklist.extensions.lenses.measured import unit_numbers
from fairness_checklist.extensions.lenses.metrics.families import DecisionCells, decision_cells

How = Literal["subsample", "oversample"]
WAYS = ("subsample", "oversample")
_NAN = float("nan")


@dataclass(frozen=True, eq=False)
class Composition:
    """The rows of a balanced test set."""

    rows: IntArray  # positions in the table, repeated where rows are repeated; ordered by label, then group
    left_out: tuple[str, ...]  # labels that one of the groups lacks; no row of these is in the set


@checks_keywords
def balanced_rows(
    labels: Sequence[object], groups: Sequence[object], *, how: How = "subsample", seed: int = 0
) -> Composition:
    """Draw a test set with as many rows of each group for every label, of columns (n,).

    ``subsample`` draws as many rows of each group as the smallest has, without repetition. ``oversample`` keeps all
    rows of the largest group and of every other, and fills up with rows drawn with repetition.

    Raises:
        OptionError: another ``how``.
        InputError: columns of different lengths, or no label that every group has.

    >>> balanced_rows(["a", "a", "a", "b"], ["F", "M", "M", "F"], how="oversample").rows.tolist()
    [0, 0, 1, 2]
    >>> balanced_rows(["a", "a", "a", "b"], ["F", "M", "M", "F"]).left_out
    ('b',)
    """
    choice("how", how, WAYS)
    cells, left_out = _rows_of_cells(labels, groups)
    return Composition(_draw(cells, how, np.random.default_rng(seed)), left_out)


@dataclass(frozen=True)
class CompositionTest:
    """A metric on a test set as it is and on balanced draws, against draws of the same size as it is."""

    value: float  # on all rows as they are
    balanced: float = _NAN  # mean over the balanced draws
    low: float = _NAN  # low, high: the 2.5 and 97.5 % quantiles of the balanced draws
    high: float = _NAN
    same_size: float = _NAN  # mean over draws with the same rows per label and without regard to the group
    p_value: float = _NAN  # two-sided, of one balanced draw among those, averaged over the balanced draws


@checks_keywords
def composition_tests(
    gold: Sequence[object],
    predicted: Sequence[object],
    group: Sequence[object],
    metrics: Callable[[DecisionCells], FloatArray],
    *,
    how: How = "subsample",
    draws: int = 200,
    seed: int = 0,
) -> tuple[CompositionTest, ...]:
    """Whether each of m metrics of the cells differs between a balanced test set and one of the same size as it was.

    A permutation test within labels: which rows of a label are drawn is permuted without regard to the group; the
    balanced draw is one such draw if the composition does not matter. Draw i is the i-th child of the seed.
    `benchmarks/compositions.py` has the error rates.

    Raises:
        OptionError, InputError: as in `balanced_rows`; fewer than 20 draws.
    """
    choice("how", how, WAYS)
    if draws < 20:
        raise OptionError(f"draws={draws} is too few.", remedy="Take 20 or more.")
    whole = decision_cells(gold, predicted, group)
    cells, _ = _rows_of_cells(gold, group)
    columns = ((whole.groups, group), (whole.classes, gold), (whole.classes, predicted))
    positions = tuple(unit_numbers([str(value) for value in column], names) for names, column in columns)
    code = np.ravel_multi_index(positions, whole.counts.shape)

    def values(rows: IntArray) -> FloatArray:
        counts = np.bincount(code[rows], minlength=whole.counts.size).reshape(whole.counts.shape)
        return metrics(DecisionCells(counts.astype(np.float64), whole.groups, whole.classes))

    # the same generators draw the balanced sets and go on to draw the others
    children = [np.random.default_rng(child) for child in np.random.SeedSequence(seed).spawn(draws)]
    balanced = np.array([values(_draw(cells, how, rng)) for rng in followed(children, "balanced sets", "draws")])
    # without regard to the group: all rows of a label are one pool, from which as many are drawn
    random_sets = followed(children, "random sets", "draws")
    same_size = np.array([values(_draw(cells, how, rng, regardless=True)) for rng in random_sets])
    tested = zip(metrics(whole).tolist(), balanced.T, same_size.T, strict=True)
    return tuple(_tested(value, *drawn) for value, *drawn in tested)


def _tested(value: float, balanced: FloatArray, reference: FloatArray) -> CompositionTest:
    balanced, reference = balanced[~np.isnan(balanced)], reference[~np.isnan(reference)]
    if not (len(balanced) and len(reference)):
        return CompositionTest(value)
    low, high = np.quantile(balanced, [0.025, 0.975]).tolist()
    centre = float(np.median(reference))
    far = np.sort(np.abs(reference - centre))
    at_least = len(far) - np.searchsorted(far, np.abs(balanced - centre) * (1 - 1e-12), side="left")
    p = float(np.mean((1 + at_least) / (1 + len(far))))
    means = {"balanced": float(balanced.mean()), "same_size": float(reference.mean())}
    return CompositionTest(value, low=low, high=high, p_value=p, **means)


def _rows_of_cells(labels: Sequence[object], groups: Sequence[object]) -> tuple[list[list[IntArray]], tuple[str, ...]]:
    """The rows of each label by group, of labels that every group has; and the other labels."""
    if len(labels) != len(groups):
        raise InputError(f"{len(labels):,} labels and {len(groups):,} groups, expected one of each a row.")
    y, g = (np.array([str(value) for value in column], dtype=object) for column in (labels, groups))
    cells = {label: [np.flatnonzero((y == label) & (g == name)) for name in sorted(set(g))] for label in sorted(set(y))}
    complete = {label: by_group for label, by_group in cells.items() if all(map(len, by_group))}
    if not complete:
        raise InputError("no label has rows of every group.", remedy="Nothing can be balanced within labels.")
    return list(complete.values()), tuple(label for label in cells if label not in complete)


def _draw(
    cells: Sequence[Sequence[IntArray]], how: How, rng: np.random.Generator, *, regardless: bool = False
) -> IntArray:
    """The rows drawn; ``regardless`` draws as many rows of each label of any group."""
    drawn: list[IntArray] = []
    for by_group in cells:
        sizes = [len(rows) for rows in by_group]
        pools = [np.concatenate(by_group)] if regardless else by_group
        size = (min(sizes) if how == "subsample" else max(sizes)) * len(sizes) // len(pools)
        for pool in pools:
            if how == "subsample":
                chosen = rng.choice(pool, size=size, replace=False)
            else:
                chosen = np.concatenate([pool, rng.choice(pool, size=size - len(pool))])
            drawn.append(np.sort(chosen))
    return np.concatenate(drawn)
