"""Minimum functionality: each example that mentions a group gets its gold label."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fairness_checklist.checks.check_result import CheckResult, GroupRate
from fairness_checklist.core.arrays import IntArray
from fairness_checklist.core.outcomes import Outcomes


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
            note=_note(left_out, outcomes, case),
        )


def _note(left_out: int, outcomes: Outcomes, case: IntArray) -> str:
    """The note on the examples that are left out, and on the terms that a tagger finds whole."""
    predicted = [f"{left_out:,} examples without a label that the model knows are left out"] if left_out else []
    if "slot" in outcomes.views:
        slot = outcomes.views["slot"]
        whole, found = slot.gold[case].sum(axis=1), slot.correct[case].sum(axis=1)
        n, fine = int((whole > 0).sum()), int(((whole > 0) & (found == whole)).sum())
        predicted += [f"in {fine:,} of {n:,} sentences the term itself is found whole"] if n else []
    return "; ".join(predicted)
