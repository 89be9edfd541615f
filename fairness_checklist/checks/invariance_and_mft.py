"""Checks of the decisions: invariance, minimum functionality, and the result of a check."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fairness_checklist.core.arrays import BoolArray, FloatArray, IntArray, by_value, divide
from fairness_checklist.core.errors import OptionError, count
from fairness_checklist.core.option_defaults import TOLERANCE, number
from fairness_checklist.core.outcomes import Outcomes

_PAIRS = 500_000  # of rows that are held at once


@by_value
@dataclass(frozen=True, eq=False)
class GroupRate:
    """The result of a test for one group."""

    group: str
    pairs: int  # of one of its examples with another group's in its source (DIR: with the reference; MFT: its examples)
    fails: int  # how many of them fail
    # The mean of p(positive class), of a tagger p(type) at the term, less that of the other groups in the same source;
    # for DIR the mean change of the label's probability from the reference. NaN for MFT.
    mean_change: float

    @property
    def fail_rate(self) -> float:
        """In percent; NaN without pairs."""
        return percent(self.fails, self.pairs)


@by_value
@dataclass(frozen=True, eq=False)
class CheckResult:
    """The result of a test."""

    attribute: str
    test: str
    type: str  # INV, MFT or DIR
    failed: BoolArray  # (cases,) which sources fail (MFT: rows of labelled examples)
    by_group: tuple[GroupRate, ...]
    note: str = ""  # the kind of reference, and what was left out
    pairs: int = 0  # all pairs across groups (DIR: those with the reference, MFT: none)
    pair_fails: int = 0
    reference_pairs: int = 0  # the pairs with the reference
    reference_fails: int = 0
    capability: str = "Fairness"

    @property
    def cases(self) -> int:
        return len(self.failed)

    @property
    def fails(self) -> int:
        return int(self.failed.sum())

    @property
    def fail_rate(self) -> float:
        """Failed cases in percent, as CheckList prints them; NaN without cases."""
        return percent(self.fails, self.cases)

    @property
    def pair_fail_rate(self) -> float:
        """Failed pairs across groups in percent; NaN without pairs."""
        return percent(self.pair_fails, self.pairs)


def rates_by_group(
    outcomes: Outcomes, pairs: IntArray, fails: IntArray, change: FloatArray | None = None
) -> tuple[GroupRate, ...]:
    """The results of all groups, from arrays (G,); without changes they are NaN."""
    change = np.full(len(pairs), np.nan) if change is None else change
    rows = zip(outcomes.groups, pairs.tolist(), fails.tolist(), change.tolist(), strict=True)
    return tuple(GroupRate(*row) for row in rows)


def percent(count: int, total: int) -> float:
    """100 count / total; NaN for a total of 0."""
    return 100 * count / total if total else float("nan")


def references(outcomes: Outcomes) -> IntArray:
    """(S,) the row of each source's reference: the unmarked control, else the first row of the first group; -1: none.

    A sentence with other words around the term than its source is no reference.
    """
    rows = np.flatnonzero(outcomes.source >= 0)
    if outcomes.aligned is not None:
        rows = rows[outcomes.aligned[rows]]
    control = outcomes.group[rows] == len(outcomes.groups)
    order = np.lexsort((rows, outcomes.group[rows], ~control, outcomes.source[rows]))
    source, first = np.unique(outcomes.source[rows[order]], return_index=True)
    result = np.full(len(outcomes.sources), -1, dtype=np.int64)
    result[source] = rows[order][first]
    return result


def decisions(outcomes: Outcomes) -> tuple[IntArray, FloatArray]:
    """The decisions (n, W) and probabilities (n, W, K), W = 1 for a classifier and a place a word for a tagger.

    A place that a row does not have is -1; without probabilities those of a decision are 1 and 0. Of a tagger the last
    of the K is a term that was found in part.
    """
    units, decided = outcomes.units, outcomes.decisions
    if decided is None:
        predicted = outcomes.predicted.argmax(axis=1)[:, None]
        if units is None or len(units.row) != len(outcomes):
            return predicted, outcomes.predicted[:, None, :]
        return predicted, units.probability[np.argsort(units.row)][:, None, :]
    placed = decided.position >= 0
    cell = decided.row[placed], decided.position[placed]
    shape = (len(outcomes), int(decided.position.max(initial=0)) + 1)
    predicted = np.full(shape, -1, dtype=np.int64)
    predicted[cell] = decided.value[placed]
    size = len(outcomes.classes) + 1
    probability = np.zeros((*shape, size))
    if units is None:
        probability[cell] = np.eye(size)[decided.value[placed]]
    else:
        probability[(*cell, slice(0, size - 1))] = units.probability[placed]
        probability[(*cell, size - 1)] = decided.value[placed] == size - 1
    return predicted, probability


def fails_against(
    outcomes: Outcomes, reference: IntArray, example: IntArray, tolerance: float
) -> tuple[BoolArray, BoolArray]:
    """Whether each example row fails against its reference row, see `Invariance`, and whether the probability alone
    moves too far. A tagger's sentence fails where one of its words does, the term being one word.
    """
    return _fails(*decisions(outcomes), reference, example, tolerance)


def _fails(
    predicted: IntArray, probability: FloatArray, reference: IntArray, example: IntArray, tolerance: float
) -> tuple[BoolArray, BoolArray]:
    failed, differs, moved_far = np.zeros((3, len(example)), dtype=np.bool_)
    for place in range(predicted.shape[1]):
        expected, decision = predicted[reference, place], predicted[example, place]
        has_both = (decision >= 0) & (expected >= 0)
        moved = np.abs(probability[example, place, expected] - probability[reference, place, expected])
        failed |= (decision != expected) & has_both & ~(moved <= tolerance)
        differs |= (decision != expected) & has_both
        moved_far |= has_both & (moved > tolerance)
    return failed, moved_far & ~differs


@dataclass(frozen=True, eq=False)
class ReferencePairs:
    """m examples of the symmetric sources and the references that they are compared with; each array (m,)."""

    outcomes: Outcomes
    example: IntArray
    reference: IntArray

    @classmethod
    def of(cls, outcomes: Outcomes, test: str) -> ReferencePairs:
        """All pairs of a table with sources, which ``test`` needs."""
        if not len(outcomes.sources):
            raise OptionError(f"{test} compares variations of the same source, and the rows have no column source.")
        reference = references(outcomes)
        rows = np.flatnonzero((outcomes.source >= 0) & outcomes.symmetric[outcomes.source])
        marked = outcomes.group[rows] < len(outcomes.groups)
        example = rows[(rows != reference[outcomes.source[rows]]) & marked]
        return cls(outcomes, example, reference[outcomes.source[example]])

    def result(
        self,
        kind: str,
        title: str,
        failed: BoolArray,
        by_group: tuple[GroupRate, ...],
        notes: Sequence[str],
        across: tuple[int, int] | None = None,
    ) -> CheckResult:
        """The result of a test in which these pairs fail (m,), with how many across groups there are, and fail."""
        outcomes, source = self.outcomes, self.outcomes.source[self.example]
        case = np.unique(source)
        any_failed = np.bincount(source[failed], minlength=len(outcomes.sources)) > 0
        n, n_failed = len(self.example), int(failed.sum())
        pairs, pair_fails = across or (n, n_failed)
        n_unmarked = int((outcomes.group[references(outcomes)[case]] == len(outcomes.groups)).sum())
        other = ", else the first term of the first group" if n_unmarked < len(case) else ""
        noted = [
            f"reference: the unmarked control in {n_unmarked:,} of {len(case):,} cases{other}; "
            f"{n_failed:,} of {n:,} pairs with it fail",
            *notes,
        ]
        if left_out := len(outcomes.sources) - int(outcomes.symmetric.sum()):
            are = "is" if left_out == 1 else "are"
            noted.append(f"{count(left_out, 'source')} that {are} not symmetric {are} left out")
        return CheckResult(
            outcomes.attribute,
            f"{outcomes.attribute}: {title}",
            kind,
            any_failed[case],
            by_group=by_group,
            note="; ".join(filter(None, noted)),
            pairs=pairs,
            pair_fails=pair_fails,
            reference_pairs=n,
            reference_fails=n_failed,
        )


@dataclass(frozen=True)
class Invariance:
    """The decision stays the same whichever group is mentioned; of a tagger that about each word and about the term.

    An example fails against its reference only where **both** the decision is another one and the probability of the
    reference's decision moves by more than the tolerance: CheckList's rule. The note says in how many sources the
    probability moves further without another decision.

    Attributes:
        tolerance: how far the probability of the reference's decision may move, in [0, 1], when the decision changes.

    Raises:
        OptionError: a tolerance that is no number from 0 to 1.

    >>> Invariance(tolerance=0.2)
    Invariance(tolerance=0.2)
    """

    tolerance: float = TOLERANCE

    def __post_init__(self) -> None:
        object.__setattr__(self, "tolerance", number("tolerance", self.tolerance))

    def run(self, outcomes: Outcomes) -> CheckResult:
        """Run the test on the symmetric sources."""
        compared = ReferencePairs.of(outcomes, "an invariance test")
        failed, moved = fails_against(outcomes, compared.reference, compared.example, self.tolerance)
        source = outcomes.source[compared.example]
        n_moved, n_sources = len(np.unique(source[moved])), count(len(np.unique(source)), "source")
        moves = f"the probability of some text moves by more than {self.tolerance:g}"
        note = f"in {n_moved:,} of {n_sources} {moves} without another decision; such texts pass" if n_moved else ""
        rows = np.flatnonzero((outcomes.source >= 0) & outcomes.symmetric[outcomes.source])
        pairs, fails = _across_groups(outcomes, rows, self.tolerance)
        by_group = rates_by_group(outcomes, pairs.sum(axis=1), fails.sum(axis=1), _mean_change(outcomes, rows))
        across = int(np.triu(pairs).sum()), int(np.triu(fails).sum())
        return compared.result("INV", "invariance", failed, by_group, [note], across)


def _across_groups(outcomes: Outcomes, rows: IntArray, tolerance: float) -> tuple[IntArray, IntArray]:
    """(G, G) pairs of rows of two groups in a source, and how many fail from either side."""
    size = len(outcomes.groups)
    predicted, probability = decisions(outcomes)
    answer = np.unique(predicted, axis=0, return_inverse=True)[1].reshape(-1)  # equal answers cannot fail
    pairs, fails = np.zeros((2, size, size), dtype=np.int64)
    rows = rows[outcomes.group[rows] < size]
    rows = rows[np.argsort(outcomes.source[rows], kind="stable")]
    for of_source in np.split(rows, np.flatnonzero(np.diff(outcomes.source[rows], prepend=-1))[1:]):
        group = outcomes.group[of_source]
        counted = np.bincount(group, minlength=size)
        pairs += np.outer(counted, counted)
        first, second = np.nonzero(answer[of_source][:, None] != answer[of_source][None, :])
        once = (first < second) & (group[first] != group[second])
        left, right = of_source[first[once]], of_source[second[once]]
        for start in range(0, len(left), _PAIRS):
            ours, theirs = left[start : start + _PAIRS], right[start : start + _PAIRS]
            failed = _fails(predicted, probability, ours, theirs, tolerance)[0]
            failed |= _fails(predicted, probability, theirs, ours, tolerance)[0]
            cell = outcomes.group[ours[failed]] * size + outcomes.group[theirs[failed]]
            found = np.bincount(cell, minlength=size * size).reshape(size, size)
            fails += found + found.T
    np.fill_diagonal(pairs, 0)
    return pairs, fails


def _mean_change(outcomes: Outcomes, rows: IntArray) -> FloatArray:
    """(G,) the mean over sources of p(positive class) of a group less the mean of the other groups."""
    size = len(outcomes.groups)
    units = outcomes.views.get("slot", outcomes).units
    if units is None:
        return np.full(size, np.nan)
    n_units = np.bincount(units.row, minlength=len(outcomes))
    summed = np.bincount(units.row, weights=units.probability[:, outcomes.positive], minlength=len(outcomes))
    positive = divide(summed, n_units)
    rows = rows[~np.isnan(positive[rows]) & (outcomes.group[rows] < size)]
    cell, n_cells = outcomes.source[rows] * size + outcomes.group[rows], len(outcomes.sources) * size
    in_cell = np.bincount(cell, minlength=n_cells)
    mean = divide(np.bincount(cell, weights=positive[rows], minlength=n_cells), in_cell).reshape(-1, size)
    has_mean = ~np.isnan(mean)
    others = np.nansum(mean, axis=1, keepdims=True) - np.nan_to_num(mean)
    distance = mean - divide(others, has_mean.sum(axis=1, keepdims=True) - has_mean)
    return divide(np.nansum(distance, axis=0), (~np.isnan(distance)).sum(axis=0))


@dataclass(frozen=True)
class MinimumFunctionality:
    """Every example that mentions a group gets its gold label; each example is a case.

    A tagger's sentence is right when its entities are found, each with all its words, and nothing else is.
    """

    def run(self, outcomes: Outcomes) -> CheckResult:
        """Run the test on the labelled examples."""
        marked = outcomes.group < len(outcomes.groups)
        case = np.flatnonzero(outcomes.labelled & marked)
        failed = ~outcomes.all_correct[case]
        group, size = outcomes.group[case], len(outcomes.groups)
        counted, wrong = np.bincount(group, minlength=size), np.bincount(group[failed], minlength=size)
        left_out = int((marked & ~outcomes.labelled).sum())
        notes = [f"{left_out:,} examples without a label that the model knows are left out"] if left_out else []
        if "slot" in outcomes.views:
            slot = outcomes.views["slot"]
            n_gold = slot.gold[case].sum(axis=1)
            whole = (n_gold > 0) & (slot.correct[case].sum(axis=1) == n_gold)
            n, found = int((n_gold > 0).sum()), int(whole.sum())
            notes += [f"in {found:,} of {n:,} sentences the term itself is found whole"] if n else []
        return CheckResult(
            outcomes.attribute,
            f"{outcomes.attribute}: minimum functionality",
            "MFT",
            failed,
            by_group=rates_by_group(outcomes, counted, wrong),
            note="; ".join(notes),
        )
