"""The result of a test: cases, pairs and groups."""

from __future__ import annotations

from dataclasses import dataclass

from fairness_checklist.core.arrays import BoolArray, IntArray, by_value


@by_value
@dataclass(frozen=True, eq=False)
class GroupRate:
    """The result of a test for one group.

    Attributes:
        group: its name.
        pairs: pairs of one of its examples with another group's in the same source (DIR: with the reference; MFT: its
            examples).
        fails: how many fail.
        mean_change: the mean of p(positive class) less that of the other groups in the same source; NaN for MFT. For a
            tagger it is that of the type that the terms have, at the term. For DIR the mean change of the label's
            probability from the reference.
    """

    group: str
    pairs: int
    fails: int
    mean_change: float

    @property
    def fail_rate(self) -> float:
        """In percent; NaN without pairs."""
        return percent(self.fails, self.pairs)


@by_value
@dataclass(frozen=True, eq=False)
class CheckResult:
    """The result of a test.

    Attributes:
        test, type, capability: its name, INV, MFT or DIR, and "Fairness".
        failed: (cases,) which fail: sources for INV and DIR, labelled examples for MFT; ``case`` holds their numbers.
        pairs, pair_fails: all pairs across groups (DIR: those with the reference, MFT: none).
        reference_pairs, reference_fails: the pairs with the reference.
        by_group: one record a group.
        note: the kind of reference, and what was left out.
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


def percent(count: int, total: int) -> float:
    """100 count / total; NaN for a total of 0.

    >>> percent(1, 8)
    12.5
    """
    return 100 * count / total if total else float("nan")
