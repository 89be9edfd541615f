"""The predictions for a behavioral test with their results, and the counts of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass
class Responses:
    """The predictions for a test and its results.

    Attributes:
        preds, confs: as long as the test's data and nested in the same way; None for cases that were not run.
        expect_results: one list of results for each case that was run.
        passed: (cases run,) True, False, or None where the expectation does not apply.
    """

    preds: list[Any]
    confs: list[Any]
    expect_results: list[Any] = field(default_factory=list)
    passed: NDArray[np.object_] = field(default_factory=lambda: np.empty(0, dtype=object))


@dataclass(frozen=True)
class Stats:
    """The counts of a test: CheckList's ``get_stats``.

    Attributes:
        testcases: the cases of the test.
        testcases_run: those that were run.
        after_filtering: those of them to which the expectation applies.
        fails: those of them that fail.
    """

    testcases: int
    testcases_run: int
    after_filtering: int
    fails: int

    @property
    def fail_rate(self) -> float:
        """In percent of the cases after filtering; NaN where none is left."""
        return 100 * self.fails / self.after_filtering if self.after_filtering else float("nan")

    def __str__(self) -> str:
        lines = [f"Test cases:      {self.testcases}"]
        if self.testcases_run != self.testcases:
            lines.append(f"Test cases run:  {self.testcases_run}")
        if self.after_filtering != self.testcases_run:
            share = 100 * self.after_filtering / self.testcases_run
            lines.append(f"After filtering: {self.after_filtering} ({share:.1f}%)")
        if self.after_filtering:
            lines.append(f"Fails (rate):    {self.fails} ({self.fail_rate:.1f}%)")
        return "\n".join(lines)
