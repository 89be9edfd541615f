"""CheckList-style tests: invariance over the groups of a source, and minimum functionality on the gold labels.

The rules are CheckList's to the last tie (Ribeiro et al. 2020): an example passes an invariance test against its
reference when the decision is the same, whatever the confidence, or else when the probability of the reference's
decision moves by at most the threshold. A case (a source) fails when one of its examples does, so its rate grows with
the number of groups; that is why the rate over all pairs across groups leads.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fairness_checklist.arrays import BoolArray, FloatArray, IntArray
from fairness_checklist.errors import OptionError
from fairness_checklist.metrics.exact import means, sort_cells
from fairness_checklist.outcomes import Outcomes

__all__ = [
    "INV",
    "MFT",
    "Check",
    "CheckResult",
    "GroupRate",
    "Invariance",
    "MinimumFunctionality",
    "decisions",
    "fails_against",
    "references",
]


@dataclass(frozen=True)
class GroupRate:
    """How one group fares in a test.

    Attributes:
        group: its name.
        pairs: pairs of one of its examples with another group's in the same source (MFT: its examples).
        fails: how many fail.
        mean_change: the mean of p(positive class) less that of the other groups in the same source; NaN for MFT.
    """

    group: str
    pairs: int
    fails: int
    mean_change: float

    @property
    def fail_rate(self) -> float:
        """In percent; NaN without pairs."""
        return percent(self.fails, self.pairs)


@dataclass(frozen=True)
class CheckResult:
    """What a test found.

    Attributes:
        test, type, capability: its name, INV or MFT, and "Fairness".
        failed: (cases,) which fail: sources for INV, labelled examples for MFT; ``case`` holds their numbers.
        pairs, pair_fails: all pairs across groups (MFT: none).
        reference_pairs, reference_fails: the pairs with the reference.
        by_group: one record a group.
        note: what the reference was, and what was left out.
    """

    attribute: str
    test: str
    type: str
    case: IntArray
    failed: BoolArray
    pairs: int
    pair_fails: int
    reference_pairs: int
    reference_fails: int
    by_group: tuple[GroupRate, ...]
    note: str = ""
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


def percent(part: int, whole: int) -> float:
    """100 part / whole; NaN for nothing.

    >>> percent(1, 8)
    12.5
    """
    return 100 * part / whole if whole else float("nan")


def references(outcomes: Outcomes) -> IntArray:
    """(S,) the row of each source's reference: the unmarked control, else the first group's first term; -1: none.

    The first term is that of the first row: rows stand in declared order, also when they were read from a table.
    """
    rows = np.flatnonzero(outcomes.source >= 0)
    control = outcomes.group[rows] == len(outcomes.groups)
    order = np.lexsort((rows, outcomes.group[rows], ~control, outcomes.source[rows]))
    rows = rows[order]
    found, first = np.unique(outcomes.source[rows], return_index=True)
    result = np.full(len(outcomes.sources), -1, dtype=np.int64)
    result[found] = rows[first]
    return result


def decisions(outcomes: Outcomes) -> tuple[IntArray, FloatArray]:
    """(n,) the decision and (n, C) the probabilities; the decision itself stands in where none are known."""
    decision = outcomes.predicted.argmax(axis=1)
    if outcomes.units is None or len(outcomes.units.row) != len(outcomes):
        return decision, outcomes.predicted
    return decision, outcomes.units.probability[np.argsort(outcomes.units.row)]


def fails_against(outcomes: Outcomes, reference: IntArray, example: IntArray, threshold: float) -> BoolArray:
    """Whether each example row fails against its reference row: CheckList's rule, in float64."""
    decision, probability = decisions(outcomes)
    asked = decision[reference]
    moved = np.abs(probability[example, asked] - probability[reference, asked])
    failed: BoolArray = (decision[example] != asked) & ~(moved <= threshold)
    return failed


@dataclass(frozen=True)
class Invariance:
    """The decision stays the same whichever group is mentioned.

    Attributes:
        threshold: how far the probability of the reference's decision may move when the decision changes.
    """

    threshold: float = 0.1

    def __post_init__(self) -> None:
        if not 0 <= self.threshold <= 1:
            raise OptionError(f"the threshold {self.threshold} is not a change of probability: it lies in [0, 1].")

    def run(self, outcomes: Outcomes) -> CheckResult:
        """Run the test on the symmetric sources."""
        if not len(outcomes.sources):
            raise OptionError(
                "an invariance test compares variations of the same source, and the rows have no column source."
            )
        reference = references(outcomes)
        rows = np.flatnonzero((outcomes.source >= 0) & outcomes.symmetric[outcomes.source])
        example = rows[(rows != reference[outcomes.source[rows]]) & (outcomes.group[rows] < len(outcomes.groups))]
        against = reference[outcomes.source[example]]
        failed = fails_against(outcomes, against, example, self.threshold)
        case = np.unique(outcomes.source[example])
        any_failed = np.bincount(outcomes.source[example][failed], minlength=len(outcomes.sources)) > 0
        pairs, fails = self._across_groups(outcomes, rows)
        change = _mean_change(outcomes, rows)
        n_marked = int((outcomes.group[reference[case]] < len(outcomes.groups)).sum())
        note = f"reference: the unmarked control in {len(case) - n_marked:,} of {len(case):,} cases"
        if n_marked:
            note += ", else the first term of the first group"
        note += f"; {int(failed.sum()):,} of {len(failed):,} pairs with it fail"
        left_out = len(outcomes.sources) - int(outcomes.symmetric.sum())
        if left_out:
            note += "; 1 source that is" if left_out == 1 else f"; {left_out:,} sources that are"
            note += f" not symmetric {'is' if left_out == 1 else 'are'} left out"
        return CheckResult(
            attribute=outcomes.attribute,
            test=f"{outcomes.attribute}: invariance",
            type="INV",
            case=case,
            failed=any_failed[case],
            pairs=int(np.triu(pairs).sum()),
            pair_fails=int(np.triu(fails).sum()),
            reference_pairs=len(example),
            reference_fails=int(failed.sum()),
            by_group=tuple(
                GroupRate(name, int(pairs[g].sum()), int(fails[g].sum()), float(change[g]))
                for g, name in enumerate(outcomes.groups)
            ),
            note=note,
        )

    def _across_groups(self, outcomes: Outcomes, rows: IntArray) -> tuple[IntArray, IntArray]:
        """(G, G) pairs of rows of two groups in a source, and how many fail from either side."""
        size = len(outcomes.groups)
        decision, probability = decisions(outcomes)
        pairs = np.zeros((size, size), dtype=np.int64)
        fails = np.zeros((size, size), dtype=np.int64)
        rows = rows[outcomes.group[rows] < size]
        rows = rows[np.argsort(outcomes.source[rows], kind="stable")]
        _, start = np.unique(outcomes.source[rows], return_index=True)
        for block in np.split(rows, start[1:]):
            group, said, p = outcomes.group[block], decision[block], probability[block]
            own = p[np.arange(len(block)), said]
            held = p[:, said].T
            moved = np.abs(held - own[:, None])
            wrong = (said[:, None] != said) & ~((moved <= self.threshold) & (self.threshold >= moved.T))
            member = np.eye(size, dtype=np.int64)[group]
            count = member.sum(axis=0)
            pairs += np.outer(count, count) - np.diag(count * count)
            fails += member.T @ wrong.astype(np.int64) @ member * (1 - np.eye(size, dtype=np.int64))
        return pairs, fails


def _mean_change(outcomes: Outcomes, rows: IntArray) -> FloatArray:
    """(G,) the mean over sources of p(positive class) of a group less the mean of the other groups."""
    size = len(outcomes.groups)
    if outcomes.units is None:
        return np.full(size, np.nan)
    positive = decisions(outcomes)[1][:, outcomes.positive]
    rows = rows[outcomes.group[rows] < size]
    cells = sort_cells(
        positive[rows], outcomes.source[rows], outcomes.group[rows], np.ones(len(rows)), len(outcomes.sources), size
    )
    mean = means(cells)
    there = cells.present
    summed = np.where(there, mean, 0.0)
    n_others = there.sum(axis=1, keepdims=True) - there
    others = np.divide(
        summed.sum(axis=1, keepdims=True) - summed, n_others, out=np.full(mean.shape, np.nan), where=n_others > 0
    )
    apart = mean - others
    fine = ~np.isnan(apart)
    count = fine.sum(axis=0)
    total = np.where(fine, apart, 0.0).sum(axis=0)
    result: FloatArray = np.divide(total, count, out=np.full(size, np.nan), where=count > 0)
    return result


@dataclass(frozen=True)
class MinimumFunctionality:
    """Every example that mentions a group gets its gold label; each example is a case."""

    def run(self, outcomes: Outcomes) -> CheckResult:
        """Run the test on the labelled examples."""
        marked = outcomes.group < len(outcomes.groups)
        case = np.flatnonzero(outcomes.labelled & marked)
        failed = outcomes.predicted[case].argmax(axis=1) != outcomes.gold[case].argmax(axis=1)
        size = len(outcomes.groups)
        count = np.bincount(outcomes.group[case], minlength=size)
        wrong = np.bincount(outcomes.group[case][failed], minlength=size)
        left_out = int((marked & ~outcomes.labelled).sum())
        return CheckResult(
            attribute=outcomes.attribute,
            test=f"{outcomes.attribute}: minimum functionality",
            type="MFT",
            case=case,
            failed=failed,
            pairs=0,
            pair_fails=0,
            reference_pairs=0,
            reference_fails=0,
            by_group=tuple(
                GroupRate(name, int(count[g]), int(wrong[g]), float("nan")) for g, name in enumerate(outcomes.groups)
            ),
            note=f"{left_out:,} examples without a label that the model knows are left out" if left_out else "",
        )


Check = Invariance | MinimumFunctionality
INV = Invariance
MFT = MinimumFunctionality
